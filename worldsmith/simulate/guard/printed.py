"""Whether a text is a cell's value, all of it, in one of the forms that the scorer reads."""

from collections.abc import Sequence
from typing import NamedTuple

from worldsmith import scoring
from worldsmith.lang.morphology import singular_unit
from worldsmith.pages.value_forms import rounded
from worldsmith.schema import Value
from worldsmith.simulate.guard.quantity import Quantity, is_exact, quantities, states
from worldsmith.simulate.guard.text import clean, lowered, squeeze


class Printed(NamedTuple):
    """How a text says a value."""

    exact: bool
    """Whether it tells the value whole, rather than rounded or in part."""


EXACT, VAGUE = Printed(exact=True), Printed(exact=False)


def printed(text: str, value: Value, column: scoring.Column, units: Sequence[str], form: str = "") -> Printed | None:
    """Return how a cleaned text in lower case says a value, and nothing else; None where it doesn't.

    Args:
        text: the text.
        value: not null.
        column: the value's.
        units: ways to write the column's unit.
        form: of `schema.patterns.FORMS`, of the slot that it stands in.
    """
    shown = lowered(clean(scoring.show(value, column)))
    bare = text.strip()
    if form == "a":
        bare = bare.removeprefix("a ").removeprefix("an ")
    if form == "s":
        bare = bare.removesuffix("'s").removesuffix("'")
    if bare == shown:
        return EXACT
    if isinstance(value, bool) or column.kind not in ("int", "num", "date"):
        if form == "surname":
            return VAGUE if bare == shown.rsplit(" ", 1)[-1] else None
        return EXACT if squeeze(bare) == squeeze(shown) else None
    if column.kind != "date":
        bare = _without_unit(bare, units)
        if bare == shown:
            return EXACT
        if form == "about" and isinstance(value, int | float) and _digits(bare) == rounded(value):
            return VAGUE
    quantity = _only_quantity(bare)
    if quantity is None or not states(quantity, value, column):
        return None
    return EXACT if is_exact(quantity) and not (column.kind == "date" and quantity.kind == "year") else VAGUE


def is_quantity(text: str, column: scoring.Column, units: Sequence[str]) -> bool:
    """Whether a cleaned text in lower case is one number or date, and nothing else."""
    return _only_quantity(text if column.kind == "date" else _without_unit(text, units)) is not None


def _without_unit(text: str, units: Sequence[str]) -> str:
    for unit in filter(None, units):
        written = lowered(clean(unit))
        for end in (f" {written}", f" {lowered(clean(singular_unit(unit)))}", written):
            if text.endswith(end):
                return text.removesuffix(end).strip()
    return text


def _only_quantity(text: str) -> Quantity | None:
    """Return the number or date that a text is, with or without a hedge before it."""
    counted = quantities(text)
    if len(counted) != 1:
        return None
    start, end = counted[0].span
    before = text[:start].strip()
    return None if end != len(text) or (before and not counted[0].hedge and before != "the") else counted[0]


def _digits(text: str) -> str:
    return "".join(c for c in text if c not in ", ")
