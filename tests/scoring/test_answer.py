import csv
import io
import json
import time

import pytest

from worldsmith.scoring import Column, ScoreError, Table, decode, parse, score

NAMES = ("Name", "Year", "Val")
HEAD = "| Name | Year | Val |\n|---|---|---|\n"
ROWS = (("A", "2001", "10"), ("B", "2002", "20"))
TABLE = HEAD + "| A | 2001 | 10 |\n| B | 2002 | 20 |"


def fenced(text, info="markdown"):
    return f"```{info}\n{text}\n```"


@pytest.mark.parametrize(
    "answer",
    [
        TABLE,
        fenced(TABLE),
        fenced(TABLE, ""),
        fenced(TABLE, "md"),
        f"Here it is:\n\n{TABLE}\n\nI hope this helps.",
        f"Here it is:\n{TABLE}\nDone.",
        "\ufeff" + TABLE,
        TABLE.replace("\n", "\r\n"),
        TABLE.replace("\n", "\r"),
        TABLE.replace("|---|---|---|", "| :-- | :-: | --: |"),
        TABLE.replace("|---|---|---|", "|-|-|-|"),
        TABLE.replace("|---|---|---|\n", ""),
        TABLE.replace("|---|---|---|\n", "|---|---|---|\n\n"),
        TABLE.replace("| B", "\n| B"),
        "Name | Year | Val\n--- | --- | ---\nA | 2001 | 10\nB | 2002 | 20",
        TABLE.replace("Val |", "Val"),
        TABLE.replace(" 20 |", " 20"),
        "\n".join("> " + line for line in TABLE.split("\n")),
        "\n".join("   " + line for line in TABLE.split("\n")),
        TABLE.replace("|", "｜").replace("｜---｜---｜---｜", "|---|---|---|"),
        TABLE.replace("A |", "\u200fA\u200e |"),
        TABLE.replace("Name", "**Name**").replace("Year", "`Year`").replace("Val", "[Val](http://x.example)"),
        "<think>\n| Name | Year | Val |\n|---|---|---|\n| X | 1 | 1 |\n</think>\n" + TABLE,
        "| Name | Year | Val |\n|---|---|---|\n| X | 1 | 1 |\n</think>\n" + TABLE,
        "<think>a<think>b</think>c</think>" + TABLE,
        f"<answer>\n{TABLE}\n</answer>\n| Name | Year | Val |\n|---|---|---|\n| X | 1 | 1 |",
        f"<answer>none yet</answer> more <answer>\n{TABLE}",
        f"{HEAD}| X | 1 | 1 |\n\nFinal:\n{TABLE}",
        f"{fenced(HEAD + '| X | 1 | 1 |')}\nFinal:\n{fenced(TABLE)}",
        f"{TABLE}\n\nSources:\n\n| Site | URL |\n|---|---|\n| a | https://a.example |",
        f"{TABLE}\n\n| Site | URL |\n|---|---|\n| a | https://a.example |",
        f"{HEAD}| X | 1 | 1 |\n{TABLE}",
        f"<tool_response>\n{HEAD}| X | 1 | 1 |\n</tool_response>\n{TABLE}",
        f"<information>{HEAD}| X | 1 | 1 |</information>{TABLE}",
        f"<|im_start|>user\n{HEAD}| X | 1 | 1 |<|im_end|>\n<|im_start|>assistant\n{TABLE}<|im_end|>",
        f"Thought: x\nAction: search\nObservation: {HEAD}| X | 1 | 1 |\nThought: done\nFinal Answer:\n{TABLE}",
        "Name,Year,Val\nA,2001,10\nB,2002,20",
        fenced("Name,Year,Val\nA,2001,10\nB,2002,20"),
        fenced("Name,Year,Val\r\nA,2001,10\r\nB,2002,20", "csv"),
        fenced('"Name","Year","Val"\n"A","2001","10"\n"B", "2002", "20"', "csv"),
        "Sure, here it is:\n\nName\tYear\tVal\nA\t2001\t10\nB\t2002\t20\n\nBye, then.",
        "Name;Year;Val\nA;2001;10\nB;2002;20",
        json.dumps([dict(zip(NAMES, row, strict=True)) for row in ROWS]),
        fenced(json.dumps([dict(zip(NAMES, row, strict=True)) for row in ROWS], indent=2), "json"),
        "Here you go:\n" + json.dumps([{"Name": "A", "Year": 2001, "Val": 10}, {"Name": "B", "Year": 2002, "Val": 20}]),
        json.dumps({"rows": [dict(zip(NAMES, row, strict=True)) for row in ROWS], "note": "x"}),
        json.dumps({"columns": NAMES, "rows": ROWS}),
        json.dumps({"header": NAMES, "data": ROWS}),
        json.dumps([NAMES, *ROWS]),
        json.dumps({name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)}),
        "\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in ROWS),
        fenced("\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in ROWS), "jsonl"),
    ],
)
def test_a_whole_table_is_found(answer):
    table = parse(answer, NAMES)
    assert (table.header, table.rows) == (NAMES, ROWS)
    assert not table.cut


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| Al\\|pha | 1 | 2 |", ("Al|pha", "1", "2")),
        ("| `a|b` | 1 | 2 |", ("`a|b`", "1", "2")),
        ("| `a` | `b` | 2 |", ("`a`", "`b`", "2")),
        ("| `a | 1 | b` |", ("`a", "1", "b`")),
        ("| ``a`|`b`` | 1 | 2 |", ("``a`|`b``", "1", "2")),
        ("| back\\\\ | 1 | 2 |", ("back\\\\", "1", "2")),
        ("| a<br>b | 1 | 2 |", ("a<br>b", "1", "2")),
        ("| a | | 2 |", ("a", "", "2")),
        ("||`a`|2|", ("", "`a`", "2")),
        ("| `a|x` | `b|y` | 2 |", ("`a|x`", "`b|y`", "2")),
        ("| a\\|`b`|`c|d`|2|", ("a|`b`", "`c|d`", "2")),
        ("|a|1|2|", ("a", "1", "2")),
        ("|`a`|1|2|", ("`a`", "1", "2")),
        ("| a｜b | 1 | 2 |", ("a｜b", "1", "2")),
        ("a | 1 | 2", ("a", "1", "2")),
    ],
)
def test_cells_are_split_at_real_pipes(row, cells):
    assert parse(HEAD + row + "\n| Z | 0 | 0 |", NAMES).rows == (cells, ("Z", "0", "0"))


def test_an_empty_first_cell_keeps_its_place_without_edge_pipes():
    table = parse("Name | Year | Val\n---|---|---\n | 2001 | 10\nB | 2002 | 20", NAMES)
    assert table.rows == (("", "2001", "10"), ("B", "2002", "20"))


def test_a_header_may_stand_alone():
    for text in ("| Name | Year | Val |", HEAD, HEAD.strip(), "Name,Year,Val", "```csv\nName,Year,Val"):
        assert (parse(text, NAMES).header, parse(text, NAMES).rows) == (NAMES, ())


def test_a_ragged_row_alone_is_hurt_and_said():
    table = parse(HEAD + "| A | One | 2001 | 10 |\n| B | 2002 |\n| C | 2003 | 30 |", NAMES)
    assert table.rows == (("A", "One", "2001"), ("B", "2002", ""), ("C", "2003", "30"))
    assert table.dropped == (
        "row 1 has 4 cells for 3 columns: 'A | One | 2001 | 10'",
        "row 2 has 2 cells for 3 columns: 'B | 2002'",
    )


@pytest.mark.parametrize(
    "answer",
    [
        f"```markdown\n{TABLE}\n| C | 20",
        f"{TABLE}\n| C | 20",
        "```csv\nName,Year,Val\nA,2001,10\nB,2002,20\nC,20",
        '[{"Name": "A", "Year": 2001, "Val": 10}, {"Name": "B", "Year": 2002, "Val": 20}, {"Name": "C", "Ye',
        '{"rows": [{"Name": "A", "Year": "2001", "Val": "10"}, {"Name": "B", "Year": "2002", "Val": "20"}, {"Na',
        '[["Name", "Year", "Val"], ["A", 2001, 10], ["B", 2002, 20], ["C", 20',
    ],
)
def test_of_an_answer_that_is_cut_off_whole_rows_count(answer):
    table = parse(answer, NAMES)
    assert (table.header, table.rows, table.cut) == (NAMES, ROWS, True)
    assert "cut off" in " ".join(table.dropped)


def test_a_fence_left_open_by_a_stop_word_is_no_cut():
    table = parse("```markdown\n" + TABLE, NAMES)
    assert (table.rows, table.cut) == (ROWS, False)


def test_rows_of_blanks_and_dashes_are_left_out():
    table = parse(TABLE + "\n| - | - | - |\n|  |  |  |", NAMES)
    assert table.rows == ROWS
    assert table.dropped == ("2 rows of blanks or dashes",)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I could not find it.",
        f"<think>{TABLE}",
        f"{TABLE}\n<tool_response>\n</tool_response>",
        f"<tool_response>{TABLE}",
        f"Action: search\nObservation: {TABLE}",
        "[[[[[[[[",
        "{",
        "a|b",
        "a | b\nc | d",
        "1, 2, 3",
        "{}",
        "[]",
        "[{}]",
        '{"a": {"b": 1}}',
        '{"a": [], "b": []}',
        '{"rows": []}',
        "[[1, 2, 3]]",
    ],
)
def test_there_may_be_no_table(answer):
    table = parse(answer, NAMES)
    assert (table.header, table.rows, table.format) == ((), (), "")
    assert table.dropped[-1] == "there is no table"


OLD = HEAD + "| X | 1 | 1 |"


@pytest.mark.parametrize(
    "before",
    [
        f"{OLD}</{tag}>"
        for tag in ["tool_response", "tool_result", "tool_results", "tool_call", "function_results", "function_call"]
    ]
    + [f"{OLD}</information>", f"{OLD}</observation >", f"{OLD}</think>", f"{OLD}</THINKING>", f"{OLD}</reasoning>"]
    + [
        f"{OLD}</scratchpad>",
        f"<think>{OLD}</think>",
        f"<thinking mode='x'>{OLD}</thinking>",
        f"<reasoning>{OLD}</reasoning>",
    ]
    + [f"<|im_start|>user\n{OLD}<|im_start|>assistant\n", f"{OLD}<|im_start|> assistant ", f"{OLD}<|assistant|>"]
    + [f"{OLD}<|start_header_id|>assistant<|end_header_id|>\n"]
    + [f"Action: x\nObservation: {OLD}\nThought: ", f"action input: x\nobservation: {OLD}\nfinal answer: "],
)
def test_what_comes_before_the_last_word_is_no_answer(before):
    assert parse(f"{before}That is all.", NAMES).rows == ()
    assert parse(f"{before}\n{TABLE}", NAMES).rows == ROWS


@pytest.mark.parametrize(
    "tag", ["tool_response", "tool_result", "tool_results", "function_results", "information", "observation"]
)
def test_a_reply_that_never_ends_is_no_answer(tag):
    assert parse(f"<{tag}>\n{TABLE}", NAMES).dropped == ("a tool reply that doesn't end", "there is no table")
    assert parse(f"{TABLE}\n<{tag}>\n{OLD}", NAMES).rows == ROWS


@pytest.mark.parametrize("mark", ["<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end|>", "<|return|>"])
def test_marks_of_an_ended_turn_are_no_text(mark):
    table = parse(f"{TABLE}{mark}", NAMES)
    assert (table.rows, table.dropped) == (ROWS, ())


def test_text_between_reasoning_counts():
    assert parse(f"<think>a</think>\n{TABLE}\n<think>b</think> done", NAMES).rows == ROWS
    assert parse(f"Observation: none\n{TABLE}", NAMES).rows == ROWS
    assert parse(f"Action: none\n{TABLE}", NAMES).rows == ROWS


def test_a_table_that_names_few_columns_is_better_than_none():
    assert parse("| Name | x | y |\n|---|---|---|\n| a | b | c |", NAMES).rows == (("a", "b", "c"),)
    assert parse("| p | q |\n|---|---|\n| a | b |", NAMES).rows == (("a", "b"),)
    both = "| Name | x |\n|---|---|\n| a | b |\n\n| p | q |\n|---|---|\n| c | d |"
    assert parse(both, NAMES).rows == (("a", "b"),)
    assert parse("| p | q |\n|---|---|\n| c | d |\n\nName,Year,Val\nA,2001,10\nB,2002,20", NAMES).rows == ROWS
    assert parse("| p | q |\n|---|---|\n| c | d |\n\n{}", NAMES).rows == (("c", "d"),)


def test_what_is_left_out_is_said():
    table = parse(f"<think>x</think>{TABLE}\n\n| Site | URL |\n|---|---|\n| a | b |", NAMES)
    assert table.dropped == ("reasoning", "another table of 1 rows (Site | URL)")
    table = parse(f"Action: x\nObservation: y\nFinal Answer:\n{TABLE}", NAMES)
    assert table.dropped == ("everything before the end of the last observation",)
    table = parse(f"<tool_response>x</tool_response>{TABLE}", NAMES)
    assert table.dropped == ("everything before the end of the last tool call or reply",)


def test_notes_are_short():
    wide = "| " + " | ".join(f"column {i}" for i in range(9)) + " |\n" + "|---" * 9 + "|\n" + "| 1 " * 9 + "|"
    long = "| " + " | ".join("x" * 30 for i in range(9)) + " |\n" + "|---" * 9 + "|\n" + "| 1 " * 9 + "|"
    table = parse(f"{wide}\n\n{long}\n\n{HEAD}| {'y' * 90} | 1 | 2 | 3 |", NAMES)
    assert table.dropped == (
        "another table of 1 rows (column 0 | column 1 | column 2 | column 3 | column 4 | column 5)",
        f"another table of 1 rows ({'x' * 30} | {'x' * 30} | {'x' * 14})",
        f"row 1 has 4 cells for 3 columns: {'y' * 60!r}",
    )


def test_the_last_table_wins_where_no_columns_are_given():
    assert parse(TABLE + "\n\nthen\n\n" + TABLE.replace("10", "11")).rows == (("A", "2001", "11"), ROWS[1])
    assert parse("a | b\nc | d").rows == (("c", "d"),)
    assert parse(f"{HEAD}| X | 1 | 1 |\n{TABLE}").rows == ROWS
    for text in ("a | b\nc | d | e", "a, b\nc, d"):
        assert parse(text).header == ()


def test_without_keys_two_tables_are_two():
    assert parse(f"{TABLE}\n\n## B\n\n{HEAD}", NAMES).rows == ()


def test_a_header_over_again_without_a_rule_begins_no_table():
    head, (one, two) = "| Name | Year | Val |", ROWS
    text = "\n".join([head, f"| {' | '.join(one)} |", head, f"| {' | '.join(two)} |"])
    assert parse(text, NAMES).rows == (one, NAMES, two)


def test_prose_is_no_part_of_a_table():
    assert parse(f"Here it is:\n\n{TABLE}", NAMES) == parse(TABLE, NAMES)


@pytest.mark.parametrize("columns", [("Name", "Battery (mAh)"), ("Model", "Battery (mAh)"), ("Model", "Battery")])
@pytest.mark.parametrize("header", ["Name | Battery", "Name | Battery (Wh)"])
def test_units_in_headers_may_be_left_out(columns, header):
    other = "| p | q |\n|---|---|\n| r | s |"
    assert parse(f"| {header} |\n|---|---|\n| A | 1 |\n\nx\n\n{other}", columns).rows == (("A", "1"),)


def test_json_values_are_written_as_cells():
    table = parse('[{"Name": null, "Year": true, "Val": [1.50, "x"]}, {"Name": {"a": 1}, "Year": false}]', NAMES)
    assert table.rows == (("null", "Yes", "1.50; x"), ('{"a": "1"}', "No", ""))
    assert table.format == "json"


def test_odd_json_is_read_as_far_as_it_goes():
    assert parse('{"columns": "Name", "rows": [["A"]]}', NAMES).rows == ()
    assert parse('[["Name"], 5]', NAMES).rows == ()
    assert parse('[["Name", "Year"], ["A"]]', NAMES).rows == (("A", ""),)


def test_formats_are_named():
    assert parse(TABLE, NAMES).format == "markdown"
    assert parse("Name,Year,Val\nA,2001,10", NAMES).format == "csv"
    assert parse("Name\tYear\tVal\nA\t2001\t10", NAMES).format == "tsv"
    assert parse('{"Name": "A", "Year": 1, "Val": 2}\n{"Name": "B", "Year": 1, "Val": 2}', NAMES).format == "jsonl"
    assert parse('{"Name": "A", "Year": 1, "Val": 2}', NAMES).rows == (("A", "1", "2"),)


def test_ragged_csv_is_said():
    table = parse("Name,Year,Val\nA,2001\nB,2002,20,9", NAMES)
    assert table.rows == (("A", "2001", ""), ("B", "2002", "20"))
    assert table.dropped == (
        "row 1 has 2 cells for 3 columns: 'A, 2001'",
        "row 2 has 4 cells for 3 columns: 'B, 2002, 20, 9'",
    )


def test_bytes_are_decoded_or_refused():
    assert decode(b"\xef\xbb\xbfa") == "a"
    assert decode("ä".encode("utf-16")) == "ä"
    with pytest.raises(ScoreError, match=r"not UTF-8: byte 0xe4 at offset 1. Save it as UTF-8"):
        decode(b"a\xe4b")
    with pytest.raises(ScoreError, match="not UTF-16"):
        decode(b"\xff\xfea")
    with pytest.raises(ScoreError, match="An answer is a string, not bytes"):
        parse(b"x")


HOSTILE = {
    "pipes": "|" * 1_000_000,
    "pipe lines": "|\n" * 150_000,
    "rows": HEAD + "".join(f"| k{i} | {i} | {i} |\n" for i in range(40_000)),
    "nested": "[" * 500_000,
    "nested objects": '{"a":' * 200_000,
    "reasoning": "<think>" * 150_000,
    "reasoning ends": "</think>" * 120_000,
    "answers": "<answer>" * 120_000,
    "stars": HEAD + "| " + "*" * 900_000 + " | 1 | 2 |",
    "brackets": HEAD + "| " + "[" * 900_000 + " | 1 | 2 |",
    "links": HEAD + "| " + "[a](" * 200_000 + " | 1 | 2 |",
    "backticks": HEAD + "| " + "` " * 400_000 + " | 1 | 2 |",
    "ticks": HEAD + "| " + "".join("`" * (i % 97 + 1) + " " for i in range(20_000)) + " | 1 | 2 |",
    "backslashes": HEAD + "| " + "\\" * 900_000 + " | 1 | 2 |",
    "entities": HEAD + "| " + "&amp;" * 200_000 + " | 1 | 2 |",
    "fences": "```\n" * 100_000,
    "quotes": ">" * 1_000_000,
    "spaces": HEAD + "| a" + " " * 900_000 + "b | 1 | 2 |",
    "commas": "Name,Year,Val\n" + "," * 1_000_000,
    "csv quote": 'Name,Year,Val\n"' + "a,\n" * 300_000,
    "digits": HEAD + "| A | " + "9" * 900_000 + " | 1 |",
    "tags": HEAD + "| " + "<b " * 300_000 + " | 1 | 2 |",
    "json strings": '[{"' * 300_000,
    "json numbers": "[" + "1," * 400_000,
    "rules": "|---|\n" * 50_000,
    "headers": (HEAD + "\n") * 10_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_bounded_time(name):
    start = time.process_time()
    table = parse(HOSTILE[name], NAMES)
    assert isinstance(table, Table)
    assert len(table.header) <= 200
    assert time.process_time() - start < 8  # seconds, of a quadratic or exponential step


def test_a_field_beyond_the_csv_limit_ends_the_table_and_not_the_program():
    limit = csv.field_size_limit()
    text = io.StringIO()
    text.write("Name,Year,Val\nA,2001,10\n" + "x" * (limit + 1) + ",1,2\n")
    assert parse(text.getvalue(), NAMES).rows == (("A", "2001", "10"),)


def test_a_fence_with_a_pipe_is_no_row():
    table = parse(f"{TABLE}\n```a|b\n| C | 2003 | 30 |", NAMES)
    assert table.rows == ROWS


@pytest.mark.parametrize(
    ("data", "form", "rows"),
    [
        ({"columns": ["Name", "Year"], "rows": [["A", 2001], ["B", 2002]]}, "json", (("A", "2001"), ("B", "2002"))),
        ({"header": ["Name"], "data": [["A"]]}, "json", (("A",),)),
        ({"headers": ["Name"], "table": [["A"], ["B"]]}, "json", (("A",), ("B",))),
        ({"Name": ["A", "B"], "Year": [2001, 2002]}, "json", (("A", "2001"), ("B", "2002"))),
        ({"Name": ["A", "B"], "Year": 2001}, "json", (("A; B", "2001"),)),
        ({"Name": ["A", "B"], "Year": [2001]}, "json", (("A; B", "2001"),)),
        ({"columns": "Name", "rows": [["A"], ["B"]]}, "json", (("B",),)),
    ],
)
def test_shapes_of_a_table_in_json(data, form, rows):
    table = parse(json.dumps(data))
    assert (table.format, table.rows) == (form, rows)


def test_a_last_row_of_full_width_is_whole_though_its_fence_is_open():
    table = parse("```csv\nName,Year,Val\nA,2001,10\nB,2002,20", NAMES)
    assert (table.rows, table.dropped, table.cut) == (ROWS, (), True)
    table = parse("```csv\nName,Year,Val\nA,2001,10\nB,2002", NAMES)
    assert (table.rows, table.dropped, table.cut) == (ROWS[:1], ("a last row that is cut off",), True)


@pytest.mark.parametrize("rule", ["--- | ---", ":-- | --:", "–– | ––", "—— | ——", "-|-", "| :-: | :-: |"])
def test_without_columns_the_header_stands_over_the_rule(rule):
    table = parse(f"x | y\nName | Year\n{rule}\nA | 1")
    assert (table.header, table.rows, table.dropped) == (("Name", "Year"), (("A", "1"),), ())


def test_where_no_row_has_an_outer_pipe_a_short_last_row_is_ragged_and_not_cut_off():
    table = parse("Name | Year | Val\n--- | --- | ---\nA | 2001", NAMES)
    assert (table.rows, table.cut) == ((("A", "2001", ""),), False)
    table = parse("| Name | Year | Val |\n|---|---|---|\n| A | 2001 |", NAMES)
    assert (table.rows, table.cut) == ((("A", "2001", ""),), False)


def test_reasoning_within_reasoning_that_does_not_end_holds_no_answer():
    assert parse(f"<think>a<think>b</think>\n{TABLE}", NAMES).header == ()
    assert parse(f"<think>a<think>b</think>c</think>\n{TABLE}", NAMES).rows == ROWS


PRICE = (Column("Price (EUR)", "int", unit="EUR"),)


@pytest.mark.parametrize(
    "answer",
    [
        "Price (EUR)\n1250",
        "```csv\nPrice (EUR)\n1250\n```",
        "I found it.\n\nPrice (EUR)\n1250\n",
        'Price (EUR)\n"1,250"',
    ],
)
def test_a_column_alone_is_a_table(answer):
    found = score(answer, PRICE, [(1250,)])
    assert (found.item.f1, found.success) == (1.0, True)


@pytest.mark.parametrize("answer", ["1250", "The price is 1250 EUR.", "Price (EUR)\n1250\n1300", "Price (EUR)\n1300"])
def test_a_value_alone_is_none_and_a_second_guess_takes_the_first_away(answer):
    assert score(answer, PRICE, [(1250,)]).item.f1 == 0.0
