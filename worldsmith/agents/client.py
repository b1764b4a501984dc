"""How an agent reaches a world: two tools, in process or over HTTP, and what their replies cost in tokens."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, Protocol

from worldsmith.episode.tools import hits_text
from worldsmith.errors import BackendError, UsageError
from worldsmith.pages import Pages
from worldsmith.simulate.disclosure import disclosures_by_world
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address, Call, Observation, Result
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.traces import Traces
from worldsmith.world.model import Disclosure, World

TOKENS = "bytes/3.5 v1"
"""Name and version of the count that `tokens` makes without a tokenizer."""

TRIES = 8
"""Attempts at one call in process that fails for a transient reason, as many as over HTTP."""

Reply = Mapping[str, Any]
"""{"results": [{"url", "title", "snippet", "date", "score"}], "more": bool}."""


_Gathered = defaultdict[str, set[Disclosure]]
"""What was disclosed, by the digest of its world."""


def tokens(text: str) -> int:
    """Return what a text costs: its UTF-8 bytes over 3.5, rounded up."""
    return ceil(len(text.encode("utf-8", "surrogatepass")) / 3.5)


def tokenizer(path: Path) -> Callable[[str], int]:
    """Return an exact count by a `tokenizer.json`. Raises UsageError without the package or such a file."""
    try:
        from tokenizers import Tokenizer  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - optional
    except ImportError:
        fix = 'pip install "worldsmith[tokenizers]"'
        raise UsageError(f"counting by a tokenizer needs the tokenizers package: {fix}") from None
    if not path.is_file():
        raise UsageError(f"{path}: no such tokenizer file; it is the tokenizer.json of a model")
    try:
        model = json.loads(path.read_bytes())["model"]["type"]
    except (ValueError, KeyError, TypeError):
        model = None
    if model is None:
        raise UsageError(f"{path}: no tokenizer; take the tokenizer.json of a model, which names its model's type")
    made = Tokenizer.from_file(str(path))
    return lambda text: len(made.encode(text, add_special_tokens=False).ids)


class Client(Protocol):
    """The two tools of an agent."""

    def search(self, query: str, k: int = 10, page: int = 1) -> Reply:
        """Return a page of `k` results."""
        ...

    def extract(self, url: str, offset: int = 0, max_chars: int | None = None) -> str:
        """Return the text of a page, or of the part of it that one call gives, "" where there is none."""
        ...


class Connection(Client, Protocol):
    """The tools by single calls."""

    retries: int
    """Attempts so far beyond the first of each call."""
    goes_on: int | None
    """Where the page that was read last goes on; None at its end."""


class SimulatorClient:
    """The tools of a world in this process.

    `disclosed` gathers what replies disclosed of `world`, `page_disclosures` what those did that were pages. Of a pool
    all is gathered: `world` may change.

    With `reply_cache`, which clients of one simulator and address may share, each call is answered once: replies are
    pure in (world, address, call, attempt), and many tasks of a world read the same pages.
    """

    def __init__(
        self,
        simulator: Simulator | PoolSimulator,
        address: Address | None = None,
        reply_cache: dict[Call, Observation] | None = None,
        traces: Traces | None = None,
        world: World | None = None,
    ) -> None:
        """Take what answers calls; of a pool, `world` is the one whose disclosures count."""
        self.simulator, self.address, self.reply_cache = simulator, address or Address(simulator.id), reply_cache
        self.traces = traces
        self.world = world if isinstance(simulator, PoolSimulator) else simulator.world
        self.disclosed_by_world = _Gathered(set)
        self.page_disclosures_by_world = _Gathered(set)
        self.retries = 0
        self.goes_on: int | None = None

    @property
    def disclosed(self) -> set[Disclosure]:
        """What replies disclosed of the world."""
        return self.disclosed_by_world[self.world.digest if self.world else ""]

    @property
    def page_disclosures(self) -> set[Disclosure]:
        """What pages that were read disclosed of it."""
        return self.page_disclosures_by_world[self.world.digest if self.world else ""]

    @property
    def pages(self) -> Pages:
        """The plans of the world's pages."""
        return self.simulator.pages_of(self.address, self.world.id if self.world else "")

    def _gather(self, gathered: "_Gathered", observation: Observation) -> None:
        for digest, disclosed in disclosures_by_world(observation, self.world.digest if self.world else ""):
            gathered[digest].update(disclosed)

    def afresh(self) -> "SimulatorClient":
        """Return a client of the same tools to whom nothing has been disclosed yet."""
        other = copy(self)
        other.disclosed_by_world, other.page_disclosures_by_world = _Gathered(set), _Gathered(set)
        other.retries, other.goes_on = 0, None
        return other

    def add(self, other: "SimulatorClient") -> None:
        """Add what another client read and was told to this one's."""
        for mine, more in (
            (self.disclosed_by_world, other.disclosed_by_world),
            (self.page_disclosures_by_world, other.page_disclosures_by_world),
        ):
            for digest, disclosed in more.items():
                mine[digest] |= disclosed
        self.retries += other.retries

    def search(self, query: str, k: int = 10, page: int = 1) -> Reply:
        """Return a page of `k` results; BackendError where every attempt failed."""
        return search_reply(self._answered(Call("web_search", query, page, k)))

    def extract(self, url: str, offset: int = 0, max_chars: int | None = None) -> str:
        """Return the text of a page; BackendError where every attempt failed."""
        observation = self._answered(Call("web_extractor", url, offset=offset, max_chars=max_chars))
        self._gather(self.page_disclosures_by_world, observation)
        self.goes_on = observation.next_offset
        return observation.text

    def _answered(self, call: Call) -> Observation:
        observation = None if self.reply_cache is None else self.reply_cache.get(call)
        if observation is None:
            observation = self._tried(call)
            if self.reply_cache is not None:
                self.reply_cache[call] = observation
        self._gather(self.disclosed_by_world, observation)
        return observation

    def _tried(self, call: Call) -> Observation:
        for attempt in range(TRIES):
            self.retries += attempt > 0
            observation = self.simulator.call(self.address, call, attempt)
            if self.traces:
                self.traces.call(self.address, call, attempt, observation)
            if observation.status in {"ok", "not_found"}:
                return observation
        raise BackendError(f"{call.tool} {call.arg[:80]!r}: {observation.status} in {TRIES} attempts")


def window(offset: int, max_chars: int | None) -> dict[str, int]:
    """Return which part of a page a call asks for, as records name it."""
    return {name: value for name, value in (("offset", offset), ("max_chars", max_chars)) if value}


def search_reply(observation: Observation) -> Reply:
    """Return the reply that an observation of a search is."""
    return {"results": list(map(result_fields, observation.results)), "more": observation.more}


def result_fields(result: Result) -> dict[str, Any]:
    """Return a result as JSON values."""
    return {name: getattr(result, name) for name in ("url", "title", "snippet", "date", "score")}


def numbered_results(results: Iterable[Mapping[str, Any]]) -> str:
    """Return results as AgentWorld's text: numbered blocks."""
    return "\n\n".join(
        f"[{i}] {r['url']}\nTitle: {r['title']}\nSnippet: {r['snippet']}\nDate: {r['date'] or 'N/A'}"
        for i, r in enumerate(results, 1)
    )


@dataclass(slots=True)
class Recorder:
    """A client that records calls and replies."""

    client: Connection
    count: Callable[[str], int] = tokens
    calls: list[dict[str, Any]] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)

    def search(self, query: str, k: int = 10, page: int = 1) -> Reply:
        """Search, and record."""
        reply = self.client.search(query, k, page)
        self._record({"tool": "web_search", "arg": query, "k": k, "page": page}, hits_text(reply))
        return reply

    def extract(self, url: str, offset: int = 0, max_chars: int | None = None) -> str:
        """Read a page, in as many calls as it has parts where no part is asked for, and record each."""
        parts = [self.part(url, offset, max_chars)]
        while max_chars is None and self.client.goes_on is not None:
            parts.append(self.part(url, self.client.goes_on))
        return "".join(parts)

    def part(self, url: str, offset: int = 0, max_chars: int | None = None) -> str:
        """Read what one call gives of a page, and record."""
        text = self.client.extract(url, offset, max_chars)
        self._record({"tool": "web_extractor", "arg": url, **window(offset, max_chars)}, text)
        return text

    def again(self, call: Mapping[str, Any]) -> None:
        """Make a recorded call again, and record."""
        if call["tool"] == "web_search":
            self.search(call["arg"], call["k"], call["page"])
        else:
            self.part(call["arg"], call.get("offset", 0), call.get("max_chars"))

    def _record(self, call: dict[str, Any], reply: str) -> None:
        self.calls.append(call)
        self.replies.append(reply)
        self.costs.append(self.count(reply))
