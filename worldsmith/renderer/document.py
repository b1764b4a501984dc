"""A page plan as a document. Only the plan is read: a cell that an edit dropped is stated nowhere, nor linked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from worldsmith.pages import Block, Doc, Grid, Heading, Items, KeyValues, Link, Page, Pages, Para, Piece, Text
from worldsmith.pages.entity import EntityKind
from worldsmith.pages.grammar import Plan, article, listing, lower
from worldsmith.pages.lists import ListKind
from worldsmith.pages.words import capital
from worldsmith.world import Cell, Row, World

Rows = dict[Row, dict[str, Cell]]


def render(page: Page, world: World, pages: Pages) -> Doc:
    """Return the document of a plan of `world`, as it is after edits."""
    assert pages.world.id == world.id, f"pages of {pages.world.id} cannot render a page of {world.id}"
    desk = Desk(page, pages)
    pieces = [piece for block in page.blocks for piece in BLOCKS[block.kind](desk, block)]
    return Doc(page.url, title(page, page.cells, pages), page.date, tuple(pieces))


def title(page: Page, cells: tuple[Cell, ...], pages: Pages) -> str:
    """Return the title of a page over the cells it still states: a list without its scope's cells loses the scope."""
    kind = pages.kinds[page.kind]
    if not isinstance(kind, ListKind) or any(cell.col == kind.by for cell in cells):
        return page.title
    return kind.title((), continued=page.title.endswith("(continued)"))


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

    def keys(self, table: str, cells: dict[str, Cell]) -> tuple[str, ...]:
        """Return the texts of the key columns that are there."""
        return tuple(self.pages.words.show(cells[k]) for k in self.pages.world.schema.tables[table].key if k in cells)

    def name(self, row: Row | None, cells: dict[str, Cell]) -> str:
        """Return what the row is called; "this entry" where its key is no longer stated."""
        if row is None:
            return "this entry"
        keys = self.keys(row.table, cells)
        whole = len(keys) == len(self.pages.world.schema.tables[row.table].key)
        return self.pages.words.called(row.table, keys) if whole else "this entry"

    def say(self, phrase: str) -> str:
        """Return a phrase filled with the nouns of the page's table."""
        return self.pages.words.say(self.table, phrase)

    @property
    def table(self) -> str:
        """The table the page is about, or lists."""
        if self.page.subject:
            return self.page.subject.table
        kind = self.pages.kinds[self.page.kind]
        tables = getattr(kind, "tables", None)
        if tables is None:
            return str(getattr(kind, "table", ""))
        n = int(self.page.id.rpartition("/")[2])
        return str(tables[max(n - 2, 0)])


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
    name = desk.name(row, cells)
    tails: list[list[str | Link]] = []
    for cell in cells.values():
        if cell.col not in form.key:
            tails.append([f" {words.plans[row.table, cell.col][0].before} ", desk.text(cell, block)])
    if len(form.key) > 1 or name == "this entry":
        noun = name.removeprefix("the ") if len(form.key) > 1 and name != "this entry" else form.singular
        start: list[str | Link] = [f"This is {'the' if noun != form.singular else 'an entry on one'} {noun}"]
        start = [f"This is the {noun}"] if noun != form.singular else [f"This entry is about {article(noun)}"]
    elif tails:
        start = [f"{name} is {article(form.singular)}"]
    else:
        start = [f"{name} is one of the {form.plural} in this collection"]
    comma = [","] if tails and len(form.key) > 1 else []
    return [Para(_flat([*start, *comma, *_joined(tails, ",", " and"), "."]))]


def infobox(desk: Desk, block: Block) -> list[Piece]:
    """All cells of the subject under their labels: pairs, a two-column table, or a list."""
    words = desk.pages.words
    pairs = []
    for cell in block.cells:
        column = words.columns[cell.row.table, cell.col]
        bare = block.variant & 4 and column.unit != ""
        pairs.append((column.header if bare else column.label, (desk.text(cell, block, unit=not bare),)))
    heading = Heading(2, "Data")
    if block.variant % 3 == 0:
        return [heading, KeyValues(tuple(pairs))]
    if block.variant % 3 == 1:
        return [heading, Grid(("Item", "Value"), tuple(((label,), text) for label, text in pairs))]
    return [heading, Items(tuple((f"{label}: ", *text) for label, text in pairs))]


def sentences(desk: Desk, block: Block, row: Row) -> list[Text]:
    """Tell a row's cells, one or two a sentence; references in a sentence that names the row."""
    words, form = desk.pages.words, desk.pages.world.schema.tables[row.table]
    cells = by_row(block.cells).get(row, {})
    name = desk.name(row, cells)
    told = [c for c in cells.values() if c.col not in form.key and c.value is not None and words.plans[row.table, c.col]]
    plans = [words.plans[row.table, c.col] for c in told]
    chosen = [p[(block.variant + i) % len(p)] for i, p in enumerate(plans)]
    out: list[Text] = []
    i = 0
    while i < len(told):
        pair = i + 1 < len(told) and chosen[i].kind == chosen[i + 1].kind and chosen[i].kind in {"has", "own"}
        pair = pair and not any(words.columns[row.table, c.col].ref for c in told[i : i + 2])
        n = 2 if pair else 1
        who = (f"the {form.singular}", "it")[(block.variant + len(out)) % 2] if out or name == "this entry" else name
        parts = _sentence(desk, block, chosen[i : i + n], told[i : i + n], who, name)
        out.append(_flat([capital(parts[0]) if isinstance(parts[0], str) else parts[0], *parts[1:], "."]))
        i += n
    return out


def _sentence(
    desk: Desk, block: Block, plans: Sequence[Plan], cells: Sequence[Cell], who: str, name: str
) -> list[str | Link]:
    """Return the words of one sentence, without its full stop."""
    values = [desk.text(cell, block, unit=False) for cell in cells]
    first, kind = plans[0], plans[0].kind
    if kind == "has":
        told = [[f"{plan.before} of ", value, plan.after] for plan, value in zip(plans, values, strict=True)]
        return [f"{who} has ", *_joined(told, ", ", " and ")]
    if kind == "own":
        owner = f"{name}'s" if desk.pages.words.columns[cells[0].row.table, cells[0].col].ref else None
        owner = owner or ("its" if who == "it" else f"{who}'s")
        told = [
            [f"{'its' if i else owner} {plan.before} ", value, plan.after]
            for i, (plan, value) in enumerate(zip(plans, values, strict=True))
        ]
        return _joined(told, ", ", " and ")
    if kind == "is":
        return [f"{name} is {first.before} ", values[0]]
    if kind == "was":
        return [f"{who} was {first.before} ", values[0]]
    if kind == "plain":
        return [f"{first.before} ", values[0], first.after]
    return [f"Under {first.before}, the entry gives ", values[0], first.after]


def prose(desk: Desk, block: Block) -> list[Piece]:
    """Running text about the subject, in paragraphs of up to three sentences."""
    row = desk.page.subject
    assert row is not None
    told = sentences(desk, block, row)
    return [Heading(2, "In detail"), *_paragraphs(told, 3)] if told else []


def _paragraphs(told: Sequence[Text], size: int) -> list[Piece]:
    return [Para(_flat(_joined(told[i : i + size], " ", " "))) for i in range(0, len(told), size)]


def children(desk: Desk, block: Block) -> list[Piece]:
    """The rows that refer to the subject, under a heading that says so; rows no longer stated to, below."""
    row, words, rows = desk.page.subject, desk.pages.words, by_row(block.cells)
    kind = desk.pages.kinds[desk.page.kind]
    assert row is not None and isinstance(kind, EntityKind)
    table = block.cells[0].row.table if block.cells else ""
    key = desk.pages.world.key(row)[0]
    refs = [w.ref for w in kind.spec.children if w.table == table]
    ref = next((r for r in refs if any(cells.get(r) and cells[r].value == key for cells in rows.values())), "")
    inside = {r: c for r, c in rows.items() if ref in c and c[ref].value == key}
    outside = {r: c for r, c in rows.items() if r not in inside}
    out: list[Piece] = []
    if inside:
        shown = words.show(next(iter(inside.values()))[ref])
        out += [Heading(2, f"{words.children_of(table, ref)} {shown}"), grid(desk, block, inside, ref)]
    if outside:
        out += [Heading(2, "Also listed"), grid(desk, block, outside, "")]
    return out


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
    words, out = desk.pages.words, []
    for table, ref in dict.fromkeys((c.row.table, c.col) for c in block.cells if words.columns[c.row.table, c.col].ref):
        if words.columns[table, ref].see == "linked":
            rows = [cells for row, cells in by_row(block.cells).items() if row.table == table and ref in cells]
            shown = words.show(rows[0][ref])
            told = [[desk.name_link(table, cells, block)] for cells in rows]
            noun = lower(words.columns[table, ref].label)
            out.append(Para(_flat([f"{shown} is given as {noun} by ", *_joined(told, ", ", " and "), "."])))
    return list(out)


def table_of(desk: Desk, block: Block) -> list[Piece]:
    """A list page's rows; those that no longer state the scope, below."""
    kind = desk.pages.kinds[desk.page.kind]
    assert isinstance(kind, ListKind)
    rows = by_row(block.cells)
    scope = next((cells[kind.by].value for cells in rows.values() if kind.by in cells), None)
    inside = {r: c for r, c in rows.items() if kind.by in c and c[kind.by].value == scope}
    outside = {r: c for r, c in rows.items() if r not in inside}
    out: list[Piece] = [grid(desk, block, inside, kind.by)] if inside else []
    return [*out, *([Heading(2, "Also listed"), grid(desk, block, outside, "")] if outside else [])]


def directory(desk: Desk, block: Block) -> list[Piece]:
    """Names, each a link to its page."""
    rows = by_row(block.cells)
    return [Items(tuple((desk.name_link(row.table, cells, block),) for row, cells in rows.items()))]


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
    """Background: paragraphs of three sentences, a different choice a page."""
    phrases = desk.pages.words.phrases.guide
    groups = [phrases[i : i + 3] for i in range(0, len(phrases), 3)]
    first = 0 if block.variant >= 2 else 2 + block.variant
    picked = [groups[first], *(groups[(first + 1 + block.variant % 2 + i) % len(groups)] for i in range(2))]
    return [Para((" ".join(desk.say(p) for p in group),)) for group in picked]


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
}
"""One writer a kind of block."""
