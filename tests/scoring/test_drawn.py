"""Tables drawn with lines or under rulers are read as the same table in Markdown."""

import pytest
from score_tables import GOLD, PHONES

from worldsmith.scoring import parse, score, show

NAMES = [col.name for col in PHONES]
ROWS = [[show(v, col) for v, col in zip(row, PHONES, strict=True)] for row in GOLD if "|" not in row[0]]
WIDTHS = [max(map(len, cells)) for cells in zip(NAMES, *ROWS, strict=True)]
SMALL = (("Phone", "Year"), (("Neo 5", "2029"), ("Zed", "2028")))


def drawn(top, inner, rule, bottom, bar="|", between=""):
    """Draw the phones: each line of signs is its left end, its filling, its joint and its right end."""

    def line(signs):
        left, fill, joint, right = signs
        return left + joint.join(fill * (width + 2) for width in WIDTHS) + right

    def row(cells):
        return bar + bar.join(f" {cell:<{width}} " for cell, width in zip(cells, WIDTHS, strict=True)) + bar

    body = [row(cells) for cells in ROWS]
    if between:
        body = [part for cells in body for part in (cells, line(between))][:-1]
    return "\n".join(
        [*([line(top)] if top else []), row(NAMES), *([line(rule)] if rule else []), *body, line(bottom)][
            : None if inner else -1
        ]
    )


STYLES = {
    "ascii": drawn("+-++", True, "+-++", "+-++"),
    "grid": drawn("+-++", True, "+=++", "+-++", between="+-++"),
    "outline": drawn("+-++", True, "+=++", "+-++"),
    "org": drawn("", False, "|-+|", "|-+|"),
    "one frame": drawn("+-++", True, "", "+-++"),
    "box": drawn("┌─┬┐", True, "├─┼┤", "└─┴┘", "│"),
    "box of rows": drawn("┌─┬┐", True, "├─┼┤", "└─┴┘", "│", "├─┼┤"),
    "double": drawn("╔═╦╗", True, "╠═╬╣", "╚═╩╝", "║", "╟─╫╢"),
    "heavy": drawn("┏━┳┓", True, "┡━╇┩", "└─┴┘", "│"),
    "round": drawn("╭─┬╮", True, "╞═╪╡", "╰─┴╯", "│"),
}


@pytest.mark.parametrize("name", STYLES)
@pytest.mark.parametrize(
    "around", ["{}", "Here it is:\n\n{}\n\nThat is all.", "```\n{}\n```", "```text\n{}\n```\nDone."]
)
def test_a_drawn_table_is_a_table(name, around):
    result = score(around.format(STYLES[name]), PHONES, GOLD[:3])
    assert result.success
    assert result.notes == ()


def test_a_quoted_box_and_one_whose_last_row_is_cut():
    quoted = "\n".join(f"> {line}" for line in STYLES["box"].split("\n"))
    assert score(quoted, PHONES, GOLD[:3]).success
    cut = STYLES["ascii"].rsplit("\n", 1)[0][:-30]
    assert score(cut, PHONES, GOLD[:3]).cut
    assert [row[0] for row in parse(cut, NAMES).rows] == ["Neo 5", "Café X+"]


@pytest.mark.parametrize(
    "text",
    [
        " Phone | Year\n-------+------\n Neo 5 | 2029\n Zed   | 2028\n(2 rows)",
        " Phone │ Year\n───────┼─────\n Neo 5 │ 2029\n Zed   │ 2028",
        "=====  ====\nPhone  Year\n=====  ====\nNeo 5  2029\nZed    2028\n=====  ====\nNo more.",
        "Phone      Year\n-------  ------\nNeo 5      2029\nZed        2028\n\nNo more.",
        "  Phone    Year\n  -----    ----\n  Neo 5    2029\n  Zed      2028",
        "Phone Year\n===== ====\nNeo 5 2029\nZed   2028",
        "```\nPhone  Year\n-----  ----\nNeo 5   2029\nZed  2028\n```",
        "+-----+----+\n|Phone|Year|\n+-----+----+\n|Neo  |2029|\n|5    |    |\n+-----+----+\n|Zed  |2028|\n+--+--+",
    ],
)
def test_columns_between_lines_and_under_rulers(text):
    table = parse(text, SMALL[0], SMALL[0][:1])
    assert (table.header, table.rows) == SMALL


def test_a_pipe_in_a_box_is_part_of_its_cell():
    box = "┌───────┬──────┐\n│ Phone │ Year │\n├───────┼──────┤\n│ Neo|5 │ 2029 │\n└───────┴──────┘"
    assert parse(box, SMALL[0]).rows == (("Neo|5", "2029"),)


@pytest.mark.parametrize("row", ["| + | -- |", "| +-- | 5 |", "| --+ | 5 |", "| A+-B | 5 |"])
def test_signs_in_the_cells_of_a_markdown_table_are_no_lines(row):
    table = parse(f"| Phone | Year |\n|---|---|\n{row}\n| Zed | 2028 |", SMALL[0])
    assert table.rows == (tuple(cell.strip() for cell in row.strip("|").split("|")), ("Zed", "2028"))


def test_prose_between_rulers_is_no_table():
    for text in (
        "Some words\n--  --\nmore words",
        "a tree:\n├── src\n│   └── x",
        "5 -- 6\n=== ===",
        "---  ---\n\nPhone",
    ):
        assert parse(text, SMALL[0]).rows == ()


def test_a_group_may_be_headed_in_a_box():
    lines = STYLES["ascii"].split("\n")
    lines.insert(3, "|" + " North".ljust(len(lines[0]) - 2) + "|")
    assert score("\n".join(lines), PHONES, GOLD[:3]).success
