"""Episodes over many tasks of many worlds, in process or against a server."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from worldsmith.agents.client import HttpClient, SimulatorClient, tokenizer, tokens
from worldsmith.agents.episode import run
from worldsmith.seeding import draw
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.traces import Traces
from worldsmith.tasks import Task
from worldsmith.world.files import load_world
from worldsmith.world.model import World


def run_many(
    pairs: Sequence[tuple[Path, Task]],
    agent: str,
    *,
    base_url: str | None = None,
    profile: str | None = None,
    simulate: Callable[[World], Simulator] = Simulator,
    pool: PoolSimulator | None = None,
    tokenizer_file: Path | None = None,
    traces: Traces | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the figures of one agent on each (world folder, task), in order.

    With `base_url` the tools are those of that server, at /w/<world> under `profile` (the server's own without one),
    each task in a session of its own; without, of a simulator that `simulate` makes here, "clean" by default. With
    `pool` they are those of the pool. `traces` gets a file per task.
    """
    count = tokens if tokenizer_file is None else tokenizer(tokenizer_file)
    folder_before: Path | None = None
    world: World | None = None
    simulator: Simulator | PoolSimulator | None = None
    for folder, task in pairs:
        if folder != folder_before or world is None:
            folder_before, world, simulator = folder, load_world(folder), None
        web = pool.id if pool else world.id
        address = Address(web, profile or ("" if base_url else "clean"), session=_session(task, agent))
        if traces:
            traces.message(address, "user", task.question, task_id=task.task_id)
        if base_url:
            trace = partial(traces.reply, address) if traces else None
            with closing(HttpClient(prefix(base_url, task, agent, profile, web), trace=trace)) as served:
                episode = run(task, world, agent, served, count)
        else:
            simulator = pool or simulator or simulate(world)
            client = SimulatorClient(simulator, address, traces=traces, world=world)
            episode = run(task, world, agent, client, count)
        if traces:
            traces.message(address, "assistant", episode.answer)
        yield episode.to_json(task)


def _session(task: Task, agent: str) -> str:
    return f"{draw(0, 'session', task.task_id, agent):016x}"


def prefix(base_url: str, task: Task, agent: str, profile: str | None, web: str = "") -> str:
    """Return where an agent reaches a task's world, or the web of a pool: /w/<world>;profile=…;session=….

    The session is a hash of task and agent.
    """
    chosen_profile = f";profile={profile}" if profile else ""
    return f"{base_url.rstrip('/')}/w/{web or task.world}{chosen_profile};session={_session(task, agent)}"
