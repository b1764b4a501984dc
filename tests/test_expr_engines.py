"""Three engines give one answer: random expressions over random rows, known traps, emitters broken on purpose."""

import sqlite3
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from random import Random
from typing import Any

import pytest
from expr_random import (
    AS_OF,
    PATHS,
    TYPES,
    Engines,
    at,
    column,
    differences,
    in_python,
    loosened,
    parsed,
    plain,
    tables,
)

from worldsmith.errors import ExprError
from worldsmith.expr import Call, Node, bounds, compile_filter, compile_python, emit_python, emit_sql, parse, paths, sql
from worldsmith.expr.bounds import INT_LIMIT
from worldsmith.expr.emit_sql import parser_stack_height


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    with Engines(tables(Random(7), 60)) as started:
        yield started


def read(source: str) -> Node:
    return parse(source, "t", TYPES, as_of=AS_OF)


def compared(engines: Engines, random: Random, count: int, levels: int) -> tuple[list[str], int]:
    """Compare random expressions in batches; return the differences and how many values were not NULL."""
    found, known = [], 0
    for _ in range(0, count, 25):
        made = [parsed(random, random.choice(list(PATHS)), random.randint(1, levels)) for _ in range(25)]
        sources, nodes = zip(*made, strict=True)
        found += differences(engines, sources, nodes)
        known += sum(value is not None for values in in_python(engines.rows, nodes) for value in values)
    return found, known


def test_random_expressions_agree(engines: Engines) -> None:
    found, known = compared(engines, Random(1), 200, 4)
    assert found == []
    assert known > 200 * 60 // 2


def test_a_filter_keeps_the_rows_where_a_condition_has_the_wanted_value() -> None:
    random, rows = Random(5), tables(Random(7), 40)
    kept = set[int]()
    for _ in range(150):
        node = parsed(random, "bool", random.randint(1, 4))[1]
        [values] = in_python(rows, [node])
        columns = {path: [at(rows, one, path) for one in rows["t"]] for path in paths(node)}
        fixed = frozenset(path for path in columns if random.random() < 0.4)
        for wanted in (True, False):
            function, read_ = compile_filter(node, wanted)
            found = function(range(40), *(columns[path] for path in read_))
            assert found == [i for i, value in enumerate(values) if value is wanted]
            kept.add(len(found))
            # The first row's values for all rows, under the paths that are fixed.
            function, read_ = compile_filter(node, wanted, fixed)
            plain_, _ = compile_python(node)
            mixed = {path: [columns[path][0]] * 40 if path in fixed else columns[path] for path in read_}
            given = (columns[path][0] if path in fixed else columns[path] for path in read_)
            one_by_one = [plain_(*(mixed[path][i] for path in read_)) for i in range(40)]
            assert function(range(40), *given) == [i for i, value in enumerate(one_by_one) if value is wanted]
    assert {0, 40} < kept


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12, 13, 14])
def test_many_random_expressions_agree(seed: int) -> None:
    with Engines(tables(Random(seed), 100)) as engines:
        found, known = compared(engines, Random(seed), 1500, 5)
    assert found == []
    assert known > 1500 * 100 // 2


# Breaking an emitter: what the comparison is worth

BROKEN: list[tuple[dict[str, Any], str, Any]] = [
    (emit_sql._DUCKDB.templates, "<", "({} <= {})"),
    (emit_sql._DUCKDB.templates, "least", "least({})"),
    (emit_sql._DUCKDB.templates, "length", "(length({}) + 1)"),
    (emit_sql._SQLITE.templates, "mon", "CAST(substr({}, 9, 2) AS INTEGER)"),
    (emit_sql._SQLITE.templates, "days", "CAST({} - {} AS INTEGER)"),
    (emit_sql._SQLITE.templates, "between", "({} > {} AND {})"),
    (emit_sql._SPECIAL, "/", lambda node, pieces, to: emit_sql._fill("({} / {})", *pieces)),
    (emit_sql._SPECIAL, "round", lambda node, pieces, to: emit_sql._fill("round({})", pieces[0])),
    (emit_python._TEMPLATES, ">=", "({} > {})"),
    (emit_python._OPPOSITE, "and", "and"),
    (emit_python._WRITERS, "is null", lambda writer, node: emit_python._Code("False")),
    (emit_python._SPACE, "rounded", lambda value, scale: round(value * scale) / scale),
]


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: str(b[1]))
def test_a_broken_emitter_is_caught(
    engines: Engines, monkeypatch: pytest.MonkeyPatch, broken: tuple[dict[str, Any], str, Any]
) -> None:
    table, key, value = broken
    assert key in table
    monkeypatch.setitem(table, key, value)
    compile_python.cache_clear()
    try:
        random, caught, batches = Random(3), [], 0
        while len(caught) < 3 and (batches := batches + 1) <= 30:
            made = [parsed(random, random.choice(list(PATHS)), 3) for _ in range(25)]
            caught += differences(engines, *zip(*made, strict=True))
    finally:
        compile_python.cache_clear()
    assert len(caught) >= 3


# The parser is shared by the engines: what a source means is checked against an engine that reads it by itself


def test_plain_sql_means_what_it_means_in_sqlite(engines: Engines) -> None:
    """The part of the language that is plain SQLite (with few parentheses) is read by SQLite itself."""
    random, compared_sources = Random(5), set()
    foreign = ("/", "round", "least", "greatest", "days", "yr", "mon", "as_of", "date '", "r.", "ROUND", "AS_OF")
    while len(compared_sources) < 300:
        source, _ = parsed(random, random.choice(["int", "bool", "bool", "text"]), random.randint(2, 4))
        source = loosened(random, source)
        if source in compared_sources or any(word in source for word in foreign):
            continue
        try:
            node = read(source)
        except ExprError:
            continue
        if isinstance(node, Call) and not any(bounds.needs_range_test(n) for n in numeric(node)):
            compared_sources.add(source)
            asked = f"SELECT {source} FROM t ORDER BY line"
            theirs = [plain(value, node.type) for (value,) in engines.sqlite.execute(asked)]
            assert [plain(value, node.type) for value in in_python(engines.rows, [node])[0]] == theirs, source


def numeric(node: Node) -> list[Call]:
    if not isinstance(node, Call):
        return []
    return [n for n in [node, *(m for a in node.args for m in numeric(a))] if n.type in {"int", "num"}]


# Known traps, each with its answer


def answers(engines: Engines, source: str) -> list[Any]:
    """Return the answers of the three engines on the first row."""
    node = read(source)
    return [plain(values[0][0], node.type) for values in engines.values([node]).values()]


TRAPS: dict[str, Any] = {
    "7 / 2": 3.5,
    "1 / 0": None,
    "1.5 / 0.0": None,
    "0 / 0": None,
    "0.1 + 0.2 = 0.3": False,
    "round(2.7)": 3,
    "round(2.5)": 3,
    "round(-2.5)": -3,
    "round(0.5)": 1,
    "round(-0.4)": 0,
    "round(1.005, 2)": 1.01,
    "round(2.675, 2)": 2.68,
    "round(-0.125, 2)": -0.13,
    "round(1234567.891, 0)": 1234568.0,
    "round(999999999999.5, 6)": 999999999999.5,
    "round(7, 3)": 7,
    "least(1, null)": None,
    "greatest('a', 'B', 'é')": "é",
    "least(2, 1.5)": 1.5,
    "coalesce(null, 1, 2.5)": 1.0,
    "'B' < 'a'": True,
    "'a' = 'A'": False,
    "'a' = 'a '": False,
    "'10' < '9'": True,
    "length('é日🙂')": 3,
    "'it''s' || '!'": "it's!",
    "days(date '2028-03-01', '2028-02-28')": 2,
    "days(date '0001-01-01', '9999-12-31')": -3652058,
    "add_days(date '2028-02-28', 1)": "2028-02-29",
    "add_days(date '9999-12-31', 1)": None,
    "add_days(date '9999-12-30', 1)": "9999-12-31",
    "add_days(date '0001-01-01', -1)": None,
    "add_days(date '0001-01-02', -1)": "0001-01-01",
    "add_days(as_of, 20000 + 20000)": "2139-06-07",
    "add_days(as_of, 20000 + 20001)": None,
    "add_days(as_of, 0 - 40001)": None,
    "yr(date '0987-12-31')": 987,
    "mon(as_of)": 11,
    "3000000000 + 3000000000": 6000000000,
    "2000000000 * 2": 4000000000,
    "1000000000000 * 1000000000000": None,
    "1000000000000 * 9000": 9000000000000000,
    "1000000000000 * 9007 + 199254740991": 9007199254740991,
    "1000000000000 * 9007 + 199254740992": None,
    "-1000000000000 * 9007 - 199254740992": None,
    "1000000000000 * 1000000000000 * 0": None,
    "10 between null and 5": False,
    "null between 1 and 2": None,
    "1 not between 3 and null": True,
    "null and false": False,
    "null or true": True,
    "null and true": None,
    "not null": None,
    "case when null then 1 else 2 end": 2,
    "case when false then 1 end": None,
    "coalesce(null, 1) is null": False,
    "1 in (1.0, 2)": True,
    "not not (1 in (2))": False,
    "0.0000001 * 10000000 = 1": True,
    "1000000000000.0 * 0.1": 1e11,
}


@pytest.mark.parametrize("source", list(TRAPS))
def test_a_known_trap_has_one_answer(engines: Engines, source: str) -> None:
    wanted = plain(TRAPS[source], read(source).type)
    assert answers(engines, source) == [wanted] * 3


def test_rounding_is_half_away_from_zero_as_numbers_are_written(engines: Engines) -> None:
    """Every decimal that is a tie, for 0 to 6 digits, with its neighbours, against decimal arithmetic."""
    random, cases = Random(9), []
    for digits in range(7):
        for _ in range(60):
            whole = random.choice([random.randint(0, 50), random.randint(0, 10 ** random.randint(1, 8))])
            tie = Decimal(10 * whole + 5).scaleb(-digits - 1)
            for written in (tie, -tie, tie - Decimal(1).scaleb(-digits - 3), tie + Decimal(1).scaleb(-digits - 3)):
                wanted = float(written.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
                cases.append((f"round({written:f}{'' if '.' in f'{written:f}' else '.0'}, {digits})", wanted))
    nodes = [read(source) for source, _ in cases]
    one = Engines({"t": engines.rows["t"][:1], "o": engines.rows["o"]})
    with one:
        for values in one.values(nodes).values():
            assert [column[0] for column in values] == [wanted for _, wanted in cases]


def test_the_largest_numbers_agree(engines: Engines) -> None:
    sources = [
        "x * x * x * x * x * x",
        "x / (y * 0.0000000001)",
        "i * j * i",
        "i * i - j * j",
        "x - y / x",
        "-i * 9007",
    ]
    sources += [f"{s} is null" for s in sources]
    assert differences(engines, sources, [read(s) for s in sources]) == []
    squares = in_python(engines.rows, [read("i * i")])[0]
    assert any(value is None for value, row in zip(squares, engines.rows["t"], strict=True) if row["i"] is not None)
    assert all(value is None or abs(value) < INT_LIMIT for value in squares)


# What `parse` lets through, every engine can take

NESTS = [
    "abs({})",
    "-({})",
    "({}) + 1",
    "1 + ({})",
    "({}) * i",
    "i * ({})",
    "({}) / x",
    "x / ({})",
    "round(({}) * 0.5)",
    "round(({}) * 0.5, 3)",
    "coalesce({}, 1)",
    "coalesce(1, {})",
    "greatest({}, i)",
    "least(i, {})",
    "case when p then {} else 1 end",
    "case when q then 2 when p then {} end",
    "case when ({}) > 1 then 2 else 1 end",
    "case when ({}) in (1, 2) then 1 else 2 end",
    "case when ({}) between 1 and 2 then 1 else 2 end",
    "case when 1 between 0 and ({}) then 1 else 2 end",
    "length(case when i between 3 and ({}) then s else u end)",
    "days(d, add_days(e, {}))",
    "case when not (p and (q or ({}) is null)) then 1 else 2 end",
]


@pytest.mark.parametrize("nest", NESTS)
def test_the_deepest_nest_that_parses_runs_in_every_engine(engines: Engines, nest: str) -> None:
    source, deeper, levels = "i", nest.format("i"), 0
    while True:
        try:
            node = read(deeper)
        except ExprError:
            break
        source, deeper, levels = deeper, nest.format(deeper), levels + 1
    assert levels >= 2
    node = read(source)
    assert differences(engines, [source], [node]) == []


def test_nesting_is_an_upper_bound_of_the_stack_of_sqlite(engines: Engines) -> None:
    """Before version 3.46 the stack has 100 entries; later ones grow."""
    limit = 100 if sqlite3.sqlite_version_info < (3, 46) else None
    for nest in NESTS:
        node = read(nest.format("i"))
        asked = sql(node, "sqlite", column)
        depth = next((n for n in range(120) if fails(engines.sqlite, "(" * n + asked + ")" * n)), None)
        if limit is None:
            assert depth is None
        else:
            assert depth is not None
            assert parser_stack_height(node) + depth >= limit - 10


def fails(connection: sqlite3.Connection, asked: str) -> bool:
    try:
        connection.execute(f'EXPLAIN SELECT {asked} FROM t, o AS "r"')
    except sqlite3.OperationalError as error:
        return "overflow" in str(error)
    return False
