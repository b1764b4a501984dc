"""The browser of gpt-oss as tools of MCP: `search`, `open` and `find`, with the pages of a session behind them.

Made after `SimpleBrowserTool` of gpt-oss 0.0.9. A reply is a display: a cursor, the page's title and address, which
lines are shown, and these with their numbers, 80 characters wide, links as 【id†text†host】. A search page reads as
there, any other as its Markdown. Arguments are read as there, but for `topn`, which is ignored there; `source` and
`view_source` make no difference. Results are shown whole, pages as far as fits. A session keeps the calls that made its
pages, and where their links lead: a page that is shown again is read again. The evidence is of the lines shown.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from textwrap import wrap
from typing import ClassVar, NamedTuple
from urllib.parse import urlsplit

import orjson

from worldsmith.episode.tools import MAX_OFFSET
from worldsmith.errors import UsageError
from worldsmith.pages.renderer.emit import chunks, markdown
from worldsmith.serving.dialects import session_memory
from worldsmith.serving.dialects.fields import MAX_URL, Option, Parameter, Text, Whole, text
from worldsmith.serving.dialects.links import Links
from worldsmith.serving.dialects.schemas import BOOL, JSON, TEXT
from worldsmith.serving.dialects.session_memory import Items
from worldsmith.serving.dialects.types import Request, ToolCalls
from worldsmith.simulate.disclosure import disclosing_only
from worldsmith.simulate.protocol import Call, Observation

MEMORY = "browser"
"""Name of what a session keeps."""
WIDTH = 80
"""Characters of a line."""
VIEW = 4096
"""Characters that are shown where no number of lines is asked for, about the 1,024 tokens of the original."""
MOST_LINKS = 400
"""Links of a page that have an id."""
MOST_MATCHES, MATCH_LINES = 50, 4
"""Places that `find` shows, and lines of each."""
HEAD_LINES = 2
"""Lines of a page's text before its Markdown."""
ABOVE = 4
"""Lines shown above the one that a link leads to."""

QUERY, TOPN, PATTERN = Text("query"), Whole("topn", 10, 1, 50), Text("pattern", 200)
ID = Option("id", {"type": ["integer", "string"], "default": -1})
CURSOR, LOC = Whole("cursor", -1, -1, MAX_OFFSET), Whole("loc", -1, -1, MAX_OFFSET)
NUM_LINES = Whole("num_lines", -1, -1, MAX_OFFSET)
VIEW_SOURCE, SOURCE = Option("view_source", BOOL), Option("source", TEXT)

_LINK = re.compile(r"\[([^\[\]\n]*)\]\((https?://[^()\s]+)\)")
_SHOWN_LINK = re.compile(r"【\d+†([^†】]+)(?:†[^†】]+)?】")


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link leads: a page, the offset at which it is read, and the line that is shown first."""

    url: str
    offset: int = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Visit:
    """A page of a session: the call that makes it, what was looked for in it, and its links by id."""

    call: Call
    pattern: str | None = None
    links: tuple[Target, ...] = ()

    @classmethod
    def from_json(cls, value: JSON) -> "Visit":
        """Return the page that JSON values describe."""
        return cls(Call(**value["call"]), value["pattern"], tuple(Target(**link) for link in value["links"]))


class Line(NamedTuple):
    """A displayed line, and which line of a page's text it is of, from 0; -1 for one of none."""

    text: str
    source: int = -1


class Page(NamedTuple):
    """A page as it is displayed: `text` is not wrapped yet."""

    title: str
    url: str
    text: str
    links: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The pages of a session, the oldest forgotten where they take too much; cursors count from its first page."""

    visits: tuple[Visit, ...] = ()
    forgotten: int = 0

    @classmethod
    def of(cls, request: Request) -> "History":
        """Return the history of a request's session. Raises UsageError where its address names none."""
        return cls.from_items(request.memory.read(request.session_address, MEMORY))

    @classmethod
    def from_items(cls, items: Items) -> "History":
        """Return the history that a session keeps as JSON values."""
        return cls(tuple(map(Visit.from_json, items.get("visits", ()))), items.get("forgotten", 0))

    @staticmethod
    def add(visit: Visit, request: Request) -> int:
        """Add a page to a request's session and return its cursor."""

        def added(items: Items) -> tuple[Items, str]:
            history = History.from_items(items)
            history = History((*history.visits, visit), history.forgotten)
            while len(history.visits) > 1 and len(orjson.dumps(history)) > session_memory.MOST:
                history = History(history.visits[1:], history.forgotten + 1)
            cursor = history.forgotten + len(history.visits) - 1
            return {"visits": history.visits, "forgotten": history.forgotten}, str(cursor)

        return int(request.memory.edit(request.session_address, added, MEMORY))

    def visit(self, cursor: int) -> Visit:
        """Return the page at a cursor; -1 is the last one. Raises UsageError."""
        if not self.visits:
            raise UsageError("there is no page yet: call search, or open with a URL as id")
        if cursor == -1:
            return self.visits[-1]
        last = self.forgotten + len(self.visits) - 1
        if not self.forgotten <= cursor <= last:
            raise UsageError(f"cursor {cursor} is out of range: cursors are {self.forgotten} to {last}")
        return self.visits[cursor - self.forgotten]


class Viewing(NamedTuple):
    """What a call of a tool shows: a page, from which line on, and how many; -1 where it doesn't say."""

    visit: Visit
    line: int = -1
    num_lines: int = -1


@dataclass(frozen=True, slots=True)
class BrowserTool:
    """A tool of the browser; `view` reads its arguments."""

    of_session: ClassVar[bool] = True
    name: str
    about: str
    parameters: Mapping[Parameter, str]
    view: Callable[[JSON, Request], Viewing]

    def read(self, arguments: JSON, request: Request) -> ToolCalls:
        """Return the call, and what writes its observation as a display. Raises UsageError."""
        History.of(request)
        viewing = self.view(arguments, request)
        return (viewing.visit.call,), lambda observation: _display(viewing, observation, request)


def _search(arguments: JSON, request: Request) -> Viewing:  # noqa: ARG001 - every view's signature
    return Viewing(Visit(Call("web_search", QUERY.read(arguments), k=TOPN.read(arguments))))


def _open(arguments: JSON, request: Request) -> Viewing:
    link, line, num_lines = ID.read(arguments), LOC.read(arguments), NUM_LINES.read(arguments)
    if isinstance(link, str):
        url = request.links.read(text(link, ID.name, MAX_URL))
        return Viewing(Visit(Call("web_extractor", url)), line, num_lines)
    visit = History.of(request).visit(CURSOR.read(arguments))
    number = Whole(ID.name, -1, -1, MAX_OFFSET).read(arguments)
    if number == -1:
        return Viewing(visit, line, num_lines)
    if number >= len(visit.links):
        raise UsageError(f"there is no link {number} on that page: it has {len(visit.links)}, from 0")
    target = visit.links[number]
    above = target.line - ABOVE if target.line > ABOVE else target.line
    visit = Visit(Call("web_extractor", target.url, offset=target.offset))
    return Viewing(visit, above if line == -1 else line, num_lines)


def _find(arguments: JSON, request: Request) -> Viewing:
    pattern, visit = PATTERN.read(arguments).lower(), History.of(request).visit(CURSOR.read(arguments))
    if visit.call.tool == "web_search" or visit.pattern is not None:
        raise UsageError("find looks in a page, and that is a page of results: open one of its links first")
    return Viewing(replace(visit, pattern=pattern, links=()))


def _display(viewing: Viewing, observation: Observation, request: Request) -> tuple[str, Observation]:
    """Return the display of what a call gave, and as much of that as it shows; add its page to the session.

    Raises UsageError.
    """
    visit, first, num_lines = viewing
    page = _page(visit, observation, request.links)
    lines = _wrapped(page.text)
    if visit.pattern is not None:
        page, lines = _matches(visit, page, lines)
    first = max(first, 0)
    if first >= len(lines):
        raise UsageError(f'"loc" is {first}: the last line of that page is {len(lines) - 1}')
    most = num_lines if num_lines > 0 else len(lines) if observation.doc is None else _fitting(lines[first:])
    shown = lines[first : first + most]
    cursor = History.add(replace(visit, links=page.links), request)
    head = f"{page.title} ({page.url})" if page.url else page.title
    place = f"**viewing lines [{first} - {first + len(shown) - 1}] of {len(lines) - 1}**"
    numbered = [f"L{number}: {line.text}" for number, line in enumerate(shown, first)]
    is_whole = shown == lines and visit.pattern is None
    evidence = observation if is_whole else _shown_part(visit, observation, shown)
    return f"[{cursor}] {head}\n{place}\n\n" + "\n".join(numbered), evidence


def _shown_part(visit: Visit, observation: Observation, lines: list[Line]) -> Observation:
    """Return an observation that discloses what stands in some displayed lines of it, and in its title."""
    if observation.doc is None:  # results, all of which were shown when they were searched for
        return observation
    texts: dict[int, str] = {}
    for line in lines:
        texts[line.source] = texts.get(line.source, "") + line.text
    here = HEAD_LINES - markdown(observation.doc)[: visit.call.offset].count("\n")
    cells = {*observation.doc.named}
    for chunk, stated in chunks(observation.doc):
        if stated and chunk.strip("[\n") in texts.get(here, ""):
            cells.update(stated)
        here += chunk.count("\n")
    return disclosing_only(observation, {(cell.row, cell.col) for cell in cells})


def _page(visit: Visit, observation: Observation, links: Links) -> Page:
    """Return the page that a call gave, its links numbered."""
    if observation.doc is None:
        hits = [
            f"  * {_link(place, hit.title, links.show(hit.url), '')} {hit.shown_text}"
            for place, hit in enumerate(observation.results)
        ]
        targets = tuple(Target(hit.url) for hit in observation.results)
        return Page(visit.call.arg, "", "\n".join(("\nURL: \n# Search Results\n", *hits)), targets)
    doc = observation.doc
    shown, ids = links.show(doc.url), dict[Target, int]()

    def numbered(match: re.Match[str]) -> str:
        target = Target(match[2])
        if target not in ids and len(ids) >= MOST_LINKS:
            return match[1]
        return _link(ids.setdefault(target, len(ids)), match[1], links.show(match[2]), urlsplit(shown).netloc)

    body = _LINK.sub(numbered, observation.text)
    if observation.next_offset is not None:
        rest = Target(doc.url, observation.next_offset)
        body += f"\n\n{_link(ids.setdefault(rest, len(ids)), 'The page goes on here', shown, urlsplit(shown).netloc)}"
    return Page(doc.title, shown, f"\nURL: {shown}\n{body.rstrip()}", tuple(ids))


def _link(number: int, words: str, url: str, host: str) -> str:
    """Return a link as it is displayed on a page of `host`."""
    own = urlsplit(url).netloc
    return f"【{number}†{words}】" if own == host else f"【{number}†{words}†{own}】"


def _wrapped(body: str) -> list[Line]:
    return [
        Line(text, source)
        for source, line in enumerate(body.split("\n"))
        for text in (wrap(line, WIDTH, replace_whitespace=False, drop_whitespace=False) if line else [""])
    ]


def _matches(visit: Visit, page: Page, lines: list[Line]) -> tuple[Page, list[Line]]:
    """Return the page of the lines of another that hold a pattern, and its own lines."""
    pattern = visit.pattern or ""
    bare = _SHOWN_LINK.sub(_link_words, "\n".join(line.text for line in lines)).split("\n")
    shown: list[Line] = []
    targets: list[Target] = []
    here = 0
    while here < len(bare) and len(targets) < MOST_MATCHES:
        if pattern not in bare[here].lower():
            here += 1
            continue
        shown += [Line("")] if shown else []
        shown.append(Line(f"# 【{len(targets)}†match at L{here}】"))
        shown += map(Line, bare[here : here + MATCH_LINES], (line.source for line in lines[here:]))
        targets.append(Target(visit.call.arg, visit.call.offset, here))
        here += MATCH_LINES
    title = f"Find results for text: `{pattern}` in `{page.title}`"
    results = Page(title, f"{page.url}/find?pattern={pattern}", "", tuple(targets))
    return results, shown or [Line(f"No `find` results for pattern: `{pattern}`")]


def _link_words(match: re.Match[str]) -> str:
    """Return the words of a displayed link; lines that it ends are ended, so that lines keep their numbers."""
    return match[1] + "\n" * (match[0].count("\n") - match[1].count("\n"))


def _fitting(lines: list[Line]) -> int:
    """Return how many lines begin within `VIEW` characters."""
    lengths = accumulate(len(line.text) + 6 for line in lines)
    return 1 + sum(length <= VIEW for length in lengths)


BROWSER: tuple[BrowserTool, ...] = (
    BrowserTool(
        "search",
        "Search the web. Displays the results as a page: the number in brackets before a display is its cursor, and "
        "links are 【id†text†host】. Cite lines as 【cursor†L3-L5】.",
        {QUERY: "What to search for.", TOPN: "Results wanted.", SOURCE: "Ignored: there is one web."},
        _search,
    ),
    BrowserTool(
        "open",
        "Open a link of a displayed page by its id, or a page by its URL, or show other lines of a displayed page.",
        {
            ID: "A link's id on the page at `cursor`, or a URL. Leave it out to stay on that page.",
            CURSOR: "Which displayed page; the last one by default.",
            LOC: "First line to show.",
            NUM_LINES: "Lines to show; as many as fit by default.",
            VIEW_SOURCE: "Ignored: pages are text.",
            SOURCE: "Ignored: there is one web.",
        },
        _open,
    ),
    BrowserTool(
        "find",
        "Find the places of a displayed page where a text stands, in capitals or not.",
        {PATTERN: "The text.", CURSOR: "Which displayed page; the last one by default."},
        _find,
    ),
)
