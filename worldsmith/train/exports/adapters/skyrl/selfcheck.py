"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: a package is missing).

Episodes go through skyrl-gym's own registry; with `--server` against the real server.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldsmith_kit.episode.rehearsal import as_text, check, require

require("skyrl_gym", "skyrl-gym==0.4.0")
require("datasets", "datasets")

import datasets
import skyrl_gym
from worldsmith_env import ENV_CLASS, register

HERE = Path(__file__).resolve().parent
ROWS: dict[str, int] = json.loads("""@ROWS@""")
"""Rows by split."""


def environment(row: Mapping[str, Any]) -> Any:
    """Return an environment of a task, as SkyRL's generator makes it from a row's columns."""
    info = {name: value for name, value in row.items() if name not in {"prompt", "reference"}}
    extras = {
        "data_source": f"worldsmith/{row['kind']}",
        "reward_spec": {"method": "rule", "ground_truth": row["reference"]},
        "extra_info": info,
        "max_turns": 1,
    }
    env = skyrl_gym.make(ENV_CLASS, env_config={}, extras=extras)
    env.init(row["prompt"])
    return env


def play(row: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> float:
    """Return the sum of the rewards of an episode in which the model says these messages."""
    env, left, total, done = environment(row), iter(messages), 0.0, False
    while not done:
        output = env.step(as_text(next(left)))
        total, done = total + output["reward"], output["done"]
    if env.get_metrics()["score"] != total:
        raise ValueError(f"the metrics' score {env.get_metrics()['score']} is not the reward {total}")
    return total


def play_wrong_type(row: Mapping[str, Any]) -> object:
    """Have the model say a number."""
    return environment(row).step(17)


def check_rows() -> None:
    """Load the files as SkyRL's PromptDataset does, and begin an episode of the first row of each."""
    for split, count in ROWS.items():
        if not count:
            continue  # `datasets` loads no file without rows
        with tempfile.TemporaryDirectory() as cache:
            source = str(HERE / f"{split}.parquet")
            rows = datasets.load_dataset("parquet", data_files=source, keep_in_memory=True, cache_dir=cache)["train"]
        if len(rows) != count:
            raise ValueError(f"{source} holds {len(rows)} rows, not {count}")
        row = rows[0]
        prompt, env_class = row.pop("prompt"), row.pop("env_class")
        messages, _ = skyrl_gym.make(env_class, env_config={}, extras={**row, "max_turns": 1}).init(prompt)
        if messages != prompt:
            raise ValueError(f"{source}: the environment starts from other messages than its row's")


if __name__ == "__main__":
    register()
    check_rows()
    sys.exit(check(play, play_wrong_type))
