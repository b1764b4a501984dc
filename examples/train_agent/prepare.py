"""Conversations and tasks for the stages: python prepare.py WORLDS OUT [--held-out SCHEMA] [--longest 7900].

Certificates become conversations, some with detours: a search in other words, wrong addresses and what follows. Worlds
are divided: train, valid (other worlds), test (other worlds), and held (all worlds of a schema that is never trained
on). A conversation that doesn't fit the context is left out, and counted.
"""

import argparse
import json
import random
from pathlib import Path

from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import tasks_of
from worldsmith.train.environment import Environment
from worldsmith.train.exports.sft import conversation, function_call
from worldsmith.world.files import load_world, save_jsonl, tasks_file, world_folders

CHARS = 2.6
"""Characters a token, near the least that SmolLM2's tokenizer gives on these pages; invented names cost more."""
SHARE = 0.06
"""Of the calls of a conversation to learn from, those with detours before them."""


def part_of(number: int, *, held: bool) -> str:
    """Return which part a world is of, by its place among all."""
    return "held" if held else {0: "test", 1: "valid"}.get(number % 10, "train")


def held_out(data: Path, split: str, count: int) -> list[dict]:
    """Return up to `count` tasks of a split as lines; evenly, since the file is in order of worlds and schemas."""
    lines = (data / f"tasks-{split}.jsonl").read_text("utf-8").splitlines()
    taken = min(count, len(lines))
    return [json.loads(lines[i * len(lines) // taken]) for i in range(taken)]


def detours(call: dict, chance: random.Random) -> list[dict]:
    """Return calls that lead nowhere, before a call of the certificate.

    Wrong addresses come up to three in a row: what has erred once must have seen how to go on after erring twice.
    """
    words = call["arg"].split()
    if call["tool"] == "web_extractor":
        return [{**call, "arg": mistyped(call["arg"], chance)} for _ in range(chance.choice((1, 1, 2, 3)))]
    return [{"tool": "web_search", "arg": " ".join(chance.sample(words, len(words) - 1))}] if len(words) > 2 else []


def mistyped(url: str, chance: random.Random) -> str:
    """Return an address with its end cut off, or with a letter of its last part left out or doubled."""
    if chance.random() < 0.3:
        return url[: -chance.randint(1, 4)]
    at = chance.randrange(url.rindex("/") + 1, len(url)) if not url.endswith("/") else len(url) - 2
    return url[:at] + url[at + 1 :] if chance.random() < 0.5 else url[:at] + url[at] + url[at:]


def tool_call(call: dict) -> str:
    """Return a call of a certificate as text."""
    return written(function_call(call))


def written(function: dict) -> str:
    return f"<tool_call>\n{json.dumps(function, ensure_ascii=False)}\n</tool_call>"


def as_text(messages: list[dict]) -> list[dict]:
    """Return messages with their calls as text: SmolLM2's template has no place for structured ones."""
    texts = [m["content"] + "\n".join(written(c["function"]) for c in m.get("tool_calls", ())) for m in messages]
    return [{"role": m["role"], "content": text} for m, text in zip(messages, texts, strict=True)]


def calls_of(messages: list[dict]) -> list[dict]:
    """Return the calls of a conversation as those of a certificate."""
    functions = [c["function"] for m in messages for c in m.get("tool_calls", ())]
    named = [(f["name"], dict(f["arguments"])) for f in functions]
    return [{"tool": name, "arg": values.pop("query", None) or values.pop("url"), **values} for name, values in named]


def with_detours(
    messages: list[dict], calls: list[dict], environment: Environment, chance: random.Random, share: float
) -> list[dict]:
    """Return a conversation with detours before some of its calls. Replies hang on the call alone."""
    opening, turns = messages[:2], messages[2:]
    environment.reset()
    for n, call in enumerate(calls):
        for tried in detours(call, chance) if chance.random() < share else []:
            said = tool_call(tried)
            opening += [
                {"role": "assistant", "content": said, "detour": True},
                {"role": "tool", "content": environment.step(said).observation},
            ]
        opening += turns[2 * n : 2 * n + 2]
    return [*opening, turns[-1]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("worlds", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--held-out", default="town")
    parser.add_argument("--longest", type=int, default=7900, help="tokens, by estimate")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    lines: dict[str, list[dict]] = {
        name: []
        for name in ("sft-train.jsonl", "sft-valid.jsonl", "tasks-train.jsonl", "tasks-test.jsonl", "tasks-held.jsonl")
    }
    left = dict.fromkeys(("too long", "worlds without tasks"), 0)
    for number, folder in enumerate(world_folders([asked.worlds])):
        world = load_world(folder)
        simulator, chance = Simulator(world), random.Random(world.id)
        part = part_of(number, held=world.schema.name == asked.held_out)
        if not tasks_file(folder).exists():
            left["worlds without tasks"] += 1
            continue
        for task in tasks_of(folder):
            episode = conversation(task, world, simulator, "none")
            messages = as_text(episode)
            if part == "train":
                environment = Environment(world, task, simulator, max_turns=1000)
                messages = with_detours(messages, calls_of(episode), environment, chance, SHARE)
            if sum(len(m["content"]) for m in messages) / CHARS > asked.longest:
                left["too long"] += 1
                continue
            if part in {"train", "valid"}:
                lines[f"sft-{part}.jsonl"].append({"messages": messages})
            if part in {"train", "test", "held"}:
                lines[f"tasks-{part}.jsonl"].append(task.to_json())
    for name, rows in lines.items():
        save_jsonl(asked.out / name, rows)
    print(json.dumps({name: len(rows) for name, rows in lines.items()} | left))


if __name__ == "__main__":
    main()
