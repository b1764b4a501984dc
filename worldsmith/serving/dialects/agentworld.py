"""AgentWorld's tools as text: POST /agentworld with a tool's name and arguments, as its simulator is asked.

Made after the search prompt of QwenLM/Qwen-AgentWorld: `web_search` takes "queries" or "query" and lists for each what
was found as "[1] url", Title, Snippet and Date; `web_extractor` gives a page's Markdown. The numbers start again with
each query. `dict_memory` keeps what an agent notes, for its session: "operation" is add or update ("dict"), retrieve or
remove ("key_list"), retrieve_all or remove_all. The name of that argument is ours, since the prompt doesn't give one.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.days import day_in_words
from worldsmith.serving.dialects.fields import MAX_URL, Batch, Choice, Text, Texts, present, request_schema, unless
from worldsmith.serving.dialects.schemas import JSON, object_of, one_of
from worldsmith.serving.dialects.session_memory import Items
from worldsmith.serving.dialects.types import ANY, MESSAGE, PLAIN_TEXT, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation

SEARCH, READ, MEMORY = "web_search", "web_extractor", "dict_memory"

NAME = Choice("name", (SEARCH, READ, MEMORY), required=True)
OPERATIONS = ("add", "update", "retrieve", "retrieve_all", "remove", "remove_all")
OPERATION = Choice("operation", OPERATIONS, required=True)
KEYS = Texts("key_list")
QUERY, QUERIES, URL = Batch("query"), Batch("queries"), Text("url", MAX_URL)


def call_tool(request: Request) -> ParsedRequest:
    """Read a tool's name and arguments."""
    name, arguments = NAME.read(request.fields), request.fields.get("arguments")
    if not isinstance(arguments, Mapping):
        raise UsageError('"arguments" must be an object: send the arguments of the tool by name')
    if name == SEARCH:
        return _search(arguments, request)
    if name == READ:
        return _extract(arguments, request)
    text = _remember(arguments, request)
    return ParsedRequest((), lambda _: Reply(text, headers=PLAIN_TEXT))


def _search(arguments: Mapping[str, Any], request: Request) -> ParsedRequest:
    field = present(QUERIES, QUERY, arguments)
    queries = field.read(arguments)

    def write(observations: tuple[Observation, ...]) -> Reply:
        texts = (_hits(query, one, request) for query, one in zip(queries, observations, strict=True))
        return Reply("\n\n".join(texts), headers=PLAIN_TEXT)

    return ParsedRequest(field.calls(queries, lambda query: Call("web_search", query)), write)


def _hits(query: Any, observation: Observation, request: Request) -> str:
    """Return the hits of one query, or why there are none."""
    failed = http_failure(observation)
    if failed:
        return f"Error: {failed.text}"
    blocks = []
    for place, hit in enumerate(observation.results, 1):
        date = day_in_words(hit.date) if hit.date else "N/A"
        snippet = hit.shown_text
        head = f"[{place}] {request.links.show(hit.url)}"
        blocks.append(f"{head}\nTitle: {hit.title}\nSnippet: {snippet}\nDate: {date}")
    return "\n\n".join(blocks) or f"No results found for: {query}"


def _extract(arguments: Mapping[str, Any], request: Request) -> ParsedRequest:
    url = URL.read(arguments)

    def write(observations: tuple[Observation, ...]) -> Reply:
        (page,) = observations
        failed = http_failure(page)
        return Reply(f"Error: {url[:200]}: {failed.text}" if failed else page.text, headers=PLAIN_TEXT)

    return ParsedRequest((Call("web_extractor", request.links.read(url)),), write)


def _remember(arguments: Mapping[str, Any], request: Request) -> str:
    """Return what an operation on the memory of the session says, after it is done."""

    def edit(kept: Items) -> tuple[Items, str]:
        operation = OPERATION.read(arguments)
        if operation in ("add", "update"):
            items = arguments.get("dict")
            if not isinstance(items, Mapping):
                raise UsageError('"dict" must be an object: the keys and what to keep under them')
            done = ("added", "to") if operation == "add" else ("updated", "in")
            return kept | dict(items), f"Successfully {done[0]} items of {list(items)} {done[1]} memory."
        if operation == "retrieve_all":
            return kept, _json(kept)
        if operation == "remove_all":
            return {}, "Successfully cleared all memory."
        keys = KEYS.read(arguments)
        lines = [f"Key not found: {key}" for key in keys if key not in kept]
        there = [key for key in keys if key in kept]
        if operation == "retrieve":
            return kept, "\n".join([*([_json({key: kept[key] for key in there})] if there else []), *lines])
        left = {key: value for key, value in kept.items() if key not in there}
        return left, "\n".join([*([f"Successfully removed items of {there} from memory."] if there else []), *lines])

    return request.memory.edit(request.session_address, edit)


def _json(items: Mapping[str, Any]) -> str:
    return orjson.dumps(items).decode()


def _tool(name: str, arguments: JSON, example: Any = None) -> JSON:
    return object_of({NAME.name: {"const": name}, "arguments": arguments}, example=example)


_KEYS_OF = object_of({OPERATION.name: {"enum": ["retrieve", "remove"]}, KEYS.name: KEYS.schema})
_ITEMS_OF = object_of({OPERATION.name: {"enum": ["add", "update"]}, "dict": {"type": "object"}})
_ALL_OF = object_of({OPERATION.name: {"enum": ["retrieve_all", "remove_all"]}})
_QUERIES = unless(request_schema(QUERIES), request_schema(QUERY))
_TOOLS = one_of(
    _tool(SEARCH, _QUERIES, example={"name": SEARCH, "arguments": {"queries": ["…", "…"]}}),
    _tool(READ, request_schema(URL)),
    _tool(MEMORY, one_of(_ITEMS_OF, _KEYS_OF, _ALL_OF)),
)

AGENTWORLD = Dialect(
    "agentworld",
    (
        Route(
            "POST",
            "/agentworld",
            call_tool,
            "Search, read a page or keep notes, by AgentWorld's tools, as text.",
            _TOOLS,
            {"type": "string", "contentMediaType": "text/plain"},
        ),
    ),
    {ANY: Reply({"error": MESSAGE}, ANY)},
)
