"""Columns and gold rows, checked, and prepared for many answers."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .column import Column, ScoreError, Value
from .text import fold, squash
from .values.canonical import is_right, read, show, value_in_unit
from .values.column_values import accepted_texts, as_number, day_ordinal, is_of_kind

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """Columns and gold rows, checked once and prepared for many answers.

    Raises ScoreError for no columns, two of one name, a row of another width, a value that isn't finite, or two rows
    whose keys an answer could not tell apart.
    """

    columns: tuple[Column, ...]
    gold: tuple[tuple[Value, ...], ...]
    names: tuple[str, ...] = field(init=False, repr=False)
    keys: tuple[int, ...] = field(init=False, repr=False)
    others: tuple[int, ...] = field(init=False, repr=False)
    shown: tuple[Row, ...] = field(init=False, repr=False)
    earning: tuple[tuple[int, ...], ...] = field(init=False, repr=False)
    index: tuple["_Index", ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        columns, gold = self.columns, self.gold
        _check(columns, gold)
        keys = tuple(c for c, col in enumerate(columns) if col.key)
        others = tuple(c for c, col in enumerate(columns) if not col.key)
        for name, value in (
            ("names", tuple(col.name for col in columns)),
            ("keys", keys),
            ("others", others),
            ("shown", tuple(tuple(show(v, col) for v, col in zip(row, columns, strict=True)) for row in gold)),
            ("earning", earning_columns(columns, gold)),
            ("index", tuple(_Index(columns[c], [row[c] for row in gold]) for c in keys)),
        ):
            object.__setattr__(self, name, value)
        _check_keys(self)


def earning_columns(columns: Sequence[Column], gold: Sequence[Sequence[Value]]) -> tuple[tuple[int, ...], ...]:
    """Return for each gold row its columns that make it earn: no key, no free column and no null."""
    paid = [c for c, col in enumerate(columns) if not (col.key or col.free)]
    return tuple(tuple(c for c in paid if row[c] is not None) for row in gold)


def _check(columns: Sequence[Column], gold: Sequence[Sequence[Value]]) -> None:
    if not columns:
        raise ScoreError("A reference has no columns; it needs at least one.")
    name_by_key: dict[str, str] = {}
    for col in columns:
        other = name_by_key.setdefault(squash(fold(col.name)), col.name)
        if other is not col.name:
            raise ScoreError(f"A reference has two columns an answer can't tell apart: {other!r} and {col.name!r}.")
    for place, row in enumerate(gold):
        if len(row) != len(columns):
            raise ScoreError(f"Gold row {place} has {len(row)} values for {len(columns)} columns: {list(row)!r:.120}.")
        for value, col in zip(row, columns, strict=True):
            if isinstance(value, float) and value - value != 0:
                raise ScoreError(f"Gold row {place} holds {value!r} in {col.name!r}; null is None.")


def _check_keys(reference: Reference) -> None:
    claims = [claims_of(reference, row) for row in reference.shown] if reference.keys else []
    for place, rows in enumerate(claims):
        if place not in rows:
            shown = " | ".join(reference.shown[place][c] for c in reference.keys)
            raise ScoreError(f"The key of gold row {place} ({shown}) can't be read back as its columns' kinds.")
    exact = not any(reference.columns[c].tolerance for c in reference.keys)
    rows_of: dict[tuple[str, ...], int] = {}
    for place, row in enumerate(reference.shown):
        twins = claims[place] - {place} if exact and claims else frozenset()
        mark = tuple(squash(fold(row[c])) for c in (reference.keys or reference.others))
        other = min(twins) if twins else rows_of.setdefault(mark, place)
        if other != place:
            pair = f"{min(other, place)} and {max(other, place)}"
            raise ScoreError(f"Gold rows {pair} have one key: {' | '.join(row)!r:.120}.")


class _Index:
    """Which gold rows a cell of a key column may name."""

    __slots__ = ("by_name", "by_point", "cache", "col", "numbers", "ordered", "values")

    def __init__(self, col: Column, values: list[Value]) -> None:
        self.col = col
        self.values = values
        self.by_name: dict[str, list[int]] = {}
        self.by_point: dict[object, list[int]] = {}
        self.cache: dict[str, frozenset[int]] = {}
        numbered: list[tuple[float, int]] = []
        for row, value in enumerate(values):
            for name in sorted(accepted_texts(value, col)):
                self.by_name.setdefault(name, []).append(row)
            if not is_of_kind(value, col):
                continue
            if col.kind == "date":
                numbered.append((day_ordinal(value) or 0, row))
            elif col.kind in ("int", "num"):
                numbered.append((as_number(value) or 0, row))
            else:
                for reading in read(show(value, col), col.kind):
                    self.by_point.setdefault(reading.point, []).append(row)
        numbered.sort()
        self.numbers = [number for number, _ in numbered]
        self.ordered = [row for _, row in numbered]

    def rows(self, cell: str) -> frozenset[int]:
        """Return the gold rows whose value in this column the cell is right for."""
        gold_rows = self.cache.get(cell)
        if gold_rows is None:
            candidates = dict.fromkeys(self._candidates(cell))
            gold_rows = frozenset(row for row in candidates if is_right(cell, self.values[row], self.col))
            # A name that ends in a mark is that name first, and only then another one with a footnote.
            whole = (
                gold_rows & frozenset(self.by_name.get(squash(fold(cell)), ())) if len(gold_rows) > 1 else frozenset()
            )
            gold_rows = whole or gold_rows
            if len(self.cache) < 4096 and len(cell) <= 200:
                self.cache[cell] = gold_rows
        return gold_rows

    def _candidates(self, cell: str) -> Iterator[int]:
        for kind in dict.fromkeys((self.col.kind, "text" if self.by_name else self.col.kind)):
            for reading in read(cell, kind):
                if reading.kind == "text":
                    yield from self.by_name.get(squash(str(reading.point)), ())
                elif reading.kind in ("num", "date"):
                    yield from self._near(reading.point, reading.unit)
                else:
                    yield from self.by_point.get(reading.point, ())

    def _near(self, point: object, unit: str) -> list[int]:
        if not isinstance(point, int | float):
            return self.ordered  # an interval: it may lie within a tolerance
        number = value_in_unit(point, unit, self.col) if self.col.kind != "date" else float(point)
        if number is None:
            return []
        slack = self.col.tolerance
        if self.col.kind != "date":
            if slack >= 1:
                return self.ordered
            slack = abs(number) * slack / (1 - slack)  # the tolerance is a share of the value, not of what was written
        slack += 1e-9 * (1 + abs(number))
        return self.ordered[bisect_left(self.numbers, number - slack) : bisect_right(self.numbers, number + slack)]


def claims_of(reference: Reference, row: Row) -> frozenset[int]:
    """Return the gold rows whose key the row's key cells are right for."""
    gold_rows: frozenset[int] | None = None
    for index, c in zip(reference.index, reference.keys, strict=True):
        here = index.rows(row[c])
        gold_rows = here if gold_rows is None else gold_rows & here
        if not gold_rows:
            return frozenset()
    return gold_rows or frozenset()
