"""Conditions in words: verb phrases about the rows of a table, "are sold by Aster" or "have a battery over 5000 mAh".

Every constant of a condition stands in its phrase as a table prints it, and every column as its schema calls it, so
that a reader can rebuild the condition.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal

from worldsmith import expr, scoring
from worldsmith.expr import Node
from worldsmith.lang.morphology import article, did_not, listing, lower, plural, says, singular_unit
from worldsmith.lang.question_phrases import NATURAL, PLAIN, QuestionPhrases
from worldsmith.pages.grammar import names_unit
from worldsmith.schema import Aggregate, Column, Schema, Value
from worldsmith.seeding import draw
from worldsmith.tasks.headers import named_like_target, quoted_header
from worldsmith.tasks.query import is_tally, tally_column

_BROKEN = re.compile(r"\b(a[st]|by|for|from|in|of|on|per|since|to|using|with|\w+est|found|kept|let|won)\b|[()]")
"""What ends a plain noun, or makes "a" wrong before it: "a highest bid"."""
_AGREEING = re.compile(r"\[([^\[\]|]*)\|([^\[\]|@]*)\]")
_COUNTED = re.compile(r"\[([^\[\]|]*)\|([^\[\]|@]*)@v\]")
"""Singular and plural of what a constant counts: "more than {v} [shop|shops@v]"."""
_ON_DAY = re.compile(r"(?<! since) on \{v\}$")
"""What makes a day of a phrase that its year fits as well: "opened on {v}", "opened in {v}"."""
_SLOTS = re.compile(r"\{(\w+)\}")
_RELATIVE = re.compile(r"(?:that|who) $")
_TAIL = re.compile(r"\s*\(([^()]*)\)$")

Verbs = tuple[str, str, str, str]
MANY: Verbs = ("are", "were", "have", "do not have")
ONE: Verbs = ("is", "was", "has", "does not have")
"""The verbs of a plural and of a singular subject."""

MONTHS = (3, 6, 9, 12, 18, 24, 30, 36, 48, 60, 72, 84, 96, 120, 180, 240, 300, 360, 480, 600)
"""Spans before the world's date that are said in words."""

WordingSplit = Literal["all", "train", "test"]
"""Which wordings are used: all, all but the held out ones, or these alone."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How the phrases of one question are worded: `turn` picks among equal wordings, `split` which there are."""

    schema: Schema
    turn: int = 0
    tallies: tuple[Aggregate, ...] = ()
    split: WordingSplit = "all"
    nth: int | None = None
    """Which of a bank's wordings is taken, for who reads all of them; None for one by `turn`."""

    @property
    def words(self) -> QuestionPhrases:
        """The wordings of the schema's language."""
        return NATURAL if self.schema.bank else PLAIN

    def among(self, wordings: Sequence[str], *more: str) -> str:
        """Return one of a bank's wordings; the last of several is held out."""
        if self.nth is not None:
            return wordings[self.nth % len(wordings)]
        kept = wordings
        if self.split != "all" and len(wordings) > 1:
            kept = wordings[:-1] if self.split == "train" else wordings[-1:]
        return kept[draw(self.turn, "words", *more) % len(kept)]

    def pick(self, part: str, more: int = 0) -> str:
        """Return one of the wordings of a part; other parts, and other numbers `more`, are drawn apart.

        The last quarter of several, one at least, is held out.
        """
        wordings: tuple[str, ...] = getattr(self.words, part)
        if self.split != "all" and len(wordings) > 1:
            trained = len(wordings) - max(len(wordings) // 4, 1)
            wordings = wordings[:trained] if self.split == "train" else wordings[trained:]
        return wordings[draw(self.turn, "words", part, more) % len(wordings)] if self.turn else wordings[0]


def spell(value: Value, column: Column, *, bare: bool = False) -> str:
    """Return a constant as tables print it, with its unit unless `bare`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return scoring.show(value, column.answer())
    number = f"{value:.10g}" if isinstance(value, float) else str(value)
    tail = _TAIL.search(column.label)
    percent = column.unit == "%" or (tail is not None and tail[1] == "%")
    if percent:
        return f"{number}%"
    return (
        number if bare or not column.unit else f"{number} {singular_unit(column.unit) if value == 1 else column.unit}"
    )


def verb_phrase(wording: Wording, table: str, node: Node, verbs: Verbs = MANY) -> str:
    """Return a condition as a verb phrase about rows of `table`: one over one path, or alternatives of such."""
    if isinstance(node, expr.Call) and node.op == "or":
        *parts, last = [verb_phrase(wording, table, part, verbs) for part in node.args]
        return wording.words.either.format(a=", ".join(parts), b=last)
    negated = isinstance(node, expr.Call) and node.op == "not"
    inner = node.args[0] if isinstance(node, expr.Call) and negated else node
    if isinstance(inner, expr.Call) and inner.op == "!=":
        negated, inner = not negated, expr.Call("=", inner.args, "bool")
    path = expr.paths(inner)[0]
    if is_tally(path):
        assert isinstance(inner, expr.Call)
        return _tallied(wording, table, inner, wording.tallies[int(path[0][1:])], verbs)
    column = wording.schema.column(table, path[0])
    if len(path) > 1:
        return _through(wording, column, _shorter(node), verbs)
    bank_phrase = _bank_phrase(wording, column, inner, verbs, negated=negated)
    return bank_phrase or _label_phrase(wording, column, inner, verbs, negated=negated)


_ASKS = {"<": "under", ">": "over", "=": "equal", "in": "equal", "between": "between", "is null": "null"}
_NEGATED = {"equal": "unequal", "null": "present", "true": "false"}


def _bank_phrase(wording: Wording, column: Column, node: Node, verbs: Verbs, *, negated: bool) -> str:
    """Return a condition as the schema's bank asks it; "" where the bank has no pattern for it."""
    ask = wording.schema.ask(column)
    if ask is None:
        return ""
    kind = "true" if isinstance(node, expr.Path) else _ASKS.get(node.op, "") if isinstance(node, expr.Call) else ""
    kind_or_opposite = _NEGATED.get(kind, "") if negated else kind
    patterns: list[str] = getattr(ask, kind_or_opposite, [])
    if isinstance(node, expr.Call) and node.args and isinstance(node.args[0], expr.Call):  # the year of a date
        patterns = [_ON_DAY.sub(" in {v}", text) for text in patterns if kind == "equal" and _ON_DAY.search(text)]
    if not patterns:
        return ""
    values = [a.value for a in node.args[1:] if isinstance(a, expr.Const)] if isinstance(node, expr.Call) else []
    if column.type == "date" and kind == "between" and window_phrase(wording, *map(str, values)):
        return ""
    pattern = agreeing(wording.among(patterns, column.table, column.name, kind), verbs)
    shown = [spell(v, column) for v in values]
    pattern = _COUNTED.sub(lambda m: m[1] if values == [1] else m[2], pattern)
    slots = {"v": listing(shown, "or"), "a": spell(values[0], column, bare=True), "b": shown[-1]} if shown else {}
    return _SLOTS.sub(lambda m: slots.get(m[1], m[0]), pattern)


def _shorter(node: Node) -> Node:
    """Return a condition as the row sees it that the first reference of its path leads to."""
    if isinstance(node, expr.Path):
        return expr.Path(node.parts[1:], node.type)
    if isinstance(node, expr.Call):
        return expr.Call(node.op, tuple(map(_shorter, node.args)), node.type)
    return node


def _through(wording: Wording, ref: Column, node: Node, verbs: Verbs) -> str:
    prefix = wording.among(reference_prefixes(wording.schema, ref), ref.table, ref.name, "whose")
    inner = verb_phrase(wording, ref.ref or "", node, ONE)
    return next(start for start, whose in starts(begun(prefix, verbs)) if whose == inner.startswith("whose ")) + inner


def reference_prefixes(schema: Schema, ref: Column) -> list[str]:
    """Return the ways to begin what is said of a row that is referred to, with slots for the verbs."""
    ask = schema.ask(ref)
    return [f"{text} " for text in ask.whose] if ask and ask.whose else [reference_prefix(schema, ref)]


def agreeing(text: str, verbs: Verbs) -> str:
    """Return a bank's phrase whose verbs agree with a plural or a singular subject."""
    return _AGREEING.sub(lambda m: m[1] if verbs == MANY else m[2], text)


def starts(start: str) -> tuple[tuple[str, bool], tuple[str, bool]]:
    """Return how a phrase begins about a row that is referred to, and where what is said of that row starts with whose.

    "kept by a resident who" and "kept by a resident" before "whose street …"; "whose keeper" and "whose keeper is one".
    """
    return (start, False), (f"{start}is one " if start.startswith("whose ") else _RELATIVE.sub("", start), True)


def begun(prefix: str, verbs: Verbs) -> str:
    """Return one of `reference_prefixes` with its verbs."""
    return agreeing(prefix, verbs).format(verbs=verbs)


def reference_prefix(schema: Schema, ref: Column) -> str:
    """Return the words before what is said of a row that is referred to, with slots for the verbs."""
    noun = article(schema.tables[ref.ref or ""].singular)
    if says(ref.says).open:
        return f"{{verbs[0]}} {ref.says} {noun} that "
    return f"{{verbs[2]}} {'' if named_like_target(schema, ref) else f'as {lower(ref.label)} '}{noun} that "


def _label_phrase(wording: Wording, column: Column, node: Node, verbs: Verbs, *, negated: bool) -> str:
    are, were, have, lack = verbs
    no, has = (" not", lack) if negated else ("", have)
    if isinstance(node, expr.Path):
        return f"{are}{no} {column.says}" if _adjective(column) else f"{has} Yes under “{column.label}”"
    assert isinstance(node, expr.Call)
    if node.op == "is null":
        return f"{has} “{column.none or '-'}” under “{column.header}”"
    values = [a.value for a in node.args[1:] if isinstance(a, expr.Const)]
    if column.type == "date":
        return _dated(wording, column, node, [str(v) for v in values], (are + no, were + no, has), negated=negated)
    form = says(column.says)
    if column.type in {"int", "num"} and not form.open:
        return _measured(wording, column, node, values, has)
    if column.type in {"int", "num"} and node.op in {"<", ">", "between"}:  # "founded in" takes one year, no bound
        return f"{has} “{column.header}” {_amount(wording, node.op, [spell(v, column) for v in values])}"
    named = listing([spell(v, column) for v in values], "or")
    if form.open and form.determined and not column.ref:
        return f"{has} {column.says} {named}"
    if form.open:
        return f"{are}{no} {column.says} {named}"
    return f"{has} the {lower(column.label)} {named}"


def _adjective(column: Column) -> bool:
    return " " not in column.says or column.says != column.label.lower()


@lru_cache(maxsize=4096)
def months_before(day: str, months: int) -> str:
    """Return the day a number of months before another, the last of its month where that is shorter."""
    year, month = divmod(int(day[:4]) * 12 + int(day[5:7]) - 1 - months, 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - date(year, month + 1, 1)).days
    return date(year, month + 1, min(int(day[8:]), last)).isoformat()


def window_phrase(wording: Wording, low: str, high: str) -> str:
    """Return "in the last 2 years" for a window that ends on the world's date; "" for others."""
    months = next((n for n in MONTHS if high == wording.schema.as_of and low == months_before(high, n)), 0)
    if not months:
        return ""
    forms = wording.words
    if months == 12:
        return forms.year
    return forms.months.format(n=months) if months % 12 or months == 24 else forms.years.format(n=months // 12)


def _dated(
    wording: Wording, column: Column, node: expr.Call, days: list[str], verbs: tuple[str, str, str], *, negated: bool
) -> str:
    are, were, has = verbs
    if isinstance(node.args[0], expr.Call):
        when = f"in {listing(days, 'or')}"
    elif node.op == "between" and window_phrase(wording, *days):
        when = window_phrase(wording, *days)
    else:
        forms = {">": "after {}", "<": "before {}", "=": "on {}", "between": "from {} to {} (both included)"}
        when = forms.get(node.op, "")
        when = when.format(*days) if when else f"on {listing(days, 'or')}"
    form = says(column.says)
    since = column.says.endswith((" since", " until")) and not when.startswith("on ")  # no "since after"
    if form.open and not since:
        return f"{are} {column.says} {when.removeprefix('on ')}"
    is_noun = column.says.endswith((" date", " day"))  # an opening date, which nothing "is"
    if form.gerund and says(column.label.lower()).gerund and not is_noun:
        return f"{are} {column.says} {when}"
    written = column.says != column.label.lower() and not form.determined and not form.gerund
    if form.active:
        return f"{did_not(column.says) if negated else column.says} {when}"
    if (written and not since) or form.participle:
        return f"{were} {column.says} {when}"
    if form.determined:
        return f"{has} {column.says} {when}"
    name = quoted_header(column, wording.schema)
    return f"{has} {article(name.removeprefix('“')).split(' ')[0]} {name} {when}"


def _measured(wording: Wording, column: Column, node: expr.Call, values: list[Value], has: str) -> str:
    unsaid = column.says == column.label.lower()
    if unsaid and _plain(column) and plural(column.label) and not column.unit:
        amounts = _count(node.op, [spell(v, column, bare=True) for v in values])
        alone = 1 in values and node.op != "between"  # "more than 1 shops"
        return f"{has} {amounts} under “{column.label}”" if alone else f"{has} {amounts} {lower(column.label)}"
    amount = _amount(wording, node.op, [spell(v, column, bare=unsaid and names_unit(column)) for v in values])
    if unsaid and (plural(column.label) or not _plain(column)):
        return f"{has} “{column.label}” {amount}"
    return f"{has} {article(lower(column.label)) if unsaid else _TAIL.sub('', column.says)} {amount}"


def _plain(column: Column) -> bool:
    """Tell whether a label is one or two plain words, that stand in a sentence as a noun: "Reviews", "Battery test"."""
    label = column.label.lower()
    last = says(label.rsplit(" ", 1)[-1])
    return label.count(" ") < 2 and not (_BROKEN.search(label) or last.participle or last.gerund)


def _count(op: str, shown: list[str]) -> str:
    forms = {">": "more than {}", "<": "fewer than {}", "between": "{} to {} (both included)"}
    return forms[op].format(*shown) if op in forms else listing(shown, "or")


def _amount(wording: Wording, op: str, shown: list[str]) -> str:
    if op == "between":
        return f"of {shown[0]} to {shown[1]} (both included)"
    if op in {">", "<"}:
        return f"{wording.pick('over' if op == '>' else 'under')} {shown[0]}"
    return f"of {listing(shown, 'or')}"


def parent_part(schema: Schema, table: str, tally: Aggregate, them: str) -> str:
    """Return which reference leads from a child to its parent, where there are several: " with them as keeper"."""
    refs = [c for c in schema.tables[tally.table].refs if c.ref == table]
    if len(refs) < 2:
        return ""
    return (NATURAL if schema.bank else PLAIN).as_part.format(
        them=them, part=lower(schema.column(tally.table, tally.by[0]).label)
    )


def children_condition(wording: Wording, tally: Aggregate, verbs: Verbs) -> str:
    """Return the condition on the children of a tally."""
    assert tally.where is not None
    return verb_phrase(wording, tally.table, tally.where, verbs)


def _tallied(wording: Wording, table: str, node: expr.Call, tally: Aggregate, verbs: Verbs) -> str:
    """Return a condition on a count, sum or maximum of children: "have no licence that is for music"."""
    schema, forms = wording.schema, wording.words
    child, part = schema.tables[tally.table], parent_part(schema, table, tally, "them" if verbs == MANY else "it")
    bound = node.args[1]
    assert isinstance(bound, expr.Const)
    slots = {"have": verbs[2], "their": "their" if verbs == MANY else "its"}
    one = {"one": child.singular + part, "rest": children_condition(wording, tally, ONE)}
    many = {"many": child.plural + part, "rest": children_condition(wording, tally, MANY)}
    if tally.op == "count":
        if bound.value == 0:
            return forms.none_that.format(**slots, **one)
        if bound.value == 1:
            return (forms.some_that if node.op == ">=" else forms.one_that).format(**slots, **one)
        frame = forms.least_that if node.op == ">=" else forms.most_that
        return frame.format(**slots, **many, n=bound.value)
    column = tally_column(schema, tally)
    source = schema.column(tally.table, tally.column or "")
    amount = _amount(wording, node.op, [spell(bound.value, column)])
    if tally.op == "sum":
        return forms.total.format(**slots, **many, header=source.header, amount=amount)
    return forms.peak.format(**slots, **many, header=f"highest “{source.header}”", amount=amount)
