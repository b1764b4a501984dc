"""The search engine of episodes behind a server (`worldsmith serve`): replies with the evidence that it sends along."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from time import sleep
from typing import Any, Final

import httpx2

from worldsmith.errors import BackendError
from worldsmith.pages import Pages
from worldsmith.pages.types import Doc, Page, Status
from worldsmith.simulate.http_status import STATUS
from worldsmith.simulate.protocol import Address, Call, Observation, Result

EVIDENCE: Final = "X-Worldsmith-Evidence"
TRIES: Final = 4
"""Attempts at a request that no server answers, or that a proxy refuses."""
WAIT: Final = 0.5
"""Seconds before the second attempt, doubled for each one after."""
_STATUS_BY_CODE: Final[Mapping[int, Status]] = {code: status for status, (code, _) in STATUS.items() if code != 404}


class SearchServer:
    """Connections to one server, shared by the episodes of all its worlds; safe to use from several threads."""

    def __init__(
        self,
        base_url: str,
        *,
        connections: int = 32,
        timeout: float = 60.0,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """Open no connection yet; `transport` takes the place of the network in tests."""
        self.base_url, self._connections, self._timeout = base_url.rstrip("/"), connections, timeout
        self._transport = transport
        self._open()

    def _open(self) -> None:
        limits = httpx2.Limits(max_connections=self._connections, max_keepalive_connections=self._connections)
        transport = self._transport or httpx2.HTTPTransport(limits=limits)
        self._client = httpx2.Client(base_url=self.base_url, timeout=self._timeout, transport=transport)
        self.threads = ThreadPoolExecutor(self._connections, "search")

    def __getstate__(self) -> dict[str, Any]:
        """Leave out connections and threads."""
        return {name: value for name, value in vars(self).items() if name not in {"_client", "threads"}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state, with connections and threads of its own."""
        vars(self).update(state)
        self._open()

    def post(self, path: str, body: Mapping[str, Any]) -> httpx2.Response:
        """Return what the server itself answers, errors included.

        Raises BackendError where it can't be reached, or a proxy answers in its place.
        """
        why = ""
        for attempt in range(TRIES):
            if attempt:
                sleep(WAIT * 2 ** (attempt - 1))
            try:
                response = self._client.post(path, json=body)
                reply = response.json()
            except (httpx2.HTTPError, ValueError) as error:
                why = f"{type(error).__name__}: {error}"
                continue
            if isinstance(reply, dict) and (response.status_code == 200 or isinstance(reply.get("error"), str)):
                return response
            why = f"{response.status_code}, which is no answer of worldsmith serve"
        raise BackendError(f"{self.base_url}{path}: {why}")

    def close(self) -> None:
        """Close the connections."""
        self.threads.shutdown()
        self._client.close()


@dataclass(frozen=True, slots=True)
class ServedSimulator:
    """One world or pool of a server, as a `SearchEngine`.

    What a reply discloses is known by the server's hashes; `pages`, where they are given, say which page a URL is.
    A server counts attempts itself, by session.
    """

    server: SearchServer
    id: str
    pages: Pages | None = None

    def call(self, address: Address, call: Call, attempt: int = 0) -> Observation:  # noqa: ARG002 - of the protocol
        """Answer a call. Raises BackendError where the server can't be reached or doesn't have the world."""
        spec = "".join(
            f";{name}={value}" for name in ("profile", "seed", "session") if (value := getattr(address, name))
        )
        base = f"/w/{self.id}{spec}/api/"
        if call.tool == "web_search":
            path, body = base + "search", {"query": call.arg, "page": call.page, "k": call.k}
        else:
            part = {} if call.max_chars is None else {"max_chars": call.max_chars}
            path, body = base + "extract", {"url": call.arg, "offset": call.offset, **part}
        response = self.server.post(path, body)
        if response.status_code != 200:
            return self._failure(call, response)
        reply, hashes = response.json(), response.headers.get(EVIDENCE, "").replace(",", " ").split()
        if call.tool == "web_search":
            results = tuple(Result(**result) for result in reply["results"])
            return Observation("ok", results, more=reply["more"], disclosed_hashes=tuple(hashes))
        return Observation(
            "ok",
            doc=Doc(reply["url"], reply["title"], reply["date"], ()),
            text=reply["text"],
            next_offset=reply["next_offset"],
            more=reply["more"],
            page=self._page(call.arg),
            disclosed_hashes=tuple(hashes),
        )

    async def acall(self, address: Address, call: Call, attempt: int = 0) -> Observation:
        """Answer a call while others wait."""
        answer = partial(self.call, address, call, attempt)
        return await asyncio.get_running_loop().run_in_executor(self.server.threads, answer)

    def _page(self, url: str) -> Page | None:
        name = self.pages.by_url(url) if self.pages else None
        return self.pages.page(name) if self.pages and name else None

    def _failure(self, call: Call, response: httpx2.Response) -> Observation:
        code, text = response.status_code, response.json()["error"]
        if code == 404 and call.tool == "web_extractor" and text.startswith(f"{call.arg[:200]}: "):
            return Observation("not_found")
        if code == 400:
            return Observation("invalid", text=text)
        if code not in _STATUS_BY_CODE:
            raise BackendError(f"{self.server.base_url}: {code} {text}")
        status = _STATUS_BY_CODE[code]
        return Observation(status, fault="" if status == "unavailable" else status)
