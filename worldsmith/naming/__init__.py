"""Invented names: seeded grammars of invented cultures, told apart, and none of them real."""

from worldsmith.naming.deny import DENIED, denied
from worldsmith.naming.grammar import AVAILABLE, Namer
from worldsmith.naming.kinds import ALSO, KINDS

__all__ = ["ALSO", "AVAILABLE", "DENIED", "KINDS", "Namer", "denied"]
