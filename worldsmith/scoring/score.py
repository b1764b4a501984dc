"""Score an answer against its reference, explain the score, and score many.

Rows are matched one to one on canonical keys. Whatever is written twice counts as given twice; where several rows
claim one row of the reference, only what all of them have right is right, so that guessing again never pays.
A reference or an answer that can't be scored raises ScoreError; a bug is an exception, never a 0.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from .answer import NO_TABLE, Table, parse
from .canonical import fits, names, ordinal, read, right, show, value_in_unit, verdict
from .column import Column, ScoreError, Value
from .figures import VERSION, ColumnFigures, Rates, Score, ShownCell, ShownRow, Wrong, criterion
from .matching import assign, components, match_columns
from .text import fold, squash
from .widesearch import score_widesearch

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

_Row = tuple[str, ...]
_MOST_RIVALS = 3, 50  # claimants looked at in a table without keys: three a row of the reference, and fifty


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
    shown: tuple[_Row, ...] = field(init=False, repr=False)
    earning: tuple[tuple[int, ...], ...] = field(init=False, repr=False)
    index: tuple["_Index", ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        columns, gold = self.columns, self.gold
        _check(columns, gold)
        keys = tuple(c for c, col in enumerate(columns) if col.key)
        others = tuple(c for c, col in enumerate(columns) if not col.key)
        earning = tuple(tuple(c for c in others if not columns[c].free and row[c] is not None) for row in gold)
        for name, value in (
            ("names", tuple(col.name for col in columns)),
            ("keys", keys),
            ("others", others),
            ("shown", tuple(tuple(show(v, col) for v, col in zip(row, columns, strict=True)) for row in gold)),
            ("earning", earning),
            ("index", tuple(_Index(columns[c], [row[c] for row in gold]) for c in keys)),
        ):
            object.__setattr__(self, name, value)
        _check_keys(self)


def _check(columns: Sequence[Column], gold: Sequence[Sequence[Value]]) -> None:
    if not columns:
        raise ScoreError("A reference has no columns; it needs at least one.")
    seen: dict[str, str] = {}
    for col in columns:
        other = seen.setdefault(squash(fold(col.name)), col.name)
        if other is not col.name:
            raise ScoreError(f"A reference has two columns an answer can't tell apart: {other!r} and {col.name!r}.")
    for number, row in enumerate(gold):
        if len(row) != len(columns):
            raise ScoreError(f"Gold row {number} has {len(row)} values for {len(columns)} columns: {list(row)!r:.120}.")
        for value, col in zip(row, columns, strict=True):
            if isinstance(value, float) and value - value != 0:
                raise ScoreError(f"Gold row {number} holds {value!r} in {col.name!r}; null is None.")


def _check_keys(reference: Reference) -> None:
    claims = [_claims(reference, row) for row in reference.shown] if reference.keys else []
    for number, rows in enumerate(claims):
        if number not in rows:
            shown = " | ".join(reference.shown[number][c] for c in reference.keys)
            raise ScoreError(f"The key of gold row {number} ({shown}) can't be read back as its columns' kinds.")
    exact = not any(reference.columns[c].tolerance for c in reference.keys)
    rows_of: dict[tuple[str, ...], int] = {}
    for number, row in enumerate(reference.shown):
        twins = claims[number] - {number} if exact and claims else frozenset()
        mark = tuple(squash(fold(row[c])) for c in (reference.keys or reference.others))
        other = min(twins) if twins else rows_of.setdefault(mark, number)
        if other != number:
            raise ScoreError(f"Gold rows {other} and {number} have one key: {' | '.join(row)!r:.120}.")


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
            for name in sorted(names(value, col)):
                self.by_name.setdefault(name, []).append(row)
            if value is None or not fits(value, col):
                continue
            if col.kind == "date":
                numbered.append((ordinal(value) or 0, row))
            elif col.kind in ("int", "num"):
                numbered.append((float(value), row))  # type: ignore[arg-type]  # it fits
            elif col.kind not in ("text", "enum"):
                for found in read(show(value, col), col.kind):
                    self.by_point.setdefault(found.point, []).append(row)
        numbered.sort()
        self.numbers = [number for number, _ in numbered]
        self.ordered = [row for _, row in numbered]

    def rows(self, cell: str) -> frozenset[int]:
        """Return the gold rows whose value in this column the cell is right for."""
        found = self.cache.get(cell)
        if found is None:
            candidates = dict.fromkeys(self._candidates(cell))
            found = frozenset(row for row in candidates if right(cell, self.values[row], self.col))
            if len(self.cache) < 4096 and len(cell) <= 200:
                self.cache[cell] = found
        return found

    def _candidates(self, cell: str) -> Iterator[int]:
        for kind in dict.fromkeys((self.col.kind, "text" if self.by_name else self.col.kind)):
            for found in read(cell, kind):
                if found.kind == "text":
                    yield from self.by_name.get(squash(str(found.point)), ())
                elif found.kind in ("num", "date"):
                    yield from self._near(found.point, found.unit)
                else:
                    yield from self.by_point.get(found.point, ())

    def _near(self, point: object, unit: str) -> list[int]:
        if not isinstance(point, int | float):
            return self.ordered  # an interval: it may lie within a tolerance
        number = value_in_unit(point, unit, self.col) if self.col.kind != "date" else float(point)
        if number is None:
            return []
        slack = self.col.tolerance if self.col.kind == "date" else abs(number) * min(2 * self.col.tolerance + 1e-9, 1.0)
        if self.col.kind != "date" and self.col.tolerance > 0.4:
            return self.ordered
        return self.ordered[
            bisect_left(self.numbers, number - slack - 1e-9) : bisect_right(self.numbers, number + slack + 1e-9)
        ]


def score(answer: str, columns: Sequence[Column], gold: Sequence[Sequence[Value]]) -> Score:
    """Score an agent's answer against gold rows; values are JSON values, dates ISO text, null None.

    Raises ScoreError for a reference or an answer that can't be scored (see `Reference`, `parse`).
    """
    return score_table(answer, Reference(tuple(columns), tuple(tuple(_frozen(v) for v in row) for row in gold)))


def _frozen(value: Value) -> Value:
    return tuple(value) if isinstance(value, list) else value


def score_table(answer: str | Table, reference: Reference) -> Score:
    """Score an answer, or a table already read from it, against a prepared reference."""
    table = answer if isinstance(answer, Table) else parse(answer, reference.names)
    places = match_columns(table.header, reference.names)
    rows = tuple(tuple("" if p is None else row[p] for p in places) for row in table.rows)
    claimed, extra = _claimed(reference, rows, places)
    return _figures(reference, table, places, rows, claimed, extra)


def _claims(reference: Reference, row: _Row) -> frozenset[int]:
    found: frozenset[int] | None = None
    for index, c in zip(reference.index, reference.keys, strict=True):
        here = index.rows(row[c])
        found = here if found is None else found & here
        if not found:
            return frozenset()
    return found or frozenset()


_Claimed = dict[int, list[int]]  # gold row -> the answer rows that claim it, in order


def _claimed(reference: Reference, rows: Sequence[_Row], places: Sequence[int | None]) -> tuple[_Claimed, list[int]]:
    """Match answer rows to gold rows; also the answer rows that match none."""
    if not reference.gold or any(places[c] is None for c in reference.keys):
        return {}, [*range(len(rows))]
    if not reference.keys:
        return _claimed_without_keys(reference, rows)
    claims = [_claims(reference, row) for row in rows]
    claimed: _Claimed = {}
    extra = [i for i, golds in enumerate(claims) if not golds]
    if all(len(golds) <= 1 for golds in claims):
        for i, golds in enumerate(claims):
            for j in golds:
                claimed.setdefault(j, []).append(i)
        return claimed, extra
    for claimants, golds in components(claims):
        if len(golds) == 1:
            claimed[golds[0]] = claimants
            continue
        groups = _grouped(reference, rows, claimants, reference.keys)
        pairs = _best(reference, rows, groups, golds, claims)
        claimed.update(pairs)
        given = {i for members in pairs.values() for i in members}
        extra += [i for i in claimants if i not in given]
    return claimed, sorted(extra)


def _claimed_without_keys(reference: Reference, rows: Sequence[_Row]) -> tuple[_Claimed, list[int]]:
    everyone, golds = [*range(len(rows))], [*range(len(reference.gold))]
    if len(golds) == 1:  # one fact asked for: two answers to it are no better than their worse
        return ({0: everyone} if everyone else {}), []
    groups = _grouped(reference, rows, everyone, reference.others)
    most = _MOST_RIVALS[0] * len(golds) + _MOST_RIVALS[1]
    pairs = _best(reference, rows, groups[:most], golds, None)
    given = {i for members in pairs.values() for i in members}
    return pairs, [i for i in everyone if i not in given]


def _grouped(
    reference: Reference, rows: Sequence[_Row], members: Sequence[int], cells: Sequence[int]
) -> list[list[int]]:
    """Group rows that say the same in these cells however they spell it, in an order that only their text decides."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for i in members:
        groups.setdefault(tuple(_canonical(rows[i][c], reference.columns[c]) for c in cells), []).append(i)
    return sorted(groups.values(), key=lambda group: min(rows[i] for i in group))


def _canonical(cell: str, col: Column) -> object:
    found = read(cell, col.kind)
    if not found:
        return squash(fold(cell))
    return tuple((r.kind, squash(r.point) if isinstance(r.point, str) else r.point, r.unit) for r in found)


def _best(
    reference: Reference,
    rows: Sequence[_Row],
    groups: Sequence[list[int]],
    golds: Sequence[int],
    claims: Sequence[frozenset[int]] | None,
) -> _Claimed:
    """Assign groups of answer rows to gold rows so that most cells are right; among equals, most whole rows."""
    weights = []
    for j in golds:
        line = []
        for members in groups:
            good = 0
            if claims is None or j in claims[members[0]]:
                verdicts = _verdicts(reference, rows, members, j)
                wrong = sum(v != "right" for v in verdicts)
                good = (len(verdicts) - wrong + len(reference.keys)) * 1024 + (not wrong)
            line.append(good)
        weights.append(line)
    given = assign(weights)
    return {j: groups[g] for j, g in zip(golds, given, strict=True) if g >= 0}


def _verdicts(reference: Reference, rows: Sequence[_Row], members: Sequence[int], j: int) -> list[str]:
    """Judge the non-key cells that some answer rows give for a gold row: each is right if it is in all of them."""
    shown, gold, columns = reference.shown[j], reference.gold[j], reference.columns
    out = []
    for c in reference.others:
        word = "right"
        for i in members:
            cell = rows[i][c]
            if cell != shown[c] and word == "right":
                word = verdict(cell, gold[c], columns[c])
        out.append(word)
    return out


def _figures(
    reference: Reference,
    table: Table,
    places: Sequence[int | None],
    rows: tuple[_Row, ...],
    claimed: _Claimed,
    extra: list[int],
) -> Score:
    columns, others, keys = reference.columns, reference.others, reference.keys
    given, asked = len(rows), len(reference.gold)
    good_in = [0] * len(columns)
    wrong: list[Wrong] = []
    whole = cells = earned = earned_whole = barren_given = 0
    for j in sorted(claimed):
        verdicts = _verdicts(reference, rows, claimed[j], j)
        good = [c for c, word in zip(others, verdicts, strict=True) if word == "right"]
        wrong += _wrong(reference, rows, claimed[j], j, verdicts, places)
        for c in (*keys, *good):
            good_in[c] += 1
        full = len(good) == len(others)
        cells, whole = cells + len(good), whole + full
        if not reference.earning[j]:
            barren_given += 1
        elif not set(reference.earning[j]).isdisjoint(good):
            earned, earned_whole = earned + len(good), earned_whole + full
    barren = sum(not earning for earning in reference.earning)
    row = Rates.of(whole, given, asked)
    nonkey = Rates.of(cells, given * len(others), asked * len(others)) if others else row
    if barren == asked:  # nothing here could earn, so that all of it does
        earned_cells, earned_rows = nonkey, row
    else:
        given_earning, asked_earning = given - barren_given, asked - barren
        earned_cells = Rates.of(earned, given_earning * len(others), asked_earning * len(others))
        earned_rows = Rates.of(earned_whole, given_earning, asked_earning)
    return Score(
        item=Rates.of(cells + len(keys) * len(claimed), given * len(columns), asked * len(columns)),
        row=row,
        nonkey=nonkey,
        earned=earned_cells,
        earned_rows=earned_rows,
        success=whole == given == asked,
        columns=tuple(
            ColumnFigures(col.name, place is not None, good_in[c], Rates.of(good_in[c], given, asked), criterion(col))
            for c, (col, place) in enumerate(zip(columns, places, strict=True))
        ),
        matched=tuple((claimed[j][0], j) for j in sorted(claimed)),
        missing=tuple(j for j in range(asked) if j not in claimed),
        extra=tuple(extra),
        duplicate=tuple(sorted(i for members in claimed.values() for i in members[1:])),
        wrong=tuple(wrong),
        notes=_notes(reference, table, places),
        has_table=bool(table.header),
        has_columns=None not in places,
        cut=table.cut,
        format=table.format,
        rows=rows,
        reference=(columns, reference.gold),
    )


def _wrong(
    reference: Reference,
    rows: Sequence[_Row],
    members: Sequence[int],
    j: int,
    verdicts: Sequence[str],
    places: Sequence[int | None],
) -> Iterator[Wrong]:
    for c, word in zip(reference.others, verdicts, strict=True):
        if word == "right":
            continue
        gold, col = reference.gold[j][c], reference.columns[c]
        got = next(rows[i][c] for i in members if not right(rows[i][c], gold, col))
        yield Wrong(j, col.name, reference.shown[j][c], got, "missing" if places[c] is None else word)


def _notes(reference: Reference, table: Table, places: Sequence[int | None]) -> tuple[str, ...]:
    if table.header == NO_TABLE.header:
        return table.dropped
    header = " | ".join(table.header[:12])[:160]
    lacking = [
        f"column {name!r} is not in the header: {header}"
        for name, p in zip(reference.names, places, strict=True)
        if p is None
    ]
    unasked = [name for i, name in enumerate(table.header[:12]) if i not in places]
    spare = [f"columns nobody asked for: {', '.join(map(repr, unasked))[:160]}"] if unasked else []
    return (*table.dropped, *lacking, *spare)


def explain(scored: Score) -> list[ShownRow]:
    """Return the answer's table row by row with what is wrong in it, then the gold rows it lacks.

    Rows come in the answer's order; each cell tells what was written, what was expected ("" where nothing was), and
    why it is wrong ("" where it is right).
    """
    columns, gold = scored.reference
    claims = dict(scored.matched)
    faults = {(w.gold_row, w.column): w for w in scored.wrong}
    out = []
    for i, cells in enumerate(scored.rows):
        j = claims.get(i)
        if j is None:
            status = "duplicate" if i in scored.duplicate else "extra"
            out.append(ShownRow(status, i, None, tuple(ShownCell(cell, "", status) for cell in cells)))
            continue
        shown = tuple(
            ShownCell(cell, show(value, col), fault.why if (fault := faults.get((j, col.name))) else "")
            for cell, value, col in zip(cells, gold[j], columns, strict=True)
        )
        out.append(ShownRow("partial" if any(cell.why for cell in shown) else "right", i, j, shown))
    for j in scored.missing:
        lost = tuple(ShownCell("", show(v, col), "missing") for v, col in zip(gold[j], columns, strict=True))
        out.append(ShownRow("missing", None, j, lost))
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
    with ProcessPoolExecutor(jobs) as pool:
        return [*pool.map(_scored, numbered, chunksize=max(1, min(64, len(numbered) // (4 * jobs) + 1)))]


def _scored(numbered: tuple[int, Pair]) -> Score | Failure:
    index, (answer, reference) = numbered
    try:
        return score_table(answer, reference)
    except ScoreError as error:
        return Failure(index, str(error))
