"""A model's texts written ahead of time: it is asked for each text that the store lacks, several at a time."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from worldsmith.simulate.protocol import Address, Call, Observation, Reason, Slice
from worldsmith.simulate.simulator import Simulator

OUTCOMES = ("known", "accepted", "repaired", "rejected", "failed")
"""What became of a call: its text was stored before; the model's is stored as it is, or without what the guard rejects,
or ours is; or the model gave none, and nothing is stored."""


@dataclass(slots=True)
class Written:
    """What became of the calls of a run."""

    outcomes: Counter[str] = field(default_factory=Counter)
    """Calls by `OUTCOMES`."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Replies that were repaired or rejected, by each reason of the guard's objections."""
    stopped: str = ""
    """Why it stopped before its end: the model failed too often in a row."""

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        counts = {name: self.outcomes[name] for name in OUTCOMES}
        return {**counts, "reasons": dict(sorted(self.reasons.items())), "stopped": self.stopped}

    def add(self, observation: Observation) -> None:
        """Count a reply."""
        bad = [verdict for verdict in observation.verdicts if not verdict.ok]
        failures = [verdict.why for verdict in bad if verdict.reason == Reason.BACKEND]
        if observation.source == "store":
            outcome = "known"
        elif failures:
            outcome = "failed"
        elif observation.source == "model":
            outcome = "repaired" if bad else "accepted"
        else:
            outcome = "rejected"
        self.outcomes[outcome] += 1
        self.reasons.update({verdict.reason.value for verdict in bad if verdict.reason} - {Reason.BACKEND.value})


def page_calls(simulator: Simulator, address: Address) -> Iterator[Call]:
    """Yield the calls that read each page that can be read at an address."""
    pages = simulator.pages_of(address)
    for page_id in pages.ids():
        call = Call("web_extractor", pages.url(page_id))
        if isinstance(simulator.slice_or_reply(address, call), Slice):
            yield call


async def write_ahead(
    simulator: Simulator,
    address: Address,
    calls: Iterable[Call],
    written: Written,
    *,
    concurrency: int,
    limit: int | None = None,
    refused: Callable[[], str] = lambda: "",
    done: Callable[[], object] = lambda: None,
) -> int:
    """Have the model write the answers to calls that the store has no text for; return how many were asked for.

    Args:
        simulator: has a model and a store.
        address: where the calls are made.
        calls: the calls.
        written: where their outcomes are counted.
        concurrency: calls at a time.
        limit: calls that are asked for, at most.
        refused: says why the model is not asked any more; "" while it is.
        done: called after each call.
    """
    left = iter(calls)
    requests = 0

    async def work() -> None:
        nonlocal requests
        while not written.stopped:
            if limit is not None and requests >= limit:
                return
            call = next((call for call in left if not known(call)), None)
            if call is None:
                return
            requests += 1
            written.add(await simulator.acall(address, call))
            if why := refused():
                written.stopped = why
            done()

    def known(call: Call) -> bool:
        stored = simulator.is_stored(address, call)
        if stored:
            written.outcomes["known"] += 1
            done()
        return stored

    await asyncio.gather(*(work() for _ in range(concurrency)))
    return requests
