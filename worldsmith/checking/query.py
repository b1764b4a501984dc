"""One SQL test: a query over the rows of a table whose `ok` is true, false or null."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.schema import Path, Schema
from worldsmith.world.engine import Joins, quote

_BROKEN_WEIGHT = 2**32
"""What a broken row adds to the count, beside 1 for each row covered."""


@dataclass(frozen=True)
class Test:
    """A rule (or a part of one) over the rows of a table, as SQL."""

    rule: str
    text: str
    table: str
    source: tuple[str, ...]
    """The parts of the FROM clause: the table, then joins whose aliases are their paths."""
    ok: str
    """The condition."""
    values: tuple[str, ...]
    """The values it reads."""
    value_names: tuple[str, ...]
    """Names of the values."""

    @cached_property
    def sql(self) -> str:
        """A query for i, the row's index, its ok and its values."""
        selected = ", ".join(["t.rowid - 1 AS i", f"({self.ok}) AS ok", *self.values])
        return f"SELECT {selected} FROM {' '.join(self.source)}"

    def count(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """Return how many rows the test says something on, and how many of them break it."""
        # One sum, because SQLite evaluates the condition again wherever its name occurs; null adds nothing.
        count_sql = (
            f"SELECT sum(1 + (ok = 0) * {_BROKEN_WEIGHT}) FROM (SELECT ({self.ok}) AS ok FROM {' '.join(self.source)})"
        )
        (total,) = connection.execute(count_sql).fetchone()
        broken, covered = divmod(total or 0, _BROKEN_WEIGHT)
        return covered, broken


class _PathJoins(Joins):
    """Joins whose aliases are their paths: tests of one table that follow the same reference share its join."""

    def name(self, prefix: Path) -> str:
        return quote(".".join((self.base, *prefix)))


class Scope:
    """Builds the SQL of one test over the rows of `table`, under the alias t."""

    def __init__(self, structure: Schema, table: str) -> None:
        self.structure = structure
        self.table = table
        self.joins = _PathJoins(structure, table)
        self.paths: list[Path] = []
        self.aggregates: dict[str, str] = {}

    def column(self, path: Path) -> str:
        """Return the SQL of a path; aggregates of `each` rules go by their names."""
        if len(path) == 1 and path[0] in self.aggregates:
            return self.aggregates[path[0]]
        return self.joins.column(path)

    def sql(self, node: Node) -> str:
        """Return the SQL of an expression, noting what it reads."""
        self.paths += [p for p in expr.paths(node) if p not in self.paths]
        return expr.sql(node, "sqlite", self.column)

    def test(self, rule: str, text: str, ok: str, extra: Sequence[Path] = ()) -> Test:
        """Return the test whose condition is `ok`; `extra` are further paths to show."""
        paths = list(dict.fromkeys([*extra, *self.paths]))
        values = tuple(self.column(p) for p in paths)
        return Test(rule, text, self.table, self.joins.clauses, ok, values, tuple(".".join(p) for p in paths))


def sql_literal(value: object) -> str:
    """Return a value of the schema as an SQL literal."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int | float):
        return repr(value)
    if value is None:
        return "NULL"
    return "'" + str(value).replace("'", "''") + "'"


def duplicates_sql(table: str, values: Sequence[str]) -> str:
    """Return the query for the values that more than one row of `table` has, nulls aside; usually there are none.

    It is run once per test; a window would sort every row's columns.
    """
    known = " AND ".join(f"{v} IS NOT NULL" for v in values)
    own = ", ".join(values)
    return f"SELECT {own} FROM {quote(table)} WHERE {known} GROUP BY {own} HAVING count(*) > 1"


def child_rows_sql(structure: Schema, child: str, by: Path, key: str, alias: str = "c") -> tuple[Joins, str]:
    """Return the joins over child rows and the condition that `by` leads to the row whose key is `key`."""
    joins = Joins(structure, child, alias)
    return joins, f"{joins.column(by)} = {key}"
