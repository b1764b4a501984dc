"""Exa's dialect: POST /search and POST /contents, at the root and under /exa.

Made after exa-py 2.28 and the service's published reference. At the root, a search is Exa's where its body has a field
that only Exa has, or where Exa's client sends it. Whole pages come where `contents` asks for `text`, as exa-py does
unless it is told otherwise; a highlight is the snippet, since a search reply is entitled to no more. The service gives
no scores, and neither does this. `requestId` is a hash of the request, and in errors a constant.
"""

from typing import Any

import orjson

from worldsmith.pages.renderer import html
from worldsmith.serving.dialects.fields import (
    MAX_URL,
    Batch,
    Day,
    Strict,
    Text,
    Texts,
    Whole,
    present,
    request_schema,
    unless,
)
from worldsmith.serving.dialects.filters import HostFilter, day_operators, request_hash
from worldsmith.serving.dialects.schemas import JSON, NULL, NULL_TEXT, NUMBER, TEXT, list_of, object_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, HasField, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation

COST: JSON = {"total": 0.005}
"""Dollars."""
EXCERPT = 1000
"""Characters of a page where a highlight or a summary of it is asked for, and not its text."""
EXCESS = "You've exceeded your Exa rate limit of 10 requests per second. Please slow down, or raise your limit."
MOST = 50
"""Hits of one results page."""

QUERY, LIMIT = Text("query"), Whole("numResults", 10, 1, 100, strict=True)
WITHIN = Texts("includeDomains", 300, 1200, required=False)
WITHOUT = Texts("excludeDomains", 300, 1200, required=False)
START, END = Day("startPublishedDate"), Day("endPublishedDate")
URLS, IDS = Batch("urls", MAX_URL, 100, 1), Batch("ids", MAX_URL, 100, 1)
MAX_CHARACTERS = Whole("maxCharacters", 0, 1, 10_000_000)
WISH: JSON = {"description": "Whether it is wanted: anything but false and null."}
TEXT_WISH = Strict("text", {**WISH, "properties": {MAX_CHARACTERS.name: MAX_CHARACTERS.schema}})
HIGHLIGHTS, SUMMARY = Strict("highlights", WISH), Strict("summary", WISH)
WISHES = (TEXT_WISH, HIGHLIGHTS, SUMMARY)
CONTENTS = Strict("contents", {"properties": {wish.name: wish.schema for wish in WISHES}})

IS_EXA = HasField(frozenset(field.name for field in (LIMIT, CONTENTS, WITHIN, WITHOUT, START, END)), client="exa-")
"""Accepts searches with a field that no other service's has."""


def _wishes(fields: Any) -> tuple[bool, int | None, bool, bool]:
    """Return whether text is wanted, at most how much, whether highlights, and whether a summary. Raises UsageError."""
    if not isinstance(fields, dict):
        return False, None, False, False
    text = TEXT_WISH.read(fields)
    most = MAX_CHARACTERS.read(text) or None if isinstance(text, dict) else None
    wanted = [wish not in (None, False) for wish in (text, HIGHLIGHTS.read(fields), SUMMARY.read(fields))]
    return wanted[0], most, wanted[1], wanted[2]


def search(request: Request) -> ParsedRequest:
    """Read a search: of the many options, those that choose among results or ask for what they hold."""
    body = request.fields
    query, limit = QUERY.read(body), LIMIT.read(body)
    hosts = HostFilter.read(body, WITHIN, WITHOUT)
    whole, most, highlights, summary = _wishes(CONTENTS.read(body))
    words = " ".join((*day_operators(body, START, END), *hosts.operators, query))

    def write(observations: tuple[Observation, ...]) -> Reply:
        results = []
        for hit in hosts.admitted(observations[0].results)[:limit]:
            result = _result(request.links.show(hit.url), hit.title, hit.date)
            result |= {} if hit.text is None else {"text": hit.text}
            result |= {"highlights": [hit.snippet], "highlightScores": [hit.score]} if highlights else {}
            results.append(result | ({"summary": hit.snippet} if summary else {}))
        reply = {"requestId": request_hash(request).hex(), "resolvedSearchType": "auto", "results": results}
        return Reply({**reply, "costDollars": COST})

    call = Call("web_search", words, k=min(limit, MOST), full_text=whole, max_chars=most)
    return ParsedRequest((call,), write)


def _result(url: str, title: str, date: str | None) -> dict[str, Any]:
    published = None if date is None else f"{date}T00:00:00.000Z"
    return {"id": url, "title": title, "url": url, "publishedDate": published, "author": None}


def contents(request: Request) -> ParsedRequest:
    """Read `urls`, or `ids` as older clients call them; what can't be read is in `statuses` of a 200."""
    body = request.fields
    field = present(URLS, IDS, body)
    urls = field.read(body)
    whole, most, highlights, summary = _wishes(body)
    if not (highlights or summary):
        whole = True
    most = most if whole else EXCERPT
    wish = TEXT_WISH.read(body)
    tagged = isinstance(wish, dict) and wish.get("includeHtmlTags") is True

    def write(observations: tuple[Observation, ...]) -> Reply:
        results, statuses = [], []
        for url, page in zip(urls, observations, strict=True):
            shown = url if isinstance(url, str) else orjson.dumps(url).decode()
            failed = http_failure(page)
            if failed or page.doc is None:
                statuses.append({"id": shown, "status": "error", "source": "crawled", "error": _failure(page)})
                continue
            statuses.append({"id": shown, "status": "success", "source": "cached"})
            result = _result(request.links.show(page.doc.url), page.doc.title, page.doc.date)
            # A part of a page is a part of its Markdown.
            is_html = tagged and page.next_offset is None
            result |= {"text": html(page.doc, request.links.show) if is_html else page.text} if whole else {}
            result |= {"highlights": [page.text], "highlightScores": [1.0]} if highlights else {}
            results.append(result | ({"summary": page.text} if summary else {}))
        reply = {"requestId": request_hash(request).hex(), "results": results, "statuses": statuses}
        return Reply({**reply, "costDollars": COST})

    def call(url: str) -> Call:
        return Call("web_extractor", request.links.read(url), max_chars=most)

    return ParsedRequest(field.calls(urls, call), write)


def _failure(page: Observation) -> JSON:
    failed = http_failure(page)
    status = failed.status if failed else 404
    tags = {404: "CRAWL_NOT_FOUND", 504: "CRAWL_TIMEOUT", 401: "SOURCE_NOT_AVAILABLE", 400: "INVALID_URL"}
    return {"tag": tags.get(status, "CRAWL_UNKNOWN_ERROR"), "httpStatusCode": status}


_HIT = object_of(
    {
        "id": TEXT,
        "title": TEXT,
        "url": TEXT,
        "publishedDate": NULL_TEXT,
        "author": NULL,
        "text": TEXT,
        "highlights": list_of(TEXT),
        "highlightScores": list_of(NUMBER),
        "summary": TEXT,
    },
    optional=("text", "highlights", "highlightScores", "summary"),
)
_COST = object_of({"total": NUMBER})
_HITS = object_of({"requestId": TEXT, "resolvedSearchType": TEXT, "results": list_of(_HIT), "costDollars": _COST})
_FAILURE = object_of({"tag": TEXT, "httpStatusCode": NUMBER})
_STATUS = object_of({"id": TEXT, "status": TEXT, "source": TEXT, "error": _FAILURE}, optional=("error",))
_PAGES = object_of({"requestId": TEXT, "results": list_of(_HIT), "statuses": list_of(_STATUS), "costDollars": _COST})
_QUERY = request_schema(*(QUERY, LIMIT, CONTENTS, WITHIN, WITHOUT, START, END), example={"query": "…", "numResults": 5})
_URLS = unless(
    request_schema(URLS, *WISHES, example={"urls": ["https://….example/…"], "text": True}),
    request_schema(IDS, *WISHES),
)


def _error(tag: str, status: int = ANY) -> Reply:
    return Reply({"requestId": "0" * 32, "error": MESSAGE, "tag": tag}, status)


EXA = Dialect(
    "exa",
    tuple(
        route
        for root, accepts in (("", IS_EXA), ("/exa", None))
        for route in (
            Route("POST", f"{root}/search", search, "Search, as Exa's API.", _QUERY, _HITS, accepts),
            Route("POST", f"{root}/contents", contents, "Read pages, as Exa's API.", _URLS, _PAGES),
        )
    ),
    {
        ANY: _error("INTERNAL_ERROR"),
        400: _error("INVALID_REQUEST_BODY"),
        401: _error("INVALID_API_KEY"),
        404: _error("INVALID_API_KEY", 401),  # the key names the world
        429: Reply({"error": EXCESS}, ANY),
    },
)
