"""Edits of pages: what is gone, contradicted, cut off, behind a wall, or shown in parts.

All but `paginate` meet spare pages alone: those that no schema declares, and whose cells other pages state too.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from worldsmith.cache import keep
from worldsmith.pages import Pages
from worldsmith.pages.earliest_days import ordinal
from worldsmith.pages.types import Block, Page
from worldsmith.schema import Value
from worldsmith.seeding import draw
from worldsmith.simulate.protocol import Change, Slice, SliceEdit, View
from worldsmith.world.model import Cell, Row

MEMO: Final = 1024
"""Edited pages kept per edit."""
PART: Final = 1200
"""Characters per call of a page that is shown in parts."""

PageEdit = Callable[[Pages, Page, int], Page | None]
"""(pages, page, chance) to what becomes of the page; None where it is gone."""


def is_drawn(kind: str, share: float, page_id: str, seed: int) -> bool:
    """Whether an edit of a kind, with a share of all pages, meets a page."""
    return share > 0 and draw(seed, kind, page_id) < share * 2**64


def is_spare(pages: Pages, page: Page) -> bool:
    """Whether a page may be lost: no schema declares its kind, and it is no directory or background."""
    declared = any(spec.name == page.kind for spec in pages.specs)
    return bool(page.cells) and not declared and not page.directory


def _contradicted(pages: Pages, page: Page, chance: int) -> Page | None:
    """One cell has the value of another row; the cue leads to the entry that is right."""
    return contradicted(pages, page, page.cells, chance, lambda _: pages.about(page.subject) if page.subject else None)


def contradicted(
    pages: Pages, page: Page, among: Iterable[Cell], chance: int, right: Callable[[Cell], str | None]
) -> Page:
    """Return a page that tells a cell wrong, and leads to the page that is right; the page itself where none can be.

    Args:
        pages: the pages of the world.
        page: the page.
        among: the cells of which one is told wrong.
        chance: what is drawn by.
        right: names the page that tells a cell right; None for none.
    """
    wrong = wrong_cell(pages, page, among, chance)
    entry = right(wrong[0]) if wrong else None
    if wrong is None or entry is None:
        return page
    keys = tuple(c for c in page.cells if c.row == page.subject and c.col in pages.world.schema.tables[c.row.table].key)
    cue = Block("cue", keys, chance >> 32 & 255, (entry,))
    after = with_cell_replaced(page, *wrong)
    blocks = after.blocks
    at = len(blocks) - 1 if blocks and blocks[-1].kind == "related" else len(blocks)
    return replace(after, blocks=(*blocks[:at], cue, *blocks[at:]))


def wrong_cell(pages: Pages, page: Page, among: Iterable[Cell], chance: int) -> tuple[Cell, Cell] | None:
    """Return one of the cells `among`, and the same with the value of another row; None where none can be wrong."""
    cells = [cell for cell in among if _mutable(pages, cell)]
    if not cells:
        return None
    cell = cells[chance % len(cells)]
    values = sorted({v for v in _told_by(pages, page, cell) if v not in {None, cell.value}}, key=repr)
    return (cell, cell._replace(value=values[(chance >> 16) % len(values)])) if values else None


def with_cell_replaced(page: Page, cell: Cell, other: Cell) -> Page:
    """Return a page with another cell in place of one of its own."""
    blocks = tuple(_with(block, cell, other) for block in page.blocks)
    return replace(page, head=_with(page.head, cell, other), blocks=blocks)


def _told_by(pages: Pages, page: Page, cell: Cell) -> Iterator[Value]:
    """Yield the values of a cell's column that a page as old as this one may tell."""
    day = ordinal(page.date) if page.date else pages.days.end + 1
    for i, value in enumerate(pages.world.tables[cell.row.table][cell.col]):
        if pages.days.cell(Cell(Row(cell.row.table, i), cell.col, value)) <= day:
            yield value


def _mutable(pages: Pages, cell: Cell) -> bool:
    """Whether a cell may be told wrong: no key, no reference, no null, no yes or no."""
    column = pages.words.columns[cell.row.table, cell.col]
    true = pages.world.value(cell.row, cell.col) == cell.value  # an archive copy tells what was
    return true and not (column.key or column.ref or cell.value is None or isinstance(cell.value, bool))


def _with(block: Block, cell: Cell, other: Cell) -> Block:
    return replace(block, cells=tuple(other if c == cell else c for c in block.cells)) if cell in block.cells else block


PAGE_EDITS: Mapping[str, PageEdit] = {
    "dead_link": lambda _pages, _page, _chance: None,
    "contradiction": _contradicted,
    "truncate": lambda _, page, __: replace(page, blocks=page.blocks[: max(1, len(page.blocks) // 2)]),
    "paywall": lambda _, page, chance: replace(page, blocks=(*page.blocks[:1], Block("wall", (), chance & 255))),
}
"""Edits of spare pages by name, in the order they are made: the page is gone, wrong, ends early, ends at a wall."""


def edit_of_pages(
    name: str,
    page_edit: Callable[[Pages, Page, int], Page | None],
    cells: Callable[[Page], Iterable[Cell]],
    share: float | None = None,
) -> SliceEdit:
    """Return the slice edit that edits a share of the spare pages, or all pages, and notes the cells they lost.

    Args:
        name: what its changes are called.
        page_edit: (pages, page, seed) to the page after it, None where it is gone; pure, so that results are kept.
        cells: those of a page that count as lost where it no longer has them.
        share: of the spare pages that are edited; None for all pages.
    """
    edited: dict[tuple[str, int, str], tuple[Page, Page | None, Change | None]] = {}

    def edit(pages: Pages, slice_: Slice, seed: int) -> Slice:
        views, changes = [], []
        for view in slice_.views:
            page = view.page
            if share is not None and not (is_drawn(name, share, page.id, seed) and is_spare(pages, page)):
                views.append(view)
                continue
            key = (pages.world.id, seed, page.id)
            known = edited.get(key)
            if known is None or known[0] is not page:
                after = page_edit(pages, page, seed)
                known = keep(edited, key, (page, after, _change(name, page, after, cells)), MEMO)
            if known[1] is not None:
                views.append(View(known[1], view.score, view.rank))
            if known[2] is not None:
                changes.append(known[2])
        return replace(slice_, views=tuple(views), changes=(*slice_.changes, *changes)) if changes else slice_

    return edit


def _change(name: str, before: Page, after: Page | None, cells: Callable[[Page], Iterable[Cell]]) -> Change | None:
    """Return what an edit made of a page, None where nothing: the cells that it lost or tells otherwise."""
    if after is before:
        return None
    kept = set() if after is None else set(cells(after))
    return Change(name, before.id, tuple(c for c in cells(before) if c not in kept))


def spare_page_edit(name: str, share: float) -> SliceEdit:
    """Return the slice edit that makes one of `PAGE_EDITS` to a share of the spare pages.

    A dead link is found by searches and not there for a reader; all else a hit and its page show alike.
    """

    def page_edit(pages: Pages, page: Page, seed: int) -> Page | None:
        return PAGE_EDITS[name](pages, page, draw(seed, name, "how", page.id))

    def cells(page: Page) -> Iterable[Cell]:
        return dict.fromkeys((*page.cells, *page.head.cells))

    edit = edit_of_pages(name, page_edit, cells, share)
    if name == "dead_link":
        return lambda pages, slice_, seed: slice_ if slice_.call.tool == "web_search" else edit(pages, slice_, seed)
    return edit


def paginate(share: float) -> SliceEdit:
    """Return the edit that shows a share of the pages in parts, declared ones too: nothing is lost."""

    def edit(pages: Pages, slice_: Slice, seed: int) -> Slice:  # noqa: ARG001 - every slice edit's signature
        call = slice_.call
        if (
            call.tool != "web_extractor"
            or not slice_.views
            or not is_drawn("paginate", share, slice_.views[0].page.id, seed)
        ):
            return slice_
        short = replace(call, max_chars=min(call.max_chars or PART, PART))
        return replace(slice_, call=short, changes=(*slice_.changes, Change("paginate", slice_.views[0].page.id, ())))

    return edit
