"""What is counted of requests, as Prometheus reads it, and an access log of JSON lines. Neither holds a key.

Of a request the method, the path, the address and what became of it are noted; no header, query string or body.
"""

import os
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import accumulate

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

RECORD = "worldsmith.record"
"""Where a request's record is in its scope."""
CLOSED = 499
"""Status, as nginx notes it, of a request whose client left before the reply."""
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the classes of times."""
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


class Metrics:
    """Counts of the requests of a process."""

    def __init__(self) -> None:
        self.in_progress = 0
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[tuple[str, str], _Times] = {}

    def add(self, record: RequestRecord, seconds: float) -> None:
        """Count a request that took some seconds."""
        self._requests[record.dialect, record.route, record.status] += 1
        times = self._times.setdefault((record.dialect, record.route), _Times())
        times.counts[bisect_left(SECONDS, seconds)] += 1
        times.total += seconds

    def text(self, more: Mapping[str, tuple[str, str, int]]) -> str:
        """Return the counts in Prometheus's text format; `more` are others by name: type, what it is, value."""
        # Each process counts for itself: the label keeps those of several workers apart.
        process = f'process="{os.getpid()}"'
        lines = _head(
            "worldsmith_requests_total", "counter", "Requests by route and status; route is empty for others."
        )
        for (dialect, route, status), count in sorted(self._requests.items()):
            labels = f'{process},dialect="{dialect}",route="{route}",status="{status}"'
            lines.append(f"worldsmith_requests_total{{{labels}}} {count}")
        name = "worldsmith_request_duration_seconds"
        lines += _head(name, "histogram", "Seconds from a request's head to the end of its reply.")
        for (dialect, route), times in sorted(self._times.items()):
            labels = f'{process},dialect="{dialect}",route="{route}"'
            bounds = [*(f"{bound:g}" for bound in SECONDS), "+Inf"]
            for bound, count in zip(bounds, accumulate(times.counts), strict=True):
                lines.append(f'{name}_bucket{{{labels},le="{bound}"}} {count}')
            lines += [f"{name}_sum{{{labels}}} {times.total:.6f}", f"{name}_count{{{labels}}} {sum(times.counts)}"]
        for other, (kind, about, value) in more.items():
            lines += [*_head(other, kind, about), f"{other}{{{process}}} {value}"]
        return "\n".join((*lines, ""))


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
