"""Frozen evaluation sets: the same tasks for everybody, made from seeds that stand here and checked by digests.

A set is never changed: a later version of worldsmith that writes other pages or tasks has a set with another number.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from worldsmith.errors import ConsistencyError, FormatError, NotFoundError, UsageError, close_match
from worldsmith.mining.batch import Failed, Order, build_all, orders
from worldsmith.mining.candidates import KINDS
from worldsmith.mining.cross import groups_of_worlds, mine_cross_tasks
from worldsmith.mining.pipeline import MiningRequest
from worldsmith.mining.pool import tasks_in_pool
from worldsmith.pages.pool import Pool, open_pool
from worldsmith.seeding import draw
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task, tasks_of
from worldsmith.tasks.dropped import DROPPED
from worldsmith.tasks.worlds import JoinedWorlds, PooledWorlds, SeparateWorlds, Worlds
from worldsmith.train.exports.rows import CANARY
from worldsmith.world.files import (
    MANIFEST,
    read_json,
    read_manifest,
    save_jsonl,
    world_folders,
    write_file,
)
from worldsmith.world.model import World

ALONE, POOL = "alone", "pool"
"""The folders of worlds that are each a web of its own, and of those that are one web together."""

Shown = Callable[[Iterable[Any], int, str], Iterator[Any]]
"""Passes items on and shows how far they are: (items, how many, label)."""


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """What a set is made of, for each of its schemas: worlds in the wordings kept for tests, and their tasks."""

    name: str
    seed: int
    schemas: tuple[str, ...]
    alone: int
    """Worlds of a schema that are each a web of its own."""
    tasks: int
    """Tasks of each of them."""
    pooled: int
    """Worlds of a schema in the pool."""
    pool_tasks: int
    """Tasks in the pool over one world of a schema."""
    cross: int
    """Tasks in the pool over several."""

    @property
    def size(self) -> int:
        """The number of its tasks."""
        return len(self.schemas) * (self.alone * self.tasks + self.pool_tasks + self.cross)

    @property
    def record(self) -> dict[str, Any]:
        """What it must be: the digests of its worlds by id, the id of its pool, and sha256 of its tasks by id."""
        recorded: dict[str, Any] = read_json(Path(__file__).with_name(f"{self.name}.json"))
        return recorded

    def orders(self, part: str) -> list[Order]:
        """Return the worlds of one of its folders, with tasks in every kind of wording kept for tests."""
        worlds, tasks = (self.alone, self.tasks) if part == ALONE else (self.pooled, len(KINDS))
        request = MiningRequest(tasks, wordings="test")
        return orders(self.schemas, worlds * len(self.schemas), draw(self.seed, part), request, split="test")


SETS: Mapping[str, EvaluationSet] = {
    one.name: one
    for one in (
        EvaluationSet(
            "worldsmith-eval-1",
            78264914063380251,
            ("company", "films", "hospital", "league", "railway", "smartphones", "town", "university"),
            alone=2,
            tasks=9,
            pooled=3,
            pool_tasks=4,
            cross=3,
        ),
    )
}
"""Evaluation sets by name."""

README = """\
# {name}

{size} tasks for evaluation, made by `worldsmith generate --set {name}`; `worldsmith run --set {name}` lets an agent
work on them. The figures of others, and how to add yours, are in worldsmith/rollout/{name}.md.

| folder | what it holds |
| --- | --- |
| {alone} | worlds that are each a web of its own, and their tasks in `_tasks` |
| {pool} | worlds that are one web together; the tasks are those of `_tasks/pool-….jsonl` |

Don't train on it, and don't put it into a corpus:

{canary}
"""


def set_named(name: str) -> EvaluationSet:
    """Return an evaluation set. Raises NotFoundError for an unknown one."""
    if name not in SETS:
        raise NotFoundError(f"there is no evaluation set {name!r}.{close_match(name, SETS)}")
    return SETS[name]


def set_folder(name: str) -> Path:
    """Return where a set is kept unless a folder is named: $XDG_CACHE_HOME/worldsmith/NAME, by default in ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "worldsmith" / name


def open_set(
    folder: Path,
    simulate: Callable[[World], Simulator] = Simulator,
    simulate_pool: Callable[[Pool], PoolSimulator] = PoolSimulator,
) -> Worlds:
    """Return the worlds of a set in a folder, whose tasks are its own, and what answers the calls of each.

    Raises NotFoundError, FormatError.
    """
    pool = open_pool(world_folders([folder / POOL]))
    return JoinedWorlds([SeparateWorlds(world_folders([folder / ALONE]), simulate), PooledWorlds(simulate_pool(pool))])


def make_set(one: EvaluationSet, folder: Path, jobs: int = 1, shown: Shown = lambda items, *_: iter(items)) -> None:
    """Make a set in `folder` unless it is there, and check it against its digests.

    A run that was killed goes on where it was.

    Raises:
        ConsistencyError: what was made isn't the set; the message says what differs first.
        UsageError: another process is writing there, or the folder holds other worlds or a set some task of which is
            dropped.
    """
    if not _is_whole(one, folder):
        if (folder / MANIFEST).is_file() or any(folder.glob(f"*/{MANIFEST}")):
            raise UsageError(f"{folder} holds other worlds: name an empty folder for {one.name}, or none")
        if dropped := [*folder.glob(f"*/_tasks/{DROPPED}")]:
            raise UsageError(f"{dropped[0]}: a set has all of its tasks: remove that file, or take another folder")
        made = build_set(one, folder, jobs, shown)
        if why := difference(one.record, made):
            fix = "take the version of worldsmith that the set came with"
            raise ConsistencyError(f"{folder}: this is not {one.name}: {why}; {fix}")
    if not (folder / "README.md").is_file():
        write_file(folder / "README.md", _readme(one).encode())


def build_set(
    one: EvaluationSet, folder: Path, jobs: int = 1, shown: Shown = lambda items, *_: iter(items)
) -> dict[str, Any]:
    """Make the worlds and tasks of a set in a folder, and return their record (`EvaluationSet.record`)."""
    for part in (ALONE, POOL):
        wanted = one.orders(part)
        for built in shown(build_all(wanted, jobs, folder / part), len(wanted), f"worlds, {part}"):
            if isinstance(built, Failed):
                raise ConsistencyError(f"{built.schema}, seed {built.seed}: {built.error}")
    pool = open_pool(world_folders([folder / POOL]))
    simulator = PoolSimulator(pool)
    chosen: list[Task] = []
    own = {schema: [world for world in pool.worlds if _schema(pool.folders[world]) == schema] for schema in one.schemas}
    groups = groups_of_worlds(simulator)
    for schema in shown(one.schemas, len(one.schemas), "tasks, pool"):
        proved = [
            task
            for world in own[schema]
            for task in tasks_in_pool(world, tasks_of(pool.folders[world]), simulator).tasks
        ]
        chosen += _in_turn(proved, one.pool_tasks)
        chosen += mine_cross_tasks(
            simulator, schema, groups[schema], one.cross, MiningRequest(1, wordings="test")
        ).tasks
    save_jsonl(pool.tasks_file, (task.to_json() for task in chosen))
    return _record(one, open_set(folder))


def _schema(folder: Path) -> str:
    return str(read_manifest(folder)["schema"])


def _in_turn(tasks: Sequence[Task], count: int) -> list[Task]:
    """Return some of the tasks, of each kind in turn, picked by a hash of their ids."""
    left = sorted(tasks, key=lambda task: draw("evaluation set", task.task_id))
    picked = []
    for number in range(min(count, len(left))):
        kind = list(KINDS)[number % len(KINDS)]
        picked.append(next((task for task in left if task.kind == kind), left[0]))
        left.remove(picked[-1])
    return picked


def _record(one: EvaluationSet, worlds: Worlds) -> dict[str, Any]:
    """Return what a set is, as it is recorded; nothing of it is gold."""
    tasks = [task for _, some in worlds.tasks() for task in some]
    return {
        "set": one.name,
        "canary": CANARY,
        "worlds": {world: worlds.digest(world) for world in worlds.ids},
        "pool": next((task.web for task in tasks if task.web != task.worlds[0]), ""),
        "tasks": {task.task_id: sha256(orjson.dumps(task.to_json())).hexdigest() for task in tasks},
    }


def difference(expected: Mapping[str, Any], made: Mapping[str, Any]) -> str | None:
    """Return what first differs between two records of sets, None where nothing does."""
    for part in ("worlds", "tasks"):
        if missing := [name for name in expected[part] if name not in made[part]]:
            return f"{len(missing)} of its {len(expected[part])} {part} are missing, {missing[0]} first"
        if more := [name for name in made[part] if name not in expected[part]]:
            return f"{more[0]} isn't among its {part}"
        if other := [name for name in expected[part] if made[part][name] != expected[part][name]]:
            return f"{len(other)} of its {len(expected[part])} {part} have another digest, {other[0]} first"
    return None if made["pool"] == expected["pool"] else f"its pool is {expected['pool']}, not {made['pool']}"


def _is_whole(one: EvaluationSet, folder: Path) -> bool:
    """Tell whether a folder holds a set as it was made: its tasks are read and compared, its worlds by their manifests.

    A world's rows are compared when it is opened.
    """
    try:
        return _record(one, open_set(folder)) == one.record
    except (FormatError, NotFoundError):
        return False


def _readme(one: EvaluationSet) -> str:
    return README.format(name=one.name, size=one.size, alone=ALONE, pool=POOL, canary=CANARY)
