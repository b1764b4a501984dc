"""Episodes over many tasks of many worlds, in process or against a server."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from worldsmith.agents.client import Client, HttpClient, SimulatorClient, tokenizer, tokens
from worldsmith.agents.run import run
from worldsmith.disk import load_world
from worldsmith.simulator import Simulator
from worldsmith.slices import Address
from worldsmith.tasks import Task


def run_many(
    pairs: Sequence[tuple[Path, Task]],
    agent: str,
    *,
    base_url: str | None = None,
    profile: str = "clean",
    tokenizer_file: Path | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the figures of one agent on each (world folder, task), in order.

    With `base_url` the tools are those of that server, addressed as /w/<world>; without, of a simulator here.
    """
    count = tokens if tokenizer_file is None else tokenizer(tokenizer_file)
    folder_before, world, client = None, None, None
    for folder, task in pairs:
        if folder != folder_before or world is None or client is None:
            world = load_world(folder)
            client = _client(world.id, base_url) if base_url else _local(Simulator(world), profile)
            folder_before = folder
        yield run(task, world, agent, client, count).to_json(task)


def _client(world: str, base_url: str) -> Client:
    return HttpClient(f"{base_url.rstrip('/')}/w/{world}")


def _local(simulator: Simulator, profile: str) -> Client:
    return SimulatorClient(simulator, Address(simulator.world.id, profile))
