"""One episode as a trainer sees it: reset, step, reward; in process, without a server.

An agent writes text. A tool call in it is `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, the form of Hermes,
Qwen and SmolLM2; what comes back is the text of the reply. A message without a call is the answer and ends the episode.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from worldsmith import scoring
from worldsmith.agents.client import reply, shown
from worldsmith.dialects.status import failure
from worldsmith.disclosure import tokens
from worldsmith.errors import UsageError
from worldsmith.simulator import Simulator
from worldsmith.slices import Address, Call, Observation
from worldsmith.tasks import Reader, Task
from worldsmith.tasks.evidence import cell_evidence
from worldsmith.traces import Traces
from worldsmith.world import World

SYSTEM: Final = (
    "You answer questions by research on the web. Use web_search to find pages and web_extractor to read them; search "
    "results show only a part of what pages say. What is asked cannot be known without them. When you have found "
    "everything, reply with the table alone."
)
"""The first message of every episode."""
TOOLS: Final[tuple[Mapping[str, Any], ...]] = (
    {
        "name": "web_search",
        "description": "Search the web. Returns results with url, title, snippet and date.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}, "page": {"type": "integer", "minimum": 1}},
            "required": ["query"],
        },
    },
    {
        "name": "web_extractor",
        "description": "Read a web page as Markdown.",
        "parameters": {
            "type": "object",
            "properties": {"url": {"type": "string"}, "offset": {"type": "integer", "minimum": 0}},
            "required": ["url"],
        },
    },
)
"""The two tools, as JSON Schemas of their arguments."""
MAX_OFFSET: Final = 1_000_000
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)


def prompt(task: Task) -> list[dict[str, str]]:
    """Return the messages an agent starts from."""
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": task.question}]


@dataclass(frozen=True, slots=True)
class Step:
    """What a message of the agent led to."""

    observation: str
    """What the tool answered, or what was wrong with the call; "" at the end."""
    done: bool
    score: scoring.Score | None = None
    """Of the answer, at the end."""
    reward: scoring.Reward | None = None


@dataclass(slots=True)
class Environment:
    """An episode of one task. `reset` begins it anew.

    Replies depend on (world, profile, seed, call, attempt) alone: rollouts of a group that share the seed see the same.
    """

    world: World
    task: Task
    simulator: Simulator
    profile: str = "clean"
    seed: int = 0
    max_turns: int = 40
    """Messages of the agent at most; the episode is cut off then."""
    hits: int = 5
    """Results a search gives."""
    max_chars: int = 8000
    """Characters of a page that one call gives; the next part follows from its offset."""
    budget: int | None = None
    """Messages that cost nothing, beside retries after faults; None takes what the task typically needs.

    What goes beyond takes up to a tenth of what was earned, so that looking in circles is worth less than finding.
    """
    traces: Traces | None = None
    """Where messages and calls are written down."""
    session: str = ""
    """Names the episode in traces; nothing depends on it."""
    observations: list[Observation] = field(default_factory=list)
    """What the tools answered so far."""
    calls: list[Call] = field(default_factory=list)
    turns: int = 0
    _attempts: dict[Call, int] = field(default_factory=dict)
    _done: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError for a task of another world, or of another state of it."""
        if (self.task.world, self.task.world_digest) != (self.world.id, self.world.digest):
            raise UsageError(f"task {self.task.task_id} is not of this state of {self.world.id}: mine its tasks again")

    def reset(self) -> list[dict[str, str]]:
        """Begin the episode; return the messages the agent starts from."""
        self.observations, self.calls, self.turns = [], [], 0
        self._attempts, self._done = {}, False
        if self.traces:
            self.traces.message(self._address, "user", self.task.question, task_id=self.task.task_id)
        return prompt(self.task)

    @property
    def _address(self) -> Address:
        return Address(self.world.id, self.profile, self.seed, self.session)

    def step(self, message: str) -> Step:
        """Take the agent's message: answer its first tool call, or score it.

        Raises:
            UsageError: the episode has ended.
        """
        if self._done:
            raise UsageError("the episode has ended: reset the environment")
        self.turns += 1
        message = _utf8(message)
        if self.traces:
            self.traces.message(self._address, "assistant", message)
        found = _CALL.search(message)
        if found is None:
            return self._end(message, truncated=False)
        if self.turns >= self.max_turns:
            return self._end("", truncated=True)
        return Step(self._answer(found[1]), done=False)

    def cut(self) -> Step:
        """End the episode at a limit of the trainer's own, such as its tokens."""
        return self._end("", truncated=True)

    def _end(self, answer: str, *, truncated: bool) -> Step:
        self._done = True
        score = scoring.score(answer, self.task.columns, self.task.gold)
        searches = sum(call.tool == "web_search" for call in self.calls)
        # A page that isn't there is no evidence, whatever was asked for; what calls cost is counted by turns.
        reads = sum(seen.opened for seen in self.observations)
        faults = sum(bool(seen.fault) for seen in self.observations)
        budget = self.task.typical_turns or None if self.budget is None else self.budget
        disclosed = (cell for observation in self.observations for cell in observation.disclosed)
        hashes = frozenset(tokens(disclosed, self.world.digest))
        reward = scoring.reward(
            scoring.with_evidence(score, cell_evidence(self.task, Reader(self.world)), hashes),
            turns=self.turns,
            search_calls=searches,
            extract_calls=reads,
            truncated=truncated,
            # Only where nothing at all was answered: else one dead page would be a way out of a bad episode. Faults
            # that a profile declares pass when tried again.
            infrastructure_error=bool(self.observations) and all(o.status == "unavailable" for o in self.observations),
            budget=None if budget is None else budget + faults,
            require_evidence=True,
        )
        return Step("", done=True, score=score, reward=reward)

    def _answer(self, text: str) -> str:
        try:
            call = self._read(text)
        except UsageError as wrong:
            return f"Error: {wrong}"
        self.calls.append(call)
        attempt = self._attempts[call] = self._attempts.get(call, -1) + 1
        seen = self.simulator.call(self._address, call, attempt)
        if self.traces:
            self.traces.call(self._address, call, attempt, seen)
        self.observations.append(seen)
        return told(seen, call)

    def _read(self, text: str) -> Call:
        """Return the call that a message makes. Raises UsageError; its text says the fix."""
        try:
            asked = json.loads(text)
            name, given = asked["name"], asked["arguments"]
            if name == "web_search":
                page = min(max(int(given.get("page", 1)), 1), 100)
                return Call("web_search", _text(given["query"]), page, self.hits)
            if name == "web_extractor":
                offset = min(max(int(given.get("offset", 0)), 0), MAX_OFFSET)
                return Call("web_extractor", _text(given["url"]), offset=offset, max_chars=self.max_chars)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise UsageError(
                'a call is <tool_call>{"name": "web_search", "arguments": {"query": "…"}}</tool_call>, or '
                '"web_extractor" with {"url": "…"}'
            ) from None
        raise UsageError(f"there is no tool {str(name)[:40]!r}: use web_search or web_extractor")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return _utf8(value[:2000])


def _utf8(text: str) -> str:
    """Return a text without lone surrogates, which no file of ours can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def told(seen: Observation, call: Call) -> str:
    """Return a reply as the agent reads it."""
    failed = failure(seen)
    if failed:
        return f"Error: {failed.text}"
    if call.tool == "web_search":
        return shown(reply(seen)) or "No results."
    goes_on = f"\n[the page goes on at offset {seen.next_offset}]" if seen.next_offset is not None else ""
    return seen.text + goes_on
