"""The two tools as an agent knows them: their schemas, the first messages of an episode, and replies as text."""

import json
from collections.abc import Mapping
from typing import Any, Final

SYSTEM: Final = (
    "You answer questions by research on the web. Use web_search to find pages and web_extractor to read them; search "
    "results show only a part of what pages say. What is asked cannot be known without them. When you have found "
    "everything, reply with the table alone."
)
"""The first message of every episode."""
TOOLS: Final[tuple[Mapping[str, Any], ...]] = tuple(
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": {parameter: {"type": kind, "description": text} for parameter, kind, text in parameters},
                "required": [parameters[0][0]],
            },
        },
    }
    for name, description, parameters in (
        (
            "web_search",
            "Search the web. Returns results with url, title, snippet and date.",
            (("query", "string", "What to search for."), ("page", "integer", "Page of results, from 1.")),
        ),
        (
            "web_extractor",
            "Read a web page as Markdown.",
            (
                ("url", "string", "Address of the page."),
                ("offset", "integer", "Character to start from, for the rest of a long page."),
            ),
        ),
    )
)
"""The two tools in OpenAI's form, as chat templates take them for `tools`."""
CALL_FORM: Final = """

You may call these tools:
{tools}

To call one, write
<tool_call>
{{"name": "web_search", "arguments": {{"query": "…"}}}}
</tool_call>
and wait for its reply in <tool_response></tool_response>; of several calls in one message the first 4 are answered. A
message without a call is taken for your answer."""
"""What `tools_in_text` adds to the first message."""
MAX_CALLS: Final = 4
"""Calls of one message that are answered; as in the export to verl."""
UNANSWERED: Final = f"Error: not answered: {MAX_CALLS} calls at most in one message"
MAX_PAGE: Final = 100
MAX_OFFSET: Final = 1_000_000


def prompt(question: str, *, tools_in_text: bool = False) -> list[dict[str, str]]:
    """Return the messages an agent starts from; with `tools_in_text` they describe the tools and the form of a call."""
    tools = "\n".join(json.dumps(tool) for tool in TOOLS)
    system = SYSTEM + CALL_FORM.format(tools=tools) if tools_in_text else SYSTEM
    return [{"role": "system", "content": system}, {"role": "user", "content": question}]


def hits_text(reply: Mapping[str, Any]) -> str:
    """Return a search reply, {"results": [{"title", "url", "date", "snippet"}]}, as an agent reads it."""
    blocks = (
        "\n".join(str(r[part]) for part in ("title", "url", "date", "snippet") if r.get(part)) for r in reply["results"]
    )
    return "\n\n".join(blocks)


def search_text(reply: Mapping[str, Any]) -> str:
    """Return a search reply as a tool message holds it."""
    return hits_text(reply) or "No results."


def page_text(text: str, next_offset: int | None) -> str:
    """Return a part of a page as a tool message holds it, and where the page goes on."""
    return text + (f"\n[the page goes on at offset {next_offset}]" if next_offset is not None else "")
