"""Two groups of runs side by side, with intervals over worlds."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final, NamedTuple

from worldsmith.rollout.finish import INFRASTRUCTURE
from worldsmith.seeding import rng

FIGURES: Final = ("item_f1", "nonkey_f1", "evidenced_item_f1")
"""Figures of an episode that are compared."""
RESAMPLES: Final = 1000
"""Bootstrap samples of worlds."""
FEWEST: Final = 5
"""Worlds below which no interval is given."""


class Estimate(NamedTuple):
    """A mean over tasks, or a difference of two, with the 95% interval that resampled worlds give."""

    value: float
    interval: tuple[float, float] | None
    """None for fewer than `FEWEST` worlds."""


class RunGroup:
    """The figures of the tasks of some runs, by world: of each task the means of its episodes."""

    def __init__(self, episodes: Iterable[Mapping[str, Any]]) -> None:
        """Average the episodes of each task; those that ended with a server error are left out."""
        samples: dict[tuple[str, str], list[tuple[float, ...]]] = {}
        for episode in episodes:
            if episode["finish"] not in INFRASTRUCTURE:
                figures = tuple(float(episode[name]) for name in FIGURES)
                samples.setdefault((episode["world"], episode["task_id"]), []).append(figures)
        self.worlds: dict[str, list[tuple[float, ...]]] = {}
        for (world, _), some in sorted(samples.items()):
            self.worlds.setdefault(world, []).append(tuple(map(fmean, zip(*some, strict=True))))
        played = sum(map(len, samples.values()))
        self.counts = {"worlds": len(self.worlds), "tasks": len(samples), "episodes": played}

    def means(self, worlds: Iterable[str]) -> list[float]:
        """Return the mean of each figure over the tasks of some of its worlds; one that is named twice counts twice."""
        return [
            fmean(values) for values in zip(*(task for world in worlds for task in self.worlds[world]), strict=True)
        ]


class Comparison(NamedTuple):
    """A figure of two groups of runs."""

    first: Estimate
    second: Estimate
    difference: Estimate
    """The first minus the second."""


def compared(first: RunGroup, second: RunGroup) -> dict[str, Comparison]:
    """Return each figure of two groups, neither of which is empty.

    Whole worlds are resampled, since tasks of a world aren't independent of each other: once for both groups where
    they have the same worlds, otherwise for each group on its own.
    """
    worlds = list(first.worlds), list(second.worlds)
    random, paired = rng("comparison", *map(len, worlds)), worlds[0] == worlds[1]
    drawn = []
    for _ in range(RESAMPLES if min(map(len, worlds)) >= FEWEST else 0):
        ones = random.choices(worlds[0], k=len(worlds[0]))
        others = ones if paired else random.choices(worlds[1], k=len(worlds[1]))
        drawn.append((first.means(ones), second.means(others)))
    means = first.means(worlds[0]), second.means(worlds[1])
    return {
        name: Comparison(
            Estimate(means[0][i], _interval([one[i] for one, _ in drawn])),
            Estimate(means[1][i], _interval([other[i] for _, other in drawn])),
            Estimate(means[0][i] - means[1][i], _interval([one[i] - other[i] for one, other in drawn])),
        )
        for i, name in enumerate(FIGURES)
    }


def _interval(drawn: Sequence[float]) -> tuple[float, float] | None:
    ordered = sorted(drawn)
    return (ordered[int(0.025 * len(ordered))], ordered[int(0.975 * len(ordered))]) if ordered else None


def flat_comparison(first: RunGroup, second: RunGroup) -> dict[str, float]:
    """Return the comparison of two groups by flat names, as loggers take them."""
    sides = {"runs": first, "against": second}
    figures: dict[str, float] = {
        f"{side}/{name}": n for side, group in sides.items() for name, n in group.counts.items()
    }
    for name, comparison in compared(first, second).items():
        for side, estimate in zip((*sides, "difference"), comparison, strict=True):
            figures[f"{side}/{name}"] = estimate.value
            if estimate.interval is not None:
                figures[f"{side}/{name}/low"], figures[f"{side}/{name}/high"] = estimate.interval
    return {f"comparison/{name}": value for name, value in figures.items()}
