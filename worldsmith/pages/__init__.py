"""Pages as plans: what there is to read in a world, before it is text."""

from worldsmith.pages.plan import RENDER, Pages, boilerplate, uncarried
from worldsmith.pages.types import Block, Doc, Grid, Heading, Items, KeyValues, Link, Page, Para, Piece, Status, Text

__all__ = [
    "RENDER",
    "Block",
    "Doc",
    "Grid",
    "Heading",
    "Items",
    "KeyValues",
    "Link",
    "Page",
    "Pages",
    "Para",
    "Piece",
    "Status",
    "Text",
    "boilerplate",
    "uncarried",
]
