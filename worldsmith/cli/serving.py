"""Commands that answer calls: serve over HTTP, search and extract by hand."""

import io
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from worldsmith.cli.backend import (
    Answering,
    ModelChoice,
    read_profiles,
    retriever_option,
    server_options,
    simulator_options,
    traces_in,
    why_renderer_answered,
)
from worldsmith.cli.base import emit, json_option, one_world, pool_at, pool_option, usable_worlds
from worldsmith.cli.worlds import PATHS
from worldsmith.errors import UsageError

if TYPE_CHECKING:
    from worldsmith.serving.workers import Say
    from worldsmith.simulate.protocol import Call, Observation

tool_names_option = click.option(
    "--tool-names",
    type=click.Choice(["worldsmith", "tavily", "exa", "brave", "jina", "firecrawl", "gpt-oss"]),
    default="worldsmith",
    show_default=True,
    help="Whose tools MCP has: web_search and web_extractor, or with the names that a service's own server gives them; "
    "gpt-oss: search, open and find.",
)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=PATHS, metavar="WORLD_OR_DIR...")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; loopback by default.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes that answer; each opens its worlds and keeps replies for itself; sessions may move between them.",
)
@click.option(
    "--name",
    "named",
    multiple=True,
    metavar="NAME=WORLD",
    help="Another name for a world or pool, by its id, in addresses and lists; may be repeated.",
)
@click.option(
    "--link-base",
    help="Scheme and host of this server: results link to it, for agents that fetch pages with plain GET.",
)
@click.option("--memory", type=click.IntRange(1), help="Megabytes for open worlds; the least used are closed.")
@click.option(
    "--index-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for search indices, so that worlds open faster the second time; beside the worlds by default, and "
    "none for worlds in shards.",
)
@click.option(
    "--api-key",
    envvar="WORLDSMITH_API_KEY",
    help="Key that requests have to give, needed beyond loopback; better as WORLDSMITH_API_KEY: others see commands.",
)
@click.option("--no-api-key", "keyless", is_flag=True, help="Answer beyond loopback without a key.")
@click.option(
    "--failures-as-200",
    is_flag=True,
    help="Calls that fail (401, 429, 5xx) have status 200 and the failure's text: for trainers that retry these.",
)
@click.option(
    "--access-log",
    type=click.File("a", lazy=False),
    help="File for a line of JSON per request; - for standard output. Keys, query strings and bodies are not in it.",
)
@click.option(
    "--window",
    "window_port",
    type=click.IntRange(0, 65535),
    help="Port of a window on these worlds for you: tables, pages, slices, gold, in a browser on this machine. It is a "
    "process of its own on loopback, and its address, on standard error, holds a token. 0 takes a free port.",
)
@click.option(
    "--window-episodes",
    "records",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    metavar="DIR",
    help="Folder of runs (run --out) or of traces that the window replays, beside those of --trace; may be repeated.",
)
@server_options
@tool_names_option
@pool_option
def serve(
    paths: tuple[Path, ...],
    memory: int | None,
    index_dir: Path | None,
    profiles: Path | None,
    model_choice: ModelChoice,
    trace: Path | None,
    retriever: str,
    tool_names: str,
    access_log: TextIO | None,
    api_key: str | None,
    port: int,
    workers: int,
    named: tuple[str, ...],
    window_port: int | None,
    records: tuple[Path, ...],
    *,
    keyless: bool,
    pooled: bool,
    **options: Any,
) -> None:
    """Serve worlds: a fake search engine and page reader in several dialects, chosen by route.

    \b
    worldsmith serve w/town-1a2b3c4d5e       one world, no prefix needed
    worldsmith serve w                       many: /w/<world>/api/search, or an API key ws-<world>
    worldsmith serve w --pool                all of them as one web, no prefix needed
    worldsmith serve w --window 0            with a window on them in your browser

    \b
    GET  /healthz, /worlds, /openapi.json
    POST /api/search, /api/extract           ours
    POST /search, /extract                   Tavily
    POST /retrieve                           Search-R1
    POST /mcp                                MCP, Streamable HTTP
    GET  /web/<host>/<path>                  a result's page as HTML
    """
    from worldsmith.pages.index import FOLDER
    from worldsmith.serving import serve as run_server
    from worldsmith.serving.app import MEMO
    from worldsmith.serving.dialects import dialects_with_tools
    from worldsmith.serving.workers import run_workers
    from worldsmith.simulate.store import Store
    from worldsmith.window.launch import WindowSettings, window_process

    if keyless and api_key:
        raise UsageError("--no-api-key, and a key is named: leave one out")
    if records and window_port is None:
        raise UsageError("--window-episodes is for the window: add --window PORT")

    of_pool: dict[str, Any] = {} if memory is None else {"memory": memory}
    options |= {**of_pool, "access_log": _lines_to(access_log), "api_key": "" if keyless else api_key or None}
    options["names"] = _names(named)
    folders = usable_worlds(paths, fault=False)
    beside = {folder.name: folder.resolve().parent / FOLDER for folder in folders if folder.is_dir()}
    sources = [pool_at(paths, quiet=False)] if pooled else folders
    shown = WindowSettings(paths, pooled, profiles, retriever, (*records, *([trace] if trace else ())))

    def work(port: int, shared: Path | None, say: "Say") -> None:
        """Serve in this process; `shared` is a folder in which workers keep what they share."""
        answering = Answering(
            model_choice,
            read_profiles(profiles),
            quiet=False,
            index_folder=beside.get if index_dir is None else lambda _: index_dir,
            traces=traces_in(trace),
            retriever=retriever,
        )
        attempts = answering.store or (Store(shared / "attempts.db") if shared else None)

        async def close() -> None:
            await answering.close()
            click.echo(answering.totals(), err=True)

        run_server(
            sources,
            port=port,
            say=say,
            shared=shared,
            simulate=partial(answering.answers, **of_pool),
            profiles=answering.profiles,
            attempts=attempts,
            deadline=model_choice.deadline,
            dialects=dialects_with_tools(tool_names),
            close=close,
            memo=MEMO if answering.repeats else 0,
            **options,
        )

    with nullcontext() if window_port is None else window_process(window_port, shown):
        if workers == 1:
            work(port, None, sys.stdout.write)
        else:
            run_workers(workers, options["host"], port, work)


def _names(options: tuple[str, ...]) -> dict[str, str]:
    """Return names to ids of worlds. Raises UsageError."""
    names: dict[str, str] = {}
    for option in options:
        name, equals, world = option.partition("=")
        if not (name and equals and world) or names.setdefault(name, world) != world:
            raise UsageError(f"--name {option}: give NAME=WORLD, each name once, such as town=town-1a2b3c4d5e")
    return names


def _lines_to(file: TextIO | None) -> Callable[[str], object] | None:
    """Return what writes lines to a file at once; None without one."""
    if file is None:
        return None
    if isinstance(file, io.TextIOWrapper):
        file.reconfigure(line_buffering=True)
    return file.write


@click.command()
@click.argument("path", type=PATHS, metavar="WORLD_OR_DIR")
@server_options
@tool_names_option
@pool_option
def mcp(
    path: Path,
    profile: str,
    profiles: Path | None,
    seed: int,
    retriever: str,
    model_choice: ModelChoice,
    trace: Path | None,
    tool_names: str,
    *,
    pooled: bool,
) -> None:
    """Serve a world, or with --pool all of a folder, to the one MCP client that starts this, over stdin and stdout.

    \b
    worldsmith mcp w/town-1a2b3c4d5e                      tools web_search and web_extractor
    worldsmith mcp w --pool --tool-names tavily           tools tavily_search and tavily_extract
    """
    import asyncio
    import os

    from worldsmith.serving import create_app
    from worldsmith.serving.dialects import dialects_with_tools
    from worldsmith.serving.stdio import serve_stdio

    source = pool_at([path]) if pooled else one_world(path)
    answering = Answering(model_choice, read_profiles(profiles), traces=traces_in(trace), retriever=retriever)

    async def serve_client() -> None:
        try:
            app = create_app(
                [source],
                profile=profile,
                profiles=answering.profiles,
                seed=seed,
                simulate=answering.answers,
                attempts=answering.store,
                dialects=dialects_with_tools(tool_names),
                deadline=model_choice.deadline,
            )
            # A thread that waits in the buffer of sys.stdin is a fatal error when the interpreter ends.
            with os.fdopen(os.dup(0), "rb") as messages:
                await serve_stdio(app, messages, sys.stdout.buffer)
        finally:
            await answering.close()

    asyncio.run(serve_client())


def one_call(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add WORLD, the profile's options and the model's to a command, which gets `answer`: call to observation."""

    @simulator_options
    @pool_option
    @wraps(command)
    def with_answer(
        *args: Any,
        path: Path,
        profile: str,
        profiles: Path | None,
        seed: int,
        model_choice: ModelChoice,
        pooled: bool,
        retriever: str = "bm25",
        **options: Any,
    ) -> Any:
        answering = Answering(model_choice, read_profiles(profiles), retriever=retriever)
        return command(*args, answer=partial(_answer, path, profile, seed, answering, pooled=pooled), **options)

    return with_answer


def _answer(path: Path, profile: str, seed: int, answering: Answering, call: "Call", *, pooled: bool) -> "Observation":
    """Return the observation of one call to a world or a pool; reports on standard error when it isn't the model's."""
    import asyncio

    from worldsmith.simulate.protocol import Address

    async def answer() -> "Observation":
        try:
            worlds = answering.worlds([path if pooled else one_world(path)], pooled=pooled)
            simulator = worlds.simulator(worlds.ids[0])
            return await simulator.acall(Address(simulator.id, profile, seed), call)
        finally:
            await answering.close()

    observation = asyncio.run(answer())
    if answering.backend and observation.source == "renderer" and observation.verdicts:
        click.echo(f"worldsmith: our renderer answered: {why_renderer_answered(observation)}", err=True)
    return observation


@click.command()
@click.argument("path", type=PATHS, metavar="WORLD")
@click.argument("query")
@click.option("--k", type=click.IntRange(1, 50), default=10, show_default=True, help="Hits.")
@click.option("--page", type=click.IntRange(1), default=1, show_default=True, help="Results page.")
@retriever_option
@one_call
@json_option
def search(answer: "Callable[[Call], Observation]", query: str, k: int, page: int, *, as_json: bool) -> None:
    """Search a world as an agent would.

    \b
    worldsmith search w/town-1a2b3c4d5e "bakeries in the old parish"
    """
    from worldsmith.agents.client import numbered_results, search_reply
    from worldsmith.simulate.protocol import Call

    observation = answer(Call("web_search", query, page, k))
    reply = search_reply(observation)
    if as_json:
        emit({"status": observation.status, **reply, "source": observation.source})
        return
    if observation.status != "ok":
        click.echo(f"{observation.status} {observation.fault}".strip())
    click.echo(f"{numbered_results(reply['results'])}\n" if reply["results"] else "no results found")


@click.command()
@click.argument("path", type=PATHS, metavar="WORLD")
@click.argument("url")
@click.option("--offset", type=click.IntRange(0), default=0, show_default=True, help="First character wanted.")
@click.option("--max-chars", type=click.IntRange(1), help="Characters wanted.")
@one_call
@json_option
@click.pass_context
def extract(
    ctx: click.Context,
    answer: "Callable[[Call], Observation]",
    url: str,
    offset: int,
    max_chars: int | None,
    *,
    as_json: bool,
) -> None:
    """Read a page of a world as an agent would; exit 1 when it is not found."""
    from worldsmith.simulate.protocol import Call

    observation = answer(Call("web_extractor", url, offset=offset, max_chars=max_chars))
    if as_json:
        title = observation.doc.title if observation.doc else None
        fields = {"status": observation.status, "url": url, "title": title, "text": observation.text}
        emit(fields | {"more": observation.more, "next_offset": observation.next_offset, "source": observation.source})
    else:
        click.echo(observation.text if observation.status == "ok" else f"{observation.status.replace('_', ' ')}: {url}")
        if observation.more:
            click.echo(f"[the page goes on: --offset {observation.next_offset}]")
    if observation.status != "ok":
        ctx.exit(1)
