"""The environment and the reward that exports bring to TRL, without TRL: its calls of them are made here."""

import asyncio
import importlib
import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from worldsmith.episode.rehearsal import call_messages, table
from worldsmith.episode.tools import UNANSWERED
from worldsmith.errors import UsageError
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import CANARY, export

WORLD = Path(__file__).resolve().parent.parent / "worlds" / "town-e037c676f4"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("trl") / "out"
    export(SeparateWorlds([WORLD]), "trl", out)
    return out


@pytest.fixture(scope="module")
def adapter(exported):
    """The module that TRL is given, from the export itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(exported)
        yield importlib.import_module("worldsmith_trl")
    for name in [name for name in sys.modules if name.split(".")[0] in {"worldsmith_trl", "worldsmith_kit"}]:
        del sys.modules[name]


@pytest.fixture
def rehearsal(exported, monkeypatch):
    """A row with its calls, and its world opened in this process."""
    monkeypatch.setenv("WORLDSMITH_WORLDS", str(WORLD.parent))
    return json.loads((exported / "worldsmith_kit" / "rehearsal.json").read_text("utf-8"))[0]


def replies(environment, *calls):
    """Return the replies to the calls of one message, as TRL makes them: started together, then awaited."""

    async def gathered():
        return await asyncio.gather(*(getattr(environment, name)(**arguments) for name, arguments in calls))

    return asyncio.run(gathered())


def rollout(environment, row, *messages):
    """Play messages of the assistant as TRL does; return the completion."""
    environment.reset(**row)
    completion = []
    for message in messages:
        calls = [call["function"] for call in message.get("tool_calls", ())]
        known = [(call["name"], json.loads(call["arguments"])) for call in calls if hasattr(environment, call["name"])]
        texts = [*replies(environment, *known), *["{'error': 'not found'}"] * (len(calls) - len(known))]
        completion += [message, *({"role": "tool", "content": text} for text in texts)]
    return completion


def rewards(adapter, environment, completion, tokens=10):
    """Return the reward of a rollout, and what is logged of it."""
    logged = {}
    score = adapter.score_rewards(100)
    (reward,) = score([environment], [completion], [[0] * tokens], logged.__setitem__, task_id=["x"])
    return reward, {name.removeprefix("worldsmith/"): value for name, value in logged.items()}


def answer(adapter, row, rows=None):
    task = adapter.ExportedTask.from_row(row)
    return {"role": "assistant", "content": table(task, task.gold if rows is None else rows)}


def test_an_honest_rollout_earns_all_and_one_from_memory_nothing(adapter, rehearsal):
    row, environment = rehearsal["row"], adapter.WideSearch()
    honest = rollout(environment, row, *call_messages(rehearsal["calls"]), answer(adapter, row))
    reward, logged = rewards(adapter, environment, honest)
    assert (reward, logged["turns"], logged["success"]) == (1.0, len(rehearsal["calls"]) + 1, 1.0)
    # The same instance, as TRL uses it again.
    assert rewards(adapter, environment, rollout(environment, row, answer(adapter, row)))[0] == 0.0


def test_calls_of_one_message_are_one_turn_and_four_of_them_are_answered(adapter, rehearsal):
    row, environment = rehearsal["row"], adapter.WideSearch()
    (message,) = call_messages([{"tool": "web_search", "arguments": {"query": "one"}}])
    completion = rollout(environment, row, {**message, "tool_calls": message["tool_calls"] * 6}, message)
    assert [reply["content"] == UNANSWERED for reply in completion[1:7]] == [False] * 4 + [True] * 2
    _, logged = rewards(adapter, environment, [*completion, answer(adapter, row)])
    assert (logged["turns"], logged["search_calls"]) == (3, 5)


def test_arguments_that_fit_no_schema_are_answered_with_the_fix(adapter, rehearsal):
    environment = adapter.WideSearch()
    environment.reset(**rehearsal["row"])
    (reply,) = replies(environment, ("web_search", {"q": "bakery"}))
    assert reply.startswith("Error: web_search needs \"query\"; the call has 'q'")
    (reply,) = replies(environment, ("web_search", {"queries": ["a", "b"]}))
    assert reply.startswith('[1 of 2: web_search "a"]')


def test_messages_that_trl_answers_itself_count_as_turns(adapter, rehearsal):
    row, environment = {**rehearsal["row"], "max_turns": 3}, adapter.WideSearch()
    (unknown,) = call_messages([{"tool": "web_browse", "arguments": {}}])
    _, logged = rewards(adapter, environment, rollout(environment, row, unknown, unknown, answer(adapter, row)))
    assert (logged["turns"], logged["truncated"]) == (3, 0)
    _, logged = rewards(adapter, environment, rollout(environment, row, *[unknown] * 3, answer(adapter, row)))
    assert (logged["turns"], logged["truncated"]) == (3, 1)


def test_what_comes_after_the_last_turn_is_worth_nothing(adapter, rehearsal):
    row, environment = {**rehearsal["row"], "max_turns": 2}, adapter.WideSearch()
    calls = call_messages(rehearsal["calls"])
    completion = rollout(environment, row, *calls, answer(adapter, row))
    replied = [message["content"] for message in completion[3::2]]
    assert set(replied) == {"Error: all 2 turns are used up: the episode has ended"}
    reward, logged = rewards(adapter, environment, completion)
    assert (reward, logged["truncated"], logged["turns"]) == (0.0, 1.0, 2.0)


@pytest.mark.parametrize(
    ("last", "tokens", "cut"),
    [
        ({"content": "I don't know."}, 10, 0),
        ({"content": "I don't kn"}, 100, 1),
        ({"content": '<tool_call>\n{"name": "web_search", "argu'}, 10, 1),
        ({"content": "", "tool_calls": [{"function": {"name": "web_search", "arguments": {"query": "x"}}}]}, 10, 1),
        (None, 100, 1),
    ],
    ids=[
        "an answer",
        "the limit of tokens",
        "a call that can't be read",
        "no room for replies",
        "no room for a message",
    ],
)
def test_a_rollout_that_trl_ends_is_cut_off(adapter, rehearsal, last, tokens, cut):
    environment = adapter.WideSearch()
    completion = rollout(environment, rehearsal["row"], *call_messages(rehearsal["calls"][:1]))
    completion += [{"role": "assistant", **last}] if last else []
    reward, logged = rewards(adapter, environment, completion, tokens)
    assert (reward, logged["truncated"], logged["reward"]) == (0.0, cut, pytest.approx(-0.3 if cut else -0.2))


def test_a_rollout_that_no_server_answered_has_no_reward(adapter, rehearsal, monkeypatch):
    monkeypatch.delenv("WORLDSMITH_WORLDS")
    monkeypatch.setenv("WORLDSMITH_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setattr("worldsmith_kit.episode.search_server.TRIES", 1)
    environment = adapter.WideSearch()
    completion = rollout(environment, rehearsal["row"], *call_messages(rehearsal["calls"][:1]))
    reward, logged = rewards(adapter, environment, [*completion, answer(adapter, rehearsal["row"])])
    assert (reward, logged["env_error"]) == (None, 1.0)


def test_a_message_of_a_wrong_type_raises(adapter, rehearsal):
    environment = adapter.WideSearch()
    environment.reset(**rehearsal["row"])
    with pytest.raises(Exception, match="its content is no text: int 17") as raised:
        rewards(adapter, environment, [{"role": "assistant", "content": 17}])
    assert type(raised.value).__name__ == UsageError.__name__  # of the kit


def test_rows_hold_gold_in_one_field_and_the_limits_are_theirs(exported):
    relation = duckdb.sql(f"FROM '{exported}/train.parquet'")
    rows = [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
    assert len(rows) == 4
    for row in rows:
        gold = {str(value) for line in json.loads(row["reference"])["rows"] for value in line if isinstance(value, str)}
        rest = json.dumps({name: value for name, value in row.items() if name != "reference"})
        assert [value for value in gold if len(value) > 8 and value in rest and value not in row["question"]] == []
        assert row["canary"] == CANARY
    settings = dict(line.split("#")[0].split(": ", 1) for line in config_lines(exported))
    assert int(settings["max_tool_calling_iterations"]) == max(row["max_turns"] for row in rows)
    assert int(settings["max_completion_length"]) >= 1.5 * max(row["tool_tokens"] for row in rows)
    assert "@" not in (exported / "README.md").read_text("utf-8")


def config_lines(exported):
    return [line for line in (exported / "grpo.yaml").read_text("utf-8").splitlines() if not line.startswith("#")]


def test_the_selfcheck_names_a_package_that_is_missing(exported):
    code = f"import sys; sys.path.insert(0, {str(exported)!r}); import selfcheck"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "this check needs the package trl: pip install trl==1.16.0\n")
