"""The tools of an episode in process: what a simulator observes, as replies."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from worldsmith.episode.call import Call
from worldsmith.episode.episode import Reply
from worldsmith.episode.tools import page_text, search_text
from worldsmith.errors import UsageError
from worldsmith.pages.pool import open_pool
from worldsmith.simulate.disclosure import observation_hashes
from worldsmith.simulate.http_status import http_failure
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address, Observation, Result
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.files import folders_by_id, load_world, world_folders
from worldsmith.world.model import World

MOST_OPEN = 32
"""Worlds that `local_tools` keeps open."""


class SearchEngine(Protocol):
    """What answers the calls of episodes: a `Simulator`, a `PoolSimulator`, or a server that has one."""

    @property
    def id(self) -> str:
        """The id of the world or pool that it serves."""
        ...

    def call(self, address: Address, call: Call, attempt: int = 0) -> Observation:
        """Answer a call."""
        ...

    def open_world(self, world: str) -> World:
        """Return one of its worlds. Raises NotFoundError or UsageError for another."""
        ...

    async def acall(self, address: Address, call: Call, attempt: int = 0) -> Observation:
        """Answer a call while others wait: by a language model where one writes the replies."""
        ...


@dataclass(frozen=True, slots=True)
class SimulatorTools:
    """A search engine at an address; `digest` is that of the world whose cells are hashed."""

    simulator: SearchEngine
    address: Address
    digest: str = ""

    def call(self, call: Call, attempt: int) -> Reply:
        """Answer a call."""
        return self._reply(call, self.simulator.call(self.address, call, attempt))

    async def acall(self, call: Call, attempt: int) -> Reply:
        """Answer a call while others wait."""
        return self._reply(call, await self.simulator.acall(self.address, call, attempt))

    def _reply(self, call: Call, observation: Observation) -> Reply:
        return Reply(
            reply_text(observation, call),
            observation_hashes(observation, self.digest),
            opened=observation.opened,
            fault=bool(observation.fault),
            unavailable=observation.status == "unavailable",
            source=observation,
        )


def local_tools(folder: str, address: str) -> SimulatorTools:
    """Return the tools at an address, `<world or pool>[;profile=NAME][;seed=N]`, of the worlds in a folder.

    Raises NotFoundError or UsageError where the folder doesn't hold them, FormatError where one can't be read.
    """
    web, *options = address.split(";")
    named = dict(option.split("=", 1) for option in options)
    simulator, digest = _simulator(folder, web)
    return SimulatorTools(simulator, Address(web, named.get("profile", "clean"), int(named.get("seed", 0))), digest)


@lru_cache(MOST_OPEN)
def _simulator(folder: str, web: str) -> tuple[Simulator | PoolSimulator, str]:
    folders = world_folders([Path(folder)])
    if web.startswith("pool-"):
        pool = open_pool(folders)
        if pool.id != web:
            raise UsageError(f"{folder} is the pool {pool.id}, not {web}: name the folder that the tasks were made of")
        return PoolSimulator(pool), ""
    by_id = folders_by_id(folders)
    if web not in by_id:
        raise UsageError(f"{folder} doesn't hold the world {web}: name the folder that the tasks were made of")
    world = load_world(by_id[web])
    return Simulator(world), world.digest


def reply_text(observation: Observation, call: Call) -> str:
    """Return a reply as the agent reads it."""
    failed = http_failure(observation)
    if failed:
        return f"Error: {failed.text}"
    if call.tool == "web_search":
        return search_text({"results": list(map(_shown_fields, observation.results))})
    return page_text(observation.text, observation.next_offset)


def _shown_fields(result: Result) -> dict[str, str | None]:
    return {"title": result.title, "url": result.url, "date": result.date, "snippet": result.snippet}
