"""A survey of many worlds: are their names invented, and are worlds of one schema different enough. One pass."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from worldsmith.audit.worlds.expectations import ExpectedFigure
from worldsmith.audit.worlds.real_names import (
    RESERVED,
    Name,
    faker_details,
    names_in_pages,
    names_of,
    real_names,
    real_part,
    twins_of,
)
from worldsmith.audit.worlds.similarity import FirstOwners, distinctive_rows, equal_rows, measured_columns
from worldsmith.naming.fold import fold_name
from worldsmith.pages import Pages
from worldsmith.schema import Schema
from worldsmith.schema.types import Expectation
from worldsmith.tasks.query_evaluator import QueryEvaluator
from worldsmith.world.model import World

PAIR_NAMES = 0.05
"""Share of one world's names that another may have. Worlds with the same three cultures share some by chance."""
SHARED_NAMES = 0.25
"""Share of all names that an earlier world may have: beyond it, the grammars are exhausted."""
SHARED_ROWS = 0.001
"""Share of a table's distinctive rows that an earlier world may have: chance repeats a few days and numbers."""
COMMONEST = 0.25
"""Share of worlds that may have the commonest structure, judged from ENOUGH worlds on."""
ENOUGH = 20
SHOWN = 5
"""Examples kept of each sort per schema; all are counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, or too much similarity."""

    what: str
    """collision, host, twin, shared names, shared rows, equal column, structure, expected."""
    where: str
    """The world or worlds, table, column and value."""
    fix: str
    fault: bool = False
    """Whether the worlds must not be used as they are: a real name, a host that may exist."""


@dataclass
class SchemaSummary:
    """What is known of the worlds of one schema so far."""

    schema: str
    worlds: int = 0
    named: Counter[str] = field(default_factory=Counter)
    """Invented names tested, by place."""
    collided: Counter[str] = field(default_factory=Counter)
    real: dict[str, Counter[str]] = field(default_factory=dict)
    details: Counter[str] = field(default_factory=Counter)
    structures: Counter[tuple[object, ...]] = field(default_factory=Counter)
    names: FirstOwners = field(default_factory=FirstOwners)
    rows: FirstOwners = field(default_factory=FirstOwners)
    columns: FirstOwners = field(default_factory=FirstOwners)
    most_alike: tuple[float, str, str] = (0.0, "", "")
    """The two worlds that share most names: share of the later one's names, later, earlier."""
    same_names: list[str] = field(default_factory=list)
    same_rows: list[str] = field(default_factory=list)
    twins: int = 0
    equal_columns: int = 0
    findings: list[Finding] = field(default_factory=list)
    expected: dict[Expectation, ExpectedFigure] = field(default_factory=dict)
    """What the schema expects of worlds taken together, with what they have."""
    finding_counts: Counter[str] = field(default_factory=Counter)
    """Findings by sort, those that are not kept among them."""

    @property
    def commonest(self) -> float:
        """The share of worlds that have the commonest structure."""
        return max(self.structures.values()) / self.worlds

    def find(self, finding: Finding) -> None:
        """Keep a finding, unless SHOWN of its sort are kept."""
        self.finding_counts[finding.what] += 1
        if self.finding_counts[finding.what] <= SHOWN:
            self.findings.append(finding)


@dataclass(frozen=True, slots=True)
class Survey:
    """The result of a survey."""

    worlds: int
    schemas: Mapping[str, SchemaSummary]
    findings: tuple[Finding, ...]

    @property
    def collisions(self) -> int:
        """Names that the filter takes for real, and hosts outside reserved domains."""
        return sum(sum(summary.collided.values()) for summary in self.schemas.values())

    @property
    def ok(self) -> bool:
        """Whether no name is real and no host may exist."""
        return self.collisions == 0

    def to_json(self) -> dict[str, Any]:
        """Return the survey as JSON values."""
        schemas = {name: _summary_json(summary) for name, summary in self.schemas.items()}
        findings = [asdict(finding) for finding in self.findings]
        return {"worlds": self.worlds, "ok": self.ok, "schemas": schemas, "findings": findings}


def survey(worlds: Iterable[World]) -> Survey:
    """Examine worlds one after the other; memory does not grow with their number."""
    schemas: dict[str, SchemaSummary] = {}
    for world in worlds:
        add_world(schemas.setdefault(world.schema.name, SchemaSummary(world.schema.name)), world)
    findings = [finding for summary in schemas.values() for finding in [*summary.findings, *_late_findings(summary)]]
    return Survey(sum(summary.worlds for summary in schemas.values()), schemas, tuple(findings))


def add_world(summary: SchemaSummary, world: World) -> None:
    """Add a world to what is known of its schema."""
    summary.worlds += 1
    pages = Pages(world)
    names = list(names_of(world, pages))
    _count_real_names(summary, world, names, [site.host for site in pages.sites])
    summary.structures[_structure(world.schema)] += 1
    _count_same_names(summary, world, names)
    _count_same_rows(summary, world)
    _count_same_columns(summary, world)
    evaluator = QueryEvaluator(world)
    for expectation in world.schema.expected:
        summary.expected.setdefault(expectation, ExpectedFigure(expectation)).add(world, evaluator)


def _count_real_names(summary: SchemaSummary, world: World, names: list[Name], hosts: list[str]) -> None:
    for name in names:
        summary.named[name.place] += 1
        if real := real_part(name):
            summary.collided[name.place] += 1
            where = f"{world.id}, {name.place}: {name.text!r} holds {real!r}"
            summary.find(Finding("collision", where, "generate the world again, or write an invented name", fault=True))
    for host in hosts:
        if not host.endswith(RESERVED):
            summary.collided["hosts"] += 1
            summary.find(Finding("host", f"{world.id}: {host}", f"hosts end with {RESERVED}", fault=True))
    for twin in twins_of(names_in_pages(world, names)):
        summary.twins += 1
        places = f"{twin.first.text!r} ({twin.first.place}) and {twin.second.text!r} ({twin.second.place})"
        summary.find(Finding("twin", f"{world.id}: {places}", "rename one: a reader takes them for one another"))
    for listed, cells in real_names(world).items():
        summary.real.setdefault(listed, Counter()).update(cells)
    summary.details.update(faker_details(world))


def _structure(schema: Schema) -> tuple[object, ...]:
    tables = tuple((t.name, t.names) for t in schema.tables.values())
    return tables, tuple(r.name for r in schema.rules), tuple(p.name for p in schema.pages)


def _count_same_names(summary: SchemaSummary, world: World, names: list[Name]) -> None:
    earlier: Counter[str] = Counter()
    texts = {fold_name(name.text): name for name in names}
    declared = {fold_name(text) for _, text in world.common_names}
    for folded in declared:
        summary.names.add("common name", folded, world.id)
    for folded, name in texts.items():
        if folded in declared:
            continue
        if first := summary.names.add("name", folded, world.id):
            earlier[first] += 1
            if len(summary.same_names) < SHOWN:
                summary.same_names.append(f"{name.text!r} ({name.place}) in {first} and {world.id}")
    for first, count in earlier.most_common(1):
        # Of the names that are kept: the others are like them.
        share = count * (summary.names.mask + 1) / len(texts)
        summary.most_alike = max(summary.most_alike, (share, world.id, first))


def _count_same_rows(summary: SchemaSummary, world: World) -> None:
    for table in world.schema.tables.values():
        for index, content in distinctive_rows(world, table):
            first = summary.rows.add(table.name, content, world.id)
            if first and len(summary.same_rows) < SHOWN:
                summary.same_rows.append(f"{table.name}/{index} of {world.id} is in {first} too: {content}")


def _count_same_columns(summary: SchemaSummary, world: World) -> None:
    for place, values in measured_columns(world):
        for earlier, rows in equal_rows(summary.columns, world.id, place, values).items():
            summary.equal_columns += 1
            where = f"{place} of {world.id} and {earlier}: {rows} of {len(values)} rows are equal"
            summary.find(Finding("equal column", where, "give its fill its own random stream (seed, table, column)"))


def _late_findings(summary: SchemaSummary) -> Iterable[Finding]:
    """Yield the findings that need all worlds."""
    share, later, earlier = summary.most_alike
    if share > PAIR_NAMES:
        where = f"{later} bears {share:.0%} of its names with {earlier}: {'; '.join(summary.same_names)}"
        yield Finding("shared names", where, "leave one of the worlds out; see whether they share a seed")
    share = summary.names.share("name")
    if share > SHARED_NAMES:
        where = f"{summary.schema}: {share:.0%} of names were in an earlier world: {'; '.join(summary.same_names)}"
        yield Finding("shared names", where, "use kinds of names with more words, or more schemas")
    for table, rows in summary.rows.shared.items():
        if summary.rows.share(table) > SHARED_ROWS:
            examples = [row for row in summary.same_rows if row.startswith(f"{table}/")]
            where = f"{summary.schema}.{table}: {rows} of {summary.rows.counts[table]} rows; {'; '.join(examples)}"
            yield Finding("shared rows", where, "widen the ranges of its columns, or leave one of the worlds out")
    for one in summary.expected.values():
        if one.worlds >= ENOUGH and not one.ok:
            low, high = one.expectation.between
            where = f"{summary.schema}.{one.expectation.name}: {one.expectation.text} is {one.value:.3g}"
            yield Finding("expected", f"{where}, not in [{low:g}, {high:g}]", "mend the fills, or the expectation")
    if summary.worlds >= ENOUGH and summary.commonest > COMMONEST:
        where = f"{summary.schema}: {summary.commonest:.0%} of {summary.worlds} worlds have one structure"
        yield Finding("structure", where, "declare more switches in [variation], or chances nearer to 0.5")


def _summary_json(summary: SchemaSummary) -> dict[str, Any]:
    share, later, earlier = summary.most_alike
    return {
        "worlds": summary.worlds,
        "names": {place: {"tested": n, "collisions": summary.collided[place]} for place, n in summary.named.items()},
        "real_names": {name: dict(sorted(cells.items())) for name, cells in summary.real.items()},
        "details": dict(summary.details),
        "twins": summary.twins,
        "shared_names": {
            "names": summary.names.shared["name"],
            "of": summary.names.counts["name"],
            "counted": 1 / (summary.names.mask + 1),
            "examples": summary.same_names,
        },
        "common_names": {"names": summary.names.shared["common name"], "of": summary.names.counts["common name"]},
        "most_alike": {"share": share, "worlds": [later, earlier] if later else []},
        "shared_rows": {
            "tables": {t: {"rows": summary.rows.shared[t], "of": of} for t, of in summary.rows.counts.items()},
            "counted": 1 / (summary.rows.mask + 1),
            "examples": summary.same_rows,
        },
        "equal_columns": summary.equal_columns,
        "expected": [one.to_json() for one in summary.expected.values()],
        "structures": len(summary.structures),
        "commonest_structure": summary.commonest,
        "findings": dict(summary.finding_counts),
    }
