"""The export to OpenEnv in OpenEnv's own hands: its validator, its server, its client over WebSocket, its task API."""

import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.frameworks import odd_episodes
from tests.frameworks.environments import framework_python, run_python
from tests.frameworks.odd_episodes import WORLD
from tests.served_worlds import running_server
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export
from worldsmith.world.files import read_jsonl

pytestmark = pytest.mark.frameworks

SESSIONS = 260
"""Rollouts at a time: more than the 256 of a usual batch."""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("openenv") / "out"
    export(SeparateWorlds([WORLD]), "openenv", out, test_share=0)
    return out


@contextmanager
def openenv_server(python, folder, **environ):
    """Run the server as the README says; yields its URL."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [str(python), "-m", "uvicorn", "server.app:app", "--port", str(port), "--log-level", "warning"]
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PYTHONWARNINGS"}}
    process = subprocess.Popen(command, cwd=folder, env={**kept, **environ})
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{url}/health", timeout=5).close()
                break
            except urllib.error.URLError:
                assert process.poll() is None, "the server ended"
                time.sleep(0.5)
        yield url
    finally:
        process.terminate()
        process.wait(30)


def test_the_selfcheck_passes(exported):
    printed = run_python(framework_python("openenv"), "selfcheck.py", cwd=exported)
    assert printed.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2


def test_the_validator_passes(exported):
    command = framework_python("openenv").with_name("openenv")
    report = json.loads(
        run_python(command, "validate", ".", "--level", "static", "--skip-build", "--json", cwd=exported)
    )
    assert report["verdict"] == "pass"


def test_sessions_at_a_time_are_paid_as_environment_pays_them(exported, tmp_path):
    python, driver = framework_python("openenv"), Path(__file__).with_name("openenv_rollout.py")
    episodes, out = tmp_path / "episodes.json", tmp_path / "out.json"
    odd_episodes.save(episodes)
    with (
        running_server([WORLD]) as base_url,
        openenv_server(python, exported, WORLDSMITH_BASE_URL=base_url, WORLDSMITH_MAX_ENVS=str(SESSIONS)) as url,
    ):
        run_python(python, driver, url, SESSIONS, episodes, out, cwd=exported)
        validated = run_python(python.with_name("openenv"), "validate", "--url", url, "--json", cwd=exported)
    assert json.loads(validated)["passed"] is True
    expected, played = json.loads(episodes.read_text()), json.loads(out.read_text())
    expected = [*expected, *expected][:SESSIONS]
    assert [(one["kind"], one["figures"]) for one in expected] == [
        (one["kind"], paid) for one, paid in zip(expected, played["episodes"], strict=True)
    ]
    assert [(one["kind"], one["figures"]["turns"], one["task_id"]) for one in expected] == [
        (state["episode_id"], state["step_count"], state["task_id"]) for state in played["states"]
    ]
    gold = [json.loads(row["reference"])["evidence"]["cells"] for row in read_jsonl(exported / "train.jsonl")]
    secrets = {*re.findall(r"'([\w-]{8})'", str(gold)), "canary"}
    assert len(secrets) > 100
    assert not [text for text in played["payloads"] if any(secret in text for secret in secrets)]
    assert played["loop"] == [played["loop"][2], 1.0, played["loop"][2]]
    assert "CAPACITY_REACHED" in played["refused"]
