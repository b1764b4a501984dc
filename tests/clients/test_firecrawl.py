"""firecrawl-py as it is: it finds and reads pages, and raises what is wrong."""

import pytest

from tests.clients.environments import run_client

pytestmark = pytest.mark.clients

CODE = """
import asyncio, json, sys
from firecrawl import AsyncFirecrawl, Firecrawl
base_url, query, url, world = sys.argv[1:]
app = Firecrawl("any-key", api_url=base_url)
shown = {"urls": [hit.url for hit in app.search(query, limit=10).web]}
whole = app.search(query, limit=10, scrape_options={"formats": ["markdown"]}).web
shown["pages"] = [(hit.metadata.source_url, len(hit.markdown)) for hit in whole]
page = app.scrape(url, formats=["markdown", "html"])
shown["page"], shown["status"], shown["html"] = page.markdown, page.metadata.status_code, page.html[:15]
gone = app.scrape("https://nowhere.example/")
shown["gone"] = gone.metadata.status_code
shown["async"] = [hit.url for hit in asyncio.run(AsyncFirecrawl("any", api_url=base_url).search(query, limit=10)).web]
for name, client, text in (
    ("wrong", app, "a" * 3000),
    ("unknown", Firecrawl("ws-" + world + "x", api_url=base_url), query),
):
    try:
        client.search(text)
    except Exception as error:
        shown[name] = [type(error).__name__, str(error)]
print(json.dumps(shown))
"""


def test_firecrawl_finds_and_reads_pages_and_raises_what_is_wrong(served, tmp_path):
    arguments = (served.base_url, served.query, served.urls[0], served.world)
    shown = run_client("firecrawl", CODE, tmp_path, *arguments)
    assert shown["urls"] == shown["async"] == served.urls
    assert [url for url, _ in shown["pages"]] == served.urls
    assert all(length for _, length in shown["pages"])
    assert (shown["page"], shown["status"], shown["gone"]) == (served.first_page, 200, 404)
    assert shown["html"] == "<!doctype html>"
    assert shown["wrong"][0] == "BadRequestError"
    assert '"query" has 3000 characters; at most 2000 are read: shorten it' in shown["wrong"][1]
    assert shown["unknown"][0] == "UnauthorizedError"
    assert f"Did you mean '{served.world}'?" in shown["unknown"][1]
