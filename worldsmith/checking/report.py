"""The results of a check: each rule with the rows it covers, and each violation with rule, row and values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldsmith.schema import Value


@dataclass(frozen=True, slots=True)
class Violation:
    """One row that breaks one rule."""

    rule: str
    row: str
    """"phone/12"; local to the world."""
    title: str
    """The row's key as text."""
    values: Mapping[str, Value]
    """What the rule read in that row."""
    dependents: tuple[str, ...] = ()
    """Rules and columns that depend on what the rule read."""

    def __str__(self) -> str:
        read = ", ".join(f"{k} = {v!r}" for k, v in self.values.items())
        return f"{self.rule}: {self.row} ({self.title}){': ' if read else ''}{read}"


@dataclass(frozen=True, slots=True)
class RuleReport:
    """One rule: declared ones by their name, implied ones as fill:table.column, key:table or rows:table."""

    rule: str
    text: str
    covers: int
    """Rows on which the rule is true or false rather than null."""
    broken: int
    violations: tuple[Violation, ...]
    """The first of them."""


@dataclass(frozen=True, slots=True)
class Report:
    """The check of one world."""

    world: str
    digest: str
    facts: int
    rules: tuple[RuleReport, ...]
    off: tuple[tuple[str, str], ...]

    @property
    def violations(self) -> tuple[Violation, ...]:
        """All violations kept, rule by rule."""
        return tuple(v for r in self.rules for v in r.violations)

    @property
    def broken(self) -> int:
        """The number of violations, counted in full."""
        return sum(r.broken for r in self.rules)

    @property
    def ok(self) -> bool:
        """Whether nothing is broken."""
        return self.broken == 0

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "world": self.world,
            "digest": self.digest,
            "facts": self.facts,
            "ok": self.ok,
            "violations": self.broken,
            "rules": [
                {
                    "rule": r.rule,
                    "text": r.text,
                    "covers": r.covers,
                    "violations": r.broken,
                    "rows": [
                        {"row": v.row, "title": v.title, "values": dict(v.values), "hangs": list(v.dependents)}
                        for v in r.violations
                    ],
                }
                for r in self.rules
            ],
            "covers_nothing": [r.rule for r in self.rules if r.covers == 0],
            "off": [{"what": what, "why": why} for what, why in self.off],
        }
