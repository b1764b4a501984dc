"""The environment that the server plays: one episode per session, with the gold on this side alone."""

import random
import secrets
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import State
from worldsmith_env.models import WorldsmithAction, WorldsmithObservation
from worldsmith_kit.episode import TOOLS, Episode, ExportedTask, Step, TaskRows, figures
from worldsmith_kit.errors import UsageError

HERE = Path(__file__).resolve().parent.parent
ENV_NAME = "worldsmith"
SPLITS = ("train", "test")
SHOWN = ("question", "world", "schema", "kind", "size", "max_turns", "min_turns", "budget", "tool_tokens")
"""What the task API shows of a row: nothing of its gold."""
LISTED = 1000
"""Tasks that `list_tasks` shows at most; `get_task_range` shows any."""


@cache
def task_rows(split: str) -> TaskRows:
    """Return the rows of a split. Raises IndexError for one that there is not, which the task API answers with 400."""
    if split not in SPLITS:
        raise IndexError(f"there is no split {split!r}: {', '.join(SPLITS)}")
    return TaskRows(HERE / f"{split}.jsonl")


class WorldsmithEnvironment(Environment[WorldsmithAction, WorldsmithObservation, State]):
    """An episode of one task: `reset` asks, `step` answers the tool calls of a message, or pays the answer."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        """Begin no episode yet."""
        super().__init__()
        self._episode: Episode | None = None
        self._task_id = self._episode_id = ""

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str = "train",
        index: int | None = None,
        tools_in_text: bool = False,
    ) -> WorldsmithObservation:
        """Begin an episode.

        Args:
            seed: draws the task where no index is given.
            episode_id: names the episode in `state`.
            split: "train" or "test".
            index: of the task in its split.
            tools_in_text: whether the first message describes the tools, for chat templates that take none.

        Raises IndexError for a split or a task that there is not.
        """
        rows = task_rows(split)
        chosen = random.Random(seed).randrange(len(rows)) if index is None else index
        task = ExportedTask.from_row(rows[chosen])
        self._episode = task.episode(tools_in_text=tools_in_text)
        self._task_id, self._episode_id = task.task_id, episode_id or secrets.token_hex(8)
        tools = [] if tools_in_text else [dict(tool) for tool in TOOLS]
        return WorldsmithObservation(messages=self._episode.reset(), tools=tools, metadata={"task_id": task.task_id})

    def step(self, action: WorldsmithAction, timeout_s: float | None = None) -> WorldsmithObservation:
        """Play a message of the model. Raises UsageError for no message of an agent, after the end, before a reset."""
        episode = self._running_episode()
        return _observation(episode.cut(action.message) if action.cut else episode.step(action.message), episode)

    async def step_async(self, action: WorldsmithAction, timeout_s: float | None = None) -> WorldsmithObservation:
        """Play a message as `step` does, while other episodes go on."""
        episode = self._running_episode()
        return _observation(episode.cut(action.message) if action.cut else await episode.astep(action.message), episode)

    @property
    def state(self) -> State:
        """How far the episode is, and of which task; nothing of its gold."""
        turns = self._episode.turns if self._episode else 0
        return State(episode_id=self._episode_id or None, step_count=turns, task_id=self._task_id)

    def list_splits(self) -> list[str]:
        """Return the splits that hold tasks."""
        return [split for split in SPLITS if len(task_rows(split))]

    def num_tasks(self, split: str) -> int:
        """Return the number of tasks of a split."""
        return len(task_rows(split))

    def list_tasks(self, split: str) -> list[Mapping[str, Any]]:
        """Return the first tasks of a split, `LISTED` at most."""
        return self.get_task_range(split, 0, LISTED)

    def get_task(self, split: str, index: int) -> Mapping[str, Any]:
        """Return what is shown of a task. Raises IndexError."""
        row = task_rows(split)[index]
        return {"id": row["task_id"], "split": split, "index": index, **{name: row[name] for name in SHOWN}}

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[Mapping[str, Any]]:
        """Return what is shown of the tasks of a slice."""
        places = range(*slice(start, stop).indices(len(task_rows(split))))
        return [self.get_task(split, index) for index in places]

    def _running_episode(self) -> Episode:
        if self._episode is None:
            raise UsageError("no episode has begun: reset() first, in this session")
        return self._episode


def _observation(step: Step, episode: Episode) -> WorldsmithObservation:
    """Return what a step shows; at the end its reward and figures."""
    if not step.done:
        return WorldsmithObservation(messages=[dict(message) for message in step.messages], reward=0.0)
    episode_figures = figures(step, episode)
    return WorldsmithObservation(done=True, reward=episode_figures["score"], figures=episode_figures)
