"""The rules that fills imply, in SQL: range, band, list, date window, reference, count, sum, rank, share."""

from collections.abc import Callable, Iterator

from worldsmith import expr
from worldsmith.checking.query import Scope, Test, child_rows_sql, duplicates_sql, literal
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


def fill_tests(structure: Schema, column: Column) -> Iterator[Test]:
    """Yield the tests of one column's fill; all are named fill:table.column."""
    name = f"fill:{column.table}.{column.name}"
    own = f"t.{quote(column.name)}"
    yield _typed(structure, column, name, own)
    yield from FILLS[type(column.fill)](structure, column, name, own)


def _typed(structure: Schema, column: Column, name: str, own: str) -> Test:
    ok = TYPED[column.type].format(own)
    # Null is judged by the fill where it may follow from what the fill reads.
    follows = isinstance(column.fill, After | Aggregate | Rank | Share | Derive | Reference)
    null = "1" if column.nullable or follows else "0"
    return Scope(structure, column.table).test(
        name, f"is {column.type}", f"CASE WHEN {own} IS NULL THEN {null} ELSE {ok} END", [(column.name,)]
    )


def _invent(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    once = f"lower({own}) NOT IN ({duplicates_sql(column.table, [f'lower({quote(column.name)})'])})"
    yield Scope(structure, column.table).test(name, "is unique", once, [(column.name,)])


def _pick(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    fill = column.fill
    assert isinstance(fill, Pick)
    items = f"SELECT item FROM {quote(LISTS)} WHERE list = {literal(fill.values)}"
    yield Scope(structure, column.table).test(name, f"is one of {fill.values}", f"{own} IN ({items})", [(column.name,)])
    if fill.where is not None:
        yield _where(structure, column, name, own)


def _where(structure: Schema, column: Column, name: str, own: str) -> Test:
    assert isinstance(column.fill, Pick | Reference)
    assert column.fill.where is not None
    scope = Scope(structure, column.table)
    holds = scope.sql(column.fill.where)
    # `where` must be true, where a rule must only not be false.
    ok = f"CASE WHEN {own} IS NULL THEN NULL ELSE ({holds}) IS TRUE END"
    return scope.test(name, "is allowed by its where", ok, [(column.name,)])


def _choice(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    assert isinstance(column.fill, Choice)
    options = ", ".join(map(literal, column.fill.options))
    yield Scope(structure, column.table).test(name, f"is one of {options}", f"{own} IN ({options})", [(column.name,)])


def _typed_only(_schema: Schema, _column: Column, _name: str, _own: str) -> Iterator[Test]:
    yield from ()


def _number(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    fill = column.fill
    assert isinstance(fill, Number)
    tiny = fill.step * 1e-6
    ok = (
        f"{own} BETWEEN {fill.lo - tiny!r} AND {fill.hi + tiny!r} "
        f"AND abs(round({own} / {fill.step!r}) * {fill.step!r} - {own}) < {tiny!r}"
    )
    text = f"is a multiple of {fill.step:g} in [{fill.lo:g}, {fill.hi:g}]"
    yield Scope(structure, column.table).test(name, text, ok, [(column.name,)])
    if fill.mean is None:
        return
    scope = Scope(structure, column.table)
    mean, half = scope.sql(fill.mean), fill.step / 2 + tiny
    low = f"max({fill.lo!r}, min({fill.hi!r}, ({mean}) - {fill.spread!r})) - {half!r}"
    high = f"min({fill.hi!r}, max({fill.lo!r}, ({mean}) + {fill.spread!r})) + {half!r}"
    ok = f"{own} BETWEEN {low} AND {high}"
    yield scope.test(name, f"is within {fill.spread:g} of its mean", ok, [(column.name,)])


def _date(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    assert isinstance(column.fill, Date)
    lo, hi = column.fill.lo, column.fill.hi
    ok = f"{own} BETWEEN {literal(lo)} AND {literal(hi)}"
    yield Scope(structure, column.table).test(name, f"is in [{lo}, {hi}]", ok, [(column.name,)])


def _after(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    fill = column.fill
    assert isinstance(fill, After)
    scope = Scope(structure, column.table)
    start = scope.column(fill.path)
    days = f"CAST(round(julianday({own}) - julianday({start})) AS INTEGER)"
    first = f"date({start}, '+{fill.lo} days')" if fill.lo >= 0 else f"date({start}, '{fill.lo} days')"
    end = scope.sql(fill.until) if fill.until is not None else None
    late = f" AND {own} <= coalesce({end}, {own})" if end else ""
    closed = f"{start} IS NULL" + (f" OR coalesce(({end}) < {first}, 0)" if end else "")
    missing = "1" if column.missing else f"({closed})"
    within = f"{start} IS NOT NULL AND {days} BETWEEN {fill.lo} AND {fill.hi}{late}"
    ok = f"CASE WHEN {own} IS NULL THEN {missing} ELSE {within} END"
    text = f"is {fill.lo} to {fill.hi} days after {'.'.join(fill.path)}"
    yield scope.test(name, text, ok, [(column.name,), fill.path])


def _reference(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    fill = column.fill
    assert isinstance(fill, Reference)
    target = structure.tables[fill.table]
    key = quote(target.key[0])
    null = "1" if column.missing else "0"
    exists = f"EXISTS (SELECT 1 FROM {quote(fill.table)} AS r WHERE r.{key} = {own})"
    yield Scope(structure, column.table).test(
        name, f"is a {target.singular}", f"CASE WHEN {own} IS NULL THEN {null} ELSE {exists} END", [(column.name,)]
    )
    if fill.where is not None:
        yield _where(structure, column, name, own)
    if fill.per is not None:
        lo, hi = fill.per
        count = f"SELECT count(*) FROM {quote(column.table)} AS c WHERE c.{quote(column.name)} = t.{key}"
        yield Scope(structure, fill.table).test(
            name, f"is taken {lo} to {hi} times", f"({count}) BETWEEN {lo} AND {hi}", [(target.key[0],)]
        )


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


def _aggregate(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    fill = column.fill
    assert isinstance(fill, Aggregate)
    what = f"{fill.op} of {fill.table}" + (f".{fill.column}" if fill.column else "")
    ok = f"{own} IS {aggregate_sql(structure, column.table, fill)}"
    yield Scope(structure, column.table).test(name, f"is the {what}", ok, [(column.name,)])


def _rank(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    fill = column.fill
    assert isinstance(fill, Rank)
    ranked = f"t.{quote(fill.column)}"
    group = f"PARTITION BY t.{quote(fill.within)} " if fill.within else ""
    # Nulls come last in descending order, so they change no rank.
    ok = f"{own} IS CASE WHEN {ranked} IS NOT NULL THEN rank() OVER ({group}ORDER BY {ranked} DESC) END"
    yield Scope(structure, column.table).test(
        name, f"is the rank by {fill.column}", ok, [(column.name,), (fill.column,)]
    )


def _share(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    """Largest remainder with windows: whole points first, then one each by remainder, ties by row order."""
    fill = column.fill
    assert isinstance(fill, Share)
    points = 100 * 10**fill.decimals
    scale = 10 ** structure.column(column.table, fill.column).decimals
    group = f"PARTITION BY {quote(fill.within)} " if fill.within else ""
    whole = f"CAST(round({quote(fill.column)} * {scale}) AS INTEGER)"
    within = f", {quote(fill.within)}" if fill.within else ""
    wholes = (
        f"SELECT rowid AS r, {whole} AS v, sum({whole}) OVER ({group}) AS total{within} "
        f"FROM {quote(column.table)} WHERE {quote(fill.column)} IS NOT NULL"
    )
    floors = f"SELECT r, total, v * {points} / total AS floor, v * {points} % total AS rest{within} FROM ({wholes})"
    shares = (
        f"SELECT r, total, floor + (row_number() OVER ({group}ORDER BY rest DESC, r) "
        f"<= {points} - sum(floor) OVER ({group})) AS share FROM ({floors})"
    )
    right = f"(SELECT CASE WHEN total > 0 THEN share END FROM ({shares}) AS s WHERE s.r = t.rowid)"
    own_points = f"CAST(round({own} * {10**fill.decimals}) AS INTEGER)"
    ok = f"{own_points} IS {right} AND (abs({own} * {10**fill.decimals} - {own_points}) < 1e-6) IS NOT FALSE"
    yield Scope(structure, column.table).test(
        name, f"is the share of {fill.column} in per cent", ok, [(column.name,), (fill.column,)]
    )


def _derive(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    fill = column.fill
    assert isinstance(fill, Derive)
    scope = Scope(structure, column.table)
    value = scope.sql(fill.node)
    if column.type == "num":
        half = 0.5 * 10.0**-column.decimals * (1 + 1e-6)
        ok = f"({own} IS NULL) = (({value}) IS NULL) AND (abs({own} - ({value})) <= {half!r}) IS NOT FALSE"
    else:
        ok = f"{own} IS ({value})"
    yield scope.test(name, "is what it is derived from", ok, [(column.name,)])


def _series(structure: Schema, column: Column, name: str, own: str) -> Iterator[Test]:
    fill = column.fill
    assert isinstance(fill, Series)
    along = quote(fill.along)
    group = f"PARTITION BY {quote(fill.within)} " if fill.within else ""
    lag = f"lag({quote(column.name)}) OVER ({group}ORDER BY {along}, rowid)"
    before = f"SELECT rowid AS r, {lag} AS b FROM {quote(column.table)}"
    last = f"(SELECT b FROM ({before}) AS s WHERE s.r = t.rowid)"
    half = fill.step / 2 * (1 + 1e-6)
    lo, hi = fill.drift
    drifts = f"{own} BETWEEN {last} * {1 + lo / 100!r} - {half!r} AND {last} * {1 + hi / 100!r} + {half!r}"
    starts = f"{own} BETWEEN {fill.start[0] - half!r} AND {fill.start[1] + half!r}"
    ok = f"CASE WHEN {last} IS NULL THEN {starts} ELSE {drifts} END"
    text = f"drifts by {lo:g} to {hi:g} per cent along {fill.along}"
    yield Scope(structure, column.table).test(name, text, ok, [(column.name,), (fill.along,)])


FILLS: dict[type, Callable[[Schema, Column, str, str], Iterator[Test]]] = {
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
