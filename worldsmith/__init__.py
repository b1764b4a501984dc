"""Invented relational worlds, a fake search engine over them, and table tasks that need searching.

The front door, for Python. What it names is imported when it is first used; paths are str or Path everywhere.

    import worldsmith as ws

    world = ws.generate("town", seed=7)                  # or ws.load_world("w/town-e037c676f4")
    assert ws.check(world).ok
    task = ws.mine(world, 1).tasks[0]                    # or ws.read_tasks("w/town-e037c676f4")[0]
    simulator = ws.Simulator(world)
    hits = simulator.call(ws.Address(world.id), ws.Call("web_search", "bakeries and who keeps them")).results
    environment = ws.Environment(world, task, simulator)
    print(ws.score(task.table(), task).item.f1)          # 1.0
    for item in ws.stream(["town", "films"], seed=7):    # tasks without end, each with its world
        ...
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldsmith.checking import check
    from worldsmith.mining.pipeline import mine
    from worldsmith.mining.stream import stream
    from worldsmith.schema import Knobs, Language, Schema, Split, load_schema
    from worldsmith.scoring import Score
    from worldsmith.simulate.protocol import Address, Call
    from worldsmith.simulate.simulator import Simulator
    from worldsmith.tasks import Task
    from worldsmith.train.environment import Environment
    from worldsmith.world.model import World

__version__ = "0.2.0.dev0"
__all__ = [
    "Address",
    "Call",
    "Environment",
    "Simulator",
    "check",
    "generate",
    "load_schema",
    "load_world",
    "mine",
    "read_tasks",
    "score",
    "stream",
]

_HOMES = {
    "Address": "simulate.protocol",
    "Call": "simulate.protocol",
    "Environment": "train.environment",
    "Simulator": "simulate.simulator",
    "check": "checking",
    "load_schema": "schema",
    "mine": "mining.pipeline",
    "stream": "mining.stream",
}


def __getattr__(name: str) -> Any:
    """Import what the front door names when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value


def generate(
    schema: "str | Path | Schema",
    seed: int,
    knobs: "Knobs | None" = None,
    language: "Language | None" = None,
    wordings: "Split" = "all",
) -> "World":
    """Return the world of a schema and a seed: the same rows for the same inputs.

    Args:
        schema: the name of a shipped schema, the path of a TOML file, or a loaded schema.
        seed: the world's own, of at most 64 bits. `worldsmith generate --seed` derives one per world from its own.
        knobs: what scales the schema; None leaves it as it is.
        language: "natural" or "plain"; None for the natural one where the schema was read from a file.
        wordings: of a natural world: "all", "train", or "test", which holds what "train" never shows.

    Raises:
        NotFoundError, SchemaError: no schema of that name, or a file that can't be one.
        GenerationError, UsageError: the seed fits no world; knobs that the schema can't follow.
    """
    from worldsmith.generation import generate as fill  # noqa: PLC0415 - what nobody uses isn't loaded
    from worldsmith.schema import Knobs, Schema, load_schema  # noqa: PLC0415

    loaded = schema if isinstance(schema, Schema) else load_schema(schema)
    return fill(loaded, seed, knobs=knobs or Knobs(), language=language or loaded.language, split=wordings)


def load_world(folder: str | Path) -> "World":
    """Return the world kept in a folder, or in shards as FOLDER/WORLD.

    Raises NotFoundError where no world is there, UsageError where several are, FormatError where its bytes aren't those
    it names.
    """
    from worldsmith.errors import UsageError  # noqa: PLC0415
    from worldsmith.world import files  # noqa: PLC0415

    folders = files.world_folders([Path(folder)])
    if len(folders) > 1:
        raise UsageError(f"{folder} holds {len(folders)} worlds: name one, such as {folders[0]}")
    return files.load_world(folders[0])


def read_tasks(path: str | Path) -> "list[Task]":
    """Return the tasks of a file in `_tasks/`, or those of the world that a path names. Raises as `load_world` does."""
    from worldsmith.tasks import files  # noqa: PLC0415
    from worldsmith.world.files import shards_with  # noqa: PLC0415

    named = Path(path)
    return files.tasks_of(named) if named.is_dir() or shards_with(named) else files.read_tasks(named)


def score(answer: str, task: "Task") -> "Score":
    """Return the figures of an answer to a task: F1 of items, rows and cells outside the key, and what was wrong.

    It says how right an answer is. What it earns in an episode, by evidence, says `Environment`.
    """
    from worldsmith import scoring  # noqa: PLC0415

    return scoring.score(answer, task.columns, task.gold)
