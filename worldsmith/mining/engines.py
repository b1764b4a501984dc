"""Engines: what spreads the making of shards over processes, of this machine or of a Ray cluster."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from worldsmith.errors import UsageError, WorldsmithError
from worldsmith.mining.workers import worker_pool

B = TypeVar("B")

AHEAD = 1
"""Shards per process that wait for one."""
TRIES = 3
"""Of a shard whose Ray worker ends, before the shard counts as failed."""
ADVICE = "the same command goes on where it stopped; try fewer --jobs or a smaller --shard-size"


class Engine(Protocol):
    """Maps numbers of shards to what came of them."""

    def __call__(self, function: Callable[[int], B], numbers: Iterable[int], jobs: int, /) -> Iterator[B]:
        """Yield what an importable function makes of each number, in any order, with `jobs` processes.

        Raises WorldsmithError where a process ended: results that were not yielded are lost.
        """
        ...


def local_engine(function: Callable[[int], B], numbers: Iterable[int], jobs: int) -> Iterator[B]:  # noqa: ARG001 - one
    """Make shards in this process, one after another."""
    return map(function, numbers)


def process_engine(function: Callable[[int], B], numbers: Iterable[int], jobs: int) -> Iterator[B]:
    """Make shards in processes of this machine."""
    with worker_pool(function, jobs, ADVICE, ahead=AHEAD) as mapped:
        yield from mapped(numbers)


def ray_engine(function: Callable[[int], B], numbers: Iterable[int], jobs: int) -> Iterator[B]:
    """Make shards as tasks of the Ray cluster at RAY_ADDRESS, or of one on this machine that ends with the command.

    All nodes see the folder of the shards under its path. Raises UsageError where Ray is not installed.
    """
    try:
        import ray  # noqa: PLC0415 - an extra, and slow to import
    except ModuleNotFoundError:
        raise UsageError('--engine ray needs Ray: pip install "worldsmith[ray]"') from None
    with ExitStack() as stack:
        if not ray.is_initialized():
            ray.init(
                num_cpus=None if os.environ.get("RAY_ADDRESS") else jobs, include_dashboard=False, log_to_driver=False
            )
            stack.callback(ray.shutdown)

        def make(number: int) -> B:
            return function(number)

        task = ray.remote(max_retries=TRIES - 1)(make)
        left = iter(numbers)
        running: list[Any] = []
        while running := [*running, *map(task.remote, islice(left, jobs * (1 + AHEAD) - len(running)))]:
            done, running = ray.wait(running)
            try:
                yield from ray.get(done)
            except ray.exceptions.RayError as error:
                reason = str(error).strip().splitlines()[-1]  # above it is the worker's traceback
                raise WorldsmithError(f"a Ray task ended ({reason}): {ADVICE}") from None


ENGINES: Final[dict[str, Engine]] = {"local": local_engine, "process": process_engine, "ray": ray_engine}
"""Engines by name."""
