"""Tavily's dialect: POST /search and POST /extract, at the root and under /tavily.

Made after tavily-python 0.8 and the service's published reference, its errors too ({"detail": {"error": text}}; the
texts of a 401 and a 429 are the service's, which agents are trained on). `request_id` is a hash of the request and
`response_time` a constant, since the same call must give the same bytes. Dates are given for topic "news" alone,
as the service does. Filters of hosts and days become operators of the query (`pages.index.query`); `days` counts for
topic "news" alone. Keys that have no meaning in a world (`search_depth`, `country`, …) are ignored.
"""

from typing import Any
from uuid import UUID

import orjson

from worldsmith.pages.renderer import plain
from worldsmith.serving.dialects.days import SPANS, newer_than
from worldsmith.serving.dialects.fields import (
    MAX_URL,
    Batch,
    Choice,
    Day,
    Option,
    Text,
    Texts,
    Whole,
    request_schema,
)
from worldsmith.serving.dialects.filters import HostFilter, day_operators, request_hash
from worldsmith.serving.dialects.schemas import NULL, NULL_TEXT, NUMBER, TEXT, list_of, object_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, ParsedRequest, Reply, Request, Route, with_prefix
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation, Result

RESPONSE_TIME = 0.1
"""Seconds. A measured time would make equal calls differ."""
EXCESS = "Your request has been blocked due to excessive requests. Please reduce rate of requests."

QUERY, LIMIT = Text("query"), Whole("max_results", 5, 0, 20)
TOPIC = Option("topic", {"enum": ["general", "news", "finance"]})
RAW = Option("include_raw_content", {"type": ["boolean", "string"]})
WITHIN = Texts("include_domains", 300, 300, required=False)
WITHOUT = Texts("exclude_domains", 300, 300, required=False)
RANGE = Choice("time_range", tuple(SPANS))
DAYS = Whole("days", 7, 1, 9999)
START, END = Day("start_date"), Day("end_date")
URLS, FORMAT = Batch("urls", MAX_URL, 20), Option("format", {"enum": ["markdown", "text"]})


def search(request: Request) -> ParsedRequest:
    """Read a search: of the many options, those that choose among results or ask for whole pages."""
    body = request.fields
    query, limit = QUERY.read(body), LIMIT.read(body)
    hosts = HostFilter.read(body, WITHIN, WITHOUT)
    raw = RAW.read(body) not in (None, False)
    call = Call("web_search", " ".join((*_days(body), *hosts.operators, query)), k=max(limit, 1), full_text=raw)

    def write(observations: tuple[Observation, ...]) -> Reply:
        hits = hosts.admitted(observations[0].results)[:limit]
        news = TOPIC.read(body) == "news"
        reply: dict[str, Any] = {"query": query, "follow_up_questions": None, "answer": None, "images": []}
        reply["results"] = [_result(hit, request, news=news) for hit in hits]
        return Reply({**reply, "response_time": RESPONSE_TIME, "request_id": str(UUID(bytes=request_hash(request)))})

    return ParsedRequest((call,), write)


def _days(body: Any) -> list[str]:
    """Return the operators of a request's days. Raises UsageError."""
    operators = []
    span, days = RANGE.read(body), DAYS.read(body)
    if span is not None:
        operators.append(newer_than(span))
    if body.get(DAYS.name) is not None and TOPIC.read(body) == "news":
        operators.append(f"newer_than:{days}d")
    return [*operators, *day_operators(body, START, END)]


def _result(hit: Result, request: Request, *, news: bool) -> dict[str, Any]:
    shown_hit = {"url": request.links.show(hit.url), "title": hit.title, "content": hit.snippet, "score": hit.score}
    return {**shown_hit, "raw_content": hit.text} | ({"published_date": hit.date} if news and hit.date else {})


def extract(request: Request) -> ParsedRequest:
    """Read one url or many; wrong ones and unknown pages are in `failed_results` of a 200."""
    body = request.fields
    urls = URLS.read(body)
    text = FORMAT.read(body) == "text"

    def write(observations: tuple[Observation, ...]) -> Reply:
        results, failed = [], []
        for url, page in zip(urls, observations, strict=True):
            problem = http_failure(page)
            if problem or page.doc is None:
                shown = url if isinstance(url, str) else orjson.dumps(url).decode()
                failed.append({"url": shown, "error": problem.text if problem else "nothing to read"})
            else:
                results.append({"url": url, "raw_content": plain(page.doc) if text else page.text, "images": []})
        reply = {"results": results, "failed_results": failed, "response_time": RESPONSE_TIME}
        return Reply({**reply, "request_id": str(UUID(bytes=request_hash(request)))})

    def call(url: str) -> Call:
        return Call("web_extractor", request.links.read(url))

    return ParsedRequest(URLS.calls(urls, call), write)


_RESULT = object_of(
    {"url": TEXT, "title": TEXT, "content": TEXT, "score": NUMBER, "raw_content": NULL_TEXT, "published_date": TEXT},
    optional=("published_date",),
)
_HITS = object_of(
    {
        "query": TEXT,
        "follow_up_questions": NULL,
        "answer": NULL,
        "images": list_of(TEXT),
        "results": list_of(_RESULT),
        "response_time": NUMBER,
        "request_id": TEXT,
    }
)
_PAGES = object_of(
    {
        "results": list_of(object_of({"url": TEXT, "raw_content": TEXT, "images": list_of(TEXT)})),
        "failed_results": list_of(object_of({"url": TEXT, "error": TEXT})),
        "response_time": NUMBER,
        "request_id": TEXT,
    }
)
_QUERY = request_schema(
    *(QUERY, LIMIT, TOPIC, RAW, WITHIN, WITHOUT, RANGE, START, END, DAYS), example={"query": "…", "max_results": 5}
)
_URLS = request_schema(URLS, FORMAT, example={"urls": ["https://….example/…"]})

TAVILY = Dialect(
    "tavily",
    with_prefix(
        "tavily",
        Route("POST", "/search", search, "Search, as Tavily's API.", _QUERY, _HITS),
        Route("POST", "/extract", extract, "Read pages, as Tavily's API.", _URLS, _PAGES),
    ),
    {
        ANY: Reply({"detail": {"error": MESSAGE}, "error": MESSAGE}, ANY),
        401: Reply({"detail": {"error": "Unauthorized: missing or invalid API key."}, "error": MESSAGE}, ANY),
        # The key names the world. tavily-python shows the text of 400, 401, 403 and 429, and of no other status.
        404: Reply({"detail": {"error": f"Unauthorized: {MESSAGE}"}, "error": MESSAGE}, 401),
        429: Reply({"detail": {"error": EXCESS}, "error": MESSAGE}, ANY),
    },
)
