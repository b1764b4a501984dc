import io
import json
import re

import anyio
import pytest
from dialect_cases import BUSY, GONE, HITS, PAGE, URL, request
from starlette.testclient import TestClient

from worldsmith.cli.serving import mcp as mcp_command
from worldsmith.episode.tools import TOOLS
from worldsmith.errors import UsageError
from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.schema import load_schema
from worldsmith.serving import create_app
from worldsmith.serving.dialects import dialects_with_tools
from worldsmith.serving.dialects.mcp import TOOL_NAMES, Server
from worldsmith.serving.stdio import serve_stdio
from worldsmith.simulate.perturb import PROFILES
from worldsmith.simulate.protocol import Call, Observation, Profile
from worldsmith.simulate.simulator import Simulator


@pytest.fixture(scope="module")
def world():
    return generate(load_schema("town"), 7)


@pytest.fixture(scope="module")
def client(world):
    return TestClient(create_app([world]))


def message(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def read(names="worldsmith", /, **fields):
    return Server(TOOL_NAMES[names]).read(request(fields))


def call(tool, names="worldsmith", /, **arguments):
    return read(names, **message("tools/call", name=tool, arguments=arguments))


def result(parsed, *observations):
    reply = parsed.write(observations or parsed.calls)
    assert (reply.status, reply.body["jsonrpc"], reply.body["id"]) == (200, "2.0", 1)
    return reply.body["result"]


@pytest.mark.parametrize(
    ("wanted", "spoken"),
    [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2026-07-28", "2025-11-25"), (None, "2025-11-25")],
)
def test_initialize_settles_on_a_revision(wanted, spoken):
    welcome = result(read(**message("initialize", protocolVersion=wanted)))
    assert welcome["protocolVersion"] == spoken
    assert welcome["capabilities"] == {"tools": {"listChanged": False}}


def test_the_tools_are_those_of_episodes():
    tools = result(read(**message("tools/list")))["tools"]
    for tool, known in zip(tools, (tool["function"] for tool in TOOLS), strict=True):
        assert (tool["name"], tool["description"]) == (known["name"], known["description"])
        properties, known_properties = tool["inputSchema"]["properties"], known["parameters"]["properties"]
        assert tool["inputSchema"]["required"] == known["parameters"]["required"]
        assert [(name, p["type"], p["description"]) for name, p in properties.items()] == [
            (name, p["type"], p["description"]) for name, p in known_properties.items()
        ]


@pytest.mark.parametrize(
    ("names", "search", "arguments", "searched", "reader", "address", "length"),
    [
        ("worldsmith", "web_search", {"page": 2}, (2, 10), "web_extractor", {"url": URL}, None),
        ("tavily", "tavily_search", {"max_results": 3}, (1, 3), "tavily_extract", {"urls": [URL]}, None),
        ("exa", "web_search_exa", {"numResults": 3}, (1, 3), "web_fetch_exa", {"urls": [URL]}, 3000),
        ("brave", "brave_web_search", {"count": 3, "offset": 1}, (2, 3), "web_extractor", {"url": URL}, None),
        ("jina", "search_web", {"num": 3}, (1, 3), "read_url", {"url": URL}, None),
        ("firecrawl", "firecrawl_search", {"limit": 3}, (1, 3), "firecrawl_scrape", {"url": URL}, None),
    ],
)
def test_tools_have_the_names_of_a_service(names, search, arguments, searched, reader, address, length):
    tools = result(read(names, **message("tools/list")))["tools"]
    assert [tool["name"] for tool in tools] == [search, reader]
    assert all(tool["description"] and tool["inputSchema"]["properties"] for tool in tools)
    page, k = searched
    assert call(search, names, query="mills", **arguments).calls == (Call("web_search", "mills", page, k),)
    assert call(reader, names, **address).calls == (Call("web_extractor", URL, max_chars=length),)


def test_the_browser_of_gpt_oss_has_its_tools_and_their_arguments():
    tools = result(read("gpt-oss", **message("tools/list")))["tools"]
    assert {
        tool["name"]: (list(tool["inputSchema"]["properties"]), tool["inputSchema"]["required"]) for tool in tools
    } == {
        "search": (["query", "topn", "source"], ["query"]),
        "open": (["id", "cursor", "loc", "num_lines", "view_source", "source"], []),
        "find": (["pattern", "cursor"], ["pattern"]),
    }
    schema = tools[1]["inputSchema"]["properties"]
    assert (schema["id"]["type"], schema["id"]["default"]) == (["integer", "string"], -1)
    assert (schema["cursor"]["type"], schema["cursor"]["minimum"]) == ("integer", -1)
    assert all(tool["description"] for tool in tools)


def test_every_row_of_names_is_an_option_and_no_other():
    (option,) = (parameter for parameter in mcp_command.params if parameter.name == "tool_names")
    assert list(option.type.choices) == list(TOOL_NAMES)


def test_replies_are_text_as_in_an_episode():
    hits = result(call("web_search", query="mills"), HITS)
    assert hits == {
        "content": [
            {
                "type": "text",
                "text": f'Mill "Oak" | Register\n{URL}\n2031-04-05\nMill Oak stands in Fen ...\n\n'
                "Fen Post\nhttps://news.fen-post.example/a\nA note.",
            }
        ],
        "isError": False,
    }
    (page,) = result(call("web_extractor", url=URL), PAGE)["content"]
    assert page["text"] == "# Mill Oak\n\n[the page goes on at offset 11]"
    assert result(call("web_search", query="mills"), Observation("ok"))["content"][0]["text"] == "No results."


def test_links_are_shown_as_the_server_is_reached():
    server = Server(TOOL_NAMES["worldsmith"])
    fields = message("tools/call", name="web_search", arguments={"query": "mills"})
    parsed = server.read(request(fields, base="http://10.0.0.1:9"))
    assert (
        "http://10.0.0.1:9/w/w1;seed=3/web/oak-register.example/mill/3"
        in parsed.write((HITS,)).body["result"]["content"][0]["text"]
    )


def test_a_failed_call_is_a_result_that_the_model_reads():
    failed = result(call("web_search", query="mills"), BUSY)
    assert failed == {
        "content": [{"type": "text", "text": "Error: too many requests: try again later"}],
        "isError": True,
    }
    several = call("tavily_extract", "tavily", urls=[URL, 7, "https://gone.example/"])
    assert isinstance(several.calls[1], Observation)
    read_pages = result(several, PAGE, several.calls[1], GONE)
    assert not read_pages["isError"]
    assert [item["text"][:20] for item in read_pages["content"]] == [
        "# Mill Oak\n\n[the pag",
        'Error: "urls[1]" mus',
        "Error: page not foun",
    ]


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"name": "web_serch"}, "there is no tool 'web_serch'. Did you mean 'web_search'?"),
        ({}, "there is no tool 'None'. Tools: web_search, web_extractor"),
        ({"name": ["web_search"]}, "there is no tool"),
        ({"name": "web_search"}, '"query" is missing: send a string'),
        ({"name": "web_search", "arguments": []}, '"arguments" must be an object'),
        ({"name": "web_search", "arguments": {"query": "a", "page": 0}}, '"page" is 0; it must be from 1 to 100'),
        ({"name": "web_extractor", "arguments": {"url": " "}}, '"url" is empty: give the address of a page'),
    ],
)
def test_a_wrong_call_says_the_fix(params, why):
    failed = result(read(**message("tools/call", **params)))
    assert failed["isError"]
    assert failed["content"][0]["text"].startswith(f"Error: {why}")
    nothing = result(call("tavily_extract", "tavily", urls=[]))
    assert nothing["content"][0]["text"] == 'Error: "urls" is empty: give the address of a page'


def test_messages_that_need_no_reply_have_none(client):
    for body in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}},
    ):
        reply = client.post("/mcp", json=body)
        assert (reply.status_code, reply.content) == (202, b"")


def test_an_error_of_the_protocol_has_the_id_of_its_request(client, world):
    error = client.post("/mcp", json=message("server/discover", "a7"))
    assert (error.status_code, error.json()["id"], error.json()["error"]["code"]) == (200, "a7", -32601)
    unknown = client.post("/mcp", json=message("initialize"), headers={"Authorization": f"Bearer ws-{world.id}x"})
    assert (unknown.status_code, unknown.json()["id"]) == (200, 1)
    assert f"Did you mean '{world.id}'?" in unknown.json()["error"]["message"]
    nameless = client.post("/mcp", json={"id": 4})
    assert (nameless.status_code, nameless.json()["id"], nameless.json()["error"]["code"]) == (200, 4, -32600)
    bare = client.post("/mcp", json=[message("ping")])
    assert (bare.status_code, bare.json()["id"], bare.json()["error"]["code"]) == (400, None, -32600)
    for wrong in (True, None, 1.5, {}, []):
        with pytest.raises(UsageError, match='"id" must be a string or an integer'):
            read(**message("ping", wrong))


def test_there_is_no_stream_and_no_end_of_a_session(client):
    for method in ("GET", "DELETE"):
        reply = client.request(method, "/mcp")
        assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


def test_a_session_counts_the_attempts_of_its_calls(world):
    profiles = PROFILES | {"broken": Profile("broken", faults={"rate_limit": 1.0})}
    app = TestClient(create_app([world], profiles=profiles, simulate=lambda w: Simulator(w, profiles=profiles)))
    path, search = (
        f"/w/{world.id};profile=broken/mcp",
        message("tools/call", name="web_search", arguments={"query": "a"}),
    )
    sessions = [app.post(path, json=message("initialize")).headers["mcp-session-id"] for _ in range(2)]
    assert all(re.fullmatch(r"[0-9a-f]{32}", session) for session in sessions)
    assert len(set(sessions)) == 2
    for session in sessions:
        attempts = [app.post(path, json=search, headers={"Mcp-Session-Id": session}).json()["result"] for _ in range(3)]
        assert [attempt["isError"] for attempt in attempts] == [True, True, False]
    assert "only a session" in app.post(path, json=search).json()["error"]["message"]
    named = app.post(f"/w/{world.id};profile=broken;session=a/mcp", json=message("initialize"))
    assert named.headers["mcp-session-id"] == "a"
    wrong = app.post(path, json=search, headers={"Mcp-Session-Id": "a b"})
    assert "the session's header: session 'a b' is not of" in wrong.json()["error"]["message"]


def test_a_search_finds_what_the_other_dialects_find_with_the_same_evidence(client, world):
    query = world.title(next(iter(world.rows_of(next(iter(world.tables))))))
    ours = client.post("/api/search", json={"query": query})
    reply = client.post("/mcp", json=message("tools/call", name="web_search", arguments={"query": query}))
    text = reply.json()["result"]["content"][0]["text"]
    urls = re.findall(r"^https://\S+$", text, re.MULTILINE)
    assert urls == [hit["url"] for hit in ours.json()["results"]]
    assert all(Pages(world).by_url(url) for url in urls)
    assert reply.headers["x-worldsmith-evidence"] == ours.headers["x-worldsmith-evidence"]
    page = client.post("/mcp", json=message("tools/call", name="web_extractor", arguments={"url": urls[0]}))
    assert (
        page.json()["result"]["content"][0]["text"] == client.post("/api/extract", json={"url": urls[0]}).json()["text"]
    )


def test_stdio_answers_line_by_line_in_one_session(world):
    profiles = PROFILES | {"broken": Profile("broken", faults={"error": 1.0})}
    app = create_app(
        [world],
        profile="broken",
        profiles=profiles,
        simulate=lambda w: Simulator(w, profiles=profiles),
        dialects=dialects_with_tools("jina"),
    )
    search = message("tools/call", name="search_web", arguments={"query": "a"})
    lines = [
        *(message("initialize"), {"jsonrpc": "2.0", "method": "notifications/initialized"}),
        *({**search, "id": number} for number in range(2, 5)),
    ]
    sent, replies = io.BytesIO(b"".join(json.dumps(line).encode() + b"\n" for line in lines) + b"\n[\n"), io.BytesIO()
    anyio.run(serve_stdio, app, sent, replies)
    by_id = {reply["id"]: reply for reply in map(json.loads, replies.getvalue().splitlines())}
    assert set(by_id) == {1, 2, 3, 4, None}
    assert [by_id[number]["result"]["isError"] for number in (2, 3, 4)].count(False) == 1
    assert by_id[None]["error"]["code"] == -32600


class ReadOnce(io.BytesIO):
    """A pipe whose reader goes away after the first reply."""

    def write(self, data):
        if self.getvalue():
            raise BrokenPipeError
        return super().write(data)


def test_stdio_ends_when_nobody_reads_the_replies(world):
    lines = [message("initialize"), *[message("tools/list")] * 9]
    sent = io.BytesIO(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    with pytest.raises(BrokenPipeError):
        anyio.run(serve_stdio, create_app([world]), sent, ReadOnce())
