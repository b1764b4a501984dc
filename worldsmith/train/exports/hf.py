"""A folder that `datasets.load_dataset` loads, with its card: the rows that other formats are made of."""

from math import inf
from pathlib import Path

from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.kit import copy_files, write_kit
from worldsmith.train.exports.parquet import SHARD, write_parquet
from worldsmith.train.exports.rows import COLUMNS, Serving, Splits, task_row

FILES = Path(__file__).parent / "adapters" / "hf"


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write data/train.parquet, data/test.parquet, the files of `FILES` and the kit."""
    names = write_rows(splits, out / "data", serving, worlds, SHARD)
    files = "\n".join(f"      - {{split: {name}, path: data/{name}*.parquet}}" for name in names)
    copy_files(FILES, splits, out, serving, "parquet", {"@FILES@": files})
    write_kit(splits, out, serving, worlds)


def write_rows(splits: Splits, folder: Path, serving: Serving, worlds: Worlds, shard: float = inf) -> list[str]:
    """Write the canonical rows of each split into a Parquet file of a folder, which is made; return their names.

    With `shard` there are several files of a split with more bytes (`write_parquet`). A split without tasks has no
    file: `datasets` refuses to load one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = [name for name, tasks in splits.items() if len(tasks)]
    for name in names:
        tasks = splits[name]
        pairs = with_references(tasks, worlds)
        rows = (task_row(task, name, serving, reference) for task, reference in pairs)
        write_parquet(rows, folder / f"{name}.parquet", COLUMNS, shard)
    return names
