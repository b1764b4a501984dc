"""What a phrase about the rows of a table may mean: the conditions of a schema, found by their own words.

Every comparison that a column allows is worded once with marks for its constants; a text that fits such a pattern is
that comparison with the constants that stand in their places.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from worldsmith import expr
from worldsmith.cache import cached_method, keep
from worldsmith.expr import Node, Type
from worldsmith.expr.tree import walk
from worldsmith.expr.typed import call
from worldsmith.lang.morphology import ACTIVE_VERBS, listing
from worldsmith.lang.question_phrases import NATURAL, PLAIN
from worldsmith.naming import KINDS
from worldsmith.schema import Aggregate, Column, Invent, Schema, Value
from worldsmith.schema.patterns import Bank
from worldsmith.tasks.conditions import (
    MANY,
    MONTHS,
    ONE,
    Verbs,
    Wording,
    begun,
    months_before,
    parent_part,
    reference_prefixes,
    spell,
    starts,
    verb_phrase,
)
from worldsmith.tasks.headers import column_header
from worldsmith.tasks.query import tally_column

MARKS: dict[Type, tuple[Value, Value]] = {
    "int": (770077, 880088),
    "num": (770077.5, 880088.5),
    "date": ("1777-07-07", "1888-08-08"),
    "text": ("§a", "§b"),
}
"""Constants that no world holds, by type."""
TURNS = 64
"""Draws of equal wordings, enough to see each."""

NO_NAME = re.compile(
    r"[“”]|, | or | that | who | whose |\. |^(?:an?|given) "
    rf"| and (?:are|were|have|do|did|is|was|has|does|either|{'|'.join(ACTIVE_VERBS)}) "
)
"""What no reader takes for a part of a name: the words of the sentence around it."""

Meaning = tuple[Node, tuple[Aggregate, ...]]
"""A condition and the tallies that it names, from "#0" on."""


class Form(NamedTuple):
    """A pattern of words, and the comparison it stands for: its operation, and the constants that it holds itself."""

    start: str
    """The words before the first constant: what doesn't start so doesn't fit."""
    pattern: str
    column: Column
    op: str
    constants: tuple[Value, ...]

    def match(self, text: str) -> tuple[str, ...] | None:
        """Return the constants in a text; None where it doesn't fit. Patterns are compiled when first needed."""
        if not text.startswith(self.start):
            return None
        match = _compiled(self.pattern).fullmatch(text)
        return None if match is None else match.groups()


_compiled = lru_cache(maxsize=1 << 12)(re.compile)
"""Patterns of forms: a schema has more of them than `re` keeps."""
_forms: dict[tuple[str, Bank | None, Column, Verbs], tuple[Form, ...]] = {}
"""The forms of a column, which are the same in every structure of a schema."""


class Phrases:
    """The phrases of one schema, read backwards."""

    def __init__(self, schema: Schema) -> None:
        self.schema, self.words = schema, NATURAL if schema.bank else PLAIN

    def conditions(self, table: str, text: str, verbs: Verbs = MANY) -> Iterator[Meaning]:
        """Yield what a phrase may say of rows of a table."""
        for node in self.comparisons(table, text, verbs):
            yield node, ()
        yield from self._tallies(table, text, verbs)
        frame = re.escape(self.words.either).replace(r"\{a\}", "(.+)").replace(r"\{b\}", "(.+)")
        for a, b in _splits(frame, text):
            for left in self.comparisons(table, a, verbs):
                for right in self.comparisons(table, b, verbs):
                    yield call("or", [left, right]), ()

    def comparisons(self, table: str, text: str, verbs: Verbs = MANY) -> Iterator[Node]:
        """Yield the single comparisons that a phrase may be, along references too."""
        for form in self._of(table, verbs):
            held = form.match(text)
            if held is not None:
                yield from (node for node in _made(form, held) if _named(node, form.column))
        for ref, prefix in self._refs[table]:
            for start, whose in starts(begun(prefix, verbs)):
                if not text.startswith(start) or whose != text.startswith("whose ", len(start)):
                    continue
                for node in self.comparisons(ref.ref or "", text[len(start) :], ONE):
                    yield _deeper(node, ref.name)

    @cached_property
    def _refs(self) -> dict[str, list[tuple[Column, str]]]:
        """The references of each table, with the words before what is said of the row they lead to."""
        references: dict[str, list[tuple[Column, str]]] = {}
        for table in self.schema.tables.values():
            for ref in table.refs:
                for prefix in reference_prefixes(self.schema, ref):
                    references.setdefault(table.name, []).append((ref, prefix))
            references.setdefault(table.name, [])
        return references

    @cached_method
    def _of(self, table: str, verbs: Verbs) -> tuple[Form, ...]:
        return tuple(form for c in self.schema.tables[table].columns for form in self._forms_of(c, verbs))

    def _forms_of(self, column: Column, verbs: Verbs) -> tuple[Form, ...]:
        key = self.schema.digest, self.schema.bank, column, verbs
        return _forms.get(key) or keep(_forms, key, tuple(self._column(column, verbs)), 1 << 12)

    def _column(self, column: Column, verbs: Verbs) -> Iterator[Form]:
        here = expr.Path((column.name,), column.type)
        gone = call("is null", [here])
        yield from self._plain(column, verbs, gone, "is null")
        yield from self._plain(column, verbs, call("not", [gone]), "not is null")
        if column.type == "bool":
            yield from self._plain(column, verbs, here, "path")
            yield from self._plain(column, verbs, call("not", [here]), "not")
            return
        a, b = (expr.Const(v, column.type) for v in MARKS[column.type])
        one = expr.Const(1 if column.type == "int" else 1.0, column.type)
        for op in ("=", "!=") if column.type == "text" else ("=", "!=", "<", ">"):
            yield from self._marked(column, verbs, call(op, [here, a]), op, (a.value,))
            if column.type in {"int", "num"}:
                yield from self._plain(column, verbs, call(op, [here, one]), op, one.value)
        yield from self._marked(column, verbs, call("in", [here, a, b]), "in", MARKS[column.type])
        if column.type in {"int", "num"}:
            yield from self._marked(column, verbs, call("in", [here, one, b]), "in", (one.value, b.value))
        if column.type != "text":
            yield from self._marked(column, verbs, call("between", [here, a, b]), "between", MARKS[column.type])
        if column.type == "date":
            year = call("=", [call("yr", [here]), expr.Const(1777, "int")])
            yield from self._marked(column, verbs, year, "yr", (1777,))
            end = self.schema.as_of
            for months in MONTHS:
                days = (months_before(end, months), end)
                ends = [expr.Const(day, "date") for day in days]
                yield from self._plain(column, verbs, call("between", [here, *ends]), "between", *days)

    def _wordings(self, column: Column, verbs: Verbs, node: Node) -> dict[str, None]:
        bounded = isinstance(node, expr.Call) and node.op in {"<", ">"} and column.type != "date"
        ask = self.schema.ask(column)
        ways = max((len(getattr(ask, part)) for part in type(ask).model_fields), default=0) if ask else 0
        wordings = [Wording(self.schema, turn) for turn in (self._turns if bounded else (0,))]
        wordings += [Wording(self.schema, nth=nth) for nth in range(ways)]
        return dict.fromkeys(verb_phrase(w, column.table, node, verbs) for w in wordings)

    @cached_property
    def _turns(self) -> tuple[int, ...]:
        """Return draws that between them have every wording of a bound."""
        first_turns: dict[tuple[str, str], int] = {}
        for turn in range(TURNS):
            wording = Wording(self.schema, turn)
            first_turns.setdefault(("over", wording.pick("over")), turn)
            first_turns.setdefault(("under", wording.pick("under")), turn)
        return tuple(sorted(set(first_turns.values())))

    def _plain(self, column: Column, verbs: Verbs, node: Node, op: str, *values: Value) -> Iterator[Form]:
        for phrase in self._wordings(column, verbs, node):
            yield Form(phrase, re.escape(phrase), column, op, values)

    def _marked(self, column: Column, verbs: Verbs, node: expr.Call, op: str, marks: Sequence[Value]) -> Iterator[Form]:
        kind: Type = "int" if op == "yr" else column.type
        slot = {"int": r"(-?\d+)", "num": r"(-?\d+(?:\.\d+)?)", "date": r"(\d{4}-\d\d-\d\d)", "text": "(.+)"}[kind]
        for phrase in self._wordings(column, verbs, node):
            if op == "in":
                lists = (listing([spell(v, column, bare=bare) for v in marks], "or") for bare in (False, True))
                listed = next(text for text in lists if text in phrase)
                start, pattern = phrase.split(listed)[0], re.escape(phrase).replace(re.escape(listed), "(.+)")
            else:
                shown = [f"{m:.10g}" if isinstance(m, float) else str(m) for m in marks]
                start, pattern = phrase.split(shown[0])[0], re.escape(phrase)
                for text in shown:
                    pattern = pattern.replace(re.escape(text), slot)
            yield Form(start, pattern, column, op, ())

    def _tallies(self, table: str, text: str, verbs: Verbs) -> Iterator[Meaning]:
        for tally, frame, pattern in self._patterns(table, verbs):
            match = pattern.fullmatch(text)
            if match:
                yield from self._tally(tally, frame, match)

    @cached_method
    def _patterns(self, table: str, verbs: Verbs) -> tuple[tuple[Aggregate, str, re.Pattern[str]], ...]:
        """Return the patterns of conditions on children."""
        them, their = ("them", "their") if verbs == MANY else ("it", "its")
        return tuple(
            (tally, frame, _framed(frame, have=verbs[2], their=their, **slots))
            for tally, frame, slots in self._frames(table, them)
        )

    def _frames(self, table: str, them: str) -> Iterator[tuple[Aggregate, str, dict[str, str]]]:
        forms = self.words
        for child in self.schema.tables.values():
            for ref in (c for c in child.refs if c.ref == table):
                count = Aggregate("count", child.name, None, (ref.name,), None)
                part = parent_part(self.schema, table, count, them)
                nouns = {"one": child.singular + part, "many": child.plural + part}
                for frame in (forms.none_that, forms.some_that, forms.one_that, forms.least_that, forms.most_that):
                    yield count, frame, nouns
                for c in child.columns:
                    if c.type in {"int", "num"}:
                        total = Aggregate("sum", child.name, c.name, (ref.name,), None)
                        yield total, forms.total, {**nouns, "header": c.header}
                        peak = Aggregate("max", child.name, c.name, (ref.name,), None)
                        yield peak, forms.peak, {**nouns, "header": f"highest “{c.header}”"}

    def _tally(self, tally: Aggregate, frame: str, match: re.Match[str]) -> Iterator[Meaning]:
        slots, forms = match.groupdict(), self.words
        verbs = ONE if frame in {forms.none_that, forms.some_that, forms.one_that} else MANY
        bounds = list(self._bounds(tally, frame, slots))
        for where in self.comparisons(tally.table, slots["rest"], verbs):
            whole = Aggregate(tally.op, tally.table, tally.column, tally.by, where)
            for bound in bounds:
                yield bound, (whole,)

    def _bounds(self, tally: Aggregate, frame: str, slots: dict[str, str]) -> Iterator[Node]:
        forms = self.words
        column = tally_column(self.schema, tally)
        here = expr.Path(("#0",), column.type)
        fixed = {forms.none_that: ("=", 0), forms.some_that: (">=", 1), forms.one_that: ("<=", 1)}
        if frame in fixed:
            op, n = fixed[frame]
            yield call(op, [here, expr.Const(n, "int")])
        elif tally.op == "count":
            if slots["n"].isdecimal():
                yield call(">=" if frame == forms.least_that else "<=", [here, expr.Const(int(slots["n"]), "int")])
        else:
            for op, starts in ((">", forms.over), ("<", forms.under)):
                for start in starts:
                    number = slots["amount"].removeprefix(f"{start} ")
                    value = _number(number.split(" ")[0].removesuffix("%"), column)
                    if value is not None and f"{start} {spell(value, column)}" == slots["amount"]:
                        yield call(op, [here, expr.Const(value, column.type)])

    def counted(self, table: str, line: str) -> Iterator[tuple[str, Aggregate]]:
        """Yield the name of a column and what it counts, by the line that says so."""
        for tally, pattern in self._lines(table):
            match = pattern.fullmatch(line)
            if match:
                for where in self.comparisons(tally.table, match["rest"], MANY):
                    yield match["name"], Aggregate(tally.op, tally.table, tally.column, tally.by, where)

    @cached_method
    def _lines(self, table: str) -> tuple[tuple[Aggregate, re.Pattern[str]], ...]:
        """Return the patterns of lines that say what a column counts."""
        forms, one = self.words, self.schema.tables[table].singular
        patterns: dict[Aggregate, re.Pattern[str]] = {}
        for tally, _, slots in self._frames(table, f"that {one}"):
            column = self.schema.column(tally.table, tally.column) if tally.column else None
            frame = {"count": forms.counted, "sum": forms.summed, "max": forms.peaked}[tally.op]
            header = {"header": column_header(column, self.schema)} if column else {}
            patterns.setdefault(tally, _framed(frame, one=one, many=slots["many"], **header))
        return tuple(patterns.items())


@lru_cache(maxsize=1 << 12)
def _framed(frame: str, **fixed_slots: str) -> re.Pattern[str]:
    """Return a frame as a pattern: {slots} that are given stand for themselves, the others take any text."""
    made = []
    for i, part in enumerate(re.split(r"\{(\w+)\}", frame)):
        text = part if i % 2 == 0 else fixed_slots.get(part)
        made.append(f"(?P<{part}>.+?)" if text is None else re.escape(text))
    return re.compile("".join(made), re.DOTALL)


def _splits(frame: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the two sides of "either … or …", wherever it may be split."""
    before, _, rest = frame.partition("(.+)")
    joint = rest.removesuffix("(.+)").replace("\\", "")
    start = before.replace("\\", "")
    if not text.startswith(start):
        return
    body = text[len(start) :]
    at = body.find(joint)
    while at >= 0:
        yield body[:at], body[at + len(joint) :]
        at = body.find(joint, at + 1)


def _number(text: str, column: Column) -> int | float | None:
    try:
        return int(text) if column.type == "int" else float(text)
    except ValueError:
        return None


def _made(form: Form, groups: Sequence[str]) -> Iterator[Node]:
    """Yield the comparisons of a form with the constants of a text."""
    column = form.column
    here = expr.Path((column.name,), column.type)
    match form.op:
        case "path":
            yield here
        case "not":
            yield call("not", [here])
        case "is null":
            yield call("is null", [here])
        case "not is null":
            yield call("not", [call("is null", [here])])
        case "yr":
            yield call("=", [call("yr", [here]), expr.Const(int(groups[0]), "int")])
        case "in":
            yield from _listed(here, column, groups[0])
        case _:
            values = form.constants or tuple(_value(g, column) for g in groups)
            yield call(form.op, [here, *(expr.Const(v, column.type) for v in values)])


def _value(text: str, column: Column) -> Value:
    return int(text) if column.type == "int" else float(text) if column.type == "num" else text


def _listed(here: expr.Path, column: Column, text: str) -> Iterator[Node]:
    """Yield memberships in "a, b or c", wherever the last "or" may stand."""
    for joint in re.finditer(" or ", text):
        values: list[Value] = [*text[: joint.start()].split(", "), text[joint.end() :]]
        if column.type in {"int", "num"}:
            bare = (str(value).removesuffix(f" {column.unit}").removesuffix("%") for value in values)
            values = [_number(number, column) for number in bare]
        if None not in values:
            yield call("in", [here, *(expr.Const(v, column.type) for v in values)])


def _named(node: Node, column: Column) -> bool:
    """Tell whether the texts that a comparison holds may be names: those of our kinds begin with a capital."""
    texts = [n.value for n in walk(node) if isinstance(n, expr.Const) and isinstance(n.value, str)]
    invented = isinstance(column.fill, Invent) and column.fill.kind in KINDS
    return not any(NO_NAME.search(text) or (invented and text[:1].islower()) for text in texts)


def _deeper(node: Node, step: str) -> Node:
    """Return a condition as the row sees it that refers to the one it was about."""
    if isinstance(node, expr.Path):
        return expr.Path((step, *node.parts), node.type)
    if isinstance(node, expr.Call):
        return expr.Call(node.op, tuple(_deeper(a, step) for a in node.args), node.type)
    return node
