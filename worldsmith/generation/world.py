"""The flow of generation: structure, sizes, lists, columns in order, each rule tested at its last column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from math import ceil
from typing import NamedTuple

from worldsmith import expr, seeding
from worldsmith.errors import GenerationError, SchemaError, UsageError, close_match
from worldsmith.expr import Node
from worldsmith.generation.composite_keys import draw_key, reads_only_key
from worldsmith.generation.computed import compute
from worldsmith.generation.draw import draw_cells
from worldsmith.generation.faker_pools import require_faker
from worldsmith.generation.filling import Filling, StuckError, Vector
from worldsmith.generation.repair import cells_to_redraw
from worldsmith.generation.rules import rows_breaking
from worldsmith.graph import ConstraintGraph, graph_of
from worldsmith.naming import ALSO, AVAILABLE
from worldsmith.schema import (
    COMPUTED,
    DEFAULT_KNOBS,
    Column,
    Invent,
    Knobs,
    Language,
    Pick,
    Reference,
    Rule,
    Schema,
    Split,
    foreground,
    in_language,
    structure_of,
)
from worldsmith.schema.reads import Name
from worldsmith.schema.rules import Must
from worldsmith.schema.scaling import apply_knobs
from worldsmith.world.model import World, common_names_per_culture, invented_keys, uses_faker, world_id

CELL_ROUNDS = 40
"""Redraws of the cells of a drawn column that break a rule."""
COMPUTED_ROUNDS = 10
"""Redraws of the cells that a computed column is computed from."""
ATTEMPT_ROUNDS = 2000
"""Redraws in one attempt, in all: a refill tests earlier rules again, and these cause redraws in turn."""
RESTARTS = 5
"""Restarts of a world before its schema is called contradictory."""
SEEDS = 2**63
"""Seeds lie in [-SEEDS, SEEDS): every JSON writer here keeps them exact."""


class Restart(NamedTuple):
    """What an attempt stopped at: `place` and `rule` as in GenerationError."""

    place: str
    rule: str | None


@dataclass
class Effort:
    """What generation took: redraw rounds per rule, and restarts. For `schema check`."""

    redraws: dict[str, int] = field(default_factory=dict)
    restarts: list[Restart] = field(default_factory=list)
    first_tests: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Rows that broke a rule when it was first tested in a world, rows in all, and worlds, added up."""


def generate(
    schema: Schema,
    seed: int,
    effort: Effort | None = None,
    knobs: Knobs = DEFAULT_KNOBS,
    language: Language = "plain",
    split: Split = "all",
) -> World:
    """Return the world of (schema, seed, knobs): the same inputs always give the same rows, in either language.

    Raises:
        GenerationError: a rule never held in 1 + 5 attempts (more, in proportion, with more `facts`); the message names
            it with rows and values.
        UsageError: a seed of more than 64 bits; knobs that the schema can't follow, with the nearest that it can; or a
            schema with Faker's details where another version of Faker is installed.
    """
    if not -SEEDS <= seed < SEEDS:
        raise UsageError(
            f"seed = {seed}: a world's own seed has 64 bits; `worldsmith generate --seed` takes any number"
        )
    effort = effort or Effort()
    schema = in_language(schema, language, split)
    _check_names(schema)
    if uses_faker(schema):
        require_faker()
    switches = [switch for switch, chance in schema.variation.items() if _coin(seed, schema.name, switch) < chance]
    structure = structure_of(schema, switches)
    structure = structure if schema.bank else foreground(structure)  # plain pages tell no background
    under_knobs = apply_knobs(structure, knobs)
    filling = _fill(under_knobs, seed, effort, _restarts(structure, under_knobs))
    tables = {
        table.name: {column.name: filling.data[table.name][column.name] for column in table.columns}
        for table in filling.structure.tables.values()
    }
    return World(world_id(schema, seed, knobs), filling.structure, seed, tables, dict(filling.values))


def _restarts(structure: Schema, under_knobs: Schema) -> int:
    """Return how often a world may be started again: more often with more rows, any of which may stop an attempt."""
    growth = _most_rows(under_knobs) / _most_rows(structure)
    return ceil(RESTARTS * max(1.0, growth))


def _most_rows(structure: Schema) -> int:
    return sum(table.rows[1] for table in structure.tables.values())


def _fill(structure: Schema, seed: int, effort: Effort, restarts: int) -> Filling:
    """Return the first attempt that could be finished; GenerationError where none could."""
    graph = graph_of(structure)
    for attempt in range(1 + restarts):
        try:
            return _Attempt(structure, graph, seed, attempt, effort).fill()
        except StuckError as error:
            last_error = error
            effort.restarts.append(Restart(error.place, error.rule))
    knobs = structure.knobs
    raise GenerationError(
        f"{structure.name}, seed {seed}: no world in {1 + restarts} attempts; the last one stopped at {last_error}. "
        f"Loosen that rule or the ranges it reads; `worldsmith schema check` counts what each rule costs and says what "
        "would fill it."
        + (f" Or it is the knobs: {knobs} is more than the schema can follow with this seed." if knobs.turned else ""),
        place=last_error.place,
        reason=last_error.text,
        rule=last_error.rule,
    )


def _check_names(schema: Schema) -> None:
    requests = [
        (f"values.{values.name}", values.invent, values.n) for values in schema.values.values() if values.invent
    ]
    requests += [
        (f"{table.name}.{column.name}", column.fill.kind, table.rows[1])
        for table in schema.tables.values()
        for column in table.columns
        if isinstance(column.fill, Invent)
    ]
    for place, kind, count in requests:
        if kind not in schema.name_kinds:
            raise SchemaError(f"no names of kind {kind!r}.{close_match(kind, schema.name_kinds)}", place)
        if count > AVAILABLE:
            raise SchemaError(f"{count} names of kind {kind!r} asked, {AVAILABLE} available: ask for fewer rows", place)


def _coin(seed: int, *path: str) -> float:
    return seeding.draw(seed, "switch", *path) / 2**64


class _Attempt:
    """One attempt at a world: its columns so far, and the rules to test at each unit."""

    def __init__(self, structure: Schema, graph: ConstraintGraph, seed: int, attempt: int, effort: Effort) -> None:
        self.structure = structure
        self.graph = graph
        self.effort = effort
        self.filling = Filling(structure, seed, attempt, {})
        self.first_tested: set[str] = set()
        self.rounds = 0
        self.rules_at: dict[int, list[Rule]] = {}
        for rule in structure.rules:
            self.rules_at.setdefault(graph.tested_at[rule.name], []).append(rule)

    def fill(self) -> Filling:
        self.fill_lists()
        self.draw_sizes()
        if self.structure.knobs.homonyms or self.structure.knobs.common_names:
            self.filling.drawn_keys = _keys_under_knobs(self.filling)
        for at, unit in enumerate(self.graph.order):
            self.fill_unit(unit, at)
            self.enforce_rules(at)
        return self.filling

    def fill_lists(self) -> None:
        filling = self.filling
        for values in self.structure.values.values():
            if values.invent is None:
                filling.values[values.name] = values.items
                continue
            filling.values[values.name] = tuple(filling.namer.names(values.invent, values.n, "values", values.name))

    def draw_sizes(self) -> None:
        """Draw each table's rows so that every `per` of its references can be met.

        With the knob `facts`, one position between the ends of `rows` is drawn per world, and its tables lie near it:
        sums of independently drawn rows would all lie in the middle.
        """
        place = self.filling.rng("facts").random() if self.structure.knobs.facts else None
        for table in self.structure.tables.values():
            lo, hi = table.rows
            for column in table.refs:
                fill = column.fill
                assert isinstance(fill, Reference)
                if fill.per is not None and fill.table in self.filling.sizes:
                    parents = self.filling.sizes[fill.table]
                    lo, hi = max(lo, parents * fill.per[0]), min(hi, parents * fill.per[1])
            if len(table.key) == 1 and isinstance(key := table.column(table.key[0]).fill, Pick):
                hi = min(hi, len(self.filling.values[key.values]))
            lo = min(lo, hi) if table.background else lo
            if lo > hi:
                raise StuckError(table.name, f"rows = {list(table.rows)} can't be met: per and keys leave [{lo}, {hi}]")
            rng = self.filling.rng("rows", table.name)
            if place is None:
                self.filling.sizes[table.name] = rng.randint(lo, hi)
            else:
                near = table.rows[0] + round((0.9 * place + 0.1 * rng.random()) * (table.rows[1] - table.rows[0]))
                self.filling.sizes[table.name] = min(max(near, lo), hi)

    def fill_unit(self, unit: Sequence[Name], at: int, *again: int) -> None:
        """Fill the columns of one unit; `again` is the round of a repair."""
        columns = [self.structure.column(*name) for name in unit]
        first = columns[0]
        if len(columns) > 1 or (len(self.structure.tables[first.table].key) > 1 and first.key and _drawn(first)):
            rng = self.filling.rng(first.table, "key", *again)
            for column, values in zip(
                columns, draw_key(self.filling, columns, self.key_conditions(columns, at), rng), strict=True
            ):
                self.filling.set_column(column.table, column.name, values)
        elif _drawn(first):
            rng = self.filling.rng(first.table, first.name, *again)
            self.filling.set_column(
                first.table, first.name, draw_cells(self.filling, first, range(self.filling.sizes[first.table]), rng)
            )
        else:
            self.filling.set_column(first.table, first.name, compute(self.filling, first))

    def key_conditions(self, columns: Sequence[Column], at: int) -> list[Node]:
        """Return the conditions on a composite key: its `where`s, and the rules that read nothing else."""
        nodes = [w for c in columns if (w := getattr(c.fill, "where", None)) is not None]
        rules = [r for r in self.rules_at.get(at, ()) if isinstance(r, Must) and r.table == columns[0].table]
        # Null passes a rule, but `where` needs true: coalesce turns null into true.
        true = expr.Const(value=True, type="bool")
        nodes += [expr.Call("coalesce", (r.node, true), "bool") for r in rules]
        return [n for n in nodes if reads_only_key(columns, expr.paths(n))]

    def enforce_rules(self, at: int) -> set[Name]:
        """Test the rules whose last column this is, and repair; return the columns that were redrawn.

        Raises StuckError where a rule still doesn't hold.
        """
        drawn: set[Name] = set()
        rules = self.rules_at.get(at, ())
        rounds = CELL_ROUNDS if _drawn(self.structure.column(*self.graph.order[at][0])) else COMPUTED_ROUNDS
        for round_ in range(rounds + 1):
            violations = [(rule, rows) for rule in rules if (rows := self.broken_rows(rule))]
            if not violations:
                return drawn
            self.rounds += 1
            if round_ == rounds or self.rounds > ATTEMPT_ROUNDS:
                break
            drawn |= self.redraw(violations, at, round_)
        rule, rows = violations[0]
        raise self.stuck_at(rule, rows)

    def broken_rows(self, rule: Rule) -> list[int]:
        """Return the rows that break a rule, counting them where the world's first attempt first tests it."""
        rows = rows_breaking(self.filling, rule)
        if self.filling.attempt == 0 and rule.name not in self.first_tested:
            self.first_tested.add(rule.name)
            bad, all_, worlds = self.effort.first_tests.get(rule.name, (0, 0, 0))
            self.effort.first_tests[rule.name] = (bad + len(rows), all_ + self.filling.sizes[rule.table], worlds + 1)
        return rows

    def redraw(self, violations: list[tuple[Rule, list[int]]], at: int, round_: int) -> set[Name]:
        cells: dict[Name, set[int]] = {}
        for rule, rows in violations:
            self.effort.redraws[rule.name] = self.effort.redraws.get(rule.name, 0) + 1
            read = [name for name in self.graph.rule_columns[rule.name] if name in self.graph.order[at]]
            for name, indices in cells_to_redraw(self.filling, rule, rows, read).items():
                cells.setdefault(name, set()).update(indices)
        if not cells:
            rule, rows = violations[0]
            raise self.stuck_at(rule, rows)
        for name, chosen in sorted(cells.items()):
            column = self.structure.column(*name)
            ordered = sorted(chosen)
            rng = self.filling.rng(*name, "again", at, round_)
            values = list(self.filling.data[name[0]][name[1]])
            for i, value in zip(ordered, draw_cells(self.filling, column, ordered, rng), strict=True):
                values[i] = value
            self.filling.set_column(*name, values)
        return cells.keys() | self.refill(cells, at, round_)

    def refill(self, redrawn: Mapping[Name, set[int]], at: int, round_: int) -> set[Name]:
        """Refill what depends on redrawn cells, up to this unit, and enforce every rule that reads any of it.

        Returns the columns that those rules redrew in turn, on which others depend as well.
        """
        hanging: set[Name] = set().union(*(self.graph.dependents(name) for name in redrawn))
        stale, drawn = {name for name in hanging if not self._keeps_up(name, redrawn)}, set[Name]()
        for earlier in range(min(map(self.graph.unit_index.__getitem__, redrawn)), at + 1):
            unit = self.graph.order[earlier]
            if not stale.isdisjoint(unit):
                self.fill_unit(unit, earlier, at, round_)
                # A key of several columns is drawn whole, those too that were not stale.
                moved = set[Name]().union(*(self.graph.dependents(name) for name in unit))
                hanging, stale = hanging | moved, stale | moved
            if earlier < at and any(("rule", rule.name) in hanging for rule in self.rules_at.get(earlier, ())):
                more = self.enforce_rules(earlier)
                further = set[Name]().union(*(self.graph.dependents(name) for name in more))
                hanging, stale, drawn = hanging | further, stale | further, drawn | more
        return drawn

    def _keeps_up(self, name: Name, redrawn: Mapping[Name, set[int]]) -> bool:
        """Whether a column was redrawn in every row in which one that it depends on was.

        Of another table that can't be told by rows: a reference that is dealt out anew moves what is read along it.
        """
        return name in redrawn and all(
            other[0] == name[0] and rows <= redrawn[name]
            for other, rows in redrawn.items()
            if name in self.graph.dependents(other)
        )

    def stuck_at(self, rule: Rule, rows: list[int]) -> StuckError:
        filling, key = self.filling, self.structure.tables[rule.table].key
        read = (
            [p for p in expr.paths(rule.node) if p[0] in self.structure.tables[rule.table].names] if rule.node else []
        )
        shown = []
        for i in rows[:3]:
            name = ", ".join(str(filling.data[rule.table][k][i]) for k in key if k in filling.data[rule.table])
            values = ", ".join(f"{'.'.join(p)} = {filling.vector(rule.table, p)[i]!r}" for p in read)
            shown.append(f"{rule.table} {name} ({values})" if values else f"{rule.table} {name}")
        return StuckError(f"rule {rule.name}", f"{len(rows)} rows break it: {'; '.join(shown)}", rule.name)


def _drawn(column: Column) -> bool:
    return not isinstance(column.fill, COMPUTED)


def _keys_under_knobs(filling: Filling) -> dict[Name, Vector]:
    """Return the keys of every table with invented names: a share common to worlds, a share common to tables.

    Half of the `homonyms` share is used by two tables each. The other half have a namesake without a row
    (`World.namesakes`), as do names for which no other table has a fitting kind. A name is shared by two rows at most,
    never within a table, and by at most half of a table's rows; those of `common_names` are not among them.
    """
    kinds = invented_keys(filling.structure)
    # Before all others, so that none of them is refused as a twin of a name that only this world has.
    common = {place: _common_keys(filling, kind, *place) for place, kind in kinds.items()}
    names = {place: _drawn_names(filling, kind, common[place], *place) for place, kind in kinds.items()}
    chance = filling.rng("homonyms")
    free = {
        place: [i for i in chance.sample(range(len(rows)), len(rows) // 2) if i not in common[place]]
        for place, rows in names.items()
    }
    pairs = [(a, b) for a, b in permutations(kinds, 2) if kinds[b] in (kinds[a], *ALSO.get(kinds[a], ()))]
    for _ in range(round(filling.structure.knobs.homonyms / 2 * sum(map(len, names.values())))):
        open_ = [(a, b) for a, b in pairs if free[a] and free[b]]
        if not open_:
            break
        bearer, first = chance.choice(open_)
        names[bearer][free[bearer].pop()] = names[first][free[first].pop()]
    return names


def _common_keys(filling: Filling, kind: str, table: str, column: str) -> dict[int, str]:
    """Return the keys of a table that come from the stock of its schema, by row: the share `common_names`."""
    structure, rows = filling.structure, filling.sizes[table]
    count = round(structure.knobs.common_names * rows)
    size = common_names_per_culture(structure, table)
    names = filling.namer.common_names(kind, count, size, structure.name, table, column) if count else []
    return dict(zip(filling.rng("common", table).sample(range(rows), len(names)), names, strict=True))


def _drawn_names(filling: Filling, kind: str, common: Mapping[int, str], table: str, column: str) -> Vector:
    """Return a table's keys in the order of its rows: the common ones in their places, names of its own in the rest."""
    rows = filling.sizes[table]
    own = iter(filling.namer.names(kind, rows - len(common), table, column))
    return [common[i] if i in common else next(own) for i in range(rows)]
