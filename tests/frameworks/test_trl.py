"""The export to TRL in TRL's own hands: its dataset, its rollouts through our environment, a step of GRPO."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.frameworks.environments import framework_python, run_python
from tests.frameworks.odd_episodes import WORLD, OddEpisode, environments, odd_episodes, played, save
from tests.served_worlds import running_server
from worldsmith.episode import TOOLS
from worldsmith.tasks.worlds import SeparateWorlds
from worldsmith.train.exports import export

pytestmark = pytest.mark.frameworks

UNREADABLE = {"truncated_call", "truncated_arguments", "bad_arguments"}
"""Kinds with calls that TRL can't read: it ends the rollout there, where an Environment answers with the error."""


@pytest.fixture(scope="module")
def python() -> Path:
    return framework_python("trl")


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("trl") / "out"
    export(SeparateWorlds([WORLD]), "trl", out)
    return out


def test_the_selfcheck_passes_and_makes_a_step_of_grpo(python, exported):
    lines = run_python(python, "selfcheck.py", cwd=exported).splitlines()
    assert sum("honest 1.000, memory 0.000, unread 0.000, empty 0.000, half 0.5" in line for line in lines) == 1
    assert lines[-2] == "passed"
    assert lines[-1].startswith("a step of GRPO: loss -0.0")
    assert "reward 0.781 ± 0.309" in lines[-1]  # of an honest and a half rollout, in one batch


def test_train_starts_with_the_configuration_of_the_export(python, exported):
    run_python(python, "scripted_model.py", "tiny", cwd=exported)
    options = "--model_name_or_path tiny --use_cpu true --bf16 false --use_vllm false --max_completion_length 64"
    printed = run_python(
        python, "train.py", "--config", "grpo.yaml", *options.split(), "--max_steps", 1, "--num_generations", 2,
        "--gradient_accumulation_steps", 2, "--disable_tqdm", "true", cwd=exported,
    )  # fmt: skip
    assert "'worldsmith/truncated': '1'" in printed
    assert (exported / "out" / "model.safetensors").is_file()


def test_odd_rollouts_earn_what_an_environment_pays(python, exported, tmp_path):
    save(tmp_path / "episodes.json")
    script = Path(__file__).parent / "trl_episodes.py"
    with running_server([WORLD]) as base_url:
        run_python(
            python, script, exported, tmp_path / "episodes.json", tmp_path / "out.json", cwd=tmp_path,
            WORLDSMITH_BASE_URL=base_url,
        )  # fmt: skip
    out = json.loads((tmp_path / "out.json").read_text("utf-8"))
    schemas = [{**tool, "function": {**tool["function"]}} for tool in out["tools"]]
    for schema in schemas:
        assert schema["function"].pop("return") == {"type": "string"}
    assert schemas == [*TOOLS]
    ended, differing = set(), []
    for number, (episode, rollout) in enumerate(zip(odd_episodes(), out["episodes"], strict=True)):
        if rollout["messages"] < len(episode.messages):
            ended.add(episode.kind)
        wanted = as_trl_plays(episode, rollout["messages"])
        wanted = {**wanted, "paid": wanted["score"]}
        if rollout["figures"] != pytest.approx(wanted, abs=1e-4):  # TRL rounds what it logs
            differing.append((number, episode.kind, wanted, rollout["figures"]))
    assert not differing
    assert ended == UNREADABLE


def as_trl_plays(episode: OddEpisode, messages: int) -> dict[str, float]:
    """Return what an Environment pays for the messages that TRL took: the last was cut where TRL couldn't read it.

    TRL knows no tool "functions.web_search", which an Environment takes for web_search.
    """
    taken = [with_unknown_tool(message) for message in episode.messages[:messages]]
    cut = episode.cut or messages < len(episode.messages)
    if not cut and taken == [*episode.messages]:
        return dict(episode.figures)
    return dict(played(episode.kind, environments()[episode.task_id], taken, cut=cut).figures)


def with_unknown_tool(message: dict) -> dict:
    calls: Sequence[dict] = message.get("tool_calls", ())
    renamed = [
        {**call, "function": {**call["function"], "name": call["function"]["name"].replace("functions.", "no_")}}
        for call in calls
    ]
    return {**message, "tool_calls": renamed} if calls else message
