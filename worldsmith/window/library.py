"""What a window shows, read from disk when it is looked at and again when it has changed. Nothing is written."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import Any, Final, Generic, TypeVar

import orjson

from worldsmith.cache import keep
from worldsmith.checking import check
from worldsmith.checking.report import Report
from worldsmith.errors import FormatError, NotFoundError, close_match
from worldsmith.pages import Pages
from worldsmith.pages.index.dense import retriever_named
from worldsmith.pages.pool import Pool, open_pool
from worldsmith.rollout.recorded_episodes import EPISODES, Place, read_again, read_episode
from worldsmith.rollout.run_report import EpisodeReview, review
from worldsmith.simulate.perturb import PROFILES, load_curriculum
from worldsmith.simulate.pool import PoolSimulator, simulator_of
from worldsmith.simulate.protocol import Address
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.traces import read_trace
from worldsmith.tasks import Task
from worldsmith.tasks.dropped import DROPPED
from worldsmith.tasks.files import count_tasks, read_tasks, tasks_of
from worldsmith.window.launch import WindowSettings
from worldsmith.world.files import (
    LANGUAGE,
    MANIFEST,
    load_world,
    read_manifest,
    shards_with,
    tasks_file,
    world_folders,
)
from worldsmith.world.model import World

OPEN_WORLDS: Final = 8
"""Worlds kept in memory."""
KEPT_FILES: Final = 4096
"""Files of which what was read is kept."""
PROBLEMS: Final = 20
"""Lines of a file that are named as damaged, at most."""
T = TypeVar("T")
Stamp = tuple[tuple[str, int, int], ...]
"""Name, time and size of files: others after a change."""


def stamp_of(*paths: Path) -> Stamp:
    """Return the stamp of files; those that are missing have none."""
    stamps = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        stamps.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(stamps)


class Readings(Generic[T]):
    """What was read from files, kept until these change."""

    def __init__(self, most: int) -> None:
        self._kept: dict[str, tuple[Stamp, T]] = {}
        self._most, self._lock = most, Lock()

    def get(self, name: str, stamp: Stamp, read: Callable[[], T]) -> T:
        """Return what `read` returns, or returned at the same stamp."""
        with self._lock:
            kept = self._kept.pop(name, None)
            value = kept[1] if kept is not None and kept[0] == stamp else read()
            return keep(self._kept, name, (stamp, value), self._most)[1]


@dataclass(frozen=True, slots=True)
class WorldEntry:
    """The path of a world, and its manifest; {} where that can't be read, with the reason as `problem`."""

    folder: Path
    manifest: Mapping[str, Any]
    problem: str = ""

    @property
    def id(self) -> str:
        """The world's id; the folder's name where it is not known."""
        return str(self.manifest.get("world", self.folder.name))


@dataclass(frozen=True)
class OpenWorld:
    """A world that was read, with what answers calls to it."""

    world: World
    simulator: Simulator

    @property
    def pages(self) -> Pages:
        """Its pages at their usual length."""
        return self.simulator.pages_of(Address(self.world.id))

    @cached_property
    def report(self) -> Report:
        """The check of all its rules."""
        return check(self.world)


@dataclass(frozen=True, slots=True)
class RunFile:
    """The episodes of a run that can be read, and what is wrong with the other lines of its file."""

    name: str
    file: Path
    episodes: tuple[EpisodeReview, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TraceFile:
    """A trace: its header, its records, and how many of its lines are broken."""

    file: Path
    head: Mapping[str, Any]
    records: tuple[Mapping[str, Any], ...]
    broken: int


class Library:
    """Worlds, their tasks and simulators, runs and traces, by name. Safe to use from several threads."""

    def __init__(self, settings: WindowSettings) -> None:
        """Take what is shown. Raises FormatError, UsageError for profiles or a retriever that can't be used."""
        self.settings = settings
        self.profiles = PROFILES if settings.profiles is None else load_curriculum(settings.profiles).profiles
        self._retriever = retriever_named(settings.retriever)
        self._manifests = Readings[WorldEntry](KEPT_FILES)
        self._worlds = Readings[OpenWorld](OPEN_WORLDS)
        self._tasks = Readings[dict[str, Task]](OPEN_WORLDS)
        self._runs = Readings[RunFile](KEPT_FILES)
        self._trace_heads = Readings[Mapping[str, Any]](KEPT_FILES)
        self._pool: PoolSimulator | None = None
        self._pool_lock = Lock()

    # ---- worlds

    def worlds(self) -> dict[str, Path]:
        """Return the paths of all worlds by their ids. Raises NotFoundError where a path leads to none."""
        paths = world_folders(self.settings.paths)
        # In shards a world is named by its id: of a hundred thousand no manifest is read for a list of them.
        return {path.name if shards_with(path) else self.entry_at(path).id: path for path in reversed(paths)}

    def entry_at(self, folder: Path) -> WorldEntry:
        """Return what is known of the world at a path of `worlds`."""

        def read() -> WorldEntry:
            try:
                return WorldEntry(folder, read_manifest(folder))
            except FormatError as error:
                return WorldEntry(folder, {}, str(error))

        return self._manifests.get(str(folder), stamp_of(folder / MANIFEST), read)

    def entry(self, world: str) -> WorldEntry:
        """Return what is known of a world. Raises NotFoundError."""
        paths = self.worlds()
        if world not in paths:
            raise NotFoundError(f"no world {world!r}.{close_match(world, paths)}")
        return self.entry_at(paths[world])

    def world(self, world: str) -> OpenWorld:
        """Return a world. Raises NotFoundError for an unknown one, FormatError for one that can't be read."""
        entry = self.entry(world)
        tables = sorted((entry.folder / "tables").glob("*.jsonl"))
        stamp = stamp_of(*(entry.folder / name for name in (MANIFEST, "schema.json", LANGUAGE)), *tables)

        def read() -> OpenWorld:
            opened = load_world(entry.folder)
            return OpenWorld(opened, Simulator(opened, profiles=self.profiles, retriever=self._retriever))

        return self._worlds.get(world, stamp, read)

    # ---- tasks

    def tasks(self, name: str) -> dict[str, Task]:
        """Return the tasks of a world or the pool by their ids, none where there is no file. Raises FormatError."""
        folder = None if self.is_pool(name) else self.entry(name).folder
        path = tasks_file(folder) if folder else self.pool().tasks_file
        if not path.is_file():
            return {}

        def read() -> dict[str, Task]:
            return {task.task_id: task for task in (tasks_of(folder) if folder else read_tasks(path))}

        return self._tasks.get(name, stamp_of(path, path.with_name(DROPPED)), read)

    def count_tasks(self, entry: WorldEntry) -> int:
        """Return how many tasks a world has; 0 where they can't be read."""
        try:
            return count_tasks(entry.folder)
        except (FormatError, OSError):
            return 0

    # ---- the pool

    def is_pool(self, name: str) -> bool:
        """Whether a name is that of the pool."""
        return self.settings.pooled and name.startswith("pool-") and name == self.pool().id

    def pool(self) -> Pool:
        """Return the pool. Raises NotFoundError where worlds aren't served as one."""
        return self._pool_simulator().pool

    def _pool_simulator(self) -> PoolSimulator:
        if not self.settings.pooled:
            raise NotFoundError("these worlds are not served as one web: start `worldsmith serve` with --pool")
        with self._pool_lock:
            if self._pool is None:
                made = simulator_of(open_pool(world_folders(self.settings.paths)), self.profiles, self._retriever)
                assert isinstance(made, PoolSimulator)
                self._pool = made
            return self._pool

    def simulator(self, name: str) -> Simulator | PoolSimulator:
        """Return what answers the calls of a world or the pool. Raises as `world` and `pool` do."""
        return self._pool_simulator() if self.is_pool(name) else self.world(name).simulator

    # ---- runs and traces

    def runs(self) -> tuple[dict[str, Path], list[str]]:
        """Return the files of episodes by the names of their runs, and what is wrong with the folders of records."""
        files: list[Path] = []
        problems = []
        for folder in self.settings.records:
            if not folder.exists():
                problems.append(f"{folder}: there is no such folder")
            here = [folder] if folder.is_file() else [folder / EPISODES, *sorted(folder.glob(f"*/{EPISODES}"))]
            files += [file for file in here if file.is_file() and file not in files]
        names = [file.resolve().parent.name for file in files]
        named = (
            (name if names.count(name) == 1 else str(file.parent), file)
            for name, file in zip(names, files, strict=True)
        )
        return dict(named), problems

    def run(self, name: str) -> RunFile:
        """Return the episodes of a run. Raises NotFoundError, FormatError where the file can't be read."""
        runs, _ = self.runs()
        if name not in runs:
            raise NotFoundError(f"no run {name!r}.{close_match(name, runs)}")
        file = runs[name]
        return self._runs.get(str(file), stamp_of(file), lambda: _read_run(name, file))

    def episode(self, run: str, offset: int) -> Mapping[str, Any]:
        """Return the episode of a run whose line starts at an offset. Raises NotFoundError, FormatError."""
        place = next((one.place for one in self.run(run).episodes if one.place.offset == offset), None)
        if place is None:
            raise NotFoundError(f"{run}: no episode at byte {offset}: the file has changed, see the list again")
        return read_again(place)

    def traces(self) -> dict[str, tuple[Path, Mapping[str, Any]]]:
        """Return the files of traces with their headers, by name; other files are left out."""
        files = [file for folder in self.settings.records for file in sorted(folder.glob("*.jsonl"))]
        heads = ((file, self._trace_heads.get(str(file), stamp_of(file), partial(_trace_head, file))) for file in files)
        return {file.name: (file, head) for file, head in heads if head}

    def trace(self, name: str) -> TraceFile:
        """Return a trace. Raises NotFoundError, FormatError."""
        traces = self.traces()
        if name not in traces:
            raise NotFoundError(f"no trace {name!r}.{close_match(name, traces)}")
        head, records, broken = read_trace(traces[name][0])
        return TraceFile(traces[name][0], head, tuple(records), broken)


def _read_run(name: str, file: Path) -> RunFile:
    episodes: list[EpisodeReview] = []
    problems: list[str] = []
    for line, place in _episode_lines(name, file):
        try:
            episodes.append(review(place, read_episode(line, f"{file}, byte {place.offset}")))
        except FormatError as error:
            problems.append(str(error))
        except (KeyError, TypeError, AttributeError, ValueError) as error:  # of fields that no reader relies on
            problems.append(f"{file}, byte {place.offset}: no episode of this version: {error!r}")
    more = [f"… and {len(problems) - PROBLEMS} more lines"] if len(problems) > PROBLEMS else []
    return RunFile(name, file, tuple(episodes), (*problems[:PROBLEMS], *more))


def _episode_lines(name: str, file: Path) -> Iterator[tuple[bytes, Place]]:
    """Yield the whole lines of a file; one that is being written is left out. Raises FormatError."""
    offset = 0
    try:
        with file.open("rb") as lines:
            for line in lines:
                if line.endswith(b"\n") and line.strip():
                    yield line, Place(name, file, offset)
                offset += len(line)
    except OSError as error:
        raise FormatError(f"{file}: can't be read: {error.strerror}") from None


def _trace_head(file: Path) -> Mapping[str, Any]:
    """Return the header of a trace; {} for another file."""
    try:
        with file.open("rb") as lines:
            head = orjson.loads(lines.readline(1 << 16))
    except (OSError, orjson.JSONDecodeError):
        return {}
    return head if isinstance(head, dict) and "worldsmith_trace" in head else {}
