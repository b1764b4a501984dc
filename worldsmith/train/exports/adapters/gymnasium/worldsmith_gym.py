"""Episodes of a search agent as a Gymnasium environment: actions are a model's messages, observations the replies.

Importing this module registers it: `gymnasium.make("worldsmith/Search-v0")`.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import printable
from typing import Any

import gymnasium
from gymnasium.spaces import Text
from worldsmith_kit.episode import Episode, ExportedTask, TaskRows, figures

HERE = Path(__file__).resolve().parent
ENV_ID = "worldsmith/Search-v0"


class AnyText(Text):
    """Every text; length and characters bound only what is sampled, since pages hold letters of any script."""

    def contains(self, x: object) -> bool:
        """Return whether this is a text."""
        return isinstance(x, str)


@cache
def task_rows(file: str) -> TaskRows:
    """Return the rows of a file, those beside this module unless the path is absolute."""
    return TaskRows(HERE / file)


class SearchEnv(gymnasium.Env[str, str]):
    """An episode of one task: `reset` asks, `step` answers the tool calls of a message, or pays the answer.

    Tool calls are text, as the first observation describes. The reward comes with the last step, 0 to 1.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - Gymnasium's name and form

    def __init__(self, file: str = "train.jsonl", row: Mapping[str, Any] | None = None) -> None:
        """Take the tasks of a file of rows, or the one of a row."""
        self.action_space = AnyText(1000, min_length=0, charset=printable)
        self.observation_space = AnyText(1000, min_length=0, charset=printable)
        self._rows: TaskRows | Sequence[Mapping[str, Any]] = task_rows(file) if row is None else [row]
        self._episode: Episode | None = None

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode of the task at `options["index"]` in the file, or of one that the seed draws.

        Raises IndexError where the file has no such row.
        """
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(len(self._rows)))
        task = ExportedTask.from_row(self._rows[(options or {}).get("index", drawn)])
        self._episode = task.episode(tools_in_text=True)
        messages = self._episode.reset()
        return _text_of(messages), {"task_id": task.task_id, "messages": messages}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play a message of the model. Raises UsageError for what is no text, after the end, or before a reset.

        `info["messages"]` is what to append to the conversation; at the end `info["figures"]` is what it was worth.
        """
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("no episode has begun: call reset() before step()")
        step = self._episode.step(action)
        info: dict[str, Any] = {"messages": [dict(message) for message in step.messages]}
        if not step.done:
            return _text_of(step.messages), 0.0, False, False, info
        info["figures"] = figures(step, self._episode)
        return "", info["figures"]["score"], not step.truncated, step.truncated, info


def _text_of(messages: Sequence[Mapping[str, str]]) -> str:
    return "\n\n".join(message["content"] for message in messages)


if ENV_ID not in gymnasium.registry:
    gymnasium.register(ENV_ID, entry_point="worldsmith_gym:SearchEnv")
