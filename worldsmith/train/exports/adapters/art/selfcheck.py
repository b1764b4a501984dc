"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: a package is missing).

Episodes are trajectories that ART itself gathers from a model behind a scripted chat API; with `--server` against the
real search server.
"""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from worldsmith_kit.episode.rehearsal import check, require
from worldsmith_kit.episode.scripted_model import scripted_model

require("art", "openpipe-art==0.5.18 'openai<3'")

import art
from train import rows
from worldsmith_art import group

ROWS: dict[str, int] = json.loads("""@ROWS@""")
"""Rows by split."""


def policy(base_url: str) -> art.Model:
    """Return a model behind a chat API."""
    return art.Model(
        name="scripted", project="selfcheck", inference_base_url=base_url, inference_api_key="none",
        inference_model_name="scripted",
    )  # fmt: skip


async def gather(model: art.Model, some: Sequence[Mapping[str, Any]]) -> list[art.Trajectory]:
    """Return a trajectory for each row, as ART gathers them."""
    groups = await art.gather_trajectory_groups([group(model, row, 1) for row in some], pbar_desc=None)
    return [one.trajectories[0] for one in groups]


def main() -> int:
    """Check data and episodes; return the exit code."""
    for split, count in ROWS.items():
        if len(loaded := rows(split)) != count or not all(row["question"] and row["reference"] for row in loaded):
            raise ValueError(f"{split}.jsonl holds {len(loaded)} rows, not {count}, or rows without question or gold")
    with scripted_model() as scripted:
        model = policy(scripted.base_url)

        def play(row: Mapping[str, Any], messages: Sequence[Any]) -> float:
            (trajectory,) = asyncio.run(gather(policy(scripted.base_url), [scripted.row(row, messages)]))
            if trajectory.metrics["score"] != trajectory.reward:
                raise ValueError(f"{model.name}: the score among the metrics is not the reward")
            return float(trajectory.reward)

        return check(play, lambda row: play(row, [17]))


if __name__ == "__main__":
    sys.exit(main())
