"""Connections to a server of worlds (`worldsmith serve`), and what its answers are."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from time import sleep as wait
from typing import Any, Final

import httpx2

from worldsmith.episode.search_server import KEY, KEY_HEADER
from worldsmith.errors import BackendError

TRIES: Final = 8
"""Attempts at a request; where a fifth of them fails, one in 400,000 is lost."""
WAIT, LONGEST_WAIT = 0.1, 10.0
"""Seconds before the second attempt, doubled each time where the server names none; and the most waited."""


class SearchServer:
    """Connections to one server, shared by all that asks it; safe to use from several threads."""

    def __init__(
        self,
        base_url: str,
        *,
        connections: int = 32,
        timeout: float = 60.0,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = wait,
    ) -> None:
        """Open no connection yet; `transport` takes the place of the network in tests, `sleep` that of waiting."""
        self.base_url, self._connections, self._timeout = base_url.rstrip("/"), connections, timeout
        self._transport, self._sleep = transport, sleep
        self._open()

    def _open(self) -> None:
        limits = httpx2.Limits(max_connections=self._connections, max_keepalive_connections=self._connections)
        transport = self._transport or httpx2.HTTPTransport(limits=limits)
        key = os.environ.get(KEY)
        self._client = httpx2.Client(
            base_url=self.base_url,
            timeout=self._timeout,
            transport=transport,
            headers={KEY_HEADER: key} if key else {},
        )
        self.threads = ThreadPoolExecutor(self._connections, "search")

    def __getstate__(self) -> dict[str, Any]:
        """Leave out connections and threads."""
        return {name: value for name, value in vars(self).items() if name not in {"_client", "threads"}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state, with connections and threads of its own."""
        vars(self).update(state)
        self._open()

    def post(
        self, path: str, body: Mapping[str, Any], is_final: Callable[[httpx2.Response], bool] = lambda _: True
    ) -> tuple[httpx2.Response, int]:
        """Return what the server itself answers, errors included, and the attempts it took.

        An answer that is not final is asked for again, after the time that its Retry-After names, in seconds.

        Raises BackendError where no final answer came: the server can't be reached, or something before it answers.
        """
        why = ""
        for attempt in range(TRIES):
            pause = WAIT * 2**attempt
            try:
                response = self._client.post(path, json=body)
                reply = response.json()
            except (httpx2.HTTPError, ValueError) as error:
                why = f"{type(error).__name__}: {error}"
            else:
                message = reply.get("error") if isinstance(reply, dict) else None
                is_own = isinstance(reply, dict) and (response.status_code == 200 or isinstance(message, str))
                if is_own and is_final(response):
                    return response, attempt + 1
                reason = message if is_own and message else "is no answer of worldsmith serve"
                why = f"{response.status_code} {reason[:200]}"
                pause = _seconds(response.headers.get("retry-after", "")) or pause
            if attempt < TRIES - 1:
                self._sleep(min(pause, LONGEST_WAIT))
        raise BackendError(f"{self.base_url}{path}: {why}")

    def close(self) -> None:
        """Close the connections."""
        self.threads.shutdown()
        self._client.close()


def lacks_page(response: httpx2.Response, url: str) -> bool:
    """Whether a server says of a page, by its URL, that it isn't there; it may lack the world instead."""
    return response.status_code == 404 and str(response.json()["error"]).startswith(f"{url[:200]}: ")


def _seconds(text: str) -> float | None:
    """Return the seconds of a Retry-After header; None for a date, which only a clock could read."""
    return float(text) if text.isascii() and text.isdecimal() else None
