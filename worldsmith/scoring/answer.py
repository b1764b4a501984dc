"""The table in what an agent wrote: Markdown, CSV, TSV or JSON, after its reasoning and its last tool reply.

The last table wins. Where the columns asked for are known, it is the last one whose header matches most of them, so
that a table of sources after the answer does no harm. What is left out on the way is told in `Table.dropped`.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .column import ScoreError
from .text import fold, plain, squash

WIDEST = 200  # columns of a header that are looked at; a megabyte of pipes is no table


@dataclass(frozen=True, slots=True)
class Table:
    """A table as text: no header and no rows when the answer holds none.

    Attributes:
        header: the column names as written, without markup.
        rows: the cells as written (only pipes unescaped, `<br>` kept), each row as wide as the header.
        dropped: what was left out, in words, in the order met.
        format: "markdown", "csv", "tsv", "json", "jsonl", or "" for no table.
        cut: whether the text ends inside the table.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    dropped: tuple[str, ...] = ()
    format: str = ""
    cut: bool = False


NO_TABLE = Table((), ())


def decode(data: bytes) -> str:
    """Return the text of a file: UTF-8, or UTF-16 with a byte order mark. Raises ScoreError on anything else."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    else:
        encoding = "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ScoreError(
            f"The text is not {encoding.removesuffix('-sig').upper()}: byte {data[error.start]:#04x} at offset "
            f"{error.start}. Save it as UTF-8."
        ) from error


def parse(text: str, columns: Sequence[str] = ()) -> Table:
    """Return the last table of an answer, or the last whose header matches most of `columns`.

    Raises ScoreError when the answer is no text.
    """
    if not isinstance(text, str):
        raise ScoreError(f"An answer is a string, not {type(text).__name__}: {text!r:.80}.")
    notes: list[str] = []
    body = final_text(text, notes)
    wanted = frozenset(header_key(c) for c in columns)
    tables = [*_markdown_tables(body, wanted)]
    best = _choose(tables, wanted)
    if best is None or not _matches(best, wanted):
        others = [*_other_tables(body, wanted)]
        other = _choose(others, wanted)
        if other is not None and (best is None or _matches(other, wanted)):
            tables, best = others, other
    if best is None:
        return replace(NO_TABLE, dropped=(*notes, "there is no table"))
    for table in tables:
        if table is not best:
            notes.append(f"another table of {len(table.rows)} rows ({' | '.join(table.header[:6])[:80]})")
    return _without_empty_rows(replace(best, dropped=(*notes, *best.dropped)))


def header_key(name: str) -> str:
    """Return the name of a column as it is compared: folded, without its spaces."""
    return squash(fold(plain(name)))


def _matches(table: Table, wanted: frozenset[str]) -> int:
    return len(wanted.intersection(map(header_key, table.header[:WIDEST]))) if wanted else 1


def _choose(tables: list[Table], wanted: frozenset[str]) -> Table | None:
    """Return the last table that matches at least half of the columns, else the last of those that match most."""
    best, most = None, -1
    for table in tables:
        count = _matches(table, wanted)
        enough = min(count, (len(wanted) + 1) // 2)
        if enough >= most:
            best, most = table, enough
    return best


# ---- the part of the text that counts

_REASONING = re.compile(r"<(/?)(?:think|thinking|reasoning|scratchpad)\b[^<>]{0,80}>", re.I)
_REPLY_ENDS = re.compile(
    r"</(?:tool_response|tool_results?|tool_call|function_results|function_call|information|observation)\s*>", re.I
)
_REPLY_STARTS = re.compile(
    r"<(?:tool_response|tool_results?|function_results|information|observation)\b[^<>]{0,80}>", re.I
)
_TURN = re.compile(
    r"<\|im_start\|>\s{0,9}assistant\s|<\|start_header_id\|>\s{0,9}assistant\s{0,9}<\|end_header_id\|>|<\|assistant\|>",
    re.I,
)
_TURN_ENDS = re.compile(r"<\|(?:im_end|eot_id|endoftext|end|return)\|>")
_ANSWER = re.compile(r"<answer\b[^<>]{0,80}>(.*?)(?:</answer\s*>|\Z)", re.DOTALL | re.I)
_REACT_REPLY = re.compile(r"^observation:", re.M | re.I)
_REACT_SAYS = re.compile(r"^(?:thought|final answer):", re.M | re.I)
_REACT_ACTS = re.compile(r"^action(?: input)?:", re.M | re.I)
_HIDDEN = re.compile("[\0\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")


def final_text(text: str, notes: list[str]) -> str:
    """Return what the agent says last: after its last tool reply and turn mark, without reasoning, in <answer> if any.

    Appends to `notes` what was left out. A tool reply that never ends, and reasoning that never ends, hold no answer.
    """
    text = _HIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if _REACT_ACTS.search(text):
        text = _after_react(text, notes)
    if "<" not in text:
        return text
    if turns := [*_TURN.finditer(text)]:
        text = text[turns[-1].end() :]
    text = _TURN_ENDS.sub("\n", text)
    if replies := [*_REPLY_ENDS.finditer(text)]:
        notes.append("everything before the end of the last tool call or reply")
        text = text[replies[-1].end() :]
    if started := _REPLY_STARTS.search(text):
        notes.append("a tool reply that doesn't end")
        text = text[: started.start()]
    text = _without_reasoning(text, notes)
    answers = [*_ANSWER.finditer(text)]
    return answers[-1][1] if answers else text


def _after_react(text: str, notes: list[str]) -> str:
    replies = [*_REACT_REPLY.finditer(text)]
    if not replies:
        return text
    notes.append("everything before the end of the last observation")
    said = _REACT_SAYS.search(text, replies[-1].end())
    return text[said.end() :] if said else ""


def _without_reasoning(text: str, notes: list[str]) -> str:
    """Cut out reasoning blocks; an end without a start (templates open the block for the model) cuts all before it."""
    kept: list[str] = []
    depth = at = 0
    for tag in _REASONING.finditer(text):
        if tag[1] and not depth:
            kept.clear()
        elif not tag[1] and not depth:
            kept.append(text[at : tag.start()])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        at = tag.end()
    if at:
        notes.append("reasoning")
    return "\n".join(kept) + ("" if depth else text[at:])


# ---- Markdown

_FENCE = re.compile(r"\s{0,12}(?:```|~~~)")
_QUOTE = re.compile(r"^(?:\s{0,3}>\s?)+")
_RULE_CELL = re.compile(r":?-+:?|:?[–—]+:?")


@dataclass(slots=True)
class _Line:
    cells: list[str]
    inner: str  # what stands between the outer pipes
    left: bool  # begins with a pipe
    right: bool  # ends with one
    last: bool  # nothing but blank lines follows


def _markdown_tables(text: str, wanted: frozenset[str]) -> Iterator[Table]:
    """Yield the tables in order: runs of lines with pipes, with a rule below the header or a header that matches."""
    for block, fenced_open in _blocks(text):
        yield from _tables_of(block, wanted, fenced_open)


def _blocks(text: str) -> Iterator[tuple[list[_Line], bool]]:
    """Yield runs of lines with pipes. One blank line doesn't end a run; a fence or a line of prose does."""
    run: list[_Line] = []
    blank = 0
    in_fence = False
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    for number, raw in enumerate(lines):
        line = raw
        if line.lstrip()[:1] == ">":
            line = _QUOTE.sub("", line)
        fence = _FENCE.match(line) is not None
        if not fence and ("|" in line or "｜" in line):
            run.append(_split(line, last=number == len(lines) - 1))
            blank = 0
            continue
        in_fence = in_fence != fence
        blank = 0 if line.strip() else blank + 1
        if run and (blank != 1):
            yield run, False
            run = []
    if run:
        yield run, in_fence


def _split(line: str, *, last: bool) -> _Line:
    if "|" not in line:
        line = line.replace("｜", "|")
    line = line.strip()
    left = line.startswith("|")
    right = line.endswith("|") and not line.endswith("\\|") and len(line) > left
    inner = line[left : len(line) - right]
    return _Line(_cells(inner), inner, left, right, last)


_PIPE = re.compile(r"\\\\|\\\||`+|\|")


def _cells(inner: str, *, code: bool = True) -> list[str]:
    """Split at the pipes that are neither escaped nor, with `code`, inside a closed code span."""
    if "\\" not in inner and "`" not in inner:
        return [cell.strip() for cell in inner.split("|")]
    cells, start, skip_to = [], 0, 0
    for found in _PIPE.finditer(inner):
        if found.start() < skip_to:
            continue
        if found[0] == "|":
            cells.append(inner[start : found.start()])
            start = found.end()
        elif code and found[0][0] == "`":
            closing = inner.find(found[0], found.end())
            skip_to = closing + len(found[0]) if closing >= 0 else 0
    cells.append(inner[start:])
    return [cell.strip().replace("\\|", "|") for cell in cells]


def _is_rule(line: _Line) -> bool:
    filled = [cell for cell in line.cells if cell]
    return bool(filled) and all(_RULE_CELL.fullmatch(cell.replace(" ", "")) for cell in filled)


def _tables_of(run: list[_Line], wanted: frozenset[str], fenced_open: bool) -> Iterator[Table]:
    heads = [i for i in range(len(run) - 1) if _is_rule(run[i + 1]) and not _is_rule(run[i])]
    # A row of dashes among the data makes no header of the row above it, unless that row looks like one.
    heads = [i for i in heads if i == heads[0] or _header_like(run[i], wanted) or run[i].cells == run[heads[0]].cells]
    if not heads:
        heads = [i for i, line in enumerate(run) if _header_like(line, wanted)][:1]
    if not heads and not wanted and len(run) > 1 and len({len(line.cells) for line in run}) == 1:
        heads = [0]
    for start, end in zip(heads, [*heads[1:], len(run)], strict=True):
        ruled = start + 1 < len(run) and _is_rule(run[start + 1])
        yield _table(run[start], run[start + 1 + ruled : end], fenced_open)


def _header_like(line: _Line, wanted: frozenset[str]) -> bool:
    names = {header_key(cell) for cell in line.cells[:WIDEST]}
    return bool(wanted) and 2 * len(wanted & names) >= len(wanted)


def _table(head: _Line, body: Iterable[_Line], fenced_open: bool) -> Table:
    header = tuple(plain(cell) for cell in head.cells[:WIDEST])
    width = len(header)
    rows: list[tuple[str, ...]] = []
    dropped: list[str] = []
    cut = fenced_open
    for line in body:
        cells = line.cells
        if not head.left and line.left and len(cells) == width - 1:
            cells = ["", *cells]
        if len(cells) != width and "`" in line.inner:  # strictly, GFM knows no pipes inside code
            other = _cells(line.inner, code=False)
            cells = other if len(other) == width else cells
        if len(cells) < width and line.last and head.right and not line.right:
            dropped.append(f"a last row that is cut off: {' | '.join(cells)[:60]!r}")
            cut = True
            continue
        if len(cells) != width:
            dropped.append(
                f"row {len(rows) + 1} has {len(cells)} cells for {width} columns: {' | '.join(cells)[:60]!r}"
            )
        rows.append((*cells[:width], *[""] * (width - len(cells))))
    return Table(header, tuple(rows), tuple(dropped), "markdown", cut)


def _without_empty_rows(table: Table) -> Table:
    """Drop rows that hold nothing but blanks and dashes."""
    kept = tuple(row for row in table.rows if not all(_blank(cell) for cell in row))
    empty = len(table.rows) - len(kept)
    if not empty:
        return table
    return replace(table, rows=kept, dropped=(*table.dropped, f"{empty} rows of blanks or dashes"))


def _blank(cell: str) -> bool:
    return not cell or not cell.strip("-–— \t\xa0:")


# ---- everything else


_JSON_STARTS = re.compile(r"^[ \t]*(?=[\[{])", re.M)


def _other_tables(text: str, wanted: frozenset[str]) -> Iterator[Table]:
    """Yield tables written as JSON, JSON lines, CSV or TSV, in fences or bare, in order."""
    for block, open_end in _fenced(text):
        started = _JSON_STARTS.search(block)
        if started:
            yield from _json_tables(block[started.end() :])
        yield from _separated(block.strip(), wanted, open_end)


def _fenced(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text in fences and between them, and whether the text ends inside the fence."""
    part: list[str] = []
    inside = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            yield "\n".join(part), False
            part, inside = [], not inside
        else:
            part.append(line)
    yield "\n".join(part), inside


# Numbers stay as they were written: "1.50" is not 1.5 in a column of text, and ten thousand digits are no number.
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
_VALUE_STARTS = re.compile(r"[{\[]")
_OPEN_LIST = re.compile(r'(?:\{\s*"[^"]{0,60}"\s*:\s*)?\[\s*(?=[{\[])')


def _json_tables(text: str) -> Iterator[Table]:
    values, cut = _json_values(text)
    if len(values) > 1 or cut:
        table = _from_records(values, "jsonl")
        notes = ("JSON that is cut off: only its whole rows count",) if cut else ()
        if table:
            yield replace(table, dropped=notes, cut=cut)
        return
    for value in values:
        yield from _from_json(value)


def _json_values(text: str) -> tuple[list[Any], bool]:
    """Decode the values that stand one after the other; of a last list that is cut off, the members that are whole."""
    values: list[Any] = []
    at, cut = 0, False
    while found := _VALUE_STARTS.search(text, at):
        try:
            value, at = _DECODER.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            inner = _OPEN_LIST.match(text, found.start())
            if cut or values or not inner:
                return values, True
            cut, at = True, inner.end()
            continue
        values.append(value)
    return values, cut


def _from_json(data: Any) -> Iterator[Table]:
    """Read the shapes a table takes in JSON: records, rows under a header, columns of equal length, one of these named."""
    if isinstance(data, list):
        if table := _from_records(data, "json"):
            yield table
    elif isinstance(data, dict):
        names = data.get("columns") or data.get("header") or data.get("headers")
        rows = data.get("rows") or data.get("data") or data.get("table")
        if isinstance(names, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows):
            yield from filter(None, [_from_records([names, *rows], "json")])
            return
        lists = [value for value in data.values() if isinstance(value, list) and value]
        nested = [value for value in lists if all(isinstance(item, dict | list) for item in value)]
        if nested:
            for value in nested:
                yield from _from_json(value)
        elif lists and len(lists) == len(data) and len({len(value) for value in lists}) == 1:
            yield from filter(None, [_from_records([list(data), *map(list, zip(*lists, strict=True))], "json")])
        elif data and not any(isinstance(value, dict) for value in data.values()):
            yield from filter(None, [_from_records([data], "json")])


def _from_records(records: list[Any], form: str) -> Table | None:
    if records and all(isinstance(record, dict) for record in records):
        header = tuple(dict.fromkeys(str(name) for record in records for name in record))[:WIDEST]
        rows = tuple(tuple(_json_cell(record[n]) if n in record else "" for n in header) for record in records)
        return Table(header, rows, (), form)
    if len(records) > 1 and all(isinstance(record, list) for record in records):
        header = tuple(_json_cell(name) for name in records[0])[:WIDEST]
        fit = [tuple(map(_json_cell, row))[: len(header)] for row in records[1:]]
        return Table(header, tuple((*row, *[""] * (len(header) - len(row))) for row in fit), (), form)
    return None


def _json_cell(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "Yes" if value else "No"
        case str():
            return value
        case list():
            return "; ".join(_json_cell(item) for item in value if not isinstance(item, list | dict))
        case _:
            return json.dumps(value, ensure_ascii=False)


def _separated(text: str, wanted: frozenset[str], open_end: bool) -> Iterator[Table]:
    """Read CSV or TSV from the first line whose cells match at least half of the columns, to the next blank line."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        for separator in "\t,;":
            if separator not in line or len(line) > 20_000:
                continue
            names = next(_csv([line], separator), [])
            if not _header_like(_Line(names, line, False, False, False), wanted):
                continue
            body = lines[number + 1 :]
            rows = [row for row in _csv(body, separator) if row]
            yield _csv_table(names, rows, "tsv" if separator == "\t" else "csv", cut=open_end)
            return


def _csv(lines: list[str], separator: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO("\n".join(lines)), delimiter=separator, skipinitialspace=True)
    try:
        for row in reader:
            if not row:
                return
            yield [cell.strip() for cell in row]
    except csv.Error:  # a field of a megabyte: what came before it counts
        return


def _csv_table(names: list[str], rows: list[list[str]], form: str, *, cut: bool) -> Table:
    width = len(names)
    dropped = [
        f"row {i} has {len(r)} cells for {width} columns: {', '.join(r)[:60]!r}"
        for i, r in enumerate(rows, 1)
        if len(r) != width
    ]
    if cut and rows and len(rows[-1]) < width:
        rows = rows[:-1]
        dropped[-1] = "a last row that is cut off"
    fit = tuple((*row[:width], *[""] * (width - len(row))) for row in rows)
    return Table(tuple(plain(n) for n in names), fit, tuple(dropped), form, cut)
