"""A structure under knobs: the rows, `per` and `missing` that its worlds are filled and checked by."""

from dataclasses import replace
from functools import lru_cache

from worldsmith.schema import Knobs, Schema, under
from worldsmith.turned.density import denser
from worldsmith.turned.rows import extent, refuse, resized


@lru_cache(maxsize=256)
def turned(structure: Schema, knobs: Knobs) -> Schema:
    """Return a structure (a schema as `under` leaves it) with its numbers turned by `knobs`.

    A structure, not a whole schema: the rows that an optional table would have had fall on the others.

    Raises:
        UsageError: rows that its tables can't have, with the nearest that they can.
    """
    if not knobs.turned:
        return structure
    if knobs.facts:
        structure = replace(structure, tables=resized(structure, knobs.facts))
    if knobs.density != 1.0:
        structure = replace(structure, tables=denser(structure, knobs.density))
    return replace(structure, knobs=knobs)


def admit(schema: Schema, knobs: Knobs) -> None:
    """Raise UsageError for knobs that some world of a schema can't follow, with the nearest that all can."""
    if knobs.facts:
        # The richest structure has the most rows to keep, the barest the fewest names to give.
        ends = [extent(under(schema, switches)) for switches in ((), tuple(schema.variation))]
        refuse(schema.name, knobs.facts, max(least for least, _ in ends), min(most for _, most in ends))


__all__ = ["admit", "turned"]
