"""The export to slime in its own hands: its dataset, data source and rollout, with a scripted engine."""

import json
import re
from pathlib import Path

import pytest

from tests.frameworks.environments import framework_python, run_python
from tests.frameworks.odd_episodes import WORLD, odd_episodes, played
from tests.served_worlds import running_server
from worldsmith.episode.rehearsal import as_text
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.environment import Environment
from worldsmith.train.exports import export

pytestmark = pytest.mark.frameworks


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("slime") / "out"
    export(SeparateWorlds([WORLD]), "slime", out)
    return out


@pytest.fixture(scope="module")
def written_episodes():
    """The odd episodes with their calls as text, and what they are worth; one that goes on, a silent model ends."""
    worlds = SeparateWorlds([WORLD])
    ((_, tasks),) = worlds.tasks()
    world, by_id = worlds.open(tasks[0].world), {task.task_id: task for task in tasks}
    simulator = Simulator(world)
    episodes = []
    for odd in odd_episodes():
        environment = Environment(world, by_id[odd.task_id], simulator, tools_in_text=True)
        texts = [as_text(message) for message in odd.messages]
        episodes.append(played(odd.kind, environment, texts if odd.cut else [*texts, ""], cut=odd.cut))
    return episodes


def test_the_selfcheck_passes(exported):
    printed = run_python(framework_python("slime"), "selfcheck.py", cwd=exported)
    assert printed.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2
    assert printed.splitlines()[-1] == "passed"


def test_the_rollout_is_paid_as_environment_pays(exported, written_episodes, tmp_path):
    python, driver = framework_python("slime"), Path(__file__).with_name("slime_rollouts.py")
    fields = ("kind", "task_id", "messages", "cut")
    scripts = [{name: getattr(one, name) for name in fields} for one in written_episodes]
    (tmp_path / "episodes.json").write_text(json.dumps(scripts), "utf-8")
    with running_server([WORLD]) as base_url:
        out = tmp_path / "out.json"
        run_python(python, driver, tmp_path / "episodes.json", out, cwd=exported, WORLDSMITH_BASE_URL=base_url)
    result = json.loads(out.read_text("utf-8"))
    assert (result["rows"], len(result["results"])) == (5, 200)
    for one, sample in zip(written_episodes, result["results"], strict=True):
        assert (one.kind, sample["figures"]) == (one.kind, one.figures)
        assert sample["reward"] == one.figures["score"]
        assert sample["status"] == ("truncated" if one.figures["truncated"] else "completed")
        assert sample["trained"] == sum(len(text.encode()) + 1 for text in one.messages) - one.cut
        assert sample["whole"]
        assert sample["left_out"] == (one.figures["env_error"] == 1)
    means = [one.figures["item_f1"] for one in written_episodes if not one.figures["env_error"]]
    assert result["logged"]["worldsmith/item_f1"] == pytest.approx(sum(means) / len(means))
    assert "<|im_end|>\n<|im_start|>user\n<tool_response>\n" in result["response"]
    assert "<|im_end|><|im_end|>" not in result["response"]


def test_slime_knows_every_argument(exported):
    find = "import slime.utils as u; print(u.__path__[0])"
    source = Path(run_python(framework_python("slime"), "-c", find, cwd=exported).strip()) / "arguments.py"
    flags = re.findall(r"^  (--[\w-]+)", (exported / "arguments.sh").read_text("utf-8"), re.MULTILINE)
    assert len(flags) == 11
    assert [flag for flag in flags if f'"{flag}"' not in source.read_text("utf-8")] == []
