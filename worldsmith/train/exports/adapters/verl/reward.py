"""The reward for verl: reward.custom_reward_function.path=<this file>, name=compute_score.

ws_tools.py hands over the messages of an episode and records of its calls; the episode is played again over them, so
that turns, evidence and reward are those of every other trainer. Only what the agent says last is read as its answer,
so nothing a tool returned can earn. Where the answer is not among the messages, the text that verl decodes is read, if
it shows the ends of tool replies; otherwise it holds no answer (README.md).
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent))

from worldsmith_kit.episode import ExportedTask, replayed_figures
from worldsmith_kit.scoring import after_replies, final_text, without_reasoning

# Special tokens are gone from the text that verl hands over; of a chat template's turn marks the role's line is left.
_TURN = re.compile(r"^assistant[ \t]*$", re.MULTILINE)
# Every call names its tool, in any format: a name after the last reply whose end is marked may be of another call.
_TOOL = re.compile(r"web_(?:search|extractor)")


def last_words(text: str) -> tuple[str, bool]:
    """Return what the agent says last in a decoded response, and whether tools may have returned it: then it is ""."""
    turns = [*_TURN.finditer(text)]
    text = text[turns[-1].end() :] if turns else text
    unread = _TOOL.search(without_reasoning(after_replies(text))) is not None
    return "" if unread else final_text(text, []), unread


def assistant_messages(messages: Any) -> list[dict[str, Any]]:
    """Return the agent's messages, in OpenAI's form; the text of the last one as it is read in any chat format."""
    taken = [dict(message) for message in messages if message["role"] == "assistant"]
    last = taken[-1]
    if messages[-1]["role"] == "assistant" and not last.get("tool_calls") and isinstance(last["content"], str):
        last["content"] = final_text(last["content"], [])
    return taken


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any],
    *,
    penalties: bool = False,
    drop_faults: bool = False,
    **kwargs: Any,
) -> dict[str, float]:
    """Return the reward as "score" and its parts; the same keys, all floats, for every answer.

    score: 0 to 1, from cells outside the key and whole rows that the episode's own replies disclosed; keys alone earn
    nothing, and neither does what was remembered. With penalties=True
    (+reward.custom_reward_function.reward_kwargs.penalties=True) it is `reward`: an answer without a table, or one that
    was cut off, gets less than 0.

    env_error is 1 where no tool call was answered for want of a server: the episode says nothing of the model. A
    reward function has no way to mask an episode in verl, so its score is 0 like a wrong answer's, unless
    drop_faults=True (+reward.custom_reward_function.reward_kwargs.drop_faults=True): then a RuntimeError is
    raised, and verl's trainer goes on without the episode (see README.md). `scored` is 0 in such rows and 1 in all
    others, and so is every other figure 0: mean(x) / mean(scored) is the mean over the answers that count.

    unread is 1 where the agent's words can't be separated from a tool's reply; such an answer earns nothing.
    """
    del data_source, kwargs
    messages, records = extra_info.get("worldsmith_messages"), extra_info.get("worldsmith_calls") or ()
    taken = [] if messages is None else assistant_messages(messages)
    # An answer at verl's own limit is not among the messages.
    cut, unread = messages is not None and messages[-1]["role"] != "assistant", False
    if messages is None or cut:
        words, unread = last_words(solution_str)
        taken.append({"role": "assistant", "content": words})
    task = ExportedTask.from_row({"question": "", "base_url": "", **extra_info, "reference": ground_truth})
    figures = replayed_figures(task, taken, records, cut=cut)
    if figures["env_error"] and drop_faults:
        raise RuntimeError(f"none of {len(records)} tool calls was answered for want of a server")
    if penalties:
        figures["score"] = figures["reward"]
    figures |= {"unread": float(unread), "scored": 1.0}
    if figures["env_error"]:
        figures = {**dict.fromkeys(figures, 0.0), "env_error": 1.0}
    return figures
