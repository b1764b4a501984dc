"""Call formats: how a model is told about the tools, writes its calls and gets the replies.

Calls are read from messages by `episode.agent_messages`, whatever the format: a model may write another one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from worldsmith.episode.episode import Step
from worldsmith.episode.tools import CALL_FORM, MAX_CALLS, SYSTEM, TOOLS
from worldsmith.errors import NotFoundError, close_match
from worldsmith.tasks import Task

Message = Mapping[str, Any]

REACT: Final = """

You may use these tools:
{tools}

Write in this form, and then wait:
Thought: what you need next
Action: web_search
Action Input: {{"query": "…"}}

The reply follows as Observation. Once you have everything, write
Final Answer:
and the table."""
TEXT: Final = """

You may use these tools:
{tools}

To use one, write
```json
{{"name": "web_search", "arguments": {{"query": "…"}}}}
```
and wait for its reply; of several such blocks in one message the first {calls} are answered. A message without one is \
taken for your answer."""


@dataclass(frozen=True, slots=True)
class CallFormat:
    """A form of calls and replies."""

    instructions: str
    """The system message."""
    reply: str = "<tool_response>\n{text}\n</tool_response>"
    """The form of one reply where calls are text."""
    tools: Sequence[Message] = ()
    """The `tools` of requests; empty where calls are text."""
    stop: Sequence[str] = ()
    """The stop strings of requests."""
    single_turn: bool = False
    """Whether the first message is the answer."""

    def prompt(self, task: Task) -> list[dict[str, Any]]:
        """Return the messages an agent starts from."""
        return [{"role": "system", "content": self.instructions}, {"role": "user", "content": task.question}]

    def replies(self, step: Step) -> list[dict[str, Any]]:
        """Return the messages to append after a step: one per native call, or a single one for calls in text.

        Calls in text have no ids to reply to, and a chat template may know no role but the user's.
        """
        if self.tools and all("tool_call_id" in message for message in step.messages):
            return [dict(message) for message in step.messages]
        content = "\n".join(self.reply.format(text=message["content"]) for message in step.messages)
        return [{"role": "user", "content": content}]


def _instructions(form: str) -> str:
    return SYSTEM + form.format(tools="\n".join(json.dumps(tool) for tool in TOOLS), calls=MAX_CALLS)


CLOSED_BOOK: Final = CallFormat(
    "You answer questions from what you know: there is nothing to search with. Reply with the table alone; leave a "
    "cell empty where you don't know.",
    single_turn=True,
)
"""No tools at all: what a model knows, or remembers."""
FORMATS: Final[Mapping[str, CallFormat]] = {
    "native": CallFormat(SYSTEM, tools=TOOLS),
    "hermes": CallFormat(_instructions(CALL_FORM)),
    "react": CallFormat(_instructions(REACT), "Observation: {text}", stop=("\nObservation:",)),
    "text": CallFormat(_instructions(TEXT), "Reply:\n{text}"),
}
"""Formats with tools, by name."""


def call_format(name: str) -> CallFormat:
    """Return a format by name; NotFoundError with a close match for an unknown one."""
    if name not in FORMATS:
        raise NotFoundError(f"no call format {name!r}.{close_match(name, FORMATS)}")
    return FORMATS[name]
