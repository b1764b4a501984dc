"""What a language model is told: the slice as initial state, the simulation instruction last; never a task, never gold.

The turn format is that of Qwen-AgentWorld (system prompt = task description, action space, initial state,
simulation instruction; a user turn is an action, an assistant turn an observation).
"""

from functools import cache
from importlib.resources import files

import orjson

from worldsmith import scoring
from worldsmith.pages import Pages
from worldsmith.pages.titles import title
from worldsmith.pages.types import Block, Page
from worldsmith.slices import Call, Slice, View
from worldsmith.world import Cell, Row, World

VERSION = "fictional-search-1"
"""Name of the prompt file, and part of every stored text's key."""
Message = dict[str, str]

SEARCH = (
    "Answer the query with exactly the results listed above, in that order. Snippets tease: they state what is listed "
    "for the result and leave the rest to the page."
)
EXTRACT = "Show the page listed above as a reader would find it. Leave no fact of it out."


@cache
def template() -> str:
    """Return the system prompt's text."""
    return files("worldsmith").joinpath("prompts", f"{VERSION}.txt").read_text(encoding="utf-8")


def messages(part: Slice, world: World, pages: Pages, reasons: tuple[str, ...] = ()) -> list[Message]:
    """Return the chat messages for a slice; `reasons` say what was wrong with the answer before."""
    search = part.call.tool == "web_search"
    state = _results(part, world, pages) if search else _page(part.views[0], world, pages)
    instruction = SEARCH if search else EXTRACT
    if reasons:
        listed = "\n".join(f"- {reason}" for reason in reasons)
        instruction += f"\nYour last answer was rejected. Write it anew without these faults:\n{listed}"
    # split first, joined last: what stands in facts is never read as a placeholder
    start, rest = template().split("{state}")
    middle, end = rest.split("{instruction}")
    system = f"{start.replace('{about}', world.schema.about)}{state}{middle}{instruction}{end}"
    return [{"role": "system", "content": system}, {"role": "user", "content": action(part.call)}]


def action(call: Call, turn: int = 1) -> str:
    """Return a call as AgentWorld writes an action."""
    key = "query" if call.tool == "web_search" else "url"
    body = orjson.dumps({"name": call.tool, "arguments": {key: call.arg}}).decode()
    return f"### Turn {turn}\n**Action:**\n```json\n{body}\n```"


def _results(part: Slice, world: World, pages: Pages) -> str:
    return "\n\n".join(_result(i, view.page, world, pages) for i, view in enumerate(part.views, 1))


def _result(number: int, page: Page, world: World, pages: Pages) -> str:
    head = [
        f"[{number}] {page.url}",
        f"Title: {title(page, page.head.cells, pages.words)}",
        f"Date: {page.date or 'N/A'}",
    ]
    return "\n".join([*head, "Facts:", *_facts(page.head.cells, world)])


def _page(view: View, world: World, pages: Pages) -> str:
    page = view.page
    head = [f"Address: {page.url}", f"Title: {title(page, page.cells, pages.words)}", f"Date: {page.date or 'N/A'}"]
    links = dict.fromkeys(link for block in page.blocks for link in block.links)
    listed = [f"- {_anchor(link, pages)}: {pages.url(link)}" for link in links]
    return "\n".join([*head, "Facts:", *_facts(_once(page.blocks), world), *(["Links:", *listed] if listed else [])])


def _anchor(page_id: str, pages: Pages) -> str:
    """Return what a link leads to: the row a page is about, by its key, or the words of a chrome link."""
    subject = pages.page(page_id).subject
    return pages.name(subject) if subject else pages.anchor(page_id)


def _once(blocks: tuple[Block, ...]) -> tuple[Cell, ...]:
    return tuple(dict.fromkeys(cell for block in blocks for cell in block.cells))


def _facts(cells: tuple[Cell, ...], world: World) -> list[str]:
    """Return one line a row: what it is called, then its cells under their labels."""
    rows: dict[Row, list[str]] = {}
    for cell in cells:
        column = world.schema.column(cell.row.table, cell.col)
        shown = scoring.show(cell.value, column.answer())
        unit = f" {column.unit}" if column.unit and cell.value is not None else ""
        rows.setdefault(cell.row, []).append(f"{column.label}: {shown}{unit}")
    tables = world.schema.tables
    return [f"- {tables[row.table].singular}: {'; '.join(said)}" for row, said in rows.items()]
