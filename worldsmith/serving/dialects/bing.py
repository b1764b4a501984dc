"""Bing's dialect: GET /v7.0/search, which the service itself no longer answers but clients still speak.

Made after the published reference of version 7. `offset` counts results, and is read as the page that it falls on.
`freshness` becomes operators of the query; markets, filters and safe search have no meaning in a world.
"""

import re
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import urlencode

from worldsmith.serving.dialects.days import freshness
from worldsmith.serving.dialects.fields import Option, Text, Whole, request_schema
from worldsmith.serving.dialects.schemas import BOOL, NUMBER, TEXT, list_of, object_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.protocol import Call, Observation, Result

_RANGE = re.compile(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)")
_ID = "https://api.bing.microsoft.com/api/v7/#WebPages."

QUERY, COUNT, OFFSET = Text("q"), Whole("count", 10, 1, 50), Whole("offset", 0, 0, 1000)
FRESHNESS = Option("freshness", TEXT)
FORMAT = Option("textFormat", {"enum": ["Raw", "HTML"]})


def search(request: Request) -> ParsedRequest:
    """Read a search; the service has no "webPages" in its reply where there are no hits."""
    fields = request.fields
    query, count, offset = QUERY.read(fields), COUNT.read(fields), OFFSET.read(fields)
    call = Call("web_search", " ".join((*freshness(FRESHNESS.read(fields), _RANGE), query)), offset // count + 1, count)
    shown: Callable[[str], str] = escape if str(FORMAT.read(fields)).lower() == "html" else str

    def write(observations: tuple[Observation, ...]) -> Reply:
        (page,) = observations
        reply: dict[str, Any] = {"_type": "SearchResponse", "queryContext": {"originalQuery": query}}
        if not page.results:
            return Reply({**reply, "rankingResponse": {}})
        hits = [_result(hit, place, shown, request) for place, hit in enumerate(page.results)]
        url = f"https://www.bing.com/search?{urlencode({'q': query})}"
        matches = offset + len(hits) + page.more
        ranks = [{"answerType": "WebPages", "resultIndex": i, "value": {"id": hit["id"]}} for i, hit in enumerate(hits)]
        pages = {"webSearchUrl": url, "totalEstimatedMatches": matches, "value": hits}
        return Reply({**reply, "webPages": pages, "rankingResponse": {"mainline": {"items": ranks}}})

    return ParsedRequest((call,), write)


def _result(hit: Result, place: int, shown: Callable[[str], str], request: Request) -> dict[str, Any]:
    url = request.links.show(hit.url)
    snippet = hit.shown_text
    item = {"id": f"{_ID}{place}", "name": shown(hit.title), "url": url, "displayUrl": url, "snippet": shown(snippet)}
    dated = {"datePublished": f"{hit.date}T00:00:00.0000000"} if hit.date else {}
    return {**item, **dated, "language": "en", "isFamilyFriendly": True, "isNavigational": False}


_RESULT = object_of(
    {
        **dict.fromkeys(("id", "name", "url", "displayUrl", "snippet", "datePublished", "language"), TEXT),
        "isFamilyFriendly": BOOL,
        "isNavigational": BOOL,
    },
    optional=("datePublished",),
)
_HITS = object_of(
    {
        "_type": TEXT,
        "queryContext": object_of({"originalQuery": TEXT}),
        "webPages": object_of({"webSearchUrl": TEXT, "totalEstimatedMatches": NUMBER, "value": list_of(_RESULT)}),
        "rankingResponse": {"type": "object"},
    },
    optional=("webPages",),
)


def _error(code: str, more: str = "") -> Reply:
    error = {"code": code, **({"subCode": more} if more else {}), "message": MESSAGE}
    return Reply({"_type": "ErrorResponse", "errors": [error], "error": MESSAGE}, ANY)


BING = Dialect(
    "bing",
    (
        Route(
            "GET",
            "/v7.0/search",
            search,
            "Search, as Bing's API, version 7.",
            request_schema(QUERY, COUNT, OFFSET, FRESHNESS, FORMAT),
            _HITS,
        ),
    ),
    {
        ANY: _error("ServerError", "UnexpectedError"),
        400: _error("InvalidRequest", "ParameterInvalidValue"),
        401: _error("InvalidAuthorization", "AuthorizationMissing"),
        # The key names the world.
        404: Reply(_error("InvalidAuthorization", "AuthorizationMissing").body, 401),
        429: _error("RateLimitExceeded"),
    },
)
