"""Pages that no schema declares and that tell a few facts each: news, notices, blogs, reviews, threads, background."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from worldsmith.lang.morphology import lower
from worldsmith.pages.lengths import planned
from worldsmith.pages.page_kind import Kind, byte, page_date
from worldsmith.pages.prose import mixed
from worldsmith.pages.sites import Site, slug, tag
from worldsmith.pages.types import Block, Page
from worldsmith.seeding import draw
from worldsmith.world.model import Row

if TYPE_CHECKING:
    from worldsmith.pages.plan import Pages


SHARE: Final = 40
"""Rows of a world for each page of a genre, at least."""


@dataclass(frozen=True, slots=True)
class Genre:
    """A kind of story: how many there are, of how many rows, with how many facts of each, in which parts."""

    name: str
    pages: int
    """The most that a world has."""
    rows: int
    """The subject, and others that stand next to it in its table."""
    facts: tuple[int, int]
    """Of each row, at least and at most; fewer where it has no more to tell."""
    parts: tuple[str, ...]
    """Blocks in order: told, post and points state cells, text:NAME starts with a theme."""

    @property
    def kind(self) -> str:
        """The name of its pages' kind."""
        return f"world-{self.name}"


GENRES: Final = (
    Genre("news", 12, 1, (1, 3), ("byline", "text:news", "told", "text", "related")),
    Genre("press", 7, 1, (2, 4), ("points", "told", "text:press", "related")),
    Genre("blog", 7, 2, (1, 3), ("byline", "text:memory", "told", "text:opinion", "comments", "related")),
    Genre("review", 6, 1, (3, 4), ("byline", "text", "told", "points", "text:opinion", "related")),
    Genre("forum", 7, 3, (1, 2), ("text:question", "post", "text:advice", "comments", "related")),
    Genre("context", 6, 4, (1, 2), ("text:setting", "table", "text:compare", "related")),
)


class StoryKind(Kind):
    """The pages of a genre. The first row of each is its subject, all others are named wherever they are told of."""

    def __init__(self, pages: "Pages", genre: Genre, site: Site) -> None:
        super().__init__(pages, site)
        self.genre, self.name = genre, genre.kind

    @cached_property
    def picks(self) -> tuple[tuple[tuple[Row, tuple[str, ...]], ...], ...]:
        """The rows of each page, with the columns that it tells of them."""
        pages, tables = self.pages, tuple(self.pages.abouts)
        picks: dict[Row, tuple[tuple[Row, tuple[str, ...]], ...]] = {}
        most = min(self.genre.pages, 1 + pages.world.facts // SHARE)
        for i in range(most if tables else 0):
            chance = draw(pages.world.seed, self.genre.name, i)
            table = tables[chance % len(tables)]
            size = pages.world.size(table)
            if size >= self.genre.rows:
                rows = tuple(self._told(table, (chance >> 16) % size, size, chance >> 32))
                if rows and rows[0][1]:
                    picks.setdefault(rows[0][0], rows)
        return tuple(picks.values())

    def _told(self, table: str, first: int, size: int, chance: int) -> Iterator[tuple[Row, tuple[str, ...]]]:
        """Yield rows from one on, with their columns: the same ones where they stand in a table."""
        form, plans = self.pages.world.schema.tables[table], self.pages.words.plans
        every = [c.name for c in form.columns if not c.key and c.see != "linked" and plans[table, c.name]]
        lo, hi = self.genre.facts
        count = lo + chance % (hi - lo + 1)
        turn = (chance >> 8) % len(every) if every else 0
        for i in range(self.genre.rows):
            row = Row(table, (first + i) % size)
            held = [n for n in every[turn:] + every[:turn] if self.pages.world.value(row, n) is not None]
            if held:
                yield row, tuple(held[:count])
            turn += 0 if "table" in self.genre.parts else count

    @property
    def numbers(self) -> range:
        """A page for each subject picked."""
        return range(len(self.picks))

    def path(self, n: int) -> str:
        """Return the subject's key and letters."""
        row, columns = self.picks[n][0]
        return f"{slug(' '.join(self.pages.keys(row)))}-{tag(self.pages.world.seed, self.name, columns)}"

    def anchor(self, n: int) -> str:
        """Return a phrase that tells the kind of page."""
        return self.pages.words.pick("anchors", self.genre.name, self.picks[n][0][0].table, n)

    def plan(self, n: int) -> Page:
        """Return the plan of page `n`."""
        pages, rows = self.pages, self.picks[n]
        (row, columns), page_id = rows[0], f"{self.name}/{n}"
        chance = draw(pages.world.seed, "page", page_id)
        form = pages.world.schema.tables[row.table]
        blocks = planned(pages, self._blocks(n, page_id, chance), (chance >> 40 & 0xFFFF) / 0xFFFF)
        stated = tuple(cell for block in blocks for cell in block.cells)
        keys = pages.cells(*row, form.key)
        shown = tuple(c for c in pages.cells(*row, columns) if form.column(c.col).see == "snippet")
        label = lower(pages.words.columns[row.table, columns[0]].label)
        title = pages.words.pick("titles", self.genre.name, row.table, chance >> 20)
        return Page(
            id=page_id,
            kind=self.name,
            url=pages.url(page_id),
            title=title.replace("{label}", label),
            date=page_date(pages, chance, stated, row),
            subject=row,
            head=Block("head", (*keys, *shown), byte(chance, 2)),
            blocks=blocks,
            table=row.table,
            look=pages.look(self.site),
        )

    def _blocks(self, n: int, page_id: str, chance: int) -> list[Block]:
        pages, rows = self.pages, self.picks[n]
        row = rows[0][0]
        blocks: list[Block] = []
        for i, part in enumerate(self.genre.parts):
            kind, _, theme = part.partition(":")
            variant = mixed(chance + i) >> 8
            if kind in {"told", "post"}:
                blocks += [
                    self._facts(kind, r, columns, mixed(variant + k) >> 8, page_id)
                    for k, (r, columns) in enumerate(rows)
                ]
            elif kind == "points":
                blocks.append(self._facts(kind, *rows[0], variant, page_id))
            elif kind == "table":
                cells = tuple(cell for block in self._rows(rows, page_id) for cell in block.cells)
                blocks.append(Block(kind, cells, variant, self.pages.links(cells, page_id)))
            elif kind == "related":
                links = (pages.about(row) or "", *pages.chrome(row.table, page_id))
                blocks.append(Block(kind, (), byte(chance, 1), links))
            else:
                blocks.append(Block(kind, (), variant, by=theme))
        return blocks

    def _rows(self, rows: tuple[tuple[Row, tuple[str, ...]], ...], page_id: str) -> list[Block]:
        """Return the rows of a table with the columns of the first that hold a value in each."""
        held = [n for n in rows[0][1] if all(self.pages.world.value(row, n) is not None for row, _ in rows)]
        return [self._facts("table", row, tuple(held or rows[0][1]), 0, page_id) for row, _ in rows]

    def _facts(self, kind: str, row: Row, columns: tuple[str, ...], variant: int, page_id: str) -> Block:
        cells = self.pages.cells(*row, (*self.pages.world.schema.tables[row.table].key, *columns))
        return Block(kind, cells, variant, self.pages.links(cells, page_id))

    @cached_property
    def _stated(self) -> dict[tuple[Row, str], tuple[int, ...]]:
        by_cell: dict[tuple[Row, str], dict[int, None]] = {}
        for n in self.numbers:
            for block in self._blocks(n, f"{self.name}/{n}", 0):
                for cell in block.cells:
                    by_cell.setdefault((cell.row, cell.col), {})[n] = None
        return {place: tuple(numbers) for place, numbers in by_cell.items()}

    def stating(self, row: Row, col: str) -> tuple[int, ...]:
        """Return the pages that tell the cell."""
        return self._stated.get((row, col), ())
