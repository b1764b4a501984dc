"""Episodes over many tasks of many worlds, in process or against a server."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from worldsmith.agents.client import SimulatorClient, tokenizer, tokens
from worldsmith.agents.episode import run
from worldsmith.agents.http_client import HttpClient
from worldsmith.seeding import draw
from worldsmith.simulate.protocol import Address
from worldsmith.simulate.traces import Traces
from worldsmith.tasks import Task
from worldsmith.tasks.worlds import Worlds


def run_many(
    worlds: Worlds,
    tasks: Iterable[Task],
    agent: str,
    *,
    base_url: str | None = None,
    profile: str | None = None,
    tokenizer_file: Path | None = None,
    traces: Traces | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the figures of one agent on each of the tasks of worlds, in order.

    With `base_url` the tools are those of that server, at /w/<world or pool> under `profile` (the server's own without
    one), each task in a session of its own; without, of the worlds' simulators, "clean" by default. `traces` gets a
    file per task.
    """
    count = tokens if tokenizer_file is None else tokenizer(tokenizer_file)
    for task in tasks:
        world, simulator = worlds.open(task.worlds[0]), worlds.simulator(task.worlds[0])
        address = Address(simulator.id, profile or ("" if base_url else "clean"), session=_session(task, agent))
        if traces:
            traces.message(address, "user", task.question, task_id=task.task_id)
        if base_url:
            trace = partial(traces.reply, address) if traces else None
            episode = run(task, world, agent, HttpClient(prefix(base_url, task, agent, profile), trace=trace), count)
        else:
            client = SimulatorClient(simulator, address, traces=traces, world=world)
            episode = run(task, world, agent, client, count)
        if traces:
            traces.message(address, "assistant", episode.answer)
        yield episode.to_json(task)


def _session(task: Task, agent: str) -> str:
    return f"{draw(0, 'session', task.task_id, agent):016x}"


def prefix(base_url: str, task: Task, agent: str, profile: str | None) -> str:
    """Return where an agent reaches the world of a task, or its pool: /w/<id>;profile=…;session=….

    The session is a hash of task and agent.
    """
    chosen_profile = f";profile={profile}" if profile else ""
    return f"{base_url.rstrip('/')}/w/{task.web}{chosen_profile};session={_session(task, agent)}"
