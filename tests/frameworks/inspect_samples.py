"""Run by the Python that has inspect-ai: evaluate scripted samples of an export, and write what they scored.

    PYTHONPATH=EXPORT python inspect_samples.py EPISODES.json [react]

EPISODES.json is what `odd_episodes.save` writes; a line of JSON is written for each, in order. With "react", Inspect's
own agent plays them.
"""

import json
import sys
import tempfile
from pathlib import Path

import tasks
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import react
from inspect_ai.log._samples import sample_active
from inspect_ai.model import get_model
from selfcheck import HERE, output

episodes = json.loads(Path(sys.argv[1]).read_text("utf-8"))
rows = {
    row["task_id"]: row
    for split in ("train", "test")
    for row in map(json.loads, (HERE / f"{split}.jsonl").read_text("utf-8").splitlines())
}


def scripted(messages, tools, tool_choice, config):
    """Return the next message of the episode that the sample's id counts."""
    episode = episodes[int(sample_active().sample.id)]
    turn = sum(message.role == "assistant" for message in messages)
    made = output(episode["messages"][turn])
    if episode["cut"] and turn == len(episode["messages"]) - 1:
        made.choices[0].stop_reason = "max_tokens"
    return made


samples = []
for number, episode in enumerate(episodes):
    sample = tasks.sample_of(rows[episode["task_id"]])
    sample.id = str(number)
    samples.append(sample)
agent = react(tools=[tasks.web_search(), tasks.web_extractor()], submit=False) if "react" in sys.argv else None
task = Task(samples, setup=tasks.search_session(), solver=agent or tasks.search_agent(), scorer=tasks.table_scorer())
with tempfile.TemporaryDirectory() as folder:
    model = get_model("mockllm/model", custom_outputs=scripted)
    (log,) = inspect_eval(task, model=model, log_dir=folder, display="none", max_samples=8)
    assert log.status == "success", log.error
    for sample in sorted(log.samples, key=lambda sample: int(sample.id)):
        score = sample.scores["table_scorer"]
        sys.stdout.write(json.dumps({"value": score.value, "figures": score.metadata}) + "\n")
