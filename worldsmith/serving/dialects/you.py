"""You.com's dialect: GET /v1/search and POST /v1/contents.

Made after the clients youdotcom-oss/dx-toolkit and gpt-oss 0.0.9. `offset` counts pages. Of the many options those that
choose among results are read; there are web results alone. A page comes as Markdown unless HTML is asked for, in a
`formats`, or in a `format` or `livecrawl_formats` of older clients; one that isn't there is its address alone.
"""

import re
from typing import Any
from uuid import UUID

import orjson

from worldsmith.pages.renderer import html
from worldsmith.serving.dialects.days import freshness
from worldsmith.serving.dialects.fields import MAX_URL, Batch, Option, Text, Whole, request_schema
from worldsmith.serving.dialects.filters import request_hash
from worldsmith.serving.dialects.schemas import NUMBER, TEXT, list_of, object_of, one_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation, Result

LATENCY = 0.4
"""Seconds."""
MOST = 50
"""Hits of one results page."""
FORMATS = ("markdown", "html")
_RANGE = re.compile(r"(\d{4}-\d\d-\d\d)to(\d{4}-\d\d-\d\d)")

QUERY, COUNT, OFFSET = Text("query"), Whole("count", 10, 1, 100), Whole("offset", 0, 0, 9)
FRESHNESS = Option("freshness", TEXT)
URLS = Batch("urls", MAX_URL, 20, 1)
WANTED = tuple(Option(name, one_of(TEXT, list_of(TEXT))) for name in ("formats", "format", "livecrawl_formats"))


def search(request: Request) -> ParsedRequest:
    """Read a search; `freshness` narrows it to a span (day, week, month, year) or a range of days."""
    fields = request.fields
    query, count, offset = QUERY.read(fields), COUNT.read(fields), OFFSET.read(fields)
    words = " ".join((*freshness(FRESHNESS.read(fields), _RANGE), query))

    def write(observations: tuple[Observation, ...]) -> Reply:
        hits = [_result(hit, request) for hit in observations[0].results]
        named = {"search_uuid": str(UUID(bytes=request_hash(request))), "query": query, "latency": LATENCY}
        return Reply({"results": {"web": hits}, "metadata": named})

    return ParsedRequest((Call("web_search", words, offset + 1, min(count, MOST)),), write)


def _result(hit: Result, request: Request) -> dict[str, Any]:
    shown = {"url": request.links.show(hit.url), "title": hit.title, "description": hit.snippet}
    dated = {"page_age": f"{hit.date}T00:00:00"} if hit.date else {}
    whole = {} if hit.text is None else {"contents": {"markdown": hit.text}}
    return {**shown, "snippets": [hit.snippet], **dated, "authors": [], **whole}


def contents(request: Request) -> ParsedRequest:
    """Read `urls` and the formats wanted."""
    body = request.fields
    urls = URLS.read(body)
    named = [wish for option in WANTED for wish in _listed(option.read(body))]
    formats = [form for form in FORMATS if form in named] or ["markdown"]

    def item(url: Any, page: Observation) -> dict[str, Any]:
        if http_failure(page) or page.doc is None:
            return {"url": url if isinstance(url, str) else orjson.dumps(url).decode()}
        # A part of a page is a part of its Markdown.
        shown = html(page.doc, request.links.show) if page.next_offset is None else page.text
        texts = {"markdown": page.text, "html": shown}
        head = {"url": request.links.show(page.doc.url), "title": page.doc.title}
        return {**head, **{form: texts[form] for form in formats}}

    def write(observations: tuple[Observation, ...]) -> Reply:
        return Reply([item(url, page) for url, page in zip(urls, observations, strict=True)])

    return ParsedRequest(URLS.calls(urls, lambda url: Call("web_extractor", request.links.read(url))), write)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


_WHOLE = object_of({"markdown": TEXT})
_HIT = object_of(
    {
        "url": TEXT,
        "title": TEXT,
        "description": TEXT,
        "snippets": list_of(TEXT),
        "page_age": TEXT,
        "authors": list_of(TEXT),
        "contents": _WHOLE,
    },
    optional=("page_age", "contents"),
)
_NAMED = object_of({"search_uuid": TEXT, "query": TEXT, "latency": NUMBER})
_HITS = object_of({"results": object_of({"web": list_of(_HIT)}), "metadata": _NAMED})
_PAGE = object_of({"url": TEXT, "title": TEXT, "markdown": TEXT, "html": TEXT}, optional=("title", *FORMATS))

YOU = Dialect(
    "you",
    (
        Route(
            "GET",
            "/v1/search",
            search,
            "Search, as You.com's API.",
            request_schema(QUERY, COUNT, OFFSET, FRESHNESS),
            _HITS,
        ),
        Route(
            "POST",
            "/v1/contents",
            contents,
            "Read pages, as You.com's API.",
            request_schema(URLS, *WANTED, example={"urls": ["https://….example/…"], "formats": ["markdown"]}),
            list_of(_PAGE),
        ),
    ),
    {
        ANY: Reply({"detail": MESSAGE, "error": MESSAGE}, ANY),
        404: Reply({"detail": MESSAGE, "error": MESSAGE}, 401),  # the key names the world
    },
)
