"""One loopback port for every host: HTTP, TLS with a certificate of the host, and both as a proxy gets them.

What a connection speaks shows in its first bytes.
"""

import asyncio
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from worldsmith.serving.listen import ARRIVAL, BACKLOG, server_config
from worldsmith.serving.redirection.authority import Authority
from worldsmith.serving.redirection.hosts import host_name

HANDSHAKE = b"\x16"
"""First byte of a connection that speaks TLS."""
CONNECT = b"CONNECT "
"""How a client begins that takes the gateway for a proxy and wants a tunnel to a host."""
LONGEST_HEAD = 1 << 16
"""Bytes of a request for a tunnel."""
GRACE = 5
"""Seconds that replies under way have when the command has ended."""


@contextmanager
def running_gateway(app: ASGIApp, authority: Authority) -> Iterator[int]:
    """Run the gateway in a thread; yields its port."""
    with socket.create_server(("127.0.0.1", 0), backlog=BACKLOG) as bound:
        gateway = _Gateway(app, authority, bound)
        thread = threading.Thread(target=asyncio.run, args=(gateway.serve(),), daemon=True)
        thread.start()
        try:
            yield bound.getsockname()[1]
        finally:
            gateway.should_exit = True
            thread.join()


class _Gateway(uvicorn.Server):
    """A server that looks at each connection before uvicorn's protocol gets it."""

    def __init__(self, app: ASGIApp, authority: Authority, bound: socket.socket) -> None:
        config = server_config(app)
        config.timeout_graceful_shutdown = GRACE
        super().__init__(config)
        bound.setblocking(False)
        self._authority, self._bound = authority, bound
        self._openings: set[asyncio.Task[None]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets or [])
        self._accepting = asyncio.create_task(self._accept())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in (self._accepting, *self._openings):
            task.cancel()
        await super().shutdown(sockets)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            connection, _ = await loop.sock_accept(self._bound)
            task = asyncio.create_task(self._open(connection))
            self._openings.add(task)
            task.add_done_callback(self._openings.discard)

    async def _open(self, connection: socket.socket) -> None:
        """Hand a connection to a protocol of uvicorn's, inside TLS where its client speaks that."""
        target = ""
        try:
            async with asyncio.timeout(ARRIVAL):
                opening = await _peek(connection)
                if opening == CONNECT:
                    target = await _tunnel_target(connection)
                    opening = await _peek(connection)
                secure = opening.startswith(HANDSHAKE)
                context = self._authority.context(target or "localhost") if secure else None
                loop = asyncio.get_running_loop()
                await loop.connect_accepted_socket(self._protocol, connection, ssl=context)
        except asyncio.CancelledError:
            connection.close()
            raise
        except (OSError, ValueError) as problem:
            # A client that doesn't trust the authority ends here: it is told what to do, since it shows only its error.
            connection.close()
            if "ALERT_UNKNOWN_CA" in str(problem):
                sys.stderr.write(
                    f"worldsmith exec: a client refused the certificate{f' of {target}' if target else ''}: it reads "
                    "none of SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE and NODE_EXTRA_CA_CERTS\n"
                )

    def _protocol(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]  # as uvicorn calls it
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )


async def _peek(connection: socket.socket) -> bytes:
    """Return the first bytes that wait, as many as tell what a client speaks, and leave them there."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(connection, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(connection)
    return connection.recv(len(CONNECT), socket.MSG_PEEK)


async def _tunnel_target(connection: socket.socket) -> str:
    """Read a request for a tunnel, grant it, and return its host. Raises ValueError where it is none."""
    loop, head = asyncio.get_running_loop(), b""
    while b"\r\n\r\n" not in head:
        part = await loop.sock_recv(connection, LONGEST_HEAD)
        head += part
        if not part or len(head) > LONGEST_HEAD:
            raise ValueError("a request for a tunnel has no end")
    words = head.partition(b"\r\n")[0].split()
    if len(words) < 2:
        raise ValueError("a request for a tunnel names no host")
    await loop.sock_sendall(connection, b"HTTP/1.1 200 Connection established\r\n\r\n")
    return host_name(words[1].decode("latin-1"))
