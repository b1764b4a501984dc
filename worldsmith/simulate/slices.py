"""The slice of a call: the views that its answer may draw on."""

from dataclasses import replace

from worldsmith.pages import Pages
from worldsmith.seeding import draw
from worldsmith.simulate.protocol import Call, Ranking, Slice, View


def slice_for(pages: Pages, index: Ranking, call: Call) -> Slice:
    """Return the slice of a call before edits: the hits of a search, or the one page of an extract.

    There is no view where a page is not found or not shown.
    """
    if call.tool == "web_extractor":
        page_id = pages.by_url(call.arg)
        page = pages.page(page_id) if page_id else None
        if page is None or not index.shows(page):
            return Slice(call, (), more=False)
        # However the address was written: all that follows answers one call.
        return Slice(call if call.arg == page.url else replace(call, arg=page.url), (View(page, 0.0),), more=False)
    k = hits_wanted(call, pages.world.seed)
    hits, more = index.search(call.arg, k, call.page)
    first = (max(call.page, 1) - 1) * k
    plan = pages.page
    return Slice(
        call, tuple([View(plan(page_id), score, rank) for rank, (page_id, score) in enumerate(hits, first)]), more
    )


def hits_wanted(call: Call, seed: int) -> int:
    """Return the hits of a results page: of ten or more one fewer for half of the queries, unless the call is exact."""
    varies = call.k >= 10 and not call.exact
    return call.k - (draw(seed, "hits", call.arg) & 1) if varies else call.k
