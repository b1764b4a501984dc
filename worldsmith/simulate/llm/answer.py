"""A language model's text read back: thinking stripped, tags optional, results (as text or JSON) or a page."""

import re
from collections.abc import Iterator
from datetime import date
from json import JSONDecodeError, JSONDecoder
from typing import Any

from worldsmith import scoring
from worldsmith.errors import BackendError
from worldsmith.simulate.markdown_reader import parse_markdown
from worldsmith.simulate.protocol import Call, Draft, Result

LONGEST = 400_000
"""Characters of an answer that are read."""
_THINK = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGGED = re.compile(r"<predicted_observation>(.*?)(?:</predicted_observation>|\Z)", re.DOTALL | re.IGNORECASE)
_MARKER = re.compile(r"\A\s*\**\s*Environment Observation:?\s*\**:?\s*", re.IGNORECASE)
_FENCE = re.compile(r"\A\s*```[\w-]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_RESULT = re.compile(r"^\s*\[?\**(\d{1,3})[\].)]\**\s*(?:URL:\s*)?<?(https?://[^\s<>]+)>?\s*$", re.MULTILINE)
_FIELD = re.compile(r"^\s*\**(Title|Snippet|Date)\**:\**\s*(.*?)\s*$", re.IGNORECASE)
_HTML = re.compile(r"\A\s*(?:<!doctype html|<html)", re.IGNORECASE)


def observation_text(content: str) -> str:
    """Return what an answer says, without thinking, tags, marker or fence.

    Raises:
        BackendError: nothing is left, or it is an HTML page.
    """
    text = content[:LONGEST]
    if "</think>" in text and "<think>" not in text:
        text = text.rpartition("</think>")[2]  # the opening tag was part of the prompt
    text = _THINK.sub("", text)
    tagged = _TAGGED.findall(text)
    text = _MARKER.sub("", tagged[-1] if tagged else text)
    fenced = _FENCE.match(text)
    text = (fenced.group(1) if fenced else text).strip()
    if not text:
        raise BackendError("the model's answer holds no observation")
    if _HTML.match(text):
        raise BackendError("the model's answer is an HTML page")
    return text


def parse_draft(content: str, call: Call) -> Draft:
    """Return the draft that an answer to `call` holds.

    Raises:
        BackendError: it holds none.
    """
    text = observation_text(content)
    if call.tool == "web_extractor":
        return parse_markdown(text, call.arg)
    hits = parse_json_results(text) or parse_results(text)
    if not hits:
        raise BackendError("the model's answer holds no results")
    return hits


def parse_results(text: str) -> tuple[Result, ...]:
    """Return the results of a text in AgentWorld's form: "[1] url", then Title, Snippet, Date lines."""
    heads = list(_RESULT.finditer(text))
    ends = [*(match.start() for match in heads), len(text)][1:]
    return tuple(_result(match.group(2), text[match.end() : end]) for match, end in zip(heads, ends, strict=True))


def parse_json_results(text: str) -> tuple[Result, ...]:
    """Return the results of a JSON text, `{"results": [{"url", "title", "snippet", "date"}]}` or the list alone.

    Of a text that was cut off, those before the cut.
    """
    if not text.startswith(("{", "[")):
        return ()
    hits = []
    for hit in _objects(text):
        url, title, snippet, day = (hit.get(name) for name in ("url", "title", "snippet", "date"))
        if isinstance(url, str) and isinstance(title, str) and isinstance(snippet, str):
            iso_date = _day(day) if isinstance(day, str) else None
            hits.append(Result(url, " ".join(title.split()), " ".join(snippet.split()), iso_date, 0.0))
    return tuple(hits)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of the first list of a JSON text, one by one, as far as they can be read."""
    at = text.find("[") + 1
    decoder = JSONDecoder()
    while at:
        start = text.find("{", at)
        if start < 0 or text[at:start].strip(" ,\n\r\t"):
            return
        try:
            value, at = decoder.raw_decode(text, start)
        except (JSONDecodeError, RecursionError):
            return
        yield value


def _result(url: str, body: str) -> Result:
    fields = {"title": "", "snippet": "", "date": ""}
    name = ""
    for line in body.split("\n"):
        match = _FIELD.match(line)
        if match:
            name = match.group(1).lower()
            fields[name] = match.group(2)
        elif line.strip() and name:
            fields[name] = f"{fields[name]} {line.strip()}".strip()
    return Result(url, fields["title"], fields["snippet"], _day(fields["date"]), 0.0)


def _day(text: str) -> str | None:
    days = [r.point for r in scoring.read(text, "date") if isinstance(r.point, int)]
    return date.fromordinal(days[0]).isoformat() if len(days) == 1 else None
