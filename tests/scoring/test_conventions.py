"""What a whole table tells of its cells: each honest way to write one scores 1, its cheating twin doesn't."""

import pytest
from score_tables import GOLD, PHONES, markdown

from worldsmith.scoring import Column, explain, score, show

KEY = Column("Phone", "text", key=True)
DAY = Column("Released", "date")


def cells(change=lambda c, text: text, rows=GOLD, columns=PHONES):
    return [[change(c, show(v, col)) for c, (v, col) in enumerate(zip(row, columns, strict=True))] for row in rows]


def scored(rows, columns=PHONES, gold=GOLD):
    return score(markdown(columns, rows), columns, gold)


# ---- numbered keys


@pytest.mark.parametrize("form", ["{}. {}", "{}) {}", "({}) {}", "**{}. {}**", "**{}.** {}", "{}\\. {}"])
def test_keys_numbered_from_one_are_the_keys(form):
    rows = [[form.format(n, row[0]), *row[1:]] for n, row in enumerate(cells(), 1)]
    assert scored(rows).success


def test_numbers_that_start_over_in_each_group_are_numbers():
    assert scored([[f"{n}. {row[0]}", *row[1:]] for n, row in zip((1, 2, 1, 2), cells(), strict=True)]).success


@pytest.mark.parametrize("numbers", [(1, 2, 4, 5), (2, 3, 4, 5), (4, 3, 2, 1), (1, 3, 1, 3), (7, 7, 7, 7)])
def test_other_numbers_belong_to_the_name(numbers):
    result = scored([[f"{n}. {row[0]}", *row[1:]] for n, row in zip(numbers, cells(), strict=True)])
    assert result.item.f1 == 0
    assert len(result.extra) == 4


def test_a_row_without_a_number_leaves_all_numbers_standing():
    rows = [[f"{n}. {row[0]}" if n < 4 else row[0], *row[1:]] for n, row in enumerate(cells(), 1)]
    assert scored(rows).matched == ((3, 3),)
    numbered = [[f"{n}. {row[0]}", *row[1:]] for n, row in enumerate(cells(), 1)]
    assert scored([["Zomborik", *["1"] * 5], *numbered]).item.f1 == 0


def test_a_name_that_begins_with_a_number_keeps_it():
    gold = [("1. FC Neo", "2029-03-14"), ("2. Liga Zed", "2028-01-02")]
    assert scored([[*row] for row in gold], (KEY, DAY), gold).success
    assert scored([["1. FC Neo", "2029-03-14"]], (KEY, DAY), gold).row.precision == 1
    within = [("Neo 2. Liga", "2029-03-14"), ("Zed", "2028-01-02")]
    assert scored([[f"{n}. {key}", day] for n, (key, day) in enumerate(within, 1)], (KEY, DAY), within).success


# ---- marks after every cell


@pytest.mark.parametrize(
    "mark", ["¹", "²³", " ¹", "<sup>1</sup>", "<sup>[2]</sup>", "<sup>a</sup>", "[a]", "†", "*", "[1]"]
)
def test_a_footnote_on_every_cell_is_none_of_them(mark):
    assert scored(cells(lambda c, text: text + mark)).success


def test_footnotes_that_differ_from_cell_to_cell():
    assert scored(cells(lambda c, text: text + "¹²³⁴⁵⁶"[c])).success


@pytest.mark.parametrize("mark", ["²", "<sup>2</sup>"])
def test_a_raised_number_on_some_cells_may_be_a_power(mark):
    result = scored(cells(lambda c, text: text + mark if c else text))
    assert [figures.right for figures in result.columns] == [4, 0, 4, 0, 0, 4]  # a date is no power
    alone = scored(cells(lambda c, text: text + mark if c == 1 else text))
    assert [figures.right for figures in alone.columns] == [4, 0, 4, 4, 4, 4]


def test_blank_cells_bear_no_mark_and_are_still_no_answer():
    result = scored(cells(lambda c, text: "" if c == 2 else text + "¹"))
    assert [figures.right for figures in result.columns] == [4, 4, 0, 4, 4, 4]


@pytest.mark.parametrize("tick", [" ✓", " ✅", "✔️", " ⭐"])
def test_ticks_beside_every_cell_say_nothing_of_it(tick):
    assert scored(cells(lambda c, text: text + tick if c else text)).success


def test_a_tick_beside_some_truths_takes_back_a_no():
    result = scored(cells(lambda c, text: text + " ✓" if c == 3 else text))
    assert result.columns[3].right == 2
    assert {w.why for w in result.wrong} == {"unreadable"}


@pytest.mark.parametrize("form", ['"{}"', "_{}_", "“{}”", "'{}'", "{}*", "{}†", "`{}`"])
def test_a_truth_in_quotes_or_marks_is_that_truth(form):
    assert scored(cells(lambda c, text: form.format(text) if c == 3 else text)).success
    lies = scored(cells(lambda c, text: form.format("No" if text == "Yes" else "Yes") if c == 3 else text))
    assert lies.columns[3].right == 0


def test_full_width_truths():
    assert scored(cells(lambda c, text: {"Yes": "ｙｅｓ", "No": "ｎｏ"}.get(text, text))).success


# ---- dates


@pytest.mark.parametrize("form", ["{d}/{m}/{y}", "{d}.{m}.{y}", "{m}/{d}/{y}", "{m}-{d}-{y}", "{d}-{m}-{y}"])
def test_one_day_past_the_twelfth_tells_the_order_of_its_column(form):
    def change(c, text):
        return form.format(**dict(zip("ymd", text.split("-"), strict=True))) if c == 2 else text

    assert scored(cells(change)).success
    assert scored(cells(lambda c, text: change(c, text.replace("-0", "-")))).success
    early = [(f"Neo {n}", f"2029-0{n}-1{n}" if n < 3 else f"2029-0{n}-0{n + 1}") for n in range(1, 6)]
    rows = cells(lambda c, text: change(c + 1, text), early, (KEY, DAY))
    assert all(int(row[1][8:]) <= 12 for row in early)
    assert scored(rows, (KEY, DAY), early).columns[1].right == 0  # nothing tells the order: each stands for two days


def test_a_column_in_both_orders_tells_no_order():
    gold = [("A1", "2029-03-14"), ("B2", "2029-04-15"), ("C3", "2029-05-06")]
    rows = [["A1", "14/03/2029"], ["B2", "04/15/2029"], ["C3", "06/05/2029"]]
    result = scored(rows, (KEY, DAY), gold)
    assert [(w.gold_row, w.why) for w in result.wrong] == [(2, "ambiguous")]


def test_a_wrong_order_is_wrong():
    gold = [("A1", "2029-03-14"), ("B2", "2029-04-05")]
    result = scored([["A1", "14/03/2029"], ["B2", "04/05/2029"]], (KEY, DAY), gold)
    assert [(w.gold_row, w.got, w.why) for w in result.wrong] == [(1, "2029-05-04", "different")]


@pytest.mark.parametrize(("first", "last"), [(1921, 1998), (1951, 2029), (2020, 2029), (1875, 1899)])
def test_a_two_digit_year_is_of_the_years_of_its_column(first, last):
    gold = [("A1", f"{first}-05-18"), ("B2", f"{last}-11-07")]
    rows = [["A1", f"18-May-{first % 100:02d}"], ["B2", f"7-Nov-{last % 100:02d}"]]
    assert scored(rows, (KEY, DAY), gold).success
    wrong = [["A1", f"18-May-{(first + 1) % 100:02d}"], ["B2", f"7-Mar-{last % 100:02d}"]]
    assert scored(wrong, (KEY, DAY), gold).columns[1].right == 0


SHORT_FORMS = (
    "{d} {m} {y}",
    "{m} {d}, '{y}",
    "{m}. {d} ’{y}",
    "{d}{m}{y}",
    "{m}-{d}-{y}",
    "{d} {m} {y} [2]",
    "“{d} {m} {y}”",
)


@pytest.mark.parametrize("form", SHORT_FORMS)
def test_a_two_digit_year_is_settled_however_its_date_is_written(form):
    gold = [("A1", "1996-04-29"), ("B2", "2029-11-07")]
    for kind, columns in (("other", (KEY, DAY)), ("key", (Column("Day", "date", key=True), Column("k", "text")))):
        cells = [form.format(d=29, m="Apr", y="96"), form.format(d=7, m="Nov", y="29")]
        rows = [*zip(("A1", "B2"), cells, strict=True)]
        values = [*gold]
        if kind == "key":
            rows, values = [row[::-1] for row in rows], [row[::-1] for row in gold]
        assert scored(rows, columns, values).success
    assert scored([["A1", form.format(d=29, m="Apr", y="97")]], (KEY, DAY), gold).columns[1].right == 0


def test_a_year_column_takes_the_year_of_a_short_date():
    columns, gold = (KEY, Column("Year", "year")), [("A1", 1996), ("B2", 2029)]
    assert scored([["A1", "29 Apr 96"], ["B2", "Nov '29"]], columns, gold).success
    assert scored([["A1", "29 Apr 97"], ["B2", "29"]], columns, gold).columns[1].right == 0


def test_an_order_is_told_by_dates_with_marks_too():
    rows = [[name, f"{day[8:]}/{day[5:7]}/{day[:4]} [{n}]"] for n, (name, day) in enumerate(AMBIGUOUS)]
    assert scored(rows, (KEY, DAY), AMBIGUOUS).success


def test_where_a_column_spans_a_hundred_years_two_digits_tell_no_year():
    gold = [("A1", "1921-05-18"), ("B2", "2021-11-07")]
    result = scored([["A1", "18-May-21"], ["B2", "7-Nov-21"]], (KEY, DAY), gold)
    assert [w.why for w in result.wrong] == ["ambiguous", "ambiguous"]
    assert scored([["A1", "18-Mai-21"], ["B2", "31-Feb-21"]], (KEY, DAY), gold[:1]).columns[1].right == 1


def test_two_digits_are_a_year_of_the_hundred_around_the_middle():
    gold = [("A1", "1971-05-18"), ("B2", "2069-11-07")]
    assert scored([["A1", "18-May-71"], ["B2", "7-Nov-69"]], (KEY, DAY), gold).success


@pytest.mark.parametrize("texts", [("18-May-21", "2021-11-07"), ("25/07/2029", "04/03/2029")])
def test_days_in_a_column_of_text_stay_as_they_are(texts):
    gold = [*zip(("A1", "B2"), texts, strict=True)]
    assert scored([[key, f" {text}"] for key, text in gold], (KEY, Column("Label", "text")), gold).success


def test_a_cell_of_eighty_characters_may_tell_the_order():
    gold = [("A1", "2029-03-14"), ("B2", "2029-04-05")]
    for stops, right in ((70, 2), (71, 0)):
        rows = [["A1", "14/03/2029" + "." * stops], ["B2", "05/04/2029"]]
        assert scored(rows, (KEY, DAY), gold).columns[1].right == right


def test_a_column_without_a_date_gives_no_years():
    gold = [("A1", None), ("B2", None)]
    assert scored([["A1", "18-May-21"], ["B2", "-"]], (KEY, DAY), gold).columns[1].right == 1


# ---- rows that are none


@pytest.mark.parametrize(
    ("row", "word"),
    [
        (["..."] * 6, "a row of dots"),
        (["…", "", "", "", "", ""], "a row of dots"),
        (["[…]", "⋮", "...", "", "…", ". . ."], "a row of dots"),
        ([col.name for col in PHONES], "the header again"),
        ([f"**{col.name.upper()}**" for col in PHONES], "the header again"),
        (["**Total**", "4 rows", "", "", "", ""], "a row of totals"),
        (["Totals (4 rows)", "20620", "", "", "36", ""], "a row of totals"),
        (["Grand total:", "20620", "", "", "", ""], "a row of totals"),
        (["Average", "5155", "", "", "9", ""], "a row of totals"),
        (["", "Total", "", "", "", ""], "a row of totals"),
    ],
)
def test_what_is_no_row_costs_nothing_and_is_told(row, word):
    rows = cells()
    result = scored([*rows[:2], row, *rows[2:]])
    assert result.success
    assert f"row 3: {word}" in result.notes
    assert len(result.rows) == len(explain(result)) == 4


@pytest.mark.parametrize(
    "row", [["Total war", *"12345"], ["Zomborik", *[""] * 5], ["Neo", *["…"] * 5], ["?", *["…"] * 5]]
)
def test_any_other_row_costs(row):
    result = scored([*cells(), row])
    assert not result.success
    assert result.row.precision == pytest.approx(4 / 5)


def test_a_key_that_looks_like_a_total_is_a_row():
    gold = [("Total", "2029-03-14"), ("...", "2028-01-02"), ("Phone", "2028-05-20")]
    assert scored([[*row] for row in gold], (KEY, DAY), gold).success
    result = scored([["Total", "2029-03-15"], ["...", "..."], ["Phone", "Released"]], (KEY, DAY), gold)
    assert (result.item.f1, result.row.f1) == (0.5, 0)


def test_rows_that_are_none_never_help():
    rows = cells(rows=GOLD[:2])
    plainly = scored(rows)
    padded = scored([*rows, ["Total", *cells()[3][1:]], ["..."] * 6, ["Sum", *cells()[2][1:]]])
    assert padded.item == plainly.item
    assert padded.nonkey == plainly.nonkey
    assert len(padded.missing) == 2


def test_without_keys_every_row_is_one():
    columns = (Column("Phone", "text"), DAY)
    gold = [("Neo 5", "2029-03-14"), ("Zed", "2028-01-02")]
    assert scored([*map(list, gold), ["Total", "2"]], columns, gold).row.precision == pytest.approx(2 / 3)


# ---- rows that head a group


HEADS = (["**North**", *[""] * 5], ["North"] * 6, ["", "", "North", "", "", ""], ["**Phones of 2029**", *[""] * 5])


@pytest.mark.parametrize("head", HEADS)
def test_a_row_that_heads_a_group_is_no_row(head):
    rows = cells()
    result = scored([head, *rows[:2], [cell.replace("North", "South") for cell in head], *rows[2:]])
    assert result.success
    assert "row 1: a row that heads a group" in result.notes
    assert len(result.rows) == len(explain(result)) == 4


def test_a_group_is_headed_in_ragged_rows_and_in_columns_nobody_asked_for():
    ragged = markdown(PHONES, cells()).split("\n")
    ragged.insert(3, "| **North** |")
    assert score("\n".join(ragged), PHONES, GOLD).success
    columns = [Column("Region", "text"), *PHONES]
    rows = [["North", *[""] * 6], *(["", *row] for row in cells())]
    assert score(markdown(columns, rows), PHONES, GOLD).success
    grouped = "".join(f"<td>{cell}</td>" for cell in cells()[0])
    for head in ("<td colspan=6>North</td>", '<th colspan="6" scope="colgroup">North</th>', "<td>North</td>"):
        header = "".join(f"<th>{col.name}</th>" for col in PHONES)
        table = f"<table><tr>{header}</tr><tr>{head}</tr><tr>{grouped}</tr></table>"
        assert score(table, PHONES, GOLD[:1]).success
        assert not score(table.replace("<td>5000", "<td colspan=2>5000"), PHONES, GOLD[:1]).has_table


def test_groups_leave_numbers_and_marks_to_their_keys():
    head = ["North", *[""] * 5]
    numbered = [[f"{n}. {row[0]}", *row[1:]] for n, row in zip((1, 2, 1, 2), cells(), strict=True)]
    assert scored([head, *numbered[:2], head, *numbered[2:]]).success
    noted = cells(lambda c, text: text + "¹")
    assert scored([head, *noted]).success


def test_keys_listed_without_cells_are_rows_like_any_other():
    rows, guesses = cells(), [[f"Zomborik {n}", *[""] * 5] for n in range(5)]
    below = scored([*rows, guesses[0]])
    assert below.row.precision == pytest.approx(4 / 5)  # heads nothing
    assert scored([*guesses, *rows]).row.precision == pytest.approx(4 / 9)  # more than the rows that are right
    known = scored([guesses[0], [GOLD[3][0], *[""] * 5], *rows[:3]])
    assert known.row.precision == pytest.approx(3 / 5)  # beside a key that is one, a guess is a guess
    assert scored([guesses[0], *rows[:3], ["Nobody", *rows[3][1:]]]).row.precision == pytest.approx(3 / 4)
    assert scored([["Nobody", *rows[3][1:]], guesses[0]]).row.precision == 0
    assert scored([[*guesses[0][:5], "-"], *rows]).row.precision == pytest.approx(4 / 5)  # a null is an answer


@pytest.mark.parametrize("places", [(0,), (0, 2), (0, 1, 2, 3), (4,), (0, 4)])
def test_guesses_as_headings_never_gain(places):
    rows = cells(rows=GOLD[:3])
    plainly = scored(rows)
    for names in (("Zomborik",), (GOLD[3][0],), ("Zomborik", GOLD[3][0]), ("a", "b", "c", "d")):
        guessed = [*rows]
        for n, place in enumerate(places):
            guessed.insert(min(place, len(guessed)), [names[n % len(names)], *[""] * 5])
        result = scored(guessed)
        assert result.item.f1 <= plainly.item.f1
        assert result.earned.f1 <= plainly.earned.f1


# ---- kinds after keys


@pytest.mark.parametrize("kind", ["(phone)", "(Phone)", "(mobile phone)", " (phone)", "(Mobile-phone)", "(téléphone)"])
def test_a_kind_that_pages_add_to_a_key_is_no_part_of_it(kind):
    result = scored(cells(lambda c, text: text if c else f"{text} {kind}"))
    assert result.success
    assert result.rows[0][0] == GOLD[0][0]
    assert scored([[f"**{row[0]} {kind}** [1]", *row[1:]] for row in cells()]).success
    assert scored([[f"{n}. {row[0]} {kind}", *row[1:]] for n, row in enumerate(cells(), 1)]).success


@pytest.mark.parametrize(
    "aside", ["(not)", "(or Zed)", "(2)", "(wrong one)", "(a b c d)", "(Zed Pro)", "(?)", "[phone]", "(Neo 6)"]
)
def test_what_is_no_kind_stays_with_the_key(aside):
    assert scored([[f"{GOLD[0][0]} {aside}", *cells()[0][1:]]]).item.f1 == 0


def test_a_key_of_the_reference_may_end_in_a_kind():
    gold = [("A Garden", "2029-03-14"), ("A Garden (book)", "2028-01-02"), ("A Lake (film)", "2028-05-20")]
    assert scored([[*row] for row in gold], (KEY, DAY), gold).success
    rows = [["A Garden (film)", "2029-03-14"], ["A Garden (book)", "2028-01-02"], ["A Lake (film)", "2028-05-20"]]
    assert scored(rows, (KEY, DAY), gold).success
    assert scored([["A Lake", "2028-05-20"], ["A Lake (play)", "2028-05-20"]], (KEY, DAY), gold).item.f1 == 0


def test_two_kinds_of_one_name_are_one_row_and_cost_as_two():
    gold = [("A Garden", "2029-03-14"), ("B", "2028-01-02")]
    right, wrong = ["A Garden (film)", "2029-03-14"], ["A Garden (book)", "2001-01-01"]
    assert scored([right, ["B", "2028-01-02"]], (KEY, DAY), gold).success
    both = scored([right, wrong, ["B", "2028-01-02"]], (KEY, DAY), gold)
    assert (both.columns[1].right, both.row.precision, both.duplicate) == (1, pytest.approx(1 / 3), (1,))
    plain = scored([["A Garden", "2029-03-14"], wrong, ["B", "2028-01-02"]], (KEY, DAY), gold)
    assert (plain.columns[1].right, plain.extra) == (2, (1,))  # the name alone is the one that was asked for


def test_a_kind_in_one_part_of_a_key():
    columns, gold = (KEY, Column("Year", "year", key=True), Column("Rank", "int")), [("A1", 2028, 1), ("A1", 2029, 2)]
    assert scored([["A1 (phone)", "2028", "1"], ["A1", "2029", "2"]], columns, gold).success


# ---- points that group thousands, commas before decimals


def column_of(cells_of, col, gold):
    rows = [[f"A{n}", cell] for n, cell in enumerate(cells_of)]
    return scored(rows, (KEY, col), [(f"A{n}", value) for n, value in enumerate(gold)]).columns[1].right


COST = Column("Cost (USD)", "int", unit="USD")
SHARE = Column("Share (%)", "num", unit="%", decimals=1)
MASS = Column("Mass (kg)", "num", unit="kg", decimals=3)


@pytest.mark.parametrize(
    ("texts", "col", "gold"),
    [
        (["119.000", "48.500", "950"], COST, [119000, 48500, 950]),
        (["119.000", "1.234.567", "4800"], COST, [119000, 1234567, 4800]),
        (["119.000 USD", "$48.500", "USD 1.200"], COST, [119000, 48500, 1200]),
        (["**119.000** [1]", "~48.500", "-1.200"], COST, [119000, 48500, -1200]),
        (["1.234", "-", "n/a"], Column("Sold", "int"), [1234, None, None]),
        (["1.234", "2.500"], Column("Sold", "num"), [1234.0, 2500]),
        (["7,5", "1.234,5", "1.200", "12"], SHARE, [7.5, 1234.5, 1200.0, 12.0]),
        (["7,5 %", "12,2", "0,1"], SHARE, [7.5, 12.2, 0.1]),
        (["7,125", "0,500", "12,250"], MASS, [7.125, 0.5, 12.25]),
        (["7,125", "8,250"], MASS, [7.125, 8.25]),
        (["1.234,500", "7,125", "1.200"], MASS, [1234.5, 7.125, 1200.0]),
        (["119 000", "119'000", "119’000", "119\u202f000", "119\u2009000", "119_000"], COST, [119000] * 6),
        (["1 234,5", "1'234.5", "1’234,5"], SHARE, [1234.5] * 3),
    ],
)
def test_a_column_tells_its_separators(texts, col, gold):
    assert column_of(texts, col, gold) == len(gold)


@pytest.mark.parametrize(
    ("texts", "col", "gold", "right"),
    [
        (["7.125", "12.500", "0.250"], MASS, [7.125, 12.5, 0.25], 3),
        (["1234.500", "7.125"], MASS, [1234.5, 7.125], 2),
        (["1,234.500", "7.125"], MASS, [1234.5, 7.125], 2),
        (["7.125", "8.250"], Column("Mass", "num"), [7.125, 8.25], 2),  # the gold has decimals
        (["119.000", "48.000"], Column("Shops", "int"), [119, 48], 2),  # no thousand among them
        (["119.000", "48,500"], COST, [119000, 48500], 1),  # commas group here
        (["119.000", "12.5"], COST, [119000, 12], 0),
        (["119.000", "1.2 million"], COST, [119000, 1200000], 1),
        (["1,234", "2,500"], COST, [1234, 2500], 2),
        (["1,234", "7.5"], SHARE, [1234.0, 7.5], 2),
        (["1.234", "7.5"], SHARE, [1234.0, 7.5], 1),
        (["3.502 million", "1,200 thousand"], Column("Sold (thousand)", "int", unit="thousand"), [3502, 1200], 2),
        (["119.000", "48.500"], COST, [119, 48.5], 2),
        (["119.000 or 119", "48.500"], COST, [119000, 48500], 1),
    ],
)
def test_a_column_without_such_separators_is_read_as_english(texts, col, gold, right):
    assert column_of(texts, col, gold) == right


def test_only_a_row_that_was_asked_for_tells_decimal_commas():
    gold = [("A1", 1200.0), ("B2", 7.5)]
    comma = scored([["A1", "1.200"], ["B2", "7,5"]], (KEY, SHARE), gold)
    assert comma.columns[1].right == 2
    for more in (["Zomborik", "7,5"], ["A1", "7,5"]):
        assert scored([["A1", "1.200"], more], (KEY, SHARE), gold).columns[1].right == 0
    wrong = scored([["A1", "119.000"], ["Zomborik", "12.5"]], (KEY, COST), [("A1", 119000)])
    assert wrong.columns[1].right == 0  # a wrong row can only speak against it


def test_a_key_of_numbers_is_read_as_it_stands():
    columns, gold = (Column("Cost", "int", key=True), Column("Phone", "text")), [(1200, "a"), (7, "b")]
    assert scored([["1.200", "a"], ["7", "b"]], columns, gold).matched == ((1, 1),)


# ---- nulls, formulas, ranks


@pytest.mark.parametrize("filler", ["No rating", "not rated", "$none$", "$-$", "$\\text{none}$"])
def test_a_filler_is_null_and_only_null(filler):
    columns = (KEY, Column("Best rating (of 10)", "num", decimals=1, none="none"))
    gold = [("A1", None), ("B2", 7.5)]
    good = "text" not in filler
    assert scored([["A1", filler], ["B2", "$7.5$"]], columns, gold).success is good
    assert scored([["A1", "$7.5$"], ["B2", filler]], columns, gold).columns[1].right == 0


@pytest.mark.parametrize("cell", ["not rated yet, 7.5", "no rating or 7.5", "rated", "no"])
def test_what_is_no_filler_is_no_null(cell):
    columns = (KEY, Column("Best rating (of 10)", "num", decimals=1, none="none"))
    assert scored([["A1", cell]], columns, [("A1", None)]).columns[1].right == 0


def test_a_rank_of_so_many_is_that_rank():
    columns = (KEY, Column("Rank in the quarter", "int"))
    gold = [("A1", 6), ("B2", 12)]
    assert scored([["A1", "6 of 12"], ["B2", "12 of 12"]], columns, gold).success
    assert scored([["A1", "12 of 6"], ["B2", "6 of 12"]], columns, gold).columns[1].right == 0


def test_one_row_may_be_numbered_too():
    assert scored([["1. Neo 5", *cells()[0][1:]]]).row.precision == 1
    assert scored([["2. Neo 5", *cells()[0][1:]]]).row.precision == 0


@pytest.mark.parametrize("row", [["Total", "4 rows", "", "", "", ""], ["…"] * 6, [col.name for col in PHONES]])
def test_a_row_that_is_none_has_no_say_in_what_the_others_tell(row):
    numbered = [[f"{n}. {cell[0]}", *cell[1:]] for n, cell in enumerate(cells(), 1)]
    noted = cells(lambda c, text: text + "¹")
    ticked = cells(lambda c, text: text + " ✓" if c else text)
    for rows in (numbered, noted, ticked):
        assert scored([*rows[:2], row, *rows[2:]]).success
    assert scored([*numbered[:2], ["Zomborik", "1", "", "", "", ""], *numbered[2:]]).item.f1 == 0


AMBIGUOUS = [("A1", "2029-03-04"), ("B2", "2029-05-06"), ("C3", "2029-07-25"), ("D4", "2029-08-26")]


@pytest.mark.parametrize(
    ("more", "right"),
    [
        (["C3", "25/07/2029"], 3),
        (["C3", "26/07/2029"], 2),  # a wrong cell may tell the order, too: its row was asked for
        (["Zomborik", "25/07/2029"], 0),  # a wrong row tells nothing
        (["A1", "25/07/2029"], 0),  # nor does a row over again
        (["C3", "2029-07-25"], 1),
    ],
)
def test_only_a_row_that_was_asked_for_tells_the_order(more, right):
    rows = [["A1", "04/03/2029"], ["B2", "06/05/2029"]]
    assert scored(rows, (KEY, DAY), AMBIGUOUS).columns[1].right == 0
    assert scored([*rows, more], (KEY, DAY), AMBIGUOUS).columns[1].right == right


def test_a_row_over_again_never_settles_what_its_like_left_open():
    rows = [["A1", "04/03/2029"], ["C3", "2029-07-25"], ["D4", "08/26/2029"], ["B2", "25/06/2029"]]
    for row in (["C3", "25/07/2029"], ["D4", "08/26/2029"], ["D4", "26/08/2029"], ["B2", "25/06/2029"]):
        assert scored([*rows, row], (KEY, DAY), AMBIGUOUS).columns[1].right <= 2
    assert scored(rows, (KEY, DAY), AMBIGUOUS).columns[1].right == 2  # one each way: neither


def test_the_order_of_a_key_is_not_told_by_its_column():
    columns = (Column("Released", "date", key=True), Column("Phone", "text"))
    gold = [(day, name) for name, day in AMBIGUOUS]
    rows = [["04/03/2029", "A1"], ["25/07/2029", "C3"]]
    assert scored(rows, columns, gold).matched == ((1, 2),)


def test_a_row_that_says_nothing_asked_for_costs():
    columns = [*PHONES, Column("Notes", "text")]
    rows = [[*row, "x"] for row in cells()]
    assert score(markdown(columns, rows), PHONES, GOLD).success
    result = score(markdown(columns, [*rows, [*[""] * 6, "x"]]), PHONES, GOLD)
    assert (result.row.precision, len(result.rows)) == (pytest.approx(4 / 5), 5)


@pytest.mark.parametrize("name", ["Rank", "Ranks", "Ranking by units", "Place", "Position", "Final standing"])
def test_columns_of_ranks(name):
    columns = (KEY, Column(name, "int"))
    for cell in ("6 of 12", "6=", "joint 6th"):
        assert scored([["A1", cell]], columns, [("A1", 6)]).success
        assert not scored([["A1", cell]], (KEY, Column("Floors", "int")), [("A1", 6)]).success
