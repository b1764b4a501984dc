"""How many values columns and keys can hold, and totals that these and `per` can't meet."""

from collections.abc import Mapping
from datetime import date
from math import inf, prod

from worldsmith.schema.resolve import Resolver
from worldsmith.schema.rules import Must, Unique
from worldsmith.schema.types import (
    COMPUTED,
    Chance,
    Choice,
    Column,
    Date,
    Invent,
    Number,
    Pick,
    Reference,
    Schema,
    Table,
)


def check_counts(resolver: Resolver, schema: Schema) -> None:
    """Refuse totals that can't be met; the error says which would be possible."""
    for table in schema.tables.values():
        for column in table.refs:
            _check_per(resolver, schema, table, column)
        if len(table.key) == 1:
            _check_key(resolver, schema, table)
        else:
            _check_pairs(resolver, schema, table)
    for rule in schema.rules:
        if isinstance(rule, Unique):
            _check_unique(resolver, schema, schema.tables[rule.table], rule)


def value_limit(schema: Schema, column: Column) -> float:
    """Return how many values a column can hold at most, as far as its fill says; inf where it doesn't."""
    match column.fill:
        case Pick(values=values):
            return schema.values[values].n
        case Choice(options=options):
            return len(set(options))
        case Chance():
            return 2
        case Number(lo=lo, hi=hi, step=step):
            return round((hi - lo) / step) + 1
        case Date(lo=lo, hi=hi):
            return (date.fromisoformat(hi) - date.fromisoformat(lo)).days + 1
        case Reference(table=target):
            return schema.tables[target].rows[1]
        case _:
            return inf


def key_columns(table: Table) -> list[Column]:
    """Return the columns of a table's key."""
    return [table.column(name) for name in table.key]


def value_count(structure: Schema, column: Column, sizes: Mapping[str, float]) -> float:
    """Return how many values a key column has, where the tables it may refer to have `sizes`."""
    if isinstance(column.fill, Reference):
        return sizes.get(column.fill.table, inf)
    return value_limit(structure, column)


def has_restricted_key(structure: Schema, table: Table) -> bool:
    """Whether a `where` or a rule excludes some of the combinations of a table's key."""
    narrowed = any(getattr(column.fill, "where", None) is not None for column in key_columns(table))
    return narrowed or any(isinstance(rule, Must) and rule.table == table.name for rule in structure.rules)


def most_repeats(structure: Schema, column: Column, sizes: Mapping[str, float]) -> float:
    """Return how often a column of a composite key can hold one value: the combinations of the other columns."""
    others = [other for other in key_columns(structure.tables[column.table]) if other.name != column.name]
    return prod(value_count(structure, other, sizes) for other in others) if column.key and others else inf


def _check_per(resolver: Resolver, schema: Schema, table: Table, column: Column) -> None:
    fill = column.fill
    assert isinstance(fill, Reference)
    if fill.per is None or fill.table == table.name:
        return
    (lo, hi), (few, many), (least, most) = table.rows, schema.tables[fill.table].rows, fill.per
    if hi >= many * least and lo <= few * most:
        return
    if hi < few * least or lo > many * most:
        problem = (
            f"can't be met: {column.name} takes each of the {fill.table} rows {least} to {most} times, which makes"
        )
        problem = f"{problem} {few * least} to {many * most}"
    else:
        bad = many if hi < many * least else few
        problem = f"can't always be met: {column.name} takes each {fill.table} row {least} to {most} times, so {bad}"
        problem = f"{problem} {fill.table} rows make {bad * least} to {bad * most}"
    fix = (
        f"let rows overlap [{many * least}, {few * most}]"
        if many * least <= few * most
        else f"widen per = [{least}, {most}]"
    )
    raise resolver.fail(
        f"tables.{table.name}.rows", f"[{lo}, {hi}] {problem}: {fix}, or change per or the {fill.table} rows"
    )


def _check_key(resolver: Resolver, schema: Schema, table: Table) -> None:
    """Refuse a key of one column whose fill doesn't make it distinct, and more rows than it has values."""
    key = table.column(table.key[0])
    if not isinstance(key.fill, Invent | Pick):
        kind = resolver.tables[table.name].columns[key.name].kind
        raise resolver.fail(
            f"{table.name}.{key.name}",
            f"a key of one column is an invent or a pick, which are distinct; {kind} repeats: use one of these, or "
            "name several columns as the key",
        )
    least = table.rows[0]
    if isinstance(key.fill, Pick) and least > (n := schema.values[key.fill.values].n):
        raise resolver.fail(
            f"tables.{table.name}.rows",
            f"{least} rows need as many names; the list {key.fill.values!r} has {n}: lengthen it, or ask for {n} rows",
        )


def _check_pairs(resolver: Resolver, schema: Schema, table: Table) -> None:
    """Refuse a composite key with fewer combinations than rows."""
    drawn = [c for c in map(table.column, table.key) if not isinstance(c.fill, COMPUTED)]
    for column in drawn:
        if not isinstance(column.fill, Reference | Pick | Choice):
            kind = resolver.tables[table.name].columns[column.name].kind
            raise resolver.fail(
                f"{table.name}.{column.name}",
                f"a key of several columns is made of ref, pick and choice columns, not of {kind}",
            )
    sizes = {c.name: value_limit(schema, c) for c in drawn}
    driver = next((c for c in drawn if isinstance(c.fill, Reference) and c.fill.per), None)
    most = prod(sizes.values())
    shown = " x ".join(f"{n:g} {name}" for name, n in sizes.items())
    if driver is not None and isinstance(driver.fill, Reference) and driver.fill.per:
        others = most / sizes[driver.name]
        most = sizes[driver.name] * min(driver.fill.per[1], others)
    if table.rows[0] > most:
        raise resolver.fail(
            f"tables.{table.name}.rows",
            f"{table.rows[0]} rows need as many different {' and '.join(table.key)}; there are at most {most:g} "
            f"({shown}): ask for fewer rows, or give the key more values",
        )


def _check_unique(resolver: Resolver, schema: Schema, table: Table, rule: Unique) -> None:
    held = [table.column(c) for c in rule.columns]
    if any(c.nullable or c.switch for c in held):
        return
    most = prod(value_limit(schema, c) for c in held)
    if table.rows[0] > most:
        raise resolver.fail(
            f"rules.{rule.name}",
            f"{table.rows[0]} rows of {table.name} can't all differ in {' and '.join(rule.columns)}, which take at "
            f"most {most:g} values: name more columns, or drop the rule",
        )
