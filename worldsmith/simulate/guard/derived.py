"""Options in derived forms: "bakeries" and "baking" tell a bakery, "one of the cooks" a cook, "Brazilian" Brazil."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from worldsmith.cache import keep
from worldsmith.schema import Choice, Pick, Schema
from worldsmith.simulate.guard.boilerplate_words import META
from worldsmith.simulate.guard.names import COMMON, ColumnId, columns_by_id
from worldsmith.simulate.guard.text import Span, clean, tokens

_WORD = re.compile(r"[^\W\d_]{3,}")
_ENDINGS = (
    "", "s", "es", "er", "ers", "or", "ors", "ing", "ings", "ed", "y", "ies", "ery", "eries", "ry", "ries", "ist",
    "ists", "istry", "n", "ns", "a", "o", "an", "ans", "ian", "ians", "ese", "ish", "al", "ic", "ical",
)  # fmt: skip
MEMO = 16_384
"""Words whose options are kept."""
_AGENTS = ("er", "or", "ist", "ian")
_IRREGULAR = {
    "danish": "denmark", "danes": "denmark", "french": "france", "polish": "poland", "pole": "poland",
    "poles": "poland", "turkish": "turkey", "turk": "turkey", "turks": "turkey", "argentine": "argentina",
    "dutch": "netherlands", "swiss": "switzerland", "greek": "greece", "spanish": "spain", "swedish": "sweden",
    "finnish": "finland", "norwegian": "norway", "irish": "ireland", "british": "britain", "welsh": "wales",
    "scottish": "scotland", "portuguese": "portugal", "peruvian": "peru", "thai": "thailand", "chinese": "china",
    "korean": "korea", "koreans": "korea", "taught": "teacher", "sewn": "sewer", "midwifery": "midwife",
}  # fmt: skip


class Form(NamedTuple):
    """A word of a text that is a derived form of an option."""

    span: Span
    options: tuple[str, ...]
    columns: tuple[ColumnId, ...]


class Derived:
    """The options of one schema by the roots of their last words."""

    def __init__(self, schema: Schema, known: Iterable[str]) -> None:
        """Read the options of choices and picks; `known` are words that mean something else here, in lower case."""
        roots: dict[str, dict[tuple[str, ColumnId], None]] = {}
        self._heads: dict[str, tuple[str, ...]] = {}
        """By option, its words before the last one."""
        for place, column in columns_by_id(schema).items():
            for option in _options(schema, column.fill):
                *heads, last = tokens(clean(option)) or [""]
                if len(last) < 4 or not last.isalpha() or last.endswith(("ing", "ed")):
                    continue
                self._heads[option] = tuple(heads)
                for root in _roots(last):
                    roots.setdefault(root, {})[option, place] = None
        self._roots = roots
        options = {word for option in self._heads for word in tokens(clean(option))}
        self._labels = (frozenset(known) | META) - options
        self._known = (self._labels | COMMON) - options
        self._memo: dict[str, tuple[tuple[str, ColumnId], ...]] = {}

    def forms(self, text: str, span: Span) -> Iterator[Form]:
        """Yield the words of a sentence, in a cleaned text, that are derived forms of options, or options."""
        for match in _WORD.finditer(text, *span):
            word = match.group()
            held = self._memo.get(word)
            if held is None:
                held = keep(self._memo, word, self._derivations(word), MEMO)
            fit = [pair for pair in held if self._follows_heads(pair[0], text, match.start())] if held else ()
            if fit:
                options, columns = zip(*fit, strict=True)
                yield Form(match.span(), tuple(dict.fromkeys(options)), tuple(dict.fromkeys(columns)))

    def _derivations(self, word: str) -> tuple[tuple[str, ColumnId], ...]:
        """Return the options, each with its column, of whose last word a word is a form."""
        pairs = (pair for root in _roots(word.lower()) for pair in self._roots.get(root, ()))
        return tuple(pair for pair in dict.fromkeys(pairs) if self._is_form_of(word, pair[0]))

    def _follows_heads(self, option: str, text: str, at: int) -> bool:
        """Whether the option's words before its last one stand before a place in a text."""
        heads = self._heads[option]
        return not heads or tuple(tokens(clean(text[max(0, at - 60) : at]))[-len(heads) :]) == heads

    def _is_form_of(self, word: str, option: str) -> bool:
        """Whether a word may be a form of an option's last one, rather than a word of its own."""
        last = tokens(clean(option))[-1]
        lower = word.lower()
        plural = lower in (f"{last}s", f"{last}es", f"{last.removesuffix('y')}ies")
        gerund = last.endswith("er") and lower == f"{last.removesuffix('er')}ing"
        other = self._labels if gerund else self._known
        if not plural and (lower in other or lower.removesuffix("s") in other):
            return False
        if last.endswith("s") and lower.endswith("ing"):
            return False  # "setting" tells no setts
        if option[0].isupper() and not word[0].isupper():
            return False  # a brand's or a country's name
        return not (lower.endswith("ed") and last.endswith(_AGENTS))  # "joined" tells no joiner


def _options(schema: Schema, fill: object) -> Iterator[str]:
    match fill:
        case Choice(options=options):
            yield from (option for option in options if isinstance(option, str))
        case Pick(values=name) if schema.values[name].invent is None:
            yield from (item for item in schema.values[name].items if isinstance(item, str))


def _roots(word: str) -> tuple[str, ...]:
    """Return what is left of a word, in lower case, without each ending it may have, at least three letters."""
    word = _IRREGULAR.get(word, word)
    stripped = dict.fromkeys(word[: len(word) - len(end)] for end in _ENDINGS if word.endswith(end))
    return tuple(dict.fromkeys(_bare_root(root) for root in stripped if len(root) >= 3))


def _bare_root(root: str) -> str:
    """Return a root without a doubled consonant or a silent e at its end: "programm", "bake"."""
    if len(root) > 4 and root[-1] == root[-2] and root[-1] not in "aeious":
        return root[:-1]
    return root[:-1] if len(root) > 3 and root[-1] == "e" else root
