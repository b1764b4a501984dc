"""A page of the window: what a view returns, and the frame around it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import quote, urlencode

from worldsmith.errors import UsageError
from worldsmith.schema import Value
from worldsmith.window.library import Library
from worldsmith.window.markup import Child, Markup, html_of, tag
from worldsmith.window.row_filters import value_text
from worldsmith.world.model import Row, World

TABS: Final = (("", "Overview"), ("graph", "Graph"), ("pages", "Pages"), ("search", "Search"), ("tasks", "Tasks"))
"""The views of a world: the end of their path, and their name."""
DIGITS: Final = 15
"""Digits of a number in a query, at most."""
POOL_TABS: Final = (("search", "Search"), ("tasks", "Tasks"))
KEYS: Final = (
    ("/", "search or filter"),
    ("j →", "next step or results"),
    ("k ←", "previous"),
    ("h", "all worlds"),
    ("Esc", "leave a field"),
)


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses within the window, under the path that holds its token."""

    base: str

    def to(self, *path: str | None, **query: str | int | None) -> str:
        """Return the address of a path, without parts that are None and without fields of the query that are empty."""
        kept = {name.rstrip("_"): value for name, value in query.items() if value not in (None, "")}
        return f"{self.base}/{'/'.join(quote(part, safe='') for part in path if part is not None)}" + (
            f"?{urlencode(kept)}" if kept else ""
        )

    def link(self, text: Child, *path: str, **query: str | int | None) -> Markup:
        """Return a text that leads to the address of a path."""
        return tag("a", text, href=self.to(*path, **query))


@dataclass(frozen=True, slots=True)
class Visit:
    """A request for a view: what there is, where links lead, and what it asks for."""

    library: Library
    links: Links
    path: Mapping[str, str]
    query: Mapping[str, str]

    def number(self, name: str, default: int, least: int = 0, most: int = 10**DIGITS) -> int:
        """Return a whole number of the query. Raises UsageError for another value."""
        text = self.query.get(name, "").strip()
        if not text:
            return default
        if not (re.fullmatch(rf"[0-9]{{1,{DIGITS}}}", text) and least <= int(text) <= most):
            raise UsageError(f"{name} is {text[:40]!r}: give a whole number from {least} to {most}")
        return int(text)

    def paged(self, count: int, size: int) -> tuple[range, Markup]:
        """Return the places that this request shows of `count`, and the links to the others."""
        last = max(1, -(-count // size))
        page = min(self.number("page", 1, 1), last)
        shown = range((page - 1) * size, min(count, page * size))
        if last == 1:
            return shown, Markup("")

        def address(to: int) -> str:
            return f"?{urlencode({**self.query, 'page': str(to)})}" if 1 <= to <= last else ""

        where = f"{shown.start + 1}–{shown.stop} of {count}"
        return shown, moves("Pages of the list", address(page - 1), where, address(page + 1))


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a view shows."""

    title: str
    body: Markup
    name: str = ""
    """The world or pool that it is about."""
    crumbs: tuple[tuple[str, str], ...] = ()
    """Text and address of what else it is part of."""
    tab: str | None = None
    """Which of the tabs it is."""
    pooled: bool = False
    """Whether `name` is a pool."""


def page_html(sheet: Sheet, links: Links) -> str:
    """Return a page as a whole document."""
    tabs: Child = ()
    if sheet.name:
        tabs = tag(
            "nav",
            *(
                tag(
                    "a",
                    text,
                    href=links.to("world", sheet.name, end or None),
                    aria_current="page" if end == sheet.tab else None,
                )
                for end, text in (POOL_TABS if sheet.pooled else TABS)
            ),
            class_="tabs",
            aria_label=sheet.name,
        )
    trail = [tag("a", "worldsmith", href=links.to(""), class_="home")]
    if sheet.name and sheet.title != sheet.name:
        trail.append(tag("a", sheet.name, href=links.to("world", sheet.name, "search" if sheet.pooled else None)))
    trail += [tag("a", text, href=address) for text, address in sheet.crumbs]
    keys = [(tag("kbd", key), f" {what}") for key, what in KEYS]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{sheet.title} · worldsmith"),
        tag("link", rel="icon", href=links.to("static", "icon.svg")),
        tag("link", rel="stylesheet", href=links.to("static", "window.css")),
        tag("script", src=links.to("static", "window.js"), defer=True),
    )
    body = tag(
        "body",
        tag("a", "Skip to the content", href="#main", class_="skip"),
        tag("header", tag("nav", joined(trail, tag("i", "/")), class_="trail", aria_label="Where this is"), tabs),
        tag("main", tag("h1", sheet.title), sheet.body, id="main"),
        tag("footer", "Keys: ", [tag("span", *key) for key in keys]),
    )
    return f'<!doctype html>\n<html lang="en">\n{head}\n{body}\n</html>\n'


def moves(label: str, back: str, here: str, on: str) -> Markup:
    """Return links to what is before and after what is shown, which keys follow; "" where there is nothing."""

    def link(text: str, address: str, rel: str) -> Markup:
        return tag("a", text, href=address, rel=rel) if address else tag("span", text)

    links = (link("‹ previous", back, "prev"), tag("span", here), link("next ›", on, "next"))
    return tag("nav", *links, class_="paging", aria_label=label)


def joined(children: Iterable[Child], between: Child) -> list[Child]:
    """Return children with something between each two."""
    parts: list[Child] = []
    for child in children:
        parts += [between, child] if parts else [child]
    return parts


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table with a class, where its content alone doesn't say how it looks."""

    content: Child
    class_: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column that rows can be sorted by."""

    content: Child
    label: str
    order: str
    """"ascending", "descending", or "" where they aren't sorted by it."""


Content: TypeAlias = "Child | Cell"
"""What a cell of a table holds."""


def table(
    header: Sequence["Child | Head"],
    rows: Iterable[Sequence[Content]],
    caption: str = "",
    label: str = "",
    filters: Sequence[Child] = (),
) -> Markup:
    """Return a table that scrolls sideways by itself, with numbers to the right.

    Without rows there is nothing, but for a table with `filters`, which stand below its header. Where it has no
    caption, since it stands under a heading, `label` names it to screen readers.
    """
    body = [tag("tr", *map(_cell, row)) for row in rows]
    if not (body or filters):
        return Markup("")
    return tag(
        "div",
        tag(
            "table",
            tag("caption", caption) if caption else None,
            tag(
                "thead",
                tag("tr", *map(_head, header)),
                tag("tr", *map(_cell, filters), class_="filters") if filters else None,
            ),
            tag("tbody", body),
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=caption or label or None,
    )


def _head(head: "Child | Head") -> Markup:
    if not isinstance(head, Head):
        return tag("th", head, scope="col")
    return tag("th", head.content, scope="col", title=head.label, aria_sort=head.order or None)


def _cell(cell: Content) -> Markup:
    if isinstance(cell, Cell):
        return tag("td", cell.content, class_=cell.class_ or None)
    if isinstance(cell, float):
        return tag("td", f"{cell:.3f}", class_="n")
    return tag("td", cell, class_="n" if isinstance(cell, int) and not isinstance(cell, bool) else None)


def value_html(value: Value) -> Child:
    """Return a value of a world; a dash for null."""
    return tag("span", "–", class_="null", title="null") if value is None else value_text(value)


def row_link(links: Links, world: World, row: Row) -> Markup:
    """Return the key of a row, which leads to it."""
    address = links.to("world", world.id, "t", row.table, str(row.index))
    return tag("a", world.title(row) or str(row), href=address, title=str(row))


def facts(pairs: Iterable[tuple[str, Child]]) -> Markup:
    """Return labels with what they stand for; pairs without content are left out."""
    some = [
        tag("div", tag("dt", label), tag("dd", content))
        for label, content in pairs
        if content not in (None, "", Markup(""))
    ]
    return tag("dl", some, class_="facts")


def note(*content: Child, class_: str = "note") -> Markup:
    """Return a paragraph that remarks on something."""
    return tag("p", *content, class_=class_)


def problems(texts: Iterable[str]) -> Markup:
    """Return what is wrong, as a list."""
    lines = [tag("li", text) for text in texts]
    return tag("ul", lines, class_="problems", role="alert") if lines else Markup("")


def section(title: str, *content: Child, class_: str = "") -> Markup:
    """Return a part of a page under a heading; nothing where it has no content."""
    inside = html_of(content)
    return tag("section", tag("h2", title), inside, class_=class_ or None) if inside else Markup("")


def field(label: str, control: Markup) -> Markup:
    """Return a control of a form under its label."""
    return tag("label", tag("span", label), control)


def choices(name: str, options: Iterable[tuple[str, str]], chosen: str) -> Markup:
    """Return a field in which one of some (value, text) is chosen."""
    return tag(
        "select", *(tag("option", text, value=value, selected=value == chosen) for value, text in options), name=name
    )
