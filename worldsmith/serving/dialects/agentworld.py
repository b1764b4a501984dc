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
from worldsmith.serving.dialects.fields import MAX_URL, Option, Text, Texts, request_schema
from worldsmith.serving.dialects.types import ANY, MESSAGE, PLAIN_TEXT, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation

SEARCH, READ, MEMORY = "web_search", "web_extractor", "dict_memory"

NAME = Option("name", {"type": "string", "enum": [SEARCH, READ, MEMORY]}, required=True)
ARGUMENTS = Option("arguments", {"type": "object"}, required=True)
OPERATIONS = ("add", "update", "retrieve", "retrieve_all", "remove", "remove_all")
OPERATION = Option("operation", {"type": "string", "enum": list(OPERATIONS)}, required=True)
ITEMS, KEYS = Option("dict", {"type": "object"}), Texts("key_list")
QUERY, QUERIES, URL = Texts("query"), Texts("queries"), Text("url", MAX_URL)


def call_tool(request: Request) -> ParsedRequest:
    """Read a tool's name and arguments."""
    name, arguments = NAME.read(request.fields), ARGUMENTS.read(request.fields)
    if not isinstance(arguments, Mapping):
        raise UsageError('"arguments" must be an object: send the arguments of the tool by name')
    if name == SEARCH:
        return _search(arguments, request)
    if name == READ:
        return _extract(arguments, request)
    if name == MEMORY:
        text = _remember(arguments, request)
        return ParsedRequest((), lambda _: Reply(text, headers=PLAIN_TEXT))
    raise UsageError(f'"name" is {str(name)[:80]!r}: the tools are {SEARCH}, {READ} and {MEMORY}')


def _search(arguments: Mapping[str, Any], request: Request) -> ParsedRequest:
    field = QUERY if "query" in arguments and "queries" not in arguments else QUERIES
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
    kept, operation = request.memory.of(request.session_address), OPERATION.read(arguments)
    if operation in ("add", "update"):
        items = ITEMS.read(arguments)
        if not isinstance(items, Mapping):
            raise UsageError('"dict" must be an object: the keys and what to keep under them')
        request.memory.keep(request.session_address, kept | dict(items))
        done = ("added", "to") if operation == "add" else ("updated", "in")
        return f"Successfully {done[0]} items of {list(items)} {done[1]} memory."
    if operation == "retrieve_all":
        return _json(kept)
    if operation == "remove_all":
        request.memory.keep(request.session_address, {})
        return "Successfully cleared all memory."
    if operation not in ("retrieve", "remove"):
        raise UsageError(f'"operation" is {str(operation)[:80]!r}: use one of {", ".join(OPERATIONS)}')
    keys = KEYS.texts(arguments)
    lines = [f"Key not found: {key}" for key in keys if key not in kept]
    there = [key for key in keys if key in kept]
    if operation == "retrieve":
        return "\n".join([*([_json({key: kept[key] for key in there})] if there else []), *lines])
    request.memory.keep(request.session_address, {key: value for key, value in kept.items() if key not in there})
    return "\n".join([*([f"Successfully removed items of {there} from memory."] if there else []), *lines])


def _json(items: Mapping[str, Any]) -> str:
    return orjson.dumps(items).decode()


AGENTWORLD = Dialect(
    "agentworld",
    (
        Route(
            "POST",
            "/agentworld",
            call_tool,
            "Search, read a page or keep notes, by AgentWorld's tools, as text.",
            request_schema(NAME, ARGUMENTS, example={"name": SEARCH, "arguments": {"queries": ["…", "…"]}}),
            {"type": "string", "contentMediaType": "text/plain"},
        ),
    ),
    {ANY: Reply({"error": MESSAGE}, ANY)},
)
