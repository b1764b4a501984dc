"""How hard a task is, as one number; and a curriculum: tasks from the easiest on, each with the split it belongs to."""

from collections.abc import Collection, Iterable
from math import ceil, log2
from typing import Any

from worldsmith.seeding import draw
from worldsmith.tasks.task import Task, joined_worlds

TEST_SHARE = 0.1
"""Of the worlds, those whose tasks are for testing."""


def steps_per_cell(turns: int, rows: int, hops: int, queries: int) -> float:
    """Return how many steps must go right for one cell of an answer, as a weighted sum of what is known beforehand.

    Args:
        turns: the least an agent needs. Divided by the rows they are those that one row takes: an error in them costs
            that row alone. A quarter of all of them counts for every row: stopping early costs what is still unread.
        rows: of the answer.
        hops: relations followed from what the question names to the cells asked for (`Query.hops`): two steps each,
            since a reference has to be read and the row that it leads to.
        queries: of the chain. Each has to pick its row out of several that are compared, which counts as four steps;
            where it picks another, all that follows is wrong.
    """
    return turns / max(1, rows) + turns / 4 + 2 * hops + 4 * queries


def difficulty(task: Task) -> float:
    """Return log2(`steps_per_cell`), to two digits; 0 without a certificate. 1 more is twice as many steps.

    It depends on the certificate's turns, the query and the number of gold rows; never on what is in them.
    """
    if not task.turns:
        return 0.0
    queries = sum(1 for _ in task.query.chain())
    return round(log2(steps_per_cell(task.turns, len(task.gold), task.query.hops, queries)), 2)


def curriculum(tasks: Iterable[Task], hold_out: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return tasks from the easiest on: task_id, world, schema, kind, size, difficulty, split.

    The split is "held_out" for the schemas named, and by whole worlds, chosen by a hash of their ids, "test" for a
    tenth of the others (none of a single world), "train" for the rest. Worlds that tasks join stay together.
    """
    tasks = list(tasks)
    groups = joined_worlds(task for task in tasks if task.schema not in hold_out)
    groups.sort(key=lambda group: (draw("curriculum", group[0]), group))
    wanted, tested = ceil(TEST_SHARE * sum(map(len, groups))), set[str]()
    for group in groups[:-1]:
        tested.update(group if len(tested) < wanted else ())
    rows = [
        {
            "task_id": task.task_id,
            "world": task.world,
            "schema": task.schema,
            "kind": task.kind,
            "size": task.size,
            "difficulty": difficulty(task),
            "split": "held_out" if task.schema in hold_out else "test" if task.worlds[0] in tested else "train",
        }
        for task in tasks
    ]
    return sorted(rows, key=lambda row: (row["difficulty"], row["task_id"]))
