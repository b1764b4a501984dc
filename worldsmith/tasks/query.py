"""The logical form of a task: which rows of one table, within which scope, under which condition, and which cells.

A Query is a tree, never parsed from text. Its SQL is emitted for two engines from the same tree, and its meaning in
Python (`Reader`) is a third reading, used by mining and by the oracle.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldsmith import expr
from worldsmith.engine import Joins
from worldsmith.errors import FormatError
from worldsmith.expr import Node
from worldsmith.expr.typed import call
from worldsmith.schema import Path, Schema, Value

Rows = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """The rows whose `column`, one that list pages are made by, holds one of `values`."""

    column: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """Rows of `table` in `scope` for which `where` is true; `columns` of them, in the order of `key`."""

    table: str
    scope: Scope
    where: Node | None
    columns: tuple[Path, ...]
    key: tuple[Path, ...]
    """The columns that tell rows apart; they are among `columns`."""

    @property
    def clauses(self) -> tuple[Node, ...]:
        """The conditions that must all hold."""
        if self.where is None:
            return ()
        return self.where.args if isinstance(self.where, expr.Call) and self.where.op == "and" else (self.where,)

    @property
    def evidence(self) -> tuple[Path, ...]:
        """The paths that must be known of every row in scope, gold or not: key, scope and what clauses read."""
        read = [path for clause in self.clauses for path in expr.paths(clause)]
        return tuple(dict.fromkeys((*self.key, (self.scope.column,), *read)))

    @property
    def fixed(self) -> dict[Path, Value]:
        """What the question itself tells of every row: a scope of one value, and clauses that leave only one."""
        told: dict[Path, Value] = {(self.scope.column,): self.scope.values[0]} if len(self.scope.values) == 1 else {}
        for clause in self.clauses:
            told |= _told(clause)
        return told

    def to_json(self) -> dict[str, Any]:
        """Return the query as JSON values."""
        return {
            "table": self.table,
            "scope": {"column": self.scope.column, "values": list(self.scope.values)},
            "where": None if self.where is None else expr.to_json(self.where),
            "columns": [list(path) for path in self.columns],
            "key": [list(path) for path in self.key],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Query":
        """Read what `to_json` wrote; FormatError for anything else."""
        try:
            scope, where = data["scope"], data["where"]
            return cls(
                str(data["table"]),
                Scope(scope["column"], tuple(scope["values"])),
                None if where is None else expr.from_json(where),
                tuple(map(tuple, data["columns"])),
                tuple(map(tuple, data["key"])),
            )
        except (KeyError, TypeError) as error:
            raise FormatError(
                f"a query has table, scope, where, columns and key: {error!r} in {str(data)[:80]}"
            ) from None


def _told(clause: Node) -> dict[Path, Value]:
    match clause:
        case expr.Path(parts):
            return {parts: True}
        case expr.Call("not", (expr.Path(parts),)):
            return {parts: False}
        case expr.Call("is null", (expr.Path(parts),)):
            return {parts: None}
        case expr.Call("=", (expr.Path(parts), expr.Const(value))):
            return {parts: value}
        case _:
            return {}


def both(clauses: Sequence[Node]) -> Node | None:
    """Return the condition that all clauses hold; None for none."""
    return None if not clauses else clauses[0] if len(clauses) == 1 else call("and", clauses)


def within(schema: Schema, table: str, scope: Scope) -> Node:
    """Return the scope as a condition."""
    kind = schema.column(table, scope.column).type
    held = [expr.Const(value, kind) for value in scope.values]
    path = expr.Path((scope.column,), kind)
    return call("=", [path, held[0]]) if len(held) == 1 else call("in", [path, *held])


def sql(query: Query, schema: Schema, dialect: expr.Dialect = "sqlite") -> str:
    """Return the SELECT statement of a query. Raises KeyError for a name the schema doesn't know."""
    joins = Joins(schema, query.table)
    condition = both([within(schema, query.table, query.scope), *query.clauses])
    assert condition is not None
    kept = expr.sql(condition, dialect, joins.column)
    selected = ", ".join(joins.column(path) for path in query.columns)
    order = ", ".join(joins.column(path) for path in query.key)
    return f"SELECT {selected} FROM {joins.source()} WHERE {kept} ORDER BY {order}"  # noqa: S608 - emitted from the tree


def gold(query: Query, connection: sqlite3.Connection, schema: Schema) -> Rows:
    """Return the rows of a query over a world in SQLite (`engine.attach`), as JSON values."""
    rows = connection.execute(sql(query, schema)).fetchall()
    truths = [i for i, path in enumerate(query.columns) if schema.walk(query.table, path).type == "bool"]
    if not truths:
        return tuple(rows)
    return tuple(tuple(bool(v) if i in truths and v is not None else v for i, v in enumerate(row)) for row in rows)
