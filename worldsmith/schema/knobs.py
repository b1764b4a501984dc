"""World knobs: settings that change a schema without editing it, the same for every world of one command.

A knob left alone changes nothing: a world made with the defaults is the world that the schema and the seed make, to the
byte, and has its id. A knob that is turned enters the world's id and digest.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from worldsmith.errors import UsageError, close_match

DENSITY = (0.25, 4.0)
LISTING = (3, 25)
HOMONYMS = (0.0, 0.3)
COMMON_NAMES = (0.0, 0.3)
BOUNDS = {"density": DENSITY, "listing": LISTING, "homonyms": HOMONYMS, "common_names": COMMON_NAMES}
"""Least and most of each knob but `facts`, whose bounds are the schema's."""


@dataclass(frozen=True, slots=True)
class Knobs:
    """The knobs of a world.

    Raises:
        UsageError: a value out of its range.
    """

    facts: tuple[int, int] | None = None
    """Rows in all, least and most, within what the schema can have (`scaling.facts_range`); None: as its `rows` say."""
    density: float = 1.0
    """Multiplies every `per`, and the chance that a nullable cell holds a value; [0.25, 4]. Totals stay in `rows`."""
    listing: int = 10
    """Rows per list page, at most; [3, 25]."""
    homonyms: float = 0.0
    """Share of invented keys that name something else too: a row of another table, or the subject of a dormant page;
    [0, 0.3]."""
    common_names: float = 0.0
    """Share of invented keys of each table that come from a stock which all worlds of the schema share; [0, 0.3]."""

    def __post_init__(self) -> None:
        lo, hi = self.facts or (1, 1)
        if not 1 <= lo <= hi:
            raise UsageError(f"facts = {_span(lo, hi)}: give a number or LO-HI from 1, the lesser first")
        for name, (low, high) in BOUNDS.items():
            if not low <= getattr(self, name) <= high:
                raise UsageError(f"{name} = {getattr(self, name):g}: give a number from {low:g} to {high:g}")
        # 2 and 2.0 must give the same id.
        for name in ("density", "homonyms", "common_names"):
            object.__setattr__(self, name, float(getattr(self, name)))

    @property
    def turned(self) -> bool:
        """Whether any knob differs from its default."""
        return self != DEFAULT_KNOBS

    def to_json(self) -> dict[str, Any]:
        """Return the knobs that are turned, as JSON values; nothing for the defaults."""
        changed = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in changed.items()}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Knobs":
        """Return the knobs that `to_json` wrote; UsageError for other values."""
        known = [f.name for f in fields(cls)]
        for name, value in values.items():
            if name not in known:
                raise UsageError(f"no knob {name!r}.{close_match(name, known)}")
            if not _fits(name, value):
                raise UsageError(f"the knob {name} can't be {value!r}")
        arguments: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in values.items()}
        return cls(**arguments)

    def __str__(self) -> str:
        """Return the turned knobs as command-line options: "--facts 150-200 --density 1.5"."""
        changed = self.to_json() | ({"facts": _span(*self.facts)} if self.facts else {})
        return " ".join(f"--{name.replace('_', '-')} {value}" for name, value in changed.items())


DEFAULT_KNOBS = Knobs()
"""No knob turned."""


def parse_facts(text: str) -> tuple[int, int]:
    """Return the bounds in "800" or "300-500"; UsageError for other texts."""
    match = re.fullmatch(r"\s*(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?\s*", text)
    if match is None:
        raise UsageError(f"facts = {text!r}: give a number of rows (800) or a range (300-500)")
    return int(match[1]), int(match[2] or match[1])


def _span(lo: int, hi: int) -> str:
    return f"{lo}" if lo == hi else f"{lo}-{hi}"


def _fits(name: str, value: object) -> bool:
    """Return whether a JSON value has the type of a knob."""
    if name == "facts":
        return isinstance(value, list) and len(value) == 2 and all(type(v) is int for v in value)
    return type(value) is int if name == "listing" else type(value) in (int, float)
