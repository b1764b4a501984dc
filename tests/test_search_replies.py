"""What search replies carry in every dialect: whole pages by an explicit policy alone; hosts and days are filtered."""

from datetime import date, timedelta

import pytest
from pages_world import isles
from starlette.testclient import TestClient

from worldsmith.pages import Pages
from worldsmith.pages.index import Index
from worldsmith.pages.renderer import markdown, render
from worldsmith.serving import create_app
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.protocol import Profile
from worldsmith.simulate.simulator import Simulator

WORLD = isles()
PAGES = Pages(WORLD)
INDEX = Index(PAGES)
WHOLE = {**PROFILES, "whole": Profile("whole", "hits carry their pages", full_text=True)}
KEY, PLACE = "Orvane Head", "light/0"
BODIES = {
    "/api/search": {"query": KEY, "k": 4},
    "/search": {"query": KEY, "max_results": 4},
    "/tavily/search": {"query": KEY, "max_results": 4},
    "/exa/search": {"query": KEY, "numResults": 4},
    "/v2/search": {"query": KEY, "limit": 4},
    "/retrieve": {"queries": [KEY], "topk": 4},
}


@pytest.fixture(scope="module")
def client():
    def simulate(world):
        return Simulator(world, pages=PAGES, index=INDEX, profiles=WHOLE, strict=True)

    return TestClient(create_app([WORLD], simulate=simulate, profiles=WHOLE))


def texts(client, path: str, profile: str, **options) -> list[str | None]:
    """The whole pages in a reply: None for a hit that has its snippet alone."""
    reply = client.post(f"/w/{WORLD.id};profile={profile}{path}", json={**BODIES[path], **options}).json()
    if path == "/retrieve":
        return [d["text"] if d["text"].startswith("# ") else None for d in reply["result"][0]]
    if path == "/v2/search":
        return [hit.get("markdown") for hit in reply["data"]["web"]]
    return [r.get("text", r.get("raw_content")) for r in reply["results"]]


@pytest.mark.parametrize("path", BODIES)
def test_hits_carry_no_page_unless_told(client, path):
    assert texts(client, path, "clean") == [None] * 4


@pytest.mark.parametrize("path", BODIES)
def test_a_profile_lets_hits_carry_their_pages(client, path):
    found = texts(client, path, "whole")
    assert len(found) == 4
    assert markdown(render(PAGES.page(PLACE), WORLD, PAGES)) in found


@pytest.mark.parametrize("asked", [True, "markdown", "text"])
def test_tavily_is_asked_for_pages_call_by_call(client, asked):
    found = texts(client, "/search", "clean", include_raw_content=asked)
    assert markdown(render(PAGES.page(PLACE), WORLD, PAGES)) in found
    assert texts(client, "/search", "clean", include_raw_content=False) == [None] * 4


@pytest.mark.parametrize("wish", [True, {}, {"maxCharacters": 10**6}])
def test_exa_is_asked_for_pages_call_by_call(client, wish):
    found = texts(client, "/exa/search", "clean", contents={"text": wish})
    assert markdown(render(PAGES.page(PLACE), WORLD, PAGES)) in found
    assert texts(client, "/exa/search", "clean", contents={"text": False, "highlights": True}) == [None] * 4
    starts = texts(client, "/exa/search", "clean", contents={"text": {"maxCharacters": 60}})
    assert all(0 < len(start) <= 60 for start in starts)
    assert all(any(whole.startswith(start) for whole in found) for start in starts)


@pytest.mark.parametrize("formats", [["markdown"], [{"type": "markdown"}], ["html", "links"]])
def test_firecrawl_is_asked_for_pages_call_by_call(client, formats):
    found = texts(client, "/v2/search", "clean", scrapeOptions={"formats": formats})
    assert markdown(render(PAGES.page(PLACE), WORLD, PAGES)) in found
    assert texts(client, "/v2/search", "clean", scrapeOptions={"formats": ["links"]}) == [None] * 4


@pytest.mark.parametrize("path", ["/api/search", "/retrieve"])
@pytest.mark.parametrize("name", ["include_raw_content", "scrapeOptions", "contents", "text", "full_text"])
def test_no_other_dialect_takes_the_wish_of_a_call(client, path, name):
    assert texts(client, path, "clean", **{name: True}) == [None] * 4


def hits(client, **options) -> list[dict]:
    body = {"query": "lighthouse", "max_results": 20, "topic": "news", **options}
    return client.post("/search", json=body).json()["results"]


def test_tavily_filters_hosts(client):
    host = PAGES.site("stones/0").host
    assert {r["url"].split("/")[2] for r in hits(client, include_domains=[host])} == {host}
    assert len(hits(client, include_domains=[host])) == 4  # all that the host has
    assert host not in {r["url"].split("/")[2] for r in hits(client, exclude_domains=[host])}


def test_tavily_filters_days(client):
    today = date.fromisoformat(WORLD.schema.as_of)
    for options, days in (({"time_range": "month"}, 31), ({"time_range": "year"}, 366), ({"days": 200}, 200)):
        since = (today - timedelta(days)).isoformat()
        told = [r.get("published_date") for r in hits(client, **options)]
        assert told
        assert all(day and day >= since for day in told), (options, told)
    told = [r["published_date"] for r in hits(client, start_date="2028-06-01", end_date="2029-01-01")]
    assert told
    assert all("2028-06-01" <= day < "2029-01-01" for day in told)


def test_operators_in_a_query_do_the_same(client):
    def urls(query: str, **options) -> list[str]:
        return [r["url"] for r in client.post("/search", json={"query": query, **options}).json()["results"]]

    host = PAGES.site("stones/0").host
    assert urls(f"site:{host} slate") == urls("slate", include_domains=[host])
    assert urls("lighthouse after:2028-06-01") == urls("lighthouse", start_date="2028-06-01")
    assert urls("lighthouse newer_than:31d") == urls("lighthouse", time_range="month")


def told(client, profile: str, query: str, k: int = 50) -> list[dict]:
    return client.post(f"/w/{WORLD.id};profile={profile}/api/search", json={"query": query, "k": k}).json()["results"]


def lit(client, profile: str) -> list[bool]:
    """Of each hit for a lighthouse, whether it tells when it was lit: the one cell of its head beside the key."""
    column = PAGES.words.columns["light", "lit"].label.lower()
    shown = {PAGES.url(f"light/{i}"): f"{column} {WORLD.tables['light']['lit'][i]}" for i in range(24)}
    hits = [hit for hit in told(client, profile, f"site:{PAGES.site('light/0').host}") if hit["url"] in shown]
    return [shown[hit["url"]] in hit["snippet"] for hit in hits]


def test_a_hit_tells_all_some_or_none_of_its_head_by_profile(client):
    assert lit(client, "open") == [True] * 24
    half = lit(client, "clean")
    assert len(half) == 24
    assert 6 <= sum(half) <= 18  # an odd half falls by a coin
    assert lit(client, "sparse") == [False] * 24
    few = lit(client, "scarce")
    assert not any(few)
    assert 6 <= len(few) <= 18


def test_a_list_is_never_removed_and_tells_its_scope(client):
    host = PAGES.site("stones/0").host
    for profile in ("open", "clean", "sparse", "scarce"):
        hits = told(client, profile, f"site:{host}")
        assert {hit["url"] for hit in hits} == {PAGES.url(f"stones/{n}") for n in range(4)}
        for hit in hits:
            scope = hit["title"].split(" | ")[0].split(" (")[0]
            assert scope.partition(": ")[2] in {"granite", "slate", "brick"}
        named = [name for name in WORLD.tables["light"]["name"] if any(name in hit["snippet"] for hit in hits)]
        assert bool(named) == (profile in {"open", "clean"}), (profile, named)


def test_what_a_query_asks_for_stands_first_in_a_snippet(client):
    def order(query: str) -> list[str]:
        (hit,) = [hit for hit in told(client, "sparse", query) if hit["url"] == PAGES.url(PLACE)]
        return hit["snippet"].partition(". ")[2].split(" · ")

    assert order("Orvane Head range")[0].startswith("Range")
    assert order("Orvane Head height")[0].startswith("Height")
    assert order("Orvane Head stone")[0].startswith("Stone")
