"""A resources server for NeMo Gym's gymnasium_agent: each session is an episode, each model response a step of it."""

from typing import Any

from nemo_gym.openai_utils import NeMoGymResponse
from resources_servers.gymnasium import GymnasiumServer, extract_text
from worldsmith_kit.episode import Episode, ExportedTask, figures


class WorldsmithServer(GymnasiumServer):
    """Answers tool calls, and pays the answer with the last step; gold stays in this process."""

    async def reset(self, metadata: dict[str, Any], session_id: str | None = None) -> tuple[str | None, dict[str, Any]]:
        """Begin the episode of a row; its prompt is the row's own."""
        episode = self.session_state[session_id] = ExportedTask.from_row(metadata).episode()
        episode.reset()
        return None, {}

    async def step(
        self, action: NeMoGymResponse, metadata: dict[str, Any], session_id: str | None = None
    ) -> tuple[str | None, float, bool, bool, dict[str, Any]]:
        """Return (observation, reward, terminated, truncated, info); at the end, info holds the figures."""
        episode: Episode = self.session_state[session_id]
        calls = [item for item in action.output if item.type == "function_call"]
        functions = [{"id": c.call_id, "function": {"name": c.name, "arguments": c.arguments}} for c in calls]
        message = {"role": "assistant", "content": extract_text(action), "tool_calls": functions}
        step = episode.cut(message) if action.incomplete_details else await episode.astep(message)
        if step.done:
            episode_figures = figures(step, episode)
            return None, episode_figures["score"], not step.truncated, step.truncated, dict(episode_figures)
        if not calls:  # they were written as text: so is the reply
            return step.observation, 0.0, False, False, {}
        outputs = [
            {"call_id": call.call_id, "output": reply["content"]}
            for call, reply in zip(calls, step.messages, strict=True)
        ]
        return None, 0.0, False, False, {"tool_outputs": outputs}

    def compute_metrics(self, tasks: list[list[dict[str, Any]]]) -> dict[str, Any]:
        """Return the means of the figures over all rollouts that a server answered."""
        rollouts = [one["info"] for some in tasks for one in some if one["info"].get("env_error") == 0]
        names = [name for name in rollouts[0] if name != "reward"] if rollouts else []  # NeMo Gym's own is the score
        return {f"mean/{name}": sum(one[name] for one in rollouts) / len(rollouts) for name in names}


if __name__ == "__main__":
    WorldsmithServer.run_webserver()
