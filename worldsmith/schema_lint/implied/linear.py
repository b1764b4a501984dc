"""Sums of columns: linear forms with an interval for the rest, and inequalities between them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import floor, inf

from worldsmith.expr import PathParts
from worldsmith.schema_lint.implied.domain import Domain

SLACK = 1e-6
"""How far, in the scale of an inequality, floats may be off."""


@dataclass(frozen=True, slots=True)
class Linear:
    """Sum of coefficient x column, plus something in [lo, hi]; `whole`: everything in it is a whole number."""

    parts: Mapping[PathParts, float]
    lo: float = 0.0
    hi: float = 0.0
    whole: bool = True

    def plus(self, other: "Linear", times: float = 1.0) -> "Linear":
        """Return this plus `times` the other."""
        parts = dict(self.parts)
        for path, c in other.parts.items():
            parts[path] = parts.get(path, 0.0) + times * c
        low, high = sorted((scaled(other.lo, times), scaled(other.hi, times)))
        kept = {path: c for path, c in parts.items() if c}
        return Linear(kept, self.lo + low, self.hi + high, self.whole and other.whole and times == round(times))

    def times(self, factor: float) -> "Linear":
        """Return it multiplied."""
        return Linear({}, whole=True).plus(self, factor)

    def span(self, env: Mapping[PathParts, Domain]) -> tuple[float, float]:
        """Return the interval that its value lies in."""
        lo, hi = self.lo, self.hi
        for path, c in self.parts.items():
            low, high = sorted((scaled(env[path].lo, c), scaled(env[path].hi, c)))
            lo, hi = lo + low, hi + high
        return lo, hi


def scaled(value: float, factor: float) -> float:
    """Return the product, where nothing times infinity is nothing."""
    return 0.0 if not factor else value * factor


@dataclass(frozen=True, slots=True)
class AtMost:
    """parts <= bound (or < where strict). Made by `at_most`."""

    parts: tuple[tuple[PathParts, float], ...]
    bound: float
    strict: bool
    whole: bool
    exact: bool = False
    """Whether it bounds a lone column by a constant, so that no float is off."""

    def least(self, env: Mapping[PathParts, Domain]) -> float:
        """Return the least that the left side can be."""
        return sum(scaled(env[path].lo if c > 0 else env[path].hi, c) for path, c in self.parts)

    def impossible(self, env: Mapping[PathParts, Domain]) -> bool:
        """Whether it can't hold, whatever the columns are within `env`."""
        least = self.least(env)
        if least == -inf:
            return False
        if self.whole:
            return least > self.bound + 0.5
        slack = 0.0 if self.exact else SLACK * max(1.0, abs(least), abs(self.bound))
        return least > self.bound + slack or (self.strict and self.exact and least >= self.bound)

    def narrowed(self, env: Mapping[PathParts, Domain], whole: Iterable[PathParts]) -> dict[PathParts, Domain]:
        """Return the columns whose domains it makes smaller."""
        found: dict[PathParts, Domain] = {}
        for path, c in self.parts:
            rest = sum(scaled(env[p].lo if k > 0 else env[p].hi, k) for p, k in self.parts if p != path)
            if rest == -inf:
                continue
            edge = (self.bound - rest) / c
            if not (self.whole or self.exact):
                edge += SLACK * max(1.0, abs(edge)) * (1 if c > 0 else -1)
            if path in whole and abs(edge) < inf:
                edge = floor(edge + 1e-9) if c > 0 else -floor(1e-9 - edge)
            old = env[path]
            new = old.within(-inf, edge) if c > 0 else old.within(edge, inf)
            if (new.lo, new.hi, new.values) != (old.lo, old.hi, old.values):
                found[path] = new
        return found

    def without(self, other: "AtMost", path: PathParts) -> "AtMost":
        """Return the sum of this and another in which `path` cancels out; their signs there differ."""
        mine, theirs = dict(self.parts), dict(other.parts)
        a, b = abs(theirs[path]), abs(mine[path])
        parts = {p: a * mine.get(p, 0.0) + b * theirs.get(p, 0.0) for p in dict.fromkeys([*mine, *theirs])}
        kept = tuple((p, c) for p, c in parts.items() if p != path and abs(c) > 1e-12)
        whole = self.whole and other.whole and a == round(a) and b == round(b)
        return AtMost(kept, a * self.bound + b * other.bound, self.strict or other.strict, whole)


def at_most(form: Linear, strict: bool = False) -> AtMost:
    """Return the inequality form <= 0 (or < 0)."""
    whole = form.whole and form.lo == round(form.lo) if abs(form.lo) < inf else False
    bound = -form.lo
    if whole and strict:
        bound, strict = bound - 1, False
    exact = form.lo == form.hi and [abs(c) for c in form.parts.values()] == [1.0]
    return AtMost(tuple(form.parts.items()), bound, strict, whole, exact)
