"""What a rollout's tools and its task share; no gold is in it."""

from typing import Any

import verifiers.v1 as vf
from pydantic import Field


class SearchState(vf.State):
    """Where a rollout searches, and the records of its calls."""

    base_url: str = ""
    session: str = ""
    calls: list[dict[str, Any]] = Field(default_factory=list)
