"""A model's rewordings of questions: kept where they mean the same, else the original stands."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner

from worldsmith.cli import main
from worldsmith.generation import generate
from worldsmith.mining.certificates import task_fault
from worldsmith.mining.files import count_saved_tasks, save_tasks
from worldsmith.mining.pipeline import MiningRequest, mine_request
from worldsmith.mining.question_parts import MORE, NOTHING, NOTHING_ELSE, question_parts
from worldsmith.mining.rewording import NO_ANSWER, Reworded, kept_texts, reads_back, request_of, reworded_tasks
from worldsmith.schema import in_language, load_schema
from worldsmith.simulate.llm import model as llm
from worldsmith.simulate.llm.model import Backend, Endpoint
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Query, Scope, Task, Top, question
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.world.files import save_world, tasks_file
from worldsmith.world.model import World

REQUEST = MiningRequest(4)
ENDPOINT = Endpoint("http://127.0.0.1:9/v1", "fake", deadline=20.0, retries=0, backoff=0.0, breaker=1000)


@dataclass(frozen=True)
class Mined:
    world: World
    tasks: tuple[Task, ...]


@pytest.fixture(scope="module")
def mined() -> Mined:
    world = generate(load_schema("town"), 31, language="natural")
    return Mined(world, mine_request(world, REQUEST).tasks)


Choose = Callable[[int, Mapping[str, str]], Mapping[str, str]]
"""(number of the reading, the right choices) to choices."""


def right(_number: int, choices: Mapping[str, str]) -> Mapping[str, str]:
    return choices


def scripted(mined: Mined, reword: Callable[[Task], str], choose: Choose = right) -> Backend:
    """Return a model that rewords by a function, and reads by another that knows the right choices."""
    wordings = {request_of(task.question): task for task in mined.tasks}
    read: dict[str, int] = {}

    def reply(request: httpx2.Request) -> httpx2.Response:
        system, user = (message["content"] for message in json.loads(request.content)["messages"])
        if system.startswith("You reword"):
            return chat(reword(wordings[user]))
        (task,) = (task for task in mined.tasks if clean(reword(task)) == user)
        number = read[user] = read.get(user, -1) + 1
        parts = question_parts(task.query, mined.world.schema)
        assert all(f"- {part.right}" in system for part in parts)
        assert task.question not in system + user
        return chat(json.dumps(choose(number, {f"part_{i}": part.right for i, part in enumerate(parts, 1)})))

    return Backend(ENDPOINT, transport=httpx2.MockTransport(reply))


def chat(content: str) -> httpx2.Response:
    message = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    body = {"id": "x", "object": "chat.completion", "created": 0, "model": "fake", "choices": [message]}
    return httpx2.Response(200, json=body)


def clean(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()


def reworded(mined: Mined, backend: Backend) -> tuple[list[Task], Reworded]:
    counts = Reworded()

    async def run() -> list[Task]:
        try:
            return await reworded_tasks(mined.world, mined.tasks, backend, counts)
        finally:
            await backend.close()

    return asyncio.run(run()), counts


def by_the_bank(mined: Mined, task: Task) -> str:
    """Return the request of the same query in other words of the bank, which the reader knows."""
    evaluator = QueryEvaluator(mined.world)
    texts = (request_of(question(evaluator, task.query, task.columns, turn)) for turn in range(5, 60))
    kept = kept_texts(task, mined.world)
    return next(text for text in texts if text != request_of(task.question) and all(part in text for part in kept))


def freely(task: Task) -> str:
    """Return a request that no reader of patterns knows."""
    return f"Folks, help me out here. {request_of(task.question)} Cheers to whoever digs it up!"


def test_a_wording_that_reads_back_is_kept_with_the_original(mined: Mined) -> None:
    tasks, counts = reworded(mined, scripted(mined, partial(by_the_bank, mined), lambda *_: {}))
    assert counts.to_json() == {"reworded": 4, "read_back": 4, "agreed": 0, "kept": {}}
    for old, new in zip(mined.tasks, tasks, strict=True):
        assert new.original == old.question
        assert request_of(new.question) == by_the_bank(mined, old)
        assert new.question.split("\n\n")[1:] == old.question.split("\n\n")[1:]
        assert (new.query, new.gold, new.columns) == (old.query, old.gold, old.columns)
        assert new.task_id != old.task_id
        assert task_fault(new, mined.world, Simulator(mined.world)) is None
        assert Task.from_json(json.loads(json.dumps(new.to_json()))).original == old.question


def test_a_free_wording_is_kept_where_both_readings_choose_every_part_right(mined: Mined) -> None:
    tasks, counts = reworded(mined, scripted(mined, freely))
    assert (counts.agreed, counts.read_back, dict(counts.kept)) == (4, 0, {})
    assert all(not reads_back(task.question, task.query, mined.world.schema) for task in tasks)
    again, twice = reworded(replace(mined, tasks=tuple(tasks)), scripted(mined, freely, lambda *_: {}))
    assert again == tasks
    assert twice.to_json()["reworded"] == 0


def test_the_same_replies_give_the_same_tasks(mined: Mined) -> None:
    runs = [reworded(mined, scripted(mined, freely))[0] for _ in range(2)]
    assert [task.to_json() for task in runs[0]] == [task.to_json() for task in runs[1]]


@pytest.mark.parametrize("wrong", [NOTHING, MORE, "", None])
@pytest.mark.parametrize("reading", [0, 1])
def test_one_reading_that_differs_in_one_part_is_enough_to_keep_the_original(
    mined: Mined, wrong: str | None, reading: int
) -> None:
    def choose(number: int, choices: Mapping[str, str]) -> Mapping[str, str]:
        name = list(choices)[-1 if wrong == MORE else 0]
        return choices if number != reading else {**choices, name: wrong}  # type: ignore[dict-item]

    tasks, counts = reworded(mined, scripted(mined, freely, choose))
    assert tasks == list(mined.tasks)
    assert counts.to_json() == {
        "reworded": 0,
        "read_back": 0,
        "agreed": 0,
        "kept": {"read otherwise by the model": 4},
    }


def lost(mined: Mined, task: Task) -> str:
    part = kept_texts(task, mined.world)[0]
    return freely(task).replace(part, "that one")


def other_name(mined: Mined, task: Task) -> str:
    names = mined.world.tables["shop"]["name"]
    return f"{freely(task)} As at {next(name for name in names if str(name) not in task.question)}."


@pytest.mark.parametrize(
    ("reword", "reason"),
    [
        (lost, "a constant or header is lost"),
        (other_name, "a constant is added"),
        (lambda _m, task: f"{freely(task)} At most 7, please.", "a constant is added"),
        (lambda _m, task: f"{freely(task)} Those “open” alone.", "a constant is added"),
        (lambda _m, task: request_of(task.question), "as before"),
        (lambda _m, task: freely(task) * 9, "not a request"),
        (lambda _m, task: f"{freely(task)}\n\n| A |\n| --- |", "not a request"),
        (lambda _m, _task: "<think>I may not say", NO_ANSWER),
    ],
)
def test_what_a_wording_must_not_do(mined: Mined, reword: Callable[[Mined, Task], str], reason: str) -> None:
    tasks, counts = reworded(mined, scripted(mined, partial(reword, mined)))
    assert tasks == list(mined.tasks)
    assert dict(counts.kept) == {reason: 4}


def test_a_question_that_turns_its_query_round_is_not_read_back(mined: Mined) -> None:
    task = next(task for task in mined.tasks if any(one.top is not None for one in task.query.chain()))
    other = {"earliest": "latest", "latest": "earliest", "highest": "lowest", "lowest": "highest"}
    turned = re.sub("|".join(other), lambda match: other[match[0]], task.question)
    assert turned != task.question
    assert reads_back(task.question, task.query, mined.world.schema)
    assert not reads_back(turned, task.query, mined.world.schema)


def test_a_part_has_the_right_choice_among_others(mined: Mined) -> None:
    for task in mined.tasks:
        parts = question_parts(task.query, mined.world.schema)
        assert parts[-1].choices("x") in ([NOTHING_ELSE, MORE], [MORE, NOTHING_ELSE])
        for part in parts[:-1]:
            choices = part.choices(task.digest, 0)
            assert len(set(choices)) == len(choices) >= 3
            assert {part.right, NOTHING} <= set(choices)


def test_the_ends_of_an_order_by_years_are_the_earliest_and_the_latest() -> None:
    films = in_language(load_schema("films"), "natural")
    query = Query("director", Scope("name", ()), None, (("born",),), (), top=Top(("debut",), 1, largest=False))
    (part,) = (p for p in question_parts(query, films) if p.asks.endswith("by their order"))
    assert part.right == "the first 1 by the earliest “Year of the first film”"
    assert "the first 1 by the latest “Year of the first film”" in part.others


def test_tasks_that_are_not_reworded_keep_their_bytes(mined: Mined) -> None:
    assert all("original" not in task.to_json() for task in mined.tasks)


def test_the_command_rewords_what_is_mined_and_says_how_many(
    mined: Mined, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save_world(mined.world, tmp_path)
    save_tasks(folder, mined.world, REQUEST, mine_request(mined.world, REQUEST))
    before = tasks_file(folder).read_bytes()
    backend = scripted(mined, freely)
    monkeypatch.setattr(llm, "Backend", lambda *_args, **_more: backend)
    result = CliRunner().invoke(main, ["tasks", str(folder), "--count", "4", "--reword", "fake", "--json"])
    assert result.exit_code == 0, result.output
    _, figures = map(json.loads, result.stdout.splitlines())
    assert figures == {"world": mined.world.id, "reworded": 4, "read_back": 0, "agreed": 4, "kept": {}}
    held = [json.loads(line) for line in tasks_file(folder).read_bytes().splitlines()]
    assert [re.match("Folks", task["question"]) is not None for task in held] == [True] * 4
    assert [task["original"] for task in held] == [json.loads(line)["question"] for line in before.splitlines()]
    assert count_saved_tasks(folder, mined.world, REQUEST) == 4
    assert SeparateWorlds([folder]).as_mined(folder.name)
    wrong = CliRunner().invoke(main, ["tasks", str(folder), "--verify", "--reword", "fake"])
    assert wrong.exit_code == 2
