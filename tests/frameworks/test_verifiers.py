"""The export for verifiers in verifiers' own environment: it loads, plays against a real server, and pays alike."""

import json
import math
import shutil
from pathlib import Path

import pytest

from tests.frameworks.environments import framework_python, run_python
from tests.frameworks.odd_episodes import WORLD, odd_episodes
from tests.frameworks.scripted_play import played
from tests.scripted_models import Model, serving, turn_of
from tests.served_worlds import running_server
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export

pytestmark = pytest.mark.frameworks
SCRIPT = Path(__file__).with_name("verifiers_rollouts.py")


@pytest.fixture(scope="module")
def python():
    return framework_python("verifiers")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("verifiers") / "export"
    export(SeparateWorlds([WORLD]), "verifiers", out)
    return out


@pytest.fixture(scope="module")
def base_url():
    with running_server([WORLD]) as url:
        yield url


@pytest.fixture(scope="module")
def tasks():
    ((_, tasks),) = SeparateWorlds([WORLD]).tasks()
    return tasks


def test_the_selfcheck_passes(python, exported, tmp_path):
    printed = run_python(python, exported / "selfcheck.py", cwd=tmp_path)
    assert printed.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2
    assert "data: {'train': True, 'test': True}" in printed


@pytest.mark.parametrize("name", ["perfect", "parallel", "looper", "stammerer", "rambler"])
def test_vf_eval_pays_what_the_environment_pays(name, python, exported, base_url, tasks, tmp_path):
    with serving(Model(tasks)) as url:
        traces = vf_eval(python, exported, tmp_path, name, url, base_url)
    assert len(traces) == 4
    for trace in traces:
        task = next(task for task in tasks if task.task_id == trace["task"]["key"])
        assert trace["errors"] == []
        assert trace["metrics"] == played(task, name)
        assert trace["rewards"]["earned"]["score"] == trace["metrics"]["score"]


def test_the_tool_server_of_a_harness_pays_the_same(python, exported, base_url, tasks, tmp_path):
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not on the PATH: the null harness is a script that uv runs")
    with serving(Model(tasks)) as url:
        for name in ("forgetful", "looper"):
            options = ["--env.agent.harness.id", "null"]
            traces = vf_eval(python, exported, tmp_path / name, name, url, base_url, *options)
            assert len(traces) == 4
            for trace in traces:
                task = next(task for task in tasks if task.task_id == trace["task"]["key"])
                assert (trace["errors"], trace["metrics"]) == ([], played(task, name))


def vf_eval(python, exported, folder, name, model_url, base_url, *options):
    """Run vf-eval twice on each of two tasks and return the traces."""
    folder.mkdir(exist_ok=True)
    command = [
        python.with_name("vf-eval"), "worldsmith-search", "--model", name, "--client.base-url", model_url,
        "--client.api-key-var", "SCRIPTED_KEY", "-n", "2", "-r", "2", "--no-push", "--no-rich", "-o", folder, *options,
    ]  # fmt: skip
    environ = {"PYTHONPATH": exported, "WORLDSMITH_BASE_URL": base_url, "SCRIPTED_KEY": "none"}
    run_python(python, *command, cwd=folder, **{name: str(value) for name, value in environ.items()})
    (file,) = folder.glob("*/traces.jsonl")
    return [json.loads(line)["traces"][0] for line in file.read_text("utf-8").splitlines()]


class Script(Model):
    """Says the messages of an odd episode, which the name of the model counts."""

    def answer(self, body):
        episode, turn = odd_episodes()[int(body["model"])], turn_of(body)
        message, last = episode.messages[turn], turn == len(episode.messages) - 1
        finish = "length" if episode.cut and last else "tool_calls" if message.get("tool_calls") else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "scripted", "object": "chat.completion", "created": 0, "model": body["model"]}
        return 200, {**head, "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}


def test_odd_episodes_are_paid_alike(python, exported, base_url, tmp_path):
    results = rollouts(python, exported, base_url, tmp_path, range(200))
    for episode, result in zip(odd_episodes(), results, strict=True):
        assert (episode.kind, result["errors"]) == (episode.kind, [])
        assert (episode.kind, result["figures"]) == (episode.kind, episode.figures)
        assert math.isclose(result["reward"], episode.figures["score"], abs_tol=1e-12)


def test_a_rollout_that_no_server_answers_is_an_error(python, exported, tmp_path):
    number = next(i for i, episode in enumerate(odd_episodes()) if episode.kind == "idle_search")
    (result,) = rollouts(python, exported, "http://127.0.0.1:9", tmp_path, [number])
    assert (result["ok"], result["reward"]) == (False, 0)
    assert result["errors"][0].startswith("no server answered: serve the worlds")


def rollouts(python, exported, base_url, folder, numbers):
    """Return what verifiers makes of odd episodes."""
    jobs = [{"task_id": odd_episodes()[i].task_id, "model": str(i)} for i in numbers]
    (folder / "jobs.json").write_text(json.dumps(jobs), "utf-8")
    with serving(Script([])) as url:
        environ = {"PYTHONPATH": str(exported), "WORLDSMITH_BASE_URL": base_url}
        printed = run_python(python, SCRIPT, folder / "jobs.json", url, cwd=folder, **environ)
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
