"""A reward for reinforcement learning: named terms over a Score and the counts of its episode.

The reward is bounded, rises with the score, and needs non-key cells: keys alone, free cells alone and nulls alone give
0. Penalties distinguish an agent that never finished from one that answered wrongly. Episodes that the infrastructure
broke are masked: they say nothing about the agent.
"""

import math
from dataclasses import dataclass
from typing import Any

from .column import ScoreError
from .figures import Score

VERSION = "4"  # of the terms and of what they count: it changes whenever some total does

CELLS, ROWS, WHOLE = 0.7, 0.2, 0.1  # what earned cells, earned rows and a perfect table are worth: 1 in all
NO_TABLE, NO_COLUMNS, CUT = (
    -0.2,
    -0.05,
    -0.1,
)  # penalties; finishing with nothing right is worth more than not finishing
COST = 0.1  # the most that calls beyond the budget take, as a share of what was earned


@dataclass(frozen=True, slots=True)
class Reward:
    """A reward and what it is made of.

    Attributes:
        total: the sum of the terms, in [-0.3, 1]; 0 where masked.
        terms: `cells`, `rows`, `whole` (what the answer earns), `no_table`, `no_columns`, `truncated` (penalties),
            `cost` (what calls beyond the budget take away). The same names for every answer.
        mask: whether a trainer must leave the episode out: its tools failed, not the agent.
        closed_book: whether the agent answered without a single call.
        version: of the reward; the score has its own.
    """

    total: float
    terms: dict[str, float]
    mask: bool
    closed_book: bool
    version: str = VERSION

    def to_json(self) -> dict[str, Any]:
        """Return the reward as a JSON object with the same keys whatever the answer."""
        return {
            "total": self.total,
            "terms": dict(self.terms),
            "mask": self.mask,
            "closed_book": self.closed_book,
            "version": self.version,
        }


def reward(
    score: Score,
    *,
    turns: int,
    search_calls: int,
    extract_calls: int,
    truncated: bool = False,
    infrastructure_error: bool = False,
    budget: int | None = None,
    require_evidence: bool = False,
) -> Reward:
    """Return the reward of an episode that ended with this score.

    Args:
        score: of the episode's final answer.
        turns: of the agent, counted from the episode itself.
        search_calls: calls of the search tool.
        extract_calls: calls of the page reader; better, those that gave a page.
        truncated: the episode ended at a limit of turns or tokens.
        infrastructure_error: a tool or the server failed so that the agent could not do its work.
        budget: calls a task may take (its typical number, say); None: calls cost nothing.
        require_evidence: whether an answer without a single call earns nothing.

    If the reference has no row, an answer earns nothing unless a page was opened and it has an empty table.

    Raises ScoreError for counts that are negative or no whole numbers.
    """
    for name, count in (("turns", turns), ("search_calls", search_calls), ("extract_calls", extract_calls)):
        if type(count) is not int or count < 0:  # True is no count
            raise ScoreError(f"{name} is {count!r}; it is counted from the episode: 0 or more, and whole.")
    calls = search_calls + extract_calls
    closed_book = calls == 0
    # That there is no row can be guessed: it counts only if the agent opened a page and gave an empty table.
    guessed = not score.reference[1] and (extract_calls == 0 or not score.has_table)
    worth = 0.0 if guessed or (closed_book and require_evidence) else 1.0
    terms = {
        "cells": worth * CELLS * score.earned.f1,
        "rows": worth * ROWS * score.earned_rows.f1,
        "whole": worth * WHOLE * score.success,
        "no_table": 0.0 if score.has_table else NO_TABLE,
        "no_columns": NO_COLUMNS if score.has_table and not score.has_columns else 0.0,
        "truncated": CUT if truncated or score.cut else 0.0,
    }
    earned = terms["cells"] + terms["rows"] + terms["whole"]
    over = max(0, max(turns, calls) - budget) / max(1, budget) if budget is not None else 0.0
    terms["cost"] = 0.0 - COST * min(1.0, over) * earned
    if infrastructure_error:
        return Reward(0.0, dict.fromkeys(terms, 0.0), mask=True, closed_book=closed_book)
    return Reward(math.fsum(terms.values()), terms, mask=False, closed_book=closed_book)
