"""The figures of the README, measured here: CPU seconds and ratios of one run, no wall times.

python examples/measure.py [worlds a schema, default 40]
"""

import gc
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measure_worlds import edits

from worldsmith.checking import check
from worldsmith.generation import generate
from worldsmith.mining.pipeline import mine
from worldsmith.schema import load_schema, shipped
from worldsmith.simulate.protocol import Address, Call
from worldsmith.simulate.simulator import Simulator
from worldsmith.world import files


def each(work: Callable, items: list) -> tuple[float, list]:
    """Return CPU seconds an item, and what came of the items."""
    gc.collect()  # what was measured before leaves nothing to be paid for here
    start = time.process_time()
    results = [work(item) for item in items]
    return (time.process_time() - start) / len(items), results


def worlds(name: str, count: int) -> None:
    schema = load_schema(name)
    generated, made = each(lambda i: generate(schema, i), list(range(count)))
    checked, reports = each(check, made)
    folder = Path(tempfile.mkdtemp())
    stored, _ = each(lambda world: files.save_world(world, folder), made)
    shutil.rmtree(folder)
    facts = [world.facts for world in made]
    print(f"{name}: {count} worlds of {min(facts)}-{max(facts)} facts, {sum(r.broken for r in reports)} violations")
    print(f"  generate {generated * 1e3:.1f} + check {checked * 1e3:.1f} + store {stored * 1e3:.1f} ms a world")
    print(f"  {1 / (generated + checked + stored):.0f} worlds/CPU-s")


def searches(name: str) -> None:
    world = generate(load_schema(name), 7)
    address = Address(world.id)
    simulator = Simulator(world)

    def search(query: str) -> list[str]:
        return [r.url for r in simulator.call(address, Call("web_search", query)).results]

    cold, _ = each(search, ["the first query of a world"])
    names = [" ".join(str(v) for v in world.key(row)) for t in world.tables for row in world.rows_of(t)]
    queries = [f"{n} {what}".strip() for n in names for what in ("", "date", "price and size", "who keeps it")]
    first, found = each(search, queries)
    again, _ = each(search, queries)
    urls = list(dict.fromkeys(url for hits in found for url in hits))
    read, _ = each(lambda url: simulator.call(address, Call("web_extractor", url)), urls)
    reread, _ = each(lambda url: simulator.call(address, Call("web_extractor", url)), urls)
    print(f"  in process, guard included: {1 / first:.0f} searches/CPU-s ({1 / again:.0f} when asked again)")
    print(
        f"  {1 / read:.0f} pages read/CPU-s ({1 / reread:.0f} when read again); first answer after {cold * 1e3:.0f} ms"
    )


def tasks(name: str, count: int, size: str) -> None:
    schema = load_schema(name)
    made = [generate(schema, 100 + i) for i in range(count)]
    spent, found = each(lambda world: mine(world, 10, size=size), made)
    tokens = sorted(t.tool_tokens for m in found for t in m.tasks)
    rate = len(tokens) / (spent * count)
    print(f"  {len(tokens)} {size} tasks of {10 * count} asked, {rate:.1f}/CPU-s, all gates passed")
    fit = ", ".join(f"{sum(t <= k * 1000 for t in tokens) / len(tokens):.0%} fit {k}k" for k in (8, 16, 32))
    print(f"  tool tokens of the oracle: median {tokens[len(tokens) // 2]}, {fit}")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    for name in shipped():
        worlds(name, count)
        edits(name, 500)
        searches(name)
        for size in ("wide", "small"):
            tasks(name, max(1, count // 8), size)


if __name__ == "__main__":
    main()
