"""Worlds on disk: OUT/<world>/{world.json, schema.json, tables/*.jsonl}, tasks apart in OUT/_tasks/; or in shards.

A world is named by a path, OUT/<world>, whether it is a folder or lies in shards of OUT (`WorldFiles`).

Nothing is ever half-written: a file is written beside its place, flushed, renamed, and its folder flushed; a world's
folder appears whole, with its manifest, after its tasks. A write that fails removes its parts; what a killed
process leaves behind is removed by the next one that writes worlds there.
"""

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import orjson

from worldsmith import __version__
from worldsmith.errors import FormatError, NotFoundError, UsageError, close_match
from worldsmith.schema import Knobs, Schema, Value, foreground, parse_schema, structure_of, with_bank
from worldsmith.schema.scaling import apply_knobs
from worldsmith.world.model import FORMAT, World, table_bytes, world_id
from worldsmith.world.shards import (
    SCHEMAS,
    TABLES,
    Shards,
    WorldSummary,
    shard_files,
    shard_number,
    shards_in,
    stream_task_lines,
)

MANIFEST = "world.json"
LANGUAGE = "language.json"
"""The pattern bank of a world whose pages are natural."""
MOST = 10**12
"""Largest number of a cell: expressions are exact up to here in every engine."""
BOM = b"\xef\xbb\xbf"
RESTORE = "take it from a copy, or generate it again"


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically: a reader sees the old one or the new one, and so does a restart after a crash."""
    _write_parts(path, [data])


def _write_parts(path: Path, data: Iterable[bytes]) -> None:
    """Write a file as `write_file` does, from its parts in order."""
    part = path.with_name(f".{path.name}.part")
    try:
        _write(part, data)
        part.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None  # the part is nothing a user has named
    finally:
        with suppress(OSError):
            part.unlink()  # there is none once it has taken the file's place
    _flush_folder(path.parent)


def _write(path: Path, data: Iterable[bytes]) -> None:
    try:
        with path.open("wb") as file:
            file.writelines(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        # A full disk names no file by itself.
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def locked_folder(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Hold `folder` (made where it is missing) for one process; the lock leaves no file and ends with the process.

    With `shared` several processes may hold it, none of which writes worlds.

    Raises UsageError where another process holds it.
    """
    made = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"{folder}: another process is writing there; wait for it, or name another folder") from None
    else:
        yield
    finally:
        os.close(handle)
        if made:
            with suppress(OSError):  # it isn't empty
                folder.rmdir()


@contextmanager
def staged_files(out: Path) -> Iterator[Path]:
    """Yield a folder whose files are moved into `out` (made where it is missing) once the block has ended.

    Files of the same names are replaced, README.md last: where it is there, all others are. Where the block fails,
    `out` is left as it was. Raises UsageError where another process holds `out`.
    """
    part = out / ".part"
    with locked_folder(out):
        shutil.rmtree(part, ignore_errors=True)
        try:
            part.mkdir()
            yield part
            files = sorted(p for p in part.rglob("*") if p.is_file())
            for file in sorted(files, key=lambda file: file == part / "README.md"):
                place = out / file.relative_to(part)
                place.parent.mkdir(parents=True, exist_ok=True)
                file.replace(place)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        _flush_folder(out)


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def manifest(world: World) -> dict[str, Any]:
    """Return the contents of world.json: what made the world, and what proves its bytes."""
    return {
        "format": FORMAT,
        "world": world.id,
        "schema": world.schema.name,
        "kind": world.schema.kind,
        "as_of": world.schema.as_of,
        "seed": world.seed,
        "switches": sorted(world.schema.switches),
        **({"knobs": world.schema.knobs.to_json()} if world.schema.knobs.turned else {}),
        **({"language": world.language} if world.language != "plain" else {}),
        **({"background": world.background} if world.background else {}),
        "facts": world.facts,
        "digest": world.digest,
        "schema_digest": world.schema.digest,
        "values": {name: list(items) for name, items in world.values.items()},
        "tables": {name: {"rows": world.size(name), "sha256": digest} for name, digest in world.table_digests.items()},
        "generator": __version__,
        "made_with": world.made_with,
    }


def save_world(world: World, out: Path) -> Path:
    """Write a world to `out`/<world> and return that folder; an older folder of that name is replaced."""
    with writing_world(world, out) as folder:
        return folder


@contextmanager
def writing_world(world: World, out: Path) -> Iterator[Path]:
    """Write a world beside `out`/<world>, which it becomes once the block has ended.

    Its tasks are written in the block, so a world in its place is complete, including its tasks. Where the block or a
    write fails, neither is left, and an older world of that name stays.
    """
    folder, part, old = _places(out, world.id)
    remove_leftovers(out, world.id)
    try:
        (part / "tables").mkdir(parents=True)
        for name, columns in world.tables.items():
            _write(part / "tables" / f"{name}.jsonl", [table_bytes(columns)])
        _write(part / "schema.json", [indented_json(world.schema.source)])
        if world.schema.bank:
            _write(part / LANGUAGE, [indented_json(world.schema.bank.data)])
        _write(part / MANIFEST, [indented_json(manifest(world))])
        for inner in (part / "tables", part):
            _flush_folder(inner)
        yield folder
        if folder.exists():
            folder.rename(old)
        part.rename(folder)
        _flush_folder(out)
    finally:
        remove_leftovers(out, world.id)


def _places(out: Path, world: str) -> tuple[Path, Path, Path]:
    """Return the folders of a world: its own, the one it is written in, and the one for the world it replaces."""
    return out / world, out / f".{world}.part", out / f".{world}.old"


def remove_leftovers(out: Path, world: str) -> None:
    """Remove what an unfinished run has left of a world, and restore the world it was about to replace."""
    folder, part, old = _places(out, world)
    if old.is_dir() and not folder.exists():
        old.rename(folder)
    if part.is_dir():
        _clean_tasks(folder)
    for left in (part, old):
        shutil.rmtree(left, ignore_errors=True)


def _clean_tasks(folder: Path) -> None:
    """Remove the tasks of a world that was never put in its place; those of the world in that place stay."""
    path = tasks_file(folder)
    try:
        first = read_jsonl(path)[:1] if path.is_file() else []
        kept = bool(first) and first[0]["world_digest"] == read_manifest(folder)["digest"]
    except (FormatError, KeyError, TypeError):
        kept = False
    if not kept:
        for file in (path, path.with_suffix(".json")):
            file.unlink(missing_ok=True)
        with suppress(OSError):  # it holds other tasks, or is not there
            path.parent.rmdir()


def recover_unfinished(out: Path) -> None:
    """Remove what killed processes have left in `out`, whichever worlds they were writing.

    The caller holds `out` (`locked_folder`): no other process writes there.
    """
    for left in (*out.glob(".*.part"), *out.glob(".*.old")):
        if left.is_dir():
            remove_leftovers(out, left.name.removesuffix(left.suffix)[1:])
    for part in out.glob("_*/.*.part"):
        part.unlink(missing_ok=True)


def indented_json(value: Any) -> bytes:
    """Return indented JSON: the bytes of world.json and schema.json."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def read_json(path: Path) -> Any:
    """Return the JSON in a file; FormatError says what can't be read and where."""
    try:
        return orjson.loads(path.read_bytes().removeprefix(BOM))
    except OSError as error:
        raise FormatError(f"{path}: can't be read: {error.strerror}") from None
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{path}: not JSON: {error}") from None


def read_jsonl(path: Path) -> list[Any]:
    """Return the values of a JSON lines file; a truncated last line is an error like any other."""
    return [value for _, value in numbered_jsonl(path)]


def numbered_jsonl(path: Path) -> list[tuple[int, Any]]:
    """Return what `read_jsonl` does, each value with the number of its line, from 1."""
    return [(number, value) for number, _, value in stream_jsonl(path)]


def stream_jsonl(path: Path) -> Iterator[tuple[int, int, Any]]:
    """Yield the values of a JSON lines file, each with the number of its line and the offset of its first byte.

    Of a shard's file of tasks likewise, the offset being the number of the row from 0.
    """
    if shard_number(path) is not None:
        yield from ((row + 1, row, parsed_line(path, row + 1, text)) for row, text in stream_task_lines(path))
        return
    number = offset = 0
    try:
        # Only \n ends a line: texts may hold U+2028, which str.splitlines() would split at.
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                text = (line.removeprefix(BOM) if number == 1 else line).removesuffix(b"\n")
                if text.strip():
                    yield number, offset, orjson.loads(text)
                offset += len(line)
    except OSError as error:
        fix = ": name a .jsonl file in it" if path.is_dir() else ""
        raise FormatError(f"{path}: can't be read: {error.strerror}{fix}") from None
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{path}, line {number}: not JSON: {error}") from None


def parsed_line(path: Path, number: int, line: str) -> Any:
    """Return the JSON in a line of a file. Raises FormatError."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{path}, line {number}: not JSON: {error}") from None


class WorldFiles(Protocol):
    """The parts of one world, wherever it is kept. Each method raises FormatError for what can't be read."""

    def manifest(self) -> Any:
        """Return the contents of world.json."""
        ...

    def schema(self, *, natural: bool) -> Schema:
        """Return the schema, with its pattern bank where the world is `natural`."""
        ...

    def rows(self, table: str) -> list[Any]:
        """Return the rows of a table."""
        ...

    def wordings(self) -> str:
        """Return which wordings it was written in: "train", "test", or "all"."""
        ...


class FolderFiles:
    """A world in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def manifest(self) -> Any:
        """Return the contents of world.json."""
        return read_json(self._folder / MANIFEST)

    def schema(self, *, natural: bool) -> Schema:
        """Return the schema."""
        return _read_schema(self._folder / "schema.json", self._folder / LANGUAGE if natural else None)

    def rows(self, table: str) -> list[Any]:
        """Return the rows of a table."""
        return read_jsonl(self._folder / "tables" / f"{table}.jsonl")

    def wordings(self) -> str:
        """Return which wordings it was written in."""
        path = self._folder / LANGUAGE
        return str(read_json(path).get("split", "all")) if path.is_file() else "all"


class ShardFiles:
    """A world in a shard."""

    def __init__(self, shards: Shards, world: str) -> None:
        self._shards, self._world = shards, world
        self._lines: dict[str, str] | None = None

    def manifest(self) -> Any:
        """Return the contents of world.json."""
        return self._shards.manifest(self._world)[1]

    def schema(self, *, natural: bool) -> Schema:
        """Return the schema, the same object for all worlds that have it."""
        language, info = self._shards.manifest(self._world)
        folder = self._shards.folder / SCHEMAS
        bank = folder / f"{language}.json" if natural else None
        return _shared_schema(folder / f"{info['schema_digest']}.json", bank)

    def rows(self, table: str) -> list[Any]:
        """Return the rows of a table."""
        if self._lines is None:
            self._lines = self._shards.table_lines(self._world)
        lines = self._lines.get(table)
        if lines is None:
            raise FormatError(f"{self._shards.folder / self._world}: table {table} is not in its shard; {RESTORE}")
        items = lines.rstrip().replace("\n", ",")
        try:
            return list(orjson.loads(f"[{items}]"))
        except orjson.JSONDecodeError as error:
            raise FormatError(f"{self._shards.folder / self._world}: table {table}: not JSON: {error}") from None

    def wordings(self) -> str:
        """Return which wordings it was written in."""
        bank = self.schema(natural=bool(self._shards.manifest(self._world)[0])).bank
        return bank.split if bank else "all"


def _read_schema(path: Path, language: Path | None) -> Schema:
    source = read_json(path)
    if not isinstance(source, dict):
        raise FormatError(f"{path}: not a schema: it holds no object")
    schema = parse_schema(source, str(path))
    return schema if language is None else with_bank(schema, read_json(language), str(language))


_shared_schema = lru_cache(maxsize=64)(_read_schema)
"""Files that are named by the digest of what they hold don't change."""


def world_files(path: Path) -> WorldFiles:
    """Return the parts of the world that a path names: a folder, or a place among shards. Raises FormatError."""
    shards = shards_with(path)
    return ShardFiles(shards, path.name) if shards else FolderFiles(path)


def shards_with(path: Path) -> Shards | None:
    """Return the shards in which the world lies that a path names, None where it has a folder. Raises FormatError."""
    shards = None if (path / MANIFEST).is_file() else shards_in(path.parent)
    return shards if shards and shards.place(path.name) else None


def read_summary(path: Path) -> WorldSummary:
    """Return what lists of worlds say of one. Raises FormatError where its manifest can't be read."""
    if (shards := shards_with(path)) and (place := shards.place(path.name)):
        return place.summary
    info = read_manifest(path)
    try:
        return WorldSummary(
            str(info["world"]), str(info["schema"]), str(info["as_of"]), int(info["facts"]), str(info["digest"])
        )
    except (KeyError, TypeError, ValueError):
        raise FormatError(f"{path / MANIFEST}: not a world's manifest; {RESTORE}") from None


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the contents of a world's world.json; FormatError where it can't be read, or is of no known format."""
    path = folder / MANIFEST
    try:
        info = world_files(folder).manifest()
    except FormatError as error:
        raise FormatError(f"{error}; {RESTORE}") from None
    if not isinstance(info, dict) or not isinstance(info.get("format"), int):
        raise FormatError(f'{path}: not a world\'s manifest: it has no number as "format"; {RESTORE}')
    return info


def load_world(folder: Path, *, verify: bool = True) -> World:
    """Read a world.

    With `verify` its bytes must be those its manifest names (FormatError says which are not); without, a
    world that someone has edited is read as it is, to be checked.
    """
    info = read_manifest(folder)
    if info["format"] > FORMAT:
        raise FormatError(f"{folder}: written in format {info['format']}, this version reads up to {FORMAT}: upgrade")
    try:
        world = _read_world(folder, info)
    except UsageError as error:
        raise FormatError(f"{error}; {RESTORE}") from None
    except KeyError as error:
        raise FormatError(f"{folder / MANIFEST}: not a world's manifest: {error} is missing; {RESTORE}") from None
    except (TypeError, AttributeError, ValueError):
        raise FormatError(
            f"{folder / MANIFEST}: not a world's manifest: a value is of a wrong type; {RESTORE}"
        ) from None
    if verify:
        for problem in manifest_mismatches(world, info)[:1]:
            raise FormatError(f"{folder}: {problem}; `worldsmith check` says what is wrong with it")
    return world


def _read_world(folder: Path, info: Mapping[str, Any]) -> World:
    parts = world_files(folder)
    schema = parts.schema(natural=info.get("language") == "natural")
    structure = structure_of(schema, info["switches"])
    structure = _under_knobs(structure if schema.bank else foreground(structure), folder, info)
    values: Mapping[str, tuple[Value, ...]] = {name: tuple(items) for name, items in info["values"].items()}
    if any(isinstance(v, dict | list) for items in values.values() for v in items):
        raise FormatError(f"{folder / MANIFEST}: not a world's manifest: its lists hold more than plain values")
    tables = {name: _read_table(folder, parts, structure, name) for name in structure.tables}
    return World(info["world"], structure, info["seed"], tables, values)


def _under_knobs(structure: Schema, folder: Path, info: Mapping[str, Any]) -> Schema:
    try:
        return apply_knobs(structure, Knobs.from_json(info.get("knobs", {})))
    except UsageError as error:
        raise FormatError(f"{folder / MANIFEST}: {error}") from None


def manifest_mismatches(world: World, info: Mapping[str, Any]) -> list[str]:
    """Return what differs between a world and its manifest."""
    tables = info.get("tables")
    recorded = tables if isinstance(tables, dict) else {}
    mismatches = [
        f"table {name} is not the one the manifest names (sha256 {digest[:12]}…)"
        for name, digest in world.table_digests.items()
        if recorded.get(name) != {"rows": world.size(name), "sha256": digest}
    ]
    if not mismatches and info.get("digest") != world.digest:
        mismatches.append("the schema or the value lists are not those the manifest names")
    recorded = {name: info.get(name) for name in ("world", "schema", "kind", "as_of", "facts")}
    actual: dict[str, Value] = {
        "world": world_id(world.schema, world.seed, world.schema.knobs),
        "schema": world.schema.name,
        "kind": world.schema.kind,
    }
    actual |= {"as_of": world.schema.as_of, "facts": world.facts}
    mismatches += [
        f"{name} is {recorded[name]!r} in the manifest; it should be {actual[name]!r}"
        for name in actual
        if recorded[name] != actual[name]
    ]
    return mismatches


def _read_table(folder: Path, parts: WorldFiles, structure: Schema, name: str) -> dict[str, list[Value]]:
    path = folder / "tables" / f"{name}.jsonl"
    names = structure.tables[name].names
    rows, known = parts.rows(name), set(names)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or row.keys() != known:
            raise FormatError(f"{path}, row {number}: {_odd_columns(row, known)}")
    columns = {column: [row[column] for row in rows] for column in names}
    for column, values in columns.items():
        kinds = set(map(type, values))  # of a whole column at once: opening a world has to be fast
        if dict in kinds or list in kinds or int in kinds:
            _refuse_odd(path, column, values)
    return columns


def _odd_columns(row: Any, known: set[str]) -> str:
    if not isinstance(row, dict):
        return "not an object"
    missing, unknown = sorted(known - row.keys()), sorted(row.keys() - known)
    listed = (("missing", missing), ("unknown", unknown))
    return "; ".join(f"{what} columns: {', '.join(names)}" for what, names in listed if names)


def _refuse_odd(path: Path, column: str, values: Sequence[Any]) -> None:
    """Raise FormatError for a value that no column can hold, with its row."""
    for number, value in enumerate(values, 1):
        if value.__class__ in {dict, list}:
            raise FormatError(f"{path}, row {number}: {column} is no plain value: {value!r}")
        if value.__class__ is int and not -MOST <= value <= MOST:
            raise FormatError(f"{path}, row {number}: {column} = {value} is beyond {MOST}")


def world_folders(paths: Iterable[Path]) -> list[Path]:
    """Return the paths of the worlds that `paths` name: worlds, folders of worlds, shards; each once.

    Those of a folder of worlds are sorted, those of shards in the order of their rows.

    A folder without world.json is skipped (see `folders_without_manifest`), and so are `_tasks` and the like among
    several paths: `worlds/*` names them too. Raises NotFoundError where a path leads to no world at all.
    """
    named = list(paths)
    folders: list[Path] = []
    for path in [path for path in named if path.name[:1] != "_" or (path / MANIFEST).is_file()] or named:
        if (path / MANIFEST).is_file():
            folders.append(path)
            continue
        if sharded := worlds_in_shards(path):
            folders += sharded
            continue
        inside = sorted(p.parent for p in path.glob(f"*/{MANIFEST}") if not p.parent.name.startswith("."))
        if not inside:
            others = [p.parent.name for p in path.parent.glob(f"*/{MANIFEST}")] if not path.exists() else []
            others += shards.places if not path.exists() and (shards := shards_in(path.parent)) else ()
            near = close_match(path.name, others) if others else ""
            near += "".join(f" {why}." for why in folders_without_manifest([path]).values() if why)
            fix = near or f" Make some with `worldsmith generate --out {path}`."
            if not path.is_dir():
                fix = near or " Name a folder that `worldsmith generate --out` has written."
            raise NotFoundError(f"{path}: no world there{_absence(path)} (a world is a folder with {MANIFEST}).{fix}")
        folders += inside
    return list(dict.fromkeys(folders))


def worlds_in_shards(path: Path) -> list[Path]:
    """Return the worlds in shards that a path names: a folder of shards, a shard, or one world of it."""
    if shards := shards_in(path):
        return [path / world for world in shards.places]
    shards, number = None if path.is_dir() else shards_in(path.parent), shard_number(path)
    if shards and number is not None:
        return [path.parent / world for world in shards.worlds_of(number)]
    return [path] if shards and shards.place(path.name) else []


def folders_by_id(folders: Iterable[Path]) -> dict[str, Path]:
    """Return the paths of worlds by their ids. Raises UsageError where two hold the same world."""
    by_id: dict[str, Path] = {}
    for folder in folders:
        world = read_summary(folder).world
        if by_id.setdefault(world, folder) is not folder:
            raise UsageError(f"world {world!r} is given twice: {by_id[world]}, {folder}")
    return by_id


def _absence(path: Path) -> str:
    if not path.exists():
        return ", no such folder"
    return "" if path.is_dir() else ", it is no folder"


def folders_without_manifest(paths: Iterable[Path]) -> dict[Path, str]:
    """Return the folders of `paths` without world.json: for each, which part of a world is left there, "" for none.

    Folders whose names start with a dot or an underscore are ours and left out.
    """
    inside = [child for path in paths if not (path / MANIFEST).is_file() for child in path.glob("*/")]
    ours = {TABLES, SCHEMAS} if any(map(shard_files, paths)) else set[str]()
    return {
        child: _incomplete_world(child)
        for child in sorted(set(inside))
        if child.name[0] not in "._" and child.name not in ours and not (child / MANIFEST).exists()
    }


def _incomplete_world(folder: Path) -> str:
    parts = [folder / "schema.json", folder / "tables", tasks_file(folder)]
    left = next((part for part in parts if part.exists()), None)
    return f"{folder}: {MANIFEST} is missing, and {left} is there: {RESTORE}" if left else ""


def tasks_file(folder: Path) -> Path:
    """Return where the tasks of a world are kept: ../_tasks/<world>.jsonl, or the file of tasks of its shard."""
    if shards := shards_with(folder):
        return shards.tasks_file(folder.name)
    return folder.resolve().parent / "_tasks" / f"{folder.resolve().name}.jsonl"


def save_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """Write values as JSON lines, atomically; one at a time is held in memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_parts(path, (orjson.dumps(row) + b"\n" for row in rows))
