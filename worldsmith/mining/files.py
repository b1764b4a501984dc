"""The tasks of a world on disk: saved with a record of the request they were mined by, and reused by later runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from worldsmith import __version__
from worldsmith.errors import FormatError
from worldsmith.mining.pipeline import Mined, MiningRequest
from worldsmith.tasks import Task
from worldsmith.tasks.dropped import every_row, reasons_in
from worldsmith.tasks.files import task_record, tasks_bytes
from worldsmith.tasks.task import VERSIONS
from worldsmith.world import files
from worldsmith.world.model import World


def save_tasks(folder: Path, world: World, request: MiningRequest, mined: Mined) -> None:
    """Keep the tasks of a world, however few, in ../_tasks, with a record of the request beside them."""
    _save(folder, [task.to_json() for task in mined.tasks], lambda data: request_record(data, world, request))


def replace_tasks(folder: Path, tasks: Iterable[Task]) -> None:
    """Keep other wordings of a world's tasks in their file, as mined by the request that its record names.

    Dropped tasks stay in it.
    """
    path, recorded = files.tasks_file(folder), task_record(folder)
    reasons = reasons_in(path, {files.read_summary(folder).world})
    every = every_row(path) if reasons else {}
    rows = [*(task.to_json() for task in tasks), *(every[task_id] for task_id in reasons)]
    _save(folder, rows, lambda data: recorded and recorded | {"sha256": sha256(data).hexdigest()})


def _save(folder: Path, rows: Sequence[Mapping[str, Any]], record: Callable[[bytes], dict[str, Any] | None]) -> None:
    """Write tasks to a world's file, or to that of its shard, and what `record` makes of their lines beside them."""
    path, lines = files.tasks_file(folder), [orjson.dumps(row) for row in rows]
    data = task_bytes(lines)
    shards, recorded = files.shards_with(folder), record(data)
    # A file of tasks that its record doesn't fit counts as unfinished: the record comes last.
    if shards is None:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write_file(path, data)
        if recorded:
            files.write_file(path.with_suffix(".json"), files.indented_json(recorded))
        return
    with files.locked_folder(path.parent):
        named = zip(rows, lines, strict=True)
        shards.replace_tasks(folder.name, ((row["task_id"], row["kind"], line.decode()) for row, line in named))
        beside = path.with_suffix(".json")
        others = files.read_json(beside) if beside.is_file() else {}
        files.write_file(beside, files.indented_json(others | {folder.name: recorded}))


def task_bytes(lines: Iterable[bytes]) -> bytes:
    """Return the bytes of a file of tasks with these lines."""
    return b"".join(line + b"\n" for line in lines)


def count_saved_tasks(folder: Path, world: World, request: MiningRequest) -> int | None:
    """Return how many tasks an earlier run of the same request saved; None where they must be mined."""
    try:
        recorded = task_record(folder)
        if recorded is None or recorded != request_record(tasks_bytes(folder), world, request):
            return None
        return int(recorded["tasks"])
    except (FormatError, OSError, KeyError, TypeError, ValueError):
        return None


def request_record(data: bytes, world: World, request: MiningRequest) -> dict[str, Any]:
    """Return what is recorded of tasks whose lines are `data`: what they were mined with, and their digest."""
    return {
        "world_digest": world.digest,
        "asked": request.recorded(),
        "versions": dict(VERSIONS),
        "generator": __version__,
        "tasks": data.count(b"\n"),
        "sha256": sha256(data).hexdigest(),
    }
