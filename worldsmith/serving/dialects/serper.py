"""Serper's dialect: POST or GET /search with `q`, and POST /scrape, at the root and under /serper.

Made after what smolagents, LangChain, Qwen-Agent and MiroThinker send and read. `tbs` becomes operators of the query;
`gl`, `hl` and `location` are echoed, as the service does, and have no other effect. There are never direct answers
(`answerBox`, `knowledgeGraph`): they would shortcut the search. A list of requests in one body is not read.
"""

import re
from typing import Any

from worldsmith.pages.renderer import plain
from worldsmith.serving.dialects.days import between, day_in_words, newer_than
from worldsmith.serving.dialects.fields import MAX_URL, Option, Text, Whole, request_schema
from worldsmith.serving.dialects.schemas import BOOL, NUMBER, TEXT, list_of, object_of
from worldsmith.serving.dialects.types import (
    ANY,
    MESSAGE,
    Dialect,
    HasField,
    ParsedRequest,
    Reply,
    Request,
    Route,
    with_prefix,
)
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation, Result

MOST = 50
"""Results of a page; the service takes a larger `num` too."""
_SPAN = re.compile(r"qdr:([dwmy])")
_RANGE = re.compile(r"cdr:1(?:,cd_min:(\d\d?)/(\d\d?)/(\d{4}))?(?:,cd_max:(\d\d?)/(\d\d?)/(\d{4}))?")

QUERY, NUM, PAGE = Text("q"), Whole("num", 10, 1, 100), Whole("page", 1, 1, 100)
TBS = Option("tbs", TEXT)
PLACE = tuple(Option(name, TEXT) for name in ("gl", "hl", "location"))
URL, MARKDOWN = Text("url", MAX_URL), Option("includeMarkdown", BOOL)


def search(request: Request) -> ParsedRequest:
    """Read a search; `tbs` narrows it to a span or a range of days."""
    body = request.fields
    query, num, page = QUERY.read(body), NUM.read(body), PAGE.read(body)
    call = Call("web_search", " ".join((*_days(TBS.read(body)), query)), page, min(num, MOST))
    echoed = {field.name: field.read(body) for field in (*PLACE, TBS) if isinstance(field.read(body), str)}

    def write(observations: tuple[Observation, ...]) -> Reply:
        parameters = {"q": query, **echoed, "type": "search", "num": num, "page": page, "engine": "google"}
        hits = [_organic(hit, place, request) for place, hit in enumerate(observations[0].results, 1)]
        return Reply({"searchParameters": parameters, "organic": hits, "credits": 1 if num <= 10 else 2})

    return ParsedRequest((call,), write)


def _days(tbs: Any) -> list[str]:
    """Return the operators of a `tbs`, none for what it doesn't say: the service ignores it too."""
    if not isinstance(tbs, str):
        return []
    span = _SPAN.search(tbs)
    if span:
        return [newer_than(span[1])]
    days = _RANGE.search(tbs)
    if days is None:
        return []
    first, last = days.group(1, 2, 3), days.group(4, 5, 6)
    return between(*("-".join((y, m.zfill(2), d.zfill(2))) if y else "" for m, d, y in (first, last)))


def _organic(hit: Result, place: int, request: Request) -> dict[str, Any]:
    item: dict[str, Any] = {"title": hit.title, "link": request.links.show(hit.url)}
    item["snippet"] = hit.shown_text
    return item | ({"date": day_in_words(hit.date)} if hit.date else {}) | {"position": place}


def scrape(request: Request) -> ParsedRequest:
    """Read {"url"}; the reply has Markdown where "includeMarkdown" is true."""
    body = request.fields
    url, marked = URL.read(body), MARKDOWN.read(body) is True

    def write(observations: tuple[Observation, ...]) -> Reply:
        (page,) = observations
        failed = http_failure(page)
        if failed or page.doc is None:
            return SERPER.error(400, f"Scraping failed: {url[:200]}: {failed.text if failed else 'nothing to read'}")
        head = {"title": page.doc.title, "og:url": request.links.show(page.doc.url)}
        reply: dict[str, Any] = {"text": plain(page.doc)} | ({"markdown": page.text} if marked else {})
        return Reply({**reply, "metadata": head, "credits": 2})

    return ParsedRequest((Call("web_extractor", request.links.read(url)),), write)


_ORGANIC = object_of(
    {"title": TEXT, "link": TEXT, "snippet": TEXT, "date": TEXT, "position": NUMBER}, optional=("date",)
)
_PARAMETERS = {"q": TEXT, "gl": TEXT, "hl": TEXT, "location": TEXT, "tbs": TEXT, "type": TEXT}
_HITS = object_of(
    {
        "searchParameters": object_of(
            _PARAMETERS | {"num": NUMBER, "page": NUMBER, "engine": TEXT}, optional=("gl", "hl", "location", "tbs")
        ),
        "organic": list_of(_ORGANIC),
        "credits": NUMBER,
    }
)
_PAGE = object_of(
    {"text": TEXT, "markdown": TEXT, "metadata": object_of({"title": TEXT, "og:url": TEXT}), "credits": NUMBER},
    optional=("markdown",),
)
_QUERY = request_schema(QUERY, NUM, PAGE, TBS, *PLACE, example={"q": "…", "num": 10})
_URL = request_schema(URL, MARKDOWN, example={"url": "https://….example/…", "includeMarkdown": True})


def _error(status: int, text: str = MESSAGE, sent: int = ANY) -> Reply:
    return Reply({"message": text, "statusCode": sent or status, "error": MESSAGE}, sent)


SERPER = Dialect(
    "serper",
    with_prefix(
        "serper",
        Route("POST", "/search", search, "Search, as Serper's API.", _QUERY, _HITS, accepts=HasField(frozenset({"q"}))),
        Route("GET", "/search", search, "Search, as Serper's API.", _QUERY, _HITS),
        Route("POST", "/scrape", scrape, "Read a page, as Serper's API.", _URL, _PAGE),
    ),
    {
        ANY: Reply({"message": MESSAGE, "error": MESSAGE}, ANY),
        **{status: _error(status) for status in (400, 413, 429, 500, 503, 504)},
        # The service has 403 for a key that it doesn't know, and the key names the world.
        401: _error(401, "Unauthorized.", 403),
        404: _error(404, f"Unauthorized. {MESSAGE}", 403),
    },
)
