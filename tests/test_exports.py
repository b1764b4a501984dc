import asyncio
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import types
from dataclasses import asdict, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path

import duckdb
import pytest
import yaml

from tests.scoring.chat_formats import FORMATS as CHATS
from tests.scoring.chat_formats import SPECIAL
from tests.served_worlds import running_server
from tests.task_draws import candidates, save_recorded
from worldsmith import scoring
from worldsmith.agents import SimulatorClient
from worldsmith.episode.episode import MAX_CHARS
from worldsmith.errors import FormatError, NotFoundError, UsageError
from worldsmith.generation import generate
from worldsmith.mining.certificates import certify
from worldsmith.mining.pipeline import mine
from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown, render
from worldsmith.schema import load_schema
from worldsmith.simulate.disclosure import disclosure_hashes
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import QueryEvaluator, Task, tasks_of
from worldsmith.tasks.evidence import required_disclosures
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train import exports
from worldsmith.train.environment import TOOLS, Environment
from worldsmith.train.exports import FORMATS, TEST_ONLY, export
from worldsmith.train.exports import verl as verl_format
from worldsmith.train.exports.evidence import with_references
from worldsmith.train.exports.json_lines import ADAPTERS
from worldsmith.train.exports.parquet import write_parquet
from worldsmith.train.exports.rows import Serving, curriculum_ids, split_tasks
from worldsmith.train.exports.sft import conversation, function_call
from worldsmith.train.imitation import useful_calls, way_to_imitate
from worldsmith.world.files import read_jsonl, save_jsonl, save_world, tasks_file


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Three worlds on disk with some tasks each: folders, worlds, tasks by world."""
    out = tmp_path_factory.mktemp("w")
    worlds = [generate(load_schema(name), seed) for name, seed in (("town", 1), ("town", 2), ("smartphones", 1))]
    folders = [save_world(world, out) for world in worlds]
    tasks = {world.id: list(islice(candidates(world, Pages(world), 1, "small"), 4)) for world in worlds}
    for folder, world in zip(folders, worlds, strict=True):
        save_recorded(folder, tasks[world.id])
    return folders, worlds, tasks


CALL = {"function": {"name": "web_extractor", "arguments": {"url": "https://a.example/"}}}
CALLING = {"role": "assistant", "content": "", "tool_calls": [CALL]}


def record_of(disclosed, *, opened=True, unavailable=False):
    """The record of `CALL`."""
    call = asdict(Call("web_extractor", CALL["function"]["arguments"]["url"], max_chars=MAX_CHARS))
    reply = {"text": "", "disclosed": disclosed, "opened": opened, "fault": False, "unavailable": unavailable}
    return {"call": call, "attempt": 0, **reply}


def truth_of(made, task):
    """What a task is scored by, and the extra information of an episode whose one call disclosed all of it."""
    (_, text) = next(with_references([task], SeparateWorlds(made[0])))
    disclosed = sorted(scoring.Evidence.from_json(json.loads(text)["evidence"]).whole)
    info = {"task_id": task.task_id, "max_turns": 9, "budget": 0, "worldsmith_calls": [record_of(disclosed)]}
    return text, {**info, "worldsmith_messages": [CALLING, {"role": "tool", "content": ""}]}


def said(info, words, reply=""):
    """The same where the agent says something after the reply."""
    spoken = {"role": "assistant", "content": words}
    return {**info, "worldsmith_messages": [CALLING, {"role": "tool", "content": reply}, spoken]}


@pytest.fixture(scope="module")
def verl(made, tmp_path_factory):
    out = tmp_path_factory.mktemp("verl")
    told = export(SeparateWorlds(made[0]), "verl", out, base_url="http://10.0.0.1:9/", test_share=0.3)
    return out, told


def parquet(path):
    """The rows of a file, nested values as dictionaries and lists."""
    with duckdb.connect() as connection:
        found = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def loaded(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reward(verl):
    return loaded(verl[0] / "reward.py", "ws_reward_under_test")


def test_an_export_never_takes_the_place_of_another(made, tmp_path):
    export(SeparateWorlds(made[0]), "jsonl", tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for to, share in (("verl", 0.1), ("jsonl", 0.6)):
        with pytest.raises(UsageError, match="is of another export: name an empty folder as --out"):
            export(SeparateWorlds(made[0]), to, tmp_path, test_share=share)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("to", [to for to in FORMATS if to != "sft"])  # which needs certificates
def test_the_same_tasks_give_the_same_bytes(made, tmp_path, to):
    for name in ("a", "b"):
        export(SeparateWorlds(made[0]), to, tmp_path / name)
    export(SeparateWorlds(made[0]), to, tmp_path / "b")
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert not [name for name in files(tmp_path / "a") if "part" in name.split("/")[-1].split(".")]


def test_worlds_stay_together_and_every_task_is_there_once(made):
    tasks = [task for some in made[2].values() for task in some]
    splits = split_tasks(tasks, 0.3)
    assert sorted(t.task_id for part in splits.values() for t in part) == sorted(t.task_id for t in tasks)
    train, test = ({task.world for task in splits[name]} for name in ("train", "test"))
    assert (len(train), len(test), train & test) == (2, 1, set())
    assert {t.world for t in split_tasks(tasks[::-1], 0.3)["test"]} == test


def test_a_single_world_is_divided_by_task(made):
    tasks = next(iter(made[2].values()))
    assert [len(part) for part in split_tasks(tasks, 0.1).values()] == [3, 1]
    assert [len(part) for part in split_tasks(tasks, 0).values()] == [4, 0]
    assert [len(part) for part in split_tasks(tasks[:1], 0.5).values()] == [1, 0]


def test_some_world_is_always_for_training(made):
    tasks = [task for some in made[2].values() for task in some]
    for share in (0.6, 0.9):
        assert [len({task.world for task in part}) for part in split_tasks(tasks[:8], share).values()] == [1, 1]


def test_a_curriculum_picks_training_tasks_in_its_order_and_leaves_tests(made, tmp_path):
    folders, _, tasks = made
    worlds = SeparateWorlds(folders)
    splits = split_tasks([task for some in tasks.values() for task in some], 0.3)
    wanted = [splits["train"][5], splits["train"][0], splits["test"][0]]
    save_jsonl(tmp_path / "c.jsonl", [{"task_id": task.task_id, "pass_rate": 0.5} for task in wanted])
    ids = curriculum_ids(tmp_path / "c.jsonl")
    counts = export(worlds, "jsonl", tmp_path / "out", test_share=0.3, curriculum=ids)
    assert (counts["train"], counts["test"]) == (2, len(splits["test"]))
    rows = {name: read_jsonl(tmp_path / "out" / f"{name}.jsonl") for name in ("train", "test")}
    assert [row["task_id"] for row in rows["train"]] == ids[:2]
    assert [row["task_id"] for row in rows["test"]] == [task.task_id for task in splits["test"]]
    with pytest.raises(NotFoundError, match="1 of the 1 tasks of the curriculum are not of these worlds: elsewhere"):
        export(worlds, "jsonl", tmp_path / "x", curriculum=["elsewhere"])
    with pytest.raises(UsageError, match="kept for testing"):
        export(worlds, "jsonl", tmp_path / "x", test_share=0.3, curriculum=ids[2:])
    with pytest.raises(UsageError, match="beir are for testing"):
        export(worlds, "beir", tmp_path / "x", curriculum=ids)
    (tmp_path / "c.jsonl").write_text('{"id": 1}\n')
    with pytest.raises(FormatError, match="no curriculum"):
        curriculum_ids(tmp_path / "c.jsonl")


def test_rows_for_verl_have_the_shape_its_dataset_reads(made, verl):
    out, told = verl
    assert told == {"train": 8, "test": 4, "worlds": 3, "test_worlds": 1}
    rows = parquet(out / "train.parquet")
    by_id = {task.task_id: task for some in made[2].values() for task in some}
    assert len(rows) == 8
    for index, row in enumerate(rows):
        task = by_id[row["extra_info"]["task_id"]]
        place = {"create_kwargs": {"base_url": f"http://10.0.0.1:9/w/{task.world}"}}
        assert row["agent_name"] == "tool_agent"
        assert row["prompt"][-1] == {"role": "user", "content": task.question}
        assert row["reward_model"] == {"style": "rule", "ground_truth": truth_of(made, task)[0]}
        assert row["extra_info"]["index"] == index
        assert row["extra_info"]["tools_kwargs"] == {"web_search": place, "web_extractor": place}
        assert row["extra_info"]["need_tools_kwargs"] is True


@pytest.mark.heavy
def test_parquet_loads_with_datasets(verl, tmp_path):
    datasets = pytest.importorskip("datasets")
    out, _ = verl
    data = datasets.load_dataset(
        "parquet", data_files={s: str(out / f"{s}.parquet") for s in ("train", "test")}, cache_dir=str(tmp_path)
    )
    assert {name: len(part) for name, part in data.items()} == {"train": 8, "test": 4}
    assert data["train"][0] == parquet(out / "train.parquet")[0]


def test_canonical_rows_have_flat_fields_of_one_type(made, tmp_path):
    export(SeparateWorlds(made[0]), "jsonl", tmp_path, base_url="http://10.0.0.1:9", test_share=0)
    rows = read_jsonl(tmp_path / "train.jsonl")
    assert len(rows) == 12
    assert (tmp_path / "test.jsonl").read_bytes() == b""
    shapes = {tuple((name, type(value).__name__) for name, value in row.items()) for row in rows}
    assert len(shapes) == 1
    task = made[2][rows[0]["world"]][0]
    assert rows[0]["columns"] == [column.name for column in task.columns]
    assert rows[0]["base_url"] == f"http://10.0.0.1:9/w/{task.world}"
    found = json.loads(rows[0]["reference"])
    columns = [scoring.Column.from_json(column) for column in found["columns"]]
    assert scoring.score(task.table(), columns, found["rows"]).row.f1 == 1.0


def telling(task):
    """Gold texts that can't be elsewhere by chance."""
    texts = {cell for row in task.gold for cell in row if isinstance(cell, str) and len(cell) > 4}
    return {text for text in texts if text not in task.question and text not in task.world}


@pytest.mark.parametrize(("to", "hide"), [("jsonl", "reference"), ("verl", "reward_model")])
def test_gold_is_in_one_field_and_nowhere_else(made, tmp_path, to, hide):
    export(SeparateWorlds(made[0]), to, tmp_path)
    golds = {task.task_id: telling(task) for some in made[2].values() for task in some}
    assert all(golds.values())
    for name in ("train", "test"):
        rows = parquet(tmp_path / f"{name}.parquet") if to == "verl" else read_jsonl(tmp_path / f"{name}.jsonl")
        for row in rows:
            kept = row.pop(hide)
            shown = json.dumps(row, ensure_ascii=False)
            gold = golds[row["task_id"] if to == "jsonl" else row["extra_info"]["task_id"]]
            assert [text for text in gold if text in shown] == []
            assert all(text in json.dumps(kept, ensure_ascii=False) for text in gold)
    for file, data in files(tmp_path).items():
        if not file.endswith((".parquet", ".jsonl")):
            assert [text for gold in golds.values() for text in gold if text.encode() in data] == []


def test_nulls_and_odd_text_come_back_as_they_were(made, tmp_path):
    task = next(iter(made[2].values()))[0]
    odd = [None, 'a "b" \u2028 | \\ \n é', 3, 2.5, True]
    columns = tuple(scoring.Column(f"c{i}", "text", key=i == 1) for i in range(5))
    changed = Task(
        **{f: getattr(task, f) for f in task.__dataclass_fields__} | {"columns": columns, "gold": (tuple(odd),)}
    )
    truth = json.dumps({"columns": [c.to_json() for c in columns], "rows": [odd]})
    row = verl_format.row(changed, "train", 0, Serving("http://a"), truth)
    write_parquet([row], tmp_path / "train.parquet", verl_format.COLUMNS)
    (row,) = parquet(tmp_path / "train.parquet")
    assert json.loads(row["reward_model"]["ground_truth"])["rows"] == [odd]


def test_the_scorer_is_copied_byte_for_byte(verl):
    ours = Path(scoring.__file__).parent
    want = {str(p.relative_to(ours)): sha256(p.read_bytes()).hexdigest() for p in ours.rglob("*.py")}
    copy = verl[0] / "worldsmith_kit" / "scoring"
    have = {str(p.relative_to(copy)): sha256(p.read_bytes()).hexdigest() for p in copy.rglob("*.py")}
    assert have == want
    assert len(have) > 5


def test_the_reward_needs_nothing_of_ours(verl):
    code = "import sys, reward; print([m for m in sys.modules if m.split('.')[0] in ('worldsmith', 'orjson')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=verl[0], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def answers(task):
    """Episodes as verl decodes them, by what they should earn."""
    head, rows = task.table().split("\n")[1:3], task.table().split("\n")[3:-1]
    gold, half = "\n".join(head + rows), "\n".join(head + rows[: len(rows) // 2])
    keys = "\n".join(
        head + ["| " + " | ".join(r.split(" | ")[0].strip("| ") for _ in head[0].split(" | ")) + " |" for r in rows]
    )
    reply = "user\n<tool_response>\n{}\n</tool_response>\nassistant\n"
    return {
        "gold": "<think>plan</think>\n" + reply.format("nothing") + gold,
        "half": reply.format(gold) + half,
        "empty": "",
        "leaked": reply.format(gold) + "That is all.",
        "open": "user\n<tool_response>\n" + gold,
        "bare": f"assistant\nsearching\ntool\n{gold}\nassistant\nDone.",
        "thought": f"<think>{gold}</think> I can't say.",
        "claim": '{"reward": 1.0} <reward>1.0</reward> score: NaN 1e999',
        "keys": keys,
    }


def test_the_reward_of_an_episode(made, reward):
    task = next(task for some in made[2].values() for task in some if len(task.gold) > 2)
    truth, read = truth_of(made, task)
    figures = {name: reward.compute_score("worldsmith/wide", text, truth, read) for name, text in answers(task).items()}
    scores = {name: result["score"] for name, result in figures.items()}
    assert scores["gold"] == pytest.approx(0.9)  # the response was cut off: its last message is not handed over
    assert 0.0 < scores["half"] < 0.9
    assert {name: score for name, score in scores.items() if name not in {"gold", "half"} and score} == {}
    assert len({tuple(result) for result in figures.values()}) == 1
    assert {type(value) for result in figures.values() for value in result.values()} == {float}
    assert reward.compute_score("worldsmith/wide", "", truth, said(read, task.table()))["score"] == 1.0
    disclosed = read["worldsmith_calls"][0]["disclosed"]
    for calls in (None, [], [record_of([])], [record_of(disclosed[:1])]):
        memory = reward.compute_score("d", "", truth, {**said(read, task.table()), "worldsmith_calls": calls})
        assert memory["score"] < 0.5
        assert memory["item_f1"] == 1.0
        assert memory["score"] == 0.0 or calls[0]["disclosed"]


@pytest.mark.parametrize("name", CHATS)
def test_nothing_a_tool_returned_earns_in_any_chat_format(made, reward, name):
    task = next(iter(made[2].values()))[0]
    gold, (truth, read) = task.table(), truth_of(made, task)
    episode = CHATS[name].replace("REPLY", gold)
    for text in (episode, SPECIAL.sub("", episode)):
        for words in ("I give up.", ""):
            earned = reward.compute_score("d", text.replace("WORDS", words), truth, read)
            assert (earned["score"], earned["item_f1"]) == (0.0, 0.0)
        right = reward.compute_score("d", text.replace("WORDS", gold), truth, read)
        assert right["score"] == pytest.approx(0.9 * (1.0 - right["unread"]))
        marks_are_text = "</tool_response>" in episode or "Observation:" in episode or name == "Search-R1"
        assert right["unread"] == 0.0 or not marks_are_text
    spoken = episode.rpartition(gold)[2] if "analysis" in episode else "WORDS"
    for words, score in (("I give up.", 0.0), (gold, 1.0)):
        info = said(read, spoken.replace("WORDS", words), gold)
        earned = reward.compute_score("d", SPECIAL.sub("", episode).replace("WORDS", words), truth, info)
        assert (earned["score"], earned["unread"]) == (score, 0.0)


def test_an_episode_cut_off_after_a_tools_reply_earns_nothing(made, reward):
    task = next(iter(made[2].values()))[0]
    calling = {**CALLING, "content": task.table()}
    truth, read = truth_of(made, task)
    for more in ([], [{"role": "tool", "content": task.table()}]):
        text = f'<tool_call>{{"name": "web_search"}}</tool_call>\n<tool_response>{task.table()}'
        earned = reward.compute_score("d", text, truth, {**read, "worldsmith_messages": [calling, *more]})
        assert earned["score"] == 0.0


def test_an_episode_without_a_server_counts_nowhere(made, reward):
    task = next(iter(made[2].values()))[0]
    (truth, read), down = truth_of(made, task), [record_of([], opened=False, unavailable=True)]
    for answer in ("", task.table(), "I found no server."):
        for penalties in (False, True):
            info = {**said(read, answer), "worldsmith_calls": down}
            masked = reward.compute_score("d", answer, truth, info, penalties=penalties)
            assert {name for name, value in masked.items() if value} == {"env_error"}
            assert {type(value) for value in masked.values()} == {float}
    alive = reward.compute_score("d", "no table", truth, {**read, "worldsmith_messages": None})
    assert (alive["scored"], alive["env_error"]) == (1.0, 0.0)
    assert set(alive) == set(masked)
    with pytest.raises(RuntimeError, match="none of 1 tool calls was answered"):
        reward.compute_score("d", "", truth, info, drop_faults=True)
    assert reward.compute_score("d", "", truth, said(read, task.table()), drop_faults=True)["score"] == 1.0
    assert reward.compute_score("d", "", truth, said(read, ""), penalties=True)["score"] < 0


def test_that_no_row_is_right_earns_only_after_a_page(made, reward):
    task = replace(next(iter(made[2].values()))[0], gold=(), pages=())
    for opened, answer, earned in ((True, task.table(), 1.0), (False, task.table(), 0.0), (True, "There are none.", 0)):
        truth, read = truth_of(made, task)
        info = {**said(read, answer), "worldsmith_calls": [{**read["worldsmith_calls"][0], "opened": opened}]}
        assert reward.compute_score("d", answer, truth, info)["score"] == earned


@pytest.fixture
def tools(verl, monkeypatch):
    """ws_tools of the export over a stand-in for verl's base class."""

    class BaseTool:
        def __init__(self, config, tool_schema):
            self.name = tool_schema["function"]["name"]

    class ToolResponse:
        def __init__(self, text=None):
            self.text = text

    modules = {
        name: types.ModuleType(name) for name in ("verl", "verl.tools", "verl.tools.base_tool", "verl.tools.schemas")
    }
    modules["verl.tools.base_tool"].BaseTool = BaseTool
    modules["verl.tools.schemas"].ToolResponse = ToolResponse
    monkeypatch.delenv("WORLDSMITH_BASE_URL", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path, str(verl[0])])
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return loaded(verl[0] / "ws_tools.py", "ws_tools_under_test")


def made_tools(tools, folder):
    listed = yaml.safe_load((folder / "tools.yaml").read_text())["tools"]
    assert [tool["class_name"].split(".")[0] for tool in listed] == ["ws_tools", "ws_tools"]
    assert {tool["config"]["type"] for tool in listed} == {"native"}
    for tool in listed:  # verl keeps only type, description and enum of a parameter
        for parameter in tool["tool_schema"]["function"]["parameters"]["properties"].values():
            assert set(parameter) == {"type", "description"}
    classes = [getattr(tools, tool["class_name"].split(".")[1]) for tool in listed]
    return {
        tool["tool_schema"]["function"]["name"]: cls(tool["config"], tool["tool_schema"])
        for tool, cls in zip(listed, classes, strict=True)
    }


def called(tool, place, parameters, data):
    """One call as verl makes it."""

    async def call():
        instance, _ = await tool.create(create_kwargs=place)
        try:
            return await tool.execute(instance, parameters, agent_data=data)
        finally:
            await tool.release(instance)

    reply, reward, _ = asyncio.run(call())
    assert reward == 0.0
    return reply.text


def test_tools_search_and_read_the_world_of_their_row(tools, verl, made):
    folders, worlds, _ = made
    both, data = made_tools(tools, verl[0]), types.SimpleNamespace(extra_fields={}, messages=[], request_id="a1b2")
    with running_server(folders) as base_url:
        for world in worlds[:2]:
            pages, place = Pages(world), {"base_url": f"{base_url}/w/{world.id}"}
            row = next(row for table in world.tables for row in world.rows_of(table) if pages.about(row))
            url = pages.url(pages.about(row))
            assert url in called(both["web_search"], place, {"query": world.title(row)}, data)
            text = called(both["web_extractor"], place, {"url": url, "nonsense": 1}, data)
            assert world.title(row).split(",")[0] in text
        assert called(both["web_search"], place, {}, data).startswith('Error: web_search needs "query"')
        text = called(both["web_extractor"], place, {"url": "https://nowhere.example/x"}, data)
        assert text.startswith("Error: page not found")
    records = data.extra_fields.pop("worldsmith_calls")
    assert data.extra_fields == {"worldsmith_messages": data.messages}
    assert [(record["call"]["tool"], record["opened"]) for record in records] == [
        *[("web_search", False), ("web_extractor", True)] * 2,
        ("web_extractor", False),
    ]
    page = Simulator(worlds[1]).call(Address(worlds[1].id), Call("web_extractor", url, max_chars=MAX_CHARS))
    assert set(disclosure_hashes(page.disclosed, worlds[1].digest)) <= set(records[3]["disclosed"])


@pytest.mark.parametrize(("count", "batch", "steps"), [(1, 1, 1), (3, 2, 1), (8, 8, 1), (100, 32, 3)])
def test_a_step_takes_no_more_tasks_than_there_are(made, tmp_path, count, batch, steps):
    tasks = next(iter(made[2].values()))
    folder = shutil.copytree(made[0][0], tmp_path / "w" / made[0][0].name)
    again = [replace(tasks[i % len(tasks)], question=f"{i}: {tasks[i % len(tasks)].question}") for i in range(count)]
    save_recorded(folder, again)
    export(SeparateWorlds([folder]), "verl", tmp_path / "out", test_share=0)
    script, readme = ((tmp_path / "out" / name).read_text() for name in ("run.sh", "README.md"))
    assert script.count(f'batch_size="${{BATCH:-{batch}}}"') == 2
    assert f"{steps} steps an epoch" in readme
    response = int(script.partition("${RESPONSE:-")[2].partition("}")[0])
    assert f"a context of {4096 + response} tokens" in readme
    assert "@" not in readme


def test_readmes_say_how_worlds_were_divided(made, tmp_path, verl):
    assert "by whole worlds: 1 of 3 kept for testing." in (verl[0] / "README.md").read_text()
    export(SeparateWorlds(made[0][:1]), "jsonl", tmp_path)
    assert (
        "All tasks are of one world: test holds the last of them, and shares worlds with train."
        in (tmp_path / "README.md").read_text()
    )


def test_jsonl_is_scored_by_what_stands_beside_it(made, tmp_path):
    export(SeparateWorlds(made[0]), "jsonl", tmp_path, test_share=0)
    task = next(iter(made[2].values()))[0]
    answers = [{"task_id": task.task_id, "answer": task.table()}, {"task_id": task.task_id, "answer": ""}]
    save_jsonl(tmp_path / "answers.jsonl", answers)
    command = [sys.executable, "-I", "-c", "import sys, runpy; sys.path.insert(0, '.'); runpy.run_path('score.py')"]
    done = subprocess.run([*command, "train.jsonl", "answers.jsonl"], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode().splitlines() == [
        f"{task.task_id} item F1 1.000, row F1 1.000",
        f"{task.task_id} item F1 0.000, row F1 0.000",
    ]


def selfchecked(folder):
    """Exit code and output of an export's selfcheck, by a Python that has nothing installed."""
    code = "import sys, runpy; sys.path.insert(0, '.'); runpy.run_path('selfcheck.py', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("to", "file", "before", "after"),
    [
        ("jsonl", "train.jsonl", '"split":"train"', '"split":"test"'),
        ("jsonl", "worldsmith_kit/scoring/reward.py", "CELLS, ROWS, WHOLE = 0.7", "CELLS, ROWS, WHOLE = 0.6"),
        ("sft", "train.jsonl", '"tool_call_id":"call00001"', '"tool_call_id":"call00009"'),
        ("sft", "train.jsonl", '"role":"assistant"', '"role":"model"'),
        ("beir", "qrels/test.tsv", "https://", "http://"),
        ("beir", "hard_negatives.jsonl", '"corpus_ids":["', '"corpus_ids":["x'),
    ],
)
def test_the_selfcheck_passes_and_fails_where_something_was_changed(folder, tmp_path, to, file, before, after):
    export(SeparateWorlds([folder]), to, tmp_path / "out")
    code, printed = selfchecked(tmp_path / "out")
    assert code == 0, printed
    assert to == "beir" or printed.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2
    assert to != "beir" or (printed.endswith("\n") and "perfect 1.000, negatives 0.000, half 0." in printed)
    text = (tmp_path / "out" / file).read_text("utf-8")
    assert before in text
    (tmp_path / "out" / file).write_text(text.replace(before, after, 1), "utf-8")
    assert selfchecked(tmp_path / "out")[0] == 1


def test_run_sets_what_search_tasks_need(verl):
    script = (verl[0] / "run.sh").read_text()
    subprocess.run(["bash", "-n", "run.sh"], cwd=verl[0], check=True)
    assert "@" not in script.replace('"$@"', "").replace("$@", "")
    for override in ("multi_turn.enable=True", "max_tool_response_length=16384", 'RESPONSE:-24576}"'):
        assert override in script
    assert (verl[0] / "run.sh").stat().st_mode & 0o111


def test_the_selfcheck_for_verl_names_the_package_that_is_missing(verl):
    command = [sys.executable, "-S", "selfcheck.py"]
    done = subprocess.run(command, cwd=verl[0], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "this check needs the package verl: pip install verl==0.9.1 cachetools fastapi uvicorn torch\n"
    )


def test_wrong_use_says_the_fix(made, tmp_path):
    folders = made[0]
    with pytest.raises(NotFoundError, match="Did you mean 'verl'"):
        export(SeparateWorlds(folders), "verll", tmp_path)
    with pytest.raises(UsageError, match="base URL"):
        export(SeparateWorlds(folders), "jsonl", tmp_path, base_url="localhost:8000")
    with pytest.raises(UsageError, match="test share"):
        export(SeparateWorlds(folders), "jsonl", tmp_path, test_share=1.0)
    folder = shutil.copytree(folders[0], tmp_path / "w" / folders[0].name)
    alone = SeparateWorlds([folder])
    with pytest.raises(NotFoundError, match="make them with"):
        export(alone, "jsonl", tmp_path)
    save_jsonl(tasks_file(folder), [])
    with pytest.raises(UsageError, match="no task to export"):
        export(alone, "jsonl", tmp_path)
    save_jsonl(tasks_file(folder), [{"task_id": "x"}])
    with pytest.raises(FormatError, match="line 1: not a task"):
        export(alone, "jsonl", tmp_path)


@pytest.fixture(scope="module")
def proved_folder(town, tmp_path_factory):
    """A world on disk with three tasks and their certificates."""
    simulator = Simulator(town)
    drawn = islice(candidates(town, Pages(town), 2, "small"), 3)
    folder = save_world(town, tmp_path_factory.mktemp("proved"))
    proved = (replace(task, certificate=certify(task, town, SimulatorClient(simulator)).to_json()) for task in drawn)
    save_jsonl(tasks_file(folder), [task.to_json() for task in proved])
    return folder


def test_sft_conversations_are_episodes_that_earn_one(tmp_path, proved_folder):
    tasks = {task.task_id: task for task in tasks_of(proved_folder)}
    out = tmp_path / "sft"
    assert export(SeparateWorlds([proved_folder]), "sft", out, reasoning="none")["train"] == 2
    lines = [
        json.loads(line)
        for name in ("train", "test")
        for line in (out / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    assert {line["task_id"] for line in lines} == set(tasks)
    for line in lines:
        task, messages = tasks[line["task_id"]], line["messages"]
        asked = sum("tool_calls" in m for m in messages)
        assert [m["role"] for m in messages] == ["system", "user", *["assistant", "tool"] * asked, "assistant"]
        calls = [call for m in messages for call in m.get("tool_calls", ())]
        for at, message in enumerate(messages):
            for call in message.get("tool_calls", ()):
                url = call["function"]["arguments"].get("url", "")
                assert any(url in earlier["content"] for earlier in messages[:at])
        assert [set(m) for m in messages if m["role"] == "tool"] == [{"role", "content", "name", "tool_call_id"}] * len(
            calls
        )
        ids = [(m["tool_call_id"], m["name"]) for m in messages if m["role"] == "tool"]
        assert ids == [(call["id"], call["function"]["name"]) for call in calls]
        assert len(set(ids)) == len(ids)
        assert all(len(call["id"]) == 9 and call["id"].isalnum() and call["type"] == "function" for call in calls)
        shown = task.question
        for call, reply in zip(calls, (m["content"] for m in messages if m["role"] == "tool"), strict=True):
            assert call["function"]["arguments"].get("url", "") in shown  # no address comes from nowhere
            shown += reply
        assert not any(None in call["function"]["arguments"].values() for call in calls)
        assert json.loads(line["tools"]) == [*TOOLS]
        assert messages[1]["content"] == task.question
        assert scoring.score(messages[-1]["content"], task.columns, task.gold).success
        # A row stands where the page that is headed by its key was read.
        read = [m["content"].split("\n")[0] for m in messages if m["role"] == "tool"]
        keys = [line.split(" | ")[0].removeprefix("| ") for line in messages[-1]["content"].split("\n")[3:-1]]
        headed = [
            next((n for n, first in enumerate(read) if key in first and first.startswith("#")), None) for key in keys
        ]
        assert None not in headed
        assert headed == sorted(headed)
        assert not any(m["content"].startswith("Error") for m in messages if m["role"] == "tool")


@pytest.fixture(scope="module")
def natural_conversations():
    """Conversations of a natural world with reasoning of their own field, with task and evaluator."""
    world = generate(load_schema("town"), 4, language="natural")
    simulator, evaluator = Simulator(world), QueryEvaluator(world)
    return [
        (task, evaluator, conversation(task, world, simulator, "reasoning_content", number))
        for number, task in enumerate(mine(world, 4).tasks)
    ]


def test_reasoning_says_only_what_is_known_by_then(natural_conversations):
    """Held apart from how it is made: names of the whole world, and all digits."""
    thoughts = []
    for task, evaluator, messages in natural_conversations:
        tables = evaluator.world.tables.values()
        values = {v for table in tables for column in table.values() for v in column if isinstance(v, str)}
        names = [v for v in values if re.search("[A-Z]", v)]
        queries = list(task.query.chain())
        counts = {
            len(rows)
            for q in queries
            for rows in (evaluator.in_scope(q), evaluator.passing(q), evaluator.matching_rows(q))
        }
        known = task.question
        for message in messages[2:]:
            if message["role"] == "tool":
                known += "\n" + message["content"]
                continue
            thought = message["reasoning_content"]
            thoughts.append(thought)
            assert 2 <= len(thought.split()) <= 30
            assert [n for n in names if re.search(rf"\b{re.escape(n)}\b", thought) and n not in known] == []
            for number in re.findall(r"\d[\d.,]*\d|\d", thought):
                stands = re.search(rf"(?<!\d){re.escape(number)}(?!\d)", known) or f"{number} more" in thought
                assert stands or int(number) in counts, thought
    shapes = {re.sub(r"[A-Z]\w+|\d+", "#", thought) for thought in thoughts}
    assert len(shapes) > len(thoughts) / 3


def test_reasoning_counts_rows_and_names_those_that_fall_out(natural_conversations):
    for task, evaluator, messages in natural_conversations:
        last = messages[-1]["reasoning_content"]
        if task.query.key:
            assert str(len(task.gold)) in re.findall(r"\d+", last)
        kept = set(evaluator.matching_rows(task.query))
        names = evaluator.world.tables[task.query.table][evaluator.world.schema.tables[task.query.table].key[0]]
        out = re.compile(r"(?:I drop|Not) ([^,:]+?), (?:going by|given)")
        for message in messages:
            for name in out.findall(message.get("reasoning_content", "")):
                assert name not in [names[i] for i in kept]


@pytest.mark.parametrize("placement", ["content", "reasoning_content", "none"])
def test_reasoning_stands_where_it_is_asked_for(tmp_path, proved_folder, placement):
    export(SeparateWorlds([proved_folder]), "sft", tmp_path / "out", reasoning=placement)
    (row, *_) = read_jsonl(tmp_path / "out" / "train.jsonl")
    said = [m for m in row["messages"] if m["role"] == "assistant"]
    assert all(("reasoning_content" in m) == (placement == "reasoning_content") for m in said)
    assert all(m["content"].startswith("<think>\n") == (placement == "content") for m in said)
    assert said[-1]["content"].endswith("```")
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert {"content": "`<think>`", "reasoning_content": "`reasoning_content`", "none": "No message"}[placement] in card


def test_reasoning_is_for_sft_alone(tmp_path, proved_folder):
    with pytest.raises(UsageError, match="reasoning 'content': for exports to sft"):
        export(SeparateWorlds([proved_folder]), "jsonl", tmp_path / "out", reasoning="content")
    with pytest.raises(UsageError, match="one of content, reasoning_content, none"):
        export(SeparateWorlds([proved_folder]), "sft", tmp_path / "out", reasoning="thoughts")


def test_ways_of_solving_are_imitated_by_turns(natural_conversations):
    ((task, evaluator, _), *_) = natural_conversations
    client = SimulatorClient(Simulator(evaluator.world))
    first, second, third = (way_to_imitate(task, client, number) for number in range(3))
    assert first == third == task.certificate["calls"]
    assert [call["arg"] for call in second] != [call["arg"] for call in first]
    for way in (first, second):
        calls = useful_calls(task, client, way, 5)
        client = client.afresh()
        read = [client.extract(c["arg"], c.get("offset", 0)) for c in calls if c["tool"] == "web_extractor"]
        assert required_disclosures(task, evaluator) <= client.page_disclosures
        assert len(read) == sum(call["tool"] == "web_extractor" for call in way)
        assert len(calls) - len(read) <= 2 * sum(call["tool"] == "web_search" for call in way)


def test_sft_rows_survive_datasets(tmp_path, proved_folder):
    datasets = pytest.importorskip("datasets")
    export(SeparateWorlds([proved_folder]), "sft", tmp_path / "sft")
    lines = (tmp_path / "sft" / "train.jsonl").read_text("utf-8").splitlines()
    loaded_rows = datasets.load_dataset(
        "json", data_files=str(tmp_path / "sft" / "train.jsonl"), split="train", cache_dir=str(tmp_path)
    )
    assert [dict(row) for row in loaded_rows] == [json.loads(line) for line in lines]


def test_the_card_reads_the_evidence_of_single_calls_and_of_batches():
    readme = (ADAPTERS / "jsonl" / "README.md").read_text("utf-8")
    (line,) = (line.strip() for line in readme.splitlines() if "disclosed = " in line)
    names = {"headers": ["aaaaaaaa bbbbbbbb", "cccccccc dddddddd, eeeeeeee, ", ""]}
    exec(line, names)
    assert names["disclosed"] == {"aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd", "eeeeeeee"}


def test_the_tools_are_the_same_in_all_exports(verl):
    listed = yaml.safe_load((verl[0] / "tools.yaml").read_text())["tools"]
    assert [tool["tool_schema"] for tool in listed] == [*TOOLS]


def test_sft_needs_certificates(tmp_path, made):
    with pytest.raises(UsageError, match="has no certificate: mine the tasks"):
        export(SeparateWorlds(made[0]), "sft", tmp_path)


CANARY = "worldsmith canary 001f9226-7a25-64f7-2b71-158135452674"
"""Written out here: documents that were exported earlier are found by it."""


def rows_of(out, to):
    if to in TEST_ONLY:
        return [*read_jsonl(out / {"beir": "queries.jsonl", "widesearch": "widesearch.jsonl"}[to])]
    return [
        row
        for name in ("train", "test")
        for file in out.rglob(f"{name}.*")
        for row in {".parquet": parquet, ".jsonl": read_jsonl}.get(file.suffix, lambda _file: ())(file)
    ]


@pytest.mark.parametrize("to", sorted(FORMATS))
def test_every_row_and_data_card_holds_the_canary_and_nothing_that_an_agent_sees_does(folder, mined, tmp_path, to):
    assert exports.CANARY == CANARY
    assert sha256(b"worldsmith canary").hexdigest().startswith(CANARY.rsplit(maxsplit=1)[-1].replace("-", ""))
    out = tmp_path / "e"
    export(SeparateWorlds([folder]), to, out)
    assert (out / "README.md").read_text("utf-8").count(CANARY) == 1
    rows = rows_of(out, to)
    assert len(rows) == len(mined)
    for row in rows:
        assert json.dumps(row, default=str).count(CANARY) == 1
        shown = [row.get("prompt"), row.get("messages"), row.get("question"), row.get("tools"), row.get("columns")]
        shown.append(row.get("text"))
        extra = row.get("extra_info") or {}
        shown += [extra.get("tools_kwargs"), row.get("reward_model"), row.get("reference")]
        assert CANARY not in json.dumps(shown, default=str)
    code = [p for p in out.rglob("*") if p.suffix in (".py", ".sh", ".yaml")]
    assert not [p for p in code if CANARY in p.read_text("utf-8")]


def test_no_prompt_tool_or_reply_holds_the_canary(town, mined):
    environment = Environment(town, mined[0], Simulator(town))
    shown = json.dumps([*map(dict, environment.reset()), TOOLS])
    for call in mined[0].certificate["calls"]:
        shown += environment.step({"tool_calls": [{"function": function_call(call)}]}).observation
    assert len(shown) > 10_000
    assert "canary" not in shown.casefold()
    pages = Pages(town)
    assert not [i for i in pages.ids() if CANARY in markdown(render(pages.page(i), town, pages))]
