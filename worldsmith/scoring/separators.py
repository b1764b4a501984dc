"""Numbers of a column that groups thousands with points and has decimal commas: "119.000", "7,5"."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from .column import Column
from .reference import Reference, Row
from .values.column_values import as_number
from .values.readers import readable_text
from .values.units import MAGNITUDES

_FIGURE = re.compile(r"(?<![\d.,])(\d+(?:[.,]\d+)*)(?![.,]?\d)(?:\s?([^\W\d_]+))?")
_POINTS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
_COMMAS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3}")
_DECIMAL_COMMA = re.compile(r"(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+),\d+")

Form = Literal["bare", "points", "commas", "decimal comma", "english"]


def with_english_numbers(
    rows: tuple[Row, ...], reference: Reference, claimed: Mapping[int, Sequence[int]]
) -> tuple[Row, ...]:
    """Return the rows with the numbers of such columns, outside the key, as English writes them: "119000", "7.5".

    A column is one if no number in it can only be English, and it holds whole numbers, some of a thousand or more, of
    which none has commas; or if a row that alone claims its gold row has a number with a decimal comma. One that
    declares three decimals and stays below a thousand has decimal commas if it has any.
    """
    sole = [members[0] for members in claimed.values() if len(members) == 1]
    for c in reference.others:
        col = reference.columns[c]
        if col.kind not in ("int", "num"):
            continue
        mark = "," if col.decimals else "."  # without it numbers read the same in English
        if mark in "\n".join([row[c] for row in rows]):
            cells = {row[c]: readable_text(row[c], col.kind) for row in rows}
            if _is_continental(reference, c, [*cells.values()], [cells[rows[i][c]] for i in sole]):
                english = {cell: _FIGURE.sub(_as_english, text) for cell, text in cells.items() if text}
                rows = tuple((*row[:c], english.get(row[c], row[c]), *row[c + 1 :]) for row in rows)
    return rows


def _is_continental(reference: Reference, c: int, cells: Sequence[str], sole: Sequence[str]) -> bool:
    col = reference.columns[c]
    forms = {_form(figure, col) for cell in cells for figure in _FIGURE.finditer(cell)}
    if "english" in forms:
        return False
    amounts = [amount for row in reference.gold if (amount := as_number(row[c])) is not None]
    large = any(abs(amount) >= 1000 for amount in amounts)
    if not col.decimals and large and "commas" not in forms and all(amount == int(amount) for amount in amounts):
        return True
    if col.decimals == 3 and not large and "points" not in forms:
        return True
    return any(_form(figure, col) == "decimal comma" for cell in sole for figure in _FIGURE.finditer(cell))


def _form(figure: re.Match[str], col: Column) -> Form:
    """Tell how a number is written: "1,234" and "1.234" may be English or not, "1,234.5" is, "7,5" isn't."""
    text, word = figure[1], figure[2] or ""
    if text.isdigit():
        return "bare"
    if word.casefold() in MAGNITUDES and word != col.unit:
        return "english" if "." in text else "commas"
    if _POINTS.fullmatch(text):
        return "points"
    if _COMMAS.fullmatch(text):
        return "commas" if text.count(",") == 1 else "english"
    return "decimal comma" if _DECIMAL_COMMA.fullmatch(text) else "english"


def _as_english(figure: re.Match[str]) -> str:
    return figure[1].replace(".", "").replace(",", ".") + figure[0][len(figure[1]) :]
