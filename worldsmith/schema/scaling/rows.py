"""--facts: the rows of each table in proportion, so that their sum is what was asked, whichever a world draws."""

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, floor, inf, prod

from worldsmith.errors import UsageError
from worldsmith.naming import AVAILABLE
from worldsmith.schema import Column, Invent, Pick, Reference, Schema, Table
from worldsmith.schema.scaling.references import Bounds, key_of, needed, oftenest, options, tied

MOST = 5000
"""Rows of a world at most: larger ones were never measured."""
LEAST = 0.2
"""A table keeps a fifth of its rows: with fewer, rules over groups have nothing to say."""
FULL = 0.5
"""Share of a composite key's combinations that may be used where a `where` or a rule takes some away."""
WIDEST = 64.0
"""No table grows by more, should there be no names to run out of."""
BEYOND = 1.25
"""Tables grow by so much more than those whose names are used up: rules count on rows of one to rows of another."""

Sizes = Mapping[str, float]


def resized(structure: Schema, facts: tuple[int, int]) -> dict[str, Table]:
    """Return the tables with `rows` whose lower ends add up to no less, whose upper ends to no more than `facts`.

    All tables grow or shrink alike, except where a list of names is used up; `per` follows where it must.
    Raises UsageError where that can't be.
    """
    least, most = extent(structure)
    refuse(structure.name, facts, least, most)
    low, high = (_adjusted(structure, min(max(end, least), most)) for end in facts)
    low = _below(structure, low, high)
    rows = {name: (n, high[name]) for name, n in low.items()}
    return {
        t.name: replace(t, rows=rows[t.name], columns=_spread(structure, t, rows)) for t in structure.tables.values()
    }


def extent(structure: Schema) -> tuple[int, int]:
    """Return the least and the most rows that a structure can be given."""
    least, most = (sum(_rounded(structure, _sizes(structure, scale)).values()) for scale in (0.0, _widest(structure)))
    return least, min(most, MOST)


def refuse(name: str, facts: tuple[int, int], least: int, most: int) -> None:
    """Raise UsageError where facts lie wholly outside `least` to `most`, with the nearest that don't."""
    asked = f"{name}: {facts[0]}" + (f"-{facts[1]}" if facts[1] > facts[0] else "") + " facts can't be had"
    if facts[0] > most:
        why = "no world has more" if most == MOST else f"its names and lists are enough for {most} rows"
        fix = "" if most == MOST else ", or give it longer lists"
        raise UsageError(f"{asked}: {why}; it takes {least} to {most}: ask for --facts {most}{fix}")
    if facts[1] < least:
        raise UsageError(
            f"{asked}: with fewer than {least} rows a table would keep less than a fifth of its own; it takes {least} "
            f"to {most}: ask for --facts {least}"
        )


def _middle(table: Table) -> float:
    return (table.rows[0] + table.rows[1]) / 2


def _sizes(structure: Schema, scale: float) -> dict[str, float]:
    """Return the rows of each table at `scale`, as far as its key and the names there are allow."""
    sizes: dict[str, float] = {}
    for t in structure.tables.values():
        sizes[t.name] = min(max(scale, LEAST) * _middle(t), _most(structure, t, sizes))
    return sizes


def _scale(structure: Schema, wanted: int) -> float:
    """Return the scale at which the sizes add up to `wanted` (bisection: the sum never falls)."""
    low, high = 0.0, _widest(structure)
    for _ in range(60):
        middle = (low + high) / 2
        if sum(_sizes(structure, middle).values()) < wanted:
            low = middle
        else:
            high = middle
    return high


def _most(structure: Schema, table: Table, sizes: Sizes) -> float:
    """Return the most rows that the table's key and the names of its kinds allow beside tables of `sizes`."""
    return min(_keys(structure, table, sizes), *(_named(structure, table, c) for c in table.columns))


def _keys(structure: Schema, table: Table, sizes: Sizes) -> float:
    key = key_of(table)
    if len(key) == 1:
        return options(structure, key[0], sizes) if isinstance(key[0].fill, Pick) else inf
    now = prod(options(structure, c, {t.name: _middle(t) for t in structure.tables.values()}) for c in key)
    full = max(FULL, _middle(table) / now) if tied(structure, table) else 1.0
    return min(1.0, full) * prod(options(structure, c, sizes) for c in key)


def _named(structure: Schema, table: Table, column: Column) -> float:
    """Return the table's part of the names that there are of a kind."""
    return _middle(table) * _names(structure, column.fill) if isinstance(column.fill, Invent) else inf


def _names(structure: Schema, fill: Invent) -> float:
    """Return the scale at which the names of a kind are used up."""
    lists = sum(v.n for v in structure.values.values() if v.invent == fill.kind)
    rows = sum(_middle(t) for t in structure.tables.values() for c in t.columns if c.fill == fill)
    return max(1.0, AVAILABLE - lists) / rows


def _widest(structure: Schema) -> float:
    fills = [c.fill for t in structure.tables.values() for c in t.columns if isinstance(c.fill, Invent)]
    return BEYOND * min((_names(structure, fill) for fill in fills), default=WIDEST)


def _rounded(structure: Schema, sizes: Sizes) -> dict[str, int]:
    """Return whole sizes: nearest ones, moved to what the rows of their targets allow."""
    found: dict[str, int] = {}
    for t in structure.tables.values():
        near, (lo, hi) = float(round(sizes[t.name])), _between(t, found)
        if lo <= hi:
            near = min(max(near, lo), hi)
        found[t.name] = max(1, floor(min(near, _most(structure, t, found))))
    return found


def _between(table: Table, sizes: Sizes) -> tuple[float, float]:
    """Return the rows that `per` allows beside those of its targets in `sizes`."""
    lo, hi = 1.0, inf
    for column in table.refs:
        fill = column.fill
        assert isinstance(fill, Reference)
        if fill.per and fill.table != table.name and fill.table in sizes:
            lo, hi = max(lo, sizes[fill.table] * fill.per[0]), min(hi, sizes[fill.table] * fill.per[1])
    return lo, hi


def _adjusted(structure: Schema, wanted: int) -> dict[str, int]:
    """Return whole sizes that add up to `wanted`, each as near to its own in proportion as the others let it."""
    sizes = _sizes(structure, _scale(structure, wanted))
    found = _rounded(structure, sizes)
    while short := wanted - sum(found.values()):
        step = 1 if short > 0 else -1
        ways = [found | {name: size + step} for name, size in found.items() if size + step >= 1]
        ways = [way for way in ways if _possible(structure, way)]
        if not ways:
            refuse(structure.name, (wanted, wanted), sum(found.values()), sum(found.values()))
        kept = [way for way in ways if all(_kept(t, way) for t in structure.tables.values())]
        found = min(kept or ways, key=lambda way: sum(abs(way[n] - sizes[n]) / sizes[n] for n in way))
    return found


def _below(structure: Schema, low: dict[str, int], high: dict[str, int]) -> dict[str, int]:
    """Return `low` with no table larger than in `high`, and others larger for it; `high` where that can't be.

    Rounding may give a table a row less in a larger world; ends that cross would add up to less, and to more.
    """
    found = {name: min(size, high[name]) for name, size in low.items()}
    for _ in range(sum(low.values()) - sum(found.values())):
        ways = [found | {name: size + 1} for name, size in found.items() if size < high[name]]
        ways = [way for way in ways if _possible(structure, way)]
        if not ways:
            return high
        found = min(ways, key=lambda way: sum(abs(way[n] - low[n]) / low[n] for n in way))
    return found


def _possible(structure: Schema, sizes: Mapping[str, int]) -> bool:
    return all(sizes[t.name] <= max(1.0, _most(structure, t, sizes)) for t in structure.tables.values())


def _kept(table: Table, sizes: Mapping[str, int]) -> bool:
    lo, hi = _between(table, sizes)
    return lo <= sizes[table.name] <= hi


def _spread(structure: Schema, table: Table, rows: Mapping[str, Bounds]) -> tuple[Column, ...]:
    """Return the table's columns, each `per` following where rows of target and table no longer go in step."""
    return tuple(
        replace(c, fill=replace(c.fill, per=_per(structure, c, c.fill, c.fill.per, rows)))
        if isinstance(c.fill, Reference) and c.fill.per and c.fill.table != table.name
        else c
        for c in table.columns
    )


def _per(structure: Schema, column: Column, fill: Reference, per: Bounds, rows: Mapping[str, Bounds]) -> Bounds:
    step = _grown(structure, column.table, rows) / _grown(structure, fill.table, rows)
    least, most = needed(rows[fill.table], rows[column.table])
    # Rounding alone moves nothing: within a tenth, rows go in step.
    lo = min(least, per[0] if step > 0.9 else floor(per[0] * step))
    hi = max(most, per[1] if step < 1.1 else ceil(per[1] * step))
    return lo, int(min(hi, max(per[1], oftenest(structure, column, {n: float(r[1]) for n, r in rows.items()}))))


def _grown(structure: Schema, table: str, rows: Mapping[str, Bounds]) -> float:
    return sum(rows[table]) / 2 / _middle(structure.tables[table])
