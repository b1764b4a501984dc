"""The guard's laws: what the scorer would accept of a withheld cell never leaves, what is true and due does."""

import base64
import codecs
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import guard_world
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldsmith import scoring
from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown, render
from worldsmith.pages.titles import title
from worldsmith.pages.types import Block, Doc, Grid, KeyValues, Link, Page, Para
from worldsmith.simulate.guard import Guard
from worldsmith.simulate.guard.documents import Reader
from worldsmith.simulate.guard.entitlement import facts_of
from worldsmith.simulate.guard.quantity import quantities
from worldsmith.simulate.guard.text import clean, decoded, sentences
from worldsmith.simulate.markdown_reader import parse_markdown
from worldsmith.simulate.plan_writer import render_hit
from worldsmith.simulate.protocol import Call, Result, Slice, View
from worldsmith.world.model import Cell, World

WORLD = guard_world.world()
PAGES = guard_world.Served(WORLD)
GUARD = Guard(WORLD, PAGES)
KESTREL = View(PAGES.page("observatory/1"), 1.0)


def faults(snippet: str, view: View = KESTREL, query: str = "", **fields: str) -> list[str]:
    result = replace(render_hit(view, 0, "", WORLD, PAGES), snippet=snippet, **fields)
    return [v.why for v in GUARD.hit(result, view, query) if not v.ok]


def reader(guard: Guard, page: Page) -> Reader:
    return Reader(guard.judge, facts_of(guard.world, guard.columns, page, page.cells), frozenset())


def stands(text: str, page: Page = KESTREL.page, guard: Guard = GUARD) -> bool:
    return reader(guard, page).text("sentence", text).ok


# leaks


def own_cells(world: World, pages: Pages, step: int) -> Iterator[tuple[View, Cell]]:
    """Cells that a hit must not tell: of the page's subject, in no head."""
    for page_id in pages.ids()[::step]:
        page = pages.page(page_id)
        for cell in page.cells:
            if cell.row == page.subject and cell not in page.head.cells:
                yield View(page, 1.0), cell


@pytest.mark.parametrize("name", ["smartphones", "town"])
def test_no_form_of_a_withheld_cell_passes_beside_its_label(name: str, request: pytest.FixtureRequest) -> None:
    world = request.getfixturevalue(name)
    pages = Pages(world)
    guard = Guard(world, pages)
    tried: Counter[str] = Counter()
    for view, cell in own_cells(world, pages, 9):
        column = world.schema.column(cell.row.table, cell.col)
        base = render_hit(view, 0, "", world, pages)
        for form in scoring.forms(cell.value, guard.columns.of(cell)):
            for text in (f"Its {column.label} is {form}.", f"{column.label}: {form}"):
                said = replace(base, snippet=f"{base.title}. {text}")
                assert not all(v.ok for v in guard.hit(said, view, "")), (text, cell)
                tried[guard.columns.of(cell).kind] += 1
    assert {"int", "date", "text"} <= set(tried)
    assert sum(tried.values()) > 500


@pytest.mark.parametrize("name", ["smartphones", "town"])
def test_every_form_of_a_cell_stands_on_its_own_page(name: str, request: pytest.FixtureRequest) -> None:
    world = request.getfixturevalue(name)
    pages = Pages(world)
    guard = Guard(world, pages)
    for view, cell in own_cells(world, pages, 9):
        column = world.schema.column(cell.row.table, cell.col)
        for form in scoring.forms(cell.value, guard.columns.of(cell)):
            told = reader(guard, view.page)
            heard = told.text("sentence", f"Its {column.label} is {form}.")
            assert heard.ok, (heard.verdicts, cell)
            assert cell in told.stated, (form, cell)


@pytest.mark.parametrize(
    "name",
    [
        "IMRE HALLOWAY",
        "imre_halloway",
        "Imre-Halloway",
        "Halloway, I.",
        "I m r e  H a l l o w a y",
        "Ｉｍｒｅ Ｈａｌｌｏｗａｙ",
        "Imr\u200be Hallo\u200bway",
        "Ιmre Hαllοway",
        "&lt;b&gt;Imre&#32;Halloway",
        "yawollaH ermI",
        "Imre%20Halloway",
        "directorImreHalloway",
        "imre.halloway@mail.example",
        "Ìmrè Hállowäy",
        "Imre Hallowey",
        "imre haloway",
        codecs.encode("Imre Halloway", "rot13"),
        base64.b64encode(b"Imre Halloway").decode(),
        b"Imre Halloway".hex(),
    ],
)
def test_a_disguised_name_is_found(name: str) -> None:
    assert faults(f"Kestrel Point Observatory. Led by {name} for years")


@pytest.mark.parametrize(
    "text",
    [
        "Altitude: one thousand eight hundred and seventy-six metres",
        "It stands at 1.876 km",
        "It stands at 6,155 ft",
        "It stands almost 1900 m high",
        "Opened 2.11.1991",
        "Opened in November '91",
        "Opened in Q4 1991",
        "Opened in 1991",
        "Budget 845.5 thousand crowns",
        "Budget 8.455e5",
        "between 1,875 m and 1,877 m",
    ],
)
def test_a_withheld_number_is_found_however_it_is_written(text: str) -> None:
    assert faults(f"Kestrel Point Observatory. {text}.")


def test_fields_are_the_pages_own() -> None:
    assert faults("Kestrel Point Observatory.", url="https://kestrelpoint.example/imre-halloway")
    assert faults("Kestrel Point Observatory.", date="1991-11-02")
    assert faults("Kestrel Point Observatory.", title="Kestrel Point Observatory (est. 1991)")
    assert faults("Kestrel Point Observatory.") == []


def test_a_hit_names_what_it_is_about() -> None:
    assert faults("An observatory.", title="An observatory") == [
        "Observatory of Kestrel Point Observatory (Kestrel Point Observatory) is not stated"
    ]


def test_a_name_told_by_two_results_together_is_found() -> None:
    views = (KESTREL, View(PAGES.page("observatory/0"), 0.5))
    a, b = (render_hit(v, i, "", WORLD, PAGES) for i, v in enumerate(views))
    part = Slice(Call("web_search", "staff"), views, more=False)
    split = (replace(a, snippet="The site is led by Im"), replace(b, snippet="re Halloway and others."))
    assert [v.ok for v in GUARD.reply(split, part)] == [False]
    assert GUARD.reply((a, b), part) == ()


# lies on pages that may state everything


LIES = {
    "wrong number": "Its altitude is 1877 m.",
    "wrong unit": "Its altitude is 1876 kg.",
    "wrong date": "It was opened on 3 November 1991.",
    "wrong month": "It was opened in December 1991.",
    "wrong decade": "It dates from the 1970s.",
    "wrong century": "It was opened in the 19th century.",
    "value of another column": "Its budget is 1876 crowns.",
    "value of another row": "Its altitude is 2431 m.",
    "name of another row": "It is led by Odalys Brandt.",
    "too far over": "It stands over 1,500 m high.",
    "wrong side": "It stands over 1,900 m high.",
    "wrong span": "It has been open for 41 years.",
    "invented name": "It was built by Orlen Vaskirk.",
    "real name": "It was built by Peter Schmidt.",
    "total": "It is one of 27 observatories.",
    "invented number": "It has 4,310 visitors.",
    "invented count": "It has two domes and 3 telescopes.",
}
TRUTHS = {
    "plain": "Kestrel Point Observatory stands at 1,876 m.",
    "words": "Led by Imre Halloway since its opening, the house works quietly.",
    "hedge": "It stands about 1,900 m high.",
    "over": "It stands over 1,800 m high.",
    "under": "The budget is under 900,000 crowns.",
    "unit": "It stands at 1.876 km.",
    "month": "It was opened in November 1991.",
    "year": "It was opened in 1991.",
    "decade": "It dates from the early 1990s.",
    "century": "It was opened in the 20th century.",
    "span": "It has been open for 38 years.",
    "count": "One page lists it.",
    "no number": "The budget and the altitude are given below.",
    "initial": "I. Halloway is the director.",
}


@pytest.mark.parametrize("text", LIES.values(), ids=LIES)
def test_a_lie_is_stopped(text: str) -> None:
    assert not stands(text)


@pytest.mark.parametrize("text", TRUTHS.values(), ids=TRUTHS)
def test_a_truth_stands(text: str) -> None:
    heard = reader(GUARD, KESTREL.page).text("sentence", text)
    assert [v.why for v in heard.verdicts if not v.ok] == []


def test_truth_values_and_options_are_judged_at_their_label(smartphones: World, town: World) -> None:
    pages = Pages(smartphones)
    guard = Guard(smartphones, pages)
    row = next(r for r in smartphones.rows_of("phone") if smartphones.value(r, "foldable") is False)
    page = pages.page(pages.about(row) or "")
    assert stands("Foldable: No", page, guard)
    assert stands("The phone is not foldable.", page, guard)
    assert not stands("Foldable: Yes", page, guard)
    assert not stands("It is a foldable phone.", page, guard)
    assert stands("Compare it with other foldable phones.", page, guard)
    pages = Pages(town)
    guard = Guard(town, pages)
    row = next(r for r in town.rows_of("street") if town.value(r, "surface") == "setts")
    page = pages.page(pages.about(row) or "")
    assert stands("Surface: setts", page, guard)
    assert not stands("Surface: gravel", page, guard)
    assert not stands("It is a gravel street.", page, guard)


def test_rows_are_told_apart_on_a_list() -> None:
    page = PAGES.page("towns/0")
    row = page.rows[0]
    name, founded = WORLD.title(row), WORLD.value(row, "founded")
    other = next(r for r in WORLD.rows_of("observatory") if r != row)
    assert stands(f"{name} was opened on {founded}.", page)
    assert not stands(f"{name} was opened on {WORLD.value(other, 'founded')}.", page)
    assert not stands(f"{WORLD.title(other)} was opened on {founded}.", page)


# echoes


def test_the_query_is_grounded_in_an_echo_alone() -> None:
    query = "Imre Halloway 1876"
    assert faults('Results for "Imre Halloway 1876": Kestrel Point Observatory', query=query) == []
    assert faults("Kestrel Point Observatory: Imre Halloway 1876", query=query)
    assert faults('Results for "Imre Halloway 1876": Kestrel Point Observatory')


@given(st.text(max_size=60), st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_a_query_never_makes_a_verdict_worse(query: str, text: str) -> None:
    said = replace(render_hit(KESTREL, 0, "", WORLD, PAGES), snippet=text)
    before = all(v.ok for v in GUARD.hit(said, KESTREL, ""))
    assert all(v.ok for v in GUARD.hit(said, KESTREL, query)) or not before


# documents


def page_doc(*pieces: object) -> Doc:
    return Doc(KESTREL.page.url, title(KESTREL.page, KESTREL.page.cells, PAGES.words), KESTREL.page.date, tuple(pieces))


def test_a_page_states_all_of_its_cells() -> None:
    whole = KeyValues(
        (
            ("Director", ("Imre Halloway",)),
            ("Opened", ("1991-11-02",)),
            ("Altitude", ("1876 m",)),
            ("Budget", ("845500 crowns",)),
        )
    )
    assert [v.why for v in GUARD.doc(page_doc(whole), KESTREL, "") if not v.ok] == []
    lacking = KeyValues(whole.pairs[:3])
    assert [(v.where, v.why) for v in GUARD.doc(page_doc(lacking), KESTREL, "") if not v.ok] == [
        ("missing", "Budget of Kestrel Point Observatory (845500) is not stated")
    ]


def test_a_link_is_a_cell() -> None:
    para = Para(("See ", Link("the list", "https://catalogue.example/list"), "."))
    wrong = Para(("See ", Link("the poet", "https://halloway.example/bio"), "."))
    assert [v.where for v in GUARD.doc(page_doc(para), KESTREL, "") if not v.ok and v.where == "link"] == []
    assert [v.text for v in GUARD.doc(page_doc(wrong), KESTREL, "") if not v.ok and v.where == "link"] == ["the poet"]


def test_a_table_row_prints_one_row() -> None:
    page = PAGES.page("towns/0")
    row = page.rows[0]
    name, founded = WORLD.title(row), str(WORLD.value(row, "founded"))
    good = Grid(("Observatory", "Opened"), (((name,), (founded,)),))
    bad = Grid(("Observatory", "Opened"), (((name,), ("1999-01-01",)),))
    assert reader(GUARD, page).piece(good)
    assert not reader(GUARD, page).piece(bad)


@pytest.mark.parametrize("name", [pytest.param("smartphones", marks=pytest.mark.slow), "town", "harbour"])
def test_every_page_of_our_renderer_passes(name: str, request: pytest.FixtureRequest) -> None:
    world = request.getfixturevalue(name)
    pages = Pages(world)
    guard = Guard(world, pages)
    for page_id in pages.ids():
        view = View(pages.page(page_id), 0.0)
        doc = render(view.page, world, pages)
        assert [(page_id, v.text, v.why) for v in guard.doc(doc, view, "") if not v.ok] == []
        told = render_hit(view, 0, world.schema.about, world, pages)
        assert [(page_id, v.text, v.why) for v in guard.hit(told, view, world.schema.about) if not v.ok] == []


@pytest.mark.parametrize("name", ["smartphones", "town", "harbour"])
def test_markdown_of_our_renderer_reads_back(name: str, request: pytest.FixtureRequest) -> None:
    world = request.getfixturevalue(name)
    pages = Pages(world)
    guard = Guard(world, pages)
    for page_id in pages.ids()[::5]:
        view = View(pages.page(page_id), 0.0)
        again = parse_markdown(markdown(render(view.page, world, pages)), view.page.url)
        assert [(page_id, v.text, v.why) for v in guard.doc(again, view, "") if not v.ok] == []


# purity


def test_verdicts_are_pure_and_their_memo_is_bounded(town: World) -> None:
    pages = Pages(town)
    small, large = Guard(town, pages, memo=3), Guard(town, pages)
    views = [View(pages.page(i), 0.0) for i in pages.ids()[:40]]
    said = [replace(render_hit(v, 0, "", town, pages), snippet="Opened in 1999 by Ann Smith.") for v in views]
    first = [small.hit(r, v, "x") for r, v in zip(said, views, strict=True)]
    again = [large.hit(r, v, "y") for r, v in reversed(list(zip(said, views, strict=True)))]
    assert [[(v.where, v.ok) for v in vs] for vs in first] == [[(v.where, v.ok) for v in vs] for vs in reversed(again)]
    assert len(small._memo) == 3


def test_a_verdict_is_kept_for_all_that_it_was_made_of() -> None:
    """An edit may change a page's blocks and leave its head: dates, full texts and links are judged anew."""
    page = replace(KESTREL.page, date="2001-02-03")
    cells = tuple(WORLD.cell(c.row, c.col) for c in page.cells)
    dated = tuple(c._replace(value="2001-02-03") if c.col == "founded" else c for c in cells)
    other = replace(page, blocks=(Block("infobox", dated),))
    before, after = View(page, 1.0), View(other, 1.0)
    guard = Guard(WORLD, PAGES)
    said = render_hit(before, 0, "", WORLD, PAGES)
    assert all(v.ok for v in guard.hit(said, before, ""))
    assert [v.why for v in guard.hit(said, after, "") if not v.ok] == ["is the value of a withheld cell"]
    full = replace(render_hit(before, 0, "", WORLD, PAGES, full_text=True), date=None)
    assert all(v.ok for v in guard.hit(full, before, ""))
    assert not all(v.ok for v in guard.hit(full, after, ""))


def test_a_text_that_stood_on_one_page_is_judged_anew_on_another() -> None:
    told = "Its altitude is 1876 m and the director is Imre Halloway."
    assert stands(told)
    assert not stands(told, PAGES.page("observatory/0"))
    assert faults(f"Kestrel Point Observatory. {told}")


# reading


def test_quantities_are_read_whole() -> None:
    text = (
        "On 14 March 1987, about 2,400 m or 1.234e6; 12,34,000 (12.34 lakh), Q3 2029, twenty-two thousand, "
        "the late 1980s"
    )
    assert [(q.kind, q.text, q.unit, q.hedge) for q in quantities(text)] == [
        ("date", "14 March 1987", "", ""),
        ("number", "2,400", "m", "about"),
        ("number", "1.234e6", "", ""),
        ("number", "12,34,000", "", ""),
        ("number", "12.34", "lakh", ""),
        ("date", "Q3 2029", "", ""),
        ("number", "twenty-two thousand", "", ""),
        ("decade", "late 1980s", "", ""),
    ]


def test_sentences_end_where_they_do() -> None:
    text = "Led by I. Halloway. It stands at 1.876 km. See No. 4 ... more"
    assert [text[a:b] for a, b in sentences(text)] == [
        "Led by I. Halloway",
        "It stands at 1.876 km",
        "See No. 4",
        "more",
    ]


@given(st.text(max_size=80))
@settings(max_examples=80, deadline=None)
def test_cleaning_twice_is_cleaning_once_and_any_text_is_judged(text: str) -> None:
    once = clean(text)
    assert clean(once) == once or "&" in once or "%" in once
    assert isinstance(decoded(once), tuple)
    result = Result(KESTREL.page.url, text, text, None, 0.95)
    assert GUARD.hit(result, KESTREL, text)
    assert GUARD.doc(parse_markdown(text, KESTREL.page.url), KESTREL, "")


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("Opened on 2 November 1991. Altitude 1,876 m. Budget 845.5 thousand crowns. Director: Imre Halloway.", []),
        ("Opened in 1991. Altitude 1,876 m. Budget 845,500 crowns. Director: Imre Halloway.", ["Opened"]),
        ("Opened in November 1991. Altitude 1,876 m. Budget 845,500 crowns. Director: Imre Halloway.", ["Opened"]),
        ("Opened on 2 November 1991. It stands about 1,900 m high. Budget 845,500 crowns. Director: Imre Halloway.",
         ["Altitude"]),
        ("Opened on 2 November 1991. Altitude 1,876 m. The budget is under 900,000 crowns. Director: Imre Halloway.",
         ["Budget"]),
        ("Opened on 2 November 1991. Altitude 1,876 m. Budget 845,500 crowns. Director: I. Halloway.", ["Director"]),
    ],
)  # fmt: skip
def test_what_is_true_and_vague_does_not_tell_a_cell(text: str, lacks: list[str]) -> None:
    """A page whose reader can't give the value back is incomplete, however true it is."""
    said = parse_markdown(f"# Kestrel Point Observatory\n{text}", KESTREL.page.url)
    verdicts = [v for v in GUARD.doc(said, KESTREL, "") if not v.ok]
    assert [v.where for v in verdicts] == ["missing"] * len(lacks)
    assert [v.why.partition(" of ")[0] for v in verdicts] == lacks
