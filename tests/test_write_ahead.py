"""`worldsmith write`: a model's pages go into the store once each, even after a kill, and are served from there."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldsmith.cli import main
from worldsmith.errors import BackendError, StoreError
from worldsmith.generation import generate
from worldsmith.mining.files import save_tasks
from worldsmith.mining.pipeline import MiningRequest, mine_request
from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown, render
from worldsmith.schema import load_schema
from worldsmith.simulate.llm.model import StoredOnly
from worldsmith.simulate.llm.write_ahead import Written, page_calls, write_ahead
from worldsmith.simulate.markdown_reader import parse_markdown
from worldsmith.simulate.protocol import Address, Call, Conversation, Draft, Slice
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.store import Store
from worldsmith.world.files import save_world
from worldsmith.world.model import World


@pytest.fixture(scope="module")
def natural() -> World:
    return generate(load_schema("town"), 31, language="natural")


@dataclass
class Copyist:
    """A model that repeats our page, adds a lie to every third one, and fails for every seventh at the first time."""

    world: World
    version: str = "copyist"
    requests: list[str] = field(default_factory=list)

    def writer(self, pages: Pages) -> "Copyist":
        self.pages = pages
        return self

    async def draft(self, slice_: Slice, _talk: Conversation) -> Draft:
        await asyncio.sleep(0)
        page = slice_.views[0].page
        number = int(page.id.rpartition("/")[2])
        first = page.url not in self.requests
        self.requests.append(page.url)
        if number % 7 == 3 and first:
            raise BackendError("down")
        text = markdown(render(page, self.world, self.pages))
        return parse_markdown(f"{text}\n\nIt fell down in 1777.\n" if number % 3 == 0 else text, page.url)


CALLS = 24


def written(simulator: Simulator, calls: list[Call], **options: object) -> Written:
    counts = Written()
    asyncio.run(write_ahead(simulator, Address(simulator.world.id), calls, counts, concurrency=4, **options))  # type: ignore[arg-type]
    return counts


def test_each_page_is_written_once_and_then_served_without_the_model(natural: World, tmp_path: Path) -> None:
    model, store = Copyist(natural), Store(tmp_path / "texts.db")
    simulator = Simulator(natural, model=model, store=store)
    address = Address(natural.id)
    calls = [call for call in page_calls(simulator, address) if "/street/" in call.arg][:CALLS]
    first = written(simulator, calls)
    assert len(calls) == CALLS
    assert first.outcomes["failed"] > 0
    assert first.outcomes["repaired"] > 0
    assert first.outcomes["rejected"] == first.outcomes["known"] == 0
    assert first.outcomes.total() == CALLS
    assert first.reasons["value"] == first.outcomes["repaired"]
    requests = len(model.requests)
    again = written(simulator, calls)
    assert again.outcomes["known"] == CALLS - first.outcomes["failed"]
    assert again.outcomes["failed"] == 0
    assert len(model.requests) < requests + 2 * first.outcomes["failed"] + 1
    served = Simulator(natural, model=StoredOnly("copyist"), store=store)
    replies = [served.call(address, call) for call in calls]
    assert [reply.source for reply in replies] == ["store"] * CALLS
    assert "1777" not in "".join(reply.text for reply in replies)
    own = Simulator(natural)
    ours = [own.call(address, call) for call in calls]
    assert [set(a.disclosed) >= set(b.disclosed) for a, b in zip(replies, ours, strict=True)] == [True] * CALLS


def test_a_limit_counts_what_the_model_is_asked_for(natural: World, tmp_path: Path) -> None:
    simulator = Simulator(natural, model=Copyist(natural), store=Store(tmp_path / "texts.db"))
    calls = [call for call in page_calls(simulator, Address(natural.id)) if "/story/" in call.arg][:CALLS]
    counts = [written(simulator, calls, limit=5).outcomes for _ in range(2)]
    assert [c.total() - c["known"] for c in counts] == [5, 5]
    assert counts[0]["known"] == 0
    assert counts[1]["known"] == 5 - counts[0]["failed"]


def test_a_model_that_is_refused_ends_the_run(natural: World, tmp_path: Path) -> None:
    simulator = Simulator(natural, model=Copyist(natural), store=Store(tmp_path / "texts.db"))
    calls = list(page_calls(simulator, Address(natural.id)))
    counts = written(simulator, calls, refused=lambda: "it is down")
    assert counts.stopped == "it is down"
    assert counts.outcomes.total() <= 4


class Parrot(BaseHTTPRequestHandler):
    """An OpenAI-compatible endpoint that writes our own pages; after `most` answers it kills the process it serves."""

    texts: dict[str, str] = {}  # noqa: RUF012 - filled by the fixture
    requests: list[str] = []  # noqa: RUF012 - likewise
    most = 0
    child: "subprocess.Popen[str] | None" = None

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        action = body["messages"][1]["content"]
        url = json.loads(action.partition("```json\n")[2].partition("\n```")[0])["arguments"]["url"]
        self.requests.append(url)
        if self.child is not None and len(self.requests) == self.most:
            os.kill(self.child.pid, signal.SIGKILL)
        message = {"role": "assistant", "content": self.texts[url]}
        reply = {"id": "1", "object": "chat.completion", "created": 0, "model": "parrot", "choices": []}
        data = json.dumps(reply | {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def endpoint(natural: World) -> Iterator[str]:
    pages = Pages(natural)
    plans = (pages.page(page_id) for page_id in pages.ids())
    Parrot.texts = {page.url: markdown(render(page, natural, pages)) for page in plans}
    Parrot.requests, Parrot.child, Parrot.most = [], None, 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Parrot)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # the client was killed
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_a_killed_run_goes_on_where_it_was(natural: World, endpoint: str, tmp_path: Path) -> None:
    folder, file = save_world(natural, tmp_path), tmp_path / "texts.db"
    options = [str(folder), "--model", "parrot", "--model-url", endpoint, "--store", str(file)]
    command = [sys.executable, "-m", "worldsmith", "write", *options, "--concurrency", "2"]
    Parrot.most = 12
    with subprocess.Popen(command, text=True) as child:
        Parrot.child = child
    assert child.returncode == -signal.SIGKILL
    Parrot.child = None
    kept = Store(file)
    stored = len(list(kept.lines())) - 1
    kept.close()
    requests = list(Parrot.requests)
    assert 12 - 2 <= stored <= 12
    result = CliRunner().invoke(main, ["write", *options, "--json", "--limit", "8"])
    assert result.exit_code == 0, result.output
    counts = json.loads(result.stdout)
    assert (counts["known"], counts["accepted"], counts["failed"]) == (stored, 8, 0)
    assert len(Parrot.requests) == len(requests) + 8
    repeated = set(requests) & set(Parrot.requests[len(requests) :])
    assert len(repeated) <= 2  # those that were under way
    page = Parrot.requests[-1]
    served = CliRunner().invoke(main, ["extract", str(folder), page, "--store", str(file), "--json"])
    assert json.loads(served.stdout)["source"] == "store"


def test_an_agent_is_answered_from_a_store(natural: World, tmp_path: Path) -> None:
    folder, request = save_world(natural, tmp_path / "w"), MiningRequest(1, kinds="deep")
    mined = mine_request(natural, request)
    save_tasks(folder, natural, request, mined)
    store = Store(tmp_path / "texts.db")
    simulator = Simulator(natural, model=Copyist(natural), store=store)
    calls = [Call("web_extractor", c["arg"]) for c in mined.tasks[0].certificate["calls"] if c["tool"] != "web_search"]
    for _ in range(2):  # the model fails once for some
        counts = written(simulator, calls)
    store.close()
    assert counts.outcomes["failed"] == 0
    options = ["run", str(folder), "--agent", "oracle", "--store", str(tmp_path / "texts.db"), "--trace", str(tmp_path)]
    result = CliRunner().invoke(main, [*options, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["item_f1"] == 1.0
    (trace,) = tmp_path.glob("*.jsonl")
    records = [json.loads(line) for line in trace.read_text().splitlines()]
    pages = [r["observation"]["source"] for r in records if r.get("call", {}).get("tool") == "web_extractor"]
    assert "store" in pages
    assert CliRunner().invoke(main, [*options, "--base-url", "http://127.0.0.1:9"]).exit_code == 2


def test_on_a_full_disk_writing_ends_and_what_was_stored_is_kept(natural: World, tmp_path: Path) -> None:
    store = Store(tmp_path / "texts.db")
    simulator = Simulator(natural, model=Copyist(natural), store=store)
    calls = [call for call in page_calls(simulator, Address(natural.id)) if "/street/" in call.arg][:CALLS]
    store._db.execute("pragma max_page_count = 10")  # what a full disk does: no page more
    with pytest.raises(StoreError, match=r"texts\.db: texts can't be kept: database or disk is full; free space"):
        written(simulator, calls)
    kept = len(list(store.lines())) - 1
    assert 0 < kept < CALLS
    store._db.execute("pragma max_page_count = 10000")
    assert written(simulator, calls).outcomes["known"] == kept
    store.close()


def test_a_model_and_a_store_are_needed(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["write", str(tmp_path), "--model", "parrot"])
    assert result.exit_code == 2
    assert "--model NAME --store FILE" in result.output
