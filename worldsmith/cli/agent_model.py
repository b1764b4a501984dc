"""A language model as the agent of `worldsmith run`: its options, its episodes, and their summary."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from functools import wraps
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldsmith.cli.backend import MODEL_URL, report
from worldsmith.cli.base import Finite, counted, emit, table
from worldsmith.errors import BackendError, UsageError

if TYPE_CHECKING:
    from worldsmith.rollout.chat_model import ChatModel
    from worldsmith.rollout.many_episodes import Job
    from worldsmith.simulate.traces import Traces
    from worldsmith.tasks import Task
    from worldsmith.tasks.worlds import Worlds

AGENT = "openai"
"""The name of the agent that is a language model."""

OPTIONS = (
    click.option("--model", help="With --agent openai: the model, by the name its server knows."),
    click.option(
        "--model-url",
        default=MODEL_URL,
        show_default=True,
        help="OpenAI-compatible endpoint of the model (vLLM, SGLang, llama.cpp, hosted); its key is taken from "
        "OPENAI_API_KEY.",
    ),
    click.option(
        "-k", "samples", type=click.IntRange(1, 10_000), default=1, show_default=True, help="Episodes per task."
    ),
    click.option(
        "--format",
        "form",
        default="native",
        show_default=True,
        help="How calls are written: native (tool calls of the chat API), or for models without them hermes "
        "(<tool_call> tags), react (Action: lines) or text (fenced JSON).",
    ),
    click.option("--closed-book", is_flag=True, help="Give the model no tools: what it knows, or remembers."),
    click.option("--temperature", type=Finite(0, 2), help="Default: the server's."),
    click.option("--top-p", type=Finite(0, 1), help="Default: the server's."),
    click.option(
        "--max-tokens",
        type=click.IntRange(1, 10**9),
        default=8192,
        show_default=True,
        help="Tokens of one reply, reasoning included.",
    ),
    click.option(
        "--max-turns", type=click.IntRange(1, 10**6), help="Replies per episode; default: each task's own limit."
    ),
    click.option("--drop-reasoning", is_flag=True, help="Don't send a reply's reasoning back with the next request."),
    click.option(
        "--concurrency", type=click.IntRange(1, 10_000), default=16, show_default=True, help="Episodes at a time."
    ),
    click.option("--timeout", type=Finite(0.1), default=600.0, show_default=True, help="Seconds per reply."),
    click.option(
        "--retries",
        type=click.IntRange(0, 1000),
        default=4,
        show_default=True,
        help="Tries of a reply after the first.",
    ),
    click.option("--input-price", type=Finite(0, 10**9), help="Price of a million prompt tokens."),
    click.option("--output-price", type=Finite(0, 10**9), help="Price of a million tokens of replies."),
    click.option(
        "--max-cost", type=Finite(0, min_open=True), help="Stop before the next reply once they have cost this much."
    ),
    click.option(
        "--seed",
        type=click.IntRange(0, 2**63 - 1),
        default=0,
        show_default=True,
        help="Seed of the profile's faults, and with task and sample of the model's sampling.",
    ),
    click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder for the episodes, with all messages; run again, it goes on where it was.",
    ),
)


@dataclass(frozen=True, slots=True)
class AgentModelChoice:
    """The options of `agent_model_options`."""

    model: str | None
    model_url: str
    samples: int
    form: str
    closed_book: bool
    temperature: float | None
    top_p: float | None
    max_tokens: int
    max_turns: int | None
    drop_reasoning: bool
    concurrency: int
    timeout: float
    retries: int
    input_price: float | None
    output_price: float | None
    max_cost: float | None
    seed: int
    out: Path | None


def agent_model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a model as the agent to a command, which gets them as `agent_model`.

    The command raises UsageError where one is set with another --agent, or --agent openai lacks its --model.
    """
    names = [field.name for field in fields(AgentModelChoice)]

    @wraps(command)
    def with_choice(*args: Any, agent: str, **options: Any) -> Any:
        choice = AgentModelChoice(**{name: options.pop(name) for name in names})
        if agent != AGENT:
            context = click.get_current_context()
            named = [
                parameter.opts[0]
                for parameter in context.command.params
                if parameter.name in names and _is_named(context, parameter.name)
            ]
            if named:
                raise UsageError(f"{', '.join(named)}: only for --agent {AGENT}; leave out with --agent {agent}")
        elif not choice.model:
            raise UsageError(f"--agent {AGENT} needs the --model that its server knows, and its --model-url")
        return command(*args, agent=agent, agent_model=choice, **options)

    wrapped: Callable[..., Any] = with_choice
    for option in reversed(OPTIONS):
        wrapped = option(wrapped)
    return wrapped


def _is_named(context: click.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


@dataclass(frozen=True, slots=True)
class Tools:
    """What answers the tool calls of a run's episodes."""

    worlds: "Worlds"
    base_url: str | None
    profile: str | None
    traces: "Traces | None"

    @property
    def named_profile(self) -> str:
        """The profile of addresses; "" for the server's own."""
        return self.profile or ("" if self.base_url else "clean")


def run_model(
    tasks: "Sequence[Task]",
    choice: AgentModelChoice,
    tools: Tools,
    *,
    count: Callable[[str], int],
    as_json: bool,
) -> None:
    """Play the episodes of a model on tasks, save and show them.

    Raises:
        BackendError: the model never answered, or the run stopped before all episodes were played.
        UsageError: options that don't go together, or a folder that holds another run.
    """
    import asyncio

    from worldsmith.rollout.call_formats import CLOSED_BOOK, call_format
    from worldsmith.rollout.many_episodes import jobs_of
    from worldsmith.rollout.saved_run import figures_of, saved_run
    from worldsmith.simulate.protocol import Address

    form = CLOSED_BOOK if choice.closed_book else call_format(choice.form)
    jobs = jobs_of(tasks, choice.samples)
    rows: list[Mapping[str, Any]] = []
    if choice.out is None and not as_json:
        report("the conversations are not kept: --out DIR keeps them, and lets a run go on after a crash")
    with nullcontext() if choice.out is None else saved_run(choice.out, _settings(choice, tools, tasks)) as saved:
        if saved:
            rows += saved.figures.values()
            for row in rows if as_json else ():
                emit(row)
        known = {(row["task_id"], row["sample"]) for row in rows}
        left = [job for job in jobs if (job.task.task_id, job.sample) not in known]
        model = _chat_model(choice, saved.spent if saved else 0.0)
        shown = _Progress(len(left), quiet=as_json)

        def record(episode: Mapping[str, Any]) -> None:
            if saved:
                saved.add(episode)
                saved.keep_spending(model.spending.total)
            row = figures_of(episode)
            rows.append(row)
            if as_json:
                emit(row)
            shown.add(row)

        play = _player(tools, choice, model, form)
        if left and not tools.base_url:
            simulator = tools.worlds.simulator(left[0].task.worlds[0])
            simulator.warm(Address(simulator.id, tools.named_profile))  # indexes a pool, under a bar of its own
        try:
            with shown.bar:
                stopped = asyncio.run(play(left, record, count))
        finally:
            if saved:
                saved.keep_spending(model.spending.total)
    if len(rows) > len(known) and not model.replies:
        raise BackendError(f"the model never answered: {stopped or rows[-1]['error']}")
    _report_run(choice, tasks, rows, model.spending.total, stopped, as_json=as_json)


def _report_run(
    choice: AgentModelChoice,
    tasks: "Sequence[Task]",
    rows: Sequence[Mapping[str, Any]],
    spent: float,
    stopped: str,
    *,
    as_json: bool,
) -> None:
    """Show the figures of a run. Raises BackendError where it was stopped before all episodes were played."""
    from worldsmith.rollout.figures import run_summary

    summary = run_summary(rows, tasks, choice.samples) | {"spent": spent}
    if as_json:
        emit({"summary": summary})
    else:
        click.echo(_summary_text(choice.model or "", rows, tasks, summary))
    if stopped:
        again = f"; run it again with --out {choice.out} to go on" if choice.out else ""
        raise BackendError(f"stopped: {stopped}. {counted(summary['missing'], 'episode')} left{again}")


def _player(tools: Tools, choice: AgentModelChoice, model: "ChatModel", form: Any) -> Callable[..., Any]:
    """Return a function that plays jobs, passes on their records, and returns why some were not played."""
    from worldsmith.episode.search_server import SearchServer
    from worldsmith.rollout.many_episodes import Environments, play_many

    server = SearchServer(tools.base_url, connections=choice.concurrency) if tools.base_url else None
    environments = Environments(
        tools.worlds,
        server=server,
        profile=tools.named_profile,
        seed=choice.seed,
        max_turns=choice.max_turns,
        traces=tools.traces,
    )

    async def play(
        jobs: "Sequence[Job]", record: Callable[[Mapping[str, Any]], object], count: Callable[[str], int]
    ) -> str:
        try:
            return await play_many(
                jobs, environments, model, form, concurrency=choice.concurrency, record=record, count=count
            )
        finally:
            await model.close()

    return play


def _chat_model(choice: AgentModelChoice, spent: float) -> "ChatModel":
    from worldsmith.rollout.chat_model import ChatModel, Sampling, Spending
    from worldsmith.simulate.llm.endpoint import Endpoint

    if choice.max_cost is not None and choice.input_price is None and choice.output_price is None:
        raise UsageError("--max-cost needs the prices of a million tokens: --input-price and --output-price")
    endpoint = Endpoint(
        choice.model_url,
        choice.model or "",
        os.environ.get("OPENAI_API_KEY") or "EMPTY",
        deadline=choice.timeout,
        retries=choice.retries,
        concurrency=choice.concurrency,
    )
    limit = inf if choice.max_cost is None else choice.max_cost
    spending = Spending(choice.input_price or 0.0, choice.output_price or 0.0, limit, spent)
    sampling = Sampling(choice.temperature, choice.top_p, choice.max_tokens)
    return ChatModel(endpoint, sampling, spending, send_reasoning=not choice.drop_reasoning)


def _settings(choice: AgentModelChoice, tools: Tools, tasks: "Sequence[Task]") -> dict[str, Any]:
    """Return the settings that episodes depend on, which a resumed run must share."""
    names = sha256("\n".join(task.task_id for task in tasks).encode()).hexdigest()
    return {
        "agent": AGENT,
        "model": choice.model,
        "format": "closed-book" if choice.closed_book else choice.form,
        "samples": choice.samples,
        "temperature": choice.temperature,
        "top_p": choice.top_p,
        "max_tokens": choice.max_tokens,
        "max_turns": choice.max_turns,
        "drop_reasoning": choice.drop_reasoning,
        "profile": tools.named_profile,
        "seed": choice.seed,
        "tools": "served" if tools.base_url else "in process",
        "pool": next((task.web for task in tasks if task.web != task.worlds[0]), None),
        "tasks": f"{len(tasks)}, sha256 {names}",
    }


class _Progress:
    """A progress bar with running means on a terminal; elsewhere a line at every tenth."""

    def __init__(self, length: int, *, quiet: bool) -> None:
        self.length, self.count, self.totals = length, 0, Counter[str]()
        self.lines = not quiet and not sys.stderr.isatty()
        self.bar = click.progressbar(
            length=length,
            label="episodes",
            file=sys.stderr,
            hidden=quiet or self.lines,
            item_show_func=lambda means: means,
        )

    def add(self, row: Mapping[str, Any]) -> None:
        """Show the means after one more episode."""
        self.count += 1
        for name in ("item_f1", "evidenced_item_f1", "success", "reward", "turns", "cost"):
            self.totals[name] += row[name]
        means = {name: total / self.count for name, total in self.totals.items()}
        text = (
            f"item F1 {means['item_f1']:.3f}, evidenced {means['evidenced_item_f1']:.3f}, "
            f"success {means['success']:.3f}, reward {means['reward']:.3f}, turns {means['turns']:.1f}"
        )
        text += f", cost {self.totals['cost']:.2f}" if self.totals["cost"] else ""
        self.bar.update(1, text)
        if self.lines and self.count * 10 // self.length > (self.count - 1) * 10 // self.length:
            report(f"{self.count} of {self.length} episodes: {text}")


SHOWN = {
    "item F1": "item_f1", "evidenced": "evidenced_item_f1", "row F1": "row_f1", "non-key F1": "nonkey_f1",
    "success": "success", "reward": "reward",
}  # fmt: skip
"""Scores as tables head them."""
MOST_TASKS = 30
"""Tasks shown."""


def _summary_text(
    name: str, rows: Sequence[Mapping[str, Any]], tasks: "Sequence[Task]", summary: Mapping[str, Any]
) -> str:
    k = summary["k"]
    by_task: dict[str, list[Mapping[str, Any]]] = {task.task_id: [] for task in tasks}
    for row in rows:
        by_task[row["task_id"]].append(row)
    lines = [
        (task, *(sum(row[score] for row in some) / k for score in SHOWN.values()), _ends(row["finish"] for row in some))
        for task, some in by_task.items()
    ]
    parts = [table(["task", *SHOWN, "finish"], lines, most=MOST_TASKS)]
    means = [(f"Avg@{k}", *(summary["avg"][score] for score in SHOWN.values()))]
    if "max" in summary:
        best = summary["max"] | {"success": summary["pass"]}
        means.append((f"Max@{k} (success: Pass@{k})", *(best[score] for score in SHOWN.values())))
    for group, members in summary["by"].items():
        means += [
            (f"{group} {member} ({counted(figures['tasks'], 'task')})", *(figures["avg"][s] for s in SHOWN.values()))
            for member, figures in members.items()
        ]
    head = f"{name}: {summary['episodes']} episodes of {counted(summary['tasks'], 'task')}"
    if summary["missing"]:
        head += f"; {summary['missing']} missing, counted as 0"
    if summary["cost"]:
        head += f"; cost {summary['cost']:.2f}"
    if summary["spent"] > summary["cost"] + 1e-6:  # both are sums, in another order
        head += f"; spent {summary['spent']:.2f}, with episodes that were cut off"
    parts += ["", head, table(["mean of", *SHOWN], means)]
    ends = [f"{end} {share:.3f}" for end, share in summary["finish"].items() if share]
    parts.append(f"finish: {', '.join(ends)}")
    if effort := summary["effort"]:
        parts.append("per episode: " + ", ".join(f"{what} {value:.4g}" for what, value in effort.items()))
    return "\n".join(parts)


def _ends(finishes: Iterable[str]) -> str:
    """Return how episodes ended, "answered ×3, no_table": each end once, the most frequent first."""
    counts = Counter(finishes).most_common()
    return ", ".join(end if count == 1 else f"{end} ×{count}" for end, count in counts)
