"""The OpenAPI description of the server, made from the routes themselves, so that it can't differ from them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from worldsmith import __version__
from worldsmith.serving.dialects.schemas import BOOL, JSON, NULL, NUMBER, TEXT, list_of, object_of, one_of
from worldsmith.serving.dialects.types import ANY, Dialect, Endpoints, Route
from worldsmith.simulate.perturb import PROFILES

_PARAMETER = re.compile(r"\{(\w+)(?::path)?\}")


def openapi_document(endpoints: Endpoints, plain: Mapping[str, tuple[str, JSON]]) -> dict[str, Any]:
    """Return the description of the endpoints and of `plain` GET routes: path to what it is and its reply."""
    paths: dict[str, dict[str, Any]] = {
        path: {
            "get": {
                "summary": about,
                "responses": {"200": {"description": "The reply.", "content": _content([("application/json", gives)])}},
            }
        }
        for path, (about, gives) in plain.items()
    }
    for (method, path), candidates in endpoints.items():
        paths.setdefault(_PARAMETER.sub(r"{\1}", path), {})[method.lower()] = _operation(candidates)
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
    "A search engine and page reader over invented worlds. Any key will do, unless the server asks for its own. The "
    "world, and how it answers, is named "
    "once: by the path /w/<world>[;profile=NAME][;seed=N][;session=NAME]/…, by a key of the form "
    "ws-<world>[;profile=NAME][;seed=N][;session=NAME] (Authorization: Bearer, X-API-Key or the header of the service, "
    "or api_key in the body or query string), by the headers X-Worldsmith-World, -Profile, -Seed and -Session, or by "
    "world, profile, seed and session in the query string. A single world needs no name. The seed draws what a profile "
    "withholds or breaks: rollouts that are to be compared share it. A session, any name, counts how often a call is "
    "made, one name per episode; nothing else depends on it. Profiles: "
    + "; ".join(f"{p.name}: {p.about}" for p in PROFILES.values())
    + f". The one used where none is named is the server's --profile, by default {next(iter(PROFILES))}."
)


def _operation(candidates: Sequence[tuple[Dialect, Route]]) -> dict[str, Any]:
    routes = [route for _, route in candidates]
    operation: dict[str, Any] = {
        "summary": " Or: ".join(route.about for route in routes),
        "tags": [dialect.name for dialect, _ in candidates],
        "responses": {
            "200": {"description": "The reply.", "content": _content((_media(r.gives), r.gives) for r in routes)},
            **{status: {"description": meaning} for route in routes for status, meaning in route.also.items()},
            "4XX": {"description": "Wrong request.", "content": _content(map(_error, candidates))},
        },
    }
    if routes[0].method == "GET":
        in_path = _PARAMETER.findall(routes[0].path)
        operation["parameters"] = [
            {
                "name": name,
                "in": "path" if name in in_path else "query",
                "required": all(name in route.takes["required"] for route in routes),
                "schema": schema,
            }
            for name, schema in {n: s for r in reversed(routes) for n, s in r.takes["properties"].items()}.items()
        ]
    else:
        body = _content(("application/json", route.takes) for route in routes)
        operation["requestBody"] = {"required": True, "content": body}
    return operation


def _content(schemas: Iterable[tuple[str, JSON]]) -> dict[str, Any]:
    """Return what a request or a reply holds by media type: one schema, or several of which it fits one."""
    by_media: dict[str, list[JSON]] = {}
    for media, schema in schemas:
        if schema not in by_media.setdefault(media, []):
            by_media[media].append(schema)
    return {media: {"schema": one_of(*each) if len(each) > 1 else each[0]} for media, each in by_media.items()}


def _media(gives: JSON) -> str:
    return str(gives.get("contentMediaType", "application/json"))


def _error(candidate: tuple[Dialect, Route]) -> tuple[str, JSON]:
    errors = candidate[0].errors
    body = errors.get(400, errors[ANY]).body
    return "text/html" if isinstance(body, str) else "application/json", _shape(body)


def _shape(body: Any) -> JSON:
    """Return the schema of a body that a dialect's errors hold."""
    if isinstance(body, dict):
        return object_of({name: _shape(value) for name, value in body.items()})
    if isinstance(body, list):
        return list_of(_shape(body[0]))
    return {"str": TEXT, "int": NUMBER, "bool": BOOL}.get(type(body).__name__, NULL)
