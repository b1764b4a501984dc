"""Figures of repeated answers to tasks: means, Avg@k, Max@k, Pass@k, what is missing counted as 0."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import floor
from statistics import fmean
from typing import Any, Final

from worldsmith.rollout.finish import FINISHES
from worldsmith.tasks import Task, difficulty

SCORES: Final = ("item_f1", "evidenced_item_f1", "row_f1", "nonkey_f1", "success", "reward")
"""Figures of an episode that are averaged over all tasks; "success" passes."""
EFFORT: Final = (
    "turns", "search_calls", "extract_calls", "prompt_tokens", "completion_tokens", "tool_tokens", "retries", "cost",
    "seconds",
)  # fmt: skip
"""Figures that are averaged over the episodes played."""


def difficulty_range(task: Task) -> str:
    """Return the range of a task's difficulty: "7-8" for 7 and above, below 8."""
    low = floor(difficulty(task))
    return f"{low}-{low + 1}"


GROUPS: Final[Mapping[str, Callable[[Task], str]]] = {
    "schema": lambda task: task.schema,
    "kind": lambda task: task.kind,
    "difficulty": difficulty_range,
}
"""What tasks are grouped by."""


def repeated_means(
    figures: Mapping[str, Sequence[Mapping[str, float]]], tasks: int, names: Sequence[str]
) -> dict[str, Any]:
    """Return means of figures over the tasks answered and over all, and Avg@k, Max@k, Pass@k where tasks repeat.

    Args:
        figures: those of each answer to a task, by task id.
        tasks: how many there are in all; one without an answer counts as 0.
        names: the figures; those that end in "success" say whether an answer passed, "success" itself gives Pass@k.
    """

    def mean(pick: Callable[[list[float]], float], over: int) -> dict[str, float]:
        totals = {name: sum(pick([float(f[name]) for f in of_task]) for of_task in figures.values()) for name in names}
        return {name: total / max(1, over) for name, total in totals.items()}

    counts = [len(of_task) for of_task in figures.values()]
    most = max(counts, default=0)
    summary: dict[str, Any] = {"tasks": tasks, "answered": len(figures), "answers": sum(counts)}
    summary |= {"mean_answered": mean(fmean, len(figures)) if figures else None, "mean_all": mean(fmean, tasks)}
    if most > 1:
        best = mean(max, tasks)
        passed = {name: best.pop(name) for name in names if name.endswith("success")}
        repeats = {"k": most, "fewest": min(counts), "avg": summary["mean_all"], "max": best}
        summary["repeats"] = repeats | {"pass": passed["success"]}
    return summary


def run_summary(episodes: Iterable[Mapping[str, Any]], tasks: Sequence[Task], k: int) -> dict[str, Any]:
    """Return the figures of a run of `k` samples per task: scores over all of them, effort over those played.

    `avg` is the mean over tasks of a task's samples, `max` of their best (`pass` of its success): Avg@k, Max@k and
    Pass@k. A sample without an episode counts as 0 in each. `finish` has the share of each end.
    """
    rows = list(episodes)
    groups = {
        group: {
            name: _scores(rows, [task for task in tasks if of(task) == name], k)
            for name in sorted({of(task) for task in tasks}, key=lambda name: (len(name) * name[0].isdigit(), name))
        }
        for group, of in GROUPS.items()
    }
    planned = max(1, len(tasks) * k)
    ends = Counter(row["finish"] for row in rows)
    effort = {name: fmean(row[name] for row in rows) for name in EFFORT} if rows else None
    return {
        **_scores(rows, tasks, k),
        "finish": {name: ends[name] / planned for name in FINISHES},
        "effort": effort,
        "cost": sum(row["cost"] for row in rows),
        "by": groups,
    }


def _scores(rows: Iterable[Mapping[str, Any]], tasks: Sequence[Task], k: int) -> dict[str, Any]:
    """Return the scores of some tasks."""
    blank: Mapping[str, float] = dict.fromkeys(SCORES, 0.0)
    samples: dict[str, list[Mapping[str, float]]] = {task.task_id: [] for task in tasks}
    for row in rows:
        if row["task_id"] in samples:
            samples[row["task_id"]].append({name: float(row[name]) for name in SCORES})
    count = sum(map(len, samples.values()))
    padded = {name: [*some, *[blank] * (k - len(some))] for name, some in samples.items()}
    means = repeated_means(padded, len(tasks), SCORES)
    scores = {
        "tasks": len(tasks),
        "k": k,
        "episodes": count,
        "missing": len(tasks) * k - count,
        "avg": means["mean_all"],
    }
    if repeats := means.get("repeats"):
        scores |= {"max": repeats["max"], "pass": repeats["pass"]}
    return scores
