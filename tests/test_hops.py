"""Which paths are worth asking along."""

from dataclasses import replace

import pytest

from tests.pages_world import KEEPERS, isles
from tests.task_draws import candidates, condition
from worldsmith.generation import generate
from worldsmith.mining.candidates import screened_task
from worldsmith.mining.chains import computed_from_other
from worldsmith.mining.sampling import MiningContext, ambiguous_null, informative_paths
from worldsmith.mining.screening import DrawRejected
from worldsmith.pages import Pages
from worldsmith.schema import load_schema
from worldsmith.tasks import Query, QueryEvaluator, Scope
from worldsmith.tasks.query import constants

WORLD = isles()


def changed(table, **columns):
    return QueryEvaluator(replace(WORLD, tables={**WORLD.tables, table: {**WORLD.tables[table], **columns}}))


def test_a_path_that_ends_where_a_shorter_one_does_is_idle():
    paths = [("keeper",), ("stone",), ("keeper", "born"), ("keeper", "mentor")]
    assert informative_paths(QueryEvaluator(WORLD), "light", paths) == tuple(paths)
    pupils = changed("keeper", mentor=list(KEEPERS))  # each trained by himself
    assert informative_paths(pupils, "light", paths) == tuple(paths[:3])
    alike = changed("light", stone=[("granite", "slate")[i % 2] for i in range(24)])
    assert informative_paths(alike, "light", paths) == tuple(paths)


def test_a_path_through_a_row_itself_ends_at_its_key():
    assert informative_paths(QueryEvaluator(WORLD), "visit", [("light", "visits")], [("light",)]) == (
        ("light", "visits"),
    )
    itself = changed("light", stone=list(WORLD.tables["light"]["name"]))
    assert informative_paths(itself, "visit", [("light", "stone")], [("light",)]) == ()


def test_nulls_on_the_way_do_not_save_an_idle_path():
    some = [None if i % 3 == 0 else name for i, name in enumerate(WORLD.tables["light"]["keeper"])]
    pupils = QueryEvaluator(
        replace(
            WORLD,
            tables={
                "visit": WORLD.tables["visit"],
                "light": {**WORLD.tables["light"], "keeper": some},
                "keeper": {**WORLD.tables["keeper"], "mentor": list(KEEPERS)},
            },
        )
    )
    assert informative_paths(pupils, "light", [("keeper",), ("keeper", "mentor")]) == (("keeper",),)


def test_null_with_two_reasons_is_not_asked_for():
    some = [None, *WORLD.tables["light"]["keeper"][1:]]
    orphan = [None, *WORLD.tables["keeper"]["mentor"][1:]]
    both = replace(
        WORLD,
        tables={
            **WORLD.tables,
            "light": {**WORLD.tables["light"], "keeper": some},
            "keeper": {**WORLD.tables["keeper"], "mentor": orphan},
        },
    )
    path = ("keeper", "mentor")
    assert ambiguous_null(QueryEvaluator(both), "light", path)
    assert informative_paths(QueryEvaluator(both), "light", [path]) == ()
    assert not ambiguous_null(changed("light", keeper=some), "light", path)
    assert not ambiguous_null(changed("keeper", mentor=orphan), "light", path)
    assert not ambiguous_null(QueryEvaluator(WORLD), "light", path)


@pytest.fixture(scope="module")
def company():
    worlds = (generate(load_schema("company"), seed) for seed in range(20))
    return next(w for w in worlds if {"sponsors", "purchases"} <= set(w.schema.switches))


def test_what_fills_imply_is_no_hop(company):
    context = MiningContext(company, Pages(company))
    paths = context.paths("project")
    assert ("owner",) in paths
    assert ("lead", "grade") in paths
    assert ("sponsor", "unit") in paths
    # A project is led from the department that owns it.
    assert ("lead", "unit") not in paths
    assert ("lead", "unit", "site") not in paths
    assert ("project", "lead", "unit") not in context.paths("order")
    # Nobody above: unsponsored, or sponsored by one who reports to the board.
    evaluator = context.evaluator
    assert (("sponsor", "boss") in paths) is not ambiguous_null(evaluator, "project", ("sponsor", "boss"))


@pytest.mark.parametrize("kind", ["deep", "hybrid"])
def test_no_chain_goes_in_a_circle_or_past_its_own_scope(company, kind):
    evaluator, seen = QueryEvaluator(company), 0
    for task, _ in zip(candidates(company, Pages(company), 5, kind=kind), range(25), strict=False):
        been = set()
        for query in task.query.chain():
            told = evaluator.scope_values(query.scope)
            assert not been & set(told)
            been |= set(told)
            if query.where is not None or query.top:
                seen += 1
                assert evaluator.rows_without_scope(query) != evaluator.matching_rows(query)
    assert seen > 15


@pytest.mark.parametrize("name", ["league", "films", "smartphones"])
def test_no_row_is_picked_twice_and_no_find_is_told(name):
    world = generate(load_schema(name), 11)
    evaluator, finds = QueryEvaluator(world), 0
    for kind in ("deep", "hybrid"):
        for task, _ in zip(candidates(world, Pages(world), 5, kind=kind), range(25), strict=False):
            been = set()
            *links, last = task.query.chain()
            for query in (*links, *(() if last.key else (last,))):
                finds += 1
                (row,), path = evaluator.matching_rows(query), query.columns[0]
                assert (query.table, row) not in been
                steps = [evaluator.cell(query.table, row, path[: n + 1]) for n in range(len(path))]
                been |= {(at.table, at.index) for at, _ in steps}
                way = [evaluator.values(query.table, path[: n + 1])[row] for n in range(len(path))]
                assert not constants(query) & set(way)
                told = [evaluator.values(query.table, path)[i] for i in evaluator.in_scope(query)]
                assert len(told) == 1 or told.count(evaluator.single_value(query)) <= 0.5 * len(told)
                if query.top and len(query.top.path) > 1 and len(path) > 1:
                    assert query.top.path[0] != path[0]
    assert finds > 50


def test_a_letter_that_is_a_value_is_no_name_of_a_find():
    link = Query("light", Scope("name", ("Yarrick",)), None, (("keeper",),), ())
    one = condition("stone <> 'B'", "light", WORLD.schema)
    query = Query("light", Scope("keeper", (), link), one, (("name",), ("height",)), (("name",),))
    with pytest.raises(DrawRejected, match="reads like a find"):
        screened_task(MiningContext(WORLD, Pages(WORLD)), query, "small", 0, ())


def test_an_age_is_not_asked_of_the_one_born_first():
    league = generate(load_schema("league"), 11)
    context = MiningContext(league, Pages(league))
    assert computed_from_other(context, "player", ("age",), ("born",))
    assert computed_from_other(context, "player", ("born",), ("age",))
    assert not computed_from_other(context, "player", ("age",), ("joined",))
    assert not computed_from_other(context, "report", ("points",), ("crowd",))
    assert computed_from_other(context, "report", ("scored",), ("points",))
    assert not computed_from_other(context, "transfer", ("player", "age"), ("player", "wage"))
    for task, _ in zip(candidates(league, Pages(league), 6, kind="deep"), range(40), strict=False):
        query = task.query
        assert not any(computed_from_other(context, query.table, query.columns[0], path) for path in query.ranked)
