"""Worker processes: an ordered map that works ahead of its reader and fails when a worker dies."""

import gc
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import resource_tracker
from typing import TypeVar

from worldsmith.errors import WorldsmithError
from worldsmith.scoring.score import processes_without_interrupts

A = TypeVar("A")
B = TypeVar("B")


@contextmanager
def worker_pool(
    function: Callable[[A], B], jobs: int, advice: str, *, ahead: int
) -> Iterator[Callable[[Iterable[A]], Iterator[B]]]:
    """Yield a map over items, in order, with `jobs` processes; with one job, lazily in this process.

    Leaving the block, by an error or an interrupt too, waits for the items that are worked on, and drops the others.

    Args:
        function: importable; what it returns must be picklable. What it raises is raised here.
        jobs: number of processes.
        advice: the fix that the error about a dead process names.
        ahead: results per process that may be waited for or wait, beyond the one that is read.

    Raises:
        WorldsmithError: a process ended.
    """
    if jobs <= 1:
        yield partial(map, function)
        return
    resource_tracker.ensure_running()  # where it starts with the first process, it lets interrupts in again
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _begin, (gc.get_threshold(),)) as pool:
        try:
            yield lambda items: _mapped(pool, function, items, jobs * (1 + ahead))
        except BrokenProcessPool:
            raise WorldsmithError(f"a worker process ended (was it out of memory?): {advice}") from None
        finally:
            pool.shutdown(cancel_futures=True)


def _mapped(pool: ProcessPoolExecutor, function: Callable[[A], B], items: Iterable[A], most: int) -> Iterator[B]:
    """Yield the results of items in order, at most so many of them submitted at a time."""
    left, submitted = iter(items), deque[Future[B]]()
    while True:
        for item in islice(left, most - len(submitted)):
            with processes_without_interrupts():  # a process starts with the first item that it may take
                submitted.append(pool.submit(function, item))
        if not submitted:
            return
        yield submitted.popleft().result()


def _begin(thresholds: tuple[int, int, int]) -> None:
    """Collect garbage as the parent does, and end once it is gone: one that was killed leaves workers that wait."""
    gc.set_threshold(*thresholds)
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
