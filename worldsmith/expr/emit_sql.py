"""SQL from a typed tree, for SQLite and DuckDB: text comes from our templates and literals, names from the caller.

No template uses an argument twice, so the text grows with the tree. Both engines follow Python's answers:
division is true division and by zero NULL; least and greatest are NULL if any argument is; numbers past the limits of
`bounds` and days outside years 1 to 9999 are NULL; `round` goes half away from zero, by the engine's one-argument round
after a nudge of one part in 2^52 that makes 1.005 the tie it is written as. Columns have their engine's default
(binary) collation. One double is not rounded alike: 0.49999999999999994 gives 1 in SQLite and Python, 0 in DuckDB.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, TypeGuard

from worldsmith.expr.bounds import INT_LIMIT, NUM_LIMIT, needs_range_test
from worldsmith.expr.source import literal
from worldsmith.expr.tree import Call, Const, Node, Path, PathParts, Type, case_branches, round_digits, value_arguments
from worldsmith.expr.typed import DAYS_CAP

Dialect = Literal["sqlite", "duckdb"]
NUDGE = 1 + 2**-52


def sql(node: Node, dialect: Dialect, column: Callable[[PathParts], str]) -> str:
    """Return the expression as SQL of one value, in parentheses where it needs them.

    `column` names the SQL of each path; the caller writes the LEFT JOINs behind it. SQLite: dates are ISO TEXT, bools
    0 and 1, ints INTEGER, nums REAL. DuckDB: DATE, BOOLEAN, BIGINT, DOUBLE, VARCHAR.
    """
    return _emit(node, _ENGINES[dialect], column).text


def parser_stack_height(node: Node) -> int:
    """Return how many entries of SQLite's parser stack the expression takes; before version 3.46 there are 100."""
    return _emit(node, _ENGINES["sqlite"], lambda _: "t.c").height


class _Sql(NamedTuple):
    """A piece of SQL, and how many entries of a parser's stack it takes."""

    text: str
    height: int = 1


def _fill(template: str, *pieces: _Sql) -> _Sql:
    """Return the template with its `{}` filled. A hole lies as high as the tokens a parser holds when it gets there."""
    height, before = 1, ""
    for part, piece in zip(template.split("{}"), pieces, strict=False):
        before += part
        held = len(re.findall(r"\w+|[^\w\s]", before))
        held += len(re.findall(r"\w\(|\bCASE\b", before))  # each opens with a rule that reads nothing
        height = max(height, min(held, 7) + piece.height)  # at most 7: lists and chains are reduced as they go
        before += " x "
    return _Sql(template.format(*(p.text for p in pieces)), height)


def _chain(template: str, between: str, pieces: Sequence[_Sql]) -> _Sql:
    return _fill(template.replace("{}", between.join(["{}"] * len(pieces))), *pieces)


@dataclass(frozen=True, slots=True)
class _Engine:
    """What differs between the engines."""

    types: dict[Type, str]
    literal: Callable[[Const], str]
    between: Callable[[_Sql, str, str], _Sql]  # a value where it lies between two others, else NULL
    days: tuple[str, str]  # what years 1 to 9999 lie between
    nonzero: Callable[[_Sql], _Sql]  # a number, NULL where it is 0
    listed: str  # how `in` is written of more than a column
    templates: dict[str, str]

    def within(self, piece: _Sql, end: str) -> _Sql:
        return self.between(piece, f"-{end}", end)

    def cast(self, piece: _Sql, kind: Type) -> _Sql:
        return _fill(f"CAST({{}} AS {self.types[kind]})", piece)


def _exact_float(value: float) -> str:
    """Return a float so that SQLite reads that very one: older versions round long decimals a digit off."""
    short = literal(value)
    if len(short.partition(".")[2]) <= 4 and abs(value) < 1e11:
        return short
    over, under = value.as_integer_ratio()  # a 53-bit number and powers of two, each read exactly
    factors, power = "", 2**62
    while under > power:
        factors, under = f"{factors} / {power}", under // power
    while abs(over) > power:
        factors, over = f"{factors} * {power}", over // power
    return f"(CAST({over} AS REAL) / {under}{factors})"


def _sqlite_literal(node: Const) -> str:
    if node.value is None:
        return "NULL"
    if isinstance(node.value, bool):
        return str(int(node.value))
    return _exact_float(node.value) if isinstance(node.value, float) else literal(node.value)


def _duckdb_literal(node: Const) -> str:
    if node.value is None:
        return f"CAST(NULL AS {_DUCKDB.types[node.type or 'int']})"
    if node.type == "date":
        return f"DATE {literal(node.value)}"
    if node.type == "int":
        return f"CAST({node.value} AS BIGINT)"  # a bare one has 32 bits, and a sum of two overflows
    if isinstance(node.value, float):
        return repr(node.value) + ("" if "e" in repr(node.value) else "e0")  # without an exponent it is a DECIMAL
    return literal(node.value)


def _sqlite_between(piece: _Sql, low: str, high: str) -> _Sql:
    if high:
        piece = _fill(f"nullif({{}}, {high})", _fill(f"min({{}}, {high})", piece))
    return _fill(f"nullif({{}}, {low})", _fill(f"max({{}}, {low})", piece))


def _duckdb_between(piece: _Sql, low: str, high: str) -> _Sql:
    # its nullif is a CASE that copies the value: nested ones take seconds to plan
    return _fill(f"list_filter([{{}}], lambda v: v > {low} AND v < {high})[1]", piece)


def _duckdb_nonzero(piece: _Sql) -> _Sql:
    return _fill("nullif({}, 0)" if piece.height == 1 else "list_filter([{}], lambda v: v <> 0)[1]", piece)


_TEMPLATES = {
    **{op: f"({{}} {op} {{}})" for op in ["+", "-", "*", "<", "<=", ">", ">=", "="]},
    "!=": "({} <> {})",
    "neg": "(- {})",
    "between": "({} BETWEEN {} AND {})",
    "not": "(NOT {})",
    "is null": "({} IS NULL)",
    "abs": "abs({})",
    "length": "length({})",
    "coalesce": "coalesce({})",
}
_SQLITE = _Engine(
    types={"int": "INTEGER", "num": "REAL", "text": "TEXT", "date": "TEXT", "bool": "INTEGER"},
    literal=_sqlite_literal,
    between=_sqlite_between,
    nonzero=partial(_fill, "nullif({}, 0)"),
    days=("'0001'", ""),  # past year 9999 its dates are NULL by themselves
    listed="({{}} IN ({}))",
    templates=_TEMPLATES
    | {
        "days": "CAST(julianday({}) - julianday({}) AS INTEGER)",
        "add_days": "date({}, {} || ' days')",
        "yr": "CAST(substr(CAST({} AS TEXT), 1, 4) AS INTEGER)",  # which DuckDB can run too
        "mon": "CAST(substr(CAST({} AS TEXT), 6, 2) AS INTEGER)",
        "least": "min({})",
        "greatest": "max({})",
        "wide": "({} * {})",  # a product past 64 bits becomes a float, and is seen to be too large
    },
)
_DUCKDB = _Engine(
    types={"int": "BIGINT", "num": "DOUBLE", "text": "VARCHAR", "date": "DATE", "bool": "BOOLEAN"},
    literal=_duckdb_literal,
    between=_duckdb_between,
    nonzero=_duckdb_nonzero,
    days=("DATE '0001-12-31 (BC)'", "DATE '10000-01-01'"),
    listed="list_transform([{{}}], lambda v: v IN ({}))[1]",  # its optimizer copies what stands left of IN
    templates=_TEMPLATES
    | {
        "days": "({} - {})",
        "add_days": "({} + CAST({} AS INTEGER))",
        "yr": "year({})",
        "mon": "month({})",
        "least": "list_sort([{}], 'ASC', 'NULLS FIRST')[1]",  # its own least and greatest pass over NULL
        "greatest": "list_sort([{}], 'DESC', 'NULLS FIRST')[1]",
        "wide": "(CAST({} AS HUGEINT) * {})",
    },
)
_BARE = frozenset(
    ["+", "-", "*", "/", "=", "!=", "<", "<=", ">", ">=", "between", "in", "add_days"]
)  # one side is wide
_ENGINES: dict[Dialect, _Engine] = {"sqlite": _SQLITE, "duckdb": _DUCKDB}


def _emit(node: Node, to: _Engine, column: Callable[[PathParts], str]) -> _Sql:
    if isinstance(node, Const):
        return _Sql(to.literal(node))
    if isinstance(node, Path):
        return _Sql(column(node.parts))
    bare = node.op in _BARE and not all(isinstance(a, Const) for a in node.args)
    pieces = [_Sql(str(a.value)) if bare and _whole(a) else _emit(a, to, column) for a in node.args]
    if node.type == "num" and node.op in {"case", "coalesce", "least", "greatest"}:
        chosen = value_arguments(node)  # an engine types a value by its branches: all of them have to be floats
        pieces = [
            to.cast(p, "num") if a in chosen and a.type == "int" else p for a, p in zip(node.args, pieces, strict=True)
        ]
    if node.op in _SPECIAL:
        return _SPECIAL[node.op](node, pieces, to)
    wide = node.op == "*" and node.type == "int" and needs_range_test(node)
    return _in_range(node, _fill(to.templates["wide" if wide else node.op], *pieces), to)


def _whole(node: Node) -> TypeGuard[Const]:
    return isinstance(node, Const) and node.type == "int" and node.value is not None


def _in_range(node: Call, piece: _Sql, to: _Engine) -> _Sql:
    """Return a number, NULL where it passes the limit of its type."""
    if not (node.type in {"int", "num"} and needs_range_test(node)):
        return piece
    kept = to.within(piece, str(INT_LIMIT) if node.type == "int" else repr(NUM_LIMIT))
    return to.cast(kept, "int") if node.type == "int" else kept


def _logic(node: Call, pieces: list[_Sql], _: _Engine) -> _Sql:
    return _chain("({})", f" {node.op.upper()} ", pieces)


def _membership(_: Call, pieces: list[_Sql], to: _Engine) -> _Sql:
    form = "({{}} IN ({}))" if pieces[0].height == 1 else to.listed
    return _fill(form.format(", ".join(p.text for p in pieces[1:]).replace("{", "{{").replace("}", "}}")), pieces[0])


def _case(node: Call, pieces: list[_Sql], _: _Engine) -> _Sql:
    return _fill(f"CASE{' WHEN {} THEN {}' * len(case_branches(node)[0])} ELSE {{}} END", *pieces)


def _divide(node: Call, pieces: list[_Sql], to: _Engine) -> _Sql:
    over, under = pieces
    if all(a.type == "int" for a in node.args):
        over = to.cast(over, "num")
    if not (isinstance(node.args[1], Const) and node.args[1].value):
        under = to.nonzero(under)
    return _in_range(node, _fill("({} / {})", over, under), to)


def _round(node: Call, pieces: list[_Sql], to: _Engine) -> _Sql:
    if node.args[0].type == "int":
        return pieces[0]
    nudge, scale = (to.literal(Const(value, "num")) for value in (NUDGE, 10.0 ** round_digits(node)))
    template = f"(round({{}} * {scale} * {nudge}) / {scale})" if round_digits(node) else f"round({{}} * {nudge})"
    piece = _in_range(node, _fill(template, pieces[0]), to)
    return to.cast(piece, "int") if node.type == "int" and not needs_range_test(node) else piece


def _choice(node: Call, pieces: list[_Sql], to: _Engine) -> _Sql:
    return _chain(to.templates[node.op], ", ", pieces)


def _add_days(node: Call, pieces: list[_Sql], to: _Engine) -> _Sql:
    day, count = pieces
    if not isinstance(node.args[1], Const):
        count = to.within(count, str(DAYS_CAP + 1))
    return to.between(_fill(to.templates["add_days"], day, count), *to.days)


_SPECIAL: dict[str, Callable[[Call, list[_Sql], _Engine], _Sql]] = {
    **dict.fromkeys(["and", "or", "||"], _logic),
    **dict.fromkeys(["coalesce", "least", "greatest"], _choice),
    "in": _membership,
    "case": _case,
    "/": _divide,
    "round": _round,
    "add_days": _add_days,
}
