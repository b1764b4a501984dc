"""Many worlds: which ones a command asks for, each generated, checked, mined and kept, by one process or several."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from worldsmith import __version__, seeding
from worldsmith.checking import check
from worldsmith.errors import (
    ConsistencyError,
    FormatError,
    GenerationError,
    NotFoundError,
    UsageError,
    close_match,
)
from worldsmith.generation import generate
from worldsmith.generation.remedy import remedy
from worldsmith.mining.files import count_saved_tasks, save_tasks
from worldsmith.mining.pipeline import MiningRequest, mine_request
from worldsmith.mining.workers import worker_pool
from worldsmith.schema import (
    DEFAULT_KNOBS,
    Knobs,
    Language,
    Schema,
    Split,
    WorldKind,
    in_language,
    load_schema,
    shipped,
)
from worldsmith.schema.scaling import check_facts
from worldsmith.world import files
from worldsmith.world.model import World, world_id
from worldsmith.world.shards import shard_files

AHEAD = 16
"""Worlds per process that may be made before an earlier one is whole: one that fails takes many times as long."""
PATIENCE = 10
"""Seeds of a schema in a row that no world fits, before no more of them are tried."""


@dataclass(frozen=True, slots=True)
class Order:
    """One world that is asked for."""

    schema: str
    """Name of a shipped schema, or path of a file."""
    draw: int
    """The seed of the command."""
    number: int
    """Its number among the worlds of its schema, from 0."""
    request: MiningRequest
    """The tasks to mine."""
    knobs: Knobs = DEFAULT_KNOBS
    language: Language | None = None
    """None for the natural one where the schema has it."""
    split: Split = "all"

    @property
    def spoken_schema(self) -> Schema:
        """The schema in the language and wordings of the world."""
        schema = load_schema(self.schema)
        return in_language(schema, self.language or schema.language, self.split)

    @property
    def seed(self) -> int:
        """The world's own seed: a hash of the command's, the schema's name and the number.

        53 bits: a JSON number that every reader keeps exact.
        """
        return seeding.draw(self.draw, load_schema(self.schema).name, self.number) >> 11

    def generate(self) -> World:
        """Return the world. Raises GenerationError."""
        schema = self.spoken_schema
        return generate(schema, self.seed, knobs=self.knobs, language=schema.language)


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
    tasks_wanted: int
    resumed: bool
    rejected: Mapping[str, int]
    replaced: str = ""
    """Why a world that stood in its place was made anew; "" where none was."""

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {"asked" if name == "tasks_wanted" else name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Failed:
    """One seed that no world fits: the next seed of its schema is tried in its place."""

    schema: str
    seed: int
    error: str

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def orders(
    schemas: Sequence[str],
    count: int | None,
    seed: int,
    request: MiningRequest,
    knobs: Knobs = DEFAULT_KNOBS,
    language: Language | None = None,
    split: Split = "all",
) -> list[Order]:
    """Return the worlds of a command, round robin over its schemas.

    Naming more schemas changes none of the others' worlds. Raises as `distinct_schemas` does.
    """
    schemas = distinct_schemas(schemas, knobs)
    places = (divmod(i, len(schemas)) for i in range(len(schemas) if count is None else count))
    return [Order(schemas[which], seed, number, request, knobs, language, split) for number, which in places]


def distinct_schemas(names: Sequence[str], knobs: Knobs) -> list[str]:
    """Return the names of schemas, one for each: a schema that is named twice counts once.

    Raises NotFoundError, SchemaError, and UsageError for knobs that one can't follow.
    """
    once: dict[Schema, str] = {}
    for name in names:
        once.setdefault(load_schema(name), name)
    check_facts(list(once), knobs)
    return list(once.values())


def of_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the shipped schemas of some kinds of world; NotFoundError for a kind nobody knows."""
    for kind in kinds:
        if kind not in get_args(WorldKind):
            raise NotFoundError(f"no kind of world {kind!r}.{close_match(kind, get_args(WorldKind))}")
    return tuple(name for name in shipped() if load_schema(name).kind in kinds)


def default_schemas(names: Sequence[str], split: Split) -> tuple[str, ...]:
    """Return those of some schemas that worlds of a split are made from unless schemas are named.

    Worlds to train leave out schemas that are held out; worlds to test show all of them, in words never trained on.
    """
    return tuple(name for name in names if split != "train" or not load_schema(name).held_out)


def build(order: Order, out: Path) -> Built:
    """Make one world in `out`, or find it whole: generate, check, mine, and keep both files.

    Raises GenerationError, and ConsistencyError for a world that breaks its own rules (a defect of worldsmith).
    """
    schema = order.spoken_schema
    folder = out / world_id(schema, order.seed, order.knobs)
    files.remove_leftovers(out, folder.name)
    kept, replaced = _reusable_world(folder)
    world = kept or checked_world(order)
    with files.writing_world(world, out) if kept is None else nullcontext():
        count, mined, rejected = _mine_and_save(order, folder, world) if order.request.count else (0, False, {})
    resumed = kept is not None and not mined
    return Built(
        world.id,
        schema.name,
        order.seed,
        str(folder),
        world.facts,
        world.digest,
        count,
        order.request.count,
        resumed,
        rejected,
        replaced,
    )


def checked_world(order: Order) -> World:
    """Return the world of an order. Raises GenerationError, and ConsistencyError for one that breaks its own rules."""
    world = order.generate()
    report = check(world)
    if not report.ok:
        raise ConsistencyError(f"{world.id} breaks its rules: {report.violations[0]}")
    return world


def attempt(out: Path, order: Order) -> Built | Failed:
    """Make one world as `build` does, or say why its rules never held."""
    try:
        return build(order, out)
    except GenerationError as error:
        return failure(order, error)


def failure(order: Order, error: GenerationError) -> Failed:
    """Return what is reported of a seed that no world fits."""
    schema = load_schema(order.schema)
    fix = remedy(schema, error.rule, [order.seed]) if error.rule else None
    return Failed(schema.name, order.seed, f"{error} Or {fix}" if fix else str(error))


def _mine_and_save(order: Order, folder: Path, world: World) -> tuple[int, bool, Mapping[str, int]]:
    """Mine and keep the tasks asked for, or find them; return how many, whether mined, and what was rejected."""
    count = count_saved_tasks(folder, world, order.request)
    if count is not None:
        return count, False, {}
    mined = mine_request(world, order.request)
    save_tasks(folder, world, order.request, mined)
    return len(mined.tasks), True, mined.rejected


def _reusable_world(folder: Path) -> tuple[World | None, str]:
    """Return the world in `folder` where it is whole and made as it would be now; else None, and why it is not kept."""
    if not (folder / files.MANIFEST).is_file():
        return None, ""
    try:
        info = files.read_manifest(folder)
        world = files.load_world(folder)
    except FormatError as error:
        return None, str(error)
    if info.get("generator") != __version__:
        return None, f"worldsmith {info.get('generator')} wrote it, this is {__version__}"
    # Worlds of the same version without this field were made before it was recorded.
    recorded = info.get("made_with", world.made_with)
    if recorded == world.made_with:
        return world, ""
    before, now = _versions_text(recorded), _versions_text(world.made_with)
    return None, f"it was made with {before}, this version makes it with {now}"


def _versions_text(versions: Any) -> str:
    if not isinstance(versions, Mapping):
        return repr(versions)
    return ", ".join(f"{name} {version}" for name, version in versions.items()) or "no package"


def build_all(requested: Sequence[Order], jobs: int, out: Path) -> Iterator[Built | Failed]:
    """Build worlds in `out` and yield them in order, with `jobs` processes; the bytes don't depend on how many.

    A seed that no world fits is yielded as Failed. Once all were tried, the next seeds of its schema take the places of
    such seeds, until as many worlds are there as were asked for or `PATIENCE` seeds of the schema in a row have failed.

    Raises UsageError while another process builds into the same folder, and where it holds shards.
    """
    if not requested:
        return
    advice = "the same command goes on where it stopped; try fewer --jobs"
    pool = worker_pool(partial(attempt, out), min(jobs, len(requested)), advice, ahead=AHEAD)
    with files.locked_folder(out), pool as mapped:
        if shard_files(out):
            raise UsageError(f"{out} holds shards: name another folder, or go on with the --engine that wrote them")
        files.recover_unfinished(out)
        seeds = FollowingSeeds(Counter(order.schema for order in requested))
        while requested:
            for order, one in zip(requested, mapped(requested), strict=True):
                yield one
                seeds.tried(order, failed=isinstance(one, Failed))
            requested = seeds.replacements()


class FollowingSeeds:
    """The seeds that take the places of those which no world fits, schema by schema."""

    def __init__(self, counts: Counter[str]) -> None:
        """Take how many worlds of each schema are asked for."""
        self._following = counts
        self._streaks: Counter[str] = Counter()
        self._lacking: list[Order] = []

    def tried(self, order: Order, *, failed: bool) -> None:
        """Note how an order went; orders are noted in their sequence."""
        self._streaks[order.schema] = self._streaks[order.schema] + 1 if failed else 0
        self._lacking += [order] if failed else []

    def replacements(self) -> list[Order]:
        """Return an order for each that has failed since, but of schemas that failed `PATIENCE` times in a row."""
        made = []
        for order in self._lacking:
            if self._streaks[order.schema] < PATIENCE:
                made.append(replace(order, number=self._following[order.schema]))
                self._following[order.schema] += 1
        self._lacking = []
        return made
