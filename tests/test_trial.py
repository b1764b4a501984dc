"""schema check: faults with line, value and fix; what nothing breaks, what never held, what each rule cost."""

import copy
import re
from pathlib import Path

import pytest

from tests.conftest import MINI
from tests.test_cli import SOMETIMES
from worldsmith.errors import SchemaError
from worldsmith.schema import SchemaFile, load_schema, parse_schema, read_schema, shipped
from worldsmith.schema_lint.trial import Trial, run_trial

TOWN = shipped()["town"].read_text(encoding="utf-8")


def town(tmp_path, old: str, new: str, count: int = 2) -> tuple[Trial, int]:
    """Try the town schema with a line changed; also return the number of that line."""
    assert old in TOWN
    text = TOWN.replace(old, new, 1)
    path = tmp_path / "t.toml"
    path.write_text(text, encoding="utf-8")
    schema, file = read_schema(str(path))
    return run_trial(schema, count, 0, file), text[: text.index(new)].count("\n") + 1


def refused(tmp_path, text: str) -> str:
    path = tmp_path / "t.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SchemaError) as caught:
        run_trial(*read_schema(str(path))[:1], 1, 0, SchemaFile(str(path), text))
    return str(caught.value).removeprefix(str(path))


def states(found: Trial) -> dict[str, str]:
    return {r.rule: r.state for r in found.rules if r.state != "holds"}


def with_rule(data: dict, count: int = 4, **rules: dict) -> Trial:
    data = copy.deepcopy(data)
    data["rules"] |= rules
    return run_trial(parse_schema(data), count, 0)


@pytest.mark.parametrize(
    ("name", "unbroken"),
    [
        ("company", ["new_is_cheap", "nobody_alone", "no_circle_of_bosses", "few_projects_a_lead", "spent_within"]),
        ("courts", []),
        ("films", ["documentaries_cheap", "busy_festivals", "few_prizes_a_film", "good_if_praised", "busy_directors"]),
        ("hospital", []),
        ("power", []),
        ("railway", []),
        ("university", []),
        ("league", ["goals_need_games", "fee_for_goals", "big_clubs_pay"]),
        ("smartphones", ["review_in_time", "brand_sells", "nobody_owns_market", "early_and_late"]),
        ("town", ["let_by_another", "big_shops_pay", "alone_in_its_line"]),
    ],
)
def test_shipped_schemas_need_no_work(name, unbroken):
    found = run_trial(load_schema(name), 20, 0)
    assert not found.faults
    assert states(found) == dict.fromkeys(unbroken, "unbroken")
    assert found.flat == ()
    assert found.text().endswith("it can be used; see the warnings above" if unbroken else "nothing wrong with it")
    assert sum(found.restarts.values()) <= 12  # fewer than one a world


def test_the_share_of_seeds_that_no_world_fits_is_told(mini_data, tmp_path):
    fine = run_trial(parse_schema(mini_data), 10, 0)
    assert (fine.worlds, fine.tried, fine.unfit, fine.to_json()["unfit_share"]) == (10, 10, 0, 0.0)
    assert "each of 10 seeds fits a world; at most 26% of all do not (95% confidence)" in fine.text()
    path = tmp_path / "sometimes.toml"
    path.write_text(SOMETIMES)
    # The first three seeds all fail: a rule that some world keeps is not set aside for them.
    some = run_trial(load_schema(path), 8, 0)
    assert (some.worlds, some.tried, some.unfit, some.unfit_share) == (3, 9, 6, 6 / 9)
    assert states(some) == {"few": "too strict"}
    assert "6 of 9 seeds (67%) fit no world: for each of them `generate` takes the next one" in some.text()
    path.write_text(SOMETIMES.replace("boats <= 1", "boats <= 0"))
    none = run_trial(load_schema(path), 8, 0)
    assert (none.tried, none.unfit, states(none)) == (10, 10, {"few": "never held"})
    assert "none of 10 seeds fits a world of the schema as it is written" in none.text()


def test_counts_a_rule_are_told(mini_data):
    found = with_rule(mini_data, half={"on": "call", "must": "goods <> 'wine'"})
    half = next(r for r in found.rules if r.rule == "half")
    assert (half.state, half.worlds, half.tried, half.restarts) == ("holds", 4, 4, 0)
    assert 0.1 < half.share < 0.4
    assert half.first_broken == round(half.share * half.first_rows)
    told = next(r for r in found.to_json()["rules"] if r["rule"] == "half")
    assert told["redraws_a_world"] == half.redraws / 4
    assert told["redraws_a_world"] >= 1
    assert re.search(r"half +\d+\.\d +\d+\.\d%", found.text())


def test_rules_of_every_kind_that_the_fills_imply_are_named(mini_data):
    data = copy.deepcopy(mini_data)
    # So are two rules of the schema: rates only rise, and a next berth is deeper.
    data["rules"] |= {
        "fine": {"on": "call", "must": "left > arrived"},
        "codes_differ": {"on": "call", "unique": ["code"]},
        "no_more_than_all": {"on": "berth", "each": {"s": {"count": "call"}}, "must": "s = calls"},
        "mostly_fine": {"on": "call", "must": "days(left, arrived) > 5"},
    }
    found = run_trial(parse_schema(data), 20, 0)
    rules = {r.rule: r for r in found.rules}
    implied = ["no_circle", "rates_rise", "fine", "codes_differ", "no_more_than_all"]
    assert {name: rules[name].state for name in implied} == dict.fromkeys(implied, "unbroken")
    assert (rules["mostly_fine"].state, rules["mostly_fine"].unenforced) == ("holds", (0, 0))
    assert not found.faults
    rows, worlds = rules["fine"].unenforced
    assert worlds == 20
    assert 20 * 30 <= rows <= 20 * 34
    warning = (
        f"rules.fine: unbroken: no row of {rows} in 20 trial worlds would break it: the fills may imply it already"
    )
    assert warning in found.text()
    assert found.text().endswith("it can be used; see the warnings above")


def test_a_rule_that_is_kept_by_drawing_keys_for_it_is_not_named(mini_data):
    # Generation draws the combinations of a composite key so that none breaks the rule.
    found = with_rule(mini_data, recent={"on": "dues", "must": "year <> 2029"})
    recent = next(r for r in found.rules if r.rule == "recent")
    assert (recent.first_broken, recent.redraws, recent.state) == (0, 0, "holds")


def test_a_rule_of_some_structures_is_counted_in_worlds_of_those(mini_data):
    found = with_rule(mini_data, deep_or_not={"on": "berth", "must": "not tug or depth >= 4"}, count=12)
    rule = next(r for r in found.rules if r.rule == "deep_or_not")
    assert rule.state == "unbroken"
    assert 0 < rule.unenforced[1] < 12
    assert 0 < rule.worlds < 12


def test_a_rule_that_never_held_is_set_aside_and_named(mini_data):
    kept = mini_data["rules"]["small_needs_no_tug"]
    data = copy.deepcopy(mini_data) | {"rules": {"never": {"on": "berth", "must": "place > 1"}, "kept": kept}}
    found = run_trial(parse_schema(data), 8, 0)
    assert (states(found), found.worlds, found.faults) == ({"never": "never held"}, 5, True)
    never = found.rules[0]
    assert 0.1 < never.share < 0.2
    assert f"never held; {never.share:.1%} of {never.first_rows} rows broke it at first" in found.text()


def test_of_two_rules_over_a_column_the_impossible_one_is_named(mini_data):
    fair = {"on": "call", "must": "tons < 3000 or berth.depth >= 13"}
    data = copy.deepcopy(mini_data) | {"rules": {"fair": fair, "never": {"on": "call", "must": "tons < 0"}}}
    found = run_trial(parse_schema(data), 4, 0)
    assert states(found) == {"never": "never held"}
    assert found.rules[1].share == 1


def test_no_sale_over_a_bound_is_told_in_bounded_work():
    schema = load_schema("smartphones")
    data = copy.deepcopy(dict(schema.source))
    data["rules"]["no_hit"] = {"on": "sale", "must": "share <= 2"}
    found = run_trial(parse_schema(data), 6, 0)
    hit = next(r for r in found.rules if r.rule == "no_hit")
    assert (hit.state, hit.restarts) == ("never held", 60)
    assert 0.3 < hit.share < 1
    assert found.worlds == 3


def test_a_mean_outside_its_range_is_named(mini_data):
    data = copy.deepcopy(mini_data)
    data["tables"]["call"]["columns"]["tons"]["mean"] = "days(arrived, as_of) * 10"  # the wrong way round: below 0
    found = with_rule(data)
    low = data["tables"]["call"]["columns"]["tons"]["number"][0]
    assert low > 0
    assert any("call.tons: 100% of its values are an end of its range" in line for line in found.flat)


def test_a_rule_that_says_nothing_is_idle(mini_data):
    data = copy.deepcopy(mini_data)
    data["tables"]["call"]["columns"]["paid"]["until"] = "'2000-01-01'"
    rule = {"on": "call", "must": "case when goods || flag = 'nothing' then tons > 900 end"}
    found = with_rule(data, idle=rule, gone={"on": "call", "must": "days(paid, arrived) <> 7"})
    assert (states(found)["idle"], states(found)["gone"]) == ("idle", "idle")
    assert found.faults
    assert any("call.paid: null in every row of every world" in line for line in found.flat)


def test_what_can_not_be_filled_is_told_with_its_line(tmp_path):
    (where,) = set(re.findall(r'where = "keeper[^"]*"', TOWN))
    found, line = town(tmp_path, where, 'where = "keeper.born > as_of"', 9)
    assert found.worlds == 0
    assert found.stopped == "stopped: none of 10 seeds fits a world, mostly because of shop.keeper"
    assert len(found.failed) == 1
    assert re.search(rf"t.toml:{line}: shop.keeper: no world for 10 of 10 seeds; .*no resident", found.failed[0])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("skew = 0.8, unit", 'mean = "value / 90", spread = 9, unit',
         r"shop.\w+: these columns are filled .* in a circle: shop.value -> shop.floor -> shop.value; fill one"),
        ('mean = "1500 + floor', 'mean = "1500 + value', "shop.value: it is filled from itself: name another"),
        ('rank = "value", within = "line"', 'rank = "dear"', "shop.dear: it is filled from itself"),
        ('rank = "value", within = "line"', 'rank = "line"', "shop.dear: rank = 'line' is text: it takes a number"),
        ('invent = "street"', 'invent = "strete"', "street.name: no names of kind 'strete'. Did you mean 'street'"),
        ("[66, 74]", "[66, 740]", r"tables.valuation.rows: \[80, 88\] can't always be met: shop takes each shop"),
        ('unique = ["plate"]', 'unique = ["street"]', "112 rows of resident can't all differ in street, .* 28 values"),
        ("per = [2, 12], skew = 0.5", "per = [2, 4]", r"so 24 street rows make 48 to 96: let rows overlap \[56, 96\]"),
        ("per = [2, 12], skew = 0.5", "per = [8, 9]", r"which makes 192 to 252: widen per = \[8, 9\], or"),
        ("years      = [2021, 2022, 2023, 2024, 2025, 2026]", "years      = [2021]", "114 rows need as many different"),
        ('invent = "street", label', 'choice = ["a", "b"], label', "street.name: a key of one column is an invent or"),
        ('by = "parish", show', 'by = "laid", show', "pages.parish: by = 'laid' makes no lists: .* such as parish"),
        ('by = "parish", show', 'by = "Parish", show', "no column 'Parish' in 'street'. Did you mean 'parish'"),
        ("length    = { number = [90, 1400], step = 10", "length    = { number = [90, 1400], step = 7",
         "street.length: the bound 90 is no multiple of the step 7; the nearest is 91"),
        ('must = "line <> \'café\' or', 'must = "line <> 3 or', r"at position \d+: .*\n  line <> 3 or.*\n +\^"),
        ("date = [1848-01-01, 19", "date = [1848-01-01T10:00:00, 19", "laid.date: 1848.* has a time of day"),
        ("[24, 28]", "[24, 28", "not TOML: Unclosed array; a list is not closed"),
        ("[24, 28]", '["24", 28]', r"rows.0: should be a whole number \(got '24'\)"),
        ("schema = 1", 'schema = "1"', r"schema: should be 1 \(got '1'\)$"),
        ("schema = 1", "schema = 2", r"schema: should be 1 \(got 2\)$"),
        ('about  = "the registers of a small town"', 'about  = ""', "about: is empty"),
        ('see = "snippet" }', 'see = "snippets" }', "should be 'snippet', 'page' or 'linked' .*Did you mean 'snippet'"),
    ],
)  # fmt: skip
def test_a_fault_has_line_part_and_fix(tmp_path, old, new, says):
    assert old in TOWN
    said = refused(tmp_path, TOWN.replace(old, new, 1))
    assert re.match(r":\d+: ", said), said
    assert re.search(says, said), said


def test_a_place_has_the_line_of_its_part():
    text = 'as_of = 1\n[values]\na = [\n  "x = 1",\n]\nb = """\nc = 2\n"""\n'
    text += "[tables.t]\nrows = [1, 2]\n[tables.t.columns]\nn = { x = 1 }\n"
    file = SchemaFile("f.toml", text)
    places = ["as_of", "values.a", "values.a.0", "values.b", "values.c", "t.n", "tables.t.rows"]
    assert [file.line(p) for p in places] == [1, 3, 3, 6, 2, 12, 10]
    assert file.line("tables.t.columns.n.x") == 12
    assert file.at("t.zz") == "f.toml:11: t.zz"
    assert SchemaFile("f").at("t.n") == "f: t.n"


def test_no_line_struck_out_ends_in_anything_but_a_message(tmp_path):
    lines = TOWN.split("\n")
    path = tmp_path / "t.toml"
    told = []
    for i in range(0, len(lines), 3):
        for other in ("", lines[i][: len(lines[i]) // 2], re.sub(r'"(\w+)"', r'"\1x"', lines[i], count=1)):
            path.write_text("\n".join([*lines[:i], other, *lines[i + 1 :]]), encoding="utf-8")
            try:
                read_schema(str(path))
            except SchemaError as error:
                told.append(str(error).removeprefix(str(path)))
    assert len(told) > 60
    assert [line for line in told if not re.match(r":\d+: ", line)] == []


OFFICE = """
schema = 1
name = "office"
kind = "private_simulation"
as_of = 2031-05-01
about = "the staff of an office"
[values]
ranks = ["junior", "senior"]
[tables.unit]
called = ["unit", "units"]
rows = [8, 10]
key = "name"
[tables.unit.columns]
name = { invent = "place", label = "Unit", see = "snippet" }
head = { ref = "person", where = "head.name <> 'none'", label = "Head" }
[tables.person]
called = ["person", "people"]
rows = [60, 70]
key = "name"
[tables.person.columns]
name = { invent = "person", label = "Person", see = "snippet" }
unit = { ref = "unit", per = [2, 20], label = "Unit" }
boss = { ref = "person", missing = 0.2, none = "nobody", label = "Boss" }
born = { date = [1960-01-01, 2005-01-01], label = "Born" }
rank = { pick = "ranks", label = "Rank" }
[rules]
kept = { on = "unit", must = "head.unit = name" }
[pages]
unit = { about = "unit" }
person = { about = "person" }
"""
"""A unit has a head and a person has a unit: of two references in a circle one is drawn first, by chance."""


def office(tmp_path, on: str, must: str) -> Path:
    path = tmp_path / "office.toml"
    rule = 'kept = { on = "unit", must = "head.unit = name" }'
    path.write_text(OFFICE.replace(rule, f'kept = {{ on = "{on}", must = "{must}" }}'))
    return path


@pytest.mark.parametrize(
    ("on", "must", "column", "where"),
    [
        ("unit", "head.unit = name", "head", "(head.name <> 'none') and (head.unit = name)"),
        ("unit", "name = head.unit", "head", "and (name = head.unit)"),
        ("unit", "head is null or head.unit = name", "head", "and (head is null or head.unit = name)"),
        ("unit", "head.unit = name and head.born < date '2001-01-01'", "head", "and head.born < '2001-01-01')"),
        ("person", "unit.head.unit = unit", "head", "and (head.unit = name)"),
        ("person", "boss.unit = unit and boss.born < born", "boss", '"boss.unit = unit and boss.born < born"'),
    ],
)
def test_a_rule_along_a_reference_is_told_the_where_that_fills_it(tmp_path, on, must, column, where):
    report = run_trial(*read_schema(str(office(tmp_path, on, must)))[:1], 8, 0)
    assert (report.unfit, report.tried) == (10, 10)
    (rule,) = report.rules
    table = "person" if column == "boss" else "unit"
    assert f"let `where` on {table}.{column} choose a row that keeps it: {column} = {{ ref = " in rule.warning()
    assert where in rule.warning()
    # The line stands in the file as it is told, and then every seed fits.
    line = rule.warning().split("keeps it: ")[1]
    text = tmp_path.joinpath("office.toml").read_text()
    old = next(one for one in text.splitlines() if one.startswith(f"{column} = "))
    tmp_path.joinpath("fixed.toml").write_text(text.replace(old, line))
    fixed = run_trial(load_schema(tmp_path / "fixed.toml"), 5, 0)
    assert (fixed.tried, fixed.unfit, fixed.broken) == (5, 0, {})


def test_a_where_that_leaves_no_row_is_told_with_what_it_lacks(tmp_path):
    (rule,) = run_trial(load_schema(office(tmp_path, "unit", "head.born > as_of")), 2, 0).rules
    assert "loosen it, or let `where` on unit.head" in rule.warning()
    (rule,) = run_trial(load_schema(office(tmp_path, "person", "born > as_of")), 2, 0).rules
    assert rule.warning().endswith("probably contradictory or too strict: loosen it, or the ranges it reads")


def test_generate_tells_the_where_too(tmp_path, call):
    result = call("generate", office(tmp_path, "unit", "head.unit = name"), "--tasks", 0, "--out", tmp_path, code=1)
    assert 'Or let `where` on unit.head choose a row that keeps it: head = { ref = "person", where = ' in result.stderr
    assert "10 seeds of 10 fit no world: 1 of 1 world not made" in result.stderr


@pytest.mark.parametrize(
    ("table", "column", "fill"),
    [
        ("person", "unit", {"where": "unit.head.unit = unit"}),
        ("person", "boss", {"where": "boss.boss.rank = rank"}),
        ("person", "pay", {"number": [1, 9], "mean": "boss.pay", "spread": 2, "label": "Pay"}),
        ("unit", "size", {"number": [1, 9], "mean": "head.unit.size", "spread": 2, "label": "Size"}),
    ],
)
def test_a_column_that_is_filled_from_itself_is_refused(tmp_path, table, column, fill):
    data = copy.deepcopy(dict(load_schema(office(tmp_path, "unit", "head.unit = name")).source))
    columns = data["tables"][table]["columns"]
    columns[column] = columns.get(column, {}) | fill
    with pytest.raises(SchemaError, match=f"{table}.{column}: it is filled from itself: name another"):
        parse_schema(data)


def test_more_names_than_there_are_of_a_kind_are_refused(tmp_path):
    path = tmp_path / "harbour.toml"
    path.write_text(MINI.replace("rows = [30, 34]", "rows = [30, 740]"), encoding="utf-8")
    with pytest.raises(SchemaError, match=r"call.code: 740 names of kind 'code' asked, 500 available: ask for"):
        run_trial(load_schema(path), 1, 0)
