"""The wire forms that the simulator speaks, all at once: which one is told by the route, never by an option."""

from worldsmith.serving.dialects.api import API
from worldsmith.serving.dialects.pages import PAGES
from worldsmith.serving.dialects.retrieve import RETRIEVE
from worldsmith.serving.dialects.tavily import TAVILY
from worldsmith.serving.dialects.types import Asked, Dialect, Reply, Request, Route

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (API, TAVILY, RETRIEVE, PAGES)}
"""Dialects by name."""

__all__ = ["DIALECTS", "Asked", "Dialect", "Reply", "Request", "Route"]
