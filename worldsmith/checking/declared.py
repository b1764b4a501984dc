"""The declared rules, keys and row counts in SQL. A row breaks a rule only when it is false; null passes."""

from collections.abc import Callable, Iterator

from worldsmith import expr
from worldsmith.checking.fills import aggregate_sql
from worldsmith.checking.query import Scope, Test, duplicates_sql
from worldsmith.schema import Rule, Schema, Table
from worldsmith.world.engine import quote


def rule_test(structure: Schema, rule: Rule) -> Test:
    """Return the test of a declared rule."""
    return RULES[rule.kind](structure, rule)


def _must(structure: Schema, rule: Rule) -> Test:
    assert rule.node is not None
    scope = Scope(structure, rule.table)
    scope.aggregates = {name: aggregate_sql(structure, rule.table, aggregate) for name, aggregate in rule.each}
    return scope.test(rule.name, expr.text(rule.node), scope.sql(rule.node))


def _acyclic(structure: Schema, rule: Rule) -> Test:
    table, ref = quote(rule.table), quote(rule.columns[0])
    key = quote(structure.tables[rule.table].key[0])
    way = (
        f"WITH RECURSIVE way(k) AS (SELECT t.{ref} UNION "
        f"SELECT o.{ref} FROM {table} AS o JOIN way ON o.{key} = way.k WHERE o.{ref} IS NOT NULL) "
        f"SELECT count(*) FROM way WHERE k = t.{key}"
    )
    ok = f"CASE WHEN t.{ref} IS NULL THEN NULL ELSE ({way}) = 0 END"
    text = f"{rule.table}.{rule.columns[0]} leads back to itself nowhere"
    return Scope(structure, rule.table).test(rule.name, text, ok, [(rule.columns[0],)])


def _unique(structure: Schema, rule: Rule) -> Test:
    return _once(structure, rule.table, rule.columns, rule.name)


def _once(structure: Schema, table: str, columns: tuple[str, ...], name: str) -> Test:
    own = ", ".join(f"t.{quote(c)}" for c in columns)
    null = " OR ".join(f"t.{quote(c)} IS NULL" for c in columns)
    ok = f"CASE WHEN {null} THEN NULL ELSE ({own}) NOT IN ({duplicates_sql(table, [quote(c) for c in columns])}) END"
    return Scope(structure, table).test(
        name, f"{', '.join(columns)} together don't repeat", ok, [(c,) for c in columns]
    )


def _order(structure: Schema, rule: Rule) -> Test:
    value, along = quote(rule.order), quote(rule.by)
    group = f" AND o.{quote(rule.within)} IS t.{quote(rule.within)}" if rule.within else ""
    above = f"SELECT max(o.{value}) FROM {quote(rule.table)} AS o WHERE o.{along} < t.{along}{group}"
    known = f"t.{value} IS NOT NULL AND t.{along} IS NOT NULL"
    ok = f"CASE WHEN {known} THEN t.{value} >= coalesce(({above}), t.{value}) END"
    paths = [(rule.order,), (rule.by,), *([(rule.within,)] if rule.within else [])]
    return Scope(structure, rule.table).test(rule.name, f"{rule.order} never falls along {rule.by}", ok, paths)


def table_tests(structure: Schema, table: Table) -> Iterator[Test]:
    """Yield the tests of a table's key and row count."""
    yield _once(structure, table.name, table.key, f"key:{table.name}")
    null = " AND ".join(f"t.{quote(k)} IS NOT NULL" for k in table.key)
    yield Scope(structure, table.name).test(f"key:{table.name}", "is not null", null, [(k,) for k in table.key])
    lo, hi = table.rows
    counted = f"(SELECT 0 AS rowid, count(*) AS rows FROM {quote(table.name)}) AS t"
    ok, text = f"t.rows BETWEEN {lo} AND {hi}", f"has {lo} to {hi} rows"
    yield Test(f"rows:{table.name}", text, table.name, (counted,), ok, ("t.rows",), ("rows",))


RULES: dict[str, Callable[[Schema, Rule], Test]] = {
    "must": _must,
    "each": _must,
    "acyclic": _acyclic,
    "unique": _unique,
    "order": _order,
}
