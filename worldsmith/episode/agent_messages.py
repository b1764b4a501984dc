"""The tool calls of an agent's message, native or written as text, and its text without reasoning.

A message is a text or a message of a chat API. In text, calls are read in the formats of Hermes and Qwen
(`<tool_call>{json}</tool_call>`), Qwen3-Coder, GLM, MiniMax and DeepSeek (XML), Mistral, gpt-oss, Kimi, Llama (a
message that is one JSON object), Gemma 4, Search-R1 (`<search>…</search>`), ReAct, and fenced JSON that names a tool.
Reasoning is never searched.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..errors import UsageError
from ..scoring import without_reasoning
from .tool_arguments import ARGUMENTS, FENCE, CallError, Request, decode_json, without_surrogates

FORM: Final = (
    'A step takes a text, or a message of the assistant: {"role": "assistant", "content": text, a list of parts or '
    'None, "tool_calls": [{"id": …, "function": {"name": …, "arguments": a JSON text or an object}}]}.'
)


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A message of the agent, read."""

    content: str
    """As the agent wrote it."""
    answer_text: str
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
        content, native = content_text(message.get("content")), native_calls(message)
    content = without_surrogates(content)
    answer_text = without_reasoning(content)
    requests = tuple(map(_request_of, native)) if native else tuple(_text_requests(answer_text))
    return AgentMessage(content, answer_text, requests, native)


_KEYS = frozenset({"role", "content", "tool_calls", "function_call"})


def content_text(content: Any) -> str:
    """Return the text of a message's content; parts that hold reasoning or no text are left out."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and all(isinstance(part, str | Mapping) for part in content):
        texts = [
            part if isinstance(part, str) else part.get("text") or ""
            for part in content
            if isinstance(part, str) or part.get("type", "text") in ("text", "output_text")
        ]
        if all(isinstance(text, str) for text in texts):
            return "".join(texts)
    raise UsageError(f"its content is no text: {type(content).__name__} {content!r:.80}. {FORM}")


def native_calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the calls that a message of a chat API names. Raises UsageError for what is no list of calls."""
    calls = message.get("tool_calls")
    if calls is None:
        calls = [{"function": one}] if (one := message.get("function_call")) else []
    if isinstance(calls, Sequence) and not isinstance(calls, str):
        calls = [call.model_dump() if callable(getattr(call, "model_dump", None)) else call for call in calls]
        if all(isinstance(call, Mapping) and isinstance(call.get("function", call), Mapping) for call in calls):
            return calls
    raise UsageError(f"its tool_calls are no list of calls: {type(calls).__name__} {calls!r:.80}. {FORM}")


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
_LANGUAGE = re.compile(r"\A\w*")
_NAMES_TOOL = re.compile(rf"""\A\{{\s*["']?\w+["']?\s*:\s*["'](?:{_TOOLS})["']""")
_XML_NAME = re.compile(r"\s*(?:<function=)?(?P<name>[\w.]+)\s*>?\s*(?P<rest>(?s:.*))")
_XML = re.compile(
    r"<arg_key>\s*(?P<key>\w+)\s*</arg_key>\s*<arg_value>(?P<value>(?s:.*?))(?:</arg_value>|(?=<arg_key>)|\Z)"
    r"|<parameter=(?P<parameter>\w+)>(?P<set>(?s:.*?))(?:</parameter>|(?=<parameter=)|(?=</function>)|\Z)"
    r"|<[\w｜]{0,12}:?param(?:eter)? name=\"(?P<named>\w+)\"[^<>]{0,40}>(?P<text>(?s:.*?))(?:</|\Z)"
)


def _text_requests(text: str) -> Iterator[Request]:
    """Yield the calls in a text, in order."""
    marks = [*_WRITTEN.finditer(text)]
    whole = FENCE.sub("", _START.sub("", text.strip()).strip()).strip()
    if not marks and whole.startswith(("{", "[")):
        try:
            boxed = [*map(_request_of, _as_list(decode_json(whole)))]
        except CallError:  # several fenced blocks, maybe
            boxed = []
        if boxed and all(request.name in tuple(ARGUMENTS) for request in boxed):
            yield from boxed
            return
    if not marks:
        yield from _fenced_requests(text)
    for mark in marks:
        group = next((name for name in _NAMED if mark[name]), "")
        if group:
            tool, body = mark[group], mark[_NAMED[group]].strip()
            plain = group == "react" and not body.startswith(("{", "`"))
            yield Request(tool, {ARGUMENTS[tool][0]: body} if plain else _tagged_arguments(body) or body)
        elif mark["short"]:
            tool = "web_search" if mark["short"] == "search" else "web_extractor"
            yield Request(tool, {ARGUMENTS[tool][0]: mark["plain"].strip()})
        else:
            yield from _tagged_requests(mark["body"] or mark["boxed"] or mark["mistral"] or "")


def _fenced_requests(text: str) -> Iterator[Request]:
    """Yield the calls in the fenced blocks of a text: JSON objects that name a tool."""
    for block in text.split("```")[1::2]:
        body = _LANGUAGE.sub("", block, count=1).strip()
        if not body.startswith("{") or not _NAMES_TOOL.search(body):
            continue
        try:
            request = _request_of(decode_json(body))
        except CallError as error:
            request = Request(None, None, fault=str(error))
        if request.fault or request.name in tuple(ARGUMENTS):
            yield request


def _tagged_requests(body: str) -> Iterator[Request]:
    """Yield the calls between the tags of one: JSON, or a name with its arguments in tags."""
    called = _XML_NAME.match(body)
    if pairs := _tagged_arguments(body):
        yield Request(called["name"] if called else None, pairs)
    elif called and called["name"] in ARGUMENTS:
        yield Request(called["name"], called["rest"].removesuffix("</function>"))
    else:
        try:
            yield from map(_request_of, _as_list(decode_json(body)))
        except CallError as error:
            yield Request(None, None, fault=str(error))


def _tagged_arguments(body: str) -> dict[str, str]:
    marks = _XML.finditer(body)
    return {
        m["key"] or m["parameter"] or m["named"]: (m["value"] or m["set"] or m["text"] or "").strip() for m in marks
    }


def _as_list(value: Any) -> list[Any]:
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
