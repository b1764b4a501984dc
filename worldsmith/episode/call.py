"""A call of an agent's tool."""

from dataclasses import dataclass
from typing import Literal

Tool = Literal["web_search", "web_extractor"]


@dataclass(frozen=True, slots=True)
class Call:
    """One query or one url; dialects split batches."""

    tool: Tool
    arg: str
    page: int = 1
    """Results page, from 1."""
    k: int = 10
    """Hits per results page, 1 to 50."""
    offset: int = 0
    max_chars: int | None = None
    """The part of a page's text that is wanted; of whole pages in a search reply, the start of each."""
    full_text: bool = False
    """web_search: whole pages in the reply; a search reply then is entitled to its hits' pages."""
    exact: bool = False
    """web_search: a results page has `k` hits, not one fewer now and then as on the web."""
