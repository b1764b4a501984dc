"""Play episodes through slime's data source and rollout: `python slime_rollouts.py EPISODES OUT` beside an export.

Writes {"rows", "results": [{"reward", "figures", "status", "trained"}], "logged"}; the samples go on at the same time.
"""

import asyncio
import copy
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, ".")

import selfcheck
import worldsmith_slime
from slime.rollout.data_source import RolloutDataSource

episodes_file, out_file = map(Path, sys.argv[1:])


def script(episode):
    last = len(episode["messages"]) - 1
    return [(text, episode["cut"] and i == last) for i, text in enumerate(episode["messages"])]


async def main(folder):
    worldsmith_slime.post = selfcheck.engine
    sources = {}
    for split, count in selfcheck.ROWS.items():
        args = selfcheck.settings(folder, split)
        sources |= {one[0].metadata["task_id"]: one[0] for one in RolloutDataSource(args).get_samples(count)}
    runs = [
        asyncio.create_task(selfcheck.rollout(args, copy.deepcopy(sources[one["task_id"]]), script(one)))
        for one in json.loads(episodes_file.read_text("utf-8"))
    ]
    samples, logged = await asyncio.gather(*runs), {}
    worldsmith_slime.add_figures(0, args, samples, logged, 0.0)
    results = [
        {
            "reward": sample.reward,
            "figures": sample.metadata["figures"],
            "status": sample.status.value,
            "trained": sum(sample.loss_mask),
            "whole": len(sample.loss_mask) == len(sample.rollout_log_probs) == sample.response_length,
            "left_out": sample.remove_sample,
        }
        for sample in samples
    ]
    return {"rows": len(sources), "results": results, "logged": logged, "response": samples[0].response}


with tempfile.TemporaryDirectory() as folder:
    out_file.write_text(json.dumps(asyncio.run(main(folder))), "utf-8")
