"""MCP over stdin and stdout: each line is a message to the app's own /mcp, whose reply is a line."""

import asyncio
from threading import Thread
from typing import BinaryIO

import httpx2
from starlette.types import ASGIApp

from worldsmith.serving.dialects.mcp import SESSION


async def serve_stdio(app: ASGIApp, messages: BinaryIO, replies: BinaryIO) -> None:
    """Answer the lines of `messages` until it ends, several at a time; replies may come in another order.

    Raises BrokenPipeError where nobody reads `replies` any more.
    """
    try:
        await _answer_lines(app, messages, replies)
    except ExceptionGroup as failures:
        gone = failures.subgroup(BrokenPipeError)
        raise (gone.exceptions[0] if gone else failures) from None


async def _answer_lines(app: ASGIApp, messages: BinaryIO, replies: BinaryIO) -> None:
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        httpx2.AsyncClient(transport=transport, base_url="http://stdio", timeout=None) as client,
        asyncio.TaskGroup() as group,
    ):

        async def answer(line: bytes) -> None:
            response = await client.post("/mcp", content=line)
            if SESSION in response.headers:
                client.headers[SESSION] = response.headers[SESSION]
            if response.content:
                replies.write(response.content + b"\n")
                replies.flush()

        lines = _lines(messages)
        while line := await lines.get():
            if not line.strip():
                continue
            if SESSION not in client.headers:
                await answer(line)  # `initialize`, whose session the others need
            else:
                group.create_task(answer(line))


def _lines(messages: BinaryIO) -> asyncio.Queue[bytes]:
    """Return a queue of lines as they arrive, b"" at the end.

    They are read in a thread that doesn't keep the process: the end of a program needn't wait for a line.
    """
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            while line := messages.readline():
                loop.call_soon_threadsafe(queue.put_nowait, line)
        finally:  # what can't be read any more has ended too
            loop.call_soon_threadsafe(queue.put_nowait, b"")

    Thread(target=read, daemon=True).start()
    return queue
