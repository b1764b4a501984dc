"""WideSearch's own arithmetic, for figures that compare with published ones.

The rules are those of the benchmark's evaluator at commit 0e664c3 run without a language model: the first table in the
text, exact column names, types guessed a column at a time, its four metrics. An honest answer gets the evaluator's
numbers, its harshness included. A column judged by a language model there is compared as folded text. It differs in:

- Copied keys: a row written twice counts once and its copies count against it; there each copy earns again, if its key
  is spelt otherwise, so that F1 passes 1.
- Cells that neither side can read: equal if they are the same text, or both say that there is none ("-", "/", "not
  available"); there any two texts without a digit are one number, without a date one day, without an address one
  address. An empty cell, NA or null says so only where the gold is such a cell: they can't be told from no answer.
- A fragment of a text never matches the whole; there it does, an empty cell included.
- Bare years, days without a year and quarters are no dates; there they are filled up from today's date. Nor is an empty
  cell, which its date reader takes for a month, "nan" being one in some language.
- Dates as YYYYMMDD, years of three digits and months with a two-digit year ("Mar '29") are read here and not there.

Two-digit years are of 1969 to 2068 here as there; of a date in digits the month comes first if it can.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from .column import Column, ScoreError, Value
from .figures import ColumnFigures, Rates, Score, WrongCell
from .text import fold, without_markup
from .values.column_values import show
from .values.dates import full_year, read_date
from .values.readers import FILLERS

_MISSING = frozenset(
    ("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA")
) | frozenset(("NULL", "NaN", "None", "n/a", "nan", "null"))
_FENCED = re.compile(r"```markdown(.*?)```", re.DOTALL)
_WHOLE = re.compile(r"[-+]?\d+")
_DECIMAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?inf(?:inity)?", re.IGNORECASE)
_TRUTH = {"true": "True", "TRUE": "True", "True": "True", "false": "False", "FALSE": "False", "False": "False"}
_FIRST_NUMBER = re.compile(r"[-+]?(?:\d*\.\d+|\d+\.?\d*)%?")
_HOST = re.compile(r"https?://([^/\s?#)\]>]+)")
_DAYS = 31

_Frame = dict[str, list[str]]


class _NoTableError(Exception):
    """The evaluator would find no table in this text, or fail on it: its figures are zeros."""


def score_widesearch(answer: str, evaluation: Mapping[str, Any], gold_csv: str) -> Score:
    """Score an answer as the benchmark would.

    Args:
        answer: the agent's text.
        evaluation: the benchmark's dictionary of `unique_columns`, `required` and `eval_pipeline`.
        gold_csv: the gold table as CSV, with or without a byte order mark.

    Raises ScoreError for an answer that is no text, a column the gold lacks, an unknown metric, or a number_near
    without criterion.
    """
    if not isinstance(answer, str):
        raise ScoreError(f"An answer is a string, not {type(answer).__name__}: {answer!r:.80}.")
    required, keys = list(evaluation["required"]), list(evaluation["unique_columns"])
    pipeline = evaluation["eval_pipeline"]
    _check(pipeline, required)
    gold = _gold(gold_csv, required)
    try:
        answer_frame, note = _read(answer), ""
    except _NoTableError as reason:
        answer_frame, note = {}, str(reason)
    if answer_frame and set(answer_frame) != set(required):
        answer_frame, note = {}, f"the columns {sorted(answer_frame)} are not {sorted(required)}"
    return _figures(answer_frame, gold, _Rules(required, keys, pipeline), note)


def widesearch_task(columns: Sequence[Column], gold: Sequence[Sequence[Value]]) -> tuple[dict[str, Any], str]:
    """Return a task's reference as the benchmark keeps it: the evaluation dictionary and the gold table as CSV.

    Keys, years and texts are matched exactly, numbers within the column's tolerance, dates within the benchmark's 31
    days, addresses by host. The third part, the question, is the task's own.
    """
    pipeline: dict[str, dict[str, Any]] = {}
    for col in columns:
        preprocess, metric = ("norm_str", "exact_match") if col.key else _OWN.get(col.kind, ("norm_str", "exact_match"))
        item: dict[str, Any] = {"preprocess": [preprocess], "metric": [metric]}
        if metric == "number_near":
            item["criterion"] = col.tolerance
        pipeline[_column_key(col.name)] = item
    keys = [_column_key(col.name) for col in columns if col.key]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([col.name for col in columns])
    writer.writerows([show(value, col) for value, col in zip(row, columns, strict=True)] for row in gold)
    return {"unique_columns": keys, "required": list(pipeline), "eval_pipeline": pipeline}, out.getvalue()


_OWN = {
    "int": ("extract_number", "number_near"),
    "num": ("extract_number", "number_near"),
    "date": ("norm_date", "date_near"),
    "url": ("norm_str", "url_match"),
}


def _check(pipeline: Mapping[str, Any], required: Sequence[str]) -> None:
    for name in required:
        if name not in pipeline:
            raise ScoreError(f"The evaluation has no entry for the required column {name!r}.")
        metric = _metric(pipeline[name])
        if metric not in _METRICS:
            raise ScoreError(f"Column {name!r} has the metric {metric!r}; known: {', '.join(_METRICS)}.")
        if metric == "number_near" and not isinstance(pipeline[name].get("criterion"), int | float):
            raise ScoreError(f"Column {name!r} is number_near without a criterion, which the benchmark can't score.")


def _metric(item: Mapping[str, Any]) -> str:
    metrics = item.get("metric") or [""]
    return str(metrics[0])


def _column_key(name: str) -> str:
    return name.strip().lower().replace(" ", "")


def _gold(text: str, required: Sequence[str]) -> _Frame:
    try:
        frame = {_column_key(name): cells for name, cells in _typed(_fields(text.lstrip("﻿"), ",")).items()}
    except _NoTableError as reason:
        raise ScoreError(f"The gold table can't be read: {reason}.") from reason
    lacking = [name for name in required if name not in frame]
    if lacking:
        raise ScoreError(f"The gold table has no column {lacking[0]!r}; it has {', '.join(map(repr, frame))}.")
    return {name: frame[name] for name in required}


def _read(answer: str) -> _Frame:
    """Take the table the evaluator would take, as columns of text."""
    block = _block(answer).strip()
    head, *body = block.split("\n")
    kept = [line for line in (head.replace(" ", "").lower(), *body) if "|" in line and set(line.strip()) - set("|- :")]
    if not kept:
        raise _NoTableError("there is no line with cells")
    text = "\n".join("|".join(cell.strip() for cell in line.strip().split("|")) for line in kept)
    frame = _typed(_fields(text, "|"))
    return {_column_key(name): cells for name, cells in frame.items() if not name.startswith("Unnamed")}


def _block(answer: str) -> str:
    fenced = _FENCED.search(answer)
    if fenced:
        return fenced[1]
    if answer.count("|") < 4:
        raise _NoTableError("there is no fenced table and no line of pipes")
    lines = answer[answer.index("|") :].split("\n")
    run = [lines[0]]
    for line in lines[1:]:
        if not line.startswith("|"):
            break
        run.append(line)
    return "\n".join(run)


def _fields(text: str, separator: str) -> list[list[str]]:
    """Split as a data frame's CSV reader does: blank lines skipped, an open quote is an error."""
    try:
        rows = [r for r in csv.reader(io.StringIO(text), delimiter=separator, strict=True) if r and r != [""]]
    except csv.Error as error:
        raise _NoTableError(f"the table can't be split: {error}") from error
    if not rows:
        raise _NoTableError("the table is empty")
    return rows


def _typed(rows: list[list[str]]) -> _Frame:
    """Name the columns and write each column's cells as they print once the column has one type.

    If the first row is wider than the header, its first cells become row labels and all columns move; a later row that
    is wider still is an error. Narrow rows end in missing cells.
    """
    header, body = rows[0], rows[1:]
    labels = max(0, len(body[0]) - len(header)) if body else 0
    width = len(header) + labels
    for row in body:
        if len(row) > width:
            raise _NoTableError(f"a row has {len(row)} cells for {width}")
    frame: _Frame = {}
    for i, name in enumerate(header):
        cells = [row[i + labels] if i + labels < len(row) else "" for row in body]
        frame[_unique(name or f"Unnamed: {i}", frame)] = _as_one_type(cells)
    return frame


def _unique(name: str, taken: Mapping[str, object]) -> str:
    names = [name, *(f"{name}.{n}" for n in range(1, len(taken) + 1))]
    return next(n for n in names if n not in taken)


def _as_one_type(cells: list[str]) -> list[str]:
    present = [cell for cell in cells if cell not in _MISSING]
    missing = len(present) < len(cells)
    if present and all(map(_WHOLE.fullmatch, present)):
        if not missing:
            return [str(int(cell)) for cell in cells]
    elif present and not missing and all(cell in _TRUTH for cell in present):
        return [_TRUTH[cell] for cell in cells]
    if all(map(_DECIMAL.fullmatch, present)):
        return ["nan" if cell in _MISSING else str(float(cell)) for cell in cells]
    return ["nan" if cell in _MISSING else cell for cell in cells]


# ---- what the benchmark does to a cell before comparing, and how it compares


def _norm_str(cell: str) -> str:
    return cell.lower().strip().replace(" ", "").replace("*", "")


def _extract_number(cell: str) -> str:
    # The benchmark writes NULL for every text without a number, and so makes them all equal: here they stay apart.
    number_match = _FIRST_NUMBER.search(cell.replace(",", ""))
    return number_match[0] if number_match else cell.strip().lower()


def _norm_date(cell: str) -> str:
    day = _day(cell)
    return day.isoformat() if day else cell


_PREPROCESS = {"norm_str": _norm_str, "extract_number": _extract_number, "norm_date": _norm_date}


_SHORT_YEAR = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{2})")


def _day(cell: str) -> date | None:
    """Read a date; of an ambiguous one, month first; of a month, its first day. A bare year is no date."""
    if short := _SHORT_YEAR.fullmatch(cell.strip()):
        one, _, other, last = short.groups()
        orders = (f"{one}/{other}/{_in_full(last)}", f"{_in_full(one)}-{other}-{last}")
        readings = next(filter(None, map(read_date, orders)), ())
    else:
        readings = read_date(full_year(cell, _FIRST_YEAR))
    if not readings or readings[-1].lo is None or readings[-1].hi is None or readings[-1].hi - readings[-1].lo > _DAYS:
        return None
    return date.fromordinal(int(readings[-1].lo))


_FIRST_YEAR = 1969  # of the hundred that two digits stand for


def _in_full(year: str) -> str:
    return str(_FIRST_YEAR + (int(year) - _FIRST_YEAR) % 100)


def _exact(cell: str, gold: str, _criterion: Any) -> bool:
    return cell.lower() == gold.lower()


def _judged(cell: str, gold: str, _criterion: Any) -> bool:
    return fold(without_markup(cell)) == fold(without_markup(gold)) != ""


def _number(cell: str) -> float | None:
    if not any(mark.isdigit() for mark in cell):
        return None  # float() would read "nan" and "infinity"
    try:
        return float(cell.replace("%", "")) / (100.0 if "%" in cell else 1.0)
    except ValueError:
        return None


def _number_near(cell: str, gold: str, criterion: Any) -> bool:
    one, other = _number(cell), _number(gold)
    if one is None or other is None:
        return one is other is None and _same_text(cell, gold)
    return bool(abs(one - other) <= abs(other) * criterion)


def _date_near(cell: str, gold: str, _criterion: Any) -> bool:
    one, other = _day(cell), _day(gold)
    if one is None or other is None:
        return one is other is None and _same_text(cell, gold)
    return abs((one - other).days) <= _DAYS


def _url_match(cell: str, gold: str, _criterion: Any) -> bool:
    hosts = set(_HOST.findall(cell))
    return hosts == set(_HOST.findall(gold)) and (bool(hosts) or _same_text(cell, gold))


_NONE = frozenset(FILLERS) - {"nan"}  # which is what every empty cell reads


def _same_text(cell: str, gold: str) -> bool:
    return cell == gold or _NONE.issuperset((cell.strip().lower(), gold.strip().lower()))


_METRICS = {
    "exact_match": _exact,
    "llm_judge": _judged,
    "number_near": _number_near,
    "date_near": _date_near,
    "url_match": _url_match,
    "in_match": _exact,
}


class _Rules(NamedTuple):
    required: Sequence[str]
    keys: Sequence[str]
    pipeline: Mapping[str, Any]


def _figures(answer_frame: _Frame, gold: _Frame, rules: _Rules, note: str) -> Score:
    required, keys, pipeline = rules
    rows, golds = _distinct(answer_frame, rules), _distinct(gold, rules)
    notes = [note] if note else []
    if answer_frame and len(rows) < len(next(iter(answer_frame.values()))):
        notes.append("rows with a key written before, letter for letter")
    prepared, wanted = _prepared(rows, rules), _prepared(golds, rules)
    place = {name: i for i, name in enumerate(required)}
    claims: dict[tuple[str, ...], list[int]] = {}
    for i, row in enumerate(prepared):
        claims.setdefault(tuple(row[place[k]] for k in keys), []).append(i)
    others = [name for name in required if name not in keys]
    right = dict.fromkeys(required, 0)
    matched: list[tuple[int, int]] = []
    wrong: list[WrongCell] = []
    duplicate: list[int] = []
    whole = 0
    for j, row in enumerate(wanted):
        members = claims.pop(tuple(row[place[k]] for k in keys), [])
        if not members:
            continue
        matched.append((members[0], j))
        duplicate += members[1:]
        bad = [n for n in others if not all(_equal(prepared[i][place[n]], row[place[n]], pipeline[n]) for i in members)]
        wrong += [WrongCell(j, n, golds[j][place[n]], rows[members[0]][place[n]], "different") for n in bad]
        whole += not bad
        for name in required:
            right[name] += name not in bad
    n, m = len(rows), len(golds)
    row_rates = Rates.of(whole, n, m)
    spare = sum(right[name] for name in others)
    nonkey = Rates.of(spare, n * len(others), m * len(others)) if others else row_rates
    columns = tuple(Column(name, "text", key=name in keys) for name in required)
    taken = {j for _, j in matched}
    return Score(
        item=Rates.of(sum(right.values()), n * len(required), m * len(required)),
        row=row_rates,
        nonkey=nonkey,
        earned=nonkey,
        earned_rows=row_rates,
        success=whole == n == m,
        columns=tuple(
            ColumnFigures(name, name in answer_frame, right[name], Rates.of(right[name], n, m), _metric(pipeline[name]))
            for name in required
        ),
        matched=tuple(matched),
        missing=tuple(j for j in range(m) if j not in taken),
        extra=tuple(sorted(i for members in claims.values() for i in members)),
        duplicate=tuple(sorted(duplicate)),
        wrong=tuple(wrong),
        notes=tuple(notes),
        has_table=bool(answer_frame),
        has_columns=bool(answer_frame),
        cut=False,
        format="markdown" if answer_frame else "",
        rows=rows,
        reference=(columns, golds),
    )


def _distinct(frame: _Frame, rules: _Rules) -> tuple[tuple[str, ...], ...]:
    """Turn columns into rows and keep the first of those whose keys are spelled alike."""
    rows = [*zip(*(frame[name] for name in rules.required), strict=True)] if frame else []
    places = [rules.required.index(key) for key in rules.keys]
    first: dict[tuple[str, ...], tuple[str, ...]] = {}
    for row in rows:
        first.setdefault(tuple(row[p] for p in places), row)
    return tuple(first.values())


def _prepared(rows: Sequence[tuple[str, ...]], rules: _Rules) -> list[tuple[str, ...]]:
    steps = [[_PREPROCESS[name] for name in rules.pipeline[column].get("preprocess", ())] for column in rules.required]
    out = []
    for row in rows:
        cells = list(row)
        for i, functions in enumerate(steps):
            for function in functions:
                cells[i] = function(cells[i])
        out.append(tuple(cells))
    return out


def _equal(cell: str, gold: str, item: Mapping[str, Any]) -> bool:
    return _METRICS[_metric(item)](cell, gold, item.get("criterion"))
