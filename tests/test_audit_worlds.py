"""What is planted in a world is named: a real name, a twin, a copied row, a copied column, one structure for all."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from worldsmith.audit.worlds.expectations import rank_correlation
from worldsmith.audit.worlds.real_names import Name, bearing_words, names_of, real_names, real_part, twins_of
from worldsmith.audit.worlds.similarity import BLOCK, FirstOwners, distinctive_rows, equal_rows, is_distinctive
from worldsmith.audit.worlds.survey import survey
from worldsmith.cli import main
from worldsmith.generation import generate
from worldsmith.naming import Namer
from worldsmith.pages import Pages
from worldsmith.schema import Knobs, load_schema, parse_schema
from worldsmith.world import files


@pytest.fixture(scope="module")
def towns():
    schema = load_schema("town")
    return [generate(schema, seed) for seed in range(4)]


def edited(world, table, change):
    tables = {name: {c: list(v) for c, v in columns.items()} for name, columns in world.tables.items()}
    change(tables[table])
    return replace(world, tables=tables)


def found(result, what):
    return [finding.where for finding in result.findings if finding.what == what]


def test_worlds_of_ours_are_clean(towns, smartphones):
    result = survey([*towns, smartphones])
    assert (result.worlds, result.collisions, result.findings) == (5, 0, ())
    kin = result.schemas["town"]
    assert kin.named["shop.name"] == sum(w.size("shop") for w in towns)
    assert kin.named["values.parishes"] == 4 * 6
    assert kin.named["hosts"] == sum(len(Pages(w).sites) for w in towns)
    assert kin.twins == kin.equal_columns == sum(kin.rows.shared.values()) == 0


@pytest.mark.parametrize(
    ("table", "column", "planted", "part"),
    [
        ("street", "name", "Lisbon Street", "lisbon"),
        ("street", "name", "Köln", "Köln"),
        ("resident", "name", "Velmora Johnson", "johnson"),
        ("shop", "name", "The Toyota Lamp", "toyota"),
        ("inspection", "inspector", "Robert De Niro", "robert"),
    ],
)
def test_a_real_name_is_named_with_its_place(towns, table, column, planted, part):
    def plant(columns):
        columns[column][3] = planted

    result = survey([towns[0], edited(towns[1], table, plant)])
    (where,) = found(result, "collision")
    assert where == f"{towns[1].id}, {table}.{column}: {planted!r} holds {part!r}"
    assert result.collisions == result.schemas["town"].collided[f"{table}.{column}"] == 1
    assert not result.ok


def test_a_real_name_in_a_list_is_named(towns):
    lists = {**towns[0].values, "parishes": ("Liverpool", *towns[0].values["parishes"][1:])}
    (where,) = found(survey([replace(towns[0], values=lists)]), "collision")
    assert where == f"{towns[0].id}, values.parishes: 'Liverpool' holds 'Liverpool'"


def test_ordinary_words_of_a_kind_bear_no_name():
    assert bearing_words(Name("street.name", "Teslivor Street", "street")) == ["teslivor"]
    assert bearing_words(Name("film.title", "The Bridge of Teslivor", "work")) == ["teslivor"]
    assert bearing_words(Name("order.number", "BK-4821", "code")) == []
    assert real_part(Name("shop.name", "Little Bridge", "shop")) == "bridge"


@given(
    st.sampled_from(["person", "place", "firm", "street", "work", "team", "press", "product"]), st.integers(0, 10**6)
)
@settings(max_examples=40, deadline=None)
def test_names_of_the_grammars_never_collide_and_are_no_twins(kind, seed):
    drawn = [Name("x", text, kind) for text in Namer(seed).names(kind, 30)]
    assert not [name.text for name in drawn if real_part(name)]
    assert twins_of(drawn) == []


def test_a_twin_is_named_with_both_names(towns):
    first = towns[0].tables["resident"]["name"][0]

    def plant(columns):
        columns["name"][5] = first[:-1] + ("a" if first[-1] != "a" else "e")

    twin = edited(towns[0], "resident", plant)
    (where,) = found(survey([twin]), "twin")
    changed = twin.tables["resident"]["name"][5]
    assert where == f"{twin.id}: {first!r} (resident.name) and {changed!r} (resident.name)"


def test_twins_are_told_across_tables(towns):
    family = towns[0].tables["resident"]["name"][0].split()[-1]

    def plant(columns):
        columns["name"][2] = f"{family} House"

    (where,) = found(survey([edited(towns[0], "shop", plant)]), "twin")
    assert f"{family} House' (shop.name)" in where
    assert "(resident.name)" in where


def test_real_reference_names_are_counted(smartphones):
    brands = smartphones.tables["brand"]["name"]
    assert real_names(smartphones) == {"brands": dict.fromkeys(brands, 1)}
    assert survey([smartphones]).to_json()["schemas"]["smartphones"]["real_names"]["brands"]["Samsung"] == 1
    assert not [n for n in names_of(smartphones, Pages(smartphones)) if n.text in brands]


def test_a_copied_row_is_named_though_its_names_differ(towns):
    table = towns[1].schema.tables["resident"]

    def plant(columns):
        for column in table.columns:
            if not column.key and not column.ref:
                columns[column.name][9] = towns[1].tables["resident"][column.name][4]

    # A world of the same structure, whose rows are others.
    other = edited(replace(shuffled(towns[1]), id="town-copy"), "resident", plant)
    (where,) = found(survey([towns[1], other]), "shared rows")
    assert where.startswith(f"town.resident: 1 of {2 * other.size('resident')} rows; resident/9 of town-copy is in ")
    assert towns[1].id in where


def shuffled(world):
    """Return a world with the values of each column turned round among its rows, by different steps: no row stays."""
    tables = {
        name: {c: [*values[i + 1 :], *values[: i + 1]] for i, (c, values) in enumerate(columns.items())}
        for name, columns in world.tables.items()
    }
    return replace(world, tables=tables)


def test_plain_tables_tell_no_rows(towns):
    schema = towns[0].schema
    assert distinctive_rows(towns[0], schema.tables["inspection"]) == []
    assert len(distinctive_rows(towns[0], schema.tables["shop"])) == towns[0].size("shop")


def equal_and_all(where):
    equal, _, rows = where.rpartition(": ")[2].split()[:3]
    return int(equal), int(rows)


def test_a_copied_column_is_named(towns):
    values = towns[0].tables["shop"]["value"]
    size = min(len(values), towns[1].size("shop"))

    def plant(columns):
        columns["value"][:size] = values[:size]

    (where,) = found(survey([towns[0], edited(towns[1], "shop", plant)]), "equal column")
    assert where.startswith(f"shop.value of {towns[1].id} and {towns[0].id}: ")
    equal, rows = equal_and_all(where)
    assert size - BLOCK < equal <= size
    assert rows == towns[1].size("shop")


def test_a_column_copied_in_part_is_named(towns):
    size = min(w.size("resident") for w in towns[:2])

    def plant(columns):
        for i in range(size - size // 4):
            columns["born"][i] = towns[0].tables["resident"]["born"][i]

    (where,) = found(survey([towns[0], edited(towns[1], "resident", plant)]), "equal column")
    assert where.startswith(f"resident.born of {towns[1].id} and {towns[0].id}: ")
    equal, rows = equal_and_all(where)
    copied = size - size // 4
    assert copied - BLOCK < equal <= copied
    assert rows == towns[1].size("resident")


@given(st.lists(st.integers(0, 99), min_size=40, max_size=60), st.integers(0, 59), st.integers(1, 5))
def test_equal_rows_are_whole_columns_or_blocks(values, row, others):
    owners = FirstOwners()
    assert equal_rows(owners, "a", "t.c", values) == {}
    for number in range(others):
        equal_rows(owners, f"o{number}", "t.c", range(1000 * (number + 1), 1000 * (number + 1) + 40))
    copies = is_distinctive(values)
    assert equal_rows(owners, "b", "t.c", values) == ({"a": len(values)} if copies else {})
    assert equal_rows(owners, "b", "t.other", values) == {}
    changed = [-1 if i == row else value for i, value in enumerate(values)]
    blocks = [values[i : i + BLOCK] for i in range(0, len(values), BLOCK) if not i <= row < i + BLOCK]
    equal = sum(len(block) for block in blocks if is_distinctive(block))
    if row < len(values) and is_distinctive(changed):
        assert equal_rows(owners, "c", "t.c", changed)["a"] == (equal if copies else 0)


def test_what_chance_may_make_again_tells_nothing():
    assert not is_distinctive([1.0, 2.0] * 10)
    assert not is_distinctive([])
    assert not is_distinctive([None] * 500)
    assert is_distinctive(list(range(40)))


def test_memory_is_bounded_and_shares_stay_right():
    whole, bounded = FirstOwners(), FirstOwners(limit=500)
    for seen in (whole, bounded):
        for world, numbers_ in (("a", range(4000)), ("b", range(1000, 5000))):
            for number in numbers_:
                seen.add("name", f"n{number}", world)
    assert len(bounded.first) <= 500
    assert bounded.mask in (7, 15, 31)
    assert whole.share("name") == 3000 / 8000
    # Each of some 250 kept names stands for 16: their number is known to a sixteenth or so, twice over.
    assert bounded.counts["name"] == pytest.approx(8000, rel=0.15)
    assert bounded.shared["name"] == pytest.approx(3000, rel=0.2)


def test_two_worlds_that_share_names_are_named(towns):
    copy = replace(towns[2], id="town-copy")
    (where,) = [w for w in found(survey([*towns, copy]), "shared names") if "bears" in w]
    assert where.startswith(f"town-copy bears 100% of its names with {towns[2].id}: ")


def test_one_structure_for_all_is_named(mini_data):
    schema = parse_schema({**mini_data, "variation": {"tugs": 1.0}}, "harbour.toml")
    result = survey(generate(schema, seed) for seed in range(20))
    assert found(result, "structure") == ["harbour: 100% of 20 worlds have one structure"]
    assert result.ok


EXPECTED = {
    "salt": {"on": "call", "share": "goods = 'salt'", "between": [0.3, 0.7]},
    "tons": {"on": "call", "mean": "tons", "where": "goods = 'wine'", "between": [0, 1]},
    "deep": {"on": "call", "trend": ["berth.depth", "tons"], "between": [0.5, 1]},
    "never": {"on": "call", "mean": "tons", "where": "tons > 5000", "between": [0, 1]},
    "absent": {"on": "berth", "share": "tug", "between": [0, 1], "if": "tugs"},
}


def test_what_a_schema_expects_is_compared_with_its_worlds_together(mini_data):
    schema = parse_schema({**mini_data, "expected": EXPECTED}, "harbour.toml")
    worlds = [generate(schema, seed) for seed in range(20)]
    result = survey(worlds)
    figures = {one.expectation.name: one for one in result.schemas["harbour"].expected.values()}
    calls = [world.tables["call"] for world in worlds]
    goods = [value for call in calls for value in call["goods"]]
    wine = [tons for call in calls for kind, tons in zip(call["goods"], call["tons"], strict=True) if kind == "wine"]
    assert figures["salt"].value == pytest.approx(goods.count("salt") / len(goods))
    assert (figures["salt"].ok, figures["salt"].rows, figures["salt"].worlds) == (True, len(goods), 20)
    assert figures["tons"].value == pytest.approx(sum(wine) / len(wine))
    assert 0.5 < figures["deep"].value < 1
    assert (figures["never"].value, figures["never"].ok) == (None, True)
    assert figures["absent"].worlds == sum("tugs" in world.schema.switches for world in worlds) < 20
    (where,) = found(result, "expected")
    assert where.startswith("harbour.tons: mean of tons on call where goods = 'wine' is ")
    assert where.endswith(", not in [0, 1]")
    assert [one["name"] for one in result.to_json()["schemas"]["harbour"]["expected"]] == [*EXPECTED]
    assert found(survey(worlds[:19]), "expected") == []


def test_expectations_make_no_world_another(mini_data):
    bare, expecting = parse_schema(mini_data), parse_schema({**mini_data, "expected": EXPECTED})
    assert bare != expecting
    one, other = generate(bare, 3), generate(expecting, 3)
    assert (one.id, one.digest) == (other.id, other.digest)


def test_the_command_shows_what_is_expected(mini_data, tmp_path):
    files.save_world(generate(parse_schema({**mini_data, "expected": EXPECTED}, "harbour.toml"), 1), tmp_path)
    shown = run(tmp_path).stdout.split("Expected of worlds taken together\n")[1].splitlines()
    (line,) = [line for line in shown if line.split()[1:2] == ["tons"]]
    (salt, tons, *_) = json.loads(run(tmp_path, "--json").stdout)["schemas"]["harbour"]["expected"]
    assert line.split()[-6:] == ["0", "1", f"{tons['value']:.3g}", "!", "1", str(tons["rows"])]
    assert (salt["ok"], tons["ok"]) == (True, False)


@pytest.mark.parametrize(
    ("first", "second", "figure"),
    [
        ([1, 2, 3, 4], [10, 20, 40, 30], 0.8),
        ([1, 2, 3], [3, 2, 1], -1.0),
        ([1, 1, 2, 2], [1, 1, 2, 2], 1.0),
        (["2030-01-01", "2030-02-01"], [1, 2], 1.0),
        ([1, 1, 1], [1, 2, 3], None),
    ],
)
def test_rank_correlations(first, second, figure):
    assert rank_correlation(first, second) == (None if figure is None else pytest.approx(figure))


def run(*args):
    return CliRunner().invoke(main, ["audit", "worlds", *map(str, args)])


def test_the_command_tells_people_and_programs(towns, tmp_path):
    for world in towns[:2]:
        files.save_world(world, tmp_path)
    clean = run(tmp_path)
    assert (clean.exit_code, clean.stderr) == (0, "")
    assert "2 worlds, 0 collisions" in clean.stdout
    assert clean.stdout.endswith("\n0 findings\n")
    told = json.loads(run(tmp_path, "--json").stdout)
    assert told["worlds"] == 2
    assert told["schemas"]["town"]["names"]["street.name"]["tested"] == sum(w.size("street") for w in towns[:2])
    assert told["findings"] == []

    def plant(columns):
        columns["name"][0] = "Amsterdam Street"

    files.save_world(edited(towns[1], "street", plant), tmp_path)
    real = run(tmp_path)
    assert real.exit_code == 1
    assert f"collision: {towns[1].id}, street.name: 'Amsterdam Street' holds 'amsterdam'\n    fix: " in real.stdout
    told = run(tmp_path, "--json")
    assert told.exit_code == 1
    assert [f["what"] for f in json.loads(told.stdout)["findings"]] == ["collision"]


def test_a_path_without_worlds_is_an_error(tmp_path):
    result = run(tmp_path / "none")
    assert result.exit_code == 2
    assert "no world there" in result.stderr


def test_declared_common_names_are_counted_apart():
    schema = load_schema("town")
    worlds = [generate(schema, seed, knobs=Knobs(common_names=0.3)) for seed in (9, 10)]
    shared = worlds[0].common_names & worlds[1].common_names
    assert len(shared) > 10
    summary = survey(worlds).schemas["town"]
    assert summary.finding_counts == {}
    assert (summary.names.shared["name"], summary.most_alike[0]) == (0, 0.0)
    assert summary.names.shared["common name"] == len(shared)
    assert summary.names.counts["common name"] == sum(len(world.common_names) for world in worlds)
    # The same worlds without the knob in their schemas have declared none.
    result = survey(replace(world, schema=replace(world.schema, knobs=Knobs())) for world in worlds)
    assert [finding.what for finding in result.findings] == ["shared names"]


def test_declared_homonyms_are_no_twins():
    schema = load_schema("town")
    world = generate(schema, 3, knobs=Knobs(homonyms=0.3))
    assert world.shared_names
    result = survey([world])
    assert (result.findings, result.schemas["town"].twins) == ((), 0)
    # The same world without the knob in its schema has declared none.
    bare = replace(world, schema=replace(world.schema, knobs=Knobs()))
    assert survey([bare]).schemas["town"].twins >= len(world.shared_names)
