"""The tools web_search and web_extractor for verl's tool agent loop, over a running `worldsmith serve`.

Where they look comes from each row (extra_info.tools_kwargs.<tool>.create_kwargs.base_url). An agent always gets text
back: a call that failed is reported as "Error: ...". Records of an episode's calls are kept in
agent_data.extra_fields["worldsmith_calls"] and its messages in extra_fields["worldsmith_messages"], where the reward
function finds them; no agent sees either.
"""

from typing import Any

from verl.tools.base_tool import BaseTool
from verl.tools.schemas import ToolResponse
from worldsmith_kit.episode import RecordingTools, answer_call, open_tools


class SearchTool(BaseTool):
    """Either tool, by the name in its schema. verl calls create, execute and release for every single call."""

    async def create(
        self,
        instance_id: str | None = None,
        create_kwargs: dict[str, str] | None = None,
        **_: Any,
    ) -> tuple[str, ToolResponse]:
        """Return where this call looks as its instance id, so that nothing of it has to be kept."""
        return (create_kwargs or {})["base_url"], ToolResponse()

    async def execute(
        self, instance_id: str, parameters: dict[str, Any], **kwargs: Any
    ) -> tuple[ToolResponse, float, dict[str, float]]:
        """Make the call; return what the agent reads, and no reward of its own."""
        data = kwargs["agent_data"]
        data.extra_fields["worldsmith_messages"] = data.messages  # verl appends to this list until the episode ends
        records = data.extra_fields.setdefault("worldsmith_calls", [])
        tools = RecordingTools(open_tools(instance_id, data.request_id), records)
        return ToolResponse(text=await answer_call(tools, self.name, parameters)), 0.0, {}

    async def release(self, instance_id: str, **_: Any) -> None:
        """Release nothing."""
