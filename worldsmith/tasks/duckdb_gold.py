"""Gold again, by a second engine: DuckDB reads a world's rows from JSON in memory and runs its own SQL."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import duckdb
import orjson

from worldsmith import expr
from worldsmith.schema import Path, Schema
from worldsmith.tasks.query import Query, Rows, is_tally
from worldsmith.tasks.query_sql import sql
from worldsmith.world.engine import quote
from worldsmith.world.model import World

TYPES = {"int": "BIGINT", "num": "DOUBLE", "text": "VARCHAR", "date": "DATE", "bool": "BOOLEAN"}


def connect() -> duckdb.DuckDBPyConnection:
    """Return an empty database in memory, for one thread."""
    connection = duckdb.connect(":memory:", config={"threads": 1})
    connection.execute("PRAGMA disable_optimizer")
    return connection


def load(world: World, connection: duckdb.DuckDBPyConnection, tables: Iterable[str]) -> None:
    """Make tables of a world in `connection`, replacing older ones of their names."""
    for name in tables:
        table = world.schema.tables[name]
        kinds = ", ".join(f'"{c.name}": "{TYPES[c.type]}"' for c in table.columns)
        columns = world.tables[name]
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        connection.execute(
            f"CREATE OR REPLACE TABLE {quote(name)} AS "
            f"SELECT unnest(from_json($1, '[{{{kinds}}}]'), recursive := true)",
            [orjson.dumps(rows).decode()],
        )


def gold_duckdb(batch: Sequence[tuple[World, Sequence[Query]]]) -> list[list[Rows]]:
    """Return the rows of each query over its world, as JSON values; one connection serves the batch."""
    connection = connect()
    try:
        return [_of_world(world, queries, connection) for world, queries in batch]
    finally:
        connection.close()


def _of_world(world: World, queries: Sequence[Query], connection: duckdb.DuckDBPyConnection) -> list[Rows]:
    tables = dict.fromkeys(name for query in queries for name in read_tables(query, world.schema))
    load(world, connection, tables)
    return [_rows(connection.execute(sql(query, world.schema, "duckdb")).fetchall()) for query in queries]


def read_tables(query: Query, schema: Schema) -> tuple[str, ...]:
    """Return the tables a query reads, its own first."""
    tables: list[str] = []
    for one in reversed(list(query.chain())):
        tables.append(one.table)
        for path in (*one.columns, *one.evidence, *one.ranked):
            tables += _through(schema, one.table, path)
        for tally in one.tallies:
            tables.append(tally.table)
            read = () if tally.where is None else expr.paths(tally.where)
            tables += [name for path in read for name in _through(schema, tally.table, path)]
    return tuple(dict.fromkeys(tables))


def _through(schema: Schema, table: str, path: Path) -> list[str]:
    """Return the tables that a path leads through."""
    return [] if is_tally(path) else [schema.walk(table, path[:i]).ref or "" for i in range(1, len(path))]


def _rows(rows: list[tuple[Any, ...]]) -> Rows:
    return tuple(tuple(v.isoformat() if isinstance(v, date) else v for v in row) for row in rows)
