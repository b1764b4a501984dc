"""Telling names apart: an index of folded names that finds every near-twin without comparing all pairs.

A name is a twin of another when it lies within edit distance 2, when one begins with the other, or when a bearing
word (a surname, the invented word of a firm) lies within edit distance 1. Two edits leave untouched the first two
letters, or the last two, or (one edit in each) all between, shifted by one at most: so names are filed under their
first two letters, last two, and the three that follow the first two, and only names that share a file are measured.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from rapidfuzz.distance.Levenshtein import distance

_TINY = 6  # a name of 6 letters has no three apart from both its ends: it is measured against all of 8 letters at most


class Twins:
    """The folded names known so far, by file, and the shapes of their bearing words."""

    __slots__ = ("files", "shapes")

    def __init__(self, names: Iterable[str] = ()) -> None:
        """File folded names as they are, twins or not; every word of them counts as bearing."""
        self.files: defaultdict[str, list[str]] = defaultdict(list)
        self.shapes: set[str] = set()
        words: set[str] = set()  # texts of a world share many
        for folded in names:
            self.add(folded, ())
            words.update(folded.split())
        self.shapes.update(_shapes(words))

    def take(self, folded: str, words: Sequence[str]) -> bool:
        """File a folded name with its bearing words unless it is a twin of one filed; return whether it was filed.

        One whose own words are an edit apart ("Korlea Korleas") is not filed either.
        """
        if any(not set(_shapes([one])).isdisjoint(_shapes([other])) for one, other in combinations(words, 2)):
            return False
        shapes = _shapes(words)
        if not self.shapes.isdisjoint(shapes) or self.near(folded):
            return False
        self.add(folded, shapes)
        return True

    def near(self, folded: str) -> bool:
        """Whether a folded name lies within edit distance 2 of one filed, or either begins with the other."""
        files, size = self.files, len(folded)
        for other in files.get("<" + folded[:2], ()):
            if other.startswith(folded) or folded.startswith(other) or distance(folded, other, score_cutoff=2) <= 2:
                return True
        # an edit among the other's first two letters shifts what follows by one at most
        spots = [folded[-2:] + ">", folded[1:4], folded[2:5], folded[3:6]]
        if size <= _TINY + 2:
            spots.append("short" if size <= _TINY else "tiny")
        for file in spots:
            for other in files.get(file, ()):
                if distance(folded, other, score_cutoff=2) <= 2:
                    return True
        return False

    def add(self, folded: str, shapes: Iterable[str]) -> None:
        """File a folded name, and the shapes of its bearing words."""
        files = self.files
        spots = ["<" + folded[:2], folded[-2:] + ">", folded[2:5]]
        if len(folded) <= _TINY + 2:
            spots += ("short", "tiny") if len(folded) <= _TINY else ("short",)
        for file in spots:
            files[file].append(folded)
        self.shapes.update(shapes)


def _shapes(words: Collection[str]) -> list[str]:
    """Return each word and all it becomes by losing a letter: words one edit apart share one of these."""
    shapes = list(words)
    for word in words:
        shapes += [word[:i] + word[i + 1 :] for i in range(len(word))]
    return shapes
