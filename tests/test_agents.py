import itertools
import json
import re
import sys
import types
from dataclasses import replace
from hashlib import sha256

import httpx2
import pytest

from tests.pages_world import isles
from tests.served_worlds import sent_by
from tests.task_draws import candidates
from worldsmith import scoring
from worldsmith.agents import AGENTS, TOKENS, Recorder, SimulatorClient, run, tokenizer, tokens
from worldsmith.agents.http_client import HttpClient
from worldsmith.agents.many_episodes import prefix, run_many
from worldsmith.agents.markdown_reader import read
from worldsmith.agents.memory import Unread, parse_cell
from worldsmith.agents.natural_oracle import Transcript
from worldsmith.agents.plain_oracle import Search
from worldsmith.agents.ranking_probe import BUDGET, Probe, domain, raised_pages
from worldsmith.errors import BackendError, NotFoundError, UsageError
from worldsmith.mining.pipeline import MiningRequest, mine
from worldsmith.pages import Pages
from worldsmith.simulate.protocol import Address, Call, Observation, Profile
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.world.files import save_world


@pytest.fixture(scope="module")
def phones(smartphones):
    return smartphones, Simulator(smartphones), tasks_of(smartphones)


@pytest.fixture(scope="module")
def registers(town):
    return town, Simulator(town), tasks_of(town)


def tasks_of(world, count=4):
    pages = Pages(world)
    return [t for size in ("wide", "small") for t in itertools.islice(candidates(world, pages, 11, size), count)]


@pytest.mark.parametrize("place", ["phones", "registers"])
def test_the_oracle_finds_every_table(place, request):
    world, simulator, tasks = request.getfixturevalue(place)
    for task in tasks:
        episode = run(task, world, "oracle", SimulatorClient(simulator))
        score = episode.scored(task)
        assert (score.item.f1, score.row.f1, score.success) == (1.0, 1.0, True), task.question
        assert episode.cost.extract_calls > 0
        assert episode.cost.turns == len(episode.calls) + 1
        assert episode.cost.tool_tokens == sum(map(tokens, episode.replies))


def test_the_oracle_never_reads_gold(phones):
    world, simulator, tasks = phones
    blind = replace(tasks[0], gold=(), pages=())
    answers = [run(t, world, "oracle", SimulatorClient(simulator)).answer for t in (tasks[0], blind)]
    assert answers[0] == answers[1]


def test_guessing_is_worth_next_to_nothing(phones, registers):
    figures = []
    for world, simulator, tasks in (phones, registers):
        for task in tasks:
            episode = run(task, world, "probe", SimulatorClient(simulator))
            assert episode.cost.extract_calls == 0
            assert episode.cost.search_calls <= BUDGET
            figures.append(episode.scored(task).nonkey.f1)
    assert sum(figures) / len(figures) <= 0.02


class Telling:
    """A search that ranks by what its pages say, as one that doesn't hold its tongue does."""

    retries = 0

    def __init__(self, world):
        self.names, self.stones = (world.tables["light"][c] for c in ("name", "stone"))
        self.heights = world.tables["light"]["height"]

    def search(self, query, k=10, page=1):
        if "directory" in query:
            told = f"All lighthouses: {self.names[0]}, {self.names[1]} and others."
            return {"results": [self.hit("https://b.example/directory/light", "All lighthouses: the directory", told)]}
        words = query.replace('"', "").split()
        order = sorted(range(len(self.names)), key=lambda i: (not self.says(i, words), i * 7 % 24))
        if not query.startswith("site:"):
            order = [i for i in order if self.names[i] in query]
        hits = [self.hit(f"https://a.example/{i}", f"{self.names[i]}: key facts", f"{self.names[i]}.") for i in order]
        return {"results": hits[k * (page - 1) :][:k], "more": False}

    def says(self, i, words):
        return self.stones[i] in words or str(self.heights[i]) in words

    def hit(self, url, title, snippet):
        return {"url": url, "title": title, "snippet": snippet, "date": None, "score": 0.5}


def test_the_probe_finds_what_ranks_tell():
    world = isles()
    task = next(
        t
        for t in candidates(world, Pages(world), 1, "small")
        if t.query.table == "light" and t.query.scope.column == "stone" and ("height",) in t.query.columns
    )
    task = replace(task, query=replace(task.query, where=None))
    probe = Probe(task, world.schema, Telling(world))
    probe.answer()
    columns = world.tables["light"]
    heights = dict(zip(columns["name"], columns["height"], strict=True))
    scoped = {n for n, stone in zip(columns["name"], columns["stone"], strict=True) if stone in task.query.scope.values}
    assert set(probe.guessed["light", "stone"]) == scoped
    # Of the row that stands first anyway nothing is seen.
    seen = {n: heights[n] for n in scoped - {columns["name"][0]}}
    assert {n: h for n, h in probe.guessed["light", "height"].items() if n in scoped} == seen


class TellingLists(Telling):
    """Lists that a name of one of their rows moves up, while entries stay where they are."""

    def search(self, query, k=10, page=1):
        if query.startswith("site:l.example") or "by stone" in query:
            scopes = sorted(set(self.stones))
            held = {stone for name, stone in zip(self.names, self.stones, strict=True) if f'"{name}"' in query}
            hits = [
                self.hit(f"https://l.example/{scope}", f"Lighthouses by stone: {scope} | Lists", "A list.")
                for scope in sorted(scopes, key=lambda scope: scope not in held)
            ]
            return {"results": hits[k * (page - 1) :][:k], "more": False}
        return super().search(query, k, page)

    def says(self, i, words):
        return False


def test_the_probe_puts_names_to_lists():
    world = isles()
    task = next(
        t
        for t in candidates(world, Pages(world), 1, "small")
        if t.query.table == "light" and t.query.scope.column == "stone"
    )
    probe = Probe(task, world.schema, TellingLists(world))
    probe.answer()
    columns = world.tables["light"]
    truth = dict(zip(columns["name"], columns["stone"], strict=True))
    first = min(set(truth.values()))
    assert probe.guessed["light", "stone"] == {n: s for n, s in truth.items() if s != first}  # nor of the first list


def test_what_a_guess_moved():
    usual = ["a", "b", "c", "d"]
    assert raised_pages(["a", "b", "c"], usual) == []
    assert raised_pages(["c", "a", "b"], usual) == ["c"]
    assert raised_pages(["d", "z", "a", "b"], usual) == ["d", "z"]
    assert raised_pages(["a"], []) == ["a"]


@pytest.mark.parametrize(
    ("place", "values"),
    [
        (("light", "stone"), ["granite", "slate", "brick"]),
        (("light", "height"), list(range(10, 61))),
        (("light", "manned"), [True]),
        (("light", "closed"), []),
        (("light", "keeper"), []),
    ],
)
def test_plausible_values_come_from_the_schema(place, values):
    schema = isles().schema
    assert domain(schema, schema.column(*place)) == values


class Hiding(SimulatorClient):
    """Pages without the lines and table cells that hold one label."""

    def __init__(self, simulator, label):
        super().__init__(simulator)
        self.label = label

    def extract(self, url, offset=0, max_chars=None):
        text = super().extract(url, offset, max_chars)
        return "\n".join(line for line in text.split("\n") if self.label not in line)


def test_a_cell_that_no_reply_tells_stays_empty(phones):
    world, simulator, _ = phones
    path = ("weight",)
    drawn = itertools.islice(candidates(world, Pages(world), 2, "small"), 60)
    task = next(
        t for t in drawn if t.query.table == "phone" and path in t.query.columns and path not in t.query.evidence
    )
    place = task.query.columns.index(path)
    answer = run(task, world, "oracle", Hiding(simulator, "Weight")).answer
    table = scoring.parse(answer, [c.name for c in task.columns])
    assert len(table.rows) == len(task.gold)
    assert {row[place] for row in table.rows} == {""}
    score = scoring.score(answer, task.columns, task.gold)
    assert score.item.f1 == pytest.approx(1 - 1 / len(task.columns))


def test_a_transcript_holds_what_its_replies_say_together():
    transcript = Transcript("the harbour")
    assert (transcript.holds("bour"), transcript.holds("bour\nmaster"), transcript.holds("quay")) == (
        True,
        False,
        False,
    )
    transcript.add("master of the quay")
    assert (transcript.holds("bour\nmaster"), transcript.holds("quay"), transcript.holds("pier")) == (True, True, False)


def test_an_unread_clause_keeps_no_row(phones):
    world, simulator, tasks = phones
    task = next(t for t in tasks if t.query.clauses)
    path = task.query.evidence[-1]
    label = world.schema.walk(task.query.table, path).label
    hidden = run(task, world, "oracle", Hiding(simulator, label))
    assert len(scoring.parse(hidden.answer).rows) < len(task.gold)


@pytest.mark.parametrize("kind", ["world-archive", "world-mirror"])
def test_copies_are_believed_in_nothing_but_where_the_entry_is(kind, town, registers):
    edits = {"stale_copy": 1.0, "near_duplicate": 1.0, "contradiction": 1.0}
    simulator = Simulator(town, profiles={"copies": Profile("copies", edits=edits)})
    pages, reached = Pages(town), 0
    for page in (pages.plan(i) for i in pages.ids() if i.startswith(f"{kind}/")):
        client = Recorder(SimulatorClient(simulator, Address(town.id, "copies")))
        search = Search(registers[2][0], town.schema, client)
        spec = next(s for s in town.schema.pages if s.about == page.subject.table)
        place = (spec.about, town.key(page.subject))
        assert search._take(page.url, spec, place)
        true = town.fact(page.subject).values
        assert set(search.memory.facts[place].items()) <= set(true.items())
        reached += [call["arg"] for call in client.calls] == [page.url, pages.url(pages.about(page.subject))]
        # What was told otherwise, by then or by mistake, is evidence of nothing.
        reply = simulator.call(Address(town.id, "copies"), Call("web_extractor", page.url))
        assert set(reply.disclosed) <= {(c.row, c.col) for c in page.cells if kind == "world-mirror"}
    assert reached > 15


@pytest.mark.parametrize(("name", "mean"), [("closed-book", 0.05), ("one-query", 0.10), ("snippets-only", 0.10)])
def test_shortcuts_get_next_to_nothing(name, mean, phones, registers):
    for world, simulator, tasks in (phones, registers):
        found = [run(t, world, name, SimulatorClient(simulator)) for t in tasks]
        figures = [e.scored(t).nonkey.f1 for e, t in zip(found, tasks, strict=True)]
        assert sum(figures) / len(figures) <= mean
        assert all(e.cost.extract_calls == 0 for e in found)
    assert (name == "closed-book") == (found[0].cost.search_calls == 0)


def test_keys_alone_earn_nothing(registers):
    world, simulator, tasks = registers
    for task in tasks:
        episode = run(task, world, "keys-only", SimulatorClient(simulator))
        score = episode.scored(task)
        assert score.item.f1 > 0
        assert score.earned.f1 == 0


def test_the_snippet_crawler_reads_what_snippets_say():
    from worldsmith.agents.baselines import Crawl

    world = isles()
    task = next(t for t in candidates(world, Pages(world), 1, "small") if t.query.table == "light")
    crawl = Crawl(task, world.schema)
    hit = {"title": "Ulvet: key facts | A Site", "snippet": "Ulvet: First lit 1917-10-14; range 14.3 nmi. More inside."}
    crawl.take({"results": [hit], "more": False})
    assert crawl.names == {"Ulvet": {"first lit": "1917-10-14", "range": "14.3 nmi"}}


def wire(simulator, failures=0, headers=None):
    """What answers as a server does, after `failures` refusals."""
    left = [failures]

    def handle(request):
        if left[0]:
            left[0] -= 1
            return httpx2.Response(503, json={"error": "busy"}, headers=headers)
        body = json.loads(request.content)
        client = SimulatorClient(simulator)
        if request.url.path.endswith("/api/search"):
            return httpx2.Response(200, json=client.search(body["query"], body["k"], body["page"]))
        text = client.extract(body["url"], body["offset"], body.get("max_chars"))
        told = {"url": body["url"], "title": "", "text": text, "more": False}
        return (
            httpx2.Response(200, json=told)
            if text
            else httpx2.Response(404, json={"error": f"{body['url']}: no such page"})
        )

    return handle


def over_http(handle, waited=None):
    """A client whose waits are noted, not waited."""
    return HttpClient("http://host/w/x", send=sent_by(handle), sleep=([] if waited is None else waited).append)


def test_http_and_process_give_one_episode(phones):
    world, simulator, tasks = phones
    client = over_http(wire(simulator, failures=2))
    over = run(tasks[-1], world, "oracle", client)
    here = run(tasks[-1], world, "oracle", SimulatorClient(simulator))
    assert over.retries == 2
    assert replace(over, retries=0) == here
    assert over.scored(tasks[-1]).success


def test_http_failures(phones):
    _, simulator, _ = phones
    assert over_http(wire(simulator)).extract("https://nowhere.example/") == ""
    with pytest.raises(BackendError, match="503 busy"):
        over_http(wire(simulator, failures=99)).search("x")
    wrong = lambda _: httpx2.Response(200, text="<html>")  # noqa: E731
    with pytest.raises(BackendError, match="api/search"):
        over_http(wrong).search("x")
    listed = lambda _: httpx2.Response(200, json=[])  # noqa: E731
    with pytest.raises(BackendError, match="200 is no answer of worldsmith serve"):
        over_http(listed).search("x")


def test_a_world_that_the_server_does_not_have_is_no_empty_result():
    missing = lambda _: httpx2.Response(404, json={"error": "there is no world 'x' here."})  # noqa: E731
    for tool in (over_http(missing).search, over_http(missing).extract):
        with pytest.raises(BackendError, match=r"host/w/x/api/\w+: 404 there is no world 'x'"):
            tool("https://a.example/")


@pytest.mark.parametrize(
    ("header", "waits"),
    [("3", [3, 3]), ("86400", [10, 10]), ("soon", [0.1, 0.2]), ("Fri, 31 Dec 2027 23:59:59 GMT", [0.1, 0.2])],
)
def test_retry_after_is_waited_for_within_bounds(phones, header, waits):
    waited = []
    over_http(wire(phones[1], failures=2, headers={"Retry-After": header}), waited).search("x")
    assert waited == waits


def test_no_wait_follows_the_last_attempt_and_none_a_refusal(phones):
    waited = []
    with pytest.raises(BackendError):
        over_http(wire(phones[1], failures=99), waited).search("x")
    assert waited == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4])
    with pytest.raises(BackendError, match="400 no"):
        over_http(lambda _: httpx2.Response(400, json={"error": "no"}), waited).search("x")
    assert len(waited) == 7


def served(world, monkeypatch, opened):
    """Have HTTP clients of run_many reach a server of `world` in this process, and note them."""
    from starlette.testclient import TestClient

    from worldsmith.serving import create_app

    app = TestClient(create_app([world]), base_url="http://host")

    def handle(request):
        seen = app.request(request.method, request.url.raw_path.decode(), content=request.content)
        return httpx2.Response(seen.status_code, content=seen.content, headers=dict(seen.headers))

    class Client(HttpClient):
        def __init__(self, base_url, trace=None):
            self.base_url, self.waited = base_url, []
            super().__init__(base_url, send=sent_by(handle), sleep=self.waited.append, trace=trace)
            opened.append(self)

    monkeypatch.setattr("worldsmith.agents.many_episodes.HttpClient", Client)


def test_a_run_over_http_ends_on_a_faulty_profile(phones, tmp_path, monkeypatch):
    world, _, tasks = phones
    folder, opened = save_world(world, tmp_path), []
    served(world, monkeypatch, opened)
    worlds = SeparateWorlds([folder])
    rows = list(run_many(worlds, tasks, "oracle", base_url="http://host/", profile="flaky"))
    assert {row["item_f1"] for row in rows} == {1.0}
    assert rows == list(run_many(worlds, tasks, "oracle", profile="flaky"))
    assert all(row["retries"] == len(client.waited) > 0 for row, client in zip(rows, opened, strict=True))
    assert {row["retries"] for row in run_many(worlds, tasks, "oracle")} == {0}
    assert {1.0} < {seconds for client in opened for seconds in client.waited}
    bases = [client.base_url for client in opened]
    assert all(base.startswith(f"http://host/w/{world.id};profile=flaky;session=") for base in bases)
    assert len({base[-16:] for base in bases}) == len(tasks) > 2


def test_sessions_are_named_by_task_and_agent_alone(phones):
    first, second = phones[2][:2]
    name = prefix("http://host", first, "oracle", None)
    assert name == prefix("http://host/", first, "oracle", None)
    assert ";profile=" not in name
    assert (
        len({name, prefix("http://host", second, "oracle", None), prefix("http://host", first, "one-query", None)}) == 3
    )


def test_a_passing_fault_is_tried_again(phones):
    world, simulator, _ = phones

    class Failing:
        def __init__(self):
            self.world, self.id, self.attempts = world, world.id, []

        def call(self, address, call, attempt):
            self.attempts.append(attempt)
            return Observation("rate_limited") if attempt < 2 else simulator.call(address, call)

    failing = Failing()
    client = SimulatorClient(failing)
    assert client.search("phones")["results"]
    assert failing.attempts == [0, 1, 2]
    assert client.retries == 2


def test_kept_replies_are_the_same_replies(phones):
    world, simulator, tasks = phones
    kept = {}
    first = run(tasks[0], world, "oracle", SimulatorClient(simulator, reply_cache=kept))
    again = run(tasks[0], world, "oracle", SimulatorClient(simulator, reply_cache=kept))
    assert first == again == run(tasks[0], world, "oracle", SimulatorClient(simulator))
    assert all(isinstance(call, Call) for call in kept)


def test_unknown_agents(phones):
    world, simulator, tasks = phones
    with pytest.raises(NotFoundError, match="Did you mean 'oracle'"):
        run(tasks[0], world, "oracel", SimulatorClient(simulator))
    assert set(AGENTS) >= {"oracle", "closed-book", "keys-only", "snippets-only", "one-query"}


def test_episode_figures(phones):
    world, simulator, tasks = phones
    told = run(tasks[0], world, "oracle", SimulatorClient(simulator)).to_json(tasks[0])
    assert told["task_id"] == tasks[0].task_id
    assert told["item_f1"] == told["row_f1"] == told["nonkey_item_f1"] == 1.0
    assert told["search_calls"] + told["extract_calls"] == len(told["calls"])
    assert json.loads(json.dumps(told)) == told


def test_tokens_are_bytes_over_three_and_a_half():
    assert [tokens(text) for text in ("", "a", "abc", "abcd", "é" * 7)] == [0, 1, 1, 2, 4]


def fake_tokenizers(monkeypatch):
    """Stand in for the tokenizers package: every character is a token."""

    class Tokenizer:
        @staticmethod
        def from_file(_path):
            return Tokenizer()

        def encode(self, text, add_special_tokens):
            assert not add_special_tokens
            return types.SimpleNamespace(ids=list(text))

    monkeypatch.setitem(sys.modules, "tokenizers", types.SimpleNamespace(Tokenizer=Tokenizer))


def test_a_tokenizer_counts_exactly_or_says_what_is_missing(monkeypatch, tmp_path):
    file = tmp_path / "tokenizer.json"
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(UsageError, match=re.escape('pip install "worldsmith[tokenizers]"')):
        tokenizer(file)
    fake_tokenizers(monkeypatch)
    with pytest.raises(UsageError, match=r"no such tokenizer file; it is the tokenizer\.json of a model"):
        tokenizer(file)
    for text in ("{}", "[]", "no json", '{"model": {}}'):
        file.write_text(text)
        with pytest.raises(UsageError, match=r"tokenizer\.json: no tokenizer"):
            tokenizer(file)
    file.write_text('{"model": {"type": "BPE"}}')
    assert tokenizer(file)("twelve chars") == 12


def test_what_fits_is_counted_by_the_users_tokenizer(monkeypatch, tmp_path, town):
    fake_tokenizers(monkeypatch)
    file = tmp_path / "tokenizer.json"
    file.write_text('{"model": {"type": "BPE"}}')
    estimated = mine(town, 2, size="small", kinds=["wide"], max_tokens=9_000)
    exact = mine(town, 2, size="small", kinds=["wide"], max_tokens=9_000, tokenizer=file)
    assert estimated.tasks
    assert exact.rejected["too many tokens"] > estimated.rejected.get("too many tokens", 0)
    simulator = Simulator(town)
    for task in exact.tasks:
        recorder = Recorder(SimulatorClient(simulator), len)
        for call in task.certificate["calls"]:
            recorder.again(call)
        assert sum(recorder.costs) <= 9_000
        assert task.certificate["tokens"] == TOKENS  # a certificate counts alike whoever mined it
    plain, counted = MiningRequest(2), MiningRequest(2, tokenizer=file)
    assert "tokenizer" not in plain.recorded()
    assert counted.recorded() == {**plain.recorded(), "tokenizer": sha256(file.read_bytes()).hexdigest()}


def test_recorder_counts_what_an_agent_reads(phones):
    _, simulator, _ = phones
    recorder = Recorder(SimulatorClient(simulator), count=len)
    hit = recorder.search("phones", 2)["results"][0]
    recorder.extract(hit["url"])
    assert recorder.calls[0] == {"tool": "web_search", "arg": "phones", "k": 2, "page": 1}
    assert recorder.costs == [len(reply) for reply in recorder.replies]
    assert hit["title"] in recorder.replies[0]


PAGE = """# Velmora 7: key facts

Updated 2029-01-01

## Data

- **Phone**: Velmora 7
- Chipset: [Zed](https://a.example/zed)
- [a link](https://a.example/x)

| Item | Value |
| --- | --- |
| Launch price (USD) | 820 |

## Sales of Velmora 7

| Quarter ending | Units sold |
| --- | --- |
| [2029-03-31](https://a.example/q) | 7 \\| 8 |

See [Next page](https://a.example/n).
"""


def test_pages_are_read_by_tables_pairs_and_links():
    sheet = read(PAGE)
    assert sheet.title == "Velmora 7: key facts"
    assert [(label, said.text, said.url) for label, said in sheet.pairs] == [
        ("Phone", "Velmora 7", ""),
        ("Chipset", "Zed", "https://a.example/zed"),
        ("Launch price (USD)", "820", ""),
    ]
    assert sheet.items == [("Data", ("a link", "https://a.example/x"))]
    (grid,) = sheet.grids
    assert (grid.heading, grid.header) == ("Sales of Velmora 7", ("Quarter ending", "Units sold"))
    assert [cell.text for cell in grid.rows[0]] == ["2029-03-31", "7 | 8"]
    assert ("Next page", "https://a.example/n") in sheet.links


def test_values_are_read_by_their_type(smartphones):
    schema = smartphones.schema
    price, share = schema.column("phone", "price"), schema.column("sale", "share")
    assert parse_cell("1,820 USD", price) == 1820
    assert parse_cell("1.81", share) == 1.81
    assert parse_cell("Yes", schema.column("phone", "foldable")) is True
    assert parse_cell("still sold", schema.column("phone", "withdrawn")) is None
    for text, column in (
        ("soon", schema.column("phone", "released")),
        ("many", price),
        ("Maybe", schema.column("phone", "foldable")),
    ):
        with pytest.raises(Unread):
            parse_cell(text, column)
