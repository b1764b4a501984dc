"""The proof: suppose that a rule is false, gather what the fills say, and find a contradiction."""

from collections.abc import Iterable
from datetime import date
from math import inf, isnan

from worldsmith import expr
from worldsmith.expr import Call, Const, Node, PathParts
from worldsmith.expr import Path as PathNode
from worldsmith.expr.tree import branches, digits
from worldsmith.schema import After, Aggregate, Column, Derive, Invent, Number, Pick, Reference, Rule, Schema, Series
from worldsmith.schema_lint.implied.branches import Atom, TooManyError, Way, conjuncts, ways
from worldsmith.schema_lint.implied.domain import Domain, domain, listed, measure, total
from worldsmith.schema_lint.implied.linear import AtMost, Linear, at_most, scaled

ROUNDS = 6
"""Rounds of narrowing."""
DEPTH = 4
"""Inequalities added to one of the rule's own, at most."""
KNOWN = 60
"""Columns whose fills are looked at for one rule."""
SUMS = 400
"""Sums of inequalities looked at for one way of breaking a rule."""

YEAR = 365.2425
YEAR_OFF = (-0.02, 1.02)
"""yr(d) - day number / 365.2425 lies in this."""


def implied(schema: Schema, rule: Rule) -> bool:
    """Return whether no row of `schema` (one structure) that its fills allow can break the rule."""
    table = schema.tables[rule.table]
    match rule.kind:
        case "unique":
            alone = any(isinstance(table.column(c).fill, Invent) for c in rule.columns)
            return alone or set(table.key) <= set(rule.columns)
        case "acyclic":
            return _monotone(table.column(rule.columns[0]))
        case "order":
            fill = table.column(rule.order).fill
            same = isinstance(fill, Series) and (fill.along, fill.within) == (rule.by, rule.within)
            return same and isinstance(fill, Series) and fill.drift[0] >= 0 and fill.start[0] >= 0
        case _:
            assert rule.node is not None
            return _never(schema, rule.table, rule.node, dict(rule.each))


def _monotone(column: Column) -> bool:
    """Whether each step of a self-reference goes strictly up, or strictly down, in some column."""
    where = column.fill.where if isinstance(column.fill, Reference) else None
    if where is None:
        return False
    for atom in conjuncts(where):
        if atom.op in ("<", ">") and isinstance(atom.left, PathNode) and isinstance(atom.right, PathNode):
            a, b = atom.left.parts, atom.right.parts
            if a == (column.name, *b) or b == (column.name, *a):
                return True
    return False


def _never(schema: Schema, table: str, node: Node, each: dict[str, Aggregate]) -> bool:
    """Whether a condition is false for no row."""
    try:
        found = ways(node, False)
    except TooManyError:
        return False
    return all(_Case(schema, table, each, way).impossible() for way in found)


class _Case:
    """One way of breaking a rule, with what is known of each column read: true until a contradiction is found."""

    def __init__(self, schema: Schema, table: str, each: dict[str, Aggregate], way: Way) -> None:
        self.schema = schema
        self.table = table
        self.each = each
        self.env: dict[PathParts, Domain] = {}
        self.whole: set[PathParts] = set()
        self.goals: list[Atom] = list(way)
        self.facts: list[Atom] = []
        self.clauses: list[list[Way]] = []
        self.bands: list[tuple[PathNode, Number, Node]] = []
        self.told: set[PathParts] = set()
        self.lost = False
        self.stepped = False

    def impossible(self) -> bool:
        """Return whether this way contradicts the fills."""
        for atom in self.goals:
            self.learn(atom)
        for _ in range(ROUNDS):
            before = dict(self.env)
            for atom in [*self.goals, *self.facts]:
                self.learn(atom)
            for band in self.bands:
                self.learn_band(*band)
            for clause in self.clauses:
                self.learn_clause(clause)
            if self.lost or any(d.empty and not d.null for d in self.env.values()):
                return True
            if before == self.env:
                break
        return self.summed()

    # What is known

    def see(self, path: PathParts) -> Domain:
        """Return what is known of a column, by its fill to begin with."""
        if path not in self.env:
            if path[0] in self.each:
                self.env[path] = total(self.schema, self.each[path[0]])
                kind = "int" if self.each[path[0]].column is None else ""
            else:
                column = self.schema.walk(self.table, path)
                one = domain(self.schema, column)
                maybe = one.null or any(self.see(path[:i]).null for i in range(1, len(path)))
                self.env[path] = Domain(one.lo, one.hi, one.values, maybe)
                kind = column.type
            if kind in ("int", "date"):
                self.whole.add(path)
        return self.env[path]

    def need(self, path: PathParts) -> None:
        """Take a column to be not null, and the references that lead to it; then what its fill says holds."""
        self.see(path)
        self.env[path] = self.env[path].known()
        if path in self.told or path[0] in self.each or len(self.told) >= KNOWN:
            return
        self.told.add(path)
        for i in range(1, len(path)):
            self.need(path[:i])
        self.tell(path, self.schema.walk(self.table, path))

    def tell(self, path: PathParts, column: Column) -> None:
        """Add what the fill of a column that isn't null says of the row it stands in."""
        own, before = PathNode(path, column.type), path[:-1]
        match column.fill:
            case Pick(where=where) | Reference(where=where) if where is not None:
                self.hold(_moved(where, before))
            case After(path=start, lo=lo, hi=hi, until=until):
                days = Call("days", (own, PathNode((*before, *start), "date")), "int")
                self.fact(Atom(">=", days, Const(lo, "int")))
                self.fact(Atom("<=", days, Const(hi, "int")))
                if until is not None and not self.maybe_null(last := _moved(until, before)):
                    self.fact(Atom("<=", own, last))
            case Derive(node=node) if column.type == "num":
                half = 0.5 * 10.0**-column.decimals * (1 + 1e-6)
                moved = _moved(node, before)
                self.fact(Atom(">=", Call("-", (own, moved), "num"), Const(-half, "num")))
                self.fact(Atom("<=", Call("-", (own, moved), "num"), Const(half, "num")))
            case Derive(node=node):
                self.fact(Atom("=", own, _moved(node, before)))
            case Number(mean=mean) if mean is not None:
                self.bands.append((own, column.fill, _moved(mean, before)))
            case _:
                pass

    def hold(self, where: Node) -> None:
        """Take a condition to be true: its conjuncts are facts, the ways in which the rest may be true stay open."""
        for atom in conjuncts(where):
            self.fact(atom)
        try:
            found = ways(where, True)
        except TooManyError:
            return
        if len(found) > 1:
            self.clauses.append(found)

    def fact(self, atom: Atom) -> None:
        self.facts.append(atom)
        self.learn(atom)

    # Learning from a statement

    def learn(self, atom: Atom) -> None:
        """Narrow the domains by a statement that holds."""
        if atom.op == "null":
            self.learn_null(atom)
        elif atom.op == "bool":
            self.choose(atom.left, [atom.holds])
        elif atom.op == "in":
            self.learn_in(atom)
        else:
            assert atom.right is not None
            for side in (atom.left, atom.right):
                self.require(side)
            self.compare(atom)

    def learn_clause(self, clause: list[Way]) -> None:
        """Where one way alone is still open, it holds; where none is, this is a contradiction."""
        left = [way for way in clause if self.open(way)]
        self.lost |= not left
        for atom in left[0] if len(left) == 1 else ():
            self.learn(atom)

    def learn_null(self, atom: Atom) -> None:
        if not atom.holds:
            self.require(atom.left)
            self.lost |= isinstance(atom.left, Const) and atom.left.value is None
        elif not self.maybe_null(atom.left):
            self.lost = True

    def learn_in(self, atom: Atom) -> None:
        assert isinstance(atom.left, Call)
        first, *rest = atom.left.args
        self.require(first)
        values = [c.value for c in rest if isinstance(c, Const)]
        if atom.holds:
            self.choose(first, values)
        else:
            self.exclude(first, values)

    def choose(self, node: Node, values: list[expr.Value]) -> None:
        if isinstance(node, PathNode):
            self.need(node.parts)
            self.env[node.parts] = self.env[node.parts].among(values)

    def exclude(self, node: Node, values: list[expr.Value]) -> None:
        known = self.see(node.parts) if isinstance(node, PathNode) else None
        if known is not None and known.values is not None and isinstance(node, PathNode):
            self.env[node.parts] = listed(known.values - frozenset(values), null=known.null)

    def compare(self, atom: Atom) -> None:
        left, op, right = atom.left, atom.op, atom.right
        assert right is not None
        if op in ("=", "!="):
            for a, b in ((left, right), (right, left)):
                if isinstance(b, Const):
                    (self.choose if op == "=" else self.exclude)(a, [b.value])
        if op == "=" and isinstance(left, PathNode) and isinstance(right, PathNode):
            for a, b in ((left, right), (right, left)):
                values = self.see(b.parts).values
                if values is not None:
                    self.choose(a, list(values))
        if op == "!=" and self.whole_zero(left, right):
            self.lost = True
        for constraint in self.inequalities(atom):
            if constraint.impossible(self.env):
                self.lost = True
                return
            self.env.update(constraint.narrowed(self.env, self.whole))

    def whole_zero(self, left: Node, right: Node) -> bool:
        """Whether two whole numbers or dates are surely equal."""
        if not {left.type, right.type} <= {"int", "date"}:
            return False
        return self.linear(left).plus(self.linear(right), -1.0).span(self.env) == (0.0, 0.0)

    def learn_band(self, own: PathNode, fill: Number, mean: Node) -> None:
        """A number lies within `spread` of its mean, and where the two bands don't meet, at the nearer end."""
        if self.maybe_null(mean):
            return
        lo, hi = self.span(mean)
        half = fill.step / 2 * (1 + 1e-5)
        low, high = (
            max(fill.lo, min(fill.hi, lo - fill.spread)) - half,
            min(fill.hi, max(fill.lo, hi + fill.spread)) + half,
        )
        self.env[own.parts] = self.see(own.parts).within(low, high)

    def band_inequalities(self, own: PathNode, fill: Number, mean: Node) -> list[AtMost]:
        if self.maybe_null(mean):
            return []
        lo, hi = self.span(mean)
        gap = self.linear(own).plus(self.linear(mean), -1.0)
        reach = fill.spread + fill.step / 2 * (1 + 1e-5)
        found = []
        if hi - fill.spread <= fill.hi:
            found.append(at_most(Linear({}, -reach, -reach, whole=False).plus(gap, -1.0)))
        if lo + fill.spread >= fill.lo:
            found.append(at_most(Linear({}, -reach, -reach, whole=False).plus(gap)))
        return found

    # Sums of inequalities

    def inequalities(self, atom: Atom) -> list[AtMost]:
        """Return a comparison of numbers or dates as inequalities."""
        if atom.op not in ("=", "<", "<=", ">", ">=") or atom.right is None:
            return []
        if not {atom.left.type, atom.right.type} <= {"int", "num", "date"}:
            return []
        found = []
        # A year is near a line over days, which sums keep, and a step over them, which is exact.
        for self.stepped in (False, True) if _has_year(atom.left) or _has_year(atom.right) else (False,):
            gap = self.linear(atom.left).plus(self.linear(atom.right), -1.0)
            if atom.op in ("=", "<", "<="):
                found.append(at_most(gap, strict=atom.op == "<"))
            if atom.op in ("=", ">", ">="):
                found.append(at_most(gap.times(-1.0), strict=atom.op == ">"))
        self.stepped = False
        return found

    def summed(self) -> bool:
        """Return whether the rule's own inequalities, added to those of the fills, can't hold."""
        facts = [c for atom in [*self.facts, *self.goals] for c in self.inequalities(atom)]
        facts += [c for band in self.bands for c in self.band_inequalities(*band)]
        reached = [c for atom in self.goals for c in self.inequalities(atom)]
        seen = set(reached)
        for _ in range(DEPTH):
            following: list[AtMost] = []
            for one in reached:
                for other in facts:
                    for path in _cancelling(one, other):
                        made = one.without(other, path)
                        if made.impossible(self.env):
                            return True
                        if made not in seen and len(seen) < SUMS:
                            seen.add(made)
                            following.append(made)
            reached = following
        return False

    # Values of expressions

    def require(self, node: Node) -> None:
        """Take an expression to be not null."""
        if isinstance(node, PathNode):
            self.need(node.parts)
        elif isinstance(node, Call) and node.op not in ("coalesce", "case", "is null", "and", "or"):
            for arg in node.args:
                self.require(arg)

    def maybe_null(self, node: Node) -> bool:
        if isinstance(node, Const):
            return node.value is None
        if isinstance(node, PathNode):
            return self.see(node.parts).null
        if node.op == "coalesce":
            return all(map(self.maybe_null, node.args))
        if node.op == "case":
            return any(map(self.maybe_null, self.arms(node)))
        if node.op == "is null":
            return False
        risky = node.op in ("/", "*", "add_days") and not any(isinstance(a, Const) and a.value for a in node.args[1:])
        return risky or any(map(self.maybe_null, node.args))

    def linear(self, node: Node) -> Linear:
        """Return a number or date that isn't null as a linear form over columns."""
        if isinstance(node, Const):
            value = measure(node.value)
            return Linear({}, -inf, inf) if isnan(value) else Linear({}, value, value, value == round(value))
        if isinstance(node, PathNode):
            self.see(node.parts)
            return Linear({node.parts: 1.0}, whole=node.parts in self.whole)
        first = node.args[0]
        match node.op:
            case "+" | "add_days":
                return self.linear(first).plus(self.linear(node.args[1]))
            case "-" | "days":
                return self.linear(first).plus(self.linear(node.args[1]), -1.0)
            case "neg":
                return self.linear(first).times(-1.0)
            case "*" | "/":
                return self.product(node)
            case "round":
                half = 0.5 * 10.0 ** -digits(node) * (1 + 1e-9)
                return self.linear(first).plus(Linear({}, -half, half, whole=False))
            case "yr":
                return self.year(first)
            case "case" if len(arms := self.arms(node)) == 1:
                return self.linear(arms[0])
            case "coalesce" if not self.maybe_null(first):
                return self.linear(first)
            case _:
                lo, hi = self.span(node)
                return Linear({}, lo, hi, node.type in ("int", "date"))

    def product(self, node: Call) -> Linear:
        a, b = node.args
        if node.op == "*" and isinstance(a, Const):
            a, b = b, a
        factor = measure(b.value) if isinstance(b, Const) else 0.0
        if factor:
            return self.linear(a).times(factor if node.op == "*" else 1 / factor)
        lo, hi = self.span(node)
        return Linear({}, lo, hi, whole=False)

    def year(self, day: Node) -> Linear:
        """A year is the day number over 365.2425, and a little; `stepped`, it is one of the years of its ends."""
        form = self.linear(day)
        if self.stepped or not form.parts:
            lo, hi = form.span(self.env)
            return Linear({}, _year(lo), _year(hi))
        return form.times(1 / YEAR).plus(Linear({}, *YEAR_OFF, whole=False))

    def span(self, node: Node) -> tuple[float, float]:
        """Return an interval that a number or date that isn't null lies in."""
        if isinstance(node, Const | PathNode) or node.op in ("+", "-", "neg", "days", "add_days", "round"):
            return self.linear(node).span(self.env)
        spans = [self.span(a) for a in node.args if a.type in ("int", "num", "date")]
        match node.op:
            case "*":
                ends = [scaled(x, y) if x else 0.0 for x in spans[0] for y in spans[1]]
                return min(ends), max(ends)
            case "/":
                return _quotient(*spans)
            case "abs":
                lo, hi = spans[0]
                return (0.0 if lo <= 0 <= hi else min(abs(lo), abs(hi))), max(abs(lo), abs(hi))
            case "least":
                return min(lo for lo, _ in spans), min(hi for _, hi in spans)
            case "greatest":
                return max(lo for lo, _ in spans), max(hi for _, hi in spans)
            case "yr":
                return _year(spans[0][0]), _year(spans[0][1])
            case "mon":
                return 1, 12
            case "length":
                return 0, inf
            case "case":
                return _union(self.span(arm) for arm in self.arms(node) if not _null(arm))
            case "coalesce":
                return _union(self.span(arm) for arm in self.until_known(node))
            case _:
                return -inf, inf

    def until_known(self, node: Call) -> list[Node]:
        """Return the arguments of a coalesce that its value may be."""
        found: list[Node] = []
        for arg in node.args:
            if not _null(arg):
                found.append(arg)
            if not self.maybe_null(arg):
                break
        return found

    def arms(self, node: Call) -> list[Node]:
        """Return the values of a case that may be taken."""
        pairs, otherwise = branches(node)
        found: list[Node] = []
        for condition, value in pairs:
            can = self.truth(condition)
            if True in can:
                found.append(value)
            if can == {True}:
                return found
        return [*found, otherwise]

    def truth(self, node: Node) -> set[bool]:
        """Return which of true and not true a condition may be."""
        found = set()
        if self.may(node, True):
            found.add(True)
        if self.maybe_null(node) or self.may(node, False):
            found.add(False)
        return found

    def may(self, node: Node, want: bool) -> bool:
        """Return whether a condition may come out so: its ways, looked at without the facts of fills."""
        try:
            options = ways(node, want)
        except TooManyError:
            return True
        return any(self.open(way) for way in options)

    def open(self, way: Way) -> bool:
        return all(self.possible(atom) for atom in way)

    def possible(self, atom: Atom) -> bool:
        """Return whether a single statement is possible within the domains as they are."""
        left = self.see(atom.left.parts) if isinstance(atom.left, PathNode) else None
        if atom.op == "null":
            return self.maybe_null(atom.left) if atom.holds else True
        if atom.op == "bool":
            return left is None or left.values is None or atom.holds in left.values
        if atom.op == "in":
            return self.possible_in(atom)
        assert atom.right is not None
        if left is not None and left.values is not None and isinstance(atom.right, Const) and atom.op in ("=", "!="):
            same = left.values & {atom.right.value}
            return bool(same) if atom.op == "=" else left.values != same
        return not any(c.impossible(self.env) for c in self.inequalities(atom))

    def possible_in(self, atom: Atom) -> bool:
        assert isinstance(atom.left, Call)
        first, *rest = atom.left.args
        known = self.see(first.parts).values if isinstance(first, PathNode) else None
        if known is None:
            return True
        values = {c.value for c in rest if isinstance(c, Const)}
        return bool(known & values) if atom.holds else bool(known - values)


def _cancelling(one: AtMost, other: AtMost) -> list[PathParts]:
    theirs = dict(other.parts)
    return [path for path, c in one.parts if c * theirs.get(path, 0.0) < 0]


def _has_year(node: Node) -> bool:
    return isinstance(node, Call) and (node.op == "yr" or any(map(_has_year, node.args)))


def _moved(node: Node, before: PathParts) -> Node:
    """Return an expression over a row as one over a row that refers to it by the path `before`."""
    if isinstance(node, PathNode):
        return PathNode((*before, *node.parts), node.type)
    if isinstance(node, Const):
        return node
    return Call(node.op, tuple(_moved(a, before) for a in node.args), node.type)


def _year(day: float) -> float:
    if not 1 <= day <= date.max.toordinal():
        return 1 if day < 1 else 9999
    return date.fromordinal(int(day)).year


def _quotient(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    if b[0] <= 0 <= b[1] or inf in map(abs, (*a, *b)):
        return -inf, inf
    ends = [x / y for x in a for y in b]
    return min(ends), max(ends)


def _union(spans: Iterable[tuple[float, float]]) -> tuple[float, float]:
    found = list(spans)
    return (min(lo for lo, _ in found), max(hi for _, hi in found)) if found else (-inf, inf)


def _null(node: Node) -> bool:
    return isinstance(node, Const) and node.value is None
