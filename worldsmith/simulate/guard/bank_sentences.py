"""The sentences of a bank read back: which cells of a page a text states that a pattern of the bank fits.

A sentence is accepted if all of its words outside the slots are the pattern's, each slot holds the value of a cell of
one row, the pattern's condition holds for that row, and the unit may state all of these cells. A sentence that has a
pattern's words and is true of no row is rejected. Any other is left to the judge, who knows labels.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, get_args

from worldsmith.cache import cached_method
from worldsmith.lang.morphology import lower
from worldsmith.lang.page_phrases import capital
from worldsmith.pages import Page, Pages
from worldsmith.pages.renderer.document import page_heading
from worldsmith.pages.titles import commonest, part
from worldsmith.pages.value_forms import Style, write_value
from worldsmith.pages.voice import Cells, path_set
from worldsmith.pages.written import row_cells
from worldsmith.schema import Column, Path
from worldsmith.schema.patterns import Dates, Numbers, Slot
from worldsmith.simulate.guard.bank_forms import TAIL, BankForms, Form, plain_form
from worldsmith.simulate.guard.entitlement import Facts
from worldsmith.simulate.guard.printed import Printed, is_quantity, printed
from worldsmith.simulate.guard.text import Span, clean, lowered, squeeze
from worldsmith.simulate.protocol import Reason, Rejection
from worldsmith.world.model import Cell, Row

NAME, SCOPE = ("name",), ("scope",)
"""Slots of titles and openings: the key of the subject, the value that a list's rows share."""
DATES: tuple[Dates, ...] = get_args(Dates)
NUMBERS: tuple[Numbers, ...] = get_args(Numbers)
LONGEST = 700
"""Characters of a sentence that is read."""
SENTENCES = 8
"""Sentences of one pattern, at most; a colon ends one too."""
_END = re.compile(r"[.!?:]+[\"')\]]*(?:\s+|$)(?:\.{3}(?:\s+|$))?")
_OPENING = re.compile(
    r"(?:also|and|but|meanwhile|moreover|furthermore|however|besides|in addition|additionally|incidentally|by the way|"
    r"as it happens|for the record|what is more|in fact|indeed|likewise|in turn|on top of that|of note),? ",
    re.IGNORECASE,
)
"""Connectives that say nothing."""
_DENIAL = re.compile(r"\b(?:not|never|no longer|hardly) |n't\b")
_JOINT = re.compile(r"(?:; (?:and |but |while )?|, (?:and|but|while|whereas|with|though) | (?:and|while|whereas) )")
"""What stands between two sentences that are put together."""


class BankReading(NamedTuple):
    """A stretch of a text that was read: the cells it states, the rows it names, or what is wrong with it."""

    span: Span
    cells: tuple[Cell, ...] = ()
    rows: tuple[Row, ...] = ()
    wrong: Rejection | None = None


class _Match(NamedTuple):
    cells: tuple[Cell, ...]
    row: Row | None
    named: bool
    """Whether the row is told apart by its key."""


@dataclass(eq=False)
class PageSentences:
    """Reads sentences by what one unit of a page may state."""

    forms: BankForms
    pages: Pages
    page: Page
    facts: Facts

    @cached_property
    def title(self) -> str:
        """Our own title over these cells."""
        return page_heading(self.page, self.facts.cells, self.pages)[0] + part(self.page)

    @cached_property
    def named(self) -> tuple[Cell, ...]:
        """The cells that our own title states."""
        return page_heading(self.page, self.facts.cells, self.pages)[1]

    @cached_property
    def empty(self) -> frozenset[str]:
        """The headings of tables of rows that refer to the subject, of which the page tells that there are none."""
        tables = self.pages.world.schema.tables
        written = self.forms.voice.pages.get(self.page.head.by)
        names = [table for table, _, _ in written.children if table in tables] if written else []
        return frozenset(capital(tables[name].plural) for name in names if name not in self.rows)

    @cached_property
    def over(self) -> bool:
        """Whether the page's subject is over."""
        return bool(self.page.blocks and self.page.blocks[0].variant & 1)

    @cached_property
    def rows(self) -> Mapping[str, Sequence[Row]]:
        """The rows that may be told of, by table."""
        rows: dict[str, list[Row]] = {}
        for row in self.facts.rows:
            rows.setdefault(row.table, []).append(row)
        return rows

    @cached_method
    def cells(self, row: Row) -> Cells:
        """Return the cells of a row by path."""
        return row_cells(self.pages, row, self.facts.cells)

    @cached_property
    def _frame_cells(self) -> Cells:
        subject = self.facts.subject
        cells = dict(self.cells(subject)) if subject else {}
        key = self.pages.world.schema.tables[subject.table].key if subject else ()
        if len(key) == 1 and (key[0],) in cells:
            cells[NAME] = cells[key[0],]
        scope = commonest(self.facts.cells, self.page.scope) if self.page.scope else None
        return cells | ({SCOPE: scope} if scope else {})

    def read(self, text: str, context: dict[str, Row]) -> list[BankReading]:
        """Return the stretches of a cleaned text that sentences of the bank fit, in order.

        Args:
            text: the text.
            context: by table, the row that was last named: a sentence without a name goes on about it. It is kept up.
        """
        small = lowered(text)
        places = self.forms.places(small)
        ends = [match.end() for match in _END.finditer(text)]
        ends += [] if ends[-1:] == [len(text)] else [len(text)]
        readings: list[BankReading] = []
        here = 0
        while here < len(text):
            later = [end for end in ends if end > here][:SENTENCES]
            reading = self._first(
                small, places, here, [end for end in reversed(later) if end - here <= LONGEST], context
            )
            if reading:
                readings.append(reading)
            here = reading.span[1] if reading else later[0]
        return readings

    def _first(
        self,
        text: str,
        places: Sequence[tuple[int, int, Form]],
        start: int,
        ends: Sequence[int],
        context: dict[str, Row],
    ) -> BankReading | None:
        """Return the longest stretch from `start` on that is read; what is wrong with it only where none is right."""
        wrong: BankReading | None = None
        for end in ends:
            forms = [form for a, b, form in places if a < 0 or (start <= a and b <= end)]
            chunk = text[start:end].strip(TAIL)
            matches = self._whole(chunk, forms, context)
            if matches:
                for match in matches:
                    if match.named and match.row is not None:
                        context[match.row.table] = match.row
                cells = tuple(dict.fromkeys(cell for match in matches for cell in match.cells))
                rows = tuple(dict.fromkeys(m.row for m in matches if m.named and m.row is not None))
                return BankReading((start, end), cells, rows)
            if matches is not None:
                what = f"says {chunk!r}, which is so of no row here"
                wrong = BankReading((start, end), wrong=Rejection(Reason.UNTRUE, what))
        return wrong

    def _whole(self, chunk: str, forms: Sequence[Form], context: Mapping[str, Row]) -> list[_Match] | None:
        """Return what a sentence says, or the sentences it is put together from.

        [] where it has all the words of one and is true of no row; None where it has those of none.
        """
        one, telling = self._one(chunk, forms, context)
        if one:
            return [one]
        opening = _OPENING.match(chunk)
        if opening:
            return self._whole(chunk[opening.end() :], forms, context)
        for joint in _JOINT.finditer(chunk):
            first, _ = self._one(chunk[: joint.start()].strip(TAIL), forms, context)
            if first is None:
                continue
            after = {**context, first.row.table: first.row} if first.named and first.row else context
            rest = self._whole(chunk[joint.end() :], forms, after)
            if rest:
                return [first, *rest]
        bare = _DENIAL.sub("", chunk)
        denied = (
            bare != chunk and self._whole(bare, [form for *_, form in self.forms.places(bare)], context) is not None
        )
        return [] if telling or denied else None

    def _one(self, chunk: str, forms: Sequence[Form], context: Mapping[str, Row]) -> tuple[_Match | None, bool]:
        """Return what a sentence says that a form fits, and whether it has all the words of one that tells."""
        telling = False
        subject = self.facts.subject
        for form in (*forms, *self.forms.frames.get(self.page.head.by, ())):
            fits = {over: form.match(chunk, over=over) for over in {False, self.over}}
            for row, cells in self._rows_of(form) if any(fit is not None for fit in fits.values()) else ():
                over = self.over and (row in {subject, None} or subject is None)
                values = fits[over]
                if values is None:
                    continue
                stated = self._stated(form, values, row, cells)
                if stated is None and len(values) > 1:
                    writings = [self._writings(slot, cells) for slot in form.slots]
                    values = form.match_values(chunk, writings, over=over) or values
                    stated = self._stated(form, values, row, cells)
                if stated and self._follows(stated, context):
                    return stated, False
                telling = telling or (form.telling and row is not None and self._all_values(form, values, row))
        labelled, all_labels = self._labelled(chunk, context)
        return labelled, telling or (all_labels and labelled is None)

    def _follows(self, match: _Match, context: Mapping[str, Row]) -> bool:
        """Whether a sentence names its row, or goes on about the one that was named last."""
        row = match.row
        if row is None or row == self.facts.subject or match.named or not self._fresh_key(row):
            return True
        return row == context.get(row.table, row) if row.table in context else len(self.rows[row.table]) == 1

    def _all_values(self, form: Form, values: Sequence[str], row: Row) -> bool:
        """Whether each slot of a form holds some value of its column: not so where other words stand in it too."""
        if form.sentence is None:
            return False
        walk = self.pages.world.schema.walk
        pairs = ((walk(row.table, slot.path), text) for slot, text in zip(form.slots, values, strict=True))
        return all(self._is_value(text, column) for column, text in pairs)

    def _is_value(self, text: str, column: Column) -> bool:
        scored = self.pages.words.answers[column.table, column.name]
        if scored.kind in ("int", "num", "date"):
            return is_quantity(text, scored, [column.unit, *self.forms.voice.units(column)])
        bare = text.removesuffix("'s").removesuffix("'")
        known = self.forms.values(column.table, column.name)
        return any(squeeze(name) in known for name in (bare, bare.removeprefix("a ").removeprefix("an ")))

    def _rows_of(self, form: Form) -> Iterator[tuple[Row | None, Cells]]:
        if form.sentence is None:
            yield self.facts.subject, self._frame_cells
            return
        for row in self.rows.get(form.table, ()):
            yield row, self.cells(row)

    def _stated(self, form: Form, values: Sequence[str], row: Row | None, cells: Cells) -> _Match | None:
        """Return what a form says of a row with these values in its slots; None where any of it is not so."""
        if form.sentence is not None:
            bits = self.forms.voice.path_bits(form.table)
            known = path_set(bits, cells)
            valued = path_set(bits, [path for path, cell in cells.items() if cell.value is not None])
            if not (form.sentence.fillable(known, valued) and form.sentence.holds(cells)):
                return None
        exact: list[Cell] = []
        nouns = self._nouns(row) if row else frozenset()
        for slot, text in zip(form.slots, values, strict=True):
            cell = cells.get(slot.path)
            if cell is None or cell.value is None:
                return None
            if row is not None and self._is_key(row, slot.path) and text.removesuffix("'s").removesuffix("'") in nouns:
                continue
            reading = self._printed(text, cell, slot)
            if reading is None:
                return None
            if reading.exact and slot.exact:
                exact.append(cell)
        states = [cells[path] for path in form.sentence.tell.states] if form.sentence else []
        cells_stated = tuple(dict.fromkeys((*exact, *states)))
        return self._in_context(cells_stated, row)

    def _in_context(self, stated: tuple[Cell, ...], row: Row | None) -> _Match:
        if row is None:
            return _Match(stated, None, named=False)
        return _Match((*stated, *self._implied_cells(row)), row, self._names(row, stated))

    def _implied_cells(self, row: Row) -> Iterator[Cell]:
        """Yield the cells that a row's place on the page states: what a list shares, a reference to the subject."""
        subject, columns = self.facts.subject, self.pages.words.columns
        key = self.pages.world.key(subject) if subject and subject != row else ()
        for cell in self.facts.rows.get(row, {}).values():
            refers = subject is not None and columns[row.table, cell.col].ref == subject.table
            if cell.col == self.page.scope or (refers and cell.value in key):
                yield cell

    def _names(self, row: Row, stated: Sequence[Cell]) -> bool:
        """Whether stated cells name a row: all of its key that the page doesn't imply."""
        if row == self.facts.subject:
            return False
        values = {(c.col, c.value) for c in stated if c.row == row}
        fresh = self._fresh_key(row)
        return bool(fresh) and all((name, self.pages.world.value(row, name)) in values for name in fresh)

    def _fresh_key(self, row: Row) -> list[str]:
        """Return the columns of a row's key that the page doesn't imply."""
        return [name for name in self.pages.world.schema.tables[row.table].key if not self._implied(row, name)]

    def _implied(self, row: Row, name: str) -> bool:
        value = self.pages.world.value(row, name)
        return self.facts.part(value) in self.facts.implied_key_parts or name == self.page.scope

    def _is_key(self, row: Row, path: Path) -> bool:
        return len(path) == 1 and path == self.pages.world.schema.tables[row.table].key

    def _nouns(self, row: Row) -> frozenset[str]:
        """Return what may stand for a row's name: what it is, a pronoun, a person's surname."""
        form = self.pages.world.schema.tables[row.table]
        nouns = {f"the {form.singular}".lower(), f"this {form.singular}".lower()}
        if not form.of_people:
            return frozenset(nouns | {"it"})
        (name,) = self.pages.world.key(row) if len(form.key) == 1 else ("",)
        return frozenset(nouns | {"he", "she", "they", lowered(clean(str(name))).rsplit(" ", 1)[-1]})

    def _writings(self, slot: Slot, cells: Cells) -> list[str]:
        """Return the ways in which sites write what a slot holds, in lower case, the longest first."""
        cell = cells.get(slot.path)
        if cell is None or cell.value is None:
            return []
        column, voice = self.pages.words.columns[cell.row.table, cell.col], self.forms.voice
        shown, units = self.pages.words.show(cell), voice.units(column) or [""]
        styles = (Style(d, n, turn=turn) for d in DATES for n in NUMBERS for turn in range(len(units)))
        texts = {plain_form(write_value(cell, column, shown, slot.form, s, voice.units(column))) for s in styles}
        return sorted(texts, key=len, reverse=True)

    def _printed(self, text: str, cell: Cell, slot: Slot) -> Printed | None:
        column = self.pages.words.columns[cell.row.table, cell.col]
        scored = self.pages.words.answers[cell.row.table, cell.col]
        voice = self.forms.voice
        return printed(text, cell.value, scored, [column.unit, *voice.units(column)], slot.form)

    def _labelled(self, chunk: str, context: Mapping[str, Row]) -> tuple[_Match | None, bool]:
        """Return what a text says by labels, "Little Guybur: floor area 405 m2; opened 1 April 2007"; None for nothing.

        And whether it is a row's labels that it says it by.
        """
        name, colon, rest = chunk.rpartition(": ")
        parts, labelled = rest.split("; "), False
        for row in (row for rows in self.rows.values() for row in rows):
            cells, form = self.cells(row), self.pages.world.schema.tables[row.table]
            key = [cells[path] for path in ((n,) for n in form.key) if path in cells]
            if colon and squeeze(name) not in {
                squeeze(" ".join(map(self.pages.words.show, some)))
                for some in (key, [c for c in key if not self._implied(row, c.col)])
            }:
                continue
            stated = [self._labelled_cell(text, cells) for text in parts]
            labelled = labelled or all(known for known, _ in stated)
            labelled_cells = [cell for _, cell in stated if cell]
            match = self._in_context((*(key if colon else ()), *labelled_cells), row)
            if len(labelled_cells) == len(parts) and self._follows(match, context):
                return match, True
        return None, labelled

    def _labelled_cell(self, text: str, cells: Cells) -> tuple[bool, Cell | None]:
        """Return whether a text starts with a label of a row's cells, and the cell whose value follows it."""
        voice, labelled = self.forms.voice, False
        for cell in cells.values():
            column = self.pages.words.columns[cell.row.table, cell.col]
            for label in (*voice.bank.words(column.table, column.name).aka, column.label):
                head = f"{plain_form(lower(label))} "
                if text.startswith(head):
                    labelled = labelled or self._is_value(text[len(head) :], column)
                    if self._shows(text[len(head) :], cell):
                        return True, cell
        return labelled, None

    def _shows(self, text: str, cell: Cell) -> bool:
        if cell.value is None:
            return squeeze(text) == squeeze(self.pages.words.show(cell))
        reading = self._printed(text, cell, Slot((cell.col,)))
        return reading is not None and reading.exact
