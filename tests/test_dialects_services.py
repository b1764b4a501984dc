"""The dialects of search services, each by what its clients send and read."""

import pytest
from dialect_cases import GONE, HITS, PAGE, URL, request
from starlette.testclient import TestClient

from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.schema import load_schema
from worldsmith.serving import create_app
from worldsmith.serving.app import EVIDENCE
from worldsmith.serving.dialects import serper
from worldsmith.simulate.perturb import FAULTS
from worldsmith.simulate.protocol import Call, Observation

NOTHING = Observation("ok")
SEARCHES = {
    "serper": (
        lambda app, query: app.post("/search", json={"q": query, "num": 10}),
        lambda reply: [(hit["link"], hit["title"], hit["snippet"]) for hit in reply.json()["organic"]],
    ),
    "serper by query string": (
        lambda app, query: app.get("/search", params={"q": query, "api_key": "k"}),
        lambda reply: [(hit["link"], hit["title"], hit["snippet"]) for hit in reply.json()["organic"]],
    ),
    "serper by query string and POST": (
        lambda app, query: app.post("/search", params={"q": query}),
        lambda reply: [(hit["link"], hit["title"], hit["snippet"]) for hit in reply.json()["organic"]],
    ),
    "serper by prefix": (
        lambda app, query: app.post("/serper/search", json={"q": query}),
        lambda reply: [(hit["link"], hit["title"], hit["snippet"]) for hit in reply.json()["organic"]],
    ),
}
"""How a query is sent in each dialect, and how a reply is read as (url, title, snippet)."""


@pytest.fixture(scope="module")
def world():
    return generate(load_schema("town"), 1)


@pytest.fixture(scope="module")
def app(world):
    return TestClient(create_app([world]), base_url="http://localhost:8000")


@pytest.fixture(scope="module")
def town(world):
    """A key of the world and its page."""
    pages = Pages(world)
    row = next(row for table in world.tables for row in world.rows_of(table) if pages.about(row))
    return world.title(row), pages.url(pages.about(row))


def answering(world, observation):
    class Stub:
        def ready(self, address):
            return True

        def warm(self, address):
            pass

        async def acall(self, address, call, attempt=0, deadline=None):
            return observation

    return TestClient(create_app([world], simulate=lambda _: Stub()))


@pytest.mark.parametrize("name", SEARCHES)
def test_every_dialect_gives_the_hits_of_our_own_and_no_more_of_them(name, app, town):
    ask, read = SEARCHES[name]
    for query in (town[0], "town"):
        ours = app.post("/api/search", json={"query": query})
        reply = ask(app, query)
        assert read(reply) == [(hit["url"], hit["title"], hit["snippet"]) for hit in ours.json()["results"]]
        assert reply.headers[EVIDENCE] == ours.headers[EVIDENCE]
        assert ask(app, query).content == reply.content


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_without_hits_is_an_answer(name, world):
    ask, read = SEARCHES[name]
    assert read(ask(answering(world, NOTHING), "mills")) == []


def test_serper_reads_a_search_and_its_days():
    body = {"q": "mills", "num": 100, "page": 2, "gl": "us", "colour": "red", "tbs": "qdr:w"}
    parsed = serper.search(request(body))
    assert parsed.calls == (Call("web_search", "newer_than:7d mills", page=2, k=50),)
    assert parsed.write((HITS,)).body == {
        "searchParameters": {
            "q": "mills",
            "gl": "us",
            "tbs": "qdr:w",
            "type": "search",
            "num": 100,
            "page": 2,
            "engine": "google",
        },
        "organic": [
            {
                "title": 'Mill "Oak" | Register',
                "link": URL,
                "snippet": "Mill Oak stands in Fen ...",
                "date": "Apr 5, 2031",
                "position": 1,
            },
            {"title": "Fen Post", "link": "https://news.fen-post.example/a", "snippet": "A note.", "position": 2},
        ],
        "credits": 2,
    }
    spans = {
        "cdr:1,cd_min:1/2/2031,cd_max:12/31/2031": "after:2031-01-02 before:2031-12-31 a",
        "cdr:1,cd_min:02/03/2031": "after:2031-02-03 a",
        "cdr:1,cd_min:13/45/2031": "a",
        "qdr:x": "a",
        "": "a",
    }
    assert {tbs: serper.search(request({"q": "a", "tbs": tbs})).calls[0].arg for tbs in spans} == spans


def test_serper_scrapes_a_page():
    parsed = serper.scrape(request({"url": URL, "includeMarkdown": True}))
    assert parsed.calls == (Call("web_extractor", URL),)
    body = parsed.write((PAGE,)).body
    assert (body["markdown"], body["metadata"], body["credits"]) == (
        "# Mill Oak\n",
        {"title": "Mill Oak", "og:url": URL},
        2,
    )
    assert body["text"].startswith("Mill Oak")
    assert "markdown" not in serper.scrape(request({"url": URL})).write((PAGE,)).body
    gone = parsed.write((GONE,))
    assert (gone.status, gone.body["statusCode"]) == (400, 400)
    assert gone.body["message"].startswith(f"Scraping failed: {URL}: page not found")


TRY = "the key was not accepted: try again"


@pytest.mark.parametrize(
    ("fault", "status", "body"),
    [
        ("auth", 403, {"message": "Unauthorized.", "statusCode": 403, "error": TRY}),
        (
            "rate_limit",
            429,
            {
                "message": "too many requests: try again later",
                "statusCode": 429,
                "error": "too many requests: try again later",
            },
        ),
    ],
)
def test_serper_fails_as_the_service_does(world, fault, status, body):
    reply = answering(world, FAULTS[fault]).post("/search", json={"q": "a"})
    assert (reply.status_code, reply.json()) == (status, body)
    assert reply.headers.get("retry-after") == ("1" if fault == "rate_limit" else None)


def test_serper_says_which_world_its_key_does_not_name(app, world):
    reply = app.post("/search", json={"q": "a"}, headers={"X-API-KEY": f"ws-{world.id}x"})
    assert reply.status_code == 403
    assert reply.json()["message"].startswith(f"Unauthorized. there is no world '{world.id}x' here")
    assert app.post("/search", json={"q": "a"}, headers={"X-API-KEY": f"ws-{world.id}"}).status_code == 200
    assert app.post("/search", json={"q": "a"}, headers={"X-API-KEY": "cd1234"}).status_code == 200
    assert app.post("/serper/search", json={"query": "a"}).json()["message"] == '"q" is missing: a string'
