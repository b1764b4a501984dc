"""Requests per CPU-second of a served world, as ratios to a constant reply of the same size by the same stack (Linux).

python examples/measure_http.py WORLD_OR_DIR [clients, default 16] [workers, default 1]
(of a folder of worlds: their pool)

A first request is one whose reply the server's memo doesn't have, since its seed is new; a repeated one is drawn from
those made before. CPU-seconds and latencies hang on the machine, and the load runs on it too: compare ratios. The
floor is measured in the same run, between the routes: uvicorn with our connections and Starlette, which read the
request and send bytes that were made before.
"""

import asyncio
import itertools
import json
import os
import platform
import random
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from worldsmith.bench import CONSTANT_SERVER
from worldsmith.pages import Pages
from worldsmith.world.files import load_world, world_folders

REQUESTS = 4000
ROUNDS = 3
WORLDS = 50
"""Worlds of a pool whose names are searched for."""


@dataclass(frozen=True)
class Load:
    """What one load took: replies per CPU-second of the server, latencies in ms, bytes of a reply."""

    rate: float
    middle: float
    slow: float
    size: int


def started(command: list[str]) -> tuple[subprocess.Popen, int]:
    """Start a server; return it and its port, which it says on its first lines."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        address = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if address:
            return process, int(address[1])
    raise SystemExit("the server did not start")


def processes(pid: int) -> list[int]:
    """Return a process and its workers."""
    return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def memory(pid: int) -> float:
    """Return the MB of main memory that a server takes; pages that its workers share count for each."""
    status = [Path(f"/proc/{one}/status").read_text() for one in processes(pid)]
    return sum(int(re.search(r"VmRSS:\s+(\d+)", text)[1]) for text in status) / 1e3


def spent(pid: int) -> float:
    """Return the CPU-seconds that a server has taken."""
    stats = [Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split() for one in processes(pid)]
    return sum(int(fields[11]) + int(fields[12]) for fields in stats) / os.sysconf("SC_CLK_TCK")


SEEDS = itertools.count(1)


async def client(
    port: int, path: str, texts: list[bytes], count: int, waits: list[float], sizes: list[int], *, first: bool
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(count):
        start = time.perf_counter()
        text = random.choice(texts)  # noqa: TID251 - the order of the load is not part of anything
        place = f"{path}?seed={next(SEEDS)}" if first else path
        writer.write(f"POST {place} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)
        head = await reader.readuntil(b"\r\n\r\n")
        sizes.append(int(re.search(rb"content-length: (\d+)", head.lower())[1]))
        await reader.readexactly(sizes[-1])
        waits.append(time.perf_counter() - start)
    writer.close()


def load(
    process: subprocess.Popen,
    port: int,
    path: str,
    bodies: list[dict],
    clients: int,
    *,
    warm: bool,
    first: bool = False,
) -> Load:
    texts = [json.dumps(body).encode() for body in bodies]

    async def run() -> tuple[list[float], list[int]]:
        waits: list[float] = []
        sizes: list[int] = []
        count = REQUESTS // clients
        await asyncio.gather(*(client(port, path, texts, count, waits, sizes, first=first) for _ in range(clients)))
        return sorted(waits), sizes

    if warm:
        asyncio.run(run())
    before = spent(process.pid)
    waits, sizes = asyncio.run(run())
    rate = len(waits) / (spent(process.pid) - before)
    middle, slow = waits[len(waits) // 2] * 1e3, waits[-len(waits) // 100] * 1e3
    return Load(rate, middle, slow, sum(sizes) // len(sizes))


def main() -> None:
    folder, clients = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 16
    workers = ["--workers", sys.argv[3]] if len(sys.argv) > 3 else []
    folders = world_folders([folder])
    keys, urls = [], []
    for place in folders[:: max(1, len(folders) // WORLDS)]:
        world = load_world(place)
        pages, rows = Pages(world), [row for table in world.tables for row in world.rows_of(table)]
        keys += [world.title(row) for row in rows]
        urls += [pages.url(page_id) for page_id in map(pages.about, rows) if page_id]
    queries = [f"{key} {what}".strip() for key in keys for what in ("", "date", "size")]
    pool = ["--pool"] if len(folders) > 1 else []
    routes = {
        "/api/search": [{"query": query} for query in queries],
        "/api/extract": [{"url": url} for url in urls],
        "/search": [{"query": query} for query in queries],
        "/retrieve": [{"queries": [query], "topk": 3} for query in queries],
    }
    floor, floor_port = started([sys.executable, "-u", "-c", CONSTANT_SERVER])
    served, port = started(
        [sys.executable, "-u", "-m", "worldsmith", "serve", str(folder), *pool, *workers, "--port", "0"]
    )
    print(
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, load average "
        f"{os.getloadavg()[0]:.1f}; {clients} clients on the same cores; medians of {ROUNDS} rounds\n"
    )
    print("| route | first per CPU-s; p50, p99 ms | repeated | bytes | floor |")
    print("|---|---|---|---|---|")
    for route, bodies in routes.items():
        rounds = []
        for n in range(ROUNDS):
            first = load(served, port, route, bodies, clients, warm=n == 0, first=True)
            again = load(served, port, route, bodies, clients, warm=n == 0)
            rounds.append((first, again, load(floor, floor_port, f"/{again.size}", bodies, clients, warm=n == 0)))
        first, again, least = (
            sorted(loads, key=lambda one: one.rate)[ROUNDS // 2] for loads in zip(*rounds, strict=True)
        )
        shown = [f"{one.rate:,.0f}; {one.middle:.1f}, {one.slow:.1f}" for one in (first, again, least)]
        print(f"| {route} | {shown[0]} | {shown[1]} | {again.size:,} | {shown[2]} |")
    print(f"\n{memory(served.pid):,.0f} MB after {len(routes) * (2 * ROUNDS + 2) * REQUESTS:,} calls")
    floor.terminate()
    served.terminate()


if __name__ == "__main__":
    main()
