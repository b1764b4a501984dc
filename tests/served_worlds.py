"""A server of worlds in a thread of this process."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from worldsmith.serving import create_app


@contextmanager
def running_server(folders: Sequence[Path]) -> Iterator[str]:
    """Serve worlds on a free port; yields the base URL."""
    bound = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(folders), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()
