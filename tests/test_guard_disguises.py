"""What the scorer takes for a value the guard takes for it too: letters, spacing, case, markup, ways to write a day."""

import random
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import guard_world
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from worldsmith import scoring
from worldsmith.pages import Pages
from worldsmith.pages.types import Page
from worldsmith.scoring.text import squash
from worldsmith.simulate.guard import Guard
from worldsmith.simulate.guard.names import Names
from worldsmith.simulate.guard.text import clean, scan, squeeze, squeezed
from worldsmith.simulate.plan_writer import render_hit
from worldsmith.simulate.protocol import View
from worldsmith.world.model import Cell, World

ASSIGNED = [chr(c) for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) not in ("Cn", "Co", "Cs")]


def test_characters_that_are_one_to_the_scorer_are_one_to_the_guard() -> None:
    forms: dict[str, str] = {}
    for char in ASSIGNED:
        text = f"x{char}y"
        assert forms.setdefault(squash(scoring.fold(text)), squeezed(text)) == squeezed(text), (hex(ord(char)), char)
    assert len(forms) > 50_000


def test_cleaning_any_character_twice_is_cleaning_it_once() -> None:
    assert [c for c in ASSIGNED if c not in "&%" and clean(clean(f"x{c}y")) != clean(f"x{c}y")] == []


@cache
def twins() -> dict[str, list[str]]:
    """Characters that the scorer takes for a letter or digit."""
    found: dict[str, list[str]] = {}
    for char in ASSIGNED:
        folded = scoring.fold(char)
        if len(folded) == 1 and folded.isascii() and folded.isalnum() and char.lower() != folded:
            found.setdefault(folded, []).append(char)
    return found


def test_hundreds_of_letters_have_twins() -> None:
    assert sum(map(len, twins().values())) > 1500
    assert {"ε", "ɪ", "ᴜ"} <= {char for chars in twins().values() for char in chars}


def disguised(text: str, chance: random.Random) -> str:
    return "".join(chance.choice(twins().get(c.lower(), [c])) if chance.random() < 0.5 else c for c in text)


@given(st.text("abx&-.' 12ßé", max_size=12), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_texts_that_are_one_to_the_scorer_are_one_to_the_guard(text: str, chance: random.Random) -> None:
    other = disguised(text, chance).replace("&", chance.choice(["&", " and "])).replace("-", chance.choice("-– "))
    assume(squash(scoring.fold(text)) == squash(scoring.fold(other)))
    assert squeezed(text) == squeezed(other)


Disguise = Callable[[str, random.Random], str]
DISGUISES: dict[str, Disguise] = {
    "twins": disguised,
    "lower": lambda text, _: text.lower(),
    "upper": lambda text, _: text.upper(),
    "swapped": lambda text, _: text.swapcase(),
    "hidden": lambda text, _: "\u200b".join(text),
    "accents": lambda text, _: "\u0301".join(text),
    "apostrophes": lambda text, _: "'".join(text),
    "points": lambda text, _: ".".join(text),
    "hyphens": lambda text, _: text.replace(" ", "-"),
    "joined": lambda text, _: text.replace(" ", ""),
    "split": lambda text, chance: text[: (at := chance.randrange(len(text)))] + " " + text[at:],
    "spelled": lambda text, _: " ".join(text),
    "and": lambda text, _: text.replace("&", "and"),
    "bold": lambda text, _: f"**{text}**",
    "tag": lambda text, _: f"{text[:2]}<b>{text[2:]}</b>",
    "link": lambda text, _: f"[{text[:2]}](https://x.example){text[2:]}",
    "entities": lambda text, _: "".join(f"&#{ord(c)};" for c in text),
}


class Told:
    """A world, and the cells that hits of its pages must not tell."""

    def __init__(self, world: World) -> None:
        self.world, self.pages = world, Pages(world)
        self.guard = Guard(world, self.pages)
        pages = [self.pages.page(page_id) for page_id in self.pages.ids()]
        self.cells = [
            (page, cell)
            for page in pages
            for cell in page.cells
            if cell.row == page.subject and cell not in page.head.cells and cell.value is not None
        ]

    def leaks(self, page: Page, cell: Cell, text: str, *, labelled: bool) -> bool:
        """Whether a hit for the page may say a text, beside the cell's label or in a sentence without it."""
        base = render_hit(View(page, 1.0), 0, "", self.world, self.pages)
        label = self.world.schema.column(cell.row.table, cell.col).label
        said = f"{base.title}. {label}: {text}" if labelled else f"{base.title}. It has to do with {text} too."
        return all(v.ok for v in self.guard.hit(replace(base, snippet=said), View(page, 1.0), ""))


@pytest.fixture(scope="module")
def told(smartphones: World, town: World) -> dict[str, Told]:
    return {"smartphones": Told(smartphones), "town": Told(town)}


@given(
    st.sampled_from(["smartphones", "town"]),
    st.randoms(use_true_random=False),
    st.sampled_from(sorted(DISGUISES)),
)
@settings(max_examples=600, deadline=None)
def test_no_disguise_hides_a_value_from_the_guard_that_it_does_not_hide_from_the_scorer(
    told: dict[str, Told], name: str, chance: random.Random, disguise: str
) -> None:
    world = told[name]
    page, cell = chance.choice(world.cells)
    column = world.guard.columns.of(cell)
    text = DISGUISES[disguise](chance.choice(scoring.forms(cell.value, column)), chance)
    assume(any(scoring.accepts(reading, cell.value, column) for reading in scoring.read(text, column.kind)))
    assume(text.lower() != "as us")  # a brand in two halves that are words of any sentence: not told from them
    assert not world.leaks(page, cell, text, labelled=True), (text, cell)
    small = isinstance(cell.value, int | float) and abs(cell.value) <= 12  # counts and options need their label
    common = squeeze(str(cell.value)) in {squeeze(word) for words in world.guard.names.words.values() for word in words}
    if not small and not common and column.kind not in ("bool", "enum"):
        assert not world.leaks(page, cell, text, labelled=False), (text, cell)


# names

WORLD = guard_world.world()
PAGES = guard_world.Served(WORLD)
GUARD = Guard(WORLD, PAGES)


def named(name: str) -> Guard:
    """The guard of a world whose first director is called so."""
    table = WORLD.tables["observatory"]
    tables = {**WORLD.tables, "observatory": {**table, "director": [name, *table["director"][1:]]}}
    world = replace(WORLD, tables=tables)
    return Guard(world, guard_world.Served(world))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Salt & Pepper", "Salt and Pepper"),
        ("Salt and Pepper", "salt & pepper"),
        ("Imre Halloway", "Ιmre Hallοway"),
        ("Imre Halloway", "ɪmʀε ʜaʟʟoway"),
        ("Imre Halloway", "Imre Ħalloway"),
        ("Imre Halloway", "Im<i>re</i> Hallo<b>way</b>"),
        ("Imre Halloway", "[Imre](https://x.example) Halloway"),
        ("Ator", "A tor"),
        ("Ator", "aTOR"),
        ("Ito", "ito"),
        ("1H226", "1h226"),
        ("96-WSW", "96 wsw"),
        ("Sony", "sONY"),
        ("Actuary", "actuary"),
    ],
)
def test_a_name_is_found_however_the_scorer_would_read_it(name: str, said: str) -> None:
    assert scoring.is_right(said, name, scoring.Column("Director", "text"))
    guard, view = named(name), View(PAGES.page("observatory/1"), 1.0)
    snippet = f"Kestrel Point Observatory. The brand {said} is one of them."
    assert not all(v.ok for v in guard.hit(replace(render_hit(view, 0, "", WORLD, PAGES), snippet=snippet), view, ""))


def test_common_words_are_names_with_a_capital_and_options_at_their_label() -> None:
    guard, view = named("Nothing"), View(PAGES.page("observatory/0"), 1.0)

    def stands(text: str) -> bool:
        said = replace(render_hit(view, 0, "", guard.world, PAGES), snippet=f"Veldmar Observatory. {text}.")
        return all(v.ok for v in guard.hit(said, view, ""))

    assert stands("We found nothing more")
    assert not stands("They say that Nothing is more")
    assert not stands("The director is nothing")


def test_a_declared_phrase_hides_no_name_that_it_runs_into() -> None:
    names = Names(WORLD, ("the directors imre",))
    assert [m.key for m in names.find(scan(clean("the directors Imre Halloway"))) if m.kind == "name"] == [
        "imrehalloway"
    ]


@pytest.mark.parametrize(
    "day",
    [
        "November  2, 1991",
        "2 novembre 1991",
        "2-Nov-1991",
        "1991年11月2日",
        "2. November 1991",
        "1991, November 2",
        "Nov 2 / 1991",
        "Nov-2, 1991",
    ],
)
def test_a_day_is_found_though_its_year_may_be_told(day: str) -> None:
    page = PAGES.page("observatory/1")
    altitude = WORLD.cell(page.subject, "altitude")._replace(value=1991)
    page = replace(page, head=replace(page.head, cells=(*page.head.cells, altitude)))

    def stands(text: str) -> bool:
        said = replace(render_hit(View(page, 1.0), 0, "", WORLD, PAGES), snippet=f"Kestrel Point Observatory. {text}.")
        return all(v.ok for v in GUARD.hit(said, View(page, 1.0), ""))

    assert stands("It has 1991 of them")
    assert stands("There are 2 roads, 11 houses and 1991 trees")
    assert not stands(f"Open since {day}")


@pytest.mark.parametrize("text", ["1 2 3 4 5 6 7 8 9 " * 300, "8 x 10^5, " * 100, "Imre Halloway " * 400])
def test_what_is_too_long_to_be_judged_does_not_stand(text: str) -> None:
    view = View(PAGES.page("observatory/1"), 1.0)
    said = replace(render_hit(view, 0, "", WORLD, PAGES), snippet=f"Kestrel Point Observatory {text}")
    assert [v.why for v in GUARD.hit(said, view, "") if "to be judged" in v.why]


def test_a_number_with_a_power_of_ten_is_one_number() -> None:
    page = PAGES.page("observatory/1")
    altitude = WORLD.cell(page.subject, "altitude")._replace(value=10)
    page = replace(page, head=replace(page.head, cells=(*page.head.cells, altitude)))
    said = replace(
        render_hit(View(page, 1.0), 0, "", WORLD, PAGES), snippet="Kestrel Point Observatory. It has 8 x 10^5 of them."
    )
    assert [v.why for v in GUARD.hit(said, View(page, 1.0), "") if not v.ok] == [
        "gives '8 x 10^5', which states no fact that may be given here"
    ]
