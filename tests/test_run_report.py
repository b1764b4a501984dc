"""Reports on saved runs: what each scripted model fails by, figures by flat names, the page, and calibration."""

import json
import random
import re
from collections import Counter
from html.parser import HTMLParser
from statistics import correlation

import pytest

from tests.test_rollout import played
from worldsmith import scoring
from worldsmith.errors import FormatError
from worldsmith.generation import generate
from worldsmith.mining.pipeline import mine
from worldsmith.rollout.calibration import (
    FEWEST,
    TaskCalibration,
    calibrated,
    difficulty_correlation,
    in_range,
    rank_correlation,
    suggestion,
)
from worldsmith.rollout.comparison import FIGURES as COMPARED
from worldsmith.rollout.comparison import RunGroup, compared
from worldsmith.rollout.episode_flags import FLAGS, flags
from worldsmith.rollout.finish import FINISHES
from worldsmith.rollout.recorded_episodes import Place, recorded_episodes, run_files
from worldsmith.rollout.report_page import call_text
from worldsmith.rollout.run_report import OUTCOMES, RunReport, cell_outcome, review, step_range, where_from
from worldsmith.rollout.saved_run import saved_run
from worldsmith.schema import parse_schema
from worldsmith.tasks import tasks_of
from worldsmith.train.failures import CLASSES
from worldsmith.world.files import save_jsonl, save_world, tasks_file


@pytest.fixture(scope="module")
def folder(town, mined, tmp_path_factory):
    made = save_world(town, tmp_path_factory.mktemp("report"))
    save_jsonl(tasks_file(made), [task.to_json() for task in mined])
    return made


@pytest.fixture(scope="module")
def runs(folder, mined, tmp_path_factory):
    """Return the folders of one run per scripted model, by its name."""
    place = tmp_path_factory.mktemp("runs")
    made = {}
    for name in SEEN:
        with saved_run(place / name, {"model": name}) as run:
            for episode in played(folder, mined, name)[0]:
                run.add(episode)
        made[name] = place / name
    return made


SEEN = {
    "perfect": ("", set()),
    "parallel": ("", set()),
    "forgetful": ("not_reported", set()),
    "snippet_reader": ("right_unread", {"nothing_opened"}),
    "hallucinator": ("right_unread", {"no_calls"}),
    "inventor": ("invented", {"no_calls"}),
    "looper": ("truncated", {"repeated_calls"}),
    "quitter": ("not_finished", set()),
    "rambler": ("truncated", set()),
    "choked": ("truncated", set()),
    "speculator": ("", {"thought_calls"}),
    "copier": ("reported_wrong", {"copied_text"}),
    "flooder": ("surplus_rows", {"surplus_rows"}),
    "silent": ("", set()),
}
"""By what each scripted model fails, and its flags beside "unevidenced"."""


def reviews(*paths):
    return [review(place, episode) for place, episode in recorded_episodes(run_files(paths))]


@pytest.mark.parametrize("name", SEEN)
def test_each_model_is_known_by_what_it_fails_by(runs, name):
    failure, flagged = SEEN[name]
    seen = reviews(runs[name])
    assert seen
    for one in seen:
        assert one.failure == failure
        assert one.flags.keys() - {"unevidenced"} == flagged
        assert ("unevidenced" in one.flags) == (one.scores["item_f1"] - one.scores["evidenced_item_f1"] >= 0.25)
        assert failure != "right_unread" or "unevidenced" in one.flags


def test_outcomes_are_the_classes_of_failures_and_what_was_cut_off():
    assert set(OUTCOMES) == {*CLASSES, "truncated"}
    assert [step_range(turn) for turn in (1, 4, 5, 16, 32, 33, None)] == [
        "1-4", "1-4", "5-8", "9-16", "17-32", "33+", "never",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "finish", "answer", "shown"),
    [
        ("not_reported", "length", "", "truncated"),
        ("not_reported", "turn_limit", "", "truncated"),
        ("not_reported", "answered", "", "not_reported"),
        ("reported_wrong", "length", "| Trade |\n| --- |\n| ba", "truncated"),
        ("reported_wrong", "length", "| Trade |\n| --- |\n| ba |\n| co", "reported_wrong"),
        ("invented", "length", "| Trade |\n| --- |\n| ba\n", "truncated"),
        ("invented", "turn_limit", "| Trade |\n| --- |\n| ba", "invented"),
        ("right", "length", "| Trade |\n| --- |\n| ba", "right"),
    ],
)
def test_a_cell_is_truncated_where_it_is_left_out_or_only_begun(outcome, finish, answer, shown):
    assert cell_outcome({"outcome": outcome, "answered": "ba"}, {"finish": finish, "answer": answer}) == shown


def test_each_cell_says_the_call_that_stated_it(runs, mined):
    tasks = {task.task_id: task for task in mined}
    for _, episode in recorded_episodes(run_files([runs["perfect"]])):
        task, calls = tasks[episode["task_id"]], episode["calls"]
        cells = iter(episode["cells"])
        for row, pages in zip(task.gold, task.pages, strict=True):
            for j in task.others:
                cell = next(cells)
                assert cell["row"] == ", ".join(scoring.show(row[k], task.columns[k]) for k in task.keys)
                assert cell["expected"] == cell["answered"] == scoring.show(row[j], task.columns[j])
                call = calls[cell["call"]]
                assert set(call["pages"]) & set(pages[j])
                assert call["arg"] in where_from(cell, calls)
        assert next(cells, None) is None


def test_a_report_counts_cells_and_episodes_by_flat_names(runs):
    report = RunReport(reviews(runs["perfect"], runs["forgetful"], runs["silent"]))
    flat = report.flat()
    cells = {name: RunReport(reviews(runs[name])).cells for name in ("perfect", "forgetful")}
    assert flat["report/counted_cells"] == sum(some.total for some in cells.values())
    lost = cells["forgetful"].counts["not_reported"]
    assert flat["report/cells/not_reported"] == lost / flat["report/counted_cells"] > 0
    assert flat["report/cells/right"] == pytest.approx(1 - flat["report/cells/not_reported"])
    assert flat["report/run/perfect/cells/right"] == 1.0
    assert flat["report/schema/town/cells/not_reported"] == flat["report/cells/not_reported"]
    assert flat["report/failure/not_reported"] == 0.5
    assert flat["report/finish/model_error"] == pytest.approx(1 / 3)
    assert sum(flat[f"report/finish/{name}"] for name in FINISHES) == pytest.approx(1)
    for group in ("schema", "kind", "step"):
        counts = [value for name, value in flat.items() if name.startswith(f"report/{group}/") and "counted" in name]
        assert sum(counts) == flat["report/counted_cells"]
    assert all(isinstance(value, int | float) for value in flat.values())


def test_the_best_and_the_worst_episodes_share_none(runs):
    report = RunReport(reviews(*runs.values()))
    tasks = {one.task_id for one in report.episodes}
    best, worst = report.extremes()
    assert len(best) == len(worst) == min(5, len(tasks))
    for some in (best, worst):
        assert len({one.task_id for one in some}) == len(some)
    assert all(one.scores["reward"] == 1.0 for one in best)
    assert {one.place.run for one in worst} <= {"looper", "choked", "rambler"}
    assert RunReport(reviews(runs["quitter"])).extremes()[0] == []
    assert len(RunReport(reviews(runs["quitter"])).extremes()[1]) == min(5, len(tasks))
    few = RunReport(reviews(runs["perfect"])[:1]).extremes()
    assert (len(few[0]), len(few[1])) == (1, 0)
    assert RunReport([]).flat()["report/cells/right"] == 0.0


EPISODE = {
    "finish": "answered", "item_f1": 0.0, "evidenced_item_f1": 0.0, "surplus": [], "gold_rows": 2, "cells": [],
    "calls": [], "messages": [], "answer": "",
}  # fmt: skip


def call(arg, turn=1, status="ok", **more):
    return {"tool": "web_search", "arg": arg, "page": 1, "turn": turn, "status": status, **more}


def test_a_call_made_again_after_a_fault_or_on_another_page_is_no_loop():
    looping = EPISODE | {"finish": "no_table", "calls": [call("a")] * 5}
    assert flags(looping) == {"repeated_calls": "5 times web_search a"}
    assert not flags(looping | {"calls": [call("a", page=page) for page in range(5)]})
    assert not flags(looping | {"calls": [*[call("a", status="timeout")] * 5, call("a")]})
    assert not flags(looping | {"calls": [*[call("a")] * 5, *(call(str(i)) for i in range(9))]})


def test_a_message_whose_calls_are_refused_again_and_again_is_a_loop():
    message = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "web_serch", "arguments": ""}}]}
    refused = EPISODE | {"finish": "turn_limit", "messages": [message] * 5}
    assert flags(refused).keys() == {"repeated_calls"}
    assert not flags(refused | {"messages": [message] * 3})


@pytest.mark.parametrize(
    ("message", "flag"),
    [
        ({"reasoning_content": "I might call web_search with some words, then read the page."}, None),
        ({"reasoning_content": '<tool_call>{"name": "web_search", "arguments": {"query": "x"}}'}, "thought_calls"),
        ({"content": "<think>Action: web_search\nAction Input: {}\n</think>done"}, "thought_calls"),
        ({"content": "<think>hm\nObservation: nothing"}, "thought_calls"),
        ({"content": '<tool_call>{"name": "web_search", "arguments": {"query": "x"}}</tool_call>'}, None),
        ({"content": "Action: web_search\nAction Input: x\nObservation: 3 shops"}, "written_replies"),
    ],
)
def test_calls_in_the_reasoning_and_written_replies_are_flagged(message, flag):
    episode = EPISODE | {"finish": "no_table", "messages": [{"role": "assistant", "content": "", **message}]}
    assert list(flags(episode)) == ([flag] if flag else [])


def test_text_of_a_reply_is_a_copy_only_where_it_is_wrong_and_long():
    text = "the corner shop had been a bakery since nineteen twelve"
    replies = [{"role": role, "content": text} for role in ("system", "user", "tool")]
    cell = {"outcome": "reported_wrong", "answered": text}
    episode = EPISODE | {"messages": replies, "cells": [cell], "calls": [call("a", tool="web_extractor")]}
    assert flags(episode) == {"copied_text": text}
    assert not flags(episode | {"cells": [cell | {"outcome": "right"}]})
    assert not flags(episode | {"cells": [cell | {"answered": "had been a bakery since nineteen twelve"}]})
    linked = text.replace("corner shop", "[Corner shop](https://a.example/b)")
    assert flags(episode | {"messages": [*replies[:2], {"role": "tool", "content": f"1. {linked}."}]}) == flags(episode)
    assert not flags(episode | {"messages": replies[:2]})
    assert flags(episode | {"cells": [], "surplus": [["x", text]]}).keys() == {"copied_text"}
    assert flags(episode | {"cells": [], "finish": "no_table", "answer": f"I read:\n{text}"}).keys() == {"copied_text"}


# ---- commands


class Tags(HTMLParser):
    """The tags of a page, and whether each is closed."""

    def __init__(self, text):
        super().__init__()
        self.counts, self.open, self.links = Counter(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.counts[tag] += 1
        self.links += [value for name, value in attrs if name in {"src", "href"}]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_command_shows_losses_writes_a_page_and_a_line_per_episode(runs, call, tmp_path):
    page, lines = tmp_path / "sub" / "r.html", tmp_path / "e.jsonl"
    place = runs["perfect"].parent
    text = call("report", place).stdout
    assert re.search(r"^failure +episodes +share$", text, re.MULTILINE)
    assert call("report", place, "--html", page, "--episodes", lines).stdout == f"wrote {page}\nwrote {lines}\n"
    assert "turn 1: searched" in text or "turn 2: opened" in text
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    assert {row["run"] for row in rows} == set(SEEN)
    assert all(row["failure"] == SEEN[row["run"]][0] for row in rows)
    html = page.read_text(encoding="utf-8")
    tags = Tags(html)
    assert not tags.open
    assert not tags.links
    assert tags.counts["svg"] == 2
    assert tags.counts["details"] == 2 * sum(map(len, RunReport(reviews(place)).extremes()))
    assert tags.counts["div"] == tags.counts["table"]
    assert "<h2>Why episodes failed</h2>" in html
    assert re.search(r"<pre>web_search\(&quot;again&quot;, page=1\)</pre>", html)
    assert "prefers-color-scheme: dark" in html
    out = call("report", place, "--json").stdout
    assert len(out.splitlines()) == 1
    assert json.loads(out)["report/run/quitter/cells/not_finished"] == 1.0


def test_what_a_model_writes_is_text_on_the_page(runs, call, tmp_path):
    (tmp_path / "run").mkdir()
    episode = json.loads((runs["forgetful"] / "episodes.jsonl").read_text().splitlines()[0])
    episode["messages"][-1]["content"] = "<script>alert(1)</script>"
    episode["cells"][0]["answered"] = "<b>x</b>"
    (tmp_path / "run" / "episodes.jsonl").write_text(json.dumps(episode) + "\n" + '{"task_id": "half')
    call("report", tmp_path / "run", "--html", tmp_path / "r.html")
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in html
    assert "<script" not in html
    assert "<b>x</b>" not in html


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"query": "grey \\"mill\\""}', 'web_search("grey \\"mill\\"")'),
        ({"query": ["a", "ä"], "page": 2}, 'web_search(["a", "ä"], page=2)'),
        ("{}", "web_search()"),
        (None, "web_search()"),
        ('{"query": "half', 'web_search({"query": "half)'),
        ('["x"]', 'web_search(["x"])'),
    ],
)
def test_a_call_is_shown_as_code_has_it(arguments, text):
    assert call_text({"name": "web_search", "arguments": arguments}) == text


def test_an_episode_without_a_best_one_and_a_row_without_a_key_are_shown_alike(runs, call, tmp_path):
    _, episode = next(recorded_episodes(run_files([runs["quitter"]])))
    cells = [cell | {"row": "", "call": None} for cell in episode["cells"]]
    save_jsonl(tmp_path / "r" / "episodes.jsonl", [{**episode, "cells": cells}])
    text = call("report", tmp_path / "r").stdout
    call("report", tmp_path / "r", "--html", tmp_path / "r.html")
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    column = cells[0]["column"]
    assert re.search(rf"^ *- +{re.escape(column)} +not_finished ", text, re.MULTILINE)
    assert f"<tr><td>-</td><td>{column}</td>" in html
    for shown in (text, html):
        assert "Worst episodes" in shown
        assert "Best episodes" not in shown


def test_what_is_no_run_is_refused_with_the_place(tmp_path, call):
    assert "no run there" in call("report", tmp_path, code=2).output
    (tmp_path / "episodes.jsonl").write_text('{"task_id": "a"}\n')
    refused = call("calibrate", tmp_path, code=2).output
    assert "episodes.jsonl, line 1: no episode of this version: sample is missing" in " ".join(refused.split())
    (tmp_path / "episodes.jsonl").write_text("x\n")
    with pytest.raises(FormatError, match="line 1: not JSON"):
        list(recorded_episodes(run_files([tmp_path])))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"task_id": []}, "task_id is []"),
        ({"schema": None}, "schema is None"),
        ({"cost": None}, "cost is None"),
        ({"success": 1}, "success is 1"),
        ({"finish": "ended"}, "finish is 'ended'"),
        ({"cells": [5]}, "cells.0 is 5"),
        ({"surplus": [7]}, "surplus.0 is 7"),
        ({"calls": []}, "a cell names call 8 of 0"),
        ({"messages": ["x"]}, "messages.0 is 'x'"),
    ],
)
def test_a_record_that_was_changed_is_refused_by_its_line_and_field(runs, tmp_path, call, changed, why):
    _, episode = next(recorded_episodes(run_files([runs["perfect"]])))
    save_jsonl(tmp_path / "r" / "episodes.jsonl", [episode, {**episode, "sample": 7, **changed}])
    for command in ("report", "calibrate"):
        refused = " ".join(call(command, tmp_path / "r", code=2).output.split())
        assert f"line 2: {why}" in refused.replace("no episode of this version: ", "")
        assert "delete the line" in refused


def test_the_help_names_every_outcome_and_flag(call):
    text = call("report", "--help").output
    assert [name for name in (*OUTCOMES, *FLAGS) if name not in text] == []


# ---- calibration


def calibration(difficulty, rate, *, samples=4, deviation=0.3, kind="wide"):
    return TaskCalibration(
        f"t{difficulty}-{rate}", "w", "town", kind, "wide", difficulty, samples, rate, rate, rate, rate, deviation
    )


def test_a_task_has_the_rate_and_the_spread_of_its_samples():
    base = {"task_id": "t", "world": "w", "schema": "town", "kind": "deep", "size": "one", "difficulty": 5.0}
    figures = [(1.0, True, 1.0), (0.5, False, 0.2), (0.0, False, -0.2), (0.5, False, 0.0)]
    episodes = [
        base | {"finish": "answered", "item_f1": f1, "evidenced_item_f1": f1 / 2, "success": success, "reward": reward}
        for f1, success, reward in figures
    ]
    (task,) = calibrated([*episodes, episodes[0] | {"finish": "model_error"}])
    assert (task.samples, task.pass_rate, task.item_f1, task.evidenced_item_f1) == (4, 0.25, 0.5, 0.25)
    assert task.reward == pytest.approx(0.25)
    assert task.deviation == pytest.approx(0.4555, abs=1e-4)
    assert in_range([task], "pass_rate", 0.25, 0.8) == [task]
    assert in_range([task], "item_f1", 0.6, 0.8) == []


def test_rank_correlation_is_that_of_ranks_with_ties_averaged():
    pairs = [(1.0, 9.0), (2.0, 7.0), (2.0, 8.0), (3.0, 7.0), (4.0, 5.0), (5.0, 6.0), (6.0, 1.0), (7.0, 2.0),
             (8.0, 2.0), (9.0, 0.0)]  # fmt: skip
    result = rank_correlation(pairs)
    assert result is not None
    ranks = ([0, 1.5, 1.5, 3, 4, 5, 6, 7, 8, 9], [9, 6.5, 8, 6.5, 4, 5, 1, 2.5, 2.5, 0])
    assert result.value == pytest.approx(correlation(*ranks))
    assert -1 <= result.low <= result.value <= result.high < -0.6
    assert rank_correlation(pairs) == result
    assert rank_correlation([(x, x**3) for x in range(-5, 6)]).value == pytest.approx(1.0)
    assert rank_correlation(pairs[:9]) is None
    assert rank_correlation([(x, 1.0) for x, _ in pairs]) is None
    noise = random.Random(1)
    independent = rank_correlation([(noise.random(), noise.random()) for _ in range(200)])
    assert independent.low < 0 < independent.high


def test_what_to_train_on_next_follows_from_the_rates():
    mixed = [calibration(4.0, 1.0), calibration(6.0, 0.5), calibration(9.0, 0.0)]
    assert "the 1 of 3 tasks that pass in 20% to 80% of samples, wide of difficulty 6.0 to 6.0; 1 are" in suggestion(
        mixed
    )
    solved = [calibration(4.0, 1.0), calibration(6.0, 0.9)]
    assert "harder ones, of difficulty 6.0 and above" in suggestion(solved)
    hopeless = [calibration(4.0, 0.0), calibration(6.0, 0.0, deviation=0.0)]
    assert "rewards differ between the samples of 1 of 2" in suggestion(hopeless)
    assert "easier tasks, of difficulty 4.0" in suggestion([calibration(4.0, 0.0, deviation=0.0)])
    assert "-k 4" in suggestion([calibration(4.0, 0.0, samples=1)])
    assert suggestion([]) == "No task was played to its end."
    falling = [calibration(4 + i / 10, 1 - i / 40) for i in range(40)]
    assert difficulty_correlation(falling).value == pytest.approx(-1.0)


def test_the_command_selects_by_range_and_writes_a_curriculum(runs, mined, call, tmp_path):
    both, out = (runs["perfect"], runs["quitter"]), tmp_path / "c.jsonl"
    text = call("calibrate", *both, "--from", 0.4, "--to", 0.6, "--out", out).stdout
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert {row["task_id"] for row in rows} == {task.task_id for task in mined}
    assert all((row["pass_rate"], row["samples"], row["item_f1"]) == (0.5, 2, 0.5) for row in rows)
    assert [row["difficulty"] for row in rows] == sorted(row["difficulty"] for row in rows)
    assert f"{len(mined)} of {len(mined)} tasks with pass_rate from 0.4 to 0.6" in text
    assert text.endswith(f"wrote {out}: {len(mined)} tasks\n")
    assert len(mined) < FEWEST
    assert f"all: no correlation of difficulty with item F1: {len(mined)} tasks, 10 needed" in text
    assert "pass_rate from" not in call("calibrate", *both).stdout
    *lines, summary = map(json.loads, call("calibrate", *both, "--json").stdout.splitlines())
    assert lines == rows
    assert summary["summary"]["correlation"] is None
    assert call("calibrate", runs["perfect"], "--out", out, code=1).exit_code == 1
    assert out.read_text() == ""
    assert "lies above" in call("calibrate", *both, "--from", 0.9, "--to", 0.2, code=2).output


@pytest.mark.parametrize(("spread", "same"), [(1, "item F1"), (0, "difficulty")])
def test_tasks_that_do_not_differ_have_no_correlation_for_that_reason(runs, call, tmp_path, spread, same):
    _, episode = next(recorded_episodes(run_files([runs["perfect"]])))
    alike = [episode | {"task_id": f"t{i}", "difficulty": 3.0 + spread * i} for i in range(FEWEST)]
    save_jsonl(tmp_path / "r" / "episodes.jsonl", alike)
    text = call("calibrate", tmp_path / "r").stdout
    assert f"all: no correlation of difficulty with item F1: all 10 tasks have the same {same}\n" in text


def test_a_place_is_where_the_episode_begins(runs):
    places = [place for place, _ in recorded_episodes(run_files([runs["perfect"]]))]
    assert places[0] == Place("perfect", runs["perfect"] / "episodes.jsonl", 0)
    assert len({place.offset for place in places}) == len(places)


# ---- comparison


@pytest.fixture(scope="module")
def harbours(mini_data, tmp_path_factory):
    """Return the folders of ten small worlds, each with a task."""
    schema, place, folders = parse_schema(mini_data), tmp_path_factory.mktemp("harbours"), []
    for seed in range(10):
        world = generate(schema, seed)
        folders.append(save_world(world, place))
        (task,) = mine(world, 1, size="small", kinds=["wide"]).tasks
        save_jsonl(tasks_file(folders[-1]), [task.to_json()])
    return folders


@pytest.fixture(scope="module")
def memory_runs(harbours, tmp_path_factory):
    """Return the folders of a run on five worlds whose tables a model remembers, and on five others, by how it ran."""
    remembered = {task.question for folder in harbours[:5] for task in tasks_of(folder)}
    place, made = tmp_path_factory.mktemp("memory"), {}
    for form, skill in (("closed-book", "quitter"), ("native", "perfect")):
        for name, folders in (("trained", harbours[:5]), ("new", harbours[5:])):
            with saved_run(place / form / name, {"model": name}) as run:
                for folder in folders:
                    (task,) = tasks_of(folder)
                    policy = "hallucinator" if task.question in remembered else skill
                    for episode in played(folder, [task], policy, form, k=2)[0]:
                        run.add(episode)
            made[form, name] = place / form / name
    return made


def test_what_a_model_remembers_shows_as_a_difference_between_worlds(memory_runs, call):
    def compare(one, other):
        return json.loads(call("report", memory_runs[one], "--against", memory_runs[other], "--json").stdout)

    closed = compare(("closed-book", "trained"), ("closed-book", "new"))
    assert [closed[f"comparison/runs/{name}"] for name in ("worlds", "tasks", "episodes")] == [5, 5, 10]
    for name in ("item_f1", "nonkey_f1"):
        ends = [closed[f"comparison/difference/{name}{end}"] for end in ("", "/low", "/high")]
        assert (closed[f"comparison/runs/{name}"], closed[f"comparison/against/{name}"], *ends) == (1, 0, 1, 1, 1)
    assert closed["comparison/difference/evidenced_item_f1"] == 0.0
    searched = compare(("native", "trained"), ("native", "new"))
    assert searched["comparison/difference/item_f1"] == 0.0
    assert searched["comparison/difference/evidenced_item_f1"] == -1.0
    tools = compare(("native", "new"), ("closed-book", "new"))
    assert (tools["comparison/difference/item_f1"], tools["comparison/difference/item_f1/low"]) == (1.0, 1.0)
    text = call("report", memory_runs["closed-book", "trained"], "--against", memory_runs["closed-book", "new"]).stdout
    one, zero = r"1\.000 \(1\.000 to 1\.000\)", r"0\.000 \(0\.000 to 0\.000\)"
    assert re.search(rf"^item_f1 +{one} +{zero} +{one}$", text, re.MULTILINE)


def scored(world, task, value, finish="answered"):
    return {"world": world, "task_id": f"{world}-{task}", "finish": finish, **dict.fromkeys(COMPARED, value)}


def test_tasks_weigh_alike_however_many_episodes_they_have_and_server_errors_do_not():
    episodes = [scored("a", 1, 1.0)] * 3 + [
        scored("a", 2, 0.0),
        scored("b", 1, 0.5),
        scored("b", 1, 1.0, "model_error"),
    ]
    group = RunGroup(episodes)
    assert group.counts == {"worlds": 2, "tasks": 3, "episodes": 5}
    assert compared(group, group)["item_f1"] == ((0.5, None), (0.5, None), (0.0, None))


def test_worlds_are_resampled_whole_and_together_where_they_are_the_same():
    low = [scored(f"w{i}", j, i / 10) for i in range(8) for j in range(4)]
    high = [episode | dict.fromkeys(COMPARED, episode["item_f1"] + 0.25) for episode in low]
    others = [episode | {"world": f"x{episode['world']}"} for episode in high]
    paired, apart = (compared(RunGroup(some), RunGroup(low))["item_f1"] for some in (high, others))
    assert paired.first.value == apart.first.value == pytest.approx(0.6)
    assert paired.difference.interval == pytest.approx((0.25, 0.25))
    # 1.96 standard errors of a mean of 8 worlds are 0.159, of the difference of two such means 0.224
    assert apart.first.interval == pytest.approx((0.6 - 0.159, 0.6 + 0.159), abs=0.03)
    assert apart.difference.interval == pytest.approx((0.25 - 0.224, 0.25 + 0.224), abs=0.04)
    assert compared(RunGroup(others), RunGroup(low))["item_f1"] == apart


def test_runs_are_compared_by_scores_alone_and_only_where_there_are_some(runs, call, tmp_path):
    text = call("report", runs["hallucinator"], "--against", runs["inventor"]).stdout
    assert text.endswith("95% intervals need 5 worlds of each\n")
    assert "no episode there was played" in call("report", runs["perfect"], "--against", runs["silent"], code=2).stderr
    refused = call("report", runs["perfect"], "--against", runs["silent"], "--html", tmp_path / "r.html", code=2)
    assert "leave --html and --episodes out" in refused.stderr
