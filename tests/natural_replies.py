"""Pages and hits as a model would write them in a natural world: our own sentences and others, put otherwise.

And the same with one lie in it. Sentences that know nothing of the bank are those of `faithful`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

import faithful
from faithful import AbsentError, Told

from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.renderer import render
from worldsmith.pages.renderer.block_context import Desk
from worldsmith.pages.renderer.emit import words_of
from worldsmith.pages.renderer.written import Pen, fill_pattern, pen_of, row_sentences
from worldsmith.pages.renderer.written import _items as rows_told
from worldsmith.pages.types import Doc, Inline, Items, Page, Para, Piece, Span, Text
from worldsmith.pages.value_forms import Style, grouped, number_words, written_day
from worldsmith.pages.voice import Voice
from worldsmith.pages.written import row_cells
from worldsmith.schema import load_schema, with_bank
from worldsmith.schema.patterns import Split, wordings_of
from worldsmith.simulate.guard.text import squeezed
from worldsmith.simulate.protocol import Address, Call, Draft, Result, Slice
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.model import Cell, Row, World

SCHEMAS = ("town", "company", "films", "league", "smartphones")
SEEDS = (31, 32)
ADDRESS = Address("")
JOINTS = ("Also, ", "Meanwhile, ", "In addition, ", "As it happens, ", "For the record, ", "And ", "What is more, ")
MANNERS = ("own", "other", "moved", "linked", "forms", "free", "unseen")
"""How an honest page is written: as ours is; by other sentences of the bank, in another style; with its sentences in
another order; with connectives and joined sentences; with other forms of its values; by sentences made from labels; by
sentences of a bank, in a world whose own bank lacks them."""
LIES = (
    "number", "date", "name", "option", "row", "rival", "unentitled", "denied", "negated", "withheld", "free"
)  # fmt: skip


@dataclass(frozen=True)
class Reply:
    """A draft of one slice, how it is written, and the lie in it, if there is one."""

    simulator: Simulator
    part: Slice
    draft: Draft
    manner: str
    lie: str = ""


@cache
def simulator(schema: str, seed: int, split: Split = "all") -> Simulator:
    return Simulator(generate(load_schema(schema), seed, language="natural", split=split))


@cache
def pages_of(schema: str, seed: int, split: Split = "all") -> tuple[Page, ...]:
    """Return the pages of a world that its bank describes."""
    pages = simulator(schema, seed, split).pages_of(ADDRESS)
    plans = (pages.page(page_id) for page_id in pages.ids())
    return tuple(page for page in plans if page.head.by and page.cells and not page.dormant)


@cache
def unseen_pages(schema: str, seed: int) -> Pages:
    """Return pages of the world that has the training wordings alone, as the others would tell them."""
    world = simulator(schema, seed, "train").world
    whole = load_schema(schema)
    assert whole.bank is not None
    bank = with_bank(whole, wordings_of(whole.bank.data, "test"), schema).bank
    return Pages(replace(world, schema=replace(world.schema, bank=bank)))


def voice_of(sim: Simulator) -> Voice:
    voice = sim.pages_of(ADDRESS).voice
    assert voice is not None
    return voice


def slice_of(sim: Simulator, call: Call) -> Slice:
    part = sim.slice_or_reply(ADDRESS, call)
    assert isinstance(part, Slice), call
    return part


def other_pen(page: Page, pages: Pages, rng: Random) -> Pen:
    """Return a pen that chooses other sentences than ours, and writes values in another style."""
    block = replace(page.blocks[0], variant=rng.getrandbits(60) & ~1 | page.blocks[0].variant & 1, links=())
    style = Style(
        rng.choice(("iso", "long", "us")),
        rng.choice(("plain", "comma", "space")),
        rng.getrandbits(12),  # type: ignore[arg-type]
    )
    return replace(pen_of(Desk(page, pages), block), block=block, host=f"other{rng.random()}.example", style=style)


def in_prose(page: Page, pages: Pages) -> bool:
    voice = pages.voice
    assert voice is not None
    return voice.pages[page.head.by].source.form in ("article", "entries", "thread")


def other_form(span: Inline, pages: Pages, rng: Random) -> Inline:
    """Return a value in another form that states it exactly."""
    if isinstance(span, str) or len(span.cells) != 1:
        return span
    (cell,) = span.cells
    column, value = pages.words.columns[cell.row.table, cell.col], cell.value
    if column.type == "date" and re.search(r"\d", span.text):
        day = written_day(str(value), rng.choice(("iso", "long", "us")))  # type: ignore[arg-type]
        return Span(rng.choice((day, faithful.shown(value, "ord"))), span.cells)
    if not isinstance(value, int) or isinstance(value, bool) or not (number := re.match(r"[\d, ]*\d", span.text)):
        return span
    if value <= 12 and not column.unit:
        return Span(span.text.replace(number.group(), number_words(value), 1), span.cells)
    written = grouped(str(value), rng.choice(("plain", "comma", "space")))  # type: ignore[arg-type]
    return Span(span.text.replace(number.group(), written, 1), span.cells)


def sentence(text: Text) -> str:
    return words_of(text)


def linked(sentences: Sequence[str], rng: Random) -> list[str]:
    """Return sentences with connectives before some of them, and some put together."""
    out: list[str] = []
    for text in sentences:
        small = text[:1].lower() + text[1:] if text[1:2].islower() else text
        if out and rng.random() < 0.3 and out[-1].endswith("."):
            out[-1] = f"{out[-1][:-1]}{rng.choice(('; ', ', and ', ', while '))}{small}"
        elif rng.random() < 0.4:
            out.append(rng.choice(JOINTS) + small)
        else:
            out.append(text)
    return out


def page_doc(page: Page, sim: Simulator, manner: str, rng: Random) -> Doc:
    """Return an honest document of a page. Raises AbsentError where it can't be written so."""
    pages = sim.pages_of(ADDRESS)
    ours = render(page, sim.world, pages)
    if manner == "own":
        return bare(ours)
    if not in_prose(page, pages):
        if manner != "other":
            raise AbsentError(manner)
        host = rng.choice(sorted(site.host for site in pages.sites))
        return replace(bare(render(replace(page, url=f"https://{host}/x"), sim.world, pages)), url=ours.url)
    if manner == "free":
        texts = list(free_sentences(Told(page, sim.world), sim.world, rng))
        if not texts:
            raise AbsentError(manner)
        return Doc(ours.url, ours.title, ours.date, tuple(Para((text,)) for text in texts))
    teller = unseen_pages(sim.world.schema.name, sim.world.seed) if manner == "unseen" else pages
    groups = list(rows_told(other_pen(page, teller, rng)))
    if manner == "moved":
        groups = [[group[0], *rng.sample(group[1:], len(group) - 1)] for group in rng.sample(groups, len(groups))]
    if manner == "forms":
        groups = [[tuple(other_form(p, pages, rng) for p in text) for text in group] for group in groups]
    written = [[sentence(text) for text in group] for group in groups if group]
    if manner == "linked":
        written = [linked(group, rng) for group in written]
    pieces: list[Piece] = [Para((" ".join(group),)) for group in written]
    if page.subject is None and rng.random() < 0.5:
        pieces = [Items(tuple((" ".join(group),) for group in written))]
    return Doc(ours.url, ours.title, ours.date, tuple(pieces))


def bare(doc: Doc) -> Doc:
    """Return a document without the cells of its spans, as a model's is."""
    from worldsmith.pages.renderer import markdown
    from worldsmith.simulate.markdown_reader import parse_markdown

    return parse_markdown(markdown(doc), doc.url)


def free_sentences(facts: Told, world: World, rng: Random, false: bool = False) -> Iterator[str]:
    table = facts.subject.table if facts.subject else ""
    plans = [
        p
        for p in (faithful.false_sentences() if false else faithful.sentences())
        if p.at.split(".")[:2] == [world.schema.name, table]
    ]
    for plan in rng.sample(plans, len(plans)):
        try:
            yield plan.say(facts)
        except (AbsentError, KeyError, ValueError):
            continue


def honest(manner: str, count: int) -> Iterator[Reply]:
    """Yield pages written in a manner."""
    rng = Random(f"natural {manner}")
    made = 0
    while made < count:
        schema, seed = SCHEMAS[made % len(SCHEMAS)], rng.choice(SEEDS)
        split: Split = "train" if manner == "unseen" else "all"
        sim, page = simulator(schema, seed, split), rng.choice(pages_of(schema, seed, split))
        try:
            doc = page_doc(page, sim, manner, rng)
        except AbsentError:
            continue
        made += 1
        yield Reply(sim, slice_of(sim, Call("web_extractor", page.url)), doc, manner)


def honest_hits(count: int) -> Iterator[Reply]:
    """Yield lists of hits: our titles, and snippets by other sentences over the head's cells."""
    rng = Random("natural hits")
    for made in range(count):
        schema, seed = SCHEMAS[made % len(SCHEMAS)], rng.choice(SEEDS)
        sim = simulator(schema, seed)
        page = rng.choice(pages_of(schema, seed))
        part = slice_of(sim, Call("web_search", query_for(page, sim, rng), k=5))
        yield Reply(sim, part, tuple(hit for hit in hits_of(part, sim, rng)), "hits")


def query_for(page: Page, sim: Simulator, rng: Random) -> str:
    row = rng.choice([cell.row for cell in page.cells])
    return " ".join(map(str, sim.world.key(row)))


def hits_of(part: Slice, sim: Simulator, rng: Random) -> Iterator[Result]:
    pages = sim.pages_of(ADDRESS)
    ours = sim.answer_slice(ADDRESS, part).results
    for view, hit in zip(part.views, ours, strict=True):
        page = view.page
        if page.head.by and page.subject is not None and (texts := head_sentences(page, pages, rng)):
            yield replace(hit, snippet=" ".join(texts[:2]))
        else:
            yield hit


def head_sentences(page: Page, pages: Pages, rng: Random, cells: Sequence[Cell] | None = None) -> list[str]:
    """Return sentences about a page's subject over the cells of its head, or over others."""
    assert page.subject is not None
    pen = other_pen(replace(page, blocks=(replace(page.blocks[0], by=page.head.by),)), pages, rng)
    own = row_cells(pages, page.subject, page.head.cells if cells is None else cells)
    return [sentence(text) for text in row_sentences(pen, page.subject, own, (), rng.getrandbits(60))]


# lies


def false_text(text: Text, change: Callable[[Cell], object], pages: Pages, pen: Pen, rng: Random) -> str:
    """Return a sentence with one of its values put false. Raises AbsentError where none can be."""
    places = [i for i, part in enumerate(text) if not isinstance(part, str) and len(part.cells) == 1]
    rng.shuffle(places)
    for at in places:
        part = text[at]
        assert not isinstance(part, str)
        cell = part.cells[0]
        try:
            value = change(cell)
        except AbsentError:
            continue
        shown = pen.value(cell)
        if shown not in part.text:
            continue
        other = pen.value(cell._replace(value=value))
        if other == shown:
            continue
        lie = replace(part, text=part.text.replace(shown, other))
        return sentence((*text[:at], lie, *text[at + 1 :]))
    raise AbsentError("nothing to put false")


def _off(page: Page) -> Callable[[Cell], object]:
    def change(cell: Cell) -> object:
        if not isinstance(cell.value, int | float) or isinstance(cell.value, bool):
            raise AbsentError("")
        taken = {c.value for c in page.cells if c.col == cell.col}
        for off in (3, 7, 12, 40):
            value = type(cell.value)(round(cell.value * 1.3) + off)
            if value not in taken:
                return value
        raise AbsentError("")

    return change


def _of_kind(page: Page, world: World, rng: Random, kind: str) -> Callable[[Cell], object]:
    """Return what takes another row's value in the same column, none of which is on the page."""
    taken = {c.value for c in page.cells}

    def change(cell: Cell) -> object:
        column = world.schema.column(cell.row.table, cell.col)
        sort = "date" if column.type == "date" else "name" if column.key or column.ref else "option"
        if sort != kind or not isinstance(cell.value, str):
            raise AbsentError("")
        others = sorted({v for v in world.tables[cell.row.table][cell.col] if isinstance(v, str)} - taken)
        return rng.choice(others) if others else _absent()

    return change


def _absent() -> object:
    raise AbsentError("")


def _rival(page: Page, pages: Pages, rng: Random) -> Callable[[Cell], object]:
    """Return what takes the value of another column of the page that is measured alike."""
    columns = pages.words.columns

    def sort(cell: Cell) -> tuple[str, str]:
        column = columns[cell.row.table, cell.col]
        return ("int" if column.type == "num" else column.type, column.unit)

    def change(cell: Cell) -> object:
        own = columns[cell.row.table, cell.col]
        if own.key or own.ref or own.type not in ("int", "num", "date"):
            raise AbsentError("")
        same = {c.value for c in page.cells if (c.row.table, c.col) == (cell.row.table, cell.col)}
        rivals = [
            c.value
            for c in page.cells
            if (c.row.table, c.col) != (cell.row.table, cell.col) and sort(c) == sort(cell) and c.value not in same
        ]
        rivals = [v for v in rivals if v is not None]
        return rng.choice(rivals) if rivals else _absent()

    return change


def _other_row(page: Page, rng: Random) -> Callable[[Cell], object]:
    """Return what takes the value of another row of the page, in the same column."""

    def change(cell: Cell) -> object:
        own = {c.col: c.value for c in page.cells if c.row == cell.row}
        others = [
            c.value
            for c in page.cells
            if c.row.table == cell.row.table and c.col == cell.col and c.value not in (None, own.get(cell.col))
        ]
        return rng.choice(others) if others else _absent()

    return change


def _sentences(page: Page, pages: Pages, rng: Random, *, named: bool = False) -> tuple[Pen, list[Text]]:
    """Return true sentences about the page's rows, those that name their row alone where it is asked."""
    pen = other_pen(page, pages, rng)
    schema = pages.world.schema
    texts = []
    for group in rows_told(pen):
        for text in group:
            cells = [c for part in text if not isinstance(part, str) for c in part.cells]
            keys = [c for c in cells if c.col in schema.tables[c.row.table].key and c.row != page.subject]
            if not named or (keys and len(cells) > len(keys)):
                texts.append(text)
    rng.shuffle(texts)
    return pen, texts


def _unkeyed(change: Callable[[Cell], object], world: World) -> Callable[[Cell], object]:
    def other(cell: Cell) -> object:
        if cell.col in world.schema.tables[cell.row.table].key:
            raise AbsentError("")
        return change(cell)

    return other


def page_lie(kind: str, page: Page, sim: Simulator, rng: Random, teller: Pages) -> str:
    """Return a false sentence about a page, or one that it may not state, in words of `teller`. Raises AbsentError."""
    pages, world = sim.pages_of(ADDRESS), sim.world
    if kind == "free":
        text = next(free_sentences(Told(page, world), world, rng, false=True), "")
        return text or str(_absent())
    if kind in ("unentitled", "denied"):
        return _bank_lie(kind, page, sim, rng)
    pen, texts = _sentences(page, teller, rng, named=kind == "row")
    if kind == "negated":
        for text in texts:
            whole = sentence(text)
            lie = re.sub(r"\b(was|is|were|are|has|have|had|will)\b", r"\1 not", whole, count=1)
            lie = lie if lie != whole else re.sub(r"\b(\w{2,}[a-z]ed)\b", r"never \1", whole, count=1)
            if lie != whole and any(not isinstance(p, str) and p.cells for p in text):
                return lie
        raise AbsentError(kind)
    change = {
        "number": lambda: _unkeyed(_off(page), world),
        "date": lambda: _of_kind(page, world, rng, "date"),
        "name": lambda: _of_kind(page, world, rng, "name"),
        "option": lambda: _of_kind(page, world, rng, "option"),
        "row": lambda: _unkeyed(_other_row(page, rng), world),
        "rival": lambda: _rival(page, pages, rng),
    }[kind]()
    for text in texts:
        try:
            return false_text(text, change, pages, pen, rng)
        except AbsentError:
            continue
    raise AbsentError(kind)


def _bank_lie(kind: str, page: Page, sim: Simulator, rng: Random) -> str:
    """Return a sentence of the bank that states a cell the page may not state, or whose condition isn't so."""
    pages, world, voice = sim.pages_of(ADDRESS), sim.world, voice_of(sim)
    rows = [page.subject] if page.subject else list(page.rows)
    row = rng.choice(rows)
    assert row is not None
    cells = row_cells(pages, row, every_cell(world, row))
    held = {(c.row, c.col) for c in page.cells}
    shown = {str(c.value) for c in page.cells}
    pen = other_pen(page, pages, rng)
    options = []
    for written in voice.pages.values():
        for one in voice.sentences(row.table, written.genre):
            if any(path not in cells for path in one.tell.pattern.paths if path != ("subject",)):
                continue
            if any(cells[p].value is None for p in one.tell.pattern.paths if p != ("subject",)):
                continue
            if page.subject is None and not {(k,) for k in world.schema.tables[row.table].key} <= set(
                one.tell.pattern.exact
            ):
                continue  # of whichever row was named before it
            if kind == "unentitled":
                hidden = [
                    cells[p]
                    for p in one.tell.pattern.exact
                    if (cells[p].row, cells[p].col) not in held and str(cells[p].value) not in shown
                ]
                if hidden and all(p in cells for p in (*one.tell.states, *one.reads)) and one.holds(cells):
                    options.append(one)
            elif one.tell.states and all(p in cells for p in (*one.tell.states, *one.reads)):
                known = all((cells[p].row, cells[p].col) in held for p in one.tell.states)
                if known and not one.holds(cells) and all(cells[p].value not in (None, 0) for p in one.tell.states):
                    options.append(one)
    if not options:
        raise AbsentError(kind)
    return sentence(fill_pattern(pen, rng.choice(options).tell.pattern, cells, over=pen.over))


def every_cell(world: World, row: Row) -> list[Cell]:
    """Return all cells of a row and of the rows that it refers to."""
    cells = [world.cell(row, name) for name in world.tables[row.table]]
    for column in world.schema.tables[row.table].refs:
        if column.name in world.tables[row.table] and (other := world.follow(row, column.name)):
            cells += [world.cell(other, name) for name in world.tables[other.table]]
    return cells


def lies(kind: str, count: int, *, unseen: bool = False) -> Iterator[Reply]:
    """Yield true pages, or hits, with a lie of a kind in each; `unseen` lies are in words that the bank lacks."""
    rng = Random(f"natural lies {kind}")
    split: Split = "train" if unseen else "all"
    made: Counter[str] = Counter()
    tries = 0
    while made.total() < count and tries < 60 * count:
        tries += 1
        schema, seed = SCHEMAS[tries % len(SCHEMAS)], rng.choice(SEEDS)
        sim, page = simulator(schema, seed, split), rng.choice(pages_of(schema, seed, split))
        teller = unseen_pages(schema, seed) if unseen else sim.pages_of(ADDRESS)
        try:
            reply = _hit_lie(page, sim, rng) if kind == "withheld" else _page_lie(kind, page, sim, rng, teller)
        except AbsentError:
            continue
        made[schema] += 1
        yield replace(reply, manner=kind)


def _page_lie(kind: str, page: Page, sim: Simulator, rng: Random, teller: Pages) -> Reply:
    lie = page_lie(kind, page, sim, rng, teller)
    doc = bare(render(page, sim.world, sim.pages_of(ADDRESS)))
    if lie in str(doc):
        raise AbsentError(kind)
    pieces = list(doc.pieces)
    pieces.insert(rng.randrange(len(pieces) + 1), Para((lie,)))
    return Reply(sim, slice_of(sim, Call("web_extractor", page.url)), replace(doc, pieces=tuple(pieces)), kind, lie)


def _hit_lie(page: Page, sim: Simulator, rng: Random) -> Reply:
    """Return hits, one of which states a cell of its page that hits withhold."""
    pages = sim.pages_of(ADDRESS)
    part = slice_of(sim, Call("web_search", query_for(page, sim, rng), k=5))
    ours = list(sim.answer_slice(ADDRESS, part).results)
    for at, view in enumerate(part.views):
        plan = view.page
        if plan.subject is None or not plan.head.by:
            continue
        head = {(c.row, c.col) for c in plan.head.cells}
        shown = {str(c.value) for c in plan.head.cells}
        hidden = [
            c for c in plan.cells
            if (c.row, c.col) not in head and str(c.value) not in shown and c.row == plan.subject
            and c.value is not None and not isinstance(c.value, bool)
        ]  # fmt: skip
        key = [c for c in plan.cells if c.row == plan.subject and c.col in sim.world.schema.tables[c.row.table].key]
        if not hidden:
            continue
        secret = rng.choice(hidden)
        texts = head_sentences(plan, pages, rng, [*key, secret])
        lie = next((text for text in texts if pages.words.show(secret) in text), "")
        if lie and lie not in ours[at].snippet:
            ours[at] = replace(ours[at], snippet=f"{ours[at].title}. {lie}")
            return Reply(sim, part, tuple(ours), "withheld", lie)
    raise AbsentError("withheld")


def passes(reply: Reply) -> bool:
    """Whether the guard accepts the lie of a reply, each of its statements."""
    judged = reply.simulator.verdicts_on(ADDRESS, reply.draft, reply.part)
    rejected = [squeezed(v.text) for v in judged if not v.ok and v.text]
    return not any(text in squeezed(reply.lie) or squeezed(reply.lie) in text for text in rejected)
