"""Tables in Markdown as agents write it: GFM with escapes and code, ragged rows, edges missing, quoted, full-width.

Tables drawn with lines count as such, too (see `drawn_tables`).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from .drawn_tables import with_pipes
from .table import FENCE, LONGEST_LEAD, QUOTE, WIDEST, Table, header_name, names_columns

_RULE_CELL = re.compile(r":?-+:?|:?[–—]+:?")


@dataclass(slots=True)
class _Line:
    cells: list[str]
    inner: str  # what stands between the outer pipes
    left: bool  # begins with a pipe
    right: bool  # ends with one
    last: bool  # nothing but blank lines follows
    apart: bool = False  # a blank line stands before it


def markdown_tables(text: str, wanted: frozenset[str]) -> Iterator[Table]:
    """Yield the tables in order: runs of lines with pipes, with a rule below the header or a header that matches."""
    lead = ""
    for block, prose in _blocks(with_pipes(text, wanted)):
        lead += prose
        for table in _tables_of(block, wanted):
            yield replace(table, lead=lead[:LONGEST_LEAD])
            lead = ""


def _blocks(text: str) -> Iterator[tuple[list[_Line], str]]:
    """Yield runs of lines with pipes and the prose before each. One blank line ends no run; a fence or prose does."""
    run: list[_Line] = []
    prose: list[str] = []
    blank = 0
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    for number, raw in enumerate(lines):
        line = QUOTE.sub("", raw)
        fence = FENCE.match(line) is not None
        if not fence and ("|" in line or "｜" in line):
            run.append(_split(line, last=number == len(lines) - 1, apart=blank > 0))
            blank = 0
            continue
        blank = 0 if line.strip() else blank + 1
        if run and (blank != 1):
            yield run, "\n".join(prose)
            run, prose = [], []
        prose.append(line)
    yield run, "\n".join(prose)


def _split(line: str, *, last: bool, apart: bool) -> _Line:
    if "|" not in line:
        line = line.replace("｜", "|")
    line = line.strip()
    left = line.startswith("|")
    right = line.endswith("|") and not line.endswith("\\|") and len(line) > left
    inner = line[left : len(line) - right]
    return _Line(_cells(inner), inner, left, right, last, apart)


_PIPE = re.compile(r"\\\\|\\\||`+|\|")


def _cells(inner: str, *, code: bool = True) -> list[str]:
    """Split at the pipes that are neither escaped nor, with `code`, inside a closed code span."""
    if "\\" not in inner and "`" not in inner:
        return [cell.strip() for cell in inner.split("|")]
    cells, start, skip_to = [], 0, 0
    for delimiter in _PIPE.finditer(inner):
        if delimiter.start() < skip_to:
            continue
        if delimiter[0] == "|":
            cells.append(inner[start : delimiter.start()])
            start = delimiter.end()
        elif code and delimiter[0][0] == "`":
            closing = inner.find(delimiter[0], delimiter.end())
            skip_to = closing + len(delimiter[0]) if closing >= 0 else 0
    cells.append(inner[start:])
    return [cell.strip().replace("\\|", "|") for cell in cells]


def _is_rule(line: _Line) -> bool:
    if not line.inner.lstrip("| \t").startswith(("-", ":", "–", "—")):
        return False
    filled = [cell for cell in line.cells if cell]
    return all(_RULE_CELL.fullmatch(cell.replace(" ", "")) for cell in filled)


def _tables_of(run: list[_Line], wanted: frozenset[str]) -> Iterator[Table]:
    heads = [i for i in range(len(run) - 1) if _is_rule(run[i + 1]) and not _is_rule(run[i])]
    # A row of dashes among the data makes no header of the row above it, unless that row looks like one.
    heads = [i for i in heads if run[i].apart or _heads_again(run[i], run[heads[0]], wanted)]
    if not heads:
        heads = [i for i, line in enumerate(run) if names_columns(line.cells, wanted)][:1]
    if not heads and not wanted and len(run) > 1 and len({len(line.cells) for line in run}) == 1:
        heads = [0]
    for start, end in pairwise([*heads, len(run)]):
        ruled = start + 1 < len(run) and _is_rule(run[start + 1])
        yield _table(run[start], run[start + 1 + ruled : end])


def _heads_again(line: _Line, first: _Line, wanted: frozenset[str]) -> bool:
    return line.cells == first.cells or names_columns(line.cells, wanted)


def _table(head: _Line, body: Iterable[_Line]) -> Table:
    header = tuple(header_name(cell) for cell in head.cells[:WIDEST])
    width = len(header)
    rows: list[tuple[str, ...]] = []
    dropped: list[str] = []
    cut = False
    for line in body:
        cells = line.cells
        if not head.left and line.left and len(cells) == width - 1:
            cells = ["", *cells]
        if "`" in line.inner:  # strictly, GFM knows no pipes inside code
            other = _cells(line.inner, code=False)
            cells = other if len(other) == width else cells
        if len(cells) < width and line.last and head.right and not line.right:
            dropped.append(f"a last row that is cut off: {' | '.join(cells)[:60]!r}")
            cut = True
            continue
        if len(cells) != width:
            dropped.append(
                f"row {len(rows) + 1} has {len(cells)} cells for {width} columns: {' | '.join(cells)[:60]!r}"
            )
        rows.append((*cells[:width], *[""] * (width - len(cells))))
    return Table(header, tuple(rows), tuple(dropped), "markdown", cut)
