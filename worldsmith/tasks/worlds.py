"""The worlds that a command works on, by id: each on its own, or all of them as one web.

Folders are known here and to code that writes beside worlds; everything else opens a world by its id.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from worldsmith.errors import FormatError, NotFoundError, UsageError, some_of
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks.dropped import reasons_in
from worldsmith.tasks.files import TaskPlace, as_mined, stream_tasks, stream_tasks_of, tasks_of
from worldsmith.tasks.task import AGAIN, Task
from worldsmith.world.files import folders_by_id, load_world, read_summary, tasks_file, world_files
from worldsmith.world.model import World


class Worlds(Protocol):
    """Worlds, their tasks, and what answers calls about them."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the worlds; working through them in this order opens each world once."""
        ...

    def open(self, world: str) -> World:
        """Return a world. Raises NotFoundError for an unknown id, FormatError where its bytes aren't those it names."""
        ...

    def simulator(self, world: str) -> Simulator | PoolSimulator:
        """Return what answers calls about a world; its `id` is what an address names. Raises as `open` does."""
        ...

    def tasks(self) -> Iterator[tuple[str, list[Task]]]:
        """Yield each world's id with its tasks. Raises NotFoundError, FormatError where they can't be read."""
        ...

    def dropped(self) -> dict[str, str]:
        """Return why tasks of these worlds are dropped, by task id; `tasks` leaves them out. Raises FormatError."""
        ...

    def stream_tasks(self) -> Iterator[tuple[TaskPlace, Task]]:
        """Yield the tasks one at a time, each with its place, those of a world together. Raises as `tasks` does."""
        ...

    def digest(self, world: str) -> str:
        """Return the digest that a world's manifest names. Raises FormatError."""
        ...

    def wordings(self, world: str) -> str:
        """Return which wordings a world was written in: "train", "test", or "all". Raises FormatError."""
        ...

    def as_mined(self, world: str) -> bool:
        """Whether a world's tasks are, byte for byte, what was mined for it by these versions."""
        ...


class SeparateWorlds:
    """Worlds in folders of their own, each a web of its own. The last one used stays open; for one thread at a time."""

    def __init__(self, folders: Iterable[Path], simulate: Callable[[World], Simulator] = Simulator) -> None:
        """Read the ids of the worlds in `folders`; `simulate` makes what answers the calls of one of them.

        Raises UsageError where two folders hold the same world, FormatError where one holds none.
        """
        self.folders = folders_by_id(folders)
        self._simulate = simulate
        self._last: Simulator | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the worlds, in the order of the folders."""
        return tuple(self.folders)

    def open(self, world: str) -> World:
        """Return a world."""
        return self.simulator(world).world

    def simulator(self, world: str) -> Simulator:
        """Return the simulator of a world."""
        if self._last is None or self._last.id != world:
            if world not in self.folders:
                raise NotFoundError(f"world {world!r} is not among those named: {some_of(self.folders)}")
            self._last = self._simulate(load_world(self.folders[world]))
        return self._last

    def tasks(self) -> Iterator[tuple[str, list[Task]]]:
        """Yield each world's id with its tasks."""
        for world, folder in self.folders.items():
            yield world, tasks_of(folder)

    def dropped(self) -> dict[str, str]:
        """Return why tasks of these worlds are dropped."""
        files = (file for file in dict.fromkeys(map(tasks_file, self.folders.values())) if file.is_file())
        return {task_id: reason for file in files for task_id, reason in reasons_in(file, self.folders).items()}

    def stream_tasks(self) -> Iterator[tuple[TaskPlace, Task]]:
        """Yield the tasks one at a time, each with its place."""
        for folder in self.folders.values():
            yield from stream_tasks_of(folder)

    def digest(self, world: str) -> str:
        """Return the digest that a world's manifest names."""
        return read_summary(self.folders[world]).digest

    def wordings(self, world: str) -> str:
        """Return which wordings a world was written in."""
        return world_files(self.folders[world]).wordings()

    def as_mined(self, world: str) -> bool:
        """Whether a world's tasks are those that the record beside them names."""
        return as_mined(self.folders[world])


class PooledWorlds:
    """The worlds of a pool: one web, whose simulator keeps as many of them open as its memory holds."""

    def __init__(self, simulator: PoolSimulator) -> None:
        """Take what answers the calls of the pool."""
        self.pool, self._simulator = simulator.pool, simulator

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the worlds, sorted."""
        return self.pool.worlds

    def open(self, world: str) -> World:
        """Return a world."""
        return self._simulator.world(world).world

    def simulator(self, world: str) -> PoolSimulator:  # noqa: ARG002 - the same for all
        """Return the pool's simulator."""
        return self._simulator

    def tasks(self) -> Iterator[tuple[str, list[Task]]]:
        """Yield each world's id with those of the pool's tasks that are about it, or about it first."""
        by_world: dict[str, list[Task]] = {world: [] for world in self.ids}
        for _, task in self.stream_tasks():
            by_world[task.worlds[0]].append(task)
        yield from by_world.items()

    def stream_tasks(self) -> Iterator[tuple[TaskPlace, Task]]:
        """Yield the pool's tasks one at a time, each with its place: those over several worlds come last."""
        file = self.pool.tasks_file
        if not file.is_file():
            fix = f"make them with `worldsmith tasks {self.pool.folder} --pool`"
            raise NotFoundError(f"{file}: no tasks of {self.pool.id}; {fix}")
        for place, task in stream_tasks(file):
            if foreign := [world for world in task.worlds if world not in self.pool.digests]:
                raise FormatError(f"{file}: task {task.task_id}: {foreign[0]} is no world of {self.pool.id}: {AGAIN}")
            yield place, task

    def digest(self, world: str) -> str:
        """Return a world's digest."""
        return self.pool.digests[world]

    def wordings(self, world: str) -> str:
        """Return which wordings a world was written in."""
        return world_files(self.pool.folders[world]).wordings()

    def dropped(self) -> dict[str, str]:
        """Return why tasks of the pool are dropped."""
        return reasons_in(self.pool.tasks_file)

    def as_mined(self, world: str) -> bool:  # noqa: ARG002 - a protocol's signature
        """Return False: no record says what a pool's tasks were proved by, so they are always replayed."""
        return False


class JoinedWorlds:
    """Several collections of worlds as one: each world is opened, and its calls answered, as in its own."""

    def __init__(self, parts: Sequence[Worlds]) -> None:
        """Take the collections. Raises UsageError where two of them hold the same world."""
        self._parts = parts
        self._part_of: dict[str, Worlds] = {}
        for part in parts:
            for world in part.ids:
                if world in self._part_of:
                    raise UsageError(f"world {world!r} is given twice: alone, or in two pools")
                self._part_of[world] = part

    def _part(self, world: str) -> Worlds:
        if world not in self._part_of:
            raise NotFoundError(f"world {world!r} is not among those named: {some_of(self.ids)}")
        return self._part_of[world]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the worlds, one collection after another."""
        return tuple(self._part_of)

    def open(self, world: str) -> World:
        """Return a world."""
        return self._part(world).open(world)

    def simulator(self, world: str) -> Simulator | PoolSimulator:
        """Return what answers calls about a world."""
        return self._part(world).simulator(world)

    def tasks(self) -> Iterator[tuple[str, list[Task]]]:
        """Yield each world's id with its tasks."""
        for part in self._parts:
            yield from part.tasks()

    def stream_tasks(self) -> Iterator[tuple[TaskPlace, Task]]:
        """Yield the tasks one at a time, each with its place."""
        for part in self._parts:
            yield from part.stream_tasks()

    def digest(self, world: str) -> str:
        """Return a world's digest."""
        return self._part(world).digest(world)

    def wordings(self, world: str) -> str:
        """Return which wordings a world was written in."""
        return self._part(world).wordings(world)

    def dropped(self) -> dict[str, str]:
        """Return why tasks of the worlds are dropped."""
        return {task_id: reason for part in self._parts for task_id, reason in part.dropped().items()}

    def as_mined(self, world: str) -> bool:
        """Whether a world's tasks are as they were mined."""
        return self._part(world).as_mined(world)
