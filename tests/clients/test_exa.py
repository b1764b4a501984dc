"""exa-py as it is: it finds and reads pages, and raises what is wrong."""

import pytest

from tests.clients.environments import run_client

pytestmark = pytest.mark.clients

CODE = """
import asyncio, json, sys
from exa_py import AsyncExa, Exa
base_url, query, world = sys.argv[1:]
exa = Exa("any-key", base_url=base_url)
shown = {}
by_default = exa.search(query, num_results=10)
shown["texts"] = [len(hit.text) for hit in by_default.results]
bare = exa.search(query, contents=False)
shown["urls"] = [hit.url for hit in bare.results]
shown["asked_texts"] = [hit.text for hit in bare.results]
highlighted = exa.search(query, contents={"highlights": True})
shown["highlights"] = [hit.highlights for hit in highlighted.results]
pages = exa.get_contents([bare.results[0].url, "https://nowhere.example/"], text=True)
shown["page"] = pages.results[0].text
shown["statuses"] = [(one.status, one.error and one.error.tag) for one in pages.statuses]
shown["async"] = [hit.url for hit in asyncio.run(AsyncExa("any-key", api_base=base_url).search(query)).results]
for name, client, text in (("wrong", exa, " "), ("unknown", Exa("ws-" + world + "x", base_url=base_url), query)):
    try:
        client.search(text)
    except ValueError as error:
        shown[name] = str(error)
print(json.dumps(shown))
"""


def test_exa_finds_and_reads_pages_and_raises_what_is_wrong(served, tmp_path):
    shown = run_client("exa", CODE, tmp_path, served.base_url, served.query, served.world)
    assert shown["urls"] == shown["async"] == served.urls
    assert all(0 < length <= 10_000 for length in shown["texts"])
    assert shown["asked_texts"] == [None] * len(served.urls)
    assert all(len(highlights) == 1 for highlights in shown["highlights"])
    assert shown["page"] == served.first_page
    assert shown["statuses"] == [["success", None], ["error", "CRAWL_NOT_FOUND"]]
    assert shown["wrong"].startswith("Request failed with status code 400:")
    assert "INVALID_REQUEST_BODY" in shown["wrong"]
    assert shown["unknown"].startswith("Request failed with status code 401:")
    assert f"Did you mean '{served.world}'?" in shown["unknown"]
