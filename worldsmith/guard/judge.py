"""The judgement of one statement: is everything it says a fact that its unit may state, said of the right row?"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from worldsmith.guard.claims import denials, numeral, superlative, unfit
from worldsmith.guard.ground import Columns, Ground
from worldsmith.guard.names import ColumnId, Mention, Names
from worldsmith.guard.numbers import Numbers
from worldsmith.guard.options import AHEAD, SAYS, denied, option, polarity, same_option, void
from worldsmith.guard.quantity import joined, quantities
from worldsmith.guard.sentence import Sentence, within
from worldsmith.guard.text import Span, clauses, clean, decoded, scan, sentences, stretches, tokens
from worldsmith.guard.vocabulary import Vocabulary, echo_spans
from worldsmith.scoring.text import plain
from worldsmith.slices import Verdict
from worldsmith.world import Cell, Row, World


@dataclass(frozen=True, slots=True)
class Heard:
    """What was made of a unit: a verdict a statement, and the cells that accepted statements state."""

    verdicts: tuple[Verdict, ...]
    stated: tuple[Cell, ...]
    rows: tuple[Row, ...] = ()
    """Rows that were named."""

    @property
    def ok(self) -> bool:
        """Whether every statement stands."""
        return all(v.ok for v in self.verdicts)


@cache
def passed(where: str) -> Verdict:
    """Return the one verdict on all that stands: thousands are kept, so they share it."""
    return Verdict(where, ok=True)


_MARKUP = re.compile(r"[<\[\\*_~【]")
LONGEST = 4000
"""Characters of a statement: what has more is no honest text, and would cost its square."""
MOST_NUMBERS = 60
"""Numbers of a sentence, likewise."""
HEARD = 24
"""Texts that a ground remembers."""
PLAIN = 1024
"""Texts without a fact that are known to stand anywhere."""


class Judge:
    """Judges statements of one world."""

    def __init__(self, world: World, names: Names, columns: Columns, chrome: Sequence[str] = ()) -> None:
        self.world = world
        self.names = names
        self.columns = columns
        self.vocabulary = Vocabulary(world.schema, chrome, names.values, names.people)
        self.numbers = Numbers(world, columns)
        self._plain: dict[str, None] = {}
        self._labels: dict[str, list[tuple[str, str]]] = {}
        for (table, name), words in names.words.items():
            self._labels.setdefault(table, []).extend((name, clean(word).lower()) for word in words)

    def text(self, where: str, text: str, ground: Ground, topic: Sequence[Row] = (), query: str = "") -> Heard:
        """Judge running text, sentence by sentence; those known to stand anywhere are passed over.

        Text with markup is judged once more without it, which is how a scorer reads an answer.
        """
        heard = self._text(where, text, ground, topic, query)
        bare = plain(text) if _MARKUP.search(text) else text
        if bare == text or clean(bare) == clean(text):
            return heard
        again = self._text(where, bare, ground, topic, query)
        return Heard((*heard.verdicts, *(v for v in again.verdicts if not v.ok)), heard.stated, heard.rows)

    def _text(self, where: str, text: str, ground: Ground, topic: Sequence[Row], query: str) -> Heard:
        parts = stretches(text)
        left = [part for part in parts if part not in self._plain]
        if not left:
            return Heard((passed(where),), ())
        told = [self._kept(where, part, ground, topic, query) for part in left]
        if len(told) == 1:
            return told[0]
        return Heard(
            tuple(v for heard in told for v in heard.verdicts),
            tuple(cell for heard in told for cell in heard.stated),
            tuple(dict.fromkeys(row for heard in told for row in heard.rows)),
        )

    def _kept(self, where: str, text: str, ground: Ground, topic: Sequence[Row], query: str) -> Heard:
        """Judge a stretch on its ground, once while the ground is kept."""
        if topic or query:
            return self._stretch(where, text, ground, topic, query)
        heard = ground.heard.get((where, text))
        if heard is None:
            heard = self._stretch(where, text, ground, topic, query)
            if len(ground.heard) < HEARD:
                ground.heard[where, text] = heard
        return heard

    def _stretch(self, where: str, text: str, ground: Ground, topic: Sequence[Row], query: str) -> Heard:
        told = clean(text)
        if len(told) > LONGEST:
            why = f"is a statement of {len(told)} characters, too long to be judged"
            return Heard((Verdict(where, ok=False, why=why, text=told[:200]),), ())
        read = scan(told)
        found = self.names.find(read)
        names = tuple(m for m in found if m.kind not in ("cue", "option"))
        options = tuple(m for m in found if m.kind == "option")
        cues = tuple(m for m in found if m.kind == "cue")
        # a declared phrase hides its own numbers alone: "and" is one, and stands within "one hundred and six"
        chrome = [m.span for m in found if m.kind == "chrome"]
        said = quantities(told, [m.span for m in found if m.kind != "chrome"])
        counted = tuple(q for q in said if not any(within(q.span, span) for span in chrome))
        echoes = echo_spans(told, query)
        whole = [m.span for m in found] + [q.span for q in counted]
        verdicts: list[Verdict] = []
        stated: list[Cell] = []
        rows: list[Row] = []
        for part in sentences(told, whole):
            sentence = Sentence(
                told,
                part,
                tuple(m for m in names if within(m.span, part)),
                tuple(m for m in cues if within(m.span, part)),
                tuple(q for q in counted if within(q.span, part)),
                tuple(m for m in options if within(m.span, part)),
            )
            why, cells, bound = self._sentence(where, sentence, ground, topic, echoes, query)
            verdicts.append(Verdict(where, ok=False, why=why, text=told[part[0] : part[1]]) if why else passed(where))
            if not why:
                stated += cells
                rows += bound
        hidden = "carries coded text" if decoded(told) else unfit(told, [m.span for m in names])
        if hidden:
            verdicts.append(Verdict(where, ok=False, why=hidden, text=told))
        heard = Heard(tuple(verdicts), tuple(stated), tuple(dict.fromkeys(rows)))
        if (
            heard.ok
            and not counted
            and not stated
            and not query
            and not options
            and self._says_nothing(told, names, cues)
        ):
            self._keep(text)
        return heard

    def _says_nothing(self, told: str, names: Sequence[Mention], cues: Sequence[Mention]) -> bool:
        """Whether an accepted text without numbers stands on any page: no name, option, truth value or page's word."""
        low = any(
            self.columns.scored[c].kind in ("bool", "enum") or c in self.names.words
            for cue in cues
            for c in cue.columns
        )
        if low or any(m.kind != "chrome" for m in names):
            return False
        lower = told.lower()
        if any(label in lower for labels in self._labels.values() for _, label in labels):
            return False
        whole = Sentence(told, (0, len(told)), tuple(names), tuple(cues), ())
        return not self._strange("", whole, frozenset(), (), "")

    def _keep(self, text: str) -> None:
        if len(self._plain) >= PLAIN:
            self._plain.pop(next(iter(self._plain)))
        self._plain[text] = None

    def _sentence(
        self, where: str, said: Sentence, ground: Ground, topic: Sequence[Row], echoes: Sequence[Span], query: str
    ) -> tuple[str, list[Cell], tuple[Row, ...]]:
        names = [m for m in said.names if not any(within(m.span, e) for e in echoes)]
        counted = [q for q in said.counted if not any(within(q.span, e) for e in echoes)]
        if len(counted) > MOST_NUMBERS:
            return f"holds {len(counted)} numbers, too many to be judged", [], ()
        for mention in names:
            if mention.kind == "coded":
                return f"carries {said.text[slice(*mention.span)]!r}, a name in a coded form", [], ()
            if mention.kind in ("name", "alias") and mention.key not in ground.spoken:
                return f"names {said.text[slice(*mention.span)]!r}, which is no fact of this page", [], ()
        rows = ground.bound(names, counted, topic)
        mine = ground.cells_of(rows)
        tables = {row.table for row in rows} or ground.tables
        meant: list[tuple[Span, list[Cell]]] = []
        for mention in names:
            if mention.kind in ("name", "alias"):
                cells = [c for c in ground.names.get(mention.key, ()) if c.row in rows or c in mine]
                if not cells and mention.key not in ground.parts:
                    return f"names {said.text[slice(*mention.span)]!r} of another row", [], ()
                meant.append((mention.span, cells))
            elif mention.kind == "filler":
                cells = [c for c in mine if c.value is None and (c.row.table, c.col) in mention.columns]
                if not cells:
                    return f"says {said.text[slice(*mention.span)]!r}, which holds of no value here", [], ()
                meant.append((mention.span, cells))
        for named in said.options:
            why, cells = self._optioned(named, said, tables, mine)
            if why:
                return why, [], ()
            meant.append((named.span, cells))
        for quantity in counted:
            beside = self.numbers.beside(quantity, said, tables)
            cells = self.numbers.stated_by(quantity, ground, mine, beside)
            plain = where not in ("pair", "row") and not beside
            if not cells and not (plain and self.numbers.derived(quantity, said, ground, rows, mine)):
                return f"gives {quantity.full!r}, which states no fact that may be given here", [], ()
            meant.append((quantity.span, cells))
        for quantity in joined(said.text, counted):
            if not self.numbers.stated_by(quantity, ground, mine) and not self.numbers.derived(
                quantity, said, ground, rows, mine
            ):
                return f"gives {quantity.full!r}, which states no fact that may be given here", [], ()
        why = (
            self._clauses(said, rows, mine, meant)
            or self._options(said, rows, mine, meant)
            or self._claims(said, tables, mine)
            or self._strange(where, said, ground.words, echoes, query)
        )
        return why, [c for _, cells in meant for c in cells], rows

    def _optioned(
        self, option: Mention, said: Sentence, tables: Collection[str], mine: Sequence[Cell]
    ) -> tuple[str, list[Cell]]:
        """Return what is wrong with an option that a sentence names, or the cells that hold it.

        An option of a column of the rows' table is a claim wherever it stands, even one of a list of options.
        """
        if any(within(option.span, span) for span in said.covered):
            return "", []
        columns = [column for column in option.columns if column[0] in tables]
        held = [c for c in mine if (c.row.table, c.col) in columns and same_option(c.value, option.key)]
        what = said.text[slice(*option.span)]
        if columns and not held:
            return f"says {what!r}, which is no option that may be given here", []
        if held and denied(said.text[max(said.span[0], option.span[0] - 16) : option.span[0]]):
            return f"denies {what!r}", []
        return "", held

    def _claims(self, said: Sentence, tables: Collection[str], mine: Sequence[Cell]) -> str:
        """Return what a sentence claims without a value: denials, superlatives, numerals in letters."""
        covered = said.covered
        letters = numeral(said.text, said.span, covered)
        if letters:
            return f"says {letters!r}, a number in letters"
        most = superlative(said.text, said.span, covered)
        ranked = any((c.row.table, c.col) in self.numbers.ranks for c in mine)
        if most and not ranked:
            return f"says {most!r}, and no rank may be given here"
        for (start, end), words in denials(said.text, said.span, covered):
            meant = [
                c for word in words for c in (*self.numbers.worded.get(word, ()), *self.numbers.counted.get(word, ()))
            ]
            columns = {c for c in meant if c[0] in tables}
            nothing = any((c.row.table, c.col) in columns and not c.value for c in mine)
            if (columns or not words) and not nothing:
                return f"denies {said.text[start : end + 24]!r}, which is no fact of this page"
        return ""

    # clauses: attributes and low-entropy values

    def _clauses(
        self, said: Sentence, rows: Sequence[Row], mine: Sequence[Cell], meant: list[tuple[Span, list[Cell]]]
    ) -> str:
        if not said.cues:
            return ""
        tables = {row.table for row in rows} or {c.row.table for c in mine}
        whole = [span for span, _ in meant] + [c.span for c in said.cues]
        for clause in clauses(said.text, said.span, whole):
            cues = [
                (cue, columns)
                for cue in said.cues
                if within(cue.span, clause) and (columns := [c for c in cue.columns if c[0] in tables])
            ]
            values = [cells for span, cells in meant if within(span, clause) and cells]
            for cue, columns in cues:
                low = self._low(said, clause, cue, columns, mine)
                if isinstance(low, str):
                    return low
                if low:
                    meant.append((cue.span, low))
            why = self._wrong_attribute(said.text, cues, values)
            if why:
                return why
        return ""

    def _options(
        self, said: Sentence, rows: Sequence[Row], mine: Sequence[Cell], meant: list[tuple[Span, list[Cell]]]
    ) -> str:
        """Find options said without their column's label: "is a bakery", "a bakery shop"; what is wrong with one."""
        text = said.text[slice(*said.span)].lower()
        for table in dict.fromkeys(row.table for row in rows):
            noun = self.world.schema.tables[table].singular.lower()
            for column, label in self._labels.get(table, ()):
                held = [c for c in mine if (c.row.table, c.col) == (table, column) and same_option(c.value, label)]
                for at in _places(text, label):
                    end = at + len(label)
                    place = (said.span[0] + at, said.span[0] + end)
                    told = SAYS.search(text[:at]) or text.startswith(f" {noun}", end)
                    if held:
                        meant.append((place, held))
                    elif told and not any(within(place, span) for span, _ in meant):
                        return f"says {said.text[slice(*place)]!r}, which is no option that may be given here"
        return ""

    def _strange(self, where: str, said: Sentence, own: frozenset[str], echoes: Sequence[Span], query: str) -> str:
        covered = [
            *(m.span for m in said.names),
            *(m.span for m in said.cues),
            *(q.span for q in said.counted),
            *echoes,
        ]
        asked = frozenset(tokens(clean(query))) if query else frozenset()
        word = self.vocabulary.strange(where, said.text, said.span, covered, own, asked)
        return f"says {word!r}, which is neither a fact of this page nor an ordinary word" if word else ""

    def _option(self, column: ColumnId, said: Sentence, clause: Span, cue: Mention) -> bool | str | None:
        """Return the truth value or option that a clause says of a column at its label."""
        scored = self.columns.scored[column]
        if scored.kind == "bool":
            return polarity(said.text, clause, cue.span)
        if scored.kind == "enum":
            return option(said.text, clause, scored.labels)
        words = self.names.words.get(column)
        stretch = said.nameless(clause[0], clause[1] + AHEAD) if words else ""
        return option(stretch, (0, len(stretch)), words) if words else None

    def _wrong_attribute(
        self, text: str, cues: Sequence[tuple[Mention, list[ColumnId]]], values: Sequence[list[Cell]]
    ) -> str:
        named = {column for _, columns in cues for column in columns}
        loose = [cells for cells in values if not any((c.row.table, c.col) in named for c in cells)]
        for cue, columns in cues:
            # A key's label is the noun of its rows: "the player is from X" says nothing of a player's name.
            nouns = all(col in self.world.schema.tables[table].key for table, col in columns)
            if nouns or any((c.row.table, c.col) in columns for cells in values for c in cells):
                continue
            wanted = {_sort(self.columns.scored[column].kind) for column in columns}
            if any(_sort(self.columns.of(c).kind) in wanted and not self._is_key(c) for cells in loose for c in cells):
                return f"says {text[slice(*cue.span)]!r} beside the value of another attribute"
        return ""

    def _is_key(self, cell: Cell) -> bool:
        return cell.col in self.world.schema.tables[cell.row.table].key

    def _low(
        self, said: Sentence, clause: Span, cue: Mention, columns: Sequence[ColumnId], mine: Sequence[Cell]
    ) -> list[Cell] | str:
        """Return the cells of options and truth values that a clause states at `cue`, or what is wrong with it."""
        text, stated = said.text, list[Cell]()
        for column in columns:
            scored = self.columns.scored[column]
            if void(text[cue.span[1] : cue.span[1] + 40], scored.none):
                held = [c for c in mine if (c.row.table, c.col) == column and c.value is None]
                if not held:
                    return f"says {text[slice(*clause)]!r}, which is not so or may not be told here"
                stated += held
            found = self._option(column, said, clause, cue)
            if found is None:
                continue
            held = [c for c in mine if (c.row.table, c.col) == column]
            right = [c for c in held if same_option(c.value, found)]
            if not right:
                what = "which is no fact that may be given here" if not held else "which is not so"
                return f"says {text[slice(*clause)]!r}, {what}"
            stated += right
        return stated


def _places(text: str, word: str) -> Iterator[int]:
    """Yield where a word stands whole."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            yield at
        at = text.find(word, end)


def _sort(kind: str) -> str:
    return {"int": "number", "num": "number", "enum": "text", "url": "text", "list": "text"}.get(kind, kind)
