"""Each service's own way to fail, asked of the server by the route of the service."""

import json
import re
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from dialect_cases import answering
from starlette.testclient import TestClient

from worldsmith.agents.http_client import HttpClient
from worldsmith.errors import UsageError
from worldsmith.generation import generate
from worldsmith.schema import load_schema
from worldsmith.serving import create_app
from worldsmith.serving.dialects import DIALECTS, Dialect, endpoints_of
from worldsmith.serving.dialects.fields import Whole
from worldsmith.serving.dialects.openapi import openapi_document
from worldsmith.serving.dialects.types import ANY
from worldsmith.simulate.http_status import STATUS
from worldsmith.simulate.perturb import FAULTS, PROFILES
from worldsmith.simulate.protocol import Observation, Profile
from worldsmith.simulate.simulator import Simulator

ASKED = {
    "api": ("/api/search", {"query": "a"}),
    "tavily": ("/search", {"query": "a"}),
    "exa": ("/search", {"query": "a", "numResults": 3}),
    "firecrawl": ("/v2/search", {"query": "a"}),
    "retrieve": ("/retrieve", {"queries": ["a"]}),
    "pages": ("/web/a.example/b", None),
}
TRY = {
    "rate_limit": "too many requests: try again later",
    "timeout": "the request took too long: try again",
    "auth": "the key was not accepted: try again",
    "error": "the service failed on this request: try again",
}
SENT = {
    ("tavily", 404): 401,
    ("exa", 404): 401,
    ("you", 404): 401,
    ("firecrawl", 404): 401,
    ("firecrawl", 504): 408,
    ("serper", 401): 403,
    ("serper", 404): 403,
    ("jina", 404): 401,
    ("brave", 404): 422,
    ("bing", 404): 401,
}
"""What a service sends where it has another status than ours."""
EXCESS = "Your request has been blocked due to excessive requests. Please reduce rate of requests."

FIRECRAWL_EXCESS = "Rate limit exceeded. Please retry after a second, or upgrade your plan."
EXA_EXCESS = "You've exceeded your Exa rate limit of 10 requests per second. Please slow down, or raise your limit."


@pytest.fixture(scope="module")
def world():
    return generate(load_schema("town"), 7)


def ask(world, dialect, seen, body=None):
    path, fields = ASKED[dialect]
    app = answering(world, seen)
    return app.get(path) if fields is None else app.post(path, json=fields if body is None else body)


@pytest.mark.parametrize(
    ("dialect", "fault", "status", "body"),
    [
        ("api", "rate_limit", 429, {"error": TRY["rate_limit"]}),
        ("api", "timeout", 504, {"error": TRY["timeout"]}),
        ("api", "auth", 401, {"error": TRY["auth"]}),
        ("api", "error", 500, {"error": TRY["error"]}),
        ("tavily", "rate_limit", 429, {"detail": {"error": EXCESS}, "error": TRY["rate_limit"]}),
        ("tavily", "timeout", 504, {"detail": {"error": TRY["timeout"]}, "error": TRY["timeout"]}),
        (
            "tavily",
            "auth",
            401,
            {"detail": {"error": "Unauthorized: missing or invalid API key."}, "error": TRY["auth"]},
        ),
        ("tavily", "error", 500, {"detail": {"error": TRY["error"]}, "error": TRY["error"]}),
        ("exa", "rate_limit", 429, {"error": EXA_EXCESS}),
        ("exa", "timeout", 504, {"requestId": "0" * 32, "error": TRY["timeout"], "tag": "INTERNAL_ERROR"}),
        ("exa", "auth", 401, {"requestId": "0" * 32, "error": TRY["auth"], "tag": "INVALID_API_KEY"}),
        ("firecrawl", "rate_limit", 429, {"success": False, "error": FIRECRAWL_EXCESS}),
        ("firecrawl", "timeout", 408, {"success": False, "error": TRY["timeout"], "code": "SCRAPE_TIMEOUT"}),
        ("firecrawl", "auth", 401, {"success": False, "error": "Unauthorized: Invalid token"}),
        ("firecrawl", "error", 500, {"success": False, "error": TRY["error"], "code": "UNKNOWN_ERROR"}),
        ("retrieve", "rate_limit", 429, {"error": TRY["rate_limit"]}),
        ("retrieve", "timeout", 504, {"error": TRY["timeout"]}),
        ("retrieve", "auth", 401, {"error": TRY["auth"]}),
    ],
)
def test_a_fault_in_json(world, dialect, fault, status, body):
    reply = ask(world, dialect, FAULTS[fault])
    assert (reply.status_code, reply.json()) == (status, body)
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers.get("retry-after") == ("1" if fault == "rate_limit" else None)


def test_a_retrieval_server_that_fails_says_so_in_plain_text(world):
    reply = ask(world, "retrieve", FAULTS["error"])
    assert (reply.status_code, reply.text) == (500, "Internal Server Error")
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    ("fault", "status", "line"),
    [
        ("rate_limit", 429, "429 Too Many Requests"),
        ("timeout", 504, "504 Gateway Time-out"),
        ("auth", 401, "401 Authorization Required"),
        ("error", 500, "500 Internal Server Error"),
    ],
)
def test_a_page_fails_in_html(world, fault, status, line):
    reply = ask(world, "pages", FAULTS[fault])
    page = BeautifulSoup(reply.text, "html.parser")
    assert (reply.status_code, page.title.text, page.h1.text) == (status, line, line)
    assert page.find_all("center")[1].text == TRY[fault]
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert reply.headers.get("retry-after") == ("1" if fault == "rate_limit" else None)


def test_a_page_that_is_not_there_is_html_and_holds_no_markup_of_its_address(world):
    reply = answering(world, Observation("not_found")).get("/web/a.example/<script>")
    page = BeautifulSoup(reply.text, "html.parser")
    assert (reply.status_code, page.h1.text, page.script) == (404, "404 Not Found", None)
    assert page.find_all("center")[1].text.startswith("https://a.example/<script>: page not found: take a url from")


def test_a_wrong_request(world):
    missing = '"queries" is missing: send a list of strings'
    reply = ask(world, "retrieve", Observation("ok"), {"topk": 3})
    detail = [{"type": "value_error", "loc": ["body"], "msg": missing}]
    assert (reply.status_code, reply.json()) == (422, {"detail": detail, "error": missing})
    empty = '"query" is missing: send a string'
    reply = ask(world, "tavily", Observation("ok"), {"max_results": 3})
    assert (reply.status_code, reply.json()) == (400, {"detail": {"error": empty}, "error": empty})
    reply = ask(world, "api", Observation("ok"), {"k": 3})
    assert (reply.status_code, reply.json()) == (400, {"error": empty})


@pytest.mark.parametrize(
    ("path", "fields", "status", "body"),
    [
        ("/search", {"query": "a"}, 401, {"detail": {"error": "Unauthorized: SAID"}, "error": "SAID"}),
        ("/extract", {"urls": ["a"]}, 401, {"detail": {"error": "Unauthorized: SAID"}, "error": "SAID"}),
        ("/retrieve", {"queries": ["a"]}, 404, {"detail": "SAID", "error": "SAID"}),
        ("/api/search", {"query": "a"}, 404, {"error": "SAID"}),
    ],
)
def test_an_unknown_world_or_profile_is_told_in_the_dialects_form(world, path, fields, status, body):
    naming = "Name one by the path /w/<world>/… or by an API key ws-<world>; GET /worlds lists them"
    unknown = f"there is no world '{world.id}x' here. Did you mean '{world.id}'? {naming}"
    profile = "there is no profile 'opne'. Did you mean 'open'?"
    app = answering(world, Observation("ok"))
    for key, said in (
        (f"ws-{world.id}x", unknown),
        (f" WS-{world.id}x", unknown),
        (f"ws-{world.id};profile=opne", profile),
    ):
        reply = app.post(path, json={**fields, "api_key": key})
        assert reply.status_code == status
        assert reply.json() == json.loads(json.dumps(body).replace("SAID", said))
    for key in (f"ws-{world.id}", "tvly-dev-abc", "ws", "sk-ws-x", ""):
        assert app.post(path, json={**fields, "api_key": key}).status_code == 200


def test_an_unknown_world_in_the_path_of_a_page_is_html(world):
    reply = answering(world, Observation("ok")).get(f"/w/{world.id}x/web/a.example/b")
    page = BeautifulSoup(reply.text, "html.parser")
    assert (reply.status_code, page.h1.text) == (404, "404 Not Found")
    assert f"Did you mean '{world.id}'?" in page.text


def test_nothing_found_is_an_answer(world):
    nothing = Observation("ok")
    assert ask(world, "api", nothing).json() == {"results": [], "more": False}
    assert ask(world, "tavily", nothing).json()["results"] == []
    assert ask(world, "retrieve", nothing).json() == {"result": [[]]}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_passes_when_a_session_tries_again(world, fault):
    profiles = PROFILES | {"broken": Profile("broken", faults={fault: 1.0})}
    app = TestClient(create_app([world], profiles=profiles, simulate=lambda w: Simulator(w, profiles=profiles)))

    def send(url, data, _headers):
        reply = app.post(url.removeprefix("http://host"), content=data)
        return reply.status_code, reply.headers, reply.content

    agent = HttpClient(f"http://host/w/{world.id};profile=broken;session=a", send=send, sleep=lambda _: None)
    assert (len(agent.search("town", k=3)["results"]), agent.retries) == (3, 2)


def test_every_dialect_tells_every_status():
    assert all(ANY in dialect.errors for dialect in DIALECTS.values())
    for name, dialect in DIALECTS.items():
        for status, text in STATUS.values():
            assert dialect.error(status, text).status == SENT.get((name, status), status)
    assert {status for status, _ in STATUS.values()} <= set(DIALECTS["pages"].errors)


@pytest.mark.parametrize(
    ("path", "media", "names"),
    [
        ("/api/search", "application/json", {"error"}),
        ("/extract", "application/json", {"detail", "error"}),
        ("/tavily/search", "application/json", {"detail", "error"}),
        ("/serper/search", "application/json", {"message", "statusCode", "error"}),
        ("/exa/search", "application/json", {"requestId", "error", "tag"}),
        ("/mcp", "application/json", {"jsonrpc", "id", "error"}),
        ("/", "application/json", {"data", "code", "name", "status", "message", "readableMessage", "error"}),
        ("/res/v1/web/search", "application/json", {"type", "error", "time"}),
        ("/v7.0/search", "application/json", {"_type", "errors", "error"}),
        ("/retrieve", "application/json", {"detail", "error"}),
        ("/web/{host}/{path}", "text/html", set()),
    ],
)
def test_the_description_gives_the_form_that_is_sent(path, media, names):
    operation = next(iter(openapi_document(endpoints_of(DIALECTS.values()), {})["paths"][path].values()))
    content = operation["responses"]["4XX"]["content"]
    assert list(content) == [media]
    usual, *_ = content[media]["schema"].get("anyOf", [content[media]["schema"]])
    assert set(usual.get("properties", {})) == names


def test_bounds_are_published_as_they_are_read(world):
    app = answering(world, Observation("ok"))
    checked = set()
    for path, operations in openapi_document(endpoints_of(DIALECTS.values()), {})["paths"].items():
        if "post" not in operations:
            continue
        takes = operations["post"]["requestBody"]["content"]["application/json"]["schema"]
        for schema in [one for each in takes.get("anyOf", [takes]) for one in each.get("oneOf", [each])]:
            example = {
                name: {
                    "query": "a",
                    "q": "a",
                    "queries": ["a"],
                    "urls": "a",
                    "url": "a",
                    "ids": "a",
                    "method": "ping",
                }.get(name)
                for name in schema["required"]
            }
            for name, field in schema["properties"].items():
                for bound, step in (("minimum", -1), ("maximum", 1)):
                    if bound in field:
                        body = {**example, "topic": "news", name: field[bound] + step}
                        wrong = f'"{name}" is {body[name]}; it must be from {field["minimum"]} to {field["maximum"]}'
                        assert app.post(path, json=body).json()["error"] == wrong
                        assert "must be" not in app.post(path, json={**body, name: field[bound]}).text
                        checked.add(name)
    assert checked == {"k", "page", "offset", "max_chars", "max_results", "days", "topk", "num", "numResults", "limit"}


@pytest.mark.parametrize(("least", "most"), [(0, 9), (1, 10), (0, 50), (1, 100), (0, 999), (1, 1200), (1, 1)])
def test_digits_are_published_as_they_are_read(least, most):
    field = Whole("n", 0, least, most)
    pattern = re.compile(field.schema["pattern"])
    for digits in (*map(str, range(most + 200)), "", "-1", "-0", "00", "01", "1.0", " 1", "1e1", "٣"):
        try:
            read = field.read({"n": digits}) == int(digits)
        except UsageError:
            read = False
        assert read == bool(pattern.fullmatch(digits)), digits


def test_two_dialects_of_one_route_are_refused(world):
    api, tavily = DIALECTS["api"], DIALECTS["tavily"]
    assert list(endpoints_of([api])) == [(route.method, route.path) for route in api.routes]
    with pytest.raises(UsageError, match="dialects api and ours both answer POST /api/search: give `accepts`"):
        create_app([world], dialects=[api, Dialect("ours", api.routes, api.errors)])
    picky = tuple(replace(route, accepts=lambda body, headers: "q" in body) for route in tavily.routes)
    with pytest.raises(UsageError, match="no dialect answers all of POST /search"):
        endpoints_of([Dialect("picky", picky, tavily.errors)])


def test_dialects_on_one_path_are_told_apart_by_body_and_headers(world):
    search, extract = DIALECTS["api"].routes[0], DIALECTS["api"].routes[2]
    ours = replace(
        DIALECTS["api"],
        name="ours",
        routes=(
            replace(search, path="/search", accepts=lambda body, headers: "queries" in body or "x-ours" in headers),
            replace(extract, path="/extract", accepts=lambda body, headers: "url" in body),
        ),
    )
    for dialects in ([ours, DIALECTS["tavily"]], [DIALECTS["tavily"], ours]):
        app = TestClient(create_app([world], dialects=dialects))
        assert set(app.post("/search", json={"queries": ["a"]}).json()) == {"batches"}
        assert set(app.post("/search", json={"query": "a"}, headers={"X-Ours": "1"}).json()) == {"results", "more"}
        assert "request_id" in app.post("/search", json={"query": "a"}).json()
        assert app.post("/search", json={"queries": []}, headers={"X-Ours": "1"}).json() == {"batches": []}
        assert set(app.post("/search", json={"queries": 1}).json()) == {"error"}  # in the words of who accepts it
        assert set(app.post("/search", content=b"[").json()) == {"error", "detail"}
        assert set(app.post("/extract", json={"url": "https://a.example/"}).json()) == {"error"}
        assert app.post("/extract", json={"urls": ["https://a.example/"]}).json()["results"] == []
        described = app.get("/openapi.json").json()["paths"]["/search"]["post"]
        assert described["tags"] == ["ours", "tavily"]
        takes = described["requestBody"]["content"]["application/json"]["schema"]["anyOf"]
        assert takes == [search.takes, DIALECTS["tavily"].routes[0].takes]
        assert app.get("/api/search?query=a").status_code == 404
