"""What a message of an agent asks for: its tool calls, native or written as text, and its words without reasoning.

A message is a text or a message of a chat API. In text, calls are read in the formats of Hermes and Qwen
(`<tool_call>{json}</tool_call>`), Qwen3-Coder, GLM, MiniMax and DeepSeek (XML), Mistral, gpt-oss, Kimi, Llama (a
message that is one JSON object), Gemma 4, Search-R1 (`<search>…</search>`) and ReAct. Reasoning is never searched.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from worldsmith.errors import UsageError, close_match
from worldsmith.scoring import without_reasoning
from worldsmith.simulate.protocol import Tool

ARGUMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "web_search": ("query", "queries"),
    "web_extractor": ("url", "urls"),
}
"""The argument that a tool needs, and its name where several are given."""
FORM: Final = (
    'A step takes a text, or a message of the assistant: {"role": "assistant", "content": text, a list of parts or '
    'None, "tool_calls": [{"id": …, "function": {"name": …, "arguments": a JSON text or an object}}]}.'
)
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


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A message of the agent, read."""

    content: str
    """As the agent wrote it."""
    words: str
    """Without reasoning."""
    requests: tuple[Request, ...] = ()
    native: Sequence[Mapping[str, Any]] = field(default=())
    """The tool calls of a chat API, as they came."""


def read_message(message: Any) -> AgentMessage:
    """Return what a message asks for. Raises UsageError, which says the form, for what is no message of an agent."""
    if isinstance(message, str):
        content, native = message, []
    else:
        if not isinstance(message, Mapping) and callable(dump := getattr(message, "model_dump", None)):
            message = dump()
        if not isinstance(message, Mapping) or "choices" in message or not message.keys() & _KEYS:
            raise UsageError(f"no message of an agent: {type(message).__name__} {message!r:.80}. {FORM}")
        if message.get("role", "assistant") != "assistant":
            raise UsageError(f"no message of an agent: its role is {message['role']!r}. {FORM}")
        content, native = _content(message.get("content")), _native(message)
    content = _utf8(content)
    words = without_reasoning(content)
    requests = tuple(map(_request_of, native)) if native else tuple(_text_requests(words))
    return AgentMessage(content, words, requests, native)


_KEYS = frozenset({"role", "content", "tool_calls", "function_call"})


def _content(content: Any) -> str:
    """Return the text of a message's content; parts that hold reasoning or no text are left out."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and all(isinstance(part, str | Mapping) for part in content):
        texts = [
            part if isinstance(part, str) else part.get("text") or ""
            for part in content
            if isinstance(part, str) or part.get("type", "text") in {"text", "output_text"}
        ]
        if all(isinstance(text, str) for text in texts):
            return "".join(texts)
    raise UsageError(f"its content is no text: {type(content).__name__} {content!r:.80}. {FORM}")


def _native(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = message.get("tool_calls")
    if calls is None:
        calls = [{"function": one}] if (one := message.get("function_call")) else []
    if isinstance(calls, Sequence) and not isinstance(calls, str):
        calls = [call.model_dump() if callable(getattr(call, "model_dump", None)) else call for call in calls]
        if all(isinstance(call, Mapping) and isinstance(call.get("function", call), Mapping) for call in calls):
            return calls
    raise UsageError(f"its tool_calls are no list of calls: {type(calls).__name__} {calls!r:.80}. {FORM}")


def _utf8(text: str) -> str:
    """Return a text without lone surrogates, which no file of ours can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


# ---- calls written as text

_JSON = r"\s*(?:```\w*\s*)?[\[{]"
_BODY = r"(?P<body>(?s:(?!<tool_call>).)*?)"
_TOOLS = "|".join(ARGUMENTS)
_WRITTEN = re.compile(
    rf"<tool_call>{_BODY}(?:</tool_call>|(?=<tool_call>)|\Z)"
    rf"|<(?P<tag>(?i:tool_?calls?|function_calls?))>(?={_JSON})(?P<boxed>(?s:.*?))(?:</(?P=tag)>|\Z)"
    r"|<function=(?P<function>\w+)>(?P<parameters>(?s:.*?))(?:</function>|\Z)"
    r"|<[\w｜]{0,12}:?invoke name=\"(?P<invoke>\w+)\">(?P<invoked>(?s:.*?))(?:</[\w｜]{0,12}:?invoke>|\Z)"
    r"|<(?P<short>search|access|visit|browse)>(?P<plain>(?s:.*?))(?:</(?P=short)>|\Z)"
    rf"|\[TOOL_CALLS\](?={_JSON})(?P<mistral>(?s:.*?))(?=\[TOOL_CALLS\]|</s>|\Z)"
    r"|\[TOOL_CALLS\]\s*(?P<named>\w+)(?:\[CALL_ID\]\w*)?(?:\[ARGS\])?(?P<args>(?s:.*?))(?=\[TOOL_CALLS\]|</s>|\Z)"
    r"|to=functions\.(?P<channel>\w+?)\s*(?:(?:<\|channel\|>)?commentary)?\s*(?:<\|constrain\|>)?\s*(?:json)?"
    r"\s*(?:<\|message\|>)?\s*(?P<harmony>\{(?s:.*?))(?:<\|call\|>|<\|end\|>|<\|start\|>|\Z)"
    r"|<\|tool_call_begin\|>(?P<kimi>[\w.]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>(?P<kimis>(?s:.*?))"
    r"(?:<\|tool_call_end\|>|\Z)"
    r"|<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?P<deep>\w+)\s*(?:<｜tool▁sep｜>)?(?P<deeps>(?s:.*?))"
    r"(?:<｜tool▁call▁end｜>|\Z)"
    r"|<\|tool_call>call:(?P<gemma>\w+)(?P<gemmas>\{(?s:.*?))(?:<tool_call\|>|\Z)"
    rf"|^[*_ ]{{0,4}}Action:[*_ ]{{0,4}}(?P<react>{_TOOLS})\s*\n[*_ ]{{0,4}}Action Input:[*_ ]{{0,4}}(?P<acts>(?s:.*?))"
    r"(?=^[*_ ]{0,4}Observation|\Z)",
    re.MULTILINE,
)
_NAMED = {
    "function": "parameters", "invoke": "invoked", "named": "args", "channel": "harmony", "kimi": "kimis",
    "deep": "deeps", "gemma": "gemmas", "react": "acts",
}  # fmt: skip
"""Groups of a tool's name, and of its arguments."""
_START = re.compile(r"\A<\|python_tag\|>|<\|(?:eom_id|eot_id|im_end)\|>\Z")
_XML_NAME = re.compile(r"\s*(?:<function=)?(?P<name>[\w.]+)\s*>?\s*(?P<rest>(?s:.*))")
_XML = re.compile(
    r"<arg_key>\s*(?P<key>\w+)\s*</arg_key>\s*<arg_value>(?P<value>(?s:.*?))(?:</arg_value>|(?=<arg_key>)|\Z)"
    r"|<parameter=(?P<parameter>\w+)>(?P<set>(?s:.*?))(?:</parameter>|(?=<parameter=)|(?=</function>)|\Z)"
    r"|<[\w｜]{0,12}:?param(?:eter)? name=\"(?P<named>\w+)\"[^<>]{0,40}>(?P<text>(?s:.*?))(?:</|\Z)"
)


def _text_requests(words: str) -> Iterator[Request]:
    """Yield the calls in a text, in order."""
    marks = [*_WRITTEN.finditer(words)]
    whole = _FENCE.sub("", _START.sub("", words.strip()).strip()).strip()
    if not marks and whole.startswith(("{", "[")):
        try:
            boxed = [*map(_request_of, _listed(decode_json(whole)))]
        except CallError:
            return
        if all(request.name in tuple(ARGUMENTS) for request in boxed):
            yield from boxed
        return
    for mark in marks:
        group = next((name for name in _NAMED if mark[name]), "")
        if group:
            tool, body = mark[group], mark[_NAMED[group]].strip()
            plain = group == "react" and not body.startswith(("{", "`"))
            yield Request(tool, {ARGUMENTS[tool][0]: body} if plain else _pairs(body) or body)
        elif mark["short"]:
            tool = "web_search" if mark["short"] == "search" else "web_extractor"
            yield Request(tool, {ARGUMENTS[tool][0]: mark["plain"].strip()})
        else:
            yield from _tagged_requests(mark["body"] or mark["boxed"] or mark["mistral"] or "")


def _tagged_requests(body: str) -> Iterator[Request]:
    """Yield the calls between the tags of one: JSON, or a name with its arguments in tags."""
    called = _XML_NAME.match(body)
    if pairs := _pairs(body):
        yield Request(called["name"] if called else None, pairs)
    elif called and called["name"] in ARGUMENTS:
        yield Request(called["name"], called["rest"].removesuffix("</function>"))
    else:
        try:
            yield from map(_request_of, _listed(decode_json(body)))
        except CallError as error:
            yield Request(None, None, fault=str(error))


def _pairs(body: str) -> dict[str, str]:
    marks = _XML.finditer(body)
    return {
        m["key"] or m["parameter"] or m["named"]: (m["value"] or m["set"] or m["text"] or "").strip() for m in marks
    }


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) and value else [value]


def _request_of(body: Any) -> Request:
    """Return the call of {"name", "arguments"}, the latter also called parameters, or spread, or of {"function"}."""
    if not isinstance(body, Mapping):
        return Request(None, None)
    call_id = str(body.get("id") or "")
    body = body["function"] if isinstance(body.get("function"), Mapping) else body
    names = ("arguments", "parameters", "args", "input")
    key = next((name for name in names if body.get(name) is not None), None)
    rest = {name: value for name, value in body.items() if name not in {"name", "type", "id", *names}}
    return Request(body.get("name"), rest if key is None else body[key], call_id)


# ---- JSON as models write it

_TOKEN = re.compile(r"\s+|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[\[\]{}:,]|[^\s\[\]{}:,\"']+", re.DOTALL)
_LITERALS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_FENCE = re.compile(r"\A```\w*\s*|```\Z")
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
        bare = _FENCE.sub("", value.strip()).strip().replace('<|"|>', '"')
        try:
            value = json.loads(bare, strict=False)
        except json.JSONDecodeError as error:
            try:
                value = json.loads(_mended(bare), strict=False)
            except (ValueError, RecursionError):
                raise CallError(f"invalid JSON at character {error.pos}: {error.msg}, in {bare[:80]!r}") from None
        except (ValueError, RecursionError):
            raise CallError("invalid JSON: it is nested too deeply, or holds too long a number") from None
    return value


def _mended(text: str) -> str:
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


# ---- what a request asks for


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
        raise CallError(f"the arguments of {tool} are {_shown(value)}, no object. A call is {example_call(tool)}")
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
        raise CallError(f'"{name}" of {tool} is {_shown(value)}, no text. A call is {example_call(tool)}')
    return tuple(_utf8(text[:MAX_CHARS]) for text in values)


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
    raise CallError(f'"{name}" of {tool} is {_shown(value)}; it is a whole number from {least}, or left out')


_ABSENT = frozenset({"", "null", "none"})


def _shown(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)[:80]
    except (TypeError, ValueError, RecursionError):
        return type(value).__name__


def example_call(tool: Tool) -> str:
    """Return a call as text."""
    value = "what to search for" if tool == "web_search" else "an address that web_search gave"
    return f'{{"name": "{tool}", "arguments": {{"{ARGUMENTS[tool][0]}": "{value}"}}}}'
