"""Which tool a call asks for, and its arguments: read from JSON as models write it, with errors that say the fix."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..errors import close_match
from .call import Tool

ARGUMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "web_search": ("query", "queries"),
    "web_extractor": ("url", "urls"),
}
"""The argument that a tool needs, and its name where several are given."""
MAX_CHARS: Final = 2000
"""Characters of an argument that are read."""


class CallError(Exception):
    """A call that can't be read; its text says the fix."""


@dataclass(frozen=True, slots=True)
class Request:
    """One tool call as the agent made it: its name, and its arguments as text or as values."""

    name: Any
    arguments: Any
    id: str = ""
    """Of a native call."""
    fault: str = ""
    """Why it can't be read, where neither name nor arguments could."""


def without_surrogates(text: str) -> str:
    """Return a text without lone surrogates, which no file of ours can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


_TOKEN = re.compile(r"\s+|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[\[\]{}:,]|[^\s\[\]{}:,\"']+", re.DOTALL)
_LITERALS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
FENCE = re.compile(r"\A```\w*\s*|```\Z")
_CLOSES = {"{": "}", "[": "]"}


def decode_json(text: str) -> Any:
    """Return the value of a JSON text, once more where it is a text that holds JSON.

    Read, too: a Markdown fence around it, single quotes, Python's literals, unquoted names, commas before a closing
    bracket, and closing brackets that are missing at the end. Raises CallError, which says where it breaks.
    """
    value: Any = text
    for _ in range(3):
        if not isinstance(value, str):
            break
        bare = FENCE.sub("", value.strip()).strip().replace('<|"|>', '"')
        try:
            value = json.loads(bare, strict=False)
        except json.JSONDecodeError as error:
            try:
                value = json.loads(_repaired_json(bare), strict=False)
            except (ValueError, RecursionError):
                raise CallError(f"invalid JSON at character {error.pos}: {error.msg}, in {bare[:80]!r}") from None
        except (ValueError, RecursionError):
            raise CallError("invalid JSON: it is nested too deeply, or holds too long a number") from None
    return value


def _repaired_json(text: str) -> str:
    """Return a text as JSON where only its spelling differs. Raises ValueError for a quote that never closes."""
    parts: list[str] = []
    open_: list[str] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError("a quote that never closes")
        part, at = token[0], token.end()
        if part.isspace():
            continue
        if part in _CLOSES:
            open_.append(_CLOSES[part])
        elif part in {"}", "]"}:
            if parts and parts[-1] == ",":
                parts.pop()
            if not open_ or open_.pop() != part:
                raise ValueError("brackets that don't match")
        elif part[0] == "'":
            part = json.dumps(part[1:-1].replace("\\'", "'"), ensure_ascii=False)
        elif part[0] not in '":,':
            part = _LITERALS.get(part, part)
            if part.isidentifier() and part not in {"true", "false", "null"} and text[at:].lstrip().startswith(":"):
                part = f'"{part}"'
        parts.append(part)
    if not parts or parts[0] not in _CLOSES:
        raise ValueError("no object")
    if parts[-1] == ",":
        parts.pop()
    return "".join([*parts, *reversed(open_)])


def sent_call(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a native call as it is sent back to a model: servers parse the arguments of earlier turns, as an object.

    Arguments that are one stay as they were written; others are read as `decode_json` does, or left out.
    """
    function = call["function"]
    try:
        arguments = decode_json(function["arguments"])
        text = json.dumps(arguments if isinstance(arguments, dict) else {}, ensure_ascii=False, allow_nan=False)
    except (CallError, ValueError, RecursionError):
        text = "{}"
    text = without_surrogates(text)
    try:
        if json.loads(function["arguments"]) == json.loads(text):
            return call
    except (ValueError, RecursionError):
        pass
    return {**call, "function": {**function, "arguments": text}}


def sent_message(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message of the agent as it is sent back to a model, its native calls as `sent_call` returns them."""
    calls = message.get("tool_calls")
    return {**message, "tool_calls": [sent_call(call) for call in calls]} if calls else message


def tool_of(request: Request) -> Tool:
    """Return the tool of a request. Raises CallError, with a close match for an unknown name."""
    if request.fault:
        raise CallError(f"{request.fault}. A call is {example_call('web_search')}")
    name = str(request.name or "").strip().removeprefix("functions.")
    if name == "web_search":
        return "web_search"
    if name == "web_extractor":
        return "web_extractor"
    if not name:
        raise CallError(f'the call has no "name". A call is {example_call("web_search")}')
    raise CallError(
        f"there is no tool {name[:40]!r}.{close_match(name[:40], ARGUMENTS)} Use web_search or web_extractor"
    )


def arguments_of(request: Request, tool: Tool) -> Mapping[str, Any]:
    """Return the arguments of a request, without those that are null. Raises CallError."""
    value = request.arguments
    if isinstance(value, str):
        value = decode_json(value) if value.strip() else None
    if value is None:
        value = {}
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, Mapping):
        raise CallError(f"the arguments of {tool} are {_value_text(value)}, no object. A call is {example_call(tool)}")
    return {str(name): inner for name, inner in value.items() if inner is not None}


def texts_of(arguments: Mapping[str, Any], tool: Tool) -> tuple[str, ...]:
    """Return the queries or URLs that arguments name, one or several. Raises CallError."""
    one, several = ARGUMENTS[tool]
    name = one if one in arguments else several
    value = arguments.get(name)
    if value is None:
        names = ", ".join(map(repr, arguments)) or "nothing"
        raise CallError(f'{tool} needs "{one}"; the call has {names[:200]}. A call is {example_call(tool)}')
    if isinstance(value, str) and value.strip().startswith(('["', "['")):
        try:
            value = decode_json(value)
        except CallError:
            value = [value]
    values = value if isinstance(value, list) and value else [value]
    if not all(isinstance(text, str) for text in values):
        raise CallError(f'"{name}" of {tool} is {_value_text(value)}, no text. A call is {example_call(tool)}')
    return tuple(without_surrogates(text[:MAX_CHARS]) for text in values)


def number_of(arguments: Mapping[str, Any], tool: Tool, name: str, least: int, most: int) -> int:
    """Return a whole number of arguments, the least where it is absent, moved within the bounds. Raises CallError."""
    value = arguments.get(name, "")
    try:
        if isinstance(value, str):
            value = float(value) if value.strip().lower() not in _ABSENT else least
        if isinstance(value, int | float) and not isinstance(value, bool) and value == int(value):
            return min(max(int(value), least), most)
    except (ValueError, OverflowError):
        pass
    raise CallError(f'"{name}" of {tool} is {_value_text(value)}; it is a whole number from {least}, or left out')


_ABSENT = frozenset({"", "null", "none"})


def _value_text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)[:80]
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__


def example_call(tool: Tool) -> str:
    """Return a call as text."""
    value = "what to search for" if tool == "web_search" else "an address that web_search gave"
    return f'{{"name": "{tool}", "arguments": {{"{ARGUMENTS[tool][0]}": "{value}"}}}}'
