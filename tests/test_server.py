import ast
import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, urlencode

import httpx2
import orjson
import pytest
import uvicorn
from bs4 import BeautifulSoup
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.responses import Response
from starlette.testclient import TestClient

import worldsmith
from worldsmith.cli import main
from worldsmith.cli.backend import Answering, ModelChoice
from worldsmith.errors import BackendError, FormatError, NotFoundError, UsageError
from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.index import Index
from worldsmith.schema import load_schema
from worldsmith.serving import create_app, serve
from worldsmith.serving.app import OPERATOR, PLAIN
from worldsmith.serving.dialects import DIALECTS
from worldsmith.serving.listen import allow_open_files, server_config
from worldsmith.serving.metrics import Metrics, RequestRecord
from worldsmith.serving.reply_memo import ENTRY_BYTES, ReplyMemo
from worldsmith.serving.responder_cache import BYTES_A_FACT
from worldsmith.simulate.http_status import STATUS
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.protocol import Observation, Profile, Result
from worldsmith.simulate.store import Store
from worldsmith.simulate.traces import Traces
from worldsmith.world.files import save_world, tasks_file

ROOT = Path(worldsmith.__file__).parent
SSRF = [
    "http://169.254.169.254/",
    "http://127.0.0.1:8000/healthz",
    "http://127.0.0.1:22/",
    "http://[::1]/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://localhost/w/x/web/..%2f..%2fetc/passwd",
    "file:///etc/passwd",
    "gopher://a.example/",
    "//evil.example/",
    "javascript:alert(1)",
    "https://en.wikipedia.org/wiki/Main_Page",
    "../../etc/passwd",
    "http://user:pw@a.example/",
    "data:text/html,hi",
]


@pytest.fixture(scope="module")
def worlds():
    return [generate(load_schema("town"), seed) for seed in (1, 2)]


@pytest.fixture(scope="module")
def folders(worlds, tmp_path_factory):
    out = tmp_path_factory.mktemp("w")
    return [save_world(world, out) for world in worlds]


@pytest.fixture(scope="module")
def one(worlds):
    return TestClient(create_app(worlds[:1]), base_url="http://localhost:8000")


@pytest.fixture(scope="module")
def many(folders):
    return TestClient(create_app(folders), base_url="http://localhost:8000")


@pytest.fixture(scope="module")
def town(worlds):
    """A key of a world, which a search for it finds, and its page."""
    pages = Pages(worlds[0])
    row = next(row for table in worlds[0].tables for row in worlds[0].rows_of(table) if pages.about(row))
    return worlds[0].title(row), pages.url(pages.about(row))


class Stub:
    """Answers every call with one observation and notes what it was asked."""

    def __init__(self, seen):
        self.seen, self.asked = seen, []

    def ready(self, address):
        return True

    def warm(self, address):
        pass

    async def acall(self, address, call, attempt=0, deadline=None):
        self.asked.append((address, call, attempt))
        return self.seen


def stubbed(world, seen, **options):
    stub = Stub(seen)
    return TestClient(create_app([world], simulate=lambda _: stub, **options), raise_server_exceptions=False), stub


def test_search_finds_what_extract_reads(one, town):
    key, url = town
    found = one.post("/api/search", json={"query": key, "k": 10}).json()
    assert url in [result["url"] for result in found["results"]]
    page = one.post("/api/extract", json={"url": url}).json()
    assert key.split(",")[0] in page["text"]
    assert page["url"] == url


def test_a_result_url_is_a_page_in_every_form(one, many, worlds, town):
    _, url = town
    host, _, path = url.removeprefix("https://").partition("/")
    by_path = one.get(f"/web/{host}/{path}")
    assert by_path.headers["content-type"] == "text/html; charset=utf-8"
    by_host = one.get(f"/{path}", headers={"host": host})
    assert BeautifulSoup(by_host.text, "html.parser").h1 == BeautifulSoup(by_path.text, "html.parser").h1
    named = many.get(f"/w/{worlds[0].id}/web/{host}/{path}")
    assert named.text == by_path.text
    assert many.get(f"/w/{worlds[1].id}/web/{host}/{path}").status_code == 404


def test_every_dialect_reads_an_address_however_it_was_copied(one, town):
    _, url = town
    place = url.removeprefix("https://")
    page = one.post("/api/extract", json={"url": url}).json()
    for form in (f"<{url}>", f"[it]({url}).", f"{url}?utm_source=x#top", f"`http://{place}/`", f"{url}。"):
        assert one.post("/api/extract", json={"url": form}).json() == page
        (result,) = one.post("/extract", json={"urls": [form]}).json()["results"]
        assert (result["url"], result["raw_content"]) == (form, page["text"])
        local = form.replace(url, f"http://localhost:8000/web/{place}")
        assert one.post("/api/extract", json={"url": local}).json() == page
    html = one.get(f"/web/{place}").text
    for path in (f"{place}.", f"{place})", f"{place}?utm_source=x", f"{place}%3E", f"{place}/"):
        assert one.get(f"/web/{path}").text == html
    assert one.post("/api/extract", json={"url": f"{url[:-2]}..."}).status_code == 404


def test_every_link_of_a_page_leads_to_a_page(one, town):
    _, url = town
    soup = BeautifulSoup(one.get("/web/" + url.removeprefix("https://")).text, "html.parser")
    links = [a["href"] for a in soup.find_all("a")]
    assert len(links) > 1
    assert {one.get(link).status_code for link in links} == {200}


def test_link_base_makes_results_that_a_raw_get_reads(worlds, town):
    key, url = town
    client = TestClient(create_app(worlds, link_base="http://10.0.0.1:8000/web"), base_url="http://localhost:8000")
    headers = {"Authorization": f"Bearer ws-{worlds[0].id};seed=4"}
    results = client.post("/api/search", json={"query": key}, headers=headers).json()["results"]
    start = f"http://10.0.0.1:8000/w/{worlds[0].id};seed=4/web/"
    assert [r["url"].startswith(start) for r in results] == [True] * len(results)
    mine = start + url.removeprefix("https://")
    assert mine in [r["url"] for r in results]
    page = client.get(mine.removeprefix("http://10.0.0.1:8000"))
    assert page.status_code == 200
    for spelling in (url, mine):
        told = client.post("/extract", json={"urls": [spelling]}, headers=headers).json()
        assert [r["url"] for r in told["results"]] == [spelling]


@pytest.mark.parametrize(
    "how",
    [
        lambda w: {"url": f"/w/{w}/api/search"},
        lambda w: {"url": f"/w/{w};profile=open;seed=5/api/search"},
        lambda w: {"url": "/api/search", "headers": {"Authorization": f"Bearer ws-{w}"}},
        lambda w: {"url": "/api/search", "headers": {"X-API-Key": f"ws-{w};seed=3"}},
        lambda w: {"url": "/api/search", "headers": {"X-Worldsmith-World": w}},
        lambda w: {"url": f"/api/search?world={w}"},
        lambda w: {"url": f"/api/search?api_key=ws-{w}"},
        lambda w: {"url": "/api/search", "json": {"query": "town", "api_key": f"ws-{w}"}},
        lambda w: {"url": f"/w/{w}/api/search", "headers": {"Authorization": "Bearer tvly-dev-123"}},
    ],
)
def test_the_world_is_named_by_path_key_header_or_query(many, worlds, how):
    request = {"json": {"query": "town"}, **how(worlds[1].id)}
    found = many.post(**request).json()["results"]
    assert found
    assert Pages(worlds[1]).by_url(found[0]["url"])


def test_the_address_reaches_the_simulator_whole(worlds):
    client, stub = stubbed(worlds[0], Observation("ok"), profile="open", seed=9)
    client.post("/api/search", json={"query": "a"})
    client.post(
        f"/w/{worlds[0].id};seed=4/api/search?session=s1",
        json={"query": "a"},
        headers={"X-Worldsmith-Profile": "sparse"},
    )
    first, second = (address for address, _, _ in stub.asked)
    assert (first.world, first.profile, first.seed, first.session) == (worlds[0].id, "open", 9, "")
    assert (second.profile, second.seed, second.session) == ("sparse", 4, "s1")


def test_only_a_session_counts_attempts(worlds):
    client, stub = stubbed(worlds[0], Observation("ok"))
    for session in ("", "", "a", "a", "b"):
        client.post(f"/api/search?session={session}", json={"query": "x"})
    client.post("/api/search?session=a", json={"queries": ["x", "y"]})
    assert [attempt for _, _, attempt in stub.asked] == [0, 0, 0, 1, 0, 2, 0]


def test_a_store_counts_the_attempts_of_all_processes(worlds, tmp_path):
    one, two = Store(tmp_path / "s.db"), Store(tmp_path / "s.db")
    (first, a), (second, b) = (stubbed(worlds[0], Observation("ok"), attempts=store) for store in (one, two))
    for client in (first, second, first):
        client.post("/api/search?session=a", json={"query": "x"})
        client.post("/api/search", json={"query": "x"})
    assert [attempt for _, _, attempt in a.asked] == [0, 0, 2, 0]
    assert [attempt for _, _, attempt in b.asked] == [1, 0]
    one.close()
    two.close()


def test_a_store_on_a_full_disk_makes_calls_of_a_session_unavailable_and_no_others(worlds, tmp_path, capsys):
    store = Store(tmp_path / "s.db")
    store._db.execute("pragma max_page_count = 8")  # what a full disk does: no page more
    client, _ = stubbed(worlds[0], Observation("ok"), attempts=store)
    replies = [client.post("/api/search?session=a", json={"query": f"{i} " + "x" * 900}) for i in range(40)]
    assert {reply.status_code for reply in replies} == {200, 503}
    assert client.post("/api/search", json={"query": "x"}).status_code == 200
    log = capsys.readouterr().err
    assert "s.db: texts can't be kept: database or disk is full; free space on its disk" in log
    assert "Traceback" not in log
    store.close()


class Echo(Stub):
    """Answers with the query and the attempt as a hit; fails for "fail"."""

    async def acall(self, address, call, attempt=0, deadline=None):
        self.asked.append((address, call, attempt))
        if call.arg == "fail":
            raise BackendError("down")
        hit = Result("https://a.example/", f"{call.arg} {address.profile} {address.seed} {attempt}", "", None, 1.0)
        return Observation("ok", (hit,) * call.k)


def echoing(world, **options):
    echo = Echo(None)
    return TestClient(create_app([world], simulate=lambda _: echo, **options)), echo


def test_a_repeated_call_is_answered_from_the_memo_whatever_its_session(worlds):
    client, echo = echoing(worlds[0], memo=1)
    different = ["/api/search", "/search", "/api/search?seed=2", "/api/search?profile=open"]
    for path in different:
        first = client.post(path, json={"query": "x"})
        for session in ("", "a", "a", "b"):
            again = client.post(path, json={"query": "x"}, headers={"X-Worldsmith-Session": session})
            assert (again.content, again.headers) == (first.content, first.headers)
    assert len(echo.asked) == len(different)
    client.post("/api/search", json={"query": "x", "k": 2})
    client.post("/api/search", json={"query": "y"})
    assert len(echo.asked) == len(different) + 2
    memo = client.app.state.memo
    assert (memo.hits, memo.misses) == (4 * len(different), len(different) + 2)


def test_where_calls_fail_the_attempt_is_part_of_what_the_memo_keeps(worlds):
    client, echo = echoing(worlds[0], memo=1, profile="flaky")

    def titles(session):
        tries = [client.post(f"/api/search?session={session}", json={"query": "x", "k": 1}) for _ in range(3)]
        return [reply.json()["results"][0]["title"] for reply in tries]

    assert titles("a") == titles("b") == ["x flaky 0 0", "x flaky 0 1", "x flaky 0 2"]
    assert [attempt for _, _, attempt in echo.asked] == [0, 1, 2]


def test_a_call_that_failed_inside_is_made_again(worlds):
    client, echo = echoing(worlds[0], memo=1)
    for _ in range(2):
        assert client.post("/api/search", json={"query": "fail"}).status_code == 503
        reply = client.post("/api/search", json={"queries": ["x", "fail"]}).json()
        assert ["error" in batch for batch in reply["batches"]] == [False, True]
    assert [call.arg for _, call, _ in echo.asked] == ["fail", "x", "fail"] * 2


@pytest.mark.parametrize("link_base", [None, "http://10.0.0.1:8000"])
@pytest.mark.parametrize("profile", ["clean", "realistic"])
def test_the_memo_changes_no_byte(worlds, town, profile, link_base):
    key, url = town
    place = url.removeprefix("https://")
    calls = [
        ("POST", "/api/search", {"query": key}),
        ("POST", "/api/search", {"queries": [key, "", "mill"]}),
        ("GET", f"/api/search?query={key}&k=3", None),
        ("POST", "/search", {"query": "town", "include_raw_content": True}),
        ("POST", "/retrieve", {"queries": [key, "mill"], "return_scores": True}),
        ("POST", "/api/extract", {"url": url}),
        ("POST", "/api/extract", {"url": f"http://localhost:8000/web/{place}"}),
        ("POST", "/extract", {"urls": [url, "https://nowhere.example/"]}),
        ("GET", f"/web/{place}", None),
    ]
    kept, anew = (
        TestClient(
            create_app(worlds[:1], memo=memo, link_base=link_base, profile=profile), base_url="http://localhost:8000"
        )
        for memo in (8, 0)
    )
    for session in ("a", "b", "b"):
        for method, path, body in calls:
            one, other = (
                client.request(method, path, json=body, headers={"X-Worldsmith-Session": session})
                for client in (kept, anew)
            )
            assert (one.status_code, one.headers.raw, one.content) == (
                other.status_code,
                other.headers.raw,
                other.content,
            )
    assert kept.app.state.memo.hits >= (1 if link_base else 8)  # links name the session
    assert anew.app.state.memo.hits == 0


def test_the_memo_holds_no_more_than_its_bytes_and_drops_the_least_recently_used():
    memo, body = ReplyMemo(1), b"x" * (49_000 - ENTRY_BYTES)
    for i in range(20):
        memo.keep(b"%d" % i, Response(body))
    assert memo.get(b"0").body == body
    assert memo.size == 20 * (49_000 + len("content-length48300"))
    memo.keep(b"new", Response(body))
    assert memo.size == 20 * (49_000 + len("content-length48300"))
    assert [memo.get(key) is None for key in (b"0", b"1", b"new")] == [False, True, False]
    memo.keep(b"large", Response(b"x" * 70_000))
    assert memo.get(b"large") is None


def test_only_what_always_answers_alike_is_kept(tmp_path):
    assert Answering(ModelChoice(), PROFILES).repeats
    assert not Answering(ModelChoice(model="m"), PROFILES).repeats
    assert not Answering(ModelChoice(), PROFILES, traces=Traces(tmp_path)).repeats


def metric_values(client):
    """The values of /metrics by name and labels."""
    lines = [line for line in client.get("/metrics").text.splitlines() if not line.startswith("#")]
    samples = [re.fullmatch(r"(\w+)(?:{(.*)})? ([\d.]+)", line) for line in lines]
    return {(sample[1], sample[2] or ""): float(sample[3]) for sample in samples}


def test_metrics_count_requests_by_route_and_status(worlds):
    client, _ = echoing(worlds[0], memo=1)
    for query in ("x", "x", "", "y"):
        client.post("/api/search", json={"query": query})
    client.post(f"/w/{worlds[0].id}/search", json={"query": "x"})
    client.get("/nowhere")
    reply = client.get("/metrics")
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "# TYPE worldsmith_requests_total counter\n" in reply.text
    values, total = metric_values(client), "worldsmith_requests_total"
    ours, tavily = 'dialect="api",route="/api/search"', 'dialect="tavily",route="/search"'
    assert {labels: value for (name, labels), value in values.items() if name == total} == {
        f'{ours},status="200"': 3,
        f'{ours},status="400"': 1,
        f'{tavily},status="200"': 1,
        'dialect="",route="",status="200"': 1,
        'dialect="",route="",status="404"': 1,
    }
    times = "worldsmith_request_duration_seconds"
    assert values[f"{times}_count", ours] == values[f"{times}_bucket", f'{ours},le="+Inf"'] == 4
    assert values["worldsmith_memo_hits_total", ""] == 1
    assert values["worldsmith_memo_misses_total", ""] == 3
    assert values["worldsmith_memo_bytes", ""] > 3 * ENTRY_BYTES
    assert values["worldsmith_requests_in_progress", ""] == 1  # the request for them
    assert (values["worldsmith_worlds", ""], values["worldsmith_worlds_open", ""]) == (1, 1)
    assert client.post("/metrics").headers["allow"] == "GET"


def test_the_access_log_says_what_became_of_each_request_and_no_key(worlds):
    lines, secret = [], "tvly-dev-SECRET"
    client, _ = echoing(worlds[0], memo=1, access_log=lines.append)
    keys = {"Authorization": f"Bearer {secret}", "X-API-Key": secret}
    for _ in range(2):
        body = {"query": "x", "k": 1, "api_key": secret}
        reply = client.post(f"/api/search?api_key={secret}&session=a", json=body, headers=keys)
    client.get(f"/nowhere?api_key={secret}")
    client.post("/search", content=b"no json " + secret.encode(), headers=keys)
    first, second, lost, wrong = map(json.loads, lines)
    assert secret not in "".join(lines)
    assert [line[-1] for line in lines] == ["\n"] * 4
    assert first | {"memo": True, "time": second["time"], "ms": second["ms"]} == second
    for name in ("time", "ms"):
        del second[name]
    assert second == {
        "client": "testclient",
        "method": "POST",
        "path": "/api/search",
        "status": 200,
        "bytes": len(reply.content),
        "dialect": "api",
        "world": worlds[0].id,
        "session": "a",
        "memo": True,
    }
    assert (lost["path"], lost["status"], lost["dialect"]) == ("/nowhere", 404, "")
    assert (wrong["path"], wrong["status"], wrong["dialect"]) == ("/search", 400, "tavily")


@pytest.mark.parametrize(
    "how",
    [
        {"headers": {"Authorization": "Bearer k3y"}},
        {"headers": {"X-API-Key": "k3y"}},
        {"params": {"api_key": "k3y"}},
        {"headers": {"X-Worldsmith-Key": "k3y", "Authorization": "Bearer ws-WORLD;seed=2"}},
    ],
)
def test_a_server_with_a_key_answers_who_gives_it(worlds, how):
    client = TestClient(create_app(worlds[:1], api_key="k3y"))
    headers = {name: value.replace("WORLD", worlds[0].id) for name, value in how.get("headers", {}).items()}
    assert client.post("/search", json={"query": "town"}, **{**how, "headers": headers}).json()["results"]
    for path in ("/worlds", "/metrics", "/openapi.json", f"/w/{worlds[0].id}/"):
        assert client.get(path, **{**how, "headers": headers}).status_code == 200


def test_the_description_says_where_a_key_goes_and_which_route_needs_none(worlds):
    own = TestClient(create_app(worlds[:1], api_key="k3y")).get("/openapi.json?api_key=k3y").json()
    anyone = TestClient(create_app(worlds[:1])).get("/openapi.json").json()
    keys = [{"bearer": []}, {"header": []}, {"query": []}, {"own": []}]
    assert own["security"] == keys
    assert anyone["security"] == [{}, *keys]
    assert [path for path, routes in own["paths"].items() if routes.get("get", {}).get("security") == []] == [
        "/healthz"
    ]


def test_a_server_with_a_key_answers_nobody_else(worlds, capfd):
    lines = []
    client = TestClient(create_app(worlds[:1], api_key="k3y", access_log=lines.append))
    for headers in ({}, {"Authorization": "Bearer k3"}, {"X-API-Key": "k3yy"}, {"Authorization": b"Bearer \xe9"}):
        replies = [client.post(path, json={"query": "town"}, headers=headers) for path in ("/api/search", "/search")]
        replies += [client.get(path, headers=headers) for path in ("/worlds", "/metrics", "/", "/web/a.example/b")]
        assert [reply.status_code for reply in replies] == [401] * 6
        assert {reply.headers["WWW-Authenticate"] for reply in replies} == {"Bearer"}
        assert "X-Worldsmith-Key" in replies[0].json()["error"]
        assert replies[1].json()["detail"] == {"error": "Unauthorized: missing or invalid API key."}
    assert client.post("/search", json={"query": "town", "api_key": "k3y"}).status_code == 200
    assert [client.get(path).status_code for path in ("/healthz", f"/w/{worlds[0].id}/healthz")] == [200, 200]
    assert client.get("/readyz").status_code == 200
    ping = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert (ping.status_code, ping.json()["id"]) == (401, 1)
    assert "k3" not in "".join([*lines, *capfd.readouterr()])


@pytest.mark.parametrize("key", ["ws-mine", "a b", "clé"])
def test_a_key_that_clients_could_not_give_is_refused(worlds, key):
    with pytest.raises(UsageError, match="take another") as error:
        create_app(worlds, api_key=key)
    assert key not in str(error.value)


def test_beyond_loopback_a_server_asks_for_a_key(worlds, folders):
    for host in ("0.0.0.0", "::", "192.0.2.1", "a.example"):
        with pytest.raises(UsageError, match="can be reached from other machines: name a key"):
            serve(worlds, host=host)
    for key in ("", "k3y"):
        with pytest.raises(UsageError, match=r"can't listen on 192\.0\.2\.1"):  # no address of this machine
            serve(worlds, host="192.0.2.1", api_key=key)
    both = CliRunner().invoke(main, ["serve", str(folders[0]), "--api-key", "k3y", "--no-api-key"])
    assert (both.exit_code, both.output) == (2, "Error: --no-api-key, and a key is named: leave one out\n")


@pytest.mark.parametrize(
    ("path", "body"), [("/api/search", {"query": "a"}), ("/search", {"query": "a"}), ("/retrieve", {"queries": ["a"]})]
)
@pytest.mark.parametrize("status", ["error", "rate_limited", "timeout", "unavailable", "unauthorized"])
def test_calls_that_fail_have_status_200_where_it_is_wanted(worlds, path, body, status):
    observation = Observation(status, retry_after=3 if status == "rate_limited" else None)
    usual, _ = stubbed(worlds[0], observation)
    client, _ = stubbed(worlds[0], observation, failures_as_200=True)
    failed, reply = usual.post(path, json=body), client.post(path, json=body)
    assert failed.status_code == STATUS[status][0]
    assert reply.headers.pop("X-Worldsmith-Status") == str(failed.status_code)
    assert (reply.status_code, reply.content, reply.headers) == (200, failed.content, failed.headers)
    assert reply.content
    assert client.post(path, json={}).status_code == usual.post(path, json={}).status_code in {400, 422}
    assert client.post("/api/extract", json={"url": "https://a.example/"}).status_code == 200


def test_a_world_can_have_another_name(folders, worlds, town):
    key, url = town
    world, other = worlds[0].id, worlds[1].id
    options = {"names": {"first": world}, "link_base": "http://a:1"}
    client = TestClient(create_app(folders, **options), base_url="http://a:1")
    assert [(w["world"], w["path"]) for w in client.get("/worlds").json()["worlds"]] == [
        ("first", "/w/first"),
        (other, f"/w/{other}"),
    ]
    assert "/w/first/api/search" in client.get("/").json()["world"]
    replies = []
    for name in ("first", world):
        headers = {"Authorization": f"Bearer ws-{name};seed=3"}
        replies.append(client.post("/api/search", json={"query": key}, headers=headers))
        links = [result["url"] for result in replies[-1].json()["results"]]
        assert {link.startswith(f"http://a:1/w/{name};seed=3/web/") for link in links} == {True}
        assert client.get(links[0]).status_code == 200
        read = client.post(f"/w/{name};seed=3/api/extract", json={"url": links[0]})
        assert read.json()["url"] == links[0]
    assert replies[0].headers["x-worldsmith-evidence"] == replies[1].headers["x-worldsmith-evidence"]
    assert client.get("/w/first/healthz").status_code == 200
    alone = TestClient(create_app(folders[:1], names={"first": world}), base_url="http://localhost")
    page = alone.get("/web/" + url.removeprefix("https://"))
    assert 'href="/w/first/web/' in page.text
    assert world not in page.text
    assert alone.post("/api/search", json={"query": key}).json()["results"]


def test_names_that_could_not_be_used_are_refused(worlds):
    world, other = (world.id for world in worlds)
    for names, why in (
        ({"a/b": world}, "is not of 1 to 100 letters"),
        ({"a": "town-0"}, "there is no world 'town-0' here"),
        ({world: other}, "is the id of a world: take another"),
        ({"a": world, "b": world}, "has two names, 'a' and 'b': give one"),
    ):
        with pytest.raises(UsageError, match=why):
            create_app(worlds, names=names)
    for options in (["a"], ["a="], [f"a={world}", f"a={other}"]):
        command = ["serve", str(ROOT), *(part for option in options for part in ("--name", option))]
        done = CliRunner().invoke(main, command)
        assert (done.exit_code, "give NAME=WORLD" in done.output) == (2, True)


def test_times_are_counted_in_classes_up_to_their_bounds():
    metrics = Metrics({})
    for seconds in (0.001, 0.002, 0.4, 99):
        metrics.add(RequestRecord("d", "/r", status=200), seconds)
    text = metrics.text()
    counts = [int(line.rpartition(" ")[2]) for line in text.splitlines() if "_bucket" in line]
    assert counts == [1, *[2] * 7, *[3] * 6, 4]
    assert re.search(r'_sum{dialect="d",route="/r"} 99.403000\n', text)


def test_a_server_is_ready_when_its_one_world_is_open(worlds):
    go = threading.Event()
    slow = Slow(go)
    client = TestClient(create_app(worlds[:1], simulate=lambda _: slow))
    reply = client.get("/readyz")
    assert (reply.status_code, reply.json()["status"]) == (503, "opening")
    assert client.get("/healthz").status_code == 200
    go.set()
    assert client.post("/api/search", json={"query": "a"}).status_code == 200
    assert client.get("/readyz").json() == {"status": "ready"}
    assert TestClient(create_app(worlds)).get("/readyz").json() == {"status": "ready"}


def test_what_was_opened_is_closed_when_the_server_stops(worlds):
    closed = []

    async def close():
        closed.append(True)

    with TestClient(create_app(worlds[:1], close=close)) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert closed == []
    assert closed == [True]


@pytest.mark.parametrize(
    ("path", "headers", "status", "said"),
    [
        ("/api/search", {}, 400, "this server has 2 worlds: "),
        ("/w/WORLDS/api/search", {}, 404, "Did you mean 'town-"),
        ("/w/../../etc/api/search", {}, 404, "nothing at"),
        ("/w/%2e%2e%2fetc/api/search", {}, 404, "there is nothing at"),
        ("/w/WORLD;sed=1/api/search", {}, 400, "the path holds 'sed=1'"),
        ("/w/WORLD;seed=one/api/search", {}, 400, "the seed 'one' is no whole number from 0"),
        ("/w/WORLD;seed=-1/api/search", {}, 400, "the seed '-1' is no whole number from 0"),
        ("/w/WORLD;profile=opne/api/search", {}, 404, "Did you mean 'open'?"),
        (
            "/w/WORLD;seed=1/api/search",
            {"x-worldsmith-seed": "2"},
            400,
            "seed is '1' by the path and '2' by the headers",
        ),
        ("/w/WORLD/api/search", {"authorization": "Bearer ws-other"}, 400, "name it once"),
        ("/api/search", {"authorization": "Bearer ws-" + "x" * 500}, 400, "the API key holds"),
        ("/api/search", {"x-worldsmith-session": "a b"}, 400, "session 'a b' is not of 1 to 100"),
    ],
)
def test_a_wrong_address_says_the_fix(many, worlds, path, headers, status, said):
    reply = many.post(path.replace("WORLD", worlds[0].id), json={"query": "a"}, headers=headers)
    assert reply.status_code == status
    assert said in reply.json()["error"]


POSTS = sorted({route.path for dialect in DIALECTS.values() for route in dialect.routes if route.method == "POST"})
DEEP = b'{"query":' + b"[" * 5000 + b"]" * 5000 + b"}"


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"query=mills",
        b"{",
        b"[]",
        b'"mills"',
        b"null",
        b"{}",
        DEEP,
        b'{"queries": ["a", NaN}',
        b'{"urls": ["a\xff}',
        b'{"query": "mills"}\xff',
        '{"query": "mills"}'.encode("utf-16"),
        b'{"query": {"a": 1}, "queries": {"a": 1}, "url": 1, "urls": 1}',
    ],
    ids=lambda body: repr(body[:20]),
)
def test_a_wrong_body_is_a_4xx_in_json(one, path, body):
    reply = one.post(path, content=body, headers={"content-type": "text/plain"})
    assert 400 <= reply.status_code < 500
    assert reply.headers["content-type"] == "application/json"
    error = reply.json()["error"]
    assert len(error["message"] if isinstance(error, dict) else error) > 20


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("path", POSTS)
def test_a_body_longer_than_the_route_takes_is_a_413(one, path, declared):
    most = 1 << 24 if path == "/retrieve" else 1 << 20
    body = b" " * (most + 1)
    reply = one.post(path, content=body if declared else iter([body[:most], body[most:]]))
    assert reply.status_code == 413
    assert f"the body is longer than {most} bytes: send several requests" in reply.text
    assert one.post(path, content=body[:most]).status_code != 413


def batches(reply):
    """The replies to the items of a batch: hits, documents, or pages and what went wrong."""
    body = reply.json()
    if "failed_results" in body:
        return [[failed["url"], failed["error"]] for failed in body["failed_results"]]
    return body["result"] if "result" in body else [batch["results"] for batch in body["batches"]]


WRONG_ITEMS = [
    b'""',
    b'" \\t"',
    b"null",
    b"7",
    b"10000000000000000000000000000000",
    b"NaN",
    b"-Infinity",
    b"true",
    b"[]",
    b'["town"]',
    b'{"query": "town"}',
    b'"a\\u0000"',
    b'"town \\ud800"',
    b'"\\udc00 town"',
    b'"\\\\\\ud83d"',
    b'"\xff"',
    b'"\xed\xa0\x80"',
    b'"' + b"x" * 5000 + b'"',
]


@pytest.mark.parametrize("wrong", WRONG_ITEMS, ids=lambda item: repr(item[:20]))
def test_a_wrong_item_of_a_batch_ends_no_other(one, town, wrong):
    key, url = (orjson.dumps(text) for text in town)
    for path in ("/retrieve", "/api/search"):
        reply = one.post(path, content=b'{"queries": [%s, %s, "\\ud83d\\ude00 town", %s]}' % (key, wrong, key))
        assert reply.status_code == 200
        first, second, third, last = batches(reply)
        assert (second, first) == ([], last)
        assert first
        assert third
    reply = one.post("/extract", content=b'{"urls": [%s, %s, %s]}' % (url, wrong, url))
    assert [page["url"] for page in reply.json()["results"]] == [town[1]] * 2
    ((_, error),) = batches(reply)
    assert len(error) > 20


def test_a_batch_of_wrong_items_or_of_none_is_answered(one):
    for path, name in (("/retrieve", "queries"), ("/retrieve", "query"), ("/api/search", "queries")):
        assert batches(one.post(path, json={name: ""})) == [[]]
        assert batches(one.post(path, json={name: []})) == []
    assert one.post("/retrieve", json={"queries": []}).json() == {"result": []}
    (wrong,) = one.post("/api/search", json={"queries": [" "]}).json()["batches"]
    assert wrong == {"results": [], "more": False, "error": '"queries[0]" is empty: say what to look for'}


def test_a_batch_may_hold_as_many_items_as_a_trainer_has_rollouts(worlds, town):
    client, stub = stubbed(worlds[0], Observation("ok"))
    queries = [f"{'word ' * 300}{i}" if i % 100 else "" for i in range(8192)]
    assert client.post("/retrieve", json={"queries": queries}).json() == {"result": [[]] * 8192}
    assert [call.arg for _, call, _ in stub.asked] == [query for query in queries if query]
    over = client.post("/retrieve", json={"queries": [*queries, "a"]})
    assert over.status_code == 422
    assert '"queries" has 8193 items; at most 8192 go in one request: split it' in over.json()["error"]


@pytest.mark.parametrize(("path", "name", "most"), [("/api/search", "queries", 100), ("/extract", "urls", 20)])
def test_other_batches_are_as_long_as_an_agent_s(one, town, path, name, most):
    item = town[1] if name == "urls" else "a"
    assert one.post(path, json={name: [item] * most}).status_code == 200
    over = one.post(path, json={name: [item] * (most + 1)})
    assert over.status_code == 400
    assert f'"{name}" has {most + 1} items; at most {most} go in one request: split it' in over.json()["error"]


def test_a_call_that_fails_inside_ends_no_other_of_its_batch(worlds, capsys):
    class Broken(Stub):
        async def acall(self, address, call, attempt=0, deadline=None):
            if call.arg == "b":
                raise BackendError("out of order")
            return self.seen

    app = create_app(worlds[:1], simulate=lambda _: Broken(Observation("ok")))
    reply = TestClient(app).post("/api/search", json={"queries": ["a", "b", "c"]})
    unavailable = "not available at the moment: try again later"
    assert [batch.get("error") for batch in reply.json()["batches"]] == [None, unavailable, None]
    assert "out of order" in capsys.readouterr().err


def test_topk_is_exact(one, town):
    queries = [f"{town[0]} {i}" for i in range(40)]
    for topk in (1, 3, 9, 10, 11, 20, 50):
        result = one.post("/retrieve", json={"queries": queries, "topk": topk}).json()["result"]
        assert {len(documents) for documents in result} == {topk}
    hits = {len(one.post("/api/search", json={"query": query, "k": 10}).json()["results"]) for query in queries}
    assert hits == {9, 10}


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_the_content_type_makes_no_difference(one, content_type):
    body = b'\xef\xbb\xbf{"queries": ["town"], "colour": "red"}'
    reply = one.post("/retrieve", content=body, headers={"content-type": content_type})
    assert len(reply.json()["result"][0]) == 3


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("GET", "/retrieve", 405, '/retrieve does not answer GET: use POST with a JSON body such as {"queries"'),
        ("PUT", "/api/search", 405, "use POST, GET"),
        ("POST", "/healthz", 405, "use GET"),
        ("POST", "/web/a.example/b", 405, "use GET"),
        ("POST", "/retrieve/", 404, "Leave out the last slash: /retrieve"),
        ("POST", "/w/WORLD/retrieve/", 404, "Leave out the last slash: /retrieve"),
        ("POST", "/api/serach", 404, "Did you mean '/api/search'?"),
        ("GET", "/zzz", 404, "Known: "),
        ("PUT", "/", 405, "/ does not answer PUT: use POST, GET with a JSON body such as"),
        ("GET", "/w/", 404, "nothing"),
        ("GET", "/api/search", 400, '"query" is missing: send a string'),
        ("POST", "/w/WORLD/healthz", 405, "/healthz does not answer POST: use GET"),
        ("GET", "/api/search?query=%ff", 400, "percent-encoded UTF-8"),
        ("GET", "/api/search?query=a&k=x", 400, '"k" must be an integer'),
    ],
)
def test_wrong_methods_and_paths(one, worlds, method, path, status, said):
    reply = one.request(method, path.replace("WORLD", worlds[0].id))
    assert reply.status_code == status
    assert said in reply.json()["error"]


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), lambda c: st.lists(c, max_size=3))
)
def test_no_value_of_a_field_is_a_5xx(worlds, value):
    client, _ = stubbed(worlds[0], Observation("ok"))
    bodies = [
        message("tools/call", name="web_search", arguments={"query": value, "page": value}),
        message("tools/call", name="web_extractor", arguments={"url": value}),
        message("tools/call", name=value, arguments=value),
        message("initialize", protocolVersion=value),
    ]
    for body in bodies:
        assert client.post("/mcp", content=json.dumps(body).encode()).status_code < 500
    for dialect in DIALECTS.values():
        for route in dialect.routes:
            for takes in route.takes.get("oneOf", [route.takes]):
                fields = dict.fromkeys(takes["properties"], value)
                path = re.sub(r"\{\w+(?::\w+)?\}", quote(str(value), safe="", errors="replace"), route.path)
                if route.method == "POST":
                    reply = client.post(path, content=json.dumps(fields).encode())
                else:
                    query = urlencode({name: str(each) for name, each in fields.items()}, errors="replace")
                    reply = client.get(f"{path}?{query}")
                assert reply.status_code < 500, path


@pytest.mark.parametrize(
    ("seen", "status"),
    [("error", 500), ("rate_limited", 429), ("timeout", 504), ("unavailable", 503), ("not_found", 404)],
)
def test_a_failure_inside_is_told_by_the_status(worlds, seen, status):
    client, _ = stubbed(worlds[0], Observation(seen, fault=seen, retry_after=5 if seen == "rate_limited" else None))
    reply = client.post("/api/extract", json={"url": "https://a.example/"})
    assert reply.status_code == status
    assert reply.headers.get("retry-after") == ("5" if seen == "rate_limited" else None)
    if seen != "not_found":
        other = client.post("/search", json={"query": "a"}).json()
        assert other["error"] == reply.json()["error"]
        assert (other["detail"]["error"] == other["error"]) == (status != 429)  # of a 429 Tavily has words of its own


def test_a_defect_is_json_too(worlds):
    client, _stub = stubbed(worlds[0], None)
    reply = client.post("/api/search", json={"query": "a"})
    assert (reply.status_code, list(reply.json())) == (500, ["error"])


def test_a_damaged_world_is_unavailable_and_says_no_path(folders, tmp_path, worlds, capsys):
    folder = save_world(worlds[0], tmp_path)
    table = next((folder / "tables").glob("*.jsonl"))
    table.write_bytes(table.read_bytes().replace(b"1", b"2", 1))
    client = TestClient(create_app([folder, folders[1]]))
    reply = client.post(f"/w/{worlds[0].id}/api/search", json={"query": "a"})
    assert reply.status_code == 503
    assert str(tmp_path) not in reply.text
    assert str(folder) in capsys.readouterr().err
    assert client.post(f"/w/{worlds[1].id}/api/search", json={"query": "a"}).status_code == 200


@pytest.mark.parametrize("url", SSRF)
def test_no_url_makes_the_server_connect(one, url, monkeypatch):
    def connect(*_):
        raise AssertionError("an outbound connection")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", connect)
    assert one.post("/api/extract", json={"url": url}).status_code == 404
    told = one.post("/extract", json={"urls": [url]}).json()
    assert (told["results"], len(told["failed_results"])) == ([], 1)


@pytest.mark.parametrize(
    "query", ["who's on first", "multi-agent", "@x", "a=b", "50%", '"', "*", "NEAR(", "(", ";", "ünïcode@x", "-"]
)
def test_query_syntax_never_fails(one, query):
    assert one.post("/api/search", json={"query": query}).status_code == 200


def test_same_call_same_bytes_whoever_asks_and_in_any_order(worlds, town):
    key, url = town
    calls = [
        ("/api/search", {"query": key}),
        ("/search", {"query": "town", "include_raw_content": True}),
        ("/retrieve", {"queries": [key, "mill"], "return_scores": True}),
        ("/api/extract", {"url": url}),
        ("/extract", {"urls": [url, "https://nowhere.example/"]}),
        ("/api/search", {"query": ""}),
    ]

    def ask(client, call):
        reply = client.post(call[0], json=call[1])
        return reply.status_code, dict(reply.headers), reply.content

    serial = [ask(TestClient(create_app(worlds[:1])), call) for call in calls]
    shared = TestClient(create_app(worlds[:1]))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda call: ask(shared, call), calls * 5)) == serial * 5
    names = {name for _, headers, _ in serial for name in headers}
    assert names == {"content-length", "content-type", "x-worldsmith-evidence"}


def test_health_worlds_and_description(many, worlds):
    assert many.get("/healthz").json() == {"status": "ok"}
    told = many.get("/worlds").json()["worlds"]
    assert told[0] == {
        "world": worlds[0].id,
        "schema": "town",
        "as_of": worlds[0].schema.as_of,
        "path": f"/w/{worlds[0].id}",
    }
    assert [world["world"] for world in told] == [world.id for world in worlds]


def test_plain_routes_answer_under_a_worlds_prefix_too(many, worlds):
    for path in PLAIN:
        for world in worlds:
            for spec in (world.id, f"{world.id};profile=flaky;seed=2"):
                assert many.get(f"/w/{spec}{path}").content == many.get(path).content
    assert many.get("/w/town-0/healthz").status_code == 404
    assert many.get("/w/a;sed=1/healthz").status_code == 400


def test_the_front_says_what_this_is_and_each_route_once(one, many, worlds):
    told = many.get("/").json()
    assert "GET /web/<host>/<path>" in told["routes"]
    assert f"/w/{worlds[0].id}/api/search" in told["world"]
    for path in (told["worlds"], told["description"]):
        assert many.get(path).status_code == 200
    error = one.get("/zzz").json()["error"]
    assert error.startswith("there is nothing at /zzz. Known: '/', '/<scheme>://<url>', '/access', ")
    assert error.count("'/api/search'") == 1


@pytest.mark.parametrize(
    "path", ["/jina/s/town%0Aof", "/jina/r/https://nowhere.example/a%0Ab", "/https://a.example/%0A"]
)
def test_a_line_break_in_a_path_is_a_character_like_others(one, path):
    reply = one.get(path, headers={"accept": "application/json"})
    assert (reply.status_code, reply.json()["code"]) == (200, 200)


def test_a_field_without_a_name_is_no_id_of_json_rpc(one):
    reply = one.post("/search", json={"": "x", "query": ""})
    assert reply.status_code == 400
    assert set(reply.json()) == {"detail", "error"}
    wrong = one.post("/mcp", json={"id": False, "method": "ping"})
    assert (wrong.status_code, wrong.json()["id"]) == (400, None)


def test_reading_beyond_the_end_is_empty_and_over(one, town):
    told = one.post("/api/extract", json={"url": town[1], "offset": 900_000}).json()
    assert (told["text"], told["more"], told["next_offset"]) == ("", False, None)


def test_the_description_says_where_pages_of_several_worlds_are(many):
    route = many.get("/openapi.json").json()["paths"]["/web/{host}/{path}"]["get"]
    assert "/w/<world>/web/<host>/<path>" in route["summary"]


def fits(value, schema):
    """Whether a JSON value is what a schema of ours says, with no property that it does not name."""
    for way in ("oneOf", "anyOf"):
        if way in schema:
            return any(fits(value, option) for option in schema[way])
    if not set(schema) - {"description"}:
        return True
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    if "type" not in schema:
        return not isinstance(value, dict) or all(fits(v, schema["properties"][k]) for k, v in value.items())
    kinds = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
    named = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    numeric = isinstance(value, int | float) and not isinstance(value, bool) and {"integer", "number"} & set(named)
    if not numeric and not isinstance(value, tuple(kinds[name] for name in named if name in kinds)):
        return False
    if isinstance(value, list):
        return all(fits(item, schema["items"]) for item in value)
    if isinstance(value, dict) and "properties" in schema:
        known, needed = schema["properties"], set(schema["required"])
        return needed <= set(value) <= set(known) and all(fits(v, known[k]) for k, v in value.items())
    return True


def message(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_the_description_is_true(one, town):
    key, url = town
    bodies = [
        {"query": key},
        {"queries": [key, key]},
        {"url": url},
        {"query": key, "include_raw_content": True},
        {"query": key, "topic": "news", "max_results": 20},
        {"urls": [url, "x"]},
        {"urls": url, "format": "text"},
        {"queries": [key], "return_scores": True},
        {"q": key},
        {"q": key, "num": 20, "gl": "us", "tbs": "qdr:y"},
        {"url": url, "includeMarkdown": True},
        {"name": "GlobalSearch", "arguments": json.dumps({"query": key, "count": 3})},
        {"name": "TextBrowserView", "arguments": json.dumps({"url": url, "description": "all of it"})},
        {"name": "web_search", "arguments": {"queries": [key, key]}},
        {"name": "web_extractor", "arguments": {"url": url}},
        {"query": key, "contents": {"text": {"maxCharacters": 99}, "highlights": True}},
        {"query": key, "scrapeOptions": {"formats": ["markdown"]}},
        {"query": key, "sources": ["news"]},
        {"url": url, "formats": ["markdown", {"type": "html"}]},
        {"ids": url, "text": {"maxCharacters": 99}, "summary": True},
        {"urls": [url, "x"], "formats": ["markdown", "html"]},
        message("ping"),
        message("tools/list"),
        message("tools/call", name="web_search"),
        message("nothing"),
    ]
    values = dict(zip(("host", "path"), url.removeprefix("https://").split("/", 1), strict=True))
    values |= {"query": key, "q": key, "scheme": "https", "format": "json", "url": url}
    sent = []
    for path, operations in one.get("/openapi.json").json()["paths"].items():
        for method, operation in operations.items():
            media = operation["responses"]["200"]["content"]
            if method == "post":
                takes = operation["requestBody"]["content"]["application/json"]["schema"]
                fitting = [body for body in bodies if fits(body, takes)]
                assert fitting, f"{path}: none of the bodies"
                replies = [one.post(path, json=body) for body in fitting]
                sent += fitting
                assert not fits({}, takes)
            else:
                needed = [p["name"] for p in operation.get("parameters", ()) if p["in"] == "query" and p["required"]]
                place = path.format(**{**values, "url": url.removeprefix("https://") if "://" in path else url})
                params = {name: values[name] for name in needed}
                replies = [one.get(place, params=params, headers={"accept": kind}) for kind in media]
            for reply in replies:
                assert reply.status_code == 200, path
                kind = reply.headers["content-type"].partition(";")[0]
                assert kind != "application/json" or fits(reply.json(), media[kind]["schema"]), path
                assert kind in media
    assert [body for body in bodies if body not in sent] == []


def test_the_description_names_every_route_and_no_other(one):
    described = {
        (method.upper(), path)
        for path, operations in one.get("/openapi.json").json()["paths"].items()
        for method in operations
    }
    routed = {
        (method, re.sub(r":rest", "", route.path))
        for route in one.app.routes
        if not route.path.startswith("/w/") and route.path not in OPERATOR
        for method in route.methods - {"HEAD"}
    }
    assert described == routed
    assert set(PLAIN) <= {path for _, path in described}


def test_worlds_are_opened_late_and_closed_within_the_memory(folders, worlds):
    app = create_app(folders, memory=0, memo=0)
    client, responder_cache = TestClient(app), app.state.responder_cache
    assert responder_cache.opened == ()
    for world in (worlds[0].id, worlds[1].id, worlds[0].id):
        assert client.post(f"/w/{world}/api/search", json={"query": "a"}).status_code == 200
        assert responder_cache.opened == (world,)
    roomy = create_app(folders, memo=0, memory=1 + sum(world.facts for world in worlds) * BYTES_A_FACT // 1_000_000)
    for world in (worlds[0].id, worlds[1].id, worlds[0].id):
        TestClient(roomy).post(f"/w/{world}/api/search", json={"query": "a"})
    assert roomy.state.responder_cache.opened == (worlds[1].id, worlds[0].id)


class Slow(Stub):
    """Takes until it is let go to be ready; notes in which threads it is made ready."""

    def __init__(self, go):
        super().__init__(Observation("ok"))
        self.go, self.threads = go, []

    def ready(self, address):
        return bool(self.threads) and self.go.is_set()

    def warm(self, address):
        self.threads.append(threading.current_thread().name)
        assert self.go.wait(20)


def test_a_world_that_opens_keeps_no_other_waiting_and_opens_once(worlds):
    go, made = threading.Event(), {}

    def simulate(world):
        made.setdefault(world.id, []).append(Slow(go) if world is worlds[0] else Stub(Observation("ok")))
        return made[world.id][-1]

    async def ask():
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(create_app(worlds, simulate=simulate))) as client:
            slow, quick = (f"http://a/w/{world.id}/api/search" for world in worlds)
            waiting = [asyncio.create_task(client.post(slow, json={"query": "a"})) for _ in range(3)]
            await asyncio.sleep(0.01)
            assert (await client.post(quick, json={"query": "a"})).status_code == 200
            waiting.pop().cancel()
            assert not any(task.done() for task in waiting)
            go.set()
            assert [(await task).status_code for task in waiting] == [200, 200]

    asyncio.run(ask())
    assert [len(each) for each in made.values()] == [1, 1]
    (name,) = made[worlds[0].id][0].threads
    assert name.startswith("worldsmith-open")


def test_pages_and_index_are_made_in_a_thread_for_every_page_length(worlds, monkeypatch):
    threads = []

    def spied(self, pages, make=Index.__init__):
        threads.append((pages.length, threading.current_thread().name[:15]))
        make(self, pages)

    monkeypatch.setattr(Index, "__init__", spied)
    monkeypatch.setitem(PROFILES, "web", Profile("web", length="web"))
    client = TestClient(create_app(worlds[:1]))
    for profile in ("clean", "open", "web", "clean"):
        assert client.post(f"/api/search?profile={profile}", json={"query": "town"}).json()["results"]
    assert threads == [("short", "worldsmith-open"), ("web", "worldsmith-open")]


def test_between_the_calls_of_a_batch_others_are_served(worlds):
    done = []

    class Noting(Stub):
        async def acall(self, address, call, attempt=0, deadline=None):
            done.append(call.arg)
            return self.seen

    app = create_app(worlds[:1], simulate=lambda _: Noting(Observation("ok")))

    async def ask():
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as client:
            await client.post("http://a/api/search", json={"query": "first"})
            batch = client.post("http://a/api/search", json={"queries": [f"q{i}" for i in range(60)]})
            await asyncio.gather(batch, client.post("http://a/api/search", json={"query": "other"}))

    asyncio.run(ask())
    assert done.index("other") < 40
    assert [name for name in done if name[0] == "q"] == [f"q{i}" for i in range(60)]


def test_what_can_not_be_served_is_said_at_the_start(worlds, folders, tmp_path):
    with pytest.raises(UsageError, match="no world to serve"):
        create_app([])
    with pytest.raises(UsageError, match="given twice"):
        create_app([folders[0], worlds[0]])
    with pytest.raises(FormatError, match="can't be read"):
        create_app([tmp_path])
    with pytest.raises(NotFoundError, match="no profile 'claen'"):
        create_app(worlds, profile="claen")
    with pytest.raises(UsageError, match="link base"):
        create_app(worlds, link_base="localhost:8000")


def imported(module, seen):
    """Every worldsmith module that importing `module` could load, imports inside functions included.

    The package itself is none: its front door loads what a user names, and nothing before (tests/test_front_door.py).
    """
    if module in seen or module == "worldsmith":
        return seen
    seen.add(module)
    base = ROOT.parent / module.replace(".", "/")
    file = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
    for node in ast.walk(ast.parse(file.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            package = module if file.name == "__init__.py" else module.rpartition(".")[0]
            base_name = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            start = ".".join(part for part in (base_name, node.module) if part)
            names = [start, *(f"{start}.{alias.name}" for alias in node.names)]
        for name in names:
            path = ROOT.parent / name.replace(".", "/")
            if name.startswith("worldsmith") and (path.is_dir() or path.with_suffix(".py").is_file()):
                imported(name, seen)
    return seen


def test_the_serving_process_can_not_load_what_holds_gold():
    tops = {name.split(".")[1] for name in imported("worldsmith.serving", set()) if "." in name}
    assert {"simulate", "pages", "serving"} <= tops
    assert not tops & {"tasks", "agents", "audit", "mining", "train", "cli"}


def test_the_serving_process_opens_no_file_of_tasks(folders, worlds):
    tasks = tasks_file(folders[0])
    tasks.parent.mkdir(exist_ok=True)
    tasks.write_text("gold")
    code = f"""
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from pathlib import Path
from starlette.testclient import TestClient
from worldsmith.serving import create_app
client = TestClient(create_app([Path(p) for p in {[str(f) for f in folders]!r}]))
assert client.post("/w/{worlds[0].id}/api/search", json={{"query": "town"}}).json()["results"]
print([p for p in opened if "/_tasks/" in p], any("tables" in p for p in opened))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] True\n"


@pytest.fixture
def process(folders):
    """Starts `serve` in a process of its own; returns it with the address it says."""
    started = []

    def start(*args):
        code = "import sys; from pathlib import Path; from worldsmith.serving import serve; "
        code += f"serve([Path({str(folders[0])!r})], **eval(sys.argv[1]))"
        child = subprocess.Popen(
            [sys.executable, "-c", code, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(child)
        return child, child.stdout.readline()

    yield start
    for child in started:
        child.kill()
        child.communicate()


def test_a_server_says_its_address_and_a_killed_ones_port_is_free(process, worlds, town):
    child, line = process("{'port': 0}")
    said = re.fullmatch(
        rf"worldsmith: serving world {worlds[0].id} at (http://127.0.0.1:(\d+)) \(ready in [\d.]+ s\)\n", line
    )
    assert said
    url, port = said[1], int(said[2])
    request = urllib.request.Request(f"{url}/api/search", json.dumps({"query": town[0]}).encode())
    with urllib.request.urlopen(request) as reply:
        assert town[1] in [result["url"] for result in json.load(reply)["results"]]
        sent = {"content-length", "content-type", "connection", "x-worldsmith-evidence"}
        assert {name.lower() for name in reply.headers} == sent
    with pytest.raises(UsageError, match=f"can't listen on 127.0.0.1 port {port}: Address already in use"):
        serve(worlds, port=port)
    child.kill()
    child.wait()
    again, line = process(f"{{'port': {port}}}")
    assert f":{port} " in line
    again.send_signal(signal.SIGINT)
    assert again.wait(10) == 0


@pytest.fixture
def two_workers(folders):
    """`serve --workers 2` under a profile with faults: the process and its address."""
    command = [sys.executable, "-m", "worldsmith", "serve", str(folders[0]), "--port", "0", "--workers", "2"]
    child = subprocess.Popen(
        [*command, "--profile", "flaky"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    yield child, re.search(r"http://\S+", child.stdout.readline())[0]
    child.terminate()
    child.communicate(timeout=20)


def workers_of(child):
    """The process ids of the workers of a server."""
    return {int(pid) for pid in Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()}


def total_of(url, name):
    """The sum of a metric's samples; each request comes on a connection of its own."""
    text = urllib.request.urlopen(f"{url}/metrics").read().decode()
    return sum(
        float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith((f"{name}{{", f"{name} "))
    )


def status_of(url, query, session):
    request = urllib.request.Request(f"{url}/api/search?session={session}", json.dumps({"query": query}).encode())
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code


def test_workers_share_the_attempts_of_a_session_and_are_replaced_when_they_end(two_workers, worlds):
    child, url = two_workers
    alone = TestClient(create_app(worlds[:1], profile="flaky"))
    queries = [f"q{i}" for i in range(12)] * 3
    expected = [alone.post("/api/search?session=a", json={"query": query}).status_code for query in queries]
    assert [status_of(url, query, "a") for query in queries] == expected
    assert {*expected} > {200}
    pids = workers_of(child)
    assert len(pids) == 2
    os.kill(min(pids), signal.SIGKILL)
    assert "a worker ended with -9: another one is started" in child.stderr.readline()
    while len(now := workers_of(child)) < 2:
        pass
    assert now & pids == {max(pids)}
    child.send_signal(signal.SIGTERM)
    assert child.wait(20) == 0


def test_workers_end_with_a_server_that_is_killed(two_workers):
    child, url = two_workers
    child.kill()
    with suppress(OSError):
        while True:  # as long as a worker answers
            urllib.request.urlopen(f"{url}/healthz", timeout=30).close()


def test_whichever_worker_is_asked_gives_the_counts_of_all(two_workers):
    child, url = two_workers
    for n in range(40):
        status_of(url, "town", f"s{n}")
    requests = "worldsmith_request_duration_seconds_count"
    while any(total_of(url, f'{requests}{{dialect="api",route="/api/search"}}') < 40 for _ in range(12)):
        pass  # a worker's counts are a second old at most
    assert {total_of(url, f'{requests}{{dialect="api",route="/api/search"}}') for _ in range(12)} == {40}
    assert {total_of(url, "worldsmith_processes") for _ in range(12)} == {2}
    assert {total_of(url, "worldsmith_worlds") for _ in range(12)} == {1}
    os.kill(min(workers_of(child)), signal.SIGKILL)
    child.stderr.readline()
    while total_of(url, "worldsmith_processes") != 2:
        pass
    assert total_of(url, f'{requests}{{dialect="api",route="/api/search"}}') == 40


def test_notes_of_a_session_are_the_same_whichever_worker_is_asked(two_workers):
    _, url = two_workers

    def ask(**arguments):
        body = json.dumps({"name": "dict_memory", "arguments": arguments}).encode()
        return urllib.request.urlopen(f"{url}/agentworld?session=a", body).read().decode()

    for n in range(30):
        ask(operation="add", dict={f"k{n}": n})
    assert {ask(operation="retrieve_all") for _ in range(12)} == {
        json.dumps({f"k{n}": n for n in range(30)}, separators=(",", ":"))
    }


def test_a_worker_that_can_not_serve_ends_all(folders):
    command = [sys.executable, "-m", "worldsmith", "serve", str(folders[0]), "--port", "0", "--workers", "2"]
    done = subprocess.run([*command, "--profile", "claen"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no profile 'claen'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("where", ["", "/w/WORLD", "/tavily", "/w/WORLD/tavily"])
def test_the_unmodified_tavily_client_finds_and_reads(live, worlds, town, where):
    from tavily import TavilyClient

    key, url = town
    with TavilyClient("tvly-anything", api_base_url=live + where.replace("WORLD", worlds[0].id)) as client:
        found = client.search(key, max_results=10, include_raw_content=True)
        assert url in [result["url"] for result in found["results"]]
        read = client.extract([url, "https://nowhere.example/"])
        assert key.split(",")[0] in read["results"][0]["raw_content"]
        assert [failed["url"] for failed in read["failed_results"]] == ["https://nowhere.example/"]


def test_the_tavily_client_raises_what_it_should(worlds, live):
    from tavily import BadRequestError, TavilyClient

    with TavilyClient("ws-" + worlds[0].id, api_base_url=live) as client:
        assert client.search("town")["results"]
        with pytest.raises(BadRequestError, match="is empty"):
            client.search(" ")


def test_the_tavily_client_shows_why_a_key_names_no_world(worlds, live):
    from tavily import AsyncTavilyClient, InvalidAPIKeyError, TavilyClient

    unknown = f"Did you mean '{worlds[0].id}'"
    with TavilyClient(f"ws-{worlds[0].id}x", api_base_url=live) as client:
        for ask in (lambda: client.search("town"), lambda: client.extract(["https://a.example/"])):
            with pytest.raises(InvalidAPIKeyError, match=unknown):
                ask()

    async def search():
        async with AsyncTavilyClient(f"ws-{worlds[0].id}x", api_base_url=live) as client:
            await client.search("town")

    with pytest.raises(InvalidAPIKeyError, match=unknown):
        asyncio.run(search())
    with TavilyClient("tvly-dev-anything", api_base_url=live) as client:
        assert client.search("town")["results"]
    with (
        TavilyClient("tvly-dev-anything", api_base_url=f"{live}/w/{worlds[0].id}x") as client,
        pytest.raises(InvalidAPIKeyError, match=unknown),
    ):
        client.search("town")


@contextmanager
def listening(app):
    """An app on a real socket, in a thread; gives its port."""
    bound = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(server_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        os.sched_yield()
    yield bound.getsockname()[1]
    server.should_exit = True
    thread.join(10)
    bound.close()


@pytest.fixture(scope="module")
def live(worlds):
    with listening(create_app(worlds[:1])) as port:
        yield f"http://127.0.0.1:{port}"


def received(connection):
    """Everything that a server sends until it closes."""
    parts = []
    with suppress(ConnectionResetError):  # what we sent after that is answered so
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


POST = b"POST /api/search HTTP/1.1\r\nHost: a\r\n"
WHOLE = POST + b"Content-Length: 13\r\n\r\n" + b'{"query":"a"}'
LATE = b"HTTP/1.1 408 Request Timeout\r\n"


@pytest.mark.parametrize(
    ("parts", "starts"),
    [
        ([], [b""]),
        ([b"P"], [LATE]),
        ([POST], [LATE]),
        ([POST + b"X-A: " + b"a" * 5000], [LATE]),
        ([POST + b"Content-Length: 13\r\n\r\n"], [LATE]),
        ([POST + b"Content-Length: 13\r\n\r\n", b'{"query":"a"'], [LATE]),
        ([POST + b"Content-Length: 200000\r\n\r\n" + b"a" * 150_000], [LATE]),
        ([POST + b"Transfer-Encoding: chunked\r\n\r\n", b"3\r\nabc\r\n"], [LATE]),
        ([POST + b"Content-Length: 100\r\n\r\n", *[b" "] * 90], [LATE]),
        ([b"GET /healthz HTTP/1.1\r\n", *[b"X-A: a\r\n"] * 90], [LATE]),
        ([WHOLE, POST], [b"HTTP/1.1 200 OK\r\n", LATE]),
        ([WHOLE, POST + b"Content-Length: 5\r\n\r\n"], [b"HTTP/1.1 200 OK\r\n", LATE]),
        ([POST + b"Content-Length: 99\r\nExpect: 100-continue\r\n\r\n"], [b"HTTP/1.1 100 Continue\r\n", LATE]),
    ],
    ids=lambda value: repr(value[-1][-30:]) if value else "nothing",
)
def test_a_request_that_does_not_arrive_whole_is_given_up(worlds, monkeypatch, parts, starts):
    monkeypatch.setattr("worldsmith.serving.listen.ARRIVAL", 0.25)
    app = create_app(worlds[:1], simulate=lambda _: Stub(Observation("ok")))
    with listening(app) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        reply = b""
        for part in parts:
            try:
                connection.sendall(part)
                connection.settimeout(0.02)
                reply += connection.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                break  # closed while the request still trickles in
        connection.settimeout(20)
        reply += received(connection)
        assert reply.startswith(starts[0])
        assert starts[-1] in reply
        assert reply.count(b"HTTP/1.1") == len([start for start in starts if start])


def test_a_slow_reply_is_no_late_request(worlds, monkeypatch):
    monkeypatch.setattr("worldsmith.serving.listen.ARRIVAL", 0.05)

    class Patient(Stub):
        async def acall(self, address, call, attempt=0, deadline=None):
            await asyncio.sleep(0.3)
            return self.seen

    app = create_app(worlds[:1], simulate=lambda _: Patient(Observation("ok")))
    with listening(app) as port, socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        for _ in range(2):
            connection.sendall(WHOLE)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 OK\r\n")


def test_replies_end_and_idle_connections_close_when_the_server_stops(worlds):
    begun = threading.Event()

    class Patient(Stub):
        async def acall(self, address, call, attempt=0, deadline=None):
            begun.set()
            await asyncio.sleep(0.3)
            return self.seen

    app = create_app(worlds[:1], simulate=lambda _: Patient(Observation("ok")))
    with ExitStack() as stack:
        with listening(app) as port:
            busy, idle = (stack.enter_context(socket.create_connection(("127.0.0.1", port), 20)) for _ in range(2))
            busy.sendall(WHOLE)
            assert begun.wait(20)
        reply = received(busy)
        assert reply.startswith(b"HTTP/1.1 200 OK\r\n")
        assert reply.endswith(b"}")
        assert received(idle) == b""


def test_hundreds_of_clients_are_answered_on_connections_they_keep(worlds):
    clients, rounds = 300, 2
    app = create_app(worlds[:1], simulate=lambda _: Stub(Observation("ok")))

    async def ask(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        heads = []
        for _ in range(rounds):
            writer.write(WHOLE)
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            await reader.readexactly(int(re.search(rb"content-length: (\d+)", heads[-1])[1]))
        writer.close()
        return [head.split(b"\r\n")[0] for head in heads]

    async def ask_all(port):
        return await asyncio.gather(*(ask(port) for _ in range(clients)))

    with listening(app) as port:
        assert asyncio.run(ask_all(port)) == [[b"HTTP/1.1 200 OK"] * rounds] * clients


@pytest.mark.parametrize(("soft", "most", "set_to"), [(1024, 4096, 4096), (1024, -1, 65_536), (100_000, -1, None)])
def test_as_many_connections_as_the_system_allows_may_be_open(monkeypatch, soft, most, set_to):
    limits = []
    monkeypatch.setattr("resource.getrlimit", lambda _: (soft, most))
    monkeypatch.setattr("resource.setrlimit", lambda _, pair: limits.append(pair))
    allow_open_files()
    assert limits == ([] if set_to is None else [(set_to, most)])


def test_the_oldest_of_too_many_half_open_connections_is_closed(worlds, monkeypatch):
    monkeypatch.setattr("worldsmith.serving.listen.MOST_WAITING", 3)
    app = create_app(worlds[:1], simulate=lambda _: Stub(Observation("ok")))
    with listening(app) as port, ExitStack() as stack:

        def connected():
            return stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))

        half = []
        for _ in range(3):
            half.append(connected())
            half[-1].sendall(POST + b"Content-Length: 13\r\n\r\n")
        busy = connected()
        busy.sendall(WHOLE)  # whoever sends a whole request needs a place for a moment alone
        assert busy.recv(65536).startswith(b"HTTP/1.1 200 OK\r\n")
        assert received(half[0]).startswith(LATE)
        half[1].sendall(b'{"query":"a"}')
        assert half[1].recv(65536).startswith(b"HTTP/1.1 200 OK\r\n")


def test_faults_that_pass_need_a_session(worlds):
    client = TestClient(create_app(worlds[:1]), base_url="http://localhost:8000")
    spec = f"/w/{worlds[0].id};profile=flaky"
    said = client.post(f"{spec}/api/search", json={"query": "a"})
    assert said.status_code == 400
    assert ";session=NAME" in said.json()["error"]
    seen = {client.post(f"{spec};session=a/api/search", json={"query": f"q{i}"}).status_code for i in range(60)}
    assert seen == {200, 429, 500}
    for i in range(60):
        tries = [client.post(f"{spec};session=b/api/search", json={"query": f"q{i}"}).status_code for _ in range(6)]
        assert 200 in tries
