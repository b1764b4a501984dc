"""The canonical rows as JSON lines beside an adapter that plays them: what most formats are."""

from pathlib import Path

from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.kit import copy_files, write_kit
from worldsmith.train.exports.rows import Serving, Splits, task_row
from worldsmith.world.files import save_jsonl

ADAPTERS = Path(__file__).parent / "adapters"


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds, *, adapter: str) -> None:
    """Write train.jsonl, test.jsonl, the files of a folder of `ADAPTERS` and the kit."""
    for name, tasks in splits.items():
        pairs = with_references(tasks, worlds)
        save_jsonl(out / f"{name}.jsonl", (task_row(task, name, serving, reference) for task, reference in pairs))
    copy_files(ADAPTERS / adapter, splits, out, serving, "jsonl")
    write_kit(splits, out, serving, worlds)
