"""The local world model: plans to documents and hits, documents to Markdown, HTML and plain text."""

from worldsmith.pages import Pages, boilerplate
from worldsmith.pages.types import Block
from worldsmith.renderer.document import render
from worldsmith.renderer.emit import html, markdown, plain
from worldsmith.renderer.results import Texts, cues, hit, result, score, texts
from worldsmith.slices import Draft, Result, Slice, View
from worldsmith.world import World

__all__ = ["Renderer", "boilerplate", "hit", "html", "markdown", "plain", "render", "score"]


MEMO = 4096
"""Titles with snippets kept: about 1.5 MB."""


class Renderer:
    """A `WorldModel` without a model: writes every answer from the slice's plans.

    Title and snippet of a hit are written once for an edited page and the words of the query that matter to it:
    searches ask for the same hits again and again, and that is where their speed comes from.
    """

    def __init__(self, world: World, pages: Pages) -> None:
        self.world, self.pages = world, pages
        self._texts: dict[tuple[str, str, Block, int, frozenset[str]], Texts] = {}

    def write(self, part: Slice) -> Draft:
        """Return the hits of a search, or the document of the one page of an extract."""
        call = part.call
        if call.tool == "web_extractor":
            (view,) = part.views
            return render(view.page, self.world, self.pages)
        if call.full_text:
            return tuple(hit(v, v.rank, call.arg, self.world, self.pages, full_text=True) for v in part.views)
        return tuple(self._hit(view, call.arg) for view in part.views)

    def _hit(self, view: View, query: str) -> Result:
        page = view.page
        key = (page.id, page.title, page.head, len(page.blocks), cues(page, query))
        said = self._texts.get(key)
        if said is None:
            if len(self._texts) >= MEMO:
                del self._texts[next(iter(self._texts))]
            said = self._texts[key] = texts(page, query, self.pages)
        return result(page, view.rank, said)

    async def draft(self, part: Slice, reasons: tuple[str, ...] = ()) -> Draft:  # noqa: ARG002 - for models
        """Return what `write` does; our own text is never sent back with reasons."""
        return self.write(part)
