"""Play episodes through rLLM's engine and gateway: `python rllm_rollouts.py EPISODES OUT`, in an export's folder.

Writes [{"reward", "signals", "correct", "steps"}]; the episodes go on at the same time.
"""

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, ".")

from selfcheck import ROWS, Engine
from train import dataset
from worldsmith_kit.episode.scripted_model import scripted_model

episodes_file, out_file = map(Path, sys.argv[1:])
loaded = {row["task_id"]: row for split in ROWS for row in dataset(split).get_data()}
with scripted_model() as scripted:
    rows = [
        scripted.row(loaded[one["task_id"]], one["messages"], cut=one["cut"])
        for one in json.loads(episodes_file.read_text("utf-8"))
    ]
    engine = Engine(scripted.base_url)
    episodes = asyncio.run(engine.play(rows))
    engine.close()
results = [
    {
        "reward": episode.trajectories[0].reward,
        "signals": episode.trajectories[0].signals,
        "correct": episode.is_correct,
        "steps": len(episode.trajectories[0].steps),
    }
    for episode in episodes
]
out_file.write_text(json.dumps(results), "utf-8")
