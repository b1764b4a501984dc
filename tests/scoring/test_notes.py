"""Marks and notes that agents add to right cells, and those that would make two answers of one."""

import pytest

from worldsmith.scoring import Column, accepts, read, score, verdict

TEXT = Column("Brand", "text")
BOOL = Column("Foldable", "bool")
RATING = Column("Phone: Rating (of 10)", "num", unit="of 10", decimals=1, none="none")
CLOSED = Column("Closed", "date", none="still open")


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "Asus¹",
            "Asus ✓",
            "Asus ✅",
            "Asus ✔️",
            "Asus ⭐",
            "Asus†",
            "Asus<sup>1</sup>",
            "Asus<sup>[1]</sup>",
            "Asus[a]",
        ),
        *(
            "Asus ([source](https://a.example/x))",
            "Asus [source](https://a.example/x)",
            "Asus [1](https://a.example/x)",
        ),
        *(
            "Asus (verified)",
            "Asus (confirmed) ✓",
            "Asus (official)",
            "Asus (as of 2027)",
            "Asus ([ref](<http://a.example>))",
        ),
    ],
)
def test_a_text_with_a_note_is_right(cell):
    assert verdict(cell, "Asus", TEXT) == "right"
    assert any(accepts(reading, "Asus", TEXT) for reading in read(cell, "text"))
    columns = (Column("Brand", "text", key=True), Column("Shops", "int"))
    assert score(f"| Brand | Shops |\n|---|---|\n| {cell} | 5 |", columns, [["Asus", 5], ["Orlo", 6]]).matched == (
        (0, 0),
    )


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "Asus (Apple)",
            "Asus ([Apple](https://a.example/x))",
            "Asus ([source](Apple))",
            "Asus ❌",
            "Asus (not verified)",
        ),
        *("Asus (unverified)", "Asus[aa]", "Asus [b", "Asus ✓ Apple", "Asus (as of 2027) Apple", "Asus1", "Asus (or)"),
        *("Asus (no Apple)", "Asus (not)", "([source](https://a.example/x))", "✓ Asus"),
    ],
)
def test_a_text_with_anything_else_is_not(cell):
    assert verdict(cell, "Asus", TEXT) == "different"


def test_a_mark_that_is_part_of_a_name_tells_names_apart():
    columns = (Column("Team", "text", key=True), Column("Rank", "int"))
    gold = [["Vel", 1], ["Vel²", 2], ["Vel ✓", 3], ["Vel [a]", 4]]
    rows = "\n".join(f"| {name} | {rank} |" for name, rank in gold)
    assert score(f"| Team | Rank |\n|---|---|\n{rows}", columns, gold).success
    assert verdict("Vel²", "Vel²", TEXT) == verdict("Vel", "Vel", TEXT) == "right"
    assert verdict("Vel", "Vel²", TEXT) == "different"


@pytest.mark.parametrize(
    ("cell", "truth"),
    [
        ("Yes (foldable)", True),
        ("No (rigid)", False),
        ("No (not foldable)", False),
        ("✅ Yes", True),
        ("✅Yes", True),
        ("❌ No", False),
        ("Yes ✓", True),
        ("No ✗", False),
        ("✅ (folds)", True),
        ("Yes (2 hinges)", True),
        ("No ✅", None),
        ("✅ No", None),
        ("❌ Yes", None),
        ("Yes (No)", None),
        ("No (yes)", None),
        ("Yes (❌)", None),
        ("Yes (0)", None),
        ("Yes (否)", None),
        ("Yes (not really)", None),
        ("Yes (or no)", None),
        ("No (wrong)", None),
        ("Yes/No", None),
        ("Yes ()", None),
        ("Maybe (yes)", None),
        ("✓ x", None),
    ],
)
def test_a_yes_or_no_with_a_mark_or_a_note(cell, truth):
    assert (verdict(cell, True, BOOL) == "right") is (truth is True)
    assert (verdict(cell, False, BOOL) == "right") is (truth is False)


@pytest.mark.parametrize(
    ("cell", "col", "right"),
    [
        ("none (no reviews)", RATING, True),
        ("None (not rated)", RATING, True),
        ("n/a (see page)", RATING, True),
        ("- (never reviewed)", RATING, True),
        ("No rating", RATING, True),
        ("not rated", RATING, True),
        ("Not yet rated", RATING, True),
        ("unrated", RATING, True),
        ("no value", RATING, True),
        ("none yet", RATING, True),
        ("none (8.1)", RATING, False),
        ("none (not 8.1)", RATING, False),
        ("none (or 8)", RATING, False),
        ("none (Asus)", RATING, False),
        ("none (no, really?)", RATING, False),
        ("8.1 (none)", RATING, False),
        ("no price", RATING, False),
        ("not closed", CLOSED, True),
        ("not yet closed", CLOSED, True),
        ("still open (as of 2027)", CLOSED, True),
        ("still open", CLOSED, True),
        ("still open (as of 2027)", RATING, False),
        ("closed", CLOSED, False),
        ("not", CLOSED, False),
        ("no", CLOSED, False),
        ("not withdrawn", Column("Withdrawn", "date"), True),
        ("not sold", Column("Sold", "date"), True),
        ("not brand", TEXT, False),
        ("no brand", TEXT, True),
    ],
)
def test_there_is_none(cell, col, right):
    assert (verdict(cell, None, col) == "right") is right


def test_a_list_may_end_with_a_tick():
    col = Column("Colours", "list")
    assert verdict("red, blue ✓", ["blue", "red"], col) == "right"
    assert verdict("red; blue (verified)", ["blue", "red"], col) == "right"
    assert verdict("red; blue; green ✓", ["blue", "red"], col) == "different"


def test_long_texts_are_read_as_they_stand():
    long = "x" * 198
    assert verdict(f"{long} ✓", long, TEXT) == "right"
    assert verdict(f"{long}x ✓", f"{long}x", TEXT) == "different"
    assert verdict("✓" * 200_000, 5, Column("n", "int")) == "unreadable"
