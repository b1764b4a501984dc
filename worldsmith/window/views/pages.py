"""The pages of a world, and one of them beside the cells that it states."""

from collections import Counter
from typing import Final

from worldsmith.errors import NotFoundError, close_match
from worldsmith.pages.renderer import render
from worldsmith.pages.types import Page
from worldsmith.simulate.protocol import Address
from worldsmith.window.library import OpenWorld
from worldsmith.window.markup import Markup, tag
from worldsmith.window.page_html import doc_html
from worldsmith.window.sheet import (
    Cell,
    Content,
    Links,
    Sheet,
    Visit,
    choices,
    facts,
    field,
    joined,
    note,
    row_link,
    section,
    table,
    value_html,
)
from worldsmith.world.model import Cell as WorldCell

SHOWN_PAGES: Final = 100
"""Pages of the list that are shown at once."""


def pages(visit: Visit) -> Sheet:
    """Show the pages of a world, of a kind where the query names one, best first where it has words."""
    opened = visit.library.world(visit.path["world"])
    world, every = opened.world, opened.pages
    words, kind = visit.query.get("q", "").strip(), visit.query.get("kind", "")
    ids = [page for page in every.ids() if not kind or every.page(page).kind == kind]
    if words:
        kept = set(ids)
        ranked = opened.simulator.ranked_urls(Address(world.id), words)
        by_words = dict.fromkeys(page for page in map(every.by_url, ranked) if page is not None and page in kept)
        parts = words.casefold()
        named = (page for page in ids if parts in page.casefold() or parts in every.url(page).casefold())
        ids = [*by_words, *(page for page in named if page not in by_words)]
    shown, paging = visit.paged(len(ids), SHOWN_PAGES)
    kinds = Counter(every.page(page).kind for page in every.ids())
    form = tag(
        "form",
        field(
            "Words, an id or an address", tag("input", type="search", name="q", value=words, size=40, data_search=True)
        ),
        field(
            "Kind", choices("kind", [("", "all kinds"), *((k, f"{k} ({n})") for k, n in sorted(kinds.items()))], kind)
        ),
        tag("button", "Search"),
        class_="bar",
        role="search",
    )
    body = tag(
        "div",
        form,
        note(f"{len(ids)} of {len(every.ids())} pages", ", best first." if words else "."),
        table(
            ("page", "title", "site", "date", "cells", "shown"),
            [_page_row(visit.links, opened, every.page(ids[i])) for i in shown],
            label="Pages",
        ),
        paging,
    )
    return Sheet("Pages", body, world.id, tab="pages")


def _page_row(links: Links, opened: OpenWorld, page: Page) -> list[Content]:
    return [
        links.link(page.id, "world", opened.world.id, "page", id=page.id),
        Cell(render(page, opened.world, opened.pages).title, "long"),
        opened.pages.site(page.id).host,
        page.date or "",
        len(page.cells),
        Cell("by some profiles", "faint") if page.dormant else "",
    ]


def page(visit: Visit) -> Sheet:
    """Show a page, named by its id or its address, beside the cells that it states."""
    name = visit.path["world"]
    url, page_id = visit.query.get("url", ""), visit.query.get("id", "")
    if visit.library.is_pool(name):
        name = visit.library.pool().world_at(url) or name
    opened = visit.library.world(name)
    every, world = opened.pages, opened.world
    if url:
        page_id = every.by_url(url) or ""
    if page_id not in set(every.ids()):
        wanted = url or page_id
        raise NotFoundError(f"no page {wanted!r} in {world.id}.{close_match(page_id, every.ids()) if page_id else ''}")
    plan = every.page(page_id)
    doc = render(plan, world, every)

    def link(address: str) -> str:
        return visit.links.to("world", world.id, "page", url=address)

    reading = visit.links.to("world", world.id, "search", tool="web_extractor", arg=plan.url)
    about = facts(
        [
            ("page", tag("code", plan.id)),
            ("kind", plan.kind),
            ("address", tag("code", plan.url)),
            ("about", row_link(visit.links, world, plan.subject) if plan.subject else ""),
            ("shown", "by some profiles" if plan.dormant else ""),
            ("as an agent", tag("a", "reads it", href=reading)),
        ]
    )
    body = tag(
        "div",
        tag("div", doc_html(doc, link), class_="paper"),
        tag(
            "div",
            about,
            section(
                f"States {len(plan.cells)} cells", cells_table(visit.links, opened, plan.cells, set(plan.head.cells))
            ),
        ),
        class_="split",
    )
    return Sheet(doc.title, body, world.id, (("Pages", visit.links.to("world", world.id, "pages")),))


def cells_table(links: Links, opened: OpenWorld, cells: tuple[WorldCell, ...], head: set[WorldCell]) -> Markup:
    """Return cells that a page states, with the row of each; those that a hit may show, too, are marked."""
    world = opened.world
    return table(
        ("row", "column", "value", "where"),
        [
            [
                row_link(links, world, cell.row),
                tag(
                    "a",
                    f"{cell.row.table}.{cell.col}",
                    href=links.to("world", world.id, "graph", name=f"{cell.row.table}.{cell.col}"),
                ),
                _stated(opened, cell),
                "hit and page" if cell in head else "page",
            ]
            for cell in cells
        ],
        label="Cells",
    )


def _stated(opened: OpenWorld, cell: WorldCell) -> Content:
    """Return a value; where an edit tells another one, the world's too."""
    actual = opened.world.value(cell.row, cell.col)
    if actual == cell.value:
        return Cell(value_html(cell.value))
    return Cell(joined([value_html(cell.value), tag("b", "the world has "), value_html(actual)], " "), "bad")
