"""A table of a world with filters, and one row of it with what refers to it and which pages state it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from worldsmith.errors import NotFoundError, UsageError, close_match
from worldsmith.schema import Column
from worldsmith.window.library import OpenWorld
from worldsmith.window.markup import Child, Markup, tag
from worldsmith.window.row_filters import HELP, matching_rows, sorted_rows
from worldsmith.window.sheet import (
    Cell,
    Content,
    Head,
    Links,
    Sheet,
    Visit,
    moves,
    note,
    problems,
    row_link,
    section,
    table,
    value_html,
)
from worldsmith.world.model import Row, World

SHOWN_ROWS: Final = 100
"""Rows of a page of a table."""
FILTER: Final = "f."
"""What the query's fields of filters start with."""
SHOWN_CHILDREN: Final = 50
"""Rows that are listed of those that refer to a row, per table."""


def rows(visit: Visit) -> Sheet:
    """Show the rows of a table that pass the filters, sorted."""
    opened = visit.library.world(visit.path["world"])
    world, name = opened.world, _known_table(opened, visit.path["table"])
    columns, everything = world.tables[name], visit.links.to("world", world.id, "t", name)
    filters = {key.removeprefix(FILTER): text for key, text in visit.query.items() if key.startswith(FILTER) and text}
    sort, descending = visit.query.get("sort", ""), visit.query.get("order") == "desc"
    matching, wrong = list[int](), list[str]()
    try:
        matching = matching_rows(columns, filters)
        if sort:
            matching = sorted_rows(matching, columns, sort, descending=descending)
    except UsageError as error:
        matching, wrong = [], [str(error)]
    shown, paging = visit.paged(len(matching), SHOWN_ROWS)
    kept = [tag("input", type="hidden", name=key, value=visit.query.get(key)) for key in ("sort", "order") if sort]
    content = tag(
        "div",
        problems(wrong),
        note(
            f"{len(matching)} of {world.size(name)} rows. Filters: {HELP}. ",
            tag("a", "Show all", href=everything) if filters or sort else None,
        ),
        tag("form", kept, id="filters"),
        table(
            ["row", *(_heading(visit, column) for column in world.schema.tables[name].columns)],
            [_row_cells(visit.links, world, Row(name, matching[i])) for i in shown],
            label=f"Rows of {name}",
            filters=[
                tag("button", "Filter", form="filters"),
                *_filter_boxes(world.schema.tables[name].columns, filters),
            ],
        ),
        paging,
    )
    return Sheet(name, content, world.id)


def _row_cells(links: Links, world: World, row: Row) -> list[Content]:
    number = links.link(str(row.index), "world", world.id, "t", row.table, str(row.index))
    return [number, *(_value(links, world, row, column) for column in world.schema.tables[row.table].columns)]


def _known_table(opened: OpenWorld, name: str) -> str:
    if name not in opened.world.tables:
        raise NotFoundError(f"no table {name!r} in {opened.world.id}.{close_match(name, opened.world.tables)}")
    return name


def _heading(visit: Visit, column: Column) -> Head:
    """Return the head of a column, which sorts by it, and the other way round the second time."""
    here, descending = column.name == visit.query.get("sort"), visit.query.get("order") == "desc"
    kept = {key: text for key, text in visit.query.items() if key.startswith(FILTER)}
    query = {**kept, "sort": column.name, "order": "desc" if here and not descending else "asc"}
    link = tag("a", column.name, (" ↓" if descending else " ↑") if here else None, href=f"?{urlencode(query)}")
    unit = tag("span", column.unit, class_="unit") if column.unit else None
    return Head([link, unit], column.label, ("descending" if descending else "ascending") if here else "")


def _filter_boxes(columns: Iterable[Column], filters: Mapping[str, str]) -> Iterator[Markup]:
    for number, column in enumerate(columns):
        yield tag(
            "input",
            type="search",
            name=f"{FILTER}{column.name}",
            value=filters.get(column.name, ""),
            form="filters",
            size=8,
            aria_label=f"Filter {column.name}",
            data_search=number == 0,
        )


def _value(links: Links, world: World, row: Row, column: Column) -> Content:
    """Return a cell; a reference leads to the row that it names."""
    value = world.value(row, column.name)
    target = world.follow(row, column.name) if column.ref else None
    if target is not None:
        return links.link(value_html(value), "world", world.id, "t", target.table, str(target.index))
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return Cell(value_html(value), "n" if number else "")


def row(visit: Visit) -> Sheet:
    """Show one row: its cells, the rows that refer to it, and the pages that state each cell."""
    opened = visit.library.world(visit.path["world"])
    world, name = opened.world, _known_table(opened, visit.path["table"])
    place = visit.path["row"]
    if not re.fullmatch("[0-9]{1,9}", place) or int(place) >= world.size(name):
        raise NotFoundError(f"{name} has no row {place[:40]!r}: its rows are 0 to {world.size(name) - 1}")
    here, links = Row(name, int(place)), visit.links
    pages = {column.name: opened.pages.carrying(here, column.name) for column in world.schema.tables[name].columns}
    cells = table(
        ("column", "label", "value", "unit", "pages that state it"),
        [
            [
                links.link(column.name, "world", world.id, "graph", name=f"{name}.{column.name}"),
                column.label,
                _value(links, world, here, column),
                column.unit,
                Cell(_page_links(links, world.id, pages[column.name]), "long"),
            ]
            for column in world.schema.tables[name].columns
        ],
        label="Cells",
    )
    crumbs = ((name, links.to("world", world.id, "t", name)),)
    last = world.size(name) - 1
    back, on = (
        links.to("world", world.id, "t", name, str(index)) if 0 <= index <= last else ""
        for index in (here.index - 1, here.index + 1)
    )
    step = moves("Neighbouring rows", back, f"row {here.index} of 0 to {last}", on)
    children = [section(f"{child}, by {ref}", content) for child, ref, content in _children(links, world, here)]
    return Sheet(world.title(here) or str(here), tag("div", note(str(here)), cells, step, children), world.id, crumbs)


def _page_links(links: Links, world: str, pages: tuple[str, ...]) -> list[Child]:
    return [(links.link(page, "world", world, "page", id=page), " ") for page in pages]


def _children(links: Links, world: World, here: Row) -> list[tuple[str, str, Child]]:
    """Return the rows that refer to a row, by table and column."""
    if len(world.schema.tables[here.table].key) > 1:
        return []
    refs = [
        (child.name, ref.name) for child in world.schema.tables.values() for ref in child.refs if ref.ref == here.table
    ]
    lists = ((child, ref, world.children(here, child, ref)) for child, ref in refs)
    return [(child, ref, _row_links(links, world, some)) for child, ref, some in lists if some]


def _row_links(links: Links, world: World, rows: Sequence[Row]) -> list[Child]:
    items = [tag("li", row_link(links, world, row)) for row in rows[:SHOWN_CHILDREN]]
    left = len(rows) - len(items)
    return [tag("ul", items, class_="tight"), note(f"… and {left} more") if left else None]
