"""The command line: its contract, its exit codes, and no traceback for a user's mistake."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner

from worldsmith import seeding
from worldsmith.cli import main
from worldsmith.mining.batch import PATIENCE
from worldsmith.schema import shipped
from worldsmith.tasks import tasks_of
from worldsmith.world import files
from worldsmith.world.files import load_world

WORLDSMITH = [sys.executable, "-m", "worldsmith"]


def call(*args, code=0):
    result = CliRunner().invoke(main, [str(a) for a in args])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def lines(*args, code=0):
    return [json.loads(line) for line in call(*args, code=code).stdout.splitlines()]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worlds") / "w"
    call("generate", "smartphones", "town", "--seed", "7", "--tasks", "3", "--out", folder)
    return folder


@pytest.fixture
def copy(out, tmp_path):
    return shutil.copytree(out, tmp_path / "w")


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def worlds(folder):
    return sorted(p.parent for p in folder.glob("[!.]*/world.json"))  # what a killed run left has a dot


SOMETIMES = """
schema = 1
name = "sometimes"
kind = "granular_long_tail"
as_of = 2030-01-01
about = "ports with few boats"

[tables.port]
called = ["port", "ports"]
rows = [2, 2]
key = "name"
[tables.port.columns]
name = { invent = "place", label = "Port", see = "snippet" }
boats = { count = "boat", label = "Boats" }

[tables.boat]
called = ["boat", "boats"]
rows = [2, 12]
key = "name"
[tables.boat.columns]
name = { invent = "ship", label = "Boat", see = "snippet" }
port = { ref = "port", per = [1, 6], label = "Port", says = "of" }

[rules]
few = { on = "port", must = "boats <= 1" }

[pages]
port = { about = "port" }
boat = { about = "boat" }
"""
"""A schema that about half of the seeds can't follow: only two boats in all keep its rule, and 2 to 12 are drawn."""


@pytest.fixture
def sometimes(tmp_path):
    file = tmp_path / "sometimes.toml"
    file.write_text(SOMETIMES)
    return file


def test_a_schema_without_any_task_is_a_fault_unless_none_are_asked_for(tmp_path, sometimes):
    result = call("generate", sometimes, "--tasks", 2, "--out", tmp_path / "w", code=1)
    why = "no task of any world of sometimes: give it list pages, try other --task-kinds or --size small"
    assert why in result.stderr
    assert len(worlds(tmp_path / "w")) == 1
    call("generate", sometimes, "--tasks", 0, "--out", tmp_path / "w")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_next_seed_takes_the_place_of_one_that_no_world_fits(tmp_path, sometimes, seed):
    command = ["generate", sometimes, "--seed", seed, "--count", 8, "--tasks", 0, "--json", "--out"]
    first = call(*command, tmp_path / "w")
    rows = [json.loads(line) for line in first.stdout.splitlines()]
    made = [row for row in rows if "error" not in row]
    failed = [row for row in rows if "error" in row]
    assert len(made) == 8 == len({row["world"] for row in made})
    assert {Path(row["path"]) for row in made} == set(worlds(tmp_path / "w"))
    assert failed
    assert all(f"sometimes, seed {row['seed']}: no world in 6 attempts" in first.stderr for row in failed)
    assert first.stderr.endswith(f"{len(failed)} seeds of {len(rows)} fit no world: the next ones took their place\n")
    # In the order of the draw: what stands there is its first eight seeds that fit.
    draw = [seeding.draw(seed, "sometimes", number) >> 11 for number in range(len(rows))]
    assert {row["seed"] for row in rows} == set(draw)
    again = lines(*command, tmp_path / "w")
    assert [row | {"resumed": True} for row in rows if "error" not in row] == [r for r in again if "error" not in r]
    more = [r["world"] for r in lines(*("12" if a == 8 else a for a in command), tmp_path / "w") if "error" not in r]
    assert {row["world"] for row in made} < set(more)


def test_which_seeds_take_a_place_does_not_depend_on_the_jobs(tmp_path, sometimes):
    command = ["generate", sometimes, "smartphones", "--seed", 1, "--count", 4, "--tasks", 0, "--json", "--out"]
    alone = lines(*command, tmp_path / "a")
    side_by_side = lines(*command, tmp_path / "b", "--jobs", 2)
    assert [r["seed"] for r in alone] == [r["seed"] for r in side_by_side]
    assert sum("error" not in r for r in alone) == 4
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_schema_that_fits_no_seed_is_given_up_and_the_others_are_made(tmp_path, sometimes):
    sometimes.write_text(SOMETIMES.replace("boats <= 1", "boats <= 0"))
    command = ["generate", sometimes, "smartphones", "--count", 4, "--tasks", 0, "--json", "--out", tmp_path / "w"]
    rows = lines(*command, code=1)
    assert [r["schema"] for r in rows if "error" not in r] == ["smartphones", "smartphones"]
    assert sum("error" in r for r in rows) == PATIENCE
    assert "2 of 4 worlds not made" in CliRunner().invoke(main, [str(a) for a in command]).stderr


def test_a_random_seed_is_long_is_printed_and_gives_the_same_worlds_again(tmp_path):
    command = ["generate", "town", "--tasks", 0, "--json", "--out"]
    first = call(*command, tmp_path / "a", "--seed", "random")
    (seed,) = re.fullmatch(r"worldsmith: the same worlds again: --seed (\d+)\n", first.stderr).groups()
    assert int(seed) > 2**100
    call(*command, tmp_path / "b", "--seed", seed)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    other = call(*command, tmp_path / "c", "--seed", "RANDOM")
    assert seed not in other.stderr
    assert json.loads(first.stdout)["world"] != json.loads(other.stdout)["world"]


@pytest.mark.parametrize("seed", [2**53, 2**64 + 1, 10**999])
def test_seeds_of_any_length_are_taken(tmp_path, seed):
    (row,) = lines("generate", "town", "--tasks", 0, "--out", tmp_path, "--json", "--seed", seed)
    assert row["seed"] == seeding.draw(seed, "town", 0) >> 11


@pytest.mark.parametrize("seed", ["-1", "1.5", "0x10", "", "rand", "randomly", "1" * 5000])
def test_other_seeds_are_refused(tmp_path, seed):
    error = call("generate", "town", "--out", tmp_path / "w", f"--seed={seed}", code=2).stderr
    assert "Invalid value for '--seed'" in error
    assert not (tmp_path / "w").exists()


def test_a_schema_that_is_named_twice_counts_once(tmp_path):
    rows = lines("generate", "town", "town", "--count", 2, "--tasks", 0, "--out", tmp_path, "--json")
    assert len({r["world"] for r in rows}) == 2


def test_generate_makes_one_world_a_schema_with_tasks_apart(out):
    names = [json.loads((w / "world.json").read_text())["schema"] for w in worlds(out)]
    assert names == ["smartphones", "town"]
    for world in worlds(out):
        assert sorted(p.name for p in world.iterdir()) == ["language.json", "schema.json", "tables", "world.json"]
        kept = [json.loads(line) for line in (out / "_tasks" / f"{world.name}.jsonl").read_text().splitlines()]
        assert len(kept) == 3
        assert all(t["world"] == world.name for t in kept)
    assert sorted(p.name for p in out.iterdir()) == sorted(["_tasks", *(w.name for w in worlds(out))])


def test_the_same_command_gives_the_same_bytes_whatever_the_jobs(out, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "1")  # of the processes that make the worlds
    command = ["generate", "smartphones", "town", "--seed", "7", "--tasks", "3", "--jobs", "2", "--out"]
    call(*command, tmp_path / "again")
    assert contents(tmp_path / "again") == contents(out)


def test_naming_more_schemas_changes_no_world(out, tmp_path):
    call("generate", "town", "--count", "1", "--seed", "7", "--tasks", "0", "--out", tmp_path / "one")
    (town,) = worlds(tmp_path / "one")
    assert contents(town) == contents(out / town.name)


def test_count_goes_round_robin(tmp_path):
    rows = lines(
        "generate", "town", "films", "--count", "3", "--seed", "1", "--tasks", "0", "--out", tmp_path, "--json"
    )
    assert [r["schema"] for r in rows] == ["town", "films", "town"]
    assert len({r["world"] for r in rows}) == 3


def test_without_names_every_shipped_schema_has_a_world(tmp_path):
    rows = lines("generate", "--seed", "1", "--tasks", "0", "--out", tmp_path, "--json")
    assert [r["schema"] for r in rows] == sorted(shipped())
    assert not (tmp_path / "_tasks").exists()


def test_running_again_finishes_what_was_left(copy, out):
    first, second = worlds(copy)
    old = second.stat().st_ino, first.stat().st_ino
    (copy / "_tasks" / f"{first.name}.jsonl").unlink()
    shutil.rmtree(second)
    rows = lines("generate", "smartphones", "town", "--seed", "7", "--tasks", "3", "--out", copy, "--json")
    assert [r["resumed"] for r in rows] == [False, False]
    assert contents(copy) == contents(out)
    assert first.stat().st_ino == old[1]  # a whole world is left alone while its tasks are mined
    rows = lines("generate", "smartphones", "town", "--seed", "7", "--tasks", "3", "--out", copy, "--json")
    assert [r["resumed"] for r in rows] == [True, True]


def test_tasks_of_another_command_are_not_kept(copy, out):
    town = next(w for w in worlds(copy) if w.name.startswith("town"))
    call("tasks", town, "--count", "3", "--max-tokens", "12000")
    assert contents(copy) != contents(out)
    rows = lines("generate", "smartphones", "town", "--seed", "7", "--tasks", "3", "--out", copy, "--json")
    assert [r["resumed"] for r in rows] == [True, False]
    assert contents(copy) == contents(out)


def test_a_torn_task_file_is_mined_again(copy, out):
    path = next((copy / "_tasks").glob("*.jsonl"))
    path.write_bytes(path.read_bytes()[:-30])
    call("generate", "smartphones", "town", "--seed", "7", "--tasks", "3", "--out", copy)
    assert contents(copy) == contents(out)


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("made_with", {"faker": "39.0.0"}, "it was made with faker 39.0.0, this version makes it with faker 40."),
        ("made_with", [], "it was made with []"),
        ("generator", "0.0.1", "worldsmith 0.0.1 wrote it, this is "),
        ("facts", 7, "facts is 7 in the manifest"),
    ],
)
def test_a_world_made_anew_in_the_place_of_another_is_named_with_the_reason(copy, out, field, value, why):
    town = next(w for w in worlds(copy) if w.name.startswith("town"))
    manifest = town / "world.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {field: value}))
    if field != "facts":
        assert load_world(town).id == town.name
    again = call("generate", "smartphones", "town", "--seed", "7", "--tasks", "3", "--out", copy)
    assert f"worldsmith: {town.name}: made anew: " in again.stderr
    assert why in again.stderr
    assert "smartphones" not in again.stderr
    assert contents(copy) == contents(out)


def test_a_world_without_recorded_versions_loads_and_is_kept(copy):
    for world in worlds(copy):
        info = json.loads((world / "world.json").read_text())
        assert info.pop("made_with")["names"]
        (world / "world.json").write_text(json.dumps(info))
    rows = lines("generate", "smartphones", "town", "--seed", "7", "--tasks", "3", "--out", copy, "--json")
    assert [(r["resumed"], r["replaced"]) for r in rows] == [(True, ""), (True, "")]


@pytest.mark.slow
def test_kill_at_any_time_leaves_whole_worlds_and_the_same_command_finishes(tmp_path):
    command = [*WORLDSMITH, "generate", "town", "--count", "8", "--seed", "3", "--tasks", "2", "--out"]
    subprocess.run([*command, tmp_path / "whole"], check=True, capture_output=True)
    whole = contents(tmp_path / "whole")
    for number, delay in enumerate([0.6, 1.1, 1.7, 2.4, 3.3]):
        folder = tmp_path / f"killed{number}"
        process = subprocess.Popen([*command, folder, "--jobs", "2"], stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for world in worlds(folder):
            assert call("check", world)
            assert (folder / "_tasks" / f"{world.name}.jsonl").is_file()
        subprocess.run([*command, folder], check=True, capture_output=True)
        assert contents(folder) == whole


def in_session(session: int) -> list[int]:
    """The processes of a session that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(of) == session and state != "Z":
            found.append(int(stat.parent.name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="needs /proc")
def test_workers_end_with_a_process_that_was_killed(tmp_path):
    command = [*WORLDSMITH, "generate", "town", "--count", "40", "--tasks", "4", "--jobs", "2", "--out", tmp_path / "w"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    while not worlds(tmp_path / "w"):
        time.sleep(0.1)
    assert len(in_session(process.pid)) >= 3
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    for _ in range(600):
        if not in_session(process.pid):
            return
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    pytest.fail("workers live on")


@pytest.mark.slow
def test_an_interrupt_ends_all_processes_without_a_traceback(tmp_path):
    command = [*WORLDSMITH, "generate", "town", "--count", "40", "--tasks", "4", "--jobs", "2", "--out", tmp_path / "w"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    while not worlds(tmp_path / "w"):
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # what a terminal does: the workers get it too
    output, _ = process.communicate(timeout=120)
    assert output.decode().strip() == "Aborted!"
    assert process.returncode == 1
    assert not list((tmp_path / "w").glob(".*"))


@pytest.mark.slow
def test_an_interrupt_ends_a_long_scoring_without_a_traceback(tmp_path):
    tasks, answers = tmp_path / "tasks.jsonl", tmp_path / "answers.jsonl"
    tasks.write_text('{"task_id": "t", "columns": [{"name": "Shop", "kind": "text"}], "gold": [["Oak"]]}\n')
    answer = {"task_id": "t", "answer": "| Shop |\n| --- |\n" + "\n".join(f"| Elm {i} |" for i in range(60))}
    answers.write_text(f"{json.dumps(answer)}\n" * 10_000)
    command = [*WORLDSMITH, "score", tasks, answers, "--jobs", "2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    while len(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()) < 2:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert (output.decode().strip(), process.returncode) == ("Aborted!", 1)


def no_manifest(world):
    (world / "world.json").unlink()
    return "world.json is missing, and "


def odd_manifest(world):
    (world / "world.json").write_text("{")
    return "world.json: not JSON"


def manifest_of_another_kind(world):
    (world / "world.json").write_text("[]")
    return "not a world's manifest"


def manifest_that_is_a_folder(world):
    (world / "world.json").unlink()
    (world / "world.json").mkdir()
    return "world.json: can't be read: Is a directory"


def torn_table(world):
    table = next((world / "tables").iterdir())
    table.write_bytes(table.read_bytes()[:-40])
    return "line "


def no_tables(world):
    shutil.rmtree(world / "tables")
    return "No such file"


def no_schema(world):
    (world / "schema.json").unlink()
    return "schema.json: can't be read"


def other_values(world):
    table = next((world / "tables").iterdir())
    table.write_bytes(b"".join(table.read_bytes().splitlines(keepends=True)[::-1]))
    return "is not the one the manifest names"


DAMAGES = [no_manifest, odd_manifest, manifest_of_another_kind, manifest_that_is_a_folder, torn_table, no_tables]
DAMAGES += [no_schema, other_values]
WIDELY_TAKEN = [no_manifest, torn_table, other_values]
"""Damages that every command meets in the tests; one that is found by the same line as these meets two."""
TAKING = {
    "tasks": ["tasks", "--verify"],
    "run": ["run", "--agent", "closed-book"],
    "export": ["export", "--to", "jsonl", "--out", "{tmp}/e"],
    "audit worlds": ["audit", "worlds"],
    "show": ["show"],
    "serve": ["serve", "--port", "0"],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_world_among_others_is_named_and_counted(copy, monkeypatch, tmp_path, damage):
    served = []
    monkeypatch.setattr("worldsmith.serving.serve", lambda folders, **_: served.extend(folders))
    (copy / "notes").mkdir()
    bad, good = worlds(copy)
    why = damage(bad)
    names = TAKING if damage in WIDELY_TAKEN else ("tasks", "serve")
    for name, command in ((name, TAKING[name]) for name in names):
        edited = damage is other_values and name in ("audit worlds", "show")  # these take worlds as they are
        code = 0 if name == "serve" or edited else 1
        result = call(*(word.format(tmp=tmp_path) for word in command), copy, code=code)
        assert f"1 folder without world.json, no worlds: {copy / 'notes'}" in result.stderr, name
        if not edited:
            assert f"worldsmith: left out: {bad}" in result.stderr, name
            assert why in result.stderr, name
            assert "worldsmith: 1 of 2 worlds used" in result.stderr or name == "show", name
    assert served == [good]
    result = call("check", copy, code=1)
    assert f"{good}: ok" in result.stdout
    assert why in result.output
    assert str(bad) in result.output


def test_a_folder_that_was_never_a_world_is_no_fault(copy):
    (copy / "notes").mkdir()
    assert f"1 folder without world.json, no worlds: {copy / 'notes'}" in call("check", copy).stderr
    assert call("check", *worlds(copy)).stderr == ""


def test_a_damaged_world_that_is_named_alone_is_an_error(copy):
    bad, good = worlds(copy)
    odd_manifest(bad)
    assert "world.json: not JSON" in call("serve", bad, code=2).stderr
    assert "it can't be read" in call("check", bad, code=1).stdout
    (bad / "world.json").unlink()
    shutil.rmtree(good)
    assert "world.json is missing, and " in call("serve", copy, code=2).stderr


def test_check_names_rule_row_and_values_and_exits_1(copy):
    town = next(w for w in worlds(copy) if w.name.startswith("town"))
    path = town / "tables" / "shop.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[4]["floor"] = 4005
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    (report,) = lines("check", town, "--json", code=1)
    assert report["manifest"]
    broken = {r["rule"]: r for r in report["rules"] if r["violations"]}
    assert broken["fill:shop.floor"]["rows"][0]["row"] == "shop/4"
    assert broken["fill:shop.floor"]["rows"][0]["values"]["floor"] == 4005
    assert "fill:street.floor" in broken
    said = call("check", copy, code=1).stdout
    assert "BROKEN" in said
    assert f"fill:shop.floor: shop/4 ({rows[4]['name']}): floor = 4005" in said


def test_check_is_clean_and_explains(out):
    assert all(r["ok"] and not r["violations"] for r in lines("check", out, "--json"))
    said = call("check", out, "--explain", "3").stdout
    assert "0 violations" in said
    assert " -> " in said


def test_show(out, tmp_path):
    town = next(w for w in worlds(out) if w.name.startswith("town"))
    assert "shop:" in call("show", town).stdout
    assert [r["world"] for r in lines("show", out, "--json")] == [w.name for w in worlds(out)]
    assert town.name in call("show", out).stdout
    assert len(lines("show", town, "--table", "shop", "--json")) >= 66
    rows = lines("show", town, "--sql", "select count(*) as n, min(opened) as first from shop", "--json")
    assert rows[0]["n"] >= 66
    ddl = call("show", town, "--ddl").stdout
    assert "CREATE TABLE shop" in ddl
    assert "-- shop.dear: Rank by rateable value in its line\n" in ddl
    call("show", town, "--graph", tmp_path / "g.svg")
    assert (tmp_path / "g.svg").read_text().startswith("<svg")
    assert "Did you mean 'shop'" in call("show", town, "--table", "shops", code=2).output


def test_decimals_of_a_typed_query_are_those_of_the_world(out):
    folder = next(w for w in worlds(out) if w.name.startswith("smartphones"))
    stars = load_world(folder).tables["review"]["stars"]
    told = [row["stars"] for row in lines("show", folder, "--sql", "select stars from review", "--json")]
    assert sorted(told) == sorted(stars)
    found = lines("show", folder, "--sql", f"select count(*) as n from review where stars = {stars[0]}", "--json")
    assert found[0]["n"] == stars.count(stars[0])
    first = call("show", folder, "--sql", f"select stars from review where stars = {stars[0]}").stdout.split("\n")[2]
    assert first.strip() == str(stars[0])


@pytest.mark.parametrize(
    ("select", "row"),
    [
        ("1 AS a, 2 AS a", {"a": 1, "a_2": 2}),
        ("1 AS a, 2 AS a, 3 AS a", {"a": 1, "a_2": 2, "a_3": 3}),
        ("1 AS a, 2 AS a, 3 AS a_2", {"a": 1, "a_3": 2, "a_2": 3}),
        ("1 AS a_2, 2 AS a, 3 AS a", {"a_2": 1, "a": 2, "a_3": 3}),
        ("1 AS a, 2 AS A", {"a": 1, "A": 2}),
        ("1, 1", {"1": 1, "1_2": 1}),
        ("count(*), count(*) FROM shop WHERE false", {"count_star()": 0, "count_star()_2": 0}),
        (
            "x.*, y.* FROM (SELECT 1 AS k, 2 AS v) x JOIN (SELECT 1 AS k, 3 AS v) y USING (k)",
            {"k": 1, "v": 2, "k_2": 1, "v_2": 3},
        ),
        ("x.*, y.* FROM (SELECT 1 AS k) x, (SELECT 2 AS k) y", {"k": 1, "k_2": 2}),
    ],
)
def test_columns_of_one_name_are_all_there(out, select, row):
    town = next(w for w in worlds(out) if w.name.startswith("town"))
    assert lines("show", town, "--sql", f"SELECT {select}", "--json") == [row]
    assert call("show", town, "--sql", f"SELECT {select}").stdout.split("\n")[0].split() == list(row)


def test_the_sql_of_every_task_gives_all_its_columns(out):
    for world in worlds(out):
        for task in tasks_of(world):
            rows = lines("show", world, "--sql", task.sql, "--json")
            assert [len(row) for row in rows] == [len(task.columns)] * len(task.gold)


def test_a_typed_query_reaches_nothing_but_the_world(out, tmp_path):
    world = worlds(out)[0]
    for sql in (
        "delete from shop",
        "create table x (a int)",
        "select 1; select 2",
        "",
        f"copy shop to '{tmp_path}/x.csv'",
        "select * from read_csv('/etc/passwd')",
        "install httpfs",
        "attach 'x.db'",
        "set enable_external_access=true",
        "selec 1",
    ):
        said = call("show", world, "--sql", sql, code=2).output
        assert "can't be run" in said or "give one query" in said
    assert not list(tmp_path.iterdir())


def test_search_and_extract(out):
    town = next(w for w in worlds(out) if w.name.startswith("town"))
    (found,) = lines("search", town, "shops by line of trade", "--json")
    assert found["status"] == "ok"
    assert found["results"]
    (page,) = lines("extract", town, found["results"][0]["url"], "--json")
    assert page["status"] == "ok"
    assert len(page["text"]) > 200
    assert "not found" in call("extract", town, "http://127.0.0.1:8000/", code=1).stdout


def test_run_and_score(out, tmp_path):
    rows = lines("run", out, "--agent", "oracle", "--json")
    assert len(rows) == 6
    need = {"task_id", "world", "agent", "item_f1", "row_f1", "nonkey_item_f1", "search_calls", "extract_calls"}
    assert all(need | {"tool_tokens"} <= set(r) for r in rows)
    assert {r["item_f1"] for r in rows} == {1.0}
    blind = lines("run", out, "--agent", "closed-book", "--json")
    assert max(r["nonkey_item_f1"] for r in blind) <= 0.05
    world = worlds(out)[0].name
    answers = tmp_path / "answers.jsonl"
    mine = [r for r in rows if r["world"] == world]
    answers.write_text("".join(json.dumps({"task_id": r["task_id"], "answer": r["answer"]}) + "\n" for r in mine))
    *scored, summary = lines("score", out / "_tasks" / f"{world}.jsonl", answers, "--json")
    assert summary["summary"]["mean_all"]["item_f1"] == 1.0
    assert [s["task_id"] for s in scored] == [r["task_id"] for r in mine]
    assert all(s["item"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0} and s["success"] is True for s in scored)
    assert "item F1 1.000" in call("score", out / "_tasks" / f"{world}.jsonl", answers, "--explain").stdout


def test_one_bad_answer_is_reported_and_stops_nothing(out, tmp_path):
    tasks = next((out / "_tasks").glob("*.jsonl"))
    first = json.loads(tasks.read_text().splitlines()[0])["task_id"]
    answers = tmp_path / "a.jsonl"
    answers.write_text(f'{{"task_id": "nobody", "answer": ""}}\n[1]\n{{"task_id": "{first}", "answer": ""}}\n')
    found = lines("score", tasks, answers, "--json", code=1)
    assert [sorted(f) for f in found if "error" in f] == [["error", "task_id"]] * 2
    assert [f["item"]["f1"] for f in found if "item" in f] == [0.0]


def _oracle(out, tmp_path, *copies):
    """Write the gold table of the first tasks of a world, each so many times, and return the file and the tasks."""
    path = min((out / "_tasks").glob("*.jsonl"))
    tasks = [json.loads(line) for line in path.read_text().splitlines()]
    columns = [[c["name"] for c in task["columns"]] for task in tasks]
    tables = [
        "\n".join("| " + " | ".join(map(str, row)) + " |" for row in (names, ["---"] * len(names), *task["gold"]))
        for names, task in zip(columns, tasks, strict=True)
    ]
    named = [
        {"task_id": task["task_id"], "answer": text if copy == "right" else "I give up."}
        for task, text, wanted in zip(tasks, tables, copies, strict=False)
        for copy in wanted
    ]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps(row) + "\n" for row in named))
    return path, answers


def test_a_task_without_an_answer_counts_as_nought_beside_the_mean_of_those_answered(out, tmp_path):
    path, answers = _oracle(out, tmp_path, ["right"])
    *_, last = lines("score", path, answers, "--json")
    summary = last["summary"]
    assert (summary["tasks"], summary["answered"], summary["answers"], summary["faults"]) == (3, 1, 1, 0)
    assert summary["mean_answered"]["item_f1"] == 1.0
    assert summary["mean_all"]["item_f1"] == summary["mean_all"]["success"] == pytest.approx(1 / 3)
    assert "repeats" not in summary
    text = call("score", path, answers).stdout
    assert "1 answer to 1 of 3 tasks; 2 had none" in text
    assert "all (3; one without an answer counts 0): item_f1 0.333" in text


def test_answers_over_again_are_grouped_by_task(out, tmp_path):
    path, answers = _oracle(out, tmp_path, ["right", "wrong", "wrong"], ["wrong", "wrong"])
    *_, last = lines("score", path, answers, "--json")
    repeats = last["summary"]["repeats"]
    assert (repeats["k"], repeats["fewest"]) == (3, 2)
    assert repeats["avg"]["item_f1"] == pytest.approx(1 / 9)
    assert repeats["max"]["item_f1"] == repeats["pass"] == pytest.approx(1 / 3)
    assert last["summary"]["mean_answered"]["item_f1"] == pytest.approx(1 / 6)
    text = call("score", path, answers).stdout
    assert "Avg@3: item_f1 0.111" in text
    assert "Pass@3: 0.333" in text
    assert "a task has 2 to 3 answers" in text


def test_the_benchmarks_means_stand_beside_ours(out, tmp_path):
    path, answers = _oracle(out, tmp_path, ["right", "wrong"])
    *_, last = lines("score", path, answers, "--compat", "widesearch", "--json")
    assert last["summary"]["mean_answered"]["widesearch_success"] == 0.5
    assert last["summary"]["repeats"]["max"]["widesearch_item_f1"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_without_an_answer_is_a_fault(out, tmp_path, text):
    path, answers = _oracle(out, tmp_path)
    answers.write_text(text)
    assert "answers.jsonl: no answer there" in call("score", path, answers, code=1).output
    assert lines("score", path, answers, "--json", code=1)[0]["summary"]["mean_all"]["item_f1"] == 0.0


def test_tasks_are_taken_from_files_folders_and_worlds(out, tmp_path):
    path, answers = _oracle(out, tmp_path, ["right"])
    for tasks, number in ((path, 3), (out / path.stem, 3), (out, 6), (out / "_tasks", 6)):
        assert lines("score", tasks, answers, "--json")[-1]["summary"]["tasks"] == number
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "empty: no tasks" in call("score", empty, answers, code=2).output
    (empty / "a.jsonl").write_text(path.read_text())
    other = json.loads(path.read_text().splitlines()[0])
    other["gold"] = other["gold"][:1]
    (empty / "b.jsonl").write_text(json.dumps(other))
    assert "has another gold table in another file" in call("score", empty, answers, code=2).output


def test_an_unknown_task_gets_a_close_match(out, tmp_path):
    path, answers = _oracle(out, tmp_path, ["right"])
    name = json.loads(answers.read_text())["task_id"]
    answers.write_text(json.dumps({"task_id": name[:-1], "answer": ""}))
    error, summary = lines("score", path, answers, "--json", code=1)
    assert f"Did you mean '{name}'?" in error["error"]
    summary = summary["summary"]
    assert (summary["answered"], summary["faults"], summary["mean_answered"]) == (0, 1, None)
    assert set(summary["mean_all"].values()) == {0.0}


def test_tasks_are_verified_and_mined_again(copy):
    assert all(r["ok"] for r in lines("tasks", copy, "--verify", "--json"))
    path = next((copy / "_tasks").glob("*.jsonl"))
    before = path.read_bytes()
    town = next(w for w in worlds(copy) if w.name == path.stem)
    call("tasks", town, "--count", "3")
    assert path.read_bytes() == before
    rows = [json.loads(line) for line in before.splitlines()]
    rows[0]["certificate"]["calls"] = rows[0]["certificate"]["calls"][:-1]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    assert [r["ok"] for r in lines("tasks", town, "--verify", "--json", code=1)] == [False, True, True]


@pytest.mark.parametrize("to", ["jsonl", "verl"])
def test_export(out, tmp_path, to):
    (made,) = lines("export", out, "--to", to, "--out", tmp_path, "--test-share", "0", "--json")
    assert made["train"] == 6
    assert any(p.name.startswith("train.") for p in tmp_path.iterdir())


def test_schema_check(tmp_path, repository):
    said = call("schema", "check", "town", "--worlds", "5").stdout
    assert "it can be used; see the warnings above" in said
    assert "by its declared totals a world has 316 to 446 facts" in said
    text = (repository / "schemas" / "town.toml").read_text()
    path = tmp_path / "town.toml"
    path.write_text(text.replace('rank = "value"', 'rank = "valu"'))
    assert "no column 'valu' in 'shop'. Did you mean 'value'?" in call("schema", "check", path, code=1).output
    path.write_text(text.replace("[rules]", '[rules]\nnever = { on = "shop", must = "floor < 0" }'))
    said = call("schema", "check", path, "--worlds", "1", code=1).output
    assert "rules.never: never held; 100.0% of" in said
    assert call("schema", "check", path, "--worlds", "1", "--json", code=1).output.startswith("{")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["generate", "towm", "--out", "x"], "Did you mean 'town'"),
        (["generate", "--out"], "requires an argument"),
        (["generate", "--count", "0", "--out", "x"], "--count"),
        (["generat"], "Did you mean 'generate'"),
        (["check", "nowhere"], "no world there"),
        (["run", "{out}", "--agent", "orakle"], "Did you mean 'oracle'"),
        (["export", "{out}", "--to", "verk", "--out", "x"], "Did you mean 'verl'"),
        (["search", "{world}", "x", "--profile", "claen"], "Did you mean 'clean'"),
        (["search", "{out}", "x"], "holds 2 worlds: "),
        (["show", "{out}", "--table", "shop"], "Name one: "),
        (["score", "nowhere.jsonl", "nowhere.jsonl"], "can't be read"),
        (["score", "{out}", "{out}"], "Is a directory: name a .jsonl file in it"),
        (["schema", "check", "{out}"], "That is a folder: name a .toml file in it"),
        (["show", "{world}", "--page", "shop/9999"], "no page"),
        (["search", "{world}", "x", "--store", "{out}"], "unable to open database file. Name a file in a folder"),
        (["search", "{world}", "x", "--store", "{out}/no/x.db"], "x.db: unable to open database file. Name a file"),
        (["search", "{world}", "x", "--model", ""], "the name of the model is empty"),
        (["search", "{world}", "x", "--model", "m", "--model-url", "here"], "model URL 'here': give scheme and host"),
        (["evaluate", "{world}", "--model", "m", "--base-url", "here:80"], "model URL 'here:80': give scheme and host"),
        (["export", "{out}", "--to", "jsonl", "--out", "{out}"], "holds worlds: name another folder as --out"),
        (["export", "{out}", "--to", "jsonl", "--out", "{out}/_tasks"], "is a folder of the worlds beside it"),
        (["export", "{out}", "--to", "beir", "--test-share", "0.2", "--out", "{out}-beir"], "leave out --curriculum"),
        (["search", "{world}", "x", "--model", "m", "--deadline", "nan"], "nan is no finite number"),
        (["generate", "town", "--density", "nan", "--out", "x"], "nan is no finite number"),
        (["schema", "check", "{world}/world.json"], "That is a file: end its name in .toml"),
        (["generate", "town.toml", "--out", "x"], "Did you mean the shipped schema 'town'?"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(out, args, says):
    result = call(*[a.format(out=out, world=worlds(out)[0]) for a in args], code=2)
    assert says in result.output
    assert "Traceback" not in result.output


def test_a_folder_that_can_not_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    result = call("generate", "town", "--out", tmp_path / "file", code=2)
    assert "file" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("name", [".jsonl", ".json"])
def test_a_disk_that_is_full_when_tasks_are_written_leaves_no_world_and_no_task(tmp_path, monkeypatch, name):
    write = files.write_file

    def full(path, data):
        if path.parent.name == "_tasks" and path.suffix == name:
            raise OSError(28, "No space left on device", str(path))
        write(path, data)

    monkeypatch.setattr(files, "write_file", full)
    result = call("generate", "town", "--tasks", "1", "--size", "small", "--out", tmp_path / "w", code=1)
    assert "No space left on device" in result.stderr
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    call("generate", "town", "--tasks", "1", "--size", "small", "--out", tmp_path / "w")
    assert sorted(p.name for p in (tmp_path / "w").iterdir()) == ["_tasks", worlds(tmp_path / "w")[0].name]


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_has_help(name):
    said = call(name, "--help").stdout
    assert main.commands[name].help
    assert "Usage:" in said


class FakeModel(BaseHTTPRequestHandler):
    """An OpenAI-compatible endpoint that lies: a page that names a price nobody has."""

    asked: ClassVar[list[dict]] = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body)
        reply = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "# Lies\n\n77"}}
            ],
        }
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


@pytest.fixture
def endpoint():
    FakeModel.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), FakeModel)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_a_language_model_is_asked_and_what_it_may_not_say_is_not_said(out, endpoint, tmp_path):
    town = next(w for w in worlds(out) if w.name.startswith("town"))
    url = lines("search", town, "shops", "--json")[0]["results"][0]["url"]
    ours = call("extract", town, url).stdout
    asked = ["--model", "fake", "--model-url", endpoint, "--store", tmp_path / "store.sqlite"]
    said = call("extract", town, url, *asked).stdout
    assert FakeModel.asked
    assert "77" not in said.split("\n")[2]
    assert all(line in said for line in ours.splitlines() if line.startswith("| "))
    gold = json.loads(next((out / "_tasks").glob("town*.jsonl")).read_text().splitlines()[0])
    assert gold["question"] not in json.dumps(FakeModel.asked)


def test_who_answered_is_told_and_why_it_was_not_the_model(out, endpoint, tmp_path):
    town = next(w for w in worlds(out) if w.name.startswith("town"))
    asked = ["--model", "fake", "--store", tmp_path / "store.sqlite", "--model-url"]
    assert lines("search", town, "shops", "--json")[0]["source"] == "renderer"
    dead = call("search", town, "shops", "--json", *asked, "http://127.0.0.1:9/v1")
    assert json.loads(dead.stdout)["source"] == "renderer"
    assert dead.stderr.startswith("worldsmith: our renderer answered: backend failed: http://127.0.0.1:9/v1 could not")
    url = json.loads(dead.stdout)["results"][0]["url"]
    wrote = call("extract", town, url, "--json", *asked, endpoint)
    assert json.loads(wrote.stdout)["source"] == "renderer"
    assert wrote.stderr.startswith("worldsmith: our renderer answered: rejected: sentence gives '77', which states no")
    assert wrote.stderr.count("\n") == 1
    again = call("extract", town, url, "--json", *asked, endpoint)
    assert (json.loads(again.stdout)["source"], again.stderr) == ("store", "")
    assert json.loads(again.stdout)["text"] == json.loads(wrote.stdout)["text"]


def test_a_server_says_what_it_counted_when_it_ends(out):
    town = next(w for w in worlds(out) if w.name.startswith("town"))
    command = [sys.executable, "-m", "worldsmith", "serve", str(town), "--port", "0"]
    command += ["--model", "fake", "--model-url", "http://127.0.0.1:9/v1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        url = re.search(r"http://[\d.:]+", child.stdout.readline())[0]
        request = urllib.request.Request(f"{url}/api/search", b'{"query": "shops"}')
        urllib.request.urlopen(request).close()
        child.terminate()
        said = child.communicate(timeout=20)[1]
    failed, answered, model = said.splitlines(keepends=True)
    assert failed.startswith("worldsmith: the model failed, our renderer answers for it: http://127.0.0.1:9/v1 could")
    assert answered + re.sub(r" milliseconds \d+,", "", model) == (
        "worldsmith: answered: backend_failed 1, renderer 1, web_search 1\n"
        "worldsmith: model: calls 1, failed 1, tries 3, unreachable 3\n"
    )


def test_a_store_needs_a_model(out, tmp_path):
    said = call("search", worlds(out)[0], "x", "--store", tmp_path / "s", code=2).output
    assert "holds no text of any model. Name the --model that writes" in said
    named = call("search", worlds(out)[0], "x", "--model", "a", "--prose", "b", code=2).output
    assert "--model writes pages too: name it or --prose" in named
