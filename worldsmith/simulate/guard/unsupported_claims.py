"""Claims that carry no value of their own: what denials, superlatives and comparisons need to stand, and idle talk."""

import re
from collections.abc import Iterable, Iterator, Sequence

from worldsmith.lang.stems import stem
from worldsmith.schema import Aggregate, Choice, Rank
from worldsmith.simulate.guard.boilerplate_words import META
from worldsmith.simulate.guard.claims import (
    AVERAGE,
    LAST,
    TOP,
    comparatives,
    denials,
    hearsay_rejection,
    pattern_matches,
    reported_speech,
    superlatives,
)
from worldsmith.simulate.guard.column_words import Stems
from worldsmith.simulate.guard.entitlement import Columns, Facts
from worldsmith.simulate.guard.names import columns_by_id
from worldsmith.simulate.guard.numbers import Numbers
from worldsmith.simulate.guard.sentence import Sentence, SpanCells, Statement
from worldsmith.simulate.guard.text import Span, lowered
from worldsmith.simulate.protocol import Reason, Rejection
from worldsmith.world.model import Cell, World

_WORD = re.compile(r"[^\W\d_]{2,}")
_BARE = re.compile(
    r"\s*(?:(?:other|further|more|additional)\b|only\b|just\b|yet been (?:checked|verified)|to be confused|relation to)"
    r"|.{0,40}?\b(?:listed|on record|available|given here|recorded|shown here|on file|known|on this page)\b",
    re.IGNORECASE,
)
"""What may be denied without a fact: that there is more on record."""
_COMPARED = re.compile(
    r"\b(?:bigger|better|worse|higher|larger|longer|(?:has|have|had) (?:a|an|as|more|so))\b|\bthan\b", re.IGNORECASE
)
_LITTLE = re.compile(
    r"(?:small|short|low|light|cheap|few|narrow|poor|young|near|slow|weak|worst|minim|fewer|less|least)", re.IGNORECASE
)
_EARLY = re.compile(r"(?:old|earli|long|first)", re.IGNORECASE)
_LATE = re.compile(r"(?:young|new|late|recent|last|short)", re.IGNORECASE)


_SO = Rejection(Reason.UNTRUE, "which is so")


class UnsupportedClaims:
    """Judges what the sentences of one world claim without a value."""

    def __init__(self, world: World, columns: Columns, numbers: Numbers, chrome: Iterable[str]) -> None:
        self.columns = columns
        self.numbers = numbers
        schema = world.schema
        self.stems = Stems(schema)
        every = columns_by_id(schema)
        self._keys = frozenset(place for place, c in every.items() if c.key)
        self._most = frozenset(
            place for place, c in every.items()
            if isinstance(c.fill, Rank) or (isinstance(c.fill, Aggregate) and c.fill.op == "max")
        )  # fmt: skip
        self._may_lack = frozenset(
            place for place, c in every.items() if isinstance(c.fill, Aggregate) or c.nullable or c.type == "bool"
        )
        texts = [schema.about, schema.name]
        for table in schema.tables.values():
            texts += [table.singular, table.plural]
            for c in table.columns:
                texts += [c.label, c.says, c.unit, c.none]
                texts += [str(o) for o in c.fill.options] if isinstance(c.fill, Choice) else []
        own = {w.lower() for text in (*texts, *chrome) for w in _WORD.findall(text)} | META
        self._own = frozenset(own | {s for s in map(stem, own) if len(s) > 3})

    def claim_fault(self, statement: Statement) -> Rejection | None:
        """Return what a sentence claims without a fact; the cells that a denial states are noted."""
        where, sentence, facts, _, mine, span_cells = statement
        covered = sentence.covered
        idle = self._idle_word(sentence, facts, span_cells)
        known = len(span_cells)
        talk = reported_speech(sentence.text, sentence.span, covered)
        if talk and idle is not None and idle:
            return hearsay_rejection(talk)
        if talk and idle is None:
            return Rejection(Reason.CLAIM, f"says {talk!r} of what is a fact of this page")
        return (
            self._average_fault(sentence, covered, span_cells)
            or self._place_fault(statement, covered)
            or self._superlative_fault(statement, covered)
            or self._comparative_fault(sentence, covered, mine)
            or self._denial_fault(statement, covered)
            or (
                Rejection(Reason.CLAIM, f"says {idle!r} and tells no fact of this page")
                if idle and where in ("sentence", "item") and not any(cells for _, cells in span_cells[known:])
                else None
            )
        )

    # superlatives and comparisons

    def _average_fault(self, sentence: Sentence, covered: Sequence[Span], span_cells: SpanCells) -> Rejection | None:
        """A number told beside a word for averages is another's, unless that word is part of a label."""
        words = pattern_matches(AVERAGE, sentence.text, sentence.span, covered)
        if not words or not any(self.columns.of(c).kind in ("int", "num") for _, cells in span_cells for c in cells):
            return None
        return Rejection(Reason.UNTRUE, f"says {words[0]!r} of a value that is none")

    def _place_fault(self, statement: Statement, covered: Sequence[Span]) -> Rejection | None:
        """The top needs a rank of 1, the last place the list's own last rank."""
        _, sentence, facts, rows, mine, _ = statement
        last, top = (pattern_matches(pattern, sentence.text, sentence.span, covered) for pattern in (LAST, TOP))
        if not (last or top):
            return None
        ranks = [c for c in mine if (c.row.table, c.col) in self.numbers.ranks]
        named = [c for c in ranks if c.row in rows and c.row != facts.subject]
        if last and any(self._is_extreme(c, "largest", facts) for c in named):
            last = []
        if top and any(c.value == 1 for c in ranks):
            top = []
        wrong = [*last, *top]
        return (
            Rejection(Reason.CLAIM, f"says {wrong[0]!r}, which no rank or list of this page shows") if wrong else None
        )

    def _superlative_fault(self, statement: Statement, covered: Sequence[Span]) -> Rejection | None:
        """A superlative needs a maximum or a rank that is told beside it, or the row that has it in the page's list.

        Ranks are of the largest first: neither they nor maxima show what is smallest.
        """
        _, sentence, facts, rows, _, span_cells = statement
        words = superlatives(sentence.text, sentence.span, covered)
        words += ["first" for q in sentence.counted if self.numbers.says_first(q, sentence)]
        if not words:
            return None
        stated = [c for _, cells in span_cells for c in cells]
        most = any((c.row.table, c.col) in self._most for c in stated)
        named = [row for row in rows if row != facts.subject]
        for word in words:
            listed = len(named) == 1 and any(self._is_extreme(c, word, facts) for c in stated if c.row == named[0])
            if not listed and not (most and not _LITTLE.search(word)):
                return Rejection(Reason.CLAIM, f"says {word!r}, which no rank or list of this page shows")
        return None

    def _is_extreme(self, cell: Cell, word: str, facts: Facts) -> bool:
        """Whether no row of the page's list has more, or less, of it, as a superlative says."""
        held = [facts.rows[row][cell.col].value for row in facts.members if cell.col in facts.rows.get(row, {})]
        values = [v for v in held if v is not None]
        if len(values) < 2 or cell.value is None or isinstance(cell.value, bool):
            return False
        kind = self.columns.of(cell).kind
        if kind == "date":
            ends = [min] * bool(_EARLY.match(word)) + [max] * bool(_LATE.match(word)) or [min, max]
        elif kind in ("int", "num"):
            ends = [min] if _LITTLE.search(word) else [max]
        else:
            return False
        return any(cell.value == end(values) for end in ends)

    def _comparative_fault(self, sentence: Sentence, covered: Sequence[Span], mine: Sequence[Cell]) -> Rejection | None:
        """Return a "more than" without two columns of numbers, one named on either side, in this order."""
        for start, end in comparatives(sentence.text, sentence.span, covered):
            left = self._measures(sentence.text[sentence.span[0] : start], mine)
            right = self._measures(sentence.text[end : sentence.span[1]], mine)
            word = sentence.text[start:end]
            here, there = left - right, right - left  # "gross less cost" speaks of both
            if len(here) == len(there) == 1:
                (a,), (b,) = here, there
                if (a.value < b.value) if _LITTLE.search(word) else (a.value > b.value):  # type: ignore[operator]
                    continue
            return Rejection(Reason.CLAIM, f"says {word!r}, a comparison that no fact of this page shows")
        return None

    def _measures(self, text: str, mine: Sequence[Cell]) -> frozenset[Cell]:
        """Return the numbers, but for ranks, that a text speaks of."""
        columns = self.stems.columns(_WORD.findall(text.lower())) - self.numbers.ranks
        return frozenset(
            c for c in mine
            if (c.row.table, c.col) in columns and isinstance(c.value, int | float) and not isinstance(c.value, bool)
        )  # fmt: skip

    # denials

    def _denial_fault(self, statement: Statement, covered: Sequence[Span]) -> Rejection | None:
        """A denial needs something that is not there: a null, a zero, or what is not so."""
        sentence, mine, span_cells = statement.sentence, statement.cells, statement.span_cells
        for (start, end), words in denials(sentence.text, sentence.span, covered):
            what = sentence.text[start : end + 24]
            if not words:
                nobody = [c for c in mine if (c.row.table, c.col) in self.stems.people and c.value == 0]
                if not nobody:
                    return Rejection(Reason.CLAIM, f"denies {what!r}, which is no fact of this page")
                span_cells.append(((start, end), nobody))
                continue
            after = sentence.text[end : sentence.span[1]]
            if _BARE.match(after):
                if _COMPARED.search(after):
                    return Rejection(Reason.CLAIM, f"denies {what!r}, a comparison that no fact of this page shows")
                continue
            wrong, cells = self._denied_cells(words, end, statement)
            if wrong:
                return wrong._replace(why=f"denies {what!r}, {wrong.why}")
            span_cells.append(((start, end), cells))
        return None

    def _denied_cells(
        self, words: Sequence[str], end: int, statement: Statement
    ) -> tuple[Rejection | None, list[Cell]]:
        """Return what is wrong with denying what some words mean, or the cells that are empty, zero or false there."""
        columns, fillers = self.stems.columns(words), self.stems.fillers(words)
        mine = statement.cells
        about = [c for c in mine if (c.row.table, c.col) in columns and (c.row.table, c.col) not in self._keys]
        empty = [c for c in about if c.value is None or c.value in (False, 0)]
        if empty:
            return None, empty
        if [c for c in about if (c.row.table, c.col) in self._may_lack]:
            return _SO, []
        for cell in (c for c in mine if (c.row.table, c.col) in fillers):
            return (_SO, []) if cell.value is None else (None, [cell])
        if about or any(place[0] >= end and cells for place, cells in statement.span_cells):
            return Rejection(Reason.UNTRUE, "which is a fact of this page"), []
        return Rejection(Reason.CLAIM, "which is no fact of this page"), []

    # talk

    def _idle_word(self, sentence: Sentence, facts: Facts, span_cells: SpanCells) -> str | None:
        """Return, of a sentence that tells no fact, a word that is not of pages and records; None where it tells one.

        A question tells nothing, whatever its words.
        """
        if any((c.row.table, c.col) not in self._keys for _, cells in span_cells for c in cells):
            return None
        if any(q.small is None or q.next.rstrip("s") in ("day", "year") for q in sentence.counted):
            return None  # a span, say
        if sentence.text[: sentence.span[1]].rstrip().endswith("?"):
            return ""
        return next((w for w in self._open_words(sentence) if not self._is_own_word(w) and w not in facts.words), "")

    def _is_own_word(self, word: str) -> bool:
        return word in self._own or stem(word) in self._own

    @staticmethod
    def _open_words(sentence: Sentence) -> Iterator[str]:
        covered = sorted([*sentence.covered, *(q.span for q in sentence.counted), *(m.span for m in sentence.options)])
        lower, end = lowered(sentence.text), 0
        for match in _WORD.finditer(lower, *sentence.span):
            while covered and covered[0][0] <= match.start():
                end = max(end, covered.pop(0)[1])
            if end <= match.start():
                yield match.group()
