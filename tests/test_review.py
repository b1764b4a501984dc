"""Auditing tasks as they are written: coverage, gates, figures, and the commands that mine, verify and audit."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.test_mine import by_hand
from worldsmith.audit.tasks.page_coverage import (
    co_coverage,
    cover_size,
    coverage_curve,
    greedy_totals,
    least_pages,
    pages_by_cell,
)
from worldsmith.cli.task_audit import histogram, page
from worldsmith.errors import FormatError
from worldsmith.mining.task_report import report_tasks
from worldsmith.pages import Pages
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import QueryEvaluator, curriculum, difficulty, read_tasks
from worldsmith.tasks.difficulty import steps_per_cell
from worldsmith.tasks.query import Scope
from worldsmith.world.files import save_jsonl, tasks_file


def test_pages_are_chosen_by_what_they_tell_anew():
    cells = [frozenset(pages) for pages in ("ab", "a", "a", "bc", "c", "")]
    assert greedy_totals(cells) == [3, 5]
    assert greedy_totals([]) == []


def test_a_page_whose_cells_others_tell_is_not_needed():
    cells = {frozenset(pages) for pages in ("pq", "pqx", "pr", "prx", "q", "r", "")}
    assert greedy_totals(sorted(cells, key=sorted)) == [4, 5, 6]  # p, the richest, comes first
    assert cover_size(cells) == 2
    assert cover_size(set()) == 0


def test_curve_and_co_coverage_by_hand():
    task = by_hand([1, 2, 3, 4], [("a", "b"), ("a",), ("c",), ("d",)])
    assert pages_by_cell(task) == [frozenset("ab"), frozenset("a"), frozenset("c"), frozenset("d")]
    assert coverage_curve(task) == {1: 0.5, 2: 0.75, 4: 1.0, 8: 1.0, 16: 1.0, 32: 1.0}
    assert co_coverage(task) == pytest.approx(1 / 6)
    assert co_coverage(by_hand([1], [("a",)])) == 0.0


def test_least_pages_tell_all_the_evidence(town, mined):
    evaluator, pages = QueryEvaluator(town), Pages(town)
    for task in mined:
        needed = least_pages(task, evaluator, pages)
        read = sum(c["tool"] == "web_extractor" for c in task.certificate["calls"])
        assert 0 < needed <= read


COUNTS = st.integers(1, 80)


@pytest.mark.parametrize(
    ("turns", "rows", "chain", "expected"),
    [
        (8, 4, 1, 3.58),  # 8 / 4 + 8 / 4 + 2 * 2 + 4 = 12 steps
        (8, 0, 1, 4.17),  # 8 + 8 / 4 + 2 * 2 + 4 = 18
        (32, 16, 1, 4.17),  # 32 / 16 + 32 / 4 + 2 * 2 + 4 = 18
        (8, 4, 3, 4.7),  # 8 / 4 + 8 / 4 + 2 * 5 + 4 * 3 = 26
    ],
)
def test_difficulty_is_the_log_of_the_steps_that_a_cell_depends_on(turns, rows, chain, expected):
    task = by_hand(range(rows), [()] * rows)
    query = task.query
    for _ in range(chain - 1):
        query = replace(query, scope=Scope("stone", (), replace(query, columns=(("stone",),), key=())))
    assert difficulty(replace(task, query=query, certificate={"turns": turns})) == expected


def test_a_task_without_a_certificate_has_no_difficulty(mined):
    assert difficulty(replace(mined[0], certificate={})) == 0.0


def test_difficulty_is_the_same_whatever_the_gold_values(mined):
    for task in mined:
        other = replace(task, gold=tuple(tuple(None for _ in row) for row in task.gold))
        assert difficulty(other) == difficulty(task) > 0


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_difficulty_rises_with_turns_relations_and_queries_and_falls_with_rows(turns, rows, hops, queries):
    steps = steps_per_cell(turns, rows, hops, queries)
    assert steps_per_cell(turns + 1, rows, hops, queries) > steps
    assert steps_per_cell(turns, rows + 1, hops, queries) < steps
    assert steps_per_cell(turns, rows, hops + 1, queries) > steps
    assert steps_per_cell(turns, rows, hops, queries + 1) > steps


def test_policies_without_errors_get_all_and_those_that_forget_every_page_nothing(town, mined, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "examples")
    from measure_difficulty import PlayedTask, Skill

    simulator, random = Simulator(town), Random(0)
    for task in mined:
        played = PlayedTask(task, simulator)
        assert played.item_f1(Skill(), random) == 1.0
        assert played.item_f1(Skill(forgets_page=1.0), random) == 0.0
        assert played.item_f1(Skill(gives_up_search=1.0), random) == 0.0
        assert played.item_f1(Skill(misreads_cell=1.0), random) < 0.8


def test_a_curriculum_rises_and_splits_by_world_and_schema(mined):
    other = [replace(task, world=f"town-{i}", schema="isles" if i % 2 else "town") for i in range(20) for task in mined]
    rows = curriculum(other, ["isles"])
    assert [r["difficulty"] for r in rows] == sorted(r["difficulty"] for r in rows)
    assert {r["split"] for r in rows if r["schema"] == "isles"} == {"held_out"}
    splits = {r["world"]: r["split"] for r in rows if r["schema"] == "town"}
    assert sorted(splits.values()).count("test") == 1
    assert len(splits) == 10
    assert {r["split"] for r in curriculum(mined)} == {"train"}


def test_a_review_measures_anew(town, mined):
    lied = [replace(task, audit={"one-query": 0.9}) for task in mined]
    found = report_tasks([(town, Simulator(town), lied)])
    assert found.ok
    assert found.tasks == list(mined)
    told_json = found.to_json()
    assert (told_json["worlds"], told_json["tasks"], told_json["near_duplicates"]) == (1, 4, 0)
    assert {(g["kind"], g["size"]) for g in told_json["groups"]} == {(t.kind, t.size) for t in mined}
    small = next(g for g in told_json["groups"] if g["kind"] == "wide")
    assert small["rows"]["least"] >= 3
    assert small["k_pages"]["32"] == 1.0
    assert small["fits"]["32000"] == 1.0


def test_what_is_wrong_with_tasks_is_found(town, mined):
    task = next(t for t in mined if t.kind == "wide")
    wrong = replace(task, gold=(*task.gold[1:], ("x",) * len(task.columns)))
    assert "another engine gives other gold" in report_tasks([(town, Simulator(town), [wrong])]).findings[0]
    one = replace(task, pages=tuple(tuple(("shop/1",) for _ in row) for row in task.pages))
    assert "one page carries too much" in report_tasks([(town, Simulator(town), [one])]).findings[0]
    empty = [replace(task, gold=(), pages=(), question=f"{task.question}{i}") for i in range(3)]
    assert any("have no row: more than 2%" in line for line in report_tasks([(town, Simulator(town), empty)]).findings)
    with pytest.raises(FormatError, match="another state"):
        report_tasks([(town, Simulator(town), [replace(task, world_digest="0")])])


def test_audit_tasks_exits_by_the_gates(folder, mined, tmp_path, call):
    told_json = json.loads(call("audit", "tasks", folder, "--json").stdout)
    assert told_json["ok"] is True
    said = call("audit", "tasks", folder, "--html", tmp_path / "t.html").stdout
    assert "0 findings" in said
    assert (tmp_path / "t.html").read_text().count("<svg") >= 6
    task = next(t for t in mined if t.kind == "wide")
    flat = replace(task, gold=tuple((*row[: len(task.keys)], *task.gold[0][len(task.keys) :]) for row in task.gold))
    save_jsonl(tasks_file(folder), [flat.to_json()])
    assert "FAILS" in call("audit", "tasks", folder, code=1).stdout


def test_plots_hold_every_value():
    svg = histogram("rows", [10, 10, 60], 25)
    assert svg.count("<rect") > 1
    assert "rows: 10 to 60 (WideSearch 25)" in svg
    assert histogram("rows", []) == ""


def test_a_page_needs_no_other_file(town, mined):
    html = page(report_tasks([(town, Simulator(town), mined)]))
    assert "http" not in html
    assert html.startswith("<!doctype html>")


def test_tasks_are_mined_by_kind_and_listed_by_difficulty(folder, tmp_path, call):
    file = tmp_path / "c.jsonl"
    call("tasks", folder, "--count", "3", "--kinds", "deep", "--curriculum", file, "--hold-out", "town")
    tasks = read_tasks(tasks_file(folder))
    assert [t.kind for t in tasks] == ["deep"] * 3
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert {r["task_id"] for r in rows} == {t.task_id for t in tasks}
    assert {r["split"] for r in rows} == {"held_out"}
    assert "Did you mean 'deep'" in call("tasks", folder, "--kinds", "wide,dep", code=2).output
    for options, why in (
        (["--curriculum", file, "--hold-out", "twon"], "no task here is of a schema 'twon'. Did you mean 'town'?"),
        (["--hold-out", "town"], "name its file with --curriculum"),
    ):
        assert why in call("tasks", folder, "--verify", *options, code=2).output


def test_failing_tasks_are_counted_where_they_are_kept(folder, call):
    line = call(
        "tasks", folder, "--count", "6", "--size", "small", "--kinds", "wide", "--keep-failing", "--json"
    ).stdout
    row = json.loads(line)
    assert row["tasks"] == 6
    assert row["failing"] > 0
    assert row["tried"] == row["tasks"] + sum(row["rejected"].values())
    call("audit", "tasks", folder, code=1)


def test_certificates_are_verified_under_profiles(folder, call):
    said = call("tasks", folder, "--verify", "--profile", "flaky", "--profile", "scarce").stdout
    assert "all certificates hold" in said
    assert "Did you mean 'flaky'" in call("tasks", folder, "--verify", "--profile", "flaki", code=2).output


def test_kinds_of_generated_tasks(tmp_path, call):
    call("generate", "town", "--tasks", "2", "--task-kinds", "deep", "--out", tmp_path)
    (path,) = (tmp_path / "_tasks").glob("*.jsonl")
    assert [t.kind for t in read_tasks(path)] == ["deep", "deep"]
    assert (
        "kinds are wide, deep, hybrid"
        in call("generate", "town", "--task-kinds", "broad", "--out", tmp_path, code=2).output
    )
