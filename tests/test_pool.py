"""Pools: many worlds as one search engine and one web."""

import asyncio
import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import httpx2
import pytest
from click.testing import CliRunner, Result
from starlette.testclient import TestClient

from tests.scripted_models import Model, serving
from tests.served_worlds import sent_by
from worldsmith.agents import AGENTS, SimulatorClient, run
from worldsmith.agents.baselines import request_text
from worldsmith.cli import main
from worldsmith.episode.search_server import SearchServer
from worldsmith.errors import FormatError, NotFoundError, UsageError
from worldsmith.generation import generate
from worldsmith.mining.certificates import replay_fault, task_fault
from worldsmith.mining.cross import groups_of_worlds
from worldsmith.mining.files import save_tasks
from worldsmith.mining.pipeline import MiningRequest, mine_request
from worldsmith.mining.pool import tasks_in_pool
from worldsmith.pages import Pages
from worldsmith.pages.index import FOLDER
from worldsmith.pages.pool import POOL, Pool, open_pool
from worldsmith.rollout.call_formats import FORMATS
from worldsmith.rollout.chat_model import ChatModel
from worldsmith.rollout.many_episodes import Environments, jobs_of, play_many
from worldsmith.schema import Knobs, load_schema
from worldsmith.scoring import Column, Evidence, score, with_evidence
from worldsmith.serving.app import create_app
from worldsmith.simulate.llm.endpoint import Endpoint
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import QueryEvaluator, Scope, Task, gold_sqlite, tasks_of, values_table
from worldsmith.tasks.evidence import required_disclosures
from worldsmith.tasks.files import read_tasks
from worldsmith.tasks.parts import leading_worlds
from worldsmith.tasks.question_reader import Unclear, compared_of_question, query_of_question, subjects_of_question
from worldsmith.tasks.task import Member, united_table
from worldsmith.tasks.worlds import PooledWorlds, SeparateWorlds
from worldsmith.train.environment import Environment
from worldsmith.train.exports.beir import NEGATIVES
from worldsmith.train.exports.rows import split_tasks, worlds_of
from worldsmith.train.failures import failures
from worldsmith.world.engine import attach
from worldsmith.world.files import read_jsonl, save_jsonl, save_world, world_folders
from worldsmith.world.model import World

SEEDS = (("town", 7), ("films", 3), ("town", 12))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three worlds, two of one schema, with four small tasks each and those of their pool."""
    out = tmp_path_factory.mktemp("pool")
    request = MiningRequest(4, size="small")
    for name, seed in SEEDS:
        world = generate(load_schema(name), seed, language="natural")
        place = save_world(world, out)
        save_tasks(place, world, request, mine_request(world, request))
    result = CliRunner().invoke(main, ["tasks", str(out), "--pool", "--cross", "3", "--json"])
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture(scope="module")
def pool(folder: Path) -> Pool:
    return open_pool(world_folders([folder]))


@pytest.fixture(scope="module")
def simulator(pool: Pool) -> PoolSimulator:
    return PoolSimulator(pool)


@pytest.fixture(scope="module")
def cross(pool: Pool) -> list[Task]:
    """The pool's tasks over several worlds."""
    return [task for task in read_tasks(pool.tasks_file) if task.members]


def _queries(simulator: PoolSimulator) -> list[str]:
    """Return the name of one row of each world."""
    pages = (simulator.world(world).pages_of(Address(world)) for world in simulator.pool.worlds)
    return [one.keys(one.page(one.ids()[0]).subject)[0] for one in pages if one.page(one.ids()[0]).subject]


def _subject(simulator: PoolSimulator) -> Callable[[str], str]:
    return lambda world: simulator.world(world).world.subject


def test_the_id_is_that_of_the_worlds_wherever_they_lie_and_in_any_order(
    folder: Path, pool: Pool, tmp_path: Path
) -> None:
    for world in reversed(pool.worlds):
        shutil.copytree(folder / world, tmp_path / world)
    other = open_pool(list(reversed(world_folders([tmp_path]))))
    assert (other.id, other.digests, other.hosts) == (pool.id, pool.digests, pool.hosts)
    assert (tmp_path / POOL).read_bytes() == (folder / POOL).read_bytes()
    shutil.rmtree(tmp_path / pool.worlds[0])
    fewer = open_pool(world_folders([tmp_path]))
    assert fewer.id != pool.id
    assert fewer.worlds == pool.worlds[1:]
    assert json.loads((tmp_path / POOL).read_text())["pool"] == fewer.id


def test_a_damaged_record_is_made_anew(folder: Path, pool: Pool, tmp_path: Path) -> None:
    for world in pool.worlds:
        shutil.copytree(folder / world, tmp_path / world)
    for text in (
        "{",
        "[]",
        json.dumps({"pool": pool.id, "hosts": 3}),
        (folder / POOL).read_text().replace("town", "x"),
    ):
        (tmp_path / POOL).write_text(text)
        assert open_pool(world_folders([tmp_path])).hosts == pool.hosts


def test_worlds_that_share_a_host_are_refused_by_name(tmp_path: Path) -> None:
    worlds = [generate(load_schema("town"), 7, language=language) for language in ("natural", "plain")]
    shared = set.intersection(*({site.host for site in Pages(world).sites} for world in worlds))
    assert shared
    for world in worlds:
        save_world(world, tmp_path)
    with pytest.raises(UsageError, match=f"is a site of .*{worlds[0].id}.*one web can't hold both") as refused:
        open_pool(world_folders([tmp_path]))
    assert str(refused.value).split()[0] in shared


def test_a_common_name_stands_in_several_worlds_and_a_search_gives_each(tmp_path: Path) -> None:
    knobs = Knobs((200, 250), common_names=0.3)
    worlds = [generate(load_schema("town"), seed, knobs=knobs, language="natural") for seed in (9, 10)]
    for world in worlds:
        save_world(world, tmp_path)
    simulator = PoolSimulator(open_pool(world_folders([tmp_path])))
    shops = sorted(name for table, name in worlds[0].common_names & worlds[1].common_names if table == "shop")
    assert shops
    for shop in shops:
        hits = simulator.call(Address(simulator.id), Call("web_search", shop)).results
        assert {simulator.pool.world_at(hit.url) for hit in hits} == {world.id for world in worlds}


def test_worlds_of_several_folders_are_refused(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(next(folder.glob("films-*")), tmp_path / "films")
    with pytest.raises(UsageError, match="a pool is of the worlds of one folder"):
        open_pool(world_folders([folder, tmp_path]))


def test_a_search_finds_rows_of_every_world_and_pages_are_read_by_their_host(simulator: PoolSimulator) -> None:
    address = Address(simulator.id)
    hosts = set()
    for query in _queries(simulator):
        observation = simulator.call(address, Call("web_search", query))
        first = observation.results[0]
        hosts.add(simulator.pool.world_at(first.url))
        page = simulator.call(address, Call("web_extractor", first.url))
        assert (page.status, query in page.text) == ("ok", True)
        ranks = [view.rank for view in observation.part.views]  # type: ignore[union-attr]
        assert ranks == sorted(set(ranks))
        assert [result.score for result in observation.results] == sorted(
            (result.score for result in observation.results), reverse=True
        )
    assert hosts == set(simulator.pool.worlds)


def test_a_page_reads_as_in_its_world_alone_under_every_profile(simulator: PoolSimulator) -> None:
    world = simulator.pool.worlds[-1]
    alone = Simulator(simulator.pool.open(world))
    urls = [alone.pages_of(Address(world)).url(i) for i in alone.pages_of(Address(world)).ids()[::40]]
    for profile in ("clean", "realistic", "adversarial"):
        for url in urls:
            for attempt in range(3):
                call = Call("web_extractor", url)
                own = alone.call(Address(world, profile, 5), call, attempt)
                pooled = simulator.call(Address(simulator.id, profile, 5), call, attempt)
                assert (pooled.status, pooled.text, pooled.fault) == (own.status, own.text, own.fault)
                assert dict(pooled.disclosed_by_world).get(alone.world.digest, ()) == own.disclosed


def test_paging_shows_each_hit_once_under_a_profile_with_edits(simulator: PoolSimulator) -> None:
    for profile in ("clean", "realistic", "adversarial"):
        urls: list[str] = []
        for page in range(1, 7):
            for attempt in range(3):
                call = Call("web_search", "bakery in the parish", page, 10, exact=True)
                observation = simulator.call(Address(simulator.id, profile, 2, "s"), call, attempt)
                if observation.status == "ok":
                    break
            urls += [result.url for result in observation.results]
        assert len(urls) >= 30
        assert len(urls) == len(set(urls))


def test_a_world_may_lie_in_a_folder_of_another_name(folder: Path, pool: Pool, tmp_path: Path) -> None:
    for i, world in enumerate(pool.worlds):
        shutil.copytree(folder / world, tmp_path / f"folder-{i}")
    renamed = PoolSimulator(open_pool(world_folders([tmp_path])))
    assert renamed.id == pool.id
    query = _queries(renamed)[0]
    assert renamed.call(Address(pool.id), Call("web_search", query)).results[0].title


def test_a_host_of_no_world_is_not_found(simulator: PoolSimulator) -> None:
    address = Address(simulator.id)
    for url in ("https://nowhere.example/x", "nonsense", "https://example.com/"):
        assert simulator.call(address, Call("web_extractor", url)).status == "not_found"
    with pytest.raises(NotFoundError, match="is not in the pool"):
        simulator.world("town-0000000000")
    with pytest.raises(UsageError, match="this is the pool"):
        simulator.call(Address("town-0000000000"), Call("web_search", "x"))


def test_two_pools_of_the_same_worlds_give_the_same_bytes(
    folder: Path, simulator: PoolSimulator, tmp_path: Path
) -> None:
    for world in reversed(simulator.pool.worlds):
        shutil.copytree(folder / world, tmp_path / world)
    other = pickle.loads(pickle.dumps(PoolSimulator(open_pool(list(reversed(world_folders([tmp_path])))), memory=1)))
    for profile in ("clean", "realistic"):
        for query in (
            *_queries(simulator),
            "bakery in the parish",
            "award for the best film",
            'site:nowhere.example "x y"',
        ):
            call = Call("web_search", query)
            assert other.call(Address(other.id, profile), call, 2) == simulator.call(
                Address(simulator.id, profile), call, 2
            )


def test_another_process_and_order_of_folders_gives_the_same_index_and_replies(
    folder: Path, simulator: PoolSimulator, tmp_path: Path
) -> None:
    copies = [
        shutil.copytree(folder / world, tmp_path / f"{i}-copy")
        for i, world in enumerate(reversed(simulator.pool.worlds))
    ]
    queries = _queries(simulator)
    program = f"""if True:
        from pathlib import Path
        from worldsmith.pages.pool import open_pool
        from worldsmith.simulate.pool import PoolSimulator
        from worldsmith.simulate.protocol import Address, Call
        simulator = PoolSimulator(open_pool([Path(folder) for folder in {[str(copy) for copy in copies]!r}]))
        for query in {queries!r}:
            print(simulator.call(Address(simulator.id, "realistic"), Call("web_search", query), 1).results)
    """
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    printed = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, check=True, text=True
    ).stdout
    address = Address(simulator.id, "realistic")
    expected = [str(simulator.call(address, Call("web_search", query), 1).results) for query in queries]
    assert printed.splitlines() == expected
    first, second = (next(place.glob(f"{FOLDER}/pool-*.short")) for place in (folder, tmp_path))
    assert first.read_bytes() == second.read_bytes()


def test_certificates_hold_in_the_web_they_were_made_in_alone(simulator: PoolSimulator) -> None:
    held = dict(PooledWorlds(simulator).tasks())
    assert sum(map(len, held.values())) >= 9
    for world_id, tasks in held.items():
        world = simulator.pool.open(world_id)
        for task in tasks[:2]:
            assert task_fault(task, world, simulator) is None
            fault = task_fault(task, world, Simulator(world))
            assert fault == (
                f"it was made in the pool {simulator.id}, these calls are answered in its world alone: "
                "take the tasks of that file"
            )


def test_a_task_whose_question_names_no_subject_is_left_out(folder: Path, pool: Pool, simulator: PoolSimulator) -> None:
    world = pool.worlds[0]
    subject = Pages(pool.open(world)).voice.subject  # type: ignore[union-attr]
    first, *others = tasks_of(folder / world)
    unnamed = replace(first, question=first.question.replace(subject, "that place"))
    result = tasks_in_pool(world, [unnamed, *others], simulator)
    assert result.rejected == {"its question names no subject": 1}
    assert len(result.tasks) == len(others)


def test_an_episode_in_a_pool_earns_by_what_its_replies_disclosed(simulator: PoolSimulator) -> None:
    world_id, task = next((world, tasks[0]) for world, tasks in PooledWorlds(simulator).tasks() if tasks)
    world = simulator.pool.open(world_id)
    environment = Environment(world, task, simulator, max_turns=200, hits=10, max_chars=100_000)
    environment.reset()
    for call in task.certificate["calls"]:
        name = call["tool"]
        arguments = {"query": call["arg"], "page": call["page"]} if name == "web_search" else {"url": call["arg"]}
        environment.step(f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>")
    end = environment.step(task.table())
    assert end.reward is not None
    assert end.reward.total > 0.9
    environment.reset()
    from_memory = environment.step(task.table())
    assert from_memory.reward is not None
    assert from_memory.reward.total <= 0


def test_a_task_over_two_worlds_has_the_rows_of_both_under_their_names(
    simulator: PoolSimulator, cross: list[Task]
) -> None:
    assert [bool(task.compared) for task in cross] == [False, False, True]
    towns = sorted((world for world in simulator.pool.worlds if world.startswith("town-")), key=_subject(simulator))
    for task in cross:
        assert (list(task.worlds), task.kind, task.world) == (towns, "cross", simulator.id)
        assert task.columns[0].name == "Town"
        rows = []
        for part in task.parts:
            world = simulator.world(part.world).world
            with attach(world) as connection:
                own = gold_sqlite(task.query, connection, world.schema)
            assert len(own) > 0
            assert part.gold == (own if part.is_queried else ())
            rows += [(world.subject, *row) for row in part.gold]
        assert task.gold == tuple(rows)
        assert 10 <= len(rows) <= 100
        assert task.query.scope.of is None
        assert task.query.top is None


def test_the_pages_of_its_cells_name_their_world(simulator: PoolSimulator, cross: list[Task]) -> None:
    for task in cross:
        for part in task.parts:
            known = frozenset(simulator.pages_of(Address(simulator.id), part.world).ids())
            assert {page for cells in part.pages for cell in cells for page in cell} <= known
            assert all(cells[0] for cells in part.pages)
        named = {page.partition("/")[0] for row in task.pages for cell in row for page in cell}
        assert named == {part.world for part in task.parts if part.is_queried}
        assert {row[0] for row in task.pages} == {()}


def test_its_question_names_each_world_and_is_read_back_alike_in_all(
    simulator: PoolSimulator, cross: list[Task]
) -> None:
    for task in cross:
        first, second = (member.subject for member in task.members)
        assert f"the towns of {first} and {second}" in task.question
        for world_id in task.worlds:
            schema = simulator.world(world_id).world.schema
            assert query_of_question(task.question, schema) == task.query
            assert subjects_of_question(task.question, schema) == (first, second)
            assert compared_of_question(task.question, schema) == task.compared
            other = task.question.replace(f"of {first} and {second}", f"of {second} and {first}")
            with pytest.raises(Unclear, match="are not those of"):
                subjects_of_question(other, schema)


def test_a_task_over_several_worlds_is_read_as_it_was_written_and_others_know_of_none(pool: Pool) -> None:
    for task in read_tasks(pool.tasks_file):
        data = task.to_json()
        assert Task.from_json(json.loads(json.dumps(data))) == task
        assert ("members" in data) == (len(task.worlds) > 1)
        assert ("compared" in data) == (task.compared is not None)
        assert (task.parts == (task,)) == (not task.members)
    renamed = json.loads(json.dumps(data))
    renamed["members"][0][2] = "Elsewhere"
    with pytest.raises(FormatError, match="its members are not those of its world_digest"):
        Task.from_json(renamed)


def test_rows_under_another_world_and_a_world_alone_are_faults(simulator: PoolSimulator, cross: list[Task]) -> None:
    task = cross[0]
    world = simulator.world(task.worlds[0]).world
    assert task_fault(task, world, simulator) is None
    first, second = (member.subject for member in task.members)
    other = {first: second, second: first}
    swapped = replace(task, gold=tuple((other[str(row[0])], *row[1:]) for row in task.gold))
    assert task_fault(swapped, world, simulator) == "its gold is not what its query gives: mine the tasks again"
    backwards = replace(task, gold=tuple(reversed(task.gold)), pages=tuple(reversed(task.pages)))
    assert task_fault(backwards, world, simulator) is not None
    with pytest.raises(UsageError, match="is not served here; this is"):
        task_fault(task, world, Simulator(world))


def test_the_world_with_the_most_rows_of_a_comparison_is_asked(simulator: PoolSimulator, cross: list[Task]) -> None:
    task = cross[-1]
    assert task.compared is not None
    table, scope = task.compared.table, task.compared.scope
    worlds = [simulator.world(world).world for world in task.worlds]
    counts = [sum(value in scope.values for value in world.tables[table][scope.column]) for world in worlds]
    assert [part.is_queried for part in task.parts] == [count == max(counts) for count in counts]
    assert sum(part.is_queried for part in task.parts) == 1
    for part, world, count in zip(task.parts, worlds, counts, strict=True):
        needed = required_disclosures(part, QueryEvaluator(world))
        assert len({row for row, column in needed if (row.table, column) == (table, scope.column)}) >= count
        assert part.is_queried or {column for _, column in needed} == {
            scope.column,
            *(path[0] for path in task.compared.key),
        }
    others = {value for world in worlds for value in world.tables[table][scope.column]} - set(scope.values)
    evaluators = [QueryEvaluator(world) for world in worlds]
    queries = [replace(task.compared, scope=Scope(scope.column, (value,))) for value in sorted(others)]
    led = [part.is_queried for part in task.parts]
    other = next(query for query in queries if leading_worlds(query, evaluators) != led)
    fault = task_fault(replace(task, compared=other), worlds[0], simulator)
    assert fault == "its gold is not of the world that leads the comparison: mine the tasks again"


def test_scripted_agents_answer_for_each_world_in_turn(simulator: PoolSimulator, cross: list[Task]) -> None:
    for task in cross:
        world = simulator.world(task.worlds[1]).world
        client = SimulatorClient(simulator, Address(simulator.id), {})
        scores = {name: run(task, world, name, client).scored(task) for name in AGENTS}
        for name in ("oracle", "reworded"):
            assert (scores[name].item.f1, scores[name].row.f1, scores[name].success) == (1.0, 1.0, True)
        for name in set(AGENTS) - {"oracle", "reworded"}:
            assert scores[name].row.f1 == 0.0
            assert scores[name].nonkey.f1 <= 0.1
        whole = united_table(task, [values_table(part.columns, part.gold) for part in task.parts])
        assert whole == task.table()
        answer = run(task, world, "oracle", client).answer
        assert sorted(answer.split("\n")) == sorted(whole.split("\n"))


@pytest.mark.parametrize("profile", ["realistic", "adversarial"])
def test_a_task_over_several_worlds_is_solved_under_profiles(
    simulator: PoolSimulator, cross: list[Task], profile: str
) -> None:
    for task in cross[1:]:
        client = SimulatorClient(simulator, Address(simulator.id, profile, 1), {})
        assert replay_fault(task, simulator.world(task.worlds[0]).world, client) is None


def test_rows_of_a_world_earn_only_by_what_was_read_of_it(simulator: PoolSimulator, cross: list[Task]) -> None:
    task = min((task for task in cross if not task.compared), key=lambda one: one.turns)
    world = simulator.world(task.worlds[0]).world
    environment = Environment(world, task, simulator, max_turns=1000, hits=10, max_chars=100_000)

    def reward(worlds: Sequence[str]) -> float:
        environment.reset()
        for call in task.certificate["calls"]:
            search = call["tool"] == "web_search"
            if search or simulator.pool.world_at(call["arg"]) in worlds:
                arguments = {"query": call["arg"], "page": call["page"]} if search else {"url": call["arg"]}
                environment.step(f"<tool_call>{json.dumps({'name': call['tool'], 'arguments': arguments})}</tool_call>")
        end = environment.step(task.table())
        assert end.reward is not None
        return end.reward.total

    assert reward(task.worlds) == 1.0
    for one, other in (task.worlds, task.worlds[::-1]):
        assert 0 < reward([one]) < 0.9
        counts = failures(task, score(task.table(), task.columns, task.gold), environment.observations)
        unread = sum(len(part.gold) * len(task.others) for part in task.parts if part.world == other)
        # A snippet may state a cell of the world whose pages were not read.
        assert 0.9 * unread <= counts["right_unread"] <= unread
        assert counts["right"] + counts["right_unread"] == len(task.gold) * len(task.others)
    environment.reset()
    from_memory = environment.step(task.table()).reward
    assert from_memory is not None
    assert from_memory.total == 0.0
    films = simulator.world(next(one for one in simulator.pool.worlds if one.startswith("films-"))).world
    with pytest.raises(UsageError, match=f"is of the worlds {' and '.join(task.worlds)}, not of films-"):
        Environment(films, task, simulator)


def test_groups_hold_worlds_of_one_schema_each_world_once(simulator: PoolSimulator) -> None:
    groups = groups_of_worlds(simulator)
    towns = {world for world in simulator.pool.worlds if world.startswith("town-")}
    assert {schema: [set(group) for group in some] for schema, some in groups.items()} == {"town": [towns]}


def test_worlds_that_a_task_joins_are_split_together(cross: list[Task]) -> None:
    def task(*worlds: str) -> Task:
        members = tuple(Member(world, "", "") for world in worlds) if len(worlds) > 1 else ()
        return replace(cross[0], world="pool-0" if members else worlds[0], members=members)

    tasks = [task("a"), task("b", "c"), task("c", "d"), task("e"), task("b"), task("f")]
    for share in (0.1, 0.3, 0.5, 0.9):
        sides = [worlds_of(side) for side in split_tasks(tasks, share).values()]
        assert set.union(*sides) == set("abcdef")
        assert not set.intersection(*sides)
        assert {frozenset("bcd") & side for side in map(frozenset, sides)} == {frozenset("bcd"), frozenset()}
        assert 1 <= len(sides[1]) <= 5
        assert len(sides[1]) >= share * 6 or len(sides[0]) in {1, 3}
    (whole, last) = split_tasks(tasks[1:3], 0.5).values()
    assert (whole, last) == ([tasks[1]], [tasks[2]])


@pytest.fixture(scope="module")
def client(folder: Path, pool: Pool) -> Iterator[TestClient]:
    with TestClient(create_app([pool])) as client:
        yield client


def test_root_routes_of_every_dialect_answer_over_all_worlds(
    client: TestClient, simulator: PoolSimulator, pool: Pool
) -> None:
    for query in _queries(simulator):
        hits = client.post("/api/search", json={"query": query}).json()["results"]
        assert hits == client.post(f"/w/{pool.id}/api/search", json={"query": query}).json()["results"]
        world = pool.world_at(hits[0]["url"])
        assert world is not None
        tavily = client.post("/search", json={"query": query, "max_results": 5}).json()
        assert tavily["results"][0]["url"] == hits[0]["url"]
        retrieved = client.post("/retrieve", json={"queries": [query], "topk": 3}).json()["result"][0]
        assert hits[0]["url"] in str(retrieved[0])
        page = client.post("/api/extract", json={"url": hits[0]["url"]})
        alone = client.post(f"/w/{world}/api/extract", json={"url": hits[0]["url"]})
        assert page.json() == alone.json()
        assert page.headers["x-worldsmith-evidence"] == alone.headers["x-worldsmith-evidence"]
        assert client.get("/web/" + hits[0]["url"].removeprefix("https://")).status_code == 200
        keyed = client.post(
            "/api/search", json={"query": query}, headers={"Authorization": f"Bearer ws-{pool.id};profile=open"}
        )
        assert keyed.json()["results"][0]["url"] == hits[0]["url"]


def test_no_reply_of_a_pool_names_a_world(client: TestClient, simulator: PoolSimulator) -> None:
    for query in _queries(simulator):
        search = client.post("/api/search", json={"query": query})
        page = client.post("/api/extract", json={"url": search.json()["results"][0]["url"]})
        html = client.get("/web/" + search.json()["results"][0]["url"].removeprefix("https://"))
        for reply in (search, page, html):
            assert not [world for world in simulator.pool.worlds if world in reply.text or world in str(reply.headers)]


def test_a_name_that_is_not_served_is_refused(client: TestClient) -> None:
    reply = client.post("/w/pool-0000000000/api/search", json={"query": "x"})
    assert (reply.status_code, "there is no world 'pool-0000000000' here" in reply.json()["error"]) == (404, True)


def test_commands_take_a_pool_as_they_take_a_world(folder: Path, simulator: PoolSimulator) -> None:
    cli: Callable[..., Result] = CliRunner().invoke
    query = _queries(simulator)[0]
    hits = json.loads(cli(main, ["search", str(folder), query, "--pool", "--json"]).output)["results"]
    expected = simulator.call(Address(simulator.id), Call("web_search", query)).results
    assert [hit["url"] for hit in hits] == [result.url for result in expected]
    text = json.loads(cli(main, ["extract", str(folder), hits[0]["url"], "--pool", "--json"]).output)["text"]
    assert text == simulator.call(Address(simulator.id), Call("web_extractor", hits[0]["url"])).text
    run = cli(main, ["run", str(folder), "--pool", "--agent", "oracle", "--limit", "4", "--json"])
    rows = [json.loads(line) for line in run.output.splitlines()]
    assert [(row["item_f1"], row["row_f1"]) for row in rows] == [(1.0, 1.0)] * 4
    verified = cli(main, ["tasks", str(folder), "--pool", "--verify"])
    assert (verified.exit_code, "all certificates hold" in verified.output) == (0, True)


def test_worlds_alone_and_pooled_are_opened_by_the_same_ids(folder: Path, simulator: PoolSimulator) -> None:
    alone, pooled = SeparateWorlds(world_folders([folder])), PooledWorlds(simulator)
    assert alone.ids == pooled.ids
    for world in alone.ids:
        assert alone.open(world).digest == pooled.open(world).digest == simulator.pool.digests[world]
        assert (alone.simulator(world).id, pooled.simulator(world).id) == (world, simulator.id)
    for worlds in (alone, pooled):
        for world, tasks in worlds.tasks():
            assert {(task.worlds[0], task.web) for task in tasks} <= {(world, worlds.simulator(world).id)}
        with pytest.raises(NotFoundError, match="'town-0000000000' is not"):
            worlds.open("town-0000000000")
    assert [alone.as_mined(world) for world in alone.ids] == [True] * 3
    assert not any(map(pooled.as_mined, pooled.ids))


def test_a_world_is_known_by_its_manifest_and_named_once(folder: Path, pool: Pool, tmp_path: Path) -> None:
    world = pool.worlds[0]
    renamed = shutil.copytree(folder / world, tmp_path / "renamed")
    (tmp_path / "_tasks").mkdir()
    shutil.copyfile(folder / "_tasks" / f"{world}.jsonl", tmp_path / "_tasks" / "renamed.jsonl")
    out = tmp_path / "out"
    result = CliRunner().invoke(main, ["export", str(renamed), "--to", "jsonl", "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    assert {row["world"] for row in read_jsonl(out / "train.jsonl")} == {world}
    twice = CliRunner().invoke(main, ["run", str(renamed), str(folder / world), "--agent", "oracle"])
    assert twice.exit_code == 2
    assert f"world '{world}' is given twice: {renamed}, {folder / world}" in twice.output


def test_a_curriculum_lists_the_tasks_of_a_pool(folder: Path, pool: Pool, tmp_path: Path) -> None:
    file = tmp_path / "curriculum.jsonl"
    result = CliRunner().invoke(main, ["tasks", str(folder), "--pool", "--verify", "--curriculum", str(file)])
    assert result.exit_code == 0, result.output
    kept = [task["task_id"] for task in read_jsonl(pool.tasks_file)]
    assert sorted(row["task_id"] for row in read_jsonl(file)) == sorted(kept)
    assert [line.partition(": ")[2] for line in result.output.splitlines()] == ["all certificates hold"] * 3


def test_a_dropped_task_is_out_of_the_pool_and_of_its_world(
    folder: Path, pool: Pool, cross: list[Task], tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "w")
    copied = PooledWorlds(PoolSimulator(replace(pool, folder=tmp_path / "w")))
    every = [task.task_id for task in read_tasks(pool.tasks_file)]
    crossing = cross[0].task_id
    own = next(task.task_id for _, some in copied.tasks() for task in some if not task.members)
    args = ["tasks", str(tmp_path / "w"), "--drop", crossing, "--drop", own, "--reason", "unfair"]
    assert CliRunner().invoke(main, args).exit_code == 0
    left = [task.task_id for _, some in copied.tasks() for task in some]
    assert sorted(left) == sorted(set(every) - {crossing, own})
    assert copied.dropped() == {crossing: "unfair", own: "unfair"}
    held = [task for world in pool.worlds for task in tasks_of(tmp_path / "w" / world)]
    assert held
    assert own not in {task.task_id for task in held}


def test_a_model_plays_the_tasks_of_a_pool_in_process_and_over_http_alike(
    folder: Path, pool: Pool, client: TestClient, tmp_path: Path
) -> None:
    def handle(request: httpx2.Request) -> httpx2.Response:
        reply = client.post(request.url.raw_path.decode(), content=request.content)
        return httpx2.Response(reply.status_code, content=reply.content, headers=dict(reply.headers))

    worlds = PooledWorlds(PoolSimulator(pool))
    tasks = [task for _, some in worlds.tasks() for task in some]
    assert any(task.members for task in tasks)
    rows: list[dict[str, Any]] = []

    async def over_http(url: str) -> None:
        model = ChatModel(Endpoint(url, "perfect"))
        await play_many(
            jobs_of(tasks, 1),
            Environments(worlds, server=SearchServer("http://host", send=sent_by(handle))),
            model,
            FORMATS["native"],
            concurrency=2,
            record=rows.append,
        )
        await model.close()

    with serving(Model(tasks)) as url:
        options = ["--agent", "openai", "--model", "perfect", "--model-url", url, "--json"]
        run = CliRunner().invoke(main, ["run", str(folder), "--pool", *options, "--out", str(tmp_path)])
        asyncio.run(over_http(url))
    here = {row["task_id"]: row for row in map(json.loads, run.stdout.splitlines()[:-1])}
    assert {row["task_id"] for row in rows} == here.keys() == {task.task_id for task in tasks}
    for row in rows:
        assert (row["web"], row["evidenced_item_f1"], row["success"], row["reward"]) == (pool.id, 1.0, True, 1.0)
        assert row["failures"]["right"] == sum(row["failures"].values())
        assert all(
            here[row["task_id"]][name] == row[name] for name in ("failures", "reward_terms", "turns", "tool_tokens")
        )
    assert json.loads((tmp_path / "run.json").read_text())["pool"] == pool.id


def test_exports_send_agents_to_the_pool(folder: Path, pool: Pool, tmp_path: Path) -> None:
    for to in ("jsonl", "verl"):
        args = ["export", str(folder), "--pool", "--to", to, "--out", str(tmp_path / to), "--json"]
        result = CliRunner().invoke(main, args)
        assert result.exit_code == 0, result.output
        counts = json.loads(result.output)
        assert counts["train"] + counts["test"] == len(pool.tasks_file.read_text().splitlines())
    rows = [json.loads(line) for line in (tmp_path / "jsonl" / "train.jsonl").read_text().splitlines()]
    assert {row["base_url"] for row in rows} == {f"http://127.0.0.1:8000/w/{pool.id}"}
    places = duckdb.sql(
        f"SELECT DISTINCT extra_info.tools_kwargs.web_search.create_kwargs.base_url FROM '{tmp_path}/verl/*.parquet'"
    )
    assert places.fetchall() == [(f"http://127.0.0.1:8000/w/{pool.id}",)]


def test_conversations_to_imitate_are_episodes_of_the_pool(
    folder: Path, simulator: PoolSimulator, tmp_path: Path
) -> None:
    result = CliRunner().invoke(main, ["export", str(folder), "--pool", "--to", "sft", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    lines = [line for name in ("train", "test") for line in read_jsonl(tmp_path / f"{name}.jsonl")]
    worlds = PooledWorlds(simulator)
    tasks = {task.task_id: task for _, some in worlds.tasks() for task in some}
    assert sorted(line["task_id"] for line in lines) == sorted(tasks)
    worlds_shown = set()
    for line in lines:
        task, messages = tasks[line["task_id"]], line["messages"]
        environment = Environment(worlds.open(task.worlds[0]), task, simulator, max_turns=len(messages))
        assert messages[:2] == environment.reset()
        for place, message in enumerate(messages[:-1]):
            if "tool_calls" in message:
                (reply,) = environment.step(message).messages
                assert reply == messages[place + 1]
                assert message["content"].startswith("<think>\n")
        reward = environment.step(messages[-1]).reward
        assert reward is not None
        assert (reward.terms["cells"], reward.terms["rows"], reward.terms["whole"]) == (0.7, 0.2, 0.1)
        assert reward.total == pytest.approx(1.0, abs=0.05)  # every other one takes the longer way
        worlds_shown |= {
            (task.worlds[0], simulator.pool.world_at(hit.url))
            for reply in environment.observations
            for hit in reply.results
        }
    assert any(own != shown for own, shown in worlds_shown)


def test_exports_hold_the_evidence_of_all_worlds_of_a_task(
    folder: Path, pool: Pool, simulator: PoolSimulator, cross: list[Task], tmp_path: Path
) -> None:
    for to in ("jsonl", "beir"):
        result = CliRunner().invoke(main, ["export", str(folder), "--pool", "--to", to, "--out", str(tmp_path / to)])
        assert result.exit_code == 0, result.output
    files = (tmp_path / "jsonl").glob("t*.jsonl")
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    rows = {row["task_id"]: row for row in lines}
    qrels = [line.split("\t") for line in (tmp_path / "beir" / "qrels" / "test.tsv").read_text().splitlines()[1:]]
    negatives = {
        row["query_id"]: row["corpus_ids"]
        for row in map(json.loads, (tmp_path / "beir" / "hard_negatives.jsonl").read_text().splitlines())
    }
    for task in cross:
        reference = json.loads(rows[task.task_id]["reference"])
        evidence = Evidence.from_json(reference["evidence"])
        calls = [Call("web_extractor", c["arg"]) for c in task.certificate["calls"] if c["tool"] == "web_extractor"]
        replies = [simulator.call(Address(pool.id), call).text for call in calls]
        assert evidence.whole <= evidence.disclosed_by(replies)
        columns = [Column.from_json(column) for column in reference["columns"]]
        perfect = with_evidence(score(task.table(), columns, reference["rows"]), evidence, evidence.whole)
        assert (perfect.earned.f1, perfect.success) == (1.0, True)
        assert with_evidence(perfect, evidence, ()).earned.f1 == 0.0
        relevant = {url for name, url, _ in qrels if name == task.task_id}
        assert {pool.world_at(url) for url in relevant} == set(task.worlds)
        hits, _ = pool.index("short").search(request_text(task), 60, 1)
        urls = [simulator.world(world).pages_of(Address(world)).url(page_id) for world, page_id, _ in hits]
        assert negatives[task.task_id] == [url for url in urls if url not in relevant][:NEGATIVES]
        assert negatives[task.task_id]
    worlds = {task.task_id: task.worlds for task in read_tasks(pool.tasks_file)}
    assert any(pool.world_at(url) not in worlds[task_id] for task_id, urls in negatives.items() for url in urls)


def test_the_audit_of_a_pool_judges_tasks_over_several_worlds_part_by_part(
    folder: Path, pool: Pool, cross: list[Task], tmp_path: Path
) -> None:
    for name in pool.worlds:
        shutil.copytree(folder / name, tmp_path / name)
    task = next(task for task in cross if len(task.gold) > 1)
    good, bad = task.to_json(), replace(task, gold=task.gold[::-1]).to_json()
    file = tmp_path / "_tasks" / f"{pool.id}.jsonl"
    file.parent.mkdir()
    for line, code in ((good, 0), (bad, 1)):
        save_jsonl(file, [line])
        result = CliRunner().invoke(main, ["audit", "tasks", str(tmp_path), "--pool", "--json"])
        report = json.loads(result.stdout)
        assert (result.exit_code, report["worlds"], report["tasks"], report["ok"]) == (code, 3, 1, code == 0)
        assert report["groups"][0]["pages_needed"]["least"] >= len(task.worlds)
    assert "another engine gives other gold" in report["findings"][0]


def test_a_program_is_asked_over_the_served_pool(folder: Path, pool: Pool, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(
        "import json, sys, urllib.request\n"
        "task = json.load(sys.stdin)\n"
        "body = json.dumps({'query': task['question'][:200], 'k': 20}).encode()\n"
        "kind = {'Content-Type': 'application/json'}\n"
        "request = urllib.request.Request(task['base_url'] + '/api/search', body, kind)\n"
        "hits = json.load(urllib.request.urlopen(request))['results']\n"
        "hosts = sorted({hit['url'].split('/')[2] for hit in hits})\n"
        "sys.exit(' '.join([hosts[0], hosts[-1], task['base_url']]))\n"
    )
    command = ["audit", "tasks", str(folder), "--pool", "--program", str(tmp_path / "program.py"), "--json"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    errors = [score["error"] for score in map(json.loads, result.stdout.splitlines()[:-1])]
    assert len(errors) == len(list(read_tasks(pool.tasks_file)))
    assert all(error.endswith(f"/w/{pool.id}") for error in errors)
    assert any(len({pool.hosts[host] for host in error.split()[-3:-1]}) > 1 for error in errors)


def test_an_environment_takes_only_tasks_proved_where_their_calls_are_answered(simulator: PoolSimulator) -> None:
    world_id, task = next((world, tasks[0]) for world, tasks in PooledWorlds(simulator).tasks() if tasks)
    world = simulator.pool.open(world_id)
    with pytest.raises(UsageError, match=f"was proved in {simulator.id}, not in {world.id}"):
        Environment(world, task, Simulator(world))


def test_a_pool_without_tasks_says_how_to_make_them(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(next(folder.glob("films-*")), tmp_path / "films")
    result = CliRunner().invoke(main, ["run", str(tmp_path), "--pool", "--agent", "oracle"])
    assert result.exit_code == 2
    assert f"make them with `worldsmith tasks {tmp_path} --pool`" in result.output


def test_a_task_of_no_world_of_the_pool_is_refused(folder: Path, pool: Pool, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "w")
    file = tmp_path / "w" / pool.tasks_file.relative_to(pool.folder)
    rows = [task.to_json() for task in read_tasks(file)]
    row = next(row for row in rows if "members" in row)
    del row["members"]
    save_jsonl(file, rows)
    result = CliRunner().invoke(main, ["run", str(tmp_path / "w"), "--pool", "--agent", "oracle"])
    assert result.exit_code == 2
    assert f"task {row['task_id']}: {pool.id} is no world of {pool.id}" in result.output


def test_a_world_is_opened_in_a_thread_and_what_a_model_writes_is_asked_for_at_once(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulator = PoolSimulator(pool)
    threads, running, most = set(), 0, 0
    opened, answered = Pool.open, Simulator.answer_by_model

    def open_world(self: Pool, world: str) -> World:
        threads.add(threading.current_thread())
        return opened(self, world)

    async def answer(self: Simulator, *arguments: Any) -> Observation:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return await answered(self, *arguments)

    monkeypatch.setattr(Pool, "open", open_world)
    monkeypatch.setattr(Simulator, "answer_by_model", answer)
    call = Call("web_search", "opened bakery film award", k=30)
    address = Address(pool.id)
    observation = asyncio.run(simulator.acall(address, call))
    assert threading.current_thread() not in threads
    assert len(threads) >= 1
    assert most == len(observation.disclosed_by_world) > 1
    page = Call("web_extractor", observation.results[0].url)
    assert asyncio.run(PoolSimulator(pool).acall(address, page)) == simulator.call(address, page)
    assert threading.current_thread() not in threads
    assert observation == simulator.call(address, call)


def test_the_index_of_a_pool_is_kept_in_the_folder_named(folder: Path, pool: Pool, tmp_path: Path) -> None:
    passed: list[str] = []

    def progress(worlds: Sequence[str]) -> Iterator[str]:
        passed.extend(worlds)
        return iter(worlds)

    for _ in range(2):
        pool.index("short", progress, tmp_path)
    assert passed == list(pool.worlds)  # made once
    own = folder / "_index" / f"{pool.id}.short"
    assert (tmp_path / own.name).read_bytes() == own.read_bytes()
