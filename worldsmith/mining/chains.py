"""Chains: queries of one cell, each giving the scope of the next, from what the question names to what it asks.

A chain starts from a row by its name, or from the one row of a list that leads in an order or alone meets a condition;
it follows references, and goes on from what it finds to the list that is made for it.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldsmith import expr
from worldsmith.mining.describing import draw_described_row
from worldsmith.mining.query_forms import sole_leader
from worldsmith.mining.sampling import MiningContext, draw_clause
from worldsmith.schema import Derive, Path, Value
from worldsmith.tasks.query import Query, Scope, Top, conjunction, constants, is_tally

LEAST, MOST = 3, 6
"""Relations that a deep question follows."""
ROWS = (3, 30)
"""Rows of a list among which one is picked."""
COMMON = 0.5
"""The share of the rows of a list that may lead on to where the picked one leads."""
TRIES = 4
"""Conditions tried to pick a row by."""


def draw_link(
    context: MiningContext, r: random.Random, deep: int, rows: tuple[int, int] = ROWS, *, described: bool = False
) -> tuple[Query, tuple[str, str]] | None:
    """Return a query of one cell, of `deep` scopes, and the list that it leads to, of so many rows; None for a miss."""
    start = _draw_start(context, r, described=described)
    link = None if start is None else _draw_exit(context, start, r, rows if deep == 1 else ROWS)
    for n in range(1, deep):
        if link is None:
            return None
        query = pick_row(context, list_query(*link), r)
        link = None if query is None else _draw_exit(context, query, r, rows if n == deep - 1 else ROWS)
    return link


def _draw_start(context: MiningContext, r: random.Random, *, described: bool) -> Query | None:
    """Return the query of the row that a chain starts from, its cell still to be chosen."""
    table = _draw_named_table(context, r) if described or r.random() < 0.6 else None
    if described:
        return None if table is None else draw_described_row(context, table, r)
    return _draw_listed_row(context, r) if table is None else _draw_named_row(context, table, r)


def _draw_named_table(context: MiningContext, r: random.Random) -> str | None:
    """Return a table whose rows have pages and invented names of their own."""
    tables = context.named_tables
    return tables[r.randrange(len(tables))] if tables else None


def _draw_named_row(context: MiningContext, table: str, r: random.Random) -> Query:
    """Return the query of a row by its name."""
    key = context.world.schema.tables[table].key[0]
    names = context.world.tables[table][key]
    return Query(table, Scope(key, (names[r.randrange(len(names))],)), None, (), ())


def _draw_listed_row(context: MiningContext, r: random.Random) -> Query | None:
    table, by = context.scopes[r.randrange(len(context.scopes))]
    values = context.values_of_lists(table, by, *ROWS)
    if not values:
        return None
    return pick_row(context, Query(table, Scope(by, (values[r.randrange(len(values))],)), None, (), ()), r)


def pick_row(context: MiningContext, query: Query, r: random.Random) -> Query | None:
    """Return a query that picks one row of a scope: by an order, or by the one condition only it meets."""
    rows = context.evaluator.in_scope(query)
    if not ROWS[0] <= len(rows) <= ROWS[1]:
        return None
    passed = _rows_visited(context, query)
    paths = context.sortable_paths(query.table)
    for path in r.sample(paths, min(TRIES, len(paths))) if r.random() < 0.7 else ():
        largest = r.random() < 0.6
        if sole_leader(context.evaluator.values(query.table, path), rows, largest=largest) not in {None, *passed}:
            return replace(query, top=Top(path, 1, largest))
    own = [p for p in context.askable(query.table) if p != (query.scope.column,) and len(p) < 3]
    for path in r.sample(own, min(TRIES, len(own))):
        clause = draw_clause(context, query.table, path, rows, r)
        if clause is not None:
            picking = replace(query, where=conjunction([clause]))
            kept = context.evaluator.matching_rows(picking)
            if len(kept) == 1 and kept[0] not in passed:
                return picking
    return None


def _rows_visited(context: MiningContext, query: Query) -> set[int]:
    """Return the rows of a query's table that its chain has been at: picking one again would lead nowhere new."""
    passed = set()
    for link in query.scope.of.chain() if query.scope.of is not None else ():
        (row,), path = context.evaluator.matching_rows(link), link.columns[0]
        steps = (context.evaluator.cell(link.table, row, path[: n + 1]) for n in range(len(path)))
        passed |= {cell[0].index for cell in steps if cell is not None and cell[0].table == query.table}
    return passed


def _draw_exit(
    context: MiningContext, query: Query, r: random.Random, rows: tuple[int, int]
) -> tuple[Query, tuple[str, str]] | None:
    """Return the query with a cell that leads to a list of so many rows, and that list."""
    # The list that the row itself stands in leads back to where one was.
    ways = [
        (path, at)
        for path, at in context.exits_to_lists(query.table)
        if path != (query.scope.column,) and at != (query.table, path[0]) and not _is_detour(query, path)
    ]
    # Back at a list where the chain has been it would go in a circle.
    been = {value for one in query.chain() for value in context.evaluator.scope_values(one.scope)}
    # The smallest arrivals are a weighted choice without replacement: of middling paths first.
    for _, path, at in sorted((r.expovariate((1.0, 1.5, 1.0)[min(len(p), 3) - 1]), p, a) for p, a in ways):
        leading = replace(query, columns=(path,))
        value = context.evaluator.single_value(leading)
        count = len(context.world.rows_by_value(*at).get(value, ())) if value is not None else 0
        # What costs least comes first.
        if (
            rows[0] <= count <= rows[1]
            and value not in been
            and not _named_in_question(context, leading)
            and not _most_rows_lead_there(context, leading)
        ):
            return leading, at
    return None


def _is_detour(query: Query, path: Path) -> bool:
    """Tell whether a row is picked by what it refers to only to go there: the rows there are what it is about."""
    return query.top is not None and len(query.top.path) > 1 and query.top.path[0] == path[0] and len(path) > 1


def _named_in_question(context: MiningContext, query: Query) -> bool:
    """Tell whether the question names what a cell holds, or a row on the way to it."""
    (row,), path, named = context.evaluator.matching_rows(query), query.columns[0], constants(query)
    return any(context.evaluator.values(query.table, path[: n + 1])[row] in named for n in range(len(path)))


def _most_rows_lead_there(context: MiningContext, query: Query) -> bool:
    """Tell whether most rows of a list lead where the picked one does, so that none need be picked."""
    rows = context.evaluator.in_scope(query)
    values = context.evaluator.values(query.table, query.columns[0])
    return len(rows) > 1 and _value_share(values, rows, context.evaluator.single_value(query)) > COMMON


def list_query(link: Query, at: tuple[str, str]) -> Query:
    """Return the query of the list that a chain leads to."""
    return Query(at[0], Scope(at[1], (), link), None, (), ())


def draw_deep(context: MiningContext, r: random.Random, scopes: int, *, described: bool = False) -> Query | None:
    """Return a query of one cell, no key, over 3 to 6 relations and so many lists found; None where a draw fails.

    Where it is `described`, the chain starts from a row that the question describes.
    """
    if scopes == 0:
        query = _draw_start(context, r, described=described)
    else:
        link = draw_link(context, r, scopes, described=described)
        query = None if link is None else pick_row(context, list_query(*link), r)
    if query is None:
        return None
    fitting = []
    for path in context.paths(query.table):
        whole = replace(query, columns=(path,))
        if LEAST <= whole.hops <= MOST and _is_worth_asking(context, whole):
            fitting.append(path)
    if not fitting:
        return None
    # The further a path leads, the fewer there are of its length.
    (path,) = r.choices(fitting, [2.0 ** len(path) for path in fitting])
    asking = replace(query, columns=(path,))
    return None if context.evaluator.single_value(asking) is None or _named_in_question(context, asking) else asking


def compares_apart(context: MiningContext, query: Query) -> bool | None:
    """Tell whether no page tells what a chain compares of two rows; None where it compares none."""
    compared = list(_compared(context, query))
    return not any(context.shares_page(one.table, path, rows) for one, path, rows in compared) if compared else None


def _compared(context: MiningContext, query: Query) -> Iterator[tuple[Query, Path, Sequence[int]]]:
    """Yield the links of a chain that pick one of several rows, each with a path that they are picked by."""
    for one in query.chain():
        rows = context.evaluator.in_scope(one)
        if len(rows) > 1 and not one.described:
            yield from ((one, path, rows) for path in dict.fromkeys((*one.read, *one.ranked)))


def _is_worth_asking(context: MiningContext, query: Query) -> bool:
    """Tell whether a cell is worth asking: of many values, none told by hits, and another one for other rows."""
    path = query.columns[0]
    if any(path in (*one.ranked, *one.read) for one in query.chain()) or _is_detour(query, path):
        return False
    stored = [other for other in (*query.ranked, *query.read) if not is_tally(other)]
    if any(computed_from_other(context, query.table, path, other) for other in stored):
        return False
    column = context.world.schema.walk(query.table, path)
    values = context.evaluator.values(query.table, path)
    if column.type == "bool" or column.see == "snippet" or max(Counter(values).values()) > 0.15 * len(values):
        return False
    rows = context.evaluator.in_scope(query)
    gold = context.evaluator.single_value(query)
    return len(rows) == 1 or _value_share(values, rows, gold) <= 0.34


def computed_from_other(context: MiningContext, table: str, one: Path, other: Path) -> bool:
    """Tell whether of two columns of one row the one is computed from the other: an age and a day of birth."""
    if one[:-1] != other[:-1]:
        return False
    fills = [(context.world.schema.walk(table, a).fill, b) for a, b in ((one, other), (other, one))]
    return any(isinstance(fill, Derive) and b[-1:] in expr.paths(fill.node) for fill, b in fills)


def _value_share(values: Sequence[Value], rows: Sequence[int], value: Value) -> float:
    return sum(values[i] == value for i in rows) / len(rows)
