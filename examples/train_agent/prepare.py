"""Conversations and tasks for the stages: python prepare.py WORLDS OUT MODEL [--jobs 4].

WORLDS holds folders of worlds: train and valid to imitate, rl to reinforce on, test, and held, of a schema that is not
trained on. A task to imitate gives two conversations that go different ways: its certificate's, and one that follows no
link but searches by name. Both carry short reasoning, made from the plan: what a reply said that the task rests on, and
which rows fall out. Some of those to train on have detours: a search in other words or made again, pages of other
results, wrong addresses and the search by name that follows them.
Conversations are written as text to be read, and as tokens of MODEL to be learned from; those too long for the context
are left out, and counted.
"""

import argparse
import json
import multiprocessing
import random
import re
from collections.abc import Collection, Sequence
from pathlib import Path

import chat

from worldsmith import scoring
from worldsmith.simulate.disclosure import is_all_children
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import QueryEvaluator, Task, tasks_of
from worldsmith.tasks.evidence import required_disclosures
from worldsmith.tasks.headers import asked_name
from worldsmith.train.environment import Environment
from worldsmith.train.exports.sft import conversation, function_call
from worldsmith.world.files import load_world, save_jsonl, tasks_file, world_folders
from worldsmith.world.model import Disclosure, Row, World

PARTS = ("train", "valid", "rl", "test", "held")
IMITATED = ("train", "valid")
SHARE = 0.12
"""Of the calls of a conversation to learn from, those with detours before them."""
NOTE = 1200
"""Characters of what is written down after one reply, at most."""
_LINK = re.compile(r"\[([^\]\n]+)\]\(([^)\s]+)\)")
_RESULT = re.compile(r"^(.+)\n(https://\S+)$", re.MULTILINE)
_ADDRESS = re.compile(r"^https://\S+$", re.MULTILINE)


def world_folder(worlds: Path, name: str) -> Path:
    """Return the folder of a world, in WORLDS or in one of its parts."""
    return next(f for f in (worlds / name, *(worlds / part / name for part in PARTS)) if f.is_dir())


def held_out(data: Path, split: str, count: int) -> list[dict]:
    """Return up to `count` tasks of a split as lines: the same draw each time, in the order of the file."""
    lines = (data / f"tasks-{split}.jsonl").read_text("utf-8").splitlines()
    # No stride: kinds take turns in the file.
    drawn = sorted(random.Random(0).sample(range(len(lines)), min(count, len(lines))))
    return [json.loads(lines[i]) for i in drawn]


def detours(call: dict, previous: dict | None, others: Sequence[str], chance: random.Random) -> list[dict]:
    """Return calls that lead nowhere, before a call of a conversation and after another: functions and arguments.

    Wrong addresses and searches made again come up to three in a row: only a model that has read how to go on after
    erring twice does go on. `others` are addresses among the latest results that the conversation doesn't need. A model
    that has read only pages with something on them writes something down from every page.
    """
    arguments, times = call["arguments"], chance.choice((1, 1, 2, 3))
    if previous and previous["name"] == "web_search" and chance.random() < 0.3:
        return [previous] * times
    if call["name"] == "web_extractor":
        if others and chance.random() < 0.6:
            return [_page(url) for url in chance.sample(others, min(len(others), chance.choice((1, 1, 2))))]
        if chance.random() < 0.5:
            return [_page(mistyped(arguments["url"], chance))] * times
        return [_page(mistyped(arguments["url"], chance)) for _ in range(times)]
    words = arguments["query"].split()
    if len(words) < 3:
        return []
    return [{"name": "web_search", "arguments": {"query": " ".join(chance.sample(words, len(words) - 1))}}]


def _page(url: str) -> dict:
    return {"name": "web_extractor", "arguments": {"url": url}}


def _is_wrong_page(call: dict, others: Sequence[str]) -> bool:
    return call["name"] == "web_extractor" and call["arguments"]["url"] not in others


def linked_name(url: str, replies: Sequence[str]) -> str:
    """Return how the latest of some replies that names an address calls it, as a link or as a result; "" for none."""
    for reply in reversed(replies):
        for name, address in (*_LINK.findall(reply), *_RESULT.findall(reply)):
            if address == url:
                return name
    return ""


def mistyped(url: str, chance: random.Random) -> str:
    """Return an address with its end cut off, or with a letter of its last part left out or doubled."""
    if chance.random() < 0.3:
        return url[: -chance.randint(1, 4)]
    at = chance.randrange(url.rindex("/") + 1, len(url)) if not url.endswith("/") else len(url) - 2
    return url[:at] + url[at + 1 :] if chance.random() < 0.5 else url[:at] + url[at] + url[at:]


def tool_call(call: dict) -> str:
    """Return a call of a certificate as text."""
    return written(function_call(call))


def written(function: dict, reasoning: str = "") -> str:
    """Return a call as the text of a message, after its reasoning."""
    thought = f"<think>\n{reasoning}\n</think>\n" if reasoning else ""
    return f"{thought}<tool_call>\n{json.dumps(function, ensure_ascii=False)}\n</tool_call>"


class Notebook:
    """What an agent writes down of what it read: the cells that its task rests on, each once."""

    def __init__(self, task: Task, world: World, evaluator: QueryEvaluator) -> None:
        self.task, self.world, self.evaluator = task, world, evaluator
        self.open = {one for one in required_disclosures(task, evaluator) if not is_all_children(one)}
        self.read: set[Row] = set()
        """Rows of which a reply showed something that the task rests on."""
        self.columns: dict[Disclosure, scoring.Column] = {}
        """How the answer shows a cell."""
        for path, column in zip(task.query.columns, task.columns, strict=True):
            for i in evaluator.matching_rows(task.query) if task.query.tally(path) is None else ():
                cell = evaluator.cell(task.query.table, i, path)
                if cell is not None:
                    self.columns[cell] = column

    def note(self, disclosed: Collection[Disclosure]) -> str:
        """Return what is new in what a reply disclosed, row by row; "" where nothing is."""
        rows: dict[Row, list[str]] = {}
        for row, name in sorted(self.open.intersection(disclosed)):
            self.open.discard((row, name))
            self.read.add(row)
            if name not in self.world.schema.tables[row.table].key:
                rows.setdefault(row, []).append(self._cell(row, name))
        lines, left = [], NOTE
        for row, cells in rows.items():
            lines.append(f"{self.world.title(row)}: {', '.join(cells)}")
            left -= len(lines[-1])
            if left < 0:
                break
        return "\n".join(lines)

    def _cell(self, row: Row, name: str) -> str:
        value, column = self.world.value(row, name), self.columns.get((row, name))
        schema = self.world.schema
        label = column.name if column else asked_name(schema.column(row.table, name), schema)
        if column:
            text = scoring.show(value, column)
        elif isinstance(value, bool):  # not by a table of values: there 1 is True
            text = "yes" if value else "no"
        else:
            text = "none" if value is None else str(value)
        # A label that the question doesn't have can't be known for a schema never met.
        asked = re.search(rf"(?<!\w){re.escape(label)}(?!\w)", self.task.question, re.IGNORECASE)
        return f"{label} {text}" if asked else text

    def verdict(self) -> str:
        """Return which rows fit and which of those read about fall out; "" where all stay."""
        query = self.task.query
        kept = self.evaluator.matching_rows(query)
        scope = {i for i in self.evaluator.in_scope(query) if Row(query.table, i) in self.read}
        out = sorted(scope.difference(kept))
        if not out:
            return ""
        fits, rest = (", ".join(self.world.title(Row(query.table, i)) for i in rows) for rows in (kept, out))
        return f"Fits: {fits or 'none'}\nLeft out: {rest}"[:NOTE]


def researched(
    task: Task, simulator: Simulator, notebook: Notebook, chance: random.Random, share: float, way: int
) -> list[dict]:
    """Return the conversation of a way to solve a task as text, with reasoning, and detours before some calls."""
    world = simulator.world
    environment = Environment(world, task, simulator, max_turns=10_000)
    messages: list[dict] = [*environment.reset()]
    reasoning, previous, hits = "", None, []

    def call(function: dict, **more: bool) -> None:
        nonlocal reasoning, hits
        text = written(function, reasoning)
        messages.append({"role": "assistant", "content": text, **more})
        reply = environment.step(text).observation
        messages.append({"role": "tool", "content": reply})
        reasoning = notebook.note(environment.observations[-1].disclosed)
        if function["name"] == "web_search":
            hits = _ADDRESS.findall(reply)

    *turns, answer = [m for m in conversation(task, world, simulator, "none", way) if m["role"] == "assistant"]
    functions = [turn["tool_calls"][0]["function"] for turn in turns]
    needed = {function["arguments"].get("url") for function in functions}
    for function in functions:
        if chance.random() < share:
            others = [url for url in hits if url not in needed]
            tried = detours(function, previous, others, chance)
            for one in tried:
                call(one, detour=True)
            if any(_is_wrong_page(one, others) for one in tried):
                # Not the next letter of the address: an agent that copies it without care would err again, in circles.
                replies = [message["content"] for message in messages if message["role"] == "tool"]
                if name := linked_name(function["arguments"]["url"], replies):
                    call({"name": "web_search", "arguments": {"query": name}})
        call(function)
        previous = function
    reasoning = "\n".join(filter(None, (reasoning, notebook.verdict())))
    thought = f"<think>\n{reasoning}\n</think>\n" if reasoning else ""
    return [*messages, {"role": "assistant", "content": thought + answer["content"]}]


def lost_address(messages: list[dict]) -> bool:
    """Return whether a page is opened whose address stands in no earlier reply."""
    text = ""
    for message in messages:
        if message["role"] == "assistant" and not message.get("detour") and '"url": "' in message["content"]:
            url = message["content"].split('"url": "')[1].split('"')[0]
            if url not in text:
                return True
        text += message["content"]
    return False


def conversations(part: str, folder: Path) -> tuple[list[dict], list[dict]]:
    """Return the conversations and the task lines of a world."""
    if not tasks_file(folder).exists():
        return [], []
    world = load_world(folder)
    simulator, evaluator, chance = Simulator(world), QueryEvaluator(world), random.Random(world.id)
    rows, lines = [], []
    for task in tasks_of(folder):
        lines.append(task.to_json())
        if part not in IMITATED:
            continue
        share = SHARE if part == "train" else 0.0
        for way in range(2):
            messages = researched(task, simulator, Notebook(task, world, evaluator), chance, share, way)
            if not lost_address(messages):
                rows.append({"task_id": task.task_id, "way": way, "messages": messages})
    return rows, lines


def tokenized(part: str, folder: Path, model: Path) -> tuple[list[dict], list[dict]]:
    """Return what `conversations` does, each conversation with its tokens and which of them are the agent's own."""
    rows, lines = conversations(part, folder)
    encoded = [chat.encode(chat.tokenizer_of(model), row["messages"]) for row in rows]
    return [row | {"ids": ids, "own": own} for row, (ids, own) in zip(rows, encoded, strict=True)], lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("worlds", "out", "model"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--longest", type=int, default=16_384, help="tokens of a conversation")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    import torch

    args.out.mkdir(parents=True, exist_ok=True)
    chat.tokenizer_of(args.model)  # once, before many processes want it
    counts = {}
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        for part in PARTS:
            folders = world_folders([args.worlds / part]) if (args.worlds / part).exists() else []
            made = pool.starmap(tokenized, [(part, folder, args.model) for folder in folders], chunksize=1)
            lines = [line for _, lines in made for line in lines]
            save_jsonl(args.out / f"tasks-{part}.jsonl", lines)
            counts[part] = {"tasks": len(lines)}
            if part in IMITATED:
                rows = [row for rows, _ in made for row in rows]
                fit = [row for row in rows if len(row["ids"]) <= args.longest]
                texts = [{name: row[name] for name in ("task_id", "way", "messages")} for row in fit]
                save_jsonl(args.out / f"sft-{part}.jsonl", texts)
                tokens = [(torch.tensor(row["ids"], dtype=torch.int32), torch.tensor(row["own"])) for row in fit]
                torch.save(tokens, args.out / f"sft-{part}.pt")
                counts[part] |= {
                    "conversations": len(fit),
                    "too long": len(rows) - len(fit),
                    "tokens": sum(len(row["ids"]) for row in fit),
                    "own": sum(sum(row["own"]) for row in fit),
                }
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
