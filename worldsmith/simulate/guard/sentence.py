"""A sentence with the names, labels, numbers and options in it."""

from typing import NamedTuple

from worldsmith.simulate.guard.names import Mention
from worldsmith.simulate.guard.quantity import Quantity
from worldsmith.simulate.guard.text import Span
from worldsmith.world.model import Cell

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

    def alone(self) -> "Sentence":
        """Return the same with only what lies within its span."""
        span = self.span
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
