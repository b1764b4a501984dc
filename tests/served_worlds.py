"""A server of worlds in a thread of this process."""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from worldsmith.episode.search_server import Send
from worldsmith.serving import create_app
from worldsmith.serving.listen import server_config


@contextmanager
def running_server(folders: Sequence[Path], **options: Any) -> Iterator[str]:
    """Serve worlds on a free port, with the options of `create_app`; yields the base URL."""
    bound = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(server_config(create_app(folders, **options)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()


def sent_by(handle: Callable[[httpx2.Request], httpx2.Response]) -> Send:
    """Return what sends the requests of a `SearchServer` to a function."""

    def send(url: str, data: bytes, headers: Mapping[str, str]) -> tuple[int, Any, bytes]:
        response = handle(httpx2.Request("POST", url, content=data, headers=dict(headers)))
        return response.status_code, response.headers, response.content

    return send
