"""Episodes: an agent, a task, a client, and what came of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypedDict

from worldsmith import scoring
from worldsmith.agents.baselines import closed_book, keys_only, one_query, snippets_only
from worldsmith.agents.client import Client, Connection, Recorder, SimulatorClient, tokens
from worldsmith.agents.natural_oracle import (
    natural_keys_only,
    natural_one_query,
    natural_oracle,
    natural_reworded,
    natural_snippets_only,
)
from worldsmith.agents.plain_oracle import oracle, reworded
from worldsmith.agents.ranking_probe import probe
from worldsmith.errors import NotFoundError, UsageError, close_match
from worldsmith.pages import Pages
from worldsmith.schema import Schema
from worldsmith.tasks import Task
from worldsmith.tasks.parts import parts_with_worlds
from worldsmith.tasks.task import united_table
from worldsmith.world.model import World

Agent = Callable[[Task, Schema, Client], str]
"""Answers a task by the tools of a client; it may know how the schema heads its columns, and no row."""

NaturalAgent = Callable[[Task, Pages, Recorder], str]
"""Answers a task over natural pages, which it reads by their plans, as a perfect reader would."""


class AgentsByLanguage(TypedDict):
    """Agents by name, for worlds of each language."""

    plain: Mapping[str, Agent]
    natural: Mapping[str, NaturalAgent]
    """Those that differ; the others are the plain ones."""


AGENTS_BY_LANGUAGE: AgentsByLanguage = {
    "plain": {
        "oracle": oracle,
        "reworded": reworded,
        "closed-book": closed_book,
        "keys-only": keys_only,
        "snippets-only": snippets_only,
        "one-query": one_query,
        "probe": probe,
    },
    "natural": {
        "oracle": natural_oracle,
        "reworded": natural_reworded,
        "keys-only": natural_keys_only,
        "snippets-only": natural_snippets_only,
        "one-query": natural_one_query,
    },
}

AGENTS = AGENTS_BY_LANGUAGE["plain"]
"""All agents there are, by name."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Searches made, pages read, and the tokens of all replies."""

    search_calls: int
    extract_calls: int
    tool_tokens: int

    @classmethod
    def of(cls, calls: Sequence[Mapping[str, Any]], tool_tokens: int) -> "Cost":
        """Return the cost of calls that name their tool."""
        searches = sum(call["tool"] == "web_search" for call in calls)
        return cls(searches, len(calls) - searches, tool_tokens)

    @property
    def turns(self) -> int:
        """The assistant messages: one per call, and the answer."""
        return self.search_calls + self.extract_calls + 1

    def to_json(self) -> dict[str, int]:
        """Return the figures, the turns with them."""
        return {**asdict(self), "turns": self.turns}


@dataclass(frozen=True, slots=True)
class Episode:
    """An agent's answer to a task, with its calls and their cost."""

    task_id: str
    world: str
    agent: str
    answer: str
    calls: tuple[dict[str, Any], ...]
    replies: tuple[str, ...]
    costs: tuple[int, ...]
    """The tokens of each reply."""
    retries: int = 0
    """Attempts beyond the first of each call: what a faulty profile costs."""

    @property
    def cost(self) -> Cost:
        """What its calls cost."""
        return Cost.of(self.calls, sum(self.costs))

    def scored(self, task: Task) -> scoring.Score:
        """Return the score of the answer."""
        return scoring.score(self.answer, task.columns, task.gold)

    def to_json(self, task: Task) -> dict[str, Any]:
        """Return the figures of the episode, its answer and calls, as JSON values."""
        score = self.scored(task)
        return {
            "task_id": self.task_id,
            "world": self.world,
            "agent": self.agent,
            "item_f1": score.item.f1,
            "row_f1": score.row.f1,
            "nonkey_item_f1": score.nonkey.f1,
            "success": score.success,
            **self.cost.to_json(),
            "retries": self.retries,
            "answer": self.answer,
            "calls": list(self.calls),
        }


def agent(name: str) -> Agent:
    """Return an agent by name; NotFoundError with a close match for an unknown one."""
    if name not in AGENTS:
        raise NotFoundError(f"no agent is called {name!r}.{close_match(name, AGENTS)}")
    return AGENTS[name]


def run(task: Task, world: World, name: str, client: Connection, count: Callable[[str], int] = tokens) -> Episode:
    """Let an agent answer a task and return the episode.

    Of the world only its schema is used: how columns are headed and which pages there are. Over several worlds it is
    one of them; an agent answers for each in turn, and its tables are put together.

    Raises:
        NotFoundError: no agent is called `name`.
        BackendError: the client's world does not answer.
    """
    recorder, before, answers = Recorder(client, count), client.retries, list[str]()
    natural_agent = AGENTS_BY_LANGUAGE["natural"].get(name) if world.language == "natural" else None
    if natural_agent is not None:
        if not isinstance(client, SimulatorClient):
            raise UsageError(
                f"the agent {name!r} reads natural pages by their plans: run it in process, without --base-url"
            )
        fresh = client.afresh()
        recorder = Recorder(fresh, count)
        for part, own in parts_with_worlds(task, world, client.simulator):
            fresh.world = own
            answers.append(natural_agent(part, fresh.pages, recorder))
        client.add(fresh)
    else:
        answers += [agent(name)(part, world.schema, recorder) for part in task.parts]
    calls, replies, costs = tuple(recorder.calls), tuple(recorder.replies), tuple(recorder.costs)
    answer, retries = united_table(task, answers), client.retries - before
    return Episode(task.task_id, task.world, name, answer, calls, replies, costs, retries)
