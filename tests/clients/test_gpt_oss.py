"""The browser of gpt-oss over the dialects of its backends: its search, open and find, with cursors."""

from pathlib import Path

import pytest

from tests.clients.environments import run_client
from tests.served_worlds import running_server
from worldsmith.serving.dialects import dialects_with_tools

pytestmark = pytest.mark.clients

CODE = """
import asyncio, json, os, sys
from gpt_oss.tools.simple_browser import SimpleBrowserTool
from gpt_oss.tools.simple_browser.backend import ExaBackend, YouComBackend
os.environ["EXA_API_KEY"] = os.environ["YDC_API_KEY"] = "any"
backend, base_url, query, word = sys.argv[1:]
# As many tokens as are never shown: the tokenizer would be loaded from the net.
browser = SimpleBrowserTool(globals()[backend](source="web", BASE_URL=base_url), view_tokens=10**6)
async def text(messages):
    return [message.content[0].text async for message in messages][0]
async def main():
    shown = {"hits": await text(browser.search(query=query))}
    shown["urls"] = list(browser.tool_state.get_page().urls.values())
    shown["page"] = await text(browser.open(id=0))
    shown["found"] = await text(browser.find(pattern=word))
    shown["gone"] = await text(browser.open(id="https://nowhere.example/"))
    shown["wrong"] = await text(browser.search(query=" "))
    print(json.dumps(shown))
asyncio.run(main())
"""
WITH_OUR_TOOLS = """
import asyncio, json, sys, urllib.request
from gpt_oss.tools.simple_browser import SimpleBrowserTool
from gpt_oss.tools.simple_browser.backend import ExaBackend
base_url, tools_url, query = sys.argv[1:]
browser = SimpleBrowserTool(ExaBackend(source="web", api_key="any", BASE_URL=base_url), view_tokens=10**6)
async def text(messages):
    return [message.content[0].text async for message in messages][0]
headers = {}
def send(method, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    with urllib.request.urlopen(urllib.request.Request(tools_url, body, headers)) as response:
        headers["Mcp-Session-Id"] = response.headers["Mcp-Session-Id"] or headers.get("Mcp-Session-Id")
        return json.load(response)["result"]
def call(name, **arguments):
    return send("tools/call", name=name, arguments=arguments)["content"][0]["text"]
send("initialize")
steps = [
    ("search", dict(query=query)),
    ("open", dict(id=0)),
    ("open", dict(cursor=0, loc=5, num_lines=3)),
    ("find", dict(pattern="no such words", cursor=1)),
    ("open", dict(id=1, cursor=0)),
]
async def main():
    shown = []
    for name, arguments in steps:
        wanted = {"topn": 20} if name == "search" else {}
        shown.append([await text(getattr(browser, name)(**arguments)), call(name, **arguments, **wanted)])
    urls = list(browser.tool_state.pages[""].urls.values())
    print(json.dumps({"shown": shown, "urls": urls}))
asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("backend", "gone"), [("ExaBackend", "No contents returned"), ("YouComBackend", "No HTML returned")]
)
def test_the_browser_finds_opens_and_searches_pages_and_sees_what_is_wrong(backend, gone, served, tmp_path):
    shown = run_client("gpt-oss", CODE, tmp_path, backend, served.base_url, served.query, served.query.split()[0])
    assert shown["urls"][: len(served.urls)] == served.urls
    assert shown["hits"].startswith(f"[0] {served.query}")
    assert shown["page"].startswith("[1] ")
    assert served.urls[0] in shown["page"]
    assert shown["found"].startswith("[2] Find results for text:")
    assert "match at L" in shown["found"]
    assert shown["gone"].startswith(f"Error fetching URL `https://nowhere.example/`: {gone}")
    assert f"{backend} error 400" in shown["wrong"]
    assert "say what to look for" in shown["wrong"]


def test_our_tools_of_its_names_display_what_the_browser_displays(served, tmp_path):
    with running_server([Path(served.folder)], dialects=dialects_with_tools("gpt-oss")) as tools_url:
        shown = run_client("gpt-oss", WITH_OUR_TOOLS, tmp_path, served.base_url, f"{tools_url}/mcp", served.query)
    search, first, part, nothing, second = shown["shown"]
    assert shown["urls"][: len(served.urls)] == served.urls
    assert search[0] == search[1]
    assert search[1].count("\n") > 50
    assert nothing[0] == nothing[1]
    assert part[0] == part[1]
    for theirs, ours, url in ((first[0], first[1], served.urls[0]), (second[0], second[1], served.urls[1])):
        assert theirs.split("\n")[0] == ours.split("\n")[0]
        assert url in ours.split("\n")[0]
