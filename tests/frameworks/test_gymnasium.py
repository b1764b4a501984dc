"""The export to Gymnasium in Gymnasium's own hands: its registry, its checker and its vector environments."""

import json
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
    out = tmp_path_factory.mktemp("gymnasium") / "out"
    export(SeparateWorlds([WORLD]), "gymnasium", out, test_share=0)
    return out


def test_the_selfcheck_passes(exported):
    printed = run_python(framework_python("gym"), "selfcheck.py", cwd=exported)
    assert printed.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2


def test_episodes_are_paid_as_environment_pays_them(exported, tmp_path):
    python, driver = framework_python("gym"), Path(__file__).with_name("gymnasium_rollout.py")
    episodes, out = tmp_path / "episodes.json", tmp_path / "out.json"
    text_episodes.save(episodes)
    with running_server([WORLD]) as base_url:
        run_python(python, driver, episodes, out, cwd=exported, WORLDSMITH_BASE_URL=base_url)
    expected, played = json.loads(episodes.read_text()), json.loads(out.read_text())
    assert len(expected) == 200
    assert [(one["kind"], one["figures"]) for one in expected] == [
        (one["kind"], paid) for one, paid in zip(expected, played["episodes"], strict=True)
    ]
    assert played["expected"] == played["sync"] == played["async"]
    assert len({*played["expected"]}) > 2
    figures, reward, honest = played["loop"]
    assert (figures, reward) == (honest, 1.0)
