"""What a schema file means: tables of columns with fills, rules over them, pages and questions.

Everything here is data with names resolved and expressions typed. `structure_of(schema, switches)` gives a
structure: the schema of one world, without the tables and columns that are absent there, so that later code
needn't know about switches.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from worldsmith.expr import Node, Ref, Type
from worldsmith.naming import KINDS
from worldsmith.naming import Kind as NameKind
from worldsmith.schema.knobs import DEFAULT_KNOBS, Knobs
from worldsmith.scoring.column import Column as AnswerColumn
from worldsmith.scoring.column import Kind

if TYPE_CHECKING:
    from worldsmith.schema.patterns import AskSource, Bank

Value = str | int | float | bool | None
"""A cell's value: text, whole number, decimal, truth value, ISO date as text, or null."""

Path = tuple[str, ...]
"""Column names from a table along its references: ("phone", "chip", "score") on `sale`."""

See = Literal["snippet", "page", "linked"]
Language = Literal["natural", "plain"]
"""How pages and questions are written: as people do, by a bank of patterns, or in a voice like code."""
WorldKind = Literal["time_shifted", "granular_long_tail", "private_simulation", "realistic_grounded"]


@dataclass(frozen=True, slots=True)
class Values:
    """One list of `[values]`: declared real names, plain values, or `n` invented names."""

    name: str
    items: tuple[Value, ...]
    real: bool
    invent: str | None
    n: int
    type: Type
    groups: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """The items by group, where they have groups."""


@dataclass(frozen=True, slots=True)
class Invent:
    """An invented name, unique in its column."""

    kind: str


@dataclass(frozen=True, slots=True)
class Pick:
    """One item of a list of `[values]`; `where` is evaluated on the row and may read the picked value."""

    values: str
    where: Node | None
    accent: bool = False
    """Whether it mostly goes with the sounds of the row's name: people of one country have names alike."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few options, by weight."""

    options: tuple[Value, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Chance:
    """True with probability `p`."""

    p: float


@dataclass(frozen=True, slots=True)
class Number:
    """A multiple of `step`, plus `offset`, in [lo, hi]; within `spread` of `mean` where one is given (a hard band).

    `skew` > 0 draws most values near the low end of the band, < 0 near the high end; the band stays the same.
    """

    lo: float
    hi: float
    step: float
    mean: Node | None
    spread: float
    skew: float = 0.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Date:
    """A day in [lo, hi]; `skew` as of a number."""

    lo: str
    hi: str
    skew: float = 0.0


@dataclass(frozen=True, slots=True)
class After:
    """A day `lo` to `hi` days after the date at `path`, not beyond `until`; null where that leaves no day.

    `skew` as of a number.
    """

    path: Path
    lo: int
    hi: int
    until: Node | None
    skew: float = 0.0


@dataclass(frozen=True, slots=True)
class Reference:
    """The key of a row of `table`: any that `where` allows, each taken `per` = (lo, hi) times, unevenly by `skew`."""

    table: str
    where: Node | None
    per: tuple[int, int] | None
    skew: float


@dataclass(frozen=True, slots=True)
class Aggregate:
    """count, sum or max of `column` over the rows of `table` whose `by` is this row, and for which `where` holds."""

    op: Literal["count", "sum", "max"]
    table: str
    column: str | None
    by: Path
    where: Node | None


@dataclass(frozen=True, slots=True)
class Rank:
    """Competition rank of `column`, largest first, among the rows that agree on `within` (all rows without one)."""

    column: str
    within: str | None


@dataclass(frozen=True, slots=True)
class Share:
    """Percentage of the group's total, largest remainders rounded up, ties by row order: groups sum to 100."""

    column: str
    within: str | None
    decimals: int


@dataclass(frozen=True, slots=True)
class Series:
    """A value that follows the one before it: along `along`, within `within`, by a step in [lo, hi] per cent."""

    start: tuple[float, float]
    along: str
    within: str | None
    drift: tuple[float, float]
    step: float


@dataclass(frozen=True, slots=True)
class Derive:
    """The value of an expression over the row and what it refers to (kinds `derive` and `text`)."""

    node: Node


@dataclass(frozen=True, slots=True)
class Faker:
    """A detail from an allow-listed Faker provider: never a key, never a name a question asks for."""

    provider: str


Fill = (
    Invent
    | Pick
    | Choice
    | Chance
    | Number
    | Date
    | After
    | Reference
    | Aggregate
    | Rank
    | Share
    | Series
    | Derive
    | Faker
)
COMPUTED = (Aggregate, Rank, Share, Derive)
"""Fills whose value follows from others; the rest are drawn."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: how it is filled, and how texts refer to it."""

    table: str
    name: str
    fill: Fill
    type: Type
    label: str
    """Header of the column in a table, without the unit."""
    says: str
    """Phrase for questions and sentences."""
    see: See
    """Where it is stated: also in snippets, on pages only, or only on the page of the row it refers to."""
    unit: str
    decimals: int
    missing: float
    """Chance of null."""
    none: str
    """What stands for null in a table."""
    switch: str | None
    key: bool
    ends: bool = False
    """Whether the row is over from this date on. Questions say that such rows count too."""

    @property
    def ref(self) -> str | None:
        """The table this column refers to."""
        return self.fill.table if isinstance(self.fill, Reference) else None

    @property
    def header(self) -> str:
        """The label with its unit, unless it is in the label already: "Battery (mAh)", "Days to release"."""
        in_label = f"({self.unit})" in self.label or self.unit.lower() in self.label.lower().split()
        return f"{self.label} ({self.unit})" if self.unit and not in_label else self.label

    @property
    def nullable(self) -> bool:
        """Whether the fill alone may give null (a derived null comes from what it reads)."""
        return self.missing > 0 or (isinstance(self.fill, After) and self.fill.until is not None)

    @property
    def name_like(self) -> bool:
        """Whether the values are names rather than measures: text that is no date."""
        return self.type == "text"

    def answer(self, *, header: str | None = None, key: bool = False, free: bool = False) -> AnswerColumn:
        """Return the column as the scorer sees it, under `header` (default: this column's own)."""
        kind: Kind = self.type
        labels: tuple[str, ...] = ()
        if isinstance(self.fill, Choice) and self.type == "text":
            kind, labels = "enum", tuple(str(o) for o in self.fill.options)
        return AnswerColumn(
            name=header or self.header,
            kind=kind,
            unit=self.unit,
            decimals=self.decimals,
            labels=labels,
            key=key,
            free=free,
            none=self.none,
        )


@dataclass(frozen=True, slots=True)
class Table:
    """A table: columns in written order, and `rows` = (lo, hi), its total."""

    name: str
    singular: str
    plural: str
    rows: tuple[int, int]
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    switch: str | None
    background: bool = False
    """Whether its rows are background: told on pages, asked for by no table task, counted apart."""
    _by_name: dict[str, Column] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {c.name: c for c in self.columns})

    def column(self, name: str) -> Column:
        """Return the column called `name`; KeyError where there is none."""
        return self._by_name[name]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in written order."""
        return tuple(self._by_name)

    @property
    def refs(self) -> tuple[Column, ...]:
        """The columns that refer to other rows."""
        return tuple(c for c in self.columns if c.ref)

    @property
    def of_people(self) -> bool:
        """Whether its rows are people."""
        fills = (self.column(name).fill for name in self.key)
        return any(isinstance(fill, Invent) and fill.kind == "person" for fill in fills)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(ABC):
    """A declared rule over `table`; its kinds are the classes in `rules.RULE_KINDS`. A row breaks it only when false.

    `columns`, `node` and `each` name all that a kind reads: the order of filling and repair go by them.
    """

    name: str
    table: str
    switch: str | None = None
    columns: tuple[str, ...] = ()
    """The row's own columns that it reads, besides those in `node`."""
    node: Node | None = None
    """The condition."""
    each: tuple[tuple[str, Aggregate], ...] = ()
    """Names that the condition may use for aggregates over child rows."""

    @property
    def redrawn_columns(self) -> tuple[str, ...]:
        """Those of `columns` that are drawn again in a row that breaks it."""
        return self.columns

    @property
    @abstractmethod
    def text(self) -> str:
        """The rule in words, as a check prints it."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a figure of the rows of `table` should be in worlds taken together. Two are equal with the same text."""

    name: str
    table: str
    figure: str
    """share, mean or trend."""
    text: str
    """It in words, as an audit prints it."""
    between: tuple[float, float]
    switch: str | None
    nodes: tuple[Node, ...] = field(compare=False)
    """A condition, a number, or the two that are compared."""
    where: Node | None = field(compare=False)


@dataclass(frozen=True, slots=True)
class ChildCells:
    """Cells of child rows on a page about their parent: `columns` of `table`, found by its reference `ref`."""

    table: str
    ref: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageSpec:
    """A page kind: about each row of a table, or listing the rows of a table by the values of a column."""

    name: str
    about: str | None
    list: str | None
    by: str | None
    show: tuple[str, ...]
    """Columns stated beside the key; for an `about` page all its `page` and `snippet` columns unless given."""
    sort: str | None
    children: tuple[ChildCells, ...]
    switch: str | None = None

    @property
    def table(self) -> str:
        """The table whose rows the page is about or lists."""
        return self.about or self.list or ""


@dataclass(frozen=True, slots=True)
class Questions:
    """Phrases for questions."""

    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Schema:
    """A schema, whole or one structure of it. Two are equal with the same digest, switches and knobs."""

    name: str
    kind: WorldKind
    as_of: str
    about: str
    values: Mapping[str, Values]
    variation: Mapping[str, float]
    tables: Mapping[str, Table]
    rules: tuple[Rule, ...]
    pages: tuple[PageSpec, ...]
    questions: Questions
    source: Mapping[str, Any]
    """The file as read (JSON values); `schema.json` of a world."""
    digest: str
    """sha256 of the source in canonical JSON, without `[expected]`, which makes no world another."""
    expected: tuple[Expectation, ...] = ()
    off: tuple[tuple[str, str], ...] = ()
    """Rules and pages that don't exist in this structure, each with the reason."""
    switches: frozenset[str] = field(default_factory=frozenset)
    whole: bool = True
    """Whether it is the whole schema with every table and column; a structure without switches is another."""
    knobs: Knobs = DEFAULT_KNOBS
    """The knobs it is under: its rows, `per` and `missing` are those of its worlds."""
    names: Mapping[str, NameKind] = field(default_factory=dict)
    """Kinds of names of its own."""
    bank: "Bank | None" = None
    """How people write about its rows; None in the plain language, and where the schema wasn't read from a file."""

    @property
    def background(self) -> frozenset[str]:
        """The names of the tables whose rows are background."""
        return frozenset(table.name for table in self.tables.values() if table.background)

    @property
    def name_kinds(self) -> Mapping[str, NameKind]:
        """The kinds of names that its columns and lists can have."""
        return {**KINDS, **self.names} if self.names else KINDS

    @property
    def language(self) -> Language:
        """The language that its worlds are written in unless another is asked for."""
        return "natural" if self.bank else "plain"

    @property
    def held_out(self) -> bool:
        """Whether its language file keeps it for tests."""
        return self.bank is not None and self.bank.source.held_out

    @property
    def _identity(self) -> tuple[object, ...]:
        return self.digest, self.switches, self.whole, len(self.tables), self.knobs, self.bank, self.expected

    def __repr__(self) -> str:
        """Return its name, and what of it there is."""
        on = f", on: {', '.join(sorted(self.switches))}" if self.switches else ""
        return f"Schema({self.name!r}, {len(self.tables)} tables{on}{f', {self.knobs}' if self.knobs.turned else ''})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def types(self) -> dict[str, dict[str, Type | Ref]]:
        """The types of columns by table and name, as expressions over its rows are read."""
        return {
            table.name: {c.name: Ref(c.ref, c.type) if c.ref else c.type for c in table.columns}
            for table in self.tables.values()
        }

    def column(self, table: str, name: str) -> Column:
        """Return a column; KeyError where there is none."""
        return self.tables[table].column(name)

    def walk(self, table: str, path: Path) -> Column:
        """Return the column at the end of `path` from `table`."""
        column = self.column(table, path[0])
        for step in path[1:]:
            column = self.column(column.ref or "", step)
        return column

    def has(self, table: str, path: Path) -> bool:
        """Tell whether there is a column at the end of `path` from `table`."""
        for step in path:
            if table not in self.tables or step not in self.tables[table].names:
                return False
            table = self.column(table, step).ref or ""
        return True

    def ask(self, column: Column) -> "AskSource | None":
        """Return how people ask for a column; None where no bank says it."""
        return self.bank.source.asks.get(f"{column.table}.{column.name}") if self.bank else None
