"""Detours: pages of a natural world that a task may need are gone, walled, cut short, wrong or out of date.

Each leaves a way round. Whether a page is affected depends on (seed, page id) alone. What it loses is stated by pages
that aren't affected; if they lack a cell, searches find the syndicated copy of the page, at a lower rank, so that no
fact is lost. The copy of an outdated page has a later date and says what has changed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from worldsmith.cache import keep
from worldsmith.pages import Pages
from worldsmith.pages.dormant import original, syndicated
from worldsmith.pages.earliest_days import ordinal
from worldsmith.pages.page_kind import earliest_date
from worldsmith.pages.renderer.written import beginning
from worldsmith.pages.types import Block, Detour, Page, by_row
from worldsmith.pages.written import is_over, row_cells
from worldsmith.schema.patterns import SUBJECT
from worldsmith.seeding import draw
from worldsmith.simulate.disclosure import disclosed_by_reading, is_all_children
from worldsmith.simulate.perturb.pages import (
    PAGE_EDITS,
    contradicted,
    edit_of_pages,
    is_drawn,
    with_cell_replaced,
    wrong_cell,
)
from worldsmith.simulate.protocol import SliceEdit
from worldsmith.world.model import Cell, Disclosure

DETOUR: Final = "detour"
"""The edit of a profile that gives the share of pages."""
STALE: Final = "stale"
"""The kind that `PAGE_EDITS` lacks: the page states an old value of one cell, and its copy has a later date."""
KINDS: Final = (*PAGE_EDITS, STALE)
"""Kinds of detour, equally likely."""
MEMO: Final = 4096
"""Lost pages kept per world."""
CUT: Final = 2
"""A page that is cut short shows one in this many of its cells."""
WALLED: Final = 4
"""A page that ends at a paywall shows one in this many."""
PROSE: Final = ("article", "entries", "thread")
"""Forms of page that may end in the middle of a sentence."""


def detour_of(pages: Pages, page: Page, share: float, seed: int) -> Detour | None:
    """Return the detour of a page where `share` of all pages have one; None for an unaffected page or a plain world."""
    if not pages.voice or page.dormant or not page.cells or not is_drawn(DETOUR, share, page.id, seed):
        return None
    key = (page.id, share, seed)
    return pages.detours.get(key) or keep(pages.detours, key, _detour(pages, page, share, seed), MEMO)


def needs_copy(pages: Pages, page: Page, share: float, seed: int) -> bool:
    """Whether the syndicated copy of a page is found."""
    detour = detour_of(pages, page, share, seed)
    return detour is not None and detour.copied


def _detour(pages: Pages, page: Page, share: float, seed: int) -> Detour:
    chance = draw(seed, DETOUR, "how", page.id)
    kind = KINDS[chance % len(KINDS)]

    def source(disclosure: Disclosure) -> str | None:
        """Return an unaffected page that discloses what this one lost."""
        if is_all_children(disclosure):
            return None
        others = pages.carrying(*disclosure)
        return next((i for i in others if i != page.id and not is_drawn(DETOUR, share, i, seed)), None)

    after: Page | None = None
    copy: Page | None = None
    if kind == "truncate":
        after = _broken_off(pages, _cut(page, CUT), page, chance >> 8)
    elif kind == "paywall":
        after = _ending(_cut(page, WALLED), Block("wall", (), _site_draw(pages, page, "wall")))
    elif kind == "contradiction":
        after = contradicted(
            pages, page, _fallible(pages, page), chance >> 8, lambda c: source((c.row, c.col)) or syndicated(page.id)
        )
        if after is page:  # it has no cell that could be wrong
            kind, after = "dead_link", None
    elif kind == STALE:
        after, copy = _stale(pages, page, chance >> 8)
        if copy is None:
            kind = "dead_link"
    left = disclosed_by_reading(after, after.cells, pages.world) if after else frozenset()
    lost = disclosed_by_reading(page, page.cells, pages.world) - left
    return Detour(kind, after, copy is not None or any(source(one) is None for one in lost), copy)


def _fallible(pages: Pages, page: Page) -> list[Cell]:
    """Return the cells of a page that may be wrong: all but its scope, and background."""
    tables = pages.world.schema.tables
    return [cell for cell in page.cells if cell.col != page.scope and not tables[cell.row.table].background]


def _site_draw(pages: Pages, page: Page, what: str) -> int:
    """Return the draw of a page's site for a purpose."""
    return draw(pages.world.seed, what, pages.site(page.id).host)


def _cut(page: Page, parts: int) -> Page:
    """Return a page that ends with its first block, of which the first of `parts` equal parts of the cells is left.

    Rows stay whole, except the first.
    """
    cells = page.blocks[0].cells
    end = max(1, len(cells) // parts)
    while end < len(cells) and cells[end].row == cells[end - 1].row != cells[0].row:
        end -= 1
    return replace(page, blocks=(replace(page.blocks[0], cells=cells[:end]),), whole=False)


def _ending(page: Page, block: Block) -> Page:
    return replace(page, blocks=(*page.blocks, block))


def _broken_off(pages: Pages, after: Page, page: Page, chance: int) -> Page:
    """Return a page that was cut short in the way of its site: in the middle of a sentence, or with a notice."""
    turn = _site_draw(pages, page, "breaks")
    begun = _begun(pages, after, page, chance) if turn & 1 else None
    return _ending(after, begun or Block("notice", (), turn >> 1, by="breaks"))


def _begun(pages: Pages, after: Page, page: Page, chance: int) -> Block | None:
    """Return the start of a sentence that a page lost when it was cut short; None if no sentence fits."""
    assert pages.voice is not None
    written, (block, *_) = pages.voice.pages[page.head.by], page.blocks
    lost = block.cells[len(after.blocks[0].cells) :]
    host = pages.site(page.id).host
    for row in dict.fromkeys(cell.row for cell in lost) if written.source.form in PROSE else ():
        cells, key = row_cells(pages, row, lost, by_row(block.cells)), pages.world.schema.tables[row.table].key
        sentences, _ = pages.voice.fillable(row.table, written.genre, host, cells)
        starts = {
            sentence.place: start.paths
            for sentence in sentences
            if (start := beginning(pages.voice.worded(sentence.tell.pattern, host), key))
            and not sentence.tell.states
            and any(cells[path] in lost for path in sentence.tell.pattern.exact)
            and sentence.holds(cells)
        }
        if starts:
            place = list(starts)[chance % len(starts)]
            over = is_over(pages.world, row) if row == page.subject else 0
            names = tuple(cells[path] for path in starts[place] if path != (SUBJECT,))
            return Block("begun", names, place << 1 | over, by=page.head.by)
    return None


def _stale(pages: Pages, page: Page, chance: int) -> tuple[Page, Page] | tuple[None, None]:
    """Return a page with an old value of one cell, and its copy, which has a later date and corrects it.

    Returns (None, None) where there is no such date or cell.
    """
    copy, first = pages.page(syndicated(page.id)), earliest_date(pages, page.cells, page.subject)
    if copy.date is None or ordinal(copy.date) <= first or copy.date == page.date:
        return None, None
    day = page.date or date.fromordinal(first + chance % (ordinal(copy.date) - first)).isoformat()
    dated = replace(page, date=day)
    named = _named(pages, page, _fallible(pages, page))
    # Prefer values that change in time: the date of a past event does not.
    changing = [cell for cell in named if pages.words.columns[cell.row.table, cell.col].type != "date"]
    wrong = wrong_cell(pages, dated, changing, chance) or wrong_cell(pages, dated, named, chance)
    if wrong is None:
        return None, None
    cell, old = wrong
    notice = Block("notice", (), _site_draw(pages, page, STALE), by="editions")
    key = pages.world.schema.tables[cell.row.table].key
    names = () if cell.row == page.subject else pages.cells(*cell.row, key)
    correction = Block("correction", (*names, old, cell), chance >> 32 & 255, by=page.head.by)
    after = with_cell_replaced(dated, cell, old)
    return (
        replace(after, blocks=(notice, *after.blocks)),
        replace(copy, blocks=(*copy.blocks[:1], correction, *copy.blocks[1:])),
    )


def _named(pages: Pages, page: Page, cells: Sequence[Cell]) -> list[Cell]:
    """Return the `cells` whose rows a page names."""
    stated = {(cell.row, cell.col) for cell in page.cells}
    tables = pages.world.schema.tables
    return [cell for cell in cells if all((cell.row, name) in stated for name in tables[cell.row.table].key)]


def detours(share: float) -> Iterable[SliceEdit]:
    """Return the slice edits that apply `detour_of`; searches still find a dead link."""
    return [_edit(kind, share) for kind in KINDS]


def _edit(kind: str, share: float) -> SliceEdit:
    def page_edit(pages: Pages, page: Page, seed: int) -> Page | None:
        of = original(page.id)
        detour = detour_of(pages, pages.page(of) if of else page, share, seed)
        if detour is None or detour.kind != kind:
            return page
        return detour.after if of is None else detour.copy or page

    def cells(page: Page) -> Iterable[Cell]:
        return dict.fromkeys((*page.cells, *page.head.cells))

    edit = edit_of_pages(kind, page_edit, cells)
    if kind == "dead_link":
        return lambda pages, slice_, seed: slice_ if slice_.call.tool == "web_search" else edit(pages, slice_, seed)
    return edit
