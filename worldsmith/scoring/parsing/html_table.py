"""Simple HTML tables: no spans but of a row's only cell, nothing nested, nothing hidden or struck out between cells."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from .table import LONGEST_LEAD, WIDEST, Table, header_name

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"<(/?)(table|thead|tbody|tfoot|tr|th|td|caption)\b([^<>]{0,300})>", re.IGNORECASE)
_SPAN = re.compile(r"\b(?:col|row)span\s*=\s*[\"']?\s*(?!1\b)\d", re.IGNORECASE)
_UNSEEN = re.compile(r"line-through|display\s*:|visibility\s*:|opacity|\bhidden\b", re.IGNORECASE)
_STRUCK = re.compile(r"<(?:s|del|strike|template|script|style)\b", re.IGNORECASE)


def html_tables(text: str, _wanted: frozenset[str], notes: list[str]) -> Iterator[Table]:
    """Yield the tables in order; of one that isn't simple only a note is left. The first row is the header."""
    if "<t" not in text and "<T" not in text:
        return
    text = _COMMENT.sub("", text)
    tags = [*_TAG.finditer(text)]
    starts = [n for n, tag in enumerate(tags) if not tag[1] and tag[2].lower() == "table"]
    last = 0
    for start, following in pairwise([*starts, len(tags)]):
        inside = tags[start:following]
        closing = next((n for n, tag in enumerate(inside) if tag[1] and tag[2].lower() == "table"), None)
        whole = inside if closing is None else inside[: closing + 1]
        if (closing is None and following < len(tags)) or not _simple(text, whole):
            notes.append("an HTML table with spans, tables within, or hidden or struck parts")
            continue
        if table := _table(text, whole, cut=closing is None):
            yield replace(table, lead=text[last : whole[0].start()][:LONGEST_LEAD])
            last = whole[-1].end()


def _simple(text: str, tags: list[re.Match[str]]) -> bool:
    if any(_UNSEEN.search(tag[3]) or (_SPAN.search(tag[3]) and not _fills_row(tags, n)) for n, tag in enumerate(tags)):
        return False
    before = text[max(0, tags[0].start() - 60) : tags[0].start()]
    between = "".join(text[one.end() : other.start()] for one, other in pairwise(tags) if _ends(one))
    return not _STRUCK.search(between) and not _STRUCK.search(before)


def _fills_row(tags: list[re.Match[str]], n: int) -> bool:
    """Whether a cell that spans columns is the only one of its row."""
    after = next((tag for tag in tags[n + 1 :] if tag[2].lower() not in ("td", "th") or not tag[1]), None)
    alone = n > 0 and tags[n - 1][2].lower() == "tr" and (after is None or after[2].lower() not in ("td", "th"))
    return alone and "rowspan" not in tags[n][3].lower()


def _ends(tag: re.Match[str]) -> bool:
    """Whether no cell is open after the tag."""
    return bool(tag[1]) or tag[2].lower() not in ("td", "th")


def _table(text: str, tags: list[re.Match[str]], *, cut: bool) -> Table | None:
    lines: list[list[str]] = []
    open_row = False
    for n, tag in enumerate(tags):
        name, closes = tag[2].lower(), bool(tag[1])
        if name == "tr":
            open_row = not closes
            if open_row:
                lines.append([])
        elif name in ("td", "th") and not closes and lines:
            end = tags[n + 1].start() if n + 1 < len(tags) else len(text)
            lines[-1].append(" ".join(text[tag.end() : end].split()))
    dropped: list[str] = []
    if cut and open_row and len(lines) > 1:
        dropped.append(f"a last row that is cut off: {' | '.join(lines.pop())[:60]!r}")
    lines = [line for line in lines if line]
    if not lines:
        return None
    header = tuple(header_name(cell) for cell in lines[0][:WIDEST])
    width = len(header)
    ragged = [(n, len(line)) for n, line in enumerate(lines[1:], 1) if len(line) != width]
    dropped += [f"row {n} has {cells} cells for {width} columns" for n, cells in ragged]
    rows = tuple((*line[:width], *[""] * (width - len(line))) for line in lines[1:])
    return Table(header, rows, tuple(dropped), "html", cut)
