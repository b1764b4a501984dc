"""Requests per CPU-second of a served world, as ratios to a constant reply of the same size by the same stack (Linux).

python examples/measure_http.py WORLD_OR_DIR [clients, default 16]    (of a folder of worlds: their pool)

CPU-seconds and latencies hang on the machine, and the load runs on it too: compare ratios. The floor is measured in
the same run, between the routes: uvicorn with our connections and Starlette, which read the request and send bytes
that were made before.
"""

import asyncio
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

from worldsmith.world.files import load_world, world_folders

REQUESTS = 4000
ROUNDS = 3
WORLDS = 50
"""Worlds of a pool whose names are searched for."""
FLOOR = """
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from worldsmith.serving.listen import server_config
async def reply(request):
    await request.body()
    return Response(b"x" * request.path_params["size"], media_type="application/json")
config = server_config(Starlette(routes=[Route("/{size:int}", reply, methods=["POST"])]))
config.port, config.log_level = 0, "info"
config.configure_logging()
uvicorn.Server(config).run()
"""


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


def spent(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def client(port: int, requests: list[bytes], count: int, waits: list[float], sizes: list[int]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(count):
        start = time.perf_counter()
        writer.write(random.choice(requests))  # noqa: TID251 - the order of the load is not part of anything
        head = await reader.readuntil(b"\r\n\r\n")
        sizes.append(int(re.search(rb"content-length: (\d+)", head.lower())[1]))
        await reader.readexactly(sizes[-1])
        waits.append(time.perf_counter() - start)
    writer.close()


def load(process: subprocess.Popen, port: int, path: str, bodies: list[dict], clients: int, *, warm: bool) -> Load:
    requests = []
    for body in bodies:
        text = json.dumps(body).encode()
        requests.append(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)

    async def run() -> tuple[list[float], list[int]]:
        waits: list[float] = []
        sizes: list[int] = []
        count = REQUESTS // clients
        await asyncio.gather(*(client(port, requests, count, waits, sizes) for _ in range(clients)))
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
    folders = world_folders([folder])
    keys = []
    for place in folders[:: max(1, len(folders) // WORLDS)]:
        world = load_world(place)
        keys += [world.title(row) for table in world.tables for row in world.rows_of(table)]
    queries = [f"{key} {what}".strip() for key in keys for what in ("", "date", "size")]
    pool = ["--pool"] if len(folders) > 1 else []
    routes = {
        "/api/search": [{"query": query} for query in queries],
        "/search": [{"query": query} for query in queries],
        "/retrieve": [{"queries": [query], "topk": 3} for query in queries],
    }
    floor, floor_port = started([sys.executable, "-u", "-c", FLOOR])
    served, port = started([sys.executable, "-u", "-m", "worldsmith", "serve", str(folder), *pool, "--port", "0"])
    print(
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, load average "
        f"{os.getloadavg()[0]:.1f}; {clients} clients on the same cores; medians of {ROUNDS} rounds\n"
    )
    print("| route | replies per CPU-s | p50, p99 ms | bytes | floor per CPU-s | floor p50, p99 ms | ratio |")
    print("|---|---|---|---|---|---|---|")
    for route, bodies in routes.items():
        rounds = []
        for n in range(ROUNDS):
            ours = load(served, port, route, bodies, clients, warm=n == 0)
            rounds.append((ours, load(floor, floor_port, f"/{ours.size}", bodies, clients, warm=n == 0)))
        ours, least = sorted(rounds, key=lambda pair: pair[0].rate / pair[1].rate)[ROUNDS // 2]
        print(
            f"| {route} | {ours.rate:,.0f} | {ours.middle:.1f}, {ours.slow:.1f} | {ours.size:,} "
            f"| {least.rate:,.0f} | {least.middle:.1f}, {least.slow:.1f} | {ours.rate / least.rate:.2f} |"
        )
    floor.terminate()
    served.terminate()


if __name__ == "__main__":
    main()
