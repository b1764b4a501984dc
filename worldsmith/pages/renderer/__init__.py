"""Page plans to documents, and documents to Markdown, HTML and plain text."""

from worldsmith.pages.renderer.document import render
from worldsmith.pages.renderer.emit import html, markdown, plain
from worldsmith.pages.renderer.snippets import score

__all__ = ["html", "markdown", "plain", "render", "score"]
