"""Conversations to imitate: the certificate of each task as tool calls and replies, and its gold table last.

Only for learning the form of the work: gold is in the last message. Its rows come as they were read: what learned
to write them by name (SmolLM2-135M) left the last one of the alphabet out in 19% of its answers, the first in 1%.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from worldsmith import scoring
from worldsmith.errors import UsageError
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task
from worldsmith.tasks.task import values_table
from worldsmith.train.environment import TOOLS, Environment
from worldsmith.train.exports.rows import CANARY, Splits, dumps, split_sentence
from worldsmith.world.files import load_world, save_jsonl, write_file
from worldsmith.world.model import World

README = """\
# Conversations

{counts}. {split}

A line is one conversation: `messages` in OpenAI's form (system, user, then assistant and tool in turn; the last is the
gold table), `tools` (JSON text: the two tools as functions), task_id, world. Calls are structured: an assistant message
has `tool_calls`, whose arguments are objects, and a tool message its `tool_call_id` and `name`. System text and tools
are those of the prompts for reinforcement learning. Train on assistant messages alone.

    row = json.loads(line)
    text = tokenizer.apply_chat_template(row["messages"], tools=json.loads(row["tools"]), tokenize=False)

`datasets` from 4.7 on loads the file as it is (`load_dataset("json", data_files="train.jsonl")`); TRL's SFTTrainer
takes that. Earlier versions give all messages and arguments the same keys, filled with nulls, which templates would
write out: read lines with `json.loads` there.

Rendered with the templates of Qwen2.5, Qwen3, Qwen3-Coder, Qwen3.5, QwQ, Hermes 2 and 3, Llama 3.1 to 3.3, GLM 4.5
to 4.7, gpt-oss, Mistral Nemo, Mistral Small 3.2, Ministral 3, Devstral, Gemma 4, DeepSeek V3.1, V3.2 and V4, Kimi K2,
MiniMax M1 and M2, Command R+, Command R7B, Granite 4, Nemotron 3, Seed-OSS, LFM2.5, Apertus and others. Gemma 1 to 3,
Phi 3, Llama 3.0, LFM2 and SmolLM3 have no place for calls in theirs; those of DeepSeek R1 and V3.1 have none for the
list of tools.
"""


def write(splits: Splits, out: Path, base: str, folders: Mapping[str, Path]) -> None:  # noqa: ARG001 - a writer's signature
    """Write train.jsonl, test.jsonl and README.md. Raises UsageError for a task without a certificate."""
    for name, tasks in splits.items():
        save_jsonl(out / f"{name}.jsonl", _rows(tasks, folders))
    counts = ", ".join(f"{name}.jsonl: {len(tasks)} conversations" for name, tasks in splits.items())
    write_file(out / "README.md", README.format(counts=counts, split=split_sentence(splits)).encode())


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


def conversation(task: Task, world: World, simulator: Simulator) -> list[dict[str, Any]]:
    """Return the messages of a task's certificate, replies as `Environment` gives them, and its gold table as read."""
    if not task.certificate:
        raise UsageError(f"task {task.task_id} has no certificate: mine the tasks of {world.id} again")
    environment = Environment(world, task, simulator, max_turns=sys.maxsize)
    messages: list[dict[str, Any]] = [*environment.reset()]
    for number, call in enumerate(episode_calls(task, world, simulator), 1):
        # Nine letters and digits: Mistral's templates refuse any other id.
        made = {"id": f"call{number:05}", "type": "function", "function": function_call(call)}
        message = {"role": "assistant", "content": "", "tool_calls": [made]}
        messages += [message, *map(dict, environment.step(message).messages)]
    rows = rows_in_reading_order(task, [m["content"] for m in messages if m["role"] == "tool"])
    return [*messages, {"role": "assistant", "content": values_table(task.columns, rows)}]


def episode_calls(task: Task, world: World, simulator: Simulator) -> list[Mapping[str, Any]]:
    """Return the calls of a task's certificate as an episode makes them, where a page of results holds fewer hits.

    A search is made page by page, as far as the last page with an address that is opened later and was not seen yet.
    """
    environment = Environment(world, task, simulator, max_turns=sys.maxsize)
    environment.reset()
    calls, text = list(task.certificate["calls"]), task.question
    made: list[Mapping[str, Any]] = []
    for number, call in enumerate(calls):
        steps = [call]
        if call["tool"] == "web_search":
            wide = -(-call["k"] // environment.hits)
            steps = [{**call, "page": (call["page"] - 1) * wide + turn} for turn in range(1, wide + 1)]
        replies = [environment.step({"tool_calls": [{"function": function_call(step)}]}).observation for step in steps]
        opened = {later["arg"] for later in calls[number:] if later["tool"] == "web_extractor"}
        needed = [turn for turn, reply in enumerate(replies) if any(url in reply and url not in text for url in opened)]
        last = max(needed, default=0) + 1
        made += steps[:last]
        text += "\n".join(replies[:last])
    return made


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


def function_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call of a certificate as its tool and arguments."""
    if call["tool"] == "web_search":
        arguments = {"query": call["arg"]} | ({"page": call["page"]} if call.get("page", 1) > 1 else {})
    else:
        arguments = {"url": call["arg"]} | ({"offset": call["offset"]} if call.get("offset") else {})
    return {"name": call["tool"], "arguments": arguments}
