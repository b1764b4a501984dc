"""How large a value can get, so that three engines with three kinds of overflow give one answer.

Whole numbers stay within 2^53, where every engine is exact and a comparison with a float is exact too; floats within
1e300. What would pass is NULL. Most expressions can't get there: only operations whose static bound passes the limit
carry a test at run time. Columns are taken to hold at most 1e12, where literals, and so a schema's bands, stop.
"""

from math import inf, isinf

from worldsmith.expr.tree import Const, Node, Path, value_arguments

INT_LIMIT = 2**53
NUM_LIMIT = 1e300
COLUMN_LIMIT = 1e12
_FIXED = {"length": 1e9, "days": 4e6, "yr": 9999.0, "mon": 12.0}


def raw_bound(node: Node) -> float:
    """Return a bound on the magnitude of a number before any test on it; inf when it has none."""
    if isinstance(node, Const):
        return abs(float(node.value or 0))
    if isinstance(node, Path):
        return COLUMN_LIMIT
    if node.op in _FIXED:
        return _FIXED[node.op]
    parts = [bound(a) for a in value_arguments(node)]
    if node.op in {"+", "-"}:
        return parts[0] + parts[1]
    if node.op == "*":
        return parts[0] * parts[1]
    if node.op == "/":
        return parts[0] / _least(node.args[1])
    return parts[0] + 1 if node.op == "round" else max(parts)


def _least(divisor: Node) -> float:
    """Return the least magnitude of a divisor that isn't zero."""
    if isinstance(divisor, Const):
        return raw_bound(divisor) or inf
    return 1.0 if divisor.type == "int" else 5e-324


def type_limit(node: Node) -> float:
    """Return the limit of a numeric node's type."""
    return INT_LIMIT if node.type == "int" else NUM_LIMIT


def bound(node: Node) -> float:
    """Return a bound on the magnitude of a number as it comes out, tested where it has to be."""
    return min(raw_bound(node), type_limit(node))


def needs_range_test(node: Node) -> bool:
    """Tell whether a numeric operation can pass its limit, and so needs a test at run time."""
    made_here = not isinstance(node, Const | Path) and node.op in {"+", "-", "*", "/", "round"}
    return made_here and (raw_bound(node) >= type_limit(node) or isinf(raw_bound(node)))
