"""A session with the server, over WebSocket: one episode at a time."""

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import State

from .models import WorldsmithAction, WorldsmithObservation


class WorldsmithEnv(EnvClient[WorldsmithAction, WorldsmithObservation, State]):
    """The client: `reset(split=, index=)`, then `step(WorldsmithAction(message=...))` until `done`.

    It is asynchronous; `.sync()` gives the other. One client per rollout: a session is one episode.
    """

    def _step_payload(self, action: WorldsmithAction) -> dict[str, Any]:
        return action.model_dump()

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[WorldsmithObservation]:
        ended = {"reward": payload.get("reward"), "done": payload.get("done", False)}
        return StepResult(observation=WorldsmithObservation(**payload["observation"], **ended), **ended)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
