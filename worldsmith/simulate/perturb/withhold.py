"""Withholding: what a hit keeps back of what its page states. It looks at the tool and touches only head blocks."""

from dataclasses import replace

from worldsmith.errors import UsageError
from worldsmith.pages import Pages
from worldsmith.pages.types import Page
from worldsmith.seeding import draw
from worldsmith.simulate.perturb.pages import edit_of_pages
from worldsmith.simulate.protocol import SliceEdit
from worldsmith.world.model import Cell, World

LEVELS = 4
"""Withhold levels: 0 to 3."""


def withhold(level: int) -> SliceEdit:
    """Return the edit that keeps cells out of search hits: it looks at the tool and touches only head blocks.

    0 shows all head cells. 1 keeps half of those that are no key, an odd one by a coin. 2 keeps keys alone (of a
    list its scope). 3 does that and removes half of the hits, lists never.

    Raises:
        UsageError: `level` is not 0 to 3.
    """
    if level not in range(LEVELS):
        raise UsageError(f"withhold level {level!r} does not exist; it is 0, 1, 2 or 3")

    def page_edit(pages: Pages, page: Page, seed: int) -> Page | None:
        return _withheld(pages.world, page, level, seed)

    edit = edit_of_pages("withhold", page_edit, lambda page: page.head.cells)
    return lambda pages, part, seed: edit(pages, part, seed) if level and part.call.tool == "web_search" else part


def _withheld(world: World, page: Page, level: int, seed: int) -> Page | None:
    """Return the page with what its head keeps; None for a hit that is removed."""
    chance = draw(seed, "withhold", page.id)
    if level == 3 and chance >> 63 and not page.rows:
        return None
    cells = page.head.cells
    others = [i for i, cell in enumerate(cells) if not _is_key(world, page, cell, level)]
    half = 0 if level > 1 else len(others) // 2 + (len(others) % 2 and chance & 1)
    turn = (chance >> 8) % len(others) if others else 0
    lost = (others[turn:] + others[:turn])[half:]
    return with_head(page, [cell for i, cell in enumerate(cells) if i not in lost]) if lost else page


def _is_key(world: World, page: Page, cell: Cell, level: int) -> bool:
    """Whether the hit is known by a cell: the subject's key, a list's scope and (below level 2) its rows' keys."""
    form = world.schema.tables[cell.row.table]
    if form.background:
        return True  # it gives nothing away, and half a row of it would be no sentence
    key = cell.col in form.key
    if page.subject is not None:
        return key and cell.row == page.subject
    if not page.scope:
        return key
    return cell.col == page.scope or (key and level < 2)


def with_head(page: Page, cells: list[Cell]) -> Page:
    """Return a page whose head states `cells` alone, without the links of those it lost."""
    head = replace(page.head, cells=tuple(cells), links=page.head.links if len(cells) else ())
    return replace(page, head=head)
