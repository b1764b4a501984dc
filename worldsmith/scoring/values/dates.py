"""Dates as people write them, read into the days that are meant.

ISO order and month names are read as they stand. Of "03/04/2020" both orders are readings, unless only one is a date;
of "3 Apr 20" and "Apr '20" both centuries. A two-digit year beside a month in digits is not read.
"""

import re
from calendar import monthrange
from datetime import date

from .asides import denies, is_remark
from .reading import Reading

LONGEST = 80
MONTH_NAMES = (
    "january jan januar janvier enero",
    "february feb februar fevrier febrero",
    "march mar maerz marz mars marzo",
    "april apr avril abril",
    "may mai mayo",
    "june jun juni juin junio",
    "july jul juli juillet julio",
    "august aug aout agosto",
    "september sep sept septembre septiembre",
    "october oct oktober okt octobre octubre",
    "november nov novembre noviembre",
    "december dec dezember dez decembre diciembre",
)
MONTHS = tuple(names.split()[0].capitalize() for names in MONTH_NAMES)
"""As they are written: "January"."""
_MONTHS = {name: number for number, line in enumerate(MONTH_NAMES, start=1) for name in line.split()}
_M = r"(?P<m>[a-z]{3,10})\.?"
_Y = r"(?:a\.?d\.? ?)?(?P<y>\d{3,4})"
_Y2 = r"(?P<y>\d{2})"
_D = r"(?P<d>\d{1,2})(?:st|nd|rd|th|\.)?"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:[ap]\.?m\.?)?(?:\s?z|\s?utc|\s?gmt|[+-]\d{2}:?\d{2})?"
_END = rf"(?:[t ,]+(?:at )?{_CLOCK})?"
_ISO = re.compile(rf"{_Y}(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}}){_END}")
_ISO_MONTH = re.compile(rf"(?P<y>\d{{4}})[-/.](?P<m>\d{{1,2}}){_END}|(?P<y2>\d{{3}})-(?P<m2>\d{{2}})")
_COMPACT = re.compile(r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})")
_DAY_FIRST = re.compile(rf"(?:the )?{_D}(?: of)?[ -/]?\s?{_M}(?: of)?[ ,-/]\s?{_Y}{_END}")
_MONTH_FIRST = re.compile(rf"{_M}[ -/]?\s?(?:the )?{_D},?[ -/]\s?{_Y}{_END}")
_YEAR_FIRST = re.compile(rf"{_Y}[ ,-/]\s?{_M}[ -/]?\s?{_D}{_END}")
_MONTH = re.compile(rf"{_M}(?: of)?[ ,-/]\s?{_Y}|(?P<y2>\d{{3,4}})[ ,-/]\s?(?P<m2>[a-z]{{3,10}})\.?")
_NUMERIC = re.compile(rf"(?P<a>\d{{1,2}})(?P<sep>[-/.])\s?(?P<b>\d{{1,2}})(?P=sep)\s?{_Y}{_END}")
_SHORT_YEARS = (
    re.compile(rf"(?:the )?{_D}(?: of)?[ -/]?\s?{_M}(?: of)?[ ,-/]?\s?'?{_Y2}{_END}"),
    re.compile(rf"{_M}[ -/]?\s?(?:the )?{_D},?[ -/]\s?'?{_Y2}{_END}"),
    re.compile(rf"{_M}(?: of)?[ ,-/]?\s?'{_Y2}(?P<d>)"),
)
_CJK = re.compile(r"(?P<y>\d{3,4})年(?:(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})[日号])?)?")
_YEAR = re.compile(rf"(?:the year |year |fy ?|ce )?{_Y}")
_WHOLE = re.compile(r"([0-9]{4})\.0{1,3}")  # a year that a spreadsheet took for a number
_QUARTER = re.compile(r"(?:q(?P<q>[1-4])[ ,-/]?\s?(?P<y>\d{4})|(?P<y2>\d{4})[ ,-/]?\s?q(?P<q2>[1-4]))")
_DECADE = re.compile(r"(?:the )?(?P<y>\d{3}0)'?s")
_LEAD = re.compile(
    r"(?:on|in|since|from|as of|dated|circa|c\.|ca\.|about|around|approx\.?|approximately|~|≈)\s*|"
    r"(?:mon|tues?|wed|wednes|thu|thurs?|fri|sat|satur|sun)(?:day)?\.?,?\s+"
)
_ERA = re.compile(r"(?<=\d)\s?(?:a\.?d|c\.?e)$")
_ASIDE = re.compile(r"\s*\(([^()]*)\)$")
_SIGNS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2013\u2212\uff0d", "-")
    | dict.fromkeys("\u2018\u2019\u02bc\xb4", "'")
    | {"\uff0f": "/", "\uff0e": ".", "\xe9": "e", "\xfb": "u", "\xe4": "a"}
)


def read_date(span: str) -> tuple[Reading, ...]:
    """Return the readings of a span that is a date, a month, a quarter, a year or a decade; day ordinals."""
    if len(span) == 10 and span.isascii() and span[4] == "-" and span[7] == "-":
        try:
            day = date.fromisoformat(span).toordinal()
        except ValueError:
            return ()
        return (Reading("date", day, day, day),)
    if len(span) > LONGEST:
        return ()
    text = _tidy(span)
    if aside := _ASIDE.search(text):
        return _agreeing(_readings(text[: aside.start()]), aside[1])
    return _readings(text)


def _readings(text: str) -> tuple[Reading, ...]:
    for pattern, reader in _PATTERNS:
        match = pattern.fullmatch(text)
        if match:
            readings = reader(match)
            if readings:
                return readings
    return ()


def _agreeing(readings: tuple[Reading, ...], aside: str) -> tuple[Reading, ...]:
    """Keep the readings that an aside leaves: those within the date it holds, all beside a remark, none if denied."""
    if denies(aside):
        return ()
    held = read_date(aside)
    if not held:
        return readings if is_remark(aside) else ()
    return tuple(r for r in readings if any(_within(r, other) for other in held))


def _within(one: Reading, other: Reading) -> bool:
    ends = (one.lo, one.hi, other.lo, other.hi)
    return None not in ends and other.lo <= one.lo and one.hi <= other.hi  # type: ignore[operator]  # days, all four


def read_year(span: str) -> tuple[Reading, ...]:
    """Return the readings of a span as a year: written alone, or the year of a date."""
    if len(span) == 4 and span.isascii() and span.isdigit():
        return (Reading("year", int(span), int(span), int(span)),)
    if whole := _WHOLE.fullmatch(span.strip()):
        return read_year(whole[1])
    years = {
        (date.fromordinal(int(r.lo)).year, date.fromordinal(int(r.hi)).year) for r in read_date(span) if r.lo and r.hi
    }
    return tuple(Reading("year", lo, hi, lo if lo == hi else None) for lo, hi in sorted(years))


def _tidy(span: str) -> str:
    text = " ".join(span.translate(_SIGNS).casefold().split()).strip("*_`'\"., ")
    while match := _LEAD.match(text):
        text = text[match.end() :]
    if not text.isascii():
        text = "".join(str(int(c)) if c.isdecimal() else c for c in text)
    return _ERA.sub("", text)


def _day(year: str, month: str | int, day: str) -> tuple[Reading, ...]:
    number = _MONTHS.get(month, 0) if isinstance(month, str) and not month.isdigit() else int(month)
    try:
        ordinal = date(int(year), number, int(day)).toordinal()
    except ValueError:
        return ()
    return (Reading("date", ordinal, ordinal, ordinal),)


def _month(year: str, month: str | int, last: int = 0) -> tuple[Reading, ...]:
    number = _MONTHS.get(month, 0) if isinstance(month, str) and not month.isdigit() else int(month)
    end = last or number
    if not (1 <= number <= 12 and int(year)):
        return ()
    low = date(int(year), number, 1).toordinal()
    return (Reading("date", low, date(int(year), end, monthrange(int(year), end)[1]).toordinal(), None),)


def _named(match: re.Match[str]) -> tuple[Reading, ...]:
    return _day(match["y"], match["m"], match["d"])


def _named_month(match: re.Match[str]) -> tuple[Reading, ...]:
    return _month(match["y"] or match["y2"], match["m"] or match["m2"])


def _numeric(match: re.Match[str]) -> tuple[Reading, ...]:
    day_first = _day(match["y"], match["b"], match["a"])
    month_first = _day(match["y"], match["a"], match["b"])
    return tuple(dict.fromkeys((*day_first, *month_first)))


def _short(match: re.Match[str]) -> tuple[Reading, ...]:
    years = (century + match["y"] for century in ("19", "20"))
    return tuple(reading for year in years for reading in _of_year(match, year))


def _of_year(match: re.Match[str], year: str) -> tuple[Reading, ...]:
    return _day(year, match["m"], match["d"]) if match["d"] else _month(year, match["m"])


def numeric_orders(span: str) -> tuple[bool, bool] | None:
    """Return whether a date in digits, "03/04/2020", can be read day first and month first; None for anything else."""
    match = _NUMERIC.fullmatch(_tidy(span)) if len(span) <= LONGEST else None
    if not match:
        return None
    return bool(_day(match["y"], match["b"], match["a"])), bool(_day(match["y"], match["a"], match["b"]))


def by_order(span: str, *, day_first: bool) -> str:
    """Return a date in digits as an ISO date by the order of its column, anything else as it is."""
    match = _NUMERIC.fullmatch(_tidy(span)) if len(span) <= LONGEST else None
    if not match:
        return span
    return _iso_text(_day(match["y"], *((match["b"], match["a"]) if day_first else (match["a"], match["b"])))) or span


def full_year(span: str, first: int) -> str:
    """Return "3 Apr 20" with its year in full, of the hundred years from `first`, anything else as it is."""
    text = _tidy(span) if len(span) <= LONGEST else ""
    text, aside = (text[: at.start()], at[0]) if (at := _ASIDE.search(text)) else (text, "")
    short = next(filter(None, (pattern.fullmatch(text) for pattern in _SHORT_YEARS)), None)
    if not short:
        return span
    days = _of_year(short, str(first + (int(short["y"]) - first) % 100))
    return (_iso_text(days)[: 10 if short["d"] else 7] + aside) if days else span


def _iso_text(days: tuple[Reading, ...]) -> str:
    return date.fromordinal(int(days[0].lo)).isoformat() if days and days[0].lo else ""


def _cjk(match: re.Match[str]) -> tuple[Reading, ...]:
    if match["d"]:
        return _day(match["y"], match["m"], match["d"])
    return _month(match["y"], match["m"]) if match["m"] else _month(match["y"], 1, 12)


def _year(match: re.Match[str]) -> tuple[Reading, ...]:
    return _month(match["y"], 1, 12)


def _quarter(match: re.Match[str]) -> tuple[Reading, ...]:
    last = 3 * int(match["q"] or match["q2"])
    return _month(match["y"] or match["y2"], last - 2, last)


def _decade(match: re.Match[str]) -> tuple[Reading, ...]:
    low, high = _month(match["y"], 1, 12), _month(str(int(match["y"]) + 9), 1, 12)
    return (Reading("date", low[0].lo, high[0].hi, None),) if low else ()


_PATTERNS = (
    (_ISO, _named),
    (_ISO_MONTH, _named_month),
    (_COMPACT, lambda match: _day(match["y"], match["m"], match["d"])),
    (_DAY_FIRST, _named),
    (_MONTH_FIRST, _named),
    (_YEAR_FIRST, _named),
    (_MONTH, _named_month),
    (_NUMERIC, _numeric),
    *((pattern, _short) for pattern in _SHORT_YEARS),
    (_CJK, _cjk),
    (_YEAR, _year),
    (_QUARTER, _quarter),
    (_DECADE, _decade),
)
