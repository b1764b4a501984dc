"""Search terms: how text is cut into them, and which words mean the same."""

import re
import unicodedata
from functools import lru_cache
from sys import intern

_TOKEN = re.compile(r"\d{4}-\d\d-\d\d|\d+(?:[.,]\d+)*(?![^\W\d_]+\d)|[^\W_]+")
STOP = frozenset(
    _TOKEN.findall(
        "a an and are as at be been by did do does for from had has have how i in into is it its me my of on or our "
        "please s she so some t than that the their them then there these they this those to was we were what when "
        "where which who whom whose why will with would you your"
    )
)
LONGEST = 64
"""Letters of a term that count."""

SYNONYMS = (
    "price cost fee charge amount sum",
    "maker brand manufacturer producer company vendor supplier",
    "begin start found open launch establish opened started founded launched established since",
    "end close finish stop closed finished ended withdrawn expire",
    "released release published printed issued announced appeared",
    "size area floor surface space",
    "length duration runtime long minutes",
    "weight heavy mass weigh heaviness",
    "height tall high tallness",
    "day date when time",
    "born birth birthday birthdate",
    "boss chief head manager lead leader superior director",
    "employee staff worker people colleague member",
    "trade profession occupation job work career",
    "position role grade rank place standing",
    "salary pay wage earning income",
    "town city village",
    "country nation nationality origin homeland",
    "rating score star mark point",
    "number count total many much",
    "address street located location road",
    "owner landlord keeper holder proprietor",
    "shop store outlet business",
    "phone smartphone handset mobile",
    "film movie picture",
    "filmmaker director",
    "chip processor soc silicon",
    "memory ram",
    "battery accumulator capacity",
    "screen display",
    "review critique test",
    "reviewer critic author writer",
    "magazine newspaper outlet paper press",
    "club team side squad",
    "coach trainer",
    "player footballer",
    "transfer signing move",
    "inspection visit check audit",
    "inspector examiner",
    "licence license permit",
    "resident inhabitant citizen",
    "department division unit office",
    "project programme plan",
    "order purchase",
    "festival event",
    "prize award honour",
    "budget fund money",
    "sold sale sell unit",
    "earned gross revenue taking",
    "mentor tutor teacher",
    "crowd attendance spectator audience",
    "stadium ground arena",
)
"""Words that mean much the same, a group a line: what a query says is read as what the world's labels say."""


def plain_text(text: str) -> str:
    """Return text in lower case without accents."""
    if text.isascii():
        return text.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=4096)
def _token(raw: str) -> str:
    return intern((raw.replace(",", "") if raw[0].isdigit() else _stem(raw))[:LONGEST])


def tokens(text: str) -> list[str]:
    """Return the search terms of a text in order: words in the singular, numbers and days whole."""
    return [_token(raw) for raw in _TOKEN.findall(plain_text(text)) if raw not in STOP]


@lru_cache(maxsize=8192)
def terms(text: str) -> tuple[str, ...]:
    """Return the terms of a field: those of its text, and the year of each day in it."""
    found = tokens(text)
    return (*found, *(intern(term[:4]) for term in found if is_day(term)))


def is_day(term: str) -> bool:
    """Whether a term is a day: 2029-03-31."""
    return len(term) == 10 and term[4] == "-"


def _meanings() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for line in SYNONYMS:
        group = [_stem(word) for word in line.split()]
        for word in group:
            found.setdefault(word, {}).update(dict.fromkeys(other for other in group if other != word))
    return {word: tuple(others) for word, others in found.items()}


MEANINGS = _meanings()
"""The other words of a word's groups, in order."""
