"""Rows of a table that pass a filter per column: text that is contained, or a comparison."""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from worldsmith.errors import UsageError
from worldsmith.schema import Value

HELP: Final = "text that is contained, or a comparison: =exact, !=not, <5, <=5, >5, >=5; = alone for empty cells"
_COMPARISON = re.compile(r"(<=|>=|!=|<|>|=)(.*)", re.DOTALL)
_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def value_text(value: Value) -> str:
    """Return a value as tables show it and filters compare it; "" for null."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def matching_rows(columns: Mapping[str, Sequence[Value]], filters: Mapping[str, str]) -> list[int]:
    """Return the rows, by place, that pass the filters of all columns. Raises UsageError for one that can't be read."""
    rows = list(range(len(next(iter(columns.values()), ()))))
    for name, text in filters.items():
        if name not in columns:
            raise UsageError(f"there is no column {name!r} to filter by")
        values = columns[name]
        passes = _condition(name, text.strip(), values)
        rows = [row for row in rows if passes(values[row])]
    return rows


def sorted_rows(
    rows: Sequence[int], columns: Mapping[str, Sequence[Value]], name: str, *, descending: bool
) -> list[int]:
    """Return rows by the values of a column, those without one last. Raises UsageError for an unknown column."""
    if name not in columns:
        raise UsageError(f"there is no column {name!r} to sort by")
    values = columns[name]
    present = [row for row in rows if values[row] is not None]
    numeric = all(isinstance(values[row], int | float) for row in present)
    key: Callable[[int], Any] = (lambda row: values[row]) if numeric else (lambda row: value_text(values[row]))
    return [*sorted(present, key=key, reverse=descending), *(row for row in rows if values[row] is None)]


def _condition(name: str, text: str, values: Sequence[Value]) -> Callable[[Value], bool]:
    comparison = _COMPARISON.fullmatch(text)
    if comparison is None:
        contained = text.casefold()
        return lambda value: contained in value_text(value).casefold()
    sign, operand = comparison[1], comparison[2].strip()
    compare = _OPERATORS[sign]
    if not operand:
        if sign not in {"=", "!="}:
            raise UsageError(f"{name}: {sign} needs a value after it")
        return lambda value: compare(value, None)
    if any(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        try:
            number = float(operand)
        except ValueError:
            raise UsageError(f"{name}: {operand!r} is no number, and the column has numbers") from None
        return lambda value: value is not None and compare(value, number)
    wanted = operand.casefold()
    return lambda value: value is not None and compare(value_text(value).casefold(), wanted)
