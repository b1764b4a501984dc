"""What rarely happens to the guard: odd labels, odd numbers, pieces of another sort, names in odd places."""

from dataclasses import replace
from itertools import repeat

import pytest
import test_guard_attacks
from guard_world import CASES
from test_guard_rules import reasons

from worldsmith.pages import Pages
from worldsmith.pages.renderer import markdown, render
from worldsmith.pages.types import Block, Doc, Grid, Heading, Items, KeyValues, Link, Para
from worldsmith.schema import in_language, load_schema
from worldsmith.simulate.guard import Guard
from worldsmith.simulate.guard import judge as judging
from worldsmith.simulate.guard.names import Names
from worldsmith.simulate.guard.repair import repaired
from worldsmith.simulate.guard.text import clean, decoded, lowered, scan
from worldsmith.simulate.plan_writer import PlanWriter
from worldsmith.simulate.protocol import Call, Slice, View
from worldsmith.world.model import World

KIOSKS = {
    "name": ["Ostrel Corner", "Tivane Gate", "Wexholm Arch"],
    "keeper": ["Adda Morlund", "Cilla Quist", "Edda Quarne"],
    "helper": ["Benno Karwick", "Dorin Halb", "Faron Liss"],
    "opened": ["1999-05-06", "2003-01-02", "2010-07-08"],
    "closed": [None, "2011-10-12", "2020-02-03"],
    "gross": [33310, 10980, 15940],
    "stars": [7.5, 6.0, 9.1],
    "show": [128, 95, 110],
    "cards": [True, False, True],
    "ware": ["bread", "bread", "ice"],
    "roof": [True, False, True],
    "sold": [33, 21, 17],
    "sort": ["music", "other", "garden"],
    "place": [1, 3, 2],
}
WORLD = World("kiosks-0", in_language(load_schema(CASES / "kiosks.toml"), "plain"), 1, {"kiosk": KIOSKS})
PAGES = Pages(WORLD)
GUARD = Guard(WORLD, PAGES)
OSTREL, TIVANE = PAGES.page("kiosk/0"), PAGES.page("kiosk/1")
BREAD, ICE = sorted(map(PAGES.page, ("wares/0", "wares/1")), key=lambda page: -len(page.rows))
NO_FACT = "which states no fact that may be given here"


@pytest.mark.parametrize(
    "text",
    [
        "It has a gross of 33,310,000 USD.",
        "Gross: 33310 thousand USD",
        "Running time: 2 hours and 8 minutes",
        "It had a running time of nearly 130 minutes.",
        "Rated 7.5 out of 10.",
        "Rated 7.5/10.",
        "Opened on 1999-05.",
        "Opened in the 1990s.",
        "Adda Morlund takes cards.",
        "It takes cards.",
        "Takes cards: yes",
        "Ranked by gross it is the first.",
        "It is still open.",
        "Ostrel Corner sells bread.",
        "The gross of all these is 33310.",
        "Gross: 33,310,000 USD",
        "Breadcrumbs lead back; it sells bread.",
        "Three kinds of notes are kept.",
        "Opened 6-May-1999.",
        "Tickets sold: 33,000",
        "Roofed kiosks are listed here.",
        "See another list.",
    ],
)
def test_honest_ways_to_say_it(text):
    assert reasons(GUARD, OSTREL, text) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Keeper: Benno Karwick", "says 'Keeper' beside the value of another attribute"),
        ("Closed on 1999-05-06.", "says 'Closed' beside the value of another attribute"),
        ("Takes cards: no", "says 'Takes cards: no', which is not so"),
        ("It is other.", "says 'other', which is no option that may be given here"),
        ("A $7.5 rating.", f"gives '$7.5', {NO_FACT}"),
        ("It runs for many hours and 8 minutes.", f"gives '8 minutes', {NO_FACT}"),
        ("Opened in the '90s.", f'gives "\'90s", {NO_FACT}'),
        ("It came third.", f"gives 'third', {NO_FACT}"),
        ("The third", f"gives 'third', {NO_FACT}"),
        ("It had a running time of 2.5 hours and 8 minutes.", f"gives '2.5 hours', {NO_FACT}"),
        ("1 out of 10.", f"gives '1', {NO_FACT}"),
        ("3 out of ten.", f"gives '3', {NO_FACT}"),
        ("Three out of 10 say so.", f"gives 'Three', {NO_FACT}"),
        ("3/10", f"gives '3', {NO_FACT}"),
        ("It was shown 128 out of 200 times.", f"gives '128', {NO_FACT}"),
        ("It has a gross of 33310000 thousand.", f"gives '33310000 thousand', {NO_FACT}"),
    ],
)
def test_odd_ways_to_lie(text, why):
    assert why in reasons(GUARD, OSTREL, text)


def test_a_small_number_over_which_a_rank_is():
    assert reasons(GUARD, PAGES.page("kiosk/2"), "Rank by gross: over two.") == []


def test_a_page_may_say_its_own_day():
    page = next(p for p in map(PAGES.page, ("world-news/0", "world-press/0", "world-blog/0")) if p.date)
    assert reasons(GUARD, page, f"Written on {page.date}.") == []
    assert reasons(GUARD, page, "Written on 2027-01-01.") == [f"gives '2027-01-01', {NO_FACT}"]


def test_a_null_is_not_denied_nor_said_of_a_value():
    assert reasons(GUARD, TIVANE, "It is not still open.") == ["says 'still open', which holds of no value here"]
    assert reasons(GUARD, OSTREL, "It was never still open.") == ["denies 'never still open.', which is so"]


def test_a_superlative_needs_the_row_that_has_it():
    assert reasons(GUARD, BREAD, "Tivane Gate has the shortest running time, 95 min.") == []
    (why,) = reasons(GUARD, ICE, "Wexholm Arch has the longest running time, 110 min.")
    assert why == "says 'longest', which no rank or list of this page shows"
    (why,) = reasons(GUARD, BREAD, "Ostrel Corner has the shortest running time, 128 min.")
    assert why == "says 'shortest', which no rank or list of this page shows"
    assert reasons(GUARD, BREAD, "Tivane Gate closed latest, on 2011-10-12.") == []


def test_a_name_belongs_to_the_row_that_is_told_of():
    wares = reasons(GUARD, BREAD, "Tivane Gate closed on 2011-10-12.")
    assert wares == []
    assert reasons(GUARD, BREAD, "Ostrel Corner closed on 2011-10-12.") == [f"gives '2011-10-12', {NO_FACT}"]


def test_a_name_of_a_row_that_is_not_told_of():
    keepers = tuple(WORLD.cell(row, "keeper") for row in BREAD.rows)
    page = replace(BREAD, blocks=(*BREAD.blocks, Block("list", keepers)))
    assert reasons(GUARD, page, "Ostrel Corner is kept by Adda Morlund.") == []
    assert reasons(GUARD, page, "Ostrel Corner is kept by Cilla Quist.") == ["names 'Cilla Quist' of another row"]


def test_a_rating_with_the_end_of_its_scale_is_no_day():
    assert reasons(GUARD, TIVANE, "Rated 6/10.") == []
    assert reasons(GUARD, TIVANE, "Rated 5/10.") == [f"gives '5', {NO_FACT}"]


def test_an_option_stands_whole():
    assert reasons(GUARD, PAGES.page("kiosk/2"), "Ware: twice ice") == []
    assert reasons(GUARD, OSTREL, "Ware: twice ice") != []


def test_a_header_in_other_words_is_of_the_column_that_they_speak_of():
    rows = ((("Ostrel Corner",), ("128",)), (("Tivane Gate",), ("95",)))
    assert judged(BREAD, Grid(("Kiosk", "Minutes it runs for a time"), rows, "")) == []
    swapped = ((("Ostrel Corner",), ("95",)), (("Tivane Gate",), ("128",)))
    assert judged(BREAD, Grid(("Kiosk", "Minutes it runs for a time"), swapped, "")) != []


def test_a_name_that_reads_the_same_backwards_is_a_name():
    world = replace(WORLD, tables={"kiosk": {**KIOSKS, "name": ["Ressa Asser", *KIOSKS["name"][1:]]}})
    assert [m.kind for m in Names(world).find(scan(clean("Ressa Asser")))] == ["name"]


def test_hexadecimal_that_is_no_text_hides_nothing():
    assert decoded("00 ff 00 ff 00 ff 00 ff") == ()
    assert decoded("4b 65 65 70 65 72 21") == ("Keeper!",)


def judged(page, *pieces):
    doc = Doc(page.url, WORLD.title(page.subject or page.rows[0]), page.date, pieces)
    return [v.why for v in GUARD.doc(doc, View(page, 0.0), "") if not v.ok and v.where not in ("missing", "date")]


def test_items_of_one_pattern_are_a_table():
    rows = ("Opened: 1999-05-06; Running time: 128", "Opened: 2003-01-02; Running time: 95")
    told = ("Kiosk: Ostrel Corner; " + rows[0], "Kiosk: Tivane Gate; " + rows[1])
    assert judged(BREAD, Items(tuple((t,) for t in told))) == []
    crossed = ("Kiosk: Ostrel Corner; " + rows[1], "Kiosk: Tivane Gate; " + rows[0])
    assert len(judged(BREAD, Items(tuple((t,) for t in crossed)))) == 2
    mixed = (told[0], told[1].replace("Running time", "Running times"))
    assert judged(BREAD, Items(tuple((t,) for t in mixed))) == []


def test_a_heading_names_the_row_of_what_follows_down_to_one_as_high():
    mine, other = Para(("Opened on 1999-05-06.",)), Para(("Opened on 2003-01-02.",))
    assert judged(BREAD, Heading(2, "Ostrel Corner"), mine, Heading(2, "Tivane Gate"), other) == []
    assert judged(BREAD, Heading(2, "Ostrel Corner"), Heading(3, "Details"), mine) == []
    why = [f"gives '1999-05-06', {NO_FACT}"]
    assert judged(BREAD, Heading(2, "Ostrel Corner"), Heading(2, "Details"), mine) == why
    assert judged(BREAD, Heading(2, "Tivane Gate"), Heading(3, "Details"), mine) == why


def test_pairs_with_long_labels_truth_values_and_ragged_rows():
    assert judged(OSTREL, KeyValues((("Takes cards", ("yes",)),))) == []
    assert judged(OSTREL, KeyValues((("Takes cards", ("no",)),))) == ["says 'Takes cards: no', which is not so"]
    label = "What the whole of the entry gives in the list of the park for it"
    assert judged(OSTREL, KeyValues(((label, ("Benno Karwick",)),))) == []
    ragged = Grid(("Kiosk", "Opened", "Running time"), ((("Ostrel Corner",), ("1999-05-06",)),), "")
    assert judged(BREAD, ragged) == []
    wrong = Grid(("Kiosk", "Opened", "Running time"), ((("Ostrel Corner",), ("2003-01-02",)),), "")
    assert judged(BREAD, wrong) == [f"gives '2003-01-02', {NO_FACT}"]


def test_a_draft_of_another_sort_is_not_read():
    part = Slice(Call("web_extractor", OSTREL.url), (View(OSTREL, 1.0),), more=False)
    own, hits = (
        render(OSTREL, WORLD, PAGES),
        PlanWriter(WORLD, PAGES).write(replace(part, call=Call("web_search", "x"))),
    )
    assert repaired(GUARD, PAGES, hits, own, part) == (own, {"fallback": 1})
    assert repaired(GUARD, PAGES, own, hits, replace(part, call=Call("web_search", "x"))) == (hits, {"fallback": 1})


def test_foreign_links_are_dropped_wherever_they_stand():
    away = Link("Adda Morlund", "https://elsewhere.example/")
    pieces = (
        Para(("Kept by ", away, ".")),
        KeyValues((("Keeper", (away,)),)),
        Items((("Kept by ", away),)),
        Grid(("Keeper", "Opened"), (((away,), ("1999-05-06",)),), ""),
    )
    own = render(OSTREL, WORLD, PAGES)
    part = Slice(Call("web_extractor", OSTREL.url), (View(OSTREL, 1.0),), more=False)
    said, counts = repaired(GUARD, PAGES, replace(own, pieces=(*pieces, *own.pieces)), own, part)
    assert counts == {"link_dropped": 4, "model": 1}
    assert said.pieces[:2] == (Para(("Kept by ", "Adda Morlund", ".")), KeyValues((("Keeper", ("Adda Morlund",)),)))


def test_a_table_of_lies_and_a_heading_of_one_leave_nothing():
    own = render(OSTREL, WORLD, PAGES)
    part = Slice(Call("web_extractor", OSTREL.url), (View(OSTREL, 1.0),), more=False)
    lies = (Grid(("Keeper", "Opened"), ((("Benno Karwick",), ("1999-05-07",)),), ""), Heading(2, "Kept by Edda Quarne"))
    said, counts = repaired(GUARD, PAGES, replace(own, pieces=(*lies, *own.pieces)), own, part)
    assert (markdown(said), counts["statement_deleted"]) == (markdown(own), 2)


def test_a_name_that_two_hits_tell_together_is_not_served():
    pages, guard = test_guard_attacks.PAGES, test_guard_attacks.GUARD
    part = Slice(Call("web_search", "x"), tuple(View(pages.page(f"observatory/{i}"), 1.0) for i in (0, 2)), more=False)
    own = PlanWriter(guard.world, pages).write(part)
    ends = (f"{own[0].title}. Salt", f"mere ferry {own[1].title}")
    split = tuple(replace(hit, snippet=end) for hit, end in zip(own, ends, strict=True))
    assert repaired(guard, pages, split, own, part) == (own, {"hit_kept": 2, "reply_split": 1, "fallback": 1})


def test_texts_without_a_fact_are_remembered_within_a_bound(monkeypatch):
    monkeypatch.setattr(judging, "PLAIN", 2)
    guard = Guard(WORLD, PAGES)
    for text in ("Read on for the details.", "See the list below.", "More is to follow here."):
        assert reasons(guard, OSTREL, text) == []
    assert len(guard.judge._plain) <= 2


@pytest.mark.parametrize("text", ["by Adda Morlund", "ADDA-MORLUND", "adda.morlund@mail", "dnulroM addA", "A. Morlund"])
def test_a_text_with_a_name_is_never_nameless(text):
    names = GUARD.names
    assert any(m.kind in ("name", "alias", "coded") for m in names.find(scan(clean(text))))
    assert not names.nameless(clean(text))


def test_what_is_nameless_has_no_name():
    names = GUARD.names
    assert names.nameless("The list is kept up to date by hand, as far as time allows.")
    assert not names.nameless("Ça et là")  # not plain: looked at in full
    assert not names.nameless("bread & ice")


def test_an_empty_phrase_is_no_chrome():
    assert not [m for m in Names(WORLD, ("", "…")).find(scan("x")) if m.kind == "chrome"]


@pytest.mark.parametrize(("text", "lower"), [("ABC Def", "abc def"), ("aİb", "aİb"), ("ÀB", "àb")])
def test_small_letters_stand_where_the_capitals_stood(text, lower):
    assert lowered(text) == lower
    assert len(list(zip(text, lowered(text), strict=True))) == len(text)


def test_a_sentence_of_too_many_numbers_is_too_much():
    (why,) = reasons(GUARD, OSTREL, " ".join(repeat("one 2;", 40)))
    assert why == "holds 80 numbers, too many to be judged"
