"""Generation: a world filled in the constraint graph's order, right by construction, repaired where it isn't."""

from worldsmith.generation.world import generate

__all__ = ["generate"]
