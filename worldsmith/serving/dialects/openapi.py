"""The OpenAPI description of the server, made from the routes themselves, so that it can't differ from them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from worldsmith import __version__
from worldsmith.episode.search_server import KEY_HEADER
from worldsmith.serving.dialects.schemas import BOOL, JSON, NULL, NUMBER, TEXT, any_of, list_of, object_of
from worldsmith.serving.dialects.types import ANY, Dialect, Endpoints, HasField, Route
from worldsmith.simulate.perturb import PROFILES

WRONG, FAILED = (400, 401, 404, 413, 429), (500, 503, 504)
"""Statuses that errors of a dialect have, before it gives them others."""
_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")


def openapi_document(
    endpoints: Endpoints, plain: Mapping[str, tuple[str, JSON]], *, keyless: str = "", asks_for_key: bool = False
) -> dict[str, Any]:
    """Return the description of the endpoints and of `plain` GET routes: path to what it is and its reply.

    `keyless` is the one of these that answers without the key, where the server asks for one.
    """
    error = object_of({"error": TEXT})
    paths: dict[str, dict[str, Any]] = {
        path: {
            "get": {
                "summary": about,
                "responses": {
                    "200": {"description": "The reply.", "content": _content([("application/json", gives)])},
                    "4XX": {"description": "Wrong request.", "content": _content([("application/json", error)])},
                },
                **({"security": []} if path == keyless else {}),
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
        "security": [*([] if asks_for_key else [{}]), *({name: []} for name in KEYS)],
        "paths": paths,
        "components": {"securitySchemes": KEYS},
    }


KEYS = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "api_key"},
    "own": {"type": "apiKey", "in": "header", "name": KEY_HEADER},
}
"""Where a request has its key."""


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
            "4XX": {"description": "Wrong request.", "content": _content(_errors(candidates, WRONG))},
            "5XX": {"description": "The call failed.", "content": _content(_errors(candidates, FAILED))},
        },
    }
    in_path = _PARAMETER.findall(routes[0].path)
    if in_path:
        # A path that clients or proxies change, as where they make one slash of two, is another one.
        other = _content([*_errors(candidates, WRONG), ("application/json", object_of({"error": TEXT}))])
        operation["responses"]["404"] = {"description": "There is nothing at this path.", "content": other}
    if routes[0].method == "GET":
        takes = [route.takes["properties"] for route in routes]
        operation["parameters"] = [
            {
                "name": name,
                "in": "path" if name in in_path else "query",
                "required": all(name in route.takes["required"] for route in routes),
                "schema": _parameter(each[name] for each in takes if name in each),
            }
            for name in dict.fromkeys(chain.from_iterable(takes))
        ]
    else:
        body = _content(("application/json", each) for each in _taken(routes))
        operation["requestBody"] = {"required": True, "content": body}
    return operation


def _parameter(schemas: Iterable[JSON]) -> JSON:
    """Return the schema of a parameter that one route reads, or several: it can't be null."""
    kinds: list[JSON] = []
    for schema in schemas:
        named = schema.get("type")
        kind = {**schema, "type": named[0]} if isinstance(named, list) else schema
        if "enum" in kind:
            kind = {**kind, "enum": [value for value in kind["enum"] if value is not None]}
        if kind not in kinds:
            kinds.append(kind)
    return any_of(*kinds)


def _taken(routes: Sequence[Route]) -> Iterator[JSON]:
    """Yield what each of several routes takes: what it accepts, and none before it does."""
    before: list[JSON] = []
    for route in routes:
        own = route.accepts.names if isinstance(route.accepts, HasField) else ()
        claims = [any_of(*({"required": [name]} for name in sorted(own)))] if own else []
        rules = [*claims, *({"not": claim} for claim in before)]
        yield {**route.takes, "allOf": rules} if rules else route.takes
        before += claims


def _content(schemas: Iterable[tuple[str, JSON]]) -> dict[str, Any]:
    """Return what a request or a reply holds by media type: one schema, or several."""
    by_media: dict[str, list[JSON]] = {}
    for media, schema in schemas:
        if schema not in by_media.setdefault(media, []):
            by_media[media].append(schema)
    return {media: {"schema": any_of(*each)} for media, each in by_media.items()}


def _media(gives: JSON) -> str:
    return str(gives.get("contentMediaType", "application/json"))


def _errors(candidates: Sequence[tuple[Dialect, Route]], statuses: Iterable[int]) -> Iterator[tuple[str, JSON]]:
    """Yield the media type and schema of what dialects reply with by some statuses."""
    for dialect, _ in candidates:
        for status in statuses:
            reply = dialect.errors.get(status, dialect.errors[ANY])
            media = reply.headers.get("Content-Type", "text/html").partition(";")[0]
            yield media if isinstance(reply.body, str) else "application/json", _shape(reply.body)


def _shape(body: Any) -> JSON:
    """Return the schema of a body that a dialect's errors hold."""
    if isinstance(body, dict):
        return object_of({name: _shape(value) for name, value in body.items()})
    if isinstance(body, list):
        return list_of(_shape(body[0]))
    return {"str": TEXT, "int": NUMBER, "bool": BOOL}.get(type(body).__name__, NULL)
