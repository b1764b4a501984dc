"""The judgement of one statement: is everything it says a fact that its unit may state, said of the right row?"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldsmith.guard.ground import Columns, Ground
from worldsmith.guard.names import COMMON, ColumnId, Mention, Names, ordinary
from worldsmith.guard.quantity import DAYS, MONTHS, Quantity, decade, quantities, span_of, states
from worldsmith.guard.text import Span, clauses, clean, decoded, scan, sentences, squeeze, tokens
from worldsmith.schema import Choice, Rank, Schema
from worldsmith.slices import Verdict
from worldsmith.world import Cell, Row, World

_WORD = re.compile(r"[^\W\d_]{2,}(?:'[a-z]{1,2}\b)?")
_ECHO = re.compile(
    r"(?:results?|search(?:es|ed|ing)?|match(?:es|ed)?|query|showing|look(?:ed|ing)?|found|asked)\b[^.]{0,24}?(?:for|:)\s*[\"'(\[]*$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|no|non|isn't|aren't|wasn't|without|never|false|un)\b|n't\b|^un", re.IGNORECASE)
_SAYS = re.compile(r"(?:\b(?:is|are|was|were|it's|fully|also|a|an|this|the only))\s*(?:a\s|an\s)?$", re.IGNORECASE)
_NO, _YES = frozenset(("no", "false", "never")), frozenset(("yes", "true"))


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


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    span: Span
    names: tuple[Mention, ...]
    cues: tuple[Mention, ...]
    counted: tuple[Quantity, ...]


PLAIN = 4096
"""Texts without a fact that are known to stand anywhere."""


def _within(span: Span, outer: Span) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1]


def known_words(schema: Schema, chrome: Iterable[str]) -> frozenset[str]:
    """Return the words that any page may use: of labels, nouns, units, options, the schema's subject, chrome."""
    texts = [*chrome, schema.about, schema.name, *MONTHS, *DAYS]
    for table in schema.tables.values():
        texts += [table.singular, table.plural, table.name]
        for column in table.columns:
            texts += [column.label, column.says, column.unit, column.none]
            if isinstance(column.fill, Choice):
                texts += [str(option) for option in column.fill.options]
    return frozenset(word.lower() for text in texts for word in _WORD.findall(clean(text)))


@lru_cache(maxsize=65536)
def _ordinary(word: str) -> bool:
    return ordinary(word)


class Judge:
    """Judges statements of one world."""

    def __init__(self, world: World, names: Names, columns: Columns, chrome: Sequence[str] = ()) -> None:
        self.world = world
        self.names = names
        self.columns = columns
        self.known = known_words(world.schema, chrome)
        self._nouns = self._count_nouns(world.schema)
        self._near = _near_index(names.values)
        self._plain: dict[str, tuple[Verdict, ...]] = {}
        self._numbers = frozenset(c for c, column in columns.scored.items() if column.kind in ("int", "num"))
        fills = {(t.name, c.name): c.fill for t in world.schema.tables.values() for c in t.columns}
        self._labels: dict[str, list[tuple[str, str]]] = {}
        for (table, name), column in columns.scored.items():
            options = [(name, clean(label).lower()) for label in column.labels] if column.kind == "enum" else []
            self._labels.setdefault(table, []).extend(options)
        self._ranks = frozenset(c for c, fill in fills.items() if isinstance(fill, Rank))

    @staticmethod
    def _count_nouns(schema: Schema) -> frozenset[str]:
        texts = [t.plural for t in schema.tables.values()] + [t.singular for t in schema.tables.values()]
        texts += [c.label for t in schema.tables.values() for c in t.columns if c.type in ("int", "num")]
        words = {w for text in texts for w in tokens(clean(text)) if len(w) >= 3}
        return frozenset(words - {"the", "and", "for", "its"})

    def text(self, where: str, text: str, ground: Ground, topic: Sequence[Row] = (), query: str = "") -> Heard:
        """Judge running text, sentence by sentence."""
        kept = self._plain.get(text)
        if kept is not None:
            return Heard(kept, ())
        plain = clean(text)
        read = scan(plain)
        found = self.names.find(read)
        names = tuple(m for m in found if m.kind != "cue")
        cues = tuple(m for m in found if m.kind == "cue")
        counted = tuple(quantities(plain, [m.span for m in found]))
        echoes = echo_spans(plain, query)
        whole = [m.span for m in found] + [q.span for q in counted]
        verdicts: list[Verdict] = []
        stated: list[Cell] = []
        rows: list[Row] = []
        for part in sentences(plain, whole):
            sentence = _Sentence(
                plain,
                part,
                tuple(m for m in names if _within(m.span, part)),
                tuple(m for m in cues if _within(m.span, part)),
                tuple(q for q in counted if _within(q.span, part)),
            )
            why, cells, bound = self._sentence(sentence, ground, topic, echoes, query)
            verdicts.append(Verdict(where, not why, why, plain[part[0] : part[1]]))
            if not why:
                stated += cells
                rows += bound
        hidden = self._hidden(plain)
        if hidden:
            verdicts.append(Verdict(where, ok=False, why=hidden, text=plain))
        heard = Heard(tuple(verdicts), tuple(stated), tuple(dict.fromkeys(rows)))
        if heard.ok and not counted and not query and self._says_nothing(plain, names, cues):
            self._keep(text, heard.verdicts)
        return heard

    def _says_nothing(self, plain: str, names: Sequence[Mention], cues: Sequence[Mention]) -> bool:
        """Whether an accepted text without numbers stands on any page: no name, option, truth value or page's word."""
        low = any(self.columns.scored[c].kind in ("bool", "enum") for cue in cues for c in cue.columns)
        if low or any(m.kind != "chrome" for m in names):
            return False
        whole = _Sentence(plain, (0, len(plain)), tuple(names), tuple(cues), ())
        return not self._words(whole, frozenset(), (), "")

    def _keep(self, text: str, verdicts: tuple[Verdict, ...]) -> None:
        if len(self._plain) >= PLAIN:
            self._plain.pop(next(iter(self._plain)))
        self._plain[text] = verdicts

    def _hidden(self, plain: str) -> str:
        return "carries coded text" if decoded(plain) else ""

    def _sentence(
        self, said: _Sentence, ground: Ground, topic: Sequence[Row], echoes: Sequence[Span], query: str
    ) -> tuple[str, list[Cell], tuple[Row, ...]]:
        names = [m for m in said.names if not any(_within(m.span, e) for e in echoes)]
        counted = [q for q in said.counted if not any(_within(q.span, e) for e in echoes)]
        for mention in names:
            if mention.kind == "coded":
                return f"carries {said.text[slice(*mention.span)]!r}, a name in a coded form", [], ()
            if mention.kind in ("name", "alias") and mention.key not in ground.spoken:
                return f"names {said.text[slice(*mention.span)]!r}, which is no fact of this page", [], ()
        rows = ground.bound(names, counted, topic)
        mine = ground.cells_of(rows)
        meant: list[tuple[Span, list[Cell]]] = []
        keys = {part for parts in ground.keys.values() for part in parts}
        for mention in names:
            if mention.kind in ("name", "alias"):
                cells = [c for c in ground.names.get(mention.key, ()) if c.row in rows or c in mine]
                if not cells and mention.key not in keys:
                    return f"names {said.text[slice(*mention.span)]!r} of another row", [], ()
                meant.append((mention.span, cells))
            elif mention.kind == "filler":
                cells = [c for c in mine if c.value is None and (c.row.table, c.col) in mention.columns]
                if not cells:
                    return f"says {said.text[slice(*mention.span)]!r}, which holds of no value here", [], ()
                meant.append((mention.span, cells))
        for quantity in counted:
            cells = self._stated_by(quantity, ground, mine)
            if not cells and not self._derived(quantity, said, ground, rows, mine):
                return f"gives {quantity.full!r}, which states no fact that may be given here", [], ()
            meant.append((quantity.span, cells))
        why = (
            self._clauses(said, rows, mine, meant)
            or self._options(said, rows, mine, meant)
            or self._words(said, ground.words, echoes, query)
        )
        return why, [c for _, cells in meant for c in cells], rows

    def _stated_by(self, quantity: Quantity, ground: Ground, mine: Sequence[Cell]) -> list[Cell]:
        exact = [c for c in ground.shown.get(quantity.text, ()) if c in mine]
        if quantity.unit:
            exact = [c for c in exact if self.columns.of(c).unit == quantity.unit]
        if exact:
            return exact
        return [c for c in mine if states(quantity, c.value, self.columns.of(c))]

    def _derived(
        self, quantity: Quantity, said: _Sentence, ground: Ground, rows: Sequence[Row], mine: Sequence[Cell]
    ) -> bool:
        """Whether it is on the closed list: the page's date, a span between dates, a small count, a wide tease."""
        if quantity.kind == "date" and ground.date and states(quantity, ground.date, self.columns.date):
            return True
        if quantity.kind in ("decade", "century"):
            return self._tease(quantity, rows)
        if self._span(quantity, mine):
            return True
        return self._is_count(quantity, said)

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

    def _is_count(self, quantity: Quantity, said: _Sentence) -> bool:
        if quantity.small is None or quantity.unit or quantity.next in self._nouns or quantity.hedge:
            return False
        if quantity.text.lower() == "one":
            return True
        clause = next(
            (c for c in clauses(said.text, said.span, [quantity.span]) if _within(quantity.span, c)), said.span
        )
        counted = self._ranks if quantity.kind == "ordinal" else self._numbers
        return not any(column in counted for cue in said.cues if _within(cue.span, clause) for column in cue.columns)

    # clauses: attributes and low-entropy values

    def _clauses(
        self, said: _Sentence, rows: Sequence[Row], mine: Sequence[Cell], meant: list[tuple[Span, list[Cell]]]
    ) -> str:
        if not said.cues:
            return ""
        tables = {row.table for row in rows} or {c.row.table for c in mine}
        whole = [span for span, _ in meant] + [c.span for c in said.cues]
        for clause in clauses(said.text, said.span, whole):
            cues = [
                (cue, columns)
                for cue in said.cues
                if _within(cue.span, clause) and (columns := [c for c in cue.columns if c[0] in tables])
            ]
            values = [cells for span, cells in meant if _within(span, clause) and cells]
            for cue, columns in cues:
                low = self._low(said.text, clause, cue, columns, mine)
                if isinstance(low, str):
                    return low
                if low:
                    meant.append((cue.span, low))
            why = self._wrong_attribute(said.text, cues, values)
            if why:
                return why
        return ""

    def _options(
        self, said: _Sentence, rows: Sequence[Row], mine: Sequence[Cell], meant: list[tuple[Span, list[Cell]]]
    ) -> str:
        """Find options said without their column's label: "is a bakery", "a bakery shop"; what is wrong with one."""
        text = said.text[slice(*said.span)].lower()
        for table in dict.fromkeys(row.table for row in rows):
            for column, label in self._labels.get(table, ()):
                at = text.find(label)
                if at < 0 or text[at - 1 : at].isalnum() or text[at + len(label) : at + len(label) + 1].isalnum():
                    continue
                held = [c for c in mine if (c.row.table, c.col) == (table, column)]
                right = [c for c in held if _same_option(c.value, label)]
                place = (said.span[0] + at, said.span[0] + at + len(label))
                noun = self.world.schema.tables[table].singular.lower()
                told = _SAYS.search(text[:at]) or text[place[1] - said.span[0] :].startswith(f" {noun}")
                if right:
                    meant.append((place, right))
                elif told and not any(_within(place, span) for span, _ in meant):
                    return f"says {said.text[slice(*place)]!r}, which is no option that may be given here"
        return ""

    def _wrong_attribute(
        self, text: str, cues: Sequence[tuple[Mention, list[ColumnId]]], values: Sequence[list[Cell]]
    ) -> str:
        named = {column for _, columns in cues for column in columns}
        loose = [cells for cells in values if not any((c.row.table, c.col) in named for c in cells)]
        for cue, columns in cues:
            if any((c.row.table, c.col) in columns for cells in values for c in cells):
                continue
            wanted = {_sort(self.columns.scored[column].kind) for column in columns}
            if any(_sort(self.columns.of(c).kind) in wanted and not self._is_key(c) for cells in loose for c in cells):
                return f"says {text[slice(*cue.span)]!r} beside the value of another attribute"
        return ""

    def _is_key(self, cell: Cell) -> bool:
        return cell.col in self.world.schema.tables[cell.row.table].key

    def _low(
        self, text: str, clause: Span, cue: Mention, columns: Sequence[ColumnId], mine: Sequence[Cell]
    ) -> list[Cell] | str:
        """Return the cells of options and truth values that a clause states at `cue`, or what is wrong with it."""
        stated: list[Cell] = []
        for column in columns:
            scored = self.columns.scored[column]
            if scored.kind not in ("bool", "enum"):
                continue
            said = _polarity(text, clause, cue.span) if scored.kind == "bool" else _option(text, clause, scored.labels)
            if said is None:
                continue
            held = [c for c in mine if (c.row.table, c.col) == column]
            right = [c for c in held if _same_option(c.value, said)]
            if not right:
                what = "which is no fact that may be given here" if not held else "which is not so"
                return f"says {text[slice(*clause)]!r}, {what}"
            stated += right
        return stated

    # words

    def _words(self, said: _Sentence, own: frozenset[str], echoes: Sequence[Span], query: str) -> str:
        start, end = said.span
        covered = (
            [m.span for m in said.names] + [m.span for m in said.cues] + [q.span for q in said.counted] + list(echoes)
        )
        asked: frozenset[str] | None = None
        first = True
        capitals = None
        for match in _WORD.finditer(said.text, start, end):
            at = match.start()
            word = match.group()
            opening = first or said.text[at - 2 : at] in (": ", ". ", "- ") or said.text[at - 1] in "\"'(["
            first = False
            bare = word.partition("'")[0].lower()
            if bare in self.known or bare in COMMON or bare in own or _stem(bare) in self.known:
                continue
            if any(a <= at < b for a, b in covered):
                continue
            if _ordinary(bare):
                if opening or not word[0].isupper():
                    continue
                if capitals is None:
                    capitals = _mostly_capitals(said.text[start:end])
                if capitals:
                    continue
            elif not word[0].isupper() and not self._near_name(bare, own):
                continue
            if asked is None:
                asked = frozenset(tokens(clean(query)))
            if bare not in asked:
                return f"says {word!r}, which is neither a fact of this page nor an ordinary word"
        return ""

    def _near_name(self, word: str, own: frozenset[str]) -> bool:
        """Whether a word is one edit from a part of some name that this unit may not say."""
        if len(word) < 5:
            return False
        near = {name for form in _deletions(word) for name in self._near.get(form, ())}
        return any(name not in own for name in near)


def _sort(kind: str) -> str:
    return {"int": "number", "num": "number", "enum": "text", "url": "text", "list": "text"}.get(kind, kind)


def _stem(word: str) -> str:
    return word.removesuffix("s")


def _mostly_capitals(sentence: str) -> bool:
    words = [w for w in _WORD.findall(sentence) if len(w) > 3]
    return len(words) < 3 or sum(w[0].isupper() for w in words) >= 0.6 * len(words)


def _same_option(value: object, said: str | bool) -> bool:
    return value is said if isinstance(said, bool) else isinstance(value, str) and squeeze(value) == squeeze(said)


def _polarity(text: str, clause: Span, cue: Span) -> bool | None:
    """Return what a clause says of a truth value named at `cue`: True, False, or None where it only names it."""
    before, after = text[clause[0] : cue[0]], text[cue[1] : clause[1]]
    # a clause ends at a colon, but a label's value stands behind it
    tail = after or re.split(r"[.;,|\n]", text[cue[1] : cue[1] + 16])[0]
    first = {w.lower() for w in _WORD.findall(tail)[:2]}
    if first & _NO or _NOT.search(before[-24:]):
        return False
    if first & _YES or _SAYS.search(before):
        return True
    return None


def _option(text: str, clause: Span, labels: Sequence[str]) -> str | None:
    """Return the option of a closed list that a clause (or what follows its colon) names."""
    words = f" {' '.join(tokens(text[clause[0] : min(len(text), clause[1] + 24)]))} "
    for label in sorted(labels, key=len, reverse=True):
        if f" {' '.join(tokens(clean(label)))} " in words:
            return label
    return None


def echo_spans(text: str, query: str) -> list[Span]:
    """Return where a text repeats the query as a query: 'results for "…"'."""
    asked = clean(query).strip().lower()
    if len(asked) < 3:
        return []
    lower = text.lower()
    found = []
    at = lower.find(asked)
    while at >= 0:
        if _ECHO.search(text, max(0, at - 48), at):
            found.append((at, at + len(asked)))
        at = lower.find(asked, at + 1)
    return found


def _deletions(word: str) -> list[str]:
    return [word, *(word[:i] + word[i + 1 :] for i in range(len(word)))]


def _near_index(values: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return parts of names by themselves and by every form with one letter less (symmetric deletion)."""
    index: dict[str, dict[str, None]] = {}
    for word in dict.fromkeys(w for value in values for w in tokens(clean(value)) if len(w) >= 5 and w.isalpha()):
        if word not in COMMON:
            for form in _deletions(word):
                index.setdefault(form, {})[word] = None
    return {form: tuple(words) for form, words in index.items()}
