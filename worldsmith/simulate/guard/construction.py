"""The guard by construction: of our own natural text it is known which cells each span states, so nothing is read."""

from worldsmith.pages.renderer.emit import chunks
from worldsmith.pages.types import Doc, Page
from worldsmith.simulate.protocol import Reason, Rejection, Verdict


def unentitled_spans(doc: Doc, page: Page) -> tuple[Verdict, ...]:
    """Return a rejection of each span that states a cell which its page may not, and of each cell left unstated."""
    entitled = frozenset(page.cells)
    stated = [(text, cells) for text, cells in chunks(doc) if cells]
    foreign = [
        Rejection(Reason.VALUE, "states a cell that is none of its page's").of("span", text)
        for text, cells in stated
        if not entitled.issuperset(cells)
    ]
    missing = entitled.difference(*(cells for _, cells in stated))
    return (*foreign, *(Rejection(Reason.MISSING, "is not stated").of("cell", str(cell[:2])) for cell in missing))
