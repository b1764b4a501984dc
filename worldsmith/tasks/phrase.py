"""Conditions in words: verb phrases about the rows of a table, "are sold by Aster" or "have a battery over 5000 mAh".

Every constant of a condition stands in its phrase as a table prints it, and every column as its schema calls it, so
that a reader can rebuild the condition.
"""

import re
from dataclasses import dataclass

from worldsmith import expr, scoring
from worldsmith.expr import Node
from worldsmith.pages.grammar import article, lower, names_unit, plural, says
from worldsmith.schema import Column, Schema, Value

_TAIL = re.compile(r"\s*\(([^()]*)\)$")

MANY, ONE = ("are", "were", "have", "do not have"), ("is", "was", "has", "does not have")
"""The verbs of a plural and of a singular subject."""

OVER = ("over", "above", "of more than")
UNDER = ("under", "below", "of less than")


@dataclass(frozen=True, slots=True)
class Wording:
    """How the phrases of one question are worded: `turn` picks among equal wordings."""

    schema: Schema
    turn: int = 0

    def pick(self, wordings: tuple[str, ...]) -> str:
        """Return one of a few wordings."""
        return wordings[self.turn % len(wordings)]


def spell(value: Value, column: Column, *, bare: bool = False) -> str:
    """Return a constant as tables print it, with its unit unless `bare`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return scoring.show(value, column.answer())
    number = f"{value:.10g}" if isinstance(value, float) else str(value)
    tail = _TAIL.search(column.label)
    percent = column.unit == "%" or (tail is not None and tail[1] == "%")
    if percent:
        return f"{number}%"
    return number if bare or not column.unit else f"{number} {singular(column.unit) if value == 1 else column.unit}"


def singular(unit: str) -> str:
    """Return a unit as it follows 1: "year", "crown"; abbreviations ("s", "nmi", "GB") as they are."""
    return unit[:-1] if len(unit) > 3 and unit.endswith("s") and not unit.endswith(("ss", "ches", "shes")) else unit


def any_of(parts: list[str]) -> str:
    """Return "a", "a or b", "a, b or c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def verb_phrase(wording: Wording, table: str, node: Node, verbs: tuple[str, ...] = MANY) -> str:
    """Return a condition over one path as a verb phrase about rows of `table`."""
    negated = isinstance(node, expr.Call) and node.op == "not"
    inner = node.args[0] if isinstance(node, expr.Call) and negated else node
    if isinstance(inner, expr.Call) and inner.op == "!=":
        negated, inner = not negated, expr.Call("=", inner.args, "bool")
    path = expr.paths(inner)[0]
    column = wording.schema.column(table, path[0])
    if len(path) > 1:
        return _through(wording, column, _shorter(node), verbs)
    return _said(wording, column, inner, verbs, negated=negated)


def _shorter(node: Node) -> Node:
    """Return a condition as the row sees it that the first reference of its path leads to."""
    if isinstance(node, expr.Path):
        return expr.Path(node.parts[1:], node.type)
    if isinstance(node, expr.Call):
        return expr.Call(node.op, tuple(map(_shorter, node.args)), node.type)
    return node


def _through(wording: Wording, ref: Column, node: Node, verbs: tuple[str, ...]) -> str:
    target = wording.schema.tables[ref.ref or ""]
    noun, rest = article(target.singular), verb_phrase(wording, target.name, node, ONE)
    if says(ref.says).open:
        return f"{verbs[0]} {ref.says} {noun} that {rest}"
    return f"{verbs[2]} as {lower(ref.label)} {noun} that {rest}"


def _said(wording: Wording, column: Column, node: Node, verbs: tuple[str, ...], *, negated: bool) -> str:
    are, were, have, lack = verbs
    no, has = (" not", lack) if negated else ("", have)
    if isinstance(node, expr.Path):
        return f"{are}{no} {column.says}" if _adjective(column) else f"{has} Yes under “{column.label}”"
    assert isinstance(node, expr.Call)
    if node.op == "is null":
        return f"{has} “{column.none or '-'}” under “{column.header}”"
    values = [a.value for a in node.args[1:] if isinstance(a, expr.Const)]
    if column.type == "date":
        return _dated(column, node, [str(v) for v in values], (are + no, were + no, has))
    form = says(column.says)
    if column.type in {"int", "num"} and not form.open:
        return _measured(wording, column, node, values, has)
    named = any_of([spell(v, column) for v in values])
    if form.open and form.determined:
        return f"{has} {column.says} {named}"
    if form.open:
        return f"{are}{no} {column.says} {named}"
    return f"{has} {named} as {lower(column.label)}"


def _adjective(column: Column) -> bool:
    return " " not in column.says or column.says != column.label.lower()


def _dated(column: Column, node: expr.Call, days: list[str], verbs: tuple[str, str, str]) -> str:
    are, were, has = verbs
    if isinstance(node.args[0], expr.Call):
        when = f"in {any_of(days)}"
    else:
        forms = {">": "after {}", "<": "before {}", "=": "on {}", "between": "from {} to {} (both included)"}
        when = forms.get(node.op, "")
        when = when.format(*days) if when else f"on {any_of(days)}"
    form = says(column.says)
    if form.open:
        return f"{are} {column.says} {when.removeprefix('on ')}"
    if form.gerund:
        return f"{are} {column.says} {when}"
    written = column.says != column.label.lower() and not form.determined
    if written or form.participle:
        return f"{were} {column.says} {when}"
    return f"{has} {_noun(column)} {when}"


def _noun(column: Column) -> str:
    noun = _TAIL.sub("", column.says)
    return noun if says(noun).determined or plural(noun) else article(noun)


def _measured(wording: Wording, column: Column, node: expr.Call, values: list[Value], has: str) -> str:
    many = plural(column.label) and not says(column.says).determined
    if many and 1 in values and node.op != "between":  # "more than 1 shops"
        told = _count(node.op, [spell(v, column, bare=names_unit(column)) for v in values])
        return f"{has} {told} under “{column.label}”"
    if many and (not column.unit or names_unit(column)):
        return f"{has} {_count(node.op, [spell(v, column, bare=True) for v in values])} {_TAIL.sub('', column.says)}"
    shown = [spell(v, column) for v in values]
    tail = _TAIL.search(column.says)
    after = f" ({tail[1]})" if tail and tail[1] not in {"%", column.unit} else ""
    noun = _TAIL.sub("", column.says) if many or column.says.isupper() else _noun(column)
    return f"{has} {_upper(column, noun)} {_amount(wording, node.op, shown)}{after}"


def _upper(column: Column, noun: str) -> str:
    """Return the noun with an abbreviation as its label writes it: "RAM"."""
    return noun if column.says != column.label.lower() else noun.replace(column.says, lower(column.label))


def _count(op: str, shown: list[str]) -> str:
    forms = {">": "more than {}", "<": "fewer than {}", "between": "{} to {} (both included)"}
    return forms[op].format(*shown) if op in forms else any_of(shown)


def _amount(wording: Wording, op: str, shown: list[str]) -> str:
    if op == "between":
        return f"of {shown[0]} to {shown[1]} (both included)"
    if op in {">", "<"}:
        return f"{wording.pick(OVER if op == '>' else UNDER)} {shown[0]}"
    return f"of {any_of(shown)}"
