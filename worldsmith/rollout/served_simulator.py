"""The search engine of episodes behind a server (`worldsmith serve`): replies with the evidence that it sends along."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from worldsmith.episode.search_server import SearchServer, ServerReply, request_of
from worldsmith.errors import BackendError, UsageError
from worldsmith.pages.types import Doc, Status
from worldsmith.simulate.http_status import STATUS
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address, Call, Observation, Result
from worldsmith.simulate.simulator import Simulator
from worldsmith.world.model import World

_STATUS_BY_CODE: Final[Mapping[int, Status]] = {code: status for status, (code, _) in STATUS.items() if code != 404}


@dataclass(frozen=True, slots=True)
class ServedSimulator:
    """One world or pool of a server, as a `SearchEngine`.

    What a reply discloses is known by the server's hashes; `local`, where it is given, has the same worlds, and says
    which page a URL is. A server counts attempts itself, by session.
    """

    server: SearchServer
    id: str
    local: Simulator | PoolSimulator | None = None

    def call(self, address: Address, call: Call, attempt: int = 0) -> Observation:  # noqa: ARG002 - of the protocol
        """Answer a call. Raises BackendError where the server can't be reached or doesn't have the world."""
        spec = "".join(
            f";{name}={value}" for name in ("profile", "seed", "session") if (value := getattr(address, name))
        )
        route, body = request_of(call)
        answer = self.server.post(f"/w/{self.id}{spec}{route}", body)
        if answer.status != 200:
            return self._failure(call, answer)
        reply, hashes = answer.body, answer.disclosed or ()
        if call.tool == "web_search":
            results = tuple(Result(**result) for result in reply["results"])
            return Observation("ok", results, more=reply["more"], disclosed_hashes=tuple(hashes))
        world, page = (self.local and self.local.page_at(Address(self.local.id), call.arg)) or ("", None)
        return Observation(
            "ok",
            doc=Doc(reply["url"], reply["title"], reply["date"], ()),
            text=reply["text"],
            next_offset=reply["next_offset"],
            more=reply["more"],
            page=page,
            world=world,
            disclosed_hashes=tuple(hashes),
        )

    async def acall(self, address: Address, call: Call, attempt: int = 0) -> Observation:
        """Answer a call while others wait."""
        answer = partial(self.call, address, call, attempt)
        return await asyncio.get_running_loop().run_in_executor(self.server.threads, answer)

    def open_world(self, world: str) -> World:
        """Return one of the worlds of `local`. Raises UsageError without it, and as it does."""
        if self.local is None:
            raise UsageError(f"world {world!r} is on the server alone: give the simulator of its pool as `local`")
        return self.local.open_world(world)

    def _failure(self, call: Call, answer: ServerReply) -> Observation:
        if call.tool == "web_extractor" and answer.lacks_page(call.arg):
            return Observation("not_found")
        if answer.status == 400:
            return Observation("invalid", text=answer.body["error"])
        if answer.status not in _STATUS_BY_CODE:
            raise BackendError(f"{self.server.base_url}: {answer.status} {answer.body['error']}")
        status = _STATUS_BY_CODE[answer.status]
        return Observation(status, fault="" if status == "unavailable" else status)
