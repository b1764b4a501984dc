"""The worlds of a server: known by id from the start, opened at their first call, bounded in memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import inf
from pathlib import Path
from threading import Lock
from typing import Protocol

from worldsmith.errors import NotFoundError, UsageError, close_match, some_of
from worldsmith.pages.pool import Pool
from worldsmith.simulate.pool import BYTES_A_FACT
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.world.files import load_world, read_summary
from worldsmith.world.model import World

OPENERS = 2
"""Threads that open worlds: it is work of one interpreter, so more would only slow the replies."""
NAMING = "Name one by the path /w/<world>/… or by an API key ws-<world>; GET /worlds lists them"
MAX_NAMED = 12
"""Worlds named in a message."""


class Responder(Protocol):
    """What answers the calls of one world or pool: a `Simulator`, a `PoolSimulator`."""

    def ready(self, address: Address) -> bool:
        """Whether the pages and the index that answer at an address are made."""
        ...

    def warm(self, address: Address) -> None:
        """Make them; runs beside calls to what is ready."""
        ...

    async def acall(self, address: Address, call: Call, attempt: int = 0, deadline: float = inf) -> Observation:
        """Return the observation of one call; what it has to wait for ends by `deadline`, on the event loop's clock."""
        ...


Simulate = Callable[[World | Pool], Responder]


Source = Path | World | Pool
"""What is served: a world in a folder or in memory, or a pool."""


@dataclass(frozen=True, slots=True)
class WorldCard:
    """What the server lists of a world, or a pool, and where it comes from."""

    place: str
    open: Callable[[], World | Pool]
    schema: str
    as_of: str
    facts: int
    digest: str


class ResponderCache:
    """Responders by world id. Ids are looked up, never joined to a path; the least recently used ones are closed first.

    A world is read and its pages and index made in a thread, once for all who wait for it: clients of worlds that are
    open are answered meanwhile. Safe to use from several threads and event loops.
    """

    def __init__(self, sources: Sequence[Source], memory: int, simulate: Simulate) -> None:
        """Read the manifests of `sources`; raises UsageError where one is no world, or two have one id.

        A pool is listed beside its worlds, and never closed: it closes worlds of its own.
        """
        self.cards: dict[str, WorldCard] = {}
        for world, card in chain.from_iterable(map(_cards_of, sources)):
            if world in self.cards:
                raise UsageError(f"world {world!r} is given twice: {self.cards[world].place}, {card.place}")
            self.cards[world] = card
        if not self.cards:
            raise UsageError("there is no world to serve")
        self.pool = next((source for source in sources if isinstance(source, Pool)), None)
        self._budget, self._simulate = memory * 1_000_000, simulate
        self._open: OrderedDict[str, Responder] = OrderedDict()
        self._opening: dict[str, Future[Responder]] = {}
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(OPENERS, thread_name_prefix="worldsmith-open")

    @property
    def only(self) -> str:
        """The id of the pool, else of the single world; "" where there are several worlds and no pool."""
        if self.pool is not None:
            return self.pool.id
        return next(iter(self.cards)) if len(self.cards) == 1 else ""

    @property
    def opened(self) -> tuple[str, ...]:
        """Ids of the worlds in memory, least recently used first."""
        with self._lock:
            return tuple(self._open)

    def check(self, world: str) -> None:
        """Raise UsageError where no world is named, NotFoundError where it isn't here."""
        if not world:
            shown = some_of(self.cards, MAX_NAMED)
            raise UsageError(f"this server has {len(self.cards)} worlds: {shown}. {NAMING}")
        if world not in self.cards:
            pool = ". A pool is served by `worldsmith serve DIR --pool`" if world.startswith("pool-") else ""
            raise NotFoundError(f"there is no world {world!r} here.{close_match(world, self.cards)} {NAMING}{pool}")

    async def get(self, address: Address) -> Responder:
        """Return what answers at an address, once it is ready. Raises WorldsmithError if files can't be read."""
        while True:
            state = self._ready(address)
            if not isinstance(state, Future):
                return state
            # A client that disconnects does not cancel what others wait for.
            responder = await asyncio.shield(asyncio.wrap_future(state))
            if responder.ready(address):
                return responder

    def open_soon(self, address: Address) -> bool:
        """Return whether what answers at an address is ready; starts to open it where it isn't."""
        return not isinstance(self._ready(address), Future)

    def _ready(self, address: Address) -> "Responder | Future[Responder]":
        """Return what answers, or the one thread's work that will make it."""
        with self._lock:
            responder = self._open.get(address.world)
            if responder is not None and responder.ready(address):
                self._open.move_to_end(address.world)
                return responder
            if address.world not in self._opening:
                self._opening[address.world] = self._threads.submit(self._make, address)
            return self._opening[address.world]

    def _make(self, address: Address) -> Responder:
        world = address.world
        try:
            responder = self._open.get(world) or self._simulate(self.cards[world].open())
            responder.warm(address)
            with self._lock:
                self._open[world] = responder
                self._open.move_to_end(world)
                self._close(keep=world)
            return responder
        finally:
            with self._lock:
                del self._opening[world]

    def _close(self, keep: str) -> None:
        pool = self.pool.id if self.pool else ""
        used = sum(self.cards[world].facts for world in self._open if world != pool) * BYTES_A_FACT
        for world in [name for name in self._open if name not in {keep, pool}]:
            if used <= self._budget:
                return
            del self._open[world]
            used -= self.cards[world].facts * BYTES_A_FACT


def _cards_of(source: Source) -> Iterator[tuple[str, WorldCard]]:
    """Yield what is listed of a source by id: a pool's worlds, which are served alone too, before itself."""
    if isinstance(source, Pool):
        for folder in source.folders.values():
            yield from _cards_of(folder)
        yield source.id, WorldCard("in memory", lambda: source, "pool", "", source.facts, source.id)
    elif isinstance(source, World):
        schema = source.schema
        yield source.id, WorldCard("in memory", lambda: source, schema.name, schema.as_of, source.facts, source.digest)
    else:
        one = read_summary(source)
        card = WorldCard(str(source), partial(load_world, source), one.schema, one.as_of, one.facts, one.digest)
        yield one.world, card
