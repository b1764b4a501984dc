"""The worlds of a task: its own, or those of a pool that it is asked over."""

from collections.abc import Iterable

from worldsmith.errors import UsageError
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.tasks.query import Query
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.tasks.task import Task
from worldsmith.world.model import World


def parts_with_worlds(task: Task, world: World, web: object) -> list[tuple[Task, World]]:
    """Return what a task asks of each of its worlds, with that world: `world`, or those of the pool that answers.

    Raises UsageError for a task over several worlds where `web`, which answers calls, is no pool in this process,
    NotFoundError where the pool lacks one.
    """
    if not task.members:
        return [(task, world)]
    if not isinstance(web, PoolSimulator):
        raise UsageError(
            f"task {task.task_id} is asked over {len(task.members)} worlds: have a pool of them answer its calls, in "
            "process"
        )
    return [(part, web.world(part.world).world) for part in task.parts]


def leading_worlds(query: Query, evaluators: Iterable[QueryEvaluator]) -> list[bool]:
    """Return of each world whether it alone has the most rows of a query."""
    counts = [len(evaluator.matching_rows(query)) for evaluator in evaluators]
    return [count == max(counts) and counts.count(count) == 1 for count in counts]
