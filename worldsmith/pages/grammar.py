"""How the cells of a schema are put into words: values, labels, names of rows, and sentences with agreement."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from worldsmith import scoring
from worldsmith.lang.english import ENGLISH, LANGUAGES
from worldsmith.lang.page_phrases import PHRASES, capital, fill
from worldsmith.schema import Column, Invent, Schema
from worldsmith.world.model import Cell

_HEAD_ENDS = re.compile(r"\b(of|in|to|per|by|for|from|on|at|with|since|using|listed|sold|held|kept|made|won)\b|\(")
_SINGULAR_S = ("ss", "us", "is")
_DETERMINER = re.compile(r"(a|an|the) ", re.IGNORECASE)
_PARTICIPLE = re.compile(r"(\w+(ed|en|wn|rn|lt|ld|ht|nt|un|de|id|ung|ost)|lit|set|cut|put|shut|won)\b")
_LEADING = re.compile(r"(of|in|to|by|for|from|on|at|with|under)\b")
_OPEN = re.compile(r"(^|\s)(of|in|to|by|for|from|on|at|with|under|upon|into|ending|until|since|year)$")
_VOWEL = re.compile(r"(?!uni(?![nm])|use|usu|eu|ewe|one\b|once\b)[aeiou]|hour|honest|honou?r|heir")
_SPELLED = re.compile(r"[AEFHILMNORSX]")
_ODD = re.compile(r"[()]|\b(since|kept|let|using|sold|held|reached|won)\b", re.IGNORECASE)
_GERUND = re.compile(r"\w+ing\b")


@dataclass(frozen=True, slots=True)
class Says:
    """What a column's phrase is, so that pages and questions put it into sentences alike."""

    open: bool
    """A value comes straight after it: "sold by", "in the year"."""
    leading: bool
    """It starts with a preposition: "for the quarter"."""
    determined: bool
    """A noun with its article: "a battery"."""
    participle: bool
    """It starts with what was done: "announced"."""
    gerund: bool
    """It starts with, or leads up to, what is being done: "expiring", "for the quarter ending"."""


@lru_cache(maxsize=4096)
def says(phrase: str) -> Says:
    """Return what a column's phrase is."""
    open_ = _OPEN.search(phrase) is not None
    return Says(
        open_,
        _LEADING.match(phrase) is not None,
        _DETERMINER.match(phrase) is not None,
        _PARTICIPLE.match(phrase) is not None,
        _GERUND.match(phrase) is not None or (open_ and phrase.endswith("ing")),
    )


def names_unit(column: Column) -> bool:
    """Tell whether a column's label says its unit already: "Days to release", "Price (USD)"."""
    unit, label = column.unit.lower(), column.label.lower()
    return f"({unit})" in label or unit in label.split()


def article(noun: str) -> str:
    """Return the noun with "a" or "an", as it is spoken: an hour, a unit, an RPG."""
    first = noun.split(" ", 1)[0]
    vowel = _SPELLED.match(first) if first.isupper() and len(first) > 1 else _VOWEL.match(first.lower())
    return f"{'an' if vowel else 'a'} {noun}"


def lower(label: str) -> str:
    """Return a label as it stands inside a sentence: "Launch price" small, "RAM" and "GDP share" as they are."""
    first = label.split(" ", 1)[0]
    return label if any(c.isupper() or c.isdigit() for c in first[1:]) else label[:1].lower() + label[1:]


def plural(label: str) -> bool:
    """Tell whether the head noun of a label is a plural: "Units sold", "Foldable phones", not "Battery"."""
    head = _HEAD_ENDS.split(label, maxsplit=1)[0].split()
    while len(head) > 1 and head[-1].endswith("ed"):
        head.pop()
    return bool(head) and head[-1].endswith("s") and not head[-1].endswith(_SINGULAR_S)


def term(label: str) -> str:
    """Return a label as a sentence names it: a noun as it stands inside one, other words in quotes."""
    form, words = says(lower(label)), label.split()
    odd = form.participle or form.gerund or form.leading or len(words) > 3 or _ODD.search(label)
    return f'"{label}"' if odd else lower(label)


def listing(parts: tuple[str, ...] | list[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


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
        self.phrases = PHRASES.get(schema.lang, PHRASES["en"])
        self.language = LANGUAGES.get(schema.lang, ENGLISH)
        self._said: dict[tuple[str, str], str] = {}

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

    def say(self, table: str, phrase: str) -> str:
        """Return a phrase filled with the nouns of a table."""
        if "{" not in phrase:
            return phrase
        found = self._said.get((table, phrase))
        if found is None:
            nouns = self.schema.tables[table]
            found = self._said[table, phrase] = fill(phrase, nouns.singular, nouns.plural, self.schema.about)
        return found

    def pick(self, what: str, name: str, table: str, n: int) -> str:
        """Return the `n`-th of a language's `what` for `name`, with the nouns of a table; other slots stay."""
        told = getattr(self.language, what)
        told = told[name] if name else told
        phrase = told[n % len(told)]
        if "{" not in phrase:
            return str(phrase)
        found = self._said.get((table, phrase))
        if found is None:
            nouns, found = self.schema.tables[table], phrase
            for slot, noun in (("one", nouns.singular), ("many", nouns.plural)):
                found = found.replace(f"{{{slot}}}", noun).replace(f"{{{capital(slot)}}}", capital(noun))
            self._said[table, phrase] = found
        return str(found)

    def called(self, table: str, keys: tuple[str, ...]) -> str:
        """Return the name of a row by the texts of its key: "Velmora 7", "the review of Velmora 7 by The Courier"."""
        if len(keys) == 1:
            return keys[0]
        form = self.schema.tables[table]
        parts = [f"{_joint(form.column(name))} {key}" for name, key in zip(form.key, keys, strict=False)]
        return f"the {form.singular} {' '.join(parts)}"

    def person(self, table: str) -> bool:
        """Tell whether the rows of a table are people, who are no "it"."""
        form = self.schema.tables[table]
        return any(
            isinstance(fill, Invent) and fill.kind == "person" for fill in (form.column(n).fill for n in form.key)
        )

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
    told = f"recorded as {phrase}" if _GERUND.match(phrase) else phrase
    return told if form.open else f"{told} on"


def _lines(label: str, unit: str) -> tuple[Plan, ...]:
    """Return plans that tell of a label what stands under it."""
    return (
        Plan("free", f'the line "{label}" reads', unit),
        Plan("back", f'under "{label}"', unit),
        Plan("free", f'under "{label}" the entry gives', unit),
    )


def singular_unit(unit: str) -> str:
    """Return a unit as it follows 1: "year", "crown"; abbreviations ("s", "nmi", "GB") as they are."""
    return unit[:-1] if len(unit) > 3 and unit.endswith("s") and not unit.endswith(("ss", "ches", "shes")) else unit
