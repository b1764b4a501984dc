"""Sentences as an honest writer, or a liar, forms them from rows; they know nothing of our grammar.

`cases/faithful_*.txt` and `cases/lies.txt` hold them as format strings. Half of them, by plan, are for tuning the
guard; the other half is held out: it is only measured.
"""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Literal

from worldsmith.pages.types import Page
from worldsmith.world.model import World

CASES = Path(__file__).parent / "cases"
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NTH = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
TENS = (
    "noughties",
    "tens",
    "twenties",
    "thirties",
    "forties",
    "fifties",
    "sixties",
    "seventies",
    "eighties",
    "nineties",
)
Half = Literal["tuning", "heldout"]
HALVES: tuple[Half, Half] = ("tuning", "heldout")
Scalar = str | int | float | bool


class AbsentError(Exception):
    """The sentence needs what the page does not have."""


def nth(n: int) -> str:
    return f"{n}{'th' if n % 100 in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def day(value: date, spec: str) -> str:
    month = calendar.month_name[value.month]
    return {
        "": f"{value.day} {month} {value.year}",
        "long": f"{value.day} {month} {value.year}",
        "us": f"{month} {value.day}, {value.year}",
        "iso": value.isoformat(),
        "month": f"{month} {value.year}",
        "year": f"{value.year}",
        "short": f"{value.day} {month[:3]} {value.year}",
        "ord": f"the {nth(value.day)} of {month} {value.year}",
        "decade": f"{value.year // 10 * 10}s",
        "decadeword": TENS[value.year // 10 % 10],
        "monthname": month,
    }[spec]


def _step(value: float) -> int:
    return int(10 ** max(len(str(int(value))) - 2, 0))


def _word(value: float) -> str:
    return WORDS[int(value)] if value in range(13) else f"{value:,}"


def _some(n: int, noun: str) -> str:
    return f"{n} {noun}{'s' * (n != 1)}"


NUMBERS: dict[str, Callable[[float], str]] = {
    "": lambda v: f"{v:,}" if abs(v) > 9999 else f"{v}",
    "w": _word,
    "nw": lambda v: _word(v).capitalize(),
    "r": lambda v: f"{round(v / _step(v)) * _step(v):,}",
    "over": lambda v: f"{int((v - 1) // _step(v)) * _step(v):,}",
    "under": lambda v: f"{int(v // _step(v) + 1) * _step(v):,}",
    "km": lambda v: f"{v / 1000:g}",
    "kg": lambda v: f"{v / 1000:g}",
    "mil": lambda v: f"{v / 1e6:.1f}",
    "milk": lambda v: f"{v / 1e3:g}",
    "milr": lambda v: f"{v / 1e3:.1f}",
    "x1000": lambda v: f"{int(v) * 1000:,}",
    "hmw": lambda v: f"{_some(int(v) // 60, 'hour')} and {_some(int(v) % 60, 'minute')}",
    "ord": lambda v: nth(int(v)),
    "nth": lambda v: NTH[int(v)] if 0 < v <= 10 else nth(int(v)),
    "decade": lambda v: f"{int(v) // 10 * 10}s",
    "decadeword": lambda v: TENS[int(v) // 10],
    "year": lambda v: f"{int(v)}",
}


def shown(value: object, spec: str = "") -> str:
    """Return a value in one of the forms above; raises AbsentError for a null."""
    if value is None:
        raise AbsentError("null")
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        return day(date.fromisoformat(value), spec)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return NUMBERS[spec](value)
    return str(value)


@dataclass
class Value:
    """A value as a sentence refers to it: in a form, as a span to another column, or near it and false."""

    value: object
    cells: dict[str, object]
    how: str = ""

    def __getattr__(self, name: str) -> object:
        if self.value is None:
            raise AbsentError(name)
        if name.startswith("to_"):
            end = self.cells.get(name[3:])
            if end is None:
                raise AbsentError(name)
            return (date.fromisoformat(str(end)) - date.fromisoformat(str(self.value))).days
        return Value(self.value, self.cells, name)

    def __format__(self, spec: str) -> str:
        value = self.value
        if value is None or not self.how:
            return shown(value, spec)
        if self.how in ("more", "off"):
            return shown(value + (2 if self.how == "more" else 25), spec)  # type: ignore[operator]
        if isinstance(value, int):
            return shown(value + 12, spec)
        known = date.fromisoformat(str(value))
        if self.how == "nextday":
            return day(known + timedelta(days=1), spec)
        return day(date(known.year + (11 if spec == "decade" else 2), (known.month + 3) % 12 + 1, 15), spec)


@dataclass
class Record:
    """A row as far as a page tells it."""

    table: str
    index: int
    key: str
    cells: dict[str, object]


def records(page: Page, world: World) -> list[Record]:
    """Return the rows that a page tells of, in its order."""
    rows: dict[object, Record] = {}
    for cell in page.cells:
        row = cell.row
        if row not in rows:
            rows[row] = Record(row.table, row.index, "", {})
        rows[row].cells[cell.col] = cell.value
    for record in rows.values():
        key = world.schema.tables[record.table].key
        record.key = ", ".join(shown(record.cells.get(k, "")) for k in key)
    return list(rows.values())


class Told(dict[str, object]):
    """What a sentence may use of a page: its subject's columns, its other rows, and their first and last."""

    def __init__(self, page: Page, world: World) -> None:
        super().__init__()
        every = records(page, world)
        own = [r for r in every if page.subject is not None and (r.table, r.index) == tuple(page.subject)]
        self.page = page
        self.subject = own[0] if own else None
        self.others = [r for r in every if r not in own]
        self.scope = self.others[0].cells.get(page.scope) if page.scope and self.others else None

    def __missing__(self, name: str) -> object:
        if name in ("rows", "kids"):
            return Rows(self)
        if name == "scope" and self.page.scope:
            return Value(self.scope, {})
        if name[:3] in ("hi_", "lo_"):
            return self._extreme(name[3:], last=name[:2] == "hi")
        if self.subject is None:
            raise AbsentError(name)
        if name == "key":
            return Value(self.subject.key, {})
        return Value(self.subject.cells.get(name), self.subject.cells)

    def _extreme(self, col: str, *, last: bool) -> "Of":
        having = sorted(
            (r for r in self.others if r.cells.get(col) is not None), key=lambda r: r.cells[col], reverse=last
        )  # type: ignore[arg-type, return-value]
        if len(having) < 2 or having[0].cells[col] == having[1].cells[col]:
            raise AbsentError(col)
        return Of(having[0])


@dataclass
class Of:
    """A row whose columns a sentence names: {hi_length.name}."""

    record: Record

    def __getattr__(self, col: str) -> Value:
        return Value(self.record.cells.get(col), self.record.cells)


@dataclass
class Rows:
    """The other rows of a page, each put into the words of the format: {kids:«name» («grade»)}."""

    told: Told

    def __getattr__(self, name: str) -> object:
        if name in ("n", "more"):
            return NUMBERS["w"](len(self.told.others) + (3 if name == "more" else 0))
        raise AttributeError(name)

    def __getitem__(self, index: int) -> Of:
        return Of(self.told.others[index])

    def __format__(self, template: str) -> str:
        own = self.told.subject.cells if self.told.subject else {}
        columns = re.findall(r"«(\w+)", template)
        rows = [r for r in self.told.others if all(c in r.cells or c in own for c in columns)]
        rows = [r for r in rows if any(c in r.cells for c in columns)]
        if not rows or len({r.table for r in rows}) > 1:
            raise AbsentError(template)
        said = [
            re.sub(r"«(\w+)(?::(\w+))?»", lambda m, c=own | r.cells: shown(c.get(m[1]), m[2] or ""), template)
            for r in rows
        ]
        if template.endswith((" ", "; ")):
            return "".join(said)
        comma = "; " if any(", " in s for s in said) else ", "
        return said[0] if len(said) == 1 else comma.join(said[:-1]) + (" and " if comma == ", " else comma) + said[-1]


@dataclass(frozen=True)
class Plan:
    """One way to put facts into a sentence: of the schema and page kind `at`, under the conditions `when`."""

    id: str
    half: Half
    at: str
    when: str
    text: str
    kind: str = ""

    def say(self, told: Told) -> str:
        """Return the sentence about a page; raises AbsentError where it does not fit."""
        if not all(_holds(condition, told) for condition in self.when.split(",") if condition):
            raise AbsentError(self.when)
        return sentence(self.text, told)


def sentence(text: str, told: Told) -> str:
    """Return a format string filled, with a capital and the right article."""
    said = re.sub(r"\{kids\.0\.", "{kids[0].", text).format_map(told).strip()
    said = re.sub(r"\b([Aa]) (?=[aeiouAEIOU8])", r"\1n ", said)
    return said[0].upper() + said[1:]


def _holds(condition: str, told: Told) -> bool:
    match = re.fullmatch(r"(!?)(\w+)(?:([<>=])(.*))?", condition)
    assert match, condition
    no, col, op, other = match.groups()
    if col in ("kids", "rows"):
        return len(told.others) > int(other)
    cells = told.subject.cells if told.subject else {}
    if no or cells.get(col) is None:
        return bool(no) and col in cells and cells[col] is None
    value, bound = cells[col], cells.get(other, other)
    if not op:
        return value is not False
    if isinstance(value, str):
        return {"<": value < str(bound), ">": value > str(bound), "=": value == bound}[op]
    left, right = float(value), float(bound)  # type: ignore[arg-type]
    return {"<": left < right, ">": left > right, "=": left == right}[op]


@cache
def lines(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the fields of each line of a file of cases."""
    text = (CASES / name).read_text(encoding="utf-8")
    return tuple(tuple(re.split(r" *\| *", t)) for t in text.split("\n") if t and not t.startswith("#"))


def _halved(rows: list[tuple[str, ...]], of: int) -> list[tuple[str, Half, tuple[str, ...]]]:
    """Give each line an id and a half: by turns within those whose field `of` is the same."""
    seen: dict[str, int] = {}
    out: list[tuple[str, Half, tuple[str, ...]]] = []
    for row in rows:
        n = seen[row[of]] = seen.get(row[of], 0) + 1
        out.append((f"{row[of]}#{n}", HALVES[(n - 1) % 2], row))
    return out


@cache
def sentences() -> tuple[Plan, ...]:
    return tuple(Plan(i, half, *row) for i, half, row in _halved(list(lines("faithful_plans.txt")), 0))


@cache
def false_sentences() -> tuple[Plan, ...]:
    return tuple(
        Plan(i, half, at, when, text, kind) for i, half, (kind, at, when, text) in _halved(list(lines("lies.txt")), 0)
    )


@cache
def hits() -> tuple[Plan, ...]:
    """Titles stand in `when`."""
    return tuple(Plan(i, half, *row) for i, half, row in _halved(list(lines("faithful_hits.txt")), 0))


@cache
def labels() -> dict[str, tuple[str, str]]:
    """Return, by schema.table.column, a header in other words for each half."""
    return {at: (first, second) for at, first, second in lines("faithful_labels.txt")}
