"""Values that a reply may not state, found by their written forms alone: a second opinion beside the guard's.

A reply leaks where it writes a name of the world, or a number or date of a row that its page is about, that is no cell
of the slice, nor part of the query. Values are looked for in every accepted form (`scoring.values.forms`); what may be
stated is removed from the text first. Numbers of fewer than three digits are everywhere and are left to the guard.
"""

import re
from collections.abc import Iterable
from functools import cached_property

from worldsmith import scoring
from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown
from worldsmith.pages.types import Doc, Page
from worldsmith.schema import Invent
from worldsmith.simulate.protocol import Draft, Slice
from worldsmith.world.model import Cell, Row, World

SHORTEST = 5
"""Characters of a name that is looked for."""
DIGITS = 3
"""Digits of a number that is looked for."""
_URL = re.compile(r"https?://\S+")


class Leaks:
    """Finds what replies of one world state beyond their slice."""

    def __init__(self, world: World, pages: Pages) -> None:
        self.world, self.pages = world, pages

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Invented names of the world, each once."""
        names = dict[str, None]()
        for table in self.world.schema.tables.values():
            for column in table.columns:
                if isinstance(column.fill, Invent):
                    values = (v for v in self.world.tables[table.name][column.name] if isinstance(v, str))
                    names |= dict.fromkeys(v for v in values if len(v) >= SHORTEST)
        return tuple(names)

    def of(self, draft: Draft, slice_: Slice) -> list[str]:
        """Return what a draft states that its slice does not hold; each hit is judged by the head of its own page."""
        query = slice_.call.arg if slice_.call.tool == "web_search" else ""
        if isinstance(draft, Doc):
            page = slice_.views[0].page
            return self._leaks_in(f"{draft.title}\n{markdown(draft)}", page, page.cells, query)
        views = {view.page.id: view.page for view in slice_.views}
        leaks = []
        for result in draft:
            hit_page = views.get(self.pages.by_url(result.url) or "")
            if hit_page is not None:
                leaks += self._leaks_in(f"{result.title}\n{result.snippet}", hit_page, hit_page.head.cells, query)
        return leaks

    def _leaks_in(self, text: str, page: Page, may: Iterable[Cell], query: str) -> list[str]:
        may = tuple(may)
        allowed = [page.date or "", self.world.schema.about, page.title, query, *self._forms(may)]
        remaining_text = _masked(_URL.sub(" ", text), allowed)
        low = remaining_text.lower()
        names = [name for name in self.names if name.lower() in low and _is_stated(name, low)]
        mine = self._forms(c for row in self._rows(page) for c in self._numbers(row) if c not in may)
        numbers = [form for form in mine if sum(map(str.isdigit, form)) >= DIGITS and _is_stated(form, low)]
        return [*names, *numbers]

    def _rows(self, page: Page) -> tuple[Row, ...]:
        subject = () if page.subject is None else (page.subject,)
        return tuple(dict.fromkeys((*subject, *page.rows, *(cell.row for cell in page.cells))))

    def _numbers(self, row: Row) -> list[Cell]:
        table = self.world.schema.tables[row.table]
        return [self.world.cell(row, c.name) for c in table.columns if c.answer().kind in ("int", "num", "date")]

    def _forms(self, cells: Iterable[Cell]) -> list[str]:
        columns = self.world.schema
        forms = (
            scoring.forms(c.value, columns.column(c.row.table, c.col).answer()) for c in cells if c.value is not None
        )
        return list(dict.fromkeys(form for written in forms for form in written))


def _is_stated(form: str, text: str) -> bool:
    """Whether a form is in a text (in lower case), not within a longer word or number."""
    return re.search(rf"(?<![\w.,]){re.escape(form.lower())}(?!\w|[.,]\d)", text) is not None


def _masked(text: str, allowed: Iterable[str]) -> str:
    """Return the text with each of `allowed` masked, the longest first."""
    for form in sorted({form for form in allowed if form}, key=lambda form: (-len(form), form)):
        text = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", "~", text, flags=re.IGNORECASE)
    return text
