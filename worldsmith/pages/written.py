"""Pages of a bank: about one row each, or about the rows that share a value. See `schema.patterns.PageSource`."""

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

from worldsmith import expr
from worldsmith.lang.page_phrases import capital
from worldsmith.pages.lists import ordered, split
from worldsmith.pages.page_kind import Kind, byte, page_date
from worldsmith.pages.prose import mixed
from worldsmith.pages.site_styles import PLAIN
from worldsmith.pages.sites import Site, slugs, tag
from worldsmith.pages.types import Block, Page, Rows, by_row
from worldsmith.pages.voice import Cells, Voice, present
from worldsmith.schema import Path, Value
from worldsmith.schema.patterns import NULL_FORMS, SUBJECT, Written
from worldsmith.seeding import draw
from worldsmith.world.model import Cell, Row, World

if TYPE_CHECKING:
    from worldsmith.pages.plan import Pages

LISTED: Final = 24
"""Rows of one page of a list, at most: longer lists are split evenly."""
LINKED: Final = 4
"""Links in the text of a page about a row, at most."""
HEAD_CHILDREN: Final = 2
"""Rows that refer to the subject which a hit may tell, at most."""
HEAD_ROWS: Final = 2
"""Rows of a list that a hit may name."""
NOT_OVER: Final = 0xFFFF_FFFE
"""The bits of a block's variant beside the one that says that its subject is over."""
REACH: Final = 2
"""References that a path from a row goes along, at most."""
PER_CELL: Final = 30
"""Characters that a cell takes, about: its value, and its part of a sentence."""


class WrittenKind(Kind):
    """The pages of one entry of a bank's `[pages]`."""

    def __init__(self, pages: "Pages", voice: Voice, written: Written, site: Site) -> None:
        super().__init__(pages, site)
        self.voice, self.written = voice, written
        self.name, self.source, self.table = written.name, written.source, written.source.table
        self.form = pages.world.schema.tables[self.table]

    @cached_property
    def eligible(self) -> tuple[int, ...]:
        """The rows of the table that its condition and share let in."""
        world, when = self.pages.world, self.written.when
        rows = list(world.rows_of(self.table))
        if when is not None:
            test, reads = expr.compile_python(when)
            readable = all(present(world.schema, self.table, path) for path in reads)
            rows = [r for r in rows if readable and test(*[world.walk(r, path) for path in reads]) is True]
        share = self.source.share * 10_000 if self.source.about else 10_000
        return tuple(r.index for r in rows if draw(world.seed, "has-page", self.name, r.index) % 10_000 < share)

    def stating(self, row: Row, col: str) -> tuple[int, ...]:
        """Return the numbers of the pages that state a cell."""
        return tuple(self._stated.get((row, col), ()))

    @cached_property
    def _stated(self) -> dict[tuple[Row, str], list[int]]:
        numbers: dict[tuple[Row, str], list[int]] = {}
        for n in self.numbers:
            places = {cell[:2] for cell in self.pages.page(f"{self.name}/{n}").cells}
            for place in places:
                numbers.setdefault(place, []).append(n)
        return numbers

    def _block(self, cells: tuple[Cell, ...], variant: int, links: Sequence[str]) -> Block:
        """Return the block that states a page's cells; bit 0 of its variant says that its subject is over."""
        return Block(f"written-{self.source.form}", cells, variant, tuple(links), self.name, len(cells) * PER_CELL)

    def _head(self, cells: tuple[Cell, ...], variant: int) -> Block:
        """Return what a hit may state."""
        return Block("head", cells, variant, (), self.name)

    def _imprint(self, chance: int, links: Sequence[str] = ()) -> Block:
        """Return the standing line at the end of a page."""
        return Block("imprint", (), byte(chance, 6), tuple(links), self.name, 80)

    def title(self, chance: int, head: Iterable[Cell], subject: Row | None) -> str:
        """Return one of the titles whose slots are all known at the head of a hit."""
        known = {(SUBJECT,), ("name",), ("scope",)}
        known |= {(cell.col,) for cell in head if cell.row == subject and cell.value is not None}
        fitting = [t for t in self.written.titles if all(path in known for path in t.paths)]
        return (fitting or self.written.titles)[chance % max(1, len(fitting or self.written.titles))].text


class AboutKind(WrittenKind):
    """Pages about one row each: page `n` is about row `n` of its table."""

    @cached_property
    def numbers(self) -> Collection[int]:
        """The rows that have such a page."""
        return dict.fromkeys(self.eligible)

    @cached_property
    def slugs(self) -> dict[int, str]:
        """The path of each page: the row's key, and letters without which it can't be guessed."""
        keys = [" ".join(self.pages.keys(Row(self.table, n))) for n in self.numbers]
        seed = self.pages.world.seed
        return {n: f"{s}-{tag(seed, self.name, n)[:4]}" for n, s in zip(self.numbers, slugs(keys), strict=True)}

    def path(self, n: int) -> str:
        """Return the page's section and the row's key."""
        return f"{self.name}/{self.slugs[n]}"

    def anchor(self, n: int) -> str:  # noqa: ARG002 - alike on all of its pages
        """Return what the page is about, without its name: that is a cell."""
        return f"{capital(self.form.singular)} page"

    @cached_property
    def shown(self) -> tuple[Path, ...]:
        """The paths that its pages state beside the key, as far as the structure has them."""
        schema = self.pages.world.schema
        return tuple(path for path in self.written.shown if present(schema, self.table, path))

    def own_cells(self, row: Row) -> tuple[Cell, ...]:
        """Return the key and the cells shown of the row, and of rows that it refers to."""
        world = self.pages.world
        cells = list(self.pages.cells(*row, self.form.key))
        for path in self.shown:
            here: Row | None = row
            for step in path[:-1]:
                assert here is not None
                cells.append(world.cell(here, step))
                here = world.follow(here, step)
                if here is None:
                    break
            else:
                assert here is not None
                cell = world.cell(here, path[-1])
                if cell.value is not None or self._tells_null(path):
                    cells.append(cell)
        return tuple(dict.fromkeys(cells))

    def _tells_null(self, path: Path) -> bool:
        """Tell whether a null would be told: in a table of labels, or by a sentence made for it."""
        return self.source.form in NULL_FORMS or path in self._told_nulls

    @cached_property
    def _told_nulls(self) -> frozenset[Path]:
        """What sentences state in words of their own."""
        return frozenset(p for s in self.voice.sentences(self.table, self.written.genre) for p in s.tell.states)

    def child_cells(self, row: Row) -> tuple[tuple[Cell, ...], ...]:
        """Return the cells of each row that refers to this one, in the order of the page."""
        out: list[tuple[Cell, ...]] = []
        world, nulls = self.pages.world, self.source.form in NULL_FORMS
        for table, ref, names in self._children:
            rows = [self.pages.cells(*child, names) for child in world.children(row, table, ref)]
            if len(rows) > 1:  # by what the page tells alone: an order that goes by more would tell more
                rows.sort(key=lambda own: (first_time(own), draw(world.seed, "child", self.name, *own[0].row)))
            out += rows if nulls else [tuple([c for c in cells if c.value is not None]) for cells in rows]
        return tuple(out)

    @cached_property
    def _children(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """The tables of rows that refer to the subject, their reference, and the columns told, as the structure is."""
        tables = self.pages.world.schema.tables
        return tuple(
            (
                table,
                ref,
                tuple(dict.fromkeys(n for n in (ref, *tables[table].key, *columns) if n in tables[table].names)),
            )
            for table, ref, columns in self.written.children
            if table in tables and ref in tables[table].names
        )

    def plan(self, n: int) -> Page:
        """Return the plan of the page about row `n`."""
        pages, page_id, row = self.pages, f"{self.name}/{n}", Row(self.table, n)
        chance = draw(pages.world.seed, "page", page_id)
        own, children = self.own_cells(row), self.child_cells(row)
        cells, tables = (*own, *chain.from_iterable(children)), pages.world.schema.tables
        key, heads = self.form.key, self._heads
        head = tuple(c for c in own if c.row == row and c.col in heads)
        aside = [some for some in children if tables[some[0].row.table].background][:HEAD_CHILDREN]
        variant = chance & NOT_OVER | is_over(pages.world, row)
        block = self._block(cells, variant, self._links(cells, page_id, mixed(chance)))
        return Page(
            id=page_id,
            kind=self.name,
            url=pages.url(page_id),
            title=self.title(byte(chance, 4), head, row),
            date=page_date(pages, chance, cells, row),
            subject=row,
            head=self._head((*head, *(c for some in aside for c in some)), variant),
            blocks=(block, self._imprint(chance)),
            table=self.table,
            topics=pages.words.topics(tuple((c.row.table, c.col) for c in own if c.row == row and c.col not in key)),
            look=PLAIN,
        )

    @cached_property
    def _heads(self) -> frozenset[str]:
        see = {c.name for c in self.form.columns if c.see == "snippet"}
        return frozenset((*self.form.key, *(see & {p[0] for p in self.shown if len(p) == 1}), *self.source.head))

    def _links(self, cells: Sequence[Cell], page_id: str, chance: int) -> tuple[str, ...]:
        links = self.pages.links(cells, page_id)
        start = chance % len(links) if links else 0
        return (links[start:] + links[:start])[:LINKED]


class SharedKind(WrittenKind):
    """Pages about the rows that share a value of a column, in parts."""

    @cached_property
    def parts(self) -> tuple[tuple[Value, tuple[int, ...], int], ...]:
        """The pages: the value, its rows in order, and which part it is."""
        groups: dict[Value, list[int]] = {}
        by, columns = self.source.by or "", self.pages.world.tables[self.table]
        for i in self.eligible:
            groups.setdefault(columns[by][i], []).append(i)
        sort = self.source.sort if self.source.sort in self.shown else None
        return tuple(
            (value, rows, place)
            for value in sorted(v for v in groups if v is not None)
            for place, rows in enumerate(split(ordered(self.pages.world, self.table, groups[value], sort), LISTED))
        )

    @cached_property
    def starts(self) -> dict[Value, int]:
        """The first page of each value's list."""
        return {value: n for n, (value, _, place) in enumerate(self.parts) if place == 0}

    @property
    def by(self) -> str:
        """The column whose value the rows of a page share."""
        return self.source.by or ""

    @property
    def numbers(self) -> range:
        """The parts of all lists."""
        return range(len(self.parts))

    def path(self, n: int) -> str:
        """Return letters that stand for scope and part."""
        value, _, place = self.parts[n]
        return f"{self.name}/{tag(self.pages.world.seed, self.name, value, place)}"

    def anchor(self, n: int) -> str:  # noqa: ARG002 - alike on all of its pages
        """Return what is listed, without the value that its rows share."""
        return capital(self.form.plural)

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """The columns stated of each row."""
        names = self.form.names
        return tuple(
            dict.fromkeys((self.source.by or "", *self.form.key, *(c for c in self.source.show if c in names)))
        )

    def cells(self, n: int) -> tuple[Cell, ...]:
        """Return the cells that page `n` states."""
        tabled = self.source.form == "table"
        kept = {self.source.by, *self.form.key}
        return tuple(
            cell
            for i in self.parts[n][1]
            for cell in self.pages.cells(self.table, i, self.shown)
            if tabled or cell.value is not None or cell.col in kept
        )

    def plan(self, n: int) -> Page:
        """Return the plan of part `n`."""
        pages, page_id, (_, rows, place) = self.pages, f"{self.name}/{n}", self.parts[n]
        chance = draw(pages.world.seed, "page", page_id)
        cells = self.cells(n)
        kept = {self.source.by, *self.form.key}
        heads = {Row(self.table, i) for i in rows[:HEAD_ROWS]}
        turns = [f"{self.name}/{m}" for m in (n - 1, n + 1) if 0 <= m < len(self.parts) and self._alike(m, n)]
        shared = tuple(c for c in cells if c.row in heads and c.col in kept)
        links = self.pages.links(cells, page_id)[: LINKED * 2]
        return Page(
            id=page_id,
            kind=self.name,
            url=pages.url(page_id),
            title=self.title(byte(chance, 4), shared, None),
            date=page_date(pages, chance, cells, None),
            subject=None,
            head=self._head(shared, byte(chance, 2)),
            blocks=(self._block(cells, chance & NOT_OVER, links), self._imprint(chance, turns)),
            rows=tuple(Row(self.table, i) for i in rows),
            table=self.table,
            scope=self.source.by or "",
            part=1 + place,
            topics=pages.words.topics(tuple((self.table, c) for c in self.shown if c not in kept)),
            look=PLAIN,
        )

    def _alike(self, m: int, n: int) -> bool:
        return self.parts[m][0] == self.parts[n][0]


def is_over(world: World, row: Row) -> bool:
    """Tell whether a row has ended by one of its columns, and is told of in the past."""
    return any(c.ends and world.value(row, c.name) is not None for c in world.schema.tables[row.table].columns)


def first_time(cells: Iterable[Cell]) -> str:
    """Return the first day or year of a row's cells, by which rows stand in order; "" where they hold none."""
    for value in (cell.value for cell in cells):
        if isinstance(value, int) and not isinstance(value, bool) and 1000 <= value < 3000:
            return str(value)
        if isinstance(value, str) and len(value) == 10 and value[4] == value[7] == "-" and value[:4].isdigit():
            return value
    return ""


def row_cells(pages: "Pages", row: Row, cells: Iterable[Cell], around: Rows | None = None) -> Cells:
    """Return the cells of a row by path, those of the rows it refers to among them, as far as they are at hand.

    Args:
        pages: the pages.
        row: the row.
        cells: the cells at hand.
        around: further ones by row and column, at hand for several rows.
    """
    rows = {**(around or {})}
    for here, own in by_row(cells).items():
        rows[here] = {**own, **rows.get(here, {})}
    out: dict[Path, Cell] = {}
    _reach(pages, rows, row, row, (), out)
    return out


def _reach(pages: "Pages", rows: Rows, row: Row, here: Row, before: Path, out: dict[Path, Cell]) -> None:
    """Add the cells that are reached from `row` by way of `before`, those of `here`."""
    targets = pages.words.targets[here.table] if len(before) < REACH else {}
    for name, cell in rows.get(here, {}).items():
        out[(*before, name)] = cell
        if name in targets and cell.value is not None:
            other = pages.world.find(targets[name], cell.value)
            if other is not None and other in rows and other != row:
                _reach(pages, rows, row, other, (*before, name), out)
