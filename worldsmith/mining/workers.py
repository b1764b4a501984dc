"""Worker processes: an ordered map that works ahead of its reader and fails when a worker dies."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Any, TypeVar

from worldsmith.errors import WorldsmithError
from worldsmith.scoring.score import processes_without_interrupts

A = TypeVar("A")
B = TypeVar("B")

LOOK = 0.2
"""Seconds between two looks at the signals of a process that waits for work."""
SPARE = 16
"""Results per process, beyond those it works ahead, that may wait for an earlier, slower one."""


@contextmanager
def worker_pool(
    function: Callable[[A], B], jobs: int, advice: str, *, ahead: int = 1
) -> Iterator[Callable[[Iterable[A]], Iterator[B]]]:
    """Yield a map over items, in order, with `jobs` processes; with one job, lazily in this process.

    Leaving the block ends the processes at once, and so does the end of this one. A map is read to its end before the
    next begins.

    Args:
        function: importable; what it returns must be picklable. A WorldsmithError or OSError is raised here.
        jobs: number of processes.
        advice: the fix that the error about a dead process names.
        ahead: items sent to each process at a time, worked on while nobody reads.

    Raises:
        WorldsmithError: a process ended.
    """
    if jobs <= 1:
        yield partial(map, function)
        return
    context = multiprocessing.get_context("spawn")
    pipes = [context.Pipe() for _ in range(jobs)]
    processes = [context.Process(target=_work, args=(function, theirs), daemon=True) for _, theirs in pipes]
    resource_tracker.ensure_running()  # here: where it starts first within the block, it lets interrupts in again
    with processes_without_interrupts():
        for process in processes:
            process.start()
    for _, theirs in pipes:
        theirs.close()
    try:
        yield lambda items: _Dispatch([ours for ours, _ in pipes], items, ahead).results()
    except (EOFError, ConnectionError):
        raise WorldsmithError(f"a worker process ended (was it out of memory?): {advice}") from None
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        for ours, _ in pipes:
            ours.close()


class _Dispatch:
    """Items on their way to workers, and results on their way back."""

    def __init__(self, workers: Sequence[Connection], items: Iterable[Any], ahead: int) -> None:
        self.loads = dict.fromkeys(workers, 0)
        """Items sent to each worker and not answered yet."""
        self.ahead = ahead
        self.most = (ahead + SPARE) * len(workers)
        self.left = enumerate(items)
        self.sent = 0
        self.answers: dict[int, tuple[Any, Exception | None]] = {}
        """Results and errors by the number of their item, until they are read."""

    def results(self) -> Iterator[Any]:
        """Yield the results in the order of the items. Raises EOFError, ConnectionError where a worker is gone."""
        for number in count():
            self.receive(0)  # workers that have answered since the last result was read get more
            self.give(number)
            while number not in self.answers and any(self.loads.values()):
                self.receive(None)
                self.give(number)
            if number not in self.answers:
                return
            result, error = self.answers.pop(number)
            if error is not None:
                raise error
            yield result

    def receive(self, timeout: float | None) -> None:
        """Take the answers that are there, after at most `timeout` seconds; None waits for one."""
        ready = wait(self.loads, timeout)
        for worker in [worker for worker in self.loads if worker in ready]:
            number, answer = worker.recv()
            self.answers[number] = answer
            self.loads[worker] -= 1

    def give(self, number: int) -> None:
        """Give items to the workers that have the fewest, while the result of item `number` is waited for."""
        while self.sent < number + self.most:
            worker = min(self.loads, key=self.loads.__getitem__)
            item = next(self.left, None) if self.loads[worker] < self.ahead else None
            if item is None:
                return
            worker.send(item)
            self.loads[worker] += 1
            self.sent += 1


def _work(function: Callable[[Any], Any], connection: Connection) -> None:
    """Answer each numbered item with its result, in a process of its own, until the process is ended."""
    ended = threading.Event()

    def end(*_: object) -> None:
        ended.set()
        sys.exit(1)  # so that what is half written is removed

    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    answers: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_send_all, args=(answers, connection), daemon=True).start()
    while True:
        try:
            # A signal that comes just before a read that blocks would wait for as long as the read does.
            while not ended.is_set() and not connection.poll(LOOK):
                pass
            if ended.is_set():  # a library took the exit for an error of its own
                return
            number, item = connection.recv()
        except (EOFError, ConnectionError):
            return
        try:
            answer: tuple[Any, Exception | None] = function(item), None
        except (WorldsmithError, OSError) as error:
            answer = None, error
        except Exception:
            if ended.is_set():
                return
            raise
        answers.put(ForkingPickler.dumps((number, answer)))  # here, not in the other thread: an error ends the process


def _send_all(answers: "SimpleQueue[Any]", connection: Connection) -> None:
    """Send answers while the next item is worked on: one that nobody reads yet holds up nothing."""
    with suppress(ConnectionError):  # nobody reads any more
        while True:
            connection.send_bytes(answers.get())


def _end_with_parent() -> None:
    """End this process once its parent is gone, whatever it is working on."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
