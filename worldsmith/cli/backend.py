"""What answers calls: our renderer, or a language model behind the guard, as the options say."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldsmith.errors import UsageError

if TYPE_CHECKING:
    from worldsmith.simulator import Simulator
    from worldsmith.world import World

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS = (
    click.option("--model", help="Let this language model write the answers; what it may not say, our renderer says."),
    click.option(
        "--model-url",
        default="http://127.0.0.1:8001/v1",
        show_default=True,
        help="OpenAI-compatible endpoint of --model; its key is taken from OPENAI_API_KEY.",
    ),
    click.option(
        "--store",
        type=click.Path(path_type=Path),
        help="SQLite file for accepted texts of --model: what is in it is answered from it for ever.",
    ),
)


def model_options(command: F) -> F:
    """Add --model, --model-url and --store to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def simulate(model: str | None, url: str, store: Path | None) -> "Callable[[World], Simulator]":
    """Return what makes the simulator of a world, by the options above."""
    from worldsmith.simulator import Simulator

    if model is None:
        if store is not None:
            raise UsageError("--store keeps the texts of a --model: name one, or leave the store out")
        return Simulator

    from worldsmith.llm.model import Endpoint, LanguageModel
    from worldsmith.pages import Pages
    from worldsmith.store import Store

    endpoint = Endpoint(url, model, os.environ.get("OPENAI_API_KEY") or "EMPTY")
    kept = Store(store) if store else None

    def made(world: "World") -> Simulator:
        pages = Pages(world)
        return Simulator(world, pages=pages, model=LanguageModel(world, pages, endpoint), store=kept)

    return made
