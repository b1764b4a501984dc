"""What shortcuts are worth on tasks: agents that don't search are run, guesses and single pages are counted.

The gates are those of `tasks.shortcuts`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from worldsmith import scoring
from worldsmith.agents import Connection, run
from worldsmith.tasks import QueryEvaluator, Task, markdown_table
from worldsmith.tasks.shortcuts import CAP, GATES, largest_page_share, page_carries_too_much
from worldsmith.world.model import World

AGENTS = ("closed-book", "one-query", "snippets-only")


def constant_guess(task: Task, evaluator: QueryEvaluator) -> float:
    """Return the item F1 outside the key of one who knows the keys, and each column's most common value.

    Where the task wants one cell it is the most common value that its column has in the world.
    """
    if not task.gold:
        return 0.0
    if not task.query.key:
        values = evaluator.query_values(task.query, task.query.columns[0])
        return float(Counter(values).most_common(1)[0][0] == task.gold[0][0])
    modes = [Counter(row[i] for row in task.gold).most_common(1)[0][0] for i in range(len(task.columns))]
    lines = [[scoring.show(row[i] if c.key else modes[i], c) for i, c in enumerate(task.columns)] for row in task.gold]
    return scoring.score(markdown_table(task.columns, lines), task.columns, task.gold).nonkey.f1


def measure_shortcuts(
    task: Task, evaluator: QueryEvaluator, client: Connection, names: Sequence[str] = AGENTS
) -> dict[str, float]:
    """Return what each shortcut is worth on a task of an evaluator's world, by name: the item F1 outside the key.

    Of a task over several worlds the evaluator is of any of them.
    """
    return {
        **{name: run(task, evaluator.world, name, client).scored(task).nonkey.f1 for name in names},
        "constant-guess": constant_guess(task, evaluator),
        "one-page": largest_page_share(task.pages, task.others)[0],
    }


def with_measures(tasks: Iterable[Task], world: World, client: Connection) -> list[Task]:
    """Return tasks of a world with their figures measured anew, whatever they carried."""
    evaluator = QueryEvaluator(world)
    return [
        replace(task, audit={k: round(v, 4) for k, v in measure_shortcuts(task, evaluator, client).items()})
        for task in tasks
    ]


def failed_gate(task: Task, figures: Mapping[str, float]) -> str | None:
    """Return the gate that a task fails by itself, None where it passes."""
    for name in GATES:
        if figures.get(name, 0.0) > CAP:
            return f"{name} over {CAP}"
    # A single value is on one page by nature: the work is in getting there.
    wide = bool(task.query.key)
    return "one page carries too much" if wide and page_carries_too_much(task.pages, task.others) else None


def exceeded_mean(totals: Mapping[str, float], figures: Mapping[str, float]) -> str | None:
    """Return the gate whose mean over the tasks kept another one would make too high; None for none.

    `totals` are their figures added up; "tasks" is their number.
    """
    for name, figure in figures.items():
        allowed = GATES.get(name, 1.0)
        mean = (totals.get(name, 0.0) + figure) / (totals.get("tasks", 0) + 1)
        if mean > allowed and figure > allowed:
            return f"mean {name} over {allowed}"
    return None


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate over tasks: the mean, the largest figure of one task, and what is allowed."""

    name: str
    kind: str
    size: str
    tasks: int
    mean: float
    most: float
    allowed: float

    @property
    def passed(self) -> bool:
        """Whether the mean is allowed, and no task is over the cap."""
        return self.mean <= self.allowed and self.most <= CAP

    def to_json(self) -> dict[str, Any]:
        """Return the gate as JSON values."""
        fields = asdict(self)
        return {"gate": fields.pop("name"), **fields, "passed": self.passed}


def by_kind_and_size(tasks: Iterable[Task]) -> dict[tuple[str, str], list[Task]]:
    """Return tasks by kind and size, in the order of these."""
    groups: dict[tuple[str, str], list[Task]] = {}
    for task in sorted(tasks, key=lambda t: (t.kind, t.size)):
        groups.setdefault((task.kind, task.size), []).append(task)
    return groups


def gates(tasks: Iterable[Task]) -> list[Gate]:
    """Return the gates over tasks that carry their figures (`Task.audit`), by kind, size and name.

    Tasks whose gold table has no row are left out: no shortcut can find a cell of them.
    """
    results = []
    for (kind, size), group in by_kind_and_size(task for task in tasks if task.gold).items():
        for name, allowed in GATES.items():
            figures = [task.audit[name] for task in group if name in task.audit]
            if figures:
                results.append(Gate(name, kind, size, len(figures), sum(figures) / len(figures), max(figures), allowed))
    return results
