"""What the calls of an episode cost."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cost:
    """Searches made, pages read, and the tokens of all replies."""

    search_calls: int
    extract_calls: int
    tool_tokens: int

    @classmethod
    def of(cls, calls: Sequence[Mapping[str, Any]], tool_tokens: int) -> "Cost":
        """Return the cost of calls that name their tool."""
        searches = sum(call["tool"] == "web_search" for call in calls)
        return cls(searches, len(calls) - searches, tool_tokens)

    @property
    def turns(self) -> int:
        """The assistant messages: one a call, and the answer."""
        return self.search_calls + self.extract_calls + 1

    def to_json(self) -> dict[str, int]:
        """Return the figures, the turns with them."""
        return {**asdict(self), "turns": self.turns}
