"""The parts of the training example that need no GPU: conversations, splits, workers and figures."""

import json
import random
import sys
from pathlib import Path

import pytest

from worldsmith import scoring
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import tasks_of
from worldsmith.train.environment import Environment
from worldsmith.train.exports.sft import conversation
from worldsmith.world.files import load_world

ROOT = Path(__file__).parents[1]
WORLDS = ROOT / "worlds"


@pytest.fixture(autouse=True)
def beside(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples" / "train_agent")


def test_detours_are_followed_by_the_right_call_and_rows_are_gold(tmp_path, monkeypatch, capsys):
    import prepare

    monkeypatch.setattr(prepare, "SHARE", 0.5)
    # The two worlds of the repository: town is held out, the other, first of its split, is a test world by number.
    monkeypatch.setattr(prepare, "part_of", lambda number, *, held: "held" if held else "train")
    monkeypatch.setattr(sys, "argv", ["prepare.py", str(WORLDS), str(tmp_path), "--longest", "1000000"])
    prepare.main()
    counts = json.loads(capsys.readouterr().out)
    assert (counts["sft-train.jsonl"], counts["tasks-train.jsonl"], counts["tasks-held.jsonl"]) == (5, 5, 5)
    (folder,) = WORLDS.glob("smartphones-*")
    world, tasks = load_world(folder), tasks_of(folder)
    simulator = Simulator(world)
    rows = [json.loads(line)["messages"] for line in (tmp_path / "sft-train.jsonl").read_text("utf-8").splitlines()]
    wrong = 0
    for task, messages in zip(tasks, rows, strict=True):
        own = [m for m in messages if m["role"] == "assistant"]
        plain = [m for m in conversation(task, world, simulator, "none") if m["role"] == "assistant"]
        assert [m["content"] for m in own if not m.get("detour")] == [m["content"] for m in prepare.as_text(plain)]
        assert not own[-1].get("detour")
        assert scoring.score(own[-1]["content"], task.columns, task.gold).success
        for at, message in enumerate(messages):
            if message.get("detour") and "web_extractor" in message["content"]:
                assert messages[at + 1]["content"].startswith("Error")
                wrong += 1
    assert wrong > 20


def test_calls_as_text_are_the_same_episode():
    from prepare import as_text

    folder = next(WORLDS.glob("smartphones-*"))
    world, task = load_world(folder), tasks_of(folder)[0]
    simulator = Simulator(world)
    messages = conversation(task, world, simulator)
    texts = as_text(messages)
    environment = Environment(world, task, simulator)
    assert texts[:2] == environment.reset()
    for text, reply in zip(texts[2:-1:2], texts[3::2], strict=True):
        assert environment.step(text["content"]).observation == reply["content"]
    assert environment.step(texts[-1]["content"]).reward.total == 1.0
    assert texts[-1] == messages[-1]


def test_a_mistyped_address_is_another_one():
    from prepare import mistyped

    chance = random.Random(0)
    url = "https://xy.example/people/abcdef"
    drawn = {mistyped(url, chance) for _ in range(200)}
    assert url not in drawn
    assert all(u.startswith("https://xy.example/people/") and abs(len(u) - len(url)) <= 4 for u in drawn)
    assert len(drawn) > 10


def test_worlds_are_parted_by_number_and_schema():
    from prepare import part_of

    assert [part_of(n, held=False) for n in (0, 1, 2, 9, 10, 21)] == [
        "test",
        "valid",
        "train",
        "train",
        "test",
        "valid",
    ]
    assert part_of(0, held=True) == "held"


def test_workers_run_an_episode():
    from workers import Workers

    (folder,) = WORLDS.glob("town-*")
    task = tasks_of(folder)[0]
    workers = Workers(WORLDS, 1)
    workers.reset(3, task.to_json(), 0)

    def told():
        (answer,) = list(workers.answers(None))
        assert answer[0] == 3
        return answer[1:]

    assert told()[0][1]["content"] == task.question
    workers.step(3, '<tool_call>{"name": "web_search", "arguments": {"query": "shops"}}</tool_call>')
    found, figures = told()
    assert "https://" in found
    assert figures is None
    workers.step(3, task.table())
    _, figures = told()
    assert (figures["item_f1"], figures["success"], figures["searches"], figures["turns"]) == (1.0, 1.0, 1, 2)
    workers.reset(3, task.to_json(), 0)
    told()
    workers.cut(3)
    assert told()[1]["cut"] == 1.0
    workers.close()
    assert [p.exitcode for p in workers.processes] == [0]


def test_an_agent_that_copies_lists_is_not_enough(capsys, monkeypatch):
    import template

    monkeypatch.setattr(sys, "argv", ["template.py", str(WORLDS)])
    template.main()
    found = {row["of"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert {kind: row["tasks"] for kind, row in found.items()} == {"wide": 4, "deep": 4, "hybrid": 2}
    assert found["deep"]["reward"] == 0.0
    assert found["wide"]["item_f1"] < 0.1  # natural pages have few lists to copy


def test_components_of_a_known_variance():
    from spread import components

    r = random.Random(3)
    groups = []
    for world in range(400):
        about = r.gauss(0, 0.3)
        for _ in range(4):
            mean = about + r.gauss(0, 0.2)
            groups.append((str(world), [mean + r.gauss(0, 0.1) for _ in range(8)]))
    found = components(groups)
    assert found["within_task"] == pytest.approx(0.1, abs=0.01)
    assert found["between_tasks"] == pytest.approx(0.2, abs=0.02)
    assert found["between_worlds"] == pytest.approx(0.3, abs=0.03)


def test_gain_is_over_the_tasks_that_both_have():
    from spread import gain

    before = [{"task_id": t, "world": t[0], "reward": 0.5} for t in ("a1", "a2", "b1", "c1")]
    now = [
        {"task_id": t, "world": t[0], "reward": reward}
        for t, reward in (("a1", 0.7), ("a2", 0.7), ("b1", 0.5), ("d1", 1.0))
    ]
    # Differences 0.2, 0.2, 0: mean 0.4 / 3; sums of deviations by world 2 * 0.2 / 3 and -0.4 / 3.
    assert gain(now, before) == {
        "gain": 0.133,
        "standard_error": round((2 * (0.4 / 3) ** 2) ** 0.5 / 3, 3),
        "compared": 3,
    }
    assert gain(now, [{"task_id": "z", "world": "z", "reward": 1.0}]) == {"compared": 0}


def test_the_log_that_is_shown_gives_the_figures_that_are_told(capsys, monkeypatch):
    import spread

    folder = ROOT / "examples" / "train_agent"
    monkeypatch.setattr(sys, "argv", ["spread.py", str(folder / "log.jsonl")])
    spread.main()
    first, *course = map(json.loads, capsys.readouterr().out.splitlines())
    page = (folder / "README.md").read_text("utf-8")
    for name in ("within_task", "between_tasks", "between_worlds"):
        assert f"{first[name]}" in page
    assert f"{course[0]['reward']}" in page
    assert f"{course[-1]['reward']}" in page
