"""Episodes over many tasks of many worlds, in process or against a server."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from worldsmith.agents.client import HttpClient, SimulatorClient, tokenizer, tokens
from worldsmith.agents.run import run
from worldsmith.disk import load_world
from worldsmith.perturb import PROFILES
from worldsmith.seeding import draw
from worldsmith.simulator import Simulator
from worldsmith.slices import Address, Profile
from worldsmith.tasks import Task


def run_many(
    pairs: Sequence[tuple[Path, Task]],
    agent: str,
    *,
    base_url: str | None = None,
    profile: str | None = None,
    profiles: Mapping[str, Profile] = PROFILES,
    tokenizer_file: Path | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the figures of one agent on each (world folder, task), in order.

    With `base_url` the tools are those of that server, at /w/<world> under `profile` (the server's own without one),
    each task in a session of its own; without, of a simulator here, "clean" by default.
    """
    count = tokens if tokenizer_file is None else tokenizer(tokenizer_file)
    folder_before, world, local = None, None, None
    for folder, task in pairs:
        if folder != folder_before or world is None:
            folder_before, world, local = folder, load_world(folder), None
        if base_url:
            with closing(HttpClient(prefix(base_url, task, agent, profile))) as served:
                yield run(task, world, agent, served, count).to_json(task)
            continue
        local = local or SimulatorClient(Simulator(world, profiles=profiles), Address(world.id, profile or "clean"))
        yield run(task, world, agent, local, count).to_json(task)


def prefix(base_url: str, task: Task, agent: str, profile: str | None) -> str:
    """Return where an agent reaches a task's world: /w/<world>;profile=…;session=…, the session a hash of both."""
    asked = f";profile={profile}" if profile else ""
    return f"{base_url.rstrip('/')}/w/{task.world}{asked};session={draw(0, 'session', task.task_id, agent):016x}"
