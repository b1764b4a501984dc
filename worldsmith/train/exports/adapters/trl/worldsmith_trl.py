"""Tasks of worldsmith for TRL's GRPOTrainer: an environment, whose methods are the tools, and a reward.

Pass `environment_factory=WideSearch` and `reward_funcs=score_rewards(config.max_completion_length)`.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from worldsmith_kit.episode import Episode, ExportedTask, Step, figures, read_message

Message = Mapping[str, Any]
REFUSED: Message = {"role": "assistant", "tool_calls": [{"function": {"name": "a tool that TRL refused"}}]}
"""Stands for a message whose calls TRL answered itself, with an error: it counts as a turn."""


def _tool(method: Callable[..., str]) -> Callable[..., Coroutine[Any, Any, str]]:
    """Return a method that answers a call with whatever arguments; TRL makes its schema from the one declared."""

    @functools.wraps(method)
    async def tool(self: "WideSearch", /, **arguments: Any) -> str:
        return await self._reply(method.__name__, arguments)

    return tool


class WideSearch:
    """One rollout. Instances are used again: `reset` begins the next one."""

    def reset(self, **row: Any) -> None:
        """Begin the task of a row."""
        self._episode: Episode = ExportedTask.from_row(row).episode()
        self._episode.reset()
        self._step = Step("", done=False)
        self._calls: list[dict[str, Any]] = []
        self._message: asyncio.Future[dict[str, str]] | None = None

    @_tool
    def web_search(self, query: str, page: int = 1) -> str:  # type: ignore[empty-body]
        """Search the web. Returns results with url, title, snippet and date.

        Args:
            query: What to search for.
            page: Page of results, from 1.
        """

    @_tool
    def web_extractor(self, url: str, offset: int = 0) -> str:  # type: ignore[empty-body]
        """Read a web page as Markdown.

        Args:
            url: Address of the page.
            offset: Character to start from, for the rest of a long page.
        """

    async def _reply(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Answer a call, as one of its message: TRL starts all calls of a message before it awaits the first."""
        if self._message is None:
            self._message = asyncio.ensure_future(self._send())
        message, call_id = self._message, str(len(self._calls))
        self._calls.append({"id": call_id, "function": {"name": tool, "arguments": arguments}})
        ended = f"Error: all {self._episode.max_turns} turns are used up: the episode has ended"
        return (await message).get(call_id, ended)

    async def _send(self) -> dict[str, str]:
        """Make a step of the calls that have been started, and return their replies by id."""
        calls, self._calls, self._message = self._calls, [], None
        if self._step.done:
            return {}
        self._step = await self._episode.astep({"role": "assistant", "content": "", "tool_calls": calls})
        return {message["tool_call_id"]: message["content"] for message in self._step.messages}

    def _figures(self, completion: Sequence[Message], *, cut: bool) -> dict[str, float]:
        """End the episode with what the model wrote last and return what it is worth.

        Args:
            completion: the messages of the rollout, those of tools included.
            cut: whether it reached the limit of tokens.
        """
        replied = sum(
            message["role"] == "assistant" and reply["role"] == "tool" for message, reply in pairwise(completion)
        )
        for _ in range(replied - self._episode.turns):
            if not self._step.done:
                self._step = self._episode.step(REFUSED)
        if not self._step.done:
            last = completion[-1]
            if last["role"] == "tool" or last.get("tool_calls"):  # no room for another message, or for the replies
                self._step = self._episode.cut()
            elif cut or read_message(last).requests:  # a call that TRL couldn't read ends its rollout
                self._step = self._episode.cut(last)
            else:
                self._step = self._episode.step(last)
        return figures(self._step, self._episode)


def score_rewards(max_completion_length: int) -> Callable[..., list[float | None]]:
    """Return the reward function `score`, 0 to 1; None, which TRL leaves out, where no server answered a rollout.

    It logs all figures, as means. `max_completion_length` is the trainer's: rollouts that reach it were cut.
    """

    def score(
        environments: Sequence[WideSearch],
        completions: Sequence[Sequence[Message]],
        completion_ids: Sequence[Sequence[int]],
        log_metric: Callable[[str, float], None],
        **_columns: Any,
    ) -> list[float | None]:
        ended = [
            environment._figures(completion, cut=len(ids) >= max_completion_length)  # noqa: SLF001 - a tool otherwise
            for environment, completion, ids in zip(environments, completions, completion_ids, strict=True)
        ]
        for name in ended[0]:
            log_metric(f"worldsmith/{name}", fmean(each[name] for each in ended))
        return [None if each["env_error"] else each["score"] for each in ended]

    return score
