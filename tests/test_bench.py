"""What `worldsmith bench` prints: figures with units and floors. No test asserts a time."""

import gc
import json
import math

import pytest

from worldsmith import bench
from worldsmith.cli.base import COLLECTION
from worldsmith.errors import NotFoundError
from worldsmith.mining.workers import worker_pool

QUICK = [name for name in bench.MEASURES if name not in {"command", "http"}]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(bench, "TASKS", 2)
    monkeypatch.setattr(bench, "ROUNDS", 1)


@pytest.fixture(scope="module")
def workload(tmp_path_factory):
    return bench.Workload(tmp_path_factory.mktemp("bench"), 1)


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in ("command", "http"))])
def test_each_figure_is_positive_and_has_a_unit_and_a_floor(name, workload):
    figures = bench.MEASURES[name](workload)
    assert figures
    assert len({figure.name for figure in figures}) == len(figures)
    for figure in figures:
        assert 0 < figure.value < math.inf
        assert 0 < figure.floor < math.inf
        assert figure.ratio == figure.value / figure.floor
        assert figure.unit in {"MB", "CPU-ms"} or figure.unit.endswith("/CPU-s")
        assert figure.floor_of


def test_the_command_prints_a_table_or_a_line_of_json_for_each_figure(call):
    (line,) = call("bench", "--only", "install", "--json").stdout.splitlines()
    figure = json.loads(line)
    assert figure.keys() == {"name", "value", "unit", "floor", "floor_of", "ratio"}
    assert (figure["name"], figure["unit"]) == ("install", "MB")
    assert figure["value"] > figure["floor"]
    header, _, row = call("bench", "--only", "install").stdout.splitlines()
    assert header.split()[:2] == ["measure", "figure"]
    assert f"{figure['value']:,.1f}" in row


def test_an_unknown_measure_is_refused_before_anything_is_measured(tmp_path):
    with pytest.raises(NotFoundError, match=r"no measure is called 'task'. Did you mean 'tasks'?"):
        next(bench.measured(tmp_path, ["install", "task"]))


def test_commands_and_their_workers_collect_garbage_rarely(call):
    before = gc.get_threshold()
    try:
        call("bench", "--only", "install", "--json")
        assert gc.get_threshold() == COLLECTION
        with worker_pool(eval, 2, "try again", ahead=0) as mapped:
            assert list(mapped(["__import__('gc').get_threshold()"])) == [COLLECTION]
    finally:
        gc.set_threshold(*before)
