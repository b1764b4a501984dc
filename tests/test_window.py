"""The window: who is let in, what each view shows, what is damaged, and the process beside a server."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

import orjson
import pytest
from starlette.testclient import TestClient

from tests.test_rollout import played
from worldsmith.errors import UsageError
from worldsmith.graph import graph_of
from worldsmith.rollout.recorded_episodes import EPISODES
from worldsmith.rollout.run_report import cell_outcome
from worldsmith.rollout.saved_run import saved_run
from worldsmith.scoring import show
from worldsmith.serving import create_app
from worldsmith.serving.listen import listening_socket
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.traces import Traces, read_trace
from worldsmith.window.app import FILES, VIEWS, create_window
from worldsmith.window.launch import WindowSettings, window_process
from worldsmith.window.library import Library
from worldsmith.window.markup import Markup, tag
from worldsmith.window.row_filters import matching_rows, sorted_rows, value_text
from worldsmith.world.files import load_world, save_jsonl, save_world, tasks_file, world_folders
from worldsmith.world.model import Row

TOKEN = "t0ken"
RUNS = ("perfect", "forgetful", "copier", "snippet_reader")
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


class _Page(HTMLParser):
    """The texts, the links and the tables of a page, and what a browser would run of it."""

    def __init__(self, text):
        super().__init__()
        self.words, self.links, self.tables, self.active = [], [], [], []
        self._cells = None
        self.feed(text)
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if tag not in {"a", "b", "mark", "span"}:
            self.words.append(" ")
        if tag == "a":
            self.links.append(named["href"])
        if tag == "table":
            self.tables.append([])
        if tag == "tr" and self.tables:
            self.tables[-1].append([])
        if tag in {"td", "th"}:
            self.tables[-1][-1].append("")
            self._cells = self.tables[-1][-1]
        if tag in {"img", "iframe", "object", "embed", "style"} or (tag == "script" and not named.get("src")):
            self.active.append(tag)
        self.active += [name for name in named if name.startswith("on") or name == "style"]
        sources = (named.get("src"), named.get("href") if tag == "link" else None)
        self.active += [source for source in sources if source and not source.startswith(f"/{TOKEN}/static/")]

    def handle_endtag(self, tag):
        if tag in {"td", "th"}:
            self._cells = None

    def handle_data(self, data):
        self.words.append(data)
        if self._cells is not None:
            self._cells[-1] += data


class Browser:
    """Reads pages of a window in this process."""

    def __init__(self, *paths, **options):
        library = Library(WindowSettings(paths, **options))
        self.client = TestClient(
            create_window(library, TOKEN), base_url="http://localhost", raise_server_exceptions=False
        )

    def page(self, path="", status=200, **query):
        reply = self.client.get(path if path.startswith(f"/{TOKEN}") else f"/{TOKEN}/{path}", params=query or None)
        assert reply.status_code == status, reply.text
        return _Page(reply.text)


@pytest.fixture(scope="module")
def saved(town, mined, tmp_path_factory):
    """The town with its tasks, a run per scripted model, and the traces of one."""
    place = tmp_path_factory.mktemp("window")
    folder = save_world(town, place / "w")
    save_jsonl(tasks_file(folder), [task.to_json() for task in mined])
    for name in RUNS:
        traces = Traces(place / "traces") if name == "perfect" else None
        with saved_run(place / "runs" / name, {"model": name}) as run:
            for episode in played(folder, mined, name, traces=traces)[0]:
                run.add(episode)
    return place


@pytest.fixture(scope="module")
def browser(saved):
    return Browser(saved / "w", records=(saved / "runs", saved / "traces"))


def shape(link):
    """A link without the values in it: links of one shape lead to one view."""
    parts = urlsplit(link)
    return re.sub(r"\d+", "0", parts.path), tuple(parse_qs(parts.query))


def followed(browser, most=2):
    """Yield address and response of pages from the first on, a few of each shape of their links."""
    waiting, known, counts = [f"/{TOKEN}/"], {f"/{TOKEN}/"}, {}
    while waiting:
        address = waiting.pop()
        reply = browser.client.get(address)
        yield address, reply
        for link in _Page(reply.text).links:
            target = urljoin(address, link)
            if target not in known and "#" not in target and counts.get(shape(target), 0) < most:
                counts[shape(target)] = counts.get(shape(target), 0) + 1
                known.add(target)
                waiting.append(target)


def files_of(folder):
    return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in folder.rglob("*")}


# ---- who is let in


@pytest.mark.parametrize("path", ["/", "/wrong/", f"/{TOKEN}x/", "/static/window.css", f"/x/{TOKEN}/", "//", "/%ff/"])
def test_without_the_token_nothing_is_there(browser, path):
    reply = browser.client.get(path)
    assert (reply.status_code, reply.text) == (404, "not found\n")


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("LOCALHOST:8", 200), ("127.0.0.1:81", 200), ("[::1]:80", 200), ("[::1]", 200)]
    + [(host, 404) for host in ("evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "10.0.0.1:80")],
)
def test_only_names_of_loopback_are_answered(browser, host, status):
    assert browser.client.get(f"/{TOKEN}/", headers={"host": host}).status_code == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
def test_it_can_only_be_read(browser, method):
    assert browser.client.request(method, f"/{TOKEN}/").status_code == 405
    assert browser.client.request(method, "/wrong/").status_code == 404


def test_every_page_can_be_read_runs_nothing_and_leads_nowhere_else(browser, saved):
    before, views = files_of(saved), set()
    for address, reply in followed(browser):
        assert reply.status_code == 200, (address, reply.text)
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert reply.headers["referrer-policy"] == "no-referrer"
        page = _Page(reply.text)
        assert not page.active, address
        assert all(link.startswith((f"/{TOKEN}/", "?", "#")) for link in page.links), address
        views.add(re.sub(r"^world/[^/]+", "world/{world}", urlsplit(address).path.removeprefix(f"/{TOKEN}/")))
    templates = [re.compile(re.sub(r"\{\w+\}", "[^/]+", view).removeprefix("/") + "$") for view in VIEWS]
    assert all(any(template.match(view) for view in views) for template in templates)
    assert files_of(saved) == before


def test_every_path_of_the_window_is_not_found_on_the_port_of_agents(browser, town):
    agents = TestClient(create_app([town]))
    paths = {urlsplit(address).path for address, _ in followed(browser, most=1)}
    paths |= {f"/{TOKEN}/static/{name}" for name in FILES}
    assert len(paths) > len(VIEWS)
    bare = [path.removeprefix(f"/{TOKEN}") for path in paths] + [f"/w/{town.id}{path}" for path in paths]
    for path in (*paths, *(path for path in bare if path != "/")):
        assert agents.get(path).status_code == 404, path


@pytest.mark.parametrize("name", FILES)
def test_its_files_are_beside_it(browser, name):
    reply = browser.client.get(f"/{TOKEN}/static/{name}")
    assert reply.headers["content-type"].startswith(FILES[name])
    assert "http" not in reply.text.replace("http://www.w3.org/2000/svg", "")
    assert browser.client.get(f"/{TOKEN}/static/../app.py").status_code == 404


# ---- worlds and tables


def test_the_list_of_worlds_says_what_made_each_and_whether_its_rules_hold(browser, town):
    header, row = browser.page().tables[0]
    shown = dict(zip(header, row, strict=True))
    assert shown["world"] == town.id
    assert (shown["seed"], shown["facts"], shown["tables"]) == (str(town.seed), str(town.facts), str(len(town.tables)))
    assert town.digest.startswith(shown["digest"])
    assert re.fullmatch(r"\d+ hold", shown["rules"])


def test_a_world_shows_its_tables_and_every_rule(browser, town):
    page = browser.page(f"world/{town.id}")
    assert [row[:2] for row in page.tables[0][1:]] == [[name, str(town.size(name))] for name in town.tables]
    assert {row[0] for row in page.tables[1][1:]} == {rule.name for rule in town.schema.rules}
    assert town.digest in page.text


def test_a_row_that_breaks_a_rule_is_named(town, tmp_path):
    floors = [10**6, *town.tables["shop"]["floor"][1:]]
    broken = replace(town, tables={**town.tables, "shop": {**town.tables["shop"], "floor": floors}})
    save_world(broken, tmp_path)
    browser = Browser(tmp_path)
    assert re.search(r"[1-9]\d* broken", browser.page().text)
    page = browser.page(f"world/{town.id}")
    assert ["fill:shop.floor", "shop/0", town.title(Row("shop", 0))] in [row[:3] for row in page.tables[1]]
    assert f"/{TOKEN}/world/{town.id}/t/shop/0" in page.links


COLUMNS = {
    "name": ["Ada", "bob", None, "Ann"],
    "n": [10, 9, None, 2.5],
    "open": [True, False, True, None],
    "day": ["2027-01-02", "2026-12-31", None, "2027-03-01"],
}


@pytest.mark.parametrize(
    ("column", "text", "rows"),
    [
        ("name", "A", [0, 3]),
        ("name", "=ADA", [0]),
        ("name", "!= ada", [1, 3]),
        ("name", "=", [2]),
        ("name", "!=", [0, 1, 3]),
        ("name", "<b", [0, 3]),
        ("n", ">9", [0]),
        ("n", ">=9", [0, 1]),
        ("n", "<10", [1, 3]),
        ("n", "=2.50", [3]),
        ("n", "0", [0]),
        ("open", "=true", [0, 2]),
        ("open", "false", [1]),
        ("day", ">2026-12-31", [0, 3]),
        ("day", "<=2027-01-02", [0, 1]),
    ],
)
def test_a_filter_keeps_the_rows_that_it_describes(column, text, rows):
    assert matching_rows(COLUMNS, {column: text}) == rows


def test_filters_of_several_columns_hold_together():
    assert matching_rows(COLUMNS, {"name": "a", "n": "<5"}) == [3]
    assert matching_rows(COLUMNS, {}) == [0, 1, 2, 3]
    assert matching_rows({}, {}) == []


@pytest.mark.parametrize(
    ("column", "text", "wrong"),
    [("n", "<x", "n: 'x' is no number"), ("n", ">", "n: > needs a value"), ("m", "1", "no column 'm'")],
)
def test_a_filter_that_can_not_be_read_says_why(column, text, wrong):
    with pytest.raises(UsageError, match=re.escape(wrong)):
        matching_rows(COLUMNS, {column: text})


def test_rows_are_sorted_by_value_those_without_one_last():
    assert sorted_rows(range(4), COLUMNS, "n", descending=False) == [3, 1, 0, 2]
    assert sorted_rows(range(4), COLUMNS, "n", descending=True) == [0, 1, 3, 2]
    assert sorted_rows([2, 0, 3], COLUMNS, "name", descending=False) == [0, 3, 2]


def test_a_table_shows_the_rows_that_pass_sorted(browser, town):
    values = town.tables["shop"]["floor"]
    page = browser.page(f"world/{town.id}/t/shop", **{"f.floor": ">100", "sort": "floor", "order": "desc"})
    place = [heading.split()[0] for heading in page.tables[0][0]].index("floor")
    shown = [int(row[place]) for row in page.tables[0][2:]]
    assert shown == sorted((v for v in values if v > 100), reverse=True)
    assert f"{len(shown)} of {len(values)} rows" in page.text
    wrong = browser.page(f"world/{town.id}/t/shop", **{"f.floor": ">x"})
    assert "floor: 'x' is no number" in wrong.text
    assert len(wrong.tables[0]) == 2


def test_a_long_table_comes_in_pages(browser, town):
    rows = []
    for number in (1, 2):
        rows += [row[0] for row in browser.page(f"world/{town.id}/t/resident", page=number).tables[0][2:]]
    assert rows == [str(i) for i in range(town.size("resident"))]


def test_a_reference_leads_to_its_row_and_a_row_to_those_that_refer_to_it(browser, town):
    row = Row("shop", 3)
    street = town.follow(row, "street")
    here = f"/{TOKEN}/world/{town.id}/t"
    assert f"{here}/street/{street.index}" in browser.page(f"{here}/shop/3").links
    there = browser.page(f"{here}/street/{street.index}")
    assert f"{here}/shop/3" in there.links
    assert town.title(street) in there.text
    browser.page(f"{here}/shop/{town.size('shop')}", status=404)
    browser.page(f"{here}/shop/-1", status=404)
    assert "Did you mean 'shop'?" in browser.page(f"{here}/shp", status=404).text


def test_a_row_names_the_pages_that_tell_each_cell(browser, town):
    pages = Simulator(town).pages_of(Address(town.id))
    shown = {row[0]: row[4].split() for row in browser.page(f"world/{town.id}/t/shop/3").tables[0][1:]}
    assert shown == {name: list(pages.carrying(Row("shop", 3), name)) for name in town.tables["shop"]}


# ---- graph, pages, search, tasks


def test_the_graph_lists_every_name_and_shows_the_ties_of_one(browser, town):
    made = graph_of(town.schema)
    page = browser.page(f"world/{town.id}/graph", name="shop.value")
    named = {parse_qs(urlsplit(link).query)["name"][0] for link in page.links if "name=" in link}
    assert named == {".".join(name) for name in made.graph.nodes}
    for name in (*made.graph.predecessors(("shop", "value")), *made.graph.successors(("shop", "value"))):
        assert page.text.count(".".join(name)) >= 2
    assert "no column or rule" in browser.page(f"world/{town.id}/graph", status=404, name="shop.valu").text


def test_a_page_is_beside_the_cells_that_it_states(browser, town):
    pages = Simulator(town).pages_of(Address(town.id))
    plan = pages.page(pages.about(Row("shop", 3)))
    shown = browser.page(f"world/{town.id}/page", id=plan.id)
    rows = [(row[0], row[1], row[2]) for row in shown.tables[-1][1:]]
    assert rows == [
        (town.title(c.row), f"{c.row.table}.{c.col}", "–" if c.value is None else value_text(c.value))
        for c in plan.cells
    ]
    assert browser.page(f"world/{town.id}/page", url=plan.url).text == shown.text


@pytest.mark.parametrize(
    "name", ["shop/9999", "../../etc/passwd", "<b>x</b>", "a b\x00c", "é/1", "shop/%2F", "x" * 5000]
)
def test_a_page_that_is_not_there_is_named_as_it_was_asked_for(browser, town, name):
    page = browser.page(f"world/{town.id}/page", status=404, id=name)
    assert "Not found" in page.text
    assert not page.active


def test_pages_are_listed_by_kind_and_searched_by_words_and_addresses(browser, town):
    pages = Simulator(town).pages_of(Address(town.id))
    first = pages.ids()[0]
    kind = pages.page(first).kind
    count = sum(pages.page(page).kind == kind for page in pages.ids())
    assert f"{count} of {len(pages.ids())} pages" in browser.page(f"world/{town.id}/pages", kind=kind).text
    assert browser.page(f"world/{town.id}/pages", q=pages.url(first)).tables[0][1][0] == first
    ranked = Simulator(town).ranked_urls(Address(town.id), town.title(Row("shop", 3)))
    listed = [row[0] for row in browser.page(f"world/{town.id}/pages", q=town.title(Row("shop", 3))).tables[0][1:]]
    assert listed[: len(ranked)] == [pages.by_url(url) for url in ranked][: len(listed)]


def test_a_search_shows_the_hits_their_slice_and_the_guards_verdicts(browser, town):
    call = Call("web_search", town.title(Row("shop", 3)))
    observation = Simulator(town).call(Address(town.id, "realistic", 3), call)
    page = browser.page(f"world/{town.id}/search", arg=call.arg, profile="realistic", seed=3)
    assert all(hit.title in page.text and " ".join(hit.snippet.split()) in page.text for hit in observation.results)
    assert [row[1] for row in page.tables[0][1:]] == [view.page.id for view in observation.part.views]
    counts = [len(view.page.cells) for view in observation.part.views if view.page.cells]
    assert [len(some) - 1 for some in page.tables[1 : len(counts) + 1]] == counts
    assert f"it discloses: {len(observation.disclosed)}" in page.text
    assert "Nothing was rejected." in page.text
    assert re.search(r"Units accepted: [1-9]", page.text)


def test_the_spans_of_a_natural_reply_are_entitled_to_their_cells(repository):
    (folder,) = (repository / "worlds").glob("town-*")
    world, browser = load_world(folder), Browser(folder)
    name = world.title(Row("shop", 3))
    page = browser.page(f"world/{world.id}/search", arg=name)
    read = browser.page(next(link for link in page.links if "web_extractor" in link))
    for shown in (page, read):
        verdicts = [row[-1] for row in shown.tables[-1][1:]]
        assert len(verdicts) > 3
        assert set(verdicts) == {"entitled"}
    assert f".name = {name}" in read.text


def test_a_page_is_read_as_an_agent_reads_it(browser, town):
    url = Simulator(town).call(Address(town.id), Call("web_search", town.title(Row("shop", 3)))).results[0].url
    observation = Simulator(town).call(Address(town.id), Call("web_extractor", url, offset=5, max_chars=80))
    query = {"tool": "web_extractor", "arg": url, "offset": 5, "max_chars": 80}
    page = browser.page(f"world/{town.id}/search", **query)
    assert " ".join(observation.text.split()) in page.text
    assert f"[the page goes on at offset {observation.next_offset}]" in page.text
    assert "not found" in browser.page(f"world/{town.id}/search", tool="web_extractor", arg="https://no.example/").text


def test_a_fault_of_a_profile_passes_with_the_next_attempt(browser, town):
    simulator, address = Simulator(town), Address(town.id, "flaky")
    word = next(w for w in map(str, range(200)) if simulator.call(address, Call("web_search", w)).fault == "error")
    query = {"arg": word, "profile": "flaky"}
    assert "the fault error" in browser.page(f"world/{town.id}/search", **query).text
    assert "the fault" not in browser.page(f"world/{town.id}/search", **query, attempt=1).text


@pytest.mark.parametrize(
    ("query", "wrong", "status"),
    [
        ({"k": "51"}, "k is '51'", 400),
        ({"page": "0"}, "page is '0'", 400),
        ({"seed": "x"}, "seed is 'x'", 400),
        ({"profile": "realistik"}, "Did you mean 'realistic'?", 404),
        ({"tool": "shell"}, "there is no tool 'shell'", 400),
        ({"arg": "x" * 4001}, "the query has 4001 characters", 400),
    ],
)
def test_a_call_that_can_not_be_made_says_why(browser, town, query, wrong, status):
    assert wrong in browser.page(f"world/{town.id}/search", status=status, **{"arg": "x", **query}).text


def test_a_task_shows_its_gold_and_the_calls_that_prove_it(browser, town, mined):
    listed = browser.page(f"world/{town.id}/tasks")
    assert {row[0] for row in listed.tables[0][1:]} == {task.task_id for task in mined}
    task = mined[0]
    page = browser.page(f"world/{town.id}/task", id=task.task_id)
    gold = [[re.sub(r"( \d+)+$", "", cell) for cell in row] for row in page.tables[0][1:]]
    assert gold == [[show(value, column) for value, column in zip(row, task.columns, strict=True)] for row in task.gold]
    assert [row[2] for row in page.tables[1][1:]] == [made["arg"] for made in task.certificate["calls"]]
    assert " ".join(task.question.split()) in page.text


def test_a_pool_is_searched_as_one_web(repository, tmp_path):
    shutil.copytree(repository / "worlds", tmp_path, dirs_exist_ok=True)
    browser = Browser(tmp_path, pooled=True)
    pool = next(link.split("/")[3] for link in browser.page().links if "/pool-" in link)
    for folder in world_folders([tmp_path]):
        world = load_world(folder)
        name = world.title(Row(next(iter(world.schema.tables)), 0))
        page = browser.page(f"world/{pool}/search", arg=name)
        assert f"Cells of {world.id} that it discloses" in page.text
        assert {row[-1] for row in page.tables[-1][1:]} == {"entitled"}
        read = browser.page(next(link for link in page.links if "web_extractor" in link))
        assert "Nothing was rejected." in read.text
    assert "0 of 0 tasks" in browser.page(f"world/{pool}/tasks").text
    browser.page(f"world/{pool}", status=404)


def test_worlds_that_can_not_be_a_pool_are_shown_each_on_its_own(town, smartphones, tmp_path):
    for world in (town, smartphones):
        save_world(world, tmp_path)
    page = Browser(tmp_path, pooled=True).page()
    assert "one web can't hold both" in page.text
    assert len(page.tables[0]) == 3


# ---- episodes and traces


def episode_of(saved, browser, run):
    """The record of a run's first episode, and the link to it."""
    record = orjson.loads((saved / "runs" / run / EPISODES).read_bytes().split(b"\n")[0])
    (link,) = (link for link in browser.page("episodes", run=run).links if link.endswith("&at=0"))
    return record, link


def test_runs_and_their_episodes_are_listed_with_their_figures(browser, saved):
    rows = {row[0]: row for row in browser.page("runs").tables[0][1:]}
    assert set(rows) == set(RUNS)
    assert rows["perfect"][1:] == ["4", "4", "1.000", "1.000", "1.000"]
    record, _ = episode_of(saved, browser, "forgetful")
    listed = next(row for row in browser.page("episodes", run="forgetful").tables[0] if row[0] == record["task_id"])
    assert listed[4:6] == [f"{record['reward']:.3f}", f"{record['item_f1']:.3f}"]
    worst = [float(row[4]) for row in browser.page("episodes", run="forgetful", order="worst").tables[0][1:]]
    assert worst == sorted(worst)
    assert "4 of 4 episodes" in browser.page("episodes", run="forgetful", q="not_reported").text
    assert "0 of 4 episodes" in browser.page("episodes", run="forgetful", q="no_calls").text


def test_an_episode_is_replayed_turn_by_turn(browser, saved):
    record, link = episode_of(saved, browser, "perfect")
    first = browser.page(link)
    assert " ".join(record["messages"][1]["content"].split()) in first.text
    turns = [message for message in record["messages"] if message["role"] == "assistant"]
    for number, call in enumerate(record["calls"], 1):
        page = browser.page(f"{link}&step={number}")
        assert f"Turn {number}" in page.text
        assert page.tables[0][1][:3] == [call["tool"], call["arg"], call["status"]]
        reply = next(m for i, m in enumerate(record["messages"]) if record["messages"][i - 1] is turns[number - 1])
        assert " ".join(reply["content"].split()) in page.text
    assert f"step {len(turns) + 1} of {len(turns) + 1}" in browser.page(f"{link}&step=9999").text


@pytest.mark.parametrize("run", RUNS)
def test_each_cell_of_the_answer_leads_to_its_origin(browser, saved, run):
    record, link = episode_of(saved, browser, run)
    page = browser.page(f"{link}&step=9999")
    columns = page.tables[0][0][1:]
    rows = {row[0]: dict(zip(columns, row[1:], strict=True)) for row in page.tables[0][1:]}
    for cell in record["cells"]:
        shown = rows[cell["row"] or "–"][cell["column"]]
        outcome = cell_outcome(cell, record).replace("_", " ")
        assert shown.startswith(cell["answered"] or "–")
        assert (cell["expected"] in shown) or outcome.startswith("right")
        if cell["call"] is None:
            assert shown.endswith(f"{outcome}, no call")
            continue
        call = record["calls"][cell["call"]]
        named = "" if cell["outcome"] in {"right", "not_reported", "reported_wrong"} else "named in "
        assert shown.endswith(f"{outcome}, {named}turn {call['turn']}")
        origin = browser.page(f"{link}&step={call['turn']}")
        assert call["arg"] in [row[1] for row in origin.tables[0]]
    worth = {row[0]: float(row[1]) for row in page.tables[-1][1:]}
    assert worth == {**record["reward_terms"], "total": record["reward"]}


def test_a_trace_is_replayed_call_by_call(browser, saved):
    file = next(iter(sorted((saved / "traces").glob("*.jsonl"))))
    _, records, _ = read_trace(file)
    for number, record in enumerate(records, 1):
        page = browser.page("trace", file=file.name, step=number)
        if "call" in record:
            assert record["call"]["arg"] in page.text
            assert all(name in page.text for name in record["slice"]["pages"])
        else:
            assert " ".join(record["content"].split()) in page.text
    assert f"step {len(records)} of {len(records)}" in page.text


# ---- what is damaged, changes or is hostile


def test_a_damaged_line_is_named_and_the_other_episodes_are_shown(saved, tmp_path):
    lines = (saved / "runs" / "perfect" / EPISODES).read_bytes().splitlines(keepends=True)
    odd = orjson.loads(lines[1]) | {"reward": "much"}
    file = tmp_path / "odd" / EPISODES
    file.parent.mkdir()
    file.write_bytes(lines[0] + b'{"task_id": 1\n' + orjson.dumps(odd) + b"\n\xff\n" + lines[2] + lines[3][:50])
    browser = Browser(saved / "w", records=(tmp_path,))
    page = browser.page("episodes", run="odd")
    assert "2 of 2 episodes" in page.text
    assert page.text.count("no episode of this version") == 1
    assert page.text.count("not JSON") == 2
    file.write_bytes(lines[3])
    assert "1 of 1 episodes" in browser.page("episodes", run="odd").text
    assert "the file has changed" in browser.page("episode", status=404, run="odd", at=len(lines[0])).text
    file.unlink()
    assert "no run 'odd'" in browser.page("episodes", status=404, run="odd").text


def test_a_run_that_can_not_be_read_hides_no_other(saved, tmp_path):
    (tmp_path / "bad" / EPISODES).mkdir(parents=True)
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / EPISODES).write_bytes(b"")
    page = Browser(saved / "w", records=(tmp_path, tmp_path / "gone")).page("runs")
    assert [row[:2] for row in page.tables[0][1:]] == [["good", "0"]]
    assert "gone: there is no such folder" in page.text


def test_a_broken_trace_shows_what_is_left_of_it(saved, tmp_path):
    head = {"worldsmith_trace": 1, "world": "x", "profile": "clean", "seed": 0, "session": HOSTILE}
    odd = {"call": HOSTILE, "slice": 3, "observation": [], "verdicts": "x", "model": [{"messages": [1, ["a"]]}]}
    lines = [json.dumps(head), json.dumps(odd), json.dumps({"role": HOSTILE, "content": HOSTILE}), '{"call": {"too']
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    browser = Browser(saved / "w", records=(tmp_path,))
    for step in range(3):
        page = browser.page("trace", file="t.jsonl", step=step)
        assert "half-written or damaged: 1" in page.text
        assert not page.active


def test_hostile_text_of_an_episode_is_inert(saved, tmp_path):
    record = orjson.loads((saved / "runs" / "forgetful" / EPISODES).read_bytes().split(b"\n")[0])
    record |= {"task_id": HOSTILE, "answer": HOSTILE, "error": HOSTILE, "surplus": [[HOSTILE]]}
    record["cells"] = [cell | {"row": HOSTILE, "column": HOSTILE, "answered": HOSTILE} for cell in record["cells"]]
    record["calls"] = [call | {"arg": HOSTILE, "pages": [HOSTILE], "status": HOSTILE} for call in record["calls"]]
    record["messages"] = [
        message | {"content": HOSTILE, "name": HOSTILE, "reasoning_content": HOSTILE} for message in record["messages"]
    ]
    name = "run &\"<'"
    file = tmp_path / name / EPISODES
    file.parent.mkdir()
    file.write_bytes(orjson.dumps(record) + b"\n")
    browser = Browser(saved / "w", records=(tmp_path,))
    for path, query in (("runs", {}), ("episodes", {"run": name}), ("episode", {"run": name, "at": 0})):
        for step in (0, 1, 9999) if path == "episode" else (None,):
            page = browser.page(path, **query, **({} if step is None else {"step": step}))
            assert not page.active
            assert (HOSTILE in page.text) == (path != "runs")


def test_worlds_that_come_change_and_go_are_shown_as_they_are(town, smartphones, tmp_path):
    folder = save_world(town, tmp_path)
    browser = Browser(tmp_path)
    assert [row[0] for row in browser.page().tables[0][1:]] == [town.id]
    save_world(smartphones, tmp_path)
    assert [row[0] for row in browser.page().tables[0][1:]] == [smartphones.id, town.id]
    file = folder / "tables" / "shop.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"floor":', b'"floor":1', 1))
    assert "table shop is not the one the manifest names" in browser.page(f"world/{town.id}/t/shop", status=400).text
    assert "table shop is not the one" in browser.page().text
    (folder / "world.json").write_text("{")
    page = browser.page()
    assert "not JSON" in page.text
    assert [row[0] for row in page.tables[0][1:]] == [smartphones.id, town.id]
    (folder / "world.json").unlink()
    assert "no world" in browser.page(f"world/{town.id}", status=404).text
    for world in (town, smartphones):
        (tmp_path / world.id).rename(tmp_path / f".{world.id}")
    assert "no world there" in browser.page().text


def test_text_becomes_html_by_tag_alone():
    made = tag("a", HOSTILE, [1, None, Markup("<b>x</b>")], href=HOSTILE, hidden=False, open=True, data_x=2)
    assert made == (
        '<a href="&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;&quot;&#x27;&amp;" open '
        'data-x="2">&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;"\'&amp;1<b>x</b></a>'
    )
    assert tag("input", value="") == '<input value="">'


# ---- the process


SERVED = """
import sys
import worldsmith.serving
from worldsmith.cli import main
worldsmith.serving.serve = lambda *_, **__: print(*(name for name in sys.modules if name.startswith("worldsmith.")))
main(["serve", sys.argv[1], "--window", "0"])
"""


def test_the_process_that_serves_loads_nothing_that_holds_gold(saved):
    done = subprocess.run([sys.executable, "-c", SERVED, saved / "w"], capture_output=True, text=True, check=True)
    modules = done.stdout.split()
    assert {name for name in modules if name.startswith("worldsmith.window")} == {
        "worldsmith.window",
        "worldsmith.window.launch",
    }
    assert not {name.split(".")[1] for name in modules} & {"tasks", "agents", "audit", "mining", "train", "rollout"}
    assert re.fullmatch(r"worldsmith: window at http://127\.0\.0\.1:\d+/[\w-]{32}/\n", done.stderr)


def status_at(url):
    """The status at a URL; None where nobody listens."""
    try:
        return urllib.request.urlopen(url, timeout=30).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


@pytest.mark.parametrize(
    ("number", "options"),
    [
        (signal.SIGKILL, []),
        pytest.param(signal.SIGTERM, [], marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, [], marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, ["--workers", "2"], marks=pytest.mark.slow),
    ],
)
def test_the_window_runs_beside_a_server_and_ends_with_it(saved, number, options):
    command = [sys.executable, "-m", "worldsmith", "serve", str(saved / "w"), "--port", "0", "--window", "0"]
    command = ["sh", "-c", 'ulimit -S -n 512; exec "$@"', "sh", *command, "--window-episodes", str(saved / "runs")]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            url = re.search(r"window at (http://\S+)", child.stderr.readline())[1]
            agents = re.search(r"http://\S+", child.stdout.readline())[0]
            assert status_at(url) == 200
            assert status_at(f"{url}runs") == 200
            assert status_at(url[:-2]) == 404
            assert status_at(f"{agents}{urlsplit(url).path}") == 404
            children = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
            assert min(resource.prlimit(int(pid), resource.RLIMIT_NOFILE)[0] for pid in children) > 512
        finally:
            os.kill(child.pid, number)
        child.wait()
        while status_at(url) is not None:
            time.sleep(0.05)


def test_a_taken_port_is_said_before_anything_starts(saved, call):
    with listening_socket("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        output = call("serve", saved / "w", "--window", port, code=2).output
    assert f"can't listen on 127.0.0.1 port {port}" in output
    assert "Take another --window" in output
    assert "add --window PORT" in call("serve", saved / "w", "--window-episodes", saved, code=2).output


@pytest.mark.slow
def test_the_window_shows_what_it_is_started_with(saved, town):
    lines = []
    settings = WindowSettings((saved / "w",), records=(saved / "runs", saved / "traces"))
    with window_process(0, settings, lines.append):
        url = re.search(r"http://\S+", lines[0])[0]
        with urllib.request.urlopen(url) as reply:
            page = _Page(reply.read().decode())
        assert town.id in page.text
        assert f"runs {len(RUNS)}" in page.text
    assert status_at(url) is None
