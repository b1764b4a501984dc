"""A world while it is being filled: columns so far, and vectors along references."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any

from worldsmith import expr, seeding
from worldsmith.expr import Node
from worldsmith.naming import Namer
from worldsmith.schema import Aggregate, Column, Path, Schema, Value

Vector = list[Any]


class StuckError(Exception):
    """This attempt can't be finished: `place` and `rule` as in GenerationError, `text` is the reason."""

    def __init__(self, place: str, text: str, rule: str | None = None) -> None:
        super().__init__(f"{place}: {text}")
        self.place = place
        self.text = text
        self.rule = rule


class Filling:
    """The columns filled so far of one attempt at a world."""

    def __init__(self, structure: Schema, seed: int, attempt: int, sizes: dict[str, int]) -> None:
        self.structure = structure
        self.seed = seed
        self.attempt = attempt
        self.sizes = sizes
        self.data: dict[str, dict[str, Vector]] = {name: {} for name in structure.tables}
        self.values: dict[str, tuple[Value, ...]] = {}
        # One namer per attempt: a world's names come from a few cultures, and no two of them are near-twins.
        self.namer = Namer(seeding.draw(seed, "names", structure.name, attempt), kinds=structure.name_kinds)
        # Keys that are drawn before all columns, because rows of two tables share some of them.
        self.drawn_keys: dict[tuple[str, str], Vector] = {}
        self._target_rows: dict[tuple[str, str], list[int | None]] = {}
        self._drawn_once: dict[tuple[str, str, str], Vector] = {}

    def rng(self, *path: str | int) -> random.Random:
        """Return the random generator of one column (or repair round) of this attempt."""
        return seeding.rng(self.seed, "world", self.structure.name, self.attempt, *path)

    def drawn_once(self, what: str, column: Column, draw_values: Callable[[random.Random], Vector]) -> Vector:
        """Return values drawn once per attempt for a column, however often its cells are redrawn."""
        place = (column.table, column.name, what)
        values = self._drawn_once.get(place)
        if values is None:
            values = self._drawn_once[place] = draw_values(self.rng(*place))
        return values

    def set_column(self, table: str, column: str, values: Vector) -> None:
        """Set a column; cached target rows that depend on it are dropped."""
        self.data[table][column] = values
        if self._target_rows:
            is_key = column in self.structure.tables[table].key
            for known in [
                k for k in self._target_rows if k == (table, column) or (is_key and self._target(k) == table)
            ]:
                del self._target_rows[known]

    def _target(self, link: tuple[str, str]) -> str | None:
        return self.structure.column(*link).ref

    def target_rows(self, table: str, ref: str) -> list[int | None]:
        """Return, for each row of `table`, the index of the row its `ref` points to."""
        indices = self._target_rows.get((table, ref))
        if indices is None:
            target = self.structure.column(table, ref).ref
            assert target is not None, (table, ref)
            key = self.data[target][self.structure.tables[target].key[0]]
            place = {value: i for i, value in enumerate(key)}
            indices = self._target_rows[table, ref] = [place.get(v) for v in self.data[table][ref]]
        return indices

    def vector(self, table: str, path: Path) -> Vector:
        """Return the value of `path` for each row of `table`."""
        if len(path) == 1:
            return self.data[table][path[0]]
        target = self.structure.column(table, path[0]).ref
        assert target is not None, (table, path)
        below = self.vector(target, path[1:])
        return [None if j is None else below[j] for j in self.target_rows(table, path[0])]

    def evaluate(self, table: str, node: Node, **extra: Vector) -> Vector:
        """Return the value of an expression for each row of `table`; `extra` are temporary columns."""
        function, paths = expr.compile_python(node)
        if not paths:
            return [function()] * self.sizes[table]
        return list(map(function, *(extra[p[0]] if p[0] in extra else self.vector(table, p) for p in paths)))

    def evaluate_for(self, rows: Sequence[int], table: str, node: Node) -> Vector:
        """Return the value of an expression for some rows of `table`, in their order."""
        if len(rows) == self.sizes[table]:
            return self.evaluate(table, node)
        function, paths = expr.compile_python(node)
        columns = [self.vector(table, p) for p in paths]
        return [function(*(column[i] for column in columns)) for i in rows]

    def rows_where(self, table: str, node: Node, wanted: bool, **extra: Vector) -> list[int]:
        """Return the rows of `table` where a condition is `wanted`; `extra` are temporary columns."""
        function, paths = expr.compile_filter(node, wanted)
        columns = [extra[p[0]] if p[0] in extra else self.vector(table, p) for p in paths]
        return function(range(self.sizes[table]), *columns)

    def aggregate(self, table: str, fill: Aggregate) -> Vector:
        """Return a count, sum or max for each row of `table`; decimals are added as whole last digits."""
        parents: Iterable[Value] = self.vector(fill.table, fill.by)
        column = None if fill.column is None else self.data[fill.table][fill.column]
        if fill.where is not None:
            mask = [ok is True for ok in self.evaluate(fill.table, fill.where)]
            parents = compress(parents, mask)
            column = None if column is None else list(compress(column, mask))
        keys = self.data[table][self.structure.tables[table].key[0]]
        if column is None:
            counts = Counter(parents)
            return [counts[key] for key in keys]
        return [aggregate_values(fill, self._decimals(fill), values) for values in _grouped(keys, parents, column)]

    def _decimals(self, fill: Aggregate) -> int:
        assert fill.column is not None
        return self.structure.column(fill.table, fill.column).decimals


def _grouped(keys: Sequence[Value], parents: Iterable[Value], column: Sequence[Value]) -> Iterable[list[Any]]:
    lists: defaultdict[Value, list[Any]] = defaultdict(list)
    for parent, value in zip(parents, column, strict=True):
        if value is not None:
            lists[parent].append(value)
    return (lists.get(key, []) for key in keys)


def aggregate_values(fill: Aggregate, decimals: int, values: list[float]) -> float | None:
    """Return the sum (0 for none) or the largest (null for none) of `values`."""
    if fill.op == "max":
        return max(values, default=None)
    if not decimals:
        return sum(values)
    scale: int = 10**decimals
    return sum(round(v * scale) for v in values) / scale
