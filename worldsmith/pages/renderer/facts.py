"""Blocks that set facts out: pairs of label and value, tables of rows, lists of names."""

from collections.abc import Sequence

from worldsmith.lang.morphology import lower
from worldsmith.pages import Block, Grid, Heading, Inline, Items, KeyValues, Link, Para, Piece, Span, plain_part
from worldsmith.pages.renderer.block_context import Desk, flat, joined, stating
from worldsmith.pages.titles import commonest
from worldsmith.pages.types import Rows, by_row
from worldsmith.world.model import Cell

FEW = 120
"""Characters of a list of names below which it is a line: shorter lists of links are taken for menus."""
MENU_SIZE = 900
"""Characters of a table from which it is taken for a menu more easily."""
MENU = (0.75, 0.45)
"""Share of links in the text of a smaller and a larger table that makes it one: what extractors of text go by."""


def infobox(desk: Desk, block: Block) -> list[Piece]:
    """All cells of the subject under their labels: pairs, a two-column table, or a list, as the site does it."""
    words = desk.pages.words
    pairs = []
    for cell in block.cells:
        column = words.columns[cell.row.table, cell.col]
        bare = bool(column.unit) and (block.variant & 4 != 0 or not column.unit.isalpha())
        pairs.append((column.header if bare else column.label, (desk.text(cell, block, unit=not bare),)))
    layout, name = desk.page.look.layout, desk.heading(block.kind)
    if layout.pairs == "pairs" or not pairs:
        return [Heading(2, name), KeyValues(tuple(pairs))]
    if layout.pairs == "items":
        return [Heading(2, name), Items(tuple((f"{label}: ", *text) for label, text in pairs))]
    heading = [] if layout.captioned else [Heading(2, name)]
    caption = name if layout.captioned else ""
    return [*heading, Grid(("Item", "Value"), tuple(((label,), text) for label, text in pairs), caption)]


def points(desk: Desk, block: Block) -> list[Piece]:
    """Some cells of the subject, its key left to the title."""
    form = desk.pages.world.schema.tables[block.cells[0].row.table]
    others = tuple(cell for cell in block.cells if cell.col not in form.key)
    return infobox(desk, Block(block.kind, others, block.variant, block.links)) if others else []


def children(desk: Desk, block: Block) -> list[Piece]:
    """The rows that refer to the subject, under a heading that says so; rows that no longer do, below."""
    words, (shared, inside, outside) = desk.pages.words, _sharing(block, block.by)
    out: list[Piece] = []
    if shared:
        start = words.children_of(shared.row.table, block.by)
        out += [Heading(2, f"{start} {words.show(shared)}"), grid(desk, block, inside, block.by)]
    return out + _also(desk, block, outside)


def _sharing(block: Block, col: str) -> tuple[Cell | None, Rows, Rows]:
    """Return a cell of what the rows of a block share in a column, the rows that state it, and the others."""
    shared, rows = commonest(block.cells, col), by_row(block.cells)
    inside = {r: c for r, c in rows.items() if shared and col in c and c[col].value == shared.value}
    return shared, inside, {r: c for r, c in rows.items() if r not in inside}


def _also(desk: Desk, block: Block, rows: Rows) -> list[Piece]:
    return [Heading(2, "Also listed"), grid(desk, block, rows, "")] if rows else []


def grid(desk: Desk, block: Block, rows: Rows, without: str, caption: str = "") -> Piece:
    """Rows as a table, without the column that the heading states; as a list where only names are left.

    That a row is here states the heading's column of it.
    """
    words = desk.pages.words
    table = next(iter(rows)).table
    names = [n for n in dict.fromkeys(name for cells in rows.values() for name in cells) if n != without]
    order = sorted(names, key=lambda n: n not in desk.pages.world.schema.tables[table].key)
    if len(order) == 1:
        texts = [
            stating(desk.text(c[order[0]], block), (c[without],) if without in c else ())
            for c in rows.values()
            if order[0] in c
        ]
        form = desk.pages.world.schema.tables[table]
        if (
            len(texts) > 1
            and sum(len(plain_part(text)) for text in texts) + len(texts) * (len(form.singular) + 19) < FEW
        ):
            return Para(
                flat([*joined([[text] for text in texts], ", ", " and "), f" ({form.plural} in the directory)"])
            )
        noun = f" ({form.singular} in the directory)"
        return Items(tuple((text, noun) if isinstance(text, Link) else (text,) for text in texts))
    lines = [_line(desk, block, cells, order, without) for cells in rows.values()]
    header = tuple(words.columns[table, n].header for n in order)
    return Grid(header, tuple(tuple((text,) for text in line) for line in _thinned(header, lines)), caption)


def _line(desk: Desk, block: Block, cells: dict[str, Cell], order: Sequence[str], without: str) -> list[Inline]:
    line: list[Inline] = [desk.text(cells[n], block, unit=False) if n in cells else "" for n in order]
    first = next((i for i, part in enumerate(line) if part), None)
    if first is not None and without in cells:
        line[first] = stating(line[first], (cells[without],))
    return line


def _thinned(header: Sequence[str], lines: list[list[Inline]]) -> list[list[Inline]]:
    """Return a table's cells with fewer links where nearly all of its text would be one: readers take that for a menu.

    Names of other rows lose theirs first, then all do.
    """
    size = sum(map(len, header)) + sum(len(plain_part(text)) for line in lines for text in line)
    most = MENU[size >= MENU_SIZE] * size
    for kept in (len(header), 1, 0):
        if sum(len(t.text) for line in lines for t in line[:kept] if isinstance(t, Link)) <= most:
            return [[*line[:kept], *map(_unlinked, line[kept:])] for line in lines]
    return lines


def _unlinked(text: Inline) -> Inline:
    return Span(text.text, text.cells) if isinstance(text, Link) else text


def linked(desk: Desk, block: Block) -> list[Piece]:
    """The rows that name the subject in a column which only this page states."""
    words, (shared, inside, outside) = desk.pages.words, _sharing(block, block.by)
    out: list[Piece] = []
    if shared:
        start = f"{words.show(shared)} is given as {lower(words.columns[shared.row.table, block.by].label)} by "
        names = [[desk.name_link(cells, block)] for cells in inside.values()]
        out.append(Para(flat([start, *joined(names, ", ", " and "), "."])))
    return out + _also(desk, block, outside)


def table_of(desk: Desk, block: Block) -> list[Piece]:
    """A list page's rows; those that do not state its scope, below."""
    _, inside, outside = _sharing(block, desk.page.scope)
    shared, words = commonest(block.cells, desk.page.scope), desk.pages.words
    caption = ""
    if shared and desk.page.look.layout.captioned:
        caption = f"{words.children_of(shared.row.table, desk.page.scope)} {words.measure(shared)}"
    return [*([grid(desk, block, inside, desk.page.scope, caption)] if inside else []), *_also(desk, block, outside)]


def table(desk: Desk, block: Block) -> list[Piece]:
    """Some rows side by side."""
    return [grid(desk, block, by_row(block.cells), "")] if block.cells else []


def neighbours(desk: Desk, block: Block) -> list[Piece]:
    """Rows that stand beside the subject in the directory."""
    return [Heading(2, desk.heading(block.kind)), *directory(desk, block, " in the directory")] if block.cells else []


def directory(desk: Desk, block: Block, where: str = "") -> list[Piece]:
    """Names, each a link to its page."""
    rows = by_row(block.cells)
    form = desk.pages.world.schema.tables[block.cells[0].row.table] if block.cells else None
    noun = f" ({form.singular if form and len(form.key) == 1 else 'entry'}{where})"
    return [Items(tuple((desk.name_link(cells, block), noun) for cells in rows.values()))]
