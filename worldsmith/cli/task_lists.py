"""Tasks that are there: listed, shown, dropped and restored."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldsmith.cli.base import counted, emit, table
from worldsmith.errors import NotFoundError, UsageError, close_match

if TYPE_CHECKING:
    from worldsmith.tasks import Task
    from worldsmith.tasks.worlds import Worlds


def list_tasks(worlds: "Worlds", *, as_json: bool) -> None:
    """Print a line for each task of worlds, without its gold, and those that are dropped."""
    summaries = [_summary(task) for _, some in worlds.tasks() for task in some]
    dropped = worlds.dropped()
    if as_json:
        for row in (*summaries, *({"task_id": task_id, "dropped": reason} for task_id, reason in dropped.items())):
            emit(row)
        return
    rows = [
        (s["task_id"], s["kind"], _shape(s), s["turns"], f"{s['difficulty']:.2f}", s["question"]) for s in summaries
    ]
    click.echo(table(["task", "kind", "rows x columns", "turns", "difficulty", "question"], rows, limit=60))
    click.echo(f"\n{counted(len(rows), 'task')}; `worldsmith show DIR --task ID` shows one whole")
    for task_id, reason in dropped.items():
        click.echo(f"dropped: {task_id}: {reason}")


def show_task(path: Path, task_id: str, *, gold: bool, as_json: bool) -> None:
    """Print a task that a path holds, dropped or not; its gold table and its query only with `gold`.

    Raises NotFoundError where there is none of that id, FormatError for a file that can't be read.
    """
    from worldsmith.tasks import Task
    from worldsmith.tasks.dropped import dropped_reasons, every_row
    from worldsmith.tasks.files import task_files

    rows = {one: (file, row) for file in task_files(path) for one, row in every_row(file).items()}
    if task_id not in rows:
        raise NotFoundError(f"{path}: no task {task_id!r}.{close_match(task_id, rows)}")
    file, row = rows[task_id]
    task, reason = Task.from_json(row), dropped_reasons(file.parent).get(task_id)
    summary = _summary(task) | ({"dropped": reason} if reason else {})
    if as_json:
        emit(summary | ({"gold": task.gold, "sql": task.sql} if gold else {}))
        return
    lines = [
        f"{task_id}: {task.kind}, {_shape(summary)} (rows x columns), difficulty {summary['difficulty']}",
        f"certificate: {counted(task.turns, 'turn')}, {task.tool_tokens} tool tokens",
        *([f"dropped: {reason}"] if reason else []),
        "",
        task.question,
        *(["", task.table(), "", task.sql] if gold else []),
    ]
    click.echo("\n".join(lines))


def change_dropped(
    paths: Sequence[Path], drop: Sequence[str], restore: Sequence[str], reason: str | None, *, as_json: bool
) -> None:
    """Drop tasks for a reason, or restore some. Raises UsageError where one is missing, or as `drop_tasks` does."""
    from worldsmith.tasks.dropped import drop_tasks, restore_tasks
    from worldsmith.tasks.files import task_files

    if bool(drop) != (reason is not None):
        raise UsageError("--drop ID needs its --reason TEXT, and --reason a task to drop")
    files = [file for path in paths for file in task_files(path)]
    if restore:
        restore_tasks(files, restore)
    kept = drop_tasks(files, drop, reason) if reason is not None else None
    for task_id in drop or restore:
        if as_json:
            emit({"task_id": task_id, "dropped": kept})
        else:
            click.echo(f"{task_id}: {'restored' if kept is None else f'dropped: {kept}'}")


def _summary(task: "Task") -> dict[str, Any]:
    """Return what is shown of a task: nothing that answers it but how many rows there are."""
    from worldsmith.tasks import difficulty

    return {
        "task_id": task.task_id,
        "world": task.world,
        "schema": task.schema,
        "kind": task.kind,
        "size": task.size,
        "rows": len(task.gold),
        "columns": [column.name for column in task.columns],
        "turns": task.turns,
        "tool_tokens": task.tool_tokens,
        "difficulty": difficulty(task),
        "question": task.question,
    }


def _shape(summary: dict[str, Any]) -> str:
    return f"{summary['rows']} x {len(summary['columns'])}"
