"""The canonical rows: JSON lines, one task each. Fields whose inner shape differs from task to task are JSON text."""

from pathlib import Path
from typing import Any

from worldsmith import __version__
from worldsmith.disk import save_lines, write_file
from worldsmith.exports.rows import ANSWER_FORMAT, Splits, dumps, max_turns, prompt, reference
from worldsmith.tasks import Task

README = """\
# Tasks as JSON lines

{counts}

A line is one task. Serve its world with `worldsmith serve`; agents reach it at {base}/w/<world>/.

| field | what it is |
| --- | --- |
| task_id, world, world_digest, schema, kind, size, split | what the task is, and of which world |
| prompt | messages an agent starts from; the question is the last |
| question | the question alone |
| columns, key_columns | headers of the table asked for, and those that tell its rows apart |
| column_types | JSON text: kind and unit of each column |
| answer_format | how the answer is to be given |
| reference | JSON text: {{"columns", "rows"}}, the gold. No other field holds any of it: keep it from agents |
| max_turns, min_turns, tool_tokens | a limit to set; turns and tool tokens of the shortest known way |
| base_url | where the world is served: {base}/w/<world> |
| worldsmith_version | what wrote the file |

To score an answer:

    import json
    from worldsmith.scoring import Column, score
    reference = json.loads(row["reference"])
    score(answer, [Column.from_json(c) for c in reference["columns"]], reference["rows"]).item.f1
"""


def write(splits: Splits, out: Path, base: str) -> None:
    """Write train.jsonl, test.jsonl and README.md."""
    for name, tasks in splits.items():
        save_lines(out / f"{name}.jsonl", (row(task, name, base) for task in tasks))
    counts = ", ".join(f"{name}.jsonl: {len(tasks)} tasks" for name, tasks in splits.items())
    write_file(out / "README.md", README.format(counts=counts, base=base).encode())


def row(task: Task, split: str, base: str) -> dict[str, Any]:
    """Return the row of a task."""
    return {
        "task_id": task.task_id,
        "world": task.world,
        "world_digest": task.world_digest,
        "schema": task.schema,
        "kind": task.kind,
        "size": task.size,
        "split": split,
        "prompt": prompt(task),
        "question": task.question,
        "columns": [column.name for column in task.columns],
        "key_columns": [column.name for column in task.columns if column.key],
        "column_types": dumps({c.name: {"kind": c.kind, "unit": c.unit} for c in task.columns}),
        "answer_format": ANSWER_FORMAT,
        "reference": reference(task),
        "max_turns": max_turns(task),
        "min_turns": task.turns,
        "tool_tokens": task.tool_tokens,
        "base_url": f"{base}/w/{task.world}",
        "worldsmith_version": __version__,
    }
