"""How hard a task is, as one number; and a curriculum: tasks from the easiest on, each with the split it belongs to."""

from collections.abc import Collection, Iterable
from math import ceil, log2
from typing import Any

from worldsmith import expr
from worldsmith.expr.tree import walk
from worldsmith.seeding import draw
from worldsmith.tasks.query import Query
from worldsmith.tasks.task import Task, joined_worlds

LOGIC = frozenset({"and", "or", "not", "yr"})
"""Operations that compare nothing by themselves."""
TEST_SHARE = 0.1
"""Of the worlds, those whose tasks are for testing."""


def count_conditions(query: Query) -> int:
    """Return the comparisons of a query and of the chain that leads to it, orders and conditions on children too."""
    count = 0
    for one in query.chain():
        nodes = [*one.clauses, *(tally.where for tally in one.tallies if tally.where is not None)]
        count += sum(isinstance(n, expr.Path) and n.type == "bool" for node in nodes for n in walk(node))
        count += sum(isinstance(n, expr.Call) and n.op not in LOGIC for node in nodes for n in walk(node))
        count += 1 if one.top else 0
    return count


def difficulty(task: Task) -> float:
    """Return log2(turns * relations * (1 + conditions)), to two digits; 0 without a certificate.

    Turns are the least an agent needs (its certificate's), relations are those it follows from what the question
    names to the cells asked for (`Query.hops`), conditions are what rows are held against. A step of 1 is twice the
    work. Deep tasks of one cell lie between 4 and 7, small tables between 5 and 8, wide ones between 7 and 11.
    """
    return round(log2(task.turns * task.query.hops * (1 + count_conditions(task.query))), 2) if task.turns else 0.0


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
