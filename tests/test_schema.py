"""A schema file that can't mean anything says where, which value, and the fix."""

import copy

import pytest

from worldsmith.errors import NotFoundError, SchemaError
from worldsmith.generation import generate
from worldsmith.graph import graph_of
from worldsmith.schema import load_schema, parse_schema, shipped, structure_of


def test_shipped_schemas_have_real_depth():
    assert set(shipped()) == {
        "company", "courts", "films", "hospital", "league", "power", "railway", "smartphones", "town", "university",
    }  # fmt: skip
    for name in shipped():
        schema = load_schema(name)
        assert schema.name == name
        assert len(schema.tables) >= 5
        assert len(schema.rules) >= 12
        assert len(schema.variation) >= 5


def test_an_unknown_schema_gets_a_close_match():
    with pytest.raises(NotFoundError, match="Did you mean 'smartphones'"):
        load_schema("smartphone")


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("tables.berth.columns.depth.number", [9, 4], r"tables.berth.columns.depth.number: .*\[9.*4"),
        ("tables.berth.columns.depth.wieght", 3, "tables.berth.columns.depth.wieght: unknown key 'wieght'"),
        ("tables.berth.columns.depth.pick", "goods", "give one fill, not pick and number"),
        ("tables.berth.columns.depth.where", "true", "where does not go with number"),
        ("tables.call.columns.berth.missing", 0.3, "missing does not go with per, which deals out all rows"),
        ("tables.berth.columns.depth.ends", True, "ends does not go with number"),
        ("tables.berth.columns.depth.step", 0.3, "bound 4 is no multiple of the step 0.3"),
        ("tables.berth.columns.calls.count", "cals", r"berth.calls: no table 'cals'. Did you mean 'call'\?"),
        ("tables.berth.columns.tons.sum", "call.tonns", r"no column 'tonns' in 'call'. Did you mean 'tons'\?"),
        ("tables.berth.columns.place.rank", "weight", "no column 'weight' in 'berth'"),
        ("tables.call.columns.pilot.pick", "pilot", r"no list 'pilot' in \[values\]. Did you mean 'pilots'"),
        ("tables.call.columns.left.after", "berth", "after = 'berth' is no date"),
        ("tables.call.columns.agent.faker", "company", "no provider 'company' is allowed here"),
        ("tables.call.columns.tons.mean", "berth.dept * 250", "call.tons: .*dept"),
        ("tables.call.columns.tons.mean", "goods", "mean is text, not a number"),
        ("tables.dues.key", ["berth", "yeer"], "no column 'yeer' in 'dues'. Did you mean 'year'"),
        ("rules.deep_for_much.must", "tons < 3400 or", "rules.deep_for_much: "),
        ("rules.deep_for_much.must", "tons + 1", "rules.deep_for_much: "),
        ("rules.no_circle.acyclic", "call.berth", "'call.berth' does not refer to its own table"),
        ("rules.deep_for_much.if", "tug", r"no switch 'tug' in \[variation\]. Did you mean 'tugs'"),
        ("pages.goods.show", ["arrived", "tons", "left", "flag"], "at most 3 columns beside the key, not 4"),
        ("pages.quay", None, None),
        ("pages.call", None, "no page carries this column"),
        ("as_of", "May 2031", "'May 2031' is no date"),
        ("as_of", "2031-02-30", "'2031-02-30' is no day of the calendar"),
        ("values.goods", ["2031-01-01", "2031-02-30"], "values.goods: '2031-02-30' is no day of the calendar"),
        ("tables.call.columns.arrived.date", ["2030-01-01", "2030-13-01"], "'2030-13-01' is no day of the calendar"),
        ("tables.call.columns.left.days", [1, 99999], "tables.call.columns.left.days"),
        ("tables.call.rows", [-3, 5], "tables.call.rows"),
        ("tables.berth.columns.depth.number", [-1e308, 1e308], "tables.berth.columns.depth.number"),
        ("tables.berth.columns.depth.label", "a | b", "tables.berth.columns.depth.label"),
        ("tables.sqlite_x", {"called": ["a", "b"], "rows": [1, 2], "key": "a", "columns": {}}, "belong to SQLite"),
        ("questions", {"needs": ["I want {foo}."]}, "may hold {many} and {about} and no other braces"),
        ("schema", 2, "schema: "),
        ("variation.idle", 0.4, "nothing uses this switch"),
        ("values.goods", ["salt", 3], "values of different types"),
        ("values.goods", [], "the list is empty"),
        ("tables.berth.columns.depth.number", [4.25, 9], "bound 4.25 is no multiple of the step 0.5"),
        ("expected", {"x": {"on": "cal", "mean": "tons", "between": [0, 1]}}, "expected.x: no table 'cal'. Did you"),
        ("expected", {"x": {"on": "call", "mean": "tonns", "between": [0, 1]}}, "expected.x: .*tonns"),
        (
            "expected",
            {"x": {"on": "call", "mean": "goods", "between": [0, 1]}},
            "'goods' is a text: a mean is of numbers",
        ),
        ("expected", {"x": {"on": "call", "share": "tons", "between": [0, 1]}}, "expected.x: "),
        ("expected", {"x": {"on": "call", "between": [0, 1]}}, "give one of share, mean, trend, not none"),
        ("expected", {"x": {"on": "call", "share": "tons > 9", "between": [0, 40]}}, "a share lies between 0 and 1"),
        ("expected", {"x": {"on": "call", "trend": ["tons"], "between": [0, 1]}}, "expected.x.trend"),
        ("expected", {"x": {"on": "call", "mean": "tons", "between": [0, 1], "if": "tug"}}, "no switch 'tug'"),
        ("names", {"ship": {"forms": ["{thing}"]}}, "names.ship: there is a kind 'ship' already"),
        ("names", {"tug": {"forms": ["{thng} Tug"]}}, "names.tug.forms: .* no slot 'thng'. Did you mean 'thing'"),
        ("names", {"tug": {"forms": ["{n}"], "parts": {"n": [9, 3]}}}, "names.tug.parts.n"),
        ("names", {"tug": {"forms": ["{n}"], "parts": {"n": [0, 99999]}}}, "give whole numbers from 0, 10,000 at most"),
        ("names", {"tug": {"forms": ["{place}"], "parts": {"place": ["x"]}}}, "there is a slot 'place' already"),
        ("names", {"tug": {"form": ["{place}"]}}, "unknown key 'form'. Did you mean 'forms'"),
    ],
)
def test_what_is_wrong_is_said(mini_data, path, value, says):
    data = copy.deepcopy(mini_data)
    *steps, last = path.split(".")
    here = data
    for step in steps:
        here = here[step]
    if value is None:
        del here[last]
    else:
        here[last] = value
    if says is None:
        parse_schema(data)
        return
    with pytest.raises(SchemaError, match=says):
        parse_schema(data)


def test_a_nest_of_arrays_is_refused(tmp_path):
    path = tmp_path / "deep.toml"
    path.write_text("x = " + "[" * 5000 + "]" * 5000)
    with pytest.raises(SchemaError, match=r"deep.toml: "):
        load_schema(str(path))


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("inf", "deep.toml:6: tables.berth.columns.depth.step: inf is too large, or no number"),
        ("nan", "step: nan is too large, or no number: write one within 2\\^53 of 0"),
        ("1e400", "step: inf is too large"),
        ("[1, 9007199254740993]", "step: 9007199254740993 is too large"),
        ("0x1" + "0" * 5000, "step: a number of more than 60 digits is too large"),
        ("9" * 5000, "deep.toml: not a schema: a number has too many digits"),
        ("9007199254740992", "schema is missing"),
    ],
    ids=lambda text: text[:20],
)
def test_numbers_that_no_reader_keeps_are_refused(tmp_path, written, says):
    path = tmp_path / "deep.toml"
    path.write_text(
        f"[values]\ngoods = [1]\n\n[tables.berth.columns]\nname = {{ invent = 'ship' }}\ndepth.step = {written}\n"
    )
    with pytest.raises(SchemaError, match=says):
        load_schema(str(path))


def test_a_circle_of_columns_is_named(mini_data):
    data = copy.deepcopy(mini_data)
    data["tables"]["call"]["columns"]["stay"] = {"derive": "tons + 1"}
    data["tables"]["call"]["columns"]["tons"] = {"number": [0, 9], "mean": "stay", "spread": 3}
    data["tables"]["berth"]["columns"]["best"] = {"count": "dues"}
    with pytest.raises(SchemaError, match="in a circle: "):
        generate(parse_schema(data), 1)


def test_a_count_of_what_may_be_absent_needs_the_same_switch(mini_data):
    data = copy.deepcopy(mini_data)
    data["tables"]["dues"]["if"] = "tugs"
    data["tables"]["berth"]["columns"]["due"] = {"count": "dues", "label": "Dues"}
    with pytest.raises(SchemaError, match="dues depends on the switch 'tugs' and this column does not"):
        parse_schema(data)


def test_structure_folds_what_is_absent(mini):
    without, with_tugs = structure_of(mini, []), structure_of(mini, ["tugs"])
    assert "tug" not in without.tables["berth"].names
    assert "tug" in with_tugs.tables["berth"].names
    assert [what for what, _ in without.off] == ["rule small_needs_no_tug"]
    assert {r.name for r in with_tugs.rules} - {r.name for r in without.rules} == {"small_needs_no_tug"}


def test_a_rule_that_counts_along_an_absent_reference_is_off(mini_data):
    data = copy.deepcopy(mini_data)
    data["tables"]["berth"]["columns"]["next"]["if"] = "tugs"
    data["rules"]["few_before"] = {"on": "berth", "each": {"s": {"count": "berth"}}, "must": "s <= 9"}
    schema = parse_schema(data)
    assert ("rule few_before", "s counts along berth.next, which this structure lacks") in structure_of(schema, []).off
    assert "few_before" in {rule.name for rule in structure_of(schema, ["tugs"]).rules}
    generate(structure_of(schema, []), 1)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"pages": {"dues": {"list": "dues", "by": "year", "show": ["rate"]}}}, "pages.dues: 'dues' is background"),
        ({"rules": {"paid": {"on": "berth", "each": {"s": {"count": "dues"}}, "must": "s > 0"}}}, "rules.paid: it"),
        ({"tables": {"berth": {"columns": {"due": {"count": "dues", "label": "Dues"}}}}}, "berth.due: it reads 'dues'"),
    ],
)
def test_only_background_refers_to_background(mini_data, change, says):
    data = copy.deepcopy(mini_data)
    data["tables"]["dues"]["background"] = True
    data["pages"]["berth"] = {"about": "berth"}
    parse_schema(copy.deepcopy(data))
    for part, added in change.items():
        if part == "tables":
            data["tables"]["berth"]["columns"] |= added["berth"]["columns"]
        else:
            data[part] |= added
    with pytest.raises(SchemaError, match=says):
        parse_schema(data)


def test_headers_carry_units_and_references_their_targets_label(mini):
    call = mini.tables["call"]
    assert call.column("tons").header == "Tons (t)"
    assert mini.tables["dues"].column("berth").label == "Berth"
    assert mini.walk("call", ("berth", "depth")).header == "Depth (m)"


def test_the_same_data_gives_the_same_schema(mini_data):
    assert parse_schema(mini_data) is parse_schema(copy.deepcopy(mini_data))


@pytest.mark.parametrize("name", sorted(shipped()))
def test_declared_totals_prove_300_to_500_rows(name):
    from worldsmith.schema_lint.trial import USUAL_FACTS, declared_rows

    least, most = declared_rows(load_schema(name))
    assert USUAL_FACTS[0] <= least <= most <= USUAL_FACTS[1]


def test_the_whole_schema_is_not_its_structure_without_switches(mini):
    bare = structure_of(mini, [])
    assert bare != mini
    assert bare == structure_of(mini, [])
    assert graph_of(mini).graph.has_node(("berth", "tug"))
    assert not graph_of(bare).graph.has_node(("berth", "tug"))


def test_years_of_service_end_when_someone_leaves():
    worlds = (generate(load_schema("company"), seed) for seed in range(20))
    world = next(w for w in worlds if "leavers" in w.schema.switches)
    staff = world.tables["employee"]
    assert [c.name for c in world.schema.tables["employee"].columns if c.ends] == ["left"]
    assert any(staff["left"])
    for hired, left, years in zip(staff["hired"], staff["left"], staff["service"], strict=True):
        assert years == int((left or world.schema.as_of)[:4]) - int(hired[:4])
