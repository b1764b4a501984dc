"""Judges one statement: whether all it says is a fact that its unit may state, of the right row."""

from collections.abc import Sequence
from typing import NamedTuple

from worldsmith.simulate.guard.claims import hearsay_or_roman_numeral
from worldsmith.simulate.guard.clauses import Clauses, option_misuse
from worldsmith.simulate.guard.derived import Derived
from worldsmith.simulate.guard.entitlement import Columns, Facts
from worldsmith.simulate.guard.measures import names_a_measure, other_measure
from worldsmith.simulate.guard.names import Mention, Names, columns_by_id
from worldsmith.simulate.guard.numbers import Numbers
from worldsmith.simulate.guard.quantity import Quantity, is_exact, joined_quantities
from worldsmith.simulate.guard.sentence import Sentence, SpanCells, Statement, within
from worldsmith.simulate.guard.text import Span, clauses, clean, tokens
from worldsmith.simulate.guard.unsupported_claims import UnsupportedClaims
from worldsmith.simulate.guard.vocabulary import Vocabulary, label_words
from worldsmith.simulate.protocol import Reason, Rejection
from worldsmith.world.model import Cell, Row, World

MOST_NUMBERS = 60
"""Numbers of a sentence, at most: no honest text has more, and the time to judge it is quadratic."""


def _no_fact(quantity: Quantity) -> Rejection:
    return Rejection(Reason.VALUE, f"gives {quantity.full!r}, which states no fact that may be given here")


class Finding(NamedTuple):
    """The judgement of a statement: what is wrong with it, what it states, and of which rows."""

    wrong: Rejection | None
    cells: tuple[Cell, ...] = ()
    """Those that it tells whole: a rounded number, the year of a day or an initial is true, and tells no cell."""
    rows: tuple[Row, ...] = ()


class Statements:
    """Judges the statements of one world."""

    def __init__(self, world: World, names: Names, columns: Columns, chrome: Sequence[str] = ()) -> None:
        self.names = names
        self.columns = columns
        self.vocabulary = Vocabulary(world.schema, chrome, names.values, names.people)
        self.numbers = Numbers(world, columns)
        every = columns_by_id(world.schema)
        self._label_words = {place: frozenset(tokens(clean(f"{c.label} {c.says}"))) for place, c in every.items()}
        self.clauses = Clauses(world, names, columns)
        self.derived = Derived(world.schema, label_words(world.schema, chrome))
        self.unsupported_claims = UnsupportedClaims(world, columns, self.numbers, chrome)

    def judge(
        self, where: str, sentence: Sentence, facts: Facts, topic: Sequence[Row], echoes: Sequence[Span], query: str
    ) -> Finding:
        """Judge a sentence by what its unit may state; `topic` holds the rows that the heading above it names."""
        names = [m for m in sentence.names if not any(within(m.span, e) for e in echoes)]
        counted = [q for q in sentence.counted if not any(within(q.span, e) for e in echoes)]
        foreign = self._inadmissible_part(sentence, names, counted, facts)
        if foreign:
            return Finding(foreign)
        rows = facts.rows_named((*names, *sentence.options), counted, topic)
        span_cells: SpanCells = []
        statement = Statement(where, sentence, facts, rows, facts.cells_of(rows), span_cells)
        wrong = (
            self._match_names(statement, names)
            or self._match_options(statement)
            or self._match_derived_options(statement, echoes)
            or self._match_numbers(statement, counted)
            or self.clauses.attribute_fault(statement)
            or self.clauses.unlabelled_options(statement)
            or self.numbers.date_order_fault(sentence, span_cells)
            or hearsay_or_roman_numeral(
                sentence.text, sentence.span, [*sentence.covered, *(span for span, cells in span_cells if cells)]
            )
            or self.unsupported_claims.claim_fault(statement)
            or self.unknown_word(
                where, sentence, facts.words, [*echoes, *(span for span, cells in span_cells if cells)], query
            )
        )
        vague = {q.span for q in counted if not is_exact(q)} | {m.span for m in names if m.kind == "alias"}
        years = {q.span for q in counted if q.kind == "year"}
        stated = [
            c
            for span, cells in span_cells
            if span not in vague
            for c in cells
            if span not in years or self.columns.of(c).kind != "date"  # the year of a day tells no day
        ]
        return Finding(wrong, tuple(stated), rows)

    def _inadmissible_part(
        self, sentence: Sentence, names: Sequence[Mention], counted: Sequence[Quantity], facts: Facts
    ) -> Rejection | None:
        """Return what no sentence of this unit may hold: names in code or of others, more numbers than a text has."""
        if len(counted) > MOST_NUMBERS:
            return Rejection(Reason.HIDDEN, f"holds {len(counted)} numbers, too many to be judged")
        for mention in names:
            if mention.kind == "coded":
                what = sentence.text[slice(*mention.span)]
                return Rejection(Reason.HIDDEN, f"carries {what!r}, a name in a coded form")
            if mention.kind in ("name", "alias") and mention.key not in facts.sayable_names:
                what = sentence.text[slice(*mention.span)]
                return Rejection(Reason.NAME, f"names {what!r}, which is no fact of this page")
        return None

    @staticmethod
    def _match_names(statement: Statement, names: Sequence[Mention]) -> Rejection | None:
        """Find the cells that names and fillers mean."""
        _, sentence, facts, rows, mine, span_cells = statement
        for mention in names:
            if mention.kind in ("name", "alias"):
                cells = [c for c in facts.names.get(mention.key, ()) if c.row in rows or c in mine]
                if not cells and mention.key not in facts.key_parts:
                    what = sentence.text[slice(*mention.span)]
                    return Rejection(Reason.UNTRUE, f"names {what!r} of another row")
                span_cells.append((mention.span, cells))
            elif mention.kind == "filler":
                cells = [c for c in mine if c.value is None and (c.row.table, c.col) in mention.columns]
                if not cells:
                    what = sentence.text[slice(*mention.span)]
                    return Rejection(Reason.UNTRUE, f"says {what!r}, which holds of no value here")
                span_cells.append((mention.span, cells))
        return None

    def _match_options(self, statement: Statement) -> Rejection | None:
        """Find the cells that hold the options it names."""
        for named in statement.sentence.options:
            wrong, cells = self.clauses.option_cells(named, statement)
            if wrong:
                return wrong
            statement.span_cells.append((named.span, cells))
        return None

    def _match_derived_options(self, statement: Statement, echoes: Sequence[Span]) -> Rejection | None:
        """Find the cells that hold an option of which a word is a derived form."""
        sentence, tables = statement.sentence, statement.tables
        taken = [*sentence.covered, *echoes, *(m.span for m in sentence.options)]
        for form in self.derived.forms(sentence.text, sentence.span):
            columns = [column for column in form.columns if column[0] in tables]
            if not columns or any(within(form.span, span) for span in taken):
                continue
            held = [c for c in statement.cells if (c.row.table, c.col) in columns and c.value in form.options]
            wrong = option_misuse(sentence, form.span, held)
            if wrong:
                return wrong
            statement.span_cells.append((form.span, held))
        return None

    def _match_numbers(self, statement: Statement, counted: Sequence[Quantity]) -> Rejection | None:
        """Find the cells that its numbers and dates state."""
        sentence, numbers = statement.sentence, self.numbers
        measures = bool(counted) and names_a_measure(sentence.text, sentence.span)
        for quantity in joined_quantities(sentence.text, counted):
            if not numbers.stated_by(quantity, statement) and not numbers.is_derivable(quantity, statement):
                return _no_fact(quantity)
        for quantity in counted:
            beside = numbers.columns_beside(quantity, sentence, statement.tables)
            cells = numbers.stated_by(quantity, statement, beside)
            plain = statement.where not in ("pair", "row") and not beside
            if not cells and not (
                (plain and numbers.is_derivable(quantity, statement))
                or (beside and numbers.counts_listed_rows(quantity, sentence, statement.facts))
            ):
                return _no_fact(quantity)
            other = self._other_measure(sentence, quantity, cells) if measures else None
            if other:
                why = f"gives {quantity.full!r} beside {other!r}, which is another attribute"
                return Rejection(Reason.UNTRUE, why)
            statement.span_cells.append((quantity.span, cells))
        return None

    def _other_measure(self, sentence: Sentence, quantity: Quantity, cells: Sequence[Cell]) -> str | None:
        """Return the word of its clause for another thing than a quantity measures."""
        columns = {(c.row.table, c.col) for c in cells} - self.numbers.ranks
        if not columns:
            return None
        clause = next(c for c in clauses(sentence.text, sentence.span, [quantity.span]) if within(quantity.span, c))
        units = [(self.columns.scored[c].unit, self._label_words[c]) for c in columns]
        return other_measure(sentence.text, clause, sentence.covered, quantity, units)

    def unknown_word(
        self, where: str, sentence: Sentence, own: frozenset[str], read: Sequence[Span], query: str
    ) -> Rejection | None:
        """Return what is wrong with the words of a sentence that nothing accounts for; what stands in `read` is."""
        covered = [
            *(m.span for m in sentence.names),
            *(m.span for m in sentence.cues),
            *(q.span for q in sentence.counted),
            *read,
        ]
        query_words = frozenset(tokens(clean(query))) if query else frozenset()
        word = self.vocabulary.unknown_word(where, sentence.text, sentence.span, covered, own, query_words)
        if not word:
            return None
        return Rejection(Reason.WORD, f"says {word!r}, which is neither a fact of this page nor an ordinary word")

    def says_nothing(self, whole: Sentence) -> bool:
        """Whether an accepted text stands on any page: no number, name, option, truth value or page's word in it."""
        if whole.counted or whole.options or any(m.kind != "chrome" for m in whole.names):
            return False
        columns = [column for cue in whole.cues for column in cue.columns]
        if any(self.columns.scored[c].kind in ("bool", "enum") or c in self.names.words for c in columns):
            return False
        return not self.clauses.has_option(whole.text.lower()) and not self.unknown_word("", whole, frozenset(), (), "")
