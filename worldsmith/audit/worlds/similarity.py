"""Similarity between worlds of one schema: names, rows and columns that two of them share. One pass, bounded memory.

Each item is remembered by its hash, with the world that had it first. Beyond a limit every second hash is dropped
(adaptive sampling, Wegman 1984; Flajolet 1990): counts stay unbiased, since each item that is counted stands for as
many as one was kept of when it came (Horvitz and Thompson 1952).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from worldsmith.schema import Column, Invent, Pick, Table, Value
from worldsmith.seeding import draw
from worldsmith.world.model import World

LIMIT = 200_000
"""Hashes kept of a schema's names, of its rows, of its columns: about 20 MB each."""
BLOCK = 16
"""Rows of a part of a column that is compared by itself: copies that are cut short or changed in places are found."""
EVIDENCE = 20.0
"""Nats of evidence against chance that a finding needs: it happens once in 5e8 comparisons (Chernoff's bound)."""


class FirstOwners:
    """Which world first had an item. Of items beyond `limit` a share of 1/2, 1/4, … is kept, the rest estimated."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit, self.mask = limit, 0
        self.first: dict[int, str] = {}
        self.counts: Counter[str] = Counter()
        """Items by sort; an estimate once there were more than `limit`."""
        self.shared: Counter[str] = Counter()
        """Items by sort that an earlier world had, likewise."""

    def add(self, sort: str, item: str, world: str) -> str | None:
        """Remember an item of a world; return the earlier world that had it first, if any."""
        key = draw(sort, item)
        if key & self.mask:
            return None
        earlier = self.first.setdefault(key, world)
        self.counts[sort] += self.mask + 1
        if earlier != world:
            self.shared[sort] += self.mask + 1
            return earlier
        while len(self.first) > self.limit:
            self.mask = self.mask * 2 + 1
            self.first = {k: w for k, w in self.first.items() if not k & self.mask}
        return None

    def share(self, sort: str) -> float:
        """Return the share of items of a sort that an earlier world had."""
        return self.shared[sort] / max(1, self.counts[sort])


def distinctive_rows(world: World, table: Table) -> list[tuple[int, str]]:
    """Return (row, content) of the rows of a table whose content identifies them: all values but names.

    Keys, references and invented names differ between any two worlds, so rows are compared without them. A table is
    too plain, and none of its rows is returned, where two rows agree in every column more often than e to the
    -EVIDENCE, by how often two rows of this world agree in each. Nor is a row that its own world has twice.
    """
    columns = [world.tables[table.name][c.name] for c in table.columns if not _is_name_column(world, c)]
    if sum(map(_agreement_nats, columns)) < EVIDENCE:
        return []
    contents = [repr(row) for row in zip(*columns, strict=True)]
    times = Counter(contents)
    return [(i, content) for i, content in enumerate(contents) if times[content] == 1]


def _agreement_nats(values: Sequence[Value]) -> float:
    """Return the evidence of two rows that agree in a column: minus the log of how often two of its rows do."""
    pairs = len(values) * (len(values) - 1) // 2
    equal = sum(n * (n - 1) // 2 for n in Counter(values).values())
    return log((pairs + 1) / (equal + 1))


def _is_name_column(world: World, column: Column) -> bool:
    """Whether a column holds what no two worlds share by right: keys, references, invented names."""
    fill = column.fill
    listed = isinstance(fill, Pick) and world.schema.values[fill.values].invent is not None
    return column.key or column.ref is not None or isinstance(fill, Invent) or listed


def measured_columns(world: World) -> Iterator[tuple[str, Sequence[Value]]]:
    """Yield (place, values) of the columns of numbers and dates outside keys."""
    for table in world.schema.tables.values():
        for column in table.columns:
            if column.type in ("int", "num", "date") and not column.key:
                yield f"{table.name}.{column.name}", world.tables[table.name][column.name]


def equal_rows(owners: FirstOwners, world: str, place: str, values: Sequence[Value]) -> Counter[str]:
    """Remember a column; return how many of its rows an earlier world has at the same positions, by that world.

    The column as a whole is compared, and each BLOCK of its rows; what chance could repeat is left out.
    """
    rows: Counter[str] = Counter()
    if not is_distinctive(values):
        return rows
    if earlier := owners.add(place, repr(values), world):
        rows[earlier] = len(values)
        return rows
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        if is_distinctive(block) and (earlier := owners.add(place, f"{start} {block!r}", world)):
            rows[earlier] += len(block)
    return rows


def is_distinctive(values: Sequence[Value]) -> bool:
    """Whether chance can't repeat these values: their frequencies give EVIDENCE nats in all."""
    again = sum((n / len(values)) ** 2 for n in Counter(values).values()) if values else 1.0
    return len(values) * log(1 / again) >= EVIDENCE
