"""Commands on tasks that are there: run, score, export."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldsmith.cli.agent_model import AGENT, AgentModelChoice, Tools, agent_model_options, run_model
from worldsmith.cli.backend import (
    Answering,
    ModelChoice,
    profiles_option,
    read_profiles,
    retriever_option,
    trace_option,
    traces_in,
)
from worldsmith.cli.base import Finite, counted, emit, json_option, pool_option, progress, table
from worldsmith.cli.worlds import PATHS
from worldsmith.errors import FormatError, NotFoundError, UsageError, WorldsmithError, close_match

if TYPE_CHECKING:
    from worldsmith.tasks import Task
    from worldsmith.tasks.worlds import Worlds
    from worldsmith.train.exports.sft import Placement


@click.command()
@click.argument("paths", nargs=-1, type=PATHS, metavar="[WORLD_OR_DIR]...")
@click.option(
    "--set",
    "set_name",
    metavar="NAME",
    help="Instead of worlds: a frozen evaluation set, such as worldsmith-eval-1, in one folder or in "
    "~/.cache/worldsmith, where it is made if it isn't there (some minutes).",
)
@click.option(
    "--agent",
    required=True,
    help="openai (a language model, see --model), or one without: oracle, reworded (an oracle that words its queries "
    "otherwise), closed-book, keys-only, snippets-only, one-query or probe (guesses values in 200 queries).",
)
@agent_model_options
@click.option(
    "--base-url",
    help="Work over HTTP against this server (worldsmith serve); default in process, as agents need that read natural "
    "pages by their plans: oracle, reworded, keys-only, one-query, snippets-only.",
)
@click.option("--profile", help="Profile; the server's own with --base-url, else clean, unless named.")
@profiles_option
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="Tasks in all, at most: the first of each world, which is mostly wide, before any second.",
)
@click.option("--tokenizer", "tokenizer_file", type=PATHS, help="tokenizer.json to count tool tokens exactly.")
@click.option(
    "--store",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="File of a model's accepted texts, from which calls in process are answered; see `worldsmith write`.",
)
@trace_option
@retriever_option
@pool_option
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    paths: tuple[Path, ...],
    set_name: str | None,
    agent: str,
    base_url: str | None,
    profile: str | None,
    profiles: Path | None,
    limit: int | None,
    tokenizer_file: Path | None,
    store: Path | None,
    trace: Path | None,
    retriever: str,
    *,
    agent_model: AgentModelChoice,
    pooled: bool,
    as_json: bool,
) -> None:
    """Let an agent work on the tasks of worlds, and score it: your language model, or one of ours without any.

    \b
    worldsmith run w --agent openai --model qwen --model-url http://127.0.0.1:8001/v1 -k 4 --out runs/qwen
    worldsmith run w --agent openai --model qwen --format hermes --json
    worldsmith run w --agent oracle               the best there is; its figures are 1
    worldsmith run w --agent oracle --pool        the pool's tasks, in the web of all its worlds
    worldsmith run w --agent keys-only --base-url http://127.0.0.1:8000
    worldsmith run --set worldsmith-eval-1 --agent openai --model qwen       the same 200 tasks for everybody

    \b
    item_f1            all cells of the answer, what the model remembers too; evidenced_item_f1: what it read
    success            every row right in every cell, and read
    reward             what Environment pays: cells and rows that replies of the episode disclosed
    Avg@k, Max@k       over all tasks: the mean of a task's k episodes, the best of them; Pass@k: any success
    finish             answered, no_table, turn_limit, length (of a reply or the context), model_error, tool_error

    With --agent openai, --json prints one line per episode and a line {"summary": ...} last. --out keeps each episode
    in episodes.jsonl as it ends; run again, it plays only what is missing there or ended with a server error. An
    episode without a record counts as 0. Exit code 1 when the model never answered, or episodes are left.
    """
    from worldsmith.agents import AGENTS, tokenizer, tokens
    from worldsmith.agents.many_episodes import run_many

    if agent not in (*AGENTS, AGENT):
        raise NotFoundError(f"no agent {agent!r}.{close_match(agent, (*AGENTS, AGENT))}")
    if store and base_url:
        raise UsageError("--store answers calls in process; give it to the server of --base-url instead")
    if retriever != "bm25" and base_url:
        raise UsageError("--retriever ranks in process; give it to the server of --base-url instead")
    answering = Answering(ModelChoice(store=store), read_profiles(profiles), retriever=retriever)
    if set_name is None:
        worlds = answering.worlds(_named(paths), pooled=pooled, quiet=as_json)
    elif base_url or pooled:
        raise UsageError("--set plays in process, some of it in a pool: leave --base-url and --pool out")
    else:
        worlds = _set_worlds(set_name, paths, answering, quiet=as_json)
    tasks = _limited_tasks((some for _, some in worlds.tasks()), limit)
    if agent == AGENT and tasks:
        tools = Tools(worlds, base_url, profile, traces_in(trace))
        count = tokens if tokenizer_file is None else tokenizer(tokenizer_file)
        run_model(tasks, agent_model, tools, count=count, as_json=as_json)
        return
    rows = []
    results = run_many(
        worlds,
        tasks,
        agent,
        base_url=base_url,
        profile=profile,
        tokenizer_file=tokenizer_file,
        traces=traces_in(trace),
    )
    for row in progress(results, len(tasks), "tasks", quiet=as_json):
        rows.append(row)
        if as_json:
            emit(row)
    if not as_json:
        click.echo(_summary(rows, agent))
    if not rows:
        ctx.exit(1)


def _named(paths: Sequence[Path]) -> Sequence[Path]:
    if not paths:
        raise UsageError("name a world or a folder of worlds, or --set NAME")
    return paths


def _set_worlds(name: str, paths: Sequence[Path], answering: Answering, *, quiet: bool) -> "Worlds":
    """Return the worlds of an evaluation set, made in the one folder that is named, or in its own."""
    from worldsmith.rollout.evaluation_set import make_set, open_set, set_folder, set_named

    if len(paths) > 1:
        raise UsageError(f"--set {name} is kept in one folder, and {len(paths)} are named")
    one, folder = set_named(name), paths[0] if paths else set_folder(name)
    make_set(one, folder, shown=partial(progress, quiet=quiet))
    return open_set(folder, answering.simulator, answering.pool_simulator)


def _limited_tasks(by_world: "Iterable[Sequence[Task]]", limit: int | None) -> "list[Task]":
    """Return tasks world by world, at most `limit`: the first of every world before any second."""
    # Of very many worlds no more are read: each of these gives one.
    read = list(islice(filter(None, by_world), limit))
    places = sorted((i, w) for w, tasks in enumerate(read) for i in range(len(tasks)))[:limit]
    return [read[w][i] for w, i in sorted((w, i) for i, w in places)]


FIGURES = ("item_f1", "row_f1", "nonkey_item_f1", "search_calls", "extract_calls", "tool_tokens", "retries")


def _summary(rows: list[dict[str, Any]], agent: str) -> str:
    shown = [(r["task_id"], *(r[f] for f in FIGURES)) for r in rows]
    lines = [table(["task", *FIGURES], shown, most=30)]
    means = [f"{f} {sum(r[f] for r in rows) / len(rows):.3f}" for f in FIGURES] if rows else ["no tasks"]
    lines.append(f"\n{agent}, mean of {len(rows)}: " + ", ".join(means))
    return "\n".join(lines)


@click.command()
@click.argument("tasks_path", type=PATHS, metavar="TASKS")
@click.argument("answers_path", type=PATHS, metavar="ANSWERS.jsonl")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--explain", is_flag=True, help="Show each answer's table with its faults coloured.")
@click.option(
    "--compat", type=click.Choice(["widesearch"]), help="Show that benchmark's own figures beside ours, for comparison."
)
@json_option
@click.pass_context
def score(
    ctx: click.Context,
    tasks_path: Path,
    answers_path: Path,
    jobs: int,
    compat: str | None,
    *,
    explain: bool,
    as_json: bool,
) -> None:
    """Score answers: item and row precision, recall and F1 for each, and their means.

    TASKS is a file of tasks, a world, a folder of worlds, or what `worldsmith export --to jsonl` writes: of each line
    only task_id and the gold table are read. ANSWERS.jsonl holds {"task_id": ..., "answer": "text with a table"}, one
    per line.

    \b
    worldsmith score w answers.jsonl
    worldsmith score w/_tasks/WORLD.jsonl answers.jsonl --explain
    worldsmith score w answers.jsonl --json | tail -n 1

    \b
    answered       the mean over the tasks that have an answer
    all            the mean over all tasks, 0 for one without an answer: the figure to compare agents by
    Avg@k, Max@k   over all tasks, where some have k answers: the mean of a task's answers, the best of them
    Pass@k         the share of all tasks of which some answer is the whole gold table

    An answer alone doesn't show what its author read: evidence, which rewards need, is known to `worldsmith run`.

    --json prints one line per answer and a line {"summary": ...} last. An answer to an unknown task, or one that can't
    be read, is reported and stops nothing; it, and a file without an answer, give exit code 1.

    With --compat widesearch each answer is scored by WideSearch's rules too: the first table in the text, exact
    column names, numbers within the column's tolerance, dates within 31 days, rows by the spelling of their keys.
    Honest answers get the figures its evaluator gives; repeated rows, unreadable cells and fragments of text, which
    it rewards, earn nothing. No language model is used: what it would judge is compared as folded text.
    """
    from worldsmith.rollout.figures import repeated_means
    from worldsmith.scoring import Failure, score_many
    from worldsmith.tasks import read_references

    references = read_references(tasks_path)
    named, faults = _answers(answers_path, references)
    figures: dict[str, list[dict[str, float]]] = {}
    scored = score_many([(answer, references[task_id]) for task_id, answer in named], jobs)
    for (task_id, answer), result in zip(named, scored, strict=True):
        if isinstance(result, Failure):
            faults.append((task_id, result.reason))
            continue
        official = _widesearch_score(answer, references[task_id]) if compat else None
        figures.setdefault(task_id, []).append(_scores(result) | (_scores(official, f"{compat}_") if official else {}))
        if as_json:
            fields = {"task_id": task_id} | _scores(result) | result.to_json() | {"success": result.success}
            emit(fields | ({"widesearch": _widesearch_json(official)} if official else {}))
            continue
        click.echo(f"{task_id}: {_brief(result)}" + (f"; widesearch: {_brief(official)}" if official else ""))
        if explain:
            click.echo(_explanation(result))
    for name, reason in faults:
        if as_json:
            emit({"task_id": name, "error": reason})
        else:
            click.echo(f"{name}: {reason}", err=True)
    names = [*SCORES, *(f"{compat}_{name}" for name in SCORES if compat)]
    summary = repeated_means(figures, len(references), names)
    if as_json:
        emit({"summary": summary | {"faults": len(faults)}})
    else:
        click.echo(_summary_text(summary))
    if not figures and not faults:
        raise WorldsmithError(f'{answers_path}: no answer there; each line is {{"task_id": text, "answer": text}}')
    if faults:
        ctx.exit(1)


SCORES = ("item_f1", "row_f1", "nonkey_item_f1", "success")


def _scores(result: Any, prefix: str = "") -> dict[str, float]:
    values = (result.item.f1, result.row.f1, result.nonkey.f1, float(result.success))
    return {f"{prefix}{name}": value for name, value in zip(SCORES, values, strict=True)}


def _summary_text(summary: Mapping[str, Any]) -> str:
    tasks, answered, answers = (summary[name] for name in ("tasks", "answered", "answers"))
    lines = [
        f"{counted(answers, 'answer')} to {answered} of {counted(tasks, 'task')}; {tasks - answered} had none",
        f"answered ({answered}): {_figures_text(summary['mean_answered'])}",
        f"all ({tasks}; one without an answer counts 0): {_figures_text(summary['mean_all'])}",
    ]
    if repeats := summary.get("repeats"):
        k, fewest = repeats["k"], repeats["fewest"]
        uneven = f" (a task has {fewest} to {k} answers)" if fewest < k else ""
        lines.append(f"Avg@{k}: {_figures_text(repeats['avg'])}{uneven}")
        lines.append(f"Max@{k}: {_figures_text(repeats['max'])}; Pass@{k}: {repeats['pass']:.3f}")
    return "\n".join(lines)


def _figures_text(figures: Mapping[str, float] | None) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items()) if figures else "-"


def _answers(path: Path, references: Mapping[str, Any]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return (task id, answer) of each line that can be scored, and (what, why) of each that can't."""
    import json

    try:
        data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except IsADirectoryError:
        raise FormatError(f"{path}: can't be read: Is a directory: name a .jsonl file in it") from None
    except OSError as error:
        raise FormatError(f"{path}: can't be read: {error.strerror}") from None
    named, faults = [], []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            faults.append((f"line {number}", f"not JSON: {error}"))
            continue
        task_id, answer = (row.get("task_id"), row.get("answer")) if isinstance(row, dict) else (None, None)
        if not isinstance(task_id, str) or not isinstance(answer, str):
            faults.append((f"line {number}", 'not {"task_id": text, "answer": text}'))
        elif task_id not in references:
            faults.append((task_id, f"no such task.{close_match(task_id, references)}"))
        else:
            named.append((task_id, answer))
    return named, faults


def _widesearch_score(answer: str, reference: Any) -> Any:
    from worldsmith.scoring import score_widesearch, widesearch_task

    return score_widesearch(answer, *widesearch_task(reference.columns, reference.gold))


def _widesearch_json(result: Any) -> dict[str, Any]:
    rates = {name: getattr(result, name).to_json() for name in ("item", "row")}
    return {**rates, "success": result.success, "notes": list(result.notes)}


def _brief(result: Any) -> str:
    return (
        f"item F1 {result.item.f1:.3f}, row F1 {result.row.f1:.3f}, non-key F1 {result.nonkey.f1:.3f}"
        f"{', success' if result.success else ''}"
    )


def _explanation(result: Any) -> str:
    from worldsmith.scoring import explain as rows_of

    columns = result.reference[0]
    lines = ["  " + " | ".join(c.name for c in columns)]
    colours = {"right": "green", "missing": "yellow", "extra": "red", "duplicate": "red"}
    for row in rows_of(result):
        cells = []
        for cell in row.cells:
            wrong = bool(cell.why) and row.status in {"partial", "wrong"}
            text = f"{cell.got} (is {cell.expected})" if cell.got else f"(empty; is {cell.expected})"
            text = text if wrong else cell.got or cell.expected
            cells.append(click.style(text, fg="red" if wrong else colours.get(row.status)))
        lines.append(f"  {row.status:>9}  " + " | ".join(cells))
    lines += [f"  note: {note}" for note in result.notes]
    return "\n".join(lines)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=PATHS, metavar="WORLD_OR_DIR...")
@click.option("--to", "to", required=True, help="The format: one of those above.")
@click.option("--out", type=PATHS, required=True, help="Folder the export is put into.")
@click.option(
    "--base-url", default="http://127.0.0.1:8000", show_default=True, help="Where the trainer reaches worldsmith serve."
)
@click.option(
    "--test-share",
    type=Finite(0, 0.9),
    help="Share of worlds kept for testing; with beir all are.  [default: 0.1]",
)
@click.option(
    "--hold-out",
    default="worlds",
    show_default=True,
    metavar="WHAT",
    help="What tests alone show: worlds (--test-share says how many); wordings (all worlds that `generate --wordings "
    "test` made, beside those of `--wordings train`); or schemas by name: --hold-out films,league",
)
@click.option(
    "--reasoning",
    type=click.Choice(["content", "reasoning_content", "none"]),
    help="For sft: where the agent's reasoning stands, in <think> tags in the content (the default), in a field of its "
    "own, or nowhere.",
)
@click.option(
    "--rendered",
    type=PATHS,
    metavar="TEMPLATE",
    help="For sft: a chat template (.jinja or tokenizer_config.json) to write conversations as text by, too, with the "
    "places of what is trained on. Needs jinja2.",
)
@click.option(
    "--curriculum",
    type=PATHS,
    help="Train on the tasks that this file names alone, in its order: what `calibrate --out` or `tasks --curriculum` "
    "wrote. Tests stay as they are.",
)
@click.option("--profile", default="clean", show_default=True, help="Profile of the server that agents work under.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Of what a profile draws; each task has its own, which all its rollouts share.",
)
@click.option(
    "--context-tokens",
    type=click.IntRange(0),
    default=0,
    help="Context of the model: replies then say how much of it and of the turns is left.",
)
@click.option("--verify", is_flag=True, help="Replay every certificate first, half a second per world.")
@pool_option
@json_option
def export(
    paths: tuple[Path, ...],
    to: str,
    out: Path,
    base_url: str,
    test_share: float | None,
    hold_out: str,
    reasoning: "Placement | None",
    rendered: Path | None,
    curriculum: Path | None,
    profile: str,
    seed: int,
    context_tokens: int,
    *,
    verify: bool,
    pooled: bool,
    as_json: bool,
) -> None:
    """Hand the tasks of worlds to a trainer.

    A file of tasks that is as it was mined, by the digest kept beside it, is taken as it is; tasks of any other are
    worked out and replayed first, and one that doesn't hold ends the export (exit 1).

    One task is in memory at a time, but for beir and widesearch. An export that was killed goes on where it was when
    it is run again.

    \b
    jsonl       one task per line: prompt, columns, reference
    hf          a dataset with its card: `datasets.load_dataset` loads the folder
    trl         rows, environment, reward and configuration of TRL's GRPOTrainer
    verl        Parquet, a tool file, a reward function with the scorer beside it, and how to run them
    verifiers   a package for verifiers and prime-rl: tasks, a harness, an MCP tool server
    skyrl       Parquet, a text environment of skyrl-gym, and SkyRL's entrypoint with it registered
    openenv     an OpenEnv server with its client, tasks and Docker file
    nemo-gym    a resources server for NeMo Gym's gymnasium_agent, and rows for it
    slime       a generate function for slime, and prompts for it
    rllm        an AgentFlow and an evaluator for rLLM
    art         a rollout function for OpenPipe's ART
    wideseek    WideSeek-R1's rows, and episodes of a main agent with sub-agents
    gymnasium   an environment of texts, one per task
    rollout     a loop for any model behind a chat API, for trainers of your own
    inspect     a task file for `inspect eval`: tools, an agent, a scorer
    widesearch  WideSearch's own files: questions, gold tables as CSV, how its evaluator compares them
    sft         conversations to imitate: reasoning, tool calls and replies, the gold table last
    beir        a retrieval benchmark: pages, questions, which page states evidence, hard negatives
    """
    from worldsmith.train.exports import FORMATS
    from worldsmith.train.exports import export as write
    from worldsmith.train.exports.rows import curriculum_ids

    if to not in FORMATS:
        raise NotFoundError(f"no export format {to!r}.{close_match(to, FORMATS)}")
    result = write(
        Answering(ModelChoice(), read_profiles(None)).worlds(paths, pooled=pooled, quiet=as_json),
        to,
        out,
        base_url=base_url,
        test_share=test_share,
        hold_out=hold_out,
        replay=verify,
        reasoning=reasoning,
        rendered=rendered,
        curriculum=curriculum_ids(curriculum) if curriculum else None,
        profile=profile,
        seed=seed,
        context_tokens=context_tokens,
        progress=partial(progress, quiet=as_json),
    )
    if as_json:
        emit(result)
    else:
        split = f"{result['test_worlds']} of {result['worlds']} worlds kept for testing"
        if result["test"] and not result["test_worlds"]:
            split = "of the same worlds"
        click.echo(f"{to}: {result['train']} tasks to train on, {result['test']} to test on ({split}) in {out}")
