"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: verifiers is missing).

Each episode goes through verifiers' own environment, agent, interception and scoring, with a model that says what is
scripted. `--server` plays against the real server.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "worldsmith_search"))  # its parent package imports verifiers, which may be missing

from worldsmith_kit.episode.rehearsal import check, require
from worldsmith_kit.episode.scripted_model import scripted_model

require("verifiers", "verifiers==0.4.0")
os.environ["WORLDSMITH_SCRIPTED_KEY"] = "none"

import verifiers.v1 as vf
from verifiers.v1.utils.loaders import load_environment, resolve_env_config

ID = "worldsmith-search"


def play(row: Mapping[str, Any], messages: Sequence[Any]) -> float:
    """Return the reward of a rollout in which the model says these messages."""
    with tempfile.TemporaryDirectory() as folder, scripted_model() as model:
        row = model.row(row, messages)
        for split in ("train", "test"):
            (Path(folder) / f"{split}.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
        (trace,) = asyncio.run(rollout(Path(folder), model.base_url)).traces
    if not trace.ok:
        raise RuntimeError(f"the rollout failed: {trace.errors}")
    return float(trace.reward)


def play_wrong_type(row: Mapping[str, Any]) -> object:
    """Have the model say a number."""
    return play(row, [17])


async def rollout(data: Path, url: str) -> vf.Episode:
    """Return an episode of the only task there, by the environment of this export."""
    environment = load_environment(resolve_env_config({"taskset": {"id": ID, "data": data}}))
    (task,) = environment.taskset
    client = vf.EvalClientConfig(base_url=url, api_key_var="WORLDSMITH_SCRIPTED_KEY")
    async with environment.serving():
        (slot,) = environment.slots(task)
        return await environment.run_slot(slot, vf.ModelContext(model="scripted", client=client))


def check_data() -> bool:
    """Whether verifiers loads every row of both splits, and each gold table is right."""

    async def right(split: str) -> bool:
        config = resolve_env_config({"taskset": {"id": ID, "split": split}})
        tasks = [*load_environment(config).taskset]
        lines = (config.taskset.data / f"{split}.jsonl").read_text("utf-8").splitlines()
        ids = [json.loads(line)["task_id"] for line in lines]
        return ids == [task.key for task in tasks] and all([await task.validate() for task in tasks])

    loaded = {split: asyncio.run(right(split)) for split in ("train", "test")}
    sys.stdout.write(f"data: {loaded}\n")
    return all(loaded.values())


if __name__ == "__main__":
    code = check(play, play_wrong_type, RuntimeError)
    sys.exit(code or (0 if check_data() else 1))
