"""The tools of a served world, for agents."""

from collections.abc import Callable, Mapping
from time import sleep as wait
from typing import Any, Final

from worldsmith.agents.client import Reply, window
from worldsmith.episode.call import Call
from worldsmith.episode.search_server import SearchServer, Send, post_json, request_of
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
        send: Send = post_json,
        sleep: Callable[[float], None] = wait,
        trace: Callable[[Mapping[str, Any], Reply], None] | None = None,
    ) -> None:
        """Connect to `base_url`, with the world's /w/<world> prefix where the server has many.

        `trace` gets each call and its reply, as the agent has them.
        """
        self._server = SearchServer(base_url, send=send, sleep=sleep)
        self._trace = trace or (lambda _call, _reply: None)
        self.retries = 0
        self.goes_on: int | None = None

    def search(self, query: str, k: int = 10, page: int = 1) -> Reply:
        """Return a page of `k` results; BackendError where the server fails."""
        reply = self._answer(Call("web_search", query, page, k))
        self._trace({"tool": "web_search", "arg": query, "page": page, "k": k}, reply)
        return reply

    def extract(self, url: str, offset: int = 0, max_chars: int | None = None) -> str:
        """Return the text of a page; BackendError where the server fails."""
        reply = self._answer(Call("web_extractor", url, offset=offset, max_chars=max_chars))
        self.goes_on = reply.get("next_offset")
        text = str(reply["text"])
        self._trace({"tool": "web_extractor", "arg": url, **window(offset, max_chars)}, {"text": text})
        return text

    def _answer(self, call: Call) -> Reply:
        """Return the reply; an empty text for a page that the server doesn't have."""
        path, body = request_of(call)
        reply = self._server.post(path, body, lambda reply: reply.status in FINAL)
        self.retries += reply.tries - 1
        if reply.status == 200:
            return reply.body
        if call.tool == "web_extractor" and reply.lacks_page(call.arg):
            return {"text": ""}
        raise BackendError(f"{self._server.base_url}{path}: {reply.status} {reply.body['error'][:200]}")
