"""Records of calls, for frameworks that call tools by themselves and score the transcript afterwards.

The calls go through `RecordingTools`, or one by one through `answer_call`; `replayed_figures` then plays the messages
again over the records, so that turns, limits, evidence and reward are an `Episode`'s.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..scoring import Evidence
from .call import Call
from .episode import Episode, Reply, SearchTools
from .exported_task import ExportedTask, figures

Record = dict[str, Any]
"""A call, its attempt and what its reply disclosed, as JSON."""


@dataclass(slots=True)
class RecordingTools:
    """Tools that append a record of each call; attempts go on from what the records hold."""

    tools: SearchTools
    records: list[Record]

    def call(self, call: Call, attempt: int = 0) -> Reply:
        """Answer a call and record it."""
        record = self._begun(call, attempt)
        return _recorded(record, self.tools.call(call, record["attempt"]))

    async def acall(self, call: Call, attempt: int = 0) -> Reply:
        """Answer a call and record it, while others wait."""
        record = self._begun(call, attempt)
        return _recorded(record, await self.tools.acall(call, record["attempt"]))

    def _begun(self, call: Call, attempt: int) -> Record:
        """Return the record of a call that has no reply yet: an equal call made meanwhile counts it."""
        named = asdict(call)
        made = sum(record["call"] == named for record in self.records)
        record = {"call": named, "attempt": max(attempt, made), **NO_REPLY}
        self.records.append(record)
        return record


NO_REPLY: Mapping[str, Any] = {"text": "", "disclosed": [], "opened": False, "fault": False, "unavailable": True}
"""Fields of a record whose call was never answered."""


def _recorded(record: Record, reply: Reply) -> Reply:
    disclosed = None if reply.disclosed is None else [*reply.disclosed]
    record["text"] = reply.text if disclosed is None else ""  # of other replies nothing is read again
    record["disclosed"] = disclosed
    for name in ("opened", "fault", "unavailable"):
        record[name] = getattr(reply, name)
    return reply


class RecordedTools:
    """Tools that answer from records; a call that was never made discloses nothing."""

    def __init__(self, records: Sequence[Record]) -> None:
        """Read the records."""
        self._replies = {
            (Call(**record["call"]), record["attempt"]): Reply(
                **{name: record[name] for name in ("text", "disclosed", "opened", "fault", "unavailable")}
            )
            for record in records
        }

    def call(self, call: Call, attempt: int) -> Reply:
        """Return the recorded reply."""
        return self._replies.get((call, attempt), Reply(""))

    async def acall(self, call: Call, attempt: int) -> Reply:
        """Return the recorded reply."""
        return self.call(call, attempt)


async def answer_call(tools: SearchTools, name: str, arguments: Mapping[str, Any]) -> str:
    """Return the reply to one call, as an episode gives it: for one that can't be read, the error that says the fix."""
    call = {"function": {"name": name, "arguments": arguments}}
    step = await Episode(_UNSCORED, tools, max_turns=2).astep({"role": "assistant", "tool_calls": [call]})
    return step.observation


_UNSCORED = ExportedTask("", "", (), (), Evidence(()), "", max_turns=2, budget=None)


def replayed_figures(
    task: ExportedTask, messages: Sequence[Mapping[str, Any]], records: Sequence[Record], *, cut: bool = False
) -> dict[str, float]:
    """Return the figures of an episode from its transcript.

    Args:
        task: what was asked.
        messages: those of the agent, in OpenAI's form; where none of them ends the episode, it was cut off after them.
        records: of its calls.
        cut: whether the last message breaks off, as at a limit of tokens.

    Raises UsageError for what is no message of an agent.
    """
    episode = Episode(task, RecordedTools(records), task.max_turns, task.budget)
    for number, message in enumerate(messages, 1):
        step = episode.cut(message) if cut and number == len(messages) else episode.step(message)
        if step.done:
            return figures(step, episode)
    return figures(episode.cut(), episode)


__all__ = ["Record", "RecordedTools", "RecordingTools", "answer_call", "replayed_figures"]
