"""Laws of expressions: text and JSON give the tree back, folding keeps values, outcomes hold every value seen."""

import json
from itertools import pairwise
from random import Random
from typing import Any

from expr_random import AS_OF, PATHS, TYPES, at, in_python, loosened, parsed, plain, tables
from hypothesis import given, settings
from hypothesis import strategies as st

from worldsmith.errors import ExprError
from worldsmith.expr import (
    Const,
    Node,
    Path,
    PathParts,
    fold_constants,
    from_json,
    outcomes,
    parse,
    paths,
    sql,
    text,
    to_json,
)
from worldsmith.expr.bounds import bound

ROWS = tables(Random(21), 40)
FEW = settings(max_examples=150, deadline=None)
KINDS = st.sampled_from(list(PATHS))


def values(node: Node) -> list[Any]:
    return [plain(value, node.type) for value in in_python(ROWS, [node])[0]]


@FEW
@given(st.randoms(use_true_random=False), KINDS, st.integers(1, 5))
def test_text_parses_back_to_the_same_tree(random: Random, kind: Any, levels: int) -> None:
    source, node = parsed(random, kind, levels)
    assert parse(text(node), "t", TYPES, as_of=AS_OF) == node
    assert text(parse(text(node), "t", TYPES, as_of=AS_OF)) == text(node)
    assert from_json(json.loads(json.dumps(to_json(node)))) == node
    try:
        other = parse(loosened(random, source), "t", TYPES, as_of=AS_OF)
    except ExprError:
        return
    assert parse(text(other), "t", TYPES, as_of=AS_OF) == other


@FEW
@given(st.text(st.sampled_from(" ()'.,+-*/=<>!|ijxsdpr019_andorincasewhenthenulbtw"), max_size=60))
def test_any_text_is_read_or_refused(source: str) -> None:
    try:
        node = parse(source, "t", TYPES, as_of=AS_OF)
    except ExprError:
        return  # any other error fails the test
    assert parse(text(node), "t", TYPES, as_of=AS_OF) == node


@FEW
@given(st.randoms(use_true_random=False), KINDS, st.integers(1, 5))
def test_folding_keeps_every_value(random: Random, kind: Any, levels: int) -> None:
    _, node = parsed(random, kind, levels)
    folded = fold_constants(node, lambda _: False)
    assert folded.type == node.type
    assert values(folded) == values(node)
    assert fold_constants(folded, lambda _: False) == folded
    assert from_json(json.loads(json.dumps(to_json(folded)))) == folded


@FEW
@given(st.randoms(use_true_random=False), KINDS, st.integers(1, 5), st.sets(st.sampled_from(["i", "x", "s", "d", "p"])))
def test_an_absent_column_is_null(random: Random, kind: Any, levels: int, gone: set[str]) -> None:
    _, node = parsed(random, kind, levels)
    folded = fold_constants(node, lambda path: path[0] in gone)
    assert not any(path[0] in gone for path in paths(folded))
    without = {"t": [row | dict.fromkeys(gone) for row in ROWS["t"]], "o": ROWS["o"]}
    kept = [plain(value, node.type) for value in in_python(without, [node])[0]]
    assert values(folded) == kept


@FEW
@given(st.randoms(use_true_random=False), st.integers(1, 5), st.sets(st.sampled_from(["i", "x", "s", "d", "p"])))
def test_outcomes_hold_every_value_seen(random: Random, levels: int, gone: set[str]) -> None:
    _, node = parsed(random, "bool", levels)
    folded = fold_constants(node, lambda path: path[0] in gone)
    assert set(in_python(ROWS, [folded])[0]) <= outcomes(folded)
    assert set(in_python(ROWS, [node])[0]) <= outcomes(node)


@FEW
@given(st.randoms(use_true_random=False), st.sampled_from(["int", "num"]), st.integers(1, 5))
def test_bounds_hold_every_value_seen(random: Random, kind: Any, levels: int) -> None:
    _, node = parsed(random, kind, levels)
    seen = [abs(value) for value in in_python(ROWS, [node])[0] if value is not None]
    assert all(value <= bound(node) * (1 + 1e-12) for value in seen)
    assert all(isinstance(value, int | float) and not isinstance(value, bool) for value in seen)


@FEW
@given(st.randoms(use_true_random=False), KINDS, st.integers(1, 5))
def test_values_have_the_type_of_the_tree(random: Random, kind: Any, levels: int) -> None:
    _, node = parsed(random, kind, levels)
    wanted = {"int": int, "num": float, "text": str, "date": str, "bool": bool}[kind]
    assert {type(value) for value in in_python(ROWS, [node])[0]} <= {wanted, type(None)}


@FEW
@given(st.randoms(use_true_random=False), KINDS)
def test_sql_names_each_path_the_caller_names_and_no_other(random: Random, kind: Any) -> None:
    _, node = parsed(random, kind, 4)
    for dialect in ("sqlite", "duckdb"):
        asked: list[PathParts] = []
        sql(node, dialect, lambda path, asked=asked: asked.append(path) or "c")  # type: ignore[misc]
        assert tuple(dict.fromkeys(asked)) == paths(node)


def test_the_random_rows_cover_null_and_dangling_references() -> None:
    """The laws above are worth what their rows show."""
    for kind, names in PATHS.items():
        for name in names:
            seen = [at(ROWS, row, tuple(name.split("."))) for row in ROWS["t"]]
            assert None in seen
            assert len({value for value in seen if value is not None}) >= (2 if kind == "bool" else 4)


def test_the_random_expressions_use_every_operation() -> None:
    from worldsmith.expr.tree import Call, walk
    from worldsmith.expr.typed import OPS

    random, used = Random(2), set()
    for _ in range(600):
        _, node = parsed(random, random.choice(list(PATHS)), 4)
        used |= {n.op for n in walk(node) if isinstance(n, Call)}
    assert used == set(OPS)


def test_needless_words_do_not_change_a_tree() -> None:
    spellings = [
        "i=1 AND NOT p",
        "(i = 1) and (not (p))",
        "i\n=\t1 And not P".replace("P", "p"),
        "((i))=((1)) and not p",
    ]
    trees = [parse(s, "t", TYPES, as_of=AS_OF) for s in spellings]
    assert all(a == b for a, b in pairwise(trees))
    assert not isinstance(trees[0], Const | Path)
