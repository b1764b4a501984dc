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

MAX_VIOLATIONS = 20
"""Violations kept per rule; all are counted."""


def check(world: World) -> Report:
    """Test every declared and implied rule of `world`; about 20 us a test.

    It shares only the parsed schema with generation, so it can see a defect of the generator.
    """
    with attach(world) as connection:
        rules = tuple(_run(world, connection, name, tests) for name, tests in tests_of(world.schema).items())
    return Report(world.id, world.digest, world.facts, rules, world.schema.off)


@lru_cache(maxsize=256)
def tests_of(structure: Schema) -> dict[str, list[Test]]:
    """Return the tests of a structure by the rule they belong to, in order: tables, fills, declared rules."""
    tests: list[Test] = []
    for table in structure.tables.values():
        tests += table_tests(structure, table)
    for table in structure.tables.values():
        for column in table.columns:
            tests += fill_tests(structure, column)
    tests += [rule_test(structure, rule) for rule in structure.rules]
    by_rule: dict[str, list[Test]] = {}
    for test in tests:
        by_rule.setdefault(test.rule, []).append(test)
    return by_rule


def _run(world: World, connection: sqlite3.Connection, name: str, tests: list[Test]) -> RuleReport:
    covers = broken = 0
    violations: list[Violation] = []
    for test in tests:
        count, broken_count = test.count(connection)
        covers = max(covers, count)
        broken += broken_count
        if broken_count:
            broken_rows = connection.execute(f"SELECT * FROM ({test.sql}) WHERE ok = 0 LIMIT {MAX_VIOLATIONS}")
            dependents = _dependents(graph_of(world.schema), test)
            violations += [_violation(world, test, row, dependents) for row in broken_rows]
    return RuleReport(name, "; ".join(t.text for t in tests), covers, broken, tuple(violations[:MAX_VIOLATIONS]))


def _violation(world: World, test: Test, broken_row: tuple[object, ...], dependents: tuple[str, ...]) -> Violation:
    index, _, *values = broken_row
    assert isinstance(index, int)
    shown: Mapping[str, object] = dict(zip(test.value_names, values, strict=True))
    if index < 0:
        return Violation(test.rule, test.table, test.table, shown, dependents)  # type: ignore[arg-type]
    row = Row(test.table, index)
    return Violation(test.rule, str(row), world.title(row), shown, dependents)  # type: ignore[arg-type]


def _dependents(graph: ConstraintGraph, test: Test) -> tuple[str, ...]:
    """Return the rules and columns that depend on what the test reads."""
    dependents: set[str] = set()
    for path in test.value_names:
        name = (test.table, path)
        if name in graph.graph:
            dependents |= {f"rule {n}" if kind == "rule" else f"{kind}.{n}" for kind, n in graph.dependents(name)}
    return tuple(sorted(dependents))
