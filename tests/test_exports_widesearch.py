"""The export in WideSearch's format: its fields, its gold, and its rules, which give gold 1."""

import csv
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.frameworks.environments import framework_python, run_python
from worldsmith import scoring
from worldsmith.errors import UsageError
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import CANARY, export, widesearch
from worldsmith.train.exports.lazy import TaskOutline
from worldsmith.train.exports.rows import Serving
from worldsmith.world.files import read_jsonl

WORLDS = Path(__file__).resolve().parent.parent / "worlds"
NAMES = ("town-e037c676f4", "smartphones-2ffb366f0c")
CHECKOUT = "WORLDSMITH_WIDESEARCH"
"""Names a checkout of the benchmark's repository."""


@pytest.fixture(scope="module")
def worlds():
    return SeparateWorlds([WORLDS / name for name in NAMES])


@pytest.fixture(scope="module")
def exported(worlds, tmp_path_factory):
    out = tmp_path_factory.mktemp("widesearch") / "out"
    counts = export(worlds, "widesearch", out)
    assert counts == {"train": 0, "test": 10, "worlds": 2, "test_worlds": 2}
    return out


@pytest.fixture(scope="module")
def tasks(worlds):
    return {task.task_id: task for _, some in worlds.tasks() for task in some}


def test_rows_have_the_fields_of_the_benchmark_and_no_others(exported, tasks):
    published, local = ([*read_jsonl(exported / name)] for name in ("widesearch.jsonl", "widesearch_local.jsonl"))
    assert {row["instance_id"]: row["query"] for row in published} == {i: t.question for i, t in tasks.items()}
    for row, other in zip(published, local, strict=True):
        assert [*row] == ["instance_id", "query", "evaluation", "language"]
        evaluation = json.loads(row["evaluation"])
        assert other == {**row, "evaluation": evaluation}
        assert [*evaluation] == ["unique_columns", "required", "eval_pipeline", "canary"]
        assert evaluation["canary"] == CANARY
        assert [*evaluation["eval_pipeline"]] == evaluation["required"]
        task = tasks[row["instance_id"]]
        keys = [column.name for column in task.columns if column.key] or [column.name for column in task.columns]
        assert evaluation["unique_columns"] == [key.lower().replace(" ", "") for key in keys]


def test_gold_stands_in_its_csv_alone(exported, tasks):
    for task_id, task in tasks.items():
        file = exported / "widesearch_gold" / f"{task_id}.csv"
        assert file.read_bytes().startswith(b"\xef\xbb\xbf")
        with file.open(encoding="utf-8-sig", newline="") as lines:
            header, *rows = csv.reader(lines)
        assert header == [column.name for column in task.columns]
        shown = [[scoring.show(v, c) for v, c in zip(row, task.columns, strict=True)] for row in task.gold]
        assert rows == shown
        cells = {cell for row in rows for cell in row if len(cell) > 7 and cell not in task.question}
        for other in ("widesearch.jsonl", "places.jsonl"):
            (row,) = (row for row in read_jsonl(exported / other) if row["instance_id"] == task_id)
            assert not [cell for cell in cells if cell in json.dumps(row, ensure_ascii=False)]


def test_places_say_where_agents_search(exported, tasks):
    for row in read_jsonl(exported / "places.jsonl"):
        assert row["base_url"] == f"http://127.0.0.1:8000/w/{tasks[row['instance_id']].world}"
        assert row["canary"] == CANARY


class Held(dict):
    """Splits whose tasks are at hand."""

    sentence = "All tasks are for testing."

    @property
    def outlines(self):
        return [TaskOutline.of(None, task) for tasks in self.values() for task in tasks]


def test_tasks_that_the_evaluator_cannot_score_are_left_out_by_name(exported, tasks, tmp_path):
    fit, *others = tasks.values()
    unfit = replace(others[0], gold=())
    out = tmp_path / "out"
    out.mkdir()
    widesearch.write(Held(train=[], test=[fit, unfit]), out, Serving("http://a"), None)
    assert [row["instance_id"] for row in read_jsonl(out / "widesearch.jsonl")] == [fit.task_id]
    (row,) = read_jsonl(out / "left_out.jsonl")
    assert (row["instance_id"], row["reason"]) == (
        unfit.task_id, "its gold has no row, and the evaluator fails on an empty table",
    )  # fmt: skip
    assert "1 tasks, all for testing; 1 more don't fit" in (out / "README.md").read_text("utf-8")
    (tmp_path / "other").mkdir()
    with pytest.raises(UsageError, match="can hold none of 1 tasks: its gold has no row"):
        widesearch.write(Held(train=[], test=[unfit]), tmp_path / "other", Serving("http://a"), None)


def test_the_selfcheck_passes_alone_and_fails_on_other_gold(exported, tmp_path):
    code = "import sys, runpy; sys.path.insert(0, '.'); runpy.run_path('selfcheck.py', run_name='__main__')"
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, cwd=exported, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "10 instances, 0 faults\n")
    done = subprocess.run(
        [sys.executable, "-S", "selfcheck.py", "--evaluator", tmp_path], cwd=exported, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.startswith("this check needs the package pandas: pip install 'pandas<3' loguru")


@pytest.mark.frameworks
def test_the_benchmarks_own_evaluator_gives_gold_one(exported):
    python = framework_python("widesearch")
    if not (checkout := os.environ.get(CHECKOUT)):
        pytest.skip(f"{CHECKOUT} names no checkout of ByteDance-Seed/WideSearch")
    printed = run_python(python, "selfcheck.py", "--evaluator", checkout, cwd=exported)
    assert printed.endswith("10 instances, 0 faults\n")
