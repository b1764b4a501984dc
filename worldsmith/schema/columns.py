"""Tables and columns: each fill with its options, names resolved and expressions typed."""

import re
from collections.abc import Mapping
from dataclasses import replace

from worldsmith import expr
from worldsmith.expr import Type
from worldsmith.expr.typed import call
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
    source = resolver.tables[name]
    key = (source.key,) if isinstance(source.key, str) else tuple(source.key)
    for part in key:
        column = resolver.source_column(name, part, f"tables.{name}.key")
        if (
            column.missing
            or column.if_
            or column.kind in ("faker", "number", "chance", "rank", "share", "count", "sum", "max")
        ):
            raise resolver.fail(f"{name}.{part}", f"a key column can't be {column.kind}, missing or switched")
    columns = tuple(_resolve_column(resolver, name, column, key, values) for column in source.columns)
    return Table(name, source.called[0], source.called[1], source.rows, key, columns, source.if_, source.background)


def _resolve_column(
    resolver: Resolver, table: str, name: str, key: tuple[str, ...], values: Mapping[str, Values]
) -> Column:
    source = resolver.tables[table].columns[name]
    known = resolver.types[table][name]
    kind: Type = known.type if isinstance(known, expr.Ref) else known
    label = source.label or name.replace("_", " ").capitalize()
    return Column(
        table=table,
        name=name,
        fill=_resolve_fill(resolver, table, name, source, values),
        type=kind,
        label=label if source.label or not source.ref else "",
        says=source.says or label.lower(),
        see=source.see,
        unit=source.unit,
        decimals=_decimals(resolver, source),
        missing=source.missing,
        none=source.none or "none",
        switch=source.if_,
        key=name in key,
        ends=source.ends,
    )


def _decimals(resolver: Resolver, source: src.ColumnSource) -> int:
    """A sum or a maximum has the decimals of its column."""
    target = source.sum or source.max
    if target is None:
        return source.decimals
    table, column = target.split(".")
    return _decimals(resolver, resolver.tables[table].columns[column])


def label_references(resolver: Resolver, table: Table, tables: Mapping[str, Table]) -> Table:
    """Head each reference without a label by its target's key label."""
    columns = []
    for column in table.columns:
        if column.label:
            columns.append(column)
            continue
        target = tables[column.ref or ""]
        label = target.column(target.key[0]).label
        columns.append(replace(column, label=label))
    heads = [column.header for column in columns]
    for i, head in enumerate(heads):
        if head in heads[:i]:
            raise resolver.fail(f"{table.name}.{columns[i].name}", f"the header {head!r} occurs twice: give a label")
    return replace(table, columns=tuple(columns))


def _resolve_fill(
    resolver: Resolver, table: str, name: str, source: src.ColumnSource, values: Mapping[str, Values]
) -> Fill:
    place = f"{table}.{name}"
    resolver.check_columns(table, place, source.within)
    match source.kind:
        case "invent":
            return Invent(str(source.invent))
        case "pick":
            picked = resolver.values_of(str(source.pick), values, place)
            if source.accent and not _has_name(resolver.tables[table]):
                raise resolver.fail(
                    place, f"accent goes by an invented name, and the key of {table!r} is none: drop it"
                )
            if source.accent and (source.where is not None or source.group is not None):
                raise resolver.fail(place, "accent doesn't go together with where or group: drop one of them")
            where = resolver.optional_node(source.where, table, place, "bool")
            if source.group is not None:
                of_group = resolver.group_condition(picked, name, source.group, table, place)
                where = of_group if where is None else call("and", [of_group, where])
            return Pick(str(source.pick), where, source.accent)
        case "choice":
            options = tuple(source.choice or ())
            return Choice(options, tuple(source.weights or [1.0] * len(options)))
        case "chance":
            return Chance(float(source.chance or 0))
        case "number":
            return _resolve_number(resolver, table, source, place)
        case "date":
            lo, hi = source.date or ("", "")
            return Date(resolver.day(lo, place), resolver.day(hi, place), source.skew)
        case "after":
            return _resolve_after(resolver, table, source, place)
        case "ref":
            return Reference(
                str(source.ref), resolver.optional_node(source.where, table, place, "bool"), source.per, source.skew
            )
        case "series":
            assert source.series
            assert source.drift
            along = resolver.ordered_column(table, place, "along", source.along)
            step = source.step or 10.0**-source.decimals
            _check_step(resolver, place, step, source.decimals)
            return Series(source.series, along, source.within, source.drift, step)
        case "faker":
            if name in resolver.tables[table].key:
                raise resolver.fail(place, "a Faker detail is never a key")
            return Faker(str(source.faker))
        case _:
            return _resolve_computed(resolver, table, source, place)


def _has_name(table: src.TableSource) -> bool:
    return isinstance(table.key, str) and table.columns[table.key].invent not in {None, "code"}


def _resolve_computed(resolver: Resolver, table: str, source: src.ColumnSource, place: str) -> Fill:
    match source.kind:
        case "count" | "sum" | "max":
            return resolver.aggregate(table, place, source)
        case "rank":
            return Rank(resolver.ordered_column(table, place, "rank", source.rank), source.within)
        case "share":
            column = resolver.ordered_column(table, place, "share", source.share, "int", "num")
            return Share(column, source.within, source.decimals)
        case "derive":
            return Derive(resolver.node(str(source.derive), table, place))
        case _:
            return Derive(resolver.node(_template(str(source.text)), table, place, "text"))


def _resolve_after(resolver: Resolver, table: str, source: src.ColumnSource, place: str) -> After:
    path = resolver.path(str(source.after), table, place)
    if resolver.known_type(*resolver.end(table, path), place) != "date":
        raise resolver.fail(place, f"after = {source.after!r} is no date: name a date or after column")
    lo, hi = source.days or (0, 0)
    return After(path, lo, hi, resolver.optional_node(source.until, table, place, "date"), source.skew)


def _resolve_number(resolver: Resolver, table: str, source: src.ColumnSource, place: str) -> Number:
    lo, hi = source.number or (0.0, 0.0)
    step = source.step or 10.0**-source.decimals
    # Bounds whole steps apart need not be multiples themselves: prices in steps of 50 from 199 end in 49 and 99.
    apart = _multiple(hi - lo, step) and round(lo, source.decimals) == lo
    offset = lo % step if apart and not _multiple(lo, step) else 0.0
    for bound in () if offset else (lo, hi):
        if not _multiple(bound, step):
            near = f"{round(bound / step) * step:g}"
            raise resolver.fail(
                place, f"the bound {bound:g} is no multiple of the step {step:g}; the nearest is {near}"
            )
    _check_step(resolver, place, step, source.decimals)
    mean = None if source.mean is None else resolver.node(source.mean, table, place)
    if mean is not None and mean.type not in ("int", "num"):
        raise resolver.fail(place, f"mean is {mean.type}, not a number")
    return Number(lo, hi, step, mean, source.spread or 0.0, source.skew, offset)


def _multiple(value: float, step: float) -> bool:
    return abs(round(value / step) * step - value) <= 1e-9 * max(1.0, abs(value))


def _check_step(resolver: Resolver, place: str, step: float, decimals: int) -> None:
    if round(step, decimals) != step:
        raise resolver.fail(place, f"step {step:g} needs decimals = {len(f'{step:.6f}'.rstrip('0').split('.')[1])}")


def _template(text: str) -> str:
    """Return the expression for "{name} of {town.name}": text joined by ||."""
    parts = re.split(r"\{([^{}]*)\}", text)
    pieces = [f"'{p.replace(chr(39), chr(39) * 2)}'" if i % 2 == 0 else p for i, p in enumerate(parts) if i % 2 or p]
    return " || ".join(pieces) if pieces else "''"
