"""What a dialect is: routes that read a request into calls and write observations in one service's wire form.

Dialects are pure: the server answers the calls in between, so every dialect sees the same world in its own words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from worldsmith.serving.dialects.links import Links
from worldsmith.simulate.protocol import Address, Call, Observation

JSON = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A request as dialects see it: fields of the JSON body, or of the query string of a GET."""

    path: str
    """Without the prefix that names the world."""
    fields: JSON
    address: Address
    links: Links


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back: a JSON value, or HTML where `body` is text."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Write = Callable[[tuple[Observation, ...]], Reply]


@dataclass(frozen=True, slots=True)
class Asked:
    """The calls of a request, one query or url each, and how to write their observations.

    An item of a batch that can't be a call is answered already: the others are answered as if it weren't there.
    """

    calls: tuple[Call | Observation, ...]
    write: Write


Read = Callable[[Request], Asked]
"""Request to calls. Raises UsageError on a wrong field; its text says the fix."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method and path of a dialect; `takes` and `gives` are JSON Schemas of the fields and of a 200 reply."""

    method: str
    path: str
    read: Read
    about: str
    takes: JSON
    gives: JSON


@dataclass(frozen=True, slots=True)
class Dialect:
    """One service's wire form; how it fails says `native.NATIVE`, by its name."""

    name: str
    routes: tuple[Route, ...]
