import json
from dataclasses import replace

import pytest
from dialect_cases import BUSY, HITS, PAGE, URL, request
from starlette.testclient import TestClient

from worldsmith.errors import UsageError
from worldsmith.serving import create_app
from worldsmith.serving.dialects.retrieve import access, retrieve
from worldsmith.simulate.protocol import Call

CONTENTS = '"Mill "Oak" | Register"\nMill Oak stands in Fen ...'


def test_scores_wrap_the_document_as_search_r1_reads_it():
    asked = retrieve(request({"queries": ["mills", "mayors"], "topk": 2, "return_scores": True}))
    assert asked.calls == tuple(Call("web_search", query, k=2, exact=True) for query in ("mills", "mayors"))
    result = asked.write((HITS, HITS)).body["result"]
    assert [len(documents) for documents in result] == [2, 2]
    assert result[0][0]["score"] == 0.95
    assert result[0][0]["document"]["contents"] == CONTENTS


def test_without_scores_the_document_is_bare():
    (documents,) = retrieve(request({"queries": ["mills"], "topk": None})).write((HITS,)).body["result"]
    assert documents[0] == {
        "id": URL,
        "url": URL,
        "title": 'Mill "Oak" | Register',
        "text": "Mill Oak stands in Fen ...",
        "contents": CONTENTS,
    }
    assert [retrieve(request({"queries": ["mills"], "topk": k})).calls[0].k for k in (None, 0, "7")] == [3, 3, 7]


def test_skyrl_sends_one_query_as_a_string():
    asked = retrieve(request({"query": "mills", "topk": 1, "return_scores": True}))
    assert asked.calls == (Call("web_search", "mills", k=1, exact=True),)


def test_whole_pages_only_where_the_simulator_gave_them():
    whole = replace(HITS, results=(replace(HITS.results[0], text="# Mill\nlong"),))
    (documents,) = retrieve(request({"queries": ["mills"]})).write((whole,)).body["result"]
    assert documents[0]["contents"] == '"Mill "Oak" | Register"\n# Mill\nlong'


def test_a_wrong_query_is_no_call_and_has_no_documents():
    asked = retrieve(request({"queries": ["mills", "", "x" * 2001, None]}))
    assert [isinstance(call, Call) for call in asked.calls] == [True, False, False, False]
    assert [len(documents) for documents in asked.write((HITS, *asked.calls[1:])).body["result"]] == [2, 0, 0, 0]


def test_a_failed_query_has_no_documents():
    assert retrieve(request({"queries": ["a", "b"]})).write((BUSY, HITS)).body["result"][0] == []


def test_access_gives_whole_pages_and_null_for_what_cannot_be_read():
    asked = access(request({"urls": [URL, "", "https://nowhere.example/"]}))
    assert asked.calls[0] == Call("web_extractor", URL)
    assert asked.calls[2] == Call("web_extractor", "https://nowhere.example/")
    assert not isinstance(asked.calls[1], Call)
    page, missing = asked.write((PAGE, asked.calls[1])).body["result"]
    assert (page["url"], page["contents"]) == (URL, PAGE.text)
    assert missing is None


def passages(result):
    """One query's documents as trainers show them to a model: the title is the first line, the rest the text."""
    shown = []
    for number, item in enumerate(result, 1):
        title, *text = item["document"]["contents"].split("\n")
        shown.append(f"Doc {number}(Title: {title}) {' '.join(text)}")
    return shown


@pytest.mark.parametrize("topk", [3, 10])
def test_a_trainer_gets_passages_for_every_rollout_whatever_they_ask(town, topk):
    client = TestClient(create_app([town]))
    names = [town.title(row) for table in town.tables for row in town.rows_of(table)]
    good = [names[i % len(names)] for i in range(504)]
    wrong = ["", " ", "\n", "x" * 2001, "a\0b", "half of \ud83d", None, 7]
    queries = [*good[:100], *wrong, *good[100:]]
    # As the json module writes what requests sends: what is no Unicode comes as an escape.
    body = json.dumps({"queries": queries, "topk": topk, "return_scores": True}).encode()
    results = client.post("/retrieve", content=body).json()["result"]
    shown = [passages(result) for result in results]
    assert len(shown) == 512
    assert shown[100:108] == [[]] * 8
    assert {len(each) for each in (*shown[:100], *shown[108:])} == {topk}
    assert (
        sum(
            query.split(",")[0] in " ".join(each)
            for query, each in zip(good, [*shown[:100], *shown[108:]], strict=True)
        )
        > 450
    )
    assert shown[0][0].startswith('Doc 1(Title: "')


@pytest.mark.parametrize("fields", [{}, {"queries": None}, {"queries": 5}, {"queries": ["a"], "topk": 51}])
def test_wrong_requests(fields):
    with pytest.raises(UsageError):
        retrieve(request(fields))
