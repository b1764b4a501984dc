"""The ASGI app: a request is read by its route's dialect, answered by its world, and written by the dialect."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import orjson
from starlette.applications import Starlette
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HTTPRequest
from starlette.responses import Response
from starlette.routing import Mount, Router
from starlette.routing import Route as HTTPRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from worldsmith.episode.search_server import EVIDENCE, KEY_HEADER, STATUS
from worldsmith.errors import NotFoundError, StoreError, UsageError, WorldsmithError, close_match
from worldsmith.serving.constant_routes import KEYLESS, PLAIN, plain_routes, readable_path
from worldsmith.serving.dialects import DIALECTS, Dialect, Endpoints, Request, Route, endpoints_of
from worldsmith.serving.dialects import address as addresses
from worldsmith.serving.dialects.links import Links
from worldsmith.serving.dialects.pages import ROOT
from worldsmith.serving.dialects.session_memory import SessionMemory, SharedSessionMemory
from worldsmith.serving.metrics import PROMETHEUS, RECORD, Metric, Metrics, RequestObserver, RequestRecord, WorkerFiles
from worldsmith.serving.reply_memo import ReplyMemo
from worldsmith.serving.responder_cache import Responder, ResponderCache, Simulate, Source
from worldsmith.simulate.disclosure import observation_hashes
from worldsmith.simulate.http_status import request_failure
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.perturb import profile_named as find_profile
from worldsmith.simulate.pool import MEMORY, simulator_of
from worldsmith.simulate.protocol import DEADLINE, Address, Call, Observation, Profile
from worldsmith.simulate.store import Attempts, MemoryAttempts

MOST_EVIDENCE = 8000
"""Characters of that header; it is left out where it would be longer, since clients refuse longer ones."""
SLICE = 64
"""Calls of a batch that are made side by side; the reply to a longer batch is written in a thread."""
UNCOUNTED = -1
"""Attempt of a call that could not be counted."""
LONG = 1 << 16
"""Bytes of a body that is read in a thread."""
INVENTED = ".example"
"""What hosts of the invented web end in."""
MEMO = 64
"""Megabytes for replies that are kept, unless another number is given."""
OPERATOR = ("/readyz", "/metrics")
"""Routes for whoever runs the server, which the description for agents leaves out."""
ASKS_FOR_KEY = {"WWW-Authenticate": "Bearer"}
"""Headers of a request's refusal for want of the server's key; failures that a profile draws don't have them."""
BY_HOST = "worldsmith.by_host"
"""Set in the scope of requests that came to an invented host."""


_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|-?(?:NaN|Infinity)', re.DOTALL)
"""A string of JSON, or a number that is none."""
_LONE = re.compile(
    r"((?:[^\\\ud800-\udfff]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(?!u[dD][89a-fA-F]).)*+)"
    r"(\\u[dD][89a-fA-F][0-9a-fA-F]{2}|[\ud800-\udfff])?",
    re.DOTALL,
)
"""Text up to half of a surrogate pair, or up to a byte that is no UTF-8; the text and the half or byte."""


class _RestConvertor(PathConvertor):
    """The rest of a path, line breaks too."""

    regex = "(?s:.*)"


register_url_convertor("rest", _RestConvertor())


class _WrongKeyError(UsageError):
    """A request without the key that the server asks for."""


class _LongBodyError(UsageError):
    """A request whose body is longer than its route takes."""


@dataclass(frozen=True, slots=True)
class Service:
    """What every endpoint needs: the worlds, the address of a call that says nothing, how links are written."""

    responder_cache: ResponderCache
    default: Address
    base: str | None
    attempts: Attempts
    profiles: Mapping[str, Profile]
    deadline: float
    """Seconds that a reply may wait for a language model, however many calls it answers."""
    memo: ReplyMemo
    api_key: str
    """What a request has to give as its key; "" where none is asked for."""
    names: Mapping[str, str]
    """Other names of worlds: name to id."""
    failures_as_200: bool
    """Whether calls that fail are answered with status 200 and the failure's text."""
    memory: SessionMemory
    """What agents keep for their sessions."""

    def address(
        self, scope: Scope, headers: Mapping[str, str], query: Mapping[str, str], key: Any, session: str = ""
    ) -> Address:
        """Return the address that a request names, its world by the name that it uses.

        `session` is taken where it names none. Raises UsageError, or NotFoundError for an unknown name.
        """
        spec = scope["path_params"].get("spec", "")
        keys = (*_keys(headers, query), key)
        self.check_key(*keys, headers.get(KEY_HEADER.lower(), ""))
        sources = [("the path", addresses.parse(spec, "the path"))] if spec else []
        sources += [("the API key", addresses.from_key(text)) for text in keys if isinstance(text, str) and text]
        for name in addresses.FIELDS:
            if headers.get(f"x-worldsmith-{name}"):
                sources.append(("the headers", {name: headers[f"x-worldsmith-{name}"]}))
            if query.get(name):
                sources.append(("the query string", {name: query[name]}))
        if session and not any("session" in parts for _, parts in sources):
            sources.append(("the session's header", {"session": session}))
        address = addresses.merge(sources, self.default)
        self.responder_cache.check(self.world_id(address.world))
        if find_profile(address.profile, self.profiles).faults and not address.session:
            raise UsageError(
                f"profile {address.profile!r} has faults that pass when a call is made again, and only a session tells "
                f"that it is made again: add ;session=NAME to the world, one name per episode"
            )
        return address

    def world_id(self, name: str) -> str:
        """Return the id of a world that a request calls by its id or another name."""
        return self.names.get(name, name)

    def check_key(self, *keys: Any) -> None:
        """Raise `_WrongKeyError` unless one of the keys of a request is the server's, where it asks for one."""
        wanted = self.api_key.encode()
        if wanted and not any(isinstance(key, str) and compare_digest(key.encode(), wanted) for key in keys):
            raise _WrongKeyError(
                "this server asks for its key: send it as the API key (Authorization: Bearer, X-API-Key, api_key), or "
                "as the header X-Worldsmith-Key where that names a world"
            )

    def check(self, http: HTTPRequest) -> Response | None:
        """Return an error for a request of no dialect: without the key, or for an unknown world or profile."""
        spec, headers = http.path_params.get("spec", ""), http.headers
        keys = (*_keys(headers, http.query_params), headers.get(KEY_HEADER, ""))
        try:
            if http.scope["path"].removeprefix(http.scope.get("root_path", "")) != KEYLESS:
                self.check_key(*keys)
            named = addresses.merge([("the path", addresses.parse(spec, "the path"))], self.default)
            if spec:
                self.responder_cache.check(self.world_id(named.world))
            find_profile(named.profile, self.profiles)
        except _WrongKeyError as wrong:
            return http_response({"error": str(wrong)}, 401, ASKS_FOR_KEY)
        except NotFoundError as wrong:
            return http_response({"error": str(wrong)}, 404)
        except UsageError as wrong:
            return http_response({"error": str(wrong)}, 400)
        return None

    def request(
        self,
        scope: Scope,
        headers: Mapping[str, str],
        query: Mapping[str, str],
        fields: Mapping[str, Any],
        session: str = "",
    ) -> Request:
        """Return a request as dialects see it, with its address and how links are written in the reply."""
        named = self.address(scope, headers, query, fields.get("api_key"), session)
        world, prefix = self.world_id(named.world), "/w/" + addresses.address_text(named, self.default)
        own = (headers.get("host", "").lower(), urlsplit(self.base or "").netloc.lower())
        links = Links(named.world, prefix, self.base, own, BY_HOST in scope)
        address = replace(named, world=world, session="")
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        return Request(path, fields, address, links, named.session, self.memory)

    async def attempts_of(self, address: Address, calls: Sequence[Call | Observation]) -> tuple[int, ...]:
        """Count calls and return how often each was made before; `UNCOUNTED` where that can't be kept."""
        attempts: list[int] = []
        for call in calls:
            if attempts:
                await asyncio.sleep(0)
            attempts.append(self._attempt(address, call) if isinstance(call, Call) else 0)
        return tuple(attempts)

    def _attempt(self, address: Address, call: Call) -> int:
        try:
            return self.attempts.count_call(address, call)
        except StoreError as problem:
            _report(address, call, problem)
            return UNCOUNTED

    def memo_keys(self, route: Route, request: Request, attempts: tuple[int, ...]) -> tuple[bytes, bytes]:
        """Return hashes of what the reply to a request depends on, without and with its links.

        Of calls nothing but the attempts depends on the session. A reply is kept under the second hash where its links
        name the address, since they name the session too.
        """
        faults = find_profile(request.address.profile, self.profiles).faults
        links = request.links
        # A dialect may have several routes at one path; they live as long as the app.
        form = (id(route), request.path, links.world, links.own, links.by_host)
        key = orjson.dumps((form, request.address, request.fields, attempts if faults else ()))
        return _memo_key(key), _memo_key(key + links.prefix.encode())

    async def answer(
        self, address: Address, calls: Sequence[Call | Observation], attempts: Sequence[int]
    ) -> tuple[Observation, ...]:
        """Return the observations of calls, made side by side where there are several.

        Between the calls of a batch others are served. Raises WorldsmithError where the world can't be opened.
        """
        responder = await self.responder_cache.get(address)
        deadline = asyncio.get_running_loop().time() + self.deadline
        if len(calls) == 1:
            return (await self._observe(responder, address, calls[0], attempts[0], deadline),)
        observations: list[Observation] = []
        for start in range(0, len(calls), SLICE):
            tasks = []
            for call, attempt in zip(calls[start : start + SLICE], attempts[start : start + SLICE], strict=True):
                tasks.append(asyncio.ensure_future(self._observe(responder, address, call, attempt, deadline)))
                await asyncio.sleep(0)
            observations += await asyncio.gather(*tasks)
        return tuple(observations)

    def evidence(self, address: Address, observations: Sequence[Observation]) -> Mapping[str, str]:
        """Return the header of what calls disclose: hashes separated by spaces, several calls by commas, in order."""
        digest = self.responder_cache.cards[address.world].digest
        text = ", ".join(" ".join(observation_hashes(observation, digest)) for observation in observations)
        return {EVIDENCE: text} if len(text) <= MOST_EVIDENCE else {}

    async def _observe(
        self, responder: Responder, address: Address, call: Call | Observation, attempt: int, deadline: float
    ) -> Observation:
        """Return the observation of one call; a call that fails does not end the others of its batch."""
        if isinstance(call, Observation):
            return call
        if attempt == UNCOUNTED:
            return Observation("unavailable")
        try:
            return await responder.acall(address, call, attempt, deadline)
        except WorldsmithError as problem:
            _report(address, call, problem)
            return Observation("unavailable")


def _memo_key(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()


def _report(address: Address, call: Call, problem: WorldsmithError) -> None:
    """Say on standard error why a call has no answer."""
    sys.stderr.write(f"worldsmith: world {address.world} can't answer {call!r}: {problem}\n")


class Endpoint:
    """The routes of dialects at one method and path over HTTP: the first that accepts a request answers it."""

    def __init__(self, service: Service, candidates: Sequence[tuple[Dialect, Route]]) -> None:
        self.service, self.candidates = service, candidates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; what a user can do wrong ends as 4xx and says the fix."""
        try:
            response = await self.respond(scope, HTTPRequest(scope, receive))
        except ClientDisconnect:
            return
        await response(scope, receive, send)

    async def respond(self, scope: Scope, http: HTTPRequest) -> Response:
        """Return the response: read, answer, write."""
        dialect, route = self.candidates[-1]
        record: RequestRecord = scope[RECORD]
        record.dialect, record.route = dialect.name, readable_path(route.path)
        fields: Mapping[str, Any] = {}
        try:
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            query = _query(scope["query_string"])
            fields = query if route.method == "GET" else await _fields(http, route, query)
            dialect, route = next(c for c in self.candidates if c[1].accepts is None or c[1].accepts(fields, headers))
            record.dialect = dialect.name
            session = route.session(fields, headers) if route.session else ""
            request = self.service.request(scope, headers, query, fields, session)
            record.world, record.session = request.address.world, request.session
            parsed = route.read(request)
        except _WrongKeyError as wrong:
            return _error(dialect, 401, str(wrong), ASKS_FOR_KEY, fields)
        except _LongBodyError as wrong:
            return _error(dialect, 413, str(wrong))
        except NotFoundError as wrong:
            return _error(dialect, 404, str(wrong), fields=fields)
        except UsageError as wrong:
            return _error(dialect, 400, str(wrong), fields=fields)
        except StoreError as problem:
            return self._unavailable(dialect, request.address, problem, fields)
        attempts = await self.service.attempts_of(request.session_address, parsed.calls)
        keeps = self.service.memo.is_on and not parsed.of_session and 0 < len(parsed.calls) <= SLICE
        keys = self.service.memo_keys(route, request, attempts) if keeps else ()
        kept = self.service.memo.get(*keys)
        if kept is not None:
            record.memo = True
            return kept
        try:
            observations = await self.service.answer(request.session_address, parsed.calls, attempts)
        except WorldsmithError as problem:
            return self._unavailable(dialect, request.address, problem, fields)
        failed = None if parsed.writes_failures else request_failure(observations)
        if failed:
            response = _error(dialect, failed.status, failed.text, failed.headers, fields)
            if self.service.failures_as_200:
                response.headers[STATUS], response.status_code = str(response.status_code), 200
            return response

        def write() -> Response:
            reply = parsed.write(observations)
            evidence = self.service.evidence(request.address, reply.shown or observations)
            return http_response(reply.body, reply.status, {**reply.headers, **evidence})

        response = write() if len(observations) <= SLICE else await asyncio.to_thread(write)
        if keys and not any(observation.status == "unavailable" for observation in observations):
            self.service.memo.keep(keys[request.links.prefix.encode() in response.body], response)
        return response

    def _unavailable(
        self, dialect: Dialect, address: Address, problem: WorldsmithError, fields: Mapping[str, Any]
    ) -> Response:
        """Return a 503; the text may name folders of this machine, which is for whoever runs the server alone."""
        sys.stderr.write(f"worldsmith: world {address.world} can't be served: {problem}\n")
        text = f"world {address.world!r} can't be served; the server's log says why"
        return _error(dialect, 503, text, fields=fields)


def _error(
    dialect: Dialect,
    status: int,
    text: str,
    headers: Mapping[str, str] | None = None,
    fields: Mapping[str, Any] | None = None,
) -> Response:
    """Return an error in a dialect's form."""
    reply = dialect.error(status, text, headers, fields)
    return http_response(reply.body, reply.status, reply.headers)


def http_response(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response: HTML for text unless its headers name another type, JSON for anything else."""
    if isinstance(body, str):
        return Response(body, status, headers, "text/html")
    return Response(orjson.dumps(body), status, headers, "application/json")


def _query(raw: bytes) -> dict[str, str]:
    """Return the query string's fields, the first of each name."""
    if not raw:
        return {}
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise UsageError("the query string is no percent-encoded UTF-8 of at most 100 fields") from None
    return dict(reversed(pairs))


async def _fields(http: HTTPRequest, route: Route, query: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the fields of the body, or of the query string where the body is empty, as some clients of Serper send it.

    Raises UsageError: `_LongBodyError` where it is longer than the route takes, before it is read where its length is
    declared; no more of it is kept than that.
    """
    declared = http.headers.get("content-length", "")
    parts, size = [], int(declared) if declared.isdecimal() else 0
    if size <= route.max_body:
        size = 0
        async for part in http.stream():
            size += len(part)
            if size > route.max_body:
                break
            parts.append(part)
    if size > route.max_body:
        raise _LongBodyError(f"the body is longer than {route.max_body} bytes: send several requests")
    body = b"".join(parts)
    if query and not body.strip():
        return query
    return _json_object(body, route) if size <= LONG else await asyncio.to_thread(_json_object, body, route)


def _keys(headers: Mapping[str, str], query: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a request gives as its API key, wherever services expect it."""
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    named = (headers.get(name, "") for name in addresses.KEY_HEADERS)
    return (bearer if scheme.lower() == "bearer" else "", *named, query.get("api_key", ""))


DEEPEST = 200
"""Brackets of a body that are surely not nested too deeply to be written."""


def _json_object(body: bytes, route: Route) -> Mapping[str, Any]:
    """Return the JSON object that a body is, whatever its Content-Type says."""
    hint = f"send a JSON object such as {example_body(route)}"
    if not body.strip():
        raise UsageError(f"the body is empty: {hint}")
    body = body.removeprefix(b"\xef\xbb\xbf")
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        try:
            value = orjson.loads(_TOKEN.sub(_readable, body.decode(errors="surrogateescape")).encode(errors="replace"))
        except orjson.JSONDecodeError as error:
            raise UsageError(f"the body is not JSON ({error}): {hint}") from None
    if not isinstance(value, dict):
        raise UsageError(f"the body is JSON, but no object: {hint}")
    if body.count(b"[") + body.count(b"{") > DEEPEST:
        try:
            orjson.dumps(value)  # what is read may be too deep to be written
        except orjson.JSONEncodeError:
            raise UsageError(f"the body is nested too deeply: {hint}") from None
    return value


def _readable(token: re.Match[str]) -> str:
    """Return a token of JSON as Python writes it, as orjson reads it: one broken value must not end a whole batch.

    What is no Unicode becomes NUL, which no field takes either; NaN and infinities become null.
    """
    if not token[0].startswith('"'):
        return "null"
    return _LONE.sub(lambda part: part[1] + (r"\u0000" if part[2] else ""), token[0])


def example_body(route: Route) -> str:
    """Return a body that the route takes, as JSON."""
    takes = route.takes["oneOf"][0] if "oneOf" in route.takes else route.takes
    return orjson.dumps(takes["example"]).decode()


class ByHost:
    """Turns a request for a host of the invented web into one for its page here."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, under /web/<host>/ where its Host header says so."""
        if scope["type"] == "http":
            name = next((value for key, value in scope["headers"] if key == b"host"), b"").decode("latin-1").lower()
            name = name.partition(":")[0]
            if name.endswith(INVENTED):
                scope = {**scope, "path": f"/web/{name}{scope['path']}", BY_HOST: True}
        await self.app(scope, receive, send)


def _wrong_path(http: HTTPRequest, _: Exception) -> Response:
    """Return what a request for no route gets: the right method for a path of ours, else the nearest path."""
    path: str = http.scope["path"]
    prefixed = re.fullmatch(r"/w/[^/]+(/.*)", path)
    bare = prefixed[1] if prefixed else path
    page = bare.startswith(ROOT)
    endpoints: Endpoints = http.app.state.endpoints
    allowed = {
        method: candidates[-1][1]
        for (method, place), candidates in endpoints.items()
        if place == bare or (page and place.startswith(ROOT))
    }
    if bare in (*PLAIN, *OPERATOR) or allowed:
        post = allowed.get("POST")
        body = f" with a JSON body such as {example_body(post)}" if post else ""
        methods = ", ".join(dict.fromkeys((*allowed, *(["GET"] if bare in (*PLAIN, *OPERATOR) else []))))
        return http_response(
            {"error": f"{bare[:200]} does not answer {http.method}: use {methods}{body}"}, 405, {"Allow": methods}
        )
    known = list(dict.fromkeys((*PLAIN, *(readable_path(place) for _, place in endpoints))))
    fix = (
        f" Leave out the last slash: {bare.rstrip('/')}"
        if bare.rstrip("/") in known
        else close_match(bare[:200], known)
    )
    return http_response({"error": f"there is nothing at {bare[:200]}.{fix}"}, 404)


def _internal_error(_: HTTPRequest, __: Exception) -> Response:
    """Return the reply to an internal error; its traceback goes to the log."""
    return http_response({"error": "internal error: the server's log says more"}, 500)


def create_app(
    sources: Sequence[Source],
    *,
    profile: str = "clean",
    profiles: Mapping[str, Profile] = PROFILES,
    seed: int = 0,
    session: str = "",
    link_base: str | None = None,
    memory: int = MEMORY,
    simulate: Simulate | None = None,
    attempts: Attempts | None = None,
    dialects: Iterable[Dialect] = tuple(DIALECTS.values()),
    deadline: float = DEADLINE,
    close: Callable[[], Awaitable[None]] | None = None,
    memo: int | None = None,
    access_log: Callable[[str], object] | None = None,
    api_key: str = "",
    names: Mapping[str, str] | None = None,
    failures_as_200: bool = False,
    shared: Path | None = None,
) -> Starlette:
    """Return the ASGI app that serves worlds, from folders or memory, and pools of them.

    Args:
        sources: at least one; a single world needs no name in a request, nor does a pool, whose worlds are served too.
        profile: what an address without a profile has.
        profiles: those an address may name; `simulate` has to know them too.
        seed: what an address without a seed has.
        session: what an address without a session has, where all requests are those of one episode.
        link_base: scheme and host under which agents reach this server, where results should link to it.
        memory: megabytes for open worlds, by estimate; at least one world is always open.
        simulate: makes what answers the calls of a world, and of the pool; by default without a language model.
        attempts: counts the calls of sessions; by default in this process's memory.
        dialects: the wire forms that are answered.
        deadline: seconds that a reply waits for what `simulate` makes, if that asks a language model.
        close: run when the server stops, in its event loop.
        memo: megabytes for replies that are sent again to equal requests; by default `MEMO`, and 0 with `simulate`,
            which may answer the same call otherwise the next time, or note each.
        access_log: gets a line of JSON per request; keys, query strings and bodies are not in it.
        api_key: what a request has to give as its key; only /healthz and /readyz answer without. "" asks for none.
        names: other names that requests may use for worlds, by which they are listed: name to id.
        failures_as_200: calls that fail (401, 429, 5xx) are answered with status 200 and the body of their failure; for
            trainers that make such requests again until they hold. Wrong requests keep their 4xx.
        shared: a folder in which worker processes keep what they share: their counts, and the notes of sessions.

    Raises:
        UsageError: a folder is no world, two are the same, the profile, the key or `link_base` can't be, or two
            dialects answer the same requests.
    """
    find_profile(profile, profiles)
    if api_key.lower().startswith(addresses.KEY) or not re.fullmatch(r"[!-~]*", api_key):
        raise UsageError(
            f"an API key is printable ASCII without spaces, and {addresses.KEY}… names a world: take another"
        )
    base = None if link_base is None else _link_base(link_base)
    responder_cache = ResponderCache(sources, memory, simulate or partial(simulator_of, profiles=profiles))
    default = Address(responder_cache.only, profile, seed, session)
    shown = _shown_names(responder_cache, names or {}, default)
    default = replace(default, world=shown.get(default.world, default.world))
    megabytes = memo if memo is not None else 0 if simulate else MEMO
    counted = MemoryAttempts() if attempts is None else attempts
    service = Service(
        responder_cache,
        default,
        base,
        counted,
        profiles,
        deadline,
        memo=ReplyMemo(megabytes),
        api_key=api_key,
        names=names or {},
        failures_as_200=failures_as_200,
        memory=SharedSessionMemory(shared) if shared else SessionMemory(),
    )
    endpoints = endpoints_of(dialects)
    routes = [
        HTTPRoute(path, Endpoint(service, candidates), methods=[method])
        for (method, path), candidates in endpoints.items()
    ]
    metrics = _metrics(service, shared)
    routes += plain_routes(responder_cache, endpoints, service.check, shown, asks_for_key=bool(api_key))
    prefixed = Mount("/w/{spec}", Router(routes, redirect_slashes=False))
    app = Starlette(
        routes=[*routes, *_operator_routes(service, metrics), prefixed],
        exception_handlers={404: _wrong_path, 405: _wrong_path, 500: _internal_error},
        lifespan=_lifespan(metrics, service.memory, close),
    )
    app.router.redirect_slashes = False
    app.add_middleware(ByHost)
    app.add_middleware(RequestObserver, metrics=metrics, log=access_log)
    app.state.responder_cache, app.state.endpoints = responder_cache, endpoints
    app.state.default = replace(default, world=responder_cache.only)
    app.state.memo, app.state.session_memory = service.memo, service.memory
    return app


def _operator_routes(service: Service, metrics: Metrics) -> list[HTTPRoute]:
    """Return the routes for whoever runs the server, which the description for agents leaves out."""
    responder_cache = service.responder_cache
    opened = replace(service.default, world=responder_cache.only)

    async def ready(_: HTTPRequest) -> Response:
        if not responder_cache.only or responder_cache.open_soon(opened):
            return http_response({"status": "ready"})
        return http_response({"status": "opening", "error": "the world is being opened: try again"}, 503)

    async def counts(http: HTTPRequest) -> Response:
        return service.check(http) or http_response(metrics.text(), headers={"Content-Type": PROMETHEUS})

    return [HTTPRoute(path, answer, methods=["GET"]) for path, answer in zip(OPERATOR, (ready, counts), strict=True)]


def _metrics(service: Service, folder: Path | None) -> Metrics:
    """Return what counts requests and what the service holds, with the workers that share a folder."""
    memo, cache = service.memo, service.responder_cache
    others = {
        "memo_hits_total": Metric("counter", "Replies sent again from the memo.", lambda: memo.hits),
        "memo_misses_total": Metric("counter", "Replies that the memo did not have.", lambda: memo.misses),
        "memo_bytes": Metric("gauge", "Bytes of the memo, by estimate.", lambda: memo.size),
        "worlds": Metric("gauge", "Worlds served, a pool included.", lambda: len(cache.cards), same=True),
        "worlds_open": Metric("gauge", "Worlds in memory.", lambda: len(cache.opened)),
    }
    named = {f"worldsmith_{name}": metric for name, metric in others.items()}
    return Metrics(named, WorkerFiles(folder) if folder else None)


def _lifespan(
    metrics: Metrics, memory: SessionMemory, close: Callable[[], Awaitable[None]] | None
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with metrics.shown_to_workers():
            yield
        memory.close()
        if close:
            await close()

    return lifespan


def _shown_names(cache: ResponderCache, names: Mapping[str, str], default: Address) -> dict[str, str]:
    """Return the other name by which each world is listed, by its id.

    Raises:
        UsageError: a name can't stand in an address, is a world's id, or a world has two.
        NotFoundError: there is no such world.
    """
    shown: dict[str, str] = {}
    for name, world in names.items():
        addresses.merge([("the name of a world", {"world": name})], default)
        cache.check(world)
        if name in cache.cards:
            raise UsageError(f"the name {name!r} is the id of a world: take another")
        if shown.setdefault(world, name) != name:
            raise UsageError(f"world {world!r} has two names, {shown[world]!r} and {name!r}: give one")
    return shown


def _link_base(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path.strip("/") not in {"", "web"}:
        raise UsageError(f"link base {text!r}: give scheme and host of this server, such as http://127.0.0.1:8000")
    return f"{parts.scheme}://{parts.netloc}"
