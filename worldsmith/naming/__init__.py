"""Invented names: seeded grammars of invented cultures, told apart, and none of them real."""

from worldsmith.naming.deny import DENY_FILTER_DIGEST, is_real_name
from worldsmith.naming.grammar import AVAILABLE, Namer
from worldsmith.naming.kinds import ALSO, FILLERS, KINDS, WORDS, Kind, own_kind

__all__ = [
    "ALSO",
    "AVAILABLE",
    "DENY_FILTER_DIGEST",
    "FILLERS",
    "KINDS",
    "WORDS",
    "Kind",
    "Namer",
    "is_real_name",
    "own_kind",
]
