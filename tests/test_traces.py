"""Traces: what stands in them, what a crash leaves, how long a line gets, and what the command shows."""

import asyncio
import json
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from worldsmith.cli import main
from worldsmith.errors import BackendError, FormatError
from worldsmith.pages import Pages
from worldsmith.serving import create_app
from worldsmith.simulate.protocol import Address, Call, Conversation, Draft, Exchange, Observation, Result, Slice
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.store import Store
from worldsmith.simulate.traces import MAX_LINE_BYTES, Traced, Traces, file_name, read_trace, trace_line
from worldsmith.world import files
from worldsmith.world.model import World

SEARCH = Call("web_search", "shops", k=3)


def only(folder: Path) -> Path:
    (path,) = folder.glob("*.jsonl")
    return path


def test_a_call_is_told_with_its_slice_its_edits_and_what_was_seen(town: World, tmp_path: Path) -> None:
    simulator, address = Simulator(town), Address(town.id, "adversarial", 3, "s/../1")
    traced = Traced(simulator, Traces(tmp_path))
    seen = [asyncio.run(traced.acall(address, SEARCH, attempt)) for attempt in range(3)]
    head, records, broken = read_trace(only(tmp_path))
    told = {"world": town.id, "profile": "adversarial", "seed": 3, "session": "s/../1"}
    assert (head, broken) == ({"worldsmith_trace": 1, **told}, 0)
    assert [r["attempt"] for r in records] == [0, 1, 2]
    assert [r["observation"]["status"] for r in records] == [s.status for s in seen]
    last, part = records[-1], seen[-1].part
    assert part is not None
    assert last["call"] == {"tool": "web_search", "arg": "shops", "page": 1, "k": 3}
    assert last["slice"]["pages"] == [view.page.id for view in part.views]
    assert [(c["edit"], c["page"], len(c["cells"])) for c in last["slice"]["changes"]] == [
        (c.kind, c.page, len(c.cells)) for c in part.changes
    ]
    assert last["slice"]["changes"]
    assert [r["url"] for r in last["observation"]["results"]] == [r.url for r in seen[-1].results]


def test_files_are_named_by_the_whole_address_whatever_a_session_is_called(town: World) -> None:
    names = {file_name(Address(town.id, "clean", 0, s)) for s in ("", "a", "../../x", "\x00", "a" * 5000)}
    assert len(names) == 5
    assert all(name.startswith(f"{town.id}.") and "/" not in name and len(name) < 80 for name in names)


def test_half_a_last_line_is_survived(town: World, tmp_path: Path) -> None:
    address, seen = Address(town.id), Observation("not_found")
    Traces(tmp_path).call(address, SEARCH, 0, seen)
    path = only(tmp_path)
    whole = path.read_bytes()
    for cut in range(len(whole.split(b"\n")[0]) + 2, len(whole)):
        path.write_bytes(whole[:cut])
        Traces(tmp_path).call(address, SEARCH, 1, seen)
        _, records, broken = read_trace(path)
        assert records[-1]["attempt"] == 1
        # the line without its end is whole: nothing is lost then
        assert (len(records), broken) == ((2, 0) if cut == len(whole) - 1 else (1, 1))


def test_a_write_that_fails_is_said_once_and_stops_nothing(town: World, tmp_path: Path) -> None:
    said: list[str] = []
    traces = Traces(tmp_path, said.append)
    tmp_path.chmod(0o500)
    gone = tmp_path / "gone"
    traces.folder = gone
    for _ in range(3):
        traces.call(Address(town.id), SEARCH, 0, Observation("not_found"))
    tmp_path.chmod(0o700)
    assert len(said) == 1
    assert "could not be written" in said[0]


@pytest.mark.parametrize(
    "what",
    [
        {"text": "x" * 3_000_000},
        {"list": ["y" * 50_000] * 200},
        {"deep": [{"a": ["z" * 3000] * 900}] * 50},
        {"call": {"arg": "é\u2028" * 900_000}},
    ],
    ids=["text", "list", "deep", "wide letters"],
)
def test_a_line_is_bounded_and_one_line(what: dict) -> None:
    data = trace_line(what)
    assert len(data) <= MAX_LINE_BYTES + 1
    assert data.count(b"\n") == 1
    assert set(orjson.loads(data)) == set(what)


def test_a_short_record_is_kept_whole() -> None:
    assert orjson.loads(trace_line({"text": "a\nb\u2028c", "n": [1, None]})) == {"text": "a\nb\u2028c", "n": [1, None]}


class Fails:
    """Writes something unreadable, then our renderer's text with a lie."""

    version = "m 1"

    def writer(self, pages: Pages) -> "Fails":
        self.pages = pages
        return self

    async def draft(self, slice_: Slice, talk: Conversation) -> Draft:
        talk.exchanges.append(Exchange((("system", "PROMPT"), ("user", "ACTION")), "RAW REPLY", "holds no results"))
        raise BackendError("holds no results")


def test_prompt_and_raw_reply_are_in_the_trace_and_shown(town: World, tmp_path: Path) -> None:
    traced = Traced(Simulator(town, model=Fails()), Traces(tmp_path))
    asyncio.run(traced.acall(Address(town.id), SEARCH))
    (record,) = read_trace(only(tmp_path))[1]
    assert record["model"] == [
        {
            "messages": [["system", "PROMPT"], ["user", "ACTION"]],
            "reply": "RAW REPLY",
            "error": "holds no results",
        }
    ]
    assert record["verdicts"]["rejected"] == [{"where": "model", "text": "", "why": "holds no results"}]
    shown = CliRunner().invoke(main, ["trace", str(only(tmp_path))])
    assert shown.exit_code == 0
    for text in (
        "1. web_search 'shops'",
        "PROMPT",
        "ACTION",
        "RAW REPLY",
        "not used: holds no results",
        "[1] https://",
    ):
        assert text in shown.output
    as_json = CliRunner().invoke(main, ["trace", str(only(tmp_path)), "--json"]).stdout.splitlines()
    assert [json.loads(text) for text in as_json] == [*[read_trace(only(tmp_path))[0]], record]


@pytest.mark.parametrize("text", ["", "{}\n", "not json\n", '{"worldsmith_trace": 9}\n'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    with pytest.raises(FormatError, match=r"is not a trace|of format 9"):
        read_trace(tmp_path / "x")


def test_an_episode_is_written_with_its_messages(tmp_path: Path) -> None:
    args = ["generate", "town", "--seed", "7", "--tasks", "1", "--size", "small", "--out", str(tmp_path / "w")]
    assert CliRunner().invoke(main, args).exit_code == 0
    found = CliRunner().invoke(
        main, ["run", str(tmp_path / "w"), "--agent", "oracle", "--trace", str(tmp_path / "t"), "--json"]
    )
    (row,) = [json.loads(text) for text in found.stdout.splitlines()]
    _, records, _ = read_trace(only(tmp_path / "t"))
    (folder,) = files.world_folders([tmp_path / "w"])
    task = json.loads(files.tasks_file(folder).read_text().split("\n")[0])
    assert (records[0]["role"], records[0]["content"], records[0]["task_id"]) == (
        "user",
        task["question"],
        row["task_id"],
    )
    assert (records[-1]["role"], records[-1]["content"]) == ("assistant", row["answer"])
    calls = [record["call"]["tool"] for record in records if "call" in record]
    assert (calls.count("web_search"), calls.count("web_extractor")) == (row["search_calls"], row["extract_calls"])


def test_what_our_renderer_writes_is_what_the_trace_holds(town: World, tmp_path: Path) -> None:
    pages = Pages(town)
    simulator = Simulator(town, pages=pages)
    call = Call("web_extractor", pages.url("shop/3"), max_chars=300)
    seen = asyncio.run(Traced(simulator, Traces(tmp_path)).acall(Address(town.id), call))
    (record,) = read_trace(only(tmp_path))[1]
    assert record["observation"]["text"] == seen.text
    assert record["observation"]["next_offset"] == seen.next_offset
    assert (record["call"], record["slice"]["pages"]) == (
        {"tool": "web_extractor", "arg": call.arg, "max_chars": 300},
        ["shop/3"],
    )


def test_a_server_writes_a_file_a_session(town: World, tmp_path: Path) -> None:
    traces = Traces(tmp_path)
    app = create_app([town], simulate=lambda world: Traced(Simulator(world), traces))
    with TestClient(app) as client:
        for session in ("a", "b"):
            for query in ("shops", "streets"):
                path = f"/w/{town.id};session={session}/api/search"
                assert client.post(path, json={"query": query}).status_code == 200
    told = [read_trace(path) for path in sorted(tmp_path.glob("*.jsonl"))]
    assert sorted(head["session"] for head, _, _ in told) == ["a", "b"]
    assert [[r["call"]["arg"] for r in records] for _, records, _ in told] == [["shops", "streets"]] * 2


def test_texts_travel_by_the_command_line(tmp_path: Path) -> None:
    def call(*args: object) -> str:
        done = CliRunner().invoke(main, ["store", *map(str, args)])
        assert done.exit_code == 0, done.output
        return done.output

    made = Store(tmp_path / "a.db")
    made.put("0" * 64, (Result("u", "t", "s", None, 0.5),), "m 1")
    made.count_call(Address("w", session="s"), SEARCH)
    made.close()
    out = tmp_path / "t.jsonl"
    assert call("export", tmp_path / "a.db", out) == f"1 text of m 1 in {out}\n"
    assert call("import", tmp_path / "b.db", out) == "1 text added, 0 known\n"
    assert call("import", tmp_path / "b.db", out) == "0 texts added, 1 known\n"
    assert call("export", tmp_path / "b.db", tmp_path / "u.jsonl", "--json")
    assert (tmp_path / "u.jsonl").read_bytes() == out.read_bytes()
    assert call("prune", tmp_path / "a.db") == "1 count of attempts forgotten\n"
    out.write_bytes(out.read_bytes()[:-20])
    broken = CliRunner().invoke(main, ["store", "import", str(tmp_path / "b.db"), str(out)])
    assert (broken.exit_code, "line 2: not a stored text" in broken.output) == (2, True)
