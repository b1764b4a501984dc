"""The environment that SkyRL plays: an episode of one task, in text, of a search agent."""

from collections.abc import Mapping
from typing import Any

import skyrl_gym
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput
from worldsmith_kit.episode import ExportedTask, Step, figures

ENV_CLASS = "worldsmith"


class WorldsmithEnv(BaseTextEnv):
    """An episode: `init`, then `step` with each message of the model until it is done.

    The reward comes with the last step, 0 to 1. The episode ends at the task's own limit of turns.
    """

    def __init__(self, env_config: Any, extras: Mapping[str, Any]) -> None:
        """Take a row's columns; nothing of SkyRL's own configuration is needed."""
        super().__init__()
        row = {**extras["extra_info"], "reference": extras["reward_spec"]["ground_truth"]}
        self._episode = ExportedTask.from_row(row).episode(tools_in_text=True)
        self._end: Step | None = None
        self.max_turns = self._episode.max_turns

    def init(self, prompt: list[dict[str, str]]) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Begin the episode; return the messages the model starts from, those of the row."""
        self._end = None
        return self._episode.reset(), {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Answer the tool calls of a message, or pay it. Raises UsageError for what is no text or after the end."""
        step = self._episode.step(action)
        self.turns = self._episode.turns
        self._end = step if step.done else None
        return BaseTextEnvStepOutput(
            observations=[dict(message) for message in step.messages],
            reward=figures(step, self._episode)["score"] if step.done else 0.0,
            done=step.done,
            metadata={},
        )

    def get_metrics(self) -> dict[str, float]:
        """Return the episode's figures; one that SkyRL ended at its own length limit is cut off and has no answer."""
        self._end = self._end or self._episode.cut()
        return figures(self._end, self._episode)


def register() -> None:
    """Make the environment known to skyrl-gym as `ENV_CLASS`, in this process."""
    if ENV_CLASS not in skyrl_gym.envs.registration.registry:
        skyrl_gym.register(id=ENV_CLASS, entry_point="worldsmith_env:WorldsmithEnv")
