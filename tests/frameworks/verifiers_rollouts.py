"""Run by the Python that has verifiers: play rollouts by the environment of an export, and write what they earned.

    python verifiers_rollouts.py JOBS.json MODEL_URL

JOBS.json is a list of {"task_id", "model"}; a line of JSON is written for each, in order.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import verifiers.v1 as vf
from verifiers.v1.utils.loaders import load_environment, resolve_env_config

AT_A_TIME = 8


async def main(jobs: list[dict[str, str]]) -> None:
    tasks = {}
    for split in ("train", "test"):
        config = resolve_env_config({"taskset": {"id": "worldsmith-search", "split": split}})
        environment = load_environment(config)
        tasks |= {task.key: task for task in environment.taskset}
    client, gate = vf.EvalClientConfig(base_url=sys.argv[2], api_key_var="SCRIPTED_KEY"), asyncio.Semaphore(AT_A_TIME)
    os.environ["SCRIPTED_KEY"] = "none"

    async def played(job: dict[str, str]) -> dict[str, object]:
        (slot,) = environment.slots(tasks[job["task_id"]])
        episode = await environment.run_slot(slot, vf.ModelContext(model=job["model"], client=client), gate)
        (trace,) = episode.traces
        figures = {"errors": [error.message for error in trace.errors], "ok": trace.ok}
        return {**figures, "reward": trace.reward, "figures": trace.metrics, "turns": trace.num_turns}

    async with environment.serving():
        for result in await asyncio.gather(*map(played, jobs)):
            sys.stdout.write(json.dumps(result) + "\n")


asyncio.run(main(json.loads(Path(sys.argv[1]).read_text("utf-8"))))
