import re
from dataclasses import replace

import pytest
from dialect_cases import BUSY, DOC, GONE, HITS, PAGE, URL, request

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.tavily import extract, search
from worldsmith.simulate.protocol import Call, Observation


def test_search_has_every_key_the_service_documents():
    body = search(request({"query": "mills"})).write((HITS,)).body
    assert body["results"][0] == {
        "url": URL,
        "title": 'Mill "Oak" | Register',
        "content": "Mill Oak stands in Fen ...",
        "score": 0.95,
        "raw_content": None,
    }
    assert {name: body[name] for name in ("query", "follow_up_questions", "answer", "images")} == {
        "query": "mills",
        "follow_up_questions": None,
        "answer": None,
        "images": [],
    }


def test_request_id_is_a_function_of_the_request():
    def named(fields):
        return search(request(fields)).write((HITS,)).body["request_id"]

    assert re.fullmatch(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", named({"query": "mills"}))
    assert named({"query": "mills"}) == named({"query": "mills", "api_key": "tvly-any"})
    assert named({"query": "mills"}) != named({"query": "mayors"})


def test_raw_content_is_asked_of_the_call_and_dates_are_for_news():
    asked = search(request({"query": "mills", "include_raw_content": "markdown", "topic": "news", "max_results": 1}))
    assert asked.calls == (Call("web_search", "mills", k=1, full_text=True),)
    whole = replace(HITS, results=(replace(HITS.results[0], text="# Mill"),))
    (result,) = asked.write((whole,)).body["results"]
    assert (result["raw_content"], result["published_date"]) == ("# Mill", "2031-04-05")


def test_domains_are_filtered_with_their_subdomains():
    def hosts(**options):
        body = search(request({"query": "mills", **options})).write((HITS,)).body
        return [result["url"] for result in body["results"]]

    assert hosts(include_domains=["fen-post.example"]) == ["https://news.fen-post.example/a"]
    assert hosts(exclude_domains=["FEN-POST.example"]) == [URL]
    assert hosts(include_domains=["post.example"]) == []
    assert hosts(include_domains=["*.fen-post.example"]) == ["https://news.fen-post.example/a"]
    assert hosts(include_domains=["oak-register.example"], exclude_domains=["oak-register.example/mill"]) == []
    assert hosts(exclude_domains=["oak-register.example/mil", "fen-post.example/b"]) == [r.url for r in HITS.results]


def arg(**options) -> str:
    (call,) = search(request({"query": "mills", **options})).calls
    return call.arg


def test_filters_are_operators_of_the_query():
    assert arg(include_domains=["a.example", "b.example"]) == "site:a.example site:b.example mills"
    assert arg(exclude_domains="A.example") == "-site:a.example mills"
    assert arg(time_range="week") == arg(time_range="w") == "newer_than:7d mills"
    assert arg(start_date="2029-01-31", end_date="2029-03-01") == "after:2029-01-31 before:2029-03-01 mills"
    assert arg(days=3) == "mills"
    assert arg(days=3, topic="news") == "newer_than:3d mills"
    assert arg(time_range=None, start_date=None, include_domains=[]) == "mills"


@pytest.mark.parametrize(
    "form",
    [
        *(
            "{place}",
            "https://{place}",
            "http://www.{place}/",
            "HTTPS://OAK-Register.example/Mill",
            "{place}/*",
            "{place}#a",
        ),
        *(
            "*.{place}",
            "www.{place}",
            "https://*.{place}/*",
            "oak-register.example:8080/mill",
            " {place} ",
            "<{place}>",
        ),
        *("{place}?utm_source=a", "{place}/", "//{place}", "`{place}`", "oak-register.example./mill", "{place}?x=1"),
    ],
)
def test_a_domain_may_name_a_path_and_be_written_in_many_ways(form):
    assert (
        arg(include_domains=[form.format(place="oak-register.example/mill")]) == "site:oak-register.example/mill mills"
    )


def test_three_hundred_domains_filter():
    domains = [f"the-{n}th-old-town-courier.example/news" for n in range(300)]
    operators = " ".join(f"site:{domain}" for domain in domains)
    assert arg(include_domains=[*domains[:-1], domains[-1].upper()]) == f"{operators} mills"
    assert arg(exclude_domains=domains) == f"{operators.replace('site:', '-site:')} mills"
    assert arg(include_domains=["a.example", "www.a.example", "A.example/"]) == "site:a.example mills"


@pytest.mark.parametrize(
    "options",
    [
        {"time_range": "fortnight"},
        {"time_range": ["day"]},
        {"start_date": "31.1.2029"},
        {"days": 0, "topic": "news"},
        {"include_domains": ["a.example", " "]},
        {"exclude_domains": ["a.example", None]},
        {"exclude_domains": ["a" * 301]},
        {"exclude_domains": {"a": 1}},
        {"include_domains": [f"{n}-town.example" for n in range(301)]},
    ],
)
def test_a_wrong_filter_is_said(options):
    with pytest.raises(UsageError, match=next(iter(options))):
        arg(**options)


def test_no_page_is_of_a_text_that_is_no_domain():
    def urls(**options):
        return [hit["url"] for hit in search(request({"query": "mills", **options})).write((HITS,)).body["results"]]

    assert urls(include_domains=["https://"]) == []
    assert urls(include_domains=["https://", "oak-register.example"]) == [URL]
    assert urls(exclude_domains=["https://"]) == [hit.url for hit in HITS.results]
    assert arg(include_domains=["https://"]) == "mills"


@pytest.mark.parametrize("value", [[], {}, "markdown", True])
def test_whole_pages_may_be_asked_for_by_any_value_but_false(value):
    assert search(request({"query": "mills", "include_raw_content": value})).calls[0].full_text
    assert not search(request({"query": "mills", "include_raw_content": None})).calls[0].full_text


def test_no_results_is_a_full_reply():
    assert search(request({"query": "mills", "max_results": 0})).write((HITS,)).body["results"] == []


def test_extract_tells_unknown_pages_apart_in_a_200():
    asked = extract(request({"urls": [URL, "https://nowhere.example/"]}))
    assert asked.calls == (Call("web_extractor", URL), Call("web_extractor", "https://nowhere.example/"))
    reply = asked.write((PAGE, GONE))
    assert reply.status == 200
    assert reply.body["results"] == [{"url": URL, "raw_content": "# Mill Oak\n", "images": []}]
    assert [failed["url"] for failed in reply.body["failed_results"]] == ["https://nowhere.example/"]
    assert asked.write((PAGE, BUSY)).body["failed_results"][0]["error"] == "too many requests: try again later"


def test_extract_as_plain_text_of_one_url():
    body = extract(request({"urls": URL, "format": "text"})).write((Observation("ok", doc=DOC, text="#"),)).body
    assert "In Fen." in body["results"][0]["raw_content"]
    assert "](" not in body["results"][0]["raw_content"]


def test_a_wrong_field_is_said():
    with pytest.raises(UsageError, match='"urls" is missing: send a list of strings'):
        extract(request({}))
    with pytest.raises(UsageError, match='"urls" must be a list of strings, not an object'):
        extract(request({"urls": {}}))
    with pytest.raises(UsageError, match='"urls" has 21 items; at most 20 go in one request: split it'):
        extract(request({"urls": [URL] * 21}))
    assert len(extract(request({"urls": [URL] * 20})).calls) == 20
    with pytest.raises(UsageError, match="max_results"):
        search(request({"query": "mills", "max_results": 21}))
