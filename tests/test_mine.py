from dataclasses import replace

import pytest

from tests.pages_world import isles
from worldsmith import scoring
from worldsmith.agents import SimulatorClient
from worldsmith.audit.tasks import gates as tasks_gates
from worldsmith.audit.tasks.gates import constant_guess, failed_gate, gates, measure_shortcuts, with_measures
from worldsmith.errors import BackendError, UsageError
from worldsmith.generation import generate
from worldsmith.mining import candidates
from worldsmith.mining.candidates import KINDS
from worldsmith.mining.certificates import Certificate, verify
from worldsmith.mining.pipeline import CALLS, DRAWS, STREAK, mine
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Query, QueryEvaluator, Scope, Task
from worldsmith.tasks.shortcuts import CAP, GATES, largest_page_share, page_carries_too_much


@pytest.fixture(scope="module")
def mined(town):
    return mine(town, 6)


@pytest.fixture(scope="module")
def small(smartphones):
    return mine(smartphones, 6, size="small")


def test_as_many_as_asked_for_each_with_its_proof(mined, small, town, smartphones):
    for world, found in ((town, mined), (smartphones, small)):
        assert len(found.tasks) == 6
        assert len({t.task_id for t in found.tasks}) == 6
        assert found.tried == 6 + sum(found.rejected.values())
        simulator = Simulator(world)
        for task in found.tasks:
            assert verify(Certificate.from_json(task.certificate), task, world, simulator) is None
            assert 0 < task.tool_tokens <= 32_000
            assert task.tool_tokens < task.typical_tokens
            assert task.turns > 1
            assert Task.from_json(task.to_json()) == task


def test_the_gates_hold(mined, small):
    found = gates([*mined.tasks, *small.tasks])
    groups = {(t.kind, t.size) for t in (*mined.tasks, *small.tasks)}
    assert {kind for kind, _ in groups} == set(KINDS)
    assert {(g.kind, g.size, g.name) for g in found} == {(*group, name) for group in groups for name in GATES}
    assert all(g.passed for g in found)
    for task in (t for t in (*mined.tasks, *small.tasks) if t.kind != "deep"):
        share, allowed = largest_page_share(task.pages, task.others)
        assert share <= allowed


def test_mining_is_the_same_again(town):
    once = mine(town, 3, size="small")
    assert len(once.tasks) == 3
    assert mine(town, 3, size="small", seed=town.seed) == once
    assert mine(town, 3, size="small", seed=town.seed + 1).tasks != once.tasks


def test_limits_are_kept(town):
    found = mine(town, 3, max_tokens=14_000, max_turns=36)
    assert found.tasks
    assert all(t.tool_tokens <= 14_000 and t.turns <= 36 for t in found.tasks)
    none = mine(town, 1, kinds=["deep"], max_tokens=10)
    assert (none.tasks, none.tried) == ((), 120)
    assert none.rejected["too many tokens"] > 10


@pytest.mark.slow
def test_no_two_tasks_of_a_world_have_one_answer(smartphones):
    found = mine(smartphones, 45)
    assert found.rejected["the same answer as another task's"] > 10
    evaluator, answers = QueryEvaluator(smartphones), []
    for task in found.tasks:
        query = task.query
        names = [[evaluator.query_values(query, path)[i] for path in query.key] for i in evaluator.matching_rows(query)]
        answers.append((query.table, str(sorted(names))) if query.key else (query.columns[0][-1], task.gold))
    assert len(answers) == 45
    tables = [a for a, t in zip(answers, found.tasks, strict=True) if t.query.key]
    assert len(set(tables)) == len(tables) > 20
    assert len({task.query.near_duplicate_key for task in found.tasks}) == 45
    cells = {
        evaluator.cell(t.query.table, evaluator.matching_rows(t.query)[0], t.query.columns[0])
        for t in found.tasks
        if not t.query.key
    }
    assert len(cells) == 45 - len(tables)


def test_one_cell_is_worth_no_survey(town, monkeypatch):
    found = mine(town, 6, kinds=["deep"])
    assert len(found.tasks) == 6
    assert max(len(t.certificate["calls"]) for t in found.tasks) <= CALLS
    monkeypatch.setattr("worldsmith.mining.pipeline.CALLS", 6)
    fewer = mine(town, 4, kinds=["deep"])
    assert fewer.rejected["too many calls for one cell"] > 0
    assert 0 < max(len(t.certificate["calls"]) for t in fewer.tasks) <= 6


def test_unknown_sizes(town):
    with pytest.raises(UsageError, match="Did you mean 'small'"):
        mine(town, 1, size="smal")


def test_gold_that_engines_dispute_is_rejected(town, monkeypatch):
    monkeypatch.setattr(
        "worldsmith.mining.pipeline.gold_duckdb", lambda batch: [[() for _ in queries] for _, queries in batch]
    )
    found = mine(town, 2, size="small")
    assert found.tasks == ()
    assert found.rejected["two engines give different gold"] == 2


def by_hand(heights, pages):
    columns = (scoring.Column("Lighthouse", "text", key=True), scoring.Column("Height (m)", "int", unit="m"))
    gold = tuple((f"Light {chr(65 + i)}", h) for i, h in enumerate(heights))
    query = Query("light", Scope("stone", ("slate",)), None, (("name",), ("height",)), (("name",),))
    carried = tuple((("x",), page) for page in pages)
    return Task("isles-5", "0", "isles", "wide", "small", "?", query, "", columns, gold, carried)


def test_constant_guess_is_the_share_of_the_most_common_value():
    assert constant_guess(by_hand([7, 7, 7, 9], [()] * 4), QueryEvaluator(isles())) == 0.75
    assert constant_guess(by_hand([5, 7, 8, 9], [()] * 4), QueryEvaluator(isles())) == 0.25


def test_one_page_is_counted_cell_by_cell():
    task = by_hand([1, 2, 3, 4, 5, 6, 7, 8], [("a", "b"), ("a",), ("a",), ("c",), ("d",), ("e",), ("f",), ("g",)])
    assert largest_page_share(task.pages, task.others) == (3 / 8, 0.25)
    assert failed_gate(task, {}) == "one page carries too much"
    assert largest_page_share(by_hand([1, 2], [("a",), ("b",)]).pages, (1,)) == (0.5, 0.5)


def test_a_task_over_the_cap_fails_by_itself():
    task = by_hand([1, 2, 3, 4, 5, 6, 7, 8], [(c,) for c in "abcdefgh"])
    assert failed_gate(task, {"closed-book": 0.0, "constant-guess": CAP}) is None
    assert failed_gate(task, {"constant-guess": CAP + 0.01}) == f"constant-guess over {CAP}"


def test_gates_fail_on_the_mean_and_on_one_task():
    tasks = [replace(by_hand([1, 2], [(), ()]), audit={"one-query": share}) for share in (0.05, 0.2)]
    (gate,) = gates(tasks)
    assert (gate.name, gate.mean, gate.most, gate.passed) == ("one-query", 0.125, 0.2, False)
    (gate,) = gates([*tasks[:1] * 20, replace(tasks[0], audit={"one-query": 0.4})])
    assert gate.mean < 0.1
    assert not gate.passed
    assert gate.to_json()["passed"] is False


def test_measured_figures(mined, town):
    task = mined.tasks[0]
    figures = measure_shortcuts(task, QueryEvaluator(town), SimulatorClient(Simulator(town)))
    assert {name: round(f, 4) for name, f in figures.items()} == task.audit
    assert set(figures) == {*GATES, "one-page"}
    assert with_measures([replace(task, audit={})], town, SimulatorClient(Simulator(town))) == [task]


def test_small_worlds_give_tasks_too_and_say_why_not_more():
    found = mine(isles(), 6, size="small", kinds=["wide"])
    assert (len(found.tasks), found.tried) == (5, 720)
    assert sum(found.rejected.values()) == 715
    assert {reason for reason, n in found.rejected.items() if n > 60} == {
        "no clause on those columns",
        "one page carries too much",
        "too few rows",
    }


def test_one_page_is_counted_alike_when_drawing_and_when_auditing():
    assert page_carries_too_much(by_hand([1, 2, 3, 4, 5], [("a",), ("a",), *[(c,) for c in "bcd"]]).pages, (1,))
    assert not page_carries_too_much(by_hand([1, 2, 3, 4], [("a",), *[(c,) for c in "bcd"]]).pages, (1,))
    assert candidates.page_carries_too_much is tasks_gates.page_carries_too_much is page_carries_too_much
    assert candidates.CAP == tasks_gates.CAP == CAP


def test_a_call_that_is_never_answered_costs_one_task(town, monkeypatch):
    def silent(task, world, client, names=()):
        raise BackendError("web_search 'x': unavailable in 8 attempts")

    monkeypatch.setattr("worldsmith.mining.pipeline.measure_shortcuts", silent)
    found = mine(town, 1, size="small", kinds=["deep"])
    assert found.tasks == ()
    assert found.rejected["a call of an agent that is never answered"] > 0


def test_a_kind_that_gives_nothing_is_given_up_before_its_draws_are_used_up(mini):
    """No chain of this small world leads to a list: 2,400 draws would be allowed for 20 tasks."""
    found = mine(generate(mini, 3), 20, kinds=("hybrid",))
    assert (found.tasks, found.tried) == ((), STREAK)
    assert STREAK < 20 * DRAWS
