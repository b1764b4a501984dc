"""Run a command whose every host is the simulator."""

from pathlib import Path
from typing import Any

import click

from worldsmith.cli.backend import Answering, ModelChoice, read_profiles, server_options, traces_in
from worldsmith.cli.base import one_world, pool_at, pool_option
from worldsmith.cli.worlds import PATHS
from worldsmith.errors import UsageError

SESSION = "exec"
"""One command is one episode."""


@click.command("exec")
@click.argument("path", type=PATHS, metavar="WORLD_OR_DIR")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option(
    "--allow", multiple=True, metavar="HOST", help="Host that the command reaches as usual, such as its model's."
)
@server_options
@pool_option
@click.pass_context
def exec_command(
    ctx: click.Context,
    /,
    path: Path,
    command: tuple[str, ...],
    allow: tuple[str, ...],
    profiles: Path | None,
    model_choice: ModelChoice,
    trace: Path | None,
    retriever: str,
    *,
    pooled: bool,
    **options: Any,
) -> None:
    """Run a command whose every host is the simulator: for agents whose search API can't be configured.

    \b
    worldsmith exec w/town-1a2b3c4d5e -- python agent.py
    worldsmith exec w --pool --allow api.openai.com -- python agent.py

    Hosts of search services answer in their own dialect, any other host with the world's pages or as not found, over
    HTTP and over TLS with certificates made on the fly. This machine's own servers and --allow hosts are reached as
    usual. The exit code is the command's. Needs: pip install "worldsmith[exec]".

    \b
    What is redirected, in the command and its children:
      Python       all sockets of the standard library, so http.client, requests, httpx, aiohttp; uvloop is
                   replaced by asyncio's loop
      Node         all TCP connections, fetch among them
      others       what reads the variables HTTPS_PROXY and SSL_CERT_FILE, such as curl
    What isn't, and can reach the network:
      programs that read no proxy variables: Java, browsers
      Python under -I, -E or -S, or with resolvers or sockets in C (aiodns, grpc, gevent), beyond those variables
      UDP and name queries of Node (dgram, dns.resolve), and programs started with an empty environment
    """
    from worldsmith.pages.index import FOLDER
    from worldsmith.serving import create_app
    from worldsmith.serving.redirection import run_redirected

    folder = None if pooled else one_world(path)
    answering = Answering(
        model_choice,
        read_profiles(profiles),
        quiet=False,
        index_folder=lambda _: folder and folder.resolve().parent / FOLDER,
        traces=traces_in(trace),
        retriever=retriever,
    )
    app = create_app(
        [folder or pool_at([path], quiet=False)],
        simulate=answering.answers,
        profiles=answering.profiles,
        deadline=model_choice.deadline,
        close=answering.close,
        session=SESSION,
        **options,
    )
    if wrong := [host for host in allow if not host or set(host) & set("/:@ \t")]:
        raise UsageError(f"--allow {wrong[0]!r}: give the host alone, such as api.openai.com")
    ctx.exit(run_redirected(command, app, allow))
