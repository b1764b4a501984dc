"""A run on disk: its settings, and one line per episode, which survive a crash at any moment.

`run.json` holds the settings; `episodes.jsonl` a line per finished episode, flushed to disk before it counts;
`spending.json` what all replies have cost, where they have a price. What a crash leaves of a line is dropped when the
run is resumed; so are episodes that ended with a server error, to be played again.
"""

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import orjson

from worldsmith.errors import FormatError, UsageError
from worldsmith.rollout.finish import INFRASTRUCTURE
from worldsmith.rollout.recorded_episodes import EPISODES, episode_lines
from worldsmith.world.files import indented_json, locked_folder, read_json, write_file

VERSION: Final = 1
"""Version of the two files."""
SETTINGS: Final = "run.json"
SPENDING: Final = "spending.json"
BULKY: Final = frozenset({"messages", "calls", "answer", "cells", "surplus"})
"""Fields of an episode that figures don't need."""
Key = tuple[str, int]
"""Task id and sample."""


class SavedRun:
    """A folder of episodes, locked by one process. Made by `saved_run`."""

    def __init__(self, folder: Path) -> None:
        """Read the figures of the episodes that are there. Raises FormatError."""
        self.path = folder / EPISODES
        self.figures: dict[Key, dict[str, Any]] = {}
        """The figures of each finished episode."""
        self._spending = folder / SPENDING
        self.spent = _kept_spending(self._spending)
        """What all replies have cost, those of episodes that were cut off too."""
        self._kept: list[tuple[int, int]] = []
        for offset, length, episode in episode_lines(self.path) if self.path.is_file() else ():
            key = episode["task_id"], episode["sample"]
            if episode["finish"] not in INFRASTRUCTURE and key not in self.figures:
                self.figures[key] = figures_of(episode)
                self._kept.append((offset, length))
        self.spent = max(self.spent, sum(row["cost"] for row in self.figures.values()))

    def drop_unfinished(self) -> None:
        """Remove what a crash left of a line, and episodes that are to be played again, from the file."""
        if not self.path.is_file():
            write_file(self.path, b"")
        elif sum(length for _, length in self._kept) < self.path.stat().st_size:
            data = self.path.read_bytes()
            write_file(self.path, b"".join(data[offset : offset + length] for offset, length in self._kept))

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

    def keep_spending(self, total: float) -> None:
        """Keep what all replies have cost so far; a crash loses what they cost since the last call. Raises OSError."""
        if total > self.spent:
            self.spent = total
            write_file(self._spending, indented_json({"total": total}))


def _kept_spending(path: Path) -> float:
    if not path.is_file():
        return 0.0
    match read_json(path):
        case {"total": int() | float() as total}:
            return float(total)
    raise FormatError(f'{path}: not {{"total": number}}: correct it, or delete it to forget what cut-off episodes cost')


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
