"""A page plan as a document. Only the plan is read: a cell that an edit dropped is stated nowhere, nor linked.

Of `Pages` no more is asked than words of the schema, addresses and chrome, where links lead, never a value.
"""

from collections.abc import Callable, Iterator, Sequence

from worldsmith.cache import keep
from worldsmith.pages import Block, Doc, Heading, Page, Pages, Para, Piece
from worldsmith.pages.renderer import facts, fillers, sentences, written
from worldsmith.pages.renderer.block_context import Desk
from worldsmith.pages.renderer.emit import extent, words_of
from worldsmith.pages.titles import key_cells, title
from worldsmith.pages.types import HEAD
from worldsmith.world.model import Cell, World

__all__ = ["declared", "render"]

MEMO = 512
"""Documents of natural pages kept: about 4 kB each."""


def render(page: Page, world: World, pages: Pages) -> Doc:
    """Return the document of a plan of `world`, as it is after edits.

    What the facts take more or less than they were planned to is made up for by the next text, so that a page is as
    long as its plan says.
    """
    assert pages.world.id == world.id, f"pages of {pages.world.id} cannot render a page of {world.id}"
    if not page.head.by:
        return _rendered(page, pages)
    _, doc = pages.documents.get(id(page)) or keep(pages.documents, id(page), (page, _rendered(page, pages)), MEMO)
    return doc


def _rendered(page: Page, pages: Pages) -> Doc:
    name, named = page_heading(page, page.cells, pages)
    blocks = _written(page, name, pages) if _has_chrome(page) else _writing(page, name, pages)
    pieces = tuple([piece for _, block_pieces in blocks for piece in block_pieces])
    return Doc(page.url, name, page.date, pieces, named)


def page_title(page: Page, cells: Sequence[Cell], pages: Pages) -> str:
    """Return the title of a page over some of its cells."""
    return page_heading(page, cells, pages)[0]


def page_heading(page: Page, cells: Sequence[Cell], pages: Pages) -> tuple[str, tuple[Cell, ...]]:
    """Return the title of a page over some of its cells, and those that it states: its subject's key."""
    if page.head.by and pages.voice:
        parts = written.written_title(Desk(page, pages), page.head, cells)
        return words_of(parts), tuple(cell for part in parts if not isinstance(part, str) for cell in part.cells)
    name = title(page, cells, pages.words)
    if page.subject is None:
        return name, ()
    own = {cell.col: cell for cell in cells if cell.row == page.subject}
    return name, key_cells(pages.words, page.subject, own)


def declared(page: Page, pages: Pages) -> frozenset[str]:
    """Return the headings and paragraphs of a page's document that its language makes without a cell."""
    if not _has_chrome(page):
        return frozenset()
    texts: dict[str, None] = {}
    for block, block_pieces in _written(page, page_title(page, page.cells, pages), pages):
        for piece in block_pieces if block.kind in CHROME else ():
            if isinstance(piece, Heading):
                texts[piece.text] = None
            elif isinstance(piece, Para):
                texts[words_of(piece.text)] = None
    return frozenset(texts)


def _has_chrome(page: Page) -> bool:
    return any(block.kind in CHROME for block in page.blocks)


def _written(page: Page, name: str, pages: Pages) -> tuple[tuple[Block, tuple[Piece, ...]], ...]:
    """Return the pieces of each block of a page called `name`; the last are kept: the guard asks after the writer."""
    made = pages.written.get((page, name))
    if made is None:
        made = tuple((block, tuple(block_pieces)) for block, block_pieces in _writing(page, name, pages))
        keep(pages.written, (page, name), made, 1)
    return made


def _writing(page: Page, name: str, pages: Pages) -> Iterator[tuple[Block, list[Piece]]]:
    desk = Desk(page, pages)
    spare = HEAD - len(name) - (24 if page.date else 4)
    filled = any(block.kind in FILLERS for block in page.blocks)
    for block in page.blocks:
        if block.kind in FILLERS:
            block_pieces = FILLERS[block.kind](desk, block, max(0, block.size + spare))
        else:
            block_pieces = BLOCKS[block.kind](desk, block)
        if filled:
            spare += block.size - sum(map(extent, block_pieces))
        yield block, block_pieces


FILLERS: dict[str, Callable[[Desk, Block, int], list[Piece]]] = {"text": fillers.text, "comments": fillers.comments}
"""Writers of blocks that fill the room they are given, in characters."""
CHROME = frozenset((*FILLERS, "byline", "notice", "cue", "wall", "guide"))
"""Kinds of block without a cell."""
BLOCKS: dict[str, Callable[[Desk, Block], list[Piece]]] = {
    "lead": sentences.lead,
    "infobox": facts.infobox,
    "points": facts.points,
    "prose": sentences.prose,
    "told": sentences.told_rows,
    "post": sentences.post,
    "named": sentences.named,
    "children": facts.children,
    "linked": facts.linked,
    "list": facts.table_of,
    "table": facts.table,
    "directory": facts.directory,
    "neighbours": facts.neighbours,
    "related": fillers.related,
    "byline": fillers.byline,
    "notice": fillers.notice,
    "cue": fillers.cue,
    "guide": fillers.guide,
    "wall": fillers.wall,
    "written-card": written.card,
    "written-article": written.article,
    "written-entries": written.entries,
    "written-table": written.table,
    "written-thread": written.thread,
    "begun": written.begun,
    "correction": written.correction,
    "imprint": written.imprint,
}
"""Writers by kind of block."""
