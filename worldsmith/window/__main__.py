"""The process of the window: `launch` starts it, and writes what it shows to its standard input."""

import os
import sys
from contextlib import suppress
from socket import socket
from threading import Thread
from time import sleep

import uvicorn

from worldsmith.errors import WorldsmithError
from worldsmith.serving.listen import server_config
from worldsmith.window.app import create_window
from worldsmith.window.launch import WindowStart
from worldsmith.window.library import Library

PERIOD = 0.5
"""Seconds between looks whether the server is still there."""


def main() -> None:
    """Show what standard input says until the process that started this one ends."""
    start = WindowStart.read(sys.stdin.buffer.readline())
    try:
        library = Library(start.settings)
    except WorldsmithError as error:
        sys.exit(f"worldsmith: the window can't be opened: {error}")
    server = uvicorn.Server(server_config(create_window(library, start.token)))
    Thread(target=_end_with, args=(start.parent, server), daemon=True).start()
    with socket(fileno=start.socket) as bound, suppress(KeyboardInterrupt):
        server.run(sockets=[bound])


def _end_with(parent: int, server: uvicorn.Server) -> None:
    """Stop the server once its parent has ended, however it did."""
    while os.getppid() == parent:
        sleep(PERIOD)
    server.should_exit = server.force_exit = True


if __name__ == "__main__":
    main()
