"""How each dialect is asked for a search and for a page, and how its replies are read."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

JSON = {"accept": "application/json"}
Hit = tuple[str, str, str]
"""Address, title and snippet."""


def strings(value: Any) -> list[str]:
    """Every string of a JSON value, the names of fields too."""
    if isinstance(value, dict):
        return [text for name, item in value.items() for text in (name, *strings(item))]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


def reply_strings(reply) -> list[str]:
    return strings(reply.json()) if "json" in reply.headers["content-type"] else [reply.text]


@dataclass(frozen=True)
class Search:
    """A search for ten hits: `ask` sends a query to a client, `read` returns the hits of the reply."""

    ask: Callable[..., Any]
    read: Callable[..., list[Hit]]
    tools: str = "worldsmith"
    """A row of `mcp.TOOL_NAMES`."""
    texts: Callable[..., list[str]] = reply_strings


@dataclass(frozen=True)
class Read:
    """A page: `ask` sends its address to a client, `read` returns its Markdown, or its HTML where `html` says so."""

    ask: Callable[..., Any]
    read: Callable[..., str]
    html: bool = False
    tools: str = "worldsmith"
    texts: Callable[..., list[str]] = reply_strings


def results(path, *names):
    def read(reply):
        body = reply.json()
        for step in path:
            body = body.get(step, {})
        return [tuple(hit[name] for name in names) for hit in body or []]

    return read


def value(*path):
    def read(reply):
        body = reply.json()
        for step in path:
            body = body[step]
        return body

    return read


def jina_json(reply):
    data = reply.json()["data"] or []
    assert all(hit["content"] == hit["description"] for hit in data)
    return [(hit["url"], hit["title"], hit["description"]) for hit in data]


def jina_text(reply):
    if reply.status_code == 422:
        return []
    hits = re.findall(r"^\[(\d+)\] (Title|URL Source|Description): (.*)$", reply.text, re.MULTILINE)
    by_name = {name: [value for _, each, value in hits if each == name] for _, name, _ in hits}
    return list(zip(by_name["URL Source"], by_name["Title"], by_name["Description"], strict=True))


def jina_page(reply):
    return reply.text.partition("Markdown Content:\n")[2].removesuffix("\n")


def retrieved(reply):
    (documents,) = reply.json()["result"]
    return [(document["url"], document["title"], document["text"]) for document in documents]


def wide(reply):
    texts = [document["content"][0]["text"] for document in json.loads(reply.json()["result"])["documents"]]
    return [(url, title, text) for title, url, text in (each.split("\n", 2) for each in texts)]


def wide_page(reply):
    return json.loads(reply.json()["result"])["documents"][0]["content"][0]["text"]


def wide_strings(reply):
    result = json.loads(reply.json().get("result", "null"))
    return strings({**reply.json(), "result": result})


def agentworld(reply):
    return re.findall(r"^\[\d+\] (.*)\nTitle: (.*)\nSnippet: (.*)\nDate: ", reply.text, re.MULTILINE)


def tool_text(reply):
    (content,) = reply.json()["result"]["content"]
    return content["text"]


def listed(reply):
    text = tool_text(reply)
    blocks = [] if text == "No results." else text.split("\n\n")
    return [(lines[1], lines[0], lines[-1]) for lines in (block.split("\n") for block in blocks)]


class Tool:
    """Calls a tool of MCP in a session of its own."""

    def __init__(self, name: str, argument: str, **others: Any) -> None:
        self.name, self.argument, self.others = name, argument, others

    def __call__(self, app, wanted: str):
        argument = [wanted] if self.argument == "urls" else wanted
        params = {"name": self.name, "arguments": {self.argument: argument, **self.others}}
        return Session(app).call(params)


class Session:
    """A session of MCP."""

    def __init__(self, app) -> None:
        self.app = app
        opened = app.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize"})
        self.headers = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}

    def call(self, params):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        reply = self.app.post("/mcp", json=message, headers=self.headers)
        reply.session = self
        return reply


def unwrapped(display: str) -> str:
    """The text of a display of gpt-oss's browser, whose lines were cut to its width; without white space."""
    lines = (re.sub(r"^L\d+: ", "", line) for line in display.split("\n")[3:])
    return "".join("".join(lines).split())


def displayed(reply):
    """The hits of a displayed search; each address is that of the page that its link opens."""
    text = "".join(re.sub(r"^L\d+: ", "", line) for line in tool_text(reply).split("\n")[3:])
    hits = re.findall(r"  \* 【\d+†([^†]*)†[^†】]*】 (.*?)(?=  \* 【|$)", text)
    opened = []
    for place, (title, snippet) in enumerate(hits):
        page = tool_text(reply.session.call({"name": "open", "arguments": {"id": place, "cursor": 0}}))
        opened.append((re.search(r" \((https://\S+)\)$", page.split("\n")[0])[1], title, snippet))
    return opened


def display_strings(reply):
    text = tool_text(reply)
    head = text.split("\n")[:3]
    return [*(each for each in strings(reply.json()) if each != text), *head, unwrapped(text)]


def get(path, name, **others):
    return lambda app, wanted: app.get(path, params={name: wanted, **others})


def post(path, name, **others):
    return lambda app, wanted: app.post(path, json={name: wanted, **others})


def post_many(path, name, **others):
    return lambda app, wanted: app.post(path, json={name: [wanted], **others})


ours = results(("results",), "url", "title", "snippet")
tavily = results(("results",), "url", "title", "content")
organic = results(("organic",), "link", "title", "snippet")
firecrawl = results(("data", "web"), "url", "title", "description")
brave = results(("web", "results"), "url", "title", "description")
searx = results(("results",), "url", "title", "content")
bing = results(("webPages", "value"), "url", "name", "snippet")
you = results(("results", "web"), "url", "title", "description")


def exa(reply):
    return [(hit["url"], hit["title"], hit["highlights"][0]) for hit in reply.json()["results"]]


HIGHLIGHTS = {"numResults": 10, "contents": {"highlights": True}}
SEARCHES = {
    "api": Search(post("/api/search", "query"), ours),
    "api, GET": Search(get("/api/search", "query"), ours),
    "tavily": Search(post("/search", "query", max_results=10), tavily),
    "tavily, prefix": Search(post("/tavily/search", "query", max_results=10), tavily),
    "serper": Search(post("/search", "q", num=10), organic),
    "serper, GET": Search(get("/search", "q", api_key="k"), organic),
    "serper, POST of a query string": Search(lambda app, query: app.post("/search", params={"q": query}), organic),
    "serper, prefix": Search(post("/serper/search", "q"), organic),
    "serper, GET of the prefix": Search(get("/serper/search", "q"), organic),
    "exa": Search(post("/search", "query", **HIGHLIGHTS), exa),
    "exa, prefix": Search(post("/exa/search", "query", **HIGHLIGHTS), exa),
    "firecrawl": Search(post("/v2/search", "query", limit=10), firecrawl),
    "jina, JSON": Search(lambda app, query: app.get(f"/jina/s/{quote(query)}", headers=JSON), jina_json),
    "jina, text": Search(get("/jina/s/", "q"), jina_text),
    "jina, POST": Search(lambda app, query: app.post("/jina/s/", json={"q": query}, headers=JSON), jina_json),
    "brave": Search(get("/res/v1/web/search", "q", count=10), brave),
    "searxng": Search(get("/search", "q", format="json"), searx),
    "searxng, prefix": Search(get("/searxng/search", "q", format="json"), searx),
    "bing": Search(get("/v7.0/search", "q", count=10), bing),
    "you": Search(get("/v1/search", "query"), you),
    "retrieve": Search(post_many("/retrieve", "queries", topk=10), retrieved),
    "widesearch": Search(
        lambda app, query: app.post(
            "/widesearch", json={"name": "GlobalSearch", "arguments": json.dumps({"query": query})}
        ),
        wide,
        texts=wide_strings,
    ),
    "agentworld": Search(
        lambda app, query: app.post("/agentworld", json={"name": "web_search", "arguments": {"query": query}}),
        agentworld,
    ),
    "mcp": Search(Tool("web_search", "query"), listed),
    "mcp, tavily": Search(Tool("tavily_search", "query", max_results=10), listed, "tavily"),
    "mcp, exa": Search(Tool("web_search_exa", "query"), listed, "exa"),
    "mcp, brave": Search(Tool("brave_web_search", "query"), listed, "brave"),
    "mcp, jina": Search(Tool("search_web", "query"), listed, "jina"),
    "mcp, firecrawl": Search(Tool("firecrawl_search", "query", limit=10), listed, "firecrawl"),
    "mcp, gpt-oss": Search(Tool("search", "query"), displayed, "gpt-oss", display_strings),
}
"""By dialect, and form of it; every route has one here or in `READS`."""
EXACT = {"retrieve"}
"""Dialects whose pages of results are never one short."""


def place(url: str) -> str:
    return url.removeprefix("https://")


READS = {
    "api": Read(post("/api/extract", "url"), value("text")),
    "tavily": Read(post_many("/extract", "urls"), value("results", 0, "raw_content")),
    "tavily, prefix": Read(post_many("/tavily/extract", "urls"), value("results", 0, "raw_content")),
    "serper": Read(post("/scrape", "url", includeMarkdown=True), value("markdown")),
    "serper, prefix": Read(post("/serper/scrape", "url", includeMarkdown=True), value("markdown")),
    "exa": Read(post_many("/contents", "urls", text=True), value("results", 0, "text")),
    "exa, prefix": Read(post_many("/exa/contents", "urls", text=True), value("results", 0, "text")),
    "exa, HTML": Read(
        post_many("/contents", "urls", text={"includeHtmlTags": True}), value("results", 0, "text"), True
    ),
    "firecrawl": Read(post("/v2/scrape", "url"), value("data", "markdown")),
    "firecrawl, HTML": Read(post("/v2/scrape", "url", formats=["html"]), value("data", "html"), True),
    "jina": Read(lambda app, url: app.get(f"/{url}"), jina_page),
    "jina, JSON": Read(lambda app, url: app.get(f"/{url}", headers=JSON), value("data", "content")),
    "jina, POST": Read(post("/", "url"), jina_page),
    "jina, prefix": Read(lambda app, url: app.get(f"/jina/r/{url}"), jina_page),
    "jina, GET of the prefix": Read(get("/jina/r/", "url"), jina_page),
    "jina, POST to the prefix": Read(post("/jina/r/", "url"), jina_page),
    "you": Read(post_many("/v1/contents", "urls"), value(0, "markdown")),
    "you, HTML": Read(post_many("/v1/contents", "urls", formats=["html"]), value(0, "html"), True),
    "retrieve": Read(post_many("/access", "urls"), value("result", 0, "contents")),
    "widesearch": Read(
        lambda app, url: app.post(
            "/widesearch", json={"name": "TextBrowserView", "arguments": json.dumps({"url": url, "description": "all"})}
        ),
        wide_page,
        texts=wide_strings,
    ),
    "agentworld": Read(
        lambda app, url: app.post("/agentworld", json={"name": "web_extractor", "arguments": {"url": url}}),
        lambda reply: reply.text,
    ),
    "mcp": Read(Tool("web_extractor", "url"), tool_text),
    "mcp, tavily": Read(Tool("tavily_extract", "urls"), tool_text, tools="tavily"),
    "mcp, exa": Read(Tool("web_fetch_exa", "urls", maxCharacters=10**6), tool_text, tools="exa"),
    "mcp, brave": Read(Tool("web_extractor", "url"), tool_text, tools="brave"),
    "mcp, jina": Read(Tool("read_url", "url"), tool_text, tools="jina"),
    "mcp, firecrawl": Read(Tool("firecrawl_scrape", "url"), tool_text, tools="firecrawl"),
    "mcp, gpt-oss": Read(Tool("open", "id", num_lines=10**6), tool_text, tools="gpt-oss", texts=display_strings),
    "pages": Read(lambda app, url: app.get(f"/web/{place(url)}"), lambda reply: reply.text, True),
}
"""By dialect, and form of it."""
