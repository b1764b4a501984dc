"""What each perturbation does: how often it happens, whether it repeats, and what is left of tasks and their proofs.

python examples/measure_perturbations.py [schema …] [--worlds 2] [--tasks 4] [--calls 40] [--seeds 3]

Worlds have the seeds 0, 1, …; tasks are certified ones. A kind is measured alone, at the share that the profile
`realistic` or `adversarial` gives it, and all kinds of a profile together. Calls are searches for keys, and readings of
pages that these find under the profile, a sample of each; "searches" and "reads" are the shares answered otherwise
than without the kind. "again" are the calls that another simulator answers with the same bytes. "certified" is the
share of tasks that the oracle solves within its attempts at a call, each proof made anew, over all seeds. Then what
the scripted agents score under each withhold level, with how many readings.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from worldsmith.agents import SimulatorClient, run
from worldsmith.generation import generate
from worldsmith.mining.certificates import replay_fault
from worldsmith.mining.pipeline import mine
from worldsmith.pages import Pages
from worldsmith.schema import load_schema, shipped
from worldsmith.seeding import rng
from worldsmith.simulate.perturb import EDITS, FAULTS, LEVELS, PROFILES
from worldsmith.simulate.protocol import Address, Call, Observation, Profile
from worldsmith.simulate.simulator import Simulator
from worldsmith.tasks import Task, gold_sqlite
from worldsmith.world.engine import attach
from worldsmith.world.model import World

SETTINGS = ("realistic", "adversarial")
AGENT_NAMES = ("oracle", "snippets-only", "keys-only", "one-query", "closed-book", "probe")


class Bench(NamedTuple):
    """A world with its tasks, the queries to ask of it, and two simulators that know all profiles measured."""

    world: World
    tasks: tuple[Task, ...]
    queries: tuple[str, ...]
    simulator: Simulator
    other: Simulator

    @classmethod
    def of(cls, world: World, tasks: int, calls: int, profiles: Mapping[str, Profile]) -> "Bench":
        keys = [" ".join(str(v) for v in world.key(row)) for name in world.tables for row in world.rows_of(name)]
        queries = rng(0, "measure", world.id).sample(keys, min(calls, len(keys)))
        both = [Simulator(world, pages=Pages(world), profiles=profiles, strict=True) for _ in range(2)]
        return cls(world, mine(world, tasks, size="small").tasks, tuple(queries), *both)


def measured() -> Iterator[tuple[str, str, Profile]]:
    """Yield each kind at each setting, and whole profiles, with its profile."""
    for setting in SETTINGS:
        whole = PROFILES[setting]
        for kind in (*EDITS, *FAULTS):
            given = {"edits": None, "faults": None}
            given["edits" if kind in EDITS else "faults"] = {kind: share_of(whole, kind)}
            if share_of(whole, kind):
                yield setting, kind, replace(whole, name=f"{setting}-{kind}", **given)
        yield setting, "all", whole


def share_of(profile: Profile, kind: str) -> float:
    return {**(profile.edits or {}), **(profile.faults or {})}.get(kind, 0)


def touched(bench: Bench, profile: Profile, seed: int, sums: Counter[str]) -> None:
    """Count the calls answered otherwise than by withholding alone, and those that both simulators answer alike."""
    here, plain = (Address(bench.world.id, name, seed) for name in (profile.name, f"withhold-{profile.withhold}"))
    urls: dict[str, None] = {}
    for query in bench.queries:
        seen = compare(bench, here, plain, Call("web_search", query), sums)
        urls |= dict.fromkeys(hit.url for hit in seen.results)
    for url in rng(seed, "measure", profile.name).sample(list(urls), min(len(bench.queries), len(urls))):
        compare(bench, here, plain, Call("web_extractor", url), sums)


def compare(bench: Bench, here: Address, plain: Address, call: Call, sums: Counter[str]) -> Observation:
    def told(simulator: Simulator, address: Address) -> str:
        return str(replace(simulator.call(address, call), page=None, part=None))

    seen = bench.simulator.call(here, call)
    sums[call.tool] += 1
    sums[f"{call.tool} other"] += told(bench.simulator, here) != told(bench.simulator, plain)
    sums["calls"] += 1
    sums["again"] += told(bench.simulator, here) == told(bench.other, here)
    return seen


def proved(bench: Bench, profile: Profile, seed: int, sums: Counter[str]) -> None:
    for task in bench.tasks:
        client = SimulatorClient(bench.simulator, Address(bench.world.id, profile.name, seed))
        sums["tasks"] += 1
        sums["certified"] += not replay_fault(task, bench.world, client)
        sums["retries"] += client.retries


def unchanged(bench: Bench) -> int:
    """Return how many tasks have the gold, asked of the database now, that they had before all calls."""
    with attach(bench.world) as connection:
        return sum(gold_sqlite(task.query, connection, bench.world.schema) == task.gold for task in bench.tasks)


def baselines(benches: list[Bench], level: int) -> None:
    for name in AGENT_NAMES:
        reads = f1 = nonkey = count = 0
        for bench in benches:
            for task in bench.tasks:
                client = SimulatorClient(bench.simulator, Address(bench.world.id, f"withhold-{level}"))
                episode = run(task, bench.world, name, client)
                score, reads = episode.scored(task), reads + episode.cost.extract_calls
                f1, nonkey, count = f1 + score.item.f1, nonkey + score.nonkey.f1, count + 1
        print(f"  {level}  {name:14}{reads / count:8.1f}{f1 / count:9.3f}{nonkey / count:9.3f}")


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schemas", nargs="*", default=list(shipped()))
    for name, default in (("worlds", 2), ("tasks", 4), ("calls", 40), ("seeds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    levels = [Profile(f"withhold-{level}", withhold=level) for level in range(LEVELS)]
    profiles = PROFILES | {p.name: p for p in (*levels, *(profile for _, _, profile in measured()))}
    worlds = [generate(load_schema(name), seed) for name in asked.schemas for seed in range(asked.worlds)]
    benches = [Bench.of(world, asked.tasks, asked.calls, profiles) for world in worlds]
    print(f"{len(worlds)} worlds, {sum(len(b.tasks) for b in benches)} tasks, {asked.seeds} seeds")
    print(f"{'setting':12}{'kind':16} share  searches   reads   again  certified  retries")
    for setting, kind, profile in measured():
        sums: Counter[str] = Counter()
        for bench in benches:
            for seed in range(asked.seeds):
                touched(bench, profile, seed, sums)
                proved(bench, profile, seed, sums)
        shares = [sums[f"{tool} other"] / max(1, sums[tool]) for tool in ("web_search", "web_extractor")]
        rest = f"{shares[0]:10.1%}{shares[1]:8.1%}{sums['again'] / sums['calls']:8.1%}"
        kept = f"{sums['certified'] / max(1, sums['tasks']):11.1%}{sums['retries'] / max(1, sums['tasks']):9.1f}"
        print(f"{setting:12}{kind:16}{share_of(profile, kind) or '':>6}{rest}{kept}")
    print(f"gold unchanged: {sum(map(unchanged, benches))} of {sum(len(b.tasks) for b in benches)} tasks")
    print("withhold, agent, pages read, item F1, item F1 outside the key: means a task")
    for level in range(LEVELS):
        baselines(benches, level)


if __name__ == "__main__":
    main()
