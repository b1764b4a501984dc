"""Search-R1's dialect: POST /retrieve, as its retrieval server, verl, SkyRL, slime and ASearcher's local mode speak it.

A document's contents are its quoted title, a line break, and the snippet; the page's whole text only where the
profile says so (a search reply is entitled to no more).
"""

from typing import Any

from worldsmith.errors import UsageError
from worldsmith.serving.dialects import fields
from worldsmith.serving.dialects.schemas import BOOL, NUMBER, TEXT, listed, one_of, thing
from worldsmith.serving.dialects.types import Asked, Dialect, Reply, Request, Route
from worldsmith.simulate.protocol import Call, Observation, Result

TOPK = 3
MAX_TOPK = 50


def retrieve(request: Request) -> Asked:
    """Read {"queries"} (or SkyRL's {"query"}), "topk" and "return_scores".

    A query that is wrong or failed has no documents. The others have exactly `topk`, as a retriever gives them, as
    long as the world has so many.
    """
    body = request.fields
    if "queries" not in body and "query" not in body:
        raise UsageError('"queries" is missing: a list of strings')
    name = "queries" if "queries" in body else "query"
    queries = fields.items(body[name], name)
    topk = fields.whole(body, "topk", TOPK, 0, MAX_TOPK) or TOPK  # the real server reads 0 as absent too
    scored = body.get("return_scores") is True

    def write(observations: tuple[Observation, ...]) -> Reply:
        return Reply({"result": [[_item(hit, request, scored=scored) for hit in one.results] for one in observations]})

    return Asked(fields.calls(queries, name, lambda query: Call("web_search", query, k=topk, exact=True)), write)


def _item(hit: Result, request: Request, *, scored: bool) -> dict[str, Any]:
    url, text = request.links.show(hit.url), hit.snippet if hit.text is None else hit.text
    document = {"id": url, "url": url, "title": hit.title, "text": text, "contents": f'"{hit.title}"\n{text}'}
    return {"document": document, "score": hit.score} if scored else document


_DOCUMENT = thing({"id": TEXT, "url": TEXT, "title": TEXT, "text": TEXT, "contents": TEXT})
_ITEM = one_of(_DOCUMENT, thing({"document": _DOCUMENT, "score": NUMBER}))
_OPTIONS = {"topk": {"type": ["integer", "null"], "minimum": 0, "maximum": MAX_TOPK}, "return_scores": BOOL}
_QUERIES = thing(
    {"queries": listed(TEXT), **_OPTIONS},
    optional=tuple(_OPTIONS),
    example={"queries": ["…"], "topk": 3, "return_scores": True},
)
_QUERY = thing({"query": TEXT, **_OPTIONS}, optional=tuple(_OPTIONS))

RETRIEVE = Dialect(
    "retrieve",
    (
        Route(
            "POST",
            "/retrieve",
            retrieve,
            "Search, as Search-R1's retrieval server: one list of documents per query, empty for a wrong one.",
            one_of(_QUERIES, _QUERY),
            thing({"result": listed(listed(_ITEM))}),
        ),
    ),
)
