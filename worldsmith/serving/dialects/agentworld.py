"""AgentWorld's tools as text: POST /agentworld with a tool's name and arguments, as its simulator is asked.

Made after the search prompt of QwenLM/Qwen-AgentWorld: `web_search` takes "queries" or "query" and lists for each what
was found as "[1] url", Title, Snippet and Date; `web_extractor` gives a page's Markdown. The numbers start again with
each query. What is wrong is told in words too, with a status.
"""

from collections.abc import Mapping
from typing import Any

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.days import day_in_words
from worldsmith.serving.dialects.fields import MAX_URL, Option, Text, Texts, request_schema
from worldsmith.serving.dialects.types import ANY, MESSAGE, Dialect, ParsedRequest, Reply, Request, Route
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.protocol import Call, Observation

SEARCH, READ = "web_search", "web_extractor"
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}

NAME = Option("name", {"type": "string", "enum": [SEARCH, READ]}, required=True)
ARGUMENTS = Option("arguments", {"type": "object"}, required=True)
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
    raise UsageError(f'"name" is {str(name)[:80]!r}: the tools are {SEARCH} and {READ}')


def _search(arguments: Mapping[str, Any], request: Request) -> ParsedRequest:
    field = QUERY if "query" in arguments and "queries" not in arguments else QUERIES
    queries = field.read(arguments)

    def write(observations: tuple[Observation, ...]) -> Reply:
        texts = (_hits(query, one, request) for query, one in zip(queries, observations, strict=True))
        return Reply("\n\n".join(texts), headers=PLAIN)

    return ParsedRequest(field.calls(queries, lambda query: Call("web_search", query)), write)


def _hits(query: Any, observation: Observation, request: Request) -> str:
    """Return the hits of one query, or why there are none."""
    failed = http_failure(observation)
    if failed:
        return f"Error: {failed.text}"
    blocks = []
    for place, hit in enumerate(observation.results, 1):
        date = day_in_words(hit.date) if hit.date else "N/A"
        snippet = hit.snippet if hit.text is None else hit.text
        head = f"[{place}] {request.links.show(hit.url)}"
        blocks.append(f"{head}\nTitle: {hit.title}\nSnippet: {snippet}\nDate: {date}")
    return "\n\n".join(blocks) or f"No results found for: {query}"


def _extract(arguments: Mapping[str, Any], request: Request) -> ParsedRequest:
    url = URL.read(arguments)

    def write(observations: tuple[Observation, ...]) -> Reply:
        (page,) = observations
        failed = http_failure(page)
        return Reply(f"Error: {url[:200]}: {failed.text}" if failed else page.text, headers=PLAIN)

    return ParsedRequest((Call("web_extractor", request.links.read(url)),), write)


AGENTWORLD = Dialect(
    "agentworld",
    (
        Route(
            "POST",
            "/agentworld",
            call_tool,
            "Search or read a page, as text, by AgentWorld's tools web_search and web_extractor.",
            request_schema(NAME, ARGUMENTS, example={"name": SEARCH, "arguments": {"queries": ["…", "…"]}}),
            {"type": "string", "contentMediaType": "text/plain"},
        ),
    ),
    {ANY: Reply({"error": MESSAGE}, ANY)},
)
