"""Queries evaluated over a world, whose columns are read along paths: sampling and mining look values up here."""

from collections.abc import Sequence

from worldsmith import expr
from worldsmith.cache import cached_method
from worldsmith.expr import Node
from worldsmith.schema import Aggregate, Path, Value
from worldsmith.tasks.query import Query, Scope, Top
from worldsmith.world.model import Row, World


class QueryEvaluator:
    """Values along references and the rows of queries, read once per world."""

    def __init__(self, world: World) -> None:
        self.world = world

    @cached_method
    def values(self, table: str, path: Path) -> Sequence[Value]:
        """Return the value at the end of `path` for every row of `table`, null where a reference on the way is."""
        if len(path) == 1:
            return self.world.tables[table][path[0]]
        target = self.world.schema.walk(table, path[:-1]).ref or ""
        column = self.world.tables[target][path[-1]]
        return [None if i is None else column[i] for i in self.end_rows(table, path[:-1])]

    def query_values(self, query: Query, path: Path) -> Sequence[Value]:
        """Return the values at the end of a path of a query, one of its tallies perhaps, for every row."""
        tally = query.tally(path)
        return self.values(query.table, path) if tally is None else self.tallied(query.table, tally)

    @cached_method
    def tallied(self, table: str, tally: Aggregate) -> Sequence[Value]:
        """Return the count, sum or max of the children of every row of `table` that pass."""
        groups = [self.tallied_children(table, i, tally) for i in range(self.world.size(table))]
        if tally.column is None:
            return [len(group) for group in groups]
        column = self.world.tables[tally.table][tally.column]
        return [_tally(tally.op, [column[i] for i in group]) for group in groups]

    def all_children(self, table: str, index: int, tally: Aggregate) -> tuple[int, ...]:
        """Return all child rows that a tally looks at, in order."""
        key = self.world.tables[table][self.world.schema.tables[table].key[0]][index]
        return tuple(self.world.rows_by_value(tally.table, tally.by[0]).get(key, ()))

    def tallied_children(self, table: str, index: int, tally: Aggregate) -> tuple[int, ...]:
        """Return the child rows that a tally is made of."""
        rows = self.all_children(table, index, tally)
        if tally.where is None:
            return rows
        held, paths = expr.compile_python(tally.where)
        columns = [self.values(tally.table, path) for path in paths]
        return tuple(i for i in rows if held(*(column[i] for column in columns)))

    @cached_method
    def end_rows(self, table: str, refs: Path) -> Sequence[int | None]:
        """Return the index of the row that a chain of references leads to, for every row of `table`."""
        if not refs:
            return range(self.world.size(table))
        target = self.world.schema.walk(table, refs).ref or ""
        places = self.world.rows_by_value(target, self.world.schema.tables[target].key[0])
        return [places[v][0] if v in places else None for v in self.values(table, refs)]

    def cell(self, table: str, index: int, path: Path) -> tuple[Row, str] | None:
        """Return the row and column that a stored path ends at, from row `index`; None where a reference is null."""
        end = self.end_rows(table, path[:-1])[index]
        if end is None:
            return None
        target = self.world.schema.walk(table, path[:-1]).ref if len(path) > 1 else table
        return Row(target or "", end), path[-1]

    def truths(self, query: Query, node: Node, rows: Sequence[int]) -> list[bool | None]:
        """Return what a condition is for each of `rows`: true, false or null."""
        held, paths = expr.compile_python(node)
        columns = [self.query_values(query, path) for path in paths]
        return [held(*(column[i] for column in columns)) for i in rows]

    def scope_values(self, scope: Scope) -> tuple[Value, ...]:
        """Return the values of a scope: those named, or what the query it is given by finds."""
        return scope.values if scope.of is None else (self.single_value(scope.of),)

    @cached_method
    def single_value(self, query: Query) -> Value:
        """Return the one cell of a query, null where it finds none or several rows."""
        rows = self.matching_rows(query)
        return self.query_values(query, query.columns[0])[rows[0]] if len(rows) == 1 else None

    def answer_identity(self, query: Query) -> object:
        """Return what a query leads to, whatever the way: its rows, or the one cell it asks for; None for nothing."""
        rows = self.matching_rows(query)
        if not rows:
            return None
        return (query.table, rows) if query.key else self.cell(query.table, rows[0], query.columns[0])

    def in_scope(self, query: Query) -> tuple[int, ...]:
        """Return the rows in the scope of a query, in order."""
        if query.described:
            return tuple(range(self.world.size(query.table)))
        places = self.world.rows_by_value(query.table, query.scope.column)
        return tuple(sorted(i for value in self.scope_values(query.scope) for i in places.get(value, ())))

    def rows_to_know(self, query: Query) -> tuple[int, ...]:
        """Return the rows of which all must be known that a query reads: those in scope, or the one described.

        That no other row fits a description is what its question says.
        """
        return self.matching_rows(query) if query.described else self.in_scope(query)

    def passing(self, query: Query) -> tuple[int, ...]:
        """Return the rows in scope for which all clauses are true, whatever the top leaves of them."""
        return self._meeting(query, self.in_scope(query))

    def _meeting(self, query: Query, rows: tuple[int, ...]) -> tuple[int, ...]:
        if query.where is None:
            return rows
        return tuple(i for i, true in zip(rows, self.truths(query, query.where, rows), strict=True) if true)

    def matching_rows(self, query: Query) -> tuple[int, ...]:
        """Return the rows of a query in order."""
        rows = self.passing(query)
        return rows if query.top is None else self.leading(query, query.top, rows)

    def rows_without_scope(self, query: Query) -> tuple[int, ...]:
        """Return the rows that a query would have if its scope were the whole table, in order."""
        rows = self._meeting(query, tuple(range(self.world.size(query.table))))
        return rows if query.top is None else self.leading(query, query.top, rows)

    def leading(self, query: Query, top: Top, rows: Sequence[int]) -> tuple[int, ...]:
        """Return those of `rows` before which fewer than the top's count come in their group; null never leads."""
        values = self.query_values(query, top.path)
        groups = self.query_values(query, top.within) if top.within else [None] * len(values)
        ranked: dict[Value, list[Value]] = {}
        rows = [i for i in rows if values[i] is not None]
        for i in rows:
            ranked.setdefault(groups[i], []).append(values[i])
        borders = {group: leaders(held, top)[-1] for group, held in ranked.items()}
        sign = 1 if top.largest else -1
        return tuple(i for i in rows if _order(values[i], borders[groups[i]]) * sign >= 0)


def leaders(held: Sequence[Value], top: Top) -> list[Value]:
    """Return the first values of a group in the order of a top."""
    return sorted(held, reverse=top.largest)[: top.count]  # type: ignore[type-var]  # one type, no null


def _order(a: Value, b: Value) -> int:
    return (a > b) - (a < b)  # type: ignore[operator]  # one type, no null


def _tally(op: str, values: Sequence[Value]) -> Value:
    known = [v for v in values if v is not None]
    if op == "sum":
        return sum(known)  # type: ignore[arg-type]  # whole numbers
    return max(known, default=None)  # type: ignore[type-var, unused-ignore]  # one type
