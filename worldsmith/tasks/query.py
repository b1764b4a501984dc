"""The logical form of a task: which rows of one table, within which scope, under which condition, and which cells.

A Query is a tree, never parsed from text. `query_sql` writes its SQL for two engines from the same tree, and its
meaning in Python (`QueryEvaluator`) is a third reading, used by mining.

A path may start with a *tally*, a number made of child rows that no column stores: ("#0",) is the first of
`Query.tallies`. A scope may be given by the one cell of another query (`Scope.of`): so chains of any length are made.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldsmith import expr
from worldsmith.errors import FormatError
from worldsmith.expr import Node, Type
from worldsmith.expr.tree import walk
from worldsmith.expr.typed import call
from worldsmith.lang.morphology import lower
from worldsmith.lang.page_phrases import capital
from worldsmith.schema import Aggregate, Column, Path, Schema, Value

HOPS = 4
"""Columns on a path at most: joins of up to four tables."""

Rows = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """The rows whose `column` holds one of `values`, or, where there is a query `of`, what its one cell holds.

    List pages are made by the column, or it is the key of a table that has pages about its rows. With neither values
    nor query it is every row: one of them is described.
    """

    column: str
    values: tuple[Value, ...]
    of: "Query | None" = None


@dataclass(frozen=True, slots=True)
class Top:
    """The `count` rows with the largest (else smallest) value at `path`, among those that agree on `within`."""

    path: Path
    count: int
    largest: bool
    within: Path | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """Rows of `table` in `scope` for which `where` is true, of them the `top`; `columns`, in the order of `key`."""

    table: str
    scope: Scope
    where: Node | None
    columns: tuple[Path, ...]
    key: tuple[Path, ...]
    """The columns that tell rows apart; they are among `columns`. None where one cell is asked for."""
    tallies: tuple[Aggregate, ...] = ()
    top: Top | None = None

    @property
    def clauses(self) -> tuple[Node, ...]:
        """The conditions that must all hold."""
        if self.where is None:
            return ()
        return self.where.args if isinstance(self.where, expr.Call) and self.where.op == "and" else (self.where,)

    @property
    def read(self) -> tuple[Path, ...]:
        """The paths that conditions read of every row in scope, tallies among them."""
        return tuple(dict.fromkeys(path for clause in self.clauses for path in expr.paths(clause)))

    @property
    def ranked(self) -> tuple[Path, ...]:
        """The paths that the top reads of the rows that meet the conditions."""
        if self.top is None:
            return ()
        return (self.top.path, *((self.top.within,) if self.top.within else ()))

    @property
    def evidence(self) -> tuple[Path, ...]:
        """The stored paths that must be known of every row in scope, gold or not: key, scope and what clauses read."""
        return tuple(dict.fromkeys((*self.key, (self.scope.column,), *(p for p in self.read if not is_tally(p)))))

    @property
    def fixed(self) -> dict[Path, Value]:
        """What the question itself tells of every row: a scope of one value, and clauses that leave only one."""
        fixed_values: dict[Path, Value] = {}
        if len(self.scope.values) == 1:
            fixed_values[self.scope.column,] = self.scope.values[0]
        for clause in self.clauses:
            fixed_values |= _fixed_by(clause)
        return fixed_values

    def tally(self, path: Path) -> Aggregate | None:
        """Return the tally that a path names; None for a stored one."""
        return self.tallies[int(path[0][1:])] if is_tally(path) else None

    def column(self, schema: Schema, path: Path) -> Column:
        """Return the column at the end of a path, made up for a tally. Raises KeyError for an unknown one."""
        tally = self.tally(path)
        return schema.walk(self.table, path) if tally is None else tally_column(schema, tally, path[0])

    def chain(self) -> Iterator["Query"]:
        """Yield the queries that give the scope, the first of them first, and this one."""
        if self.scope.of is not None:
            yield from self.scope.of.chain()
        yield self

    @property
    def hops(self) -> int:
        """The relations followed from what the question names to the cells asked for, the longest way."""
        before = self.scope.of.hops if self.scope.of is not None else 0
        described_by = len(self.tallies) if self.described else 0
        return before + (not self.named) + described_by + max(len(path) for path in self.columns)

    @property
    def named(self) -> bool:
        """Whether a chain starts here, from a row that the question names, rather than from one picked in a list."""
        return self.scope.of is None and self.where is None and self.top is None and not self.key

    @property
    def described(self) -> bool:
        """Whether a chain starts here, from the one row of the whole table that a description fits."""
        return not self.scope.values and self.scope.of is None

    @property
    def shape(self) -> str:
        """The form without columns and constants: tables, joins and operators, one text for one form."""
        return "; ".join(_query_shape(query) for query in self.chain())

    @property
    def near_duplicate_key(self) -> tuple[str, tuple[Path, ...]]:
        """What near-duplicates share: the shape, and the columns shown, read and ranked by, without constants."""
        paths = {p for one in self.chain() for p in (*one.columns, *one.read, *one.ranked) if not is_tally(p)}
        return self.shape, tuple(sorted(paths))

    def to_json(self) -> dict[str, Any]:
        """Return the query as JSON values."""
        scope: dict[str, Any] = {"column": self.scope.column, "values": list(self.scope.values)}
        if self.scope.of is not None:
            scope["of"] = self.scope.of.to_json()
        data: dict[str, Any] = {
            "table": self.table,
            "scope": scope,
            "where": None if self.where is None else expr.to_json(self.where),
            "columns": [list(path) for path in self.columns],
            "key": [list(path) for path in self.key],
        }
        if self.tallies:
            data["tallies"] = [_tally_json(t) for t in self.tallies]
        if self.top:
            within = None if self.top.within is None else list(self.top.within)
            top = {"path": list(self.top.path), "count": self.top.count, "largest": self.top.largest, "within": within}
            data["top"] = top
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Query":
        """Read what `to_json` wrote; FormatError for anything else."""
        try:
            scope, where, top = data["scope"], data["where"], data.get("top")
            of = cls.from_json(scope["of"]) if "of" in scope else None
            return cls(
                str(data["table"]),
                Scope(scope["column"], tuple(scope["values"]), of),
                None if where is None else expr.from_json(where),
                tuple(map(tuple, data["columns"])),
                tuple(map(tuple, data["key"])),
                tuple(map(_read_tally, data.get("tallies", ()))),
                None if top is None else _read_top(top),
            )
        except (KeyError, TypeError, AttributeError):
            raise FormatError(f"a query has table, scope, where, columns and key, unlike {str(data)[:80]}") from None


def is_tally(path: Path) -> bool:
    """Tell whether a path names a tally."""
    return path[0].startswith("#")


def tally_column(schema: Schema, tally: Aggregate, name: str = "#0") -> Column:
    """Return a tally as a column: "Licences counted", "Yearly fee added up (crowns)", "Highest score (of 100)"."""
    child = schema.tables[tally.table]
    kind: Type = "int"
    label, unit, decimals = f"{capital(child.plural)} counted", "", 0
    if tally.column is not None:
        source = child.column(tally.column)
        kind, unit, decimals = source.type, source.unit, source.decimals
        label = f"{source.label} added up" if tally.op == "sum" else f"Highest {lower(source.label)}"
    return Column(
        child.name, name, tally, kind, label, lower(label), "page", unit, decimals, 0.0, "none", None, key=False
    )


def _tally_json(tally: Aggregate) -> dict[str, Any]:
    where = None if tally.where is None else expr.to_json(tally.where)
    return {"op": tally.op, "table": tally.table, "column": tally.column, "by": list(tally.by), "where": where}


def _read_tally(data: Mapping[str, Any]) -> Aggregate:
    where = data["where"]
    if data["op"] not in {"count", "sum", "max"}:
        raise FormatError(f"a tally is a count, sum or max, not {str(data['op'])[:40]!r}")
    node = None if where is None else expr.from_json(where)
    return Aggregate(data["op"], data["table"], data["column"], tuple(data["by"]), node)


def _read_top(data: Mapping[str, Any]) -> Top:
    within = data["within"]
    return Top(
        tuple(data["path"]), int(data["count"]), bool(data["largest"]), None if within is None else tuple(within)
    )


def _fixed_by(clause: Node) -> dict[Path, Value]:
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


def _query_shape(query: Query) -> str:
    """Return tables and operators: paths become the tables they lead through."""

    def shape(node: Node, table: str) -> str:
        match node:
            case expr.Path(parts):
                tally = query.tally(parts) if table == query.table else None
                if tally is None:
                    return ".".join(parts[:-1]) + "._"
                inner = "" if tally.where is None else shape(tally.where, tally.table)
                return f"{tally.op}({tally.table}.{'.'.join(tally.by)}{inner and ': '}{inner})"
            case expr.Call(op, args):
                kept = args[:1] if op == "in" else args
                return f"{op}({', '.join(shape(a, table) for a in kept)})"
            case _:
                return "?"

    scope = "of" if query.scope.of else "described" if query.described else "in" if len(query.scope.values) > 1 else "="
    parts = [query.table, scope]
    parts += sorted(shape(clause, query.table) for clause in query.clauses)
    if query.top:
        within = " within" if query.top.within else ""
        parts.append(f"top({shape(expr.Path(query.top.path, 'int'), query.table)}{within})")
    joined = sorted(
        {".".join(p[:-1]) if not is_tally(p) else shape(expr.Path(p, "int"), query.table) for p in query.columns}
    )
    return " | ".join([*parts, "+".join(j for j in joined if j)])


def conjunction(clauses: Sequence[Node]) -> Node | None:
    """Return the condition that all clauses hold; None for none."""
    return None if not clauses else clauses[0] if len(clauses) == 1 else call("and", clauses)


def scope_condition(schema: Schema, table: str, scope: Scope) -> Node:
    """Return a scope of named values as a condition."""
    kind = schema.column(table, scope.column).type
    held = [expr.Const(value, kind) for value in scope.values]
    path = expr.Path((scope.column,), kind)
    return call("=", [path, held[0]]) if len(held) == 1 else call("in", [path, *held])


def constants(query: Query) -> frozenset[Value]:
    """Return the values that the question of a query has to hold."""
    values: set[Value] = set()
    for one in query.chain():
        conditions = [*one.clauses, *(tally.where for tally in one.tallies if tally.where is not None)]
        nodes = [node for clause in conditions for node in walk(clause)]
        values |= {*one.scope.values, *(node.value for node in nodes if isinstance(node, expr.Const))}
        values |= {one.top.count} if one.top else set()
    return frozenset(values)
