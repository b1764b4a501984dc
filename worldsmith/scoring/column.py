"""What the scorer needs to know about a column: how its values are written, and when two of them are equal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Kind = Literal["text", "int", "num", "date", "year", "bool", "enum", "url", "list"]
Value = str | int | float | bool | None | list[str] | tuple[str, ...]

KINDS: tuple[Kind, ...] = get_args(Kind)


class ScoreError(ValueError):
    """A reference or an answer that can't be scored at all; its text says what, which value and the fix."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of an expected table.

    Attributes:
        name: the header in the question, with its unit: "Battery (mAh)".
        kind: how cells are read.
        unit: what a bare number counts: "mAh", "USD", "%", "thousand", "million USD"; "" for none.
        decimals: number of digits printed after the decimal point.
        tolerance: the widest difference accepted: relative for int and num, days for date; others are exact.
        labels: the closed list of values of an enum; of a bool, the words for true and false.
        aliases: pairs (value, other names of that value).
        key: whether the column is part of the key that identifies rows.
        free: whether the column is fixed by the question or nearly constant, so that it earns nothing alone.
        none: the text that stands for null ("still sold"); "" means "-".
    """

    name: str
    kind: Kind
    unit: str = ""
    decimals: int = 0
    tolerance: float = 0.0
    labels: tuple[str, ...] = ()
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    key: bool = False
    free: bool = False
    none: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ScoreError(f"Column {self.name!r} has the kind {self.kind!r}; known kinds: {', '.join(KINDS)}.")
        if not 0 <= self.tolerance < float("inf"):
            raise ScoreError(f"Column {self.name!r} has the tolerance {self.tolerance!r}; it must be 0 or more.")

    def __hash__(self) -> int:
        # Columns are the key of every cache here, and hashing long alias lists each time would cost more than reading.
        return hash((self.name, self.kind, self.unit))

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object without the fields that hold their default."""
        out: dict[str, Any] = {"name": self.name, "kind": self.kind}
        for field, default in _DEFAULTS.items():
            value = getattr(self, field)
            if value != default:
                out[field] = value
        if self.labels:
            out["labels"] = list(self.labels)
        if self.aliases:
            out["aliases"] = {value: list(others) for value, others in self.aliases}
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Column":
        """Read what `to_json` wrote. Raises ScoreError on an unknown field or kind."""
        unknown = sorted(set(data) - set(_DEFAULTS) - {"name", "kind", "labels", "aliases"})
        if unknown or "name" not in data or "kind" not in data:
            what = f"unknown field {unknown[0]!r}" if unknown else "no name or no kind"
            raise ScoreError(f"A column in JSON has {what}: {dict(data)!r}.")
        plain = {field: data[field] for field in _DEFAULTS if field in data}
        aliases = tuple((value, tuple(others)) for value, others in data.get("aliases", {}).items())
        return cls(data["name"], data["kind"], labels=tuple(data.get("labels", ())), aliases=aliases, **plain)


_DEFAULTS: dict[str, object] = {
    "unit": "",
    "decimals": 0,
    "tolerance": 0.0,
    "key": False,
    "free": False,
    "none": "",
}
