"""What answers calls: our renderer, or a language model behind the guard, as the options say."""

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldsmith.cli.base import Finite, pool_at, progress, usable_worlds
from worldsmith.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from worldsmith.episode.call import Tool
    from worldsmith.pages.index.dense import Retriever
    from worldsmith.pages.pool import Pool
    from worldsmith.serving.responder_cache import Responder
    from worldsmith.simulate.llm.model import Backend, StoredOnly
    from worldsmith.simulate.pool import PoolSimulator
    from worldsmith.simulate.protocol import Observation, Profile
    from worldsmith.simulate.simulator import Simulator
    from worldsmith.simulate.store import Store
    from worldsmith.simulate.traces import Traces
    from worldsmith.tasks.worlds import Worlds
    from worldsmith.world.model import World

MODEL_URL = "http://127.0.0.1:8001/v1"
"""Default endpoint of a model: not the port of `serve`."""
DEADLINE = 45.0
"""Default seconds that a reply waits for it: clients mostly give up after 60."""

OPTIONS = (
    click.option(
        "--model", help="Let this language model write the answers; our renderer replaces what it may not say."
    ),
    click.option("--prose", help="Let this language model write the pages alone, in running sentences."),
    click.option(
        "--model-url",
        default=MODEL_URL,
        show_default=True,
        help="OpenAI-compatible endpoint of the model; its key is taken from OPENAI_API_KEY.",
    ),
    click.option(
        "--deadline",
        type=Finite(min=0, min_open=True),
        default=DEADLINE,
        show_default=True,
        help="Seconds that a reply waits for the model, with all tries and all calls of a batch; then ours stands in.",
    ),
    click.option(
        "--store",
        type=click.Path(path_type=Path),
        help="SQLite file for accepted texts of a model: the first one of a call is served, even without a model.",
    ),
)


profile_option = click.option(
    "--profile",
    default="clean",
    show_default=True,
    help="Withholding and perturbations: clean, web, open, sparse, scarce, flaky, realistic, adversarial, or your own.",
)
profiles_option = click.option(
    "--profiles",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="TOML file of your own profiles, beside those of worldsmith.",
)


trace_option = click.option(
    "--trace",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for traces: each session's calls, edits, replies and verdicts; see `worldsmith trace`.",
)


def traces_in(folder: Path | None) -> "Traces | None":
    """Return what writes traces into a folder, None without one."""
    if folder is None:
        return None
    from worldsmith.simulate.traces import Traces

    return Traces(folder)


retriever_option = click.option(
    "--retriever",
    default="bm25",
    show_default=True,
    help="What ranks pages: bm25, dense (vectors of words), hybrid (both); the last two need worldsmith[dense].",
)


def read_profiles(file: Path | None) -> "Mapping[str, Profile]":
    """Return the profiles an address may name: worldsmith's, and those of a file. Raises FormatError."""
    from worldsmith.simulate.perturb import PROFILES, load_curriculum

    return PROFILES if file is None else load_curriculum(file).profiles


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --model, --prose, --model-url, --deadline and --store to a command, which gets them as `model_choice`."""

    @wraps(command)
    def with_choice(
        *args: Any,
        model: str | None,
        prose: str | None,
        model_url: str,
        deadline: float,
        store: Path | None,
        **options: Any,
    ) -> Any:
        return command(*args, model_choice=ModelChoice(model, prose, model_url, store, deadline), **options)

    wrapped: Callable[..., Any] = with_choice
    for option in reversed(OPTIONS):
        wrapped = option(wrapped)
    return wrapped


seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the perturbations."
)


def simulator_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --profile, --profiles, --seed and the options of `model_options` to a command."""
    return profile_option(profiles_option(seed_option(model_options(command))))


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `simulator_options`, --retriever and --trace to a command."""
    return simulator_options(retriever_option(trace_option(command)))


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The options of `model_options`."""

    model: str | None = None
    prose: str | None = None
    url: str = MODEL_URL
    store: Path | None = None
    deadline: float = DEADLINE


class Answering:
    """What answers the calls of all worlds of a process; its counts are those of all of them together."""

    def __init__(
        self,
        model_choice: "ModelChoice",
        profiles: "Mapping[str, Profile]",
        *,
        quiet: bool = True,
        index_folder: Callable[[str], Path | None] = lambda _: None,
        traces: "Traces | None" = None,
        concurrency: int = 8,
        backend: "Backend | None" = None,
        strict: bool = False,
        retriever: str = "bm25",
    ) -> None:
        """Open what the options above name; with `quiet`, failures of a model are not reported.

        `index_folder` says where the search index of a world, by its id, is kept; `traces` records every call.
        `concurrency` is how many calls to a model run at a time. `backend` replaces the model of `model_choice`;
        `strict` simulators raise GuardError for a rejected text of our own renderer. `retriever` ranks pages.

        Raises:
            UsageError: two models are named, or one without a name, or a store is of none or of several; the retriever
                is unknown or not installed.
            FormatError: the store can't be opened.
        """
        from worldsmith.pages.index.dense import retriever_named
        from worldsmith.simulate.store import Store

        if "" in (model_choice.model, model_choice.prose):
            raise UsageError("the name of the model is empty: name it, or leave --model and --prose out")
        if model_choice.model and model_choice.prose:
            raise UsageError("--model writes pages too: name it or --prose")
        self.store = Store(model_choice.store) if model_choice.store else None
        if backend is None and (model_choice.model or model_choice.prose):
            backend = _backend(model_choice, concurrency, quiet=quiet)
        self.backend, self._strict = backend, strict
        self.author = self.backend or (_absent(self.store, model_choice.store) if self.store else None)
        self.tools: tuple[Tool, ...] = ("web_extractor",) if model_choice.prose else ("web_search", "web_extractor")
        self.profiles, self.index_folder, self.traces = profiles, index_folder, traces
        self.counts: Counter[str] = Counter()
        self._retriever: Retriever | None = retriever_named(retriever)

    def simulator(self, world: "World") -> "Simulator":
        """Return the simulator of a world."""
        from worldsmith.pages.index import saved
        from worldsmith.simulate.simulator import Simulator

        return Simulator(
            world,
            model=self.author,
            store=self.store,
            counts=self.counts,
            profiles=self.profiles,
            indexed=saved(self.index_folder),
            tools=self.tools,
            strict=self._strict,
            retriever=self._retriever,
        )

    def pool_simulator(self, pool: "Pool", *, quiet: bool = True, **options: Any) -> "PoolSimulator":
        """Return the simulator of a pool; a progress bar is shown while its index is made, unless `quiet`."""
        from worldsmith.simulate.pool import PoolSimulator

        def shown(worlds: "Sequence[str]") -> "Iterator[str]":
            return progress(worlds, len(worlds), "index", quiet=quiet)

        index = partial(pool.index, progress=shown, folder=self.index_folder(pool.id), retriever=self._retriever)
        return PoolSimulator(pool, simulate=self.simulator, index=index, profiles=self.profiles, **options)

    def worlds(self, paths: "Sequence[Path]", *, pooled: bool, quiet: bool = True) -> "Worlds":
        """Return the worlds that `paths` name, answered by these simulators: each on its own, or all as one web."""
        from worldsmith.tasks.worlds import PooledWorlds, SeparateWorlds

        if pooled:
            return PooledWorlds(self.pool_simulator(pool_at(paths, quiet=quiet)))
        return SeparateWorlds(usable_worlds(paths), self.simulator)

    def answers(self, source: "World | Pool", **options: Any) -> "Responder":
        """Return what answers the calls of a world or a pool, recorded where there are traces.

        `options` are those of a pool's simulator.
        """
        from worldsmith.simulate.traces import Traced
        from worldsmith.world.model import World

        simulator = (
            self.simulator(source) if isinstance(source, World) else self.pool_simulator(source, quiet=False, **options)
        )
        return simulator if self.traces is None else Traced(simulator, self.traces)

    @property
    def repeats(self) -> bool:
        """Whether a call has the same answer each time, and nothing notes that it was made."""
        return self.author is None and self.traces is None

    def totals(self) -> str:
        """Return the counts, one line for the simulators and one for the model."""
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


def _backend(model_choice: "ModelChoice", concurrency: int, *, quiet: bool) -> "Backend":
    from worldsmith.simulate.llm.model import Backend, Endpoint

    name, key = model_choice.model or model_choice.prose or "", os.environ.get("OPENAI_API_KEY") or "EMPTY"
    endpoint = Endpoint(
        model_choice.url,
        name,
        key,
        prose=bool(model_choice.prose),
        deadline=model_choice.deadline,
        concurrency=concurrency,
    )
    return Backend(endpoint) if quiet else Backend(endpoint, say=report)


def _absent(store: "Store", path: Path | None) -> "StoredOnly":
    """Return a placeholder for the one model whose texts a store holds. Raises UsageError where it isn't one."""
    from worldsmith.simulate.llm.model import StoredOnly

    authors = store.authors()
    if len(authors) == 1:
        return StoredOnly(authors[0])
    store.close()
    held = f"texts of {len(authors)} models: {'; '.join(authors)}" if authors else "no text of any model"
    raise UsageError(f"{path} holds {held}. Name the --model that writes")


def report(line: str) -> None:
    """Print a line on standard error."""
    click.echo(f"worldsmith: {line}", err=True)


def why_renderer_answered(observation: "Observation") -> str:
    """Return why our renderer wrote an answer instead of the model: what failed, or the first objections."""
    bad = [verdict for verdict in observation.verdicts if not verdict.ok]
    if any(verdict.where == "model" for verdict in bad):
        return f"backend failed: {bad[0].why}"
    return f"rejected: {'; '.join(dict.fromkeys(f'{v.where} {v.why}' for v in bad[:3]))}"
