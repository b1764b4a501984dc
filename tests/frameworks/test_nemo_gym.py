"""The export to NeMo Gym in its own hands: its agent, servers and rollout reader, with a scripted model."""

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
    out = tmp_path_factory.mktemp("nemo") / "out"
    export(SeparateWorlds([WORLD]), "nemo-gym", out)
    return out


def test_the_selfcheck_passes(exported):
    printed = run_python(framework_python("nemo"), "selfcheck.py", cwd=exported)
    assert printed.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2
    assert printed.splitlines()[-1] == "passed"


def test_the_agent_is_paid_as_environment_pays(exported, tmp_path):
    python, driver = framework_python("nemo"), Path(__file__).with_name("nemo_gym_rollouts.py")
    save(tmp_path / "episodes.json")
    with running_server([WORLD]) as base_url:
        out = tmp_path / "out.json"
        run_python(python, driver, tmp_path / "episodes.json", out, cwd=exported, WORLDSMITH_BASE_URL=base_url)
    played = json.loads(out.read_text("utf-8"))
    assert played["rows"] == 5
    assert len(played["results"]) == len(odd_episodes()) == 200
    for odd, result in zip(odd_episodes(), played["results"], strict=True):
        assert (odd.kind, result["info"]) == (odd.kind, odd.figures)
        assert result["reward"] == odd.figures["score"]
        assert result["truncated"] == (odd.figures["truncated"] == 1)
    first, calls = played["results"][0]["outputs"], [one.get("tool_calls", ()) for one in odd_episodes()[0].messages]
    assert first.count("function_call") == first.count("function_call_output") == sum(map(len, calls)) > 5
    assert played["metrics"]["mean/reward"] == pytest.approx(sum(one["reward"] for one in played["results"]) / 200)
    means = [odd.figures["item_f1"] for odd in odd_episodes() if not odd.figures["env_error"]]
    assert played["metrics"]["mean/item_f1"] == pytest.approx(sum(means) / len(means))
