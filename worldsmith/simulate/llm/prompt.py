"""What a language model is told: the slice as initial state, the simulation instruction last; never a task, never gold.

The turn format is that of Qwen-AgentWorld (system prompt = task description, action space, initial state,
simulation instruction; a user turn is an action, an assistant turn an observation).
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import orjson

from worldsmith import scoring
from worldsmith.pages import Pages
from worldsmith.pages.titles import title
from worldsmith.pages.types import Block, Page
from worldsmith.simulate.protocol import Call, Slice, View
from worldsmith.world.model import Cell, Row, World

VERSION = "fictional-search-3"
"""Name of the prompt file, and part of every stored text's key; raised with every change of what is asked."""
Message = dict[str, str]
_TAG = re.compile(r"\[(search|page|text|json)\] ")
"""What a line of the prompt file is for, where it is not for all."""

SEARCH = "Answer the query with exactly the results listed above, in that order."
Form = Literal["search text", "search json", "page"]
"""What is asked for: results as text or as JSON, or a page."""
EXTRACT = "Show the page listed above as a reader would find it. Leave no fact of it out."
PROSE = "Tell it in running sentences, as an article does, without tables or lists of facts."


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: chat messages, and where its answer may be JSON, its schema and those messages."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    structured: tuple[Message, ...] = ()


@cache
def template(form: Form) -> str:
    """Return the system prompt for a form of answer: of the lines that name a form in brackets, those of this one."""
    text = files("worldsmith.simulate.llm").joinpath("prompts", f"{VERSION}.txt").read_text(encoding="utf-8")
    lines = [(_TAG.match(line), line) for line in text.split("\n")]
    return "\n".join(line[tag.end() :] if tag else line for tag, line in lines if not tag or tag[1] in form.split())


def prompt_for(
    slice_: Slice,
    world: World,
    pages: Pages,
    instruction: str = "",
    reasons: tuple[str, ...] = (),
    *,
    prose: bool = False,
) -> Prompt:
    """Return what is asked for a slice.

    Args:
        slice_: the slice.
        world: the world it is of.
        pages: its pages.
        instruction: what the profile asks, in words.
        reasons: what was wrong with the answer before.
        prose: pages are to be told in running sentences.
    """
    if slice_.call.tool == "web_search":
        plain, structured = (
            chat_messages(slice_, world, pages, [SEARCH, instruction], reasons, structured=as_json)
            for as_json in (False, True)
        )
        return Prompt(plain, answer_schema(slice_), structured)
    return Prompt(chat_messages(slice_, world, pages, [EXTRACT, *([PROSE] if prose else []), instruction], reasons))


def chat_messages(
    slice_: Slice,
    world: World,
    pages: Pages,
    instructions: list[str],
    reasons: tuple[str, ...] = (),
    *,
    structured: bool = False,
) -> tuple[Message, ...]:
    """Return the chat messages for a slice under a simulation instruction, given in sentences.

    A search may be answered as JSON: `structured`.
    """
    search = slice_.call.tool == "web_search"
    form: Form = "page" if not search else "search json" if structured else "search text"
    state = _results(slice_, world, pages) if search else _page(slice_.views[0], world, pages)
    instruction = " ".join(filter(None, instructions))
    if reasons:
        listed = "\n".join(f"- {reason}" for reason in reasons)
        instruction += f"\nYour last answer was rejected. Write it anew without these faults:\n{listed}"
    # split first, joined last: what stands in facts is never read as a placeholder
    start, rest = template(form).split("{state}")
    middle, end = rest.split("{instruction}")
    system = f"{start.replace('{about}', world.schema.about)}{state}{middle}{instruction}{end}"
    return ({"role": "system", "content": system}, {"role": "user", "content": action_text(slice_.call)})


def answer_schema(slice_: Slice) -> Mapping[str, Any]:
    """Return the JSON Schema of the answer to a search: its results, in number and at addresses as in the slice."""
    text = {"type": "string"}
    url = {"type": "string", "enum": [view.page.url for view in slice_.views]}
    day = {"type": "string", "enum": list(dict.fromkeys(view.page.date or "N/A" for view in slice_.views))}
    hit = {"url": url, "title": text, "snippet": text, "date": day}
    one = {"type": "object", "properties": hit, "required": list(hit), "additionalProperties": False}
    hits = {"type": "array", "items": one, "minItems": len(slice_.views), "maxItems": len(slice_.views)}
    return {"type": "object", "properties": {"results": hits}, "required": ["results"], "additionalProperties": False}


def action_text(call: Call, turn: int = 1) -> str:
    """Return a call as AgentWorld writes an action."""
    key = "query" if call.tool == "web_search" else "url"
    body = orjson.dumps({"name": call.tool, "arguments": {key: call.arg}}).decode()
    return f"### Turn {turn}\n**Action:**\n```json\n{body}\n```"


def _results(slice_: Slice, world: World, pages: Pages) -> str:
    return "\n\n".join(_result(i, view.page, world, pages) for i, view in enumerate(slice_.views, 1))


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
    stated_values = {cell.value for cell in page.cells}
    listed = [f"- {_anchor(link, pages, stated_values)}: {pages.url(link)}" for link in links]
    return "\n".join([*head, "Facts:", *_facts(_once(page.blocks), world), *(["Links:", *listed] if listed else [])])


def _anchor(page_id: str, pages: Pages, stated_values: Collection[object]) -> str:
    """Return what a link leads to: the row a page is about, where its key is said too; else chrome's words."""
    subject = pages.page(page_id).subject
    named = subject is not None and all(key in stated_values for key in pages.world.key(subject))
    return pages.name(subject) if subject is not None and named else pages.anchor(page_id)


def _once(blocks: tuple[Block, ...]) -> tuple[Cell, ...]:
    return tuple(dict.fromkeys(cell for block in blocks for cell in block.cells))


def _facts(cells: tuple[Cell, ...], world: World) -> list[str]:
    """Return one line per row: its noun, then its cells under their labels."""
    rows: dict[Row, list[str]] = {}
    for cell in cells:
        column = world.schema.column(cell.row.table, cell.col)
        shown = scoring.show(cell.value, column.answer())
        unit = f" {column.unit}" if column.unit and cell.value is not None else ""
        rows.setdefault(cell.row, []).append(f"{column.label}: {shown}{unit}")
    tables = world.schema.tables
    return [f"- {tables[row.table].singular}: {'; '.join(statements)}" for row, statements in rows.items()]
