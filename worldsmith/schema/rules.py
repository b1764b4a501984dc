"""Rules and pages of a schema file."""

from collections.abc import Mapping

from worldsmith.errors import close_match
from worldsmith.expr import Type
from worldsmith.schema import source as src
from worldsmith.schema.resolve import Resolver
from worldsmith.schema.types import PageSpec, Rule, Table, With


def resolve_rule(resolver: Resolver, name: str, r: src.RuleSource, tables: Mapping[str, Table]) -> Rule:
    place = f"rules.{name}"
    if r.kind == "acyclic":
        table, column = resolver.table_and_column(str(r.acyclic), place)
        if resolver.source_column(table, column, place).ref != table:
            raise resolver.fail(place, f"{r.acyclic!r} does not refer to its own table: acyclic is for such a ref")
        return Rule(name, "acyclic", table, columns=(column,), switch=r.if_)
    table = str(r.on)
    if table not in tables:
        raise resolver.fail(place, f"no table {table!r}.{close_match(table, tables)}")
    if r.kind == "unique":
        resolver.check_columns(table, place, *(r.unique or ()))
        return Rule(name, "unique", table, columns=tuple(r.unique or ()), switch=r.if_)
    if r.kind == "order":
        resolver.check_columns(table, place, r.order, r.by, r.within)
        resolver.check_ordered(table, place, "order", str(r.order))
        resolver.check_ordered(table, place, "by", str(r.by))
        return Rule(name, "order", table, order=str(r.order), by=str(r.by), within=r.within, switch=r.if_)
    each = tuple((n, resolver.aggregate(table, f"{place}.{n}", e)) for n, e in (r.each or {}).items())
    extra: dict[str, Type] = {
        n: "int" if a.op == "count" else resolver.known_type(a.table, str(a.column), place) for n, a in each
    }
    node = resolver.node(str(r.must), table, place, "bool", **extra)
    return Rule(name, r.kind, table, node, each=each, switch=r.if_)


def resolve_page(resolver: Resolver, name: str, p: src.PageSource, tables: Mapping[str, Table]) -> PageSpec:
    place = f"pages.{name}"
    table = p.about or p.list_ or ""
    if table not in tables:
        raise resolver.fail(place, f"no table {table!r}.{close_match(table, tables)}")
    stated = [c.name for c in tables[table].columns if c.see != "linked"]
    for column in (*(p.show or ()), *(n for n in (p.by, p.sort) if n is not None)):
        resolver.source_column(table, column, place)
        if column not in stated:
            raise resolver.fail(
                place, f"{column!r} is linked: it is stated on no list, table or head; drop it here, or its see"
            )
    if p.list_ and len(p.show or ()) > 3:
        raise resolver.fail(place, f"a list page shows at most 3 columns beside the key, not {len(p.show or ())}")
    children = []
    for child, named in p.with_.items():
        (ref,) = resolver.parent_path(None, child, table, place)
        every = [c.name for c in tables[child].columns if c.see != "linked" and c.name != ref]
        columns = every if named == "*" else list(named)
        for column in columns:
            resolver.source_column(child, column, place)
        children.append(With(child, ref, tuple(columns)))
    show = tuple(p.show) if p.show is not None else tuple(stated)
    return PageSpec(name, p.about, p.list_, p.by, show, p.sort, tuple(children), p.if_)
