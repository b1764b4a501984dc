"""What replies disclose, in process, over HTTP and in a transcript, and what that is worth."""

import itertools
import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.task_draws import candidates
from worldsmith import scoring
from worldsmith.agents import SimulatorClient, run
from worldsmith.pages import Pages
from worldsmith.serving import create_app
from worldsmith.simulate.disclosure import disclosed_by_cells, disclosed_by_page, disclosure_hashes, is_all_children
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import QueryEvaluator, tasks_of
from worldsmith.tasks.evidence import cell_evidence
from worldsmith.train.environment import Environment
from worldsmith.train.exports.evidence import Statements

SHIPPED = Path(__file__).parents[1] / "worlds"


@pytest.fixture(scope="module")
def solved(town):
    simulator = Simulator(town, strict=True)
    tasks = list(itertools.islice(candidates(town, Pages(town), 5, "small"), 3))
    return town, simulator, [(task, run(task, town, "oracle", SimulatorClient(simulator))) for task in tasks]


def replay(simulator, calls, **cut):
    """Return the observations of an episode's calls."""
    address = Address(simulator.world.id)
    return [
        simulator.call(
            address, Call(c["tool"], c["arg"], c.get("page", 1), c.get("k", 10), **cut if "url" in c else {})
        )
        for c in calls
    ]


def test_a_page_discloses_its_cells_and_a_hit_its_heads(town):
    simulator, address = Simulator(town), Address(town.id)
    pages = Pages(town)
    for page_id in pages.ids()[::7]:
        page = pages.page(page_id)
        observation = simulator.call(address, Call("web_extractor", page.url))
        if observation.status == "ok":
            cells = [cell for cell in page.cells if cell.value is not None]
            assert disclosed_by_cells(page, cells, town) <= set(observation.disclosed)
            assert set(observation.disclosed) <= disclosed_by_cells(page, page.cells, town) | disclosed_by_page(
                page, town
            )
    hits = simulator.call(address, Call("web_search", "inspections in 2024"))
    heads = [disclosed_by_cells(view.page, view.page.head.cells, town) for view in hits.part.views]
    assert set(hits.disclosed) == frozenset().union(*heads)
    assert simulator.call(address, Call("web_extractor", "https://nobody.example/x")).disclosed == ()


def test_the_parts_of_a_page_disclose_what_each_of_them_prints(town):
    simulator, address, pages = Simulator(town), Address(town.id), Pages(town)
    columns = {(t.name, c.name): c.answer() for t in town.schema.tables.values() for c in t.columns}
    cut_pages = 0
    for page_id in pages.ids()[::5]:
        whole_page = simulator.call(address, Call("web_extractor", pages.url(page_id)))
        parts, offset = [], 0
        while offset is not None and whole_page.status == "ok":
            part = simulator.call(address, Call("web_extractor", pages.url(page_id), offset=offset, max_chars=240))
            parts.append(part)
            key = {cell.col for cell in whole_page.page.cells if cell.row == whole_page.page.subject}
            for row, col in part.disclosed:
                if (
                    is_all_children((row, col))
                    or (row == whole_page.page.subject and col in key)
                    or col == whole_page.page.scope
                ):
                    continue
                value, column = town.value(row, col), columns[row.table, col]
                by = {block.by for block in whole_page.page.blocks}
                printed = part.text if offset == 0 else whole_page.text[max(0, offset - 40) : offset] + part.text
                written = any(form in printed for form in scoring.forms(value, column)) or col in by
                assert written or value is None or isinstance(value, bool), (page_id, row, col, part.text)
            offset = part.next_offset
        cut_pages += len(parts) > 1
        if parts:
            assert {one for part in parts for one in part.disclosed} == set(whole_page.disclosed)
    assert cut_pages > 20


def test_nothing_is_disclosed_that_an_edit_told_otherwise(town):
    pages = Pages(town)
    for name in PROFILES:
        if PROFILES[name].edits:
            simulator, told = Simulator(town), 0
            for page_id in pages.ids()[::9]:
                observation = simulator.call(Address(town.id, name, 3), Call("web_extractor", pages.url(page_id)), 5)
                if observation.page is None:
                    continue
                for row, col in (one for one in observation.disclosed if not is_all_children(one)):
                    values = {c.value for c in observation.page.cells if (c.row, c.col) == (row, col)}
                    assert town.value(row, col) in values
                wrong = {(c.row, c.col) for c in observation.page.cells if c.value != town.value(c.row, c.col)}
                right = {(c.row, c.col) for c in observation.page.cells if c.value == town.value(c.row, c.col)}
                assert not (wrong - right).intersection(observation.disclosed)
                told += 1
            assert told


def test_gold_earns_by_the_calls_that_tell_it_and_by_no_others(solved):
    world, simulator, episodes = solved
    for (task, episode), (other, elsewhere) in zip(episodes, episodes[1:] + episodes[:1], strict=True):
        evidence = cell_evidence(task, QueryEvaluator(world))
        score = scoring.score(task.table(), task.columns, task.gold)
        own = [disclosure_hashes(o.disclosed, world.digest) for o in replay(simulator, episode.calls)]
        assert scoring.with_evidence(score, evidence, {*itertools.chain(*own)}) == score
        idle = simulator.call(Address(world.id), Call("web_search", "a history of the parish"))
        assert scoring.with_evidence(score, evidence, disclosure_hashes(idle.disclosed, world.digest)).earned.f1 == 0.0
        lists = [o for o in replay(simulator, episode.calls) if o.page is not None and o.page.scope]
        if lists:
            shown = disclosure_hashes(lists[0].disclosed, world.digest)
            assert scoring.with_evidence(score, evidence, shown).earned.f1 < 1.0
        assert other.task_id != task.task_id
        assert elsewhere.calls != episode.calls


def test_a_page_that_names_the_row_and_does_not_tell_the_cell_pays_nothing(town):
    """Each cell beside each page that names its row, and prints its value perhaps: by plan and by transcript."""
    simulator, pages, evaluator = Simulator(town), Pages(town), QueryEvaluator(town)
    statements, address = Statements(town), Address(town.id)
    checked = coincidences = 0
    for task in itertools.islice(candidates(town, Pages(town), 7, "wide"), 2):
        evidence = statements.evidence(task)
        bare = cell_evidence(task, evaluator)
        assert bare.cells == evidence.cells
        replies = {}
        for page_id in pages.ids():
            page = pages.page(page_id)
            if not page.dormant:
                observation = simulator.call(address, Call("web_extractor", page.url))
                replies[page_id] = observation
        for i, row in enumerate(task.gold):
            name = scoring.show(row[0], task.columns[0])
            naming = [p for p, o in replies.items() if name in o.text]
            for j in task.others:
                need = evidence.cells[i][j]
                if not need:
                    continue
                for page_id in (p for p in naming if p not in task.pages[i][j]):
                    observation = replies[page_id]
                    shown = disclosure_hashes(observation.disclosed, town.digest)
                    assert not scoring.evidence.is_met(need, shown)
                    assert not scoring.evidence.is_met(need, evidence.disclosed_by([observation.text]))
                    checked += 1
                    coincidences += scoring.show(row[j], task.columns[j]) in observation.text
    assert checked >= 500
    assert coincidences > 0


def test_a_memorised_table_after_one_list_page_earns_what_the_list_tells(solved):
    world, simulator, _ = solved
    task = next(t for t in candidates(world, Pages(world), 11, "wide") if len(t.gold) > 4)
    search = simulator.call(Address(world.id), Call("web_search", "directory"))
    directory = next(hit.url for hit in search.results)
    environment = Environment(world, task, simulator)
    environment.reset()
    environment.step(f'<tool_call>{{"name": "web_extractor", "arguments": {{"url": "{directory}"}}}}</tool_call>')
    step = environment.step(task.table())
    assert step.score.success
    assert step.reward.total == 0.0


def test_the_header_holds_what_the_reply_disclosed_and_the_body_does_not(town):
    simulator = Simulator(town)
    with TestClient(create_app([town])) as client:
        query = simulator.call(Address(town.id), Call("web_search", "inspections in 2024", k=5))
        reply = client.post("/api/search", json={"query": "inspections in 2024", "k": 5})
        assert reply.headers["X-Worldsmith-Evidence"].split() == disclosure_hashes(query.disclosed, town.digest)
        url = query.results[0].url
        page = simulator.call(Address(town.id), Call("web_extractor", url, max_chars=300))
        reply = client.post("/api/extract", json={"url": url, "max_chars": 300})
        shown = disclosure_hashes(page.disclosed, town.digest)
        assert reply.headers["X-Worldsmith-Evidence"].split() == shown
        assert shown
        assert not any(token in reply.text for token in shown)
        batch = client.post("/retrieve", json={"queries": ["inspections in 2024", "shops"], "topk": 3})
        both = [simulator.call(Address(town.id), Call("web_search", q, k=3)) for q in ("inspections in 2024", "shops")]
        expected = [" ".join(disclosure_hashes(one.disclosed, town.digest)) for one in both]
        assert batch.headers["X-Worldsmith-Evidence"].split(", ") == expected
        long = client.post("/retrieve", json={"queries": ["inspections in 2024"] * 200, "topk": 3})
        assert "X-Worldsmith-Evidence" not in long.headers  # clients refuse longer ones
        assert "X-Worldsmith-Evidence" not in client.post("/api/search", json={}).headers


@pytest.mark.parametrize("profile", ["clean", "web"])
def test_a_transcript_of_our_pages_is_evidence_enough(profile):
    folder = next(path for path in SHIPPED.iterdir() if path.name.startswith("town"))
    from worldsmith.world.files import load_world

    world = load_world(folder)
    simulator, statements = Simulator(world), Statements(world)
    for task in tasks_of(folder):
        evidence = scoring.Evidence.from_json(json.loads(json.dumps(statements.evidence(task).to_json())))
        score = scoring.score(task.table(), task.columns, task.gold)
        calls = [Call("web_extractor", c["arg"]) for c in task.certificate["calls"] if c["tool"] == "web_extractor"]
        replies = [simulator.call(Address(world.id, profile), call).text for call in calls]
        assert scoring.with_evidence(score, evidence, evidence.disclosed_by(replies)) == score
        assert scoring.with_evidence(score, evidence, evidence.disclosed_by([task.table()])).earned.f1 == 0.0
