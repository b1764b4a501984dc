"""Worker processes that listen at one port, each a server of its own.

The system spreads connections over them. They share a folder, so that a session's calls may come to any of them: it has
the attempts and notes of sessions, and what each worker counted.
"""

import os
import signal
import sys
from collections.abc import Callable
from multiprocessing import connection, get_context
from multiprocessing.context import ForkProcess
from pathlib import Path
from tempfile import TemporaryDirectory

from worldsmith.errors import UsageError, WorldsmithError
from worldsmith.serving.listen import taken_port, watch_parent
from worldsmith.serving.metrics import end_counts

Say = Callable[[str], object]
Work = Callable[[int, Path, Say], None]
"""Serves at a port, with a folder that workers share, and says when it is ready, until SIGTERM."""


def run_workers(count: int, host: str, port: int, work: Work, say: Say = sys.stdout.write) -> None:
    """Run `work` in some processes until SIGTERM or SIGINT; one that ends by itself is replaced.

    Workers end with this process, even when it is killed.

    The first is ready before the others start: what it writes beside the worlds, indices, is made once. Its line is
    printed when all are ready.

    Raises:
        UsageError: the port is taken, or a worker says so before it is ready.
        WorldsmithError: a worker fails before it is ready.
    """
    with TemporaryDirectory(prefix="worldsmith-") as folder, taken_port(host, port) as taken:
        workers = _Workers(work, taken, Path(folder))
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, workers.stop)
        try:
            lines = [workers.start() for _ in range(count) if not workers.stopping]
            if not workers.stopping:
                say(lines[0])
                sys.stdout.flush()
            workers.keep_running()
        finally:
            workers.stop()
            workers.join()


class _Workers:
    def __init__(self, work: Work, port: int, folder: Path) -> None:
        self._work, self._port, self._folder = work, port, folder
        self._processes: list[ForkProcess] = []
        self._parent = os.getpid()
        self.stopping = False

    def start(self) -> str:
        """Start a worker and return what it says once it is ready; "" where all are to stop."""
        reader, writer = connection.Pipe(duplex=False)
        with reader:
            with writer:
                process = get_context("fork").Process(target=self._serve, args=(writer,))
                process.start()
            self._processes.append(process)
            try:
                line, error, usage = reader.recv()
            except EOFError:
                line, error, usage = "", "" if self.stopping else "a worker ended before it was ready", False
        if error:
            raise UsageError(error) if usage else WorldsmithError(error)
        return str(line)

    def _serve(self, writer: "connection.Connection[tuple[str, str, bool], None]") -> None:
        """Serve in this process, which is a worker."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # from a terminal it comes to all: the parent's signal counts
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        watch_parent(self._parent, lambda: os.kill(os.getpid(), signal.SIGTERM))

        def ready(line: str) -> None:
            writer.send((line, "", False))
            writer.close()

        try:
            self._work(self._port, self._folder, ready)
        except WorldsmithError as error:
            if writer.closed:  # it was ready before
                sys.stderr.write(f"worldsmith: {error}\n")
                sys.exit(1)
            writer.send(("", str(error), isinstance(error, UsageError)))

    def keep_running(self) -> None:
        """Replace workers that end by themselves, until all are to stop."""
        while not self.stopping:
            connection.wait([process.sentinel for process in self._processes])
            for process in [one for one in self._processes if not one.is_alive()]:
                self._processes.remove(process)
                end_counts(self._folder, process.pid or 0)
                if not self.stopping:
                    sys.stderr.write(f"worldsmith: a worker ended with {process.exitcode}: another one is started\n")
                    self.start()

    def stop(self, *_: object) -> None:
        """Make the workers end their replies and stop."""
        self.stopping = True
        for process in self._processes:
            process.terminate()

    def join(self) -> None:
        """Wait until they have."""
        for process in self._processes:
            process.join()
