"""The option --reword: a language model rewords the questions of tasks that are mined."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from worldsmith.cli.backend import MODEL_URL, report
from worldsmith.cli.base import emit
from worldsmith.errors import BackendError


def reword_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --reword and --model-url to a command."""
    command = click.option(
        "--model-url",
        default=MODEL_URL,
        show_default=True,
        help="OpenAI-compatible endpoint of the model of --reword; its key is taken from OPENAI_API_KEY.",
    )(command)
    return click.option(
        "--reword",
        metavar="MODEL",
        help="Let this model reword the questions. A new wording is kept only if it still means the same; the original "
        "stays beside it.",
    )(command)


def reword_saved(folders: Sequence[Path], model: str, url: str, *, as_json: bool) -> None:
    """Have a model reword the questions of saved tasks; report each world. Raises BackendError if it never answers."""
    import asyncio

    asyncio.run(_reword_saved(folders, model, url, as_json=as_json))


async def _reword_saved(folders: Sequence[Path], model: str, url: str, *, as_json: bool) -> None:
    from worldsmith.mining.files import replace_tasks
    from worldsmith.mining.rewording import NO_ANSWER, Reworded, reworded_tasks
    from worldsmith.simulate.llm.model import Backend, Endpoint
    from worldsmith.tasks import tasks_of
    from worldsmith.world.files import load_world, tasks_file

    backend = Backend(Endpoint(url, model, os.environ.get("OPENAI_API_KEY") or "EMPTY"), say=report)
    try:
        for folder in (folder for folder in folders if tasks_file(folder).is_file()):
            world, held, counts = load_world(folder), tasks_of(folder), Reworded()
            replace_tasks(folder, await reworded_tasks(world, held, backend, counts))
            figures = counts.to_json()
            if as_json:
                emit({"world": world.id, **figures})
            else:
                kept = ", ".join(f"{number} {reason}" for reason, number in figures["kept"].items())
                ways = f"{counts.read_back} read back, {counts.agreed} by two readings"
                click.echo(f"{world.id}: {figures['reworded']} reworded ({ways}); as they were: {kept or 'none'}")
            if held and counts.kept[NO_ANSWER] == len(held):
                raise BackendError(f"{url} gave no answer that can be read: the questions stand as they were")
    finally:
        await backend.close()
