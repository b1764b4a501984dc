"""What an episode cost, counted from the episode itself, since trainers don't reliably pass the counts."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

# Names in use: web_extractor, extract, visit, open_url, fetch, browse, scrape, access, text_browser_view.
_READER = re.compile(r"extract|visit|open|fetch|brows|scrape|access|read|crawl|view", re.IGNORECASE)
_SEARCH = re.compile(r"search|retriev|query", re.IGNORECASE)
_CALL = re.compile(r"<tool_call>\s*(\{.*?\}|[\w.-]{1,80})|<(search|access|visit)>", re.DOTALL)
_NAME = re.compile(r'"name"\s*:\s*"([^"]{1,80})"')


class EpisodeCounts(NamedTuple):
    """Turns of the agent, its calls of search and of the page reader, and whether it stopped before an answer."""

    turns: int
    search_calls: int
    extract_calls: int
    truncated: bool


def count_episode(episode: str | Sequence[Mapping[str, Any]]) -> EpisodeCounts:
    """Count an episode given as chat messages (role, content, tool_calls) or as text.

    In text a call is `<tool_call>{"name": …}` or `<search>`, `<access>`, `<visit>`, and each call ends a turn. A tool
    that neither searches nor reads pages isn't counted. It is truncated if it doesn't end with text from the agent.
    """
    if isinstance(episode, str):
        names = [_called(call_match) for call_match in _CALL.finditer(episode)]
        return _counts(len(names) + 1, names, truncated=_ends_in_call(episode))
    agent = [message for message in episode if message.get("role") == "assistant"]
    names = [_name_of(call) for message in agent for call in message.get("tool_calls") or ()]
    last = episode[-1] if episode else {}
    ended = last.get("role") == "assistant" and bool(last.get("content")) and not last.get("tool_calls")
    return _counts(len(agent), names, truncated=not ended)


def _ends_in_call(text: str) -> bool:
    """Whether the text ends in a call or its reply, with no text from the agent after it."""
    last = max(text.rfind(mark) for mark in ("<tool_call>", "<search>", "<access>", "<visit>"))
    return last >= 0 and not re.split(r"</[\w ]{1,30}>", text[last:])[-1].strip()


def _counts(turns: int, names: Sequence[str], *, truncated: bool) -> EpisodeCounts:
    searches = sum(bool(_SEARCH.search(name)) for name in names)
    reads = sum(bool(_READER.search(name)) and not _SEARCH.search(name) for name in names)
    return EpisodeCounts(turns, searches, reads, truncated)


def _called(call_match: re.Match[str]) -> str:
    text = call_match[1] or call_match[2]
    name = _NAME.search(text)
    return name[1] if name else text


def _name_of(call: Mapping[str, Any]) -> str:
    function = call.get("function")
    named = function if isinstance(function, Mapping) else call
    return str(named.get("name") or "")
