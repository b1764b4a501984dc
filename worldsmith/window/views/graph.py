"""The constraint graph of a world: its names as a list, one of them with its ties, and the whole picture."""

from collections.abc import Sequence
from html import escape
from typing import Final

from worldsmith.audit.worlds.overview import graph_svg
from worldsmith.errors import NotFoundError, close_match
from worldsmith.graph import ConstraintGraph, graph_of
from worldsmith.schema import COMPUTED
from worldsmith.schema.reads import Name
from worldsmith.window.library import OpenWorld
from worldsmith.window.markup import Child, Markup, tag
from worldsmith.window.sheet import Sheet, Visit, facts, joined, note, section

BOX, LINE, GAP = 250, 26, 70
"""Of the picture of one name: the width of a box, the height of a line, the gap between boxes."""
LETTERS: Final = 32
"""Letters that fit into a box."""


def graph(visit: Visit) -> Sheet:
    """Show the constraint graph, and the ties of the name that the query asks for."""
    opened = visit.library.world(visit.path["world"])
    schema = opened.world.schema
    made = graph_of(schema)
    names = {".".join(name): name for name in made.graph.nodes}
    wanted = visit.query.get("name", "")
    if wanted and wanted not in names:
        raise NotFoundError(f"no column or rule {wanted!r} in {opened.world.id}.{close_match(wanted, names)}")

    def link(name: Name) -> str:
        return visit.links.to("world", opened.world.id, "graph", name=".".join(name))

    picture = tag(
        "div", Markup(graph_svg(schema, link)), class_="scroll graph", tabindex=0, role="region", aria_label="Graph"
    )
    body = tag(
        "div",
        tag("div", _list(visit, opened, made, wanted), class_="side"),
        tag(
            "div",
            _ties(visit, opened, made, names[wanted]) if wanted else note("Choose a column or a rule to see its ties."),
            section("All of it", picture),
        ),
        class_="split narrow",
    )
    return Sheet("Constraint graph", body, opened.world.id, tab="graph")


def _list(visit: Visit, opened: OpenWorld, made: ConstraintGraph, wanted: str) -> Markup:
    """Return all names by table, each with what it is."""
    schema, world = opened.world.schema, opened.world.id

    def item(name: Name, what: str) -> Markup:
        text = ".".join(name)
        address = visit.links.to("world", world, "graph", name=text)
        link = tag("a", name[1], href=address, aria_current="true" if text == wanted else None)
        return tag("li", link, tag("span", what, class_="faint"))

    groups = [
        (table.name, [item((table.name, c.name), _kind(opened, (table.name, c.name))) for c in table.columns])
        for table in schema.tables.values()
    ]
    rules = [item(("rule", rule.name), f"reads {len(made.rule_columns[rule.name])}") for rule in schema.rules]
    opened_group = wanted.partition(".")[0]
    return tag(
        "nav",
        tag("label", tag("span", "Narrow"), tag("input", type="search", data_search=True, data_narrow="names")),
        [
            tag("details", tag("summary", name), tag("ul", items, class_="names"), open=name == opened_group)
            for name, items in (*groups, ("rule", rules))
            if items
        ],
        id="names",
        aria_label="Columns and rules",
    )


def _kind(opened: OpenWorld, name: Name) -> str:
    column = opened.world.schema.column(*name)
    return f"→ {column.ref}" if column.ref else "computed" if isinstance(column.fill, COMPUTED) else "drawn"


def _ties(visit: Visit, opened: OpenWorld, made: ConstraintGraph, name: Name) -> Markup:
    """Return one name: what it reads, what reads it, and all that depends on it."""
    reads, readers = list(made.graph.predecessors(name)), list(made.graph.successors(name))
    rest = sorted(made.dependents(name) - set(readers))
    if name[0] == "rule":
        rule = next(one for one in opened.report.rules if one.rule == name[1])
        about = facts(
            [
                ("says", rule.text),
                ("tested at", f"place {made.tested_at[name[1]] + 1} of the filling"),
                ("covers", f"{rule.covers} rows"),
                ("broken", rule.broken),
            ]
        )
    else:
        column = opened.world.schema.column(*name)
        source = opened.world.schema.source["tables"][name[0]]["columns"][name[1]]
        about = facts(
            [
                ("label", column.label),
                ("is", _kind(opened, name)),
                ("filled", f"at place {made.unit_index[name] + 1} of {len(made.order)}"),
                ("declared", tag("code", ", ".join(f"{key} = {value!r}" for key, value in source.items()))),
                ("table", visit.links.link(name[0], "world", opened.world.id, "t", name[0])),
            ]
        )
    return section(
        ".".join(name),
        about,
        tag(
            "div",
            _picture(visit, opened.world.id, name, reads, readers),
            class_="scroll graph",
            tabindex=0,
            role="region",
            aria_label=f"Ties of {'.'.join(name)}",
        ),
        facts(
            [
                ("reads", _named(visit, opened, reads)),
                ("read by", _named(visit, opened, readers)),
                ("depends on it indirectly", _named(visit, opened, rest)),
            ]
        ),
    )


def _named(visit: Visit, opened: OpenWorld, names: Sequence[Name]) -> Child:
    texts = [".".join(name) for name in names]
    links = [visit.links.link(text, "world", opened.world.id, "graph", name=text) for text in texts]
    return joined(links, ", ") if links else "nothing"


def _picture(visit: Visit, world: str, name: Name, reads: Sequence[Name], readers: Sequence[Name]) -> Markup:
    """Return a name between what it reads and what reads it, as SVG."""
    height = LINE * max(1, len(reads), len(readers)) + 12
    middle = height / 2
    parts = []

    def places(names: Sequence[Name]) -> list[tuple[Name, float]]:
        top = middle - LINE * len(names) / 2
        return [(one, top + LINE * (i + 0.5)) for i, one in enumerate(names)]

    def box(one: Name, x: int, y: float, class_: str) -> str:
        text = ".".join(one)
        shown = text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"
        address = visit.links.to("world", world, "graph", name=text)
        return (
            f'<a href="{escape(address)}">'
            f'<rect x="{x}" y="{y - LINE / 2 + 2}" width="{BOX}" height="{LINE - 4}" rx="4" class="box {class_}"/>'
            f'<text x="{x + 9}" y="{y + 4}" class="{class_}">{escape(shown)}'
            f"<title>{escape(text)}</title></text></a>"
        )

    def curve(x: int, y: float, to_x: int, to_y: float) -> str:
        half = (x + to_x) / 2
        return f'<path class="tie" d="M{x} {y}C{half} {y} {half} {to_y} {to_x} {to_y}"/>'

    here = BOX + GAP if reads else 0
    right = here + BOX + GAP
    for one, y in places(reads):
        parts += [curve(BOX, y, here, middle), box(one, 0, y, "read")]
    for one, y in places(readers):
        class_ = "rule" if one[0] == "rule" else "reader"
        parts += [curve(here + BOX, middle, right, y), box(one, right, y, class_)]
    parts.append(box(name, here, middle, "here"))
    width = (right if readers else here) + BOX + 2
    return Markup(
        f'<svg viewBox="-1 0 {width} {height}" width="{width}" height="{height}" font-size="12" role="img" '
        f'font-family="ui-monospace, monospace"><title>{escape(".".join(name))} and its ties</title>'
        f"{''.join(parts)}</svg>"
    )
