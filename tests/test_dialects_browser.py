"""The browser of gpt-oss as tools of MCP: displays, cursors and links of a session."""

import re

import pytest
from dialect_cases import DOC, GONE, HITS, URL, answering
from starlette.testclient import TestClient

from worldsmith.pages import Pages
from worldsmith.serving import create_app
from worldsmith.serving.dialects import browser, dialects_with_tools, session_memory
from worldsmith.simulate.disclosure import disclosure_hash
from worldsmith.simulate.protocol import Observation

DIALECTS = dialects_with_tools("gpt-oss")
TEXT = (
    "# Mill Oak\n\nIn [Fen](https://fen.example/) since 1881. [Its floors](https://oak-register.example/floors).\n\n"
    "| Floor | Use |\n| --- | --- |\n| [Fen](https://fen.example/) floor | grain |\n\n" + "It turns. " * 30 + "\n"
)
SEARCH_PAGE = """\
[0] mills
**viewing lines [0 - 5] of 5**

L0: \n\
L1: URL: \n\
L2: # Search Results
L3: \n\
L4:   * 【0†Mill "Oak" | Register†oak-register.example】 Mill Oak stands in Fen ...
L5:   * 【1†Fen Post†news.fen-post.example】 A note."""
PAGE = """\
[1] Mill Oak (https://oak-register.example/mill/3)
**viewing lines [0 - 13] of 13**

L0: \n\
L1: URL: https://oak-register.example/mill/3
L2: # Mill Oak
L3: \n\
L4: In 【0†Fen†fen.example】 since 1881. 【1†Its floors】.
L5: \n\
L6: | Floor | Use |
L7: | --- | --- |
L8: | 【0†Fen†fen.example】 floor | grain |
L9: \n\
L10: It turns. It turns. It turns. It turns. It turns. It turns. It turns. It turns. """


class Browser:
    """A session of the tools."""

    def __init__(self, app, path="/mcp"):
        self.app, self.path = app, path
        self.session = app.post(path, json={"jsonrpc": "2.0", "id": 1, "method": "initialize"}).headers[
            "mcp-session-id"
        ]

    def reply(self, name, /, **arguments):
        message = {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
        headers = {"Mcp-Session-Id": self.session}
        return self.app.post(self.path, json={"jsonrpc": "2.0", "id": 1, **message}, headers=headers)

    def __call__(self, name, /, **arguments):
        """Return the text of a reply, after "! " where the call failed."""
        result = self.reply(name, **arguments).json()["result"]
        (content,) = result["content"]
        return ("! " if result["isError"] else "") + content["text"]


class Web:
    """Answers searches with two hits, and calls for pages with one of a few, noting each."""

    def __init__(self):
        self.calls = []

    def ready(self, address):
        return True

    def warm(self, address):
        pass

    async def acall(self, address, call, attempt=0, deadline=None):
        self.calls.append(call)
        if call.tool == "web_search":
            return HITS
        if "gone" in call.arg:
            return GONE
        if call.offset:
            return Observation("ok", doc=DOC, text=TEXT[call.offset :])
        return Observation("ok", doc=DOC, text=TEXT[:60], next_offset=60) if "long" in call.arg else whole_page()


def whole_page():
    return Observation("ok", doc=DOC, text=TEXT)


@pytest.fixture
def web():
    return Web()


@pytest.fixture
def use(web, town):
    return Browser(TestClient(create_app([town], dialects=DIALECTS, simulate=lambda _: web, memo=64)))


def head(text):
    return text.split("\n", 2)[:2]


def test_a_search_is_a_page_of_numbered_links(use, web):
    assert use("search", query="mills", topn=7) == SEARCH_PAGE
    assert (web.calls[0].arg, web.calls[0].k) == ("mills", 7)


def test_a_link_is_opened_by_its_number_and_the_page_numbers_its_own(use, web):
    use("search", query="mills")
    shown = use("open", id=0)
    assert shown.startswith(PAGE)
    assert web.calls[-1].arg == URL
    assert use("open", id=1).startswith("[2] ")
    assert web.calls[-1].arg == "https://oak-register.example/floors"
    assert use("open", id=1, cursor=0).startswith("[3] ")
    assert web.calls[-1].arg == "https://news.fen-post.example/a"


def test_a_page_is_opened_by_its_address_and_shown_from_a_line_on(use):
    assert head(use("open", id=URL, loc=4, num_lines=2)) == [
        "[0] Mill Oak (https://oak-register.example/mill/3)",
        "**viewing lines [4 - 5] of 13**",
    ]
    shown = use("open", loc=10)
    assert head(shown)[0].startswith("[1] Mill Oak (")
    assert head(shown)[1] == "**viewing lines [10 - 13] of 13**"
    assert use("open", loc=14) == '! Error: "loc" is 14: the last line of that page is 13'
    assert use("open", loc=0, view_source=True, source="web").startswith("[2] ")  # a call that fails takes no cursor


def test_find_shows_where_a_text_stands_and_leads_there(use):
    use("open", id=URL)
    shown = use("find", pattern="FEN")
    assert shown.split("\n") == [
        "[1] Find results for text: `fen` in `Mill Oak` (https://oak-register.example/mill/3/find?pattern=fen)",
        "**viewing lines [0 - 10] of 10**",
        "",
        "L0: # 【0†match at L4】",
        "L1: In Fen since 1881. Its floors.",
        "L2: ",
        "L3: | Floor | Use |",
        "L4: | --- | --- |",
        "L5: ",
        "L6: # 【1†match at L8】",
        "L7: | Fen floor | grain |",
        "L8: ",
        "L9: " + "It turns. " * 8,
        "L10: " + "It turns. " * 8,
    ]
    assert head(use("open", id=1))[1] == "**viewing lines [4 - 13] of 13**"
    assert use("find", pattern="Floors", cursor=0).startswith("[3] Find results")
    assert use("find", pattern="Rye", cursor=0).endswith("L0: No `find` results for pattern: `rye`")
    for cursor in (1, -1):
        assert use("find", pattern="a", cursor=cursor).startswith("! Error: find looks in a page, and that is")
    use("search", query="mills")
    assert use("find", pattern="Oak").startswith("! Error: find looks in a page")


def test_a_match_has_the_number_of_its_line_below_a_link_that_ends_a_line(town):
    text = f"{'word ' * 11}[Fen Post](https://news.fen-post.example/a) goes on.\n\nThe mill.\n"
    use = Browser(answering(town, Observation("ok", doc=DOC, text=text), dialects=DIALECTS))
    shown = use("open", id=URL)
    assert "【0†Fen Post†news.fen-\nL3: post.example】 goes on." in shown
    (line,) = re.findall(r"^L(\d+): The mill\.$", shown, re.MULTILINE)
    assert f"match at L{line}】\nL1: The mill." in use("find", pattern="the mill")


def test_the_rest_of_a_page_in_parts_is_its_last_link(use, web):
    shown = use("open", id="https://oak-register.example/long")
    assert shown.endswith("【1†The page goes on here】")
    use("open", id=1)
    assert (web.calls[-1].arg, web.calls[-1].offset) == (URL, 60)


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("open", {"id": 2}, "there is no link 2 on that page: it has 2, from 0"),
        ("open", {"id": True}, '"id" must be an integer from -1 to 1000000, not a boolean'),
        ("open", {"id": " "}, '"id" is empty'),
        ("open", {"cursor": 3}, "cursor 3 is out of range: cursors are 0 to 0"),
        ("open", {"id": "https://gone.example/"}, "page not found"),
        ("find", {}, '"pattern" is missing: send a string'),
        ("search", {"query": "mills", "topn": 51}, '"topn" is 51; it must be from 1 to 50'),
    ],
)
def test_a_wrong_call_says_why_and_takes_no_cursor(name, arguments, why, use):
    assert use("open").startswith("! Error: there is no page yet")
    assert use("search", query="mills").startswith("[0] ")
    assert use(name, **arguments).startswith(f"! Error: {why}")
    assert use("search", query="mills").startswith("[1] ")


def test_equal_calls_have_cursors_of_their_own_in_every_session(town):
    app = TestClient(create_app([town], dialects=DIALECTS))  # whose server keeps replies
    first, second = Browser(app), Browser(app)
    texts = [first("search", query="shops"), first("search", query="shops"), second("search", query="shops")]
    assert [text[:4] for text in texts] == ["[0] ", "[1] ", "[0] "]
    assert len({text[4:] for text in texts}) == 1


def test_a_session_is_needed(town):
    app = TestClient(create_app([town], dialects=DIALECTS))
    message = {"method": "tools/call", "params": {"name": "search", "arguments": {"query": "shops"}}}
    reply = app.post("/mcp", json={"jsonrpc": "2.0", "id": 1, **message}).json()["result"]
    assert (reply["isError"], "add ;session=NAME" in reply["content"][0]["text"]) == (True, True)


def test_a_long_session_forgets_its_first_pages(use, monkeypatch):
    monkeypatch.setattr(session_memory, "MOST", 1500)
    for cursor in range(20):
        assert use("search", query="mills").startswith(f"[{cursor}] ")
    lost = use("open", cursor=0)
    first = int(re.search(r"cursors are (\d+) to 19$", lost)[1])
    assert 10 < first < 19
    assert use("open", cursor=first).startswith("[20] ")


def test_links_beyond_the_most_have_no_number(town, monkeypatch):
    monkeypatch.setattr(browser, "MOST_LINKS", 1)
    use = Browser(answering(town, whole_page(), dialects=DIALECTS))
    assert "L4: In 【0†Fen†fen.example】 since 1881. Its floors." in use("open", id=URL)


def test_what_is_shown_unasked_is_about_a_thousand_tokens(town):
    long = Observation("ok", doc=DOC, text="\n".join(["a line of 40 characters, more or less ..."] * 300))
    shown = Browser(answering(town, long, dialects=DIALECTS))("open", id=URL)
    assert 4096 < len(shown) < 4300


def test_pages_and_notes_of_a_session_are_apart(town):
    app = TestClient(create_app([town], dialects=DIALECTS))
    path = f"/w/{town.id};session=a"
    Browser(app, f"{path}/mcp")("search", query="shops")
    notes = {"name": "dict_memory", "arguments": {"operation": "retrieve_all"}}
    assert app.post(f"{path}/agentworld", json=notes).text == "{}"


def evidence(reply):
    return set(reply.headers["x-worldsmith-evidence"].split())


@pytest.fixture(scope="module")
def pages(town):
    return Pages(town)


@pytest.mark.parametrize("length", ["clean", "web"])
def test_the_evidence_is_of_what_is_displayed(length, town, pages):
    app = TestClient(create_app([town], dialects=DIALECTS, profile=length))
    for row in [*town.rows_of("shop")][:5]:
        url, use = pages.url(pages.about(row)), Browser(app)
        whole = evidence(app.post("/api/extract", json={"url": url}))
        assert evidence(use.reply("open", id=url, num_lines=10**6)) == whole
        head = evidence(use.reply("open", loc=0, num_lines=2))  # the address and the title
        assert head < whole
        lines = int(re.search(r"of (\d+)\*\*", use("open", loc=0, num_lines=1))[1])
        parts = [evidence(use.reply("open", loc=line, num_lines=1)) for line in range(lines + 1)]
        assert all(part <= whole for part in parts)
        cells = {disclosure_hash(town.digest, row, column) for column in town.tables["shop"]}
        assert len(set().union(*parts) & cells) > 3
        assert set().union(*parts) >= {one for one in whole & cells if one not in cut(use, row, town, pages)}


def cut(use, row, town, pages):
    """The cells of a row whose value no single line holds: a line ends within it."""
    lines = use("open", loc=0, num_lines=10**6).split("\n")
    texts = [f"{town.value(row, column)}" for column in town.tables["shop"]]
    columns = [c for c, text in zip(town.tables["shop"], texts, strict=True) if not any(text in line for line in lines)]
    return {disclosure_hash(town.digest, row, column) for column in columns}


def test_the_evidence_of_a_match_is_of_its_lines(town, pages):
    app = TestClient(create_app([town], dialects=DIALECTS))
    row = next(iter(town.rows_of("shop")))
    use, hit = Browser(app), disclosure_hash(town.digest, row, "value")
    page = use.reply("open", id=pages.url(pages.about(row)), num_lines=10**6)
    value = town.value(row, "value")
    stated = next(form for form in (f"{value:,}", str(value)) if form in page.text)
    for pattern, shown in ((stated, True), ("no such words", False)):
        assert (hit in evidence(use.reply("find", pattern=pattern, cursor=0))) == shown
    assert hit in evidence(page)
    assert evidence(use.reply("open", cursor=0, loc=10**5)) == set()
