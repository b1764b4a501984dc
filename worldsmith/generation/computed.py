"""Computed fills: columns that follow from others and are never drawn."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from worldsmith.generation.filling import Filling, StuckError, Vector
from worldsmith.schema import Aggregate, Column, Derive, Rank, Share, Value


def compute(filling: Filling, column: Column) -> Vector:
    """Return a computed column."""
    return COMPUTES[type(column.fill)](filling, column, column.fill)


def _aggregate(filling: Filling, column: Column, fill: Aggregate) -> Vector:
    return filling.aggregate(column.table, fill)


def groups_of(filling: Filling, table: str, within: str | None) -> Iterable[list[int]]:
    """Return the rows of each group, in order of first appearance."""
    if within is None:
        return [list(range(filling.sizes[table]))]
    groups: dict[Value, list[int]] = {}
    for i, value in enumerate(filling.data[table][within]):
        groups.setdefault(value, []).append(i)
    return groups.values()


def _rank(filling: Filling, column: Column, fill: Rank) -> Vector:
    values = filling.data[column.table][fill.column]
    ranks: Vector = [None] * len(values)
    for rows in groups_of(filling, column.table, fill.within):
        held = Counter(values[i] for i in rows if values[i] is not None)
        place, rank = 1, {}
        for value in sorted(held, reverse=True):
            rank[value] = place
            place += held[value]
        for i in rows:
            ranks[i] = rank.get(values[i])
    return ranks


def _share(filling: Filling, column: Column, fill: Share) -> Vector:
    values = filling.data[column.table][fill.column]
    scale = 10 ** filling.structure.column(column.table, fill.column).decimals
    shares: Vector = [None] * len(values)
    unit = 10**fill.decimals
    for rows in groups_of(filling, column.table, fill.within):
        whole = {i: round(values[i] * scale) for i in rows if values[i] is not None}
        if any(part < 0 for part in whole.values()):
            raise StuckError(f"{column.table}.{column.name}", f"{fill.column} is below 0, and such parts have no share")
        for i, points in largest_remainder(whole, 100 * unit).items():
            shares[i] = points / unit if fill.decimals else points
    return shares


def largest_remainder(parts: dict[int, int], points: int) -> dict[int, int]:
    """Divide `points` in proportion to whole `parts`: floors first, then one each by largest remainder, ties by order.

    Parts that sum to nothing get no share at all.
    """
    total = sum(parts.values())
    if total <= 0:
        return {}
    floors = {i: part * points // total for i, part in parts.items()}
    rest = points - sum(floors.values())
    by_remainder = sorted(parts, key=lambda i: (-(parts[i] * points % total), i))
    for i in by_remainder[:rest]:
        floors[i] += 1
    return floors


def _derive(filling: Filling, column: Column, fill: Derive) -> Vector:
    values = filling.evaluate(column.table, fill.node)
    if column.type == "num":
        return [None if v is None else round(v, column.decimals) for v in values]
    return values


COMPUTES: dict[type, Callable[[Filling, Column, Any], Vector]] = {
    Aggregate: _aggregate,
    Rank: _rank,
    Share: _share,
    Derive: _derive,
}
