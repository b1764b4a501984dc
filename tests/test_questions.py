"""What questions say: grammar shared with pages, fillers, headers, dates, constants that fix a column."""

from dataclasses import replace

import pytest

from tests.pages_world import isles
from worldsmith import expr, scoring
from worldsmith.engine import attach
from worldsmith.generate import generate
from worldsmith.pages import grammar
from worldsmith.schema import load_schema
from worldsmith.tasks import Query, Reader, Scope, gold, markdown
from worldsmith.tasks.candidates import answers, filler
from worldsmith.tasks.headers import headers
from worldsmith.tasks.phrase import Wording, singular, verb_phrase
from worldsmith.tasks.question import question

WORLD = isles()


def node(text, table="light", world=WORLD):
    return expr.parse(text, table, world.schema.types(), as_of=world.schema.as_of, want="bool")


def recast(world, table, name, **fields):
    """Return a world whose schema speaks of a column otherwise."""
    form = world.schema.tables[table]
    columns = tuple(replace(c, **fields) if c.name == name else c for c in form.columns)
    return replace(
        world, schema=replace(world.schema, tables={**world.schema.tables, table: replace(form, columns=columns)})
    )


@pytest.mark.parametrize(
    ("phrase", "marks"),
    [
        ("sold by", "open participle"),
        ("in the year", "open leading"),
        ("for the quarter ending", "open leading gerund"),
        ("expiring", "gerund"),
        ("lit", "participle"),
        ("hung", "participle"),
        ("a surface of", "open determined"),
        ("a launch price", "determined"),
        ("the first landing", "determined"),
        ("battery", ""),
    ],
)
def test_a_phrase_is_one_thing_for_pages_and_questions(phrase, marks):
    form = grammar.says(phrase)
    found = [name for name in ("open", "leading", "determined", "participle", "gerund") if getattr(form, name)]
    assert sorted(found) == sorted(marks.split())


@pytest.mark.parametrize("verb", ["hung", "set", "lost", "made"])
def test_what_was_done_is_said_alike_by_pages_and_questions(verb):
    world = recast(WORLD, "light", "lit", label=verb.capitalize(), says=verb)
    condition = node("lit < '1930-01-01'", world=world)
    assert verb_phrase(Wording(world.schema), "light", condition) == f"were {verb} before 1930-01-01"
    plan = grammar.Phrasing(world.schema).plans["light", "lit"][0]
    assert (plan.kind, plan.before) == ("was", f"{verb} on")


def test_a_label_names_its_unit_only_as_a_word():
    world = recast(WORLD, "light", "height", label="Metres climbed", says="metres climbed")
    assert (
        verb_phrase(Wording(world.schema), "light", node("height > 20", world=world)) == "have metres climbed over 20 m"
    )
    assert not grammar.names_unit(world.schema.column("light", "height"))
    named = recast(WORLD, "light", "height", label="Height (m)", says="height (m)")
    assert grammar.names_unit(named.schema.column("light", "height"))
    assert {plan.after for plan in grammar.Phrasing(named.schema).plans["light", "height"]} == {""}


def query(where="", table="light", scope=("stone", ("granite",)), columns=("name", "height"), world=WORLD):
    key = tuple((name,) for name in world.schema.tables[table].key)
    paths = tuple(tuple(c.split(".")) for c in columns)
    return Query(table, Scope(*scope), node(where, table, world) if where else None, paths, key)


def rows(q, world=WORLD):
    with attach(world) as connection:
        return gold(q, connection, world.schema)


@pytest.mark.parametrize(
    ("q", "told"),
    [
        (query(), {("stone",): "granite"}),
        (query(scope=("stone", ("brick", "slate"))), {}),
        (query("manned and height > 20"), {("stone",): "granite", ("manned",): True}),
        (query("not manned"), {("stone",): "granite", ("manned",): False}),
        (query("closed is null"), {("stone",): "granite", ("closed",): None}),
        (query("closed is not null and yr(lit) = 1930"), {("stone",): "granite"}),
        (query("keeper.born = '1970-01-01'"), {("stone",): "granite", ("keeper", "born"): "1970-01-01"}),
    ],
)
def test_what_a_question_fixes(q, told):
    assert q.fixed == told


def test_a_free_cell_earns_nothing_alone():
    q = query(columns=("name", "stone", "height"))
    columns = answers(Reader(WORLD), q)
    assert [(c.name, c.key, c.free) for c in columns] == [
        ("Lighthouse", True, False),
        ("Stone", False, True),
        ("Height (m)", False, False),
    ]
    known = [(name, stone, None) for name, stone, _ in rows(q)]
    bare = scoring.score(markdown(columns, known), columns, rows(q))
    assert bare.nonkey.f1 == 0.5
    assert (bare.earned.f1, bare.earned_rows.f1) == (0, 0)
    assert scoring.reward(bare, turns=3, search_calls=1, extract_calls=1).total == 0
    one = scoring.score(markdown(columns, [rows(q)[0], *known[1:]]), columns, rows(q))
    assert one.earned.f1 == pytest.approx(1 / len(known))


def test_a_key_part_that_the_scope_fixes_is_free():
    q = query(table="visit", scope=("year", (2026,)), columns=("light", "year", "guests"))
    columns = answers(Reader(WORLD), q)
    assert [(c.name, c.key, c.free) for c in columns] == [
        ("Lighthouse", True, False),
        ("Year", True, True),
        ("Guests", False, False),
    ]
    known = [(light, year, None) for light, year, _ in rows(q)]
    assert scoring.score(markdown(columns, known), columns, rows(q)).earned.f1 == 0
    both = query(table="visit", scope=("year", (2026, 2027)), columns=("light", "year", "guests"))
    assert not any(c.free for c in answers(Reader(WORLD), both))


def test_a_need_with_braces_of_its_own_is_left_as_it_is():
    schema = replace(
        WORLD.schema, questions=replace(WORLD.schema.questions, needs=("I want {foo} of {many} in {about}.",))
    )
    q = query()
    reader = Reader(replace(WORLD, schema=schema))
    text = question(reader, q, answers(reader, q), 0)
    assert text.startswith("I want {foo} of lighthouses in the lighthouses of the Outer Isles. ")


def asked(q, world=WORLD):
    reader = Reader(world)
    return question(reader, q, answers(reader, q), 0)


def without_nulls(world, table, column, value):
    """Return a world whose column has a value everywhere."""
    held = {**world.tables[table], column: [value if v is None else v for v in world.tables[table][column]]}
    return replace(world, tables={**world.tables, table: held})


def with_null(world, table, column, index=0):
    held = list(world.tables[table][column])
    held[index] = None
    return replace(world, tables={**world.tables, table: {**world.tables[table], column: held}})


def test_fillers_are_named_where_the_worlds_column_has_nulls_and_nowhere_else():
    q = query(columns=("name", "closed", "height"))
    said = "Where there is no value for “Closed”, write “in use”."
    assert said in asked(q)
    assert asked(q).count("Where there is no value") == 1
    assert "Where there is no value" not in asked(q, without_nulls(WORLD, "light", "closed", "2001-01-01"))
    # A row outside the answer is enough: the filler must not tell that the answer has none.
    slate = WORLD.tables["light"]["stone"].index("slate")
    assert "Where there is no value for “Height (m)”, write “none”." in asked(
        q, with_null(WORLD, "light", "height", slate)
    )


def test_null_is_called_what_the_first_column_on_the_way_that_has_nulls_says():
    reader = Reader(WORLD)
    assert filler(reader, "light", ("closed",)) == filler(reader, "visit", ("light", "closed")) == "in use"
    assert filler(reader, "light", ("height",)) == filler(reader, "light", ("keeper", "born")) == ""
    lost = Reader(with_null(recast(WORLD, "light", "keeper", none="nobody"), "light", "keeper"))
    assert filler(lost, "light", ("keeper", "born")) == "nobody"


def test_headers_of_one_owner_name_it_alike(town, smartphones):
    streets = ("street", "length"), ("street", "lamps")
    world = next(w for w in (generate(load_schema("town"), seed) for seed in range(9)) if "lamps" in w.schema.switches)
    assert headers(world.schema, "resident", (("name",), *streets)) == (
        "Resident",
        "Street: Length (m)",
        "Street: Street lamps",
    )
    assert headers(world.schema, "resident", (("name",), streets[1])) == ("Resident", "Street lamps")
    # Another owner's columns don't count.
    assert headers(world.schema, "shop", (streets[1], ("keeper", "born"))) == ("Street lamps", "Keeper: Born")
    assert headers(smartphones.schema, "phone", (("chip", "score"), ("chip", "announced"))) == (
        "Chipset: Benchmark score (thousand)",
        "Chipset: Chipset announced",
    )


def test_the_worlds_date_is_said_once():
    text = asked(query("closed < '2005-01-01'", columns=("name", "closed")))
    assert text.count("as of 2029-06-30") == text.count("2029-06-30") == 1


def test_none_under_a_bound_is_said():
    line = "A row without a value for “Height (m)” does not meet the condition on it."
    bare = with_null(WORLD, "light", "height")
    for where in ("height < 20", "height > 20", "height between 12 and 20"):
        assert line in asked(query(where), bare)
        assert line not in asked(query(where))
    assert line not in asked(query("closed < '2005-01-01'"), bare)
    joined = "A row without a value for “Lighthouse: Height (m)” does not meet the condition on it."
    assert joined in asked(query("light.height < 20", "visit", ("year", (2026,)), ("light", "year", "guests")), bare)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("visits = 1", "have 1 under “Visits recorded”"),
        ("visits > 1", "have more than 1 under “Visits recorded”"),
        ("visits < 1", "have fewer than 1 under “Visits recorded”"),
        ("visits > 2", "have more than 2 visits recorded"),
        ("range > 1", "have a range over 1 year"),
        ("range > 2", "have a range over 2 years"),
    ],
)
def test_one_is_no_plural(text, said):
    world = recast(WORLD, "light", "range", unit="years")
    assert verb_phrase(Wording(world.schema), "light", node(text, world=world)) == said


@pytest.mark.parametrize(
    ("unit", "one"), [("years", "year"), ("crowns", "crown"), ("nmi", "nmi"), ("s", "s"), ("inches", "inches")]
)
def test_units_after_one(unit, one):
    assert singular(unit) == one
