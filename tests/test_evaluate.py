"""Judging a model as a world model: honest, lying and broken ones, and what the figures say of them."""

import asyncio
import json
import re
from functools import partial
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner

from worldsmith.audit.language_model import Leaks, Plan, evaluate, interval, jobs_of, silent_model, table
from worldsmith.audit.language_model.tally import KINDS, Tally, fault_kind
from worldsmith.cli import main
from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.pool import Pool, open_pool
from worldsmith.pages.renderer import markdown
from worldsmith.schema import load_schema
from worldsmith.simulate.llm.model import Backend, Endpoint
from worldsmith.simulate.plan_writer import PlanWriter
from worldsmith.simulate.pool import PoolSimulator, simulator_of
from worldsmith.simulate.protocol import Address, Call, Reason, Slice, Verdict
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.files import save_world
from worldsmith.world.model import World

PLAN = Plan(calls=8, repeats=2, orders=2, hits=3)


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (0, 100, 0.0, 0.036994),
        (100, 100, 0.963006, 1.0),
        (5, 10, 0.236593, 0.763407),
        (20, 65, 0.208870, 0.427976),
        (1, 1, 0.206549, 1.0),
    ],
)
def test_bounds_are_those_of_wilson(hits: int, trials: int, low: float, high: float) -> None:
    assert interval(hits, trials) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Verdict("missing", ok=False, reason=Reason.MISSING), "incomplete"),
        (Verdict("hit", ok=False, reason=Reason.MISSING, text="u"), "incomplete"),
        (Verdict("url", ok=False, reason=Reason.FORM, text="a"), "form"),
        (Verdict("snippet", ok=False, reason=Reason.FORM), "form"),
        (Verdict("title", ok=False, reason=Reason.MISFIT), "form"),
        (Verdict("sentence", ok=False, reason=Reason.VALUE, text="Opened in 1893."), "contradicted"),
        (Verdict("sentence", ok=False, reason=Reason.VALUE, text="It has 7 doors."), "unsupported"),
        (Verdict("sentence", ok=False, reason=Reason.UNTRUE, text="x"), "contradicted"),
        (Verdict("sentence", ok=False, reason=Reason.NAME, text="Imre"), "unsupported"),
    ],
)
def test_rejections_are_of_kinds(verdict: Verdict, said: str) -> None:
    assert fault_kind(verdict, ("opened",)) == said
    assert said in KINDS


def test_a_tally_counts_statements_and_replies() -> None:
    tally = Tally()
    bad = Verdict("sentence", ok=False, text="x", reason=Reason.UNTRUE)
    lacking = Verdict("missing", ok=False, reason=Reason.MISSING)
    tally.add((Verdict("title", ok=True), bad, bad, lacking), ["Imre"], 4, ())
    tally.add((Verdict("title", ok=True),), [], 4, ())
    told = tally.to_json()
    assert told["statements"] == {"all": 4, "contradicted": 2, "unsupported": 0, "incomplete": 1, "form": 0}
    assert told["replies_with"]["contradicted"] == 1
    assert (told["factuality"], told["completeness"]) == (0.5, 7 / 8)
    assert (told["leaks"]["replies"], told["leaks"]["rate"]) == (1, 0.5)


def test_our_own_replies_leak_nothing_and_a_withheld_value_is_a_leak(town: World) -> None:
    pages = Pages(town)
    simulator, leaks = Simulator(town, pages=pages), Leaks(town, pages)
    for row in list(town.rows_of("shop"))[:10]:
        part = simulator.slice_or_reply(Address(town.id, "sparse"), Call("web_search", town.title(row), k=5))
        assert isinstance(part, Slice)
        told = PlanWriter(town, pages).write(part)
        assert leaks.of(told, part) == []
        value = town.value(row, "value")
        view = next(v for v in part.views if v.page.subject == row)
        lying = tuple(
            type(r)(r.url, r.title, f"It is worth {value:,} crowns.", None, 0.0) if r.url == view.page.url else r
            for r in told
        )
        assert leaks.of(lying, part) == [f"{value:,}", f"{value:,} crowns"]


# models over a transport


def backend(answer) -> Backend:
    """A model that answers (messages, whether JSON was asked for) by a function."""

    def reply(request: httpx2.Request) -> httpx2.Response:
        asked = json.loads(request.content)
        content = answer([m["content"] for m in asked["messages"]], "response_format" in asked)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return httpx2.Response(200, json={"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage})

    endpoint = Endpoint("http://127.0.0.1:9/v1", "fake", deadline=60.0, retries=0, breaker=10_000)
    return Backend(endpoint, transport=httpx2.MockTransport(reply))


def simulators(sources: list[World | Pool], model: Backend) -> dict[str, Simulator | PoolSimulator]:
    simulate, by_world = partial(Simulator, model=model, strict=True), dict[str, Simulator | PoolSimulator]()
    for source in sources:
        if isinstance(source, World):
            by_world[source.id] = simulate(source)
        else:
            by_world |= dict.fromkeys(source.worlds, PoolSimulator(source, simulate=simulate))
    return by_world


def judged(sources: list[World | Pool], answer, plan: Plan = PLAN, judge=None) -> dict:
    async def run() -> dict:
        model = backend(answer)
        second = backend(judge) if judge else None
        try:
            return await evaluate(simulators(sources, model), model, plan, judge=second)
        finally:
            await model.close()
            if second:
                await second.close()

    return asyncio.run(run())


def honest(source: World | Pool, prompts: list[tuple[str, str]] | None = None):
    """Answers with our renderer's text, and obeys every order; notes (call, world) of each prompt."""
    simulator = simulator_of(source)

    def answer(messages: list[str], structured: bool) -> str:
        call = json.loads(re.search(r"\{.*\}", messages[1])[0])
        orders = messages[0].rsplit("# Simulation instruction", 1)[1]
        if "is down" in orders:
            return "Error 503: the service is unavailable, try again later."
        asked = call["arguments"]
        made = Call(call["name"], asked.get("query") or asked.get("url"), k=3)
        parts = simulator.parts_or_reply(Address(simulator.id), made)
        shown = "\n".join(messages)
        # The prompt of a world's part has the addresses of that world's pages alone.
        ((world, pages, part),) = (
            (one.simulator.world, one.pages, one.slice)
            for one in parts
            if all(view.page.url in shown for view in one.slice.views)
        )
        if prompts is not None:
            prompts.append((made.arg, world.id))
        told = PlanWriter(world, pages).write(part)
        if not isinstance(told, tuple):
            return markdown(told)
        if "name what the result is about and state nothing else" in orders:
            keys = [" ".join(pages.keys(v.page.subject)) if v.page.subject else v.page.title for v in part.views]
            told = tuple(type(r)(r.url, k, k, None, 0.0) for r, k in zip(told, keys, strict=True))
        if "Show only the first 2" in orders:
            told = told[:2]
        if structured:
            hits = [{"url": r.url, "title": r.title, "snippet": r.snippet, "date": r.date or "N/A"} for r in told]
            return json.dumps({"results": hits})
        return "\n\n".join(
            f"[{i}] {r.url}\nTitle: {r.title}\nSnippet: {r.snippet}\nDate: {r.date or 'N/A'}"
            for i, r in enumerate(told, 1)
        )

    return answer


def test_an_honest_model_has_the_best_figures(town: World) -> None:
    found = judged([town], honest(town))
    assert (found["calls"], found["failing"]) == (8, [])
    for name in ("search", "pages"):
        mode = found["modes"][name]
        assert (mode["format"], mode["accepted"]) == (1.0, 1.0)
        assert mode["served"] == {"model": 1.0, "retry": 0.0, "fallback": 0.0, "unchanged": 1.0}
        for when in ("before", "after"):
            assert mode[when]["leaks"]["replies"] == 0
            assert (mode[when]["factuality"], mode[when]["completeness"]) == (1.0, 1.0)
    assert found["consistency"] == {"same_facts": 1.0, "pairs": 2, "not_repeated": 0}
    assert found["control"]["error"] == {"given": 2, "obeyed": 1.0, "not_asked": 0}
    assert found["control"]["paging"] == {"given": 2, "obeyed": 1.0, "not_asked": 0}
    cost = found["cost"]
    assert cost["requests"] == 8 + 2 + 6
    assert (cost["prompt_tokens"], cost["completion_tokens_a_request"]) == (160, 5.0)


def test_a_liar_is_found_out_and_fails(town: World) -> None:
    def lies(messages: list[str], structured: bool) -> str:
        urls = re.findall(r"^\[\d+\] (\S+)$", messages[0].split("# Initial state")[1], re.MULTILINE)
        if "web_extractor" in messages[1]:
            return "# A page\n\nIt was founded in 1893 by Zarvok Plint."
        hits = [{"url": u, "title": "A place", "snippet": "Founded in 1893.", "date": "N/A"} for u in urls]
        return json.dumps({"results": hits})

    found = judged([town], lies)
    assert found["failing"] == ["search", "pages"]
    search, pages = found["modes"]["search"], found["modes"]["pages"]
    assert search["served"]["fallback"] == 1.0
    assert search["before"]["factuality"] < 0.8
    assert search["before"]["completeness"] < 1.0
    assert pages["before"]["completeness"] == 0.0
    for mode in (search, pages):
        assert mode["after"]["factuality"] == mode["after"]["completeness"] == 1.0
        assert mode["after"]["leaks"]["replies"] == 0
    assert found["control"]["error"]["obeyed"] == 0.0
    assert "FAILING: search" in table(found)


def test_a_model_that_writes_nothing_readable(town: World) -> None:
    found = judged([town], lambda _messages, _structured: "<think>hm</think>")
    assert found["failing"] == ["search", "pages"]
    assert found["modes"]["search"]["format"] == 0.0
    assert found["modes"]["search"]["before"]["replies"] == 0
    assert found["modes"]["search"]["before"]["leaks"]["bounds"] == [0.0, 1.0]
    assert found["consistency"]["not_repeated"] == 2
    assert "95% bounds" in table(found)


def test_realism_is_graded_by_a_second_model(town: World) -> None:
    found = judged([town], honest(town), Plan(calls=2, repeats=0, orders=0), lambda _m, _s: "Fine. Realism: 4")
    (mode, *_) = found["modes"].values()
    assert mode["realism"]["before"]["mean"] == mode["realism"]["after"]["mean"] == 4.0
    assert "realism by the judge" in table(found)
    mute = judged([town], honest(town), Plan(calls=2, repeats=0, orders=0), lambda _m, _s: "no idea")
    assert next(iter(mute["modes"].values()))["realism"]["ungraded"] == 2
    assert "1 to 5: - before, - after; 2 of 2 replies it gave no grade" in table(mute)


def test_a_judge_is_asked_for_json_where_it_can(town: World) -> None:
    asked = []

    def grade(messages, structured):
        asked.append((structured, messages[-1].rpartition("\n\n")[2]))
        return '{"realism": 3}'

    found = judged([town], honest(town), Plan(calls=1, repeats=0, orders=0), grade)
    (mode,) = found["modes"].values()
    assert mode["realism"] == {
        "before": {"mean": 3.0, "replies": 1},
        "after": {"mean": 3.0, "replies": 1},
        "ungraded": 0,
    }
    json_alone = 'Grade this reply. Answer as one JSON object: {"realism": N}, where N is 1 to 5.'
    assert asked == [(True, json_alone)] * 2


def test_calls_are_shared_among_worlds_and_the_same_each_time(town: World, smartphones: World) -> None:
    def mute(_messages: list[str], _structured: bool) -> str:
        return ""

    plan = Plan(calls=6, repeats=1, orders=1)
    assert jobs_of(plan) == 9
    first, second = judged([town, smartphones], mute, plan), judged([town, smartphones], mute, plan)
    assert first["calls"] == 6
    assert first["modes"] == second["modes"]
    assert sum(mode["replies"] for mode in first["modes"].values()) == 6


def test_a_pool_is_judged_call_by_call_and_world_by_world(tmp_path: Path) -> None:
    worlds = [generate(load_schema("town"), seed, language="plain") for seed in (7, 8)]
    pool = open_pool([save_world(world, tmp_path) for world in worlds])
    prompts: list[tuple[str, str]] = []
    figures = judged([pool], honest(pool, prompts), Plan(calls=8, repeats=0, orders=0, hits=3))
    assert figures["worlds"] == sorted(world.id for world in worlds)
    asked_of = {arg: sorted(world for other, world in prompts if other == arg) for arg, _ in prompts}
    assert (figures["calls"], len(asked_of)) == (8, 8)
    assert max(map(len, asked_of.values())) == 2  # a search that both worlds have hits of
    assert all(len(set(some)) == len(some) for some in asked_of.values())
    search, pages = figures["modes"]["search"], figures["modes"]["pages"]
    assert search["replies"] + pages["replies"] == figures["answered"]["asked"] == len(prompts) > 8
    for mode in (search, pages):
        assert mode["served"] == {"model": 1.0, "retry": 0.0, "fallback": 0.0, "unchanged": 1.0}
        assert mode["after"]["leaks"]["replies"] == 0
        assert (mode["after"]["factuality"], mode["after"]["completeness"]) == (1.0, 1.0)


# models that never answer


def refusing(reply) -> Backend:
    """A model over a transport that answers every request with `reply`, or raises it."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        if isinstance(reply, Exception):
            raise reply
        return reply(request)

    endpoint = Endpoint("http://127.0.0.1:9/v1", "fake", deadline=20.0, retries=0, breaker=10_000)
    return Backend(endpoint, transport=httpx2.MockTransport(answer))


def chat(content: str | None) -> httpx2.Response:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    return httpx2.Response(200, json={"id": "x", "object": "chat.completion", "choices": [choice]})


URL = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (httpx2.ConnectError("Connection refused"), f"{URL} could not be asked: Connection error. Connection refused"),
        (httpx2.ConnectError("Name not known"), f"{URL} could not be asked: Connection error. Name not known"),
        (httpx2.ReadError("peer closed"), f"{URL} could not be asked: Connection error. peer closed"),
        (httpx2.ReadTimeout("slow"), f"{URL} could not be asked: Request timed out. slow"),
        (lambda _r: httpx2.Response(401), f"{URL} answered 401: it refused the key"),
        (lambda _r: httpx2.Response(404), f"{URL} answered 404: it has no such model"),
        (lambda _r: httpx2.Response(429), f"{URL} answered 429: too many requests"),
        (lambda _r: httpx2.Response(500), f"{URL} answered 500"),
        (lambda _r: httpx2.Response(200, text="<html>hi</html>"), f"{URL} answered without a message"),
        (lambda _r: httpx2.Response(200, text='{"choices": [', headers={"content-type": "application/json"}),
         f"{URL} answered with broken JSON"),
        (lambda _r: chat(None), f"{URL} answered without a message"),
        (lambda _r: chat(""), "the model's answer holds no observation"),
        (lambda _r: chat("<think>hm</think>"), "the model's answer holds no observation"),
    ],
)  # fmt: skip
def test_a_model_that_never_answers_has_no_scoreboard(town: World, reply, why: str) -> None:
    async def run() -> dict:
        model = refusing(reply)
        try:
            return await evaluate(simulators([town], model), model, Plan(calls=3, repeats=0, orders=0, hits=3))
        finally:
            await model.close()

    figures = asyncio.run(run())
    assert figures["answered"]["asked"] == 3
    assert (figures["answered"]["replies"], figures["answered"]["share"]) == (0, 0.0)
    said = silent_model(figures)
    assert "the model never answered, in 3 calls. 3 times: " in said
    assert why in said


def test_the_share_that_was_answered_stands_beside_the_figures(town: World) -> None:
    counted = iter(range(100))

    def answer(messages: list[str], structured: bool) -> str:
        return honest(town)(messages, structured) if next(counted) % 2 else ""

    found = judged([town], answer, Plan(calls=4, repeats=0, orders=0, hits=3))
    assert found["answered"] == {
        "asked": 4,
        "replies": 2,
        "share": 0.5,
        "failures": {"the model's answer holds no observation": 2},
    }
    assert silent_model(found) is None
    assert "answered: 2 of 4 calls (50.0%)" in table(found)
    assert "answered:" not in table(judged([town], honest(town), Plan(calls=2, repeats=0, orders=0, hits=3)))


@pytest.fixture
def saved_town(town: World, tmp_path: Path) -> Path:
    return save_world(town, tmp_path)


def test_a_dead_endpoint_ends_the_command_with_its_reason(saved_town: Path) -> None:
    orders = ["evaluate", str(saved_town), "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--calls", "2"]
    for more in ([], ["--json"], ["--pool", "--json"]):
        found = CliRunner().invoke(main, [*orders, "--orders", "0", "--repeats", "0", "--deadline", "2", *more])
        assert found.exit_code == 1
        assert "the model never answered, in 2 calls" in found.stderr
        assert bool(found.stdout) is ("--json" in more)
    assert json.loads(found.stdout)["answered"]["replies"] == 0
