"""Names of a kind, drawn from the grammars of invented cultures."""

import re
from collections.abc import Callable, Collection
from random import Random

from worldsmith.errors import NotFoundError, UsageError, close_match
from worldsmith.naming.cultures import CULTURES, Sounds, sounds
from worldsmith.naming.deny import deny_filter
from worldsmith.naming.kinds import KINDS, WORDS
from worldsmith.naming.twins import Twins
from worldsmith.seeding import Part, draw, rng

AVAILABLE = 400  # names of one kind that any seed can give with nothing taken: tests draw them
_STRETCH = 0.5  # of a culture's sounds that one seed speaks, until a list is refused _PATIENCE times
_PATIENCE = 300
_GIVE_UP = 20_000
_LETTERS = "BDFGHJKLMPRSTVWXZ"
_UNFIT = re.compile(  # a word that can't be pronounced, or that a reader would rather not
    r"(.)\1\1|[^aeiouy]{4}|anal|anus|cock|coon|cum|cunt|dick|fag|fuc|fuk|kkk|nazi|nig|piss|porn|rape|shit|slut|tit"
)


def cultures() -> tuple[str, ...]:
    """Return the names of the cultures, for the `culture` of `names`."""
    return tuple(CULTURES)


def spoken_by(seed: Part) -> tuple[str, ...]:
    """Return the three cultures whose names a seed's world bears."""
    known, bits = list(CULTURES), draw(seed, "cultures")
    return tuple(known.pop((bits >> shift) % len(known)) for shift in (0, 16, 32))


def names(
    kind: str, n: int, seed: Part, *path: Part, culture: str | None = None, taken: Collection[str] = ()
) -> list[str]:
    """Return `n` distinct invented names of a kind, told apart from each other and from `taken`.

    No two lie within edit distance 2 when folded, none begins with another, no two bearing words lie within edit
    distance 1 (naming.twins), and no bearing word nor whole name is in the filter of real names. All kinds of one seed
    share its three cultures, unless one is given. The first names do not depend on `n`.

    Raises:
        NotFoundError: an unknown kind or culture.
        UsageError: `n` is negative or more than AVAILABLE; or too few are left beside `taken`.
    """
    if kind not in KINDS:
        raise NotFoundError(f"no names of kind {kind!r}.{close_match(kind, KINDS)}")
    if culture is not None and culture not in CULTURES:
        raise NotFoundError(f"no culture {culture!r}.{close_match(culture, CULTURES)}")
    if not 0 <= n <= AVAILABLE:
        raise UsageError(f"{n} names of kind {kind!r} asked, {AVAILABLE} available: ask for 0 to {AVAILABLE}.")
    forge = _Forge(
        kind, (culture,) if culture else spoken_by(seed), seed, rng(seed, "names", kind, culture or "", *path)
    )
    return forge.draw(n, Twins(taken))


class _Forge:
    """Draws candidates of one kind; refusals widen the stretch of sounds it draws from."""

    def __init__(self, kind: str, spoken: tuple[str, ...], seed: Part, chance: Random) -> None:
        self.kind, self.forms, self.random = kind, KINDS[kind].forms, chance.random
        self.voices = [(sounds(name), draw(seed, "sounds", name)) for name in spoken]
        self.stretch = _STRETCH

    def draw(self, n: int, twins: Twins) -> list[str]:
        found: list[str] = []
        refused = 0
        while len(found) < n:
            name, words = self.candidate()
            folded = name.lower().replace("-", " ")
            if any(map(twins.knows, words)) or not _fit(words) or twins.near(folded) or folded in deny_filter():
                refused += 1
                if refused > _PATIENCE:
                    self.stretch = 1.0
                if refused > _GIVE_UP:
                    raise UsageError(
                        f"{n} names of kind {self.kind!r} asked, {len(found)} available beside the taken ones: ask for fewer."
                    )
                continue
            twins.add(folded, words)
            found.append(name)
        return found

    def candidate(self) -> tuple[str, list[str]]:
        """Return a name and its bearing words, folded."""
        form = self.pick(self.forms)
        voice = self.voices[int(self.random() * len(self.voices))]
        text, words = "", []
        for literal, slot in form:
            text += literal
            if slot in WORDS:
                word = self.word(slot, *voice)
                words.append(word)
                text += word.capitalize()
            elif slot:
                text += _SLOTS[slot](self.random)
        return text, words

    def word(self, role: str, of: Sounds, bits: int) -> str:
        shape = self.random()
        if shape < 0.45:
            return self.near(of.closed, bits) + self.near(of.after_consonant[role], bits >> 16)
        if shape < 0.6:
            return self.near(of.open, bits) + self.near(of.after_vowel[role], bits >> 16)
        return (
            self.near(of.open, bits) + self.near(of.middles, bits >> 32) + self.near(of.after_vowel[role], bits >> 16)
        )

    def near(self, items: tuple[str, ...], bits: int) -> str:
        """Return one of the items in the seed's stretch of the list."""
        size = len(items)
        return items[((bits & 0xFFFF) * size // 0x10000 + int(self.random() * self.stretch * size)) % size]

    def pick(self, items):
        return items[int(self.random() * len(items))]


def _fit(words: list[str]) -> bool:
    return not any(_UNFIT.search(word) or len(word) < 4 or word in deny_filter() for word in words)


_SLOTS: dict[str, Callable[[Callable[[], float]], str]] = {
    "number": lambda random: str(2 + int(random() * 8)),
    "model": lambda random: _LETTERS[int(random() * 17)] + str(2 + int(random() * 8)),
    "letters": lambda random: _LETTERS[int(random() * 17)] + _LETTERS[int(random() * 17)],
    "digits": lambda random: str(3000 + int(random() * 7000)),  # never like a year
}
