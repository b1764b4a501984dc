"""Bounded repair: which drawn cells a broken rule depends on, so that only these are redrawn."""

from collections.abc import Iterable, Iterator, Sequence

from worldsmith import expr
from worldsmith.generation.filling import Filling
from worldsmith.schema import COMPUTED, Aggregate, Column, Derive, Invent, Path, Rank, Reference, Rule, Share
from worldsmith.schema.reads import Name

Cells = dict[Name, list[int]]
"""Rows by column."""


def cells_to_redraw(filling: Filling, rule: Rule, rows: Sequence[int], read: Iterable[Name]) -> Cells:
    """Return the cells to redraw for the broken `rows` of a rule that reads columns `read` of the unit filled last.

    A drawn unit: its own cells that the rows read. A computed one: the nearest drawn cells it came from;
    keys and invented names stay.
    """
    cells: dict[Name, set[int]] = {}
    for name in read:
        for table, column, index in _read_cells(filling, rule, rows, name):
            _add_drawn_cells(filling, filling.structure.column(table, column), index, cells, depth=0)
    return {name: sorted(indices) for name, indices in sorted(cells.items())}


def _read_cells(filling: Filling, rule: Rule, rows: Sequence[int], name: Name) -> Iterator[tuple[str, str, int]]:
    """Yield the cells of column `name` that the rule reads for `rows`."""
    if name[0] == rule.table and name[1] in rule.redrawn_columns:
        yield from ((*name, i) for i in rows)
    for path in expr.paths(rule.node) if rule.node is not None else ():
        if path[0] in filling.structure.tables[rule.table].names:
            yield from _path_cells(filling, rule.table, path, rows, name)
    keys = filling.data[rule.table].get(filling.structure.tables[rule.table].key[0], [])
    for _, aggregate in rule.each:
        wanted = {keys[i] for i in rows}
        parents = filling.vector(aggregate.table, aggregate.by)
        children = [i for i, parent in enumerate(parents) if parent in wanted]
        if aggregate.column is not None and (aggregate.table, aggregate.column) == name:
            yield from ((*name, i) for i in children)
        for path in expr.paths(aggregate.where) if aggregate.where is not None else ():
            yield from _path_cells(filling, aggregate.table, path, children, name)


def _path_cells(
    filling: Filling, table: str, path: tuple[str, ...], rows: Sequence[int], name: Name
) -> Iterator[tuple[str, str, int]]:
    for here, step, indices in _cells_read(filling, table, path, rows):
        if (here, step) == name:
            yield from ((here, step, i) for i in indices)


def _cells_read(
    filling: Filling, table: str, path: tuple[str, ...], rows: Sequence[int]
) -> Iterator[tuple[str, str, list[int]]]:
    """Yield each column that `path` reads from some rows of `table`, with the rows in which it reads it."""
    here, indices = table, list(rows)
    for at, step in enumerate(path):
        yield here, step, indices
        if at < len(path) - 1:
            targets = filling.target_rows(here, step)
            indices = [j for j in (targets[i] for i in indices) if j is not None]
            here = str(filling.structure.column(here, step).ref)


def _add_drawn_cells(filling: Filling, column: Column, index: int, cells: dict[Name, set[int]], depth: int) -> None:
    fill, table = column.fill, column.table
    if depth > 12:
        return
    if not isinstance(fill, COMPUTED):
        quota = isinstance(fill, Reference) and fill.per is not None
        if not (column.key or quota or isinstance(fill, Invent)):
            cells.setdefault((table, column.name), set()).add(index)
        return
    match fill:
        case Aggregate():
            parent = filling.data[table][filling.structure.tables[table].key[0]][index]
            children = [i for i, p in enumerate(filling.vector(fill.table, fill.by)) if p == parent]
            before = len(cells)
            column_path: tuple[Path, ...] = ((fill.column,),) if fill.column else ()
            for path in (*column_path, *(expr.paths(fill.where) if fill.where is not None else ())):
                _add_path_ends(filling, fill.table, path, children, cells, depth)
            if len(cells) == before:
                _add_whole_reference(filling, fill, cells)
        case Rank(column=name) | Share(column=name):
            _add_drawn_cells(filling, filling.structure.column(table, name), index, cells, depth + 1)
        case Derive(node=node):
            for path in expr.paths(node):
                _add_path_ends(filling, table, path, [index], cells, depth)
        case _:
            pass


def _add_path_ends(
    filling: Filling, table: str, path: tuple[str, ...], rows: Sequence[int], cells: dict[Name, set[int]], depth: int
) -> None:
    *_, (here, last, indices) = _cells_read(filling, table, path, rows)
    for i in dict.fromkeys(indices):
        _add_drawn_cells(filling, filling.structure.column(here, last), i, cells, depth + 1)


def _add_whole_reference(filling: Filling, fill: Aggregate, cells: dict[Name, set[int]]) -> None:
    """A bare count depends on which rows refer where: the whole reference is redrawn, with its quotas."""
    here = fill.table
    for step in fill.by[:-1]:
        here = str(filling.structure.column(here, step).ref)
    ref = filling.structure.column(here, fill.by[-1])
    if not ref.key:
        cells.setdefault((here, ref.name), set()).update(range(filling.sizes[here]))
