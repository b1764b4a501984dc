"""Indices in files: what is read back ranks alike; damage, other worlds and folders that can't be written to."""

import dataclasses
import os

import numpy as np
import pytest
from pages_world import isles

from worldsmith.cli.backend import Answering, ModelChoice
from worldsmith.pages import Pages
from worldsmith.pages.index import Index, saved
from worldsmith.pages.index.files import dumps, key, loads
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator

PAGES = Pages(isles())
INDEX = Index(PAGES)
NAME = key(PAGES)
QUERIES = (
    "Orvane Head",
    '"keeper of"',
    "lighthouses of slate stone",
    "1902-05-09",
    "Corigane",
    "site:x",
    "heaviness",
    "",
)


def answers(index: Index) -> list:
    return [index.search(query, 20, 1) for query in QUERIES]


def test_what_is_read_back_ranks_alike():
    read = loads(dumps(INDEX.stock, NAME), NAME)
    assert read is not None
    for field in dataclasses.fields(read):
        assert np.array_equal(getattr(read, field.name), getattr(INDEX.stock, field.name)), field.name
    assert answers(Index(PAGES, read)) == answers(INDEX)
    assert dumps(read, NAME) == dumps(INDEX.stock, NAME)


def test_an_index_hangs_on_world_length_and_seed():
    names = {key(Pages(isles(seed), length)) for seed in (5, 6) for length in ("short", "web")}
    assert len(names) == 4
    assert NAME in names
    assert loads(dumps(INDEX.stock, NAME), "other") is None


@pytest.mark.parametrize("place", [0, 8, 16, 40, 700, -1])
def test_a_changed_byte_is_found(place):
    data = bytearray(dumps(INDEX.stock, NAME))
    data[place] ^= 1
    assert loads(bytes(data), NAME) is None


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 500])
def test_a_torn_file_is_none(size):
    assert loads(dumps(INDEX.stock, NAME)[:size], NAME) is None


def test_a_file_is_written_once_and_read_ever_after(tmp_path, monkeypatch):
    indexed = saved(lambda _: tmp_path / "deep" / "_index")
    assert answers(indexed(PAGES)) == answers(INDEX)
    (file,) = (tmp_path / "deep" / "_index").iterdir()
    assert file.name == f"{PAGES.world.id}.short"
    before = file.stat().st_mtime_ns
    monkeypatch.setattr(Pages, "plan", None)  # no page is looked at
    assert answers(indexed(Pages(PAGES.world))) == answers(INDEX)
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_file_is_made_anew(tmp_path, damage):
    indexed = saved(lambda _: tmp_path)
    indexed(PAGES)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert answers(indexed(PAGES)) == answers(INDEX)
    assert file.read_bytes() == whole


def test_a_file_of_another_world_is_made_anew(tmp_path):
    indexed = saved(lambda _: tmp_path)
    indexed(PAGES)
    (file,) = tmp_path.iterdir()
    file.write_bytes(dumps(INDEX.stock, "another world"))
    assert answers(indexed(PAGES)) == answers(INDEX)
    assert loads(file.read_bytes(), NAME) is not None


def test_a_folder_that_cannot_be_written_to_serves(tmp_path):
    for folder in (tmp_path / "a file" / "below", None):
        (tmp_path / "a file").write_text("")
        assert answers(saved(lambda _, f=folder: f)(PAGES)) == answers(INDEX)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder_serves(tmp_path):
    tmp_path.chmod(0o500)
    assert answers(saved(lambda _: tmp_path)(PAGES)) == answers(INDEX)
    assert list(tmp_path.iterdir()) == []


def test_a_simulator_answers_from_a_file_as_without(tmp_path):
    world = isles()
    indexed = saved(lambda _: tmp_path)
    indexed(Pages(world))
    calls = [Call("web_search", query) for query in QUERIES]
    plain, kept = Simulator(world), Simulator(world, indexed=indexed)
    assert [plain.call(Address(world.id), c) for c in calls] == [kept.call(Address(world.id), c) for c in calls]


def test_a_server_keeps_indices_where_it_is_told(tmp_path):
    world = isles()
    answering = Answering(ModelChoice(None, None, "", None), PROFILES, index_folder=lambda name: tmp_path / name)
    answering.simulator(world).warm(Address(world.id))
    assert [path.name for path in (tmp_path / world.id).iterdir()] == [f"{world.id}.short"]
    plain = Answering(ModelChoice(None, None, "", None), PROFILES).simulator(world)
    assert plain.call(Address(world.id), Call("web_search", QUERIES[0])).results
