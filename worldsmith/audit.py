"""What shortcuts are worth on tasks: agents that don't search are run, guesses and single pages are counted.

The gates bound the means over the tasks of a kind, and cap each task: closed-book 0.05, constant-guess 0.2,
one-query 0.10, snippets-only 0.10, none above 0.34 on one task; and no page may carry more of a task than one row or
a quarter of its cells outside the key.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from worldsmith import scoring
from worldsmith.agents import Client, run
from worldsmith.agents.oracle import table
from worldsmith.tasks import Task
from worldsmith.world import World

GATES = {"closed-book": 0.05, "constant-guess": 0.2, "one-query": 0.10, "snippets-only": 0.10}
"""The most that the mean item F1 outside the key may be, by shortcut."""
CAP = 0.34
"""The most it may be on one task."""
SHARE = 0.25
"""The most that one page may carry of the cells outside the key, unless they are of one row."""

AGENTS = ("closed-book", "one-query", "snippets-only")


def agent_f1(task: Task, world: World, name: str, client: Client) -> float:
    """Return the item F1 outside the key of an agent on a task."""
    return run(task, world, name, client).scored(task).nonkey.f1


def constant_guess(task: Task) -> float:
    """Return the item F1 outside the key of one who knows the keys, and each column's most common value."""
    modes = [Counter(row[i] for row in task.gold).most_common(1)[0][0] for i in range(len(task.columns))]
    lines = [[scoring.show(row[i] if c.key else modes[i], c) for i, c in enumerate(task.columns)] for row in task.gold]
    return scoring.score(table(task.columns, lines), task.columns, task.gold).nonkey.f1


def observed(task: Task) -> tuple[float, float]:
    """Return the largest share of the cells outside the key that one page carries, and the share allowed."""
    others = task.others
    counts = Counter(page for row in task.pages for i in others for page in row[i])
    cells = len(others) * len(task.gold)
    if not cells:
        return 0.0, SHARE
    return max(counts.values(), default=0) / cells, max(SHARE, len(others) / cells)


def measure(task: Task, world: World, client: Client, names: Sequence[str] = AGENTS) -> dict[str, float]:
    """Return what each shortcut is worth on a task, by name."""
    found = {name: agent_f1(task, world, name, client) for name in names}
    return {**found, "constant-guess": constant_guess(task), "one-page": observed(task)[0]}


def audited(tasks: Iterable[Task], world: World, client: Client) -> list[Task]:
    """Return tasks of a world with their figures measured anew, whatever they carried."""
    return [replace(task, audit={k: round(v, 4) for k, v in measure(task, world, client).items()}) for task in tasks]


def failed(task: Task, figures: Mapping[str, float]) -> str:
    """Return the gate that a task fails by itself; "" where it passes."""
    for name in GATES:
        if figures.get(name, 0.0) > CAP:
            return f"{name} over {CAP}"
    share, allowed = observed(task)
    return "one page carries too much" if share > allowed + 1e-9 else ""


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate over tasks: the mean, the largest figure of one task, and what is allowed."""

    name: str
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
        figures = {"gate": self.name, "size": self.size, "tasks": self.tasks, "mean": self.mean, "most": self.most}
        return {**figures, "allowed": self.allowed, "passed": self.passed}


def gates(tasks: Iterable[Task]) -> list[Gate]:
    """Return the gates over tasks that carry their figures (`Task.audit`), by size and name."""
    by_size: dict[str, list[Task]] = {}
    for task in tasks:
        by_size.setdefault(task.size, []).append(task)
    found = []
    for size, group in sorted(by_size.items()):
        for name, allowed in GATES.items():
            figures = [task.audit[name] for task in group if name in task.audit]
            if figures:
                found.append(Gate(name, size, len(figures), sum(figures) / len(figures), max(figures), allowed))
    return found
