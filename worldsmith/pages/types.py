"""What a page is before it is text: a plan of blocks over cells, and the document a plan is rendered to.

A block names cells and a variant number, never values: text, Markdown, HTML, snippet and entitlement all
come from the same plan, so what a page may state and what it does state can't drift apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from worldsmith.pages.site_styles import PLAIN, Look
from worldsmith.world.model import Cell, Row

Topics = tuple[tuple[tuple[str, str], str], ...]
"""((table, column), label) of columns."""


Rows = dict[Row, dict[str, Cell]]
"""Cells by row and column."""


def by_row(cells: Iterable[Cell]) -> Rows:
    """Return cells by row and column, in order."""
    rows: Rows = {}
    for cell in cells:
        rows.setdefault(cell.row, {})[cell.col] = cell
    return rows


HEAD = 80
"""Characters that the title and the date of a page take, about."""


DIRECTORY = "-directory"
"""What the kinds of directory end in, after their table."""


@dataclass(frozen=True, slots=True)
class Block:
    """Cells stated together in one form: "lead", "infobox", "table", "list", "links", "prose", "caption", and more."""

    kind: str
    cells: tuple[Cell, ...]
    variant: int = 0
    """Which of the kind's wordings is used."""
    links: tuple[str, ...] = ()
    """Ids of the pages that the block links to; each stands for a cell of the block or for declared chrome."""
    by: str = ""
    """children, linked: the column by which the block's rows refer to the subject; text: the theme it starts with."""
    size: int = 0
    """Characters of Markdown that it is planned to take; a text takes what the blocks before it left."""

    def sized(self, size: int) -> "Block":
        """Return the block with another size; `replace` takes four times as long, and every block gets one."""
        return Block(self.kind, self.cells, self.variant, self.links, self.by, size)


@dataclass(frozen=True)
class Page:
    """A page plan. `head` is what a search hit shows: title and snippet; it may be edited, the rest too.

    All that a page says comes from here: values from cells, all other words from the schema and declared chrome.
    """

    id: str
    """Kind and number: "phone/12", "lineup/3"; stable for a world and render version."""
    kind: str
    url: str
    """https://<host>.example/<slug>; the slug holds keys or a hash, never another cell."""
    title: str
    """Words without a cell; `titles.NAME` and `titles.SCOPE` stand where cells are told (see `titles.title`)."""
    date: str | None
    """ISO day the page claims; a cell of its blocks or declared chrome."""
    subject: Row | None
    """The row that an unnamed subject ("it", "the phone") refers to."""
    head: Block
    blocks: tuple[Block, ...]
    whole: bool = True
    """Whether it can be read to its end; where it can't, nobody knows whether its lists go on."""
    dormant: bool = False
    """Planned in every world, not found unless a profile reveals it: archive copies, mirrors, homonyms."""
    rows: tuple[Row, ...] = ()
    """The rows that a list or table page is made of (membership is stated by it)."""
    table: str = ""
    """The table whose nouns the page uses: it is about a row of it, or lists or explains its rows."""
    scope: str = ""
    """list: the column whose value its rows share."""
    part: int = 1
    """Which part of a list this is, from 1."""
    purpose: str = ""
    """What a further page about a row holds: "inspections"; "" for the row's entry."""
    topics: Topics = ()
    """What a snippet may mention without telling it."""
    look: Look = PLAIN
    """How its site lays pages out and speaks."""

    @property
    def directory(self) -> bool:
        """Whether it names all rows of a table."""
        return self.kind.endswith(DIRECTORY)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell of the page's blocks, in order, each once: what the page may and must state."""
        return tuple(dict.fromkeys(cell for block in self.blocks for cell in block.cells))

    @property
    def size(self) -> int:
        """Characters of its Markdown, known without rendering: within a few per cent."""
        return HEAD + sum(block.size for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Detour:
    """What becomes of a page that is lost, and the way round it."""

    kind: str
    """The edit of pages that is made."""
    after: Page | None
    """The page as it is read; None where it is gone."""
    copied: bool
    """Whether its syndicated copy is found: no other page tells all that it lost."""
    copy: Page | None = None
    """The copy as it is read, where it says what has changed; None where it stays as planned."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text that states cells."""

    text: str
    cells: tuple[Cell, ...]

    def with_text(self, text: str) -> "Span":
        """Return the span with another text; `replace` takes four times as long."""
        return Span(text, self.cells)

    def with_cells(self, cells: tuple[Cell, ...]) -> "Span":
        """Return the span with other cells."""
        return Span(self.text, cells)


@dataclass(frozen=True, slots=True)
class Link:
    """A piece of text that leads to `url` (an absolute one), and states cells perhaps."""

    text: str
    url: str
    cells: tuple[Cell, ...] = ()

    def with_text(self, text: str) -> "Link":
        """Return the link with another text."""
        return Link(text, self.url, self.cells)

    def with_cells(self, cells: tuple[Cell, ...]) -> "Link":
        """Return the link with other cells."""
        return Link(self.text, self.url, cells)


Inline = str | Span | Link
Text = tuple[Inline, ...]
"""Running text: strings, spans and links in order."""


def plain_part(part: Inline) -> str:
    """Return a piece of running text without the address that it leads to."""
    return part if isinstance(part, str) else part.text


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of `level` 1 to 4."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Para:
    """A paragraph."""

    text: Text


@dataclass(frozen=True, slots=True)
class KeyValues:
    """Label and value pairs: an infobox or a specification."""

    pairs: tuple[tuple[str, Text], ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A bulleted or numbered list."""

    items: tuple[Text, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with a header, and a caption where `caption` is not empty."""

    header: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    caption: str = ""


Piece = Heading | Para | KeyValues | Items | Grid

Chunk = tuple[str, tuple[Cell, ...]]
"""A piece of emitted text and the cells that it states."""


@dataclass(frozen=True, slots=True)
class WrittenHit:
    """A natural page's hit as it is written: title and snippet, and the spans of both."""

    texts: tuple[str, str]
    spans: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Doc:
    """A page as a document: an emitter per format turns it into Markdown, HTML or plain text."""

    url: str
    title: str
    """Words without a cell; `titles.NAME` and `titles.SCOPE` stand where cells are told (see `titles.title`)."""
    date: str | None
    pieces: tuple[Piece, ...]
    named: tuple[Cell, ...] = ()
    """The cells that the title states."""


Status = Literal["ok", "invalid", "not_found", "error", "rate_limited", "timeout", "unauthorized", "unavailable"]
