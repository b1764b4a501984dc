"""The local world model: plans to documents and hits, documents to Markdown, HTML and plain text."""

from worldsmith.pages import Pages, boilerplate
from worldsmith.renderer.document import render
from worldsmith.renderer.emit import html, markdown, plain
from worldsmith.renderer.results import hit, score, snippet
from worldsmith.slices import Draft, Slice
from worldsmith.world import World

__all__ = ["Renderer", "boilerplate", "hit", "html", "markdown", "plain", "render", "score", "snippet"]


class Renderer:
    """A `WorldModel` without a model: writes every answer from the slice's plans."""

    def __init__(self, world: World, pages: Pages) -> None:
        self.world, self.pages = world, pages

    def write(self, part: Slice) -> Draft:
        """Return the hits of a search, or the document of the one page of an extract."""
        call = part.call
        if call.tool == "web_extractor":
            (view,) = part.views
            return render(view.page, self.world, self.pages)
        first = (call.page - 1) * call.k
        return tuple(
            hit(view, first + i, call.arg, self.world, self.pages, call.full_text) for i, view in enumerate(part.views)
        )

    async def draft(self, part: Slice, reasons: tuple[str, ...] = ()) -> Draft:  # noqa: ARG002 - for models
        """Return what `write` does; our own text is never sent back with reasons."""
        return self.write(part)
