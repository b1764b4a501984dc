"""Jina's dialect: the reader, GET /https://<host>/<path> or POST / with a url, and the search, GET /jina/s/<query>.

Made after the formatter of jina-ai/reader and the error classes it is built on. A reply is text, or JSON where the
request accepts application/json. A target that isn't there is a 200 with a warning, as the service has it. Searches
give a snippet for each hit; the service's page contents only where the profile gives whole pages.
"""

from collections.abc import Callable, Mapping
from typing import Any

from worldsmith.serving.dialects.fields import MAX_URL, Text, Whole, request_schema
from worldsmith.serving.dialects.fields import text as checked
from worldsmith.serving.dialects.schemas import JSON, NUMBER, TEXT, list_of, object_of
from worldsmith.serving.dialects.types import (
    ANY,
    MESSAGE,
    PLAIN_TEXT,
    Dialect,
    ParsedRequest,
    Read,
    Reply,
    Request,
    Route,
)
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation, Result

READER, SEARCH = "/jina/r/", "/jina/s/"
MISSING = "Target URL returned error 404: Not Found"
TOKEN = 4
"""Characters of a token, for the usage that JSON replies tell."""

URL, QUERY = Text("url", MAX_URL), Text("q")
NUM, PAGE = Whole("num", 10, 1, 20), Whole("page", 1, 1, 100)


def _reader(write: Callable[[Mapping[str, Any]], Reply]) -> Read:
    """Return what reads a page and has `write` write it."""

    def read(request: Request) -> ParsedRequest:
        in_path = request.path.removeprefix(READER).removeprefix("/")
        url = checked(in_path, URL.name, URL.limit) if in_path else URL.read(request.fields)

        def reply(observations: tuple[Observation, ...]) -> Reply:
            (page,) = observations
            failed = http_failure(page)
            if failed or page.doc is None:
                title = "404 Not Found"
                return write({"title": title, "url": url, "content": title, "warning": MISSING})
            dated = {"publishedTime": page.doc.date} if page.doc.date else {}
            shown = request.links.show(page.doc.url)
            return write({"title": page.doc.title, "url": shown, **dated, "content": page.text})

        return ParsedRequest((Call("web_extractor", request.links.read(url)),), reply)

    return read


def _page_text(page: Mapping[str, Any]) -> Reply:
    """Return a page as the reader formats it."""
    parts = [("Title", page["title"]), ("URL Source", page["url"])]
    parts += [("Published Time", page.get("publishedTime")), ("Warning", page.get("warning"))]
    head = "\n\n".join(f"{name}: {value}" for name, value in parts if value is not None)
    return Reply(f"{head}\n\nMarkdown Content:\n{page['content']}\n", headers=PLAIN_TEXT)


def _page_json(page: Mapping[str, Any]) -> Reply:
    usage = {"tokens": len(page["content"]) // TOKEN}
    data = {**page, "description": "", "usage": usage}
    return Reply({"code": 200, "status": 20000, "data": data, "meta": {"usage": usage}})


def _search(write: Callable[[tuple[Result, ...], Request], Reply]) -> Read:
    """Return what reads a search and has `write` write its hits."""

    def read(request: Request) -> ParsedRequest:
        body = request.fields
        in_path = request.path.removeprefix(SEARCH)
        query = checked(in_path, QUERY.name, QUERY.limit) if in_path else QUERY.read(body)
        call = Call("web_search", query, PAGE.read(body), NUM.read(body))

        def reply(observations: tuple[Observation, ...]) -> Reply:
            hits = observations[0].results
            return write(hits, request) if hits else JINA.error(422, f"No search results available for query {query}")

        return ParsedRequest((call,), reply)

    return read


def _hits_text(hits: tuple[Result, ...], request: Request) -> Reply:
    blocks = []
    for place, hit in enumerate(hits, 1):
        parts = [("Title", hit.title), ("URL Source", request.links.show(hit.url)), ("Description", hit.snippet)]
        lines = [f"[{place}] {name}: {value}" for name, value in (*parts, ("Date", hit.date)) if value]
        blocks.append("\n".join(lines) + (f"\n\n{hit.text}" if hit.text else ""))
    return Reply("\n\n".join(blocks) + "\n", headers=PLAIN_TEXT)


def _hits_json(hits: tuple[Result, ...], request: Request) -> Reply:
    data, total = [], 0
    for hit in hits:
        content = hit.shown_text
        shown = {"title": hit.title, "url": request.links.show(hit.url), "description": hit.snippet}
        dated = {"date": hit.date} if hit.date else {}
        tokens = len(content) // TOKEN
        total += tokens
        data.append({**shown, "content": content, **dated, "usage": {"tokens": tokens}})
    return Reply({"code": 200, "status": 20000, "data": data, "meta": {"usage": {"tokens": total}}})


def _accepts_json(_: JSON, headers: Mapping[str, str]) -> bool:
    return "application/json" in headers.get("accept", "").lower()


_TEXT: JSON = {"type": "string", "contentMediaType": "text/plain"}
_USAGE = object_of({"tokens": NUMBER})
_DATA = {"title": TEXT, "url": TEXT, "description": TEXT, "content": TEXT, "usage": _USAGE}
_META = object_of({"usage": _USAGE})
_PAGE = object_of(
    {
        "code": NUMBER,
        "status": NUMBER,
        "data": object_of({**_DATA, "publishedTime": TEXT, "warning": TEXT}, optional=("publishedTime", "warning")),
        "meta": _META,
    }
)
_HITS = object_of(
    {
        "code": NUMBER,
        "status": NUMBER,
        "data": list_of(object_of({**_DATA, "date": TEXT}, optional=("date",))),
        "meta": _META,
    }
)
_NO_NUL: JSON = {"type": "string", "pattern": r"^[^\x00]+$"}
_IN_PATH = object_of({"scheme": _NO_NUL, "url": _NO_NUL})
_BODY = request_schema(URL, example={"url": "https://….example/…"})
_IN_PATH_QUERY = request_schema(Text("query"), NUM, PAGE)
_QUERY = request_schema(QUERY, NUM, PAGE, example={"q": "…", "num": 10})


def _both(method: str, path: str, text: Read, data: Read, about: str, takes: JSON, gives: JSON) -> tuple[Route, ...]:
    """Return the routes of one method and path: text, and JSON where the request accepts it."""
    return (
        Route(method, path, text, about, takes, _TEXT),
        Route(method, path, data, f"{about} As JSON where that is accepted.", takes, gives, _accepts_json),
    )


_READ = (_reader(_page_text), _reader(_page_json), "Read a page, as Jina's reader.")
_FIND = (_search(_hits_text), _search(_hits_json), "Search, as Jina's search.")


def _error(name: str, status: int) -> Reply:
    body = {"data": None, "code": status // 100, "name": name, "status": status, "message": MESSAGE}
    return Reply({**body, "readableMessage": f"{name}: {MESSAGE}", "error": MESSAGE}, status // 100)


JINA = Dialect(
    "jina",
    (
        *_both("GET", "/{scheme}://{url:rest}", *_READ, _IN_PATH, _PAGE),
        *_both("POST", "/", *_READ, _BODY, _PAGE),
        *_both("GET", READER, *_READ, _BODY, _PAGE),
        *_both("POST", READER, *_READ, _BODY, _PAGE),
        *_both("GET", READER + "{url:rest}", *_READ, _BODY, _PAGE),
        *_both("GET", SEARCH, *_FIND, _QUERY, _HITS),
        *_both("POST", SEARCH, *_FIND, _QUERY, _HITS),
        *_both("GET", SEARCH + "{query:rest}", *_FIND, _IN_PATH_QUERY, _HITS),
    ),
    {
        ANY: Reply({"data": None, "message": MESSAGE, "error": MESSAGE}, ANY),
        400: _error("ParamValidationError", 40001),
        401: _error("AuthenticationFailedError", 40102),
        # The key names the world.
        404: _error("AuthenticationFailedError", 40102),
        413: _error("RequestPayloadTooLargeError", 41301),
        422: _error("AssertionFailureError", 42206),
        429: _error("RateLimitTriggeredError", 42903),
        500: _error("InternalServerError", 50001),
    },
)
