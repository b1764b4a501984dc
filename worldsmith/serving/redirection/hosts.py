"""What each host of the world is to a redirected command: a search service, or a site."""

from collections import Counter
from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send

from worldsmith.serving.app import BY_HOST, INVENTED
from worldsmith.serving.dialects.pages import ROOT


class Service(NamedTuple):
    """The dialect of a search service, and what its root is here."""

    dialect: str
    root: str
    """Stands for the first slash of a path."""


SERVICES: Mapping[str, Service] = {
    "api.bing.microsoft.com": Service("bing", "/"),
    "api.exa.ai": Service("exa", "/exa/"),
    "api.firecrawl.dev": Service("firecrawl", "/"),
    "api.search.brave.com": Service("brave", "/"),
    "api.tavily.com": Service("tavily", "/tavily/"),
    "api.ydc-index.io": Service("you", "/"),
    "google.serper.dev": Service("serper", "/serper/"),
    "r.jina.ai": Service("jina", "/jina/r/"),
    "s.jina.ai": Service("jina", "/jina/s/"),
    "scrape.serper.dev": Service("serper", "/serper/scrape"),
    "ydc-index.io": Service("you", "/"),
}
"""Hosts of search services. Every other host is a site, whose pages are those of the world or none."""


class ByVisitedHost:
    """Sends a request to the dialect of the service whose host it names, or to the page of any other host."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.requests: Counter[str] = Counter()
        """Requests by host; those to this machine's own name are not counted."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with the path that it has at this server."""
        if scope["type"] == "http":
            header = next((value for key, value in scope["headers"] if key == b"host"), b"").decode("latin-1")
            host = host_name(header)
            if not is_this_machine(host):
                self.requests[host] += 1
                scope = _moved(scope, host)
        await self.app(scope, receive, send)


def _moved(scope: Scope, host: str) -> Scope:
    if host in SERVICES:
        return {**scope, "path": SERVICES[host].root + scope["path"].removeprefix("/")}
    if host.endswith(INVENTED):  # the app itself sends these to their pages
        return scope
    return {**scope, "path": f"{ROOT}{host}{scope['path']}", BY_HOST: True}


def host_name(header: str) -> str:
    """Return the host of a Host header or a CONNECT target, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower().rstrip(".")


def is_this_machine(host: str) -> bool:
    """Whether a host is a name or an address of loopback, or none is named."""
    if host in {"", "localhost"}:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
