"""Play episodes as runs of NeMo Gym's own agent: `python nemo_gym_rollouts.py EPISODES OUT`, in an export's folder.

Writes {"rows", "results": [{"reward", "info", "truncated", "outputs"}], "metrics"}; the runs go on at the same time.
"""

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, ".")

from nemo_gym.base_resources_server import AggregateMetricsRequest
from nemo_gym.server_utils import get_response_json
from selfcheck import AGENT, Gym, rows

episodes_file, out_file = map(Path, sys.argv[1:])


async def play(gym):
    loaded = {row["task_id"]: row for split in ("train", "test") for row in rows(split)}
    episodes = json.loads(episodes_file.read_text("utf-8"))
    runs = [gym.run(loaded[one["task_id"]], one["messages"], cut=one["cut"]) for one in episodes]
    results = await asyncio.gather(*runs)
    numbered = [{**one, "_ng_task_index": i, "_ng_rollout_index": 0} for i, one in enumerate(results)]
    request = AggregateMetricsRequest(verify_responses=numbered)
    reply = await get_response_json(await gym.client.post(AGENT, "/aggregate_metrics", json=request))
    kept = [{name: one[name] for name in ("reward", "info", "truncated")} for one in results]
    for one, result in zip(kept, results, strict=True):
        one["outputs"] = [item["type"] for item in result["response"]["output"]]
    return {"rows": len(loaded), "results": kept, "metrics": reply["agent_metrics"]}


gym = Gym()
out_file.write_text(json.dumps(gym.wait(play(gym))), "utf-8")
gym.close()
