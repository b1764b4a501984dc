"""A rollout function for ART: `rollout(model, row)` plays a task and returns its trajectory, with the reward."""

from collections.abc import Mapping
from typing import Any

import art
from openai import BadRequestError
from worldsmith_kit.episode import TOOLS, ExportedTask, figures


async def rollout(model: art.Model, row: Mapping[str, Any]) -> art.Trajectory:
    """Return the trajectory of an episode; its reward is the score, its metrics are the figures.

    Raises ConnectionError where no search server answered, which ART keeps out of the group, and what the model's
    client raises.
    """
    episode = ExportedTask.from_row(row).episode()
    trajectory = art.Trajectory(
        messages_and_choices=[*episode.reset()], tools=[*TOOLS], metadata={"task_id": row["task_id"]}
    )
    client = model.openai_client()
    while True:
        try:
            completion = await client.chat.completions.create(
                model=model.get_inference_name(), messages=trajectory.messages(), tools=trajectory.tools
            )
        except BadRequestError as error:
            if "context" not in str(error):
                raise
            step = episode.cut()
        else:
            choice = completion.choices[0]
            trajectory.messages_and_choices.append(choice)
            cut = choice.finish_reason == "length"
            step = episode.cut(choice.message) if cut else await episode.astep(choice.message)
            trajectory.messages_and_choices += step.messages
        if step.done:
            episode_figures = figures(step, episode)
            trajectory.reward = episode_figures["score"]
            # ART logs the reward by this name itself.
            trajectory.metrics = {name: value for name, value in episode_figures.items() if name != "reward"}
            if episode_figures["env_error"]:
                raise ConnectionError("no search server answered in this episode")
            return trajectory.finish()


def group(model: art.Model, row: Mapping[str, Any], size: int) -> Any:
    """Return what gathers the trajectories of a task."""
    return art.TrajectoryGroup((rollout(model, row) for _ in range(size)), metadata={"task_id": row["task_id"]})
