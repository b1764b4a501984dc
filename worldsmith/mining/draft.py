"""The query of a table task, drawn in one line of steps: scope, clauses, order, checks, columns.

Each step takes a draft and returns the next one, or raises DrawRejected.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.mining.query_forms import DrawnTally, draw_pair, draw_tally, draw_top, draw_window
from worldsmith.mining.sampling import LARGER, MiningContext, Size, draw_clause, draw_columns, draw_scope
from worldsmith.mining.screening import DrawRejected, screen
from worldsmith.schema import Aggregate, Path
from worldsmith.tasks.query import Query, Scope, conjunction, is_tally
from worldsmith.tasks.question import is_exception

TRIES = 4
"""Columns that a clause is tried on."""
RETRIES = 20
"""Sets of clauses tried for one that no row meets."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A query on its way, with what its draw asks for."""

    context: MiningContext
    size: Size
    r: random.Random
    empty: bool
    """Whether no row may match."""
    clauses: int
    """How many clauses to draw."""
    topped: bool
    """Whether an order picks the first rows."""
    query: Query
    rows: tuple[int, ...] = ()
    """The rows in scope."""
    matching: tuple[int, ...] = ()
    """The rows of the query."""


def draw_query(
    context: MiningContext,
    size: Size,
    r: random.Random,
    target: tuple[str, Scope] | None = None,
    *,
    empty: bool = False,
    unlisted: bool = False,
) -> Query:
    """Return a query of a table, of `target` (table, scope) where there is one. Raises DrawRejected for a miss.

    With `empty` no row matches it; with `unlisted` its scope has no list page.
    """
    count = (0, 1, 1, 2, 2, 2, 3)[r.randrange(7)] if not empty else 2 + (r.random() < 0.5)
    topped = not empty and r.random() < 0.2
    count = min(count, 1) if topped else count
    target = target or draw_scope(context, size, count + topped, r, unlisted=unlisted)
    if target is None:
        raise DrawRejected("no scope of that size")
    table, scope = target
    bare = Query(table, scope, None, (), tuple((name,) for name in context.world.schema.tables[table].key))
    draft = Draft(context, size, r, empty, count, topped, bare)
    for step in STEPS:
        draft = step(draft)
    return draft.query


def _fit_scope(draft: Draft) -> Draft:
    """Read the rows in scope, and ask for no more clauses than they leave room for."""
    rows = draft.context.evaluator.in_scope(draft.query)
    if draft.empty:
        return replace(draft, rows=rows)
    least = draft.size.rows[0]
    room = max(n for n, factor in enumerate(LARGER) if len(rows) >= least * factor or n == 0)
    topped = draft.topped and room > 0
    return replace(draft, rows=rows, topped=topped, clauses=max(min(draft.clauses, room - topped), 0))


def _add_clauses(draft: Draft) -> Draft:
    """Draw the clauses, again and again where no row may match."""
    query = _draw_clauses(draft)
    for _ in range(RETRIES if draft.empty else 0):
        if not draft.context.evaluator.matching_rows(query):
            break
        query = _draw_clauses(draft)
    return replace(draft, query=query)


def _add_order(draft: Draft) -> Draft:
    if not draft.topped:
        return draft
    top = draw_top(draft.context, draft.query, draft.size, draft.r)
    if top is None:
        raise DrawRejected("no order of that size")
    return replace(draft, query=replace(draft.query, top=top))


def _check_rows(draft: Draft) -> Draft:
    """Count the rows that match, and screen the query for ambiguities."""
    matching = draft.context.evaluator.matching_rows(draft.query)
    low, high = (0, 0) if draft.empty else draft.size.rows
    if not low <= len(matching) <= high:
        raise DrawRejected("too few rows" if len(matching) < low else "too many rows")
    screen(draft.context.evaluator, draft.query, draft.rows, matching)
    return replace(draft, matching=matching)


def _add_columns(draft: Draft) -> Draft:
    """Draw the columns; a tally among them is screened with the query."""
    context, query, size, r = draft.context, draft.query, draft.size, draft.r
    rows = draft.matching or draft.rows
    count = r.randint(*size.columns) - len(query.key)
    skip = frozenset({*query.key, (query.scope.column,), *query.fixed})
    tallied = _draw_tally_column(context, query, rows, r) if r.random() < 0.4 else None
    taken = draw_columns(context, query.table, rows, skip, count=max(count, 2) - bool(tallied), r=r)
    if len(taken) + bool(tallied) < max(size.columns[0] - len(query.key), 2):
        raise DrawRejected("too few columns that vary")
    if tallied is None:
        return replace(draft, query=replace(query, columns=(*query.key, *taken)))
    number = (f"#{len(query.tallies)}",)
    query = replace(query, tallies=(*query.tallies, tallied.tally), columns=(*query.key, *taken, number))
    screen(context.evaluator, query, draft.rows, draft.matching)
    return replace(draft, query=query)


STEPS: tuple[Callable[[Draft], Draft], ...] = (_fit_scope, _add_clauses, _add_order, _check_rows, _add_columns)


def _draw_clauses(draft: Draft) -> Query:
    """Return the query with clauses of several forms, each on columns of its own."""
    context, bare, rows, r = draft.context, draft.query, draft.rows, draft.r
    query, nodes, used = bare, list[Node](), set[Path]()
    for _ in range(draft.clauses):
        chance = r.random()
        if chance < 0.35 and not query.tallies:
            tallies = (draw_tally(context, query, rows, r, clause=True) for _ in range(TRIES))
            tallied = next((one for one in tallies if one), None)
            if tallied and tallied.clause is not None:
                query = replace(query, tallies=(tallied.tally,))
                nodes.append(tallied.clause)
                continue
        node = draw_pair(context, bare, rows, r) if chance > 0.8 else _draw_single(context, bare, rows, used, r)
        if node is None or used & set(expr.paths(node)):
            raise DrawRejected("no clause on those columns")
        used |= set(expr.paths(node))
        nodes.append(node)
    nodes.sort(key=_reading_order)
    return replace(query, where=conjunction(nodes))


def _reading_order(node: Node) -> tuple[bool, bool, int]:
    """Return how long a clause reads: plain ones come first, so that none is taken for a part of another."""
    paths = expr.paths(node)
    return is_exception(node), any(is_tally(path) for path in paths), max(len(path) for path in paths)


def _draw_single(
    context: MiningContext, bare: Query, rows: Sequence[int], used: set[Path], r: random.Random
) -> Node | None:
    paths = [path for path in context.askable(bare.table) if path != (bare.scope.column,)]
    # The further a path leads, the rarer it is, so that joined tables don't crowd out the row's own columns.
    weights = [(1.0, 0.35, 0.1, 0.04)[len(path) - 1] for path in paths]
    for path in r.choices(paths, weights, k=TRIES) if paths else ():
        if path in used:
            continue
        dated = context.world.schema.walk(bare.table, path).type == "date" and r.random() < 0.4
        clause = draw_window(context, bare.table, path, rows, r) if dated else None
        clause = clause or draw_clause(context, bare.table, path, rows, r)
        if clause is not None:
            return clause
    return None


def _draw_tally_column(
    context: MiningContext, query: Query, kept: Sequence[int], r: random.Random
) -> DrawnTally | None:
    """Return a tally that tells rows apart, or None."""
    tallies = (draw_tally(context, query, kept, r, clause=False) for _ in range(TRIES))
    return next((one for one in tallies if one and _varies(context, query, kept, one.tally)), None)


def _varies(context: MiningContext, query: Query, kept: Sequence[int], tally: Aggregate) -> bool:
    """Tell whether a tally has a value for each row, and not one and the same for most."""
    values = [context.evaluator.tallied(query.table, tally)[i] for i in kept]
    empty = tally.op != "count" and any(not context.evaluator.tallied_children(query.table, i, tally) for i in kept)
    return not empty and max(map(values.count, values)) <= 0.5 * len(values)
