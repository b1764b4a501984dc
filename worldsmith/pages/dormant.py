"""Dormant pages, not found unless a profile reveals them: archive copies, mirrors, and what bears a row's name."""

from collections.abc import Collection
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Final

from worldsmith.pages.earliest_days import ordinal
from worldsmith.pages.lengths import planned
from worldsmith.pages.page_kind import Kind, byte, earliest_date
from worldsmith.pages.prose import mixed
from worldsmith.pages.sites import Site, slug, tag
from worldsmith.pages.types import DIRECTORY, Block, Page
from worldsmith.pages.written import NOT_OVER, WrittenKind
from worldsmith.schema import Aggregate
from worldsmith.seeding import draw
from worldsmith.world.model import Cell, Row, invented_keys

if TYPE_CHECKING:
    from worldsmith.pages.plan import Pages

SYNDICATED: Final = "world-syndicated"
"""What ids of syndicated copies begin with."""
ARCHIVED: Final = 8
"""One in so many entries has an archive copy."""
MIRRORED: Final = 10
"""One in so many has a mirror."""
KIN: Final = 24
"""One in so many invented names is borne by something else, beside those that the knob `homonyms` asks for."""
AGE: Final = (100, 600)
"""Days that an archive copy is old."""


class CopyKind(Kind):
    """What archive copies and mirrors share: each copies the entry of one row, at an address of letters."""

    every = 1

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The rows whose entries are copied."""
        seed, world = self.pages.world.seed, self.pages.world
        tables = self.pages.abouts
        return tuple(
            Row(table, i)
            for table in tables
            for turn in [draw(seed, self.name, table) % self.every]
            for i in range(turn, world.size(table), self.every)
        )

    @property
    def numbers(self) -> range:
        """A page for each row."""
        return range(len(self.rows))

    def path(self, n: int) -> str:
        """Return letters that stand for the page."""
        return f"{self.name.removeprefix('world-')}/{tag(self.pages.world.seed, self.name, self.rows[n])}"

    def anchor(self, n: int) -> str:
        """Return what the copied page is called."""
        return self.pages.anchor(self.pages.about(self.rows[n]) or "")

    def _entry(self, n: int) -> Page:
        return self.pages.page(self.pages.about(self.rows[n]) or "")


class MirrorKind(CopyKind):
    """The same page on another host, laid out as that host does it."""

    name, every = "world-mirror", MIRRORED

    def plan(self, n: int) -> Page:
        """Return the plan of page `n`."""
        page_id, look = f"{self.name}/{n}", self.pages.look(self.site)
        url = self.pages.url(page_id)
        return replace(self._entry(n), id=page_id, kind=self.name, url=url, dormant=True, look=look)


class SyndicatedKind(Kind):
    """Pages of another kind as a further site syndicates them: found only in the place of one that is lost.

    They are in no index: who finds the page finds its copy. A copy is of the kind of its page, and tells as much under
    a title and in words of its own site, on a later day where there is one.
    """

    def __init__(self, pages: "Pages", kind: WrittenKind, site: Site) -> None:
        super().__init__(pages, site)
        self.kind = kind
        self.name = syndicated(kind.name)

    @property
    def numbers(self) -> Collection[int]:
        """Those of the pages."""
        return self.kind.numbers

    def path(self, n: int) -> str:
        """Return letters that stand for the page."""
        return f"syndicated/{tag(self.pages.world.seed, self.name, n)}"

    def anchor(self, n: int) -> str:
        """Return what the page is called."""
        return self.kind.anchor(n)

    def plan(self, n: int) -> Page:
        """Return the plan of the copy of page `n`."""
        page_id = f"{self.name}/{n}"
        page, chance = self.pages.page(f"{self.kind.name}/{n}"), draw(self.pages.world.seed, "page", page_id)
        return replace(
            page,
            id=page_id,
            url=self.pages.url(page_id),
            title=self.kind.title(byte(chance, 4), page.head.cells, page.subject),
            date=self._day(chance >> 40, page),
            head=_reworded(page.head, chance),
            blocks=tuple(_reworded(block, chance) for block in page.blocks),
            dormant=True,
        )

    def _day(self, chance: int, page: Page) -> str | None:
        """Return a day in the later half of those that are left after the page's; the page's own where none is."""
        end, first = self.pages.days.end, earliest_date(self.pages, page.cells, page.subject)
        if page.date:
            first = max(first, ordinal(page.date) + 1)
        if first > end:
            return page.date
        left = (end - first) // 2 + 1
        return date.fromordinal(end - chance % left).isoformat()


def _reworded(block: Block, chance: int) -> Block:
    """Return a block in other words; whether its subject is over stays."""
    return replace(block, variant=chance & NOT_OVER | block.variant & 1)


def syndicated(page_id: str) -> str:
    """Return the id of the syndicated copy of a page."""
    return f"{SYNDICATED}/{page_id}"


def original(page_id: str) -> str | None:
    """Return the id of the page that a syndicated copy is of; None for other pages."""
    return page_id.removeprefix(f"{SYNDICATED}/") if page_id.startswith(f"{SYNDICATED}/") else None


class ArchiveKind(CopyKind):
    """An entry as it was: its counts and sums lower, what came later not told, what it says now one link away."""

    name, every = "world-archive", ARCHIVED

    def plan(self, n: int) -> Page:
        """Return the plan of page `n`."""
        pages, page, page_id = self.pages, self._entry(n), f"{self.name}/{n}"
        chance = draw(pages.world.seed, "page", page_id)
        day = self._day(chance, page)
        kept = {cell: old for cell in page.cells if (old := self._then(cell, day)) is not None}
        notice = Block("notice", (), byte(chance, 1), (page.id,), by="copies")
        blocks = [notice, *(_with(block, kept) for block in page.blocks if block.kind not in {"children", "linked"})]
        return replace(
            page,
            id=page_id,
            kind=self.name,
            url=pages.url(page_id),
            title=pages.words.pick("titles", "archive", page.table, chance),
            date=day,
            head=_with(page.head, kept),
            blocks=planned(pages, [block.sized(0) for block in blocks], (chance >> 40 & 0xFFFF) / 0xFFFF),
            dormant=True,
        )

    def _day(self, chance: int, page: Page) -> str:
        """Return the day of the copy, none that the page tells: after its row begins, as far as there is room."""
        days, stated = self.pages.days, {cell.value for cell in page.cells}
        begun = days.begun(page.subject) if page.subject else 0
        newest = days.end - (AGE[0] if begun < days.end - AGE[0] else 1)
        turn = chance % max(1, newest - max(begun, days.end - AGE[1]))
        return next(day for i in range(999) if (day := date.fromordinal(newest - turn - i).isoformat()) not in stated)

    def _then(self, cell: Cell, day: str) -> Cell | None:
        """Return a cell as it was on a day: None where it tells of a later one.

        Counts and sums are lower than now: a copy missed some, and has none that came later.
        """
        column = self.pages.words.columns[cell.row.table, cell.col]
        if isinstance(column.fill, Aggregate) and column.fill.op != "max" and isinstance(cell.value, int):
            noticed = cell.value - cell.value // 8 - (cell.value > 2)
            return cell._replace(value=min(noticed, self.pages.days.then(cell, column.fill, ordinal(day))))
        if column.type == "date" and cell.value is not None and str(cell.value) > day:
            return None
        return cell if self.pages.days.cell(cell) <= ordinal(day) else None


def _with(block: Block, kept: dict[Cell, Cell]) -> Block:
    return replace(block, cells=tuple(kept[cell] for cell in block.cells if cell in kept)) if block.cells else block


class NamesakeKind(Kind):
    """Pages about something that bears a row's name: a ferry, a tune. They state the name alone."""

    name = "world-homonym"

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The rows whose names they bear: those of `World.namesakes`, and a few of the others."""
        world = self.pages.world
        names = dict.fromkeys(world.namesakes)
        held = {
            str(name): Row(table, i)
            for table, col in invented_keys(world.schema)
            if table in self.pages.abouts
            for i, name in enumerate(world.tables[table][col])
        }
        shared = frozenset(world.shared_names)
        for name in held:
            if name not in shared and draw(world.seed, "kin", name) % KIN == 0:
                names[name] = None
        return tuple(held[name] for name in names if name in held)

    @property
    def numbers(self) -> range:
        """A page for each name."""
        return range(len(self.rows))

    def path(self, n: int) -> str:
        """Return the name and letters."""
        row = self.rows[n]
        return f"{slug(' '.join(self.pages.keys(row)))}-{tag(self.pages.world.seed, self.name, row)}"

    def anchor(self, n: int) -> str:
        """Return a heading of such pages."""
        return self.pages.prose(self.rows[n].table).heading("kin", n)

    def plan(self, n: int) -> Page:
        """Return the plan of page `n`."""
        pages, row, page_id = self.pages, self.rows[n], f"{self.name}/{n}"
        chance = draw(pages.world.seed, "page", page_id)
        keys, entry = pages.cells(*row, pages.world.schema.tables[row.table].key), pages.about(row) or ""
        blocks = (
            Block("text", (), mixed(chance) >> 8, by="kin"),
            Block("notice", (), byte(chance, 1), (entry,), by="namesakes"),
            Block(
                "related", (), byte(chance, 3), () if pages.voice else (f"{row.table}{DIRECTORY}/0", "world-guide/0")
            ),
        )
        named_block = Block("named", keys, byte(chance, 4))
        return Page(
            id=page_id,
            kind=self.name,
            url=pages.url(page_id),
            title=pages.words.pick("titles", "kin", row.table, chance >> 20),
            date=None,
            subject=row,
            head=Block("head", keys, byte(chance, 2)),
            blocks=planned(pages, (named_block, *blocks), (chance >> 40 & 0xFFFF) / 0xFFFF),
            dormant=True,
            table=row.table,
            look=pages.look(self.site),
        )
