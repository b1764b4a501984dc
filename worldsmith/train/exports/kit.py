"""What adapters of trainers share, copied beside them: episodes, the scorer, and episodes to check an export by."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import worldsmith
from worldsmith.agents import SimulatorClient
from worldsmith.episode.call import Call
from worldsmith.episode.episode import HITS, MAX_CHARS
from worldsmith.simulate.disclosure import observation_hashes
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.lazy import LazyTasks
from worldsmith.train.exports.rows import Serving, Splits, dumps, response_tokens, task_row
from worldsmith.train.imitation import function_call, useful_calls, way_to_imitate
from worldsmith.world.files import write_file
from worldsmith.world.model import World

KIT = "worldsmith_kit"
"""The folder of an export that holds the copies."""
PACKAGE = Path(worldsmith.__file__).parent
COPIED = ("errors.py", "scoring", "episode")
"""What is copied of the package: it needs Python alone."""
REHEARSALS = 2
"""Tasks whose episodes are recorded."""
ROWS, CANDIDATES = 2, 200
"""Rows that such a task has at least, and tasks that are looked at for it."""
BATCH = 32
"""Tasks per step, at most."""
PROMPT = 4096
"""Tokens of a prompt at most, tools included."""


def batch_size(splits: Splits) -> int:
    """Return the tasks of a step: `BATCH`, or the largest power of two that the training split fills."""
    return 1 << (min(BATCH, max(len(splits["train"]), 1)).bit_length() - 1)


def copy_kit(out: Path) -> None:
    """Copy the kit into `out`/worldsmith_kit."""
    (out / KIT).mkdir(parents=True, exist_ok=True)
    about = b'"""Copied from worldsmith: episodes and their scores; needs Python alone."""\n'
    write_file(out / KIT / "__init__.py", about)
    for source in (PACKAGE / name for name in COPIED):
        for file in [source] if source.is_file() else sorted(source.rglob("*.py")):
            target = out / KIT / file.relative_to(source.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_file(target, file.read_bytes())


def write_kit(splits: Splits, out: Path, serving: Serving, worlds: Worlds) -> None:
    """Copy the kit, and record the episodes of a few short tasks of several rows, of any split."""
    copy_kit(out)
    proved = [outline for outline in splits.outlines[:CANDIDATES] if outline.turns]
    chosen = sorted(proved, key=lambda outline: (outline.rows < ROWS, outline.tool_tokens))[:REHEARSALS]
    write_file(out / KIT / "rehearsal.json", dumps([*_rehearsals(LazyTasks(chosen), serving, worlds)]).encode())


def copy_files(
    folder: Path, splits: Splits, out: Path, serving: Serving, suffix: str, marks: Mapping[str, str] | None = None
) -> None:
    """Copy the files of a format's folder, at any depth, with their marks filled.

    Args:
        folder: the files; `__init__.py` beside them stays.
        splits: the tasks, for @COUNTS@, @ROWS@ (the same by split, JSON), @SPLIT@, and the limits that fit all of them:
            @TURNS@ (assistant messages), @RESPONSE@ (tokens of a whole episode, tool replies included), @PROMPT@
            (tokens of a prompt at most), @CONTEXT@ (both together).
        out: the folder of the export.
        serving: for @BASE_URL@.
        suffix: of the files of rows, for @COUNTS@.
        marks: what else is filled, by mark.
    """
    response = response_tokens(splits.outlines)
    filled = {
        "@COUNTS@": ", ".join(f"{name}.{suffix}: {len(tasks)} tasks" for name, tasks in splits.items()),
        "@ROWS@": dumps({name: len(tasks) for name, tasks in splits.items()}),
        "@SPLIT@": splits.sentence,
        "@BASE_URL@": serving.base_url,
        "@TURNS@": str(max(outline.max_turns for outline in splits.outlines)),
        "@RESPONSE@": str(response),
        "@PROMPT@": str(PROMPT),
        "@CONTEXT@": str(PROMPT + response),
        **(marks or {}),
    }
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file != folder / "__init__.py" and file.suffix != ".pyc":
            target = out / file.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = file.read_text("utf-8")
            for mark, value in filled.items():
                text = text.replace(mark, value)
            write_file(target, text.encode())
            target.chmod(file.stat().st_mode)


def _rehearsals(tasks: Iterable[Task], serving: Serving, worlds: Worlds) -> Iterator[dict[str, Any]]:
    """Yield the row of each task, with the calls of a way to solve it and their replies."""
    for task, reference in with_references(tasks, worlds):
        world, simulator = worlds.open(task.worlds[0]), worlds.simulator(task.worlds[0])
        client = SimulatorClient(simulator, reply_cache={}, world=world)
        calls = [
            _recorded_call(function_call(call), simulator, world)
            for call in useful_calls(task, client, way_to_imitate(task, client, 0), HITS)
        ]
        yield {"row": task_row(task, "rehearsal", serving, reference), "calls": calls}


def _recorded_call(function: Mapping[str, Any], simulator: Simulator | PoolSimulator, world: World) -> dict[str, Any]:
    """Return a call with its reply as the server's, and the hashes of what it discloses."""
    tool, arguments = function["name"], function["arguments"]
    if tool == "web_search":
        observation = simulator.call(
            Address(simulator.id), Call(tool, arguments["query"], arguments.get("page", 1), HITS)
        )
        fields = ("url", "title", "snippet", "date", "score")
        results = [{name: getattr(result, name) for name in fields} for result in observation.results]
        reply: dict[str, Any] = {"results": results, "more": observation.more}
    else:
        call = Call(tool, arguments["url"], offset=arguments.get("offset", 0), max_chars=MAX_CHARS)
        observation = simulator.call(Address(simulator.id), call)
        reply = {"url": call.arg, "text": observation.text, "next_offset": observation.next_offset}
    evidence = observation_hashes(observation, world.digest)
    return {"tool": tool, "arguments": arguments, "reply": reply, "evidence": evidence}
