"""--density: rows refer to each other more or less often, and cells are null less or more often."""

from dataclasses import replace
from math import ceil, floor

from worldsmith.schema import Column, Reference, Schema, Table
from worldsmith.schema.scaling.references import Bounds, needed, oftenest, tied


def denser(structure: Schema, density: float) -> dict[str, Table]:
    """Return the tables with every `per` multiplied by `density`, and nulls rarer above 1, commoner below.

    `rows` stay, so bounds go no further than these allow. `missing` changes only where it is set: above 1 it is
    divided by `density` (a reference without candidates may still be null); below 1 the chance of a value is
    multiplied by it; a reference to the same table keeps it.
    """
    return {
        t.name: replace(t, columns=tuple(_column(structure, c, density) for c in t.columns))
        for t in structure.tables.values()
    }


def _column(structure: Schema, column: Column, density: float) -> Column:
    fill = column.fill
    # A table that refers to itself is a hierarchy: without roots it would have to go in circles.
    if column.missing and not (isinstance(fill, Reference) and fill.table == column.table):
        missing = column.missing / density if density > 1 else 1 - (1 - column.missing) * density
        column = replace(column, missing=round(missing, 6))
    if isinstance(fill, Reference) and fill.per and fill.table != column.table:
        column = replace(column, fill=replace(fill, per=_per(structure, column, fill, fill.per, density)))
    return column


def _per(structure: Schema, column: Column, fill: Reference, per: Bounds, density: float) -> Bounds:
    table, (lo, hi) = structure.tables[column.table], per
    least, most = needed(structure.tables[fill.table].rows, table.rows)
    if density < 1:
        return floor(lo * density), max(ceil(hi * density), min(hi, most))
    sizes = {t.name: float(t.rows[0]) for t in structure.tables.values()}
    wider = min(ceil(hi * density), max(hi, oftenest(structure, column, sizes)))
    # A late row may have few combinations or candidates left: no more are asked of it than the schema asks.
    strict = fill.where is not None or (column.key and len(table.key) > 1 and tied(structure, table))
    return lo if strict else max(lo, min(round(lo * density), least)), int(wider)
