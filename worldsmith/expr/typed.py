"""Which types an operation takes and gives: the one place where a `Call` is made."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import cast

from worldsmith.errors import ExprError
from worldsmith.expr.tree import Call, Const, Node, Type

LITERAL_CAP = 10**12
DIGITS_CAP = 6
DAYS_CAP = 40_000

WORDS = {"int": "a whole number", "num": "a number", "text": "a text", "date": "a date", "bool": "true or false"}


class TypingError(ExprError):
    """What is wrong with an operation, and with which of its arguments (None: with all of them)."""

    def __init__(self, message: str, arg: int | None = None) -> None:
        super().__init__(message)
        self.arg = arg


def to_date(text: str) -> Const:
    """Return the date literal that `text` spells. Raises TypingError when it spells none."""
    try:
        valid = date.fromisoformat(text).isoformat() == text
    except ValueError:
        valid = False
    if not valid:
        raise TypingError(f"{text!r} meets a date here, and is no valid date: write 'YYYY-MM-DD'.")
    return Const(text, "date")


def _name(node: Node) -> str:
    return "null" if node.type is None else WORDS[node.type]


def _as_type(op: str, args: Sequence[Node], index: int, *wanted: Type) -> Node:
    """Return an argument as one of the wanted types: a text literal may become a date, null becomes the first."""
    node = args[index]
    if isinstance(node, Const) and node.value is None and node.type is None:
        return replace(node, type=wanted[0])
    if isinstance(node, Const) and node.type == "text" and "date" in wanted and "text" not in wanted:
        try:
            return to_date(cast(str, node.value))
        except TypingError as error:
            raise TypingError(str(error), index) from None
    if node.type in wanted or (node.type == "int" and "num" in wanted):
        return node
    hint = ""
    if op in {"+", "-"} and node.type == "date":
        hint = " Write days(a, b) for the days between two dates, add_days(d, n) for a later one."
    elif op == "+" and node.type == "text":
        hint = " Texts are joined by ||."
    elif op in {"and", "or", "not", "case"}:
        hint = " A condition compares something: a = b, a is null, …"
    raise TypingError(f"{op!r} wants {_or(wanted)} here, not {_name(node)}.{hint}", index)


def _or(types: Sequence[Type]) -> str:
    return " or ".join(WORDS[t] for t in types if not (t == "int" and "num" in types))


def _common_type(op: str, args: Sequence[Node], indexes: Sequence[int]) -> tuple[Type, list[Node]]:
    """Return the one type of several arguments and the arguments with literals made to fit it."""
    types = [args[i].type for i in indexes]
    known = [t for t in types if t is not None]
    if not known:
        raise TypingError(f"{op!r} has nothing but null here: at least one value needs a type.")
    common_type: Type = "date" if "date" in known else "num" if "num" in known else known[0]
    fitted = list(args)
    for i in indexes:
        wrong = f"{op!r} can't bring {WORDS[common_type]} and {_name(args[i])} together."
        try:
            fitted[i] = _as_type(op, args, i, common_type)
        except TypingError as error:
            literal = isinstance(args[i], Const) and args[i].type == "text" and common_type == "date"
            raise TypingError(str(error) if literal else wrong, i) from None
    return common_type, fitted


Rule = Callable[[str, Sequence[Node]], Call]


def _arithmetic(op: str, args: Sequence[Node]) -> Call:
    fitted = [_as_type(op, args, i, "int", "num") for i in range(len(args))]
    whole = op != "/" and all(a.type == "int" for a in fitted)
    return Call(op, tuple(fitted), "int" if whole else "num")


def _comparison(op: str, args: Sequence[Node]) -> Call:
    common_type, fitted = _common_type(op, args, range(len(args)))
    if common_type == "bool" and op not in {"=", "!=", "in"}:
        raise TypingError(f"{op!r} compares numbers, dates or texts, not true and false.")
    return Call(op, tuple(fitted), "bool")


def _membership(op: str, args: Sequence[Node]) -> Call:
    for i, arg in enumerate(args[1:], 1):
        if not isinstance(arg, Const) or arg.value is None:
            raise TypingError("'in' takes a list of literals: write `or` for columns, `is null` for null.", i)
    return _comparison(op, args)


def flattened(op: str, args: Sequence[Node]) -> tuple[Node, ...]:
    """Return the arguments of an associative operation, those of nested ones of the same kind among them."""
    opened: list[Node] = []
    for arg in args:
        opened.extend(arg.args if isinstance(arg, Call) and arg.op == op else (arg,))
    return tuple(opened)


def _associative(type_: Type) -> Rule:
    def rule(op: str, args: Sequence[Node]) -> Call:
        return Call(op, flattened(op, [_as_type(op, args, i, type_) for i in range(len(args))]), type_)

    return rule


def _null(op: str, args: Sequence[Node]) -> Call:
    return Call(op, tuple(args), "bool")


def _case(op: str, args: Sequence[Node]) -> Call:
    if len(args) % 2 == 0:
        raise TypingError("'case' takes pairs of condition and value, and one value for `else`.")
    conditions = range(0, len(args) - 1, 2)
    common_type, fitted = _common_type(op, args, [i for i in range(len(args)) if i not in conditions])
    for i in conditions:
        fitted[i] = _as_type(op, args, i, "bool")
    return Call(op, tuple(fitted), common_type)


def _choice(op: str, args: Sequence[Node]) -> Call:
    common_type, fitted = _common_type(op, args, range(len(args)))
    if common_type == "bool" and op != "coalesce":
        raise TypingError(f"{op!r} orders numbers, dates or texts, not true and false.")
    return Call(op, tuple(fitted), common_type)


def _magnitude(op: str, args: Sequence[Node]) -> Call:
    fitted = _as_type(op, args, 0, "int", "num")
    return Call(op, (fitted,), fitted.type or "int")


def _round(op: str, args: Sequence[Node]) -> Call:
    fitted = _as_type(op, args, 0, "num")
    if len(args) == 1:
        return Call(op, (fitted,), "int")
    digits = args[1]
    if not isinstance(digits, Const) or type(digits.value) is not int or not 0 <= digits.value <= DIGITS_CAP:
        raise TypingError(f"'round' takes its digits as a literal from 0 to {DIGITS_CAP}.", 1)
    return Call(op, (fitted, digits), fitted.type or "num")


def _add_days(op: str, args: Sequence[Node]) -> Call:
    if args[1].type == "num":
        raise TypingError("'add_days' takes a whole number of days: write round(…).", 1)
    day, count = _as_type(op, args, 0, "date"), _as_type(op, args, 1, "int")
    if isinstance(count, Const) and isinstance(count.value, int) and abs(count.value) > DAYS_CAP:
        raise TypingError(f"'add_days' goes at most {DAYS_CAP} days either way, not {count.value}.", 1)
    return Call(op, (day, count), "date")


def _signature(result_type: Type, *wanted: Type) -> Rule:
    def rule(op: str, args: Sequence[Node]) -> Call:
        return Call(op, tuple(_as_type(op, args, i, t) for i, t in enumerate(wanted)), result_type)

    return rule


MANY = 250
OPS: dict[str, tuple[int, int, Rule]] = {  # fewest and most arguments, and the rule
    **dict.fromkeys(["+", "-", "*", "/"], (2, 2, _arithmetic)),
    "neg": (1, 1, _arithmetic),
    **dict.fromkeys(["=", "!=", "<", "<=", ">", ">="], (2, 2, _comparison)),
    "between": (3, 3, _comparison),
    "in": (2, MANY, _membership),
    **dict.fromkeys(["and", "or"], (2, MANY, _associative("bool"))),
    "not": (1, 1, _signature("bool", "bool")),
    "is null": (1, 1, _null),
    "||": (2, MANY, _associative("text")),
    "case": (3, MANY, _case),
    **dict.fromkeys(["coalesce", "least", "greatest"], (2, MANY, _choice)),
    "abs": (1, 1, _magnitude),
    "round": (1, 2, _round),
    "length": (1, 1, _signature("int", "text")),
    "days": (2, 2, _signature("int", "date", "date")),
    "add_days": (2, 2, _add_days),
    "yr": (1, 1, _signature("int", "date")),
    "mon": (1, 1, _signature("int", "date")),
}
FUNCTIONS = ("abs", "add_days", "coalesce", "days", "greatest", "least", "length", "mon", "round", "yr")


def call(op: str, args: Sequence[Node]) -> Call:
    """Return the typed operation. Raises TypingError for a wrong number or type of arguments."""
    fewest, most, rule = OPS[op]
    if not fewest <= len(args) <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} or more" if most == MANY else f"{fewest} to {most}"
        raise TypingError(f"{op!r} takes {wanted} argument{'s' if wanted != '1' else ''}, not {len(args)}.")
    return rule(op, args)
