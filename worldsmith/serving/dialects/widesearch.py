"""The tool API of WideSearch's agents: POST /widesearch, which its SEARCH_TOOL_API_URL names.

Made after src/agent/tools.py of ByteDance-Seed/WideSearch. A request names a tool and holds its arguments as a JSON
string; the reply holds its result as one. Agents there are shown a result's host and text alone, so the text starts
with the title and the address, without which no page could be read.
"""

from typing import Any
from urllib.parse import urlsplit

import orjson

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.fields import MAX_URL, Choice, Text, Whole, request_schema
from worldsmith.serving.dialects.schemas import TEXT, any_of, object_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.protocol import Call, Observation, Result

MOST = 50
"""Results of a search; the API takes a larger `count` too."""
SEARCH, READ = "GlobalSearch", "TextBrowserView"

NAME = Choice("name", (SEARCH, READ), required=True)
ARGUMENTS = Text("arguments", 20_000)
QUERY, COUNT = Text("query"), Whole("count", 10, 0, 200)
URL = Text("url", MAX_URL)


def call_tool(request: Request) -> ParsedRequest:
    """Read a tool's name and arguments."""
    name, arguments = NAME.read(request.fields), _arguments(ARGUMENTS.read(request.fields))
    if name == SEARCH:
        query, count = QUERY.read(arguments), COUNT.read(arguments)
        call = Call("web_search", query, k=max(min(count, MOST), 1))
        return ParsedRequest(
            (call,), lambda replies: _result([_hit(hit, request) for hit in replies[0].results[:count]])
        )
    call = Call("web_extractor", request.links.read(URL.read(arguments)))
    return ParsedRequest((call,), lambda replies: _result(_page(replies[0])))


def _arguments(text: str) -> dict[str, Any]:
    try:
        arguments = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UsageError(f'"arguments" is not JSON ({error}): send the arguments of the tool as a string') from None
    if not isinstance(arguments, dict):
        raise UsageError('"arguments" is JSON, but no object: send the arguments of the tool by name')
    return arguments


def _result(documents: list[dict[str, Any]] | None) -> Reply:
    return Reply({"result": orjson.dumps({"documents": documents}).decode()})


def _hit(hit: Result, request: Request) -> dict[str, Any]:
    url = request.links.show(hit.url)
    text = hit.shown_text
    link = {"sitename": urlsplit(hit.url).netloc, "title": hit.title, "url": url}
    return {"render": {"link": link}, "content": [{"type": "text", "text": f"{hit.title}\n{url}\n{text}"}]}


def _page(observation: Observation) -> list[dict[str, Any]] | None:
    """Return the documents of a page, None where there is no page."""
    if observation.status != "ok" or observation.doc is None:
        return None
    return [{"content": [{"type": "text", "text": observation.text}]}]


_TOOL = request_schema(NAME, ARGUMENTS, example={"name": SEARCH, "arguments": '{"query": "…", "count": 10}'})
_ARGUMENTS = {
    "contentMediaType": "application/json",
    "contentSchema": any_of(request_schema(QUERY, COUNT), request_schema(URL)),
}
_TOOL = {**_TOOL, "properties": {**_TOOL["properties"], ARGUMENTS.name: {**ARGUMENTS.schema, **_ARGUMENTS}}}

WIDESEARCH = Dialect(
    "widesearch",
    (
        Route(
            "POST",
            "/widesearch",
            call_tool,
            "Search or read a page, as the tool API of WideSearch's agents.",
            _TOOL,
            object_of({"result": TEXT}),
        ),
    ),
    {ANY: Reply({"error": MESSAGE}, ANY)},
)
