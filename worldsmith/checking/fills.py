"""The rules that fills imply, in SQL: range, band, list, date window, reference, count, sum, rank, share."""

from collections.abc import Callable, Iterator
from typing import Any

from worldsmith import expr
from worldsmith.checking.query import Scope, Test, child_rows_sql, duplicates_sql, sql_literal
from worldsmith.expr import Node
from worldsmith.schema import (
    After,
    Aggregate,
    Chance,
    Choice,
    Column,
    Date,
    Derive,
    Faker,
    Invent,
    Number,
    Path,
    Pick,
    Rank,
    Reference,
    Schema,
    Series,
    Share,
)
from worldsmith.world.engine import quote
from worldsmith.world.engine.sqlite import LISTS

# Adding no day makes SQLite compute the date: bare, it takes 30 February as written.
TYPED = {
    "int": "typeof({0}) = 'integer'",
    "num": "typeof({0}) IN ('real', 'integer')",
    "text": "typeof({0}) = 'text' AND {0} <> ''",
    "date": "typeof({0}) = 'text' AND length({0}) = 10 AND date({0}, '+0 days') IS {0}",
    "bool": "typeof({0}) = 'integer' AND {0} IN (0, 1)",
}


class _ColumnScope(Scope):
    """Builds the tests of one column's fill; a path read for one test is read by those after it too."""

    def __init__(self, structure: Schema, column: Column) -> None:
        super().__init__(structure, column.table)
        self.filled = column
        self.own = f"t.{quote(column.name)}"

    def fill_test(self, text: str, ok: str, *further: Path) -> Test:
        """Return the test that `ok` holds, which shows the column's value and those of `further` paths."""
        name = self.filled.name
        return self.test(f"fill:{self.table}.{name}", text, ok, [(name,), *further])


def fill_tests(structure: Schema, column: Column) -> Iterator[Test]:
    """Yield the tests of one column's fill; all are named fill:table.column."""
    scope = _ColumnScope(structure, column)
    # Null is judged by the fill where it may follow from what the fill reads.
    follows = isinstance(column.fill, After | Aggregate | Rank | Share | Derive | Reference)
    null = "1" if column.nullable or follows else "0"
    typed = TYPED[column.type].format(scope.own)
    yield scope.fill_test(f"is {column.type}", f"CASE WHEN {scope.own} IS NULL THEN {null} ELSE {typed} END")
    yield from FILLS[type(column.fill)](scope, column.fill)


def _invent(scope: _ColumnScope, _fill: Invent) -> Iterator[Test]:
    lowered = f"lower({quote(scope.filled.name)})"
    yield scope.fill_test("is unique", f"lower({scope.own}) NOT IN ({duplicates_sql(scope.table, [lowered])})")


def _pick(scope: _ColumnScope, fill: Pick) -> Iterator[Test]:
    items = f"SELECT item FROM {quote(LISTS)} WHERE list = {sql_literal(fill.values)}"
    yield scope.fill_test(f"is one of {fill.values}", f"{scope.own} IN ({items})")
    if fill.where is not None:
        yield _where(scope, fill.where)


def _where(scope: _ColumnScope, where: Node) -> Test:
    # `where` must be true, where a rule must only not be false.
    ok = f"CASE WHEN {scope.own} IS NULL THEN NULL ELSE ({scope.sql(where)}) IS TRUE END"
    return scope.fill_test("is allowed by its where", ok)


def _choice(scope: _ColumnScope, fill: Choice) -> Iterator[Test]:
    options = ", ".join(map(sql_literal, fill.options))
    yield scope.fill_test(f"is one of {options}", f"{scope.own} IN ({options})")


def _typed_only(_scope: _ColumnScope, _fill: Chance | Faker) -> Iterator[Test]:
    yield from ()


def _number(scope: _ColumnScope, fill: Number) -> Iterator[Test]:
    own, tiny = scope.own, fill.step * 1e-6
    steps = f"({own} - {fill.offset!r})" if fill.offset else own
    ok = (
        f"{own} BETWEEN {fill.lo - tiny!r} AND {fill.hi + tiny!r} "
        f"AND abs(round({steps} / {fill.step!r}) * {fill.step!r} - {steps}) < {tiny!r}"
    )
    more = f" and {fill.offset:g}" if fill.offset else ""
    yield scope.fill_test(f"is a multiple of {fill.step:g}{more} in [{fill.lo:g}, {fill.hi:g}]", ok)
    if fill.mean is None:
        return
    mean, half = scope.sql(fill.mean), fill.step / 2 + tiny
    low = f"max({fill.lo!r}, min({fill.hi!r}, ({mean}) - {fill.spread!r})) - {half!r}"
    high = f"min({fill.hi!r}, max({fill.lo!r}, ({mean}) + {fill.spread!r})) + {half!r}"
    yield scope.fill_test(f"is within {fill.spread:g} of its mean", f"{own} BETWEEN {low} AND {high}")


def _date(scope: _ColumnScope, fill: Date) -> Iterator[Test]:
    lo, hi = fill.lo, fill.hi
    yield scope.fill_test(f"is in [{lo}, {hi}]", f"{scope.own} BETWEEN {sql_literal(lo)} AND {sql_literal(hi)}")


def _after(scope: _ColumnScope, fill: After) -> Iterator[Test]:
    own, start = scope.own, scope.column(fill.path)
    days = f"CAST(round(julianday({own}) - julianday({start})) AS INTEGER)"
    first = f"date({start}, '+{fill.lo} days')" if fill.lo >= 0 else f"date({start}, '{fill.lo} days')"
    end = scope.sql(fill.until) if fill.until is not None else None
    late = f" AND {own} <= coalesce({end}, {own})" if end else ""
    closed = f"{start} IS NULL" + (f" OR coalesce(({end}) < {first}, 0)" if end else "")
    missing = "1" if scope.filled.missing else f"({closed})"
    within = f"{start} IS NOT NULL AND {days} BETWEEN {fill.lo} AND {fill.hi}{late}"
    ok = f"CASE WHEN {own} IS NULL THEN {missing} ELSE {within} END"
    yield scope.fill_test(f"is {fill.lo} to {fill.hi} days after {'.'.join(fill.path)}", ok, fill.path)


def _reference(scope: _ColumnScope, fill: Reference) -> Iterator[Test]:
    own, target = scope.own, scope.structure.tables[fill.table]
    key = quote(target.key[0])
    null = "1" if scope.filled.missing else "0"
    exists = f"EXISTS (SELECT 1 FROM {quote(fill.table)} AS r WHERE r.{key} = {own})"
    yield scope.fill_test(f"is a {target.singular}", f"CASE WHEN {own} IS NULL THEN {null} ELSE {exists} END")
    if fill.where is not None:
        yield _where(scope, fill.where)
    if fill.per is not None:
        lo, hi = fill.per
        name = scope.filled.name
        count = f"SELECT count(*) FROM {quote(scope.table)} AS c WHERE c.{quote(name)} = t.{key}"
        ok, text = f"({count}) BETWEEN {lo} AND {hi}", f"is taken {lo} to {hi} times"
        yield Scope(scope.structure, fill.table).test(f"fill:{scope.table}.{name}", text, ok, [(target.key[0],)])


def aggregate_sql(structure: Schema, parent: str, fill: Aggregate) -> str:
    """Return the scalar subquery of a count, sum or max for the parent row t; decimals add as whole last digits."""
    joins, condition = child_rows_sql(structure, fill.table, fill.by, f"t.{quote(structure.tables[parent].key[0])}")
    if fill.where is not None:
        condition += f" AND ({expr.sql(fill.where, 'sqlite', joins.column)}) IS TRUE"
    if fill.column is None:
        value = "count(*)"
    else:
        column = joins.column((fill.column,))
        decimals = structure.column(fill.table, fill.column).decimals
        scale = 10**decimals
        if fill.op == "max":
            value = f"max({column})"
        elif decimals:
            value = f"coalesce(sum(CAST(round({column} * {scale}) AS INTEGER)), 0) / {float(scale)!r}"
        else:
            value = f"coalesce(sum({column}), 0)"
    return f"(SELECT {value} FROM {joins.source()} WHERE {condition})"


def _aggregate(scope: _ColumnScope, fill: Aggregate) -> Iterator[Test]:
    what = f"{fill.op} of {fill.table}" + (f".{fill.column}" if fill.column else "")
    yield scope.fill_test(f"is the {what}", f"{scope.own} IS {aggregate_sql(scope.structure, scope.table, fill)}")


def _rank(scope: _ColumnScope, fill: Rank) -> Iterator[Test]:
    ranked = f"t.{quote(fill.column)}"
    group = f"PARTITION BY t.{quote(fill.within)} " if fill.within else ""
    # Nulls come last in descending order, so they change no rank.
    ok = f"{scope.own} IS CASE WHEN {ranked} IS NOT NULL THEN rank() OVER ({group}ORDER BY {ranked} DESC) END"
    yield scope.fill_test(f"is the rank by {fill.column}", ok, (fill.column,))


def _share(scope: _ColumnScope, fill: Share) -> Iterator[Test]:
    """Largest remainder with windows: whole points first, then one each by remainder, ties by row order."""
    points = 100 * 10**fill.decimals
    scale = 10 ** scope.structure.column(scope.table, fill.column).decimals
    group = f"PARTITION BY {quote(fill.within)} " if fill.within else ""
    whole = f"CAST(round({quote(fill.column)} * {scale}) AS INTEGER)"
    within = f", {quote(fill.within)}" if fill.within else ""
    wholes = (
        f"SELECT rowid AS r, {whole} AS v, sum({whole}) OVER ({group}) AS total{within} "
        f"FROM {quote(scope.table)} WHERE {quote(fill.column)} IS NOT NULL"
    )
    floors = f"SELECT r, total, v * {points} / total AS floor, v * {points} % total AS rest{within} FROM ({wholes})"
    shares = (
        f"SELECT r, total, floor + (row_number() OVER ({group}ORDER BY rest DESC, r) "
        f"<= {points} - sum(floor) OVER ({group})) AS share FROM ({floors})"
    )
    right = f"(SELECT CASE WHEN total > 0 THEN share END FROM ({shares}) AS s WHERE s.r = t.rowid)"
    own_points = f"CAST(round({scope.own} * {10**fill.decimals}) AS INTEGER)"
    ok = f"{own_points} IS {right} AND (abs({scope.own} * {10**fill.decimals} - {own_points}) < 1e-6) IS NOT FALSE"
    yield scope.fill_test(f"is the share of {fill.column} in per cent", ok, (fill.column,))


def _derive(scope: _ColumnScope, fill: Derive) -> Iterator[Test]:
    own, value = scope.own, scope.sql(fill.node)
    ok = f"{own} IS ({value})"
    if scope.filled.type == "num":
        half = 0.5 * 10.0**-scope.filled.decimals * (1 + 1e-6)
        ok = f"({own} IS NULL) = (({value}) IS NULL) AND (abs({own} - ({value})) <= {half!r}) IS NOT FALSE"
    yield scope.fill_test("is what it is derived from", ok)


def _series(scope: _ColumnScope, fill: Series) -> Iterator[Test]:
    own = scope.own
    group = f"PARTITION BY {quote(fill.within)} " if fill.within else ""
    lag = f"lag({quote(scope.filled.name)}) OVER ({group}ORDER BY {quote(fill.along)}, rowid)"
    last = f"(SELECT b FROM (SELECT rowid AS r, {lag} AS b FROM {quote(scope.table)}) AS s WHERE s.r = t.rowid)"
    half = fill.step / 2 * (1 + 1e-6)
    lo, hi = fill.drift
    drifts = f"{own} BETWEEN {last} * {1 + lo / 100!r} - {half!r} AND {last} * {1 + hi / 100!r} + {half!r}"
    starts = f"{own} BETWEEN {fill.start[0] - half!r} AND {fill.start[1] + half!r}"
    ok = f"CASE WHEN {last} IS NULL THEN {starts} ELSE {drifts} END"
    yield scope.fill_test(f"drifts by {lo:g} to {hi:g} per cent along {fill.along}", ok, (fill.along,))


FILLS: dict[type, Callable[[_ColumnScope, Any], Iterator[Test]]] = {
    Invent: _invent,
    Pick: _pick,
    Choice: _choice,
    Chance: _typed_only,
    Number: _number,
    Date: _date,
    After: _after,
    Reference: _reference,
    Aggregate: _aggregate,
    Rank: _rank,
    Share: _share,
    Derive: _derive,
    Faker: _typed_only,
    Series: _series,
}
