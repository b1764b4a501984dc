"""Which numbers and dates a sentence may give: those that state a cell it is about, and a closed list of others."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise

from worldsmith.lang.stems import stem
from worldsmith.schema import After, Aggregate, Choice, Rank, Schema, Table
from worldsmith.scoring.values.units import MAGNITUDES, unit_named
from worldsmith.simulate.guard.column_words import WEAK
from worldsmith.simulate.guard.entitlement import Columns, Facts
from worldsmith.simulate.guard.measures import lacks_magnitude
from worldsmith.simulate.guard.names import ColumnId, columns_by_id, group_columns
from worldsmith.simulate.guard.quantity import Quantity, days_and_years, states
from worldsmith.simulate.guard.sentence import Sentence, SpanCells, Statement, within
from worldsmith.simulate.guard.text import clauses, clean, tokens
from worldsmith.simulate.protocol import Reason, Rejection
from worldsmith.world.model import Cell, Row, World

_BEFORE = re.compile(
    r"([^\W\d_]+)(?:\s(?:number|is|are|was|were|of|at|in all|stands? at|comes? to)|[\s:|=-])*\s*$", re.IGNORECASE
)
_MODIFIED = re.compile(
    r"\b(?:of|in|at|on|for|by)\s(?:(?:any|all|each|the|these|those|its|their|of|our)\s)+$", re.IGNORECASE
)
_OUT_OF = re.compile(r"(?:\s?/\s?|\s(?:points\s)?out\sof\s(?:a\spossible\s)?)(\d+|ten)\b", re.IGNORECASE)
_IN_PARTS = re.compile(r"\b(?:part|page|section)\s(?:(?:\d{1,2}|[a-z]+)\sof\s)?$", re.IGNORECASE)
"""What stands before the number of a part of a page, or of its parts."""
_AS_OF = re.compile(
    r"\b(?:as (?:of|at|on)|(?:correct|current|dated|status|snapshot|updated)(?: of| on| at)?)"
    r"[\s:]+(?:the )?(?:end of )?$",
    re.IGNORECASE,
)
"""What stands before the day that a world's records are of."""
_RECORDS = re.compile(
    r",? (?:the|its|our|these|this) (?:\w+ )?"
    r"(?:registers?|records?|lists?|tables?|data|figures|entry|entries|directory)\b",
    re.IGNORECASE,
)
"""What may stand behind that day."""
_WRITTEN = re.compile(r"\b(?:updated|published|posted|written|checked|revised|edited|filed|dated)\b", re.IGNORECASE)
"""What is said of the date of a page."""
_THAN = re.compile(r"\b(?:than|most|least) $", re.IGNORECASE)
_BACK = re.compile(r"\b(?:after|following|having|since|had|previously|earlier|before|once)\b", re.IGNORECASE)
"""What tells dates in the order in which they did not happen."""
PERSON = stem("people")
_OF_THEM = frozenset(("them", "these", "those", "which", "whom", "it", "its", "the", "us"))


_DECADE = re.compile(r"\b\d{3}0'?s$", re.IGNORECASE)
"""A decade in digits, its century included."""


class Numbers:
    """Judges the numbers of one world's statements."""

    def __init__(self, world: World, columns: Columns) -> None:
        schema = world.schema
        self.world, self.columns = world, columns
        self.counted = _tables_counted(schema)
        """By the nouns of each table, the columns that count such things."""
        self.worded = _words_of_numbers(schema)
        """By the nouns of their labels, the columns of numbers."""
        every = columns_by_id(schema)
        self.ranks = frozenset(place for place, c in every.items() if isinstance(c.fill, Rank))
        self._numeric = frozenset(c for c, column in columns.scored.items() if column.kind in ("int", "num"))
        label_texts = [c.label for c in every.values() if c.type in ("int", "num")] + [c.unit for c in every.values()]
        self._nouns = frozenset(w for text in label_texts for w in tokens(clean(text)) if len(w) >= 3) | set(
            self.counted
        )
        self.labels = {place: c.label for place, c in every.items()}
        units = {w for c in every.values() for w in tokens(clean(c.unit)) if w.isalpha() and len(w) >= 3}
        self._units = frozenset(w for w in units if unit_named(w) is None and w not in MAGNITUDES)
        """Words of units that only this schema has: crowns, seats."""
        self._rows = _tables_named(schema)
        """By the stems of the nouns of each table and of its key's labels, the tables."""
        self._chosen = frozenset(
            stem(word)
            for c in every.values() if isinstance(c.fill, Choice)
            for option in c.fill.options if isinstance(option, str)
            for word in tokens(clean(option))
        )  # fmt: skip
        """Stems of the words of options."""
        own = {place: m.group(1) for place, c in every.items() if (m := re.search(r"\(of (\d+)\)", c.label))}
        best = {
            place: (c.fill.table, c.fill.column) for place, c in every.items()
            if isinstance(c.fill, Aggregate) and c.fill.op == "max"
        }  # fmt: skip
        self._scales = own | {place: own[scored] for place, scored in best.items() if scored in own}
        """The ends of columns' scales; that of a maximum is that of its column."""
        self._earlier = {
            place: (place[0], c.fill.path[0]) for place, c in every.items()
            if isinstance(c.fill, After) and len(c.fill.path) == 1
        }  # fmt: skip

    def columns_beside(self, quantity: Quantity, sentence: Sentence, tables: Collection[str]) -> frozenset[ColumnId]:
        """Return the columns of numbers with a word in their label that stands right before or after a number."""
        if quantity.kind not in ("number", "year"):
            return frozenset()  # "joined the club: 25 May 2028"
        before = _BEFORE.search(sentence.text, max(sentence.span[0], quantity.span[0] - 40), quantity.span[0])
        if before and any(m.kind == "name" and within(before.span(1), m.span) for m in sentence.names):
            before = None  # "the length of Mill Street is 300": a name is no label
        cue = next((c for c in sentence.cues if before and within(before.span(1), c.span)), None)
        if cue:
            return frozenset(c for c in cue.columns if c[0] in tables and c in self._numeric)
        if before and _MODIFIED.search(sentence.text, sentence.span[0], before.start(1)):
            before = None  # "the largest gross of these films is 300"
        words = {before.group(1).lower() if before else "", quantity.next, *self._word_behind(quantity)}
        columns = [c for word in words for c in self.worded.get(stem(word), ()) if c[0] in tables]
        if _measured_in(quantity.unit) in _TIMES:  # "went on sale 24 days after": a time is no value of sales
            columns = [c for c in columns if _measured_in(self.columns.scored[c].unit) in _TIMES]
        return frozenset(columns)

    def _word_behind(self, quantity: Quantity) -> tuple[str, ...]:
        """Return the word behind a number with its unit, "500 EUR budget", unless it is what is counted."""
        return quantity.then[:1] if quantity.unit and stem((quantity.then or ("",))[0]) not in self._rows else ()

    def stated_by(
        self, quantity: Quantity, statement: Statement, beside: frozenset[ColumnId] = frozenset()
    ) -> list[Cell]:
        """Return the cells that a quantity states; `beside` are the columns that a word next to it is of, if any."""
        _, sentence, facts, _, mine, _ = statement
        exact = [c for c in facts.cells_by_print.get(quantity.text, ()) if c in mine]
        if quantity.unit:
            exact = [c for c in exact if self.columns.of(c).unit == quantity.unit]
        stated = exact or [c for c in mine if states(quantity, c.value, self.columns.of(c))]
        if quantity.kind == "ordinal":  # no sum of money is the 1,356,500th
            stated = [c for c in stated if (c.row.table, c.col) in self.ranks or float(str(c.value)) <= 100]
        if _OUT_OF.match(sentence.text, quantity.span[1]):
            stated = [c for c in stated if (c.row.table, c.col) in self._scales]
        if beside:  # "residents: 22" is no 22 lamps
            stated = [c for c in stated if (c.row.table, c.col) in beside]
        stated = [c for c in stated if not self._lacks_scale(quantity, sentence, c)]
        if not quantity.unit and quantity.next in self._units:  # "30 crowns" are no 30 m2
            word = quantity.next
            stated = [c for c in stated if word in tokens(self.columns.of(c).unit) or self._is_in_label(word, c)]
        counting = self.counted.get(stem(quantity.next))  # "16 phones" is no memory of 16 GB
        return stated if counting is None else [c for c in stated if (c.row.table, c.col) in counting]

    def _lacks_scale(self, quantity: Quantity, sentence: Sentence, cell: Cell) -> bool:
        """Whether a number of thousands is given as one of ones; right behind its label it reads as the column does."""
        labelled = any((cell.row.table, cell.col) in cue.columns for cue in sentence.cues) and not quantity.next
        text = sentence.text[slice(*sentence.span)]
        return not labelled and lacks_magnitude(text, quantity.text, cell.value, self.columns.of(cell).unit)

    def _is_in_label(self, word: str, cell: Cell) -> bool:
        return word in tokens(clean(self.labels[cell.row.table, cell.col]))

    def is_derivable(self, quantity: Quantity, statement: Statement) -> bool:
        """Whether it is on the closed list: the page's date, a span between dates, a small count, a wide tease."""
        _, sentence, facts, rows, mine, _ = statement
        if quantity.kind in ("date", "season") and (
            self._is_page_date(quantity, sentence, facts) or self._is_world_date(quantity, sentence)
        ):
            return True
        if quantity.small is not None and _IN_PARTS.search(sentence.text, sentence.span[0], quantity.span[0]):
            return True
        if quantity.kind == "century" or _DECADE.search(quantity.text):
            return self._is_wide_tease(quantity, rows)
        if self._is_scale_end(quantity, sentence, mine):
            return True
        if self._is_beside_number_label(quantity, sentence):
            return self.counts_listed_rows(quantity, sentence, facts) is True
        return self._is_time_span(quantity, mine) or (
            self._is_count(quantity, sentence, facts) and _has_words(sentence, quantity)
        )

    def _is_page_date(self, quantity: Quantity, sentence: Sentence, facts: Facts) -> bool:
        """Whether it is the page's date; one without its year only where it is given as such."""
        if not facts.date or not states(quantity, facts.date, self.columns.date):
            return False
        return quantity.kind == "date" or bool(_WRITTEN.search(sentence.text, sentence.span[0], quantity.span[0]))

    def _is_world_date(self, quantity: Quantity, sentence: Sentence) -> bool:
        """Whether it is the day of the world's records, given as such."""
        named = _AS_OF.search(sentence.text, sentence.span[0], quantity.span[0]) or _RECORDS.match(
            sentence.text, quantity.span[1], sentence.span[1]
        )
        return named is not None and states(quantity, self.world.schema.as_of, self.columns.date)

    def _is_scale_end(self, quantity: Quantity, sentence: Sentence, mine: Sequence[Cell]) -> bool:
        """Whether it is the end of a column's scale, "7.5 out of 10", where that column's value may be told."""
        text = "10" if quantity.text.lower() == "ten" else quantity.text
        before = sentence.text[max(sentence.span[0], quantity.span[0] - 14) : quantity.span[0]].lower()
        return before.endswith(("/", "out of ", " of ", "of a possible ")) and any(
            self._scales.get((c.row.table, c.col)) == text for c in mine
        )

    def _is_wide_tease(self, quantity: Quantity, rows: Sequence[Row]) -> bool:
        """Whether a century, or a decade in digits, is true of some date of the rows: too wide for a scorer to accept.

        A decade in words ("the early sixties") is no tease: an age is told so, too, and a value of any century.
        """
        return any(
            states(quantity, value, self.columns.date)
            for row in rows
            for name, value in self.world.fact(row).values.items()
            if value is not None and self.columns.scored[row.table, name].kind == "date"
        )

    def _is_time_span(self, quantity: Quantity, mine: Sequence[Cell]) -> bool:
        unit = quantity.next.rstrip("s")
        if quantity.kind not in ("number", "year") or unit not in ("year", "day"):
            return False
        digits = quantity.text.replace(",", "")
        number = int(digits) if digits.isdigit() else quantity.small
        dates = [str(c.value) for c in mine if self.columns.of(c).kind == "date" and c.value is not None]
        ends = [*dates, self.world.schema.as_of]
        return any(number == days_and_years(a, b)[unit == "year"] for a in dates for b in ends if a != b)

    def _is_count(self, quantity: Quantity, sentence: Sentence, facts: Facts) -> bool:
        """Whether it counts rows that the page lists, or something that no table and no column of numbers has."""
        if quantity.hedge and (quantity.text.isdigit() or _THAN.search(sentence.text, 0, quantity.span[0])):
            return False  # but "under one heading" has no hedge
        if quantity.small is None or quantity.unit:
            return False
        scale = _OUT_OF.match(sentence.text, quantity.span[1])
        if scale and scale[1].lower().replace("ten", "10") in self._scales.values():
            return False  # "3 out of 10" is a rating, whatever is said of it
        if quantity.next in ("time", "times") and self._follows_number_label(sentence, quantity):
            return False  # "inspectors have called three times"
        if quantity.next == "of":
            return quantity.text.lower() == "one" or not _OF_THEM & set(quantity.then)
        listed = self.counts_listed_rows(quantity, sentence, facts)
        if listed is not None:
            return listed
        if quantity.text.lower() == "first" and not self.says_first(quantity, sentence):
            return True  # "kept since the first", broken off
        return quantity.text.lower() == "one" or bool(quantity.next)

    def _follows_number_label(self, sentence: Sentence, quantity: Quantity) -> bool:
        """Whether a word of the label of a column of numbers stands before a number in its clause."""
        clause = next(c for c in clauses(sentence.text, sentence.span, [quantity.span]) if within(quantity.span, c))
        return any(stem(word) in self.worded for word in tokens(sentence.text[clause[0] : quantity.span[0]]))

    def counts_listed_rows(self, quantity: Quantity, sentence: Sentence, facts: Facts) -> bool | None:
        """Whether it is how many rows the page lists of what it counts; None where it counts nothing known here."""
        words = [stem(w) for w in (quantity.next, *quantity.then[:2]) if w]
        tables = {table for word in words[:2] for table in self._rows.get(word, ())}
        if self.says_first(quantity, sentence):
            return len(facts.members) > 1  # of the rows listed: `UnsupportedClaims` judges which
        if quantity.kind == "ordinal" and not words and quantity.text.lower() != "first":
            return False
        here = [row for row in dict.fromkeys((*facts.rows, *facts.members)) if row.table in tables]
        if quantity.kind != "ordinal" and quantity.small == len([row for row in here if row != facts.subject]) > 0:
            return True
        return False if tables or any(word in self.worded or word in self._chosen for word in words[:2]) else None

    @staticmethod
    def says_first(quantity: Quantity, sentence: Sentence) -> bool:
        """Whether it says of a row that it came first, and counts nothing."""
        alone = quantity.text.lower() == "first" and not quantity.next and not quantity.then
        return alone and not sentence.text[: quantity.span[0]].endswith("since the ")

    def date_order_fault(self, sentence: Sentence, span_cells: SpanCells) -> Rejection | None:
        """Return what is wrong with two dates of a row that stand in each other's place."""
        dates = [(span, c[0]) for span, c in sorted(span_cells) if len(c) == 1 and self.columns.of(c[0]).kind == "date"]
        named = {place for cue in sentence.cues for place in cue.columns}
        for (_, first), (span, second) in pairwise(dates):
            if first.row != second.row or not self._must_follow(first, second):
                continue
            both = {(c.row.table, c.col) for c in (first, second)}
            if both <= named or _BACK.search(sentence.text, sentence.span[0], span[1]):
                continue
            what = sentence.text[slice(*span)]
            return Rejection(Reason.UNTRUE, f"gives {what!r} as the later of two dates, which it is not")
        return None

    def _must_follow(self, later: Cell, earlier: Cell) -> bool:
        place = self._earlier.get((later.row.table, later.col))
        while place is not None and place[1] != earlier.col:
            place = self._earlier.get(place)
        return place is not None

    def _is_beside_number_label(self, quantity: Quantity, sentence: Sentence) -> bool:
        """Whether a label of a column of numbers stands in the same clause: the quantity then reads as its value."""
        if quantity.text.lower() == "one" and quantity.next:
            return False  # "one of our shops"
        whole = [quantity.span, *(cue.span for cue in sentence.cues)]
        clause = next(
            (c for c in clauses(sentence.text, sentence.span, whole) if within(quantity.span, c)), sentence.span
        )
        counted = self.ranks if quantity.kind == "ordinal" else self._numeric
        return any(column in counted for cue in sentence.cues if within(cue.span, clause) for column in cue.columns)


_TIMES = ("time", "span")


@lru_cache(maxsize=1024)
def _measured_in(unit: str) -> str:
    """Return the dimension of a unit; "" where nobody knows it."""
    known = unit_named(unit) if unit else None
    return known.dimension if known else ""


def _has_words(sentence: Sentence, quantity: Quantity) -> bool:
    """Whether a sentence has words beside its numbers: a count alone may be a digit of something withheld."""
    if quantity.text == "One":
        return True  # a declared phrase, broken off
    text, ends = sentence.text, [sentence.span[0], *(q.span[1] for q in sentence.counted)]
    starts = [*(q.span[0] for q in sentence.counted), sentence.span[1]]
    return any(c.isalpha() for a, b in zip(ends, starts, strict=True) for c in text[a:b])


def _words_of_numbers(schema: Schema) -> dict[str, tuple[ColumnId, ...]]:
    """Return the columns of numbers by the stems of the nouns of their labels."""
    worded: list[tuple[str, ColumnId]] = []
    nouns = {noun for table in schema.tables.values() for noun in _nouns(table)}
    for place, column in columns_by_id(schema).items():
        if column.type in ("int", "num"):
            words = [stem(word) for word in tokens(clean(column.label))]
            counts = _nouns(schema.tables[column.fill.table]) if isinstance(column.fill, Aggregate) else set()
            other = nouns - counts if len(words) > 1 else set()
            worded += [(word, place) for word in words if len(word) >= 3 and word not in WEAK and word not in other]
    return group_columns(worded)


_OF = re.compile(r"\s(?:of|against|for|with|in|at|by)\s")


def _nouns(table: Table) -> set[str]:
    """Return the stems of the nouns that a table's rows are called by: the heads of "matches against foreign clubs"."""
    return {stem((tokens(clean(_OF.split(text)[0])) or [""])[-1]) for text in (table.singular, table.plural)}


def _tables_counted(schema: Schema) -> dict[str, frozenset[ColumnId]]:
    """Return, by the stems of each table's nouns, the columns that count such things: by their fill or their words."""
    counted: dict[str, frozenset[ColumnId]] = {}
    for table in schema.tables.values():
        for noun in _nouns(table) | ({PERSON} if table.of_people else set()):
            counted[noun] = frozenset(
                place
                for place, c in columns_by_id(schema).items()
                if (isinstance(c.fill, Aggregate) and c.fill.op != "max" and c.fill.table == table.name)
                or (
                    noun in map(stem, tokens(clean(f"{c.label} {c.says} {c.unit}")))
                    and (not c.unit or c.unit in MAGNITUDES)  # the age of the oldest resident counts none
                )
            )
    return counted


def _tables_named(schema: Schema) -> dict[str, frozenset[str]]:
    """Return, by the stems of each table's nouns and of its key's labels, the tables."""
    named: dict[str, set[str]] = {}
    for table in schema.tables.values():
        words = _nouns(table)
        for column in (c for c in table.columns if c.key):
            words |= {stem(w) for w in tokens(clean(column.label)) if len(w) >= 4 and w not in WEAK}
        for word in words | ({PERSON} if table.of_people else set()):
            named.setdefault(word, set()).add(table.name)
    return {word: frozenset(tables) for word, tables in named.items()}
