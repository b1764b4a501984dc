"""A world as columns read along paths: what sampling and mining look things up in."""

from collections.abc import Sequence

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.schema import Path, Value
from worldsmith.tasks.query import Query
from worldsmith.world import Row, World


class Reader:
    """Values and rows along references, read once a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._values: dict[tuple[str, Path], Sequence[Value]] = {}
        self._rows: dict[tuple[str, Path], Sequence[int | None]] = {}

    def values(self, table: str, path: Path) -> Sequence[Value]:
        """Return the value at the end of `path` for every row of `table`, null where a reference on the way is."""
        if len(path) == 1:
            return self.world.tables[table][path[0]]
        found = self._values.get((table, path))
        if found is None:
            target = self.world.schema.walk(table, path[:-1]).ref or ""
            column = self.world.tables[target][path[-1]]
            found = [None if i is None else column[i] for i in self.ends(table, path[:-1])]
            self._values[table, path] = found
        return found

    def ends(self, table: str, refs: Path) -> Sequence[int | None]:
        """Return the index of the row that a chain of references leads to, for every row of `table`."""
        if not refs:
            return range(self.world.size(table))
        found = self._rows.get((table, refs))
        if found is None:
            target = self.world.schema.walk(table, refs).ref or ""
            places = self.world.where(target, self.world.schema.tables[target].key[0])
            found = [places[v][0] if v in places else None for v in self.values(table, refs)]
            self._rows[table, refs] = found
        return found

    def cell(self, table: str, index: int, path: Path) -> tuple[Row, str] | None:
        """Return the row and column that a path ends at, from row `index`; None where a reference is null."""
        end = self.ends(table, path[:-1])[index]
        if end is None:
            return None
        target = self.world.schema.walk(table, path[:-1]).ref if len(path) > 1 else table
        return Row(target or "", end), path[-1]

    def truths(self, table: str, node: Node, rows: Sequence[int]) -> list[bool | None]:
        """Return what a condition is for each of `rows`: true, false or null."""
        held, paths = expr.compile_python(node)
        columns = [self.values(table, path) for path in paths]
        return [held(*(column[i] for column in columns)) for i in rows]

    def in_scope(self, query: Query) -> tuple[int, ...]:
        """Return the rows in the scope of a query, in order."""
        places = self.world.where(query.table, query.scope.column)
        return tuple(sorted(i for value in query.scope.values for i in places.get(value, ())))

    def kept(self, query: Query) -> tuple[int, ...]:
        """Return the rows of a query in order."""
        rows = self.in_scope(query)
        if query.where is None:
            return rows
        return tuple(i for i, true in zip(rows, self.truths(query.table, query.where, rows), strict=True) if true)
