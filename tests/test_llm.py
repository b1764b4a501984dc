"""A language model behind the guard: prompts hold the slice and nothing else, and no backend can hurt an agent."""

import asyncio
import json
import re
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import TypeVar

import guard_world
import httpx2
import pytest

from worldsmith import scoring
from worldsmith.errors import BackendError
from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown, render
from worldsmith.pages.types import Doc, Grid, Heading, Items, KeyValues, Link, Para
from worldsmith.serving import create_app
from worldsmith.simulate.llm.answer import observation_text, parse_draft, parse_json_results, parse_results
from worldsmith.simulate.llm.model import Backend, Endpoint
from worldsmith.simulate.llm.prompt import action_text, prompt_for
from worldsmith.simulate.markdown_reader import parse_markdown
from worldsmith.simulate.protocol import Address, Call, Conversation, Observation, Result, Slice, View
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.model import World

T = TypeVar("T")
WORLD = guard_world.world()
PAGES = guard_world.Served(WORLD)
SEARCH = Call("web_search", "Kestrel Point Observatory")
PAGE = Call("web_extractor", "https://kestrelpoint.example/")
ENDPOINT = Endpoint("http://127.0.0.1:9/v1", "fake", deadline=20.0, retries=1, backoff=0.0, breaker=3, cooldown=60.0)
Reply = Callable[[httpx2.Request], httpx2.Response]


def chat(content: str | None, **more: object) -> httpx2.Response:
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "fake",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}, **more}
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
    }
    return httpx2.Response(200, json=body)


def model(reply: Reply, endpoint: Endpoint = ENDPOINT) -> Backend:
    return Backend(endpoint, transport=httpx2.MockTransport(reply))


def ask(reply: Reply, *calls: Call, endpoint: Endpoint = ENDPOINT) -> tuple[list[Observation], Backend, Simulator]:
    async def run() -> tuple[list[Observation], Backend, Simulator]:
        language = model(reply, endpoint)
        simulator = Simulator(WORLD, pages=PAGES, model=language, strict=True)
        try:
            return [await simulator.acall(Address(WORLD.id), call) for call in calls], language, simulator
        finally:
            await language.close()

    return asyncio.run(run())


def ours(call: Call) -> Observation:
    return Simulator(WORLD, pages=PAGES, strict=True).call(Address(WORLD.id), call)


def serp(found: Observation) -> str:
    return "\n\n".join(
        f"[{i}] {r.url}\nTitle: {r.title}\nSnippet: {r.title}. Told in our own words.\nDate: N/A"
        for i, r in enumerate(found.results, 1)
    )


# faithful and lying backends


def test_faithful_results_are_served() -> None:
    mine = ours(SEARCH)
    (found,), language, _ = ask(lambda _r: chat(f"<think>hm</think>\n{serp(mine)}"), SEARCH)
    assert found.source == "model"
    assert [r.snippet for r in found.results] == [f"{r.title}. Told in our own words." for r in mine.results]
    assert [(r.url, r.date, r.score) for r in found.results] == [(r.url, r.date, r.score) for r in mine.results]
    assert {
        name: count
        for name, count in language.counts.items()
        if name in {"calls", "tries", "prompt_tokens", "completion_tokens"}
    } == {
        "calls": 1,
        "tries": 1,
        "prompt_tokens": 7,
        "completion_tokens": 5,
    }


def test_a_faithful_page_is_served() -> None:
    text = (
        "# Kestrel Point Observatory\n\nLed by Imre Halloway, it opened on 2 November 1991 at 1,876 m.\n\n"
        "**Budget:** 845,500 crowns"
    )
    (found,), _, _ = ask(lambda _r: chat(f"**Environment Observation:**\n{text}"), PAGE)
    assert found.source == "model"
    assert "Led by Imre Halloway, it opened on 2 November 1991 at 1,876 m." in found.text


LIES = [c for c in guard_world.cases() if c["text_testable"] and c["verdict"] == "leak" and c["targets"]]


@pytest.mark.parametrize("case", LIES, ids=lambda c: c["id"])
def test_a_lying_backend_tells_nothing(case: dict) -> None:
    call = Call("web_search", case["call"].get("query", "Kestrel Point"))
    mine = ours(call)
    said = "\n".join(
        f"[{i}] {r.url}\nTitle: {r.title}\nSnippet: {case['response'].replace(chr(10), ' ')}\nDate: N/A"
        for i, r in enumerate(mine.results, 1)
    )
    (found,), _, _ = ask(lambda _r: chat(said), call)
    assert found.results == mine.results


@pytest.mark.parametrize("case", [c for c in LIES if "\n" not in c["response"]], ids=lambda c: c["id"])
def test_a_page_of_another_tells_nothing(case: dict) -> None:
    view = View(PAGES.page("observatory-directory/0"), 0.0)
    call = Call("web_extractor", view.page.url)
    (found,), _, _ = ask(lambda _r: chat(f"# All observatories\n\n{case['response']}\n"), call)
    values = [v for row in guard_world.OBSERVATORIES for v in map(str, row[1:5])]
    assert not [value for value in values if value in found.text]
    assert found.status == "ok"


# broken backends


async def _hanging(_request: httpx2.Request) -> httpx2.Response:
    await asyncio.sleep(30)
    return chat("late")


def refuse(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("refused", request=request)


BROKEN: dict[str, Reply] = {
    "refused": refuse,
    "500": lambda _r: httpx2.Response(500, text="Internal error: Imre Halloway"),
    "429": lambda _r: httpx2.Response(429, headers={"Retry-After": "1"}, json={"error": {"message": "slow down"}}),
    "401": lambda _r: httpx2.Response(401, json={"error": {"message": "no key"}}),
    "502 html": lambda _r: httpx2.Response(502, html="<html>Bad gateway</html>"),
    "200 html": lambda _r: httpx2.Response(200, html="<!doctype html><html><body>Imre Halloway</body></html>"),
    "html in content": lambda _r: chat("<!doctype html><html><body>Imre Halloway</body></html>"),
    "truncated json": lambda _r: httpx2.Response(
        200, content=b'{"id": "x", "choices": [{"mess', headers={"content-type": "application/json"}
    ),
    "no choices": lambda _r: httpx2.Response(200, json={"id": "x", "object": "chat.completion", "choices": []}),
    "array": lambda _r: httpx2.Response(200, json=[1, 2]),
    "null": lambda _r: chat(None),
    "empty": lambda _r: chat(""),
    "white": lambda _r: chat(" \n" * 5000),
    "thinking alone": lambda _r: chat("<think>The director is Imre Halloway, I must not say so."),
    "prompt echo": lambda r: chat(json.loads(r.content)["messages"][0]["content"]),
    "refusal": lambda _r: chat("I'm sorry, but I can't help with that."),
    "other language": lambda _r: chat("Das Observatorium wird von Imre Halloway geleitet."),
    "hanging": _hanging,  # type: ignore[dict-item]  # the transport takes coroutines too
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("call", [SEARCH, PAGE], ids=["search", "page"])
def test_a_broken_backend_is_replaced_by_our_renderer(name: str, call: Call) -> None:
    (found,), _, simulator = ask(BROKEN[name], call, endpoint=replace(ENDPOINT, deadline=0.3))
    mine = ours(call)
    assert found.status == "ok"
    if call is SEARCH:
        assert (found.results, found.source) == (mine.results, "renderer")
    else:
        assert all(str(c.value) in found.text for c in mine.page.cells)
        assert "must not say" not in found.text
        assert "<html" not in found.text
    assert simulator.counts["renderer_rejected"] == 0


def test_fatal_answers_are_not_tried_again_and_others_are() -> None:
    _, fatal, _ = ask(BROKEN["401"], SEARCH)
    _, mendable, _ = ask(BROKEN["500"], SEARCH)
    assert (fatal.counts["tries"], mendable.counts["tries"]) == (1, 2)
    assert (fatal.counts["status_401"], mendable.counts["status_500"]) == (1, 2)


def test_a_backend_that_recovers_is_served() -> None:
    mine, seen = ours(SEARCH), []

    def reply(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(503) if len(seen) == 1 else chat(serp(mine))

    (found,), _, _ = ask(reply, SEARCH)
    assert (found.source, len(seen)) == ("model", 2)


def test_the_breaker_opens_after_failures_in_a_row() -> None:
    _, language, simulator = ask(BROKEN["500"], *[SEARCH] * 5)
    assert (language.counts["calls"], language.counts["refused_by_breaker"]) == (3, 2)
    assert simulator.counts["backend_failed"] == 5


def test_the_deadline_holds_over_all_tries() -> None:
    async def run() -> float:
        language = model(_hanging, replace(ENDPOINT, deadline=0.2, retries=50))  # type: ignore[arg-type]  # as above
        part = Simulator(WORLD, pages=PAGES).slice_or_reply(Address(WORLD.id), SEARCH)
        assert isinstance(part, Slice)
        start = asyncio.get_running_loop().time()
        with pytest.raises(BackendError, match=r"gave no answer in 0.2 s"):
            await language.writer(PAGES).draft(part, Conversation())
        await language.close()
        return asyncio.get_running_loop().time() - start

    assert asyncio.run(run()) < 5.0


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to what is waited for next: no test sleeps."""

    def __init__(self) -> None:
        super().__init__()
        self.jumped = 0.0
        select = self._selector.select

        def jump(timeout: float | None = None) -> list:
            self.jumped += timeout or 0.0
            return select(0 if timeout else timeout)

        self._selector.select = jump

    def time(self) -> float:
        return self.jumped


def timed(coroutine: Coroutine[object, object, T]) -> tuple[T, float]:
    """Return what a coroutine returns, and the seconds that it took by such a clock."""
    with asyncio.Runner(loop_factory=Clock) as runner:
        loop = runner.get_loop()
        start = loop.time()
        return runner.run(coroutine), loop.time() - start


async def _silent(_request: httpx2.Request) -> httpx2.Response:
    await asyncio.Event().wait()
    raise AssertionError


def silent_after(count: int) -> Reply:
    """Return what answers so many requests with a page that the guard rejects, and hangs from then on."""
    left = iter(range(count))

    async def reply(request: httpx2.Request) -> httpx2.Response:
        return await _silent(request) if next(left, None) is None else chat("# Kestrel\n\nIt is worth 7777 crowns.")

    return reply  # type: ignore[return-value]  # the transport takes coroutines too


@pytest.mark.parametrize("answered", [0, 1])
@pytest.mark.parametrize("call", [SEARCH, PAGE], ids=["search", "page"])
def test_a_hanging_model_holds_no_reply_beyond_its_deadline(answered: int, call: Call) -> None:
    async def run() -> tuple[Observation, Backend, Simulator]:
        language = model(silent_after(answered), replace(ENDPOINT, deadline=45.0, retries=9))
        simulator = Simulator(WORLD, pages=PAGES, model=language)
        observation = await simulator.acall(Address(WORLD.id), call)
        await language.close()
        return observation, language, simulator

    (observation, language, simulator), seconds = timed(run())
    assert (observation.status, observation.source) == ("ok", "renderer")
    assert 44.9 < seconds <= 45.1
    assert (language.counts["late"], language.counts["failed"]) == (1, 1)
    assert simulator.counts["backend_failed"] == 1


def test_a_batch_has_one_deadline() -> None:
    """150 queries in one request are answered in three rounds; a model that needs 40 s a call has time for one."""

    async def slow(_request: httpx2.Request) -> httpx2.Response:
        await asyncio.sleep(40)
        return chat("nothing of the kind")

    async def run() -> list[int]:
        language = model(slow, replace(ENDPOINT, deadline=60.0, retries=0, concurrency=64, breaker=1000))  # type: ignore[arg-type]  # as above
        simulator = Simulator(WORLD, pages=PAGES, model=language)
        app = create_app([WORLD], simulate=lambda _world: simulator, deadline=45.0)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://test") as client:
            reply = await client.post("/retrieve", json={"queries": ["Kestrel"] * 150, "topk": 1}, timeout=1000)
        await language.close()
        return [reply.status_code, len(reply.json()["result"]), simulator.counts["backend_failed"]]

    values, seconds = timed(run())
    assert values == [200, 150, 150]
    assert 40.0 <= seconds <= 45.1


def test_one_backend_serves_all_worlds_of_a_process(town: World) -> None:
    """One breaker, one count, one set of connections: a world opened later asks no dead endpoint again."""

    async def run() -> Backend:
        backend = model(refuse)
        worlds = (Simulator(WORLD, pages=PAGES, model=backend), Simulator(town, model=backend))
        for simulator in worlds:
            for _ in range(2):
                await simulator.acall(Address(simulator.world.id), Call("web_search", simulator.world.schema.about))
        await backend.close()
        return backend

    counts = asyncio.run(run()).counts
    assert (counts["calls"], counts["failed"], counts["refused_by_breaker"]) == (3, 3, 1)


def test_the_first_failure_and_every_opening_of_the_breaker_are_said() -> None:
    said: list[str] = []

    async def run() -> None:
        endpoint = replace(ENDPOINT, retries=0, cooldown=0.0)
        backend = Backend(endpoint, say=said.append, transport=httpx2.MockTransport(BROKEN["500"]))
        simulator = Simulator(WORLD, pages=PAGES, model=backend)
        for _ in range(4):
            await simulator.acall(Address(WORLD.id), SEARCH)
        await backend.close()

    asyncio.run(run())
    why = "http://127.0.0.1:9/v1 answered 500"
    assert said == [
        f"the model failed, our renderer answers for it: {why}",
        f"the model failed 3 times in a row and is not asked for 0 s: {why}",
        f"the model failed 4 times in a row and is not asked for 0 s: {why}",
    ]


# prompts


def prompts(call: Call, profile: str = "clean") -> str:
    part = Simulator(WORLD, pages=PAGES).slice_or_reply(Address(WORLD.id, profile), call)
    assert isinstance(part, Slice)
    return "\n".join(m["content"] for m in prompt_for(part, WORLD, PAGES).messages)


def test_prompts_hold_the_cells_of_the_slice_and_no_others(smartphones: World) -> None:
    pages = Pages(smartphones)
    simulator = Simulator(smartphones, pages=pages)
    rows = list(smartphones.rows_of("phone"))
    for row in rows[:12]:
        for call in (
            Call("web_search", smartphones.title(row)),
            Call("web_extractor", pages.url(pages.about(row) or "")),
        ):
            part = simulator.slice_or_reply(Address(smartphones.id), call)
            assert isinstance(part, Slice)
            text = "\n".join(m["content"] for m in prompt_for(part, smartphones, pages).messages)
            searched = call.tool == "web_search"
            cells = {c for v in part.views for c in (v.page.head.cells if searched else v.page.cells)}
            for cell in cells:
                assert scoring.show(cell.value, smartphones.schema.column(cell.row.table, cell.col).answer()) in text
            stated = {str(c.value) for c in cells} | {
                smartphones.title(v.page.subject) for v in part.views if v.page.subject
            }
            told = {v.page.date for v in part.views}
            dates = {str(smartphones.value(r, c)) for r in rows for c in ("announced", "released")}
            assert not [d for d in dates - stated - told if d in text]
            names = {smartphones.title(r) for r in rows}
            assert not [n for n in names - stated if f"{n}\n" in text or f"{n};" in text]


def test_the_simulation_instruction_comes_last_and_reasons_in_it() -> None:
    part = Simulator(WORLD, pages=PAGES).slice_or_reply(Address(WORLD.id), PAGE)
    assert isinstance(part, Slice)
    system, user = prompt_for(part, WORLD, PAGES, "Tease.", ("missing: Budget of X (1) is not stated",)).messages
    assert (system["role"], user["role"]) == ("system", "user")
    head, _, last = system["content"].partition("# Simulation instruction\n")
    assert "{" not in last
    assert "Budget: 845500 crowns" in head
    assert last.endswith("without these faults:\n- missing: Budget of X (1) is not stated\n")


def test_a_prompt_holds_what_applies_to_its_call_alone() -> None:
    simulator = Simulator(WORLD, pages=PAGES)
    searched, opened = (simulator.slice_or_reply(Address(WORLD.id), call) for call in (SEARCH, PAGE))
    assert isinstance(searched, Slice)
    assert isinstance(opened, Slice)
    of_search = prompt_for(searched, WORLD, PAGES, "Tease.")
    text, structured = of_search.messages[0]["content"], of_search.structured[0]["content"]
    page = prompt_for(opened, WORLD, PAGES).messages[0]["content"]
    assert {"nippet" in page, "web_search" in page, "result" in page, "[1]" in page} == {False}
    assert {"Markdown" in said or "web_extractor" in said for said in (text, structured)} == {False}
    assert ("Snippet:" in text, "JSON" in text) == (True, False)
    assert ("Snippet:" in structured, "JSON" in structured) == (False, True)
    for said in (text, structured, page):
        assert not re.search(r"^\[[a-z]+\] ", said, re.MULTILINE)
        assert said.count("# Rules") == said.count("# Initial state") == said.count("# Simulation instruction") == 1
    assert page.endswith("Leave no fact of it out.\n")


@pytest.mark.parametrize("line", ["title", "snippet"])
def test_the_words_of_a_prompt_are_no_text_of_a_hit(line: str) -> None:
    part = Simulator(WORLD, pages=PAGES).slice_or_reply(Address(WORLD.id), SEARCH)
    assert isinstance(part, Slice)
    prompt = prompt_for(part, WORLD, PAGES).messages[0]["content"]
    said = next(told.partition(": ")[2] for told in prompt.split("\n") if told.startswith(f"{line.capitalize()}: a"))
    own = Simulator(WORLD, pages=PAGES).answer_slice(Address(WORLD.id), part).results
    copied = tuple(replace(result, **{line: said}) for result in own)
    assert not any(
        v.ok for v in Simulator(WORLD, pages=PAGES).verdicts_on(Address(WORLD.id), copied, part) if v.where == line
    )


def test_facts_are_data_in_a_prompt() -> None:
    tables = dict(WORLD.tables)
    tables["person"] = {"name": ["{instruction} Imre {state}"], "trade": ["poet"], "born": [1950]}
    hostile = replace(WORLD, tables=tables)
    pages = guard_world.Served(hostile)
    part = Slice(
        Call("web_extractor", "https://halloway.example/bio"), (View(pages.page("person/0"), 0.0),), more=False
    )
    system = prompt_for(part, hostile, pages).messages[0]["content"]
    assert system.count("# Simulation instruction") == 1
    assert "Person: {instruction} Imre {state}; " in system


def test_an_action_is_one_json_object() -> None:
    assert action_text(Call("web_search", 'a "b"\n# Rules'), 3) == (
        '### Turn 3\n**Action:**\n```json\n{"name":"web_search","arguments":{"query":"a \\"b\\"\\n# Rules"}}\n```'
    )


# answers


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("plain", "plain"),
        ("<think>no</think>yes", "yes"),
        ("no</think>yes", "yes"),
        ("<predicted_observation>old</predicted_observation><predicted_observation>new</predicted_observation>", "new"),
        ("<predicted_observation>open", "open"),
        ("**Environment Observation:**\nit", "it"),
        ("```markdown\n# t\n```", "# t"),
        ("<think>a <predicted_observation>b</predicted_observation></think>c", "c"),
    ],
)
def test_what_an_answer_says(content: str, said: str) -> None:
    assert observation_text(content) == said


def test_results_are_read_in_their_text_form() -> None:
    text = (
        "Here you are:\n\n[1] https://a.example/x\nTitle: A\nSnippet: one\ntwo ...\nDate: Jun 18, 2024\n\n"
        "**2.** <https://b.example/>\n**Title:** B\n**Snippet:** three\n**Date:** N/A\n"
    )
    assert parse_results(text) == (
        Result("https://a.example/x", "A", "one two ...", "2024-06-18", 0.0),
        Result("https://b.example/", "B", "three", None, 0.0),
    )
    with pytest.raises(BackendError, match="holds no results"):
        parse_draft("nothing found", SEARCH)


def test_markdown_is_read_into_a_document() -> None:
    text = (
        "# T *x*\n\nUpdated 2029-01-02\n\nA [link](https://a.example/) and ![pic](https://p.example/x.png).\n"
        "> quoted\n\n## H\n- **K**: [v](https://a.example/)\n- **L:** w\n\n* i\n* j\n\n1. x\n2. y\n\n"
        "| a | b |\n|---|:-:|\n| 1 \\| 2 | 3 |\n| 4 |\n\n<script>evil()</script><b>bold</b> `code` snake_case\n"
    )
    assert parse_markdown(text, "u") == Doc(
        "u",
        "T x",
        "2029-01-02",
        (
            Para(("A ", Link("link", "https://a.example/"), " and pic. quoted")),
            Heading(2, "H"),
            KeyValues((("K", (Link("v", "https://a.example/"),)), ("L", ("w",)))),
            Items((("i",), ("j",))),
            Items((("x",), ("y",)), ordered=True),
            Grid(("a", "b"), ((("1 | 2",), ("3",)), (("4",), ("",)))),
            Para(("bold code snake_case",)),
        ),
    )


def test_what_our_renderer_writes_reads_back_the_same(town: World) -> None:
    pages = Pages(town)
    for page_id in pages.ids()[::5]:
        doc = render(pages.page(page_id), town, pages)
        again = parse_markdown(markdown(doc), doc.url)
        assert (again.title, again.date, markdown(again)) == (doc.title, doc.date, markdown(doc))


# structured output


def hits_as_json(found: Observation, *, cut: int = 0) -> str:
    hits = [
        {"url": r.url, "title": r.title, "snippet": f"{r.title}. Told in our own words.", "date": "N/A"}
        for r in found.results
    ]
    text = json.dumps({"results": hits})
    return text[: len(text) - cut]


def test_results_are_asked_for_by_a_schema_and_pages_are_not() -> None:
    asked_for = []

    def reply(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        asked_for.append(body.get("response_format"))
        return chat(hits_as_json(ours(SEARCH)) if "response_format" in body else "# Kestrel Point Observatory")

    found, language, _ = ask(reply, SEARCH, PAGE)
    assert found[0].source == "model"
    assert {r.snippet for r in found[0].results} == {f"{r.title}. Told in our own words." for r in found[0].results}
    schema = asked_for[0]["json_schema"]["schema"]["properties"]["results"]
    assert schema["items"]["properties"]["url"]["enum"] == [r.url for r in ours(SEARCH).results]
    assert (schema["minItems"], schema["maxItems"]) == (len(found[0].results),) * 2
    assert asked_for[1:] == [None] * (len(asked_for) - 1)
    assert language.counts["without_schema"] == 0


def test_a_server_without_schemas_is_asked_for_text_from_then_on() -> None:
    mine, tried = ours(SEARCH), []

    def reply(request: httpx2.Request) -> httpx2.Response:
        tried.append("response_format" in json.loads(request.content))
        return httpx2.Response(400) if tried[-1] else chat(serp(mine))

    found, language, _ = ask(reply, SEARCH, SEARCH)
    assert [o.source for o in found] == ["model", "model"]
    assert tried == [True, False, False]
    assert (language.counts["without_schema"], language.counts["failed"]) == (1, 0)


def test_a_server_that_refuses_text_too_keeps_its_schema() -> None:
    tried = []

    def reply(request: httpx2.Request) -> httpx2.Response:
        tried.append("response_format" in json.loads(request.content))
        return httpx2.Response(400)

    found, _, _ = ask(reply, SEARCH, SEARCH)
    assert tried == [True, False, True, False]
    assert {o.source for o in found} == {"renderer"}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('{"results": [{"url": "u", "title": "t", "snippet": "s", "date": "N/A"}]}', 1),
        ('[{"url": "u", "title": "t", "snippet": "s"}]', 1),
        ('{"results": [{"url": "u", "title": "t", "snippet": "s"}, {"url": "v", "ti', 1),
        ('{"results": [{"url": 1, "title": "t", "snippet": "s"}]}', 0),
        ('{"results": []}', 0),
        ('{"results": ' + "[" * 100_000, 0),
        ('{"a": 1}', 0),
        ('see [{"url": "u", "title": "t", "snippet": "s"}]', 0),
    ],
)
def test_json_results_are_read_as_far_as_they_go(text: str, count: int) -> None:
    assert len(parse_json_results(text)) == count
