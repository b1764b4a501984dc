"""The filter of real names: it forgets none, and says so of few others."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldsmith.errors import FormatError
from worldsmith.naming import is_real_name
from worldsmith.naming.build import SOURCES, filter_keys, nested_strings
from worldsmith.naming.deny import DenyFilter, deny_filter, filter_file
from worldsmith.naming.fold import fold_name
from worldsmith.seeding import rng

REAL = [line.split("\t") for line in Path(__file__).with_name("test_naming_real.txt").read_text("utf-8").splitlines()]


def test_real_names_of_every_source_are_denied():
    assert {source for source, _ in REAL} == {"common", *SOURCES}
    assert len(REAL) > 350
    assert [name for _, name in REAL if not is_real_name(name)] == []


def test_case_accents_and_signs_hide_nothing():
    assert all(
        map(
            is_real_name,
            ["PARIS", "pärís", "new-york", "New  York", "Sao Paulo", "SÃO-PAULO", "O’Brien", "obrien", "straße"],
        )
    )


def test_about_one_in_a_hundred_other_words_is_denied():
    chance = rng("false positives")
    words = ["".join(chance.choices("bcdfghjklmnpqrstvwxz", k=12)) for _ in range(20_000)]
    assert 0.003 < sum(map(is_real_name, words)) / len(words) < 0.015


@settings(max_examples=60)
@given(st.sets(st.text(min_size=1), max_size=60))
def test_a_filter_holds_all_it_was_given(names):
    held = DenyFilter(filter_file(sorted(names)))
    assert held.keys == len(names)
    assert all(name in held for name in names)


def test_a_filter_does_not_know_the_order_of_its_keys():
    assert filter_file(["a", "b", "c"]) == filter_file(["c", "a", "b"])


def test_an_empty_filter_denies_nothing():
    assert "paris" not in DenyFilter(filter_file([]))


def test_a_file_of_ours_is_a_few_megabytes_and_another_is_refused():
    assert 2_000_000 < deny_filter().keys < 2_400_000
    assert deny_filter().total // 8 < 3_000_000
    for data in (b"", b"nonsense that is long enough to hold a header", filter_file(["x"])[:20]):
        with pytest.raises(FormatError, match=r"python -m worldsmith\.naming\.build"):
            DenyFilter(data)


def test_words_of_a_longer_name_are_keys_of_their_own():
    assert set(filter_keys("Orvé Systems, S.A.")) == {"orve systems s a", "orve", "systems"}
    assert list(filter_keys("30 - 12")) == []


def test_leaves_are_found_at_any_depth():
    assert sorted(nested_strings({"a": ["b", ("c", {"d": 1.5})], "e": None})) == ["a", "b", "c", "d", "e"]


@given(st.text())
def test_folding_twice_is_folding_once(text):
    assert fold_name(fold_name(text)) == fold_name(text)


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Saint-Étienne", "saint etienne"),
        ("L'Aquila", "laquila"),
        ("Łódź", "lodz"),
        ("KV-7314", "kv 7314"),
        ("ＡＢＣ", "abc"),
        ("Straße", "strasse"),
    ],
)
def test_fold(name, folded):
    assert fold_name(name) == folded
