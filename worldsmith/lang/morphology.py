"""English words as sentences need them: articles, plurals, labels inside a sentence, what a column's phrase is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_HEAD_ENDS = re.compile(r"\b(of|in|to|per|by|for|from|on|at|with|since|using|listed|sold|held|kept|made|won)\b|\(")
_SINGULAR_S = ("ss", "us", "is")
_DETERMINER = re.compile(r"(a|an|the) ", re.IGNORECASE)
_PARTICIPLE = re.compile(r"(\w+(ed|en|wn|rn|lt|ld|ht|nt|un|de|id|ung|ost)|lit|set|cut|put|shut|won)\b")
_LEADING = re.compile(r"(of|in|to|by|for|from|on|at|with|under)\b")
_OPEN = re.compile(r"(^|\s)(of|in|to|by|for|from|on|at|with|under|upon|into|ending|until|since|year)$")
_VOWEL = re.compile(r"(?!uni(?![nm])|use|usu|eu|ewe|one\b|once\b)[aeiou]|hour|honest|honou?r|heir")
_SPELLED = re.compile(r"[AEFHILMNORSX]")
_ODD = re.compile(r"[()]|\b(since|kept|let|using|sold|held|reached|won)\b", re.IGNORECASE)
_AFTER_HEAD = re.compile(
    rf"{_PARTICIPLE.pattern}|found|lost|as|until|under|then|there|before|after|between|without|within|over|abroad|a"
)
_GERUND = re.compile(r"\w+ing\b")
ACTIVE_VERBS: Final = {
    "opened": "open",
    "closed": "close",
    "arrived": "arrive",
    "left": "leave",
    "departed": "depart",
    "died": "die",
    "retired": "retire",
    "joined": "join",
    "started": "start",
    "began": "begin",
    "ended": "end",
    "expired": "expire",
    "lapsed": "lapse",
    "sailed": "sail",
    "appeared": "appear",
    "moved": "move",
    "resigned": "resign",
    "came": "come",
    "went": "go",
    "fell": "fall",
    "sank": "sink",
    "landed": "land",
    "matured": "mature",
    "premiered": "premiere",
}
"""Past tense and base of what happens of itself: "opened on", not "was opened on"."""
_ACTIVE = re.compile(rf"({'|'.join(ACTIVE_VERBS)})\b")


@dataclass(frozen=True, slots=True)
class Says:
    """What a column's phrase is, so that pages and questions put it into sentences alike."""

    open: bool
    """A value comes straight after it: "sold by", "in the year"."""
    leading: bool
    """It starts with a preposition: "for the quarter"."""
    determined: bool
    """A noun with its article: "a battery"."""
    participle: bool
    """It starts with what was done: "announced"."""
    gerund: bool
    """It starts with, or leads up to, what is being done: "expiring", "for the quarter ending"."""
    active: bool
    """It starts with a past tense of what happens of itself, and no value comes straight after it: "joined"."""


@lru_cache(maxsize=4096)
def says(phrase: str) -> Says:
    """Return what a column's phrase is."""
    open_ = _OPEN.search(phrase) is not None
    return Says(
        open_,
        _LEADING.match(phrase) is not None,
        _DETERMINER.match(phrase) is not None,
        _PARTICIPLE.match(phrase) is not None,
        _GERUND.match(phrase) is not None or (open_ and phrase.endswith("ing")),
        not open_ and _ACTIVE.match(phrase) is not None,
    )


def did_not(phrase: str) -> str:
    """Return the opposite of an active phrase: "left there" gives "did not leave there"."""
    return _ACTIVE.sub(lambda verb: f"did not {ACTIVE_VERBS[verb[1]]}", phrase, count=1)


def article(noun: str) -> str:
    """Return the noun with "a" or "an", as it is spoken: an hour, a unit, an RPG."""
    first = noun.split(" ", 1)[0]
    vowel = _SPELLED.match(first) if first.isupper() and len(first) > 1 else _VOWEL.match(first.lower())
    return f"{'an' if vowel else 'a'} {noun}"


def lower(label: str) -> str:
    """Return a label as it stands inside a sentence: "Launch price" small, "RAM" and "GDP share" as they are."""
    first = label.split(" ", 1)[0]
    return label if any(c.isupper() or c.isdigit() for c in first[1:]) else label[:1].lower() + label[1:]


def plural(label: str) -> bool:
    """Tell whether the head noun of a label is a plural: "Units sold", "Foldable phones", not "Battery"."""
    head = _HEAD_ENDS.split(label, maxsplit=1)[0].split()
    while len(head) > 1 and head[-1].endswith("ed"):
        head.pop()
    return bool(head) and head[-1].endswith("s") and not head[-1].endswith(_SINGULAR_S)


def term(label: str) -> str:
    """Return a label as a sentence names it: a noun as it stands inside one, other words in quotes."""
    form, words = says(lower(label)), label.split()
    odd = form.participle or form.gerund or form.leading or len(words) > 3 or _ODD.search(label)
    return f'"{label}"' if odd else lower(label)


def listing(parts: Sequence[str], joint: str = "and") -> str:
    """Return "a", "a and b", "a, b and c", or these with another joint."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {joint} {parts[-1]}"


def pluralized(noun: str) -> str:
    """Return a noun in the plural: "towns", "companies", "branches"; one that is a plural as it is."""
    if plural(noun):
        return noun
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def singular_unit(unit: str) -> str:
    """Return a unit as it follows 1: "year", "crown"; abbreviations ("s", "nmi", "GB") as they are."""
    return unit[:-1] if len(unit) > 3 and unit.endswith("s") and not unit.endswith(("ss", "ches", "shes")) else unit


def singular(label: str) -> str:
    """Return a label whose head noun is a plural with that noun in the singular, "" for others.

    "faults found" is "fault found", "calls with salt" is "call with salt"; "floor area" has none.
    """
    words = label.split()
    end = next(
        (i for i, word in enumerate(words) if i and (_HEAD_ENDS.match(word) or _AFTER_HEAD.fullmatch(word))), None
    )
    head, rest = words[:end], words[len(words[:end]) :]
    if not head or not head[-1].endswith("s") or head[-1].endswith(_SINGULAR_S):
        return ""
    return " ".join([*head[:-1], _without_s(head[-1]), *rest])


def _without_s(noun: str) -> str:
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    return noun[:-2] if noun.endswith(("ches", "shes", "sses", "xes")) else noun[:-1]
