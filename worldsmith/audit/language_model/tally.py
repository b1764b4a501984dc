"""What was counted of a model's replies, for one tool, before the guard or after it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from worldsmith.simulate.protocol import Reason, Verdict

METHOD = "Wilson score, 95%"
"""What the bounds of `interval` are."""
Z = 1.959964
"""The standard normal deviate that leaves 2.5% on each side."""
KINDS = ("contradicted", "unsupported", "incomplete", "form")
"""What is wrong with a statement or a reply, by the guard's verdicts."""
_OF_REASON = {
    Reason.MISSING: "incomplete",
    Reason.FORM: "form",
    Reason.MISFIT: "form",
    Reason.UNTRUE: "contradicted",
}


def fault_kind(verdict: Verdict, labels: Sequence[str]) -> str:
    """Return which of `KINDS` a rejection is; `labels` are those of the facts that the unit may state.

    A statement contradicts where it gives a listed attribute a value that is not the listed one. Any other rejected
    statement is unsupported: it says what no listed fact says, whether that is true or not.
    """
    if verdict.reason is Reason.VALUE and any(label in verdict.text.lower() for label in labels):
        return "contradicted"
    return _OF_REASON.get(verdict.reason, "unsupported") if verdict.reason else "unsupported"


@dataclass(slots=True)
class Tally:
    """Counts over the replies of one tool."""

    replies: int = 0
    leaking: int = 0
    """Replies that state a value they may not state, by `Leaks`."""
    statements: int = 0
    """Titles, sentences, items, pairs, rows, hits' fields: what the guard gave a verdict on."""
    must: int = 0
    """Facts that a page must state, keys that hits must state."""
    faults: Counter[str] = field(default_factory=Counter)
    """Statements and replies by what is wrong with them (`KINDS`)."""
    bad: Counter[str] = field(default_factory=Counter)
    """Replies with at least one such fault."""
    examples: dict[str, str] = field(default_factory=dict)
    """The first fault of each kind, in the guard's words."""

    def add(self, verdicts: Sequence[Verdict], leaks: Sequence[str], must: int, labels: Sequence[str]) -> None:
        """Count one reply."""
        self.replies += 1
        self.leaking += bool(leaks)
        self.must += must
        if leaks:
            self.examples.setdefault("leak", leaks[0])
        faults = Counter[str]()
        for verdict in verdicts:
            named = "" if verdict.ok else fault_kind(verdict, labels)
            self.statements += named != "incomplete"
            if named:
                faults[named] += 1
                self.examples.setdefault(named, f"{verdict.where} {verdict.text[:160]!r} {verdict.why[:160]}")
        self.faults += faults
        self.bad.update(dict.fromkeys(faults, 1))

    def to_json(self) -> dict[str, Any]:
        """Return counts and shares; a share of nothing is null."""
        wrong = self.faults["contradicted"] + self.faults["unsupported"]
        low, high = interval(self.leaking, self.replies)
        return {
            "replies": self.replies,
            "leaks": {
                "replies": self.leaking,
                "rate": share(self.leaking, self.replies),
                "bounds": [low, high],
                "method": METHOD,
            },
            "factuality": share(self.statements - wrong - self.faults["form"], self.statements),
            "completeness": share(self.must - self.faults["incomplete"], self.must),
            "statements": {"all": self.statements, **{name: self.faults[name] for name in KINDS}},
            "replies_with": {name: self.bad[name] for name in KINDS},
            "examples": self.examples,
        }


def share(part: float, whole: float) -> float | None:
    """Return a share, None of nothing."""
    return part / whole if whole else None


def interval(hits: int, trials: int) -> tuple[float, float]:
    """Return the bounds of a rate of which `hits` in `trials` were observed: Wilson, 1927.

    Without a trial nothing is known: 0 to 1. With no hit the upper bound is about 3.84 / (trials + 3.84).
    """
    if not trials:
        return 0.0, 1.0
    square = Z * Z
    middle = (hits + square / 2) / (trials + square)
    half = Z * sqrt(hits * (trials - hits) / trials + square / 4) / (trials + square)
    return (middle - half if hits else 0.0), (middle + half if hits < trials else 1.0)
