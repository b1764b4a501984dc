"""The tasks of a world on disk: saved with a record of the request they were mined by, and reused by later runs."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from worldsmith import __version__
from worldsmith.errors import FormatError
from worldsmith.mining.pipeline import Mined, MiningRequest
from worldsmith.tasks import Task
from worldsmith.tasks.dropped import every_row, reasons_in
from worldsmith.tasks.task import VERSIONS
from worldsmith.world import files
from worldsmith.world.model import World


def save_tasks(folder: Path, world: World, request: MiningRequest, mined: Mined) -> None:
    """Keep the tasks of a world, however few, in ../_tasks, with a record of the request beside them."""
    path = files.tasks_file(folder)
    files.save_jsonl(path, (task.to_json() for task in mined.tasks))
    # A file of tasks that its record doesn't fit counts as unfinished: the record comes last.
    files.write_file(path.with_suffix(".json"), files.indented_json(_record(path, world, request, len(mined.tasks))))


def replace_tasks(folder: Path, tasks: Iterable[Task]) -> None:
    """Keep other wordings of a world's tasks in their file, as mined by the request that its record names.

    Dropped tasks stay in it.
    """
    path = files.tasks_file(folder)
    record = path.with_suffix(".json")
    recorded = files.read_json(record) if record.is_file() else None
    dropped = [every_row(path)[task_id] for task_id in reasons_in(path)]
    files.save_jsonl(path, [*(task.to_json() for task in tasks), *dropped])
    if recorded is not None:
        same = recorded | {"sha256": sha256(path.read_bytes()).hexdigest()}
        files.write_file(record, files.indented_json(same))


def count_saved_tasks(folder: Path, world: World, request: MiningRequest) -> int | None:
    """Return how many tasks an earlier run of the same request saved; None where they must be mined."""
    path = files.tasks_file(folder)
    record = path.with_suffix(".json")
    if not (path.is_file() and record.is_file()):
        return None
    try:
        recorded = files.read_json(record)
        same = recorded == _record(path, world, request, recorded["tasks"])
        return int(recorded["tasks"]) if same else None
    except (FormatError, KeyError, TypeError, ValueError):
        return None


def _record(path: Path, world: World, request: MiningRequest, tasks: int) -> dict[str, Any]:
    return {
        "world_digest": world.digest,
        "asked": request.recorded(),
        "versions": dict(VERSIONS),
        "generator": __version__,
        "tasks": tasks,
        "sha256": sha256(path.read_bytes()).hexdigest(),
    }
