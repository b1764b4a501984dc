"""The worlds of a task: its own, or those of a pool that it covers."""

from collections.abc import Iterable
from typing import Protocol

from worldsmith.tasks.query import Query
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.tasks.task import Task
from worldsmith.world.model import World


class WorldSource(Protocol):
    """What has worlds by id, such as what answers the calls of a pool."""

    def open_world(self, world: str) -> World:
        """Return a world. Raises NotFoundError or UsageError for one that it doesn't have."""
        ...


def parts_with_worlds(task: Task, world: World, source: WorldSource) -> list[tuple[Task, World]]:
    """Return what a task asks of each of its worlds, with that world: `world`, or for several those of `source`.

    Raises as `source` does for a world that it doesn't have.
    """
    if not task.members:
        return [(task, world)]
    return [(part, source.open_world(part.world)) for part in task.parts]


def leading_worlds(query: Query, evaluators: Iterable[QueryEvaluator]) -> list[bool]:
    """Return for each world whether it has more rows of a query than every other."""
    counts = [len(evaluator.matching_rows(query)) for evaluator in evaluators]
    return [count == max(counts) and counts.count(count) == 1 for count in counts]
