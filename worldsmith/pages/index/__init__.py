"""Search over the pages of a world."""

from worldsmith.pages.index.build import Stock, take_stock
from worldsmith.pages.index.files import FOLDER, Indexed, saved
from worldsmith.pages.index.query import PHRASES, Terms, admits, place, read_query
from worldsmith.pages.index.reading import SLIPS
from worldsmith.pages.index.search import DEPTH, Index
from worldsmith.pages.index.terms import plain_text, tokens

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
