"""Detours: pages of a natural world that a task may need are gone, walled, cut short or wrong, each with a way round.

Whether a page is met hangs on (seed, page id) alone. What it loses is told by a page that is not met, or, where one
cell of it is not, by the syndicated copy of the page, which searches find behind it: nothing is lost to all pages.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from worldsmith.cache import keep
from worldsmith.pages import Pages
from worldsmith.pages.dormant import syndicated
from worldsmith.pages.types import Block, Detour, Page
from worldsmith.seeding import draw
from worldsmith.simulate.disclosure import disclosed_by_reading, is_all_children
from worldsmith.simulate.perturb.pages import PAGE_EDITS, contradicted, edit_of_pages, is_drawn
from worldsmith.simulate.protocol import SliceEdit
from worldsmith.world.model import Cell, Disclosure

DETOUR: Final = "detour"
"""The edit of a profile that gives the share of pages."""
MEMO: Final = 4096
"""Lost pages kept per world."""
CUT: Final = 2
"""A page that is cut short shows one in so many of its cells."""
WALLED: Final = 4
"""One that ends at a wall, one in so many."""


def detour_of(pages: Pages, page: Page, share: float, seed: int) -> Detour | None:
    """Return what becomes of a page where a share of all is lost; None where it stays, or the world is plain."""
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
    kind = list(PAGE_EDITS)[chance % len(PAGE_EDITS)]

    def source(disclosure: Disclosure) -> str | None:
        """Return a page that is not met and discloses what this one lost."""
        if is_all_children(disclosure):
            return None
        others = pages.carrying(*disclosure)
        return next((i for i in others if i != page.id and not is_drawn(DETOUR, share, i, seed)), None)

    after: Page | None = None
    if kind == "truncate":
        after = _cut(page, CUT)
    elif kind == "paywall":
        after = _cut(page, WALLED, Block("wall", (), chance >> 8 & 255))
    elif kind == "contradiction":
        tables = pages.world.schema.tables
        candidates = [c for c in page.cells if c.col != page.scope and not tables[c.row.table].background]
        after = contradicted(
            pages, page, candidates, chance >> 8, lambda c: source((c.row, c.col)) or syndicated(page.id)
        )
        if after is page:  # it has no cell that could be wrong
            kind, after = "dead_link", None
    left = disclosed_by_reading(after, after.cells, pages.world) if after else frozenset()
    lost = disclosed_by_reading(page, page.cells, pages.world) - left
    return Detour(kind, after, any(source(one) is None for one in lost))


def _cut(page: Page, parts: int, *ending: Block) -> Page:
    """Return a page whose first block has one of so many parts of its cells, and ends it but for `ending`.

    A row is told whole or not at all, the first one excepted.
    """
    cells = page.blocks[0].cells
    end = max(1, len(cells) // parts)
    while end < len(cells) and cells[end].row == cells[end - 1].row != cells[0].row:
        end -= 1
    return replace(page, blocks=(replace(page.blocks[0], cells=cells[:end]), *ending), whole=False)


def detours(share: float) -> Iterable[SliceEdit]:
    """Return the slice edits that make what `detour_of` says of pages; searches find a dead link all the same."""
    return [_edit(kind, share) for kind in PAGE_EDITS]


def _edit(kind: str, share: float) -> SliceEdit:
    def page_edit(pages: Pages, page: Page, seed: int) -> Page | None:
        detour = detour_of(pages, page, share, seed)
        return detour.after if detour and detour.kind == kind else page

    def cells(page: Page) -> Iterable[Cell]:
        return dict.fromkeys((*page.cells, *page.head.cells))

    edit = edit_of_pages(kind, page_edit, cells)
    if kind == "dead_link":
        return lambda pages, slice_, seed: slice_ if slice_.call.tool == "web_search" else edit(pages, slice_, seed)
    return edit
