"""The pattern bank of a schema: how people write about its rows, as data in `<name>.language.toml` beside it.

A pattern is text with slots. `{floor}` and `{street.parish}` are cells of the row that the pattern is about, in a form
that states them exactly, or after a colon in another form (`FORMS`): `{opened:year}`. `[is|was]` is present or past, by
whether the row is over; `[fault|faults@faults]` is singular or plural, by a number; `<ran|kept|looked after>` is one of
several wordings, to which a site keeps. A pattern without a slot of its table's key follows a sentence that names the
row.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Annotated, Any, Final, Literal

import orjson
from pydantic import Field, ValidationError, model_validator

from worldsmith import expr
from worldsmith.errors import ExprError, SchemaError, close_match
from worldsmith.expr import Node
from worldsmith.schema.source import Strict
from worldsmith.schema.syntax import shape_faults
from worldsmith.schema.types import ChildCells, Column, PageSpec, Path, Schema, Table

EXACT_FORMS: Final = ("", "n", "words", "a", "s")
"""Forms that state a cell: as running text has it, without its unit, spelled out, with an article, possessive."""
VAGUE_FORMS: Final = ("year", "month", "about", "surname")
"""Forms that hint at a cell: the year or month of a day, a number rounded, the last word of a name."""
FORMS: Final = (*EXACT_FORMS, *VAGUE_FORMS)
DESCRIBING_FORMS: Final = ("", "n", "a", "noun", "year")
"""Forms of a value that a description of a row is read back from: `noun` is what its column's `nouns` call it."""
SUBJECT: Final = "subject"
"""The slot for the name of what a world is about."""
_BRACKETS: Final = frozenset("{}[]<>|")
_PART = re.compile(r"\{([^{}]*)\}|\[([^\[\]|]*)\|([^\[\]|@]*)(?:@([a-z_0-9.]+))?\]|<([^<>{}\[\]]*\|[^<>{}\[\]]*)>")

Form = Literal["card", "article", "entries", "table", "thread"]
NULL_FORMS: Final = ("card", "table")
"""Forms that state a null under its label."""
Dates = Literal["iso", "long", "us", "short", "ordinal"]
Numbers = Literal["plain", "comma", "space", "apostrophe"]
Labels = Literal["list", "table", "text"]
"""How a card prints its labels: one per line, in a table of two columns, in running text."""
Order = Literal["file", "alphabet"]
"""The order of a card's labels: that of `show`, or the alphabet's."""
Split = Literal["all", "train", "test"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a cell: the path from the row to it, and the form it is written in."""

    path: Path
    form: str = ""

    @property
    def exact(self) -> bool:
        """Whether the form states the cell, rather than hinting at it."""
        return self.form not in VAGUE_FORMS


@dataclass(frozen=True, slots=True)
class Either:
    """One of two texts: the first in the present or for 1, the second in the past or for any other number."""

    first: str
    second: str
    path: Path = ()
    """The number that decides; none for the tense."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several wordings, without slots."""

    texts: tuple[str, ...]


Part = str | Slot | Either | OneOf


@dataclass(frozen=True)
class Pattern:
    """A text with slots for cells of a row of one table."""

    text: str
    parts: tuple[Part, ...]

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The paths of all slots, each once."""
        return tuple(dict.fromkeys(p.path for p in self.parts if isinstance(p, Slot | Either) and p.path))

    @cached_property
    def varies(self) -> bool:
        """Whether it has several wordings."""
        return any(isinstance(part, OneOf) for part in self.parts)

    @cached_property
    def exact(self) -> tuple[Path, ...]:
        """The paths of the slots that state their cells."""
        slots = (p for p in self.parts if isinstance(p, Slot) and p.exact and p.path != (SUBJECT,))
        return tuple(dict.fromkeys(slot.path for slot in slots))


@dataclass(frozen=True)
class Tell:
    """A sentence about a row of a table."""

    of: str
    genres: tuple[str, ...]
    """The genres it is written in; () for any."""
    pattern: Pattern
    when: Node | None
    """A condition on the row; null counts as false."""
    states: tuple[Path, ...]
    """Cells that its words state without a slot: a null, a truth value."""
    place: int
    """Its place in the file: sentences are told in this order."""
    test: bool = False
    """Whether it is held out: never on the sites that train."""

    @cached_property
    def stated(self) -> tuple[Path, ...]:
        """The cells it states, by a slot or in words of its own."""
        return tuple(dict.fromkeys((*self.pattern.exact, *self.states)))

    @cached_property
    def compiled(self) -> tuple[Callable[..., Any] | None, tuple[Path, ...]]:
        """Its condition as a function of the values of paths, and these; compiled once for all worlds."""
        return expr.compile_python(self.when) if self.when is not None else (None, ())

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: a compiled function can't be, and is compiled again."""
        return {name: value for name, value in self.__dict__.items() if name != "compiled"}

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """What its slots, its own words and its condition are about."""
        read = expr.paths(self.when) if self.when is not None else ()
        return tuple(dict.fromkeys((*self.pattern.paths, *self.states, *read)))


Text = Annotated[str, Field(min_length=1, max_length=500)]
"""A pattern as it is written."""


class SubjectSource(Strict):
    """What a world is about."""

    values: str
    """The list of `[values]` whose one name it bears."""
    text: str = Field(pattern=r"\{name\}")
    """How it is introduced: "the town of {name}"."""


class ColumnWords(Strict):
    """How a column is named and its values are written."""

    aka: list[str] = Field(default_factory=list)
    """Its labels on cards and in tables, without the unit; a site keeps to one."""
    unit: list[str] = Field(default_factory=list)
    """Ways to write its unit after a number: "m²", "square metres"; the scorer must read them."""
    means: str = ""
    """What exactly it is, where others are worded alike: "the shop's own floor, without yard and cellar"."""
    nouns: dict[str, str] = Field(default_factory=dict)
    """What a row is called that holds an option: { cycles = "bicycle shop" }."""


PLAIN_WORDS: Final = ColumnWords()
"""Of a column that the bank names no other way than the schema."""


class SiteLook(Strict):
    """Who publishes a site, and how it writes."""

    name: list[str] = Field(min_length=1)
    """Names to draw from; {subject} and {press} (an invented name) are filled in."""
    dates: list[Dates] = Field(default=["long"], min_length=1)
    numbers: list[Numbers] = Field(default=["plain"], min_length=1)
    labels: list[Labels] = Field(default=["list"], min_length=1)
    order: list[Order] = Field(default=["file"], min_length=1)
    imprint: list[str] = Field(default_factory=list)
    """Standing lines below a page: at most one is printed."""
    form: dict[Form, Form] = Field(default_factory=dict)
    """Forms that its pages take instead of those that they name."""


class SiteSource(SiteLook):
    """A kind of site."""

    test: SiteLook | None = None
    """The site as tests alone have it: what it doesn't set is that of the site."""

    @property
    def held_out(self) -> SiteLook | None:
        """The site as tests alone have it, whole."""
        if self.test is None:
            return None
        own = {name: getattr(self.test, name) for name in self.test.model_fields_set}
        return SiteLook(**{name: getattr(self, name) for name in SiteLook.model_fields} | own)


class PageSource(Strict):
    """A kind of page: about each row of a table, or about the rows that share a value of a column."""

    site: str
    form: Form
    genre: str = ""
    """The genre of its tells; the site's name unless given."""
    about: str | None = None
    list_: str | None = Field(default=None, alias="list")
    by: str | None = None
    sort: str | None = None
    show: list[str] = Field(default_factory=list)
    """Columns that it states beside the key; of an `about` page paths too: "street.parish"."""
    with_: dict[str, list[str] | Literal["*"]] = Field(default_factory=dict, alias="with")
    """Cells of rows that refer to the subject, by table."""
    when: str | None = None
    """Which rows of the table have such a page, or stand in the list."""
    share: float = Field(default=1.0, gt=0, le=1)
    """The share of those rows that have one, drawn."""
    title: list[Text] = Field(min_length=1)
    """Titles; of a list {scope} is the value that its rows share."""
    opening: list[Text] = Field(default_factory=list)
    """First sentences."""
    head: list[str] = Field(default_factory=list)
    """Columns that its hits may state beside the key."""
    if_: str | None = Field(default=None, alias="if")

    @property
    def table(self) -> str:
        """The table it is about, or lists."""
        return self.about or self.list_ or ""


class TellSource(Strict):
    """Sentences about a row of a table."""

    of: str
    genre: list[str] = Field(default_factory=list)
    when: str | None = None
    states: list[str] = Field(default_factory=list)
    text: list[Text] = Field(default_factory=list)
    test: list[Text] = Field(default_factory=list)

    @model_validator(mode="after")
    def _some(self) -> "TellSource":
        if not (self.text or self.test):
            raise ValueError(f"a tell of {self.of!r} has no sentence: give text = [...]")
        return self


class DescribeSource(Strict):
    """Noun phrases that describe a row instead of naming it: "the {line:noun} that took over from a {former.line}".

    A slot is a path from the row, or a column of a table whose rows refer to it: all slots of one such table are of
    one of its rows.
    """

    of: str
    text: list[Text] = Field(default_factory=list)
    test: list[Text] = Field(default_factory=list)


class AskSource(Strict):
    """How a person asks for a column, and by it: headers, and verb phrases about rows in the plural and singular."""

    header: list[str] = Field(default_factory=list)
    """Plain headers with the unit: "floor space (m2)"."""
    over: list[str] = Field(default_factory=list)
    """More or later than {v}: "[have|has] more than {v} of floor"."""
    under: list[str] = Field(default_factory=list)
    between: list[str] = Field(default_factory=list)
    """From {a} to {b}, both included."""
    equal: list[str] = Field(default_factory=list)
    """{v}: "[are|is] kept by {v}"; also how a question names its scope."""
    unequal: list[str] = Field(default_factory=list)
    null: list[str] = Field(default_factory=list)
    """It has no value: "[have|has] no landlord"."""
    present: list[str] = Field(default_factory=list)
    """It has one."""
    true: list[str] = Field(default_factory=list)
    false: list[str] = Field(default_factory=list)
    whose: list[str] = Field(default_factory=list)
    """References: what stands before a condition on the row referred to: "whose keeper"."""


EXAMPLES = {
    "language": "language = 1",
    "sites": '[sites.paper] with name = ["The {subject} Echo"]',
    "name": 'name = ["The {subject} Echo"]',
    "pages": "[pages.story] with site, form, about and title",
    "site": 'site = "paper"',
    "form": 'form = "article"',
    "title": 'title = ["{name}"]',
    "of": 'of = "shop"',
    "values": 'values = "town"',
    "text": 'text = "the town of {name}"',
}
"""How a key that is missing is written."""


class BankSource(Strict):
    """A language file."""

    language: Literal[1]
    """Version of the format."""
    split: Split = "all"
    """Which wordings it holds; a file holds all, a world perhaps those to train or those to test."""
    held_out: bool = False
    """Whether the schema is kept for tests: `generate --wordings train` leaves it out unless it is named."""
    derived: list[str] = Field(default_factory=list)
    """Columns, by "table.column", whose sentences or ways to ask are derived from the schema."""
    subject: SubjectSource | None = None
    columns: dict[str, ColumnWords] = Field(default_factory=dict)
    """By "table.column"."""
    sites: dict[str, SiteSource] = Field(min_length=1)
    pages: dict[str, PageSource] = Field(min_length=1)
    tells: list[TellSource] = Field(default_factory=list)
    describes: list[DescribeSource] = Field(default_factory=list)
    asks: dict[str, AskSource] = Field(default_factory=dict)
    """By "table.column"."""


@dataclass(frozen=True)
class Written:
    """A kind of page with its patterns read: see `PageSource`."""

    name: str
    source: PageSource
    titles: tuple[Pattern, ...]
    openings: tuple[Pattern, ...]
    when: Node | None
    children: tuple[tuple[str, str, tuple[str, ...]], ...]
    """(table, its reference to the subject, columns) of child rows."""

    @property
    def genre(self) -> str:
        """The genre of its tells."""
        return self.source.genre or self.source.site

    @cached_property
    def shown(self) -> tuple[Path, ...]:
        """The paths of `PageSource.show`."""
        return tuple(tuple(name.split(".")) for name in self.source.show)

    def formed(self, forms: Mapping[Form, Form]) -> "Written":
        """Return it in the form that its site makes of it."""
        form = forms.get(self.source.form)
        return self if form is None else replace(self, source=self.source.model_copy(update={"form": form}))

    def spec(self, schema: Schema) -> PageSpec:
        """Return what it tells of whole lists: nothing where a condition may leave rows out."""
        source, tables = self.source, schema.tables
        children = tuple(
            ChildCells(table, ref, tuple(c for c in columns if c in tables[table].names))
            for table, ref, columns in self.children
            if table in tables and ref in tables[table].names
        )
        listed = source.list_ if source.when is None else None
        return PageSpec(self.name, source.about, listed, source.by, tuple(source.show), source.sort, children)


@dataclass(frozen=True)
class Describe:
    """A noun phrase that describes a row of a table: see `DescribeSource`."""

    of: str
    pattern: Pattern
    test: bool


@dataclass(frozen=True)
class Bank:
    """The patterns of a schema. Two are equal with the same digest."""

    source: BankSource
    digest: str
    pages: tuple[Written, ...] = field(compare=False)
    tells: tuple[Tell, ...] = field(compare=False)
    describes: tuple[Describe, ...] = field(compare=False)
    data: Mapping[str, Any] = field(compare=False)
    """The file as read (JSON values); `language.json` of a world."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bank) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def split(self) -> Split:
        """Which wordings it holds."""
        return self.source.split

    def words(self, table: str, column: str) -> ColumnWords:
        """Return how a column is named and written."""
        return self.source.columns.get(f"{table}.{column}") or PLAIN_WORDS


def wordings_of(data: Mapping[str, Any], split: Split) -> dict[str, Any]:
    """Return a bank's data with the wordings of one split alone: `test` holds what `train` never shows.

    Sentences are split by their lists `text` and `test`, sites by their table `test`; of labels, titles, openings and
    ways to ask (and of names of sites without such a table) the last of several is for tests. A part that one split has
    no wording of keeps the other's.
    """
    if split == "all":
        return dict(data)

    def kept(texts: list[str]) -> list[str]:
        return texts if len(texts) < 2 else texts[:-1] if split == "train" else texts[-1:]

    def with_sentences(tell: Mapping[str, Any]) -> dict[str, Any]:
        ours, others = ("text", "test") if split == "train" else ("test", "text")
        return {**tell, "text": tell.get(ours) or tell.get(others) or [], "test": []}

    def one_look(site: Mapping[str, Any]) -> dict[str, Any]:
        ours = {key: value for key, value in site.items() if key != "test"}
        if "test" in site:
            return ours if split == "train" else {**ours, **site["test"]}
        return {key: kept(value) if key in {"name", "imprint"} else value for key, value in ours.items()}

    def listed(part: str, names: Collection[str]) -> dict[str, Any]:
        return {
            name: {
                key: kept(value) if key in names and isinstance(value, list) else value for key, value in item.items()
            }
            for name, item in data.get(part, {}).items()
        }

    return {
        **data,
        "split": split,
        "sites": {name: one_look(site) for name, site in data.get("sites", {}).items()},
        "pages": listed("pages", ("title", "opening")),
        "columns": listed("columns", ("aka",)),
        # Headers are one for all: the first stands in sentences.
        "asks": listed("asks", tuple(name for name in AskSource.model_fields if name != "header")),
        **{part: list(map(with_sentences, data[part])) for part in ("tells", "describes") if part in data},
    }


@lru_cache(maxsize=1 << 14)
def read_pattern(text: str, forms: tuple[str, ...] = FORMS) -> Pattern:
    """Return a pattern; ValueError for a slot that is none. Titles are read again for every page that bears one."""
    parts: list[Part] = []
    at = 0
    for match in _PART.finditer(text):
        parts += [text[at : match.start()]] if match.start() > at else []
        at = match.end()
        if match[1] is not None:
            name, _, form = match[1].partition(":")
            if form not in forms:
                raise ValueError(f"no form {form!r}: {close_match(form, forms)}")
            parts.append(Slot(tuple(name.split(".")), form))
        elif match[5] is not None:
            parts.append(OneOf(tuple(match[5].split("|"))))
        else:
            parts.append(Either(match[2], match[3], tuple(match[4].split(".")) if match[4] else ()))
    parts += [text[at:]] if at < len(text) else []
    if any(isinstance(part, str) and not _BRACKETS.isdisjoint(part) for part in parts):
        raise ValueError("a bracket is not closed, or stands alone")
    return Pattern(text, tuple(parts))


def read_bank(data: Mapping[str, Any], schema: Schema, where: str) -> Bank:
    """Return the bank that `data` (JSON values) holds for a schema.

    Raises SchemaError: which part of the file is wrong, why, and the fix.
    """
    try:
        source = BankSource.model_validate(data)
    except ValidationError as error:
        faults = shape_faults(data, error, BankSource, lambda place: f"{where}: {place}", EXAMPLES)
        raise SchemaError(faults) from None
    return _Reading(schema, source, where).bank(data)


def owner_reference(child: Table, table: str) -> Column | None:
    """Return the column by which rows of one table are told of with a row of another: the only one, or that of its key.

    None where there is none, or several.
    """
    refs = [ref for ref in child.refs if ref.ref == table]
    refs = refs if len(refs) == 1 else [ref for ref in refs if ref.key]
    return refs[0] if len(refs) == 1 else None


class _Reading:
    """Reads one bank: looks names up in the schema and compiles patterns and conditions."""

    def __init__(self, schema: Schema, source: BankSource, where: str) -> None:
        self.schema, self.source, self.where = schema, source, where
        self.types = schema.types
        self.conditions: dict[tuple[str, str], Node] = {}
        """Conditions by their text and table: many sentences share one."""
        self.paths: set[tuple[str, Path]] = set()
        """Paths from tables that lead to a column."""

    def fail(self, place: str, text: str) -> SchemaError:
        return SchemaError(f"{self.where}: {place}: {text}")

    def bank(self, data: Mapping[str, Any]) -> Bank:
        subject = self.source.subject
        if subject is not None and subject.values not in self.schema.values:
            raise self.fail(
                "subject.values", f"no list {subject.values!r}.{close_match(subject.values, self.schema.values)}"
            )
        for part in ("columns", "asks"):
            for place in getattr(self.source, part):
                table, _, column = place.partition(".")
                self.path(table, column, f"{part}.{place}")
        for name, site in self.source.sites.items():
            self.site(name, site)
        pages = tuple(self.page(name, page) for name, page in self.source.pages.items())
        digest = sha256(orjson.dumps(data)).hexdigest()
        tells = tuple(self.tells({page.genre for page in pages}))
        return Bank(self.source, digest, pages, tells, tuple(self.describes()), data)

    def site(self, name: str, site: SiteSource) -> None:
        looks = [site, *([site.test] if site.test else [])]
        texts = [text for look in looks for text in (*look.name, *look.imprint)]
        if self.source.subject is None and any("{subject}" in text for text in texts):
            raise self.fail(f"sites.{name}", "{subject} stands in a name or imprint, and there is no [subject]")
        if site.test is None:
            return
        for key in site.test.model_fields_set - {"form"}:
            shared = [value for value in getattr(site.test, key) if value in getattr(site, key)]
            if shared:
                raise self.fail(f"sites.{name}.test.{key}", f"{shared[0]!r} is shown in training too: take another one")

    def table(self, name: str, place: str) -> None:
        if name not in self.schema.tables:
            raise self.fail(place, f"no table {name!r}.{close_match(name, self.schema.tables)}")

    def path(self, table: str, dotted: str, place: str) -> Path:
        self.table(table, place)
        steps, here = tuple(dotted.split(".")), table
        for i, step in enumerate(steps):
            names = self.schema.tables[here].names if here in self.schema.tables else ()
            if step not in names:
                raise self.fail(place, f"no column {step!r} in {here!r}.{close_match(step, names)}")
            column = self.schema.column(here, step)
            if i < len(steps) - 1 and column.ref is None:
                raise self.fail(place, f"{step!r} of {here!r} is no reference, so {dotted!r} leads nowhere")
            here = column.ref or here
        self.paths.add((table, steps))
        return steps

    def pattern(self, text: str, table: str, place: str, extra: tuple[str, ...] = ()) -> Pattern:
        try:
            pattern = read_pattern(text)
        except ValueError as error:
            raise self.fail(place, f"{error} in {text!r}") from None
        if (SUBJECT,) in pattern.paths and self.source.subject is None:
            raise self.fail(
                place, f"{text!r} names the subject, and there is none: give [subject], or leave {{subject}} out"
            )
        for path in pattern.paths:
            if (table, path) not in self.paths and path[0] not in extra:
                self.path(table, ".".join(path), f"{place}: {text!r}")
        return pattern

    def condition(self, text: str | None, table: str, place: str) -> Node | None:
        if text is None:
            return None
        if (text, table) not in self.conditions:
            try:
                node = expr.parse(text, table, self.types, as_of=self.schema.as_of, want="bool")
            except ExprError as error:
                raise self.fail(place, str(error)) from None
            self.conditions[text, table] = node
        return self.conditions[text, table]

    def page(self, name: str, page: PageSource) -> Written:
        place = f"pages.{name}"
        if (page.about is None) == (page.list_ is None) or (page.list_ is None) != (page.by is None):
            raise self.fail(place, "give either about = table, or list = table and by = column")
        if page.site not in self.source.sites:
            raise self.fail(place, f"no site {page.site!r}.{close_match(page.site, self.source.sites)}")
        self.table(page.table, place)
        site = self.source.sites[page.site]
        for look in (site, *([site.test] if site.test else [])):
            self.form(page, look.form.get(page.form, page.form), place)
        for column in (*page.show, *page.head, *filter(None, (page.by, page.sort))):
            self.path(page.table, column, place)
        children = []
        for child, columns in page.with_.items():
            table, _, ref = child.partition(".")
            self.table(table, place)
            refs = [c.name for c in self.schema.tables[table].refs if c.ref == page.table]
            if ref not in refs if ref else len(refs) != 1:
                raise self.fail(place, f"how {table!r} leads to {page.table!r} is not clear: write {table}.REFERENCE")
            every = tuple(c.name for c in self.schema.tables[table].columns if c.name != (ref or refs[0]))
            names = every if columns == "*" else tuple(columns)
            for column in names:
                self.path(table, column, place)
            children.append((table, ref or refs[0], names))
        extra = (SUBJECT, "scope", "name")
        titles = tuple(self.pattern(text, page.table, f"{place}.title", extra) for text in page.title)
        openings = tuple(self.pattern(text, page.table, f"{place}.opening", extra) for text in page.opening)
        return Written(name, page, titles, openings, self.condition(page.when, page.table, place), tuple(children))

    def form(self, page: PageSource, form: Form, place: str) -> None:
        if page.list_ and form not in {"entries", "table", "thread"}:
            raise self.fail(place, f"a list can't be a page of form {form!r}: take entries, table or thread")
        if page.form in NULL_FORMS and form not in NULL_FORMS:
            raise self.fail(place, f"its site makes it {form!r}, which states no null: take {' or '.join(NULL_FORMS)}")

    def tells(self, genres: set[str]) -> Iterator[Tell]:
        number = 0
        for i, source in enumerate(self.source.tells):
            place = f"tells[{i}]"
            self.table(source.of, place)
            for genre in source.genre:
                if genre not in genres:
                    raise self.fail(place, f"no page is of genre {genre!r}.{close_match(genre, genres)}")
            when = self.condition(source.when, source.of, place)
            states = tuple(self.path(source.of, name, place) for name in source.states)
            for test, texts in ((False, source.text), (True, source.test)):
                for text in texts:
                    pattern = self.pattern(text, source.of, place, (SUBJECT,))
                    yield Tell(source.of, tuple(source.genre), pattern, when, states, number, test)
                    number += 1

    def describes(self) -> Iterator[Describe]:
        for i, source in enumerate(self.source.describes):
            self.table(source.of, f"describes[{i}]")
            for test, texts in ((False, source.text), (True, source.test)):
                yield from (Describe(source.of, self.description(t, source.of, f"describes[{i}]"), test) for t in texts)

    def description(self, text: str, table: str, place: str) -> Pattern:
        try:
            pattern = read_pattern(text, DESCRIBING_FORMS)
        except ValueError as error:
            raise self.fail(place, f"{error} in {text!r}") from None
        if not any(isinstance(part, Slot) for part in pattern.parts):
            raise self.fail(place, f"{text!r} says nothing of the row: give it a slot")
        for part in pattern.parts:
            if isinstance(part, Either):
                raise self.fail(place, f"{text!r} is read back, so it has no choices: write one of them")
            if isinstance(part, Slot):
                self.described_column(part, table, f"{place}: {text!r}")
        return pattern

    def described_column(self, slot: Slot, table: str, place: str) -> None:
        first = slot.path[0]
        child = self.schema.tables.get(first) if first not in self.schema.tables[table].names else None
        if child is not None and len(slot.path) == 2:
            owner = owner_reference(child, table)
            if owner is None:
                raise self.fail(place, f"it is not clear which column of {first!r} refers to {table!r}")
            if owner.name == slot.path[1]:
                raise self.fail(place, f"{first}.{owner.name} names the row: describe it by something else")
            self.path(first, slot.path[1], place)
            column = self.schema.column(first, slot.path[1])
        else:
            self.path(table, ".".join(slot.path), place)
            column = self.schema.walk(table, slot.path)
        if slot.form == "year" and column.type != "date":
            raise self.fail(place, f"{column.name!r} has no year: it is no date")
        if slot.form == "noun" and not self.source.columns.get(f"{column.table}.{column.name}", PLAIN_WORDS).nouns:
            raise self.fail(place, f'no nouns: give [columns."{column.table}.{column.name}"] its nouns = {{ … }}')
