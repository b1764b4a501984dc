"""A schema on one HTML page that needs nothing else: its tables, graph and rules, and what a world of it looks like."""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from worldsmith.audit.worlds.overview import graph_svg
from worldsmith.generation import generate
from worldsmith.mining.pipeline import MiningRequest, mine_request
from worldsmith.pages import Pages
from worldsmith.pages.renderer import html, render
from worldsmith.schema import Column, Schema, Table
from worldsmith.schema.toml_text import value
from worldsmith.tasks import Task
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
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="faint">{schema.kind}, as of {schema.as_of}. World {escape(world.id)}: {world.facts} facts in '
        f"{len(world.tables)} tables, {len(world.schema.rules)} rules.</p>",
        "<h2>Tables</h2>",
        *(_table_part(schema, table, world) for table in schema.tables.values()),
        "<h2>Rules</h2>",
        _grid(["rule", "about", "what holds"], ([r.name, r.table, r.text] for r in schema.rules)),
        "<h2>What is filled from what</h2>",
        f'<div class="scroll"><img alt="Constraint graph" src="{_data_url(graph_svg(world.schema))}"></div>',
        "<h2>Two pages</h2>",
        *_pages_part(world),
        f"<h2>{len(tasks)} questions</h2>" if tasks else "<h2>Questions</h2><p>No task came of this world.</p>",
        *map(_task_part, tasks),
    ]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{"".join(parts)}</body></html>\n'


def _table_part(schema: Schema, table: Table, world: World) -> str:
    """Return what a table is, its columns as the schema writes them, and its first rows."""
    background = ", background" if table.background else ""
    switch = f', where "{table.switch}" is on' if table.switch else ""
    head = f"{table.name}: {table.rows[0]} to {table.rows[1]} {table.plural}{background}{switch}"
    source = schema.source["tables"][table.name]["columns"]
    columns = _grid(
        ["column", "header", "filled by"], ([c.name, c.header, _fill(source[c.name])] for c in table.columns)
    )
    shown = world.schema.tables.get(table.name)
    rows = list(world.rows_of(table.name))[:ROWS] if shown else []
    cells = ([_cell(world.value(row, c.name), c) for c in shown.columns] for row in rows) if shown else ()
    some = _grid([c.header for c in shown.columns], cells) if shown and rows else "<p>not in this world</p>"
    label = "its rows" if len(rows) < ROWS else f"its first {ROWS} rows"
    return f"<h3>{escape(head)}</h3>{columns}<details><summary>{label}</summary>{some}</details>"


def _fill(source: dict[str, object]) -> str:
    """Return a column as a schema file writes it, without what its texts are."""
    return ", ".join(f"{k} = {value(item)}" for k, item in source.items() if k not in {"label", "says", "see", "unit"})


def _cell(cell: object, column: Column) -> str:
    return column.none or "-" if cell is None else str(cell)


def _grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'


def _data_url(svg: str) -> str:
    """Return an image as a URL: its style and ids stay its own."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def _pages_part(world: World) -> Iterator[str]:
    """Yield two kinds of page about the largest table that has any, as their sites show them, without scripts."""
    pages = Pages(world)
    own = max(pages.abouts.items(), key=lambda item: world.size(item[0]), default=("", ()))[1]
    for kind in list(dict.fromkeys([*own[:1], *reversed(own), *pages.kinds]))[:PAGES]:
        page = pages.page(f"{kind}/{next(iter(pages.kinds[kind].numbers))}")
        doc = render(page, world, pages)
        frame = escape(html(doc, lambda _url: "#"))
        yield (
            f'<p class="faint">{escape(doc.url)}</p>'
            f'<iframe sandbox title="{escape(doc.title)}" srcdoc="{frame}"></iframe>'
        )


def _task_part(task: Task) -> str:
    return (
        f"<details open><summary>{escape(task.task_id)}</summary><pre>{escape(task.question)}</pre></details>"
        f"<details><summary>Its answer</summary><pre>{escape(task.table())}</pre></details>"
    )
