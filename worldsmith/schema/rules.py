"""Rules and pages of a schema file."""

from collections.abc import Mapping

from worldsmith.errors import close_match
from worldsmith.expr import Type
from worldsmith.schema import source as src
from worldsmith.schema.resolve import Resolver
from worldsmith.schema.types import ChildCells, PageSpec, Rule, Table


def resolve_rule(resolver: Resolver, name: str, source: src.RuleSource, tables: Mapping[str, Table]) -> Rule:
    place = f"rules.{name}"
    if source.kind == "acyclic":
        table, column = resolver.table_and_column(str(source.acyclic), place)
        if resolver.source_column(table, column, place).ref != table:
            raise resolver.fail(place, f"{source.acyclic!r} does not refer to its own table: acyclic is for such a ref")
        return Rule(name, "acyclic", table, columns=(column,), switch=source.if_)
    table = str(source.on)
    if table not in tables:
        raise resolver.fail(place, f"no table {table!r}.{close_match(table, tables)}")
    if source.kind == "unique":
        resolver.check_columns(table, place, *(source.unique or ()))
        return Rule(name, "unique", table, columns=tuple(source.unique or ()), switch=source.if_)
    if source.kind == "order":
        resolver.check_columns(table, place, source.order, source.by, source.within)
        resolver.check_ordered(table, place, "order", str(source.order))
        resolver.check_ordered(table, place, "by", str(source.by))
        return Rule(
            name, "order", table, order=str(source.order), by=str(source.by), within=source.within, switch=source.if_
        )
    each = tuple((n, resolver.aggregate(table, f"{place}.{n}", e)) for n, e in (source.each or {}).items())
    extra: dict[str, Type] = {
        n: "int" if a.op == "count" else resolver.known_type(a.table, str(a.column), place) for n, a in each
    }
    node = resolver.node(str(source.must), table, place, "bool", **extra)
    return Rule(name, source.kind, table, node, each=each, switch=source.if_)


def resolve_page(resolver: Resolver, name: str, source: src.PageSource, tables: Mapping[str, Table]) -> PageSpec:
    place = f"pages.{name}"
    table = source.about or source.list_ or ""
    if table not in tables:
        raise resolver.fail(place, f"no table {table!r}.{close_match(table, tables)}")
    stated = [c.name for c in tables[table].columns if c.see != "linked"]
    for column in (*(source.show or ()), *(n for n in (source.by, source.sort) if n is not None)):
        resolver.source_column(table, column, place)
        if column not in stated:
            raise resolver.fail(
                place, f"{column!r} is linked: it is stated on no list, table or head; drop it here, or its see"
            )
    if source.list_ and len(source.show or ()) > 3:
        raise resolver.fail(place, f"a list page shows at most 3 columns beside the key, not {len(source.show or ())}")
    children = []
    for child, named in source.with_.items():
        (ref,) = resolver.parent_path(None, child, table, place)
        every = [c.name for c in tables[child].columns if c.see != "linked" and c.name != ref]
        columns = every if named == "*" else list(named)
        for column in columns:
            resolver.source_column(child, column, place)
        children.append(ChildCells(child, ref, tuple(columns)))
    show = tuple(source.show) if source.show is not None else tuple(stated)
    return PageSpec(name, source.about, source.list_, source.by, show, source.sort, tuple(children), source.if_)
