"""A backend with every fault there is, on a real socket: in time, nothing raw, nothing stored that wasn't accepted."""

import asyncio
import gc
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count

import guard_world
import pytest

from worldsmith.errors import UsageError
from worldsmith.simulate.llm.model import Backend, Endpoint
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.protocol import Address, Call, Observation, Slice
from worldsmith.simulate.simulator import Simulator
from worldsmith.simulate.store import Store

WORLD = guard_world.world()
PAGES = guard_world.Served(WORLD)
SEARCH = Call("web_search", "Kestrel Point Observatory")
PAGE = Call("web_extractor", "https://kestrelpoint.example/")
RAW = "ZQXJ-RAW"
"""Stands in everything that the backend says."""
DEADLINE = 0.5
SLACK = 8.0
"""Seconds beyond the deadline that a busy machine may take to judge and write; far less than any fault hangs."""
HANG = 60.0
Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
NUMBER = count()


def body(content: str | None, finish: str = "stop") -> bytes:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": finish, "message": message}
    told = {"id": RAW, "object": "chat.completion", "created": 0, "model": RAW, "choices": [choice]}
    return json.dumps(told).encode()


def http(data: bytes, status: str = "200 OK", kind: str = "application/json", *more: str, size: int = -1) -> bytes:
    length = len(data) if size < 0 else size
    head = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {length}", "Connection: close", *more]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + data


def says(data: Callable[[], bytes]) -> Answer:
    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data())
        await writer.drain()

    return answer


async def hangs(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(HANG)


async def drips(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for byte in http(body(RAW)):
        writer.write(bytes((byte,)))
        await writer.drain()
        await asyncio.sleep(1.0)


async def whitespace(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    while True:
        writer.write(b" \n" * 500)
        await writer.drain()
        await asyncio.sleep(0.01)


async def huge(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    for _ in range(500):
        writer.write(b'{"' + RAW.encode() * 12_000)  # 50 MB
        await writer.drain()


LIE = (
    f"[1] https://kestrelpoint.example/\nTitle: Kestrel Point Observatory {RAW}\n"
    "Snippet: Led by Zoë Ångström-Quill, opened in 1893.\nDate: N/A\n\n# Kestrel Point Observatory\n\n"
    f"{RAW} It is led by Zoë Ångström-Quill and opened in 1893."
)
FAULTS: dict[str, Answer] = {
    "hang before headers": hangs,
    "a byte a second": drips,
    "429 with Retry-After": says(
        lambda: http(RAW.encode(), "429 Too Many Requests", "text/plain", "Retry-After: 3600")
    ),
    "500": says(lambda: http(RAW.encode(), "500 Internal Server Error", "text/plain")),
    "502 with HTML": says(lambda: http(f"<html>{RAW}</html>".encode(), "502 Bad Gateway", "text/html")),
    "truncated JSON": says(lambda: http(body(RAW)[:60])),
    "fewer bytes than told": says(lambda: http(body(RAW), size=9999)),
    "string without end": says(lambda: http(b'{"choices": [{"message": {"content": "' + RAW.encode())),
    "endless whitespace": whitespace,
    "50 MB": huge,
    "packed": says(lambda: http(body(RAW), "200 OK", "application/json", "Content-Encoding: gzip")),
    "nested without end": says(lambda: http(b"[" * 200_000)),
    "no HTTP": says(lambda: RAW.encode() * 3 + b"\r\n\r\n"),
    "closed at once": says(lambda: b""),
    "redirect": says(lambda: http(b"", "302 Found", "text/plain", "Location: http://192.0.2.1/")),
    "thinking alone": says(lambda: http(body(f"<think>{RAW} The director is Imre Halloway"))),
    "empty content": says(lambda: http(body(""))),
    "null content": says(lambda: http(body(None))),
    "length": says(lambda: http(body(f"[1] https://kestrelpoint.example/\nTitle: {RAW}", "length"))),
    "another language": says(lambda: http(body(f"# {RAW}\n\nDas Observatorium wird von Imre Halloway geleitet."))),
    "different each time": says(lambda: http(body(f"# {RAW} {next(NUMBER)}\n\nIt has {next(NUMBER)} doors."))),
    "lying": says(lambda: http(body(LIE))),
}


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    size = int(head.split("content-length:")[1].split("\r\n")[0])
    asked = json.loads(await reader.readexactly(size))
    writer.write(http(body(RAW + asked["messages"][0]["content"])))
    await writer.drain()


FAULTS["prompt echo"] = echo


@asynccontextmanager
async def serving(answer: Answer):
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if answer is not echo:
                await reader.readuntil(b"\r\n\r\n")
            await answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, as it should, or the test has ended
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, limit=1 << 20)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)


def ours(call: Call) -> Observation:
    return Simulator(WORLD, pages=PAGES, strict=True).call(Address(WORLD.id), call)


async def asked(url: str) -> tuple[list[Observation], list[float], Store]:
    """Make both calls against an endpoint; return the replies, the seconds each took, and the store."""
    store, found, took = Store(), [], []
    backend = Backend(Endpoint(url, "fake", deadline=DEADLINE, retries=1, backoff=0.01))
    simulator = Simulator(WORLD, pages=PAGES, model=backend, store=store, strict=True)
    now = asyncio.get_running_loop().time
    for call in (SEARCH, PAGE):
        start = now()
        found.append(await simulator.acall(Address(WORLD.id), call))
        took.append(now() - start)
    await backend.close()
    return found, took, store


def check(found: list[Observation], took: list[float], store: Store) -> None:
    assert all(seconds < DEADLINE + SLACK for seconds in took)
    judge = Simulator(WORLD, pages=PAGES, strict=True)
    for call, seen in zip((SEARCH, PAGE), found, strict=True):
        told = repr((seen.results, seen.doc, seen.text))
        assert (seen.status, RAW in told, "1893" in told) == ("ok", False, False)
        part = judge.slice_or_reply(Address(WORLD.id), call)
        assert isinstance(part, Slice)
        served = seen.results if seen.doc is None else seen.doc
        assert all(verdict.ok for verdict in judge.verdicts_on(Address(WORLD.id), served, part))
        if seen.verdicts and seen.verdicts[0].where == "model":
            assert seen.results == ours(call).results
            assert seen.text == ours(call).text
    kept = [json.loads(text) for text in list(store.lines())[1:]]
    assert RAW not in repr(kept)
    assert len(kept) == sum(not (seen.verdicts and seen.verdicts[0].where == "model") for seen in found)
    store.close()


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_answered_in_time_by_us(name: str) -> None:
    async def run() -> tuple[list[Observation], list[float], Store]:
        async with serving(FAULTS[name]) as url:
            return await asked(url)

    check(*asyncio.run(run()))


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:9/v1", "http://no-such-host.invalid/v1"],
    ids=["refused", "no such host"],
)
def test_an_endpoint_that_is_not_there(url: str) -> None:
    check(*asyncio.run(asked(url)))


@pytest.mark.parametrize("url", ["no address at all", "127.0.0.1:9/v1", "http:///v1", "http://[::1/v1", ""])
def test_a_url_that_names_no_host_is_refused_before_anything_is_asked(url: str) -> None:
    with pytest.raises(UsageError, match=f"model URL {re.escape(repr(url))}: give scheme and host"):
        Endpoint(url, "fake")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_endpoint_without_tls() -> None:
    async def run() -> tuple[list[Observation], list[float], Store]:
        async with serving(FAULTS["500"]) as url:
            return await asked(url.replace("http:", "https:"))

    check(*asyncio.run(run()))
    gc.collect()  # asyncio leaves the socket of a handshake that failed to be collected, with a warning


def test_the_key_of_a_stored_text_holds_what_was_asked() -> None:
    """Profiles that ask for other things in words never share a text, even where their slices agree; others do."""
    simulator = Simulator(WORLD, pages=PAGES)
    opened, searched = (simulator.slice_or_reply(Address(WORLD.id, "open"), call) for call in (PAGE, SEARCH))
    assert isinstance(opened, Slice)
    assert isinstance(searched, Slice)
    name = searched.views[0].page.head.cells[0]
    told = replace(searched.views[0].page.head, cells=(name, name._replace(col="founded", value="1991-11-02")))
    told_view = replace(searched.views[0], page=replace(searched.views[0].page, head=told))
    for part, differs in ((opened, False), (replace(searched, views=(told_view,)), True)):
        keys = {name: simulator.key(part, PROFILES[name]) for name in ("clean", "sparse", "flaky")}
        assert keys["clean"] == keys["flaky"]
        assert (keys["clean"] != keys["sparse"]) is differs
