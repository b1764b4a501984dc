"""Background without a cell: the front page, how we work, a guide to each table."""

from functools import cached_property

from worldsmith.lang.page_phrases import PHRASES
from worldsmith.pages.lengths import planned
from worldsmith.pages.page_kind import Kind, byte, page_date
from worldsmith.pages.prose import mixed
from worldsmith.pages.types import DIRECTORY, Block, Page
from worldsmith.seeding import draw


class GuideKind(Kind):
    """Background: the front page, how we work, and a reader's guide to each table that has pages."""

    name = "world-guide"

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """The tables that have guides, in order."""
        return tuple(dict.fromkeys(s.table for s in self.pages.world.schema.pages))

    @property
    def numbers(self) -> range:
        """Two, and one for each table."""
        return range(2 + len(self.tables))

    def path(self, n: int) -> str:
        """Return the front page's empty path, or the table's name."""
        return ("", "how-we-work")[n] if n < 2 else f"guide/{self.tables[n - 2]}"

    def anchor(self, n: int) -> str:
        """Return the title."""
        words, turn = self.pages.words, self.pages.look(self.site).turn
        if n < 2:
            return words.pick("anchors", ("front", "work")[n], self.table(n), turn)
        return words.pick("anchors", "guide", self.table(n), turn)

    def table(self, n: int) -> str:
        """Return the table whose nouns page `n` uses."""
        return self.tables[max(n - 2, 0)]

    def paragraphs(self, n: int) -> tuple[str, ...]:
        """Return the text of page `n`: paragraphs of three sentences, another choice on each page."""
        groups = [PHRASES.guide[i : i + 3] for i in range(0, len(PHRASES.guide), 3)]
        # Only where each row has an entry may a guide say so.
        first = (0 if self.tables[n - 2] in self.pages.abouts else 1) if n >= 2 else 4 - 2 * n
        rest = [i for i in range(1, len(groups)) if i != first]
        picked = [first, rest[n % len(rest)], rest[(n + 1) % len(rest)]]
        return tuple(" ".join(self.pages.words.say(self.table(n), p) for p in groups[i]) for i in picked)

    def plan(self, n: int) -> Page:
        """Return the plan of page `n`."""
        pages, page_id = self.pages, f"{self.name}/{n}"
        chance = draw(pages.world.seed, "page", page_id)
        directories = tuple(f"{table}{DIRECTORY}/0" for table in pages.abouts)
        guides = tuple(f"{self.name}/{i}" for i in self.numbers if i != n)
        links = (*directories, *guides) if n == 0 else (*directories[: n and 1], f"{self.name}/0")
        if n >= 2:
            links = pages.chrome(self.tables[n - 2], page_id)
        return Page(
            id=page_id,
            kind=self.name,
            url=pages.url(page_id),
            title="What this site is about" if n == 0 else self.anchor(n),
            date=page_date(pages, chance, (), None),
            subject=None,
            head=Block("head", (), byte(chance, 2)),
            blocks=planned(
                pages,
                (
                    Block("guide", (), n),
                    Block("text", (), mixed(chance) >> 8),
                    Block("related", (), byte(chance, 1), links),
                ),
                (chance >> 40 & 0xFFFF) / 0xFFFF,
            ),
            table=self.table(n),
            look=pages.look(self.site),
        )
