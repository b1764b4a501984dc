"""Clients of MCP, over HTTP and over stdin and stdout: they find and read pages, and see what is wrong."""

import re
import sys
from pathlib import Path

import pytest

import worldsmith
from tests.clients.environments import run_client
from tests.served_worlds import running_server
from worldsmith.serving.dialects import dialects_with_tools

pytestmark = pytest.mark.clients

LAUNCH = f"""
import asyncio, json, sys
where, query, url = sys.argv[1:]
stdio = dict(command={sys.executable!r}, args=["-m", "worldsmith", "mcp", where],
             env={{"PYTHONPATH": {str(Path(worldsmith.__file__).parents[1])!r}}})
is_http = where.startswith("http")
calls = [("web_search", {{"query": query}}), ("web_extractor", {{"url": url}}), ("web_search", {{"query": " "}})]
def show(**values):
    print(json.dumps(values))
"""
SESSION = """
async def use(session):
    tools = [tool.name for tool in (await session.list_tools()).tools]
    texts = []
    for name, arguments in calls:
        reply = await session.call_tool(name, arguments)
        texts.append(reply.content[0].text)
    show(tools=tools, texts=texts)
"""
MCP1 = (
    LAUNCH
    + SESSION
    + """
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
async def main():
    opened = streamable_http_client(where) if is_http else stdio_client(StdioServerParameters(**stdio))
    async with opened as (read, write, *_), ClientSession(read, write) as session:
        await session.initialize()
        await use(session)
asyncio.run(main())
"""
)
MCP2 = (
    LAUNCH
    + SESSION
    + """
from mcp import Client, StdioServerParameters
async def main():
    async with Client(where if is_http else StdioServerParameters(**stdio)) as client:
        await use(client)
asyncio.run(main())
"""
)
FASTMCP = (
    LAUNCH
    + """
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
async def main():
    async with Client(where if is_http else StdioTransport(**stdio)) as client:
        tools = [tool.name for tool in await client.list_tools()]
        texts = [(await client.call_tool(name, arguments)).content[0].text for name, arguments in calls[:2]]
        try:
            await client.call_tool("web_search", {"query": " "})
        except Exception as error:
            texts.append(str(error))
        show(tools=tools, texts=texts)
asyncio.run(main())
"""
)
LANGCHAIN = (
    LAUNCH
    + """
from langchain_mcp_adapters.client import MultiServerMCPClient
async def main():
    connection = dict(transport="streamable_http", url=where) if is_http else dict(transport="stdio", **stdio)
    tools = {tool.name: tool for tool in await MultiServerMCPClient({"web": connection}).get_tools()}
    texts = []
    for name, arguments in calls:
        try:
            reply = await tools[name].ainvoke(arguments)
            texts.append(reply if isinstance(reply, str) else reply[0]["text"])
        except Exception as error:
            texts.append(str(error))
    show(tools=list(tools), texts=texts)
asyncio.run(main())
"""
)
AGENTS = (
    LAUNCH
    + """
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
async def main():
    opened = MCPServerStreamableHttp(params={"url": where}) if is_http else MCPServerStdio(params=stdio)
    async with opened as server:
        tools = [tool.name for tool in await server.list_tools()]
        texts = [(await server.call_tool(name, arguments)).content[0].text for name, arguments in calls]
        show(tools=tools, texts=texts)
asyncio.run(main())
"""
)
CLIENTS = {"mcp1": MCP1, "mcp2": MCP2, "fastmcp": FASTMCP, "lcmcp": LANGCHAIN, "openai-agents": AGENTS}


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("way", ["http", "stdio"])
def test_a_client_finds_and_reads_pages_and_sees_what_is_wrong(name, way, served, tmp_path):
    where = f"{served.base_url}/mcp" if way == "http" else served.folder
    shown = run_client(name, CLIENTS[name], tmp_path, where, served.query, served.urls[0])
    hits, page, wrong = shown["texts"]
    assert shown["tools"] == ["web_search", "web_extractor"]
    assert re.findall(r"^https://\S+$", hits, re.MULTILINE) == served.urls
    assert page == served.first_page
    assert 'Error: "query" is empty: say what to look for' in wrong


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_a_client_browses_with_the_tools_of_gpt_oss(way, served, tmp_path):
    code = MCP1.replace("where],", 'where, "--tool-names", "gpt-oss"],').replace(
        'calls = [("web_search", {"query": query}), ("web_extractor", {"url": url}), ("web_search", {"query": " "})]',
        'calls = [("search", {"query": query}), ("open", {"id": 0}), ("find", {"pattern": "no such words"})]',
    )
    with running_server([Path(served.folder)], dialects=dialects_with_tools("gpt-oss")) as base_url:
        where = f"{base_url}/mcp" if way == "http" else served.folder
        shown = run_client("mcp1", code, tmp_path, where, served.query, "")
    search, page, matches = shown["texts"]
    assert shown["tools"] == ["search", "open", "find"]
    assert search.startswith(f"[0] {served.query}\n**viewing lines [0 - ")
    assert page.split("\n")[0].endswith(f" ({served.urls[0]})")
    assert matches.endswith("L0: No `find` results for pattern: `no such words`")


@pytest.mark.parametrize("name", ["mcp1", "mcp2"])
def test_a_client_is_told_why_a_world_is_unknown(name, served, tmp_path):
    code = CLIENTS[name].replace(
        "asyncio.run(main())",
        """
def reasons(error):
    return [text for one in error.exceptions for text in reasons(one)] if hasattr(error, "exceptions") else [str(error)]
try:
    asyncio.run(main())
except BaseException as error:
    show(why=reasons(error))
""",
    )
    shown = run_client(name, code, tmp_path, f"{served.base_url}/w/{served.world}x/mcp", "a", "b")
    assert any(f"Did you mean '{served.world}'?" in why for why in shown["why"])
