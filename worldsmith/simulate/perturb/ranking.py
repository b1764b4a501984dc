"""What a profile makes of a ranking: background among the hits, and pages that are not found elsewhere.

Both happen before the ranking is cut into results pages, so paging shows every hit once, and none that the world
ranks is lost: it comes later.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol

from worldsmith.pages import Pages
from worldsmith.pages.dormant import original, syndicated
from worldsmith.pages.types import Page
from worldsmith.seeding import draw
from worldsmith.simulate.perturb.detours import DETOUR, needs_copy
from worldsmith.simulate.perturb.pages import is_drawn

REVEALS: Mapping[str, str] = {
    "stale_copy": "world-archive",
    "near_duplicate": "world-mirror",
    "homonym": "world-homonym",
}
"""Kinds of dormant page by the edit that reveals them."""
RANKINGS = ("distract", *REVEALS, DETOUR)
"""Names of the edits of rankings."""


def _written_pages(pages: Pages) -> tuple[str, ...]:
    """Return the pages that may distract in a natural world: any of its bank."""
    return tuple(f"{name}/{n}" for name in pages.voice.pages for n in pages.kinds[name].numbers) if pages.voice else ()


class Searchable(Protocol):
    """An index that can count dormant pages in."""

    def search(self, query: str, k: int, page: int, *, hidden: bool) -> tuple[Sequence[tuple[str, float]], bool]:
        """Return hits as `Index.search` does."""
        ...


class EditedRanking:
    """An index under the edits of rankings, with their shares: itself a ranking of the same pages.

    distract: a page of background is put before a hit. stale_copy, near_duplicate, homonym: archive copies, mirrors
    and namesakes are found. detour: the syndicated copy of a lost page is found behind it.
    """

    def __init__(self, pages: Pages, index: Searchable, edits: Mapping[str, float], seed: int) -> None:
        self.pages, self.index, self.edits, self.seed = pages, index, edits, seed
        guides = pages.kinds.get("world-guide")
        self.background = tuple(f"world-guide/{n}" for n in guides.numbers) if guides else _written_pages(pages)

    def search(self, query: str, k: int, page: int) -> tuple[list[tuple[str, float]], bool]:
        """Return results page `page` of `k` hits, and whether there is more."""
        end = page * k
        hits = list(islice(self._ranked(query, end + 1), end + 1))
        return hits[end - k : end], len(hits) > end

    def shows(self, page: Page) -> bool:
        """Whether a page can be found and read: it is not dormant, or an edit reveals it."""
        if not page.dormant:
            return True
        of = original(page.id)
        if of is not None:
            return needs_copy(self.pages, self.pages.page(of), self.edits.get(DETOUR, 0), self.seed)
        return any(page.kind == kind and self._drawn(name, page.id) for name, kind in REVEALS.items())

    def _drawn(self, name: str, page_id: str) -> bool:
        return is_drawn(name, self.edits.get(name, 0), page_id, self.seed)

    def _ranked(self, query: str, wanted: int) -> Iterator[tuple[str, float]]:
        """Yield hits, best first, each once, with what comes before them."""
        yielded: set[str] = set()
        for page_id, score in self._hits(query, wanted):
            for placed in () if page_id in yielded else self.placed(page_id):
                if placed not in yielded:
                    yielded.add(placed)
                    yield placed, score

    def placed(self, page_id: str) -> tuple[str, ...]:
        """Return what stands in place of a hit: what distracts, the hit, its syndicated copy; nothing if not shown."""
        page = self.pages.page(page_id)
        if not self.shows(page):
            return ()
        before: tuple[str, ...] = ()
        if self.background and self._drawn("distract", page_id):
            before = (self.background[draw(self.seed, "distracting", page_id) % len(self.background)],)
        copied = needs_copy(self.pages, page, self.edits.get(DETOUR, 0), self.seed)
        return (*before, page_id, *((syndicated(page_id),) if copied else ()))

    def _hits(self, query: str, wanted: int) -> Iterator[tuple[str, float]]:
        """Yield the hits of a query, some at a time: those that are not revealed make more necessary."""
        page, more = 1, True
        while more:
            hits, more = self.index.search(query, wanted, page, hidden=True)
            yield from hits
            page += 1
