"""How long pages are: a length drawn for each, and what its blocks will take of it, without rendering."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from worldsmith.pages.page_kind import quantile
from worldsmith.pages.types import HEAD, Block

if TYPE_CHECKING:
    from worldsmith.pages.plan import Pages

Length = Literal["short", "web"]
LENGTHS: Final[dict[str, tuple[tuple[float, int], ...]]] = {
    # Facts alone take more on most pages: with the least of text beside them the median comes out at 1,600.
    "short": ((0.0, 500), (0.1, 650), (0.5, 950), (0.9, 1700), (1.0, 2400)),
    "web": (
        *((0.0, 1400), (0.1, 2200), (0.3, 3700), (0.5, 6000), (0.7, 13_000), (0.8, 21_000), (0.9, 35_000)),
        *((0.97, 48_000), (1.0, 60_000)),
    ),
}
"""Characters of Markdown by share of the pages: (share, characters)."""
LEAST: Final = {"short": 170, "web": 600}
"""Characters of text beside the facts, at least: what takes up that facts are longer or shorter than planned."""
COMMENTS: Final = 500
"""Characters that comments are worth a section for."""
_CELL: Final = {
    "lead": 14,
    "infobox": 24,
    "prose": 34,
    "told": 34,
    "points": 22,
    "children": 3,
    "linked": 3,
    "list": 3,
    "table": 3,
    "directory": 2,
    "neighbours": 2,
    "post": 38,
}
"""Characters about a value, by the kind of block: its label or the words of its sentence."""
_ROW: Final = frozenset(("children", "linked", "list", "table", "directory", "neighbours"))
_NAMED: Final = {"directory": 3, "neighbours": 20}
"""Kinds whose rows are followed by their noun, with so many characters beside it."""
_BASE: Final = {"lead": 30, "infobox": 24, "prose": 24, "children": 90, "linked": 60, "list": 60, "table": 60}
TEXTS: Final = frozenset(("text", "comments"))
"""Kinds of block that take what room there is."""


def planned(pages: "Pages", blocks: Sequence[Block], share: float) -> tuple[Block, ...]:
    """Return blocks with their sizes: facts as they come, texts so that the page has its length.

    Args:
        pages: the pages, whose length it is.
        blocks: the blocks of a page.
        share: the page's place among all pages by length, from 0 to 1.
    """
    sized = [block if block.kind in TEXTS else block.sized(extent(pages, block)) for block in blocks]
    facts = HEAD + sum(block.size for block in sized)
    room = max(quantile(LENGTHS[pages.length], share) - facts, LEAST[pages.length], facts // 8)
    texts = [i for i, block in enumerate(sized) if block.kind == "text"]
    comments = [i for i, block in enumerate(sized) if block.kind == "comments"] if room > 4 * COMMENTS else []
    for i in comments:
        sized[i] = sized[i].sized(room // 3)
    room -= sum(sized[i].size for i in comments)
    for k, i in enumerate(texts):
        part = room // (len(texts) - k)
        # What is too little for a section goes to the last text.
        part = part if k == len(texts) - 1 or part > LEAST["short"] else 0
        sized[i] = sized[i].sized(part)
        room -= part
    return tuple(block for block in sized if block.size)


def extent(pages: "Pages", block: Block) -> int:
    """Return about how many characters of Markdown the facts of a block take."""
    kind, cells = block.kind, block.cells
    if kind == "guide":
        return sum([len(text) + 2 for text in pages.background(block.variant)])
    if not cells:
        return 16 + sum(20 + len(pages.url(link)) for link in block.links) if block.links else _BASE.get(kind, 40)
    per, columns = _CELL.get(kind, 10), pages.words.columns
    size = _BASE.get(kind, 30) + sum([len(str(cell.value)) + per for cell in cells])
    if kind not in _ROW:
        size += sum([len(columns[c.row.table, c.col].unit) for c in cells])
    if kind in _NAMED:
        table = pages.world.schema.tables[cells[0].row.table]
        size += (len(cells) // len(table.key)) * (_NAMED[kind] + len(table.singular) * len(table.key))
        size += len(cells) * 8 if len(table.key) > 1 else 0
    if kind == "infobox":
        size += sum([len(columns[c.row.table, c.col].label) - 10 for c in cells])
    links = len(block.links) * (4 + ADDRESS)
    return size + links


ADDRESS: Final = 48
"""Characters of an address, about."""
