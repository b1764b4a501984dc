"""What makes a query ambiguous or wasteful: the closed list that candidates are held against.

A scope, a clause, a part of one, a value of `in`, a condition on children or a group that changes nothing; a border
that is stored, so that "over" and "from" differ; null under negation or in an order; a tie at the end of an order.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.schema import Aggregate
from worldsmith.tasks.query import Query, conjunction, is_tally
from worldsmith.tasks.query_evaluator import QueryEvaluator

PARTS = frozenset({"and", "or"})
LOOSE = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}


class DrawRejected(Exception):  # noqa: N818 - not an error: how a screen ends a draw
    """A draw that makes no task; its text is the reason."""


def screen(evaluator: QueryEvaluator, query: Query, rows: Sequence[int], kept: Sequence[int]) -> None:
    """Raise DrawRejected where a reader could take the query for another, or part of it changes nothing.

    `rows` are those in its scope, `kept` its own.
    """
    if len(rows) == evaluator.world.size(query.table):
        raise DrawRejected("a scope of all rows")
    if query.top:
        _check_top(evaluator, query, kept)
    for i, clause in enumerate(query.clauses):
        _check_clause(evaluator, query, i, clause, rows, kept)
    for number, tally in enumerate(query.tallies):
        _check_tally(evaluator, query, number, tally, rows)
    if len(query.scope.values) > 1:
        places = evaluator.world.rows_by_value(query.table, query.scope.column)
        if any(not set(places[value]) & set(kept) for value in query.scope.values) and kept:
            raise DrawRejected("a value of the scope changes nothing")
    if (query.where is not None or query.top) and evaluator.rows_without_scope(query) == tuple(kept):
        raise DrawRejected("the scope changes nothing")


def _check_clause(
    evaluator: QueryEvaluator, query: Query, place: int, clause: Node, rows: Sequence[int], kept: Sequence[int]
) -> None:
    def same(*nodes: Node) -> bool:
        others = [*query.clauses[:place], *nodes, *query.clauses[place + 1 :]]
        return tuple(evaluator.matching_rows(replace(query, where=conjunction(others)))) == tuple(kept)

    if same():
        raise DrawRejected("a clause changes nothing")
    if any(same(fewer) for fewer in without_part(clause)):
        raise DrawRejected("a part of a clause changes nothing")
    if any(same(fewer) for fewer in variants(clause, without_one)):
        raise DrawRejected("a value of in changes nothing")
    truths = evaluator.truths(query, clause, rows)
    if any(None in evaluator.truths(query, atom, rows) for atom in negated_comparisons(clause)):
        raise DrawRejected("null under negation")
    if any(evaluator.truths(query, loose, rows) != truths for loose in variants(clause, border_readings)):
        raise DrawRejected("strict or not")


def _check_top(evaluator: QueryEvaluator, query: Query, kept: Sequence[int]) -> None:
    top = query.top
    assert top is not None
    rows = evaluator.passing(query)
    values = evaluator.query_values(query, top.path)
    groups = evaluator.query_values(query, top.within) if top.within else [0] * len(values)
    if any(values[i] is None or groups[i] is None for i in rows):
        raise DrawRejected("null in an order")
    if len(kept) == len(rows):
        raise DrawRejected("a top of all rows")
    sizes = Counter(groups[i] for i in rows)
    taken = Counter(groups[i] for i in kept)
    if any(taken[group] != min(top.count, size) for group, size in sizes.items()):
        raise DrawRejected("a tie at the border")
    if top.within and (len(sizes) < 2 or min(sizes.values()) < top.count):
        raise DrawRejected("a group of too few rows")
    if top.within and set(evaluator.leading(query, replace(top, count=len(kept), within=None), rows)) == set(kept):
        raise DrawRejected("groups change nothing")


def _check_tally(evaluator: QueryEvaluator, query: Query, number: int, tally: Aggregate, rows: Sequence[int]) -> None:
    """Raise DrawRejected where the condition on children can be misread, or hardly matters."""
    numbers = evaluator.tallied(query.table, tally)
    kept = evaluator.matching_rows(query)
    filtering = any(path[0] == f"#{number}" for path in query.read)

    def same(node: Node | None) -> bool:
        other = replace(tally, where=node)
        if not filtering:
            values = evaluator.tallied(query.table, other)
            return all(values[i] == numbers[i] for i in kept)
        tallies = (*query.tallies[:number], other, *query.tallies[number + 1 :])
        return tuple(evaluator.matching_rows(replace(query, tallies=tallies))) == tuple(kept)

    assert tally.where is not None
    if same(None):
        raise DrawRejected("a condition on children changes nothing")
    if any(same(fewer) for fewer in variants(tally.where, without_one)):
        raise DrawRejected("a value of in changes nothing")
    family = [child for i in rows for child in evaluator.all_children(query.table, i, tally)]
    below = Query(tally.table, query.scope, None, (), ())
    if any(None in evaluator.truths(below, atom, family) for atom in negated_comparisons(tally.where)):
        raise DrawRejected("null under negation")
    truths = evaluator.truths(below, tally.where, family)
    if any(evaluator.truths(below, loose, family) != truths for loose in variants(tally.where, border_readings)):
        raise DrawRejected("strict or not")


def variants(node: Node, other: Callable[[Node], Iterator[Node]]) -> Iterator[Node]:
    """Yield a condition with one of its comparisons replaced by each of its others in turn."""
    yield from other(node)
    if isinstance(node, expr.Call) and node.op in {*PARTS, "not"}:
        for i, arg in enumerate(node.args):
            for changed in variants(arg, other):
                yield expr.Call(node.op, (*node.args[:i], changed, *node.args[i + 1 :]), "bool")


def without_part(node: Node) -> Iterator[Node]:
    """Yield an alternative, or an exception of several parts, without each part in turn."""
    if isinstance(node, expr.Call) and node.op in PARTS:
        for i in range(len(node.args)):
            left = (*node.args[:i], *node.args[i + 1 :])
            yield left[0] if len(left) == 1 else expr.Call(node.op, left, "bool")
    if isinstance(node, expr.Call) and node.op == "not":
        for fewer in without_part(node.args[0]):
            yield expr.Call("not", (fewer,), "bool")


def negated_comparisons(node: Node, *, under: bool = False) -> Iterator[Node]:
    """Yield the comparisons that stand under a negation: there null would pass in a careless reading."""
    if isinstance(node, expr.Call) and node.op in PARTS:
        for arg in node.args:
            yield from negated_comparisons(arg, under=under)
    elif isinstance(node, expr.Call) and node.op == "not":
        yield from negated_comparisons(node.args[0], under=not under)
    elif under or (isinstance(node, expr.Call) and node.op == "!="):
        yield node


def border_readings(node: Node) -> Iterator[Node]:
    """Yield the other readings of a comparison: its border counted in or out."""
    if not isinstance(node, expr.Call):
        return
    # A bound of a count says its border aloud: "at least 2", "no".
    if node.op in {">=", "<=", "="} and any(map(is_tally, expr.paths(node))):
        return
    if node.op in LOOSE:
        yield expr.Call(LOOSE[node.op], node.args, "bool")
    if node.op == "between":
        value, low, high = node.args
        yield expr.Call("and", (expr.Call(">", (value, low), "bool"), expr.Call("<", (value, high), "bool")), "bool")


def without_one(node: Node) -> Iterator[Node]:
    """Yield a membership without each of its values in turn."""
    if isinstance(node, expr.Call) and node.op == "in" and len(node.args) > 2:
        for i in range(1, len(node.args)):
            yield expr.Call("in", (*node.args[:i], *node.args[i + 1 :]), "bool")
