"""A transport whose replies end with an error after a number of bytes, so that no server fills our memory."""

from collections.abc import AsyncIterator
from typing import Any, Final

import httpx2

MOST_BYTES: Final = 8_000_000
"""Bytes of a reply that are read; 32,768 tokens with all their thinking are a fiftieth of it."""


class Bounded(httpx2.AsyncBaseTransport):
    """A transport whose replies end in an error after `MOST_BYTES`. Packed ones, which may hide more, are refused."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request."""
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise httpx2.DecodingError("the reply is packed, which was not asked for", request=request)
        response.stream = _Bounded(response.stream, request)
        return response

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class _Bounded(httpx2.AsyncByteStream):
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
