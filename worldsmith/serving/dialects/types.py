"""What a dialect is: routes that read a request into calls and write observations in one service's wire form.

Dialects are pure: the server answers the calls in between, so every dialect sees the same world in its own words.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Final

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.links import Links
from worldsmith.serving.dialects.schemas import JSON
from worldsmith.serving.dialects.session_memory import SessionMemory
from worldsmith.simulate.protocol import Address, Call, Observation

MESSAGE: Final = "{message}"
"""Placeholder in the body of an error for the server's own text."""
ANY: Final = 0
"""Any status that a dialect does not name."""
PLAIN_TEXT: Final[Mapping[str, str]] = {"Content-Type": "text/plain; charset=utf-8"}
"""Headers of a text that is no HTML."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as dialects see it: fields of the JSON body, or of the query string of a GET."""

    path: str
    """Without the prefix that names the world."""
    fields: JSON
    address: Address
    """Without the session: nothing of the reply to a call depends on it but the attempts, which aren't counted here."""
    links: Links
    session: str = ""
    memory: SessionMemory = field(default_factory=SessionMemory)
    """Of all sessions; the one thing that reading a request or writing its reply may change."""

    @property
    def session_address(self) -> Address:
        """The address with the session."""
        return replace(self.address, session=self.session)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back: a JSON value, or HTML where `body` is text and `headers` name no other type."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    shown: tuple[Observation, ...] = ()
    """The observations as far as they are shown, where some are shown in part: what the evidence is of."""


Write = Callable[[tuple[Observation, ...]], Reply]


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """The calls of a request, one per query or url, and how to write their observations.

    An item of a batch that can't be a call is answered already: the others are answered as if it weren't there.
    """

    calls: tuple[Call | Observation, ...]
    write: Write
    writes_failures: bool = False
    """`write` takes observations that all failed, too: the service reports failures inside a reply of status 200."""
    of_session: bool = False
    """`write` reads or changes what the session keeps, so the reply to an equal request is another."""


ToolCalls = tuple[tuple[Call | Observation, ...], Callable[[Observation], tuple[str, Observation]]]
"""Calls of a tool, and what writes the observation of one as text: it returns that with what the text shows of the
observation, or raises UsageError."""
Read = Callable[[Request], ParsedRequest]
"""Request to calls. Raises UsageError on a wrong field; its text says the fix."""


Accepts = Callable[[JSON, Mapping[str, str]], bool]
"""Whether a request is meant for a route, by its fields and its headers, whose names are in lower case."""


@dataclass(frozen=True, slots=True)
class HasField:
    """Accepts requests that have one of some fields, or come from a client that is named so."""

    names: frozenset[str]
    client: str = ""

    def __call__(self, fields: JSON, headers: Mapping[str, str]) -> bool:
        """Return whether a request is meant for the route."""
        client = bool(self.client) and headers.get("user-agent", "").startswith(self.client)
        return client or not self.names.isdisjoint(fields)


SessionName = Callable[[JSON, Mapping[str, str]], str]
"""The session of a request whose address names none, by its fields and headers; "" for none."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method and path of a dialect; `takes` and `gives` are JSON Schemas of the fields and of a 200 reply."""

    method: str
    path: str
    read: Read
    about: str
    takes: JSON
    gives: JSON
    accepts: Accepts | None = None
    """Needed where several dialects share method and path; the one without it takes what no other accepts."""
    max_body: int = 1 << 20
    """Bytes that a body may have; a longer one is refused with 413."""
    session: SessionName | None = None
    also: Mapping[str, str] = field(default_factory=dict)
    """Statuses without a body that it replies with besides 200, and what they mean."""


def with_prefix(name: str, *routes: Route) -> tuple[Route, ...]:
    """Return routes and the same ones under /<name>, where no other dialect answers."""
    return (*routes, *(replace(route, path=f"/{name}{route.path}", accepts=None) for route in routes))


@dataclass(frozen=True, slots=True)
class Dialect:
    """One service's wire form.

    `errors` holds what the service sends where it has no answer, by the status of `http_status.STATUS`, or of a wrong
    request: 400, or 404 for an unknown name. `MESSAGE` in a body is a placeholder for the server's own text, which says
    the fix; a reply of status ANY keeps the status. Where a service has no text of its own for a status, ours is in its
    form; JSON bodies carry ours in addition, under "error".
    """

    name: str
    routes: tuple[Route, ...]
    errors: Mapping[int, Reply]
    echo: str = ""
    """Field of a request that its error repeats, with status 200 or 401: JSON-RPC's `id`, whose sender waits for it."""

    def error(
        self, status: int, message: str, headers: Mapping[str, str] | None = None, fields: JSON | None = None
    ) -> Reply:
        """Return how the service reports a status of a request with `fields`, with a message and headers of ours."""
        form = self.errors.get(status, self.errors[ANY])
        body = (
            form.body.replace(MESSAGE, escape(message)) if isinstance(form.body, str) else _filled(form.body, message)
        )
        echoed = (fields or {}).get(self.echo) if self.echo else None
        if isinstance(echoed, str | int) and not isinstance(echoed, bool) and isinstance(body, dict):
            sent = 401 if status == 401 else 200
            return Reply({**body, self.echo: echoed}, sent, {**form.headers, **(headers or {})})
        return Reply(body, form.status or status, {**form.headers, **(headers or {})})


Endpoints = dict[tuple[str, str], list[tuple[Dialect, Route]]]
"""By method and path, the routes that answer there, in the order in which they are asked whether they accept."""


def endpoints_of(dialects: Iterable[Dialect]) -> Endpoints:
    """Return the endpoints of dialects. Raises UsageError unless exactly one route of each accepts every request."""
    endpoints: Endpoints = {}
    for dialect in dialects:
        for route in dialect.routes:
            endpoints.setdefault((route.method, route.path), []).append((dialect, route))
    for place, candidates in endpoints.items():
        candidates.sort(key=lambda candidate: candidate[1].accepts is None)
        names = [dialect.name for dialect, route in candidates if route.accepts is None]
        if len(names) != 1:
            owners = f"dialects {' and '.join(names)} both answer" if names else "no dialect answers all of"
            raise UsageError(f"{owners} {' '.join(place)}: give `accepts` to all of its routes but one")
    return endpoints


def _filled(body: Any, message: str) -> Any:
    if isinstance(body, dict):
        return {name: _filled(value, message) for name, value in body.items()}
    if isinstance(body, list):
        return [_filled(value, message) for value in body]
    return body.replace(MESSAGE, message) if isinstance(body, str) else body
