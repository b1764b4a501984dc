"""Figures of the shipped schemas: consistent, invented, varied, of the right size, and what a critic would read.

python examples/measure_worlds.py [schema …] [--checked 200] [--sized 1000] [--edits 500] [--facts 10]

For each schema: worlds checked against every rule and every name against the filter of real ones; rows over many
default worlds; distinct structures among them; random edits caught, with the columns that no declared rule reads;
some random facts. Worlds are those of the seeds 0, 1, 2, …
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

from worldsmith.audit.worlds.survey import Survey, survey
from worldsmith.checking import check
from worldsmith.generation import generate
from worldsmith.graph import graph_of
from worldsmith.schema import Schema, load_schema, shipped, structure_of
from worldsmith.world.model import Row, World

# Random edits are those of the tests.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from test_check import random_edit

GOAL = 0.95
"""Share of the worlds where a rule is on in which it should cover rows."""


def checked(schema: Schema, count: int) -> None:
    """Print violations, rules that cover rows too seldom, and names taken for real."""
    on: Counter[str] = Counter()
    covered: Counter[str] = Counter()
    broken = 0

    def made():
        nonlocal broken
        for seed in range(count):
            world = generate(schema, seed)
            report = check(world)
            broken += report.broken
            on.update(rule.rule for rule in report.rules)
            covered.update(rule.rule for rule in report.rules if rule.covers)
            yield world

    found = survey(made())
    declared = {rule.name for rule in schema.rules}
    print(f"  {count} worlds checked: {broken} violations")
    for sort, rules in (("declared", on.keys() & declared), ("implied", on.keys() - declared)):
        seldom = sorted(rule for rule in rules if covered[rule] < GOAL * on[rule])
        print(f"  {len(rules)} {sort} rules, {len(seldom)} of them cover rows in under {GOAL:.0%} of worlds")
        for rule in seldom:
            print(f"    {rule}: {covered[rule]} of {on[rule]}")
    print_alike(found, schema.name)


def print_alike(found: Survey, name: str) -> None:
    """Print what `worldsmith audit worlds` says of the worlds of a schema."""
    kin = found.schemas[name]
    print(f"  {kin.named.total()} names tested, {found.collisions} collisions, {kin.twins} near-twins in a world")
    print(
        f"  names met in an earlier world: {kin.names.shared.total()} of {kin.names.counts.total()}; "
        f"rows: {kin.rows.shared.total()} of {kin.rows.counts.total()}; equal columns: {kin.equal_columns}"
    )
    for finding in found.findings:
        print(f"  {finding.what}: {finding.where}")


def sized(schema: Schema, count: int) -> None:
    """Print the fewest and most rows of a world, and how many structures there are after 10, 20, 50, … worlds."""
    facts: list[int] = []
    structures: set[frozenset[str]] = set()
    curve = []
    for seed in range(count):
        world = generate(schema, seed)
        facts.append(world.facts)
        structures.add(world.schema.switches)
        if seed + 1 in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000):
            curve.append(f"{len(structures)} in {seed + 1}")
    print(f"  {count} worlds: {min(facts)} to {max(facts)} rows; structures: {', '.join(curve)}")


def edits(name: str, count: int) -> None:
    """Print the share of random edits caught; constrained: a declared rule reads what was edited."""
    schema, chance = load_schema(name), random.Random(5)
    tried: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    while tried["constrained"] < count:
        world = generate(schema, tried["all"] % 25)
        edited = random_edit(world, chance)
        graph = graph_of(world.schema)
        touched = [
            (table, column)
            for table, columns in world.tables.items()
            for column, values in columns.items()
            if list(values) != list(edited.tables[table][column])
        ]
        found = not check(edited).ok
        for kind in ("all", "constrained"):
            if kind == "all" or any(graph.rules_on(cell) for cell in touched):
                tried[kind] += 1
                caught[kind] += found
    for kind in ("constrained", "all"):
        print(f"  random edits caught: {caught[kind] / tried[kind]:.1%} of {tried[kind]} ({kind})")


def unread(schema: Schema) -> None:
    """Print the columns that no declared rule reads."""
    schema = structure_of(schema, schema.variation)
    graph = graph_of(schema)
    free = [
        f"{t.name}.{c.name}" for t in schema.tables.values() for c in t.columns if not graph.rules_on((t.name, c.name))
    ]
    of = sum(len(t.columns) for t in schema.tables.values())
    print(f"  {len(free)} of {of} columns are read by no declared rule: {', '.join(free)}")


def facts(schema: Schema, count: int) -> None:
    """Print random facts, each with what it refers to."""
    chance = random.Random(f"facts of {schema.name}")
    for number in range(count):
        world = generate(schema, chance.randrange(10**6))
        row = chance.choice([row for name in world.tables for row in world.rows_of(name)])
        print(f"  {number + 1}. {told(world, row)}")


def told(world: World, row: Row) -> str:
    """Return a fact as "singular key: label value; …", what it refers to in brackets."""
    table = world.schema.tables[row.table]
    parts = []
    for column in table.columns:
        value = world.value(row, column.name)
        text = (
            column.none or "-"
            if value is None
            else {True: "yes", False: "no"}.get(value, str(value))
            if isinstance(value, bool)
            else str(value)
        )
        target = world.follow(row, column.name) if column.ref else None
        if target:
            known = [c for c in world.schema.tables[target.table].columns if c.see == "snippet" and not c.key]
            text += f" [{', '.join(str(world.value(target, c.name)) for c in known)}]" if known else ""
        if not column.key or len(table.key) > 1:
            parts.append(f"{column.header} {text}")
    return f"{table.singular} {world.title(row)} ({world.id}): {'; '.join(parts)}"


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schemas", nargs="*", default=list(shipped()))
    parser.add_argument("--checked", type=int, default=200, help="worlds to check and to test names of")
    parser.add_argument("--sized", type=int, default=1000, help="worlds to count rows and structures of")
    parser.add_argument("--edits", type=int, default=500, help="random edits to constrained cells")
    parser.add_argument("--facts", type=int, default=10, help="random facts to print")
    asked = parser.parse_args()
    for name in asked.schemas:
        schema = load_schema(name)
        print(name)
        if asked.checked:
            checked(schema, asked.checked)
        if asked.sized:
            sized(schema, asked.sized)
        if asked.edits:
            edits(name, asked.edits)
            unread(schema)
        if asked.facts:
            facts(schema, asked.facts)


if __name__ == "__main__":
    main()
