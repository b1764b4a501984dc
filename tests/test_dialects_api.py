import pytest
from dialect_cases import BUSY, GONE, HITS, PAGE, URL, request

from worldsmith.errors import UsageError
from worldsmith.serving.dialects.api import extract, search
from worldsmith.simulate.http_status import Failure, http_failure, request_failure
from worldsmith.simulate.protocol import Call, Observation

WRONG = '"queries[1]" must be a string, not null'
FIRST = {
    "url": URL,
    "title": 'Mill "Oak" | Register',
    "snippet": "Mill Oak stands in Fen ...",
    "date": "2031-04-05",
    "score": 0.95,
}


def test_search_reads_one_query():
    asked = search(request({"query": "mills", "k": 5, "page": 2, "country": "nobody asked"}))
    assert asked.calls == (Call("web_search", "mills", page=2, k=5),)
    body = asked.write((HITS,)).body
    assert body["results"][0] == FIRST
    assert (len(body["results"]), body["more"]) == (2, True)
    assert body["results"][1]["date"] is None


def test_search_splits_a_batch_and_tells_a_failure_of_one_item():
    asked = search(request({"queries": ["mills", "mayors"]}))
    assert asked.calls == (Call("web_search", "mills"), Call("web_search", "mayors"))
    batches = asked.write((HITS, BUSY)).body["batches"]
    assert batches[0]["results"][0] == FIRST
    assert batches[1] == {"results": [], "more": False, "error": "too many requests: try again later"}


def test_a_wrong_query_of_a_batch_says_what_is_wrong():
    first, second = search(request({"queries": ["mills", None]})).calls
    assert (first, http_failure(second)) == (Call("web_search", "mills"), Failure(400, WRONG))
    batches = search(request({"queries": ["mills", None]})).write((HITS, second)).body["batches"]
    assert batches[1] == {"results": [], "more": False, "error": WRONG}


def test_search_of_a_get_reads_digits():
    assert search(request({"query": "mills", "k": "7"})).calls == (Call("web_search", "mills", k=7),)


def test_extract_reads_a_part_and_knows_both_spellings():
    local = "http://localhost:8000/w/w1;seed=9/web/oak-register.example/mill/3"
    asked = extract(request({"url": local, "offset": 10, "max_chars": 20}))
    assert asked.calls == (Call("web_extractor", URL, offset=10, max_chars=20),)
    assert asked.write((PAGE,)).body == {
        "url": URL,
        "title": "Mill Oak",
        "date": "2031-04-05",
        "text": "# Mill Oak\n",
        "more": True,
        "next_offset": 11,
    }
    gone = asked.write((GONE,))
    assert gone.status == 404
    assert set(gone.body) == {"error"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, '"query" is missing: send a string'),
        ({"query": None}, '"query" must be a string, not null'),
        ({"queries": None}, '"query" is missing: send a string'),
        ({"query": "  "}, '"query" is empty'),
        ({"query": 5}, "not a number"),
        ({"query": "a\0b"}, "NUL"),
        ({"query": "x" * 100_000}, "has 100000 characters; at most 2000"),
        ({"queries": {}}, '"queries" must be a list of strings, not an object'),
        ({"queries": ["a"] * 101}, "at most 100"),
        ({"query": "a", "queries": ["b"]}, 'either "query" or "queries"'),
        ({"query": "a", "k": 0}, '"k" is 0; it must be from 1 to 50'),
        ({"query": "a", "k": True}, "not a boolean"),
        ({"query": "a", "k": 1.5}, "must be an integer"),
        ({"query": "a", "page": 10**30}, "must be from 1 to 100"),
    ],
)
def test_search_says_what_is_wrong(fields, said):
    with pytest.raises(UsageError) as error:
        search(request(fields))
    assert said in str(error.value)


def test_an_empty_url_is_called_one():
    with pytest.raises(UsageError, match='"url" is empty: give the address of a page'):
        extract(request({"url": " "}))


def test_whole_requests_fail_only_where_every_call_did():
    assert http_failure(HITS) is None
    assert request_failure((HITS, BUSY)) is None
    assert request_failure((GONE,)) is None
    assert request_failure((BUSY, GONE)) is None
    assert request_failure(()) is None
    assert request_failure((Observation("invalid", text=WRONG),)) is None
    assert request_failure((Observation("invalid", text=WRONG), BUSY, Observation("error"))) == request_failure((BUSY,))
    assert request_failure((BUSY,)) == Failure(429, "too many requests: try again later", 7)
    assert request_failure((BUSY,)).headers == {"Retry-After": "7"}
    for status, code in {"error": 500, "timeout": 504, "unavailable": 503}.items():
        assert request_failure((Observation(status),)).status == code
