"""Python source from a typed tree: one function of the values of the paths, NULL being None.

A strict operation (NULL if any argument is) stays a plain Python expression beside the set of names that must not be
None; whatever makes or stops a NULL is put in a local first, so no expression is written twice and none can raise.
Three-valued logic is written as two plain tests: when is it true, when is it false.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

from worldsmith.expr.bounds import INT_LIMIT, NUM_LIMIT, needs_range_test
from worldsmith.expr.emit_sql import NUDGE
from worldsmith.expr.tree import Call, Const, Node, Path, PathParts, between_bounds, case_branches, paths, round_digits
from worldsmith.expr.typed import DAYS_CAP


def python_source(node: Node) -> tuple[str, tuple[PathParts, ...]]:
    """Return the source of `def f(a0, a1, …)` and the paths whose values it takes, in that order.

    The source calls `ordinal`, `shifted` and `rounded` of this module and seven builtins, and nothing else.
    """
    names = {path: f"a{i}" for i, path in enumerate(paths(node))}
    writer = _Writer(names)
    result = writer.value(node)
    body = [*writer.lines, f"return {result}"]
    return f"def f({', '.join(names.values())}):\n" + "".join(f"    {line}\n" for line in body), tuple(names)


@lru_cache(maxsize=4096)
def compile_python(node: Node) -> tuple[Callable[..., Any], tuple[PathParts, ...]]:
    """Return the function of `python(node)`, for `map(f, column0, column1, …)`, and the paths of its columns.

    Values are those of `tree`: dates valid ISO strings, numbers within `bounds.COLUMN_LIMIT`.
    """
    source, columns = python_source(node)
    return _compiled(source), columns


@lru_cache(maxsize=4096)
def compile_filter(
    node: Node, wanted: bool, fixed: frozenset[PathParts] = frozenset()
) -> tuple[Callable[..., list[Any]], tuple[PathParts, ...]]:
    """Return `f(rows, values0, values1, …)`, which keeps those of `rows` where a condition is `wanted`, and its paths.

    A path's values are a column beside `rows`, or for a path in `fixed` the one value that all rows meet. One loop
    over columns takes a third of the time of a call a row.
    """
    names = {path: f"a{i}" for i, path in enumerate(paths(node))}
    moving = [name for path, name in names.items() if path not in fixed]
    writer = _Writer(names)
    test = writer.test(node, wanted)
    columns = f"zip(rows, {', '.join(moving)})" if moving else "rows"
    each = f"for {', '.join(['row', *moving])} in {columns}"
    if writer.lines:
        inner = "".join(f"        {line}\n" for line in writer.lines)
        body = f"    kept = []\n    {each}:\n{inner}        if {test}: kept.append(row)\n    return kept\n"
    else:
        body = f"    return [row {each} if {test}]\n"
    return _compiled(f"def f({', '.join(['rows', *names.values()])}):\n{body}"), tuple(names)


def _compiled(source: str) -> Callable[..., Any]:
    space: dict[str, Any] = dict(_SPACE)
    exec(compile(source, "<expression>", "exec"), space)  # noqa: S102 (source written here, from a typed tree)
    function: Callable[..., Any] = space["f"]
    return function


@lru_cache(maxsize=65536)
def ordinal(day: str) -> int:
    """Return the number of a day, 0001-01-01 being 1."""
    return date.fromisoformat(day).toordinal()


@lru_cache(maxsize=65536)
def shifted(day: str, count: int) -> str | None:
    """Return the day `count` days later; None past 40,000 days either way or outside years 1 to 9999."""
    if not -DAYS_CAP <= count <= DAYS_CAP:
        return None
    moved = ordinal(day) + count
    return date.fromordinal(moved).isoformat() if 1 <= moved <= date.max.toordinal() else None


def rounded(value: float, scale: float) -> float:
    """Return a number rounded half away from zero to steps of 1/scale; `emit_sql` says why it is nudged."""
    near = value * scale * NUDGE
    if abs(near) < 2**52:  # from here on every float is whole
        near = float(int(near + (0.5 if near >= 0 else -0.5)))
    return near / scale


_SPACE: dict[str, Any] = {
    "__builtins__": {"abs": abs, "float": float, "int": int, "len": len, "max": max, "min": min, "zip": zip},
    "ordinal": ordinal,
    "shifted": shifted,
    "rounded": rounded,
}


@dataclass(frozen=True, slots=True)
class _Code:
    """A Python expression, and the names that must not be None for it to have a value; then it has one."""

    text: str
    names: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """The expression with NULL as None."""
        if self.names in {(), (self.text,)}:
            return self.text
        return f"None if {' or '.join(f'{n} is None' for n in self.names)} else {self.text}"

    def test(self, wanted: bool) -> str:
        """A test, never None, that the expression is true (or that it is false)."""
        ready = "".join(f"{n} is not None and " for n in self.names)
        return f"({ready}{'' if wanted else 'not '}{self.text})"


_OPPOSITE = {"and": "or", "or": "and"}
_TRUTH = frozenset(["and", "or", "not", "between"])  # what can have a value though an argument is NULL


@dataclass(slots=True)
class _Writer:
    arguments: dict[PathParts, str]
    lines: list[str] = field(default_factory=list)
    locals: int = 0
    known: dict[Node, _Code] = field(default_factory=dict)

    def value(self, node: Node) -> str:
        """Return an expression for the value of a node, None for NULL."""
        if isinstance(node, Call) and node.op in _TRUTH:
            return f"True if {self.test(node, True)} else False if {self.test(node, False)} else None"
        return self.code(node).whole

    def test(self, node: Node, wanted: bool) -> str:
        """Return a test, never None, that a condition is true (or that it is false)."""
        if not (isinstance(node, Call) and node.op in _TRUTH):
            return self.code(node).test(wanted)
        if node.op == "not":
            return self.test(node.args[0], not wanted)
        if node.op == "between":
            low, high = between_bounds(node)
            if wanted:
                return self.fill("{1} <= {0} <= {2}", node.args).test(wanted)
            return f"({self.test(low, wanted)} or {self.test(high, wanted)})"
        word = node.op if wanted else _OPPOSITE[node.op]
        return "(" + f" {word} ".join(self.test(a, wanted) for a in node.args) + ")"

    def code(self, node: Node) -> _Code:
        """Return the code of a node, written once however often it is used."""
        if node not in self.known:
            self.known[node] = self.write(node)
        return self.known[node]

    def write(self, node: Node) -> _Code:
        if isinstance(node, Const):
            return self.local("None") if node.value is None else _Code(repr(node.value))
        if isinstance(node, Path):
            name = self.arguments[node.parts]
            return _Code(name, (name,))
        if node.op in _TRUTH:
            return self.local(self.value(node))
        if node.op in _TEMPLATES:
            return self.ranged(node, self.fill(_TEMPLATES[node.op], node.args))
        return _WRITERS[node.op](self, node)

    def local(self, text: str) -> _Code:
        """Put an expression that may be None in a local."""
        name = f"t{self.locals}"
        self.locals += 1
        self.lines.append(f"{name} = {text}")
        return _Code(name, (name,))

    def fill(self, template: str, args: Sequence[Node]) -> _Code:
        return _filled(template, [self.code(a) for a in args])

    def ranged(self, node: Call, code: _Code) -> _Code:
        """Return a number as it is or, where it can pass the limit of its type, in a local that is then None."""
        if not (node.type in {"int", "num"} and needs_range_test(node)):
            return code
        made = self.local(code.whole)
        end = INT_LIMIT if node.type == "int" else NUM_LIMIT
        self.lines.append(f"if {made.text} is not None and not -{end!r} < {made.text} < {end!r}: {made.text} = None")
        return made

    def alike(self, node: Call, arg: Node) -> _Code:
        """Return the code of one of the values a node chooses from, as a float if the node is a num."""
        return self.fill("float({})", [arg]) if node.type == "num" and arg.type == "int" else self.code(arg)


def _filled(template: str, codes: Sequence[_Code]) -> _Code:
    names = dict.fromkeys(name for code in codes for name in code.names)
    return _Code(template.format(*(c.text for c in codes)), tuple(names))


_TEMPLATES = {
    **{op: f"({{}} {op} {{}})" for op in ["+", "-", "*", "!=", "<", "<=", ">", ">="]},
    "=": "({} == {})",
    "neg": "(-{})",
    "abs": "abs({})",
    "length": "len({})",
    "yr": "int({}[:4])",
    "mon": "int({}[5:7])",
}


def _divide(writer: _Writer, node: Call) -> _Code:
    over, under = (writer.code(a) for a in node.args)
    if isinstance(node.args[1], Const):
        known = bool(node.args[1].value)
        return writer.ranged(node, _filled("({} / {})", [over, under])) if known else writer.local("None")
    by = under.text if under.names == (under.text,) else writer.local(under.whole).text
    checks = [*(f"{n} is None" for n in over.names if n != by), f"not {by}"]
    return writer.ranged(node, writer.local(f"None if {' or '.join(checks)} else {over.text} / {by}"))


def _round(writer: _Writer, node: Call) -> _Code:
    if node.args[0].type == "int":
        return writer.code(node.args[0])
    near = writer.ranged(node, writer.fill(f"rounded({{}}, {10.0 ** round_digits(node)!r})", node.args[:1]))
    return _Code(f"int({near.text})", near.names) if node.type == "int" else near


def _join(writer: _Writer, node: Call) -> _Code:
    return writer.fill("(" + " + ".join(["{}"] * len(node.args)) + ")", node.args)


def _membership(writer: _Writer, node: Call) -> _Code:
    code = writer.code(node.args[0])
    listed = ", ".join(writer.code(a).text for a in node.args[1:])
    return _Code(f"({code.text} in {{{listed}}})", code.names)


def _null(writer: _Writer, node: Call) -> _Code:
    names = writer.code(node.args[0]).names
    return _Code("(" + " or ".join(f"{n} is None" for n in names) + ")" if names else "False")


def _case(writer: _Writer, node: Call) -> _Code:
    pairs, otherwise = case_branches(node)
    tests = [(writer.test(c, True), writer.alike(node, v).whole) for c, v in pairs]
    return writer.local(
        " else ".join([*(f"({v}) if {c}" for c, v in tests), f"({writer.alike(node, otherwise).whole})"])
    )


def _coalesce(writer: _Writer, node: Call) -> _Code:
    first, *others = [writer.alike(node, a).whole for a in node.args]
    made = writer.local(first)
    writer.lines.extend(f"if {made.text} is None: {made.text} = {other}" for other in others)
    return made


def _extreme(writer: _Writer, node: Call) -> _Code:
    codes = [writer.alike(node, a) for a in node.args]
    name = {"least": "min", "greatest": "max"}[node.op]
    return _filled(f"{name}({', '.join(['{}'] * len(codes))})", codes)


def _days(writer: _Writer, node: Call) -> _Code:
    codes = [
        _Code(str(ordinal(str(a.value)))) if isinstance(a, Const) and a.value else writer.fill("ordinal({})", [a])
        for a in node.args
    ]
    return _filled("({} - {})", codes)


def _add_days(writer: _Writer, node: Call) -> _Code:
    return writer.local(writer.fill("shifted({}, {})", node.args).whole)


_WRITERS: dict[str, Callable[[_Writer, Call], _Code]] = {
    "/": _divide,
    "round": _round,
    "||": _join,
    "in": _membership,
    "is null": _null,
    "case": _case,
    "coalesce": _coalesce,
    "least": _extreme,
    "greatest": _extreme,
    "days": _days,
    "add_days": _add_days,
}
