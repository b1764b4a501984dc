"""The local world model: a slice's page plans written as search hits and documents, without a language model."""

from worldsmith.cache import keep
from worldsmith.pages import Pages
from worldsmith.pages.renderer.document import render
from worldsmith.pages.renderer.emit import markdown
from worldsmith.pages.renderer.snippets import Texts, cues, score, texts
from worldsmith.pages.types import Block, Page
from worldsmith.simulate.protocol import Draft, Result, Slice, View
from worldsmith.world.model import World

MEMO = 2048
"""Titles with snippets kept: about 0.7 MB."""


class PlanWriter:
    """Writes every answer from the slice's plans.

    Title and snippet of a hit are written once for an edited page and the words of the query that matter to it:
    searches ask for the same hits again and again, and that is where their speed comes from.
    """

    def __init__(self, world: World, pages: Pages) -> None:
        self.world, self.pages = world, pages
        self._texts: dict[tuple[str, str, Block, int, frozenset[str]], Texts] = {}
        self._recent: dict[tuple[int, frozenset[str]], tuple[Page, Texts]] = {}
        """The same by a plan's identity, which is quicker told; the plan is held, so that no other can have it."""

    def write(self, slice_: Slice) -> Draft:
        """Return the hits of a search, or the document of the one page of an extract."""
        call = slice_.call
        if call.tool == "web_extractor":
            (view,) = slice_.views
            return render(view.page, self.world, self.pages)
        if call.full_text:
            return tuple(render_hit(v, v.rank, call.arg, self.world, self.pages, full_text=True) for v in slice_.views)
        return tuple(self._hit(view, call.arg) for view in slice_.views)

    def _hit(self, view: View, query: str) -> Result:
        page = view.page
        query_cues = cues(page, query)
        recent = self._recent.get((id(page), query_cues))
        if recent is not None:
            return hit_of(page, view.rank, recent[1])
        key = (page.id, page.title, page.head, len(page.blocks), query_cues)
        hit_texts = self._texts.get(key) or texts(page, query, self.pages)
        keep(self._texts, key, hit_texts, MEMO)
        keep(self._recent, (id(page), query_cues), (page, hit_texts), MEMO // 2)
        return hit_of(page, view.rank, hit_texts)


def render_hit(view: View, rank: int, query: str, world: World, pages: Pages, full_text: bool = False) -> Result:
    """Return the hit of a view at `rank` (from 0, over all results pages), from its head block alone.

    `full_text` adds the page's Markdown, to which the whole page's cells then belong.
    """
    page = view.page
    return hit_of(page, rank, texts(page, query, pages), markdown(render(page, world, pages)) if full_text else None)


def hit_of(page: Page, rank: int, hit_texts: Texts, text: str | None = None) -> Result:
    """Return the hit of a page from its title and snippet."""
    return Result(page.url, *hit_texts, page.date, score(rank), text)
