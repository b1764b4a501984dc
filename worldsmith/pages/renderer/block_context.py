"""What the blocks of one page are written from, and how text is put together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from worldsmith.lang.page_phrases import capital
from worldsmith.pages import Block, Inline, Link, Page, Pages, Para, Piece, Span, Text
from worldsmith.pages.titles import called
from worldsmith.world.model import Cell


@dataclass(slots=True)
class Desk:
    """What the blocks of one page are written from."""

    page: Page
    pages: Pages

    def text(self, cell: Cell, block: Block, *, unit: bool = True) -> Span | Link:
        """Return a cell's value, a link where the block links to what it names."""
        words = self.pages.words
        shown = words.measure(cell) if unit else words.show(cell)
        if not block.links:
            return Span(shown, (cell,))
        target = self.pages.target(cell, self.page.id)
        return Link(shown, self.pages.url(target), (cell,)) if target in block.links else Span(shown, (cell,))

    def name_link(self, cells: dict[str, Cell], block: Block) -> Span | Link:
        """Return what a row is called, a link where the block links to its page; being named here states its cells."""
        row, stated = next(iter(cells.values())).row, tuple(cells.values())
        name, target = called(self.pages.words, row, cells), self.pages.about(row)
        return Link(name, self.pages.url(target), stated) if target and target in block.links else Span(name, stated)

    def say(self, phrase: str) -> str:
        """Return a phrase filled with the nouns of the page's table."""
        return self.pages.words.say(self.page.table, phrase)

    def heading(self, kind: str) -> str:
        """Return the site's heading over a kind of block."""
        return capital(self.pages.words.pick("headings", kind, self.page.table, self.page.look.turn))


def flat(parts: Sequence[Inline]) -> Text:
    """Join neighbouring strings."""
    out: list[Inline] = []
    for part in parts:
        if isinstance(part, str) and out and isinstance(out[-1], str):
            out[-1] += part
        elif part:
            out.append(part)
    return tuple(out)


def joined(texts: Sequence[Sequence[Inline]], between: str, last: str) -> list[Inline]:
    """Return texts in a row: a, b and c."""
    out: list[Inline] = []
    for i, text in enumerate(texts):
        out += [last if i == len(texts) - 1 else between] if i else []
        out += text
    return out


def stating(part: Inline, cells: Iterable[Cell]) -> Inline:
    """Return a piece of text that states further cells."""
    more = tuple(cells)
    if not more:
        return part
    if isinstance(part, str):
        return Span(part, more)
    return part.with_cells((*part.cells, *more))


def paragraphs(texts: Sequence[Text], size: int) -> list[Piece]:
    """Return sentences as paragraphs of `size` each."""
    return [Para(flat(joined(texts[i : i + size], " ", " "))) for i in range(0, len(texts), size)]
