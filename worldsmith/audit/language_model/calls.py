"""The calls that a model is judged by: drawn from a world by seed, searches and pages in turn."""

from collections.abc import Iterator
from math import ceil

from worldsmith.pages import Pages
from worldsmith.seeding import draw
from worldsmith.simulate.llm.prompt import prompt_for, template
from worldsmith.simulate.pool import PoolSimulator
from worldsmith.simulate.protocol import Address, Call, Observation
from worldsmith.simulate.simulator import Part, Simulator

PROSE, FACTS = 4.0, 2.5
"""Bytes a token of our own sentences, and of names, numbers and addresses: tokens are rather over-estimated."""


def draw_calls(
    simulator: Simulator | PoolSimulator, address: Address, world: str, count: int, *, hits: int, most: int, first: int
) -> list[Call]:
    """Return `count` calls about a world that have an answer, no prompt of which takes more than `most` tokens.

    Tokens are estimated. Searches and pages take turns; a page is first where `first` is odd. What has no fitting
    prompt is passed over, so that turns may be uneven.
    """
    drawn_calls: list[Call] = []
    for call in _candidate_calls(simulator.pages_of(address, world), hits, address.seed, first):
        if len(drawn_calls) == count:
            break
        parts = simulator.parts_or_reply(address, call)
        if call not in drawn_calls and not isinstance(parts, Observation) and max(map(tokens, parts)) <= most:
            drawn_calls.append(call)
    return drawn_calls


def tokens(part: Part) -> int:
    """Return about how many tokens the prompt for a part of an answer takes."""
    slice_, pages = part.slice, part.pages
    size = sum(len(message["content"].encode()) for message in prompt_for(slice_, pages.world, pages).messages)
    prose = len(template("search text" if slice_.call.tool == "web_search" else "page").encode())
    return ceil(prose / PROSE + (size - prose) / FACTS)


def _candidate_calls(pages: Pages, hits: int, seed: int, first: int) -> Iterator[Call]:
    """Yield calls in an order drawn by seed: a page's title as a query, a page, a table's nouns as a query, a page."""
    ids = [page_id for page_id in pages.ids() if not pages.page(page_id).dormant]
    order = sorted(ids, key=lambda page_id: draw(seed, "evaluate", pages.world.id, page_id))
    tables = pages.world.schema.tables
    for place, page_id in enumerate(order, first):
        page = pages.page(page_id)
        if place % 2:
            yield Call("web_extractor", page.url)
            continue
        named = pages.world.title(page.subject) if page.subject else ""
        nouns = tables[page.table].plural if page.table else ""
        query = (
            named if named and place % 4 == 0 else " ".join(filter(None, (nouns, named))) or pages.world.schema.about
        )
        yield Call("web_search", query, k=hits)
