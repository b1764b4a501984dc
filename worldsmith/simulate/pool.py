"""The simulator of a pool: a call goes to the worlds whose pages answer it, and their answers make one reply.

A search is ranked over all pages at once; of each world among the hits the simulator makes its part, under the same
profile, edits and guard as alone. A read goes to the one world whose site it is of. No reply names a world.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from math import inf
from threading import Lock
from typing import Any

from worldsmith.errors import UsageError
from worldsmith.pages import Page, Pages
from worldsmith.pages.index.dense import Retriever
from worldsmith.pages.index.pool import PoolIndex
from worldsmith.pages.lengths import Length
from worldsmith.pages.pool import Pool
from worldsmith.simulate.perturb import PROFILES, RANKINGS, profile_named, ranked_hits
from worldsmith.simulate.protocol import Address, Call, Observation, Profile, Result, Slice, View
from worldsmith.simulate.simulator import Part, Simulator, fault_for
from worldsmith.simulate.slices import hits_wanted
from worldsmith.world.model import World

MEMORY = 2048
"""Megabytes that open worlds may take, by estimate."""
BYTES_A_FACT = 12_000
"""Memory of a fact of an open world with its pages, index, guard and memos: 6 to 11 KB after 1,500 searches and a
read of every page. A profile of another page length takes as much again."""


_Key = tuple[str, str]
"""The ids of a world and of a page of it."""


class PoolSimulator:
    """Answers calls to all worlds of a pool at once; safe to use from several threads."""

    def __init__(
        self,
        pool: Pool,
        *,
        simulate: Callable[[World], Simulator] = Simulator,
        index: Callable[[Length], PoolIndex] | None = None,
        profiles: Mapping[str, Profile] = PROFILES,
        memory: int = MEMORY,
    ) -> None:
        """Keep what answers are made with.

        Args:
            pool: the worlds served.
            simulate: makes the simulator of one of them, which knows the same `profiles`.
            index: returns the index over their pages, of a length; by default the one saved beside the worlds.
            profiles: the profiles an address may name.
            memory: megabytes for open worlds, by estimate; the least recently used one is closed first.
        """
        self.pool, self._simulate, self._index_of = pool, simulate, index or pool.index
        self._profiles = profiles
        self._most_open = max(1, memory * 1_000_000 * len(pool.worlds) // (BYTES_A_FACT * pool.facts))
        self._indexes: dict[Length, PoolIndex] = {}
        self._open: OrderedDict[str, Simulator] = OrderedDict()
        self._lock = Lock()

    @property
    def id(self) -> str:
        """What an address names: the pool's id."""
        return self.pool.id

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what the first call opens anew."""
        return {**vars(self), "_indexes": {}, "_open": OrderedDict(), "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state, with a lock of its own."""
        vars(self).update(state, _lock=Lock())

    def ready(self, address: Address) -> bool:
        """Whether the index for an address is open."""
        return profile_named(address.profile, self._profiles).length in self._indexes

    def warm(self, address: Address) -> None:
        """Open the index, or make it; worlds are opened by the calls that need them."""
        self._index(profile_named(address.profile, self._profiles))

    def world(self, world: str) -> Simulator:
        """Return the simulator of one world."""
        with self._lock:
            simulator = self._open.get(world)
            if simulator is not None:
                self._open.move_to_end(world)
                return simulator
        made = self._simulate(self.pool.open(world))
        with self._lock:
            simulator = self._open.setdefault(world, made)  # another thread's, where it was quicker
            while len(self._open) > self._most_open:
                self._open.popitem(last=False)
        return simulator

    def open_world(self, world: str) -> World:
        """Return one of its worlds. Raises NotFoundError for another."""
        return self.world(world).world

    def page_at(self, address: Address, url: str) -> tuple[str, Page] | None:
        """Return the id of the world that has a page at an address of the web, with the page; None for no page."""
        world = self.pool.world_at(url)
        return self.world(world).page_at(self._own(address, world), url) if world else None

    def pages_of(self, address: Address, world: str) -> Pages:
        """Return the pages of a world that an address is answered from."""
        return self.world(world).pages_of(replace(address, world=world))

    def ranked_urls(self, address: Address, query: str) -> list[str]:
        """Return the addresses of all hits for a query as `Simulator.ranked_urls` does."""
        return self._index(profile_named(address.profile, self._profiles)).ranked_urls(query)

    def call(self, address: Address, call: Call, attempt: int = 0) -> Observation:
        """Answer a call as `Simulator.call` does. Raises NotFoundError, UsageError likewise."""
        parts = self.parts_or_reply(address, call, attempt)
        if isinstance(parts, Observation):
            return parts
        return self._merged(parts, [part.simulator.answer_stored(part.address, part.slice) for part in parts])

    async def acall(self, address: Address, call: Call, attempt: int = 0, deadline: float = inf) -> Observation:
        """Answer a call as `Simulator.acall` does: each world's part of a search by a request of its own."""
        # A world takes longer to open than any call: others are answered meanwhile.
        work = partial(self.parts_or_reply, address, call, attempt)
        parts = work() if self._is_open_for(call) else await asyncio.to_thread(work)
        if isinstance(parts, Observation):
            return parts
        answers = (part.simulator.answer_by_model(part.address, part.slice, deadline) for part in parts)
        return self._merged(parts, await asyncio.gather(*answers))

    def _is_open_for(self, call: Call) -> bool:
        if call.tool == "web_search":
            return len(self._open) == len(self.pool.worlds)
        world = self.pool.world_at(call.arg)
        return world is None or world in self._open

    def parts_or_reply(self, address: Address, call: Call, attempt: int = 0) -> list[Part] | Observation:
        """Return what each world may add to an answer, or the answer itself: a fault, not found, no hits."""
        world = self.pool.world_at(call.arg) if call.tool == "web_extractor" else None
        if world is not None:
            return self.world(world).parts_or_reply(self._own(address, world), call, attempt)
        fault = self._fault(address, call, attempt)
        if fault is not None:
            return fault
        if call.tool == "web_extractor":
            return Observation("not_found")
        profile = profile_named(address.profile, self._profiles)
        if profile.full_text and not call.full_text:
            call = replace(call, full_text=True)
        k = hits_wanted(call, self.pool.seed)
        end = call.page * k
        hits = list(islice(self._ranked(address, profile, call.arg, end + 1), end + 1))
        by_world: dict[str, list[View]] = {}
        for rank, ((world, page_id), score) in enumerate(hits[end - k : end], end - k):
            page = self.pages_of(address, world).page(page_id)
            by_world.setdefault(world, []).append(View(page, score, rank))
        parts = []
        for world, views in by_world.items():
            simulator, own = self.world(world), self._own(address, world)
            part = simulator.edited(own, Slice(call, tuple(views), len(hits) > end))
            if part.views:
                parts.append(Part(simulator, own, part))
        return parts or Observation("ok", more=len(hits) > end)

    def _fault(self, address: Address, call: Call, attempt: int) -> Observation | None:
        if address.world not in ("", self.pool.id):
            raise UsageError(f"the address names {address.world!r}; this is the pool {self.pool.id!r}")
        return fault_for(profile_named(address.profile, self._profiles), call, address.seed, attempt)

    def _index(self, profile: Profile) -> PoolIndex:
        index = self._indexes.get(profile.length)
        return index or self._indexes.setdefault(profile.length, self._index_of(profile.length))

    def _own(self, address: Address, world: str) -> Address:
        return replace(address, world=world)

    def _ranked(self, address: Address, profile: Profile, query: str, wanted: int) -> Iterator[tuple[_Key, float]]:
        """Yield hits, best first, each once, with what a profile's edits put before them."""
        index, edited = self._index(profile), any((profile.edits or {}).get(name) for name in RANKINGS)

        def results_page(page: int) -> tuple[list[tuple[_Key, float]], bool]:
            hits, more = index.search(query, wanted, page, hidden=edited)
            return [((world, page_id), score) for world, page_id, score in hits], more

        def placed(key: _Key) -> list[tuple[_Key, float]]:
            world, page_id = key
            ids = self.world(world).placed(self._own(address, world), page_id)
            return [((world, one), share) for one, share in ids]

        return ranked_hits(results_page, placed if edited else lambda key: [(key, 1.0)])

    def _merged(self, parts: Sequence[Part], answers: Sequence[Observation]) -> Observation:
        """Return a page, or the answers of several worlds to one search as one, in the order of the ranking."""
        digests = [self.pool.digests[part.address.world] for part in parts]
        by_digest = list(zip(digests, answers, strict=True))
        first = parts[0].slice
        if first.call.tool == "web_extractor":
            return _disclosing(answers[0], by_digest)
        hits: list[tuple[View, Result]] = []
        for answer in answers:
            if answer.part is not None and answer.status == "ok":
                hits += zip(answer.part.views, answer.results, strict=True)
        hits.sort(key=lambda hit: hit[0].rank)
        slices = [answer.part for answer in answers if answer.part is not None]
        whole = Slice(
            first.call,
            tuple(view for view, _ in hits),
            first.more,
            tuple(change for slice_ in slices for change in slice_.changes),
        )
        sources = {answer.source for answer in answers}
        merged = Observation(
            "ok",
            results=tuple(result for _, result in hits),
            more=first.more,
            source=sources.pop() if len(sources) == 1 else "model",
            verdicts=tuple(verdict for answer in answers for verdict in answer.verdicts),
            part=whole,
            exchanges=tuple(exchange for answer in answers for exchange in answer.exchanges),
        )
        return _disclosing(merged, by_digest)


def simulator_of(
    source: World | Pool, profiles: Mapping[str, Profile] = PROFILES, retriever: Retriever | None = None
) -> Simulator | PoolSimulator:
    """Return what answers the calls of a world or a pool, without a language model; `retriever` as in `Simulator`."""
    if isinstance(source, World):
        return Simulator(source, profiles=profiles, retriever=retriever)
    index = partial(source.index, retriever=retriever)
    return PoolSimulator(source, simulate=partial(Simulator, profiles=profiles), index=index, profiles=profiles)


def _disclosing(observation: Observation, parts: Sequence[tuple[str, Observation]]) -> Observation:
    """Return a reply with what it discloses, listed by world."""
    by_world = tuple((digest, part.disclosed) for digest, part in parts if part.disclosed)
    return replace(observation, disclosed=(), disclosed_by_world=by_world)
