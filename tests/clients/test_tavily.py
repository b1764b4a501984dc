"""tavily-python and langchain-tavily as they are: they find and read pages, and raise what is wrong."""

import pytest

from tests.clients.environments import run_client

pytestmark = pytest.mark.clients

CODE = """
import json, sys
from langchain_tavily import TavilyExtract, TavilySearch
from tavily import TavilyClient
base_url, query, url, world = sys.argv[1:]
client = TavilyClient("tvly-any", api_base_url=base_url)
options = {"tavily_api_key": "tvly-any", "api_base_url": base_url}
shown = {
    "urls": [hit["url"] for hit in client.search(query, max_results=10)["results"]],
    "page": client.extract([url])["results"][0]["raw_content"],
    "langchain_urls": [hit["url"] for hit in TavilySearch(max_results=10, **options).invoke(query)["results"]],
    "langchain_page": TavilyExtract(**options).invoke({"urls": [url]})["results"][0]["raw_content"],
}
for name, key, text in (("wrong", "tvly-any", " "), ("unknown", "ws-" + world + "x", query)):
    try:
        TavilyClient(key, api_base_url=base_url).search(text)
    except Exception as error:
        shown[name] = [type(error).__name__, str(error)]
print(json.dumps(shown))
"""


def test_tavily_and_langchain_find_and_read_pages_and_raise_what_is_wrong(served, tmp_path):
    shown = run_client("tavily", CODE, tmp_path, served.base_url, served.query, served.urls[0], served.world)
    assert shown["urls"] == shown["langchain_urls"] == served.urls
    assert shown["page"] == shown["langchain_page"] == served.first_page
    assert shown["wrong"] == ["BadRequestError", '"query" is empty: say what to look for']
    assert shown["unknown"][0] == "InvalidAPIKeyError"
    assert f"Did you mean '{served.world}'?" in shown["unknown"][1]
