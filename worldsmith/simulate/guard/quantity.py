"""Numbers and dates in a text, and which cells they state.

Extraction is wide (every digit and number word belongs to some quantity), judgement is narrow: a quantity
stands only if `scoring.is_truthful` says so of a cell, or one of the derivations below does.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Literal, NamedTuple

from worldsmith import scoring
from worldsmith.schema import Value
from worldsmith.scoring.values.dates import MONTH_NAMES
from worldsmith.scoring.values.number_words import NUMBER_WORDS, TENS, UNDER_TWENTY
from worldsmith.scoring.values.units import MAGNITUDES, unit_named
from worldsmith.simulate.guard.text import Span, clean, lowered

Hedge = Literal["", "about", "near", "over", "under"]
Kind = Literal["number", "date", "year", "decade", "century", "ordinal", "season"]
"""A season is a month or a season of no year."""


_SHORT_MONTHS = "jan feb mar apr jun jul aug sept sep oct nov dec"
MONTHS = [*(names.split()[0] for names in MONTH_NAMES), *_SHORT_MONTHS.split(" ")]
_FIRST_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS = _FIRST_ORDINALS.split(" ")
_TEENS = "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
CENTURIES = {word: n for n, word in enumerate([*_ORDINALS, *_TEENS.split(" ")], 1)}
SMALL = {word: n for n, word in enumerate(UNDER_TWENTY)} | {"dozen": 12}
ORDINALS = {word: n for n, word in enumerate(_ORDINALS, 1)}
_MONTHS = sorted({m for names in MONTH_NAMES for m in names.split()}, key=len, reverse=True)
"""Every name of a month that the scorer reads, longest first."""
_MONTH = "(?:" + "|".join(_MONTHS) + r")\b\.?"
DECADES = {"noughties": 0, "tens": 10} | {f"{word.removesuffix('y')}ies": 10 * n for n, word in enumerate(TENS, 2)}
_SEASONS = {"spring": (3, 4, 5, 6), "summer": (6, 7, 8, 9), "autumn": (9, 10, 11, 12), "winter": (12, 1, 2, 3)}
_NAMED_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_WITHIN = re.compile(
    r"\b(?:in|of|since|until|till|by|during|every|each|one|last|next|this|from|through|early|mid|late|around|before|after)"
    r"[\s-](?:the\s)?(?:month\sof\s)?$",
    re.IGNORECASE,
)
"""What stands before a month or a season, some of whose names are common words."""
_COMMON_MONTHS = frozenset(("may", "march", "mar", "dec", "sep", "jan"))
_WORD = "(?:" + "|".join(sorted(NUMBER_WORDS - {"trillion"})) + r")\b"
# Over text in lower case; each half is tried only where it can start, which is what makes the pattern fast.
_QUANTITY = re.compile(
    rf"""(?=[\d'$€£¥+-]) (?:
      (?P<date>\d{{4}}-\d{{1,2}}-\d{{1,2}}(?![\d-]) | \d{{4}}/\d{{1,2}}/\d{{1,2}}(?!\d)
        | \d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?:,?\s(?:of\s)?'?\d{{2,4}}\b)?
        | \d{{1,2}}(?P<sep>[./-])\d{{1,2}}(?P=sep)(?:\d{{4}}|\d{{2}})(?!\d) | \d{{4}}-\d{{2}}(?![\d-]))
      | (?P<century>\d{{1,2}}(?:st|nd|rd|th)[\s-]century)
      | (?P<decade>(?:\d{{4}}|'?\d0)'?s\b)
      | (?P<ordinal>\d{{1,3}}(?:st|nd|rd|th)\b)
      | (?P<number>(?:[$€£¥]\s?)?(?:(?<![\w.])[-+])?
          (?:\d{{1,3}}(?:\s\d{{3}})+(?!\d) | \d[\d.,'_]*\d | \d)(?:e[-+]?\d+)?)
    ) | (?<![a-z]) (?=[a-z]) (?:
      (?P<wdate>{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b(?![.,]?\d)(?:,?\s\d{{4}}\b)? | {_MONTH},?\s(?:of\s)?\d{{4}}\b
        | q[1-4](?:\sof)?\s\d{{4}}\b | (?:first|second|third|fourth)\squarter\sof\s\d{{4}}\b)
      | (?P<wdecade>(?:(?:early|mid|late)[\s-](?:to[\s-](?:mid|late)[\s-])?)?(?:(?:nine|eight|seven|six)teen[\s-])?
          (?:{"|".join(DECADES)})\b | (?:early|mid|late)[\s-](?:\d{{4}}|'?\d0)'?s\b)
      | (?P<wcentury>(?:{"|".join(CENTURIES)})[\s-]century)
      | (?P<wseason>{_NAMED_MONTH} | (?:{"|".join(_SEASONS)})\b)
      | (?P<wordinal>(?:{"|".join(_ORDINALS)})\b)
      | (?P<wnumber>{_WORD}(?:(?:\s|-|\sand\s|\sa\s){_WORD})*)
    )""",
    re.VERBOSE,
)
_AREA = re.compile(r"\s?-?(?:square|sq\.?)[\s-](kilo)?(?:m|met(?:er|re)s?|(k)m|(f)(?:eet|oot|t))\b", re.IGNORECASE)
_UNIT = re.compile(r"\s?-?(%|°C|°F|[A-Za-z]{1,14}(?:/[a-z]{1,2})?[23]?(?![\w]))")
_THEN = re.compile(r"\s([^\W\d_]+)(?:[\s-]([^\W\d_]+))?(?:[\s-]([^\W\d_]+))?")
_SECOND = re.compile(r"\s([A-Za-z]{1,14})(?![\w])")
_HEDGE = re.compile(
    r"\b(?:about|around|roughly|(?P<near>nearly|almost)|approximately|approx\.?|some|circa|ca\.?|c\.|close to|"
    r"in the region of|just (?:over|under|above|below|shy of)|"
    r"(?P<over>(?:not|no) (?:less|fewer) than|over|above|more than|at least|upwards of|exceeding|beyond)|"
    r"(?P<under>(?:not|no) more than|under|below|less than|fewer than|at most|up to|short of))"
    r"\s(?:the\s|a\s|[$€£]\s?)?$|~\s?$",
    re.IGNORECASE,
)
_HEDGES: dict[str | None, Hedge] = {None: "about", "near": "near", "over": "over", "under": "under"}
_KINDS: dict[str, Kind] = {
    prefix + kind: kind for kind in ("number", "date", "decade", "century", "ordinal", "season") for prefix in ("", "w")
}
_YEAR = re.compile(r"1[0-9]{3}|2[01][0-9]{2}")


class Quantity(NamedTuple):
    """A number or date as written, its unit's words, and whether it is hedged."""

    kind: Kind
    span: Span
    text: str
    unit: str = ""
    hedge: Hedge = ""
    next: str = ""
    """The word after it, in lower case: what it counts, if it counts."""
    then: tuple[str, ...] = ()
    """The two words after its unit or that word: "12 registered residents", "500 EUR budget"."""

    @property
    def full(self) -> str:
        """The number with its unit."""
        return f"{self.text} {self.unit}" if self.unit else self.text

    @property
    def small(self) -> int | None:
        """The whole number up to 12 that this is, in digits or words; None for others."""
        if self.kind == "ordinal":
            bare = self.text.lower().rstrip("stndrh") if self.text[0].isdigit() else ""
            n = int(bare) if bare else ORDINALS[self.text.lower()]
        elif self.kind == "number":
            n = SMALL.get(self.text.lower(), int(self.text) if self.text.isdigit() and len(self.text) < 3 else 99)
        else:
            return None
        return n if n <= 12 else None


@lru_cache(maxsize=4096)
def _is_unit(word: str) -> bool:
    # "for 470 in cash" has no inches
    return word not in ("in", "a", "at") and (unit_named(word) is not None or word.lower() in MAGNITUDES)


def quantities(text: str, taken: list[Span] | tuple[Span, ...] = ()) -> list[Quantity]:
    """Return the quantities of a cleaned text outside the spans of `taken`."""
    counted: list[Quantity] = []
    for match in _QUANTITY.finditer(lowered(text)):
        start, end = match.span()
        if counted and start < counted[-1].span[1]:
            continue  # a magnitude that the number before it took
        if any(a < end and start < b for a, b in taken):
            continue
        if match["wseason"] and not _is_season(text, start, match["wseason"]):
            continue
        counted.append(_quantity(match, text, taken))
    return _added(counted, text)


def _is_season(text: str, start: int, name: str) -> bool:
    """Whether the name of a month or season means one: "May" may open a sentence, "march" be a verb."""
    if _WITHIN.search(text, max(0, start - 24), start):
        return True
    bare = name.rstrip(".")
    return text[start].isupper() and bare not in _COMMON_MONTHS and bare not in _SEASONS


def _added(counted: list[Quantity], text: str) -> list[Quantity]:
    """Put hours and minutes together, as the scorer does: "2 hours and 8 minutes" is 128 minutes."""
    out: list[Quantity] = []
    for quantity in counted:
        last = out[-1] if out else quantity
        between = text[last.span[1] : quantity.span[0]]
        if between in (" ", ", ", " and ") and _HOURS.fullmatch(last.unit) and _MINUTES.fullmatch(quantity.unit):
            hours, minutes = _whole(last), _whole(quantity)
            if hours is not None and minutes is not None:
                span = (last.span[0], quantity.span[1])
                out[-1] = quantity._replace(span=span, text=str(60 * hours + minutes), unit="min", hedge=last.hedge)
                continue
        out.append(quantity)
    return out


_HOURS, _MINUTES = re.compile(r"h|hrs?|hours?", re.IGNORECASE), re.compile(r"m|mins?|minutes?", re.IGNORECASE)


def _whole(quantity: Quantity) -> int | None:
    return int(quantity.text) if quantity.text.isdigit() else SMALL.get(quantity.text.lower())


def _quantity(match: re.Match[str], text: str, taken: list[Span] | tuple[Span, ...]) -> Quantity:
    start, end = match.span()
    kind: Kind = _KINDS[match.lastgroup or "number"]
    body = text[start:end]
    unit, follows = "", ""
    area = _AREA.match(text, end) if kind == "number" else None
    after = None if area else _UNIT.match(text, end)
    if area:
        unit = "ft2" if area.group(3) else "km2" if area.group(1) or area.group(2) else "m2"
        end = area.end()
    if after:
        follows = after.group(1).lower()
        free = not any(a < after.end() and after.start(1) < b for a, b in taken)
        if free and kind == "number" and _is_unit(after.group(1)):
            unit, end = after.group(1), after.end(1)
            second = _SECOND.match(text, after.end())
            if (
                second
                and _is_unit(second.group(1))
                and second.group(1).lower() not in ("in", "a", "m", "b", "t", "h", "d")
            ):
                unit, end = f"{unit} {second.group(1)}", second.end(1)
    if kind == "number" and not unit and _YEAR.fullmatch(body):
        kind = "year"
    hedge = _HEDGE.search(text, max(0, start - 24), start)
    how: Hedge = _HEDGES[hedge.lastgroup] if hedge else ""
    words = _THEN.match(text, end)
    then = tuple(w.lower() for w in words.groups() if w) if words else ()
    return Quantity(kind, (start, end), body, unit, how, follows, then)


_POWER = re.compile(r"\s?[x*·]\s?10(?:\^|\*\*)?\s?\(?[-+]?\s?")


def joined_quantities(text: str, counted: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield what neighbouring quantities say together, where a scorer reads them as one: "2-Nov-1991", "1.8 x 10^3"."""
    for first in range(len(counted) - 1):
        for last in range(first + 1, min(first + 3, len(counted))):
            start, end = counted[first].span[0], counted[last].span[1]
            if end - start > _LONGEST_JOINED:
                break
            between = text[counted[first].span[1] : counted[last].span[0]]
            month = _MONTH_BEFORE.search(text, max(0, start - 14), start)
            if month:
                start = month.start()
            elif between in ("", " ", ", ", " and ", " to ", " or ", "; "):
                continue
            end += text[end : end + 1] in ("日", "号", "月")
            whole = text[start:end]
            if scoring.read(whole, "date"):
                yield Quantity("date", (start, end), whole)
            elif _POWER.match(between):
                yield Quantity("number", (start, end), whole)


_LONGEST_JOINED = 30
_MONTH_BEFORE = re.compile(rf"(?<![A-Za-z]){_MONTH}[\s/-]{{0,2}}$", re.IGNORECASE)


@lru_cache(maxsize=65536)
def states(quantity: Quantity, value: Value, column: scoring.Column) -> bool:
    """Whether the quantity, as an honest writer would use it, says `value`.

    Exactly, rounded after a hedge, over or under by at most 10%, in another unit; a date also by its month, year,
    decade or century.
    """
    if value is None or isinstance(value, bool):
        return False
    hedged = quantity.hedge in ("about", "near")
    if quantity.hedge == "near" and states(quantity._replace(hedge="under"), value, column):
        return True
    if quantity.hedge in ("over", "under") and not quantity.unit and quantity.small == value:
        return True  # "over five screenings", "no more than twelve persons"
    if column.kind == "date":
        return _states_date(quantity, str(value), column, hedged)
    if column.kind not in ("int", "num"):
        return False
    if quantity.kind == "decade":  # "in her thirties"
        return column.unit == "years" and DECADES.get(quantity.text.lower()) == int(value) // 10 * 10
    if quantity.kind == "ordinal":
        return isinstance(value, int) and (quantity.small or _digits(quantity.text)) == value
    if quantity.kind not in ("number", "year"):
        return False
    own = quantity.unit == clean(column.unit)  # then the number alone says it, whatever the unit's spelling
    if quantity.text[0] in "$€£¥" and not _measures(column):
        return False
    if quantity.unit and not _measures(column) and quantity.unit.lower() not in MAGNITUDES:
        return False  # a column without a unit holds no kilograms
    written = quantity.text if own else quantity.full
    scale = MAGNITUDES.get(column.unit.lower()) if not quantity.unit and isinstance(value, int) else None
    if scale and re.sub(r"[,\s]", "", quantity.text) == str(value * 10**scale):
        return True  # "25,032,000" under "thousand"
    if quantity.hedge in ("over", "under"):
        written = f"{quantity.hedge} {written}"
    return any(scoring.is_truthful(reading, value, column, hedged) for reading in scoring.read(written, column.kind))


def is_exact(quantity: Quantity) -> bool:
    """Whether a quantity tells a value whole: not rounded, a date by its day."""
    if quantity.hedge:
        return quantity.hedge == "over" and quantity.small is not None
    if quantity.kind == "date":
        return all(reading.lo == reading.hi for reading in scoring.read(quantity.text, "date"))
    return quantity.kind not in ("decade", "century", "season")


@lru_cache(maxsize=1024)
def _measures(column: scoring.Column) -> bool:
    """Whether a column has a unit, of its own or in its header."""
    header = re.search(r"\(([^()]+)\)$", column.name)
    return bool(column.unit) or (header is not None and unit_named(header.group(1)) is not None)


def _digits(text: str) -> int | None:
    digits = re.sub(r"\D", "", text)
    return int(digits) if digits else None


def _states_date(quantity: Quantity, value: str, column: scoring.Column, hedged: bool) -> bool:
    if quantity.kind == "century":
        century = CENTURIES.get(re.split(r"[\s-]century", quantity.text.lower())[0]) or _digits(quantity.text)
        return (int(value[:4]) - 1) // 100 + 1 == century
    if quantity.kind == "decade":
        return _in_decade(quantity.text.lower(), int(value[:4]))
    if quantity.kind == "season":
        return int(value[5:7]) in _months(quantity.text.lower().rstrip("."))
    if quantity.kind == "year":
        return quantity.text == value[:4]
    if quantity.kind != "date":
        return False
    if quantity.text == value or (len(quantity.text) == 7 and value.startswith(quantity.text)):
        return True
    return any(scoring.is_truthful(reading, value, column, hedged) for reading in scoring.read(quantity.text, "date"))


def _in_decade(text: str, year: int) -> bool:
    """Whether a year is of the decade, or of the part of it, that "the late 1980s" or "the early sixties" names."""
    first = _digits(text)
    if first is None:
        first = next(start for word, start in DECADES.items() if text.endswith(word))
        century = next((n for word, n in _CENTURIES_BEGUN.items() if word in text), None)
        first += 100 * century if century else 0
    elif first < 1000:
        return False  # two digits name no decade
    if (year if first >= 100 else year % 100) // 10 * 10 != first:
        return False
    parts = [years for part, years in _PARTS.items() if part in text]
    return not parts or any(year % 10 in years for years in parts)


_CENTURIES_BEGUN = {"nineteen": 19, "eighteen": 18, "seventeen": 17, "sixteen": 16}
_PARTS = {"early": range(5), "mid": range(3, 8), "late": range(5, 10)}
"""The last digits of the years of a part of a decade, as loosely as people say it."""


@lru_cache(maxsize=64)
def _months(name: str) -> tuple[int, ...]:
    """Return the months that the name of a month, in full or short, or of a season means."""
    short = [month[:3] for month in MONTHS[:12]]
    return _SEASONS.get(name) or (short.index(name[:3]) + 1,)


@lru_cache(maxsize=4096)
def days_and_years(first: str, second: str) -> tuple[int, int]:
    """Return days and whole years between two ISO dates."""
    a, b = sorted((date.fromisoformat(first), date.fromisoformat(second)))
    return (b - a).days, b.year - a.year - ((b.month, b.day) < (a.month, a.day))
