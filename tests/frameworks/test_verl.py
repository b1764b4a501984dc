"""The export to verl in verl's own hands: its dataset, its tools, its agent loop and its reward function."""

import json
import math
from pathlib import Path

import pytest

from tests.frameworks.environments import framework_python, run_python
from tests.frameworks.odd_episodes import WORLD, odd_episodes, save
from tests.served_worlds import running_server
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export

pytestmark = pytest.mark.frameworks

ENDED = {"truncated_call", "truncated_arguments", "bad_arguments"}
"""Kinds with calls that verl's parser can't read: it ends the rollout there."""
THOUGHT = {"think_calls", "think_call_alone"}
"""Kinds with calls in reasoning, which verl makes."""


@pytest.fixture(scope="module")
def python():
    return framework_python("verl")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("verl") / "out"
    export(SeparateWorlds([WORLD]), "verl", out)
    return out


def test_the_selfcheck_passes(python, exported):
    lines = run_python(python, "selfcheck.py", cwd=exported).splitlines()
    assert "5 rows loaded" in lines
    assert sum("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0." in line for line in lines) == 2
    assert lines[-1] == "passed"


def test_the_selfcheck_asks_a_server_for_every_world(python, exported):
    with running_server([WORLD]) as base_url:
        lines = run_python(python, "selfcheck.py", "--server", cwd=exported, WORLDSMITH_BASE_URL=base_url).splitlines()
    assert lines[-1] == "passed"


def test_odd_rollouts_earn_what_an_environment_pays(python, exported, tmp_path):
    save(tmp_path / "episodes.json")
    script = Path(__file__).parent / "verl_episodes.py"
    with running_server([WORLD]) as base_url:
        run_python(
            python, script, exported, tmp_path / "episodes.json", tmp_path / "out.json", cwd=tmp_path,
            WORLDSMITH_BASE_URL=base_url,
        )  # fmt: skip
    rollouts = json.loads((tmp_path / "out.json").read_text("utf-8"))
    differing, ended, unread = [], set(), set()
    for number, (episode, rollout) in enumerate(zip(odd_episodes(), rollouts, strict=True)):
        figures = rollout["figures"]
        assert all(math.isfinite(value) for value in figures.values())
        assert figures.pop("scored") == 1.0
        if figures.pop("unread"):
            unread.add(episode.kind)
        if rollout["messages"] < len(episode.messages):
            ended.add(episode.kind)
            assert figures["score"] == 0.0
        elif figures != episode.figures:
            differing.append((number, episode.kind, episode.figures, figures))
    assert [one for one in differing if one[1] not in THOUGHT] == []
    assert ended == ENDED
    assert unread == {"truncated_call", "bad_arguments", "cut_in_call"}
