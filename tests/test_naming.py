"""Names: what every list of them keeps to, and a few frozen ones."""

import re
import subprocess
import sys
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from worldsmith.errors import NotFoundError, UsageError
from worldsmith.naming import KINDS, Namer, is_real_name, own_kind
from worldsmith.naming.cultures import CULTURES, ROLES, sounds
from worldsmith.naming.fold import fold_name
from worldsmith.naming.grammar import AVAILABLE, cultures_of_seed
from worldsmith.naming.twins import Twins

ASKED = {"person", "place", "firm", "product", "chip", "press", "work", "team", "street", "school", "event", "code"}
ASKED |= {"ship", "dish"}
ORDINARY = {w for kind in KINDS.values() for form in kind.forms for text, _ in form for w in fold_name(text).split()}
PLAIN = re.compile(r"[A-Z][A-Za-z]*([ -][A-Za-z1-9][A-Za-z0-9]*)*")
NO_VALUE = {"na", "nan", "none", "null", "nil", "nat", "inf", "true", "false", "yes", "no", "tbd"}

kinds = st.sampled_from(sorted(KINDS))
seeds = st.integers(0, 2**64)


def names(kind: str, n: int, seed: int, *path: str, culture: str | None = None, taken=()) -> list[str]:
    """A first list of names, of one culture alone if one is named."""
    namer = Namer(seed, taken)
    namer.cultures = (culture,) if culture else namer.cultures
    return namer.names(kind, n, *path)


def bearing(kind: str, name: str) -> list[str]:
    """The invented words of a name: all but ordinary words and models."""
    if kind == "code":
        return []
    return [w for w in fold_name(name).split() if w not in ORDINARY and not any(map(str.isdigit, w))]


def twins(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one) or Levenshtein.distance(one, other) <= 2


def test_every_kind_asked_for_is_there():
    assert set(KINDS) >= ASKED
    assert all(kind.about and kind.forms for kind in KINDS.values())


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("person", ["Zdevdiva Vlisvula", "Jollatervo Mekkehastu", "Virvora Randescal"]),
        ("place", ["Orelurvero", "Dugosk", "Tusbuce"]),
        ("firm", ["Ekhoja Works", "Driseskask Materials", "Tinbescal Trading"]),
        ("product", ["Vesbonda", "Gezdar Mini", "Niinvukse Mini"]),
        ("chip", ["Trirvimavo D4", "Jelruli F5", "Brozbar H2"]),
        ("work", ["The Valvitza Garden", "The Vlezgez Voyage", "The Ronduno Lantern"]),
        ("code", ["RT-8415", "VZ-9399", "WK-5992"]),
    ],
)
def test_names_are_frozen(kind, expected):
    assert names(kind, 3, 42, "golden") == expected


def test_seeds_and_paths_and_cultures_give_other_names():
    one = set(names("place", 50, 1, "a"))
    for other in (names("place", 50, 2, "a"), names("place", 50, 1, "b"), names("place", 50, 1, "a", culture="lumaya")):
        assert len(one & set(other)) <= 1


def test_a_seed_speaks_three_cultures_and_all_are_spoken():
    spoken = [cultures_of_seed(seed) for seed in range(200)]
    assert all(len(set(three)) == 3 for three in spoken)
    assert {culture for three in spoken for culture in three} == set(CULTURES)


@settings(max_examples=40, deadline=None)
@given(kinds, seeds, st.integers(0, 60), st.sampled_from([None, *CULTURES]))
@example("person", 2817, 17, "eskali")  # was "Korlea Korleas"
def test_laws_of_a_list(kind, seed, n, culture):
    found = names(kind, n, seed, "t", "c", culture=culture)
    folded = [fold_name(name) for name in found]
    assert len(found) == len(set(folded)) == n
    assert not any(twins(one, other) for one, other in combinations(folded, 2))
    for name in found:
        assert PLAIN.fullmatch(name)
        assert all(
            word[0].isupper() or word in {"of", "in", "and", "the", "to", "from"}
            for word in re.split("[ -]", name)
            if word[0].isalpha()
        )
        assert not NO_VALUE & set(fold_name(name).split())
        assert not is_real_name(name)
        words = bearing(kind, name)
        assert kind == "code" or words
        assert all(len(word) >= 4 and not is_real_name(word) for word in words)
    every = [word for name in found for word in bearing(kind, name)]
    assert all(Levenshtein.distance(one, other) > 1 for one, other in combinations(every, 2))


@settings(max_examples=25, deadline=None)
@given(kinds, seeds, st.integers(0, 30), st.integers(0, 30))
def test_the_first_names_do_not_depend_on_how_many(kind, seed, n, more):
    assert names(kind, n + more, seed)[:n] == names(kind, n, seed)


@settings(max_examples=25, deadline=None)
@given(kinds, kinds, seeds)
def test_names_keep_clear_of_those_taken(kind, other, seed):
    taken = names(kind, 30, seed, "a")
    found = names(other, 30, seed, "a", taken=taken)
    assert not any(twins(fold_name(one), fold_name(two)) for one in taken for two in found)
    assert (
        found == names(other, 30, seed, "a", taken=frozenset(taken)) == names(other, 30, seed, "a", taken=taken[::-1])
    )


def test_what_a_list_gave_is_refused_when_taken_in_another_dress():
    first = names("place", 5, 7)
    again = names("place", 5, 7, taken=[name.upper().replace("A", "Á") for name in first])
    assert not {fold_name(name) for name in first} & {fold_name(name) for name in again}


def test_a_namer_gives_what_names_gives_beside_the_taken():
    namer = Namer(3)
    people = namer.names("person", 40, "people", "name")
    firms = namer.names("firm", 40, "firms", "name")
    assert people == names("person", 40, 3, "people", "name")
    assert not any(twins(fold_name(one), fold_name(two)) for one in people for two in firms)
    assert len(set(people + namer.names("person", 40, "people", "name"))) == 80


def test_a_person_has_a_given_and_a_family_name_of_one_culture():
    for culture in CULTURES:
        unfolded = sounds(culture)
        for name in names("person", 20, 5, culture=culture):
            for word, role in zip(name.lower().split(), ("given", "family"), strict=True):
                assert word.endswith(tuple({*unfolded.after_vowel[role], *unfolded.after_consonant[role]}))


def test_codes_never_look_like_a_year():
    assert all(re.fullmatch(r"[B-Z]{2}-[3-9]\d{3}", code) for code in names("code", 200, 1))


@pytest.mark.parametrize("culture", CULTURES)
def test_as_many_as_promised_are_there(culture):
    assert len(set(names("place", AVAILABLE, 11, culture=culture))) == AVAILABLE


def test_too_many_is_said_before_drawing():
    with pytest.raises(UsageError, match=rf"{AVAILABLE + 1} names of kind 'chip' asked, {AVAILABLE} available"):
        names("chip", AVAILABLE + 1, 1)
    with pytest.raises(UsageError, match="-1 names of kind 'chip' asked"):
        names("chip", -1, 1)


def test_an_unknown_kind_gets_a_close_match():
    with pytest.raises(NotFoundError, match="Did you mean 'person'"):
        names("persson", 1, 1)


def test_worlds_rarely_share_a_name():
    worlds = [set(names("product", 120, seed, "phone", "name")) for seed in range(60)]
    assert sum(map(len, worlds)) == 7200
    assert 7200 - len(set().union(*worlds)) <= 20


def test_cultures_are_invented_themselves_and_spelled_as_said():
    assert len(CULTURES) == 12
    assert not [culture for culture in CULTURES if is_real_name(culture)]
    for culture in CULTURES:
        unfolded = sounds(culture)
        pieces = [
            *unfolded.open,
            *unfolded.closed,
            *unfolded.middles,
            *(e for r in ROLES for e in unfolded.after_vowel[r]),
        ]
        assert all(re.fullmatch("[a-z]+", piece) for piece in pieces)


def test_names_do_not_depend_on_the_hash_seed():
    program = (
        "from worldsmith.naming import Namer; print(Namer(9, set(Namer(9).names('place', 60))).names('work', 40, 'x'))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": h}, capture_output=True, check=True
        ).stdout
        for h in ("0", "1", "77")
    }
    assert len(said) == 1


def edits(name: str) -> set[str]:
    """All that one edit makes of a name, with a letter it lacks."""
    gone = {name[:at] + name[at + 1 :] for at in range(len(name))}
    put = {name[:at] + "x" + name[at:] for at in range(len(name) + 1)}
    return gone | put | {name[:at] + "x" + name[at + 1 :] for at in range(len(name))}


@pytest.mark.parametrize("size", range(4, 14))
def test_the_index_finds_every_twin_two_edits_away(size):
    name = "abcdefghijklm"[:size]
    index = Twins([name])
    assert all(index.near(twin) for once in edits(name) for twin in edits(once))


near_alike = st.text(st.sampled_from("ab "), min_size=2, max_size=12)


@settings(max_examples=400, deadline=None)
@given(st.lists(near_alike, max_size=6), near_alike)
def test_the_index_misses_no_twin_and_invents_none(known, name):
    assert Twins(known).near(name) == any(twins(name, other) for other in known)


@given(st.text(st.sampled_from("abc"), min_size=1, max_size=8), st.text(st.sampled_from("abc"), min_size=1, max_size=8))
def test_words_one_edit_apart_are_refused(one, other):
    index = Twins()
    assert index.take("first name of all", [one])
    if Levenshtein.distance(one, other) <= 1:
        assert not index.take("a thing unlike it", [other])
    elif Levenshtein.distance(one, other) > 2:
        assert index.take("a thing unlike it", [other])


STEMS = {"stem": [["Bor", "Vel", "Tra", "Zan"], ["a", "so", "ti", "ne"], ["tinib", "zumab", "prazole", "dipine"]]}
OWN = {
    "hospital": own_kind("", ["{family} {house}", "St {given}'s {house}"], {"house": ["Infirmary", "Hospital"]}, {}),
    "drug": own_kind("", ["{stem}", "{thing}mab", "{stem} {dose}"], {"dose": ["10", "40", "250"]}, STEMS),
}


def test_a_kind_of_a_schema_s_own_gives_names_of_its_forms():
    namer = Namer(5, kinds={**KINDS, **OWN})
    hospitals, drugs = namer.names("hospital", 40), namer.names("drug", 40)
    assert all(re.fullmatch(r"(St [A-Z][a-z]+'s|[A-Z][a-z]+) (Infirmary|Hospital)", name) for name in hospitals)
    assert all(re.fullmatch(r"[A-Z][a-z]+(mab|tinib|prazole|dipine)( (10|40|250))?", name) for name in drugs)
    assert len({name[:2] == "St" for name in hospitals}) == 2
    assert not any(is_real_name(word) for name in drugs for word in name.split() if word.isalpha())
    assert not any(twins(fold_name(one), fold_name(two)) for one, two in combinations([*hospitals, *drugs], 2))


def test_a_kind_that_runs_out_says_so():
    few = own_kind("", ["{stem}"], {}, {"stem": [["Bor", "Vel"], ["tinib", "zumab"]]})
    with pytest.raises(
        UsageError, match=r"9 names of kind 'few' asked, 4 available .* give it more forms or syllables"
    ):
        Namer(1, kinds={"few": few}).names("few", 9)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ("{famly} Ward", "no slot 'famly'. Did you mean 'family'"),
        ("North Ward", "has no slot, so it is one name alone"),
        ("{family Ward", "expected '}'"),
        ("{} Ward", "no slot ''"),
    ],
)
def test_a_form_that_is_none_is_refused(form, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        own_kind("", [form], {}, {})
