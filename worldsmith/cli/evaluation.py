"""The command that judges a language model: evaluate."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from worldsmith.cli.backend import MODEL_URL, Answering, ModelChoice, profiles_option, read_profiles, report
from worldsmith.cli.base import Finite, emit, json_option, pool_option
from worldsmith.cli.worlds import PATHS
from worldsmith.errors import BackendError, UsageError


@click.command()
@click.argument("paths", nargs=-1, required=True, type=PATHS, metavar="WORLD_OR_DIR...")
@click.option("--model", required=True, help="The model that is judged.")
@click.option(
    "--base-url",
    "--model-url",
    "url",
    default=MODEL_URL,
    show_default=True,
    help="OpenAI-compatible endpoint; its key is taken from OPENAI_API_KEY.",
)
@click.option("--calls", type=click.IntRange(1), default=100, show_default=True, help="Calls, shared among the worlds.")
@click.option("--repeats", type=click.IntRange(0), help="Calls made twice; default: a tenth of them.")
@click.option("--orders", type=click.IntRange(0), help="Times each instruction is given; a tenth of the calls.")
@click.option("--k", "hits", type=click.IntRange(1, 50), default=10, show_default=True, help="Hits a search gives.")
@click.option("--profile", default="clean", show_default=True, help="Profile; its faults are left out.")
@profiles_option
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of calls and edits.")
@click.option("--max-prompt", type=click.IntRange(500), default=8000, show_default=True, help="Tokens of a prompt.")
@click.option("--max-tokens", type=click.IntRange(1), default=32768, show_default=True, help="Tokens of a reply.")
@click.option("--temperature", type=Finite(0, 2), default=0.6, show_default=True)
@click.option("--deadline", type=Finite(0.1), default=120.0, show_default=True, help="Seconds per call.")
@click.option("--concurrency", type=click.IntRange(1), default=8, show_default=True, help="Concurrent calls.")
@click.option("--text", is_flag=True, help="Ask for results as text, never as JSON by a schema.")
@click.option("--prose", is_flag=True, help="Ask for pages in running sentences.")
@click.option("--judge", help="A second model that grades how real replies look.")
@click.option("--judge-url", help="Its endpoint; default: that of the model.")
@click.option("--store", type=click.Path(path_type=Path), help="Keep accepted texts here; what it holds isn't judged.")
@pool_option
@json_option
@click.pass_context
def evaluate(ctx: click.Context, /, paths: tuple[Path, ...], *, as_json: bool, **options: Any) -> None:
    """How good is a language model as the search engine of these worlds? By rule, before the guard and after it.

    \b
    leaks         replies that tell a value their slice does not hold, by its written forms, with 95% bounds
    factuality    statements that the guard accepts: no contradiction, nothing unsupported
    completeness  facts stated of those that a page must state, keys that hits must
    answered      calls with a readable reply; with the reasons for the others
    format        tries whose reply could be read
    consistency   facts that are the same when a call is made twice, without the store
    control       orders obeyed: withhold all but names, answer with an error, show a part
    served by     the model, the model at its second try, or our renderer (fallback); above half a mode is failing

    \b
    worldsmith evaluate w --model qwen --base-url http://127.0.0.1:8001/v1
    worldsmith evaluate w --model qwen --calls 20 --json
    worldsmith evaluate w --model qwen --pool     a search is judged by world: each one's hits are a reply

    Exit code 1 when a reply leaks or contradicts after the guard, or when the model never answered.
    """
    import asyncio

    from worldsmith.audit.language_model import silent_model, table

    figures = asyncio.run(_evaluate(paths, **options))
    silent = silent_model(figures)
    if as_json:
        emit(figures)
    elif not silent:
        click.echo(table(figures))
    if silent:
        raise BackendError(silent)
    after = [mode["after"] for mode in figures["modes"].values()]
    if any(side["leaks"]["replies"] or side["statements"]["contradicted"] for side in after):
        ctx.exit(1)


async def _evaluate(paths: tuple[Path, ...], **options: Any) -> Any:
    from dataclasses import replace

    from worldsmith.audit.language_model import Plan, jobs_of
    from worldsmith.audit.language_model import evaluate as judged
    from worldsmith.simulate.llm.model import Backend, Endpoint

    if options["judge_url"] and not options["judge"]:
        raise UsageError("--judge-url is the endpoint of a --judge: name one")
    key = os.environ.get("OPENAI_API_KEY") or "EMPTY"
    names = ("temperature", "max_tokens", "deadline", "concurrency", "prose")
    settings = {name: options[name] for name in names}
    endpoint = Endpoint(options["url"], options["model"], key, structured=not options["text"], **settings)
    tenth = -(-options["calls"] // 10)
    counts = {name: tenth if options[name] is None else options[name] for name in ("repeats", "orders")}
    plan = Plan(
        options["calls"],
        hits=options["hits"],
        max_prompt=options["max_prompt"],
        profile=options["profile"],
        seed=options["seed"],
        **counts,
    )
    backend = Backend(endpoint, say=report)
    judge = options["judge"] and Backend(
        replace(endpoint, model=options["judge"], base_url=options["judge_url"] or options["url"])
    )
    profiles = {name: replace(p, faults=None) for name, p in read_profiles(options["profiles"]).items()}
    answering = Answering(ModelChoice(store=options["store"]), profiles, backend=backend, strict=True)
    worlds = answering.worlds(paths, pooled=options["pooled"])
    simulators = {world: worlds.simulator(world) for world in worlds.ids}
    silent = not sys.stderr.isatty()
    with click.progressbar(length=jobs_of(plan), label="calls", file=sys.stderr, hidden=silent) as bar:
        try:
            return await judged(simulators, backend, plan, judge=judge, profiles=profiles, done=lambda: bar.update(1))
        finally:
            await answering.close()
            if judge:
                await judge.close()
