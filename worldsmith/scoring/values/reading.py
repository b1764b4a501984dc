"""One way to understand a piece of text."""

from dataclasses import dataclass

Number = int | float
Point = Number | str | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What a span says, if it says it at all.

    Attributes:
        kind: "num" (also of int columns), "date", "year", "bool", "url", "list" or "text" (also of enums).
        lo: lower end of what the span covers: of a number, half its last significant digit below it; of a date, the
            ordinal of the first day meant ("March 2029": its 1st). None for kinds without an order.
        hi: the upper end, likewise; `inf` for "over 5".
        point: the value named: a number, a day's ordinal, a year, True or False, a folded text, a sorted tuple of
            folded items. None where only an interval is named (a range, "over 5", a month).
        unit: "" for a bare number, "ones" where a magnitude or a count noun says that units of one are meant
            ("730 thousand", "5 pieces"), "place" where a tied rank is written, else the unit as `units` spells it, or
            the folded words after the number.
        is_aside: the number stands in parentheses after another, in a unit of its own; it may be rounded, and matches
            the value if its interval holds it ("163 g (5.75 oz)").
    """

    kind: str
    lo: Number | None
    hi: Number | None
    point: Point
    unit: str = ""
    is_aside: bool = False
