"""What a schema expects of its worlds taken together, beside what they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.schema.types import Expectation
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.world.model import World

FEWEST = 8
"""Rows of a world from which its rank correlation is taken: of fewer it is mostly chance."""


@dataclass
class ExpectedFigure:
    """An expectation and what worlds have in its place so far: their mean, each world weighed by its rows."""

    expectation: Expectation
    worlds: int = 0
    rows: int = 0
    total: float = 0.0

    @property
    def value(self) -> float | None:
        """The figure over all worlds; None where no world has a row that counts."""
        return self.total / self.rows if self.rows else None

    @property
    def ok(self) -> bool:
        """Whether it lies where it is expected, or can't be told."""
        low, high = self.expectation.between
        return self.value is None or low <= self.value <= high

    def add(self, world: World, evaluator: QueryEvaluator) -> None:
        """Add the rows of a world."""
        expectation = self.expectation
        where = expr.Const(True, "bool") if expectation.where is None else expectation.where
        columns = [_values(world, evaluator, expectation.table, node) for node in (where, *expectation.nodes)]
        rows = [row for counts, *row in zip(*columns, strict=True) if counts and None not in row]
        if not rows or (expectation.figure == "trend" and len(rows) < FEWEST):
            return
        if expectation.figure == "trend":
            figure = rank_correlation(*zip(*rows, strict=True))
        else:
            figure = sum(float(value) for (value,) in rows) / len(rows)
        if figure is not None:
            self.worlds, self.rows, self.total = self.worlds + 1, self.rows + len(rows), self.total + figure * len(rows)

    def to_json(self) -> dict[str, Any]:
        """Return the figure as JSON values."""
        one = self.expectation
        return {
            "name": one.name,
            "text": one.text,
            "between": list(one.between),
            "value": self.value,
            "ok": self.ok,
            "worlds": self.worlds,
            "rows": self.rows,
        }


def _values(world: World, evaluator: QueryEvaluator, table: str, node: Node) -> list[Any]:
    """Return the value of an expression for every row of a table."""
    function, paths = expr.compile_python(node)
    columns = [evaluator.values(table, path) for path in paths]
    return [function(*(column[i] for column in columns)) for i in range(world.size(table))]


def rank_correlation(first: Sequence[Any], second: Sequence[Any]) -> float | None:
    """Return Spearman's rank correlation, equal values at their mean rank; None where a side has one value only."""
    a, b = _centred_ranks(first), _centred_ranks(second)
    size = (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
    return sum(x * y for x, y in zip(a, b, strict=True)) / size if size else None


def _centred_ranks(values: Sequence[Any]) -> list[float]:
    """Return the rank of each value less the mean of all ranks."""
    ordered = sorted(values)
    first = {value: i for i, value in reversed(list(enumerate(ordered)))}
    last = {value: i for i, value in enumerate(ordered)}
    middle = (len(values) - 1) / 2
    return [(first[value] + last[value]) / 2 - middle for value in values]
