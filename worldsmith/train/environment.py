"""One episode as a trainer sees it: reset, step, reward; in process, without a server.

An agent writes a message: a text, or a message of a chat API. Its tool calls are answered, all of them in order up to
`MAX_CALLS`; a message without a call is the answer and ends the episode. How calls are written: `agent_messages`.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, Protocol

from worldsmith import scoring
from worldsmith.agents.client import hits_text, search_reply
from worldsmith.errors import UsageError
from worldsmith.lang.morphology import listing
from worldsmith.simulate.disclosure import observation_hashes
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.simulate.traces import Traces
from worldsmith.tasks import QueryEvaluator, Task
from worldsmith.tasks.evidence import cell_evidence, united_evidence
from worldsmith.tasks.parts import parts_with_worlds
from worldsmith.train.agent_messages import AgentMessage, read_message
from worldsmith.train.tool_arguments import CallError, Request, arguments_of, number_of, texts_of, tool_of
from worldsmith.world.model import World

SYSTEM: Final = (
    "You answer questions by research on the web. Use web_search to find pages and web_extractor to read them; search "
    "results show only a part of what pages say. What is asked cannot be known without them. When you have found "
    "everything, reply with the table alone."
)
"""The first message of every episode."""
TOOLS: Final[tuple[Mapping[str, Any], ...]] = tuple(
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {parameter: {"type": kind, "description": text} for parameter, kind, text in parameters},
                "required": [parameters[0][0]],
            },
        },
    }
    for name, description, parameters in (
        (
            "web_search",
            "Search the web. Returns results with url, title, snippet and date.",
            (("query", "string", "What to search for."), ("page", "integer", "Page of results, from 1.")),
        ),
        (
            "web_extractor",
            "Read a web page as Markdown.",
            (
                ("url", "string", "Address of the page."),
                ("offset", "integer", "Character to start from, for the rest of a long page."),
            ),
        ),
    )
)
"""The two tools in OpenAI's form, as chat templates take them for `tools`."""
CALL_FORM: Final = """

You may call these tools:
{tools}

To call one, write
<tool_call>
{{"name": "web_search", "arguments": {{"query": "…"}}}}
</tool_call>
and wait for its reply in <tool_response></tool_response>; of several calls in one message the first 4 are answered. A
message without a call is taken for your answer."""
"""What `tools_in_text` adds to the first message."""
MAX_CALLS: Final = 4
"""Calls of one message that are answered; as in the export to verl."""
UNANSWERED: Final = f"Error: not answered: {MAX_CALLS} calls at most in one message"
MAX_PAGE: Final = 100
MAX_OFFSET: Final = 1_000_000
MAX_THREADS: Final = 32
"""Episodes that `step_many` steps at a time."""


class SearchEngine(Protocol):
    """What answers the calls of episodes: a `Simulator`, a `PoolSimulator`, or a server that has one."""

    @property
    def id(self) -> str:
        """The id of the world or pool that it serves."""
        ...

    def call(self, address: Address, call: Call, attempt: int = 0) -> Observation:
        """Answer a call."""
        ...

    def open_world(self, world: str) -> World:
        """Return one of its worlds. Raises NotFoundError or UsageError for another."""
        ...

    async def acall(self, address: Address, call: Call, attempt: int = 0) -> Observation:
        """Answer a call while others wait: by a language model where one writes the replies."""
        ...


def prompt(task: Task, *, tools_in_text: bool = False) -> list[dict[str, str]]:
    """Return the messages an agent starts from; with `tools_in_text` they describe the tools and the form of a call."""
    tools = "\n".join(json.dumps(tool) for tool in TOOLS)
    system = SYSTEM + CALL_FORM.format(tools=tools) if tools_in_text else SYSTEM
    return [{"role": "system", "content": system}, {"role": "user", "content": task.question}]


@dataclass(frozen=True, slots=True, repr=False)
class Step:
    """What a message of the agent led to."""

    observation: str
    """What the tools answered, or what was wrong with a call, with a heading each for several; "" at the end."""
    done: bool
    score: scoring.Score | None = None
    """Of the answer, at the end."""
    paid: scoring.Score | None = None
    """The same by evidence: its `earned`, `earned_rows` and `success` count only what the episode disclosed."""
    evidenced_item: scoring.Rates | None = None
    """Like `score.item`, but of cells that the episode disclosed or the question states."""
    reward: scoring.Reward | None = None
    truncated: bool = False
    """Whether the episode was cut off at a limit."""
    messages: Sequence[Mapping[str, str]] = ()
    """The same as messages to append: one of role "tool" for each call, with `tool_call_id` where the call had an id.

    With `tools_in_text` one of role "user", since such a template may know no other.
    """

    def __repr__(self) -> str:
        """Return how the step ended, or how long the reply is."""
        if self.reward is not None:
            return f"Step(done, reward {self.reward.total:.3f}, {self.score!r})"
        return f"Step({len(self.observation)} characters of replies, {len(self.messages)} messages)"


@dataclass(frozen=True, slots=True)
class _PendingReply:
    """A reply to come: that of a call, or one that needs no call; `heading` names the tool."""

    heading: str
    call: Call | None = None
    attempt: int = 0
    reply: str = ""


@dataclass(slots=True, repr=False)
class Environment:
    """An episode of one task: `reset`, then `step` with each message of the agent until the step is `done`.

    Replies depend on (world, profile, seed, call, attempt) alone: rollouts of a group that share the seed see the same.
    """

    world: World
    """The task's world; of a task over several worlds any of them."""
    task: Task
    simulator: SearchEngine
    """What answers: of the world, or of a pool that it is in; a task then has to be one of the pool's."""
    profile: str = "clean"
    seed: int = 0
    max_turns: int | None = None
    """Messages of the agent at most; the episode is cut off then. None takes the task's own limit, `Task.max_turns`."""
    hits: int = 5
    """Results a search gives, on a page of results; certificates turn pages of five."""
    max_chars: int = 8000
    """Characters of a page that one call gives; the next part follows from its offset."""
    budget: int | None = None
    """Messages that cost nothing, beside retries after faults; None takes what the task typically needs.

    What goes beyond takes up to a tenth of what was earned, so that searching in circles is worth less than finding.
    """
    traces: Traces | None = None
    """Where messages and calls are written down."""
    session: str = ""
    """Names the episode in traces; nothing depends on it."""
    tools_in_text: bool = False
    """Whether the first message describes the tools and the form of a call, for chat templates that take no tools.

    Otherwise give the template both: `apply_chat_template(environment.reset(), tools=TOOLS)`.
    """
    observations: list[Observation] = field(default_factory=list)
    """What the tools answered so far."""
    calls: list[Call] = field(default_factory=list)
    turns: int = 0
    _attempts: dict[Call, int] = field(default_factory=dict)
    _done: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError for a task of another world, or of another state of it."""
        if self.world.id not in self.task.worlds:
            named = f"world{'s' if self.task.members else ''} {listing(self.task.worlds)}"
            raise UsageError(f"task {self.task.task_id} is of the {named}, not of {self.world.id}")
        for part, world in parts_with_worlds(self.task, self.world, self.simulator):
            if part.world_digest != world.digest:
                raise UsageError(f"task {self.task.task_id} is not of this state of {world.id}: mine its tasks again")
        if self.task.certificate and self.task.web != self.simulator.id:
            raise UsageError(
                f"task {self.task.task_id} was proved in {self.task.web}, not in {self.simulator.id}: take the "
                "tasks of _tasks/<pool>.jsonl for a pool, of _tasks/<world>.jsonl for a world alone"
            )

    def __repr__(self) -> str:
        """Return what is played and how far."""
        return f"Environment({self.task!r}, {self.profile}, seed {self.seed}, turn {self.turns})"

    def reset(self) -> list[dict[str, str]]:
        """Begin the episode; return the messages the agent starts from."""
        self.observations, self.calls, self.turns = [], [], 0
        self._attempts, self._done = {}, False
        if self.traces:
            self.traces.message(self._address, "user", self.task.question, task_id=self.task.task_id)
        return prompt(self.task, tools_in_text=self.tools_in_text)

    @property
    def _address(self) -> Address:
        return Address(self.simulator.id, self.profile, self.seed, self.session)

    def step(self, message: str | Mapping[str, Any] | Any) -> Step:
        """Take the agent's message: answer its tool calls, or score it.

        Args:
            message: a text, or a message of a chat API (a mapping, or an object with `model_dump`) with `content`, and
                with `tool_calls` where the calls are native; calls are then looked for nowhere else.

        Raises:
            UsageError: the episode has ended, or this is no message of an agent.
        """
        read = self._begin_step(message)
        if isinstance(read, Step):
            return read
        pending = self._pending_replies(read)
        answers = [self.simulator.call(self._address, one.call, one.attempt) for one in chain(*pending) if one.call]
        return self._finish_step(read, pending, answers)

    async def astep(self, message: str | Mapping[str, Any] | Any) -> Step:
        """Step as `step` does while other episodes go on: all calls of a message at once, by a model where one answers.

        Replies are those of `step`, except where a language model writes them, which `step` never asks.
        """
        read = self._begin_step(message)
        if isinstance(read, Step):
            return read
        pending = self._pending_replies(read)
        waiting = (self.simulator.acall(self._address, one.call, one.attempt) for one in chain(*pending) if one.call)
        return self._finish_step(read, pending, await asyncio.gather(*waiting))

    @staticmethod
    def step_many(
        environments: "Sequence[Environment]", messages: Sequence[str | Mapping[str, Any] | Any]
    ) -> list[Step]:
        """Step several episodes at once, each with its own message; the same as `step` on each, in their order.

        They may be of one world, several, or a pool. Over HTTP they wait for the server together.

        Raises:
            UsageError: not one message per episode, an episode twice, or as `step`; others may have been stepped then.
        """
        if len(environments) != len(messages):
            raise UsageError(f"{len(environments)} episodes and {len(messages)} messages: give one message per episode")
        if len({id(environment) for environment in environments}) < len(environments):
            raise UsageError(
                "an episode stands twice among those to step: its second message needs the first one's reply"
            )
        with ThreadPoolExecutor(min(MAX_THREADS, max(1, len(environments)))) as threads:
            return list(threads.map(Environment.step, environments, messages))

    def cut(self, message: str | Mapping[str, Any] | Any = "", *, infrastructure_error: bool = False) -> Step:
        """End the episode at a limit of the trainer's own, such as its tokens; what stands in `message` is scored.

        With `infrastructure_error` a server failed, not the agent: the reward is masked. Raises UsageError as `step`.
        """
        self._require_running()
        return self._end(read_message(message).answer_text, truncated=True, infrastructure_error=infrastructure_error)

    def _require_running(self) -> None:
        if self._done:
            raise UsageError("the episode has ended: reset the environment")

    def _begin_step(self, message: Any) -> AgentMessage | Step:
        """Return a message whose calls are to be answered, or the step that ends the episode."""
        self._require_running()
        read = read_message(message)
        self.turns += 1
        if self.traces:
            calls = {"tool_calls": list(read.native)} if read.native else {}
            self.traces.message(self._address, "assistant", read.content, **calls)
        if not read.requests:
            return self._end(read.answer_text, truncated=False)
        if self.turns >= (self.task.max_turns if self.max_turns is None else self.max_turns):
            return self._end("", truncated=True)
        return read

    def _end(self, answer: str, *, truncated: bool, infrastructure_error: bool = False) -> Step:
        self._done = True
        score = scoring.score(answer, self.task.columns, self.task.gold)
        searches = sum(call.tool == "web_search" for call in self.calls)
        # A page that does not exist is no evidence, whatever the call was; the cost of calls is counted by turns.
        reads = sum(observation.opened for observation in self.observations)
        faults = sum(bool(observation.fault) for observation in self.observations)
        budget = self.task.typical_turns or None if self.budget is None else self.budget
        digest = self.world.digest
        hashes = frozenset(one for observation in self.observations for one in observation_hashes(observation, digest))
        parts = parts_with_worlds(self.task, self.world, self.simulator)
        evidence = united_evidence(self.task, [cell_evidence(part, QueryEvaluator(world)) for part, world in parts])
        paid = scoring.with_evidence(score, evidence, hashes)
        reward = scoring.reward(
            paid,
            turns=self.turns,
            search_calls=searches,
            extract_calls=reads,
            truncated=truncated,
            # Only where nothing at all was answered: else one dead page would be a way out of a bad episode. Faults
            # that a profile declares pass when tried again.
            infrastructure_error=infrastructure_error
            or (bool(self.observations) and all(o.status == "unavailable" for o in self.observations)),
            budget=None if budget is None else budget + faults,
            require_evidence=True,
        )
        item = scoring.evidenced_item(score, evidence, hashes)
        return Step("", done=True, score=score, paid=paid, evidenced_item=item, reward=reward, truncated=truncated)

    def _pending_replies(self, read: AgentMessage) -> list[list[_PendingReply]]:
        """Return what is to be answered of each call of a message: several where it names several queries."""
        pending: list[list[_PendingReply]] = []
        left = MAX_CALLS
        for i, request in enumerate(read.requests):
            if not left and not request.id:  # only a native call needs a reply of its own
                pending.append([_PendingReply(f"{len(read.requests) - i} more", reply=UNANSWERED)])
                break
            pending.append(self._pending_replies_to(request, left))
            left = max(0, left - len(pending[-1]))
        return pending

    def _pending_replies_to(self, request: Request, left: int) -> list[_PendingReply]:
        """Return what is to be answered of one call, `left` queries of it at most."""
        try:
            calls = self._calls(request)
        except CallError as fault:
            return [_PendingReply(str(request.name or "a call")[:40], reply=f"Error: {fault}")]
        pending = [_PendingReply(_call_heading(call), call, self._next_attempt(call)) for call in calls[:left]]
        if more := calls[left:]:
            heading = _call_heading(more[0]) if len(more) == 1 else f"{len(more)} more"
            pending.append(_PendingReply(heading, reply=UNANSWERED))
        return pending

    def _next_attempt(self, call: Call) -> int:
        attempt = self._attempts[call] = self._attempts.get(call, -1) + 1
        return attempt

    def _finish_step(
        self, read: AgentMessage, pending: list[list[_PendingReply]], answers: Sequence[Observation]
    ) -> Step:
        """Return the replies to a message, given the answers to its calls in order."""
        left = iter(answers)
        replies = [
            [(one.heading, self._recorded(one, next(left)) if one.call else one.reply) for one in some]
            for some in pending
        ]
        messages: list[dict[str, str]] = []
        for request, some in zip(read.requests, replies, strict=False):
            messages.append({"role": "tool", "content": _replies_text(some), **_call_fields(request)})
        if self.tools_in_text:
            content = "\n".join(f"<tool_response>\n{_replies_text(some)}\n</tool_response>" for some in replies)
            messages = [{"role": "user", "content": content}]
        return Step(_replies_text([*chain(*replies)]), done=False, messages=messages)

    def _recorded(self, pending: _PendingReply, observation: Observation) -> str:
        """Return an answer as the agent reads it, and note that it has it."""
        call = pending.call
        assert call is not None
        self.calls.append(call)
        if self.traces:
            self.traces.call(self._address, call, pending.attempt, observation)
        self.observations.append(observation)
        return reply_text(observation, call)

    def _calls(self, request: Request) -> list[Call]:
        """Return the calls of a request, several where it names several queries. Raises CallError."""
        tool = tool_of(request)
        arguments = arguments_of(request, tool)
        texts = texts_of(arguments, tool)
        if tool == "web_search":
            page = number_of(arguments, tool, "page", 1, MAX_PAGE)
            return [Call(tool, text, page, self.hits) for text in texts]
        offset = number_of(arguments, tool, "offset", 0, MAX_OFFSET)
        return [Call(tool, text, offset=offset, max_chars=self.max_chars) for text in texts]


def _replies_text(replies: Sequence[tuple[str, str]]) -> str:
    """Return replies as one text: each under its head where there are several."""
    if len(replies) == 1:
        return replies[0][1]
    return "\n\n".join(f"[{i} of {len(replies)}: {head}]\n{text}" for i, (head, text) in enumerate(replies, 1))


def _call_heading(call: Call) -> str:
    return f"{call.tool} {json.dumps(call.arg[:80], ensure_ascii=False)}"


def _call_fields(request: Request) -> dict[str, str]:
    """Return the fields of a tool message that say which call it answers."""
    names = {"name": str(request.name)} if request.name else {}
    return names | ({"tool_call_id": request.id} if request.id else {})


def reply_text(observation: Observation, call: Call) -> str:
    """Return a reply as the agent reads it."""
    failed = http_failure(observation)
    if failed:
        return f"Error: {failed.text}"
    if call.tool == "web_search":
        return hits_text(search_reply(observation)) or "No results."
    goes_on = observation.next_offset
    return observation.text + (f"\n[the page goes on at offset {goes_on}]" if goes_on is not None else "")
