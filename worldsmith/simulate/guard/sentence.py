"""A sentence with the names, labels, numbers and options in it, and what it may state."""

from collections.abc import Collection
from typing import NamedTuple

from worldsmith.simulate.guard.entitlement import Facts
from worldsmith.simulate.guard.names import Mention
from worldsmith.simulate.guard.quantity import Quantity
from worldsmith.simulate.guard.text import Span
from worldsmith.world.model import Cell, Row

SpanCells = list[tuple[Span, list[Cell]]]
"""What stretches of a sentence mean: the cells that each states."""


def within(span: Span, outer: Span) -> bool:
    """Whether a span lies in another."""
    return outer[0] <= span[0] and span[1] <= outer[1]


class Sentence(NamedTuple):
    """A sentence of a cleaned `text`: names, labels, numbers and options by their place."""

    text: str
    span: Span
    names: tuple[Mention, ...]
    cues: tuple[Mention, ...]
    counted: tuple[Quantity, ...]
    options: tuple[Mention, ...] = ()

    def within(self, span: Span) -> "Sentence":
        """Return a part of it, with only what lies there."""
        return Sentence(
            self.text,
            span,
            tuple([m for m in self.names if within(m.span, span)]),
            tuple([m for m in self.cues if within(m.span, span)]),
            tuple([q for q in self.counted if within(q.span, span)]),
            tuple([m for m in self.options if within(m.span, span)]),
        )

    @property
    def covered(self) -> list[Span]:
        """Where names, labels and declared phrases stand."""
        return [m.span for m in (*self.names, *self.cues)]

    def nameless(self, start: int, end: int) -> str:
        """Return a stretch of the text with blanks for the names in it."""
        text = self.text[start:end]
        for mention in self.names:
            first, last = (min(max(at - start, 0), len(text)) for at in mention.span)
            text = text[:first] + " " * (last - first) + text[last:]
        return text


class Statement(NamedTuple):
    """A sentence that is judged, and what it may state."""

    where: str
    """The kind of unit that it stands in: "title", "sentence", "pair", …"""
    sentence: Sentence
    facts: Facts
    """Of its unit."""
    rows: tuple[Row, ...]
    """Those it is about."""
    cells: list[Cell]
    """Their cells."""
    span_cells: SpanCells
    """What it states, as far as it is judged."""

    @property
    def tables(self) -> Collection[str]:
        """The tables of its rows; of its whole unit where it is about none."""
        return {row.table for row in self.rows} or self.facts.tables
