"""The guard reads a model's text of natural pages: by the bank's sentences, each of a row and of its cells."""

from collections import Counter
from functools import cache

import natural_replies
import pytest
from natural_replies import LIES, MANNERS

from worldsmith.pages import Pages
from worldsmith.pages.renderer import render
from worldsmith.pages.types import Doc, Page, Para
from worldsmith.simulate.guard import Guard
from worldsmith.simulate.protocol import Reason, Verdict
from worldsmith.world.model import Cell, Row, World

HONEST, FALSE = 40, 40
"""Replies of each manner, and lies of each kind."""
FIELDS = ("url", "date", "key", "missing", "link")


@cache
def town() -> Guard:
    world: World = natural_replies.simulator("town", 31).world
    return Guard(world, Pages(world))


def page_of(kind: str, *having: str) -> Page:
    """Return the first page of a kind whose subject has a value in some columns, with two rows of each child table."""
    guard = town()
    for page_id in guard.pages.ids():
        page = guard.pages.page(page_id)
        rows = Counter(row.table for row in dict.fromkeys(cell.row for cell in page.cells))
        if page.kind == kind and all(rows[table] > 1 for table in having):
            return page
    raise AssertionError(kind)


def judged(page: Page, *texts: str) -> tuple[list[Verdict], frozenset[Cell]]:
    """Return the verdicts on paragraphs of a page, and the cells that they state."""
    doc = Doc(page.url, "", page.date, tuple(Para((text,)) for text in texts))
    reader = town().read(doc, page)
    return [v for v in reader.verdicts if v.where == "sentence"], frozenset(reader.stated)


def value(page: Page, column: str, row: Row | None = None) -> object:
    return next(c.value for c in page.cells if c.row == (row or page.subject) and c.col == column)


def test_our_own_pages_are_read_and_state_all_that_they_must() -> None:
    guard = town()
    kinds: dict[str, Page] = {}
    for page_id in guard.pages.ids():
        page = guard.pages.page(page_id)
        if page.head.by and not page.dormant:
            kinds.setdefault(page.kind, page)
    assert len(kinds) >= 10
    for page in kinds.values():
        reader = guard.read(natural_replies.bare(render(page, guard.world, guard.pages)), page)
        assert [v for v in reader.verdicts if not v.ok] == []
        assert reader.missing(guard.required_cells(page)) == []


def test_another_sentence_of_the_bank_states_its_cells() -> None:
    page = page_of("street")
    day, parish = value(page, "laid"), value(page, "parish")
    verdicts, stated = judged(page, f"A resolution dated {day} laid out the street on ground belonging to {parish}.")
    assert [v.ok for v in verdicts] == [True]
    assert {cell.col for cell in stated} == {"laid", "parish"}


@pytest.mark.parametrize(
    "text",
    [
        "The borough laid it out on {other}.",
        "The borough never laid it out on {day}.",
        "It is residential from end to end: no shop has been registered, and no shop floor.",
    ],
)
def test_what_has_the_words_of_a_sentence_and_is_not_so_is_rejected(text: str) -> None:
    guard = town()
    pages = (guard.pages.page(i) for i in guard.pages.ids())
    page = next(p for p in pages if p.kind == "street" and value(p, "shops"))
    verdicts, stated = judged(page, text.format(day=value(page, "laid"), other="1 April 1777"))
    assert [v.ok for v in verdicts] == [False]
    assert stated == frozenset()


def test_connectives_and_joints_say_nothing() -> None:
    page = page_of("street")
    day, parish, lamps = value(page, "laid"), value(page, "parish"), value(page, "lamps")
    text = f"Moreover, the borough laid it out on {day}; on the vestry map it falls within {parish}."
    verdicts, stated = judged(page, text, f"Also, street lamps today number {lamps}.")
    assert all(v.ok for v in verdicts)
    assert {cell.col for cell in stated} == {"laid", "parish", "lamps"}


def test_a_sentence_without_a_name_goes_on_about_the_row_named_last() -> None:
    page = page_of("street", "roadwork")
    works = list(dict.fromkeys(c.row for c in page.cells if c.row.table == "roadwork"))
    kinds, bills = [value(page, "laying", w) for w in works], [value(page, "bill", w) for w in works]
    assert bills[0] != bills[1]
    named = f"There was also the {kinds[0]}."
    verdicts, stated = judged(page, f"{named} The account came to {bills[0]} crowns.")
    assert [v.ok for v in verdicts] == [True, True]
    assert {(c.row, c.col) for c in stated} >= {(works[0], "laying"), (works[0], "bill")}
    verdicts, _ = judged(page, f"{named} The account came to {bills[1]} crowns.")
    assert [v.ok for v in verdicts] == [True, False]
    assert verdicts[1].reason == Reason.UNTRUE


def test_a_value_in_other_forms_is_the_value_and_a_vague_one_states_nothing() -> None:
    page = page_of("street")
    year = str(value(page, "laid"))[:4]
    exact, stated = judged(page, f"The borough laid it out on {natural_replies.faithful.shown(value(page, 'laid'))}.")
    vague, hinted = judged(page, f"The borough laid it out on {year}.")
    assert [v.ok for v in (*exact, *vague)] == [True, True]
    assert ({cell.col for cell in stated}, hinted) == ({"laid"}, frozenset())


def test_a_hit_may_not_state_what_its_page_alone_may() -> None:
    (lie,) = natural_replies.lies("withheld", 1)
    assert not natural_replies.passes(lie)


# measured


@pytest.mark.slow
@pytest.mark.parametrize("manner", [*MANNERS, "hits"])
def test_honest_natural_statements_are_accepted(manner: str) -> None:
    counts: Counter[str] = Counter()
    rejected = []
    replies = natural_replies.honest_hits(HONEST) if manner == "hits" else natural_replies.honest(manner, HONEST)
    for reply in replies:
        verdicts = reply.simulator.verdicts_on(natural_replies.ADDRESS, reply.draft, reply.part)
        judged = [v for v in verdicts if v.where not in FIELDS]
        rejected += [(v.where, v.text, v.why) for v in judged if not v.ok]
        served = reply.simulator.answer_slice(natural_replies.ADDRESS, reply.part, reply.draft)
        counts.update(statements=len(judged), pages=1, whole=(served.doc or served.results) == reply.draft)
        counts["model"] += served.source == "model"
    least = {"unseen": 0.7, "free": 0.95}.get(manner, 0.98)
    assert len(rejected) <= (1 - least) * counts["statements"], rejected
    assert counts["model"] >= 0.9 * counts["pages"]
    if manner not in ("unseen", "free"):  # these state a part of a page's cells: sentences of ours are added
        assert counts["whole"] >= 0.95 * counts["pages"]


@pytest.mark.slow
def test_lies_in_natural_sentences_are_stopped() -> None:
    passed = {kind: [r.lie for r in natural_replies.lies(kind, FALSE) if natural_replies.passes(r)] for kind in LIES}
    assert sum(map(len, passed.values())) <= 0.02 * FALSE * len(LIES), passed


@pytest.mark.slow
def test_lies_in_sentences_that_the_bank_lacks_are_mostly_stopped() -> None:
    kinds = ("number", "date", "name", "option", "row", "rival", "negated")
    replies = {kind: natural_replies.lies(kind, FALSE, unseen=True) for kind in kinds}
    passed = {kind: [r.lie for r in some if natural_replies.passes(r)] for kind, some in replies.items()}
    # A true value of the page in a sentence without a label is taken for what it is: a third of such lies pass.
    assert sum(map(len, passed.values())) <= 0.07 * FALSE * len(kinds), passed
    assert len(passed["rival"]) <= 0.5 * FALSE


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("visits", "Surface: gravel"),
        ("visits", "The surface is asphalt."),
        ("visits", "Surface in that survey gravel."),
        ("street", "Line of trade: café"),
        ("street", "The line of trade is grocer."),
    ],
)
def test_an_option_at_the_label_of_a_row_that_is_not_named_is_refused(kind: str, text: str) -> None:
    """What a shop's page may say of its street, it says by name."""
    ((verdict,), stated) = judged(page_of(kind), text)
    assert verdict.reason is Reason.OPTION
    assert not stated


def test_an_option_that_a_cell_of_the_page_holds_is_accepted_at_its_label() -> None:
    page = page_of("street")
    ((verdict,), stated) = judged(page, f"Surface: {value(page, 'surface')}")
    assert verdict.ok
    assert {cell.col for cell in stated} >= {"surface"}
