"""Tasks that are kept out of use: `_tasks/dropped.jsonl` names them, and whatever reads tasks leaves them out.

A task's id is a digest of what it asks, so that a task which is mined again stays dropped.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from worldsmith.errors import FormatError, NotFoundError, UsageError, close_match
from worldsmith.world.files import locked_folder, numbered_jsonl, read_jsonl, save_jsonl

DROPPED: Final = "dropped.jsonl"
"""Lies beside the files of tasks; a line is {"task_id": text, "reason": text}."""


def dropped_reasons(folder: Path) -> dict[str, str]:
    """Return why tasks of the files in a folder are dropped, by task id. Raises FormatError."""
    path, reasons = folder / DROPPED, dict[str, str]()
    for number, line in numbered_jsonl(path) if path.is_file() else ():
        match line:
            case {"task_id": str(task_id), "reason": str(reason)}:
                reasons[task_id] = reason
            case _:
                raise FormatError(f'{path}, line {number}: not {{"task_id": text, "reason": text}}: correct the line')
    return reasons


def every_row(file: Path) -> dict[str, Mapping[str, Any]]:
    """Return the lines of a file of tasks by task id, those of dropped tasks too. Raises FormatError."""
    rows = (row for row in read_jsonl(file) if isinstance(row, Mapping))
    return {row["task_id"]: row for row in rows if isinstance(row.get("task_id"), str)}


def reasons_in(file: Path, worlds: Container[Any] | None = None) -> dict[str, str]:
    """Return why tasks of a file are dropped, by task id: of these `worlds`, or of all that it has tasks of."""
    if not (reasons := dropped_reasons(file.parent)):
        return {}
    rows = ((task_id, row) for task_id, row in every_row(file).items() if task_id in reasons)
    return {task_id: reasons[task_id] for task_id, row in rows if worlds is None or row.get("world") in worlds}


def drop_tasks(files: Sequence[Path], task_ids: Sequence[str], reason: str) -> str:
    """Drop tasks of files and return the reason as it was kept: in one line, without control characters.

    A task that is dropped already gets the new reason.

    Raises:
        UsageError: the reason is blank, or another process drops tasks there.
        NotFoundError: an id that no file has; nothing is dropped then.
        FormatError: a file that can't be read.
    """
    reason = " ".join("".join(c if c.isprintable() else " " for c in reason).split())
    if not reason:
        raise UsageError("the reason is blank: say why the task is dropped")
    known = {folder: set(dropped_reasons(folder)) for folder in _folders(files)}
    for file in files:
        known[file.parent] |= every_row(file).keys()
    _require(task_ids, set[str]().union(*known.values()), "no task")
    for folder, there in known.items():
        with _changed_reasons(folder) as reasons:
            reasons |= {task_id: reason for task_id in task_ids if task_id in there}
    return reason


def restore_tasks(files: Sequence[Path], task_ids: Sequence[str]) -> None:
    """Put dropped tasks of files back into use. Raises NotFoundError for one that isn't dropped, or as `drop_tasks`."""
    folders = _folders(files)
    _require(task_ids, set[str]().union(*map(dropped_reasons, folders)), "no dropped task")
    for folder in folders:
        with _changed_reasons(folder) as reasons:
            for task_id in task_ids:
                reasons.pop(task_id, None)


def _folders(files: Sequence[Path]) -> list[Path]:
    return list(dict.fromkeys(file.parent for file in files))


def _require(task_ids: Sequence[str], known: set[str], what: str) -> None:
    for task_id in task_ids:
        if task_id not in known:
            raise NotFoundError(f"{what} {task_id!r} there.{close_match(task_id, known)}")


@contextmanager
def _changed_reasons(folder: Path) -> Iterator[dict[str, str]]:
    """Yield the reasons of a folder, which are saved as the block leaves them; no other process changes them then."""
    with locked_folder(folder):
        before = dropped_reasons(folder)
        reasons = dict(before)
        yield reasons
        if reasons != before:
            rows = ({"task_id": task_id, "reason": reason} for task_id, reason in reasons.items())
            save_jsonl(folder / DROPPED, rows)
