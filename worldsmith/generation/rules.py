"""The declared rules as the generator evaluates them: which rows break a rule, given the current columns."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from worldsmith.generation.filling import Filling
from worldsmith.schema import Rule
from worldsmith.schema.rules import Acyclic, Each, Must, Order, Unique


def rows_breaking(filling: Filling, rule: Rule) -> list[int]:
    """Return the indices of the rows of `rule.table` that break it, in order."""
    return ROWS_BREAKING[type(rule)](filling, rule)


def _condition(filling: Filling, rule: Must | Each) -> list[int]:
    extra = {name: filling.aggregate(rule.table, aggregate) for name, aggregate in rule.each}
    return filling.rows_where(rule.table, rule.node, wanted=False, **extra)


def _acyclic(filling: Filling, rule: Acyclic) -> list[int]:
    targets = filling.target_rows(rule.table, rule.columns[0])
    state = [0] * len(targets)  # 0 not seen, 1 on the way, 2 done
    on_cycles = []
    for start, after in enumerate(targets):
        if after is None or state[start]:
            continue
        way = []
        i: int | None = start
        while i is not None and state[i] == 0:
            state[i] = 1
            way.append(i)
            i = targets[i]
        if i is not None and state[i] == 1:
            on_cycles.append(i)
        for j in way:
            state[j] = 2
    return sorted(on_cycles)


def _unique(filling: Filling, rule: Unique) -> list[int]:
    values_so_far = set()
    repeats = []
    for i, values in enumerate(zip(*(filling.data[rule.table][c] for c in rule.columns), strict=True)):
        if None in values:
            continue
        if values in values_so_far:
            repeats.append(i)
        values_so_far.add(values)
    return repeats


def _order(filling: Filling, rule: Order) -> list[int]:
    columns = filling.data[rule.table]
    groups = columns[rule.within] if rule.within else [None] * filling.sizes[rule.table]
    # Groups are numbered: their values may have no order, with null among them.
    number = {value: at for at, value in enumerate(dict.fromkeys(groups))}
    rows = zip(groups, columns[rule.by], columns[rule.order], strict=True)
    known = sorted((number[g], at, v, i) for i, (g, at, v) in enumerate(rows) if at is not None and v is not None)
    return sorted(i for (g, _, last, _), (h, _, v, i) in pairwise(known) if g == h and v < last)


ROWS_BREAKING: dict[type[Rule], Callable[[Filling, Any], list[int]]] = {
    Must: _condition,
    Each: _condition,
    Acyclic: _acyclic,
    Unique: _unique,
    Order: _order,
}
