"""The tasks of an export: loaded, divided into splits, and the parts of a row that formats share."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from worldsmith import __version__
from worldsmith.episode.tools import prompt
from worldsmith.errors import ConsistencyError, FormatError, NotFoundError, UsageError
from worldsmith.mining.files import task_faults
from worldsmith.seeding import draw
from worldsmith.tasks import Task
from worldsmith.tasks.task import joined_worlds
from worldsmith.tasks.worlds import Worlds
from worldsmith.world.files import read_jsonl

Splits = Mapping[str, Sequence[Task]]
"""Tasks by the name of their split: "train" and "test"."""

CANARY = "worldsmith canary 001f9226-7a25-64f7-2b71-158135452674"
"""Is in every row and data card, and in nothing that an agent or a model in training is shown: whoever gathers text
for pretraining finds exports by it and leaves them out. The digits are of sha256("worldsmith canary")."""
CARD = """
## Canary

{canary}

Tasks and their gold should not appear in corpora for pretraining. This line stands here and in a field of each row, so
that such documents are found and left out; prompts, tool schemas and replies never hold it.
"""

ANSWER_FORMAT = "markdown table"


MIN_RESPONSE = 24_576
"""Tokens: the least that a whole episode is given, tool replies included."""
SHOWN = 5
"""Tasks named in an error."""


@dataclass(frozen=True, slots=True)
class Serving:
    """How the agents of an export reach the worlds."""

    base_url: str
    """Of `worldsmith serve`, without a world."""
    profile: str = "clean"
    seed: int = 0
    """Of the perturbations; each task draws its own from it, which all rollouts of the task share."""
    context_tokens: int = 0
    """Tokens of the model's context, where replies shall say how much is left; 0 where not."""

    def address(self, task: Task) -> str:
        """Return the address of a task's world or pool on the server."""
        if self.profile == "clean":
            return task.web
        return f"{task.web};profile={self.profile};seed={draw('export', str(self.seed), task.task_id) % 2**31}"

    def url(self, task: Task) -> str:
        """Return where a task's world or pool is served."""
        return f"{self.base_url}/w/{self.address(task)}"


def load_tasks(worlds: Worlds, *, replay: bool = False) -> list[Task]:
    """Return the tasks of worlds, in order.

    Raises NotFoundError, FormatError, UsageError where there is none, or ConsistencyError for tasks that don't hold.
    """
    by_world = dict(worlds.tasks())
    tasks = [task for some in by_world.values() for task in some]
    if not tasks:
        raise UsageError("these worlds have no task to export; make some with `worldsmith tasks`")
    faults = dict[str, str]()
    for world, some in by_world.items():
        faults |= task_faults(worlds, world, some, replay=replay)
    if faults:
        lines = [f"\n  {task_id}: {why}" for task_id, why in list(faults.items())[:SHOWN]]
        more = [f"\n  … and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []
        raise ConsistencyError(
            f"{len(faults)} of {len(tasks)} tasks don't hold, nothing is exported:{''.join(lines + more)}"
        )
    return tasks


def split_tasks(tasks: Sequence[Task], test_share: float) -> Splits:
    """Return the tasks as "train" and "test": a world's tasks stay together, chosen by a hash of its id.

    So do those of worlds that a task is asked over. At least one of several worlds, or of several groups that such
    tasks make, is for testing where the share is above 0, and one for training. Of a single one the last tasks are, so
    that trainers which need a test file have one.
    """
    if not 0 <= test_share <= 0.9:
        raise UsageError(f"the test share {test_share} is not between 0 and 0.9")
    groups = sorted(joined_worlds(tasks), key=lambda group: (draw("export", group[0]), group))
    if len(groups) > 1:
        wanted = math.ceil(test_share * sum(map(len, groups)))
        chosen: set[str] = set()
        for group in groups[:-1]:
            if len(chosen) < wanted:
                chosen.update(group)
        return {
            "train": [task for task in tasks if task.worlds[0] not in chosen],
            "test": [task for task in tasks if task.worlds[0] in chosen],
        }
    kept = len(tasks) - min(math.ceil(test_share * len(tasks)), len(tasks) - 1)
    return {"train": tasks[:kept], "test": tasks[kept:]}


def worlds_of(tasks: Iterable[Task]) -> set[str]:
    """Return the ids of the worlds of tasks."""
    return {world for task in tasks for world in task.worlds}


def curriculum_ids(path: Path) -> list[str]:
    """Return the ids of the tasks that a curriculum names, in its order. Raises FormatError."""
    rows = read_jsonl(path)
    ids = [row["task_id"] for row in rows if isinstance(row, dict) and isinstance(row.get("task_id"), str)]
    if not ids or len(ids) < len(rows):
        raise FormatError(f'{path}: no curriculum: each line is {{"task_id": text}} and what else is known of the task')
    return ids


def in_curriculum(splits: Splits, task_ids: Sequence[str]) -> Splits:
    """Return the splits with those training tasks alone that are named, in their order; the others stay as they are.

    Raises NotFoundError for a task of no split, UsageError where none is for training.
    """
    known = {task.task_id: (name, task) for name, tasks in splits.items() for task in tasks}
    if unknown := [one for one in task_ids if one not in known]:
        raise NotFoundError(
            f"{len(unknown)} of the {len(task_ids)} tasks of the curriculum are not of these worlds: {unknown[0]}"
        )
    train = [known[one][1] for one in dict.fromkeys(task_ids) if known[one][0] == "train"]
    if not train:
        raise UsageError("all tasks of the curriculum are of worlds kept for testing: lower the test share")
    return {**splits, "train": train}


def split_sentence(splits: Splits) -> str:
    """Return how the tasks were divided, as a sentence."""
    train, test = (worlds_of(splits[name]) for name in ("train", "test"))
    if train & test:
        group = "one world" if len(train | test) == 1 else "worlds that tasks join"
        return f"All tasks are of {group}: test holds the last of them, and shares worlds with train."
    return f"The split is by whole worlds: {len(test)} of {len(train | test)} kept for testing."


def response_tokens(tasks: Iterable[Task]) -> int:
    """Return the tokens that the longest of their episodes may take, tool replies included, in whole thousands."""
    need = max((int(1.5 * task.tool_tokens) + 6_000 for task in tasks), default=0)
    return max(MIN_RESPONSE, -(-need // 1024) * 1024)


def dumps(value: Any) -> str:
    """Return JSON text."""
    return orjson.dumps(value).decode()


def task_row(task: Task, split: str, serving: Serving, reference: str) -> dict[str, Any]:
    """Return the canonical row of a task that is scored by `reference`, from which an adapter plays it.

    Fields whose inner shape differs from task to task are JSON text.
    """
    return {
        "task_id": task.task_id,
        "world": task.world,
        "world_digest": task.world_digest,
        "schema": task.schema,
        "kind": task.kind,
        "size": task.size,
        "split": split,
        "prompt": prompt(task.question),
        "question": task.question,
        "columns": [column.name for column in task.columns],
        "key_columns": [column.name for column in task.columns if column.key],
        "column_types": dumps({c.name: {"kind": c.kind, "unit": c.unit} for c in task.columns}),
        "answer_format": ANSWER_FORMAT,
        "reference": reference,
        "max_turns": task.max_turns,
        "min_turns": task.turns,
        "budget": task.typical_turns,
        "tool_tokens": task.tool_tokens,
        "context_tokens": serving.context_tokens,
        "base_url": serving.url(task),
        "worldsmith_version": __version__,
        "canary": CANARY,
    }


COLUMNS: Mapping[str, str] = {
    "task_id": "VARCHAR",
    "world": "VARCHAR",
    "world_digest": "VARCHAR",
    "schema": "VARCHAR",
    "kind": "VARCHAR",
    "size": "VARCHAR",
    "split": "VARCHAR",
    "prompt": "STRUCT(role VARCHAR, content VARCHAR)[]",
    "question": "VARCHAR",
    "columns": "VARCHAR[]",
    "key_columns": "VARCHAR[]",
    "column_types": "VARCHAR",
    "answer_format": "VARCHAR",
    "reference": "VARCHAR",
    "max_turns": "BIGINT",
    "min_turns": "BIGINT",
    "budget": "BIGINT",
    "tool_tokens": "BIGINT",
    "context_tokens": "BIGINT",
    "base_url": "VARCHAR",
    "worldsmith_version": "VARCHAR",
    "canary": "VARCHAR",
}
"""Types of a row's fields in Parquet."""
