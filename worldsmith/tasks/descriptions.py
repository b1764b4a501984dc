"""Rows that a question describes instead of naming them, by the patterns of a bank: in words, and read back.

A description says values of the row, or of a row that refers to it; as a query it is the whole table under these
conditions.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

from worldsmith import expr
from worldsmith.expr import Node
from worldsmith.expr.typed import call
from worldsmith.lang.morphology import article, singular_unit
from worldsmith.schema import Aggregate, Choice, Column, Path, Pick, Schema, Value
from worldsmith.schema.patterns import Describe, Slot, owner_reference
from worldsmith.tasks.conditions import WordingSplit, spell
from worldsmith.tasks.query import Query, Scope, conjunction, is_tally
from worldsmith.tasks.query_evaluator import QueryEvaluator


@dataclass(frozen=True, slots=True)
class Clue:
    """What a slot says: the value at the end of a path, or its year."""

    path: Path
    child: str
    """The table whose row the path is from; "" for the described row itself."""
    year: bool


@dataclass(frozen=True)
class Description:
    """A pattern that describes rows of a table, as one structure of the schema knows it."""

    schema: Schema
    describe: Describe

    @property
    def table(self) -> str:
        """The table of the row."""
        return self.describe.of

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The slots, in order."""
        return tuple(part for part in self.describe.pattern.parts if isinstance(part, Slot))

    @cached_property
    def clues(self) -> tuple[Clue, ...]:
        """What each slot says."""
        return tuple(self._clue(slot) for slot in self.slots)

    def _clue(self, slot: Slot) -> Clue:
        own = slot.path[0] in self.schema.tables[self.table].names
        return Clue(slot.path if own else slot.path[1:], "" if own else slot.path[0], slot.form == "year")

    def column(self, clue: Clue) -> Column:
        """Return the column that a clue is about."""
        return self.schema.walk(clue.child or self.table, clue.path)

    def query(self, values: Sequence[Value]) -> Query:
        """Return the query of the row that these values describe, one for each slot.

        It is the same in whatever order a pattern says them.
        """
        stated = sorted(zip(self.clues, values, strict=True), key=lambda one: (one[0].child, one[0].path))
        nodes: dict[str, list[Node]] = defaultdict(list)
        for clue, value in stated:
            nodes[clue.child].append(_comparison(clue, self.column(clue), value))
        own = nodes.pop("", [])
        tallies = tuple(
            Aggregate("count", child, None, (self.reference(child),), conjunction(inner))
            for child, inner in nodes.items()
        )
        one = expr.Const(1, "int")
        counted = [call(">=", [expr.Path((f"#{i}",), "int"), one]) for i in range(len(tallies))]
        return whole_table_query(self.schema, self.table, [*own, *counted], tallies)

    def reference(self, child: str) -> str:
        """Return the column by which a child's rows refer to the row."""
        reference = owner_reference(self.schema.tables[child], self.table)
        assert reference is not None  # refused when the bank was read
        return reference.name

    def text(self, query: Query) -> str | None:
        """Return a query's row in the words of the pattern; None where it says something else."""
        values = dict(_said(query))
        if len(values) != len(self.clues) or not all(clue in values for clue in self.clues):
            return None
        restated = self.query([values[clue] for clue in self.clues])
        if (restated.table, restated.where, restated.tallies) != (query.table, query.where, query.tallies):
            return None
        parts, clues = [], iter(self.clues)
        for part in self.describe.pattern.parts:
            if isinstance(part, Slot):
                clue = next(clues)
                shown = self.written(part, clue, values[clue])
                if shown is None:
                    return None
                parts.append(shown)
            else:
                parts.append(str(part))
        return "".join(parts)

    def written(self, slot: Slot, clue: Clue, value: Value) -> str | None:
        """Return a value in the form of a slot; None where it has no such form."""
        column = self.column(clue)
        if value == 1 and not column.unit:
            return None  # most likely a plural follows
        match slot.form:
            case "noun":
                return self._nouns(column).get(str(value))
            case "year":
                return str(value)
            case "a":
                return article(spell(value, column))
            case form:
                return spell(value, column, bare=form == "n")

    def read(self, text: str) -> Query | None:
        """Return the query that a noun phrase stands for; None where it doesn't fit the pattern."""
        match = self._regex.fullmatch(text)
        if match is None:
            return None
        pairs = zip(self.slots, self.clues, match.groups(), strict=True)
        query = self.query([self._value(slot, clue, shown) for slot, clue, shown in pairs])
        return query if self.text(query) == text else None

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        clues = iter(self.clues)
        parts = self.describe.pattern.parts
        return re.compile(
            "".join(self._slot_regex(p, next(clues)) if isinstance(p, Slot) else re.escape(str(p)) for p in parts)
        )

    def _slot_regex(self, slot: Slot, clue: Clue) -> str:
        column = self.column(clue)
        if slot.form == "year":
            return r"(\d{4})"
        if slot.form == "noun":
            return f"({'|'.join(map(re.escape, self._nouns(column).values()))})"
        if column.type in {"int", "num"}:
            units = "|".join(re.escape(f" {unit}") for unit in (column.unit, singular_unit(column.unit)) if unit)
            return rf"(-?\d+(?:\.\d+)?)(?:%{units and f'|{units}'})?"
        start = "(?:an?) " if slot.form == "a" else ""
        options = self._options(column)
        return f"{start}({'|'.join(map(re.escape, options)) if options else '[^“”,;]+?'})"

    def _value(self, slot: Slot, clue: Clue, shown: str) -> Value:
        column = self.column(clue)
        if slot.form == "noun":
            return next(value for value, noun in self._nouns(column).items() if noun == shown)
        if slot.form == "year" or column.type == "int":
            return int(shown)
        return float(shown) if column.type == "num" else shown

    def _nouns(self, column: Column) -> dict[str, str]:
        return self.schema.bank.words(column.table, column.name).nouns if self.schema.bank else {}

    def _options(self, column: Column) -> tuple[str, ...]:
        fill = column.fill
        items = fill.options if isinstance(fill, Choice) else ()
        if isinstance(fill, Pick) and self.schema.values[fill.values].invent is None:
            items = self.schema.values[fill.values].items
        return tuple(item for item in items if isinstance(item, str))


class DescribedRow(NamedTuple):
    """A row, and the values by which a pattern describes it and no other row."""

    row: int
    values: tuple[Value, ...]


def described_rows(evaluator: QueryEvaluator, description: Description) -> Iterator[DescribedRow]:
    """Yield the rows of a world that a pattern describes alone, once for each way it may tell of them."""
    rows: dict[tuple[Value, ...], set[int]] = defaultdict(set)
    for row in range(evaluator.world.size(description.table)):
        for values in _told_values(evaluator, description, row):
            rows[values].add(row)
    yield from (DescribedRow(min(some), values) for values, some in rows.items() if len(some) == 1)


def _told_values(evaluator: QueryEvaluator, description: Description, row: int) -> Iterator[tuple[Value, ...]]:
    """Yield the values by which a pattern may tell of a row: those of each combination of its children."""
    world, children = evaluator.world, list(dict.fromkeys(clue.child for clue in description.clues if clue.child))
    name = world.tables[description.table][world.schema.tables[description.table].key[0]][row]
    groups = [world.rows_by_value(child, description.reference(child)).get(name, ()) for child in children]
    for chosen in product(*groups):
        at = dict(zip(children, chosen, strict=True))
        values = tuple(_told_value(evaluator, description, c, at.get(c.child, row)) for c in description.clues)
        slots = zip(description.slots, description.clues, values, strict=True)
        if None not in values and all(description.written(*one) is not None for one in slots):
            yield values


def _told_value(evaluator: QueryEvaluator, description: Description, clue: Clue, row: int) -> Value:
    value = evaluator.values(clue.child or description.table, clue.path)[row]
    return int(str(value)[:4]) if clue.year and value is not None else value


def whole_table_query(schema: Schema, table: str, nodes: Sequence[Node], tallies: tuple[Aggregate, ...] = ()) -> Query:
    """Return the query of the one row of a table that meets conditions, its cell still to be chosen."""
    return Query(table, Scope(schema.tables[table].key[0], ()), conjunction(nodes), (), (), tallies)


@lru_cache(maxsize=32)
def descriptions(schema: Schema, split: WordingSplit = "all") -> tuple[Description, ...]:
    """Return the descriptions of a schema's bank all of whose columns a structure has, those of one split alone.

    A bank that holds the wordings of one split has them all.
    """
    made = [Description(schema, one) for one in schema.bank.describes] if schema.bank else []
    both = split == "all" or (schema.bank is not None and schema.bank.split != "all")
    return tuple(one for one in made if _is_whole(schema, one) and (both or one.describe.test == (split == "test")))


def _is_whole(schema: Schema, description: Description) -> bool:
    return description.table in schema.tables and all(
        schema.has(clue.child or description.table, clue.path) for clue in description.clues
    )


def _comparison(clue: Clue, column: Column, value: Value) -> Node:
    here = expr.Path(clue.path, column.type)
    if clue.year:
        return call("=", [call("yr", [here]), expr.Const(value, "int")])
    return call("=", [here, expr.Const(value, column.type)])


def clue_terms(schema: Schema, query: Query) -> list[str]:
    """Return what a description says in words that a person would search for: names, options, years; no bounds."""
    terms = []
    for clue, value in _said(query):
        column = schema.walk(clue.child or query.table, clue.path)
        nouns = schema.bank.words(column.table, column.name).nouns if schema.bank else {}
        terms.append(nouns.get(str(value)) or (str(value) if clue.year else spell(value, column)))
    return terms


def _said(query: Query) -> list[tuple[Clue, Value]]:
    """Return what the conditions of a query say by equality; each clue once, of others nothing."""
    stated: list[tuple[Clue, Value]] = []
    for clause in query.clauses:
        path = expr.paths(clause)[0]
        tally = query.tally(path) if is_tally(path) else None
        node = clause if tally is None else tally.where
        parts = node.args if isinstance(node, expr.Call) and node.op == "and" else (node,)
        stated += [one for part in parts if part is not None and (one := _equal(part, tally.table if tally else ""))]
    return stated


def _equal(node: Node, child: str) -> tuple[Clue, Value] | None:
    match node:
        case expr.Call("=", (expr.Path(path), expr.Const(value))):
            return Clue(path, child, year=False), value
        case expr.Call("=", (expr.Call("yr", (expr.Path(path),)), expr.Const(value))):
            return Clue(path, child, year=True), value
        case _:
            return None
