"""The server process: a bound socket, uvicorn on it, and a line that says when it is ready."""

import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import uvicorn

from worldsmith.errors import UsageError
from worldsmith.server.app import create_app
from worldsmith.server.shelf import Shelf
from worldsmith.world import World

BACKLOG = 2048
"""Connections that may wait to be taken."""


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def serve(
    worlds: Sequence[Path | World],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    say: Callable[[str], object] = sys.stdout.write,
    **options: Any,
) -> None:
    """Serve worlds until interrupted; `options` are those of `create_app`.

    A line with the address and the time to ready is said once requests are answered. Port 0 takes a free one.
    A single world is opened before that, several when they are first asked for.

    Raises:
        UsageError: the address can't be bound, or `create_app` says so.
        WorldsmithError: the single world can't be opened.
    """
    start = time.monotonic()
    with _bind(host, port) as bound:
        app = create_app(worlds, **options)
        shelf: Shelf = app.state.shelf
        if shelf.only:
            shelf.open(app.state.default)
        what = f"world {shelf.only}" if shelf.only else f"{len(shelf.listings)} worlds"
        url = f"http://{f'[{host}]' if ':' in host else host}:{bound.getsockname()[1]}"

        def ready() -> None:
            say(f"worldsmith: serving {what} at {url} (ready in {time.monotonic() - start:.2f} s)\n")
            sys.stdout.flush()

        # A Date or Server header would make equal replies differ, or say more than the world does.
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, date_header=False)
        try:
            _Server(config, ready).run(sockets=[bound])
        except KeyboardInterrupt:
            return


def _bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; create_server sets SO_REUSEADDR, so a killed server's port is free at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (while")[0]  # create_server repeats the address
        raise UsageError(
            f"can't listen on {host} port {port}: {why}. Take another --port, or 0 for a free one"
        ) from None
