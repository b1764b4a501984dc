"""What answers calls: our renderer, or a language model behind the guard, as the options say."""

import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from worldsmith.errors import UsageError

if TYPE_CHECKING:
    from worldsmith.llm.model import Backend
    from worldsmith.simulator import Simulator
    from worldsmith.slices import Observation, Profile
    from worldsmith.store import Store
    from worldsmith.world import World

F = TypeVar("F", bound=Callable[..., Any])
MODEL_URL = "http://127.0.0.1:8001/v1"
"""Where a model is asked unless told: not the port of `serve`."""

OPTIONS = (
    click.option("--model", help="Let this language model write the answers; what it may not say, our renderer says."),
    click.option(
        "--model-url",
        default=MODEL_URL,
        show_default=True,
        help="OpenAI-compatible endpoint of --model; its key is taken from OPENAI_API_KEY.",
    ),
    click.option(
        "--store",
        type=click.Path(path_type=Path),
        help="SQLite file for accepted texts of --model: what is in it is answered from it for ever.",
    ),
)


profiles_option = click.option(
    "--profiles",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="TOML file of profiles of one's own, beside those of worldsmith.",
)


def read_profiles(file: Path | None) -> "Mapping[str, Profile]":
    """Return the profiles an address may name: worldsmith's, and those of a file. Raises FormatError."""
    from worldsmith.perturb import PROFILES, load_curriculum

    return PROFILES if file is None else load_curriculum(file).profiles


def model_options(command: F) -> F:
    """Add --model, --model-url and --store to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


class Answering:
    """What answers the calls of all worlds of a process; its counts are those of all of them together."""

    def __init__(
        self,
        model: str | None,
        url: str,
        store: Path | None,
        profiles: "Mapping[str, Profile]",
        *,
        quiet: bool = True,
        index_folder: Callable[[str], Path | None] = lambda _: None,
    ) -> None:
        """Stand ready by the options above; `quiet` says nothing of a model that fails.

        `index_folder` says where the search index of a world, by its id, is kept.

        Raises:
            UsageError: there is a store without a model.
        """
        if model is None and store is not None:
            raise UsageError("--store keeps the texts of a --model: name one, or leave the store out")
        self.backend = _backend(model, url, quiet=quiet) if model else None
        self.store = _store(store) if store else None
        self.profiles, self.index_folder = profiles, index_folder
        self.counts: Counter[str] = Counter()

    def simulator(self, world: "World") -> "Simulator":
        """Return the simulator of a world."""
        from worldsmith.index import saved
        from worldsmith.simulator import Simulator

        return Simulator(
            world,
            model=self.backend,
            store=self.store,
            counts=self.counts,
            profiles=self.profiles,
            indexed=saved(self.index_folder),
        )

    def totals(self) -> str:
        """Return what was counted, a line for the simulators and one for the model."""
        counted = {"answered": self.counts, "model": self.backend.counts if self.backend else {}}
        return "\n".join(
            f"worldsmith: {name}: {', '.join(f'{key} {counts[key]}' for key in sorted(counts))}"
            for name, counts in counted.items()
            if counts
        )

    async def close(self) -> None:
        """Close the model's connections and the store's file."""
        if self.backend:
            await self.backend.close()
        if self.store:
            self.store.close()


def _backend(model: str, url: str, *, quiet: bool) -> "Backend":
    from worldsmith.llm.model import Backend, Endpoint

    endpoint = Endpoint(url, model, os.environ.get("OPENAI_API_KEY") or "EMPTY")
    return (
        Backend(endpoint) if quiet else Backend(endpoint, say=lambda line: click.echo(f"worldsmith: {line}", err=True))
    )


def _store(path: Path) -> "Store":
    from worldsmith.store import Store

    return Store(path)


def why_ours(seen: "Observation") -> str:
    """Return why our renderer wrote an answer that a model was asked for: what failed, or the first objections."""
    bad = [verdict for verdict in seen.verdicts if not verdict.ok]
    if any(verdict.where == "model" for verdict in bad):
        return f"backend failed: {bad[0].why}"
    return f"rejected: {'; '.join(dict.fromkeys(f'{v.where} {v.why}' for v in bad[:3]))}"
