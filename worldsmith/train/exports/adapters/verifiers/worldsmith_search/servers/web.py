"""The two tools as an MCP server, which all rollouts of a worker share: `python -m worldsmith_search.servers.web`."""

from typing import Any

import verifiers.v1 as vf

from worldsmith_search.state import SearchState
from worldsmith_search.worldsmith_kit.episode import RecordingTools, answer_call, open_tools


class WebTools(vf.Toolset[vf.SharedToolsetConfig, SearchState]):
    """Searches where the state of the calling rollout says, and records the calls there."""

    TOOL_PREFIX = None

    @vf.tool
    async def web_search(self, query: str, page: int = 1) -> str:
        """Search the web. Returns results with url, title, snippet and date."""
        return await self._answer("web_search", query=query, page=page)

    @vf.tool
    async def web_extractor(self, url: str, offset: int = 0) -> str:
        """Read a web page as Markdown."""
        return await self._answer("web_extractor", url=url, offset=offset)

    async def _answer(self, name: str, **arguments: Any) -> str:
        state = self.state
        tools = RecordingTools(open_tools(state.base_url, state.session), state.calls)
        return await answer_call(tools, name, arguments)


if __name__ == "__main__":
    WebTools.run()
