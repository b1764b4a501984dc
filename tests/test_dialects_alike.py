"""All dialects alike: the same hits in the same order, the same pages, and nothing besides in any field of a reply."""

import json
import re
from collections import Counter
from urllib.parse import quote_plus

import httpx2
import pytest
from bs4 import BeautifulSoup
from dialect_cases import answering
from dialect_requests import EXACT, READS, SEARCHES, unwrapped
from starlette.routing import compile_path
from starlette.testclient import TestClient

from worldsmith.generation import generate
from worldsmith.mining.pipeline import mine
from worldsmith.pages import Pages
from worldsmith.pages.renderer import html, markdown, plain
from worldsmith.schema import load_schema
from worldsmith.serving import create_app
from worldsmith.serving.app import EVIDENCE
from worldsmith.serving.dialects import DIALECTS, dialects_with_tools
from worldsmith.serving.dialects.mcp import TOOL_NAMES
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.protocol import Address, Call, Observation, Profile
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.files import save_jsonl, save_world, tasks_file

SEED = 918_273_645
"""Of the worlds: long enough not to stand in a reply by chance."""
INTERNAL = re.compile(
    r"\b(slices?|perturb\w*|gold|certificates?|oracle|withh[eo]ld\w*|entitle\w*|render\w*|disclos\w*|digests?|verdicts?|"
    r"seeds?|Traceback|site-packages)\b|\.py\b|/tmp/|/usr/",
    re.IGNORECASE,
)
"""What no reply says by itself."""
_LINK = re.compile(r"【\d+†([^†】]*)(?:†[^†】]*)?】|\[([^\[\]]*)\]\(https?://[^()\s]*\)")


EDITED = {
    **PROFILES,
    "edited": Profile("edited", "the web at its worst, but no call fails", edits=PROFILES["adversarial"].edits),
}


class Served:
    """A world on disk beside its tasks, served under a profile once for each set of tools."""

    def __init__(self, schema, tmp, profile="clean"):
        self.world = generate(load_schema(schema), SEED)
        self.pages, self.tasks, self.log = Pages(self.world), mine(self.world, 3, size="small").tasks, []
        self.simulator, self.address = Simulator(self.world, profiles=EDITED), Address(self.world.id, profile)
        options = {"profile": profile, "profiles": EDITED, "access_log": self.log.append}
        self.folder = save_world(self.world, tmp)
        save_jsonl(tasks_file(self.folder), [task.to_json() for task in self.tasks])
        self.clients = {
            tools: TestClient(
                create_app([self.folder], dialects=dialects_with_tools(tools), **options),
                base_url="http://localhost:8000",
            )
            for tools in TOOL_NAMES
        }
        self.client = self.clients["worldsmith"]
        subjects = (row for table in self.world.tables for row in self.world.rows_of(table))
        self.subjects = [row for row in subjects if self.pages.about(row)]

    def url(self, row):
        return self.pages.url(self.pages.about(row))

    def page(self, url):
        return self.simulator.call(self.address, Call("web_extractor", url))


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    return Served("town", tmp_path_factory.mktemp("alike"))


def test_every_route_of_every_dialect_has_a_case_and_so_have_all_names_of_tools(served):
    cases = [(SEARCHES, "town"), (READS, served.url(served.subjects[0]))]
    served.log.clear()
    for requests, wanted in cases:
        for name, case in requests.items():
            assert case.ask(served.clients[case.tools], wanted).status_code == 200, name
    answered = set()
    for line in map(json.loads, served.log):
        routes = DIALECTS[line["dialect"]].routes
        answered |= {
            (line["dialect"], line["method"], route.path)
            for route in routes
            if route.method == line["method"] and compile_path(route.path)[0].match(line["path"])
        }
    assert answered == {(name, r.method, r.path) for name, dialect in DIALECTS.items() for r in dialect.routes}
    for requests, _ in cases:
        assert {case.tools for case in requests.values()} == set(TOOL_NAMES)
        assert {name.partition(",")[0] for name in requests} <= set(DIALECTS)


@pytest.mark.parametrize("name", SEARCHES)
def test_every_dialect_gives_the_hits_of_our_own_and_no_more_of_them(name, served):
    case = SEARCHES[name]
    app = served.clients[case.tools]
    for query in (served.world.title(served.subjects[0]), "town"):
        ours = served.client.post("/api/search", json={"query": query})
        wanted = [(hit["url"], hit["title"], hit["snippet"]) for hit in ours.json()["results"]]
        reply = case.ask(app, query)
        hits = case.read(reply)
        if name in EXACT:
            assert (hits[: len(wanted)], len(hits)) == (wanted, 10)
        else:
            assert hits == wanted
            assert reply.headers[EVIDENCE] == ours.headers[EVIDENCE]
        assert case.ask(app, query).content == reply.content


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_without_hits_is_an_answer(name, town):
    case = SEARCHES[name]
    app = answering(town, Observation("ok"), dialects=dialects_with_tools(case.tools))
    assert case.read(case.ask(app, "mills")) == []


@pytest.mark.parametrize("name", READS)
def test_every_dialect_gives_the_page_that_our_own_gives(name, served):
    case, url = READS[name], served.url(served.subjects[0])
    ours = served.client.post("/api/extract", json={"url": url})
    reply = case.ask(served.clients[case.tools], url)
    page, wanted = case.read(reply), ours.json()["text"]
    if case.html:
        page, wanted = (BeautifulSoup(text, "html.parser").get_text() for text in (page, html(served.page(url).doc)))
    if case.tools == "gpt-oss":
        page, wanted = words(unwrapped(page).removeprefix(f"URL:{url}")), "".join(words(wanted).split())
    assert page == wanted
    assert reply.headers[EVIDENCE] == ours.headers[EVIDENCE]


def words(text):
    """A text with the words of its links in their place."""
    return _LINK.sub(lambda link: link[1] or link[2] or "", text)


class Scan:
    """Looks through every string of replies for what no agent may be told."""

    def __init__(self, served):
        world, self.served = served.world, served
        tasks = [task.to_json() for task in served.tasks]
        self.secrets = {world.id, world.digest, str(SEED), str(served.folder)}
        self.secrets |= {f"{table}.{column}" for table in world.tables for column in world.tables[table]}
        for task in tasks:
            self.secrets |= {task["task_id"], task["sql"], *re.findall(r"\b[0-9a-f]{16,}\b", json.dumps(task))}
            for row in (row for row in task["gold"] if len(row) > 1):
                self.secrets |= {json.dumps(row), *(mark.join(map(str, row)) for mark in (" | ", ",", ", ", "\t"))}
        values = {str(world.value(row, c)) for t in world.tables for c in world.tables[t] for row in world.rows_of(t)}
        self.values = {value for value in values if len(value) > 5}
        self.counts = Counter()
        self.leaks = []

    def judge(self, name, reply, case, allowed):
        """Note what a reply says besides texts that are allowed."""
        texts = [*case.texts(reply), *(value for key, value in reply.headers.items() if key != EVIDENCE.lower())]
        self.counts.update(replies=1, strings=len(texts))
        assert re.fullmatch(r"(?:[\w-]{8}[, ]*)*", reply.headers.get(EVIDENCE, ""))
        whole = "\n".join(texts)
        if name == "pages":  # whose links lead to this server: their paths name the world, as the request's may
            whole = whole.replace(f'href="/w/{self.served.world.id}/', 'href="/')
        self.leaks += [(name, secret) for secret in self.secrets if secret in whole]
        rest = words(whole)
        forms = {form for text in allowed if text for form in (text, words(text))}
        forms |= {"".join(form.split()) for form in forms}
        for form in sorted(forms, key=len, reverse=True):
            rest = rest.replace(form, " ")
        self.leaks += [(name, match[0]) for match in INTERNAL.finditer(rest)]
        self.leaks += [(name, value) for value in self.values if value in rest]

    def search(self, name, query):
        case = SEARCHES[name]
        k = 10 if name not in EXACT else 11
        hits = self.served.client.post("/api/search", json={"query": query, "k": k}).json()["results"]
        allowed = [hit[field] for hit in hits for field in ("snippet", "title", "url", "date")]
        allowed += [hit["url"].split("/")[2] for hit in hits]
        allowed += ["render"] if name == "widesearch" else []  # a field of the service's
        self.judge(name, case.ask(self.served.clients[case.tools], query), case, [*allowed, query, quote_plus(query)])

    def read(self, name, url):
        case, page = READS[name], self.served.page(url)
        allowed = [url, page.text]
        if page.doc:
            doc = page.doc
            allowed += [markdown(doc), plain(doc), html(doc), doc.title, doc.date, doc.url.split("/")[2]]
        if page.doc and name == "pages":
            allowed.append(html(page.doc, lambda link: "/web/" + link.removeprefix("https://")))
        self.judge(name, case.ask(self.served.clients[case.tools], url), case, allowed)

    def wrong(self, name, case, wanted):
        """A request for what isn't there: what a dialect says then is its own."""
        self.judge(name, case.ask(self.served.clients[case.tools], wanted), case, [wanted])


def scanned(served, queries, reads):
    scan = Scan(served)
    for name, case in SEARCHES.items():
        for query in queries:
            scan.search(name, query)
        scan.wrong(name, case, " ")
    for name, case in READS.items():
        for url in reads:
            scan.read(name, url)
        scan.wrong(name, case, "https://nowhere.example/a")
    return scan


def test_no_field_of_any_reply_tells_what_its_hits_and_pages_do_not(served):
    titles = [served.world.title(row) for row in served.subjects]
    columns = [column for task in served.tasks for column in task.columns]
    scan = scanned(served, ["town", titles[0], str(columns[0])], [served.url(row) for row in served.subjects[:2]])
    assert len(scan.values) > 50
    assert scan.counts["replies"] == 4 * len(SEARCHES) + 3 * len(READS)
    assert Counter(scan.leaks) == Counter()


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["open", "edited"])
@pytest.mark.parametrize("schema", ["company", "films", "league", "smartphones", "town"])
def test_no_field_tells_it_in_other_worlds_and_under_other_profiles(schema, profile, tmp_path):
    served = Served(schema, tmp_path, profile)
    titles = [served.world.title(row) for row in served.subjects[:: len(served.subjects) // 12]]
    queries = [*titles, *(" ".join(task.question.split())[:300] for task in served.tasks)]
    scan = scanned(served, queries, [served.url(row) for row in served.subjects[:: len(served.subjects) // 8]])
    assert scan.counts["replies"] > 600
    assert Counter(scan.leaks) == Counter()


@pytest.mark.parametrize("kind", ["id", "digest", "seed", "folder", "task", "gold", "column", "value", "word"])
def test_the_scan_sees_what_is_told(kind, served):
    task, world = served.tasks[0].to_json(), served.world
    secrets = {
        "id": world.id,
        "digest": world.digest,
        "seed": str(SEED),
        "folder": str(served.folder),
        "task": task["task_id"],
        "gold": json.dumps(task["gold"][0]),
        "column": "shop.value",
        "value": min(Scan(served).values, key=lambda value: (-len(value), value)),
        "word": "The slice.",
    }
    for body, header in ((secrets[kind], "-"), ("-", secrets[kind].encode())):
        scan = Scan(served)
        reply = httpx2.Response(200, json={"results": [{"title": body}]}, headers={"X-Note": header})
        scan.judge("api", reply, SEARCHES["api"], ["shops"])
        assert scan.leaks
