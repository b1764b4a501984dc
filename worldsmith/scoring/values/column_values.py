"""A column's values: how they print, what they are as numbers and days, which texts name them, what they count in."""

import re
from datetime import date
from functools import lru_cache

from ..column import Column, Value
from ..spelling import spelling
from ..text import fold, squash, without_markup
from .numbers import read_number
from .readers import FILLERS, LIST_BREAK, list_items, read
from .reading import Number
from .units import Measure, Unit, measure, same_money, unit_named


def show(value: Value, col: Column) -> str:
    """Return the plain printed form: what gold tables hold. Null is the column's filler, or "-"."""
    if value is None:
        return col.none or "-"
    if isinstance(value, bool):
        return bool_label(value, col)
    if isinstance(value, float):
        return _decimal(value, col.decimals)
    if isinstance(value, list | tuple):
        return "; ".join(value)
    return str(value)


def _decimal(value: float, decimals: int) -> str:
    if decimals:
        return f"{value:.{decimals}f}"
    return str(int(value)) if value.is_integer() else repr(value)


def bool_label(value: bool, col: Column) -> str:
    """Return the word for true or false: the column's two labels, or Yes and No."""
    yes, no = col.labels if len(col.labels) == 2 else ("Yes", "No")
    return yes if value else no


def is_of_kind(value: Value, col: Column) -> bool:
    """Whether the value is of its column's kind, so that cells are read as that kind, and not as plain text."""
    match col.kind:
        case "int" | "num":
            return as_number(value) is not None
        case "date":
            return day_ordinal(value) is not None
        case "year":
            return year_number(value) is not None
        case "bool":
            return isinstance(value, bool)
        case "url":
            return isinstance(value, str) and bool(read(value, "url"))
        case _:
            return True


def as_number(value: Value) -> Number | None:
    """Return the value as a number; of text, only a bare number is one."""
    if isinstance(value, int | float):
        return None if isinstance(value, bool) else value
    readings = read_number(value) if isinstance(value, str) else ()
    point = readings[0].point if len(readings) == 1 and not readings[0].unit else None
    return point if isinstance(point, int | float) else None


@lru_cache(maxsize=1 << 14)
def _ordinal(text: str) -> int | None:
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        return None


def day_ordinal(value: Value) -> int | None:
    """Return the day of an ISO date, as an ordinal; None for anything else."""
    return _ordinal(value) if isinstance(value, str) and len(value) == 10 and value[4] == value[7] == "-" else None


def year_number(value: Value) -> int | None:
    """Return the value as a year; None for anything else."""
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) <= 4 else None
    return (
        int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value == int(value) else None
    )


def list_value_items(value: Value) -> tuple[str, ...]:
    """Return a list's items as a reading of it has them: folded, sorted, each once."""
    return list_items(value if isinstance(value, list | tuple) else LIST_BREAK.split(str(value)))


def accepted_texts(value: Value, col: Column) -> frozenset[str]:
    """Return the squashed texts that stand for the value in a cell: itself and its aliases, a null's fillers.

    A column of numbers or dates may hold a text ("Spring term"), which is compared as one; its numbers and dates never.
    """
    if value is None:
        return _null_names(col.none, col.name)
    if isinstance(value, bool):
        return frozenset({squash(fold(bool_label(value, col)))})
    if col.kind in ("text", "enum") or not is_of_kind(value, col):
        return _names(str(value), col)
    return frozenset()


@lru_cache(maxsize=1 << 16)
def _names(value: str, col: Column) -> frozenset[str]:
    own = squash(fold(without_markup(value, cited=True)))
    texts = {squash(fold(value)), own}
    for known, others in col.aliases:
        if squash(fold(known)) == own:
            texts.update(squash(fold(other)) for other in others)
    taken = {squash(fold(other)) for other in col.labels} - {own}
    return frozenset(texts - taken - {""})


@lru_cache(maxsize=1024)
def _null_names(none: str, column: str) -> frozenset[str]:
    """Return the column's filler and everyone's, and what denies the column itself: "no rating", "not closed".

    An empty cell is no answer.
    """
    noun = fold(column.rpartition(":")[2].partition("(")[0])
    done = _DONE.get(noun, noun)
    denied = [
        f"no {noun}",
        *([f"not {done}", f"not yet {done}", f"un{done}"] if done.endswith(("ed", "sold", "drawn")) else []),
    ]
    return frozenset(squash(fold(text)) for text in (*FILLERS, none, *(denied if noun else ())) if text)


_DONE = {"rating": "rated", "release": "released", "closure": "closed", "withdrawal": "withdrawn", "sale": "sold"}
_RANKS = frozenset(("rank", "ranks", "ranking", "place", "position", "standing"))
_HEADER_UNIT = re.compile(r"\(([^()]{1,20})\)\s*$")


@lru_cache(maxsize=4096)
def measure_of(col: Column) -> Measure:
    """Return what a bare number in the column counts; a known unit that only the header tells is taken from there."""
    if col.unit:
        return measure(col.unit)
    unit_match = _HEADER_UNIT.search(col.name)
    header_measure = measure(unit_match[1]) if unit_match else None
    return (
        header_measure if header_measure and (header_measure.unit or not header_measure.words) else Measure(None, "", 0)
    )


@lru_cache(maxsize=1 << 14)
def unit_factor(unit: str, col: Column) -> Number | None:
    """Return by what the column's number is multiplied to be in the unit of a reading; None if it can't be in that.

    A bare number is in the column's unit. "ones" undoes the column's magnitude ("730 thousand" of a column of
    thousands). A column that names no unit takes a number of money, 12.5% as 0.125, and a measure or things only
    where its name or labels have them ("26 days" of "Days to release", "3 phones" of "Phones").
    """
    own = measure_of(col)
    scale: int = 10**own.scale
    if not unit:
        return 1
    if unit == "ones":
        return scale
    if unit.startswith("of "):
        rank = not own.words and _ranks(col.name)
        return scale if rank or unit == own.words or unit in col.name or f"/{unit[3:]}" in col.name else None
    if unit == "place":
        return scale if not own.words and _ranks(col.name) else None
    written = unit_named(unit)
    if not own.words:
        return _of_no_unit(unit, written, col, scale)
    if written is None or own.unit is None:
        return scale if squash(unit).rstrip("s") == squash(own.words).rstrip("s") else None
    return _converted(written, own.unit, scale)


def _ranks(name: str) -> bool:
    """Whether a column holds ranks, so that "6 of 12" and "joint 6th" are 6 in it."""
    return not _RANKS.isdisjoint(fold(name).split())


def _of_no_unit(unit: str, written: Unit | None, col: Column, scale: int) -> Number | None:
    """Return the factor for a column that names no unit: none for a measure or things it doesn't speak of."""
    if unit == "%":
        return 100 * scale
    words = fold(" ".join((col.name, *col.labels))).split()
    if written is None:
        noun = spelling(_AFTER_NOUN.split(unit, maxsplit=1)[0].split()[-1])
        return scale if noun in _ANY_COUNT or noun in map(spelling, words) else None
    if written.dimension == written.name:  # money
        return scale
    named = [unit_named(word) for word in words if len(word) > 2]
    return scale if written in named or (written.name == "years" and not _AGES.isdisjoint(words)) else None


_AFTER_NOUN = re.compile(r" (?:of|in|for|with|from|at|by|per|on) ")
_ANY_COUNT = frozenset(("thing", "time", "entry", "case"))
_AGES = frozenset(("age", "ages", "aged", "old"))


def _converted(written: Unit, own: Unit, scale: int) -> Number | None:
    if same_money(written.name, own.name) or same_money(own.name, written.name):
        return scale
    return scale * own.factor / written.factor if written.dimension == own.dimension else None
