"""A tree as JSON values, and back."""

from typing import Any, cast, get_args

from worldsmith.errors import FormatError
from worldsmith.expr.bounds import INT_LIMIT, NUM_LIMIT
from worldsmith.expr.tree import Call, Const, Node, Path, Type, Value
from worldsmith.expr.typed import OPS, TypingError, call, to_date

LEVELS = 64  # more than `parse` lets through
_PYTHON: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "num": (int, float),
    "text": (str,),
    "date": (str,),
    "bool": (bool,),
}
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
        raise FormatError(f"an expression is an object with 'op', 'path' or 'value', at most {LEVELS} levels deep.")
    kind = obj.get("type")
    if "op" in obj:
        return _call(obj, levels)
    if "path" in obj:
        return _path(obj["path"], kind)
    if "value" in obj:
        return _const(obj["value"], kind)
    raise FormatError(f"an expression has 'op', 'path' or 'value', not {', '.join(sorted(map(str, obj)))[:80]!r}.")


def _call(obj: dict[str, Any], levels: int) -> Call:
    op, args = obj["op"], obj.get("args")
    if not isinstance(op, str) or op not in OPS or not isinstance(args, list):
        raise FormatError(f"an expression's 'op' is one of ours with a list of 'args', not {_shown(op)}.")
    try:
        node = call(op, [_node(a, levels - 1) for a in args])
    except TypingError as error:
        raise FormatError(f"an expression doesn't fit together: {error}") from None
    if node.type != obj.get("type"):
        raise FormatError(f"an expression's {op!r} is of type {node.type!r}, not {_shown(obj.get('type'))}.")
    return node


def _path(parts: object, kind: object) -> Path:
    if not isinstance(parts, list) or not parts or not all(isinstance(p, str) for p in parts) or kind not in _TYPES:
        raise FormatError(f"an expression's 'path' is a list of names with a type, not {_shown(parts)}.")
    return Path(tuple(parts), cast(Type, kind))


def _const(value: object, kind: object) -> Const:
    if value is None and (kind is None or kind in _TYPES):
        return Const(None, cast(Type | None, kind))
    if not isinstance(kind, str) or type(value) not in _PYTHON.get(kind, ()) or not _plain(value):
        raise FormatError(f"{_shown(value)} is no value of type {_shown(kind)} in an expression.")
    if kind == "num":
        value = float(cast(float, value))
    if kind == "date":
        try:
            to_date(str(value))
        except TypingError as error:
            raise FormatError(str(error)) from None
    return Const(cast(Value, value), cast(Type, kind))


def _plain(value: object) -> bool:
    """Tell whether every engine can hold a literal."""
    if isinstance(value, int | float):
        return -NUM_LIMIT < value < NUM_LIMIT if isinstance(value, float) else -INT_LIMIT < value < INT_LIMIT
    return str(value).isprintable()


def _shown(value: object) -> str:
    return repr(value)[:80] if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
