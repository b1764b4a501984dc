"""What an index is made of: the terms of what hits tell, in arrays that are small and can be kept in a file.

A ranking must not tell what a page was not opened for. So all that is matched word by word, and all that quotes,
minus and `site:` are tested on, is what a hit tells under every profile: names, titles, labels, a list's scope. Other
values are known whole alone, one number and one text a query, and only where a guess is worth little: those that cost
more to guess than to read (`guessable`), and names in company, where a guess can't tell a value from seven others
(`companies`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b

import numpy as np

from worldsmith.pages import Page, Pages
from worldsmith.pages.index.bm25 import BM25
from worldsmith.pages.index.terms import terms, tokens
from worldsmith.pages.renderer import render
from worldsmith.pages.renderer.emit import plain_piece
from worldsmith.pages.titles import heading
from worldsmith.schema import Rank, Value
from worldsmith.seeding import draw
from worldsmith.world.model import Cell, Row

DISTINCT = 0.9
"""Different values among those of a column that make it costly to guess: of n even draws so many differ where about
five times n values are possible (where as many as n are possible, 0.63)."""
POSSIBLE = 2000
"""Values that a column must seem to have, from its least to its greatest by its step: a guess seldom hits one."""
COMPANY = 8
"""Values of a column that are one to the index: who finds a row by one of them knows it for one in eight."""
TITLE = 3
"""How often the title of a natural page counts."""
DECIMALS = 6
"""Digits after the point by which a step between values is told."""


@dataclass(frozen=True, slots=True)
class Stock:
    """The documents of an index in the order of their page ids, and the terms in them.

    `starts`, `indptr`, `indices`, `scores` are what bm25s makes of them: of term `t` the documents
    `indices[indptr[t] : indptr[t + 1]]` and what it adds to each.
    """

    ids: tuple[str, ...]
    words: tuple[str, ...]
    """The terms; a term is known by its place."""
    hosts: tuple[str, ...]
    host: np.ndarray
    """Of each document the place of its host."""
    table: np.ndarray
    """Of each document the place of the table whose nouns it uses; one round further where it is about no one row; two
    where it is a directory."""
    day: np.ndarray
    """The day it claims as an ordinal, 0 for none."""
    live: np.ndarray
    """Whether it can be found without an edit that reveals it."""
    text: np.ndarray
    """The fields of all documents one after the other, each once and closed by the number of terms."""
    starts: np.ndarray
    """Where each document starts in `text`."""
    indptr: np.ndarray
    indices: np.ndarray
    scores: np.ndarray
    told: np.ndarray
    """Hashes of the values that may be guessed, in order; as often as there are documents of a value."""
    telling: np.ndarray
    """The document of each."""
    lengths: np.ndarray
    """Of how many terms such values are, longest first."""
    openers: np.ndarray
    """The terms of hits that such a value starts with."""


ARRAYS = (
    "host",
    "table",
    "day",
    "live",
    "text",
    "starts",
    "indptr",
    "indices",
    "scores",
    "told",
    "telling",
    "lengths",
    "openers",
)
"""The fields of a stock that are arrays."""


def mark(said: Sequence[str]) -> int:
    """Return what a value is known by: a hash of its terms."""
    return int.from_bytes(blake2b(" ".join(said).encode(), digest_size=8).digest(), "little")


def take_stock(pages: Pages) -> Stock:
    """Return the stock of all pages, dormant ones included."""
    vocabulary: dict[str, int] = {}
    fields: list[list[tuple[int, ...]]] = []
    values: list[tuple[tuple[str, ...], int]] = []
    held: dict[tuple[str, str], dict[Value, list[int]]] = {
        place: {} for place in (() if pages.voice else companies(pages))
    }
    hosts: dict[str, int] = {}
    tables = {name: i for i, name in enumerate(pages.world.schema.tables)}
    known, fielder = (frozenset() if pages.voice else guessable(pages)), Fielder(pages)
    host, table, day, live = [], [], [], []
    ids = tuple(sorted(pages.ids()))
    for i, page_id in enumerate(ids):
        page = pages.page(page_id)
        cells = page.cells
        said = fielder.fields(page, cells)
        fields.append([tuple([vocabulary.setdefault(t, len(vocabulary)) for t in field]) for field in said])
        for cell in _own(page, cells):
            place = (cell.row.table, cell.col)
            if place in known:
                values.append((tuple(tokens(pages.words.show(cell))), i))
            elif place in held:
                held[place].setdefault(cell.value, []).append(i)
        host.append(hosts.setdefault(pages.site(page_id).host, len(hosts)))
        table.append(tables.get(page.table, 0) + len(tables) * _breadth(page))
        day.append(date.fromisoformat(page.date).toordinal() if page.date else 0)
        live.append(not page.dormant)
    end = len(vocabulary)
    values = [(said, i) for said, i in values if said and said[0] not in vocabulary]
    values += (known for place in held for known in _in_company(pages, place, held[place]))
    values = [(said, i) for said, i in values if 0 < len(said) < 256]
    marks = sorted((mark(said), i) for said, i in values)
    text, starts = _text(fields, end)
    return Stock(
        ids,
        tuple(vocabulary),
        tuple(hosts),
        np.array(host, dtype="uint8" if len(hosts) < 256 else "uint16"),
        np.array(table, dtype="uint8" if len(tables) < 85 else "uint16"),
        np.array(day, dtype="int32"),
        np.array(live, dtype="bool"),
        text,
        starts,
        *_scored(fields, vocabulary),
        np.array([m for m, _ in marks], dtype="uint64"),
        np.array([i for _, i in marks], dtype="uint16" if len(host) < 65536 else "uint32"),
        np.array(sorted({len(said) for said, _ in values}, reverse=True), dtype="uint8"),
        np.array(sorted({vocabulary[said[0]] for said, _ in values if said[0] in vocabulary}), dtype="uint32"),
    )


def _breadth(page: Page) -> int:
    """Return 0 for a page about a row, 1 for one about several or none, 2 for a directory."""
    return 0 if page.subject is not None else 2 if page.directory else 1


def _scored(
    fields: list[list[tuple[int, ...]]], vocabulary: dict[str, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what bm25s makes of the documents."""
    made = BM25(k1=1.2, b=0.3, method="lucene")
    documents = [[term for field in page for term in field] for page in fields]
    made.index((documents, vocabulary), create_empty_token=False, show_progress=False)
    small = "uint16" if len(fields) < 65536 else "uint32"
    found = made.scores
    return found["indptr"].astype("uint32"), found["indices"].astype(small), found["data"].astype("float32")


def _text(documents: Sequence[Sequence[tuple[int, ...]]], end: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the fields of all documents, each once, and where documents start: what makes a phrase cost little."""
    text: list[int] = []
    starts = []
    for fields in documents:
        starts.append(len(text))
        for field in dict.fromkeys(fields):
            text += (*field, end)
    return np.array(text, dtype=np.min_scalar_type(end)), np.array(starts, dtype="uint32")


def rarity(frequency: np.ndarray, documents: int) -> np.ndarray:
    """Return what a term is worth by the number of documents that hold it: BM25's idf as Lucene has it."""
    return np.asarray(np.log(1 + (documents - frequency + 0.5) / (frequency + 0.5)), dtype="float64")


class Fielder:
    """The terms of what hits tell, page by page."""

    def __init__(self, pages: Pages) -> None:
        self.pages, self.words = pages, pages.words
        keys = {t.name: t.key for t in pages.world.schema.tables.values()}
        own = {kinds[0] for table, kinds in pages.abouts.items() if len(keys[table]) == 1}
        self._weights = {name: 8 if name in own else 3 for name in pages.kinds}

    def fields(self, page: Page, cells: tuple[Cell, ...]) -> list[Sequence[str]]:
        """Return the terms of what a hit tells, by field: names and titles weigh more, each label counts once."""
        if self.pages.voice:
            return self._text_fields(page)
        weight = self._weights.get(page.kind, 2)
        found: list[Sequence[str]] = [terms(heading(page, cells, self.words))]
        if page.subject:
            found += [terms(" ".join(self.pages.keys(page.subject)))] * weight
        else:
            found *= weight - (page.part > 1)
            # A list's names would tell whose value its scope is; elsewhere those stand in the head that hits show.
            found += [terms(self.words.show(cell)) for cell in self._names(page, cells)]
        found += [terms(text) for place in self._labelled(page, cells) for text in self._label(place)]
        if page.subject or page.rows:
            found += [terms(self.words.schema.tables[page.table].singular)] * 2
        background = [block.variant for block in page.blocks if block.kind == "guide"]
        return found + [terms(text) for n in background for text in self.pages.background(n)]

    def _text_fields(self, page: Page) -> list[Sequence[str]]:
        """Return the terms of all that a natural page says: evidence is judged by cell, so nothing is kept back."""
        doc = render(page, self.pages.world, self.pages)
        lines = (line for piece in doc.pieces for line in plain_piece(piece).split("\n") if line)
        return [*[tokens(doc.title)] * TITLE, *map(tokens, lines)]

    def _names(self, page: Page, cells: tuple[Cell, ...]) -> Iterator[Cell]:
        """Yield the names that a page about no one row is found by: a directory's all, others' at its head."""
        if not page.scope:
            told = cells if page.directory else page.head.cells
            yield from (cell for cell in told if cell.col in self.words.schema.tables[cell.row.table].key)

    def _labelled(self, page: Page, cells: tuple[Cell, ...]) -> dict[tuple[str, str], None]:
        """Return the columns of a row's own, and of what the page is for: never those of other rows."""
        rows = {page.subject, *page.rows}
        own = ((cell.row.table, cell.col) for cell in cells if cell.row in rows)
        return dict.fromkeys((*own, *(place for place, _ in page.topics)))

    def _label(self, place: tuple[str, str]) -> tuple[str, ...]:
        """Return what a column is called: its label, and the phrase by which questions ask for it."""
        column = self.words.columns[place]
        return (column.label, column.says) if column.says else (column.label,)


def _own(page: Page, cells: tuple[Cell, ...]) -> Iterator[Cell]:
    """Yield the cells of a page's subject that hold a value; none of a page that is not found."""
    if page.subject is not None and not page.dormant:
        yield from (cell for cell in cells if cell.row == page.subject and cell.value is not None)


def _in_company(
    pages: Pages, place: tuple[str, str], held: dict[Value, list[int]]
) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the values of a column, each with the documents of all values of its company."""
    seed, words = pages.world.seed, pages.words
    order = sorted(held, key=lambda value: (draw(seed, "company", *place, str(value)), str(value)))
    groups = len(order) // COMPANY
    for n in range(groups):
        company = order[len(order) * n // groups : len(order) * (n + 1) // groups]
        documents = sorted({i for value in company for i in held[value]})
        for value in company:
            said = tuple(tokens(words.show(Cell(Row(place[0], 0), place[1], value))))
            yield from ((said, i) for i in documents)


def companies(pages: Pages) -> frozenset[tuple[str, str]]:
    """Return the columns whose values the index knows in company: names, where no page puts the rows of one together.

    The documents of a value are those of all values of its company, so a search for one of them finds its rows, among
    others, and no number of searches tells which of its company's values a row has. Where lists or children put the
    rows of a value together, those pages are found.
    """
    world = pages.world
    served = {(spec.list, spec.by) for spec in world.schema.pages}
    served |= {(child.table, child.ref) for spec in world.schema.pages for child in spec.children}
    return frozenset(
        place
        for place, column in pages.words.columns.items()
        if place not in served
        and not column.key
        and column.see != "linked"
        and (column.ref or column.name_like)
        and len({*world.tables[place[0]][place[1]]} - {None}) >= 2 * COMPANY
    ) - guessable(pages)


def guessable(pages: Pages) -> frozenset[tuple[str, str]]:
    """Return the columns whose values the index knows: those of which nearly all values differ, of very many possible.

    A query tries one value, so finding those of a column by guessing takes as many searches as there are
    plausible values: many more than there are pages to read. References are left out, since results list the names
    they may hold, and ranks, which are known but for their order; so are child rows, whose names on a page say
    whose they are.
    """
    world = pages.world
    return frozenset(
        (form.name, column.name)
        for form in world.schema.tables.values()
        for column in form.columns
        if not (column.key or column.ref or isinstance(column.fill, Rank))
        and _costly([v for v in world.tables[form.name][column.name] if v is not None], column.type)
    )


def _costly(values: Sequence[Value], kind: str) -> bool:
    """Whether values nearly all differ and lie among so many that guessing one is luck."""
    if len(set(values)) < DISTINCT * len(values) or not values:
        return False
    if kind == "date":
        places = [date.fromisoformat(str(value)).toordinal() for value in values]
    elif kind in {"int", "num"}:
        places = [round(float(value) * 10**DECIMALS) for value in values if isinstance(value, int | float)]
    else:
        return True
    return (max(places) - min(places)) // max(math.gcd(*(place - places[0] for place in places)), 1) >= POSSIBLE
