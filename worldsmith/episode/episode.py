"""An episode: the agent's messages in, tool replies and at the end a score and a reward out.

An agent writes a message: a text, or a message of a chat API. Its tool calls are answered, all of them in order up to
`MAX_CALLS`; a message without a call is the answer and ends the episode. How calls are written: `agent_messages`.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, Protocol

from ..errors import UsageError
from ..scoring import Column, Evidence, Rates, Reward, Score, evidenced_item, reward, score, with_evidence
from .agent_messages import AgentMessage, read_message
from .call import Call
from .tool_arguments import CallError, Request, arguments_of, number_of, texts_of, tool_of
from .tools import MAX_CALLS, MAX_OFFSET, MAX_PAGE, UNANSWERED, prompt

HITS, MAX_CHARS = 5, 8000
"""Results a search gives, and characters of a page that one call gives."""
BYTES_PER_TOKEN: Final = 3.5
"""What a token is taken for where an episode says how much of its context is left."""


class EpisodeTask(Protocol):
    """What an episode needs to know of its task."""

    @property
    def question(self) -> str:
        """The question."""
        ...

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the answer."""
        ...

    @property
    def gold(self) -> Sequence[Sequence[Any]]:
        """The gold rows."""
        ...

    @property
    def evidence(self) -> Evidence:
        """What has to be disclosed before a cell earns."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool answered, as an agent reads it, and what an episode counts of it."""

    text: str
    disclosed: Sequence[str] | None = ()
    """Hashes of the cells that it discloses; None where they can only be read from the text."""
    opened: bool = False
    """Whether a page was read."""
    fault: bool = False
    """Whether the call failed and may be made again: such a call costs nothing."""
    unavailable: bool = False
    """Whether no server answered."""
    source: Any = None
    """What it was made from, where that is at hand."""


class SearchTools(Protocol):
    """What answers the calls of an episode."""

    def call(self, call: Call, attempt: int) -> Reply:
        """Answer a call; `attempt` counts the earlier ones of the same call in this episode."""
        ...

    async def acall(self, call: Call, attempt: int) -> Reply:
        """Answer a call while others wait."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class Step:
    """What a message of the agent led to."""

    observation: str
    """What the tools answered, or what was wrong with a call, with a heading each for several; "" at the end."""
    done: bool
    score: Score | None = None
    """Of the answer, at the end."""
    paid: Score | None = None
    """The same by evidence: its `earned`, `earned_rows` and `success` count only what the episode disclosed."""
    evidenced_item: Rates | None = None
    """Like `score.item`, but of cells that the episode disclosed or the question states."""
    reward: Reward | None = None
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
class Episode:
    """An episode of one task: `reset`, then `step` with each message of the agent until the step is `done`."""

    task: EpisodeTask
    tools: SearchTools
    max_turns: int
    """Messages of the agent at most; the episode is cut off then."""
    budget: int | None = None
    """Messages that cost nothing, beside retries after faults; what goes beyond takes up to a tenth of what was earned.

    None: nothing is taken.
    """
    hits: int = HITS
    """Results a search gives, on a page of results; certificates turn pages of five."""
    max_chars: int = MAX_CHARS
    """Characters of a page that one call gives; the next part follows from its offset."""
    tools_in_text: bool = False
    """Whether the first message describes the tools and the form of a call, for chat templates that take no tools."""
    context_tokens: int = 0
    """Tokens of the model's context: where above 0, the last reply to each message says how much is left of both."""
    on_message: Callable[[AgentMessage], None] | None = None
    """Gets each message of the agent before its calls are answered."""
    on_reply: Callable[[Call, int, Reply], None] | None = None
    """Gets each call, its attempt and its reply, in order."""
    calls: list[Call] = field(default_factory=list)
    """The calls that were answered, in order."""
    replies: list[Reply] = field(default_factory=list)
    """Their replies."""
    turns: int = 0
    _attempts: dict[Call, int] = field(default_factory=dict)
    _bytes: int = 0
    _done: bool = False

    def reset(self) -> list[dict[str, str]]:
        """Begin the episode; return the messages the agent starts from."""
        self.calls, self.replies, self.turns = [], [], 0
        self._attempts, self._done = {}, False
        messages = prompt(self.task.question, tools_in_text=self.tools_in_text)
        self._bytes = sum(len(message["content"].encode()) for message in messages)
        return messages

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
        answers = [self.tools.call(one.call, one.attempt) for one in chain(*pending) if one.call]
        return self._finish_step(read, pending, answers)

    async def astep(self, message: str | Mapping[str, Any] | Any) -> Step:
        """Step as `step` does while other episodes go on: all calls of a message at once."""
        read = self._begin_step(message)
        if isinstance(read, Step):
            return read
        pending = self._pending_replies(read)
        waiting = (self.tools.acall(one.call, one.attempt) for one in chain(*pending) if one.call)
        return self._finish_step(read, pending, await asyncio.gather(*waiting))

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
        arguments = (
            request.arguments for request in read.requests if isinstance(request.arguments, str) and read.native
        )
        self._bytes += sum(len(text.encode("utf-8", "replace")) for text in (read.content, *arguments))
        if self.on_message:
            self.on_message(read)
        if not read.requests:
            return self._end(read.answer_text, truncated=False)
        if self.turns >= self.max_turns:
            return self._end("", truncated=True)
        return read

    def _end(self, answer: str, *, truncated: bool, infrastructure_error: bool = False) -> Step:
        self._done = True
        result = score(answer, self.task.columns, self.task.gold)
        evidence = self.task.evidence
        disclosed = {one for reply in self.replies for one in reply.disclosed or ()}
        disclosed |= evidence.disclosed_by(reply.text for reply in self.replies if reply.disclosed is None)
        faults = sum(reply.fault for reply in self.replies)
        paid = with_evidence(result, evidence, disclosed)
        total = reward(
            paid,
            turns=self.turns,
            search_calls=sum(call.tool == "web_search" for call in self.calls),
            # A page that does not exist is no evidence, whatever the call was; the cost of calls is counted by turns.
            extract_calls=sum(reply.opened for reply in self.replies),
            truncated=truncated,
            # Only where nothing at all was answered: else one dead page would be a way out of a bad episode. Faults
            # that a profile declares pass when tried again.
            infrastructure_error=infrastructure_error
            or (bool(self.replies) and all(reply.unavailable for reply in self.replies)),
            budget=None if self.budget is None else self.budget + faults,
            require_evidence=True,
        )
        item = evidenced_item(result, evidence, disclosed)
        return Step("", done=True, score=result, paid=paid, evidenced_item=item, reward=total, truncated=truncated)

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
            calls = self._calls_of(request)
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

    def _finish_step(self, read: AgentMessage, pending: list[list[_PendingReply]], answers: Sequence[Reply]) -> Step:
        """Return the replies to a message, given the answers to its calls in order."""
        made = [(one.call, one.attempt) for one in chain(*pending) if one.call]
        self.calls += [call for call, _ in made]
        self.replies += answers
        if self.on_reply:
            for (call, attempt), reply in zip(made, answers, strict=True):
                self.on_reply(call, attempt, reply)
        left = iter(answers)
        replies = [[(one.heading, next(left).text if one.call else one.reply) for one in some] for some in pending]
        if self.context_tokens and replies:
            heading, text = replies[-1][-1]
            self._bytes += sum(len(text.encode("utf-8", "replace")) for _, text in chain(*replies))
            replies[-1][-1] = (heading, f"{text}\n\n{self._notice()}")
        messages: list[dict[str, str]] = []
        for request, some in zip(read.requests, replies, strict=False):
            messages.append({"role": "tool", "content": _replies_text(some), **_call_fields(request)})
        if self.tools_in_text:
            content = "\n".join(f"<tool_response>\n{_replies_text(some)}\n</tool_response>" for some in replies)
            messages = [{"role": "user", "content": content}]
        return Step(_replies_text([*chain(*replies)]), done=False, messages=messages)

    def _notice(self) -> str:
        """Return how much is left of turns and context."""
        turns, used = self.max_turns - self.turns, int(self._bytes / BYTES_PER_TOKEN)
        left = max(0, self.context_tokens - used)
        return f"[{turns} of {self.max_turns} turns and about {left} of {self.context_tokens} tokens are left]"

    def _calls_of(self, request: Request) -> list[Call]:
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
