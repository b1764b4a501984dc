"""Worlds in shards: the same as in folders, by every engine, resumed, retried, and read by every command."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path

import duckdb
import pytest

from tests.conftest import MINI
from worldsmith.cli.backend import Answering, ModelChoice, read_profiles
from worldsmith.errors import FormatError, GenerationError, UsageError, WorldsmithError, close_match
from worldsmith.mining import batch, shards
from worldsmith.mining.engines import ENGINES, local_engine
from worldsmith.mining.pipeline import MiningRequest
from worldsmith.serving.responder_cache import ResponderCache
from worldsmith.simulate.protocol import Address
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import tasks_of
from worldsmith.tasks.files import tasks_at
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports.rows import outlines_of
from worldsmith.window.launch import WindowSettings
from worldsmith.window.library import Library
from worldsmith.world.files import load_world, read_manifest, tasks_file, world_folders
from worldsmith.world.shards import BLOCK, shards_in

ARGS = ("--count", 6, "--tasks", 1, "--size", "small", "--seed", 3)


@pytest.fixture(scope="module")
def harbour_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("schema") / "harbour.toml"
    file.write_text(MINI)
    return file


@pytest.fixture(scope="module")
def made(tmp_path_factory, call, harbour_file):
    """Three shards of two worlds with a task each; tests don't change them."""
    out = tmp_path_factory.mktemp("made") / "s"
    call("generate", harbour_file, *ARGS, "--engine", "local", "--shard-size", 2, "--out", out)
    return out


@pytest.fixture
def copy(made, tmp_path):
    return shutil.copytree(made, tmp_path / "s")


@pytest.fixture(scope="module")
def folders(tmp_path_factory, call, harbour_file):
    """The same worlds in folders."""
    out = tmp_path_factory.mktemp("folders") / "w"
    call("generate", harbour_file, *ARGS, "--out", out)
    return out


def digests(out):
    return {str(p.relative_to(out)): sha256(p.read_bytes()).hexdigest() for p in out.rglob("*") if p.is_file()}


def worlds_in(*paths):
    return SeparateWorlds(world_folders(map(Path, paths)))


def plan_of(file, count=6, size=2, tasks=0):
    return shards.shard_plan([str(file)], count, 3, MiningRequest(tasks, "small"), size=size)


def test_worlds_and_tasks_are_those_of_folders(made, folders):
    ours, theirs = worlds_in(made), worlds_in(folders)
    assert len(ours.ids) == 6
    assert set(ours.ids) == set(theirs.ids)
    tasks = dict(theirs.tasks())
    assert {world: list(some) for world, some in ours.tasks()} == tasks
    for world in ours.ids:
        assert load_world(made / world) == load_world(folders / world)
        assert read_manifest(made / world) == read_manifest(folders / world)
        assert ours.digest(world) == theirs.digest(world)
        assert ours.wordings(world) == theirs.wordings(world) == "all"
        assert ours.as_mined(world)


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "local"])
def test_every_engine_writes_the_same_bytes(made, call, harbour_file, tmp_path, engine):
    if engine == "ray":
        pytest.importorskip("ray")
    out = tmp_path / "s"
    args = ("--engine", engine, "--shard-size", 2, "--jobs", 2, "--out", out)
    call("generate", harbour_file, *ARGS, *args)
    assert digests(out) == digests(made)


def test_the_same_command_makes_what_is_missing_alone(copy, made, call, harbour_file):
    (copy / "shard-00001.parquet").unlink()
    (copy / "tables" / ".shard-00001.parquet.77.part").write_bytes(b"half")
    before = {p: p.stat().st_mtime_ns for p in copy.rglob("shard-*.parquet") if "00001" not in p.name}
    args = ("--engine", "local", "--shard-size", 2, "--out", copy, "--json")
    lines = [json.loads(line) for line in call("generate", harbour_file, *ARGS, *args).output.splitlines()]
    assert {one["shard"]: one["resumed"] for one in lines} == {0: True, 1: False, 2: True}
    assert [one["tasks"] for one in lines] == [{"harbour": 2}] * 3
    assert digests(copy) == digests(made)
    assert {p: p.stat().st_mtime_ns for p in before} == before


def test_shards_of_another_command_are_not_mixed_with_its_own(copy, call, harbour_file, folders):
    args = ("generate", harbour_file, "--engine", "local", "--tasks", 1, "--size", "small", "--seed", 3)
    result = call(*args, "--count", 8, "--shard-size", 2, "--out", copy, code=2)
    assert "shard-00000.parquet was made by another command (count 6, not 8): name another folder" in result.output
    assert "(tasks)" in call("generate", harbour_file, *ARGS, "--tasks", 2, *args[2:4], "--shard-size", 2,
                             "--out", copy, code=2).output  # fmt: skip
    assert "holds shards" in call("generate", harbour_file, *ARGS, "--out", copy, code=2).output
    result = call("generate", harbour_file, *ARGS, "--engine", "local", "--out", folders, code=2)
    assert "holds worlds in folders of their own" in result.output
    assert "--shard-size is of shards" in call("generate", "--shard-size", 3, "--out", copy, code=2).output
    assert "leave --reword out" in call("generate", *args[2:4], "--reword", "m", "--out", copy, code=2).output


def dies_once(flag, make, number):
    """Make a shard; the first process that is asked for the second one ends as by kill -9."""
    if number == 1 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return make(number)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["process", "ray"])
def test_a_process_that_is_killed_costs_nothing_but_time(harbour_file, tmp_path, monkeypatch, name):
    if name == "ray":
        pytest.importorskip("ray")
        here = str(Path(__file__).parent)  # where its workers find `dies_once`
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))

    def engine(make, numbers, jobs):
        return ENGINES[name](partial(dies_once, tmp_path / "flag", make), numbers, 2)

    built = list(shards.build_shards(plan_of(harbour_file), engine, 2, tmp_path / "s"))
    assert sorted(one.shard for one in built) == [0, 1, 2]
    assert (tmp_path / "flag").exists()
    list(shards.build_shards(plan_of(harbour_file), local_engine, 1, tmp_path / "whole"))
    assert digests(tmp_path / "s") == digests(tmp_path / "whole")


def test_a_shard_that_fails_is_tried_again_and_named_in_the_end(harbour_file, tmp_path, monkeypatch):
    tries, write = [], shards._write_shard

    def failing(plan, out, number):
        tries.append(number)
        if number == 1 and len(tries) < most:
            raise OSError(28, "No space left on device", "x")
        return write(plan, out, number)

    monkeypatch.setattr(shards, "_write_shard", failing)
    most = 5
    assert len(list(shards.build_shards(plan_of(harbour_file), local_engine, 1, tmp_path / "s"))) == 3
    assert tries == [0, 1, 2, 1, 1]
    most = 10**6
    tries.clear()
    with pytest.raises(
        WorldsmithError, match=r"1 of 3 shards failed; run the same command again.*\n  shard 1: .*space"
    ):
        list(shards.build_shards(plan_of(harbour_file), local_engine, 1, tmp_path / "t"))
    assert tries == [0, 1, 2, *[1] * shards.ROUNDS]
    assert not (tmp_path / "t" / "shard-00001.parquet").exists()


def test_seeds_that_no_world_fits_are_replaced_as_in_folders(harbour_file, tmp_path, monkeypatch):
    make = batch.checked_world

    def unfit(order):
        if order.number in {1, 4, 6}:
            raise GenerationError("no world", place="call", reason="unfit")
        return make(order)

    monkeypatch.setattr(shards, "checked_world", unfit)
    monkeypatch.setattr(batch, "checked_world", unfit)
    plan, request = plan_of(harbour_file), MiningRequest(0, "small")
    for _ in range(2):  # made, and found complete
        built = list(shards.build_shards(plan, local_engine, 1, tmp_path / "s"))
        assert {one.shard: (one.worlds, len(one.failed)) for one in built} == {
            0: (1, 1), 1: (2, 0), 2: (1, 1), 3: (1, 1), 4: (1, 0),
        }  # fmt: skip
    some = list(batch.build_all(batch.orders([str(harbour_file)], 6, 3, request), 1, tmp_path / "w"))
    assert {one.world for one in some if isinstance(one, batch.Built)} == set(worlds_in(tmp_path / "s").ids)


def test_commands_take_a_folder_of_shards_a_shard_or_a_world_of_them(made, call, tmp_path):
    ids = worlds_in(made).ids
    shard = made / "shard-00001.parquet"
    assert "6 worlds, 0 violations" in call("check", made).output
    assert "2 worlds, 0 violations" in call("check", shard).output
    assert f"{made / ids[0]}: ok" in call("check", made / ids[0]).output
    shown = call("show", made).output
    assert "6 worlds in 3 shards" in shown
    assert "6 tasks" in shown
    assert [line.split()[-1] for line in call("show", shard).output.splitlines()[2:]] == ["1", "1"]
    assert json.loads(call("show", made / ids[3], "--json").output)["world"] == ids[3]
    tasks = [json.loads(line) for line in call("tasks", made, "--list", "--json").output.splitlines()]
    assert [task["world"] for task in tasks] == list(ids)
    assert tasks[2]["task_id"] in call("show", shard, "--task", tasks[2]["task_id"], "--gold").output
    assert call("tasks", shard, "--verify").output.count("all certificates hold") == 2
    assert "mean of 2: item_f1 1.000" in call("run", shard, "--agent", "oracle").output
    assert "0 findings" in call("audit", "worlds", made / ids[0]).output
    result = call("search", made / ids[0], "quay", "--json").output
    assert json.loads(result)["status"] == "ok"
    task = tasks_of(made / ids[4])[0]
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"task_id": task.task_id, "answer": task.table()}))
    for tasks_path in (made, made / "_tasks", made / "_tasks" / "shard-00002.parquet", made / ids[4]):
        assert json.loads(call("score", tasks_path, answers, "--json").output.splitlines()[0])["item_f1"] == 1.0
    assert "no world there" in call("check", made / "tables", code=2).output
    result = call("check", made / (ids[0] + "0"), code=2)
    assert f"Did you mean '{ids[0]}'" in result.output
    assert "no world there" in call("check", made / "shard-00077.parquet", code=2).output


def test_an_export_out_of_shards_is_that_of_folders(made, folders, call, tmp_path):
    for name, worlds in (("s", made), ("w", folders)):
        call("export", worlds, "--to", "jsonl", "--out", tmp_path / name)
    for file in ("train.jsonl", "test.jsonl"):
        ours, theirs = (sorted((tmp_path / name / file).read_text().splitlines()) for name in ("s", "w"))
        assert ours == theirs
        assert ours
    outlines = outlines_of(worlds_in(made))
    backwards = [outline.place for outline in reversed(outlines)]
    assert [task.task_id for task in tasks_at(backwards)] == [outline.task_id for outline in reversed(outlines)]


def test_tasks_are_dropped_and_mined_anew_one_world_at_a_time(copy, call):
    ids = worlds_in(copy).ids
    before = {world: tasks_of(copy / world) for world in ids}
    task = before[ids[2]][0].task_id
    call("tasks", copy, "--drop", task, "--reason", "two fit")
    assert tasks_of(copy / ids[2]) == []
    assert worlds_in(copy).dropped() == {task: "two fit"}
    assert worlds_in(copy / ids[3]).dropped() == {}
    assert [line.split()[-1] for line in call("show", copy / "shard-00001.parquet").output.splitlines()[2:]] == [
        "0",
        "1",
    ]
    call("tasks", copy, "--restore", task)
    call("tasks", copy / ids[3], "--count", 2, "--size", "small")
    assert len(tasks_of(copy / ids[3])) == 2
    assert {world: tasks_of(copy / world) for world in ids if world != ids[3]} == {
        world: some for world, some in before.items() if world != ids[3]
    }
    assert all(worlds_in(copy).as_mined(world) for world in ids)


def test_a_world_is_read_with_its_block_alone(harbour_file, tmp_path):
    list(shards.build_shards(plan_of(harbour_file, 2 * BLOCK + 1, 100), local_engine, 1, tmp_path))
    rows = duckdb.execute(
        "SELECT row_group_id, min(stats_min_value), max(stats_max_value) FROM parquet_metadata(?) "
        "WHERE path_in_schema = 'block' GROUP BY ALL ORDER BY ALL",
        [str(tmp_path / "tables" / "shard-00000.parquet")],
    ).fetchall()
    assert rows == [(0, "0", "0"), (1, "1", "1"), (2, "2", "2")]
    places = shards_in(tmp_path).places
    assert [place.block for place in places.values()] == [0] * BLOCK + [1] * BLOCK + [2]
    assert [load_world(tmp_path / world).id for world in list(places)[::BLOCK]] == list(places)[::BLOCK]


def test_one_world_is_looked_up_in_the_index_and_all_are_listed_without_it_too(copy):
    shards_by_index = shards_in(copy)
    places = {world: shards_by_index.place(world) for world in (*worlds_in(copy).ids, "harbour-none")}
    fresh = shards_in(shutil.copytree(copy, copy.with_name("fresh")))
    assert {world: fresh.place(world) for world in places} == places
    assert "places" not in vars(fresh)
    assert places.pop("harbour-none") is None
    (copy / "index.parquet").unlink()
    assert list(shards_in(copy).places.items()) == list(fresh.places.items()) == list(places.items())


def test_forked_processes_read_shards_that_their_parent_has_open(made):
    first, *_, last = world_folders([made])
    load_world(first)
    reading = get_context("fork").Process(target=load_world, args=(last,))  # as workers of a server are
    reading.start()
    reading.join(60)
    reading.kill()
    assert reading.exitcode == 0
    assert load_world(last).id == last.name


def test_a_server_opens_what_is_asked_for(made):
    folders = world_folders([made])
    cache = ResponderCache(folders, 64, Simulator)
    assert list(cache.cards) == [folder.name for folder in folders]
    assert cache.opened == ()
    address = Address(folders[4].name)
    assert cache.open_soon(address) is False
    cache._opening[address.world].result(60)
    assert cache.opened == (folders[4].name,)
    cache._threads.shutdown()


def test_a_window_shows_each_world_with_its_own_tasks(made):
    library = Library(WindowSettings((made,)))
    paths = library.worlds()
    assert paths == {path.name: path for path in world_folders([made])}
    for world, path in paths.items():
        ids = [task.task_id for task in tasks_of(path)]
        assert (list(library.tasks(world)), library.count_tasks(library.entry(world))) == (ids, len(ids))
        assert all(task_id.startswith(f"{world}-") for task_id in ids)


def test_what_is_damaged_is_named(copy):
    world = worlds_in(copy).ids[2]
    (copy / "tables" / "shard-00001.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(FormatError, match=r"tables/shard-00001.parquet: not a shard of worlds that can be read"):
        load_world(copy / world)
    (copy / "tables" / "shard-00001.parquet").unlink()
    with pytest.raises(FormatError, match=r"tables/shard-00001.parquet: can't be read: No such file"):
        load_world(copy / world)
    tasks_file(copy / world).unlink()
    assert not worlds_in(copy).as_mined(world)
    (copy / "shard-00002.parquet").unlink()
    (copy / "shard-00002.parquet").write_bytes(b"")
    (copy / "index.parquet").unlink()
    with pytest.raises(FormatError, match="not a shard of worlds"):
        world_folders([copy])


def test_rows_that_are_not_those_of_the_manifest_are_refused(copy, call):
    world = worlds_in(copy).ids[0]
    file = copy / "tables" / "shard-00000.parquet"
    changed = "SELECT block, world, name, replace(lines, '1', '2') AS lines FROM read_parquet(?)"
    duckdb.execute(f"CREATE OR REPLACE TEMP TABLE edited AS {changed}", [str(file)])
    duckdb.execute(f"COPY edited TO '{file}' (FORMAT parquet)")
    with pytest.raises(FormatError, match="is not the one the manifest names"):
        load_world(copy / world)
    assert "BROKEN" in call("check", copy / world, code=1).output


def test_without_ray_the_fix_is_named(harbour_file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install \"worldsmith\[ray\]\""):
        list(shards.build_shards(plan_of(harbour_file), ENGINES["ray"], 1, tmp_path))


def test_names_of_very_many_worlds_are_not_compared():
    assert close_match("town-1", [f"town-{i}" for i in range(2001)]) == ""
    assert close_match("town-1x", [f"town-{i}" for i in range(2000)]) == " Did you mean 'town-1'?"


@pytest.mark.slow
def test_a_command_that_is_killed_goes_on_to_the_same_bytes(made, harbour_file, tmp_path):
    out = tmp_path / "s"
    options = ["--engine", "process", "--jobs", "2", "--shard-size", "2", "--out", str(out)]
    command = [sys.executable, "-m", "worldsmith", "generate", str(harbour_file), *map(str, ARGS), *options]
    with subprocess.Popen(command) as process:
        while not (out / "tables").is_dir() or not list((out / "tables").iterdir()):
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    assert len(list(out.glob("shard-*.parquet"))) < 3
    subprocess.run(command, check=True)
    assert digests(out) == digests(made)


def test_a_run_over_shards_plays_in_the_worlds_they_hold(made):
    worlds = Answering(ModelChoice(), read_profiles(None)).worlds([made], pooled=False)
    assert worlds.ids == tuple(shards_in(made).places)
    assert worlds.open(worlds.ids[5]).id == worlds.ids[5]
