"""Ask a server of worlds one question: python ask.py QUESTION prints the hits in its first world, and the first page.

WORLDSMITH_BASE_URL is the server's address, WORLDSMITH_API_KEY its key.
"""

import json
import os
import sys
import urllib.parse
import urllib.request
from typing import Any

BASE_URL = os.environ.get("WORLDSMITH_BASE_URL", "http://127.0.0.1:8000")
HEADERS = {"Authorization": f"Bearer {os.environ.get('WORLDSMITH_API_KEY', '')}"}
SHOWN = 400
"""Characters of the page."""


def get(path: str, **fields: str) -> Any:
    query = f"?{urllib.parse.urlencode(fields)}" if fields else ""
    with urllib.request.urlopen(urllib.request.Request(BASE_URL + path + query, headers=HEADERS)) as response:  # noqa: S310
        return json.load(response)


def main(question: str) -> None:
    world = get("/worlds")["worlds"][0]["path"]
    hits = get(f"{world}/api/search", query=question, k="5")["results"]
    for hit in hits:
        print(f"{hit['title']}\n  {hit['url']}\n  {hit['snippet']}")
    body = json.dumps({"url": hits[0]["url"], "max_chars": SHOWN}).encode()
    request = urllib.request.Request(f"{BASE_URL}{world}/api/extract", body, HEADERS)  # noqa: S310
    with urllib.request.urlopen(request) as response:  # noqa: S310
        print(f"\n{json.load(response)['text']}")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "Which streets have shops?")
