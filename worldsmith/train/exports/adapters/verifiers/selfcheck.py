"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: verifiers is missing).

Each episode goes through verifiers' own environment, agent, interception and scoring, with a model that says what is
scripted. `--server` plays against the real server.
"""

import asyncio
import json
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "worldsmith_search"))  # its parent package imports verifiers, which may be missing

from worldsmith_kit.episode.rehearsal import check, require

require("verifiers", "verifiers==0.4.0")
os.environ["WORLDSMITH_SCRIPTED_KEY"] = "none"

import verifiers.v1 as vf
from verifiers.v1.utils.loaders import load_environment, resolve_env_config

ID = "worldsmith-search"


def play(row: Mapping[str, Any], messages: Sequence[Any]) -> float:
    """Return the reward of a rollout in which the model says these messages."""
    with tempfile.TemporaryDirectory() as folder, scripted_model(messages) as url:
        for split in ("train", "test"):
            (Path(folder) / f"{split}.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
        (trace,) = asyncio.run(rollout(Path(folder), url)).traces
    if not trace.ok:
        raise RuntimeError(f"the rollout failed: {trace.errors}")
    return float(trace.reward)


def play_wrong_type(row: Mapping[str, Any]) -> object:
    """Have the model say a number."""
    return play(row, [17])


async def rollout(data: Path, url: str) -> vf.Episode:
    """Return an episode of the only task there, by the environment of this export."""
    environment = load_environment(resolve_env_config({"taskset": {"id": ID, "data": data}}))
    (task,) = environment.taskset
    client = vf.EvalClientConfig(base_url=url, api_key_var="WORLDSMITH_SCRIPTED_KEY")
    async with environment.serving():
        (slot,) = environment.slots(task)
        return await environment.run_slot(slot, vf.ModelContext(model="scripted", client=client))


@contextmanager
def scripted_model(messages: Sequence[Any]) -> Iterator[str]:
    """Serve a model that says these messages in turn; yields its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = messages[sum(message["role"] == "assistant" for message in body["messages"])]
            calls = isinstance(message, Mapping) and message.get("tool_calls")
            choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
            head = {"id": "scripted", "object": "chat.completion", "created": 0, "model": "scripted"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            data = json.dumps({**head, "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the standard library's name
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def check_data() -> bool:
    """Whether verifiers loads every row of both splits, and each gold table is right."""

    async def right(split: str) -> bool:
        config = resolve_env_config({"taskset": {"id": ID, "split": split}})
        tasks = [*load_environment(config).taskset]
        lines = (config.taskset.data / f"{split}.jsonl").read_text("utf-8").splitlines()
        ids = [json.loads(line)["task_id"] for line in lines]
        return ids == [task.key for task in tasks] and all([await task.validate() for task in tasks])

    loaded = {split: asyncio.run(right(split)) for split in ("train", "test")}
    sys.stdout.write(f"data: {loaded}\n")
    return all(loaded.values())


if __name__ == "__main__":
    code = check(play, play_wrong_type)
    sys.exit(code or (0 if check_data() else 1))
