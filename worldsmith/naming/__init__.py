"""Invented names: seeded grammars of invented cultures, told apart, and none of them real."""

from worldsmith.naming.deny import denied
from worldsmith.naming.grammar import cultures, names
from worldsmith.naming.kinds import KINDS

__all__ = ["KINDS", "cultures", "denied", "names"]
