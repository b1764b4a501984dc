"""Pages that no schema declares: news of one fact each, and background without a cell."""

from functools import cached_property
from typing import TYPE_CHECKING

from worldsmith.pages.grammar import lower
from worldsmith.pages.kinds import byte, page_date
from worldsmith.pages.sites import Site, slug, tag
from worldsmith.pages.titles import NAME
from worldsmith.pages.types import Block, Page
from worldsmith.seeding import draw
from worldsmith.world import Row

if TYPE_CHECKING:
    from worldsmith.pages.plan import Pages

NEWS = 12
"""News pages a world."""


class NewsKind:
    """One fact of one row a page, in a few sentences."""

    def __init__(self, pages: "Pages", site: Site) -> None:
        self.pages, self.site, self.name = pages, site, "world-news"

    @cached_property
    def picks(self) -> tuple[tuple[Row, str], ...]:
        """The fact of each page."""
        pages, tables = self.pages, tuple(self.pages.abouts)
        found: dict[tuple[Row, str], None] = {}
        for i in range(NEWS if tables else 0):
            chance = draw(pages.world.seed, "news", i)
            table = tables[chance % len(tables)]
            form, plans = pages.world.schema.tables[table], pages.words.plans
            columns = [c.name for c in form.columns if not c.key and c.see != "linked" and plans[table, c.name]]
            size = pages.world.size(table)
            if columns and size:
                row, col = Row(table, (chance >> 16) % size), columns[(chance >> 40) % len(columns)]
                if pages.world.value(row, col) is not None:
                    found[row, col] = None
        return tuple(found)

    @property
    def numbers(self) -> range:
        """One page a fact picked."""
        return range(len(self.picks))

    def path(self, n: int) -> str:
        """Return the row's key and letters."""
        row, col = self.picks[n]
        return f"{slug(' '.join(self.pages.keys(row)))}-{tag(self.pages.world.seed, col)}"

    def anchor(self, n: int) -> str:  # noqa: ARG002 - one protocol for all kinds
        """Return "In brief"."""
        return "In brief"

    def plan(self, n: int) -> Page:
        """Return the plan of page `n`."""
        pages, (row, col) = self.pages, self.picks[n]
        page_id = f"{self.name}/{n}"
        chance = draw(pages.world.seed, "page", page_id)
        keys = pages.cells(*row, pages.world.schema.tables[row.table].key)
        (fact,), column = pages.cells(*row, (col,)), pages.words.columns[row.table, col]
        seen = (fact,) if column.see == "snippet" else ()
        target = pages.target(fact, page_id)
        return Page(
            id=page_id,
            kind=self.name,
            url=self.site.url(self.path(n)),
            title=f"{NAME} in brief: {lower(column.label)}",
            date=page_date(pages, chance, (fact,), row),
            subject=row,
            head=Block("head", (*keys, *seen), byte(chance, 2)),
            blocks=(
                Block("news", (*keys, fact), byte(chance, 1), (target,) if target else ()),
                Block("related", (), 0, (pages.about(row) or "", *pages.chrome(row.table, page_id))),
            ),
            table=row.table,
        )

    def stating(self, row: Row, col: str) -> tuple[int, ...]:
        """Return the pages whose fact it is, or whose row it names."""
        keys = self.pages.world.schema.tables[row.table].key
        return tuple(n for n, (r, c) in enumerate(self.picks) if r == row and (c == col or col in keys))


class GuideKind:
    """Background: the front page, how we work, and a reader's guide to each table that has pages."""

    def __init__(self, pages: "Pages", site: Site) -> None:
        self.pages, self.site, self.name = pages, site, "world-guide"
        self.tables = tuple(dict.fromkeys(s.table for s in pages.world.schema.pages))

    @property
    def numbers(self) -> range:
        """Two, and one a table."""
        return range(2 + len(self.tables))

    def path(self, n: int) -> str:
        """Return the front page's empty path, or the table's name."""
        return ("", "how-we-work")[n] if n < 2 else f"guide/{self.tables[n - 2]}"

    def anchor(self, n: int) -> str:
        """Return the title."""
        if n < 2:
            return ("Front page", "How we work")[n]
        return self.pages.words.say(self.tables[n - 2], "A reader's guide to {many}")

    def table(self, n: int) -> str:
        """Return the table whose nouns page `n` uses."""
        return self.tables[max(n - 2, 0)]

    def paragraphs(self, n: int) -> tuple[str, ...]:
        """Return the text of page `n`: paragraphs of three sentences, a different choice a page."""
        phrases = self.pages.words.phrases.guide
        groups = [phrases[i : i + 3] for i in range(0, len(phrases), 3)]
        # Only where each row has an entry may a guide say so.
        first = (0 if self.tables[n - 2] in self.pages.abouts else 1) if n >= 2 else 4 - 2 * n
        rest = [i for i in range(1, len(groups)) if i != first]
        picked = [first, rest[n % len(rest)], rest[(n + 1) % len(rest)]]
        return tuple(" ".join(self.pages.words.say(self.table(n), p) for p in groups[i]) for i in picked)

    def plan(self, n: int) -> Page:
        """Return the plan of page `n`."""
        pages, page_id = self.pages, f"{self.name}/{n}"
        chance = draw(pages.world.seed, "page", page_id)
        directories = tuple(f"{table}-directory/0" for table in pages.abouts)
        guides = tuple(f"{self.name}/{i}" for i in self.numbers if i != n)
        links = (*directories, *guides) if n == 0 else (*directories[: n and 1], f"{self.name}/0")
        if n >= 2:
            links = pages.chrome(self.tables[n - 2], page_id)
        return Page(
            id=page_id,
            kind=self.name,
            url=self.site.url(self.path(n)),
            title="What this site is about" if n == 0 else self.anchor(n),
            date=page_date(pages, chance, (), None),
            subject=None,
            head=Block("head", (), byte(chance, 2)),
            blocks=(Block("guide", (), n), Block("related", (), 0, links)),
            table=self.table(n),
        )

    def stating(self, row: Row, col: str) -> tuple[int, ...]:  # noqa: ARG002 - one protocol for all kinds
        """Return nothing: these pages have no cells."""
        return ()
