"""Starting the window beside a server: a listener on loopback, a token, and a process that ends with this one.

Nothing here reads a world: the process that serves agents imports this module and no other of the room.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from secrets import token_urlsafe

import orjson

from worldsmith.serving.listen import listening_socket

HOST = "127.0.0.1"
TOKEN_BYTES = 24


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """What a window shows."""

    paths: tuple[Path, ...]
    """Worlds, and folders of them."""
    pooled: bool = False
    """Whether they are one web, too."""
    profiles: Path | None = None
    """File of profiles beside those of worldsmith."""
    retriever: str = "bm25"
    records: tuple[Path, ...] = ()
    """Folders of runs, and of traces."""


@dataclass(frozen=True, slots=True)
class WindowStart:
    """What the process of a window reads from its standard input as one line: others can see its command."""

    token: str
    socket: int
    """Descriptor of the socket that it listens on."""
    parent: int
    """The process that it ends with."""
    settings: WindowSettings

    @classmethod
    def read(cls, line: bytes) -> "WindowStart":
        """Return what a line holds."""
        data = orjson.loads(line)
        settings = data.pop("settings")
        paths, records = (tuple(map(Path, settings.pop(name))) for name in ("paths", "records"))
        profiles = Path(settings["profiles"]) if settings.pop("profiles") else None
        return cls(**data, settings=WindowSettings(paths, profiles=profiles, records=records, **settings))


@contextmanager
def window_process(port: int, settings: WindowSettings, say: Callable[[str], object] | None = None) -> Iterator[None]:
    """Run a window at a port of loopback, a free one for 0, and say its address on standard error.

    It ends with the block, and with this process, however that ends. Raises UsageError where the port is taken.
    """
    token = token_urlsafe(TOKEN_BYTES)
    with listening_socket(HOST, port, option="--window") as bound:
        number = bound.getsockname()[1]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "worldsmith.window"],
            stdin=subprocess.PIPE,
            pass_fds=[bound.fileno()],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(_import_path(sys.path))},
        )
        start = WindowStart(token, bound.fileno(), os.getpid(), settings)
        assert process.stdin is not None
        with process.stdin as line:
            line.write(orjson.dumps(asdict(start), default=str, option=orjson.OPT_APPEND_NEWLINE))
    (say or sys.stderr.write)(f"worldsmith: window at http://{HOST}:{number}/{token}/\n")
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _import_path(entries: Sequence[str]) -> list[str]:
    """Return where this process imports from, so that the other one runs the same worldsmith."""
    return [entry or str(Path.cwd()) for entry in entries]
