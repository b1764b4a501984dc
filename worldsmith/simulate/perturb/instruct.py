"""A profile in words: the simulation instruction that asks a language model for what the slice can't show it.

Edits are in the slice already, and what a fault answers never reaches a model: neither is told again. A model that
obeys is judged by what the edited slice says; one that doesn't is repaired by the guard.
"""

from worldsmith.schema import Schema
from worldsmith.simulate.protocol import Profile, Slice

WITHHOLD = (
    "Snippets may state every fact listed for a result.",
    "Snippets tease: state the facts listed for the result, and leave the rest to the page.",
    "Snippets name what the result is about and state nothing else of it.",
)
"""What snippets do at withhold levels 0, 1, and 2 and above."""


def instruction(profile: Profile, part: Slice, schema: Schema) -> str:
    """Return the simulation instruction for a slice: for a search how much snippets tell, for a page nothing.

    Where no result has a fact beyond its key, there is nothing to tease with.
    """
    if part.call.tool != "web_search":
        return ""
    has_facts = any(
        cell.col not in schema.tables[cell.row.table].key for view in part.views for cell in view.page.head.cells
    )
    return WITHHOLD[min(profile.withhold, 2) if has_facts else 2]
