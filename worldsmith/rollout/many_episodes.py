"""Many episodes of a chat model at once: in process, in a pool, or against a server."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, Final

from worldsmith.agents.client import tokens
from worldsmith.episode.search_server import SearchServer
from worldsmith.rollout.call_formats import CallFormat
from worldsmith.rollout.chat_model import ChatModel, SpendingLimitError
from worldsmith.rollout.episode import play
from worldsmith.rollout.served_simulator import ServedSimulator
from worldsmith.seeding import draw
from worldsmith.simulate.protocol import Address
from worldsmith.simulate.traces import Traces
from worldsmith.tasks import Task
from worldsmith.tasks.worlds import Worlds
from worldsmith.train.environment import Environment
from worldsmith.train.simulator_tools import SearchEngine
from worldsmith.world.model import World

OPEN_WORLDS: Final = 32
"""Worlds kept open beside those that episodes are in."""
FAILURES: Final = 8
"""Episodes in a row that end without a reply, after which no further one begins; the concurrency where it is more."""


@dataclass(frozen=True, slots=True)
class Job:
    """One sample of a task."""

    task: Task
    sample: int


def jobs_of(tasks: Iterable[Task], k: int) -> list[Job]:
    """Return the jobs of `k` samples per task, task by task."""
    return [Job(task, sample) for task in tasks for sample in range(k)]


class Environments:
    """Opens the environments of episodes; worlds are opened in threads, each once while it is in use."""

    def __init__(
        self,
        worlds: Worlds,
        *,
        server: SearchServer | None = None,
        profile: str = "clean",
        seed: int = 0,
        max_turns: int | None = None,
        traces: Traces | None = None,
    ) -> None:
        """Take the worlds, whose simulators answer calls, or a server in their place.

        `profile` may be "" with a server, for its own. `max_turns` replaces the limit of each task.
        """
        self._worlds, self._server = worlds, server
        self._profile, self._seed, self._max_turns, self._traces = profile, seed, max_turns, traces
        self._open: OrderedDict[str, tuple[World, SearchEngine]] = OrderedDict()
        self._opening = asyncio.Lock()
        self._process = token_hex(4)  # a server counts the attempts of a session: no two processes share one

    async def open(self, job: Job) -> Environment:
        """Return the environment of a job. Raises FormatError where its world can't be read, UsageError likewise."""
        async with self._opening:
            name = job.task.worlds[0]
            if name not in self._open:
                self._open[name] = await asyncio.to_thread(self._opened, name, job.task.web)
            self._open.move_to_end(name)
            while len(self._open) > OPEN_WORLDS:
                self._open.popitem(last=False)
            world, engine = self._open[name]
        session = f"{draw(self._seed, 'session', job.task.task_id, str(job.sample), self._process):016x}"
        return Environment(
            world,
            job.task,
            engine,
            profile=self._profile,
            seed=self._seed,
            max_turns=self._max_turns,
            traces=self._traces,
            session=session,
        )

    def _opened(self, name: str, web: str) -> tuple[World, SearchEngine]:
        world, simulator = self._worlds.open(name), self._worlds.simulator(name)
        if self._server:
            return world, ServedSimulator(self._server, web, simulator)
        simulator.warm(Address(simulator.id, self._profile))
        return world, simulator


async def play_many(
    jobs: Iterable[Job],
    environments: Environments,
    model: ChatModel,
    form: CallFormat,
    *,
    concurrency: int,
    record: Callable[[Mapping[str, Any]], object],
    count: Callable[[str], int] = tokens,
) -> str:
    """Play the episodes of jobs, `concurrency` at a time, and hand each record on as its episode ends.

    Returns why some were not played, "" where all were: the spending limit, or a model's server that ended one episode
    after another. Episodes under way at a spending limit are left out.

    Raises what opening an environment, or `record`, raises.
    """
    waiting = iter(jobs)
    stopped, failed = "", 0

    async def work() -> None:
        nonlocal stopped, failed
        for job in waiting:
            if stopped:
                return
            environment = await environments.open(job)
            before = model.replies
            try:
                episode = await play(environment, model, form, job.sample, count)
            except SpendingLimitError as limit:
                stopped = str(limit)
                return
            record(episode)
            failed = failed + 1 if episode["finish"] == "model_error" and model.replies == before else 0
            if failed >= max(FAILURES, concurrency):
                stopped = f"{failed} episodes in a row ended without a reply: {episode['error']}"

    workers = [asyncio.ensure_future(work()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return stopped
