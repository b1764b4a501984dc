"""What is called implied can't be false: by hand, and over small schemas whose worlds reach every corner."""

import copy
import random
from dataclasses import replace

import pytest

from worldsmith import expr
from worldsmith.checking import check
from worldsmith.checking.declared import rule_test
from worldsmith.errors import ExprError
from worldsmith.generation import generate
from worldsmith.schema import Rule, Schema, parse_schema, structure_of
from worldsmith.schema_lint.implied import implied
from worldsmith.world.engine import attach
from worldsmith.world.model import World

PORT = {
    "schema": 1,
    "name": "port",
    "kind": "private_simulation",
    "as_of": "2031-05-01",
    "about": "a port",
    "values": {"goods": ["salt", "tea", "wine"], "years": [2028, 2029, 2030]},
    "tables": {
        "berth": {
            "called": ["berth", "berths"],
            "rows": [3, 4],
            "key": "name",
            "columns": {
                "name": {"invent": "ship"},
                "depth": {"number": [4, 7]},
                "wide": {"chance": 0.5},
                "built": {"date": ["2027-12-30", "2028-01-02"]},
                "calls": {"count": "call"},
                "salt": {"count": "call", "where": "goods = 'salt'"},
                "tons": {"sum": "call.tons"},
                "most": {"max": "call.tons"},
                "place": {"rank": "tons"},
                "part": {"share": "tons", "decimals": 1},
                "next": {"ref": "berth", "where": "next.depth > depth", "missing": 0.3, "label": "Next"},
            },
        },
        "call": {
            "called": ["call", "calls"],
            "rows": [12, 14],
            "key": "code",
            "columns": {
                "code": {"invent": "code"},
                "berth": {"ref": "berth", "per": [2, 5]},
                "goods": {"pick": "goods", "where": "goods <> 'tea' or berth.wide"},
                "arrived": {"after": "berth.built", "days": [1, 3]},
                "left": {"after": "arrived", "days": [0, 2], "until": "add_days(berth.built, 4)"},
                "fee": {"number": [0, 4], "step": 0.5, "decimals": 1, "missing": 0.3},
                "tons": {"number": [1, 9], "mean": "berth.depth + case when goods = 'salt' then 3 end", "spread": 1},
                "crew": {"number": [1, 6], "mean": "tons - 2", "spread": 1},
                "stay": {"derive": "days(left, arrived)"},
                "rate": {"derive": "fee / 3", "decimals": 1},
            },
        },
    },
    "pages": {"berth": {"about": "berth"}, "call": {"about": "call"}},
}


@pytest.fixture(scope="module")
def port() -> Schema:
    return structure_of(parse_schema(copy.deepcopy(PORT)), [])


@pytest.fixture(scope="module")
def worlds(port) -> list[World]:
    return [generate(parse_schema(copy.deepcopy(PORT)), seed) for seed in range(60)]


def must(schema: Schema, table: str, text: str) -> Rule:
    return Rule("x", "must", table, expr.parse(text, table, schema.types(), as_of=schema.as_of, want="bool"))


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("berth", "depth between 4 and 7"),
        ("berth", "calls >= 2 and calls <= 5"),
        ("berth", "salt <= 5"),
        ("berth", "tons >= 2 and tons <= 45"),
        ("berth", "place <= 4 and part <= 100"),
        ("berth", "next.depth >= 5"),
        ("berth", "next is null or depth <= 6"),
        ("call", "left >= arrived"),
        ("call", "days(left, berth.built) <= 4"),
        ("call", "stay <= 2"),
        ("call", "days(arrived, berth.built) + stay >= 1"),
        ("call", "goods in ('salt', 'wine') or berth.wide"),
        ("call", "goods <> 'tea' or not berth.wide or berth.wide"),
        ("call", "goods = 'salt' or goods <> 'salt'"),
        ("call", "goods <> 'salt' or tons >= 6"),
        ("call", "crew <= tons or tons <= 1 or crew = 1"),
        ("call", "fee is null or fee <= 4"),
        ("call", "rate <= 1.4 or fee is null"),
        ("call", "coalesce(fee, 0) < 4.1"),
        ("call", "yr(left) <= 2028"),
        ("call", "yr(left) - yr(arrived) <= 1"),
        ("call", "abs(crew - 3) <= 3"),
        ("call", "case when goods = 'gold' then 99 else 1 end = 1"),
    ],
)
def test_what_fills_imply_is_seen(port, table, text):
    assert implied(port, must(port, table, text))


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("berth", "depth > 4"),
        ("berth", "salt <= 2"),
        ("berth", "wide"),
        ("call", "left > arrived"),
        ("call", "fee is null"),
        ("call", "fee is not null"),
        ("call", "stay < 2"),
        ("call", "days(left, berth.built) < 4"),
        ("call", "goods <> 'salt' or tons >= 7"),
        ("call", "goods <> 'wine'"),
        ("call", "tons <= 8"),
    ],
)
def test_what_can_be_false_is_not(port, worlds, table, text):
    assert not implied(port, must(port, table, text))
    assert any(breaking(w, must(port, table, text)) for w in worlds)


def test_other_kinds(port):
    assert implied(port, Rule("x", "acyclic", "berth", columns=("next",)))
    assert implied(port, Rule("x", "unique", "call", columns=("berth", "code")))
    assert not implied(port, Rule("x", "unique", "call", columns=("berth", "arrived")))
    assert not implied(port, Rule("x", "order", "call", order="tons", by="arrived"))


def test_a_series_that_only_rises_is_in_order(mini_data):
    data = copy.deepcopy(mini_data)
    rule = Rule("rates_rise", "order", "dues", order="rate", by="year", within="berth")
    assert implied(parse_schema(data), rule)
    data["tables"]["dues"]["columns"]["rate"]["drift"] = [-1, 6]
    assert not implied(parse_schema(data), rule)


def breaking(world: World, rule: Rule) -> int:
    """Return the rows that break a rule by the check's SQL, which knows nothing of proofs."""
    with attach(world) as connection:
        sql = rule_test(world.schema, rule).sql
        return connection.execute(f"SELECT coalesce(sum(ok = 0), 0) FROM ({sql})").fetchone()[0]


NUMBERS = {
    "berth": ["depth", "calls", "salt", "tons", "most", "place", "part", "next.depth", "next.tons", "mon(built)"],
    "call": ["tons", "crew", "fee", "stay", "rate", "berth.depth", "berth.calls", "days(left, arrived)", "yr(arrived)",
             "days(left, berth.built)", "mon(left)", "days(as_of, arrived)"],
}  # fmt: skip
SHAPES = [
    "{a}",
    "{a} - {b}",
    "{a} + {b} * 2",
    "abs({a} - {b})",
    "least({a}, {b})",
    "coalesce({a}, {b})",
    "-{a}",
    "greatest({a}, {b})",
    "round({a} / 2.0)",
    "{a} / {b}",
    "{a} * {b}",
    "case when {c} then {a} else {b} end",
]
CONDITIONS = {
    "berth": ["wide", "not wide", "next is null", "next.depth > 5", "depth in (4, 5)"],
    "call": ["goods = 'salt'", "goods <> 'tea'", "fee is null", "berth.wide", "left is null", "arrived < left",
             "goods not in ('salt', 'wine')", "berth.depth between 5 and 6"],
}  # fmt: skip


def some_rule(chance: random.Random) -> tuple[str, str]:
    table = chance.choice(["berth", "call", "call"])
    fill = {
        "a": chance.choice(NUMBERS[table]),
        "b": chance.choice(NUMBERS[table]),
        "c": chance.choice(CONDITIONS[table]),
    }
    low = chance.choice([-3, -1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 20, 45, 100, 2028, 1214])
    compared = f"{chance.choice(SHAPES).format(**fill)} {chance.choice(['<', '<=', '>', '>=', '!='])} {low}"
    other = chance.choice(CONDITIONS[table])
    return table, chance.choice([compared, compared, f"{other} or {compared}", f"not ({other} and not {compared})"])


@pytest.mark.parametrize("seed", range(4))
def test_nothing_that_a_world_breaks_is_called_implied(port, worlds, seed):
    chance = random.Random(seed)
    named = 0
    for _ in range(350):
        table, text = some_rule(chance)
        try:
            rule = must(port, table, text)
        except ExprError:
            continue
        if implied(port, rule):
            named += 1
            assert not any(breaking(w, rule) for w in worlds[seed::4]), (table, text)
    assert named > 30


def test_an_edit_that_breaks_an_implied_rule_breaks_a_fill(port, worlds):
    chance = random.Random(5)
    rules = [rule for rule in (must(port, *some_rule(chance)) for _ in range(120)) if implied(port, rule)]
    tried = 0
    for world in worlds[:60]:
        tables = {name: {c: list(v) for c, v in columns.items()} for name, columns in world.tables.items()}
        table, column = chance.choice([("call", "left"), ("call", "tons"), ("call", "stay"), ("berth", "depth")])
        tables[table][column][0] = chance.choice([v for w in worlds for v in w.tables[table][column]])
        edited = replace(world, tables=tables)
        if any(breaking(edited, rule) for rule in rules):
            tried += 1
            assert not check(edited).ok
    assert tried
