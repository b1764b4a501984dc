"""Frozen evaluation sets: what they are made of, that they are made the same anew, and how they are run."""

import json
from collections import Counter
from hashlib import sha256

import orjson
import pytest

from worldsmith.errors import ConsistencyError
from worldsmith.mining.batch import build
from worldsmith.rollout import evaluation_set
from worldsmith.rollout.evaluation_set import ALONE, POOL, SETS, EvaluationSet, build_set, difference, make_set
from worldsmith.schema import shipped
from worldsmith.tasks import tasks_of
from worldsmith.train.exports import CANARY
from worldsmith.world.files import load_world

EVAL_1 = SETS["worldsmith-eval-1"]


def test_the_record_holds_as_many_tasks_and_worlds_as_the_set_is_made_of():
    record = EVAL_1.record
    assert set(EVAL_1.schemas) < set(shipped())  # a later schema does not change a set that has been published
    assert EVAL_1.schemas == tuple(sorted(EVAL_1.schemas))
    assert (len(record["tasks"]), EVAL_1.size) == (200, 200)
    assert Counter(world.rsplit("-", 1)[0] for world in record["worlds"]) == dict.fromkeys(EVAL_1.schemas, 5)
    assert record["canary"] == CANARY
    kinds = Counter(task_id.rsplit("-", 2)[1] for task_id in record["tasks"])
    assert set(kinds) == {"wide", "deep", "hybrid", "cross"}
    assert min(kinds.values()) >= 24
    owners = {task_id.rsplit("-", 2)[0] for task_id in record["tasks"]}
    assert owners <= {*record["worlds"], record["pool"]}
    assert record["pool"] in owners


@pytest.mark.parametrize("part", [ALONE, POOL])
def test_a_world_of_the_set_is_made_anew_byte_for_byte(part):
    world = next(order for order in EVAL_1.orders(part) if order.schema == "railway").generate()
    assert EVAL_1.record["worlds"][world.id] == world.digest
    assert world.schema.bank.split == "test"


@pytest.mark.slow
def test_tasks_of_the_set_are_mined_anew_byte_for_byte(tmp_path):
    order = next(order for order in EVAL_1.orders(ALONE) if order.schema == "university")
    build(order, tmp_path)
    (folder,) = [folder for folder in tmp_path.iterdir() if folder.name[0] != "_"]
    tasks = tasks_of(folder)
    digests = {task.task_id: sha256(orjson.dumps(task.to_json())).hexdigest() for task in tasks}
    assert len(digests) == EVAL_1.tasks
    assert {name: EVAL_1.record["tasks"][name] for name in digests} == digests
    assert load_world(folder).digest == EVAL_1.record["worlds"][folder.name]


def test_what_differs_from_a_record_is_said():
    record = {"worlds": {"a": "1", "b": "2"}, "tasks": {"t": "3"}, "pool": "p"}
    assert difference(record, record) is None
    for change, why in (
        ({"worlds": {"a": "1"}}, "1 of its 2 worlds are missing, b first"),
        ({"tasks": {"t": "3", "u": "4"}}, "u isn't among its tasks"),
        ({"tasks": {"t": "4"}}, "1 of its 1 tasks have another digest, t first"),
        ({"pool": "q"}, "its pool is p, not q"),
    ):
        assert difference(record, record | change) == why


def test_wrong_use_says_the_fix(call, tmp_path):
    for args, why in (
        (["generate", "town", "--set", "worldsmith-eval-1", "--out", tmp_path], "leave schemas out"),
        (["generate", "--seed", "7", "--set", "worldsmith-eval-1", "--out", tmp_path], "leave --seed out"),
        (["generate", "--set", "worldsmith-eval", "--out", tmp_path], "Did you mean 'worldsmith-eval-1'"),
        (["run", "--agent", "oracle"], "name a world or a folder of worlds, or --set NAME"),
        (["run", "--agent", "oracle", "--set", "worldsmith-eval-1", "--pool"], "leave --base-url and --pool out"),
        (["run", "--agent", "oracle", "--set", "worldsmith-eval-1", "a", "b"], "kept in one folder, and 2 are named"),
    ):
        assert why in call(*args, code=2).output.replace("\n", " ")


@pytest.mark.slow
def test_a_set_is_made_once_checked_and_run(call, tmp_path, monkeypatch):
    tiny = EvaluationSet("tiny", 5, ("town",), alone=1, tasks=1, pooled=2, pool_tasks=1, cross=1)
    recorded = build_set(tiny, tmp_path / "first")
    assert len(recorded["tasks"]) == tiny.size == 3
    monkeypatch.setattr(EvaluationSet, "record", property(lambda _: recorded))
    monkeypatch.setattr(evaluation_set, "SETS", {"tiny": tiny})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lines = call("run", "--set", "tiny", "--agent", "oracle", "--json").stdout.splitlines()
    rows = list(map(json.loads, lines))
    assert {row["task_id"] for row in rows} == set(recorded["tasks"])
    assert [row["item_f1"] for row in rows] == [1.0, 1.0, 1.0]
    folder = tmp_path / "worldsmith" / "tiny"
    assert CANARY in (folder / "README.md").read_text()
    monkeypatch.setattr(evaluation_set, "build_set", lambda *_: pytest.fail("it is there already"))
    make_set(tiny, folder)
    other = {**recorded, "tasks": dict.fromkeys(recorded["tasks"], "0")}
    monkeypatch.setattr(EvaluationSet, "record", property(lambda _: other))
    monkeypatch.setattr(evaluation_set, "build_set", lambda *_: recorded)
    with pytest.raises(ConsistencyError, match="this is not tiny: 3 of its 3 tasks have another digest"):
        make_set(tiny, folder)
