"""A Pratt parser: source text to the typed tree, names resolved on the way.

Loosest to tightest: or, and, not, comparisons (which don't chain), + - ||, * /, the minus sign.
"""

import re
from collections.abc import Callable
from dataclasses import replace

from worldsmith.errors import ExprError, close_match
from worldsmith.expr.emit_sql import parser_stack_height
from worldsmith.expr.lex import LENGTH_CAP, Token, syntax_error, tokenize
from worldsmith.expr.source import text as source_text
from worldsmith.expr.tree import Call, Const, Node, Path, Ref, Type, Types, depth
from worldsmith.expr.typed import FUNCTIONS, LITERAL_CAP, WORDS, TypingError, call, to_date

DEPTH_CAP = 30
NESTING_CAP = 75  # SQLite before 3.46 parses with a stack of 100 entries; the query around needs some

_COMPARISON = 4
_BINARY = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(["=", "!=", "<", "<=", ">", ">=", "between", "in", "is", "not"], _COMPARISON),
    **dict.fromkeys(["+", "-", "||"], 5),
    **dict.fromkeys(["*", "/"], 6),
}
_NOT, _MINUS = 3, 7

_ELSEWHERE = {
    **dict.fromkeys(["count", "sum", "max", "min", "avg", "rank"], "totals of rows are fills and rules of their own"),
    **dict.fromkeys(["now", "today", "current_date", "date"], "the day of the world is as_of, a date is 'YYYY-MM-DD'"),
    **dict.fromkeys(["ifnull", "nvl"], "write coalesce(a, b)"),
    **dict.fromkeys(["if", "iif"], "write case when … then … else … end"),
    **dict.fromkeys(["len", "char_length"], "write length(…)"),
    **dict.fromkeys(["year", "month"], "write yr(…) or mon(…)"),
    **dict.fromkeys(["cast", "int", "float"], "there are no casts; round(x) gives a whole number"),
    "concat": "write a || b",
    "date_add": "write add_days(d, n)",
    "datediff": "write days(a, b)",
}


_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def parse(text: str, table: str, types: Types, *, as_of: str, want: Type | None = None) -> Node:
    """Return the typed tree of an expression over the rows of `table`.

    `as_of` (ISO) is the world's day, which the word as_of stands for. `want` is the type the place asks for: a whole
    number passes for num, a text literal for a date, null for anything. Raises ExprError: what was expected, where
    (with a caret under it), and a close match for an unknown name.
    """
    node = _Parser(text, table, types, as_of).whole(want)
    if depth(node) > DEPTH_CAP or parser_stack_height(node) > NESTING_CAP:
        deep = f"{DEPTH_CAP} levels, fewer of functions, 'case', products and quotients"
        raise ExprError(f"this expression is nested too deeply (at most {deep}): {_SPLIT}\n  {text}")
    if len(source_text(node)) > LENGTH_CAP:
        raise ExprError(f"this expression, written out, has over {LENGTH_CAP} characters: {_SPLIT}\n  {text}")
    return node


_SPLIT = "put a part of it in a derived column of its own."


class _Parser:
    def __init__(self, text: str, table: str, types: Types, as_of: str) -> None:
        self.text, self.table, self.types, self.as_of = text, table, types, as_of
        self.tokens = tokenize(text)
        self.next = 0
        self.open = 0

    # Reading tokens

    @property
    def token(self) -> Token:
        return self.tokens[self.next]

    def take(self) -> Token:
        token = self.token
        self.next += token.kind != "end"
        return token

    def skip(self, word: str) -> bool:
        matches = self.token.word == word
        self.next += matches
        return matches

    def expect(self, word: str, why: str) -> None:
        if not self.skip(word):
            raise self.wrong(f"{word!r} {why}")

    def wrong(self, expected: str) -> ExprError:
        token = self.token
        actual = repr(token.source) if token.kind != "end" else "the end"
        return syntax_error(self.text, token.at, f"expected {expected}, found {actual}.")

    # Building nodes

    def make(self, op: str, parts: list[tuple[Node, int]], at: int) -> Call:
        try:
            return call(op, [node for node, _ in parts])
        except TypingError as error:
            raise syntax_error(self.text, at if error.arg is None else parts[error.arg][1], str(error)) from None

    def whole(self, want: Type | None) -> Node:
        node = self.expression(0)
        if self.token.kind != "end":
            raise self.wrong("an operator or the end")
        if want is None or node.type == want or (node.type == "int" and want == "num"):
            return node
        if isinstance(node, Const) and node.value is None:
            return replace(node, type=want)
        if isinstance(node, Const) and want == "date" and isinstance(node.value, str):
            try:
                return to_date(node.value)
            except TypingError as error:
                raise syntax_error(self.text, 0, str(error)) from None
        is_a = WORDS[node.type] if node.type else "null"
        quoted = f" A date stands in quotes: '{self.text.strip()}'." if _DAY.fullmatch(self.text.strip()) else ""
        raise syntax_error(self.text, 0, f"the whole expression has to be {WORDS[want]} here; it is {is_a}.{quoted}")

    def expression(self, loosest: int) -> Node:
        """Read an expression whose operators bind tighter than `loosest`."""
        self.open += 1
        if self.open > 2 * DEPTH_CAP + 2:  # a level of the tree opens an operand and a parenthesis
            raise syntax_error(self.text, self.token.at, f"nested too deeply (at most {DEPTH_CAP} levels).")
        if loosest > _NOT and self.token.word == "not":
            raise syntax_error(self.text, self.token.at, "put parentheses around 'not …' here.")
        start = self.token.at
        left = self.prefix()
        while (power := _BINARY.get(self.token.word, 0)) > loosest:
            left = self.infix(left, start, power)
            if power == _COMPARISON:
                self.unchained()
        self.open -= 1
        return left

    def unchained(self) -> None:
        if _BINARY.get(self.token.word) == _COMPARISON:
            raise syntax_error(
                self.text, self.token.at, "comparisons don't chain: write a < b and b < c, or put parentheses."
            )

    def operand(self, loosest: int) -> tuple[Node, int]:
        at = self.token.at
        return self.expression(loosest), at

    # What stands before or between

    def infix(self, left: Node, start: int, power: int) -> Node:
        token = self.take()
        first = (left, start)
        if token.word == "is":
            return self.is_null(first, token)
        if token.word == "not":
            if self.token.word not in {"between", "in"}:
                raise self.wrong("'between' or 'in' after 'not'")
            return self.make("not", [(self.postfix(first, self.take()), start)], token.at)
        if token.word in {"between", "in"}:
            return self.postfix(first, token)
        second = self.operand(power)
        if power == _COMPARISON and any(isinstance(n, Const) and n.value is None for n in (left, second[0])):
            raise syntax_error(
                self.text, token.at, "a comparison with null is never true: write `is null` or `is not null`."
            )
        return self.make(token.word, [first, second], token.at)

    def is_null(self, first: tuple[Node, int], token: Token) -> Node:
        negated = self.skip("not")
        self.expect("null", "or 'not null' after 'is'")
        node = self.make("is null", [first], token.at)
        return self.make("not", [(node, first[1])], token.at) if negated else node

    def postfix(self, first: tuple[Node, int], token: Token) -> Node:
        if token.word == "between":
            low = self.operand(_COMPARISON)
            self.expect("and", "between the two bounds")
            return self.make("between", [first, low, self.operand(_COMPARISON)], token.at)
        self.expect("(", "and a list of literals after 'in'")
        return self.make("in", [first, *self.arguments()], token.at)

    def arguments(self) -> list[tuple[Node, int]]:
        """Read arguments up to and with the closing parenthesis."""
        operands = [self.operand(0)]
        while self.skip(","):
            operands.append(self.operand(0))
        self.expect(")", "or ','")
        return operands

    def prefix(self) -> Node:
        token = self.take()
        if token.kind == "number":
            return self.number(token)
        if token.kind == "text":
            return Const(token.source[1:-1].replace("''", "'"), "text")
        if token.word in _LITERALS:
            return _LITERALS[token.word]
        if token.word in _READERS:
            return _READERS[token.word](self, token)
        if token.kind == "name" and not token.word:
            return self.named(token)
        self.next -= token.kind != "end"
        raise self.wrong("a value (a column, a literal, a function, 'case' or '(')")

    def number(self, token: Token) -> Const:
        value = float(token.source) if "." in token.source else int(token.source)
        if value > LITERAL_CAP:
            raise syntax_error(self.text, token.at, f"numbers go up to {LITERAL_CAP:.0e} in an expression.")
        return Const(value, "num" if isinstance(value, float) else "int")

    def inside(self, _: Token) -> Node:
        node = self.expression(0)
        self.expect(")", "to close the parenthesis, or an operator")
        return node

    def negation(self, token: Token) -> Node:
        return self.make("not", [self.operand(_NOT - 1)], token.at)

    def minus(self, token: Token) -> Node:
        node, at = self.operand(_MINUS)
        if isinstance(node, Const) and isinstance(node.value, int | float) and node.type in {"int", "num"}:
            return replace(node, value=-node.value)
        return self.make("neg", [(node, at)], token.at)

    def world_day(self, _: Token) -> Node:
        return Const(self.as_of, "date")

    def case(self, token: Token) -> Node:
        if self.token.word != "when":
            raise self.wrong("'when' (case when condition then value … else value end)")
        parts: list[tuple[Node, int]] = []
        while self.skip("when"):
            parts.append(self.operand(0))
            self.expect("then", "after the condition")
            parts.append(self.operand(0))
        parts.append(self.operand(0) if self.skip("else") else (Const(None, None), token.at))
        self.expect("end", "to close 'case', 'when' or 'else'")
        return self.make("case", parts, token.at)

    # Names

    def named(self, token: Token) -> Node:
        if self.token.word == "(":
            return self.function(token)
        if self.token.kind == "text" and token.source.lower() == "date":
            literal = self.take()
            try:
                return to_date(literal.source[1:-1])
            except TypingError as error:
                raise syntax_error(self.text, literal.at, str(error)) from None
        return self.column(token)

    def function(self, token: Token) -> Node:
        name = token.source.lower()
        if name not in FUNCTIONS:
            hint = f" {_ELSEWHERE[name]}." if name in _ELSEWHERE else close_match(name, FUNCTIONS)
            raise syntax_error(self.text, token.at, f"no function {token.source!r}.{hint}")
        self.take()
        if self.token.word == ")":
            raise self.wrong(f"an argument of {name!r}")
        parts = self.arguments()
        return self.make(name, parts, token.at)

    def column(self, token: Token) -> Path:
        parts, kind = [token.source], self.look_up(self.table, token, first=True)
        while self.skip("."):
            if not isinstance(kind, Ref):
                raise syntax_error(
                    self.text, token.at, f"{parts[-1]!r} is {WORDS[kind]}, no reference: nothing follows its dot."
                )
            token = self.token
            if token.kind != "name":
                raise self.wrong(f"a column of table {kind.table!r} after the dot")
            kind = self.look_up(kind.table, self.take())
            parts.append(token.source)
        return Path(tuple(parts), kind.type if isinstance(kind, Ref) else kind)

    def look_up(self, table: str, token: Token, *, first: bool = False) -> Type | Ref:
        columns = self.types.get(table)
        if columns is None:
            raise syntax_error(self.text, token.at, f"no table {table!r}.{close_match(table, self.types)}")
        if token.source in columns:
            return columns[token.source]
        hint = close_match(token.source, columns)
        if first and token.source == table and self.token.word == ".":
            hint = f" Columns of {table!r} itself are written without its name."
        raise syntax_error(self.text, token.at, f"table {table!r} has no column {token.source!r}.{hint}")


_LITERALS: dict[str, Const] = {
    "true": Const(True, "bool"),
    "false": Const(False, "bool"),
    "null": Const(None, None),
}
_READERS: dict[str, Callable[[_Parser, Token], Node]] = {
    "(": _Parser.inside,
    "not": _Parser.negation,
    "-": _Parser.minus,
    "as_of": _Parser.world_day,
    "case": _Parser.case,
}
