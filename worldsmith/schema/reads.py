"""What filling a column reads, and what a rule reads."""

from collections.abc import Iterator
from dataclasses import fields
from itertools import islice

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.schema.types import (
    After,
    Aggregate,
    Column,
    Fill,
    Path,
    Pick,
    Rank,
    Reference,
    Rule,
    Schema,
    Series,
    Share,
)

Name = tuple[str, str]
"""(table, column), or ("rule", name)."""


def expressions(fill: Fill) -> dict[str, Node]:
    """Return the expressions of a fill by the names of its fields."""
    return {f.name: node for f in fields(fill) if isinstance(node := getattr(fill, f.name), Node)}


def _columns_along(schema: Schema, table: str, path: Path) -> Iterator[Name]:
    """Yield every column that reading `path` from `table` reads."""
    here = table
    for step in path:
        yield here, step
        target = schema.column(here, step).ref
        if target is not None:
            here = target


def _columns_of_node(schema: Schema, table: str, node: Node | None, candidate: str = "") -> Iterator[Name]:
    """Yield the columns that an expression reads; `candidate` is the column whose possible values it judges."""
    for path in expr.paths(node) if node is not None else ():
        # The names of an `each` rule's aggregates aren't columns.
        if path[0] in schema.tables[table].names:
            yield from islice(_columns_along(schema, table, path), path[0] == candidate, None)


def columns_named(schema: Schema, table: str, fill: Fill) -> Iterator[Name]:
    """Yield the columns that a fill of a column of `table` reads outside its expressions."""
    match fill:
        case Reference(table=target):
            yield target, schema.tables[target].key[0]
        case Pick(accent=True):
            yield table, schema.tables[table].key[0]
        case After(path=path):
            yield from _columns_along(schema, table, path)
        case Aggregate(table=child, column=name, by=by):
            yield from _columns_along(schema, child, by)
            if name is not None:
                yield child, name
        case Rank(column=name, within=within) | Share(column=name, within=within) | Series(along=name, within=within):
            yield from ((table, of) for of in (name, within) if of is not None)
        case _:
            pass


def _columns_of_fill(schema: Schema, table: str, fill: Fill, candidate: str = "") -> Iterator[Name]:
    yield from columns_named(schema, table, fill)
    for node in expressions(fill).values():
        yield from _columns_of_node(schema, fill.table if isinstance(fill, Aggregate) else table, node, candidate)


def columns_read(schema: Schema, column: Column) -> tuple[Name, ...]:
    """Return the columns that filling `column` reads."""
    candidate = column.name if isinstance(column.fill, Pick | Reference) else ""
    return tuple(dict.fromkeys(_columns_of_fill(schema, column.table, column.fill, candidate)))


def columns_read_by_rule(schema: Schema, rule: Rule) -> tuple[Name, ...]:
    """Return the columns that a rule reads."""
    names: list[Name] = [(rule.table, c) for c in rule.columns]
    names += _columns_of_node(schema, rule.table, rule.node)
    for _, aggregate in rule.each:
        names += _columns_of_fill(schema, rule.table, aggregate)
    return tuple(dict.fromkeys(names))
