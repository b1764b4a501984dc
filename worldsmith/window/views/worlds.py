"""All worlds, and one of them: what it is, its tables, and whether its rules hold."""

from pathlib import Path
from typing import Final

from worldsmith.checking.report import Report, RuleReport
from worldsmith.errors import FormatError, NotFoundError, WorldsmithError
from worldsmith.window.library import OpenWorld, WorldEntry
from worldsmith.window.markup import Child, Markup, tag
from worldsmith.window.sheet import Cell, Content, Sheet, Visit, facts, field, joined, note, problems, section, table

SHOWN_WORLDS: Final = 100
"""Worlds of a page of the list."""
CHECKED_WORLDS: Final = 8
"""Worlds of the list that are opened and checked for it: it takes about a tenth of a second each."""
SHORT_DIGEST: Final = 12


def home(visit: Visit) -> Sheet:
    """Show all worlds, the pool, runs and traces."""
    wanted = visit.query.get("q", "").strip()
    every, wrong = dict[str, Path](), []
    try:
        every = visit.library.worlds()
    except NotFoundError as error:
        wrong = [str(error)]
    paths = [path for name, path in sorted(every.items()) if wanted.casefold() in name.casefold()]
    shown, paging = visit.paged(len(paths), SHOWN_WORLDS)
    entries = [visit.library.entry_at(paths[i]) for i in shown]
    checked = {entry.id for entry in entries[:CHECKED_WORLDS]}
    header = ("world", "schema", "kind", "as of", "seed", "facts", "background", "tables", "tasks", "digest", "rules")
    body = tag(
        "div",
        problems(wrong),
        _name_form(wanted) if len(every) > 1 else None,
        table(header, [_world_row(visit, entry, check=entry.id in checked) for entry in entries], label="Worlds"),
        paging,
        note("No world has such a name.") if every and not paths else None,
        section("Pool", _pool(visit)),
        section("Runs and traces", _records(visit)),
    )
    return Sheet("Worlds", body)


def _name_form(wanted: str) -> Markup:
    box = tag("input", type="search", name="q", value=wanted, data_search=True)
    return tag("form", field("Name contains", box), tag("button", "Filter"), class_="bar", role="search")


def _world_row(visit: Visit, entry: WorldEntry, *, check: bool) -> list[Content]:
    info, link = entry.manifest, visit.links.link(entry.id, "world", entry.id)
    if entry.problem:
        return [link, Cell(entry.problem, "bad long"), *[""] * 9]
    tables = info.get("tables")
    return [
        link,
        *(str(info.get(name, "")) for name in ("schema", "kind", "as_of")),
        Cell(str(info.get("seed", "")), "n"),
        *(Cell(str(info.get(name, 0)), "n") for name in ("facts", "background")),
        len(tables) if isinstance(tables, dict) else 0,
        visit.library.count_tasks(entry),
        Cell(str(info.get("digest", ""))[:SHORT_DIGEST], "code"),
        _rules_cell(visit, entry) if check else Cell("open to check", "faint"),
    ]


def _rules_cell(visit: Visit, entry: WorldEntry) -> Cell:
    try:
        report = visit.library.world(entry.id).report
    except FormatError as error:
        return Cell(str(error), "bad long")
    return _verdict(report)


def _verdict(report: Report) -> Cell:
    if report.ok:
        return Cell(f"{len(report.rules)} hold", "good")
    return Cell(f"{report.broken} broken", "bad")


def _pool(visit: Visit) -> Child:
    if not visit.library.settings.pooled:
        return None
    try:
        pool = visit.library.pool()
        tasks = visit.library.tasks(pool.id)
    except (WorldsmithError, OSError) as error:
        return problems([str(error)])
    return facts(
        [
            ("pool", visit.links.link(pool.id, "world", pool.id, "search")),
            ("worlds", len(pool.worlds)),
            ("sites", len(pool.hosts)),
            ("facts", pool.facts),
            ("tasks", visit.links.link(len(tasks), "world", pool.id, "tasks")),
        ]
    )


def _records(visit: Visit) -> Child:
    runs, _ = visit.library.runs()
    traces = visit.library.traces()
    if not visit.library.settings.records:
        options = [tag("code", option) for option in ("--trace DIR", "--window-episodes DIR")]
        return note(
            "None are shown: start ", tag("code", "serve"), " with ", joined(options, " or "), ", a folder of them."
        )
    return facts(
        [
            ("runs", visit.links.link(len(runs), "runs")),
            ("traces", visit.links.link(len(traces), "traces")),
        ]
    )


def world(visit: Visit) -> Sheet:
    """Show a world: what made it, its tables, its rules."""
    name = visit.path["world"]
    if visit.library.is_pool(name):
        raise NotFoundError(f"{name} is a pool: it has a search engine and tasks, and its worlds have tables")
    opened = visit.library.world(name)
    body = tag(
        "div",
        _manifest(visit, opened, visit.library.entry(name)),
        section("Tables", _tables(visit, opened)),
        section("Rules", _rules(visit, opened)),
    )
    return Sheet(opened.world.id, body, name=name, tab="")


def _manifest(visit: Visit, opened: OpenWorld, entry: WorldEntry) -> Markup:
    world, schema = opened.world, opened.world.schema
    knobs = str(schema.knobs) if schema.knobs.turned else ""
    return tag(
        "div",
        tag("p", schema.about, class_="lead"),
        facts(
            [
                ("schema", schema.name),
                ("kind", schema.kind),
                ("as of", schema.as_of),
                ("seed", str(world.seed)),
                ("language", world.language),
                ("subject", world.subject),
                ("facts", f"{world.facts}, and {world.background} of background"),
                ("pages", visit.links.link(len(opened.pages.ids()), "world", world.id, "pages")),
                ("tasks", visit.links.link(visit.library.count_tasks(entry), "world", world.id, "tasks")),
                ("switches", ", ".join(sorted(schema.switches)) or "none"),
                ("knobs", knobs),
                ("digest", tag("code", world.digest)),
                ("schema digest", tag("code", schema.digest)),
                ("made by", f"worldsmith {entry.manifest.get('generator', '')}"),
                ("folder", tag("code", str(entry.folder))),
            ]
        ),
    )


def _tables(visit: Visit, opened: OpenWorld) -> Markup:
    world = opened.world
    return table(
        ("table", "rows", "columns", "key", "refers to", "a row is"),
        [
            [
                visit.links.link(name, "world", world.id, "t", name),
                world.size(name),
                len(one.columns),
                ", ".join(one.key),
                ", ".join(dict.fromkeys(str(column.ref) for column in one.refs)),
                f"{one.singular} (background)" if one.background else one.singular,
            ]
            for name, one in world.schema.tables.items()
        ],
        label="Tables",
    )


def _rules(visit: Visit, opened: OpenWorld) -> list[Child]:
    report, world = opened.report, opened.world
    declared = {rule.name for rule in world.schema.rules}
    own = [rule for rule in report.rules if rule.rule in declared]
    implied = [rule for rule in report.rules if rule.rule not in declared]
    header = ("rule", "says", "rows covered", "broken")
    broken = table(
        ("rule", "row", "is", "values"),
        [
            [
                one.rule,
                visit.links.link(one.row, "world", world.id, "t", *one.row.split("/")),
                one.title,
                ", ".join(f"{column} = {value!r}" for column, value in one.values.items()),
            ]
            for one in report.violations
        ],
        "Rows that break a rule",
    )
    return [
        note(tag("b", _verdict(report).content, class_=_verdict(report).class_), f" of {len(report.rules)} rules."),
        broken,
        table(header, [_rule_row(visit, world.id, rule) for rule in own], "Declared rules"),
        tag(
            "details",
            tag("summary", f"{len(implied)} rules that the filling implies"),
            table(header, [[one.rule, Cell(one.text, "long"), one.covers, one.broken] for one in implied], "Implied"),
        ),
        tag(
            "details",
            tag("summary", f"{len(report.off)} rules and pages that are off in this world"),
            table(("what", "why"), [list(pair) for pair in report.off], "Off"),
        )
        if report.off
        else None,
    ]


def _rule_row(visit: Visit, world: str, rule: RuleReport) -> list[Content]:
    link = visit.links.link(rule.rule, "world", world, "graph", name=f"rule.{rule.rule}")
    return [link, Cell(rule.text, "long"), rule.covers, rule.broken]
