"""The wire forms that the simulator speaks, all at once: the request selects one, never an option."""

from worldsmith.serving.dialects.agentworld import AGENTWORLD
from worldsmith.serving.dialects.api import API
from worldsmith.serving.dialects.bing import BING
from worldsmith.serving.dialects.brave import BRAVE
from worldsmith.serving.dialects.exa import EXA
from worldsmith.serving.dialects.firecrawl import FIRECRAWL
from worldsmith.serving.dialects.jina import JINA
from worldsmith.serving.dialects.mcp import MCP, mcp_dialect
from worldsmith.serving.dialects.pages import PAGES
from worldsmith.serving.dialects.retrieve import RETRIEVE
from worldsmith.serving.dialects.searxng import SEARXNG
from worldsmith.serving.dialects.serper import SERPER
from worldsmith.serving.dialects.tavily import TAVILY
from worldsmith.serving.dialects.types import Dialect, Endpoints, ParsedRequest, Reply, Request, Route, endpoints_of
from worldsmith.serving.dialects.widesearch import WIDESEARCH
from worldsmith.serving.dialects.you import YOU

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        *(API, TAVILY, SERPER, EXA, FIRECRAWL, JINA, BRAVE, SEARXNG, BING, YOU),
        *(RETRIEVE, WIDESEARCH, AGENTWORLD, MCP, PAGES),
    )
}
"""Dialects by name."""


def dialects_with_tools(tool_names: str) -> tuple[Dialect, ...]:
    """Return the dialects, where MCP's tools have the names of a row of `mcp.TOOL_NAMES`."""
    return tuple(mcp_dialect(tool_names) if dialect is MCP else dialect for dialect in DIALECTS.values())


__all__ = [
    "DIALECTS",
    "Dialect",
    "Endpoints",
    "ParsedRequest",
    "Reply",
    "Request",
    "Route",
    "dialects_with_tools",
    "endpoints_of",
]
