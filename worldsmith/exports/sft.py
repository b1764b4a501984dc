"""Conversations to imitate: the certificate of each task as tool calls and replies, and its gold table last.

Only for learning the form of the work: gold stands in the last message. Its rows come as they were read: what learned
to write them by name (SmolLM2-135M) left the last one of the alphabet out in 19% of its answers, the first in 1%.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from worldsmith import scoring
from worldsmith.disk import load_world, save_lines, write_file
from worldsmith.environment import TOOLS, Environment
from worldsmith.errors import UsageError
from worldsmith.exports.rows import CANARY, Splits, dumps, told
from worldsmith.simulator import Simulator
from worldsmith.tasks import Task
from worldsmith.tasks.task import markdown
from worldsmith.world import World

README = """\
# Conversations

{counts}. {split}

A line is one conversation: `messages` (system, user, then assistant and tool in turn; the last is the gold table),
`tools` (JSON text: their schemas), task_id, world. A tool call is `<tool_call>{{"name", "arguments"}}</tool_call>` in
the content of an assistant message. Train on assistant messages alone.
"""
MAX_TURNS: Final = 1000


def write(splits: Splits, out: Path, base: str, folders: Mapping[str, Path]) -> None:  # noqa: ARG001 - a writer's signature
    """Write train.jsonl, test.jsonl and README.md. Raises UsageError for a task without a certificate."""
    for name, tasks in splits.items():
        save_lines(out / f"{name}.jsonl", _rows(tasks, folders))
    counts = ", ".join(f"{name}.jsonl: {len(tasks)} conversations" for name, tasks in splits.items())
    write_file(out / "README.md", README.format(counts=counts, split=told(splits)).encode())


def _rows(tasks: Sequence[Task], folders: Mapping[str, Path]) -> Iterator[dict[str, Any]]:
    world, simulator = None, None
    for task in tasks:
        if world is None or simulator is None or world.id != task.world:
            world = load_world(folders[task.world])
            simulator = Simulator(world)
        messages = conversation(task, world, simulator)
        yield {
            "messages": messages,
            "tools": dumps(TOOLS),
            "task_id": task.task_id,
            "world": task.world,
            "canary": CANARY,
        }


def conversation(task: Task, world: World, simulator: Simulator) -> list[dict[str, str]]:
    """Return the messages of a task's certificate, replies as `Environment` gives them, and its gold table as read."""
    if not task.certificate:
        raise UsageError(f"task {task.task_id} has no certificate: mine the tasks of {world.id} again")
    environment = Environment(world, task, simulator, max_turns=MAX_TURNS)
    messages = environment.reset()
    for call in task.certificate["calls"]:
        said = tool_call(call)
        messages += [
            {"role": "assistant", "content": said},
            {"role": "tool", "content": environment.step(said).observation},
        ]
    rows = as_read(task, [m["content"] for m in messages if m["role"] == "tool"])
    return [*messages, {"role": "assistant", "content": markdown(task.columns, rows)}]


def as_read(task: Task, replies: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the gold rows in the order of the replies that tell of each: hold most of it, and its key first of all.

    A task of one value has one row, and no key.
    """

    def place(row: tuple[Any, ...]) -> int:
        cells = [scoring.show(v, c) for v, c in zip(row, task.columns, strict=True)]
        keys = [cell for cell, c in zip(cells, task.columns, strict=True) if c.key]
        first = [min(map(reply.find, keys), default=0) for reply in replies]
        told = [(sum(c in r for c in cells), at >= 0, -at) for r, at in zip(replies, first, strict=True)]
        return told.index(max(told))

    return sorted(task.gold, key=place) if replies else list(task.gold)


def tool_call(call: Mapping[str, Any]) -> str:
    """Return a call of a certificate as an agent writes it."""
    if call["tool"] == "web_search":
        asked = {"query": call["arg"]} | ({"page": call["page"]} if call.get("page", 1) > 1 else {})
    else:
        asked = {"url": call["arg"]} | ({"offset": call["offset"]} if call.get("offset") else {})
    body = json.dumps({"name": call["tool"], "arguments": asked}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"
