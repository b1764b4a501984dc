"""Episodes of a model behind any OpenAI-compatible endpoint: `rollout(row, complete)`; needs Python alone.

    python rollout.py --model NAME --model-url http://127.0.0.1:8001/v1 [--file test.jsonl] [--limit 8] [-k 4]

prints a JSON line per episode: task_id, messages and figures. In a trainer of your own, call `rollout` or `arollout`
with what asks your policy for its next message.
"""

import argparse
import asyncio
import json
import os
import sys
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from worldsmith_kit.episode import TOOLS, ExportedTask, figures

HERE = Path(__file__).resolve().parent
Message = Mapping[str, Any]
Complete = Callable[[Sequence[Message], Sequence[Message]], Message]
"""(messages so far, tools) to the assistant's next message, in OpenAI's form."""
AsyncComplete = Callable[[Sequence[Message], Sequence[Message]], Awaitable[Message]]
TIMEOUT = 600.0


def rollout(row: Mapping[str, Any], complete: Complete, *, session: str = "") -> dict[str, Any]:
    """Play the task of a row and return {"task_id", "messages", "figures"}; figures["score"] is the reward.

    Raises UsageError where `complete` returns no message of an assistant, and what it raises itself.
    """
    task = ExportedTask.from_row(row)
    episode = task.episode(session=session)
    messages: list[Message] = [*episode.reset()]
    while True:
        message = complete(messages, TOOLS)
        step = episode.step(message)
        messages += [message, *step.messages]
        if step.done:
            return {"task_id": task.task_id, "messages": messages, "figures": figures(step, episode)}


async def arollout(row: Mapping[str, Any], complete: AsyncComplete, *, session: str = "") -> dict[str, Any]:
    """Play the task of a row as `rollout` does, while others are played."""
    task = ExportedTask.from_row(row)
    episode = task.episode(session=session)
    messages: list[Message] = [*episode.reset()]
    while True:
        message = await complete(messages, TOOLS)
        step = await episode.astep(message)
        messages += [message, *step.messages]
        if step.done:
            return {"task_id": task.task_id, "messages": messages, "figures": figures(step, episode)}


def chat_model(model: str, model_url: str, **options: Any) -> Complete:
    """Return what asks an OpenAI-compatible endpoint for the next message; `options` are those of its requests."""

    def complete(messages: Sequence[Message], tools: Sequence[Message]) -> Message:
        body = {"model": model, "messages": [*messages], "tools": [*tools], **options}
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', 'none')}",
        }
        request = urllib.request.Request(  # noqa: S310 - the user's own endpoint
            f"{model_url.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT) as reply:  # noqa: S310
            message: Message = json.load(reply)["choices"][0]["message"]
        return {name: value for name, value in message.items() if value is not None}

    return complete


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


async def main() -> None:
    """Play the rows of a file and print an episode per line, as each ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--model-url", required=True)
    parser.add_argument("--file", default="test.jsonl")
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("-k", type=int, default=1, help="episodes per task")
    parser.add_argument("--concurrency", type=int, default=8)
    options = parser.parse_args()
    complete, gate = chat_model(options.model, options.model_url), asyncio.Semaphore(options.concurrency)

    async def play(row: Mapping[str, Any]) -> None:
        async with gate:
            episode = await asyncio.to_thread(rollout, row, complete)
        sys.stdout.write(json.dumps(episode) + "\n")

    chosen = [*rows(HERE / options.file)][: options.limit]
    await asyncio.gather(*(play(row) for row in chosen for _ in range(options.k)))


if __name__ == "__main__":
    asyncio.run(main())
