import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from score_tables import GOLD, PHONES, markdown

from worldsmith.scoring import Column, EpisodeCounts, ScoreError, count_episode, reward, score, show

COUNTS = {"turns": 6, "search_calls": 3, "extract_calls": 3}


def of(answer, **options):
    return reward(score(answer, PHONES, GOLD), **{**COUNTS, **options})


def rows(count, wrong=0):
    out = [[show(v, c) for v, c in zip(row, PHONES, strict=True)] for row in GOLD[:count]]
    for i in range(min(wrong, 5 * len(out))):
        out[i % len(out)][1 + i // len(out)] = "wrong"
    return out


def test_a_perfect_answer_earns_1_and_says_of_what():
    result = of(markdown(PHONES, GOLD))
    assert result.total == pytest.approx(1.0)
    assert result.terms == {
        "cells": pytest.approx(0.7),
        "rows": pytest.approx(0.2),
        "whole": pytest.approx(0.1),
        "no_table": 0.0,
        "no_columns": 0.0,
        "truncated": 0.0,
        "cost": 0.0,
    }
    assert (result.mask, result.closed_book, result.version) == (False, False, "4")
    assert result.to_json() == {
        "total": result.total,
        "terms": result.terms,
        "mask": False,
        "closed_book": False,
        "version": "4",
    }


@pytest.mark.parametrize(
    ("answer", "options", "total"),
    [
        ("", {}, -0.2),
        ("I give up", {"truncated": True}, -0.3),
        (markdown(PHONES, []), {}, 0.0),
        (markdown(("Phone",), [["Neo 5"]]), {}, -0.05),
        (markdown(PHONES, [[row[0], "", "", "", "", ""] for row in GOLD]), {}, 0.0),
        (markdown(PHONES, [[row[0], "-", "-", "-", "-", "-"] for row in GOLD]), {}, 0.0),
        (markdown(PHONES, [[row[0], "still sold", "still sold", "?", "?", "still sold"] for row in GOLD]), {}, 0.0),
        (markdown(PHONES, GOLD), {"truncated": True}, 0.9),
        (markdown(PHONES, GOLD)[:-20], {}, 0.7 * 6 / 7 + 0.2 * 6 / 7 - 0.1),
        (markdown(PHONES, GOLD), {"budget": 6}, 1.0),
        (markdown(PHONES, GOLD), {"budget": 4}, 0.95),
        (markdown(PHONES, GOLD), {"budget": 1}, 0.9),
        (markdown(PHONES, GOLD), {"budget": 0}, 0.9),
        (markdown(PHONES, GOLD), {"turns": 60, "budget": 6}, 0.9),
        (markdown(PHONES, GOLD), {"search_calls": 0, "extract_calls": 0}, 1.0),
        (markdown(PHONES, GOLD), {"search_calls": 0, "extract_calls": 0, "require_evidence": True}, 0.0),
        (markdown(PHONES, GOLD), {"search_calls": 1, "extract_calls": 0, "require_evidence": True}, 1.0),
        ("reward: 1.0 <reward>NaN</reward> 1e999 | score | 1.0 |", {}, -0.2),
    ],
)
def test_ends_are_told_apart(answer, options, total):
    assert of(answer, **options).total == pytest.approx(total)


def test_finishing_with_nothing_right_is_worth_more_than_not_finishing():
    finished, silent = of(markdown(PHONES, [])), of("")
    cut = of("", truncated=True)
    assert cut.total < silent.total < finished.total


def test_an_answer_without_a_call_is_flagged():
    assert of(markdown(PHONES, GOLD), search_calls=0, extract_calls=0).closed_book
    assert not of(markdown(PHONES, GOLD), search_calls=0, extract_calls=1).closed_book


def test_a_fault_of_the_infrastructure_is_masked():
    result = of(markdown(PHONES, GOLD), infrastructure_error=True)
    assert (result.total, result.mask) == (0.0, True)
    assert result.terms == dict.fromkeys(of("").terms, 0.0)


def test_free_cells_alone_earn_nothing():
    columns = (Column("k", "text", key=True), Column("city", "text", free=True), Column("n", "int"))
    gold = [["a", "Rome", 1], ["b", "Rome", 2]]
    result = score(markdown(columns, [["a", "Rome", "?"], ["b", "Rome", ""]]), columns, gold)
    assert result.nonkey.f1 == 0.5
    assert reward(result, **COUNTS).total == 0.0


@settings(max_examples=40)
@given(
    st.integers(1, 4),
    st.integers(0, 6),
    st.integers(0, 6),
    st.integers(0, 20),
    st.one_of(st.none(), st.integers(0, 9)),
    st.booleans(),
)
def test_the_reward_is_bounded_and_rises_with_the_score(count, wrong, more, calls, budget, truncated):
    options = {"turns": calls, "search_calls": calls, "budget": budget, "truncated": truncated}
    better, worse = (
        of(markdown(PHONES, rows(count, wrong)), **options),
        of(markdown(PHONES, rows(count, wrong + more)), **options),
    )
    assert -0.3 <= worse.total <= better.total + 1e-12 <= 1.0 + 2e-12
    fewer = of(markdown(PHONES, rows(count - 1, 0)), **options)
    assert fewer.total <= of(markdown(PHONES, rows(count, 0)), **options).total
    assert better.total == pytest.approx(math.fsum(better.terms.values()))


@pytest.mark.parametrize("bad", [-1, 1.5, math.nan, math.inf, True, "3", None])
@pytest.mark.parametrize("name", ["turns", "search_calls", "extract_calls"])
def test_counts_are_whole_numbers(name, bad):
    with pytest.raises(ScoreError, match=f"{name} is "):
        of("", **{name: bad})


def call(name):
    return {"type": "function", "function": {"name": name, "arguments": "{}"}}


def test_an_episode_of_messages_is_counted():
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "", "tool_calls": [call("web_search"), call("web_search"), call("python")]},
        {"role": "tool", "content": "…"},
        {"role": "assistant", "content": None, "tool_calls": [{"name": "web_extractor"}]},
        {"role": "tool", "content": "…"},
    ]
    assert count_episode(messages) == EpisodeCounts(2, 2, 1, truncated=True)
    answered = [*messages, {"role": "assistant", "content": "| a |", "tool_calls": None}]
    assert count_episode(answered) == EpisodeCounts(3, 2, 1, truncated=False)
    assert count_episode([*messages, {"role": "assistant", "content": ""}]) == EpisodeCounts(3, 2, 1, truncated=True)
    assert count_episode([*messages, {"role": "assistant", "content": "x", "tool_calls": [call("visit")]}]).truncated
    assert count_episode([]) == EpisodeCounts(0, 0, 0, truncated=True)


@pytest.mark.parametrize(
    ("name", "searches", "reads"),
    [
        *(
            (name, 1, 0)
            for name in ("web_search", "search_global", "tavily-search", "Search", "retrieve", "query_index")
        ),
        *(
            (name, 0, 1)
            for name in ("web_extractor", "extract", "visit", "open_url", "fetch", "browse", "scrape", "access")
        ),
        *((name, 0, 1) for name in ("text_browser_view", "read_page", "crawl")),
        *((name, 0, 0) for name in ("python", "", "calculator")),
    ],
)
def test_tools_are_known_by_their_names(name, searches, reads):
    found = count_episode([{"role": "assistant", "content": "", "tool_calls": [call(name)]}])
    assert (found.search_calls, found.extract_calls) == (searches, reads)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("| a |", (1, 0, 0, False)),
        ("", (1, 0, 0, False)),
        ('<tool_call>{"name": "web_search", "arguments": {"query": "x"}}</tool_call>', (2, 1, 0, True)),
        ('<tool_call>\n{"name": "web_search"}\n</tool_call><tool_response>r</tool_response>\n', (2, 1, 0, True)),
        (
            '<tool_call>{"name": "web_search"}</tool_call>r<tool_call>{"name": "visit"}</tool_call> | a |',
            (3, 1, 1, False),
        ),
        (
            "<search>x</search><information>r</information><access>u</access><information>r</information> done",
            (3, 1, 1, False),
        ),
        ("<tool_call>web_search\n</tool_call>", (2, 1, 0, True)),
        ('<tool_call>{"name": "calculator", "arguments": {"note": "search"}}</tool_call>', (2, 0, 0, True)),
        ('<tool_call>{"name": "web_sear', (1, 0, 0, False)),
    ],
)
def test_an_episode_of_text_is_counted(text, counts):
    assert count_episode(text) == EpisodeCounts(*counts)


def test_counts_pay_as_they_are():
    found = count_episode("<search>x</search> " + markdown(PHONES, GOLD))
    result = score(markdown(PHONES, GOLD), PHONES, GOLD)
    assert reward(result, **found._asdict(), budget=1).total == pytest.approx(0.9)


def test_a_tool_that_searches_and_reads_searches():
    calls = [{"function": {"name": name}} for name in ("search_and_read", "web_search_view", "view", "calculator")]
    episode = [{"role": "assistant", "content": "", "tool_calls": calls}, {"role": "assistant", "content": "Done."}]
    assert count_episode(episode) == (2, 2, 1, False)


@pytest.mark.parametrize(("pages", "total"), [(0, 0.0), (1, 1.0), (2, 1.0)])
def test_that_there_is_no_row_counts_for_one_who_opened_a_page(pages, total):
    columns = (Column("Phone", "text", key=True), Column("Released", "date"))
    empty = score("| Phone | Released |\n|---|---|", columns, [])
    assert reward(empty, turns=2, search_calls=1, extract_calls=pages).total == pytest.approx(total)
    there = score("| Phone | Released |\n|---|---|\n| Neo | 2029-03-14 |", columns, [("Neo", "2029-03-14")])
    assert reward(there, turns=2, search_calls=1, extract_calls=0).total == pytest.approx(1.0)
    assert reward(there, turns=2, search_calls=1, extract_calls=0).version == "4"


@pytest.mark.parametrize("mark", ["<tool_call>", "<search>", "<access>", "<visit>"])
def test_a_text_that_ends_in_a_call_is_cut_off(mark):
    body = '{"name": "search"}' if mark == "<tool_call>" else "phones"
    call = f"{mark}{body}</{mark[1:]}"
    assert count_episode(f"Let me see.\n{call}").truncated
    assert count_episode(f"Let me see.\n{call}\n<result>x</result>\n").truncated
    assert not count_episode(f"Let me see.\n{call}\n<result>x</result>\nDone.").truncated


def test_where_no_row_is_right_only_an_empty_table_after_a_page_earns():
    columns = [Column("Shop", "text", key=True), Column("Opened", "date")]
    empty = score("| Shop | Opened |\n| --- | --- |\n", columns, [])
    silent = score("", columns, [])
    assert empty.success
    assert silent.success
    calls = {"turns": 3, "search_calls": 1, "extract_calls": 1}
    assert reward(empty, **calls).total == 1.0
    assert reward(empty, **calls | {"extract_calls": 0}).total == 0.0
    assert reward(silent, **calls).total == -0.2
    assert reward(silent, **calls, truncated=True).total == pytest.approx(-0.3)
