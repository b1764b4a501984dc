"""Episodes in which a model does what models do, with what `Environment` pays for each: every trainer pays the same.

    save(path)    # [{"kind", "task_id", "messages", "cut", "figures"}], for a test in a trainer's own environment

`messages` are those of the assistant in OpenAI's form; the episode ends with the last of them. Where `cut` is true the
trainer ends it there, as at its limit of tokens: in the middle of the last message.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from worldsmith.agents import SimulatorClient
from worldsmith.episode import figures
from worldsmith.episode.episode import HITS
from worldsmith.scoring import show
from worldsmith.seeding import rng
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.environment import Environment
from worldsmith.train.exports.sft import function_call
from worldsmith.train.imitation import useful_calls, way_to_imitate
from worldsmith.world.model import World

WORLD = Path(__file__).resolve().parents[2] / "worlds" / "town-e037c676f4"
MOST_TURNS = 60
"""Of the tasks played: a longer one takes its time in every trainer and shows no more."""

Message = dict[str, Any]
Call = tuple[str, str]
"""(tool, arguments as the model wrote them)."""


@dataclass(frozen=True, slots=True)
class OddEpisode:
    """What a model said in an episode, and what it is worth."""

    kind: str
    task_id: str
    messages: Sequence[Message]
    cut: bool
    figures: Mapping[str, float]


@dataclass(slots=True)
class Author:
    """Writes the messages of one episode."""

    task: Task
    honest: Sequence[Call]
    random: Random
    calls_made: int = 0

    def calls(self, content: str | None, *calls: Call) -> Message:
        """Return a message with native calls."""
        self.calls_made += len(calls)
        ids = range(self.calls_made - len(calls), self.calls_made)
        made = [
            {"id": f"call{number:05}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in zip(ids, calls, strict=True)
        ]
        return {"role": "assistant", "content": content, "tool_calls": made}

    def search(self, most: int = 0) -> list[Message]:
        """Return the honest calls, or the first of them, some to a message."""
        chosen, width = self.honest[: most or len(self.honest)], self.random.randint(1, 4)
        return [self.calls("", *chosen[i : i + width]) for i in range(0, len(chosen), width)]

    def table(self, rows: Sequence[Sequence[Any]] | None = None, order: Sequence[int] | None = None) -> str:
        """Return a Markdown table of rows, the gold ones unless others are named, with columns in an order."""
        columns = self.task.columns
        order = range(len(columns)) if order is None else order
        lines = [[columns[i].name for i in order], ["---"] * len(columns)]
        lines += [
            [show(row[i], columns[i]).replace("|", "\\|") for i in order]
            for row in (self.task.gold if rows is None else rows)
        ]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def some_rows(self) -> Sequence[Sequence[Any]]:
        return self.task.gold[: self.random.randint(0, len(self.task.gold) - 1)]


def say(content: str | None) -> Message:
    return {"role": "assistant", "content": content}


def honest(author: Author) -> list[Message]:
    return [*author.search(), say(author.table())]


def half_read(author: Author) -> list[Message]:
    """The whole table after half of the calls."""
    return [*author.search(max(1, len(author.honest) // 2)), say(author.table())]


def some_rows(author: Author) -> list[Message]:
    return [*author.search(), say(author.table(author.some_rows()))]


def memory(author: Author) -> list[Message]:
    return [say(author.table())]


def idle_search(author: Author) -> list[Message]:
    return [author.calls("", ("web_search", '{"query": "qzx vvkj"}')), say(author.table())]


def truncated_call(author: Author) -> list[Message]:
    """A call that breaks off in its text, and the episode goes on."""
    name, arguments = author.honest[0]
    call = f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
    broken = say("I look further.\n" + call[: author.random.randint(14, len(call) - 16)])
    return [broken, *author.search(), say(author.table())]


def truncated_arguments(author: Author) -> list[Message]:
    """A native call whose arguments break off, and the episode goes on."""
    name, arguments = author.honest[0]
    broken = author.calls("", (name, arguments[: author.random.randint(1, len(arguments) - 2)]))
    return [*author.search(2), broken, *author.search(), say(author.table())]


def cut_in_call(author: Author) -> list[Message]:
    name, arguments = author.honest[-1]
    call = f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
    return [*author.search(author.random.randint(1, 4)), say(call[: author.random.randint(12, len(call) - 15)])]


def cut_in_table(author: Author) -> list[Message]:
    text = author.table()
    return [*author.search(), say(text[: author.random.randint(len(text) // 3, len(text) - 4)])]


def cut_in_thought(author: Author) -> list[Message]:
    return [*author.search(3), say(f"<think>So far I know\n{author.table()}\nand now")]


def no_table(author: Author) -> list[Message]:
    texts = ("I could not find it.", "The answer is yes.", "42", "See https://example.com for more | less.")
    return [*author.search(3), say(author.random.choice(texts))]


def two_tables(author: Author) -> list[Message]:
    tables = [author.table(), author.table(author.some_rows())]
    author.random.shuffle(tables)
    return [*author.search(), say(f"First attempt:\n\n{tables[0]}\n\nFinal answer:\n\n{tables[1]}")]


def turn_limit(author: Author) -> list[Message]:
    """More messages with calls than a task allows."""
    limit = author.task.max_turns
    calls = [("web_search", json.dumps({"query": f"page {number % 3}"})) for number in range(limit)]
    return [*author.search(), *(author.calls("", call) for call in calls), say(author.table())]


def last_turn(author: Author) -> list[Message]:
    """The answer in the last message that a task allows."""
    messages = author.search()
    idle = [author.calls("", ("web_search", '{"query": "nothing"}')) for _ in range(author.task.max_turns)]
    return [*messages, *idle[: author.task.max_turns - 1 - len(messages)], say(author.table())]


def think_calls(author: Author) -> list[Message]:
    """Calls and a table in reasoning, which are none."""
    name, arguments = author.honest[0]
    thought = f'<think>I could <tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call> now.</think>\n'
    messages = author.search()
    for message in messages:
        message["content"] = thought
    return [*messages, say(f"<think>Perhaps\n{author.table([])}\n</think>\n\n{author.table()}")]


def think_call_alone(author: Author) -> list[Message]:
    """A call in reasoning and nothing else: an empty answer."""
    name, arguments = author.honest[0]
    call = f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'
    return [*author.search(2), say(f"<think>{call}</think>")]


def parallel_calls(author: Author) -> list[Message]:
    """More calls in a message than are answered, then the rest again."""
    width = author.random.randint(5, 8)
    return [author.calls(None, *author.honest[:width]), *author.search(), say(author.table())]


def bad_arguments(author: Author) -> list[Message]:
    texts = (
        "", "{", "not json", "[]", "[1, 2]", "17", "null", '"x"', '{"query": 17}', '{"q": "bakery"}', '{"url": ""}',
        '{"query": {"text": "x"}}', '{"query": "bakery", "page": "two"}', '{"query": "bakery", "page": -3}',
        '{"url": "not an address", "offset": 1e9}', "{'query': 'bakery',}", '{"query": "bakery"',
    )  # fmt: skip
    bad = [
        author.calls("", (author.random.choice(("web_search", "web_extractor")), author.random.choice(texts)))
        for _ in range(author.random.randint(1, 4))
    ]
    return [*bad, *author.search(), say(author.table())]


def unknown_tools(author: Author) -> list[Message]:
    names = ("web_browse", "search", "python", "WEB_SEARCH", "functions.web_search", "final_answer", "finish")
    bad = [author.calls("", (author.random.choice(names), '{"query": "bakery"}')) for _ in range(2)]
    return [*bad, *author.search(), say(author.table())]


def unknown_pages(author: Author) -> list[Message]:
    urls = ("https://nowhere.example/", "https://", "file:///etc/passwd", "http://127.0.0.1/", "town", "https://a b/")
    bad = [author.calls("", ("web_extractor", json.dumps({"url": author.random.choice(urls)}))) for _ in range(2)]
    return [*bad, *author.search(), say(author.table())]


def repeated_calls(author: Author) -> list[Message]:
    return [*author.search(), *author.search(), *author.search(2), say(author.table())]


def batched_queries(author: Author) -> list[Message]:
    """Several queries in one call, as some models are used to."""
    queries = [json.loads(arguments)["query"] for name, arguments in author.honest if name == "web_search"]
    call = ("web_search", json.dumps({"queries": [*queries, "one", "two", "three", "four"][:6]}))
    return [author.calls("", call), *author.search(), say(author.table())]


def written_calls(author: Author) -> list[Message]:
    """Calls in the text of the message."""
    calls = [f'<tool_call>\n{{"name": "{name}", "arguments": {text}}}\n</tool_call>' for name, text in author.honest]
    return [*(say("\n".join(calls[i : i + 3])) for i in range(0, len(calls), 3)), say(author.table())]


def table_beside_call(author: Author) -> list[Message]:
    """A table in a message that also calls is not the answer."""
    first, *rest = author.search()
    first["content"] = author.table()
    return [first, *rest, say(author.random.choice(("Done.", "")))]


def empty(author: Author) -> list[Message]:
    return [
        *author.search(author.random.randint(1, 3)),
        say(author.random.choice(("", " ", "\n\n", "<think></think>"))),
    ]


def wrong_order(author: Author) -> list[Message]:
    order = [*range(len(author.task.columns))]
    author.random.shuffle(order)
    return [*author.search(), say(author.table(order=order))]


def missing_header(author: Author) -> list[Message]:
    lines = author.table().split("\n")
    return [*author.search(), say("\n".join(lines[2:]))]


def renamed_headers(author: Author) -> list[Message]:
    text = author.table()
    for number, column in enumerate(author.task.columns):
        text = text.replace(column.name, f"Column {number}", 1)
    return [*author.search(), say(text)]


def repeated_rows(author: Author) -> list[Message]:
    rows = [*author.task.gold, *author.task.gold]
    author.random.shuffle(rows)
    return [*author.search(), say(author.table(rows))]


def invented_rows(author: Author) -> list[Message]:
    lines = author.table().split("\n")
    cells = ["Nowhere", "-1", "1 April 2007", "n/a", "", "∞", "NaN", "1e999", "x" * 300]
    lines += ["| " + " | ".join(author.random.choices(cells, k=len(author.task.columns))) + " |" for _ in range(4)]
    return [*author.search(), say("\n".join(lines))]


def fenced_table(author: Author) -> list[Message]:
    return [*author.search(), say(f"Here it is:\n```markdown\n{author.table()}\n```\nI am sure of it.")]


def comma_separated(author: Author) -> list[Message]:
    return [*author.search(), say(author.table().replace(" | ", ",").replace("| ", "").replace(" |", ""))]


def strange_characters(author: Author) -> list[Message]:
    marks = author.random.choice(("\u200b", "\u202e", "é\u0301", "😀", "\u00a0", "&nbsp;", "**"))
    return [*author.search(), say(author.table().replace(" | ", f" {marks}|{marks} "))]


KINDS: Sequence[Callable[[Author], list[Message]]] = (
    honest, half_read, some_rows, memory, idle_search, truncated_call, truncated_arguments, cut_in_call, cut_in_table,
    cut_in_thought, no_table, two_tables, turn_limit, last_turn, think_calls, think_call_alone, parallel_calls,
    bad_arguments, unknown_tools, unknown_pages, repeated_calls, batched_queries, written_calls, table_beside_call,
    empty, wrong_order, missing_header, renamed_headers, repeated_rows, invented_rows, fenced_table, comma_separated,
    strange_characters,
)  # fmt: skip
CUT = frozenset({cut_in_call, cut_in_table, cut_in_thought})
"""Kinds whose last message the trainer cuts."""


@lru_cache(1)
def odd_episodes(number: int = 200) -> tuple[OddEpisode, ...]:
    """Return episodes of the world's tasks, every kind by turns, and what they are worth by `Environment`."""
    worlds = SeparateWorlds([WORLD])
    ((_, tasks),) = worlds.tasks()
    world, simulator = worlds.open(tasks[0].world), Simulator(worlds.open(tasks[0].world))
    short = [task for task in tasks if task.max_turns <= MOST_TURNS]
    calls = {task.task_id: honest_calls(task, world, simulator) for task in short}
    episodes = []
    for i in range(number):
        random, write = rng("odd episodes", i), KINDS[i % len(KINDS)]
        task = random.choice(short)
        messages = write(Author(task, calls[task.task_id], random))
        episodes.append(played(write.__name__, Environment(world, task, simulator), messages, cut=write in CUT))
    return tuple(episodes)


def honest_calls(task: Task, world: World, simulator: Simulator) -> list[Call]:
    client = SimulatorClient(simulator, reply_cache={}, world=world)
    made = map(function_call, useful_calls(task, client, way_to_imitate(task, client, 0), HITS))
    return [(call["name"], json.dumps(call["arguments"])) for call in made]


def played(kind: str, environment: Environment, messages: Sequence[Message], *, cut: bool) -> OddEpisode:
    """Return the episode as it is worth, without what is said after its end."""
    environment.reset()
    for number, message in enumerate(messages, 1):
        last = number == len(messages)
        step = environment.cut(message) if cut and last else environment.step(message)
        if step.done:
            return OddEpisode(
                kind, environment.task.task_id, messages[:number], cut and last, figures(step, environment)
            )
    raise AssertionError(f"{kind}: the episode doesn't end")


def save(path: Path, number: int = 200) -> None:
    """Write the episodes as JSON, for a process that doesn't have the package."""
    path.write_text(json.dumps([asdict(episode) for episode in odd_episodes(number)]), "utf-8")
