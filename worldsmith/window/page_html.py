"""Pages as HTML within the window: links lead to pages here, and what states cells is marked with them."""

import re
from collections.abc import Callable, Iterable

from worldsmith.pages.types import Doc, Grid, Heading, Items, KeyValues, Link, Para, Piece, Span, Text
from worldsmith.window.markup import Child, Markup, tag
from worldsmith.window.row_filters import value_text
from worldsmith.world.model import Cell

_URL = re.compile(r"https?://[\w.-]+\.example(?:/[^\s()\[\]<>\"|]*)?")


def doc_html(doc: Doc, link: Callable[[str], str]) -> Markup:
    """Return a document without its title; `link` maps the addresses of its links."""
    day = tag("p", tag("time", f"Updated {doc.date}", datetime=doc.date)) if doc.date else None
    return tag("article", day, (_piece(piece, link) for piece in doc.pieces), class_="page")


def _piece(piece: Piece, link: Callable[[str], str]) -> Markup:
    match piece:
        case Heading(level, content):
            return tag(f"h{min(level + 1, 6)}", content)
        case Para(content):
            return tag("p", _text(content, link))
        case KeyValues(pairs):
            rows = [
                tag("tr", tag("th", label, scope="row"), tag("td", _text(content, link))) for label, content in pairs
            ]
            return tag("table", tag("tbody", rows))
        case Items(items, ordered):
            return tag("ol" if ordered else "ul", [tag("li", _text(item, link)) for item in items])
        case Grid(header, rows, caption):
            body = [tag("tr", [tag("td", _text(cell, link)) for cell in row]) for row in rows]
            return tag(
                "table",
                tag("caption", caption) if caption else None,
                tag("thead", tag("tr", [tag("th", name, scope="col") for name in header])),
                tag("tbody", body),
            )


def _text(content: Text, link: Callable[[str], str]) -> list[Child]:
    parts: list[Child] = []
    for part in content:
        match part:
            case Link(text, url, cells):
                parts.append(tag("a", text, href=link(url), title=cells_text(cells) or None))
            case Span(text, cells):
                parts.append(tag("mark", text, title=cells_text(cells)))
            case str(text):
                parts.append(text)
    return parts


def cells_text(cells: Iterable[Cell]) -> str:
    """Return cells in a line each."""
    return "\n".join(f"{cell.row}.{cell.col} = {value_text(cell.value) or 'null'}" for cell in cells)


def linked_text(text: str, link: Callable[[str], str]) -> list[Child]:
    """Return a text as it is, with the addresses of the invented web as links."""
    parts: list[Child] = []
    here = 0
    for match in _URL.finditer(text):
        parts += [text[here : match.start()], tag("a", match[0], href=link(match[0]))]
        here = match.end()
    return [*parts, text[here:]]
