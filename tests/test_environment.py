"""Episodes: the oracle's calls earn 1, nothing else does, and no message breaks an episode."""

import itertools
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.task_draws import candidates
from worldsmith import scoring
from worldsmith.agents import SimulatorClient, run
from worldsmith.environment import SYSTEM, Environment
from worldsmith.errors import UsageError
from worldsmith.failures import CLASSES, failures
from worldsmith.pages import Pages
from worldsmith.simulator import Simulator
from worldsmith.slices import Observation, Result
from worldsmith.tasks.task import markdown
from worldsmith.traces import Traces


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
    step = environment.step(markdown(task.columns, gold))
    assert step.score.success
    assert step.reward.total == 0.0
    cells = len(task.gold) * len(task.others)
    assert failures(task, step.score, []) == dict.fromkeys(CLASSES, 0) | {"right_unread": cells}
    other = [list(row) for row in task.gold]
    j = task.others[0]
    for i, row in enumerate(other):
        row[j] = task.gold[(i + 1) % len(other)][j]
    environment.reset()
    step = environment.step(markdown(task.columns, other))
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
    answer = scoring.score(markdown(task.columns, [list(task.gold[0])]), task.columns, known.gold)

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
    one = environment.step(markdown(task.columns, [task.gold[0]]))
    counted = failures(task, one.score, environment.observations)
    assert counted["right"] == len(task.others)
    assert counted["not_reported"] == cells - len(task.others)
    environment.reset()
    nothing = environment.step(markdown(task.columns, [["nobody"] * len(task.columns)]))
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
    _, simulator, task, _ = played
    with pytest.raises(UsageError, match="is not of this state"):
        Environment(smartphones, task, simulator)
