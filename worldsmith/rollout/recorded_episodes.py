"""Episodes of saved runs, read one at a time: whole runs don't fit into memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldsmith.errors import NotFoundError
from worldsmith.rollout.saved_run import EPISODES, read_episode


@dataclass(frozen=True, slots=True)
class Place:
    """Where an episode stands: the name of its run, the file, and where in it the line begins."""

    run: str
    file: Path
    offset: int


def run_files(paths: Sequence[Path]) -> dict[str, Path]:
    """Return the files of episodes of runs by the runs' names.

    A path is the folder of a run, a folder of such folders, or a file of episodes. A run is called by its folder's
    name, by its path where two share one.

    Raises NotFoundError for a path without a run.
    """
    files: list[Path] = []
    for path in paths:
        here = [path] if path.is_file() else [path / EPISODES] if (path / EPISODES).is_file() else []
        held = here or sorted(path.glob(f"*/{EPISODES}"))
        if not held:
            raise NotFoundError(f"{path}: no run there: name a folder that `worldsmith run --agent openai --out` made")
        files += [file for file in held if file not in files]
    names = [file.resolve().parent.name for file in files]
    return {
        name if names.count(name) == 1 else str(file.parent if file.name == EPISODES else file): file
        for name, file in zip(names, files, strict=True)
    }


def recorded_episodes(runs: Mapping[str, Path]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Yield the episodes of runs, each (task, sample) of a run once; a line that is still being written is left out.

    Raises FormatError for a line that is no episode of this version.
    """
    for run, file in runs.items():
        known: set[tuple[str, int]] = set()
        offset = 0
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                place, offset = Place(run, file, offset), offset + len(line)
                if not line.endswith(b"\n"):
                    break
                episode = read_episode(line, f"{file}, line {number}")
                key = episode["task_id"], episode["sample"]
                if key not in known:
                    known.add(key)
                    yield place, episode


def read_again(place: Place) -> Mapping[str, Any]:
    """Return the episode at a place."""
    with place.file.open("rb") as file:
        file.seek(place.offset)
        return read_episode(file.readline(), str(place.file))
