"""A tree as JSON values, and back."""

from typing import Any, cast, get_args

from worldsmith.errors import FormatError
from worldsmith.expr.tree import Call, Const, Node, Path, Type
from worldsmith.expr.typed import OPS, TypingError, call

LEVELS = 64  # more than `parse` lets through
_PYTHON: dict[str, tuple[type, ...]] = {"int": (int,), "num": (int, float), "text": (str,), "date": (str,), "bool": (bool,)}
_TYPES = get_args(Type)


def to_json(node: Node) -> dict[str, Any]:
    """Return a tree as {"value", "type"}, {"path", "type"} or {"op", "args", "type"}."""
    if isinstance(node, Const):
        return {"value": node.value, "type": node.type}
    if isinstance(node, Path):
        return {"path": list(node.parts), "type": node.type}
    return {"op": node.op, "args": [to_json(a) for a in node.args], "type": node.type}


def from_json(obj: object) -> Node:
    """Return the tree that `to_json` wrote, its types worked out anew. Raises FormatError for anything else."""
    return _node(obj, LEVELS)


def _node(obj: object, levels: int) -> Node:
    if not isinstance(obj, dict) or levels == 0:
        raise FormatError(f"an expression is an object with 'op', 'path' or 'value', not {str(obj)[:80]!r}.")
    kind = obj.get("type")
    if "op" in obj:
        return _call(obj, levels)
    if "path" in obj:
        return _path(obj["path"], kind)
    if "value" in obj:
        return _const(obj["value"], kind)
    raise FormatError(f"an expression has 'op', 'path' or 'value', not {sorted(map(str, obj))}.")
