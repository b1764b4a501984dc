"""Episodes of language models: their figures, what goes over the wire, and runs that survive anything."""

import asyncio
import json
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from tests.scripted_models import POLICIES, Model, choice, native, perfect, serving
from tests.served_worlds import sent_by
from worldsmith import scoring
from worldsmith.episode.search_server import SearchServer
from worldsmith.episode.tools import MAX_CALLS, TOOLS, UNANSWERED
from worldsmith.errors import BackendError, UsageError
from worldsmith.rollout.call_formats import CLOSED_BOOK, FORMATS, call_format
from worldsmith.rollout.chat_model import ChatModel, ContextLimitError, Sampling, Spending, SpendingLimitError
from worldsmith.rollout.episode import surplus_rows
from worldsmith.rollout.figures import SCORES, run_summary
from worldsmith.rollout.many_episodes import Environments, jobs_of, play_many
from worldsmith.rollout.saved_run import saved_run
from worldsmith.rollout.served_simulator import ServedSimulator
from worldsmith.serving import create_app
from worldsmith.simulate.llm.endpoint import Endpoint
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import values_table
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.environment import Environment
from worldsmith.world.files import save_jsonl, save_world, tasks_file

URL = "http://model.example/v1"
SERVERS_OWN = Sampling()
CONTRACT = {
    "task_id", "world", "sample", "item_f1", "row_f1", "nonkey_f1", "success", "reward", "turns", "search_calls",
    "extract_calls", "finish", "evidenced_item_f1",
}  # fmt: skip


@pytest.fixture(scope="module")
def tasks(mined):
    return mined


@pytest.fixture(scope="module")
def folder(town, tasks, tmp_path_factory):
    made = save_world(town, tmp_path_factory.mktemp("rollout"))
    save_jsonl(tasks_file(made), [task.to_json() for task in tasks])
    return made


@pytest.fixture(scope="module")
def simulator(town):
    return Simulator(town, strict=True)


def transport(model):
    def handle(request):
        assert request.url.path == "/v1/chat/completions"
        status, body = model.answer(json.loads(request.content))
        return httpx2.Response(status, content=json.dumps(body))

    return httpx2.MockTransport(handle)


def chat_model(model, name, *, sampling=SERVERS_OWN, spending=None, retries=2, **options):
    endpoint = Endpoint(URL, name, retries=retries, backoff=0.0)
    return ChatModel(endpoint, sampling, spending, transport=transport(model), **options)


def played(folder, tasks, name, form="native", *, k=1, model=None, chat=None, concurrency=4, **environments):
    """Return the records of episodes by task and sample, and why some were not played."""
    rows = []

    async def run():
        asked_model = chat or chat_model(model or Model(tasks), name)
        opened = Environments(SeparateWorlds([folder]), **environments)
        jobs = jobs_of(tasks, k)
        how = CLOSED_BOOK if form == "closed-book" else call_format(form)
        try:
            return await play_many(jobs, opened, asked_model, how, concurrency=concurrency, record=rows.append)
        finally:
            await asked_model.close()

    stopped = asyncio.run(run())
    return sorted(rows, key=lambda row: (row["task_id"], row["sample"])), stopped


def without_times(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


# ---- figures


PERFECT = {"item_f1": 1.0, "evidenced_item_f1": 1.0, "row_f1": 1.0, "nonkey_f1": 1.0, "success": True, "reward": 1.0}
MEMORY = PERFECT | {"evidenced_item_f1": 0.0, "success": False, "reward": 0.0}
NOTHING = dict.fromkeys(("item_f1", "evidenced_item_f1", "row_f1", "nonkey_f1"), 0.0) | {"success": False}


@pytest.mark.parametrize(
    ("name", "form", "figures", "finish"),
    [
        ("perfect", "native", PERFECT, "answered"),
        ("parallel", "native", PERFECT, "answered"),
        ("written", "hermes", PERFECT, "answered"),
        ("written", "react", PERFECT, "answered"),
        ("written", "text", PERFECT, "answered"),
        ("hallucinator", "native", MEMORY, "answered"),
        ("hallucinator", "closed-book", MEMORY, "answered"),
        ("quitter", "native", NOTHING | {"reward": -0.2}, "no_table"),
        ("looper", "native", NOTHING | {"reward": -0.3}, "turn_limit"),
        ("looper", "closed-book", NOTHING | {"reward": -0.3, "search_calls": 0}, "turn_limit"),
        ("stammerer", "native", NOTHING | {"reward": 0.0, "search_calls": 0, "turns": 3}, "answered"),
        ("choked", "native", NOTHING | {"reward": -0.3, "turns": 1}, "length"),
        ("silent", "native", NOTHING | {"reward": 0.0, "masked": True, "turns": 0}, "model_error"),
    ],
)
def test_what_a_model_does_has_its_figures_and_its_end(folder, tasks, name, form, figures, finish):
    rows, stopped = played(folder, tasks, name, form)
    assert [row["task_id"] for row in rows] == sorted(task.task_id for task in tasks)
    for row in rows:
        assert {name: row[name] for name in figures} == figures
        assert row["finish"] == finish
        assert row.keys() > CONTRACT
    assert stopped == ""


def test_a_table_without_its_rows_is_paid_for_what_it_has(folder, tasks):
    tables = sorted((task for task in tasks if len(task.gold) > 1), key=lambda task: task.task_id)
    assert tables
    for row, task in zip(played(folder, tables, "forgetful")[0], tables, strict=True):
        rows = len(task.gold)
        assert row["item_f1"] == row["evidenced_item_f1"] == row["row_f1"] == pytest.approx(2 / (1 + rows))
        assert not row["success"]
        assert 0 < row["reward"] < 1
        assert row["failures"]["not_reported"] == (rows - 1) * len(task.others)


def test_surplus_rows_are_the_answers_own_where_no_column_matches(tasks):
    task = next(task for task in tasks if len(task.keys) == 1)
    (key,) = task.keys

    def surplus(first_column):
        answer = f"| {first_column} | Beta |\n|---|---|\n| Xylo 1 | 7 |\n| Xylo 2 | |\n"
        score = scoring.score(answer, task.columns, task.gold)
        return [tuple(row) for row in surplus_rows(task, score, f"<think>hm</think>{answer}")]

    assert surplus("Alpha") == [("Xylo 1", "7"), ("Xylo 2", "")]
    in_place = [tuple(text if c == key else "" for c in range(len(task.columns))) for text in ("Xylo 1", "Xylo 2")]
    assert surplus(task.columns[key].name) == in_place


def test_a_snippet_is_evidence_only_of_what_it_states(folder, tasks):
    for row in played(folder, tasks, "snippet_reader")[0]:
        assert (row["item_f1"], row["success"], row["search_calls"], row["extract_calls"]) == (1.0, False, 1, 0)
        assert row["evidenced_item_f1"] < 0.5


def test_a_reply_cut_off_ends_the_episode_and_is_scored_as_far_as_it_goes(folder, tasks):
    for row in played(folder, tasks, "rambler")[0]:
        assert (row["finish"], row["evidenced_item_f1"]) == ("length", 0.0)
        assert row["reward"] < 0


def test_memory_pays_in_item_f1_and_never_by_evidence(tasks, town, simulator):
    task = next(task for task in tasks if len(task.gold) > 1)
    environment = Environment(town, task, simulator)
    environment.reset()
    for made in task.certificate["calls"]:
        arguments = {"query": made["arg"], "page": made.get("page", 1)}
        if made["tool"] == "web_extractor":
            arguments = {"url": made["arg"], "offset": made.get("offset", 0)}
        environment.step({"tool_calls": [{"id": "1", "function": {"name": made["tool"], "arguments": arguments}}]})
    step = environment.step(task.table())
    assert (step.score.item.f1, step.evidenced_item.f1, step.paid.success, step.truncated) == (1.0, 1.0, True, False)
    evidence = scoring.Evidence(tuple(((), ((("a",),),), ((("b",),),)) for _ in range(2)))
    columns = tuple(scoring.Column(name, "text", key=name == "key") for name in ("key", "x", "y"))
    score = scoring.score(
        values_table(columns, [("k", "p", "q"), ("l", "r", "s")]), columns, [("k", "p", "q"), ("l", "r", "z")]
    )
    assert score.item.f1 == pytest.approx(5 / 6)
    assert scoring.evidenced_item(score, evidence, {"a"}).f1 == pytest.approx(4 / 6)
    assert scoring.evidenced_item(score, evidence, {"b"}).f1 == pytest.approx(2 / 6)
    assert scoring.evidenced_item(score, evidence, ()).f1 == 0.0


def test_an_empty_answer_to_a_task_without_rows_needs_evidence_too():
    columns = (scoring.Column("key", "text", key=True), scoring.Column("x", "text"))
    score = scoring.score(values_table(columns, []), columns, [])
    evidence = scoring.Evidence((), empty=((("a",),),))
    assert (scoring.evidenced_item(score, evidence, ()).f1, scoring.evidenced_item(score, evidence, {"a"}).f1) == (0, 1)


def test_samples_are_averaged_and_what_is_missing_counts_as_nothing(tasks):
    def row(task, sample, score):
        figures = dict.fromkeys(SCORES, score) | {"success": score == 1.0}
        effort = dict.fromkeys(("turns", "search_calls", "extract_calls", "prompt_tokens", "completion_tokens"), 4)
        effort |= dict.fromkeys(("tool_tokens", "retries", "cost", "seconds"), 2.0)
        return {"task_id": task.task_id, "sample": sample, "finish": "answered", **figures, **effort}

    first, second, *_ = tasks
    rows = [row(first, 0, 1.0), row(first, 1, 0.5), row(second, 0, 0.25)]
    summary = run_summary(rows, [first, second], 2)
    assert (summary["episodes"], summary["missing"], summary["tasks"], summary["k"]) == (3, 1, 2, 2)
    assert summary["avg"]["item_f1"] == pytest.approx((0.75 + 0.125) / 2)
    assert summary["avg"]["success"] == 0.25
    assert summary["max"]["item_f1"] == pytest.approx((1.0 + 0.25) / 2)
    assert summary["pass"] == 0.5
    assert summary["finish"]["answered"] == 0.75
    assert summary["effort"]["turns"] == 4
    assert summary["cost"] == 6.0
    assert {name: figures["tasks"] for name, figures in summary["by"]["schema"].items()} == {"town": 2}
    kinds = summary["by"]["kind"]
    assert sum(kind["avg"]["item_f1"] * kind["tasks"] for kind in kinds.values()) == pytest.approx(0.875)
    assert sum(kind["missing"] for kind in kinds.values()) == 1
    assert sum(figures["tasks"] for figures in summary["by"]["difficulty"].values()) == 2
    assert run_summary([], [first], 1)["avg"]["item_f1"] == 0.0


# ---- over the wire


def test_native_calls_are_asked_for_and_answered_by_their_ids(folder, tasks):
    model = Model(tasks)
    rows, _ = played(folder, tasks[:1], "parallel", model=model)
    assert all(body["tools"] == json.loads(json.dumps(TOOLS)) for body in model.bodies)
    assert all("temperature" not in body and "max_tokens" not in body for body in model.bodies)
    messages = rows[0]["messages"]
    for i, message in enumerate(messages):
        if calls := message.get("tool_calls"):
            ids = [call["id"] for call in calls]
            assert len(set(ids)) == len(ids) <= MAX_CALLS
            assert [reply["tool_call_id"] for reply in messages[i + 1 : i + 1 + len(ids)]] == ids
    assert rows[0]["turns"] == -(-len(tasks[0].certificate["calls"]) // 4) + 1
    assert {call["turn"] for call in rows[0]["calls"]} == set(range(1, rows[0]["turns"]))
    assert rows[0]["answer"] == tasks[0].table()
    needed = {page for row in tasks[0].pages for cell in row for page in cell}
    assert needed & {page for call in rows[0]["calls"] if call["tool"] == "web_extractor" for page in call["pages"]}


def test_calls_beyond_the_bound_are_each_refused_by_their_id(folder, tasks):
    def many(body, _):
        call = {"tool": "web_search", "arg": "x"}
        return (
            None
            if any(m["role"] == "tool" for m in body["messages"])
            else choice("", *(native(call, "") for _ in range(6)))
        )

    rows, _ = played(folder, tasks[:1], "quitter", model=Model(tasks, many))
    replies = [message["content"] for message in rows[0]["messages"] if message["role"] == "tool"]
    assert [reply == UNANSWERED for reply in replies] == [False] * 4 + [True] * 2
    assert rows[0]["search_calls"] == 4


def test_calls_written_as_text_by_a_native_model_are_answered_as_text(folder, tasks):
    def spoken(body, _):
        call = json.dumps({"name": "web_search", "arguments": {"query": "x"}})
        return choice(f"<tool_call>{call}</tool_call>") if len(body["messages"]) == 2 else None

    rows, _ = played(folder, tasks[:1], "quitter", model=Model(tasks, spoken))
    assert [message["role"] for message in rows[0]["messages"]] == ["system", "user", "assistant", "user", "assistant"]
    assert rows[0]["messages"][3]["content"].startswith("<tool_response>\n")


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "native"])
def test_a_format_of_text_describes_the_tools_and_uses_no_role_of_its_own(name, tasks):
    form = FORMATS[name]
    system, question = form.prompt(tasks[0])
    assert question == {"role": "user", "content": tasks[0].question}
    assert all(json.dumps(tool) in system["content"] for tool in TOOLS)
    assert form.tools == ()


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_kept_apart_and_sent_back_as_it_came(folder, tasks, field):
    def thinking(body, _):
        reply = perfect(tasks[0], body)
        message = dict(reply["message"])
        reasoning = message.pop("reasoning_content", None)
        return {**reply, "message": message | ({field: reasoning} if reasoning else {})}

    model = Model(tasks, thinking)
    rows, _ = played(folder, tasks[:1], "perfect", model=model)
    assistants = [message for message in rows[0]["messages"] if message["role"] == "assistant"]
    assert [m.get("reasoning_content") for m in assistants[:-1]] == [f"step {i}" for i in range(len(assistants) - 1)]
    last = [message for message in model.bodies[-1]["messages"] if message["role"] == "assistant"]
    assert [message[field] for message in last] == [f"step {i}" for i in range(len(last))]
    assert not {"reasoning", "reasoning_content"} - {field} & {name for message in last for name in message}
    dropped = Model(tasks, thinking)
    again, _ = played(folder, tasks[:1], "perfect", chat=chat_model(dropped, "perfect", send_reasoning=False))
    assert again[0]["messages"] == rows[0]["messages"]
    assert not any(field in message for body in dropped.bodies for message in body["messages"])


def test_reasoning_within_the_content_is_taken_out_of_it(folder, tasks):
    rows, _ = played(folder, tasks[:1], "written", "hermes")
    last = rows[0]["messages"][-1]
    assert last == {"role": "assistant", "content": f"Final Answer:\n{tasks[0].table()}", "reasoning_content": "done"}


def test_wrong_arguments_become_an_error_the_model_reads_and_valid_json_on_the_wire(folder, tasks):
    rows, _ = played(folder, tasks[:1], "stammerer")
    replies = [message["content"] for message in rows[0]["messages"] if message["role"] == "tool"]
    assert [reply[:19] for reply in replies] == ["Error: invalid JSON", "Error: there is no ", "Error: the argument"]
    written = [call["function"]["arguments"] for m in rows[0]["messages"] for call in m.get("tool_calls", ())]
    assert written == ['{"query": "a', '{"url": "x", "offset": 0}', '["no", "object"]']


def test_errors_that_pass_are_tried_again_and_counted(folder, tasks):
    def busy(_, times):
        return {"status": (500, 429)[times - 1], "error": "busy"} if times < 3 else None

    rows, _ = played(folder, tasks[:1], "perfect", model=Model(tasks, busy))
    assert {name: rows[0][name] for name in PERFECT} == PERFECT
    assert rows[0]["retries"] == 2 * rows[0]["turns"]
    over, _ = played(folder, tasks[:1], "perfect", chat=chat_model(Model(tasks, busy), "perfect", retries=1))
    assert (over[0]["finish"], over[0]["error"]) == ("model_error", f"{URL} answered 429: too many requests: busy")


def test_a_wait_longer_than_a_reply_may_take_is_not_waited_for(tasks):
    attempts = []

    def full(request):
        attempts.append(request)
        return httpx2.Response(429, json={"error": "full"}, headers={"Retry-After": "99999"})

    async def ask():
        chat = ChatModel(Endpoint(URL, "m", deadline=60.0), transport=httpx2.MockTransport(full))
        try:
            await chat.reply([{"role": "user", "content": "q"}])
        finally:
            await chat.close()

    with pytest.raises(BackendError, match="429"):
        asyncio.run(ask())
    assert len(attempts) == 1


def reply_of(model, sampling=SERVERS_OWN, **options):
    async def ask():
        chat = chat_model(model, "quitter", sampling=sampling, **options)
        try:
            return await chat.reply([{"role": "system", "content": ""}, {"role": "user", "content": "q"}], TOOLS)
        finally:
            await chat.close()

    return asyncio.run(ask())


class Fixed(Model):
    """Answers any conversation alike."""

    def __init__(self, answer):
        super().__init__([])
        self.fixed = answer

    def answer(self, body):
        self.bodies.append(body)
        return self.fixed(body)


LONG = [
    "This model's maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, 6048 "
    "in the completion). Please reduce the length of the messages or completion.",
    "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
    "request (25837 tokens) exceeds the available context size (25088 tokens), try increasing it",
    "the request exceeds the available context size. try increasing the context size or enable context shift",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
]


@pytest.mark.parametrize("text", LONG)
def test_a_conversation_beyond_the_context_is_asked_for_once_more_without_a_length(text):
    def short(body):
        if "max_tokens" in body:
            return 400, {"error": {"message": text, "code": 400}}
        return 200, {"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}

    model = Fixed(short)
    assert reply_of(model, Sampling(max_tokens=6048)).message["content"] == "ok"
    assert [body.get("max_tokens") for body in model.bodies] == [6048, None]
    with pytest.raises(ContextLimitError, match="too long"):
        reply_of(Fixed(lambda _: (400, {"message": text})), Sampling(max_tokens=6048))
    with pytest.raises(ContextLimitError):
        reply_of(Fixed(lambda _: (200, {"error": {"message": text, "code": 400}})))


def test_a_limit_of_requests_is_no_limit_of_the_context():
    with pytest.raises(BackendError, match="429") as refused:
        reply_of(Fixed(lambda _: (429, {"error": {"message": "maximum tokens per minute reached"}})))
    assert not isinstance(refused.value, ContextLimitError)


def test_a_server_that_names_the_length_otherwise_gets_it_so():
    def renamed(body):
        if "max_tokens" in body:
            return 400, {"error": {"message": "Unsupported parameter: use 'max_completion_tokens' instead."}}
        return 200, {"choices": [{"message": {"content": "ok"}}]}

    model = Fixed(renamed)
    assert reply_of(model, Sampling(temperature=0.5, top_p=0.9, max_tokens=7)).finish_reason == "stop"
    assert [model.bodies[-1][name] for name in ("max_completion_tokens", "temperature", "top_p")] == [7, 0.5, 0.9]


def test_a_server_that_takes_no_seed_is_asked_without_one_and_no_try_is_lost():
    def picky(body):
        for name, text in (("max_tokens", "use 'max_completion_tokens' instead"), ("seed", "Extra inputs: body.seed")):
            if name in body:
                return 400, {"error": {"message": text}}
        return 200, {"choices": [{"message": {"content": "ok"}}]}

    async def ask():
        model = Fixed(picky)
        chat = chat_model(model, "m", sampling=Sampling(max_tokens=7), retries=0)
        try:
            replies = await asyncio.gather(*(chat.reply([{"role": "user", "content": "q"}], seed=5) for _ in range(3)))
            before = len(model.bodies)
            replies.append(await chat.reply([{"role": "user", "content": "q"}], seed=5))
            return replies, model.bodies[before:]
        finally:
            await chat.close()

    replies, last = asyncio.run(ask())
    assert [(reply.message["content"], reply.retries) for reply in replies] == [("ok", 0)] * 4
    assert last == [{"model": "m", "messages": [{"role": "user", "content": "q"}], "max_completion_tokens": 7}]


def test_each_sample_of_a_task_has_a_seed_of_its_own_which_a_run_repeats(folder, tasks):
    def seeds(**options):
        model = Model(tasks)
        played(folder, tasks, "snippet_reader", k=2, model=model, concurrency=1, **options)
        return [body["seed"] for body in model.bodies]

    first = seeds()
    assert first[::2] == first[1::2]  # both replies of an episode
    assert len(set(first)) == 2 * len(tasks) == len(first) / 2
    assert all(0 <= seed < 2**31 for seed in first)
    assert seeds() == first
    assert not set(seeds(seed=1)) & set(first)


def test_a_refusal_of_tools_names_the_way_round():
    text = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    with pytest.raises(BackendError, match="--format hermes"):
        reply_of(Fixed(lambda _: (400, {"message": text})))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"choices": []},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": 3}}]},
        {"choices": [{"message": {"content": "", "tool_calls": ["x"]}}]},
        {"choices": [{"message": {"content": "", "tool_calls": 5}}]},
        {"choices": [{"message": {"content": "", "tool_calls": {"id": "1"}}}]},
        [],
    ],
)
def test_a_response_without_a_message_is_tried_again_and_then_an_error(body):
    model = Fixed(lambda _: (200, body))
    with pytest.raises(BackendError, match="without a message"):
        reply_of(model)
    assert len(model.bodies) == 3


def test_odd_messages_are_read_in_one_form():
    call = {"function": {"name": "web_search", "arguments": {"query": "\ud800"}}}
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b\ud800"}]
    reply = reply_of(Fixed(lambda _: (200, {"choices": [{"message": {"content": parts, "tool_calls": [call, call]}}]})))
    assert reply.message["content"] == "ab?"
    assert [call["id"] for call in reply.message["tool_calls"]] == ["call_2_0", "call_2_1"]
    assert reply.message["tool_calls"][0]["function"] == {"name": "web_search", "arguments": '{"query": "?"}'}
    assert reply.prompt_tokens > 0
    assert reply.completion_tokens > 0


def test_parts_of_an_unreadable_type_are_left_out():
    parts = [{"type": ["x"], "text": "a"}, {"type": "text", "text": "b"}]
    assert reply_of(Fixed(lambda _: (200, {"choices": [{"message": {"content": parts}}]}))).message["content"] == "b"


def test_the_older_form_of_a_call_is_read():
    message = {"content": None, "function_call": {"name": "web_search", "arguments": '{"query": "x"}'}}
    reply = reply_of(Fixed(lambda _: (200, {"choices": [{"message": message}]})))
    assert [call["function"]["name"] for call in reply.message["tool_calls"]] == ["web_search"]


@pytest.mark.parametrize("count", [10**30, True, -1, 1.5, "7"])
def test_a_count_of_tokens_that_can_not_be_is_estimated(count):
    body = {"choices": [{"message": {"content": "a table"}}], "usage": {"prompt_tokens": count}}
    estimate = reply_of(Fixed(lambda _: (200, body | {"usage": None}))).prompt_tokens
    assert reply_of(Fixed(lambda _: (200, body))).prompt_tokens == estimate > 1


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [('{"query": "\\ud800 x"}', '{"query": "? x"}'), ('{"query": "x", "page": NaN}', "{}"), ("[" * 5000, "{}")],
)
def test_arguments_that_no_server_reads_are_sent_back_as_such_that_it_does(arguments, sent):
    call = {"id": "1", "type": "function", "function": {"name": "web_search", "arguments": arguments}}
    model = Fixed(lambda _: (200, {"choices": [{"message": {"content": "", "tool_calls": [call]}}]}))

    async def asked_twice():
        chat = chat_model(model, "m")
        reply = await chat.reply([{"role": "user", "content": "?"}])
        await chat.reply([{"role": "user", "content": "?"}, reply.message])
        return reply.message["tool_calls"][0]["function"]["arguments"]

    assert asyncio.run(asked_twice()) == arguments
    assert model.bodies[-1]["messages"][-1]["tool_calls"][0]["function"]["arguments"] == sent


@pytest.mark.parametrize("status", [200, 400])
def test_what_a_server_says_of_its_error_can_be_saved(status):
    with pytest.raises(BackendError, match=r"bad \? thing"):
        reply_of(Fixed(lambda _: (status, {"error": {"message": "bad \ud800 thing"}})))


def test_a_reply_that_trickles_ends_at_the_deadline():
    class Trickle(httpx2.AsyncByteStream):
        async def __aiter__(self):
            while True:
                yield b" "
                await asyncio.sleep(0.01)

    async def asked():
        endpoint = Endpoint(URL, "m", deadline=0.1, retries=0)
        chat = ChatModel(endpoint, transport=httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Trickle())))
        try:
            await chat.reply([{"role": "user", "content": "?"}])
        finally:
            await chat.close()

    with pytest.raises(BackendError, match=r"gave no whole reply in 0\.1 seconds"):
        asyncio.run(asked())


def test_an_unknown_format_has_a_close_match():
    with pytest.raises(UsageError, match="Did you mean 'hermes'"):
        call_format("herms")


# ---- many at once, and their limits


def test_two_hundred_episodes_run_at_once(folder, tasks):
    barrier = threading.Barrier(200)

    def together(_body, _times):
        barrier.wait(timeout=60)

    model = Model(tasks, together)
    rows = []

    async def run(url):
        chat = ChatModel(Endpoint(url, "hallucinator", concurrency=200, retries=0))
        jobs, opened = jobs_of(tasks, 50), Environments(SeparateWorlds([folder]))
        try:
            await play_many(jobs, opened, chat, call_format("native"), concurrency=200, record=rows.append)
        finally:
            await chat.close()

    with serving(model) as url:
        asyncio.run(run(url))
    assert len({(row["task_id"], row["sample"]) for row in rows}) == len(rows) == 50 * len(tasks) == 200
    assert {row["finish"] for row in rows} == {"answered"}


def test_a_server_that_falls_silent_stops_the_run(folder, tasks):
    count = iter(range(10**6))

    def dies(_body, _times):
        return {"status": 500, "error": "gone"} if next(count) >= 3 else None

    rows, stopped = played(folder, tasks, "hallucinator", k=10, model=Model(tasks, dies), concurrency=1)
    assert [row["finish"] for row in rows].count("answered") == 3
    assert len(rows) == 3 + 8
    assert stopped == f"8 episodes in a row ended without a reply: {URL} answered 500: gone"


def test_spending_ends_before_the_reply_that_goes_beyond_it(folder, tasks):
    spending = Spending(prompt_price=1000.0, completion_price=2000.0, limit=0.5)
    chat = chat_model(Model(tasks), "hallucinator", spending=spending)
    rows, stopped = played(folder, tasks, "hallucinator", k=3, chat=chat, concurrency=1)
    assert [row["cost"] for row in rows] == [pytest.approx(0.12)] * 5
    assert stopped == "the replies have cost 0.6000, the limit is 0.5"
    with pytest.raises(SpendingLimitError):
        reply_of(Model(tasks), spending=Spending(limit=1.0, total=1.0))


def test_what_opening_a_world_raises_ends_the_run(tasks, tmp_path):
    with pytest.raises(UsageError, match=r"world\.json"):
        played(tmp_path, tasks, "perfect")


# ---- runs on disk


def test_a_run_goes_on_where_it_was(folder, tasks, tmp_path):
    rows, _ = played(folder, tasks, "hallucinator", k=2)
    settings = {"model": "m", "temperature": 0.5}
    with saved_run(tmp_path / "r", settings) as run:
        for row in rows[:5]:
            run.add(row)
        run.add(rows[5] | {"finish": "model_error"})
        run.add(rows[6] | {"finish": "tool_error"})
    path = tmp_path / "r" / "episodes.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"task_id": "half a li')
    with saved_run(tmp_path / "r", settings) as run:
        assert set(run.figures) == {(row["task_id"], row["sample"]) for row in rows[:5]}
        assert path.read_bytes() == b"".join(whole.splitlines(keepends=True)[:5])
        for row in rows[5:]:
            run.add(row)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert lines == json.loads(json.dumps(rows))
    begin = saved_run(tmp_path / "r", {"model": "m", "temperature": 0.7, "top_p": 1})
    with (
        pytest.raises(UsageError, match=r"temperature was 0\.5 and is 0\.7, top_p was None and is 1\. Name another"),
        begin,
    ):
        pass


def test_settings_may_change_as_long_as_nothing_was_played(folder, tasks, tmp_path):
    (row, *_), _ = played(folder, tasks, "hallucinator")
    for model in ("a", "b"):
        with saved_run(tmp_path, {"model": model}) as run:
            assert run.figures == {}
            run.add(row | {"finish": "model_error"})
    assert json.loads((tmp_path / "run.json").read_text()) == {"version": 1, "model": "b"}
    assert len((tmp_path / "episodes.jsonl").read_text().splitlines()) == 1


def test_files_that_are_no_run_are_refused(folder, tasks, tmp_path):
    save_jsonl(tmp_path / "a" / "episodes.jsonl", played(folder, tasks, "hallucinator")[0])
    with pytest.raises(UsageError, match=r"episodes\.jsonl and no run\.json"), saved_run(tmp_path / "a", {}):
        pass
    (tmp_path / "a" / "episodes.jsonl").write_text("{}\n")
    with pytest.raises(UsageError, match="line 1: no episode"), saved_run(tmp_path / "a", {}):
        pass
    with (
        saved_run(tmp_path / "b", {}),
        pytest.raises(UsageError, match="another process"),
        saved_run(tmp_path / "b", {}),
    ):
        pass


def command(folder, url, name, *more):
    return ["run", folder, "--agent", "openai", "--model", name, "--model-url", url, *map(str, more)]


def test_the_command_prints_one_line_per_episode_and_a_summary(folder, tasks, call):
    with serving(Model(tasks)) as url:
        out = call(*command(folder, url, "perfect", "-k", 2, "--json")).stdout
        text = call(*command(folder, url, "hallucinator", "-k", 2)).stdout
    *rows, summary = map(json.loads, out.splitlines())
    assert len({(row["task_id"], row["sample"]) for row in rows}) == len(rows) == 2 * len(tasks)
    assert all(row.keys() > CONTRACT and "messages" not in row for row in rows)
    assert {row["finish"] for row in rows} == {"answered"}
    assert summary["summary"]["avg"] == dict.fromkeys(SCORES, 1.0)
    assert summary["summary"]["pass"] == 1.0
    assert "Avg@2" in text
    assert sum(line.endswith("  answered ×2") for line in text.splitlines()) == len(tasks)
    line = next(line for line in text.splitlines() if line.startswith("Max@2"))
    assert line.split()[-6:] == ["1.000", "0.000", "1.000", "1.000", "0.000", "0.000"]


def test_a_model_that_never_answers_is_exit_1(folder, tasks, call):
    with serving(Model(tasks)) as url:
        result = call(*command(folder, url, "silent", "-k", 2, "--json", "--retries", 0), code=1)
        assert len([line for line in result.stdout.splitlines() if line.startswith("{")]) == 2 * len(tasks)
        assert "the model never answered" in result.output
        dead = call(*command(folder, url.replace("/v1", "/v2"), "perfect", "--json"), code=1)
    assert "never answered" in dead.output
    assert "often ends in /v1" in dead.output


def test_the_command_saves_resumes_and_refuses_other_settings(folder, tasks, tmp_path, call):
    model, out = Model(tasks), tmp_path / "run"
    prices = ("--input-price", 1000, "--output-price", 0)
    with serving(model) as url:
        first = command(folder, url, "hallucinator", "-k", 2, "--json", "--out", out, *prices, "--concurrency", 1)
        stopped = call(*first, "--max-cost", 0.25, code=1)
        assert "5 episodes left; run it again with --out" in stopped.output
        done = (out / "episodes.jsonl").read_text().splitlines()
        assert len(done) == 3
        result = call(*first)
        asked_twice = len(model.bodies) - 2 * len(tasks)
        again = call(*first)
        assert len(model.bodies) - 2 * len(tasks) == asked_twice == 0
        refused = call(*first, "--temperature", 0.3, code=2)
    lines = (out / "episodes.jsonl").read_text().splitlines()
    assert lines[:3] == done
    assert len({(row["task_id"], row["sample"]) for row in map(json.loads, lines)}) == len(lines) == 2 * len(tasks)
    assert result.stdout == again.stdout
    assert "temperature was None and is 0.3" in refused.output
    assert json.loads((out / "run.json").read_text())["model"] == "hallucinator"


def test_what_cut_off_episodes_cost_counts_for_the_limit_of_the_next_run(folder, tasks, tmp_path, call):
    model, out = Model(tasks), tmp_path / "run"
    with serving(model) as url:
        begun = command(folder, url, "perfect", "--json", "--out", out, "--concurrency", 1, "--input-price", 1000)
        replies = [len(task.certificate["calls"]) + 1 for task in tasks]
        limit = (replies[0] + 2) / 10  # in the middle of the second episode; a reply costs 0.1
        first = call(*begun, "--max-cost", limit - 0.05, code=1)
        assert len(model.bodies) == replies[0] + 2
        summary = json.loads(first.stdout.splitlines()[-1])["summary"]
        assert (summary["episodes"], summary["cost"]) == (1, pytest.approx(replies[0] / 10))
        assert summary["spent"] == pytest.approx(limit)
        call(*begun, "--max-cost", limit - 0.05, code=1)
        assert len(model.bodies) == replies[0] + 2
        last = json.loads(call(*begun, "--max-cost", 1000).stdout.splitlines()[-1])["summary"]
        text = call(*(part for part in begun if part != "--json")).stdout
    assert len(model.bodies) == sum(replies) + 2
    assert last["spent"] == pytest.approx(last["cost"] + 0.2) == pytest.approx(sum(replies) / 10 + 0.2)
    assert f"cost {last['cost']:.2f}; spent {last['spent']:.2f}, with episodes that were cut off" in text
    (out / "spending.json").write_text('{"total": "x"}')
    assert 'spending.json: not {"total": number}' in call(*begun, code=2).stderr


def test_the_example_of_the_readme_runs(folder, tasks, repository, capsys):
    text = (repository / "worldsmith/rollout/README.md").read_text(encoding="utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    with serving(Model(tasks)) as url:
        for old, new in (("w/town-e037c676f4", folder), ("http://127.0.0.1:8001/v1", url), ("qwen", "perfect")):
            assert str(old) in code
            code = code.replace(str(old), str(new))
        exec(compile(code, "README", "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.strip() == str(dict.fromkeys(SCORES, 1.0))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ("--agent", "oracle", "--model", "m", "-k", "2"),
            "--model, -k: only for --agent openai; leave out with --agent oracle",
        ),
        (("--agent", "openai"), "--agent openai needs the --model"),
        (("--agent", "openai", "--model", "m", "--max-cost", "1"), "--max-cost needs the prices"),
        (("--agent", "openai", "--model", "m", "--format", "hermse"), "Did you mean 'hermes'?"),
        (("--agent", "openai", "--model", "m", "--model-url", "x"), "give scheme and host"),
        (("--agent", "opnai"), "Did you mean 'openai'?"),
        (("--agent", "openai", "--model", "m", "--seed", str(2**63)), "is not in the range"),
        (("--agent", "openai", "--model", "m", "--max-tokens", "9" * 30), "is not in the range"),
        (("--agent", "openai", "--model", "m", "--max-turns", "9" * 30), "is not in the range"),
        (("--agent", "openai", "--model", "m", "-k", "9" * 30), "is not in the range"),
        (("--agent", "openai", "--model", "m", "--input-price", "1e308"), "is not in the range"),
    ],
)
def test_wrong_options_say_the_fix(folder, call, options, why):
    assert why in " ".join(call("run", folder, *options, code=2).output.split())


@pytest.mark.slow
def test_nothing_is_lost_or_doubled_when_a_run_is_killed(folder, tasks, tmp_path):
    out, pace = tmp_path / "run", threading.Lock()

    def slowly(_body, _times):
        with pace:
            time.sleep(0.01)

    with serving(Model(tasks, slowly)) as url:
        words = command(str(folder), url, "perfect", "-k", 6, "--out", str(out), "--concurrency", 8)
        for round_ in range(4):
            process = subprocess.Popen(
                [sys.executable, "-m", "worldsmith", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            wanted = 5 * (round_ + 1)
            while process.poll() is None and _lines(out) < wanted:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.wait()
            kept = _lines(out)
            assert wanted <= kept < 6 * len(tasks)
            if round_ == 2:  # what a crash may leave of a line
                with (out / "episodes.jsonl").open("ab") as file:
                    file.write(b'{"task_id": "x", "sam')
        done = subprocess.run([sys.executable, "-m", "worldsmith", *words], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in (out / "episodes.jsonl").read_bytes().splitlines()]
    keys = [(row["task_id"], row["sample"]) for row in rows]
    assert sorted(keys) == sorted((task.task_id, sample) for task in tasks for sample in range(6))
    assert {row["item_f1"] for row in rows} == {1.0}
    assert f"{6 * len(tasks)} episodes of {len(tasks)} tasks" in done.stdout


def _lines(out: Path) -> int:
    path = out / "episodes.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


# ---- against a server


@pytest.fixture(scope="module")
def served(town):
    app = TestClient(create_app([town]), base_url="http://host")

    def handle(request):
        reply = app.request(request.method, request.url.raw_path.decode(), content=request.content)
        return httpx2.Response(reply.status_code, content=reply.content, headers=dict(reply.headers))

    return SearchServer("http://host/", send=sent_by(handle))


@pytest.mark.parametrize("profile", ["clean", "adversarial", "flaky"])
def test_over_http_an_episode_is_the_same(folder, tasks, served, profile):
    here, _ = played(folder, tasks, "perfect", profile=profile, seed=3)
    there, _ = played(folder, tasks, "perfect", server=served, profile=profile, seed=3)
    # An archive copy, or a page that took another's address, has no page that its URL alone names.
    left_out = {"calls", "failures", "seconds"} if profile != "clean" else {"calls", "seconds"}
    for one, other in zip(here, there, strict=True):
        assert {n: v for n, v in one.items() if n not in left_out} == {
            n: v for n, v in other.items() if n not in left_out
        }
        assert [call["status"] for call in one["calls"]] == [call["status"] for call in other["calls"]]


def test_what_the_server_refuses_is_told_to_the_agent_or_ends_the_episode(town, served):
    engine, address = ServedSimulator(served, town.id), Address(town.id)
    assert engine.call(address, Call("web_extractor", "https://nowhere.example/x")) == Observation("not_found")
    wrong = engine.call(address, Call("web_search", ""))
    assert wrong.status == "invalid"
    assert "query" in wrong.text
    with pytest.raises(BackendError, match="404 there is no world"):
        ServedSimulator(served, "elsewhere").call(Address("elsewhere"), Call("web_search", "x"))


def test_a_server_that_is_not_there_is_a_tool_error(folder, tasks):
    attempts, waited = [], []

    def handle(request):
        attempts.append(request)
        return httpx2.Response(502, text="<html>bad gateway")

    server = SearchServer("http://host", send=sent_by(handle), sleep=waited.append)
    rows, _ = played(folder, tasks[:1], "perfect", server=server)
    assert (rows[0]["finish"], rows[0]["reward"], rows[0]["masked"]) == ("tool_error", 0.0, True)
    assert rows[0]["error"].startswith("http://host/w/")
    assert len(attempts) == len(waited) + 1 == 8


# ---- environments for trainers


def trio(town, tasks, simulator):
    environments = [Environment(town, task, simulator) for task in tasks[:3]]
    for environment in environments:
        environment.reset()
    return environments


def messages_of(tasks):
    calls = [task.certificate["calls"][0]["arg"] for task in tasks[:3]]
    return [
        {"tool_calls": [{"id": "1", "function": {"name": "web_search", "arguments": {"query": arg}}}]} for arg in calls
    ]


def test_many_steps_and_waiting_steps_are_single_steps(town, tasks, simulator):
    one_by_one = trio(town, tasks, simulator)
    single = [environment.step(message) for environment, message in zip(one_by_one, messages_of(tasks), strict=True)]
    many = trio(town, tasks, simulator)
    assert Environment.step_many(many, messages_of(tasks)) == single

    async def together(environments):
        steps = (
            environment.astep(message) for environment, message in zip(environments, messages_of(tasks), strict=True)
        )
        return await asyncio.gather(*steps)

    waiting = trio(town, tasks, simulator)
    assert asyncio.run(together(waiting)) == single
    answers = [task.table() for task in tasks[:3]]
    ends = [environment.step(answer) for environment, answer in zip(one_by_one, answers, strict=True)]
    assert Environment.step_many(many, answers) == ends
    assert all(step.done for step in ends)
    assert Environment.step_many([], []) == []


def test_many_steps_take_one_message_per_episode(town, tasks, simulator):
    environments = trio(town, tasks, simulator)
    with pytest.raises(UsageError, match="3 episodes and 2 messages"):
        Environment.step_many(environments, ["a", "b"])
    with pytest.raises(UsageError, match="twice"):
        Environment.step_many([environments[0], environments[0]], ["a", "b"])


def test_an_episode_over_http_is_pickled_without_its_connections(town, tasks):
    server = SearchServer("http://host", connections=3)
    environment = Environment(town, tasks[0], ServedSimulator(server, town.id))
    other = pickle.loads(pickle.dumps(environment))
    assert other.simulator.server.base_url == "http://host"
    assert other.reset() == environment.reset()


def test_a_cut_episode_is_over_and_masked_where_a_server_failed(town, tasks, simulator):
    environment = trio(town, tasks, simulator)[0]
    step = environment.cut(infrastructure_error=True)
    assert (step.done, step.truncated, step.reward.mask, step.reward.total) == (True, True, True, 0.0)
    with pytest.raises(UsageError, match="has ended"):
        environment.cut()


def test_every_policy_is_played():
    folder = Path(__file__).parent
    source = "".join((folder / name).read_text(encoding="utf-8") for name in ("test_rollout.py", "test_run_report.py"))
    assert not [name for name in POLICIES if f'"{name}"' not in source]
