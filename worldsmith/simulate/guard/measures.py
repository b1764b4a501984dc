"""Words for what is measured: "12 GB of storage" tells no memory, "390 m wide" no length."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from worldsmith.scoring.values.units import MAGNITUDES, measure, unit_named
from worldsmith.simulate.guard.quantity import Quantity
from worldsmith.simulate.guard.text import Span, lowered

_MONEY = "money"
_GROUPS = tuple(
    (dimension, frozenset(words.split()))
    for dimension, words in (
        ("data", "memory ram"),
        ("data", "storage disk disks disc drive drives flash ssd hdd rom"),
        ("length", "length long"),
        ("length", "width wide breadth broad across"),
        ("length", "height high tall altitude elevation"),
        ("length", "depth deep"),
        ("length", "thickness thick thin"),
        ("length", "diameter radius circumference"),
        ("length", "screen diagonal"),
        ("mass", "weight weighs heavy mass"),
        ("mass", "payload"),
        ("time", "charging charge charges charged recharge recharges recharging"),
        ("time", "standby idle"),
        ("area", "garden yard plot roof cellar basement balcony"),
        (_MONEY, "rent rents"),
        (_MONEY, "tax taxes"),
        (_MONEY, "fine fines"),
        (_MONEY, "debt debts"),
        (_MONEY, "discount rebate"),
        (_MONEY, "deposit"),
        (_MONEY, "refund"),
        (_MONEY, "donation donations subsidy"),
    )
)
"""By dimension, words that mean the same of a thing; those of two groups mean two things."""
_GROUP_OF = {word: (dimension, group) for dimension, group in _GROUPS for word in group}
_WORD = re.compile(rf"\b(?:{'|'.join(_GROUP_OF)})\b")
_BEFORE = re.compile(r"([^\W\d_]{3,})\s(?:(?:of|is|was|at|about|around)\s)*$")
_MAGNITUDE = re.compile(rf"\b(?:{'|'.join(w for w in MAGNITUDES if len(w) > 1)})s?\b|\b000s?\b", re.IGNORECASE)


def names_a_measure(text: str, span: Span) -> bool:
    """Whether a sentence has a word for what is measured."""
    return _WORD.search(lowered(text), *span) is not None


def other_measure(
    text: str, clause: Span, covered: Sequence[Span], quantity: Quantity, units: Iterable[tuple[str, frozenset[str]]]
) -> str | None:
    """Return the word of a clause for another thing than a quantity measures.

    `units` are the units of the columns that the quantity states, each with the words of the column's label.
    """
    words = [m for m in _WORD.finditer(lowered(text), *clause) if not any(a <= m.start() < b for a, b in covered)]
    if not words:
        return None
    held = [(_dimension(unit), own) for unit, own in units]
    before = _BEFORE.search(text, clause[0], quantity.span[0])
    for match in words:
        dimension, group = _GROUP_OF[match.group()]
        beside = before is not None and before.span(1) == match.span()
        fits = any(dimension == own for own, _ in held) if quantity.unit else beside
        if fits and not any(group & own for _, own in held):
            return match.group()
    return None


@lru_cache(maxsize=1024)
def _dimension(unit: str) -> str:
    """Return the dimension of a column's unit; a unit that is no other's, crowns, say, is taken for money."""
    known = measure(unit).unit or unit_named(unit)
    if known is None:
        return _MONEY if unit else ""
    return _MONEY if known.dimension == known.name else known.dimension


def lacks_magnitude(text: str, written: str, value: object, unit: str) -> bool:
    """Whether a number gives a value of thousands or millions as if it were of ones: "670 units" for 670 thousand.

    Args:
        text: the sentence, or the label and the value: a magnitude in it is the number's.
        written: the number.
        value: of the column.
        unit: of the column.
    """
    scale = measure(unit).scale
    digits = re.sub(r"[,\s_']", "", written)
    if not scale or not isinstance(value, int | float) or not value or _MAGNITUDE.search(text):
        return False
    if not re.fullmatch(r"[$€£¥+-]?\d+(?:\.\d+)?", digits):
        return False
    number = float(digits.lstrip("$€£¥+-"))
    return abs(number) < abs(value) * 10 ** (scale / 2)
