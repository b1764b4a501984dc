"""Episodes of a main agent and its sub-agents, as in WideSeek-R1: `rollout(row, complete)`; needs Python alone.

The main agent has the tool create_sub_agents; its sub-agents, at most ten at a time and all at once, have search and
access. They share a session, so a page that fails once has failed for all, and what any of them read is evidence for
the table of the main agent. Calls are read natively and in text.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

from worldsmith_kit.episode import Episode, ExportedTask, RecordingTools, figures, read_message

Message = Mapping[str, Any]
Complete = Callable[[Sequence[Message], Sequence[Message]], Message]
"""(messages so far, tools) to the next message, in OpenAI's form; asked by several threads at once."""
MAIN_TURNS, SUB_TURNS = 10, 20
"""Messages of the main agent, and of each sub-agent, at most; as WideSeek-R1 is configured."""
SUB_AGENTS = 10
"""Sub-agents of one message; what more it names is not answered."""
THREADS = 64
"""Sub-agents of all episodes of a process that work at a time."""
MAIN_SYSTEM = (
    "You answer questions that need much research on the web. Split the work into independent parts and give them to "
    "sub-agents by create_sub_agents; they search and read at the same time, know nothing of each other or of what you "
    "know, and reply in text. When you know everything, reply with the table alone."
)
SUB_SYSTEM = (
    "You do a part of a research on the web. Use search to find pages and access to read them; search results show "
    "only a part of what pages say. Reply with all that you were asked for, and nothing else."
)


def _tool(name: str, description: str, listed: str, properties: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """Return the schema of a tool that takes a list of objects; the first of their properties is required."""
    fields = {field: {"type": kind, "description": text} for field, (kind, text) in properties.items()}
    item = {"type": "object", "properties": fields, "required": [next(iter(fields))]}
    parameters = {"type": "object", "properties": {listed: {"type": "array", "items": item}}, "required": [listed]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


MAIN_TOOLS = (
    _tool(
        "create_sub_agents",
        "Create sub-agents that work at the same time, ten at most, and wait for their replies.",
        "sub_agents",
        {"prompt": ("string", "All that the sub-agent needs to know of its part.")},
    ),
)
SUB_TOOLS = (
    _tool(
        "search",
        "Search the web. Returns results with url, title, snippet and date.",
        "queries",
        {"query": ("string", "What to search for."), "page": ("integer", "Page of results, from 1.")},
    ),
    _tool(
        "access",
        "Read web pages as Markdown.",
        "urls",
        {
            "url": ("string", "Address of the page."),
            "info_to_extract": ("string", "What to look for on it."),
            "offset": ("integer", "Character to start from, for the rest of a long page."),
        },
    ),
)
_KIT_TOOLS = {
    "search": ("web_search", "queries", "query", "page"),
    "access": ("web_extractor", "urls", "url", "offset"),
}
"""By tool of a sub-agent: the kit's, the list that it takes, and what is read of an item of it."""


def rollout(row: Mapping[str, Any], complete: Complete, *, session: str = "") -> dict[str, Any]:
    """Play the task of a row; figures["score"] is the reward of every message, the sub-agents' too.

    Returns {"task_id", "messages", "sub_agents": the messages of each, "figures"}. Raises UsageError where `complete`
    returns no message of an assistant, and what it raises itself.
    """
    task = ExportedTask.from_row(row)
    main = replace(task, max_turns=MAIN_TURNS).episode(session=session)
    main.tools = RecordingTools(main.tools, [])
    main.reset()
    messages: list[Message] = [
        {"role": "system", "content": MAIN_SYSTEM},
        {"role": "user", "content": task.question},
    ]
    sub_agents: list[list[Message]] = []
    while True:
        message = complete(messages, MAIN_TOOLS)
        read = read_message(message)
        named = [request for request in read.requests if request.name == "create_sub_agents"]
        if not named or main.turns + 1 >= MAIN_TURNS:
            step = main.step(message)  # the answer, a tool that it doesn't have, or its last turn
            messages += [message, *step.messages]
            if step.done:
                result = {"task_id": task.task_id, "messages": messages, "sub_agents": sub_agents}
                return {**result, "figures": figures(step, main)}
            continue
        main.turns += 1
        messages.append(message)
        left = SUB_AGENTS
        for request in read.requests:
            prompts = _prompts(request.arguments)[:left] if request in named else []
            left -= len(prompts)
            if prompts:
                played = [*_threads().map(lambda prompt: _sub_agent(prompt, task, main, complete), prompts)]
                sub_agents += played
                replies = [f"[sub-agent {i}]\n{_answer(one)}" for i, one in enumerate(played, 1)]
                content = "\n\n".join(replies)
            else:
                content = 'Error: create_sub_agents needs "sub_agents", a list of {"prompt": text}, ten at most'
            messages.append({"role": "tool", "content": content, "name": str(request.name), "tool_call_id": request.id})


@cache
def _threads() -> ThreadPoolExecutor:
    """Return the threads of all sub-agents; they last, and so do their connections to the server."""
    return ThreadPoolExecutor(THREADS, "sub-agent")


def _prompts(arguments: Any) -> list[str]:
    """Return the prompts of a call; none where it can't be read."""
    items = _decoded(arguments).get("sub_agents")
    prompts = [item.get("prompt") if isinstance(item, Mapping) else item for item in items or ()]
    return [prompt for prompt in prompts if isinstance(prompt, str) and prompt.strip()]


def _decoded(arguments: Any) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments, strict=False)
        except (ValueError, RecursionError):
            return {}
    return arguments if isinstance(arguments, Mapping) else {}


def _answer(messages: Sequence[Message]) -> str:
    """Return what a sub-agent replied: nothing where its turns ran out."""
    read = read_message(messages[-1]) if messages[-1]["role"] == "assistant" else None
    return "did not finish" if read is None or read.requests else read.answer_text.strip() or "no answer"


def _sub_agent(prompt: str, task: ExportedTask, main: Episode, complete: Complete) -> list[Message]:
    """Return the messages of a sub-agent, whose calls are calls of the main agent's episode."""

    def on_reply(call: Any, _attempt: int, reply: Any) -> None:
        main.calls.append(call)
        main.replies.append(reply)

    episode = Episode(task, main.tools, SUB_TURNS, on_reply=on_reply)
    episode.reset()
    messages: list[Message] = [{"role": "system", "content": SUB_SYSTEM}, {"role": "user", "content": prompt}]
    while True:
        message = complete(messages, SUB_TOOLS)
        messages.append(message)
        read = read_message(message)
        calls = [_kit_calls(request) for request in read.requests]
        made = [call for some in calls for call in some]
        native = {"role": "assistant", "content": read.content} | ({"tool_calls": made} if made else {})
        step = episode.step(native)
        if step.done:
            return messages
        left = iter(step.messages)
        for request, some in zip(read.requests, calls, strict=True):
            content = "\n\n".join(str(next(left)["content"]) for _ in some)
            messages.append({"role": "tool", "content": content, "name": str(request.name), "tool_call_id": request.id})


def _kit_calls(request: Any) -> list[dict[str, Any]]:
    """Return the calls of the kit's tools that a call of a sub-agent asks for, at least one, which may be wrong."""
    tool, listed, text, number = _KIT_TOOLS.get(request.name, (request.name, "", "", ""))
    items = _decoded(request.arguments).get(listed)
    arguments = [request.arguments]
    if isinstance(items, list) and items:
        objects = [item if isinstance(item, Mapping) else {text: item} for item in items]
        arguments = [{name: one[name] for name in (text, number) if name in one} for one in objects]
    return [{"id": f"part{i}", "function": {"name": tool, "arguments": one}} for i, one in enumerate(arguments)]
