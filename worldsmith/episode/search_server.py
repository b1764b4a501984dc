"""A server of worlds (`worldsmith serve`) as its clients see it, with the standard library alone."""

import asyncio
import http.client
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from ..errors import BackendError
from .call import Call
from .episode import Reply, SearchTools
from .tools import page_text, search_text

EVIDENCE: Final = "X-Worldsmith-Evidence"
"""Header of the cells that a reply discloses, as hashes, for whoever computes a reward: agents don't see it."""
STATUS: Final = "X-Worldsmith-Status"
"""Header of a failure's own status, where a server sends failures with status 200."""
KEY_HEADER: Final = "X-Worldsmith-Key"
"""Header of the server's key, for requests whose API key names a world."""
BASE_URL, WORLDS, KEY = "WORLDSMITH_BASE_URL", "WORLDSMITH_WORLDS", "WORLDSMITH_API_KEY"
"""Environment variables: another server than the rows name; a folder of worlds to open in process in place of any; the
key that the server asks for."""
TRIES: Final = 8
"""Attempts at a request; where a fifth of them fails, one in 400,000 is lost."""
WAIT, LONGEST_WAIT = 0.1, 10.0
"""Seconds before the second attempt, doubled each time where the server names none; and the most waited."""
TIMEOUT: Final = 60.0
"""Seconds that a server may take for a reply."""
THREADS: Final = 64
"""Calls that wait for servers at a time."""

_local = threading.local()


class Headers(Protocol):
    """Headers of a response by name, in any case of letters."""

    def get(self, name: str, /) -> str | None:
        """Return a header; None where there is none."""
        ...


Send = Callable[[str, bytes, Mapping[str, str]], tuple[int, Headers, bytes]]
"""Posts (URL, body, headers) and returns status, headers and body of the response.

Raises OSError or http.client.HTTPException.
"""


class ServerReply(NamedTuple):
    """What the server itself answered, an error too, and the attempts it took."""

    status: int
    headers: Headers
    body: Mapping[str, Any]
    tries: int

    def lacks_page(self, url: str) -> bool:
        """Whether it says of a page, by its URL, that it isn't there; it may lack the world instead."""
        return self.status == 404 and str(self.body["error"]).startswith(f"{url[:200]}: ")

    @property
    def disclosed(self) -> list[str] | None:
        """The hashes that it is sent with; None where they would have been too long for a header."""
        evidence = self.headers.get(EVIDENCE)
        return None if evidence is None else evidence.replace(",", " ").split()


def request_of(call: Call) -> tuple[str, dict[str, Any]]:
    """Return route and body of a call."""
    if call.tool == "web_search":
        return "/api/search", {"query": call.arg, "page": call.page, "k": call.k}
    part = {} if call.max_chars is None else {"max_chars": call.max_chars}
    return "/api/extract", {"url": call.arg, "offset": call.offset, **part}


def post_json(url: str, data: bytes, headers: Mapping[str, str]) -> tuple[int, Headers, bytes]:
    """Make a request over this thread's connection to the server. A proxy of the environment is never asked."""
    parts = urlsplit(url)
    connections: dict[tuple[str, str], http.client.HTTPConnection] = _local.__dict__.setdefault("connections", {})
    server = (parts.scheme, parts.netloc)
    while True:
        kept = connections.pop(server, None)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kept or kind(parts.netloc, timeout=TIMEOUT)
        try:
            connection.request("POST", parts.path, data, dict(headers))
            response = connection.getresponse()
            content = response.read()
        except (ConnectionError, http.client.RemoteDisconnected):
            connection.close()
            if kept:  # the server had closed it meanwhile
                continue
            raise
        connections[server] = connection
        return response.status, response.headers, content


class SearchServer:
    """A server of worlds, shared by all that asks it: safe to use from several threads, and pickled without any."""

    def __init__(
        self,
        base_url: str,
        *,
        connections: int = THREADS,
        send: Send = post_json,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Open no connection yet.

        `connections` bounds the calls that wait at a time; `send` takes the place of the network in tests, `sleep` that
        of waiting.
        """
        self.base_url, self._connections, self._send, self._sleep = base_url.rstrip("/"), connections, send, sleep

    @property
    def threads(self) -> ThreadPoolExecutor:
        """The threads in which calls wait; this process has them in common for all servers of as many connections."""
        return _threads(self._connections)

    def post(
        self, path: str, body: Mapping[str, Any], is_final: Callable[[ServerReply], bool] = lambda _: True
    ) -> ServerReply:
        """Return what the server itself answers.

        An answer that is not final is asked for again, after the time that its Retry-After names, in seconds.

        Raises BackendError where no final answer came: the server can't be reached, something before it answers, or it
        asks for another key.
        """
        key = os.environ.get(KEY)
        headers = {"Content-Type": "application/json", **({KEY_HEADER: key} if key else {})}
        data, url, why = json.dumps(body).encode(), self.base_url + path, ""
        for attempt in range(TRIES):
            pause = WAIT * 2**attempt
            try:
                status, received, content = self._send(url, data, headers)
                value = json.loads(content)
            except (OSError, http.client.HTTPException, ValueError) as error:
                why = f"{type(error).__name__}: {error}"
            else:
                status = int(received.get(STATUS) or status)
                message = value.get("error") if isinstance(value, dict) else None
                is_own = isinstance(value, dict) and (status == 200 or isinstance(message, str))
                reply = ServerReply(status, received, value, attempt + 1)
                why = f"{status} {message[:200] if is_own and message else 'is no answer of worldsmith serve'}"
                if status == 401 and received.get("WWW-Authenticate"):
                    raise BackendError(f"{url}: {why}; the environment variable {KEY} is for it")
                if is_own and is_final(reply):
                    return reply
                pause = _seconds(received.get("Retry-After") or "") or pause
            if attempt < TRIES - 1:
                self._sleep(min(pause, LONGEST_WAIT))
        raise BackendError(f"{url}: {why}")


@cache
def _threads(most: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(most, "search")


def _forget_parent() -> None:
    """Drop what a process has of the one it was forked from: its connections, and threads that don't run here."""
    _local.__dict__.clear()
    _threads.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)


def _seconds(text: str) -> float | None:
    """Return the seconds of a Retry-After header; None for a date, which only a clock could read."""
    return float(text) if text.isascii() and text.isdecimal() else None


class ServedTools:
    """The tools of an episode at an address of a server, `<world or pool>;profile=…;seed=…;session=…`."""

    def __init__(self, server: SearchServer, address: str) -> None:
        """Take the server, and the address, whose session names the counter of attempts."""
        self.server, self.address = server, address

    def call(self, call: Call, attempt: int = 0) -> Reply:  # noqa: ARG002 - the server counts attempts by session
        """Answer a call; one that no server answers, or none that has the world, is a reply with `unavailable`."""
        route, body = request_of(call)
        try:
            reply = self.server.post(f"/w/{self.address}{route}", body)
        except BackendError as error:
            return Reply(f"Error: {error}", unavailable=True)
        if reply.status != 200:
            text, lacks_page = str(reply.body["error"]), reply.lacks_page(call.arg)
            unanswered = reply.status == 503 or (reply.status == 404 and not lacks_page)
            fault = not unanswered and reply.status not in {400, 404}
            shown = text.removeprefix(f"{call.arg[:200]}: ") if lacks_page else text
            return Reply(f"Error: {shown}", fault=fault, unavailable=unanswered)
        if call.tool == "web_search":
            return Reply(search_text(reply.body), reply.disclosed)
        return Reply(page_text(reply.body["text"], reply.body["next_offset"]), reply.disclosed, opened=True)

    async def acall(self, call: Call, attempt: int = 0) -> Reply:
        """Answer a call while others wait."""
        return await asyncio.get_running_loop().run_in_executor(self.server.threads, self.call, call, attempt)


def open_tools(base_url: str, session: str = "") -> SearchTools:
    """Return the tools at a row's base URL, `<server>/w/<world or pool>;profile=…;seed=…`.

    The environment variable `BASE_URL` names another server. `WORLDS` names a folder: its worlds are opened in this
    process, by the installed package, with the same replies and no server. `session` names the counter of attempts;
    without one the episode has its own.
    """
    server, _, address = base_url.partition("/w/")
    if folder := os.environ.get(WORLDS):
        # Of the installed package, where this is a copy: most trainers don't have it.
        tools: SearchTools = import_module("worldsmith.train.simulator_tools").local_tools(folder, address)
        return tools
    session = session or secrets.token_hex(8)
    return ServedTools(SearchServer(os.environ.get(BASE_URL) or server), f"{address};session={session}")
