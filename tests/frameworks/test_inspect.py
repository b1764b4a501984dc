"""The export for Inspect in Inspect itself: it loads, plays against a real server, and pays alike."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.frameworks.environments import framework_python, run_python
from tests.frameworks.odd_episodes import WORLD, odd_episodes
from tests.frameworks.scripted_play import played
from tests.scripted_models import Model, serving
from tests.served_worlds import running_server
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export

pytestmark = pytest.mark.frameworks
SCRIPT = Path(__file__).with_name("inspect_samples.py")
PARSED = frozenset({"bad_arguments", "truncated_arguments"})
"""Kinds whose arguments Inspect parses: what is no object becomes the first argument, or an error of its own."""


@pytest.fixture(scope="module")
def python():
    return framework_python("inspect")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    out = tmp_path_factory.mktemp("inspect") / "export"
    export(SeparateWorlds([WORLD]), "inspect", out)
    return out


@pytest.fixture(scope="module")
def base_url():
    with running_server([WORLD]) as url:
        yield url


def test_the_selfcheck_passes(python, exported, tmp_path):
    printed = run_python(python, exported / "selfcheck.py", cwd=tmp_path)
    assert printed.count("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.") == 2
    assert "data: {'train': True, 'test': True}" in printed


@pytest.mark.parametrize("name", ["parallel", "forgetful", "looper"])
def test_inspect_eval_scores_what_the_environment_pays(name, python, exported, base_url, tmp_path):
    ((_, tasks),) = SeparateWorlds([WORLD]).tasks()
    with serving(Model(tasks)) as url:
        command = [
            python.with_name("inspect"), "eval", "tasks.py", "--model", f"openai-api/scripted/{name}",
            "-T", "split=train", "--limit", "2", "--epochs", "2", "--display", "none", "--log-format", "json",
            "--log-dir", tmp_path,
        ]  # fmt: skip
        environ = {"SCRIPTED_BASE_URL": url, "SCRIPTED_API_KEY": "none", "WORLDSMITH_BASE_URL": base_url}
        run_python(python, *command, cwd=exported, **environ)
    (file,) = tmp_path.glob("*worldsmith-search*.json")
    log = json.loads(file.read_text("utf-8"))
    assert len(log["samples"]) == 4
    for sample in log["samples"]:
        expected = played(next(task for task in tasks if task.task_id == sample["id"]), name)
        assert sample["scores"]["table_scorer"]["metadata"] == expected
    means = {score["name"]: score["metrics"]["mean"]["value"] for score in log["results"]["scores"]}
    assert set(means) == {"score", "item_f1", "row_f1"}


def test_odd_episodes_are_paid_alike(python, exported, base_url, tmp_path):
    for episode, result in zip(
        odd_episodes(), scored(python, exported, base_url, tmp_path, odd_episodes()), strict=True
    ):
        expected = dict(episode.figures)
        if episode.kind in PARSED:
            for name in ("search_calls", "extract_calls"):
                del expected[name], result["figures"][name]
        assert (episode.kind, result["figures"]) == (episode.kind, expected)
        assert result["value"]["score"] == episode.figures["score"]


def test_another_agent_is_paid_alike(python, exported, base_url, tmp_path):
    kinds = {"honest", "half_read", "two_tables"}
    episodes = [episode for episode in odd_episodes() if episode.kind in kinds]
    results = scored(python, exported, base_url, tmp_path, episodes, "react")
    assert [result["figures"] for result in results] == [episode.figures for episode in episodes]


def scored(python, exported, base_url, folder, episodes, *options):
    """Return what Inspect makes of episodes."""
    (folder / "episodes.json").write_text(json.dumps([asdict(episode) for episode in episodes]), "utf-8")
    environ = {"PYTHONPATH": str(exported), "WORLDSMITH_BASE_URL": base_url}
    printed = run_python(python, SCRIPT, folder / "episodes.json", *options, cwd=folder, **environ)
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
