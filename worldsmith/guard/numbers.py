"""Which numbers and dates a sentence may give: those that state a cell it is about, and a closed list of others."""

import re
from collections.abc import Collection, Sequence

from worldsmith.guard.ground import Columns, Ground
from worldsmith.guard.names import ColumnId
from worldsmith.guard.quantity import Quantity, decade, span_of, states
from worldsmith.guard.sentence import Sentence, within
from worldsmith.guard.text import clauses, clean, tokens
from worldsmith.schema import Aggregate, Rank, Schema
from worldsmith.world import Cell, Row, World

_BEFORE = re.compile(
    r"([^\W\d_]+)(?:\s(?:number|is|are|was|were|of|in all|stands? at|comes? to)|[\s:|=-])*\s*$", re.IGNORECASE
)
_VAGUE = frozenset(("with", "from", "this", "year", "reached", "yearly", "number", "total", "week", "month"))
"""Words of labels that stand beside other numbers too."""


class Numbers:
    """Judges the numbers of one world's statements."""

    def __init__(self, world: World, columns: Columns) -> None:
        schema = world.schema
        self.world, self.columns = world, columns
        self.counted = _tables_counted(schema)
        """By the nouns of each table, the columns that count such things."""
        self.worded = _words_of_numbers(schema)
        """By the nouns of their labels, the columns of numbers."""
        every = [(table.name, column) for table in schema.tables.values() for column in table.columns]
        self.ranks = frozenset((table, c.name) for table, c in every if isinstance(c.fill, Rank))
        self._numeric = frozenset(c for c, column in columns.scored.items() if column.kind in ("int", "num"))
        said = [*(c.label for _, c in every if c.type in ("int", "num")), *(c.unit for _, c in every)]
        self._nouns = frozenset(w for text in said for w in tokens(clean(text)) if len(w) >= 3) | set(self.counted)

    def beside(self, quantity: Quantity, said: Sentence, tables: Collection[str]) -> frozenset[ColumnId]:
        """Return the columns of numbers with a word in their label that stands right before or after a number."""
        before = _BEFORE.search(said.text, max(said.span[0], quantity.span[0] - 40), quantity.span[0])
        if before and any(m.kind == "name" and within(before.span(1), m.span) for m in said.names):
            before = None  # "the length of Mill Street is 300": a name is no label
        words = (before.group(1).lower() if before else "", quantity.next)
        return frozenset(column for word in words for column in self.worded.get(word, ()) if column[0] in tables)

    def stated_by(
        self, quantity: Quantity, ground: Ground, mine: Sequence[Cell], beside: frozenset[ColumnId] = frozenset()
    ) -> list[Cell]:
        exact = [c for c in ground.shown.get(quantity.text, ()) if c in mine]
        if quantity.unit:
            exact = [c for c in exact if self.columns.of(c).unit == quantity.unit]
        found = exact or [c for c in mine if states(quantity, c.value, self.columns.of(c))]
        if beside:  # "residents: 22" is no 22 lamps
            found = [c for c in found if (c.row.table, c.col) in beside]
        counting = self.counted.get(quantity.next)  # "16 phones" is no memory of 16 GB
        return found if counting is None else [c for c in found if (c.row.table, c.col) in counting]

    def derived(
        self, quantity: Quantity, said: Sentence, ground: Ground, rows: Sequence[Row], mine: Sequence[Cell]
    ) -> bool:
        """Whether it is on the closed list: the page's date, a span between dates, a small count, a wide tease."""
        if quantity.kind == "date" and ground.date and states(quantity, ground.date, self.columns.date):
            return True
        if quantity.kind in ("decade", "century"):
            return self._tease(quantity, rows)
        if self._among_numbers(quantity, said):
            return False
        return self._span(quantity, mine) or (self._is_count(quantity) and _has_words(said, quantity))

    def _tease(self, quantity: Quantity, rows: Sequence[Row]) -> bool:
        """Whether a decade or century is true of some date of the rows: too wide for any scorer to accept."""
        if quantity.kind == "decade" and decade(quantity.text) is None:
            return False
        return any(
            states(quantity, value, self.columns.date)
            for row in rows
            for name, value in self.world.fact(row).values.items()
            if value is not None and self.columns.scored[row.table, name].kind == "date"
        )

    def _span(self, quantity: Quantity, mine: Sequence[Cell]) -> bool:
        unit = quantity.next.rstrip("s")
        if quantity.kind not in ("number", "year") or unit not in ("year", "day"):
            return False
        digits = quantity.text.replace(",", "")
        number = int(digits) if digits.isdigit() else quantity.small
        dates = [str(c.value) for c in mine if self.columns.of(c).kind == "date" and c.value is not None]
        ends = [*dates, self.world.schema.as_of]
        return any(number == span_of(a, b)[unit == "year"] for a in dates for b in ends if a != b)

    def _is_count(self, quantity: Quantity) -> bool:
        if quantity.hedge and quantity.text.isdigit():
            return False  # but "under one heading" has no hedge
        return not (quantity.small is None or quantity.unit or quantity.next in self._nouns)

    def _among_numbers(self, quantity: Quantity, said: Sentence) -> bool:
        """Whether a label of a column of numbers stands in the same clause: the quantity then reads as its value."""
        if quantity.text.lower() == "one" and quantity.next:
            return False  # "one of our shops"
        whole = [quantity.span, *(cue.span for cue in said.cues)]
        clause = next((c for c in clauses(said.text, said.span, whole) if within(quantity.span, c)), said.span)
        counted = self.ranks if quantity.kind == "ordinal" else self._numeric
        return any(column in counted for cue in said.cues if within(cue.span, clause) for column in cue.columns)


def _has_words(said: Sentence, quantity: Quantity) -> bool:
    """Whether a sentence has words beside its numbers: a count alone may be a digit of something withheld."""
    if quantity.text == "One":
        return True  # a declared phrase, broken off
    text, ends = said.text, [said.span[0], *(q.span[1] for q in said.counted)]
    starts = [*(q.span[0] for q in said.counted), said.span[1]]
    return any(c.isalpha() for a, b in zip(ends, starts, strict=True) for c in text[a:b])


def _words_of_numbers(schema: Schema) -> dict[str, tuple[ColumnId, ...]]:
    """Return the columns of numbers by the nouns of their labels."""
    worded: dict[str, dict[ColumnId, None]] = {}
    for table in schema.tables.values():
        for column in table.columns:
            if column.type in ("int", "num"):
                for word in tokens(clean(column.label)):
                    if len(word) >= 4 and word not in _VAGUE:
                        worded.setdefault(word, {})[table.name, column.name] = None
    return {word: tuple(columns) for word, columns in worded.items()}


def _tables_counted(schema: Schema) -> dict[str, frozenset[ColumnId]]:
    """Return, for the nouns of each table, the columns that count such things: by their fill or in their words."""
    counted: dict[str, frozenset[ColumnId]] = {}
    for table in schema.tables.values():
        for noun in (tokens(clean(table.plural))[-1:] or [""])[0], (tokens(clean(table.singular))[-1:] or [""])[0]:
            counted[noun] = frozenset(
                (t.name, c.name)
                for t in schema.tables.values()
                for c in t.columns
                if (isinstance(c.fill, Aggregate) and c.fill.table == table.name)
                or noun in tokens(clean(f"{c.label} {c.says} {c.unit}"))
            )
    return counted
