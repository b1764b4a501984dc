"""Tables that are written as JSON, JSON lines, CSV or TSV."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from .table import FENCE, WIDEST, Table, header_name, names_columns

_JSON_STARTS = re.compile(r"^[ \t]*(?=[\[{])", re.MULTILINE)


def record_tables(text: str, wanted: frozenset[str]) -> Iterator[Table]:
    """Yield tables written as JSON, JSON lines, CSV or TSV, in fences or bare, in order."""
    for block, open_end in _fenced(text):
        started = _JSON_STARTS.search(block)
        tables = [*_json_tables(block[started.end() :])] if started else []
        yield from tables or _separated(block.strip(), wanted, open_end)


def _fenced(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text in fences and between them, and whether the text ends inside the fence."""
    part: list[str] = []
    inside = False
    for line in text.split("\n"):
        if FENCE.match(line):
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
    while opening := _VALUE_STARTS.search(text, at):
        try:
            value, at = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            inner = _OPEN_LIST.match(text, opening.start())
            if cut or values or not inner:
                return values, True
            cut, at = True, inner.end()
            continue
        values.append(value)
    return values, cut


def _from_json(data: Any) -> Iterator[Table]:
    """Read a table's shapes in JSON: records, rows under a header, columns of one length, or one of these named."""
    if isinstance(data, list):
        if table := _from_records(data, "json"):
            yield table
    else:
        names = data.get("columns") or data.get("header") or data.get("headers")
        rows = data.get("rows") or data.get("data") or data.get("table")
        if isinstance(names, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows):
            yield from filter(None, [_from_records([names, *rows], "json")])
            return
        lists = [value for value in data.values() if isinstance(value, list)]
        nested = [value for value in lists if all(isinstance(item, dict | list) for item in value)]
        if nested:
            for value in nested:
                yield from _from_json(value)
        elif lists and len(lists) == len(data) and len({len(value) for value in lists}) == 1:
            yield from filter(None, [_from_records([list(data), *map(list, zip(*lists, strict=True))], "json")])
        elif data and not any(isinstance(value, dict) for value in data.values()):
            yield from filter(None, [_from_records([data], "json")])


def _from_records(records: list[Any], form: str) -> Table | None:
    if any(records) and all(isinstance(record, dict) for record in records):
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
    """Read CSV or TSV from the first line whose cells match at least half of the columns, to the next blank line.

    Where one column is asked for, its name alone on a line is such a line.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        for separator in "\t,;":
            if separator not in line and len(wanted) != 1:
                continue
            names = next(_csv([line], separator), [])
            if not names_columns(names, wanted):
                continue
            body = lines[number + 1 :]
            rows = [row for row in _csv(body, separator) if row]
            yield _csv_table(names, rows, "tsv" if "\t" in line else "csv", cut=open_end)
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
    return Table(tuple(map(header_name, names)), fit, tuple(dropped), form, cut)
