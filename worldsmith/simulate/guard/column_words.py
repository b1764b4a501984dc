"""Words by their stems: which columns a word or a header speaks of, in whatever form it stands."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from worldsmith.lang.stems import stem
from worldsmith.schema import Aggregate, Schema
from worldsmith.simulate.guard.entitlement import Facts
from worldsmith.simulate.guard.names import ColumnId, columns_by_id, group_columns
from worldsmith.simulate.guard.text import clean, tokens
from worldsmith.world.model import Cell

WEAK = frozenset(
    ("with", "from", "this", "that", "year", "years", "reached", "yearly", "number", "total", "week", "month", "first",
     "date", "the", "and", "for", "has", "have", "been", "its", "their", "was", "were", "are", "not", "any", "all",
     "some", "than", "said", "also", "still", "none", "rank", "day", "days", "here", "there", "they", "other", "every")
)  # fmt: skip
"""Words that speak of no column, whatever label has them."""


class Stems:
    """The columns of a schema by the stems of their labels, phrases and fillers, and of what they count."""

    def __init__(self, schema: Schema) -> None:
        every = columns_by_id(schema)
        counted = {
            place: schema.tables[c.fill.table] for place, c in every.items()
            if isinstance(c.fill, Aggregate) and c.fill.op == "count"
        }  # fmt: skip
        nouns = {place: f"{table.singular} {table.plural}" for place, table in counted.items()}
        self._label_columns = group_columns(
            (word, place) for place, c in every.items() for word in _stems(c.label, c.says, nouns.get(place, ""))
        )
        self._filler_columns = group_columns((word, place) for place, c in every.items() for word in _stems(c.none))
        self.people = frozenset(place for place, table in counted.items() if table.of_people)
        """The columns that count people."""

    def columns(self, words: Iterable[str]) -> frozenset[ColumnId]:
        """Return the columns that some words in lower case speak of."""
        return frozenset(c for w in words if w not in WEAK for c in self._label_columns.get(stem(w), ()))

    def fillers(self, words: Iterable[str]) -> frozenset[ColumnId]:
        """Return the columns whose words for null some words are of."""
        return frozenset(c for w in words if w not in WEAK for c in self._filler_columns.get(stem(w), ()))


def _stems(*texts: str) -> list[str]:
    return [stem(word) for text in texts for word in tokens(clean(text)) if len(word) >= 3 and word not in WEAK]


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
