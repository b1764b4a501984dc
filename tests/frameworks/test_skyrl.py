"""The export to SkyRL in SkyRL's own hands: its dataset, configuration and generator, with a scripted engine."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.frameworks import text_episodes
from tests.frameworks.environments import framework_python, run_python
from tests.frameworks.odd_episodes import WORLD
from tests.served_worlds import running_server
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export

pytestmark = pytest.mark.frameworks


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("skyrl") / "out"
    export(SeparateWorlds([WORLD]), "skyrl", out)
    return out


def settings_of(script, folder):
    """Return what a script hands to Python: its settings, with the variables filled in."""
    stub = folder / "bin" / "python3"
    stub.parent.mkdir()
    stub.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    stub.chmod(0o755)
    path = {"PATH": f"{stub.parent}:{os.environ['PATH']}", "GPUS": "1"}
    lines = subprocess.run([script], env=path, capture_output=True, text=True, check=True).stdout.splitlines()
    assert Path(lines[0]) == script.parent / "main_worldsmith.py"
    return lines[1:]


def test_the_selfcheck_passes(exported):
    printed = run_python(framework_python("skyrl"), "selfcheck.py", cwd=exported)
    assert printed.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2


def test_the_generator_pays_episodes_as_environment_does(exported, tmp_path):
    python, driver = framework_python("skyrl"), Path(__file__).with_name("skyrl_rollout.py")
    probe = "import importlib.util as u; print(all(map(u.find_spec, ('skyrl', 'ray', 'torchdata', 'loguru'))))"
    if run_python(python, "-c", probe, cwd=exported).strip() != "True":
        pytest.skip("skyrl-gym is there without skyrl, the trainer")
    episodes, out = tmp_path / "episodes.json", tmp_path / "out.json"
    text_episodes.save(episodes)
    with running_server([WORLD]) as base_url:
        settings = settings_of(exported / "run.sh", tmp_path)
        run_python(python, driver, episodes, out, *settings, cwd=exported, WORLDSMITH_BASE_URL=base_url)
    expected, played = json.loads(episodes.read_text()), json.loads(out.read_text())
    assert played["rows"] == 5
    assert len(played["episodes"]) == len(expected) == 200
    for one, other in zip(expected, played["episodes"], strict=True):
        assert (one["kind"], other["metrics"]) == (one["kind"], one["figures"])
        assert other["reward"] == pytest.approx(one["figures"]["score"], abs=1e-9)
    assert 0.3 < played["means"]["environment/score"] < 0.9
    assert "<|im_start|>user\n<tool_response>\n" in played["episodes"][0]["conversation"]
