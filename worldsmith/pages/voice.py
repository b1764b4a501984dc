"""The voice of a world: the sentences of its schema's bank that it can use, site by site, and the names it gives."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

from worldsmith.cache import cached_method, keep
from worldsmith.naming import Namer
from worldsmith.pages.sites import Site, site
from worldsmith.pages.value_forms import Style
from worldsmith.schema import Column, Path, Schema
from worldsmith.schema.patterns import SUBJECT, Bank, OneOf, Part, Pattern, SiteLook, Tell, Written
from worldsmith.seeding import draw
from worldsmith.world.model import Cell, World

MEMO: Final = 4096
"""Sets of cells whose sentences are kept: rows of one kind of page mostly have the same ones."""
USED: Final = 0.27
"""The share of a bank's sentences that a site uses."""
Cells = Mapping[Path, Cell]
"""The cells of a row that may be told, by their path from it."""


PathSet = int
"""A set of paths from the rows of a table, a bit for each: see `path_set`."""


@dataclass(frozen=True, eq=False, slots=True)
class Sentence:
    """A tell whose condition is compiled, with what it needs and states as sets of paths."""

    tell: Tell
    test: Callable[..., Any] | None
    reads: tuple[Path, ...]
    denied: tuple[Path, ...]
    """What it states in words of its own and its condition doesn't read: it can only be that there is none."""
    unspanned: tuple[Path, ...]
    """What it states in words of its own if a slot doesn't state all of that, else nothing."""
    exact: PathSet
    """What its slots state."""
    stated: PathSet
    """`Tell.stated`."""
    slots: PathSet
    """What its slots hold, in any form."""
    known: PathSet
    """What it states in words of its own, and what its condition reads."""
    place: int
    """`Tell.place`."""

    def of_genre(self, genre: str) -> bool:
        """Tell whether a genre may use it."""
        return not self.tell.genres or genre in self.tell.genres

    def names(self, key: PathSet) -> bool:
        """Tell whether it states a row's key."""
        return not key & ~self.exact

    def fillable(self, known: PathSet, valued: PathSet) -> bool:
        """Tell whether rows fill its slots of which some cells are known, and some of these hold a value."""
        return not (self.slots & ~valued or self.known & ~known)

    def holds(self, cells: Cells) -> bool:
        """Tell whether its condition is true of a row."""
        for path in self.denied:
            if cells[path].value not in {None, 0}:
                return False
        return self.test is None or self.test(*[cells[path].value for path in self.reads]) is True


Sentences = tuple[Sentence, ...]


class Voice:
    """The bank of a world's schema, without what the world's structure lacks."""

    def __init__(self, world: World, bank: Bank) -> None:
        self.world, self.bank, self.schema = world, bank, world.schema
        self._worded: dict[tuple[str, str], Pattern] = {}
        self._fillable: dict[tuple[str, str, str, PathSet, PathSet], tuple[Sentences, Sentences]] = {}

    @property
    def subject(self) -> str:
        """The name of what the world is about; "" where the schema names none."""
        return self.world.subject

    @cached_property
    def pages(self) -> dict[str, Written]:
        """The kinds of page that the world has, by name."""
        tables, switches = self.schema.tables, self.schema.switches
        return {
            page.name: page.formed(self.looks[page.source.site].form)
            for page in self.bank.pages
            if page.source.table in tables and (page.source.if_ is None or page.source.if_ in switches)
        }

    @cached_property
    def looks(self) -> dict[str, SiteLook]:
        """The sites as the world has them, by their name in the bank: one that tests have otherwise shows either."""
        return {
            name: source.held_out if source.held_out and draw(self.world.seed, "look", name) % 2 else source
            for name, source in self.bank.source.sites.items()
        }

    @property
    def sites(self) -> dict[str, Site]:
        """The sites by their name in the bank."""
        return self._sites[0]

    def style(self, host: str) -> Style:
        """Return how a site writes."""
        return self._sites[1].get(host) or Style()

    @cached_property
    def _sites(self) -> tuple[dict[str, Site], dict[str, Style]]:
        """The sites by their name in the bank, and their styles by host."""
        looks = self.looks
        taken = [
            str(v) for t in self.world.tables.values() for values in t.values() for v in values if isinstance(v, str)
        ]
        invented = Namer(self.world.seed, dict.fromkeys(taken)).names("press", len(looks), "sites")
        made: dict[str, Site] = {}
        styles: dict[str, Style] = {}
        for (name, source), press in zip(looks.items(), invented, strict=True):
            pattern = source.name[draw(self.world.seed, "site", name) % len(source.name)]
            made[name] = site(pattern.replace("{subject}", self.subject).replace("{press}", press))
            chance = draw(self.world.seed, "style", name)
            styles[made[name].host] = Style(
                source.dates[chance % len(source.dates)],
                source.numbers[(chance >> 8) % len(source.numbers)],
                source.labels[(chance >> 32) % len(source.labels)],
                source.order[(chance >> 40) % len(source.order)],
                chance >> 16 & 0xFFFF,
            )
        return made, styles

    def path_bits(self, table: str) -> Mapping[Path, PathSet]:
        """Return the bit of each path from rows of a table that sentences are about."""
        return self._of_table(table).bits

    @cached_method
    def sentences(self, table: str, genre: str) -> Sentences:
        """Return the sentences about rows of a table that a genre may use."""
        return tuple(s for s in self._of_table(table).sentences if s.of_genre(genre))

    @cached_method
    def _of_table(self, table: str) -> "TableSentences":
        return table_sentences(self.schema, table)

    def fillable(self, table: str, genre: str, host: str, cells: Cells) -> tuple[Sentences, Sentences]:
        """Return the sentences of a genre whose slots a row's cells fill: those that a site uses, and all of them."""
        bits = self.path_bits(table)
        known = path_set(bits, cells)
        valued = path_set(bits, [path for path, cell in cells.items() if cell.value is not None])
        key = (table, genre, host, known, valued)
        fillable = self._fillable.get(key)
        if fillable is None:
            every = tuple(s for s in self.sentences(table, genre) if s.fillable(known, valued))
            used = self._used_by(table, genre, host)
            fillable = keep(self._fillable, key, (tuple(s for s in every if s.place in used), every), MEMO)
        return fillable

    @cached_method
    def _used_by(self, table: str, genre: str, host: str) -> frozenset[int]:
        """Return the places of the sentences that a site uses."""
        seed, places = self.world.seed, [s.place for s in self.sentences(table, genre)]
        return frozenset(place for place in places if draw(seed, "uses", host, place) % 1000 < USED * 1000)

    def worded(self, pattern: Pattern, host: str) -> Pattern:
        """Return a pattern in the wording that a site keeps to; with all of its wordings where the site is ""."""
        if not pattern.varies:
            return pattern
        made = self._worded.get((pattern.text, host))
        if made is None:
            parts = (self._word(part, i, pattern.text, host) for i, part in enumerate(pattern.parts))
            made = self._worded[pattern.text, host] = Pattern(pattern.text, tuple(part for part in parts if part))
        return made

    def _word(self, part: Part, place: int, text: str, host: str) -> Part:
        if not isinstance(part, OneOf):
            return part
        if not host:
            return f"<{'|'.join(part.texts)}>"
        return part.texts[draw(self.world.seed, "word", host, text, place) % len(part.texts)]

    def label(self, column: Column, style: Style) -> str:
        """Return what a site calls a column, without its unit."""
        known = self.bank.words(column.table, column.name).aka or [column.label]
        return known[style.turn % len(known)]

    def units(self, column: Column) -> list[str]:
        """Return the ways to write a column's unit."""
        return self._units[column.table, column.name]

    @cached_property
    def _units(self) -> dict[tuple[str, str], list[str]]:
        return {
            (t.name, name): self.bank.words(t.name, name).unit for t in self.schema.tables.values() for name in t.names
        }


@dataclass(frozen=True, slots=True)
class TableSentences:
    """The sentences about rows of a table that a structure has, in order, and a bit for each path that they read."""

    bits: Mapping[Path, PathSet]
    sentences: Sentences


@lru_cache(maxsize=512)
def table_sentences(schema: Schema, table: str) -> TableSentences:
    """Return the sentences of a schema's bank about rows of a table, without those of columns that it lacks."""
    assert schema.bank is not None
    of_table = (tell for tell in schema.bank.tells if tell.of == table)
    tells = [tell for tell in of_table if all(present(schema, table, path) for path in tell.paths)]
    key = ((name,) for name in schema.tables[table].key)
    paths = dict.fromkeys((*key, *(path for tell in tells for path in tell.paths)))
    bits = {path: 1 << i for i, path in enumerate(paths)}
    return TableSentences(bits, tuple(_compiled(tell, bits) for tell in tells))


def path_set(bits: Mapping[Path, PathSet], paths: Iterable[Path]) -> PathSet:
    """Return a set of paths; those without a bit are left out."""
    out = 0
    for path in paths:
        out |= bits.get(path, 0)
    return out


def _compiled(tell: Tell, bits: Mapping[Path, PathSet]) -> Sentence:
    test, reads = tell.compiled
    slots = [path for path in tell.pattern.paths if path != (SUBJECT,)]
    return Sentence(
        tell,
        test,
        tuple(reads),
        denied=tuple(path for path in tell.states if path not in reads),
        unspanned=() if set(tell.states) <= set(tell.pattern.exact) else tell.states,
        exact=path_set(bits, tell.pattern.exact),
        stated=path_set(bits, tell.stated),
        slots=path_set(bits, slots),
        known=path_set(bits, (*tell.states, *reads)),
        place=tell.place,
    )


def present(schema: Schema, table: str, path: Path) -> bool:
    """Tell whether a structure has the column at the end of a path, or the subject that it names."""
    return path == (SUBJECT,) or schema.has(table, path)
