"""Files of tasks: one JSON object per line, read whole or for scoring alone, without those that were dropped.

Lines are those of a .jsonl file, or the rows of a shard's file of tasks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson

from worldsmith.errors import FormatError, NotFoundError
from worldsmith.scoring import Column, Reference
from worldsmith.tasks.dropped import DROPPED, dropped_reasons, reasons_in
from worldsmith.tasks.task import AGAIN, VERSIONS, Task, check_format
from worldsmith.world.files import (
    BOM,
    MANIFEST,
    parsed_line,
    read_json,
    read_summary,
    shards_with,
    stream_jsonl,
    tasks_file,
    worlds_in_shards,
)
from worldsmith.world.shards import shard_files, shard_number, task_line

T = TypeVar("T")


class TaskPlace(NamedTuple):
    """Where a task is kept."""

    file: Path
    offset: int
    """Of the first byte of its line; in a shard, the number of its row."""


def stream_tasks(path: Path) -> Iterator[tuple[TaskPlace, Task]]:
    """Yield the tasks of a file, each with its place. Raises as `read_tasks` does."""
    for offset, _, task in _unique_lines(path, _task):
        yield TaskPlace(path, offset), task


def stream_tasks_of(folder: Path) -> Iterator[tuple[TaskPlace, Task]]:
    """Yield the tasks of a world, each with its place. Raises as `tasks_of` does."""
    path, shards = existing_tasks_file(folder), shards_with(folder)
    lines = None
    if shards:
        lines = ((n + 1, n, parsed_line(path, n + 1, line)) for n, line in shards.task_lines(folder.name))
    for offset, _, task in _unique_lines(path, _task, lines):
        yield TaskPlace(path, offset), task


def read_tasks(path: Path) -> list[Task]:
    """Return the tasks of a file. Raises FormatError with path, line and reason, and for a repeated task id."""
    return [task for _, task in stream_tasks(path)]


def tasks_at(places: Iterable[TaskPlace]) -> Iterator[Task]:
    """Yield the tasks kept at places; one file is open at a time. Raises FormatError for a file that has changed."""
    with ExitStack() as stack:
        opened = None
        for file, offset in places:
            try:
                if shard_number(file) is not None:
                    yield Task.from_json(orjson.loads(task_line(file, offset) or ""))
                    continue
                if opened is None or opened.name != str(file):
                    stack.close()
                    opened = stack.enter_context(file.open("rb"))
                opened.seek(offset)
                yield Task.from_json(orjson.loads(opened.readline().removeprefix(BOM)))
            except (OSError, orjson.JSONDecodeError):
                raise FormatError(f"{file}: no task at byte {offset}, where one was: {AGAIN}") from None


def existing_tasks_file(folder: Path) -> Path:
    """Return the file of the tasks of the world in `folder`. Raises NotFoundError where there is none."""
    path = tasks_file(folder)
    if not path.is_file():
        raise NotFoundError(f"{path}: no tasks; make them with `worldsmith tasks {folder}`")
    return path


def tasks_of(folder: Path) -> list[Task]:
    """Return the tasks kept beside the world in `folder`; NotFoundError where there are none, or as `read_tasks`."""
    return [task for _, task in stream_tasks_of(folder)]


def count_tasks(folder: Path) -> int:
    """Return how many tasks of a world are in use, without reading what they say; 0 where it has no file of tasks."""
    path = tasks_file(folder)
    if not path.is_file():
        return 0
    lines = sum(map(bool, tasks_bytes(folder).split(b"\n")))
    return lines and lines - len(reasons_in(path, {read_summary(folder).world}))


def tasks_bytes(folder: Path) -> bytes:
    """Return the lines of the tasks of a world. Raises FormatError, OSError."""
    if shards := shards_with(folder):
        return "".join(f"{line}\n" for _, line in shards.task_lines(folder.name)).encode()
    return tasks_file(folder).read_bytes()


def task_record(folder: Path) -> dict[str, Any] | None:
    """Return what the tasks of a world were mined with, None where that isn't recorded. Raises FormatError."""
    path = tasks_file(folder).with_suffix(".json")
    if not path.is_file():
        return None
    record = read_json(path)
    if shards_with(folder):
        record = record.get(folder.name) if isinstance(record, dict) else None
    return record if isinstance(record, dict) else None


def as_mined(folder: Path) -> bool:
    """Whether the tasks of a world are, byte for byte, what the record beside them names, by these versions."""
    try:
        record = task_record(folder) or {}
        made_of = {"world_digest": read_summary(folder).digest, "versions": dict(VERSIONS)}
        return record == record | made_of | {"sha256": sha256(tasks_bytes(folder)).hexdigest()}
    except (FormatError, OSError):
        return False


def read_references(path: Path) -> dict[str, Reference]:
    """Return what answers are scored by, by task id: of a file of tasks, a folder of such files, or worlds.

    A line needs task_id, and columns and gold or an export's reference, whatever else it holds.

    Raises FormatError with path, line and reason; NotFoundError for a folder without tasks.
    """
    references: dict[str, Reference] = {}
    for file in task_files(path):
        for _, task_id, reference in _unique_lines(file, _reference):
            if references.setdefault(task_id, reference) != reference:
                raise FormatError(f"{file}: task {task_id} has another gold table in another file of {path}")
    return references


def task_files(path: Path) -> list[Path]:
    """Return the files of tasks that a path names: the file, or those of a world, of worlds, or of a folder of files.

    Raises NotFoundError for a folder without any.
    """
    if not path.is_dir():
        in_shards = [tasks_file(world) for world in worlds_in_shards(path)[:1]]
        return in_shards or [path]
    if (path / MANIFEST).is_file():
        file = tasks_file(path)
        files = [file] if file.is_file() else []
    else:
        kept = path / "_tasks" if (path / "_tasks").is_dir() else path
        files = [file for file in sorted(kept.glob("*.jsonl")) if file.name != DROPPED]
        files += shard_files(kept)
    if not files:
        raise NotFoundError(f"{path}: no tasks; name a world, a folder of worlds, or a folder of .jsonl files of tasks")
    return files


def _task(data: Any) -> tuple[str, Task]:
    task = Task.from_json(data)
    return task.task_id, task


def _reference(data: Any) -> tuple[str, Reference]:
    if not isinstance(data, Mapping) or not isinstance(data.get("task_id"), str):
        raise FormatError(f"no task_id in {str(data)[:80]}")
    check_format(data)
    try:
        columns, gold = _scored_by(data)
        made = tuple(map(Column.from_json, columns))
        return data["task_id"], Reference(made, tuple(tuple(map(_frozen, row)) for row in gold))
    except ValueError as error:
        raise FormatError(f"columns and gold can't be scored by: {error}") from None
    except (TypeError, AttributeError):
        raise FormatError(f"columns and gold can't be scored by: they are not a task's in {str(data)[:80]}") from None


def _scored_by(data: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return columns and gold rows of a line of ours, or of an export, which holds both in one text."""
    if "gold" in data and "columns" in data:
        return data["columns"], data["gold"]
    if "reference" not in data:
        raise FormatError(f"no columns and gold, and no reference, in {str(data)[:80]}")
    reference = data["reference"]
    reference = orjson.loads(reference) if isinstance(reference, str) else reference
    if not isinstance(reference, Mapping) or not {"columns", "rows"} <= set(reference):
        raise FormatError(f"a reference has columns and rows, not {str(reference)[:80]}")
    return reference["columns"], reference["rows"]


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _unique_lines(
    path: Path, read: Callable[[Any], tuple[str, T]], rows: Iterable[tuple[int, int, Any]] | None = None
) -> Iterator[tuple[int, str, T]]:
    """Yield the offset of each line, of all unless given, with the task id and the value that `read` makes of it."""
    lines: dict[str, int] = {}
    dropped = dropped_reasons(path.parent)
    for number, offset, data in stream_jsonl(path) if rows is None else rows:
        if isinstance(data, Mapping) and data.get("task_id") in dropped:
            continue
        try:
            name, made = read(data)
        except FormatError as error:
            raise FormatError(f"{path}, line {number}: {error}") from None
        if name in lines:
            raise FormatError(
                f"{path}, line {number}: task {name} is on line {lines[name]} already: remove one of them"
            )
        lines[name] = number
        yield offset, name, made
