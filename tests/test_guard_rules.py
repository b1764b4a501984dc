"""The guard's rules one by one: what a denial, a superlative, a count or a label in other words needs to stand."""

from collections import Counter
from dataclasses import replace

import guard_world
import pytest
from test_guard_attacks import GUARD, PAGES, WORLD

from worldsmith.generation import generate
from worldsmith.lang.stems import stem
from worldsmith.pages import Pages
from worldsmith.pages.renderer import render
from worldsmith.pages.types import Doc, Grid, Items, KeyValues, Link, Page, Para
from worldsmith.schema import load_schema
from worldsmith.simulate.guard import Guard
from worldsmith.simulate.guard.options import is_denied
from worldsmith.simulate.guard.repair import repaired
from worldsmith.simulate.markdown_reader import parse_markdown
from worldsmith.simulate.protocol import Call, Slice, View
from worldsmith.world.model import World

KESTREL = PAGES.page("observatory/1")


def reasons(guard: Guard, page: Page, text: str) -> list[str]:
    """Why statements of a text do not stand on a page; what it lacks is another matter."""
    verdicts = guard.doc(
        parse_markdown(f"# {guard.world.title(page.subject or page.rows[0])}\n{text}", page.url), View(page, 0.0), ""
    )
    return [v.why for v in verdicts if not v.ok and v.where not in ("missing", "date")]


def on(text: str, page: Page = KESTREL) -> list[str]:
    return reasons(GUARD, page, text)


@pytest.fixture(scope="module")
def films() -> World:
    return next(
        w
        for w in (generate(load_schema("films"), s) for s in range(20))
        if {"sequels", "awards", "dubbed"} <= set(w.schema.switches)
    )


@pytest.fixture(scope="module")
def guard(films: World) -> Guard:
    return Guard(films, Pages(films))


def film(guard: Guard, **wanted: object) -> Page:
    """The page of the first film with these values; a callable tests one."""
    table = guard.world.tables["film"]
    index = next(
        i for i in range(len(table["title"]))
        if all(w(table[c][i]) if callable(w) else table[c][i] == w for c, w in wanted.items())
    )  # fmt: skip
    return guard.pages.page(f"film/{index}")


def test_a_word_is_known_by_its_stem() -> None:
    assert {stem(w) for w in ("inspected", "inspections", "inspect")} == {"inspect"}
    assert {stem(w) for w in ("sold", "sales", "sell")} == {"sell"}
    assert stem("people") == stem("person")


def test_a_denial_needs_a_null_a_zero_or_a_no(guard: Guard) -> None:
    first = film(guard, follows=None)
    for column, empty, text in (
        ("follows", lambda v: v is None, "It is not a sequel."),
        ("prizes", lambda n: n == 0, "The film won no awards."),
        ("dubbed", lambda b: not b, "The film was not dubbed."),
    ):
        assert reasons(guard, film(guard, **{column: empty}), text) == []
        assert reasons(guard, film(guard, **{column: lambda v, e=empty: not e(v)}), text)
    assert reasons(guard, first, "No further screenings are on record.") == []
    assert reasons(guard, first, "No other film is longer.")
    assert reasons(guard, first, "It was not shot in colour.")
    assert reasons(guard, first, f"It is not by {guard.world.value(first.subject, 'director')}.")


def test_nobody_is_a_count_of_none() -> None:
    town = generate(load_schema("town"), 7)
    here = Guard(town, Pages(town))
    counts = town.tables["street"]["residents"]
    full = here.pages.page(f"street/{next(i for i, n in enumerate(counts) if n)}")
    assert "denies 'Nobody lives here.'" in reasons(here, full, "Nobody lives here.")[0]
    row = full.subject
    blocks = tuple(
        replace(b, cells=tuple(c._replace(value=0) if (c.row, c.col) == (row, "residents") else c for c in b.cells))
        for b in full.blocks
    )
    empty = replace(full, blocks=blocks)
    told = here.read(Doc(full.url, "", None, (Para(("Nobody lives here.",)),)), empty)
    assert [v.why for v in told.verdicts if not v.ok] == []


def test_a_comparison_needs_two_columns_in_its_order(guard: Guard) -> None:
    earned = film(guard, profit=lambda n: n > 1000)
    assert reasons(guard, earned, "The film grossed more than it cost.") == []
    assert reasons(guard, earned, "The film grossed less than it cost.")
    assert reasons(guard, earned, "The film cost more than it grossed.")
    assert reasons(guard, earned, "It is better than most films.")


def test_a_superlative_needs_a_maximum_or_a_list() -> None:
    town = generate(load_schema("town"), 7)
    here = Guard(town, Pages(town))
    page = next(p for p in map(here.pages.page, here.pages.ids()) if p.kind == "parish" and len(p.rows) > 2)
    length = {row: town.value(row, "length") for row in page.rows}
    laid = {row: town.value(row, "laid") for row in page.rows}
    most, least = max(length, key=length.__getitem__), min(length, key=length.__getitem__)
    first = min(laid, key=laid.__getitem__)
    assert reasons(here, page, f"The longest is {town.title(most)} with {length[most]} m.") == []
    assert reasons(here, page, f"The shortest is {town.title(least)} with {length[least]} m.") == []
    assert reasons(here, page, f"The longest is {town.title(least)} with {length[least]} m.")
    assert reasons(here, page, f"{town.title(first)} was laid out first, on {laid[first]}.") == []
    assert reasons(here, page, f"{town.title(max(laid, key=laid.__getitem__))} was laid out first.")
    assert reasons(here, page, f"The oldest is {town.title(first)}, laid out on {laid[first]}.") == []
    assert reasons(here, page, f"The finest is {town.title(most)}.")
    count = ("", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven")[
        len(page.rows)
    ]
    assert reasons(here, page, f"{count} streets are listed.") == []
    assert len(page.rows) != 12
    assert reasons(here, page, "Twelve streets are listed.")


@pytest.mark.parametrize(
    "text",
    [
        "Rumours of a remake have circulated.",
        "It is said to be haunted.",
        "According to locals, it opened on 2 November 1991.",
        "Critics praise it.",
        "Experts say that it opened on 2 November 1991.",
        "It is widely expected to close.",
    ],
)
def test_what_others_say_is_no_fact(text: str) -> None:
    assert on(text)


def test_a_source_on_the_page_is_none_of_the_others() -> None:
    assert on("According to the register, it opened on 2 November 1991.") == []


def test_a_sentence_that_tells_no_fact_speaks_of_the_page_alone() -> None:
    assert on("Here is what the records say about the observatory.") == []
    assert on("Who leads it?") == []
    assert on("The domes are painted green.") == ["says 'domes' and tells no fact of this page"]


def test_two_dates_of_a_row_stand_in_their_order() -> None:
    company = generate(load_schema("company"), 7)
    here = Guard(company, Pages(company))
    page = here.pages.page("project/0")
    started, due = (company.value(page.subject, c) for c in ("started", "due"))
    assert reasons(here, page, f"It ran from {started} to {due}.") == []
    assert reasons(here, page, f"It ran from {due} to {started}.")
    assert reasons(here, page, f"It is over on {due}, after a start on {started}.") == []
    assert reasons(here, page, f"Due: {due}. Started: {started}.") == []


def test_units_in_words_are_units(guard: Guard) -> None:
    page = film(guard, length=lambda n: n > 60)
    hours, minutes = divmod(int(str(guard.world.value(page.subject, "length"))), 60)
    assert reasons(guard, page, f"It runs for {hours} hours and {minutes} minutes.") == []
    assert reasons(guard, page, f"It runs for {hours + 1} hours and {minutes} minutes.")
    assert on("It stands at 1,876 square metres.")
    assert on("It stands at 1,876 crowns.")


def test_labels_in_other_words_are_known_by_their_values() -> None:
    page = PAGES.page("observatory/1")
    text = "- Inauguration: 2 November 1991\n- Head: Imre Halloway\n- Elevation: 1,876 m\n- Money: 845,500 crowns"
    assert [
        v.why
        for v in GUARD.doc(parse_markdown(f"# Kestrel Point Observatory\n{text}", page.url), View(page, 0.0), "")
        if not v.ok
    ] == []
    swapped = text.replace("1,876 m", "845,500 crowns")
    assert not all(v.ok for v in GUARD.doc(parse_markdown(f"# K\n{swapped}", page.url), View(page, 0.0), ""))


def test_a_header_that_speaks_of_another_column_means_none() -> None:
    town = generate(load_schema("town"), 7)
    here = Guard(town, Pages(town))
    page = next(p for p in map(here.pages.page, here.pages.ids()) if p.kind == "rating" and len(p.rows) > 2)
    rows = [(town.value(r, "shop"), town.value(r, "score"), town.value(r, "place")) for r in page.rows]
    body = "\n".join(f"| {shop} | {score} | {place} |" for shop, score, place in rows)
    good = f"| Shop | Points | Standing |\n|---|---|---|\n{body}"
    assert reasons(here, page, good) == []
    assert reasons(here, page, good.replace("Points", "Rank").replace("Standing", "Score"))


def test_rejected_parts_of_lists_pairs_and_tables_are_dropped() -> None:
    own = render(KESTREL, WORLD, PAGES)
    evil = Link("more", "https://evil.example/")
    pieces = (
        KeyValues((("Altitude", ("1,876 m", evil)), ("Altitude", ("2,431 m",)))),
        Items((("Opened on 2 November 1991.", evil), ("Led by Odalys Brandt.",)), ordered=True),
        Grid(("Field", "Value"), ((("Director",), ("Imre Halloway",)), (("Budget",), ("1 crown", evil)))),
        Para(("Led by Odalys Brandt.",)),
    )
    part = Slice(Call("web_extractor", KESTREL.url), (View(KESTREL, 0.0),), more=False)
    said, counts = repaired(GUARD, PAGES, replace(own, pieces=pieces), own, part)
    assert isinstance(said, Doc)
    assert said.pieces[1] == Items((("Opened on 2 November 1991.", "more"),), ordered=True)
    assert said.pieces[2] == Grid(("Field", "Value"), ((("Director",), ("Imre Halloway",)),))
    assert "Brandt" not in str(said)
    assert "evil" not in str(said)
    assert "2,431" not in str(said)
    assert counts["model"] == 1
    assert counts["link_dropped"] == 3
    assert counts["statement_deleted"] >= 3
    assert Counter(counts)["block_replaced"] >= 1
    assert guard_world.OBSERVATORIES[1][2] in str(said)


@pytest.mark.parametrize(
    ("text", "start", "denies"),
    [
        ("Zungino's surface is ", 5, False),
        ("Zungino's surface is ", 0, False),
        ("the surface is not ", 5, True),
        ("its surface isn't ", 4, True),
        ("no ", -3, True),
    ],
)
def test_half_a_word_denies_nothing(text, start, denies):
    assert is_denied(f"{text}asphalt", start, len(text)) is denies


def shipped_page(schema: str, page_id: str, text: str) -> list[str]:
    """Why a text does not stand on a page of a plain world; its slots are cells of the page's subject."""
    pages = Pages(generate(load_schema(schema), 0))
    page = pages.page(page_id)
    assert page.subject is not None
    table = pages.world.tables[page.subject.table]
    values = {column: cells[page.subject.index] for column, cells in table.items()}
    return reasons(Guard(pages.world, pages), page, text.format(**values))


@pytest.mark.parametrize(
    ("schema", "page_id", "true", "lie", "why"),
    [
        pytest.param(
            "university", "sitting/0", "It has a mean mark of {mark}.", "It has a mean of {mark}.",
            "says 'mean' of a value that is none", id="a label may say mean",
        ),
        pytest.param(
            "hospital", "trial/6", "{name} is in phase III.", "{name} is in phase VI.",
            "says 'VI', a number in letters", id="an option may be a number in letters",
        ),
        pytest.param(
            "hospital", "trial/6", "Phase: III", "Phase: II",
            "says 'II', which is no option that may be given here", id="which another row has",
        ),
        pytest.param(
            "hospital", "trial/6", "It has a full dose of {dose} mg.", "It has a full dose of {dose}1 mg.",
            "gives '{dose}1 mg', which states no fact that may be given here", id="a label may be another's value",
        ),
        pytest.param(
            "railway", "unit/28", "{name} was put into service on {entered}.", "{name} departs at 07:07.",
            "names '07:07', which is no fact of this page", id="a day has a time in it",
        ),
    ],
)  # fmt: skip
def test_words_and_digits_that_mean_two_things_are_judged_as_what_they_are(schema, page_id, true, lie, why):
    assert shipped_page(schema, page_id, true) == []
    (rejected,) = shipped_page(schema, page_id, lie)
    dose = generate(load_schema("hospital"), 0).tables["trial"]["dose"][6]
    assert rejected == why.format(dose=dose)


@pytest.mark.parametrize("form", ["{at}", "{dashed}", "1-{at}", "12:{at}", "{at}:00", "2044-{dashed}"])
def test_a_time_that_another_row_has_is_found_beside_other_digits(form):
    pages = Pages(generate(load_schema("railway"), 0))
    guard, page = Guard(pages.world, pages), pages.page("diagram/0")
    own, other = pages.world.tables["service"]["departs"][:2]
    assert own != other
    assert reasons(guard, page, f"It is departing at {own}.") == []
    assert reasons(guard, page, f"It is departing at {form.format(at=other, dashed=other.replace(':', '-'))}.") != []


def test_a_value_that_is_also_a_label_is_judged_at_its_own_label():
    pages = Pages(generate(load_schema("hospital"), 0))
    guard, arms = Guard(pages.world, pages), pages.world.tables["arm"]
    page = next(
        page for page in map(pages.page, pages.ids())
        if page.subject and any(c.row.index == 0 and c.row.table == "arm" and c.col == "treatment" for c in page.cells)
    )  # fmt: skip
    assert arms["treatment"][0] == "double dose"
    for text in ("In the {} arm the treatment is {}.", "The {} arm was given {}.", "Arm: {}; Treatment: {}"):
        assert reasons(guard, page, text.format(arms["colour"][0], "double dose")) == []
        (rejected,) = reasons(guard, page, text.format(arms["colour"][0], "full dose"))
        assert "which is not so" in rejected
