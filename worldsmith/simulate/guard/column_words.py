"""Words by their stems: which columns a word speaks of, in whatever form it stands."""

from collections.abc import Iterable

from worldsmith.lang.stems import stem
from worldsmith.schema import Aggregate, Invent, Schema
from worldsmith.simulate.guard.names import ColumnId
from worldsmith.simulate.guard.text import clean, tokens

WEAK = frozenset(
    ("with", "from", "this", "that", "year", "years", "reached", "yearly", "number", "total", "week", "month", "first",
     "date", "the", "and", "for", "has", "have", "been", "its", "their", "was", "were", "are", "not", "any", "all",
     "some", "than", "said", "also", "still", "none", "rank", "day", "days", "here", "there", "they", "other", "every")
)  # fmt: skip
"""Words that speak of no column, whatever label has them."""


class Stems:
    """The columns of a schema by the stems of their labels, phrases and fillers, and of what they count."""

    def __init__(self, schema: Schema) -> None:
        label_columns: dict[str, dict[ColumnId, None]] = {}
        filler_columns: dict[str, dict[ColumnId, None]] = {}
        people = {
            t.name for t in schema.tables.values() for c in t.columns
            if c.key and isinstance(c.fill, Invent) and c.fill.kind == "person"
        }  # fmt: skip
        counted: dict[ColumnId, None] = {}
        for table in schema.tables.values():
            for column in table.columns:
                place = (table.name, column.name)
                texts = [column.label, column.says]
                if isinstance(column.fill, Aggregate) and column.fill.op == "count":
                    counts = schema.tables[column.fill.table]
                    texts += [counts.singular, counts.plural]
                    if column.fill.table in people:
                        counted[place] = None
                _add(label_columns, texts, place)
                _add(filler_columns, [column.none], place)
        self._label_columns = {word: frozenset(columns) for word, columns in label_columns.items()}
        self._filler_columns = {word: frozenset(columns) for word, columns in filler_columns.items()}
        self.people = frozenset(counted)
        """The columns that count people."""

    def columns(self, words: Iterable[str]) -> frozenset[ColumnId]:
        """Return the columns that some words in lower case speak of."""
        return frozenset(c for w in words if w not in WEAK for c in self._label_columns.get(stem(w), ()))

    def fillers(self, words: Iterable[str]) -> frozenset[ColumnId]:
        """Return the columns whose words for null some words are of."""
        return frozenset(c for w in words if w not in WEAK for c in self._filler_columns.get(stem(w), ()))


def _add(index: dict[str, dict[ColumnId, None]], texts: Iterable[str], place: ColumnId) -> None:
    for text in texts:
        for word in tokens(clean(text)):
            if len(word) >= 3 and word not in WEAK:
                index.setdefault(stem(word), {})[place] = None
