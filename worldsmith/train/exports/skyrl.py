"""SkyRL 0.3: Parquet rows whose columns reach a text environment of skyrl-gym, that environment, and how to train.

The row of a task stands in `extra_info`: SkyRL overwrites a column `max_turns` of its own by the trainer's setting.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worldsmith.episode.tools import prompt
from worldsmith.tasks import Task
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.kit import batch_size, copy_files, write_kit
from worldsmith.train.exports.parquet import write_parquet
from worldsmith.train.exports.rows import COLUMNS as ROW_COLUMNS
from worldsmith.train.exports.rows import Serving, Splits, task_row

FILES = Path(__file__).parent / "adapters" / "skyrl"

_INFO = {name: kind for name, kind in ROW_COLUMNS.items() if name not in {"prompt", "reference"}}
COLUMNS: Mapping[str, str] = {
    "data_source": "VARCHAR",
    "prompt": ROW_COLUMNS["prompt"],
    "env_class": "VARCHAR",
    "reward_spec": "STRUCT(method VARCHAR, ground_truth VARCHAR)",
    "extra_info": f"STRUCT({', '.join(f'{name} {kind}' for name, kind in _INFO.items())})",
}
"""Types of the Parquet columns."""


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write train.parquet, test.parquet, the files of `FILES` and the kit."""
    for name, tasks in splits.items():
        pairs = with_references(tasks, worlds)
        rows = (row(task, name, serving, reference) for task, reference in pairs)
        write_parquet(rows, out / f"{name}.parquet", COLUMNS)
    copy_files(FILES, splits, out, serving, "parquet", {"@BATCH@": str(batch_size(splits))})
    write_kit(splits, out, serving, worlds)


def row(task: Task, split: str, serving: Serving, reference: str) -> dict[str, Any]:
    """Return the row of a task that is scored by `reference`, as SkyRL's PromptDataset reads it."""
    info = task_row(task, split, serving, reference)
    return {
        "data_source": f"worldsmith/{task.kind}",
        "prompt": prompt(task.question, tools_in_text=True),
        "env_class": "worldsmith",
        "reward_spec": {"method": "rule", "ground_truth": reference},
        "extra_info": {name: info[name] for name in _INFO},
    }
