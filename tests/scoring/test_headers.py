"""What a header says against its column: another unit, a word that makes it another column, a strike."""

import pytest
from score_tables import markdown

from worldsmith.scoring import Column, score
from worldsmith.scoring.headers import header_similarity, header_unit, may_deny_name
from worldsmith.scoring.match import match_columns

WEIGHT = Column("Weight (g)", "int", unit="g")
SOLD = Column("Units sold (thousand)", "int", unit="thousand")
PRICE = Column("Launch price (USD)", "int", unit="USD")
TEST = Column("Battery test (h)", "num", unit="h", decimals=1)
RATING = Column("Rating (of 10)", "num", unit="of 10", decimals=1)
CROWNS = Column("Rent (crowns)", "int", unit="crowns")


def right_cells(col, header, cell, value):
    columns = (Column("Phone", "text", key=True), col)
    return score(markdown(["Phone", header], [["a", cell]]), columns, [["a", value]]).columns[1].right


@pytest.mark.parametrize(
    ("col", "header", "cell", "value", "right"),
    [
        (WEIGHT, "Weight (kg)", "163", 163, 0),
        (WEIGHT, "Weight (kg)", "0.163", 163, 1),
        (WEIGHT, "Weight (kg)", "**0.163** [1]", 163, 1),
        (WEIGHT, "Weight (kg)", "163 g", 163, 1),
        (WEIGHT, "Weight (kg)", "n/a", None, 1),
        (WEIGHT, "Weight (in grams)", "163", 163, 1),
        (WEIGHT, "Weight (g, approx.)", "163", 163, 1),
        (WEIGHT, "Weight in kg", "163", 163, 0),
        (WEIGHT, "Weight, kg", "0.163", 163, 1),
        (WEIGHT, "weight_kg", "163", 163, 0),
        (WEIGHT, "weight_g", "163", 163, 1),
        (WEIGHT, "Weight (h)", "163", 163, 0),
        (WEIGHT, "Weight (not g)", "163", 163, 0),
        (WEIGHT, "Weight (stones)", "163", 163, 0),
        (SOLD, "Units sold (million)", "3502", 3502, 0),
        (SOLD, "Units sold (million)", "3.502", 3502, 1),
        (SOLD, "Units sold (thousands)", "3502", 3502, 1),
        (SOLD, "Units sold (thousand units)", "3502", 3502, 1),
        (SOLD, "Units sold (units)", "3502000", 3502, 1),
        (SOLD, "Units sold (units)", "3502", 3502, 0),
        (SOLD, "Units sold (million)", "3,502 thousand", 3502, 1),
        (PRICE, "Launch price (EUR)", "670", 670, 0),
        (PRICE, "Launch price (EUR)", "0.67 thousand", 670, 0),
        (PRICE, "Launch price ($)", "670", 670, 1),
        (PRICE, "Launch price (thousand USD)", "670", 670, 0),
        (PRICE, "Launch price (thousand USD)", "0.67", 670, 1),
        (PRICE, "Launch price (cents)", "670", 670, 0),
        (TEST, "Battery test (min)", "702", 11.7, 1),
        (TEST, "Battery test (min)", "11.7", 11.7, 0),
        (RATING, "Rating (out of 10)", "8.1", 8.1, 1),
        (RATING, "Rating (1-10)", "8.1", 8.1, 1),
        (RATING, "Rating (of 5)", "8.1", 8.1, 0),
        (CROWNS, "Rent (crowns)", "60", 60, 1),
        (CROWNS, "Rent (thousand crowns)", "60", 60, 0),
        (Column("Rank", "int"), "Rank (by units)", "6", 6, 1),
        (Column("Sold", "int"), "Sold (thousand units)", "6", 6, 0),
        (Column("Sold", "int"), "Sold (thousand units)", "6", 6000, 1),
        (Column("Rank", "int"), "Rank (h)", "6", 6, 0),
        (Column("Released", "date"), "Released (kg)", "2028-05-23", "2028-05-23", 1),
        (Column("Share (total %)", "int"), "Share (total %)", "12", 12, 1),  # the name it was asked by tells nothing
    ],
)
def test_the_unit_of_a_header_is_the_unit_of_its_bare_cells(col, header, cell, value, right):
    assert right_cells(col, header, cell, value) == right


def test_a_key_of_numbers_is_in_the_unit_of_its_header_too():
    columns = (Column("Weight (g)", "int", unit="g", key=True), Column("Brand", "text"))
    gold = [[163, "Asus"], [171, "Orlo"]]
    for header, cells, found in (("Weight (kg)", ("163", "171"), 0), ("Weight (kg)", ("0.163", "0.171"), 2)):
        rows = [[cell, row[1]] for cell, row in zip(cells, gold, strict=True)]
        assert len(score(markdown([header, "Brand"], rows), columns, gold).matched) == found


def test_the_cells_are_shown_with_the_unit_they_are_told():
    result = score(
        markdown(["k", "Weight (kg)"], [["a", "163"]]), (Column("k", "text", key=True), WEIGHT), [["a", 163]]
    )
    assert result.rows == (("a", "163 kg"),)
    assert (result.wrong[0].got, result.wrong[0].why) == ("163 kg", "different")


def test_only_another_unit_is_told():
    told = {"Weight (g)": "", "WEIGHT [g]": "", "Weight": "", "Weight (kg)": "kg", "Weight (‰)": "‰"}
    told |= {"Weight (grams)": "", "Weight (g, total)": ""}
    assert {name: header_unit(name, WEIGHT) for name in told} == told
    assert header_unit("Units sold (thousands)", SOLD) == ""
    assert header_unit("Sold (total pieces)", Column("Sold (pieces)", "int", unit="pieces")) == ""
    assert header_unit("Rating (0–10)", RATING) == ""
    assert header_unit("Rating (0–5)", RATING) == "of 5"


@pytest.mark.parametrize(
    "header",
    [
        "Not Weight (g)",
        "Weight (not)",
        "Weight (rival)",
        "Rival weight (g)",
        "Weight of the rival (g)",
        "Weight rank",
        "Wrong weight (g)",
        "Box weight",
        "Weight last year",
        "Height (g)",
        "Freight (g)",
        "Weight items",
        "Weights1",
        "",
    ],
)
def test_a_word_that_qualifies_makes_another_column(header):
    assert match_columns(("Phone", header), ("Phone", "Weight (g)")) == (0, None)


DENYING = "not no non never without except excluding wrong false incorrect untrue opposite reversed inverse inverted"


@pytest.mark.parametrize("word", f"{DENYING} rival rivals other another previous former".split())
def test_a_word_in_brackets_that_denies_makes_another_column(word):
    assert match_columns(("Phone", f"Weight ({word} g)"), ("Phone", "Weight (g)")) == (0, None)
    assert match_columns(("Phone", f"Weight ({word}ly g)"), ("Phone", "Weight (g)")) == (0, 1)


@pytest.mark.parametrize(
    "header", ["Unreleased", "Not released", "Re-released", "Rereleased", "Last released", "~~Released~~"]
)
def test_a_denied_or_struck_name_is_another_column(header):
    columns = (Column("Phone", "text", key=True), Column("Released", "date"))
    result = score(markdown(["Phone", header], [["a", "2028-05-23"]]), columns, [["a", "2028-05-23"]])
    assert (result.columns[1].in_answer, result.columns[1].right) == (False, 0)


@pytest.mark.parametrize(
    ("header", "wanted"),
    [
        ("Full name", "Name"),
        ("The weight", "Weight (g)"),
        ("Price", "Launch price (USD)"),
        ("Brands", "Brand"),
        ("Brand", "Brands"),
        ("Colors", "Colours"),
        ("License", "Licence"),
        ("Weihgt", "Weight"),
        ("Weigt", "Weight"),
        ("Date of release", "Release date"),
        ("Sold units (thousand)", "Units sold (thousand)"),
    ],
)
def test_an_honest_variant_is_the_column(header, wanted):
    assert match_columns((header,), (wanted,)) == (0,)


COST = Column("Production cost (thousand USD)", "int", unit="thousand USD")


@pytest.mark.parametrize(
    "header",
    [
        *("Production cost in thousand USD", "Production cost [USD thousand]", "Production cost, thousand US dollars"),
        *("Production cost (thousands of USD)", "Production cost (USD '000)", "Production cost (kUSD)"),
        *("Production cost in thousands of dollars", "Production cost USD thousand", "production_cost_thousand_usd"),
        *(
            "Production cost - thousand USD",
            "Production cost ($k)",
            "Production cost (USD, thousands)",
            "COST OF PRODUCTION",
        ),
        *(
            "Production cost in $000s",
            "Production cost in k USD",
            "Cost of production in thousand US dollars",
            "Production cost",
        ),
        *("Production costs in thousand $", "Production cost (in thousand US-dollars)", "Production cost: USD k"),
    ],
)
def test_a_unit_may_be_told_in_words(header):
    assert right_cells(COST, header, "670", 670) == 1
    assert right_cells(COST, header, "670000", 670) == 0


@pytest.mark.parametrize(
    ("header", "cell"),
    [
        ("Production cost in USD", "670000"),
        ("Production cost in million USD", "0.67"),
        ("Production cost, US dollars", "670000"),
        ("Production cost ($m)", "0.67"),
        ("Production cost in millions of dollars", "0.67"),
    ],
)
def test_a_unit_told_in_words_is_the_unit_of_the_cells(header, cell):
    assert right_cells(COST, header, cell, 670) == 1
    assert right_cells(COST, header, "670", 670) == 0


@pytest.mark.parametrize(
    ("wanted", "header", "found"),
    [
        ("Rent (crowns)", "Rent in crowns", True),
        ("Rent (crowns)", "Rent, crowns", True),
        ("Rent (thousand crowns)", "Rent in thousand crowns", True),
        ("Rent (thousand crowns)", "Rent in crowns", False),
        ("Rent (crowns)", "Rent in seats", False),
        ("Rent (crowns)", "Crowns", False),
        ("Floor (m2)", "Floor in square metres", True),
        ("Running time (min)", "Running time, minutes", True),
        ("Share (%)", "Share in percent", True),
        ("Rating (of 10)", "Rating out of 10", True),
        ("Height (m)", "Height in m", True),
    ],
)
def test_a_columns_own_unit_may_be_told_in_words(wanted, header, found):
    assert match_columns((header,), (wanted,)) == ((0,) if found else (None,))


def test_a_scale_told_in_words_is_the_columns_or_not():
    assert right_cells(RATING, "Rating out of 10", "8.1", 8.1) == 1
    assert right_cells(RATING, "Rating out of 5", "8.1", 8.1) == 0


@pytest.mark.parametrize(
    ("wanted", "header"),
    [
        *(
            ("Trade learnt", "Trade learned"),
            ("Colour", "Color"),
            ("Favourite", "Favorite"),
            ("Length (metres)", "Length"),
        ),
        *(
            ("Licence", "License"),
            ("Centre", "Center"),
            ("Theatres", "Theater"),
            ("Catalogue", "Catalog"),
            ("Grey", "Gray"),
        ),
        *(("Programme", "Program"), ("Organisation", "Organization"), ("Cities", "City"), ("Storeys", "Story")),
        *(
            ("Cancelled", "Canceled"),
            ("Children", "Child"),
            ("Boxes", "Box"),
            ("Tyre", "Tire"),
            ("Analysed by", "Analyzed by"),
        ),
        *(
            ("Defence", "Defense"),
            ("Jewellery sold", "Jewelry sold"),
            ("Practice", "Practise"),
            ("Aluminium", "Aluminum"),
        ),
        *(("People", "Person"), ("Archaeologist", "Archeologist"), ("Fibre", "Fiber"), ("Labour cost", "Labor costs")),
    ],
)
def test_words_are_spelt_the_british_and_the_american_way(wanted, header):
    for one, other in ((wanted, header), (header, wanted)):
        assert match_columns(("Phone", one), ("Phone", other)) == (0, 1)


@pytest.mark.parametrize(
    ("wanted", "header"),
    [
        *(("Four", "For"), ("Filled", "Filed"), ("Rise", "Rize"), ("Prise", "Price"), ("Hour", "Hor"), ("Bus", "Bu")),
        *(("News", "Newer"), ("Tour", "Tor"), ("Glass", "Glas"), ("Acre", "Acer"), ("Status", "Statu")),
    ],
)
def test_other_words_are_no_spellings(wanted, header):
    assert match_columns(("Phone", header), ("Phone", wanted)) == (0, None) or header_similarity(wanted, header) == 0.95


def test_an_owner_may_be_left_out_where_only_one_column_can_be_meant():
    wanted = ("Employee", "Department: Floor", "Department: Budget (USD)")
    assert match_columns(("Employee", "Floor", "Budget"), wanted) == (0, 1, 2)
    assert match_columns(("Employee", "Floor (department)", "Budget of department"), wanted) == (0, 1, 2)
    assert match_columns(("Employee", "Office: Floor", "Budget"), wanted) == (0, None, 2)
    assert match_columns(("Employee", "Floor", "Budget", "Floor"), wanted) == (0, None, 2)
    both = ("Employee", "Department: Floor", "Office: Floor")
    assert match_columns(("Employee", "Floor"), both) == (0, None, None)
    assert match_columns(("Employee", "Floor", "Office: Floor"), both) == (0, 1, 2)
    assert match_columns(("Employee", "Floor"), ("Employee", "Department: Floor", "Floor")) == (0, None, 1)
    assert match_columns(("Employee", "Floor"), ("Employee", "Department: Floor", "Floor plan")) == (0, 1, None)
    floor = Column("Department: Floor (m2)", "int", unit="m2")
    for header in ("Floor", "Floor (department)", "Floor in m2", "Floor (m²)"):
        assert right_cells(floor, header, "163", 163) == 1


def test_a_name_may_stand_for_the_one_key_once_all_else_is_found():
    wanted = ("Phone", "Weight (g)")
    for name in ("Name", "Model", "**model**", "Title", "item", "Entity"):
        assert match_columns((name, "Weight (g)"), wanted, 0) == (0, 1)
    assert match_columns(("Model", "Weight (g)"), wanted) == (None, 1)
    assert match_columns(("Brand", "Weight (g)"), wanted, 0) == (None, 1)
    assert match_columns(("Name", "Model", "Weight (g)"), wanted, 0) == (None, 2)
    assert match_columns(("Name", "Mass"), wanted, 0) == (None, None)
    assert match_columns(("Model", "Weight"), ("Phone", "Models", "Weight (g)"), 0) == (None, 0, 1)


def test_a_name_stands_for_no_part_of_a_composite_key():
    columns = (Column("Phone", "text", key=True), Column("Year", "year", key=True), Column("Brand", "text"))
    for keys, found in ((("Name", "Year"), False), (("Phone", "Year"), True)):
        result = score(markdown([*keys, "Brand"], [["a", "2025", "Asus"]]), columns, [["a", 2025, "Asus"]])
        assert result.columns[0].in_answer is found


@pytest.mark.parametrize("header", ["Floor kept (ha)", "Floor kept (km2)", "Floor kept (thousand m2)"])
def test_nought_is_nought_in_any_unit_and_nothing_else_is(header):
    columns = (Column("Resident", "text", key=True), Column("Floor kept (m2)", "int", unit="m2"))
    gold = [("Aneshesh", 0), ("Borun", 7)]
    result = score(markdown(["Resident", header], [["Aneshesh", "0"], ["Borun", "7"]]), columns, gold)
    assert [(w.gold_row, w.why) for w in result.wrong] == [(1, "different")]


@pytest.mark.parametrize("header", ["Units sold (million)", "Units sold in million", "Units sold, million"])
def test_a_magnitude_in_a_header_is_that_of_its_numbers(header):
    assert right_cells(SOLD, header, "0.163", 163) == 1
    assert right_cells(SOLD, header, "163", 163) == 0


def test_a_header_too_long_to_tell_qualifies():
    assert may_deny_name("Weight " * 29)
    assert not may_deny_name("Weight " * 28)
    assert may_deny_name("Weight (not g)")
    assert not may_deny_name("Weight (g)")


LOOSE = ("in", "approx.", "approximate", "about", "est.", "estimated", "rounded", "official", "total")


@pytest.mark.parametrize("word", LOOSE)
def test_words_beside_a_unit_that_say_nothing_of_it(word):
    assert header_unit(f"Weight ({word} g)", WEIGHT) == ""
    assert header_unit(f"Weight ({word} kg)", WEIGHT) == "kg"
    assert right_cells(WEIGHT, f"Weight ({word} kg)", "0.163", 163) == 1


@pytest.mark.parametrize(
    "word", ["the", "a", "an", "of", "in", "for", "its", "per", "full", "name", "date", "value", "number"]
)
def test_words_that_qualify_nothing_may_be_added(word):
    assert header_similarity("Weight (g)", f"{word} Weight (g)") == 0.9
    assert header_similarity("Weight (g)", f"{word}ly Weight (g)") == 0


def test_a_name_beside_the_key_is_not_the_key():
    assert match_columns(("Phone", "Name"), ("Phone", "Weight (g)"), 0) == (0, None)
    assert match_columns(("Name", "Weight (g)"), ("Phone", "Weight (g)"), 0) == (0, 1)
    assert match_columns(("Name", "Model", "Weight (g)"), ("Phone", "Weight (g)"), 0) == (None, 2)
    assert match_columns(("Name", "Width"), ("Phone", "Weight (g)"), 0) == (None, None)


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("Units sold (thousand)", "Units sold in thousand boxes"),
        ("Launch price (USD)", "Launch value"),
        ("Rent (crowns)", "Rant (crowns)"),
        ("Brand", "Bland"),
        ("OS", "O"),
        ("Width", "Widths of"),
        ("Released", "Unreleased"),
        ("Released", "Teleased"),
        ("Released", "Relea5ed"),
    ],
)
def test_another_word_is_another_column(wanted, given):
    assert header_similarity(wanted, given) == (0.9 if given == "Widths of" else 0)


def test_a_name_without_its_unit_is_wholly_the_name():
    assert header_similarity("Weight (g)", "weight") == header_similarity("Weight (g)", "Weight (kg)") == 1


@pytest.mark.parametrize("given", ["Relased", "Releaased", "Relesaed", "Reloased"])
def test_one_letter_of_a_long_word_may_be_wrong(given):
    assert header_similarity("Released", given) == 0.95
