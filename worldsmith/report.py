"""Pictures for people: a world at a glance, and the constraint graph as SVG."""

from collections.abc import Iterable
from html import escape

from worldsmith.graph import Name, graph_of
from worldsmith.schema import COMPUTED, Column, Schema, Value
from worldsmith.world import World

ROW, WIDTH, GAP, TOP, LEFT = 20, 210, 120, 70, 60
COLOURS = {"drawn": "#2b6cb0", "computed": "#2f855a", "ref": "#b7791f", "rule": "#c53030"}


def overview(world: World, rows: int = 3, width: int = 120) -> str:
    """Return a world as text: what it is, and the first rows of each table, in lines of at most `width` characters."""
    schema = world.schema
    lines = [
        f"{world.id}: {schema.about}, as of {schema.as_of} ({schema.kind})",
        f"{world.facts} facts in {len(world.tables)} tables, {len(schema.rules)} declared rules; "
        f"switches on: {', '.join(sorted(schema.switches)) or 'none'}",
        *([f"knobs: {schema.knobs}"] if schema.knobs.turned else []),
    ]
    for name, table in schema.tables.items():
        lines.append(f"\n{name}: {world.size(name)} rows")
        shown = [[_short(c.header) for c in table.columns]]
        shown += [[_short(world.value(row, c.name)) for c in table.columns] for row in list(world.rows_of(name))[:rows]]
        widths = [max(len(r[i]) for r in shown) for i in range(len(table.columns))]
        lines += ["  " + "  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in shown]
    return "\n".join(line if len(line) <= width else f"{line[: width - 1].rstrip()}…" for line in lines)


def _short(value: Value) -> str:
    text = "-" if value is None else str(value)
    return text if len(text) <= 22 else text[:21] + "…"


def graph_svg(schema: Schema) -> str:
    """Return the constraint graph of a structure as SVG.

    A box a table, a line a column with its place in the order of filling; rules in the last box; a curve leads
    from what is read to what reads it. Point at a curve to see it alone.
    """
    graph = graph_of(schema)
    place = {name: i for i, unit in enumerate(graph.order, 1) for name in unit}
    tables = sorted(schema.tables.values(), key=lambda t: min(place[t.name, c.name] for c in t.columns))
    boxes: list[tuple[str, list[tuple[Name, str, str]]]] = [
        (t.name, [((t.name, c.name), f"{place[t.name, c.name]:>2}  {c.name}", _kind(c)) for c in t.columns])
        for t in tables
    ]
    boxes.append(("rules", [(("rule", r.name), r.name, "rule") for r in schema.rules]))
    at: dict[Name, tuple[int, int]] = {}
    parts: list[str] = []
    for i, (title, lines) in enumerate(boxes):
        x = LEFT + i * (WIDTH + GAP)
        parts.append(
            f'<rect x="{x}" y="{TOP - 26}" width="{WIDTH}" height="{len(lines) * ROW + 34}" rx="6" class="box"/>'
            f'<text x="{x + 10}" y="{TOP - 8}" class="title">{escape(title)}</text>'
        )
        for j, (name, text, kind) in enumerate(lines):
            y = TOP + 10 + j * ROW
            at[name] = (x, y)
            parts.append(f'<text x="{x + 10}" y="{y + 4}" fill="{COLOURS[kind]}">{escape(text)}</text>')
    curves = [_curve(at[a], at[b], COLOURS["rule" if b[0] == "rule" else "drawn"], a, b) for a, b in graph.graph.edges]
    width = LEFT + len(boxes) * (WIDTH + GAP) - GAP + 20
    height = TOP + max(len(lines) for _, lines in boxes) * ROW + 40
    title = f"{schema.name}: what is filled from what (numbers: order of filling), and which rule reads it"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="ui-monospace, monospace" font-size="12">',
            "<style>.box{fill:#f7fafc;stroke:#a0aec0}.title{font-weight:bold}path{fill:none;opacity:.28}"
            "path:hover{opacity:1;stroke-width:3}</style>",
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
            f'<text x="20" y="24" font-size="15">{escape(title)}</text>',
            *_legend(width),
            *curves,
            *parts,
            "</svg>\n",
        ]
    )


def _kind(column: Column) -> str:
    if column.ref:
        return "ref"
    return "computed" if isinstance(column.fill, COMPUTED) else "drawn"


def _legend(width: int) -> Iterable[str]:
    for i, (kind, colour) in enumerate(COLOURS.items()):
        yield f'<text x="{width - 400 + i * 95}" y="24" fill="{colour}">{kind}</text>'


def _curve(a: tuple[int, int], b: tuple[int, int], colour: str, source: Name, target: Name) -> str:
    (ax, ay), (bx, by) = a, b
    if ax == bx:
        # Within a box the curve swings out to the left.
        path = f"M{ax} {ay}C{ax - 50} {ay} {bx - 50} {by} {bx} {by}"
    elif ax < bx:
        path = f"M{ax + WIDTH} {ay}C{ax + WIDTH + 60} {ay} {bx - 60} {by} {bx} {by}"
    else:
        path = f"M{ax} {ay}C{ax - 60} {ay} {bx + WIDTH + 60} {by} {bx + WIDTH} {by}"
    said = f"{'.'.join(source)} → {' '.join(target) if target[0] == 'rule' else '.'.join(target)}"
    return f'<path d="{path}" stroke="{colour}"><title>{escape(said)}</title></path>'
