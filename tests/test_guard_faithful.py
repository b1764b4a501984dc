"""An honest writer's replies pass, a liar's do not: measured on the half of the sentence plans that is held out."""

from collections import Counter

import faithful
import faithful_replies
import pytest
from faithful import HALVES, Half
from faithful_replies import Reply

PAGES, HITS, LIES = 185, 65, 25
"""Of each half: with the other, 370 pages, 130 lists of hits, 500 lies."""
FIELDS = ("url", "date", "key", "missing", "link")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=HALVES)
def half(request: pytest.FixtureRequest) -> Half:
    return request.param


@pytest.fixture(scope="module")
def honest(half: Half) -> list[Reply]:
    return [*faithful_replies.page_replies(half, PAGES), *faithful_replies.hit_replies(half, HITS)]


def test_the_plans_are_many_and_no_plan_is_in_both_halves() -> None:
    plans = faithful.sentences()
    texts = {half: {p.text for p in plans if p.half == half} for half in HALVES}
    assert len(plans) >= 360
    assert texts["tuning"].isdisjoint(texts["heldout"])
    assert {p.at.partition(".")[0] for p in plans} == set(faithful_replies.SCHEMAS)


def test_the_replies_are_many(half: Half, honest: list[Reply]) -> None:
    used = {plan for reply in honest for plan in reply.plans}
    assert len(honest) == PAGES + HITS
    assert len([p for p in faithful.sentences() if p.half == half and p.id in used]) >= 170


def test_honest_statements_are_accepted(honest: list[Reply]) -> None:
    judged = [v for r in honest for v in r.simulator.verdicts_on(r.address, r.draft, r.part) if v.where not in FIELDS]
    rejected = [(v.where, v.text, v.why) for v in judged if not v.ok]
    assert len(judged) > 3000
    assert len(rejected) <= 0.05 * len(judged), rejected
    assert all(why for _, _, why in rejected)


def test_honest_replies_are_served_as_they_are(honest: list[Reply]) -> None:
    same: Counter[str] = Counter()
    for reply in honest:
        seen = reply.simulator.answer_slice(reply.address, reply.part, reply.draft)
        same[reply.part.call.tool] += (seen.doc or seen.results) == reply.draft
    assert same["web_search"] >= 0.95 * HITS
    assert same["web_extractor"] >= 0.75 * PAGES  # the others lack a cell, or a statement of theirs is deleted


def test_lies_are_stopped(half: Half) -> None:
    told: Counter[str] = Counter()
    passed: dict[str, list[str]] = {}
    for reply in faithful_replies.lies(half, LIES):
        told[reply.kind] += 1
        seen = reply.simulator.answer_slice(reply.address, reply.part, reply.draft)
        assert seen.status == "ok"
        if reply.lie in seen.text:
            passed.setdefault(reply.kind, []).append(reply.lie)
    assert told == dict.fromkeys(faithful_replies.KINDS, LIES)
    # Relations put the other way round, in words that are no labels, are a known limit.
    assert sum(map(len, passed.values())) <= 0.1 * told.total(), passed
