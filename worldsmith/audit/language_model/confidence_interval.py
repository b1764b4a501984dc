"""Bounds on a rate that was seen in a number of trials."""

from collections.abc import Callable
from math import exp, lgamma, log, log1p

METHOD = "Clopper-Pearson, 95%"
"""What the bounds of `interval` are."""


def interval(hits: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact bounds of a rate of which `hits` in `trials` were seen: Clopper and Pearson, 1934.

    Each side is left with half of `1 - level`. Without a trial nothing is known: 0 to 1. With no hit the upper bound
    is about 3.7 / trials.
    """
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else _root(lambda rate: 1 - _at_most(hits - 1, trials, rate) - tail)
    high = 1.0 if hits == trials else _root(lambda rate: tail - _at_most(hits, trials, rate))
    return low, high


def _root(rising: Callable[[float], float]) -> float:
    """Return where a rising function of a rate is 0."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2


def _at_most(most: int, trials: int, rate: float) -> float:
    """Return the chance of at most `most` hits."""
    if rate <= 0.0:
        return 1.0
    if rate >= 1.0:
        return 1.0 if most >= trials else 0.0
    return sum(exp(_ways(k, trials) + k * log(rate) + (trials - k) * log1p(-rate)) for k in range(most + 1))


def _ways(chosen: int, of: int) -> float:
    """Return the logarithm of a binomial coefficient."""
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1)
