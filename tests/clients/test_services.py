"""Clients of search services: they find and read pages, and see the service's own error for a key of no world."""

import re

import pytest

from tests.clients.environments import run_client

pytestmark = pytest.mark.clients

LANGCHAIN = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
base, query, key = sys.argv[1:]
def error_of(action):
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
"""
BRAVE = (
    LANGCHAIN
    + """
from langchain_community.utilities.brave_search import BraveSearchWrapper
def wrapper(key):
    return BraveSearchWrapper(api_key=key, search_kwargs={"count": 10}, base_url=f"{base}/res/v1/web/search")
hits = json.loads(wrapper("BSA-1").run(query))
print(json.dumps({"urls": [hit["link"] for hit in hits], "error": error_of(lambda: wrapper(key).run(query))}))
"""
)
SEARX = (
    LANGCHAIN
    + """
from langchain_community.utilities import SearxSearchWrapper
search = SearxSearchWrapper(searx_host=f"{base}/search")
hits = search.results(query, num_results=10)
os.environ["SEARX_HOST"] = f"{base}/search"
assert SearxSearchWrapper().results(query, num_results=10) == hits
error = error_of(lambda: search.results(query, num_results=10, pageno=0))
print(json.dumps({"urls": [hit["link"] for hit in hits], "error": error}))
"""
)
JINA = (
    LANGCHAIN
    + """
from langchain_community.utilities.jina_search import JinaSearchAPIWrapper
def wrapper(key):
    return JinaSearchAPIWrapper(api_key=key, base_url=f"{base}/jina/s/")
hits = json.loads(wrapper("jina_1").run(query))
assert [document.page_content for document in wrapper("jina_1").download_documents(query)]
print(json.dumps({"urls": [hit["link"] for hit in hits], "error": error_of(lambda: wrapper(key).run(query))}))
"""
)
BING = (
    LANGCHAIN
    + """
from langchain_community.utilities import BingSearchAPIWrapper
def wrapper(key):
    return BingSearchAPIWrapper(bing_subscription_key=key, bing_search_url=f"{base}/v7.0/search")
hits = wrapper("0123").results(query, 10)
os.environ["BING_SEARCH_URL"] = f"{base}/v7.0/search"
assert BingSearchAPIWrapper(bing_subscription_key="0123").results(query, 10) == hits
print(json.dumps({"urls": [hit["link"] for hit in hits], "error": error_of(lambda: wrapper(key).results(query, 10))}))
"""
)
SMOLAGENTS = """
import json, re, sys
from smolagents import ApiWebSearchTool, VisitWebpageTool
base, query, key = sys.argv[1:]
def tool(key):
    return ApiWebSearchTool(endpoint=f"{base}/res/v1/web/search", api_key=key, rate_limit=None)
urls = re.findall(r"\\]\\((https://.*?)\\)\\n", tool("BSA-1")(query))
page = VisitWebpageTool()(urls[0].replace("https://", f"{base}/web/"))
gone = VisitWebpageTool()(f"{base}/web/nowhere.example/a")
try:
    tool(key)(query)
except Exception as raised:
    error = str(raised)
print(json.dumps({"urls": urls, "page": page, "gone": gone, "error": error}))
"""
QWEN = """
import json, os, sys
base, query, key = sys.argv[1:]
os.environ["SERPER_URL"], os.environ["SERPER_API_KEY"] = f"{base}/search", "cd1234"
from qwen_agent.tools import web_search
from qwen_agent.tools.web_extractor import WebExtractor
hits = web_search.WebSearch.search(query)
text = web_search.WebSearch().call({"query": query})
page = WebExtractor().call({"url": hits[0]["link"].replace("https://", f"{base}/web/")})
web_search.SERPER_API_KEY = key
try:
    web_search.WebSearch.search(query)
except Exception as raised:
    error = str(raised)
print(json.dumps({"urls": [hit["link"] for hit in hits], "text": text, "page": str(page), "error": error}))
"""


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (BRAVE, "Exception: HTTP error 422"),
        (SEARX, "is 0; it must be from 1 to 100"),
        (JINA, "Exception: HTTP error 401"),
        (BING, "HTTPError: 401 Client Error"),
    ],
    ids=["brave", "searx", "jina", "bing"],
)
def test_langchain_community_finds_pages_and_sees_the_error(code, error, served, tmp_path):
    shown = run_client("langchain-community", code, tmp_path, served.base_url, served.query, f"ws-{served.world}x")
    assert shown["urls"] == served.urls
    assert error in shown["error"]


def test_smolagents_finds_and_reads_pages_and_sees_the_error(served, tmp_path):
    shown = run_client("smolagents", SMOLAGENTS, tmp_path, served.base_url, served.query, f"ws-{served.world}x")
    assert shown["urls"] == served.urls
    assert served.query.split(",")[0] in shown["page"]
    assert "404 Client Error: Not Found" in shown["gone"]
    assert "422 Client Error" in shown["error"]


def test_qwen_agent_finds_and_reads_pages_and_sees_the_error(served, tmp_path):
    shown = run_client("qwen-agent", QWEN, tmp_path, served.base_url, served.query, f"ws-{served.world}x")
    assert shown["urls"] == served.urls
    assert len(re.findall(r'^(?:```\n)?\[\d+\]"', shown["text"], re.MULTILINE)) == len(served.urls)
    assert served.query.split(",")[0] in shown["page"]
    assert "403 Client Error: Forbidden" in shown["error"]
