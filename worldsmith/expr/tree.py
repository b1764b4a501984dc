"""The typed tree of an expression, and what may be read off it without knowing an engine.

Values: int and num are numbers (NULL outside the ranges of `bounds`), text is Unicode, date is the ISO string
'YYYY-MM-DD' (so that string order is date order), bool is True or False; NULL is None.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

Type = Literal["int", "num", "text", "date", "bool"]
Value = int | float | str | bool | None
PathParts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference column: the table it points to, and the type of that table's key, which is what is stored."""

    table: str
    type: Type


Types = Mapping[str, Mapping[str, Type | Ref]]


@dataclass(frozen=True, slots=True)
class Const:
    """A literal. NULL is `Const(None, type)`; its type is None only where nothing around it gives one."""

    value: Value
    type: Type | None


@dataclass(frozen=True, slots=True)
class Path:
    """A column, reached through references: ('phone', 'chip', 'score') is this row's phone's chip's score."""

    parts: PathParts
    type: Type


@dataclass(frozen=True, slots=True)
class Call:
    """An operation over its arguments; `typed.OPS` lists the operations.

    'and', 'or' and '||' take any number of arguments and never hold themselves; 'case' takes condition and value in
    turn and the `else` value last; 'in' takes a value and then literals.
    """

    op: str
    args: tuple["Node", ...]
    type: Type


Node = Const | Path | Call


def walk(node: Node) -> Iterator[Node]:
    """Yield the node and everything below it, in the order of reading."""
    yield node
    if isinstance(node, Call):
        for arg in node.args:
            yield from walk(arg)


def paths(node: Node) -> tuple[PathParts, ...]:
    """Return the distinct columns an expression reads, in order of first use."""
    return tuple(dict.fromkeys(n.parts for n in walk(node) if isinstance(n, Path)))


def depth(node: Node) -> int:
    """Return the number of levels: 1 for a literal or a column."""
    return 1 + max(map(depth, node.args)) if isinstance(node, Call) and node.args else 1


def case_branches(node: Call) -> tuple[list[tuple[Node, Node]], Node]:
    """Return the (condition, value) pairs of a 'case', and its `else` value."""
    return list(zip(node.args[:-1:2], node.args[1:-1:2], strict=True)), node.args[-1]


def value_arguments(node: Call) -> tuple[Node, ...]:
    """Return the arguments of which the value of a 'case', 'coalesce', 'least' or 'greatest' is one."""
    return (*node.args[1:-1:2], node.args[-1]) if node.op == "case" else node.args


def between_bounds(node: Call) -> tuple[Call, Call]:
    """Return the two comparisons that a 'between' is."""
    value, low, high = node.args
    return Call(">=", (value, low), "bool"), Call("<=", (value, high), "bool")


def round_digits(node: Call) -> int:
    """Return to how many decimals a 'round' goes; 0 too where it gives a whole number."""
    last = node.args[-1]
    return last.value if len(node.args) == 2 and isinstance(last, Const) and isinstance(last.value, int) else 0
