"""Filters of hosts and days, which several services have, as operators of the query (`pages.index.query`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from worldsmith.pages.index import admits, place
from worldsmith.serving.dialects.fields import Day, Texts
from worldsmith.serving.dialects.types import Request
from worldsmith.simulate.protocol import Result


@dataclass(frozen=True, slots=True)
class HostFilter:
    """Hosts, with their paths where they name one, that results must be of, and that they must not be of."""

    within: tuple[str, ...]
    without: tuple[str, ...]

    @classmethod
    def read(cls, body: Mapping[str, Any], within: Texts, without: Texts) -> "HostFilter":
        """Read the filter from two fields of a body. Raises UsageError."""
        return cls(_places(body, within), _places(body, without))

    @property
    def operators(self) -> list[str]:
        """The filter as operators of a query."""
        within, without = filter(None, self.within), filter(None, self.without)
        return [*(f"site:{host}" for host in within), *(f"-site:{host}" for host in without)]

    def admitted(self, hits: Iterable[Result]) -> list[Result]:
        """Return the hits that pass: a profile may put other pages before the hits of a query."""
        wanted = [hit for hit in hits if not self.within or admits(self.within, hit.url)]
        return [hit for hit in wanted if not admits(self.without, hit.url)]


def _places(body: Mapping[str, Any], field: Texts) -> tuple[str, ...]:
    """Return hosts, with their paths; "" for a text that is none, which no page is of."""
    return tuple(dict.fromkeys("".join(place(text).split()) for text in field.read(body)))


def day_operators(body: Mapping[str, Any], start: Day, end: Day) -> list[str]:
    """Return the operators of a first and a last day, each where it is there. Raises UsageError."""
    days = (("after", start.read(body)), ("before", end.read(body)))
    return [f"{operator}:{day}" for operator, day in days if day]


def request_hash(request: Request) -> bytes:
    """Return 16 bytes that name a request, for services that give it an id: the same call must give the same bytes."""
    # The key is not part of the request: the same query with two keys has one id.
    body = {name: value for name, value in request.fields.items() if name != "api_key"}
    named = orjson.dumps([request.address, body], option=orjson.OPT_SORT_KEYS)
    return blake2b(named, digest_size=16).digest()
