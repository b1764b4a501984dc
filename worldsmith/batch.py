"""Many worlds: which ones a command asks for, each generated, checked, mined and kept, by one process or several."""

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldsmith import disk, seeding
from worldsmith.check import check
from worldsmith.errors import ConsistencyError, FormatError
from worldsmith.generate import generate
from worldsmith.mine import mine
from worldsmith.schema import load_schema
from worldsmith.tasks import Task
from worldsmith.world import World, world_id


@dataclass(frozen=True, slots=True)
class Order:
    """One world that is asked for."""

    schema: str
    """Name of a shipped schema, or path of a file."""
    seed: int
    out: Path
    tasks: int
    size: str = "wide"
    knobs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Built:
    """One world that was made, or found whole from an earlier run."""

    world: str
    schema: str
    seed: int
    path: str
    facts: int
    digest: str
    tasks: int
    asked: int
    resumed: bool
    rejected: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def orders(
    schemas: Sequence[str], count: int | None, seed: int, out: Path, tasks: int, size: str = "wide"
) -> list[Order]:
    """Return the worlds of a command, round robin over its schemas.

    A world's seed is a hash of (seed, schema name, its number among that schema's worlds): naming more schemas
    changes none of them.
    """
    names = [load_schema(s).name for s in schemas]
    made = []
    for i in range(len(schemas) if count is None else count):
        which, number = i % len(schemas), i // len(schemas)
        # 53 bits: a JSON number that every reader keeps exact.
        world_seed = seeding.draw(seed, names[which], number) >> 11
        made.append(Order(schemas[which], world_seed, out, tasks, size))
    return made


def build(order: Order) -> Built:
    """Make one world, or find it whole: generate, check, mine, and keep both files.

    Raises GenerationError, and ConsistencyError for a world that breaks its own rules (a defect of worldsmith).
    """
    schema = load_schema(order.schema)
    folder = order.out / world_id(schema, order.seed, order.knobs)
    world, resumed = _kept(folder), True
    if world is None:
        resumed = False
        world = generate(schema, order.seed, order.knobs)
        report = check(world)
        if not report.ok:
            raise ConsistencyError(f"{world.id} breaks its rules: {report.violations[0]}")
    rejected: Mapping[str, int] = {}
    tasks = _kept_tasks(folder, world, order)
    if tasks is None:
        resumed = False
        mined = mine(world, order.tasks, size=order.size)
        tasks, rejected = len(mined.tasks), mined.rejected
        disk.save_lines(disk.tasks_file(folder), (task.to_json() for task in mined.tasks))
    # The manifest comes last: a world that is there is whole, its tasks with it.
    if not resumed:
        disk.save_world(world, order.out)
    return Built(
        world.id, schema.name, order.seed, str(folder), world.facts, world.digest, tasks, order.tasks, resumed, rejected
    )


def _kept(folder: Path) -> World | None:
    if not (folder / disk.MANIFEST).is_file():
        return None
    try:
        return disk.load_world(folder)
    except FormatError:
        return None


def _kept_tasks(folder: Path, world: World, order: Order) -> int | None:
    """Return the number of tasks kept from an earlier run of the same command; None where they must be mined."""
    if not order.tasks:
        return 0
    path = disk.tasks_file(folder)
    if not path.is_file():
        return None
    try:
        tasks = [Task.from_json(row) for row in disk.read_jsonl(path)]
    except (FormatError, KeyError, TypeError, ValueError):
        return None
    # A shortfall can't be told from another command's file: it is mined again.
    same = all(t.world_digest == world.digest and t.size == order.size for t in tasks)
    return len(tasks) if same and len(tasks) == order.tasks else None


def build_all(made: Sequence[Order], jobs: int) -> Iterator[Built]:
    """Build worlds and yield them in order, with `jobs` processes; the bytes don't depend on how many."""
    if made:
        made[0].out.mkdir(parents=True, exist_ok=True)
    if jobs <= 1 or len(made) <= 1:
        yield from map(build, made)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(made)), mp_context=context) as pool:
        yield from pool.map(build, made, chunksize=1)
