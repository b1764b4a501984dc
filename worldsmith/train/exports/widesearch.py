"""WideSearch's own format: questions as JSON lines, a gold CSV per task, and how each column is evaluated.

A task is written if the gold table scores 1 by the benchmark's rules; others are listed in left_out.jsonl.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from worldsmith.errors import UsageError
from worldsmith.scoring import score_widesearch, widesearch_task
from worldsmith.tasks import Task
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.kit import copy_files, copy_kit
from worldsmith.train.exports.rows import CANARY, Serving, Splits, dumps
from worldsmith.world.files import save_jsonl, write_file

FILES = Path(__file__).parent / "adapters" / "widesearch"
GOLD = "widesearch_gold"
BYTE_ORDER_MARK = "\ufeff"
"""Begins the benchmark's own gold files."""


def write(
    splits: Splits,
    out: Path,
    serving: Serving,
    worlds: Worlds,  # noqa: ARG001 - a writer's signature
) -> None:
    """Write the questions twice, for either of the benchmark's loaders, the gold, where agents search, and the kit.

    Raises UsageError where the format can hold no task.
    """
    (out / GOLD).mkdir()
    kept, left_out, places = [], [], []
    for task in chain(*splits.values()):
        evaluation, gold = widesearch_task(task.columns, task.gold)
        # The evaluator joins tables on their keys: a table without one is joined on all columns.
        evaluation["unique_columns"] = evaluation["unique_columns"] or evaluation["required"]
        if reason := _unfit(task, evaluation, gold):
            left_out.append({"instance_id": task.task_id, "reason": reason, "canary": CANARY})
            continue
        kept.append({"instance_id": task.task_id, "query": task.question, "evaluation": evaluation, "language": "en"})
        places.append(_place(task, serving))
        write_file(out / GOLD / f"{task.task_id}.csv", (BYTE_ORDER_MARK + gold).encode())
    if not kept:
        raise UsageError(f"WideSearch's format can hold none of {len(left_out)} tasks: {left_out[0]['reason']}")
    save_jsonl(out / "widesearch.jsonl", _published(kept))
    save_jsonl(out / "widesearch_local.jsonl", [{**row, "evaluation": _marked(row)} for row in kept])
    save_jsonl(out / "places.jsonl", places)
    save_jsonl(out / "left_out.jsonl", left_out)
    marks = {"@TASKS@": str(len(kept)), "@LEFT_OUT@": str(len(left_out))}
    copy_files(FILES, splits, out, serving, "jsonl", marks)
    copy_kit(out)


def _unfit(task: Task, evaluation: dict[str, Any], gold: str) -> str:
    """Return why the benchmark's rules can't score a task, or ""."""
    if not task.gold:
        return "its gold has no row, and the evaluator fails on an empty table"
    scored = score_widesearch(task.table(), evaluation, gold)
    return "" if scored.success else "the gold table doesn't score 1 by the evaluator's rules"


def _place(task: Task, serving: Serving) -> dict[str, Any]:
    return {
        "instance_id": task.task_id,
        "base_url": serving.url(task),
        "world": task.world,
        "world_digest": task.world_digest,
        "schema": task.schema,
        "kind": task.kind,
        "size": task.size,
        "max_turns": task.max_turns,
        "canary": CANARY,
    }


def _published(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rows as the data set holds them: their evaluation is JSON text."""
    for row in rows:
        yield {**row, "evaluation": dumps(_marked(row))}


def _marked(row: dict[str, Any]) -> dict[str, Any]:
    """Return the evaluation of a row with the canary: the loaders take no further field beside it."""
    return {**row["evaluation"], "canary": CANARY}
