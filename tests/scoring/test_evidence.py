"""What earns by evidence: cells that were disclosed, never more than without, and nothing from memory."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldsmith.scoring import Column, Evidence, ScoreError, reward, score, with_evidence
from worldsmith.scoring.evidence import is_met, statement_hash, statement_hashes, statements

COLUMNS = (Column("Shop", "text", key=True), Column("Floor", "int"), Column("Keeper", "text"))
GOLD = (("Ash", 40, "Ann"), ("Birch", 55, "Bob"), ("Cedar", 61, None))


def evidence(fixed=()):
    cells = tuple(
        tuple(() if c in fixed else (((f"{r}{c}",),),) for c in range(len(COLUMNS))) for r in range(len(GOLD))
    )
    return Evidence(cells)


def table(rows):
    lines = "\n".join(f"| {' | '.join('-' if v is None else str(v) for v in row)} |" for row in rows)
    return f"| Shop | Floor | Keeper |\n| --- | --- | --- |\n{lines}"


ALL = {f"{r}{c}" for r in range(3) for c in range(3)}


def test_all_that_was_disclosed_earns_as_without_evidence():
    for rows in (GOLD, GOLD[:2], (*GOLD, ("Elm", 1, "Eve")), (("Ash", 41, "Ann"),), (GOLD[0], GOLD[0]), ()):
        plain = score(table(rows), COLUMNS, GOLD)
        assert with_evidence(plain, evidence(), ALL) == plain


def test_gold_of_which_nothing_was_disclosed_earns_nothing():
    bare = with_evidence(score(table(GOLD), COLUMNS, GOLD), evidence(), ())
    assert (bare.earned.f1, bare.earned_rows.f1, bare.success) == (0.0, 0.0, False)
    assert (bare.item.f1, bare.row.f1, bare.nonkey.f1) == (1.0, 1.0, 1.0)
    assert reward(bare, turns=3, search_calls=1, extract_calls=1).total == 0.0


def test_each_cell_needs_its_own_evidence():
    whole = score(table(GOLD), COLUMNS, GOLD)
    without = with_evidence(whole, evidence(), ALL - {"01"})
    assert (without.earned.f1, without.earned_rows.f1, without.success) == (5 / 6, 2 / 3, False)
    # The key's evidence is no evidence of the row.
    assert with_evidence(whole, evidence(), {"00", "10", "20"}).earned.f1 == 0.0
    assert with_evidence(whole, evidence(), {"01"}).earned.f1 == 1 / 6


def test_what_the_question_fixes_needs_nothing_and_makes_no_row_earn():
    whole = score(table(GOLD), COLUMNS, GOLD)
    assert with_evidence(whole, evidence(fixed=(2,)), ()).earned.f1 == 0.0
    assert with_evidence(whole, evidence(fixed=(2,)), {"01"}).earned.f1 == 2 / 6


def test_a_table_of_nulls_needs_evidence_of_them():
    gold = (("Ash", None, None), ("Birch", None, None))
    cells = tuple(((), (((f"{r}1",),),), (((f"{r}2",),),)) for r in range(2))
    plain = score(table(gold), COLUMNS, gold)
    assert plain.earned.f1 == 1.0
    assert with_evidence(plain, Evidence(cells), ()).earned.f1 == 0.0
    assert with_evidence(plain, Evidence(cells), {"01", "02", "11", "12"}) == plain


def test_an_empty_table_needs_what_shows_that_there_is_no_row():
    none = score(table(()), COLUMNS, ())
    needed = Evidence((), empty=((("a", "b"), ("c",)), (("d",),)))
    for known, earned in (((), 0.0), ({"a", "d"}, 0.0), ({"c"}, 0.0), ({"a", "b", "d"}, 1.0), ({"c", "d"}, 1.0)):
        supported = with_evidence(none, needed, known)
        assert (supported.earned.f1, float(supported.success)) == (earned, earned)


def test_evidence_of_another_table_is_refused():
    with pytest.raises(ScoreError, match="has 3 rows, the reference 2"):
        with_evidence(score(table(GOLD), COLUMNS, GOLD[:2]), evidence(), ALL)
    with pytest.raises(ScoreError, match="Evidence has"):
        Evidence.from_json({"cells": 3})
    made = Evidence(((((("a",), ("b", "c")),),),), ((("d",),),), {"a": ("x", "y")})
    assert Evidence.from_json(made.to_json()) == made


needs = st.lists(st.lists(st.lists(st.sampled_from("abcd"), max_size=2), max_size=2), max_size=3)


@given(needs, st.sets(st.sampled_from("abcd")), st.sets(st.sampled_from("abcd")))
def test_more_disclosed_never_meets_less(need, known, more):
    assert is_met(need, known | more) or not is_met(need, known)
    assert is_met((), known)


@settings(max_examples=60)
@given(st.sets(st.sampled_from(sorted(ALL))), st.lists(st.sampled_from(GOLD), max_size=5))
def test_evidence_never_adds(known, rows):
    plain = score(table(rows), COLUMNS, GOLD)
    supported = with_evidence(plain, evidence(), known)
    assert supported.earned.f1 <= plain.earned.f1
    assert supported.earned_rows.f1 <= plain.earned_rows.f1
    assert supported.success <= plain.success
    assert supported.item == plain.item


PAGE = """# Ash House

Ash House is a shop. It has 40 lamps (of 3 kinds). Ann keeps it.

- **Floor**: 40 m2

| Year | Score |
| --- | --- |
| 2024 | 81 |
"""


def test_statements_are_sentences_lines_and_rows_under_their_title():
    told = [(title, PAGE[start:end].strip()) for title, start, end in statements(PAGE)]
    assert told == [
        ("Ash House", "# Ash House"),
        ("Ash House", "Ash House is a shop."),
        ("Ash House", "It has 40 lamps (of 3 kinds)."),
        ("Ash House", "Ann keeps it."),
        ("Ash House", "- **Floor**: 40 m2"),
        ("Ash House", "| Year | Score |"),
        ("Ash House", "| --- | --- |"),
        ("Ash House", "| 2024 | 81 |"),
    ]


def test_a_statement_counts_under_its_own_title_alone_and_over_the_parts_of_a_page():
    ours = set(statement_hashes([PAGE]))
    cut = PAGE.index("- **Floor")
    assert set(statement_hashes([PAGE[:cut], PAGE[cut:]])) == ours
    other = set(statement_hashes([PAGE.replace("Ash House", "Birch House")]))
    assert not ours & other
    assert statement_hash("Ash  House", " Ann keeps it. ") in ours
    known = Evidence((), statements={"floor": (statement_hash("Ash House", "- **Floor**: 40 m2"),), "score": ("?",)})
    assert known.disclosed_by([PAGE]) == {"floor"}
    assert known.disclosed_by(["# Birch House\n\n- **Floor**: 40 m2"]) == frozenset()
    assert known.disclosed_by(["I remember that Ash House has a floor of 40 m2."]) == frozenset()
