"""Exports of many tasks: read one at a time, divided, gone on with after a kill, in shards, with a data card."""

import gc
import json
import os
import signal
import subprocess
import sys
from hashlib import sha256
from itertools import islice

import duckdb
import pytest

from tests.task_draws import candidates, save_recorded
from worldsmith.errors import FormatError, NotFoundError, UsageError
from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.schema import in_language, load_schema
from worldsmith.tasks import Task
from worldsmith.tasks.worlds import JoinedWorlds, SeparateWorlds
from worldsmith.train import exports
from worldsmith.train.exports import CANARY, export, lazy
from worldsmith.train.exports.evidence import Statements, with_references
from worldsmith.train.exports.lazy import UNFINISHED
from worldsmith.train.exports.parquet import write_parquet
from worldsmith.train.exports.rows import outlines_of, response_tokens, split_by
from worldsmith.world.files import read_jsonl, save_world, tasks_file, write_file

TASKS = 3


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Three worlds with three tasks each: two of one schema, in wordings to train and to test, and one of another."""
    out = tmp_path_factory.mktemp("w")
    town, phones = load_schema("town"), load_schema("smartphones")
    schemas = [in_language(town, "natural", "train"), in_language(town, "natural", "test"), phones]
    worlds = [generate(schema, 1, language="natural" if schema is not phones else "plain") for schema in schemas]
    made = [save_world(world, out) for world in worlds]
    for folder, world in zip(made, worlds, strict=True):
        save_recorded(folder, list(islice(candidates(world, Pages(world), 1, "small"), TASKS)))
    return made


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def live_tasks():
    gc.collect()
    return sum(isinstance(one, Task) for one in gc.get_objects())


def test_an_export_holds_a_chunk_of_tasks_at_most(folders, tmp_path, monkeypatch):
    live = []

    def write(splits, out, _serving, worlds):
        for part in splits.values():
            live.extend(live_tasks() for _ in with_references(part, worlds))
        write_file(out / "README.md", b"")

    monkeypatch.setattr(lazy, "CHUNK", 1)
    monkeypatch.setitem(exports.FORMATS, "probe", write)
    before = live_tasks()
    export(SeparateWorlds(folders), "probe", tmp_path)
    assert len(live) == 3 * TASKS
    # The one at hand, the one whose value was computed, and what the reading of a world keeps.
    assert max(live) - before <= 3


def test_a_part_is_read_anew_each_time_and_says_when_its_file_has_changed(folders):
    splits = split_by(outlines_of(SeparateWorlds(folders)), SeparateWorlds(folders), "worlds", 0.3)
    part = splits["train"]
    assert [task.task_id for task in part] == [task.task_id for task in part] == [o.task_id for o in part.outlines]
    assert len(part) == 2 * TASKS
    assert next(iter(part)) in part
    assert next(iter(splits["test"])) not in part
    assert response_tokens(part.outlines) == response_tokens(part)
    file = part.outlines[0].place.file
    content = file.read_bytes()
    try:
        file.write_bytes(b"\n" + content)
        with pytest.raises(FormatError, match="no task at byte 0, where one was"):
            list(part)
    finally:
        file.write_bytes(content)


KILLED = """
import os, signal, sys
from pathlib import Path
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import evidence, export, lazy
lazy.CHUNK = 2
evidence_of, count = evidence.Statements.evidence, 0
def counted(self, task):
    global count
    count += 1
    if count > 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return evidence_of(self, task)
evidence.Statements.evidence = counted
export(SeparateWorlds(map(Path, sys.argv[2:])), "jsonl", Path(sys.argv[1]), test_share=0)
"""


def test_an_export_that_was_killed_goes_on_after_the_last_whole_chunk(folders, tmp_path, monkeypatch):
    out, whole = tmp_path / "killed", tmp_path / "whole"
    done = subprocess.run([sys.executable, "-c", KILLED, str(out), *map(str, folders)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [path.name for path in out.iterdir() if not path.name.startswith(".")] == []
    computed = []
    evidence_of = Statements.evidence
    monkeypatch.setattr(lazy, "CHUNK", 2)
    monkeypatch.setattr(Statements, "evidence", lambda self, task: computed.append(task) or evidence_of(self, task))
    export(SeparateWorlds(folders), "jsonl", out, test_share=0)
    assert len(computed) == 3 * TASKS - 4  # two chunks of two were whole
    export(SeparateWorlds(folders), "jsonl", whole, test_share=0)
    assert files(out) == files(whole)
    assert not (out / UNFINISHED).exists()


def test_what_another_export_left_is_not_used(folders, tmp_path):
    (tmp_path / "out" / UNFINISHED / "0123" / "train" / "references").mkdir(parents=True)
    (tmp_path / "out" / UNFINISHED / "0123" / "train" / "references" / "000000000.jsonl").write_text('"x"\n' * 9)
    export(SeparateWorlds(folders), "jsonl", tmp_path / "out", test_share=0)
    assert not (tmp_path / "out" / UNFINISHED).exists()
    assert "x" not in [row["reference"] for row in read_jsonl(tmp_path / "out" / "train.jsonl")]


def test_an_error_leaves_nothing(folders, tmp_path, monkeypatch):
    def write(splits, _out, _serving, worlds):
        list(with_references(splits["train"], worlds))
        raise FormatError("no")

    monkeypatch.setitem(exports.FORMATS, "probe", write)
    with pytest.raises(FormatError, match="no"):
        export(SeparateWorlds(folders), "probe", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("hold_out", "tests"), [("smartphones", {2}), ("town", {0, 1}), ("wordings", None)])
def test_schemas_and_wordings_can_be_held_out(folders, hold_out, tests, tmp_path):
    worlds = SeparateWorlds(folders if tests else folders[:2])
    export(worlds, "jsonl", tmp_path, hold_out=hold_out)
    rows = {name: {row["world"] for row in read_jsonl(tmp_path / f"{name}.jsonl")} for name in ("train", "test")}
    expected = {folders[i].name for i in tests or {1}}
    assert rows == {"train": set(worlds.ids) - expected, "test": expected}
    card = (tmp_path / "README.md").read_text()
    assert f"--hold-out {hold_out} --out DIR`" in card
    assert "wordings kept for tests" in card if hold_out == "wordings" else f"all tasks of {hold_out} are for" in card


def test_what_can_not_be_held_out_is_said(folders, tmp_path):
    worlds = SeparateWorlds(folders)
    for hold_out, error, why in (
        ("twon", NotFoundError, "Did you mean 'town'"),
        ("town,smartphones", UsageError, "no task is left to train on"),
        ("wordings", UsageError, f"{folders[2].name} is written in wordings of both kinds"),
    ):
        with pytest.raises(error, match=why):
            export(worlds, "jsonl", tmp_path / "x", hold_out=hold_out)
    with pytest.raises(UsageError, match="no task is left to test on"):
        export(SeparateWorlds(folders[:1]), "jsonl", tmp_path / "x", hold_out="wordings")
    with pytest.raises(UsageError, match="a test share is of worlds"):
        export(worlds, "jsonl", tmp_path / "x", hold_out="town", test_share=0.1)
    with pytest.raises(UsageError, match="all tasks of beir are for testing"):
        export(worlds, "beir", tmp_path / "x", hold_out="town")


def test_the_data_card_says_what_an_export_was_made_of(folders, tmp_path):
    export(SeparateWorlds(folders), "jsonl", tmp_path, test_share=0, seed=3, profile="realistic")
    card = (tmp_path / "README.md").read_text().partition("## Data card")[2]
    digest = sha256((tmp_path / "train.jsonl").read_bytes()).hexdigest()
    assert f"| train.jsonl | {digest} |" in card
    assert "`worldsmith export WORLDS --to jsonl --test-share 0 --profile realistic --seed 3 --out DIR`" in card
    assert "| licence | Apache-2.0 |" in card
    digests = sorted(json.loads((folder / "world.json").read_bytes())["digest"] for folder in folders)
    listed = sha256(json.dumps(digests, separators=(",", ":")).encode()).hexdigest()
    assert f"| worlds | 3, sha256 {listed} over" in card
    rows = sorted(len(json.loads(row["reference"])["rows"]) for row in read_jsonl(tmp_path / "train.jsonl"))
    assert f"| wide | small | 9 | {rows[4]}, {rows[-1]} | 0, 0 | 0, 0 | - | - | - | - |" in card
    assert CANARY in card


def test_rows_beyond_a_shard_go_into_numbered_files(tmp_path):
    rows = [{"n": n, "text": "é" * 90} for n in range(7)]
    columns = {"n": "BIGINT", "text": "VARCHAR"}
    assert write_parquet(rows, tmp_path / "one.parquet", columns) == [tmp_path / "one.parquet"]
    assert write_parquet([], tmp_path / "none.parquet", columns) == [tmp_path / "none.parquet"]
    parts = write_parquet(iter(rows), tmp_path / "train.parquet", columns, shard=500)
    assert [part.name for part in parts] == [f"train-{i:05}-of-00003.parquet" for i in range(3)]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["none.parquet", "one.parquet", *(p.name for p in parts)]
    )
    with duckdb.connect() as connection:
        for name, count in (("train*", 7), ("one", 7), ("none", 0)):
            read = f"SELECT n, text FROM read_parquet('{tmp_path}/{name}.parquet') ORDER BY n"
            assert connection.execute(read).fetchall() == [(row["n"], row["text"]) for row in rows[:count]]
        sizes = [connection.execute(f"SELECT count(*) FROM '{part}'").fetchone()[0] for part in parts]
    assert sizes == [3, 3, 1]


def test_joined_worlds_are_each_answered_as_in_their_own(folders):
    worlds = JoinedWorlds([SeparateWorlds(folders[:1]), SeparateWorlds(folders[1:])])
    assert worlds.ids == tuple(folder.name for folder in folders)
    assert [world for world, _ in worlds.tasks()] == list(worlds.ids)
    assert [task.world for _, task in worlds.stream_tasks()] == [world for world in worlds.ids for _ in range(TASKS)]
    for folder in folders:
        info = json.loads((folder / "world.json").read_bytes())
        assert (worlds.open(folder.name).digest, worlds.digest(folder.name)) == (info["digest"], info["digest"])
        assert worlds.simulator(folder.name).id == folder.name
        assert worlds.as_mined(folder.name)
    assert [worlds.wordings(world) for world in worlds.ids] == ["train", "test", "all"]
    with pytest.raises(NotFoundError, match="is not among those named"):
        worlds.open("elsewhere")
    with pytest.raises(UsageError, match="is given twice"):
        JoinedWorlds([SeparateWorlds(folders), SeparateWorlds(folders[:1])])


def test_readme_comes_last(folders, tmp_path, monkeypatch):
    moved = []
    replace = os.replace

    def moving(self, target):
        moved.append(str(target))
        replace(self, target)

    monkeypatch.setattr("pathlib.Path.replace", moving)
    export(SeparateWorlds(folders), "jsonl", tmp_path / "out")
    assert moved[-1] == str(tmp_path / "out" / "README.md")
    assert tasks_file(folders[0]).is_file()
