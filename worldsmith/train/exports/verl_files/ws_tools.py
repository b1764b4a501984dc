"""The tools web_search and web_extractor for verl's tool agent loop, over a running `worldsmith serve`.

Where they look comes from each row (extra_info.tools_kwargs.<tool>.create_kwargs: world, base_url); the environment
variable WORLDSMITH_BASE_URL overrides the latter. An agent always gets text back: a call that failed is
reported as "Error: ...". How many calls an episode made, and how many got no answer for want of a server, is counted in
agent_data.extra_fields["worldsmith"], where the reward function finds it; the messages of the episode are in
extra_fields["worldsmith_messages"], so that it can separate the agent's words from tool replies, and hashes of the
cells that replies disclosed, which no agent sees, in extra_fields["worldsmith_evidence"].
"""

import asyncio
import http.client
import itertools
import json
import os
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from verl.tools.base_tool import BaseTool  # type: ignore[import-not-found, unused-ignore]
from verl.tools.schemas import ToolResponse  # type: ignore[import-not-found, unused-ignore]

DEADLINE = 60.0  # seconds for one call with all its attempts
TIMEOUT = 20.0  # seconds for one attempt
ATTEMPTS = 4
LONGEST_WAIT = 5.0  # seconds before the next attempt, whatever Retry-After says
PAGE_CHARS = 12000  # characters of a page at a time: less than max_tool_response_length in run.sh

# The server is inside your network: proxies of the environment are for the rest of the world.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_POOL = ThreadPoolExecutor(int(os.environ.get("WORLDSMITH_THREADS", "64")), thread_name_prefix="worldsmith")


class NoAnswerError(Exception):
    """The server could not be reached, or reported that it can't serve; not the agent's fault."""


class WrongCallError(Exception):
    """The server rejected the call; the text is its reason."""


def post(base_url: str, world: str, path: str, body: Mapping[str, Any], session: str = "") -> tuple[Any, list[str]]:
    """Return the server's JSON reply and the cells that it discloses; try again, for a bounded time, where that helps.

    Raises NoAnswerError or WrongCallError.
    """
    request = urllib.request.Request(  # noqa: S310 - the scheme is that of the row or the environment
        f"{base_url.rstrip('/')}/w/{world}{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "X-Worldsmith-Session": session},
    )
    end, reason, last = time.monotonic() + DEADLINE, "the search service did not answer in time", 0
    for attempt in range(ATTEMPTS):
        left = end - time.monotonic()
        if left <= 0:
            break
        wait = 0.25 * 2**attempt
        try:
            with _OPENER.open(request, timeout=min(TIMEOUT, left)) as reply:
                return json.load(reply), (reply.headers.get("X-Worldsmith-Evidence") or "").split()
        except urllib.error.HTTPError as error:
            reason = _error_text(error)
            if error.code not in {429, 503}:
                raise WrongCallError(reason) from None
            wait = _seconds(error.headers.get("Retry-After"), wait)
            last = error.code
        except (OSError, ValueError, http.client.HTTPException) as error:  # refused, dropped, timed out, or no JSON
            reason, last = f"the search service did not answer ({type(error).__name__})", 0
        if attempt + 1 < ATTEMPTS:
            time.sleep(min(wait, LONGEST_WAIT, max(0.0, end - time.monotonic())))
    if last == 429:
        raise WrongCallError(reason)
    raise NoAnswerError(reason)


def _error_text(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["error"])
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return f"the search service answered {error.code}"


def _seconds(text: str | None, default: float) -> float:
    return float(text) if text and text.isdecimal() else default


def arguments(parameters: Any) -> dict[str, Any]:
    """Return a call's arguments as values: those that are null left out, encoded twice decoded, a list of one its item.

    A number may come as text. Anything else that is wrong is reported by the server.
    """
    try:
        values = json.loads(parameters) if isinstance(parameters, str) else parameters
    except ValueError:
        values = {}
    cleaned = {}
    for name, value in values.items() if isinstance(values, dict) else ():
        one = value[0] if isinstance(value, list) and len(value) == 1 else value
        number = name in {"page", "offset"} and isinstance(one, str) and one.strip().isdecimal()
        if one is not None:
            cleaned[name] = int(one) if number else one
    return cleaned


class _Tool(BaseTool, ABC):  # type: ignore[misc, unused-ignore]
    """A tool over one route. verl calls create, execute and release for every single call."""

    kind: str

    def __init__(self, config: dict[str, Any], tool_schema: Any) -> None:
        super().__init__(config, tool_schema)
        self._numbers = itertools.count()
        self._places: dict[str, Mapping[str, str]] = {}

    async def create(
        self, instance_id: str | None = None, create_kwargs: Mapping[str, str] | None = None, **_: Any
    ) -> tuple[str, Any]:
        """Remember where this call looks."""
        instance_id = instance_id or f"{self.name}-{next(self._numbers)}"
        self._places[instance_id] = create_kwargs or {}
        return instance_id, ToolResponse()

    async def execute(self, instance_id: str, parameters: Any, **kwargs: Any) -> tuple[Any, float, dict[str, float]]:
        """Make the call; return what the agent reads, no reward of its own, and two metrics."""
        place, data = self._places.get(instance_id, {}), kwargs.get("agent_data")
        base_url = os.environ.get("WORLDSMITH_BASE_URL") or place.get("base_url", "")
        session = str(getattr(data, "request_id", "") or "")
        failed = wrong = False
        disclosed: list[str] = []
        try:
            path, body = self.ask(arguments(parameters))
            work = asyncio.get_running_loop().run_in_executor(
                _POOL, post, base_url, place.get("world", ""), path, body, session
            )
            reply, disclosed = await work
            text = self.tell(reply)
        except NoAnswerError as error:
            failed, text = True, f"Error: {error}"
        except WrongCallError as error:
            wrong, text = True, f"Error: {error}"
        self.count(data, disclosed, failed=failed, wrong=wrong)
        return ToolResponse(text=text), 0.0, {"failed": float(failed), "wrong": float(wrong)}

    async def release(self, instance_id: str, **_: Any) -> None:
        """Forget the call."""
        self._places.pop(instance_id, None)

    @abstractmethod
    def ask(self, parameters: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return route and body of a call."""

    @abstractmethod
    def tell(self, reply: Mapping[str, Any]) -> str:
        """Return what the agent reads."""

    def count(self, data: Any, disclosed: list[str], *, failed: bool, wrong: bool) -> None:
        """Add the call to the episode's counts and evidence; a page that isn't there was not opened."""
        fields = getattr(data, "extra_fields", None)
        if fields is not None:
            counts = fields.setdefault("worldsmith", {"web_search": 0, "web_extractor": 0, "opened": 0, "failed": 0})
            counts[self.kind] += 1
            counts["opened"] += self.kind == "web_extractor" and not failed and not wrong
            counts["failed"] += failed
            fields.setdefault("worldsmith_evidence", []).extend(disclosed)
            # verl appends to this list until the episode ends.
            fields["worldsmith_messages"] = data.messages


class WebSearch(_Tool):
    """web_search(query, page)."""

    kind = "web_search"

    def ask(self, parameters: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return route and body."""
        return "/api/search", {name: parameters[name] for name in ("query", "page") if name in parameters}

    def tell(self, reply: Mapping[str, Any]) -> str:
        """Return the results as text."""
        lines = [
            f"[{i}] {hit['url']}\nTitle: {hit['title']}\nSnippet: {hit['snippet']}\nDate: {hit['date'] or 'N/A'}\n"
            for i, hit in enumerate(reply["results"], 1)
        ]
        if not lines:
            return "No results found."
        return "\n".join(lines) + ("\nThere are more results on the next page." if reply["more"] else "")


class WebExtractor(_Tool):
    """web_extractor(url, offset)."""

    kind = "web_extractor"

    def ask(self, parameters: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return route and body."""
        body = {name: parameters[name] for name in ("url", "offset") if name in parameters}
        return "/api/extract", {**body, "max_chars": PAGE_CHARS}

    def tell(self, reply: Mapping[str, Any]) -> str:
        """Return the page's text, and where it goes on."""
        notice = f"\n\n[The page goes on: read it from offset {reply['next_offset']}.]" if reply["more"] else ""
        return str(reply["text"]) + notice
