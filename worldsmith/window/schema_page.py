"""A schema on one HTML page that needs nothing else: its tables, graph and rules, and what a world of it looks like."""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from worldsmith.audit.worlds.overview import graph_svg
from worldsmith.generation import generate
from worldsmith.mining.pipeline import MiningRequest, mine_request
from worldsmith.pages import Pages
from worldsmith.pages.renderer import html, render
from worldsmith.schema import Column, Schema, Table
from worldsmith.schema.toml_text import value
from worldsmith.tasks import Task
from worldsmith.window.markup import Markup, html_of, tag
from worldsmith.world.model import World

ROWS: Final = 10
"""Rows shown of each table."""
PAGES: Final = 2
QUESTIONS: Final = 5
STYLE: Final = """
:root { color-scheme: light dark; --page: #fff; --text: #1b1f24; --faint: #667; --line: #d5d9e0; --box: #f5f6f8; }
@media (prefers-color-scheme: dark) { :root { --page: #15181c; --text: #e4e7eb; --faint: #9aa3b0; --line: #363c45;
  --box: #1f242a; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 76rem;
  margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: .86rem; } .scroll { overflow-x: auto; margin: .5rem 0 1.2rem; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
code { font-size: .84rem; } .faint { color: var(--faint); }
img { background: #fff; max-width: none; } iframe { width: 100%; height: 30rem; border: 1px solid var(--line);
  background: #fff; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .3rem .8rem; }
summary { cursor: pointer; } pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--box);
  padding: .6rem; border-radius: 4px; font-size: .84rem; }
"""


def schema_page(schema: Schema, seed: int = 0) -> str:
    """Return the HTML of a schema, with the world of a seed.

    Raises GenerationError where the seed fits no world.
    """
    world = generate(schema, seed, language="natural")
    tasks = mine_request(world, MiningRequest(QUESTIONS)).tasks
    title = f"{schema.name}: {schema.about}"
    figures = f"{world.facts} facts in {len(world.tables)} tables, {len(world.schema.rules)} rules"
    picture = tag("img", alt="Constraint graph", src=_data_url(graph_svg(world.schema)))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width"),
        tag("title", title),
        tag("style", Markup(STYLE)),
    )
    body = tag(
        "body",
        tag("h1", title),
        tag("p", f"{schema.kind}, as of {schema.as_of}. World {world.id}: {figures}.", class_="faint"),
        tag("h2", "Tables"),
        [_table_part(schema, table, world) for table in schema.tables.values()],
        tag("h2", "Rules"),
        _grid(["rule", "about", "what holds"], ([r.name, r.table, r.text] for r in schema.rules)),
        tag("h2", "What is filled from what"),
        tag("div", picture, class_="scroll"),
        tag("h2", "Two pages"),
        _pages_part(world),
        tag("h2", f"{len(tasks)} questions" if tasks else "Questions"),
        map(_task_part, tasks) if tasks else tag("p", "No task came of this world."),
    )
    return f'<!doctype html>\n<html lang="en">{head}\n{body}</html>\n'


def _table_part(schema: Schema, table: Table, world: World) -> Markup:
    """Return what a table is, its columns as the schema writes them, and its first rows."""
    background = ", background" if table.background else ""
    switch = f', where "{table.switch}" is on' if table.switch else ""
    source = schema.source["tables"][table.name]["columns"]
    columns = ([c.name, c.header, _fill(source[c.name])] for c in table.columns)
    shown = world.schema.tables.get(table.name)
    rows = list(world.rows_of(table.name))[:ROWS] if shown else []
    cells = ([_cell(world.value(row, c.name), c) for c in shown.columns] for row in rows) if shown else ()
    some = _grid([c.header for c in shown.columns], cells) if shown and rows else tag("p", "not in this world")
    label = "its rows" if len(rows) < ROWS else f"its first {ROWS} rows"
    return html_of(
        [
            tag("h3", f"{table.name}: {table.rows[0]} to {table.rows[1]} {table.plural}{background}{switch}"),
            _grid(["column", "header", "filled by"], columns),
            tag("details", tag("summary", label), some),
        ]
    )


def _fill(source: dict[str, object]) -> str:
    """Return a column as a schema file writes it, without what its texts are."""
    return ", ".join(f"{k} = {value(item)}" for k, item in source.items() if k not in {"label", "says", "see", "unit"})


def _cell(cell: object, column: Column) -> str:
    return column.none or "-" if cell is None else str(cell)


def _grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    head = tag("tr", (tag("th", name) for name in header))
    body = (tag("tr", (tag("td", cell) for cell in row)) for row in rows)
    return tag("div", tag("table", head, body), class_="scroll")


def _data_url(svg: str) -> str:
    """Return an image as a URL: its style and ids stay its own."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def _pages_part(world: World) -> Iterator[Markup]:
    """Yield two kinds of page about the largest table that has any, as their sites show them, without scripts."""
    pages = Pages(world)
    own = max(pages.abouts.items(), key=lambda item: world.size(item[0]), default=("", ()))[1]
    for kind in list(dict.fromkeys([*own[:1], *reversed(own), *pages.kinds]))[:PAGES]:
        page = pages.page(f"{kind}/{next(iter(pages.kinds[kind].numbers))}")
        doc = render(page, world, pages)
        yield tag("p", doc.url, class_="faint")
        yield tag("iframe", sandbox=True, title=doc.title, srcdoc=html(doc, lambda _url: "#"))


def _task_part(task: Task) -> Markup:
    return html_of(
        [
            tag("details", tag("summary", task.task_id), tag("pre", task.question), open=True),
            tag("details", tag("summary", "Its answer"), tag("pre", task.table())),
        ]
    )
