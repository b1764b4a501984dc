"""A package that verifiers and prime-rl install: the tasks with their data, a harness, a tool server, a selfcheck."""

from pathlib import Path

from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.kit import copy_files, write_kit
from worldsmith.train.exports.rows import Serving, Splits, task_row
from worldsmith.world.files import save_jsonl

FILES = Path(__file__).parent / "adapters" / "verifiers"
MODULE = "worldsmith_search"


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write the files of `FILES`, and the rows and the kit inside their package."""
    for name, tasks in splits.items():
        # The prompt is made of the question: a trace keeps one of them.
        rows = (task_row(task, name, serving, reference) for task, reference in with_references(tasks, worlds))
        save_jsonl(
            out / MODULE / "data" / f"{name}.jsonl", ({k: v for k, v in row.items() if k != "prompt"} for row in rows)
        )
    copy_files(FILES, splits, out, serving, "jsonl")
    write_kit(splits, out / MODULE, serving, worlds)
