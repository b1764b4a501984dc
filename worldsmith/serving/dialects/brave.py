"""Brave's dialect: GET /res/v1/web/search.

Made after the published reference. `offset` counts pages. Wrong requests are a 422 that lists what is wrong. Of
`result_filter`, `country` and the like nothing is read: there are web results alone, and no extra snippets.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.days import day_in_words, freshness
from worldsmith.serving.dialects.fields import Option, Text, Whole, request_schema
from worldsmith.serving.dialects.schemas import BOOL, TEXT, list_of, object_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.protocol import Call, Observation, Result

WORDS = 50
"""Words of a query."""
ID = "00000000-0000-4000-8000-000000000000"
"""Of every error: equal requests give equal bytes."""
_RANGE = re.compile(r"(\d{4}-\d\d-\d\d)to(\d{4}-\d\d-\d\d)")

QUERY, COUNT, OFFSET = Text("q", 400), Whole("count", 20, 1, 20), Whole("offset", 0, 0, 9)
FRESHNESS = Option("freshness", TEXT)


def search(request: Request) -> ParsedRequest:
    """Read a search; `freshness` narrows it to a span (pd, pw, pm, py) or a range of days."""
    fields = request.fields
    query, count, offset = QUERY.read(fields), COUNT.read(fields), OFFSET.read(fields)
    words = len(query.split())
    if words > WORDS:
        raise UsageError(f'"q" has {words} words; at most {WORDS} are read: shorten it')
    call = Call("web_search", " ".join((*freshness(FRESHNESS.read(fields), _RANGE, "p"), query)), offset + 1, count)

    def write(observations: tuple[Observation, ...]) -> Reply:
        (page,) = observations
        hits = [_result(hit, request) for hit in page.results]
        mixed = {"type": "mixed", "main": [{"type": "web", "index": i, "all": False} for i in range(len(hits))]}
        return Reply(
            {
                "query": {"original": query, "more_results_available": page.more and offset < OFFSET.most},
                "mixed": mixed,
                "type": "search",
                "web": {"type": "search", "results": hits, "family_friendly": True},
            }
        )

    return ParsedRequest((call,), write)


def _result(hit: Result, request: Request) -> dict[str, Any]:
    url = request.links.show(hit.url)
    parts = urlsplit(url)
    dated = {"page_age": f"{hit.date}T00:00:00", "age": day_in_words(hit.date, "%B")} if hit.date else {}
    path = "".join(f" › {step}" for step in parts.path.split("/") if step)
    place = {"scheme": parts.scheme, "netloc": parts.netloc, "hostname": parts.hostname or "", "path": path}
    shown = {"title": hit.title, "url": url, "description": hit.shown_text}
    kind = {"type": "search_result", "subtype": "generic", "language": "en", "family_friendly": True}
    return {**kind, **shown, **dated, "meta_url": place}


_PLACE = object_of({"scheme": TEXT, "netloc": TEXT, "hostname": TEXT, "path": TEXT})
_RESULT = object_of(
    {
        "type": TEXT,
        "subtype": TEXT,
        "language": TEXT,
        "family_friendly": BOOL,
        "title": TEXT,
        "url": TEXT,
        "description": TEXT,
        "page_age": TEXT,
        "age": TEXT,
        "meta_url": _PLACE,
    },
    optional=("page_age", "age"),
)
_HITS = object_of(
    {
        "query": object_of({"original": TEXT, "more_results_available": BOOL}),
        "mixed": {"type": "object"},
        "type": TEXT,
        "web": object_of({"type": TEXT, "results": list_of(_RESULT), "family_friendly": BOOL}),
    }
)


def _error(status: int, code: str, detail: str = MESSAGE, **more: Any) -> Reply:
    error = {"id": ID, "status": status, "detail": detail, "code": code, **more}
    return Reply({"type": "ErrorResponse", "error": error, "time": 0}, status)


_LIMITS = {
    "X-RateLimit-Limit": "1, 2000",
    "X-RateLimit-Policy": "1;w=1, 2000;w=2592000",
    "X-RateLimit-Remaining": "0, 1985",
    "X-RateLimit-Reset": "1, 1419704",
}
_PLAN = {"plan": "Free", "rate_limit": 1, "rate_current": 1, "quota_limit": 2000, "quota_current": 15}
_EXCESS = _error(
    429, "RATE_LIMITED", "Request rate limit exceeded for plan", meta={**_PLAN, "component": "rate_limiter"}
)

BRAVE = Dialect(
    "brave",
    (
        Route(
            "GET",
            "/res/v1/web/search",
            search,
            "Search, as Brave's API.",
            request_schema(QUERY, COUNT, OFFSET, FRESHNESS),
            _HITS,
        ),
    ),
    {
        ANY: Reply({"type": "ErrorResponse", "error": {"id": ID, "detail": MESSAGE}, "time": 0}, ANY),
        400: _error(
            422,
            "VALIDATION",
            "Unable to validate request parameter(s)",
            meta={"errors": [{"type": "value_error", "loc": ["query"], "msg": MESSAGE}]},
        ),
        401: _error(401, "SUBSCRIPTION_TOKEN_INVALID"),
        # The token names the world. The service has a 422 for one that it doesn't know.
        404: _error(422, "SUBSCRIPTION_TOKEN_INVALID", meta={"component": "authentication"}),
        429: Reply(_EXCESS.body, 429, _LIMITS),
        500: _error(500, "INTERNAL"),
    },
)
