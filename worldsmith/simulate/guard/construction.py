"""The guard by construction: of our own natural text it is known which cells each span states, so nothing is read."""

from collections.abc import Iterable

from worldsmith.pages.types import Chunk, Page
from worldsmith.simulate.protocol import Reason, Rejection, Verdict
from worldsmith.world.model import Cell


def unentitled_spans(emitted: Iterable[Chunk], page: Page) -> tuple[Verdict, ...]:
    """Return a rejection of each span that states a cell which its page may not, and of each cell left unstated.

    Args:
        emitted: the chunks of a document.
        page: its plan.
    """
    entitled = frozenset(page.cells)
    stated = [(text, cells) for text, cells in emitted if cells]
    missing = entitled.difference(*(cells for _, cells in stated))
    return (
        *foreign_spans(stated, entitled),
        *(Rejection(Reason.MISSING, "is not stated").of("cell", str(cell[:2])) for cell in missing),
    )


def foreign_spans(spans: Iterable[Chunk], entitled: frozenset[Cell]) -> tuple[Verdict, ...]:
    """Return a rejection of each span that states a cell which it may not."""
    return tuple(
        Rejection(Reason.VALUE, "states a cell that is none of its page's").of("span", text)
        for text, cells in spans
        if not entitled.issuperset(cells)
    )
