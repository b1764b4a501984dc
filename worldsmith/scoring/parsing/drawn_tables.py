"""Tables drawn with lines, "+---+" or box characters, or under rules like "=====  ====", written over with pipes."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from .table import FENCE, QUOTE, names_columns

_BOXED = re.compile("[\u2500-\u257f]")
_BOX = dict.fromkeys(range(0x2500, 0x2580), "+") | str.maketrans(
    dict.fromkeys("│┃║┆┇┊┋╎╏", "|") | dict.fromkeys("─━═┄┅┈┉╌╍", "-")
)
_BORDER = re.compile(r"\s*(?=[^\n]*(?:\+[-=]|[-=]\+))[|+]?[-=:+| ]*[|+]?\s*")
_RULER = re.compile(r"\s*(?:={2,}|-{2,})(?: +(?:={2,}|-{2,}))+\s*")
_RUN = re.compile(r"[=-]+")
_GAP = re.compile(r"\s{2,}")


def with_pipes(text: str, wanted: frozenset[str]) -> str:
    """Return the text with drawn tables as Markdown has them, everything else as it is.

    A line above a ruler is a header if it names half of the columns wanted, given by their bare keys.
    """
    if not _may_draw(text):
        return text
    lines = [_plain_line(QUOTE.sub("", line)) for line in text.split("\n")]
    out: list[str] = []
    for drawn, lines_of in groupby(_under_rulers(lines, wanted), key=lambda line: "|" in line or _is_border(line)):
        block = [*lines_of]
        out += _undrawn(block) if drawn else block
    return "\n".join(out)


def _may_draw(text: str) -> bool:
    """Whether the text has signs of a drawn table: a quick look, since nearly none has."""
    if "+" in text and ("+-" in text or "-+" in text or "+=" in text):
        return True
    if not text.isascii() and ("─" in text or "━" in text or "═" in text):
        return True
    return "-- -" in text or "--  " in text or "==" in text


def _plain_line(line: str) -> str:
    """Return a line of a box in ASCII, its own pipes escaped; any other line as it is."""
    if line.isascii() or line.lstrip().startswith("|") or not _BOXED.search(line):
        return line
    return line.replace("|", "\\|").translate(_BOX)


def _is_border(line: str) -> bool:
    return _BORDER.fullmatch(line) is not None


def _undrawn(block: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a block without its borders, the first part of it as the header above a rule.

    Where several parts follow the header, each is a row whose text may go on over lines.
    """
    parts = [[*part] for border, part in groupby(block, key=_is_border) if not border]
    if not parts or not any(map(_is_border, block)):
        yield from block
        return
    head, *body = parts if len(parts) > 1 else [parts[0][:1], parts[0][1:]]
    header = _merged(head)
    yield header
    yield _row(["---"] * len(_cells(header)))
    for part in body:
        rows: list[list[str]] = []
        for line in part:
            if rows and len(body) > 1 and not all(_cells(line)):
                rows[-1].append(line)
            else:
                rows.append([line])
        yield from map(_merged, rows)


def _merged(lines: Sequence[str]) -> str:
    """Join cells that go on over lines, column by column."""
    if len(lines) == 1:
        return lines[0]
    columns = zip(*map(_cells, lines), strict=False)
    return "| " + " | ".join(" ".join(filter(None, cells)) for cells in columns) + " |"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))]


def _under_rulers(lines: Sequence[str], wanted: frozenset[str]) -> Iterator[str]:
    """Yield the lines, with pipes between the columns that a ruler under a header marks out."""
    starts: list[int] = []
    ruler = ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if starts and _RULER.fullmatch(line):
            starts = starts if below.strip() and (ruler is line or "=" not in line) else []
        elif not line.strip() or FENCE.match(line):
            starts = []
            yield line
        elif not starts and _RULER.fullmatch(below) and names_columns(cells := _columns(line, _starts(below)), wanted):
            starts, ruler = _starts(below), below
            yield from (_row(cells), _row(["---"] * len(cells)))
        else:
            yield _row(_columns(line, starts)) if starts else line


def _starts(ruler: str) -> list[int]:
    return [run.start() for run in _RUN.finditer(ruler)]


def _columns(line: str, starts: Sequence[int]) -> list[str]:
    """Split at gaps of two spaces where there are as many as there should be, else where the columns start."""
    cells = _GAP.split(line.strip())
    if len(cells) != len(starts):
        cells = [line[start:end].strip() for start, end in pairwise([0, *starts[1:], len(line)])]
    return cells


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
