"""One world's structure: the schema with its absent tables, columns, rules and pages removed.

Expressions keep working: an absent column reads as a typed null and is folded away. A rule that can no
longer be false is off, and listed with the reason.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import lru_cache
from typing import Any

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.schema.reads import expressions
from worldsmith.schema.types import (
    Aggregate,
    ChildCells,
    Column,
    Expectation,
    Fill,
    PageSpec,
    Path,
    Rule,
    Schema,
    Table,
)


def structure_of(schema: Schema, switches: Collection[str]) -> Schema:
    """Return `schema` as it is in worlds where exactly `switches` are on."""
    return _structure(schema, frozenset(switches))


@lru_cache(maxsize=256)
def _structure(schema: Schema, switches: frozenset[str]) -> Schema:
    def present(switch: str | None) -> bool:
        return switch is None or switch in switches

    present_tables = {
        table.name: replace(table, columns=tuple(column for column in table.columns if present(column.switch)))
        for table in schema.tables.values()
        if present(table.switch)
    }
    fold = _folder(schema, present_tables)
    tables = {
        table.name: replace(table, columns=tuple(_fold_column(table.name, column, fold) for column in table.columns))
        for table in present_tables.values()
    }
    off: list[tuple[str, str]] = []
    rules = []
    for rule in schema.rules:
        folded, reason = _rule(rule, present_tables, fold, present=present(rule.switch))
        if folded is None:
            off.append((f"rule {rule.name}", reason))
        else:
            rules.append(folded)
    pages = []
    for page in schema.pages:
        kept_page, reason = _page(page, present_tables, present=present(page.switch))
        if kept_page is None:
            off.append((f"page {page.name}", reason))
        else:
            pages.append(kept_page)
    expected = tuple(
        kept
        for one in schema.expected
        if present(one.switch) and one.table in tables and (kept := _expectation(one, fold)) is not None
    )
    structure = replace(
        schema, tables=tables, rules=tuple(rules), pages=tuple(pages), off=tuple(off), expected=expected
    )
    return replace(structure, switches=switches, whole=False)


Fold = Callable[[str, Node], Node]


def _is_cut(tables: dict[str, Table], table: str, path: Path) -> bool:
    """Return whether a path of references leads through a table or column that is absent."""
    here: str | None = table
    for step in path:
        if here not in tables or step not in tables[here].names:
            return True
        here = tables[here].column(step).ref
    return False


def _folder(schema: Schema, tables: dict[str, Table]) -> Fold:
    def fold(table: str, node: Node) -> Node:
        def absent(path: Path) -> bool:
            here = table
            for step in path:
                if here not in tables or step not in tables[here].names:
                    # A name that the whole schema lacks is an aggregate of an `each` rule, which stays.
                    return step in schema.tables[here].names
                here = tables[here].column(step).ref or here
            return False

        return expr.fold_constants(node, absent)

    return fold


def _fold_column(table: str, column: Column, fold: Fold) -> Column:
    fill = _fold_fill(table, column.fill, fold)
    return column if fill is column.fill else replace(column, fill=fill)


def _fold_fill(table: str, fill: Fill, fold: Fold) -> Fill:
    at = fill.table if isinstance(fill, Aggregate) else table
    folded: dict[str, Any] = {name: fold(at, node) for name, node in expressions(fill).items()}
    if isinstance(mean := folded.get("mean"), expr.Const) and mean.value is None:
        folded["mean"] = None
    return replace(fill, **folded) if folded else fill


def _rule(rule: Rule, tables: dict[str, Table], fold: Fold, *, present: bool) -> tuple[Rule | None, str]:
    if not present:
        return None, f"its switch {rule.switch!r} is off"
    if rule.table not in tables:
        return None, f"no table {rule.table!r} in this structure"
    names = tables[rule.table].names
    for column in rule.columns:
        if column not in names:
            return None, f"no column {rule.table}.{column} in this structure"
    for name, aggregate in rule.each:
        if aggregate.table not in tables or (
            aggregate.column and aggregate.column not in tables[aggregate.table].names
        ):
            return None, f"{name} counts over {aggregate.table!r}, which is not in this structure"
        if _is_cut(tables, aggregate.table, aggregate.by):
            return None, f"{name} counts along {aggregate.table}.{'.'.join(aggregate.by)}, which this structure lacks"
    if rule.node is None:
        return rule, ""
    each = tuple((n, replace(a, where=fold(a.table, a.where) if a.where else None)) for n, a in rule.each)
    node = fold(rule.table, rule.node)
    if False not in expr.outcomes(node):
        return None, "it can't be false in this structure"
    return replace(rule, node=node, each=each), ""


def _page(page: PageSpec, tables: dict[str, Table], *, present: bool) -> tuple[PageSpec | None, str]:
    if not present:
        return None, f"its switch {page.switch!r} is off"
    if page.table not in tables:
        return None, f"no table {page.table!r} in this structure"
    names = tables[page.table].names
    if page.by and page.by not in names:
        return None, f"no column {page.table}.{page.by} in this structure"
    children = tuple(
        ChildCells(
            child.table, child.ref, tuple(column for column in child.columns if column in tables[child.table].names)
        )
        for child in page.children
        if child.table in tables and child.ref in tables[child.table].names
    )
    show = tuple(column for column in page.show if column in names)
    sort = page.sort if page.sort in names else None
    return replace(page, show=show, sort=sort, children=children), ""


def _expectation(expectation: Expectation, fold: Fold) -> Expectation | None:
    """Return an expectation as it is in a structure; None where what it compares is absent."""
    nodes = tuple(fold(expectation.table, node) for node in expectation.nodes)
    where = fold(expectation.table, expectation.where) if expectation.where else None
    if any(isinstance(node, expr.Const) for node in nodes) or (isinstance(where, expr.Const) and not where.value):
        return None
    return replace(expectation, nodes=nodes, where=where)


@lru_cache(maxsize=256)
def foreground(structure: Schema) -> Schema:
    """Return a structure without its background tables: what questions may be about, and what counts as facts."""
    if not structure.background:
        return structure
    tables = {t.name: t for t in structure.tables.values() if not t.background}
    rules = tuple(rule for rule in structure.rules if rule.table in tables)
    return replace(structure, tables=tables, rules=rules, whole=False)


def parents_first(schema: Schema) -> list[str]:
    """Return the table names so that a table follows those it refers to."""
    done: list[str] = []

    def put(name: str) -> None:
        for ref in schema.tables[name].refs:
            if ref.ref and ref.ref != name and ref.ref not in done:
                put(ref.ref)
        if name not in done:
            done.append(name)

    for name in schema.tables:
        put(name)
    return done
