"""Pages about one row each: an entity page, or the further pages that a schema puts beside it (results, sheets)."""

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING

from worldsmith.lang.page_phrases import PHRASES, capital
from worldsmith.pages.lengths import planned
from worldsmith.pages.page_kind import TITLE, Kind, byte, page_date, quantile
from worldsmith.pages.prose import mixed
from worldsmith.pages.site_styles import Look
from worldsmith.pages.sites import Site, slugs
from worldsmith.pages.titles import NAME
from worldsmith.pages.types import Block, Page, Topics
from worldsmith.schema import ChildCells, PageSpec
from worldsmith.seeding import draw
from worldsmith.world.model import Cell, Row

if TYPE_CHECKING:
    from worldsmith.pages.plan import Pages

PROSE = 6
"""Cells that the running text of a short page tells again."""
BESIDE = 3
"""Rows before and after it, in the order of the directory, that a long page links to."""
FURTHER = ("lead", "infobox", "children", "text", "related")
"""Parts of a further page about a row."""


class EntityKind(Kind):
    """The pages of an `about` entry of `[pages]`: page `n` is about row `n` of its table."""

    def __init__(self, pages: "Pages", spec: PageSpec, site: Site, *, first: bool) -> None:
        super().__init__(pages, site)
        self.spec, self.first = spec, first
        self.name, self.table = spec.name, spec.table
        self.form = pages.world.schema.tables[self.table]
        shown = spec.show or self.form.names
        linked = {c.name for c in self.form.columns if c.see == "linked"}
        self.visible = tuple(n for n in self.form.names if n in self.form.key or (n in shown and n not in linked))
        self.heads = tuple(n for n in self.visible if n in self.form.key or self.form.column(n).see == "snippet")

    @cached_property
    def numbers(self) -> Collection[int]:
        """A page for each row; a further page only where it says what the row's entry does not."""
        rows = range(self.pages.world.size(self.table))
        entry = self.pages.kinds[self.pages.abouts[self.table][0]]
        assert isinstance(entry, EntityKind)
        if self.first or not self.spec.children or not set(self.visible) <= set(entry.visible):
            return rows
        children = self.pages.world.children
        return dict.fromkeys(
            n for n in rows if any(children(Row(self.table, n), w.table, w.ref) for w in self.spec.children)
        )

    @cached_property
    def slugs(self) -> tuple[str, ...]:
        """The path of each page: the row's key."""
        return slugs(" ".join(self.pages.keys(row)) for row in self.pages.world.rows_of(self.table))

    @cached_property
    def back(self) -> tuple[tuple[str, str], ...]:
        """Columns stated on the page they refer to and nowhere else: (table, column)."""
        stated = {(w.table, w.ref) for w in self.spec.children}
        columns = self.pages.words.columns.values() if self.first else ()
        linked = [(c.table, c.name) for c in columns if c.see == "linked" and c.ref == self.table]
        return tuple(place for place in linked if place not in stated)

    @cached_property
    def tellable(self) -> tuple[str, ...]:
        """Columns that the running text can tell."""
        plans = self.pages.words.plans
        return tuple(n for n in self.visible if n not in self.form.key and plans[self.table, n])

    @cached_property
    def leads(self) -> tuple[str, ...]:
        """Columns for the opening sentence: the first reference and the first date that fit one."""
        kinds = {n: self.pages.words.plans[self.table, n][0].kind for n in self.tellable}
        return tuple(next((n for n in self.tellable if kinds[n] == kind), "") for kind in ("is", "was"))

    @cached_property
    def topics(self) -> Topics:
        """Own columns, then those of child rows."""
        children = tuple((w.table, c) for w in self.spec.children for c in w.columns)
        return self.pages.words.topics((*((self.table, n) for n in self.visible), *children))

    @cached_property
    def lists(self) -> tuple[str, ...]:
        """The list kinds whose scope refers to this table."""
        schema = self.pages.world.schema
        return tuple(s.name for s in schema.pages if s.list and schema.column(s.list, s.by or "").ref == self.table)

    def path(self, n: int) -> str:
        """Return the key as a path."""
        return self.slugs[n]

    def anchor(self, n: int) -> str:  # noqa: ARG002 - alike on all of its pages
        """Return the noun of what the page holds: the entry itself, or the children of a further page."""
        words = self.pages.words
        if self.first or not self.spec.children:
            return words.say(self.table, "{One} entry" if self.first else capital(self.spec.name))
        return " & ".join(words.say(w.table, "{Many}") for w in self.spec.children)

    def plan(self, n: int) -> Page:
        """Return the plan of the page about row `n`."""
        pages, page_id = self.pages, f"{self.name}/{n}"
        chance = draw(pages.world.seed, "page", page_id)
        own = dict(zip(self.visible, pages.cells(self.table, n, self.visible), strict=True))
        row = own[self.form.key[0]].row
        blocks = planned(pages, self._blocks(page_id, own, row, chance), (chance >> 40 & 0xFFFF) / 0xFFFF)
        stated = tuple(cell for block in blocks for cell in block.cells)
        return Page(
            id=page_id,
            kind=self.name,
            url=pages.url(page_id),
            title=self._title(row, chance),
            date=page_date(pages, chance, stated, row),
            subject=row,
            head=Block("head", tuple(own[name] for name in self.heads), byte(chance, 2)),
            blocks=blocks,
            table=self.table,
            purpose="" if self.first else self.anchor(n).lower(),
            topics=self.topics,
            look=self.look,
        )

    @cached_property
    def look(self) -> Look:
        """The look of its site."""
        return self.pages.look(self.site)

    def _blocks(self, page_id: str, own: dict[str, Cell], row: Row, chance: int) -> list[Block]:
        """Return the blocks in the order of the site's layout."""
        blocks_by_part = self._own_blocks(page_id, own, chance)
        blocks_by_part["children"] = self._child_blocks(page_id, row)
        blocks_by_part["related"] = [Block("related", (), byte(chance, 1), self._related(row, page_id))]
        blocks: list[Block] = [Block("byline", (), byte(chance, 3))] if self.first and self.look.layout.signed else []
        more = mixed(chance)
        for i, part in enumerate(self.look.layout.entity if self.first else FURTHER):
            if part in {"text", "comments"}:
                blocks.append(Block(part, (), mixed(more + i) >> 8))
            elif part == "neighbours":
                blocks += self._directory_neighbour_blocks(row)
            else:
                blocks += blocks_by_part.get(part, ())
        return blocks

    @cached_property
    def order(self) -> tuple[dict[int, int], tuple[int, ...]]:
        """The place of each row in the order of the directory, and the rows in that order."""
        rows = self.pages.directory(self.table)
        return {row: place for place, row in enumerate(rows)}, rows

    def _beside(self, n: int) -> tuple[int, ...]:
        """Return the rows next to row `n` in the directory that its page links to; none on a short page."""
        if not self.first or self.pages.length == "short" or "neighbours" not in self.look.layout.entity:
            return ()
        places, rows = self.order
        at = places[n]
        return (*rows[max(0, at - BESIDE) : at], *rows[at + 1 : at + 1 + BESIDE])

    def _directory_neighbour_blocks(self, row: Row) -> list[Block]:
        beside = self._beside(row.index)
        cells = tuple(cell for i in beside for cell in self.pages.cells(self.table, i, self.form.key))
        links = tuple(f"{self.name}/{i}" for i in beside)
        return [Block("neighbours", cells, 0, links)] if cells else []

    def _own_blocks(self, page_id: str, own: dict[str, Cell], chance: int) -> dict[str, list[Block]]:
        keys = tuple(own[name] for name in self.form.key)
        lead = tuple(own[n] for n in self.leads if n and own[n].value is not None)
        tellable = [n for n in self.tellable if n not in self.leads and own[n].value is not None]
        if len(tellable) > PROSE and self.pages.length == "short":
            start = byte(chance, 4) % len(tellable)
            picked = {tellable[(start + i) % len(tellable)] for i in range(PROSE)}
            tellable = [n for n in tellable if n in picked]
        prose = tuple(own[n] for n in tellable)
        cells = tuple(own.values())
        blocks = {"lead": [Block("lead", (*keys, *lead), byte(chance, 5), self.pages.links(lead, page_id))]}
        if not self.first:
            blocks["lead"] = [Block("lead", keys, byte(chance, 5), self.pages.links(keys, page_id))]
        if len(self.visible) > len(self.form.key):
            blocks["infobox"] = [Block("infobox", cells, byte(chance, 6), self.pages.links(cells, page_id))]
        if prose and self.first:
            blocks["prose"] = [Block("prose", (*keys, *prose), byte(chance, 7), self.pages.links(prose, page_id))]
        return blocks

    def _child_blocks(self, page_id: str, row: Row) -> list[Block]:
        made = [self._children(page_id, row, child) for child in self.spec.children]
        made += [self._children(page_id, row, ChildCells(table, ref, ()), "linked") for table, ref in self.back]
        return [block for block in made if block.cells]

    def _children(self, page_id: str, row: Row, child: ChildCells, kind: str = "children") -> Block:
        form, pages = self.pages.world.schema.tables[child.table], self.pages
        linked = {c.name for c in form.columns if c.see == "linked"}
        names = tuple(dict.fromkeys((child.ref, *form.key, *(c for c in child.columns if c not in linked))))
        rows = pages.world.children(row, child.table, child.ref)
        cells = tuple(cell for r in rows for cell in pages.cells(child.table, r.index, names))
        return Block(kind, cells, 0, self.pages.links(cells, page_id), child.ref)

    def _related(self, row: Row, page_id: str) -> tuple[str, ...]:
        pages = self.pages
        kinds = [kind for kind in pages.abouts.get(self.table, ()) if kind != self.name]
        others = [f"{kind}/{row.index}" for kind in kinds if row.index in pages.kinds[kind].numbers]
        key = pages.world.value(row, self.form.key[0]) if len(self.form.key) == 1 else None
        lists = [pages.list_of(kind, key) for kind in self.lists] if key is not None else []
        stories = pages.stories.get(row, ()) if self.first else ()
        return (*others, *(page for page in lists if page), *stories, *pages.chrome(self.table, page_id))

    def _title(self, row: Row, chance: int) -> str:
        if not self.first:
            return f"{NAME}: {self.anchor(row.index).lower()}"
        name = self.pages.name(row).removeprefix("the ")
        room = quantile(TITLE, byte(chance, 3) / 255) - len(name) - 2
        room -= len(self.site.name) + 3 if byte(chance, 2) & 1 else 0
        if room < 6:
            return NAME
        tagline = min(PHRASES.taglines, key=lambda t: (abs(len(t) - room), t))
        return f"{NAME}: {tagline}"

    def stating(self, row: Row, col: str) -> tuple[int, ...]:
        """Return the page about the row, and that of the row it refers to, where they state the cell."""
        own = row.table == self.table and col in self.visible and row.index in self.numbers
        numbers = [row.index] if own else []
        if row.table == self.table and col in self.form.key:
            numbers += self._beside(row.index)
        for child in self.spec.children:
            if child.table == row.table:
                numbers += self._stating_child(row, col, child)
        for table, ref in self.back:
            if table == row.table:
                numbers += self._stating_child(row, col, ChildCells(table, ref, ()))
        return tuple(dict.fromkeys(numbers))

    def _stating_child(self, row: Row, col: str, child: ChildCells) -> list[int]:
        form = self.pages.world.schema.tables[child.table]
        named = col == child.ref or col in form.key or (col in child.columns and form.column(col).see != "linked")
        parent = self.pages.world.follow(row, child.ref) if named else None
        return [parent.index] if parent else []
