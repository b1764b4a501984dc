"""Canonical values, shared by scorer and guard: what a span says, how a value may be written, when the two agree.

Three rules hold throughout. A form of a value is always accepted for it. Text that can't be read is never equal to
anything, other such text included. What the scorer takes for right (`right`), `accepts` accepts in some reading of the
span, so that a guard which looks at every reading finds whatever would score.
"""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache

from .column import Column, Kind, Value
from .dates import read_date, read_year
from .numbers import INFINITE, read_number
from .reading import Number, Reading
from .text import LONGEST_CACHED, fold, plain, squash
from .units import Measure, Unit, measure, same_money, unit_named

__all__ = ["Reading", "accepts", "fold", "forms", "read", "right", "show", "states", "verdict"]

_ROUNDING = 1e-12  # what converting a unit in floating point may add; values without conversion compare exactly
_HEDGED = 0.1  # an honest "about" or "over" is within a tenth

# What stands for "there is none" in any column; a column's own filler comes beside them. An empty cell is no answer.
FILLERS = frozenset("- -- --- / n/a na none null nil nan unknown not available not applicable".split(" ")) | {
    "not available", "not applicable", "no data", "无", "—", "n a",
}  # fmt: skip


def read(span: str, kind: Kind) -> tuple[Reading, ...]:
    """Return every way to understand the span as a value of this kind; none when it can't be read.

    Markdown and HTML around the value are ignored. Text, enumerations and booleans with words of their own give one
    reading of kind "text". Of an empty span there is no reading.
    """
    return _read_cached(span, kind) if len(span) <= LONGEST_CACHED else _read(span, kind)


def _read(span: str, kind: Kind) -> tuple[Reading, ...]:
    text = plain(span, link=2 if kind == "url" else 1)
    return _READERS[kind](text) if text else ()


_read_cached = lru_cache(maxsize=1 << 16)(_read)


def _read_text(text: str) -> tuple[Reading, ...]:
    folded = fold(text)
    return (Reading("text", None, None, folded),) if folded else ()


_TRUE = frozenset("yes y true t ✓ ✔ ✔️ ✅ ☑ 1 是 有".split())
_FALSE = frozenset("no n false f ✗ ✘ ❌ ☒ × 0 否".split())


def _read_bool(text: str) -> tuple[Reading, ...]:
    word = text.casefold().strip(". ")
    if word in _TRUE:
        return (Reading("bool", None, None, 1),)
    return (Reading("bool", None, None, 0),) if word in _FALSE else _read_text(text)


_URL = re.compile(r"(?:https?://)?(?:[^\s/@]+@)?((?:[\w-]+\.)+[\w-]+|localhost)(:\d+)?(/[^\s#]*)?(?:#\S*)?", re.I)
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")


def _read_url(text: str) -> tuple[Reading, ...]:
    found = _URL.fullmatch(text.strip("<>`'\" \t\n"))
    if not found:
        return ()
    host = found[1].casefold().removeprefix("www.")
    port = "" if found[2] in (None, ":80", ":443") else found[2]
    path = _PERCENT.sub(lambda m: m[0].upper(), (found[3] or "").rstrip("/"))
    return (Reading("url", None, None, host + port + path),)


_STRONG = re.compile(r"[;；\n、|]")
_WEAK = re.compile(r"[,，、;；\n|/]|\s(?:and|&)\s")


def _read_list(text: str) -> tuple[Reading, ...]:
    """Give one reading for each way to split: at semicolons and lines, and at commas, slashes and "and" too."""
    splits = (_items(pattern.split(text)) for pattern in (_STRONG, _WEAK))
    return tuple(Reading("list", None, None, items) for items in dict.fromkeys(splits) if items)


def _items(parts: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    folded = {squash(fold(part.strip().removeprefix("and "))) for part in parts}
    return tuple(sorted(folded - {""}))


_READERS: dict[Kind, Callable[[str], tuple[Reading, ...]]] = {
    "text": _read_text,
    "enum": _read_text,
    "bool": _read_bool,
    "int": read_number,
    "num": read_number,
    "date": read_date,
    "year": read_year,
    "url": _read_url,
    "list": _read_list,
}


def accepts(reading: Reading, value: Value, col: Column) -> bool:
    """Whether this reading, alone, is right for the value: the scorer's rule, and so what a leak is.

    A reading of an interval ("March 2029", "between 5 and 6") is right if all of it is within the tolerance.
    Values that aren't of their column's kind (a date column holding "Spring term") are compared as text.
    """
    if reading.kind == "text":
        return squash(str(reading.point)) in names(value, col)
    if value is None:
        return False
    if reading.kind == "num":
        wanted = _wanted(reading.unit, value, col)
        return wanted is not None and _near(reading, wanted[0], col.tolerance * abs(wanted[0]) + wanted[1])
    if reading.kind == "date":
        day = ordinal(value) if col.kind == "date" else None
        return day is not None and _near(reading, day, col.tolerance)
    if reading.kind == "year":
        return col.kind == "year" and reading.point is not None and reading.point == _year(value)
    if reading.kind == "bool":
        return col.kind == "bool" and isinstance(value, bool) and reading.point == value
    if reading.kind == "url":
        return col.kind == "url" and reading in read(str(value), "url")
    return col.kind == "list" and reading.point == _wanted_items(value)


def _near(reading: Reading, wanted: Number, slack: float) -> bool:
    if reading.point is not None:
        return abs(reading.point - wanted) <= slack  # type: ignore[operator]  # numbers and days have number points
    return abs(reading.lo - wanted) <= slack and abs(reading.hi - wanted) <= slack  # type: ignore[operator]


def states(reading: Reading, value: Value, col: Column, hedge: bool) -> bool:
    """Whether an honest writer who knows the value may say this: the truth, in other words or less of it.

    Beside the value itself: a month, quarter, year or decade that holds the date; a range that holds the number;
    "over" and "under" within a tenth; the number in another unit at the precision written; and after a hedge
    ("about") the number rounded, within a tenth. The column's tolerance plays no part: it forgives, it isn't true.
    """
    if reading.kind == "date":
        day = ordinal(value) if col.kind == "date" else None
        return day is not None and reading.lo <= day <= reading.hi  # type: ignore[operator]
    if reading.kind == "year":
        year = _year(value) if col.kind == "year" else None
        return year is not None and reading.lo <= year <= reading.hi  # type: ignore[operator]
    if reading.kind != "num":
        return accepts(reading, value, col)
    wanted = _wanted(reading.unit, value, col) if value is not None else None
    if wanted is None:
        return False
    number, slack = wanted
    lo, hi = reading.lo, reading.hi
    assert lo is not None and hi is not None  # numbers have both ends
    if reading.point is None:
        if hi == INFINITE or lo == -INFINITE:
            end = lo if hi == INFINITE else hi
            return lo <= number <= hi and abs(number - end) <= _HEDGED * abs(number)
        return lo <= number <= hi
    point = reading.point
    assert isinstance(point, int | float)
    if abs(point - number) <= slack:
        return True
    rounded = hedge or slack > 0  # nobody converts units without rounding
    return rounded and lo <= number <= hi and abs(point - number) <= _HEDGED * abs(number)


def right(span: str, value: Value, col: Column) -> bool:
    """Whether a cell is right: it can be read, and every reading that its column allows is accepted.

    So an ambiguous cell ("03/04/2029", "5 or 6") covers nothing. A list counts by any of its splits, which can't stand
    for two different lists of the same items.
    """
    return span == show(value, col) or verdict(span, value, col) == "right"


def verdict(span: str, value: Value, col: Column) -> str:
    """Judge a cell in one word: right, empty, unreadable, ambiguous, unit or different."""
    kind: Kind = col.kind if value is not None and fits(value, col) else "text"
    found = read(span, kind)
    if not found:
        return "unreadable" if span.strip() else "empty"
    if kind == "list":
        return "right" if any(accepts(r, value, col) for r in found) else "different"
    if found[0].kind == "num":
        found = _in_unit(found, col)
        if not found:
            return "unit"
    good = [accepts(r, value, col) for r in found]
    return "right" if all(good) else "ambiguous" if any(good) else "different"


def _in_unit(readings: tuple[Reading, ...], col: Column) -> tuple[Reading, ...]:
    """Keep the readings a column's unit allows: those in its very unit, if any ("5 m" of a column in metres)."""
    own = _measure(col).unit
    exact = tuple(r for r in readings if own is not None and r.unit == own.name)
    return exact or tuple(r for r in readings if _wanted(r.unit, 1, col) is not None)


def fits(value: Value, col: Column) -> bool:
    """Whether the value is of its column's kind, so that cells are read as that kind, and not as plain text."""
    match col.kind:
        case "int" | "num":
            return _number(value) is not None
        case "date":
            return ordinal(value) is not None
        case "year":
            return _year(value) is not None
        case "bool":
            return isinstance(value, bool)
        case "url":
            return isinstance(value, str) and bool(read(value, "url"))
        case _:
            return True


def _number(value: Value) -> Number | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        found = read_number(value)
        if len(found) == 1 and found[0].point is not None and not found[0].unit:
            return found[0].point  # type: ignore[return-value]  # a number's point
    return None


@lru_cache(maxsize=1 << 14)
def _ordinal_of(text: str) -> int | None:
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        return None


def ordinal(value: Value) -> int | None:
    """Return the day of an ISO date, as an ordinal; None for anything else."""
    return _ordinal_of(value) if isinstance(value, str) and len(value) == 10 else None


def _year(value: Value) -> int | None:
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) <= 4 else None
    return (
        int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value == int(value) else None
    )


def _wanted_items(value: Value) -> tuple[str, ...]:
    if isinstance(value, list | tuple):
        return _items(tuple(value))
    return _items(_STRONG.split(str(value)))


@lru_cache(maxsize=1 << 16)
def _names_cached(value: str, col: Column) -> frozenset[str]:
    own = squash(fold(plain(value)))
    names = {squash(fold(value)), own}
    for known, others in col.aliases:
        if squash(fold(known)) == own:
            names.update(squash(fold(other)) for other in others)
    taken = {squash(fold(label)) for label in col.labels if isinstance(label, str)} - {own}
    return frozenset(names - taken - {""})


def names(value: Value, col: Column) -> frozenset[str]:
    """Return the squashed texts that stand for the value in a cell: itself and its aliases, a null's fillers."""
    if value is None:
        return _null_names(col.none)
    if col.kind in ("text", "enum"):
        return _names_cached(str(value), col)
    if col.kind == "bool" and isinstance(value, bool):
        return _label_names(value, col)
    # A column of numbers or dates may hold a text ("Spring term"); its own values are never compared as text.
    return frozenset() if fits(value, col) else _names_cached(str(value), col)


@lru_cache(maxsize=1024)
def _null_names(none: str) -> frozenset[str]:
    return frozenset(squash(fold(filler)) for filler in (*FILLERS, none) if filler)


@lru_cache(maxsize=1024)
def _label_names(value: bool, col: Column) -> frozenset[str]:
    return frozenset({squash(fold(_label(value, col)))})


def _label(value: bool, col: Column) -> str:
    yes, no = col.labels if len(col.labels) == 2 else ("Yes", "No")
    return yes if value else no


_HEADER_UNIT = re.compile(r"\(([^()]{1,20})\)\s*$")


@lru_cache(maxsize=4096)
def _measure(col: Column) -> Measure:
    """Return what a bare number in the column counts; a unit only the header tells is taken from there."""
    if col.unit:
        return measure(col.unit)
    found = _HEADER_UNIT.search(col.name)
    told = measure(found[1]) if found else None
    return told if told and (told.unit or told.scale) and not (told.words and not told.unit) else Measure(None, "", 0)


def _wanted(unit: str, value: Value, col: Column) -> tuple[Number, float] | None:
    """Return the value as a number in the unit of a reading and the slack of converting it; None if that can't be."""
    number = _number(value) if isinstance(value, str) else value
    if not isinstance(number, int | float) or col.kind not in ("int", "num") or isinstance(number, bool):
        return None
    if isinstance(number, float) and col.decimals:
        number = round(number, col.decimals)
    if not unit:
        return number, 0.0
    own = _measure(col)
    factor = _factor(unit, own, col)
    if factor is None:
        return None
    if factor == 1:
        return number, 0.0
    converted = number * factor
    return converted, _ROUNDING * abs(converted)


def _factor(unit: str, own: Measure, col: Column) -> Number | None:
    """Return by what a column's number is multiplied to be in the written unit."""
    scale = 10**own.scale
    if unit == "ones":
        return scale
    if unit.startswith("of "):
        return scale if unit == own.words or unit in col.name or f"/{unit[3:]}" in col.name else None
    written = unit_named(unit)
    if own.unit is None and not own.words:
        if unit == "%":
            return 100 * scale
        return scale  # a column that names no unit takes the number whatever it is said to count
    if written is None or own.unit is None:
        return scale if _alike(unit, own) else None
    return _convert(written, own.unit, scale)


def _alike(unit: str, own: Measure) -> bool:
    words = squash(unit)
    return words.rstrip("s") == squash(own.words).rstrip("s") or words == squash(
        fold(own.unit.name if own.unit else "")
    )


def _convert(written: Unit, own: Unit, scale: int) -> Number | None:
    if written.name == own.name or same_money(written.name, own.name) or same_money(own.name, written.name):
        return scale
    return scale * own.factor / written.factor if written.dimension == own.dimension else None


def show(value: Value, col: Column) -> str:
    """Return the plain printed form: what gold tables hold. Null is the column's filler, or "-"."""
    if value is None:
        return col.none or "-"
    if isinstance(value, bool):
        return _label(value, col)
    if isinstance(value, float):
        return _decimal(value, col.decimals)
    if isinstance(value, list | tuple):
        return "; ".join(value)
    return str(value)


def _decimal(value: float, decimals: int) -> str:
    if decimals:
        return f"{value:.{decimals}f}"
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)


def forms(value: Value, col: Column) -> tuple[str, ...]:
    """Return the honest ways to write the value, the plain printed one (`show`) first; each is accepted for it."""
    plainly = show(value, col)
    if value is None or not fits(value, col):
        return (plainly,)
    more: tuple[str, ...] = ()
    if col.kind in ("int", "num"):
        number = _number(value)
        assert number is not None  # it fits
        more = _number_forms(number, col)
    elif col.kind == "date":
        more = _date_forms(date.fromisoformat(str(value)))
    elif col.kind in ("text", "enum"):
        more = tuple(o for known, others in col.aliases if known == value for o in others)
        more = tuple(o for o in more if squash(fold(o)) in _names_cached(str(value), col))
    elif col.kind == "list" and isinstance(value, list | tuple) and not any(_WEAK.search(item) for item in value):
        more = (", ".join(value),)
    return tuple(dict.fromkeys((plainly, *more)))


_MAGNITUDE_WORDS = ((9, "billion"), (6, "million"), (3, "thousand"))
_UNTIL_TWELVE = "zero one two three four five six seven eight nine ten eleven twelve".split()


def _number_forms(value: Number, col: Column) -> tuple[str, ...]:
    bare = show(value, col)
    whole, _, decimals = bare.partition(".")
    tail = f".{decimals}" if decimals else ""
    out = [bare]
    if whole.lstrip("-").isdigit() and len(whole.lstrip("-")) > 3:
        grouped = f"{int(whole):,}"
        out += [grouped + tail, grouped.replace(",", " ") + tail]
        if not tail and grouped.count(",") > 1:
            out.append(grouped.replace(",", "."))
    out += [text + unit for text in tuple(out[:2]) for unit in _unit_tails(col)]
    if decimals and len(decimals) != 3:
        out.append(f"{whole},{decimals}")
    if isinstance(value, int) or value.is_integer():
        out += _magnitude_forms(int(value), _measure(col).scale)
        if 0 <= value <= 12:
            out.append(_UNTIL_TWELVE[int(value)])
    if value < 0:
        out.append("−" + bare[1:])
    return tuple(out)


def _unit_tails(col: Column) -> tuple[str, ...]:
    own = _measure(col)
    if own.unit is None or own.scale:
        return (f" {col.unit}",) if col.unit and _tail_reads(col) else ()
    return (f" {own.unit.name}", "%") if own.unit.name == "%" else (f" {own.unit.name}",)


@lru_cache(maxsize=4096)
def _tail_reads(col: Column) -> bool:
    return verdict(f"7 {col.unit}", 7, col) == "right"


def _magnitude_forms(value: int, scale: int) -> list[str]:
    """Write a whole number as "1.234 million" where three decimals hold it exactly."""
    out = []
    for power, word in _MAGNITUDE_WORDS:
        step = 10 ** (power - 3 - scale) if power - 3 >= scale else 0
        if step and value % step == 0 and abs(value) >= step * 1000:
            mantissa = f"{value / (step * 1000):.3f}".rstrip("0").rstrip(".")
            out.append(f"{mantissa} {word}")
    return out


_MONTHS = "January February March April May June July August September October November December".split()


def _date_forms(day: date) -> tuple[str, ...]:
    month, short = _MONTHS[day.month - 1], _MONTHS[day.month - 1][:3]
    suffix = "th" if 11 <= day.day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    numeric = (f"{day.day}.{day.month}.{day.year:04d}",) if day.day > 12 or day.day == day.month else ()
    return (
        f"{day.day} {month} {day.year:04d}",
        f"{month} {day.day}, {day.year:04d}",
        f"{day.day} {short} {day.year:04d}",
        f"{short} {day.day}, {day.year:04d}",
        f"{month} {day.day}{suffix}, {day.year:04d}",
        f"{day.year:04d}/{day.month:02d}/{day.day:02d}",
        *numeric,
    )


def value_in_unit(point: Number, unit: str, col: Column) -> float | None:
    """Return a written number as the column would hold it, or None where its unit doesn't fit the column."""
    factor = _factor(unit, _measure(col), col) if unit else 1
    return None if factor is None else point / factor
