"""What questions say: grammar shared with pages, fillers, headers, dates, constants that fix a column."""

import copy
import re
from dataclasses import replace

import pytest

from tests.pages_world import KEEPERS, isles
from tests.task_draws import condition
from worldsmith import scoring
from worldsmith.errors import UsageError
from worldsmith.expr.typed import call
from worldsmith.generation import generate
from worldsmith.lang import morphology
from worldsmith.mining.candidates import answer_columns, null_filler
from worldsmith.pages import grammar
from worldsmith.schema import Rank, in_language, load_schema, parse_schema, shipped
from worldsmith.tasks import Query, QueryEvaluator, Scope, Top, gold_sqlite, values_table
from worldsmith.tasks.condition_reader import Phrases
from worldsmith.tasks.conditions import ONE, Wording, starts, verb_phrase
from worldsmith.tasks.headers import headers, is_dated, order_ends
from worldsmith.tasks.question import ended_row_notes, question, relative_clauses, relative_pronoun
from worldsmith.tasks.question_reader import query_of_question
from worldsmith.tasks.subjects import subject_column, subject_header, subjects_phrase
from worldsmith.world.engine import attach

WORLD = isles()


def node(text, table="light", world=WORLD):
    return condition(text, table, world.schema)


def recast(world, table, name, **fields):
    """Return a world whose schema speaks of a column otherwise."""
    form = world.schema.tables[table]
    columns = tuple(replace(c, **fields) if c.name == name else c for c in form.columns)
    return replace(
        world, schema=replace(world.schema, tables={**world.schema.tables, table: replace(form, columns=columns)})
    )


@pytest.mark.parametrize(
    ("schema", "header", "phrase"),
    [
        ("town", "Town", "the towns of Aba, Bolo and Ciri"),
        ("company", "Company", "the companies Aba, Bolo and Ciri"),
        ("films", "Circuit", "the Aba, Bolo and Ciri circuits"),
        ("hospital", "Hospitals", "the Aba, Bolo and Ciri hospitals"),
        ("league", "League", "the Aba, Bolo and Ciri Leagues"),
        ("railway", "Railway", "the Aba, Bolo and Ciri Railways"),
        ("smartphones", "Market", "the smartphone markets of Aba, Bolo and Ciri"),
        ("university", "University", "the Universities of Aba, Bolo and Ciri"),
    ],
)
def test_several_worlds_are_named_in_the_words_of_their_schema(schema, header, phrase):
    language = in_language(load_schema(schema), "natural")
    names = ("Aba", "Bolo", "Ciri")
    assert (subject_header(language), subjects_phrase(language, names)) == (header, phrase)
    column = subject_column(language, names)
    written = language.bank.source.subject.text.replace("{name}", "Bolo")
    table = f"| {header} | Age |\n| --- | --- |\n| {written} | 3 |"
    columns = [column, scoring.Column("Age", "int")]
    assert scoring.score(table, columns, [("Bolo", 3)]).success
    assert not scoring.score(table, columns, [("Ciri", 3)]).success


def test_worlds_without_a_subject_cannot_be_named_together():
    with pytest.raises(UsageError, match=r"give its language file a \[subject\]"):
        subjects_phrase(WORLD.schema, ("Aba", "Bolo"))


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
    form = morphology.says(phrase)
    found = [name for name in ("open", "leading", "determined", "participle", "gerund") if getattr(form, name)]
    assert sorted(found) == sorted(marks.split())


@pytest.mark.parametrize("verb", ["hung", "set", "lost", "made"])
def test_what_was_done_is_said_alike_by_pages_and_questions(verb):
    world = recast(WORLD, "light", "lit", label=verb.capitalize(), says=verb)
    condition = node("lit < '1930-01-01'", world=world)
    assert verb_phrase(Wording(world.schema), "light", condition) == f"were {verb} before 1930-01-01"
    plan = grammar.Phrasing(world.schema).plans["light", "lit"][0]
    assert (plan.kind, plan.before) == ("was", f"{verb} on")


@pytest.mark.parametrize(
    ("verb", "opposite"),
    [("joined", "did not join"), ("left there", "did not leave there"), ("began", "did not begin")],
)
def test_what_happens_of_itself_is_not_said_to_be_done(verb, opposite):
    world = recast(WORLD, "light", "lit", label=verb.capitalize(), says=verb)
    for text, phrase in (("yr(lit) = 1929", "in 1929"), ("lit < '1930-01-01'", "before 1930-01-01")):
        clause = node(text, world=world)
        assert verb_phrase(Wording(world.schema), "light", clause) == f"{verb} {phrase}"
        assert verb_phrase(Wording(world.schema), "light", call("not", [clause])) == f"{opposite} {phrase}"
        assert clause in Phrases(world.schema).comparisons("light", f"{verb} {phrase}")


@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_bank_s_verb_of_being_agrees_with_the_noun_after_it(name):
    bank = load_schema(name).bank or in_language(load_schema(name), "natural").bank
    asks = [text for ask in bank.source.asks.values() for part in type(ask).model_fields for text in getattr(ask, part)]
    assert [text for text in asks if re.match(r"\[(are|were)\|(is|was)\] \w+[^su]s (of|on|about|for) ", text)] == []


def test_a_label_names_its_unit_only_as_a_word():
    world = recast(WORLD, "light", "height", label="Metres climbed", says="metres climbed")
    assert (
        verb_phrase(Wording(world.schema), "light", node("height > 20", world=world))
        == "have “Metres climbed” over 20 m"
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
        return gold_sqlite(q, connection, world.schema)


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
    columns = answer_columns(QueryEvaluator(WORLD), q)
    assert [(c.name, c.key, c.free) for c in columns] == [
        ("Lighthouse", True, False),
        ("Stone", False, True),
        ("Height (m)", False, False),
    ]
    known = [(name, stone, None) for name, stone, _ in rows(q)]
    bare = scoring.score(values_table(columns, known), columns, rows(q))
    assert bare.nonkey.f1 == 0.5
    assert (bare.earned.f1, bare.earned_rows.f1) == (0, 0)
    assert scoring.reward(bare, turns=3, search_calls=1, extract_calls=1).total == 0
    one = scoring.score(values_table(columns, [rows(q)[0], *known[1:]]), columns, rows(q))
    assert one.earned.f1 == pytest.approx(1 / len(known))


def test_a_key_part_that_the_scope_fixes_is_free():
    q = query(table="visit", scope=("year", (2026,)), columns=("light", "year", "guests"))
    columns = answer_columns(QueryEvaluator(WORLD), q)
    assert [(c.name, c.key, c.free) for c in columns] == [
        ("Lighthouse", True, False),
        ("Year", True, True),
        ("Guests", False, False),
    ]
    known = [(light, year, None) for light, year, _ in rows(q)]
    assert scoring.score(values_table(columns, known), columns, rows(q)).earned.f1 == 0
    both = query(table="visit", scope=("year", (2026, 2027)), columns=("light", "year", "guests"))
    assert not any(c.free for c in answer_columns(QueryEvaluator(WORLD), both))


def test_a_need_with_braces_of_its_own_is_left_as_it_is():
    schema = replace(
        WORLD.schema, questions=replace(WORLD.schema.questions, needs=("I want {foo} of {many} in {about}.",))
    )
    q = query()
    evaluator = QueryEvaluator(replace(WORLD, schema=schema))
    text = question(evaluator, q, answer_columns(evaluator, q), 0)
    assert text.startswith("I want {foo} of lighthouses in the lighthouses of the Outer Isles. ")


def asked(q, world=WORLD):
    evaluator = QueryEvaluator(world)
    return question(evaluator, q, answer_columns(evaluator, q), 0)


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
    evaluator = QueryEvaluator(WORLD)
    assert (
        null_filler(evaluator, "light", ("closed",)) == null_filler(evaluator, "visit", ("light", "closed")) == "in use"
    )
    assert null_filler(evaluator, "light", ("height",)) == null_filler(evaluator, "light", ("keeper", "born")) == ""
    lost = QueryEvaluator(with_null(recast(WORLD, "light", "keeper", none="nobody"), "light", "keeper"))
    assert null_filler(lost, "light", ("keeper", "born")) == "nobody"


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
        ("visits = 1", "have 1 under “Visits”"),
        ("visits > 1", "have more than 1 under “Visits”"),
        ("visits < 1", "have fewer than 1 under “Visits”"),
        ("visits > 2", "have more than 2 visits"),
        ("range > 1", "have a range over 1 year"),
        ("range > 2", "have a range over 2 years"),
    ],
)
def test_one_is_no_plural(text, said):
    world = recast(recast(WORLD, "light", "range", unit="years"), "light", "visits", label="Visits", says="visits")
    assert verb_phrase(Wording(world.schema), "light", node(text, world=world)) == said


@pytest.mark.parametrize(
    ("unit", "one"), [("years", "year"), ("crowns", "crown"), ("nmi", "nmi"), ("s", "s"), ("inches", "inches")]
)
def test_units_after_one(unit, one):
    assert morphology.singular_unit(unit) == one


@pytest.mark.parametrize(
    ("label", "one"),
    [
        ("faults found", "fault found"),
        ("calls with salt", "call with salt"),
        ("entries", "entry"),
        ("matches lost", "match lost"),
        ("persons allowed in at once", "person allowed in at once"),
        ("boardings a year", "boarding a year"),
        ("floor area", ""),
        ("glass", ""),
    ],
)
def test_labels_of_things_that_are_counted_have_a_singular(label, one):
    assert morphology.singular(label) == one


@pytest.mark.parametrize(
    ("fields", "text", "said"),
    [
        ({"label": "Payroll", "says": "payroll"}, "height > 20", "have a payroll over 20 m"),
        ({"label": "Spent", "says": "spent"}, "height > 20", "have “Spent” over 20 m"),
        ({"label": "Largest gross", "says": "largest gross"}, "height > 20", "have “Largest gross” over 20 m"),
        ({"label": "Faults found", "says": "faults found", "unit": ""}, "height > 20", "have “Faults found” over 20"),
        (
            {"label": "Goals of its players", "says": "goals of its players"},
            "height < 3",
            "have “Goals of its players”",
        ),
        ({"label": "Street lamps", "says": "street lamps", "unit": ""}, "height < 3", "have fewer than 3 street lamps"),
        (
            {"label": "Years of service", "says": "a service", "unit": "years"},
            "height = 3",
            "have a service of 3 years",
        ),
    ],
)
def test_a_label_that_is_no_plain_noun_is_quoted_and_not_counted(fields, text, said):
    world = recast(WORLD, "light", "height", **fields)
    assert verb_phrase(Wording(world.schema), "light", node(text, world=world)).startswith(said)


@pytest.mark.parametrize(
    ("label", "says", "said"),
    [
        ("Due", "due", "have a “Due” date after 1930-01-01"),
        ("Expires", "expiring", "have an “Expires” date after 1930-01-01"),
        ("Opening day", "opening", "are opening after 1930-01-01"),
        ("In charge since", "in charge since", "have an “In charge since” date after 1930-01-01"),
        ("Match day", "match day", "have a “Match day” after 1930-01-01"),
    ],
)
def test_dates_in_words(label, says, said):
    world = recast(WORLD, "light", "lit", label=label, says=says)
    assert verb_phrase(Wording(world.schema), "light", node("lit > '1930-01-01'", world=world)) == said


def test_a_row_is_what_it_refers_to_and_does_not_have_it():
    world = recast(WORLD, "light", "keeper", says="the successor of")
    phrase = f"the successor of {KEEPERS[0]}"
    condition = node(f"keeper = '{KEEPERS[0]}'", world=world)
    assert verb_phrase(Wording(world.schema), "light", condition) == f"are {phrase}"
    assert verb_phrase(Wording(world.schema), "light", condition, ONE) == f"is {phrase}"


def test_a_row_that_is_referred_to_is_called_by_its_part_only_where_it_plays_one():
    bare = recast(WORLD, "light", "keeper", says="watched over")
    condition = node("keeper.born < '1970-01-01'")
    assert verb_phrase(Wording(bare.schema), "light", condition) == "have a keeper that was born before 1970-01-01"
    part = recast(bare, "light", "keeper", label="Deputy")
    said = "has as deputy a keeper that was born before 1970-01-01"
    assert verb_phrase(Wording(part.schema), "light", condition, ONE) == said


def test_rows_that_are_over_are_said_to_count_unless_a_condition_asks_about_that():
    world = recast(WORLD, "light", "closed", ends=True)
    line = "Count lighthouses with a date under “Closed” too."
    assert line in asked(query(), world)
    assert line not in asked(query())
    assert line not in asked(query("closed is null", world=world), world)
    assert line not in asked(query(table="visit", scope=("year", (2026,)), columns=("light", "year", "guests")), world)


def test_a_place_in_an_order_is_said_to_be_among_all():
    world = recast(WORLD, "light", "visits", fill=Rank("height", None), label="Place", says="place")
    columns = ("name", "visits", "lit")
    assert "“Place” is a place among all lighthouses, asked for or not." in asked(query(columns=columns), world)
    grouped = recast(world, "light", "visits", fill=Rank("height", "stone"))
    told = "“Place” is a place among all lighthouses with the same “Stone”, asked for or not."
    assert told in asked(query(columns=columns), grouped)
    assert "asked for or not" not in asked(query(columns=columns))
    cell = replace(query(columns=("visits",)), key=(), top=Top(("height",), 1, largest=True))
    assert "“Place” is a place among all lighthouses, asked for or not." in asked(cell, world)


def test_bounds_of_ranks_are_said_to_be_numbers(town):
    """ "A rank below 9" is tenth or worse to some."""
    line = "Ranks are compared as numbers: one below 3 is 1 or 2, one above 3 is 4 or more."

    def of(text):
        where = node(text, "shop", town)
        return Query("shop", Scope("line", ("café",)), where, (("name",), ("floor",)), (("name",),))

    assert line in asked(of("dear < 9"), town).split("\n")
    assert line not in asked(of("floor < 90"), town)
    assert query_of_question(asked(of("dear < 9"), town), town.schema) == of("dear < 9")


def test_who_leads_in_an_order_is_said_of_the_row_that_has_the_value():
    q = replace(query(columns=("name", "lit")), top=Top(("keeper", "born"), 3, largest=False))
    assert "From the list so far I only want the 3 whose keeper has the earliest “Born”." in asked(q)
    assert query_of_question(asked(q), WORLD.schema) == q
    own = replace(q, top=Top(("height",), 3, largest=True))
    assert "From the list so far I only want the 3 with the highest “Height (m)”." in asked(own)


@pytest.mark.parametrize(
    ("path", "largest", "lead"),
    [
        (("tickets",), True, "with the highest attendance"),
        (("film", "prizes"), True, "whose film has the most awards won"),
        (("film", "shown"), False, "whose film has the fewest festival screenings"),
        (("film", "finished"), False, "whose film has the earliest completion date"),
    ],
)
def test_people_ask_for_the_most_and_fewest_of_what_is_counted(path, largest, lead):
    world = generate(load_schema("films"), 3, language="natural")
    key = tuple((name,) for name in world.schema.tables["screening"].key)
    scope = Scope("prize", ("best film", "best script"))
    q = Query("screening", scope, None, (*key, ("day",)), key, top=Top(path, 3, largest))
    assert f"3 {lead}" in asked(q, world)
    assert query_of_question(asked(q, world), world.schema) == q


def test_a_sum_of_what_is_counted_is_high_or_low():
    ends = ("highest", "lowest", "latest", "earliest", "most", "fewest")
    railway, league = (in_language(load_schema(name), "natural") for name in ("railway", "league"))
    assert order_ends(railway.column("depot", "seats"), railway, ends) == ("highest", "lowest")
    assert order_ends(league.column("player", "games"), league, ends) == ("most", "fewest")


def test_a_name_that_says_what_it_is_needs_no_noun():
    for name, said in (("Yarrick", "the lighthouse Yarrick"), ("Lighthouse Yarrick", "the Lighthouse Yarrick")):
        cell = Query("light", Scope("name", (name,)), None, (("keeper", "born"),), ())
        columns = (scoring.Column("Born", "date"),)
        text = question(QueryEvaluator(WORLD), cell, columns, 0)
        assert f"the “Born” date of the keeper of {said}" in text
        assert query_of_question(text, WORLD.schema) == cell


def test_an_exception_is_of_what_meets_both_conditions():
    q = query("not (height > 14 and manned)")
    texts = [question(QueryEvaluator(WORLD), q, answer_columns(QueryEvaluator(WORLD), q), turn) for turn in range(12)]
    assert all(re.search(r" both have a height (over|above|of more than) 14 m and are manned\b", t) for t in texts)
    assert {query_of_question(t, WORLD.schema) for t in texts} == {q}


def test_every_letter_of_a_chain_is_used_and_one_cell_is_no_row_for_each():
    link = Query("light", Scope("name", ("Yarrick",)), None, (("keeper",),), ())
    deep = Query("light", Scope("keeper", (), link), None, (("lit",),), (), top=Top(("height",), 1, largest=True))
    texts = {
        question(QueryEvaluator(WORLD), deep, answer_columns(QueryEvaluator(WORLD), deep), turn) for turn in range(40)
    }
    assert len(texts) > 30
    for text in texts:
        first = text.split("\n\n")[0]
        assert re.search(r"(call (it|what you find)|Let that be) A\b", first)
        assert "among the lighthouses that are kept by A" in first
        assert "for each" not in text
        assert "from here on" not in text


def test_people_are_who_and_a_row_that_is_referred_to_is_one_whose(town):
    """Natural questions alone: "whose keeper is one whose street was laid out before …"."""
    assert starts("whose keeper ") == (("whose keeper ", False), ("whose keeper is one ", True))
    assert starts("kept by a resident who ") == (("kept by a resident who ", False), ("kept by a resident ", True))
    natural = in_language(load_schema("town"), "natural")
    assert (relative_pronoun(natural, "resident"), relative_pronoun(natural, "shop")) == ("who", "that")
    assert relative_pronoun(town.schema, "resident") == "that"
    wording = Wording(natural)
    assert relative_clauses(wording, "resident", ["live on A", "were born in 1970"]) == (
        "who live on A and were born in 1970"
    )
    assert relative_clauses(wording, "shop", ["stand on A", "whose keeper was born in 1970", "opened in 2001"]) == (
        "that stand on A, whose keeper was born in 1970 and that opened in 2001"
    )


@pytest.mark.parametrize(
    ("schema", "table", "text", "said"),
    [
        ("company", "order", "project.owner.founded < '2010-01-01'", "is one whose "),
        ("company", "employee", "salary between 33000 and 119000", "33000 to 119000 EUR"),
        ("smartphones", "sale", "share > 10.5", "10.5%"),
        ("hospital", "trial", "yr(started) = 2027", "saw the first patient in 2027"),
        ("university", "sitting", "yr(posted) = 2027", "have results that were posted in 2027"),
    ],
)
def test_conditions_of_shipped_schemas_are_what_a_person_types(schema, table, text, said):
    natural = in_language(load_schema(schema), "natural")
    reader = Phrases(natural)
    for turn in range(12):
        phrase = verb_phrase(Wording(natural, turn), table, condition(text, table, natural))
        assert "per cent" not in phrase
        assert condition(text, table, natural) in list(reader.comparisons(table, phrase))
        if said in phrase:
            return
    pytest.fail(f"no wording says {said!r}")


def test_a_year_is_said_by_those_wordings_of_a_day_that_fit_it():
    hospital, town = (in_language(load_schema(name), "natural") for name in ("hospital", "town"))
    opened = {
        verb_phrase(Wording(hospital, turn), "department", condition("yr(opened) = 1990", "department", hospital))
        for turn in range(12)
    }
    assert opened == {"opened in 1990"}  # but not "have been open since in 1990"
    assert verb_phrase(Wording(town), "shop", condition("yr(opened) != 1990", "shop", town)) == "did not open in 1990"


def test_a_day_without_words_of_its_own_is_had_and_not_been(mini_data):
    data = copy.deepcopy(mini_data)
    data["tables"]["call"]["columns"]["arrived"]["label"] = "Opening date"
    harbour = in_language(parse_schema(data), "natural")
    for turn in range(12):
        phrase = verb_phrase(Wording(harbour, turn), "call", condition("yr(arrived) = 2030", "call", harbour))
        assert re.fullmatch(r"ha(s|ve) an “?[Oo]pening date”? in 2030", phrase)


def test_years_come_early_or_late_and_ends_are_said_by_name():
    films, company = (in_language(load_schema(name), "natural") for name in ("films", "company"))
    assert is_dated(films.column("director", "debut"), films)
    assert not is_dated(films.column("director", "films"), films)
    assert not is_dated(in_language(load_schema("league"), "natural").column("player", "age"), company)
    notes = {
        line
        for turn in range(1, 30)
        for line in ended_row_notes(
            Wording(company, turn), Query("employee", Scope("grade", ("G3",)), None, (("name",),), (("name",),))
        )
    }
    assert "Employees with a leaving date count too." in notes
    assert all("a leaving date" in note and note[0].isupper() for note in notes)
