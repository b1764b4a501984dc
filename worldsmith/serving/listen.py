"""The server process: a bound socket, uvicorn on it, and a line that says when it is ready."""

import asyncio
import os
import resource
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import orjson
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from worldsmith.errors import UsageError
from worldsmith.serving.app import create_app
from worldsmith.serving.responder_cache import ResponderCache, Source

BACKLOG = 2048
"""Connections that may wait to be taken."""
ARRIVAL = 30.0
"""Seconds in which a request has to arrive whole, from its first byte or the connection's opening."""
KEEP_ALIVE = 75
"""Seconds that a connection without a request stays open: agents think between their calls."""
GRACE = 30
"""Seconds that replies have to end when the server stops."""
OPEN_FILES = 65_536
"""Files and connections that may be open, where the system allows so many."""
MOST_WAITING = 2 * BACKLOG
"""Connections whose request has not arrived whole, at most: the oldest is closed for a new one."""
PERIOD = 0.5
"""Seconds between looks whether the parent process is still there."""


class _Connection(HttpToolsProtocol):
    """A connection that is closed where a request does not arrive in full in time: uvicorn would wait forever."""

    _waiting: ClassVar[dict["_Connection", asyncio.TimerHandle]] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn types it
        super().connection_made(transport)
        self._arrived = False
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._arrived = True
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Start the time in which a request has to arrive, unless it runs already."""
        if self in self._waiting:
            return
        self._waiting[self] = self.loop.call_later(ARRIVAL, self.give_up)
        if len(self._waiting) > MOST_WAITING:
            next(iter(self._waiting)).give_up()

    def _stop_waiting(self) -> None:
        timer = self._waiting.pop(self, None)
        if timer is not None:
            timer.cancel()

    def give_up(self) -> None:
        """Close the connection, with a 408 where part of a request came and nothing was replied to it."""
        self._stop_waiting()
        cycle: RequestResponseCycle | None = self.cycle
        replied = cycle is not None and cycle.response_started and not cycle.response_complete
        if self._arrived and not replied and not self.transport.is_closing():
            self._refuse("408 Request Timeout", f"the request did not arrive whole within {ARRIVAL:g} s: send it again")
        self.transport.close()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - as uvicorn calls it
        """Close the connection where what came is no HTTP."""
        self._refuse("400 Bad Request", "this is no HTTP request, or its path holds what must be percent-encoded")
        self.transport.close()

    def _refuse(self, status: str, text: str) -> None:
        body = orjson.dumps({"error": text})
        head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        self.transport.write(head.encode() + b"connection: close\r\n\r\n" + body)


def server_config(app: ASGIApp) -> uvicorn.Config:
    """Return how uvicorn serves an app of ours."""
    # A Date or Server header would make equal replies differ, or say more than the world does.
    return uvicorn.Config(
        app,
        http=_Connection,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=GRACE,
    )


def watch_parent(parent: int, stop: Callable[[], object]) -> None:
    """Call `stop`, in a thread, once the process that started this one has ended, even by SIGKILL."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PERIOD)
        stop()

    Thread(target=watch, daemon=True).start()


def allow_open_files() -> None:
    """Raise the number of connections that this process may hold; 1,024 is a usual limit of shells."""
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if most == resource.RLIM_INFINITY else min(OPEN_FILES, most)
    if least != resource.RLIM_INFINITY and least < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def serve(
    sources: Sequence[Source],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    api_key: str | None = None,
    say: Callable[[str], object] = sys.stdout.write,
    shared: Path | None = None,
    **options: Any,
) -> None:
    """Serve worlds until interrupted; `api_key` and `options` are those of `create_app`.

    With `shared`, a folder, other processes may listen at the same port too, and connections are spread over them.
    A line with the address and the startup time is written once requests are answered. Port 0 takes a free one.
    A single world, or a pool, is opened before that, several worlds at their first call.

    Raises:
        UsageError: the address can't be bound, or it is not of loopback and there is no `api_key` ("" for none), or
            `create_app` says so.
        WorldsmithError: the single world can't be opened.
    """
    start = time.monotonic()
    if api_key is None and not _is_loopback(host):
        raise UsageError(
            f"{host} can be reached from other machines: name a key that requests have to give, as --api-key or "
            f"WORLDSMITH_API_KEY, or say --no-api-key"
        )
    allow_open_files()
    with listening_socket(host, port, shared=shared is not None) as bound:
        app = create_app(sources, api_key=api_key or "", shared=shared, **options)
        responder_cache: ResponderCache = app.state.responder_cache
        if responder_cache.only:
            asyncio.run(responder_cache.get(app.state.default))
        served, pool = responder_cache.only, responder_cache.pool
        what = f"world {served}" if served else f"{len(responder_cache.cards)} worlds"
        what = f"{len(pool.worlds)} worlds as {pool.id}" if pool else what
        url = f"http://{f'[{host}]' if ':' in host else host}:{bound.getsockname()[1]}"

        def ready() -> None:
            say(f"worldsmith: serving {what} at {url} (ready in {time.monotonic() - start:.2f} s)\n")
            sys.stdout.flush()

        try:
            _Server(server_config(app), ready).run(sockets=[bound])
        except KeyboardInterrupt:
            return


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def taken_port(host: str, port: int) -> Iterator[int]:
    """Take a port, or a free one for 0, at which servers that share it may listen. Raises UsageError."""
    with listening_socket(host, port) as free:  # nobody else listens there
        number = free.getsockname()[1]
    with socket.socket(free.family) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind((host, number))
        yield number


def listening_socket(host: str, port: int, *, shared: bool = False, option: str = "--port") -> socket.socket:
    """Return a listening socket; create_server sets SO_REUSEADDR, so a killed server's port is free at once.

    Raises UsageError, which names the option of the port.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG, reuse_port=shared)
    except OSError as error:
        why = (error.strerror or str(error)).partition(" (while")[0]  # create_server repeats the address
        raise UsageError(
            f"can't listen on {host} port {port}: {why}. Take another {option}, or 0 for a free one"
        ) from None
