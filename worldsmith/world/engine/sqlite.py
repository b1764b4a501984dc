"""A world in SQLite: in memory, on one reused connection per schema and thread."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from worldsmith.schema import Column, Schema
from worldsmith.world.engine.joins import quote
from worldsmith.world.model import World

AFFINITY = {"int": "INTEGER", "num": "REAL", "text": "TEXT", "date": "TEXT", "bool": "INTEGER"}
"""Dates are ISO text, truth values 0 and 1."""

LISTS = "=values"
"""Table of the world's value lists: (list, item). No schema can give a table this name."""

CONNECTIONS = 16
"""Connections kept per thread: one per schema, of 1 to 2 MB with its prepared statements."""

_local = threading.local()


def _insert_rows(world: World, connection: sqlite3.Connection) -> None:
    """Put the rows of `world` into the empty tables of `connection`; rowid is the row's index + 1."""
    for name, columns in world.tables.items():
        names, marks = ", ".join(map(quote, columns)), ", ".join("?" * len(columns))
        rows = zip(*columns.values(), strict=True)
        connection.executemany(f"INSERT INTO {quote(name)} ({names}) VALUES ({marks})", rows)
    lists = [(name, item) for name, items in world.values.items() for item in items]
    connection.executemany(f"INSERT INTO {quote(LISTS)} VALUES (?, ?)", lists)


class _SharedConnection:
    """A connection to the tables and columns of every structure of a schema that it was used for.

    Structures share most of their tests and queries, and a statement is prepared once. What a structure lacks is
    null for its worlds, and no statement of theirs names it. No constraints: a world to be checked may break them.
    """

    def __init__(self) -> None:
        # A schema has a few hundred tests and queries.
        self.connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False, cached_statements=2048
        )
        for pragma in ("journal_mode = memory", "synchronous = off", "temp_store = memory"):
            self.connection.execute(f"PRAGMA {pragma}")
        self.connection.execute(f"CREATE TABLE {quote(LISTS)} (list TEXT, item)")
        self.columns: dict[str, set[str]] = {}

    def grow(self, structure: Schema) -> None:
        """Add the tables and columns of a structure that are not there yet."""
        for table in structure.tables.values():
            known = self.columns.setdefault(table.name, set())
            new = [c for c in table.columns if c.name not in known]
            if not known:
                columns = ", ".join(map(_declared, new))
                self.connection.execute(f"CREATE TABLE {quote(table.name)} ({columns})")
            for column in new if known else ():
                self.connection.execute(f"ALTER TABLE {quote(table.name)} ADD COLUMN {_declared(column)}")
            # References are followed both ways: joins look up keys, counts and sums look up references.
            for column in new:
                if column.ref or table.key == (column.name,):
                    index, on = quote(f"{table.name}.{column.name}"), quote(table.name)
                    self.connection.execute(f"CREATE INDEX {index} ON {on} ({quote(column.name)})")
            known.update(c.name for c in new)


def _declared(column: Column) -> str:
    return f"{quote(column.name)} {AFFINITY[column.type]}"


@contextmanager
def attach(world: World) -> Iterator[sqlite3.Connection]:
    """Yield a connection that holds `world` until the block ends. Nested use for one schema is an error."""
    all_kept: OrderedDict[str, _SharedConnection] = _local.__dict__.setdefault("kept", OrderedDict())
    kept = all_kept.pop(world.schema.digest, None) or _SharedConnection()
    kept.grow(world.schema)
    connection = kept.connection
    connection.execute("BEGIN")
    try:
        _insert_rows(world, connection)
        yield connection
    finally:
        connection.execute("ROLLBACK")
        all_kept[world.schema.digest] = kept
        if len(all_kept) > CONNECTIONS:
            all_kept.popitem(last=False)[1].connection.close()
