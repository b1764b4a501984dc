"""Whatever bytes a client sends, the reply is a 200 or a 4xx in the form of the dialect that was asked, never a 5xx."""

import re
import socket
from collections import Counter
from http.client import HTTPResponse, RemoteDisconnected
from random import Random
from urllib.parse import quote_from_bytes, urlsplit

import orjson
import pytest

from tests.served_worlds import running_server
from worldsmith.generation import generate
from worldsmith.schema import load_schema
from worldsmith.serving.dialects import DIALECTS, Dialect, Route
from worldsmith.serving.dialects.types import ANY
from worldsmith.world.files import save_world

ROUTES = [(dialect, route) for dialect in DIALECTS.values() for route in dialect.routes]
NUMBERS = [b"0", b"-1", b"1e308", b"1e999", b"-0.0", b"NaN", b"-Infinity", b"0x10", b"01", b"9" * 400, b"1.5", b"2e0"]
STRINGS = [
    b'""',
    b'"  "',
    b'"\\u0000"',
    b'"\x00"',
    b'"\\ud800"',
    b'"\\udfff\\ud800"',
    b'"\xff\xfe"',
    b'"\xed\xa0\x80"',
    b'"' + b"a" * 5000 + b'"',
    b'"\\u202e\\u2066"',
    b'"https://"',
    b'"file:///etc/passwd"',
    b'"http://[::1"',
    b'"/web/../../x"',
    b'"site:"',
    b'"after:9999-99-99 \\"open"',
    b'"' + b"(" * 1500 + b'"',
    '"٣"'.encode(),
    b'"10"',
]
OTHERS = [b"null", b"true", b"{}", b"[]", b"[[]]", b'{"a": 1}', b'["a", 1, null]', b"[" * 50 + b"]" * 50, b"", b"nul"]
VALUES = [*NUMBERS, *STRINGS, *OTHERS]
PARTS = [
    b"%00",
    b"%ff",
    b"%0a",
    b"%",
    b"%zz",
    b"..",
    b"%2e%2e%2f",
    b"//",
    b"\xff",
    b"%ed%a0%80",
    b"a" * 9000,
    b";",
    b"{",
]
HEADERS = [
    b"X-Worldsmith-World: \xff",
    b"X-Worldsmith-Seed: 99999999999999999999",
    b"X-Worldsmith-Profile: none",
    b"X-Worldsmith-Session: a b",
    b"Authorization: Bearer ws-",
    b"Authorization: Bearer ws-;;;=",
    b"Authorization: \xe9",
    b"X-API-Key: ws-nowhere;seed=x",
    b"X-API-Key: " + b"k" * 20_000,
    b"Content-Type: multipart/form-data",
    b"Content-Type: application/json; charset=utf-16",
    b"Content-Encoding: gzip",
    b"Accept: application/json;q=\xff",
    b"Host: nowhere.example",
    b"Host: ",
    b"Cookie: " + b"a=b; " * 2000,
    b"Upgrade: websocket\r\nConnection: Upgrade",
    b"Expect: 100-continue",
    b"Mcp-Session-Id: \xff a",
    b"User-Agent: exa-",
]
METHODS = [b"PUT", b"DELETE", b"PATCH", b"OPTIONS", b"HEAD", b"TRACE", b"get", b"NOPE"]


def hostile_value(chance: Random) -> bytes:
    if chance.random() < 0.15:
        return orjson.dumps(chance.randbytes(chance.randrange(30)).decode("latin-1"))
    return chance.choice(VALUES)


def hostile_body(chance: Random, route: Route) -> bytes:
    """Return what is nearly a body of the route, or nothing like one."""
    kind = chance.random()
    if kind < 0.1:
        return chance.randbytes(chance.randrange(200))
    if kind < 0.15:
        return chance.choice([b"[" * 100_000, b'{"query":' * 50_000, b'{"a":' * 300 + b"1" + b"}" * 300])
    if kind < 0.18:
        return b'{"query": "' + b"a" * chance.choice([100_000, (1 << 20) + 1]) + b'"}'
    alternative = chance.choice(route.takes.get("oneOf", [route.takes]))
    fields = {name: orjson.dumps(value) for name, value in alternative.get("example", {"query": "town"}).items()}
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        fields[chance.choice([*alternative["properties"], "api_key", "id", ""])] = hostile_value(chance)
    body = b"{" + b", ".join(orjson.dumps(name) + b": " + value for name, value in fields.items()) + b"}"
    if kind < 0.3:
        body = body[: chance.randrange(len(body))]
    elif kind < 0.4:
        at = chance.randrange(len(body))
        body = body[:at] + chance.randbytes(chance.randrange(1, 5)) + body[at:]
    elif kind < 0.43:
        body = body.decode("latin-1").encode("utf-16")
    return body


def hostile_target(chance: Random, route: Route) -> bytes:
    def part(_: re.Match[str]) -> str:
        random_bytes = quote_from_bytes(chance.randbytes(chance.randrange(1, 20))).encode()
        parts = [*PARTS, *[b"town", random_bytes] * 5]
        return b"".join(chance.choices(parts, k=chance.choice([1, 1, 2]))).decode("latin-1")

    path = re.sub(r"\{\w+(?::\w+)?\}", part, route.path).encode("latin-1")
    if chance.random() < 0.1:
        path = chance.choice([b"/w/%00", b"/w/a;seed=x", b"/w/;", b"/w/" + b"a" * 500, b"/w/..", b"/%2f"]) + path
    names = [*route.takes.get("properties", {}), "q", "page", "profile", "seed", "world", "session", "api_key"]
    pairs = [
        chance.choice(names).encode() + b"=" + quote_from_bytes(hostile_value(chance).strip(b'"')).encode()
        for _ in range(chance.choice([0, 0, 0, 0, 1, 3] if route.method == "POST" else [1, 1, 2, 2, 4, 150]))
    ]
    if chance.random() < 0.05:
        pairs.append(chance.choice(PARTS))
    return path + (b"?" + b"&".join(pairs) if pairs else b"")


def hostile_request(chance: Random, route: Route) -> bytes:
    body = hostile_body(chance, route) if route.method == "POST" or chance.random() < 0.1 else b""
    method = chance.choice(METHODS) if chance.random() < 0.05 else route.method.encode()
    headers = chance.sample(HEADERS, chance.choice([0, 0, 0, 0, 0, 1, 3]))
    length = len(body)
    if chance.random() < 0.1:
        length = chance.choice([length + 10, max(0, length - 3), -1, 10**30])
    framing = b"Content-Length: %d" % length
    if chance.random() < 0.05:
        framing = b"Transfer-Encoding: chunked"
        body = chance.choice([b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body), body, b"ffffffffffffffffff\r\n"])
    head = b"\r\n".join([method + b" " + hostile_target(chance, route) + b" HTTP/1.1", b"Host: x", framing, *headers])
    return head + b"\r\n\r\n" + body


def reply_to(address: tuple[str, int], request: bytes) -> tuple[int, str, bytes] | None:
    """Return status, media type and body of the first reply; None where the connection was closed without one."""
    with socket.create_connection(address, timeout=60) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused before all of it was sent
        response = HTTPResponse(connection, method=request.partition(b" ")[0].decode("latin-1"))
        try:
            response.begin()
            return response.status, response.headers.get_content_type(), response.read()
        except (ConnectionResetError, RemoteDisconnected):
            return None
        finally:
            response.close()


def error_forms(dialect: Dialect) -> list[set[str]]:
    """Return the names in the JSON bodies of a dialect's errors."""
    return [set(reply.body) for reply in dialect.errors.values() if isinstance(reply.body, dict)]


def is_native(dialects: list[Dialect], status: int, media: str, body: bytes) -> bool:
    """Whether a 4xx is in the form of one of the dialects, or of a request that is for none."""
    if media == "application/json":
        names = set(orjson.loads(body))
        return names == {"error"} or any(names == form for dialect in dialects for form in error_forms(dialect))
    pages = [dialect.errors.get(status, dialect.errors[ANY]).body for dialect in dialects]
    return any(isinstance(page, str) and body.startswith(page[:30].encode()) for page in pages)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = save_world(generate(load_schema("town"), 7), tmp_path_factory.mktemp("hostile"))
    with running_server([folder]) as base_url:
        parts = urlsplit(base_url)
        yield parts.hostname, parts.port


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 200), *(pytest.param(seed, 500, marks=pytest.mark.slow) for seed in range(2, 6))]
)
def test_no_request_gets_a_5xx_and_each_error_is_in_the_form_of_its_dialect(address, seed, count):
    chance, statuses, dialects_reached = Random(seed), Counter(), set()
    for n in range(count):
        dialect, route = ROUTES[n % len(ROUTES)]
        request = hostile_request(chance, route)
        reply = reply_to(address, request)
        if reply is None:
            statuses["closed"] += 1
            continue
        status, media, body = reply
        statuses[status] += 1
        shown = (status, media, body[:300], request[:300])
        assert status in (200, 202) or 400 <= status < 500, shown
        if status >= 400 and not request.startswith(b"HEAD"):
            sharing = [one for one, other in ROUTES if (other.method, other.path) == (route.method, route.path)]
            assert is_native(sharing, status, media, body), shown
            if set(orjson.loads(body) if media == "application/json" else ()) != {"error"}:
                dialects_reached.add(dialect.name)
    assert statuses[200] > count / 20
    assert sum(number for status, number in statuses.items() if status not in (200, 202, "closed")) > count / 3
    assert statuses["closed"] < count / 5
    assert len(dialects_reached) > 8
