"""What a column can hold by its fill alone: an interval or a list of values, and whether null."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from math import inf, isnan, nan

from worldsmith.schema import (
    Aggregate,
    Chance,
    Choice,
    Column,
    Date,
    Number,
    Pick,
    Rank,
    Reference,
    Schema,
    Share,
    Value,
)

DEEPEST = 6
"""Aggregates of aggregates that are followed."""


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that may stand somewhere.

    Numbers and dates (as day numbers) lie in [lo, hi]; `values`, where known, lists all that may; `null`: null may.
    """

    lo: float = -inf
    hi: float = inf
    values: frozenset[Value] | None = None
    null: bool = True

    @property
    def empty(self) -> bool:
        """Whether nothing but null is left."""
        return self.lo > self.hi or self.values == frozenset()

    def within(self, lo: float, hi: float) -> "Domain":
        """Return the part in [lo, hi]."""
        lo, hi = max(lo, self.lo), min(hi, self.hi)
        if self.values is None or not _numeric(self.values):
            return Domain(lo, hi, self.values, self.null)
        return listed((v for v in self.values if lo <= measure(v) <= hi), null=self.null)

    def among(self, values: Iterable[Value]) -> "Domain":
        """Return the part that is one of `values`."""
        kept = frozenset(values) if self.values is None else self.values & frozenset(values)
        found = listed(kept, null=self.null)
        return Domain(max(self.lo, found.lo), min(self.hi, found.hi), kept, self.null)

    def known(self) -> "Domain":
        """Return it without null."""
        return Domain(self.lo, self.hi, self.values, null=False)


def measure(value: Value) -> float:
    """Return a number, or a date as its day number; nan for other values."""
    if isinstance(value, str):
        try:
            return float(date.fromisoformat(value).toordinal())
        except ValueError:
            return nan
    return nan if value is None or isinstance(value, bool) else float(value)


def _numeric(values: Iterable[Value]) -> bool:
    return not any(isnan(measure(v)) for v in values)


def listed(values: Iterable[Value], *, null: bool) -> Domain:
    """Return the domain of a list of values."""
    kept = frozenset(values)
    if not kept or not _numeric(kept):
        return Domain(values=kept, null=null)
    found = [measure(v) for v in kept]
    return Domain(min(found), max(found), kept, null)


def domain(schema: Schema, column: Column, depth: int = 0) -> Domain:
    """Return what a column can hold by its fill, without looking at other columns of the row."""
    null = column.missing > 0
    fill = column.fill
    match fill:
        case Pick(values=name):
            items = schema.values[name].items
            return listed(items, null=null) if items else Domain(null=null)
        case Choice(options=options):
            return listed(options, null=null)
        case Chance():
            return Domain(values=frozenset([True, False]), null=False)
        case Number(lo=lo, hi=hi):
            return Domain(lo, hi, null=null)
        case Date(lo=first, hi=last):
            return Domain(measure(first), measure(last), null=null)
        case Reference():
            return Domain(null=null)
        case Aggregate():
            return total(schema, fill, depth)
        case Rank():
            return Domain(1, schema.tables[column.table].rows[1])
        case Share(column=of):
            positive = domain(schema, schema.column(column.table, of), depth + 1).lo >= 0
            return Domain(0, 100) if positive else Domain()
        case _:
            return Domain()


def total(schema: Schema, fill: Aggregate, depth: int = 0) -> Domain:
    """Return what a count, sum or max over child rows can be."""
    ref = schema.column(fill.table, fill.by[0]).fill
    least, most = 0, schema.tables[fill.table].rows[1]
    if len(fill.by) == 1 and isinstance(ref, Reference) and ref.per is not None:
        least, most = (0 if fill.where is not None else ref.per[0]), ref.per[1]
    if fill.column is None:
        return Domain(least, most, null=False)
    if depth > DEEPEST:
        return Domain()
    column = schema.column(fill.table, fill.column)
    one = domain(schema, column, depth + 1)
    if fill.op == "max":
        return Domain(one.lo, one.hi)
    null = one.null or column.nullable
    lo = least * one.lo if one.lo >= 0 and not null else 0.0 if one.lo >= 0 else most * one.lo
    hi = 0.0 if one.hi <= 0 else most * one.hi
    return Domain(lo, hi, null=False)
