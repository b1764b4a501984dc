"""The honest ways to write a value."""

from datetime import date

from ..column import Column, Value
from ..text import fold, squash
from .column_values import accepted_texts, as_number, is_of_kind, measure_of, show, unit_factor
from .dates import MONTHS
from .number_words import UNDER_TWENTY
from .readers import LOOSE_BREAK
from .reading import Number

_MAGNITUDES = ((9, "billion"), (6, "million"), (3, "thousand"))
_WORDS = UNDER_TWENTY[:13]


def forms(value: Value, col: Column) -> tuple[str, ...]:
    """Return the honest ways to write the value, the plain printed one (`show`) first; each is accepted for it."""
    plainly = show(value, col)
    more: tuple[str, ...] = ()
    if not is_of_kind(value, col):
        pass
    elif col.kind in ("int", "num"):
        amount = as_number(value)
        more = _number_forms(amount, show(amount, col), col) if amount is not None else ()
    elif col.kind == "date":
        more = _date_forms(date.fromisoformat(str(value)))
    elif col.kind in ("text", "enum"):
        others = [other for known, others in col.aliases if known == value for other in others]
        more = tuple(other for other in others if squash(fold(other)) in accepted_texts(value, col))
    elif col.kind == "list" and isinstance(value, list | tuple) and not any(LOOSE_BREAK.search(item) for item in value):
        more = (", ".join(value),)
    return tuple(dict.fromkeys((plainly, *more)))


def _number_forms(value: Number, bare: str, col: Column) -> tuple[str, ...]:
    whole, _, decimals = bare.partition(".")
    tail = f".{decimals}" if decimals else ""
    out = [bare]
    if whole.lstrip("-").isdigit() and len(whole.lstrip("-")) > 3:
        grouped = f"{int(whole):,}"
        out += [grouped + tail, grouped.replace(",", " ") + tail]
        if not tail and grouped.count(",") > 1:
            out.append(grouped.replace(",", "."))
    unit = _unit_tail(col)
    out += [f"{text} {unit}" for text in out[:2] if unit]
    if unit == "%":
        out.append(bare + unit)
    if decimals and len(decimals) < 3:
        out.append(f"{whole},{decimals}")
    if value == int(value):
        out += _magnitude_forms(int(value), measure_of(col).scale)
        if 0 <= value <= 12:
            out.append(_WORDS[int(value)])
    if value < 0:
        out.append("−" + bare[1:])
    return tuple(out)


def _unit_tail(col: Column) -> str:
    """Return the unit to write after a number, where a reader takes it for the column's ("" for "/10" and the like)."""
    own = measure_of(col)
    if own.unit:
        return "" if own.scale else own.unit.name
    return col.unit if not own.scale and col.unit.isalpha() and unit_factor(own.words, col) == 1 else ""


def _magnitude_forms(value: int, scale: int) -> list[str]:
    """Write a whole number as "1.234 million" where three decimals hold it exactly."""
    total: int = value * 10**scale
    out = []
    for power, word in _MAGNITUDES:
        if abs(total) >= 10**power and total % 10 ** (power - 3) == 0:
            out.append(f"{total / 10**power:.3f}".rstrip("0").rstrip(".") + f" {word}")
    return out


def _date_forms(day: date) -> tuple[str, ...]:
    month, number = MONTHS[day.month - 1], day.day
    year = f"{day.year:03d}"  # nobody writes "14 July 0934"
    suffix = "th" if 11 <= number <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    in_digits = (f"{number}.{day.month}.{day.year:04d}",) if number > 12 or number == day.month else ()
    return (
        f"{number} {month} {year}",
        f"{month} {number}, {year}",
        f"{number} {month[:3]} {year}",
        f"{month[:3]} {number}, {year}",
        f"{month} {number}{suffix}, {year}",
        f"{day.year:04d}/{day.month:02d}/{number:02d}",
        *in_digits,
    )
