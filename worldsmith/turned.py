"""A structure under knobs: the rows, `per` and `missing` that its worlds are filled and checked by."""

from dataclasses import replace
from functools import lru_cache

from worldsmith.schema import Knobs, Schema


@lru_cache(maxsize=256)
def turned(structure: Schema, knobs: Knobs) -> Schema:
    """Return a structure (a schema as `under` leaves it) with its numbers turned by `knobs`."""
    return replace(structure, knobs=knobs) if knobs.turned else structure
