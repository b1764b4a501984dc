"""What a program of somebody's own scores on tasks: question and address in, answer out, a child process each.

The program reads one JSON object from standard input, {"question", "base_url"}, and writes its answer to standard
output. It may search and read by the served API (`POST {base_url}/api/search`, `/api/extract`); what it can't do in
time or ends with an error counts as no answer.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from worldsmith import scoring
from worldsmith.tasks import Task

TIMEOUT: Final = 300.0
"""Seconds that a program has for one task."""


@dataclass(frozen=True, slots=True)
class ProgramScore:
    """What a program's answer to one task is worth."""

    task: Task
    item_f1: float
    row_f1: float
    nonkey_f1: float
    error: str = ""
    """Why there is no answer: it ran too long, or failed, with the end of what it wrote about it."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, without the answer's cells or gold."""
        figures = {"item_f1": self.item_f1, "row_f1": self.row_f1, "nonkey_item_f1": self.nonkey_f1}
        return {"task_id": self.task.task_id, "kind": self.task.kind, **figures, "error": self.error}


def run_program(
    program: Path, tasks: Iterable[Task], base_url: Callable[[Task], str], *, jobs: int = 2, timeout: float = TIMEOUT
) -> Iterator[ProgramScore]:
    """Yield what a program scores on tasks, in their order.

    Args:
        program: a Python file.
        tasks: what it is asked.
        base_url: where a task's world is served.
        jobs: processes at once.
        timeout: seconds for one task.
    """

    def one(task: Task) -> ProgramScore:
        request = json.dumps({"question": task.question, "base_url": base_url(task)})
        command = [sys.executable, str(program)]
        try:
            done = subprocess.run(  # noqa: S603 - the user's own program
                command, input=request, capture_output=True, text=True, errors="replace", timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired:
            return ProgramScore(task, 0.0, 0.0, 0.0, f"no answer in {timeout:g} s")
        if done.returncode != 0:
            return ProgramScore(task, 0.0, 0.0, 0.0, f"exit code {done.returncode}: {done.stderr[-300:].strip()}")
        score = scoring.score(done.stdout, task.columns, task.gold)
        return ProgramScore(task, score.item.f1, score.row.f1, score.nonkey.f1)

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(one, tasks)


def means(scores: Iterable[ProgramScore]) -> dict[str, dict[str, float]]:
    """Return the mean figures by kind of task, and over all."""
    groups: dict[str, list[ProgramScore]] = {}
    for score in scores:
        groups.setdefault(score.task.kind, []).append(score)
        groups.setdefault("all", []).append(score)
    return {
        kind: {
            "tasks": len(group),
            "item_f1": round(fmean(s.item_f1 for s in group), 4),
            "row_f1": round(fmean(s.row_f1 for s in group), 4),
            "nonkey_item_f1": round(fmean(s.nonkey_f1 for s in group), 4),
            "failed": sum(bool(s.error) for s in group),
        }
        for kind, group in sorted(groups.items())
    }
