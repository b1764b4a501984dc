"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: a package is missing); no server."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldsmith_kit.episode import ExportedTask, figures
from worldsmith_kit.episode.rehearsal import FAILED, check, rehearsals, require

require("datasets", "datasets==5.2.0")

from datasets import Dataset, load_dataset

COUNTS = "@COUNTS@"


def play(row: Mapping[str, Any], messages: Sequence[Any]) -> float:
    """Return the reward of an episode, of a row as `datasets` gives it, in which the model says these messages."""
    (loaded,) = Dataset.from_list([dict(row)])
    episode = ExportedTask.from_row(loaded).episode()
    episode.reset()
    steps = [episode.step(message) for message in messages]
    return figures(steps[-1], episode)["score"]


def play_wrong_type(row: Mapping[str, Any]) -> object:
    """Have the model say a number."""
    return play(row, [17])


def fault_of_files() -> str:
    """Return what is wrong with the folder as `datasets` loads it; "" for nothing."""
    splits = load_dataset(str(Path(__file__).resolve().parent))
    counts = ", ".join(f"{name}.parquet: {len(splits.get(name, ()))} tasks" for name in ("train", "test"))
    if counts != COUNTS:
        return f"{counts}, not {COUNTS}"
    wanted = set(rehearsals()[0]["row"])
    wrong = [name for name, rows in splits.items() if set(rows.column_names) != wanted]
    for rows in splits.values():
        for row in rows:
            ExportedTask.from_row(row)
    return f"{', '.join(wrong)}: the columns are not {', '.join(sorted(wanted))}" if wrong else ""


def main() -> int:
    """Return the exit code of all checks."""
    code = check(play, play_wrong_type)
    if fault := fault_of_files():
        sys.stdout.write(f"FAILED: {fault}\n")
        code = FAILED
    return code


if __name__ == "__main__":
    sys.exit(main())
