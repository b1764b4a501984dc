"""Candidate tasks of a world: drawn, screened for triviality and for every ambiguity on a closed list, and worded.

The list: a clause or a value of `in` that changes nothing; a threshold that is stored, so that "over" and "from"
differ; null under negation; two columns with one header. Shortcuts that show in the plans alone are screened too:
answers of one page, columns that snippets show, columns of one value.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from worldsmith import expr, scoring
from worldsmith.engine import attach
from worldsmith.expr import Node
from worldsmith.expr.tree import walk as expr_walk
from worldsmith.pages import Pages
from worldsmith.schema import Path, Value
from worldsmith.scoring.text import fold, squash
from worldsmith.seeding import draw, rng
from worldsmith.tasks.headers import headers
from worldsmith.tasks.query import Query, Rows, both, gold, sql, within
from worldsmith.tasks.question import question
from worldsmith.tasks.reader import Reader
from worldsmith.tasks.sample import SIZES, Size, Source, common, draw_clause, draw_columns, draw_scope
from worldsmith.tasks.shortcuts import CAP, SNIPPETS, one_page_too_much
from worldsmith.tasks.task import Task
from worldsmith.world import World

_NUMBER = re.compile(r"\d[\d.-]*\d|\d")

TRIES = 4
"""Columns that a clause is tried on."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why a draw made no task."""

    reason: str


class Refused(Exception):  # noqa: N818 - not an error: how a screen ends a draw
    """A draw that makes no task; its text is the reason."""


def drawn(world: World, pages: Pages, seed: int, size: str = "wide") -> Iterator[Task | Rejected]:
    """Yield what each draw made, without end: a task, or why none. Raises KeyError for an unknown size.

    Nothing is yielded for a world without a list page over invented keys: there is no scope to ask for.
    """
    source, wanted = Source(world, pages), SIZES[size]
    with attach(world) as connection:
        number = 0
        while source.scopes:
            r = rng(seed, "task", world.digest, size, number)
            try:
                query = _query(source, wanted, r)
                turn = draw(seed, "words", world.digest, size, number)
                yield made(source, query, size, turn, gold(query, connection, world.schema))
            except Refused as refused:
                yield Rejected(str(refused))
            number += 1


def _query(source: Source, size: Size, r: random.Random) -> Query:
    count = (0, 1, 1, 2, 2, 2)[r.randrange(6)]
    scoped = draw_scope(source, size, count, r)
    if scoped is None:
        raise Refused("no scope of that size")
    table, scope = scoped
    bare = Query(table, scope, None, (), tuple((name,) for name in source.world.schema.tables[table].key))
    rows = source.reader.in_scope(bare)
    clauses = _clauses(source, bare, rows, count, r)
    query = replace(bare, where=both(clauses))
    kept = source.reader.kept(query)
    if not size.rows[0] <= len(kept) <= size.rows[1]:
        raise Refused("too few rows" if len(kept) < size.rows[0] else "too many rows")
    screen(source, query, rows, kept)
    return replace(query, columns=_columns(source, query, kept, size, r))


def _clauses(source: Source, bare: Query, rows: Sequence[int], count: int, r: random.Random) -> list[Node]:
    paths = [path for path in source.askable(bare.table) if path != (bare.scope.column,)]
    # The further a path leads, the rarer it is, so that joined tables don't crowd out the row's own columns.
    weights = [(1.0, 0.35, 0.1)[len(path) - 1] for path in paths]
    found: dict[Path, Node] = {}
    for path in r.choices(paths, weights, k=TRIES * count) if paths else ():
        clause = None if path in found else draw_clause(source, bare.table, path, rows, r)
        if clause is not None:
            found[path] = clause
        if len(found) == count:
            break
    if len(found) < count:
        raise Refused("no clause on those columns")
    return [found[path] for path in sorted(found, key=lambda p: (len(p), paths.index(p)))]


def _columns(source: Source, query: Query, kept: Sequence[int], size: Size, r: random.Random) -> tuple[Path, ...]:
    count = r.randint(*size.columns) - len(query.key)
    skip = frozenset({*query.key, (query.scope.column,), *query.fixed})
    taken = draw_columns(source, query.table, kept, skip, count=max(count, 2), r=r)
    if len(taken) < max(size.columns[0] - len(query.key), 2):
        raise Refused("too few columns that vary")
    return (*query.key, *taken)


def screen(source: Source, query: Query, rows: Sequence[int], kept: Sequence[int]) -> None:
    """Raise Refused where a reader could take the query for another, or part of it changes nothing."""
    reader = source.reader
    if len(rows) == source.world.size(query.table):
        raise Refused("a scope of all rows")
    truths = [reader.truths(query.table, clause, rows) for clause in query.clauses]
    for i, clause in enumerate(query.clauses):
        others = [t for j, t in enumerate(truths) if j != i]
        if sum(all(marks) for marks in zip(*others, strict=True)) == len(kept) if others else len(rows) == len(kept):
            raise Refused("a clause changes nothing")
        if negative(clause) and None in truths[i]:
            raise Refused("null under negation")
        for loose in readings(clause):
            if reader.truths(query.table, loose, rows) != truths[i]:
                raise Refused("strict or not")
        for fewer in without_one(clause):
            if not _changes(truths, i, reader.truths(query.table, fewer, rows)):
                raise Refused("a value of in changes nothing")
    for value in query.scope.values if len(query.scope.values) > 1 else ():
        places = source.world.where(query.table, query.scope.column)[value]
        if not set(places) & set(kept):
            raise Refused("a value of the scope changes nothing")


def _changes(truths: list[list[bool | None]], place: int, other: list[bool | None]) -> bool:
    changed = [*truths[:place], other, *truths[place + 1 :]]
    return [all(m) for m in zip(*changed, strict=True)] != [all(m) for m in zip(*truths, strict=True)]


def negative(node: Node) -> bool:
    """Tell whether a clause says what is not: there null would pass in a careless reading."""
    if not isinstance(node, expr.Call) or node.op not in {"not", "!="}:
        return False
    inner = node.args[0]
    return not (isinstance(inner, expr.Call) and inner.op == "is null")


LOOSE = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}


def readings(node: Node) -> Iterator[Node]:
    """Yield the other readings of a comparison: its border counted in or out."""
    if not isinstance(node, expr.Call):
        return
    if node.op in LOOSE:
        yield expr.Call(LOOSE[node.op], node.args, "bool")
    if node.op == "between":
        value, low, high = node.args
        yield expr.Call("and", (expr.Call(">", (value, low), "bool"), expr.Call("<", (value, high), "bool")), "bool")


def without_one(node: Node) -> Iterator[Node]:
    """Yield a membership without each of its values in turn."""
    if isinstance(node, expr.Call) and node.op == "in" and len(node.args) > 2:
        for i in range(1, len(node.args)):
            yield expr.Call("in", (*node.args[:i], *node.args[i + 1 :]), "bool")


def made(source: Source, query: Query, size: str, turn: int, rows: Rows) -> Task:
    """Return the task of a query and its gold rows; Refused where its columns or pages give too much away."""
    world, schema = source.world, source.world.schema
    kept = source.reader.kept(query)
    columns = answers(source.reader, query)
    names = [squash(fold(c.name)) for c in columns]
    if len(set(names)) < len(names) or any("," in c.name or "|" in c.name for c in columns):
        raise Refused("two columns with one header")
    carried = _carried(source, query, kept, rows)
    _shortcuts(source, query, kept, carried)
    text = question(source.reader, query, columns, turn)
    if told_values(text, constants(query) | {schema.as_of}, columns, rows):
        raise Refused("the question holds a gold value")
    return Task(
        world.id,
        world.digest,
        schema.name,
        "wide",
        size,
        text,
        query,
        sql(query, schema),
        columns,
        rows,
        carried,
    )


def constants(query: Query) -> frozenset[Value]:
    """Return the values that the question of a query has to hold."""
    nodes = [node for clause in query.clauses for node in expr_walk(clause)]
    return frozenset({*query.scope.values, *(node.value for node in nodes if isinstance(node, expr.Const))})


def told_values(text: str, own: frozenset[Value], columns: Sequence[scoring.Column], rows: Rows) -> frozenset[str]:
    """Return the gold cells outside the key that a question holds beyond `own`, what it has to hold."""
    body = text.rpartition("\n\n")[0]
    numbers = frozenset(_NUMBER.findall(body))
    found = set()
    for i, col in enumerate(columns):
        if col.key or col.kind == "bool":
            continue
        for value in {row[i] for row in rows} - own - {None}:
            shown = scoring.show(value, col)
            if shown in numbers or (isinstance(value, str) and col.kind != "date" and shown in body):
                found.add(shown)
    return frozenset(found)


def answers(reader: Reader, query: Query) -> tuple[scoring.Column, ...]:
    """Return the columns as the scorer sees them: free where the question fixes them, with a filler where nulls are."""
    schema, table = reader.world.schema, query.table
    return tuple(
        replace(
            schema.walk(table, path).answer(header=name, key=path in query.key, free=path in query.fixed),
            none=filler(reader, table, path),
        )
        for path, name in zip(query.columns, headers(schema, table, query.columns), strict=True)
    )


def filler(reader: Reader, table: str, path: Path) -> str:
    """Return what stands for null at the end of a path: what the first column on the way that has nulls calls it.

    "" where no row of the world has null there.
    """
    for n in range(1, len(path) + 1):
        if None in reader.values(table, path[:n]):
            return reader.world.schema.walk(table, path[:n]).none
    return ""


def _carried(source: Source, query: Query, kept: Sequence[int], rows: Rows) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return the pages of each cell, for gold rows in their order."""
    keys = [source.reader.values(query.table, path) for path in query.key]
    place = {tuple(values[i] for values in keys): i for i in kept}
    found = []
    for row in rows:
        index = place[row[: len(query.key)]]
        cells = [source.reader.cell(query.table, index, path) for path in query.columns]
        found.append(tuple(source.carriers(*cell) if cell else () for cell in cells))
    return tuple(found)


def _shortcuts(
    source: Source, query: Query, kept: Sequence[int], carried: tuple[tuple[tuple[str, ...], ...], ...]
) -> None:
    first = len(query.key)
    others = query.columns[first:]
    if sum(common(source, query.table, path, kept) for path in others) > CAP * len(others):
        raise Refused("constant columns")
    shown = sum(source.world.schema.walk(query.table, path).see == "snippet" for path in others)
    if shown > SNIPPETS * len(others):
        raise Refused("columns that snippets show")
    if one_page_too_much(carried, range(first, len(query.columns))):
        raise Refused("one page carries too much")
    if any(not cell for row in carried for cell in row[:first]):
        raise Refused("a key that no page states")


__all__ = [
    "Rejected",
    "drawn",
    "made",
    "readings",
    "screen",
    "within",
]
