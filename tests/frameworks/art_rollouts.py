"""Play episodes as ART gathers them: `python art_rollouts.py EPISODES OUT`, in an export's folder.

Writes {"results": [{"reward", "metrics", "roles"}], "steps": [{"groups", "rewards"}]}, the steps those of train.py
with a backend that doesn't train.
"""

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, ".")

import art
import train
from selfcheck import ROWS, gathered, policy
from worldsmith_kit.episode.scripted_model import scripted_model

episodes_file, out_file = map(Path, sys.argv[1:])


class IdleBackend:
    def __init__(self, base_url):
        self.base_url, self.steps = base_url, []

    def _model_inference_name(self, model, step=None):
        return "scripted"

    async def register(self, model):
        pass

    async def _prepare_backend_for_training(self, model, config):
        return self.base_url, "none"

    async def _get_step(self, model):
        return len(self.steps)

    async def train(self, model, groups, *, learning_rate):
        self.steps.append({"groups": len(groups), "rewards": [one.reward for some in groups for one in some]})
        return art.TrainResult(len(self.steps))

    async def close(self):
        self.steps.append("closed")


async def main():
    loaded = {row["task_id"]: row for split in ROWS for row in train.rows(split)}
    with scripted_model() as scripted:
        rows = [
            scripted.row(loaded[one["task_id"]], one["messages"], cut=one["cut"])
            for one in json.loads(episodes_file.read_text("utf-8"))
        ]
        trajectories = await gathered(policy(scripted.base_url), rows)
        backend, group = IdleBackend(scripted.base_url), train.group
        train.group = lambda model, row, size: group(model, scripted.row(row, [{"content": "| a |"}]), size)
        options = train.arguments().parse_args(
            ["--base-model", "x", "--tasks", "2", "--group", "3", "--test-every", "2"]
        )
        model = art.TrainableModel(name="n", project="p", base_model="x", base_path="art", report_metrics=[])
        await train.train(model, backend, options)
    results = [
        {"reward": one.reward, "metrics": one.metrics, "roles": [message["role"] for message in one.messages()]}
        for one in trajectories
    ]
    return {"results": results, "steps": backend.steps}


out_file.write_text(json.dumps(asyncio.run(main())), "utf-8")
