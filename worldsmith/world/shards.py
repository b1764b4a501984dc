"""Worlds in shards: Parquet files of many worlds each, out of which one is read in milliseconds.

S/shard-00042.parquet holds worlds, S/tables/ and S/_tasks/ their rows and tasks under the same name, S/schemas/ every
schema and pattern bank once, by digest. Worlds lie in blocks of `BLOCK`; a block is a row group, read whole. A shard is
complete where its file of worlds is there: it is written last. `S/<world>` names a world as its folder would.
"""

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from pathlib import Path
from sys import intern
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from worldsmith.errors import FormatError
from worldsmith.world.model import World, table_bytes

if TYPE_CHECKING:
    import duckdb

BLOCK = 16
"""Worlds of a block: what is read to open one of them, and kept for its neighbours."""
INDEX_ROWS = 2048
"""Worlds of a row group of the index."""
BLOCKS_KEPT = 12
"""Blocks in memory, of all files together."""
TABLES, TASKS, SCHEMAS = "tables", "_tasks", "schemas"
"""Folders beside the files of worlds."""
KEY = "worldsmith"
"""Key of a shard's own figures among the metadata of its file."""

INDEX = "index.parquet"
"""Where the worlds of complete shards lie, sorted by id: one is looked up without reading of the others."""
PLACES = "SELECT world, shard, block, schema, as_of, facts, digest"
PLACES_OF_SHARDS = (
    "SELECT world, regexp_extract(filename, 'shard-(\\d+)\\.parquet$', 1)::UINTEGER AS shard, block, schema, as_of, "
    "facts, digest, file_row_number AS row FROM read_parquet(?, filename = true, file_row_number = true)"
)

WORLD_COLUMNS: Mapping[str, str] = {
    "block": "UINTEGER",
    "world": "VARCHAR",
    "schema": "VARCHAR",
    "kind": "VARCHAR",
    "as_of": "VARCHAR",
    "seed": "BIGINT",
    "facts": "UINTEGER",
    "digest": "VARCHAR",
    "language": "VARCHAR",
    "manifest": "VARCHAR",
}
"""`language` is the digest of the pattern bank, "" of a plain world; `manifest` what world.json has."""
TABLE_COLUMNS: Mapping[str, str] = {"block": "UINTEGER", "world": "VARCHAR", "name": "VARCHAR", "lines": "VARCHAR"}
"""`lines` has the bytes of tables/<name>.jsonl."""
TASK_COLUMNS: Mapping[str, str] = {
    "block": "UINTEGER",
    "number": "UINTEGER",
    "world": "VARCHAR",
    "task_id": "VARCHAR",
    "kind": "VARCHAR",
    "line": "VARCHAR",
}
"""`number` counts the tasks of a file from 0; `line` is what a file of tasks has."""


class WorldSummary(NamedTuple):
    """What lists of worlds say of one."""

    world: str
    schema: str
    as_of: str
    facts: int
    digest: str


class ShardPlace(NamedTuple):
    """Where a world lies among shards."""

    shard: int
    block: int
    summary: WorldSummary


def shard_file(folder: Path, number: int) -> Path:
    """Return the file of a shard in a folder: of its worlds, or, in a folder beside them, of tables or tasks."""
    return folder / f"shard-{number:05}.parquet"


def shard_number(file: Path) -> int | None:
    """Return the number of a shard by the name of one of its files, None where it is no such name."""
    match = re.fullmatch(r"shard-(\d{5,})\.parquet", file.name)
    return int(match[1]) if match else None


class Shards:
    """The shards of a folder: where each of their worlds lies, by which it is read alone. Safe to use from threads."""

    def __init__(self, folder: Path, files: Sequence[Path]) -> None:
        self.folder = folder
        self._files = files
        self._looked_up: dict[str, ShardPlace | None] = {}

    @cached_property
    def places(self) -> dict[str, ShardPlace]:
        """Where each world lies, in order. Raises FormatError where a file can't be read."""
        index = self.folder / INDEX
        rows = (
            _query(f"{PLACES} FROM read_parquet(?) ORDER BY shard, row", [str(index)], index) if index.is_file() else ()
        )
        return {row[0]: _place(*row) for row in rows or _query(PLACES_OF_SHARDS, [_names(self._files)], self.folder)}

    def place(self, world: str) -> ShardPlace | None:
        """Return where a world lies, None where it is in none of the shards; by the index where there is one."""
        if "places" in vars(self) or not (self.folder / INDEX).is_file():
            return self.places.get(world)
        if world not in self._looked_up:
            index = self.folder / INDEX
            rows = _query(f"{PLACES} FROM read_parquet(?) WHERE world = ?", [str(index), world], index)
            self._looked_up[world] = _place(*rows[0]) if rows else None
        return self._looked_up[world]

    def _known(self, world: str) -> ShardPlace:
        place = self.place(world)
        assert place is not None, world
        return place

    def worlds_of(self, number: int) -> list[str]:
        """Return the ids of the worlds of a shard, in order."""
        return [world for world, place in self.places.items() if place.shard == number]

    def tasks_file(self, world: str) -> Path:
        """Return the file that holds the tasks of a world, and of others."""
        return shard_file(self.folder / TASKS, self._known(world).shard)

    def manifest(self, world: str) -> tuple[str, Any]:
        """Return the digest of a world's pattern bank, "" without one, and its manifest. Raises FormatError."""
        place = self._known(world)
        rows = _block(shard_file(self.folder, place.shard), "world, language, manifest", place.block)
        for name, language, manifest in rows:
            if name == world:
                return language, orjson.loads(manifest)
        raise FormatError(f"{shard_file(self.folder, place.shard)}: {world} is not in block {place.block} any more")

    def table_lines(self, world: str) -> dict[str, str]:
        """Return the rows of a world as JSON lines, by table. Raises FormatError."""
        place = self._known(world)
        rows = _block(shard_file(self.folder / TABLES, place.shard), "world, name, lines", place.block)
        return {name: lines for one, name, lines in rows if one == world}

    def task_lines(self, world: str) -> list[tuple[int, str]]:
        """Return the tasks of a world as lines of JSON, each with its number in the file. Raises FormatError."""
        rows = _block(self.tasks_file(world), "world, number, line", self._known(world).block)
        return [(number, line) for one, number, line in rows if one == world]

    def replace_tasks(self, world: str, tasks: Iterable[tuple[str, str, str]]) -> None:
        """Put other tasks of a world, each with its id, kind and line, into the file of its shard. Raises OSError."""
        file, place = self.tasks_file(world), self._known(world)
        columns = "SELECT block, world, task_id, kind, line FROM read_parquet(?)"
        rows = _query(columns, [str(file)], file) if file.is_file() else []
        kept = [row for row in rows if row[1] != world] + [(place.block, world, *task) for task in tasks]
        order = {one: number for number, one in enumerate(self.worlds_of(place.shard))}
        kept.sort(key=lambda row: order[row[1]])
        write_parquet(file, TASK_COLUMNS, [(block, number, *rest) for number, (block, *rest) in enumerate(kept)])


def _place(world: str, shard: int, block: int, schema: str, as_of: str, facts: int, digest: str, *_: int) -> ShardPlace:
    return ShardPlace(shard, block, WorldSummary(world, intern(schema), intern(as_of), facts, digest))


def _names(files: Sequence[Path]) -> list[str]:
    return list(map(str, files))


def write_index(folder: Path) -> None:
    """Write the index of the shards of a folder, atomically. Raises FormatError, OSError."""
    part = folder / f".{INDEX}.{os.getpid()}.part"
    options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {INDEX_ROWS}"
    try:
        _query(
            f"COPY ({PLACES_OF_SHARDS} ORDER BY world) TO {quoted(str(part))} ({options})",
            [_names(shard_files(folder))],
            folder,
        )
        part.replace(folder / INDEX)
    finally:
        part.unlink(missing_ok=True)


def shards_in(folder: Path) -> Shards | None:
    """Return the shards of a folder, None where it has none. Raises FormatError."""
    try:
        return _opened(folder, folder.stat().st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return None


@lru_cache(maxsize=8)
def _opened(folder: Path, changed: int) -> Shards | None:  # noqa: ARG001 - of another time it is another folder
    files = shard_files(folder)
    # Folders of tables and tasks have files of the same names, and no schemas.
    return Shards(folder, files) if files and (folder / SCHEMAS).is_dir() else None


def shard_files(folder: Path) -> list[Path]:
    """Return the files of worlds of the shards of a folder, by number."""
    numbers = {file: shard_number(file) for file in folder.glob("shard-*.parquet")}
    return sorted((file for file, number in numbers.items() if number is not None), key=lambda file: numbers[file] or 0)


def figures_of(file: Path) -> Any:
    """Return the figures that the writer of a file of worlds kept in it. Raises FormatError."""
    for key, value in _query("SELECT key, value FROM parquet_kv_metadata(?)", [str(file)], file):
        if key == KEY.encode():
            return orjson.loads(value)
    raise FormatError(f"{file}: not a shard of worlds: its metadata has no {KEY!r}")


def stream_task_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file of tasks, each with its number, a block at a time. Raises FormatError."""
    (last,) = _query("SELECT max(block) FROM read_parquet(?)", [str(file)], file)
    for block in range(0 if last[0] is None else last[0] + 1):
        yield from ((number, line) for _, number, line in _block(file, "world, number, line", block))


def tasks_by_world(folder: Path) -> dict[str, int]:
    """Return how many tasks the shards of a folder have of each world. Raises FormatError."""
    files = shard_files(folder / TASKS)
    query = "SELECT world, count(*) FROM read_parquet(?) GROUP BY world"
    return dict(_query(query, [list(map(str, files))], folder / TASKS)) if files else {}


def task_line(file: Path, number: int) -> str | None:
    """Return a line of a file of tasks by its number, None where there is none. Raises FormatError."""
    blocks = _first_numbers(file, _state(file))
    block = max((block for first, block in blocks if first <= number), default=None)
    rows = _block(file, "world, number, line", block) if block is not None else ()
    return next((line for _, one, line in rows if one == number), None)


@lru_cache(maxsize=BLOCKS_KEPT)
def _first_numbers(file: Path, state: object) -> tuple[tuple[int, int], ...]:  # noqa: ARG001 - of the file as it is
    rows = _query("SELECT min(number), block FROM read_parquet(?) GROUP BY block", [str(file)], file)
    return tuple((first, block) for first, block in rows)


def _block(file: Path, columns: str, block: int) -> list[Any]:
    return _kept_block(file, columns, block, _state(file))


@lru_cache(maxsize=BLOCKS_KEPT)
def _kept_block(file: Path, columns: str, block: int, state: object) -> list[Any]:  # noqa: ARG001 - of the file as it is
    return _query(f"SELECT {columns} FROM read_parquet(?) WHERE block = ?", [str(file), block], file)  # noqa: S608 - ours


def _state(file: Path) -> object:
    """Return what changes with a file. Raises FormatError where there is none."""
    try:
        stat = file.stat()
    except OSError as error:
        raise FormatError(f"{file}: can't be read: {error.strerror}") from None
    return stat.st_ino, stat.st_mtime_ns


_lock = Lock()


def _query(query: str, values: Sequence[Any], file: Path) -> list[Any]:
    """Return the rows of a query about a file. Raises FormatError."""
    import duckdb  # noqa: PLC0415 - commands over folders of worlds do without

    # One connection answers one thread at a time: shared, it mixes up their rows.
    with _lock:
        try:
            return _connection(os.getpid()).execute(query, values).fetchall()
        except (duckdb.Error, OSError) as error:
            reason = str(error).partition("\n")[0]
            raise FormatError(f"{file}: not a shard of worlds that can be read: {reason}") from None


@cache
def _connection(process: int) -> "duckdb.DuckDBPyConnection":  # noqa: ARG001 - each process has its own
    # An inherited one is kept: to close it would wait for threads that a fork has left behind.
    return _connected()


def _connected() -> "duckdb.DuckDBPyConnection":
    """Return a connection with a database of its own, in which one thread writes the same bytes every time."""
    import duckdb  # noqa: PLC0415 - as above

    connection = duckdb.connect(config={"threads": 1, "preserve_insertion_order": True})
    connection.execute("SET enable_progress_bar = false")
    return connection


def world_row(world: World, block: int, manifest: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the row of a world in a file of worlds."""
    schema, language = world.schema, world.schema.bank.digest if world.schema.bank else ""
    text = orjson.dumps(manifest).decode()
    figures = (world.seed, world.facts, world.digest)
    return (block, world.id, schema.name, schema.kind, schema.as_of, *figures, language, text)


def table_rows(world: World, block: int) -> list[tuple[Any, ...]]:
    """Return the rows of a world in a file of tables."""
    return [(block, world.id, name, table_bytes(columns).decode()) for name, columns in world.tables.items()]


def write_parquet(
    file: Path, columns: Mapping[str, str], rows: Sequence[Sequence[Any]], figures: Mapping[str, Any] | None = None
) -> None:
    """Write rows as a file, atomically, each block as a row group; the same bytes by the same version of DuckDB.

    The first column is the block. Raises OSError.
    """
    import duckdb  # noqa: PLC0415 - as above

    part = file.with_name(f".{file.name}.{os.getpid()}.part")  # of a retried shard two processes may be alive
    declared = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    lists = ", ".join(["unnest(?)"] * len(columns))
    blocks = [f"SELECT * FROM shard WHERE block = {block}" for block in sorted({row[0] for row in rows})]  # noqa: S608
    kept = f", KV_METADATA {{{KEY}: {quoted(orjson.dumps(figures).decode())}}}" if figures is not None else ""
    options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 1{kept}"
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with _connected() as connection:
            connection.execute(f"CREATE TEMP TABLE shard ({declared})")
            if rows:
                values = [list(column) for column in zip(*rows, strict=True)]
                connection.execute(f"INSERT INTO shard SELECT {lists}", values)
            # Blocks that are selected apart become row groups of their own.
            source = " UNION ALL ".join(blocks) or "SELECT * FROM shard"
            connection.execute(f"COPY ({source}) TO {quoted(str(part))} ({options})")
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.replace(file)
    except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
        raise OSError(errno.EIO, str(error), str(file)) from None
    finally:
        with suppress(OSError):
            part.unlink()


def quoted(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def remove_parts(folder: Path) -> None:
    """Remove what killed writers of shards have left in a folder."""
    places: Iterable[Path] = (folder, folder / TABLES, folder / TASKS, folder / SCHEMAS)
    for place in places:
        for part in place.glob(".*.part"):
            if part.is_file():
                part.unlink(missing_ok=True)
