"""Drawn fills: values for some rows of one column, from random draws and the columns filled before."""

import random
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache
from typing import Any, Final

from worldsmith import expr
from worldsmith.expr import Call, Node
from worldsmith.expr import Path as PathNode
from worldsmith.generation.faker_pools import pool
from worldsmith.generation.filling import Filling, StuckError, Vector
from worldsmith.schema import After, Chance, Choice, Column, Date, Faker, Invent, Number, Pick, Reference, Series, Value

Rows = Sequence[int]
ACCENT: Final = 0.85
"""The share of rows whose pick goes with the sounds of their name."""


@lru_cache(maxsize=1 << 16)
def iso_date(ordinal: int) -> str:
    """Return the ISO text of a day number."""
    return date.fromordinal(ordinal).isoformat()


@lru_cache(maxsize=1 << 16)
def day_number(text: str) -> int:
    """Return the day number of an ISO date."""
    return date.fromisoformat(text).toordinal()


def draw_cells(filling: Filling, column: Column, rows: Rows, rng: random.Random) -> Vector:
    """Return new values of a drawn column for `rows`, in their order; StuckError where there are none."""
    values = DRAWS[type(column.fill)](filling, column, column.fill, rows, rng)
    if column.missing and not isinstance(column.fill, Reference):
        return [None if rng.random() < column.missing else v for v in values]
    return values


def _invent(filling: Filling, column: Column, fill: Invent, rows: Rows, _rng: random.Random) -> Vector:
    if (column.table, column.name) in filling.drawn_keys:
        return filling.drawn_keys[column.table, column.name]
    return filling.namer.names(fill.kind, len(rows), column.table, column.name)


def _pick(filling: Filling, column: Column, fill: Pick, rows: Rows, rng: random.Random) -> Vector:
    items, place = filling.values[fill.values], f"{column.table}.{column.name}"
    alone = column.key and len(filling.structure.tables[column.table].key) == 1
    if alone and len(rows) > len(items):
        raise StuckError(place, f"{len(rows)} rows need as many names; {fill.values} has {len(items)}")
    if fill.accent:
        return _by_accent(filling, column, items, rows, rng)
    if fill.where is None:
        return rng.sample(items, len(rows)) if alone else rng.choices(items, k=len(rows))
    own = (column.name,)
    function, paths = expr.compile_filter(fill.where, True, frozenset(expr.paths(fill.where)) - {own})
    args = [None if p == own else filling.vector(column.table, p) for p in paths]
    if not alone:
        return [_one_of(function(items, *(items if a is None else a[i] for a in args)), column, rng) for i in rows]
    places = range(len(items))
    candidates = [function(places, *(items if a is None else a[i] for a in args)) for i in rows]
    assigned = _assign_within_counts(candidates, [1] * len(items), rng)
    if assigned is None:
        raise StuckError(place, f"`where` leaves too few of {fill.values} for {len(rows)} distinct names")
    return [items[k] for k in assigned]


def _by_accent(filling: Filling, column: Column, items: Sequence[Value], rows: Rows, rng: random.Random) -> Vector:
    """Pick items that go with the rows' names: one named in the same culture, or standing for it, 17 times of 20."""
    names = filling.data[column.table][filling.structure.tables[column.table].key[0]]
    culture_of, cultures = filling.namer.culture_of, len(filling.namer.cultures)
    homes: dict[int, list[Value]] = {}
    for place, item in enumerate(items):
        homes.setdefault(culture_of.get(str(item), place % cultures), []).append(item)
    alike = [homes.get(culture_of.get(str(names[i]), 0)) or items for i in rows]
    return [rng.choice(some if rng.random() < ACCENT else items) for some in alike]


def _one_of(open_: Sequence[Value], column: Column, rng: random.Random) -> Value:
    if open_:
        return open_[int(rng.random() * len(open_))]
    if column.missing:
        return None
    raise StuckError(f"{column.table}.{column.name}", "a row has no candidate that its `where` allows")


def _choice(_filling: Filling, _column: Column, fill: Choice, rows: Rows, rng: random.Random) -> Vector:
    return rng.choices(fill.options, weights=fill.weights, k=len(rows))


def _chance(_filling: Filling, _column: Column, fill: Chance, rows: Rows, rng: random.Random) -> Vector:
    p = fill.p
    return [rng.random() < p for _ in rows]


def _number(filling: Filling, column: Column, fill: Number, rows: Rows, rng: random.Random) -> Vector:
    lo, hi, step, chance = fill.lo, fill.hi, fill.step, rng.random
    if fill.mean is None:
        count = round((hi - lo) / step) + 1
        if fill.skew:
            places = (min(count - 1, int(skewed(chance(), fill.skew) * count)) for _ in rows)
            return _rounded_values((lo + step * k for k in places), column.decimals)
        return _rounded_values((lo + step * int(chance() * count) for _ in rows), column.decimals)
    values = []
    for m in filling.evaluate_for(rows, column.table, fill.mean):
        low, high = (lo, hi) if m is None else mean_band(fill, m)
        # The mean of two uniform draws: most values near the middle of the band, none outside.
        x = (chance() + chance()) / 2
        x = low + (high - low) * (skewed(x, fill.skew) if fill.skew else x)
        x = round((x - fill.offset) / step) * step + fill.offset
        values.append(lo if x < lo else min(x, hi))
    return _rounded_values(values, column.decimals)


def skewed(x: float, skew: float) -> float:
    """Return a number in [0, 1] moved towards 0 (skew > 0: few large values) or 1 (skew < 0); 0 leaves it.

    A power, 2^|skew|: of uniform numbers the median goes from 0.5 to 0.25 at skew 1, 0.06 at 2, 0.004 at 3.
    """
    if not skew:
        return x
    return float(x ** (2.0**skew) if skew > 0 else 1.0 - (1.0 - x) ** (2.0**-skew))


def mean_band(fill: Number, mean: float) -> tuple[float, float]:
    """Return the part of [lo, hi] within `spread` of `mean`; its nearer end where they don't meet."""
    lo, hi, low, high = fill.lo, fill.hi, mean - fill.spread, mean + fill.spread
    return lo if low < lo else min(low, hi), hi if high > hi else max(high, lo)


def _rounded_values(values: Any, decimals: int) -> Vector:
    return [round(v, decimals) for v in values] if decimals else [round(v) for v in values]


def _date(_filling: Filling, _column: Column, fill: Date, rows: Rows, rng: random.Random) -> Vector:
    lo, hi = day_number(fill.lo), day_number(fill.hi)
    return [iso_date(_day(lo, hi, fill.skew, rng)) for _ in rows]


def _day(lo: int, hi: int, skew: float, rng: random.Random) -> int:
    return min(hi, lo + int(skewed(rng.random(), skew) * (hi - lo + 1)))


def _after(filling: Filling, column: Column, fill: After, rows: Rows, rng: random.Random) -> Vector:
    starts = filling.vector(column.table, fill.path)
    ends = filling.evaluate(column.table, fill.until) if fill.until is not None else None
    values: Vector = []
    for i in rows:
        if starts[i] is None:
            values.append(None)
            continue
        start = day_number(starts[i])
        hi = fill.hi if ends is None or ends[i] is None else min(fill.hi, day_number(ends[i]) - start)
        if hi < fill.lo:
            values.append(None)
            continue
        drawn = _day(start + fill.lo, start + hi, fill.skew, rng)
        if not 1 <= drawn <= date.max.toordinal():
            raise StuckError(f"{column.table}.{column.name}", f"{starts[i]} and {fill.hi} days leave the calendar")
        values.append(iso_date(drawn))
    return values


def _faker(filling: Filling, _column: Column, fill: Faker, rows: Rows, rng: random.Random) -> Vector:
    return rng.choices(pool(fill.provider, filling.structure.as_of), k=len(rows))


def _series(filling: Filling, column: Column, fill: Series, rows: Rows, rng: random.Random) -> Vector:
    """Draw the whole column: a value depends on the one before it, so rows can't be drawn separately."""
    n = filling.sizes[column.table]
    groups = filling.data[column.table][fill.within] if fill.within else [None] * n
    along = filling.data[column.table][fill.along]
    values: Vector = [None] * n
    before: dict[Value, float] = {}
    for i in sorted(range(n), key=lambda i: (along[i], i)):
        last = before.get(groups[i])
        x = rng.uniform(*fill.start) if last is None else last * (1 + rng.uniform(*fill.drift) / 100)
        value = round(round(x / fill.step) * fill.step, column.decimals)
        values[i] = before[groups[i]] = value if column.decimals else int(value)
    return [values[i] for i in rows]


# References


def _reference(filling: Filling, column: Column, fill: Reference, rows: Rows, rng: random.Random) -> Vector:
    keys = filling.data[fill.table][filling.structure.tables[fill.table].key[0]]
    if fill.per is not None and len(rows) == filling.sizes[column.table]:
        return _by_quota(filling, column, fill, keys, rng)
    candidates = allowed_rows(filling, column, rows, fill.where)
    weights = (
        filling.drawn_once("weights", column, lambda rng: weights_of(len(keys), fill.skew, rng)) if fill.skew else []
    )
    values: Vector = []
    for open_ in candidates:
        if column.missing and (not open_ or rng.random() < column.missing):
            values.append(None)
        elif not open_:
            raise StuckError(f"{column.table}.{column.name}", f"a row has no {fill.table} that its `where` allows")
        elif fill.skew:
            values.append(keys[rng.choices(open_, weights=[*map(weights.__getitem__, open_)])[0]])
        else:
            values.append(keys[open_[int(rng.random() * len(open_))]])
    return values


def weights_of(n: int, skew: float, rng: random.Random) -> list[float]:
    return [2.718281828 ** (skew * rng.gauss(0.0, 1.0)) for _ in range(n)] if skew else [1.0] * n


def quotas(n: int, caps: Sequence[int], lo: int, weights: Sequence[float], rng: random.Random) -> list[int] | None:
    """Return how many of `n` rows fall on each parent: at least `lo`, at most its cap; None where impossible."""
    counts = [lo] * len(caps)
    rest = n - sum(counts)
    if rest < 0 or sum(caps) < n or any(cap < lo for cap in caps):
        return None
    while rest:
        open_ = [i for i, cap in enumerate(caps) if counts[i] < cap]
        for i in rng.choices(open_, weights=[weights[i] for i in open_], k=rest):
            if counts[i] < caps[i]:
                counts[i] += 1
                rest -= 1
    return counts


def _by_quota(filling: Filling, column: Column, fill: Reference, keys: Vector, rng: random.Random) -> Vector:
    n, place = filling.sizes[column.table], f"{column.table}.{column.name}"
    assert fill.per is not None
    lo, hi = fill.per
    counts = quotas(n, [hi] * len(keys), lo, weights_of(len(keys), fill.skew, rng), rng)
    if counts is None:
        raise StuckError(place, f"{n} rows can't fall on {len(keys)} {fill.table} rows with per = [{lo}, {hi}]")
    if fill.where is None:
        parents = [j for j, count in enumerate(counts) for _ in range(count)]
        rng.shuffle(parents)
        return [keys[j] for j in parents]
    assigned = _assign_within_counts(allowed_rows(filling, column, range(n), fill.where), counts, rng)
    if assigned is None:
        raise StuckError(place, "no way was found to meet `per` and `where` together")
    return [keys[j] for j in assigned]


def _assign_within_counts(candidates: list[list[int]], counts: list[int], rng: random.Random) -> list[int] | None:
    """Give each row one of its candidates within the parents' counts: augmenting paths (Kuhn)."""
    holders: dict[int, list[int]] = {}
    assigned: list[int] = [-1] * len(candidates)

    def place(row: int, tried: set[int]) -> bool:
        open_ = [j for j in candidates[row] if j not in tried]
        rng.shuffle(open_)
        for j in open_:
            tried.add(j)
            held = holders.setdefault(j, [])
            if len(held) < counts[j]:
                held.append(row)
                assigned[row] = j
                return True
            for k, other in enumerate(held):
                if place(other, tried):
                    held[k] = row
                    assigned[row] = j
                    return True
        return False

    order = sorted(range(len(candidates)), key=lambda i: (len(candidates[i]), i))
    return assigned if all(place(row, set()) for row in order) else None


def allowed_rows(filling: Filling, column: Column, rows: Rows, where: Node | None) -> list[list[int]]:
    """Return, for each of `rows`, the indices of the target's rows that `where` allows."""
    assert column.ref
    targets = list(range(filling.sizes[column.ref]))
    if where is None:
        return [targets] * len(rows)
    own = column.name
    key = filling.structure.tables[column.ref].key[0]
    function, paths = expr.compile_filter(where, True, frozenset(p for p in expr.paths(where) if p[0] != own))
    args = [
        (True, filling.vector(column.ref, p[1:] or (key,))) if p[0] == own else (False, filling.vector(column.table, p))
        for p in paths
    ]
    pools = _equality_pools(filling, column, where, targets)
    if pools is None:
        return [function(targets, *(a if of_target else a[i] for of_target, a in args)) for i in rows]
    candidates = []
    for i in rows:
        open_ = pools[0].get(pools[1][i], [])
        candidates.append(function(open_, *([a[j] for j in open_] if of_target else a[i] for of_target, a in args)))
    return candidates


def _equality_pools(
    filling: Filling, column: Column, where: Node, targets: list[int]
) -> tuple[dict[Value, list[int]], Vector] | None:
    """Index the candidates by an equality of `where`: `replaces.brand = brand` leaves one brand to try."""
    for part in conjuncts(where):
        if not (isinstance(part, Call) and part.op == "="):
            continue
        for a, b in (part.args, part.args[::-1]):
            if (
                isinstance(a, PathNode)
                and isinstance(b, PathNode)
                and a.parts[0] == column.name
                and b.parts[0] != column.name
                and len(a.parts) > 1
            ):
                values = filling.vector(str(column.ref), a.parts[1:])
                pools: dict[Value, list[int]] = {}
                for j in targets:
                    pools.setdefault(values[j], []).append(j)
                pools.pop(None, None)
                return pools, filling.vector(column.table, b.parts)
    return None


def conjuncts(node: Node) -> tuple[Node, ...]:
    """Return the parts of a conjunction."""
    if isinstance(node, Call) and node.op == "and":
        return tuple(part for arg in node.args for part in conjuncts(arg))
    return (node,)


DRAWS: dict[type, Callable[[Filling, Column, Any, Rows, random.Random], Vector]] = {
    Invent: _invent,
    Pick: _pick,
    Choice: _choice,
    Chance: _chance,
    Number: _number,
    Date: _date,
    After: _after,
    Reference: _reference,
    Faker: _faker,
    Series: _series,
}
