"""The patterns of a bank as patterns of text, found in a text by their longest words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ahocorasick_rs import AhoCorasick

from worldsmith.cache import cached_method
from worldsmith.pages.voice import Sentence, Voice
from worldsmith.schema.patterns import SUBJECT, Either, OneOf, Pattern, Slot, read_pattern
from worldsmith.simulate.guard.text import clean, lowered, squeeze

TELLING = 12
"""Letters of a pattern's own words from which on a text that has them all can mean nothing else."""
TAIL = " .!?:;"
"""What may end a sentence, and counts for nothing."""
_SLOT = ".{1,80}?"
"""What a slot may hold: values are shorter, and the time to match is bounded."""
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, eq=False)
class Form:
    """A pattern of the bank as a pattern of text."""

    pattern: Pattern
    sentence: Sentence | None
    """None for a title, an opening or a standing line."""
    subject: str
    """The name of what the world is about."""

    @property
    def table(self) -> str:
        """The table of the rows that it is about; "" for titles and openings."""
        return self.sentence.tell.of if self.sentence else ""

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Its slots, in order, but for the subject's."""
        return tuple(p for p in self.pattern.parts if isinstance(p, Slot) and p.path != (SUBJECT,))

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The words between its slots."""
        return tuple(plain_form(p) for p in self.pattern.parts if isinstance(p, str))

    @cached_property
    def _own_words(self) -> tuple[str, ...]:
        either = (min(p.first, p.second, key=len) for p in self.pattern.parts if isinstance(p, Either))
        return (*self.literals, *either)

    @cached_property
    def telling(self) -> bool:
        """Whether its own words are so many that a text that has them means what it means."""
        return sum(len(_LETTER.findall(text)) for text in self._own_words) >= TELLING

    @cached_method
    def _regex(self, over: bool) -> re.Pattern[str]:
        return re.compile(self._source(over=over, wanted=()))

    def match(self, text: str, *, over: bool) -> tuple[str, ...] | None:
        """Return what stands in its slots in a text in lower case; None where it doesn't fit.

        A row that is `over` is told of in the past. The number of a noun is a matter of grammar, not of truth.
        """
        match = self._regex(over).fullmatch(text)
        return match.groups() if match else None

    def match_values(self, text: str, wanted: Sequence[Sequence[str]], *, over: bool) -> tuple[str, ...] | None:
        """Return what stands in its slots, where each may hold one of some texts: they say where one slot ends."""
        match = re.fullmatch(self._source(over=over, wanted=wanted), text)
        return match.groups() if match else None

    def _source(self, *, over: bool, wanted: Sequence[Sequence[str]]) -> str:
        out = []
        texts_of = iter(wanted)
        for piece in self.pattern.parts:
            match piece:
                case str(text):
                    out.append(re.escape(plain_form(text)))
                case Either(first, second, path):
                    out.append(_one_of((first, second) if path else (second,) if over else (first,)))
                case OneOf(texts):
                    out.append(_one_of(texts))
                case Slot(path) if path == (SUBJECT,):
                    out.append(rf"{re.escape(plain_form(self.subject))}(?:'s?)?")
                case Slot():
                    out.append(f"({'|'.join([*map(re.escape, next(texts_of, ())), _SLOT])})")
        return "".join(out).rstrip(".!?:; ").removesuffix("\\")


def _one_of(texts: Sequence[str]) -> str:
    return f"(?:{'|'.join(re.escape(plain_form(text)) for text in texts)})"


def plain_form(text: str) -> str:
    """Return a text as it is compared: cleaned, in lower case."""
    return lowered(clean(text))


class BankForms:
    """All sentences, titles, openings and standing lines of a world's bank, found by their longest words."""

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        genres = dict.fromkeys(page.genre for page in voice.pages.values())
        sentences = {
            s.tell.place: s for table in voice.schema.tables for genre in genres for s in voice.sentences(table, genre)
        }
        self.forms = tuple(Form(s.tell.pattern, s, voice.subject) for s in sentences.values())
        self.frames = {
            page.name: tuple(
                Form(pattern, None, voice.subject)
                for pattern in (*page.titles, *page.openings, *self._imprints(page.source.site))
            )
            for page in voice.pages.values()
        }
        anchors = [max(form.literals, key=len, default="").rstrip(TAIL) for form in self.forms]
        self._anchored = [i for i, anchor in enumerate(anchors) if len(anchor) > 2]
        self._loose = [form for form, anchor in zip(self.forms, anchors, strict=True) if len(anchor) <= 2]
        self._automaton = AhoCorasick([anchors[i] for i in self._anchored])

    def _imprints(self, site: str) -> Iterator[Pattern]:
        """Yield the standing lines of a site."""
        for line in self.voice.looks[site].imprint:
            yield read_pattern(line.replace("{site}", self.voice.sites[site].name))

    @cached_method
    def values(self, table: str, column: str) -> frozenset[str]:
        """Return the values of a column of names or options, as names are compared."""
        return frozenset(squeeze(v) for v in self.voice.world.tables[table][column] if isinstance(v, str))

    def places(self, text: str) -> list[tuple[int, int, Form]]:
        """Return the forms whose longest words stand in a text in lower case, each with their place."""
        hits = self._automaton.find_matches_as_indexes(text, overlapping=True)
        anchored = [(start, end, self.forms[self._anchored[index]]) for index, start, end in hits]
        return [*anchored, *((-1, -1, form) for form in self._loose)]
