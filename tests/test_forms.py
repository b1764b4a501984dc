"""The forms of queries: children counted, tops, alternatives, exceptions, windows, chains; each in three engines."""

import itertools
from dataclasses import replace

import pytest

from tests.pages_world import KEEPERS, isles
from tests.task_draws import candidates, condition
from worldsmith import expr, scoring
from worldsmith.agents import SimulatorClient, run
from worldsmith.expr.typed import call
from worldsmith.lang.question_phrases import PLAIN
from worldsmith.mining.candidates import KINDS, answer_columns, task_draws
from worldsmith.mining.certificates import certify
from worldsmith.mining.pipeline import mine
from worldsmith.mining.sampling import MiningContext
from worldsmith.mining.screening import DrawRejected, screen
from worldsmith.pages import Pages
from worldsmith.schema import Aggregate
from worldsmith.simulate.disclosure import children_of, disclosed_by_page, is_all_children
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import (
    Query,
    QueryEvaluator,
    Scope,
    Task,
    Top,
    gold_duckdb,
    gold_sqlite,
    question,
    sql,
    values_table,
)
from worldsmith.tasks.conditions import ONE, Wording, months_before, verb_phrase
from worldsmith.tasks.evidence import required_disclosures
from worldsmith.tasks.question_reader import Unclear, query_of_question
from worldsmith.world.engine import attach
from worldsmith.world.model import Row

WORLD = isles()
EVALUATOR = QueryEvaluator(WORLD)


def node(text, table="light"):
    return condition(text, table, WORLD.schema)


def visits(op="count", column=None, where="year = 2026"):
    return Aggregate(op, "visit", column, ("light",), node(where, "visit"))


def bound(op, value, number=0):
    return call(op, [expr.Path((f"#{number}",), "int"), expr.Const(value, "int")])


def lights(*nodes, scope=("stone", ("granite",)), columns=("name", "height"), tallies=(), top=None, key=("name",)):
    where = None if not nodes else nodes[0] if len(nodes) == 1 else call("and", list(nodes))
    paths = tuple(tuple(c.split(".")) for c in columns)
    of = scope if isinstance(scope, Scope) else Scope(*scope)
    return Query("light", of, where, paths, tuple((k,) for k in key), tuple(tallies), top)


KEPT_BY = Query("light", Scope("name", ("Yarrick",)), None, (("keeper",),), ())
"""The keeper of Yarrick."""
HIGHEST = Query("light", Scope("keeper", (), KEPT_BY), None, (("stone",),), (), top=Top(("height",), 1, largest=True))
"""The stone of the highest of that keeper's lighthouses."""

FORMS = {
    "none": (lights(bound("=", 0), tallies=[visits(where="year > 2025")], columns=("name",)), 8),
    "some": (
        lights(bound(">=", 1), tallies=[visits()], columns=("name",)),
        ("Orvane Head", "Sélkirra Ness", "Varrow Point"),
    ),
    "most": (lights(bound("<=", 1), tallies=[visits(where="year in (2027, 2028)")], columns=("name",)), 12),
    "sum": (lights(bound(">", 500), tallies=[visits("sum", "guests", "year < 2028")], columns=("name",)), 4),
    "max": (
        lights(bound(">", 500), tallies=[visits("max", "guests", "year > 2026")], columns=("name",)),
        ("Tarnsey", "Ulvet", "Varrow Point"),
    ),
    "top": (lights(top=Top(("height",), 3, largest=True)), (("Halvick", 33), ("Pellamore", 35), ("Corrigane", 31))),
    "lowest each": (
        lights(
            scope=("stone", ("brick", "granite")), top=Top(("lit",), 2, False, ("stone",)), columns=("name", "stone")
        ),
        4,
    ),
    "or": (lights(call("or", [node("height < 14"), node("manned")]), columns=("name",)), 5),
    "not both": (lights(call("not", [call("and", [node("height > 14"), node("manned")])]), columns=("name",)), 10),
    "window": (lights(node("closed between '2004-06-30' and '2029-06-30'"), columns=("name", "closed")), 4),
    "chain": (lights(scope=Scope("keeper", (), KEPT_BY), columns=("name", "range")), 4),
    "deep": (replace(HIGHEST, columns=(("keeper", "born"),)), (("1999-01-02",),)),
}


def in_three_engines(query):
    with attach(WORLD) as connection:
        one = gold_sqlite(query, connection, WORLD.schema)
    (two,) = gold_duckdb([(WORLD, [query])])[0]
    three = [
        tuple(EVALUATOR.query_values(query, path)[i] for path in query.columns) for i in EVALUATOR.matching_rows(query)
    ]
    return one, two, three


@pytest.mark.parametrize("name", FORMS)
def test_each_form_means_one_thing_in_three_engines(name):
    query, told = FORMS[name]
    one, two, three = in_three_engines(query)
    assert one == two
    assert sorted(map(str, one)) == sorted(map(str, three))
    if isinstance(told, int):
        assert len(one) == told
    else:
        assert {row if isinstance(told[0], tuple) else row[0] for row in one} == set(told)


@pytest.mark.parametrize("name", FORMS)
def test_each_form_goes_to_json_and_back(name):
    query = FORMS[name][0]
    assert Query.from_json(query.to_json()) == query


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("turn", range(6))
def test_each_form_is_read_back_from_its_question(name, turn):
    query = FORMS[name][0]
    text = question(EVALUATOR, query, answer_columns(EVALUATOR, query), turn)
    assert query_of_question(text, WORLD.schema) == query


@pytest.mark.parametrize("name", FORMS)
def test_the_oracle_finds_each_form_by_the_tools(name):
    query = FORMS[name][0]
    columns = answer_columns(EVALUATOR, query)
    with attach(WORLD) as connection:
        rows = gold_sqlite(query, connection, WORLD.schema)
    text = question(EVALUATOR, query, columns, 3)
    kind = "wide" if query.key else "deep"
    task = Task(WORLD.id, WORLD.digest, "isles", kind, "wide", text, query, sql(query, WORLD.schema), columns, rows)
    assert certify(task, WORLD, SimulatorClient(Simulator(WORLD))).task_id == task.task_id


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (FORMS["none"][0], "have no visit that has “Year” over 2025"),
        (FORMS["some"][0], "have at least one visit that is in the year 2026"),
        (FORMS["most"][0], "have at most one visit that is in the year 2027 or 2028"),
        (lights(bound(">=", 2), tallies=[visits()]), "have at least 2 visits that are in the year 2026"),
        (FORMS["sum"][0], "have a total “Guests” over 500 over all their visits that have “Year” under 2028"),
        (FORMS["max"][0], "have a highest “Guests” over 500 among their visits that have “Year” over 2026"),
        (FORMS["or"][0], "either have a height under 14 m or are manned"),
        (FORMS["window"][0], "closed in the last 25 years"),
    ],
)
def test_forms_in_words(query, said):
    assert verb_phrase(Wording(WORLD.schema, tallies=query.tallies), "light", query.clauses[0]) == said


def test_what_stands_on_the_way_is_said_step_by_step():
    text = question(EVALUATOR, FORMS["deep"][0], answer_columns(EVALUATOR, FORMS["deep"][0]), 0)
    first, columns, *_ = text.split("\n\n")
    assert first == (
        "I look for lighthouses. First find the keeper of the lighthouse Yarrick; call it A. What is the “Born” date "
        "of the keeper of the one with the highest “Height (m)” among the lighthouses that have A as keeper?"
    ).replace("I look for lighthouses.", first.split(".")[0] + ".").replace("have A as keeper", "are kept by A")
    assert columns.endswith("\nBorn")


@pytest.mark.parametrize(
    ("end", "months", "day"),
    [
        ("2029-06-30", 12, "2028-06-30"),
        ("2029-06-30", 6, "2028-12-30"),
        ("2028-03-31", 1, "2028-02-29"),
        ("2029-11-30", 9, "2029-02-28"),
        ("2029-01-15", 1, "2028-12-15"),
    ],
)
def test_months_before_a_day(end, months, day):
    assert months_before(end, months) == day


def refused(query):
    with pytest.raises(DrawRejected) as found:
        screen(EVALUATOR, query, EVALUATOR.in_scope(query), EVALUATOR.matching_rows(query))
    return str(found.value)


def test_each_form_is_held_against_its_own_ambiguities():
    both = call("or", [node("height < 14"), node("height < 12")])
    assert refused(lights(both)) == "a part of a clause changes nothing"
    spare = call("not", [call("and", [node("height > 14"), node("height > 12")])])
    assert refused(lights(spare)) == "a part of a clause changes nothing"
    assert refused(lights(call("or", [node("manned"), node("height > 31")]))) == "strict or not"
    late = call("not", [call("and", [node("closed > '2005-01-01'"), node("height > 14")])])
    assert refused(lights(late)) == "null under negation"
    every = visits(where="year > 2025")
    assert refused(lights(bound("=", 0), tallies=[every])) == "a condition on children changes nothing"
    assert refused(lights(bound(">=", 1), tallies=[visits(where="guests > 475")])) == "strict or not"
    fewer = visits(where="year in (2026, 2029)")
    assert refused(lights(bound(">=", 1), tallies=[fewer])) == "a value of in changes nothing"
    assert refused(lights(top=Top(("height",), 13, largest=True))) == "a top of all rows"
    assert refused(lights(top=Top(("closed",), 2, largest=True))) == "null in an order"
    alike = lights(scope=("stone", ("brick", "slate")), top=Top(("keeper", "born"), 2, largest=True))
    assert refused(alike) == "a tie at the border"
    one = lights(scope=("stone", ("brick", "slate")), top=Top(("height",), 7, True, ("stone",)))
    assert refused(one) in {"a group of too few rows", "a top of all rows"}
    good = FORMS["lowest each"][0]
    screen(EVALUATOR, good, EVALUATOR.in_scope(good), EVALUATOR.matching_rows(good))


def test_a_text_that_asks_twice_has_no_one_reading():
    query = FORMS["or"][0]
    text = question(EVALUATOR, query, answer_columns(EVALUATOR, query), 1)
    with pytest.raises(Unclear, match="0 readings"):
        query_of_question(text.replace("manned", "married"), WORLD.schema)
    named = lights(scope=("keeper", ("Ann or Bob",)), columns=("name", "height"))
    assert query_of_question(
        question(EVALUATOR, named, answer_columns(EVALUATOR, named), 1), WORLD.schema
    ).scope.values == (
        "Ann",
        "Bob",
    )


def test_children_that_do_not_pass_are_evidence_too():
    query = FORMS["some"][0]
    task = Task("w", "0", "isles", "wide", "small", "?", query, "", answer_columns(EVALUATOR, query), ())
    needed = required_disclosures(task, EVALUATOR)
    for child, light in enumerate(WORLD.tables["visit"]["light"]):
        if light in {WORLD.tables["light"]["name"][i] for i in EVALUATOR.in_scope(query)}:
            assert (Row("visit", child), "year") in needed
    visits = children_of("visit", "light")
    assert {one for one in needed if is_all_children(one)} == {
        (Row("light", i), visits) for i in EVALUATOR.in_scope(query)
    }
    pages = Pages(WORLD)
    # There is no page of a lighthouse's visits where there are none: its entry says so by linking to none.
    assert (Row("light", 1), visits) in disclosed_by_page(pages.page("light/1"), WORLD)
    assert (Row("light", 0), visits) not in disclosed_by_page(pages.page("light/0"), WORLD)
    assert (Row("light", 0), visits) in disclosed_by_page(pages.page("log/0"), WORLD)


def test_relations_are_counted_along_the_chain():
    assert KEPT_BY.hops == 1
    assert HIGHEST.hops == 1 + 1 + 1
    assert FORMS["deep"][0].hops == 4
    assert lights(columns=("name", "keeper.born")).hops == 3


def test_shapes_leave_columns_and_constants_out():
    assert lights(node("height > 20")).shape == lights(node("range > 7"), columns=("name", "lit")).shape
    assert lights(node("height > 20")).shape != lights(node("height < 20")).shape
    assert lights(node("height > 20")).shape != lights(node("keeper.born > '1970-01-01'")).shape
    assert len({query.shape for query, _ in FORMS.values()}) == len(FORMS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["town", "smartphones"])
def test_tasks_of_every_kind_are_certified_and_past_their_shortcuts(kind, name, request):
    world = request.getfixturevalue(name)
    found = mine(world, 2, kinds=[kind], size="small" if (kind, name) == ("hybrid", "town") else "wide")
    assert len(found.tasks) == 2
    for task in found.tasks:
        assert task.kind == kind
        assert query_of_question(task.question, world.schema) == task.query
        if kind == "deep":
            assert task.size == "one"
            assert 3 <= task.query.hops <= 6
            assert (len(task.gold), len(task.columns), task.keys) == (1, 1, ())
        if kind == "hybrid":
            assert task.query.scope.of is not None
            assert not any(str(v) in task.question for v in QueryEvaluator(world).scope_values(task.query.scope))


def test_every_answer_cell_of_a_deep_task_is_worth_the_whole():
    query = FORMS["deep"][0]
    columns = answer_columns(EVALUATOR, query)
    gold_rows = (("1999-01-02",),)
    right = scoring.score("| Born |\n|---|\n| 1999-01-02 |", columns, gold_rows)
    wrong = scoring.score("| Born |\n|---|\n| 1985-11-30 |", columns, gold_rows)
    assert (right.success, right.nonkey.f1, wrong.nonkey.f1) == (True, 1.0, 0.0)


def test_tables_without_a_row_are_solved_and_earn_nothing_by_chance(town):
    with attach(town) as connection:
        context = MiningContext(town, Pages(town))
        found = task_draws(context, connection, 1, variant="empty")
        tasks = [t for t in itertools.islice(found, 200) if isinstance(t, Task)][:3]
    assert len(tasks) == 3
    client = SimulatorClient(Simulator(town))
    for task in tasks:
        assert task.gold == ()
        assert len(task.query.clauses) >= 2
        assert certify(task, town, client).task_id == task.task_id
        assert run(task, town, "oracle", client).scored(task).success
        row = scoring.score(values_table(task.columns, [tuple("x" for _ in task.columns)]), task.columns, ())
        assert (row.item.f1, row.success) == (0.0, False)


def test_wordings_can_be_held_out():
    query = FORMS["or"][0]
    texts = {
        held: {question(EVALUATOR, query, answer_columns(EVALUATOR, query), n, held) for n in range(1, 60)}
        for held in ("train", "test")
    }
    for part in ("tables", "closing", "dated"):
        held_out = getattr(PLAIN, part)[-1].split("{")[0]
        assert not any(held_out in text for text in texts["train"])
        assert all(held_out in text for text in texts["test"])


def test_words_agree_with_one_row():
    assert verb_phrase(Wording(WORLD.schema), "light", FORMS["or"][0].clauses[0], ONE) == (
        "either has a height under 14 m or is manned"
    )
    assert KEEPERS[0] in question(
        EVALUATOR, lights(scope=("keeper", KEEPERS[:1])), answer_columns(EVALUATOR, lights()), 0
    )


def test_draws_of_a_kind_are_not_those_of_another(town):
    ids = {
        kind: [t.task_id for t in itertools.islice(candidates(town, Pages(town), 3, kind=kind), 3)] for kind in KINDS
    }
    assert len({i for found in ids.values() for i in found}) == 9


def test_a_table_without_a_row_is_worth_nothing_unread():
    columns = (scoring.Column("Shop", "text", key=True), scoring.Column("Floor", "int"))
    score = scoring.score(values_table(columns, ()), columns, ())
    assert scoring.reward(score, turns=4, search_calls=3, extract_calls=0).total == 0.0
    assert scoring.reward(score, turns=4, search_calls=2, extract_calls=1).total == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_drawn_queries_mean_one_thing_in_three_engines(town, smartphones, kind):
    for world in (town, smartphones):
        tasks = list(itertools.islice(candidates(world, Pages(world), 8, "small", kind), 6))
        evaluator = QueryEvaluator(world)
        for task, again in zip(tasks, gold_duckdb([(world, [t.query for t in tasks])])[0], strict=True):
            assert task.gold == again
            rows = [
                tuple(evaluator.query_values(task.query, path)[i] for path in task.query.columns)
                for i in evaluator.matching_rows(task.query)
            ]
            assert sorted(map(str, rows)) == sorted(map(str, task.gold))
            assert scoring.score(task.table(), task.columns, task.gold).success
