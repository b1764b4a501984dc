"""Tables and columns: each fill with its options, names resolved and expressions typed."""

import re
from collections.abc import Mapping
from dataclasses import replace

from worldsmith import expr
from worldsmith.expr import Type
from worldsmith.schema import source as src
from worldsmith.schema.resolve import Resolver
from worldsmith.schema.types import (
    After,
    Chance,
    Choice,
    Column,
    Date,
    Derive,
    Faker,
    Fill,
    Invent,
    Number,
    Pick,
    Rank,
    Reference,
    Series,
    Share,
    Table,
    Values,
)


def resolve_table(resolver: Resolver, name: str, values: Mapping[str, Values]) -> Table:
    t = resolver.source.tables[name]
    key = (t.key,) if isinstance(t.key, str) else tuple(t.key)
    for part in key:
        c = resolver.source_column(name, part, f"tables.{name}.key")
        if c.missing or c.if_ or c.kind in ("faker", "number", "chance", "rank", "share", "count", "sum", "max"):
            raise resolver.fail(f"{name}.{part}", f"a key column can't be {c.kind}, missing or switched")
    columns = tuple(resolve_column(resolver, name, c, key, values) for c in t.columns)
    return Table(name, t.called[0], t.called[1], t.rows, key, columns, t.if_)


def resolve_column(
    resolver: Resolver, table: str, name: str, key: tuple[str, ...], values: Mapping[str, Values]
) -> Column:
    c = resolver.source.tables[table].columns[name]
    known = resolver.types[table][name]
    kind: Type = known.type if isinstance(known, expr.Ref) else known
    label = c.label or name.replace("_", " ").capitalize()
    return Column(
        table=table,
        name=name,
        fill=resolve_fill(resolver, table, name, c, values),
        type=kind,
        label=label if c.label or not c.ref else "",
        says=c.says or label.lower(),
        see=c.see,
        unit=c.unit,
        decimals=_decimals(resolver, c),
        missing=c.missing,
        none=c.none or "none",
        switch=c.if_,
        key=name in key,
        ends=c.ends,
    )


def _decimals(resolver: Resolver, c: src.ColumnSource) -> int:
    """A sum or a maximum is printed as what it is of."""
    target = c.sum or c.max
    if target is None:
        return c.decimals
    table, column = target.split(".")
    return _decimals(resolver, resolver.source.tables[table].columns[column])


def label_references(resolver: Resolver, table: Table, tables: Mapping[str, Table]) -> Table:
    """Head each reference without a label by its target's key label."""
    columns = []
    for c in table.columns:
        if c.label:
            columns.append(c)
            continue
        target = tables[c.ref or ""]
        label = target.column(target.key[0]).label
        columns.append(replace(c, label=label))
    heads = [c.header for c in columns]
    for i, head in enumerate(heads):
        if head in heads[:i]:
            raise resolver.fail(f"{table.name}.{columns[i].name}", f"the header {head!r} stands twice: give a label")
    return replace(table, columns=tuple(columns))


def resolve_fill(resolver: Resolver, table: str, name: str, c: src.ColumnSource, values: Mapping[str, Values]) -> Fill:
    place = f"{table}.{name}"
    match c.kind:
        case "invent":
            return Invent(str(c.invent))
        case "pick":
            resolver.values_of(str(c.pick), values, place)
            return Pick(str(c.pick), resolver.optional_node(c.where, table, place, "bool"))
        case "choice":
            options = tuple(c.choice or ())
            return Choice(options, tuple(c.weights or [1.0] * len(options)))
        case "chance":
            return Chance(float(c.chance or 0))
        case "number":
            return resolve_number(resolver, table, c, place)
        case "date":
            lo, hi = c.date or ("", "")
            return Date(resolver.day(lo, place), resolver.day(hi, place))
        case "after":
            path = resolver.path(str(c.after), table, place)
            if resolver.end_type(table, path) != "date":
                raise resolver.fail(place, f"after = {c.after!r} is no date: name a date or after column")
            lo_days, hi_days = c.days or (0, 0)
            return After(path, lo_days, hi_days, resolver.optional_node(c.until, table, place, "date"))
        case "ref":
            return Reference(str(c.ref), resolver.optional_node(c.where, table, place, "bool"), c.per, c.skew)
        case "count" | "sum" | "max":
            return resolver.aggregate(table, place, c)
        case "rank":
            resolver.check_columns(table, place, str(c.rank), c.within)
            resolver.check_ordered(table, place, "rank", str(c.rank))
            return Rank(str(c.rank), c.within)
        case "share":
            resolver.check_columns(table, place, str(c.share), c.within)
            resolver.check_ordered(table, place, "share", str(c.share), "int", "num")
            return Share(str(c.share), c.within, c.decimals)
        case "series":
            resolver.check_columns(table, place, str(c.along), c.within)
            resolver.check_ordered(table, place, "along", str(c.along))
            assert c.series
            assert c.drift
            step = c.step or 10.0**-c.decimals
            _check_step(resolver, place, step, c.decimals)
            return Series(c.series, str(c.along), c.within, c.drift, step)
        case "derive":
            return Derive(resolver.node(str(c.derive), table, place))
        case "text":
            return Derive(resolver.node(_template(str(c.text)), table, place, "text"))
        case _:
            if table and name in resolver.source.tables[table].key:
                raise resolver.fail(place, "a Faker detail is never a key")
            return Faker(str(c.faker))


def resolve_number(resolver: Resolver, table: str, c: src.ColumnSource, place: str) -> Number:
    lo, hi = c.number or (0.0, 0.0)
    step = c.step or 10.0**-c.decimals
    for bound in (lo, hi):
        if abs(round(bound / step) * step - bound) > 1e-9 * max(1.0, abs(bound)):
            near = f"{round(bound / step) * step:g}"
            raise resolver.fail(
                place, f"the bound {bound:g} is no multiple of the step {step:g}; the nearest is {near}"
            )
    _check_step(resolver, place, step, c.decimals)
    mean = None if c.mean is None else resolver.node(c.mean, table, place)
    if mean is not None and mean.type not in ("int", "num"):
        raise resolver.fail(place, f"mean is {mean.type}, not a number")
    return Number(lo, hi, step, mean, c.spread or 0.0, c.skew)


def _check_step(resolver: Resolver, place: str, step: float, decimals: int) -> None:
    if round(step, decimals) != step:
        raise resolver.fail(place, f"step {step:g} needs decimals = {len(f'{step:.6f}'.rstrip('0').split('.')[1])}")


def _template(text: str) -> str:
    """Return the expression for "{name} of {town.name}": text joined by ||."""
    parts = re.split(r"\{([^{}]*)\}", text)
    pieces = [f"'{p.replace(chr(39), chr(39) * 2)}'" if i % 2 == 0 else p for i, p in enumerate(parts) if i % 2 or p]
    return " || ".join(pieces) if pieces else "''"
