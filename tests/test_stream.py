"""Streams: the same items from any place on, in parts, and by any number of processes, which end with their reader."""

import math
import multiprocessing
import os
import re
import signal
import subprocess
import sys
from itertools import count, islice

import pytest

import worldsmith as ws
from tests.conftest import MINI
from worldsmith.errors import GenerationError, NotFoundError, UsageError, WorldsmithError
from worldsmith.mining import stream
from worldsmith.mining.batch import PATIENCE, build_all, orders
from worldsmith.mining.pipeline import Mined, MiningRequest
from worldsmith.mining.workers import worker_pool
from worldsmith.schema import Knobs, parse_facts


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    """Two small schemas, in files."""
    folder = tmp_path_factory.mktemp("schemas")
    (folder / "harbour.toml").write_text(MINI)
    (folder / "port.toml").write_text(MINI.replace('"harbour"', '"port"'))
    return [folder / "harbour.toml", str(folder / "port.toml")]


@pytest.fixture(scope="module")
def opened(schemas):
    """Open a stream of two small wide tasks per world, from a cursor on."""
    return lambda start=0, **options: ws.stream(schemas, 7, start, count=2, size="small", kinds=["wide"], **options)


@pytest.fixture(scope="module")
def first(opened):
    return list(islice(opened(), 9))


def identity(items):
    return [(item.world.digest, item.task, item.cursor) for item in items]


def test_no_task_comes_twice_and_schemas_take_turns(first):
    assert len({item.task.digest for item in first}) == 9
    assert len({item.world.digest for item in first}) == 5
    assert [item.task.schema for item in first] == ["harbour", "harbour", "port", "port"] * 2 + ["harbour"]
    assert [item.cursor for item in first] == list(range(1, 10))
    for item in first:
        assert item.task.world_digest == item.world.digest
        assert ws.check(item.world).ok


def test_it_gives_what_generate_saves(tmp_path):
    names, request = ["town", "films"], MiningRequest(2, "small")
    saved = list(build_all(orders(names, 2, 7, request), 1, tmp_path))
    items = list(islice(ws.stream(names, 7, count=2, size="small"), 4))
    assert [item.world.id for item in items] == [built.world for built in saved for _ in range(2)]
    assert [item.task for item in items] == [task for built in saved for task in ws.read_tasks(built.path)]


def test_an_item_is_played_at_once_and_tasks_of_a_world_share_its_simulator(first):
    item = first[0]
    environment = ws.Environment(item.world, item.task, item.simulator)
    environment.reset()
    for call in item.task.certificate["calls"]:
        name = "query" if call["tool"] == "web_search" else "url"
        function = {"name": call["tool"], "arguments": {name: call["arg"], "page": call.get("page")}}
        environment.step({"role": "assistant", "tool_calls": [{"id": "1", "function": function}]})
    assert environment.step(item.task.table()).reward.total == 1.0
    assert first[1].simulator is item.simulator
    assert first[2].simulator is not item.simulator


@pytest.mark.parametrize("read", [1, 4])
def test_it_goes_on_after_any_item(first, opened, read):
    rest = islice(opened(first[read - 1].cursor), 3)
    assert identity(rest) == identity(first[read : read + 3])


def test_a_cursor_passes_over_what_a_world_lacks(opened, monkeypatch):
    """Worlds by turns give one task of two, and none."""

    def mined(order):
        some = complete(order)
        return Mined(some.tasks[: order.number % 2], some.tried, some.rejected)

    complete = stream._mined
    monkeypatch.setattr(stream, "_mined", mined)
    items = list(islice(opened(), 3))
    assert [item.cursor for item in items] == [6, 8, 14]  # of the third, fourth and seventh world
    assert identity(islice(opened(6), 2)) == identity(items[1:])
    assert identity(islice(opened(5), 1)) == identity(items[1:2])


def test_shards_are_disjoint_and_together_the_whole(first, opened):
    parts = [list(islice(opened(shard=(i, 2)), 4)) for i in range(2)]
    assert [{item.task.schema for item in part} for part in parts] == [{"harbour", "port"}] * 2
    assert identity(parts[0] + parts[1]) == identity(first[:8])
    assert identity(islice(opened(parts[1][0].cursor, shard=(1, 2)), 1)) == identity(first[5:6])


def test_other_seeds_and_options_give_other_worlds(first, schemas, opened):
    known = {item.world.digest for item in first}
    assert next(ws.stream(schemas[0], 8, count=1, size="small", kinds=["wide"])).world.digest not in known
    few = next(opened(knobs=Knobs(facts=(60, 60)), language="plain")).world
    assert (few.facts, few.language) == (60, "plain")


def test_several_processes_give_the_same_and_end_with_the_stream(first, opened):
    items = opened(first[2].cursor, jobs=2, ahead=1)
    assert multiprocessing.active_children() == []  # none before the first item is asked for
    assert identity(islice(items, 6)) == identity(first[3:])
    assert len(multiprocessing.active_children()) == 2
    items.close()
    assert multiprocessing.active_children() == []


def test_a_killed_process_is_an_error_and_the_others_end(opened):
    items = opened(jobs=2)
    next(items)
    os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)
    with pytest.raises(WorldsmithError, match=r"a worker process ended.*last item's cursor"):
        list(items)
    assert multiprocessing.active_children() == []


def test_a_schema_that_gives_no_task_is_an_error_and_not_a_hang(opened, monkeypatch):
    monkeypatch.setattr(stream, "_mined", lambda _: Mined((), 120, {"too many tokens": 100, "unread": 20}))
    with pytest.raises(GenerationError, match=rf"^{PATIENCE} worlds of .*100 too many tokens, 20 unread\): leave"):
        next(opened())
    monkeypatch.setattr(stream, "_mined", lambda _: "no world in 6 attempts")
    with pytest.raises(GenerationError, match="no world in 6 attempts"):
        next(opened())


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"schemas": "twon"}, NotFoundError, "Did you mean 'town'"),
        ({"schemas": []}, UsageError, "name one"),
        ({"seed": -1}, UsageError, "seed = -1: give a number from 0"),
        ({"start": -1}, UsageError, "start = -1"),
        ({"count": 0}, UsageError, "count = 0: give a number from 1"),
        ({"jobs": 0}, UsageError, "jobs = 0"),
        ({"ahead": 0}, UsageError, "ahead = 0"),
        ({"shard": (2, 2)}, UsageError, r"shard = \(2, 2\)"),
        ({"shard": (0, 1, 2)}, UsageError, r"shard = \(0, 1, 2\)"),
        ({"shard": "0/2"}, UsageError, "shard = '0/2'"),
        ({"seed": 1.5}, UsageError, "seed = 1.5: give a number from 0, a whole one"),
        ({"seed": None}, UsageError, "seed = None"),
        ({"start": "3"}, UsageError, "start = '3'"),
        ({"max_tokens": 0}, UsageError, "max_tokens = 0"),
        ({"max_turns": 0}, UsageError, "max_turns = 0"),
        ({"wordings": "trian"}, UsageError, "wordings = 'trian': give one of 'all', 'train', 'test'"),
        ({"language": "natrual"}, UsageError, "language = 'natrual': give one of"),
        ({"size": "smal"}, UsageError, "Did you mean 'small'"),
        ({"kinds": ["depe"]}, UsageError, "Did you mean 'deep'"),
        ({"knobs": Knobs(facts=(9, 9))}, UsageError, "ask for --facts"),
    ],
)
def test_what_can_not_be_is_refused_before_the_first_item(options, error, match):
    with pytest.raises(error, match=match):
        ws.stream(**{"schemas": "town", "seed": 7, **options})


def test_a_pool_keeps_the_order_takes_no_more_than_it_may_keep_and_hands_on_errors():
    numbers = count(1)
    with worker_pool(parse_facts, 2, "try less", ahead=2) as mapped:
        assert list(mapped([])) == []
        results = mapped(str(next(numbers)) if n != 60 else "x" for n in count())
        assert list(islice(results, 5)) == [(n, n) for n in range(1, 6)]
        assert next(numbers) == 5 + 2 * (1 + 2)
        with pytest.raises(UsageError, match="facts = 'x'"):
            list(results)


def test_what_a_process_raises_is_raised_and_ends_the_pool():
    with pytest.raises(ValueError, match="math domain error"), worker_pool(math.sqrt, 2, "try less", ahead=1) as mapped:
        list(mapped([4, -1]))
    assert multiprocessing.active_children() == []


SCRIPT = """
import time
from worldsmith.mining.workers import worker_pool

def results():
    with worker_pool(time.sleep, 2, "guard it", ahead=1) as mapped:
        yield from mapped([0, 3, 3, 3])

{guard}
    opened = results()
    print(next(opened))
"""


def ended(tmp_path, guard):
    """Run a script that leaves a pool open while its processes are at work, and return how it ended."""
    (tmp_path / "script.py").write_text(SCRIPT.format(guard=guard))
    return subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, timeout=300, check=False
    )


def test_a_program_ends_with_its_processes_at_work(tmp_path):
    done = ended(tmp_path, 'if __name__ == "__main__":')
    assert (done.stdout, done.stderr, done.returncode) == ("None\n", "", 0)


def test_a_script_without_a_guard_gets_an_error_and_no_hang(tmp_path):
    done = ended(tmp_path, "if True:")
    assert done.returncode == 1
    # not its last line where the tracker of resources warns of semaphores of a process that was ended
    assert "WorldsmithError: a worker process ended (was it out of memory?): guard it\n" in done.stderr


def test_the_example_in_the_readme_runs(repository):
    text = (repository / "worldsmith" / "mining" / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert (names["item"].cursor, names["after"].cursor) == (3, 4)
    assert names["after"].world.digest == names["item"].world.digest
    assert names["after"].task != names["item"].task
