"""Candidate tasks of a world: drawn, screened for triviality and for every ambiguity, and worded.

Shortcuts that show in the plans alone are screened here too: answers of one page, columns that snippets show, columns
of one value. What makes a query ambiguous is listed in `screening`.
"""

import random
import re
import sqlite3
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from worldsmith import scoring
from worldsmith.errors import UsageError, close_match
from worldsmith.mining.chains import draw_deep, draw_link
from worldsmith.mining.draft import draw_query
from worldsmith.mining.sampling import (
    SIZES,
    MiningContext,
    Size,
    most_common_share,
)
from worldsmith.mining.screening import DrawRejected, border_readings, screen, variants
from worldsmith.schema import Path, Schema, Value
from worldsmith.scoring.text import fold, squash
from worldsmith.seeding import draw, rng
from worldsmith.tasks.conditions import WordingSplit
from worldsmith.tasks.headers import column_header, headers
from worldsmith.tasks.meanings import meanings
from worldsmith.tasks.query import Query, Rows, Scope, constants, is_tally
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.tasks.query_sql import gold_sqlite, sql
from worldsmith.tasks.question import LETTERS, question
from worldsmith.tasks.question_reader import Unclear, compared_of_question, query_of_question, subjects_of_question
from worldsmith.tasks.shortcuts import CAP, SNIPPETS, Carried, page_carries_too_much
from worldsmith.tasks.task import Task

_NUMBER = re.compile(r"(?<!\w)(?:\d[\d.-]*\d|\d)(?!\w)")  # not the 2 of "m2"

CHAINS = 8
"""Chains tried for one that leads somewhere."""
KINDS: Mapping[str, str] = {
    "wide": "a table of rows within a named scope",
    "deep": "one value at the end of a chain",
    "hybrid": "a table within a scope that a chain finds",
}
"""The kinds of task."""
EMPTY = 64
"""Of so many places for a task, one goes to a task whose gold table has no row."""
UNLISTED = 0.4
"""The share of wide tasks, at least, whose scope no list page is made for, where there are such scopes."""
DESCRIBED = 0.5
"""The share of deep tasks whose chain starts from a row that is described rather than named, where there are such."""


Variant = Literal["", "empty", "unlisted", "described"]
VARIANTS: Mapping[str, tuple[Variant, ...]] = {"wide": ("empty", "unlisted"), "deep": ("described",)}
"""What shares of the tasks of a kind are: without a row, of a scope without a list page, from a description."""


def parse_kinds(text: str) -> tuple[str, ...]:
    """Return the kinds that "wide,deep" names. Raises UsageError for one that nobody knows."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in KINDS:
            raise UsageError(f"no tasks are called {name!r}: kinds are {', '.join(KINDS)}.{close_match(name, KINDS)}")
    return names


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why a draw made no task."""

    reason: str


def task_draws(
    context: MiningContext,
    connection: sqlite3.Connection,
    seed: int,
    size: str = "wide",
    kind: str = "wide",
    *,
    variant: Variant = "",
    split: WordingSplit = "all",
    answered: Container[object] = frozenset(),
) -> Iterator[Task | Rejected]:
    """Yield what each draw made, without end: a task, or why none. Raises KeyError for an unknown size or kind.

    A `variant` is drawn instead of what a kind usually is. What leads to one of `answered`
    (`QueryEvaluator.answer_identity`) is rejected; it may grow while draws are taken. Nothing is yielded for a world
    without a list page over invented keys, nor for a variant that a world has not: there is no scope to ask for.
    """
    wanted, form, world = SIZES[size], _FORMS[variant or kind], context.world
    marks = ("task", world.digest, size, *((kind,) if kind != "wide" else ()), *((variant,) if variant else ()))
    number = 0
    while has_variant(context, variant):
        r = rng(seed, *marks, number)
        try:
            query = form(context, wanted, r)
            if context.evaluator.answer_identity(query) in answered:
                raise DrawRejected("the same answer as another task's")  # noqa: TRY301 - all that ends a draw does
            turn = draw(seed, "words", *marks, number)
            yield screened_task(
                context, query, size, turn, gold_sqlite(query, connection, world.schema), kind=kind, split=split
            )
        except DrawRejected as refused:
            yield Rejected(str(refused))
        number += 1


def has_variant(context: MiningContext, variant: Variant) -> bool:
    """Tell whether a world may have tasks of a variant, or any where it is ""."""
    if variant == "described":
        return context.world.schema.bank is not None
    return bool(context.unlisted if variant == "unlisted" else context.scopes)


def _draw_hybrid(context: MiningContext, size: Size, r: random.Random) -> Query:
    # How many is drawn once: if it were drawn for each try, what is found easily would crowd out the rest.
    deep = 1 if r.random() < 0.7 else 2
    link = next((one for one in (draw_link(context, r, deep, size.scope) for _ in range(CHAINS)) if one), None)
    if link is None:
        raise DrawRejected("no chain of that length")
    for one in link[0].chain():
        _screen_pick(context, one)
    target, (table, by) = link
    return draw_query(context, size, r, (table, Scope(by, (), target)))


def _draw_chain(context: MiningContext, size: Size, r: random.Random, *, described: bool) -> Query:  # noqa: ARG001 - one value, whatever the size
    scopes = (0, 0, 1, 1)[r.randrange(4)] if described else (0, 1, 1, 2, 2)[r.randrange(5)]
    chains = (draw_deep(context, r, scopes, described=described) for _ in range(CHAINS))
    query = next((one for one in chains if one), None)
    if query is None:
        raise DrawRejected("no chain of that length")
    for one in query.chain():
        _screen_pick(context, one)
    return query


def _screen_pick(context: MiningContext, query: Query) -> None:
    """Raise DrawRejected where the one row that a link of a chain stands for could be another."""
    rows, kept = context.evaluator.in_scope(query), context.evaluator.matching_rows(query)
    if query.described:
        if len(kept) != 1 or any(
            context.evaluator.truths(query, loose, rows) != context.evaluator.truths(query, clause, rows)
            for clause in query.clauses
            for loose in variants(clause, border_readings)
        ):
            raise DrawRejected("a description that fits more than one row")
    elif len(rows) > 1:
        screen(context.evaluator, query, rows, context.evaluator.matching_rows(query))


_FORMS: Mapping[str, Callable[[MiningContext, Size, random.Random], Query]] = {
    "wide": draw_query,
    "deep": partial(_draw_chain, described=False),
    "hybrid": _draw_hybrid,
    "empty": partial(draw_query, empty=True),
    "unlisted": partial(draw_query, unlisted=True),
    "described": partial(_draw_chain, described=True),
}


def screened_task(
    context: MiningContext,
    query: Query,
    size: str,
    turn: int,
    rows: Rows,
    *,
    kind: str = "wide",
    split: WordingSplit = "all",
) -> Task:
    """Return the task of a query and its gold rows; DrawRejected where its columns or pages give too much away."""
    world, schema = context.world, context.world.schema
    columns = answer_columns(context.evaluator, query)
    check_headers(columns)
    kept = context.evaluator.matching_rows(query)
    carried = pages_by_cell(context, query, kept, rows)
    if rows and query.key:
        _check_constant(context, query, kept)
        check_pages(schema, query, carried)
    text = question(context.evaluator, query, columns, turn, split)
    check_question(text, query, columns, rows, schema)
    return Task(
        world.id,
        world.digest,
        schema.name,
        kind,
        size if query.key else "one",
        text,
        query,
        sql(query, schema),
        columns,
        rows,
        carried,
    )


def check_headers(columns: Sequence[scoring.Column]) -> None:
    """Raise DrawRejected where two columns can't be told apart by their headers."""
    names = [squash(fold(c.name)) for c in columns]
    if len(set(names)) < len(names) or any("," in c.name or "|" in c.name for c in columns):
        raise DrawRejected("two columns with one header")


def check_question(
    text: str,
    query: Query,
    columns: Sequence[scoring.Column],
    rows: Rows,
    schema: Schema,
    subjects: tuple[str, ...] = (),
    compared: Query | None = None,
) -> None:
    """Raise DrawRejected where a question gives gold away, or its reader doesn't come to the query alone.

    `subjects` are what a question over several worlds calls them, `compared` what it compares them by.
    """
    if query.scope.of is not None and constants(query) & set(LETTERS):
        raise DrawRejected("a value that reads like a find")
    own = constants(query) | (constants(compared) if compared else frozenset()) | {schema.as_of}
    if leaked_values(without_meanings(text, schema), own, columns, rows):
        raise DrawRejected("the question holds a gold value")
    try:
        parts = (query_of_question, subjects_of_question, compared_of_question)
        read = tuple(part(text, schema) for part in parts)
    except Unclear:
        raise DrawRejected("a question with two readings, or none") from None
    if read != (query, subjects, compared):
        raise DrawRejected("a question that is read otherwise")


def without_meanings(text: str, schema: Schema) -> str:
    """Return a question without what it says that columns mean: the schema's words, whatever the world."""
    for means in meanings(schema).values():
        text = text.replace(means, "")
    return text


def leaked_values(text: str, own: frozenset[Value], columns: Sequence[scoring.Column], rows: Rows) -> frozenset[str]:
    """Return the gold cells outside the key that a question holds beyond `own`, what it has to hold."""
    body = text.rpartition("\n\n")[0]
    numbers = frozenset(_NUMBER.findall(body))
    leaked = set()
    for i, col in enumerate(columns):
        if col.key or col.kind == "bool":
            continue
        for value in {row[i] for row in rows} - own - {None}:
            shown = scoring.show(value, col)
            if shown in numbers or (isinstance(value, str) and col.kind != "date" and shown in body):
                leaked.add(shown)
    return frozenset(leaked)


def answer_columns(evaluator: QueryEvaluator, query: Query) -> tuple[scoring.Column, ...]:
    """Return the columns as the scorer sees them: free where the question fixes them, with a filler where nulls are."""
    schema, table = evaluator.world.schema, query.table
    names = headers(schema, table, query.columns, query.tallies)
    if not query.key:
        names = tuple(column_header(query.column(schema, path), schema) for path in query.columns)
    return tuple(
        replace(
            query.column(schema, path).answer(header=name, key=path in query.key, free=path in query.fixed),
            none="" if is_tally(path) else null_filler(evaluator, table, path),
        )
        for path, name in zip(query.columns, names, strict=True)
    )


def null_filler(evaluator: QueryEvaluator, table: str, path: Path) -> str:
    """Return what stands for null at the end of a path: what the first column on the way that has nulls calls it.

    "" where no row of the world has null there.
    """
    for n in range(1, len(path) + 1):
        if None in evaluator.values(table, path[:n]):
            return evaluator.world.schema.walk(table, path[:n]).none
    return ""


def pages_by_cell(
    context: MiningContext, query: Query, kept: Sequence[int], rows: Rows
) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Return the pages of each cell, for gold rows in their order."""
    keys = [context.evaluator.values(query.table, path) for path in query.key]
    place = {tuple(values[i] for values in keys): i for i in kept}
    return tuple(
        tuple(_cell_pages(context, query, place[row[: len(query.key)]], path) for path in query.columns) for row in rows
    )


def _cell_pages(context: MiningContext, query: Query, index: int, path: Path) -> tuple[str, ...]:
    tally = query.tally(path)
    if tally is not None:
        return context.tally_pages(query.table, index, tally)
    cell = context.evaluator.cell(query.table, index, path)
    return context.pages.carrying(*cell) if cell else ()


def _check_constant(context: MiningContext, query: Query, kept: Sequence[int]) -> None:
    stored = [path for path in query.columns[len(query.key) :] if not is_tally(path)]
    if sum(most_common_share(context, query.table, path, kept) for path in stored) > CAP * len(stored):
        raise DrawRejected("constant columns")


def check_pages(schema: Schema, query: Query, carried: Carried) -> None:
    """Raise DrawRejected where snippets or one page show too much of an answer, or no page its key.

    `carried` are the pages of the query's columns for each gold row.
    """
    first = len(query.key)
    others = query.columns[first:]
    shown = sum(query.column(schema, path).see == "snippet" for path in others)
    if shown > SNIPPETS * len(others):
        raise DrawRejected("columns that snippets show")
    if page_carries_too_much(carried, range(first, len(query.columns))):
        raise DrawRejected("one page carries too much")
    if any(not cell for row in carried for cell in row[:first]):
        raise DrawRejected("a key that no page states")
