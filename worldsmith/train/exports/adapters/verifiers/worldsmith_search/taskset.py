"""The tasks: a row of the export each, and what an episode earns, whichever harness played it."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import verifiers.v1 as vf
from pydantic import Field

from worldsmith_search.state import SearchState
from worldsmith_search.worldsmith_kit.episode import SYSTEM, ExportedTask, replayed_figures
from worldsmith_search.worldsmith_kit.episode.rehearsal import table
from worldsmith_search.worldsmith_kit.scoring import score

DATA = Path(__file__).resolve().parent / "data"
CALLS = "search_calls"
"""Where a trace keeps the records of its calls, so that `vf-replay` can score it again."""


class SearchData(vf.TaskData):
    """A row of the export; its gold is in `reference` alone, which neither harness nor tools are given."""

    row: dict[str, Any]


class SearchTask(vf.Task[SearchData, SearchState]):
    """Fill a table by search; paid for what replies disclosed."""

    @property
    def key(self) -> str:
        """The id of the task."""
        return str(self.data.id)

    @property
    def exported(self) -> ExportedTask:
        """The task with its gold."""
        return ExportedTask.from_row(self.data.row)

    async def setup(self, trace: vf.Trace) -> None:
        """Say where this rollout searches."""
        trace.state.base_url, trace.state.session = self.data.row["base_url"], trace.id

    @vf.stop
    def turn_limit(self, trace: vf.Trace) -> bool:
        """Stop after the messages that the task allows."""
        return trace.num_turns >= self.exported.max_turns

    async def finalize(self, trace: vf.Trace) -> None:
        """Keep the records of the calls. Raises TaskError where no server answered: no episode to train on."""
        trace.info[CALLS] = trace.state.calls
        if self._figures(trace)["env_error"]:
            raise vf.TaskError(
                "no server answered: serve the worlds at the base_url of the rows, or set WORLDSMITH_BASE_URL"
            )

    @vf.reward
    async def earned(self, trace: vf.Trace) -> float:
        """The reward, 0 to 1."""
        return self._figures(trace)["score"]

    @vf.metric
    async def figures(self, trace: vf.Trace) -> Mapping[str, float]:
        """Item F1, row F1 and more."""
        return self._figures(trace)

    async def validate(self, runtime: vf.Runtime | None = None) -> bool:
        """Whether the gold table is read as right."""
        task = self.exported
        return score(table(task, task.gold), task.columns, task.gold).item.f1 == 1.0

    def _figures(self, trace: vf.Trace) -> dict[str, float]:
        answered = [call.finish_reason for call in trace.calls if call.error is None]
        messages = list(map(_as_openai, trace.assistant_messages))
        cut = answered[-1:] == ["length"]
        return replayed_figures(self.exported, messages, trace.info.get(CALLS, ()), cut=cut)


def _as_openai(message: vf.AssistantMessage) -> dict[str, Any]:
    calls = [
        {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.tool_calls or ()
    ]
    return {"role": "assistant", "content": message.content, "tool_calls": calls}


class SearchConfig(vf.TasksetConfig):
    """Which tasks are played, and where MCP tools run for harnesses that need them."""

    split: Literal["train", "test"] = "train"
    data: Path = DATA
    """A folder with train.jsonl and test.jsonl: this export's, or `worldsmith_search/data` of another."""
    tools: vf.SharedToolsetConfig = Field(default_factory=vf.SharedToolsetConfig)


class SearchTaskset(vf.Taskset[SearchTask, SearchConfig]):
    """The tasks of a split, read as they are asked for."""

    def load(self) -> Iterator[SearchTask]:
        """Yield the tasks."""
        with (self.config.data / f"{self.config.split}.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                data = SearchData(id=row["task_id"], prompt=row["question"], system_prompt=SYSTEM, row=row)
                yield SearchTask(data, self.config.task)

    @classmethod
    def toolsets(cls, config: SearchConfig) -> list[vf.Toolset]:
        """The tools as an MCP server, for other harnesses than ours."""
        from worldsmith_search.servers.web import WebTools  # noqa: PLC0415 - it runs as a program of its own

        return [WebTools(config.tools)]


__all__ = ["SearchConfig", "SearchData", "SearchTask", "SearchTaskset"]
