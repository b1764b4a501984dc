"""The process of the window: `launch` starts it, and writes what it shows to its standard input."""

import sys
from contextlib import suppress
from socket import socket

import uvicorn

from worldsmith.errors import WorldsmithError
from worldsmith.serving.listen import allow_open_files, server_config, watch_parent
from worldsmith.window.app import create_window
from worldsmith.window.launch import WindowStart
from worldsmith.window.library import Library


def main() -> None:
    """Show what standard input says until the process that started this one ends."""
    start = WindowStart.read(sys.stdin.buffer.readline())
    try:
        library = Library(start.settings)
    except WorldsmithError as error:
        sys.exit(f"worldsmith: the window can't be opened: {error}")
    server = uvicorn.Server(server_config(create_window(library, start.token)))

    def stop() -> None:
        server.should_exit = server.force_exit = True

    watch_parent(start.parent, stop)
    allow_open_files()
    with socket(fileno=start.socket) as bound, suppress(KeyboardInterrupt):
        server.run(sockets=[bound])


if __name__ == "__main__":
    main()
