"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed); `--server` plays against the real server.

The conversations are read as a trainer reads them; where a rehearsal knows the gold of one, its last message has to
score 1. The rehearsals are played as in all other exports: what a model learns here is what it is paid for there.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from worldsmith_kit.episode import TOOLS, ExportedTask
from worldsmith_kit.episode.rehearsal import check, play_alone, rehearsals
from worldsmith_kit.scoring import score

HERE = Path(__file__).resolve().parent


def rows(folder: Path = HERE) -> Iterator[dict[str, Any]]:
    """Yield the lines of both files of a folder."""
    for split in ("train", "test"):
        with (folder / f"{split}.jsonl").open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def is_sound(row: Mapping[str, Any]) -> bool:
    """Whether the roles of a conversation follow one another, and every call has its reply."""
    messages = row["messages"]
    roles = [message["role"] for message in messages]
    calls = [(call["id"], call["function"]["name"]) for message in messages for call in message.get("tool_calls", ())]
    replies = [(message["tool_call_id"], message["name"]) for message in messages if message["role"] == "tool"]
    known = {tool["function"]["name"] for tool in json.loads(row["tools"])}
    expected = ["system", "user", *["assistant", "tool"] * len(replies), "assistant"]
    return (
        roles == expected
        and row["loss_mask"] == [int(role == "assistant") for role in roles]
        and calls == replies
        and {name for _, name in calls} <= known
        and json.loads(row["tools"]) == [*TOOLS]
        and not messages[-1].get("tool_calls")
    )


def is_rendered(row: Mapping[str, Any], text: Mapping[str, Any]) -> bool:
    """Whether the spans of a text hold what the agent says in the conversation, and nothing that tools say."""
    spoken = [text["text"][start:end] for start, end in text["spans"]]
    agent = [message for message in row["messages"] if message["role"] == "assistant"]
    replies = [message["content"] for message in row["messages"] if message["role"] == "tool"]
    return (
        len(spoken) == len(agent)
        and all(
            call["function"]["name"] in part
            for part, message in zip(spoken, agent, strict=True)
            for call in message.get("tool_calls", ())
        )
        and agent[-1]["content"].rpartition("</think>")[2].strip() in spoken[-1]
        and not any(reply in part for reply in replies for part in spoken)
    )


def check_rows() -> int:
    """Return 1 where a conversation is not as it should be, else 0."""
    tasks = {one["row"]["task_id"]: ExportedTask.from_row(one["row"]) for one in rehearsals()}
    faults, number = [], 0
    for row in rows():
        task, answer = tasks.get(row["task_id"]), row["messages"][-1]["content"]
        right = task is None or score(answer, task.columns, task.gold).success
        faults += [] if right and is_sound(row) else [row["task_id"]]
        number += 1
    if (HERE / "rendered").is_dir():
        pairs = zip(rows(), rows(HERE / "rendered"), strict=True)
        faults += [f"{row['task_id']} as text" for row, text in pairs if not is_rendered(row, text)]
    sys.stdout.write(f"{number} conversations, {len(faults)} of them faulty: {faults[:5]}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(check_rows() or check(play_alone, lambda row: play_alone(row, [17])))
