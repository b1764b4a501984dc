"""What the columns of a question mean exactly, where pages tell something else of the same row in the same terms."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from worldsmith import expr
from worldsmith.schema import Choice, Column, Path, Pick, Schema, Value
from worldsmith.tasks.headers import asked_name, path_columns
from worldsmith.tasks.query import Query


def rivals(schema: Schema, column: Column) -> tuple[Column, ...]:
    """Return the background columns that state the same kind of value, in the same unit, about the same row.

    A row whose key has several columns is told of by what is about a row that its key refers to, too.
    """
    table = schema.tables[column.table]
    owners = {table.name, *(ref.ref for ref in table.refs if ref.key and len(table.key) > 1)}
    about = (t for t in schema.tables.values() if t.background and any(ref.ref in owners for ref in t.refs))
    return tuple(c for t in about for c in t.columns if _alike(c, column) and not (c.key and c.ref in owners))


def _alike(one: Column, other: Column) -> bool:
    if (one.type, one.unit, one.ref) != (other.type, other.unit, other.ref):
        return False
    return one.type != "text" or one.ref is not None or bool(_options(one) & _options(other))


def _options(column: Column) -> frozenset[Value]:
    """Return what a text is one of: the name of a list, or options; nothing for invented texts."""
    fill = column.fill
    return frozenset({fill.values} if isinstance(fill, Pick) else fill.options if isinstance(fill, Choice) else ())


@lru_cache(maxsize=16)
def meanings(schema: Schema) -> Mapping[Column, str]:
    """Return what the columns of a schema mean exactly that have rivals and whose bank says it."""
    columns = (column for table in schema.tables.values() for column in table.columns)
    texts = {c: schema.bank.words(c.table, c.name).means for c in columns} if schema.bank else {}
    return {column: text for column, text in texts.items() if text and rivals(schema, column)}


def query_meanings(schema: Schema, query: Query, headings: Mapping[Path, str]) -> dict[str, str]:
    """Return what the columns that a query reads mean, by the names they have in its question.

    `headings` are the headers of the answer; other columns bear the name that people ask for them by.
    """
    known, names = meanings(schema), dict[Column, str]()
    for path, name in headings.items():
        if query.tally(path) is None:  # what a tally is made of has a name of its own
            names |= dict.fromkeys(path_columns(schema, query.table, path)[-1:], name)
    for one in query.chain():
        for path in (*one.columns, *one.evidence, *one.read, *one.ranked):
            for column in _read_columns(schema, one, path):
                if column in known and column not in names:
                    name = asked_name(column, schema)
                    taken = name.casefold() in {other.casefold() for other in names.values()}
                    names[column] = f"{name} of the {schema.tables[column.table].singular}" if taken else name
    return {name: known[column] for column, name in names.items() if column in known}


def _read_columns(schema: Schema, query: Query, path: Path) -> Sequence[Column]:
    """Return the columns along a path; of a tally those that its condition reads, and the one it adds up."""
    tally = query.tally(path)
    if tally is None:
        return path_columns(schema, query.table, path)
    inner = [] if tally.where is None else expr.paths(tally.where)
    columns = [column for one in inner for column in path_columns(schema, tally.table, one)]
    return [*columns, *([schema.column(tally.table, tally.column)] if tally.column else [])]
