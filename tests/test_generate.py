"""Generation: the same inputs give the same rows, everywhere; what can't be met is said."""

import copy
import hashlib
import os
import subprocess
import sys
import tomllib

import faker
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldsmith import scoring, seeding
from worldsmith.checking import check
from worldsmith.errors import FormatError, GenerationError, SchemaError, UsageError
from worldsmith.generation import generate
from worldsmith.generation.computed import largest_remainder
from worldsmith.generation.draw import quotas
from worldsmith.generation.faker_pools import pool
from worldsmith.naming import DENY_FILTER_DIGEST, deny
from worldsmith.schema import load_schema, parse_schema, shipped
from worldsmith.world.model import FAKER, table_bytes

GOLDEN = {
    ("company", 7): "e04ebd5eb4ea0e893de932c0d7bc67f74fe3d8e1504d4c2c52e48de108ff2da0",
    ("courts", 7): "e88e5ac5191dbcef1aae6bbeca1790d0da224d7b143ae0b98c62778da3235057",
    ("films", 7): "06c5412e3bcac6e4b12587d8c1c792ea405fdb0aeb230f03a580d8282b5df845",
    ("hospital", 7): "b956e961b093f391cdcbc882d0c0534b8e3627c622e81ec5351b0822a669a571",
    ("league", 7): "9e4e6830f8b49c1b4c74f152b37557ca29a5b5b1ee1651aee9cacdce86f6e319",
    ("power", 7): "143052b7fd23a9ad1f7385f8566b6cfe67e5aba017c9b1b34dbb3139907a472a",
    ("railway", 7): "d48020c920444c9685d4420c0a42004115cc2460d30801fc027c9990d631227f",
    ("smartphones", 7): "f9b2de3171b61bfe377702697902be657f3763bd38e9a1c5ffd5422dad71ceb9",
    ("town", 7): "8847c439275c21afa1f14b76b4caabbbdae6fd0db0b4283bd8019f3531b011c1",
    ("university", 7): "e09cc355a5b25e4b9858a0f473d81cc46ff056670dc4c000bcfb47afe64a07f5",
}


@pytest.mark.parametrize(("name", "seed"), GOLDEN)
def test_golden_digests(name, seed):
    assert generate(load_schema(name), seed).digest == GOLDEN[name, seed]


def test_another_process_gives_the_same_bytes():
    code = (
        "from worldsmith.generation import generate; from worldsmith.schema import load_schema;"
        "print(generate(load_schema('town'), 7).digest)"
    )
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == GOLDEN["town", 7]


@pytest.mark.parametrize("name", sorted(shipped()))
def test_neighbouring_seeds_share_no_line(name):
    lines = [
        {line for t in world.tables.values() for line in table_bytes(t).splitlines()}
        for world in (generate(load_schema(name), 42), generate(load_schema(name), 43))
    ]
    assert not lines[0] & lines[1]


def test_a_world_is_not_changed_by_worlds_before_it(mini):
    first = generate(mini, 3).digest
    for seed in range(5):
        generate(mini, seed)
    assert generate(mini, 3).digest == first


@given(st.integers(0, 2**63), st.lists(st.one_of(st.text(max_size=5), st.integers(-9, 9)), max_size=4))
def test_draw_is_a_hash_of_the_whole_path(seed, path):
    assert seeding.draw(seed, *path) == seeding.draw(seed, *path)
    assert seeding.draw(seed, *path) != seeding.draw(seed, *path, 0)
    assert seeding.draw(seed, *path) != seeding.draw(seed + 1, *path)


def test_draw_tells_numbers_from_text():
    assert seeding.draw(1, 2) != seeding.draw(1, "2")
    assert seeding.draw(1, "a", "b") != seeding.draw(1, "ab")


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=40), st.sampled_from([100, 1000, 10000]))
def test_largest_remainder_sums_to_the_whole(parts, points):
    shares = largest_remainder(dict(enumerate(parts)), points)
    if not sum(parts):
        assert shares == {}
        return
    assert sum(shares.values()) == points
    assert all(abs(shares[i] - part * points / sum(parts)) < 1 for i, part in enumerate(parts))


@given(st.integers(1, 60), st.integers(1, 12), st.integers(0, 3), st.integers(0, 9), st.integers(0, 99))
def test_quotas_meet_their_bounds_or_say_none(n, parents, lo, extra, seed):
    caps = [lo + extra] * parents
    counts = quotas(n, caps, lo, [1.0] * parents, seeding.rng(seed, "q"))
    if not lo * parents <= n <= sum(caps):
        assert counts is None
        return
    assert sum(counts) == n
    assert all(lo <= c <= cap for c, cap in zip(counts, caps, strict=True))


def test_a_rule_that_never_holds_is_named_with_rows_and_values(mini_data):
    data = copy.deepcopy(mini_data)
    data["rules"]["never"] = {"on": "berth", "must": "calls > 100"}
    with pytest.raises(GenerationError, match=r"rule never: \d+ rows break it: berth .*calls = \d"):
        generate(parse_schema(data), 1)


def test_rows_that_per_can_not_meet_are_said_before_drawing(mini_data):
    data = copy.deepcopy(mini_data)
    data["tables"]["call"]["rows"] = [300, 310]
    with pytest.raises(SchemaError, match=r"tables.call.rows: \[300, 310\] can't be met: .* makes 12 to 64"):
        parse_schema(data)


def test_a_unique_list_that_is_too_short_is_said(mini_data):
    data = copy.deepcopy(mini_data)
    data["tables"]["berth"]["columns"]["name"] = {"pick": "flags", "label": "Berth", "see": "snippet"}
    with pytest.raises(SchemaError, match=r"tables.berth.rows: 6 rows need as many names; the list 'flags' has 3"):
        parse_schema(data)


def test_a_key_that_is_picked_keeps_to_its_where(mini_data):
    data = copy.deepcopy(mini_data)
    data["values"]["docks"] = [f"{flag} {i}" for flag in ("dock", "quay") for i in range(6)]
    columns = data["tables"]["berth"]["columns"]
    columns["name"] = {"pick": "docks", "where": "(kind || '~') > name and name > kind", "label": "Berth"}
    columns["kind"] = {"choice": ["dock", "quay"], "label": "Kind"}
    for seed in range(5):
        berths = generate(parse_schema(data), seed).tables["berth"]
        assert len(set(berths["name"])) == len(berths["name"])
        assert [name.split()[0] for name in berths["name"]] == berths["kind"]


def test_a_key_whose_where_leaves_too_few_is_said(mini_data):
    data = copy.deepcopy(mini_data)
    data["values"]["docks"] = [f"dock {i}" for i in range(9)]
    data["tables"]["berth"]["columns"]["name"] = {"pick": "docks", "where": "name < 'dock 3'", "label": "Berth"}
    with pytest.raises(GenerationError, match=r"berth.name: `where` leaves too few of docks for \d distinct names"):
        generate(parse_schema(data), 1)


@pytest.mark.parametrize(
    ("name", "table", "rule", "seed"),
    [
        # A reference is dealt out anew, and with it some cells of a column whose mean is read along it.
        ("power", "operator", "part <= 33", 5),
        ("power", "operator", "part <= 33", 14),
        # A day is drawn again that a condition on one column of a key reads: the whole key is.
        ("courts", "hearing", "held > add_days(suit.filed, 45)", 0),
        ("courts", "hearing", "held > add_days(suit.filed, 45)", 2),
    ],
)
def test_a_repair_leaves_no_cell_that_reads_what_was_drawn_again(name, table, rule, seed):
    source = load_schema(name).source
    rules = {"added": {"on": table, "must": rule}, **source["rules"]}
    assert check(generate(parse_schema({**source, "rules": rules}), seed, language="natural")).ok


def test_dates_that_leave_the_calendar_are_said(mini_data):
    data = copy.deepcopy(mini_data)
    data["tables"]["call"]["columns"]["arrived"] = {"date": ["9999-12-01", "9999-12-31"], "label": "Arrived"}
    data["tables"]["call"]["columns"]["left"] = {"after": "arrived", "days": [40, 200], "label": "Left"}
    with pytest.raises(GenerationError, match=r"call.left: 9999-12-\d\d and 200 days leave the calendar"):
        generate(parse_schema(data), 1)


def test_an_unknown_kind_of_name_is_said_with_its_place(mini_data):
    data = copy.deepcopy(mini_data)
    data["values"]["pilots"]["invent"] = "persons"
    with pytest.raises(SchemaError, match=r"values.pilots: no names of kind 'persons'. Did you mean 'person'"):
        generate(parse_schema(data), 1)


def test_leap_day_as_of(mini_data):
    data = copy.deepcopy(mini_data)
    data["as_of"] = "2032-02-29"
    assert generate(parse_schema(data), 1).facts > 40


def test_faker_pools_do_not_move_with_the_version_or_the_clock():

    text = "\n".join(pool("job", "2030-01-01")[:50])
    assert (
        hashlib.sha256(text.encode()).hexdigest() == "47d0857afd81ea3b5024a8f45d85a366692589b0444b216d5d2df03aa7e18f88"
    )


@pytest.mark.parametrize("seed", [2**63, -(2**63) - 1, 10**40])
def test_a_worlds_own_seed_has_64_bits(mini, seed):
    with pytest.raises(UsageError, match=f"seed = {seed}: a world's own seed has 64 bits"):
        generate(mini, seed)


@pytest.mark.parametrize("version", ["40.62.9", "40.63.0.post1", "41.0.0", ""])
def test_another_faker_is_refused_with_the_command_that_installs_the_right_one(monkeypatch, version):
    schema = load_schema("town")
    before = generate(schema, 1)
    monkeypatch.setattr(faker, "VERSION", version)
    with pytest.raises(UsageError, match=rf"Faker {version} is installed.*pip install faker=={FAKER}$"):
        generate(schema, 1)
    assert generate(load_schema("films"), 1).facts > 300  # no column of it comes from Faker
    monkeypatch.undo()
    assert generate(schema, 1) == before


def test_the_pinned_faker_is_the_one_that_worlds_are_made_with(repository):
    declared = tomllib.loads((repository / "pyproject.toml").read_text())["project"]["dependencies"]
    assert f"faker=={FAKER}" in declared


def test_a_world_records_what_its_rows_depend_on(mini_data):
    data = copy.deepcopy(mini_data)
    assert generate(parse_schema(data), 1).made_with == {"faker": FAKER, "names": DENY_FILTER_DIGEST[:16]}
    del data["tables"]["call"]["columns"]["agent"]
    assert generate(parse_schema(data), 1).made_with == {"names": DENY_FILTER_DIGEST[:16]}
    assert {"plate" in generate(load_schema("town"), seed).tables["resident"] for seed in (0, 1)} == {True, False}
    assert [generate(load_schema("town"), seed).made_with["faker"] for seed in (0, 1)] == [FAKER, FAKER]


def test_another_filter_of_real_names_is_refused(monkeypatch):
    monkeypatch.setattr(deny, "DENY_FILTER_DIGEST", "0" * 64)
    with pytest.raises(FormatError, match="another one gives other names"):
        deny.deny_filter.__wrapped__()


def test_no_detail_reads_as_a_measure():
    """A plate "130M" is 130 m to a reader, and to the guard."""
    plates = pool("license_plate", "2027-03-31")
    assert len(plates) > 300
    assert not [text for text in plates if any(r.unit for r in scoring.read(text, "num"))]
