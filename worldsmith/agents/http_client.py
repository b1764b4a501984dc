"""The tools of a served world, for agents."""

from collections.abc import Callable, Mapping
from time import sleep as wait
from typing import Any, Final, cast

import httpx2

from worldsmith.agents.client import Reply, window
from worldsmith.agents.search_server import SearchServer, lacks_page
from worldsmith.errors import BackendError

FINAL: Final = frozenset({200, 400, 404, 405})
"""Statuses of a server's answers that no other attempt would change."""


class HttpClient:
    """The tools of a served world: POST {base}/api/search and {base}/api/extract.

    What fails for a transient reason is tried again after the time that Retry-After names, in seconds. The server can
    tell another attempt from the first only where `base_url` names a session.
    """

    def __init__(
        self,
        base_url: str,
        *,
        timeout: float = 60.0,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = wait,
        trace: Callable[[Mapping[str, Any], Reply], None] | None = None,
    ) -> None:
        """Connect to `base_url`, with the world's /w/<world> prefix where the server has many.

        `trace` gets each call and its reply, as the agent has them.
        """
        self._server = SearchServer(base_url, connections=1, timeout=timeout, transport=transport, sleep=sleep)
        self._trace = trace or (lambda _call, _reply: None)
        self.retries = 0
        self.goes_on: int | None = None

    def search(self, query: str, k: int = 10, page: int = 1) -> Reply:
        """Return a page of `k` results; BackendError where the server fails."""
        reply = self._post("/api/search", {"query": query, "k": k, "page": page})
        self._trace({"tool": "web_search", "arg": query, "page": page, "k": k}, reply)
        return reply

    def extract(self, url: str, offset: int = 0, max_chars: int | None = None) -> str:
        """Return the text of a page; BackendError where the server fails."""
        part = {} if max_chars is None else {"max_chars": max_chars}
        reply = self._post("/api/extract", {"url": url, "offset": offset, **part}, page=url)
        self.goes_on = reply.get("next_offset")
        text = str(reply["text"])
        self._trace({"tool": "web_extractor", "arg": url, **window(offset, max_chars)}, {"text": text})
        return text

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _post(self, path: str, body: Mapping[str, Any], page: str = "") -> Reply:
        """Return the reply; an empty text for a `page` that the server doesn't have."""
        response, tries = self._server.post(path, body, lambda response: response.status_code in FINAL)
        self.retries += tries - 1
        if response.status_code == 200:
            return cast("Reply", response.json())
        if page and lacks_page(response, page):
            return {"text": ""}
        raise BackendError(f"{self._server.base_url}{path}: {response.status_code} {response.json()['error'][:200]}")
