"""What a page of Markdown says in its tables, lists of pairs and links, by a reading of its own."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]+)\)")
_PAIR = re.compile(r"[-*] (?:\*\*(?P<bold>[^*]+)\*\*|(?P<bare>[^:\[\]]+(?:: [^:\[\]]+)*?)): (?P<value>.+)")
_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*")
_PIPE = re.compile(r"(?<!\\)\|")


class LinkedText(NamedTuple):
    """A text, and where it leads ("" for nowhere)."""

    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table under its heading."""

    heading: str
    header: tuple[str, ...]
    rows: tuple[tuple[LinkedText, ...], ...]


@dataclass(slots=True)
class ParsedPage:
    """A page as read."""

    title: str = ""
    pairs: list[tuple[str, LinkedText]] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    items: list[tuple[str, LinkedText]] = field(default_factory=list)
    """Bullets that are no pairs, each with its heading."""
    links: list[LinkedText] = field(default_factory=list)


def linked_text(cell: str) -> LinkedText:
    """Return a cell's text without marks, and its first link."""
    link = _LINK.search(cell)
    text = _LINK.sub(r"\1", cell).replace("\\|", "|").strip()
    return LinkedText(text, link[2] if link else "")


def cells(line: str) -> tuple[LinkedText, ...]:
    """Return the cells of a table line."""
    return tuple(map(linked_text, _PIPE.split(line.strip().removeprefix("|").removesuffix("|"))))


@lru_cache(maxsize=256)  # the pages of a world: more would grow with each world that is opened
def read(text: str) -> ParsedPage:
    """Read a page's Markdown. The result is cached and shared: don't change it."""
    page, heading, table = ParsedPage(), "", list[str]()
    for line in [*text.split("\n"), ""]:
        if line.startswith("|"):
            table.append(line)
            continue
        if table:
            _take(page, heading, table)
            table = []
        if line.startswith("#"):
            mark, _, name = line.partition(" ")
            heading = linked_text(name).text
            page.title = page.title or (heading if mark == "#" else "")
        elif pair := _PAIR.fullmatch(line):
            page.pairs.append(((pair["bold"] or pair["bare"]).strip(), linked_text(pair["value"])))
        elif line.startswith(("- ", "* ")):
            page.items.append((heading, linked_text(line[2:])))
        page.links += [LinkedText(*pair) for pair in _LINK.findall(line)]
    return page


def _take(page: ParsedPage, heading: str, lines: list[str]) -> None:
    header, *rows = [cells(line) for line in lines if not _RULE.fullmatch(line)]
    page.links += [cell for row in rows for cell in row if cell.url]
    if len(header) == 2 and [cell.text for cell in header] == ["Item", "Value"]:
        page.pairs += [(row[0].text, row[1]) for row in rows if len(row) == 2]
    else:
        page.grids.append(Grid(heading, tuple(cell.text for cell in header), tuple(rows)))
