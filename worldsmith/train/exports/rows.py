"""The tasks of an export: loaded, divided into splits, and the parts of a row that formats share."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, groupby
from pathlib import Path
from typing import Any, TypeVar

import orjson

from worldsmith import __version__
from worldsmith.episode.tools import prompt
from worldsmith.errors import ConsistencyError, FormatError, NotFoundError, UsageError, close_match
from worldsmith.mining.certificates import task_fault
from worldsmith.seeding import draw
from worldsmith.tasks import Task
from worldsmith.tasks.task import OverWorlds, joined_worlds
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.lazy import LazyTasks, Progress, TaskOutline, no_progress
from worldsmith.world.files import read_jsonl

W = TypeVar("W", bound=OverWorlds)

CANARY = "worldsmith canary 001f9226-7a25-64f7-2b71-158135452674"
"""Is in every row and data card, and in nothing that an agent or a model in training is shown: whoever gathers text
for pretraining finds exports by it and leaves them out. The digits are of sha256("worldsmith canary")."""
ANSWER_FORMAT = "markdown table"


MIN_RESPONSE = 24_576
"""Tokens: the least that a whole episode is given, tool replies included."""
SHOWN = 5
"""Tasks named in an error."""
TEST_SHARE = 0.1
"""Of the worlds, those whose tasks are for testing."""


@dataclass(frozen=True)
class Splits(Mapping[str, LazyTasks]):
    """Tasks by the name of their split: "train" and "test"."""

    parts: Mapping[str, LazyTasks]
    sentence: str
    """How the tasks were divided."""

    def __getitem__(self, name: str) -> LazyTasks:
        return self.parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def outlines(self) -> list[TaskOutline]:
        """The outlines of all tasks."""
        return [outline for part in self.parts.values() for outline in part.outlines]


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


def outlines_of(worlds: Worlds, *, replay: bool = False, progress: Progress = no_progress) -> list[TaskOutline]:
    """Return the outlines of the tasks of worlds, in order, once each has been looked at.

    Raises NotFoundError, FormatError, UsageError where there is none, or ConsistencyError for tasks that don't hold.
    """
    outlines: list[TaskOutline] = []
    faults: dict[str, str] = {}
    known: dict[Any, Any] = {}
    by_world = groupby(worlds.stream_tasks(), lambda placed: placed[1].worlds[0])
    for world, placed in progress(by_world, len(worlds.ids), "worlds"):
        trusted = not replay and worlds.as_mined(world)
        for place, task in placed:
            outline = TaskOutline.of(place, task)
            # What many tasks have is kept once.
            outlines.append(replace(outline, worlds=known.setdefault(outline.worlds, outline.worlds)))
            if not trusted and (why := task_fault(task, worlds.open(world), worlds.simulator(world))):
                faults[outline.task_id] = why
    if not outlines:
        raise UsageError("these worlds have no task to export; make some with `worldsmith tasks`")
    if faults:
        lines = [f"\n  {task_id}: {why}" for task_id, why in list(faults.items())[:SHOWN]]
        more = [f"\n  … and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []
        raise ConsistencyError(
            f"{len(faults)} of {len(outlines)} tasks don't hold, nothing is exported:{''.join(lines + more)}"
        )
    order = {world: number for number, world in enumerate(worlds.ids)}
    return sorted(outlines, key=lambda outline: order[outline.worlds[0]])


def split_by(outlines: Sequence[TaskOutline], worlds: Worlds, hold_out: str, test_share: float | None) -> Splits:
    """Return the tasks to train and to test on, with how they were divided.

    Args:
        outlines: the tasks.
        worlds: their worlds.
        hold_out: what tests alone show: "worlds" (a share of them), "wordings" (worlds made of those kept for tests),
            or names of schemas, separated by commas.
        test_share: the share of the worlds; `TEST_SHARE` unless given, and given for "worlds" alone.

    Raises:
        NotFoundError: a schema that no task is of.
        UsageError: a share that can't be, no task to train or none to test on, or a world in both kinds of wordings.
    """
    if hold_out == "worlds":
        split = split_tasks(outlines, TEST_SHARE if test_share is None else test_share)
        return Splits({name: LazyTasks(some, name) for name, some in split.items()}, _worlds_sentence(split))
    if test_share is not None:
        raise UsageError(f"a test share is of worlds: leave it out where {hold_out} are held out")
    if hold_out == "wordings":
        held_out = _in_test_wordings(worlds, outlines)
        sentence = "Test has the tasks of all worlds that are written in the wordings kept for tests, train the others."
    else:
        names = [name.strip() for name in hold_out.split(",")]
        known = {outline.schema for outline in outlines}
        if unknown := [name for name in names if name not in known]:
            choices = (*(("worlds", "wordings") if len(names) == 1 else ()), *sorted(known))
            raise NotFoundError(f"nothing to hold out is called {unknown[0]!r}.{close_match(unknown[0], choices)}")
        held_out = [outline.schema in names for outline in outlines]
        sentence = f"The split is by schema: all tasks of {', '.join(names)} are for testing, and no others."
    if all(held_out) or not any(held_out):
        which = "train" if all(held_out) else "test"
        raise UsageError(f"no task is left to {which} on where {hold_out} are held out: export more worlds")
    sides = {"train": [not one for one in held_out], "test": held_out}
    return Splits({name: LazyTasks([*compress(outlines, side)], name) for name, side in sides.items()}, sentence)


def _in_test_wordings(worlds: Worlds, outlines: Sequence[TaskOutline]) -> list[bool]:
    wordings = {world: worlds.wordings(world) for world in sorted(worlds_of(outlines))}
    if both := [world for world, wording in wordings.items() if wording not in {"train", "test"}]:
        raise UsageError(
            f"{both[0]} is written in wordings of both kinds: make worlds with `generate --wordings train` and others "
            "with `--wordings test`, and export them together"
        )
    return [any(wordings[world] == "test" for world in outline.worlds) for outline in outlines]


def split_tasks(tasks: Sequence[W], test_share: float) -> dict[str, Sequence[W]]:
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


def _worlds_sentence(split: Mapping[str, Iterable[OverWorlds]]) -> str:
    train, test = (worlds_of(split[name]) for name in ("train", "test"))
    if train & test:
        group = "one world" if len(train | test) == 1 else "worlds that tasks join"
        return f"All tasks are of {group}: test holds the last of them, and shares worlds with train."
    return f"The split is by whole worlds: {len(test)} of {len(train | test)} kept for testing."


def worlds_of(tasks: Iterable[OverWorlds]) -> set[str]:
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
    known = {outline.task_id: (name, outline) for name, part in splits.items() for outline in part.outlines}
    if unknown := [one for one in task_ids if one not in known]:
        raise NotFoundError(
            f"{len(unknown)} of the {len(task_ids)} tasks of the curriculum are not of these worlds: {unknown[0]}"
        )
    train = [known[one][1] for one in dict.fromkeys(task_ids) if known[one][0] == "train"]
    if not train:
        raise UsageError("all tasks of the curriculum are of worlds kept for testing: lower the test share")
    return replace(splits, parts={**splits, "train": LazyTasks(train, "train")})


def response_tokens(tasks: Iterable[Task | TaskOutline]) -> int:
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
