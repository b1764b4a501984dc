"""What exports copy for adapters: episodes and scores without the package, over HTTP, in process, and recorded."""

import ast
import asyncio
import importlib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import worldsmith
from tests.served_worlds import running_server
from worldsmith.episode import (
    Call,
    ExportedTask,
    RecordingTools,
    SearchServer,
    ServedTools,
    TaskRows,
    answer_call,
    figures,
    open_tools,
    replayed_figures,
)
from worldsmith.episode.rehearsal import IDLE, call_messages, table
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export
from worldsmith.train.exports.kit import COPIED

WORLDS = Path(__file__).resolve().parent.parent / "worlds"
WORLD = "town-e037c676f4"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("kit") / "rollout"
    export(SeparateWorlds([WORLDS / WORLD]), "rollout", out)
    return out


RUN = """
import sys
sys.path.insert(0, sys.argv[1])
exec(compile(open(sys.argv[1] + "/selfcheck.py").read(), "selfcheck.py", "exec"))
"""


def check(folder):
    """Run the selfcheck of an export by a Python that has nothing installed."""
    command = [sys.executable, "-I", "-S", "-c", RUN, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_copy_equals_the_package(exported):
    package = Path(worldsmith.__file__).parent
    files = [file for name in COPIED for file in [package / name, *(package / name).rglob("*.py")] if file.is_file()]
    assert len(files) > 20
    for file in files:
        assert (exported / "worldsmith_kit" / file.relative_to(package)).read_bytes() == file.read_bytes()


def test_the_selfcheck_passes_without_any_package(exported):
    done = check(exported)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("worldsmith_kit/scoring/reward.py", "CELLS, ROWS, WHOLE = 0.7", "CELLS, ROWS, WHOLE = 0.6"),
        ("worldsmith_kit/episode/episode.py", "paid = with_evidence(result, evidence, disclosed)", "paid = result"),
        ("rollout.py", "step = episode.step(message)", "step = episode.step(str(message))"),
        ("worldsmith_kit/rehearsal.json", '"evidence":["', '"evidence":["x'),
    ],
)
def test_the_selfcheck_fails_where_something_was_changed(exported, tmp_path, file, before, after):
    copy = tmp_path / "copy"
    shutil.copytree(exported, copy)
    text = (copy / file).read_text()
    assert before in text
    (copy / file).write_text(text.replace(before, after))
    assert check(copy).returncode == 1


def test_episodes_are_the_same_in_process_and_over_http(exported, monkeypatch):
    recorded = json.loads((exported / "worldsmith_kit" / "rehearsal.json").read_text())[0]
    task = ExportedTask.from_row(recorded["row"])
    with running_server([WORLDS / WORLD]) as base_url:
        monkeypatch.setenv("WORLDSMITH_BASE_URL", base_url)
        served = played(task, recorded["calls"])
    monkeypatch.setenv("WORLDSMITH_WORLDS", str(WORLDS))
    assert played(task, recorded["calls"]) == served
    assert served[1]["score"] == 1.0


def played(task, calls):
    """Return replies and figures of an honest episode with a call that fails and one of a later page."""
    episode, texts = task.episode(), []
    episode.reset()
    calls = [
        *calls,
        IDLE,
        {"tool": "web_extractor", "arguments": {"url": "https://nowhere.example/"}},
        {"tool": "web_search", "arguments": {"query": "x", "page": 3}},
    ]
    texts += [episode.step(message).observation for message in call_messages(calls)]
    step = episode.step(table(task, task.gold))
    return texts, figures(step, episode)


@pytest.fixture
def rehearsal(exported, monkeypatch):
    monkeypatch.setenv("WORLDSMITH_WORLDS", str(WORLDS))
    recorded = json.loads((exported / "worldsmith_kit" / "rehearsal.json").read_text())[0]
    return ExportedTask.from_row(recorded["row"]), recorded["calls"]


@pytest.mark.parametrize("end", ["whole", "cut", "none"])
def test_a_transcript_is_worth_what_its_episode_was(rehearsal, end):
    task, calls = rehearsal
    episode, records = task.episode(), []
    episode.tools = RecordingTools(episode.tools, records)
    messages = [*call_messages([*calls, IDLE, IDLE, calls[0]])]
    for message in messages:
        episode.step(message)
    answer = {"role": "assistant", "content": table(task, task.gold)}
    step = episode.cut() if end == "none" else episode.cut(answer) if end == "cut" else episode.step(answer)
    transcript = messages if end == "none" else [*messages, answer]
    replayed = replayed_figures(task, transcript, json.loads(json.dumps(records)), cut=end == "cut")
    assert replayed == figures(step, episode)
    assert replayed["score"] == pytest.approx({"whole": 1.0, "cut": 0.9, "none": 0.0}[end], abs=0.05)
    assert [record["attempt"] for record in records[-3:]] == [0, 1, 1]


def test_a_transcript_earns_nothing_by_calls_that_were_not_made(rehearsal):
    task, calls = rehearsal
    transcript = [*call_messages(calls), {"role": "assistant", "content": table(task, task.gold)}]
    replayed = replayed_figures(task, transcript, [])
    assert (replayed["score"], replayed["item_f1"], replayed["turns"]) == (0.0, 1.0, len(calls) + 1)


def test_calls_that_a_framework_makes_alone_are_answered_and_counted_as_in_an_episode(rehearsal):
    task, calls = rehearsal
    records = []
    tools = RecordingTools(open_tools(task.base_url), records)

    def answered(name, arguments):
        return asyncio.run(answer_call(tools, name, arguments))

    episode = task.episode()
    for message, call in zip(call_messages(calls), calls, strict=True):
        assert answered(call["tool"], call["arguments"]) == episode.step(message).observation
    assert answered("web_serch", {}).startswith("Error: there is no tool 'web_serch'. Did you mean")
    assert answered("web_search", {"q": "x"}).startswith('Error: web_search needs "query"')
    assert len(records) == len(calls)
    answered(calls[0]["tool"], calls[0]["arguments"])
    assert [record["attempt"] for record in records if record["call"] == records[0]["call"]] == [0, 1]
    transcript = [*call_messages(calls), {"role": "assistant", "content": table(task, task.gold)}]
    assert replayed_figures(task, transcript, records)["score"] == 1.0


def test_replies_say_what_is_left_where_the_context_is_known(exported):
    row = json.loads((exported / "worldsmith_kit" / "rehearsal.json").read_text())[0]["row"]
    task = ExportedTask.from_row({**row, "context_tokens": 16_000, "max_turns": 9})
    episode = task.episode()
    episode.reset()
    os.environ.pop("WORLDSMITH_BASE_URL", None)
    step = episode.step('<tool_call>{"name": "web_browse", "arguments": {}}</tool_call>')
    assert step.messages[0]["content"].endswith(" tokens are left]")
    assert "[8 of 9 turns and about 15" in step.observation


def search_many(tools, words, replies):
    replies.put([asyncio.run(tools.acall(Call("web_search", word))).text for word in words])


@pytest.mark.filterwarnings("ignore:This process.*multi-threaded:DeprecationWarning")
def test_processes_that_are_forked_share_no_connection():
    words = [["bakery", "florist"] * 20, ["street", "keeper"] * 20, ["parish", "inspection"] * 20]
    context = multiprocessing.get_context("fork")
    with running_server([WORLDS / WORLD]) as base_url:
        tools, queue = ServedTools(SearchServer(base_url), WORLD), context.Queue()
        expected = {word: tools.call(Call("web_search", word)).text for some in words for word in some[:2]}
        search_many(tools, ["bakery"], queue)
        assert queue.get() == [expected["bakery"]]
        children = [context.Process(target=search_many, args=(tools, some, queue)) for some in words]
        for child in children:
            child.start()
        replies = [queue.get(timeout=60) for _ in children]
        for child in children:
            child.join()
    assert len({*expected.values()}) == 6
    assert sorted(replies) == sorted([expected[word] for word in some] for some in words)


def test_rows_of_a_file_are_read_by_their_place(exported):
    rows = TaskRows(exported / "train.jsonl")
    lines = (exported / "train.jsonl").read_text("utf-8").splitlines()
    assert [rows[i] for i in range(len(rows))] == [*rows] == [json.loads(line) for line in lines]
    assert rows[-1] == json.loads(lines[-1])
    with pytest.raises(IndexError):
        rows[len(lines)]


def test_an_export_of_tables_of_one_row_has_no_half_of_one(tmp_path):
    deep = [task for _, some in SeparateWorlds([WORLDS / WORLD]).tasks() for task in some if len(task.gold) == 1]
    export(
        SeparateWorlds([WORLDS / WORLD]), "rollout", tmp_path, test_share=0, curriculum=[one.task_id for one in deep]
    )
    done = check(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000; a wrong type is refused") == 2


def test_a_server_that_sends_failures_with_status_200_gives_the_same_replies(monkeypatch):
    call = Call("web_search", "bakery", k=3)
    addresses = [f"{WORLD};profile=flaky;seed={seed};session=a" for seed in range(30)]
    replies = []
    for failures_as_200 in (False, True):
        with running_server([WORLDS / WORLD], failures_as_200=failures_as_200) as base_url:
            server = SearchServer(base_url, sleep=lambda _: None)
            replies.append([ServedTools(server, address).call(call) for address in addresses])
            retried = [server.post(f"/w/{one}b/api/search", {"query": "x"}, lambda reply: reply.status == 200)
                       for one in addresses]  # fmt: skip
            assert max(reply.tries for reply in retried) > 1
    assert replies[0] == replies[1]
    assert {reply.fault for reply in replies[0]} == {True, False}


def test_a_server_with_a_key_is_answered_by_the_environments_or_not_at_all(exported, monkeypatch):
    call = Call("web_search", "bakery", k=3)
    monkeypatch.delenv("WORLDSMITH_API_KEY", raising=False)
    with running_server([WORLDS / WORLD], api_key="k3y") as base_url:
        tools = ServedTools(SearchServer(base_url, sleep=lambda _: pytest.fail("a key is not waited for")), WORLD)
        refused = tools.call(call)
        assert (refused.unavailable, refused.fault) == (True, False)
        assert "401" in refused.text
        assert "WORLDSMITH_API_KEY" in refused.text
        monkeypatch.setenv("WORLDSMITH_API_KEY", "k3y")
        assert tools.call(call).disclosed is not None
        missing = ServedTools(tools.server, "town-0").call(call)
        assert (missing.unavailable, missing.fault) == (True, False)


ADAPTERS = sorted((Path(worldsmith.__file__).parent / "train" / "exports" / "adapters").rglob("*.py"))


@pytest.mark.parametrize("file", ADAPTERS, ids=lambda file: "/".join(file.parts[-2:]))
def test_what_an_adapter_takes_of_the_kit_is_there(file):
    taken = [
        (f"worldsmith{node.module.rpartition('worldsmith_kit')[2]}", name.name)
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and "worldsmith_kit" in (node.module or "").split(".")
        for name in node.names
    ]
    assert [place for place in taken if not hasattr(importlib.import_module(place[0]), place[1])] == []
