"""A table of a world with filters, and one row of it with what refers to it and which pages tell it."""

from typing import Final
from urllib.parse import urlencode

from worldsmith.errors import NotFoundError, UsageError, close_match
from worldsmith.schema import Column
from worldsmith.window.library import OpenWorld
from worldsmith.window.markup import Child, Markup, tag
from worldsmith.window.row_filters import HELP, matching_rows, sorted_rows
from worldsmith.window.sheet import Cell, Content, Links, Sheet, Visit, note, problems, section, table, value_html
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
    columns, schema = world.tables[name], world.schema.tables[name]
    filters = {key.removeprefix(FILTER): text for key, text in visit.query.items() if key.startswith(FILTER) and text}
    sort, descending = visit.query.get("sort", ""), visit.query.get("order") == "desc"
    wrong = []
    try:
        matching = matching_rows(columns, filters)
        if sort:
            matching = sorted_rows(matching, columns, sort, descending=descending)
    except UsageError as error:
        matching, wrong = [], [str(error)]
    shown, paging = visit.paged(len(matching), SHOWN_ROWS)
    body = [
        [
            tag("a", str(matching[i]), href=visit.links.to("world", world.id, "t", name, str(matching[i]))),
            *(_value(visit.links, world, Row(name, matching[i]), column) for column in schema.columns),
        ]
        for i in shown
    ]
    header = tag(
        "thead",
        tag(
            "tr",
            tag("th", "row", scope="col"),
            [_heading(visit, c, sort, descending=descending) for c in schema.columns],
        ),
        tag(
            "tr",
            tag("td", tag("button", "Filter", form="filters")),
            [_filter_box(c, filters.get(c.name, ""), first=i == 0) for i, c in enumerate(schema.columns)],
            class_="filters",
        ),
    )
    content = tag(
        "div",
        problems(wrong),
        note(
            f"{len(matching)} of {world.size(name)} rows. Filters: {HELP}. ",
            tag("a", "Show all", href=visit.links.to("world", world.id, "t", name)) if filters or sort else None,
        ),
        tag(
            "form",
            [
                tag("input", type="hidden", name=key, value=visit.query[key])
                for key in ("sort", "order")
                if key in visit.query
            ],
            id="filters",
        ),
        tag(
            "div",
            tag("table", header, tag("tbody", [tag("tr", row_cells) for row_cells in _tds(body)])),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label=f"Rows of {name}",
        ),
        paging,
        note("No row passes these filters.") if not matching and not wrong else None,
    )
    return Sheet(name, content, ((world.id, visit.links.to("world", world.id)),), world.id)


def _tds(body: list[list[Content]]) -> list[list[Markup]]:
    return [
        [
            tag("td", cell.content, class_=cell.class_ or None) if isinstance(cell, Cell) else tag("td", cell)
            for cell in one
        ]
        for one in body
    ]


def _known_table(opened: OpenWorld, name: str) -> str:
    if name not in opened.world.tables:
        raise NotFoundError(f"no table {name!r} in {opened.world.id}.{close_match(name, opened.world.tables)}")
    return name


def _heading(visit: Visit, column: Column, sort: str, *, descending: bool) -> Markup:
    """Return the head of a column, which sorts by it, and the other way round the second time."""
    here = column.name == sort
    kept = {key: text for key, text in visit.query.items() if key.startswith(FILTER)}
    query = {**kept, "sort": column.name, "order": "desc" if here and not descending else "asc"}
    arrow = ("↓" if descending else "↑") if here else ""
    return tag(
        "th",
        tag("a", column.name, f" {arrow}" if arrow else None, href=f"?{urlencode(query)}"),
        tag("span", column.unit, class_="unit") if column.unit else None,
        scope="col",
        title=column.label,
        aria_sort=("descending" if descending else "ascending") if here else None,
    )


def _filter_box(column: Column, text: str, *, first: bool) -> Markup:
    box = tag(
        "input",
        type="search",
        name=f"{FILTER}{column.name}",
        value=text,
        form="filters",
        size=8,
        aria_label=f"Filter {column.name}",
        data_search=first,
    )
    return tag("td", box)


def _value(links: Links, world: World, row: Row, column: Column) -> Content:
    """Return a cell; a reference leads to the row that it names."""
    value = world.value(row, column.name)
    target = world.follow(row, column.name) if column.ref else None
    if target is not None:
        return tag("a", value_html(value), href=links.to("world", world.id, "t", target.table, str(target.index)))
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return Cell(value_html(value), "n" if number else "")


def row(visit: Visit) -> Sheet:
    """Show one row: its cells, the rows that refer to it, and the pages that tell each cell."""
    opened = visit.library.world(visit.path["world"])
    world, name = opened.world, _known_table(opened, visit.path["table"])
    place = visit.path["row"]
    if not (place.isascii() and place.isdecimal()) or int(place[:12]) >= world.size(name):
        raise NotFoundError(f"{name} has no row {place[:40]!r}: its rows are 0 to {world.size(name) - 1}")
    here, links = Row(name, int(place)), visit.links
    pages = {column.name: opened.pages.carrying(here, column.name) for column in world.schema.tables[name].columns}
    cells = table(
        ("column", "label", "value", "unit", "pages that tell it"),
        [
            [
                tag("a", column.name, href=links.to("world", world.id, "graph", name=f"{name}.{column.name}")),
                column.label,
                _value(links, world, here, column),
                column.unit,
                Cell(_page_links(links, world.id, pages[column.name]), "long"),
            ]
            for column in world.schema.tables[name].columns
        ],
        label="Cells",
    )
    crumbs = ((world.id, links.to("world", world.id)), (name, links.to("world", world.id, "t", name)))
    step = tag(
        "nav",
        tag("a", "‹ previous row", href=links.to("world", world.id, "t", name, str(here.index - 1)), rel="prev")
        if here.index
        else None,
        tag("a", "next row ›", href=links.to("world", world.id, "t", name, str(here.index + 1)), rel="next")
        if here.index + 1 < world.size(name)
        else None,
        class_="paging",
        aria_label="Neighbouring rows",
    )
    children = [section(f"{child}, by {ref}", content) for child, ref, content in _children(links, world, here)]
    return Sheet(world.title(here) or str(here), tag("div", note(str(here)), cells, step, children), crumbs, world.id)


def _page_links(links: Links, world: str, pages: tuple[str, ...]) -> list[Child]:
    return [(tag("a", page, href=links.to("world", world, "page", id=page)), " ") for page in pages]


def _children(links: Links, world: World, here: Row) -> list[tuple[str, str, Child]]:
    """Return the rows that refer to a row, by table and column."""
    if len(world.schema.tables[here.table].key) > 1:
        return []
    lists: list[tuple[str, str, Child]] = []
    for child in world.schema.tables.values():
        for ref in (column for column in child.refs if column.ref == here.table):
            some = world.children(here, child.name, ref.name)
            if some:
                items = [
                    tag(
                        "li",
                        tag("a", world.title(one), href=links.to("world", world.id, "t", one.table, str(one.index))),
                    )
                    for one in some[:SHOWN_CHILDREN]
                ]
                left = len(some) - len(items)
                lists.append(
                    (
                        child.name,
                        ref.name,
                        [tag("ul", items, class_="tight"), note(f"… and {left} more") if left else None],
                    )
                )
    return lists
