"""Score an answer against its reference, explain the score, and score many.

Rows are matched one to one on canonical keys. Whatever is written twice counts as given twice; where several rows
claim one row of the reference, only what all of them have right is right, so that guessing again never pays.
A reference or an answer that can't be scored raises ScoreError; a bug is an exception, never a 0.
"""

import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

from .claims import ClaimsByGoldRow, cell_verdicts, claimed_rows
from .column import Column, ScoreError, Value
from .compat_widesearch import score_widesearch
from .conventions import group_headings, non_data_reason, normalized_rows, with_dates_resolved
from .figures import (
    VERSION,
    ColumnFigures,
    ExplainedCell,
    ExplainedRow,
    Rates,
    Score,
    Status,
    WrongCell,
    criterion,
    earned_rates,
)
from .headers import header_unit, with_header_unit
from .match import match_columns
from .parsing.answer import parse
from .parsing.table import Table
from .reference import Reference, Row
from .separators import with_english_numbers
from .values.canonical import is_right, show

__all__ = [
    "VERSION",
    "Failure",
    "Reference",
    "Score",
    "explain",
    "score",
    "score_many",
    "score_table",
    "score_widesearch",
]


def score(answer: str, columns: Sequence[Column], gold: Sequence[Sequence[Value]]) -> Score:
    """Score an agent's answer against gold rows; values are JSON values, dates ISO text, null None.

    Known properties, which follow from F1 over rows and cells and hold for whoever scores by it:

    - Who is torn between two keys for each row and lists both earns 2/3 (all recalled at a precision of one half), more
      than the half to be expected of a choice. A third candidate takes it back to a half.
    - In non-key figures, rows whose cells are unknown are better left out than listed blank. A blank cell counts as
      given: if it cost nothing, a list of every key there may be would keep a precision of 1, and a cell would be left
      blank whenever its chance is below one half. In item figures a right key beside blanks still earns its cell.
    - A last row that the end of the text cuts off is as if it weren't there, neither earning nor costing: no better
      than leaving it out, and a reward takes its penalty for the cut.

    Raises ScoreError for a reference or an answer that can't be scored (see `Reference`, `parse`).
    """
    return score_table(answer, Reference(tuple(columns), tuple(tuple(_frozen(v) for v in row) for row in gold)))


def _frozen(value: Value) -> Value:
    return tuple(value) if isinstance(value, list) else value


def score_table(answer: str | Table, reference: Reference) -> Score:
    """Score an answer, or a table already read from it, against a prepared reference."""
    keys = reference.keys
    named = [reference.names[c] for c in keys]
    table = answer if isinstance(answer, Table) else parse(answer, reference.names, named)
    places = match_columns(table.header, reference.names, keys[0] if len(keys) == 1 else None)
    names = tuple("" if p is None else table.header[p] for p in places)
    rows = normalized_rows(_cells(table, reference.columns, places), reference, names)
    claimed, extra = claimed_rows(reference, rows)
    beside: dict[int, str] = {}
    if keys and extra:
        beside = dict.fromkeys(sorted(group_headings(table.rows, claimed, extra)), "a row that heads a group")
        beside |= {i: word for i in extra if (word := non_data_reason(rows[i], names, keys))}
    if beside:
        table = replace(table, dropped=(*table.dropped, *(f"row {i + 1}: {word}" for i, word in beside.items())))
        rows = tuple(row for i, row in enumerate(rows) if i not in beside)
        claimed, extra = claimed_rows(reference, rows)
    rows = with_english_numbers(with_dates_resolved(rows, reference, claimed), reference, claimed)
    return _figures(_Matched(reference, table, places, rows, claimed, extra))


def _cells(table: Table, columns: Sequence[Column], places: Sequence[int | None]) -> tuple[Row, ...]:
    """Put the cells in the order of the reference's columns, with the unit that a header tells against the column's."""
    rows = tuple(tuple("" if p is None else row[p] for p in places) for row in table.rows)
    headers = [(c, "" if p is None else table.header[p]) for c, p in enumerate(places)]
    foreign = {c: (header, columns[c]) for c, header in headers if header_unit(header, columns[c])}
    if not foreign:
        return rows
    return tuple(
        tuple(with_header_unit(cell, *foreign[c]) if c in foreign else cell for c, cell in enumerate(row))
        for row in rows
    )


class _Matched(NamedTuple):
    reference: Reference
    table: Table
    places: Sequence[int | None]
    rows: tuple[Row, ...]
    claimed: ClaimsByGoldRow
    extra: list[int]


def _figures(matched: _Matched) -> Score:
    reference, table, places, rows, claimed, extra = matched
    columns, others, keys = reference.columns, reference.others, reference.keys
    row_count, gold_count = len(rows), len(reference.gold)
    good_in = [0] * len(columns)
    wrong: list[WrongCell] = []
    whole = cells = 0
    good_of: dict[int, Sequence[int]] = {}
    for j in sorted(claimed):
        verdicts = cell_verdicts(reference, rows, claimed[j], j)
        good = [c for c, word in zip(others, verdicts, strict=True) if word == "right"]
        full = len(good) == len(others)
        if not full:
            wrong += _wrong(matched, j, verdicts)
        for c in (*keys, *good):
            good_in[c] += 1
        cells, whole = cells + len(good), whole + full
        good_of[j] = good if others else keys
    row = Rates.of(whole, row_count, gold_count)
    nonkey = Rates.of(cells, row_count * len(others), gold_count * len(others)) if others else row
    earned, earned_rows = earned_rates(good_of, row_count, others or keys, reference.earning)
    return Score(
        item=Rates.of(cells + len(keys) * len(claimed), row_count * len(columns), gold_count * len(columns)),
        row=row,
        nonkey=nonkey,
        earned=earned,
        earned_rows=earned_rows,
        success=whole == row_count == gold_count,
        columns=tuple(
            ColumnFigures(
                col.name, place is not None, good_in[c], Rates.of(good_in[c], row_count, gold_count), criterion(col)
            )
            for c, (col, place) in enumerate(zip(columns, places, strict=True))
        ),
        matched=tuple((claimed[j][0], j) for j in sorted(claimed)),
        missing=tuple(j for j in range(gold_count) if j not in claimed),
        extra=tuple(extra),
        duplicate=tuple(sorted(i for members in claimed.values() for i in members[1:])),
        wrong=tuple(wrong),
        notes=_notes(matched),
        has_table=bool(table.header),
        has_columns=None not in places,
        cut=table.cut,
        format=table.format,
        rows=rows,
        reference=(columns, reference.gold),
    )


def _wrong(matched: _Matched, j: int, verdicts: Sequence[str]) -> Iterator[WrongCell]:
    reference, rows = matched.reference, matched.rows
    for c, word in zip(reference.others, verdicts, strict=True):
        if word != "right":
            gold, col = reference.gold[j][c], reference.columns[c]
            got = next(rows[i][c] for i in matched.claimed[j] if not is_right(rows[i][c], gold, col))
            yield WrongCell(j, col.name, reference.shown[j][c], got, "missing" if matched.places[c] is None else word)


def _notes(matched: _Matched) -> tuple[str, ...]:
    table, places = matched.table, matched.places
    if not table.header:
        return table.dropped
    header = " | ".join(table.header[:12])[:160]
    names = zip(matched.reference.names, places, strict=True)
    lacking = [f"column {name!r} is not in the header: {header}" for name, place in names if place is None]
    unasked = [repr(name) for i, name in enumerate(table.header[:12]) if i not in places]
    spare = [f"columns nobody asked for: {', '.join(unasked)[:160]}"] if unasked else []
    return (*table.dropped, *lacking, *spare)


def explain(scored: Score) -> list[ExplainedRow]:
    """Return the answer's table row by row with what is wrong in it, then the gold rows it lacks.

    Rows come in the answer's order; each cell tells what was written, what was expected ("" where nothing was), and
    why it is wrong ("" where it is right). A row is "partial" where some of its cells are right, its key mostly.
    """
    columns, gold = scored.reference
    claims = dict(scored.matched)
    faults = {(w.gold_row, w.column): w for w in scored.wrong}
    out = []
    for i, cells in enumerate(scored.rows):
        j = claims.get(i)
        if j is None:
            status: Status = "duplicate" if i in scored.duplicate else "extra"
            out.append(ExplainedRow(status, i, None, tuple(ExplainedCell(cell, "", status) for cell in cells)))
            continue
        shown = tuple(
            ExplainedCell(cell, show(value, col), fault.why if (fault := faults.get((j, col.name))) else "")
            for cell, value, col in zip(cells, gold[j], columns, strict=True)
        )
        faulty = sum(bool(cell.why) for cell in shown)
        out.append(ExplainedRow("wrong" if faulty == len(shown) else "partial" if faulty else "right", i, j, shown))
    for j in scored.missing:
        lost = tuple(ExplainedCell("", show(v, col), "missing") for v, col in zip(gold[j], columns, strict=True))
        out.append(ExplainedRow("missing", None, j, lost))
    return out


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer of a batch that can't be scored: its place in the batch, and why."""

    index: int
    reason: str


Pair = tuple[str, Reference]


def score_many(pairs: Iterable[Pair], jobs: int = 1) -> list[Score | Failure]:
    """Score (answer, reference) pairs, in `jobs` processes, in the order given.

    What can't be scored gives a Failure in its place and stops nothing. Any other exception is a bug and is raised.
    """
    numbered = [*enumerate(pairs)]
    if jobs <= 1:
        return [_scored(pair) for pair in numbered]
    pool = ProcessPoolExecutor(jobs)
    try:
        with processes_without_interrupts():
            scores = pool.map(_scored, numbered, chunksize=max(1, min(64, len(numbered) // (4 * jobs) + 1)))
        return [*scores]
    finally:
        pool.shutdown(cancel_futures=True)  # an interrupt waits for no answer but those being scored


@contextmanager
def processes_without_interrupts() -> Iterator[None]:
    """Have processes that are started in this block ignore interrupts (Ctrl-C), which this one handles for all.

    They inherit the blocked signal; an interrupt during the block takes effect here at its end.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _scored(numbered: tuple[int, Pair]) -> Score | Failure:
    index, (answer, reference) = numbered
    try:
        return score_table(answer, reference)
    except ScoreError as error:
        return Failure(index, str(error))
