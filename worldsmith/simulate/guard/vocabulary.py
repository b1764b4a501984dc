"""The words of a statement: known to every page, to this page, or to the language; and echoes of the query."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from worldsmith.schema import Choice, Schema
from worldsmith.simulate.guard.names import COMMON, columns_by_id, is_ordinary_word
from worldsmith.simulate.guard.quantity import MONTHS
from worldsmith.simulate.guard.text import Span, clean, tokens

_WORD = re.compile(r"[^\W\d_]{2,}(?:'[a-z]{1,2}\b)?")
_ECHO = re.compile(
    r"(?:results?|search(?:es|ed|ing)?|match(?:es|ed)?|query|showing|look(?:ed|ing)?|found|asked)\b"
    r"[^.]{0,24}?(?:for|:)\s*[\"'(\[]*$",
    re.IGNORECASE,
)
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
TITLES = frozenset(("title", "heading", "header", "caption"))
"""Units whose words may all have capitals."""


def label_words(schema: Schema, chrome: Iterable[str]) -> frozenset[str]:
    """Return the words of labels, nouns, units, the schema's subject and chrome, in lower case."""
    texts = [*chrome, schema.about, schema.name]
    for table in schema.tables.values():
        texts += [table.singular, table.plural, table.name]
        for column in table.columns:
            texts += [column.label, column.says, column.unit, column.none]
    for words in schema.bank.source.columns.values() if schema.bank else ():
        texts += [*words.aka, *words.unit]
    return _words(texts)


def known_words(schema: Schema, chrome: Iterable[str]) -> frozenset[str]:
    """Return the words that any page may use: those of labels, of options, of months and days."""
    fills = [column.fill for column in columns_by_id(schema).values()]
    options = [str(option) for fill in fills if isinstance(fill, Choice) for option in fill.options]
    return label_words(schema, chrome) | _words([*options, *MONTHS, _WEEKDAYS])


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word.lower() for text in texts for word in _WORD.findall(clean(text)))


class Vocabulary:
    """The words that need no fact, and the parts of names that are told by a slip of one letter."""

    def __init__(self, schema: Schema, chrome: Iterable[str], names: Iterable[str], people: Iterable[str]) -> None:
        self.known = known_words(schema, chrome)
        self._names = tuple(names)
        self._people = frozenset(w for name in people for w in tokens(clean(name)) if len(w) >= 3) - COMMON

    @cached_property
    def _near(self) -> dict[str, tuple[str, ...]]:
        """Parts of names by their slips: made when first asked for, since no text of our own has such words."""
        return _near_index(self._names)

    def unknown_word(
        self,
        where: str,
        text: str,
        span: Span,
        covered: Sequence[Span],
        own: frozenset[str],
        query_words: frozenset[str],
    ) -> str | None:
        """Return the first word of a sentence that nothing accounts for.

        That is a word with a capital inside a sentence, or one that is in no dictionary or a part of a person's name
        and either has a capital or is at most a letter away from a part of a name. `own` are the unit's words,
        `query_words` the query's.
        """
        for match in _WORD.finditer(text, *span):
            at, word = match.start(), match.group()
            bare = word.partition("'")[0].lower()
            if bare in self.known or bare in COMMON or bare in own or bare.removesuffix("s") in self.known:
                continue
            if bare in query_words or any(a <= at < b for a, b in covered):
                continue
            if is_ordinary_word(bare) and bare not in self._people:
                if not word[0].isupper() or where in TITLES or _opens(text, at, span[0]):
                    continue
            elif not word[0].isupper() and not self._near_name(bare, own):
                continue
            return word
        return None

    def _near_name(self, word: str, own: frozenset[str]) -> bool:
        """Whether a word is one edit from a part of some name that this unit may not say."""
        if len(word) < 5:
            return False
        near = {name for form in _deletions(word) for name in self._near.get(form, ())}
        return any(name not in own for name in near)


def _opens(text: str, at: int, start: int) -> bool:
    """Whether a word opens a sentence, or stands where titles and quotations start."""
    before = text[start:at].rstrip(" ")
    return not before or before[-1] in ":.!?|\"'([·•-"


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


def echo_spans(text: str, query: str) -> list[Span]:
    """Return where a text repeats the query as a query: 'results for "…"'."""
    query_text = clean(query).strip().lower()
    if len(query_text) < 3:
        return []
    lower = text.lower()
    spans = []
    at = lower.find(query_text)
    while at >= 0:
        if _ECHO.search(text, max(0, at - 48), at):
            spans.append((at, at + len(query_text)))
        at = lower.find(query_text, at + 1)
    return spans
