"""What exports copy for adapters: episodes and scores without the package, over HTTP, in process, and recorded."""

import asyncio
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
from worldsmith.episode import Call, ExportedTask, ServedTools, TaskRows, figures
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
        tools, queue = ServedTools(f"{base_url}/w/{WORLD}"), context.Queue()
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
