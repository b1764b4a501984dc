"""The dialects of search services, each by what its clients send and read."""

import json
from dataclasses import replace

import pytest
from dialect_cases import GONE, HITS, PAGE, URL, answering, request
from dialect_requests import JSON
from starlette.testclient import TestClient

from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.schema import load_schema
from worldsmith.serving import create_app
from worldsmith.serving.app import EVIDENCE
from worldsmith.serving.dialects import DIALECTS, searxng, serper, session_memory
from worldsmith.serving.dialects import bing as bing_dialect
from worldsmith.serving.dialects import brave as brave_dialect
from worldsmith.serving.dialects import you as you_dialect
from worldsmith.serving.dialects.agentworld import call_tool
from worldsmith.simulate.perturb import FAULTS
from worldsmith.simulate.protocol import Address, Call, Observation

NOTHING = Observation("ok")


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
    assert app.post("/serper/search", json={"query": "a"}).json()["message"] == '"q" is missing: send a string'


def test_jina_reads_a_page_as_text_and_as_json(app, town):
    _, url = town
    page = app.post("/api/extract", json={"url": url}).json()
    dated = f"\n\nPublished Time: {page['date']}" if page["date"] else ""
    text = f"Title: {page['title']}\n\nURL Source: {url}{dated}\n\nMarkdown Content:\n{page['text']}\n"
    for reply in (
        app.get(f"/{url}"),
        app.get(f"/{url}?utm_source=x"),
        app.get(f"/http://localhost:8000/web/{url.removeprefix('https://')}"),
        app.get(f"/jina/r/{url}"),
        app.get(f"/jina/r/{url.removeprefix('https://')}"),
        app.post("/", json={"url": url}),
        app.post("/jina/r/", json={"url": url}),
    ):
        assert (reply.status_code, reply.text) == (200, text)
        assert reply.headers["content-type"] == "text/plain; charset=utf-8"
        assert reply.headers[EVIDENCE] == app.post("/api/extract", json={"url": url}).headers[EVIDENCE]
    for reply in (app.get(f"/{url}", headers=JSON), app.post("/", json={"url": url}, headers=JSON)):
        body = reply.json()
        assert (body["code"], body["status"]) == (200, 20000)
        assert (body["data"]["url"], body["data"]["content"]) == (url, page["text"])
        assert body["data"]["usage"] == body["meta"]["usage"] == {"tokens": len(page["text"]) // 4}


def test_jina_reads_a_missing_page_as_a_warning(app):
    url = "https://nowhere.example/a"
    assert app.get(f"/{url}").text == (
        f"Title: 404 Not Found\n\nURL Source: {url}\n\nWarning: Target URL returned error 404: Not Found\n\n"
        "Markdown Content:\n404 Not Found\n"
    )
    data = app.get(f"/{url}", headers=JSON).json()["data"]
    assert data["warning"] == "Target URL returned error 404: Not Found"


@pytest.mark.parametrize(
    ("fault", "status", "name"),
    [("rate_limit", 42903, "RateLimitTriggeredError"), ("auth", 40102, "AuthenticationFailedError")],
)
def test_jina_fails_as_the_service_does(world, fault, status, name):
    reply = answering(world, FAULTS[fault]).get("/https://a.example/b")
    body = reply.json()
    assert (reply.status_code, body["code"], body["status"], body["name"]) == (
        status // 100,
        status // 100,
        status,
        name,
    )
    assert body["readableMessage"] == f"{name}: {body['message']}"
    assert reply.headers.get("retry-after") == ("1" if fault == "rate_limit" else None)


def test_jina_has_an_error_for_a_search_without_hits(world):
    reply = answering(world, NOTHING).get("/jina/s/mills", headers=JSON)
    assert reply.status_code == 422
    assert reply.json()["readableMessage"] == "AssertionFailureError: No search results available for query mills"


def test_brave_reads_a_search_and_writes_its_hits():
    parsed = brave_dialect.search(
        request({"q": "mills", "count": "5", "offset": "2", "freshness": "pm", "country": "DE"})
    )
    assert parsed.calls == (Call("web_search", "newer_than:31d mills", page=3, k=5),)
    body = parsed.write((HITS,)).body
    assert body["query"] == {"original": "mills", "more_results_available": True}
    first, second = body["web"]["results"]
    assert (first["url"], first["age"], first["page_age"]) == (URL, "April 5, 2031", "2031-04-05T00:00:00")
    assert first["meta_url"] == {
        "scheme": "https",
        "netloc": "oak-register.example",
        "hostname": "oak-register.example",
        "path": " › mill › 3",
    }
    assert "age" not in second
    last = brave_dialect.search(request({"q": "mills", "offset": 9})).write((HITS,)).body
    assert last["query"]["more_results_available"] is False
    spans = {"2031-01-02to2031-03-04": "after:2031-01-02 before:2031-03-04 a", "2031-99-02to2031-03-04": "a", "px": "a"}
    assert {s: brave_dialect.search(request({"q": "a", "freshness": s})).calls[0].arg for s in spans} == spans


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, '"q" is missing'),
        ({"q": "a" * 401}, "at most 400"),
        ({"q": "a " * 51}, "has 51 words; at most 50"),
        ({"q": "a", "count": 21}, "from 1 to 20"),
        ({"q": "a", "offset": 10}, "from 0 to 9"),
    ],
)
def test_brave_says_what_is_wrong_with_a_request(app, params, said):
    reply = app.get("/res/v1/web/search", params=params)
    error = reply.json()["error"]
    assert (reply.status_code, error["status"], error["code"]) == (422, 422, "VALIDATION")
    assert said in error["meta"]["errors"][0]["msg"]


def test_brave_limits_as_the_service_does(world):
    reply = answering(world, FAULTS["rate_limit"]).get("/res/v1/web/search", params={"q": "a"})
    assert reply.status_code == 429
    assert reply.json()["error"]["code"] == "RATE_LIMITED"
    assert reply.headers["x-ratelimit-policy"] == "1;w=1, 2000;w=2592000"
    assert reply.headers["retry-after"] == "1"


def test_a_world_is_named_by_the_key_in_a_services_own_header(app, world):
    for path, header, status in (
        ("/res/v1/web/search", "X-Subscription-Token", 422),
        ("/v7.0/search", "Ocp-Apim-Subscription-Key", 401),
        ("/jina/s/town", "Authorization", 401),
    ):
        bearer = "Bearer " if header == "Authorization" else ""
        replies = [
            app.get(path, params={"q": "a"}, headers={header: f"{bearer}{key}"})
            for key in (f"ws-{world.id}", "BSA-abc", f"ws-{world.id}x")
        ]
        assert [reply.status_code for reply in replies] == [200, 200, status]
        assert f"there is no world '{world.id}x' here" in replies[2].text


def test_searxng_reads_a_search_and_writes_its_hits():
    parsed = searxng.search(request({"q": "mills", "format": "json", "pageno": "2", "time_range": "week"}))
    assert parsed.calls == (Call("web_search", "newer_than:7d mills", page=2),)
    body = parsed.write((HITS,)).body
    first, second = body["results"]
    assert first["parsed_url"] == ["https", "oak-register.example", "/mill/3", "", "", ""]
    assert (first["publishedDate"], second["publishedDate"]) == ("2031-04-05T00:00:00", None)
    assert (first["positions"], second["positions"], second["score"]) == ([1], [2], 0.5)
    assert (body["answers"], body["infoboxes"], body["unresponsive_engines"]) == ([], [], [])


def test_searxng_fails_as_an_instance_does(app, world):
    for path in ("/search", "/searxng/search"):
        assert app.get(path, params={"q": "a", "format": "csv"}).status_code == 403
        wrong = app.get(path, params={"q": "a", "format": "json", "pageno": "0"})
        assert (wrong.status_code, wrong.json()) == (400, {"error": '"pageno" is 0; it must be from 1 to 100'})
        wrong = app.get(path, params={"q": "a", "format": "json", "time_range": "decade"})
        assert (wrong.status_code, wrong.json()) == (
            400,
            {"error": "\"time_range\" is 'decade': use one of day, d, week, w, month, m, year, y"},
        )
    reply = answering(world, FAULTS["rate_limit"]).get("/search", params={"q": "a", "format": "json"})
    assert (reply.status_code, reply.text) == (429, "Too Many Requests")
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"


def test_bing_reads_a_search_and_writes_its_hits():
    fields = {"q": "mills", "count": "5", "offset": "10", "freshness": "Month", "textFormat": "HTML", "mkt": "en-GB"}
    parsed = bing_dialect.search(request(fields))
    assert parsed.calls == (Call("web_search", "newer_than:31d mills", page=3, k=5),)
    body = parsed.write((HITS,)).body
    assert body["queryContext"] == {"originalQuery": "mills"}
    assert body["webPages"]["totalEstimatedMatches"] == 13
    first, second = body["webPages"]["value"]
    assert (first["name"], first["url"]) == ("Mill &quot;Oak&quot; | Register", URL)
    assert first["datePublished"] == "2031-04-05T00:00:00.0000000"
    assert "datePublished" not in second
    assert [item["value"]["id"] for item in body["rankingResponse"]["mainline"]["items"]] == [first["id"], second["id"]]
    assert (
        bing_dialect.search(request({"q": "a"}))
        .write((HITS,))
        .body["webPages"]["value"][0]["name"]
        .startswith('Mill "')
    )
    spans = {
        "2031-01-02..2031-03-04": "after:2031-01-02 before:2031-03-04 a",
        "2031-01-02": "a",
        "Day": "newer_than:1d a",
    }
    assert {s: bing_dialect.search(request({"q": "a", "freshness": s})).calls[0].arg for s in spans} == spans
    assert "webPages" not in parsed.write((NOTHING,)).body


@pytest.mark.parametrize(
    ("fault", "status", "code"), [("rate_limit", 429, "RateLimitExceeded"), ("auth", 401, "InvalidAuthorization")]
)
def test_bing_fails_as_the_service_did(world, fault, status, code):
    reply = answering(world, FAULTS[fault]).get("/v7.0/search", params={"q": "a"})
    assert (reply.status_code, reply.json()["_type"]) == (status, "ErrorResponse")
    assert reply.json()["errors"][0]["code"] == code
    assert reply.headers.get("retry-after") == ("1" if fault == "rate_limit" else None)


def test_you_reads_a_search_and_writes_its_hits():
    parsed = you_dialect.search(request({"query": "mills", "count": "7", "offset": "2", "freshness": "month"}))
    assert parsed.calls == (Call("web_search", "newer_than:31d mills", page=3, k=7),)
    days = you_dialect.search(request({"query": "mills", "freshness": "2029-01-01to2029-02-01"}))
    assert days.calls[0].arg == "after:2029-01-01 before:2029-02-01 mills"
    body = parsed.write((HITS,)).body
    assert body["results"]["web"][0] == {
        "url": URL,
        "title": 'Mill "Oak" | Register',
        "description": "Mill Oak stands in Fen ...",
        "snippets": ["Mill Oak stands in Fen ..."],
        "page_age": "2031-04-05T00:00:00",
        "authors": [],
    }
    assert "page_age" not in body["results"]["web"][1]
    assert set(body["metadata"]) == {"search_uuid", "query", "latency"}
    whole = Observation("ok", (replace(HITS.results[0], text="# Mill Oak"),))
    assert parsed.write((whole,)).body["results"]["web"][0]["contents"] == {"markdown": "# Mill Oak"}


@pytest.mark.parametrize(
    ("wish", "forms"),
    [
        ({}, {"markdown"}),
        ({"formats": ["html", "markdown", "metadata"]}, {"html", "markdown"}),
        ({"format": "html"}, {"html"}),
        ({"livecrawl_formats": "html"}, {"html"}),
    ],
)
def test_you_gives_pages_in_the_forms_that_are_wanted(wish, forms, app, town):
    _, url = town
    page, gone = app.post("/v1/contents", json={"urls": [url, "https://nowhere.example/"], **wish}).json()
    assert (page["url"], set(page) - {"url", "title"}) == (url, forms)
    assert page.get("markdown", "").startswith("# ") == ("markdown" in forms)
    assert page.get("html", "").startswith("<!doctype html>") == ("html" in forms)
    assert gone == {"url": "https://nowhere.example/"}


def test_you_writes_a_part_of_a_page_as_its_markdown():
    (part,) = you_dialect.contents(request({"urls": URL, "formats": ["html"]})).write((PAGE,)).body
    assert part == {"url": URL, "title": "Mill Oak", "html": "# Mill Oak\n"}


def test_you_fails_in_its_form(app, world):
    for fields, reason in (({"urls": []}, '"urls" is empty'), ({}, '"urls" is missing')):
        wrong = app.post("/v1/contents", json=fields)
        assert wrong.status_code == 400
        assert wrong.json()["detail"].startswith(reason)
    unknown = app.get("/v1/search", params={"query": "a"}, headers={"X-API-Key": f"ws-{world.id}x"})
    assert unknown.status_code == 401
    assert f"Did you mean '{world.id}'?" in unknown.json()["detail"]
    busy = answering(world, Observation("rate_limited", fault="rate_limit", retry_after=7))
    assert busy.get("/v1/search", params={"query": "a"}).status_code == 429


def test_asearcher_reads_pages_and_has_null_for_what_is_none(app, town):
    _, url = town
    page = app.post("/api/extract", json={"url": url}).json()
    reply = app.post("/access", json={"urls": [url, "https://nowhere.example/", 7, url]})
    shown = {"url": url, "title": page["title"], "contents": page["text"]}
    assert reply.json() == {"result": [shown, None, None, shown]}
    over = app.post("/access", json={"urls": [url] * 101})
    assert (over.status_code, over.json()["detail"][0]["type"]) == (422, "value_error")


def test_widesearch_reads_pages_and_says_what_is_wrong(app, town):
    _, url = town

    def ask(name, arguments):
        return app.post("/widesearch", json={"name": name, "arguments": arguments})

    reply = ask("TextBrowserView", json.dumps({"url": url, "description": "all", "is_offline": True}))
    text = app.post("/api/extract", json={"url": url}).json()["text"]
    assert json.loads(reply.json()["result"]) == {"documents": [{"content": [{"type": "text", "text": text}]}]}
    gone = ask("TextBrowserView", json.dumps({"url": "https://nowhere.example/"}))
    assert json.loads(gone.json()["result"]) == {"documents": None}
    few = json.loads(ask("GlobalSearch", json.dumps({"query": "town", "count": 3})).json()["result"])["documents"]
    assert len(few) == 3
    assert few[0]["render"]["link"]["sitename"] == few[0]["render"]["link"]["url"].split("/")[2]
    assert len(json.loads(ask("GlobalSearch", '{"query": "town", "count": 0}').json()["result"])["documents"]) == 0
    for name, arguments, said in (
        ("GlobalSearch", "{", '"arguments" is not JSON'),
        ("GlobalSearch", "[]", '"arguments" is JSON, but no object'),
        ("GlobalSearch", '{"query": "a", "count": 201}', "from 0 to 200"),
        ("Search", "{}", "use one of GlobalSearch, TextBrowserView"),
    ):
        wrong = ask(name, arguments)
        assert wrong.status_code == 400
        assert said in wrong.json()["error"]


def test_agentworld_lists_each_query_of_a_batch_and_reads_pages(app, town):
    key, url = town

    def ask(name, arguments):
        return app.post("/agentworld", json={"name": name, "arguments": arguments})

    alone = ask("web_search", {"query": key})
    batch = ask("web_search", {"queries": [key, " ", key]})
    wrong = 'Error: "queries[1]" is empty: say what to look for'
    assert batch.text == f"{alone.text}\n\n{wrong}\n\n{alone.text}"
    assert batch.headers["content-type"] == "text/plain; charset=utf-8"
    assert ask("web_extractor", {"url": url}).text == app.post("/api/extract", json={"url": url}).json()["text"]
    gone = ask("web_extractor", {"url": "https://nowhere.example/"})
    assert (gone.status_code, gone.text.partition(": page")[0]) == (200, "Error: https://nowhere.example/")
    for name, arguments in (("web_search", []), ("search", {}), ("web_extractor", {})):
        assert ask(name, arguments).status_code == 400
    parsed = call_tool(request({"name": "web_search", "arguments": {"queries": ["mills"]}}))
    assert parsed.calls == (Call("web_search", "mills"),)
    assert parsed.write((HITS,)).body.startswith(
        f'[1] {URL}\nTitle: Mill "Oak" | Register\nSnippet: Mill Oak stands in Fen ...\nDate: Apr 5, 2031\n\n[2] '
    )
    assert parsed.write((HITS,)).body.endswith("\nSnippet: A note.\nDate: N/A")
    assert parsed.write((NOTHING,)).body == "No results found for: mills"


def test_agentworld_keeps_notes_for_a_session(app, world):
    def ask(session, operation, **arguments):
        reply = app.post(
            f"/w/{world.id};session={session}/agentworld",
            json={"name": "dict_memory", "arguments": {"operation": operation, **arguments}},
        )
        return reply.text if reply.status_code == 200 else reply.json()["error"]

    assert ask("a", "add", dict={"x": 1, "y": ["z"]}) == "Successfully added items of ['x', 'y'] to memory."
    assert ask("a", "update", dict={"x": 2}) == "Successfully updated items of ['x'] in memory."
    assert ask("a", "retrieve", key_list=["x", "q"]) == '{"x":2}\nKey not found: q'
    assert ask("b", "retrieve_all") == "{}"
    assert ask("a", "remove", key_list=["x", "q"]) == (
        "Successfully removed items of ['x'] from memory.\nKey not found: q"
    )
    assert ask("a", "retrieve_all") == '{"y":["z"]}'
    deep = [1]
    for _ in range(300):
        deep = [deep]
    assert "nested too deeply" in ask("a", "add", dict={"deep": deep})
    assert "memory would hold" in ask("a", "add", dict={"long": "x" * 64_000})
    assert ask("a", "retrieve_all") == '{"y":["z"]}'
    assert ask("a", "remove_all") == "Successfully cleared all memory."
    assert ask("a", "retrieve", key_list=["y"]) == "Key not found: y"
    assert ask("a", "add", dict=7) == '"dict" must be an object: the keys and what to keep under them'
    assert ask("a", "forget").startswith("\"operation\" is 'forget': use one of add, update")
    nobody = app.post("/agentworld", json={"name": "dict_memory", "arguments": {"operation": "retrieve_all"}})
    assert nobody.status_code == 400
    assert "add ;session=NAME" in nobody.json()["error"]


@pytest.mark.parametrize("shared", [False, True])
def test_only_the_last_sessions_are_remembered(monkeypatch, tmp_path, shared):
    monkeypatch.setattr(session_memory, "SESSIONS", 2)
    memory = session_memory.SharedSessionMemory(tmp_path) if shared else session_memory.SessionMemory()
    addresses = [Address("w", session=name) for name in "abcd"]

    def keep(address):
        memory.edit(address, lambda _: ({"k": address.session}, ""))

    def kept(address):
        return memory.edit(address, lambda items: (items, str(items.get("k"))))

    keep(addresses[0])
    keep(addresses[1])
    assert kept(addresses[3]) == "None"  # who reads nothing takes no place
    kept(addresses[0])
    keep(addresses[2])
    assert [kept(address) for address in addresses] == ["a", "None", "c", "None"]
    if shared:
        memory._db.close()


def test_notes_on_a_full_disk_are_a_503_and_name_no_folder(world, tmp_path, capsys):
    client = TestClient(create_app([world], session="a", shared=tmp_path))
    ask = {"name": "dict_memory", "arguments": {"operation": "add", "dict": {"x": 1}}}
    assert client.post("/agentworld", json=ask).status_code == 200
    client.app.state.session_memory._db.execute("pragma query_only = on")
    reply = client.post("/agentworld", json=ask)
    assert (reply.status_code, str(tmp_path) in reply.text) == (503, False)
    assert "free space" in capsys.readouterr().err
    client.app.state.session_memory._db.close()


BOUNDED = [
    (route.path, name, field["minimum"], field["maximum"])
    for dialect in DIALECTS.values()
    for route in dialect.routes
    if route.method == "GET" and (route.accepts is None or "format" in route.takes["properties"])
    for name, field in route.takes["properties"].items()
    if "minimum" in field
]


@pytest.mark.parametrize(("path", "name", "least", "most"), BOUNDED)
def test_bounds_of_a_get_are_read_as_they_are_published(path, name, least, most, app):
    place = path.replace("{query:path}", "town")
    wanted = {"q": "town", "query": "town"} | ({"format": "json"} if name == "pageno" else {})
    for value, wrong in ((least - 1, True), (least, False), (most, False), (most + 1, True)):
        reply = app.get(place, params={**wanted, name: value})
        assert (f"it must be from {least} to {most}" in reply.text) == wrong
        assert (400 <= reply.status_code < 500) == wrong or reply.status_code == 422
