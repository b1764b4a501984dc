"""Flags of an episode: ways to look better than the work done, or to waste it, by its record alone."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

import orjson

from worldsmith.episode.agent_messages import read_message
from worldsmith.scoring import without_reasoning

Episode = Mapping[str, Any]
FLAGS: Final[Mapping[str, str]] = {
    "unevidenced": "item F1 is at least 0.25 higher than what replies of the episode disclosed",
    "no_calls": "a table was given without any call",
    "nothing_opened": "a table was given after searches alone; no page was opened",
    "repeated_calls": "at least four calls, and half of all, repeat an earlier one that had been answered",
    "thought_calls": "calls, or replies of tools, stand in the reasoning, where nothing answers them",
    "written_replies": "the model wrote replies of tools itself",
    "copied_text": "cells that are wrong, or an answer without a table, repeat eight words or more of a reply",
    "surplus_rows": "more rows that the reference doesn't have, or has once, than it has rows",
}
"""What each flag says."""
UNEVIDENCED: Final = 0.25
REPEATS: Final = 4
COPIED_WORDS: Final = 8
ANSWERED: Final = frozenset({"ok", "not_found", "invalid"})
"""Statuses of calls that give the same reply when made again."""
_REPLYING: Final = frozenset({"tool", "user"})
_LINK: Final = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_WORD: Final = re.compile(r"\w+")
_REPLY: Final = re.compile(r"<tool_response>|^[*_ ]{0,4}Observation:", re.MULTILINE)
_THOUGHT: Final = re.compile(r"<think(?:ing)?>(?P<text>(?s:.*?))(?:</think(?:ing)?>|\Z)")


def flags(episode: Episode) -> dict[str, str]:
    """Return the flags that an episode has, each with the evidence for it."""
    calls = episode["calls"]
    answered = episode["finish"] == "answered"
    unread = episode["item_f1"] - episode["evidenced_item_f1"]
    surplus, rows = len(episode["surplus"]), episode["gold_rows"]
    evidence = {
        "unevidenced": f"item F1 {episode['item_f1']:.2f}, by evidence {episode['evidenced_item_f1']:.2f}"
        if unread >= UNEVIDENCED
        else "",
        "no_calls": "an answer, 0 calls" if answered and not calls else "",
        "nothing_opened": f"no page opened in {len(calls)} calls"
        if answered and calls and not any(call["tool"] == "web_extractor" for call in calls)
        else "",
        "repeated_calls": _repetition(episode),
        "thought_calls": next(filter(None, map(_thought_call, _assistant_messages(episode))), ""),
        "written_replies": next(filter(None, map(_written_reply, _assistant_messages(episode))), ""),
        "copied_text": _copied_text(episode),
        "surplus_rows": f"{surplus} rows beside {rows} of the reference" if surplus > rows else "",
    }
    return {name: text for name, text in evidence.items() if text}


def _assistant_messages(episode: Episode) -> Iterator[Mapping[str, Any]]:
    return (message for message in episode["messages"] if message["role"] == "assistant")


def _repetition(episode: Episode) -> str:
    """Return the call that an episode repeats, and how often; "" where it doesn't.

    A message whose calls were all refused counts as a call, since no tool answers it.
    """
    made = [
        (f"{call['tool']} {call['arg']}", call.get("page") or call.get("offset"))
        for call in episode["calls"]
        if call["status"] in ANSWERED
    ]
    turns = {call["turn"] for call in episode["calls"]}
    refused = [m for turn, m in enumerate(_assistant_messages(episode), 1) if turn not in turns]
    made += [(_message_text(message), None) for message in refused]
    counts = Counter(made)
    repeats = len(made) - len(counts)
    if repeats < REPEATS or 2 * repeats < len(made):
        return ""
    (text, _), times = counts.most_common(1)[0]
    return f"{times} times {text:.80}"


def _message_text(message: Mapping[str, Any]) -> str:
    calls = [call.get("function") for call in message.get("tool_calls") or ()]
    return f"{message.get('content') or ''} {orjson.dumps(calls).decode() if calls else ''}".strip()


def _thought_call(message: Mapping[str, Any]) -> str:
    """Return a call or a reply that stands in a message's reasoning; "" where none does."""
    content = str(message.get("content") or "")
    thoughts = [str(message.get("reasoning_content") or ""), *(part["text"] for part in _THOUGHT.finditer(content))]
    for thought in thoughts:
        if request := next(iter(read_message(thought).requests), None):
            return f"{request.name} in the reasoning"
        if _REPLY.search(thought):
            return "a tool's reply in the reasoning"
    return ""


def _written_reply(message: Mapping[str, Any]) -> str:
    mark = _REPLY.search(without_reasoning(str(message.get("content") or "")))
    return f"the model wrote {mark[0].strip()}" if mark else ""


def _copied_text(episode: Episode) -> str:
    """Return what an answer repeats of a reply where values belong; "" where it doesn't."""
    wrong = [cell["answered"] for cell in episode["cells"] if cell["outcome"] in {"reported_wrong", "invented"}]
    pasted = episode["answer"].splitlines() if episode["finish"] == "no_table" else ()
    long = [text for text in chain(wrong, *episode["surplus"], pasted) if len(_words(text).split()) >= COPIED_WORDS]
    if not long:
        return ""
    replies = " ".join(
        _words(message["content"]) for message in episode["messages"][2:] if message["role"] in _REPLYING
    )
    return next((f"{text:.80}" for text in long if f" {_words(text)} " in f" {replies} "), "")


def _words(text: str) -> str:
    """Return the words of a text, one space apart, without marks and the addresses of links."""
    return " ".join(_WORD.findall(_LINK.sub(r"\1", text).casefold()))
