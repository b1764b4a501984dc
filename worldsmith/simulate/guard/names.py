"""Every name of a world, every column's label and every declared phrase, found in one pass over a text.

The automaton runs over letters and digits alone, with matches held to token borders: so "Imre Halloway",
"imre.halloway@…", "director-imre-halloway" and "Im re Halloway" are one name. Reversed and rot13 forms are
patterns of their own.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from string import ascii_lowercase
from typing import Literal, NamedTuple

from ahocorasick_rs import AhoCorasick
from faker.providers.lorem.en_US import Provider as Lorem

from worldsmith import scoring
from worldsmith.naming import is_real_name
from worldsmith.schema import Choice, Column, Faker, Invent, Pick, Schema
from worldsmith.scoring.text import squash
from worldsmith.simulate.guard.text import Scan, Span, clean, squeeze, tokens
from worldsmith.world.model import World

COMMON = frozenset(Lorem.word_list)
"""About a thousand of the commonest English words."""

_PART = re.compile(r"[^\W_]+")
_SCALE = re.compile(r"of\d+$")
_NUMBER_BEFORE = re.compile(r"\d[-/.:,]$")
_NUMBER_AFTER = re.compile(r"[-/.:,]\d")
_ROT13 = str.maketrans(ascii_lowercase, ascii_lowercase[13:] + ascii_lowercase[:13])
"""Keys are squeezed: lower case."""
_BETWEEN = bytes(i for i in range(128) if not chr(i).isalnum())
_NULLISH = frozenset(("no", "none", "nothing", "other", "others", "any", "all", "yes"))
"""Options that ordinary sentences are full of: judged at their column's label alone."""
_WEAK_WORDS = "of by for the a an in on at to with from until since as is was and or per it its within about"
_WEAK = frozenset(_WEAK_WORDS.split())

Kind = Literal["name", "alias", "coded", "cue", "chrome", "filler", "option"]
ColumnId = tuple[str, str]
"""Table and column."""


class Mention(NamedTuple):
    """A stretch of a text that is a name, a column's label or a declared phrase."""

    kind: Kind
    key: str
    """Squeezed form of the value, label or phrase meant."""
    span: Span
    columns: tuple[ColumnId, ...] = ()
    """cue, filler, option: the columns meant."""


_ORDER: dict[Kind, int] = {"name": 0, "alias": 1, "coded": 2, "chrome": 3, "cue": 4, "filler": 5, "option": 6}
"""What stands first of mentions of one length."""


class _Pattern(NamedTuple):
    kind: Kind
    key: str
    columns: tuple[ColumnId, ...] = ()
    capital: bool = False
    """A common word: a name only where it is written with a capital."""
    exact: str = ""
    """A short name or code, as the scorer compares it: a name only where it stands alone."""
    words: int = 1


_NAMING = frozenset(("name", "alias", "coded"))


@lru_cache(maxsize=4096)
def _words(phrase: str) -> tuple[str, ...]:
    """Return the words of declared chrome: most of it is that of every world of a schema."""
    return tuple(tokens(clean(phrase)))


@lru_cache(maxsize=65536)
def is_ordinary_word(word: str) -> bool:
    """Whether a word is known outside invented worlds: English words and real names (about 1% of others too)."""
    return word.lower() in COMMON or is_real_name(word)


def columns_by_id(schema: Schema) -> dict[ColumnId, Column]:
    """Return all columns of a schema."""
    return {(table.name, column.name): column for table in schema.tables.values() for column in table.columns}


def _other_labels(schema: Schema, place: ColumnId) -> list[str]:
    """Return what a bank calls a column."""
    return schema.bank.words(*place).aka if schema.bank else []


def group_columns(pairs: Iterable[tuple[str, ColumnId]]) -> dict[str, tuple[ColumnId, ...]]:
    """Return the columns of each text of some pairs, each once."""
    groups: dict[str, dict[ColumnId, None]] = {}
    for text, column in pairs:
        groups.setdefault(text, {})[column] = None
    return {text: tuple(columns) for text, columns in groups.items()}


def name_like(schema: Schema) -> list[ColumnId]:
    """Return the columns whose values are names or running text rather than one of a few options."""
    columns = columns_by_id(schema).items()
    return [place for place, column in columns if column.name_like and not isinstance(column.fill, Choice)]


@lru_cache(maxsize=4096)
def cue_phrase(phrase: str) -> str:
    """Return a label or phrase as a cue, squeezed without leading articles; "" where it says too little."""
    words = tokens(clean(phrase))
    while words and words[0] in ("a", "an", "the"):
        words = words[1:]
    strong = [w for w in words if w not in _WEAK and len(w) >= 3]
    return "".join(words) if strong else ""


class Names:
    """The automaton of one world."""

    def __init__(self, world: World, chrome: Iterable[str] = ()) -> None:
        self._patterns: dict[str, list[_Pattern]] = {}
        self._values: dict[str, str] = {}
        people = self._people(world.schema)
        self.labels = self._labels(world.schema)
        self.people = tuple(v for t, c in sorted(people) for v in world.tables[t][c] if isinstance(v, str))
        """The names of people, as often as they stand in the world."""
        self.words: dict[ColumnId, tuple[str, ...]] = {}
        """By column, the values that are common words or some column's label: options, the former also names where
        they have a capital."""
        for table, col in name_like(world.schema):
            values = [v for v in dict.fromkeys(world.tables[table][col]) if isinstance(v, str)]
            plain = tuple(v for v in values if self._add_name(v, person=(table, col) in people))
            if plain:
                self.words[table, col] = plain
        for key, columns in self.labels.items():
            self._add(key, _Pattern("cue", key, columns))
        fillers = [(c.none, place) for place, c in columns_by_id(world.schema).items()]
        by_filler = group_columns((squeeze(none), place) for none, place in fillers)
        for key in dict.fromkeys(squeeze(none) for none, _ in fillers if len(tokens(none)) >= 2):
            self._add(key, _Pattern("filler", key, by_filler[key]))
        for option, same_columns in self._options(world.schema).items():
            self._add_option(option, same_columns)
        for phrase in chrome:
            self._add_chrome(_words(phrase))
        self._keys = tuple(self._patterns)
        self._automaton = AhoCorasick(self._keys)
        self._naming = frozenset(
            [i for i, held in enumerate(self._patterns.values()) for p in held if p.kind in _NAMING]
        )
        """Which patterns are of a name."""

    @staticmethod
    def _people(schema: Schema) -> frozenset[ColumnId]:
        return frozenset(
            place
            for place, c in columns_by_id(schema).items()
            if (isinstance(c.fill, Invent) and c.fill.kind == "person")
            or (isinstance(c.fill, Pick) and schema.values[c.fill.values].invent == "person")
            or (isinstance(c.fill, Faker) and "name" in c.fill.provider)
        )

    @staticmethod
    def _labels(schema: Schema) -> dict[str, tuple[ColumnId, ...]]:
        return group_columns(
            (key, place)
            for place, column in columns_by_id(schema).items()
            for phrase in (column.label, column.header, column.says, *_other_labels(schema, place))
            if (key := cue_phrase(phrase))
        )

    def _options(self, schema: Schema) -> dict[str, tuple[ColumnId, ...]]:
        """Return the columns of each option of a closed list: a choice's, and picked values that are common words."""
        options: list[tuple[str, ColumnId]] = []
        for place, column in columns_by_id(schema).items():
            if isinstance(column.fill, Choice):
                options += [(option, place) for option in column.fill.options if isinstance(option, str)]
            elif isinstance(column.fill, Pick):
                options += [(word, place) for word in self.words.get(place, ()) if word.lower() not in _NULLISH]
        return group_columns(options)

    def _add_option(self, option: str, columns: tuple[ColumnId, ...]) -> None:
        key = squeeze(option)
        if len(key) < 2 or key in _NULLISH:
            return
        exact = comparison_form(option) if len(key) <= 3 else ""
        self._add(key, _Pattern("option", key, columns, exact=exact, words=len(tokens(clean(option)))))
        if len(key) >= 5 and key.isalpha() and not is_ordinary_word(key[::-1]):
            self._add(key[::-1], _Pattern("coded", key))

    def _add(self, form: str, pattern: _Pattern) -> None:
        held = self._patterns.get(form)
        if held is None:
            self._patterns[form] = [pattern]
        elif all((p.kind, p.key) != (pattern.kind, pattern.key) for p in held):
            held.append(pattern)

    def _add_name(self, value: str, *, person: bool) -> bool:
        """Add a name unless it is some column's label; return whether it is one, or a common word."""
        text = clean(value)
        words = tokens(text)
        key = squeeze(value)
        if len(key) < 2 or text.isdigit():
            return False
        if key in self.labels and not person:
            return True
        self._values.setdefault(key, value)
        plain = len(words) == 1 and key.isalpha() and key in COMMON
        code = not key.isalpha() and " " not in text.strip()
        exact = comparison_form(text) if len(key) <= 3 or key.isdigit() or (code and len(key) <= 6) else ""
        self._add(key, _Pattern("name", key, capital=plain, exact=exact, words=len(words)))
        if len(key) >= 8 and not key.isdigit():
            self._add(key.translate(_ROT13), _Pattern("coded", key))
            if key[::-1] != key:
                self._add(key[::-1], _Pattern("coded", key))
        if person and len(words) >= 2 and len(words[-1]) >= 3:
            self._add(words[0][0] + words[-1], _Pattern("alias", key, words=2))
            self._add(words[-1] + words[0][0], _Pattern("alias", key, words=2))
        return plain

    @property
    def values(self) -> tuple[str, ...]:
        """The names as they are written."""
        return tuple(self._values.values())

    def _add_chrome(self, words: tuple[str, ...]) -> None:
        """Add a phrase; one with numbers also as a snippet breaks it off."""
        whole = len(words)
        digits = next((i + 1 for i, word in enumerate(words) if word.isdigit()), whole)
        for count in range(max(digits, 3), whole) if digits < whole else ():
            self._add("".join(words[:count]), _Pattern("chrome", "".join(words), words=count))
        if words:
            self._add("".join(words), _Pattern("chrome", "".join(words), words=whole))

    def find(self, read: Scan) -> list[Mention]:
        """Return the mentions in a text by their place; of names that overlap the longest stands.

        A declared phrase hides a name that it holds, never one that it runs into: "Brand: sONY" has no "brands".
        """
        names: list[Mention] = []
        layers: dict[Kind, list[Mention]] = {"cue": [], "option": []}
        layers["filler"] = layers["cue"]
        opened = "(" in read.text
        for index, start, end in self._automaton.find_matches_as_indexes(read.squeezed, overlapping=True):
            place = read.place(start, end)
            if place is None:
                continue
            first, last = place
            span = read.spans[first][0], read.spans[last][1]
            if opened:
                span = _with_closing_bracket(read.text, *span)
            for pattern in self._patterns[self._keys[index]]:
                if self._is_meant(pattern, read, first, last, span):
                    layers.get(pattern.kind, names).append(Mention(pattern.kind, pattern.key, span, pattern.columns))
        spans = [m.span for m in names if m.kind != "chrome"]
        standing = [m for m in names if m.kind != "chrome" or not any(_overlap_partly(m.span, span) for span in spans)]
        return longest_mentions(standing) + longest_mentions(layers["cue"]) + longest_mentions(layers["option"])

    def nameless(self, text: str) -> bool:
        """Whether the letters of a cleaned text hold no name, of whatever words; False where that is not plain."""
        if not text.isascii() or "&" in text:
            return False
        letters = text.lower().encode("ascii").translate(None, _BETWEEN).decode("ascii")
        matches = self._automaton.find_matches_as_indexes(letters, overlapping=True)
        return self._naming.isdisjoint(index for index, _, _ in matches)

    def spelled_name(self, letters: str) -> str | None:
        """Return a long name that stands in a run of letters, wherever it starts."""
        for index, _, _ in self._automaton.find_matches_as_indexes(letters, overlapping=True):
            if len(self._keys[index]) > 8 and any(p.kind == "name" for p in self._patterns[self._keys[index]]):
                return self._keys[index]
        return None

    @staticmethod
    def _is_meant(pattern: _Pattern, read: Scan, first: int, last: int, span: Span) -> bool:
        if pattern.capital:
            return any(c.isupper() for c in read.text[span[0] : span[1]])
        if pattern.exact:
            around = read.text[max(0, span[0] - 1) : span[0]] + read.text[span[1] : span[1] + 1]
            return (
                comparison_form(read.text[span[0] : span[1]]) == pattern.exact
                and not any(c.isalnum() for c in around)
                and not (pattern.key.isdigit() and _is_within_number(read.text, span))
            )
        if pattern.kind == "cue" and _SCALE.search(pattern.key):
            return "(" in read.text[span[0] : span[1]]  # "a rating of 10" is no "Rating (of 10)"
        if last == first or pattern.words > 1 or len(pattern.key) >= 9 or pattern.kind in ("cue", "filler"):
            return True
        # "at or" is no "Ator": a short name is not put together from words
        stretch = read.text[span[0] : span[1]]
        return " " not in stretch or not all(word.lower() in COMMON for word in _PART.findall(stretch))


def comparison_form(text: str) -> str:
    """Return a name in the form in which the scorer compares names: "1h 226" is "1H226", "1 1" is not "11"."""
    return squash(scoring.fold(text))


def _is_within_number(text: str, span: Span) -> bool:
    """Whether digits are a part of a longer number or date: the "05-31" of 2044-05-31 is no departure at 05:31."""
    return bool(_NUMBER_BEFORE.search(text, max(0, span[0] - 2), span[0]) or _NUMBER_AFTER.match(text, span[1]))


def _overlap_partly(a: Span, b: Span) -> bool:
    """Whether two spans overlap and neither holds the other."""
    return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]


def _with_closing_bracket(text: str, start: int, end: int) -> Span:
    """Return a span with the bracket that closes one it opened: "Rating (of 10)"."""
    opened = text.count("(", start, end) > text.count(")", start, end)
    return start, end + (opened and text[end : end + 1] == ")")


def longest_mentions(mentions: list[Mention]) -> list[Mention]:
    """Return the mentions that no longer one overlaps, in order; names before declared phrases at equal length."""
    if len(mentions) < 2:
        return mentions
    taken: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.span[0] - m.span[1], _ORDER[m.kind], m.span)):
        if all(mention.span[0] >= t.span[1] or mention.span[1] <= t.span[0] for t in taken):
            taken.append(mention)
    return sorted(taken, key=lambda m: m.span)
