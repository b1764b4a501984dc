"""An AgentFlow and an evaluator for rLLM: the flow plays a task's episode, the evaluator hands over what it earned."""

from typing import Any

import rllm
from openai import AsyncOpenAI, BadRequestError
from rllm.eval.types import EvalOutput, Signal
from rllm.types import AgentConfig, Episode, Task, Trajectory
from worldsmith_kit.episode import TOOLS, ExportedTask, figures


@rllm.rollout(name="worldsmith")
async def search_agent(task: Task, config: AgentConfig) -> Episode:
    """Play the task of a row; rLLM's gateway records the model's messages as the trajectory's steps.

    Raises ConnectionError where no search server answered, so that rLLM tries again, and what the client raises.
    """
    episode = ExportedTask.from_row(task.metadata).episode()
    messages: list[Any] = [*episode.reset()]
    async with AsyncOpenAI(base_url=config.base_url, api_key="none") as client:
        while True:
            try:
                completion = await client.chat.completions.create(model=config.model, messages=messages, tools=[*TOOLS])
            except BadRequestError as error:
                if "context" not in str(error):
                    raise
                step = episode.cut()
            else:
                choice = completion.choices[0]
                message = choice.message.model_dump(exclude_none=True)
                step = episode.cut(message) if choice.finish_reason == "length" else await episode.astep(message)
                messages += [message, *step.messages]
            if step.done:
                break
    episode_figures = figures(step, episode)
    if episode_figures["env_error"]:
        raise ConnectionError("no search server answered in this episode")
    return Episode(trajectories=[Trajectory(name="worldsmith")], artifacts={"figures": episode_figures})


@rllm.evaluator
def evaluate(task: Task, episode: Episode) -> EvalOutput:
    """Return the score of an episode as its reward, and the figures as signals."""
    episode_figures = episode.artifacts["figures"]
    signals = [Signal(name, value) for name, value in episode_figures.items() if name != "reward"]
    return EvalOutput(reward=episode_figures["score"], is_correct=episode_figures["success"] == 1, signals=signals)
