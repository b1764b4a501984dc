"""A tree with its constants worked out, and which outcomes a condition can still have."""

from collections.abc import Callable, Iterable
from itertools import product

from worldsmith.expr.bounds import tested
from worldsmith.expr.emit_python import compile_python
from worldsmith.expr.tree import Call, Const, Node, Path, PathParts, branches, ends

Outcome = bool | None
Outcomes = frozenset[Outcome]

_STOPS_NULL = frozenset(["and", "or", "case", "coalesce", "is null", "between"])
_ANY: Outcomes = frozenset([True, False, None])


def fold(node: Node, absent: Callable[[PathParts], bool]) -> Node:
    """Return an equal tree in which each `absent` column is a typed NULL and what is constant is a literal.

    Constants are computed by `compile_python`, so by the meaning they have everywhere. A literal made here may lie past
    the caps for literals in source text.
    """
    if isinstance(node, Path):
        return Const(None, node.type) if absent(node.parts) else node
    if isinstance(node, Const):
        return node
    args = tuple(fold(a, absent) for a in node.args)
    folded = Call(node.op, args, node.type)
    if all(isinstance(a, Const) for a in args):
        return Const(compile_python(folded)[0](), node.type)
    if node.op not in _STOPS_NULL and any(_is_null(a) for a in args):
        return Const(None, node.type)
    return _FOLDS[node.op](folded) if node.op in _FOLDS else folded


def _is_null(node: Node) -> bool:
    return isinstance(node, Const) and node.value is None


def _as(node: Node, kind: Call) -> Node:
    """Return one value of a 'case' or 'coalesce' in its place, still a float where the whole was one."""
    return node if node.type == kind.type else Call("coalesce", (node,), kind.type)


def _logic(node: Call) -> Node:
    neutral = Const(node.op == "and", "bool")
    decided = Const(node.op != "and", "bool")
    left = tuple(dict.fromkeys(a for a in _opened(node) if a != neutral))
    if decided in left:
        return decided
    return left[0] if len(left) == 1 else Call(node.op, left, "bool")


def _opened(node: Call) -> Iterable[Node]:
    for arg in node.args:
        yield from arg.args if isinstance(arg, Call) and arg.op == node.op else (arg,)


def _case(node: Call) -> Node:
    pairs, otherwise = branches(node)
    kept: list[Node] = []
    for condition, value in pairs:
        if isinstance(condition, Const):
            if condition.value:
                otherwise = value
                break
            continue
        kept += [condition, value]
    return Call("case", (*kept, otherwise), node.type) if kept else _as(otherwise, node)


def _coalesce(node: Call) -> Node:
    kept: list[Node] = []
    for arg in node.args:
        if not _is_null(arg):
            kept.append(arg)
            if isinstance(arg, Const):
                break
    return _as(kept[0], node) if len(kept) == 1 else Call("coalesce", tuple(kept), node.type)


_FOLDS: dict[str, Callable[[Call], Node]] = {"and": _logic, "or": _logic, "case": _case, "coalesce": _coalesce}


def outcomes(node: Node) -> Outcomes:
    """Return a set that holds every value a condition can have, and maybe more: without False it can't be false."""
    return _outcomes(fold(node, lambda _: False))


def _outcomes(node: Node) -> Outcomes:
    if isinstance(node, Const):
        return frozenset([None if node.value is None else bool(node.value)])
    if isinstance(node, Path):
        return _ANY
    if node.op == "between":
        return _all(_outcomes(end) for end in ends(node))
    if node.op in {"and", "or", "not"}:
        of = [_outcomes(a) for a in node.args]
        if node.op == "not":
            return frozenset(None if o is None else not o for o in of[0])
        return _all(of) if node.op == "and" else frozenset(map(_not, _all([frozenset(map(_not, o)) for o in of])))
    if node.op == "is null":
        return frozenset([True, False]) if _nullable(node.args[0]) else frozenset([False])
    if node.op == "case":
        return _case_outcomes(node)
    if node.op == "coalesce":
        return frozenset().union(*(_outcomes(a) for a in node.args)) - (frozenset() if _nullable(node) else {None})
    if any(_is_null(a) for a in node.args):
        return frozenset([None])
    return _ANY if any(map(_nullable, node.args)) else frozenset([True, False])


def _not(outcome: Outcome) -> Outcome:
    return None if outcome is None else not outcome


def _all(of: Iterable[Outcomes]) -> Outcomes:
    """Return what conditions joined by `and` can give: false beats NULL, NULL beats true."""
    found: Outcomes = frozenset([True])
    for one in of:
        found = frozenset(False if False in pair else None if None in pair else True for pair in product(found, one))
    return found


def _case_outcomes(node: Call) -> Outcomes:
    pairs, otherwise = branches(node)
    found: Outcomes = frozenset()
    for condition, value in pairs:
        can = _outcomes(condition)
        if True in can:
            found |= _outcomes(value)
        if can == {True}:
            return found
    return found | _outcomes(otherwise)


def _nullable(node: Node) -> bool:
    """Tell whether a value can be NULL, were every column it reads."""
    if isinstance(node, Const):
        return node.value is None
    if isinstance(node, Path):
        return True
    if node.type == "bool":
        return node.op not in {"is null"} and None in _outcomes(node) if node.op != "coalesce" else _none_left(node)
    if node.op == "coalesce":
        return _none_left(node)
    if node.op == "case":
        return any(map(_nullable, [*node.args[1:-1:2], node.args[-1]]))
    if node.op == "/" and not (isinstance(node.args[1], Const) and node.args[1].value):
        return True
    return node.op == "add_days" or (node.type in {"int", "num"} and tested(node)) or any(map(_nullable, node.args))


def _none_left(node: Call) -> bool:
    return all(map(_nullable, node.args))
