"""Looks: how a site lays its pages out and in which voice it speaks. One look per host, drawn by its name."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from worldsmith.errors import NotFoundError, close_match
from worldsmith.lang.english import ENGLISH, Voice
from worldsmith.seeding import draw


@dataclass(frozen=True, slots=True)
class Layout:
    """The order of the parts of a page, and the form of its facts."""

    name: str
    entity: tuple[str, ...]
    """Parts of a page about a row."""
    listed: tuple[str, ...]
    """Parts of a list."""
    pairs: Literal["pairs", "table", "items"]
    """How labels and values stand."""
    captioned: bool = False
    """Tables have a caption in place of a heading."""
    signed: bool = False
    """Pages name an author."""


@dataclass(frozen=True, slots=True)
class Look:
    """The look of one site."""

    layout: Layout
    voice: Voice
    turn: int = 0
    """Which of several headings and link texts the site uses."""


LAYOUTS: Final = (
    Layout(
        "encyclopedia",
        ("lead", "infobox", "prose", "children", "text", "neighbours", "related"),
        ("text", "list", "told", "text", "related"),
        "pairs",
    ),
    Layout(
        "official",
        ("lead", "text", "infobox", "children", "prose", "text", "related"),
        ("text", "list", "text", "related"),
        "items",
        captioned=True,
    ),
    Layout(
        "datasheet",
        ("infobox", "lead", "prose", "children", "text", "neighbours", "related"),
        ("list", "told", "text", "related"),
        "table",
        captioned=True,
    ),
    Layout(
        "register",
        ("lead", "infobox", "children", "prose", "text", "related"),
        ("text", "list", "text", "related"),
        "pairs",
    ),
    Layout(
        "magazine",
        ("lead", "prose", "text", "infobox", "children", "text", "comments", "neighbours", "related"),
        ("text", "told", "list", "text", "comments", "related"),
        "items",
        signed=True,
    ),
    Layout(
        "notebook",
        ("lead", "text", "prose", "infobox", "children", "text", "comments", "related"),
        ("told", "text", "list", "text", "related"),
        "table",
        signed=True,
    ),
)
VOICES: Final = ENGLISH.voices
PLAIN: Final = Look(LAYOUTS[0], VOICES[0])
"""The look of a page that says nothing of its own."""
STYLES: Final = (*(layout.name for layout in LAYOUTS), *(voice.name for voice in VOICES))
"""Names of layouts and voices, all of which may be held out."""


def look(host: str, seed: int, without: Collection[str] = ()) -> Look:
    """Return the look of a host: a layout and a voice, none of those named in `without`.

    Raises:
        NotFoundError: `without` names no layout or voice, or leaves none of either.
    """
    for name in without:
        if name not in STYLES:
            raise NotFoundError(f"there is no layout or voice {name!r}.{close_match(name, STYLES)}")
    layouts = [layout for layout in LAYOUTS if layout.name not in without]
    voices = [voice for voice in VOICES if voice.name not in without]
    if not layouts or not voices:
        raise NotFoundError(f"no {'voice' if layouts else 'layout'} is left when {', '.join(without)} are held out")
    chance = draw(seed, "look", host)
    return Look(layouts[chance % len(layouts)], voices[(chance >> 16) % len(voices)], chance >> 32 & 0xFFFF)
