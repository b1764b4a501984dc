"""What goes to the server and what comes back."""

from typing import Any

from openenv.core.env_server.types import Action, Observation
from pydantic import Field


class WorldsmithAction(Action):
    """The model's next message."""

    message: str | dict[str, Any] = Field(
        description="A text, or a message of the assistant in OpenAI's form, with content and tool_calls."
    )
    cut: bool = Field(
        default=False,
        description="Whether the trainer ends the episode here, as at a limit of tokens: the text is scored as it is.",
    )


class WorldsmithObservation(Observation):
    """What to append to the conversation; at the end the reward, 0 to 1."""

    messages: list[dict[str, str]] = Field(
        default_factory=list, description="The prompt after a reset, then the replies to the message's tool calls."
    )
    tools: list[dict[str, Any]] = Field(
        default_factory=list, description="After a reset the tools in OpenAI's form, for the chat template."
    )
    figures: dict[str, float] = Field(
        default_factory=dict, description="At the end what the episode was worth; `score` is the reward."
    )
