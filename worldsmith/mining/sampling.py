"""Drawing the parts of a query from a world: scopes, clauses with thresholds between stored values, columns."""

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from worldsmith import expr
from worldsmith.cache import cached_method
from worldsmith.expr import Node
from worldsmith.expr.typed import call
from worldsmith.pages import Pages, uncarried
from worldsmith.pages.written import WrittenKind
from worldsmith.schema import Aggregate, Choice, Faker, PageSpec, Path, Pick, Rank, Value
from worldsmith.tasks.conditions import Wording, WordingSplit, verb_phrase
from worldsmith.tasks.descriptions import DescribedRow, Description, described_rows, descriptions
from worldsmith.tasks.query import HOPS, Scope
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.world.model import World

FEW = 6
"""Distinct values up to which a column is asked for by value, and beyond which by range."""
MOST_VALUES = 4
"""The most values of a scope."""

Known = str | int | float | bool
"""A value that is not null."""

LARGER = (1.0, 1.8, 2.6, 3.4, 4.2)
"""How many times the least rows of a size a scope has for a number of clauses."""
NEAR = 4
"""Gaps on either side of a quantile among which the roundest threshold is taken."""


PROBES = {
    "int": expr.Const(1, "int"),
    "num": expr.Const(1, "int"),
    "date": expr.Const("2000-01-01", "date"),
    "text": expr.Const("X", "text"),
}
"""A constant by type, to see how a condition reads."""


@dataclass(frozen=True, slots=True)
class Size:
    """What a size of task asks for: (least, most) of rows, columns, and rows in scope."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    scope: tuple[int, int]


SIZES = {
    "wide": Size((10, 60), (4, 8), (10, 60)),
    "small": Size((3, 8), (3, 4), (3, 14)),
}


class Family(NamedTuple):
    """Child rows that a page about their parent, or a list for it, tells whole, and which of their columns."""

    table: str
    ref: str
    columns: tuple[str, ...]
    about: bool
    """Whether it is the page about the parent, which there is also where there are no children."""


class MiningContext:
    """A world as tasks are drawn from: which scopes, paths and cells there are. Made once per world."""

    def __init__(
        self, world: World, pages: Pages, evaluator: QueryEvaluator | None = None, split: WordingSplit = "all"
    ) -> None:
        self.world, self.pages, self.evaluator, self.split = world, pages, evaluator or QueryEvaluator(world), split

    @cached_property
    def scopes(self) -> tuple[tuple[str, str], ...]:
        """The (table, column) pairs that a question may be scoped to: listed by, over a table of invented keys."""
        schema = self.world.schema
        listed = dict.fromkeys((spec.table, spec.by or "") for spec in schema.pages if spec.list and spec.by)
        return tuple((t, by) for t, by in listed if not self._has_real_names(t))

    @cached_property
    def named_tables(self) -> tuple[str, ...]:
        """The tables of whose rows a question may name one: by an invented key of one column."""
        named = [t for t in map(self.world.schema.tables.__getitem__, self.pages.abouts) if len(t.key) == 1]
        return tuple(t.name for t in named if not (t.background or self._has_real_names(t.name)))

    @cached_property
    def unlisted(self) -> tuple[tuple[str, str], ...]:
        """Those of the scopes whose rows no list page names: they are put together from pages about rows."""
        kinds = (kind.source for kind in self.pages.kinds.values() if isinstance(kind, WrittenKind))
        listed = {(source.list_, source.by) for source in kinds if source.list_ and source.when is None}
        return tuple(at for at in self.scopes if at not in listed) if self.pages.voice else ()

    def _has_real_names(self, name: str) -> bool:
        """Tell whether the rows of a table are named by declared real names alone."""
        table = self.world.schema.tables[name]
        fills = [table.column(name).fill for name in table.key]
        return all(isinstance(fill, Pick) and self.world.schema.values[fill.values].real for fill in fills)

    @cached_property
    def _unseen(self) -> frozenset[tuple[str, str]]:
        schema = self.world.schema
        hidden = {(c.table, c.name) for t in schema.tables.values() for c in t.columns if c.see == "linked"}
        faked = {(c.table, c.name) for t in schema.tables.values() for c in t.columns if isinstance(c.fill, Faker)}
        return frozenset({*uncarried(schema), *hidden, *faked})

    @cached_method
    def paths(self, table: str) -> tuple[Path, ...]:
        """Return the paths from a table whose values pages state: its own columns outside the key, then joined ones.

        None has a hop that adds nothing in this world, or a null of two meanings (`informative_paths`).
        """
        return informative_paths(self.evaluator, table, self._all_paths(table, ()), self._keys(table))

    @cached_method
    def askable(self, table: str) -> tuple[Path, ...]:
        """Return the paths that a clause may be about: those whose conditions no other column's read like."""
        phrases = {path: self._probe_phrase(table, path) for path in (*self.paths(table), *self._keys(table))}
        counts = Counter(phrases.values())
        return tuple(p for p in self.paths(table) if counts[phrases[p]] == 1)

    def _keys(self, table: str) -> list[Path]:
        return [(name,) for name in self.world.schema.tables[table].key]

    def _probe_phrase(self, table: str, path: Path) -> str:
        """Return how one and the same condition reads on a column."""
        kind = self.world.schema.walk(table, path).type
        here = expr.Path(path, kind)
        probe = PROBES.get(kind)
        node = here if probe is None else call("=" if kind == "text" else ">", [here, probe])
        return verb_phrase(Wording(self.world.schema), table, node)

    def _all_paths(self, table: str, before: Path) -> list[Path]:
        schema = self.world.schema
        form = schema.tables[table]
        shown = [c for c in form.columns if (table, c.name) not in self._unseen]
        paths: list[Path] = [(*before, c.name) for c in shown if c.name not in form.key]
        for ref in form.refs if len(before) + 1 < HOPS else ():
            target = ref.ref or ""
            if (table, ref.name) not in self._unseen and target in self.pages.abouts and target != table:
                paths += self._all_paths(target, (*before, ref.name))
        return paths

    @cached_method
    def families(self, table: str) -> tuple[Family, ...]:
        """Return the children of a table that tallies may be made of; none where a row is named by several columns."""
        return tuple(self._all_families(table)) if len(self._keys(table)) == 1 else ()

    def _all_families(self, table: str) -> Iterator[Family]:
        schema = self.world.schema
        done = set()
        for spec in self.pages.specs:
            for child in spec.children if spec.about == table and self._whole(spec) else ():
                if schema.tables[child.table].background:
                    continue
                names = dict.fromkeys((*schema.tables[child.table].key, *child.columns))
                shown = tuple(n for n in names if n != child.ref and (child.table, n) not in self._unseen)
                done.add((child.table, child.ref))
                yield Family(child.table, child.ref, shown, about=True)
        for spec in self.pages.specs:
            if (
                spec.list
                and spec.by
                and not schema.tables[spec.list].background
                and schema.column(spec.list, spec.by).ref == table
            ):
                names = dict.fromkeys((*schema.tables[spec.list].key, *spec.show))
                shown = tuple(n for n in names if n != spec.by and (spec.list, n) not in self._unseen)
                if (spec.list, spec.by) not in done:
                    done.add((spec.list, spec.by))
                    yield Family(spec.list, spec.by, shown, about=False)

    def _whole(self, spec: PageSpec) -> bool:
        """Tell whether every row of a table has a page of a kind, as plain kinds that tell children do."""
        return self.pages.voice is None or len(self.pages.kinds[spec.name].numbers) == self.world.size(spec.table)

    def tally_pages(self, table: str, index: int, tally: Aggregate) -> tuple[str, ...]:
        """Return the pages of which one tells all children of a row that a tally looks at."""
        key = self.world.tables[table][self.world.schema.tables[table].key[0]][index]
        page_ids = []
        for spec in self.pages.specs:
            if spec.about == table and any((c.table, c.ref) == (tally.table, tally.by[0]) for c in spec.children):
                page_ids += [f"{spec.name}/{index}"] if index in self.pages.kinds[spec.name].numbers else []
            elif (spec.list, spec.by) == (tally.table, tally.by[0]):
                start = self.pages.list_of(spec.name, key)
                page_ids += [start] if start else []
        return tuple(page_ids)

    def shares_page(self, table: str, path: Path, rows: Iterable[int]) -> bool:
        """Tell whether a page states what some rows of a table hold at the end of a path, of two of them at least."""
        cells = dict.fromkeys(self.evaluator.cell(table, i, path) for i in rows)
        page_ids = Counter(page_id for cell in cells if cell for page_id in self.pages.carrying(*cell))
        return max(page_ids.values(), default=0) > 1

    @cached_method
    def values_of_lists(self, table: str, column: str, least: int, most: int) -> list[Known]:
        """Return the values of a column that `least` to `most` rows share, sorted."""
        places = self.world.rows_by_value(table, column)
        return sorted(v for v, rows in places.items() if v is not None and least <= len(rows) <= most)

    @cached_method
    def sortable_paths(self, table: str) -> list[Path]:
        """Return the paths that rows can be put in order by."""
        return [path for path in self.paths(table) if len(path) <= 2 and self._is_sortable(table, path)]

    def _is_sortable(self, table: str, path: Path) -> bool:
        column = self.world.schema.walk(table, path)
        values = self.evaluator.values(table, path)
        many = len(set(values)) > max(4, len(values) // 8)
        # Nobody asks for the lowest of highest bids.
        extreme = self.world.schema.bank and isinstance(column.fill, Aggregate) and column.fill.op == "max"
        return column.type in {"int", "num", "date"} and not isinstance(column.fill, Rank) and many and not extreme

    @cached_method
    def exits_to_lists(self, table: str) -> list[tuple[Path, tuple[str, str]]]:
        """Return the paths from a table to a text that lists are made by, each with the list (table, column)."""
        exits: list[tuple[Path, tuple[str, str]]] = []
        for path in self.paths(table):
            column = self.world.schema.walk(table, path)
            if column.type == "text" and len(path) < HOPS:
                domain = self._domain(column.table, column.name)
                exits += [(path, at) for at in self.scopes if domain == self._domain(*at)]
        return exits

    def _domain(self, table: str, name: str) -> tuple[str, ...]:
        """Return what the values of a column are: rows of a table, items of a list, or values of this column alone."""
        column = self.world.schema.column(table, name)
        if column.ref:
            return ("row", column.ref)
        if self.world.schema.tables[table].key == (name,):
            return ("row", table)
        return ("list", column.fill.values) if isinstance(column.fill, Pick) else ("column", table, name)

    @cached_method
    def described_rows(self, table: str) -> list[tuple[Description, list[DescribedRow]]]:
        """Return the descriptions of a table's rows in the wordings asked for, each with those it fits alone."""
        fitting = (
            (one, list(described_rows(self.evaluator, one)))
            for one in descriptions(self.world.schema, self.split)
            if one.table == table
        )
        return [(one, rows) for one, rows in fitting if rows]

    def stores_tally(self, table: str, tally: Aggregate) -> bool:
        """Tell whether a column holds a tally already."""
        return any(isinstance(c.fill, Aggregate) and c.fill == tally for c in self.world.schema.tables[table].columns)


def draw_scope(
    context: MiningContext, size: Size, clauses: int, r: random.Random, *, unlisted: bool = False
) -> tuple[str, Scope] | None:
    """Return a table and a scope of it with rows enough for a number of clauses to thin out, or None.

    With `unlisted` it is one that no list page is made for.
    """
    # Of tables with children more can be asked.
    scopes = context.unlisted if unlisted else context.scopes
    table, by = r.choices(scopes, [1 + bool(context.families(t)) for t, _ in scopes])[0]
    places = context.world.rows_by_value(table, by)
    values = [v for v in places if v is not None]
    r.shuffle(values)
    low, high = size.scope
    wanted = 1 if r.random() < 0.6 else 2
    least = min(int(low * LARGER[clauses]), high)
    taken: list[Value] = []
    rows = 0
    for value in values:
        if rows + len(places[value]) <= high:
            taken.append(value)
            rows += len(places[value])
        if len(taken) == MOST_VALUES or (len(taken) >= wanted and rows >= least):
            break
    taken.sort()
    return (table, Scope(by, tuple(taken))) if rows >= min(least, int(low * LARGER[1])) else None


def draw_clause(context: MiningContext, table: str, path: Path, rows: Sequence[int], r: random.Random) -> Node | None:
    """Return a condition on `path` that some of `rows` pass and some don't, or None."""
    column = context.world.schema.walk(table, path)
    values = context.evaluator.values(table, path)
    held = [values[i] for i in rows]
    known = [v for v in held if v is not None]
    distinct = sorted(set(known))
    here = expr.Path(path, column.type)
    # Of a row that is referred to, null could also mean that there is none.
    if len(known) < len(held) and len(path) == 1 and column.none and r.random() < 0.3:
        gone = call("is null", [here])
        return call("not", [gone]) if r.random() < 0.5 else gone
    if len(distinct) < 2:
        return None
    if column.type == "bool":
        return here if r.random() < 0.5 else call("not", [here])
    if column.type == "date" and r.random() < 0.25:
        return _draw_year(here, Counter(str(v)[:4] for v in known), r)
    if column.type in {"int", "num", "date"} and len(distinct) > FEW:
        return draw_range(here, column.decimals, known, r)
    counted = column.type == "int" and not isinstance(column.fill, Choice | Pick)
    if column.type in {"num", "date"} or (counted and len(set(values)) > FEW):
        return None
    return _draw_named_values(here, known, r, whole=len(known) == len(held) and not counted)


def _draw_year(here: expr.Path, years: Counter[str], r: random.Random) -> Node | None:
    common = sorted(y for y, n in years.items() if n * 5 >= sum(years.values()))
    if len(years) < 2 or not common:
        return None
    return call("=", [call("yr", [here]), expr.Const(int(common[r.randrange(len(common))]), "int")])


def _draw_named_values(here: expr.Path, known: list[Known], r: random.Random, *, whole: bool) -> Node:
    counts = Counter(known)
    names = sorted(counts)
    r.shuffle(names)
    names.sort(key=lambda v: -counts[v])
    first = r.randrange(min(3, len(names)))
    kind = here.type
    choice = r.random()
    if whole and choice < 0.25:
        return call("!=", [here, expr.Const(names[first], kind)])
    if choice < 0.6 and len(names) > 2:
        pair = sorted((names[first], names[(first + 1) % len(names)]))
        return call("in", [here, *(expr.Const(v, kind) for v in pair)])
    return call("=", [here, expr.Const(names[first], kind)])


def draw_range(
    here: expr.Path, decimals: int, known: Sequence[Known], r: random.Random, *, over: bool | None = None
) -> Node | None:
    """Return a bound or two on a number or date, strictly between stored values; only from below where `over`."""
    ordered = sorted(known)
    distinct = sorted(set(known))
    if over is None and r.random() < 0.2:
        low = _threshold(distinct, ordered[int(len(ordered) * r.uniform(0.05, 0.25))], decimals, late=False)
        high = _threshold(distinct, ordered[int(len(ordered) * r.uniform(0.7, 0.95))], decimals, late=True)
        if low is None or high is None or not low < high:  # type: ignore[operator]  # one type
            return None
        return call("between", [here, _bound(here, low), _bound(here, high)])
    over = r.random() < 0.5 if over is None else over
    share = r.uniform(0.1, 0.6) if over else r.uniform(0.4, 0.9)
    border = _threshold(distinct, ordered[int(len(ordered) * share)], decimals, late=over)
    return None if border is None else call(">" if over else "<", [here, _bound(here, border)])


def _bound(here: expr.Path, value: Known) -> expr.Const:
    """Return a bound of a path's type: a whole one of numbers with a fraction is read back as it was written."""
    return expr.Const(float(value) if here.type == "num" else value, here.type)


def _threshold(distinct: list[Known], near: Known, decimals: int, *, late: bool) -> Known | None:
    """Return the roundest value strictly between two neighbouring stored ones near `near`; None where there is none."""
    place = bisect_right(distinct, near)
    gaps = pairwise(distinct[max(place - NEAR, 0) : place + NEAR + 1])
    thresholds = [
        _day_between(a, str(b), late=late) if isinstance(a, str) else roundest_between(a, float(b), decimals)
        for a, b in gaps
    ]
    best = max((f for f in thresholds if f is not None), key=lambda f: f[0], default=None)
    return best[1] if best else None


def roundest_between(low: float, high: float, decimals: int) -> tuple[int, float] | None:
    """Return how round, and which, the roundest number strictly between two is, at `decimals` digits; None for none."""
    # In units of the last digit, so that no float is compared.
    a, b = round(low * 10**decimals), round(high * 10**decimals)
    if b - a < 2:
        return None
    for power in range(9, -decimals - 1, -1):
        for factor in (5, 2, 1):
            unit = factor * 10 ** (power + decimals)
            at = (a // unit + 1) * unit
            if at < b:
                value = at / 10**decimals if decimals else at
                return power * 3 + {5: 1, 2: 0, 1: 2}[factor], value
    return None


def _day_between(low: str, high: str, *, late: bool) -> tuple[int, Known] | None:
    """Return how round, and which, a day strictly between two is: a year's or a month's border, or the middle."""
    back = 1 if late else 0
    first, last = date.fromisoformat(low).toordinal() + 1 + back, date.fromisoformat(high).toordinal() - 1 + back
    if first > last:
        return None
    start, end = date.fromordinal(first), date.fromordinal(last)
    years = [date(y, 1, 1).toordinal() for y in range(start.year, end.year + 1)]
    months = range(start.year * 12 + start.month - 1, end.year * 12 + end.month)
    for rank, borders in ((2, years), (1, [date(m // 12, m % 12 + 1, 1).toordinal() for m in months])):
        inside = [n for n in borders if first <= n <= last]
        if inside:
            return rank, date.fromordinal(inside[len(inside) // 2] - back).isoformat()
    return 0, date.fromordinal(first + (last - first + 1) // 2 - back).isoformat()


def draw_columns(
    context: MiningContext, table: str, rows: Sequence[int], skip: frozenset[Path], *, count: int, r: random.Random
) -> list[Path]:
    """Return up to `count` paths outside the key whose values vary over `rows`; at most one that snippets show."""
    free = (p for p in context.paths(table) if p not in skip and most_common_share(context, table, p, rows) <= 0.5)
    # An exponential race: the smallest arrivals are a weighted sample without replacement.
    weighed = sorted((r.expovariate(1.0) * (1, 2.5, 8, 20)[len(path) - 1], path) for path in free)
    taken: list[Path] = []
    shown = 0
    for _, path in weighed:
        snippet = context.world.schema.walk(table, path).see == "snippet"
        if snippet and (shown or count < 5):
            continue
        shown += snippet
        taken.append(path)
        if len(taken) == count:
            break
    order = {path: i for i, path in enumerate(context.paths(table))}
    return sorted(taken, key=order.__getitem__)


def most_common_share(context: MiningContext, table: str, path: Path, rows: Sequence[int]) -> float:
    """Return the share of the most common value over `rows`: what a constant guess is worth."""
    values = context.evaluator.values(table, path)
    return Counter(values[i] for i in rows).most_common(1)[0][1] / len(rows)


def informative_paths(
    evaluator: QueryEvaluator, table: str, paths: Sequence[Path], keys: Sequence[Path] = ()
) -> tuple[Path, ...]:
    """Return the paths, in order, whose hops all matter and whose null, if any, means one thing.

    `keys` are shorter ways too: what names the row itself.
    """
    shorter = sorted((*keys, *paths), key=len)
    known: dict[tuple[Value, ...], int] = {}
    for path in shorter:
        known.setdefault(tuple(evaluator.values(table, path)), len(path))
    return tuple(
        p
        for p in paths
        if not _is_idle(evaluator, table, p, shorter, known) and not ambiguous_null(evaluator, table, p)
    )


def _is_idle(
    evaluator: QueryEvaluator, table: str, path: Path, shorter: Sequence[Path], known: dict[tuple[Value, ...], int]
) -> bool:
    """Tell whether a shorter path has the same value in every row of the world that has one."""
    values = evaluator.values(table, path)
    if len(path) == 1:
        return False
    if None not in values:
        return known[tuple(values)] < len(path)
    rows = [i for i, value in enumerate(values) if value is not None]
    others = (evaluator.values(table, one) for one in shorter if len(one) < len(path))
    return any(all(values[i] == other[i] for i in rows) for other in others)


def ambiguous_null(evaluator: QueryEvaluator, table: str, path: Path) -> bool:
    """Tell whether null at the end of a path has two reasons: no row is referred to, or that row has no value."""
    held = [evaluator.values(table, path[: n + 1]) for n in range(len(path))]
    gone = {next(n for n, values in enumerate(held) if values[i] is None) for i, v in enumerate(held[-1]) if v is None}
    return len(gone) > 1
