"""A task as a row of an export: what an adapter of a trainer plays and pays."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..scoring import Column, Evidence
from .episode import Episode, Step
from .search_server import ServedTools, open_tools


@dataclass(frozen=True, slots=True, repr=False)
class ExportedTask:
    """A task of an export, with its gold: keep it from agents."""

    task_id: str
    question: str
    columns: tuple[Column, ...]
    gold: tuple[tuple[Any, ...], ...]
    evidence: Evidence
    base_url: str
    """Where its world or pool is served, with profile and seed."""
    max_turns: int
    budget: int | None
    context_tokens: int = 0

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "ExportedTask":
        """Return the task of a row: question, reference, base_url, max_turns, budget, context_tokens."""
        columns, gold, evidence = reference_of(row["reference"])
        return cls(
            str(row["task_id"]),
            str(row["question"]),
            columns,
            gold,
            evidence,
            str(row["base_url"]),
            int(row["max_turns"]),
            int(row["budget"]) or None,
            int(row.get("context_tokens") or 0),
        )

    def __repr__(self) -> str:
        """Return its id and size: nothing of its gold."""
        return f"ExportedTask({self.task_id!r}, {len(self.gold)} rows of {len(self.columns)} columns)"

    def episode(self, *, session: str = "", tools_in_text: bool = False) -> Episode:
        """Return an episode of it, over HTTP or in process: see `open_tools`; those of one session share attempts."""
        return Episode(
            self,
            open_tools(self.base_url, session),
            self.max_turns,
            self.budget,
            tools_in_text=tools_in_text,
            context_tokens=self.context_tokens,
        )


@lru_cache(maxsize=4096)
def reference_of(reference: str) -> tuple[tuple[Column, ...], tuple[tuple[Any, ...], ...], Evidence]:
    """Return columns, gold rows and evidence of a row's reference, JSON text."""
    data = json.loads(reference)
    columns = tuple(Column.from_json(column) for column in data["columns"])
    gold = tuple(tuple(tuple(v) if isinstance(v, list) else v for v in row) for row in data["rows"])
    return columns, gold, Evidence.from_json(data["evidence"])


def figures(step: Step, episode: Episode) -> dict[str, float]:
    """Return what an ended episode is worth: the same keys, all floats, whatever it ended with.

    score: 0 to 1, what trainers are given; reward: the same with its penalties, from -0.3; env_error: 1 where a server
    failed, not the agent: leave the episode out where the trainer can.
    """
    result, paid, item, total = step.score, step.paid, step.evidenced_item, step.reward
    if result is None or paid is None or item is None or total is None:
        raise ValueError("the episode has not ended: it has no figures yet")
    return {
        "score": max(0.0, float(total.total)),
        "reward": float(total.total),
        "item_f1": float(result.item.f1),
        "row_f1": float(result.row.f1),
        "nonkey_item_f1": float(result.nonkey.f1),
        "evidenced_item_f1": float(item.f1),
        "success": float(paid.success),
        "has_table": float(result.has_table),
        "truncated": float(step.truncated),
        "turns": float(episode.turns),
        "search_calls": float(sum(call.tool == "web_search" for call in episode.calls)),
        "extract_calls": float(sum(call.tool == "web_extractor" for call in episode.calls)),
        "env_error": float(total.mask),
    }


__all__ = ["ExportedTask", "ServedTools", "figures", "reference_of"]
