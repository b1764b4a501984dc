"""WideSeek-R1: its row format, and episodes in which a main agent gives sub-agents parts of the work."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldsmith.tasks import Task
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.kit import copy_files, write_kit
from worldsmith.train.exports.rows import Serving, Splits, task_row
from worldsmith.world.files import save_jsonl

FILES = Path(__file__).parent / "adapters" / "wideseek"


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write train.jsonl, test.jsonl, the files of `FILES` and the kit."""
    for name, tasks in splits.items():
        save_jsonl(out / f"{name}.jsonl", _rows(tasks, name, serving, worlds))
    copy_files(FILES, splits, out, serving, "jsonl")
    write_kit(splits, out, serving, worlds)


def _rows(tasks: Any, split: str, serving: Serving, worlds: Worlds) -> Iterator[dict[str, Any]]:
    for task, reference in with_references(tasks, worlds):
        yield {**_wideseek_fields(task), **task_row(task, split, serving, reference)}


def _wideseek_fields(task: Task) -> dict[str, Any]:
    """Return what WideSeek-R1's data set reads of a row, beside the question.

    A table without a key is matched on all its columns. Its `evaluation` is left out: all columns are then required,
    whether or not names of columns keep their spaces.
    """
    keys = [column.name for column in task.columns if column.key]
    return {
        "instance_id": task.task_id,
        "answer": task.table(),
        "unique_columns": keys or [column.name for column in task.columns],
        "is_markdown": True,
        "language": "en",
    }
