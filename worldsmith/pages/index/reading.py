"""How the words of a query are read as terms of an index: as they stand, as what means the same, or as a slip."""

from collections.abc import Callable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from worldsmith.cache import keep
from worldsmith.pages.index.terms import MEANINGS

SLIPS = 16
"""Unknown words of a query that the nearest known one is looked for."""
NEAREST = 3
"""Known words that an unknown one may be read as, where they are equally near."""
MEMO = 256
"""Unknown words whose reading is kept."""


class WordReader:
    """Reads words as terms. `place` gives a known word's term, `likely` the known words that an unknown one may be."""

    def __init__(self, place: Callable[[str], int | None], likely: Callable[[str], Sequence[str]]) -> None:
        self._place, self._likely = place, likely
        self._memo: dict[str, tuple[int, ...]] = {}

    def terms(self, words: Sequence[str]) -> list[int]:
        """Return the terms that words are read as, as often as they stand there."""
        terms: list[int] = []
        readings: dict[str, tuple[int, ...]] = {}
        for word in words:
            term = self._place(word)
            if term is not None:
                terms.append(term)
            elif word in readings or (len(readings) < SLIPS and word.isalpha()):
                # How many are read hangs on the query alone, not on what earlier queries left in the memo.
                readings[word] = self._reading(word)
                terms += readings[word]
        return terms

    def _reading(self, word: str) -> tuple[int, ...]:
        """Return the terms that an unknown word is read as."""
        memo = self._memo.get(word)
        if memo is not None:
            return memo
        reading = self._places(MEANINGS.get(word, ()))
        if not reading and len(word) > 3:
            reading = self._places(self._nearest(word))
        return keep(self._memo, word, reading, MEMO)

    def _places(self, words: Sequence[str]) -> tuple[int, ...]:
        return tuple(term for term in map(self._place, words) if term is not None)

    def _nearest(self, word: str) -> list[str]:
        """Return the likely words that are fewest slips away from a word."""
        slips = 1 if len(word) < 8 else 2
        near = process.extract(word, self._likely(word), scorer=OSA.distance, score_cutoff=slips, limit=NEAREST)
        return [other for other, distance, _ in near if distance == near[0][1]]
