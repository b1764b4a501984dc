import importlib
import itertools
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from score_tables import GOLD, PHONES, markdown

import worldsmith.scoring
from worldsmith.scoring import (
    Column,
    Failure,
    Rates,
    Reference,
    ScoreError,
    explain,
    forms,
    reward,
    score,
    score_many,
    score_table,
    show,
)
from worldsmith.scoring.match import assign, match_columns

FIGURES = ("item", "row", "nonkey", "earned", "earned_rows")
REFERENCE = Reference(PHONES, GOLD)


def figures(result):
    return {name: getattr(result, name) for name in FIGURES}


def f1s(result):
    return [getattr(result, name).f1 for name in FIGURES]


def of(rows):
    return score_table(markdown(PHONES, rows), REFERENCE)


# An answer row: (gold row, how each cell is written), or a row with a key nobody has.
@st.composite
def answers(draw, min_size=0):
    """Rows of gold in any spelling, with some cells wrong."""
    chosen = draw(st.permutations(range(len(GOLD))))[: draw(st.integers(min_size, len(GOLD)))]
    return [draw(spelled(j)) for j in chosen]


@st.composite
def spelled(draw, j, wrong=True):
    row = []
    for value, col in zip(GOLD[j], PHONES, strict=True):
        text = draw(st.sampled_from(forms(value, col)))
        if wrong and not col.key and draw(st.integers(0, 4)) == 0:
            text = draw(st.sampled_from(["", "-1", "?", "2001-01-01", "no idea", "99999"]))
        row.append(text)
    return row


def respelled(row, draw):
    """Write a row again so that it says the same."""
    styles = (
        str.upper,
        str.lower,
        lambda t: f"**{t}**",
        lambda t: f" {t} ",
        lambda t: t + "\u200b",
        lambda t: f"`{t}`",
    )
    return [draw(st.sampled_from(styles))(cell) if cell else cell for cell in row]


@given(answers())
def test_every_figure_lies_between_0_and_1(rows):
    result = of(rows)
    for name in FIGURES:
        assert all(0 <= figure <= 1 for figure in getattr(result, name))
    assert all(0 <= figure <= 1 for col in result.columns for figure in col.rates)


@given(st.data())
def test_gold_scores_1_in_any_spelling_and_order(data):
    rows = [data.draw(spelled(j, wrong=False)) for j in data.draw(st.permutations(range(len(GOLD))))]
    result = of(rows)
    assert figures(result) == dict.fromkeys(FIGURES, Rates(1.0, 1.0, 1.0))
    assert result.success
    assert (result.missing, result.extra, result.duplicate, result.wrong) == ((), (), (), ())


@given(answers(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_columns_is_irrelevant(rows, chance):
    result = of(rows)
    order = [*range(len(PHONES))]
    chance.shuffle(order)
    shuffled = chance.sample(rows, len(rows))
    columns = [PHONES[c] for c in order]
    other = score_table(markdown(columns, [[row[c] for c in order] for row in shuffled]), REFERENCE)
    assert figures(other) == figures(result)
    assert other.columns == result.columns


@given(answers(min_size=1), st.data())
def test_duplicating_a_row_in_any_spelling_never_raises_a_figure(rows, data):
    before = of(rows)
    rows = [*rows, respelled(data.draw(st.sampled_from(rows)), data.draw)]
    after = of(data.draw(st.permutations(rows)))
    for name in FIGURES:
        for one, other in zip(getattr(after, name), getattr(before, name), strict=True):
            assert one <= other


@given(answers(), st.text("abcdefghij", min_size=12, max_size=12), st.data())
def test_a_wrong_row_never_raises_a_figure(rows, key, data):
    before = of(rows)
    cells = data.draw(st.sampled_from(GOLD))
    after = of([*rows, [key, *(show(v, c) for v, c in zip(cells[1:], PHONES[1:], strict=True))]])
    assert all(one <= other for one, other in zip(f1s(after), f1s(before), strict=True))
    assert len(after.extra) == len(before.extra) + 1


@given(answers(min_size=1), st.data())
def test_contradicting_a_row_never_raises_an_f1(rows, data):
    before = of(rows)
    row = [*data.draw(st.sampled_from(rows))]
    row[data.draw(st.integers(1, len(row) - 1))] = data.draw(
        st.sampled_from(["77", "2002-02-02", "Yes", "12.5", "-", ""])
    )
    after = of([*rows, row])
    assert all(one <= other for one, other in zip(f1s(after), f1s(before), strict=True))


@given(st.integers(0, len(GOLD) - 1))
def test_a_lost_row_costs_its_share_of_recall_and_nothing_else(j):
    result = of([row for i, row in enumerate(GOLD) if i != j])
    n = len(GOLD)
    for name in FIGURES:
        assert getattr(result, name).recall == pytest.approx((n - 1) / n)
        assert getattr(result, name).precision == 1.0
    assert result.missing == (j,)


@given(st.integers(0, len(GOLD) - 1), st.integers(1, len(PHONES) - 1))
def test_one_wrong_cell_changes_every_count_by_one(j, c):
    rows = [[show(v, col) for v, col in zip(row, PHONES, strict=True)] for row in GOLD]
    rows[j][c] = "wrong"
    result = of(rows)
    n, width = len(GOLD), len(PHONES)
    assert result.item.recall == pytest.approx((n * width - 1) / (n * width))
    assert result.nonkey.recall == pytest.approx((n * (width - 1) - 1) / (n * (width - 1)))
    assert result.row.recall == pytest.approx((n - 1) / n)
    assert [col.right for col in result.columns] == [n - (i == c) for i in range(width)]
    assert [(w.gold_row, w.column, w.got) for w in result.wrong] == [(j, PHONES[c].name, "wrong")]


@given(answers())
@settings(max_examples=20)
def test_scoring_is_a_pure_function(rows):
    answer = markdown(PHONES, rows)
    assert score(answer, PHONES, GOLD) == score(answer, PHONES, [list(row) for row in GOLD])
    assert score(answer, PHONES, GOLD) == score_table(answer, REFERENCE)


def test_a_score_in_another_process_with_another_hash_seed_is_the_same_to_the_byte():
    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); from score_tables import *;"
        "from worldsmith.scoring import score;"
        "rows = [*GOLD[:2], GOLD[1], ('x', 1, '', True, 1.0, None)];"
        "print(json.dumps(score(markdown(PHONES, rows), PHONES, GOLD).to_json()))"
    )
    folder = str(Path(__file__).parent)
    root = str(Path(worldsmith.__file__).parents[1])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, folder],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": root, "LC_ALL": locale, "TZ": "Asia/Tokyo"},
            capture_output=True,
            check=True,
        ).stdout
        for seed, locale in (("0", "C"), ("1", "de_DE.UTF-8"), ("12345", "tr_TR.UTF-8"))
    }
    assert len(outputs) == 1


def test_the_folder_works_alone_under_another_name(tmp_path):
    source = Path(worldsmith.scoring.__file__).parent
    target = tmp_path / "vendored_scorer"
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "import sys; from vendored_scorer import score, Column;"
        "columns = [Column('a', 'text', key=True), Column('b', 'int')];"
        "s = score('| a | b |\\n|---|---|\\n| x | 1 |', columns, [['x', 1]]);"
        "assert s.success, s; assert not any(m.startswith('worldsmith') for m in sys.modules)"
    )
    subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"], check=True
    )


def test_the_score_explains_itself():
    rows = [
        ("neo-5", "4,900 mAh", "14 March 2029", "yes", "12.5%", "-"),
        ("Nobody", "1", "2", "3", "4", "5"),
        ("cafe x+", "4,800", "02/01/2028", "No", "3 kg", ""),
        ("Neo 5", "5000", "2029-03-14", "yes", "?", "-"),
    ]
    result = of(rows)
    assert result.matched == ((0, 0), (2, 1))
    assert (result.missing, result.extra, result.duplicate) == ((2, 3), (1,), (3,))
    assert [(w.gold_row, w.column, w.expected, w.got, w.why) for w in result.wrong] == [
        (0, "Battery (mAh)", "5000", "4,900 mAh", "different"),
        (0, "Share (%)", "12.5", "?", "unreadable"),
        (1, "Released", "2028-01-02", "02/01/2028", "ambiguous"),
        (1, "Share (%)", "3.0", "3 kg", "unit"),
        (1, "Withdrawn", "2029-01-31", "", "empty"),
    ]
    assert result.item == Rates(7 / 24, 7 / 24, 7 / 24)
    assert result.nonkey == Rates(5 / 20, 5 / 20, 5 / 20)
    assert [(c.name, c.right, c.criterion) for c in result.columns] == [
        ("Phone", 2, "key"),
        ("Battery (mAh)", 1, "same number"),
        ("Released", 1, "same day"),
        ("Foldable", 2, "same answer"),
        ("Share (%)", 0, "same number"),
        ("Withdrawn", 1, "same day"),
    ]
    shown = explain(result)
    assert [(row.status, row.answer_row, row.gold_row) for row in shown] == [
        ("partial", 0, 0),
        ("extra", 1, None),
        ("partial", 2, 1),
        ("duplicate", 3, None),
        ("missing", None, 2),
        ("missing", None, 3),
    ]
    assert shown[0].cells[1] == ("4,900 mAh", "5000", "different")
    assert shown[0].cells[2] == ("14 March 2029", "2029-03-14", "")
    assert shown[1].cells[0] == ("Nobody", "", "extra")
    assert shown[4].cells[0] == ("", "Zed Pro", "missing")
    assert explain(of(GOLD))[0].status == "right"


def test_what_a_tolerance_is_shows_in_the_criterion():
    columns = (
        Column("k", "text", key=True),
        Column("n", "num", tolerance=0.05),
        Column("d", "date", tolerance=31),
        *(Column(kind, kind) for kind in ("year", "url", "list", "enum")),
    )
    result = score("", columns, [])
    assert [c.criterion for c in result.columns] == [
        *("key", "number within 0.05 of its size", "date within 31 days", "same year", "same address", "same items"),
        "same text",
    ]


def test_json_has_the_same_keys_and_types_whatever_the_answer():
    def shape(data):
        if isinstance(data, dict):
            return {key: shape(value) for key, value in data.items()}
        return type(data).__name__

    perfect, empty, unread = (score(a, PHONES, GOLD).to_json() for a in (markdown(PHONES, GOLD), "", "|||| NaN 1e999"))
    assert shape(perfect) == shape(empty) == shape(unread)
    assert json.loads(json.dumps(perfect)) == perfect
    assert [*perfect] == [
        *("version", "item", "row", "nonkey", "earned", "earned_rows", "success", "has_table", "has_columns", "cut"),
        *(
            "format",
            "answer_rows",
            "gold_rows",
            "columns",
            "matched",
            "missing",
            "extra",
            "duplicate",
            "wrong",
            "notes",
        ),
    ]
    some = of([["Neo 5", "1", "2029-03-14", "Yes", "12.5", "-"], ["Neo 5", "1"] + [""] * 4, ["q"] * 6]).to_json()
    assert some["wrong"][0] == {
        "gold_row": 0,
        "column": "Battery (mAh)",
        "expected": "5000",
        "got": "1",
        "why": "different",
    }
    assert (some["matched"], some["missing"], some["extra"], some["duplicate"]) == ([[0, 0]], [1, 2, 3], [2], [1])
    assert (some["answer_rows"], some["gold_rows"], some["format"], some["version"]) == (3, 4, "markdown", "6")
    assert some["item"] == {"precision": 1 / 18, "recall": 1 / 24, "f1": 2 / 42}
    assert perfect["success"] == 1.0
    assert perfect["columns"][1] == {
        "name": "Battery (mAh)",
        "found": True,
        "right": 4,
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
        "criterion": "same number",
    }


@pytest.mark.parametrize(
    ("answer", "f1"),
    [("", 1.0), ("| Phone | Released |\n|---|---|", 1.0), ("| Phone | Released |\n|---|---|\n| a | 2029-01-01 |", 0.0)],
)
def test_of_an_empty_reference_an_empty_answer_is_right_and_any_row_wrong(answer, f1):
    columns = (Column("Phone", "text", key=True), Column("Released", "date"))
    result = score(answer, columns, [])
    assert figures(result) == dict.fromkeys(FIGURES, Rates(f1, f1, f1))
    assert result.success == (f1 == 1.0)


# ---- headers


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (("Phone", "Battery (mAh)", "Units sold (thousand)"), (0, 1, 2)),
        (("UNITS  SOLD (Thousand)", "phone", "**Battery**"), (1, 2, 0)),
        (("Battery [mAh]", "Units sold", "Phone:"), (2, 0, 1)),
        (("Phone name", "Batery", "Unit sold (thousands)"), (0, 1, 2)),
        (("Phone", "Phone", "Battery"), (0, 2, None)),
        (("Phone", "Battery", "Sold units"), (0, 1, 2)),
        (("Phone", "Battery", "Revenue"), (0, 1, None)),
        (("", "", ""), (None, None, None)),
        ((), (None, None, None)),
    ],
)
def test_columns_are_found_by_name_then_by_likeness(header, found):
    columns = [
        Column("Phone", "text", key=True),
        Column("Battery (mAh)", "int"),
        Column("Units sold (thousand)", "int"),
    ]
    result = score(markdown(header, [["x"] * len(header)]) if header else "", columns, [["p", 1, 2]])
    assert [c.in_answer for c in result.columns] == [place is not None for place in found]
    assert match_columns(tuple(header), tuple(c.name for c in columns)) == found


def test_a_likeness_that_fits_two_columns_fits_none():
    assert match_columns(("Units",), ("Units sold", "Units made")) == (None, None)
    assert match_columns(("Rank by units", "Rank by price"), ("Rank by units", "Rank by price")) == (0, 1)
    assert match_columns(("Date (UTC)", "Date (local)"), ("Date",)) == (None,)
    assert match_columns(("the " * 40 + "Name",), ("Name",)) == (None,)
    assert match_columns(("the " * 20 + "Name",), ("Name",)) == (0,)
    assert match_columns((*map(str, range(200)), "Name"), ("Name",)) == (None,)
    assert match_columns((*map(str, range(199)), "Name"), ("Name",)) == (199,)
    assert match_columns(("Battery",), ("Battery (mAh)", "Battery (Wh)")) == (None, None)
    assert match_columns(("Battery (Wh)", "Battery"), ("Battery (mAh)", "Battery (Wh)")) == (1, 0)
    assert match_columns(("abcdefghij",), ("abcdefghiy",)) == (0,)
    assert match_columns(("abcdefghij",), ("abcdefghxy",)) == (None,)
    assert match_columns(("Full Name", "The Name"), ("Name",)) == (None,)
    assert match_columns(("Weihgt", "Weight"), ("Weight (g)",)) == (1,)
    assert match_columns(("(h)",), ("(kg)",)) == (None,)
    assert match_columns(("BatteryLife",), ("Battery life (h)",)) == (0,)


def test_a_column_that_is_missing_is_said_and_its_cells_are_wrong():
    result = score(
        markdown(["Phone", "Foldable", "Note"], [["Neo 5", "Yes", "z"]]), PHONES[:4], [row[:4] for row in GOLD[:1]]
    )
    assert result.notes == (
        "column 'Battery (mAh)' is not in the header: Phone | Foldable | Note",
        "column 'Released' is not in the header: Phone | Foldable | Note",
        "columns nobody asked for: 'Note'",
    )
    assert [(w.column, w.why) for w in result.wrong] == [("Battery (mAh)", "missing"), ("Released", "missing")]
    assert not result.has_columns
    assert result.item == Rates(0.5, 0.5, 0.5)


def test_of_as_many_columns_one_may_still_be_another():
    result = score(
        "| k | spare |\n|---|---|\n| x | 1 |", (Column("k", "text", key=True), Column("Battery", "int")), [["x", 1]]
    )
    assert result.notes == ("column 'Battery' is not in the header: k | spare", "columns nobody asked for: 'spare'")


def test_what_is_said_of_a_wide_header_is_short():
    header = [chr(97 + i) * 13 for i in range(13)]
    result = score(markdown(header, [["1"] * 13]), (Column("Phone", "text"),), [["x"]])
    assert result.notes == (
        "column 'Phone' is not in the header: " + " | ".join(header[:12])[:160],
        "columns nobody asked for: " + ", ".join(map(repr, header[:12]))[:160],
    )
    short = [name[0] for name in header]
    result = score(markdown(short, [["1"] * 13]), (Column("Phone", "text"),), [["x"]])
    assert result.notes == (
        "column 'Phone' is not in the header: a | b | c | d | e | f | g | h | i | j | k | l",
        "columns nobody asked for: 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'",
    )


def test_a_column_nobody_asked_for_is_said_though_all_are_found():
    columns = (Column("k", "text", key=True), Column("Battery", "int"))
    result = score("| k | Battery | spare |\n|---|---|---|\n| x | 1 | 2 |", columns, [["x", 1]])
    assert (result.success, result.notes) == (True, ("columns nobody asked for: 'spare'",))


def test_of_no_table_nothing_more_is_said():
    assert score("I give up.", PHONES, GOLD).notes == ("there is no table",)


def test_without_its_key_column_no_row_is_claimed():
    columns = (Column("a", "text", key=True), Column("b", "text", key=True), Column("c", "int"))
    result = score("| a | c |\n|---|---|\n| x | 1 |", columns, [["x", "y", 1]])
    assert (result.item.f1, result.extra) == (0.0, (0,))


# ---- keys


COMPOSITE = (Column("Phone", "text", key=True), Column("Quarter", "date", key=True), Column("Units", "int"))


def test_composite_keys_match_as_a_whole():
    gold = [["A", "2029-03-31", 1], ["A", "2029-06-30", 2], ["B", "2029-03-31", 3]]
    rows = [["b", "31 March 2029", "3"], ["A", "30 June 2029", "2"], ["a", "2029-03-31", "1"]]
    result = score(markdown(COMPOSITE, rows), COMPOSITE, gold)
    assert result.success
    assert result.matched == ((2, 0), (1, 1), (0, 2))
    half = score(markdown(COMPOSITE, [["A", "", "1"], ["C", "2029-03-31", "3"]]), COMPOSITE, gold)
    assert half.matched == ()


@pytest.mark.parametrize(
    ("kind", "values", "cells"),
    [
        ("int", [10, 20], ["20", "10"]),
        ("int", [1000, 20], ["20.0", "1 thousand"]),
        ("int", [0, 20], ["20", "0"]),
        ("year", [2028, 2029], ["2029", "2028"]),
        ("date", ["2028-01-01", "2029-01-01"], ["1 Jan 2029", "1 Jan 2028"]),
        ("bool", [True, False], ["no", "yes"]),
        ("url", ["https://a.example", "https://b.example"], ["b.example", "www.a.example"]),
        ("list", [["a", "b"], ["c"]], ["c", "b, a"]),
        ("text", ["x", None], ["N/A", "X"]),
        ("date", ["2028-01-01", "Spring term"], ["spring term", "2028-01-01"]),
    ],
)
def test_any_kind_may_be_a_key(kind, values, cells):
    columns = (Column("k", kind, key=True), Column("v", "int"))
    rows = [[cells[0], "2"], [cells[1], "1"], ["zzz", "3"]]
    result = score(markdown(columns, rows), columns, [[values[0], 1], [values[1], 2]])
    assert result.matched == ((1, 0), (0, 1))
    assert result.extra == (2,)


def near(*values):
    columns = (Column("k", "num", key=True, tolerance=0.05, decimals=1), Column("v", "int"))
    return columns, [list(v) for v in values]


def test_near_equal_keys_are_matched_so_that_most_is_right():
    columns, gold = near((100.0, 1), (104.0, 2), (108.0, 3))
    result = score(markdown(columns, [["102.0", "1"], ["104.0", "2"], ["106.0", "3"]]), columns, gold)
    assert result.success
    swapped = score(markdown(columns, [["102.0", "2"], ["104.0", "1"], ["106.0", "3"]]), columns, gold)
    assert swapped.row.f1 == 1.0
    one = score(markdown(columns, [["102.0", "9"]]), columns, gold)
    assert (len(one.matched), one.item.f1) == (1, 0.25)


def test_rows_that_contradict_each_other_hurt_each_other_beside_near_keys_too():
    columns, gold = near((100.0, 1), (104.0, 2), (200.0, 3))
    rows = [["102.0", "1"], ["104.0", "2"], ["200", "3"], ["201", "4"]]
    result = score(markdown(columns, rows), columns, gold)
    assert (result.row.recall, result.duplicate) == (pytest.approx(2 / 3), (3,))


def test_a_claimant_is_given_nothing_it_does_not_claim():
    columns, gold = near((100.0, 1), (104.0, 2), (108.0, 3))
    result = score(markdown(columns, [["104.0", "2"], ["97", "1"], ["96", "1"]]), columns, gold)
    assert (len(result.matched), len(result.extra), result.row.recall) == (2, 1, pytest.approx(2 / 3))
    assert {j for _, j in result.matched} == {0, 1}


def test_rows_with_cells_nobody_can_read_are_still_different_rows():
    columns = (Column("a", "text"), Column("b", "int"))
    result = score(markdown(columns, [["x", "foo"], ["x", "bar"]]), columns, [["x", 1], ["x", 2]])
    assert result.item.recall == 0.5
    same = score(markdown(columns, [["x", "foo"], ["X", "Foo!"]]), columns, [["x", 1], ["x", 2]])
    assert same.item.recall == 0.25
    ranges = score(markdown(columns, [["x", "1-2"], ["x", "1-3"]]), columns, [["x", 1], ["x", 2]])
    assert ranges.item.recall == 0.5


def test_among_equal_assignments_the_one_with_whole_rows_is_taken():
    columns = (Column("a", "text"), Column("b", "int"))
    for order in (1, -1):
        result = score(markdown(columns, [["x", "1"], ["z", "1"]][::order]), columns, [["x", 1], ["x", 2]])
        assert (result.item.recall, result.row.recall) == (0.5, 0.5)


def test_near_equal_keys_written_twice_claim_once():
    columns, gold = near((100.0, 7), (102.0, 7))
    once = score(markdown(columns, [["101.0", "7"]]), columns, gold)
    twice = score(markdown(columns, [["101.0", "7"], ["101", "7.0"], ["**101.0**", "7"]]), columns, gold)
    assert once.row == Rates(1.0, 0.5, 2 / 3)
    assert twice.row == Rates(1 / 3, 0.5, 0.4)
    rivals = score(markdown(columns, [["101.0", "7"], ["101.5", "7"], ["100.5", "7"]]), columns, gold)
    assert (rivals.row, len(rivals.extra)) == (Rates(2 / 3, 1.0, 0.8), 1)


def test_a_table_without_keys_is_matched_by_best_assignment():
    columns = (Column("a", "text"), Column("b", "int"))
    gold = [["x", 1], ["y", 2], ["z", 3]]
    result = score(markdown(columns, [["z", "1"], ["y", "2"], ["x", "3"]]), columns, gold)
    assert (result.item.recall, result.row.recall) == (pytest.approx(4 / 6), pytest.approx(1 / 3))
    crossed = score(markdown(columns, [["x", "2"], ["q", "2"], ["x", "1"]]), columns, gold)
    assert crossed.item.recall == 0.5
    repeated = score(markdown(columns, [["x", "1"], ["X", "1.0"], ["**x**", "1"]]), columns, gold)
    assert (repeated.item.recall, len(repeated.extra)) == (pytest.approx(1 / 3), 0)


def test_two_answers_to_one_question_are_no_better_than_the_worse():
    columns = (Column("Answer", "text"),)
    for rows, f1 in ([["Neo 5"]], 1.0), ([["Neo 5"], ["Neo 6"]], 0.0), ([["Neo 5"], ["neo-5"]], 2 / 3), ([["no"]], 0.0):
        assert score(markdown(columns, rows), columns, [["Neo 5"]]).item.f1 == pytest.approx(f1)


def test_without_columns_outside_the_key_rows_stand_for_them():
    columns = (Column("a", "text", key=True),)
    result = score(markdown(columns, [["x"], ["q"]]), columns, [["x"], ["y"]])
    assert result.nonkey == result.row == result.earned == result.earned_rows == Rates(0.5, 0.5, 0.5)


# ---- what earns


def test_free_cells_and_nulls_earn_only_beside_another_right_cell():
    columns = (
        Column("k", "text", key=True),
        Column("city", "text", free=True),
        Column("n", "int"),
        Column("end", "date", none="open"),
    )
    gold = [["a", "Rome", 1, None], ["b", "Rome", 2, "2029-01-01"], ["c", "Rome", 3, None]]
    bare = score(markdown(columns, [[k, "Rome", "?", "open"] for k in "abc"]), columns, gold)
    assert bare.nonkey.recall == pytest.approx(5 / 9)
    assert (bare.earned, bare.earned_rows) == (Rates(0, 0, 0), Rates(0, 0, 0))
    one = score(markdown(columns, [["a", "Rome", "1", "open"], ["b", "Rome", "?", "open"]]), columns, gold)
    assert one.earned == Rates(3 / 6, 3 / 9, pytest.approx(0.4))
    assert one.earned_rows == Rates(1 / 2, 1 / 3, pytest.approx(0.4))
    other = score(markdown(columns, [["b", "Paris", "?", "1 Jan 2029"]]), columns, gold)
    assert other.earned == Rates(1 / 3, 1 / 9, pytest.approx(1 / 6))


def test_rows_in_which_nothing_could_earn_count_neither_way():
    columns = (Column("k", "text", key=True), Column("end", "date"))
    gold = [["a", None], ["b", "2029-01-01"]]
    result = score(markdown(columns, [["a", "-"]]), columns, gold)
    assert (result.earned, result.row.recall) == (Rates(0, 0, 0), 0.5)
    both = score(markdown(columns, gold), columns, gold)
    assert (both.earned, both.earned_rows) == (Rates(1, 1, 1), Rates(1, 1, 1))
    twice = score(markdown(columns, [*gold, ["A", "-"]]), columns, gold)
    assert twice.earned == Rates(1 / 2, 1, pytest.approx(2 / 3))


# ---- references, batches


@pytest.mark.parametrize(
    ("columns", "gold", "says"),
    [
        ((), [], "has no columns"),
        ((Column("A b", "int"), Column("a-B", "int")), [], "two columns an answer can't tell apart: 'A b' and 'a-B'"),
        ((Column("a", "int"),), [[1, 2]], "Gold row 0 has 2 values for 1 columns"),
        ((Column("a", "num"),), [[1.0], [float("nan")]], "Gold row 1 holds nan in 'a'; null is None"),
        ((Column("a", "num"),), [[float("inf")]], "holds inf"),
        ((Column("a", "text", key=True),), [["Café"], ["x"], ["CAFE"]], "Gold rows 0 and 2 have one key"),
        ((Column("a", "int", key=True),), [[1], ["1"]], "Gold rows 0 and 1 have one key"),
        ((Column("a", "int"), Column("b", "int")), [[1, 2], [1, 3], [1, 2]], "Gold rows 0 and 2 have one key"),
        ((Column("a", "text", key=True),), [[""]], "The key of gold row 0 \\(\\) can't be read back"),
    ],
)
def test_a_reference_that_cant_be_scored_is_refused(columns, gold, says):
    with pytest.raises(ScoreError, match=says):
        score("", columns, gold)


def test_keys_within_a_tolerance_of_each_other_are_allowed():
    columns, gold = near((100.0, 1), (104.0, 2))
    assert score(markdown(columns, gold), columns, gold).success


def test_a_batch_keeps_order_and_goes_on_after_what_cant_be_scored():
    pairs = [(markdown(PHONES, GOLD), REFERENCE), (b"bytes", REFERENCE), ("", REFERENCE), (None, REFERENCE)]
    for jobs in (1, 2):
        perfect, failed, empty, other = score_many(pairs, jobs)
        assert perfect == score_table(pairs[0][0], REFERENCE)
        assert failed == Failure(1, "An answer is a string, not bytes: b'bytes'.")
        assert empty.item.f1 == 0.0
        assert other == Failure(3, "An answer is a string, not NoneType: None.")


def test_a_bug_is_an_exception_and_never_a_0():
    with pytest.raises(AttributeError):
        score_many([("", None)])


@pytest.mark.slow
def test_a_hundred_thousand_rows_are_scored_in_bounded_time():
    chance = random.Random(7)
    rows = [[f"k{i}", str(i), "2029-01-01", "Yes", "1.0", "-"] for i in range(50_000)]
    rows += [["Neo 5", str(chance.randrange(9999)), "2029-03-14", "Yes", "12.5", "-"] for _ in range(50_000)]
    result = of(rows)
    assert len(result.extra) == 50_000
    assert len(result.duplicate) == 49_999
    assert result.item.recall == pytest.approx(5 / 24)


def test_a_reference_remembers_only_so_many_cells_and_none_that_are_long():
    columns = (Column("k", "text", key=True), Column("v", "int"))
    reference = Reference(columns, (("a", 1),))
    keys = ["x" * 200, "x" * 201, *(f"k{i}" for i in range(4200))]
    score_table(markdown(columns, [[key, "1"] for key in keys]), reference)
    assert len(reference.index[0].cache) == 4096
    assert [key in reference.index[0].cache for key in keys[:2]] == [True, False]


def test_rivals_for_near_keys_and_keyless_rows_are_bounded():
    columns, gold = near(*((100.0 + i, i) for i in range(8)))
    result = score(markdown(columns, [[f"{100 + i / 1000:.3f}", "1"] for i in range(5_000)]), columns, gold)
    assert result.item.recall <= 1
    keyless = (Column("a", "int"), Column("b", "int"))
    result = score(markdown(keyless, [[str(i), "1"] for i in range(5_000)]), keyless, [[i, 1] for i in range(8)])
    assert 0 < result.item.recall <= 1


@given(st.text(max_size=300))
def test_no_text_breaks_the_scorer(text):
    result = score_table(text, REFERENCE)
    assume(not result.has_table)
    assert f1s(result) == [0.0] * 5


# ---- known properties


@pytest.mark.parametrize(("candidates", "f1"), [(1, 1), (2, 2 / 3), (3, 1 / 2)])
def test_listing_every_candidate_of_a_key_earns_what_its_precision_leaves(candidates, f1):
    fakes = [(f"Zomborik {n}", *row[1:]) for n in range(candidates - 1) for row in GOLD]
    result = score(markdown(PHONES, [*GOLD, *fakes]), PHONES, GOLD)
    for rates in (result.item, result.row, result.nonkey, result.earned):
        assert rates == (pytest.approx(1 / candidates), 1, pytest.approx(f1))
    half = score(
        markdown(PHONES, [*GOLD[:2], *((f"Zomborik {n}", *row[1:]) for n, row in enumerate(GOLD[2:]))]), PHONES, GOLD
    )
    assert half.item.f1 == 0.5  # a choice, right for every second row


def test_unsure_rows_are_better_left_out_than_listed_blank_save_for_their_keys():
    blank = [(row[0], "", "", "", "", "") for row in GOLD[2:]]
    left_out = score(markdown(PHONES, GOLD[:2]), PHONES, GOLD)
    listed = score(markdown(PHONES, [*GOLD[:2], *blank]), PHONES, GOLD)
    assert left_out.nonkey == left_out.item == (1, 0.5, pytest.approx(2 / 3))
    assert listed.nonkey == listed.row == (0.5, 0.5, 0.5)
    assert listed.item.f1 == pytest.approx((2 * 6 + 2) / 24)
    many = score(
        markdown(PHONES, [*GOLD[:2], *blank, *((f"Zed {n}", "", "", "", "", "") for n in range(50))]), PHONES, GOLD
    )
    assert many.nonkey.precision == pytest.approx(2 / 54)  # a list of every key there may be


@pytest.mark.parametrize("last", ["| Karo\\|2 | 61", "| Karo\\|2 | 6120 | 2029-06-07 | Yes | 20.1", "| Zomborik"])
def test_a_last_row_that_is_cut_off_is_as_if_it_was_not_there(last):
    whole = markdown(PHONES, GOLD[:3], fence=False)
    cut, without = (score(text, PHONES, GOLD) for text in (f"{whole}\n{last}", whole))
    assert (cut.item, cut.row, cut.nonkey, cut.earned) == (without.item, without.row, without.nonkey, without.earned)
    assert (len(cut.rows), cut.missing, cut.cut, without.cut) == (3, (3,), True, False)
    counts = {"turns": 3, "search_calls": 1, "extract_calls": 1}
    assert reward(cut, **counts).total == pytest.approx(reward(without, **counts).total - 0.1)


def test_an_assignment_is_as_good_as_the_best_of_all():
    chance = random.Random(5)
    for _ in range(200):
        rows, width = chance.randrange(1, 6), chance.randrange(1, 6)
        weights = [[chance.randrange(7) for _ in range(width)] for _ in range(rows)]
        given = assign(weights)
        taken = [j for j in given if j >= 0]
        padded = [row + [0] * (rows - width) for row in weights]
        worth = [
            sum(row[j] for row, j in zip(padded, choice, strict=True))
            for choice in itertools.permutations(range(max(rows, width)), rows)
        ]
        assert sum(row[j] for row, j in zip(weights, given, strict=True) if j >= 0) == max(worth)
        assert len(taken) == len(set(taken))
        assert all(row[j] > 0 for row, j in zip(weights, given, strict=True) if j >= 0)


def test_a_key_in_a_unit_that_is_not_the_columns_names_no_row():
    columns = (Column("Weight (g)", "int", unit="g", key=True), Column("Phone", "text"))
    gold = [(163, "a"), (164, "b")]
    result = score(markdown(columns, [["0.163 kg", "a"], ["164 h", "b"]]), columns, gold)
    assert (result.matched, result.extra) == (((0, 0),), (1,))


def test_a_key_that_only_rounding_keeps_from_its_value_names_its_row():
    columns = (Column("Length (ft)", "int", unit="ft", key=True), Column("Phone", "text"))
    assert score(markdown(columns, [["1 yd", "a"], ["12 in", "b"]]), columns, [(3, "a"), (1, "b")]).success


def test_a_reference_shows_what_it_was_made_of():
    shown = repr(Reference(PHONES, GOLD))
    assert shown.startswith("Reference(columns=(Column(name='Phone'")
    assert not any(f"{name}=" in shown for name in ("names", "keys", "others", "shown", "earning", "index"))


def test_a_batch_is_scored_in_this_process_unless_told_otherwise(monkeypatch):
    def refuse(jobs):
        raise AssertionError(f"{jobs} processes")

    monkeypatch.setattr(importlib.import_module("worldsmith.scoring.score"), "ProcessPoolExecutor", refuse)
    assert [s.success for s in score_many([(markdown(PHONES, GOLD), REFERENCE)])] == [True]
    with pytest.raises(AssertionError, match="2 processes"):
        score_many([(markdown(PHONES, GOLD), REFERENCE)], jobs=2)


@pytest.mark.parametrize(
    ("tolerance", "written", "good"), [(0.5, 60, True), (0.5, 49, False), (1.0, 1, True), (1.0, 201, False)]
)
def test_a_key_within_its_tolerance_names_its_row(tolerance, written, good):
    columns = (Column("Weight (g)", "int", unit="g", tolerance=tolerance, key=True), Column("Phone", "text"))
    assert score(markdown(columns, [[str(written), "a"]]), columns, [(100, "a")]).success is good
