"""One SQL test: a query over the rows of a table whose `ok` is true, false or null."""

from collections.abc import Sequence
from dataclasses import dataclass

from worldsmith import expr
from worldsmith.engine import Joins, quote
from worldsmith.expr import Node
from worldsmith.schema import Path, Schema


@dataclass(frozen=True, slots=True)
class Test:
    """A rule (or a part of one) as SQL. `sql` selects rowid, ok and the values of `shown`."""

    rule: str
    text: str
    table: str
    sql: str
    shown: tuple[str, ...]


class Scope:
    """Builds the SQL of one test over the rows of `table`, under the alias t."""

    def __init__(self, schema: Schema, table: str) -> None:
        self.schema = schema
        self.table = table
        self.joins = Joins(schema, table)
        self.shown: list[Path] = []
        self.named: dict[str, str] = {}

    def column(self, path: Path) -> str:
        """Return the SQL of a path; aggregates of `each` rules go by their names."""
        if len(path) == 1 and path[0] in self.named:
            return self.named[path[0]]
        return self.joins.column(path)

    def sql(self, node: Node) -> str:
        """Return the SQL of an expression, noting what it reads."""
        self.shown += [p for p in expr.paths(node) if p not in self.shown]
        return expr.sql(node, "sqlite", self.column)

    def test(self, rule: str, text: str, ok: str, extra: Sequence[Path] = ()) -> Test:
        """Return the test whose condition is `ok`; `extra` are further paths to show."""
        paths = list(dict.fromkeys([*extra, *self.shown]))
        values = "".join(f", {self.column(p)}" for p in paths)
        sql = f"SELECT t.rowid - 1 AS i, ({ok}) AS ok{values} FROM {self.joins.source()}"
        return Test(rule, text, self.table, sql, tuple(".".join(p) for p in paths))


def literal(value: object) -> str:
    """Return a value of the schema as an SQL literal."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int | float):
        return repr(value)
    if value is None:
        return "NULL"
    return "'" + str(value).replace("'", "''") + "'"


def of_parent(schema: Schema, child: str, by: Path, key: str, alias: str = "c") -> tuple[Joins, str]:
    """Return the joins over child rows and the condition that `by` leads to the row whose key is `key`."""
    joins = Joins(schema, child, alias)
    return joins, f"{joins.column(by)} = {key}"


__all__ = ["Scope", "Test", "literal", "of_parent", "quote"]
