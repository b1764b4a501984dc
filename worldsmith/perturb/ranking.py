"""What a profile makes of a ranking: background among the hits, and pages that are not found elsewhere.

Both happen before the ranking is cut into results pages, so paging shows every hit once, and none that the world
ranks is lost: it comes later.
"""

from collections.abc import Iterator, Mapping

from worldsmith.index import Index
from worldsmith.pages import Pages
from worldsmith.pages.types import Page
from worldsmith.seeding import draw
from worldsmith.slices import Call, Slice, View, hits_of

REVEALS: Mapping[str, str] = {"stale_copy": "archive", "near_duplicate": "mirror", "homonym": "homonym"}
"""Kinds of dormant page by the edit that reveals them."""
RANKINGS = ("distract", *REVEALS)
"""Names of the edits of rankings."""


def drawn(kind: str, share: float, page_id: str, seed: int) -> bool:
    """Whether an edit of a kind, with a share of all pages, meets a page."""
    return share > 0 and draw(seed, kind, page_id) < share * 2**64


def revealed(page: Page, edits: Mapping[str, float], seed: int) -> bool:
    """Whether a page can be found: it is not dormant, or an edit reveals it."""
    if not page.dormant:
        return True
    return any(
        page.kind.endswith(kind) and drawn(name, edits.get(name, 0), page.id, seed) for name, kind in REVEALS.items()
    )


def ranked(pages: Pages, index: Index, call: Call, edits: Mapping[str, float], seed: int) -> Slice:
    """Return the slice of a search or an extract under the edits of rankings, with their shares.

    distract: a page of background is put before a hit. stale_copy, near_duplicate, homonym: archive copies, mirrors
    and namesakes are found.
    """
    if call.tool == "web_extractor":
        page_id = pages.by_url(call.arg)
        page = pages.page(page_id) if page_id else None
        return Slice(call, (View(page, 0.0),) if page and revealed(page, edits, seed) else (), more=False)
    k = hits_of(pages, call)
    end = call.page * k
    views: list[View] = []
    for page, score in _distracted(pages, index, call.arg, end + 1, edits, seed):
        views.append(View(page, score, len(views)))
        if len(views) > end:
            break
    return Slice(call, tuple(views[end - k : end]), len(views) > end)


def _distracted(
    pages: Pages, index: Index, query: str, wanted: int, edits: Mapping[str, float], seed: int
) -> Iterator[tuple[Page, float]]:
    """Yield the pages of a ranking, best first, each once, with what comes before them."""
    background = _background(pages)
    seen: set[str] = set()
    for page_id, score in _hits(index, query, wanted):
        page = pages.page(page_id)
        if page_id in seen or not revealed(page, edits, seed):
            continue
        if background and drawn("distract", edits.get("distract", 0), page_id, seed):
            other = background[draw(seed, "distracting", page_id) % len(background)]
            if other not in seen and other != page_id:
                seen.add(other)
                yield pages.page(other), score
        seen.add(page_id)
        yield page, score


def _hits(index: Index, query: str, wanted: int) -> Iterator[tuple[str, float]]:
    """Yield the hits of a query, some at a time: those that are not revealed make more necessary."""
    page, more = 1, True
    while more:
        hits, more = index.search(query, wanted, page, hidden=True)
        yield from hits
        page += 1


def _background(pages: Pages) -> tuple[str, ...]:
    """Return the pages that state no cell and lead nowhere in particular."""
    return tuple(f"world-guide/{n}" for n in pages.kinds["world-guide"].numbers)
