"""Search an invented web and fill a table, for Inspect: `inspect eval tasks.py --model NAME`."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, tool
from inspect_ai.util import StoreModel, store_as
from pydantic import Field
from worldsmith_kit.episode import ExportedTask, RecordingTools, answer_call, open_tools, replayed_figures

HERE = Path(__file__).resolve().parent
LENGTH = ("max_tokens", "model_length")
"""Stop reasons of a message that was cut off."""


class Calls(StoreModel):
    """Where a sample searches, and the records of its calls."""

    base_url: str = ""
    session: str = ""
    records: list[dict[str, Any]] = Field(default_factory=list)

    def tools(self) -> RecordingTools:
        """Return the tools, whose calls are recorded."""
        return RecordingTools(open_tools(self.base_url, self.session), self.records)


@task
def worldsmith_search(split: str = "test", data: str = str(HERE)) -> Task:
    """Return the tasks of a split, "train" or "test", of this export or of the one in the folder `data`."""
    return Task(
        json_dataset(str(Path(data) / f"{split}.jsonl"), sample_of),
        setup=search_session(),
        solver=search_agent(),
        scorer=table_scorer(),
    )


def sample_of(row: Mapping[str, Any]) -> Sample:
    """Return the sample of a row; its gold is in the target, which only the scorer is given."""
    system, question = (message["content"] for message in row["prompt"])
    return Sample(
        id=row["task_id"],
        input=[ChatMessageSystem(content=system), ChatMessageUser(content=question)],
        target=row["reference"],
        metadata={name: value for name, value in row.items() if name not in {"prompt", "reference"}},
    )


@solver
def search_session() -> Solver:
    """Open the session that a sample searches in, whichever agent plays it."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        calls = store_as(Calls)
        calls.base_url, calls.session, calls.records = state.metadata["base_url"], secrets.token_hex(8), []
        return state

    return solve


@solver
def search_agent() -> Solver:
    """Play an episode: calls are understood natively and in text, as everywhere that this environment is played."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        episode = exported_task(state, state.target).episode()
        episode.tools = store_as(Calls).tools()
        episode.reset()
        state.tools = [web_search(), web_extractor()]
        while True:
            state = await generate(state, tool_calls="none")
            if state.completed or state.output.stop_reason in LENGTH:
                return state
            step = await episode.astep(as_openai(state.output.message))
            if step.done:
                return state
            for message in step.messages:
                call = {"tool_call_id": message.get("tool_call_id"), "function": message.get("name")}
                state.messages.append(ChatMessageTool(content=message["content"], **call))

    return solve


@tool
def web_search() -> Tool:
    """Return the search engine, for any agent."""

    async def execute(query: str, page: int = 1) -> str:
        """Search the web. Returns results with url, title, snippet and date.

        Args:
            query: What to search for.
            page: Page of results, from 1.
        """
        return await answer_call(store_as(Calls).tools(), "web_search", {"query": query, "page": page})

    return execute


@tool
def web_extractor() -> Tool:
    """Return the page reader, for any agent."""

    async def execute(url: str, offset: int = 0) -> str:
        """Read a web page as Markdown.

        Args:
            url: Address of the page.
            offset: Character to start from, for the rest of a long page.
        """
        return await answer_call(store_as(Calls).tools(), "web_extractor", {"url": url, "offset": offset})

    return execute


@scorer(metrics={name: [mean(), stderr()] for name in ("score", "item_f1", "row_f1")})
def table_scorer() -> Scorer:
    """Score the table that ends the transcript by what its calls disclosed."""

    async def score(state: TaskState, target: Target) -> Score:
        calls = store_as(Calls)
        messages = [as_openai(message) for message in state.messages if isinstance(message, ChatMessageAssistant)]
        cut = state.output.stop_reason in LENGTH
        figures = replayed_figures(exported_task(state, target), messages, calls.records, cut=cut)
        if figures["env_error"]:
            raise ConnectionError(
                "no server answered: serve the worlds at the base_url of the rows, or set WORLDSMITH_BASE_URL"
            )
        value = {name: figures[name] for name in ("score", "item_f1", "row_f1")}
        return Score(value=value, answer=state.output.completion, metadata=figures)

    return score


def exported_task(state: TaskState, target: Target) -> ExportedTask:
    """Return the task of a sample, with its gold."""
    return ExportedTask.from_row({**state.metadata, "reference": target.text})


def as_openai(message: ChatMessageAssistant) -> dict[str, Any]:
    """Return a message in OpenAI's form."""
    calls = [
        {"id": call.id, "function": {"name": call.function, "arguments": call.arguments}}
        for call in message.tool_calls or ()
    ]
    return {"role": "assistant", "content": message.text, "tool_calls": calls}
