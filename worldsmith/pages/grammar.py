"""How the cells of a schema are put into words: values, labels, names of rows, and sentences with agreement."""

import re
from dataclasses import dataclass
from functools import cached_property

from worldsmith import scoring
from worldsmith.cache import cached_method
from worldsmith.lang.english import ENGLISH
from worldsmith.lang.morphology import Says, lower, plural, says
from worldsmith.lang.page_phrases import capital, fill
from worldsmith.schema import Column, Schema
from worldsmith.world.model import Cell

_GERUND = re.compile(r"\w+ing\b")


def names_unit(column: Column) -> bool:
    """Tell whether a column's label says its unit already: "Days to release", "Price (USD)"."""
    unit, label = column.unit.lower(), column.label.lower()
    return f"({unit})" in label or unit in label.split()


@dataclass(frozen=True, slots=True)
class Plan:
    """A sentence about one cell: the words `before` its value and `after` it; `kind` says how they make one."""

    kind: str
    before: str
    after: str = ""


class Phrasing:
    """Words for the cells of one schema. Pure in the schema; what costs is made once."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    @cached_property
    def columns(self) -> dict[tuple[str, str], Column]:
        """Columns by table and name."""
        return {(t.name, c.name): c for t in self.schema.tables.values() for c in t.columns}

    @cached_property
    def targets(self) -> dict[str, dict[str, str]]:
        """The tables that references lead to, by table and column."""
        return {t.name: {c.name: c.ref for c in t.columns if c.ref} for t in self.schema.tables.values()}

    @cached_property
    def answers(self) -> dict[tuple[str, str], scoring.Column]:
        """Columns as the scorer sees them."""
        return {place: column.answer() for place, column in self.columns.items()}

    @cached_property
    def plans(self) -> dict[tuple[str, str], tuple[Plan, ...]]:
        """Sentence plans by column."""
        return {
            place: _plans(column, self.schema.tables[column.table].singular) for place, column in self.columns.items()
        }

    def show(self, cell: Cell) -> str:
        """Return a value as tables print it, without its unit."""
        return scoring.show(cell.value, self.answers[cell.row.table, cell.col])

    def measure(self, cell: Cell) -> str:
        """Return a value with its unit: "5000 mAh", "12.3%"."""
        return self.show(cell) + ("" if cell.value is None else self._unit(cell.row.table, cell.col))

    def _unit(self, table: str, col: str) -> str:
        unit = self.columns[table, col].unit
        return unit if unit == "%" else f" {unit}" if unit else ""

    @cached_method
    def say(self, table: str, phrase: str) -> str:
        """Return a phrase filled with the nouns of a table."""
        nouns = self.schema.tables[table]
        return fill(phrase, nouns.singular, nouns.plural, self.schema.about)

    def pick(self, what: str, name: str, table: str, n: int) -> str:
        """Return the `n`-th of the language's `what` for `name`, with the nouns of a table; other slots stay."""
        phrases = getattr(ENGLISH, what)
        phrases = phrases[name] if name else phrases
        return self._with_nouns(table, phrases[n % len(phrases)])

    @cached_method
    def _with_nouns(self, table: str, phrase: str) -> str:
        nouns = self.schema.tables[table]
        for slot, noun in (("one", nouns.singular), ("many", nouns.plural)):
            phrase = phrase.replace(f"{{{slot}}}", noun).replace(f"{{{capital(slot)}}}", capital(noun))
        return phrase

    def called(self, table: str, keys: tuple[str, ...]) -> str:
        """Return the name of a row by the texts of its key: "Velmora 7", "the review of Velmora 7 by The Courier"."""
        if len(keys) == 1:
            return keys[0]
        form = self.schema.tables[table]
        parts = [f"{_joint(form.column(name))} {key}" for name, key in zip(form.key, keys, strict=False)]
        return f"the {form.singular} {' '.join(parts)}"

    def topics(self, places: tuple[tuple[str, str], ...]) -> tuple[tuple[tuple[str, str], str], ...]:
        """Return the labels of columns that can be named without being told: no keys, no truth values."""
        named = ((place, self.columns[place]) for place in dict.fromkeys(places))
        return tuple((place, c.label) for place, c in named if not c.key and c.type != "bool")

    def children_of(self, table: str, ref: str) -> str:
        """Return the words that stand before a parent's name over a table of its children: "Phones sold by"."""
        form = self.schema.tables[table]
        column = form.column(ref)
        if says(column.says).open:
            return f"{capital(form.plural)} {column.says}"
        return f"{capital(form.plural)} with {lower(column.label)}"


def _joint(column: Column) -> str:
    form = says(column.says)
    return column.says if form.open or form.leading else "of"


def _plans(column: Column, one: str) -> tuple[Plan, ...]:
    """Return the sentence plans that fit a column of `one`, from its type and its `says`; none for truth values.

    "is" and "was" follow the subject's name, "has" plans may share a verb, "own" follows a possessive, "of" comes
    before "of" and the name, "back" follows the value, "free" stands alone: see `pages.renderer.sentences`.
    """
    phrase, form, noun = column.says, says(column.says), lower(column.label)
    unit = "" if names_unit(column) else column.unit
    unit = unit if unit in {"", "%"} else f" {unit}"
    many = plural(column.label)
    doubled = noun.startswith(f"{one} ")  # "the festival's festival budget"
    if column.type == "bool":
        return ()
    if column.type == "date":
        if form.participle or form.gerund:
            return (
                # "recorded as leaving": the day may be past or to come.
                Plan("is" if form.gerund else "was", _dated(phrase, form)),
                *_lines(column.label, ""),
            )
        return _lines(column.label, "")
    if column.ref or column.type == "text":
        follows = form.open and (column.ref or not form.determined)
        own = () if doubled else (Plan("own", f"{noun} {'are' if many else 'is'}"),)
        return (Plan("is", phrase), *(() if many else own)) if follows else (*own, *_lines(column.label, ""))
    if many:
        measured = column.unit or column.type != "int"
        return (Plan("free", f"{noun} {'come to' if measured else 'number'}", unit), *_lines(column.label, unit))
    has = (Plan("has", phrase if form.open else f"{phrase} of", unit),) * 2 if form.determined else ()
    owned = () if doubled else (Plan("own", f"{noun} is", unit), Plan("of", noun, unit))
    stands = (*owned, Plan("free", f"{noun} stands at", unit))
    return (*has, *stands, *_lines(column.label, unit))


def _dated(phrase: str, form: Says) -> str:
    """Return what stands before a day: "opened on", "recorded as leaving on", "for the quarter ending"."""
    words = f"recorded as {phrase}" if _GERUND.match(phrase) else phrase
    return words if form.open else f"{words} on"


def _lines(label: str, unit: str) -> tuple[Plan, ...]:
    """Return plans that tell of a label what stands under it."""
    return (
        Plan("free", f'the line "{label}" reads', unit),
        Plan("back", f'under "{label}"', unit),
        Plan("free", f'under "{label}" the entry gives', unit),
    )
