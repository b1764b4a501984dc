"""--facts: the rows of each table in proportion, so that any world's sum lies in the requested range."""

from collections.abc import Mapping
from math import floor, inf, prod

from worldsmith.errors import UsageError
from worldsmith.naming import AVAILABLE
from worldsmith.schema import Column, Invent, Pick, Reference, Schema, Table
from worldsmith.schema.cardinality import has_restricted_key, key_columns, value_count

MOST = 5000
"""Rows of a world at most: larger ones have never been measured."""
LEAST = 0.2
"""A table keeps a fifth of its rows: with fewer, rules over groups cover nothing."""
FULL = 0.5
"""Share of a composite key's combinations that may be used where a `where` or a rule excludes some."""
WIDEST = 64.0
"""Largest growth of a table where no list of names limits it."""
BEYOND = 1.25
"""How much more other tables grow than those whose names run out: rules rely on the ratio between tables."""

Sizes = Mapping[str, float]


def scaled_rows(structure: Schema, facts: tuple[int, int]) -> dict[str, tuple[int, int]]:
    """Return the `rows` of each table: the lower ends add up to no less than `facts`, the upper ends to no more.

    All tables grow or shrink alike, except where a list of names is used up.
    Raises UsageError where that can't be.
    """
    least, most = row_range(structure)
    refuse_facts(structure.name, facts, least, most)
    low, high = (_sizes_of_sum(structure, min(max(end, least), most)) for end in facts)
    low = _below(structure, low, high)
    return {name: (size, high[name]) for name, size in low.items()}


def row_range(structure: Schema) -> tuple[int, int]:
    """Return the least and the most rows that a structure can be given."""
    least, most = (
        sum(_whole_sizes(structure, _sizes_at(structure, scale)).values()) for scale in (0.0, _widest_scale(structure))
    )
    return least, min(most, MOST)


def refuse_facts(name: str, facts: tuple[int, int], least: int, most: int) -> None:
    """Raise UsageError where facts lie wholly outside `least` to `most`, with the nearest that don't."""
    request = f"{name}: {facts[0]}" + (f"-{facts[1]}" if facts[1] > facts[0] else "") + " facts can't be had"
    if facts[0] > most:
        why = "no world has more" if most == MOST else f"its names and lists are enough for {most} rows"
        fix = "" if most == MOST else ", or give it longer lists"
        raise UsageError(f"{request}: {why}; it takes {least} to {most}: ask for --facts {most}{fix}")
    if facts[1] < least:
        raise UsageError(
            f"{request}: with fewer than {least} rows a table would keep less than a fifth of its own; it takes "
            f"{least} to {most}: ask for --facts {least}"
        )


def _mean_rows(table: Table) -> float:
    return (table.rows[0] + table.rows[1]) / 2


def _sizes_at(structure: Schema, scale: float) -> dict[str, float]:
    """Return the rows of each table at `scale`, as far as its key and the available names allow."""
    sizes: dict[str, float] = {}
    for table in structure.tables.values():
        sizes[table.name] = min(max(scale, LEAST) * _mean_rows(table), _row_limit(structure, table, sizes))
    return sizes


def _scale_of_sum(structure: Schema, wanted: int) -> float:
    """Return the scale at which the sizes add up to `wanted` (bisection: the sum never falls)."""
    low, high = 0.0, _widest_scale(structure)
    for _ in range(60):
        middle = (low + high) / 2
        if sum(_sizes_at(structure, middle).values()) < wanted:
            low = middle
        else:
            high = middle
    return high


def _row_limit(structure: Schema, table: Table, sizes: Sizes) -> float:
    """Return the most rows that the table's key and the available names allow beside tables of `sizes`."""
    return min(
        _key_limit(structure, table, sizes), *(_name_limit(structure, table, column) for column in table.columns)
    )


def _key_limit(structure: Schema, table: Table, sizes: Sizes) -> float:
    key = key_columns(table)
    if len(key) == 1:
        return value_count(structure, key[0], sizes) if isinstance(key[0].fill, Pick) else inf
    combinations = prod(
        value_count(structure, column, {other.name: _mean_rows(other) for other in structure.tables.values()})
        for column in key
    )
    full = max(FULL, _mean_rows(table) / combinations) if has_restricted_key(structure, table) else 1.0
    return min(1.0, full) * key_capacity(structure, table, sizes)


def key_capacity(structure: Schema, table: Table, sizes: Sizes) -> float:
    """Return how many combinations the columns of a table's key have beside tables of `sizes`."""
    return prod(value_count(structure, column, sizes) for column in key_columns(table))


def _name_limit(structure: Schema, table: Table, column: Column) -> float:
    """Return the table's part of the names available of a kind."""
    return _mean_rows(table) * _names_scale(structure, column.fill) if isinstance(column.fill, Invent) else inf


def _names_scale(structure: Schema, fill: Invent) -> float:
    """Return the scale at which the names of a kind run out."""
    lists = sum(values.n for values in structure.values.values() if values.invent == fill.kind)
    rows = sum(
        _mean_rows(table) for table in structure.tables.values() for column in table.columns if column.fill == fill
    )
    return max(1.0, AVAILABLE - lists) / rows


def _widest_scale(structure: Schema) -> float:
    fills = [
        column.fill
        for table in structure.tables.values()
        for column in table.columns
        if isinstance(column.fill, Invent)
    ]
    return BEYOND * min((_names_scale(structure, fill) for fill in fills), default=WIDEST)


def _whole_sizes(structure: Schema, sizes: Sizes) -> dict[str, int]:
    """Return whole sizes: nearest ones, moved to what the rows of their targets allow."""
    whole: dict[str, int] = {}
    for table in structure.tables.values():
        near, (lo, hi) = float(round(sizes[table.name])), _per_limits(table, whole)
        if lo <= hi:
            near = min(max(near, lo), hi)
        whole[table.name] = max(1, floor(min(near, _row_limit(structure, table, whole))))
    return whole


def _per_limits(table: Table, sizes: Sizes) -> tuple[float, float]:
    """Return the rows that `per` allows beside those of its targets in `sizes`."""
    lo, hi = 1.0, inf
    for column in table.refs:
        fill = column.fill
        assert isinstance(fill, Reference)
        if fill.per and fill.table != table.name and fill.table in sizes:
            lo, hi = max(lo, sizes[fill.table] * fill.per[0]), min(hi, sizes[fill.table] * fill.per[1])
    return lo, hi


def _sizes_of_sum(structure: Schema, wanted: int) -> dict[str, int]:
    """Return whole sizes that add up to `wanted`, each as near to its proportional size as the others allow."""
    sizes = _sizes_at(structure, _scale_of_sum(structure, wanted))
    whole = _whole_sizes(structure, sizes)
    while short := wanted - sum(whole.values()):
        step = 1 if short > 0 else -1
        candidates = [whole | {name: size + step} for name, size in whole.items() if size + step >= 1]
        candidates = [candidate for candidate in candidates if _within_limits(structure, candidate)]
        if not candidates:
            refuse_facts(structure.name, (wanted, wanted), sum(whole.values()), sum(whole.values()))
        valid = [
            candidate
            for candidate in candidates
            if all(_meets_per(table, candidate) for table in structure.tables.values())
        ]
        whole = min(
            valid or candidates,
            key=lambda candidate: sum(abs(candidate[name] - sizes[name]) / sizes[name] for name in candidate),
        )
    return whole


def _below(structure: Schema, low: dict[str, int], high: dict[str, int]) -> dict[str, int]:
    """Return `low` with no table larger than in `high`, and others larger for it; `high` where that can't be.

    Rounding may give a table a row less in a larger world; ends that cross would add up to less, and to more.
    """
    whole = {name: min(size, high[name]) for name, size in low.items()}
    for _ in range(sum(low.values()) - sum(whole.values())):
        candidates = [whole | {name: size + 1} for name, size in whole.items() if size < high[name]]
        candidates = [candidate for candidate in candidates if _within_limits(structure, candidate)]
        if not candidates:
            return high
        whole = min(
            candidates, key=lambda candidate: sum(abs(candidate[name] - low[name]) / low[name] for name in candidate)
        )
    return whole


def _within_limits(structure: Schema, sizes: Mapping[str, int]) -> bool:
    return all(
        sizes[table.name] <= max(1.0, _row_limit(structure, table, sizes)) for table in structure.tables.values()
    )


def _meets_per(table: Table, sizes: Mapping[str, int]) -> bool:
    lo, hi = _per_limits(table, sizes)
    return lo <= sizes[table.name] <= hi
