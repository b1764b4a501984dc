"""A bank of patterns looked at: every sentence rendered once."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from worldsmith.generation import generate
from worldsmith.pages import Pages
from worldsmith.pages.renderer.block_context import Desk
from worldsmith.pages.renderer.emit import words_of
from worldsmith.pages.renderer.written import Pen, fill_pattern
from worldsmith.pages.types import Block
from worldsmith.pages.voice import Sentence
from worldsmith.pages.written import is_over, row_cells
from worldsmith.schema import Schema
from worldsmith.schema.patterns import Describe
from worldsmith.tasks import QueryEvaluator
from worldsmith.tasks.descriptions import described_rows, descriptions
from worldsmith.world.model import Cell, Row, World

QUESTIONS = "questions"
"""The genre that descriptions of rows are shown under."""
SEEDS = (1, 2, 3)
"""Worlds that a sentence is looked for a row in."""


@dataclass(frozen=True, slots=True)
class RenderedPattern:
    """A pattern with a row that it fits told by it; "" where no row of the worlds looked at fits."""

    table: str
    genres: tuple[str, ...]
    test: bool
    pattern: str
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)


def rendered_patterns(schema: Schema) -> Iterator[RenderedPattern]:
    """Yield every sentence of a schema's bank, told of the first row that it fits."""
    worlds = [Pages(generate(schema, seed, language="natural")) for seed in SEEDS]
    assert schema.bank is not None
    for tell in schema.bank.tells:
        texts = (text for pages in worlds for text in _first_rendering(pages, tell.place))
        yield RenderedPattern(tell.of, tell.genres, tell.test, tell.pattern.text, next(texts, ""))
    for describe in schema.bank.describes:
        texts = (text for pages in worlds for text in _first_description(pages.world, describe))
        yield RenderedPattern(describe.of, (QUESTIONS,), describe.test, describe.pattern.text, next(texts, ""))


def _first_description(world: World, describe: Describe) -> Iterator[str]:
    """Yield a description of the first row that it fits alone; nothing where there is none."""
    for description in descriptions(world.schema):
        if description.describe == describe:
            for fitting in described_rows(QueryEvaluator(world), description):
                yield description.text(description.query(fitting.values)) or ""
                return


def _first_rendering(pages: Pages, place: int) -> Iterator[str]:
    """Yield a sentence of the first row that it fits; nothing where there is none."""
    voice = pages.voice
    assert voice is not None
    tell = voice.bank.tells[place]
    if tell.of not in pages.world.schema.tables:
        return
    written = next((w for w in voice.pages.values() if not tell.genres or w.genre in tell.genres), None)
    if written is None:
        return
    sentence = next((s for s in voice.sentences(tell.of, written.genre) if s.tell.place == place), None)
    if sentence is None:
        return
    page = pages.page(f"{written.name}/{next(iter(pages.kinds[written.name].numbers))}")
    pen = Pen(Desk(page, pages), Block("written", (), by=written.name), voice, written, "", voice.style(""))
    for row in pages.world.rows_of(tell.of):
        cells = row_cells(pages, row, _reach(pages.world, row, sentence))
        if sentence in voice.fillable(tell.of, written.genre, "", cells)[1] and sentence.holds(cells):
            yield words_of(fill_pattern(pen, tell.pattern, cells, over=is_over(pages.world, row)))
            return


def _reach(world: World, row: Row, sentence: Sentence) -> list[Cell]:
    """Return the row's cells, and those at the ends of the paths that a sentence reads."""
    cells = [world.cell(row, name) for name in world.schema.tables[row.table].names]
    for path in (*sentence.tell.pattern.paths, *sentence.reads):
        here: Row | None = row
        for step in path[:-1]:
            here = world.follow(here, step) if here is not None else None
        if here is not None and len(path) > 1:
            cells.append(world.cell(here, path[-1]))
    return cells
