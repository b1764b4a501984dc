"""The command that has a language model write the texts of worlds ahead of time: write."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldsmith.cli.backend import Answering, ModelChoice, read_profiles, simulator_options
from worldsmith.cli.base import emit, json_option, usable_worlds
from worldsmith.cli.worlds import PATHS
from worldsmith.errors import BackendError, UsageError

if TYPE_CHECKING:
    from worldsmith.simulate.llm.model import Backend
    from worldsmith.simulate.llm.write_ahead import Written
    from worldsmith.simulate.protocol import Call
    from worldsmith.simulate.simulator import Simulator
    from worldsmith.tasks import Task


@click.command()
@click.argument("paths", nargs=-1, required=True, type=PATHS, metavar="WORLD_OR_DIR...")
@click.option("--limit", type=click.IntRange(1), help="Texts that the model is asked for, at most.")
@click.option("--concurrency", type=click.IntRange(1), default=8, show_default=True, help="Concurrent calls.")
@click.option("--searches", is_flag=True, help="Write the searches of the tasks' certificates too, beside all pages.")
@simulator_options
@json_option
@click.pass_context
def write(
    ctx: click.Context,
    /,
    paths: tuple[Path, ...],
    model_choice: ModelChoice,
    profiles: Path | None,
    *,
    as_json: bool,
    **options: Any,
) -> None:
    """Let a language model write the pages of worlds into a store, from which they are then answered without it.

    What the store holds is not asked again: run the command again to go on, after an interruption too. Texts are those
    of one profile and seed, and of the model with its settings.

    \b
    worldsmith write w --model qwen --model-url http://127.0.0.1:8001/v1 --store texts.db
    worldsmith write w --model qwen --store texts.db --limit 100 --json
    worldsmith serve w --store texts.db

    \b
    accepted   the model's text as it is
    repaired   without what the guard rejects of it, our sentences for what is lacking
    rejected   ours, since the guard left nothing of it
    failed     no readable answer in time: nothing is stored, the next run asks again

    Exit code 1 when calls failed, or the model never answered.
    """
    import asyncio

    if not (model_choice.model or model_choice.prose) or model_choice.store is None:
        raise UsageError("name the model that writes and the file its texts go to: --model NAME --store FILE")
    known = {name: replace(profile, faults=None) for name, profile in read_profiles(profiles).items()}
    answering = Answering(model_choice, known, quiet=False, concurrency=options["concurrency"])
    if asyncio.run(_write_worlds(paths, answering, as_json=as_json, **options)):
        ctx.exit(1)


async def _write_worlds(
    paths: tuple[Path, ...], answering: Answering, *, limit: int | None, searches: bool, as_json: bool, **options: Any
) -> bool:
    """Write world by world, and report each; return whether a call failed."""
    from worldsmith.tasks.worlds import SeparateWorlds

    failed = False
    try:
        worlds = SeparateWorlds(usable_worlds(paths), answering.simulator)
        tasks = dict(worlds.tasks()) if searches else {}
        for world in worlds.ids:
            if limit == 0:
                break
            simulator, own = worlds.simulator(world), tasks.get(world, [])
            written, requests = await _write_world(simulator, own, answering.backend, limit=limit, **options)
            limit = None if limit is None else limit - requests
            failed = failed or bool(written.outcomes["failed"])
            if as_json:
                emit({"world": world, **written.to_json()})
            else:
                click.echo(f"{world}: {_summary(written)}")
            if written.stopped:
                raise BackendError(f"{written.stopped}. What is written is kept: run it again to go on")
    finally:
        await answering.close()
    return failed


async def _write_world(
    simulator: "Simulator",
    tasks: "Sequence[Task]",
    backend: "Backend | None",
    *,
    limit: int | None,
    concurrency: int,
    profile: str,
    seed: int,
) -> "tuple[Written, int]":
    from worldsmith.simulate.llm.write_ahead import Written, page_calls, write_ahead
    from worldsmith.simulate.protocol import Address

    written, address = Written(), Address(simulator.id, profile, seed)
    calls = [*page_calls(simulator, address), *_certificate_searches(tasks)]
    assert backend is not None

    def refused() -> str:
        return f"{backend.endpoint.base_url} failed too often in a row" if backend.counts["refused_by_breaker"] else ""

    with click.progressbar(
        length=len(calls), label=simulator.id, file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as bar:
        requests = await write_ahead(
            simulator,
            address,
            calls,
            written,
            concurrency=concurrency,
            limit=limit,
            refused=refused,
            done=lambda: bar.update(1),
        )
    return written, requests


def _certificate_searches(tasks: "Sequence[Task]") -> "Iterator[Call]":
    """Yield the searches by which tasks were solved."""
    from worldsmith.simulate.protocol import Call

    calls = (call for task in tasks for call in task.certificate.get("calls", ()))
    searches = (call for call in calls if call["tool"] == "web_search")
    yield from dict.fromkeys(Call("web_search", call["arg"], call.get("page") or 1) for call in searches)


def _summary(written: "Written") -> str:
    counts = ", ".join(f"{number} {name}" for name, number in written.outcomes.items() if number)
    why = ", ".join(f"{number} {reason}" for reason, number in written.reasons.most_common())
    return f"{counts or 'nothing to write'}{f' (objections: {why})' if why else ''}"
