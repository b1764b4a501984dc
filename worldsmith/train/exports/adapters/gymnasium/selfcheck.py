"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: a package is missing).

Episodes go through `gymnasium.make`, and Gymnasium's own checker looks at the environment; with `--server` against the
real server.
"""

import json
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from worldsmith_kit.episode.rehearsal import as_text, check, require

require("gymnasium", "gymnasium==1.4.0")

import gymnasium
import worldsmith_gym
from gymnasium.utils.env_checker import check_env

ROWS: dict[str, int] = json.loads("""@ROWS@""")
"""Rows by split."""


def play(row: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> float:
    """Return the sum of the rewards of an episode in which the model says these messages."""
    env = gymnasium.make(worldsmith_gym.ENV_ID, row=row)
    env.reset(seed=0)
    left, total, done = iter(messages), 0.0, False
    while not done:
        _, reward, terminated, truncated, _ = env.step(as_text(next(left)))
        total, done = total + float(reward), terminated or truncated
    return total


def play_wrong_type(row: Mapping[str, Any]) -> object:
    """Have the model say a number."""
    env = gymnasium.make(worldsmith_gym.ENV_ID, row=row, disable_env_checker=True)
    env.reset(seed=0)
    return env.step(17)


def check_rows() -> None:
    """Begin an episode of the last row of each file, and have Gymnasium check the environment."""
    for split, count in ROWS.items():
        rows = worldsmith_gym.task_rows(f"{split}.jsonl")
        if len(rows) != count:
            raise ValueError(f"{split}.jsonl holds {len(rows)} rows, not {count}")
        if count:
            env = gymnasium.make(worldsmith_gym.ENV_ID, file=f"{split}.jsonl")
            observation, info = env.reset(options={"index": count - 1})
            row = rows[count - 1]
            if info["task_id"] != row["task_id"] or not observation.endswith(row["question"]):
                raise ValueError(f"{split}.jsonl: the episode is not of the row that was asked for")
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                check_env(env.unwrapped)


if __name__ == "__main__":
    check_rows()
    sys.exit(check(play, play_wrong_type))
