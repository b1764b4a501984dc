"""Names and titles of pages, from the cells that are left to state: an edited plan has the edited title."""

from collections import Counter
from collections.abc import Iterable, Mapping

from worldsmith.lang.page_phrases import PHRASES, capital
from worldsmith.pages.grammar import Phrasing
from worldsmith.pages.types import Page
from worldsmith.world.model import Cell, Row

NAME, SCOPE = "{name}", "{scope}"
"""What stands in `Page.title` for the subject's name, and for ": " with the scope of a list."""
UNNAMED = "this entry"
"""What a row is called whose key is not stated."""


def keys(words: Phrasing, table: str, cells: Mapping[str, Cell]) -> tuple[str, ...]:
    """Return the texts of the key columns that are there."""
    return tuple(words.show(cells[k]) for k in words.schema.tables[table].key if k in cells)


def key_cells(words: Phrasing, row: Row, cells: Mapping[str, Cell]) -> tuple[Cell, ...]:
    """Return the key cells of a row, all of which its name states; none where one of them is lacking."""
    key = words.schema.tables[row.table].key
    return tuple(cells[name] for name in key) if all(name in cells for name in key) else ()


def called(words: Phrasing, row: Row | None, cells: Mapping[str, Cell]) -> str:
    """Return what a row is called by its cells; `UNNAMED` where its key is no longer stated."""
    if row is None:
        return UNNAMED
    texts = keys(words, row.table, cells)
    return words.called(row.table, texts) if len(texts) == len(words.schema.tables[row.table].key) else UNNAMED


def commonest(cells: Iterable[Cell], col: str) -> Cell | None:
    """Return the first cell of the commonest value in a column: what rows share, and what a list's title tells."""
    column_cells = [cell for cell in cells if cell.col == col]
    counts = Counter(cell.value for cell in column_cells)
    return max(column_cells, key=lambda cell: counts[cell.value], default=None)


def heading(page: Page, cells: Iterable[Cell], words: Phrasing) -> str:
    """Return the title of a page over `cells`, all of its parts alike."""
    stated, text = tuple(cells), page.title
    if NAME in text:
        own = {cell.col: cell for cell in stated if cell.row == page.subject}
        text = text.replace(NAME, capital(called(words, page.subject, own).removeprefix("the ")))
    if SCOPE in text:
        shared = commonest(stated, page.scope)
        text = text.replace(SCOPE, f": {words.measure(shared)}" if shared else "")
    return text


def part(page: Page) -> str:
    """Return what tells the parts of a list apart, with a space before it; "" for the first."""
    if page.part == 1:
        return ""
    named = PHRASES.parts[page.part - 2 : page.part - 1]
    return f" {named[0] if named else '(continued)'}"


def title(page: Page, cells: Iterable[Cell], words: Phrasing) -> str:
    """Return the title of a page over the cells it still states: its blocks', or of a hit its head's."""
    return heading(page, cells, words) + part(page)
