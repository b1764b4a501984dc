"""What the oracle has read so far: values and addresses by row, from pages alone.

A schema says how columns are headed and which pages there are; every value comes from the text of a reply.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from worldsmith.agents.markdown_reader import Grid, LinkedText, ParsedPage
from worldsmith.schema import Column, PageSpec, Schema, Table, Value

Key = tuple[Value, ...]
Place = tuple[str, Key]
"""(table, key): a row as its pages name it."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Unread(Exception):  # noqa: N818 - not an error: a cell the replies don't tell
    """A value that no reply has told."""


def parse_cell(text: str, column: Column) -> Value:
    """Return the value that a cell's text stands for; Unread where it is none of its column's type."""
    if text in {column.none, "-"}:
        return None
    if column.type == "bool":
        if text not in {"Yes", "No"}:
            raise Unread(text)
        return text == "Yes"
    if column.type in {"int", "num"}:
        return _number(text, column)
    if column.type == "date" and not _DAY.fullmatch(text):
        raise Unread(text)
    return text


def _number(text: str, column: Column) -> int | float:
    bare = text.removesuffix(column.unit).strip().replace(",", "").replace("−", "-")
    try:
        return int(bare) if column.type == "int" else float(bare)
    except ValueError:
        raise Unread(text) from None


class PageMemory:
    """Facts and addresses, gathered page by page."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.facts: dict[Place, dict[str, Value]] = {}
        self.urls: dict[Place, list[str]] = {}
        self.links_of_row: dict[Place, list[LinkedText]] = {}
        """Chrome links of the pages about a row."""

    @cached_property
    def _labels(self) -> dict[str, dict[str, Column]]:
        tables = self.schema.tables.values()
        return {t.name: {text: c for c in t.columns for text in (c.label, c.header)} for t in tables}

    @cached_property
    def _abouts(self) -> frozenset[str]:
        return frozenset(spec.about for spec in self.schema.pages if spec.about)

    def take_row(
        self, table: str, row: Mapping[str, LinkedText], known: Mapping[str, Value], *, here: bool = False
    ) -> Key | None:
        """Store a row by labels or headers, beside columns that are `known` already; return its key or None.

        `here` says that this is the row's own page, so that its key leads to what the key refers to.
        """
        form = self.schema.tables[table]
        facts: dict[str, Value] = dict(known)
        leads: dict[str, str] = {}
        for label, cell in row.items():
            column = self._labels[table].get(label)
            if column is None:
                continue
            try:
                facts[column.name] = parse_cell(cell.text, column)
            except Unread:
                continue
            leads[column.name] = cell.url
        if any(facts.get(name) is None for name in form.key):
            return None
        key = tuple(facts[name] for name in form.key)
        self.facts.setdefault((table, key), {}).update(facts)
        self._leads(form, key, facts, leads, own=not here and table in self._abouts)
        return key

    def _leads(self, form: Table, key: Key, facts: Mapping[str, Value], leads: Mapping[str, str], *, own: bool) -> None:
        for name, url in leads.items():
            ref = form.column(name).ref
            if url and facts[name] is not None:
                if own and name == form.key[0]:
                    self.note_url((form.name, key), url)
                elif ref:
                    self.note_url((ref, (facts[name],)), url)

    def keys_where(self, table: str, col: str, value: Value) -> list[Key]:
        """Return the keys of the rows of a table that were told to hold a value."""
        return [key for (name, key), facts in self.facts.items() if name == table and facts.get(col) == value]

    def note_url(self, place: Place, url: str) -> None:
        """Note where a row may be read about."""
        known = self.urls.setdefault(place, [])
        if url not in known:
            known.append(url)

    def take_entry(self, place: Place, spec: PageSpec, page: ParsedPage) -> bool:
        """Note what a page of kind `spec` says, if it is about the row at `place`; return whether it is."""
        table, key = place
        form = self.schema.tables[table]
        labelled_cells = dict(reversed(page.pairs))
        if labelled_cells:
            key_values = dict(zip(form.key, key, strict=True))
            labelled = {form.column(name).label: name for name in form.key}
            stated = {name: labelled_cells[label].text for label, name in labelled.items() if label in labelled_cells}
            if any(stated.get(name) != str(part) for name, part in key_values.items()):
                return False
            self.take_row(table, labelled_cells, {}, here=True)
        elif not f"{page.title}:".casefold().startswith(f"{key[0]}:".casefold()):
            return False
        taken = [self._take_children(place, spec, grid) for grid in page.grids]
        self.links_of_row[place] = [*self.links_of_row.get(place, []), *page.links]
        # Without its children a further page of the row can't be told from its entry.
        first = next(s for s in self.schema.pages if s.about == table)
        return spec is first or not spec.children or any(taken)

    def _take_children(self, place: Place, spec: PageSpec, grid: Grid) -> bool:
        for child in spec.children:
            if set(grid.header) <= set(self._labels[child.table]):
                known = {child.ref: place[1][0]}
                for row in grid.rows:
                    self.take_row(child.table, dict(zip(grid.header, row, strict=False)), known)
                return True
        return False

    def take_list(self, spec: PageSpec, scope: Value, page: ParsedPage) -> Iterable[Key]:
        """Note the rows of a list page of one scope; yield their keys."""
        form = self.schema.tables[spec.table]
        known = {spec.by or "": scope}
        for grid in page.grids:
            if set(grid.header) <= set(self._labels[spec.table]):
                for row in grid.rows:
                    key = self.take_row(spec.table, dict(zip(grid.header, row, strict=False)), known)
                    if key is not None:
                        yield key
        if not page.grids and len(set(form.key) - {spec.by}) == 1:
            name = next(name for name in form.key if name != spec.by)
            for _, item in page.items:
                key = self.take_row(spec.table, {form.column(name).label: item}, known)
                if key is not None:
                    yield key
