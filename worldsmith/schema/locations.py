"""The line of a schema file at which a part of the schema is written: parts have dotted names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

HEAD = re.compile(r"\s*\[\[?\s*([^\]#]+?)\s*\]\]?")
KEY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
QUOTES = ('"""', "'''", '"', "'")


@dataclass(frozen=True)
class SchemaFile:
    """The name and, where there is one, the text of a schema file.

    `str(file)` is its name; `at(place)` names a part of it for people: "town.toml:45: shop.floor".
    """

    name: str
    text: str = field(default="", repr=False)

    def __str__(self) -> str:
        return self.name

    def at(self, place: str) -> str:
        """Return "<name>:<line>: <place>" for a dotted place; without the line where the text has no such part."""
        line = self.line(place)
        return f"{self.name}:{line}: {place}" if line else f"{self.name}: {place}"

    def line(self, place: str) -> int:
        """Return the line (from 1) of the nearest part that `place` lies in; 0 where none is known.

        "shop.floor" is short for "tables.shop.columns.floor".
        """
        steps = tuple(place.split("."))
        if steps[:1] not in self._lines:
            steps = ("tables", steps[0], "columns", *steps[1:])
        while steps and steps not in self._lines:
            steps = steps[:-1]
        return self._lines.get(steps, 0)

    @cached_property
    def _lines(self) -> dict[tuple[str, ...], int]:
        lines: dict[tuple[str, ...], int] = {}
        for path, number in _keys(self.text):
            for length in range(1, len(path) + 1):
                lines.setdefault(path[:length], number)
        return lines


def _keys(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the path and line of each header and each key of TOML text; keys within inline tables have none."""
    head: tuple[str, ...] = ()
    closing, depth = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if not closing and not depth:
            if match := HEAD.match(line):
                head = _steps(match[1])
                yield head, number
                continue
            if match := KEY.match(line):
                yield (*head, *_steps(match[1])), number
        closing, depth = _state(line, closing, depth)


def _steps(dotted: str) -> tuple[str, ...]:
    return tuple(step.strip().strip("\"'") for step in dotted.split("."))


def _state(line: str, closing: str, depth: int) -> tuple[str, int]:
    """Return the quote that is open after a line, and how many brackets are."""
    i = 0
    while i < len(line):
        if closing:
            if line[i] == "\\" and closing[0] == '"':
                i += 2
            elif line.startswith(closing, i):
                i, closing = i + len(closing), ""
            else:
                i += 1
            continue
        if line[i] == "#":
            break
        quote = next((q for q in QUOTES if line.startswith(q, i)), "")
        depth += (line[i] in "[{") - (line[i] in "]}")
        i, closing = i + max(1, len(quote)), quote
    # A single-quoted text ends with its line.
    return (closing if len(closing) == 3 else ""), max(0, depth)
