"""Paths not worth asking along: those whose value a shorter one has too, and those whose null means two things."""

from collections.abc import Sequence

from worldsmith.schema import Path, Value
from worldsmith.tasks.reader import Reader


def informative_paths(reader: Reader, table: str, paths: Sequence[Path], keys: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Return the paths, in order, whose hops all matter and whose null, if any, means one thing.

    `keys` are shorter ways too: what names the row itself.
    """
    shorter = sorted((*keys, *paths), key=len)
    known: dict[tuple[Value, ...], int] = {}
    for path in shorter:
        known.setdefault(tuple(reader.values(table, path)), len(path))
    return tuple(
        p for p in paths if not _idle(reader, table, p, shorter, known) and not ambiguous_null(reader, table, p)
    )


def _idle(reader: Reader, table: str, path: Path, shorter: Sequence[Path], known: dict[tuple[Value, ...], int]) -> bool:
    """Tell whether a shorter path has the same value in every row of the world that has one."""
    values = reader.values(table, path)
    if len(path) == 1:
        return False
    if None not in values:
        return known[tuple(values)] < len(path)
    rows = [i for i, value in enumerate(values) if value is not None]
    return any(_agree(values, reader.values(table, one), rows) for one in shorter if len(one) < len(path))


def _agree(values: Sequence[Value], others: Sequence[Value], rows: Sequence[int]) -> bool:
    return all(values[i] == others[i] for i in rows)


def ambiguous_null(reader: Reader, table: str, path: Path) -> bool:
    """Tell whether null at the end of a path has two reasons: no row is referred to, or that row has no value."""
    held = [reader.values(table, path[: n + 1]) for n in range(len(path))]
    gone = {next(n for n, values in enumerate(held) if values[i] is None) for i, v in enumerate(held[-1]) if v is None}
    return len(gone) > 1
