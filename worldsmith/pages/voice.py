"""The voice of a world: the sentences of its schema's bank that it can use, site by site, and the names it gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from worldsmith import expr
from worldsmith.cache import keep
from worldsmith.naming import Namer
from worldsmith.pages.sites import Site, site
from worldsmith.pages.value_forms import Style
from worldsmith.schema import Column, Path, Schema
from worldsmith.schema.patterns import SUBJECT, Bank, SiteLook, Tell, Written
from worldsmith.seeding import draw
from worldsmith.world.model import Cell, World

MEMO: Final = 4096
"""Sets of cells whose sentences are kept: rows of one kind of page mostly have the same ones."""
USED: Final = 0.27
"""The share of a bank's sentences that a site uses."""
Cells = Mapping[Path, Cell]
"""The cells of a row that may be told, by their path from it."""


@dataclass(frozen=True, eq=False)
class Sentence:
    """A tell whose condition is compiled."""

    tell: Tell
    test: Callable[..., Any] | None
    reads: tuple[Path, ...]

    @cached_property
    def _slots(self) -> tuple[Path, ...]:
        return tuple(path for path in self.tell.pattern.paths if path != (SUBJECT,))

    @cached_property
    def _known(self) -> tuple[Path, ...]:
        return (*self.tell.states, *self.reads)

    def names(self, key: frozenset[Path]) -> bool:
        """Tell whether it states a row's key."""
        return key.issubset(self.tell.pattern.exact)

    def fillable(self, known: frozenset[Path], valued: frozenset[Path]) -> bool:
        """Tell whether rows fill its slots of which some cells are known, and some of these hold a value."""
        return valued.issuperset(self._slots) and known.issuperset(self._known)

    @cached_property
    def _denied(self) -> tuple[Path, ...]:
        return tuple(path for path in self.tell.states if path not in self.reads)

    def holds(self, cells: Cells) -> bool:
        """Tell whether its condition is true of a row.

        What it states in words of its own and its condition doesn't read can only be that there is none.
        """
        for path in self._denied:
            if cells[path].value not in {None, 0}:
                return False
        return self.test is None or self.test(*[cells[path].value for path in self.reads]) is True

    def fits(self, cells: Cells) -> bool:
        """Tell whether a row's cells fill its slots, and its condition is known to hold."""
        valued = frozenset(path for path, cell in cells.items() if cell.value is not None)
        return self.fillable(frozenset(cells), valued) and self.holds(cells)


class Voice:
    """The bank of a world's schema, without what the world's structure lacks."""

    def __init__(self, world: World, bank: Bank) -> None:
        self.world, self.bank, self.schema = world, bank, world.schema
        self._sentences: dict[tuple[str, str], tuple[Sentence, ...]] = {}
        self._fillable: dict[tuple[str, str, frozenset[Path], frozenset[Path]], tuple[Sentence, ...]] = {}
        self._used: dict[tuple[str, str, str], frozenset[int]] = {}

    @cached_property
    def subject(self) -> str:
        """The name of what the world is about; "" where the schema names none."""
        source = self.bank.source.subject
        return str(self.world.values[source.values][0]) if source else ""

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

    def sentences(self, table: str, genre: str) -> tuple[Sentence, ...]:
        """Return the sentences about rows of a table that a genre may use."""
        made = self._sentences.get((table, genre))
        if made is None:
            made = self._sentences[table, genre] = tuple(
                _compiled(tell)
                for tell in self.bank.tells
                if tell.of == table and (not tell.genres or genre in tell.genres) and self._present(tell)
            )
        return made

    def fitting(self, table: str, genre: str, cells: Cells) -> list[Sentence]:
        """Return the sentences of a genre that can be told of a row by some of its cells."""
        known = frozenset(cells)
        valued = frozenset([path for path, cell in cells.items() if cell.value is not None])
        key = (table, genre, known, valued)
        fillable = self._fillable.get(key)
        if fillable is None:
            every = self.sentences(table, genre)
            fillable = keep(self._fillable, key, tuple(s for s in every if s.fillable(known, valued)), MEMO)
        return [sentence for sentence in fillable if sentence.holds(cells)]

    def used(self, table: str, genre: str, host: str) -> frozenset[int]:
        """Return the places of those that a site uses."""
        key = (table, genre, host)
        made = self._used.get(key)
        if made is None:
            every = self.sentences(table, genre)
            made = self._used[key] = frozenset(
                s.tell.place for s in every if draw(self.world.seed, "uses", host, s.tell.place) % 1000 < USED * 1000
            )
        return made

    def _present(self, tell: Tell) -> bool:
        read = expr.paths(tell.when) if tell.when is not None else ()
        return all(present(self.schema, tell.of, path) for path in (*tell.pattern.paths, *tell.states, *read))

    def label(self, column: Column, style: Style) -> str:
        """Return what a site calls a column, without its unit."""
        known = self.bank.words(column.table, column.name).aka or [column.label]
        return known[style.turn % len(known)]

    def units(self, column: Column) -> list[str]:
        """Return the ways to write a column's unit."""
        return self.bank.words(column.table, column.name).unit


def _compiled(tell: Tell) -> Sentence:
    test, reads = expr.compile_python(tell.when) if tell.when is not None else (None, ())
    return Sentence(tell, test, tuple(reads))


def present(schema: Schema, table: str, path: Path) -> bool:
    """Tell whether a structure has the column at the end of a path."""
    here = table
    for step in path:
        if step == SUBJECT and len(path) == 1:
            return True
        if here not in schema.tables or step not in schema.tables[here].names:
            return False
        here = schema.column(here, step).ref or ""
    return True
