from dataclasses import replace

import pytest
from dialect_cases import DOC, GONE, HITS, PAGE, URL, request

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.firecrawl import scrape, search
from worldsmith.simulate.protocol import Call, Observation


def call(**fields):
    (only,) = search(request({"query": "mills", **fields})).calls
    return only


def data(observation=HITS, **fields):
    return search(request({"query": "mills", **fields})).write((observation,)).body["data"]


def document(observation=PAGE, **fields):
    reply = scrape(request({"url": URL, **fields})).write((observation,))
    assert (reply.status, reply.body["success"]) == (200, True)
    return reply.body["data"]


def test_a_hit_is_a_result_and_no_document():
    body = search(request({"query": "mills"})).write((HITS,)).body
    assert body["success"]
    assert body["data"] == {
        "web": [
            {
                "url": URL,
                "title": 'Mill "Oak" | Register',
                "description": "Mill Oak stands in Fen ...",
                "position": 1,
            },
            {
                "url": "https://news.fen-post.example/a",
                "title": "Fen Post",
                "description": "A note.",
                "position": 2,
            },
        ]
    }


def test_a_hit_with_its_page_is_a_document():
    assert call(scrapeOptions={"formats": ["markdown"]}) == Call("web_search", "mills", k=5, full_text=True)
    whole = replace(HITS, results=(replace(HITS.results[0], text="# Mill"),))
    (hit,) = data(whole)["web"]
    assert (hit["markdown"], hit["metadata"]["sourceURL"], hit["metadata"]["statusCode"]) == ("# Mill", URL, 200)
    for options in (None, {}, {"formats": []}, {"formats": ["links"]}, {"formats": "markdown"}, [], "markdown"):
        assert not call(scrapeOptions=options).full_text


def test_other_sources_than_the_web_are_empty():
    assert data(sources=["news"]) == {"news": []}
    both = data(sources=[{"type": "images"}, {"type": "web"}])
    assert (both["images"], len(both["web"])) == ([], 2)


def test_filters_are_operators_and_limits_are_bounded():
    assert call(includeDomains=["A.example"], tbs="qdr:w").arg == "newer_than:7d site:a.example mills"
    assert call(excludeDomains=["a.example"], tbs="sbd:1").arg == "-site:a.example mills"
    assert (call(limit=100).k, call(limit=1).k) == (50, 1)
    assert [hit["url"] for hit in data(excludeDomains=["fen-post.example"])["web"]] == [URL]
    assert len(data(limit=1)["web"]) == 1


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": "5"}, "limit"),
        ({"query": " "}, "query"),
        ({"includeDomains": ["a.example"], "excludeDomains": ["b.example"]}, "can't both be there"),
    ],
)
def test_a_wrong_field_is_named(fields, name):
    with pytest.raises(UsageError, match=name):
        call(**fields)


def test_a_page_is_a_document_in_the_formats_asked_for():
    assert scrape(request({"url": URL})).calls == (Call("web_extractor", URL),)
    assert document()["markdown"] == "# Mill Oak\n"
    assert document()["metadata"] == {
        "title": "Mill Oak",
        "sourceURL": URL,
        "url": URL,
        "statusCode": 200,
        "publishedTime": "2031-04-05",
        "contentType": "text/html",
        "creditsUsed": 1,
    }
    as_html = document(Observation("ok", doc=DOC, text="#"), formats=[{"type": "html"}])
    assert 'href="https://fen.example/"' in as_html["html"]
    assert set(as_html) == {"metadata", "html"}


def test_a_page_that_is_not_there_is_a_document_that_says_so():
    page = document(GONE)
    assert (page["metadata"]["statusCode"], page["metadata"]["sourceURL"]) == (404, URL)
    assert page["markdown"].startswith("page not found")
