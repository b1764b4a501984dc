"""Likeness between worlds of one schema: names, rows and columns that two of them share. One pass, bounded memory.

Names, rows and whole columns are remembered by hash with the world that had them first. Beyond a limit every second
hash is let go (adaptive sampling, Wegman 1984; Flajolet 1990): counts stay unbiased, since each item that is counted
stands for as many as one was kept of when it came (Horvitz and Thompson 1952). Columns that are nearly equal are looked
for in a reservoir of earlier worlds.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from math import log

import numpy as np
from numpy.typing import NDArray

from worldsmith.schema import Column, Invent, Pick, Table, Value
from worldsmith.seeding import draw
from worldsmith.world.model import World

LIMIT = 200_000
"""Hashes kept of a schema's names, of its rows, of its columns: about 20 MB each."""
SAMPLE = 64
"""Earlier worlds of a schema that a new one's columns are compared with."""
CLOSE = 0.01
"""Two numbers or dates agree when they lie this part of the column's range apart, or nearer."""
KAPPA = 0.5
"""Least agreement of two columns beyond chance (Cohen 1960): half of what chance leaves."""
SURE = 20.0
"""Nats of evidence against chance that a finding needs: it happens once in 5e8 comparisons (Chernoff's bound)."""


class Seen:
    """Which world first had an item. Of items beyond `limit` a share of 1/2, 1/4, … is kept, and the rest estimated."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit, self.mask = limit, 0
        self.first: dict[int, str] = {}
        self.asked: Counter[str] = Counter()
        """Items by sort; an estimate once there were more than `limit`."""
        self.shared: Counter[str] = Counter()
        """Items by sort that an earlier world had, likewise."""

    def add(self, sort: str, item: str, world: str) -> str | None:
        """Remember an item of a world; return the earlier world that had it first, if any."""
        key = draw(sort, item)
        if key & self.mask:
            return None
        earlier = self.first.setdefault(key, world)
        self.asked[sort] += self.mask + 1
        if earlier != world:
            self.shared[sort] += self.mask + 1
            return earlier
        while len(self.first) > self.limit:
            self.mask = self.mask * 2 + 1
            self.first = {k: w for k, w in self.first.items() if not k & self.mask}
        return None

    def share(self, sort: str) -> float:
        """Return the share of items of a sort that an earlier world had."""
        return self.shared[sort] / max(1, self.asked[sort])


def telling_rows(world: World, table: Table) -> list[tuple[int, str]]:
    """Return (row, content) of the rows of a table whose content is telling: all values but names.

    Keys, references and invented names differ between any two worlds, so rows are compared without them. A table is
    too plain, and none of its rows told, where two rows agree in every column more often than e to the -SURE, by how
    often two rows of this world agree in each. A row that its own world has twice says nothing either.
    """
    columns = [world.tables[table.name][c.name] for c in table.columns if not _names(world, c)]
    if sum(map(_nats, columns)) < SURE:
        return []
    contents = [repr(row) for row in zip(*columns, strict=True)]
    times = Counter(contents)
    return [(i, content) for i, content in enumerate(contents) if times[content] == 1]


def _nats(values: Sequence[Value]) -> float:
    """Return how much two rows that agree in a column tell: minus the log of how often two of its rows do."""
    pairs = len(values) * (len(values) - 1) // 2
    equal = sum(n * (n - 1) // 2 for n in Counter(values).values())
    return log((pairs + 1) / (equal + 1))


def _names(world: World, column: Column) -> bool:
    """Whether a column holds what no two worlds share by right: keys, references, invented names."""
    fill = column.fill
    listed = isinstance(fill, Pick) and world.schema.values[fill.values].invent is not None
    return column.key or column.ref is not None or isinstance(fill, Invent) or listed


def measured(world: World) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield (place, values) of the columns of numbers and dates outside keys; null is NaN, a date its day's number."""
    for table in world.schema.tables.values():
        for column in table.columns:
            if column.type in ("int", "num", "date") and not column.key:
                yield f"{table.name}.{column.name}", numbers(world.tables[table.name][column.name])


def numbers(values: Sequence[Value]) -> NDArray[np.float64]:
    """Return numbers and ISO dates as floats, NaN for all else."""
    return np.array([_number(v) for v in values], dtype=np.float64)


def _number(value: Value) -> float:
    if isinstance(value, str):
        try:
            return float(date.fromisoformat(value).toordinal())
        except ValueError:
            return np.nan
    return np.nan if value is None else float(value)


@dataclass(frozen=True, slots=True)
class Alike:
    """A column that is nearly the same in two worlds: the share of rows that agree, and what chance would give."""

    place: str
    world: str
    earlier: str
    rows: int
    agree: float
    chance: float

    @property
    def kappa(self) -> float:
        """Agreement beyond chance: 0 by chance, 1 in full."""
        return (self.agree - self.chance) / (1 - self.chance) if self.chance < 1 else 0.0

    @property
    def found(self) -> bool:
        """Whether chance explains no such agreement."""
        return self.kappa >= KAPPA and self.rows * evidence(self.agree, self.chance) >= SURE


def evidence(agree: float, chance: float) -> float:
    """Return nats a row against `chance` when a share `agree` of rows agrees: Kullback and Leibler's divergence."""
    if agree <= chance:
        return 0.0
    chance = max(chance, 1e-9)
    rest = (1 - agree) * log((1 - agree) / (1 - chance)) if agree < 1 else 0.0
    return agree * log(agree / chance) + rest


def chance_of(one: NDArray[np.float64], other: NDArray[np.float64], close: float) -> float:
    """Return the share of all pairs of values, one of each column, that lie within `close`."""
    ordered = np.sort(other)
    upper = np.searchsorted(ordered, one + close, "right")
    return float((upper - np.searchsorted(ordered, one - close, "left")).mean() / len(ordered))


def compared(place: str, worlds: tuple[str, str], one: NDArray[np.float64], other: NDArray[np.float64]) -> Alike:
    """Return how far two columns agree row by row, beyond what their values' own frequencies give by chance."""
    size = min(len(one), len(other))
    both = ~(np.isnan(one[:size]) | np.isnan(other[:size]))
    mine, theirs = one[:size][both], other[:size][both]
    if not len(mine):
        return Alike(place, *worlds, 0, 0.0, 0.0)
    close = _close(mine)
    agree = float((np.abs(mine - theirs) <= close).mean())
    return Alike(place, *worlds, len(mine), agree, chance_of(mine, theirs, close))


def _close(values: NDArray[np.float64]) -> float:
    return CLOSE * float(values.max() - values.min()) + 1e-9  # a hair for what floats lose


class Sample:
    """Columns of up to SAMPLE worlds of one schema, kept evenly over all that came (Vitter's reservoir, 1985)."""

    def __init__(self, size: int = SAMPLE) -> None:
        self.size, self.came = size, 0
        self.worlds: list[str] = []
        self.columns: dict[str, NDArray[np.float64]] = {}

    def add(self, world: str, columns: Sequence[tuple[str, NDArray[np.float64]]]) -> list[Alike]:
        """Return what of a world's columns is nearly equal to one of the sample; then keep it, maybe."""
        found = [alike for place, values in columns for alike in self._near(world, place, values)]
        self.came += 1
        slot = len(self.worlds) if len(self.worlds) < self.size else draw("sample", world) % self.came
        if slot < self.size:
            self._keep(slot, world, columns)
        return found

    def _near(self, world: str, place: str, values: NDArray[np.float64]) -> Iterator[Alike]:
        kept = self.columns.get(place)
        if kept is None or np.isnan(values).all():
            return
        width = min(len(values), kept.shape[1])
        close = _close(values[~np.isnan(values)])
        known = ~(np.isnan(kept[:, :width]) | np.isnan(values[:width]))
        same = np.abs(np.where(known, kept[:, :width] - values[:width], np.inf)) <= close
        # Only what agrees on half of its rows can be half-way from chance to full agreement.
        for slot in np.flatnonzero(same.sum(1) * 2 >= np.maximum(known.sum(1), 1)):
            alike = compared(place, (world, self.worlds[slot]), values, kept[slot])
            if alike.found:
                yield alike

    def _keep(self, slot: int, world: str, columns: Sequence[tuple[str, NDArray[np.float64]]]) -> None:
        self.worlds[slot : slot + 1] = [world]
        for kept in self.columns.values():
            kept[slot] = np.nan
        for place, values in columns:
            kept = self.columns.get(place, np.full((self.size, 0), np.nan))
            if kept.shape[1] < len(values):
                more = np.full((self.size, len(values) - kept.shape[1]), np.nan)
                kept = np.concatenate((kept, more), axis=1)
            kept[slot, : len(values)] = values
            self.columns[place] = kept


def tells(values: NDArray[np.float64]) -> bool:
    """Whether chance can't make this column again: its values' frequencies give SURE nats in all."""
    _, times = np.unique(values, return_counts=True)
    again = float(((times / len(values)) ** 2).sum()) if len(values) else 1.0
    return len(values) * log(1 / again) >= SURE
