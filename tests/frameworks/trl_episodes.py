"""Play scripted episodes through TRL's trainer: `python trl_episodes.py EXPORT EPISODES OUT`, in TRL's environment."""

import json
import sys
from itertools import chain
from pathlib import Path

EXPORT, EPISODES, OUT = map(Path, sys.argv[1:])
sys.path.insert(0, str(EXPORT))

import torch
from datasets import Dataset
from selfcheck import scripted_trainer
from train import tasks
from transformers.utils import get_json_schema
from worldsmith_trl import WideSearch, score_rewards

rows = {row["task_id"]: row for row in chain(*tasks().values())}
trainer, model = scripted_trainer(next(iter(rows.values())))
LIMIT = trainer.max_completion_length
lengths: list[int] = []
generate = model.generate
taken = []


def measured(input_ids, **options):
    made = generate(input_ids, **options)
    lengths.extend((input_ids.shape[1], made.shape[1]))
    taken.append(made.shape[1])
    return made


def played(row, messages, limit):
    """Return the figures of a rollout that may have so many tokens, its messages of the model, and its length."""
    lengths.clear()
    taken.clear()
    trainer.max_completion_length = limit
    trainer.reward_funcs = [score_rewards(limit)]
    model.say(messages)
    metrics = trainer.evaluate(Dataset.from_list([row]))
    prefix = "eval_worldsmith/"
    figures = {name.removeprefix(prefix): value for name, value in metrics.items() if name.startswith(prefix)}
    return {"figures": {**figures, "paid": metrics["eval_reward"]}, "messages": len(taken)}, lengths[-1] - lengths[0]


trainer.compute_loss = lambda *_arguments, **_options: torch.zeros(())  # rewards alone; selfcheck.py makes a step
model.generate = measured
results = []
for episode in json.loads(EPISODES.read_text("utf-8")):
    *before, last = episode["messages"]
    messages = [*before, {**last, "cut": episode["cut"]}]
    row = rows[episode["task_id"]]
    result, length = played(row, messages, LIMIT)
    if episode["cut"]:
        result, _ = played(row, messages, length)
    results.append(result)
tools = [get_json_schema(tool) for tool in (WideSearch().web_search, WideSearch().web_extractor)]
OUT.write_text(json.dumps({"tools": tools, "episodes": results}), "utf-8")
