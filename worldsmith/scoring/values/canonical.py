"""Canonical values, shared by scorer and guard: what a span says, how a value may be written, when the two agree.

Three rules hold throughout. A form of a value is always accepted for it. Text that can't be read is never equal to
anything, other such text included. Whatever the scorer counts as right (`is_right`), `accepts` accepts in some reading
of the span as the column's kind or as text, so a guard that looks at every reading finds everything that would score.
"""

from functools import lru_cache

from ..column import Column, Value
from ..text import LONGEST_CACHED, fold, is_question, squash
from .column_values import (
    accepted_texts,
    as_number,
    day_ordinal,
    is_of_kind,
    list_value_items,
    measure_of,
    show,
    unit_factor,
    year_number,
)
from .forms import forms
from .numbers import INFINITE, is_twin
from .readers import read
from .reading import Number, Reading

__all__ = ["Reading", "accepts", "fold", "forms", "is_right", "is_truthful", "read", "show", "verdict"]

_ROUNDING = 1e-12  # what converting a unit in floating point may add; values without conversion compare exactly
_HEDGED = 0.1  # an honest "about" or "over" is within a tenth


def accepts(reading: Reading, value: Value, col: Column) -> bool:
    """Whether this reading, alone, is right for the value: the scorer's rule, and so what a leak is.

    A reading of an interval ("March 2029", "between 5 and 6") is right if all of it is within the tolerance.
    Values that aren't of their column's kind (a date column holding "Spring term") are compared as text.
    """
    kind = reading.kind
    if kind == "text":
        return squash(str(reading.point)) in accepted_texts(value, col)
    if value is None:
        return False
    if kind == "num":
        wanted = _wanted(reading.unit, value, col)
        if reading.is_aside:
            return wanted is not None and _holds(reading, wanted[0])
        return wanted is not None and _near(reading, wanted[0], col.tolerance * abs(wanted[0]) + wanted[1])
    if kind == "date":
        day = day_ordinal(value) if col.kind == "date" else None
        return day is not None and _near(reading, day, col.tolerance)
    if kind == "year":
        return col.kind == "year" and reading.point is not None and reading.point == year_number(value)
    if kind == "bool":
        return col.kind == "bool" and isinstance(value, bool) and reading.point == value
    if kind == "url":
        return col.kind == "url" and reading in read(str(value), "url")
    return col.kind == "list" and reading.point == list_value_items(value)


def _near(reading: Reading, wanted: Number, slack: float) -> bool:
    ends = (reading.lo, reading.hi) if reading.point is None else (reading.point,)
    return all(isinstance(end, int | float) and abs(end - wanted) <= slack for end in ends)


def _wanted(unit: str, value: Value, col: Column) -> tuple[Number, float] | None:
    """Return the value as a number in the unit of a reading and the slack of converting it; None if that can't be."""
    amount = as_number(value) if col.kind in ("int", "num") else None
    if amount is None:
        return None
    if isinstance(amount, float) and col.decimals:
        amount = round(amount, col.decimals)
    times = unit_factor(unit, col) if unit else 1
    if times is None or times == 1:
        return None if times is None else (amount, 0.0)
    return amount * times, _ROUNDING * abs(amount * times)


def value_in_unit(point: Number, unit: str, col: Column) -> float | None:
    """Return a written number as the column would hold it, or None where its unit doesn't fit the column."""
    times = unit_factor(unit, col)
    return None if times is None else point / times


def is_truthful(reading: Reading, value: Value, col: Column, hedge: bool) -> bool:
    """Whether an honest writer who knows the value may say this: the truth, in other words or less of it.

    Besides the value itself: a month, quarter, year or decade that holds the date; a range that holds the number;
    "over" and "under" within a tenth; the number in another unit at the precision written; and after a hedge
    ("about") the number rounded, within a tenth. The column's tolerance forgives and makes nothing true.
    """
    if reading.kind == "date":
        return _holds(reading, day_ordinal(value) if col.kind == "date" else None)
    if reading.kind == "year":
        return _holds(reading, year_number(value) if col.kind == "year" else None)
    if reading.kind != "num":
        return accepts(reading, value, col)
    wanted = _wanted(reading.unit, value, col) if value is not None else None
    if wanted is None:
        return False
    amount, slack = wanted
    point = reading.point
    if point is None:
        end = reading.lo if reading.hi == INFINITE else reading.hi if reading.lo == -INFINITE else amount
        return _holds(reading, amount) and end is not None and abs(amount - end) <= _HEDGED * abs(amount)
    if not isinstance(point, int | float):
        return False
    if abs(point - amount) <= slack:
        return True
    rounded = hedge or slack > 0  # nobody converts units without rounding
    return rounded and _holds(reading, amount) and abs(point - amount) <= _HEDGED * abs(amount)


def _holds(reading: Reading, amount: Number | None) -> bool:
    return (
        amount is not None and reading.lo is not None and reading.hi is not None and reading.lo <= amount <= reading.hi
    )


def is_right(span: str, value: Value, col: Column) -> bool:
    """Whether a cell is right: it can be read, and every reading that its column allows is accepted.

    So an ambiguous cell ("03/04/2029", "5 or 6") is never right. A list is right if any of its splits is, since no two
    splits can stand for different lists of the same items.
    """
    return verdict(span, value, col) == "right"


def verdict(span: str, value: Value, col: Column) -> str:
    """Judge a cell in one word: right, empty, unreadable, ambiguous, unit or different."""
    value = tuple(value) if isinstance(value, list) else value
    return _verdict_cached(span, value, col) if len(span) <= LONGEST_CACHED else _verdict(span, value, col)


def _verdict(span: str, value: Value, col: Column) -> str:
    kind = col.kind if value is not None and is_of_kind(value, col) else "text"
    readings = read(span, kind)
    if not readings:
        return "unreadable" if span.strip() else "empty"
    if kind != "url" and is_question(span) and not _asks_itself(value, col):
        return "unreadable"
    if kind == "list" or readings[0].kind == "text":
        return "right" if any(accepts(r, value, col) for r in readings) else "different"
    readings = _in_unit(readings, col)
    if not readings:
        return "unit"
    good = [accepts(r, value, col) for r in readings]
    return "right" if all(good) else "ambiguous" if any(good) else "different"


# Rollouts of one task write the same cells over and over. Typed, since 1 and True are one key to a dictionary.
_verdict_cached = lru_cache(maxsize=1 << 16, typed=True)(_verdict)


def _asks_itself(value: Value, col: Column) -> bool:
    """Whether a question mark belongs to the value: a title that asks, or an alias that does."""
    texts = value if isinstance(value, tuple | list) else (str(value),)
    others = [other for known, names_of in col.aliases if known in texts for other in names_of]
    return any(is_question(text) for text in (*texts, *others))


def _in_unit(readings: tuple[Reading, ...], col: Column) -> tuple[Reading, ...]:
    """Keep the readings a column's unit allows: of "5 m" the five metres or the five millions, not both.

    An aside in a unit of another dimension is ignored. Any other number that can't be in the column's unit makes the
    whole cell unreadable: "163 g, 164 h".
    """
    own = measure_of(col).unit
    kept: list[Reading] = []
    for i, reading in enumerate(readings):
        before, after = readings[i - 1] if i else None, readings[i + 1] if i + 1 < len(readings) else None
        fit = not reading.unit or unit_factor(reading.unit, col) is not None
        if reading.is_aside and own is None and reading.unit == "%":
            continue  # a share of something, beside a count of it
        if own and before and is_twin(before, reading) and unit_factor(before.unit, col) is not None:
            continue
        if fit:
            kept.append(reading)
        elif not reading.is_aside and not (after and is_twin(reading, after)):
            return ()
    return tuple(kept)
