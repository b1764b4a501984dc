"""The generator's own meaning of the declared rules: which rows break one, as columns stand now."""

from collections.abc import Callable
from itertools import pairwise

from worldsmith.generate.computed import groups_of
from worldsmith.generate.filling import Filling
from worldsmith.schema import Rule


def broken(f: Filling, rule: Rule) -> list[int]:
    """Return the indices of the rows of `rule.table` that break it, in order."""
    return BROKEN[rule.kind](f, rule)


def _must(f: Filling, rule: Rule) -> list[int]:
    assert rule.node is not None
    extra = {name: f.aggregate(rule.table, aggregate) for name, aggregate in rule.each}
    return f.rows(rule.table, rule.node, wanted=False, **extra)


def _acyclic(f: Filling, rule: Rule) -> list[int]:
    link = f.link(rule.table, rule.columns[0])
    state = [0] * len(link)  # 0 not seen, 1 on the way, 2 done
    found = []
    for start, after in enumerate(link):
        if after is None or state[start]:
            continue
        way = []
        i: int | None = start
        while i is not None and state[i] == 0:
            state[i] = 1
            way.append(i)
            i = link[i]
        if i is not None and state[i] == 1:
            found.append(i)
        for j in way:
            state[j] = 2
    return sorted(found)


def _unique(f: Filling, rule: Rule) -> list[int]:
    seen = set()
    found = []
    for i, values in enumerate(zip(*(f.data[rule.table][c] for c in rule.columns), strict=True)):
        if None in values:
            continue
        if values in seen:
            found.append(i)
        seen.add(values)
    return found


def _order(f: Filling, rule: Rule) -> list[int]:
    values, along = f.data[rule.table][rule.order], f.data[rule.table][rule.by]
    found = []
    for rows in groups_of(f, rule.table, rule.within):
        known = sorted((along[i], values[i], i) for i in rows if values[i] is not None and along[i] is not None)
        found += [i for (_, last, _), (_, value, i) in pairwise(known) if value < last]
    return sorted(found)


BROKEN: dict[str, Callable[[Filling, Rule], list[int]]] = {
    "must": _must,
    "each": _must,
    "acyclic": _acyclic,
    "unique": _unique,
    "order": _order,
}
