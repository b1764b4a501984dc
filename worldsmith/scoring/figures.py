"""What scoring an answer gives: figures, and what they were made of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from .column import Column, Value

VERSION = "6"  # of the rules: it changes whenever some answer's figures do

Status = Literal["right", "partial", "wrong", "missing", "extra", "duplicate"]


class Rates(NamedTuple):
    """Precision, recall and their harmonic mean, from counts; all in [0, 1]."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, right: int, answered: int, expected: int) -> "Rates":
        """Return rates for `right` of `answered` and of `expected`; if nothing is expected, only nothing is right."""
        if not expected:
            return cls(1.0, 1.0, 1.0) if not answered else cls(0.0, 0.0, 0.0)
        precision = right / answered if answered else 0.0
        recall = right / expected
        return cls(precision, recall, 2 * right / (answered + expected))

    def to_json(self) -> dict[str, float]:
        """Return the three figures by name."""
        return self._asdict()


def earned_rates(
    good: Mapping[int, Collection[int]], rows: int, columns: Sequence[int], earning: Sequence[Sequence[int]]
) -> tuple[Rates, Rates]:
    """Return the rates of cells and of whole rows that earn; where no row could earn, of all of them.

    Args:
        good: the right columns of each claimed gold row; rows that earn nothing are left out.
        rows: the number of answer rows.
        columns: the columns that count: all outside the key, or the key columns if there are no others.
        earning: for each gold row, the columns that make it earn.
    """
    some = any(earning)
    barren = [some and not paid for paid in earning]
    earned = [len(cells) for j, cells in good.items() if not some or not set(earning[j]).isdisjoint(cells)]
    answer_rows, gold_rows = rows - sum(barren[j] for j in good), len(earning) - sum(barren)
    return (
        Rates.of(sum(earned), answer_rows * len(columns), gold_rows * len(columns)),
        Rates.of(earned.count(len(columns)), answer_rows, gold_rows),
    )


@dataclass(frozen=True, slots=True)
class WrongCell:
    """A cell of a matched row that is not right: `why` is empty, unreadable, ambiguous, unit, different or missing."""

    gold_row: int
    column: str
    expected: str
    got: str
    why: str


@dataclass(frozen=True, slots=True)
class ColumnFigures:
    """A column's own figures: right cells out of the answer rows and the gold rows, and how its cells are compared."""

    name: str
    in_answer: bool
    right: int
    rates: Rates
    criterion: str


@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """An answer's figures beside its reference. `==` compares all of it.

    Attributes:
        item: all cells, keys included: the benchmark's item F1.
        row: rows whose every cell is right.
        nonkey: cells outside the key only. Where every column is a key, the rows.
        earned: like `nonkey`, but a free cell or a null counts only in a row where another cell is right, and rows of
            nothing else count neither way.
        earned_rows: like `row`, over the same rows.
        success: whether the answer is the reference, no more and no less.
        columns: one record per column of the reference.
        matched: pairs (answer row, gold row). Several answer rows on one gold row claim it together: a cell is right
            only if all of them have it right, and every row but one counts against precision.
        missing: gold rows no answer row claims.
        extra: answer rows that claim no gold row.
        duplicate: answer rows beyond the first on one gold row.
        wrong: the cells of matched rows that are not right.
        notes: what was left out of the answer, and which columns its header lacks.
        has_table: whether a table was found.
        has_columns: whether it has all columns of the reference.
        cut: whether the text ends inside the table.
        format: how the table was written: "markdown", "html", "csv", "tsv", "json", "jsonl" or "".
        rows: the cells as read, in the order of the reference's columns; a bare number under a header that states a
            unit other than the column's carries that unit.
        reference: columns and gold rows.
        version: of the rules.
    """

    item: Rates
    row: Rates
    nonkey: Rates
    earned: Rates
    earned_rows: Rates
    success: bool
    columns: tuple[ColumnFigures, ...]
    matched: tuple[tuple[int, int], ...]
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    duplicate: tuple[int, ...]
    wrong: tuple[WrongCell, ...]
    notes: tuple[str, ...]
    has_table: bool
    has_columns: bool
    cut: bool
    format: str
    rows: tuple[tuple[str, ...], ...]
    reference: tuple[tuple[Column, ...], tuple[tuple[Value, ...], ...]]
    version: str = VERSION

    def __repr__(self) -> str:
        """Return the headline figures: no cell of the answer, none of the reference."""
        return (
            f"Score(item F1 {self.item.f1:.3f}, row F1 {self.row.f1:.3f}, non-key F1 {self.nonkey.f1:.3f}, "
            f"success {self.success}, {len(self.matched)} of {len(self.reference[1])} rows matched)"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the figures and their reasons as a JSON object with the same keys whatever the answer."""
        return {
            "version": self.version,
            "item": self.item.to_json(),
            "row": self.row.to_json(),
            "nonkey": self.nonkey.to_json(),
            "earned": self.earned.to_json(),
            "earned_rows": self.earned_rows.to_json(),
            "success": float(self.success),
            "has_table": self.has_table,
            "has_columns": self.has_columns,
            "cut": self.cut,
            "format": self.format,
            "answer_rows": len(self.rows),
            "gold_rows": len(self.reference[1]),
            "columns": [
                {"name": c.name, "found": c.in_answer, "right": c.right, **c.rates.to_json(), "criterion": c.criterion}
                for c in self.columns
            ],
            "matched": [list(pair) for pair in self.matched],
            "missing": list(self.missing),
            "extra": list(self.extra),
            "duplicate": list(self.duplicate),
            "wrong": [
                {"gold_row": w.gold_row, "column": w.column, "expected": w.expected, "got": w.got, "why": w.why}
                for w in self.wrong
            ],
            "notes": list(self.notes),
        }


class ExplainedCell(NamedTuple):
    """A cell of the explained table: what was written, what was expected, and "" or why it is wrong."""

    got: str
    expected: str
    why: str


class ExplainedRow(NamedTuple):
    """A row of the explained table, beside the number of its answer and gold row (None where there is none)."""

    status: Status
    answer_row: int | None
    gold_row: int | None
    cells: tuple[ExplainedCell, ...]


@lru_cache(maxsize=4096)
def criterion(col: Column) -> str:
    """Return in words when a cell of the column is right."""
    if col.key:
        return "key"
    if col.kind in ("int", "num"):
        return f"number within {col.tolerance:g} of its size" if col.tolerance else "same number"
    if col.kind == "date":
        return f"date within {col.tolerance:g} days" if col.tolerance else "same day"
    return {"year": "same year", "bool": "same answer", "url": "same address", "list": "same items"}.get(
        col.kind, "same text"
    )
