"""The schema in schemas/README.md that shows how numbers behave does what it says there."""

import re
import tomllib
from collections import Counter
from dataclasses import replace
from datetime import date
from decimal import Decimal
from random import Random
from statistics import correlation, median

import pytest

from worldsmith.checking import check
from worldsmith.errors import SchemaError
from worldsmith.generation import generate
from worldsmith.generation.draw import draw_cells, skewed
from worldsmith.generation.filling import Filling
from worldsmith.schema import load_schema, parse_schema
from worldsmith.schema.syntax import json_values
from worldsmith.world.model import World


@pytest.fixture(scope="module")
def quays(repository) -> list[World]:
    text = (repository / "schemas" / "README.md").read_text(encoding="utf-8")
    block = re.search(r"## Numbers that behave.*?```toml\n(.*?)```", text, re.DOTALL)
    assert block
    schema = parse_schema(json_values(tomllib.loads(block[1])))
    return [generate(schema, seed) for seed in range(12)]


def every(worlds: list[World], table: str, *columns: str) -> list[tuple]:
    return [row for w in worlds for row in zip(*(w.tables[table][c] for c in columns), strict=True)]


def test_they_hold(quays):
    assert all(check(w).ok for w in quays)


def test_correlated_columns_lie_in_a_band(quays):
    pairs = every(quays, "crane", "power", "price")
    assert correlation(*zip(*pairs, strict=True)) > 0.9
    assert all(abs(price - 300 - 3 * power) <= 205 for power, price in pairs)


def test_a_skewed_number_stays_in_its_band_and_leans_low(quays):
    power = [p for (p,) in every(quays, "crane", "power")]
    assert min(power) >= 40
    assert max(power) <= 900
    assert max(power) > 600
    assert median(power) < 250


def test_a_trend_goes_by_years(quays):
    assert all(abs(t - 20 - (int(built[:4]) - 1985) * 3) <= 16 for built, t in every(quays, "crane", "built", "trend"))


def test_a_season_raises_one_month(quays):
    found: dict[str, list[float]] = {}
    for w in quays:
        power = dict(zip(w.tables["crane"]["name"], w.tables["crane"]["power"], strict=True))
        for crane, month, tons in every([w], "shift", "crane", "month", "tons"):
            found.setdefault(month, []).append(tons - 400 - 3 * power[crane])
    assert min(found["2030-07-31"]) >= 445
    assert all(max(values) <= 155 for month, values in found.items() if month != "2030-07-31")


def test_shares_sum_to_a_hundred(quays):
    for w in quays:
        assert sum(Decimal(str(p)) for p in w.tables["crane"]["part"]) == Decimal("100.0")
        groups: Counter[str] = Counter()
        for month, part in every([w], "shift", "month", "within"):
            groups[month] += Decimal(str(part))
        assert set(groups.values()) == {Decimal("100.00")}


def test_ranks_agree_with_what_they_rank(quays):
    for w in quays:
        tons, place = w.tables["crane"]["tons"], w.tables["crane"]["place"]
        assert place == [1 + sum(other > t for other in tons) for t in tons]


def test_ages_agree_with_dates(quays):
    assert all(age == 2031 - int(built[:4]) for built, age in every(quays, "crane", "built", "age"))
    retired = [r for (r,) in every(quays, "crane", "retired")]
    assert 0.3 < sum(r is None for r in retired) / len(retired) < 0.8
    assert all(r is None or r <= "2031-05-01" for r in retired)


def test_counts_and_sums_agree_with_children(quays):
    for w in quays:
        shifts = every([w], "shift", "crane", "tons")
        for name, lifts, tons, best in every([w], "crane", "name", "lifts", "tons", "best"):
            own = [t for crane, t in shifts if crane == name]
            assert (lifts, tons, best) == (len(own), sum(own), max(own))


@pytest.mark.parametrize("skew", [-3, -1, 0, 0.5, 3])
def test_leaning_keeps_the_ends(skew):
    places = [skewed(i / 100, skew) for i in range(101)]
    assert (places[0], places[-1]) == (0, 1)
    assert places == sorted(places)
    assert skewed(0.5, 1) == 0.25
    assert skewed(0.5, -1) == 0.75


def test_shipped_schemas_have_seasons():
    def mean(table: str, column: str, schema: str, by: str, first: tuple[str, ...], seeds: range) -> float:
        values: dict[bool, list[float]] = {True: [], False: []}
        for seed in seeds:
            world = generate(load_schema(schema), seed)
            for day, value in zip(world.tables[table][by], world.tables[table].get(column, ()), strict=False):
                values[day[5:7] in first].append(value)
        return sum(values[True]) / len(values[True]) - sum(values[False]) / len(values[False])

    assert mean("sale", "units", "smartphones", "quarter", ("12",), range(3)) > 300
    assert mean("report", "crowd", "league", "day", ("11", "01", "02"), range(5)) < -2000
    assert mean("cost", "amount", "company", "quarter", ("12",), range(3)) > 10_000


@pytest.mark.parametrize("seed", range(3))
def test_courts_sit_on_weekdays_and_climb_one_step_at_a_time(seed):
    world = generate(load_schema("courts"), seed)
    tables = {
        name: [dict(zip(t, row, strict=True)) for row in zip(*t.values(), strict=True)]
        for name, t in world.tables.items()
    }
    days = [row[c] for t, c in (("hearing", "held"), ("judgment", "handed"), ("order", "made")) for row in tables[t]]
    assert len(days) > 200
    assert {date.fromisoformat(day).weekday() for day in days} == set(range(5))
    upper = {row["name"]: row["upper"] for row in tables["court"]}
    case_of = {row["citation"]: row["suit"] for row in tables["judgment"]}
    court_of = {row["name"]: row["court"] for row in tables["suit"]}
    assert [row["court"] for row in tables["appeal"]] == [
        upper[court_of[case_of[row["judgment"]]]] for row in tables["appeal"]
    ]


PRICES = """
schema = 1
name = "stall"
kind = "private_simulation"
as_of = 2031-05-01
about = "a market stall"
[names.stallname]
forms = ["{family} and {kin}"]
parts = { kin = ["Daughters", "Sons"] }
[values]
lands = { invent = "place", n = 9 }
[tables.ware]
called = ["ware", "wares"]
rows = [300, 300]
key = "name"
[tables.ware.columns]
name = { invent = "stallname" }
land = { pick = "lands", accent = true }
price = { number = [199, 1999], step = 50, skew = 1 }
near = { number = [4.99, 39.99], step = 0.5, decimals = 2, mean = "price / 50", spread = 6 }
born = { date = [1930-01-01, 2020-12-31], skew = -1 }
left = { after = "born", days = [10, 4000], skew = 2 }
[pages]
ware = { about = "ware" }
"""


def test_prices_end_as_prices_do_and_days_lean():
    world = generate(parse_schema(json_values(tomllib.loads(PRICES))), 1)
    assert check(world).ok
    ware = world.tables["ware"]
    assert {price % 50 for price in ware["price"]} == {49}
    assert {Decimal(str(near)) % 1 for near in ware["near"]} <= {Decimal("0.99"), Decimal("0.49")}
    assert median(int(born[:4]) for born in ware["born"]) > 1990
    days = [
        date.fromisoformat(b).toordinal() - date.fromisoformat(a).toordinal()
        for a, b in zip(ware["born"], ware["left"], strict=True)
    ]
    assert min(days) >= 10
    assert max(days) > 2500
    assert median(days) < 500
    broken = replace(world, tables={"ware": {**ware, "price": (200, *ware["price"][1:])}})
    assert [v.rule for v in check(broken).violations] == ["fill:ware.price"]


def test_countries_go_with_the_sounds_of_names():
    schema = parse_schema(json_values(tomllib.loads(PRICES)))
    filling = Filling(schema, 1, 0, {"ware": 300})
    filling.values["lands"] = tuple(filling.namer.names("place", 9, "values", "lands"))
    filling.data["ware"]["name"] = filling.namer.names("stallname", 300, "ware", "name")
    culture_of, lands = (
        filling.namer.culture_of,
        draw_cells(filling, schema.column("ware", "land"), range(300), Random(1)),
    )
    alike = sum(culture_of[a] == culture_of[b] for a, b in zip(filling.data["ware"]["name"], lands, strict=True))
    assert 250 < alike < 290  # 17 of 20, and a third of the others by chance
    with pytest.raises(SchemaError, match=r"ware.land: accent doesn't go together with where or group"):
        parse_schema(json_values(tomllib.loads(PRICES.replace("accent = true", 'accent = true, where = "true"'))))
    with pytest.raises(SchemaError, match=r"accent goes by an invented name, and the key of 'ware' is none"):
        parse_schema(json_values(tomllib.loads(PRICES.replace('invent = "stallname"', 'invent = "code"'))))


WARDS = """
schema = 1
name = "wards"
kind = "private_simulation"
as_of = 2031-05-01
about = "a hospital"
[values]
ills = { groups = { heart = ["arrhythmia", "angina", "it's"], skin = ["eczema"] } }
[tables.ward]
called = ["ward", "wards"]
rows = [6, 6]
key = "name"
[tables.ward.columns]
name = { invent = "place", label = "Ward" }
field = { choice = ["heart", "skin"] }
[tables.bed]
called = ["bed", "beds"]
rows = [60, 60]
key = "code"
[tables.bed.columns]
code = { invent = "code" }
ward = { ref = "ward" }
ill = { pick = "ills", group = "ward.field", where = "ill <> 'angina'" }
[pages]
ward = { about = "ward" }
bed = { about = "bed" }
"""


def test_items_are_picked_from_the_group_that_another_column_names():
    world = generate(parse_schema(json_values(tomllib.loads(WARDS))), 1)
    assert check(world).ok
    field = dict(zip(world.tables["ward"]["name"], world.tables["ward"]["field"], strict=True))
    bed = world.tables["bed"]
    pairs = {(field[ward], ill) for ward, ill in zip(bed["ward"], bed["ill"], strict=True)}
    assert pairs == {("heart", "it's"), ("heart", "arrhythmia"), ("skin", "eczema")}
    wrong = tuple("eczema" if field[ward] == "heart" else "arrhythmia" for ward in bed["ward"])
    broken = replace(world, tables={**world.tables, "bed": {**bed, "ill": wrong}})
    assert {v.rule for v in check(broken).violations} == {"fill:bed.ill"}
    with pytest.raises(SchemaError, match=r"bed.ill: .*no column 'feld'. Did you mean 'field'"):
        parse_schema(json_values(tomllib.loads(WARDS.replace("ward.field", "ward.feld"))))
    with pytest.raises(SchemaError, match="'ills' has no groups"):
        parse_schema(json_values(tomllib.loads(re.sub(r"ills = .*", 'ills = ["a", "b"]', WARDS))))
    with pytest.raises(SchemaError, match=r"bed.ill: group = 'size' doesn't name a group"):
        parse_schema(
            json_values(
                tomllib.loads(
                    WARDS.replace('"ward.field"', '"size"').replace(
                        "code = { inv", "size = { number = [1, 9] }\ncode = { inv"
                    )
                )
            )
        )
