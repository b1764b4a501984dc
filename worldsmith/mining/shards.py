"""Many worlds in shards: which worlds each holds, how one is made; and all, by an engine, resumed and retried."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from worldsmith import __version__
from worldsmith.errors import GenerationError, UsageError, WorldsmithError
from worldsmith.mining.batch import FollowingSeeds, Order, checked_world, distinct_schemas, failure
from worldsmith.mining.engines import Engine
from worldsmith.mining.files import request_record, task_bytes
from worldsmith.mining.pipeline import MiningRequest, mine_request
from worldsmith.schema import DEFAULT_KNOBS, Knobs, Language, Split
from worldsmith.world import files, shards
from worldsmith.world.model import canonical_json

SHARD_SIZE = 200
"""Worlds of a shard by default: what is lost where a process dies."""
ROUNDS = 3
"""Rounds in a row in which no shard was written, before those that fail are given up."""
SHOWN = 5
"""Shards named in an error."""


@dataclass(frozen=True)
class ShardPlan:
    """The worlds of a command in the order of `batch.orders`, `size` of them to a shard."""

    schemas: tuple[str, ...]
    count: int
    seed: int
    request: MiningRequest
    knobs: Knobs = DEFAULT_KNOBS
    language: Language | None = None
    split: Split = "all"
    size: int = SHARD_SIZE
    replacements: tuple[tuple[Order, ...], ...] = ()
    """The orders of further shards, in place of seeds that no world fits."""

    @property
    def planned(self) -> int:
        """The number of shards without those of replacements."""
        return -(-self.count // self.size)

    def orders(self, number: int) -> tuple[Order, ...]:
        """Return the orders of a shard."""
        if number >= self.planned:
            return self.replacements[number - self.planned]
        places = range(number * self.size, min(self.count, (number + 1) * self.size))
        turns = (divmod(place, len(self.schemas)) for place in places)
        options = (self.request, self.knobs, self.language, self.split)
        return tuple(Order(self.schemas[which], self.seed, turn, *options) for turn, which in turns)

    def made_of(self, number: int) -> dict[str, Any]:
        """Return all that the bytes of a shard depend on, but the version of DuckDB."""
        orders = self.orders(number)
        schemas = {name: self._spoken(name) for name in self.schemas}
        worlds = canonical_json([[schemas[order.schema], order.number] for order in orders])
        return {
            "generator": __version__,
            "seed": str(self.seed),
            "schemas": list(schemas.values()),
            "count": self.count,
            "shard size": self.size,
            "knobs": self.knobs.to_json(),
            "tasks": self.request.recorded() if self.request.count else None,
            "worlds": sha256(worlds).hexdigest(),
        }

    def _spoken(self, name: str) -> str:
        schema = replace(self.orders(0)[0], schema=name).spoken_schema
        return f"{schema.digest} {schema.bank.digest if schema.bank else 'plain'}"


def shard_plan(
    schemas: Sequence[str],
    count: int | None,
    seed: int,
    request: MiningRequest,
    knobs: Knobs = DEFAULT_KNOBS,
    language: Language | None = None,
    split: Split = "all",
    size: int = SHARD_SIZE,
) -> ShardPlan:
    """Return the plan of a command. Raises as `distinct_schemas` does."""
    names = tuple(distinct_schemas(schemas, knobs))
    return ShardPlan(names, len(names) if count is None else count, seed, request, knobs, language, split, size)


@dataclass(frozen=True, slots=True)
class BuiltShard:
    """A shard that was made, or found complete from an earlier run."""

    shard: int
    path: str
    worlds: int
    facts: int
    tasks: Mapping[str, int]
    """By schema."""
    short: int
    """Worlds with fewer tasks than were asked for."""
    failed: Sequence[Mapping[str, Any]]
    """The seeds that no world fits, each with the place of its order."""
    digest: str
    """sha256 over the digests of its worlds and of their tasks."""
    resumed: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class FailedShard:
    """A shard that could not be written."""

    shard: int
    error: str


def make_shard(plan: ShardPlan, out: Path, number: int) -> BuiltShard | FailedShard:
    """Make a shard: generate, check and mine its worlds and write them; or return the one that is complete."""
    try:
        return saved_shard(plan, out, number) or _write_shard(plan, out, number)
    except (OSError, WorldsmithError) as error:
        return FailedShard(number, str(error))


def saved_shard(plan: ShardPlan, out: Path, number: int) -> BuiltShard | None:
    """Return a shard that is complete, None where it isn't.

    Raises UsageError where it was made of other things, FormatError where it can't be read.
    """
    file = shards.shard_file(out, number)
    if not file.is_file():
        return None
    figures, made_of = shards.figures_of(file), plan.made_of(number)
    recorded = figures["made_of"]
    if differing := [name for name in made_of if recorded.get(name) != made_of[name]]:
        name = differing[0]
        what = f"{name} {recorded.get(name)}, not {made_of[name]}" if name in {"generator", "seed", "count"} else name
        raise UsageError(f"{file} was made by another command ({what}): name another folder, or remove its shards")
    return BuiltShard(number, str(file), **figures["built"], resumed=True)


def _write_shard(plan: ShardPlan, out: Path, number: int) -> BuiltShard:
    worlds: list[tuple[Any, ...]] = []
    tables: list[tuple[Any, ...]] = []
    tasks: list[tuple[Any, ...]] = []
    records: dict[str, Any] = {}
    failed: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    digests, facts, short = sha256(), 0, 0
    for place, order in enumerate(plan.orders(number)):
        try:
            world = checked_world(order)
        except GenerationError as error:
            failed.append({"place": place, **failure(order, error).to_json()})
            continue
        block = len(worlds) // shards.BLOCK
        mined = mine_request(world, order.request).tasks if order.request.count else ()
        lines = [orjson.dumps(task.to_json()) for task in mined]
        worlds.append(shards.world_row(world, block, files.manifest(world)))
        tables += shards.table_rows(world, block)
        named = enumerate(zip(mined, lines, strict=True), len(tasks))
        tasks += [(block, n, world.id, task.task_id, task.kind, line.decode()) for n, (task, line) in named]
        if order.request.count:
            records[world.id] = request_record(task_bytes(lines), world, order.request)
        digests.update(canonical_json([world.digest, [sha256(line).hexdigest() for line in lines]]))
        facts += world.facts
        short += len(mined) < order.request.count
        counts[world.schema.name] += len(mined)
    file = shards.shard_file(out, number)
    built: dict[str, Any] = {
        "worlds": len(worlds),
        "facts": facts,
        "tasks": dict(sorted(counts.items())),
        "short": short,
        "failed": failed,
        "digest": digests.hexdigest(),
    }
    shards.write_parquet(out / shards.TABLES / file.name, shards.TABLE_COLUMNS, tables)
    if plan.request.count:
        shards.write_parquet(out / shards.TASKS / file.name, shards.TASK_COLUMNS, tasks)
        files.write_file(out / shards.TASKS / f"{file.stem}.json", files.indented_json(records))
    figures = {"made_of": plan.made_of(number), "built": built}
    shards.write_parquet(file, shards.WORLD_COLUMNS, worlds, figures)
    return BuiltShard(number, str(file), **built)


def build_shards(plan: ShardPlan, engine: Engine, jobs: int, out: Path) -> Iterator[BuiltShard]:
    """Make the shards of a plan in `out` and yield them, in any order; those that are complete are kept.

    The bytes depend neither on the engine nor on `jobs`. A shard that fails is tried again, until `ROUNDS` rounds in a
    row have written none. Seeds that no world fits are replaced by the next ones of their schema, in further shards, as
    `build_all` replaces them.

    Raises:
        UsageError: another process writes there, it holds folders of worlds, or a shard was made of other things.
        WorldsmithError: shards that failed: it names them and says why.
    """
    with files.locked_folder(out):
        if any(out.glob(f"*/{files.MANIFEST}")):
            raise UsageError(f"{out} holds worlds in folders of their own: name another folder for shards")
        shards.remove_parts(out)
        (out / shards.INDEX).unlink(missing_ok=True)
        _save_schemas(plan, out)
        turns, rest = divmod(plan.count, len(plan.schemas))
        seeds = FollowingSeeds(Counter({name: turns + (i < rest) for i, name in enumerate(plan.schemas)}))
        numbers = list(range(plan.planned))
        while numbers:
            failed: dict[int, set[int]] = {}
            for built in _all_shards(plan, engine, jobs, out, numbers):
                failed[built.shard] = {one["place"] for one in built.failed}
                yield built
            for number in numbers if any(failed.values()) else ():
                for place, order in enumerate(plan.orders(number)):
                    seeds.tried(order, failed=place in failed[number])
            orders = seeds.replacements()
            further = tuple(tuple(orders[i : i + plan.size]) for i in range(0, len(orders), plan.size))
            first = plan.planned + len(plan.replacements)
            numbers = list(range(first, first + len(further)))
            plan = replace(plan, replacements=(*plan.replacements, *further))
        shards.remove_parts(out)
        shards.write_index(out)


def _save_schemas(plan: ShardPlan, out: Path) -> None:
    """Write each schema and pattern bank once, by digest, before the worlds that name them."""
    (out / shards.SCHEMAS).mkdir(parents=True, exist_ok=True)
    for name in plan.schemas:
        schema = replace(plan.orders(0)[0], schema=name).spoken_schema
        contents = {schema.digest: schema.source} | ({schema.bank.digest: schema.bank.data} if schema.bank else {})
        for digest, content in contents.items():
            path = out / shards.SCHEMAS / f"{digest}.json"
            if not path.is_file():
                files.write_file(path, files.indented_json(content))


def _all_shards(plan: ShardPlan, engine: Engine, jobs: int, out: Path, numbers: Sequence[int]) -> Iterator[BuiltShard]:
    """Yield the shards of some numbers, those first that are complete. Raises as `build_shards` does."""
    pending, reasons = set(numbers), dict[int, str]()
    for number in numbers:
        if built := saved_shard(plan, out, number):
            pending.discard(number)
            yield built
    make: Callable[[int], BuiltShard | FailedShard] = partial(make_shard, plan, out)
    idle = 0
    while pending and idle < ROUNDS:
        idle += 1
        try:
            for outcome in engine(make, sorted(pending), min(jobs, len(pending))):
                if isinstance(outcome, FailedShard):
                    reasons[outcome.shard] = outcome.error
                    continue
                idle = 0
                pending.discard(outcome.shard)
                yield outcome
        except UsageError:
            raise
        except WorldsmithError as error:
            reasons |= dict.fromkeys(pending - reasons.keys(), str(error))
    if pending:
        lines = [f"\n  shard {n}: {reasons[n]}" for n in sorted(pending)[:SHOWN]]
        more = [f"\n  … and {len(pending) - SHOWN} more"] if len(pending) > SHOWN else []
        fix = "run the same command again: it makes them alone"
        raise WorldsmithError(f"{len(pending)} of {len(numbers)} shards failed; {fix}:{''.join(lines + more)}")
