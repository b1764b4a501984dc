"""The canonical source text of a tree, which parses back to the same tree."""

from collections.abc import Sequence
from decimal import Decimal

from worldsmith.expr.tree import Call, Const, Node, case_branches

_LOOSE, _OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _MINUS, _ATOM = range(9)
_POWER = {
    "or": _OR,
    "and": _AND,
    "not": _NOT,
    **dict.fromkeys(["=", "!=", "<", "<=", ">", ">=", "between", "in", "is null"], _COMPARISON),
    **dict.fromkeys(["+", "-", "||"], _SUM),
    **dict.fromkeys(["*", "/"], _PRODUCT),
    "neg": _MINUS,
}


def text(node: Node) -> str:
    """Return the expression as a person would write it: lower-case words, no parenthesis that isn't needed.

    What `parse` returned parses back to the same tree. A folded tree may hold constants that no source text spells
    (a typed NULL, a number past the literal cap): keep it with `to_json`.
    """
    return _write(node, _LOOSE, dated=False)


def literal(value: float | str | bool | None) -> str:
    """Return a literal as the language spells it: no exponents, quotes doubled."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    spelled = format(Decimal(repr(value)), "f")
    return spelled if isinstance(value, int) or "." in spelled else spelled + ".0"


def _write(node: Node, around: int, *, dated: bool) -> str:
    """Write a node in a place of binding power `around`, where a bare text literal is a date if `dated`."""
    if isinstance(node, Const):
        word = "date " if node.type == "date" and node.value is not None and not dated else ""
        return word + literal(node.value)
    if not isinstance(node, Call):
        return ".".join(node.parts)
    power, written = _call(node)
    return f"({written})" if power < around or (power == around == _COMPARISON) else written


def _call(node: Call) -> tuple[int, str]:
    op, args = node.op, node.args
    power = _POWER.get(op, _ATOM)
    if op == "not":
        return _negated(args[0])
    if op == "case":
        return _ATOM, _case(node)
    if power == _ATOM:
        return _ATOM, f"{op}({', '.join(_list(op, args, _LOOSE))})"
    if op == "neg":
        inner = _list(op, args, _MINUS)[0]
        return _MINUS, f"-({inner})" if inner.startswith("-") or isinstance(args[0], Const) else f"-{inner}"
    if power == _COMPARISON:
        return _COMPARISON, _comparison(op, _list(op, args, _COMPARISON))
    right = power + (op in {"+", "-", "*", "/"})  # left-associative: what stands right binds tighter
    return power, f" {op} ".join(_list(op, args, power, right))


def _negated(inner: Node) -> tuple[int, str]:
    if isinstance(inner, Call) and inner.op in {"between", "in", "is null"}:
        return _COMPARISON, _comparison(inner.op, _list(inner.op, inner.args, _COMPARISON), negated="not ")
    return _NOT, f"not {_write(inner, _NOT, dated=False)}"


def _comparison(op: str, parts: list[str], negated: str = "") -> str:
    first, *rest = parts
    if op == "is null":
        return f"{first} is {negated}null"
    if op == "between":
        return f"{first} {negated}between {rest[0]} and {rest[1]}"
    if op == "in":
        return f"{first} {negated}in ({', '.join(rest)})"
    return f"{first} {op} {rest[0]}"


def _case(node: Call) -> str:
    pairs, otherwise = case_branches(node)
    written = _list("case", [*(value for _, value in pairs), otherwise], _LOOSE)
    when = [f"when {_write(c, _LOOSE, dated=False)} then {v}" for (c, _), v in zip(pairs, written, strict=False)]
    last = [] if otherwise == Const(None, node.type) else [f"else {written[-1]}"]
    return " ".join(["case", *when, *last, "end"])


def _list(op: str, args: Sequence[Node], around: int, right: int | None = None) -> list[str]:
    """Write arguments of one type; the first date among nothing but literals carries the word that says so.

    `right` is the binding power around all arguments but the first, where it differs.
    """
    date_is_clear = op in {"days", "add_days", "yr", "mon"} or any(
        a.type == "date" and not isinstance(a, Const) for a in args
    )
    dates = [i for i, a in enumerate(args) if isinstance(a, Const) and a.type == "date" and a.value is not None]
    marked_date = -1 if date_is_clear or not dates else dates[0]
    powers = [around] + [around if right is None else right] * (len(args) - 1)
    return [_write(a, power, dated=i != marked_date) for i, (a, power) in enumerate(zip(args, powers, strict=True))]
