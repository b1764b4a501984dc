"""How often a row may be referred to: what rows of parent and child, and keys, leave possible."""

from collections.abc import Mapping
from math import ceil, inf, prod

from worldsmith.schema import Column, Reference, Schema, Table
from worldsmith.schema.cardinality import domain

Bounds = tuple[int, int]


def key_of(table: Table) -> list[Column]:
    """Return the columns of a table's key."""
    return [table.column(name) for name in table.key]


def options(structure: Schema, column: Column, sizes: Mapping[str, float]) -> float:
    """Return how many values a column of a key has, the tables it may refer to being of `sizes`."""
    if isinstance(column.fill, Reference):
        return sizes.get(column.fill.table, inf)
    return domain(structure, column)


def tied(structure: Schema, table: Table) -> bool:
    """Whether a `where` or a rule takes some of the combinations of a table's key away."""
    narrowed = any(getattr(c.fill, "where", None) is not None for c in key_of(table))
    return narrowed or any(r.kind == "must" and r.table == table.name for r in structure.rules)


def oftenest(structure: Schema, column: Column, sizes: Mapping[str, float]) -> float:
    """Return how often a column of a composite key can take one value: the combinations of the others."""
    table = structure.tables[column.table]
    others = [c for c in key_of(table) if c.name != column.name]
    return prod(options(structure, c, sizes) for c in others) if column.key and others else inf


def needed(parents: Bounds, children: Bounds) -> Bounds:
    """Return the narrowest `per` under which children fall on parents: few on few, many on many."""
    at = tuple(zip(children, parents, strict=True))
    return min(c // p for c, p in at), max(ceil(c / p) for c, p in at)
