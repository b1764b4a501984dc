"""Pages as plans: what there is to read in a world, before it is text."""

from worldsmith.pages.plan import RENDER, Pages, boilerplate, uncarried
from worldsmith.pages.types import (
    Block,
    Doc,
    Grid,
    Heading,
    Inline,
    Items,
    KeyValues,
    Link,
    Page,
    Para,
    Piece,
    Span,
    Text,
    plain_part,
)

__all__ = [
    "RENDER",
    "Block",
    "Doc",
    "Grid",
    "Heading",
    "Inline",
    "Items",
    "KeyValues",
    "Link",
    "Page",
    "Pages",
    "Para",
    "Piece",
    "Span",
    "Text",
    "boilerplate",
    "plain_part",
    "uncarried",
]
