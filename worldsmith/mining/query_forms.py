"""Drawing the forms of a query beyond single comparisons: alternatives, exceptions, windows, children, tops."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.expr.typed import call
from worldsmith.mining.sampling import Family, MiningContext, Size, draw_clause, draw_range
from worldsmith.schema import Aggregate, Path, Rank, Value
from worldsmith.tasks.conditions import MONTHS, months_before
from worldsmith.tasks.query import Query, Top, tally_column

TRIES = 4
"""Columns that a part is tried on."""


class DrawnTally(NamedTuple):
    """A tally and what is asked of it: a condition on the path "#<number>", or None where it is a column."""

    tally: Aggregate
    clause: Node | None


def draw_pair(context: MiningContext, bare: Query, rows: Sequence[int], r: random.Random) -> Node | None:
    """Return two alternatives, or an exception of two parts, on two of the row's own columns; None for none."""
    own: list[Path] = [p for p in context.askable(bare.table) if len(p) == 1 and p != (bare.scope.column,)]
    parts: dict[Path, Node] = {}
    for path in r.sample(own, min(TRIES, len(own))):
        clause = draw_clause(context, bare.table, path, rows, r)
        # Others are hard to read as a part of a pair: "either in 1 or 2 or …".
        if clause is not None and not (isinstance(clause, expr.Call) and clause.op in {"not", "!=", "in"}):
            parts[path] = clause
        if len(parts) == 2:
            both = [parts[path] for path in sorted(parts, key=own.index)]
            return call("or", both) if r.random() < 0.65 else call("not", [call("and", both)])
    return None


def draw_window(context: MiningContext, table: str, path: Path, rows: Sequence[int], r: random.Random) -> Node | None:
    """Return "in the last n months" on a date that a fair part of `rows` meets, or None."""
    values = [context.evaluator.values(table, path)[i] for i in rows]
    end = context.world.schema.as_of
    fitting = []
    for months in MONTHS:
        start = months_before(end, months)
        share = sum(v is not None and start <= str(v) <= end for v in values) / len(values)
        if 0.25 <= share <= 0.85 and start not in values and end not in values:
            fitting.append(start)
    if not fitting:
        return None
    ends = [expr.Const(day, "date") for day in (fitting[r.randrange(len(fitting))], end)]
    return call("between", [expr.Path(path, "date"), *ends])


def draw_tally(
    context: MiningContext, bare: Query, rows: Sequence[int], r: random.Random, *, clause: bool
) -> DrawnTally | None:
    """Return a count, sum or maximum over the children of rows that a condition picks, or None.

    As a clause some of `rows` pass and some don't; the tally gets the number after those of `bare`.
    """
    families = context.families(bare.table)
    if not families:
        return None
    family = families[r.randrange(len(families))]
    whole = Aggregate("count", family.table, None, (family.ref,), None)
    # No list page says that a row has no children.
    if not family.about and any(not context.evaluator.all_children(bare.table, i, whole) for i in rows):
        return None
    tally = _draw_aggregate(context, bare.table, family, rows, r, counted=clause and r.random() < 0.75)
    if tally is None or context.stores_tally(bare.table, tally):
        return None
    if not clause:
        return DrawnTally(tally, None)
    column = tally_column(context.world.schema, tally)
    here = expr.Path((f"#{len(bare.tallies)}",), column.type)
    values = [context.evaluator.tallied(bare.table, tally)[i] for i in rows]
    if tally.op == "count":
        bound = _draw_count_bound(here, [int(v) for v in values if isinstance(v, int)], r)
    else:
        known = [v for v in values if v is not None]
        bound = draw_range(here, column.decimals, known, r, over=True) if len(set(known)) > 4 else None
    return None if bound is None else DrawnTally(tally, bound)


def _draw_count_bound(here: expr.Path, counts: Sequence[int], r: random.Random) -> Node | None:
    """Return a bound of a count: none, at least one, at least or at most a few; one that divides the rows."""
    bounds: list[tuple[str, int]] = []
    for op, n in (("=", 0), ("=", 0), (">=", 1), (">=", 2), (">=", 2), (">=", 3), ("<=", 1), ("<=", 2)):
        share = sum(v == n if op == "=" else v >= n if op == ">=" else v <= n for v in counts) / len(counts)
        if 0.2 <= share <= 0.85:
            bounds.append((op, n))
    if not bounds:
        return None
    op, n = bounds[r.randrange(len(bounds))]
    return call(op, [here, expr.Const(n, "int")])


def _draw_aggregate(
    context: MiningContext, table: str, family: Family, rows: Sequence[int], r: random.Random, *, counted: bool
) -> Aggregate | None:
    schema, evaluator = context.world.schema, context.evaluator
    whole = Aggregate("count", family.table, None, (family.ref,), None)
    children = [child for i in rows for child in evaluator.all_children(table, i, whole)]
    askable = set(context.askable(family.table)) | {(k,) for k in schema.tables[family.table].key}
    # Each row has its own value of a sole key: no condition on it makes sense.
    paths = [(c,) for c in family.columns if (c,) in askable and schema.tables[family.table].key != (c,)]
    if len(children) < 4 or not paths:
        return None
    path = paths[r.randrange(len(paths))]
    where = draw_clause(context, family.table, path, children, r)
    if where is None:
        return None
    numbers = [
        c
        for c in family.columns
        if (c,) != path and schema.column(family.table, c).type == "int" and not _is_ordinal(context, family.table, c)
    ]
    if counted or not numbers:
        return Aggregate("count", family.table, None, (family.ref,), where)
    op = "sum" if r.random() < 0.5 else "max"
    return Aggregate(op, family.table, numbers[r.randrange(len(numbers))], (family.ref,), where)  # type: ignore[arg-type]  # op is one of two


def _is_ordinal(context: MiningContext, table: str, name: str) -> bool:
    """Tell whether numbers of a column are places or parts of a key rather than amounts."""
    column = context.world.schema.column(table, name)
    return column.key or isinstance(column.fill, Rank)


def draw_top(context: MiningContext, query: Query, size: Size, r: random.Random) -> Top | None:
    """Return a top of a query's rows that leaves as many as the size asks for, or None."""
    paths = [p for p in context.sortable_paths(query.table) if p not in query.read]
    if not paths:
        return None
    weights = [(1.0, 0.3)[len(p) - 1] for p in paths]
    path = r.choices(paths, weights)[0]
    largest = r.random() < 0.65
    passing = len(context.evaluator.passing(query))
    if len(query.scope.values) > 1 and r.random() < 0.7:
        groups = len(query.scope.values)
        low, high = max(-(-size.rows[0] // groups), 2), min(size.rows[1] // groups, passing // groups)
        if low <= high:
            return Top(path, r.randint(low, high), largest, (query.scope.column,))
        return None
    low, high = size.rows[0], min(size.rows[1], passing - 1)
    if low > high:
        return None
    round_ones = [n for n in (3, 5, 10, 12, 15, 20, 25, 30) if low <= n <= high]
    return Top(path, round_ones[r.randrange(len(round_ones))] if round_ones else r.randint(low, high), largest)


def sole_leader(values: Sequence[Value], rows: Sequence[int], *, largest: bool) -> int | None:
    """Return the only row with the largest (smallest) value; None for a tie or a null."""
    held = [values[i] for i in rows]
    if None in held or not held:
        return None
    end = max(held) if largest else min(held)  # type: ignore[type-var]  # one type
    leaders = [i for i in rows if values[i] == end]
    return leaders[0] if len(leaders) == 1 else None
