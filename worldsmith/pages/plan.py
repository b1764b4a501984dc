"""The pages of a world: which there are, at which URL, and the plan of each, made when asked for.

A plan is pure in (world, length, page id): of plans nothing is kept but a bounded memo.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from worldsmith.cache import cached_method, keep
from worldsmith.lang.english import ENGLISH
from worldsmith.lang.morphology import term
from worldsmith.lang.page_phrases import PHRASES, fill
from worldsmith.naming import Namer
from worldsmith.pages.dormant import ArchiveKind, MirrorKind, NamesakeKind, SyndicatedKind
from worldsmith.pages.earliest_days import Days
from worldsmith.pages.entity import EntityKind
from worldsmith.pages.genre_pages import GENRES, StoryKind
from worldsmith.pages.grammar import Phrasing
from worldsmith.pages.guide import GuideKind
from worldsmith.pages.lengths import Length
from worldsmith.pages.lists import DirectoryKind, ListKind
from worldsmith.pages.page_kind import Kind
from worldsmith.pages.prose import Prose
from worldsmith.pages.site_styles import Look, look
from worldsmith.pages.sites import Site, canonical, site
from worldsmith.pages.types import DIRECTORY, Block, Detour, Doc, Page, Piece, WrittenHit
from worldsmith.pages.voice import Voice
from worldsmith.pages.written import AboutKind, SharedKind
from worldsmith.schema import Choice, Faker, PageSpec, Pick, Schema, Value
from worldsmith.world.model import Cell, Row, World

RENDER = 7
"""Version of plans, their rendering and their ranking: certificates and stored texts name it."""
COPIES = 3
"""Sites of copies: archive, mirror, and what bears a row's name."""
AUTHORS = 16
"""How many people sign the pages of a world."""
START = 4
"""Letters of a value from which its start is no word of prose either."""
MEMO = 1024
"""Plans kept: all of a world of ordinary size, about 2 kB each."""


class Pages:
    """The page plans of `world`; `length` is "short" (median about 1,600 characters) or "web" (median 6,000).

    `without` names layouts and voices (`site_styles.STYLES`) that no site uses: what an agent is trained without.
    """

    def __init__(self, world: World, length: Length = "short", without: Collection[str] = ()) -> None:
        self.world, self.length, self.without = world, length, tuple(without)
        self.words = Phrasing(world.schema)
        self._memo: dict[str, Page] = {}
        self.hits: dict[tuple[str, str, Block], WrittenHit] = {}
        """Natural hits by page id, title and head (`renderer.snippets.written_hit`)."""
        self.documents: dict[int, tuple[Page, Doc]] = {}
        """Documents of natural pages by their plan's identity; the plan is held, so that no other can have it."""
        self.written: dict[tuple[Page, str], tuple[tuple[Block, tuple[Piece, ...]], ...]] = {}
        """The pieces of the last plain page by its plan and title (`renderer.document`)."""
        self.detours: dict[tuple[str, float, int], Detour] = {}
        """Lost pages by id, share and seed (`simulate.perturb.detours`)."""
        self._rows: dict[str, list[tuple[Cell, ...] | None]] = {t: [None] * world.size(t) for t in world.schema.tables}
        self._columns = {t.name: {name: i for i, name in enumerate(t.names)} for t in world.schema.tables.values()}

    @cached_property
    def voice(self) -> Voice | None:
        """The bank that the world's pages are written by; None where they are plain."""
        bank = self.world.schema.bank
        return Voice(self.world, bank) if bank else None

    @cached_property
    def specs(self) -> tuple[PageSpec, ...]:
        """The kinds of page that tell what a row's children are: the schema's, or those of its bank."""
        if not self.voice:
            return self.world.schema.pages
        return tuple(page.spec(self.world.schema) for page in self.voice.pages.values())

    @cached_property
    def days(self) -> Days:
        """From which days on pages may tell what they tell."""
        return Days(self.world)

    @cached_property
    def abouts(self) -> dict[str, tuple[str, ...]]:
        """The kinds of page about a row of each table that has any, the entity page's first."""
        kinds: dict[str, tuple[str, ...]] = {}
        specs = [(page.name, page.source.about) for page in self.voice.pages.values()] if self.voice else []
        for name, about in specs or [(spec.name, spec.about) for spec in self.world.schema.pages]:
            if about:
                kinds[about] = (*kinds.get(about, ()), name)
        return kinds

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """The sites: those of the bank, or of `[pages]`, directories, background and genres; and three for copies."""
        own = self.voice.sites.values() if self.voice else ()
        return (*own, *map(site, self._invented[0]))

    @property
    def authors(self) -> tuple[str, ...]:
        """Who signs pages: people who are in no table."""
        return self._invented[1]

    @cached_property
    def _invented(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of sites and of authors, told apart from all that the world holds and from each other."""
        namer = Namer(
            self.world.seed, (*self._texts, *(s.name for s in self.voice.sites.values())) if self.voice else self._texts
        )
        count = COPIES if self.voice else len(self.world.schema.pages) + 1 + len(GENRES) + COPIES
        sites = namer.names("press", count, "sites")
        return tuple(sites), tuple(namer.names("person", AUTHORS, "authors"))

    @cached_method
    def look(self, home: Site) -> Look:
        """Return the look of a site."""
        return look(home.host, self.world.seed, self.without)

    @cached_method
    def prose(self, table: str) -> Prose:
        """Return what makes sentences without a cell for the pages of a table."""
        form, schema = self.world.schema.tables[table], self.world.schema
        nouns = {"one": form.singular, "many": form.plural, "about": schema.about}
        measures = (c.label for c in form.columns if not c.key and c.type not in {"bool", "text"})
        labels = tuple(term(label) for label in measures if not any(map(str.isdigit, label)))
        return Prose(nouns, labels, self._claimed)

    @cached_property
    def _claimed(self) -> frozenset[str]:
        """Texts that would tell a value wherever they stand: options and items of lists, labels of truth values."""
        claimed: dict[str, None] = {}
        for table in self.world.schema.tables.values():
            for column in table.columns:
                if isinstance(column.fill, Choice | Pick | Faker):
                    values = self.world.tables[table.name][column.name]
                    options = column.fill.options if isinstance(column.fill, Choice) else ()
                    claimed |= dict.fromkeys(v.lower() for v in (*values, *options) if isinstance(v, str))
                if column.type == "bool":
                    claimed |= dict.fromkeys((column.label.lower(), column.says.lower()))
        # "survey, or" would be a surveyor: a name is looked for across gaps.
        starts = (word[:n] for word in claimed if word.isalpha() for n in range(START, len(word)))
        return frozenset((*claimed, *starts))

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        texts = [v for t in self.world.tables.values() for values in t.values() for v in values if isinstance(v, str)]
        return tuple(dict.fromkeys(text for text in texts if text[:1].isalpha()))

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """The kinds of page by name, in the order of their pages."""
        specs, sites = self.world.schema.pages, self.sites
        made: list[Kind] = []
        if self.voice:
            for page in self.voice.pages.values():
                kind = AboutKind if page.source.about else SharedKind
                made.append(kind(self, self.voice, page, self.voice.sites[page.source.site]))
            made += self._copies(sites[-COPIES:])
            return {made_kind.name: made_kind for made_kind in made}
        for spec, home in zip(specs, sites, strict=False):
            if spec.about:
                made.append(EntityKind(self, spec, home, first=self.abouts[spec.about][0] == spec.name))
            else:
                made.append(ListKind(self, spec, home))
        home, *others = sites[len(specs) :]
        made += [DirectoryKind(self, table, home) for table in self.abouts]
        made += [GuideKind(self, home)]
        made += [StoryKind(self, genre, place) for genre, place in zip(GENRES, others, strict=False)]
        made += self._copies(sites[-COPIES:])
        return {kind.name: kind for kind in made}

    def _copies(self, sites: Sequence[Site]) -> list[Kind]:
        return [ArchiveKind(self, sites[0]), MirrorKind(self, sites[1]), NamesakeKind(self, sites[2])]

    @cached_property
    def _syndicated(self) -> dict[str, Kind]:
        """The kinds of syndicated copies by name, on the mirrors' site: they are none of `ids`."""
        written = [kind for kind in self.kinds.values() if isinstance(kind, AboutKind | SharedKind)]
        made = [SyndicatedKind(self, kind, self.kinds[MirrorKind.name].site) for kind in written]
        return {kind.name: kind for kind in made}

    @cached_property
    def stories(self) -> dict[Row, tuple[str, ...]]:
        """The stories about each row that has any."""
        stories: dict[Row, tuple[str, ...]] = {}
        for kind in self.kinds.values():
            if isinstance(kind, StoryKind):
                for n, rows in enumerate(kind.picks):
                    stories[rows[0][0]] = (*stories.get(rows[0][0], ()), f"{kind.name}/{n}")
        return stories

    @cached_method
    def directory(self, table: str) -> tuple[int, ...]:
        """Return the rows of a table in the order of their keys."""
        columns, keys = self.world.tables[table], self.world.schema.tables[table].key
        return tuple(sorted(range(self.world.size(table)), key=lambda i: tuple(columns[n][i] for n in keys)))

    @cached_method
    def ids(self) -> tuple[str, ...]:
        """Return the ids of all pages in order, dormant ones included."""
        return tuple(f"{name}/{n}" for name, kind in self.kinds.items() for n in kind.numbers)

    @cached_property
    def distractors(self) -> tuple[str, ...]:
        """The ids of pages that may be put among hits: of background, in a natural world any of its bank."""
        names = tuple(self.voice.pages) if self.voice else ("world-guide",)
        return tuple(f"{name}/{n}" for name in names for n in self.kinds[name].numbers)

    def copies(self) -> tuple[str, ...]:
        """Return the ids of the syndicated copies of pages, which are not among `ids`: searches may put them in."""
        return tuple(f"{name}/{n}" for name, kind in self._syndicated.items() for n in kind.numbers)

    def page(self, page_id: str) -> Page:
        """Return the plan of a page; KeyError when there is none of that id."""
        return self._memo.get(page_id) or keep(self._memo, page_id, self.plan(page_id), MEMO)

    def plan(self, page_id: str) -> Page:
        """Return what `page` does, made anew and not kept: for whoever looks at every page once."""
        kind, n = self._place(page_id)
        return kind.plan(n)

    def _place(self, page_id: str) -> tuple[Kind, int]:
        name, _, number = page_id.rpartition("/")
        kind = self.kinds.get(name) or self._syndicated.get(name)
        if kind is None or not number.isdecimal() or int(number) not in kind.numbers:
            raise KeyError(page_id)
        return kind, int(number)

    @cached_property
    def _urls(self) -> dict[str, str]:
        return {canonical(self.url(page_id)) or "": page_id for page_id in (*self.ids(), *self.copies())}

    @cached_method
    def url(self, page_id: str) -> str:
        """Return the address of a page, without planning it."""
        kind, n = self._place(page_id)
        return kind.site.url(kind.path(n))

    def site(self, page_id: str) -> Site:
        """Return the site a page stands on."""
        return self._place(page_id)[0].site

    def by_url(self, url: str) -> str | None:
        """Return the id of the page at an address in any of its forms (`sites.canonical`); None for other addresses."""
        place = canonical(url)
        return self._urls.get(place) if place else None

    def about(self, row: Row) -> str | None:
        """Return the id of the entity page of a row."""
        return self._entries.get(row)

    @cached_property
    def _entries(self) -> dict[Row, str]:
        return {
            Row(table, n): f"{name}/{n}"
            for table, names in self.abouts.items()
            for name in reversed(names)
            for n in self.kinds[name].numbers
        }

    @cached_method
    def carrying(self, row: Row, col: str) -> tuple[str, ...]:
        """Return the ids of the pages whose blocks state a cell, the entity page first."""
        ids = [f"{name}/{n}" for name, kind in self.kinds.items() for n in kind.stating(row, col)]
        own = self.about(row)
        return tuple(sorted(ids, key=lambda page_id: page_id != own))

    def list_of(self, kind: str, value: Value) -> str | None:
        """Return the first page of a kind's list for a value."""
        listing = self.kinds[kind]
        start = listing.starts.get(value) if isinstance(listing, ListKind | SharedKind) else None
        return None if start is None else f"{kind}/{start}"

    def cells(self, table: str, index: int, names: Iterable[str]) -> tuple[Cell, ...]:
        """Return cells of a row by column; made once, shared by all plans."""
        made = self._rows[table][index]
        if made is None:
            row, columns = Row(table, index), self.world.tables[table]
            made = tuple(Cell(row, name, columns[name][index]) for name in self._columns[table])
            self._rows[table][index] = made
        places = self._columns[table]
        return tuple([made[places[name]] for name in names])

    def name(self, row: Row) -> str:
        """Return what a row is called in a sentence: its key, or "the review of … by …"."""
        return self.words.called(row.table, self.keys(row))

    def keys(self, row: Row) -> tuple[str, ...]:
        """Return the texts of a row's key."""
        return tuple(map(self.words.show, self.cells(*row, self.world.schema.tables[row.table].key)))

    def target(self, cell: Cell, here: str) -> str | None:
        """Return the page that the text of a cell leads to from page `here`.

        A key leads to the row's own page, a reference to the page of its row, a value that lists are made by
        to its list; None where that is `here` or nothing.
        """
        leads = self._leads.get((cell.row.table, cell.col))
        if leads is None or cell.value is None:
            return None
        own, ref, by = leads
        if own and (page_id := self.about(cell.row)) not in {None, here}:
            return page_id
        row = self.world.find(ref, cell.value) if ref else None
        if row is not None and (page_id := self.about(row)) not in {None, here}:
            return page_id
        page_id = self.list_of(by, cell.value) if by else None
        return None if page_id == here else page_id

    def links(self, cells: Iterable[Cell], here: str) -> tuple[str, ...]:
        """Return the pages that cells on page `here` lead to, each once."""
        return tuple(dict.fromkeys(target for cell in cells if (target := self.target(cell, here))))

    @cached_property
    def _leads(self) -> dict[tuple[str, str], tuple[bool, str | None, str | None]]:
        schema = self.world.schema
        lists = (
            [(page.source.list_, page.source.by, page.name) for page in self.voice.pages.values()] if self.voice else []
        )
        by = {
            (table, by): name
            for table, by, name in reversed(lists or [(s.list, s.by, s.name) for s in schema.pages])
            if table
        }
        leads_of = {place: (column.key, column.ref, by.get(place)) for place, column in self.words.columns.items()}
        return {place: leads for place, leads in leads_of.items() if any(leads)}

    def chrome(self, table: str, here: str) -> tuple[str, ...]:
        """Return the pages that every page about or of `table` links to: directory, guide, front page."""
        if self.voice:
            return ()
        # A directory's own parts lead to one another.
        listed = table in self.abouts and not here.startswith(f"{table}{DIRECTORY}/")
        directory = (f"{table}{DIRECTORY}/0",) if listed else ()
        guide = self.kinds["world-guide"]
        assert isinstance(guide, GuideKind)
        ids = (*directory, f"world-guide/{2 + guide.tables.index(table)}", "world-guide/0")
        return tuple(page_id for page_id in ids if page_id != here)

    def background(self, n: int) -> tuple[str, ...]:
        """Return the paragraphs of background page `n`: no cell."""
        guide = self.kinds["world-guide"]
        assert isinstance(guide, GuideKind)
        return guide.paragraphs(n)

    def anchor(self, page_id: str) -> str:
        """Return the text of a chrome link to a page: no cell."""
        kind, n = self._place(page_id)
        return kind.anchor(n)


def boilerplate(schema: Schema | None = None) -> tuple[str, ...]:
    """Return every phrase a page may hold without a cell; with a schema, filled with the nouns of its tables."""
    phrases = [p for field in PHRASES.__slots__ for p in getattr(PHRASES, field)] + [*ENGLISH.chrome]
    if schema is None:
        return tuple(dict.fromkeys(phrases))
    nouns = [(t.singular, t.plural) for t in schema.tables.values()] or [("", "")]
    return tuple(dict.fromkeys(fill(p, one, many, schema.about) for p in phrases for one, many in nouns))


def uncarried(schema: Schema) -> tuple[tuple[str, str], ...]:
    """Return the (table, column) pairs that no page kind of `schema` would state."""
    stated: set[tuple[str, str]] = set()
    linked = {(t.name, c.name) for t in schema.tables.values() for c in t.columns if c.see == "linked"}
    for spec in schema.pages:
        form = schema.tables[spec.table]
        shown = spec.show if spec.show or spec.list else form.names
        stated |= {(spec.table, n) for n in (*form.key, *shown, spec.by) if n} - linked
        for child in spec.children:
            key = schema.tables[child.table].key
            stated |= {(child.table, n) for n in (*key, *child.columns)} - linked | {(child.table, child.ref)}
    for table, name in linked:
        if any(spec.about == schema.column(table, name).ref for spec in schema.pages):
            stated.add((table, name))
    return tuple((t.name, c.name) for t in schema.tables.values() for c in t.columns if (t.name, c.name) not in stated)
