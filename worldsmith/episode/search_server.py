"""The tools of an episode over HTTP, by `worldsmith serve`, with the standard library's client."""

import asyncio
import http.client
import json
import os
import secrets
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from typing import Any, Final
from urllib.parse import urlsplit

from ..errors import BackendError
from .call import Call
from .episode import Reply, SearchTools
from .tools import page_text, search_text

EVIDENCE: Final = "X-Worldsmith-Evidence"
TRIES: Final = 6
"""Attempts at a request that the server itself didn't answer."""
WAIT, LONGEST_WAIT = 0.25, 10.0
"""Seconds before the second attempt, doubled each time, and the most waited."""
TIMEOUT: Final = 60.0
"""Seconds that a server may take for a reply."""
THREADS: Final = 64
"""Calls that wait for a server at a time."""
BASE_URL, WORLDS, KEY = "WORLDSMITH_BASE_URL", "WORLDSMITH_WORLDS", "WORLDSMITH_API_KEY"
"""Environment variables: another server than the rows name; a folder of worlds to open in process in place of any; the
key that the server asks for."""
KEY_HEADER: Final = "X-Worldsmith-Key"
KEY_MISSING: Final = "this server asks for its key"
"""How an error begins where the key is missing or another."""

_local = threading.local()


def open_tools(base_url: str, session: str = "") -> SearchTools:
    """Return the tools at a row's base URL, `<server>/w/<world or pool>;profile=…;seed=…`.

    The environment variable `BASE_URL` names another server. `WORLDS` names a folder: its worlds are opened in this
    process, by the installed package, with the same replies and no server. `session` names the counter of attempts;
    without one the episode has its own.
    """
    session = session or secrets.token_hex(8)
    server, _, address = base_url.partition("/w/")
    if folder := os.environ.get(WORLDS):
        # Of the installed package, where this is a copy: most trainers don't have it.
        tools: SearchTools = import_module("worldsmith.train.simulator_tools").local_tools(folder, address)
        return tools
    server = os.environ.get(BASE_URL) or server
    return ServedTools(f"{server.rstrip('/')}/w/{address};session={session}")


class ServedTools:
    """The tools of a served world or pool; safe to use from several threads."""

    def __init__(self, base_url: str) -> None:
        """Open no connection yet; `base_url` is that of a world, `<server>/w/<world>;…`."""
        self.base_url = base_url

    def call(self, call: Call, attempt: int = 0) -> Reply:  # noqa: ARG002 - the server counts attempts by session
        """Answer a call; one that no server answers is a reply with `unavailable`."""
        if call.tool == "web_search":
            route, body = "/api/search", {"query": call.arg, "page": call.page, "k": call.k}
        else:
            part = {} if call.max_chars is None else {"max_chars": call.max_chars}
            route, body = "/api/extract", {"url": call.arg, "offset": call.offset, **part}
        try:
            status, reply, evidence = _post(self.base_url + route, body)
        except BackendError as error:
            return Reply(f"Error: {error}", unavailable=True)
        if status != 200 or "error" in reply:  # a server may be told to send failures with status 200
            text = str(reply["error"])
            page = f"{call.arg[:200]}: "
            is_page = call.tool == "web_extractor" and text.startswith(page)
            # No answer to this agent's call at all: of a world that isn't there, or without the server's key.
            unanswered = status == 503 or (status == 404 and not is_page) or text.startswith(KEY_MISSING)
            fault = not unanswered and status not in {400, 404}
            return Reply(f"Error: {text.removeprefix(page)}", fault=fault, unavailable=unanswered)
        disclosed = None if evidence is None else evidence.replace(",", " ").split()
        if call.tool == "web_search":
            return Reply(search_text(reply), disclosed)
        return Reply(page_text(reply["text"], reply["next_offset"]), disclosed, opened=True)

    async def acall(self, call: Call, attempt: int = 0) -> Reply:
        """Answer a call while others wait."""
        return await asyncio.get_running_loop().run_in_executor(_threads(), self.call, call, attempt)


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, "search")


def _forget_parent() -> None:
    """Drop what a process has of the one it was forked from: its connections, and threads that don't run here."""
    _local.__dict__.clear()
    _threads.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)


def _post(url: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any], str | None]:
    """Return status, JSON and evidence header of the server's own answer. Raises BackendError where none comes."""
    data, why = json.dumps(body).encode(), ""
    for attempt in range(TRIES):
        if attempt > 1:  # the first failure may be of a connection that the server had closed meanwhile
            time.sleep(min(WAIT * 2 ** (attempt - 2), LONGEST_WAIT))
        try:
            status, headers, content = _request(url, data)
            reply = json.loads(content)
        except (OSError, http.client.HTTPException, ValueError) as error:
            _local.connections = {}
            why = f"{type(error).__name__}: {error}"
            continue
        if isinstance(reply, dict) and (status == 200 or isinstance(reply.get("error"), str)):
            return status, reply, headers.get(EVIDENCE)
        why = f"{status} is no answer of worldsmith serve"
    raise BackendError(f"{url.partition('/w/')[0]} did not answer: {why}")


def _request(url: str, data: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
    """Make one request over this thread's connection to the server. A proxy of the environment is never asked."""
    parts = urlsplit(url)
    connections: dict[tuple[str, str], http.client.HTTPConnection] = _local.__dict__.setdefault("connections", {})
    connection = connections.get((parts.scheme, parts.netloc))
    if connection is None:
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = connections[parts.scheme, parts.netloc] = kind(parts.netloc, timeout=TIMEOUT)
    key = os.environ.get(KEY)
    headers = {"Content-Type": "application/json", **({KEY_HEADER: key} if key else {})}
    connection.request("POST", parts.path, data, headers)
    response = connection.getresponse()
    return response.status, response.headers, response.read()
