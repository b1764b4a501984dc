"""MCP over Streamable HTTP, without the SDK: POST /mcp takes one JSON-RPC message and replies with one, as JSON.

Revisions up to 2025-11-25 are spoken. Clients of the stateless revision after it ask for `server/discover` first, are
told that there is no such method, and go on with `initialize`. There are no streams: GET and DELETE are a 405, as the
specification allows. The session that `initialize` gives counts the attempts of calls, unless the address names one.

A call that fails is a result with `isError`, which models read, and errors of the protocol have status 200 as well:
clients of mcp 1.x show no text of any other status.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Protocol

from worldsmith import __version__
from worldsmith.episode.tools import MAX_OFFSET, MAX_PAGE, TOOLS, page_text, search_text
from worldsmith.errors import UsageError, close_match
from worldsmith.serving.dialects.browser import BROWSER
from worldsmith.serving.dialects.fields import MAX_URL, Batch, Option, Parameter, Text, Whole
from worldsmith.serving.dialects.links import Links
from worldsmith.serving.dialects.schemas import JSON, TEXT, lenient, list_of, object_of
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, ParsedRequest, Reply, Request, Route, ToolCalls
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
SESSION = "Mcp-Session-Id"
INVALID_REQUEST, NO_METHOD, INTERNAL = -32600, -32601, -32603
"""Codes of JSON-RPC."""

METHOD, URL = Text("method", 100), Text("url", MAX_URL)
QUERY, PAGE, OFFSET = Text("query"), Whole("page", 1, 1, MAX_PAGE), Whole("offset", 0, 0, MAX_OFFSET)
_SEARCH_ABOUT, _READ_ABOUT = (tool["function"]["description"] for tool in TOOLS)
_TOOL_PROPERTIES = (tool["function"]["parameters"]["properties"] for tool in TOOLS)
_PARAMETER_ABOUT = {name: schema["description"] for each in _TOOL_PROPERTIES for name, schema in each.items()}


class Tool(Protocol):
    """A tool of the server."""

    of_session: ClassVar[bool]
    """Whether its replies depend on what the session did before."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def about(self) -> str:
        """What it does, for the model."""
        ...

    @property
    def parameters(self) -> Mapping[Parameter, str]:
        """Its parameters, the required one first, and what they are."""
        ...

    def read(self, arguments: JSON, request: Request) -> ToolCalls:
        """Return the calls that its arguments make, and what writes an observation as text. Raises UsageError."""
        ...


@dataclass(frozen=True, slots=True)
class SearchTool:
    """A tool that searches, with a service's names of its parameters."""

    name: str
    count: Whole | None = None
    page: Whole | None = None
    about: str = _SEARCH_ABOUT
    of_session: ClassVar[bool] = False

    @property
    def parameters(self) -> Mapping[Parameter, str]:
        """Its parameters, the required one first, and what they are."""
        named: dict[Parameter, str] = {QUERY: _PARAMETER_ABOUT["query"]}
        if self.count:
            named[self.count] = "Results wanted."
        if self.page:
            named[self.page] = f"Page of results, from {self.page.least}."
        return named

    def read(self, arguments: JSON, request: Request) -> ToolCalls:
        """Return the call, and what lists its hits. Raises UsageError."""
        count = self.count.read(arguments) if self.count else 10
        page = self.page.read(arguments) + 1 - self.page.least if self.page else 1
        return (Call("web_search", QUERY.read(arguments), page, count),), partial(_text, links=request.links)


@dataclass(frozen=True, slots=True)
class ReadTool:
    """A tool that reads one page or several, with a service's names of its parameters."""

    name: str
    url: Text | Batch = URL
    offset: Whole | None = None
    length: Whole | None = None
    about: str = _READ_ABOUT
    of_session: ClassVar[bool] = False

    @property
    def parameters(self) -> Mapping[Parameter, str]:
        """Its parameters, the required one first, and what they are."""
        several = isinstance(self.url, Batch)
        named: dict[Parameter, str] = {self.url: "Addresses of the pages." if several else _PARAMETER_ABOUT["url"]}
        if self.offset:
            named[self.offset] = _PARAMETER_ABOUT["offset"]
        if self.length:
            named[self.length] = "Characters wanted of each page."
        return named

    def read(self, arguments: JSON, request: Request) -> ToolCalls:
        """Return a call per address, and what writes a page. Raises UsageError."""
        offset = self.offset.read(arguments) if self.offset else 0
        length = self.length.read(arguments) if self.length else None

        def call(url: str) -> Call:
            return Call("web_extractor", request.links.read(url), offset=offset, max_chars=length)

        write = partial(_text, links=request.links)
        if isinstance(self.url, Text):
            return (call(self.url.read(arguments)),), write
        return self.url.calls(self.url.read(arguments), call), write


URLS = Batch("urls", MAX_URL, 20)
TOOL_NAMES: Mapping[str, tuple[Tool, ...]] = {
    "worldsmith": (SearchTool("web_search", page=PAGE), ReadTool("web_extractor", offset=OFFSET)),
    "tavily": (SearchTool("tavily_search", Whole("max_results", 5, 1, 20)), ReadTool("tavily_extract", URLS)),
    "exa": (
        SearchTool("web_search_exa", Whole("numResults", 10, 1, 50)),
        ReadTool("web_fetch_exa", URLS, length=Whole("maxCharacters", 3000, 1, MAX_OFFSET)),
    ),
    # Brave's server has no reader.
    "brave": (
        SearchTool("brave_web_search", Whole("count", 10, 1, 20), Whole("offset", 0, 0, 9)),
        ReadTool("web_extractor", offset=OFFSET),
    ),
    "jina": (SearchTool("search_web", Whole("num", 10, 1, 50)), ReadTool("read_url")),
    "firecrawl": (SearchTool("firecrawl_search", Whole("limit", 5, 1, 50)), ReadTool("firecrawl_scrape")),
    "gpt-oss": BROWSER,
}
"""The tools by whose names they have: ours, or those of a service's MCP server, so that prompts written for it fit."""


def _parameter(field: Parameter, about: str) -> JSON:
    match field:
        case Whole():
            bounds = {"default": field.default, "minimum": field.least, "maximum": field.most}
            return {"type": "integer", "description": about, **bounds}
        case Batch():
            return {**list_of(TEXT), "description": about}
        case Option():
            return {**field.values, "description": about}
        case Text():
            return {**TEXT, "description": about}


def _listed(tool: Tool) -> JSON:
    """Return a tool as `tools/list` gives it."""
    properties = {field.name: _parameter(field, about) for field, about in tool.parameters.items()}
    required = [field.name for field in tool.parameters if field.required]
    schema = {"type": "object", "properties": properties, "required": required}
    annotations = {"readOnlyHint": True, "openWorldHint": True}
    return {"name": tool.name, "description": tool.about, "inputSchema": schema, "annotations": annotations}


def session_name(fields: JSON, headers: Mapping[str, str]) -> str:
    """Return the session that a client names, or a new one for `initialize`.

    It is chance, since processes that share a port must not give one twice; no reply depends on it.
    """
    new = fields.get("method") == "initialize"
    return secrets.token_hex(16) if new else headers.get(SESSION.lower(), "")


@dataclass(frozen=True, slots=True)
class Server:
    """Reads messages for one set of tools."""

    tools: Sequence[Tool]

    def read(self, request: Request) -> ParsedRequest:
        """Read one message. Raises UsageError where it isn't one."""
        fields = request.fields
        if "method" not in fields and ("result" in fields or "error" in fields):
            return _written(Reply("", 202))
        method = METHOD.read(fields)
        if "id" not in fields:
            return _written(Reply("", 202))
        if isinstance(fields["id"], bool) or not isinstance(fields["id"], str | int):
            raise UsageError('"id" must be a string or an integer')
        params = fields.get("params")
        params = params if isinstance(params, dict) else {}
        match method:
            case "initialize":
                return _written(_result(request, _welcome(params), {SESSION: request.session}))
            case "ping":
                return _written(_result(request, {}))
            case "tools/list":
                return _written(_result(request, {"tools": [_listed(tool) for tool in self.tools]}))
            case "tools/call":
                return self._call(request, params)
        known = "initialize, ping, tools/list, tools/call"
        error = {"code": NO_METHOD, "message": f"there is no method {method!r}: use one of {known}"}
        return _written(Reply({"jsonrpc": "2.0", "id": fields["id"], "error": error}))

    def _call(self, request: Request, params: JSON) -> ParsedRequest:
        """Read a call of a tool; what is wrong with it is its result."""
        of_session = False
        try:
            tool = self._tool(params)
            calls, text = self._read(tool, params, request)
            of_session = tool.of_session
        except UsageError as wrong:
            calls, text = (Observation("invalid", text=str(wrong)),), partial(_text, links=request.links)

        def write(observations: tuple[Observation, ...]) -> Reply:
            items = [_item(text, observation) for observation in observations]
            content = [{"type": "text", "text": item} for item, _ in items]
            result = {"content": content, "isError": not any(shown.status == "ok" for _, shown in items)}
            return replace(_result(request, result), shown=tuple(shown for _, shown in items))

        return ParsedRequest(calls, write, writes_failures=True, of_session=of_session)

    def _tool(self, params: JSON) -> Tool:
        """Return the tool that a call names. Raises UsageError."""
        name = params.get("name")
        by_name = {tool.name: tool for tool in self.tools}
        tool = by_name.get(name) if isinstance(name, str) else None
        if tool is None:
            fix = close_match(name[:100], by_name) if isinstance(name, str) else ""
            raise UsageError(f"there is no tool {str(name)[:100]!r}.{fix} Tools: {', '.join(by_name)}")
        return tool

    def _read(self, tool: Tool, params: JSON, request: Request) -> ToolCalls:
        """Read the arguments of a call. Raises UsageError."""
        arguments = params.get("arguments")
        if not isinstance(arguments, dict | None):
            raise UsageError('"arguments" must be an object')
        calls, text = tool.read(arguments or {}, request)
        if not calls:
            raise UsageError(f'"{next(iter(tool.parameters)).name}" is empty: give the address of a page')
        return calls, text


def _welcome(params: JSON) -> JSON:
    """Return the result of `initialize`: the client's revision where it is known, else the newest."""
    wanted = params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in REVISIONS else REVISIONS[-1],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "worldsmith", "version": __version__},
    }


def _result(request: Request, result: JSON, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply({"jsonrpc": "2.0", "id": request.fields["id"], "result": result}, headers=headers or {})


def _written(reply: Reply) -> ParsedRequest:
    """Return a request that needs no call."""
    return ParsedRequest((), lambda _: reply)


def _item(text: Callable[[Observation], tuple[str, Observation]], observation: Observation) -> tuple[str, Observation]:
    """Return a reply as a model reads it, and what it shows: a failure where there is none."""
    failed = http_failure(observation)
    if failed:
        return f"Error: {failed.text}", observation
    try:
        return text(observation)
    except UsageError as wrong:
        return f"Error: {wrong}", Observation("invalid", text=str(wrong))


def _text(observation: Observation, links: Links) -> tuple[str, Observation]:
    """Return what was read or listed, in the words of a tool message of an episode, and the whole of it."""
    if observation.doc is not None:
        return page_text(observation.text, observation.next_offset), observation
    hits: list[dict[str, Any]] = [
        {"title": hit.title, "url": links.show(hit.url), "date": hit.date, "snippet": hit.shown_text}
        for hit in observation.results
    ]
    return search_text({"results": hits}), observation


_ID: JSON = {"type": ["string", "integer"]}
_ANY_OBJECT: JSON = {"type": "object"}
_MESSAGE = object_of(
    {"jsonrpc": lenient(TEXT), "id": _ID, "method": METHOD.schema, "params": lenient(_ANY_OBJECT)},
    optional=("jsonrpc", "id", "params"),
    example={
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "web_search", "arguments": {"query": "…"}},
    },
)
_REPLY = object_of(
    {"jsonrpc": TEXT, "id": _ID, "result": _ANY_OBJECT, "error": _ANY_OBJECT}, optional=("result", "error")
)


def _error(code: int) -> Reply:
    return Reply({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": MESSAGE}}, ANY)


def mcp_dialect(tool_names: str) -> Dialect:
    """Return the dialect whose tools have the names of a row of `TOOL_NAMES`."""
    route = Route(
        "POST",
        "/mcp",
        Server(TOOL_NAMES[tool_names]).read,
        "MCP over Streamable HTTP: `initialize`, `tools/list`, `tools/call`.",
        _MESSAGE,
        _REPLY,
        session=session_name,
        also={"202": "A notification was taken."},
    )
    return Dialect("mcp", (route,), {ANY: _error(INTERNAL), 400: _error(INVALID_REQUEST)}, echo="id")


MCP = mcp_dialect("worldsmith")
