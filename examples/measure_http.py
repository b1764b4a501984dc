"""Requests per CPU-second of a served world, beside a constant 5 KB reply of the same stack (Linux only).

python examples/measure_http.py WORLD [clients, default 16]
"""

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

from worldsmith.disk import load_world

REQUESTS = 4000
CONSTANT = """
import orjson, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
BODY = {"results": [{"url": "https://a.example/x", "title": "t" * 60, "snippet": "s" * 380} for _ in range(10)]}
async def reply(request):
    await request.body()
    return Response(orjson.dumps(BODY), media_type="application/json")
config = uvicorn.Config(Starlette(routes=[Route("/api/search", reply, methods=["POST"])]), port=0, access_log=False)
uvicorn.Server(config).run()
"""


def started(command: list[str]) -> tuple[subprocess.Popen, int]:
    """Start a server; return it and its port, which it says on its first lines."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if found:
            return process, int(found[1])
    raise SystemExit("the server did not start")


def spent(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def client(port: int, bodies: list[bytes], count: int, waits: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(count):
        start = time.perf_counter()
        writer.write(random.choice(bodies))  # noqa: TID251 - the order of the load is not part of anything
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(re.search(rb"content-length: (\d+)", head.lower())[1]))
        waits.append(time.perf_counter() - start)
    writer.close()


def load(name: str, process: subprocess.Popen, port: int, path: str, bodies: list[dict], clients: int) -> float:
    made = []
    for body in bodies:
        text = json.dumps(body).encode()
        made.append(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)

    async def run() -> list[float]:
        waits: list[float] = []
        await asyncio.gather(*(client(port, made, REQUESTS // clients, waits) for _ in range(clients)))
        return sorted(waits)

    asyncio.run(run())  # once to warm up
    before = spent(process.pid)
    waits = asyncio.run(run())
    used = spent(process.pid) - before
    rate = len(waits) / used
    middle, slow = waits[len(waits) // 2] * 1e3, waits[-len(waits) // 100] * 1e3
    print(f"{name}: {rate:.0f}/CPU-s; p50 {middle:.1f} ms, p99 {slow:.1f} ms")
    return rate


def main() -> None:
    folder, clients = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 16
    world = load_world(folder)
    keys = [world.title(row) for table in world.tables for row in world.rows_of(table)]
    queries = [{"query": f"{key} {what}".strip()} for key in keys for what in ("", "date", "size")]
    constant, port = started([sys.executable, "-u", "-c", CONSTANT])
    base = load("constant 5 KB reply", constant, port, "/api/search", queries, clients)
    constant.terminate()
    served, port = started([sys.executable, "-u", "-m", "worldsmith", "serve", str(folder), "--port", "0"])
    rate = load("/api/search", served, port, "/api/search", queries, clients)
    print(f"  ratio to the constant reply: {rate / base:.2f}")
    load("Tavily /search", served, port, "/search", queries, clients)
    load("/retrieve", served, port, "/retrieve", [{"queries": [q["query"]], "topk": 3} for q in queries], clients)
    served.terminate()


if __name__ == "__main__":
    main()
