"""The parts of the training example that need no GPU: conversations, splits, workers and figures."""

import json
import random
import sys
from pathlib import Path

import pytest

from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import QueryEvaluator, tasks_of
from worldsmith.tasks.evidence import required_disclosures
from worldsmith.train.environment import Environment
from worldsmith.world.files import load_world
from worldsmith.world.model import Row

ROOT = Path(__file__).parents[1]
WORLDS = ROOT / "worlds"


@pytest.fixture(autouse=True)
def beside(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples" / "train_agent")


def test_conversations_go_two_ways_with_detours_that_are_followed_by_the_right_call(monkeypatch):
    import prepare

    monkeypatch.setattr(prepare, "SHARE", 0.5)
    (folder,) = WORLDS.glob("smartphones-*")
    world, tasks = load_world(folder), {task.task_id: task for task in tasks_of(folder)}
    simulator = Simulator(world)
    rows, lines = prepare.conversations("train", folder)
    assert [line["task_id"] for line in lines] == list(tasks)
    assert {(row["task_id"], row["way"]) for row in rows} == {(name, way) for name in tasks for way in (0, 1)}
    wrong = other = 0
    for row in rows:
        task, messages = tasks[row["task_id"]], row["messages"]
        assert not prepare.lost_address(messages)
        environment = Environment(world, task, simulator, max_turns=1000)
        assert messages[:2] == environment.reset()
        for message, reply in zip(messages[2:-1:2], messages[3::2], strict=True):
            assert environment.step(message["content"]).observation == reply["content"]
            if message.get("detour") and "web_extractor" in message["content"]:
                wrong += reply["content"].startswith("Error")
                other += not reply["content"].startswith("Error")
        for at, reply in enumerate(messages):
            if messages[at - 1].get("detour") and reply["role"] == "tool" and reply["content"].startswith("Error"):
                after = next(i for i in range(at + 1, len(messages), 2) if not messages[i].get("detour"))
                search, results, page = messages[after : after + 3]
                assert '"web_search"' in search["content"]
                assert page["content"].split('"url": "')[1].split('"')[0] in results["content"]
        end = environment.step(messages[-1]["content"])
        assert end.score.success
        assert not messages[-1].get("detour")
    assert wrong > 20
    assert other > 20


def test_what_is_tried_in_vain_is_not_in_conversations_to_validate_on():
    import prepare

    (folder,) = WORLDS.glob("smartphones-*")
    rows, _ = prepare.conversations("valid", folder)
    assert rows
    assert not any(message.get("detour") for row in rows for message in row["messages"])
    assert prepare.conversations("test", folder)[0] == []


def test_a_notebook_holds_each_value_once_and_names_what_it_read_of_and_left_out(monkeypatch):
    import prepare

    (folder,) = WORLDS.glob("smartphones-*")
    world = load_world(folder)
    evaluator = QueryEvaluator(world)
    task = next(t for t in tasks_of(folder) if t.kind == "wide" and t.query.where is not None)
    key = world.schema.tables[task.query.table].key
    cells_read = required_disclosures(task, evaluator)
    rows = [Row(task.query.table, i) for i in evaluator.in_scope(task.query)]
    row = next(row for row in rows if any(one == row and name not in key for one, name in cells_read))
    needed = [one for one in cells_read if one[0] == row]
    notebook = prepare.Notebook(task, world, evaluator)
    note = notebook.note(needed)
    assert note.startswith(f"{world.title(row)}: ")
    cells = note.removeprefix(f"{world.title(row)}: ").split(", ")
    assert len(cells) == sum(name not in key for _, name in needed)
    monkeypatch.setattr(prepare, "asked_name", lambda *_: "a label unheard of")
    cell = next(one for one in sorted(cells_read) if one[1] not in key and one not in notebook.columns)
    assert notebook._cell(*cell) == f"{world.value(*cell)}"
    for value, text in ((1, "1"), (0, "0"), (True, "yes"), (False, "no"), (None, "none")):
        with monkeypatch.context() as patch:
            patch.setattr(type(world), "value", lambda *_, value=value: value)
            assert notebook._cell(*cell) == text
    assert notebook.note(needed) == ""
    kept = evaluator.matching_rows(task.query)
    rest = [i for i in evaluator.in_scope(task.query) if i not in kept]
    fits = "Fits: " + ", ".join(world.title(Row(task.query.table, i)) for i in kept)

    def left_out(rows):
        return "Left out: " + ", ".join(world.title(Row(task.query.table, i)) for i in rows)

    assert len(rest) > 1
    for i in (*kept, rest[-1]):
        notebook.note([one for one in required_disclosures(task, evaluator) if one[0] == Row(task.query.table, i)])
    read = sorted({row.index, rest[-1]}.intersection(rest))
    assert notebook.verdict().split("\n") == [fits, left_out(read)]
    notebook.note(required_disclosures(task, evaluator))
    assert notebook.verdict().split("\n") == [fits, left_out(rest)]


def test_the_latest_reply_that_links_an_address_names_it():
    from prepare import linked_name

    url = "https://xy.example/people/b"
    replies = [f"An older title\n{url}\n2020-01-01", f"He is [Bo Be]({url}).", f"[Bo]({url}x)"]
    assert linked_name(url, replies[:1]) == "An older title"
    assert linked_name(url, replies) == "Bo Be"
    assert linked_name(url, replies[2:]) == ""


def test_a_mistyped_address_is_another_one():
    from prepare import mistyped

    chance = random.Random(0)
    url = "https://xy.example/people/abcdef"
    drawn = {mistyped(url, chance) for _ in range(200)}
    assert url not in drawn
    assert all(u.startswith("https://xy.example/people/") and abs(len(u) - len(url)) <= 4 for u in drawn)
    assert len(drawn) > 10


def test_detours_come_up_to_three_in_a_row_and_never_make_the_right_call():
    from prepare import detours

    search = {"name": "web_search", "arguments": {"query": "shops in Hilbrigg"}}
    page = {"name": "web_extractor", "arguments": {"url": "https://xy.example/people/abcdef"}}
    chance = random.Random(0)
    drawn = [detours(page, search, [], chance) for _ in range(300)]
    assert {len(calls) for calls in drawn} == {1, 2, 3}
    assert not any(page in calls for calls in drawn)
    again = [calls for calls in drawn if search in calls]
    assert 60 < len(again) < 120
    assert all(call == search for calls in again for call in calls)
    assert not any(search in detours(page, None, [], chance) for _ in range(50))
    assert all(len(calls) == 1 for calls in (detours(search, page, [], chance) for _ in range(50)))


def test_pages_of_other_results_are_opened_in_vain():
    from prepare import detours

    others = ["https://xy.example/people/b", "https://xy.example/people/c"]
    page = {"name": "web_extractor", "arguments": {"url": "https://xy.example/people/abcdef"}}
    chance = random.Random(0)
    drawn = [[call["arguments"]["url"] for call in detours(page, None, others, chance)] for _ in range(300)]
    opened = [urls for urls in drawn if set(urls) <= set(others)]
    assert 150 < len(opened) < 210
    assert {tuple(sorted(urls)) for urls in opened} == {(others[0],), (others[1],), tuple(others)}


def test_a_world_is_found_in_its_part(tmp_path):
    from prepare import world_folder

    (tmp_path / "held" / "town-1").mkdir(parents=True)
    (tmp_path / "town-2").mkdir()
    assert world_folder(tmp_path, "town-1") == tmp_path / "held" / "town-1"
    assert world_folder(tmp_path, "town-2") == tmp_path / "town-2"


QUESTIONS = [
    {
        "question": "Which river runs through the town where Ann Oak was born?",
        "answer": "the Blue River",
        "context": {
            "title": ["Ann Oak", "Elm Town"],
            "sentences": [
                ["Ann Oak is a painter.", " She was born in Elm Town."],
                ["Elm Town lies on the Blue River."],
            ],
        },
    },
    {"question": "Was it?", "answer": "yes", "context": [["Oak (tree)", ["An oak is a tree."]]]},
]


def test_a_question_over_paragraphs_is_searched_read_and_scored(tmp_path):
    import encyclopedia

    file = tmp_path / "questions.json"
    file.write_text(json.dumps(QUESTIONS))
    line, other = encyclopedia.questions(file)
    assert (line["answer"], other["question"]) == ("the Blue River", "Was it?")
    episode = encyclopedia.Episode(line)
    assert line["question"] in episode.reset()[1]["content"]
    call = '<tool_call>{{"name": "{}", "arguments": {{"{}": "{}"}}}}</tool_call>'
    hits = episode.step(call.format("web_search", "query", "Ann Oak")).observation
    assert hits.startswith("Ann Oak\nhttps://encyclopedia.example/ann-oak\nAnn Oak is a painter")
    page = episode.step(call.format("web_extractor", "url", "https://encyclopedia.example/elm-town")).observation
    assert page == "# Elm Town\n\nElm Town lies on the Blue River.\n"
    wrong = episode.step(call.format("web_extractor", "url", "https://encyclopedia.example/elm"))
    assert wrong.observation == encyclopedia.NOT_FOUND
    end = episode.step("<think>so</think>| Answer |\n| --- |\n| Blue River |")
    assert end.done
    assert end.figures == {
        "reward": 1.0, "exact": 1.0, "finished": 1.0, "cut": 0.0, "searches": 1, "reads": 2, "turns": 4
    }  # fmt: skip
    assert encyclopedia.Episode(other).cut().figures["reward"] == 0.0


@pytest.mark.parametrize(
    ("answer", "right", "f1"),
    [("Yes", "yes", 1.0), ("yes indeed", "yes", 0.0), ("blue", "the Blue River", 2 / 3), ("", "yes", 0.0)],
)
def test_answers_are_scored_by_their_words(answer, right, f1):
    from encyclopedia import word_f1

    assert word_f1(answer, right) == pytest.approx(f1)


class Tokens:
    """A tokenizer whose tokens are numbers of words."""

    words = ("<|im_end|>", "<tool_call>", "</tool_call>", "<|im_start|>", "a", "\n")

    def get_added_vocab(self):
        return {word: i for i, word in enumerate(self.words[:4])}

    def decode(self, ids, **_):
        return "".join(self.words[i] for i in ids)


def test_marks_of_a_call_that_a_model_cannot_tell_apart_are_read_in_turn():
    import chat

    assert chat.marks(Tokens()) == [1, 2]
    assert chat.barred(Tokens()) == [3]
    call = "<tool_call>a</tool_call>"
    assert chat.text(Tokens(), [1, 4, 1]) == call
    assert chat.text(Tokens(), [2, 4, 1, 5, 2, 4, 2]) == f"{call}\n{call}"
    assert chat.text(Tokens(), [4]) == "a"


def test_unlikely_tokens_are_never_drawn_but_keep_their_chance_where_they_were():
    torch = pytest.importorskip("torch")
    pytest.importorskip("triton")
    from model import likely

    # Chances 0.9, 0.09 and 0.01: the last is less than LEAST of the first.
    logits = torch.tensor([[0.9, 0.09, 0.01]]).log()
    assert likely(logits).softmax(-1)[0].tolist() == pytest.approx([10 / 11, 1 / 11, 0.0])
    assert likely(logits, torch.tensor([[2]])).softmax(-1)[0].tolist() == pytest.approx([0.9, 0.09, 0.01])


def test_a_reinforced_task_is_among_the_shortest_of_its_kind():
    pytest.importorskip("torch")
    pytest.importorskip("triton")
    from grpo import easier

    lines = [{"kind": kind, "certificate": {"typical_turns": n}} for kind in ("deep", "wide") for n in (9, 3, 5, 7)]
    kept = [(line["kind"], line["certificate"]["typical_turns"]) for line in easier(lines, 0.5)]
    assert kept == [("deep", 3), ("deep", 5), ("wide", 3), ("wide", 5)]


def test_lengths_are_padded_to_few_so_that_few_shapes_are_compiled():
    torch = pytest.importorskip("torch")
    pytest.importorskip("triton")
    import sft

    chance = random.Random(0)
    rows = [([7] * n, [True] * n) for n in (chance.randint(2, 12_000) for _ in range(400))]
    groups = sft.batches(rows, None)
    assert sorted(len(ids) for group in groups for ids, _ in group) == sorted(len(ids) for ids, _ in rows)
    shapes = set()
    for group in groups:
        ids, own = sft.padded(group, "cpu")
        assert (ids.shape[1] - 1) % sft.GRAIN == 0
        assert ids.shape[1] - 1 - sft.GRAIN < max(len(row) for row, _ in group) <= ids.shape[1]
        assert len(group) == 1 or len(group) * (ids.shape[1] - 1) <= sft.BATCH
        assert torch.equal(own, ids == 7)
        shapes.add(ids.shape)
    assert len(shapes) < 40


def test_training_stops_where_tasks_met_again_earn_less():
    pytest.importorskip("torch")
    pytest.importorskip("triton")
    from grpo import COMPARED, fallen

    def rows(*means):
        names = [f"t{i}" for i in range(COMPARED)]
        return [{"tasks": names, "rewards": [[mean + i / 100] for i in range(COMPARED)]} for mean in means]

    assert fallen(rows(0.4, 0.3))
    assert fallen(rows(0.4, 0.5, 0.3))
    assert not fallen(rows(0.4, 0.5))
    assert not fallen(rows(0.4))
    assert not fallen([row | {"tasks": row["tasks"][1:], "rewards": row["rewards"][1:]} for row in rows(0.4, 0.3)])


def test_calibration_keeps_tasks_that_are_earned_in_some_rollouts_only(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("triton")
    from grpo import calibrate, calibrated
    from rollout import Episode

    rewards = {
        "nothing": [-0.2, -0.2, -0.3, -0.2],
        "same": [0.4] * 4,
        "differs": [-0.2, 0.4, 0.4, 0.4],
        "masked": [0.4, 0.4, 0.4, None],
    }

    class Replay:
        runs = 0

        def run(self, wanted, _):
            self.runs += 1
            left = {name: list(values) for name, values in rewards.items()}
            episodes = [Episode(line, seed) for line, seed in wanted]
            for episode in episodes:
                reward = left[episode.line["task_id"]].pop()
                episode.figures = {"masked": float(reward is None), "training_reward": reward or 0.0}
            return episodes

    lines = [{"task_id": name} for name in rewards]
    replay, path = Replay(), tmp_path / "calibrated.json"
    assert calibrated(path, replay, lines, 4) == [{"task_id": "differs"}]
    assert calibrated(path, replay, lines, 4) == [{"task_id": "differs"}]
    assert replay.runs == 1
    with pytest.raises(RuntimeError, match="none of 2 tasks"):
        calibrate(replay, lines[:2])


def test_an_answer_without_an_evidenced_cell_trains_like_no_table():
    from workers import training_reward

    (folder,) = WORLDS.glob("town-*")
    world, task = load_world(folder), tasks_of(folder)[0]
    environment = Environment(world, task, Simulator(world))
    call = '<tool_call>{"name": "web_search", "arguments": {"query": "shops"}}</tool_call>'

    def end(answer):
        environment.reset()
        environment.step(call)
        return (environment.cut() if answer is None else environment.step(answer)).reward

    ends = {answer: end(answer) for answer in (task.table(), "I give up.", None)}
    assert [round(reward.total, 3) for reward in ends.values()] == [0.0, -0.2, -0.3]
    assert [round(training_reward(reward), 3) for reward in ends.values()] == [-0.2, -0.2, -0.2]


def test_an_evidenced_answer_trains_on_its_reward_and_a_masked_episode_on_nothing():
    from workers import training_reward

    from worldsmith.scoring.reward import Reward

    names = ("cells", "rows", "whole", "no_table", "no_columns", "truncated", "cost")
    earned = dict.fromkeys(names, 0.0) | {"cells": 0.07, "truncated": -0.1}
    assert training_reward(Reward(-0.03, earned, mask=False, closed_book=False)) == -0.03
    assert training_reward(Reward(0.0, dict.fromkeys(names, 0.0), mask=True, closed_book=False)) == 0.0


def test_workers_run_an_episode():
    from workers import Workers

    (folder,) = WORLDS.glob("town-*")
    task = tasks_of(folder)[0]
    workers = Workers(WORLDS, 1)
    workers.reset(3, task.to_json(), 0)

    def reply():
        (answer,) = list(workers.answers(None))
        assert answer[0] == 3
        return answer[1:]

    assert reply()[0][1]["content"] == task.question
    workers.step(3, '<tool_call>{"name": "web_search", "arguments": {"query": "shops"}}</tool_call>')
    hits, figures = reply()
    assert "https://" in hits
    assert figures is None
    workers.step(3, task.table())
    _, figures = reply()
    assert (figures["item_f1"], figures["success"], figures["searches"], figures["turns"]) == (1.0, 1.0, 1, 2)
    workers.reset(3, task.to_json(), 0)
    reply()
    workers.cut(3)
    figures = reply()[1]
    assert (figures["cut"], round(figures["training_reward"], 3)) == (1.0, -0.2)
    workers.close()
    assert [p.exitcode for p in workers.processes] == [0]


def test_an_agent_that_copies_lists_is_not_enough(capsys, monkeypatch):
    import template

    monkeypatch.setattr(sys, "argv", ["template.py", str(WORLDS)])
    template.main()
    kinds = {row["of"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert {kind: row["tasks"] for kind, row in kinds.items()} == {"wide": 4, "deep": 4, "hybrid": 2}
    assert kinds["deep"]["reward"] == 0.0
    assert kinds["wide"]["item_f1"] < 0.1  # natural pages have few lists to copy


def test_components_of_a_known_variance():
    from spread import components

    r = random.Random(3)
    groups = []
    for world in range(400):
        about = r.gauss(0, 0.3)
        for _ in range(4):
            mean = about + r.gauss(0, 0.2)
            groups.append((str(world), [mean + r.gauss(0, 0.1) for _ in range(8)]))
    deviations = components(groups)
    assert deviations["within_task"] == pytest.approx(0.1, abs=0.01)
    assert deviations["between_tasks"] == pytest.approx(0.2, abs=0.02)
    assert deviations["between_worlds"] == pytest.approx(0.3, abs=0.03)


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


def test_tasks_met_twice_are_compared_with_themselves():
    from spread import met_again

    rows = [
        {"tasks": ["a", "b", "c"], "rewards": [[0.0, 0.2], [0.5, 0.5], [1.0, 1.0]]},
        {"tasks": ["b", "a"], "rewards": [[0.7, 0.7], [0.1, 0.1]]},
        {"tasks": ["a"], "rewards": [[1.0, 1.0]]},
    ]
    # Differences 0 and 0.2 of tasks a and b; their standard deviation is 0.2 / sqrt(2).
    assert met_again(rows) == {"met_again": 2, "first": 0.3, "second": 0.4, "standard_error": 0.1}
    assert met_again(rows[:1]) == {"met_again": 0}


@pytest.mark.parametrize(("now", "before"), [("grpo", "sft"), ("grpo", "control"), ("control", "sft")])
def test_the_page_tells_the_gains_over_worlds_that_the_evaluations_give(now, before):
    from spread import gain

    folder = ROOT / "examples" / "train_agent"
    runs, *lines = map(json.loads, (folder / "eval-qwen.jsonl").read_text("utf-8").splitlines())
    cells = []
    for split, figure in (("test", "item_f1"), ("test", "row_f1"), ("held", "item_f1"), ("held", "row_f1")):
        tasks = [line for line in lines if line["split"] == split]
        rows = {
            run: [
                {"task_id": t["task_id"], "world": t["task_id"].rsplit("-", 2)[0], figure: value}
                for t in tasks
                for value in [t[figure][runs["runs"].index(run)]]
            ]
            for run in (now, before)
        }
        one = gain(rows[now], rows[before], figure)
        cells.append(f"{one['gain']:.3f} ± {1.96 * one['standard_error']:.3f}")
    assert f", sampled | {' | '.join(cells)} |" in (folder / "README.md").read_text("utf-8")


@pytest.mark.parametrize("log", ["log.jsonl", "log-qwen.jsonl"])
def test_logs_give_the_figures_that_the_page_tells(capsys, monkeypatch, log):
    import spread

    folder = ROOT / "examples" / "train_agent"
    monkeypatch.setattr(sys, "argv", ["spread.py", str(folder / log)])
    spread.main()
    first, again, *course = map(json.loads, capsys.readouterr().out.splitlines())
    page = (folder / "README.md").read_text("utf-8")
    for name in ("within_task", "between_tasks", "between_worlds"):
        assert f"{first[name]} " in page
    assert f"{100 * first['without_spread']:.1f}% of the {first['groups']}" in " ".join(page.split())
    if log != "log.jsonl":
        compared = f"{again['first']:.3f} to {again['second']:.3f} ± {1.96 * again['standard_error']:.3f}"
        assert compared in " ".join(page.split())
    else:
        assert f"{course[0]['reward']}" in page
        assert f"{course[-1]['reward']}" in page
