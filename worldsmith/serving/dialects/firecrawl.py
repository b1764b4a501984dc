"""Firecrawl's dialect, version 2: POST /v2/search and POST /v2/scrape.

Made after firecrawl-py 4.55 and the service's published reference. Whole pages come with the hits, as Markdown, where
`scrapeOptions` asks for a format of the text. A page that isn't there is a document whose metadata has status 404, as
on the service; a call that fails is an error. There are results of the source `web` alone, and of a page no formats but
`markdown`, `html` and `rawHtml`. `id` is a hash of the request.
"""

from typing import Any
from uuid import UUID

from worldsmith.errors import UsageError
from worldsmith.pages.renderer import html
from worldsmith.serving.dialects.fields import MAX_URL, Option, Text, Texts, Whole, request_schema
from worldsmith.serving.dialects.filters import HostFilter, request_hash
from worldsmith.serving.dialects.schemas import BOOL, JSON, NUMBER, TEXT, list_of, object_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation

MOST = 50
"""Hits of one results page."""
SOURCES = ("web", "news", "images")
RANGES = {"qdr:h": 1, "qdr:d": 1, "qdr:w": 7, "qdr:m": 31, "qdr:y": 366}
"""Days of a `tbs`."""
TEXT_FORMATS = {"markdown", "html", "rawHtml"}

QUERY, LIMIT, URL = Text("query"), Whole("limit", 5, 1, 100, strict=True), Text("url", MAX_URL)
SOURCE = Option("sources", list_of({"type": ["string", "object"]}))
WITHIN = Texts("includeDomains", 300, 300, required=False)
WITHOUT = Texts("excludeDomains", 300, 300, required=False)
TBS = Option("tbs", {"enum": list(RANGES)})
SCRAPE = Option("scrapeOptions", {"type": "object"})
FORMATS = Option("formats", list_of({"type": ["string", "object"]}))


def _names(values: Any) -> set[str]:
    """Return the names in a list of names, or of objects whose `type` is one."""
    values = values if isinstance(values, list) else []
    named = [value.get("type") if isinstance(value, dict) else value for value in values]
    return {name for name in named if isinstance(name, str)}


def search(request: Request) -> ParsedRequest:
    """Read a search: of the many options, those that choose among results or ask for whole pages."""
    body = request.fields
    query, limit = QUERY.read(body), LIMIT.read(body)
    hosts = HostFilter.read(body, WITHIN, WITHOUT)
    if hosts.within and hosts.without:
        raise UsageError('"includeDomains" and "excludeDomains" can\'t both be there: send one')
    scrape = SCRAPE.read(body)
    whole = bool(TEXT_FORMATS & _names(FORMATS.read(scrape))) if isinstance(scrape, dict) else False
    sources = [source for source in SOURCES if source in (_names(SOURCE.read(body)) or {"web"})]
    words = " ".join((*_days(body), *hosts.operators, query))

    def write(observations: tuple[Observation, ...]) -> Reply:
        hits: list[JSON] = []
        for hit in hosts.admitted(observations[0].results)[:limit]:
            url = request.links.show(hit.url)
            result: dict[str, Any] = {"url": url, "title": hit.title, "description": hit.snippet}
            if hit.text is None:
                hits.append({**result, "position": len(hits) + 1})
            else:
                hits.append({**result, "markdown": hit.text, "metadata": _metadata(url, hit.title, hit.date, 200)})
        # The pages of a world are one web: another source has none of its own.
        data = {source: hits if source == "web" else [] for source in sources}
        return Reply({"success": True, "data": data, "creditsUsed": 2, "id": _id(request)})

    return ParsedRequest((Call("web_search", words, k=min(limit, MOST), full_text=whole),), write)


def _days(body: JSON) -> list[str]:
    span = TBS.read(body)
    return [f"newer_than:{RANGES[span]}d"] if isinstance(span, str) and span in RANGES else []


def _id(request: Request) -> str:
    return str(UUID(bytes=request_hash(request)))


def _metadata(url: str, title: str, date: str | None, status: int) -> JSON:
    named = {"title": title, "sourceURL": url, "url": url, "statusCode": status}
    published = {} if date is None else {"publishedTime": date}
    return {
        **named,
        **published,
        "contentType": "text/html",
        "creditsUsed": 1,
    }


def scrape(request: Request) -> ParsedRequest:
    """Read one page."""
    body = request.fields
    url = URL.read(body)
    formats = _names(FORMATS.read(body)) or {"markdown"}

    def write(observations: tuple[Observation, ...]) -> Reply:
        (page,) = observations
        failed = http_failure(page)
        if failed or page.doc is None:
            if failed and failed.status == 400:
                return FIRECRAWL.error(400, failed.text)
            text = failed.text if failed else "nothing to read"
            document = {"markdown": text, "metadata": _metadata(url, "404 Not Found", None, 404)}
            return Reply({"success": True, "data": document})
        document = {"metadata": _metadata(request.links.show(page.doc.url), page.doc.title, page.doc.date, 200)}
        if "markdown" in formats:
            document["markdown"] = page.text
        shown = html(page.doc, request.links.show) if formats & {"html", "rawHtml"} else ""
        document |= {name: shown for name in ("html", "rawHtml") if name in formats}
        return Reply({"success": True, "data": document})

    return ParsedRequest((Call("web_extractor", request.links.read(url)),), write)


_METADATA = object_of(
    {
        "title": TEXT,
        "sourceURL": TEXT,
        "url": TEXT,
        "statusCode": NUMBER,
        "publishedTime": TEXT,
        "contentType": TEXT,
        "creditsUsed": NUMBER,
    },
    optional=("publishedTime",),
)
_HIT = object_of(
    {"url": TEXT, "title": TEXT, "description": TEXT, "position": NUMBER, "markdown": TEXT, "metadata": _METADATA},
    optional=("position", "markdown", "metadata"),
)
_DATA = object_of({source: list_of(_HIT) for source in SOURCES}, optional=SOURCES)
_HITS = object_of({"success": BOOL, "data": _DATA, "creditsUsed": NUMBER, "id": TEXT})
_DOCUMENT = object_of(
    {"markdown": TEXT, "html": TEXT, "rawHtml": TEXT, "metadata": _METADATA}, optional=("markdown", "html", "rawHtml")
)
_PAGE = object_of({"success": BOOL, "data": _DOCUMENT})
_QUERY = request_schema(*(QUERY, LIMIT, SOURCE, WITHIN, WITHOUT, TBS, SCRAPE), example={"query": "…", "limit": 5})
_BOTH = {name: {"type": ["string", "array"], "minLength": 1, "minItems": 1} for name in (WITHIN.name, WITHOUT.name)}
_QUERY = {**_QUERY, "not": {"properties": _BOTH, "required": list(_BOTH)}}
_URL = request_schema(URL, FORMATS, example={"url": "https://….example/…", "formats": ["markdown"]})


def _error(text: str = MESSAGE, status: int = ANY, **more: str) -> Reply:
    return Reply({"success": False, "error": text, **more}, status)


FIRECRAWL = Dialect(
    "firecrawl",
    (
        Route("POST", "/v2/search", search, "Search, as Firecrawl's API.", _QUERY, _HITS),
        Route("POST", "/v2/scrape", scrape, "Read a page, as Firecrawl's API.", _URL, _PAGE),
    ),
    {
        ANY: _error(),
        400: _error(code="BAD_REQUEST"),
        401: _error("Unauthorized: Invalid token"),
        404: _error(f"Unauthorized: {MESSAGE}", 401),  # the key names the world
        429: _error("Rate limit exceeded. Please retry after a second, or upgrade your plan.", ANY),
        500: _error(code="UNKNOWN_ERROR"),
        504: _error(status=408, code="SCRAPE_TIMEOUT"),
    },
)
