"""A schema on trial: worlds filled from it, and what they say of its rules."""

from dataclasses import dataclass
from typing import Any

from worldsmith.check import check
from worldsmith.errors import GenerationError
from worldsmith.generate import generate
from worldsmith.generate.world import Effort
from worldsmith.schema import Schema

USUAL = (300, 500)
"""Facts of the worlds that everything here was made for."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of filling some worlds."""

    schema: str
    worlds: int
    failed: tuple[str, ...]
    """Seeds for which no world was found, with the reason."""
    declared: tuple[int, int]
    """Least and most rows by the declared totals, whatever is switched off."""
    facts: tuple[int, int]
    redraws: dict[str, int]
    restarts: dict[str, int]
    broken: dict[str, int]
    """Violations by rule; generation should leave none."""
    idle: tuple[str, ...]
    """Declared rules that covered no row in any world where they were on."""
    structures: int

    @property
    def faults(self) -> bool:
        """Whether the schema needs work: a world that can't be filled, or a rule that never says anything."""
        return bool(self.failed or self.broken or self.idle)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {name: getattr(self, name) for name in self.__slots__} | {"faults": self.faults}

    def text(self) -> str:
        """Return the trial as a person reads it."""
        lines = [
            f"{self.schema}: worlds filled: {self.worlds}, of {self.facts[0]} to {self.facts[1]} facts; "
            f"structures among them: {self.structures}"
        ]
        lines += [f"  no world: {reason}" for reason in self.failed[:3]]
        if len(self.failed) > 3:
            lines.append(f"  no world for {len(self.failed) - 3} more seeds")
        lines += [
            f"  redrawn {n} times for rule {rule}" for rule, n in sorted(self.redraws.items(), key=lambda x: -x[1])
        ]
        lines += [f"  restarted {n}x at {place}" for place, n in self.restarts.items()]
        lines += [f"  BROKEN {n}x: {rule}" for rule, n in self.broken.items()]
        lines += [f"  rule {rule} covered no row" for rule in self.idle]
        lines.insert(1, f"  by its declared totals a world has {self.declared[0]} to {self.declared[1]} facts")
        if self.declared[0] < USUAL[0] or self.declared[1] > USUAL[1]:
            lines.append(f"  note: tasks and pages are measured on worlds of {USUAL[0]} to {USUAL[1]} facts")
        if not self.faults:
            lines.append("  nothing wrong with it")
        return "\n".join(lines)


def declared_rows(schema: Schema) -> tuple[int, int]:
    """Return the least and the most rows a world can have: an optional table counts with none, or with its most."""
    tables = schema.tables.values()
    return sum(t.rows[0] for t in tables if t.switch is None), sum(t.rows[1] for t in tables)


def trial(schema: Schema, count: int, seed: int) -> Trial:
    """Fill `count` worlds with seeds from `seed` on, check them, and tally."""
    effort = Effort()
    failed, facts, structures = [], [], set()
    broken: dict[str, int] = {}
    covered: dict[str, int] = {}
    for number in range(seed, seed + count):
        try:
            world = generate(schema, number, effort=effort)
        except GenerationError as error:
            failed.append(str(error))
            continue
        facts.append(world.facts)
        structures.add(world.schema.switches)
        declared = {rule.name for rule in world.schema.rules}
        for rule in check(world).rules:
            if rule.broken:
                broken[rule.rule] = broken.get(rule.rule, 0) + rule.broken
            if rule.rule in declared:
                covered[rule.rule] = covered.get(rule.rule, 0) + rule.covers
    restarts = {place: effort.restarts.count(place) for place in dict.fromkeys(effort.restarts)}
    idle = tuple(rule for rule, rows in covered.items() if rows == 0)
    span = (min(facts, default=0), max(facts, default=0))
    return Trial(
        schema.name,
        len(facts),
        tuple(failed),
        declared_rows(schema),
        span,
        effort.redraws,
        restarts,
        broken,
        idle,
        len(structures),
    )
