"""Composite keys: columns that are drawn together, since only their combination is unique."""

import random
from collections.abc import Sequence

from worldsmith import expr
from worldsmith.expr import Call, Node
from worldsmith.generation.draw import quotas, weights_of
from worldsmith.generation.filling import Filling, StuckError, Vector
from worldsmith.schema import Choice, Column, Path, Pick, Reference, Value


def draw_key(
    filling: Filling, columns: Sequence[Column], conditions: Sequence[Node], rng: random.Random
) -> list[Vector]:
    """Return the columns of a composite key, drawn together from the combinations that `conditions` allow.

    The first reference with `per` (else the first column) drives: each of its rows takes a number of
    distinct combinations of the others.
    """
    place = f"{columns[0].table}.{columns[0].name}"
    driver = next((c for c in columns if isinstance(c.fill, Reference) and c.fill.per), columns[0])
    others = [c for c in columns if c is not driver]
    options = {c.name: _options(filling, c) for c in columns}
    combos: list[tuple[int, ...]] = [()]
    for c in others:
        combos = [(*combo, k) for combo in combos for k in range(len(options[c.name]))]
    open_ = _allowed_keys(filling, options, driver, others, combos, conditions)
    n = filling.sizes[columns[0].table]
    fill = driver.fill
    lo, hi, skew = (*fill.per, fill.skew) if isinstance(fill, Reference) and fill.per else (0, n, 0.0)
    caps = [min(hi, len(combinations)) for combinations in open_]
    counts = quotas(n, caps, lo, weights_of(len(caps), skew, rng), rng)
    if counts is None:
        short = sum(cap < lo for cap in caps)
        lacking = f", and {short} {driver.ref or driver.name} rows have fewer than {lo}" if short else ""
        raise StuckError(place, f"{n} rows don't fit: `where` and rules leave {sum(caps)} places{lacking}")
    rows = [(*combo, d) for d, count in enumerate(counts) for combo in sorted(rng.sample(open_[d], count))]
    places = {c.name: at for at, c in enumerate([*others, driver])}
    return [[options[c.name][row[places[c.name]]] for row in rows] for c in columns]


def _allowed_keys(
    filling: Filling,
    options: dict[str, Sequence[Value]],
    driver: Column,
    others: Sequence[Column],
    combos: list[tuple[int, ...]],
    conditions: Sequence[Node],
) -> list[list[tuple[int, ...]]]:
    """Return, for each option of the driver, the combinations of the others under which all conditions are true."""
    count = len(options[driver.name])
    if not conditions:
        return [combos] * count
    node = Call("and", tuple(conditions), "bool")
    fixed = frozenset(p for p in expr.paths(node) if p[0] == driver.name)
    function, paths = expr.compile_filter(node, True, fixed)
    places = {c.name: at for at, c in enumerate(others)}
    refs = {c.name: c.ref for c in (driver, *others)}
    args: list[tuple[bool, Sequence[Value]]] = []
    for path in paths:
        values = options[path[0]] if len(path) == 1 else filling.vector(str(refs[path[0]]), path[1:])
        moves = path not in fixed
        args.append((moves, [values[combo[places[path[0]]]] for combo in combos] if moves else values))
    return [function(combos, *(values if moves else values[d] for moves, values in args)) for d in range(count)]


def _options(filling: Filling, column: Column) -> Sequence[Value]:
    match column.fill:
        case Reference(table=table):
            return filling.data[table][filling.structure.tables[table].key[0]]
        case Pick(values=values):
            return filling.values[values]
        case Choice(options=options):
            return options
        case _:
            raise StuckError(f"{column.table}.{column.name}", "a composite key is made of ref, pick and choice columns")


def reads_only_key(columns: Sequence[Column], paths: Sequence[Path]) -> bool:
    """Return whether an expression reads nothing but the key's columns and what they refer to."""
    names = {c.name for c in columns}
    return all(path[0] in names for path in paths)
