"""A page in Markdown read back into a document. Raw HTML, images and emphasis are dropped, text stays."""

import re
from collections.abc import Sequence

from worldsmith.pages.renderer.block_context import flat
from worldsmith.pages.types import Doc, Grid, Heading, Inline, Items, KeyValues, Link, Para, Piece, Text, plain_part

_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|(\d{1,3})[.)])\s+(.*)$")
_PAIR = re.compile(r"\*\*([^*\n]{1,80}?):?\*\*:?\s*(.*)$")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
_LINK = re.compile(r"(!?)\[([^\[\]\n]{0,300})\]\(\s*<?([^()\s<>]{0,2000})>?(?:\s+[^()\n]{0,200})?\)")
_TAG = re.compile(r"<(?:!--.*?--|/?[A-Za-z][^<>]{0,400})>", re.DOTALL)
_SCRIPT = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|$)", re.DOTALL | re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w))")
_PIPE = re.compile(r"(?<!\\)\|")
_DIVIDER = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$")
_UPDATED = re.compile(
    r"(?:[*_]{0,2})(?:Updated|Date|Published|Last updated)(?:[*_]{0,2}):?\s+(\d{4}-\d{2}-\d{2})(?:[*_]{0,2})\s*$"
)


def _bare(text: str) -> str:
    return _EMPHASIS.sub("", text).replace("\\|", "|")


def parse_inline(text: str) -> Text:
    """Return running text with its links; an image leaves its caption."""
    parts: list[Inline] = []
    here = 0
    for match in _LINK.finditer(text):
        before = _bare(text[here : match.start()])
        image, shown, url = match.groups()
        linked = _bare(shown)
        if image or not linked:
            before += linked
        if before:
            parts.append(before)
        if linked and not image:
            parts.append(Link(linked, url))
        here = match.end()
    rest = _bare(text[here:])
    if rest:
        parts.append(rest)
    return flat(parts)


def _plain(text: str) -> str:
    return "".join(map(plain_part, parse_inline(text)))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in _PIPE.split(line.strip().removeprefix("|").removesuffix("|"))]


def parse_markdown(text: str, url: str) -> Doc:
    """Return the document that a Markdown page of `url` holds; the first heading is its title."""
    lines = _TAG.sub("", _SCRIPT.sub("", text)).split("\n")
    title, day = "", None
    pieces: list[Piece] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        heading = _HEADING.match(line)
        updated = _UPDATED.match(line.strip())
        if not line.strip() or _RULE.match(line):
            i += 1
        elif heading:
            if not title and not pieces:
                title = _plain(heading.group(2))
            else:
                pieces.append(Heading(min(len(heading.group(1)), 4), _plain(heading.group(2))))
            i += 1
        elif updated and day is None and not pieces:
            day = updated.group(1)
            i += 1
        elif "|" in line and i + 1 < len(lines) and "-" in lines[i + 1] and _DIVIDER.match(lines[i + 1]):
            i = _grid(lines, i, pieces)
        elif _ITEM.match(line):
            i = _items(lines, i, pieces)
        else:
            i = _para(lines, i, pieces)
    return Doc(url, title, day, tuple(pieces))


def _grid(lines: Sequence[str], start: int, pieces: list[Piece]) -> int:
    header = tuple(_plain(cell) for cell in _cells(lines[start]))
    rows: list[tuple[Text, ...]] = []
    i = start + 2
    while i < len(lines) and "|" in lines[i] and lines[i].strip():
        cells = [parse_inline(cell) for cell in _cells(lines[i])]
        cells += [()] * (len(header) - len(cells))
        rows.append(tuple(cell or ("",) for cell in cells))
        i += 1
    pieces.append(Grid(header, tuple(rows)))
    return i


def _items(lines: Sequence[str], start: int, pieces: list[Piece]) -> int:
    items: list[str] = []
    ordered = True
    i = start
    while i < len(lines):
        match = _ITEM.match(lines[i])
        if match is None or _RULE.match(lines[i]):
            break
        ordered = ordered and match.group(1) is not None
        items.append(match.group(2))
        i += 1
    pairs = [_PAIR.match(item) for item in items]
    if all(pairs):
        pieces.append(KeyValues(tuple((_plain(p.group(1)), parse_inline(p.group(2))) for p in pairs if p)))
    else:
        pieces.append(Items(tuple(parse_inline(item) for item in items), ordered))
    return i


def _para(lines: Sequence[str], start: int, pieces: list[Piece]) -> int:
    i = start + 1
    while i < len(lines) and lines[i].strip() and not (_HEADING.match(lines[i]) or _ITEM.match(lines[i])):
        i += 1
    pieces.append(Para(parse_inline(" ".join(line.strip().removeprefix("> ") for line in lines[start:i]))))
    return i
