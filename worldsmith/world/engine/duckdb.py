"""A world in DuckDB, in memory: for queries that a person types, and for work across worlds."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import duckdb

from worldsmith.errors import UsageError
from worldsmith.schema.structure import parents_first
from worldsmith.world.model import World

LOCKED = ("SET enable_external_access = false", "SET lock_configuration = true")
"""A typed query reads the world and nothing else: no files, no network, no extensions."""


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return the names, a repeated one with the next number that gives no other column's name."""
    taken, result = set(names), list[str]()
    for name in names:
        numbered = (f"{name}_{number}" for number in count(2))
        result.append(name if name not in result else next(n for n in numbered if n not in taken))
        taken.add(result[-1])
    return result


def query(world: World, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the header and the rows of one query; UsageError with the engine's message where it can't be run.

    A name that several columns have is numbered from the second one on: a, a_2. Tables and rows come through SQLModel:
    typed columns, keys and references as the schema declares them.
    """
    from worldsmith.world.typed_rows import create_tables  # noqa: PLC0415 - SQLModel stays off the import path of serve

    connection = duckdb.connect(":memory:", config={"threads": 1})
    try:
        connection.execute(create_tables(world.schema))
        for name in parents_first(world.schema):
            rows = [tuple(row.model_dump().values()) for row in world.rows(name)]
            marks = ", ".join("?" * len(world.tables[name]))
            # One statement with many rows: executemany costs 0.3 s per world here.
            values = ", ".join([f"({marks})"] * len(rows))
            if rows:
                connection.execute(f'INSERT INTO "{name}" VALUES {values}', [v for row in rows for v in row])
        for setting in LOCKED:
            connection.execute(setting)
        statements = connection.extract_statements(sql)
        if len(statements) != 1:
            raise UsageError(f"give one query, not {len(statements)}")
        connection.execute("BEGIN TRANSACTION READ ONLY")
        cursor = connection.execute(statements[0])
        return distinct_names([column[0] for column in cursor.description or ()]), cursor.fetchall()
    except duckdb.Error as error:
        raise UsageError(f"the query can't be run: {error}") from None
    finally:
        connection.close()
