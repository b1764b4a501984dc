"""Several tables in one answer: which counts, and when they are one; and tables in HTML."""

import html
import time

import pytest
from score_tables import GOLD, PHONES, markdown

from worldsmith.scoring import parse, score, show

NAMES = [col.name for col in PHONES]
ROWS = [[show(v, col) for v, col in zip(row, PHONES, strict=True)] for row in GOLD]


def table(rows=ROWS, fence=False, names=NAMES):
    return markdown(names, rows, fence=fence)


def html_table(rows=ROWS, names=NAMES, cell="<td>{}</td>"):
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(cell.format(html.escape(x)) for x in row) + "</tr>\n" for row in rows)
    return f"<table>\n<tr>{head}</tr>\n{body}</table>"


def scored(answer):
    return score(answer, PHONES, GOLD)


# ---- parts


@pytest.mark.parametrize("between", ["", "\n\n## 2028\n\n", "\n\n**Zed**\n\n", "\n\nNorth:\n", "\n\n\n"])
@pytest.mark.parametrize("fence", [True, False])
def test_tables_of_one_header_are_one(between, fence):
    result = scored("## 2029\n\n" + table(ROWS[:2], fence) + between + "\n" + table(ROWS[2:], fence))
    assert result.success
    assert "2 tables of one header are one" in result.notes


def test_a_table_for_each_row_and_other_tables_between():
    other = "\n\n| Site | Day |\n|---|---|\n| a | b |\n\n"
    answer = other.join(table([row]) for row in ROWS)
    result = scored(answer)
    assert result.success
    assert "4 tables of one header are one" in result.notes
    assert sum("another table of 1 rows (Site | Day)" in note for note in result.notes) == 3


def test_parts_in_html():
    assert scored(html_table(ROWS[:2]) + "<h2>2028</h2>" + html_table(ROWS[2:])).success
    styled = html_table(ROWS[2:]).replace("<table>", '<table class="results">')
    assert scored(html_table(ROWS[:2]) + "<h2>2028</h2>" + styled).success
    assert not scored(html_table(ROWS[:2]) + "<h2>Results</h2>" + html_table(ROWS[2:])).success


def test_the_same_key_again_is_a_new_attempt():
    wrong = [[row[0], "1", "2001-01-01", "No", "99", "-"] for row in ROWS]
    assert scored(table(wrong) + "\n\n## Zed\n\n" + table()).success
    assert scored(table() + "\n\n## Zed\n\n" + table(wrong)).nonkey.f1 < 0.3
    third = scored(table(ROWS[:2]) + "\n\n## Zed\n\n" + table(ROWS[1:3]) + "\n\n## Karo\n\n" + table(ROWS[3:]))
    assert len(third.matched) == 3  # the first has a row of the second
    assert third.row.precision == 1


@pytest.mark.parametrize("between", ["Final:", "Corrected table", "Here it is again:", "Wait, that was wrong.", "So:"])
def test_words_of_a_new_attempt_part_tables(between):
    fakes = [[f"Zomborik {row[0]}", *row[1:]] for row in ROWS]
    assert scored(f"{table(fakes)}\n\n{between}\n\n{table()}").success
    assert scored(f"An example:\n\n{table(fakes)}\n\n## Table\n\n{table()}").success


def test_a_guess_in_another_table_costs_as_much_as_in_the_same():
    fakes = [[f"Zomborik {n}", *row[1:]] for n, row in enumerate(ROWS)]
    apart, together = scored(table(fakes) + "\n\n## B\n\n" + table()), scored(table([*fakes, *ROWS]))
    assert (apart.item, apart.row, apart.nonkey) == (together.item, together.row, together.nonkey)
    spelled = [[row[0] + " (verified)", "1", *row[2:]] for row in ROWS]
    twice = scored(table(spelled) + "\n\n## B\n\n" + table())
    assert twice.columns[1].right == 0


def test_a_key_is_known_by_its_header_alone():
    named = ["Model" if name == "Phone" else name for name in NAMES]
    assert len(scored(table(ROWS[:2], names=named) + "\n\n## B\n\n" + table(ROWS[2:], names=named)).matched) == 2
    assert len(parse(table(ROWS[:2]) + "\n\n## B\n\n" + table(ROWS[2:]), NAMES).rows) == 2
    assert len(parse(table(ROWS[:2]) + "\n\n## B\n\n" + table(ROWS[2:]), NAMES, ["Phone"]).rows) == 4
    assert len(parse(table(ROWS[:2]) + "\n\n## B\n\n" + table(ROWS[2:]), NAMES, ["Phone", "Quarter"]).rows) == 2


# ---- of several tables


def test_the_table_with_most_columns_counts():
    short = table([row[:4] for row in ROWS], names=NAMES[:4])
    assert scored(table() + "\n\nIn short:\n\n" + short).success
    assert scored(short + "\n\nIn full:\n\n" + table()).success
    assert not scored(short).has_columns


def test_of_equals_the_last_counts():
    wrong = [[row[0], "1", *row[2:]] for row in ROWS]
    assert scored(table(wrong) + "\n\nFinal:\n\n" + table()).success
    assert scored(table() + "\n\nFinal:\n\n" + table(wrong)).columns[1].right == 0


# ---- HTML


@pytest.mark.parametrize(
    "answer",
    [
        html_table(),
        html_table().upper().replace("NEO", "Neo"),
        f"Here it is:\n\n{html_table()}\nDone.",
        f"```html\n{html_table()}\n```",
        html_table().replace("</td>", "").replace("</tr>", "").replace("</th>", ""),
        html_table().replace("<table>", '<table border="1" class="wide">').replace("<td>", '<td align="left">'),
        html_table().replace("<table>\n<tr>", "<table><thead><tr>", 1).replace("</table>", "</tbody></table>"),
        html_table().replace("<td>", "<td>\n  ").replace("</td>", "\n</td>"),
        html_table(cell="<td><b>{}</b></td>"),
        html_table(cell='<td colspan="1">{}</td>'),
        f"<!-- {html_table(ROWS[:1])} -->{html_table()}",
        html_table()[: -len("</table>")],
        f"<table><caption>Phones</caption>{html_table()[7:]}",
        f"{html_table(ROWS[:1], NAMES[:2])}{html_table()}",
        f"<table><tr><td>{html_table()}</td></tr></table>",
    ],
)
def test_a_simple_table_in_html_is_read(answer):
    result = scored(answer)
    assert (result.item.f1, result.success, result.format) == (1, True, "html")


@pytest.mark.parametrize(
    "answer",
    [
        html_table(cell="<td><s>{}</s></td>"),
        html_table(cell='<td><span style="text-decoration:line-through">{}</span></td>'),
        html_table(cell='<td style="text-decoration: line-through">{}</td>'),
        html_table(cell="<td hidden>{}</td>"),
        html_table().replace("<tr><td>", '<tr style="display:none"><td>'),
        html_table().replace("<table>", "<table style='visibility:hidden'>"),
        "<del>" + html_table() + "</del>",
        html_table().replace("<tr><td>", "<s><tr><td>"),
        html_table().replace("<td>", '<td colspan="2">'),
        html_table().replace("<td>", "<td rowspan=2>"),
        f"<!-- {html_table()} -->",
        f"<!-- {html_table()}",
        html_table(cell="<td>{} <del>1</del></td>"),
        html_table(cell="<td>{}<br>1</td>"),
        html_table(cell="<td>{}</td><td>1</td>"),
    ],
)
def test_what_is_hidden_struck_or_spanned_is_no_answer(answer):
    assert scored(answer).nonkey.f1 < 0.3


def test_a_table_that_is_not_simple_is_told():
    spanned = html_table().replace("<td>", '<td colspan="2">')
    assert scored(spanned).notes[0] == "an HTML table with spans, tables within, or hidden or struck parts"
    assert not scored(spanned).has_table


def test_a_table_in_html_that_is_cut_off_keeps_its_whole_rows():
    whole = html_table()
    result = scored(whole[: whole.index("Karo") + 2])
    assert (result.cut, len(result.rows), result.row.precision) == (True, 3, 1)
    assert result.notes[0].startswith("a last row that is cut off: 'Ka")
    assert not scored(whole).cut


def test_ragged_rows_in_html_are_told():
    ragged = "<table><tr><th>Phone<th>Released<tr><td>Neo 5<tr><td>Zed Pro<td>2028-05-20<td>9</table>"
    assert parse(ragged).rows == (("Neo 5", ""), ("Zed Pro", "2028-05-20"))
    assert parse(ragged).dropped == ("row 1 has 1 cells for 2 columns", "row 2 has 3 cells for 2 columns")
    assert parse("<table></table>").header == ()
    assert parse("<table><td>x</td></table>").header == ()


def test_tags_around_rows_are_no_cells():
    body = "<tbody><tr><td>1</td><td>2</td></tr></tbody><tfoot></tfoot>"
    table = parse(f"<table><thead><tr><th>A</th><th>B</th></tr></thead>{body}</table>")
    assert (table.header, table.rows, table.dropped) == (("A", "B"), (("1", "2"),), ())


def test_markdown_comes_before_html():
    wrong = [[row[0], "1", *row[2:]] for row in ROWS]
    assert scored(html_table(wrong) + "\n\n" + table()).success
    assert scored(table() + "\n\n" + html_table(wrong)).success


@pytest.mark.parametrize("piece", ["<table>", "<tr><td>", "<td>x", "<table><tr><td>", "<!--", "<t", "</table><del>"])
def test_hostile_html_takes_bounded_time(piece):
    started = time.process_time()
    scored(piece * (300_000 // len(piece)))
    assert time.process_time() - started < 10


def test_what_of_a_row_in_html_was_cut_off_is_told():
    text = "<table><tr><th>Phone<th>Released<tr><td>Neo 5<td>2029-03-14<tr><td>Zed <b>Pro</b><td>20"
    assert parse(text).dropped == ("a last row that is cut off: 'Zed <b>Pro</b> | 20'",)


def test_tables_in_csv_and_json_are_not_put_together():
    lines = [",".join(NAMES), *(",".join(row) for row in ROWS)]
    blocks = "".join(f"```csv\n{lines[0]}\n{line}\n```\n" for line in lines[1:])
    assert scored(blocks).matched == ((0, 3),)


def test_one_struck_cell_in_html_withdraws_itself_alone():
    struck = html_table().replace("<td>5000</td>", "<td><s>5000</s></td>")
    assert [(w.gold_row, w.column, w.why) for w in scored(struck).wrong] == [(0, "Battery (mAh)", "unreadable")]
    assert not scored(html_table().replace("<tr><td>", "<tr><s><td>")).has_table


def test_a_header_in_html_that_is_cut_off_is_a_header():
    assert parse("<table><tr><th>Phone<th>Released").header == ("Phone", "Released")
    assert parse('{"columns": ["Name"], "rows": [{"Name": "A"}]}').rows == (("A",),)
