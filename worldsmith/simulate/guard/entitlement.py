"""What one unit may state: cells by row, by name, by printed form; and which rows a sentence is about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from worldsmith import scoring
from worldsmith.pages.types import Page, by_row
from worldsmith.schema import Schema, Value
from worldsmith.simulate.guard.names import ColumnId, Mention, columns_by_id
from worldsmith.simulate.guard.quantity import Quantity, states
from worldsmith.simulate.guard.text import clean, squeeze, squeezed, tokens
from worldsmith.world.model import Cell, Row, World


class Columns:
    """The columns of a schema as the scorer sees them, made once."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.scored = {place: column.answer() for place, column in columns_by_id(schema).items()}
        self.date = scoring.Column("", "date")

    def units(self, place: ColumnId) -> list[str]:
        """Return the ways to write a column's unit."""
        bank = self.schema.bank
        return [self.scored[place].unit, *(bank.words(*place).unit if bank else ())]

    def of(self, cell: Cell) -> scoring.Column:
        """Return the column of a cell."""
        return self.scored[cell.row.table, cell.col]


@dataclass(frozen=True)
class Facts:
    """The cells that a unit of `page` may state, indexed."""

    world: World
    columns: Columns
    cells: tuple[Cell, ...]
    subject: Row | None
    members: tuple[Row, ...]
    """The rows that the page lists: membership is stated by the page."""
    date: str | None
    judgements: dict[tuple[str, str], Any] = field(default_factory=dict, compare=False)
    """What was made of texts, by unit and text: pure, as long as no heading or query had a part in it."""

    @cached_property
    def rows(self) -> Mapping[Row, Mapping[str, Cell]]:
        """Cells by row and column."""
        return by_row(self.cells)

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables of all rows that the page may tell of or lists."""
        return frozenset(row.table for row in (*self.rows, *self.members))

    @cached_property
    def columns_held(self) -> frozenset[ColumnId]:
        """The columns of its cells."""
        return frozenset((cell.row.table, cell.col) for cell in self.cells)

    @cached_property
    def names(self) -> Mapping[str, Sequence[Cell]]:
        """Text cells by squeezed value."""
        names: dict[str, list[Cell]] = {}
        for cell in self.cells:
            if isinstance(cell.value, str) and self.columns.of(cell).kind in ("text", "enum"):
                names.setdefault(squeeze(cell.value), []).append(cell)
        return names

    @cached_property
    def cells_by_print(self) -> Mapping[str, Sequence[Cell]]:
        """Cells that are written in digits, by their printed form."""
        shown: dict[str, list[Cell]] = {}
        for cell in self.cells:
            column = self.columns.of(cell)
            digits = isinstance(cell.value, str) and cell.value.isdigit()  # a number plate, say
            if (digits or column.kind in ("int", "num", "date")) and cell.value is not None:
                shown.setdefault(scoring.show(cell.value, column), []).append(cell)
        return shown

    def _key(self, row: Row) -> tuple[Value, ...]:
        return self.world.key(row)

    @cached_property
    def implied_key_parts(self) -> frozenset[str]:
        """Key parts that need no saying: the subject's, and those that all listed rows share."""
        parts = {self.part(p) for p in self._key(self.subject)} if self.subject else set()
        if len(self.members) > 1:
            shared = [{self.part(p) for p in self._key(row)} for row in self.members]
            parts |= set.intersection(*shared)
        return frozenset(parts)

    @staticmethod
    def part(value: Value) -> str:
        """Return a key part in the form names are compared in; dates as they are."""
        return squeeze(value) if isinstance(value, str) and not _is_date(value) else str(value)

    @cached_property
    def keys(self) -> Mapping[Row, tuple[str, ...]]:
        """Key parts of every row that may be named, in the form they are compared in."""
        rows = dict.fromkeys([*self.rows, *self.members, *([self.subject] if self.subject else [])])
        return {row: tuple(self.part(p) for p in self._key(row)) for row in rows}

    @cached_property
    def key_parts(self) -> frozenset[str]:
        """Every part of those keys."""
        return frozenset(part for parts in self.keys.values() for part in parts)

    @cached_property
    def sayable_names(self) -> frozenset[str]:
        """Names that may be said: text values of the cells, and the subject's key."""
        own = {self.part(p) for p in self._key(self.subject)} if self.subject else set()
        return frozenset(own | set(self.names))

    def implied_parts_in(self, text: str) -> frozenset[str]:
        """Return the parts of `implied_key_parts` that a text names."""
        letters = squeezed(text)
        return frozenset(p for p in self.implied_key_parts if p in text or p in letters)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the text cells and of the subject's key, in lower case."""
        texts = [str(c.value) for cells in self.names.values() for c in cells]
        texts += [str(p) for p in (self._key(self.subject) if self.subject else ())]
        return frozenset(word for text in texts for word in tokens(clean(text)))

    @cached_property
    def shared_cells(self) -> tuple[Cell, ...]:
        """Cells whose value all listed rows share: what a page without a subject may say of its list as a whole."""
        if len(self.members) < 2:
            return tuple(self.cells) if len(self.rows) == 1 else ()
        held = [self.rows[row] for row in self.members if row in self.rows]
        return tuple(
            cell
            for row in self.members[:1]
            for cell in self.rows.get(row, {}).values()
            if all(cell.col in other and other[cell.col].value == cell.value for other in held)
        )

    def rows_named(
        self, mentions: Iterable[Mention], counted: Iterable[Quantity], topic: Sequence[Row]
    ) -> tuple[Row, ...]:
        """Return the rows a sentence is about: the subject, and those it names by all of their key.

        Key parts in `implied_key_parts` need no naming; where it names none, the rows of the last heading stand in.
        """
        own = [self.subject] if self.subject else []
        mentioned = {m.key for m in mentions}
        quantities = tuple(counted)
        if not mentioned and not quantities:
            return tuple(own + [row for row in topic if row != self.subject])
        named = [
            row
            for row, parts in self._fresh
            if all(part in mentioned or self._counted(value, quantities) for part, value in parts)
        ]
        return tuple(own + (named or [row for row in topic if row != self.subject]))

    @cached_property
    def _fresh(self) -> tuple[tuple[Row, tuple[tuple[str, Value], ...]], ...]:
        """The rows that a sentence may name, each with the parts of its key that must be said."""
        rows = []
        for row, parts in self.keys.items():
            pairs = zip(parts, self._key(row), strict=True)
            fresh = tuple((part, value) for part, value in pairs if part not in self.implied_key_parts)
            if fresh and row != self.subject:
                rows.append((row, fresh))
        return tuple(rows)

    def _counted(self, value: Value, quantities: tuple[Quantity, ...]) -> bool:
        if isinstance(value, str) and not _is_date(value) and not value.isdigit():
            return False
        text = str(value)
        column = self.columns.date if isinstance(value, str) and _is_date(value) else scoring.Column("", "int")
        return any(q.text == text or (q.kind == "date" and states(q, value, column)) for q in quantities)

    def cells_of(self, rows: Sequence[Row]) -> list[Cell]:
        """Return the cells of some rows; of no row, those that the whole list shares."""
        if not rows:
            return list(self.shared_cells)
        return [cell for row in rows for cell in self.rows.get(row, {}).values()]


def _is_date(value: str) -> bool:
    return len(value) == 10 and value[4] == value[7] == "-" and value[:4].isdigit()


def facts_of(world: World, columns: Columns, page: Page, cells: tuple[Cell, ...]) -> Facts:
    """Return what a unit of `page` that is entitled to `cells` may state."""
    return Facts(world, columns, cells, page.subject, page.rows, page.date)
