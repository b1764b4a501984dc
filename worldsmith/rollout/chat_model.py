"""A chat model behind an OpenAI-compatible endpoint: one reply at a time, with bounded retries and spending."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, Final

import httpx2
import openai

from worldsmith.agents.client import tokens
from worldsmith.episode.agent_messages import content_text, native_calls
from worldsmith.episode.tool_arguments import sent_call, without_surrogates
from worldsmith.errors import BackendError, UsageError, WorldsmithError
from worldsmith.simulate.llm.endpoint import UNFIT, Endpoint, FatalError, open_client, refusal, retried

CONTEXT_LIMIT: Final = re.compile(
    r"context[ _](?:length|size|window)|maximum (?:number of )?(?:model )?(?:context|tokens|length)|prompt is too long"
    r"|input is too long|token count .{0,60}exceeds|longer than the model|too large for model",
    re.IGNORECASE,
)
"""How servers (vLLM, SGLang, llama.cpp, hosted ones) say that a prompt, with the reply it may get, is too long."""
REASONING: Final = ("reasoning_content", "reasoning")
"""Names of the field in which servers put reasoning apart; trajectories have the first."""
_THINKING = re.compile(r"\A\s*(?:<think>)?(?P<reasoning>(?s:.*?))</think>\s*(?P<content>(?s:.*))\Z")
MOST_TOKENS: Final = 10**9
"""A larger count of tokens is not believed: no context holds it."""
_DETAIL: Final = 300
"""Characters of a refusal's own text that are repeated."""


class ContextLimitError(FatalError):
    """The conversation no longer fits into the model's context."""


class _OtherFormError(BackendError):
    """A refusal of a field that is left out, or named otherwise, from now on."""


class SpendingLimitError(WorldsmithError):
    """The replies so far cost as much as the run may."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How replies are sampled; what is None is left to the server."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    """Tokens of a reply, reasoning included; less where the context has less room."""


@dataclass(slots=True)
class Spending:
    """What replies cost, by prices per million tokens, and the most they may."""

    prompt_price: float = 0.0
    completion_price: float = 0.0
    limit: float = inf
    total: float = 0.0

    def add(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Add a reply and return its cost."""
        cost = (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / 1e6
        self.total += cost
        return cost

    def require_rest(self) -> None:
        """Raise SpendingLimitError where nothing is left."""
        if self.total >= self.limit:
            raise SpendingLimitError(f"the replies have cost {self.total:.4f}, the limit is {self.limit:g}")


@dataclass(frozen=True, slots=True)
class ChatReply:
    """One reply of the model."""

    message: Mapping[str, Any]
    """The assistant's message: `content`, `reasoning_content` and `tool_calls` where there are any; each call has an
    id, and arguments as the model wrote them, as text."""
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    cost: float
    retries: int


class ChatModel:
    """Asks one endpoint for replies, from one event loop. `replies` counts those that came."""

    def __init__(
        self,
        endpoint: Endpoint,
        sampling: Sampling = Sampling(),
        spending: Spending | None = None,
        *,
        send_reasoning: bool = True,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """Open no connection yet.

        Of the endpoint its URL, model, key, deadline (of a single try), retries, backoff and concurrency are used.

        Args:
            endpoint: where the model is asked.
            sampling: how replies are sampled.
            spending: prices and their limit; without, replies cost nothing.
            send_reasoning: whether reasoning that the server put apart goes back with the next request, as models need
                that think between calls; chat templates of others leave it out.
            transport: takes the place of the network in tests.
        """
        self.endpoint, self.sampling, self.spending = endpoint, sampling, spending or Spending()
        self.replies = 0
        self._send_reasoning = send_reasoning
        self._client = open_client(endpoint, transport)
        self._length_name, self._takes_seed = "max_tokens", True
        self._reasoning_names: tuple[str, ...] = REASONING[:1]

    async def reply(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] = (),
        stop: Sequence[str] = (),
        seed: int | None = None,
    ) -> ChatReply:
        """Return the model's reply to a conversation, sampled by `seed` where the server takes one.

        Raises:
            ContextLimitError: the conversation is longer than the model's context.
            SpendingLimitError: the spending limit is reached; nothing was asked.
            BackendError: no readable reply came in all tries, or the server refuses the request.
        """
        self.spending.require_rest()
        request: dict[str, Any] = {
            "model": self.endpoint.model,
            "messages": [self._sent_message(message) for message in messages],
            "temperature": self.sampling.temperature,
            "top_p": self.sampling.top_p,
            "tools": list(tools) or None,
            "stop": list(stop) or None,
            "seed": seed,
        }
        try:
            return await self._tried(request, self.sampling.max_tokens)
        except ContextLimitError:
            if self.sampling.max_tokens is None:
                raise
        # Servers refuse what may grow beyond the context; without a length of its own the reply gets what is left.
        return await self._tried(request, None)

    async def _tried(self, request: Mapping[str, Any], max_tokens: int | None) -> ChatReply:
        tries = 0

        async def attempt() -> ChatReply:
            nonlocal tries
            tries += 1
            while True:
                body = {**request, self._length_name: max_tokens}
                body |= {} if self._takes_seed else {"seed": None}
                with suppress(_OtherFormError):
                    return await self._send({name: v for name, v in body.items() if v is not None}, tries - 1)

        return await retried(attempt, self.endpoint)

    async def _send(self, body: dict[str, Any], retries: int) -> ChatReply:
        url = self.endpoint.base_url
        try:
            # The client's own timeout is of a single read: a server that trickles would never reach it.
            async with asyncio.timeout(self.endpoint.deadline):
                response = await self._client.post("/chat/completions", body=body, cast_to=httpx2.Response)
        except TimeoutError as error:
            raise BackendError(f"{url} gave no whole reply in {self.endpoint.deadline:g} seconds") from error
        except openai.APIStatusError as error:
            raise self._refused(error.response, body) from error
        except openai.OpenAIError as error:
            cause = f" {error.__cause__}" if error.__cause__ else ""
            raise BackendError(f"{url} could not be asked: {error}{cause}") from error
        try:
            data = response.json()
        except (ValueError, RecursionError) as error:
            raise BackendError(f"{url} answered with broken JSON") from error
        reply = self._read(data, body, retries)
        if reply is None:
            detail = _detail(response.text)
            if CONTEXT_LIMIT.search(detail):
                raise ContextLimitError(f"{url}: the conversation is too long: {detail}")
            raise BackendError(f"{url} answered without a message: {detail}")
        self.replies += 1
        return reply

    def _refused(self, response: httpx2.Response, body: Mapping[str, Any]) -> BackendError:
        """Return the error for a refusal; what can be asked otherwise is asked otherwise from now on."""
        detail, url = _detail(response.text), self.endpoint.base_url
        if response.status_code == 400 and "max_completion_tokens" in detail and "max_tokens" in body:
            self._length_name = "max_completion_tokens"
            return _OtherFormError(f"{url} takes max_completion_tokens instead of max_tokens")
        if response.status_code in UNFIT and "seed" in detail.lower() and "seed" in body:
            self._takes_seed = False
            return _OtherFormError(f"{url} takes no seed")
        if response.status_code != 429 and CONTEXT_LIMIT.search(detail):
            return ContextLimitError(f"{url}: the conversation is too long: {detail}")
        if response.status_code < 500 and "tool" in detail.lower() and body.get("tools"):
            detail += " (start the server with its tool call parser, or use --format hermes, react or text)"
        return refusal(url, response, f": {detail}" if detail else "")

    def _read(self, data: Any, body: Mapping[str, Any], retries: int) -> ChatReply | None:
        """Return the reply in a response, None where there is none."""
        choices = data.get("choices") if isinstance(data, dict) else None
        choice = choices[0] if isinstance(choices, list) and choices else None
        raw = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(raw, dict):
            return None
        try:
            message = self._message(raw, len(body["messages"]))
        except UsageError:
            return None
        usage = data.get("usage")
        prompt = _count(usage, "prompt_tokens", body["messages"])
        completion = _count(usage, "completion_tokens", message)
        cost = self.spending.add(prompt, completion)
        return ChatReply(message, str(choice.get("finish_reason") or "stop"), prompt, completion, cost, retries)

    def _message(self, raw: Mapping[str, Any], turn: int) -> dict[str, Any]:
        """Return a message in one form, whatever the server's. Raises UsageError for content that is no text."""
        content = without_surrogates(content_text(raw.get("content")))
        apart = {name: raw[name] for name in REASONING if isinstance(raw.get(name), str) and raw[name]}
        reasoning = without_surrogates(next(iter(apart.values()), ""))
        if apart:
            self._reasoning_names = tuple(apart)
        elif thinking := _THINKING.match(content):
            reasoning, content = thinking["reasoning"].strip(), thinking["content"]
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if reasoning:
            message["reasoning_content"] = reasoning
        if calls := [_call(call, f"call_{turn}_{i}") for i, call in enumerate(native_calls(raw))]:
            if len({call["id"] for call in calls}) < len(calls):
                calls = [{**call, "id": f"call_{turn}_{i}"} for i, call in enumerate(calls)]
            message["tool_calls"] = calls
        return message

    def _sent_message(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a message as it is sent back: with reasoning under the server's name for it, arguments always JSON."""
        if message["role"] != "assistant":
            return message
        sent = {name: value for name, value in message.items() if name != "reasoning_content"}
        if self._send_reasoning and "reasoning_content" in message:
            sent |= dict.fromkeys(self._reasoning_names, message["reasoning_content"])
        if calls := message.get("tool_calls"):
            sent["content"] = message["content"] or None
            sent["tool_calls"] = [sent_call(call) for call in calls]
        return sent

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _call(call: Any, new_id: str) -> dict[str, Any]:
    """Return a native call with an id and arguments as text. Raises UsageError for what is no call."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise UsageError(f"no tool call: {call!r:.80}")
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    name, call_id = (without_surrogates(str(value or "")) for value in (function.get("name"), call.get("id")))
    function = {"name": name, "arguments": without_surrogates(text)}
    return {"id": call_id or new_id, "type": "function", "function": function}


def _count(usage: Any, name: str, counted: Any) -> int:
    """Return a count of tokens that the server gives, or an estimate."""
    value = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return value
    return tokens(json.dumps(counted, ensure_ascii=False))


def _detail(text: str) -> str:
    """Return what a server's error says, in one line."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = text
    for name in ("error", "message", "detail"):
        data = data.get(name, data) if isinstance(data, dict) else data
    return without_surrogates(" ".join(str(data).split())[:_DETAIL])
