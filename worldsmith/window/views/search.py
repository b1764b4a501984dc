"""A call as an agent makes it: what the agent sees, beside the slice behind it and what the guard says."""

from collections.abc import Iterator, Sequence
from typing import Final

from worldsmith.agents.client import search_reply
from worldsmith.episode.call import Call
from worldsmith.episode.tools import search_text
from worldsmith.errors import UsageError
from worldsmith.pages import Pages
from worldsmith.pages.renderer.emit import chunks
from worldsmith.pages.renderer.snippets import hit_spans
from worldsmith.pages.types import Chunk
from worldsmith.simulate.disclosure import is_all_children
from worldsmith.simulate.perturb import profile_named
from worldsmith.simulate.protocol import Address, Observation, Verdict, View
from worldsmith.simulate.simulator import TOOLS, Simulator
from worldsmith.window.library import OpenWorld
from worldsmith.window.markup import Child, Markup, tag
from worldsmith.window.page_html import cells_text, linked_text
from worldsmith.window.sheet import Cell, Content, Sheet, Visit, choices, facts, field, note, row_link, section, table
from worldsmith.window.views.pages import cells_table
from worldsmith.world.model import Disclosure, Row

MOST_CHARACTERS: Final = 4000
"""Characters of a query or an address."""


def search(visit: Visit) -> Sheet:
    """Show the form of a call, and, where the query has one, the call and its answer."""
    name, library = visit.path["world"], visit.library
    simulator = library.simulator(name)
    form, call, profile = _form(visit), _call(visit), visit.query.get("profile") or "clean"
    profile_named(profile, library.profiles)
    answer: Child = note(
        "Calls are answered by our renderer, as agents get it; what a language model wrote is in a server's traces. "
        "Faults of a profile pass with the next attempt."
    )
    if call.arg:
        address = Address(simulator.id, profile, visit.number("seed", 0))
        observation = simulator.call(address, call, visit.number("attempt", 0))
        worlds = _Worlds(visit, name, address)
        answer = tag(
            "div",
            section("The agent sees", _agent_view(visit, name, call, observation), class_="paper"),
            tag(
                "div",
                section("Behind it", *_behind(worlds, observation)),
                section("The guard", *_guard(worlds, observation)),
            ),
            class_="split",
        )
    return Sheet("Search as an agent", tag("div", form, answer), name, tab="search", pooled=library.is_pool(name))


def _form(visit: Visit) -> Markup:
    query = visit.query
    known = visit.library.profiles

    def number(name: str, default: str, label: str) -> Markup:
        box = tag("input", name=name, value=query.get(name, ""), placeholder=default, size=3, inputmode="numeric")
        return field(label, box)

    return tag(
        "form",
        field("Tool", choices("tool", [(tool, tool) for tool in TOOLS], query.get("tool", ""))),
        field(
            "Query or address",
            tag("input", type="search", name="arg", value=query.get("arg", ""), size=48, data_search=True),
        ),
        field("Profile", choices("profile", [(name, name) for name in known], query.get("profile") or "clean")),
        number("seed", "0", "Seed"),
        number("attempt", "0", "Attempt"),
        number("page", "1", "Results page"),
        number("k", "10", "Hits"),
        number("offset", "0", "Offset"),
        number("max_chars", "all", "Characters"),
        tag("button", "Call"),
        class_="bar",
        role="search",
    )


def _call(visit: Visit) -> Call:
    name, text = visit.query.get("tool") or TOOLS[0], visit.query.get("arg", "").strip()
    tool = next((one for one in TOOLS if one == name), None)
    if tool is None:
        raise UsageError(f"there is no tool {name!r}: it is {' or '.join(TOOLS)}")
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"the query has {len(text)} characters: give at most {MOST_CHARACTERS}")
    most = visit.number("max_chars", 0)
    return Call(
        tool,
        text,
        visit.number("page", 1, 1),
        visit.number("k", 10, 1, 50),
        visit.number("offset", 0),
        most or None,
    )


class _Worlds:
    """The worlds that an answer is drawn from: one, or those of a pool."""

    def __init__(self, visit: Visit, name: str, address: Address) -> None:
        self.links, self._library, self._name, self._address = visit.links, visit.library, name, address
        self._pool = visit.library.pool() if visit.library.is_pool(name) else None

    def of(self, url: str) -> OpenWorld:
        """Return the world whose page is at an address."""
        name = self._pool.world_at(url) if self._pool else None
        return self._library.world(name or self._name)

    def pages_of(self, url: str) -> Pages:
        """Return that world's pages as the profile has them."""
        world = self.of(url).world.id
        return self._library.simulator(self._name).pages_of(self._address, world)

    def verdicts(self, observation: Observation) -> Sequence[Verdict]:
        """Return what the guard that reads says of an answer about one plain world; natural text it doesn't read."""
        simulator = self._library.simulator(self._name)
        if not isinstance(simulator, Simulator) or observation.part is None or observation.status != "ok":
            return ()
        if simulator.pages_of(self._address).voice:
            return ()
        return simulator.verdicts_on(self._address, observation.doc or observation.results, observation.part)

    def disclosed(self, observation: Observation) -> Iterator[tuple[OpenWorld, Sequence[Disclosure]]]:
        """Yield what an answer discloses, by world."""
        if self._pool is None:
            yield self._library.world(self._name), observation.disclosed
            return
        world_of = {digest: world for world, digest in self._pool.digests.items()}
        for digest, some in observation.disclosed_by_world:
            yield self._library.world(world_of[digest]), some


def _agent_view(visit: Visit, name: str, call: Call, observation: Observation) -> list[Child]:
    """Return what an agent gets of an answer, its addresses as links that read them."""

    def reading(url: str) -> str:
        kept = {key: visit.query.get(key, "") for key in ("profile", "seed")}
        return visit.links.to("world", name, "search", tool="web_extractor", arg=url, **kept)

    if observation.status != "ok":
        return [note(tag("b", observation.status.replace("_", " ")), f" {observation.fault}", class_="bad")]
    if call.tool == "web_extractor":
        more = note(f"[the page goes on at offset {observation.next_offset}]") if observation.next_offset else None
        return [tag("pre", linked_text(observation.text, reading)), more]
    hits = [
        tag(
            "li",
            tag("a", result.title, href=reading(result.url), class_="title"),
            tag("span", result.url, class_="url"),
            tag("p", tag("time", result.date, class_="faint") if result.date else None, " ", result.snippet),
        )
        for result in observation.results
    ]
    if not hits:
        return [note("no results found")]
    raw = search_text(search_reply(observation))
    return [
        tag("ol", hits, class_="hits", start=observation.part.views[0].rank + 1 if observation.part else None),
        note("There are more results.") if observation.more else None,
        tag("details", tag("summary", "As a message of a tool"), tag("pre", raw)),
    ]


def _behind(worlds: _Worlds, observation: Observation) -> list[Child]:
    """Return who answered, the slice, what edits changed, and what the answer discloses."""
    part = observation.part
    return [
        facts(
            [
                ("status", observation.status),
                ("written by", observation.source if not observation.fault else f"the fault {observation.fault}"),
                ("pages", len(part.views) if part else 0),
            ]
        ),
        table(
            ("rank", "page", "kind", "score", "hit may state", "page states"),
            [_view_row(worlds, view) for view in part.views] if part else [],
            "Slice",
        ),
        tag("details", tag("summary", "Cells of the slice"), [_view_cells(worlds, view) for view in part.views])
        if part and part.views
        else None,
        table(
            ("edit", "page", "cells removed or changed"),
            [[c.kind, c.page, Cell(tag("span", cells_text(c.cells)), "lines")] for c in part.changes] if part else [],
            "Edits",
        ),
        [_disclosed(worlds, world, some) for world, some in worlds.disclosed(observation)],
    ]


def _view_row(worlds: _Worlds, view: View) -> list[Content]:
    page, world = view.page, worlds.of(view.page.url).world.id
    return [
        view.rank + 1,
        worlds.links.link(page.id, "world", world, "page", id=page.id),
        page.kind,
        view.score,
        Cell(len(page.head.cells), "n"),
        Cell(len(page.cells), "n"),
    ]


def _view_cells(worlds: _Worlds, view: View) -> Markup:
    opened, page = worlds.of(view.page.url), view.page
    return section(page.id, cells_table(worlds.links, opened, page.cells, set(page.head.cells)))


def _disclosed(worlds: _Worlds, opened: OpenWorld, disclosed: Sequence[Disclosure]) -> Markup:
    by_row: dict[Row, list[str]] = {}
    for row, column in disclosed:
        by_row.setdefault(row, []).append(f"all of {column}" if is_all_children((row, column)) else column)
    rows: list[list[Content]] = [
        [row_link(worlds.links, opened.world, row), str(row), Cell(", ".join(columns), "long")]
        for row, columns in by_row.items()
    ]
    return table(("row", "is", "columns"), rows, f"Cells of {opened.world.id} that it discloses: {len(disclosed)}")


def _guard(worlds: _Worlds, observation: Observation) -> list[Child]:
    """Return the verdicts: on each span of a natural reply by construction, on each unit of a plain one by reading."""
    part = observation.part
    read = worlds.verdicts(observation)
    rejected = [verdict for verdict in (*observation.verdicts, *read) if not verdict.ok]
    accepted = [verdict for verdict in (*observation.verdicts, *read) if verdict.ok]
    spans = (
        [(view, text, cells) for view in part.views for text, cells in _spans(worlds, observation, view)]
        if part
        else []
    )
    return [
        note(f"Units rejected: {len(rejected)}.", class_="bad") if rejected else note("Nothing was rejected."),
        table(("where", "text", "why"), [[v.where, Cell(v.text, "long"), v.why] for v in rejected], "Rejected"),
        table(
            ("where", "text"), [[v.where, Cell(v.text, "long")] for v in accepted], f"Units accepted: {len(accepted)}"
        ),
        table(
            ("page", "text", "states", "verdict"),
            [
                [
                    view.page.id,
                    Cell(text, "long"),
                    Cell(cells_text(cells), "lines"),
                    _entitled(observation, view, cells),
                ]
                for view, text, cells in spans
            ],
            f"Spans, each known by the cells that it states: {len(spans)}",
        ),
    ]


def _spans(worlds: _Worlds, observation: Observation, view: View) -> Sequence[Chunk]:
    """Return the spans of our own natural answer that state cells, known from its plan."""
    pages = worlds.pages_of(view.page.url)
    if observation.status != "ok" or not pages.voice:
        return ()
    if observation.doc is not None:
        return [(text, cells) for text, cells in chunks(observation.doc) if cells]
    return hit_spans(view.page, pages)


def _entitled(observation: Observation, view: View, cells: Sequence[object]) -> Cell:
    entitled = view.page.head.cells if observation.doc is None else view.page.cells
    return Cell("entitled", "good") if set(entitled).issuperset(cells) else Cell("not entitled", "bad")
