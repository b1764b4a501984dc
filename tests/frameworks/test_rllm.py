"""The export to rLLM in its own hands: its datasets, engine and gateway, with a scripted chat API."""

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
    out = tmp_path_factory.mktemp("rllm") / "out"
    export(SeparateWorlds([WORLD]), "rllm", out)
    return out


def test_the_selfcheck_passes(exported):
    printed = run_python(framework_python("rllm"), "selfcheck.py", cwd=exported)
    assert printed.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2
    assert printed.splitlines()[-1] == "passed"


def test_the_engine_is_paid_as_environment_pays(exported, tmp_path):
    python, driver = framework_python("rllm"), Path(__file__).with_name("rllm_rollouts.py")
    save(tmp_path / "episodes.json")
    with running_server([WORLD]) as base_url:
        out, environ = tmp_path / "out.json", {"WORLDSMITH_BASE_URL": base_url, "RLLM_HOME": str(tmp_path / "rllm")}
        run_python(python, driver, tmp_path / "episodes.json", out, cwd=exported, **environ)
    results = json.loads(out.read_text("utf-8"))
    assert len(results) == 200
    for odd, episode in zip(odd_episodes(), results, strict=True):
        assert episode["reward"] == odd.figures["score"]
        paid = {name: odd.figures[name] for name in odd.figures if name != "reward"}
        assert (odd.kind, episode["signals"]) == (odd.kind, paid)
        assert episode["correct"] == (odd.figures["success"] == 1)
        assert episode["steps"] == len(odd.messages)
