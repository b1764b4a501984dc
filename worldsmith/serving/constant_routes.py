"""Routes that belong to no dialect, all GET and all constant: what is served, and which routes there are.

They answer under /w/<world>/ too, as every route does.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as HTTPRoute

from worldsmith.serving.dialects import Endpoints
from worldsmith.serving.dialects.openapi import openapi_document
from worldsmith.serving.dialects.schemas import TEXT, list_of, object_of
from worldsmith.serving.responder_cache import ResponderCache

PLAIN: dict[str, tuple[str, Mapping[str, Any]]] = {
    "/": (
        "What this is, and its routes.",
        object_of({"about": TEXT, "world": TEXT, "worlds": TEXT, "description": TEXT, "routes": {"type": "object"}}),
    ),
    "/healthz": ("Answers 200 when the server is ready.", object_of({"status": TEXT})),
    "/worlds": (
        "The worlds served, and the path of each.",
        object_of({"worlds": list_of(object_of({"world": TEXT, "schema": TEXT, "as_of": TEXT, "path": TEXT}))}),
    ),
    "/openapi.json": ("This description.", {"type": "object"}),
}
"""The routes: what they are, and the schema of their reply."""

KEYLESS = "/healthz"
"""The route that says without the server's key whether it runs."""

Check = Callable[[Request], Response | None]
"""What a request is refused with; None where its world is here."""


def readable_path(path: str) -> str:
    """Return a route's path as people write it: /web/<host>/<path>."""
    return re.sub(r"\{(\w+)(?::\w+)?\}", r"<\1>", path)


def _home(responder_cache: ResponderCache, endpoints: Endpoints, first: str) -> dict[str, Any]:
    descriptions = {
        f"{method} {readable_path(path)}": " Or: ".join(route.about for _, route in candidates)
        for (method, path), candidates in endpoints.items()
    }
    return {
        "about": "worldsmith: a search engine and page reader over invented worlds. Any key will do, unless the server "
        "asks for its own.",
        "world": f"The {'worlds are one web and need' if responder_cache.pool else 'one world needs'} no name."
        if responder_cache.only
        else f"Name one of {len(responder_cache.cards)} worlds before the route, such as {first}/api/search?query=…",
        "worlds": "/worlds",
        "description": "/openapi.json",
        "routes": {**descriptions, **{f"GET {path}": about for path, (about, _) in PLAIN.items()}},
    }


def plain_routes(
    responder_cache: ResponderCache,
    endpoints: Endpoints,
    check: Check,
    names: Mapping[str, str],
    *,
    asks_for_key: bool,
) -> list[HTTPRoute]:
    """Return the routes; `check` is called for every request, since its path may name a world.

    `names` are those by which worlds are listed, by their ids, where these are not their ids.
    """
    worlds = [
        {
            "world": names.get(world, world),
            "schema": card.schema,
            "as_of": card.as_of,
            "path": f"/w/{names.get(world, world)}",
        }
        for world, card in responder_cache.cards.items()
    ]
    bodies = {
        "/": _home(responder_cache, endpoints, worlds[0]["path"]),
        "/healthz": {"status": "ok"},
        "/worlds": {"worlds": worlds},
        "/openapi.json": openapi_document(endpoints, PLAIN, keyless=KEYLESS, asks_for_key=asks_for_key),
    }
    return [HTTPRoute(path, _constant(orjson.dumps(body), check), methods=["GET"]) for path, body in bodies.items()]


def _constant(body: bytes, check: Check) -> Callable[[Request], Awaitable[Response]]:
    async def constant(http: Request) -> Response:
        return check(http) or Response(body, media_type="application/json")

    return constant
