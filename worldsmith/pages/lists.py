"""Pages made of several rows: lists by the value of a column, and directories of linked keys."""

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from worldsmith.lang.morphology import lower
from worldsmith.pages.lengths import planned
from worldsmith.pages.page_kind import Kind, byte, page_date
from worldsmith.pages.prose import mixed
from worldsmith.pages.sites import Site, tag
from worldsmith.pages.titles import SCOPE
from worldsmith.pages.types import DIRECTORY, Block, Page, Topics
from worldsmith.schema import PageSpec, Value
from worldsmith.seeding import draw
from worldsmith.world.model import Cell, Row, World

if TYPE_CHECKING:
    from worldsmith.pages.plan import Pages

NAMES = 30
"""The most keys on a page of a directory."""
HEAD_ROWS = 2
"""Rows that a hit for a list may name."""


class Part(NamedTuple):
    """One page of a list: its scope, its rows, its place among the parts of that list, and their number."""

    value: Value
    rows: tuple[int, ...]
    place: int
    of: int


def split(rows: list[int], most: int) -> list[tuple[int, ...]]:
    """Return `rows` in even parts of at most `most`; one empty part of no rows."""
    parts = max(1, -(-len(rows) // most))
    cuts = [len(rows) * i // parts for i in range(parts + 1)]
    return [tuple(rows[a:b]) for a, b in pairwise(cuts)]


def ordered(world: World, table: str, rows: Iterable[int], sort: str | None) -> list[int]:
    """Return rows of a table in the order of a column, where there is one, and of their keys; nulls last."""
    columns, names = world.tables[table], (*((sort,) if sort else ()), *world.schema.tables[table].key)
    return sorted(rows, key=lambda i: tuple((columns[n][i] is None, columns[n][i]) for n in names))


class ListKind(Kind):
    """The pages of a `list` entry of `[pages]`: one list for each value of `by`, in parts."""

    def __init__(self, pages: "Pages", spec: PageSpec, site: Site) -> None:
        super().__init__(pages, site)
        self.spec = spec
        self.name, self.table, self.by = spec.name, spec.table, spec.by or ""
        form = pages.world.schema.tables[self.table]
        linked = {c.name for c in form.columns if c.see == "linked"}
        self.shown = tuple(dict.fromkeys((self.by, *form.key, *(n for n in spec.show if n not in linked))))
        self.keys = form.key

    @cached_property
    def topics(self) -> Topics:
        """The columns of the list."""
        return self.pages.words.topics(tuple((self.table, n) for n in self.shown if n != self.by))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The pages: values in their order, rows in the order of the page, `listing` at most on one.

        Longer lists are split evenly, so that no part has fewer than half of that.
        """
        most = self.pages.world.schema.knobs.listing
        groups = self.pages.world.rows_by_value(self.table, self.by)
        values = sorted(v for v in groups if v is not None)
        return tuple(
            Part(value, rows, place, len(cut))
            for value in values
            for cut in [split(self._ordered(groups[value]), most)]
            for place, rows in enumerate(cut)
        )

    def _ordered(self, rows: tuple[int, ...]) -> list[int]:
        sort = self.spec.sort if self.spec.sort in self.shown else None
        return ordered(self.pages.world, self.table, rows, sort)

    @cached_property
    def places(self) -> dict[int, int]:
        """The page of each row that is listed."""
        return {row: n for n, part in enumerate(self.parts) for row in part.rows}

    @cached_property
    def starts(self) -> dict[Value, int]:
        """The first page of each value's list."""
        return {part.value: n for n, part in enumerate(self.parts) if part.place == 0}

    @property
    def numbers(self) -> range:
        """The parts of all lists."""
        return range(len(self.parts))

    def path(self, n: int) -> str:
        """Return letters that stand for scope and part."""
        part = self.parts[n]
        return f"{self.name}/{tag(self.pages.world.seed, self.name, part.value, part.place)}"

    def anchor(self, n: int) -> str:  # noqa: ARG002 - alike on all of its pages
        """Return what is listed, by which column, not the value."""
        column = self.pages.words.columns[self.table, self.by]
        return f"{self.pages.words.say(self.table, '{Many} by')} {lower(column.label)}"

    def plan(self, n: int) -> Page:
        """Return the plan of part `n`."""
        pages, part = self.pages, self.parts[n]
        page_id = f"{self.name}/{n}"
        chance = draw(pages.world.seed, "page", page_id)
        cells = tuple(cell for i in part.rows for cell in pages.cells(self.table, i, self.shown))
        rows = tuple(cell.row for cell in cells[:: len(self.shown)])
        per = len({self.by, *self.keys})
        head = tuple(c for i in range(min(HEAD_ROWS, len(rows))) for c in cells[i * len(self.shown) :][:per])
        turns = (*((f"{self.name}/{n - 1}",) if part.place else ()),)
        turns += (f"{self.name}/{n + 1}",) if part.place + 1 < part.of else ()
        return Page(
            id=page_id,
            kind=self.name,
            url=pages.url(page_id),
            title=f"{self.anchor(n)}{SCOPE}",
            date=page_date(pages, chance, cells, None),
            subject=None,
            head=Block("head", head, byte(chance, 2)),
            blocks=self._blocks(page_id, cells, turns, chance),
            rows=rows,
            table=self.table,
            scope=self.by,
            part=1 + part.place,
            topics=self.topics,
            look=pages.look(self.site),
        )

    def _blocks(self, page_id: str, cells: tuple[Cell, ...], turns: tuple[str, ...], chance: int) -> tuple[Block, ...]:
        """Return the blocks in the order of the site's layout."""
        pages, more, wide = self.pages, mixed(chance), len(self.shown)
        by_part = {
            "list": Block("list", cells, byte(chance, 4), self._links(cells, page_id)),
            "related": Block("related", (), byte(chance, 1), (*turns, *pages.chrome(self.table, page_id))),
        }
        start = more % max(1, len(cells) // wide) * wide
        if any(pages.words.plans[self.table, n] for n in self.shown if n != self.by and n not in self.keys):
            by_part["told"] = Block("told", cells[start : start + wide], more >> 8)
        blocks: list[Block] = []
        for i, part in enumerate(pages.look(self.site).layout.listed):
            if part in {"text", "comments"}:
                theme = "list" if part == "text" and not any(b.kind == "text" for b in blocks) else ""
                blocks.append(Block(part, (), mixed(more + i) >> 8, by=theme))
            elif part in by_part:
                blocks.append(by_part[part])
        return planned(pages, blocks, (chance >> 40 & 0xFFFF) / 0xFFFF)

    def _links(self, cells: tuple[Cell, ...], page_id: str) -> tuple[str, ...]:
        return tuple(link for link in self.pages.links(cells, page_id) if not link.startswith(f"{self.name}/"))

    def stating(self, row: Row, col: str) -> tuple[int, ...]:
        """Return the part that lists the row."""
        n = self.places.get(row.index) if row.table == self.table and col in self.shown else None
        return () if n is None else (n,)


class DirectoryKind(Kind):
    """The keys of a table that has entity pages, each a link to its page."""

    def __init__(self, pages: "Pages", table: str, site: Site) -> None:
        super().__init__(pages, site)
        self.table, self.name = table, f"{table}{DIRECTORY}"
        self.keys = pages.world.schema.tables[table].key

    @cached_property
    def parts(self) -> list[tuple[int, ...]]:
        """The pages: rows in the order of their keys."""
        return split(list(self.pages.directory(self.table)), NAMES)

    @cached_property
    def places(self) -> dict[int, int]:
        """The page of each row."""
        return {row: n for n, rows in enumerate(self.parts) for row in rows}

    @property
    def numbers(self) -> range:
        """The parts."""
        return range(len(self.parts))

    def path(self, n: int) -> str:
        """Return the table's name, and letters from the second part on."""
        return f"directory/{self.table}" + (f"/{tag(self.pages.world.seed, self.name, n)}" if n else "")

    def anchor(self, n: int) -> str:  # noqa: ARG002 - alike on all of its pages
        """Return "Directory of phones", as its site says it."""
        return self.pages.words.pick("anchors", "directory", self.table, self.pages.look(self.site).turn)

    def plan(self, n: int) -> Page:
        """Return the plan of part `n`."""
        pages = self.pages
        page_id = f"{self.name}/{n}"
        chance = draw(pages.world.seed, "page", page_id)
        cells = tuple(cell for i in self.parts[n] for cell in pages.cells(self.table, i, self.keys))
        rows = tuple(cell.row for cell in cells[:: len(self.keys)])
        turns = (
            *((f"{self.name}/{n - 1}",) if n else ()),
            *((f"{self.name}/{n + 1}",) if n + 1 < len(self.parts) else ()),
        )
        return Page(
            id=page_id,
            kind=self.name,
            url=pages.url(page_id),
            title=pages.words.say(self.table, "All {many}: the directory"),
            date=None,
            subject=None,
            head=Block("head", cells[: HEAD_ROWS * len(self.keys)], byte(chance, 2)),
            blocks=planned(
                pages,
                (
                    Block("directory", cells, 0, tuple(pages.about(row) or "" for row in rows)),
                    Block("text", (), mixed(chance) >> 8, by="list"),
                    Block("related", (), byte(chance, 1), (*turns, *pages.chrome(self.table, page_id))),
                ),
                0.25,
            ),
            rows=rows,
            table=self.table,
            part=1 + n,
            look=pages.look(self.site),
        )

    def stating(self, row: Row, col: str) -> tuple[int, ...]:
        """Return the part that names the row."""
        return (self.places[row.index],) if row.table == self.table and col in self.keys else ()
