"""Two hundred more attacks: a backend that answers with each, and the server asked for each."""

import asyncio
import json
from dataclasses import replace

import guard_world
import pytest
from starlette.testclient import TestClient
from test_guard_attacks import GUARD, PAGES, WORLD, Liar, ids, results, served, views

from worldsmith.pages import Pages
from worldsmith.serving import create_app
from worldsmith.simulate.markdown_reader import parse_markdown
from worldsmith.simulate.plan_writer import render_hit
from worldsmith.simulate.protocol import Address, Call, Result, Slice, View
from worldsmith.simulate.simulator import Simulator

CASES = [
    json.loads(line)
    for line in (guard_world.CASES / "guard_attacks_more.jsonl").read_text(encoding="utf-8").split("\n")
    if line
]
TOLD = [case for case in CASES if case["text_testable"]]
SEARCHES = [case for case in TOLD if case["call"]["tool"] == "search"]
EXTRACTS = [case for case in TOLD if case["call"]["tool"] == "extract"]
PAGE_AT = {url: page_id for page_id, url in guard_world.ADDRESSES.items()}
COLUMNS = ("name", "founded", "director", "altitude_m", "budget", "city")


def values(case: dict) -> list[str]:
    """The withheld values that a case would tell, as they are written."""
    return [
        str(guard_world.OBSERVATORIES[int(row[1]) - 1][COLUMNS.index(col)])
        for row, _, col in (target.partition(".") for target in case["targets"])
    ]


@pytest.fixture(scope="module")
def server() -> TestClient:
    app = create_app([WORLD], simulate=lambda world: Simulator(world, pages=PAGES, strict=True))
    return TestClient(app, base_url="http://localhost:8000")


def test_the_suite_is_large() -> None:
    assert len(CASES) == 200
    assert len({case["id"] for case in CASES}) == 200
    assert {case["category"] for case in CASES} == {case["category"] for case in guard_world.cases()}


@pytest.mark.parametrize("case", [c for c in SEARCHES if c["verdict"] == "leak"], ids=ids)
def test_a_lying_backend_leaks_nothing_in_hits(case: dict) -> None:
    drafted, seen, query = results(case), views(case), case["call"]["query"]
    verdicts = [v for r, view in zip(drafted, seen, strict=False) for v in GUARD.hit(r, view, query)]
    part = Slice(Call("web_search", query), tuple(seen[: len(drafted)]), more=False)
    verdicts += GUARD.reply(drafted, part)
    assert all(v.why for v in verdicts if not v.ok)
    ours = tuple(render_hit(view, i, query, WORLD, PAGES) for i, view in enumerate(part.views))
    arrived = served(case, tuple(drafted))
    if [v for v in verdicts if not v.ok and v.where not in ("date", "url")]:
        assert arrived == ours
    else:  # only an address or a date was wrong, and those are never theirs
        assert [v for v in verdicts if not v.ok]
        assert [(r.url, r.date, r.score) for r in arrived] == [(r.url, r.date, r.score) for r in ours]


@pytest.mark.parametrize("case", [c for c in SEARCHES if c["verdict"] == "legit"], ids=ids)
def test_an_honest_hit_arrives_unchanged(case: dict) -> None:
    drafted, seen, query = results(case), views(case), case["call"]["query"]
    for result, view in zip(drafted, seen, strict=False):
        assert [(v.where, v.text, v.why) for v in GUARD.hit(result, view, query) if not v.ok] == []
    assert [(r.title, r.snippet) for r in served(case, tuple(drafted))] == [(r.title, r.snippet) for r in drafted]


@pytest.mark.parametrize("case", EXTRACTS, ids=ids)
def test_a_page_arrives_unchanged_or_without_its_lies(case: dict) -> None:
    url = case["call"]["url"]
    said = parse_markdown(case["response"], url)
    simulator = Simulator(WORLD, pages=PAGES, model=Liar(said), strict=True)
    seen = asyncio.run(simulator.acall(Address(WORLD.id), Call("web_extractor", url)))
    if url not in PAGE_AT:
        assert (seen.status, seen.text, simulator.model.asked) == ("not_found", "", 0)
        return
    faults = [(v.where, v.text, v.why) for v in GUARD.doc(said, View(PAGES.page(PAGE_AT[url]), 0.0), "") if not v.ok]
    assert seen.doc is not None
    if case["verdict"] == "legit":
        assert faults == []
        assert (seen.doc.pieces, seen.source) == (said.pieces, "model")
    else:
        assert faults
        assert seen.doc != said
        assert not [text for _, text, _ in faults if text and text in f"{seen.doc.title}\n{seen.text}"]
        assert not [value for value in values(case) if value in seen.text]


class Backend:
    """A language model that puts a case's text into the hit for each page that the case is about."""

    version = "backend"

    def __init__(self, case: dict) -> None:
        self.case = case

    def writer(self, _pages: Pages) -> "Backend":
        return self

    async def draft(self, slice_: Slice, _talk: object) -> tuple[Result, ...]:
        about = {view.page.id: said for view, said in zip(views(self.case), results(self.case), strict=False)}
        ours = [render_hit(view, view.rank, slice_.call.arg, WORLD, PAGES) for view in slice_.views]
        return tuple(
            replace(own, **self.fields(about[view.page.id], own)) if view.page.id in about else own
            for view, own in zip(slice_.views, ours, strict=True)
        )

    @staticmethod
    def fields(said: Result, own: Result) -> dict[str, str]:
        return {"snippet": said.snippet, "title": said.title if said.title != own.title else own.title}


OBSERVATORIES = frozenset(url for page_id, url in guard_world.ADDRESSES.items() if page_id.startswith("observatory/"))
"""Another page may tell a value: the poet's bears the same name, a list of towns tells the town."""


def replies(client: TestClient, case: dict) -> tuple[str, list[dict]]:
    """What the server answers to a case's call: all of it but the hits, and the hits for observatories."""
    call = case["call"]
    if call["tool"] == "GET":
        seen = client.get(call["url"])
    elif call["tool"] == "extract":
        seen = client.post("/extract", json={"urls": [call["url"]]})
    else:
        seen = client.post("/search", json={"query": call["query"]})
    assert seen.status_code < 500
    if call["tool"] != "search":
        return seen.text.replace(call["url"], "") + str(seen.headers), []
    body = seen.json()
    found = [found for found in body.pop("results") if found["url"] in OBSERVATORIES]
    return str(body).replace(call["query"], "") + str(seen.headers), found


def told(case: dict, rest: str, found: list[dict]) -> list[str]:
    """The withheld values of a reply."""
    text = rest + " ".join(f"{r['title']} {r['content']}" for r in found)
    return [value for value in values(case) if value in text]


@pytest.mark.parametrize("case", [c for c in CASES if c["verdict"] == "leak" and c["id"] != "G113"], ids=ids)
def test_the_server_tells_nothing_of_it(server: TestClient, case: dict) -> None:
    assert told(case, *replies(server, case)) == []


@pytest.mark.parametrize("case", [c for c in SEARCHES if c["verdict"] == "leak"], ids=ids)
def test_the_server_behind_a_lying_backend_tells_nothing_of_it(server: TestClient, case: dict) -> None:
    app = create_app([WORLD], simulate=lambda world: Simulator(world, pages=PAGES, model=Backend(case)))
    rest, found = replies(TestClient(app, base_url="http://localhost:8000"), case)
    assert told(case, rest, found) == []
    if not case["response"].startswith(("URL", "Title: Kestrel Point Observatory\nSnippet: an overview\nDate")):
        assert found == replies(server, case)[1]
