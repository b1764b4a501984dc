"""Telling names apart: an index of folded names that finds every near-twin without comparing all pairs.

A name is a twin of another when it lies within edit distance 2, when one begins with the other, or when a bearing
word (a surname, the invented word of a firm) lies within edit distance 1. Two edits leave untouched the first two
letters, or the last two, or (one edit in each) all between, shifted by one at most: so names are filed under their
first two letters, last two, and middle three, and only names that share a file are measured.
"""

from collections.abc import Iterable

from rapidfuzz.distance import Levenshtein

from worldsmith.naming.fold import fold

_SHORT = 8  # a name of 6 letters has no middle apart from its ends: it, and all it could be a twin of, goes on a list


class Twins:
    """Folded names and bearing words so far."""

    __slots__ = ("files", "short", "words")

    def __init__(self, names: Iterable[str] = ()) -> None:
        """File `names` (unfolded); every word of them counts as a bearing word."""
        self.files: dict[str, list[str]] = {}
        self.short: list[str] = []
        self.words: set[str] = set()
        for name in names:
            folded = fold(name)
            self.add(folded, folded.split())

    def add(self, folded: str, words: Iterable[str]) -> None:
        """File a folded name with its bearing words."""
        files, middle = self.files, (len(folded) - 3) // 2
        for file in (f"<{folded[:2]}", f"{folded[-2:]}>", folded[middle : middle + 3]):
            if file in files:
                files[file].append(folded)
            else:
                files[file] = [folded]
        if len(folded) <= _SHORT:
            self.short.append(folded)
        for word in words:
            self.words.update(_shortened(word))

    def knows(self, word: str) -> bool:
        """Whether a bearing word lies within edit distance 1 of one filed (a few at distance 2 are also known)."""
        return not self.words.isdisjoint(_shortened(word))

    def near(self, folded: str) -> bool:
        """Whether a folded name lies within edit distance 2 of one filed, or either begins with the other."""
        files = self.files
        for other in files.get(f"<{folded[:2]}", ()):
            if other.startswith(folded) or folded.startswith(other) or _close(folded, other):
                return True
        middle = (len(folded) - 3) // 2
        found = [f"{folded[-2:]}>", *(folded[at : at + 3] for at in range(max(middle - 2, 0), middle + 3))]
        for file in found:
            for other in files.get(file, ()):
                if _close(folded, other):
                    return True
        return len(folded) <= _SHORT and any(_close(folded, other) for other in self.short)


def _close(one: str, other: str) -> bool:
    return abs(len(one) - len(other)) <= 2 and Levenshtein.distance(one, other, score_cutoff=2) <= 2


def _shortened(word: str) -> list[str]:
    """Return the word and all it becomes by losing a letter: two words share one of these if one edit turns one into the other."""
    return [word, *[word[:i] + word[i + 1 :] for i in range(len(word))]]
