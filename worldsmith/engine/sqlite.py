"""A world in SQLite: in memory, on one reused connection a structure and thread."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from worldsmith.engine.joins import quote
from worldsmith.schema import Column, Schema
from worldsmith.world import World

AFFINITY = {"int": "INTEGER", "num": "REAL", "text": "TEXT", "date": "TEXT", "bool": "INTEGER"}
"""Dates are ISO text, truth values 0 and 1."""

LISTS = "=values"
"""Table of the world's value lists: (list, item). No schema can name a table so."""

KEPT = 64
"""Connections kept a thread: one a structure, of under 1 MB with its prepared statements."""

_local = threading.local()


def ddl(schema: Schema, table: str) -> str:
    """Return CREATE TABLE for a table; no constraints, since a world to be checked may break them."""

    def column(c: Column) -> str:
        return f"{quote(c.name)} {AFFINITY[c.type]}"

    return f"CREATE TABLE {quote(table)} ({', '.join(map(column, schema.tables[table].columns))})"


def load(world: World, connection: sqlite3.Connection) -> None:
    """Put the rows of `world` into the empty tables of `connection`; rowid is the row's index + 1."""
    for name, columns in world.tables.items():
        marks = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO {quote(name)} VALUES ({marks})", zip(*columns.values(), strict=True))
    lists = [(name, item) for name, items in world.values.items() for item in items]
    connection.executemany(f"INSERT INTO {quote(LISTS)} VALUES (?, ?)", lists)


def _connect(schema: Schema) -> sqlite3.Connection:
    # A structure has about a hundred tests and queries: prepared once, since its tables never change.
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False, cached_statements=1024)
    for pragma in ("journal_mode = memory", "synchronous = off", "temp_store = memory"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(f"CREATE TABLE {quote(LISTS)} (list TEXT, item)")
    for table in schema.tables.values():
        connection.execute(ddl(schema, table.name))
        # References are followed both ways: joins go by key, counts and sums by reference.
        followed = [*(table.key if len(table.key) == 1 else ()), *(c.name for c in table.refs)]
        for name in followed:
            index = quote(f"{table.name}.{name}")
            connection.execute(f"CREATE INDEX {index} ON {quote(table.name)} ({quote(name)})")
    return connection


@contextmanager
def attach(world: World) -> Iterator[sqlite3.Connection]:
    """Give a connection that holds `world`, until the block ends. Nested use for one structure is an error."""
    kept: OrderedDict[tuple[str, frozenset[str]], sqlite3.Connection] = _local.__dict__.setdefault(
        "kept", OrderedDict()
    )
    structure = (world.schema.digest, world.schema.switches)
    connection = kept.pop(structure, None) or _connect(world.schema)
    connection.execute("BEGIN")
    try:
        load(world, connection)
        yield connection
    finally:
        connection.execute("ROLLBACK")
        kept[structure] = connection
        if len(kept) > KEPT:
            kept.popitem(last=False)[1].close()
