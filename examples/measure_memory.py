"""Main memory of a server over many calls (Linux): python examples/measure_memory.py WORLD [calls] [minutes at most]

Of ten calls three are searches that were not made before, three are repeated ones, three read pages, and one is wrong.
"""

import asyncio
import json
import re
import sys
import time
from pathlib import Path

from measure_http import memory, started

from worldsmith.pages import Pages
from worldsmith.world.files import load_world

CLIENTS = 8
SAMPLES = 20
WRONG = (b'{"query": ""}', b'{"query": "a", "k": 0}', b"{", b'{"queries": 1}')


def call(n: int, titles: list[str], urls: list[str]) -> tuple[str, bytes]:
    """Return the path and body of the nth call."""
    turn, kind = divmod(n, 10)
    title = titles[turn % len(titles)]
    if kind < 3:
        return f"/api/search?seed={n}", json.dumps({"query": f"{title} {turn % 1009} {kind}"}).encode()
    if kind < 6:
        return "/search", json.dumps({"query": f"{title} {kind}"}).encode()
    if kind < 9:
        return "/api/extract", json.dumps({"url": urls[n % len(urls)]}).encode()
    return "/api/search", WRONG[turn % len(WRONG)]


async def client(port: int, calls: range, titles: list[str], urls: list[str], ends: float) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    made = 0
    for n in calls:
        if time.monotonic() > ends:
            break
        path, body = call(n, titles, urls)
        writer.write(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(re.search(rb"content-length: (\d+)", head)[1]))
        made += 1
    writer.close()
    return made


async def load(port: int, calls: range, titles: list[str], urls: list[str], ends: float) -> int:
    parts = [calls[i::CLIENTS] for i in range(CLIENTS)]
    return sum(await asyncio.gather(*(client(port, part, titles, urls, ends) for part in parts)))


def main() -> None:
    folder = Path(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    ends = time.monotonic() + 60 * (float(sys.argv[3]) if len(sys.argv) > 3 else 60)
    world = load_world(folder)
    pages, rows = Pages(world), [row for table in world.tables for row in world.rows_of(table)]
    titles = [world.title(row) for row in rows]
    urls = [pages.url(page_id) for page_id in map(pages.about, rows) if page_id]
    server, port = started([sys.executable, "-u", "-m", "worldsmith", "serve", str(folder), "--port", "0"])
    print("| calls | MB |\n|---|---|")
    made, step = 0, max(1, count // SAMPLES)
    try:
        print(f"| 0 | {memory(server.pid):.0f} |", flush=True)
        while made < count and time.monotonic() < ends:
            made += asyncio.run(load(port, range(made, min(made + step, count)), titles, urls, ends))
            print(f"| {made:,} | {memory(server.pid):.0f} |", flush=True)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
