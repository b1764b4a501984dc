"""Bounds on a rate that was observed in a number of trials."""

from math import sqrt

METHOD = "Wilson score, 95%"
"""What the bounds of `interval` are."""
Z = 1.959964
"""The standard normal deviate that leaves 2.5% on each side."""


def interval(hits: int, trials: int) -> tuple[float, float]:
    """Return the bounds of a rate of which `hits` in `trials` were observed: Wilson, 1927.

    Without a trial nothing is known: 0 to 1. With no hit the upper bound is about 3.84 / (trials + 3.84).
    """
    if not trials:
        return 0.0, 1.0
    square = Z * Z
    middle = (hits + square / 2) / (trials + square)
    half = Z * sqrt(hits * (trials - hits) / trials + square / 4) / (trials + square)
    return (middle - half if hits else 0.0), (middle + half if hits < trials else 1.0)
