"""Random expressions and rows, and the three engines side by side: what the tests of `expr` share."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from random import Random
from typing import Any, Self

import duckdb

from worldsmith.errors import ExprError
from worldsmith.expr import Node, PathParts, Ref, Type, Types, compile_python, parse, sql
from worldsmith.expr.typed import FUNCTIONS

AS_OF = "2029-11-30"
TYPES: Types = {
    "t": {
        "i": "int",
        "j": "int",
        "x": "num",
        "y": "num",
        "s": "text",
        "u": "text",
        "d": "date",
        "e": "date",
        "p": "bool",
        "q": "bool",
        "r": Ref("o", "text"),
    },
    "o": {"k": "text", "n": "int", "m": "num", "f": "date", "b": "bool", "up": Ref("o", "text")},
}
PATHS: dict[Type, list[str]] = {
    "int": ["i", "j", "r.n", "r.up.n"],
    "num": ["x", "y", "r.m"],
    "text": ["s", "u", "r", "r.up"],
    "date": ["d", "e", "r.f"],
    "bool": ["p", "q", "r.b"],
}
TEXTS = ["", "a", "A", "Z", "aa", "b", "é", "E\u0301", "日本", "🙂", "it's", "o0", "o1", "2029-01-01", "10", "9", " a"]
DATES = ["2029-11-30", "2028-02-29", "2027-12-31", "2029-01-01", "1999-12-31", "2100-03-01", "0001-01-01", "9999-12-31"]
INTS = [0, 0, 1, 2, 3, 7, 10, 100, 999, 12345, 40000, 40001, 10**6, 94906267, 10**12]
NUMS = [0.0, 0.5, 1.5, 2.5, 0.1, 0.3, 1.005, 2.675, 0.125, 3.14159, 99.995, 1e-6, 12345.678, 1e12, 123456789.125]

# Source text


def expression(random: Random, kind: Type, levels: int) -> str:
    """Return the source of an expression of a type, at most `levels` deep, sometimes with needless parentheses."""
    if levels <= 0 or random.random() < 0.15:
        return leaf(random, kind)
    made = random.choice(MAKERS[kind])(random, levels - 1)
    return f"({made})"


def leaf(random: Random, kind: Type) -> str:
    return random.choice(PATHS[kind]) if random.random() < 0.75 else literal(random, kind)


def literal(random: Random, kind: Type) -> str:
    sign = random.choice(["", "", "-"])
    if kind == "int":
        return sign + str(random.choice(INTS))
    if kind == "num":
        return sign + f"{random.choice(NUMS):.9f}".rstrip("0") + "0"
    if kind == "text":
        return "'" + random.choice(TEXTS).replace("'", "''") + "'"
    if kind == "date":
        return random.choice(["as_of", "AS_OF", *(f"date '{d}'" for d in DATES)])
    return random.choice(["true", "false", "TRUE"])


def number(random: Random) -> Type:
    return random.choice(["int", "num"])


def ordered(random: Random) -> Type:
    return random.choice(["int", "num", "text", "date"])


def arithmetic(random: Random, levels: int, kind: Type) -> str:
    left, right = (kind, kind) if kind == "int" or random.random() < 0.5 else ("num", number(random))
    return f"{expression(random, left, levels)} {random.choice('+-*')} {expression(random, right, levels)}"


def division(random: Random, levels: int) -> str:
    return f"{expression(random, number(random), levels)} / {expression(random, number(random), levels)}"


def comparison(random: Random, levels: int) -> str:
    kind = random.choice(["int", "num", "text", "date", "bool"])
    op = random.choice(["=", "!=", "<>"] if kind == "bool" else ["=", "!=", "<", "<=", ">", ">="])
    other = number(random) if kind in {"int", "num"} else kind
    return f"{expression(random, kind, levels)} {op} {expression(random, other, levels)}"


def between(random: Random, levels: int) -> str:
    kind = ordered(random)
    value, low, high = (expression(random, kind, levels) for _ in range(3))
    return f"{value} {random.choice(['', 'not '])}between {low} and {high}"


def membership(random: Random, levels: int) -> str:
    kind = ordered(random)
    listed = ", ".join(literal(random, kind) for _ in range(random.randint(1, 4)))
    return f"{expression(random, kind, levels)} {random.choice(['', 'NOT '])}in ({listed})"


def logic(random: Random, levels: int) -> str:
    parts = [expression(random, "bool", levels) for _ in range(random.choice([2, 2, 3]))]
    return f" {random.choice(['and', 'or', 'AND'])} ".join(parts)


def null_test(random: Random, levels: int) -> str:
    kind = random.choice(list(PATHS))
    return f"{expression(random, kind, levels)} is {random.choice(['', 'not '])}null"


def choice(random: Random, levels: int, kind: Type) -> str:
    """Return one of the forms that choose between values of one type."""
    some = [expression(random, number(random) if kind == "num" else kind, levels) for _ in range(random.choice([1, 2]))]
    some.append(expression(random, kind, levels))
    form = random.choice(["case", "coalesce", "coalesce" if kind == "bool" else random.choice(["least", "greatest"])])
    if form != "case":
        return f"{form}({', '.join(some)})"
    whens = " ".join(f"when {expression(random, 'bool', levels)} then {value}" for value in some[1:])
    return f"case {whens} {random.choice(['', f'else {some[0]} ', 'else null '])}end"


def unary(template: str, kind: Type) -> Callable[[Random, int], str]:
    return lambda random, levels: template.format(expression(random, kind, levels))


def binary(template: str, left: Type, right: Type) -> Callable[[Random, int], str]:
    return lambda random, levels: template.format(expression(random, left, levels), expression(random, right, levels))


def rounding(random: Random, levels: int) -> str:
    return f"round({expression(random, 'num', levels)}, {random.randint(0, 6)})"


def chosen(kind: Type) -> Callable[[Random, int], str]:
    return lambda random, levels: choice(random, levels, kind)


def sums(kind: Type) -> Callable[[Random, int], str]:
    return lambda random, levels: arithmetic(random, levels, kind)


MAKERS: dict[Type, list[Callable[[Random, int], str]]] = {
    "int": [
        sums("int"),
        sums("int"),
        chosen("int"),
        unary("- {}", "int"),
        unary("abs({})", "int"),
        unary("round({})", "num"),
        unary("length({})", "text"),
        unary("yr({})", "date"),
        unary("mon({})", "date"),
        binary("days({}, {})", "date", "date"),
    ],
    "num": [sums("num"), sums("num"), division, chosen("num"), unary("- {}", "num"), unary("ABS({})", "num"), rounding],
    "text": [binary("{} || {}", "text", "text"), chosen("text")],
    "date": [binary("add_days({}, {})", "date", "int"), chosen("date")],
    "bool": [
        comparison,
        comparison,
        between,
        membership,
        logic,
        logic,
        null_test,
        unary("not {}", "bool"),
        chosen("bool"),
    ],
}


CAPS = ("characters", "nested too deeply", "comparison with null", "at most 40000 days")


def parsed(random: Random, kind: Type, levels: int = 4) -> tuple[str, Node]:
    """Return the source and tree of a random expression, the first one that keeps to the caps."""
    while True:
        source = expression(random, kind, levels)
        try:
            return source, parse(source, "t", TYPES, as_of=AS_OF)
        except ExprError as error:
            if not any(cap in str(error) for cap in CAPS):
                raise


def loosened(random: Random, source: str) -> str:
    """Return the source without some of the parentheses that group: it may mean something else, or nothing."""
    opened: list[int] = []
    dropped: set[int] = set()
    for i, sign in enumerate(source):
        if sign == "(":
            opened.append(i)
        elif sign == ")":
            start = opened.pop()
            groups = not source[:start].lower().rstrip().endswith(WORDS_BEFORE)
            if groups and random.random() < 0.6:
                dropped |= {start, i}
    return "".join(" " if i in dropped else sign for i, sign in enumerate(source))


WORDS_BEFORE = (" in", *(name for name in FUNCTIONS))


# Rows

VALUES: dict[Type, Callable[[Random], Any]] = {
    "int": lambda r: r.choice(INTS) * r.choice([1, 1, -1]) if r.random() < 0.5 else r.randint(-60, 60),
    "num": lambda r: r.choice(NUMS) * r.choice([1, 1, -1]) if r.random() < 0.5 else r.randint(-9999, 9999) / 100,
    "text": lambda r: r.choice(TEXTS),
    "date": lambda r: r.choice(DATES) if r.random() < 0.5 else date.fromordinal(r.randint(738000, 741500)).isoformat(),
    "bool": lambda r: r.random() < 0.5,
}
Row = dict[str, Any]
Rows = Mapping[str, list[Row]]


def tables(random: Random, count: int) -> Rows:
    """Return `count` rows of table t and 8 of table o, with NULLs and dangling references."""
    others: list[Row] = [{"k": f"o{i}", **row(random, "o", ["n", "m", "f", "b"])} for i in range(8)]
    for other in others:
        other["up"] = random.choice([None, *(o["k"] for o in others)])
    mine = [row(random, "t", [c for c in TYPES["t"] if c != "r"]) for _ in range(count)]
    for one in mine:
        one["r"] = random.choice([None, "gone", *(o["k"] for o in others)])
    return {"t": mine, "o": others}


def row(random: Random, table: str, columns: Sequence[str]) -> Row:
    kinds: Mapping[str, Any] = TYPES[table]
    return {c: None if random.random() < 0.15 else VALUES[kinds[c]](random) for c in columns}


def at(rows: Rows, one: Row, path: PathParts) -> Any:
    """Return the value at the end of a path from a row of table t."""
    keyed = {o["k"]: o for o in rows["o"]}
    here: Row | None = one
    for part in path[:-1]:
        here = None if here is None else keyed.get(here[part])
    return None if here is None else here[path[-1]]


# Engines


def in_python(rows: Rows, nodes: Sequence[Node]) -> list[list[Any]]:
    found = []
    for node in nodes:
        function, columns = compile_python(node)
        values = [[at(rows, one, path) for one in rows["t"]] for path in columns]
        found.append(list(map(function, *values)) if columns else [function()] * len(rows["t"]))
    return found


def column(path: PathParts) -> str:
    return f'"{"/".join(path[:-1]) or "t"}"."{path[-1]}"'


JOINS = 'FROM t LEFT JOIN o AS "r" ON t.r = "r".k LEFT JOIN o AS "r/up" ON "r".up = "r/up".k ORDER BY t.line'
STORED = {
    "sqlite": {"int": "INTEGER", "num": "REAL", "text": "TEXT", "date": "TEXT", "bool": "INTEGER"},
    "duckdb": {"int": "BIGINT", "num": "DOUBLE", "text": "VARCHAR", "date": "DATE", "bool": "BOOLEAN"},
}


def statements(dialect: str, rows: Rows) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    for table, columns in TYPES.items():
        kinds = {c: STORED[dialect][t.type if isinstance(t, Ref) else t] for c, t in columns.items()}
        yield f"CREATE TABLE {table} (line INTEGER, {', '.join(f'{c} {k}' for c, k in kinds.items())})", []
        values = [(i, *(one[c] for c in columns)) for i, one in enumerate(rows[table])]
        yield f"INSERT INTO {table} VALUES ({', '.join('?' * (len(columns) + 1))})", values


class Engines:
    """The rows in Python, SQLite and DuckDB."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.sqlite = sqlite3.connect(":memory:")
        self.duckdb = duckdb.connect()
        for statement, values in statements("sqlite", rows):
            self.sqlite.executemany(statement, values) if values else self.sqlite.execute(statement)
        for statement, values in statements("duckdb", rows):
            self.duckdb.executemany(statement, values) if values else self.duckdb.execute(statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.sqlite.close()
        self.duckdb.close()

    def values(self, nodes: Sequence[Node]) -> dict[str, list[list[Any]]]:
        """Return for each engine the values of each expression, row by row."""
        found = {"python": in_python(self.rows, nodes)}
        for dialect, connection in (("sqlite", self.sqlite), ("duckdb", self.duckdb)):
            asked = ", ".join(sql(node, dialect, column) for node in nodes)
            fetched = connection.execute(f"SELECT {asked} {JOINS}").fetchall()
            found[dialect] = [list(values) for values in zip(*fetched, strict=True)]
        return found


def plain(value: Any, kind: Type | None) -> Any:
    """Return a value of any engine in one form: numbers to 12 significant digits, dates as text."""
    if value is None:
        return None
    if kind == "bool":
        return bool(value)
    if kind == "num":
        return f"{0.0 + value:.11e}" if value else "0"
    return value.isoformat() if isinstance(value, date) else value


def differences(engines: Engines, sources: Sequence[str], nodes: Sequence[Node]) -> list[str]:
    """Return one line for each expression on which the engines differ, with the first row that shows it."""
    found = engines.values(nodes)
    lines = []
    for i, (source, node) in enumerate(zip(sources, nodes, strict=True)):
        by_row = zip(
            *(([plain(v, node.type) for v in found[e][i]]) for e in ("python", "sqlite", "duckdb")), strict=True
        )
        wrong = next(((n, v) for n, v in enumerate(by_row) if len(set(map(repr, v))) > 1), None)
        if wrong:
            lines.append(f"{source}: row {wrong[0]}: python, sqlite, duckdb = {wrong[1]}")
    return lines
