"""Play scripted episodes on the rows of a dataset: `python hf_episodes.py EXPORT EPISODES OUT`, where `datasets` is."""

import json
import sys
from itertools import chain
from pathlib import Path

EXPORT, EPISODES, OUT = map(Path, sys.argv[1:])
sys.path.insert(0, str(EXPORT))

from datasets import load_dataset
from worldsmith_kit.episode import ExportedTask, figures

splits = load_dataset(str(EXPORT))
rows = {row["task_id"]: row for row in chain(*splits.values())}
results = []
for scripted in json.loads(EPISODES.read_text("utf-8")):
    episode = ExportedTask.from_row(rows[scripted["task_id"]]).episode()
    episode.reset()
    *before, last = scripted["messages"]
    for message in before:
        episode.step(message)
    results.append(figures(episode.cut(last) if scripted["cut"] else episode.step(last), episode))
features = {name: str(feature) for name, feature in splits["train"].features.items()}
loaded = {name: [dict(row) for row in some] for name, some in splits.items()}
OUT.write_text(json.dumps({"features": features, "splits": loaded, "episodes": results}), "utf-8")
