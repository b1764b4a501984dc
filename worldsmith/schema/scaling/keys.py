"""How many rows a key allows, by what its columns can hold."""

from collections.abc import Mapping
from math import inf, prod

from worldsmith.schema import Column, Reference, Schema, Table
from worldsmith.schema.cardinality import value_limit
from worldsmith.schema.rules import Must


def key_columns(table: Table) -> list[Column]:
    """Return the columns of a table's key."""
    return [table.column(name) for name in table.key]


def value_count(structure: Schema, column: Column, sizes: Mapping[str, float]) -> float:
    """Return how many values a key column has, where the tables it may refer to have `sizes`."""
    if isinstance(column.fill, Reference):
        return sizes.get(column.fill.table, inf)
    return value_limit(structure, column)


def has_restricted_key(structure: Schema, table: Table) -> bool:
    """Whether a `where` or a rule excludes some of the combinations of a table's key."""
    narrowed = any(getattr(column.fill, "where", None) is not None for column in key_columns(table))
    return narrowed or any(isinstance(rule, Must) and rule.table == table.name for rule in structure.rules)


def most_repeats(structure: Schema, column: Column, sizes: Mapping[str, float]) -> float:
    """Return how often a column of a composite key can hold one value: the combinations of the other columns."""
    others = [other for other in key_columns(structure.tables[column.table]) if other.name != column.name]
    return prod(value_count(structure, other, sizes) for other in others) if column.key and others else inf
