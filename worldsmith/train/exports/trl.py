"""TRL's GRPOTrainer: rows as Parquet, an environment, a reward function, a configuration and what starts training."""

from pathlib import Path

from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.kit import copy_files, write_kit
from worldsmith.train.exports.parquet import write_parquet
from worldsmith.train.exports.rows import COLUMNS, Serving, Splits, task_row

FILES = Path(__file__).parent / "adapters" / "trl"


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write train.parquet, test.parquet, the files of `FILES` and the kit."""
    for name, tasks in splits.items():
        pairs = with_references(tasks, worlds)
        rows = (task_row(task, name, serving, reference) for task, reference in pairs)
        write_parquet(rows, out / f"{name}.parquet", COLUMNS)
    copy_files(FILES, splits, out, serving, "parquet")
    write_kit(splits, out, serving, worlds)
