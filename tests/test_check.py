"""Each kind of rule broken by hand is caught and named; clean worlds have no violation."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from worldsmith.checking import check
from worldsmith.generation import generate
from worldsmith.schema import Schema, load_schema, shipped
from worldsmith.world.model import World


def edited(world: World, table: str, column: str, index: int, value) -> World:
    tables = {name: {c: list(v) for c, v in columns.items()} for name, columns in world.tables.items()}
    tables[table][column][index] = value
    return replace(world, tables=tables)


def broken(world: World) -> set[str]:
    return {r.rule for r in check(world).rules if r.broken}


def test_clean_worlds_have_no_violation(harbour, smartphones, town):
    for world in (harbour, smartphones, town):
        report = check(world)
        assert report.ok, report.violations[:3]
        assert len(report.rules) > 25


def index_where(world: World, table: str, column: str, test) -> int:
    return next(i for i, v in enumerate(world.tables[table][column]) if test(v))


@pytest.mark.parametrize(
    ("table", "column", "change", "rule"),
    [
        ("berth", "name", lambda w: w.tables["berth"]["name"][1], "fill:berth.name"),
        ("berth", "depth", lambda w: 4.3, "fill:berth.depth"),
        ("berth", "depth", lambda w: 99.0, "fill:berth.depth"),
        ("berth", "depth", lambda w: "deep", "fill:berth.depth"),
        ("berth", "depth", lambda w: None, "fill:berth.depth"),
        ("berth", "calls", lambda w: w.tables["berth"]["calls"][0] + 1, "fill:berth.calls"),
        ("berth", "salt", lambda w: w.tables["berth"]["salt"][0] + 1, "fill:berth.salt"),
        ("berth", "tons", lambda w: w.tables["berth"]["tons"][0] + 10, "fill:berth.tons"),
        ("berth", "best", lambda w: w.tables["berth"]["best"][0] + 10, "fill:berth.best"),
        ("berth", "part", lambda w: w.tables["berth"]["part"][0] + 0.1, "fill:berth.part"),
        ("berth", "place", lambda w: w.tables["berth"]["place"][0] + 1, "fill:berth.place"),
        ("berth", "tug", lambda w: 3, "fill:berth.tug"),
        ("call", "berth", lambda w: "Nowhere", "fill:call.berth"),
        ("call", "berth", lambda w: None, "fill:call.berth"),
        ("call", "flag", lambda w: "Peru", "fill:call.flag"),
        ("call", "pilot", lambda w: "Nobody", "fill:call.pilot"),
        ("call", "goods", lambda w: "gold", "fill:call.goods"),
        ("call", "arrived", lambda w: "2031-01-01", "fill:call.arrived"),
        ("call", "arrived", lambda w: "2030-02-30", "fill:call.arrived"),
        ("call", "left", lambda w: "2030-01-01", "fill:call.left"),
        ("call", "left", lambda w: None, "fill:call.left"),
        ("call", "tons", lambda w: 4000 if w.tables["call"]["tons"][0] < 2000 else 100, "fill:call.tons"),
        ("call", "tons", lambda w: w.tables["call"]["tons"][0] + 5, "fill:call.tons"),
        ("call", "stay", lambda w: (w.tables["call"]["stay"][0] or 0) + 1, "fill:call.stay"),
        ("call", "note", lambda w: "nothing", "fill:call.note"),
        ("call", "agent", lambda w: None, "fill:call.agent"),
        ("dues", "rate", lambda w: w.tables["dues"]["rate"][0] + 400, "fill:dues.rate"),
        ("dues", "rank", lambda w: 0, "fill:dues.rank"),
        ("dues", "part", lambda w: w.tables["dues"]["part"][0] + 1, "fill:dues.part"),
        ("dues", "year", lambda w: 1999, "fill:dues.year"),
    ],
)
def test_each_fill_broken_by_hand_is_named(harbour, table, column, change, rule):
    assert rule in broken(edited(harbour, table, column, 0, change(harbour)))


def test_must_is_named_with_row_and_values(harbour):
    shallow = index_where(harbour, "call", "berth", lambda b: harbour.value(harbour.find("berth", b), "depth") < 11)
    world = edited(harbour, "call", "tons", shallow, 3500)
    found = [v for v in check(world).violations if v.rule == "deep_for_much"]
    assert [(v.row, v.values["tons"]) for v in found] == [(f"call/{shallow}", 3500)]
    assert found[0].values["berth.depth"] < 11
    assert "berth.tons" in found[0].dependents


def test_acyclic_is_named(harbour):
    names = harbour.tables["berth"]["name"]
    world = edited(edited(harbour, "berth", "next", 0, names[1]), "berth", "next", 1, names[0])
    rows = {v.row for v in check(world).violations if v.rule == "no_circle"}
    assert {"berth/0", "berth/1"} <= rows


def test_unique_is_named(harbour):
    berths = harbour.tables["call"]["berth"]
    i, j = next((i, j) for i in range(len(berths)) for j in range(i) if berths[i] == berths[j])
    world = edited(harbour, "call", "arrived", i, harbour.tables["call"]["arrived"][j])
    assert "one_a_day" in broken(world)


def test_order_is_named(harbour):
    rows = sorted(zip(harbour.tables["dues"]["berth"], harbour.tables["dues"]["year"], range(99), strict=False))
    first = next(a for a, b in pairwise(rows) if a[0] == b[0])
    assert "rates_rise" in broken(edited(harbour, "dues", "rate", first[2], 999))


def test_each_is_named(mini_data):
    data = {**mini_data, "rules": {**mini_data["rules"]}}
    data["rules"]["few_salt"] = {**data["rules"]["few_salt"], "must": "s <= 7"}
    world = generate(load_schema_from(data), 3)
    berth = world.tables["berth"]["name"][0]
    tables = {name: {c: list(v) for c, v in columns.items()} for name, columns in world.tables.items()}
    for i in range(8):
        tables["call"]["berth"][i], tables["call"]["goods"][i] = berth, "salt"
    assert "few_salt" in broken(replace(world, tables=tables))


def load_schema_from(data) -> Schema:
    from worldsmith.schema import parse_schema

    return parse_schema(data)


def test_key_rows_and_per_are_named(harbour):
    doubled = edited(edited(harbour, "dues", "year", 0, harbour.tables["dues"]["year"][1]), "dues", "berth", 0,
                     harbour.tables["dues"]["berth"][1])  # fmt: skip
    assert "key:dues" in broken(doubled)
    cut = {name: {c: list(v) for c, v in columns.items()} for name, columns in harbour.tables.items()}
    for values in cut["call"].values():
        del values[:20]
    assert {"rows:call", "fill:call.berth"} <= broken(replace(harbour, tables=cut))


def test_a_deleted_parent_names_the_children(harbour):
    tables = {name: {c: list(v) for c, v in columns.items()} for name, columns in harbour.tables.items()}
    gone = tables["berth"]["name"][0]
    for values in tables["berth"].values():
        del values[0]
    found = [v for v in check(replace(harbour, tables=tables)).violations if v.rule == "fill:call.berth"]
    assert found
    assert {v.values.get("berth", gone) for v in found} == {gone}


def test_null_passes_a_rule(harbour):
    world = edited(harbour, "berth", "tug", 0, None)
    assert "small_needs_no_tug" not in broken(world)
    assert "fill:berth.tug" in broken(world)


def random_edit(world: World, chance: random.Random) -> World:
    """Change a value, drop a row, swap two references or duplicate a key, as a mutation of the tables."""
    tables = {name: {c: list(v) for c, v in columns.items()} for name, columns in world.tables.items()}
    name, table = chance.choice(list(world.schema.tables.items()))
    columns, size = tables[name], world.size(name)
    match chance.choice(["value", "value", "drop", "swap", "duplicate"]):
        case "value":
            column = columns[chance.choice(table.columns).name]
            i = chance.randrange(size)
            column[i] = chance.choice([v for v in column if v != column[i]] or [None])
        case "drop":
            i = chance.randrange(size)
            for values in columns.values():
                del values[i]
        case "swap":
            owner, ref = chance.choice([(t.name, c.name) for t in world.schema.tables.values() for c in t.refs])
            column = tables[owner][ref]
            i, j = chance.choice([(i, j) for i in range(len(column)) for j in range(i) if column[i] != column[j]])
            column[i], column[j] = column[j], column[i]
        case _:
            i, j = chance.sample(range(size), 2)
            for key in table.key:
                columns[key][i] = columns[key][j]
    return replace(world, tables=tables)


@pytest.mark.parametrize("name", ["smartphones", "town"])
def test_random_edits_are_caught(name, request):
    world = request.getfixturevalue(name)
    chance = random.Random(11)
    caught = sum(not check(random_edit(world, chance)).ok for _ in range(80))
    assert caught >= 0.75 * 80


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_hundred_worlds_are_clean_and_of_the_right_size(name):
    schema = load_schema(name)
    for seed in range(100):
        world = generate(schema, seed)
        assert 300 <= world.facts <= 500
        report = check(world)
        assert report.ok, (world.id, report.violations[:3])
