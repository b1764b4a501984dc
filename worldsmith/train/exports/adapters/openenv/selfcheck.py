"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: a package is missing).

The server runs in this process on a free port of 127.0.0.1; episodes go through OpenEnv's client over WebSocket, and
tasks through its task API. With `--server` searches go to the real `worldsmith serve`.
"""

import json
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from worldsmith_kit.episode.rehearsal import check, require

require("openenv", "openenv==0.10.0")

import uvicorn
from server.app import app
from server.environment import ENV_NAME
from worldsmith_env import WorldsmithAction, WorldsmithEnv

ROWS: dict[str, int] = json.loads("""@ROWS@""")
"""Rows by split."""
PAGE = 500
"""Tasks that the task API is asked for at a time."""


@contextmanager
def running_server() -> Iterator[str]:
    """Serve in a thread; yields the base URL."""
    bound = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


def ask(url: str, body: Mapping[str, Any]) -> Any:
    """Return what the task API answers."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request) as reply:  # noqa: S310 - the server of this process
        return json.load(reply)


class Player:
    """Plays episodes through the client."""

    def __init__(self, base_url: str) -> None:
        """Find the place of every task; raises ValueError where the server has others than the files."""
        self.base_url = base_url
        self.places: dict[str, dict[str, Any]] = {}
        for split, count in ROWS.items():
            counted = ask(f"{base_url}/{ENV_NAME}/num_tasks", {"split": split})["num_tasks"]
            if counted != count:
                raise ValueError(f"the task API has {counted} tasks of {split}, not {count}")
            for start in range(0, count, PAGE):
                page = {"split": split, "start": start, "stop": start + PAGE}
                for task in ask(f"{base_url}/{ENV_NAME}/task_range", page)["tasks"]:
                    self.places[task["id"]] = {"split": split, "index": task["index"]}

    def play(self, row: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> float:
        """Return the reward of an episode in which the model says these messages."""
        with WorldsmithEnv(base_url=self.base_url).sync() as env:
            result = env.reset(**self.places[row["task_id"]])
            if result.observation.messages != row["prompt"]:
                raise ValueError(f"the episode of {row['task_id']} begins with other messages than its row's")
            left = iter(messages)
            while not result.done:
                result = env.step(WorldsmithAction(message=dict(next(left))))
            return float(result.reward)

    def play_wrong_type(self, row: Mapping[str, Any]) -> object:
        """Have the model say a number, past the client's own check."""
        with WorldsmithEnv(base_url=self.base_url).sync() as env:
            env.reset(**self.places[row["task_id"]])
            return env.step(WorldsmithAction.model_construct(message=17))


if __name__ == "__main__":
    with running_server() as url:
        player = Player(url)
        code = check(player.play, player.play_wrong_type, RuntimeError)
    sys.exit(code)
