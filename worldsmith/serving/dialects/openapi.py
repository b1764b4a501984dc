"""The OpenAPI description of the server, made from the routes themselves, so that it can't differ from them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from worldsmith import __version__
from worldsmith.serving.dialects.schemas import JSON, TEXT, list_of, object_of
from worldsmith.serving.dialects.types import ANY, Dialect, Route
from worldsmith.simulate.perturb import PROFILES

_PARAMETER = re.compile(r"\{(\w+)(?::path)?\}")


def openapi_document(dialects: Iterable[Dialect], plain: Mapping[str, tuple[str, JSON]]) -> dict[str, Any]:
    """Return the description of the dialects' routes and of `plain` GET routes: path to what it is and its reply."""
    paths: dict[str, dict[str, Any]] = {
        path: {"get": {"summary": about, "responses": _responses("application/json", gives)}}
        for path, (about, gives) in plain.items()
    }
    for dialect in dialects:
        for route in dialect.routes:
            name = _PARAMETER.sub(r"{\1}", route.path)
            paths.setdefault(name, {})[route.method.lower()] = _operation(dialect, route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "worldsmith", "version": __version__, "description": ABOUT},
        "servers": [
            {"url": "/", "description": "A single world, or the world that the API key names."},
            {"url": "/w/{world}", "variables": {"world": {"default": "world", "description": "World, and options"}}},
        ],
        "security": [{}, {"key": []}],
        "paths": paths,
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }


ABOUT = (
    "A search engine and page reader over invented worlds. No key is needed. The world, and how it answers, is named "
    "once: by the path /w/<world>[;profile=NAME][;seed=N][;session=NAME]/…, by a key of the form "
    "ws-<world>[;profile=NAME][;seed=N][;session=NAME] (Authorization: Bearer, X-API-Key, or api_key in the body or "
    "query string), by the headers X-Worldsmith-World, -Profile, -Seed and -Session, or by world, profile, seed and "
    "session in the query string. A single world needs no name. The seed draws what a profile withholds or breaks: "
    "rollouts that are to be compared share it. A session, any name, counts how often a call is made, one name an "
    "episode; nothing else depends on it. Profiles: "
    + "; ".join(f"{p.name}: {p.about}" for p in PROFILES.values())
    + f". The one used where none is named is the server's --profile, {next(iter(PROFILES))} unless told."
)


def _operation(dialect: Dialect, route: Route) -> dict[str, Any]:
    media = str(route.gives.get("contentMediaType", "application/json"))
    operation: dict[str, Any] = {
        "summary": route.about,
        "tags": [dialect.name],
        "responses": _responses(media, route.gives)
        | {"4XX": {"description": "Wrong request.", "content": _error(dialect)}},
    }
    if route.method == "GET":
        in_path = _PARAMETER.findall(route.path)
        operation["parameters"] = [
            {
                "name": name,
                "in": "path" if name in in_path else "query",
                "required": name in route.takes["required"],
                "schema": schema,
            }
            for name, schema in route.takes["properties"].items()
        ]
    else:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": route.takes}}}
    return operation


def _error(dialect: Dialect) -> dict[str, Any]:
    body = dialect.errors.get(400, dialect.errors[ANY]).body
    return {"text/html" if isinstance(body, str) else "application/json": {"schema": _shape(body)}}


def _shape(body: Any) -> JSON:
    """Return the schema of a body that a dialect's errors hold."""
    if isinstance(body, dict):
        return object_of({name: _shape(value) for name, value in body.items()})
    return list_of(_shape(body[0])) if isinstance(body, list) else TEXT


def _responses(media: str, gives: JSON) -> dict[str, Any]:
    return {"200": {"description": "The reply.", "content": {media: {"schema": gives}}}}
