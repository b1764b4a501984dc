"""The declared rules, keys and row counts in SQL. A row breaks a rule only when it is false; null passes."""

from collections.abc import Callable, Iterator
from typing import Any

from worldsmith.checking.fills import aggregate_sql
from worldsmith.checking.query import Scope, Test, duplicates_sql
from worldsmith.schema import Rule, Schema, Table
from worldsmith.schema.rules import Acyclic, Each, Must, Order, Unique
from worldsmith.world.engine import quote


def rule_test(structure: Schema, rule: Rule) -> Test:
    """Return the test of a declared rule."""
    return RULE_TESTS[type(rule)](structure, rule)


def _condition(structure: Schema, rule: Must | Each) -> Test:
    scope = Scope(structure, rule.table)
    scope.aggregates = {name: aggregate_sql(structure, rule.table, aggregate) for name, aggregate in rule.each}
    return scope.test(rule.name, rule.text, scope.sql(rule.node))


def _acyclic(structure: Schema, rule: Acyclic) -> Test:
    table, ref = quote(rule.table), quote(rule.columns[0])
    key = quote(structure.tables[rule.table].key[0])
    way = (
        f"WITH RECURSIVE way(k) AS (SELECT t.{ref} UNION "
        f"SELECT o.{ref} FROM {table} AS o JOIN way ON o.{key} = way.k WHERE o.{ref} IS NOT NULL) "
        f"SELECT count(*) FROM way WHERE k = t.{key}"
    )
    ok = f"CASE WHEN t.{ref} IS NULL THEN NULL ELSE ({way}) = 0 END"
    return Scope(structure, rule.table).test(rule.name, rule.text, ok, [rule.columns])


def _unique(structure: Schema, rule: Unique) -> Test:
    own = ", ".join(f"t.{quote(c)}" for c in rule.columns)
    null = " OR ".join(f"t.{quote(c)} IS NULL" for c in rule.columns)
    duplicates = duplicates_sql(rule.table, [quote(c) for c in rule.columns])
    ok = f"CASE WHEN {null} THEN NULL ELSE ({own}) NOT IN ({duplicates}) END"
    return Scope(structure, rule.table).test(rule.name, rule.text, ok, [(c,) for c in rule.columns])


def _order(structure: Schema, rule: Order) -> Test:
    value, along = quote(rule.order), quote(rule.by)
    group = f" AND o.{quote(rule.within)} IS t.{quote(rule.within)}" if rule.within else ""
    above = f"SELECT max(o.{value}) FROM {quote(rule.table)} AS o WHERE o.{along} < t.{along}{group}"
    known = f"t.{value} IS NOT NULL AND t.{along} IS NOT NULL"
    ok = f"CASE WHEN {known} THEN t.{value} >= coalesce(({above}), t.{value}) END"
    return Scope(structure, rule.table).test(rule.name, rule.text, ok, [(c,) for c in rule.columns])


def table_tests(structure: Schema, table: Table) -> Iterator[Test]:
    """Yield the tests of a table's key and row count."""
    yield _unique(structure, Unique(name=f"key:{table.name}", table=table.name, columns=table.key))
    null = " AND ".join(f"t.{quote(k)} IS NOT NULL" for k in table.key)
    yield Scope(structure, table.name).test(f"key:{table.name}", "is not null", null, [(k,) for k in table.key])
    lo, hi = table.rows
    counted = f"(SELECT 0 AS rowid, count(*) AS rows FROM {quote(table.name)}) AS t"
    ok, text = f"t.rows BETWEEN {lo} AND {hi}", f"has {lo} to {hi} rows"
    yield Test(f"rows:{table.name}", text, table.name, (counted,), ok, ("t.rows",), ("rows",))


RULE_TESTS: dict[type[Rule], Callable[[Schema, Any], Test]] = {
    Must: _condition,
    Each: _condition,
    Acyclic: _acyclic,
    Unique: _unique,
    Order: _order,
}
