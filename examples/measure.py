"""The figures of the README, measured here: CPU seconds and ratios of one run, no wall times.

    python examples/measure.py [worlds a schema, default 40]
"""

import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from worldsmith import disk
from worldsmith.check import check
from worldsmith.generate import generate
from worldsmith.graph import graph_of
from worldsmith.mine import mine
from worldsmith.schema import load_schema, shipped
from worldsmith.simulator import Simulator
from worldsmith.slices import Address, Call
from worldsmith.world import World


def cpu(work, times: int) -> float:
    """Return CPU seconds of one of `times` calls of work(i)."""
    start = time.process_time()
    for i in range(times):
        work(i)
    return (time.process_time() - start) / times


def worlds(name: str, count: int) -> None:
    schema = load_schema(name)
    made: list[World] = []
    generated = cpu(lambda i: made.append(generate(schema, i)), count)
    broken = []
    checked = cpu(lambda i: broken.append(check(made[i]).broken), count)
    folder = Path(tempfile.mkdtemp())
    stored = cpu(lambda i: disk.save_world(made[i], folder), count)
    shutil.rmtree(folder)
    facts = [w.facts for w in made]
    print(
        f"{name}: {count} worlds, {min(facts)}-{max(facts)} facts, {sum(broken)} violations; generate {generated * 1e3:.1f} "
        f"+ check {checked * 1e3:.1f} + store {stored * 1e3:.1f} ms = {1 / (generated + checked + stored):.0f} worlds/CPU-s"
    )


def edits(name: str, count: int) -> None:
    """Random edits as in tests/test_check.py, told apart by whether a declared rule reads what was edited."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
    from test_check import random_edit

    schema = load_schema(name)
    chance = random.Random(5)
    tried: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    while tried["constrained"] < count:
        world = generate(schema, tried["all"] % 25)
        edited = random_edit(world, chance)
        graph = graph_of(world.schema)
        touched = [
            (t, c) for t, columns in world.tables.items() for c in columns if list(columns[c]) != list(edited.tables[t][c])
        ]
        constrained = any(graph.rules_on(cell) for cell in touched)
        found = not check(edited).ok
        for kind in ("all", *(["constrained"] if constrained else [])):
            tried[kind] += 1
            caught[kind] += found
    shares = ", ".join(f"{caught[k] / tried[k]:.1%} of {tried[k]} {k}" for k in ("constrained", "all"))
    print(f"{name}: random edits caught: {shares}")


def searches(name: str) -> None:
    world = generate(load_schema(name), 7)
    cold = cpu(lambda _: Simulator(world).call(Address(world.id), Call("web_search", "x")), 3)
    simulator, address = Simulator(world), Address(world.id)
    words = [" ".join(str(v) for v in world.key(row)) for t in world.tables for row in world.rows_of(t)]
    queries = [f"{word} {attribute}" for word in words for attribute in ("", "date", "price and size", "who keeps it")]
    first = cpu(lambda i: simulator.call(address, Call("web_search", queries[i])), len(queries))
    again = cpu(lambda i: simulator.call(address, Call("web_search", queries[i])), len(queries))
    urls = list(dict.fromkeys(r.url for q in queries[:200] for r in simulator.call(address, Call("web_search", q)).results))
    read = cpu(lambda i: simulator.call(address, Call("web_extractor", urls[i])), len(urls))
    print(
        f"{name}: in process, guard included: {1 / first:.0f} searches/CPU-s ({1 / again:.0f} repeated), "
        f"{1 / read:.0f} pages/CPU-s; a world cold in {cold * 1e3:.0f} ms"
    )


def tasks(name: str, count: int) -> None:
    for size in ("wide", "small"):
        made = [generate(load_schema(name), 100 + i) for i in range(count)]
        found = []
        spent = cpu(lambda i: found.append(mine(made[i], 10, size=size)), count)
        kept = sum(len(m.tasks) for m in found)
        tokens = sorted(t.tool_tokens for m in found for t in m.tasks)
        rejected = sum((Counter(m.rejected) for m in found), Counter())
        fits = ", ".join(f"{sum(t <= limit * 1000 for t in tokens) / len(tokens):.0%} fit {limit}k" for limit in (8, 16, 32))
        print(
            f"{name}: {kept} {size} tasks of {10 * count} asked, {kept / (spent * count):.1f}/CPU-s with certificate and all "
            f"gates; tool tokens median {tokens[len(tokens) // 2]}, {fits}; rejected: "
            + ", ".join(f"{n} {why}" for why, n in rejected.most_common(4))
        )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    for name in shipped():
        worlds(name, count)
        edits(name, 10 * count)
        searches(name)
        tasks(name, max(1, count // 8))


if __name__ == "__main__":
    main()
