"""Search over the pages of a world."""

from worldsmith.index.query import PHRASES, Terms, admits, place, read_query
from worldsmith.index.saved import FOLDER, Indexed, saved
from worldsmith.index.search import DEPTH, SLIPS, Index
from worldsmith.index.stock import Stock, take_stock
from worldsmith.index.words import plain_text, tokens

__all__ = [
    "DEPTH",
    "FOLDER",
    "PHRASES",
    "SLIPS",
    "Index",
    "Indexed",
    "Stock",
    "Terms",
    "admits",
    "place",
    "plain_text",
    "read_query",
    "saved",
    "take_stock",
    "tokens",
]
