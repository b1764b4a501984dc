"""A tree with its constants worked out, and which outcomes a condition can still have."""

from collections.abc import Callable, Iterable
from itertools import product

from worldsmith.expr.bounds import needs_range_test
from worldsmith.expr.emit_python import compile_python
from worldsmith.expr.tree import (
    Call,
    Const,
    Node,
    Path,
    PathParts,
    Type,
    between_bounds,
    case_branches,
    value_arguments,
)
from worldsmith.expr.typed import DAYS_CAP, flattened

Outcome = bool | None
Outcomes = frozenset[Outcome]

_STOPS_NULL = frozenset(["and", "or", "case", "coalesce", "is null", "between"])
_ANY: Outcomes = frozenset([True, False, None])


def fold_constants(node: Node, absent: Callable[[PathParts], bool]) -> Node:
    """Return an equal tree in which each `absent` column is a typed NULL and what is constant is a literal.

    Constants are computed by `compile_python`, so by the meaning they have everywhere. A literal made here may lie past
    the caps for literals in source text.
    """
    if isinstance(node, Path):
        return Const(None, node.type) if absent(node.parts) else node
    if isinstance(node, Const):
        return node
    args = tuple(fold_constants(a, absent) for a in node.args)
    folded = Call(node.op, args, node.type)
    if all(isinstance(a, Const) for a in args):
        return Const(compile_python(folded)[0](), node.type)
    if node.op not in _STOPS_NULL and any(_is_null(a) for a in args):
        return Const(None, node.type)
    return _FOLDS[node.op](folded) if node.op in _FOLDS else folded


def _is_null(node: Node) -> bool:
    return isinstance(node, Const) and node.value is None


def _of_common_type(value: Node, others: Iterable[Node], kind: Type) -> Node:
    """Return a value so that it and the others are still of the type that all values had together."""
    if kind in {value.type, *(o.type for o in others)}:
        return value
    if isinstance(value, Const):
        return Const(None if value.value is None else float(value.value), kind)
    return Call("coalesce", (value, Const(None, kind)), kind)


def _join(node: Call) -> Call:
    return Call(node.op, flattened(node.op, node.args), node.type)


def _logic(node: Call) -> Node:
    neutral, decided = Const(node.op == "and", "bool"), Const(node.op != "and", "bool")
    left = tuple(a for a in dict.fromkeys(flattened(node.op, node.args)) if a != neutral)
    if decided in left:
        return decided
    return left[0] if len(left) == 1 else Call(node.op, left, "bool")


def _case(node: Call) -> Node:
    pairs, otherwise = case_branches(node)
    kept: list[tuple[Node, Node]] = []
    for condition, value in pairs:
        if not isinstance(condition, Const):
            kept.append((condition, value))
        elif condition.value:
            otherwise = value
            break
    otherwise = _of_common_type(otherwise, [value for _, value in kept], node.type)
    return Call("case", (*(part for pair in kept for part in pair), otherwise), node.type) if kept else otherwise


def _coalesce(node: Call) -> Node:
    kept = [a for a in node.args if not _is_null(a)]
    known = next((i for i, a in enumerate(kept) if isinstance(a, Const)), len(kept))
    *first, last = kept[: known + 1]
    last = _of_common_type(last, first, node.type)
    return Call("coalesce", (*first, last), node.type) if first else last


def _add_days(node: Call) -> Node:
    count = node.args[1]
    far = isinstance(count, Const) and isinstance(count.value, int) and abs(count.value) > DAYS_CAP
    return Const(None, "date") if far else node


_FOLDS: dict[str, Callable[[Call], Node]] = {
    "and": _logic,
    "or": _logic,
    "||": _join,
    "case": _case,
    "coalesce": _coalesce,
    "add_days": _add_days,
}


def outcomes(node: Node) -> Outcomes:
    """Return a set that holds every value a condition can have, and maybe more: without False it can't be false."""
    return _outcomes(fold_constants(node, lambda _: False))


def _outcomes(node: Node) -> Outcomes:
    if isinstance(node, Const):
        return frozenset([None if node.value is None else bool(node.value)])
    if isinstance(node, Path):
        return _ANY
    if node.op == "between":
        return _and_outcomes(_outcomes(end) for end in between_bounds(node))
    if node.op == "not":
        return _negated(_outcomes(node.args[0]))
    if node.op == "and":
        return _and_outcomes(map(_outcomes, node.args))
    if node.op == "or":
        return _negated(_and_outcomes(_negated(_outcomes(arg)) for arg in node.args))
    if node.op == "is null":
        return frozenset([True, False]) if _nullable(node.args[0]) else frozenset([False])
    if node.op == "case":
        return _case_outcomes(node)
    if node.op == "coalesce":
        arms = [_outcomes(a) for a in node.args]
        arm_outcomes: Outcomes = frozenset().union(*arms)
        return arm_outcomes if all(None in arm for arm in arms) else arm_outcomes - {None}
    if any(_is_null(a) for a in node.args):
        return frozenset([None])
    return _ANY if any(map(_nullable, node.args)) else frozenset([True, False])


def _negated(outcomes_: Outcomes) -> Outcomes:
    return frozenset(None if outcome is None else not outcome for outcome in outcomes_)


def _and_outcomes(of: Iterable[Outcomes]) -> Outcomes:
    """Return what conditions joined by `and` can give: false beats NULL, NULL beats true."""
    joined: Outcomes = frozenset([True])
    for one in of:
        joined = frozenset(False if False in pair else None if None in pair else True for pair in product(joined, one))
    return joined


def _case_outcomes(node: Call) -> Outcomes:
    pairs, otherwise = case_branches(node)
    reachable: Outcomes = frozenset()
    for condition, value in pairs:
        can = _outcomes(condition)
        if True in can:
            reachable |= _outcomes(value)
        if can == {True}:
            return reachable
    return reachable | _outcomes(otherwise)


def _nullable(node: Node) -> bool:
    """Tell whether a value can be NULL, were every column it reads."""
    if isinstance(node, Const):
        return node.value is None
    if isinstance(node, Path):
        return True
    if node.type == "bool":
        return None in _outcomes(node)
    if node.op == "coalesce":
        return all(map(_nullable, node.args))
    if node.op == "case":
        return any(map(_nullable, value_arguments(node)))
    if node.op == "/" and not (isinstance(node.args[1], Const) and node.args[1].value):
        return True
    if node.type in {"int", "num"} and needs_range_test(node):
        return True
    return node.op == "add_days" or any(map(_nullable, node.args))
