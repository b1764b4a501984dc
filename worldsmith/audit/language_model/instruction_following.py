"""Does a model do as the simulation instruction says: withhold, fail, show a part? Judged by rule, on its own words.

These calls are separate from what is served, where nothing depends on obedience: the slice holds what may be
said, faults and parts are ours. The facts are all in the prompt here; the instruction alone holds them back.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from worldsmith import scoring
from worldsmith.errors import BackendError
from worldsmith.pages import Pages
from worldsmith.simulate.llm.answer import observation_text, parse_results
from worldsmith.simulate.llm.model import Backend
from worldsmith.simulate.llm.prompt import SEARCH, Prompt, chat_messages
from worldsmith.simulate.perturb.profiles import WITHHOLD
from worldsmith.simulate.protocol import Conversation, Slice

SHOWN = 2
"""Results that the paging instruction asks for."""
_FAILS = re.compile(r"error|unavailable|fail|time[d -]*out|try again|cannot be|could not|50[0-4]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Order:
    """An instruction, and how to see whether it was obeyed: (reply, slice, pages) to yes or no."""

    instruction: str
    obeyed: Callable[[str, Slice, Pages], bool]


def _is_withheld(reply: str, slice_: Slice, pages: Pages) -> bool:
    """Every result is there, and none states a fact of its own beyond its key."""
    result_texts = {pages.by_url(result.url): f"{result.title} {result.snippet}" for result in parse_results(reply)}
    return all(
        view.page.id in result_texts
        and not any(form in result_texts[view.page.id] for form in _forbidden_forms(view.page.id, slice_, pages))
        for view in slice_.views
    )


def _forbidden_forms(page_id: str, slice_: Slice, pages: Pages) -> list[str]:
    """Return the written forms of a result's cells that are no key, and are part of none of its keys."""
    (page,) = (view.page for view in slice_.views if view.page.id == page_id)
    words, schema = pages.words, pages.world.schema
    keys = [words.show(c) for c in page.head.cells if c.col in schema.tables[c.row.table].key]
    other = [c for c in page.head.cells if c.col not in schema.tables[c.row.table].key and c.value is not None]
    shown = [form for c in other for form in scoring.forms(c.value, words.answers[c.row.table, c.col])]
    return [form for form in shown if len(form) > 1 and not any(form in key for key in keys)]


def _is_error(reply: str, slice_: Slice, pages: Pages) -> bool:  # noqa: ARG001 - one signature for all
    """It says that something failed, and shows no result."""
    return bool(_FAILS.search(reply)) and not any(view.page.url in reply for view in slice_.views)


def _is_first_page(reply: str, slice_: Slice, pages: Pages) -> bool:  # noqa: ARG001 - one signature for all
    """The first results are there, in order, and no others."""
    return [result.url for result in parse_results(reply)] == [view.page.url for view in slice_.views[:SHOWN]]


ORDERS: Mapping[str, Order] = {
    "withhold": Order(f"{SEARCH} {WITHHOLD[2]}", _is_withheld),
    "error": Order(
        "The search engine is down. Answer this call with a short error message and show no results.", _is_error
    ),
    "paging": Order(
        f"Show only the first {SHOWN} of the results listed above, in that order. The others are on the next page.",
        _is_first_page,
    ),
}
"""What is ordered, by name."""


async def obeys(backend: Backend, name: str, slice_: Slice, pages: Pages) -> bool | None:
    """Return whether a model obeys an order at a slice of a search; None where there was no reply."""
    order = ORDERS[name]
    talk = Conversation()
    try:
        reply = await backend.ask(
            Prompt(chat_messages(slice_, pages.world, pages, [order.instruction])), observation_text, talk
        )
    except BackendError:
        answered = any(exchange.reply for exchange in talk.exchanges)
        return False if answered else None
    return order.obeyed(reply, slice_, pages)
