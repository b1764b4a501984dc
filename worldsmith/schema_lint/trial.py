"""A schema on trial: worlds filled from it, and what they say of its rules."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from worldsmith.checking import check
from worldsmith.errors import GenerationError, SchemaError
from worldsmith.generation import generate
from worldsmith.generation.remedy import remedy
from worldsmith.generation.world import Effort
from worldsmith.graph import graph_of
from worldsmith.schema import Schema, SchemaFile, parse_schema
from worldsmith.schema.scaling import facts_range
from worldsmith.schema_lint.implied import implied
from worldsmith.world.model import World

USUAL = (300, 500)
"""Facts of the worlds that everything here was made for."""
PATIENCE = 3
"""Worlds that fail from the start before more seeds are tried."""
FURTHER = 7
"""More seeds tried then, until one fits a world; where none does, a rule is set aside."""
SET_ASIDE = 5
"""Rules set aside at most."""

State = Literal["holds", "implied", "idle", "off", "broken", "too strict", "never held"]

BAD = ("broken", "idle", "too strict", "never held")

MEANING: dict[State, str] = {
    "implied": "the fills imply it, so it can't be false: make it stricter, or drop it",
    "idle": "it covered no row in any world: what it reads is always null, or it has no rows; loosen or drop it",
    "off": "it was on in no world: its switch, or what it reads, is too rare; or drop it",
    "broken": "worlds came out with rows that break it, which is a defect of worldsmith: please report the schema",
    "too strict": "some worlds can't be filled for it: loosen it, or the ranges it reads",
    "never held": "taken as contradictory or too strict: loosen it, or the ranges it reads",
}


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """What became of one declared rule over all worlds."""

    rule: str
    at: str
    """"town.toml:104", or the name alone."""
    state: State
    worlds: int
    """Worlds in which it was on."""
    rows: int
    """Rows on which it said something."""
    first_rows: int
    """Rows when it was first tested."""
    first_broken: int
    """Those of them that broke it."""
    tried: int
    """Worlds in which it was tested."""
    redraws: int
    restarts: int
    remedy: str = ""
    """What would meet the rule, where redrawing doesn't."""

    @property
    def share(self) -> float:
        """The share of rows that broke it when it was first tested."""
        return self.first_broken / self.first_rows if self.first_rows else 0.0

    def warning(self) -> str:
        """Return what is wrong with the rule and the fix; '' for a rule that holds."""
        if self.state == "holds":
            return ""
        told = self.state in ("never held", "too strict")
        how = f"; {self.share:.1%} of {self.first_rows} rows broke it at first" if told else ""
        return f"{self.at}: rules.{self.rule}: {self.state}{how}: {self.remedy or MEANING[self.state]}"


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of filling some worlds."""

    schema: str
    worlds: int
    tried: int
    """Seeds tried with the schema as it is written."""
    unfit: int
    """Those of them that no world fits."""
    failed: tuple[str, ...]
    """Places at which no world was found, with the seeds and the reason."""
    declared: tuple[int, int]
    """Least and most rows by the declared totals, whatever is switched off."""
    bounds: tuple[int, int]
    """Least and most rows that `--facts` can ask for."""
    tables: dict[str, tuple[int, int]]
    """The declared totals."""
    facts: tuple[int, int]
    rules: tuple[RuleTrial, ...]
    restarts: dict[str, int]
    """In all, by column, table or rule."""
    broken: dict[str, int]
    """Violations by rule, implied ones with them; generation should leave none."""
    flat: tuple[str, ...]
    """Columns that held null, or one and the same value, in every row of every world."""
    structures: int
    stopped: str = ""
    """Why no more worlds were tried."""

    @property
    def unfit_share(self) -> float:
        """The share of the seeds that no world fits."""
        return self.unfit / max(1, self.tried)

    @property
    def faults(self) -> bool:
        """Whether the schema needs work: a world that can't be filled, or a rule that never holds or says nothing."""
        return bool(self.failed or self.broken) or any(r.state in BAD for r in self.rules)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values; each rule with its counts, and counts a world."""
        found = asdict(self)
        for rule, told in zip(self.rules, found["rules"], strict=True):
            told |= {"first_share": round(rule.share, 4), "warning": rule.warning()}
            told |= {f"{n}_a_world": round(told[n] / max(1, rule.tried), 2) for n in ("redraws", "restarts")}
        return found | {"unfit_share": round(self.unfit_share, 4), "usual": USUAL, "faults": self.faults}

    def text(self) -> str:
        """Return the trial as a person reads it."""
        return "\n".join([*self._head(), *self._rules(), *self._end()])

    def _head(self) -> Iterator[str]:
        filled = f"of {self.facts[0]} to {self.facts[1]} facts" if self.worlds else "none"
        yield f"{self.schema}: worlds filled: {self.worlds}, {filled}; structures among them: {self.structures}"
        if self.unfit == self.tried:
            yield f"  none of {self.tried} seeds fits a world of the schema as it is written"
        elif self.unfit:
            yield (
                f"  {self.unfit} of {self.tried} seeds ({self.unfit_share:.0%}) fit no world: for each of them "
                "`generate` takes the next one"
            )
        else:
            # None of n: fewer than 1 - 0.05^(1/n) of all, with 95% confidence.
            most = 1 - 0.05 ** (1 / self.tried)
            yield f"  each of {self.tried} seeds fits a world: of all seeds at most {most:.0%} do not (95%)"
        sums = " + ".join(f"{lo}-{hi} {name}" for name, (lo, hi) in self.tables.items())
        yield f"  by its declared totals a world has {self.declared[0]} to {self.declared[1]} facts: {sums}"
        yield f"  asked for by --facts it can have {self.bounds[0]} to {self.bounds[1]}"
        if self.declared[0] < USUAL[0] or self.declared[1] > USUAL[1]:
            yield f"  note: tasks and pages are measured on worlds of {USUAL[0]} to {USUAL[1]} facts: change some rows"

    def _rules(self) -> Iterator[str]:
        worked = sorted((r for r in self.rules if r.redraws or r.restarts), key=lambda r: -r.redraws)
        if worked:
            width = max(len(r.rule) for r in worked)
            width = max(width, 20)
            yield f"  {'rule, counts a world':<{width}}  {'rows':>7}  broke at first  redraws  restarts"
        for r in worked:
            n = max(1, r.tried)
            counts = f"{r.first_rows / n:7.1f}  {r.share:14.1%}  {r.redraws / n:7.2f}  {r.restarts / n:8.2f}"
            yield f"  {r.rule:<{width}}  {counts}"
        quiet = sum(r.state == "holds" and r.tried > 0 for r in self.rules if r not in worked)
        if quiet:
            yield f"  {quiet} more {'rule' if quiet == 1 else 'rules'} held without a redraw"

    def _end(self) -> Iterator[str]:
        places = {place: n for place, n in self.restarts.items() if not place.startswith("rule ")}
        yield from (f"  restarted {n}x at {place}" for place, n in places.items())
        yield from (f"  {reason}" for reason in self.failed)
        if self.stopped:
            yield f"  {self.stopped}"
        yield from (f"  BROKEN {n}x: {rule}: {MEANING['broken']}" for rule, n in self.broken.items())
        warnings = [*filter(None, map(RuleTrial.warning, self.rules)), *self.flat]
        yield from (f"  {w}" for w in warnings)
        if not self.faults:
            yield "  nothing wrong with it" if not warnings else "  it can be used; see the warnings above"


def declared_rows(schema: Schema) -> tuple[int, int]:
    """Return the least and the most rows a world can have: an optional table counts with none, or with its most."""
    tables = schema.tables.values()
    return sum(t.rows[0] for t in tables if t.switch is None), sum(t.rows[1] for t in tables)


@dataclass
class _Tally:
    """What has been counted so far."""

    effort: Effort = field(default_factory=Effort)
    failed: list[tuple[int, GenerationError]] = field(default_factory=list)
    tried: int = 0
    unfit: int = 0
    facts: list[int] = field(default_factory=list)
    structures: dict[frozenset[str], Schema] = field(default_factory=dict)
    on: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    held: dict[tuple[str, str], set[Any]] = field(default_factory=dict)

    def fill(self, schema: Schema, seed: int, *, whole: bool) -> bool:
        """Fill a world and count it, or why there is none; return whether there is. `whole`: no rule is set aside."""
        self.tried += whole
        try:
            world = generate(schema, seed, effort=self.effort)
        except GenerationError as error:
            self.unfit += whole
            self.failed.append((seed, error))
            return False
        self.add(world)
        return True

    def add(self, world: World) -> None:
        self.facts.append(world.facts)
        self.structures.setdefault(world.schema.switches, world.schema)
        declared = {rule.name for rule in world.schema.rules}
        for rule in check(world).rules:
            if rule.broken:
                self.broken[rule.rule] += rule.broken
            if rule.rule in declared:
                self.on[rule.rule] += 1
                self.covered[rule.rule] += rule.covers
        for name, columns in world.tables.items():
            for column, values in columns.items():
                held = self.held.setdefault((name, column), set())
                if len(held) < 2:
                    held.update(list(dict.fromkeys(values))[:2])


def trial(schema: Schema, count: int, seed: int, file: SchemaFile | None = None) -> Trial:
    """Fill `count` worlds with seeds from `seed` on, check them, and tally; `file` gives places their lines.

    A rule at which the first worlds all fail is set aside, so that the others are tried too.

    Raises:
        SchemaError: columns filled in a circle, or names of a kind nobody invents.
    """
    file = file or SchemaFile(schema.name)
    tally = _Tally()
    try:
        graph_of(schema)
        aside, stopped = _fill(schema, count, seed, tally)
    except SchemaError as error:
        raise SchemaError(f"{file.at(error.place)}: {error.text}") from None
    return Trial(
        schema=schema.name,
        worlds=len(tally.facts),
        tried=tally.tried,
        unfit=tally.unfit,
        failed=tuple(_failures(tally, file)),
        declared=declared_rows(schema),
        bounds=facts_range(schema),
        tables={t.name: (t.rows[0] if t.switch is None else 0, t.rows[1]) for t in schema.tables.values()},
        facts=(min(tally.facts, default=0), max(tally.facts, default=0)),
        rules=tuple(_rule_trials(schema, tally, aside, file)),
        restarts=dict(Counter(restart.place for restart in tally.effort.restarts)),
        broken=dict(tally.broken),
        flat=tuple(_flat(schema, tally, file)),
        structures=len(tally.structures),
        stopped=stopped,
    )


def _fill(schema: Schema, count: int, seed: int, tally: _Tally) -> tuple[dict[str, Schema], str]:
    """Fill worlds; return the rules set aside, each with the schema that still had it, and why the filling stopped."""
    aside: dict[str, Schema] = {}
    further = seed + count
    for number in range(seed, seed + count):
        before = len(tally.effort.restarts)
        tally.fill(schema, number, whole=not aside)
        if tally.facts or len(tally.failed) < min(PATIENCE, count):
            continue
        for more in range(further, further + FURTHER):
            if tally.fill(schema, more, whole=not aside):
                break
        if tally.facts:
            continue
        (place, rule), _ = Counter(tally.effort.restarts[before:]).most_common(1)[0]
        less = _without(schema, rule) if rule else None
        if rule is None or less is None or len(aside) == SET_ASIDE:
            return aside, f"stopped: none of {len(tally.failed)} seeds fits a world, mostly for {place}"
        aside[rule] = schema
        schema = less
        tally.failed.clear()
    return aside, ""


def _without(schema: Schema, rule: str) -> Schema | None:
    """Return the schema without a rule; None where it means nothing without."""
    source = dict(schema.source)
    source["rules"] = {name: r for name, r in source["rules"].items() if name != rule}
    try:
        return parse_schema(source)
    except SchemaError:
        return None


def _rule_trials(schema: Schema, tally: _Tally, aside: dict[str, Schema], file: SchemaFile) -> Iterator[RuleTrial]:
    restarts = Counter(restart.rule for restart in tally.effort.restarts)
    for rule in schema.rules:
        bad, rows, tried = tally.effort.first_tests.get(rule.name, (0, 0, 0))
        on = tally.on[rule.name]
        state = "never held" if rule.name in aside else _state(schema, tally, rule.name)
        line = file.line(f"rules.{rule.name}")
        yield RuleTrial(
            rule=rule.name,
            at=f"{file}:{line}" if line else str(file),
            state=state,
            worlds=on,
            rows=tally.covered[rule.name],
            first_rows=rows,
            first_broken=bad,
            tried=tried,
            redraws=tally.effort.redraws.get(rule.name, 0),
            restarts=restarts[rule.name],
            remedy=remedy(schema, rule.name, range(PATIENCE)) if state in ("never held", "too strict") else "",
        )


def _state(schema: Schema, tally: _Tally, name: str) -> State:
    if tally.broken[name]:
        return "broken"
    if any(error.rule == name for _, error in tally.failed):
        return "too strict"
    # Off or implied in one structure, a rule may still say something in another.
    seen = [(s, r) for s in tally.structures.values() for r in s.rules if r.name == name]
    if all(implied(s, r) for s, r in seen or [(schema, r) for r in schema.rules if r.name == name]):
        return "implied"
    if not tally.facts:
        return "holds"
    if not seen:
        return "off"
    return "holds" if tally.covered[name] else "idle"


def _failures(tally: _Tally, file: SchemaFile) -> Iterator[str]:
    """Yield each place at which worlds failed: how many, and what stood in the way of the first."""
    for place in dict.fromkeys(error.place for _, error in tally.failed):
        found = [(number, error) for number, error in tally.failed if error.place == place]
        number, error = found[0]
        at = file.at(f"rules.{error.rule}" if error.rule else place if "." in place else f"tables.{place}")
        of = len(tally.facts) + len(tally.failed)
        why = f"no world for {len(found)} of {of} seeds; for seed {number}, {error.reason}"
        yield f"{at}: {why}: loosen it, or what it reads"


def _flat(schema: Schema, tally: _Tally, file: SchemaFile) -> Iterator[str]:
    for (table, column), values in tally.held.items():
        if len(values) == 1 and schema.tables[table].rows[1] > 1:
            (value,) = values
            what = "null" if value is None else repr(value)
            yield f"{file.at(f'{table}.{column}')}: {what} in every row of every world: widen its range, or drop it"
