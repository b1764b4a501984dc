"""What a reply, and a prompt, may depend on: never a task, an order, a session or a process."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from click.testing import CliRunner

from worldsmith.audit.language_model import Leaks
from worldsmith.cli import main
from worldsmith.pages import Pages
from worldsmith.pages.types import Doc, Para
from worldsmith.seeding import draw
from worldsmith.simulate.llm.model import Backend, Endpoint
from worldsmith.simulate.protocol import Address, Call, Result, Slice
from worldsmith.simulate.simulator import Simulator
from worldsmith.world import files

pytestmark = pytest.mark.slow
PROFILES = ("clean", "open", "sparse", "adversarial")
ASK = """
import asyncio, hashlib, json, sys
import httpx2
from worldsmith.world.files import world_folders
from worldsmith.serving import create_app
from pathlib import Path
folder, session, bodies = Path(sys.argv[1]), sys.argv[2], json.load(sys.stdin)
async def main():
    app = create_app(world_folders([folder]))
    told = {}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://t") as client:
        for name, path, body in bodies:
            reply = await client.post(f"{path};session={session}{'/api/' + name.split()[0]}", json=body)
            seen = [reply.status_code, sorted(reply.headers.items()), reply.text]
            told[name] = hashlib.sha256(json.dumps(seen).encode()).hexdigest()
    print(json.dumps(told))
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same two worlds, without tasks and with them."""
    found = []
    for tasks in ("0", "4"):
        out = tmp_path_factory.mktemp("w") / "w"
        for schema in ("town", "smartphones"):
            args = ["generate", schema, "--seed", "7", "--tasks", tasks, "--size", "small", "--out", str(out)]
            assert CliRunner().invoke(main, args).exit_code == 0
        found.append(out)
    return found[0], found[1]


def calls(folder: Path, count: int) -> list[tuple[str, str, dict]]:
    """Requests to the worlds of a folder: (name, path of the world, body), under profiles without attempt faults."""
    made = []
    for place in files.world_folders([folder]):
        world = files.load_world(place)
        pages = Pages(world)
        ids = sorted(pages.ids(), key=lambda i: draw(0, "test", i))
        for n in range(count // 2):
            page = pages.page(ids[n % len(ids)])
            path = f"/w/{world.id};profile={('clean', 'open', 'sparse', 'scarce')[n % 4]}"
            name = world.title(page.subject) if page.subject else world.schema.about
            kind, body = ("search", {"query": name, "k": 5 + n % 6}) if n % 2 else ("extract", {"url": page.url})
            made.append((f"{kind} {world.id} {n}", path, body))
    return made


def answered(folder: Path, session: str, bodies: list, repository: Path) -> subprocess.Popen:
    env = {**os.environ, "PYTHONPATH": str(repository), "PYTHONHASHSEED": str(len(session))}
    child = subprocess.Popen(
        [sys.executable, "-c", ASK, str(folder), session],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    child.stdin.write(json.dumps(bodies))
    child.stdin.close()
    child.stdin = None
    return child


def hashes(child: subprocess.Popen) -> dict[str, str]:
    out, err = child.communicate(timeout=500)
    assert child.returncode == 0, err
    return json.loads(out)


def test_replies_depend_on_no_task_order_session_or_process(folders: tuple[Path, Path], repository: Path) -> None:
    without, with_tasks = folders
    bodies = calls(without, 500)
    assert len({name for name, _, _ in bodies}) == 500
    first = hashes(answered(without, "a", bodies, repository))
    shuffled = sorted(bodies, key=lambda body: draw(1, "order", body[0]))
    assert hashes(answered(with_tasks, "bb", shuffled, repository)) == first
    four = [answered(with_tasks, "c" * (3 + i), shuffled[i::4], repository) for i in range(4)]
    together = {name: told for child in four for name, told in hashes(child).items()}
    assert together == first
    assert len(set(first.values())) > 400  # most of them say something of their own


def test_prompts_hold_no_cell_outside_the_edited_slice_no_task_no_gold(folders: tuple[Path, Path]) -> None:
    sent: list[str] = []

    def capture(request: httpx2.Request) -> httpx2.Response:
        sent.append("\n".join(m["content"] for m in json.loads(request.content)["messages"]))
        return httpx2.Response(401)

    async def run() -> int:
        endpoint = Endpoint("http://127.0.0.1:9/v1", "m", breaker=10**9, retries=0)
        backend = Backend(endpoint, transport=httpx2.MockTransport(capture))
        count = 0
        for place in files.world_folders([folders[1]]):
            world = files.load_world(place)
            pages = Pages(world)
            simulator, leaks = Simulator(world, pages=pages, model=backend), Leaks(world, pages)
            told = files.read_jsonl(files.tasks_file(place))
            secret = [text for task in told for text in (task["question"], task["task_id"])]
            assert len(told) == 4
            for n, page_id in enumerate(pages.ids() * 9):
                if n == 650:
                    break
                page = pages.page(page_id)
                query = world.title(page.subject) if page.subject else world.schema.about
                call = Call("web_extractor", page.url) if n % 2 else Call("web_search", query, k=5)
                address = Address(world.id, PROFILES[n % 4], n % 3, "s")
                before = len(sent)
                seen = await simulator.acall(address, call, 2)  # beyond the attempts that faults answer
                if seen.part is None or len(sent) == before:
                    continue
                count += 1
                (prompt,) = sent[before:]
                assert not [text for text in secret if text in prompt]
                state = prompt.split("# Initial state\n")[1].split("# Simulation instruction")[0]
                assert found(leaks, state, seen.part) == [], (address, call)
        await backend.close()
        return count

    assert asyncio.run(run()) >= 1000


def found(leaks: Leaks, state: str, slice_: Slice) -> list[str]:
    """Return what a prompt tells that no view of the slice holds: each view's facts are held to its own page."""
    if slice_.call.tool == "web_extractor":
        return leaks.of(Doc(slice_.views[0].page.url, "", None, (Para((state,)),)), slice_)
    blocks = state.strip().split("\n\n")
    assert len([block for block in blocks if block.startswith("[")]) == len(slice_.views)
    hits = tuple(Result(v.page.url, "", block, None, 0.0) for v, block in zip(slice_.views, blocks, strict=True))
    return leaks.of(hits, slice_)
