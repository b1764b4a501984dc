"""Worlds on disk: OUT/<world>/{world.json, schema.json, tables/*.jsonl}, tasks apart in OUT/_tasks/.

Nothing is ever half-written: a file is written beside its place, flushed, renamed, and its folder flushed; a world's
folder appears whole, with its manifest, after its tasks. A write that fails removes its parts; what a killed
process leaves behind is removed by the next one that writes worlds there.
"""

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson

from worldsmith import __version__
from worldsmith.errors import FormatError, NotFoundError, UsageError, close_match
from worldsmith.schema import Knobs, Schema, Value, foreground, parse_schema, structure_of, with_bank
from worldsmith.schema.scaling import apply_knobs
from worldsmith.world.model import FORMAT, World, table_bytes, world_id

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
    """Yield the values of a JSON lines file, each with the number of its line and the offset of its first byte."""
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


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the contents of a world's world.json; FormatError where it can't be read, or is of no known format."""
    path = folder / MANIFEST
    try:
        info = read_json(path)
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
    source = read_json(folder / "schema.json")
    if not isinstance(source, dict):
        raise FormatError(f"{folder / 'schema.json'}: not a schema: it holds no object")
    schema = parse_schema(source, f"{folder}/schema.json")
    if info.get("language") == "natural":
        schema = with_bank(schema, read_json(folder / LANGUAGE), f"{folder / LANGUAGE}")
    structure = structure_of(schema, info["switches"])
    structure = _under_knobs(structure if schema.bank else foreground(structure), folder, info)
    values: Mapping[str, tuple[Value, ...]] = {name: tuple(items) for name, items in info["values"].items()}
    if any(isinstance(v, dict | list) for items in values.values() for v in items):
        raise FormatError(f"{folder / MANIFEST}: not a world's manifest: its lists hold more than plain values")
    tables = {name: _read_table(folder, structure, name) for name in structure.tables}
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


def _read_table(folder: Path, structure: Schema, name: str) -> dict[str, list[Value]]:
    path = folder / "tables" / f"{name}.jsonl"
    names = structure.tables[name].names
    rows, known = read_jsonl(path), set(names)
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
    """Return the world folders that `paths` name: worlds, or folders of worlds; sorted, each once.

    A folder without world.json is skipped (see `folders_without_manifest`), and so are `_tasks` and the like among
    several paths: `worlds/*` names them too. Raises NotFoundError where a path leads to no world at all.
    """
    named = list(paths)
    folders: list[Path] = []
    for path in [path for path in named if path.name[:1] != "_" or (path / MANIFEST).is_file()] or named:
        if (path / MANIFEST).is_file():
            folders.append(path)
            continue
        inside = sorted(p.parent for p in path.glob(f"*/{MANIFEST}") if not p.parent.name.startswith("."))
        if not inside:
            others = [p.parent.name for p in path.parent.glob(f"*/{MANIFEST}")] if not path.exists() else []
            near = close_match(path.name, others) if others else ""
            near += "".join(f" {why}." for why in folders_without_manifest([path]).values() if why)
            fix = near or f" Make some with `worldsmith generate --out {path}`."
            if not path.is_dir():
                fix = near or " Name a folder that `worldsmith generate --out` has written."
            raise NotFoundError(f"{path}: no world there{_absence(path)} (a world is a folder with {MANIFEST}).{fix}")
        folders += inside
    return list(dict.fromkeys(folders))


def folders_by_id(folders: Iterable[Path]) -> dict[str, Path]:
    """Return the folders of worlds by the ids in their manifests. Raises UsageError where two hold the same world."""
    by_id: dict[str, Path] = {}
    for folder in folders:
        world = str(read_manifest(folder).get("world"))
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
    return {
        child: _incomplete_world(child)
        for child in sorted(set(inside))
        if child.name[0] not in "._" and not (child / MANIFEST).exists()
    }


def _incomplete_world(folder: Path) -> str:
    parts = [folder / "schema.json", folder / "tables", tasks_file(folder)]
    left = next((part for part in parts if part.exists()), None)
    return f"{folder}: {MANIFEST} is missing, and {left} is there: {RESTORE}" if left else ""


def tasks_file(folder: Path) -> Path:
    """Return where the tasks of the world in `folder` are kept: ../_tasks/<world>.jsonl."""
    return folder.resolve().parent / "_tasks" / f"{folder.resolve().name}.jsonl"


def save_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """Write values as JSON lines, atomically; one at a time is held in memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_parts(path, (orjson.dumps(row) + b"\n" for row in rows))
