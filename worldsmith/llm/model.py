"""A language model behind any OpenAI-compatible endpoint: one backend a process, a writer for each world's pages.

Each call keeps one deadline over all its tries; failures in a row open a breaker, so that a dead endpoint
costs nothing until it is tried again.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import httpx2
import openai

from worldsmith.errors import BackendError
from worldsmith.llm.answer import draft
from worldsmith.llm.prompt import VERSION, Message, messages
from worldsmith.pages import Pages
from worldsmith.slices import Call, Draft, Slice


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked, and how.

    Attributes:
        deadline: seconds a call at most, tries and waits together.
        retries: tries after the first, for timeouts, refused connections, 429 and 5xx, and unreadable answers.
        backoff: seconds before the second try, doubled for each one after.
        breaker: failed calls in a row after which none is sent for `cooldown` seconds.
    """

    base_url: str
    model: str
    api_key: str = "EMPTY"
    temperature: float = 0.6
    max_tokens: int = 32768
    deadline: float = 120.0
    retries: int = 2
    backoff: float = 0.5
    concurrency: int = 8
    breaker: int = 5
    cooldown: float = 30.0


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
        """Stand ready; `transport` takes the place of the network in tests.

        `say` is told in a line of the first failure, and whenever the breaker opens.
        """
        self.endpoint, self._say = endpoint, say
        self._client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key,
            max_retries=0,
            timeout=endpoint.deadline,
            http_client=httpx2.AsyncClient(transport=transport, timeout=endpoint.deadline),
        )
        self._slots = asyncio.Semaphore(endpoint.concurrency)
        self._failed = 0
        self._closed_until = 0.0
        self._counts: Counter[str] = Counter()

    @property
    def version(self) -> str:
        """Model, prompt file and temperature: part of the key of every stored text."""
        return f"{self.endpoint.model} {VERSION} t={self.endpoint.temperature:g}"

    @property
    def counts(self) -> Mapping[str, int]:
        """Calls, tries, failures by kind, prompt and completion tokens."""
        return MappingProxyType(self._counts)

    def writer(self, pages: Pages) -> "Writer":
        """Return what writes about the world of `pages`."""
        return Writer(self, pages)

    async def ask(self, asked: list[Message], call: Call) -> Draft:
        """Return the draft that the model answers chat messages about a call with.

        Raises:
            BackendError: no readable answer came before the deadline, or the breaker is open.
        """
        now = asyncio.get_running_loop().time
        if now() < self._closed_until:
            self._counts["refused_by_breaker"] += 1
            raise BackendError(
                f"{self.endpoint.base_url} failed {self._failed} times in a row and is not asked for now"
            )
        self._counts["calls"] += 1
        try:
            async with asyncio.timeout(self.endpoint.deadline), self._slots:
                found = await self._tries(asked, call)
        except TimeoutError as late:
            error = BackendError(f"{self.endpoint.base_url} gave no answer in {self.endpoint.deadline:g} s")
            self._note(error, now())
            raise error from late
        except BackendError as error:
            self._note(error, now())
            raise
        self._failed = 0
        return found

    def _note(self, error: BackendError, now: float) -> None:
        """Count a failed call; say so the first time, and each time that the breaker opens."""
        self._failed += 1
        self._counts["failed"] += 1
        if self._counts["failed"] == 1:
            self._say(f"the model failed, our renderer answers for it: {error}")
        if self._failed >= self.endpoint.breaker:
            self._closed_until = now + self.endpoint.cooldown
            wait = f"is not asked for {self.endpoint.cooldown:g} s"
            self._say(f"the model failed {self._failed} times in a row and {wait}: {error}")

    async def _tries(self, asked: list[Message], call: Call) -> Draft:
        for attempt in range(self.endpoint.retries + 1):
            try:
                return draft(await self._ask(asked), call)
            except _FatalError:
                raise
            except BackendError:
                if attempt == self.endpoint.retries:
                    raise
            await asyncio.sleep(self.endpoint.backoff * 2**attempt)
        raise AssertionError

    async def _ask(self, asked: list[Message]) -> str:
        self._counts["tries"] += 1
        try:
            answer = await self._client.chat.completions.create(
                model=self.endpoint.model,
                messages=asked,  # type: ignore[arg-type]  # plain dicts of role and content
                temperature=self.endpoint.temperature,
                max_tokens=self.endpoint.max_tokens,
            )
        except openai.APIStatusError as error:
            self._counts[f"status_{error.status_code}"] += 1
            kind = BackendError if error.status_code == 429 or error.status_code >= 500 else _FatalError
            raise kind(f"{self.endpoint.base_url} answered {error.status_code}") from error
        except openai.OpenAIError as error:
            self._counts["unreachable"] += 1
            raise BackendError(f"{self.endpoint.base_url} could not be asked: {error}") from error
        except ValueError as error:
            self._counts["unreadable"] += 1
            raise BackendError(f"{self.endpoint.base_url} answered with broken JSON") from error
        return self._content(answer)

    def _content(self, answer: object) -> str:
        choices = getattr(answer, "choices", None)
        content = choices[0].message.content if choices and choices[0].message else None
        usage = getattr(answer, "usage", None)
        if usage is not None:
            self._counts["prompt_tokens"] += usage.prompt_tokens or 0
            self._counts["completion_tokens"] += usage.completion_tokens or 0
        if not isinstance(content, str) or not content.strip():
            self._counts["empty"] += 1
            raise BackendError(f"{self.endpoint.base_url} answered without content")
        return content

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes drafts about one world, at one page length: a `WorldModel`."""

    backend: Backend
    pages: Pages

    async def draft(self, part: Slice, reasons: tuple[str, ...] = ()) -> Draft:
        """Write the answer to a slice.

        Raises:
            BackendError: no readable answer came before the deadline, or the breaker is open.
        """
        return await self.backend.ask(messages(part, self.pages.world, self.pages, reasons), part.call)


class _FatalError(BackendError):
    """A refusal that another try would not mend."""
