"""What tasks are worth as training data, computed from the task files alone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from statistics import median
from typing import Any

from worldsmith.agents import SimulatorClient
from worldsmith.audit.tasks.gates import Gate, by_kind_and_size, failed_gate, gates, with_measures
from worldsmith.audit.tasks.page_coverage import co_coverage, coverage_curve, least_pages, mean
from worldsmith.errors import FormatError
from worldsmith.mining.certificates import task_fault
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Query, QueryEvaluator, Task, difficulty, gold_duckdb
from worldsmith.tasks.parts import parts_with_worlds
from worldsmith.world.model import World

LIMITS = (8_000, 16_000, 32_000)
"""Tool tokens of an episode that tasks are held against."""
EMPTY = 0.02
"""The share of tasks whose gold table may have no row."""


@dataclass(slots=True)
class TaskReport:
    """The figures of tasks: what shortcuts are worth, how much must be read, and how the tasks differ."""

    worlds: int = 0
    tasks: list[Task] = field(default_factory=list)
    """With the figures of shortcuts measured anew."""
    pages: dict[str, int] = field(default_factory=dict)
    """By task id, how few pages tell all its evidence."""
    curves: dict[str, Mapping[int, float]] = field(default_factory=dict)
    """By task id, the share of its cells outside the key that the best 1, 2, 4, … pages tell."""
    shared: dict[str, float] = field(default_factory=dict)
    """By task id, the share of pairs of cells of two rows that one page tells."""
    findings: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether all gates hold, and nothing else was found."""
        return not self.findings and all(gate.passed for gate in self.gates)

    @property
    def gates(self) -> list[Gate]:
        """What shortcuts are worth, by kind, size and name."""
        return gates(self.tasks)

    @property
    def groups(self) -> dict[tuple[str, str], list[Task]]:
        """The tasks by kind and size."""
        return by_kind_and_size(self.tasks)

    @property
    def empty(self) -> int:
        """The tasks whose gold table has no row."""
        return sum(not task.gold for task in self.tasks)

    @property
    def shapes(self) -> int:
        """The forms of query, columns and constants left out."""
        return len({task.query.shape for task in self.tasks})

    @property
    def near_duplicates(self) -> int:
        """The tasks of which a world has one like it already: the same shape and columns."""
        counts = Counter((task.world, task.query.near_duplicate_key) for task in self.tasks)
        return sum(n - 1 for n in counts.values())

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {
            "worlds": self.worlds,
            "tasks": len(self.tasks),
            "empty": self.empty,
            "skeletons": self.shapes,
            "near_duplicates": self.near_duplicates,
            "gates": [gate.to_json() for gate in self.gates],
            "groups": [self.figures(kind, size, group) for (kind, size), group in self.groups.items()],
            "findings": list(self.findings),
            "ok": self.ok,
        }

    def samples(self, group: Sequence[Task]) -> dict[str, list[float]]:
        """Return the figures of the tasks of a group, by name; those of rows and pages for tasks that have a row."""
        full = [task for task in group if task.gold]
        return {
            "rows": [len(task.gold) for task in full],
            "columns": [len(task.columns) for task in group],
            "hops": [task.query.hops for task in group],
            "turns": [task.turns for task in group],
            "tool_tokens": [task.tool_tokens for task in group],
            "typical_tokens": [task.typical_tokens for task in group],
            "difficulty": [difficulty(task) for task in group],
            "pages_needed": [self.pages[task.task_id] for task in full],
        }

    def figures(self, kind: str, size: str, group: Sequence[Task]) -> dict[str, Any]:
        """Return what a group of tasks is like: medians, shares that fit, and the curve of pages."""
        ids = [task.task_id for task in group if task.gold]
        points = sorted({k for i in ids for k in self.curves[i]})
        return {
            "kind": kind,
            "size": size,
            "tasks": len(group),
            **{name: _spread(values) for name, values in self.samples(group).items()},
            "co_coverage": round(mean([self.shared[i] for i in ids]), 4),
            "fits": {str(n): round(mean([task.tool_tokens <= n for task in group]), 4) for n in LIMITS},
            "k_pages": {str(k): round(mean([self.curves[i][k] for i in ids]), 4) for k in points},
        }


def _spread(values: Sequence[float]) -> dict[str, float]:
    """Return least, median, mean and most."""
    if not values:
        return {}
    return {"least": min(values), "median": median(values), "mean": round(mean(values), 3), "most": max(values)}


def report_tasks(loaded: Iterable[tuple[World, Simulator | PoolSimulator, Sequence[Task]]]) -> TaskReport:
    """Return the report on the tasks of worlds, each with what answers its calls.

    Raises FormatError for tasks of another state of their world.
    """
    report = TaskReport()
    for world, simulator, tasks in loaded:
        _add_world(report, world, simulator, tasks)
    if report.tasks and report.empty > max(1, EMPTY * len(report.tasks)):
        report.findings.append(f"{report.empty} of {len(report.tasks)} tasks have no row: more than {EMPTY:.0%}")
    return report


def _add_world(report: TaskReport, world: World, simulator: Simulator | PoolSimulator, tasks: Sequence[Task]) -> None:
    parts = [parts_with_worlds(task, world, simulator) for task in tasks]
    stale = next((part for some in parts for part, own in some if part.world_digest != own.digest), None)
    if stale:
        raise FormatError(f"task {stale.task_id} is of another state of {stale.world}: mine its tasks again")
    address = Address(simulator.id)
    client = SimulatorClient(simulator, address, {}, world=world)
    queries: dict[str, tuple[World, list[Query]]] = {}
    for part, own in chain.from_iterable(parts):
        queries.setdefault(own.id, (own, []))[1].append(part.query)
    again = {name: iter(rows) for name, rows in zip(queries, gold_duckdb([*queries.values()]), strict=True)}
    evaluators = {name: QueryEvaluator(own) for name, (own, _) in queries.items()}
    report.worlds += 1
    for task, own_parts in zip(with_measures(tasks, world, client), parts, strict=True):
        report.tasks.append(task)
        report.curves[task.task_id] = coverage_curve(task)
        report.shared[task.task_id] = co_coverage(task)
        report.pages[task.task_id] = sum(
            least_pages(part, evaluators[own.id], simulator.pages_of(address, own.id)) for part, own in own_parts
        )
        same_gold = [next(again[own.id]) == part.gold or not part.is_queried for part, own in own_parts]
        faults = [
            failed_gate(task, task.audit) if task.gold else None,
            None if all(same_gold) else "another engine gives other gold",
            task_fault(task, world, simulator),
        ]
        report.findings += [f"{task.task_id}: {fault}" for fault in faults if fault]
