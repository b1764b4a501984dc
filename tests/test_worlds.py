"""The worlds in the repository: whole, consistent, solvable, and the ones that this version makes."""

import json
import sqlite3

import pytest

from worldsmith.checking import check
from worldsmith.generation import generate
from worldsmith.mining.certificates import Certificate, verify
from worldsmith.pages import RENDER
from worldsmith.schema import load_schema
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task
from worldsmith.world import files

GOLDEN = {
    "smartphones-2ffb366f0c": "c5dd1118d06765eea5b4f3d43419dad3cb430124fa6aaff5947c4c418e59a313",
    "town-e037c676f4": "ea11031eb4fcfb83c023a7120c7faf24193060cff52e83d6b9426c2a23d4d084",
}


@pytest.fixture(params=sorted(GOLDEN))
def folder(request, repository):
    return repository / "worlds" / request.param


def test_all_of_them_are_named_here(repository):
    assert {
        f.name: json.loads((f / "world.json").read_text())["digest"]
        for f in files.world_folders([repository / "worlds"])
    } == GOLDEN


def test_it_is_consistent(folder):
    world = files.load_world(folder)
    assert world.digest == GOLDEN[folder.name]
    assert check(world).ok


def test_this_version_makes_it(folder):
    world = files.load_world(folder)
    assert generate(load_schema(world.schema.name), world.seed, language="natural") == world


def test_its_references_hold_by_another_engine(folder):
    from worldsmith.schema.structure import parents_first
    from worldsmith.world.typed_rows import create_tables

    world = files.load_world(folder)
    connection = sqlite3.connect(":memory:")
    connection.executescript(create_tables(world.schema))
    for name in parents_first(world.schema):
        columns = world.tables[name]
        marks = ", ".join("?" * len(columns))
        connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', zip(*columns.values(), strict=True))
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_its_certificates_hold(folder):
    world = files.load_world(folder)
    simulator = Simulator(world, strict=True)
    tasks = [Task.from_json(row) for row in files.read_jsonl(files.tasks_file(folder))]
    assert len(tasks) == 5
    for task in tasks:
        assert task.certificate["render"] == RENDER
        assert verify(Certificate.from_json(task.certificate), task, world, simulator) is None
