"""The canonical rows: JSON lines, one task each. Fields whose inner shape differs from task to task are JSON text."""

from pathlib import Path

from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.rows import Serving, Splits, copy_scorer, split_sentence, task_row
from worldsmith.world.files import save_jsonl, write_file

README = """\
# Tasks as JSON lines

{counts}. {split}

A line is one task. Serve its world with `worldsmith serve DIR` (a pool with `serve DIR --pool`); agents reach it at the
line's `base_url`.

| field | what it is |
| --- | --- |
| task_id, world, world_digest, schema, kind, size, split | what the task is, and of which world |
| prompt | messages an agent starts from; the question is the last |
| question | the question alone |
| columns, key_columns | headers of the table asked for, and those that tell its rows apart |
| column_types | JSON text: kind and unit of each column |
| answer_format | how the answer is to be given |
| reference | JSON text: {{"columns", "rows", "evidence"}}: the gold, in no other field. Keep it from agents |
| max_turns, min_turns, tool_tokens | a limit to set; turns and tool tokens of the shortest known way |
| budget, context_tokens | turns that cost no reward; the model's context where replies say what is left of it, else 0 |
| base_url | where the world, or its pool, is served: {base}/w/<world or pool> |
| worldsmith_version | what wrote the file |
| canary | see below |

`scoring/` is the scorer, a copy that needs nothing but Python. score.py shows its use; a line of ANSWERS.jsonl is
{{"task_id", "answer"}}, the answer as the agent gave it:

    python score.py train.jsonl ANSWERS.jsonl

For a reward that pays nothing from memory, gather the response header X-Worldsmith-Evidence of an episode's calls,
which agents don't see, or else its tool replies, and score what they support:

    from scoring import Column, Evidence, reward, score, with_evidence

    evidence = Evidence.from_json(reference["evidence"])
    disclosed = set(" ".join(headers).replace(",", " ").split())  # or: evidence.disclosed_by(replies)
    supported = with_evidence(score(answer, columns, reference["rows"]), evidence, disclosed)
    total = reward(supported, turns=9, search_calls=4, extract_calls=4, require_evidence=True).total
"""
SCORE = '''\
"""Score answers: python score.py TASKS.jsonl ANSWERS.jsonl, lines {"task_id", "answer"}. Needs Python alone."""

import json
import sys

from scoring import Column, score

tasks, answers = ([json.loads(line) for line in open(path, encoding="utf-8")] for path in sys.argv[1:3])
references = {row["task_id"]: json.loads(row["reference"]) for row in tasks}
for row in answers:
    reference = references[row["task_id"]]
    found = score(row["answer"], [Column.from_json(c) for c in reference["columns"]], reference["rows"])
    print(row["task_id"], f"item F1 {found.item.f1:.3f}, row F1 {found.row.f1:.3f}")
'''


def write(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Write train.jsonl, test.jsonl, README.md, score.py, and a copy of the scorer."""
    for name, tasks in splits.items():
        pairs = with_references(tasks, worlds)
        save_jsonl(out / f"{name}.jsonl", (task_row(task, name, serving, reference) for task, reference in pairs))
    counts = ", ".join(f"{name}.jsonl: {len(tasks)} tasks" for name, tasks in splits.items())
    write_file(
        out / "README.md", README.format(counts=counts, split=split_sentence(splits), base=serving.base_url).encode()
    )
    write_file(out / "score.py", SCORE.encode())
    copy_scorer(out)
