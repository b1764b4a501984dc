"""A language model behind any OpenAI-compatible endpoint: one backend per process, one writer per world and length.

All drafts and tries for one call share one deadline. Failures in a row open a breaker, so that a dead endpoint costs
nothing until one call tries it again.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import httpx2
import openai

from worldsmith.errors import BackendError, UsageError
from worldsmith.pages import Pages
from worldsmith.simulate.llm.answer import parse_draft
from worldsmith.simulate.llm.endpoint import Endpoint, UnfitError, open_client, refusal, retried
from worldsmith.simulate.llm.prompt import VERSION, Prompt, prompt_for
from worldsmith.simulate.protocol import Conversation, Draft, Exchange, Slice

__all__ = ["Backend", "Endpoint", "StoredOnly", "Writer"]

T = TypeVar("T")


class Backend:
    """Asks one endpoint for all worlds of a process, from one event loop: connections, slots and breaker are shared.

    `counts` holds calls, tries, failures and tokens.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        say: Callable[[str], object] = lambda _line: None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """Open no connection yet; `transport` takes the place of the network in tests.

        `say` is called with one line at the first failure and whenever the breaker opens.
        """
        self.endpoint, self._say = endpoint, say
        self._client = open_client(endpoint, transport)
        self._slots = asyncio.Semaphore(endpoint.concurrency)
        self._structured = endpoint.structured
        self._failed = 0
        self._closed_until = 0.0
        self._counts: Counter[str] = Counter()

    @property
    def version(self) -> str:
        """Model, prompt file and settings: part of the key of every stored text."""
        end = self.endpoint
        form = f"{' json' if end.structured else ''}{' prose' if end.prose else ''}"
        return f"{end.model} {VERSION} t={end.temperature:g}{form}"

    def __reduce__(self) -> NoReturn:
        """Raise UsageError: connections stay in the process that opened them."""
        raise UsageError("a language model's connections can't be pickled: make it in each process that asks it")

    @property
    def counts(self) -> Mapping[str, int]:
        """Calls, tries, failures by kind, prompt and completion tokens, milliseconds waited for answers."""
        return MappingProxyType(self._counts)

    def writer(self, pages: Pages) -> "Writer":
        """Return what writes about the world of `pages`."""
        return Writer(self, pages)

    async def ask(self, what: Prompt, read: Callable[[str], T], conversation: Conversation) -> T:
        """Return what `read` makes of the model's answer; each request and its reply are added to `conversation`.

        Raises:
            BackendError: no answer that can be read came before the deadline, or the breaker is open.
        """
        now = asyncio.get_running_loop().time
        if self._failed >= self.endpoint.breaker:
            if now() < self._closed_until:
                self._counts["refused_by_breaker"] += 1
                raise BackendError(f"{self.endpoint.base_url} failed its last calls and is not asked for now")
            self._closed_until = now() + self.endpoint.deadline  # this call tries it, the others wait for its result
        start = now()
        deadline = conversation.begin(start, self.endpoint.deadline)
        self._counts["calls"] += 1
        try:
            async with asyncio.timeout_at(deadline), self._slots:
                answer = await retried(
                    lambda: self._try(what, read, conversation), self.endpoint, conversation.deadline
                )
        except TimeoutError as late:
            self._counts["late"] += 1
            error = BackendError(f"{self.endpoint.base_url} gave no answer in {deadline - conversation.start:g} s")
            self._note(error, now())
            raise error from late
        except BackendError as error:
            self._note(error, now())
            raise
        finally:
            self._counts["milliseconds"] += round(1000 * (now() - start))
        self._failed = 0
        return answer

    def _note(self, error: BackendError, now: float) -> None:
        """Count a failed call; report the first one, and each time that the breaker opens."""
        self._failed += 1
        self._counts["failed"] += 1
        if self._counts["failed"] == 1:
            self._say(f"the model failed, our renderer answers for it: {error}")
        if self._failed >= self.endpoint.breaker:
            self._closed_until = now + self.endpoint.cooldown
            wait = f"is not asked for {self.endpoint.cooldown:g} s"
            self._say(f"the model failed {self._failed} times in a row and {wait}: {error}")

    async def _try(self, what: Prompt, read: Callable[[str], T], conversation: Conversation) -> T:
        if not (self._structured and what.schema):
            return await self._read(what.messages, None, read, conversation)
        try:
            return await self._read(what.structured, what.schema, read, conversation)
        except UnfitError:
            answer = await self._read(what.messages, None, read, conversation)
            self._structured = False  # it accepts the same request without a schema
            self._counts["without_schema"] += 1
            return answer

    async def _read(
        self,
        messages: tuple[dict[str, str], ...],
        schema: Mapping[str, Any] | None,
        read: Callable[[str], T],
        conversation: Conversation,
    ) -> T:
        sent = tuple((message["role"], message["content"]) for message in messages)
        content = ""
        try:
            content = await self._send(messages, schema)
            answer = read(content)
        except BackendError as error:
            conversation.exchanges.append(Exchange(sent, content, str(error)))
            raise
        except asyncio.CancelledError:
            conversation.exchanges.append(Exchange(sent, "", "no answer in time"))
            raise
        conversation.exchanges.append(Exchange(sent, content))
        return answer

    async def _send(self, messages: tuple[dict[str, str], ...], schema: Mapping[str, Any] | None) -> str:
        self._counts["tries"] += 1
        form = {"type": "json_schema", "json_schema": {"name": "results", "schema": schema, "strict": True}}
        more: dict[str, Any] = {"response_format": form} if schema else {}
        try:
            answer = await self._client.chat.completions.create(
                model=self.endpoint.model,
                messages=list(messages),  # type: ignore[arg-type]  # plain dicts of role and content
                temperature=self.endpoint.temperature,
                max_tokens=self.endpoint.max_tokens,
                **more,
            )
        except openai.APIStatusError as error:
            self._counts[f"status_{error.status_code}"] += 1
            raise refusal(self.endpoint.base_url, error.response) from error
        except openai.OpenAIError as error:
            self._counts["unreachable"] += 1
            cause = f" {error.__cause__}" if error.__cause__ else ""
            raise BackendError(f"{self.endpoint.base_url} could not be asked: {error}{cause}") from error
        except (ValueError, RecursionError) as error:
            self._counts["unreadable"] += 1
            raise BackendError(f"{self.endpoint.base_url} answered with broken JSON") from error
        return self._content(answer)

    def _content(self, answer: object) -> str:
        choices = getattr(answer, "choices", None)
        first = choices[0] if isinstance(choices, list) and choices else None
        content = getattr(getattr(first, "message", None), "content", None)
        usage = getattr(answer, "usage", None)
        for name in ("prompt_tokens", "completion_tokens"):
            token_count = getattr(usage, name, None)
            self._counts[name] += token_count if isinstance(token_count, int) else 0
        token_count = getattr(usage, "prompt_tokens", None)
        self._counts["longest_prompt"] = max(
            self._counts["longest_prompt"], token_count if isinstance(token_count, int) else 0
        )
        if getattr(first, "finish_reason", None) == "length":
            self._counts["cut_off"] += 1
        if not isinstance(content, str):
            self._counts["unreadable"] += 1
            raise BackendError(f"{self.endpoint.base_url} answered without a message")
        return content

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes drafts about one world, at one page length: a `WorldModel`."""

    backend: Backend
    pages: Pages

    async def draft(self, slice_: Slice, conversation: Conversation) -> Draft:
        """Write the answer to a slice.

        Raises:
            BackendError: no readable answer came before the deadline, or the breaker is open.
        """
        prose = self.backend.endpoint.prose
        what = prompt_for(
            slice_, self.pages.world, self.pages, conversation.instruction, conversation.reasons, prose=prose
        )
        return await self.backend.ask(what, lambda content: parse_draft(content, slice_.call), conversation)


@dataclass(frozen=True, slots=True)
class StoredOnly:
    """Stands in for a model by its `version`: calls are answered by its stored texts alone."""

    version: str

    def writer(self, pages: Pages) -> "StoredOnly":  # noqa: ARG002 - one protocol for all authors
        """Return itself."""
        return self

    async def draft(self, slice_: Slice, conversation: Conversation) -> Draft:  # noqa: ARG002 - one protocol for all models
        """Raise BackendError."""
        raise BackendError(f"the store has no text of {self.version} for this call, and no model is asked")
