"""The commands about tasks: files of tasks that can't be read, and scores in the words of others."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from worldsmith import scoring
from worldsmith.cli import main
from worldsmith.disk import save_lines, save_world, tasks_file
from worldsmith.errors import FormatError, NotFoundError
from worldsmith.exports.rows import load
from worldsmith.mine import mine
from worldsmith.tasks import read_references, read_tasks, tasks_of


def call(*args, code=0):
    result = CliRunner().invoke(main, [str(a) for a in args])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def mined(town):
    return mine(town, 2, size="small").tasks


@pytest.fixture
def folder(town, mined, tmp_path):
    made = save_world(town, tmp_path)
    save_lines(tasks_file(made), [task.to_json() for task in mined])
    return made


def edited(folder, place, **fields):
    """Change fields of one line of the tasks beside a world; return the file."""
    path = tasks_file(folder)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[place] |= fields
    path.write_text("\n\n".join(json.dumps(r) for r in rows))
    return path


def test_tasks_are_read_as_they_were_written(folder, mined):
    assert tuple(read_tasks(tasks_file(folder))) == tuple(tasks_of(folder)) == mined
    tasks_file(folder).unlink()
    with pytest.raises(NotFoundError, match="make them with `worldsmith tasks"):
        tasks_of(folder)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"format": 99}, "written in format 99, this version reads 1: upgrade worldsmith"),
        ({"format": 0}, "written in format 0, this version reads 1: mine the tasks again"),
        ({"gold": []}, "not what its digest says"),
        ({"columns": "x"}, "not a task"),
        ({"columns": [{"name": "x", "kind": "colour"}]}, "not a task"),
        ({"query": {"table": 1}}, "a query has table"),
        ({"query": 7}, "a query has table"),
    ],
)
def test_every_reader_says_path_line_and_reason(folder, fields, why):
    path = edited(folder, 1, **fields)
    for read in (lambda: read_tasks(path), lambda: tasks_of(folder), lambda: load([folder])):
        with pytest.raises(FormatError, match="line 3: ") as said:
            read()
        assert str(path) in str(said.value)
        assert why in str(said.value)
    for command in (["run", folder, "--agent", "oracle"], ["tasks", folder, "--verify"]):
        assert why in call(*command, code=2).output


def test_a_task_twice_is_said(folder, mined):
    path = tasks_file(folder)
    save_lines(path, [mined[0].to_json(), mined[1].to_json(), mined[0].to_json()])
    with pytest.raises(FormatError, match=f"line 3: task {mined[0].task_id} is on line 1 already"):
        read_tasks(path)


@pytest.mark.parametrize("line", ["[]", "7", "{}", '{"task_id": "x", "columns": []}'])
def test_lines_that_are_no_tasks(tmp_path, line):
    path = tmp_path / "t.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(FormatError, match=r"t\.jsonl, line 1: not a task"):
        read_tasks(path)
    with pytest.raises(FormatError, match=r"t\.jsonl, line 1: no .*gold"):
        read_references(path)


def bare(tmp_path, mined, **changed):
    """Write tasks as no more than what scoring needs, and the perfect answers to them; return both paths."""
    rows = [{"task_id": t.task_id, "columns": t.to_json()["columns"], "gold": t.gold} | changed for t in mined]
    save_lines(tmp_path / "bare.jsonl", rows)
    save_lines(tmp_path / "answers.jsonl", [{"task_id": t.task_id, "answer": t.table()} for t in mined])
    return tmp_path / "bare.jsonl", tmp_path / "answers.jsonl"


def test_scoring_needs_no_more_than_id_columns_and_gold(tmp_path, mined):
    paths = bare(tmp_path, mined, note="ours")
    rows = [json.loads(line) for line in call("score", *paths, "--json").stdout.splitlines()]
    assert [(r["task_id"], r["item"]["f1"]) for r in rows] == [(t.task_id, 1.0) for t in mined]
    assert all("widesearch" not in r for r in rows)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"format": 99}, "line 1: written in format 99"),
        ({"gold": [["x"]]}, "line 1: columns and gold can't be scored by: Gold row 0 has 1 values"),
        ({"gold": 7}, "line 1: columns and gold can't be scored by"),
        ({"columns": [{"name": "a"}]}, "line 1: columns and gold can't be scored by: A column in JSON has no name"),
    ],
)
def test_references_that_can_not_score(tmp_path, mined, changed, why):
    assert why in call("score", *bare(tmp_path, mined, **changed), code=2).output


def test_the_benchmarks_own_figures_stand_beside_ours(tmp_path, mined):
    task = mined[0]
    # Ours takes the last table, the benchmark the first: the one place where an honest answer differs by design.
    short = replace(task, gold=task.gold[:-1]).table()
    tasks, answers = bare(tmp_path, [task])
    save_lines(answers, [{"task_id": task.task_id, "answer": f"{short}\n\nCorrected:\n\n{task.table()}"}])
    (row,) = [
        json.loads(line)
        for line in call("score", tasks, answers, "--compat", "widesearch", "--json").stdout.split("\n")[:-1]
    ]
    direct = scoring.score_widesearch(short, *scoring.widesearch_task(task.columns, task.gold))
    assert row["item"]["f1"] == 1.0
    assert row["widesearch"]["item"] == direct.item.to_json()
    assert row["widesearch"]["row"]["recall"] == pytest.approx(1 - 1 / len(task.gold))
    assert row["widesearch"]["success"] is False
    said = call("score", tasks, answers, "--compat", "widesearch").stdout
    assert f"item F1 1.000, row F1 1.000, non-key F1 1.000, success; widesearch: item F1 {direct.item.f1:.3f}" in said
    assert "widesearch" in call("score", tasks, answers, "--compat", "other", code=2).output
    assert "first table in the text" in " ".join(call("score", "--help").output.split())
