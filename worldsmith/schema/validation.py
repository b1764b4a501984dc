"""Checks of a schema as a whole: switches, fills that read others, list pages, columns that no page carries."""

from worldsmith.errors import close_match
from worldsmith.schema.cardinality import check_counts, value_limit
from worldsmith.schema.reads import columns_named, columns_read, columns_read_by_rule
from worldsmith.schema.resolve import Resolver
from worldsmith.schema.syntax import SchemaSource
from worldsmith.schema.types import (
    After,
    Choice,
    Column,
    Date,
    Faker,
    Invent,
    Number,
    Pick,
    Reference,
    Schema,
    Series,
    Share,
    Table,
)


def check_schema(resolver: Resolver, source: SchemaSource, schema: Schema) -> None:
    """Raise SchemaError for the first of the faults that only the whole schema shows."""
    _check_switches(resolver, source, schema)
    _check_not_filled_from_itself(resolver, schema)
    check_counts(resolver, schema)
    _check_background(resolver, schema)
    _check_list_pages(resolver, schema)
    _check_columns_on_pages(resolver, schema)


def _check_switches(resolver: Resolver, source: SchemaSource, schema: Schema) -> None:
    used = [
        *((f"tables.{n}", t.if_) for n, t in source.tables.items()),
        *((f"{n}.{cn}", c.if_) for n, t in source.tables.items() for cn, c in t.columns.items()),
        *((f"rules.{n}", r.if_) for n, r in source.rules.items()),
        *((f"pages.{n}", p.if_) for n, p in source.pages.items()),
        *((f"expected.{n}", e.if_) for n, e in source.expected.items()),
    ]
    for place, switch in used:
        if switch is not None and switch not in source.variation:
            raise resolver.fail(place, f"no switch {switch!r} in [variation].{close_match(switch, source.variation)}")
    for name in source.variation:
        if all(switch != name for _, switch in used):
            raise resolver.fail(f"variation.{name}", "nothing uses this switch: remove it, or use it in an if")
    for table in schema.tables.values():
        for column in table.columns:
            _check_switch(resolver, schema, table, column)


def _check_switch(resolver: Resolver, schema: Schema, table: Table, column: Column) -> None:
    """A fill that names an optional table or column must have the same switch."""
    for target, name in columns_named(schema, table.name, column.fill):
        for what, switch in (
            (target, schema.tables[target].switch),
            (f"{target}.{name}", schema.column(target, name).switch),
        ):
            if switch not in (None, table.switch, column.switch):
                raise resolver.fail(
                    f"{table.name}.{column.name}",
                    f"{what} depends on the switch {switch!r} and this column does not: give it if = {switch!r}",
                )


def _check_not_filled_from_itself(resolver: Resolver, schema: Schema) -> None:
    """No column is filled from itself; only a `where` reads the value it judges."""
    for table in schema.tables.values():
        for column in table.columns:
            if (table.name, column.name) in columns_read(schema, column):
                raise resolver.fail(f"{table.name}.{column.name}", "it is filled from itself: name another column")


def _check_background(resolver: Resolver, schema: Schema) -> None:
    """No page, column or rule of the facts leads to a background table, since questions are made without those."""
    for page in schema.pages:
        for table in (page.table, *(child.table for child in page.children)):
            if table in schema.background:
                raise resolver.fail(
                    f"pages.{page.name}", f"{table!r} is background, which no page here may name: natural pages tell it"
                )
    reading = [
        *((c.table, f"{c.table}.{c.name}", columns_read(schema, c)) for t in schema.tables.values() for c in t.columns),
        *((r.table, f"rules.{r.name}", columns_read_by_rule(schema, r)) for r in schema.rules),
    ]
    for of, place, names in reading:
        for table, _ in names:
            if table in schema.background and of not in schema.background:
                raise resolver.fail(place, f"it reads {table!r}, which is background: only background may refer to it")


def _check_list_pages(resolver: Resolver, schema: Schema) -> None:
    """The rows of a list page share a value of `by`; a column in which all differ makes no lists."""
    for page in schema.pages:
        if page.by is None:
            continue
        table = schema.tables[page.table]
        column = table.column(page.by)
        alone = table.key == (column.name,) or isinstance(column.fill, Invent | Date | After | Faker | Series | Share)
        if alone or (isinstance(column.fill, Number) and value_limit(schema, column) > table.rows[1] / 2):
            repeats = [c.name for c in table.columns if isinstance(c.fill, Pick | Choice | Reference)]
            raise resolver.fail(
                f"pages.{page.name}",
                f"by = {page.by!r} makes no lists: nearly every {table.singular} has a value of its own; take a column "
                f"whose values repeat, such as {', '.join(repeats) or 'a choice or a pick'}",
            )


def _check_columns_on_pages(resolver: Resolver, schema: Schema) -> None:
    """Every column must be on some page, else no question about it has an answer."""
    carried = {(p.table, c) for p in schema.pages for c in (*p.show, *schema.tables[p.table].key)}
    carried |= {(w.table, c) for p in schema.pages for w in p.children for c in (*w.columns, w.ref)}
    carried |= {(w.table, k) for p in schema.pages for w in p.children for k in schema.tables[w.table].key}
    for table in schema.tables.values():
        for column in table.columns:
            if not table.background and column.see != "linked" and (table.name, column.name) not in carried:
                raise resolver.fail(
                    f"{table.name}.{column.name}",
                    "no page carries this column: name it in the show or with of a page",
                )
