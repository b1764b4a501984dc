"""Our own dialect: POST /api/search and POST /api/extract, in the words of this project."""

from typing import Any

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.fields import MAX_URL, Batch, Text, Whole, either, request_schema
from worldsmith.serving.dialects.schemas import BOOL, NULL_TEXT, NUMBER, TEXT, list_of, object_of, one_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation

MAX_CHARS = 1_000_000

QUERY, QUERIES = Text("query"), Batch("queries")
K, PAGE = Whole("k", 10, 1, 50), Whole("page", 1, 1, 100)
URL = Text("url", MAX_URL)
OFFSET, LENGTH = Whole("offset", 0, 0, MAX_CHARS), Whole("max_chars", 0, 1, MAX_CHARS)


def search(request: Request) -> ParsedRequest:
    """Read {"query"} or {"queries"}, with "k" results a page and the "page" from 1."""
    body = request.fields
    k, page = K.read(body), PAGE.read(body)
    batch = body.get(QUERIES.name) is not None
    if batch and body.get(QUERY.name) is not None:
        raise UsageError('send either "query" or "queries", not both')
    queries = QUERIES.read(body) if batch else (QUERY.read(body),)

    def write(observations: tuple[Observation, ...]) -> Reply:
        replies = [_hits(observation, request) for observation in observations]
        return Reply({"batches": replies} if batch else replies[0])

    return ParsedRequest(QUERIES.calls(queries, lambda query: Call("web_search", query, page, k)), write)


def _hits(observation: Observation, request: Request) -> dict[str, Any]:
    results = []
    for hit in observation.results:
        shown_hit = {"url": request.links.show(hit.url), "title": hit.title, "snippet": hit.snippet, "date": hit.date}
        results.append({**shown_hit, "score": hit.score} | ({} if hit.text is None else {"text": hit.text}))
    failed = http_failure(observation)
    return {"results": results, "more": observation.more} | ({} if failed is None else {"error": failed.text})


def extract(request: Request) -> ParsedRequest:
    """Read {"url"}, with "offset" and "max_chars" for a part of a long page."""
    body = request.fields
    url = URL.read(body)
    call = Call("web_extractor", request.links.read(url), offset=OFFSET.read(body), max_chars=LENGTH.read(body) or None)

    def write(observations: tuple[Observation, ...]) -> Reply:
        (page,) = observations
        failed = http_failure(page)
        if failed or page.doc is None:
            return API.error(404, f"{url[:200]}: {failed.text if failed else 'nothing to read'}")
        head = {"url": request.links.show(page.doc.url), "title": page.doc.title, "date": page.doc.date}
        return Reply({**head, "text": page.text, "more": page.more, "next_offset": page.next_offset})

    return ParsedRequest((call,), write)


_RESULT = object_of(
    {"url": TEXT, "title": TEXT, "snippet": TEXT, "date": NULL_TEXT, "score": NUMBER, "text": TEXT}, optional=("text",)
)
_HITS = object_of({"results": list_of(_RESULT), "more": BOOL, "error": TEXT}, optional=("error",))
_QUERY = request_schema(QUERY, K, PAGE, example={"query": "…", "k": 10, "page": 1})
_QUERIES = request_schema(QUERIES, K, PAGE, example={"queries": ["…", "…"], "k": 5})
_URL = request_schema(URL, OFFSET, LENGTH, example={"url": "https://….example/…", "offset": 0, "max_chars": 8000})
_PAGE = object_of(
    {
        "url": TEXT,
        "title": TEXT,
        "date": NULL_TEXT,
        "text": TEXT,
        "more": BOOL,
        "next_offset": {"type": ["integer", "null"]},
    }
)
_SEARCH = (
    "Search. `k` results per page (1 to 50, by default 10), `page` from 1 to 100; `more` says that a further page "
    "exists. Only the best hits are listed, about 60 per query: a more exact query finds what a broad one leaves out. "
    'Queries may say "a phrase", -without, site:HOST[/PATH], after:DAY, before:DAY and newer_than:30d.'
)

API = Dialect(
    "api",
    (
        Route(
            "POST",
            "/api/search",
            search,
            _SEARCH + " `queries` asks several at once and gives `batches`, one per query: a wrong one has an `error`.",
            either(_QUERY, _QUERIES),
            one_of(_HITS, object_of({"batches": list_of(_HITS)})),
        ),
        Route("GET", "/api/search", search, _SEARCH, _QUERY, _HITS),
        Route(
            "POST",
            "/api/extract",
            extract,
            "Read a page as Markdown: at most `max_chars` characters (1 to 1000000, by default all) from `offset`. "
            "Where it goes on, `more` is true and `next_offset` says from where; the parts put together are the page.",
            _URL,
            _PAGE,
        ),
    ),
    {ANY: Reply({"error": MESSAGE}, ANY)},
)
