"""Pictures for people: a world at a glance, and the constraint graph as SVG."""

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from worldsmith.graph import ConstraintGraph, graph_of
from worldsmith.schema import COMPUTED, Column, Schema, Value
from worldsmith.schema.reads import Name
from worldsmith.world.model import World

ROW, WIDTH, GAP, TOP, LEFT = 17, 500, 70, 92, 60
READS, MARKS, WRAP = 150, 490, 42
"""Within a box: where the columns that a line reads begin, where the rules that read it end; letters per line."""
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


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the picture: a column, or a rule."""

    name: Name
    text: str
    kind: str
    reads: tuple[str, ...]
    """What it reads, wrapped."""
    marks: str
    """Of a column: the numbers of the rules that read it."""
    x: int
    y: int

    @property
    def height(self) -> int:
        return ROW * max(1, len(self.reads)) + 3


@dataclass(frozen=True, slots=True)
class _Box:
    title: str
    x: int
    y: int
    lines: tuple[_Line, ...]

    @property
    def height(self) -> int:
        return 40 + sum(line.height for line in self.lines)


def graph_svg(schema: Schema, link: Callable[[Name], str] | None = None) -> str:
    """Return the constraint graph of a structure as SVG.

    One box per table, one line per column: its place in the order of filling, its name, what it is filled from, and
    the numbers of the rules that read it. The last box has the rules, each with what it reads and the place at which it
    is tested. Arrows are references; point at a line to see all that it reads and that reads it.

    With `link` it is part of a page: its lines lead where that says, and the page has its title, ground and style.
    """
    graph = graph_of(schema)
    boxes = _boxes(schema, graph)
    lines = {line.name: line for box in boxes for line in box.lines}
    width = max(box.x for box in boxes) + WIDTH + 30
    height = max(box.y + box.height for box in boxes) + 24
    references = [column for table in schema.tables.values() for column in table.refs]
    title = f"{schema.name}: what is filled from what, and which rules read it"
    top = 0 if link is None else 34
    tip = f' style="fill:{COLOURS["ref"]}"' if link is None else ""
    style = (
        "<style>.box{fill:#f7fafc;stroke:#a0aec0}.title{font-weight:bold}path{fill:none}.e{opacity:0}"
        ".hit{fill:transparent}.c:hover .e{opacity:1}.c:hover .hit{fill:#edf2f7}.grey{fill:#718096;font-size:11px}"
        "</style>"
    )
    ground = (
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="20" y="26" font-size="15">{escape(title)}</text>',
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {top} {width} {height - top}" width="{width}" '
            f'height="{height - top}" '
            'font-family="ui-monospace, monospace" font-size="12">',
            *([style] if link is None else []),
            '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0L8 4L0 8z"{tip}/></marker></defs>',
            *(ground if link is None else ()),
            *_legend_svg(),
            *(part for box in boxes for part in _box_svg(box)),
            *(_arrow_svg(lines[c.table, c.name], b) for b in boxes for c in references if c.ref == b.title),
            *(part for box in boxes for line in box.lines for part in _line_svg(line, graph, lines, link)),
            "</svg>\n",
        ]
    )


def _boxes(schema: Schema, graph: ConstraintGraph) -> list[_Box]:
    """Return the boxes: tables in the order of filling in two columns of about one height, rules in a third."""
    place = {name: i for i, unit in enumerate(graph.order, 1) for name in unit}
    number = {rule.name: i for i, rule in enumerate(schema.rules, 1)}
    tables = sorted(schema.tables.values(), key=lambda t: min(place[t.name, c.name] for c in t.columns))
    half = sum(len(t.columns) + 2 for t in tables) / 2
    boxes: list[_Box] = []
    x, y, filled = LEFT, TOP, 0
    for table in tables:
        if filled + len(table.columns) / 2 >= half and x == LEFT and boxes:
            x, y = LEFT + WIDTH + GAP, TOP
        texts = [
            (
                (table.name, c.name),
                f"{place[table.name, c.name]:>2} {c.name}",
                _kind(c),
                _reads_text(graph, (table.name, c.name), table.name),
                " ".join(f"R{n}" for n in sorted(number[r] for r in graph.rules_on((table.name, c.name)))),
            )
            for c in table.columns
        ]
        boxes.append(_box(table.name, x, y, texts))
        y += boxes[-1].height + 26
        filled += len(table.columns) + 2
    rules = [
        (
            ("rule", rule.name),
            f"R{number[rule.name]} {rule.name}",
            "rule",
            f"{_reads_text(graph, ('rule', rule.name), '')}; tested at {graph.tested_at[rule.name] + 1}",
            "",
        )
        for rule in schema.rules
    ]
    return [*boxes, _box("rules", x + WIDTH + GAP if boxes[-1].x > LEFT else LEFT + WIDTH + GAP, TOP, rules)]


def _reads_text(graph: ConstraintGraph, name: Name, home: str) -> str:
    """Return what a column or rule reads: columns of its own table by their bare names."""
    columns = [column if table == home else f"{table}.{column}" for table, column in graph.graph.predecessors(name)]
    return ", ".join(columns)


def _box(title: str, x: int, y: int, texts: list[tuple[Name, str, str, str, str]]) -> _Box:
    lines: list[_Line] = []
    at = y + 34
    for name, text, kind, reads_text, marks in texts:
        # A rule's name is long: what it reads is on the lines below.
        wide = WRAP + 22 if kind == "rule" else WRAP - max(0, len(marks) - 9)
        reads = tuple(textwrap.wrap(reads_text, wide, break_long_words=False))
        lines.append(_Line(name, text, kind, ("", *reads) if kind == "rule" else reads, marks, x, at))
        at += lines[-1].height
    return _Box(title, x, y, tuple(lines))


def _kind(column: Column) -> str:
    if column.ref:
        return "ref"
    return "computed" if isinstance(column.fill, COMPUTED) else "drawn"


def _legend_svg() -> Iterator[str]:
    legend = "number: order of filling; grey: what it is filled from; R: rules that read it; arrows: references"
    yield f'<text x="20" y="50" class="grey">{legend}; point at a line to see its ties</text>'
    for i, (kind, colour) in enumerate(COLOURS.items()):
        yield f'<text x="{20 + i * 95}" y="70" fill="{colour}">{kind}</text>'


def _box_svg(box: _Box) -> Iterator[str]:
    yield f'<rect x="{box.x}" y="{box.y}" width="{WIDTH}" height="{box.height}" rx="6" class="box"/>'
    yield f'<text x="{box.x + 10}" y="{box.y + 20}" class="title">{escape(box.title)}</text>'


def _line_svg(
    line: _Line, graph: ConstraintGraph, lines: dict[Name, _Line], link: Callable[[Name], str] | None
) -> Iterator[str]:
    """Yield the text of a line, and its ties, which show on hover."""
    y = line.y + 12
    if link is not None:
        yield f'<a href="{escape(link(line.name))}">'
    yield f'<g class="c"><rect class="hit" x="{line.x + 1}" y="{line.y}" width="{WIDTH - 2}" height="{line.height}"/>'
    yield f'<text x="{line.x + 10}" y="{y}" fill="{COLOURS[line.kind]}">{escape(line.text)}</text>'
    indent = 38 if line.kind == "rule" else READS
    for i, part in enumerate(line.reads):
        if part:
            yield f'<text x="{line.x + indent}" y="{y + i * ROW}" class="grey">{escape(part)}</text>'
    if line.marks:
        yield (
            f'<text x="{line.x + MARKS}" y="{y}" text-anchor="end" font-size="11" fill="{COLOURS["rule"]}">'
            f"{line.marks}</text>"
        )
    for other in graph.graph.predecessors(line.name):
        yield _tie_svg(lines[other], line)
    for other in graph.graph.successors(line.name):
        yield _tie_svg(line, lines[other])
    yield "</g>" if link is None else "</g></a>"


def _tie_svg(a: _Line, b: _Line) -> str:
    colour = COLOURS["rule" if b.kind == "rule" else b.kind]
    title = f"{'.'.join(a.name)} → {' '.join(b.name) if b.kind == 'rule' else '.'.join(b.name)}"
    path = _path(a.x, a.y + 8, b.x, b.y + 8)
    return f'<path class="e" d="{path}" stroke="{colour}" stroke-width="1.5"><title>{escape(title)}</title></path>'


def _arrow_svg(line: _Line, box: _Box) -> str:
    """Return the arrow from a reference to the title of the table it refers to."""
    path = _path(line.x, line.y + 8, box.x, box.y + 16)
    return f'<path d="{path}" stroke="{COLOURS["ref"]}" opacity=".6" marker-end="url(#to)"/>'


def _path(ax: int, ay: int, bx: int, by: int) -> str:
    """Return a curve between lines of boxes; within a column of boxes it swings out to the left."""
    if ax == bx:
        out = min(45, 14 + abs(ay - by) // 12)
        return f"M{ax} {ay}C{ax - out} {ay} {bx - out} {by} {bx} {by}"
    if ax < bx:
        return f"M{ax + WIDTH} {ay}C{ax + WIDTH + 50} {ay} {bx - 50} {by} {bx} {by}"
    return f"M{ax} {ay}C{ax - 50} {ay} {bx + WIDTH + 50} {by} {bx + WIDTH} {by}"
