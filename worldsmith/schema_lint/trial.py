"""Trial worlds of a schema, and what they show about its rules."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from worldsmith.checking import check
from worldsmith.checking.declared import rule_test
from worldsmith.errors import GenerationError, SchemaError
from worldsmith.generation import generate
from worldsmith.generation.remedy import remedy
from worldsmith.generation.world import Effort
from worldsmith.graph import graph_of
from worldsmith.schema import Number, Schema, SchemaFile, foreground, parse_schema, structure_of
from worldsmith.schema.scaling import facts_range
from worldsmith.world.engine import attach
from worldsmith.world.model import World

USUAL_FACTS = (300, 500)
"""Least and most facts of the worlds that pages and tasks are measured on."""
FIRST_FAILURES = 3
"""Failures in a row from the first seed on after which more seeds are tried."""
EXTRA_SEEDS = 7
"""Seeds tried after those, until one fits a world; where none does, a rule is set aside."""
MAX_SET_ASIDE = 5
"""The most rules that are set aside."""
CLAMPED = 0.5
"""Share of a number's values at the ends of its range above which its mean is taken to lie outside."""

State = Literal["holds", "unbroken", "idle", "off", "broken", "too strict", "never held"]

FAULTY_STATES = ("broken", "idle", "too strict", "never held")

ADVICE: dict[State, str] = {
    "unbroken": "the fills may imply it already; make it stricter, or drop it",
    "idle": "it covered no row in any world: what it reads is always null, or its table is empty; loosen or drop it",
    "off": "it was on in no world: make its switch, or what it reads, more frequent, or drop it",
    "broken": "worlds came out with rows that break it, which is a defect of worldsmith: please report the schema",
    "too strict": "it keeps some worlds from being filled: loosen it, or the ranges it reads",
    "never held": "probably contradictory or too strict: loosen it, or the ranges it reads",
}


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """The counts of one declared rule over all worlds."""

    rule: str
    at: str
    """"town.toml:104", or the name alone."""
    state: State
    worlds: int
    """Worlds in which it was on."""
    rows: int
    """Rows it covered: those on which it isn't null."""
    first_rows: int
    """Rows when it was first tested in a world, before anything was redrawn for it."""
    first_broken: int
    """Those of them that broke it."""
    tried: int
    """Worlds in which it was tested."""
    redraws: int
    restarts: int
    unenforced: tuple[int, int] = (0, 0)
    """Where no row broke the rule in worlds filled without rules: the rows it covered in them, and the worlds."""
    remedy: str | None = None
    """A change to the schema that meets the rule, where redrawing doesn't."""

    @property
    def share(self) -> float:
        """The share of rows that broke it when it was first tested."""
        return self.first_broken / self.first_rows if self.first_rows else 0.0

    def warning(self) -> str | None:
        """Return what is wrong with the rule and the fix, None for a rule that holds."""
        if self.state == "holds":
            return None
        counts = ""
        if self.state in ("never held", "too strict"):
            counts = f"; {self.share:.1%} of {self.first_rows} rows broke it at first"
        elif self.state == "unbroken":
            rows, worlds = self.unenforced
            counts = f": no row of {rows} in {worlds} trial world{'s' if worlds > 1 else ''} would break it"
        return f"{self.at}: rules.{self.rule}: {self.state}{counts}: {self.remedy or ADVICE[self.state]}"


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of filling trial worlds from a schema."""

    schema: str
    worlds: int
    tried: int
    """Seeds tried with the schema as it is written."""
    unfit: int
    """Those of them that no world fits."""
    failed: tuple[str, ...]
    """The places at which filling failed, each with the number of seeds and the first reason."""
    declared: tuple[int, int]
    """Least and most rows by the declared totals, over all switches."""
    bounds: tuple[int, int]
    """Least and most rows that `--facts` can ask for."""
    tables: dict[str, tuple[int, int]]
    """The declared totals."""
    background: tuple[str, ...]
    """The tables whose rows are background."""
    facts: tuple[int, int]
    """Least and most facts of the worlds that were filled."""
    rules: tuple[RuleTrial, ...]
    restarts: dict[str, int]
    """Restarts by column, table or rule."""
    broken: dict[str, int]
    """Violations by rule, those of fills included; generation should leave none."""
    flat: tuple[str, ...]
    """Columns with the same value, or null, in every row of every world, or mostly with an end of their range."""
    structures: int
    """Distinct sets of switches among the worlds."""
    stopped: str = ""
    """Why no more worlds were tried."""

    @property
    def unfit_share(self) -> float:
        """The share of the seeds that no world fits."""
        return self.unfit / max(1, self.tried)

    @property
    def faults(self) -> bool:
        """Whether the schema needs work: a world that can't be filled, or a rule that never holds or covers no row."""
        return bool(self.failed or self.broken) or any(r.state in FAULTY_STATES for r in self.rules)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values, with the counts of each rule per world."""
        fields = asdict(self)
        for rule, row in zip(self.rules, fields["rules"], strict=True):
            row |= {"first_share": round(rule.share, 4), "warning": rule.warning() or "", "remedy": rule.remedy or ""}
            row |= {f"{n}_a_world": round(row[n] / max(1, rule.tried), 2) for n in ("redraws", "restarts")}
        return fields | {"unfit_share": round(self.unfit_share, 4), "usual": USUAL_FACTS, "faults": self.faults}

    def text(self) -> str:
        """Return the report that `schema check` prints."""
        return "\n".join([*self._summary_lines(), *self._rule_lines(), *self._closing_lines()])

    def _summary_lines(self) -> Iterator[str]:
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
            limit = 1 - 0.05 ** (1 / self.tried)
            yield f"  each of {self.tried} seeds fits a world; at most {limit:.0%} of all do not (95% confidence)"
        totals = " + ".join(
            f"{lo}-{hi} {name}" for name, (lo, hi) in self.tables.items() if name not in self.background
        )
        yield f"  by its declared totals a world has {self.declared[0]} to {self.declared[1]} facts: {totals}"
        if self.background:
            aside = [self.tables[name] for name in self.background]
            least, most = sum(lo for lo, _ in aside), sum(hi for _, hi in aside)
            tables = "1 table" if len(aside) == 1 else f"{len(aside)} tables"
            yield f"  and {least} to {most} background rows in {tables}, in natural worlds"
        yield f"  with --facts it can have {self.bounds[0]} to {self.bounds[1]}"
        least, most = USUAL_FACTS
        if self.declared[0] < least or self.declared[1] > most:
            yield f"  note: tasks and pages are measured on worlds of {least} to {most} facts: change some rows"

    def _rule_lines(self) -> Iterator[str]:
        redrawn = sorted((r for r in self.rules if r.redraws or r.restarts), key=lambda r: -r.redraws)
        if redrawn:
            width = max(20, *(len(r.rule) for r in redrawn))
            yield f"  {'rule, counts per world':<{width}}  {'rows':>7}  broke at first  redraws  restarts"
        for r in redrawn:
            n = max(1, r.tried)
            counts = f"{r.first_rows / n:7.1f}  {r.share:14.1%}  {r.redraws / n:7.2f}  {r.restarts / n:8.2f}"
            yield f"  {r.rule:<{width}}  {counts}"
        unredrawn = sum(r.state == "holds" and r.tried > 0 for r in self.rules if r not in redrawn)
        if unredrawn:
            yield f"  {unredrawn} more {'rule' if unredrawn == 1 else 'rules'} held without a redraw"

    def _closing_lines(self) -> Iterator[str]:
        places = {place: n for place, n in self.restarts.items() if not place.startswith("rule ")}
        yield from (f"  restarted {n}x at {place}" for place, n in places.items())
        yield from (f"  {reason}" for reason in self.failed)
        if self.stopped:
            yield f"  {self.stopped}"
        yield from (f"  BROKEN {n}x: {rule}: {ADVICE['broken']}" for rule, n in self.broken.items())
        warnings = [*filter(None, map(RuleTrial.warning, self.rules)), *self.flat]
        yield from (f"  {w}" for w in warnings)
        if not self.faults:
            yield "  nothing wrong with it" if not warnings else "  it can be used; see the warnings above"


def declared_rows(schema: Schema) -> tuple[int, int]:
    """Return the least and the most rows of a world; an optional table may have none."""
    tables = foreground(schema).tables.values()
    return sum(t.rows[0] for t in tables if t.switch is None), sum(t.rows[1] for t in tables)


@dataclass
class _Tally:
    """The counts over the worlds filled so far."""

    effort: Effort = field(default_factory=Effort)
    failed: list[tuple[int, GenerationError]] = field(default_factory=list)
    tried: int = 0
    unfit: int = 0
    facts: list[int] = field(default_factory=list)
    structures: dict[frozenset[str], Schema] = field(default_factory=dict)
    worlds_on: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    values: dict[tuple[str, str], set[Any]] = field(default_factory=dict)
    """Some distinct values of each column: two or more where it has them."""
    at_end: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Cells of numbers with a mean that lie at an end of their range."""
    numbers: Counter[tuple[str, str]] = field(default_factory=Counter)

    def fill(self, schema: Schema, seed: int, *, whole: bool) -> bool:
        """Fill a world and count it; return whether a world fits. `whole`: no rule is set aside."""
        self.tried += whole
        try:
            world = generate(schema, seed, effort=self.effort, language=schema.language)
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
                self.worlds_on[rule.rule] += 1
                self.covered[rule.rule] += rule.covers
        for table, columns in world.tables.items():
            for column, cells in columns.items():
                distinct = self.values.setdefault((table, column), set())
                if len(distinct) < 2:
                    distinct.update(list(dict.fromkeys(cells))[:2])
                fill = world.schema.column(table, column).fill
                if isinstance(fill, Number) and fill.mean is not None:
                    self.numbers[table, column] += len(cells)
                    self.at_end[table, column] += sum(cell in {fill.lo, fill.hi} for cell in cells)


def run_trial(schema: Schema, count: int, seed: int, file: SchemaFile | None = None) -> Trial:
    """Fill and check `count` worlds with seeds from `seed` on; `file` gives places their lines.

    A rule at which the first worlds all fail is set aside, so that the others are tried too. Rules that nothing broke
    are counted in up to as many further worlds, filled without rules.

    Raises:
        SchemaError: columns filled in a circle, or names of an unknown kind.
    """
    file = file or SchemaFile(schema.name)
    tally = _Tally()
    try:
        graph_of(schema)
        aside, stopped = _fill_worlds(schema, count, seed, tally)
        unbroken = _unbroken_without_rules(schema, _never_broken(schema, tally), range(seed + count, seed + 2 * count))
    except SchemaError as error:
        raise SchemaError(f"{file.at(error.place)}: {error.text}") from None
    return Trial(
        schema=schema.name,
        worlds=len(tally.facts),
        tried=tally.tried,
        unfit=tally.unfit,
        failed=tuple(_failure_texts(tally, file)),
        declared=declared_rows(schema),
        bounds=facts_range(schema),
        tables={t.name: (t.rows[0] if t.switch is None else 0, t.rows[1]) for t in schema.tables.values()},
        facts=(min(tally.facts, default=0), max(tally.facts, default=0)),
        rules=tuple(_rule_trials(schema, tally, aside, unbroken, file)),
        restarts=dict(Counter(restart.place for restart in tally.effort.restarts)),
        broken=dict(tally.broken),
        background=tuple(name for name in schema.tables if name in schema.background),
        flat=(*_flat_columns(schema, tally, file), *_clamped_columns(tally, file)),
        structures=len(tally.structures),
        stopped=stopped,
    )


def _fill_worlds(schema: Schema, count: int, seed: int, tally: _Tally) -> tuple[set[str], str]:
    """Fill worlds; return the rules set aside, and why the filling stopped early, "" where it didn't."""
    aside = set[str]()
    extra = range(seed + count, seed + count + EXTRA_SEEDS)
    for number in range(seed, seed + count):
        before = len(tally.effort.restarts)
        tally.fill(schema, number, whole=not aside)
        if tally.facts or len(tally.failed) < min(FIRST_FAILURES, count):
            continue
        if any(tally.fill(schema, other, whole=not aside) for other in extra):
            continue
        (place, rule), _ = Counter(tally.effort.restarts[before:]).most_common(1)[0]
        rule = next(iter(_unmet(tally, aside)), rule)
        reduced = _without_rule(schema, rule) if rule else None
        if rule is None or reduced is None or len(aside) == MAX_SET_ASIDE:
            return aside, f"stopped: none of {len(tally.failed)} seeds fits a world, mostly because of {place}"
        aside.add(rule)
        schema = reduced
        tally.failed.clear()
    return aside, ""


def _unmet(tally: _Tally, aside: set[str]) -> list[str]:
    """Return the rules that every row broke at first and that redrawing did not help.

    Where another rule reads the same column, filling may stop at that one, which is not to blame.
    """
    tests = {name: test for name, test in tally.effort.first_tests.items() if name not in aside}
    return [name for name, (broken, rows, _) in tests.items() if rows == broken > 0 and tally.effort.redraws.get(name)]


def _without_rule(schema: Schema, rule: str) -> Schema | None:
    """Return the schema without a rule, None where that is no valid schema."""
    source = dict(schema.source)
    source["rules"] = {name: r for name, r in source["rules"].items() if name != rule}
    try:
        return replace(parse_schema(source), bank=schema.bank)
    except SchemaError:
        return None


def _never_broken(schema: Schema, tally: _Tally) -> set[str]:
    """Return the rules that covered rows and were never broken, not even before a redraw."""
    broken = {name for name, (rows, _, _) in tally.effort.first_tests.items() if rows}
    return {r.name for r in schema.rules if tally.covered[r.name]} - broken - tally.effort.redraws.keys()


def _unbroken_without_rules(schema: Schema, candidates: set[str], seeds: range) -> dict[str, tuple[int, int]]:
    """Fill worlds without rules and return the candidates that no row breaks: each with its rows and its worlds.

    Worlds filled with rules don't show that: there a composite key is drawn so that it meets the rules it is read by.
    """
    # Caches take schemas with the same digest as the same schema.
    unruled = replace(schema, rules=(), digest=f"{schema.digest} without rules")
    rows, worlds = Counter[str](), Counter[str]()
    for seed in seeds:
        if not candidates:
            break
        try:
            world = generate(unruled, seed, language=schema.language)
        except GenerationError:
            continue
        structure = structure_of(schema, world.schema.switches)
        structure = structure if schema.bank else foreground(structure)
        with attach(world) as connection:
            for rule in structure.rules:
                if rule.name in candidates:
                    covered, broken = rule_test(structure, rule).count(connection)
                    candidates = candidates - {rule.name} if broken else candidates
                    rows[rule.name] += covered
                    worlds[rule.name] += 1
    return {rule: (rows[rule], worlds[rule]) for rule in candidates if rows[rule]}


def _rule_trials(
    schema: Schema,
    tally: _Tally,
    aside: set[str],
    unbroken: dict[str, tuple[int, int]],
    file: SchemaFile,
) -> Iterator[RuleTrial]:
    restarts = Counter(restart.rule for restart in tally.effort.restarts)
    for rule in schema.rules:
        bad, rows, tried = tally.effort.first_tests.get(rule.name, (0, 0, 0))
        state = "never held" if rule.name in aside else _state(tally, rule.name)
        if state == "holds" and rule.name in unbroken:
            state = "unbroken"
        line = file.line(f"rules.{rule.name}")
        yield RuleTrial(
            rule=rule.name,
            at=f"{file}:{line}" if line else str(file),
            state=state,
            worlds=tally.worlds_on[rule.name],
            rows=tally.covered[rule.name],
            first_rows=rows,
            first_broken=bad,
            tried=tried,
            redraws=tally.effort.redraws.get(rule.name, 0),
            restarts=restarts[rule.name],
            unenforced=unbroken.get(rule.name, (0, 0)),
            remedy=remedy(schema, rule.name, range(FIRST_FAILURES)) if state in ("never held", "too strict") else None,
        )


def _state(tally: _Tally, name: str) -> State:
    if tally.broken[name]:
        return "broken"
    if any(error.rule == name for _, error in tally.failed):
        return "too strict"
    if not tally.facts:
        return "holds"
    if not tally.worlds_on[name]:
        return "off"
    return "holds" if tally.covered[name] else "idle"


def _failure_texts(tally: _Tally, file: SchemaFile) -> Iterator[str]:
    """Yield each place at which filling failed, with how many seeds failed there and why the first one did."""
    for place in dict.fromkeys(error.place for _, error in tally.failed):
        failures = [(number, error) for number, error in tally.failed if error.place == place]
        number, error = failures[0]
        at = file.at(f"rules.{error.rule}" if error.rule else place if "." in place else f"tables.{place}")
        tried = len(tally.facts) + len(tally.failed)
        why = f"no world for {len(failures)} of {tried} seeds; for seed {number}, {error.reason}"
        yield f"{at}: {why}: loosen it, or what it reads"


def _flat_columns(schema: Schema, tally: _Tally, file: SchemaFile) -> Iterator[str]:
    for (table, column), values in tally.values.items():
        if len(values) == 1 and schema.tables[table].rows[1] > 1:
            (value,) = values
            what = "null" if value is None else repr(value)
            yield f"{file.at(f'{table}.{column}')}: {what} in every row of every world: widen its range, or drop it"


def _clamped_columns(tally: _Tally, file: SchemaFile) -> Iterator[str]:
    """Yield numbers whose mean lies outside their range so often that most values are one of its ends."""
    for (table, column), count in tally.numbers.items():
        share = tally.at_end[table, column] / max(1, count)
        if share > CLAMPED:
            yield (
                f"{file.at(f'{table}.{column}')}: {share:.0%} of its values are an end of its range: its mean lies "
                "outside it; mend the mean, or widen the range"
            )
