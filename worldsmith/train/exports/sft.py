"""Conversations to imitate: a way of solving each task as tool calls and replies, and its gold table last.

Only for learning the form of the work: gold is in the last message. Its rows come as they were read: what learned
to write them by name (SmolLM2-135M) left the last one of the alphabet out in 19% of its answers, the first in 1%.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from worldsmith import scoring
from worldsmith.agents import SimulatorClient
from worldsmith.episode.tools import TOOLS
from worldsmith.errors import UsageError
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task
from worldsmith.tasks.parts import parts_with_worlds
from worldsmith.tasks.task import values_table
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.environment import Environment
from worldsmith.train.exports.chat_template import ChatTemplate
from worldsmith.train.exports.kit import copy_files, write_kit
from worldsmith.train.exports.lazy import with_values
from worldsmith.train.exports.rows import CANARY, Serving, Splits, dumps
from worldsmith.train.imitation import JoinedReasoning, Reasoning, function_call, useful_calls, way_to_imitate
from worldsmith.world.files import save_jsonl
from worldsmith.world.model import World

FILES = Path(__file__).parent / "adapters" / "sft"
RENDERED = "rendered"
"""The folder of the texts."""

Placement = Literal["content", "reasoning_content", "none"]
"""Where reasoning stands in an assistant message."""
PLACEMENTS: Mapping[Placement, str] = {
    "content": "Short reasoning stands before each call and before the table, in `<think>` tags in `content`:\n"
    "templates write it out, and those of Qwen3 and its like take it for reasoning.",
    "reasoning_content": "Short reasoning stands before each call and before the table, in `reasoning_content`, which\n"
    "the templates of Qwen3, GLM 4.5 to 4.7, DeepSeek V3.1 and later, Kimi K2 and MiniMax M2 read; that of gpt-oss\n"
    "reads `thinking`. Others leave it out.",
    "none": "No message has reasoning.",
}
"""What the card says of each."""


def write(
    splits: Splits,
    out: Path,
    serving: Serving,
    worlds: Worlds,
    reasoning: Placement = "content",
    template: ChatTemplate | None = None,
) -> None:
    """Write train.jsonl, test.jsonl, the files of `FILES` and the kit; with a template, texts in rendered/, too.

    Raises UsageError for a task without a certificate, or a template that can't write conversations with calls.
    """
    for name, tasks in splits.items():
        save_jsonl(out / f"{name}.jsonl", _rows(tasks, worlds, reasoning))
        if template:
            (out / RENDERED).mkdir(exist_ok=True)
            with (out / f"{name}.jsonl").open(encoding="utf-8") as lines:
                save_jsonl(out / RENDERED / f"{name}.jsonl", _texts(map(json.loads, lines), template))
    copy_files(FILES, splits, out, serving, "jsonl", {"@REASONING@": PLACEMENTS[reasoning]})
    write_kit(splits, out, serving, worlds)


def _rows(tasks: Iterable[Task], worlds: Worlds, reasoning: Placement) -> Iterator[dict[str, Any]]:
    def messages_of(number: int, task: Task) -> list[dict[str, Any]]:
        world, simulator = worlds.open(task.worlds[0]), worlds.simulator(task.worlds[0])
        return conversation(task, world, simulator, reasoning, number)

    for task, messages in with_values(tasks, "conversations", messages_of):
        yield {
            "messages": messages,
            "tools": dumps(TOOLS),
            "loss_mask": [int(message["role"] == "assistant") for message in messages],
            "task_id": task.task_id,
            "world": task.world,
            "canary": CANARY,
        }


def _texts(rows: Iterable[dict[str, Any]], template: ChatTemplate) -> Iterator[dict[str, Any]]:
    for row in rows:
        text, spans = template.rendered(row["messages"], json.loads(row["tools"]))
        yield {"text": text, "spans": spans, **{name: row[name] for name in ("task_id", "world", "canary")}}


def conversation(
    task: Task,
    world: World,
    simulator: Simulator | PoolSimulator,
    reasoning: Placement = "content",
    number: int = 0,
) -> list[dict[str, Any]]:
    """Return the messages of an episode that solves a task, replies as `Environment` gives them, its table as read.

    Args:
        task: the task, with its certificate.
        world: its world, or one of them.
        simulator: of the world, or of a pool that it is in; of a pool for a task over several worlds.
        reasoning: where the agent's reasoning stands in its messages.
        number: picks among the ways of solving it.

    Raises:
        UsageError: the task has no certificate.
    """
    if not task.certificate:
        raise UsageError(f"task {task.task_id} has no certificate: mine the tasks of {world.id} again")
    client, environment = SimulatorClient(simulator, reply_cache={}, world=world), Environment(world, task, simulator)
    calls = useful_calls(task, client, way_to_imitate(task, client, number), environment.hits)
    environment.max_turns = len(calls) + 1
    thoughts = JoinedReasoning(
        [
            Reasoning(part, SimulatorClient(simulator, world=own).pages, calls, number)
            for part, own in parts_with_worlds(task, world, simulator)
        ]
    )
    messages: list[dict[str, Any]] = [*environment.reset()]
    for place, call in enumerate(calls):
        # Nine letters and digits: Mistral's templates refuse any other id.
        made = {"id": f"call{place + 1:05}", "type": "function", "function": function_call(call)}
        message = {"role": "assistant", **_spoken("", thoughts.before(place), reasoning), "tool_calls": [made]}
        replies = [*map(dict, environment.step(message).messages)]
        thoughts.after(place, "".join(str(reply["content"]) for reply in replies))
        messages += [message, *replies]
    rows = rows_in_reading_order(task, [m["content"] for m in messages if m["role"] == "tool"])
    table = values_table(task.columns, rows)
    return [*messages, {"role": "assistant", **_spoken(table, thoughts.before_answer(), reasoning)}]


def _spoken(content: str, thought: str, reasoning: Placement) -> dict[str, str]:
    """Return the fields of a message that hold its text and its reasoning."""
    if not thought or reasoning == "none":
        return {"content": content}
    if reasoning == "reasoning_content":
        return {"content": content, "reasoning_content": thought}
    return {"content": f"<think>\n{thought}\n</think>\n\n{content}".rstrip()}


def rows_in_reading_order(task: Task, replies: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the gold rows in the order of the replies that state them: the most cells, then the key earliest.

    A task of one value has one row, and no key.
    """

    def place(row: tuple[Any, ...]) -> int:
        cells = [scoring.show(v, c) for v, c in zip(row, task.columns, strict=True)]
        keys = [cell for cell, c in zip(cells, task.columns, strict=True) if c.key]
        first = [min(map(reply.find, keys), default=0) for reply in replies]
        matches = [(sum(c in r for c in cells), at >= 0, -at) for r, at in zip(replies, first, strict=True)]
        return matches.index(max(matches))

    return sorted(task.gold, key=place) if replies else list(task.gold)
