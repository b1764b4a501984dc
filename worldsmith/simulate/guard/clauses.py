"""What the clauses of a sentence say at a label: an attribute, an option, a truth value, or nothing at all."""

import re
from collections.abc import Collection, Iterator, Sequence

from worldsmith.lang.stems import stem
from worldsmith.schema import Rank, Share, Table
from worldsmith.simulate.guard.boilerplate_words import META
from worldsmith.simulate.guard.column_words import WEAK
from worldsmith.simulate.guard.entitlement import Columns, Facts
from worldsmith.simulate.guard.names import COMMON, ColumnId, Mention, Names, columns_by_id, group_columns
from worldsmith.simulate.guard.options import (
    AHEAD,
    SAYS,
    is_denied,
    named_option,
    same_option,
    stated_truth_value,
    states_null,
)
from worldsmith.simulate.guard.sentence import Sentence, Statement, within
from worldsmith.simulate.guard.text import Span, clauses, clean, tokens
from worldsmith.simulate.protocol import Reason, Rejection
from worldsmith.world.model import Cell, World


class Clauses:
    """Judges the clauses of one world's sentences."""

    def __init__(self, world: World, names: Names, columns: Columns) -> None:
        self.world = world
        self.names = names
        self.columns = columns
        self._labels: dict[str, list[tuple[str, str]]] = {}
        for (table, name), words in names.words.items():
            self._labels.setdefault(table, []).extend((name, clean(word).lower()) for word in words)
        every = columns_by_id(world.schema)
        self._measured = {p: (p[0], c.fill.column) for p, c in every.items() if isinstance(c.fill, Rank | Share)}
        """Of columns that rank or share another, that other."""
        self._noun_words = frozenset(w for t in world.schema.tables.values() for w in tokens(clean(_nouns(t))))
        self._low_words = self._words_of(("date", "bool"))
        """The columns of dates and truth values by the stems of their labels' own words."""

    def _words_of(self, kinds: Collection[str]) -> dict[str, tuple[ColumnId, ...]]:
        pairs: list[tuple[str, ColumnId]] = []
        common = META | COMMON | set(tokens(clean(self.world.schema.about)))
        taken = set(map(stem, self._noun_words))
        for place, column in columns_by_id(self.world.schema).items():
            if self.columns.scored[place].kind in kinds and not column.key:
                words = dict.fromkeys(tokens(clean(f"{column.label} {column.says}")))
                own = [w for w in words if len(w) >= 3 and w not in WEAK and (len(words) == 1 or w not in common)]
                pairs += [(stem(word), place) for word in own if stem(word) not in taken]
        return group_columns(pairs)

    def _stem_mentions(self, sentence: Sentence, tables: Collection[str]) -> tuple[list[Mention], list[Mention]]:
        """Return the words that speak of dates, and of truth values, in other forms than their labels'."""
        mentions_by_kind: tuple[list[Mention], list[Mention]] = ([], [])
        spoken = [
            m for m in _WORD.finditer(sentence.text, *sentence.span) if stem(m.group().lower()) in self._low_words
        ]
        if not spoken:
            return mentions_by_kind
        cues = [m for m in sentence.cues if any(table in tables for table, _ in m.columns)]
        taken = [m.span for m in (*sentence.names, *cues, *sentence.options)]
        for match in spoken:
            word = match.group().lower()
            if any(within(match.span(), span) for span in taken):
                continue
            if (word in META or word in COMMON) and not _is_nominal(sentence.text, match.span()):
                continue
            for mentions, kind in zip(mentions_by_kind, ("date", "bool"), strict=True):
                columns = [c for c in self._low_words[stem(word)] if c[0] in tables]
                columns = [c for c in columns if self.columns.scored[c].kind == kind]
                if columns:
                    mentions.append(Mention("cue", word, match.span(), tuple(columns)))
        return mentions_by_kind

    def has_option(self, lower: str) -> bool:
        """Whether a text in lower case holds an option that is a common word."""
        return any(label in lower for labels in self._labels.values() for _, label in labels)

    def attribute_fault(self, statement: Statement) -> Rejection | None:
        """Return what is wrong with the attributes that a sentence names; what it states there is noted."""
        _, sentence, facts, rows, mine, span_cells = statement
        tables = {row.table for row in rows} or {c.row.table for c in mine}
        dated, low_words = self._stem_mentions(sentence, tables)
        if not (sentence.cues or dated or low_words):
            return None
        whole = [span for span, _ in span_cells] + [c.span for c in sentence.cues]
        for clause in clauses(sentence.text, sentence.span, whole):
            spans = [(span, cells) for span, cells in span_cells if within(span, clause) and cells]
            values = [cells for _, cells in spans]
            cues = [
                (cue, columns)
                for cue in (*sentence.cues, *dated)
                if within(cue.span, clause)
                and (columns := [c for c in cue.columns if c[0] in tables])
                and not self._stands_apart(sentence.text, clause, cue, spans)
            ]
            for cue in low_words:
                if within(cue.span, clause) and self._is_asserted(sentence, clause, cue.span):
                    held = [c for c in mine if (c.row.table, c.col) in cue.columns]
                    true = [c for c in held if c.value is True]
                    if not true:
                        return _no_truth(sentence.text[slice(*clause)], held)
                    span_cells.append((cue.span, true))
            for cue in sentence.cues:
                if within(cue.span, clause) and not any(table in tables for table, _ in cue.columns):
                    option = self._foreign_option(sentence, clause, cue, facts)
                    if option:
                        return _no_option(option)
            for cue, columns in cues:
                low = self._low_cells(sentence, clause, cue, columns, mine)
                if isinstance(low, Rejection):
                    return low
                if low:
                    span_cells.append((cue.span, low))
            wrong = self._misplaced_attribute(sentence.text, cues, values)
            if wrong:
                return wrong
        return None

    def _foreign_option(self, sentence: Sentence, clause: Span, cue: Mention, facts: Facts) -> str | None:
        """Return the option that a clause says at a label of tables of which it names no row, if no cell here has it.

        "Surface: gravel" on a shop's page tells of the shop's street without naming it.
        """
        for table, column in cue.columns:
            value = self._option((table, column), sentence, clause, cue)
            if isinstance(value, str):
                held = (
                    cells[column].value for row, cells in facts.rows.items() if row.table == table and column in cells
                )
                return None if any(same_option(v, value) for v in held) else value
        return None

    def _stands_apart(
        self, text: str, clause: Span, cue: Mention, spans: Sequence[tuple[Span, Sequence[Cell]]]
    ) -> bool:
        """Whether a word for a date is set apart from the dates of its clause: "10 days after it was announced"."""
        if not all(self.columns.scored[column].kind == "date" for column in cue.columns):
            return False
        dates = [span for span, cells in spans if any(self.columns.of(c).kind == "date" for c in cells)]
        if not dates:
            return False
        if _LED_BY.search(text, clause[0], cue.span[0]):
            return True
        return all(_BETWEEN.search(text, min(span[1], cue.span[1]), max(span[0], cue.span[0])) for span in dates)

    def _is_asserted(self, sentence: Sentence, clause: Span, span: Span) -> bool:
        """Whether a word for a truth value is said of something: "can be folded", "the phone folds"."""
        before = sentence.text[clause[0] : span[0]]
        if is_denied(sentence.text, clause[0], span[0]):
            return False  # denials are judged on their own
        last = _LAST_WORD.search(before)
        return bool(
            (last and (last[1].lower() in _SAID_OF or last[1].lower() in self._noun_words))
            or self._is_attributive(sentence.text, span)
            or any(m.span[1] < span[0] and sentence.text[m.span[1] : span[0]].isspace() for m in sentence.names)
            or _DONE.match(sentence.text, span[1])
        )

    def _is_attributive(self, text: str, span: Span) -> bool:
        """Whether a word stands before the noun of a row: "one of the foldable phones"."""
        after = _NEXT_WORD.match(text, span[1])
        others = _OTHERS.search(text, 0, span[0])
        return others is None and after is not None and after[1].lower() in self._noun_words

    def unlabelled_options(self, statement: Statement) -> Rejection | None:
        """Find options said without their column's label: "is a bakery", "a bakery shop"; what is wrong with one."""
        _, sentence, _, rows, mine, span_cells = statement
        text = sentence.text[slice(*sentence.span)].lower()
        for table in dict.fromkeys(row.table for row in rows):
            noun = self.world.schema.tables[table].singular.lower()
            for column, label in self._labels.get(table, ()):
                held = [c for c in mine if (c.row.table, c.col) == (table, column) and same_option(c.value, label)]
                for at in _places(text, label):
                    end = at + len(label)
                    place = (sentence.span[0] + at, sentence.span[0] + end)
                    claimed = SAYS.search(text[:at]) or text.startswith(f" {noun}", end)
                    if held:
                        span_cells.append((place, held))
                    elif claimed and not any(within(place, span) for span, _ in span_cells):
                        return _no_option(sentence.text[slice(*place)])
        return None

    def option_cells(self, option: Mention, statement: Statement) -> tuple[Rejection | None, list[Cell]]:
        """Return what is wrong with an option that a sentence names, or the cells that hold it.

        An option of a column of the rows' table is a claim wherever it stands, even one of a list of options.
        """
        if any(within(option.span, span) for span in statement.sentence.covered):
            return None, []
        columns = [column for column in option.columns if column[0] in statement.tables]
        held = [c for c in statement.cells if (c.row.table, c.col) in columns and same_option(c.value, option.key)]
        wrong = option_misuse(statement.sentence, option.span, held) if columns else None
        return wrong, [] if wrong else held

    def _option(self, column: ColumnId, sentence: Sentence, clause: Span, cue: Mention) -> bool | str | None:
        """Return the truth value or option that a clause says of a column at its label."""
        scored = self.columns.scored[column]
        if scored.kind == "bool":
            truth = stated_truth_value(sentence.text, clause, cue.span)
            if truth is None and (_is_predicate(sentence, cue.span) or self._is_attributive(sentence.text, cue.span)):
                return True
            return truth
        if scored.kind == "enum":
            return named_option(sentence.text, clause, scored.labels)
        words = self.names.words.get(column)
        stretch = sentence.nameless(clause[0], clause[1] + AHEAD) if words else ""
        return named_option(stretch, (0, len(stretch)), words) if words else None

    def _misplaced_attribute(
        self, text: str, cues: Sequence[tuple[Mention, list[ColumnId]]], values: Sequence[list[Cell]]
    ) -> Rejection | None:
        named = {column for _, columns in cues for column in columns}
        loose = [cells for cells in values if not any((c.row.table, c.col) in named for c in cells)]
        for cue, columns in cues:
            # A key's label is the noun of its rows: "the player is from X" says nothing of a player's name.
            nouns = all(col in self.world.schema.tables[table].key for table, col in columns)
            stated = [(c.row.table, c.col) for cells in values for c in cells]
            if nouns or any(place in columns or self._measured.get(place) in columns for place in stated):
                continue  # "number 3 by price" tells a rank beside the label of what it ranks
            wanted = {_value_sort(self.columns.scored[column].kind) for column in columns}
            if any(
                _value_sort(self.columns.of(c).kind) in wanted and not self._is_key(c) for cells in loose for c in cells
            ):
                what = text[slice(*cue.span)]
                return Rejection(Reason.UNTRUE, f"says {what!r} beside the value of another attribute")
        return None

    def _is_key(self, cell: Cell) -> bool:
        return cell.col in self.world.schema.tables[cell.row.table].key

    def _low_cells(
        self, sentence: Sentence, clause: Span, cue: Mention, columns: Sequence[ColumnId], mine: Sequence[Cell]
    ) -> list[Cell] | Rejection:
        """Return the cells of options and truth values that a clause states at `cue`, or what is wrong with it."""
        text, stated = sentence.text, list[Cell]()
        for column in columns:
            scored = self.columns.scored[column]
            if states_null(text[cue.span[1] : cue.span[1] + 40], scored.none):
                held = [c for c in mine if (c.row.table, c.col) == column and c.value is None]
                if not held:
                    what = text[slice(*clause)]
                    return Rejection(Reason.OPTION, f"says {what!r}, which is not so or may not be told here")
                stated += held
            value = self._option(column, sentence, clause, cue)
            if value is None:
                continue
            held = [c for c in mine if (c.row.table, c.col) == column]
            right = [c for c in held if same_option(c.value, value)]
            if not right:
                what = text[slice(*clause)]
                return _no_truth(what, held)
            stated += right
        return stated


def option_misuse(sentence: Sentence, span: Span, held: Sequence[Cell]) -> Rejection | None:
    """Return what is wrong with naming an option that `held` have: that no cell has it, or that it is denied."""
    what = sentence.text[slice(*span)]
    if not held:
        return _no_option(what)
    if is_denied(sentence.text, max(sentence.span[0], span[0] - 16), span[0]):
        return Rejection(Reason.UNTRUE, f"denies {what!r}, which is a fact of this page")
    return None


def _no_option(what: str) -> Rejection:
    """Return what is wrong with an option that no fact here holds."""
    return Rejection(Reason.OPTION, f"says {what!r}, which is no option that may be given here")


def _no_truth(what: str, held: Sequence[Cell]) -> Rejection:
    if held:
        return Rejection(Reason.UNTRUE, f"says {what!r}, which is not so")
    return Rejection(Reason.OPTION, f"says {what!r}, which is no fact that may be given here")


def _nouns(table: Table) -> str:
    return f"{table.singular} {table.plural}"


def _is_nominal(text: str, span: Span) -> bool:
    """Whether a common word stands for what happened: "the project's start was on"."""
    return bool(_OF_SOMETHING.search(text, 0, span[0]) and _HAPPENED.match(text, span[1]))


_WORD = re.compile(r"[^\W\d_]{4,}")
_LAST_WORD = re.compile(r"([^\W\d_]+)\s$")
_NEXT_WORD = re.compile(r"\s([^\W\d_]+)")
_OTHERS = re.compile(r"\b(?:other|another|more|all|any|some|many|most|no)\s$", re.IGNORECASE)
_OF_SOMETHING = re.compile(r"(?:'s|\b(?:its|his|her|their|the))\s$", re.IGNORECASE)
_HAPPENED = re.compile(r"\s(?:of|was|is|took|came|comes|happened|fell|falls|date)\b", re.IGNORECASE)
_DONE = re.compile(r"\s(?:was|is|has been|took)\b", re.IGNORECASE)
_LED_BY = re.compile(
    r"\b(?:before|after|following|since|until|till|once|from|than)\s(?:(?:it|its|the|their|his|her|he|she|they|was|were|"
    r"being|had|been|having)\s)*$",
    re.IGNORECASE,
)
"""What sets a word for a date apart from the date that the clause tells."""
_BETWEEN = re.compile(r"\b(?:before|after|until|till|following|than)\b", re.IGNORECASE)
_SAID_OF = frozenset(
    ("can", "could", "may", "might", "is", "are", "was", "were", "be", "been", "being", "gets", "got", "it", "he",
     "she", "they", "which", "who", "that", "has", "have", "had", "also", "fully", "easily", "a", "an", "as")
)  # fmt: skip
_VERB = re.compile(r"(?:has|have|is|are|was|were|does|[a-z]+s)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:^|\W)(?:it|he|she|they|who|which|that)\s*$", re.IGNORECASE)


def _is_predicate(sentence: Sentence, span: Span) -> bool:
    """Whether a label is a verb said of a name or pronoun right before it: "she works remotely"."""
    if not _VERB.match(sentence.text, span[0]):
        return False
    before = sentence.text[sentence.span[0] : span[0]]
    return bool(_PRONOUN.search(before)) or any(sentence.text[m.span[1] : span[0]].isspace() for m in sentence.names)


def _places(text: str, word: str) -> Iterator[int]:
    """Yield where a word stands whole."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            yield at
        at = text.find(word, end)


def _value_sort(kind: str) -> str:
    return {"int": "number", "num": "number", "enum": "text", "url": "text", "list": "text"}.get(kind, kind)
