"""Episodes of saved runs, read one at a time: whole runs don't fit into memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from worldsmith.errors import FormatError, NotFoundError

EPISODES: Final = "episodes.jsonl"
"""The file of a run's episodes."""
REQUIRED: Final = ("task_id", "sample", "finish", "cells", "surplus", "calls", "messages")
"""Fields by which a record of this version is recognized."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record is: the name of its run, the file, and the offset of its line."""

    run: str
    file: Path
    offset: int


def run_files(paths: Sequence[Path]) -> dict[str, Path]:
    """Return the files of episodes of runs by the runs' names.

    A path is the folder of a run, a folder of such folders, or a file of episodes. A run is named after its folder, by
    its path where two share a name.

    Raises NotFoundError for a path without a run.
    """
    files: list[Path] = []
    for path in paths:
        here = [path] if path.is_file() else [path / EPISODES] if (path / EPISODES).is_file() else []
        of_path = here or sorted(path.glob(f"*/{EPISODES}"))
        if not of_path:
            raise NotFoundError(f"{path}: no run there: name a folder that `worldsmith run --agent openai --out` made")
        files += [file for file in of_path if file not in files]
    names = [file.resolve().parent.name for file in files]
    return {
        name if names.count(name) == 1 else str(file.parent if file.name == EPISODES else file): file
        for name, file in zip(names, files, strict=True)
    }


def recorded_episodes(runs: Mapping[str, Path]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Yield the episodes of runs, each (task, sample) of a run once. Raises FormatError as `episode_lines` does."""
    for run, file in runs.items():
        known: set[tuple[str, int]] = set()
        for offset, _, episode in episode_lines(file):
            key = episode["task_id"], episode["sample"]
            if key not in known:
                known.add(key)
                yield Place(run, file, offset), episode


def episode_lines(file: Path, required: Sequence[str] = REQUIRED) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield offset, length and record of each complete line of a file; one that is still being written is left out.

    Raises FormatError for a line that isn't a record with the `required` fields.
    """
    offset = 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return
            yield offset, len(line), _episode(line, f"{file}, line {number}", required)
            offset += len(line)


def _episode(line: bytes, where: str, required: Sequence[str]) -> dict[str, Any]:
    try:
        episode = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{where}: not JSON: {error}; delete the line to play the episode again") from None
    if not isinstance(episode, dict):
        raise FormatError(f"{where}: no episode: it is no object; delete the line")
    if missing := [name for name in required if name not in episode]:
        raise FormatError(f"{where}: no episode of this version: it has no {', '.join(missing)}: play the run again")
    return episode


def read_again(place: Place) -> Mapping[str, Any]:
    """Return the episode at a place."""
    with place.file.open("rb") as file:
        file.seek(place.offset)
        return _episode(file.readline(), f"{place.file}, byte {place.offset}", REQUIRED)
