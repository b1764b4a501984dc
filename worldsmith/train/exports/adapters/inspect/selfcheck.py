"""Check this export: `python selfcheck.py` (exit 0: passed, 1: failed, 3: inspect-ai is missing).

Each episode goes through Inspect's own `eval`, with its mockllm. `--server` plays against the real server.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from worldsmith_kit.episode.rehearsal import check, require

require("inspect_ai", "inspect-ai==0.3.285")

from inspect_ai import eval as inspect_eval
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.model._call_tools import parse_tool_call
from inspect_ai.scorer import Score
from tasks import worldsmith_search

HERE = Path(__file__).resolve().parent


def play(row: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> float:
    """Return the score of a sample in which the model says these messages."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
        model = get_model("mockllm/model", custom_outputs=map(output, messages), memoize=False)
        (log,) = inspect_eval(worldsmith_search(data=folder), model=model, log_dir=folder, display="none")
        if log.status != "success" or not log.samples:
            raise RuntimeError(f"the evaluation failed: {log.error}")
        score: Score = (log.samples[0].scores or {})["table_scorer"]  # read while the log is there
        return float(score.as_dict()["score"])


def output(message: Mapping[str, Any]) -> ModelOutput:
    """Return what a provider makes of a message; with its usage, so that Inspect counts no tokens by a download."""
    calls = [
        parse_tool_call(call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    ]
    reply = ChatMessageAssistant(content=message.get("content") or "", tool_calls=calls or None)
    made = ModelOutput.from_message(reply, stop_reason="tool_calls" if calls else "stop")
    made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return made


def play_wrong_type(row: Mapping[str, Any]) -> object:
    """Have the model say a number."""
    return play(row, [{"content": 17}])


def check_data() -> bool:
    """Whether Inspect loads every row of both splits, its gold in the target alone."""
    right = {}
    for split in ("train", "test"):
        rows = [json.loads(line) for line in (HERE / f"{split}.jsonl").read_text("utf-8").splitlines()]
        samples = [*worldsmith_search(split).dataset]
        right[split] = [(row["task_id"], row["reference"]) for row in rows] == [
            (sample.id, sample.target) for sample in samples
        ] and not any("reference" in (sample.metadata or {}) for sample in samples)
    sys.stdout.write(f"data: {right}\n")
    return all(right.values())


if __name__ == "__main__":
    code = check(play, play_wrong_type, RuntimeError)
    sys.exit(code or (0 if check_data() else 1))
