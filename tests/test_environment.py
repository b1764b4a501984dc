"""Episodes: the oracle's calls earn 1, nothing else does, and no message breaks an episode."""

import copy
import itertools
import json
import multiprocessing
import pickle
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rollouts import played as rollout
from tests.rollouts import rest, searches
from tests.task_draws import candidates
from worldsmith import scoring
from worldsmith.agents import SimulatorClient, run
from worldsmith.episode.tools import MAX_CALLS, SYSTEM, TOOLS
from worldsmith.errors import UsageError
from worldsmith.mining.certificates import certify
from worldsmith.mining.pipeline import mine
from worldsmith.pages import Pages
from worldsmith.simulate.protocol import Address, Call, Observation, Result
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.store import Store
from worldsmith.simulate.traces import Traces
from worldsmith.tasks.task import markdown_table, values_table
from worldsmith.train.environment import Environment
from worldsmith.train.exports.sft import function_call
from worldsmith.train.failures import CLASSES, failures


@pytest.fixture(scope="module")
def played(town):
    simulator = Simulator(town, strict=True)
    task = next(itertools.islice(candidates(town, Pages(town), 5, "small"), 1))
    return town, simulator, task, run(task, town, "oracle", SimulatorClient(simulator))


def call(made):
    arguments = {"query": made["arg"]} if made["tool"] == "web_search" else {"url": made["arg"]}
    return f"<tool_call>\n{json.dumps({'name': made['tool'], 'arguments': arguments})}\n</tool_call>"


def test_the_way_of_the_oracle_earns_one(played):
    world, simulator, task, episode = played
    environment = Environment(world, task, simulator, hits=10, max_turns=200)
    messages = environment.reset()
    assert [m["role"] for m in messages] == ["system", "user"]
    assert messages[0]["content"] == SYSTEM
    assert messages[1]["content"] == task.question
    for made in episode.calls:
        step = environment.step(call(made))
        assert not step.done
        assert step.observation
        assert not step.observation.startswith("Error")
    step = environment.step(episode.answer)
    assert step.done
    assert step.score.success
    assert step.reward.total == 1.0
    cells = len(task.gold) * len(task.others)
    assert failures(task, step.score, environment.observations) == dict.fromkeys(CLASSES, 0) | {"right": cells}
    with pytest.raises(UsageError, match="has ended"):
        environment.step("again")
    assert environment.reset() == messages
    assert environment.turns == 0


def test_gold_without_a_call_earns_nothing_and_counts_as_invented(played):
    world, simulator, task, _ = played
    environment = Environment(world, task, simulator)
    environment.reset()
    gold = [list(row) for row in task.gold]
    step = environment.step(values_table(task.columns, gold))
    assert step.score.success
    assert step.reward.total == 0.0
    cells = len(task.gold) * len(task.others)
    assert failures(task, step.score, []) == dict.fromkeys(CLASSES, 0) | {"right_unread": cells}
    other = [list(row) for row in task.gold]
    j = task.others[0]
    for i, row in enumerate(other):
        row[j] = task.gold[(i + 1) % len(other)][j]
    environment.reset()
    step = environment.step(values_table(task.columns, other))
    counted = failures(task, step.score, [])
    assert counted["invented"] == sum(a[j] != b[j] for a, b in zip(other, task.gold, strict=True)) > 0


def test_a_page_that_is_not_there_is_no_evidence(played):
    world, simulator, task, episode = played
    nowhere = call({"tool": "web_extractor", "arg": "https://nowhere.example/x"})
    none = next(t for t in candidates(world, Pages(world), 5, "small", empty=True) if not t.gold)
    for known, calls in (
        (task, episode.calls),
        (none, run(none, world, "oracle", SimulatorClient(simulator)).calls),
    ):
        environment, answer = Environment(world, known, simulator, max_turns=200, budget=200, hits=10), known.table()
        environment.reset()
        assert environment.step(nowhere).observation.startswith("Error")
        step = environment.step(answer)
        assert (step.score.success, step.reward.total) == (True, 0.0)
        environment.reset()
        environment.step(call(next(made for made in calls if made["tool"] == "web_extractor")))
        assert environment.step(answer).reward.total < 1.0
        environment.reset()
        for made in calls:
            environment.step(call(made))
        assert environment.step(answer).reward.total == 1.0
    environment.reset()
    environment.step(call(next(made for made in episode.calls if made["tool"] == "web_extractor")))
    assert environment.cut().reward.total == pytest.approx(-0.3)


def test_a_value_counts_as_seen_where_one_hit_names_its_row_and_states_it(played):
    _, _, task, _ = played
    j = task.others[0]
    known = replace(task, gold=(task.gold[0],))
    name, value = (scoring.show(task.gold[0][i], task.columns[i]) for i in (task.keys[0], j))
    answer = scoring.score(values_table(task.columns, [list(task.gold[0])]), task.columns, known.gold)

    def unread(*snippets: str) -> int:
        hits = tuple(
            Result(f"https://a.example/{i}", "Entry", snippet, None, 0.5) for i, snippet in enumerate(snippets)
        )
        return failures(known, answer, [Observation("ok", results=hits)])["right_unread"]

    cells = len(task.others)
    assert unread(f"{name}: {value}.") == cells - 1
    assert unread(f"{name}: x{value}x.") == cells
    assert unread(f"{name} and others.", f"Another one: {value}.") == cells
    assert unread(f"{name}.") == cells


def test_classes_of_failure(played):
    world, simulator, task, episode = played
    cells = len(task.gold) * len(task.others)
    environment = Environment(world, task, simulator, hits=10, max_turns=200)
    environment.reset()
    empty = environment.step("I found nothing.")
    assert failures(task, empty.score, environment.observations)["not_finished"] == cells
    environment.reset()
    for made in episode.calls:
        environment.step(call(made))
    one = environment.step(values_table(task.columns, [task.gold[0]]))
    counted = failures(task, one.score, environment.observations)
    assert counted["right"] == len(task.others)
    assert counted["not_reported"] == cells - len(task.others)
    first = [scoring.show(value, column) for value, column in zip(task.gold[0], task.columns, strict=True)]
    otherwise = [cell if j in task.keys else "never" for j, cell in enumerate(first)]
    for rows, outcome in (([first, otherwise], "surplus_rows"), ([otherwise, first], "reported_wrong")):
        answer = scoring.score(markdown_table(task.columns, rows), task.columns, task.gold)
        counted = failures(task, answer, environment.observations)
        assert (counted[outcome], counted["right"]) == (len(task.others), 0)
    environment.reset()
    nothing = environment.step(values_table(task.columns, [["nobody"] * len(task.columns)]))
    assert failures(task, nothing.score, environment.observations)["never_retrieved"] == cells


def test_a_limit_of_turns_cuts_off(played):
    world, simulator, task, episode = played
    environment = Environment(world, task, simulator, max_turns=2)
    environment.reset()
    assert not environment.step(call(episode.calls[0])).done
    step = environment.step(call(episode.calls[0]))
    assert step.done
    assert step.reward.terms["truncated"] < 0
    environment.reset()
    assert environment.cut().done


def test_calls_beyond_the_typical_number_cost(played):
    world, simulator, task, episode = played
    typical = replace(task, certificate={"typical_turns": len(episode.calls) + 1})
    environment = Environment(world, typical, simulator, hits=10, max_turns=400)

    def earned(*more: dict) -> dict:
        environment.reset()
        for made in (*episode.calls, *more):
            environment.step(call(made))
        return environment.step(episode.answer).reward

    assert earned().total == 1.0
    circles = [episode.calls[0]] * len(episode.calls)
    assert earned(*circles).terms["cost"] == pytest.approx(-0.1 * len(circles) / (len(episode.calls) + 1))
    environment.budget = 400
    assert earned(*circles).total == 1.0


def test_retries_after_declared_faults_cost_nothing(played):
    world, simulator, task, episode = played
    typical = replace(task, certificate={"typical_turns": len(episode.calls) + 1})
    environment = Environment(world, typical, simulator, profile="flaky", seed=4, hits=10, max_turns=400)
    environment.reset()
    for made in episode.calls:
        while environment.step(call(made)).observation.startswith("Error"):
            pass
    assert environment.turns > len(episode.calls)
    assert environment.step(episode.answer).reward.total == 1.0


def test_what_the_tools_could_not_answer_masks_the_episode(played, monkeypatch):
    world, simulator, task, episode = played
    environment = Environment(world, task, simulator)
    environment.reset()
    answered = environment.simulator.call
    monkeypatch.setattr(simulator, "call", lambda *_: Observation("unavailable"))
    assert environment.step(call(episode.calls[0])).observation.startswith("Error")
    assert environment.step(episode.answer).reward.mask
    environment.reset()
    environment.step(call(episode.calls[0]))
    monkeypatch.setattr(simulator, "call", answered)
    environment.step(call(episode.calls[0]))
    assert not environment.step("I give up.").reward.mask, "one dead page is no way out"


def test_lone_surrogates_end_no_episode(played, tmp_path):
    world, simulator, task, _ = played
    environment = Environment(world, task, simulator, traces=Traces(tmp_path))
    environment.reset()
    made = {"name": "web_search", "arguments": {"query": "\ud800 shop"}}
    assert not environment.step(f"<tool_call>{json.dumps(made)}</tool_call>").done
    assert environment.step("none \ud800").done


@pytest.mark.parametrize(
    ("argument", "kept"),
    [
        ({"z": "\ud800"}, {"z": "?"}),
        ({"\udc00": 1}, {"?": 1}),
        ({7: None}, {"7": None}),
        ({"z": 10**30}, {"z": str(10**30)}),
        ({"z": b"\xff"}, {"z": "b'\\xff'"}),
        ({"z": [True, -1, 0.5, "\ud83d"]}, {"z": [True, -1, 0.5, "?"]}),
    ],
)
def test_whatever_a_native_call_holds_is_traced(played, tmp_path, argument, kept):
    world, simulator, task, _ = played
    environment = Environment(world, task, simulator, traces=Traces(tmp_path))
    environment.reset()
    made = {"function": {"name": "web_search", "arguments": {"query": "shop", **argument}}}
    assert not environment.step({"role": "assistant", "content": None, "tool_calls": [made]}).done
    (file,) = tmp_path.iterdir()
    messages = [json.loads(line) for line in file.read_text().splitlines()]
    calls = next(m["tool_calls"] for m in messages if "tool_calls" in m)
    assert calls == [{"function": {"name": "web_search", "arguments": {"query": "shop", **kept}}}]


def test_a_native_call_of_many_levels_is_traced_to_a_depth(played, tmp_path):
    world, simulator, task, _ = played
    environment = Environment(world, task, simulator, traces=Traces(tmp_path))
    environment.reset()
    deep = {}
    for _ in range(5000):
        deep = {"a": deep}
    made = {"function": {"name": "web_search", "arguments": {"query": "shop", "z": deep}}}
    assert not environment.step({"role": "assistant", "content": None, "tool_calls": [made]}).done
    (file,) = tmp_path.iterdir()
    assert '{"a":"…"}' in file.read_text()


def test_a_page_turned_past_its_end_tells_nothing(played):
    world, simulator, task, episode = played
    environment = Environment(world, task, simulator, hits=10, max_turns=200)
    environment.reset()
    for made in episode.calls:
        if made["tool"] == "web_extractor":
            beyond = {"name": "web_extractor", "arguments": {"url": made["arg"], "offset": 10**6}}
            environment.step(f"<tool_call>{json.dumps(beyond)}</tool_call>")
    step = environment.step(episode.answer)
    assert failures(task, step.score, environment.observations)["right_unread"] == len(task.gold) * len(task.others)


def test_a_fault_passes_at_another_attempt(played):
    world, simulator, task, episode = played
    environment = Environment(world, task, simulator, profile="adversarial", seed=4, max_turns=200)
    environment.reset()
    made = call(episode.calls[0])
    seen = [environment.step(made).observation for _ in range(3)]
    assert not seen[2].startswith("Error")


@pytest.mark.parametrize(
    "body",
    ["", "{", "[]", "null", '{"name": "web_search"}', '{"name": "web_search", "arguments": {"query": 3}}',
     '{"name": "web_extractor", "arguments": {"url": null}}', '{"name": "x", "arguments": {}}', "[" * 100_000,
     '{"name": "web_search", "arguments": {"query": "a", "page": 1e999}}',
     '{"name": "web_search", "arguments": {"query": "a", "page": Infinity}}'],
)  # fmt: skip
def test_a_wrong_call_is_told_what_is_right(played, body):
    world, simulator, task, _ = played
    environment = Environment(world, task, simulator)
    environment.reset()
    step = environment.step(f"<tool_call>{body}</tool_call>")
    assert not step.done
    assert step.observation.startswith("Error: ")
    assert "web_search" in step.observation


@settings(max_examples=60, deadline=None)
@given(st.text() | st.text().map(lambda t: f"<tool_call>{t}</tool_call>"))
def test_any_message_has_an_answer(played, message):
    world, simulator, task, _ = played
    environment = Environment(world, task, simulator)
    environment.reset()
    step = environment.step(message)
    assert step.done == ("<tool_call>" not in message)


def test_a_task_of_another_world_is_refused(played, smartphones):
    world, simulator, task, _ = played
    with pytest.raises(UsageError, match=f"is of the world {world.id}, not of {smartphones.id}"):
        Environment(smartphones, task, simulator)
    with pytest.raises(UsageError, match="is not of this state"):
        Environment(world, replace(task, world_digest="0" * 64), simulator)


# ---- messages of the agent


TABLE = "| A | B |\n| --- | --- |\n| x | y |"


def written(query, **more):
    return f"<tool_call>{json.dumps({'name': 'web_search', 'arguments': {'query': query, **more}})}</tool_call>"


def native(*calls):
    made = [
        {"id": f"call{i:05}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for i, (name, arguments) in enumerate(calls, 1)
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


@pytest.fixture
def begun(played):
    world, simulator, task, _ = played
    environment = Environment(world, task, simulator)
    environment.reset()
    return environment


@pytest.mark.parametrize(
    "reasoning",
    [
        "<think>no <tool_call> needed</think>",
        f"<think>{written('no')}</think>",
        f"{written('no')}</think>",
        f"<thinking>{written('no')}</thinking>",
        f"<reasoning>{written('no')}</reasoning>",
        f"[THINK]{written('no')}[/THINK]",
        f"<|channel|>analysis<|message|>{written('no')}<|end|><|start|>assistant<|channel|>final<|message|>",
        f"analysis{written('no')}assistantfinal",
        f"<think><search>no</search>{TABLE}</think>",
    ],
)
def test_reasoning_is_searched_for_no_calls_and_no_answers(played, begun, reasoning):
    task = played[2]
    assert begun.step(reasoning + written("real")).observation
    assert [call.arg for call in begun.calls] == ["real"]
    step = begun.step(reasoning + "\n" + task.table())
    assert step.done
    assert step.score.success
    assert [call.arg for call in begun.calls] == ["real"]


@pytest.mark.parametrize("mark", ["<think>", "<thinking>", "[THINK]", "<|channel|>analysis<|message|>", "analysis"])
def test_reasoning_that_never_ends_holds_no_call_and_no_answer(played, begun, mark):
    step = begun.step(f"{mark}I look. {written('no')}\n{played[2].table()}")
    assert (step.done, step.score.has_table, begun.calls) == (True, False, [])


def test_reasoning_beside_the_content_is_not_read(played, begun):
    message = {
        "role": "assistant",
        "content": played[2].table(),
        "reasoning_content": written("no"),
        "tool_calls": None,
    }
    step = begun.step(message)
    assert (step.done, step.score.success, begun.calls) == (True, True, [])


def test_several_calls_of_a_message_are_answered_in_order(played, begun):
    names = ["street", "resident", "shop"]
    step = begun.step("First.\n" + "\n".join(map(written, names)) + "\nThen I go on.")
    assert [call.arg for call in begun.calls] == names
    assert begun.turns == 1
    alone = [Environment(begun.world, begun.task, begun.simulator) for _ in names]
    for environment in alone:
        environment.reset()
    replies = [environment.step(written(name)).observation for environment, name in zip(alone, names, strict=True)]
    heads = [f'[{i} of 3: web_search "{name}"]' for i, name in enumerate(names, 1)]
    assert step.observation == "\n\n".join(f"{h}\n{r}" for h, r in zip(heads, replies, strict=True))
    assert step.messages == [{"role": "tool", "content": r, "name": "web_search"} for r in replies]


def test_calls_beyond_the_bound_are_told_so(begun):
    step = begun.step("".join(written(f"q{i}") for i in range(1000)))
    assert len(begun.calls) == MAX_CALLS == 4
    assert step.observation.endswith("[5 of 5: 996 more]\nError: not answered: 4 calls at most in one message")
    step = begun.step(native(*[("web_search", {"query": f"q{i}"}) for i in range(6)]))
    assert len(begun.calls) == 2 * MAX_CALLS
    assert [m["tool_call_id"] for m in step.messages] == [f"call{i:05}" for i in range(1, 7)]
    assert [m["content"].startswith("Error: not answered: 4 calls") for m in step.messages] == [False] * 4 + [True] * 2
    step = begun.step(written(["a", "b", "c", "d", "e", "f"]))
    assert len(begun.calls) == 3 * MAX_CALLS
    assert step.observation.count(" of 5: ") == 5
    assert "[5 of 5: 2 more]\nError: not answered" in step.observation


def test_a_wrong_call_among_several_leaves_the_others(begun):
    step = begun.step(native(("web_serch", {"query": "a"}), ("web_search", '{"query": "shop"}')))
    assert [call.arg for call in begun.calls] == ["shop"]
    assert step.messages[0]["content"].startswith("Error: there is no tool 'web_serch'. Did you mean 'web_search'?")
    assert not step.messages[1]["content"].startswith("Error")


@pytest.mark.parametrize(
    "message",
    [
        native(("web_search", '{"query": "shop"}')),
        native(("web_search", {"query": "shop"})),
        {"role": "assistant", "content": "", "function_call": {"name": "web_search", "arguments": '{"query": "shop"}'}},
        {"role": "assistant", "content": [{"type": "text", "text": written("shop")}]},
        {"content": [{"type": "thinking", "thinking": written("no")}, {"type": "text", "text": written("shop")}]},
        {"role": "assistant", "content": written("shop"), "tool_calls": []},
        {**native(("web_search", {"query": "shop"})), "content": written("ignored")},
    ],
)
def test_messages_of_chat_apis_are_taken(begun, message):
    class Sdk:
        def model_dump(self):
            return message

    first = begun.step(message)
    assert begun.step(Sdk()).observation == first.observation
    assert [call.arg for call in begun.calls] == ["shop", "shop"]
    assert first.messages[0]["role"] == "tool"
    assert first.messages[0].get("tool_call_id") == (message.get("tool_calls") or [{}])[0].get("id")


def test_a_message_without_content_ends_the_episode(begun):
    step = begun.step({"role": "assistant", "content": None})
    assert (step.done, step.score.has_table) == (True, False)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (None, "NoneType None"),
        (b"x", "bytes"),
        (3, "int 3"),
        ([{"role": "assistant", "content": "x"}], "list"),
        ({"role": "user", "content": "x"}, "its role is 'user'"),
        ({"content": 3}, "content is no text: int 3"),
        ({"choices": [{"message": {}}]}, "dict"),
        ({"role": "assistant", "tool_calls": "x"}, "no list of calls: str 'x'"),
        ({"role": "assistant", "content": "", "tool_calls": [3]}, "no list of calls: list"),
        ({}, "dict {}"),
    ],
)
def test_what_is_no_message_is_refused_with_the_form(begun, message, why):
    with pytest.raises(UsageError, match=re.escape(why)) as caught:
        begun.step(message)
    assert '{"role": "assistant", "content": text' in str(caught.value)
    assert begun.turns == 0


GOOD = {"name": "web_search", "arguments": {"query": "shop"}}


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "web_search", "arguments": {"query": "shop", "page": null}}',
        json.dumps(json.dumps(GOOD)),
        json.dumps({**GOOD, "arguments": json.dumps(GOOD["arguments"])}),
        '{"name": "web_search", "arguments": {"query": "shop",},}',
        "{'name': 'web_search', 'arguments': {'query': 'shop', 'page': None}}",
        f"```json\n{json.dumps(GOOD)}\n```",
        '{"name": "web_search", "arguments": {"query": "shop"}',
        '{"name": "web_search", "arguments": {"query": "shop"',
        '{"name": "web_search", "parameters": {"query": "shop"}}',
        '{"name": "web_search", "query": "shop"}',
        '{"name": "web_search", "arguments": {"query": ["shop"]}}',
        '{"name": "web_search", "arguments": {"queries": ["shop"]}}',
        '{"name": "functions.web_search", "arguments": {"query": "shop", "page": "1"}}',
        json.dumps([GOOD]),
        '{"name": "web_search", "arguments": [{"query": "shop"}]}',
        '{"name": "web_search", "arguments": {query: "shop"}}',
        json.dumps({"type": "function", "function": GOOD}),
        '{"name": "web_search", "arguments": {"query": "[\\"shop\\"]"}}',
        "\n<function=web_search>\n<parameter=query>\nshop\n</parameter>\n</function>\n",
        "web_search\n<arg_key>query</arg_key>\n<arg_value>shop</arg_value>\n",
        'web_search\n{"query": "shop"}',
    ],
)
def test_a_call_spelled_otherwise_is_the_same_call(begun, body):
    begun.step(f"<tool_call>{body}</tool_call>")
    assert begun.calls == [Call("web_search", "shop", 1, 5)]


@pytest.mark.parametrize(
    "message",
    [
        "<search>shop</search>",
        "<think>x</think>\n<search> shop </search>",
        json.dumps(GOOD),
        f"```json\n{json.dumps(GOOD)}\n```",
        f"<|python_tag|>{json.dumps(GOOD)}<|eom_id|>",
        f"[TOOL_CALLS][{json.dumps(GOOD)}]</s>",
        f"<tool_call>{json.dumps(GOOD)}",
        '[TOOL_CALLS]web_search[CALL_ID]call00001[ARGS]{"query": "shop"}</s>',
        f"<tool_calls>[{json.dumps(GOOD)}]</tool_calls>",
        '<|channel|>commentary to=functions.web_search <|constrain|>json<|message|>{"query": "shop"}<|call|>',
        'analysisWe look.assistantcommentary to=functions.web_search json{"query": "shop"}',
        '<|tool_call_begin|>functions.web_search:0<|tool_call_argument_begin|>{"query": "shop"}<|tool_call_end|>',
        '<｜tool▁call▁begin｜>function<｜tool▁sep｜>web_search\n```json\n{"query": "shop"}\n```<｜tool▁call▁end｜>',
        '<｜tool▁call▁begin｜>web_search<｜tool▁sep｜>{"query": "shop"}<｜tool▁call▁end｜>',
        '<minimax:tool_call>\n<invoke name="web_search">\n<parameter name="query">shop</parameter>\n'
        "</invoke>\n</minimax:tool_call>",
        '<｜DSML｜invoke name="web_search">\n<｜DSML｜parameter name="query" string="true">shop</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>",
        '<|tool_call>call:web_search{query:<|"|>shop<|"|>}<tool_call|>',
        '<function=web_search>{"query": "shop"}</function>',
        'Thought: look\nAction: web_search\nAction Input: {"query": "shop"}\n',
        "Action: web_search\nAction Input: shop\nObservation:",
        f"I look first.\n```json\n{json.dumps(GOOD)}\n```\nThen I read on.",
        f"```\n{json.dumps(GOOD)}\n```\n```json\n{{'tool': 'none'}}\n```",
    ],
)
def test_calls_are_read_in_the_formats_of_other_models(begun, message):
    assert not begun.step(message).done
    assert begun.calls == [Call("web_search", "shop", 1, 5)]


def test_several_urls_of_a_call_are_read(played, begun):
    urls = [made["arg"] for made in played[3].calls if made["tool"] == "web_extractor"][:2]
    call_made = {"name": "web_extractor", "arguments": {"urls": urls, "offset": None}}
    step = begun.step(f"<tool_call>{json.dumps(call_made)}</tool_call>")
    assert [(call.arg, call.offset) for call in begun.calls] == [(url, 0) for url in urls]
    assert len(step.messages) == 1
    assert step.messages[0]["content"] == step.observation


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (
            '{"name": "web_serch", "arguments": {"query": "a"}}',
            "there is no tool 'web_serch'. Did you mean 'web_search'?",
        ),
        ('{"name": "web_search", "arguments": {"q": "a"}}', "web_search needs \"query\"; the call has 'q'"),
        ('{"name": "web_search", "arguments": {"query": null}}', 'web_search needs "query"; the call has nothing'),
        ('{"name": "web_search", "arguments": {"query": "a', "invalid JSON at character 46: Unterminated string"),
        ('{"name": "web_search" "arguments": {}}', "invalid JSON at character 22: Expecting ',' delimiter"),
        ('{"name": "web_search", "arguments": {"query": 3}}', '"query" of web_search is 3, no text'),
        ('{"name": "web_search", "arguments": {"query": ["a", 3]}}', '"query" of web_search is ["a", 3], no text'),
        (
            '{"name": "web_search", "arguments": {"query": "a", "page": "two"}}',
            '"page" of web_search is "two"; it is a whole',
        ),
        (
            '{"name": "web_search", "arguments": {"query": "a", "page": true}}',
            '"page" of web_search is true; it is a whole',
        ),
        ('{"name": "web_search", "arguments": "a"}', "invalid JSON at character 0"),
        ('{"name": "web_search", "arguments": 3}', "the arguments of web_search are 3, no object"),
        ('{"arguments": {"query": "a"}}', 'the call has no "name"'),
        ("", "invalid JSON at character 0"),
        ('{"name": "web_extractor", "arguments": {"query": "a"}}', "web_extractor needs \"url\"; the call has 'query'"),
    ],
)
def test_a_wrong_call_is_told_its_very_fault(begun, body, fault):
    step = begun.step(f"<tool_call>{body}</tool_call>")
    assert step.observation.startswith(f"Error: {fault}")
    assert begun.calls == []


@pytest.mark.parametrize(
    "part", ["\n", "<think>", "<tool_call>", "[TOOL_CALLS]", "{", "Action: ", "to=functions.a ", "```"]
)
def test_a_message_of_many_marks_has_an_answer(begun, part):
    step = begun.step(part * 20_000)
    assert step.done == (part not in {"<tool_call>", "[TOOL_CALLS]"})


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "web_search", "arguments": {"query": "Of it. %s So"}}</tool_call><tool_call>'
        '{"name": "web_search", "arguments": {"query": "x"}}',
        '{"name": "Of it. %s So", "arguments": {}}',
        '{"name": Of it. %s So',
        '{"name": "web_extractor", "arguments": {"Of it. %s So": 1}}',
        '{"name": "web_search", "arguments": {"query": {"Of it. %s So": 1}}}',
        '{"name": "web_search", "arguments": "Of it. %s So"}',
        '{"name": "web_extractor", "arguments": {"url": "Of it. %s So"}}',
        '{"name": "web_search", "arguments": {"query": "x", "page": "Of it. %s So"}}',
    ],
)
def test_what_a_reply_quotes_of_a_call_is_no_evidence(begun, body):
    sentence = "Ash House has 40 lamps."
    known = scoring.Evidence((), statements={"lamps": (scoring.evidence.statement_hash("Ash House", sentence),)})
    reply = begun.step(f"<tool_call>{body % sentence}</tool_call>").observation
    assert known.disclosed_by(["# Ash House\n", reply]) == frozenset()
    assert known.disclosed_by(["# Ash House\n", reply, sentence]) == {"lamps"}


def test_an_answer_in_json_is_no_call(begun):
    assert begun.step('```json\n[{"name": "Blue Lamp", "arguments": "x"}]\n```').done


@pytest.mark.parametrize(
    "block", ['{"name": "Blue Lamp", "arguments": "x"}', '{"Shop": "web_search"}', "| Shop |", "{"]
)
def test_a_fenced_block_that_names_no_tool_is_no_call(begun, block):
    assert begun.step(f"Here it is:\n```json\n{block}\n```").done


def test_several_fenced_blocks_are_several_calls(begun):
    blocks = (f"```json\n{json.dumps({**GOOD, 'arguments': {'query': query}})}\n```" for query in ("shop", "lamp"))
    assert len(begun.step("\n".join(blocks)).messages) == 2
    assert [call.arg for call in begun.calls] == ["shop", "lamp"]


def test_a_fenced_call_that_breaks_off_is_told_its_fault(begun):
    step = begun.step('I look.\n```json\n{"name": "web_search", "arguments": {"query": "a\n```')
    assert step.observation.startswith("Error: invalid JSON at character 46")


# ---- prompts


def test_tools_stand_in_the_text_or_are_left_to_the_template(played):
    world, simulator, task, _ = played
    assert Environment(world, task, simulator).reset()[0] == {"role": "system", "content": SYSTEM}
    environment = Environment(world, task, simulator, tools_in_text=True)
    system, question = environment.reset()
    assert question == {"role": "user", "content": task.question}
    text = system["content"]
    assert text.startswith(SYSTEM)
    for tool in TOOLS:
        assert json.dumps(tool) in text
    form = text[text.index("<tool_call>") : text.index("</tool_call>") + len("</tool_call>")]
    step = environment.step(form)
    assert [c.tool for c in environment.calls] == ["web_search"]
    assert step.messages == [
        {"role": "user", "content": f"<tool_response>\n{step.observation}\n</tool_response>"},
    ]


def test_limits_follow_the_task(played):
    world, simulator, task, episode = played
    turns = len(episode.calls) + 1
    known = replace(task, certificate={"turns": turns, "typical_turns": 3})
    assert (known.max_turns, known.typical_turns, task.max_turns) == (2 * turns + 8, turns, 40)
    environment = Environment(world, known, simulator)
    environment.reset()
    for _ in range(2 * turns + 7):
        assert not environment.step(written("shop")).done
    assert environment.step(written("shop")).reward.terms["truncated"] < 0


# ---- in other processes


@pytest.fixture(scope="module")
def proved(played):
    """A task with its certificate."""
    world, simulator, task, _ = played
    return world, simulator, replace(task, certificate=certify(task, world, SimulatorClient(simulator)).to_json())


def copies(environment):
    yield copy.deepcopy(environment)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(environment, protocol))


def test_an_episode_goes_on_after_pickling_and_copying(proved, tmp_path):
    world, _, task = proved
    environment = Environment(world, task, Simulator(world), profile="flaky", seed=4, traces=Traces(tmp_path))
    environment.reset()
    messages = searches(environment, 5)
    for message in messages[:2]:
        environment.step(message)
    others = [*copies(environment)]
    expected = rest(environment, messages[1:])
    assert expected[0]
    for other in others:
        assert other.turns == 2
        assert rest(other, messages[1:]) == expected
        assert other.calls == environment.calls
        assert other.observations == environment.observations


def test_a_copy_goes_its_own_way(proved):
    world, simulator, task = proved
    environment = Environment(world, task, simulator)
    environment.reset()
    other = copy.deepcopy(environment)
    other.step(written("shop"))
    assert (len(other.calls), environment.calls, environment.turns) == (1, [], 0)
    assert other.simulator.counts["web_search"] == environment.simulator.counts["web_search"] + 1


def test_a_simulator_with_a_store_is_pickled_where_the_store_is_a_file(town, tmp_path):
    simulator = Simulator(town, store=Store(tmp_path / "store.db"))
    call_made = Call("web_search", "shop")
    expected = simulator.call(Address(town.id), call_made)
    simulator.store.count_call(Address(town.id, session="s"), call_made)
    other = pickle.loads(pickle.dumps(simulator))
    assert other.call(Address(town.id), call_made) == expected
    assert other.store.count_call(Address(town.id, session="s"), call_made) == 1
    with pytest.raises(UsageError, match="a store in memory can't be pickled: give it a file"):
        pickle.dumps(Simulator(town, store=Store()))
    assert copy.deepcopy(Simulator(town, store=Store())).call(Address(town.id), call_made) == expected


def test_what_an_episode_ends_with_is_pickled(proved):
    world, simulator, task = proved
    environment = Environment(world, task, simulator)
    environment.reset()
    steps = [environment.step(written("shop")), environment.step(task.table())]
    for value in (world, task, *steps, steps[1].score, steps[1].reward, environment.observations):
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.deepcopy(value) == value


@pytest.mark.slow
def test_rollouts_in_other_processes_earn_the_same(proved):
    world, simulator, task = proved
    environment = Environment(world, task, simulator)
    jobs = [(replace(environment, seed=i % 3, profile="adversarial" if i % 2 else "clean"), i) for i in range(48)]
    expected = [*map(rollout, jobs)]
    assert len({reward for _, reward in expected}) > 1
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(rollout, jobs) == expected


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wide", "deep", "hybrid"])
def test_certificates_end_with_one_under_the_default_settings(town, smartphones, kind):
    for world in (town, smartphones):
        simulator = Simulator(world)
        tasks = mine(world, 3, kinds=[kind]).tasks
        assert [task.kind for task in tasks] == [kind] * 3
        for task in tasks:
            environment = Environment(world, task, simulator)
            environment.reset()
            for made in task.certificate["calls"]:
                assert not environment.step({"tool_calls": [{"function": function_call(made)}]}).done
            assert environment.step(task.table()).reward.total == 1.0
