"""Difficulty of tasks as measured on a policy, its correlation with ours, and which tasks to train on next."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import correlation, fmean, pstdev
from typing import Any, Final

from worldsmith.rollout.finish import INFRASTRUCTURE
from worldsmith.seeding import rng

FIGURES: Final[Mapping[str, str]] = {
    "pass_rate": "success",
    "item_f1": "item_f1",
    "evidenced_item_f1": "evidenced_item_f1",
    "reward": "reward",
}
"""Means over a task's samples, each with the figure of an episode that it averages."""
_IDENTITY: Final = ("task_id", "world", "schema", "kind", "size", "difficulty")
RESAMPLES: Final = 1000
"""Bootstrap samples of tasks."""
FEWEST: Final = 10
"""Tasks below which no correlation is given."""
USEFUL: Final = (0.2, 0.8)
"""Pass rates between which samples of a task differ, which is what policies learn from."""


@dataclass(frozen=True, slots=True)
class TaskCalibration:
    """How a policy did on one task."""

    task_id: str
    world: str
    schema: str
    kind: str
    size: str
    difficulty: float
    samples: int
    pass_rate: float
    """The share of samples with a success."""
    item_f1: float
    evidenced_item_f1: float
    reward: float
    deviation: float
    """Standard deviation of the reward over the samples: 0 means that a group of rollouts has no gradient."""

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values: a line of a curriculum."""
        return asdict(self)


def calibrated(episodes: Iterable[Mapping[str, Any]]) -> list[TaskCalibration]:
    """Return how a policy did on each task that it played, the easiest by our difficulty first.

    Episodes that failed because of a server are left out.
    """
    samples: dict[str, list[Mapping[str, Any]]] = {}
    for episode in episodes:
        if episode["finish"] not in INFRASTRUCTURE:
            figures = {name: episode[name] for name in (*_IDENTITY, *FIGURES.values())}
            samples.setdefault(episode["task_id"], []).append(figures)
    tasks = []
    for some in samples.values():
        identity: dict[str, Any] = {name: some[0][name] for name in _IDENTITY}
        means: dict[str, Any] = {name: fmean(float(one[f]) for one in some) for name, f in FIGURES.items()}
        deviation = pstdev(one["reward"] for one in some)
        tasks.append(TaskCalibration(**identity, **means, samples=len(some), deviation=deviation))
    return sorted(tasks, key=lambda task: (task.difficulty, task.task_id))


def in_range(tasks: Iterable[TaskCalibration], by: str, low: float, high: float) -> list[TaskCalibration]:
    """Return the tasks whose mean of `by`, one of `FIGURES`, lies between two bounds, both included."""
    return [task for task in tasks if low <= getattr(task, by) <= high]


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """Spearman's coefficient with a 95% interval from resampled pairs."""

    value: float
    low: float
    high: float


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> RankCorrelation | None:
    """Return the rank correlation of pairs; None for fewer than `FEWEST`, or where one side is all the same."""
    value = _spearman(pairs) if len(pairs) >= FEWEST else None
    if value is None:
        return None
    random = rng("rank_correlation", len(pairs))
    resampled = (_spearman(random.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    drawn = sorted(one for one in resampled if one is not None)
    return RankCorrelation(value, drawn[int(0.025 * len(drawn))], drawn[int(0.975 * len(drawn))])


def _spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    one, other = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    return None if len(set(one)) == 1 or len(set(other)) == 1 else correlation(one, other)


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal values share their mean rank."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    mean = {value: fmean(some) for value, some in places.items()}
    return [mean[value] for value in values]


def difficulty_correlation(tasks: Iterable[TaskCalibration]) -> RankCorrelation | None:
    """Return the rank correlation of our difficulty with item F1: -1 where it orders tasks as the policy does."""
    return rank_correlation([(task.difficulty, task.item_f1) for task in tasks])


def suggestion(tasks: Sequence[TaskCalibration], low: float = USEFUL[0], high: float = USEFUL[1]) -> str:
    """Return in a sentence what to train on next."""
    if not tasks:
        return "No task was played to its end."
    if max(task.samples for task in tasks) == 1:
        return "One sample per task shows no pass rate: play each task several times (run -k 4), then calibrate again."
    useful = in_range(tasks, "pass_rate", low, high)
    solved = sum(task.pass_rate > high for task in tasks)
    differing = [task for task in tasks if task.deviation > 0]
    if useful:
        return (
            f"Train next on the {len(useful)} of {len(tasks)} tasks that pass in {low:.0%} to {high:.0%} of samples, "
            f"{_described(useful)}; {solved} are solved more often, {len(tasks) - solved - len(useful)} less."
        )
    if 2 * solved > len(tasks):
        hardest = max(task.difficulty for task in tasks)
        return f"{solved} of {len(tasks)} tasks are solved: take harder ones, of difficulty {hardest:.1f} and above."
    if differing:
        return (
            f"No task passes in {low:.0%} to {high:.0%} of samples, but rewards differ between the samples of "
            f"{len(differing)} of {len(tasks)}: train next on those, {_described(differing)}."
        )
    easiest = min(task.difficulty for task in tasks)
    return (
        f"All samples of each task earn the same: take easier tasks, of difficulty {easiest:.1f} and below, or imitate "
        "solved conversations first (export --to sft)."
    )


def _described(tasks: Sequence[TaskCalibration]) -> str:
    """Return kinds and difficulties of tasks in words."""
    kinds = sorted({task.kind for task in tasks})
    low, high = (pick(task.difficulty for task in tasks) for pick in (min, max))
    return f"{'/'.join(kinds)} of difficulty {low:.1f} to {high:.1f}"
