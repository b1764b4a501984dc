"""TRL's GRPOTrainer: rows as Parquet, an environment, a reward function, a configuration and what starts training."""

from pathlib import Path

from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.hf import write_rows
from worldsmith.train.exports.kit import copy_files, write_kit
from worldsmith.train.exports.rows import Serving, Splits

FILES = Path(__file__).parent / "adapters" / "trl"


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write train.parquet, test.parquet, the files of `FILES` and the kit."""
    write_rows(splits, out, serving, worlds)
    copy_files(FILES, splits, out, serving, "parquet")
    write_kit(splits, out, serving, worlds)
