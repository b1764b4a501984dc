"""What a pool costs: its index, searches and pages by CPU-second, memory; CPU seconds of one process.

python examples/measure_pool.py DIR [bm25|hybrid|dense]    (a folder of worlds; its pool.json and index are made anew)
"""

import random
import resource
import sys
import time
from pathlib import Path

from worldsmith.pages.index import FOLDER
from worldsmith.pages.index.dense import retriever_named
from worldsmith.pages.pool import POOL, open_pool
from worldsmith.simulate.pool import simulator_of
from worldsmith.simulate.protocol import Address, Call
from worldsmith.world.files import load_world, world_folders

QUERIES = 2000
WORLDS = 50
"""Worlds whose names are searched for: each is opened once by its first hit."""


def timed(work) -> tuple[float, object]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def main() -> None:
    folder, retriever = Path(sys.argv[1]), retriever_named(*sys.argv[2:3] or ("bm25",))
    (folder / POOL).unlink(missing_ok=True)
    folders = world_folders([folder])
    recorded, pool = timed(lambda: open_pool(folders))
    again, pool = timed(lambda: open_pool(folders))
    path = folder / FOLDER / f"{pool.id}.short"
    path.unlink(missing_ok=True)
    built, index = timed(lambda: pool.index("short"))
    opened, index = timed(lambda: pool.index("short"))
    if retriever is not None:
        vectors = path.with_name(f"{path.name}.dense")
        vectors.unlink(missing_ok=True)
        made, index = timed(lambda: pool.index("short", retriever=retriever))
        print(f"vectors made in {made:.1f} CPU-s, {vectors.stat().st_size / 1e6:.1f} MB")
    print(f"{len(pool.worlds)} worlds, {len(index.ids):,} pages, {len(index.words):,} terms")
    print(f"record made in {recorded:.1f} CPU-s, read in {again * 1e3:.0f} ms")
    print(f"index built in {built:.1f} CPU-s, {path.stat().st_size / 1e6:.1f} MB, opened in {opened * 1e3:.1f} ms")

    draw = random.Random(7)
    keys = []
    for place in folders[:: max(1, len(folders) // WORLDS)]:
        world = load_world(place)
        keys += [world.title(row) for table in world.tables for row in world.rows_of(table)]
    queries = [
        f"{draw.choice(keys)} {draw.choice(('', 'date', 'price and size', 'who keeps it'))}" for _ in range(QUERIES)
    ]
    ranked, _ = timed(lambda: [index.search(query, 10, 1) for query in queries])
    address, simulator = Address(pool.id), simulator_of(pool, retriever=retriever)
    cold, hits = timed(lambda: [simulator.call(address, Call("web_search", query)) for query in queries])
    first, hits = timed(lambda: [simulator.call(address, Call("web_search", f"{query} now")) for query in queries])
    urls = list(dict.fromkeys(result.url for some in hits for result in some.results))[:QUERIES]
    read, _ = timed(lambda: [simulator.call(address, Call("web_extractor", url)) for url in urls])
    print(f"ranking alone {QUERIES / ranked:,.0f} a CPU-s; searches {QUERIES / first:,.0f} (worlds open), ", end="")
    print(f"{QUERIES / cold:,.0f} (each world opened by its first hit); pages {len(urls) / read:,.0f}")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB at most")


if __name__ == "__main__":
    main()
