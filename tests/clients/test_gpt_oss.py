"""The browser of gpt-oss over the dialects of its backends: its search, open and find, with cursors."""

import pytest

from tests.clients.environments import run_client

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
