"""The columns of a structure under knobs: `per` follows the rows and `--density`, `missing` follows `--density`."""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, floor

from worldsmith.schema import Column, Knobs, Reference, Schema
from worldsmith.schema.cardinality import has_restricted_key, most_repeats

Span = tuple[int, int]
"""Least and most."""


def scaled_column(structure: Schema, column: Column, rows: Mapping[str, Span], knobs: Knobs) -> Column:
    """Return a column as `knobs` change it, the tables having `rows`.

    With `facts`, `per` changes where rows of target and table no longer grow alike. With `density` it is multiplied,
    as far as `rows` allow, and nulls become rarer above 1, commoner below. `missing` changes only where it is set:
    above 1 it is divided by `density` (a reference without candidates may still be null); below 1 the chance of a value
    is multiplied by it. References to the same table keep both: a table that refers to itself is a hierarchy, and
    without roots it would have to go in circles.
    """
    fill, density = column.fill, knobs.density
    if isinstance(fill, Reference) and fill.table == column.table:
        return column
    if isinstance(fill, Reference) and fill.per:
        per = fill.per
        if knobs.facts:
            per = _per_of_rows(structure, column, fill, per, rows)
        if density != 1.0:
            per = _per_of_density(structure, column, fill, per, rows, density)
        column = replace(column, fill=replace(fill, per=per))
    if column.missing and density != 1.0:
        missing = column.missing / density if density > 1 else 1 - (1 - column.missing) * density
        column = replace(column, missing=round(missing, 6))
    return column


def _per_of_rows(structure: Schema, column: Column, fill: Reference, per: Span, rows: Mapping[str, Span]) -> Span:
    step = _growth(structure, column.table, rows) / _growth(structure, fill.table, rows)
    least, most = _narrowest_per(rows[fill.table], rows[column.table])
    # Rounding alone moves nothing: within a tenth, rows grow alike.
    lo = min(least, per[0] if step > 0.9 else floor(per[0] * step))
    hi = max(most, per[1] if step < 1.1 else ceil(per[1] * step))
    return lo, int(min(hi, max(per[1], most_repeats(structure, column, {n: float(r[1]) for n, r in rows.items()}))))


def _per_of_density(
    structure: Schema, column: Column, fill: Reference, per: Span, rows: Mapping[str, Span], density: float
) -> Span:
    table, (lo, hi) = structure.tables[column.table], per
    least, most = _narrowest_per(rows[fill.table], rows[table.name])
    if density < 1:
        return floor(lo * density), max(ceil(hi * density), min(hi, most))
    wider = min(ceil(hi * density), max(hi, most_repeats(structure, column, {n: float(r[0]) for n, r in rows.items()})))
    # A late row may have few combinations or candidates left: its lower bound is never raised above the schema's.
    strict = fill.where is not None or (column.key and len(table.key) > 1 and has_restricted_key(structure, table))
    return lo if strict else max(lo, min(round(lo * density), least)), int(wider)


def _narrowest_per(parents: Span, children: Span) -> Span:
    """Return the narrowest `per` under which children fall on parents: few on few, many on many."""
    ends = tuple(zip(children, parents, strict=True))
    return min(c // p for c, p in ends), max(ceil(c / p) for c, p in ends)


def _growth(structure: Schema, table: str, rows: Mapping[str, Span]) -> float:
    """Return how many times as many rows a table has as its schema gives it, on average."""
    return sum(rows[table]) / sum(structure.tables[table].rows)
