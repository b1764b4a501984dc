"""Headers and labels in other words than the schema's: which columns they may stand for, by word and by value."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from worldsmith.simulate.guard.column_words import Stems
from worldsmith.simulate.guard.entitlement import Facts
from worldsmith.simulate.guard.names import ColumnId
from worldsmith.simulate.guard.text import clean, tokens
from worldsmith.world.model import Cell

Columns = Sequence[Sequence[ColumnId]]
Prints = Callable[[str, Cell], bool]


def cells_by_column(cells: Iterable[Cell]) -> dict[ColumnId, list[Cell]]:
    """Return cells by their column."""
    cells_by_column: dict[ColumnId, list[Cell]] = {}
    for cell in cells:
        cells_by_column.setdefault((cell.row.table, cell.col), []).append(cell)
    return cells_by_column


def columns_of_headers(
    titles: Sequence[str], known: Columns, body: Sequence[Sequence[str]], facts: Facts, stems: Stems, prints: Prints
) -> Columns:
    """Return the columns that each header of a table means: those it is a label of, else what `columns_meant` returns.

    Headers that speak of one column alone come first: what they take, no other header means.
    """
    if all(known) or not body or any(len(row) != len(titles) for row in body):
        return known
    rows = [row for row in facts.rows if row != facts.subject] or list(facts.rows)
    free = cells_by_column(cell for row in rows for cell in facts.rows[row].values())
    columns_by_title = [tuple(columns) for columns in known]
    for _ in range(2):
        for i, title in enumerate(titles):
            if not columns_by_title[i]:
                taken = {column for columns in columns_by_title for column in columns}
                left = {column: cells for column, cells in free.items() if column not in taken}
                columns_by_title[i] = columns_meant(title, [row[i] for row in body], left, stems, prints)
    return columns_by_title


def columns_meant(
    title: str, texts: Sequence[str], free: Mapping[ColumnId, Sequence[Cell]], stems: Stems, prints: Prints
) -> tuple[ColumnId, ...]:
    """Return the column that a header in other words may mean: the one that has all the values below it.

    Of several, the one that a word of it speaks of. None where that is unclear, or its words speak of others alone.
    """
    fit = [c for c, cells in free.items() if all(any(prints(text, cell) for cell in cells) for text in texts)]
    spoken = stems.columns(tokens(clean(title)))
    named = [c for c in fit if c in spoken]
    if named:
        return tuple(named) if len(named) == 1 else ()
    return tuple(fit) if len(fit) == 1 and not spoken & set(free) else ()
