"""Blocks of a bank's pages: prose, cards, entries, tables and threads, with the cells of every span.

Only the plan's cells are told: each sentence comes from a pattern whose slots they fill. What no pattern tells is
told by label, so that a page states all of its cells whatever an edit left of them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import takewhile
from operator import or_
from typing import Final

from worldsmith.lang.morphology import article as with_article
from worldsmith.lang.morphology import lower
from worldsmith.lang.page_phrases import capital
from worldsmith.pages.prose import mixed
from worldsmith.pages.renderer.block_context import Desk, flat, joined, stating
from worldsmith.pages.renderer.emit import words_of
from worldsmith.pages.renderer.sentences import handle
from worldsmith.pages.titles import commonest
from worldsmith.pages.types import Block, Grid, Heading, Inline, Items, KeyValues, Link, Para, Piece, Span, Text, by_row
from worldsmith.pages.value_forms import Style, possessive, write_value
from worldsmith.pages.voice import Cells, PathSet, Sentence, Sentences, Voice, path_set
from worldsmith.pages.written import row_cells
from worldsmith.schema import Path
from worldsmith.schema.patterns import SUBJECT, Either, OneOf, Pattern, Slot, Written, read_pattern
from worldsmith.world.model import Cell, Row

REPEAT: Final = 0.7
"""What telling a cell again costs, beside telling one for the first time."""
SPREAD: Final = 0x9E3779B97F4A7C15
"""What a sentence's place is multiplied by, so that neighbours draw apart."""
CHANCE: Final = 1.5
"""How much chance weighs in the choice of a sentence, beside the cells it tells: greed makes all pages alike."""
SHORT: Final = 70
"""Characters below which a hit's passage begins with the page's first sentence."""
SPARE: Final = 40
"""Characters that a hit's passage may be longer than it aims at."""
CLOSING: Final = frozenset('.!?…"”)*:')
"""Marks that a sentence may end in."""
ARTICLES: Final = (" a ", " an ", "A ", "An ")
"""What agrees with the value after it."""
BEGUN: Final = 2
"""The least number of words at the end of a sentence that breaks off."""
NONE: Final = "None."
"""What stands under the heading of a table without a row."""
PARAGRAPH: Final = (2, 3, 4)
"""Sentences of a paragraph."""


@dataclass
class Pen:
    """What one block is written with: the world's voice in the genre and style of its site."""

    desk: Desk
    block: Block
    voice: Voice
    written: Written
    host: str
    style: Style
    recent: dict[int, int] = field(default_factory=dict)
    """How often each sentence stands in the block, by its place."""

    @cached_property
    def subject_parts(self) -> tuple[Row, Cells, dict[Row, list[Cell]]]:
        """The subject, its cells, and the cells of the rows that refer to it."""
        subject = self.desk.page.subject
        assert subject is not None
        children: dict[Row, list[Cell]] = {}
        tables = {table for table, _, _ in self.written.children}
        for cell in self.block.cells:
            if cell.row.table in tables and cell.row != subject:
                children.setdefault(cell.row, []).append(cell)
        return subject, row_cells(self.desk.pages, subject, self.block.cells), children

    @property
    def over(self) -> bool:
        """Whether the subject is over, and told of in the past."""
        return bool(self.block.variant & 1)

    def value(self, cell: Cell, form: str = "") -> str:
        """Return a value as the site writes it."""
        words = self.desk.pages.words
        column, shown = words.columns[cell.row.table, cell.col], words.show(cell)
        if cell.value is None or column.type == "bool":
            return shown
        return write_value(cell, column, shown, form, self.style, self.voice.units(column))

    def span(self, cell: Cell, text: str, *, exact: bool = True) -> Span | Link:
        """Return a text that states a cell, a link where the block links to what it names."""
        stated = (cell,) if exact else ()
        target = self.desk.pages.target(cell, self.desk.page.id) if self.block.links and exact else None
        if target in self.block.links and target is not None:
            return Link(text, self.desk.pages.url(target), stated)
        return Span(text, stated)


def pen_of(desk: Desk, block: Block) -> Pen:
    """Return the pen of a block."""
    voice = desk.pages.voice
    assert voice is not None
    host = desk.page.url.partition("://")[2].partition("/")[0]
    return Pen(desk, block, voice, voice.pages[block.by], host, voice.style(host))


def fill_pattern(
    pen: Pen, pattern: Pattern, cells: Cells, *, over: bool, noun: str = "", key: str = ""
) -> tuple[Inline, ...]:
    """Return a pattern filled with a row's cells; `noun` stands for the name where it is told already."""
    out: list[Inline] = []
    for part in pen.voice.worded(pattern, pen.host).parts:
        if isinstance(part, str):
            out.append(part)
            continue
        assert not isinstance(part, OneOf)
        path = part.path
        if isinstance(part, Either):
            first = cells[path].value == 1 if path else not over
            out.append(part.first if first else part.second)
        elif path == (SUBJECT,) or (noun and path == (key,)):
            name = pen.voice.subject if path == (SUBJECT,) else noun
            out.append(possessive(name) if part.form == "s" else name)
        else:
            slot = _filled_slot(pen, part, cells[path])
            if out and isinstance(out[-1], str) and out[-1].endswith(ARTICLES):
                out[-1] = _agreeing(out[-1], words_of(slot))
            out += slot
    return flat(out if pen.written.source.form == "thread" else _capitalised(out))


def _agreeing(text: str, after: str) -> str:
    """Return a text that ends in an article as it stands before another: "a {line}" is "an optician's"."""
    stem = text.rstrip("n ")
    return f"{stem}n " if with_article(after).startswith("an ") else f"{stem} "


def _filled_slot(pen: Pen, slot: Slot, cell: Cell) -> tuple[Inline, ...]:
    """Return a value in the form of a slot: a span for the value itself, text for its article or possessive ending."""
    if slot.form == "a":
        before, _, text = pen.value(cell, "a").partition(" ")
        return f"{before} ", pen.span(cell, text)
    if slot.form == "s":
        text = pen.value(cell)
        return pen.span(cell, text), possessive(text)[len(text) :]
    return (pen.span(cell, pen.value(cell, slot.form), exact=slot.exact),)


def _capitalised(parts: Sequence[Inline]) -> list[Inline]:
    """Return running text whose first letter is a capital."""
    first, *rest = parts
    return [capital(first) if isinstance(first, str) else first.with_text(capital(first.text)), *rest]


def row_sentences(pen: Pen, row: Row, cells: Cells, implied: Sequence[Cell], chance: int) -> list[Text]:
    """Tell a row's cells: the first sentence names the row, as far as its key isn't implied.

    Args:
        pen: what it is written with.
        row: the row told of.
        cells: its cells by path.
        implied: cells that being told of here states: the reference to the subject, the value that a list shares.
        chance: what the choice of sentences hangs on.
    """
    page, form = pen.desk.page, pen.desk.pages.world.schema.tables[row.table]
    implied_paths = {(cell.col,) for cell in implied}
    key = [path for name in form.key if (path := (name,)) not in implied_paths]
    shown = pen.written.shown if row == page.subject else ()
    todo = [p for p in cells if (len(p) == 1 or p in shown) and p not in implied_paths and p not in key]
    bits = pen.voice.path_bits(row.table)
    key_set = path_set(bits, key)
    chosen = _chosen(pen, row, cells, key_set, path_set(bits, todo), chance)
    for sentence in chosen:
        pen.recent[sentence.place] = pen.recent.get(sentence.place, 0) + 1
    stated = reduce(or_, [s.stated for s in chosen], 0)
    left = [p for p in todo if not bits.get(p, 0) & stated]
    order = sorted(chosen, key=lambda s: (not s.names(key_set), s.place))
    over = pen.over if page.subject in {row, None} else False
    out = _sentence_texts(pen, order, cells, row.table, over)
    if key and not any(s.names(key_set) for s in chosen):
        out.insert(0, _labelled(pen, [p for p in cells if p in key], left, cells))
    elif left:
        out.append(_labelled(pen, [], left, cells))
    if out and implied:
        out[0] = _stating_first(out[0], implied)
    return out


def _chosen(pen: Pen, row: Row, cells: Cells, key: PathSet, todo: PathSet, chance: int) -> list[Sentence]:
    """Return the sentences that tell a row, one that names it first.

    Those that the site uses come first; others fill in for what they leave.
    """
    usable, every = pen.voice.fillable(row.table, pen.written.genre, pen.host, cells)
    chosen: list[Sentence] = []
    stated = 0
    openers = ((some, goal) for goal in (todo, key) for some in (usable, every) if key)
    first = next((best for some, goal in openers if (best := _best(pen, some, cells, goal, 0, chance, key))), None)
    if first is not None:
        chosen.append(first)
        stated = first.stated
    for among in (usable, every):
        while todo & ~stated and (best := _best(pen, among, cells, todo & ~stated, stated, chance)):
            chosen.append(best)
            stated |= best.stated
    return _without_idle(chosen, key)


def _without_idle(chosen: Sequence[Sentence], key: PathSet) -> list[Sentence]:
    """Return sentences without those that tell nothing that the others don't, one that names the row kept."""
    kept = list(chosen)
    for sentence in chosen:
        others = [s for s in kept if s is not sentence]
        elsewhere = reduce(or_, (s.stated for s in others), 0)
        if others and not sentence.stated & ~elsewhere and (not key or any(s.names(key) for s in others)):
            kept = others
    return kept


def _best(
    pen: Pen, among: Sentences, cells: Cells, todo: PathSet, stated: PathSet, chance: int, key: PathSet = 0
) -> Sentence | None:
    """Return the sentence that tells most of what is to be told, chance weighing in; None where none tells any.

    What tells a cell again is worth less, and so is a sentence that stands on the page already, of another row.

    Args:
        pen: what it is written with.
        among: sentences that the cells fill, in order.
        cells: the row's cells.
        todo: what is to be told.
        stated: what is stated already.
        chance: what chance hangs on.
        key: what it must state by its slots.
    """
    best, most, recent = None, 0.0, pen.recent
    for sentence in among:
        fresh = sentence.stated & todo
        if not fresh or key & ~sentence.exact:
            continue
        again = (sentence.stated & stated).bit_count()
        if sentence.place in recent:
            again += min(recent[sentence.place], 3)
        gain = fresh.bit_count() ** 0.5 - REPEAT * again
        if gain + CHANCE + 10 <= most:
            continue  # no luck would make it the best
        luck = (mixed(chance ^ (sentence.place * SPREAD)) >> 20 & 0xFFFF) / 0xFFFF
        worth = gain + CHANCE * luck + 10
        if worth > most and sentence.holds(cells):
            best, most = sentence, worth
    return best


def _sentence_texts(pen: Pen, order: Sequence[Sentence], cells: Cells, table: str, over: bool) -> list[Text]:
    """Return sentences in order: every other one that names the row does so by what it is, a person by the surname."""
    form, words = pen.desk.pages.world.schema.tables[table], pen.desk.pages.words
    key = form.key[0] if len(form.key) == 1 else ""
    noun = f"the {form.singular}"
    if key and form.of_people and (key,) in cells:
        noun = words.show(cells[key,]).rsplit(" ", 1)[-1]
    out: list[Text] = []
    names = 0
    for sentence in order:
        named = bool(key) and (key,) in sentence.tell.pattern.exact
        again = named and names % 2 == 1 and _takes_noun(sentence.tell.pattern, key, noun)
        text = fill_pattern(pen, sentence.tell.pattern, cells, over=over, noun=noun if again else "", key=key)
        # Posts need no full stop in a thread, and one where a site prints them in a row.
        closed = pen.written.source.form == "thread" or words_of(text)[-1:] in CLOSING
        out.append(text if closed else flat([*text, "."]))
        if sentence.unspanned:
            out[-1] = _stating_first(out[-1], [cells[p] for p in sentence.unspanned])
        names += named
    return out


def _takes_noun(pattern: Pattern, key: str, noun: str) -> bool:
    """Return whether "the line" can stand for the name: not in "the {name} line" or "{name} line"."""
    kind = noun.removeprefix("the ")
    parts = pattern.parts
    for before, part, after in zip(("", *parts), parts, (*parts[1:], ""), strict=False):
        if isinstance(part, Slot) and part.path == (key,):
            framed = isinstance(before, str) and before.lower().endswith("the ")
            if framed or (isinstance(after, str) and after.startswith(f" {kind}")):
                return False
    return True


def _labelled(pen: Pen, key: Sequence[Path], left: Sequence[Path], cells: Cells) -> Text:
    """Return what no sentence tells, by label: "Shop X: floor area 405 m2; opened 1 April 2007."."""
    columns = pen.desk.pages.words.columns
    parts: list[list[Inline]] = []
    for path in left:
        cell = cells[path]
        label = lower(pen.voice.label(columns[cell.row.table, cell.col], pen.style))
        parts.append([f"{label} ", pen.span(cell, pen.value(cell))])
    names: list[list[Inline]] = [[pen.span(cells[path], pen.value(cells[path]))] for path in key if path in cells]
    start = [*joined(names, ", ", ", "), ": " if parts else ""] if names else []
    return flat(_capitalised([*start, *joined(parts, "; ", "; "), "."]))


def _stating_first(text: Text, cells: Sequence[Cell]) -> Text:
    """Return a sentence whose first span states further cells, its first words where it has none."""
    at = next((i for i, part in enumerate(text) if not isinstance(part, str)), 0)
    return (*text[:at], stating(text[at], cells), *text[at + 1 :])


def _implied(pen: Pen, own: Sequence[Cell]) -> list[Cell]:
    """Return the cells by which a row refers to the subject: that it stands on the page states them."""
    subject = pen.desk.page.subject
    assert subject is not None
    refs = {(table, ref) for table, ref, _ in pen.written.children}
    key = pen.desk.pages.world.key(subject)[0]
    return [cell for cell in own if (cell.row.table, cell.col) in refs and cell.value == key]


def article(desk: Desk, block: Block) -> list[Piece]:
    """Prose about the subject, then about the rows that refer to it."""
    pen = pen_of(desk, block)
    opening, (first, *others) = _opening(pen), list(_stories(pen))
    after = _grouped_paragraphs(others, block.variant)
    if others and len(first) > 2 and mixed(block.variant + 7) & 1:
        # What is true today stands as often behind what was as before it: its place must tell nothing.
        return [*_paragraphs([*opening, first[0]], block.variant), *after, *_paragraphs(first[1:], block.variant)]
    return [*_paragraphs([*opening, *first], block.variant), *after]


def _stories(pen: Pen) -> Iterator[list[Text]]:
    """Yield the sentences about the subject, then those about each row that refers to it."""
    row, cells, children = pen.subject_parts
    yield row_sentences(pen, row, cells, (), mixed(pen.block.variant))
    around = by_row(cells.values())
    for i, (child, own) in enumerate(children.items()):
        child_cells = row_cells(pen.desk.pages, child, own, around)
        yield row_sentences(pen, child, child_cells, _implied(pen, own), mixed(pen.block.variant + i + 1))


def _opening(pen: Pen, *, always: bool = False) -> list[Text]:
    """Return the first sentence of a page, where its bank has one that its cells fill."""
    page = pen.desk.page
    cells = pen.subject_parts[1] if page.subject else {}
    scope = commonest(pen.block.cells, page.scope) if page.scope else None
    fitting = [p for p in pen.written.openings if all(_known(path, cells, scope) for path in p.paths)]
    if not fitting or (mixed(pen.block.variant) & 1 and not always):
        return []
    return [_framed(pen, fitting[(pen.block.variant >> 8) % len(fitting)], cells, scope)]


def _known(path: Path, cells: Cells, scope: Cell | None) -> bool:
    if path == (SUBJECT,):
        return True
    if path == ("scope",):
        return scope is not None
    cell = cells.get(path)
    return cell is not None and cell.value is not None


def _framed(pen: Pen, pattern: Pattern, cells: Cells, scope: Cell | None) -> Text:
    """Return an opening or a title."""
    return fill_pattern(pen, pattern, {**cells, ("scope",): scope} if scope else cells, over=pen.over)


def _paragraphs(sentences: Sequence[Text], chance: int) -> list[Piece]:
    out: list[Piece] = []
    at = 0
    while at < len(sentences):
        size = PARAGRAPH[mixed(chance + at) % len(PARAGRAPH)]
        size += 1 if len(sentences) - at - size == 1 else 0
        out.append(Para(flat(joined(sentences[at : at + size], " ", " "))))
        at += size
    return out


def _grouped_paragraphs(groups: Sequence[Sequence[Text]], chance: int) -> list[Piece]:
    """Return sentences as paragraphs that don't divide what belongs together."""
    out: list[Piece] = []
    now: list[Text] = []
    for group in groups:
        now += group
        if len(now) >= PARAGRAPH[mixed(chance + len(out)) % len(PARAGRAPH)]:
            out.append(Para(flat(joined(now, " ", " "))))
            now = []
    return [*out, Para(flat(joined(now, " ", " ")))] if now else out


def card(desk: Desk, block: Block) -> list[Piece]:
    """Labels and values of the subject; a table for each kind of row that refers to it."""
    pen = pen_of(desk, block)
    columns = desk.pages.words.columns
    row, _, children = pen.subject_parts
    pairs: list[tuple[str, Text]] = []
    own = [c for c in block.cells if c.row == row or (c.row not in children and c.col not in _key_of(desk, c.row))]
    for cell in own:
        label = pen.voice.label(columns[cell.row.table, cell.col], pen.style)
        pairs.append((capital(label), (pen.span(cell, pen.value(cell)),)))
    out: list[Piece] = [*map(Para, _opening(pen)), _labelled_pairs(pairs, pen.style)] if block.cells else []
    return [*out, *_child_tables(pen, children)]


def _labelled_pairs(pairs: Sequence[tuple[str, Text]], style: Style) -> Piece:
    """Return labels and values as the site prints them, that of the name first."""
    others = pairs[1:]
    ordered = [*pairs[:1], *(sorted(others, key=lambda pair: pair[0]) if style.order == "alphabet" else others)]
    match style.labels:
        case "list":
            return KeyValues(tuple(ordered))
        case "table":
            return Grid(("Particulars", "Entry"), tuple(((label,), value) for label, value in ordered))
        case "text":
            return Para(flat([*joined([[f"{label}: ", *value] for label, value in ordered], ". ", ". "), "."]))


def _child_tables(pen: Pen, children: dict[Row, list[Cell]]) -> list[Piece]:
    """Return a table of each kind of row that refers to the subject, and a word where there are none that count."""
    tables = pen.desk.pages.world.schema.tables
    out: list[Piece] = []
    for table, ref, _ in pen.written.children:
        own = {child: cells for child, cells in children.items() if child.table == table}
        rows = {child: cells for child, cells in own.items() if any(c.col == ref for c in _implied(pen, cells))}
        # A page that is cut short can't say that there are none.
        if table in tables and (rows or (pen.desk.page.whole and not tables[table].background)):
            out.append(Heading(2, capital(tables[table].plural)))
            out.append(_grid(pen, rows, ref) if rows else Para((NONE,)))
    return out


def _key_of(desk: Desk, row: Row) -> tuple[str, ...]:
    return desk.pages.world.schema.tables[row.table].key


def _grid(pen: Pen, rows: dict[Row, list[Cell]], without: str) -> Piece:
    """Rows as a table under the site's labels, without the column that all share; being listed states it."""
    table = next(iter(rows)).table
    key = pen.desk.pages.world.schema.tables[table].key
    names = [n for n in dict.fromkeys(c.col for cells in rows.values() for c in cells) if n != without]
    order = sorted(names, key=lambda n: n not in key)
    header = tuple(_header(pen, table, name) for name in order)
    lines = []
    for cells in rows.values():
        by_col = {cell.col: cell for cell in cells}
        line: list[Text] = [
            (pen.span(by_col[n], pen.value(by_col[n], "n") if by_col[n].value is not None else pen.value(by_col[n])),)
            if n in by_col
            else ()
            for n in order
        ]
        first = next((i for i, text in enumerate(line) if text), None)
        if first is not None and without in by_col:
            line[first] = (stating(line[first][0], (by_col[without],)),)
        lines.append(tuple(line))
    return Grid(header, tuple(lines))


def _header(pen: Pen, table: str, name: str) -> str:
    column = pen.desk.pages.words.columns[table, name]
    units = pen.voice.units(column)
    unit = units[pen.style.turn % len(units)] if units else column.unit
    label = capital(pen.voice.label(column, pen.style))
    return f"{label} ({unit})" if unit and unit.lower() not in re.findall(r"[^\W_]+|%", label.lower()) else label


def entries(desk: Desk, block: Block) -> list[Piece]:
    """One item for each row of a list, or of the rows that refer to the subject: a few sentences each."""
    pen = pen_of(desk, block)
    items = [flat(joined(sentences, " ", " ")) for sentences in _items(pen) if sentences]
    return [*map(Para, _opening(pen)), *([Items(tuple(items), ordered=bool(pen.style.turn & 4))] if items else [])]


def _items(pen: Pen) -> Iterator[list[Text]]:
    """Yield the sentences about each row of a page: a list's rows, or the subject and what refers to it."""
    page = pen.desk.page
    rows: dict[Row, list[Cell]] = {}
    if page.subject is not None:
        yield from _stories(pen)
        return
    for cell in pen.block.cells:
        if cell.row.table == page.table:
            rows.setdefault(cell.row, []).append(cell)
    shared = commonest(pen.block.cells, page.scope)
    for i, (row, own) in enumerate(rows.items()):
        implied = [c for c in own if shared is not None and c.col == page.scope and c.value == shared.value]
        yield row_sentences(pen, row, row_cells(pen.desk.pages, row, own), implied, mixed(pen.block.variant + i))


def table(desk: Desk, block: Block) -> list[Piece]:
    """The rows of a list as a table; on a page about a row, what refers to it."""
    pen = pen_of(desk, block)
    if desk.page.subject is not None:
        row, cells, children = pen.subject_parts
        texts = [*_opening(pen), *row_sentences(pen, row, cells, (), mixed(block.variant))]
        return [*_paragraphs(texts, block.variant), *_child_tables(pen, children)]
    rows: dict[Row, list[Cell]] = {}
    for cell in block.cells:
        rows.setdefault(cell.row, []).append(cell)
    return [*map(Para, _opening(pen)), *([_grid(pen, rows, desk.page.scope)] if rows else [])]


def thread(desk: Desk, block: Block) -> list[Piece]:
    """A thread of posts, one to three sentences each, by people with names of ordinary words."""
    pen = pen_of(desk, block)
    sentences = [*_opening(pen), *(sentence for item in _items(pen) for sentence in item)]
    out: list[Piece] = []
    at = turn = 0
    while at < len(sentences):
        size = 1 + mixed(block.variant + at) % 3
        out += [Heading(3, handle(mixed(block.variant + turn))), *map(Para, sentences[at : at + size])]
        at, turn = at + size, turn + 1
    return out


def begun(desk: Desk, block: Block) -> list[Piece]:
    """The start of a sentence, up to its first value other than a name, at the end of a page that is cut short.

    The block's variant is the sentence's place, doubled, and one more where its subject is over.
    """
    pen = pen_of(desk, block)
    tell = next(tell for tell in pen.voice.bank.tells if tell.place == block.variant >> 1)
    start = beginning(pen.voice.worded(tell.pattern, pen.host), desk.pages.world.schema.tables[tell.of].key)
    assert start is not None
    *before, last = fill_pattern(pen, start, {(cell.col,): cell for cell in block.cells}, over=pen.over)
    text = (*before, last.rstrip() if isinstance(last, str) else last)
    return [Items((text,)) if pen.written.source.form == "entries" and not pen.style.turn & 4 else Para(text)]


def beginning(pattern: Pattern, key: Sequence[str]) -> Pattern | None:
    """Return a pattern up to its first slot beyond a row's key; None where that ends in fewer than `BEGUN` words."""
    free = {*((name,) for name in key), (SUBJECT,), ()}
    parts = tuple(takewhile(lambda part: isinstance(part, str | OneOf) or part.path in free, pattern.parts))
    last = parts[-1] if parts else None
    if len(parts) == len(pattern.parts) or not isinstance(last, str) or len(last.split()) < BEGUN:
        return None
    return replace(pattern, parts=parts)


def correction(desk: Desk, block: Block) -> list[Piece]:
    """A line with a value and the one that earlier versions of the page had. Cells: names, the old one, the new one."""
    pen = pen_of(desk, block)
    *names, old, new = block.cells
    label = lower(pen.voice.label(desk.pages.words.columns[new.row.table, new.col], pen.style))
    lead = desk.pages.words.pick("corrections", "", new.row.table, block.variant)
    start: list[Inline] = [f"{lead} "]
    for cell in names:
        start += [pen.span(cell, pen.value(cell)), ", "]
    current, former = pen.span(new, pen.value(new)), pen.span(old, pen.value(old))
    return [Para(flat([*start, f"{label}: ", current, " (previously given as ", former, ")."]))]


def imprint(desk: Desk, block: Block) -> list[Piece]:
    """The standing line of the site, and links to the other parts of a list."""
    pen = pen_of(desk, block)
    lines = pen.voice.looks[pen.written.source.site].imprint
    here = int(desk.page.id.rpartition("/")[2])
    links: list[list[Inline]] = [
        [Link("Next page" if int(link.rpartition("/")[2]) > here else "Previous page", desk.pages.url(link))]
        for link in block.links
    ]
    out: list[Piece] = [Para(flat(joined(links, " · ", " · ")))] if links else []
    if lines:
        line = lines[pen.style.turn % len(lines)]
        out.append(
            Para((line.replace("{subject}", pen.voice.subject).replace("{site}", desk.pages.site(desk.page.id).name),))
        )
    return out


def written_title(desk: Desk, block: Block, cells: Sequence[Cell]) -> tuple[Inline, ...]:
    """Return the title of a page over some of its cells, its spans marked; the row's name where a slot is lost."""
    page = desk.page
    pen = pen_of(desk, Block(block.kind, tuple(cells), block.variant, (), block.by))
    pattern = read_pattern(page.title)
    own = row_cells(desk.pages, page.subject, cells) if page.subject else {}
    key_path = (_key_of(desk, page.subject)[0],) if page.subject else ()
    if page.subject and key_path in own and len(_key_of(desk, page.subject)) == 1:
        own = {("name",): own[key_path], **own}  # {name} is the row's name, whatever its column is called
    scope = commonest(cells, page.scope) if page.scope else None
    if all(_known(path, own, scope) for path in pattern.paths):
        return _framed(pen, pattern, own, scope)
    if page.subject is not None:
        key = [own[k,] for k in _key_of(desk, page.subject) if (k,) in own]
        if key:
            return flat(joined([[Span(pen.value(c), (c,))] for c in key], ", ", ", "))
    return (capital(desk.pages.world.schema.tables[page.table].plural),)


def passage(desk: Desk, length: int) -> list[Text]:
    """Return the sentences of a hit, written for it from its head's cells, of about `length` characters in all."""
    page, block = desk.page, desk.page.head
    pen = pen_of(desk, block)
    if page.subject is not None:
        out = _beyond(length, (text for texts in _stories(pen) for text in texts))
    else:
        names: list[list[Inline]] = []
        for row in dict.fromkeys(c.row for c in block.cells):
            key = [c for c in block.cells if c.row == row and c.col in _key_of(desk, row) and c.col != page.scope]
            if key:  # that a row stands in the list states what they share
                scope = [c for c in block.cells if c.row == row and c.col == page.scope]
                named = tuple(joined([[Span(pen.value(c), (c,))] for c in key], ", ", ", "))
                names.append(list(_stating_first(named, scope)))
        listed = flat([*joined(names, ", ", ", "), " …" if len(page.rows) > len(names) else "."])
        noun = capital(desk.pages.world.schema.tables[page.table].plural)
        out = [*_opening(pen), listed] if names else _opening(pen, always=True) or [(f"{noun} …",)]
    if page.subject is not None and sum(len(words_of(text)) for text in out) < SHORT:
        out = [*_opening(pen), *out]
    kept = _beyond(length, out)
    return kept[:-1] if len(kept) > 1 and sum(len(words_of(text)) + 1 for text in kept) > length + SPARE else kept


def _beyond(length: int, texts: Iterable[Text]) -> list[Text]:
    """Return texts up to the one that makes them too long for a hit of about `length` characters."""
    out: list[Text] = []
    size = 0
    for text in texts:
        out.append(text)
        size += len(words_of(text)) + 1
        if size > length + SPARE:
            break
    return out
