import pytest
from bs4 import BeautifulSoup
from dialect_cases import DOC, GONE, TABLE, URL, request

from worldsmith.pages.types import Doc
from worldsmith.serving.dialects.pages import read
from worldsmith.simulate.protocol import Call, Observation

PATH = "/web/oak-register.example/mill/3"


def test_a_page_is_html_with_its_cells():
    asked = read(request({"utm_source": "x"}, PATH))
    assert asked.calls == (Call("web_extractor", URL),)
    doc = Doc(URL, "Mills & more", None, (*DOC.pieces, TABLE))
    soup = BeautifulSoup(asked.write((Observation("ok", doc=doc),)).body, "html.parser")
    assert soup.title.text == "Mills & more"
    assert [[cell.text for cell in row.find_all("td")] for row in soup.find("table").find_all("tr")][1:] == [
        ["Oak", "3"],
        ["A & B", "<4>"],
    ]


@pytest.mark.parametrize(
    ("base", "by_host", "href"),
    [
        (None, False, "/w/w1;seed=3/web/fen.example/"),
        ("http://10.0.0.1:9", False, "http://10.0.0.1:9/w/w1;seed=3/web/fen.example/"),
        ("http://10.0.0.1:9", True, "https://fen.example/"),
    ],
)
def test_links_lead_where_their_reader_can_follow(base, by_host, href):
    body = read(request({}, PATH, base, by_host=by_host)).write((Observation("ok", doc=DOC),)).body
    assert BeautifulSoup(body, "html.parser").a["href"] == href


def test_an_unknown_page_is_html():
    reply = read(request({}, PATH)).write((GONE,))
    assert reply.status == 404
    assert f"<hr><center>{URL}: page not found" in reply.body


def test_both_spellings_are_one_address():
    links = request({}, base="http://10.0.0.1:9", own=("localhost:8000", "10.0.0.1:9")).links
    local = links.local(URL)
    assert local == "http://10.0.0.1:9/w/w1;seed=3/web/oak-register.example/mill/3"
    for spelling in (
        URL,
        local,
        links.show(URL),
        PATH,
        "http://LOCALHOST:8000" + PATH,
        "/w/w1" + PATH,
        "http://10.0.0.1:9/w/w1;profile=open" + PATH,
        f"<{local}>",
        f"[Mill Oak]({local}).",
        f" `{PATH}`",
    ):
        assert links.read(spelling) == URL


@pytest.mark.parametrize(
    "text",
    [
        "/w/w2" + PATH,
        "http://169.254.169.254" + PATH,
        "ftp://localhost:8000" + PATH,
        "http://localhost:8000/healthz",
        "//localhost:8000" + PATH,
        "mills",
    ],
)
def test_what_is_no_spelling_of_ours_stays_as_it_is(text):
    assert request({}).links.read(text) == text
