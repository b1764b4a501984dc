"""The ways in which a condition can come out true or false, each a list of simple statements."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from worldsmith.expr import Call, Const, Node, Path
from worldsmith.expr.tree import branches, ends

MOST = 128
"""Ways looked at; a condition with more is left alone."""

OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True, slots=True)
class Atom:
    """A simple statement.

    A comparison `left op right` holds (so neither is null). `bool` and `in`: the condition `left` comes out as `holds`.
    `null`: `left` is null, or isn't, by `holds`.
    """

    op: str
    left: Node
    right: Node | None = None
    holds: bool = True


Way = tuple[Atom, ...]


class TooManyError(Exception):
    """A condition has more ways than are looked at."""


def ways(node: Node, want: bool) -> list[Way]:
    """Return ways, one of which holds whenever `node` comes out as `want`; null is neither. TooManyError."""
    if isinstance(node, Const):
        return [()] if node.value is want else []
    if isinstance(node, Path):
        return [(Atom("bool", node, holds=want),)]
    if node.op == "not":
        return ways(node.args[0], not want)
    if node.op in ("and", "or"):
        return _all(node.args, want) if (node.op == "and") == want else _any(node.args, want)
    if node.op == "between":
        return _all(ends(node), want) if want else _any(ends(node), want)
    if node.op in OPPOSITE:
        return [(Atom(node.op if want else OPPOSITE[node.op], node.args[0], node.args[1]),)]
    if node.op == "in":
        return [(Atom("in", node, holds=want),)]
    if node.op == "is null":
        return [(Atom("null", node.args[0], holds=want),)]
    if node.op == "coalesce":
        return _any(node.args, want)
    if node.op == "case":
        pairs, otherwise = branches(node)
        found = [w for condition, value in pairs for w in _joined([ways(condition, True), ways(value, want)])]
        return _few([*found, *ways(otherwise, want)])
    return [()]


def _any(nodes: Sequence[Node], want: bool) -> list[Way]:
    return _few([way for node in nodes for way in ways(node, want)])


def _all(nodes: Sequence[Node], want: bool) -> list[Way]:
    return _joined([ways(node, want) for node in nodes])


def _joined(parts: Sequence[list[Way]]) -> list[Way]:
    size = 1
    for part in parts:
        size *= len(part)
    if size > MOST:
        raise TooManyError
    return [tuple(atom for way in chosen for atom in way) for chosen in product(*parts)]


def _few(found: list[Way]) -> list[Way]:
    if len(found) > MOST:
        raise TooManyError
    return found


def conjuncts(node: Node) -> Way:
    """Return statements that hold whenever `node` is true: those of its conjuncts that are simple."""
    found: list[Atom] = []
    parts = node.args if isinstance(node, Call) and node.op == "and" else (node,)
    for part in parts:
        try:
            options = ways(part, True)
        except TooManyError:
            continue
        if len(options) == 1:
            found += options[0]
    return tuple(found)
