"""Invented names: seeded grammars of invented cultures, told apart, and none of them real."""

from worldsmith.naming.cultures import CULTURES
from worldsmith.naming.deny import DENY_FILTER_DIGEST, is_real_name
from worldsmith.naming.grammar import AVAILABLE, Namer, common_stock
from worldsmith.naming.kinds import ALSO, FILLERS, KINDS, WORDS, Kind, own_kind

__all__ = [
    "ALSO",
    "AVAILABLE",
    "CULTURES",
    "DENY_FILTER_DIGEST",
    "FILLERS",
    "KINDS",
    "WORDS",
    "Kind",
    "Namer",
    "common_stock",
    "is_real_name",
    "own_kind",
]
