"""A survey of many worlds: are their names invented, and are worlds of one schema different enough. One pass."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from worldsmith.audit.worlds.real_names import RESERVED, Name, collision, details, names_of, real_names, told, twins_of
from worldsmith.audit.worlds.similarity import Alike, Sample, Seen, measured, telling_rows, tells
from worldsmith.naming.fold import fold
from worldsmith.pages import Pages
from worldsmith.schema import Schema
from worldsmith.world.model import World

PAIR_NAMES = 0.05
"""Share of one world's names that another may bear. Worlds with the same three cultures share some by chance."""
SHARED_NAMES = 0.25
"""Share of all names that an earlier world may have borne: beyond it, the grammars are drawn dry."""
SHARED_ROWS = 0.001
"""Share of a table's telling rows that an earlier world may have had: days and numbers meet by chance now and then."""
COMMONEST = 0.25
"""Share of worlds that may have the commonest structure, told from ENOUGH worlds on."""
ENOUGH = 20
SHOWN = 5
"""Examples kept of one sort a schema; all are counted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong, or too much alike."""

    what: str
    """collision, host, twin, shared names, shared rows, equal column, structure."""
    where: str
    """The world or worlds, table, column and value."""
    fix: str
    fault: bool = False
    """Whether the worlds must not be used as they are: a real name, a host that may exist."""


@dataclass
class Kin:
    """What is known of the worlds of one schema so far."""

    schema: str
    worlds: int = 0
    named: Counter[str] = field(default_factory=Counter)
    """Names tested, by place."""
    collided: Counter[str] = field(default_factory=Counter)
    real: dict[str, Counter[str]] = field(default_factory=dict)
    details: Counter[str] = field(default_factory=Counter)
    structures: Counter[tuple[object, ...]] = field(default_factory=Counter)
    names: Seen = field(default_factory=Seen)
    rows: Seen = field(default_factory=Seen)
    whole: Seen = field(default_factory=Seen)
    sample: Sample = field(default_factory=Sample)
    pair: tuple[float, str, str] = (0.0, "", "")
    """The two worlds most alike in names: share of the later one's names, later, earlier."""
    same_names: list[str] = field(default_factory=list)
    same_rows: list[str] = field(default_factory=list)
    twins: int = 0
    alike: int = 0
    findings: list[Finding] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    """Findings by sort, those that are not kept among them."""

    @property
    def commonest(self) -> float:
        """The share of worlds that have the commonest structure."""
        return max(self.structures.values()) / self.worlds

    def find(self, finding: Finding) -> None:
        """Keep a finding, unless SHOWN of its sort are kept."""
        self.found[finding.what] += 1
        if self.found[finding.what] <= SHOWN:
            self.findings.append(finding)


@dataclass(frozen=True, slots=True)
class Survey:
    """What a survey found."""

    worlds: int
    kin: Mapping[str, Kin]
    findings: tuple[Finding, ...]

    @property
    def collisions(self) -> int:
        """Names that the filter takes for real, and hosts outside reserved domains."""
        return sum(sum(kin.collided.values()) for kin in self.kin.values())

    @property
    def ok(self) -> bool:
        """Whether no name is real and no host may exist."""
        return self.collisions == 0

    def to_json(self) -> dict[str, Any]:
        """Return the survey as JSON values."""
        schemas = {name: _json(kin) for name, kin in self.kin.items()}
        found = [asdict(finding) for finding in self.findings]
        return {"worlds": self.worlds, "ok": self.ok, "schemas": schemas, "findings": found}


def survey(worlds: Iterable[World]) -> Survey:
    """Look at worlds one after the other, and return what was found; memory does not grow with their number."""
    kin: dict[str, Kin] = {}
    for world in worlds:
        look(kin.setdefault(world.schema.name, Kin(world.schema.name)), world)
    found = [finding for one in kin.values() for finding in [*one.findings, *_between(one)]]
    return Survey(sum(one.worlds for one in kin.values()), kin, tuple(found))


def look(kin: Kin, world: World) -> None:
    """Add a world to what is known of its schema."""
    kin.worlds += 1
    pages = Pages(world)
    names = list(names_of(world, pages))
    _fictional(kin, world, names, [site.host for site in pages.sites])
    kin.structures[_structure(world.schema)] += 1
    _same_names(kin, world, names)
    _same_rows(kin, world)
    _same_columns(kin, world)


def _fictional(kin: Kin, world: World, names: list[Name], hosts: list[str]) -> None:
    for name in names:
        kin.named[name.place] += 1
        if real := collision(name):
            kin.collided[name.place] += 1
            where = f"{world.id}, {name.place}: {name.text!r} holds {real!r}"
            kin.find(Finding("collision", where, "generate the world again, or write an invented name", fault=True))
    for host in hosts:
        if not host.endswith(RESERVED):
            kin.collided["hosts"] += 1
            kin.find(Finding("host", f"{world.id}: {host}", f"hosts end with {RESERVED}", fault=True))
    for twin in twins_of(told(world, names)):
        kin.twins += 1
        places = f"{twin.first.text!r} ({twin.first.place}) and {twin.second.text!r} ({twin.second.place})"
        kin.find(Finding("twin", f"{world.id}: {places}", "rename one: a reader takes them for one another"))
    for listed, cells in real_names(world).items():
        kin.real.setdefault(listed, Counter()).update(cells)
    kin.details.update(details(world))


def _structure(schema: Schema) -> tuple[object, ...]:
    tables = tuple((t.name, t.names) for t in schema.tables.values())
    return tables, tuple(r.name for r in schema.rules), tuple(p.name for p in schema.pages)


def _same_names(kin: Kin, world: World, names: list[Name]) -> None:
    earlier: Counter[str] = Counter()
    texts = {fold(name.text): name for name in names}
    for folded, name in texts.items():
        if first := kin.names.add("name", folded, world.id):
            earlier[first] += 1
            if len(kin.same_names) < SHOWN:
                kin.same_names.append(f"{name.text!r} ({name.place}) in {first} and {world.id}")
    for first, count in earlier.most_common(1):
        # Of the names that are kept: the rest is alike.
        share = count * (kin.names.mask + 1) / len(texts)
        kin.pair = max(kin.pair, (share, world.id, first))


def _same_rows(kin: Kin, world: World) -> None:
    for table in world.schema.tables.values():
        for index, content in telling_rows(world, table):
            first = kin.rows.add(table.name, content, world.id)
            if first and len(kin.same_rows) < SHOWN:
                kin.same_rows.append(f"{table.name}/{index} of {world.id} is in {first} too: {content}")


def _same_columns(kin: Kin, world: World) -> None:
    columns = list(measured(world))
    found = {(a.place, a.earlier): a for a in kin.sample.add(world.id, columns)}
    for place, values in columns:
        if tells(values):
            first = kin.whole.add(place, repr(values.tolist()), world.id)
            if first:
                found.setdefault((place, first), Alike(place, world.id, first, len(values), 1.0, 0.0))
    for alike in found.values():
        kin.alike += 1
        where = (
            f"{alike.place} of {alike.world} and {alike.earlier}: {alike.agree:.0%} of {alike.rows} rows agree, "
            f"{alike.chance:.0%} would by chance"
        )
        kin.find(Finding("equal column", where, "give its fill a stream of chance of its own (seed, table, column)"))


def _between(kin: Kin) -> Iterable[Finding]:
    """Yield what is too much alike once all worlds have been seen."""
    share, later, earlier = kin.pair
    if share > PAIR_NAMES:
        where = f"{later} bears {share:.0%} of its names with {earlier}: {'; '.join(kin.same_names)}"
        yield Finding("shared names", where, "leave one of the worlds out; see whether they share a seed")
    share = kin.names.share("name")
    if share > SHARED_NAMES:
        where = f"{kin.schema}: {share:.0%} of names were in an earlier world: {'; '.join(kin.same_names)}"
        yield Finding("shared names", where, "use kinds of names with more words, or more schemas")
    for table, rows in kin.rows.shared.items():
        if kin.rows.share(table) > SHARED_ROWS:
            examples = [row for row in kin.same_rows if row.startswith(f"{table}/")]
            where = f"{kin.schema}.{table}: {rows} of {kin.rows.asked[table]} rows; {'; '.join(examples)}"
            yield Finding("shared rows", where, "widen the ranges of its columns, or leave one of the worlds out")
    if kin.worlds >= ENOUGH and kin.commonest > COMMONEST:
        where = f"{kin.schema}: {kin.commonest:.0%} of {kin.worlds} worlds have one structure"
        yield Finding("structure", where, "declare more switches in [variation], or chances nearer to 0.5")


def _json(kin: Kin) -> dict[str, Any]:
    share, later, earlier = kin.pair
    return {
        "worlds": kin.worlds,
        "names": {place: {"tested": n, "collisions": kin.collided[place]} for place, n in kin.named.items()},
        "real_names": {name: dict(sorted(cells.items())) for name, cells in kin.real.items()},
        "details": dict(kin.details),
        "twins": kin.twins,
        "shared_names": {
            "names": kin.names.shared["name"],
            "of": kin.names.asked["name"],
            "counted": 1 / (kin.names.mask + 1),
            "examples": kin.same_names,
        },
        "most_alike": {"share": share, "worlds": [later, earlier] if later else []},
        "shared_rows": {
            "tables": {t: {"rows": kin.rows.shared[t], "of": of} for t, of in kin.rows.asked.items()},
            "counted": 1 / (kin.rows.mask + 1),
            "examples": kin.same_rows,
        },
        "equal_columns": kin.alike,
        "structures": len(kin.structures),
        "commonest_structure": kin.commonest,
        "findings": dict(kin.found),
    }
