"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed); `--server` plays against the real server."""

import json
import sys
from pathlib import Path

from worldsmith_kit.episode import ExportedTask
from worldsmith_kit.episode.rehearsal import check, play_alone, table
from worldsmith_kit.scoring import score

HERE = Path(__file__).resolve().parent


def check_rows() -> int:
    """Return 1 where the gold of a row doesn't score 1, an empty answer more than 0, or fields differ; else 0."""
    faults, shapes, number = [], set(), 0
    for split in ("train", "test"):
        with (HERE / f"{split}.jsonl").open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                task = ExportedTask.from_row(row)
                gold, empty = (score(text, task.columns, task.gold) for text in (table(task, task.gold), ""))
                shapes.add(tuple((name, type(value)) for name, value in row.items()))
                if not gold.success or empty.item.f1 or row["split"] != split or row["prompt"][-1]["role"] != "user":
                    faults.append(row["task_id"])
                number += 1
    sys.stdout.write(f"{number} rows, {len(faults)} of them faulty: {faults[:5]}\n")
    return 1 if faults or len(shapes) > 1 else 0


if __name__ == "__main__":
    sys.exit(check_rows() or check(play_alone, lambda row: play_alone(row, [17])))
