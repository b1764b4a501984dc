"""The export for WideSeek-R1: rows that RLinf reads, and sub-agents that share a session and its evidence."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.frameworks.environments import framework_python, run_python
from tests.served_worlds import running_server
from worldsmith.errors import UsageError
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export
from worldsmith.world.files import read_jsonl

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "town-e037c676f4"
CHECKOUT = "WORLDSMITH_RLINF"
"""Names a checkout of RLinf's repository."""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("wideseek") / "out"
    export(SeparateWorlds([WORLD]), "wideseek", out)
    return out


@pytest.fixture(scope="module")
def wideseek(exported):
    """The adapter, with the kit beside it, which stays imported: its threads keep their connections."""
    sys.path.insert(0, str(exported))
    spec = importlib.util.spec_from_file_location("wideseek_under_test", exported / "wideseek.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(exported))


@pytest.fixture(scope="module")
def rehearsal(exported):
    return json.loads((exported / "worldsmith_kit" / "rehearsal.json").read_text())[0]


@pytest.fixture
def served(monkeypatch):
    with running_server([WORLD]) as base_url:
        monkeypatch.setenv("WORLDSMITH_BASE_URL", base_url)
        yield


def calling(name, arguments):
    call = {"id": "call00001", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def saying(text):
    return {"role": "assistant", "content": text}


def creating(*prompts):
    return calling("create_sub_agents", json.dumps({"sub_agents": [{"prompt": prompt} for prompt in prompts]}))


def scripted(row, main, **by_prompt):
    """A model that says these messages as the main agent, and others by the prompt of a sub-agent."""
    left = {name: iter(messages) for name, messages in {row["question"]: main, **by_prompt}.items()}
    return lambda messages, _tools: next(left[messages[1]["content"]])


def test_rows_are_those_that_rlinf_reads_beside_the_canonical_ones(exported):
    rows = [row for name in ("train", "test") for row in read_jsonl(exported / f"{name}.jsonl")]
    assert len(rows) == 5
    for row in rows:
        assert row["instance_id"] == row["task_id"]
        assert row["is_markdown"] is True
        assert row["answer"].startswith("```markdown\n| " + " | ".join(row["columns"]) + " |\n")
        assert row["unique_columns"] == (row["key_columns"] or row["columns"])
        cells = {str(cell) for cells in json.loads(row.pop("reference"))["rows"] for cell in cells}
        del row["answer"]
        long = {cell for cell in cells if len(cell) > 7 and cell not in row["question"]}
        assert not [cell for cell in long if cell in json.dumps(row, ensure_ascii=False)]


def test_the_selfcheck_passes_alone_and_names_a_missing_package(exported, tmp_path):
    code = "import sys, runpy; sys.path.insert(0, '.'); runpy.run_path('selfcheck.py', run_name='__main__')"
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, cwd=exported, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2
    done = subprocess.run(
        [*command, "--rlinf", str(tmp_path)], cwd=exported, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.split(":")[0]) == (3, "this check needs the package torch")


def rows_by_task(exported):
    return {row["task_id"]: row for name in ("train", "test") for row in read_jsonl(exported / f"{name}.jsonl")}


@pytest.mark.usefixtures("served")
def test_what_sub_agents_read_is_evidence_for_the_main_agents_table(exported, wideseek, rehearsal):
    row = rows_by_task(exported)[rehearsal["row"]["task_id"]]
    queries = [call["arguments"] for call in rehearsal["calls"] if call["tool"] == "web_search"]
    urls = [call["arguments"] for call in rehearsal["calls"] if call["tool"] == "web_extractor"]
    search = calling("search", json.dumps({"queries": queries[:4]}))
    access = f"<tool_call>\n{json.dumps({'name': 'access', 'arguments': {'urls': urls[:4]}})}\n</tool_call>"
    others = [calling("access", json.dumps({"urls": urls[i : i + 4]})) for i in range(4, len(urls), 4)]
    more = [calling("search", json.dumps({"queries": queries[i : i + 4]})) for i in range(4, len(queries), 4)]
    both = {"look": [search, *more, saying("Looked.")], "read": [saying(access), *others, saying("Read.")]}
    episode = wideseek.rollout(row, scripted(row, [creating("look", "read"), saying(row["answer"])], **both))
    assert episode["figures"]["score"] == 1.0
    assert (episode["figures"]["turns"], episode["figures"]["search_calls"]) == (2.0, len(queries))
    assert episode["figures"]["extract_calls"] == len(urls)
    assert episode["messages"][3]["content"] == "[sub-agent 1]\nLooked.\n\n[sub-agent 2]\nRead."
    assert [messages[1]["content"] for messages in episode["sub_agents"]] == ["look", "read"]
    assert episode["sub_agents"][1][3]["content"].startswith("# ")
    half = {"look": both["look"], "read": [saying("Nothing.")]}
    less = wideseek.rollout(row, scripted(row, [creating("look", "read"), saying(row["answer"])], **half))
    assert less["figures"]["score"] < 0.9
    assert less["figures"]["item_f1"] == 1.0


@pytest.mark.usefixtures("served")
def test_wrong_calls_are_answered_and_the_episode_goes_on(exported, wideseek, rehearsal):
    row = rows_by_task(exported)[rehearsal["row"]["task_id"]]
    main = [
        calling("create_sub_agents", "{"),
        calling("create_sub_agents", '{"sub_agents": []}'),
        calling("create_sub_agents", '{"sub_agents": [{"task": 1}, "one"]}'),
        calling("browse", "{}"),
        creating(*(f"p{number}" for number in range(12))),
        saying("I don't know."),
    ]
    wrong = [
        calling("search", '{"queries": [{"query": 17}]}'),
        calling("search", "["),
        calling("python", "{}"),
        saying("<think>Done.</think>One is enough."),
    ]
    script = {f"p{number}": [saying("")] for number in range(12)}
    episode = wideseek.rollout(row, scripted(row, main, one=wrong, **script))
    replies = [message["content"] for message in episode["messages"] if message["role"] == "tool"]
    assert replies[0] == 'Error: create_sub_agents needs "sub_agents", a list of {"prompt": text}, ten at most'
    assert replies[1] == replies[0]
    assert replies[2] == "[sub-agent 1]\nOne is enough."
    assert replies[3].startswith("Error: there is no tool 'browse'")
    assert replies[4].count("no answer") == 10
    assert len(episode["sub_agents"]) == 11
    errors = [message["content"] for message in episode["sub_agents"][0] if message["role"] == "tool"]
    assert [error.partition(":")[0] for error in errors] == ["Error"] * 3
    assert (episode["figures"]["turns"], episode["figures"]["score"]) == (6.0, 0.0)


@pytest.mark.usefixtures("served")
def test_turns_of_both_kinds_of_agents_have_a_limit(exported, wideseek, rehearsal):
    row = rows_by_task(exported)[rehearsal["row"]["task_id"]]
    endless = [calling("search", '{"queries": ["x"]}')] * 30
    episode = wideseek.rollout(row, scripted(row, [creating("a"), saying(row["answer"])], a=endless))
    assert episode["messages"][3]["content"] == "[sub-agent 1]\ndid not finish"
    assert sum(message["role"] == "assistant" for message in episode["sub_agents"][0]) == wideseek.SUB_TURNS
    main = [creating(f"p{number}") for number in range(20)]
    episode = wideseek.rollout(row, scripted(row, main, **{f"p{number}": [saying("")] for number in range(20)}))
    assert episode["figures"]["turns"] == wideseek.MAIN_TURNS
    assert episode["figures"]["truncated"] == 1.0
    assert len(episode["sub_agents"]) == wideseek.MAIN_TURNS - 1


def test_no_message_of_an_agent_is_an_error(exported, wideseek, rehearsal):
    row = rows_by_task(exported)[rehearsal["row"]["task_id"]]
    with pytest.raises(Exception, match="no message of an agent: int 17") as raised:
        wideseek.rollout(row, lambda _messages, _tools: 17)
    assert type(raised.value).__name__ == UsageError.__name__


@pytest.mark.frameworks
def test_rlinf_loads_the_rows_and_gives_gold_one(exported):
    python = framework_python("verl")
    if not (checkout := os.environ.get(CHECKOUT)):
        pytest.skip(f"{CHECKOUT} names no checkout of RLinf")
    printed = run_python(python, "selfcheck.py", "--rlinf", checkout, cwd=exported)
    assert printed.splitlines()[-1] == "RLinf: 5 rows, 0 faults"
