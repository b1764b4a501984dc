"""The endpoint of a language model: settings, connections, refusals, and tries that end.

What asks a model for drafts (`model.Backend`) and what lets one work on tasks (`rollout.ChatModel`) share it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
import openai

from worldsmith.errors import BackendError, UsageError
from worldsmith.simulate.protocol import DEADLINE

T = TypeVar("T")
MOST_BYTES = 8_000_000
"""Bytes of a reply that are read; 32,768 tokens with all their thinking are a fiftieth of it."""
UNFIT = frozenset({400, 415, 422, 501})
"""Statuses with which servers refuse a form of answer that they don't have."""


HINTS: Mapping[int, str] = {
    401: ": it refused the key, which is taken from OPENAI_API_KEY",
    403: ": it refused the key, which is taken from OPENAI_API_KEY",
    404: ": it has no such model, or no chat completions at this URL, which often ends in /v1",
    429: ": too many requests",
}
"""What a status most likely means."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint of a model, and how it is used.

    Attributes:
        deadline: seconds per call at most, all drafts, tries and waits together; a reply to several calls has one too.
        retries: tries after the first of a draft, for timeouts, refused connections, 429 and 5xx, and unreadable
            answers.
        backoff: seconds before the second try, doubled for each one after; longer where Retry-After says so.
        breaker: failed calls in a row after which none is sent for `cooldown` seconds.
        structured: ask for results as JSON by a schema; a server that refuses is asked for text from then on.
        prose: ask for pages in running sentences.
    """

    base_url: str
    model: str
    api_key: str = "EMPTY"
    temperature: float = 0.6
    max_tokens: int = 32768
    deadline: float = DEADLINE
    retries: int = 2
    backoff: float = 0.5
    concurrency: int = 8
    breaker: int = 5
    cooldown: float = 30.0
    structured: bool = True
    prose: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError for a URL that nothing can be asked at, before anything is made."""
        try:
            url = urlsplit(self.base_url)
        except ValueError:  # "http://[::1"
            url = urlsplit("")
        if url.scheme not in {"http", "https"} or not url.netloc:
            raise UsageError(f"model URL {self.base_url!r}: give scheme and host, such as http://127.0.0.1:8001/v1")


def open_client(endpoint: Endpoint, transport: httpx2.AsyncBaseTransport | None = None) -> openai.AsyncOpenAI:
    """Return a client of an endpoint, as many connections as it takes requests; `transport` replaces the network."""
    limits = httpx2.Limits(max_connections=endpoint.concurrency, max_keepalive_connections=endpoint.concurrency)
    return openai.AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key,
        max_retries=0,
        timeout=endpoint.deadline,
        default_headers={"Accept-Encoding": "identity"},
        http_client=httpx2.AsyncClient(
            transport=_BoundedTransport(transport or httpx2.AsyncHTTPTransport(limits=limits)),
            timeout=endpoint.deadline,
        ),
    )


async def retried(attempt: Callable[[], Awaitable[T]], endpoint: Endpoint, deadline: float = inf) -> T:
    """Return what an attempt gives, made again after failures that may pass, as often as the endpoint allows.

    Raises:
        BackendError: the last attempt failed, none may follow before `deadline`, the server asks for a longer wait than
            the endpoint's own deadline, or the refusal would be repeated.
    """
    for number in range(endpoint.retries + 1):
        try:
            return await attempt()
        except FatalError:
            raise
        except BackendError as error:
            if number == endpoint.retries:
                raise
            pause = max(endpoint.backoff * 2**number, getattr(error, "retry_after", 0.0))
            if pause > endpoint.deadline or asyncio.get_running_loop().time() + pause >= deadline:
                raise
        await asyncio.sleep(pause)
    raise AssertionError


class FatalError(BackendError):
    """A refusal that would be repeated."""


class UnfitError(FatalError):
    """A refusal of what was asked: of its form, maybe."""


class BusyError(BackendError):
    """A temporary refusal."""

    def __init__(self, text: str, retry_after: float) -> None:
        super().__init__(text)
        self.retry_after = retry_after


def refusal(url: str, response: httpx2.Response, detail: str = "") -> BackendError:
    """Return the error for an HTTP status; its body may be anything, and only what `detail` takes of it is repeated."""
    status = response.status_code
    text = f"{url} answered {status}{HINTS.get(status, '')}{detail}"
    if status in UNFIT:
        return UnfitError(text)
    if status != 429 and status < 500:
        return FatalError(text)
    retry_after = response.headers.get("retry-after", "")
    return BusyError(
        text, float(retry_after) if retry_after.isascii() and retry_after.isdecimal() and len(retry_after) < 9 else 0.0
    )


class _BoundedTransport(httpx2.AsyncBaseTransport):
    """A transport whose replies end in an error after `MOST_BYTES`. Packed ones, which may hide more, are refused."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request."""
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise httpx2.DecodingError("the reply is packed, which was not asked for", request=request)
        response.stream = _BoundedStream(response.stream, request)
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: Any, request: httpx2.Request) -> None:
        self._inner, self._request = inner, request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > MOST_BYTES:
                raise httpx2.ReadError(f"the reply is longer than {MOST_BYTES} bytes", request=self._request)
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
