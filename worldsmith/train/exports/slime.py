"""slime: rows with the gold as label and the task as metadata, and a generate function that plays and pays them."""

from pathlib import Path

from worldsmith.episode.tools import prompt
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.kit import copy_files, write_kit
from worldsmith.train.exports.rows import Serving, Splits, task_row
from worldsmith.world.files import save_jsonl

FILES = Path(__file__).parent / "adapters" / "slime"
IN_ROW = frozenset({"prompt", "reference"})
"""Fields of a task that are the row's own; the others are its metadata."""


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write train.jsonl, test.jsonl, the files of `FILES` and the kit."""
    for name, tasks in splits.items():
        rows = (
            {
                "prompt": prompt(task.question, tools_in_text=True),
                "label": reference,
                "metadata": {k: v for k, v in task_row(task, name, serving, reference).items() if k not in IN_ROW},
            }
            for task, reference in with_references(tasks, worlds)
        )
        save_jsonl(out / f"{name}.jsonl", rows)
    copy_files(FILES, splits, out, serving, "jsonl")
    write_kit(splits, out, serving, worlds)
