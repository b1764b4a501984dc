"""How an episode ends."""

from typing import Final, Literal

Finish = Literal["answered", "no_table", "turn_limit", "length", "model_error", "tool_error"]
FINISHES: Final[tuple[Finish, ...]] = ("answered", "no_table", "turn_limit", "length", "model_error", "tool_error")
"""How an episode ends: with a table; with a message that has none; at its limit of turns; at the end of the model's
context, or of a reply's tokens; because the model's server failed; because the search engine did."""
INFRASTRUCTURE: Final[frozenset[Finish]] = frozenset({"model_error", "tool_error"})
"""Ends that say nothing about the model: such episodes are played again when a run is resumed."""
