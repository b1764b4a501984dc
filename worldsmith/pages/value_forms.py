"""How a site writes values in running text: days, numbers, units, names."""

from dataclasses import dataclass
from datetime import date
from typing import Final

from worldsmith.lang.morphology import article, singular_unit
from worldsmith.schema import Column
from worldsmith.schema.patterns import Dates, Labels, Numbers, Order
from worldsmith.scoring.values.dates import MONTHS
from worldsmith.scoring.values.number_words import TENS, UNDER_TWENTY
from worldsmith.world.model import Cell

SEPARATORS: Final[dict[Numbers, str]] = {"plain": "", "comma": ",", "space": " ", "apostrophe": "'"}
"""What stands between groups of three digits."""


@dataclass(frozen=True, slots=True)
class Style:
    """How one site writes: it keeps to its labels, units, dates and numbers."""

    dates: Dates = "long"
    numbers: Numbers = "plain"
    labels: Labels = "list"
    order: Order = "file"
    turn: int = 0
    """Which of several labels, units and standing lines it uses."""


def written_day(day: str, dates: Dates) -> str:
    """Return an ISO day as a site writes it."""
    moment = date.fromisoformat(day)
    month = MONTHS[moment.month - 1]
    match dates:
        case "iso":
            return day
        case "us":
            return f"{month} {moment.day}, {moment.year}"
        case "long":
            return f"{moment.day} {month} {moment.year}"
        case "short":
            return f"{moment.day} {month[:3]} {moment.year}"
        case "ordinal":
            return f"{month} {moment.day}{_ordinal_end(moment.day)}, {moment.year}"


def _ordinal_end(number: int) -> str:
    return "th" if number // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def number_words(number: int) -> str:
    """Return a whole number from 0 to 99 in words, others in digits."""
    if not 0 <= number < 100:
        return str(number)
    if number < 20:
        return UNDER_TWENTY[number]
    tens, ones = divmod(number, 10)
    return TENS[tens - 2] + (f"-{UNDER_TWENTY[ones]}" if ones else "")


def grouped(shown: str, numbers: Numbers) -> str:
    """Return the digits of a number of 10,000 and more in groups of three, as a site does it."""
    whole, point, rest = shown.partition(".")
    if numbers == "plain" or len(whole.lstrip("-")) < 5 or not whole.lstrip("-").isdigit():
        return shown
    return f"{int(whole):,}".replace(",", SEPARATORS[numbers]) + point + rest


def unit_tail(column: Column, cell: Cell, style: Style, units: list[str]) -> str:
    """Return what follows a number: " crowns", "%"; a unit of letters in the singular after 1."""
    unit = units[style.turn % len(units)] if units else column.unit
    if not unit:
        return ""
    unit = singular_unit(unit) if cell.value == 1 else unit
    return unit if unit == "%" else f" {unit}"


def possessive(name: str) -> str:
    """Return a name as an owner."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def write_value(cell: Cell, column: Column, shown: str, form: str, style: Style, units: list[str]) -> str:
    """Return the value of a cell that is not null, in a form of `schema.patterns.FORMS`.

    Args:
        cell: the cell.
        column: its column.
        shown: the value as tables print it, without its unit.
        form: the form.
        style: how the site writes.
        units: ways to write the column's unit; none for its own.
    """
    value = cell.value
    if column.type == "date":
        day = str(value)
        if form == "year":
            return day[:4]
        return f"{MONTHS[int(day[5:7]) - 1]} {day[:4]}" if form == "month" else written_day(day, style.dates)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if form == "about":
            return grouped(rounded(value), style.numbers) + unit_tail(column, cell, style, units)
        if form == "words" and isinstance(value, int):
            return number_words(value) + unit_tail(column, cell, style, units)
        shown = grouped(shown, style.numbers if value >= 10_000 else "plain")
        return shown if form == "n" else shown + unit_tail(column, cell, style, units)
    match form:
        case "a":
            return article(shown)
        case "s":
            return possessive(shown)
        case "surname":
            return shown.rsplit(" ", 1)[-1]
        case _:
            return shown


def rounded(value: float) -> str:
    """Return a number to two digits at most, never the number itself where that has more."""
    size = len(str(int(abs(value))))
    step = 10 ** max(size - 2, 0) * (5 if size > 2 else 1)
    return str(int(round(value / step) * step)) if step > 1 else str(round(value))
