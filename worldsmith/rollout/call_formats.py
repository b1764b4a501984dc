"""How a model is told of the tools, writes its calls and gets the replies.

Calls are read from messages by `train.agent_messages`, whatever the format: a model may write another one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from worldsmith.errors import NotFoundError, close_match
from worldsmith.tasks import Task
from worldsmith.train.environment import MAX_CALLS, SYSTEM, TOOLS, Step, prompt

Message = Mapping[str, Any]

CLOSED_BOOK: Final = (
    "You answer questions from what you know: there is nothing to search with. Reply with the table alone; leave a "
    "cell empty where you don't know."
)
"""The first message where an agent has no tools."""
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


class CallFormat(Protocol):
    """A form of calls and replies."""

    @property
    def tools(self) -> Sequence[Message]:
        """What a request names as `tools`."""
        ...

    @property
    def stop(self) -> Sequence[str]:
        """Where a reply ends at the latest."""
        ...

    def prompt(self, task: Task) -> list[dict[str, Any]]:
        """Return the messages an agent starts from."""
        ...

    def replies(self, step: Step) -> list[dict[str, Any]]:
        """Return the messages to append after a step."""
        ...


@dataclass(frozen=True, slots=True)
class NativeCalls:
    """Tool calls of the chat API."""

    tools: Sequence[Message] = TOOLS
    stop: Sequence[str] = ()

    def prompt(self, task: Task) -> list[dict[str, Any]]:
        """Return the messages an agent starts from."""
        return [*prompt(task)]

    def replies(self, step: Step) -> list[dict[str, Any]]:
        """Return one message per call; one in all where the model wrote calls as text, which have no ids to name."""
        if all("tool_call_id" in message for message in step.messages):
            return [dict(message) for message in step.messages]
        return HERMES.replies(step)


@dataclass(frozen=True, slots=True)
class WrittenCalls:
    """Calls in the text of messages; `reply` is the form of one reply, `form` what the first message says of calls.

    Without a form it is that of `prompt(…, tools_in_text=True)`.
    """

    reply: str
    form: str = ""
    tools: Sequence[Message] = ()
    stop: Sequence[str] = ()

    def prompt(self, task: Task) -> list[dict[str, Any]]:
        """Return the messages an agent starts from."""
        if not self.form:
            return [*prompt(task, tools_in_text=True)]
        form = self.form.format(tools="\n".join(json.dumps(tool) for tool in TOOLS), calls=MAX_CALLS)
        return [{"role": "system", "content": SYSTEM + form}, {"role": "user", "content": task.question}]

    def replies(self, step: Step) -> list[dict[str, Any]]:
        """Return all replies as one message of the user, since a template may know no other role."""
        content = "\n".join(self.reply.format(text=message["content"]) for message in step.messages)
        return [{"role": "user", "content": content}]


@dataclass(frozen=True, slots=True)
class NoCalls:
    """No tools at all: what a model knows, or remembers."""

    tools: Sequence[Message] = ()
    stop: Sequence[str] = ()

    def prompt(self, task: Task) -> list[dict[str, Any]]:
        """Return the messages an agent starts from."""
        return [{"role": "system", "content": CLOSED_BOOK}, {"role": "user", "content": task.question}]

    def replies(self, step: Step) -> list[dict[str, Any]]:  # noqa: ARG002 - of the protocol
        """Return nothing: nothing is replied."""
        return []


HERMES: Final = WrittenCalls("<tool_response>\n{text}\n</tool_response>")
FORMATS: Final[Mapping[str, CallFormat]] = {
    "native": NativeCalls(),
    "hermes": HERMES,
    "react": WrittenCalls("Observation: {text}", REACT, stop=("\nObservation:",)),
    "text": WrittenCalls("Reply:\n{text}", TEXT),
}
"""By name."""


def call_format(name: str) -> CallFormat:
    """Return a format by name; NotFoundError with a close match for an unknown one."""
    if name not in FORMATS:
        raise NotFoundError(f"no format of calls is called {name!r}.{close_match(name, FORMATS)}")
    return FORMATS[name]
