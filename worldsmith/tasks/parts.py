"""The worlds of a task: its own, or those of a pool that it covers."""

from collections.abc import Iterable

from worldsmith.errors import UsageError
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.tasks.query import Query
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.tasks.task import Task
from worldsmith.world.model import World


def parts_with_worlds(task: Task, world: World, web: object) -> list[tuple[Task, World]]:
    """Return the part of a task for each of its worlds, with that world: `world`, or worlds of the pool that answers.

    Raises UsageError for a task over several worlds where `web`, which answers calls, is no pool in this process,
    NotFoundError where the pool lacks one.
    """
    if not task.members:
        return [(task, world)]
    if not isinstance(web, PoolSimulator):
        raise UsageError(
            f"task {task.task_id} covers {len(task.members)} worlds: have a pool of them answer its calls, in process"
        )
    return [(part, web.world(part.world).world) for part in task.parts]


def leading_worlds(query: Query, evaluators: Iterable[QueryEvaluator]) -> list[bool]:
    """Return for each world whether it has more rows of a query than every other."""
    counts = [len(evaluator.matching_rows(query)) for evaluator in evaluators]
    return [count == max(counts) and counts.count(count) == 1 for count in counts]
