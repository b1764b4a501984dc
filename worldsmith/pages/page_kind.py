"""What every kind of page has: numbered plans, paths, and which of them state a cell. Chance is one draw per page."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

from worldsmith.pages.sites import Site
from worldsmith.pages.types import Page
from worldsmith.world.model import Cell, Row

if TYPE_CHECKING:
    from worldsmith.pages.plan import Pages

TITLE = ((0.0, 20), (0.1, 27), (0.5, 55), (0.9, 68), (1.0, 78))
"""Lengths of titles that 588 real searches showed: (share, characters)."""
SNIPPET = ((0.0, 112), (0.1, 129), (0.5, 148), (0.9, 163), (1.0, 178))
"""Lengths of their snippets."""
RECENT = 700
"""Days before the world's own day that pages go back."""
DATED = 49
"""Per cent of pages that claim a day: 43% of hits, since directories claim none."""


class Kind(ABC):
    """Pages of one sort: `<name>/<n>` for each of `numbers`."""

    name: str

    def __init__(self, pages: "Pages", site: Site) -> None:
        self.pages, self.site = pages, site

    @property
    @abstractmethod
    def numbers(self) -> Collection[int]:
        """The numbers of the pages there are, in order."""

    @abstractmethod
    def path(self, n: int) -> str:
        """Return the path of page `n` on its site: keys or letters that tell nothing."""

    @abstractmethod
    def plan(self, n: int) -> Page:
        """Return the plan of page `n`."""

    @abstractmethod
    def anchor(self, n: int) -> str:
        """Return the text of a chrome link to page `n`: no cell."""

    def stating(self, row: Row, col: str) -> tuple[int, ...]:  # noqa: ARG002 - for kinds without cells
        """Return the numbers of the pages that state a cell: none of pages without cells, or that are not found."""
        return ()


def byte(chance: int, place: int) -> int:
    """Return one of the eight bytes of a draw."""
    return chance >> (8 * place) & 0xFF


def quantile(points: tuple[tuple[float, int], ...], u: float) -> int:
    """Return the value at share `u` of a distribution given by its quantiles, straight between them."""
    for (share0, low), (share1, high) in pairwise(points):
        if u <= share1:
            return low + round((high - low) * (u - share0) / (share1 - share0))
    return points[-1][1]


def page_date(pages: "Pages", chance: int, cells: tuple[Cell, ...], row: Row | None) -> str | None:
    """Return the day a page claims, on `DATED` per cent: chrome, after all that it tells, equal to no day of its rows.

    A page that tells what is true on no day up to the world's own claims none.
    """
    if byte(chance, 0) * 100 >= DATED * 256:
        return None
    first, end = earliest_date(pages, cells, row), pages.days.end
    return date.fromordinal(first + (chance >> 8) % (end - first + 1)).isoformat() if first <= end else None


def earliest_date(pages: "Pages", cells: tuple[Cell, ...], row: Row | None) -> int:
    """Return the first day, as an ordinal, that a page may claim which tells some cells, and is about a row perhaps.

    It is after the world's own day where they are true on no day up to that.
    """
    days = pages.days
    rows = dict.fromkeys((*(cell.row for cell in cells), *((row,) if row else ())))
    return max((days.end - RECENT + 1, *map(days.row, rows), *map(days.cell, cells)))
