"""A whole document against its page: every title, sentence, pair, list item, table row and link; and completeness."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from worldsmith import scoring
from worldsmith.pages.renderer.emit import words_of
from worldsmith.pages.renderer.written import NONE
from worldsmith.pages.types import Doc, Grid, Heading, Items, KeyValues, Link, Para, Piece, Text
from worldsmith.simulate.guard.bank_sentences import BankReading, PageSentences
from worldsmith.simulate.guard.column_words import Stems, cells_by_column, columns_meant, columns_of_headers
from worldsmith.simulate.guard.entitlement import Facts
from worldsmith.simulate.guard.judge import Judge, Judgement, passed
from worldsmith.simulate.guard.names import ColumnId, cue_phrase
from worldsmith.simulate.guard.printed import printed
from worldsmith.simulate.guard.text import Span, clean, lowered, scan, sentences, squeeze
from worldsmith.simulate.protocol import Reason, Rejection, Verdict
from worldsmith.world.model import Cell, Row


def links_of(piece: Piece) -> list[Link]:
    """Return the links of a piece in order."""
    match piece:
        case Para(text):
            texts: list[Text] = [text]
        case KeyValues(pairs):
            texts = [value for _, value in pairs]
        case Items(items):
            texts = list(items)
        case Grid(rows=rows):
            texts = [cell for row in rows for cell in row]
        case _:
            texts = []
    return [part for text in texts for part in text if isinstance(part, Link)]


_NOTHING = frozenset(("", "-", "–", "—", "none", "n/a", "null", "no"))
"""What stands for a null in a table or specification."""
_DIGIT = re.compile(r"[0-9]")
_BRACKETS = re.compile(r"\s*\(([^()]+)\)\s*$")
_LABEL = 60
"""Characters of a label, at most."""
_PAIR = re.compile(r"\s*([^:;]{1,60}): ([^;]*)")


def _as_grid(items: Sequence[Text]) -> Grid | None:
    """Return a list as a table where each item is the same labels with values: "Year: 2024; Score: 83"."""
    rows = [[_PAIR.fullmatch(part) for part in words_of(item).split(";")] for item in items]
    if not rows or len(rows[0]) < 2 or not all(all(row) for row in rows):
        return None
    pairs = [[(m.group(1), m.group(2)) for m in row if m] for row in rows]
    header = tuple(label for label, _ in pairs[0])
    if any(tuple(label for label, _ in row) != header for row in pairs):
        return None
    return Grid(header, tuple(tuple((value.strip(),) for _, value in row) for row in pairs))


@dataclass
class Reader:
    """Reads one document piece by piece; keeps what was stated and which rows the last heading named."""

    judge: Judge
    facts: Facts
    links: frozenset[str]
    query: str = ""
    verdicts: list[Verdict] = field(default_factory=list)
    stated: set[Cell] = field(default_factory=set)
    topic: tuple[Row, ...] = ()
    level: int = 0
    accepted_texts: list[str] = field(default_factory=list)
    declared: frozenset[str] = frozenset()
    """Headings and paragraphs that the grammar of the page's language makes without a cell."""
    bank: PageSentences | None = None
    """What reads the sentences of the bank; None in a plain world."""
    context: dict[str, Row] = field(default_factory=dict)
    """By table, the row that a sentence of the bank named last."""
    last_heading: str = ""

    def take(self, judgement: Judgement) -> bool:
        """Keep what a unit stated; return whether all of it is accepted."""
        self.verdicts += judgement.verdicts
        if judgement.ok:
            self.stated.update(judgement.stated)
        return judgement.ok

    def text(self, where: str, text: str) -> Judgement:
        """Judge running text and keep it."""
        judgement = self._read(where, text) or self.judge.text(where, text, self.facts, self.topic, self.query)
        if self.take(judgement):
            self.accepted_texts.append(text)
        return judgement

    def goes_on(self, piece: Piece) -> bool:
        """Judge the next piece; where any of it is rejected, go on as if it had not been there."""
        before = replace(self, verdicts=[], stated=set(), accepted_texts=[], context=dict(self.context))
        if before.piece(piece):
            self.topic, self.level, self.context, self.last_heading = (
                before.topic, before.level, before.context, before.last_heading
            )  # fmt: skip
            return True
        return False

    def units(self, cleaned: str) -> list[Span]:
        """Return the stretches of a cleaned text that are accepted or rejected each as a whole."""
        readings = self.bank.read(cleaned, dict(self.context)) if self.bank else []
        units: list[Span] = []
        here = 0
        for span in (*(reading.span for reading in readings), (len(cleaned), len(cleaned))):
            units += [(here + a, here + b) for a, b in sentences(cleaned[here : span[0]])]
            units += [span] if span[1] > span[0] else []
            here = span[1]
        return units

    def _read(self, where: str, text: str) -> Judgement | None:
        """Judge a text by the sentences of the bank that it holds, and the rest by labels; None where it holds none."""
        if self.bank is None:
            return None
        if where == "title" and text == self.bank.title:
            return Judgement((passed(where),), self.bank.named)
        cleaned = clean(text)
        readings = self.bank.read(cleaned, self.context)
        if not readings:
            return None
        parts: list[Judgement] = []
        here = 0
        for reading in (*readings, BankReading((len(cleaned), len(cleaned)))):
            rest = cleaned[here : reading.span[0]].strip()
            if rest:
                parts.append(self.judge.text(where, rest, self.facts, self.topic, self.query))
            here = reading.span[1]
            if reading.wrong:
                parts.append(Judgement((reading.wrong.of(where, cleaned[slice(*reading.span)]),), ()))
            elif here > reading.span[0]:
                parts.append(Judgement((passed(where),), reading.cells, reading.rows))
        return self.judge.joined(where, text, self.facts, parts)

    def piece(self, piece: Piece) -> bool:
        """Judge one piece; return whether all of it is accepted."""
        before = len(self.verdicts)
        match piece:
            case Heading(text=heading) if heading in self.declared:
                self._judge_declared("heading", heading)
            case Heading(level, text):
                self._judge_heading(level, text)
            case Para(text) if words_of(text) == NONE and self.bank and self.last_heading in self.bank.empty:
                self.verdicts.append(passed("sentence"))
            case Para(text) if words_of(text) in self.declared:
                self._judge_declared("sentence", words_of(text))
            case Para(text):
                self.text("sentence", words_of(text))
            case Items(items):
                grid = _as_grid(items)
                if grid:
                    self._judge_grid(grid)
                for item in items if grid is None else ():
                    label, colon, value = words_of(item).partition(": ")
                    if colon and self._meant_columns(label, value):
                        self._judge_pair(label, value)
                    else:
                        self.text("item", words_of(item))
            case KeyValues(pairs):
                for label, content in pairs:
                    self._judge_pair(label, words_of(content))
            case _:
                self._judge_grid(piece)
        self.last_heading = piece.text if isinstance(piece, Heading) else ""
        for link in links_of(piece):
            wrong = Rejection(Reason.LINK, f"leads to {link.url!r}, no link of this page")
            known = link.url in self.links
            self.verdicts.append(passed("link") if known else wrong.of("link", link.text))
        return all(v.ok for v in self.verdicts[before:])

    def _judge_declared(self, where: str, text: str) -> None:
        """Take what is declared to state no cell for that, as long as it holds no name of the world and no digit."""
        if where == "heading":
            self.topic = ()
        cleaned, names = clean(text), self.judge.names
        if names.nameless(cleaned) and not _DIGIT.search(cleaned):
            self.verdicts.append(passed(where))
            return
        read = scan(cleaned)
        mentions = names.find(read)
        named = next((read.text[slice(*m.span)] for m in mentions if m.kind in ("name", "alias", "coded")), "")
        if not named and any(map(str.isdigit, read.text)):
            chrome = [m.span for m in mentions if m.kind == "chrome"]  # what a world is about may have a year
            digits = ((i, c) for i, c in enumerate(read.text) if c.isdigit())
            named = next((c for i, c in digits if not any(a <= i < b for a, b in chrome)), "")
        wrong = Rejection(Reason.CLAIM, f"says {named!r}, though it is declared to state nothing")
        self.verdicts.append(wrong.of(where, text) if named else passed(where))

    def _judge_heading(self, level: int, text: str) -> None:
        """Judge a heading; the rows it names are what the text below it is about, down to a heading as high."""
        before, self.topic = self.topic, ()
        rows = tuple(row for row in self.text("heading", text).rows if row != self.facts.subject)
        if rows:
            self.topic, self.level = rows, level
        elif level > self.level:
            self.topic = before

    def _judge_pair(self, label: str, value: str) -> None:
        known, columns = self._columns(label), self._meant_columns(label, value)
        for cell in self._pair_cells():
            if (cell.row.table, cell.col) in columns and self._is_printed_as(value, cell):
                self.stated.add(cell)
                self.verdicts.append(passed("pair"))
                return
        judgement = self.text("pair", f"{label}: {value}")
        if known and judgement.ok and not any((cell.row.table, cell.col) in known for cell in judgement.stated):
            wrong = Rejection(Reason.UNTRUE, f"says {value!r} of {label!r}, which is no fact of this page")
            self.verdicts.append(wrong.of("pair", f"{label}: {value}"))

    def _pair_cells(self) -> Sequence[Cell]:
        """Return the cells that a pair may tell: of the rows that the last heading named, else of the subject."""
        return self.facts.cells_of(self.topic or ((self.facts.subject,) if self.facts.subject else ()))

    def _meant_columns(self, label: str, value: str) -> tuple[ColumnId, ...]:
        """Return the columns that a pair's label heads, in the schema's words or, by the value, in others."""
        if cue_phrase(label) in self.judge.names.labels and (known := self._columns(label)):
            return known
        if len(label) > _LABEL:
            return ()
        return columns_meant(label, [value], cells_by_column(self._pair_cells()), self._stems, self._is_printed_as)

    @property
    def _stems(self) -> Stems:
        return self.judge.statements.unsupported_claims.stems

    def _columns(self, label: str) -> tuple[ColumnId, ...]:
        """Return the columns with a cell on the page that a label heads, with or without its unit in brackets."""
        labels, held = self.judge.names.labels, self.facts.columns_held
        columns = tuple(c for c in labels.get(cue_phrase(label), ()) if c in held)
        bare = _BRACKETS.search(label)
        if columns or bare is None:
            return columns
        within = squeeze(bare[1])
        own = (c for c in labels.get(cue_phrase(label[: bare.start()]), ()) if c in held)
        return tuple(c for c in own if within in map(squeeze, self.judge.columns.units(c)))

    def _is_printed_as(self, text: str, cell: Cell) -> bool:
        """Whether a text is a cell as it is printed, with or without its unit, or another form of all of it."""
        column = self.judge.columns.of(cell)
        shown = scoring.show(cell.value, column)
        bare = text.strip()
        if cell.value is None:
            return bare.lower() in _NOTHING or bare == shown
        if bare == shown or (bare.startswith(shown) and bare[len(shown) :].strip() == column.unit != ""):
            return True
        if isinstance(cell.value, bool):
            return bare.lower() == ("yes" if cell.value else "no")
        if column.kind not in ("int", "num", "date"):
            return False
        units = self.judge.columns.units((cell.row.table, cell.col))
        form = printed(lowered(clean(bare)), cell.value, column, units)
        return form is not None and form.exact

    def _judge_grid(self, grid: Grid) -> None:
        if grid.caption:
            rows = self.text("caption", grid.caption).rows
            self.topic = tuple(row for row in rows if row != self.facts.subject) or self.topic
        labels = self.judge.names.labels
        columns = [self._columns(title) for title in grid.header]
        # Labels and values: "Item | Value", whatever column may be called a value.
        labelled = len(columns) == 2 and all(cue_phrase(words_of(row[0])) in labels for row in grid.rows if row)
        if labelled or (len(columns) == 2 and not any(columns)):
            for label, value in ((words_of(a), words_of(b)) for a, b in grid.rows if a):
                self._judge_pair(label, value)
            return
        for title, known in zip(grid.header, columns, strict=True):
            if not known and title.strip():
                self.text("header", title)
        body = [[words_of(text) for text in texts] for texts in grid.rows]
        headed = columns_of_headers(grid.header, columns, body, self.facts, self._stems, self._is_printed_as)
        left = dict.fromkeys(self.facts.rows)
        for plain in body:
            row, cells = self._row_of(plain, headed, list(left))
            if row is None:
                self._judge_loose_row(grid.header, plain)
                continue
            left.pop(row)
            self.stated.update(cells)
            self.verdicts.append(passed("row"))

    def _row_of(
        self, plain: Sequence[str], columns: Sequence[Sequence[tuple[str, str]]], rows: Sequence[Row]
    ) -> tuple[Row | None, list[Cell]]:
        """Return the row that a table row prints, cell by cell under its headers."""
        if len(plain) != len(columns):
            return None, []
        for row in rows:
            held = self.facts.rows[row]
            cells = []
            for text, known in zip(plain, columns, strict=True):
                cell = next(
                    (held[c] for t, c in known if t == row.table and c in held and self._is_printed_as(text, held[c])),
                    None,
                )
                if cell is None:
                    break
                cells.append(cell)
            else:
                return row, cells
        return None, []

    def _judge_loose_row(self, header: Sequence[str], plain: Sequence[str]) -> None:
        """Judge a table row that prints no row as it stands, as a sentence of its pairs."""
        pairs = [f"{h}: {t}" if h.strip() else t for h, t in zip(header, plain, strict=False)]
        self.text("row", "; ".join([*pairs, *plain[len(header) :]]))

    def missing(self, must: Sequence[Cell]) -> list[Cell]:
        """Return the cells of `must` that nothing stated; the page's own key or scope need not be repeated."""
        part, implied = self.facts.part, self.facts.implied_key_parts
        stated_parts = {part(c.value) for c in self.stated} | self.facts.implied_parts_in(" ".join(self.accepted_texts))
        shared = {(c.row.table, c.col, c.value) for c in self.stated}
        return [
            cell
            for cell in must
            if cell not in self.stated
            and not (part(cell.value) in implied and part(cell.value) in stated_parts)
            and not (
                cell.row in self.facts.members
                and (cell.row.table, cell.col, cell.value) in shared
                and self._is_scope(cell)
            )
        ]

    def _is_scope(self, cell: Cell) -> bool:
        return all(self.facts.world.value(row, cell.col) == cell.value for row in self.facts.members)


def read_document(
    judge: Judge,
    doc: Doc,
    facts: Facts,
    links: frozenset[str],
    query: str,
    declared: frozenset[str] = frozenset(),
    bank: PageSentences | None = None,
) -> Reader:
    """Judge a whole document."""
    reader = Reader(judge, facts, links, query, declared=declared, bank=bank)
    reader.text("title", doc.title)
    for piece in doc.pieces:
        reader.piece(piece)
    return reader
