"""Running the tests of a structure over a world in SQLite."""

import sqlite3
from collections.abc import Mapping
from functools import lru_cache

from worldsmith.checking.declared import rule_test, table_tests
from worldsmith.checking.fills import fill_tests
from worldsmith.checking.query import Test
from worldsmith.checking.report import Report, RuleReport, Violation
from worldsmith.graph import ConstraintGraph, graph_of
from worldsmith.schema import Schema
from worldsmith.world.engine import attach
from worldsmith.world.model import Row, World

SHOWN = 20
"""Violations kept a rule; all are counted."""


def check(world: World) -> Report:
    """Test every declared and implied rule of `world`; about 20 us a test.

    Sharing only the parsed schema with generation, it would see a defect of the generator.
    """
    with attach(world) as connection:
        rules = tuple(_run(world, connection, name, tests) for name, tests in tests_of(world.schema).items())
    return Report(world.id, world.digest, world.facts, rules, world.schema.off)


@lru_cache(maxsize=256)
def tests_of(schema: Schema) -> dict[str, list[Test]]:
    """Return the tests of a structure by the rule they belong to, in order: tables, fills, declared rules."""
    found: list[Test] = []
    for table in schema.tables.values():
        found += table_tests(schema, table)
    for table in schema.tables.values():
        for column in table.columns:
            found += fill_tests(schema, column)
    found += [rule_test(schema, rule) for rule in schema.rules]
    by_rule: dict[str, list[Test]] = {}
    for test in found:
        by_rule.setdefault(test.rule, []).append(test)
    return by_rule


def _run(world: World, connection: sqlite3.Connection, name: str, tests: list[Test]) -> RuleReport:
    covers = broken = 0
    violations: list[Violation] = []
    for test in tests:
        count, bad = test.count(connection)
        covers = max(covers, count)
        broken += bad
        if bad:
            found = connection.execute(f"SELECT * FROM ({test.sql}) WHERE ok = 0 LIMIT {SHOWN}")
            hangs = _hangs(graph_of(world.schema), test)
            violations += [_violation(world, test, row, hangs) for row in found]
    return RuleReport(name, "; ".join(t.text for t in tests), covers, broken, tuple(violations[:SHOWN]))


def _violation(world: World, test: Test, found: tuple[object, ...], hangs: tuple[str, ...]) -> Violation:
    index, _, *values = found
    assert isinstance(index, int)
    shown: Mapping[str, object] = dict(zip(test.shown, values, strict=True))
    if index < 0:
        return Violation(test.rule, test.table, test.table, shown, hangs)  # type: ignore[arg-type]
    row = Row(test.table, index)
    return Violation(test.rule, str(row), world.title(row), shown, hangs)  # type: ignore[arg-type]


def _hangs(graph: ConstraintGraph, test: Test) -> tuple[str, ...]:
    """Return the rules and columns that hang on what the test shows."""
    found: set[str] = set()
    for path in test.shown:
        name = (test.table, path)
        if name in graph.graph:
            found |= {f"rule {n}" if kind == "rule" else f"{kind}.{n}" for kind, n in graph.after(name)}
    return tuple(sorted(found))
