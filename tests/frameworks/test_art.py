"""The export to ART in its own hands: its models, groups and gathering, with a scripted chat API."""

import json
from pathlib import Path

import pytest

from tests.frameworks.environments import framework_python, run_python
from tests.frameworks.odd_episodes import WORLD, odd_episodes, save
from tests.served_worlds import running_server
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export

pytestmark = pytest.mark.frameworks


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("art") / "out"
    export(SeparateWorlds([WORLD]), "art", out)
    return out


@pytest.fixture(scope="module")
def gathered(exported, tmp_path_factory):
    python, driver = framework_python("art"), Path(__file__).with_name("art_rollouts.py")
    folder = tmp_path_factory.mktemp("gathered")
    save(folder / "episodes.json")
    with running_server([WORLD]) as base_url:
        files = (folder / "episodes.json", folder / "out.json")
        run_python(python, driver, *files, cwd=exported, WORLDSMITH_BASE_URL=base_url)
    return json.loads((folder / "out.json").read_text("utf-8"))


def test_the_selfcheck_passes(exported):
    printed = run_python(framework_python("art"), "selfcheck.py", cwd=exported)
    assert printed.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2
    assert printed.splitlines()[-1] == "passed"


def test_trajectories_are_paid_as_environment_pays(gathered):
    assert len(gathered["results"]) == 200
    for odd, trajectory in zip(odd_episodes(), gathered["results"], strict=True):
        assert trajectory["reward"] == odd.figures["score"]
        paid = {name: value for name, value in trajectory["metrics"].items() if name != "duration"}
        assert (odd.kind, paid) == (odd.kind, {name: odd.figures[name] for name in odd.figures if name != "reward"})
        assert trajectory["roles"][:2] == ["system", "user"]
        assert trajectory["roles"].count("assistant") == odd.figures["turns"] + (odd.kind.startswith("cut"))


def test_the_training_loop_hands_every_task_to_the_backend(gathered):
    *steps, last = gathered["steps"]
    assert [step["groups"] for step in steps] == [2, 2]
    assert [len(step["rewards"]) for step in steps] == [6, 6]
    assert last == "closed"
