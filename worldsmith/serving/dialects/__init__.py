"""The wire forms that the simulator speaks, all at once: the request selects one, never an option."""

from worldsmith.serving.dialects.agentworld import AGENTWORLD
from worldsmith.serving.dialects.api import API
from worldsmith.serving.dialects.bing import BING
from worldsmith.serving.dialects.brave import BRAVE
from worldsmith.serving.dialects.jina import JINA
from worldsmith.serving.dialects.pages import PAGES
from worldsmith.serving.dialects.retrieve import RETRIEVE
from worldsmith.serving.dialects.searxng import SEARXNG
from worldsmith.serving.dialects.serper import SERPER
from worldsmith.serving.dialects.tavily import TAVILY
from worldsmith.serving.dialects.types import Dialect, Endpoints, ParsedRequest, Reply, Request, Route, endpoints_of
from worldsmith.serving.dialects.widesearch import WIDESEARCH

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (API, TAVILY, RETRIEVE, PAGES, SERPER, JINA, BRAVE, SEARXNG, BING, WIDESEARCH, AGENTWORLD)
}
"""Dialects by name."""

__all__ = ["DIALECTS", "Dialect", "Endpoints", "ParsedRequest", "Reply", "Request", "Route", "endpoints_of"]
