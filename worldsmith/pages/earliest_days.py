"""From which day on a page may tell what it tells, so that no page is older than the newest thing on it.

A date may be told from the day after, a year from its first day, and a count, a sum, a share or a rank once all that it
is made of is there. What a schema reckons from its own day (`as_of`) is true on that day alone, in years all that year.
What is yet to come (a day when something expires) binds nothing, nor does what a schema draws without saying when.
"""

from array import array
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cached_property, reduce
from typing import Final, TypeAlias

from worldsmith import expr
from worldsmith.cache import cached_method
from worldsmith.expr import Call, Const, Node
from worldsmith.schema import COMPUTED, Aggregate, Column, Derive, Path, Rank, Schema, Share, Value, parse_schema
from worldsmith.world.model import Cell, Row, World

YEARS: Final = range(1000, 3000)
"""What a column of whole numbers without a unit tells where it holds nothing else."""
Firsts: TypeAlias = "array[int]"
"""A day for each row of a table, as an ordinal; 0 for any day. Empty where no row of it has one."""
NONE: Final[Firsts] = array("I")


def ordinal(day: str) -> int:
    """Return the number of an ISO day."""
    return date.fromisoformat(day).toordinal()


class Days:
    """The first days of the rows and cells of `world`; each column is gone through once, when it is asked for."""

    def __init__(self, world: World) -> None:
        self.world, self.end = world, ordinal(world.schema.as_of)

    def row(self, row: Row) -> int:
        """Return the first day of a page on which a row stands: after its dates and years that are past."""
        firsts = self._firsts_of(row.table)
        return firsts[row.index] if firsts else 0

    def cell(self, cell: Cell) -> int:
        """Return the first day of a page that tells a cell."""
        firsts = self._column(cell.row.table, cell.col)
        return firsts[cell.row.index] if firsts else 0

    def begun(self, row: Row) -> int:
        """Return the earliest day that a row holds; 0 where it holds none."""
        form = self.world.schema.tables[row.table]
        held = [self.world.value(row, c.name) for c in form.columns if c.type == "date"]
        return min((ordinal(day) for day in held if isinstance(day, str)), default=0)

    def then(self, cell: Cell, fill: Aggregate, day: int) -> int:
        """Return a count or a sum as it was on a day: over the children that were there."""
        world, key = self.world, self.world.key(cell.row)[0]
        if len(fill.by) == 1:
            children = [Row(fill.table, i) for i in world.rows_by_value(fill.table, fill.by[0]).get(key, ())]
        else:
            children = [child for child in world.rows_of(fill.table) if world.walk(child, fill.by) == key]
        there = [child for child in children if self.row(child) <= day]
        if fill.where is not None:
            holds, read = expr.compile_python(fill.where)
            there = [child for child in there if holds(*(world.walk(child, path) for path in read)) is True]
        if fill.op == "count" or fill.column is None:
            return len(there)
        return sum(value for child in there if isinstance(value := world.value(child, fill.column), int))

    @cached_method
    def _firsts_of(self, table: str) -> Firsts:
        # Of what the row itself holds, whatever that was worked out from: so nothing is asked for in a circle.
        columns = self.world.schema.tables[table].columns
        dated = (c for c in columns if c.type == "date" or (c.type == "int" and not isinstance(c.fill, COMPUTED)))
        return reduce(_later, map(self._held, dated), NONE)

    def _held(self, column: Column) -> Firsts:
        """Return the days after the dates of a column, or the first days of its years."""
        values = self.world.tables[column.table][column.name]
        if column.type == "date":
            return _firsts(map(self._after, values))
        return _firsts(map(self._in, values)) if self._tells_years(column) else NONE

    @cached_method
    def _column(self, table: str, col: str) -> Firsts:
        """Return the first days of a column's cells; nothing for a column that binds no day."""
        column = self.world.schema.column(table, col)
        return _later(self._rests(column), self._held(column))

    def _after(self, day: Value) -> int:
        first = ordinal(day) + 1 if isinstance(day, str) else 0
        return first if first <= self.end + 1 else 0

    def _in(self, year: Value) -> int:
        first = date(year, 1, 1).toordinal() if isinstance(year, int) else 0
        return first if first <= self.end else 0

    def _tells_years(self, column: Column) -> bool:
        if column.type != "int" or column.unit:
            return False
        return all(value is None or value in YEARS for value in self.world.tables[column.table][column.name])

    def _rests(self, column: Column) -> Firsts:
        """Return when what each value is made of was there; nothing for values that are drawn."""
        match column.fill:
            case Aggregate() as fill:
                return self._aggregate(column, fill)
            case Rank(column=ranked, within=within) | Share(column=ranked, within=within):
                return self._among(column.table, ranked, within)
            case Derive():
                return self._derived(column)
            case _:
                return NONE

    def _aggregate(self, column: Column, fill: Aggregate) -> Firsts:
        """Return when the last of each row's children was there."""
        world, table = self.world, column.table
        children = world.tables[fill.table]
        if len(fill.by) == 1:
            parents = children[fill.by[0]]
        else:
            parents = [world.walk(child, fill.by) for child in world.rows_of(fill.table)]
        summed = self._column(fill.table, fill.column) if fill.column else NONE
        newest = _newest(parents, _later(self._firsts_of(fill.table), summed))
        return _firsts(newest.get(key, 0) for key in world.tables[table][world.schema.tables[table].key[0]])

    def _among(self, table: str, ranked: str, within: str | None) -> Firsts:
        """Return when the last of all that a row is ranked with, or shares a whole with, was there."""
        groups = self.world.tables[table][within] if within else [None] * self.world.size(table)
        newest = _newest(groups, _later(self._firsts_of(table), self._column(table, ranked)))
        return _firsts(newest.get(group, 0) for group in groups)

    @cached_property
    def _whole(self) -> Schema:
        """The schema whose expressions still hold `as_of`: in that of one structure it is worked out."""
        return parse_schema(self.world.schema.source)

    def _derived(self, column: Column) -> Firsts:
        """Return when the last of what an expression reads was there."""
        table, fill = column.table, self._whole.column(column.table, column.name).fill
        assert isinstance(fill, Derive)
        first = [self._own_day(fill.node)] * self.world.size(table)
        for path in expr.paths(fill.node):
            for row in self.world.rows_of(table):
                first[row.index] = max(first[row.index], self._at(row, path))
        return _firsts(first)

    def _at(self, row: Row | None, path: Path) -> int:
        """Return the first day of what stands at the end of a path."""
        for step in path[:-1]:
            row = self.world.follow(row, step) if row and step in self.world.tables[row.table] else None
        if row is None or path[-1] not in self.world.tables[row.table]:
            return 0
        return self.cell(Cell(row, path[-1], None))

    def _own_day(self, node: Node) -> int:
        """Return from when on an expression has the value that it has on the world's own day."""
        if isinstance(node, Const):
            return self.end if node.type == "date" and node.value == self.world.schema.as_of else 0
        if not isinstance(node, Call):
            return 0
        first = max(map(self._own_day, node.args), default=0)
        return date.fromordinal(first).replace(month=1, day=1).toordinal() if first and node.op == "yr" else first


def _firsts(days: Iterable[int]) -> Firsts:
    firsts = array("I", days)
    return firsts if any(firsts) else NONE


def _newest(groups: Sequence[Value], days: Firsts) -> dict[Value, int]:
    """Return the last day of each group that has one."""
    newest: dict[Value, int] = {}
    for group, day in zip(groups, days, strict=False):
        if day > newest.get(group, 0):
            newest[group] = day
    return newest


def _later(one: Firsts, other: Firsts) -> Firsts:
    return array("I", map(max, one, other)) if one and other else one or other
