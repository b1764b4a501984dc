"""Cells that say more than their value: doubts and second values count against them, remarks and conversions don't."""

import pytest

from worldsmith.scoring import Column, accepts, read, verdict
from worldsmith.scoring.values.asides import denies, is_remark

WEIGHT = Column("Weight (g)", "int", unit="g")
RANK = Column("Rank", "int")
TEST = Column("Battery test (h)", "num", unit="h", decimals=1)
DAY = Column("Released", "date")
YEAR = Column("Year", "year")
TEXT = Column("Brand", "text")
BOOL = Column("Foldable", "bool")


@pytest.mark.parametrize(
    "cell",
    [
        *("163 (or 164)", "163 (not)", "(not) 163", "163 (wrong)", "163 (164)", "163 (not 164)", "163 (false)"),
        *(
            "163 (probably 164)",
            "163 (corrected: 164)",
            "163 (no, 164)",
            "163 (just a guess)",
            "163 (isn't)",
            "163 (?)",
        ),
        *("163 (one hundred and sixty-four)", "163 (164 g)", "163 g (0.164 kg)", "163 (0.164 kg)", "163 g (164)"),
        *("163 (2024)", "163 (from 164)", "163 (approx. 164)", "163 (see 164x)", "163 (as of 164)", "163 ❌"),
        *("163 g, 164 h", "163 h", "--163", "-+163", "minus -163", "163 five", "163 dozen", "163/163"),
    ],
)
def test_a_number_that_is_doubted_is_not_right(cell):
    assert verdict(cell, 163, WEIGHT) != "right"
    assert verdict(cell, 164, WEIGHT) != "right"


@pytest.mark.parametrize(
    "cell",
    [
        *("163 (see page)", "163 (est.)", "163 (verified)", "163 (163)", "163 g (163 g)", "163 (0.163 kg)"),
        *("163 g (5.75 oz)", "163 (5.75 oz)", "163 (about 5.7 oz)", "163 (g)", "163 (as of 2027)", "163 (page 3)"),
        *("163 (since March 2027)", "163 (in 2027-03-01)", "163 (12%)", "163 g (2 h)", "163 (164 h)", "163 g (€5)"),
        *(
            "163 ✓",
            "163 ✅",
            "163†",
            "$163$",
            "163 ([source](https://a.example/x))",
            "163 [source](https://a.example/x)",
        ),
    ],
)
def test_a_number_with_a_remark_or_its_conversion_is_right(cell):
    assert verdict(cell, 163, WEIGHT) == "right"
    assert all(accepts(reading, 163, WEIGHT) for reading in read(cell, "int") if reading.unit in ("", "g", "oz", "kg"))


def test_a_number_over_again_must_fit_what_it_stands_beside():
    assert verdict("1.2 million (1,200,000)", 1200, Column("Sold (thousand)", "int", unit="thousand")) == "right"
    assert verdict("1.2 million (1,300,000)", 1200, Column("Sold (thousand)", "int", unit="thousand")) != "right"
    assert verdict("1.2 (million)", 1_200_000, RANK) == "right"
    assert verdict("35 (12%)", 35, Column("Shops", "int")) == "right"
    assert verdict("12 (12%)", 12, Column("Share (%)", "int", unit="%")) == "right"
    assert verdict("12 (13%)", 12, Column("Share (%)", "int", unit="%")) == "ambiguous"
    assert [(r.point, r.unit, r.is_aside) for r in read("163 g (5.75 oz)", "int")] == [
        (163, "g", False),
        (5.75, "oz", True),
    ]


@pytest.mark.parametrize(
    ("cell", "value", "col", "right"),
    [
        ("2028-05-23 (Tuesday)", "2028-05-23", DAY, True),
        ("2028-05-23 (est.)", "2028-05-23", DAY, True),
        ("2028-05-23 (23 May 2028)", "2028-05-23", DAY, True),
        ("2028-05-23 (May 2028)", "2028-05-23", DAY, True),
        ("2028-05-23 (10:00 UTC)", "2028-05-23", DAY, True),
        ("03/04/2028 (3 April 2028)", "2028-04-03", DAY, True),
        ("03/04/2028 (3 April 2028)", "2028-03-04", DAY, False),
        ("2028-05-23 (24 May 2028)", "2028-05-23", DAY, False),
        ("2028-05-23 (June 2028)", "2028-05-23", DAY, False),
        ("2028-05-23 (24 May)", "2028-05-23", DAY, False),
        ("2028-05-23 (or 2028-05-24)", "2028-05-23", DAY, False),
        ("2028-05-23 (not)", "2028-05-23", DAY, False),
        ("(not) 2028-05-23", "2028-05-23", DAY, False),
        ("2028-05-23?", "2028-05-23", DAY, False),
        ("May 2028 (23)", "2028-05-23", DAY, False),
        ("May 2028 (23 May 2028)", "2028-05-23", DAY, False),
        ("2028-05-23 ✓", "2028-05-23", DAY, True),
        ("2028-05-23†", "2028-05-23", DAY, True),
        ("2025 (2026)", 2025, YEAR, False),
        ("2025 (not)", 2025, YEAR, False),
        ("2025 (est.)", 2025, YEAR, True),
        ("2025.0", 2025, YEAR, True),
        ("2025 ✓", 2025, YEAR, True),
        ("$2025$", 2025, YEAR, True),
        ("2025.00", 2025, YEAR, True),
        ("2025.0.0", 2025, YEAR, False),
        ("AD 2025", 2025, YEAR, True),
        ("2025 AD", 2025, YEAR, True),
    ],
)
def test_a_date_with_an_aside(cell, value, col, right):
    assert (verdict(cell, value, col) == "right") is right


@pytest.mark.parametrize(
    "cell", ["Asus?", "Asus ?", "**Asus?**", "Asus？", "Asus?!", "¿Asus", "(Asus?)", '"Asus?"', "Asus (?)"]
)
def test_a_question_mark_at_the_end_makes_a_cell_unreadable(cell):
    assert verdict(cell, "Asus", TEXT) == "unreadable"
    assert verdict("yes?", True, BOOL) == "unreadable"
    assert verdict("red; blue?", ["blue", "red"], Column("Colours", "list")) == "unreadable"
    assert verdict("none?", None, TEXT) == "unreadable"
    assert verdict("163?", 163, WEIGHT) == "unreadable"


def test_a_title_that_asks_may_be_written():
    song = Column("Song", "text", aliases=(("Home", ("Is it home?",)),))
    assert verdict("Who knows?", "Who knows?", TEXT) == "right"
    assert verdict("Who knows", "Who knows?", TEXT) == "right"
    assert verdict("Is it home?", "Home", song) == "right"
    assert verdict("why?; how", ["why?", "how"], Column("Songs", "list")) == "right"
    assert verdict("https://a.example/?", "https://a.example", Column("u", "url")) == verdict(
        "https://a.example/?", "https://a.example", Column("u", "url")
    )


@pytest.mark.parametrize(
    ("cell", "value", "col", "right"),
    [
        ("6 of 12", 6, RANK, True),
        ("6 out of 12", 6, RANK, True),
        ("6th of 12", 6, RANK, True),
        ("13 of 12", 13, RANK, False),
        ("joint 6th", 6, RANK, True),
        ("tied for 6th", 6, RANK, True),
        ("6=", 6, RANK, True),
        ("=6", 6, RANK, True),
        ("T6", 6, RANK, True),
        ("6th (tie)", 6, RANK, True),
        ("6 (of 12)", 6, RANK, True),
        ("6 h", 6, RANK, False),
        ("6 kg", 6, RANK, False),
        ("6 five", 6, RANK, False),
        ("6/6", 6, RANK, False),
        ("0/0", 0, RANK, False),
        ("6 or 6", 6, RANK, True),
        ("6 phones", 6, RANK, False),
        ("6 phones", 6, Column("Phones", "int"), True),
        ("T163", 163, WEIGHT, False),
        ("163=", 163, WEIGHT, False),
        ("163 of 200", 163, WEIGHT, False),
        ("3 of 12", 3, Column("Shops", "int"), False),
        ("26 days", 26, Column("Days to release", "int"), True),
        ("26 h", 26, Column("Days to release", "int"), False),
        ("26 minutes", 26, Column("Delay min", "int"), True),
        ("6 inches", 6, Column("Rank in the quarter", "int"), False),
        ("$5", 5, Column("Price", "int"), True),
        ("3.502M", 3502, Column("Sold (thousand)", "int", unit="thousand"), True),
        ("3.502M", 3.502, Column("Sold", "num"), False),
        ("11 h 42 min", 11.7, TEST, True),
        ("11h 42m", 11.7, TEST, True),
        ("11 hours and 42 minutes", 11.7, TEST, True),
        ("11 hours, 42 minutes", 11.7, TEST, True),
        ("11.7 h (11 h 42 min)", 11.7, TEST, True),
        ("11.7 h (11 h 45 min)", 11.7, TEST, False),
        ("11 h 72 min", 12.2, TEST, False),
        ("11 h 42 h", 11, TEST, False),
        ("42 min 11 h", 11.7, TEST, False),
        ("11.5 h 12 min", 11.7, TEST, False),
        ("11 h 42 g", 11.7, TEST, False),
        ("145 sq m", 145, Column("Area (m2)", "int", unit="m2"), True),
        ("145 square metres", 145, Column("Area (m2)", "int", unit="m2"), True),
        ("145 sq ft", 145, Column("Area (m2)", "int", unit="m2"), False),
        ("$1{,}163$", 1163, WEIGHT, True),
        ("$1\\,163$", 1163, WEIGHT, True),
        ("$163", 163, WEIGHT, False),
        ("$$", 163, WEIGHT, False),
    ],
)
def test_ranks_and_measures(cell, value, col, right):
    assert (verdict(cell, value, col) == "right") is right


def test_words_that_deny_and_words_that_remark():
    assert [
        denies(words) for words in ("not", "notable", "or 5", "ore", "a guess", "don't", "est.", "none", "now")
    ] == [*(True, False, True, False, True, True, False, False, False)]
    assert [
        is_remark(words) for words in ("est.", "as of 2027", "as of 164", "page 3", "3", "of 12", "10:00 UTC", "x3")
    ] == [*(True, True, False, True, False, True, True, False)]
