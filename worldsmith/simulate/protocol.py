"""The conversation between an agent's call and the world: Call, Address, Slice, Draft, Observation.

A slice is all that the answer to one call may draw on. It depends on the world, the address, the call and
the attempt, never on a task.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import NamedTuple, Protocol

from worldsmith.episode.call import Call as Call  # noqa: PLC0414 - it is a word of this protocol
from worldsmith.pages import Pages
from worldsmith.pages.lengths import Length
from worldsmith.pages.types import Doc, Page, Status
from worldsmith.world.model import Cell, Disclosure

DEADLINE = 45.0
"""Seconds that a reply waits for a model, unless another number is given: clients mostly give up after 60."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a call is answered: parsed once at the edge, from the path or the key."""

    world: str
    profile: str = "clean"
    seed: int = 0
    """Seed of the perturbations; rollouts of one group share it."""
    session: str = ""
    """Names the attempt counter; nothing else depends on it."""


@dataclass(frozen=True, slots=True)
class View:
    """A page as one call sees it, after edits, and its retrieval score (0 for an extract)."""

    page: Page
    score: float
    rank: int = 0
    """Its place among all hits of the query, over all results pages, from 0."""


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit made of a page: the cells it lost, or tells otherwise; for traces."""

    kind: str
    page: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """The views a call may draw on, best first; `more` says that a further results page exists."""

    call: Call
    views: tuple[View, ...]
    more: bool
    changes: tuple[Change, ...] = ()
    """What edits made of its pages."""


@dataclass(frozen=True, slots=True)
class Result:
    """A search hit as an agent sees it."""

    url: str
    title: str
    snippet: str
    date: str | None
    score: float
    """Depends on the rank alone."""
    text: str | None = None
    """The page's Markdown, where full text was asked for."""

    @property
    def shown_text(self) -> str:
        """The whole page where it is there, else the snippet."""
        return self.snippet if self.text is None else self.text


class Reason(StrEnum):
    """Why a unit was rejected, for programs; `Verdict.why` is for people."""

    NAME = "name"
    """It names what is no fact here."""
    VALUE = "value"
    """A number or date states no fact that may be given here."""
    OPTION = "option"
    """An option or truth value is no fact that may be given here."""
    UNTRUE = "untrue"
    """A listed attribute has another value, or the value is another attribute's."""
    CLAIM = "claim"
    """A claim without a value that no fact shows: a comparison, a superlative, a denial, hearsay, idle talk."""
    WORD = "word"
    """A word is neither a fact nor an ordinary word."""
    HIDDEN = "hidden"
    """Coded text, an address, an order to the reader, or text too long to judge."""
    LINK = "link"
    """A link leads elsewhere."""
    FORM = "form"
    """Address, date or length is wrong, or a field is empty."""
    MISFIT = "misfit"
    """A title or snippet does not fit its page, or repeats another hit's."""
    MISSING = "missing"
    """A fact or hit that must be there is not."""
    BACKEND = "backend"
    """The model could not be asked."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The guard's verdict on one unit: where ("title", "snippet", "sentence", "cell", "link", …), and why."""

    where: str
    ok: bool
    why: str = ""
    text: str = ""
    reason: Reason | None = None
    """None where it is accepted."""


class Rejection(NamedTuple):
    """Why the guard rejects a statement: a reason for programs, words for people."""

    reason: Reason
    why: str

    def of(self, where: str, text: str = "") -> Verdict:
        """Return the verdict on a unit at `where` that says `text`."""
        return Verdict(where, ok=False, why=self.why, text=text, reason=self.reason)


Draft = tuple[Result, ...] | Doc
"""What a world model writes: results for a search, a document for an extract."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to a language model and what came back; for traces."""

    messages: tuple[tuple[str, str], ...]
    """(role, content) of each message it was sent."""
    reply: str
    """What it wrote, as it wrote it; "" where nothing came."""
    error: str = ""
    """Why the reply could not be used, or why there was none."""


@dataclass(slots=True)
class Conversation:
    """What is exchanged with a language model about one call, from the first draft to the last, under one deadline."""

    instruction: str = ""
    """What the profile asks, in words."""
    reasons: tuple[str, ...] = ()
    """What was wrong with the draft before."""
    exchanges: list[Exchange] = field(default_factory=list)
    deadline: float = inf
    """When it ends at the latest, by the clock of the event loop."""
    start: float = inf
    """When the first draft was asked for."""

    def begin(self, now: float, seconds: float) -> float:
        """Return when it ends: at most some seconds after the first draft was asked for."""
        if self.start == inf:
            self.start = now
            self.deadline = min(self.deadline, now + seconds)
        return self.deadline


@dataclass(frozen=True, slots=True)
class Observation:
    """The answer to a call in words and ISO dates; dialects map it to their wire form."""

    status: Status
    results: tuple[Result, ...] = ()
    doc: Doc | None = None
    text: str = ""
    """web_extractor: the page's Markdown after `offset` and `max_chars`. "invalid": what is wrong with the call."""
    next_offset: int | None = None
    """web_extractor: where the text goes on; null at its end."""
    page: Page | None = None
    """web_extractor: the plan that was shown, for traces; never sent."""
    world: str = ""
    """web_extractor: the id of the world whose page it is, since worlds of a pool share page ids; never sent."""
    more: bool = False
    fault: str = ""
    """Name of the fault that answered instead, for traces and native error forms."""
    retry_after: int | None = None
    source: str = "renderer"
    """Who wrote it: "renderer", "model", "store", "fault"."""
    verdicts: tuple[Verdict, ...] = ()
    part: Slice | None = None
    """What it was drawn from, for traces; never sent. None where a fault answered, or nothing was found."""
    exchanges: tuple[Exchange, ...] = ()
    """What a language model was asked for it, for traces; never sent."""
    disclosed: tuple[Disclosure, ...] = ()
    """What the text that was sent states (`disclosure`): evidence for a reward, never shown to an agent."""
    disclosed_by_world: tuple[tuple[str, tuple[Disclosure, ...]], ...] = ()
    """The same of a pool's reply, by the digests of its worlds; `disclosed` is empty then."""
    disclosed_hashes: tuple[str, ...] = ()
    """The same as hashes, which are all that is known of a reply that came over HTTP."""

    @property
    def opened(self) -> bool:
        """Whether text of a page was given."""
        return self.status == "ok" and bool(self.text)


SliceEdit = Callable[[Pages, Slice, int], Slice]
"""A perturbation of data: (pages, slice, seed) to slice. Draws from (seed, kind, page id), never from the call."""

Fault = Callable[[Call, int, int], Observation | None]
"""A perturbation that answers instead: (call, seed, attempt) to an observation, or None to let the call pass."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A named record of page length, withhold level and perturbations."""

    name: str
    about: str = ""
    """What it does, in a line."""
    length: Length = "short"
    withhold: int = 1
    full_text: bool = False
    """Search replies carry whole pages, whether or not the call asks for them."""
    edits: Mapping[str, float] | None = None
    faults: Mapping[str, float] | None = None


class WorldModel(Protocol):
    """Slice to draft: our renderer, or a language model behind the guard."""

    async def draft(self, slice_: Slice, conversation: Conversation) -> Draft:
        """Write the answer to `slice_.call`; what is asked and answered for it is added to `conversation`."""
        ...


class Ranking(Protocol):
    """What ranks the pages of a world for a query: an index, or what a profile makes of one."""

    def search(self, query: str, k: int, page: int) -> tuple[Sequence[tuple[str, float]], bool]:
        """Return results page `page` (from 1) of `k` hits as (page id, score), and whether there is more."""
        ...

    def shows(self, page: Page) -> bool:
        """Whether a page can be read."""
        ...
