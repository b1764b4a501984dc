"""Names of a kind, drawn from the grammars of invented cultures."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from worldsmith.errors import NotFoundError, UsageError, close_match
from worldsmith.naming.cultures import CULTURES, Sounds, dialect, sounds
from worldsmith.naming.deny import deny_filter
from worldsmith.naming.fold import fold_name
from worldsmith.naming.kinds import KINDS, WORDS, Kind
from worldsmith.naming.twins import Twins
from worldsmith.seeding import Part, draw, rng

AVAILABLE = 500  # names of one kind that any seed and culture can give with nothing taken: the tests draw them
_PATIENCE = 300  # refusals in one list after which it draws from its cultures' whole sounds, no longer a dialect
_GIVE_UP = 20_000
_LETTERS = "BDFGHJKLMPRSTVWXZ"
_LETTER_RUN = re.compile(r"[^\W\d_]+")
_UNFIT = re.compile(  # can't be pronounced, or better isn't
    r"^.{1,3}$|(.)\1\1|[^aeiouy]{4}|[aeiou]{3}|anal|anus|cock|coon|cum|cunt|dick|fag|fuc|fuk|kkk|nazi|nig|piss|porn|rape|shit|slut|tit"
)


class Namer:
    """Names of one world, in the three cultures of `seed`. A list drawn is taken from then on.

    No two names lie within edit distance 2 when folded, none begins with another, no two bearing words lie within edit
    distance 1 (naming.twins), and no bearing word is in the filter of real names: of a person, neither the given name
    nor the family name. Every word of a name in `taken` counts as bearing.
    """

    def __init__(
        self,
        seed: Part,
        taken: Iterable[str] = (),
        kinds: Mapping[str, Kind] = KINDS,
        cultures: Sequence[str] | None = None,
    ) -> None:
        self.seed = seed
        self.kinds = kinds
        self.cultures = cultures or cultures_of_seed(seed)
        self.twins = Twins(map(fold_name, taken))
        self.dialects: dict[str, Sounds] = {}
        self.culture_of: dict[str, int] = {}
        """The names drawn, each with the place of its culture among the three."""

    def names(self, kind: str, n: int, *path: Part) -> list[str]:
        """Return `n` names of a kind and take them; the first ones do not depend on `n`.

        Raises:
            NotFoundError: an unknown kind.
            UsageError: `n` is negative or more than AVAILABLE; or too few are left beside those taken.
        """
        if kind not in self.kinds:
            raise NotFoundError(f"no names of kind {kind!r}.{close_match(kind, self.kinds)}")
        if not 0 <= n <= AVAILABLE:
            raise UsageError(f"{n} names of kind {kind!r} asked, {AVAILABLE} available: ask for 0 to {AVAILABLE}.")
        return [name for name, _ in self.names_with_words(kind, n, path)]

    def common_names(self, kind: str, n: int, size: int, *path: Part) -> list[str]:
        """Return up to `n` names of the stock that namers of every seed share, of their cultures, and take them.

        The stock at a path has `size` names of each culture: fewer than `n` are returned where the others are twins of
        names taken. Raises UsageError as `names` does.
        """
        stock = [
            (name, words, place)
            for place, culture in enumerate(self.cultures)
            for name, words in common_stock(self.kinds, kind, culture, size, *path)
        ]
        rng(self.seed, "common", kind, *path).shuffle(stock)
        chosen: list[str] = []
        for name, words, place in stock:
            if len(chosen) < n and self.take(name, words):
                chosen.append(name)
                self.culture_of[name] = place
        return chosen

    def names_with_words(self, kind: str, n: int, path: tuple[Part, ...]) -> Iterator[tuple[str, list[str]]]:
        """Yield `n` names of a kind with their bearing words, each taken."""
        voices = [self.dialect(name) for name in self.cultures]
        chance = rng(self.seed, "names", kind, "", *path)
        drawn = refused = 0
        while drawn < n:
            culture = int(chance.random() * len(voices))
            name, words = candidate_name(self.kinds[kind], voices[culture], chance.random)
            if self.take(name, words):
                drawn += 1
                self.culture_of[name] = culture
                yield name, words
                continue
            refused += 1
            if refused == _PATIENCE:
                voices = [sounds(name) for name in self.cultures]
            if refused == _GIVE_UP:
                fix = "give it more forms or syllables" if self.kinds[kind].own else "ask for fewer"
                raise UsageError(f"{n} names of kind {kind!r} asked, {drawn} available beside those taken: {fix}.")

    def dialect(self, culture: str) -> Sounds:
        """Return the sounds of a culture that this seed speaks."""
        if culture not in self.dialects:
            self.dialects[culture] = dialect(culture, draw(self.seed, "dialect", culture))
        return self.dialects[culture]

    def take(self, name: str, words: list[str]) -> bool:
        """Take a name with its bearing words, unless real, unfit or a twin of one taken; return whether it was."""
        folded, real = name.lower().replace("-", " "), deny_filter()
        for word in words:
            if word in real or _UNFIT.search(word):
                return False
        return (folded in words or folded not in real) and self.twins.take(folded, words)


def common_stock(
    kinds: Mapping[str, Kind], kind: str, culture: str, size: int, *path: Part
) -> list[tuple[str, list[str]]]:
    """Return the names of a culture that all seeds share at a path, with their bearing words.

    The first ones do not depend on `size`.
    """
    return list(
        Namer(draw("common", culture, *path), kinds=kinds, cultures=(culture,)).names_with_words(kind, size, path)
    )


def cultures_of_seed(seed: Part) -> tuple[str, ...]:
    """Return the three cultures whose names the world of a seed bears."""
    known, bits = list(CULTURES), draw(seed, "cultures")
    return tuple(known.pop((bits >> shift) % len(known)) for shift in (0, 16, 32))


def candidate_name(kind: Kind, voice: Sounds, random: Callable[[], float]) -> tuple[str, list[str]]:
    """Return a name of one of a kind's forms in a culture's sounds, and its bearing words in lower case."""
    text, words = "", []
    places: list[int] = []
    for literal, slot in kind.forms[int(random() * len(kind.forms))]:
        text += literal
        if slot in WORDS:
            word = _word(slot, voice, random)
            words.append(word)
            places.append(len(text))
            text += word.capitalize()
        elif slot in kind.syllables:
            places.append(len(text))
            word = "".join(part[int(random() * len(part))] for part in kind.syllables[slot])
            text += word if text[-1:].isalpha() else word[:1].upper() + word[1:]
        elif slot in kind.parts:
            text += kind.parts[slot][int(random() * len(kind.parts[slot]))]
        elif slot:
            text += _SLOTS[slot](random)
    if kind.own:  # what stands without a gap beside an invented word is a part of it
        words = [
            run[0].lower() for run in _LETTER_RUN.finditer(text) if any(run.start() <= p < run.end() for p in places)
        ]
    return text, words


def _word(role: str, voice: Sounds, random: Callable[[], float]) -> str:
    shape = random()
    if shape < 0.5:
        heads, ends = voice.closed, voice.after_consonant[role]
        return heads[int(random() * len(heads))] + ends[int(random() * len(ends))]
    heads, ends, middles = voice.open, voice.after_vowel[role], voice.middles
    middle = middles[int(random() * len(middles))] if shape > 0.7 else ""
    return heads[int(random() * len(heads))] + middle + ends[int(random() * len(ends))]


_SLOTS: dict[str, Callable[[Callable[[], float]], str]] = {
    "number": lambda random: str(2 + int(random() * 8)),
    "model": lambda random: _LETTERS[int(random() * 17)] + str(2 + int(random() * 8)),
    "letters": lambda random: _LETTERS[int(random() * 17)] + _LETTERS[int(random() * 17)],
    "digits": lambda random: str(3000 + int(random() * 7000)),  # never like a year
}
