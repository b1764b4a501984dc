"""A run on disk: its settings, and one line per episode, which survive a crash at any moment.

`run.json` holds the settings; `episodes.jsonl` a line per finished episode, flushed to disk before it counts. What a
crash leaves of a line is dropped when the run is resumed; so are episodes that a server ended, to be played again.
"""

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from worldsmith.errors import FormatError, UsageError
from worldsmith.rollout.finish import INFRASTRUCTURE, Finish
from worldsmith.world.files import indented_json, locked_folder, read_json, write_file

VERSION: Final = 1
"""Of the two files."""
SETTINGS, EPISODES = "run.json", "episodes.jsonl"
BULKY: Final = frozenset({"messages", "calls", "answer", "cells", "surplus"})
"""Fields of an episode that figures don't need."""
Key = tuple[str, int]
"""Task id and sample."""

_STRICT: Final = ConfigDict(strict=True)


@dataclass(config=_STRICT)
class _Cell:
    row: str
    column: str
    outcome: str
    expected: str
    answered: str
    call: int | None


@dataclass(config=_STRICT)
class _Call:
    turn: int
    tool: str
    arg: str
    status: str


@dataclass(config=_STRICT)
class _Message:
    role: str


@dataclass(config=_STRICT)
class _Episode:
    """What readers of an episode rely on; a record has more."""

    task_id: str
    sample: int
    world: str
    schema: str
    kind: str
    size: str
    difficulty: float
    finish: Finish
    error: str
    item_f1: float
    evidenced_item_f1: float
    row_f1: float
    nonkey_f1: float
    success: bool
    reward: float
    turns: int
    search_calls: int
    extract_calls: int
    prompt_tokens: int
    completion_tokens: int
    retries: int
    tool_tokens: int
    cost: float
    seconds: float
    gold_rows: int
    answer: str
    cells: list[_Cell]
    surplus: list[list[str]]
    calls: list[_Call]
    messages: list[_Message]


_EPISODE: Final = TypeAdapter(_Episode)


def read_episode(line: bytes, where: str) -> dict[str, Any]:
    """Return the episode in a line of `episodes.jsonl`. Raises FormatError, which names `where` and what is wrong."""
    try:
        episode: dict[str, Any] = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{where}: no JSON: {error}: {REMEDY}") from None
    try:
        _EPISODE.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"])) or "the line"
        wrong = "is missing" if first["type"] == "missing" else f"is {first['input']!r:.60}: {first['msg']}"
        raise FormatError(f"{where}: no episode of this version: {name} {wrong}: {REMEDY}") from None
    for cell in episode["cells"]:
        if cell["call"] is not None and not 0 <= cell["call"] < len(episode["calls"]):
            raise FormatError(f"{where}: a cell names call {cell['call']} of {len(episode['calls'])}: {REMEDY}")
    return episode


REMEDY: Final = "delete the line, and run again to play its episode"


class SavedRun:
    """A folder of episodes, held by one process. Made by `saved_run`."""

    def __init__(self, folder: Path) -> None:
        """Read the episodes that are there. Raises FormatError."""
        self.path = folder / EPISODES
        self.figures: dict[Key, dict[str, Any]] = {}
        """What is known of each finished episode, without its conversation."""
        self._data = self.path.read_bytes() if self.path.is_file() else b""
        whole = self._data[: self._data.rfind(b"\n") + 1]
        self._kept = b"".join(
            line for number, line in enumerate(whole.splitlines(keepends=True), 1) if self._keep(line, number)
        )

    def drop_unfinished(self) -> None:
        """Remove what a crash left of a line, and episodes that are to be played again, from the file."""
        if self._kept != self._data or not self.path.is_file():
            write_file(self.path, self._kept)

    def _keep(self, line: bytes, number: int) -> bool:
        """Take an episode; return whether it counts."""
        episode = read_episode(line, f"{self.path}, line {number}")
        key = episode["task_id"], episode["sample"]
        if episode["finish"] in INFRASTRUCTURE or key in self.figures:
            return False
        self.figures[key] = figures_of(episode)
        return True

    def add(self, episode: Mapping[str, Any]) -> None:
        """Append a finished episode; it is on disk when this returns. Raises OSError."""
        data = orjson.dumps(episode, option=orjson.OPT_APPEND_NEWLINE)
        with self.path.open("ab", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            if file.write(data) < len(data):
                file.truncate(size)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            os.fsync(file.fileno())
        self.figures[episode["task_id"], episode["sample"]] = figures_of(episode)


def figures_of(episode: Mapping[str, Any]) -> dict[str, Any]:
    """Return an episode without its conversation."""
    return {name: value for name, value in episode.items() if name not in BULKY}


@contextmanager
def saved_run(folder: Path, settings: Mapping[str, Any]) -> Iterator[SavedRun]:
    """Yield the run kept in `folder`, begun where there is none; no other process has it meanwhile.

    Raises:
        UsageError: the folder holds a run with other settings, other files, or another process has it.
        FormatError: its files can't be read.
    """
    with locked_folder(folder):
        run, path, wanted = SavedRun(folder), folder / SETTINGS, {"version": VERSION, **settings}
        if not run.figures:
            write_file(path, indented_json(wanted))  # nothing was played under other settings
        elif path.is_file():
            _require_same(path, read_json(path), wanted)
        else:
            raise FormatError(f"{folder}: it has {EPISODES} and no {SETTINGS}: name another folder")
        run.drop_unfinished()
        yield run


def _require_same(path: Path, kept: Any, wanted: Mapping[str, Any]) -> None:
    """Raise UsageError where a run was begun with other settings, and say which differ."""
    if not isinstance(kept, dict):
        raise FormatError(f"{path}: not the settings of a run: it holds no object")
    names = [name for name in (*wanted, *(n for n in kept if n not in wanted)) if kept.get(name) != wanted.get(name)]
    if names:
        differences = ", ".join(f"{name} was {kept.get(name)!r:.60} and is {wanted.get(name)!r:.60}" for name in names)
        raise UsageError(
            f"{path.parent} holds a run with other settings: {differences}. Name another folder with --out"
        )
