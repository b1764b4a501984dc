"""The parts of a schema file as written: names not yet resolved, expressions still text.

Pydantic holds the grammar: which keys exist, which options go with which fill, which values they take. `rules` adds
the rules, `syntax` the file as a whole and what is wrong with one; `files` turns it into the types of `types`.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

NAME = r"^[a-z][a-z0-9_]{0,39}$"
LINE = r"^[^\n\r|]+$"

OPTIONS: dict[str, frozenset[str]] = {
    "invent": frozenset(),
    "pick": frozenset({"where", "accent", "group"}),
    "choice": frozenset({"weights"}),
    "chance": frozenset(),
    "number": frozenset({"step", "mean", "spread", "skew", "decimals"}),
    "date": frozenset({"skew"}),
    "after": frozenset({"days", "until", "skew"}),
    "ref": frozenset({"where", "per", "skew"}),
    "count": frozenset({"where", "by"}),
    "sum": frozenset({"where", "by"}),
    "max": frozenset({"where", "by"}),
    "rank": frozenset({"within"}),
    "share": frozenset({"within", "decimals"}),
    "series": frozenset({"along", "within", "drift", "step", "decimals"}),
    "derive": frozenset({"decimals"}),
    "text": frozenset(),
    "faker": frozenset(),
}
"""Fill kinds, and the options each takes beside label, says, see, unit, if, missing, none and ends."""

NEEDS = (
    ("after", "days", "days = [1, 30]"),
    ("series", "along", 'along = "year"'),
    ("series", "drift", "drift = [-2, 5]"),
)
"""Options that a fill needs."""

DRAWN_NULL = frozenset({"pick", "choice", "number", "date", "after", "ref", "faker"})
"""Fills that `missing` may go with."""


class Strict(BaseModel):
    """No unknown keys; field docs from the strings under the fields."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


def _ordered_pair(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    if pair[0] > pair[1]:
        raise ValueError(f"[{pair[0]}, {pair[1]}] is empty: the first must not exceed the second")
    return pair


def _not_sqlite_name(name: str) -> str:
    if name.startswith("sqlite_"):
        raise ValueError(f"{name!r}: names that start with sqlite_ belong to SQLite")
    return name


Name = Annotated[str, Field(pattern=NAME), AfterValidator(_not_sqlite_name)]
Figure = Annotated[float, Field(strict=True, ge=-1e12, le=1e12, allow_inf_nan=False)]
Span = Annotated[tuple[Figure, Figure], AfterValidator(_ordered_pair)]
Whole = Annotated[int, Field(strict=True)]
Rows = Annotated[
    tuple[Annotated[Whole, Field(ge=1, le=5000)], Annotated[Whole, Field(le=5000)]], AfterValidator(_ordered_pair)
]
Times = Annotated[tuple[Annotated[Whole, Field(ge=0)], Whole], AfterValidator(_ordered_pair)]
Shift = Annotated[Whole, Field(ge=-40_000, le=40_000)]
Window = Annotated[tuple[Shift, Shift], AfterValidator(_ordered_pair)]
Days = Annotated[tuple[str, str], AfterValidator(_ordered_pair)]
Plain = str | bool | int | float


class ValuesSource(Strict):
    """A list of `[values]` that isn't a plain list."""

    real: list[str] | None = None
    """Real names, declared: brands, countries."""
    invent: str | None = None
    """Kind of invented names."""
    groups: dict[str, Annotated[list[Plain], Field(min_length=1)]] | None = None
    """Plain values in groups, each named by a value of another column: a pick's `group` leads to it."""
    n: int = Field(default=0, ge=0, le=500)
    """How many to invent."""

    @model_validator(mode="after")
    def _one(self) -> "ValuesSource":
        if sum(part is not None for part in (self.real, self.invent, self.groups)) != 1:
            raise ValueError("give one of real = [...], invent = kind with n, and groups = { name = [...] }")
        if self.invent and self.n < 1:
            raise ValueError("invent needs n, how many names")
        return self


Words = Annotated[list[Annotated[str, Field(min_length=1, max_length=40, pattern=LINE)]], Field(min_length=1)]


class NamesSource(Strict):
    """A kind of name of the schema's own, for `invent`."""

    forms: Words
    """Templates, equally likely: "{family} Infirmary". Slots: given, family, place and thing (invented words), number,
    model, letters, digits, and its own `parts` and `syllables`."""
    parts: dict[Name, Words | Span] = Field(default_factory=dict)
    """Ordinary words to choose one from, or whole numbers [lo, hi]."""
    syllables: dict[Name, Annotated[list[Words], Field(min_length=1)]] = Field(default_factory=dict)
    """Invented words: one syllable of each list, strung together; tested against the filter of real names."""


class ColumnSource(Strict):
    """A column: one fill and its options, and how texts refer to it."""

    invent: str | None = None
    """An invented name of this kind."""
    pick: str | None = None
    """One item of this list of `[values]`."""
    choice: list[Plain] | None = Field(default=None, min_length=1)
    """One of these, by `weights`."""
    chance: float | None = Field(default=None, ge=0, le=1)
    """True with this probability."""
    number: Span | None = None
    """A number in [lo, hi], whole unless `decimals`."""
    date: Days | None = None
    """A day in [lo, hi]."""
    after: str | None = None
    """A day `days` = [lo, hi] after the date at this path."""
    ref: str | None = None
    """A row of this table."""
    count: str | None = None
    """How many rows of this table refer here."""
    sum: str | None = None
    """The sum of this table.column over the rows that refer here."""
    max: str | None = None
    """The largest of this table.column over the rows that refer here."""
    rank: str | None = None
    """Competition rank by this column, largest first."""
    share: str | None = None
    """Percentage of this column's total."""
    series: Span | None = None
    """A value that starts in [lo, hi] and then drifts along another column."""
    derive: str | None = None
    """An expression."""
    text: str | None = None
    """A template: "{name} of {town}"."""
    faker: str | None = None
    """A detail from this Faker provider."""

    where: str | None = None
    """Which rows or items are allowed (ref, pick) or counted (count, sum, max)."""
    group: str | None = None
    """pick: the path to the value that names the group of the list to pick from."""
    accent: Annotated[bool, Field(strict=True)] = False
    """pick: whether it mostly goes with the sounds of the row's name, as countries do with those of people."""
    weights: list[Annotated[float, Field(gt=0)]] | None = None
    """Weights of `choice`."""
    step: float | None = Field(default=None, gt=0)
    """How far a number's values lie apart, from its low bound; by default its last digit."""
    decimals: int = Field(default=0, ge=0, le=6)
    """Digits after the point."""
    mean: str | None = None
    """Expression the number lies near."""
    spread: float | None = Field(default=None, gt=0)
    """How far from `mean` it may lie: a hard band."""
    days: Window | None = None
    """Days after, [lo, hi]."""
    until: str | None = None
    """Expression: the last day allowed; a window with no day gives null."""
    per: Times | None = None
    """How many rows refer to each row of the target, [lo, hi]."""
    skew: Annotated[float, Field(strict=True, ge=-3, le=3)] = 0.0
    """How unevenly they do (0 to 3); of a number or day, how far most lean to the low (> 0) or high (< 0) end."""
    by: str | None = None
    """Path from the counted rows to this one; needed when there are several."""
    within: str | None = None
    """Column whose values make the groups."""
    along: str | None = None
    """Column that orders a series."""
    drift: Span | None = None
    """Change from one value of a series to the next, in per cent."""

    label: str | None = Field(default=None, min_length=1, max_length=60, pattern=LINE)
    """Header in tables."""
    says: str | None = Field(default=None, min_length=1, max_length=80, pattern=LINE)
    """Phrase for questions."""
    see: Literal["snippet", "page", "linked"] = "page"
    """Where it is stated."""
    unit: str = Field(default="", max_length=20, pattern=r"^[^\n\r|]*$")
    """Unit of the number."""
    if_: str | None = Field(default=None, alias="if")
    """Switch of `[variation]` that the column depends on."""
    missing: float = Field(default=0.0, ge=0, lt=1)
    """Chance of null."""
    none: str = Field(default="", max_length=40, pattern=r"^[^\n\r|]*$")
    """What stands for null in a table."""
    ends: Annotated[bool, Field(strict=True)] = False
    """Whether the row is over from this date on: who has left, what is closed."""

    @property
    def kind(self) -> str:
        """The fill kind."""
        return next(kind for kind in OPTIONS if getattr(self, kind) is not None)

    @model_validator(mode="after")
    def _one_fill(self) -> "ColumnSource":
        kinds = [kind for kind in OPTIONS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            raise ValueError(f"give one fill, not {' and '.join(kinds) or 'none'}; fills: {', '.join(OPTIONS)}")
        kind = kinds[0]
        options = frozenset().union(*OPTIONS.values())
        for name in sorted(options & self.model_fields_set - OPTIONS[kind]):
            takes = ", ".join(sorted(OPTIONS[kind])) or "no options of its own"
            raise ValueError(f"{name} does not go with {kind}, which takes {takes}")
        if self.missing and kind not in DRAWN_NULL:
            raise ValueError(f"missing does not go with {kind}, only with {', '.join(sorted(DRAWN_NULL))}")
        if self.ends and kind not in {"date", "after"}:
            raise ValueError(f"ends does not go with {kind}: it marks a date, from which on a row is over")
        if self.missing and self.per:
            raise ValueError("missing does not go with per, which deals out all rows: leave one of them out")
        if self.see == "linked" and (kind != "ref" or self.missing):
            raise ValueError('see = "linked" is for a ref without missing: it is stated on the page it refers to')
        for name, needs in (("mean", "spread"), ("spread", "mean")):
            if getattr(self, name) is not None and getattr(self, needs) is None:
                raise ValueError(f"{name} needs {needs}: the two make a band, which is checked")
        for fill_kind, needs, example in NEEDS:
            if kind == fill_kind and getattr(self, needs) is None:
                raise ValueError(f"{kind} needs {needs}, as in {example}")
        if self.skew < 0 and kind == "ref":
            raise ValueError("skew of a ref goes from 0, evenly, to 3, very unevenly")
        if self.weights is not None and len(self.weights) != len(self.choice or ()):
            raise ValueError(f"{len(self.weights)} weights for {len(self.choice or ())} choices: give one for each")
        return self


class TableSource(Strict):
    """A table."""

    called: tuple[str, str]
    """Singular and plural, in words."""
    rows: Rows
    """Rows in all, [lo, hi]."""
    key: str | Annotated[list[str], Field(min_length=1)]
    """Column or columns that name a row."""
    if_: str | None = Field(default=None, alias="if")
    """Switch of `[variation]` that the table depends on."""
    columns: dict[Name, ColumnSource] = Field(min_length=1, max_length=60)
    """Columns in order."""
    background: Annotated[bool, Field(strict=True)] = False
    """Whether its rows are background: told on pages, asked for by no wide or hybrid task, counted apart."""


class EachSource(Strict):
    """An aggregate that the condition of an `each` rule may name."""

    count: str | None = None
    """How many rows of this table refer to the row."""
    sum: str | None = None
    """Sum of this table.column over them."""
    max: str | None = None
    """Largest of this table.column over them."""
    by: str | None = None
    """Path from them to the row."""
    where: str | None = None
    """Which of them."""


class PageSource(Strict):
    """A page kind."""

    about: str | None = None
    """A page for each row of this table."""
    list_: str | None = Field(default=None, alias="list")
    """Pages listing the rows of this table."""
    by: str | None = None
    """list: one list for each value of this column; a question may be scoped to it."""
    show: list[str] | None = None
    """Columns stated beside the key."""
    sort: str | None = None
    """list: column that orders the rows."""
    with_: dict[str, list[str] | Literal["*"]] = Field(default_factory=dict, alias="with")
    """Cells of child rows."""
    if_: str | None = Field(default=None, alias="if")
    """Switch of `[variation]` that the page depends on."""

    @model_validator(mode="after")
    def _one_kind(self) -> "PageSource":
        if (self.about is None) == (self.list_ is None):
            raise ValueError("give either about = table or list = table")
        if self.list_ is not None and (self.by is None or self.show is None):
            raise ValueError("a list page needs by (one list for each of its values) and show (its columns)")
        if self.about is not None and (self.by or self.sort):
            raise ValueError("by and sort go with list")
        return self


class QuestionsSource(Strict):
    """Phrases for questions."""

    version: Literal[1] = 1
    """Version of this part of the language."""
    needs: list[str] = Field(default_factory=lambda: ["I am collecting {many} for {about}."], min_length=1)
    """A person's need; {many}: the plural of what is asked for, {about}: the schema's `about`."""

    @model_validator(mode="after")
    def _placeholders(self) -> "QuestionsSource":
        for need in self.needs:
            try:
                need.format(many="", about="")
            except (KeyError, IndexError, ValueError):
                raise ValueError(f"{need!r} may hold {{many}} and {{about}} and no other braces") from None
        return self
