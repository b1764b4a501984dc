"""The wire forms that the simulator speaks, all at once: the route selects one, never an option."""

from worldsmith.serving.dialects.api import API
from worldsmith.serving.dialects.pages import PAGES
from worldsmith.serving.dialects.retrieve import RETRIEVE
from worldsmith.serving.dialects.tavily import TAVILY
from worldsmith.serving.dialects.types import Dialect, ParsedRequest, Reply, Request, Route

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (API, TAVILY, RETRIEVE, PAGES)}
"""Dialects by name."""

__all__ = ["DIALECTS", "Dialect", "ParsedRequest", "Reply", "Request", "Route"]
