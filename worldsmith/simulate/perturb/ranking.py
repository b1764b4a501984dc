"""What a profile makes of a ranking: background among the hits, and pages that are not found elsewhere.

Both happen before the ranking is cut into results pages, so paging shows every hit once, and none that the world
ranks is lost: it comes later.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import islice
from typing import Final, Protocol, TypeVar

from worldsmith.pages import Pages
from worldsmith.pages.dormant import original, syndicated
from worldsmith.pages.types import Page
from worldsmith.seeding import draw
from worldsmith.simulate.perturb.detours import DETOUR, needs_copy
from worldsmith.simulate.perturb.pages import is_drawn

K = TypeVar("K", bound=Hashable)

REVEALS: Mapping[str, str] = {
    "stale_copy": "world-archive",
    "near_duplicate": "world-mirror",
    "homonym": "world-homonym",
}
"""Kinds of dormant page by the edit that reveals them."""
RANKINGS = ("distract", *REVEALS, DETOUR)
"""Names of the edits of rankings."""
COPY_SCORES: Final = (0.2, 0.7)
"""What a syndicated copy scores, least and most, of what its page does: a site of less weight, with the same news."""


class Searchable(Protocol):
    """An index that can count dormant pages in."""

    def search(self, query: str, k: int, page: int, *, hidden: bool) -> tuple[Sequence[tuple[str, float]], bool]:
        """Return hits as `Index.search` does."""
        ...


class EditedRanking:
    """An index under the edits of rankings, with their shares: itself a ranking of the same pages.

    distract: a page of background is put before a hit. stale_copy, near_duplicate, homonym: archive copies, mirrors
    and namesakes are found. detour: the syndicated copy of a lost page is found among the hits of a lower score.
    """

    def __init__(self, pages: Pages, index: Searchable, edits: Mapping[str, float], seed: int) -> None:
        self.pages, self.index, self.edits, self.seed = pages, index, edits, seed
        self.background = pages.distractors

    def search(self, query: str, k: int, page: int) -> tuple[list[tuple[str, float]], bool]:
        """Return results page `page` of `k` hits, and whether there is more."""
        end = page * k
        results_page = partial(self.index.search, query, end + 1, hidden=True)
        hits = list(islice(ranked_hits(results_page, self.placed), end + 1))
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

    def placed(self, page_id: str) -> tuple[tuple[str, float], ...]:
        """Return what stands in place of a hit: what distracts, the hit, its syndicated copy; nothing if not shown.

        Each with its share of the hit's score: what has all of it stands where the hit does.
        """
        page = self.pages.page(page_id)
        if not self.shows(page):
            return ()
        ids = [page_id]
        if self.background and self._drawn("distract", page_id):
            ids.insert(0, self.background[draw(self.seed, "distracting", page_id) % len(self.background)])
        whole = tuple([(one, 1.0) for one in ids])
        if not needs_copy(self.pages, page, self.edits.get(DETOUR, 0), self.seed):
            return whole
        least, most = COPY_SCORES
        return (*whole, (syndicated(page_id), least + (most - least) * draw(self.seed, "copy", page_id) / 2**64))


def ranked_hits(
    search: Callable[[int], tuple[Sequence[tuple[K, float]], bool]],
    placed: Callable[[K], Iterable[tuple[K, float]]],
) -> Iterator[tuple[K, float]]:
    """Yield the hits of a query, best first, each once, with what stands in place of each.

    Args:
        search: gives a results page by its number, and whether there is more: hits that are not shown make more
            necessary.
        placed: gives what stands in place of a hit, and its share of the hit's score: below 1 it waits for its turn.
    """
    yielded: set[K] = set()
    waiting: list[tuple[float, int, K]] = []

    def due(least: float) -> Iterator[tuple[K, float]]:
        while waiting and -waiting[0][0] > least:
            score, _, key = heappop(waiting)
            if key not in yielded:
                yielded.add(key)
                yield key, -score

    page, more = 1, True
    while more:
        hits, more = search(page)
        page += 1
        for key, score in hits:
            yield from due(score)
            for number, (one, share) in enumerate(placed(key), len(waiting)):
                if share < 1:
                    heappush(waiting, (-score * share, number, one))
                elif one not in yielded:
                    yielded.add(one)
                    yield one, score
    yield from due(-1)
