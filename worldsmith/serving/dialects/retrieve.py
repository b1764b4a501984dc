"""Search-R1's dialect: POST /retrieve, as its retrieval server, verl, SkyRL, slime and ASearcher's local mode speak it.

ASearcher's server reads pages too: POST /access.

A document's contents are its quoted title, a line break, and the snippet; the page's whole text only where the
profile says so (a search reply is entitled to no more). The original is a FastAPI application with neither keys nor
limits: a wrong request is a 422 with a list of what is wrong, what isn't there a "detail", a failure Starlette's text.
"""

from typing import Any

from worldsmith.serving.dialects.fields import MAX_URL, Batch, Option, Whole, present, request_schema, unless
from worldsmith.serving.dialects.schemas import BOOL, NULL, NUMBER, TEXT, list_of, object_of, one_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, PLAIN_TEXT, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.protocol import Call, Observation, Result

MAX_BATCH = 8192
"""Queries of a request: a trainer sends those of all rollouts of a turn at once, and the original has no limit."""
MAX_BODY = 1 << 24
"""Bytes of a request: as many queries of the greatest length fit."""
QUERIES, QUERY = Batch("queries", most=MAX_BATCH), Batch("query", most=MAX_BATCH)
URLS = Batch("urls", MAX_URL)
TOPK, SCORES = Whole("topk", 3, 0, 50), Option("return_scores", BOOL)


def retrieve(request: Request) -> ParsedRequest:
    """Read {"queries"} (or SkyRL's {"query"}), "topk" and "return_scores".

    A query that is wrong or failed has no documents. The others have exactly `topk`, as a retriever gives them, as
    long as the world has so many.
    """
    body = request.fields
    field = present(QUERIES, QUERY, body)
    queries = field.read(body)
    topk = TOPK.read(body) or TOPK.default  # the real server reads 0 as absent too
    scored = SCORES.read(body) is True

    def write(observations: tuple[Observation, ...]) -> Reply:
        return Reply({"result": [[_item(hit, request, scored=scored) for hit in one.results] for one in observations]})

    return ParsedRequest(field.calls(queries, lambda query: Call("web_search", query, k=topk, exact=True)), write)


def _item(hit: Result, request: Request, *, scored: bool) -> dict[str, Any]:
    url, text = request.links.show(hit.url), hit.shown_text
    document = {"id": url, "url": url, "title": hit.title, "text": text, "contents": f'"{hit.title}"\n{text}'}
    return {"document": document, "score": hit.score} if scored else document


def access(request: Request) -> ParsedRequest:
    """Read {"urls"}: a page for each, null for one that is wrong or isn't there."""

    def write(observations: tuple[Observation, ...]) -> Reply:
        return Reply({"result": [_page(one, request) for one in observations]})

    return ParsedRequest(
        URLS.calls(URLS.read(request.fields), lambda url: Call("web_extractor", request.links.read(url))), write
    )


def _page(observation: Observation, request: Request) -> dict[str, Any] | None:
    if observation.status != "ok" or observation.doc is None:
        return None
    doc = observation.doc
    return {"url": request.links.show(doc.url), "title": doc.title, "contents": observation.text}


_DOCUMENT = object_of({"id": TEXT, "url": TEXT, "title": TEXT, "text": TEXT, "contents": TEXT})
_PAGE = object_of({"url": TEXT, "title": TEXT, "contents": TEXT})
_ITEM = one_of(_DOCUMENT, object_of({"document": _DOCUMENT, "score": NUMBER}))
_QUERIES = request_schema(QUERIES, TOPK, SCORES, example={"queries": ["…"], "topk": 3, "return_scores": True})

RETRIEVE = Dialect(
    "retrieve",
    (
        Route(
            "POST",
            "/retrieve",
            retrieve,
            "Search, as Search-R1's retrieval server: one list of documents per query, empty for a wrong one.",
            unless(_QUERIES, request_schema(QUERY, TOPK, SCORES)),
            object_of({"result": list_of(list_of(_ITEM))}),
            max_body=MAX_BODY,
        ),
        Route(
            "POST",
            "/access",
            access,
            "Read pages, as ASearcher's local server: one per url, null for one that isn't there.",
            request_schema(URLS, example={"urls": ["https://….example/…"]}),
            object_of({"result": list_of(one_of(_PAGE, NULL))}),
        ),
    ),
    {
        ANY: Reply({"error": MESSAGE}, ANY),
        404: Reply({"detail": MESSAGE, "error": MESSAGE}, ANY),
        400: Reply({"detail": [{"type": "value_error", "loc": ["body"], "msg": MESSAGE}], "error": MESSAGE}, 422),
        500: Reply("Internal Server Error", ANY, PLAIN_TEXT),
    },
)
