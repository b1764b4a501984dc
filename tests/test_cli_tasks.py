"""The commands about tasks: files of tasks that can't be read, and scores in the words of others."""

import json
import re
import shutil
from dataclasses import replace

import pytest

from worldsmith import scoring
from worldsmith.cli.base import progress
from worldsmith.errors import FormatError, NotFoundError
from worldsmith.mining.files import replace_tasks, save_tasks
from worldsmith.mining.pipeline import Mined, MiningRequest
from worldsmith.tasks import Task, difficulty, markdown_table, read_references, read_tasks, tasks_of
from worldsmith.tasks.dropped import DROPPED
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports.rows import outlines_of
from worldsmith.world.files import read_jsonl, save_jsonl, tasks_file


@pytest.fixture(scope="module")
def mined(mined):
    return mined[:2]


def edited(folder, place, **fields):
    """Change fields of one line of the tasks beside a world; return the file."""
    path = tasks_file(folder)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[place] |= fields
    path.write_text("\n\n".join(json.dumps(r) for r in rows))
    return path


def test_tasks_are_read_as_they_were_written(folder, mined):
    assert tuple(read_tasks(tasks_file(folder))) == tuple(tasks_of(folder)) == mined
    tasks_file(folder).unlink()
    with pytest.raises(NotFoundError, match="make them with `worldsmith tasks"):
        tasks_of(folder)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"format": 99}, "written in format 99, this version reads 1: upgrade worldsmith"),
        ({"format": 0}, "written in format 0, this version reads 1: mine the tasks again"),
        ({"gold": []}, "not what its digest says"),
        ({"columns": "x"}, "not a task"),
        ({"columns": 7}, "not a task: a field is of a wrong type"),
        ({"pages": 7}, "not a task: a field is of a wrong type"),
        ({"columns": [{"name": "x", "kind": "colour"}]}, "not a task"),
        ({"query": {"table": 1}}, "a query has table"),
        ({"query": 7}, "a query has table"),
    ],
)
def test_every_reader_says_path_line_and_reason(folder, fields, why, call):
    path = edited(folder, 1, **fields)
    for read in (lambda: read_tasks(path), lambda: tasks_of(folder), lambda: outlines_of(SeparateWorlds([folder]))):
        with pytest.raises(FormatError, match="line 3: ") as said:
            read()
        assert str(path) in str(said.value)
        assert why in str(said.value)
    for command in (["run", folder, "--agent", "oracle"], ["tasks", folder, "--verify"]):
        assert why in call(*command, code=2).output


def test_a_task_twice_is_said(folder, mined):
    path = tasks_file(folder)
    save_jsonl(path, [mined[0].to_json(), mined[1].to_json(), mined[0].to_json()])
    with pytest.raises(FormatError, match=f"line 3: task {mined[0].task_id} is on line 1 already"):
        read_tasks(path)


@pytest.mark.parametrize("line", ["[]", "7", "{}", '{"task_id": "x", "columns": []}'])
def test_lines_that_are_no_tasks(tmp_path, line):
    path = tmp_path / "t.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(FormatError, match=r"t\.jsonl, line 1: not a task: (it is no object|'.*' is missing)") as raised:
        read_tasks(path)
    assert str(raised.value).endswith("mine the tasks again, or take the original file")
    with pytest.raises(FormatError, match=r"t\.jsonl, line 1: no (task_id|columns and gold)"):
        read_references(path)


def bare(tmp_path, mined, **changed):
    """Write tasks as no more than what scoring needs, and the perfect answers to them; return both paths."""
    rows = [{"task_id": t.task_id, "columns": t.to_json()["columns"], "gold": t.gold} | changed for t in mined]
    save_jsonl(tmp_path / "bare.jsonl", rows)
    save_jsonl(tmp_path / "answers.jsonl", [{"task_id": t.task_id, "answer": t.table()} for t in mined])
    return tmp_path / "bare.jsonl", tmp_path / "answers.jsonl"


def test_scoring_needs_no_more_than_id_columns_and_gold(tmp_path, mined, call):
    paths = bare(tmp_path, mined, note="ours")
    *rows, last = [json.loads(line) for line in call("score", *paths, "--json").stdout.splitlines()]
    assert [(r["task_id"], r["item"]["f1"]) for r in rows] == [(t.task_id, 1.0) for t in mined]
    assert all("widesearch" not in r for r in rows)
    assert last["summary"]["mean_all"]["item_f1"] == 1.0


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"format": 99}, "line 1: written in format 99"),
        ({"gold": [["x"]]}, "line 1: columns and gold can't be scored by: Gold row 0 has 1 values"),
        ({"gold": 7}, "line 1: columns and gold can't be scored by"),
        ({"columns": [{"name": "a"}]}, "line 1: columns and gold can't be scored by: A column in JSON has no name"),
    ],
)
def test_references_that_can_not_score(tmp_path, mined, changed, why, call):
    assert why in call("score", *bare(tmp_path, mined, **changed), code=2).output


def test_the_benchmarks_own_figures_stand_beside_ours(tmp_path, mined, call):
    task = mined[0]
    # Ours takes the last table, the benchmark the first: the one place where an honest answer differs by design.
    short = replace(task, gold=task.gold[:-1]).table()
    tasks, answers = bare(tmp_path, [task])
    save_jsonl(answers, [{"task_id": task.task_id, "answer": f"{short}\n\nCorrected:\n\n{task.table()}"}])
    row, _ = [
        json.loads(line)
        for line in call("score", tasks, answers, "--compat", "widesearch", "--json").stdout.split("\n")[:-1]
    ]
    direct = scoring.score_widesearch(short, *scoring.widesearch_task(task.columns, task.gold))
    assert row["item"]["f1"] == 1.0
    assert row["widesearch"]["item"] == direct.item.to_json()
    assert row["widesearch"]["row"]["recall"] == pytest.approx(1 - 1 / len(task.gold))
    assert row["widesearch"]["success"] is False
    said = call("score", tasks, answers, "--compat", "widesearch").stdout
    assert f"item F1 1.000, row F1 1.000, non-key F1 1.000, success; widesearch: item F1 {direct.item.f1:.3f}" in said
    assert "widesearch" in call("score", tasks, answers, "--compat", "other", code=2).output
    assert "first table in the text" in " ".join(call("score", "--help").output.split())


def test_an_answer_that_is_no_json_stops_nothing(tmp_path, mined, call):
    tasks, answers = bare(tmp_path, mined)
    lines = answers.read_bytes().split(b"\n")
    answers.write_bytes(b"\n".join([lines[0], b"", b"{torn", b"\xff", lines[1]]))
    found = [json.loads(line) for line in call("score", tasks, answers, "--json", code=1).stdout.splitlines()]
    assert [r["task_id"] for r in found if "item" in r] == [t.task_id for t in mined]
    assert [r["task_id"] for r in found if "error" in r] == ["line 3", "line 4"]
    assert all(r["error"].startswith("not JSON") for r in found if "error" in r)
    assert "can't be read" in call("score", tasks, tmp_path / "none.jsonl", code=2).output


def test_what_was_exported_is_scored(folder, tmp_path, mined, call):
    call("export", folder, "--to", "jsonl", "--out", tmp_path / "out", "--test-share", "0")
    _, answers = bare(tmp_path, mined)
    *rows, _ = call("score", tmp_path / "out" / "train.jsonl", answers, "--json").stdout.splitlines()
    assert [json.loads(row)["item_f1"] for row in rows] == [1.0, 1.0]
    for reference in ("[]", "{", '{"columns": []}'):
        save_jsonl(tmp_path / "odd.jsonl", [{"task_id": "x", "reference": reference}])
        with pytest.raises(FormatError, match=r"odd\.jsonl, line 1: "):
            read_references(tmp_path / "odd.jsonl")


def test_people_get_a_mean_and_programs_flat_figures(tmp_path, mined, call):
    tasks, answers = bare(tmp_path, mined)
    answers.write_text(answers.read_text().splitlines()[0])
    said = call("score", tasks, answers).stdout.splitlines()
    assert said[-3:] == [
        "1 answer to 1 of 2 tasks; 1 had none",
        "answered (1): item_f1 1.000, row_f1 1.000, nonkey_item_f1 1.000, success 1.000",
        "all (2; one without an answer counts 0): item_f1 0.500, row_f1 0.500, nonkey_item_f1 0.500, success 0.500",
    ]
    row, _ = [json.loads(line) for line in call("score", tasks, answers, "--json").stdout.splitlines()]
    assert (row["item_f1"], row["row_f1"], row["nonkey_item_f1"]) == (1.0, 1.0, 1.0)
    assert row["item"]["f1"] == 1.0
    answers.write_text("")
    assert "0 answers to 0 of 2 tasks; 2 had none" in call("score", tasks, answers, code=1).stdout


def test_an_empty_cell_is_told_in_words(tmp_path, mined, call):
    task = mined[0]
    tasks, answers = bare(tmp_path, [task])
    first = [scoring.show(v, c) for v, c in zip(task.gold[0], task.columns, strict=True)]
    place = task.others[0]
    cells = [*first[:place], "", *first[place + 1 :]]
    save_jsonl(answers, [{"task_id": task.task_id, "answer": markdown_table(task.columns, [cells])}])
    said = call("score", tasks, answers, "--explain").stdout
    assert f"(empty; is {first[place]})" in said
    assert said.count("(empty;") == 1


@pytest.mark.parametrize(("answered", "status"), [("cook", "wrong"), ("baker", "right")])
def test_a_row_of_one_cell_is_right_or_wrong_and_never_partial(tmp_path, call, answered, status):
    column = scoring.Column("Trade", "text")
    save_jsonl(tmp_path / "t.jsonl", [{"task_id": "t", "columns": [column.to_json()], "gold": [["baker"]]}])
    save_jsonl(tmp_path / "a.jsonl", [{"task_id": "t", "answer": markdown_table([column], [[answered]])}])
    shown = call("score", tmp_path / "t.jsonl", tmp_path / "a.jsonl", "--explain").stdout
    cell = answered if status == "right" else "cook (is baker)"
    assert re.search(rf"^ +{status}  {re.escape(cell)}$", shown, re.MULTILINE)
    assert "partial" not in shown


def test_a_long_command_says_how_far_it_is_where_there_is_no_terminal(monkeypatch, capsys):
    clock = iter(range(0, 1000, 6))
    monkeypatch.setattr("worldsmith.cli.base.monotonic", lambda: next(clock))
    assert list(progress(iter("abcdefgh"), 8, "worlds", quiet=False)) == list("abcdefgh")
    assert capsys.readouterr() == ("", "worldsmith: 3 of 8 worlds\nworldsmith: 6 of 8 worlds\n")
    assert list(progress(iter("abcdefgh"), 8, "worlds", quiet=True)) == list("abcdefgh")
    assert capsys.readouterr() == ("", "")


def test_tasks_are_not_replaced_by_none(folder, mined, call):
    path = tasks_file(folder)
    before = path.read_bytes()
    said = call("tasks", folder, "--count", "1", "--kinds", "deep", "--max-tokens", "1000", code=1)
    assert path.read_bytes() == before
    assert (
        f"{mined[0].world}: 0 of the 1 tasks asked for were found; what is in its file of tasks was left" in said.stderr
    )


def test_a_limit_is_shared_among_worlds():
    from worldsmith.cli.training import _limited_tasks

    by_world = [["a1", "a2", "a3"], ["b1"], ["c1", "c2"]]
    assert _limited_tasks(by_world, 2) == ["a1", "b1"]
    read = iter([[], *by_world])
    assert _limited_tasks(read, 2) == ["a1", "b1"]
    assert next(read) == ["c1", "c2"]  # which isn't read for a limit of two
    assert _limited_tasks(by_world, 4) == ["a1", "a2", "b1", "c1"]
    assert _limited_tasks(by_world, None) == ["a1", "a2", "a3", "b1", "c1", "c2"]


def call_edited(proof, **fields):
    proof["calls"][1] |= fields


def gold_of_another_query(line):
    """Gold that its digest and its id fit, and its query doesn't."""
    task = Task.from_json(line)
    line |= replace(task, gold=tuple((*row[:-1], None) for row in task.gold)).to_json()
    line["certificate"]["task_id"] = line["task_id"]


BROKEN = {
    "no certificate": (lambda line: line.update(certificate={}), "it has no certificate: mine the tasks again"),
    "no certificate at all": (lambda line: line.pop("certificate"), "it has no certificate"),
    "no calls": (lambda line: line["certificate"].pop("calls"), "not a certificate"),
    "calls that are none": (lambda line: line["certificate"].update(calls=["a", "b"]), "not a certificate"),
    "a call of another kind": (lambda line: call_edited(line["certificate"], tool="web_search"), "call 2 "),
    "an argument": (lambda line: call_edited(line["certificate"], arg="https://a.example/"), "has another reply now"),
    "an argument of no kind": (lambda line: call_edited(line["certificate"], arg=[1]), "call 2 "),
    "an offset": (lambda line: call_edited(line["certificate"], offset="x"), "call 2 "),
    "a digest": (lambda line: call_edited(line["certificate"], sha256="0" * 16), "has another reply now"),
    "fewer calls": (lambda line: line["certificate"]["calls"].pop(), "of its evidence are not disclosed"),
    "fewer tokens": (lambda line: line["certificate"].update(tool_tokens=1), "tool_tokens are not those of its calls"),
    "more turns": (lambda line: line["certificate"].update(turns=99), "its turns are not those of its calls"),
    "less evidence": (lambda line: line["certificate"].update(evidence=0), "evidence are not those of its calls"),
    "of another world": (lambda line: line["certificate"].update(world_digest="0"), "made for another state"),
    "of another render": (lambda line: line["certificate"].update(render=1), "made with render version 1"),
    "other SQL": (lambda line: line.update(sql="SELECT 1"), "SQL is not that of its query"),
    "other gold": (gold_of_another_query, "its gold is not what its query gives"),
}
OTHER_FORMATS = [(name, to) for name in ("no certificate", "a digest") for to in ("sft", "verl")]


@pytest.mark.parametrize(("name", "to"), [*((name, "jsonl") for name in sorted(BROKEN)), *OTHER_FORMATS])
def test_a_task_that_does_not_hold_is_not_exported(folder, tmp_path, call, name, to):
    path = tasks_file(folder)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    change, why = BROKEN[name]
    change(rows[1])
    save_jsonl(path, rows)
    refused = call("export", folder, "--to", to, "--out", tmp_path / "out", code=1)
    assert f"1 of {len(rows)} tasks don't hold, nothing is exported" in refused.stderr
    assert f"{rows[1]['task_id']}: " in refused.stderr
    assert why in refused.stderr
    assert not (tmp_path / "out").exists()
    assert why in call("tasks", folder, "--verify", code=1).stdout


@pytest.mark.parametrize("name", ["an argument", "no certificate", "fewer tokens", "other gold"])
def test_a_task_that_does_not_hold_is_a_finding_of_the_audit(folder, call, name):
    path = tasks_file(folder)
    rows = [json.loads(line) for line in path.read_text().splitlines()][:2]
    BROKEN[name][0](rows[1])
    save_jsonl(path, rows)
    report = json.loads(call("audit", "tasks", folder, "--json", code=1).stdout)
    assert any(f.startswith(rows[1]["task_id"]) and BROKEN[name][1] in f for f in report["findings"])
    assert not any(f.startswith(rows[0]["task_id"]) for f in report["findings"])


@pytest.mark.parametrize("fields", [{"task_id": "x"}, {"kind": "deep"}, {"size": "wide"}, {"world": "y"}])
def test_a_task_under_another_id_is_refused(folder, fields, call):
    edited(folder, 0, **fields)
    for command in (["export", folder, "--to", "jsonl", "--out", folder / "e"], ["audit", "tasks", folder]):
        assert "it is not what its task_id says" in call(*command, code=2).stderr


def test_a_file_as_it_was_mined_is_taken_unless_a_replay_is_asked_for(town, folder, mined, tmp_path, monkeypatch, call):
    replays = []
    monkeypatch.setattr("worldsmith.train.exports.rows.task_fault", lambda task, *_: replays.append(task.task_id))
    save_tasks(folder, town, MiningRequest(len(mined), "small"), Mined(mined, 9, {}))
    call("export", folder, "--to", "jsonl", "--out", tmp_path / "out")
    assert replays == []
    call("export", folder, "--to", "jsonl", "--out", tmp_path / "out", "--verify")
    assert replays == [task.task_id for task in mined]
    record = tasks_file(folder).with_suffix(".json")
    content = json.loads(record.read_text())
    for field, value in (("sha256", "0"), ("world_digest", "0"), ("versions", {})):
        record.write_text(json.dumps(content | {field: value}))
        replays.clear()
        call("export", folder, "--to", "jsonl", "--out", tmp_path / "out")
        assert replays == [task.task_id for task in mined]


def test_a_run_over_no_task_is_no_success(folder, call):
    tasks_file(folder).write_text("")
    for command in (["run", "--agent", "oracle"], ["tasks", "--verify"], ["audit", "tasks"]):
        call(*command, folder, code=1)
    assert f"{folder.name}: no tasks" in call("tasks", "--verify", folder, code=1).stdout


# ---- listed, shown, dropped


def test_a_dropped_task_is_in_no_run_export_or_list_even_when_mined_again(town, folder, mined, tmp_path, call):
    first, second = mined
    save_tasks(folder, town, MiningRequest(2, "small"), Mined(mined, 9, {}))
    assert call("tasks", folder, "--drop", first.task_id, "--reason", "two shops fit").stdout == (
        f"{first.task_id}: dropped: two shops fit\n"
    )
    save_tasks(folder, town, MiningRequest(2, "small"), Mined(mined, 9, {}))
    worlds = SeparateWorlds([folder])
    assert tasks_of(folder) == [second]
    assert (list(worlds.tasks()), worlds.dropped()) == ([(town.id, [second])], {first.task_id: "two shops fit"})
    assert worlds.as_mined(town.id)
    for path in (folder, folder.parent, tasks_file(folder).parent):
        assert read_references(path).keys() == {second.task_id}
    rows = map(json.loads, call("run", folder, "--agent", "keys-only", "--json").stdout.splitlines())
    assert [row["task_id"] for row in rows] == [second.task_id]
    curriculum = tmp_path / "curriculum.jsonl"
    save_jsonl(curriculum, [{"task_id": task.task_id} for task in mined])
    call("export", folder, "--to", "jsonl", "--out", tmp_path / "e", "--curriculum", curriculum, "--test-share", 0)
    assert [row["task_id"] for row in read_jsonl(tmp_path / "e" / "train.jsonl")] == [second.task_id]
    card = (tmp_path / "e" / "README.md").read_text()
    head = "\n## Dropped tasks\n\nTasks of these worlds that were left out by hand: 1.\n\n"
    assert f"{head}- 1: two shops fit\n" in card
    shutil.copytree(folder, folder.parent / "copy")
    assert [line.split()[-1] for line in call("show", folder.parent).stdout.splitlines()[2:]] == ["0", "1"]


def test_a_task_is_restored_as_it_was_and_the_card_is_silent_again(folder, mined, tmp_path, call):
    before, ids = tasks_file(folder).read_bytes(), [task.task_id for task in mined]
    call("tasks", folder, "--drop", ids[0], "--drop", ids[1], "--reason", "unfair")
    assert "no task to export" in call("export", folder, "--to", "jsonl", "--out", tmp_path / "e", code=2).stderr
    out = call("tasks", folder.parent, "--restore", ids[0], "--restore", ids[1], "--json").stdout
    assert [json.loads(line) for line in out.splitlines()] == [{"task_id": name, "dropped": None} for name in ids]
    assert (tuple(tasks_of(folder)), tasks_file(folder).read_bytes()) == (mined, before)
    call("export", folder, "--to", "jsonl", "--out", tmp_path / "e")
    assert "Dropped" not in (tmp_path / "e" / "README.md").read_text()
    refused = call("tasks", folder, "--restore", ids[0], code=2).stderr
    assert f"no dropped task '{ids[0]}' there." in refused


def test_a_reason_is_one_line_and_the_last_one_counts(folder, mined, call):
    record, name = tasks_file(folder).with_name(DROPPED), mined[0].task_id
    call("tasks", folder, "--drop", name, "--reason", "at first")
    row = json.loads(
        call("tasks", folder, "--drop", name, "--reason", "two\r\n\tshops\x1b\u2028 fit\n", "--json").stdout
    )
    assert row == {"task_id": name, "dropped": "two shops fit"}
    assert read_jsonl(record) == [{"task_id": name, "reason": "two shops fit"}]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--drop", "{near}", "--reason", "x"], "no task '{near}' there. Did you mean '{id}'?"),
        (["--drop", "{id}", "--drop", "{near}", "--reason", "x"], "no task '{near}' there."),
        (["--drop", "{id}", "--reason", " \n\x07"], "the reason is blank"),
        (["--drop", "{id}"], "--drop ID needs its --reason TEXT"),
        (["--reason", "x"], "--reason a task to drop"),
        (["--restore", "{id}"], "no dropped task '{id}' there."),
        (["--drop", "{id}", "--reason", "x", "--list"], "one at a time"),
    ],
)
def test_what_can_not_be_dropped_changes_nothing(folder, mined, call, options, why):
    names = {"id": mined[0].task_id, "near": mined[0].task_id[:-1]}
    refused = call("tasks", folder, *(option.format(**names) for option in options), code=2).stderr
    assert why.format(**names) in refused
    assert not tasks_file(folder).with_name(DROPPED).exists()


@pytest.mark.parametrize("line", ["[]", '{"task_id": "x"}', '{"task_id": "x", "reason": 7}', '{"task_id'])
def test_a_damaged_record_of_dropped_tasks_is_refused_by_its_line(folder, line, call):
    record = tasks_file(folder).with_name(DROPPED)
    record.write_text('{"task_id": "gone", "reason": "x"}\n' + line)
    for command in (["run", folder, "--agent", "oracle"], ["tasks", folder, "--list"]):
        assert f"{record}, line 2: not " in call(*command, code=2).stderr


def test_other_wordings_leave_dropped_tasks_in_their_file(folder, mined, call):
    call("tasks", folder, "--drop", mined[0].task_id, "--reason", "x")
    replace_tasks(folder, tasks_of(folder))
    call("tasks", folder, "--restore", mined[0].task_id)
    assert tasks_of(folder) == [mined[1], mined[0]]


def test_a_list_and_a_task_are_shown_without_gold_unless_it_is_asked_for(folder, mined, call):
    first, second = mined
    call("tasks", folder, "--drop", second.task_id, "--reason", "two shops fit")
    row, dropped = map(json.loads, call("tasks", folder.parent, "--list", "--json").stdout.splitlines())
    assert dropped == {"task_id": second.task_id, "dropped": "two shops fit"}
    assert row == {
        "task_id": first.task_id, "world": first.world, "schema": "town", "kind": first.kind, "size": first.size,
        "rows": len(first.gold), "columns": [column.name for column in first.columns], "turns": first.turns,
        "tool_tokens": first.tool_tokens, "difficulty": difficulty(first), "question": first.question,
    }  # fmt: skip
    shown = json.loads(call("show", folder.parent, "--task", second.task_id, "--json").stdout)
    assert (shown["question"], shown["dropped"]) == (second.question, "two shops fit")
    assert shown.keys() == row.keys() | {"dropped"}
    text, listed = call("show", folder, "--task", first.task_id).stdout, call("tasks", folder, "--list").stdout
    assert first.question in text
    assert f"{len(first.gold)} x {len(first.columns)}" in text.split("\n")[0]
    assert first.task_id in listed
    assert f"dropped: {second.task_id}: two shops fit\n" in listed
    answer = first.table()
    assert answer not in text
    assert first.sql not in text
    whole = call("show", folder, "--task", first.task_id, "--gold").stdout
    assert whole.startswith(text)
    assert answer in whole
    assert first.sql in whole
    row = json.loads(call("show", folder, "--task", first.task_id, "--gold", "--json").stdout)
    assert (row["gold"], row["sql"]) == ([list(cells) for cells in first.gold], first.sql)
    near = call("show", folder, "--task", first.task_id[:-1], code=2).stderr
    assert f"Did you mean '{first.task_id}'?" in near
    assert "name it with --task" in call("show", folder, "--gold", code=2).stderr
