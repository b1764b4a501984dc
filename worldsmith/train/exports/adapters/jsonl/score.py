"""Score answers: python score.py TASKS.jsonl ANSWERS.jsonl, lines {"task_id", "answer"}. Needs Python alone."""

import json
import sys
from pathlib import Path

from worldsmith_kit.scoring import Column, score

files = (Path(path).read_text("utf-8").split("\n") for path in sys.argv[1:3])
tasks, answers = ([json.loads(line) for line in lines if line.strip()] for lines in files)
references = {row["task_id"]: json.loads(row["reference"]) for row in tasks}
for row in answers:
    reference = references[row["task_id"]]
    result = score(row["answer"], [Column.from_json(c) for c in reference["columns"]], reference["rows"])
    sys.stdout.write(f"{row['task_id']} item F1 {result.item.f1:.3f}, row F1 {result.row.f1:.3f}\n")
