"""What is counted of requests, as Prometheus reads it, and an access log of JSON lines. Neither holds a key.

Of a request the method, the path, the address and what became of it are noted; no header, query string or body.
"""

import asyncio
import os
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

RECORD = "worldsmith.record"
"""Where a request's record is in its scope."""
CLOSED = 499
"""Status, as nginx notes it, of a request whose client left before the reply."""
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the classes of times."""
EVERY = 1.0
"""Seconds after which a worker writes its counts for the others."""
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(slots=True)
class RequestRecord:
    """What is known of a request once it is answered; the endpoint fills in what it read."""

    dialect: str = ""
    route: str = ""
    """The path of its route, "" where it is for none of a dialect's."""
    world: str = ""
    session: str = ""
    memo: bool = False
    """Whether the reply came from the memo."""
    status: int = 0
    size: int = 0
    """Bytes of the reply's body."""


@dataclass(slots=True)
class _Times:
    counts: list[int] = field(default_factory=lambda: [0] * (len(SECONDS) + 1))
    total: float = 0.0

    def add(self, counts: Sequence[int], total: float) -> None:
        self.counts = [mine + count for mine, count in zip(self.counts, counts, strict=True)]
        self.total += total


@dataclass(frozen=True, slots=True)
class Metric:
    """What is counted besides requests; the values of workers are added unless each has the same."""

    kind: str
    about: str
    value: Callable[[], int]
    same: bool = False


class Metrics:
    """Counts of the requests of a process, and of the workers that share a folder with it."""

    def __init__(self, others: Mapping[str, Metric], workers: "WorkerFiles | None" = None) -> None:
        """Count nothing yet. `others` are metrics besides requests, by name."""
        self.in_progress = 0
        progress = Metric("gauge", "Requests being answered.", lambda: self.in_progress)
        processes = Metric("gauge", "Processes that answer.", lambda: 1)
        self._others = {
            "worldsmith_requests_in_progress": progress,
            "worldsmith_processes": processes,
            **others,
        }
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[tuple[str, str], _Times] = {}
        self._workers = workers

    def add(self, record: RequestRecord, seconds: float) -> None:
        """Count a request that took some seconds."""
        self._requests[record.dialect, record.route, record.status] += 1
        times = self._times.setdefault((record.dialect, record.route), _Times())
        times.counts[bisect_left(SECONDS, seconds)] += 1
        times.total += seconds

    def text(self) -> str:
        """Return the counts of all workers in Prometheus's text format."""
        counts = [self._counts(), *(self._workers.others() if self._workers else ())]
        requests: Counter[tuple[str, str, int]] = Counter()
        times: dict[tuple[str, str], _Times] = {}
        for one in counts:
            for dialect, route, status, count in one["requests"]:
                requests[dialect, route, status] += count
            for dialect, route, classes, total in one["times"]:
                times.setdefault((dialect, route), _Times()).add(classes, total)
        lines = _head(
            "worldsmith_requests_total", "counter", "Requests by route and status; route is empty for others."
        )
        for (dialect, route, status), count in sorted(requests.items()):
            labels = f'dialect="{dialect}",route="{route}",status="{status}"'
            lines.append(f"worldsmith_requests_total{{{labels}}} {count}")
        name = "worldsmith_request_duration_seconds"
        lines += _head(name, "histogram", "Seconds from a request's head to the end of its reply.")
        for (dialect, route), of_route in sorted(times.items()):
            labels = f'dialect="{dialect}",route="{route}"'
            bounds = [*(f"{bound:g}" for bound in SECONDS), "+Inf"]
            for bound, count in zip(bounds, accumulate(of_route.counts), strict=True):
                lines.append(f'{name}_bucket{{{labels},le="{bound}"}} {count}')
            lines += [f"{name}_sum{{{labels}}} {of_route.total:.6f}"]
            lines += [f"{name}_count{{{labels}}} {sum(of_route.counts)}"]
        for other, metric in self._others.items():
            values = [one["others"].get(other, 0) for one in counts]
            value = max(values) if metric.same else sum(values)
            lines += [*_head(other, metric.kind, metric.about), f"{other} {value}"]
        return "\n".join((*lines, ""))

    def _counts(self) -> dict[str, Any]:
        return {
            "requests": [[*labels, count] for labels, count in self._requests.items()],
            "times": [[*labels, times.counts, times.total] for labels, times in self._times.items()],
            "others": {name: metric.value() for name, metric in self._others.items()},
        }

    @asynccontextmanager
    async def shown_to_workers(self) -> AsyncIterator[None]:
        """Write the counts for the other workers every `EVERY` seconds, where there are others."""

        async def keep_writing(workers: WorkerFiles) -> None:
            while True:
                workers.write(self._counts())
                await asyncio.sleep(EVERY)

        task = asyncio.create_task(keep_writing(self._workers)) if self._workers else None
        yield
        if task:
            task.cancel()


class WorkerFiles:
    """Counts of workers in a folder that they share, each in a file of its own, which it replaces as a whole."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._own = folder, folder / f"{os.getpid()}.counts"

    def write(self, counts: Mapping[str, Any]) -> None:
        """Write the counts of this process; a full disk keeps the last ones."""
        _write(self._own, counts)

    def others(self) -> Iterator[Mapping[str, Any]]:
        """Yield the counts of the other processes, as they were a moment ago."""
        for path in self._folder.glob("*.counts"):
            if path != self._own:
                with suppress(OSError):  # it ends at this moment
                    yield orjson.loads(path.read_bytes())


def end_counts(folder: Path, process: int) -> None:
    """Keep of a worker that ended what it counted, without its gauges."""
    path = folder / f"{process}.counts"
    with suppress(OSError):  # it ended before it counted
        counts = orjson.loads(path.read_bytes())
        counts["others"] = {name: value for name, value in counts["others"].items() if name.endswith("_total")}
        _write(path, counts)


def _write(path: Path, counts: Mapping[str, Any]) -> None:
    new = path.with_suffix(".new")
    with suppress(OSError):
        new.write_bytes(orjson.dumps(counts))
        new.replace(path)


def _head(name: str, kind: str, about: str) -> list[str]:
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]


class RequestObserver:
    """Counts each request, and writes it into an access log where there is one."""

    def __init__(self, app: ASGIApp, metrics: Metrics, log: Callable[[str], object] | None) -> None:
        self.app, self.metrics, self._log = app, metrics, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and note what became of it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        record = scope[RECORD] = RequestRecord()
        start, ended = time.perf_counter(), False

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                record.status = message["status"]
            else:
                record.size += len(message.get("body", b""))
            await send(message)

        self.metrics.in_progress += 1
        try:
            await self.app(scope, receive, noting)
            ended = True
        finally:
            self.metrics.in_progress -= 1
            record.status = record.status or (CLOSED if ended else 500)
            seconds = time.perf_counter() - start
            self.metrics.add(record, seconds)
            if self._log is not None:
                with suppress(OSError):  # a full disk must not end requests
                    self._log(log_line(scope, record, seconds))


def log_line(scope: Scope, record: RequestRecord, seconds: float) -> str:
    """Return a line of the access log."""
    client = scope.get("client")
    line = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),  # noqa: TID251 - of the log, never of a reply
        "client": client[0] if client else None,
        "method": scope["method"],
        "path": scope["path"],
        "status": record.status,
        "bytes": record.size,
        "ms": round(seconds * 1000, 3),
        "dialect": record.dialect,
        "world": record.world,
        "session": record.session,
        "memo": record.memo,
    }
    return orjson.dumps(line).decode() + "\n"
