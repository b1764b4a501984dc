"""Marks and notes that agents add to right cells, and those that would make two answers of one."""

import pytest

from worldsmith.scoring import Column, accepts, read, score, show, verdict

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
        *("Asus (no Apple)", "Asus (not)", "([source](https://a.example/x))", "❌ Asus"),
        *("Asus [not 1]", "Asus [1 Apple]", "Asus [[Apple]](https://a.example)", "Asus [b.example](https://a.example)"),
    ],
)
def test_a_text_with_anything_else_is_not(cell):
    assert verdict(cell, "Asus", TEXT) == "different"


CITED = (
    *(
        "[cite: 12]",
        " [cite: 1, 2]",
        "[cite:3]",
        " [1, 2]",
        "[1,2,3]",
        "[1-3]",
        "[1–3]",
        "[^1^]",
        "[^1^][^2^]",
        "[1][2]",
    ),
    *(
        "[[1]](https://a.example/x)",
        " [[2]](https://a.example/x)",
        "[[1]]",
        "【1†source】",
        "【4:0†a.example】",
        "[1†L3-L5]",
    ),
    *(
        "[source]",
        " [Source 2]",
        "[source: 3]",
        "[web:3][web:4]",
        "[ref 1]",
        "[doc 1, 2]",
        "[citation needed]",
        "\\[1\\]",
    ),
    *(
        "[1](https://a.example/x)[2](https://b.example/y)",
        "[1](#fn1)",
        " [turn0search1]",
        "\ue200cite\ue202turn0search1\ue201",
    ),
    *(
        " ([a.example](https://a.example/x))",
        " [a.example](https://www.a.example/x?y=1)",
        " [a.example/x](https://a.example/x)",
    ),
    *(
        " ([a.example](https://a.example/x), [b.example](https://b.example))",
        "[oai_citation:1‡a.example](https://a.example)",
    ),
    *(
        "<sup>1,2</sup>",
        "<sup>[1]</sup>",
        "<sup><a href='#1'>1</a></sup>",
        "<sup>1</sup><sup>2</sup>",
        "<cite>1</cite>",
    ),
    *("<ref>A Paper, p. 5</ref>", '<ref name="x"/>', "[^note]", "[1; 2]"),
    *("^[1]^", "^[1]", " [source: a.example]", " [a.example]", " [a.example/x/12]"),
    *(" [view source](https://a.example/x)", " ([official site](https://a.example))"),
)
OF_EACH_KIND = (
    (TEXT, "Asus", "Orlo"),
    (Column("Shops", "int"), 163, 164),
    (Column("Share (%)", "num", unit="%", decimals=1), 12.5, 12.6),
    (Column("Released", "date"), "2028-05-23", "2028-05-24"),
    (Column("Year", "year"), 2028, 2029),
    (BOOL, True, False),
    (Column("Site", "url"), "https://c.example/x", "https://c.example/y"),
    (Column("Colours", "list"), ("blue", "red"), ("blue", "green")),
)


@pytest.mark.parametrize("mark", CITED)
def test_a_citation_is_no_part_of_a_value(mark):
    for col, value, other in OF_EACH_KIND:
        for cell in (f"{show(value, col)}{mark}", f"**{show(value, col)}**{mark}"):
            assert (verdict(cell, value, col), verdict(cell, other, col)) == ("right", "different"), (col.kind, cell)
    assert verdict(f"-{mark}", None, TEXT) == "right"


@pytest.mark.parametrize("mark", CITED)
def test_a_citation_alone_says_nothing_of_it(mark):
    for col, value, _ in OF_EACH_KIND[1:5]:
        assert verdict(mark.strip(), value, col) != "right"
    assert verdict(f"163{mark}", 1631, Column("Shops", "int")) == "different"
    assert verdict("163 [cite: 164]", 164, Column("Shops", "int")) == "different"


def test_the_whole_answer_may_be_in_marks_for_citing():
    assert verdict("[cite_start]Asus[cite: 1, 2]", "Asus", TEXT) == "right"
    assert verdict('<cite index="1-2">163</cite>', 163, Column("Shops", "int")) == "right"
    assert verdict("[Asus](https://a.example/p) [1]", "Asus", TEXT) == "right"


def test_brackets_that_are_the_value_stay():
    pairs = Column("Pair", "text")
    for value, other in (
        ("[1, 2]", "[1, 3]"),
        ("Set [1, 2]", "Set [1, 3]"),
        ("Room [3]", "Room [4]"),
        ("[cite: 1]", "1"),
    ):
        assert verdict(value, value, pairs) == "right"
        assert verdict(other, value, pairs) == "different"
    assert verdict("Room", "Room [3]", pairs) == "different"
    assert verdict("[12]", 12, Column("Shops", "int")) == "right"
    columns = (Column("Set", "text", key=True), Column("Shops", "int"))
    gold = [["Set [1, 2]", 1], ["Set [1, 3]", 2], ["Set", 3]]
    rows = "\n".join(f"| {name} | {shops} |" for name, shops in gold)
    assert score(f"| Set | Shops |\n|---|---|\n{rows}", columns, gold).success


@pytest.mark.parametrize(
    "pair", ["“”", "「」", "«»", "„“", "‘’", "『』", '""', "''", "‹›", "”“", "〝〞", "《》", "＂＂"]
)
def test_quotation_marks_around_a_cell_are_none_of_it(pair):
    for col, value, other in OF_EACH_KIND:
        cell = f"{pair[0]}{show(value, col)}{pair[1]}"
        for quoted in (cell, f" {cell} ", f"**{cell}**", f"{cell} [1]", f"{pair[0]} {show(value, col)} {pair[1]}"):
            assert (verdict(quoted, value, col), verdict(quoted, other, col)) == ("right", "different"), quoted
    assert verdict(f"{pair[0]}-{pair[1]}", None, TEXT) == "right"
    assert verdict(pair, 0, Column("Shops", "int")) != "right"
    assert verdict(f"{pair[0]}12{pair[1]} {pair[0]}13{pair[1]}", 12, Column("Shops", "int")) != "right"


@pytest.mark.parametrize(
    "sign", ["✓", "✅", "✔️", "☑", "•", "·", "‣", "▪", "●", "►", "⭐", "★", "→", "🔹", "📅", "🏆", "👍🏽", "🇩🇪"]
)
def test_a_sign_before_or_after_a_value_says_nothing_of_it(sign):
    for col, value, other in OF_EACH_KIND:
        if col.kind == "bool":
            continue
        text = show(value, col)
        for cell in (f"{sign} {text}", f"{sign}{text}", f"{text} {sign}", f"{sign} {text} {sign}", f"{sign} “{text}”"):
            assert (verdict(cell, value, col), verdict(cell, other, col)) == ("right", "different"), cell
    assert verdict(f"{sign} 12 {sign} 13", 12, Column("Shops", "int")) != "right"
    assert verdict(sign, sign, TEXT) == "right"


@pytest.mark.parametrize("sign", ["❌", "✗", "☒", "☐", "❓", "⚠️", "🚫", "👎", "🤔", "❶", "×"])
def test_a_sign_that_doubts_or_numbers_leaves_nothing_to_read(sign):
    for cell in (f"{sign} 163", f"163 {sign}"):
        assert verdict(cell, 163, Column("Shops", "int")) != "right"
        assert verdict(cell.replace("163", "Asus"), "Asus", TEXT) != "right"


def test_bullets_before_a_truth_and_items():
    for bullet in "•·‣▪►●":
        assert verdict(f"{bullet} yes", True, BOOL) == verdict(f"{bullet} No", False, BOOL) == "right"
    assert verdict("✅ No", False, BOOL) == "unreadable"
    assert verdict("✗ yes", True, BOOL) != "right"
    colours = Column("Colours", "list")
    for cell in ("• red<br>• blue", "✓ red; ✓ blue", "🔹 red, 🔹 blue"):
        assert verdict(cell, ("blue", "red"), colours) == "right"
    assert verdict("★ bar; foo", ("foo", "★ bar"), colours) == "right"


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
