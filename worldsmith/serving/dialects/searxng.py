"""SearXNG's dialect: GET /search with `format`, and unambiguously under /searxng.

Made after searx/webapp.py and searx/webutils.py. JSON is the one format that is on; another one is a 403, as on an
instance that has it off. There are no answers, infoboxes or suggestions, and no key: a world is named by the path.
"""

from typing import Any
from urllib.parse import urlparse

from worldsmith.serving.dialects.days import SPANS, newer_than
from worldsmith.serving.dialects.fields import Choice, Strict, Text, Whole, request_schema
from worldsmith.serving.dialects.schemas import NULL, NULL_TEXT, NUMBER, TEXT, list_of, object_of
from worldsmith.serving.dialects.types import (
    ANY,
    MESSAGE,
    PLAIN_TEXT,
    Dialect,
    HasField,
    ParsedRequest,
    Reply,
    Request,
    Route,
    with_prefix,
)
from worldsmith.simulate.protocol import Call, Observation, Result

ENGINE = "worldsmith"
"""The one search engine that an instance here asks."""

QUERY, PAGE = Text("q"), Whole("pageno", 1, 1, 100)
FORMAT = Strict("format", {"type": "string", "enum": ["json"]}, required=True)
RANGE = Choice("time_range", (*SPANS, ""))


def search(request: Request) -> ParsedRequest:
    """Read a search; `time_range` narrows it to a span."""
    fields = request.fields
    if FORMAT.read(fields) != "json":
        return ParsedRequest((), lambda _: SEARXNG.error(403, 'this format is off: add "format=json"'))
    query, page = QUERY.read(fields), PAGE.read(fields)
    span = RANGE.read(fields)
    call = Call("web_search", " ".join((*([newer_than(span)] if span else []), query)), page)

    def write(observations: tuple[Observation, ...]) -> Reply:
        results = [_result(hit, place, request) for place, hit in enumerate(observations[0].results, 1)]
        rest: dict[str, list[Any]] = {name: [] for name in ("answers", "corrections", "infoboxes", "suggestions")}
        reply = {"query": query, "number_of_results": 0, "results": results, **rest, "unresponsive_engines": []}
        return Reply(reply)

    return ParsedRequest((call,), write)


def _result(hit: Result, place: int, request: Request) -> dict[str, Any]:
    url = request.links.show(hit.url)
    return {
        "template": "default.html",
        "url": url,
        "title": hit.title,
        "content": hit.shown_text,
        "publishedDate": hit.date and f"{hit.date}T00:00:00",
        "engine": ENGINE,
        "parsed_url": list(urlparse(url)),
        "img_src": "",
        "thumbnail": "",
        "priority": "",
        "engines": [ENGINE],
        "positions": [place],
        "score": 1 / place,
        "category": "general",
    }


_RESULT = object_of(
    {
        **dict.fromkeys(
            ("template", "url", "title", "content", "engine", "img_src", "thumbnail", "priority", "category"), TEXT
        ),
        "publishedDate": NULL_TEXT,
        "parsed_url": list_of(TEXT),
        "engines": list_of(TEXT),
        "positions": list_of(NUMBER),
        "score": NUMBER,
    }
)
_HITS = object_of(
    {
        "query": TEXT,
        "number_of_results": NUMBER,
        "results": list_of(_RESULT),
        **dict.fromkeys(("answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines"), list_of(NULL)),
    }
)
_QUERY = request_schema(QUERY, FORMAT, PAGE, RANGE)

SEARXNG = Dialect(
    "searxng",
    with_prefix(
        "searxng",
        Route("GET", "/search", search, "Search, as SearXNG.", _QUERY, _HITS, accepts=HasField(frozenset({"format"}))),
    ),
    {
        ANY: Reply({"error": MESSAGE}, ANY),
        429: Reply("Too Many Requests", ANY, PLAIN_TEXT),
    },
)
