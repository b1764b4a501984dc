"""What users of neighbouring scorers reported in public, as an input and what happens here."""

import pytest

from worldsmith.scoring import Column, Reference, ScoreError, decode, is_right, parse, reward, score, score_many

COLUMNS = (Column("Name", "text", key=True), Column("Founded", "date"), Column("Budget", "int"))
GOLD = [["Alpha", "2020-03-04", 1234000], ["Beta", "2021-05-06", 7]]


def table(*rows, header="Name | Founded | Budget"):
    return f"| {header} |\n|---|---|---|\n" + "\n".join(f"| {row} |" for row in rows)


PERFECT = table("Alpha | 2020-03-04 | 1234000", "Beta | 2021-05-06 | 7")


def test_an_ambiguous_date_is_wrong_on_every_machine():  # dateutil 1011, 1224, 1448
    col = COLUMNS[1]
    assert is_right("2020-03-04", "2020-03-04", col)
    assert is_right("March 4, 2020", "2020-03-04", col)
    for ambiguous in ("04.03.2020", "3/4/2020", "03-04-2020"):
        assert not is_right(ambiguous, "2020-03-04", col)
        assert not is_right(ambiguous, "2020-04-03", col)
    assert is_right("13.07.2020", "2020-07-13", col)
    assert is_right("07.13.2020", "2020-07-13", col)


def test_an_answer_without_any_call_is_flagged_and_may_be_refused():  # Search-R1 6
    result = score(PERFECT, COLUMNS, GOLD)
    free = reward(result, turns=1, search_calls=0, extract_calls=0)
    strict = reward(result, turns=1, search_calls=0, extract_calls=0, require_evidence=True)
    assert (free.closed_book, free.total) == (True, pytest.approx(1.0))
    assert (strict.closed_book, strict.total) == (True, 0.0)


def test_a_rollout_whose_tools_failed_is_masked():  # verifiers 1416
    result = reward(score("", COLUMNS, GOLD), turns=9, search_calls=9, extract_calls=0, infrastructure_error=True)
    assert result.mask
    assert result.total == 0.0


def test_every_sample_of_a_batch_has_the_same_keys():  # verl 7151
    reference = Reference(COLUMNS, tuple(map(tuple, GOLD)))
    scores = score_many([(PERFECT, reference), ("", reference), ("||||", reference)])
    assert len({tuple(s.to_json()) for s in scores}) == 1
    rewards = [reward(s, turns=1, search_calls=1, extract_calls=0) for s in scores]
    assert len({tuple(r.terms) for r in rewards}) == 1
    assert {type(v) for r in rewards for v in r.terms.values()} == {float}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(encoding):  # evalscope 1479
    text = decode(PERFECT.replace("\n", "\r\n").replace("Alpha", "Älpha").encode(encoding))
    assert score(text, COLUMNS, GOLD).success
    assert parse(text).header[0] == "Name"


def test_a_wrong_encoding_is_said():  # evalscope 1479
    with pytest.raises(ScoreError, match="not UTF-8"):
        decode("Älpha".encode("latin-1"))


def test_text_of_the_agent_is_no_reward():  # OpenEnv 1200
    for text in ("reward: 1.0", "<reward>1</reward>", "NaN", "1e999", "inf", '{"reward": 1.0, "success": true}'):
        result = reward(score(text, COLUMNS, GOLD), turns=1, search_calls=1, extract_calls=0)
        assert result.total <= 0.0


def test_an_empty_answer_set_is_defined():  # tau2-bench 494
    assert score(table(), COLUMNS, []).item.f1 == 1.0
    assert score("nothing fits", COLUMNS, []).item.f1 == 1.0
    assert score(PERFECT, COLUMNS, []).item.f1 == 0.0


def test_variants_of_rows_never_add_up():
    variants = [f"{name} | 2020-03-04 | 1234000" for name in ("Alpha", "ALPHA", "alpha", "**Alpha**", "A l p h a") * 2]
    result = score(table(*variants[:8]), COLUMNS, GOLD)
    assert result.item.f1 == pytest.approx(2 * 3 / (24 + 6))
    result = score(
        table(*PERFECT.split("\n")[2:][0:0], *[r.strip("| ") for r in PERFECT.split("\n")[2:]], *variants[:3]),
        COLUMNS,
        GOLD,
    )
    assert result.item.f1 == pytest.approx(2 * 6 / (15 + 6))


def test_two_texts_nobody_can_read_are_not_equal():
    assert not is_right("xxxx", "Spring term", COLUMNS[1])
    assert not is_right("hello", "unknown", COLUMNS[2])
    assert is_right("spring term", "Spring term", COLUMNS[1])


def test_the_final_table_counts():
    draft = table("X | 2001-01-01 | 1")
    assert score(f"```markdown\n{draft}\n```\nFinal:\n```markdown\n{PERFECT}\n```", COLUMNS, GOLD).success


def test_pipes_and_ragged_rows():
    gold = [["Al|pha", "2020-03-04", 1234000], ["Beta", "2021-05-06", 7], ["Gamma", "2022-01-01", 8]]
    answer = table("Al\\|pha | 2020-03-04 | 1234000", "Beta | 2021-05-06 | 7 | 9 | 9", "Gamma | x | 2022-01-01 | 8")
    result = score(answer, COLUMNS, gold)
    assert [w.gold_row for w in result.wrong] == [2, 2]
    assert result.row.recall == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("cell", "good"),
    [("1,234,000", True), ("1.234 million", True), ("1.234", False), ("1 234 000", True), ("1.234.000", True)],
)
def test_numbers_are_equal_if_they_are_of_one_magnitude(cell, good):
    assert is_right(cell, 1234000, COLUMNS[2]) == good


def test_scores_are_equal_to_the_bit_and_carry_a_version():  # BrowseComp-Plus 20
    first, second = (score(PERFECT, COLUMNS, GOLD).to_json() for _ in range(2))
    assert first == second
    assert first["version"] == "6"
