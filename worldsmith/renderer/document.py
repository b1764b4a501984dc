"""A page plan as a document. Only the plan is read: a cell that an edit dropped is stated nowhere, nor linked.

Of `Pages` no more is asked than words of the schema, addresses and chrome, where links lead, never a value.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from worldsmith.pages import Block, Doc, Grid, Heading, Items, KeyValues, Link, Page, Pages, Para, Piece, Text
from worldsmith.pages.grammar import Plan, article, lower
from worldsmith.pages.titles import UNNAMED, called, commonest, title
from worldsmith.pages.words import capital
from worldsmith.world import Cell, Row, World

Rows = dict[Row, dict[str, Cell]]


def render(page: Page, world: World, pages: Pages) -> Doc:
    """Return the document of a plan of `world`, as it is after edits."""
    assert pages.world.id == world.id, f"pages of {pages.world.id} cannot render a page of {world.id}"
    desk = Desk(page, pages)
    pieces = [piece for block in page.blocks for piece in BLOCKS[block.kind](desk, block)]
    return Doc(page.url, title(page, page.cells, pages.words), page.date, tuple(pieces))


def by_row(cells: Sequence[Cell]) -> Rows:
    """Return cells by row and column, in order."""
    rows: Rows = {}
    for cell in cells:
        rows.setdefault(cell.row, {})[cell.col] = cell
    return rows


@dataclass(slots=True)
class Desk:
    """What the blocks of one page are written from."""

    page: Page
    pages: Pages

    def text(self, cell: Cell, block: Block, *, unit: bool = True) -> str | Link:
        """Return a cell's value, a link where the block links to what it names."""
        words = self.pages.words
        shown = words.measure(cell) if unit else words.show(cell)
        if not block.links:
            return shown
        target = self.pages.target(cell, self.page.id)
        return Link(shown, self.pages.url(target)) if target in block.links else shown

    def name_link(self, cells: dict[str, Cell], block: Block) -> str | Link:
        """Return what a row is called, a link where the block links to its page."""
        row = next(iter(cells.values())).row
        name, target = called(self.pages.words, row, cells), self.pages.about(row)
        return Link(name, self.pages.url(target)) if target and target in block.links else name

    def say(self, phrase: str) -> str:
        """Return a phrase filled with the nouns of the page's table."""
        return self.pages.words.say(self.page.table, phrase)


def _flat(parts: Sequence[str | Link]) -> Text:
    """Join neighbouring strings."""
    out: list[str | Link] = []
    for part in parts:
        if isinstance(part, str) and out and isinstance(out[-1], str):
            out[-1] += part
        elif part:
            out.append(part)
    return tuple(out)


def _joined(texts: Sequence[Sequence[str | Link]], between: str, last: str) -> list[str | Link]:
    """Return texts in a row: a, b and c."""
    out: list[str | Link] = []
    for i, text in enumerate(texts):
        out += [last if i == len(texts) - 1 else between] if i else []
        out += text
    return out


def lead(desk: Desk, block: Block) -> list[Piece]:
    """The opening sentence: what the subject is, by its first reference and date."""
    row = desk.page.subject
    assert row is not None
    cells = by_row(block.cells).get(row, {})
    words, form = desk.pages.words, desk.pages.world.schema.tables[row.table]
    name = called(words, row, cells)
    if desk.page.purpose:
        key = desk.name_link(cells, block) if cells else name
        return [Para(_flat([f"This page is kept for the {desk.page.purpose} of ", key, "."]))]
    tails = [
        [f" {words.plans[row.table, cell.col][0].before} ", desk.text(cell, block)]
        for cell in cells.values()
        if cell.col not in form.key
    ]
    if name == UNNAMED:
        start = f"This entry is about {article(form.singular)}"
    elif len(form.key) > 1:
        start = f"This is {name}{',' if tails else ''}"
    else:
        start = f"{name} is {article(form.singular) if tails else f'one of the {form.plural} in this collection'}"
    return [Para(_flat([start, *_joined(tails, ",", ","), "."]))]


def infobox(desk: Desk, block: Block) -> list[Piece]:
    """All cells of the subject under their labels: pairs, a two-column table, or a list."""
    words = desk.pages.words
    pairs = []
    for cell in block.cells:
        column = words.columns[cell.row.table, cell.col]
        bare = bool(column.unit) and (block.variant & 4 != 0 or not column.unit.isalpha())
        pairs.append((column.header if bare else column.label, (desk.text(cell, block, unit=not bare),)))
    heading = Heading(2, "Data")
    if block.variant % 3 == 0:
        return [heading, KeyValues(tuple(pairs))]
    if block.variant % 3 == 1:
        return [heading, Grid(("Item", "Value"), tuple(((label,), text) for label, text in pairs))]
    return [heading, Items(tuple((f"{label}: ", *text) for label, text in pairs))]


def sentences(desk: Desk, block: Block, row: Row) -> list[Text]:
    """Tell a row's cells, one or two a sentence.

    The first sentence names the row, and so does every one with a reference, which names another row beside it.
    """
    words, form = desk.pages.words, desk.pages.world.schema.tables[row.table]
    cells = by_row(block.cells).get(row, {})
    name, noun = called(words, row, cells), f"the {form.singular}"
    again = noun if words.person(row.table) else "it"
    told = [
        c for c in cells.values() if c.col not in form.key and c.value is not None and words.plans[row.table, c.col]
    ]
    plans = [p[(block.variant + i) % len(p)] for i, p in enumerate(words.plans[row.table, c.col] for c in told)]
    refs = [words.columns[row.table, c.col].ref for c in told]
    out: list[Text] = []
    i = 0
    while i < len(told):
        pair = i + 1 < len(told) and _shared(plans[i], plans[i + 1], refs[i] or refs[i + 1])
        n = 2 if pair else 1
        named = not out or any(refs[i : i + n])
        who = (name if len(form.key) == 1 else noun) if named else (noun, again)[(block.variant + len(out)) % 2]
        values = [
            desk.text(c, block, unit=False) if ref else words.show(c)
            for c, ref in zip(told[i : i + n], refs[i : i + n], strict=True)
        ]
        parts = _sentence(plans[i : i + n], values, who, "its" if again == "it" else "the", first=not out)
        out.append(_flat([capital(parts[0]) if isinstance(parts[0], str) else parts[0], *parts[1:], "."]))
        i += n
    return out


def _shared(one: Plan, other: Plan, ref: str | None) -> bool:
    """Tell whether two cells go into one sentence: verbs after one name, or measures of the row alone."""
    if {one.kind, other.kind} <= {"is", "was"}:
        return True
    return one.kind == other.kind and one.kind in {"has", "own"} and not ref


def _sentence(
    plans: Sequence[Plan], values: Sequence[str | Link], who: str, own: str, *, first: bool
) -> list[str | Link]:
    """Return the words of one sentence about one or two cells, without its full stop."""
    kind, both = plans[0].kind, list(zip(plans, values, strict=True))
    if kind == "has":
        return [
            f"{who} has ",
            *_joined([[f"{plan.before} of ", value, plan.after] for plan, value in both], ", ", " and "),
        ]
    if kind == "own":
        owner = "its" if who == "it" else f"{who}'" if who.endswith("s") else f"{who}'s"
        told = [[f"{own if i else owner} {plan.before} ", value, plan.after] for i, (plan, value) in enumerate(both)]
        return _joined(told, ", ", " and ")
    if kind == "free":
        return [f"{f'for {who}, ' if first else ''}{plans[0].before} ", values[0], plans[0].after]
    told = [
        [f"{'' if i and plan.kind == kind else plan.kind + ' '}{plan.before} ", value]
        for i, (plan, value) in enumerate(both)
    ]
    return [f"{who} ", *_joined(told, ", ", " and ")]


def prose(desk: Desk, block: Block) -> list[Piece]:
    """Running text about the subject, in paragraphs of up to three sentences."""
    row = desk.page.subject
    assert row is not None
    told = sentences(desk, block, row)
    return [Heading(2, "In detail"), *_paragraphs(told, 3)] if told else []


def _paragraphs(told: Sequence[Text], size: int) -> list[Piece]:
    return [Para(_flat(_joined(told[i : i + size], " ", " "))) for i in range(0, len(told), size)]


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


def grid(desk: Desk, block: Block, rows: Rows, without: str) -> Piece:
    """Rows as a table, without the column that the heading states; as a list where only names are left."""
    words = desk.pages.words
    table = next(iter(rows)).table
    names = [n for n in dict.fromkeys(name for cells in rows.values() for name in cells) if n != without]
    order = sorted(names, key=lambda n: n not in desk.pages.world.schema.tables[table].key)
    if len(order) == 1:
        return Items(tuple((desk.text(cells[order[0]], block),) for cells in rows.values() if order[0] in cells))
    return Grid(
        tuple(words.columns[table, n].header for n in order),
        tuple(tuple((desk.text(c[n], block, unit=False),) if n in c else ("",) for n in order) for c in rows.values()),
    )


def linked(desk: Desk, block: Block) -> list[Piece]:
    """The rows that name the subject in a column which only this page states."""
    words, (told, inside, outside) = desk.pages.words, _sharing(block, block.by)
    out: list[Piece] = []
    if told:
        start = f"{words.show(told)} is given as {lower(words.columns[told.row.table, block.by].label)} by "
        names = [[desk.name_link(cells, block)] for cells in inside.values()]
        out.append(Para(_flat([start, *_joined(names, ", ", " and "), "."])))
    return out + _also(desk, block, outside)


def table_of(desk: Desk, block: Block) -> list[Piece]:
    """A list page's rows; those that do not state its scope, below."""
    _, inside, outside = _sharing(block, desk.page.scope)
    return [*([grid(desk, block, inside, desk.page.scope)] if inside else []), *_also(desk, block, outside)]


def directory(desk: Desk, block: Block) -> list[Piece]:
    """Names, each a link to its page."""
    rows = by_row(block.cells)
    return [Items(tuple((desk.name_link(cells, block),) for cells in rows.values()))]


def related(desk: Desk, block: Block) -> list[Piece]:
    """Chrome links, in one line."""
    here, _, number = desk.page.id.rpartition("/")
    links: list[list[str | Link]] = []
    for page_id in block.links:
        kind, _, n = page_id.rpartition("/")
        turn = "Next page" if kind == here and int(n) > int(number) else "Previous page"
        text = turn if kind == here and kind != "world-guide" else desk.pages.anchor(page_id)
        links.append([Link(text, desk.pages.url(page_id))])
    return [Heading(2, "See also"), Para(_flat(_joined(links, " · ", " · ")))] if links else []


def notes(desk: Desk, block: Block) -> list[Piece]:
    """Sentences about the entry, without a cell."""
    phrases = desk.pages.words.phrases.notes
    start, count = block.variant % 256, block.variant // 256
    told: list[Text] = [(desk.say(phrases[(start + 5 * i) % len(phrases)]),) for i in range(min(count, len(phrases)))]
    return [Heading(2, "About this entry"), *_paragraphs(told, 4)]


def intro(desk: Desk, block: Block) -> list[Piece]:
    """A sentence over a list."""
    phrases = desk.pages.words.phrases.list_notes
    return [Para((desk.say(phrases[block.variant % len(phrases)]),))]


def news(desk: Desk, block: Block) -> list[Piece]:
    """One fact, between sentences without a cell."""
    row = desk.page.subject
    assert row is not None
    phrases, v = desk.pages.words.phrases.news, block.variant
    opening: Text = (desk.say(phrases[v % 3]),)
    closing: list[Text] = [(desk.say(phrases[3 + v % 3]),), (desk.say(phrases[3 + (v + 1) % 3]),)]
    return [Para(opening), *_paragraphs(sentences(desk, block, row), 3), *_paragraphs(closing, 2)]


def guide(desk: Desk, block: Block) -> list[Piece]:
    """Background paragraphs."""
    return [Para((text,)) for text in desk.pages.background(block.variant)]


def wall(desk: Desk, block: Block) -> list[Piece]:  # noqa: ARG001 - one signature for all
    """Write what stands where the rest of a page can't be read: nothing more."""
    return []


BLOCKS: dict[str, Callable[[Desk, Block], list[Piece]]] = {
    "lead": lead,
    "infobox": infobox,
    "prose": prose,
    "children": children,
    "linked": linked,
    "list": table_of,
    "directory": directory,
    "related": related,
    "text": notes,
    "intro": intro,
    "news": news,
    "guide": guide,
    "wall": wall,
}
"""One writer a kind of block."""
