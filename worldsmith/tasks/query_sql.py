"""SQL of queries, written from the tree for SQLite and for DuckDB, and gold by SQLite."""

import sqlite3
from collections.abc import Callable

from worldsmith import expr
from worldsmith.expr import Dialect
from worldsmith.schema import Aggregate, Path, Schema
from worldsmith.tasks.query import Query, Rows, scope_condition
from worldsmith.world.engine import Joins, quote

BASES = "tsrqponmlk"
"""The alias of each query of a chain, the outermost first."""
INTEGER = {"sqlite": "INTEGER", "duckdb": "BIGINT"}


def sql(query: Query, schema: Schema, dialect: Dialect = "sqlite") -> str:
    """Return the SELECT statement of a query. Raises KeyError for a name the schema doesn't know."""
    return _select(query, schema, dialect, 0)


def _select(query: Query, schema: Schema, dialect: Dialect, level: int) -> str:
    base = BASES[level]
    joins = Joins(schema, query.table, base)

    def column(path: Path) -> str:
        tally = query.tally(path)
        return joins.column(path) if tally is None else _tally(query, tally, schema, dialect, f"{base}{path[0][1:]}_")

    if query.described:
        tests = []
    elif query.scope.of is None:
        tests = [expr.sql(scope_condition(schema, query.table, query.scope), dialect, column)]
    else:
        inner = _select(query.scope.of, schema, dialect, level + 1)
        tests = [f"({column((query.scope.column,))} = ({inner}))"]
    tests += [expr.sql(clause, dialect, column) for clause in query.clauses]
    kept = tests[0] if len(tests) == 1 else f"({' AND '.join(tests)})"
    if query.top:
        return _topped(query, column, joins, kept)
    selected = ", ".join(column(path) for path in query.columns)
    order = ", ".join(column(path) for path in query.key)
    return f"SELECT {selected} FROM {joins.source()} WHERE {kept}{order and f' ORDER BY {order}'}"  # noqa: S608 - emitted from the tree


def _topped(query: Query, column: Callable[[Path], str], joins: Joins, kept: str) -> str:
    assert query.top is not None
    names = [f"c{i}" for i in range(len(query.columns))]
    selected = ", ".join(f"{column(path)} AS {name}" for path, name in zip(query.columns, names, strict=True))
    group = f"PARTITION BY {column(query.top.within)} " if query.top.within else ""
    direction = "DESC" if query.top.largest else "ASC"
    place = f"rank() OVER ({group}ORDER BY {column(query.top.path)} {direction}) AS place"
    order = ", ".join(names[query.columns.index(path)] for path in query.key)
    inner = f"SELECT {selected}, {place} FROM {joins.source()} WHERE {kept}"  # noqa: S608 - emitted from the tree
    outer = f"SELECT {', '.join(names)} FROM ({inner}) AS ranked WHERE place <= {query.top.count}"  # noqa: S608
    return f"{outer}{order and f' ORDER BY {order}'}"


def _tally(query: Query, tally: Aggregate, schema: Schema, dialect: Dialect, base: str) -> str:
    """Return a tally as a subquery over the children of the row."""
    joins = Joins(schema, tally.table, base)
    key = schema.tables[query.table].key[0]
    tests = [f"{joins.column(tally.by)} = {base[0]}.{quote(key)}"]
    if tally.where is not None:
        tests.append(expr.sql(tally.where, dialect, joins.column))
    number = "count(*)"
    if tally.column is not None:
        held = joins.column((tally.column,))
        # Sums are of whole numbers: engines add floats in different orders.
        number = f"max({held})" if tally.op == "max" else f"CAST(coalesce(sum({held}), 0) AS {INTEGER[dialect]})"
    return f"(SELECT {number} FROM {joins.source()} WHERE {' AND '.join(tests)})"  # noqa: S608 - emitted from the tree


def gold_sqlite(query: Query, connection: sqlite3.Connection, schema: Schema) -> Rows:
    """Return the rows of a query over a world in SQLite (`engine.attach`), as JSON values."""
    rows = connection.execute(sql(query, schema)).fetchall()
    truths = [i for i, path in enumerate(query.columns) if query.column(schema, path).type == "bool"]
    if not truths:
        return tuple(rows)
    return tuple(tuple(bool(v) if i in truths and v is not None else v for i, v in enumerate(row)) for row in rows)
