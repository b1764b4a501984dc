"""Tasks of an export that are read as they are needed, and work on them that a killed export doesn't do twice."""

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from sys import intern
from typing import Any, Protocol, TypeVar

from worldsmith import __version__
from worldsmith.errors import WorldsmithError
from worldsmith.tasks import Task
from worldsmith.tasks.files import TaskPlace, tasks_at
from worldsmith.tasks.shortcuts import GATES
from worldsmith.tasks.task import VERSIONS
from worldsmith.world.files import read_jsonl, save_jsonl
from worldsmith.world.model import canonical_json

T = TypeVar("T")
V = TypeVar("V")

UNFINISHED = ".unfinished"
"""The folder of an export that holds what a killed one has computed."""
CHUNK = 256
"""Tasks whose values are saved together."""


class Progress(Protocol):
    """Passes items on and shows how far they are."""

    def __call__(self, items: Iterable[T], length: int, label: str, /) -> Iterator[T]:
        """Yield the items, of which there are `length`."""
        ...


def no_progress(items: Iterable[T], length: int, label: str) -> Iterator[T]:  # noqa: ARG001 - a protocol's signature
    """Yield the items and show nothing."""
    yield from items


@dataclass(frozen=True, slots=True)
class TaskOutline:
    """What an export knows of a task without holding it: where it is kept, and the figures that limits are made of."""

    place: TaskPlace
    task_id: str
    worlds: tuple[str, ...]
    schema: str
    kind: str
    size: str
    rows: int
    """Of its gold table."""
    turns: int
    max_turns: int
    tool_tokens: int
    shortcuts: tuple[float, ...]
    """What the shortcuts of `GATES` are worth on it, in their order; empty where that wasn't measured."""

    @classmethod
    def of(cls, place: TaskPlace, task: Task) -> "TaskOutline":
        """Return the outline of a task."""
        shortcuts = tuple(task.audit[name] for name in GATES if name in task.audit)
        return cls(
            place,
            task.task_id,
            task.worlds,
            intern(task.schema),
            intern(task.kind),
            intern(task.size),
            len(task.gold),
            task.turns,
            task.max_turns,
            task.tool_tokens,
            shortcuts if len(shortcuts) == len(GATES) else (),
        )


@dataclass(frozen=True)
class LazyTasks(Collection[Task]):
    """Tasks of which only the outlines are in memory: each iteration reads them anew, one at a time."""

    outlines: Sequence[TaskOutline]
    label: str = "tasks"
    """Of the progress of an iteration."""
    progress: Progress = no_progress
    saved: Path | None = None
    """The folder for what is computed of them (`with_values`)."""

    def __len__(self) -> int:
        return len(self.outlines)

    def __iter__(self) -> Iterator[Task]:
        places = (outline.place for outline in self.outlines)
        return self.progress(tasks_at(places), len(self), self.label)

    def __contains__(self, task: object) -> bool:
        return isinstance(task, Task) and any(task.task_id == outline.task_id for outline in self.outlines)


def with_values(tasks: Iterable[Task], what: str, compute: Callable[[int, Task], V]) -> Iterator[tuple[Task, V]]:
    """Yield each task with what `compute` makes of its number and itself: a JSON value.

    In an export the values are saved in chunks, under the name `what`: one that was killed goes on after the last whole
    chunk.
    """
    numbered = enumerate(tasks)
    if not isinstance(tasks, LazyTasks) or tasks.saved is None:
        yield from ((task, compute(number, task)) for number, task in numbered)
        return
    for start in range(0, len(tasks), CHUNK):
        path = tasks.saved / what / f"{start:09}.jsonl"
        chunk = islice(numbered, CHUNK)
        saved = read_jsonl(path) if path.is_file() else []
        lines: list[Any] = []
        for number, task in chunk:
            line = saved[len(lines)] if len(saved) > len(lines) else None
            if not isinstance(line, list) or line[0] != task.task_id:
                line = [task.task_id, compute(number, task)]
            lines.append(line)
            yield task, line[1]
        if lines != saved:
            save_jsonl(path, lines)


@contextmanager
def saved_work(out: Path, splits: Mapping[str, Sequence[TaskOutline]], *options: Any) -> Iterator[Path]:
    """Yield a folder of an export of these splits under these options, with what a killed one has saved there.

    It is removed at the end, and where the export fails by an error of ours or of a file; a process that is killed
    leaves it. What other exports have left is removed.
    """
    made_of = sha256(canonical_json([__version__, dict(VERSIONS), list(options)]))
    for name, outlines in splits.items():
        made_of.update(name.encode() + b"\n")
        for outline in outlines:
            made_of.update(outline.task_id.encode() + b"\n")
    folder = out / UNFINISHED / made_of.hexdigest()[:16]
    for other in (out / UNFINISHED).glob("*"):
        if other != folder:
            shutil.rmtree(other)
    try:
        yield folder
    except (WorldsmithError, OSError):
        shutil.rmtree(out / UNFINISHED, ignore_errors=True)
        raise
    shutil.rmtree(out / UNFINISHED, ignore_errors=True)
