import pytest
from dialect_cases import BUSY, DOC, GONE, HITS, PAGE, URL, request

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.exa import IS_EXA, contents, search
from worldsmith.simulate.protocol import Call, Observation

GONE_URL = "https://gone.example/"


def call(**fields):
    (only,) = search(request({"query": "mills", **fields})).calls
    return only


def results(**fields):
    return search(request({"query": "mills", **fields})).write((HITS,)).body["results"]


@pytest.mark.parametrize(
    ("fields", "headers", "meant"),
    [
        ({"query": "a", "numResults": 3}, {}, True),
        ({"query": "a", "contents": {"text": True}}, {}, True),
        ({"query": "a", "includeDomains": ["a.example"]}, {}, True),
        ({"query": "a"}, {"user-agent": "exa-py/2.28.0"}, True),
        ({"query": "a", "max_results": 3}, {"user-agent": "python-requests", "x-api-key": "k"}, False),
    ],
)
def test_a_search_is_meant_for_exa_by_what_only_exa_has(fields, headers, meant):
    assert IS_EXA(fields, headers) is meant


def test_a_hit_has_the_keys_of_the_service():
    body = search(request({"query": "mills"})).write((HITS,)).body
    assert body["results"][0] == {
        "id": URL,
        "title": 'Mill "Oak" | Register',
        "url": URL,
        "publishedDate": "2031-04-05T00:00:00.000Z",
        "author": None,
    }
    assert (body["results"][1]["publishedDate"], body["resolvedSearchType"]) == (None, "auto")
    assert body["costDollars"] == {"total": 0.005}
    again = search(request({"query": "mills", "api_key": "any"})).write((HITS,)).body
    other = search(request({"query": "mayors"})).write((HITS,)).body
    assert len(body["requestId"]) == 32
    assert body["requestId"] == again["requestId"] != other["requestId"]


def test_highlights_and_summaries_are_snippets():
    (hit, _) = results(contents={"highlights": {"maxCharacters": 9}, "summary": True})
    assert (hit["highlights"], hit["highlightScores"], hit["summary"]) == (
        ["Mill Oak stands in Fen ..."],
        [0.95],
        "Mill Oak stands in Fen ...",
    )
    assert "text" not in hit


def test_text_is_asked_of_the_call_and_cut_there():
    assert call() == Call("web_search", "mills")
    assert call(contents={"text": True}) == Call("web_search", "mills", full_text=True)
    assert call(contents={"text": {"maxCharacters": 99}}) == Call("web_search", "mills", full_text=True, max_chars=99)
    for wish in (False, None, {}, {"text": False}, "text", []):
        assert call(contents=wish) == Call("web_search", "mills")


def test_filters_are_operators_and_limits_are_bounded():
    filtered = call(
        includeDomains=["A.example"],
        excludeDomains=["b.example"],
        startPublishedDate="2029-01-31T00:00:00.000Z",
        endPublishedDate="2029-03-01",
    )
    assert filtered.arg == "after:2029-01-31 before:2029-03-01 site:a.example -site:b.example mills"
    assert (call(numResults=100).k, call(numResults=3).k) == (50, 3)
    assert [hit["url"] for hit in results(includeDomains=["fen-post.example"])] == ["https://news.fen-post.example/a"]
    assert len(results(numResults=1)) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"numResults": 0},
        {"numResults": 101},
        {"numResults": "5"},
        {"includeDomains": [" "]},
        {"startPublishedDate": "31.1.2029"},
        {"contents": {"text": {"maxCharacters": 0}}},
    ],
)
def test_a_wrong_field_is_named(fields):
    name = "maxCharacters" if "contents" in fields else next(iter(fields))
    with pytest.raises(UsageError, match=name):
        call(**fields)


def test_contents_tells_of_each_page_in_a_200():
    parsed = contents(request({"urls": [URL, GONE_URL, 7], "text": True}))
    assert parsed.calls[:2] == (Call("web_extractor", URL), Call("web_extractor", GONE_URL))
    reply = parsed.write((PAGE, GONE, parsed.calls[2]))
    assert reply.status == 200
    assert [(page["id"], page["title"], page["text"]) for page in reply.body["results"]] == [
        (URL, "Mill Oak", "# Mill Oak\n")
    ]
    assert [(status["id"], status["status"], status.get("error")) for status in reply.body["statuses"]] == [
        (URL, "success", None),
        (GONE_URL, "error", {"tag": "CRAWL_NOT_FOUND", "httpStatusCode": 404}),
        ("7", "error", {"tag": "INVALID_URL", "httpStatusCode": 400}),
    ]
    failed = parsed.write((PAGE, BUSY, PAGE)).body["statuses"][1]["error"]
    assert failed == {"tag": "CRAWL_UNKNOWN_ERROR", "httpStatusCode": 429}


@pytest.mark.parametrize(
    ("fields", "most", "shown"),
    [
        ({"urls": [URL]}, None, {"text"}),
        ({"ids": URL, "text": {"maxCharacters": 99}}, 99, {"text"}),
        ({"urls": [URL], "highlights": True}, 1000, {"highlights", "highlightScores"}),
        ({"urls": [URL], "summary": True, "text": True}, None, {"text", "summary"}),
    ],
)
def test_contents_holds_what_is_asked_for(fields, most, shown):
    parsed = contents(request(fields))
    assert parsed.calls == (Call("web_extractor", URL, max_chars=most),)
    (page,) = parsed.write((PAGE,)).body["results"]
    assert set(page) - {"id", "title", "url", "publishedDate", "author"} == shown


def test_contents_are_html_where_tags_are_wanted_and_the_page_is_whole():
    parsed = contents(request({"urls": [URL], "text": {"includeHtmlTags": True}}))
    (page,) = parsed.write((Observation("ok", doc=DOC, text="#"),)).body["results"]
    assert 'In <a href="https://fen.example/">Fen</a>.' in page["text"]
    (part,) = parsed.write((PAGE,)).body["results"]
    assert part["text"] == "# Mill Oak\n"


@pytest.mark.parametrize(("fields", "name"), [({}, "urls"), ({"urls": []}, "urls"), ({"ids": ["a"] * 101}, "ids")])
def test_contents_of_nothing_or_of_too_much_is_refused(fields, name):
    with pytest.raises(UsageError, match=f'"{name}"'):
        contents(request(fields))


def test_no_hits_are_a_full_reply():
    assert search(request({"query": "mills"})).write((Observation("ok"),)).body["results"] == []
