"""Where the cells of runs are lost: by class, schema, kind and step; flags; the best and the worst episodes."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Final

from worldsmith.rollout.episode_flags import FLAGS, flags
from worldsmith.rollout.figures import SCORES
from worldsmith.rollout.finish import FINISHES, INFRASTRUCTURE
from worldsmith.rollout.recorded_episodes import Place
from worldsmith.train.failures import CLASSES

OUTCOMES: Final[Mapping[str, str]] = {
    **{name: CLASSES[name] for name in CLASSES if name != "not_finished"},
    "truncated": "left out or unfinished when the episode was cut off, by its turns, a reply's tokens or the context",
    "not_finished": CLASSES["not_finished"],
}
"""What became of a cell of an episode, and what that says; the first of those that tie names an episode's failure."""
SURPLUS: Final = "surplus_rows"
"""The outcome of cells that another row contradicts, and the failure of episodes whose only fault is too many rows."""
CUT_OFF: Final = frozenset({"turn_limit", "length"})
LEFT_OUT: Final = frozenset({"not_finished", "never_retrieved", "not_opened", "not_reported"})
WRONG: Final = frozenset({"reported_wrong", "invented"})
STEPS: Final = (4, 8, 16, 32)
"""Last turns of the ranges by which steps are grouped."""
EXTREMES: Final = 5
"""Most episodes that are shown of the best, and of the worst."""
GROUPS: Final = ("run", "schema", "kind", "step")
"""What cells are grouped by: runs where there are several; a step is the turn in which a reply first stated the cell,
or else named its row."""


@dataclass(frozen=True, slots=True)
class EpisodeReview:
    """What a report keeps of an episode."""

    place: Place
    task_id: str
    sample: int
    schema: str
    kind: str
    finish: str
    scores: Mapping[str, float]
    calls: int
    turns: int
    cells: Mapping[tuple[str, str], int]
    """How many cells have each (outcome, step)."""
    surplus: int
    flags: Mapping[str, str]

    @property
    def outcomes(self) -> Counter[str]:
        """How many cells have each outcome."""
        counts: Counter[str] = Counter()
        for (outcome, _), count in self.cells.items():
            counts[outcome] += count
        return counts

    @property
    def failure(self) -> str:
        """The outcome that lost most cells, the earlier one of a tie; `SURPLUS` where only rows are too many; or ""."""
        counts = self.outcomes
        lost = max((name for name in OUTCOMES if name != "right"), key=lambda name: counts[name])
        return lost if counts[lost] else SURPLUS if self.surplus else ""

    def to_json(self) -> dict[str, Any]:
        """Return the review as JSON values."""
        return {
            "run": self.place.run,
            "task_id": self.task_id,
            "sample": self.sample,
            "finish": self.finish,
            "failure": self.failure,
            "flags": dict(self.flags),
            "cells": {name: count for name in OUTCOMES if (count := self.outcomes[name])},
            SURPLUS: self.surplus,
            **self.scores,
        }


def review(place: Place, episode: Mapping[str, Any]) -> EpisodeReview:
    """Return what a report keeps of an episode; nothing of its cells where it ended with a server error."""
    broken = episode["finish"] in INFRASTRUCTURE
    turns = [call["turn"] for call in episode["calls"]]
    cells = Counter(
        (cell_outcome(cell, episode), step_range(None if cell["call"] is None else turns[cell["call"]]))
        for cell in episode["cells"]
    )
    return EpisodeReview(
        place,
        episode["task_id"],
        episode["sample"],
        episode["schema"],
        episode["kind"],
        episode["finish"],
        {name: float(episode[name]) for name in SCORES},
        len(episode["calls"]),
        episode["turns"],
        {} if broken else cells,
        len(episode["surplus"]),
        {} if broken else flags(episode),
    )


def cell_outcome(cell: Mapping[str, Any], episode: Mapping[str, Any]) -> str:
    """Return what became of a cell of an episode, one of `OUTCOMES`."""
    outcome, finish = str(cell["outcome"]), episode["finish"]
    # The last value of a reply that was cut off may be incomplete.
    unfinished = finish == "length" and outcome in WRONG and episode["answer"].rstrip().endswith(cell["answered"])
    return "truncated" if unfinished or (finish in CUT_OFF and outcome in LEFT_OUT) else outcome


def step_range(turn: int | None) -> str:
    """Return the range of turns that a turn lies in: "1-4", "33+"; "never" for None."""
    if turn is None:
        return "never"
    first = 1
    for last in STEPS:
        if turn <= last:
            return f"{first}-{last}"
        first = last + 1
    return f"{first}+"


@dataclass(slots=True)
class CellCounts:
    """Cells by outcome, of some episodes."""

    counts: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """All cells."""
        return self.counts.total()

    def share(self, outcome: str) -> float:
        """Return the share of cells with an outcome; 0 where there are none."""
        return self.counts[outcome] / self.total if self.total else 0.0


class RunReport:
    """A report on the episodes of one or several runs."""

    def __init__(self, reviews: Iterable[EpisodeReview]) -> None:
        """Count the cells of reviewed episodes; those that ended with a server error count in `finish` alone."""
        every = list(reviews)
        self.finish = Counter(one.finish for one in every)
        self.episodes = [one for one in every if one.finish not in INFRASTRUCTURE]
        self.cells = CellCounts()
        self.groups: dict[str, dict[str, CellCounts]] = {name: {} for name in GROUPS}
        for one in self.episodes:
            for (outcome, step), count in one.cells.items():
                self.cells.counts[outcome] += count
                of = {"run": one.place.run, "schema": one.schema, "kind": one.kind, "step": step}
                for group, member in of.items():
                    self.groups[group].setdefault(member, CellCounts()).counts[outcome] += count
        steps = [step_range(last) for last in (*STEPS, STEPS[-1] + 1)] + ["never"]
        self.groups["step"] = {step: self.groups["step"][step] for step in steps if step in self.groups["step"]}
        if len(self.groups["run"]) == 1:
            del self.groups["run"]
        for name in ("schema", "kind"):
            self.groups[name] = dict(sorted(self.groups[name].items()))

    def cells_by_label(self) -> dict[str, CellCounts]:
        """Return all cells, and those of each member of each group, by "all", "kind wide" and so on."""
        members = ((group, *item) for group, by_member in self.groups.items() for item in by_member.items())
        return {"all": self.cells} | {f"{group} {member}": cells for group, member, cells in members}

    def failing(self) -> Counter[str]:
        """Return how many episodes failed most by each outcome; those with nothing wrong aren't counted."""
        return Counter(one.failure for one in self.episodes if one.failure)

    def flagged(self) -> dict[str, list[EpisodeReview]]:
        """Return the episodes that have each flag."""
        return {name: [one for one in self.episodes if name in one.flags] for name in FLAGS}

    def extremes(self) -> tuple[list[EpisodeReview], list[EpisodeReview]]:
        """Return the best and the worst episodes by reward, then evidenced item F1, then turns; none is in both.

        Each is the best or the worst of its task, so that no task is shown twice for samples that tie. Only episodes
        that earned something are the best.
        """
        ordered = sorted(
            self.episodes,
            key=lambda one: (
                -one.scores["reward"],
                -one.scores["evidenced_item_f1"],
                one.turns,
                one.task_id,
                one.sample,
            ),
        )
        upper_half = ordered[: (len(ordered) + 1) // 2]
        best = _first_of_each_task(one for one in upper_half if one.scores["reward"] > 0)
        return best, _first_of_each_task(one for one in reversed(ordered) if one not in best)

    def flat(self) -> dict[str, float]:
        """Return the figures by flat names, as loggers take them: shares of cells and of episodes, and means."""
        n = len(self.episodes)
        figures: dict[str, float] = {
            "episodes": n,
            "tasks": len({one.task_id for one in self.episodes}),
            "counted_cells": self.cells.total,
            **{name: _mean(one.scores[name] for one in self.episodes) for name in SCORES},
            "calls": _mean(one.calls for one in self.episodes),
            "turns": _mean(one.turns for one in self.episodes),
            SURPLUS: _mean(one.surplus for one in self.episodes),
            **{f"cells/{name}": self.cells.share(name) for name in OUTCOMES},
        }
        failing, flagged = self.failing(), self.flagged()
        figures |= {f"failure/{name}": failing[name] / max(1, n) for name in OUTCOMES if name != "right"}
        figures |= {f"flag/{name}": len(flagged[name]) / max(1, n) for name in FLAGS}
        figures |= {f"finish/{name}": self.finish[name] / max(1, self.finish.total()) for name in FINISHES}
        for group, members in self.groups.items():
            for member, cells in members.items():
                figures[f"{group}/{member}/counted_cells"] = cells.total
                figures |= {f"{group}/{member}/cells/{name}": cells.share(name) for name in OUTCOMES}
        return {f"report/{name}": value for name, value in figures.items()}


def _first_of_each_task(ordered: Iterable[EpisodeReview]) -> list[EpisodeReview]:
    """Return the first episode of each task, `EXTREMES` at most."""
    firsts: dict[str, EpisodeReview] = {}
    for one in ordered:
        firsts.setdefault(one.task_id, one)
    return list(firsts.values())[:EXTREMES]


def _mean(values: Iterable[float]) -> float:
    some = [*values]
    return fmean(some) if some else 0.0


def where_from(cell: Mapping[str, Any], calls: Sequence[Mapping[str, Any]]) -> str:
    """Return where a cell of a record came from: the call whose reply stated it, or named its row; "" for none."""
    if cell["call"] is None:
        return ""
    call = calls[cell["call"]]
    verb = "searched" if call["tool"] == "web_search" else "opened"
    return f"turn {call['turn']}: {verb} {call['arg']}"
