"""The parts of a query as choices: for each, what the question says, among what it might have said instead.

Somebody who is shown a question and these choices, and chooses each as the query has it, has read the query from it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.expr.typed import call
from worldsmith.schema import Aggregate, Path, Schema
from worldsmith.seeding import draw
from worldsmith.tasks.conditions import Wording, verb_phrase
from worldsmith.tasks.headers import headers, is_dated
from worldsmith.tasks.query import Query, Top, is_tally, scope_condition

NOTHING = "something else, or nothing of the kind"
"""The choice that stands among the others of every part."""
NOTHING_ELSE, MORE = "no", "yes"
"""Whether the question asks for what none of the other parts says."""
ALTERNATIVES = 4
"""Choices of a part beside the right one, at most."""
_OPPOSITE = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """What one part of a query is, and what it might have been, each in words."""

    asks: str
    right: str
    others: tuple[str, ...]

    def choices(self, *seed: object) -> list[str]:
        """Return all choices in a drawn order."""
        every = [self.right, *self.others]
        return sorted(every, key=lambda text: draw(0, "choice", *map(str, seed), text))


def question_parts(query: Query, schema: Schema) -> list[QuestionPart]:
    """Return the parts of a query, those of the queries that it goes out from first."""
    parts = [part for place, one in enumerate(query.chain()) for part in _parts(one, schema, place)]
    extra = QuestionPart("Does the question set a condition that none of the other parts names?", NOTHING_ELSE, (MORE,))
    return [*parts, extra]


def _parts(query: Query, schema: Schema, place: int) -> Iterator[QuestionPart]:
    step = f"Step {place + 1}: " if place or query.scope.of or not query.key else ""
    tables = schema.tables
    table = tables[query.table]
    yield _part(f"{step}what is looked for", table.plural, [t.plural for t in tables.values()])
    wording = Wording(schema, 0, query.tallies)
    if query.scope.of is None:
        if not query.described:  # else its conditions are the description
            clause = scope_condition(schema, query.table, query.scope)
            yield _clause_part(f"{step}which {table.plural}: they", clause, wording, query)
    else:
        refs = [c.label for c in table.columns if c.ref or c.type == "text"]
        yield _part(
            f"{step}what ties them to the step before", schema.column(query.table, query.scope.column).label, refs
        )
    for number, clause in enumerate(query.clauses, 1):
        tally = query.tally(expr.paths(clause)[0])
        if query.described and tally is not None and tally.where is not None:
            yield from _child_parts(f"{step}condition {number}", tally, wording, query)
        else:
            yield _clause_part(f"{step}condition {number}: they", clause, wording, query)
    if query.top is not None:
        tops = [_top_text(top, query, schema) for top in _tops(query, schema)]
        yield _part(f"{step}which of them, by their order", _top_text(query.top, query, schema), tops)
    if not query.key:
        yield _part(f"{step}what of it is wanted", _cell_text(query, query.columns[0], schema), _cells(query, schema))


def _child_parts(asks: str, tally: Aggregate, wording: Wording, query: Query) -> Iterator[QuestionPart]:
    """Yield what a description says of a row that refers to the described one."""
    where = tally.where
    assert isinstance(where, expr.Call)
    child = wording.schema.tables[tally.table]
    for one in where.args if where.op == "and" else (where,):
        yield _clause_part(
            f"{asks}, {child.plural} that go with them: they", one, wording, replace(query, table=child.name)
        )


def _part(asks: str, right: str, others: Sequence[str]) -> QuestionPart:
    different = [text for text in dict.fromkeys(others) if text != right]
    kept = sorted(different, key=lambda text: draw(0, "alternative", asks, right, text))[:ALTERNATIVES]
    return QuestionPart(asks, right, (*kept, NOTHING))


def _clause_part(asks: str, clause: Node, wording: Wording, query: Query) -> QuestionPart:
    right = _clause_text(clause, wording, query.table)
    return _part(
        asks, right, [_clause_text(other, wording, query.table) for other in _variants(clause, query, wording)]
    )


def _clause_text(clause: Node, wording: Wording, table: str) -> str:
    if isinstance(clause, expr.Call) and clause.op == "not" and isinstance(clause.args[0], expr.Call):
        inner = clause.args[0]
        if inner.op in {"and", "or"}:
            joint = f" {inner.op} "
            return f"do not at once: {joint.join(verb_phrase(wording, table, part) for part in inner.args)}"
    return verb_phrase(wording, table, clause)


def _variants(clause: Node, query: Query, wording: Wording) -> Iterator[Node]:
    """Yield conditions like one: the other way round, with another number, of another column, of fewer alternatives."""
    if not isinstance(clause, expr.Call):
        yield call("not", [clause])
        return
    if clause.op == "not":
        yield clause.args[0]
        return
    if clause.op == "or":
        yield from clause.args
        return
    path, *held = clause.args
    if clause.op in _OPPOSITE:
        yield expr.Call(_OPPOSITE[clause.op], clause.args, clause.type)
    tallied = isinstance(path, expr.Path) and is_tally(path.parts)
    if not tallied:
        yield call("not", [clause])
    if clause.op == "between":
        yield expr.Call("<", (path, held[0]), clause.type)
        yield expr.Call(">", (path, held[1]), clause.type)
    if clause.op == "in" and len(held) > 1:
        yield expr.Call("=", (path, held[0]), clause.type)
    numbers = [c for c in held if isinstance(c, expr.Const) and type(c.value) is int]
    if numbers and clause.op != "between":
        yield expr.Call(clause.op, (path, *(expr.Const(c.value + 1, c.type) for c in numbers)), clause.type)  # type: ignore[operator]
    if isinstance(path, expr.Path) and not tallied:
        for other in _columns_like(path, query.table, wording.schema):
            yield expr.Call(clause.op, (other, *held), clause.type)


def _columns_like(path: expr.Path, table: str, schema: Schema) -> Iterator[expr.Path]:
    """Yield the other columns of the row at the end of a path that hold the same kind of value."""
    own = schema.walk(table, path.parts)
    for column in schema.tables[own.table].columns:
        if column.name != own.name and column.type == own.type and bool(column.ref) == bool(own.ref):
            yield expr.Path((*path.parts[:-1], column.name), path.type)


def _tops(query: Query, schema: Schema) -> Iterator[Top]:
    """Yield other orders: from the other end, by another column."""
    top = query.top
    assert top is not None
    yield Top(top.path, top.count, not top.largest, top.within)
    own = query.column(schema, top.path)
    for column in schema.tables[own.table].columns if not is_tally(top.path) else ():
        if column.type in {"int", "num", "date"} and column.name != own.name:
            yield Top((*top.path[:-1], column.name), top.count, top.largest, top.within)
    if top.within is not None:
        yield Top(top.path, top.count, top.largest, None)


def _top_text(top: Top, query: Query, schema: Schema) -> str:
    name = headers(schema, query.table, (top.path,), query.tallies)[0]
    dated = is_dated(query.column(schema, top.path), schema)
    end = ("latest" if top.largest else "earliest") if dated else ("highest" if top.largest else "lowest")
    each = "" if top.within is None else f" for each “{headers(schema, query.table, (top.within,), query.tallies)[0]}”"
    return f"the first {top.count} by the {end} “{name}”{each}"


def _cell_text(query: Query, path: Path, schema: Schema) -> str:
    return headers(schema, query.table, (path,), query.tallies)[0]


def _cells(query: Query, schema: Schema) -> list[str]:
    """Return the other cells of the row that a query ends at."""
    path = query.columns[0]
    own = query.column(schema, path)
    names = [c.name for c in schema.tables[own.table].columns if c.name != own.name]
    paths = [(*path[:-1], name) for name in names] if not is_tally(path) else []
    return [_cell_text(query, other, schema) for other in paths]
