"""Episodes of saved runs, read one at a time: whole runs don't fit into memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from worldsmith.errors import FormatError, NotFoundError
from worldsmith.rollout.finish import Finish
from worldsmith.train.failures import CellOutcome

EPISODES: Final = "episodes.jsonl"
"""The file of a run's episodes."""
REMEDY: Final = "delete the line, and run again to play its episode"
_STRICT: Final = ConfigDict(strict=True)


class _Call(TypedDict):
    __pydantic_config__ = _STRICT  # type: ignore[misc]  # where pydantic looks for it
    turn: int
    tool: str
    arg: str
    status: str


class _Message(TypedDict):
    __pydantic_config__ = _STRICT  # type: ignore[misc]
    role: str


class _Episode(TypedDict):
    """What readers of an episode rely on; a record has more."""

    __pydantic_config__ = _STRICT  # type: ignore[misc]
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
    cells: list[CellOutcome]
    surplus: list[list[str]]
    calls: list[_Call]
    messages: list[_Message]


_EPISODE: Final = TypeAdapter(_Episode)


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


def episode_lines(file: Path) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield offset, length and record of each complete line of a file; one that is still being written is left out.

    Raises FormatError for a line that is no episode of this version.
    """
    offset = 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                return
            yield offset, len(line), read_episode(line, f"{file}, line {number}")
            offset += len(line)


def read_episode(line: bytes, where: str) -> dict[str, Any]:
    """Return the episode in a line of `episodes.jsonl`. Raises FormatError, which names `where` and what is wrong."""
    try:
        episode: dict[str, Any] = orjson.loads(line)
        _EPISODE.validate_python(episode)
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{where}: not JSON: {error}: {REMEDY}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"])) or "the line"
        wrong = "is missing" if first["type"] == "missing" else f"is {first['input']!r:.60}: {first['msg']}"
        raise FormatError(f"{where}: no episode of this version: {name} {wrong}: {REMEDY}") from None
    for cell in episode["cells"]:
        if cell["call"] is not None and not 0 <= cell["call"] < len(episode["calls"]):
            raise FormatError(f"{where}: a cell names call {cell['call']} of {len(episode['calls'])}: {REMEDY}")
    return episode


def read_again(place: Place) -> Mapping[str, Any]:
    """Return the episode at a place."""
    with place.file.open("rb") as file:
        file.seek(place.offset)
        return read_episode(file.readline(), f"{place.file}, byte {place.offset}")
