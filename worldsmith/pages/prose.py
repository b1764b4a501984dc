"""Prose without a cell, made from the frames of a language: as long as it is asked for, in the voice of a site.

Pure in what it is given. Frames are read once; what they may be filled with is worked out once per table.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from worldsmith.cache import cached_method
from worldsmith.lang.english import ENGLISH, Language, Theme, Voice
from worldsmith.lang.morphology import article

LAST = 170
"""Characters left at which a sentence is chosen by its length."""
TRIES = 6
"""Sentences of which the one that fits best is chosen."""
OPENED = ("<time>", "<habit>", "For ", "In ", "After ", "Every so ", "With ", "Where ", "If ", "So ", "That ")
"""What a sentence starts with that no joint stands before."""
WIDE = 8
"""Slots that 64 bits of chance are enough for."""
FEW = 400
"""Ways to fill a frame below which it gets a tail."""
SECTION = 1300
"""Characters of a section, roughly."""
SENTENCES = (3, 4, 5, 5, 6, 7)
"""How many sentences a paragraph has, drawn."""
STEP = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_SLOT = re.compile(r"(?P<article>\b[aA] )?(?:<(?P<list>=?\w+)>|\[(?P<verbs>[^\]]+)\]|\{(?P<noun>\w+)\})")
_PLAIN = re.compile(r"(?<![\w<\[{|+'-])(?<!\ban )[a-z]+(?![\w>\]}|'-])")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def inflected(verb: str, irregular: Mapping[str, str], *, past: bool, many: bool) -> str:
    """Return a verb in the third person: "turn up" is "turns up", "turn up" of several, "turned up"."""
    head, _, rest = verb.partition(" ")
    tail = f" {rest}" if rest else ""
    if head == "be":
        return ("were" if many else "was") + tail if past else ("are" if many else "is") + tail
    if head == "have":
        return ("had" if past else "have" if many else "has") + tail
    if past:
        return irregular.get(head, _past(head)) + tail
    return (head if many else _third(head)) + tail


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}ed"


def _third(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"


Slot = tuple[str, int, int, bool]
"""List, which of how many parts of it, and whether an article stands before it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence to be filled: `text` with %s for each slot."""

    text: str
    slots: tuple[Slot, ...]
    joint: bool
    """Whether a joint may stand before it."""
    words: frozenset[str]
    """What its own words are."""


@dataclass(frozen=True, slots=True)
class Frames:
    """The frames of a theme in one tense."""

    start: tuple[Frame, ...]
    middle: tuple[Frame, ...]
    end: tuple[Frame, ...]


def grams(text: str) -> frozenset[str]:
    """Return the words of a text and what up to three of them in a row say."""
    words = _WORD.findall(text.lower())
    return frozenset(" ".join(words[i : i + n]) for n in (1, 2, 3) for i in range(len(words) - n + 1))


def _frame(line: str, language: Language, verbs: dict[str, tuple[str, ...]], *, past: bool, many: bool) -> Frame:
    """Return a frame in a tense, with one person or several as who."""
    totals: dict[str, int] = {}
    plain = line.replace("{label}", "<label>").replace("<who>", "<people>" if many else "<person>")
    for slot in _SLOT.finditer(plain):
        name = slot["list"] or slot["noun"] or ""
        totals[name] = totals.get(name, 0) + 1
    done: dict[str, int] = {}
    slots: list[Slot] = []

    def fill(slot: re.Match[str]) -> str:
        if slot["verbs"]:
            before = plain[: slot.start()]
            several = slot["verbs"].startswith("+") or before.rfind("<people>") > before.rfind("<person>")
            stems = slot["verbs"].removeprefix("+").split("|")
            inflections = tuple(inflected(s, language.irregular, past=past, many=several) for s in stems)
            name = f"!{'/'.join(inflections)}"
            verbs[name] = inflections
            slots.append((name, 0, 1, False))
            return f"{slot['article'] or ''}%s"
        name = slot["list"] or slot["noun"]
        place = done[name] = done.get(name, -1) + 1
        slots.append((name, place, totals[name], bool(slot["article"])))
        return "%s"

    text = _SLOT.sub(fill, plain)
    opened = line.startswith(OPENED)
    return Frame(text, tuple(slots), not opened, grams(_SLOT.sub(" . ", line)))


@dataclass(frozen=True)
class Grammar:
    """The frames of a language, read once."""

    language: Language

    @cached_property
    def themes(self) -> dict[str, Theme]:
        """Themes by name."""
        themes = (*self.language.neutral, *self.language.personal, *self.language.genres)
        return {theme.name: theme for theme in themes}

    @cached_property
    def _read(self) -> tuple[dict[tuple[str, bool], Frames], dict[str, tuple[str, ...]]]:
        verbs: dict[str, tuple[str, ...]] = {}
        frames = {
            (name, past): Frames(
                *(
                    tuple(self._both(lines, verbs, past=past or theme.past))
                    for lines in (theme.start, theme.middle, theme.end)
                )
            )
            for name, theme in self.themes.items()
            for past in (False, True)
        }
        return frames, verbs

    @property
    def frames(self) -> dict[tuple[str, bool], Frames]:
        """Frames by theme and whether they are in the past tense."""
        return self._read[0]

    @property
    def verbs(self) -> dict[str, tuple[str, ...]]:
        """The verbs in frames, by the name of their slot."""
        return self._read[1]

    def _varied(self, line: str) -> str:
        """Return a line with slots for words that others are like, and a tail where it could be filled in few ways."""
        alike = self.language.alike
        line = _PLAIN.sub(lambda m: f"<={m[0]}>" if m[0] in alike else m[0], line)
        ways = 1
        for slot in _SLOT.finditer(line.replace("{label}", "<label>").replace("<who>", "<person>")):
            fillings = slot["verbs"].split("|") if slot["verbs"] else self.language.lists.get(slot["list"] or "", ())
            ways *= max(1, len(fillings))
        return f"{line[:-1]}<tail>{line[-1]}" if ways < FEW and line[-1] == "." else line

    def _both(self, lines: Iterable[str], verbs: dict[str, tuple[str, ...]], *, past: bool) -> Iterator[Frame]:
        """Yield the frames about one, then about several; the verbs in them are added to `verbs`."""
        varied = tuple(map(self._varied, lines))
        for many in (False, True):
            for line in varied if not many else (line for line in varied if "<who>" in line):
                yield _frame(line, self.language, verbs, past=past, many=many)


@cache
def english_grammar() -> Grammar:
    """Return the grammar of English; reading its frames takes a while."""
    return Grammar(ENGLISH)


def mixed(x: int) -> int:
    """Return 64 bits that look drawn from `x` (the finish of splitmix64)."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


class Slots(dict[Slot, tuple[str, ...]]):
    """What each slot may be filled with on the pages of one table."""

    def __init__(self, lists: Mapping[str, tuple[str, ...]], alike: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__()
        self._lists, self._alike = lists, alike

    def __missing__(self, slot: Slot) -> tuple[str, ...]:
        name, place, of, an = slot
        fillings = self._alike.get(name[1:], ()) if name.startswith("=") else self._lists.get(name, ())
        # Each place of a list in a sentence has its own share of it: no "papers and papers".
        fillings = fillings[place::of] or fillings
        self[slot] = fillings = tuple(article(text) for text in fillings) if an else fillings
        return fillings


def _free(texts: tuple[str, ...], taken: frozenset[str]) -> tuple[str, ...]:
    return tuple(text for text in texts if taken.isdisjoint(grams(text)))


class Prose:
    """Makes sentences about the rows of one table in general, and about the page they stand on."""

    def __init__(self, nouns: Mapping[str, str], labels: tuple[str, ...], taken: frozenset[str]) -> None:
        """Find what frames may be filled with.

        Args:
            nouns: what `{one}`, `{many}` and `{about}` stand for.
            labels: the labels that may be named.
            taken: texts in small letters that no sentence may hold: they are values of the world.
        """
        self.grammar = english_grammar()
        language = self.grammar.language
        lists = {name: _free(texts, taken) for name, texts in language.lists.items()}
        alike = {name: _free(texts, taken) for name, texts in language.alike.items()}
        lists |= {name: (text,) for name, text in nouns.items()} | {"label": labels}
        self._slots = Slots(lists | self.grammar.verbs, alike)
        self._taken = taken

    @cached_method
    def frames(self, theme: str, *, past: bool) -> Frames:
        """Return the frames of a theme that may be used here."""
        every = self.grammar.frames[theme, past]
        return Frames(*(tuple(filter(self._fits, part)) for part in (every.start, every.middle, every.end)))

    def _fits(self, frame: Frame) -> bool:
        return self._taken.isdisjoint(frame.words) and all(self._slots[slot] for slot in frame.slots)

    def say(self, frame: Frame, chance: int) -> str:
        """Return a frame filled by chance, from a small letter on."""
        slots, shift = self._slots, 8
        if len(frame.slots) > WIDE:
            chance |= mixed(chance) << 64
        words = []
        for slot in frame.slots:
            options = slots[slot]
            words.append(options[(chance >> shift) % len(options)])
            shift += 7
        return frame.text % tuple(words)

    def paragraphs(self, theme: str, chance: int, room: int, voice: Voice) -> list[str]:
        """Return paragraphs on a theme that fill `room` characters, blank lines counted."""
        out: list[str] = []
        frames, turn = self.frames(theme, past=bool(chance & 1)), chance >> 4
        while room > LAST // 3:
            chance = mixed(chance + STEP)
            paragraph, turn = self._paragraph(frames, chance, turn, room, voice, first=not out)
            if not paragraph:
                break
            out.append(paragraph)
            room -= len(paragraph) + 2
        return out

    def _paragraph(
        self, frames: Frames, chance: int, turn: int, room: int, voice: Voice, *, first: bool
    ) -> tuple[str, int]:
        """Return a paragraph, and the turn of the frame that comes next: a section tells each before any twice."""
        count = SENTENCES[(chance >> 1) % len(SENTENCES)]
        out, left = "", room
        for i in range(count):
            chance = mixed(chance + i + 1)
            among = frames.middle
            if i == 0 and first:
                among = frames.start or among
            elif i == count - 1 and chance & 2:
                among = frames.end or among
            if not among:
                break
            if left < LAST:
                last = self._fitting(among, chance, left)
                return f"{out} {last}".strip(), turn + i
            joint = "" if i == 0 else voice.joints[(turn + 2 * i) % len(voice.joints)]
            sentence = self._sentence(among[(turn + i) % len(among)], chance, joint)
            out = f"{out} {sentence}" if out else sentence
            left -= len(sentence) + 1
        return out, turn + count

    def _sentence(self, frame: Frame, chance: int, joint: str = "") -> str:
        sentence = self.say(frame, chance)
        if joint and frame.joint and sentence[:2] != "I ":
            return f"{joint}{sentence[0].lower()}{sentence[1:]}"
        return sentence[0].upper() + sentence[1:]

    def _fitting(self, frames: tuple[Frame, ...], chance: int, room: int) -> str:
        """Return the sentence, of a few, that comes nearest to `room` characters; "" where leaving it out is nearer."""
        best = ""
        for i in range(TRIES):
            sentence = self._sentence(frames[(chance + i) % len(frames)], mixed(chance + i))
            if abs(len(sentence) + 3 - room) < abs(len(best) + 3 * bool(best) - room):
                best = sentence
        return best

    def heading(self, theme: str, chance: int) -> str:
        """Return a heading of a section on a theme."""
        heads = self.grammar.themes[theme].heads
        nouns = {name: self._slots[name, 0, 1, False][0] for name in ("one", "many", "about")}
        text = heads[chance % len(heads)].format(**nouns)
        return text[:1].upper() + text[1:]
